//! Engines: those on the CPU, those on a GPU, and how they are opened by name.

mod open;

pub use ctm_machine::engine::*;
pub use open::{EngineError, open, runs_on_cpu};

#[cfg(feature = "gpu")]
pub use ctm_gpu::{self as gpu, auto};
