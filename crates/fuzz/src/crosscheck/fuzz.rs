//! Runs many generated programs on all cores, in batches: an engine that starts slowly, such as one
//! on a GPU, runs many programs at once.

use super::case::Case;
use super::compare::{CompareError, Ending, Entrant, Run, compare_launch, run_guarded};
use super::count::{Counts, RanOn, Watch};
use super::difference::Difference;
use super::generate::{Strength, generate};
use ctm_base::clock::Instant;
use ctm_base::panics;
use ctm_machine::engine::reference::Reference;
use ctm_machine::engine::{self, BatchItem, Checked, Engine, NoProgress, Stop};
use ctm_machine::launch::{FloatMode, Launch};
use ctm_machine::memory::MemoryError;
use parking_lot::Mutex;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// The most programs in a batch.
const BATCH: u64 = 128;

/// The options of a fuzz run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The seed of all programs.
    pub seed: u64,
    /// The first index.
    pub first: u64,
    /// The number of programs.
    pub count: u64,
    /// The arithmetic: `exact` or `chip`.
    pub mode: FloatMode,
    /// A single strength; `None`: all, mixed.
    pub strength: Option<Strength>,
    /// The time after which no more programs start.
    pub time: Option<Duration>,
    /// Engines whose statistics need a different code path ([`Engine::counts_apart`]) run all
    /// programs without statistics. They run those whose index this divides again, with statistics;
    /// 0: none.
    pub counted: u64,
}

/// A program that shows a difference.
#[derive(Clone, Debug)]
pub struct Found {
    /// The program as it was generated.
    pub case: Case,
    /// The difference.
    pub difference: Difference,
}

/// Receives the progress of a fuzz run. Calls come from any thread.
pub trait Listener: Sync {
    /// `done` programs have run.
    fn progress(&self, _done: u64) {}
    /// A program shows a difference; returns whether to go on.
    fn found(&self, found: Found) -> bool;
}

/// Runs programs on the reference engine and on each of `engines`, and compares them. Engines get
/// the programs in batches ([`Engine::run_batch`]), except that the first of each batch runs alone.
///
/// # Errors
/// No engine to compare with, or one without the mode; no memory.
pub fn run(
    options: &Options,
    engines: &[&dyn Engine],
    listener: &dyn Listener,
) -> Result<Counts, CompareError> {
    if engines.is_empty() {
        return Err(CompareError::TooFew { found: 1 });
    }
    CompareError::of_modes(engines, options.mode)?;
    let started = Instant::now();
    let stop = AtomicBool::new(false);
    let done = AtomicU64::new(0);
    let next = AtomicU64::new(0);
    let error = Mutex::new(None);
    let threads = rayon::current_num_threads() as u64;
    let size = (options.count / (4 * threads)).clamp(1, BATCH);
    let end = options.first.saturating_add(options.count);
    // Batches are taken in order, so that a time limit leaves out only the last ones.
    let worker = |_| {
        let mut counts = Counts::default();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let from = options.first.saturating_add(number.saturating_mul(size));
            let late = options.time.is_some_and(|time| started.elapsed() >= time);
            if late || stop.load(Ordering::Relaxed) || from >= end {
                return counts;
            }
            let strength = |index| options.strength.unwrap_or(Strength::of_index(index));
            let cases: Vec<Case> = (from..from.saturating_add(size).min(end))
                .map(|index| {
                    let mut case = generate(options.seed, strength(index), index);
                    case.launch.mode = options.mode;
                    case
                })
                .collect();
            match check_all(&cases, engines, options.counted, &mut counts) {
                Ok(differences) => {
                    for (case, difference) in cases.iter().zip(differences) {
                        let Some(difference) = difference else {
                            continue;
                        };
                        let case = case.clone();
                        if !listener.found(Found { case, difference }) {
                            stop.store(true, Ordering::Relaxed);
                            break;
                        }
                    }
                }
                Err(problem) => {
                    stop.store(true, Ordering::Relaxed);
                    error.lock().get_or_insert(problem);
                }
            }
            let ran = cases.len() as u64;
            listener.progress(done.fetch_add(ran, Ordering::Relaxed) + ran);
        }
    };
    let counts = (0..threads).into_par_iter().map(worker).reduce(Counts::default, Counts::merged);
    error.into_inner().map_or(Ok(counts), Err)
}

