//! Runs a job: memory, launches, readback, files.

use super::error::caught;
use super::result::{JobResult, Seconds, Share, measured};
use super::{Buffer, Content, FileLocation, Job, JobError, Pass, Problem, Role, sharing};
use crate::array::picture::write_animation;
use crate::array::{Raster, npy};
use ctm_base::clock::Instant;
use ctm_base::files::{Folders, write_with};
use ctm_base::panics;
use ctm_machine::device::active_clocks;
use ctm_machine::engine::card::{self, CardTime, X1900_XTX};
use ctm_machine::engine::{
    Checked, Engine, Fault, Faults, LaunchError, NoProgress, Outcome, Pool, Progress, Ran, Spent,
    Statistics, Stop,
};
use ctm_machine::launch::{Condition, FloatMode, Launch, Limits};
use ctm_machine::memory::{
    ALIGNMENT, Allocator, ArenaKind, ArenaSizes, Memory, MemoryError, Surface, array,
};
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The options that the caller of [`Job::run`] sets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RunOptions {
    /// Replaces the job's arithmetic.
    pub mode: Option<FloatMode>,
    /// Replaces the job's instruction budget.
    pub instructions: Option<u64>,
    /// Whether statistics are kept.
    pub statistics: bool,
}

/// Receives the progress of a run.
pub trait RunProgress: Sync {
    /// Launch `launch` (from 0) of `launches` has ended `done` of its `total` groups.
    fn at(&self, _launch: u64, _launches: u64, _done: u64, _total: u64) {}

    /// The stop that ends the run early: see [`Progress::stop`].
    fn stop(&self) -> &Stop {
        Stop::never()
    }
}

/// Ignores progress, and stops on demand.
impl RunProgress for Stop {
    fn stop(&self) -> &Stop {
        self
    }
}

impl RunProgress for NoProgress {}

/// The most launches that are queued before their outcomes are collected. This bounds the queue,
/// and keeps the reported progress close to the real progress.
const QUEUED: u64 = 256;

struct LaunchProgress<'a> {
    inner: &'a dyn RunProgress,
    /// The number of the launch that was last passed to the engine.
    launch: AtomicU64,
    launches: u64,
}

impl Progress for LaunchProgress<'_> {
    fn groups(&self, done: u64, total: u64) {
        let launch = self.launch.load(Ordering::Relaxed);
        self.inner.at(launch, self.launches, done, total);
    }

    fn stop(&self) -> &Stop {
        self.inner.stop()
    }
}

/// A run before its first launch.
pub(super) struct Begun {
    pub memory: Memory,
    pub surfaces: Vec<Surface>,
    pub tally: Tally,
    /// The time of storing arrays.
    pub upload: Duration,
}

/// The result so far.
pub(super) struct Tally {
    pub result: JobResult,
    /// The number of launches whose outcomes have been collected.
    launches: u64,
    /// [`card::bytes`] of the launches with statistics whose outcomes have not been collected yet.
    pub moved: VecDeque<u64>,
}

impl Tally {
    /// Adds the next launch.
    pub(super) fn add(&mut self, outcome: Outcome, pool: &mut Pool) {
        pool.after(&outcome);
        let result = &mut self.result;
        let Ran { engine, why, gpu } = outcome.ran;
        result.seconds.gpu = measured(result.seconds.gpu, gpu);
        if let Some(why) = why {
            Share { engine, why, launches: 1, first: self.launches }.add_to(&mut result.ran);
        }
        result.points += outcome.points;
        result.groups += outcome.groups;
        let bytes = self.moved.pop_front().unwrap_or_default();
        // A launch without statistics leaves none for the job.
        let sums = result.statistics.zip(result.clocks).zip(result.card);
        let sums = sums.zip(outcome.statistics).map(|(((mut statistics, clocks), mut card), s)| {
            statistics += s;
            card += X1900_XTX.least(&s, bytes);
            (statistics, clocks + active_clocks(&s), card)
        });
        result.statistics = sums.map(|sums| sums.0);
        result.clocks = sums.map(|sums| sums.1);
        result.card = sums.map(|sums| sums.2);
        for (code, fault) in outcome.faults.iter() {
            // A later launch only adds to the count; the first launch's fault stays.
            let mut fault = *fault;
            match result.faults.get(code).copied() {
                Some(first) => fault = Fault { count: fault.count, ..first },
                None => drop(result.faulted.insert(code, self.launches)),
            }
            result.faults.add(code, fault);
        }
        for hazard in outcome.hazards {
            if !result.hazards.contains(&hazard) {
                result.hazards.push(hazard);
            }
        }
        self.launches += 1;
    }

