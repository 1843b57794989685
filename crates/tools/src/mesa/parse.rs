//! The text of a listing to [`Line`]s: where each instruction begins and ends, and of which kind it is.
//!
//! * `pair`: paired instructions. `statement`: the others.
//! * `words`: what both consist of.

use super::listing::Line;
use ctm_base::text::Cursor;
use words::{end, marks, read};

mod pair;
mod statement;
mod words;

pub use words::ListingError;

/// Reads the lines of a listing: their numbers in the log, from 1, and texts.
///
/// # Errors
/// The first line that cannot be interpreted.
pub fn listing(lines: &[(usize, &str)]) -> Result<Vec<Line>, ListingError> {
    let mut found = Vec::new();
    let mut rest = lines;
    while let [(number, first), tail @ ..] = rest {
        // An instruction has the lines up to the next one with a number.
        let more = tail.iter().take_while(|(_, text)| numbered(text).is_none()).count();
        let body = numbered(first).ok_or_else(|| ListingError {
            line: *number,
            token: first.trim().chars().take(40).collect(),
            expected: "the number of an instruction".into(),
        })?;
        let mut text = body.trim_end().to_string();
        for (_, line) in &tail[..more] {
            text += "\n";
            text += line.trim_end();
        }
        // A paired instruction without sources has at most marks of synchronisation on its first line.
        let only_marks = |cursor: &mut Cursor<'_, '_>| {
            marks(cursor);
            end(cursor)
        };
        let marked = || !tail[..more].is_empty() && read(*number, body, only_marks).is_ok();
        let source = |body: &str| body.is_empty() || body.starts_with("src");
        let (statement, sources) = if source(body.trim()) || marked() {
            pair::pair(*number, body, &tail[..more])?
        } else {
            let units = tail[..more].iter().map(|(_, line)| line.trim()).collect::<Vec<_>>();
            let joined = [&[body.trim()], &units[..]].concat().join(" ");
            (read(*number, &joined, statement::statement)?, Default::default())
        };
        found.push(Line { statement, sources, number: *number, text });
        rest = &tail[more..];
    }
    Ok(found)
}

/// The text after the number of an instruction.
pub(super) fn numbered(line: &str) -> Option<&str> {
    let (number, rest) = line.trim_start().split_once(':')?;
    (!number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())).then_some(rest)
}
