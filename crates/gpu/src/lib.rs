//! The processor array on a GPU, through wgpu: the interpreter, and programs translated to shaders.
//!
//! The modules, from the ground up; each imports only those before it. Texts and encodings are in
//! [`ctm_shade`]. docs/interpreter.md explains the design.
//!
//! * [`device`]: adapters, connections, errors, buffers and their way back to the host.
//! * [`memory`]: the bytes of a memory in GPU buffers. It knows no programs.
//! * [`shader`]: compiled pipelines and translations, and which programs get one.
//! * `run`: launches: the executor that dispatches them, the probe of the adapter's arithmetic
//!   ([`probe`]), sessions and batches.
//! * [`auto`]: the engine that chooses between the CPU and a GPU.

// wgpu's types are deep; the compiler proves that engines which hold them are Sync.
#![recursion_limit = "256"]

pub mod auto;
pub mod device;
pub mod limits;
pub mod memory;
mod run;
pub mod shader;

pub use ctm_machine::engine::GpuError;
pub use ctm_shade::{abi, plan};
pub use device::adapter::{AdapterChoice, AdapterInfo, AdapterKind, Adapters};
pub use device::connection::Gpu;
pub use run::engines::Translated;
pub use run::interpreter::{Interpreter, Tuning};
pub use run::probe;
