//! Engines: those on the CPU, those on a GPU, and how they are opened by name.

mod open;

#[doc(inline)]
pub use ctm_machine::engine::*;
pub use open::{EngineError, open, runs_on_cpu};

#[cfg(feature = "gpu")]
#[doc(inline)]
pub use ctm_gpu::{self as gpu, auto};
