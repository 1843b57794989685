//! The instruction set of the DPP (that of the R5xx fragment processor), defined once.
//!
//! [`table`] lists every field of the eleven instruction words. [`codes`] lists the opcodes and the
//! other enumerations. [`instruction`] is the decoded form of six words. [`usage`] computes which
//! parts of an instruction have an effect, [`access`] what it reads and writes. This module knows nothing
//! about programs, memory or engines.

#[macro_use]
mod layout;
pub mod access;
pub mod codes;
pub mod instruction;
mod place;
pub mod table;
mod temps;
pub mod usage;

pub use access::{Access, Read, SourcesRead, To, Whose, Write, reads, writes};
pub use codes::*;
pub use instruction::*;
pub use place::Place;
pub use table::{Field, Word};
pub use temps::Temps;
pub use usage::Usage;

/// The letters of channels 0 to 3.
pub const LETTERS: [char; 4] = ['r', 'g', 'b', 'a'];

/// The channels of a mask, 0 R to 3 A.
pub fn channels(mask: u8) -> impl Iterator<Item = usize> {
    (0..4).filter(move |channel| mask >> channel & 1 != 0)
}

/// The letters of the channels of a mask.
pub fn letters(mask: u8) -> String {
    channels(mask).map(|channel| LETTERS[channel]).collect()
}
/// Instruction slots of a program \[A; G 23\].
pub const MAX_INSTRUCTIONS: usize = 512;
/// Temporary registers of a point \[A\].
pub const TEMPORARIES: usize = 128;
/// Float constants, four channels each \[A\].
pub const FLOAT_CONSTANTS: usize = 256;
/// Integer constants \[A; G 38\].
pub const INT_CONSTANTS: usize = 32;
/// Boolean constants \[A; G 37\].
pub const BOOL_CONSTANTS: usize = 32;
/// Inputs \[A\].
pub const INPUTS: usize = 16;
/// Output registers A to D \[A\].
pub const OUTPUTS: usize = 4;
/// Entries of the address stack, and frames of the loop stack (not documented; our decision).
pub const STACK_DEPTH: usize = 32;
/// A branch counter that reaches this faults (the deepest nesting that compilers use is 32 \[M\]).
pub const BRANCH_LIMIT: u32 = 32;
