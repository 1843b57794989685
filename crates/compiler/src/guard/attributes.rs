//! Attributes of no variable or function: naga's front end refuses them without a place.

use super::tokens::{Lexeme, Token};
use ctm_base::text::Diagnostic;

/// Refuses an attribute outside functions that nothing follows which has attributes.
pub fn check(tokens: &[Token<'_>]) -> Result<(), Diagnostic> {
    let mut open = 0usize;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let sign =
            |n: usize, sign| tokens.get(n).is_some_and(|one| one.lexeme == Lexeme::Sign(sign));
        // Those of a result follow its arrow.
        let result = at > 0 && sign(at - 1, '>');
        if open == 0 && !result && sign(at, '@') {
            while sign(at, '@') {
                at += 2;
                if sign(at, '(') {
                    let length =
                        tokens[at..].iter().position(|one| one.lexeme == Lexeme::Sign(')'));
                    at += length.map_or(tokens.len(), |length| length + 1);
                }
            }
            let follows = tokens.get(at);
            let takes = |word| matches!(word, "var" | "fn" | "override");
            if follows.is_some_and(|one| !matches!(one.lexeme, Lexeme::Word(word) if takes(word))) {
                let error = token.span().error("this attribute belongs to nothing");
                return Err(error.help("attributes are before `var`, `fn` and `override`"));
            }
            continue;
        }
        match token.lexeme {
            Lexeme::Sign('(' | '{' | '[') => open += 1,
            Lexeme::Sign(')' | '}' | ']') => open = open.saturating_sub(1),
            Lexeme::Sign(_) | Lexeme::Word(_) => {}
        }
        at += 1;
    }
    Ok(())
}
