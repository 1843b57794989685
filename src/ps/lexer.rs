//! Source text to tokens. The language ignores lines, but a token records whether it is the first
//! of its line, so that the parser can continue there after an error.

use crate::asm::{Diagnostic, Span};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'s> {
    /// A letter or underscore, then letters, digits, underscores.
    Word(&'s str),
    /// A number as written, without a sign.
    Number(&'s str),
    /// One of `, . ( ) [ ] ! - +`.
    Punct(char),
    /// End of the source.
    End,
}

impl Kind<'_> {
    /// The token's name in an error message.
    pub fn describe(&self) -> String {
        match self {
            Kind::Word(text) | Kind::Number(text) => format!("`{text}`"),
            Kind::Punct(sign) => format!("`{sign}`"),
            Kind::End => "the end of the source".to_string(),
        }
    }
}

/// A token and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'s> {
    pub kind: Kind<'s>,
    pub span: Span,
    /// Whether it is the first token of its line.
    pub first: bool,
}

/// The tokens of a source, of which the last is [`Kind::End`], and the texts of its line comments.
pub(super) struct Tokens<'s> {
    pub tokens: Vec<Token<'s>>,
    pub comments: Vec<&'s str>,
    pub errors: Vec<Diagnostic>,
}

/// Splits a source into tokens. Comments are `// ...`, `; ...` and `/* ... */`. A preprocessor's
/// `#line` counts as a comment.
pub(super) fn tokens(source: &str) -> Tokens<'_> {
    let mut lexer = Lexer {
        source,
        at: 0,
        first: true,
        out: Tokens {
            tokens: Vec::with_capacity(source.len() / 3),
            comments: Vec::new(),
            errors: Vec::new(),
        },
    };
    while lexer.step() {}
    lexer.out
}

struct Lexer<'s> {
    source: &'s str,
    at: usize,
    first: bool,
    out: Tokens<'s>,
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

impl<'s> Lexer<'s> {
    fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }

    /// Consumes characters as long as they pass a test; returns their text.
    fn take(&mut self, test: impl Fn(char) -> bool) -> &'s str {
        let rest = self.rest();
        let end = rest.find(|c| !test(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }

    fn push(&mut self, start: usize, kind: Kind<'s>) {
        let span = Span::new(start, self.at);
        let first = std::mem::replace(&mut self.first, false);
        self.out.tokens.push(Token { kind, span, first });
    }

    fn error(&mut self, start: usize, message: impl Into<String>) {
        if self.out.errors.len() < crate::asm::AsmErrors::LIMIT {
            let span = Span::new(start, self.at);
            self.out.errors.push(Diagnostic::new(span, message));
        }
    }

    /// Consumes one token or comment; false at the end.
    fn step(&mut self) -> bool {
        let blank = self.take(char::is_whitespace);
        self.first |= blank.contains('\n');
        let start = self.at;
        let rest = self.rest();
        let Some(c) = rest.chars().next() else {
            self.push(start, Kind::End);
            return false;
        };
        let second = rest.as_bytes().get(1).copied().unwrap_or(0);
        if rest.starts_with("//") || c == ';' {
            let text = self.take(|c| c != '\n');
            self.out.comments.push(text.trim_start_matches(['/', ';']).trim());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            match comment.find("*/") {
                Some(end) => {
                    self.first |= rest[..end + 2].contains('\n');
                    self.at += end + 4;
                }
                None => {
                    self.at += 2;
                    self.error(start, "this comment has no end: expected `*/`");
                    self.at = self.source.len();
                }
            }
        } else if c == '#' {
            let text = self.take(|c| c != '\n');
            if !text.starts_with("#line") {
                self.error(start, "preprocessor directives are not part of the language");
            }
        } else if c.is_ascii_digit() || (c == '.' && second.is_ascii_digit()) {
            let text = self.number();
            self.push(start, Kind::Number(text));
        } else if is_word(c) {
            let text = self.take(is_word);
            self.push(start, Kind::Word(text));
        } else if ",.()[]!-+".contains(c) {
            self.at += 1;
            self.push(start, Kind::Punct(c));
        } else {
            self.at += c.len_utf8();
            self.error(start, format!("the character {c:?} has no meaning here"));
        }
        true
    }

    /// `12`, `1.5`, `.5`, `1.`, `2e-3`, `1.0f`, and the forms in which old printers write
    /// infinities and NaN: `1.#INF`, `1.#QNAN`.
    fn number(&mut self) -> &'s str {
        let start = self.at;
        self.take(|c| c.is_ascii_digit());
        if self.rest().starts_with('.') {
            self.at += 1;
            if self.rest().starts_with('#') {
                self.at += 1;
                self.take(|c| c.is_ascii_alphanumeric());
                return &self.source[start..self.at];
            }
            self.take(|c| c.is_ascii_digit());
        }
        if self.rest().starts_with(['e', 'E']) {
            let exponent = self.rest()[1..].trim_start_matches(['+', '-']);
            let signs = self.rest().len() - 1 - exponent.len();
            if signs <= 1 && exponent.starts_with(|c: char| c.is_ascii_digit()) {
                self.at += 1 + signs;
                self.take(|c| c.is_ascii_digit());
            }
        }
        // A suffix. Other letters here make the number invalid.
        self.take(is_word);
        &self.source[start..self.at]
    }
}

/// The value of a number's text, rounded to binary32; `None` if it is not a number.
pub(super) fn float(text: &str) -> Option<f32> {
    if let Some((_, name)) = text.split_once('#') {
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
        return match name.to_ascii_uppercase().as_str() {
            "INF" => Some(f32::INFINITY),
            "IND" | "QNAN" | "SNAN" => Some(f32::from_bits(crate::float::CANONICAL_NAN)),
            _ => None,
        };
    }
    let digits = text.strip_suffix(['f', 'F']).unwrap_or(text);
    digits.parse().ok()
}
