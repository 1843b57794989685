//! The result of a job's run.

use super::{Job, Results, sharing};
use crate::array::picture::Picture;
use crate::array::{Array, Dtype, Raster};
use ctm_lang::program::Image;
use ctm_machine::engine::card::CardTime;
use ctm_machine::engine::{Fault, FaultCode, Faults, Statistics, Why};
use ctm_machine::launch::{FloatMode, Limits, Shared};
use ctm_machine::memory::{Memory, MemoryError, Surface};
use std::collections::BTreeMap;
use std::ops::Add;
use std::time::Duration;

/// The time of a run, by activity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seconds {
    /// Loading and verifying programs; compiling shaders. `None`: nothing measured it.
    pub compile: Option<Duration>,
    /// Allocating memory and storing arrays in it; uploads to a GPU.
    pub upload: Duration,
    /// Launches.
    pub execute: Duration,
    /// The work of a GPU, by its own clock, as it went on beside all of these. `None`: nothing measured it.
    pub gpu: Option<Duration>,
    /// Bringing results from a GPU; reading arrays and writing files.
    pub readback: Duration,
}

impl Seconds {
    /// The sum of all that was measured by the host's clock.
    pub fn total(&self) -> Duration {
        self.compile.unwrap_or_default() + self.upload + self.execute + self.readback
    }
}

/// The sum of two times; `None` if neither was measured.
pub fn measured(a: Option<Duration>, b: Option<Duration>) -> Option<Duration> {
    a.into_iter().chain(b).reduce(Add::add)
}

/// The result of a run.
#[derive(Debug)]
pub struct JobResult {
    /// Name of the engine; "block" if it left all launches to the block engine.
    pub engine: &'static str,
    /// Its adapter, if it has one and a launch ran there.
    pub adapter: Option<String>,
    /// The engines that ran the launches and the reasons, if the engine chooses among several. In
    /// the order of first use; launches with the same engine and kind of reason are combined.
    pub ran: Vec<Share>,
    /// The arithmetic used.
    pub mode: FloatMode,
    /// The limits of each group.
    pub limits: Limits,
    /// The number of launches.
    pub launches: u64,
    /// Points covered at the start of their group, over all launches. They are fewer than the
    /// points of the domains if a condition at the PE refuses some.
    pub points: u64,
    /// Groups that ran.
    pub groups: u64,
    /// Sums of the counters of all launches; `None` if the caller asked for none, or the engine
    /// keeps none.
    pub statistics: Option<Statistics>,
    /// Active clocks by the model of the performance counters; `None` as for `statistics`.
    pub clocks: Option<u64>,
    /// The least time of an X1900 XTX; `None` as for `statistics`.
    pub card: Option<CardTime>,
    /// Faults of all launches. The first fault of a code is that of the first launch with that
    /// code.
    pub faults: Faults,
    /// The launch, counted from 0, of each code's first fault.
    pub faulted: BTreeMap<FaultCode, u64>,
    /// Hazards, without duplicates.
    pub hazards: Vec<String>,
    /// Warnings of the job.
    pub warnings: Vec<String>,
    /// The time of the run.
    pub seconds: Seconds,
    /// The memory as the last launch left it.
    pub memory: Memory,
    /// The shared registers after the last launch, if a program uses data sharing.
    pub shared: Option<Shared>,
    /// The pictures of each buffer along the way, if its file has them.
    pub frames: Vec<Vec<Picture>>,
    /// The surface that each name (index of [`Job::buffers`](super::Job::buffers)) is bound to at
    /// the end.
    pub surfaces: Vec<Surface>,
}

/// Launches that ran on the same engine for the same kind of reason.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Share {
    /// The engine.
    pub engine: &'static str,
    /// The kind of reason, and the first launch's reason.
    #[serde(flatten)]
    pub why: Why,
    /// The number of launches.
    pub launches: u64,
    /// The first launch, counted from 0.
    pub first: u64,
}

impl Share {
    /// A human-readable line: "block ran 10 launches from launch 0 on (no GPU here)".
    pub fn text(&self) -> String {
        let launches = match self.launches {
            1 => format!("launch {}", self.first),
            n => format!("{n} launches from launch {} on", self.first),
        };
        format!("{} ran {launches} ({})", self.engine, self.why.reason)
    }

    /// Adds these launches to the entry of a list with the same engine and kind, or appends them.
    pub fn add_to(self, list: &mut Vec<Share>) {
        let like = |one: &&mut Share| (one.engine, one.why.kind) == (self.engine, self.why.kind);
        match list.iter_mut().find(like) {
            Some(one) => one.launches += self.launches,
            None => list.push(self),
        }
    }
}

/// A fault of a job.
#[derive(Clone, Debug)]
pub struct JobFault<'a> {
    /// The code.
    pub code: FaultCode,
    /// The fault.
    pub fault: Fault,
    /// The pass of the first fault, counted from 0.
    pub pass: usize,
    /// Instructions that its group might run.
    pub budget: u64,
    /// The pass in the job file, such as `pass[1]`; `None` if the job has only one.
    pub key: Option<&'a str>,
    /// The program of that pass.
    pub image: &'a Image,
}

impl JobFault<'_> {
    /// One human-readable line: what, how often, and where first: point, pc, place in the source,
    /// pass.
    pub fn text(&self) -> String {
        let text = self.fault.text_within(self.code, self.image, self.budget);
        self.key.map_or(text.clone(), |key| format!("{text} in {key}"))
    }
}

impl JobResult {
    /// The faults, in the order of their codes.
    pub fn job_faults<'a>(&self, job: &'a Job) -> Vec<JobFault<'a>> {
        let of = |(code, fault): (FaultCode, &Fault)| {
            let launch = self.faulted.get(&code).copied().unwrap_or_default();
            let pass = job.pass_of(launch).map_or(0, |(pass, _)| pass);
            let at = &job.passes[pass];
            let key = (job.passes.len() > 1).then_some(at.location.key.as_str());
            let (budget, image) = (self.limits.instructions, at.program.image());
            JobFault { code, fault: *fault, pass, budget, key, image }
        };
        self.faults.iter().map(of).collect()
    }

    /// The final contents of a name (index of [`Job::buffers`](super::Job::buffers)).
    ///
    /// # Errors
    /// If memory cannot be read; this cannot happen for a job that has run.
    pub fn raster(&self, buffer: usize) -> Result<Raster, MemoryError> {
        let surface = &self.surfaces[buffer];
        Raster::read(&self.memory, surface, surface.width, surface.height)
    }

    /// An array that the job leaves.
    ///
    /// # Errors
    /// As [`JobResult::raster`].
    pub fn array(&self, of: Results) -> Result<Array, MemoryError> {
        match (of, &self.shared) {
            (Results::Buffer(buffer), _) => Ok(self.raster(buffer)?.into_array()),
            (Results::Shared, Some(registers)) => Ok(sharing::array(registers)),
            // No job without registers looks at them.
            (Results::Shared, None) => {
                Ok(Array { dtype: Dtype::Float32, shape: vec![0], units: Vec::new() })
            }
        }
    }

    /// Point-instructions per second of execution, if statistics were kept and the clock saw the execution.
    pub fn pi_per_second(&self) -> Option<f64> {
        let seconds = self.seconds.execute.as_secs_f64();
        let lanes = self.statistics?.lane_instructions as f64;
        (seconds > 0.0).then(|| lanes / seconds)
    }
}
