//! Tokens to the syntax tree. After an error the parser continues at the next statement or declaration.
//!
//! Every path from the root of the tree to a leaf has at most [`LIMIT`] nodes, so that each walk over it may recurse.

mod declarations;
mod expressions;
mod items;
mod literal;
mod statements;

use crate::ast::{Expression, ExpressionKind, Item, Name, Shader};
use crate::found::Found;
use crate::lexer::{Kind, Token, splice};
use crate::preprocess::preprocess;
use crate::version::{Extensions, Version};
use crate::words::{self, Word};
use ctm_base::text::{Diagnostic, Span};

/// The name for the budget.
const PART: &str = "parser";

/// Work of a node of the tree.
const NODE: usize = 50;

/// Most levels of statements, brackets and operators.
pub const LIMIT: usize = 256;

/// Reads a source. What cannot be read is in `found`, and in the tree as `Wrong`.
pub fn parse(source: &str, found: &mut Found<'_>) -> Shader {
    let spliced = splice(source);
    let text = preprocess(source, &spliced, found);
    let mut parser = Parser {
        closings: closings(&text.tokens),
        tokens: &text.tokens,
        at: 0,
        end: Span::new(source.len(), source.len()),
        version: text.version,
        extensions: &text.extensions,
        found,
        depth: 0,
        height: 0,
        ended: text.cut,
    };
    let mut items = parser.items();
    if text.cut {
        items.push(Item::Wrong(Vec::new()));
    }
    Shader { version: text.version, items, extensions: text.extensions }
}

/// An error that is found already.
struct Failed;

/// The result of a part of the parser.
type Read<T> = Result<T, Failed>;

struct Parser<'t, 'w> {
    tokens: &'t [Token<'t>],
    /// For each opening bracket the index of the one that closes it.
    closings: Vec<usize>,
    at: usize,
    end: Span,
    version: Version,
    extensions: &'t Extensions,
    found: &'t mut Found<'w>,
    /// Levels of statements and brackets around the current token.
    depth: usize,
    /// Levels of the expression that was read last.
    height: usize,
    /// Whether it is known that the source ends within brackets.
    ended: bool,
}

/// For each opening bracket the index of the one that closes it, or of the end.
fn closings(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut closings = vec![tokens.len(); tokens.len()];
    let mut open: Vec<(usize, &str)> = Vec::new();
    for (n, token) in tokens.iter().enumerate() {
        let closing = match &*token.text {
            "(" => ")",
            "[" => "]",
            "{" => "}",
            ";" => {
                // Only the head of `for` has semicolons: other brackets have no end.
                while let Some((start, _)) = open.last().filter(|(_, closing)| *closing != "}") {
                    let head = start.checked_sub(1).and_then(|before| tokens.get(before));
                    if head.is_some_and(|before| before.is("for")) {
                        break;
                    }
                    open.pop();
                }
                continue;
            }
            text @ (")" | "]" | "}") => {
                // A curly bracket ends round ones that have no end.
                while let Some((start, closing)) = open.last().copied() {
                    if text != "}" && (closing != text || closing == "}") {
                        break;
                    }
                    open.pop();
                    if closing == text {
                        closings[start] = n;
                        break;
                    }
                }
                continue;
            }
            _ => continue,
        };
        open.push((n, closing));
    }
    closings
}

