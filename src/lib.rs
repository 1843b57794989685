//! An emulator of ATI's "Close To the Metal" (CTM, 2006) Data Parallel Processor.
//!
//! The modules form floors; each imports only lower ones (docs/architecture.md).

pub mod float;
pub mod isa;
pub mod memory;
pub mod program;
pub mod elf;
pub mod raw;
pub mod asm;
pub mod command;
pub mod launch;
pub mod engine;
pub mod device;
pub mod check;
pub mod job;
