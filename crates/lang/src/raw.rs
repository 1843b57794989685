//! Programs without a container: hexadecimal listings, raw binaries, and the text that Mesa's
//! r300 driver prints with `RADEON_DEBUG=fp`.
//!
//! None of them carries registers, so images have the defaults of
//! [`Image::from_words`](crate::program::Image::from_words).

mod listing;
mod mesa;
#[cfg(test)]
mod tests;

pub use listing::{binary, hex, write_binary, write_hex};
pub use listing::{tokens, word};
pub use mesa::{Dump, mesa, mesa_dumps};
pub use mesa::{
    HEADING as MESA_HEADING, INITIAL as MESA_INITIAL, Printed as PrintedConstant,
    constant as mesa_constant, pass as mesa_pass, words as mesa_words,
};

/// Why bytes or text are not a program. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RawError {
    /// A token in a listing that is not a word.
    #[error(
        "line {line}, column {column}: {text:?} is not a word, expected 1 to 8 hexadecimal digits, with or without 0x"
    )]
    NotHex {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
        /// The text, shortened.
        text: String,
    },
    /// A listing that ends inside an instruction.
    #[error(
        "line {line}, column {column}: the last instruction, number {instruction}, has {words} of 6 words"
    )]
    Incomplete {
        /// The line of its first word.
        line: usize,
        /// The column of its first word.
        column: usize,
        /// Its number, from 0.
        instruction: usize,
        /// The number of words that it has.
        words: usize,
    },
    /// Nothing to read.
    #[error("the {what} holds no instructions, expected 1 to 512")]
    Empty {
        /// What was read.
        what: &'static str,
    },
    /// A listing with too many instructions.
    #[error(
        "line {line}, column {column}: instruction 512 begins here, expected at most 512 of them"
    )]
    ListingLong {
        /// The line of the first excess word.
        line: usize,
        /// Its column.
        column: usize,
    },
    /// A binary that ends inside an instruction.
    #[error(
        "the size of the binary is {bytes}, expected a multiple of 24 bytes, the size of an instruction"
    )]
    BinarySize {
        /// Its size.
        bytes: usize,
    },
    /// A binary with too many instructions.
    #[error("the size of the binary is {bytes}, expected at most 12288 bytes, 512 instructions")]
    BinaryLong {
        /// Its size.
        bytes: usize,
    },
    /// A log without programs.
    #[error(
        "found a Mesa log without machine code (cut off?), expected a line \"R500 Fragment Program:\""
    )]
    NoMesaProgram,
    /// A listing in a log that skips or repeats an instruction.
    #[error(
        "line {line}: instruction {found} of the Mesa listing, expected instruction {expected}"
    )]
    MesaOrder {
        /// The line.
        line: usize,
        /// The number printed.
        found: String,
        /// The number that is next.
        expected: usize,
    },
    /// A line in a listing of a log that is no word of an instruction.
    #[error(
        "line {line}: {text:?} is not a word of a Mesa listing, expected a word number from 0 to 5, a name and a word of 8 hexadecimal digits after 0x"
    )]
    MesaLine {
        /// The line.
        line: usize,
        /// The text, shortened.
        text: String,
    },
    /// A listing in a log with too many instructions.
    #[error("line {line}: instruction 512 of the Mesa listing, expected at most 512 of them")]
    MesaLong {
        /// The line.
        line: usize,
    },
    /// A constant in a log that is not one.
    #[error(
        "line {line}: {text:?} is not a constant of a Mesa log, expected CONST[n] with n from 0 to 255 and four values in braces"
    )]
    MesaConstant {
        /// The line.
        line: usize,
        /// The text, shortened.
        text: String,
    },
}

/// Text for an error message: hostile input may hold lines of any length.
fn shorten(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}