    /// Adds the outcomes of the next launches, up to the first failure.
    fn take(
        &mut self,
        outcomes: Vec<Result<Outcome, LaunchError>>,
        pool: &mut Pool,
    ) -> Result<(), LaunchError> {
        outcomes.into_iter().try_for_each(|outcome| outcome.map(|one| self.add(one, pool)))
    }
}

impl Job {
    /// The limits of a run with these options.
    fn limits_of(&self, options: &RunOptions) -> Limits {
        Limits { instructions: options.instructions.unwrap_or(self.limits.instructions) }
    }

    /// Number of launches.
    pub fn launches(&self) -> u64 {
        self.passes.iter().map(|p| u64::from(p.repeat)).sum()
    }

    /// Runs the job on an engine.
    ///
    /// All launches form one session of the engine. An engine with its own memory queues them, and
    /// their results come to the host after the last one.
    ///
    /// Surfaces without an address get the first free place in the GPU arena. Memory is as large as
    /// they need.
    ///
    /// # Errors
    /// If memory cannot be allocated, or a launch cannot be run or was stopped
    /// ([`JobError::stopped`]). Faults are part of the result.
    pub fn run(
        &self,
        engine: &dyn Engine,
        options: &RunOptions,
        progress: &dyn RunProgress,
    ) -> Result<JobResult, JobError> {
        caught(&self.file, || self.run_once(engine, options, progress))
    }

    /// Sets memory up, and begins the result of a run.
    pub(super) fn begin(
        &self,
        engine: &dyn Engine,
        options: &RunOptions,
    ) -> Result<Begun, JobError> {
        panics::point("run", || self.file.display().to_string());
        let started = Instant::now();
        let (memory, surfaces) = self.upload()?;
        let upload = started.elapsed();
        let result = JobResult {
            engine: engine.name(),
            adapter: None,
            ran: Vec::new(),
            mode: options.mode.unwrap_or(self.mode),
            limits: self.limits_of(options),
            launches: self.launches(),
            points: 0,
            groups: 0,
            statistics: Some(Statistics::default()),
            clocks: Some(0),
            card: Some(CardTime::default()),
            faults: Faults::default(),
            faulted: BTreeMap::new(),
            hazards: Vec::new(),
            warnings: self.warnings.clone(),
            seconds: Seconds::default(),
            memory: Memory::new(&ArenaSizes { gpu: 0, gpub: 0, sys: 0, sysc: 0 })
                .map_err(|error| JobError::of_file(&self.file, error))?,
            shared: None,
            surfaces: Vec::new(),
            frames: vec![Vec::new(); self.buffers.len()],
        };
        let tally = Tally { result, launches: 0, moved: VecDeque::new() };
        Ok(Begun { memory, surfaces, tally, upload })
    }

    /// The result with the engine that ran the launches and the times: `upload` of the arrays, and what the engine
    /// took for launches and has spent on other things.
    pub(super) fn ended(
        &self,
        engine: &dyn Engine,
        mut result: JobResult,
        upload: Duration,
        (execute, spent): (Duration, Spent),
    ) -> JobResult {
        // Launches without a reason ran on the engine itself.
        let on_block = result.ran.iter().filter(|share| share.engine == "block");
        let on_block: u64 = on_block.map(|share| share.launches).sum();
        if on_block > 0 && on_block == result.launches {
            result.engine = "block";
        } else {
            result.adapter = engine.adapter();
        }
        let of_engine = Some(spent.compile).filter(|time| !time.is_zero());
        result.seconds = Seconds {
            compile: measured(self.compile, of_engine),
            upload: upload + spent.upload,
            execute,
            gpu: measured(result.seconds.gpu, spent.gpu),
            readback: spent.readback,
        };
        result
    }

