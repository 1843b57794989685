//! Launches on a GPU. A session or a batch decides how each launch runs and hands it to the executor.

mod batch;
pub mod engines;
mod executor;
pub mod interpreter;
mod lane;
pub mod probe;
mod session;
mod ticket;
