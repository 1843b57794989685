//! Declarations of several names with an array among them: `float a[2], b;`. naga gives all names after it the array's
//! type, so each name gets a declaration of its own.

use super::nesting;
use crate::lexer::{Kind, Token};
use std::borrow::Cow;

/// Most words before the first name: qualifiers and the type.
const MAX_WORDS: usize = 8;

/// Words that begin statements and are no types.
pub const STATEMENTS: [&str; 6] = ["return", "else", "do", "case", "struct", "precision"];

/// Rewrites the declarations of a source whose tokens these are.
pub fn rewrite(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let mut out: Vec<Token<'_>> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let starts = out.last().is_none_or(|last| matches!(&*last.text, ";" | "{" | "}"));
        let Some((words, commas)) = declaration(&tokens[at..]).filter(|_| starts) else {
            out.push(tokens[at].clone());
            at += 1;
            continue;
        };
        let kind = &tokens[at..at + words];
        out.extend_from_slice(kind);
        let mut from = at + words;
        for comma in commas {
            out.extend_from_slice(&tokens[from..at + comma]);
            from = at + comma + 1;
            let text = Cow::Borrowed(";");
            out.push(Token { kind: Kind::Sign, text, ..tokens[at + comma].clone() });
            out.extend_from_slice(kind);
        }
        at = from;
    }
    out
}

/// If tokens start with a declaration to rewrite: the number of words before the first name, and the places of the commas
/// between the names.
fn declaration(tokens: &[Token<'_>]) -> Option<(usize, Vec<usize>)> {
    let run = tokens.iter().take(MAX_WORDS + 2).take_while(|token| token.kind == Kind::Word);
    let words = run.count().checked_sub(1).filter(|words| (1..=MAX_WORDS).contains(words))?;
    if STATEMENTS.contains(&&*tokens[0].text) {
        return None;
    }
    let (mut depth, mut commas, mut name, mut array) = (0, Vec::new(), words, false);
    for (n, token) in tokens.iter().enumerate().skip(words) {
        let follows = n == name + 1;
        if follows && !matches!(&*token.text, "[" | "=" | "," | ";") {
            return None;
        }
        match &*token.text {
            ";" if depth == 0 => {
                return Some((words, commas)).filter(|_| array);
            }
            "," if depth == 0 => {
                // Only what precedes a comma changes the types after it.
                array |= tokens.get(name + 1).is_some_and(|next| next.is("["));
                commas.push(n);
                name = n + 1;
            }
            _ => depth = nesting(depth, token),
        }
    }
    None
}
