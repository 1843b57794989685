//! Executes a recording again and compares what each submission changed.

use super::format::{Event, Open, Submission, shown};
use super::reader::{Entry, Reader, RecordError};
use super::writer::problems;
use crate::command::{Opcode, Parser};
use crate::device::{Context, Pe, Pieces, SubmissionReport, What, Written};
use crate::engine::reference::interpolate;
use crate::engine::{Checked, Engine, Faults, LaunchError, Outcome, Progress, Stop, Stopped};
use crate::launch::{FloatMode, Initial, Launch, Limits, Shared};
use crate::memory::{ArenaSizes, Memory, MemoryError};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Errors of executing a recording.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// It cannot be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A record does not fit those before it.
    #[error("record at offset {offset}: {what}")]
    Misplaced {
        /// The offset of the record in the file.
        offset: u64,
        /// The error.
        what: String,
    },
    /// The host has no memory for a device.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// The caller stopped it, or its time was up.
    #[error("{submission}: the replay was {why}")]
    Stopped {
        /// The submission that did not run to its end.
        submission: SubmissionId,
        /// The reason.
        why: Stopped,
    },
    /// A result before the launch to capture is not as recorded.
    #[error("{submission}: {mismatch}: launches after that have other inputs than the client's")]
    Differs {
        /// The submission.
        submission: SubmissionId,
        /// The difference.
        mismatch: Mismatch,
    },
    /// The engine did not run the launch to capture.
    #[error("launch {launch}: {error}")]
    Launch {
        /// Its number.
        launch: u64,
        /// The reason.
        error: LaunchError,
    },
}

/// Options of a replay.
#[derive(Clone, Debug, Default)]
pub struct ReplayOptions {
    /// Ends it early.
    pub stop: Stop,
    /// The instructions that a group may run, instead of the recorded limit.
    pub instructions: Option<u64>,
    /// Whether to check the commands for caches; see [`Context::coherence`].
    pub coherence: bool,
    /// Whether launches keep statistics even if the recorded ones did not.
    pub statistics: bool,
}

/// A result that is not as recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Mismatch {
    /// The bytes that a command wrote.
    #[error("word {}: {} has other bytes", .written.offset, .written.what)]
    Bytes {
        /// The command's write.
        written: Written,
    },
    /// The list of the commands' writes.
    #[error("it wrote {found}; recorded: {expected}")]
    Commands {
        /// The first write that is not the same now.
        found: String,
        /// The same of then.
        expected: String,
    },
    /// The errors and faults.
    #[error("{found}; recorded: {expected}")]
    Problems {
        /// The first one that is not the same now.
        found: String,
        /// The same of then.
        expected: String,
    },
    /// The engine did not run a launch that was recorded.
    #[error("{error}")]
    Engine {
        /// The error of the submission.
        error: String,
        /// Whether the engine refused the launch; else it failed.
        refused: bool,
    },
}

impl Mismatch {
    /// Whether the launch at the command word `start`, which ran, may have other inputs than recorded.
    fn is_before(&self, start: usize) -> bool {
        match self {
            Mismatch::Bytes { written } => written.offset < start,
            Mismatch::Commands { .. } | Mismatch::Problems { .. } => true,
            // It ended the submission.
            Mismatch::Engine { .. } => false,
        }
    }
}

/// A submission of a recording, by the numbers that its client knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubmissionId {
    /// Its number among the device's, from 1 on, as clients and hazards count.
    pub submission: u64,
    /// The device, from 0 on.
    pub device: u32,
}

impl fmt::Display for SubmissionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "submission {} of device {}", self.submission, self.device)
    }
}

/// A submission that ran again.
#[derive(Debug)]
pub struct Step {
    /// Its place in the recording.
    pub place: SubmissionId,
    /// Its report.
    pub report: SubmissionReport,
    /// The first difference from the recording.
    pub mismatch: Option<Mismatch>,
}

struct Emulated {
    /// The number of submissions that ran.
    submissions: u64,
    memory: Memory,
    pe: Pe,
    /// The client's writes that the next submission finds, as far as they are known.
    fetched: Pieces,
    mode: FloatMode,
    limits: Limits,
    statistics: bool,
}

/// Devices that execute a recording.
pub struct Replay<'e> {
    engine: &'e dyn Engine,
    options: ReplayOptions,
    devices: BTreeMap<u32, Emulated>,
}