    fn run_once(
        &self,
        engine: &dyn Engine,
        options: &RunOptions,
        progress: &dyn RunProgress,
    ) -> Result<JobResult, JobError> {
        let Begun { mut memory, mut surfaces, mut tally, upload } = self.begin(engine, options)?;
        let start = surfaces.clone();
        let mut frames = self.all_frames();
        let started = Instant::now();
        let progress = LaunchProgress {
            inner: progress,
            launch: AtomicU64::new(0),
            launches: self.launches(),
        };
        let mut session = engine.session(&mut memory);
        let (mut number, mut failed) = (0, Ok(()));
        let handed_over = self.each_launch(options, &mut surfaces, |state, pool| {
            progress.launch.store(number, Ordering::Relaxed);
            session.launch_checked(state, &progress)?;
            if state.statistics {
                tally.moved.push_back(card::bytes(state));
            }
            while let Some((of, buffer)) = frames.next_if(|(of, _)| of.launch == number) {
                // An engine that queues launches has to run them now.
                let surface = &start[of.place];
                let (first, length) = (u64::from(surface.base), self.buffers[of.place].bytes());
                let memory = session.view(&[first..first + length])?;
                let raster = Raster::read(memory, surface, surface.width, surface.height);
                let raster = raster.map_err(|error| LaunchError::Invalid(error.to_string()))?;
                tally.result.frames[buffer].push(self.picture(buffer, &raster));
            }
            number += 1;
            // The next launch begins with the registers that this one leaves.
            if number % QUEUED == 0 || state.program.sharing().is_some() {
                failed = tally.take(session.outcomes(), pool);
            }
            failed.clone()
        });
        // A failure in the queue came before an immediate refusal.
        failed
            .and_then(|()| tally.take(session.outcomes(), &mut Pool::default()))
            .map_err(|error| self.queued_error(tally.launches, &error))?;
        let pool = handed_over?;
        session.memory().map_err(|error| self.queued_error(number, &error))?;
        let spent = session.spent();
        drop(session);
        let execute = started.elapsed().saturating_sub(spent.total());
        let mut result = self.ended(engine, tally.result, upload, (execute, spent));
        result.shared = self.sharing.as_ref().map(|sharing| {
            let mut registers = sharing.registers.clone();
            registers.globals = pool.globals().unwrap_or(&registers.globals).clone();
            registers
        });
        Ok(JobResult { memory, surfaces, ..result })
    }

    /// Passes every launch of the job to `run`, in order. `surfaces` are the places of the buffers
    /// as [`Job::upload`] returns them. Swapped names exchange their places in
    /// `surfaces`. `run` also gets the global registers, and says there what a launch with data
    /// sharing has left. Returns what the last one has left.
    ///
    /// # Errors
    /// The first error that `run` returns, with its place in the file.
    pub fn each_launch(
        &self,
        options: &RunOptions,
        surfaces: &mut [Surface],
        mut run: impl FnMut(&Checked, &mut Pool) -> Result<(), LaunchError>,
    ) -> Result<Pool, JobError> {
        let mut pool = Pool::default();
        self.each_pass(options, surfaces, |pass, launches| {
            let check = |(n, launch)| {
                Checked::new(launch).map_err(|error| self.launch_error(pass, n, &error))
            };
            let checked: Vec<Checked> =
                (0..).zip(launches).map(check).collect::<Result<_, JobError>>()?;
            for (repetition, launch) in (0..pass.repeat).zip(checked.iter().cycle()) {
                let failed = |error| self.launch_error(pass, repetition, &error);
                match pool.launch(launch) {
                    Cow::Borrowed(_) => run(launch, &mut pool),
                    Cow::Owned(launch) => {
                        let launch = Checked::new(&launch).map_err(failed)?;
                        run(&launch, &mut pool)
                    }
                }
                .map_err(failed)?;
            }
            Ok(())
        })?;
        Ok(pool)
    }