impl<'t> Parser<'t, '_> {
    fn peek(&self) -> Option<&'t Token<'t>> {
        self.tokens.get(self.at)
    }

    fn ahead(&self, n: usize) -> Option<&'t Token<'t>> {
        self.tokens.get(self.at + n)
    }

    /// Whether the next token is this sign or word.
    fn is(&self, text: &str) -> bool {
        self.peek().is_some_and(|token| token.is(text))
    }

    /// Whether the token after `n` others is a word.
    fn word_ahead(&self, n: usize) -> bool {
        self.ahead(n).is_some_and(|token| token.kind == Kind::Word)
    }

    /// Takes the next token if it is this sign or word.
    fn take(&mut self, text: &str) -> Option<Span> {
        let token = self.peek().filter(|token| token.is(text))?;
        self.at += 1;
        Some(token.span)
    }

    /// The place of the next token, or of the end.
    fn here(&self) -> Span {
        self.peek().map_or(self.end, |token| token.span)
    }

    /// The place of the token before.
    fn before(&self) -> Span {
        let token = self.at.checked_sub(1).and_then(|n| self.tokens.get(n));
        token.map_or(Span::default(), |token| token.span)
    }

    #[inline(never)]
    fn fail<T>(&mut self, error: Diagnostic) -> Read<T> {
        self.found.error(error);
        Err(Failed)
    }

    /// The error of an unexpected token.
    #[inline(never)]
    fn unexpected<T>(&mut self, expected: &str) -> Read<T> {
        self.unexpected_with(expected, None)
    }

    fn unexpected_with<T>(&mut self, expected: &str, help: Option<String>) -> Read<T> {
        let error = match self.peek() {
            None if self.ended => return Err(Failed),
            None => self.end.error(format!("expected {expected}, found the end of the source")),
            Some(token) => token.span.error(format!("expected {expected}, found `{}`", token.text)),
        };
        self.fail(Diagnostic { help, ..error })
    }

    /// Takes a sign. `after` is what it follows.
    #[inline(never)]
    fn expect(&mut self, sign: &str, after: &str) -> Read<Span> {
        match self.take(sign) {
            Some(span) => Ok(span),
            None => self.unexpected(&format!("`{sign}` after {after}")),
        }
    }

    /// Takes the sign that ends something. If it is missing at the end of a line, the next line is read as if it were
    /// there.
    #[inline(never)]
    fn ending(&mut self, sign: &str, after: &str) -> Read<Span> {
        if let Some(span) = self.take(sign) {
            return Ok(span);
        }
        let ends = match self.peek() {
            Some(token) => token.is("}") || token.first && token.kind == Kind::Word,
            None => !self.ended,
        };
        if !ends {
            return self.unexpected(&format!("`{sign}` after {after}"));
        }
        let end = self.before().end;
        let error = Span::new(end, end).error(format!("expected `{sign}` after {after}"));
        self.found.error(error.label(format!("`{sign}` is missing here")));
        Ok(self.before())
    }

    fn semicolon(&mut self, after: &str) -> Read<Span> {
        self.ending(";", after)
    }

    /// An expression in round brackets, from the opening one on. After an error the parser continues after the closing one.
    fn bracketed(&mut self, of: &str) -> Read<Expression> {
        let open = self.at;
        self.expect("(", of)?;
        let value = match self.deeper(Self::expression) {
            Ok(value) => value,
            Err(Failed) => self.wrong_up_to(open)?,
        };
        let after = format!("the condition of {of}");
        if self.is("{") {
            // Only the bracket is missing.
            let _: Read<()> = self.unexpected(&format!("`)` after {after}"));
        } else if self.expect(")", &after).is_err() {
            self.wrong_up_to(open)?;
            self.at += 1;
        }
        Ok(value)
    }

    /// After an error in brackets that open at a token: continues at the closing one.
    fn wrong_up_to(&mut self, open: usize) -> Read<Expression> {
        let end = self.closings.get(open).copied().filter(|end| *end < self.tokens.len());
        let Some(end) = end.filter(|end| *end >= self.at) else { return Err(Failed) };
        self.at = end;
        Ok(Expression { span: self.here(), kind: ExpressionKind::Wrong })
    }

    /// The role of a word in this version.
    fn meaning(&self, token: &Token<'_>) -> Word {
        match token.kind {
            Kind::Word => words::word(&token.text, self.version),
            Kind::Number | Kind::Sign | Kind::Unknown | Kind::Comment => Word::Keyword,
        }
    }

    /// Whether the token after `n` others can be a name.
    fn name_ahead(&self, n: usize) -> bool {
        self.ahead(n)
            .is_some_and(|token| matches!(self.meaning(token), Word::Name | Word::Reserved))
    }

    /// Takes a name that is used.
    fn name(&mut self, expected: &str) -> Read<Name> {
        match self.peek() {
            Some(token) if self.name_ahead(0) => {
                self.at += 1;
                Ok(Name { text: token.text.to_string(), span: token.span })
            }
            _ => self.unexpected(expected),
        }
    }

    /// Takes a name that is declared here.
    #[inline(never)]
    fn declared(&mut self, expected: &str) -> Read<Name> {
        let Some(token) = self.peek().filter(|token| token.kind == Kind::Word) else {
            return self.unexpected(expected);
        };
        let (span, text) = (token.span, &token.text);
        match self.meaning(token) {
            Word::Name => {}
            Word::Keyword => {
                let error = span.error(format!("expected {expected}, found the keyword `{text}`"));
                return self.fail(error.help("a keyword cannot be a name"));
            }
            Word::Type => {
                let error = span.error(format!("the type `{text}` cannot be a name"));
                self.found.error(error.help("choose another name"));
            }
            Word::Reserved => {
                let version = self.version;
                let error = span.error(format!(
                    "`{text}` is a reserved word of {version}, it cannot be a name"
                ));
                let error = error.help("choose another name");
                if words::never_a_name(text) {
                    self.found.error(error)
                } else {
                    self.found.version(version, error)
                }
            }
        }
        if text.contains("__") {
            let error = span.error(format!("`{text}` has two underscores in a row"));
            let error = error.help("such names are reserved");
            if self.version.es && self.version.number < 300 {
                self.found.error(error)
            } else {
                self.found.warning(error)
            }
        }
        if self.version.es && self.version.number >= 300 && text.len() > 1024 {
            self.found.error(span.error("this name has more than 1024 characters"));
        }
        self.at += 1;
        Ok(Name { text: text.to_string(), span })
    }

    /// Takes a name that is declared here and that is no variable's: it cannot begin with `gl_`.
    #[inline(never)]
    fn own(&mut self, expected: &str) -> Read<Name> {
        let name = self.declared(expected)?;
        if name.text.starts_with("gl_") {
            let error = name.span.error(format!("`{}` begins with `gl_`", name.text));
            self.found.error(error.help("such names are the language's own: choose another name"));
        }
        Ok(name)
    }

    /// Checks that a part with `within` more levels than its surroundings is not too deep; `height` is then `within`.
    #[inline(never)]
    fn levels(&mut self, within: usize, span: Span) -> Read<()> {
        if self.depth + within > LIMIT {
            let error = span.error(format!("this is nested more than {LIMIT} levels deep"));
            let help =
                "brackets, operators in a row and statements count: use variables or functions";
            self.found.error(error.help(help));
            return self.lost();
        }
        if !self.found.spend(PART, NODE, span) {
            return self.lost();
        }
        self.height = within;
        Ok(())
    }

    /// After an error, where nothing can be read within, and what follows cannot be told from it.
    fn lost(&mut self) -> Read<()> {
        self.at = self.tokens.len();
        self.ended = true;
        Err(Failed)
    }

    /// Reads something one level deeper.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        let here = self.here();
        self.levels(1, here)?;
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// After an error in what began at the token `start`: skips up to the end of the statement or declaration, at least
    /// one token unless a block ends. Gives the names in it, which may be declared there.
    fn recover(&mut self, start: usize) -> Vec<Name> {
        let wrong = self.at.max(start);
        self.at = wrong;
        // Out of the round brackets around the error.
        let mut n = start;
        while n < wrong {
            let round = self.tokens.get(n).is_some_and(|token| token.is("("));
            match self.closings.get(n).filter(|end| round && **end < self.tokens.len()) {
                Some(end) if *end >= wrong => {
                    self.at = end + 1;
                    break;
                }
                Some(end) => n = *end,
                None => n += 1,
            }
        }
        while let Some(token) = self.peek() {
            let begins = token.first
                && self.at > start
                && token.kind == Kind::Word
                && matches!(self.meaning(token), Word::Keyword | Word::Type);
            if begins || token.is("}") {
                break;
            }
            let closing = self.closings.get(self.at).filter(|_| token.is("{")).copied();
            self.at = closing.unwrap_or(self.at).saturating_add(1).min(self.tokens.len());
            if closing.is_some() {
                self.take(";");
                break;
            }
            if token.is(";") {
                break;
            }
        }
        self.names(start, self.at)
    }

    /// The names in some tokens.
    fn names(&self, start: usize, end: usize) -> Vec<Name> {
        let tokens = self.tokens.get(start..end).unwrap_or_default().iter();
        let names =
            tokens.filter(|token| token.kind == Kind::Word && self.meaning(token) == Word::Name);
        names.map(|token| Name { text: token.text.to_string(), span: token.span }).collect()
    }

    /// After brackets that begin at this token, the token that follows them.
    fn after_brackets(&self, mut at: usize) -> Option<&'t Token<'t>> {
        while self.tokens.get(at).is_some_and(|token| token.is("[")) {
            at = self.closings.get(at)? + 1;
        }
        self.tokens.get(at)
    }
}

#[cfg(test)]
mod tests;
