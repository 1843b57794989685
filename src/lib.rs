//! An emulator of ATI's "Close To the Metal" (CTM, 2006) Data Parallel Processor.
//!
//! The modules form floors; each imports only lower ones (docs/architecture.md).

pub mod array;
pub mod asm;
pub mod bench;
pub mod capi;
pub mod check;
pub mod command;
pub mod device;
pub mod elf;
pub mod engine;
pub mod float;
pub mod isa;
pub mod job;
pub mod launch;
pub mod load;
pub mod lower;
pub mod memory;
pub mod ops;
pub mod program;
pub mod ps;
pub mod raw;
#[cfg(test)]
mod testing;
