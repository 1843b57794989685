//! The preprocessor: directives and macros.

use crate::found::Found;
use crate::lexer::{Spliced, Token, tokens};
use crate::version::{Extensions, Version};

/// The text of a program.
pub struct Preprocessed<'s> {
    /// Its tokens.
    pub tokens: Vec<Token<'s>>,
    /// The version, said or guessed.
    pub version: Version,
    /// The extensions that are on.
    pub extensions: Extensions,
}

/// Runs the preprocessor.
pub fn preprocess<'s>(
    source: &str,
    spliced: &'s Spliced<'_>,
    found: &mut Found,
) -> Preprocessed<'s> {
    let _ = (source, &found);
    let mut version = Version { number: 110, es: false, guessed: true, toy: false };
    let mut kept = Vec::new();
    let mut directive = false;
    let all = tokens(spliced);
    for (n, token) in all.iter().enumerate() {
        if token.first {
            directive = token.is("#");
        }
        if token.is("version") && directive {
            let number = all.get(n + 1).and_then(|token| token.text.parse().ok()).unwrap_or(110);
            let es = number == 100 || all.get(n + 2).is_some_and(|token| token.is("es"));
            version = Version { number, es, guessed: false, toy: false };
        }
        if !directive {
            kept.push(token.clone());
        }
    }
    Preprocessed { tokens: kept, version, extensions: Extensions::default() }
}