    /// Passes the distinct launches of every pass to `run`, in order; `run` repeats them for the
    /// pass's `repeat`. A pass has one distinct launch, or two that alternate if it swaps names, or all of
    /// them if they differ in `each`.
    /// `surfaces` is as in [`Job::each_launch`].
    ///
    /// # Errors
    /// The first error that `run` returns.
    pub fn each_pass<E>(
        &self,
        options: &RunOptions,
        surfaces: &mut [Surface],
        mut run: impl FnMut(&Pass, &[Launch]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut state = Launch::new(Arc::clone(&self.passes[0].program), self.passes[0].domain);
        state.mode = options.mode.unwrap_or(self.mode);
        state.shared = self.sharing.as_ref().map(|sharing| sharing.registers.clone());
        state.statistics = options.statistics;
        state.limits = self.limits_of(options);
        for pass in &self.passes {
            let different = if pass.each.is_empty() {
                pass.repeat.min(1 + u32::from(pass.swap.is_some()))
            } else {
                pass.repeat
            };
            let mut launches = Vec::with_capacity(different as usize);
            let swap = |surfaces: &mut [Surface]| {
                if let Some((a, b)) = pass.swap {
                    surfaces.swap(a, b);
                }
            };
            for repetition in 0..different {
                pass.set(repetition as usize, &mut state, surfaces);
                launches.push(state.clone());
                swap(surfaces);
            }
            // After an odd number of repetitions, the state is that of the first launch.
            if different == 2 && pass.repeat % 2 == 1 {
                state.clone_from(&launches[0]);
                swap(surfaces);
            }
            run(pass, &launches)?;
        }
        Ok(())
    }

    fn launch_error(&self, pass: &Pass, repetition: u32, error: &LaunchError) -> JobError {
        let repetition = match pass.repeat {
            1 => String::new(),
            n => format!("repetition {repetition} of {n}: "),
        };
        let error = error.clone();
        self.error_at(&pass.location, "", Problem::Launch { repetition, error })
    }

    /// The error of a queued launch, or of the step after the last launch.
    pub(super) fn queued_error(&self, number: u64, error: &LaunchError) -> JobError {
        match self.pass_of(number) {
            Some((pass, repetition)) => self.launch_error(&self.passes[pass], repetition, error),
            None => JobError::of_file(
                &self.file,
                Problem::Launch { repetition: String::new(), error: error.clone() },
            ),
        }
    }

    /// The pass (index) of a launch, and the repetition of the pass. Launches count from 0 over the
    /// whole job.
    pub fn pass_of(&self, launch: u64) -> Option<(usize, u32)> {
        let mut before = 0;
        self.passes.iter().enumerate().find_map(|(n, pass)| {
            let repetition = launch - before;
            before += u64::from(pass.repeat);
            (launch < before).then_some((n, repetition as u32))
        })
    }

    /// An error at a place of the file, or at a key of that place.
    pub(super) fn error_at(
        &self,
        location: &FileLocation,
        key: &str,
        problem: impl Into<Problem>,
    ) -> JobError {
        let dot = if key.is_empty() || location.key.is_empty() { "" } else { "." };
        let path = format!("{}{dot}{key}", location.key);
        // A job that was made from a program has no lines.
        let line = Some(location.line_of(key)).filter(|line| *line > 0);
        JobError::new(&self.file, line, path, problem)
    }

    /// Memory that contains all buffers and nothing else, and their surfaces. A launch cannot see
    /// that the arenas of a device are larger: it reaches memory only through surfaces, and every
    /// element of a surface is inside a buffer.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn upload(&self) -> Result<(Memory, Vec<Surface>), JobError> {
        // Offsets in the arena. Fixed addresses are reserved first, so that other buffers avoid
        // them.
        let mut allocator = Allocator::new(0..u64::from(u32::MAX));
        for buffer in &self.buffers {
            if let Some(address) = buffer.address {
                let start = u64::from(address);
                let end = start + buffer.bytes();
                allocator
                    .reserve(start..end)
                    .map_err(|e| self.error_at(&buffer.location, "address", e))?;
            }
        }
        let mut offsets = Vec::new();
        for buffer in &self.buffers {
            offsets.push(match buffer.address {
                Some(address) => address,
                None => allocator
                    .alloc(buffer.bytes())
                    .map_err(|e| self.error_at(&buffer.location, "", e))?,
            });
        }
        let end = allocator.taken().last().map_or(0, |range| range.end);
        let needed = end.next_multiple_of(u64::from(ALIGNMENT));
        let usual = ArenaSizes::default();
        // The address of an arena that is larger than usual depends on the others.
        let sysc = if needed > usual.gpu { usual.sysc } else { 0 };
        let sizes = ArenaSizes { gpu: needed, gpub: 0, sys: 0, sysc };
        let mut memory = Memory::new(&sizes).map_err(|e| JobError::of_file(&self.file, e))?;
        let base = memory.base(ArenaKind::Gpu);
        let mut surfaces = Vec::new();
        for (buffer, offset) in self.buffers.iter().zip(offsets) {
            let surface = buffer.surface(base + offset);
            buffer
                .store(&mut memory, &surface)
                .map_err(|e| self.error_at(&buffer.location, "", e))?;
            surfaces.push(surface);
        }
        Ok((memory, surfaces))
    }

