//! The position of a reader in its tokens.

use super::{Diagnostic, Kind, Parsed, Span, Token};

/// A piece of syntax and its position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct At<T> {
    /// The value.
    pub node: T,
    /// Its position.
    pub span: Span,
}

impl<T> At<T> {
    /// A value at a place.
    pub fn new(node: T, span: Span) -> At<T> {
        At { node, span }
    }
}

/// Maximum nesting of parentheses.
const MAX_NESTING: usize = 16;

/// The tokens not read yet.
pub struct Cursor<'t, 's> {
    /// The last one is an end, which is never consumed.
    tokens: &'t [Token<'s>],
    at: usize,
    depth: usize,
    /// Whether a label beside the caret repeats what is expected.
    labels: bool,
}

impl<'t, 's> Cursor<'t, 's> {
    /// A cursor at the first of these tokens, of which the last is an end.
    pub fn new(tokens: &'t [Token<'s>], labels: bool) -> Cursor<'t, 's> {
        Cursor { tokens, at: 0, depth: 0, labels }
    }
    /// All tokens from the next one on.
    pub fn rest(&self) -> &'t [Token<'s>] {
        &self.tokens[self.at..]
    }
    /// The next token.
    pub fn peek(&self) -> Token<'s> {
        self.tokens[self.at]
    }
    /// Whether the next token is this punctuation or, in any case, this word.
    pub fn is(&self, text: &str) -> bool {
        self.peek().kind.is(text)
    }
    /// Whether no token is left.
    pub fn at_end(&self) -> bool {
        matches!(self.peek().kind, Kind::End(_))
    }
    /// Consumes the next token.
    pub fn advance(&mut self) -> Token<'s> {
        let token = self.peek();
        self.at += usize::from(!self.at_end());
        token
    }
    /// From the start of a span to the end of the last token consumed.
    pub fn since(&self, start: Span) -> Span {
        start.to(self.tokens[self.at.saturating_sub(1)].span)
    }
    /// The error "expected ...".
    pub fn expected(&self, what: &str) -> Diagnostic {
        let Token { kind, span, .. } = self.peek();
        let error = span.error(format!("expected {what}, found {}", kind.describe()));
        if self.labels { error.label(format!("expected {what}")) } else { error }
    }

    /// Consumes this punctuation or word if it is next.
    pub fn accept(&mut self, text: &str) -> Option<Span> {
        self.is(text).then(|| self.advance().span)
    }
    /// Consumes this punctuation or word, which must be next.
    pub fn expect(&mut self, text: &str) -> Parsed<Span> {
        self.accept(text).ok_or_else(|| self.expected(&format!("`{text}`")))
    }
    fn text(&mut self, text: fn(Kind<'s>) -> Option<&'s str>) -> Option<At<&'s str>> {
        text(self.peek().kind).map(|text| At::new(text, self.advance().span))
    }
    /// Consumes a word if one is next.
    pub fn word(&mut self) -> Option<At<&'s str>> {
        self.text(|kind| if let Kind::Word(text) = kind { Some(text) } else { None })
    }
    /// Consumes a `.word` if one is next.
    pub fn dot(&mut self) -> Option<At<&'s str>> {
        self.text(|kind| if let Kind::Dot(text) = kind { Some(text) } else { None })
    }
    /// Consumes a number if one is next.
    pub fn number(&mut self) -> Option<At<&'s str>> {
        self.text(|kind| if let Kind::Number(text) = kind { Some(text) } else { None })
    }
    /// Consumes a word, which must be next.
    pub fn need_word(&mut self, what: &str) -> Parsed<At<&'s str>> {
        self.word().ok_or_else(|| self.expected(what))
    }

    /// One or more of what `read` reads, with a sign between them.
    pub fn separated<T>(
        &mut self,
        sign: &str,
        mut read: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut list = vec![read(self)?];
        while self.accept(sign).is_some() {
            list.push(read(self)?);
        }
        Ok(list)
    }
    /// Reads the contents of parentheses; the opening one has this position.
    pub fn nested<T>(
        &mut self,
        open: Span,
        read: impl FnOnce(&mut Self) -> Parsed<T>,
    ) -> Parsed<T> {
        if self.depth >= MAX_NESTING {
            return Err(open.error(format!("parentheses nest deeper than {MAX_NESTING}")));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }
}
