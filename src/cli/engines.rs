//! The engines that `--engine` knows.

use anyhow::bail;
use ctm::engine::block::Block;
use ctm::engine::reference::{Reference, Trace};
use ctm::engine::{Engine, LaunchError, Outcome, Progress};
use ctm::launch::Launch;
use ctm::memory::Memory;
use std::io::Write;

/// Their names, the default first.
pub const NAMES: [&str; 3] = ["auto", "reference", "block"];

/// The engine with a name that clap has checked.
pub fn engine(name: &str) -> anyhow::Result<Box<dyn Engine>> {
    match name {
        "reference" => Ok(Box::new(Reference::new())),
        "auto" | "block" => Ok(Box::new(Block::new())),
        other => bail!("there is no engine \"{other}\""),
    }
}

/// The names of all engines that this machine has; the first is the reference.
pub fn all() -> Vec<&'static str> {
    NAMES[1..].to_vec()
}

/// Engines from the list that `--engine` takes: names with commas between them.
pub fn listed(names: &[String]) -> anyhow::Result<Vec<Box<dyn Engine>>> {
    let known = &NAMES[1..];
    for (n, name) in names.iter().enumerate() {
        if !known.contains(&name.as_str()) {
            bail!(
                "--engine: there is no engine \"{name}\"; the engines are {}",
                known.join(", ")
            );
        }
        if names[..n].contains(name) {
            bail!("--engine: {name} is given twice");
        }
    }
    names.iter().map(|name| engine(name)).collect()
}

/// The reference engine, printing each instruction of one point: on standard output, or on
/// standard error where that is for JSON.
pub fn tracing(point: (u32, u32), to_stderr: bool) -> Box<dyn Engine> {
    Box::new(Tracing { point, to_stderr })
}

struct Tracing {
    point: (u32, u32),
    to_stderr: bool,
}

impl Engine for Tracing {
    fn name(&self) -> &'static str {
        Reference::new().name()
    }

    fn run(
        &self,
        launch: &Launch,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let print = |line: &str| {
            // Nobody reads on: no reason to stop the run.
            let _ = if self.to_stderr {
                writeln!(std::io::stderr(), "{line}")
            } else {
                writeln!(std::io::stdout(), "{line}")
            };
        };
        let mut trace = Trace::new(self.point, ctm::asm::line, print);
        Reference::new().run_observed(launch, memory, progress, &mut trace)
    }
}