impl<'e> Replay<'e> {
    /// No device is open yet.
    pub fn new(engine: &'e dyn Engine, options: &ReplayOptions) -> Replay<'e> {
        Replay { engine, options: options.clone(), devices: BTreeMap::new() }
    }

    /// The memory of an open device.
    pub fn memory(&self, device: u32) -> Option<&Memory> {
        Some(&self.devices.get(&device)?.memory)
    }

    /// Executes a record; returns what a submission did.
    ///
    /// # Errors
    /// [`ReplayError`].
    pub fn step(&mut self, entry: Entry) -> Result<Option<Step>, ReplayError> {
        let Entry { offset, device: number, event } = entry;
        let done = self.devices.get(&number).map_or(0, |device| device.submissions);
        let place = SubmissionId { submission: done + 1, device: number };
        let stopped = |why| ReplayError::Stopped { submission: place, why };
        self.options.stop.check().map_err(stopped)?;
        let misplaced = |what: String| ReplayError::Misplaced { offset, what };
        if let Event::Open(open) = event {
            let device = opened(&open, &self.options).map_err(|error| match error {
                ReplayError::Misplaced { what, .. } => misplaced(what),
                other => other,
            })?;
            if self.devices.insert(number, device).is_some() {
                return Err(misplaced(format!("device {number} is open already")));
            }
            return Ok(None);
        }
        let Some(device) = self.devices.get_mut(&number) else {
            return Err(misplaced(format!("device {number} is not open")));
        };
        match event {
            Event::Write(pieces) => {
                for (place, bytes) in pieces.iter() {
                    let written = device.memory.write(place.address, bytes);
                    written.map_err(|error| misplaced(error.to_string()))?;
                }
                Ok(None)
            }
            Event::Fetched(pieces) => {
                device.fetched.append(pieces);
                Ok(None)
            }
            Event::Submit(mut submission) => {
                let mut fetched = std::mem::take(&mut device.fetched);
                fetched.append(std::mem::take(&mut submission.fetched));
                for place in fetched.places() {
                    let (address, len) = (place.address, place.len as usize);
                    if !device.memory.contains(address, len) {
                        let error = MemoryError::OutsideArena { address, len: len as u64 };
                        return Err(misplaced(error.to_string()));
                    }
                }
                let context = Context {
                    mode: device.mode,
                    limits: device.limits,
                    statistics: device.statistics,
                    coherence: self.options.coherence,
                    progress: &self.options.stop,
                    recorded: true,
                    fetched: &fetched,
                    // The results of later ones follow as host writes.
                    launches: if submission.repeatable { u64::MAX } else { submission.launches },
                    ..Context::new(self.engine)
                };
                let Emulated { memory, pe, .. } = device;
                let words = if submission.repeatable {
                    submission.words.as_slice()
                } else {
                    let executed = usize::try_from(submission.executed).ok();
                    let words = executed.and_then(|n| submission.words.get(..n));
                    words.ok_or_else(|| misplaced("more words than it has were read".into()))?
                };
                let report = pe.execute_queued(words, memory, &context, submission.awaited);
                if let Some(why) = report.stopped() {
                    return Err(stopped(why));
                }
                let mismatch = if submission.repeatable {
                    mismatch(&submission, &report, memory, &self.options.stop).map_err(stopped)?
                } else {
                    None
                };
                device.submissions += 1;
                Ok(Some(Step { place, report, mismatch }))
            }
            Event::Close => {
                self.devices.remove(&number);
                Ok(None)
            }
            Event::Open(_) => Ok(None),
        }
    }
}

fn opened(open: &Open, options: &ReplayOptions) -> Result<Emulated, ReplayError> {
    let [gpu, gpub, sys, sysc] = open.arenas;
    let mode = FloatMode::from_name(&open.mode).ok_or_else(|| ReplayError::Misplaced {
        offset: 0,
        what: format!("mode \"{}\", expected exact, fast or chip", shown(&open.mode)),
    })?;
    Ok(Emulated {
        submissions: 0,
        memory: Memory::new(&ArenaSizes { gpu, gpub, sys, sysc })?,
        pe: Pe::new(),
        fetched: Pieces::default(),
        mode,
        limits: Limits { instructions: options.instructions.unwrap_or(open.instructions) },
        statistics: open.statistics || options.statistics,
    })
}

/// The first difference between a submission of a recording and its replay.
fn mismatch(
    then: &Submission,
    now: &SubmissionReport,
    memory: &Memory,
    stop: &Stop,
) -> Result<Option<Mismatch>, Stopped> {
    // The cause of all other differences.
    if let Some(error) = &now.error
        && !now.is_repeatable()
    {
        let (error, refused) = (error.to_string(), now.is_refused());
        return Ok(Some(Mismatch::Engine { error, refused }));
    }
    // In the order of the commands: the first that differs is the one to look at.
    let mut found = now.written.iter();
    let mut expected = then.changes.iter();
    loop {
        let (written, change) = (found.next(), expected.next());
        let now = written.map(|one| (one.offset as u64, one.what));
        let then = change.map(|one| (u64::from(one.offset), one.what));
        if now != then {
            let text = |one: Option<(u64, What)>| {
                one.map_or("nothing more".into(), |(offset, what)| {
                    format!("{what} (word {offset})")
                })
            };
            return Ok(Some(Mismatch::Commands { found: text(now), expected: text(then) }));
        }
        let Some((written, change)) = written.zip(change) else {
            break;
        };
        if written.hash(memory) != change.hash {
            return Ok(Some(Mismatch::Bytes { written: written.clone() }));
        }
        // All of them together may be much longer than memory.
        stop.check()?;
    }
    let problems = problems(now);
    let mut found = problems.iter().flat_map(|text| text.lines());
    let mut expected = then.problems.lines();
    loop {
        let lines = (found.next(), expected.next());
        if lines.0 != lines.1 {
            let text = |line: Option<&str>| line.map_or("no error and no fault", shown).to_string();
            return Ok(Some(Mismatch::Problems { found: text(lines.0), expected: text(lines.1) }));
        }
        if lines.0.is_none() {
            return Ok(None);
        }
    }
}

/// The first byte of `written` that differs from what `right` computes for the submission at this
/// place, and how many differ: address, byte found, byte expected, count. `None` if `right` does not
/// compute what was recorded, or nothing differs.
///
/// # Errors
/// [`ReplayError`].
pub fn first_byte(
    path: &Path,
    place: SubmissionId,
    right: &dyn Engine,
    written: &Written,
    found: &Memory,
    options: &ReplayOptions,
) -> Result<Option<(u32, u8, u8, u64)>, ReplayError> {
    let mut reader = Reader::open(path)?;
    let mut replay = Replay::new(right, options);
    while let Some(entry) = reader.next_entry()? {
        let Some(step) = replay.step(entry)? else {
            continue;
        };
        if step.mismatch.is_some() {
            return Ok(None);
        }
        if step.place != place {
            continue;
        }
        let Some(memory) = replay.memory(place.device) else {
            return Ok(None);
        };
        let mut first = None;
        for (address, bytes) in written.bytes(found) {
            let expected = memory.slice(address, bytes.len()).unwrap_or_default();
            for ((&now, &then), address) in bytes.iter().zip(expected).zip(u64::from(address)..) {
                if now != then {
                    first.get_or_insert((address as u32, now, then, 0)).3 += 1;
                }
            }
        }
        return Ok(first);
    }
    Ok(None)
}

/// A launch of a recording, with memory before and after it.
#[derive(Debug)]
pub struct Captured {
    /// The launch; interpolants are initial data.
    pub launch: Launch,
    /// The memory that it read, and the old contents where it wrote.
    pub before: Memory,
    /// The same addresses after it.
    pub after: Memory,
    /// Its faults.
    pub faults: Faults,
    /// The registers that groups share after it.
    pub shared: Option<Shared>,
}

/// The launch of this number, from 0 on in the order of submissions; the number of launches if
/// there are fewer.
/// Launches that were refused do not count.
///
/// # Errors
/// [`ReplayError`], also if a result before the launch is not as recorded.
pub fn capture(
    path: &Path,
    number: u64,
    engine: &dyn Engine,
    options: &ReplayOptions,
) -> Result<Result<Captured, u64>, ReplayError> {
    let found = Mutex::new(None);
    let keep = |_, captured| *found.lock() = Some(captured);
    let capture = Capture { engine, wanted: Some(number), next: AtomicU64::new(0), keep: &keep };
    let mut reader = Reader::open(path)?;
    let mut replay = Replay::new(&capture, options);
    while let Some(entry) = reader.next_entry()? {
        let first = capture.next.load(Ordering::Relaxed);
        let words = match &entry.event {
            Event::Submit(submission) => submission.words.clone(),
            Event::Open(_) | Event::Write(_) | Event::Fetched(_) | Event::Close => Vec::new(),
        };
        let step = replay.step(entry);
        let found = found.lock().take();
        let before = |mismatch: &Mismatch| {
            found.is_none() || mismatch.is_before(start(&words, number - first))
        };
        match step {
            Ok(Some(Step { place, mismatch: Some(mismatch), .. })) if before(&mismatch) => {
                return Err(ReplayError::Differs { submission: place, mismatch });
            }
            // A launch after the one that was found may be stopped.
            Err(error) if found.is_none() => return Err(error),
            Ok(_) | Err(_) => {}
        }
        if let Some(found) = found {
            return found.map(Ok);
        }
    }
    Ok(Err(capture.next.into_inner()))
}

/// Gives every launch of a recording to `keep`, with its number; returns how many there are. What was kept
/// does not count after an error.
///
/// # Errors
/// [`ReplayError`], also if a result is not as recorded.
pub fn capture_all(
    path: &Path,
    engine: &dyn Engine,
    options: &ReplayOptions,
    keep: &(dyn Fn(u64, Captured) + Sync),
) -> Result<u64, ReplayError> {
    let failed = Mutex::new(None);
    let keep = |number, captured| match captured {
        Ok(captured) => keep(number, captured),
        Err(error) => *failed.lock() = Some(error),
    };
    let capture = Capture { engine, wanted: None, next: AtomicU64::new(0), keep: &keep };
    let mut reader = Reader::open(path)?;
    let mut replay = Replay::new(&capture, options);
    while let Some(entry) = reader.next_entry()? {
        let step = replay.step(entry);
        if let Some(error) = failed.lock().take() {
            return Err(error);
        }
        if let Some(Step { place, mismatch: Some(mismatch), .. }) = step? {
            return Err(ReplayError::Differs { submission: place, mismatch });
        }
    }
    Ok(capture.next.into_inner())
}

/// The index of the command word of a launch of this number in a buffer.
fn start(words: &[u32], launch: u64) -> usize {
    let commands = Parser::new(words).map_while(Result::ok);
    let mut starts = commands.filter(|parsed| parsed.command.opcode() == Opcode::StartProgram);
    starts.nth(launch as usize).map_or(words.len(), |parsed| parsed.offset)
}

/// Keeps launches.
struct Capture<'e> {
    engine: &'e dyn Engine,
    /// The launch to keep; `None`: all.
    wanted: Option<u64>,
    /// The next launch.
    next: AtomicU64,
    keep: &'e (dyn Fn(u64, Result<Captured, ReplayError>) + Sync),
}

