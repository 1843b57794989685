//! Hexadecimal listings and raw binaries.

use super::{RawError, shorten};
use crate::program::Image;
use ctm_isa::isa::MAX_INSTRUCTIONS;
use std::fmt::Write;

/// Bytes of an instruction.
const INSTRUCTION: usize = 24;

/// Reads a listing of hexadecimal words, separated by white space, six per instruction regardless
/// of line ends. `0x` is allowed. `#` begins a comment that ends with the line.
///
/// # Errors
/// With line and column: a token that is not a word, a listing that ends inside an instruction,
/// more than 512 instructions. Also a listing without words.
pub fn hex(text: &str) -> Result<Image, RawError> {
    let mut words: Vec<[u32; 6]> = Vec::new();
    let mut current = [0; 6];
    let mut count = 0;
    let mut first = (0, 0);
    let bad = |(line, column), problem| RawError::Text { line, column: Some(column), problem };
    for (line, column, token) in tokens(text) {
        let place = (line, column);
        current[count] = word(token).ok_or_else(|| {
            let found = shorten(token);
            bad(place, format!("{found:?} is not a word, expected 1 to 8 hexadecimal digits, with or without 0x"))
        })?;
        if count == 0 {
            if words.len() == MAX_INSTRUCTIONS {
                let problem = "instruction 512 begins here, expected at most 512 of them";
                return Err(bad(place, problem.into()));
            }
            first = place;
        }
        count += 1;
        if count == 6 {
            words.push(current);
            count = 0;
        }
    }
    if count != 0 {
        let last = words.len();
        let problem = format!("the last instruction, number {last}, has {count} of 6 words");
        return Err(bad(first, problem));
    }
    if words.is_empty() {
        return Err(RawError::empty("listing"));
    }
    Ok(Image::from_words(words))
}

/// The words of a listing with line and column, without comments.
pub fn tokens(text: &str) -> impl Iterator<Item = (usize, usize, &str)> {
    text.lines().enumerate().flat_map(|(n, line)| {
        let code = line.split('#').next().unwrap_or_default();
        let mut column = 1;
        let mut rest = code;
        std::iter::from_fn(move || {
            let start = rest.find(|c: char| !c.is_whitespace())?;
            column += rest[..start].chars().count();
            rest = &rest[start..];
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let (token, tail) = rest.split_at(end);
            let at = column;
            column += token.chars().count();
            rest = tail;
            Some((n + 1, at, token))
        })
    })
}

/// One hexadecimal word.
pub fn word(token: &str) -> Option<u32> {
    let digits = token.strip_prefix("0x").or_else(|| token.strip_prefix("0X")).unwrap_or(token);
    // from_str_radix would also accept a sign.
    (digits.len() <= 8 && digits.bytes().all(|b| b.is_ascii_hexdigit()))
        .then(|| u32::from_str_radix(digits, 16).ok())
        .flatten()
}

/// Reads a raw binary: 24 bytes per instruction, six little-endian words.
///
/// # Errors
/// A size that is zero, not a multiple of 24, or more than 512 instructions.
pub fn binary(bytes: &[u8]) -> Result<Image, RawError> {
    let size = bytes.len();
    let expected = if size == 0 {
        return Err(RawError::empty("binary"));
    } else if !size.is_multiple_of(INSTRUCTION) {
        "a multiple of 24 bytes, the size of an instruction"
    } else if size > INSTRUCTION * MAX_INSTRUCTIONS {
        "at most 12288 bytes, 512 instructions"
    } else {
        return Ok(Image::from_bytes(bytes));
    };
    Err(RawError::Whole { what: format!("size of the binary is {size}"), expected })
}

/// Writes the instructions as a listing, one per line. Only the words are kept.
pub fn write_hex(image: &Image) -> String {
    let mut text = String::with_capacity(image.words.len() * 54);
    for words in &image.words {
        for (n, word) in words.iter().enumerate() {
            let separator = if n == 0 { "" } else { " " };
            // Writing to a string cannot fail.
            let _ = write!(text, "{separator}{word:08x}");
        }
        text.push('\n');
    }
    text
}

/// Writes the instructions as a raw binary. Only the words are kept.
pub fn write_binary(image: &Image) -> Vec<u8> {
    image.to_bytes()
}
