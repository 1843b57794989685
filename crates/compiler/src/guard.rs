//! WGSL that could exhaust the stack of naga's parser is refused before it is parsed.

use ctm_base::text::{Diagnostic, Span};

/// Deepest nesting of brackets.
const MAX_NESTING: usize = 128;

/// Most signs of a statement.
const MAX_STATEMENT: usize = 20_000;

/// Refuses what could exhaust the stack of a recursive parser.
pub fn text(source: &str) -> Result<(), Diagnostic> {
    let (mut depth, mut statement, mut chain) = (0usize, 0usize, 0usize);
    for (start, character) in source.char_indices().filter(|(_, one)| one.is_ascii_punctuation()) {
        statement += 1;
        chain = if matches!(character, '-' | '!' | '~' | '+') { chain + 1 } else { 0 };
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if matches!(character, ';' | '{' | '}') {
            statement = 0;
        }
        let most = |what: &str, most: usize| {
            Err(Span::new(start, start + 1).error(format!("more than {most} {what}")))
        };
        if depth > MAX_NESTING {
            return most("nested brackets", MAX_NESTING);
        }
        if statement > MAX_STATEMENT {
            return most("tokens in a statement", MAX_STATEMENT);
        }
        if chain > MAX_NESTING {
            return most("operators in a row", MAX_NESTING);
        }
    }
    Ok(())
}
