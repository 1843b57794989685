//! The device: a PE that executes command buffers, and a queue in front of it.
//!
//! This module knows what commands do. It knows engines only through [`Engine`](crate::engine::Engine), and
//! file formats only through [`ProgramLoader`].
//!
//! There are two ways to use the machine:
//! * [`Device`]: asynchronous, like the original driver: write memory, submit command buffers,
//!   wait. [`Pe`] is its core, for callers that execute commands in their own thread.
//! * Without commands: make a [`Launch`](crate::launch::Launch), pass it to an engine with a
//!   [`Memory`](crate::memory::Memory), and read the result with [`read_array`](crate::memory::read_array).
//!
//! `examples/embed.rs` shows both.

mod client;
mod coherence;
mod constants;
mod counters;
mod handle;
mod interpolants;
mod loader;
mod pe;
mod pieces;
mod queue;
mod recorder;
mod report;
mod submission;
#[cfg(test)]
mod testing;

pub use client::ClientMemory;
pub use counters::{Clocks, Counters, PARTS, active_clocks};
pub use handle::{Device, DeviceConfig, Inherited, OpenError};
pub use interpolants::{DegenerateError, PARAMS_BYTES, Vertex, planes};
pub use loader::{ElfLoader, LoadError, ProgramLoader};
pub use pe::{Context, Pe, State};
pub use pieces::{Iter as PiecesIter, Piece, Pieces};
pub use queue::{SubmitError, SubmitId, WaitError};
pub use recorder::{Recorder, Submitted, What, Written};
pub use report::{
    CommandFaults, DeviceError, Hazard, Incoherence, IncoherenceKind, MAX_LISTED, Position,
    StartError, SubmissionReport, Warning,
};
