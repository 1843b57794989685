//! Command buffers: converts 32-bit words to [`Command`]s and back \[G 8\].
//!
//! A buffer is a tightly packed sequence of commands. Each is a command word followed by a fixed
//! number of parameters. This module knows the meaning of the words and the allowed values. The
//! device executes the commands.
//!
//! * [`table`]: every command, defined once: name, word, parameters, whether it is pipelined,
//!   source.
//! * [`parse`]: words to commands, one at a time, with typed errors and warnings.
//! * [`build`]: commands to words.

pub mod build;
pub mod parse;
pub mod table;
mod text;
mod values;

pub use build::{Builder, EncodeError};
pub use parse::{CommandError, CommandWarning, Parsed, Parser};
pub use table::{COMMANDS, Command, Opcode, Parameter, ParameterKind, Row};

use crate::memory::{Format, Surface, Tiling};

/// The layout of elements in memory: a format parameter without its reserved bits \[G 13-14\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Elements from one row to the next: a multiple of 4, at most 8188.
    pub pitch: u32,
    /// The map from (x, y) to an address.
    pub tiling: Tiling,
    /// The type of an element.
    pub format: Format,
}

/// The parameters of set_inp_fmt, set_out_fmt and set_cond_out_fmt \[G 16-18\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceFormat {
    /// Address of element (0, 0), a multiple of 2 KiB.
    pub address: u32,
    /// Pitch, tiling and data format.
    pub layout: Layout,
    /// Rows, at most 8191.
    pub height: u32,
}

impl SurfaceFormat {
    /// The surface that the parameters describe. Its width is its pitch.
    pub fn surface(&self) -> Surface {
        let Layout { pitch, tiling, format } = self.layout;
        Surface::new(self.address, pitch, self.height, tiling, format)
    }
}

/// The parameters of set_constf_fmt, set_consti_fmt and set_constb_fmt \[G 13\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstantFormat {
    /// Address of constant 0, a multiple of 2 KiB.
    pub address: u32,
    /// `None` (a zero format word): the constants are packed. Otherwise element (n, 0) is
    /// constant n.
    pub layout: Option<Layout>,
}

#[cfg(test)]
mod tests;
