//! Measuring engines: built-in workloads, repeated runs of a job, what a graphics card would need.
//!
//! * `workloads`: programs that each strain one thing, as jobs of any size.
//! * `runs`: a job whose memory stays, so that its launches can run again and again, and the
//!   figures of many runs.
//! * `batch`: many small launches at once.
//! * `card`: the card that such programs were written for, to compare with.
//!
//! `ctm bench` and the programs in `benches/` are both made of these. Nothing here knows how an
//! engine works.

mod batch;
mod runs;
mod workloads;

#[cfg(test)]
mod tests;

pub use batch::{Batch, batch_source};
pub use runs::{Bench, BenchError, Figures, Resident, Work};
pub use workloads::{WORKLOADS, Workload};
