//! What a run of a job gave.

use crate::array::Raster;
use crate::engine::card::CardTime;
use crate::engine::{Chosen, Faults, Statistics};
use crate::launch::FloatMode;
use crate::memory::{Memory, MemoryError, Surface, array};
use std::time::Duration;

/// Where the time of a run went.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seconds {
    /// Loading and verifying programs.
    pub compile: Duration,
    /// Making memory and storing arrays in it.
    pub upload: Duration,
    /// Launches.
    pub execute: Duration,
    /// Reading arrays back and writing files.
    pub readback: Duration,
}

impl Seconds {
    /// All of it.
    pub fn total(&self) -> Duration {
        self.compile + self.upload + self.execute + self.readback
    }
}

/// What a run gave.
#[derive(Debug)]
pub struct JobResult {
    /// Name of the engine; of one that left all launches to the block engine, "block".
    pub engine: &'static str,
    /// Its adapter, if it has one and something ran there.
    pub adapter: Option<String>,
    /// What ran the launches and why, of an engine that consists of several: in the order in which
    /// they came first. Launches of the same engine and the same kind of reason are together.
    pub ran: Vec<Ran>,
    /// The arithmetic used.
    pub mode: FloatMode,
    /// Launches.
    pub launches: u64,
    /// Points of all launches together: those covered at the start, as statistics count them, if
    /// they are kept; else those of the domains, which are more where a condition at the PE refuses
    /// some.
    pub points: u64,
    /// Groups that ran.
    pub groups: u64,
    /// Counters of all launches together; `None` if none were asked for, or if the engine keeps none.
    pub statistics: Option<Statistics>,
    /// Clocks that the performance counters would call active, by their model; as `statistics`.
    pub clocks: Option<u64>,
    /// The least time of an X1900 XTX; as `statistics`.
    pub card: Option<CardTime>,
    /// Faults of all launches together; the first of each code is that of the first launch that
    /// had it.
    pub faults: Faults,
    /// Hazards, each once.
    pub hazards: Vec<String>,
    /// Warnings of the job.
    pub warnings: Vec<String>,
    /// Where the time went.
    pub seconds: Seconds,
    /// The memory as the last launch left it.
    pub memory: Memory,
    /// The surface that each name (index of [`Job::buffers`](super::Job::buffers)) is bound to at the end.
    pub surfaces: Vec<Surface>,
}

/// Launches that ran on the same engine for the same kind of reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The engine, the kind of reason, and the reason of the first of them.
    pub chosen: Chosen,
    /// How many there are.
    pub launches: u64,
    /// The first of them, counted from 0.
    pub first: u64,
}

impl Ran {
    /// A human-readable line: "block ran 10 launches from launch 0 on (no GPU here)".
    pub fn text(&self) -> String {
        let launches = match self.launches {
            1 => format!("launch {}", self.first),
            n => format!("{n} launches from launch {} on", self.first),
        };
        let Chosen { engine, reason, .. } = &self.chosen;
        format!("{engine} ran {launches} ({reason})")
    }

    /// Adds launches to those of a list that ran like them.
    pub fn add_to(self, list: &mut Vec<Ran>) {
        let like = |one: &&mut Ran| {
            one.chosen.engine == self.chosen.engine && one.chosen.kind == self.chosen.kind
        };
        match list.iter_mut().find(like) {
            Some(one) => one.launches += self.launches,
            None => list.push(self),
        }
    }
}

impl JobResult {
    /// The final contents of a name (index of [`Job::buffers`](super::Job::buffers)).
    ///
    /// # Errors
    /// None for a job that has run; what memory says otherwise.
    pub fn raster(&self, buffer: usize) -> Result<Raster, MemoryError> {
        let surface = &self.surfaces[buffer];
        let (width, height) = (surface.width, surface.height);
        Ok(Raster {
            format: surface.format,
            width,
            height,
            units: array::read_array(&self.memory, surface, width, height)?,
        })
    }

    /// Point-instructions per second of execution, if statistics were kept.
    pub fn pi_per_second(&self) -> Option<f64> {
        let seconds = self.seconds.execute.as_secs_f64();
        let lanes = self.statistics?.lane_instructions as f64;
        Some(if seconds > 0.0 { lanes / seconds } else { 0.0 })
    }
}
