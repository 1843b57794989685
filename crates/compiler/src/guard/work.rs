//! The time of reading a source, counted before it is read.

use super::tokens::{Lexeme, Token};
use ctm_base::text::{Diagnostic, Span};
use ctm_base::work::Work;

/// The work of a byte of the source.
const BYTE: usize = 10;

/// The pairs of tokens of one function that take a unit of work: naga passes over all expressions of the function so far
/// for each new one. Measured on long rows of assignments, branches and swizzles.
const PAIRS: usize = 200;

/// Counts the work of reading a source.
///
/// # Errors
/// There is not as much left.
pub fn count(source: &str, tokens: &[Token<'_>], work: &Work<'_>) -> Result<(), Diagnostic> {
    let spent = work.spend("front", BYTE * source.len());
    spent.map_err(|why| why.error("the source", Span::default()))?;
    let (mut depth, mut first) = (0usize, 0);
    for (n, token) in tokens.iter().enumerate() {
        match token.lexeme {
            Lexeme::Sign('{') => {
                first = if depth == 0 { n } else { first };
                depth += 1;
            }
            Lexeme::Sign('}') => {
                depth = depth.saturating_sub(1);
                let length = n - first;
                if depth == 0 {
                    let spent = work.spend("front", length.saturating_mul(length / PAIRS));
                    let start = tokens[first].span();
                    spent.map_err(|why| {
                        let error = why.error("the function", start);
                        error.help(format!("it has {length} words and signs: make several of it"))
                    })?;
                }
            }
            Lexeme::Word(_) | Lexeme::Sign(_) => {}
        }
    }
    Ok(())
}