/// Runs cases on the reference engine and on each of `engines`; returns the first difference of
/// each.
/// `counted` as in [`Options`].
///
/// # Errors
/// No memory.
fn check_all(
    cases: &[Case],
    engines: &[&dyn Engine],
    counted: u64,
    counts: &mut Counts,
) -> Result<Vec<Option<Difference>>, CompareError> {
    let reference = Reference::new();
    let entrants: Vec<Entrant> =
        engines.iter().map(|engine| Entrant::new(*engine, !engine.counts_apart())).collect();
    let counting: Vec<Entrant> = engines
        .iter()
        .filter(|engine| engine.counts_apart())
        .map(|engine| Entrant::new(*engine, true))
        .collect();
    let mut launches = Vec::with_capacity(cases.len());
    let mut results = Vec::with_capacity(cases.len());
    for case in cases {
        let mut launch = case.launch.clone();
        launch.statistics = true;
        let mut memory = case.memory()?;
        let mut watch = Watch::new();
        let ran = run_guarded(|| {
            let launch = Checked::new(&launch)?;
            reference.run_observed(&launch, &mut memory, &NoProgress, &mut watch)
        });
        counts.programs[case.strength as usize] += 1;
        let run = Run { name: reference.name(), counts: true, ending: ran, memory };
        counts.add(&launch, &watch, run.outcome());
        launches.push(launch);
        results.push(vec![run]);
    }
    for entrant in entrants.iter().chain(&counting) {
        // All cases, or on the second pass only those that also run with statistics.
        let again = entrant.counts && entrant.engine.counts_apart();
        let chosen: Vec<usize> = (0..cases.len())
            .filter(|&n| !again || (counted != 0 && cases[n].index.is_multiple_of(counted)))
            .collect();
        let some: Vec<&Case> = chosen.iter().map(|&n| &cases[n]).collect();
        let their_launches: Vec<Launch> = chosen.iter().map(|&n| launches[n].clone()).collect();
        for (n, run) in chosen.into_iter().zip(run_all(entrant, &some, &their_launches)?) {
            // Each program counts once, by its run without statistics.
            if let (false, Some(engine::Ran { engine: on, why: Some(why), .. })) =
                (again, run.outcome().map(|outcome| &outcome.ran))
            {
                let ran_on = RanOn { engine: entrant.engine.name(), on, kind: why.kind };
                *counts.ran.entry(ran_on).or_default() += 1;
            }
            results[n].push(run);
        }
    }
    Ok(cases
        .iter()
        .zip(&launches)
        .zip(&results)
        .map(|((case, launch), runs)| {
            compare_launch(0, launch, runs, Stop::never(), || case.memory().ok())
        })
        .collect())
}

/// Runs launches on one engine: the first alone, the others as a batch.
fn run_all<'e>(
    entrant: &'e Entrant,
    cases: &[&Case],
    launches: &[Launch],
) -> Result<Vec<Run<'e>>, MemoryError> {
    let single = |(case, launch): (&&Case, &Launch)| {
        let mut memory = case.memory()?;
        let ending = entrant.run(launch, &mut memory, Stop::never());
        Ok(entrant.ran(ending, memory))
    };
    let singles = |cases: &[&Case], launches: &[Launch]| {
        cases.iter().zip(launches).map(single).collect::<Result<Vec<_>, MemoryError>>()
    };
    let alone = cases.len().min(1);
    let mut ran = singles(&cases[..alone], &launches[..alone])?;
    let (cases, launches) = (&cases[alone..], &launches[alone..]);
    if cases.is_empty() {
        return Ok(ran);
    }
    let mut launches_of_batch = launches.to_vec();
    for launch in &mut launches_of_batch {
        launch.statistics &= entrant.counts;
    }
    let mut memories = cases.iter().map(|case| case.memory()).collect::<Result<Vec<_>, _>>()?;
    let items = launches_of_batch.iter().zip(&mut memories);
    let mut items: Vec<BatchItem> =
        items.map(|(launch, memory)| BatchItem { launch, memory }).collect();
    match panics::catch(|| entrant.engine.run_batch(&mut items, &NoProgress)) {
        Ok(outcomes) if outcomes.len() == cases.len() => {
            let endings = outcomes.into_iter().map(Ending::of);
            ran.extend(endings.zip(memories).map(|(ending, memory)| entrant.ran(ending, memory)));
        }
        // Running each launch alone shows which one crashes; if none does, the batch is at fault.
        _ => {
            ran.extend(singles(cases, launches)?);
            if !ran.iter().any(|run| matches!(run.ending, Ending::Panicked(_)))
                && let Some(last) = ran.last_mut()
            {
                last.ending =
                    Ending::Panicked("in a batch, but not when each ran on its own".into());
            }
        }
    }
    Ok(ran)
}
