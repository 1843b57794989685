//! Runs launches on several engines and compares all results.
//!
//! It compares all bytes of memory, the faults (count, first point, instruction, number, word of
//! each code), the statistics, and the hazards.
//!
//! # Which memory
//! A job's memory is just large enough for its surfaces. *Every* byte of it is compared, so a stray
//! write cannot hide: there is no memory outside to receive it.

use super::case::Case;
use super::difference::{ChannelDifference, Difference, MemoryDifference, REFUSED, What};
use super::origin;
use ctm_base::panics;
use ctm_isa::isa::LETTERS;
use ctm_jobs::job::{Job, JobError, RunOptions};
use ctm_machine::engine::Checked;
use ctm_machine::engine::checked::{Access, Writer};
use ctm_machine::engine::{Engine, Fault, FaultCode, LaunchError, Outcome, Statistics, Stop};
use ctm_machine::launch::{FloatMode, Globals, LANES, Launch, Shared};
use ctm_machine::memory::{self, Memory, MemoryError};

/// Errors of a comparison that could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// Fewer than two engines.
    #[error("a comparison needs at least two engines, found {found}")]
    TooFew {
        /// The number of engines.
        found: usize,
    },
    /// An engine leaves the launches of a mode to another one.
    #[error(
        "engine {engine} has no mode {mode}: name engines that have it, such as reference,block"
    )]
    NoMode {
        /// The engine.
        engine: &'static str,
        /// The mode.
        mode: FloatMode,
    },
    /// The job cannot be set up, or every engine refused a launch.
    #[error(transparent)]
    Job(#[from] JobError),
    /// The host cannot allocate memory for it.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

impl CompareError {
    /// The refusal of the first engine that does not have a mode.
    pub(super) fn of_modes(engines: &[&dyn Engine], mode: FloatMode) -> Result<(), CompareError> {
        match engines.iter().find(|engine| !engine.computes(mode)) {
            Some(engine) => Err(CompareError::NoMode { engine: engine.name(), mode }),
            None => Ok(()),
        }
    }
}

/// The result of a launch on an engine.
#[derive(Clone, Debug)]
pub(super) enum Ending {
    Done(Outcome),
    Refused(LaunchError),
    /// It crashed with this message.
    Panicked(String),
}

impl Ending {
    /// The end of an engine's run.
    pub(super) fn of(result: Result<Outcome, LaunchError>) -> Ending {
        match result {
            Ok(outcome) => Ending::Done(outcome),
            Err(LaunchError::Panic { panic, .. }) => Ending::Panicked(panic.what()),
            Err(error) => Ending::Refused(error),
        }
    }
}

/// A launch on an engine: its result and its memory.
pub(super) struct Run<'a> {
    /// The name of the [`Entrant`].
    pub name: &'a str,
    /// Whether its statistics are compared.
    pub counts: bool,
    pub ending: Ending,
    pub memory: Memory,
}

impl Run<'_> {
    /// The outcome, if the engine ran the launch.
    pub(super) fn outcome(&self) -> Option<&Outcome> {
        match &self.ending {
            Ending::Done(outcome) => Some(outcome),
            Ending::Refused(_) | Ending::Panicked(_) => None,
        }
    }
}

/// An engine and the code path in which it runs launches.
pub(super) struct Entrant<'a> {
    pub engine: &'a dyn Engine,
    /// Whether this engine keeps statistics for launches that ask for them.
    pub counts: bool,
    /// Its name in differences.
    pub name: String,
}

/// The suffix of an engine's name when it keeps statistics, if it also runs without.
const COUNTING: &str = " with statistics";

/// The name of the engine in a difference.
pub fn engine_name(entrant: &str) -> &str {
    entrant.strip_suffix(COUNTING).unwrap_or(entrant)
}

