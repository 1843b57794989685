//! Many jobs at once, through the engine's batches.

use super::error::{JobError, Problem};
use super::result::Seconds;
use super::run::{Room, RunOptions, Tally};
use super::{Job, JobResult};
use crate::engine::{BatchItem, BatchProgress, Chosen, Engine, LaunchError, Outcome};
use crate::launch::Launch;
use crate::memory::{Memory, Surface};
use rayon::prelude::*;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Runs jobs side by side; the results, in the order of the jobs, are those that [`Job::run`]
/// gives each of them by itself.
///
/// The first launches of all jobs are one batch for the engine, then the second launches of those
/// that have more, and so on. Each job has memory of its own, for its buffers and no larger, all
/// of it at the same time: hand over no more jobs than fit. A job's execution time is its share of
/// the time of the batches that it took part in. `progress` is told of launches.
///
/// # Errors
/// As [`Job::run`], for each job by itself: none spoils another.
pub fn run_all(
    jobs: &[Job],
    engine: &dyn Engine,
    options: &RunOptions,
    progress: &dyn BatchProgress,
) -> Vec<Result<JobResult, JobError>> {
    let mut runs: Vec<Result<Running, JobError>> =
        jobs.par_iter().map(|job| Running::new(job, options)).collect();
    let mut told = Launches {
        progress,
        before: 0,
        total: jobs.iter().map(Job::launches).sum(),
        chosen: Mutex::default(),
    };
    loop {
        let mut active: Vec<&mut Running> =
            runs.iter_mut().flatten().filter_map(|run| run.set().then_some(run)).collect();
        if active.is_empty() {
            break;
        }
        let mut items: Vec<BatchItem> = active
            .iter_mut()
            .map(|run| BatchItem { launch: &run.state, memory: &mut run.memory })
            .collect();
        let started = Instant::now();
        let mut outcomes = engine.run_batch(&mut items, &told).into_iter();
        let count = active.len();
        let share = started.elapsed() / u32::try_from(count).unwrap_or(u32::MAX);
        let mut chosen = std::mem::take(told.chosen.get_mut().unwrap_or_else(|e| e.into_inner()));
        for (n, run) in active.into_iter().enumerate() {
            run.take(outcomes.next(), chosen.remove(&n), share);
        }
        told.before += count as u64;
    }
    runs.into_iter().map(|run| run?.finish(engine, options)).collect()
}

struct Launches<'a> {
    progress: &'a dyn BatchProgress,
    before: u64,
    total: u64,
    /// What ran the items of the batch under way.
    chosen: Mutex<HashMap<usize, Chosen>>,
}

impl BatchProgress for Launches<'_> {
    fn launches(&self, done: u64, _total: u64) {
        self.progress.launches(self.before + done, self.total);
    }

    fn chosen(&self, item: usize, chosen: &Chosen) {
        if let Ok(mut kept) = self.chosen.lock() {
            kept.insert(item, chosen.clone());
        }
    }
}

/// A job between two launches.
struct Running<'j> {
    job: &'j Job,
    memory: Memory,
    surfaces: Vec<Surface>,
    /// The device's state; that of the next launch after [`Running::set`].
    state: Launch,
    /// Pass and repetition of the next launch.
    pass: usize,
    repetition: u32,
    tally: Tally,
    error: Option<JobError>,
    upload: Duration,
    execute: Duration,
}

impl<'j> Running<'j> {
    fn new(job: &'j Job, options: &RunOptions) -> Result<Running<'j>, JobError> {
        let started = Instant::now();
        let (memory, surfaces) = job.upload(Room::Buffers)?;
        Ok(Running {
            job,
            memory,
            surfaces,
            state: job.first_state(options),
            pass: 0,
            repetition: 0,
            tally: Tally::default(),
            error: None,
            upload: started.elapsed(),
            execute: Duration::ZERO,
        })
    }

    /// Makes the state that of the next launch; `false` if there is none.
    fn set(&mut self) -> bool {
        let Some(pass) = self.job.passes.get(self.pass) else {
            return false;
        };
        if self.error.is_some() {
            return false;
        }
        pass.set(&mut self.state, &self.surfaces);
        true
    }

    /// Takes in what the launch gave.
    fn take(
        &mut self,
        outcome: Option<Result<Outcome, LaunchError>>,
        chosen: Option<Chosen>,
        execute: Duration,
    ) {
        let pass = &self.job.passes[self.pass];
        self.execute += execute;
        match outcome {
            Some(Ok(outcome)) => {
                let number = self.tally.launches;
                self.tally.ran(chosen, number);
                self.tally.hand_over(&self.state);
                self.tally.add(outcome);
            }
            Some(Err(error)) => {
                self.error = Some(self.job.launch_error(pass, self.repetition, &error));
                return;
            }
            None => {
                let problem = Problem::Other("the engine gave no result for it".to_string());
                self.error = Some(self.job.error_at(&pass.place, "", problem));
                return;
            }
        }
        if let Some((a, b)) = pass.swap {
            self.surfaces.swap(a, b);
        }
        self.repetition += 1;
        if self.repetition == pass.repeat {
            self.repetition = 0;
            self.pass += 1;
        }
    }

    fn finish(self, engine: &dyn Engine, options: &RunOptions) -> Result<JobResult, JobError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let seconds = Seconds {
            compile: self.job.compile,
            upload: self.upload,
            execute: self.execute,
            readback: Duration::ZERO,
        };
        let (job, memory, surfaces) = (self.job, self.memory, self.surfaces);
        Ok(self.tally.result(job, engine, options, seconds, memory, surfaces))
    }
}
