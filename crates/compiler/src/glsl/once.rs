//! Indices with side effects in the target of an assignment like `v[i++] += x`, or in an argument of an `inout` parameter:
//! naga evaluates these twice. So they are computed before: `(ctm_index0 = int(i++), v[ctm_index0] += x)`.

use super::logic::{Effects, assigns};
use super::loops::{closes, push};
use super::nesting;
use crate::lexer::{Kind, Token};
use ctm_base::text::{Parsed, Span};
use std::borrow::Cow;
use std::ops::Range;

/// Rewrites a source whose tokens these are.
pub fn rewrite(tokens: Vec<Token<'_>>) -> Parsed<Vec<Token<'_>>> {
    if !tokens.iter().any(|token| token.is("[")) {
        return Ok(tokens);
    }
    let closes = closes(&tokens);
    let effects = Effects::of(&tokens, &closes);
    let mut this = Once { tokens: &tokens, closes, effects, names: 0, out: Vec::new() };
    this.some(0, tokens.len(), false)?;
    let (names, out) = (this.names, this.out);
    if names == 0 {
        return Ok(tokens);
    }
    let mut all = Vec::new();
    for n in 0..names {
        push(&mut all, "int", Span::default());
        all.push(index(n, Span::default()));
        push(&mut all, ";", Span::default());
    }
    all.extend(out);
    Ok(all)
}

/// The variable of an index.
fn index<'s>(n: usize, span: Span) -> Token<'s> {
    let text = Cow::Owned(format!("ctm_index{n}"));
    Token { kind: Kind::Word, text, span, first: false, spaced: true }
}

struct Once<'t, 's> {
    tokens: &'t [Token<'s>],
    closes: Vec<Option<usize>>,
    effects: Effects<'t>,
    /// The number of variables of indices so far.
    names: usize,
    out: Vec<Token<'s>>,
}

