//! Bytes and text to programs and back. It knows no memory and no engines.

pub mod asm;
pub mod elf;
pub mod load;
pub mod program;
pub mod ps;
pub mod raw;
