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
    for (line, column, token) in tokens(text) {
        let value =
            word(token).ok_or_else(|| RawError::NotHex { line, column, text: shorten(token) })?;
        if count == 0 {
            if words.len() == MAX_INSTRUCTIONS {
                return Err(RawError::ListingLong { line, column });
            }
            first = (line, column);
        }
        current[count] = value;
        count += 1;
        if count == 6 {
            words.push(current);
            count = 0;
        }
    }
    if count != 0 {
        return Err(RawError::Incomplete {
            line: first.0,
            column: first.1,
            instruction: words.len(),
            words: count,
        });
    }
    if words.is_empty() {
        return Err(RawError::Empty { what: "listing" });
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
    if bytes.is_empty() {
        return Err(RawError::Empty { what: "binary" });
    }
    if !bytes.len().is_multiple_of(INSTRUCTION) {
        return Err(RawError::BinarySize { bytes: bytes.len() });
    }
    if bytes.len() > INSTRUCTION * MAX_INSTRUCTIONS {
        return Err(RawError::BinaryLong { bytes: bytes.len() });
    }
    Ok(Image::from_bytes(bytes))
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
