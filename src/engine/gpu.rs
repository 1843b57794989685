//! The processor array on a GPU, through wgpu: the interpreter, and programs translated to shaders.
//!
//! The rooms, from the ground up; each imports only those before it. docs/gpu.md explains the design.
//!
//! * [`device`]: adapters, connections, errors, buffers and their way back to the host.
//! * [`abi`]: the structs and numbers that host and shaders share.
//! * [`memory`]: the bytes of a memory in GPU buffers. It knows no programs.
//! * [`shader`]: the texts of shaders, their variants and pipelines, and the translator.
//! * [`probe`]: which guards the adapter's arithmetic needs.
//! * `run`: launches: sessions, batches, and the executor that dispatches them.

pub mod abi;
pub mod device;
pub mod memory;
pub mod probe;
mod run;
pub mod shader;

pub use device::adapter::{AdapterChoice, AdapterInfo, AdapterKind, Adapters};
pub use device::connection::Gpu;
pub use device::error::GpuError;
pub use run::engines::Translated;
pub use run::interpreter::Interpreter;
