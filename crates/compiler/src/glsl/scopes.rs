//! Declarations that are the only statement of a branch or loop, `if (c) int a = 1;`: for naga they are declared around it. They
//! get braces.

use super::declarations::STATEMENTS;
use super::loops::{closes, push};
use crate::lexer::{Kind, Token};

/// Puts the declarations in a source whose tokens these are into braces.
pub fn rewrite(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let closes = closes(&tokens);
    let body = |n: usize| match &*tokens[n].text {
        "else" | "do" => Some(n + 1),
        "if" | "for" | "while" if tokens.get(n + 1)?.is("(") => Some(closes[n + 1]? + 1),
        _ => None,
    };
    let declares = |start: &usize| {
        let is_word = |n: usize| tokens.get(n).is_some_and(|token| token.kind == Kind::Word);
        let array = tokens.get(start + 1).is_some_and(|token| token.is("["));
        let name = if array { closes[start + 1].map(|close| close + 1) } else { Some(start + 1) };
        is_word(*start) && name.is_some_and(is_word) && !STATEMENTS.contains(&&*tokens[*start].text)
    };
    let starts: Vec<usize> = (0..tokens.len()).filter_map(body).filter(declares).collect();
    if starts.is_empty() {
        return tokens;
    }
    let (mut out, mut inside) = (Vec::new(), false);
    for (n, token) in tokens.iter().enumerate() {
        if starts.contains(&n) {
            push(&mut out, "{", token.span);
            inside = true;
        }
        out.push(token.clone());
        if inside && token.is(";") {
            push(&mut out, "}", token.span);
            inside = false;
        }
    }
    out
}