    /// The files that [`Job::save`] writes.
    pub fn saves(&self) -> Vec<PathBuf> {
        self.outputs().into_iter().map(|(.., path)| path).collect()
    }

    /// The files that the job writes, each with the location of its table and its key.
    /// Pictures that are side by side in a file have it once.
    pub(super) fn outputs(&self) -> Vec<(&FileLocation, &'static str, PathBuf)> {
        let mut all = Vec::new();
        for (n, buffer) in self.buffers.iter().enumerate() {
            all.extend(buffer.save.clone().map(|path| (&buffer.location, "save", path)));
            for (key, path) in buffer.files_of_pictures(|| self.frames(n).len() as u64) {
                let same =
                    |known: &(&FileLocation, &str, PathBuf)| known.1 == key && known.2 == path;
                if !all.iter().any(same) {
                    all.push((&buffer.location, key, path));
                }
            }
        }
        let sharing = self.sharing.iter();
        all.extend(
            sharing.filter_map(|table| Some((&table.location, "save", table.save.clone()?))),
        );
        all
    }

    /// Checks before a run, as far as [`Folders::check`] can tell, that the job's files can be
    /// written. Otherwise a run could be wasted.
    ///
    /// # Errors
    /// The first file that cannot be written, as [`Job::save`] would report it.
    pub fn check_outputs(&self, folders: &Folders) -> Result<(), JobError> {
        for (location, key, path) in self.outputs() {
            folders
                .check(&path)
                .map_err(|e| self.error_at(location, key, Problem::write(&path, &e)))?;
        }
        Ok(())
    }