impl<'a> Entrant<'a> {
    pub(super) fn new(engine: &'a dyn Engine, counts: bool) -> Entrant<'a> {
        let suffix = if counts && engine.counts_apart() { COUNTING } else { "" };
        Entrant { engine, counts, name: format!("{}{suffix}", engine.name()) }
    }

    /// All engines, at least two; those with a different code path for statistics appear in both.
    fn all(engines: &[&'a dyn Engine]) -> Result<Vec<Entrant<'a>>, CompareError> {
        if engines.len() < 2 {
            return Err(CompareError::TooFew { found: engines.len() });
        }
        let ways = |engine: &&'a dyn Engine| {
            let plain = engine.counts_apart().then(|| Entrant::new(*engine, false));
            [Some(Entrant::new(*engine, true)), plain]
        };
        Ok(engines.iter().flat_map(ways).flatten().collect())
    }

    /// A launch of this engine.
    pub(super) fn ran(&self, ending: Ending, memory: Memory) -> Run<'_> {
        Run { name: &self.name, counts: self.counts, ending, memory }
    }

    pub(super) fn run(&self, launch: &Launch, memory: &mut Memory, stop: &Stop) -> Ending {
        if !launch.statistics || self.counts {
            return run_guarded(|| self.engine.run(launch, memory, stop));
        }
        let mut launch = launch.clone();
        launch.statistics = false;
        run_guarded(|| self.engine.run(&launch, memory, stop))
    }
}

/// Runs a launch; a crash of the engine is a valid result here.
pub(super) fn run_guarded(run: impl FnOnce() -> Result<Outcome, LaunchError>) -> Ending {
    panics::catch(run).map_or_else(|panic| Ending::Panicked(panic.what()), Ending::of)
}

/// Compares the results of two engines for one launch, without memory.
fn compare_outcomes(launch: &Launch, first: &Run, second: &Run) -> Option<What> {
    let names = [first.name, second.name];
    let other = |kind, text| Some(What::Other { kind, text });
    // Two values, each with its engine.
    let both = |[a, b]: [String; 2], mid| format!("{}{mid}{a}; {}{mid}{b}", names[0], names[1]);
    let (Some(a), Some(b)) = (first.outcome(), second.outcome()) else {
        for run in [first, second] {
            if let Ending::Panicked(message) = &run.ending {
                return other("panic", format!("engine {} crashed: {message}", run.name));
            }
        }
        let [a, b] = [first, second].map(|run| match &run.ending {
            Ending::Refused(error) => format!("refused it: {error}"),
            Ending::Done(_) | Ending::Panicked(_) => "ran it".to_string(),
        });
        return if a == b { None } else { other(REFUSED, both([a, b], " ")) };
    };
    for code in FaultCode::ALL {
        let faults = [a, b].map(|outcome| outcome.faults.get(code).copied());
        if faults[0] != faults[1] {
            let text = |fault: Option<Fault>| {
                let Some(f) = fault else { return "none".to_string() };
                let place = launch.program.image().source.place(f.pc);
                format!(
                    "{} times, first at point ({}, {}), {place}, after {} instructions, number {}, \
                     word 0x{:08x}",
                    f.count, f.i, f.j, f.order, f.slot, f.word
                )
            };
            let values = both(faults.map(text), ": ");
            return other("fault", format!("fault {}: {values}", code.name()));
        }
    }
    let counted = first.counts && second.counts;
    let statistics = [a, b].map(|outcome| outcome.statistics.filter(|_| counted));
    // Without statistics all counters are absent.
    let counters = Statistics::default().counters().enumerate().map(|(n, (name, _))| {
        let value = |s: Statistics| s.counters().nth(n).map(|(_, value)| value);
        (name, statistics.map(|s| s.and_then(value)))
    });
    // These two are counted even without statistics.
    let always = [("groups", [a.groups, b.groups]), ("points", [a.points, b.points])];
    let always = always.map(|(name, values)| (name, values.map(Some)));
    if let Some((name, values)) = counters.chain(always).find(|(_, [a, b])| a != b) {
        let [a, b] = values.map(|value| value.map_or("none".to_string(), |v| v.to_string()));
        let text = format!("statistics: {name}: {} {a}, {} {b}", names[0], names[1]);
        return other("statistics", text);
    }
    if let (Some(before), Some(a), Some(b)) = (&launch.shared, &a.shared, &b.shared)
        && let Some((place, [a, b])) = compare_registers(before, a, b)
    {
        let [a, b] = [a, b].map(|bits| format!("{} (0x{bits:08x})", f32::from_bits(bits)));
        return other("registers", format!("{place}: {} {a}, {} {b}", names[0], names[1]));
    }
    if a.hazards == b.hazards {
        return None;
    }
    let text = |hazards: &Vec<String>| match hazards.len() {
        0 => "none".to_string(),
        _ => hazards.join("; "),
    };
    other("hazards", format!("hazards: {}", both([&a.hazards, &b.hazards].map(text), ": ")))
}

/// The first channel of a global register that differs, and its bits.
fn compare_registers(registers: &Shared, a: &Globals, b: &Globals) -> Option<(String, [u32; 2])> {
    let mut channels = a.as_flattened().iter().zip(b.as_flattened()).enumerate();
    let (at, (&a, &b)) = channels.find(|(_, (a, b))| a != b)?;
    let (lane, globals) = (at / 4, registers.sharing.globals());
    let (simd, register) = (lane / LANES / globals, lane / LANES % globals);
    let place = format!("SIMD {simd}, lane {}: g{register}.{}", lane % LANES, LETTERS[at % 4]);
    Some((place, [a, b]))
}

/// The first byte that differs and the number of differing bytes.
fn compare_memory(first: &Memory, second: &Memory) -> Option<MemoryDifference> {
    let mut found: Option<MemoryDifference> = None;
    for ((base, a), (_, b)) in first.ranges().zip(second.ranges()) {
        if a == b {
            continue;
        }
        let mut bytes = a.iter().zip(b.iter()).enumerate();
        let Some((at, _)) = bytes.find(|(_, (x, y))| x != y) else {
            continue;
        };
        let rest = bytes.filter(|(_, (x, y))| x != y).count() as u64 + 1;
        let word = |bytes: &[u8]| {
            let bytes = bytes[at & !3..].iter().take(4).rev();
            bytes.fold(0, |word, &byte| word << 8 | u32::from(byte))
        };
        match &mut found {
            Some(found) => found.count += rest,
            None => {
                found = Some(MemoryDifference {
                    address: base.wrapping_add(at as u32),
                    count: rest,
                    words: [word(a), word(b)],
                    place: None,
                    origin: None,
                });
            }
        }
    }
    found
}

/// The surface, element and channel of a launch that contain a byte.
fn place(launch: &Launch, address: u32, memories: [&Memory; 2]) -> Option<ChannelDifference> {
    // The write that takes effect last counts.
    for Access { by: writer, surface, span } in Checked::new(launch).ok()?.writes.into_iter().rev()
    {
        if !span.contains(&u64::from(address)) {
            continue;
        }
        let (columns, rows) = if launch.program.umrt() && writer != Writer::Condition {
            (0..surface.pitch, 0..surface.height)
        } else {
            let domain = &launch.domain;
            (
                domain.i0..surface.pitch.min(domain.i1 + 1),
                domain.j0..surface.height.min(domain.j1 + 1),
            )
        };
        let elements = rows.rev().flat_map(|y| columns.clone().rev().map(move |x| (x, y)));
        let format = surface.format;
        let size = format.bytes_per_element();
        let byte = |(x, y)| address.wrapping_sub(surface.address(x, y));
        let Some(element) = elements.into_iter().find(|&element| byte(element) < size) else {
            continue;
        };
        let start = surface.address(element.0, element.1);
        let channel = memory::format::channel_of_byte(format, byte(element) as usize);
        let unit = |memory: &Memory| {
            let bytes = memory.slice(start, size as usize)?;
            Some(memory::decode_units(format, bytes)[channel])
        };
        return Some(ChannelDifference {
            surface: match writer {
                Writer::Output(n) => format!("output {n}"),
                Writer::Condition => "the conditional buffer".to_string(),
            },
            element,
            channel,
            values: [unit(memories[0])?, unit(memories[1])?],
            is_float: format.is_float(),
        });
    }
    None
}

fn difference(launch: Option<u64>, runs: [&Run; 2], what: What) -> Difference {
    Difference { launch, engines: runs.map(|run| run.name.to_string()), what }
}

/// The first difference; if there is none, the first refusal.
fn first_of(found: impl IntoIterator<Item = Difference>) -> Option<Difference> {
    let mut refusal = None;
    for found in found {
        if !found.is_refusal() {
            return Some(found);
        }
        refusal.get_or_insert(found);
    }
    refusal
}

/// Compares the first result with all others; returns the first difference. Memory comes first,
/// because it is the most informative. `fresh` makes memory as it was before the launch.
pub(super) fn compare_launch(
    number: u64,
    launch: &Launch,
    runs: &[Run],
    stop: &Stop,
    mut fresh: impl FnMut() -> Option<Memory>,
) -> Option<Difference> {
    let (first, others) = runs.split_first()?;
    first_of(others.iter().filter_map(|other| {
        let what = if first.outcome().and(other.outcome()).is_some()
            && let Some(mut found) = compare_memory(&first.memory, &other.memory)
        {
            found.place = place(launch, found.address, [&first.memory, &other.memory]);
            let memory = fresh();
            found.origin = memory.and_then(|m| origin::find(launch, &m, found.address, stop));
            What::Memory(Box::new(found))
        } else {
            compare_outcomes(launch, first, other)?
        };
        Some(difference(Some(number), [first, other], what))
    }))
}

/// Runs a generated case on all engines, including with statistics.
///
/// # Errors
/// Fewer than two engines, or no memory.
pub fn compare_case(
    case: &Case,
    engines: &[&dyn Engine],
) -> Result<Option<Difference>, CompareError> {
    let mut launch = case.launch.clone();
    launch.statistics = true;
    let mut runs = Vec::new();
    let entrants = Entrant::all(engines)?;
    for entrant in &entrants {
        let mut memory = case.memory()?;
        let ending = entrant.run(&launch, &mut memory, Stop::never());
        runs.push(entrant.ran(ending, memory));
    }
    Ok(compare_launch(0, &launch, &runs, Stop::never(), || case.memory().ok()))
}

/// The result of comparing a job.
#[derive(Clone, Debug)]
pub struct JobComparison {
    /// The first difference. If the engines that ran a launch agree and others refused it, the
    /// first refusal.
    pub difference: Option<Difference>,
    /// The number of launches that every engine ran.
    pub launches: u64,
    /// The launches among them that a translated shader ran on some engine.
    pub shaders: u64,
    /// Statistics of all launches on the first engine.
    pub statistics: Statistics,
    /// The number of faults that the first engine reported, of any code.
    pub faults: u64,
}

/// Runs a job on all engines in one mode, `exact` or `chip`, and compares memory, faults and
/// statistics.
///
/// `instructions` replaces the job's budget; `stop` ends the comparison early.
///
/// # Errors
/// Fewer than two engines, or one without the mode; a job that cannot be set up, or that every engine
/// refuses alike.
pub fn compare_job(
    job: &Job,
    engines: &[&dyn Engine],
    mode: FloatMode,
    instructions: Option<u64>,
    stop: &Stop,
) -> Result<JobComparison, CompareError> {
    panics::point("compare", || job.file.display().to_string());
    CompareError::of_modes(engines, mode)?;
    let options = RunOptions { mode: Some(mode), instructions, statistics: true };
    // All launches first and memory once at the end; if something differs, again step by step.
    let quick = pass(job, engines, &options, stop, false)?;
    match &quick.difference {
        None => Ok(quick),
        Some(_) => {
            let slow = pass(job, engines, &options, stop, true)?;
            Ok(if slow.difference.is_some() { slow } else { quick })
        }
    }
}

fn pass(
    job: &Job,
    engines: &[&dyn Engine],
    options: &RunOptions,
    stop: &Stop,
    every_launch: bool,
) -> Result<JobComparison, CompareError> {
    let entrants = Entrant::all(engines)?;
    let mut runs = Vec::new();
    let mut surfaces = Vec::new();
    for entrant in &entrants {
        let (memory, placed) = job.upload()?;
        surfaces = placed;
        runs.push(entrant.ran(Ending::Panicked(String::new()), memory));
    }
    let mut comparison = JobComparison {
        difference: None,
        launches: 0,
        shaders: 0,
        statistics: Statistics::default(),
        faults: 0,
    };
    // The launches compared so far, to recreate memory as it was before the one that differs.
    let mut done: Vec<Launch> = Vec::new();
    job.each_launch(options, &mut surfaces, |launch, pool| {
        if comparison.difference.is_some() {
            return Ok(());
        }
        let number = comparison.launches;
        for (entrant, run) in entrants.iter().zip(&mut runs) {
            run.ending = entrant.run(launch, &mut run.memory, stop);
            stop.check().map_err(LaunchError::Stopped)?;
        }
        let first = &runs[0];
        let alike = |run: &Run| {
            matches!(run.ending, Ending::Refused(_))
                && compare_outcomes(launch, first, run).is_none()
        };
        if let Ending::Refused(error) = &first.ending
            && runs.iter().all(alike)
        {
            return Err(error.clone());
        }
        comparison.launches += 1;
        if let Some(outcome) = first.outcome() {
            pool.after(outcome);
        }
        let in_shader = |run: &Run| run.outcome().is_some_and(|outcome| outcome.ran.is_shader());
        comparison.shaders += u64::from(runs.iter().any(in_shader));
        if let Some(outcome) = first.outcome() {
            comparison.statistics += outcome.statistics.unwrap_or_default();
            comparison.faults += outcome.faults.iter().map(|(_, f)| f.count).sum::<u64>();
        }
        comparison.difference = if every_launch {
            let fresh = || {
                let (mut memory, _) = job.upload().ok()?;
                for launch in &done {
                    ctm_machine::engine::reference::Reference::new()
                        .run(launch, &mut memory, stop)
                        .ok()?;
                }
                Some(memory)
            };
            compare_launch(number, launch, &runs, stop, fresh)
        } else {
            first_of(runs[1..].iter().filter_map(|other| {
                let what = compare_outcomes(launch, first, other)?;
                Some(difference(Some(number), [first, other], what))
            }))
        };
        if every_launch {
            done.push(launch.launch().clone());
        }
        Ok(())
    })?;
    if comparison.difference.is_none() {
        comparison.difference = runs[1..].iter().find_map(|other| {
            let found = compare_memory(&runs[0].memory, &other.memory)?;
            Some(difference(None, [&runs[0], other], What::Memory(Box::new(found))))
        });
    }
    Ok(comparison)
}

#[cfg(test)]
mod tests;