impl Engine for Capture<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let wanted = self.wanted.is_none_or(|wanted| wanted == number);
        let spans = || -> Vec<Range<u64>> {
            let reads = launch.reads.iter().map(|read| read.span.clone());
            reads.chain(launch.writes.iter().map(|write| write.span.clone())).collect()
        };
        let before = wanted.then(|| copy(memory, &spans()));
        let outcome = self.engine.run_checked(launch, memory, progress);
        let captured = match (before, &outcome) {
            // The replay says that it was stopped.
            (None, _) | (Some(_), Err(LaunchError::Stopped(_))) => return outcome,
            (Some(_), Err(error)) => {
                Err(ReplayError::Launch { launch: number, error: error.clone() })
            }
            (Some(before), Ok(outcome)) => before
                .and_then(|before| {
                    Ok(Captured {
                        launch: with_initial(launch.launch()),
                        before,
                        after: copy(memory, &spans())?,
                        faults: outcome.faults.clone(),
                        shared: outcome
                            .shared
                            .clone()
                            .zip(launch.shared.clone())
                            .map(|(globals, shared)| Shared { globals, ..shared }),
                    })
                })
                .map_err(ReplayError::from),
        };
        (self.keep)(number, captured);
        outcome
    }
}

/// A memory with the same arenas and only these bytes.
fn copy(memory: &Memory, spans: &[Range<u64>]) -> Result<Memory, MemoryError> {
    let size = |kind| memory.arena(kind).map_or(0, |arena| arena.size);
    use crate::memory::ArenaKind::{Gpu, GpuB, Sys, SysC};
    let sizes = ArenaSizes { gpu: size(Gpu), gpub: size(GpuB), sys: size(Sys), sysc: size(SysC) };
    let mut copy = Memory::new(&sizes)?;
    for (base, bytes) in memory.ranges() {
        let (base, end) = (u64::from(base), u64::from(base) + bytes.len() as u64);
        for span in spans {
            let (from, to) = (span.start.max(base), span.end.min(end));
            if from < to {
                let part = &bytes[(from - base) as usize..(to - base) as usize];
                copy.write(from as u32, part)?;
            }
        }
    }
    Ok(copy)
}

/// The launch with its interpolants as data.
fn with_initial(launch: &Launch) -> Launch {
    let mut launch = launch.clone();
    let domain = launch.domain;
    if let Some(interpolants) = launch.interpolants.take() {
        for (interpolant, temp) in interpolants.iter().zip(1..) {
            let points = (domain.j0..=domain.j1)
                .flat_map(|j| (domain.i0..=domain.i1).map(move |i| interpolate(interpolant, i, j)));
            launch.initial.push(Initial { temp, data: Arc::new(points.collect()) });
        }
    }
    launch
}
