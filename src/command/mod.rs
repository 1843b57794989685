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

pub use build::{Builder, EncodeError};
pub use parse::{CommandError, CommandErrorKind, CommandWarning, Parsed, Parser, WarningKind};
pub use table::{COMMANDS, Opcode, Parameter, ParameterKind, Row};

use crate::launch::{Domain, Location, Test};
use crate::memory::{Format, Surface, Tiling};

/// The layout of elements in memory: a format parameter without its reserved bits \[G 13-14\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Elements from one row to the next: a multiple of 4, at most 8188.
    pub pitch: u32,
    /// How (x, y) becomes an address.
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

/// One command with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Enables or disables the performance counters.
    InitPerfCounters {
        /// Flags bit 0.
        enable: bool,
    },
    /// Zeroes and starts the counters.
    StartPerfCounters,
    /// Stops the counters.
    StopPerfCounters,
    /// Writes both counters to memory.
    ReadPerfCounters {
        /// The address to write to, a multiple of 2 KiB.
        address: u32,
    },
    /// The PE's value for conditional operations.
    SetCondVal {
        /// Raw bits; the conditional buffer's format gives them a type.
        value: u32,
    },
    /// The points of the next launches.
    SetDomain(Domain),
    /// Runs the program over the domain.
    StartProgram,
    /// Waits until the array is idle.
    WaitForIdle,
    /// The address of the program's ELF image.
    SetInstFmt {
        /// The address of its first byte, a multiple of 2 KiB.
        address: u32,
    },
    /// One input.
    SetInpFmt {
        /// 0 to 15.
        index: u8,
        /// Its address, layout and height.
        surface: SurfaceFormat,
    },
    /// One output.
    SetOutFmt {
        /// 0 to 3.
        index: u8,
        /// Its address, layout and height.
        surface: SurfaceFormat,
    },
    /// The conditional output buffer.
    SetCondOutFmt(SurfaceFormat),
    /// The float constants.
    SetConstfFmt(ConstantFormat),
    /// The integer constants.
    SetConstiFmt(ConstantFormat),
    /// The boolean constants.
    SetConstbFmt(ConstantFormat),
    /// Invalidates the instruction cache.
    InvInstCache,
    /// Invalidates the float constant cache.
    InvConstfCache,
    /// Invalidates the integer constant cache.
    InvConstiCache,
    /// Invalidates the boolean constant cache.
    InvConstbCache,
    /// Invalidates the conditional output cache.
    InvCondOutCache,
    /// Invalidates the input cache.
    InvInpCache,
    /// Flushes the output cache.
    FlushOutCache,
    /// Flushes the conditional output cache.
    FlushCondOutCache,
    /// Which channels of the outputs are written.
    SetOutMask {
        /// Bit n for channel n.
        mask: u8,
    },
    /// Whether the conditional buffer is written.
    SetCondOutMask {
        /// Bit 0.
        write: bool,
    },
    /// The condition.
    SetCondTest(Test),
    /// Which unit the condition tests.
    SetCondLoc(Location),
    /// The interpolants of the next launches.
    SetParams {
        /// Address of the three vertices, a multiple of 2 KiB.
        address: u32,
    },
}

impl Command {
    /// The command's code in the table.
    pub fn opcode(&self) -> Opcode {
        match self {
            Command::InitPerfCounters { .. } => Opcode::InitPerfCounters,
            Command::StartPerfCounters => Opcode::StartPerfCounters,
            Command::StopPerfCounters => Opcode::StopPerfCounters,
            Command::ReadPerfCounters { .. } => Opcode::ReadPerfCounters,
            Command::SetCondVal { .. } => Opcode::SetCondVal,
            Command::SetDomain(_) => Opcode::SetDomain,
            Command::StartProgram => Opcode::StartProgram,
            Command::WaitForIdle => Opcode::WaitForIdle,
            Command::SetInstFmt { .. } => Opcode::SetInstFmt,
            Command::SetInpFmt { .. } => Opcode::SetInpFmt,
            Command::SetOutFmt { .. } => Opcode::SetOutFmt,
            Command::SetCondOutFmt(_) => Opcode::SetCondOutFmt,
            Command::SetConstfFmt(_) => Opcode::SetConstfFmt,
            Command::SetConstiFmt(_) => Opcode::SetConstiFmt,
            Command::SetConstbFmt(_) => Opcode::SetConstbFmt,
            Command::InvInstCache => Opcode::InvInstCache,
            Command::InvConstfCache => Opcode::InvConstfCache,
            Command::InvConstiCache => Opcode::InvConstiCache,
            Command::InvConstbCache => Opcode::InvConstbCache,
            Command::InvCondOutCache => Opcode::InvCondOutCache,
            Command::InvInpCache => Opcode::InvInpCache,
            Command::FlushOutCache => Opcode::FlushOutCache,
            Command::FlushCondOutCache => Opcode::FlushCondOutCache,
            Command::SetOutMask { .. } => Opcode::SetOutMask,
            Command::SetCondOutMask { .. } => Opcode::SetCondOutMask,
            Command::SetCondTest(_) => Opcode::SetCondTest,
            Command::SetCondLoc(_) => Opcode::SetCondLoc,
            Command::SetParams { .. } => Opcode::SetParams,
        }
    }
}

#[cfg(test)]
mod tests;
