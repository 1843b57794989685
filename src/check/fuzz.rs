//! Many generated programs on all cores.

use super::case::Case;
use super::compare::{CompareError, Ran, compare_launch, run_guarded, run_on};
use super::count::{Counts, Watch};
use super::difference::Difference;
use super::generate::{Strength, generate};
use crate::engine::reference::Reference;
use crate::engine::{Engine, NoProgress};
use rayon::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// What a fuzz run is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The seed of all programs.
    pub seed: u64,
    /// The first index.
    pub first: u64,
    /// How many programs.
    pub count: u64,
    /// One strength only; `None`: all, mixed.
    pub strength: Option<Strength>,
    /// When to stop before all are done.
    pub time: Option<Duration>,
}

/// A program that shows a difference.
#[derive(Clone, Debug)]
pub struct Found {
    /// The program as it was generated.
    pub case: Case,
    /// What differs.
    pub difference: Difference,
}

/// Told how a fuzz run goes. Calls come from any thread.
pub trait Listener: Sync {
    /// `done` programs have run.
    fn progress(&self, _done: u64) {}
    /// A program shows a difference; whether to go on.
    fn found(&self, found: Found) -> bool;
}

/// Runs programs on the reference engine and on each of `engines`, and compares.
///
/// # Errors
/// No engine to compare with, or no memory.
pub fn run(
    options: &Options,
    engines: &[&dyn Engine],
    listener: &dyn Listener,
) -> Result<Counts, CompareError> {
    if engines.is_empty() {
        return Err(CompareError::TooFew { found: 1 });
    }
    let started = Instant::now();
    let stop = AtomicBool::new(false);
    let done = AtomicU64::new(0);
    let error = Mutex::new(None);
    let counts = (options.first..options.first.saturating_add(options.count))
        .into_par_iter()
        .fold(Counts::default, |mut counts, index| {
            let late = options.time.is_some_and(|time| started.elapsed() >= time);
            if late || stop.load(Ordering::Relaxed) {
                return counts;
            }
            let strength = options.strength.unwrap_or(Strength::of_index(index));
            let case = generate(options.seed, strength, index);
            match check(&case, engines, &mut counts) {
                Ok(None) => {}
                Ok(Some(difference)) => {
                    if !listener.found(Found { case, difference }) {
                        stop.store(true, Ordering::Relaxed);
                    }
                }
                Err(problem) => {
                    stop.store(true, Ordering::Relaxed);
                    if let Ok(mut error) = error.lock() {
                        error.get_or_insert(problem);
                    }
                }
            }
            listener.progress(done.fetch_add(1, Ordering::Relaxed) + 1);
            counts
        })
        .reduce(Counts::default, Counts::merged);
    match error.into_inner() {
        Ok(Some(error)) => Err(error),
        _ => Ok(counts),
    }
}

/// Runs one case on the reference engine and on each of `engines`.
///
/// # Errors
/// No memory.
pub fn check(
    case: &Case,
    engines: &[&dyn Engine],
    counts: &mut Counts,
) -> Result<Option<Difference>, CompareError> {
    let mut launch = case.launch.clone();
    launch.statistics = true;
    let reference = Reference::new();
    let mut memory = case.memory()?;
    let mut watch = Watch::new();
    let ran = run_guarded(|| reference.run_observed(&launch, &mut memory, &NoProgress, &mut watch));
    counts.programs[case.strength as usize] += 1;
    let outcome = match &ran {
        Ran::Done(outcome) => Some(outcome),
        _ => None,
    };
    counts.add(&launch, &watch, outcome);
    let mut results = vec![(reference.name(), ran, memory)];
    for engine in engines {
        let mut memory = case.memory()?;
        let ran = run_on(*engine, &launch, &mut memory);
        results.push((engine.name(), ran, memory));
    }
    Ok(compare_launch(0, &launch, &results, || case.memory().ok()))
}
