//! Parameters without names, `float f(float, vec2);`, which naga does not take: each gets one.

use super::nesting;
use super::words::QUALIFIERS;
use crate::lexer::{Kind, Token};
use std::borrow::Cow;

/// Names the parameters in a source whose tokens these are.
pub fn rewrite(tokens: Vec<Token<'_>>) -> Vec<Token<'_>> {
    let mut out: Vec<Token<'_>> = Vec::new();
    // Whether a parameter of a function starts here or has started: its words that are no qualifiers.
    let (mut depth, mut words) = (0usize, None);
    for (n, token) in tokens.iter().enumerate() {
        let before = depth;
        depth = nesting(depth, token);
        let named = n > 1 && [n - 2, n - 1].iter().all(|at| tokens[*at].kind == Kind::Word);
        if before == 0 && token.is("(") && named && !tokens[n - 1].is("layout") {
            words = Some(0);
        } else if let Some(count) = &mut words {
            let ends = before == 1 && matches!(&*token.text, "," | ")");
            if ends && *count == 1 && !tokens[n - 1].is("void") {
                let text = Cow::Owned(format!("unnamed_{n}"));
                out.push(Token { kind: Kind::Word, text, ..token.clone() });
            }
            let qualifier = QUALIFIERS.contains(&&*token.text)
                || matches!(&*token.text, "in" | "out" | "inout" | "const");
            match token.kind {
                _ if ends => *count = 0,
                Kind::Word if before == 1 && !qualifier => *count += 1,
                _ => {}
            }
            if depth == 0 {
                words = None;
            }
        }
        out.push(token.clone());
    }
    out
}
