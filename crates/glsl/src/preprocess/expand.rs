//! Macros are replaced: a stream of tokens on a stack of texts. Nothing recurses but arguments within arguments.

use super::macros::PLACES;
use super::{MADE, PART, Preprocessor};
use crate::lexer::{Kind, Token, single};
use ctm_base::text::Span;
use std::borrow::Cow;
use std::rc::Rc;

/// Deepest nesting of a macro's uses in arguments.
const MAX_DEPTH: usize = 64;

/// Tokens whose macros are being replaced.
pub struct Stream<'t, 's> {
    input: &'t [Token<'s>],
    at: usize,
    /// Texts of macros that are being read, each with its macro's name.
    texts: Vec<(String, std::vec::IntoIter<Token<'s>>)>,
    /// The place of the use that is being replaced.
    used: Span,
    /// Uses in arguments around this.
    depth: usize,
}

impl<'t, 's> Stream<'t, 's> {
    /// The tokens of a part of the source.
    pub fn new(input: &'t [Token<'s>]) -> Stream<'t, 's> {
        Stream { input, at: 0, texts: Vec::new(), used: Span::default(), depth: 0 }
    }
}

impl<'s> Preprocessor<'_, 's, '_> {
    /// Replaces all macros in a part of the source.
    pub fn expand_all(&mut self, input: &[Token<'s>], output: &mut Vec<Token<'s>>) {
        let mut stream = Stream::new(input);
        while let Some(token) = self.next(&mut stream) {
            output.push(token);
        }
    }

    /// The next token as it is. Texts that are at their end are left.
    pub fn raw(&mut self, stream: &mut Stream<'_, 's>) -> Option<Token<'s>> {
        while let Some((name, text)) = stream.texts.last_mut() {
            if let Some(token) = text.next() {
                return Some(token);
            }
            self.macros.replace(name, -1);
            stream.texts.pop();
        }
        let token = stream.input.get(stream.at)?;
        stream.at += 1;
        Some(token.clone())
    }

    /// Whether the next token is an opening bracket.
    fn bracket(&mut self, stream: &mut Stream<'_, 's>) -> bool {
        while let Some((name, text)) = stream.texts.last() {
            if let Some(token) = text.as_slice().first() {
                return token.is("(");
            }
            self.macros.replace(name, -1);
            stream.texts.pop();
        }
        stream.input.get(stream.at).is_some_and(|token| token.is("("))
    }

    /// Counts work. Whether to continue; if not, every stream ends.
    fn spend(&mut self, tokens: usize, span: Span) -> bool {
        self.found.spend(PART, MADE * tokens, span)
    }

