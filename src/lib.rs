//! An emulator of ATI's "Close To the Metal" (CTM, 2006) Data Parallel Processor.
//!
//! The crates of the workspace form floors (docs/architecture.md); this one shows them as one library.

pub use ctm_base::{files, panics, random, text};
#[cfg(feature = "compiler")]
pub use ctm_compiler as compiler;
pub use ctm_engine as engine;
pub use ctm_fuzz::crosscheck;
#[cfg(feature = "compiler")]
pub use ctm_fuzz::shaders;
pub use ctm_inspect::{check, debug, profile};
pub use ctm_isa::{float, isa, ops};
pub use ctm_jobs::{array, job, load};
pub use ctm_lang::{asm, elf, program, ps, raw};
pub use ctm_machine::{command, device, launch, lower, memory, record};
#[cfg(feature = "compiler")]
pub use ctm_tools::explain;
pub use ctm_tools::{bench, card, facts, mesa, tracing, witness};

// A page has no C library to share memory with.
#[cfg(not(all(target_arch = "wasm32", target_os = "unknown")))]
pub mod capi;
