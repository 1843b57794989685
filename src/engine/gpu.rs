//! The processor array on a GPU, through wgpu.
//!
//! PLACEHOLDER: only the adapter is opened; the interpreter takes the place of this file.

use super::{Engine, LaunchError, Outcome, Progress};
use crate::launch::Launch;
use crate::memory::Memory;

pub mod adapter;
pub mod cache;
pub mod connection;
pub mod error;
pub mod translate;

pub use adapter::{AdapterChoice, AdapterInfo, Adapters};
pub use connection::Gpu;
pub use error::GpuError;

/// The interpreter on the GPU.
pub struct Interpreter {
    gpu: Gpu,
}

impl Interpreter {
    /// Opens the adapter.
    ///
    /// # Errors
    /// When there is no such adapter or it cannot be used.
    pub fn open(choice: &AdapterChoice) -> Result<Interpreter, GpuError> {
        let gpu = Gpu::open(choice)?;
        Ok(Interpreter { gpu })
    }
}

impl Engine for Interpreter {
    fn name(&self) -> &'static str {
        "interpreter"
    }

    fn adapter(&self) -> Option<String> {
        Some(self.gpu.info.name.clone())
    }

    fn run(&self, _: &Launch, _: &mut Memory, _: &dyn Progress) -> Result<Outcome, LaunchError> {
        Err(LaunchError::Unsupported {
            engine: self.name(),
            reason: "it is not built yet".into(),
        })
    }
}
