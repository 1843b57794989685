//! An emulator of ATI's "Close To the Metal" (CTM, 2006) Data Parallel Processor.
//!
//! The modules form floors; each imports only lower ones (docs/architecture.md).

// wgpu's types are deep; the compiler proves that engines which hold them are Sync.
#![recursion_limit = "256"]

#[macro_use]
mod named;

pub mod array;
pub mod asm;
pub mod bench;
pub mod capi;
pub mod check;
pub mod command;
pub mod debug;
pub mod device;
pub mod diagnose;
pub mod elf;
pub mod engine;
pub mod files;
pub mod float;
pub mod isa;
pub mod job;
pub mod launch;
pub mod load;
pub mod lower;
pub mod memory;
pub mod mesa;
pub mod ops;
pub mod profile;
pub mod program;
pub mod ps;
pub mod raw;
pub mod record;
#[cfg(test)]
mod testing;
pub mod text;
