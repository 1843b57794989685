//! The expressions of `#if` and `#line`.

use super::Preprocessor;
use super::expand::Stream;
use crate::lexer::{Kind, Token, whole};
use ctm_base::text::{Diagnostic, Parsed, Span};

/// Deepest nesting of an expression.
const MAX_DEPTH: usize = 64;

/// An expression that is being read.
struct Reader<'t, 's> {
    stream: Stream<'t, 's>,
    /// The next token.
    token: Option<Token<'s>>,
    /// The place of the directive.
    span: Span,
    depth: usize,
    /// Whether names that are no macros are errors in every version.
    strict: bool,
}

/// Operators by precedence.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", ">", "<=", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*", "/", "%"],
];

impl<'s> Preprocessor<'_, 's, '_> {
    /// The value of a condition; false after an error.
    pub fn condition(&mut self, tokens: &[Token<'s>], span: Span) -> bool {
        match self.numbers(tokens, span, false).as_deref() {
            Some([value]) => *value != 0,
            Some([]) => {
                self.found.error(span.error("expected a condition"));
                false
            }
            Some([..]) => {
                self.found.error(span.error("expected one condition"));
                false
            }
            None => false,
        }
    }

    /// The values of a directive, one after the other. `strict`: every name has to be a macro.
    pub fn numbers(&mut self, tokens: &[Token<'s>], span: Span, strict: bool) -> Option<Vec<i64>> {
        let stream = Stream::new(tokens);
        let mut reader = Reader { stream, token: None, span, depth: 0, strict };
        self.advance(&mut reader);
        let mut values = Vec::new();
        while reader.token.is_some() && values.len() < 3 {
            match self.binary(&mut reader, 0, true) {
                Ok(value) => values.push(value),
                Err(error) => {
                    self.found.error(error);
                    // The macros of what is left are no more being replaced.
                    while self.next(&mut reader.stream).is_some() {}
                    return None;
                }
            }
            let sign =
                reader.token.as_ref().filter(|token| token.kind == Kind::Sign && !token.is("("));
            if let Some(token) = sign {
                let error = token.span.error(format!("unexpected `{}`", token.text));
                self.found.error(error);
                while self.next(&mut reader.stream).is_some() {}
                return None;
            }
        }
        while self.next(&mut reader.stream).is_some() {}
        Some(values)
    }

    fn advance(&mut self, reader: &mut Reader<'_, 's>) {
        reader.token = self.next(&mut reader.stream);
    }

    /// `counts` is whether the value counts: what `&&` and `||` leave out does not.
    fn binary(&mut self, reader: &mut Reader<'_, 's>, level: usize, counts: bool) -> Parsed<i64> {
        let Some(signs) = LEVELS.get(level) else { return self.unary(reader, counts) };
        let mut left = self.binary(reader, level + 1, counts)?;
        while let Some(token) = &reader.token
            && let Some(sign) = signs.iter().find(|sign| token.is(sign))
        {
            let span = token.span;
            self.advance(reader);
            let counts = match *sign {
                "||" => counts && left == 0,
                "&&" => counts && left != 0,
                _ => counts,
            };
            let right = self.binary(reader, level + 1, counts)?;
            left = match *sign {
                "||" => (left != 0 || right != 0) as i64,
                "&&" => (left != 0 && right != 0) as i64,
                "|" => left | right,
                "^" => left ^ right,
                "&" => left & right,
                "==" => (left == right) as i64,
                "!=" => (left != right) as i64,
                "<" => (left < right) as i64,
                ">" => (left > right) as i64,
                "<=" => (left <= right) as i64,
                ">=" => (left >= right) as i64,
                "<<" => left.wrapping_shl(right as u32),
                ">>" => left.wrapping_shr(right as u32),
                "+" => left.wrapping_add(right),
                "-" => left.wrapping_sub(right),
                "*" => left.wrapping_mul(right),
                "/" | "%" if right == 0 && counts => {
                    return Err(span.error("division by zero in a condition"));
                }
                "/" => left.checked_div(right).unwrap_or(0),
                _ => left.checked_rem(right).unwrap_or(0),
            };
        }
        Ok(left)
    }

    fn unary(&mut self, reader: &mut Reader<'_, 's>, counts: bool) -> Parsed<i64> {
        let Some(token) = reader.token.take() else {
            return Err(reader.span.error("this expression is incomplete"));
        };
        if reader.depth == MAX_DEPTH {
            return Err(token.span.error("this expression is nested too deeply"));
        }
        if token.is("defined") {
            return self.defined(reader, &token);
        }
        self.advance(reader);
        reader.depth += 1;
        let value = match &*token.text {
            "!" => (self.unary(reader, counts)? == 0) as i64,
            "-" => self.unary(reader, counts)?.wrapping_neg(),
            "+" => self.unary(reader, counts)?,
            "~" => !self.unary(reader, counts)?,
            "(" => {
                let value = self.binary(reader, 0, counts)?;
                match reader.token.take() {
                    Some(end) if end.is(")") => self.advance(reader),
                    Some(end) => {
                        let text = format!("expected `)`, found `{}`", end.text);
                        return Err(end.span.error(text));
                    }
                    None => return Err(token.span.error("this `(` has no `)`")),
                }
                value
            }
            text if token.kind == Kind::Number => {
                let digits = text.strip_suffix(['u', 'U']).filter(|_| self.version.has(300, 130));
                let value = whole(digits.unwrap_or(text));
                value.map_err(|error| Diagnostic { span: token.span, ..error })? as i64
            }
            text if token.kind == Kind::Word => {
                if reader.strict {
                    return Err(token.span.error(format!("`{text}` is not a macro")));
                }
                if counts && self.version.es {
                    let error = token.span.error(format!("`{text}` is not a macro"));
                    self.lax(error.help(format!("ask `defined({text})` first")));
                }
                0
            }
            text => return Err(token.span.error(format!("unexpected `{text}`"))),
        };
        reader.depth -= 1;
        Ok(value)
    }

    /// `defined NAME` and `defined(NAME)`, from the word on. The name is not replaced.
    fn defined(&mut self, reader: &mut Reader<'_, 's>, word: &Token<'s>) -> Parsed<i64> {
        let mut name = self.raw(&mut reader.stream);
        let bracket = name.as_ref().is_some_and(|token| token.is("("));
        if bracket {
            name = self.raw(&mut reader.stream);
        }
        let Some(name) = name.filter(|token| token.kind == Kind::Word) else {
            return Err(word.span.error("expected the name of a macro after `defined`"));
        };
        if bracket && !self.raw(&mut reader.stream).is_some_and(|token| token.is(")")) {
            return Err(word.span.error("expected `)` after the name of a macro"));
        }
        self.advance(reader);
        Ok(self.macros.get(&name.text).is_some() as i64)
    }
}
