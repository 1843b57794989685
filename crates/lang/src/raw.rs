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
pub use mesa::{Dump, mesa_dumps};
pub use mesa::{
    HEADING as MESA_HEADING, INITIAL as MESA_INITIAL, Printed as PrintedConstant, ShaderNames,
    constant as mesa_constant, pass as mesa_pass, vertex_programs, words as mesa_words,
};

use ctm_base::stop::Stopped;

/// Errors of bytes or text that are not a program. Lines and columns count from 1, columns in
/// characters.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RawError {
    /// A text with an error.
    #[error("line {line}{}: {problem}", .column.map(|n| format!(", column {n}")).unwrap_or_default())]
    Text {
        /// The line.
        line: usize,
        /// The column, where lines have no fixed form.
        column: Option<usize>,
        /// The text that was found, and what was expected.
        problem: String,
    },
    /// Bytes that are wrong as a whole.
    #[error("the {what}, expected {expected}")]
    Whole {
        /// The thing that was read, and its error.
        what: String,
        /// The expected thing.
        expected: &'static str,
    },
    /// A log without programs.
    #[error(
        "found a Mesa log without machine code (cut off?), expected a line \"R500 Fragment Program:\""
    )]
    NoMesaProgram,
    /// A log without fragment programs.
    #[error(
        "found a Mesa log with {count} vertex program{} and no fragment program: ctm runs fragment programs",
        if *.count == 1 { "" } else { "s" }
    )]
    OnlyVertexPrograms {
        /// The number of vertex programs.
        count: usize,
    },
    /// Reading was stopped.
    #[error(transparent)]
    Stopped(#[from] Stopped),
}

impl RawError {
    /// The error for something without instructions.
    fn empty(what: &str) -> RawError {
        RawError::Whole { what: format!("{what} holds no instructions"), expected: "1 to 512" }
    }
}

/// Text for an error message: hostile input may hold lines of any length.
fn shorten(text: &str) -> String {
    const LONGEST: usize = 60;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.to_owned(),
    }
}
