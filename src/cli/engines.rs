//! The engines that `--engine` knows.

use anyhow::bail;
use ctm::engine::Engine;

/// Their names, the default first.
pub const NAMES: [&str; 1] = ["reference"];

/// The engine with a name that clap has checked.
pub fn engine(name: &str) -> anyhow::Result<Box<dyn Engine>> {
    bail!("engine {name} is being written")
}

/// The reference engine with an observer that prints each instruction of one point.
pub fn tracing(point: (u32, u32)) -> anyhow::Result<Box<dyn Engine>> {
    bail!("--trace {},{} is being written", point.0, point.1)
}
