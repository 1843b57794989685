//! Source text to tokens.

use super::{Diagnostic, Parsed, Span, TextErrors};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind<'s> {
    /// A letter or underscore, then letters, digits, underscores.
    Word(&'s str),
    /// The same after a dot.
    Dot(&'s str),
    /// The same after an at sign.
    At(&'s str),
    /// A number as written.
    Number(&'s str),
    /// Punctuation.
    Punct(&'static str),
    /// The end of a "line" or of the "source".
    End(&'static str),
}

impl Kind<'_> {
    /// Whether the token is this punctuation or, in any case, this word.
    pub fn is(&self, text: &str) -> bool {
        match self {
            Kind::Word(found) => found.eq_ignore_ascii_case(text),
            Kind::Punct(found) => *found == text,
            _ => false,
        }
    }
    /// The token's name in an error message.
    pub fn describe(&self) -> String {
        match self {
            Kind::Word(text) | Kind::Number(text) | Kind::Punct(text) => format!("`{text}`"),
            Kind::Dot(text) => format!("`.{text}`"),
            Kind::At(text) => format!("`@{text}`"),
            Kind::End(what) => format!("the end of the {what}"),
        }
    }
}

/// A token and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'s> {
    /// Its kind.
    pub kind: Kind<'s>,
    /// Its position.
    pub span: Span,
    /// Whether it is the first token of its line.
    pub first: bool,
}

/// Whether a word continues with this character.
pub fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The source from a position on.
pub struct Scanner<'s> {
    /// The whole text.
    pub source: &'s str,
    /// The next byte.
    pub at: usize,
}

impl<'s> Scanner<'s> {
    /// The text from the next byte on.
    pub fn rest(&self) -> &'s str {
        &self.source[self.at..]
    }
    /// Consumes this text if it is next.
    pub fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        self.at += if found { text.len() } else { 0 };
        found
    }
    /// Consumes the first of these texts that is next and has such a character after it.
    pub fn eat_before(&mut self, texts: &[&str], after: fn(char) -> bool) -> bool {
        let fits = |text: &&&str| {
            self.rest().strip_prefix(**text).is_some_and(|rest| rest.starts_with(after))
        };
        texts.iter().find(fits).is_some_and(|text| self.eat(text))
    }
    /// Consumes characters as long as they pass a test, and returns them.
    pub fn take(&mut self, test: impl Fn(char) -> bool) -> &'s str {
        let rest = self.rest();
        let end = rest.find(|c| !test(c)).unwrap_or(rest.len());
        self.at += end;
        &rest[..end]
    }
    /// The decimal digits from here on, which it passes.
    pub fn digits(&mut self) -> &'s str {
        self.take(|c| c.is_ascii_digit())
    }
    /// `e-3`, if it is next.
    pub fn exponent(&mut self) {
        if self.eat_before(&["e", "e+", "e-", "E", "E+", "E-"], |c| c.is_ascii_digit()) {
            self.digits();
        }
    }
    /// The first of these signs that is next, consumed.
    pub fn punct(&mut self, signs: &[&'static str]) -> Option<Kind<'s>> {
        let next = self.rest().as_bytes().first();
        let found = signs.iter().find(|sign| sign.as_bytes().first() == next && self.eat(sign));
        found.map(|sign| Kind::Punct(sign))
    }
}

/// The tokens of a source, and its errors. `read` is the language: it consumes one token, comment
/// or line end, which begins with the given character, or nothing if no token begins so. The last
/// token is an end marker; errors call it `end`.
pub fn tokens<'s>(
    source: &'s str,
    end: &'static str,
    mut read: impl FnMut(&mut Scanner<'s>, char) -> Parsed<Option<Kind<'s>>>,
) -> (Vec<Token<'s>>, Vec<Diagnostic>) {
    let mut scanner = Scanner { source, at: 0 };
    let (mut tokens, mut errors) = (Vec::with_capacity(source.len() / 3), Vec::new());
    let mut first = true;
    loop {
        scanner.take(|c| c != '\n' && c.is_whitespace());
        let start = scanner.at;
        let Some(c) = scanner.rest().chars().next() else { break };
        let found = read(&mut scanner, c).and_then(|kind| {
            if scanner.at == start {
                scanner.at += c.len_utf8();
                let span = Span::new(start, scanner.at);
                return Err(span.error(format!("the character {c:?} has no meaning here")));
            }
            Ok(kind)
        });
        let span = Span::new(start, scanner.at);
        match found {
            Ok(Some(kind)) => tokens.push(Token { kind, span, first: std::mem::take(&mut first) }),
            Ok(None) => {}
            Err(error) if errors.len() < TextErrors::LIMIT => errors.push(error),
            Err(_) => {}
        }
        first |= source[start..scanner.at].contains('\n');
    }
    let span = Span::new(source.len(), source.len());
    tokens.push(Token { kind: Kind::End(end), span, first });
    (tokens, errors)
}
