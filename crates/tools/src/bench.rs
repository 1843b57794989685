//! Measures engines: built-in workloads, repeated runs of a job, comparison with a graphics card.
//!
//! * `workloads`: programs that each stress one thing, as jobs of any size.
//! * `runs`: a job whose memory stays, so that its launches can run repeatedly, and the figures of
//!   many runs.
//! * `many`: many small launches at once.
//! * `peak`: what a machine does at best.
//!
//! The card to compare with is in [`ctm_machine::engine::card`]. Both `ctm bench` and the programs in
//! `benches/` use this module. It does not know how an engine works.

mod many;
mod peak;
mod runs;
mod workloads;

#[cfg(test)]
mod tests;

pub use many::{Batch, batch_source};
pub use peak::Peak;
pub use runs::{Bench, BenchError, Figures, Measured, Resident, Sampling, Time, Work, filling};
pub use workloads::{WORKLOADS, Workload};