    /// Writes the files of the job. Returns their paths, in the order of the buffers, the
    /// global registers last.
    ///
    /// Each file is written under a temporary name and renamed. The time counts as readback.
    ///
    /// # Errors
    /// The first file that cannot be written. The files before it have been written.
    pub fn save(&self, result: &mut JobResult) -> Result<Vec<PathBuf>, JobError> {
        panics::point("save", || self.file.display().to_string());
        let started = Instant::now();
        let mut files = Vec::new();
        for (n, buffer) in self.buffers.iter().enumerate() {
            let error = |key, problem| self.error_at(&buffer.location, key, problem);
            for (key, path, frames) in self.picture_files(n, result)? {
                let rate = buffer.pictures.frames_per_second;
                write_with(&path, |w| match (key, &frames[..]) {
                    ("image", [picture]) => picture.write(w),
                    _ => write_animation(&frames, rate, w),
                })
                .map_err(|e| error(key, Problem::write(&path, &e)))?;
                files.push(path);
            }
            if let Some(path) = &buffer.save {
                let raster = result.raster(n).map_err(|e| error("save", e.into()))?;
                let array = raster.into_array();
                write_with(path, |w| npy::write(&array, w))
                    .map_err(|e| error("save", Problem::write(path, &e)))?;
                files.push(path.clone());
            }
        }
        if let Some(sharing) = &self.sharing
            && let (Some(path), Some(registers)) = (&sharing.save, &result.shared)
        {
            write_with(path, |w| npy::write(&sharing::array(registers), w))
                .map_err(|e| self.error_at(&sharing.location, "save", Problem::write(path, &e)))?;
            files.push(path.clone());
        }
        result.seconds.readback += started.elapsed();
        Ok(files)
    }

    /// The index of a buffer by its name: an output slot in the short form, a name in the long one.
    pub fn buffer(&self, name: &str) -> Option<usize> {
        self.buffers.iter().position(|b| b.name == name)
    }
}

impl Buffer {
    /// Stores the buffer's initial contents.
    fn store(&self, memory: &mut Memory, surface: &Surface) -> Result<(), MemoryError> {
        let (width, height) = (self.width, self.height);
        match &self.content {
            Content::Zero => Ok(()),
            Content::Array(units) => array::write_array(memory, surface, width, height, units),
            Content::Fill(units) => array::fill(memory, surface, width, height, *units),
        }
    }

    /// Stores the buffer's initial contents over those that a run left.
    ///
    /// # Errors
    /// [`MemoryError::OutsideArena`] if the surface does not fit the memory.
    pub fn restore(&self, memory: &mut Memory, surface: &Surface) -> Result<(), MemoryError> {
        let (address, len) = (surface.base, self.bytes());
        let bytes = memory.overwrite(address, len as usize);
        bytes.ok_or(MemoryError::OutsideArena { address, len })?.fill(0);
        self.store(memory, surface)
    }

    /// Whether a run can change the buffer.
    pub fn is_output(&self) -> bool {
        !matches!(self.role, Role::Input(_))
    }
}

impl Pass {
    /// Sets the device's state for a repetition of this pass. What the pass specifies replaces the previous state,
    /// and everything else stays. Constants and initial temporaries never carry over: each pass
    /// sets its own.
    pub fn set(&self, repetition: usize, state: &mut Launch, surfaces: &[Surface]) {
        state.program = Arc::clone(&self.program);
        state.domain = self.domain;
        state.constants = Arc::clone(&self.constants);
        state.initial.clone_from(&self.initial);
        if !self.each.constants.is_empty() {
            let constants = Arc::make_mut(&mut state.constants);
            for (kind, n, values) in &self.each.constants {
                constants.set(*kind, *n, values[repetition]);
            }
        }
        for (slot, buffers) in &self.each.inputs {
            state.inputs[*slot as usize] = Some(surfaces[buffers[repetition]]);
        }
        for &(slot, buffer) in &self.inputs {
            state.inputs[slot as usize] = Some(surfaces[buffer]);
        }
        for &(slot, buffer) in &self.outputs {
            state.outputs[slot as usize] = Some(surfaces[buffer]);
        }
        if let Some(mask) = self.mask {
            state.out_mask = mask;
        }
        if let Some(condition) = &self.condition {
            state.condition = Condition {
                test: condition.test,
                location: condition.location,
                value: condition.value,
                buffer: condition.buffer.map(|b| surfaces[b]),
                write: condition.write,
            };
        }
    }
}