impl<'s> Once<'_, 's> {
    /// Rewrites tokens; or, of an `operand`, those up to what ends it. Returns where it stops.
    fn some(&mut self, from: usize, to: usize, operand: bool) -> Parsed<usize> {
        let (mut at, mut depth, mut choices) = (from, 0usize, 0usize);
        while at < to {
            let token = &self.tokens[at];
            if operand && depth == 0 {
                match &*token.text {
                    "," | ";" | ")" | "]" | "}" => break,
                    ":" if choices == 0 => break,
                    ":" => choices -= 1,
                    "?" => choices += 1,
                    _ => {}
                }
            }
            if let Some(end) = self.changes(at)? {
                at = end;
                continue;
            }
            depth = nesting(depth, token);
            self.out.push(token.clone());
            at += 1;
        }
        Ok(at)
    }

    /// Rewrites an assignment or a call that starts at `at` and whose target has an index with side
    /// effects.
    fn changes(&mut self, at: usize) -> Parsed<Option<usize>> {
        let member = at > 0 && self.tokens[at - 1].is(".");
        if member || self.tokens[at].kind != Kind::Word && !self.tokens[at].is("(") {
            return Ok(None);
        }
        let end = self.part(at);
        let compound =
            |token: &Token<'_>| assigns(token) && token.text.len() > 1 && token.text.ends_with('=');
        if self.tokens.get(end).is_some_and(compound) {
            return self.assignment(at, end);
        }
        match self.closes.get(at + 1).copied().flatten() {
            Some(close)
                if self.tokens[at + 1].is("(")
                    && self.effects.arguments.contains(&*self.tokens[at].text) =>
            {
                self.call(at, close)
            }
            _ => Ok(None),
        }
    }

    /// The index after the part of a variable that starts at `at`: `v[i].x`.
    fn part(&self, at: usize) -> usize {
        let mut end = if self.tokens[at].is("(") {
            self.closes[at].map_or(at, |close| close + 1)
        } else {
            at + 1
        };
        while let Some(token) = self.tokens.get(end) {
            match &*token.text {
                "[" => match self.closes[end] {
                    Some(close) => end = close + 1,
                    None => break,
                },
                "." => end += 2,
                _ => break,
            }
        }
        end
    }

    /// The contents of a part's brackets, if one of them has side effects.
    fn indices(&self, part: Range<usize>) -> Parsed<Option<Vec<Range<usize>>>> {
        let (mut found, mut at) = (Vec::new(), part.start);
        let end = part.end.min(self.tokens.len());
        if !self.effects.any(&self.tokens[part.start..end]) {
            return Ok(None);
        }
        if self.tokens[at].is("(") {
            // Anything else in round brackets is a value.
            if self.closes[at] != Some(self.part(at + 1)) {
                return Ok(None);
            }
            let error = self.tokens[at].span.error("an index that changes something, in brackets");
            return Err(error.help("leave the round brackets out"));
        }
        while at < end {
            match self.closes[at] {
                Some(close) => {
                    found.push(at + 1..close);
                    at = close + 1;
                }
                None => at += 1,
            }
        }
        Ok(Some(found))
    }

    /// Computes indices: one after the other, with `between` after each. Returns their variables.
    fn computed(
        &mut self,
        indices: Vec<Range<usize>>,
        between: &'static str,
    ) -> Parsed<Vec<(Range<usize>, usize)>> {
        let mut computed = Vec::new();
        for inside in indices {
            if let [token] = &self.tokens[inside.clone()]
                && token.kind == Kind::Number
            {
                continue;
            }
            let (span, name) = (self.tokens[inside.start].span, self.names);
            self.names += 1;
            self.out.push(index(name, span));
            push(&mut self.out, "= int (", span);
            self.some(inside.start, inside.end, false)?;
            push(&mut self.out, ")", span);
            push(&mut self.out, between, span);
            computed.push((inside, name));
        }
        Ok(computed)
    }

    /// Rewrites tokens among which indices are computed.
    fn with(&mut self, range: Range<usize>, computed: &[(Range<usize>, usize)]) -> Parsed<()> {
        let mut at = range.start;
        for (inside, name) in computed.iter().filter(|(inside, _)| range.contains(&inside.start)) {
            self.some(at, inside.start, false)?;
            self.out.push(index(*name, self.tokens[inside.start].span));
            at = inside.end;
        }
        self.some(at, range.end, false).map(drop)
    }

    fn assignment(&mut self, at: usize, operator: usize) -> Parsed<Option<usize>> {
        let Some(indices) = self.indices(at..operator)? else { return Ok(None) };
        let span = self.tokens[at].span;
        push(&mut self.out, "(", span);
        let computed = self.computed(indices, ",")?;
        self.out.push(self.tokens[at].clone());
        self.with(at + 1..operator, &computed)?;
        self.out.push(self.tokens[operator].clone());
        let end = self.some(operator + 1, self.tokens.len(), true)?;
        push(&mut self.out, ")", span);
        Ok(Some(end))
    }

    fn call(&mut self, at: usize, close: usize) -> Parsed<Option<usize>> {
        let mut arguments = Vec::new();
        let (mut start, mut n) = (at + 2, at + 2);
        while n <= close {
            if n == close || self.tokens[n].is(",") {
                arguments.push(start..n);
                start = n + 1;
            }
            n = self.closes[n].map_or(n, |end| end) + 1;
        }
        let mut indices: Vec<Range<usize>> = Vec::new();
        for (n, argument) in arguments.iter().enumerate() {
            if argument.is_empty() || self.part(argument.start) != argument.end {
                continue;
            }
            let Some(found) = self.indices(argument.clone())? else { continue };
            let before = arguments[..n].iter().flat_map(|argument| argument.clone());
            let outside = before.filter(|at| !indices.iter().any(|inside| inside.contains(at)));
            let before: Vec<&Token<'_>> = outside.map(|at| &self.tokens[at]).collect();
            let inside = found.iter().flat_map(|inside| &self.tokens[inside.clone()]);
            self.apart(&before, &inside.collect::<Vec<_>>())?;
            indices.extend(found);
        }
        if indices.is_empty() {
            return Ok(None);
        }
        // A call that gives no value is a statement, no part of an expression.
        let before = at.checked_sub(1).map(|before| &*self.tokens[before].text);
        let starts =
            before.is_some_and(|before| matches!(before, ";" | "{" | "}" | ")" | "else" | "do"));
        let statement = starts && self.tokens.get(close + 1).is_some_and(|token| token.is(";"));
        let [open, between, end] = if statement { ["{", ";", "; }"] } else { ["(", ",", ")"] };
        let span = self.tokens[at].span;
        push(&mut self.out, open, span);
        let computed = self.computed(indices, between)?;
        self.out.push(self.tokens[at].clone());
        self.with(at + 1..close + 1, &computed)?;
        push(&mut self.out, end, span);
        Ok(Some(close + 1 + usize::from(statement)))
    }

    /// Refuses indices with side effects if the tokens `before` them may see the change.
    fn apart(&self, before: &[&Token<'s>], indices: &[&Token<'s>]) -> Parsed<()> {
        let changes = |token: &Token<'_>| self.effects.globals.contains(&*token.text);
        let calls = indices.iter().any(|token| changes(token));
        let depends = |token: &Token<'_>| {
            let shared = indices.iter().any(|other| other.is(&token.text));
            let global = calls && self.effects.outside.contains(&*token.text);
            assigns(token) || changes(token) || token.kind == Kind::Word && (shared || global)
        };
        if before.iter().any(|token| depends(token)) {
            let error = indices[0]
                .span
                .error("an index that changes something, after an argument that depends on it");
            return Err(error.help("compute the index before the call"));
        }
        Ok(())
    }
}