    /// The next token after all replacements.
    pub fn next(&mut self, stream: &mut Stream<'_, 's>) -> Option<Token<'s>> {
        loop {
            if self.found.ended() {
                return None;
            }
            let outside = stream.texts.is_empty();
            let mut token = self.raw(stream)?;
            if token.kind != Kind::Word || token.fixed {
                return Some(token);
            }
            let Some(found) = self.macros.get(&token.text) else { return Some(token) };
            if found.active > 0 {
                token.fixed = true;
                return Some(token);
            }
            let (body, parameters) = (found.body.clone(), found.parameters.clone());
            if outside && stream.depth == 0 {
                stream.used = token.span;
            }
            if found.span.is_none() && PLACES.iter().any(|place| token.is(place)) {
                let value = if token.is("__LINE__") {
                    // In the text of a macro it is the line where the use ends.
                    let start = token.span.end.saturating_sub(1);
                    let last = Span { start, ..token.span };
                    (self.line(last) as i64).saturating_add(self.shift)
                } else {
                    self.file
                };
                return Some(Token { kind: Kind::Number, text: value.to_string().into(), ..token });
            }
            let Some(mut text) = (match parameters {
                None => {
                    let here = |token: &Token<'s>| Token { span: stream.used, ..token.clone() };
                    Some(body.iter().map(here).collect())
                }
                Some(_) if !self.bracket(stream) => return Some(token),
                Some(parameters) => self.call(&token, &body, &parameters, stream),
            }) else {
                // Its error is found.
                continue;
            };
            if !self.spend(text.len() + 1, stream.used) {
                return None;
            }
            if let Some(first) = text.first_mut() {
                (first.first, first.spaced) = (token.first, token.spaced);
            }
            self.paste(&mut text, stream.used);
            self.macros.replace(&token.text, 1);
            stream.texts.push((token.text.into_owned(), text.into_iter()));
        }
    }

    /// The text of a macro with parameters, from the use's bracket on.
    fn call(
        &mut self,
        name: &Token<'s>,
        body: &Rc<[Token<'s>]>,
        parameters: &[String],
        stream: &mut Stream<'_, 's>,
    ) -> Option<Vec<Token<'s>>> {
        let place = stream.used;
        let arguments = self.arguments(name, stream)?;
        let none = parameters.is_empty() && matches!(&arguments[..], [only] if only.is_empty());
        if arguments.len() != parameters.len() && !none {
            let count = |n: usize, word: &str| match n {
                1 => format!("1 {word}"),
                n => format!("{n} {word}s"),
            };
            let (takes, found) =
                (count(parameters.len(), "argument"), count(arguments.len(), "argument"));
            let text = format!("the macro `{}` takes {takes}, found {found}", name.text);
            let line = self.macros.get(&name.text).and_then(|known| known.span);
            let error = stream.used.error(text);
            self.found.error(match line.map(|span| self.line(span)) {
                Some(line) => error.help(format!("it is defined on line {line}")),
                None => error,
            });
            return None;
        }
        if stream.depth == MAX_DEPTH {
            let text = format!("uses of macros are nested more than {MAX_DEPTH} deep");
            // Nothing good can follow.
            self.found.last(place.error(text));
            return None;
        }
        if !self.found.spend(PART, body.len() * parameters.len(), place) {
            return None;
        }
        let mut expanded: Vec<Option<Vec<Token<'s>>>> = vec![None; arguments.len()];
        let mut text = Vec::with_capacity(body.len());
        for (n, token) in body.iter().enumerate() {
            let parameter = parameters.iter().position(|name| token.is(name));
            let Some((parameter, argument)) = parameter.and_then(|n| Some((n, arguments.get(n)?)))
            else {
                text.push(Token { span: stream.used, ..token.clone() });
                continue;
            };
            let pasted = |at: usize| body.get(at).is_some_and(|token| token.is("##"));
            let start = text.len();
            if pasted(n + 1) || n > 0 && pasted(n - 1) {
                text.extend(argument.iter().cloned());
                if argument.is_empty() {
                    // Something for `##` to join.
                    text.push(Token { text: "".into(), span: stream.used, ..token.clone() });
                }
            } else {
                let done = match expanded.get_mut(parameter) {
                    Some(Some(done)) => &*done,
                    Some(open) => {
                        let mut inner = Stream::new(argument);
                        (inner.used, inner.depth) = (stream.used, stream.depth + 1);
                        let mut tokens = Vec::new();
                        while let Some(token) = self.next(&mut inner) {
                            tokens.push(token);
                        }
                        &*open.insert(tokens)
                    }
                    None => continue,
                };
                text.extend(done.iter().cloned());
            }
            if let Some(first) = text.get_mut(start) {
                first.spaced = token.spaced;
            }
            if !self.spend(text.len() - start, stream.used) {
                return None;
            }
        }
        Some(text)
    }

    /// The arguments of a use from its bracket on.
    fn arguments(
        &mut self,
        name: &Token<'s>,
        stream: &mut Stream<'_, 's>,
    ) -> Option<Vec<Vec<Token<'s>>>> {
        let mut arguments = vec![Vec::new()];
        let mut depth = 0usize;
        let mut tokens = 0;
        let outside = stream.texts.is_empty() && stream.depth == 0;
        loop {
            let Some(mut token) = self.raw(stream) else {
                let error = name.span.error(format!("the use of macro `{}` has no `)`", name.text));
                self.found.error(error);
                self.cut |= stream.depth == 0;
                return None;
            };
            tokens += 1;
            match &*token.text {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                if outside {
                    stream.used = name.span.to(token.span);
                }
                return self.spend(tokens, stream.used).then_some(arguments);
            }
            if depth == 1 && token.is(",") {
                arguments.push(Vec::new());
            } else if depth > 1 || !token.is("(") {
                token.fixed |= token.kind == Kind::Word
                    && self.macros.get(&token.text).is_some_and(|known| known.active > 0);
                arguments.last_mut()?.push(token);
            }
        }
    }

    /// Joins the tokens on both sides of `##`.
    fn paste(&mut self, text: &mut Vec<Token<'s>>, span: Span) {
        if !text.iter().any(|token| token.is("##")) {
            text.retain(|token| !token.text.is_empty());
            return;
        }
        let mut pasted: Vec<Token<'s>> = Vec::with_capacity(text.len());
        let mut join = false;
        for token in text.drain(..) {
            if token.is("##") {
                join = true;
                continue;
            }
            let Some(before) = pasted.last_mut().filter(|_| std::mem::take(&mut join)) else {
                pasted.push(token);
                continue;
            };
            let joined = format!("{}{}", before.text, token.text);
            let kind = if joined.len() > 1024 { None } else { single(&joined) };
            match kind {
                _ if joined.is_empty() => {}
                Some(kind) => {
                    (before.kind, before.text, before.fixed) = (kind, Cow::Owned(joined), false);
                }
                None => {
                    let error = format!("`{}` and `{}` make no token", before.text, token.text);
                    self.found.error(span.error(error).label("joined by `##` here"));
                }
            }
        }
        pasted.retain(|token| !token.text.is_empty());
        *text = pasted;
    }
}
