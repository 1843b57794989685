//! Loops of the form `do { ... continue; ... } while (condition);`. naga has a `continue` skip the condition, so the
//! condition goes to the start of all iterations but the first:
//! `for (bool again = false; ; again = true) { if (again) { if (!(condition)) break; } { ... } }`.

use crate::lexer::{Kind, Token};
use ctm_base::text::{Diagnostic, Span};
use std::borrow::Cow;

/// The text before the condition, between the condition and the body, and after the body.
const BEFORE: &str =
    "for ( bool ctm_again = false ; ; ctm_again = true ) { if ( ctm_again ) { if ( ! (";
const BETWEEN: &str = ") break ; }";
const AFTER: &str = "}";

/// Rewrites the loops of a source whose tokens these are.
pub fn rewrite(tokens: Vec<Token<'_>>) -> Result<Vec<Token<'_>>, Diagnostic> {
    if !tokens.iter().any(|token| token.is("do")) {
        return Ok(tokens);
    }
    let closes = closes(&tokens);
    let closed = |open: usize, sign: &str| {
        tokens.get(open).filter(|token| token.is(sign)).and_then(|_| closes[open])
    };
    let continues: Vec<usize> = (0..tokens.len()).filter(|n| tokens[*n].is("continue")).collect();
    let continues_before = |start: usize, end: usize| {
        let next = continues.partition_point(|n| *n < start);
        continues.get(next).is_some_and(|n| *n < end)
    };
    let mut out = Vec::new();
    // The ends of the bodies around, and where each loop ends.
    let mut open: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        let body = at + 1;
        if token.is("do") {
            let end = closed(body, "{");
            let is_while =
                end.is_some_and(|end| tokens.get(end + 1).is_some_and(|n| n.is("while")));
            let condition = end.filter(|_| is_while).and_then(|end| closed(end + 2, "("));
            if let (Some(end), Some(close)) = (end, condition) {
                if continues_before(body, end) {
                    push(&mut out, BEFORE, token.span);
                    out.extend_from_slice(&tokens[end + 3..=close]);
                    push(&mut out, BETWEEN, token.span);
                    // After the semicolon.
                    open.push((end, close + 2));
                    at = body;
                    continue;
                }
            } else {
                let last = tokens[at..].iter().position(|token| token.is("while"));
                if last.is_some_and(|last| continues_before(body, at + last)) {
                    let error = token.span.error("`continue` in a `do` without braces");
                    return Err(error.help("put the statement in braces"));
                }
            }
        }
        out.push(token.clone());
        at += 1;
        if let Some((_, after)) = open.pop_if(|(end, _)| *end < at) {
            push(&mut out, AFTER, token.span);
            at = after;
        }
    }
    Ok(out)
}

/// For each bracket that opens, the index of the one that closes it.
pub(super) fn closes(tokens: &[Token<'_>]) -> Vec<Option<usize>> {
    let mut closes = vec![None; tokens.len()];
    let mut open = Vec::new();
    for (n, token) in tokens.iter().enumerate() {
        match &*token.text {
            "(" | "[" | "{" => open.push(n),
            ")" | "]" | "}" => {
                if let Some(start) = open.pop() {
                    closes[start] = Some(n);
                }
            }
            _ => {}
        }
    }
    closes
}

/// Appends the words of a text, which come from a place in the source.
pub(super) fn push(out: &mut Vec<Token<'_>>, text: &'static str, span: Span) {
    for word in text.split(' ') {
        let letters = word.starts_with(|letter: char| letter.is_ascii_alphabetic());
        let kind = if letters { Kind::Word } else { Kind::Sign };
        out.push(Token { kind, text: Cow::Borrowed(word), span, first: false, spaced: true });
    }
}
