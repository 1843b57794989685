//! A session on the GPU. Launches are recorded and submitted, several together if that pays, and
//! take effect in order. Memory stays on the GPU until the host reads it.

use crate::engine::block::Block;
use crate::engine::checked::{self, Access, Reader, Writer, intersect};
use crate::engine::gpu::abi::encode::Ready;
use crate::engine::gpu::abi::results::LaunchResult;
use crate::engine::gpu::device::error::GpuError;
use crate::engine::gpu::memory::{Bound, MAX_WINDOWS, Resident, ResidentError};
use crate::engine::gpu::run::executor::{self, Bounds, Executor, Halt};
use crate::engine::gpu::run::interpreter::{Fallback, Interpreter, NAME};
use crate::engine::gpu::run::plan::Plan;
use crate::engine::gpu::run::ticket::Ticket;
use crate::engine::gpu::run::work::{Part, Work};
use crate::engine::gpu::shader::compiled::Compiled;
use crate::engine::gpu::shader::translate::{self, Record};
use crate::engine::gpu::shader::translator::{self, Refusal, Translator};
use crate::engine::{Checked, Engine, LaunchError, Outcome, Progress, Ran, Session, Stopped, Why};
use crate::memory::Memory;
use std::ops::Range;
use std::sync::Arc;

/// The address ranges of memory.
pub(super) fn ranges(memory: &Memory) -> Vec<Range<u64>> {
    let range = |(base, bytes): (u32, &[u8])| u64::from(base)..u64::from(base) + bytes.len() as u64;
    memory.ranges().map(range).collect()
}

/// A launch that was accepted and whose outcome has not been returned yet.
enum Queued {
    /// It has ended.
    Known(Outcome),
    /// Running.
    Running(Ticket),
}

/// Why a launch was not submitted.
enum Refused {
    /// It cannot run on the adapter; nothing has happened.
    Unsupported(String),
    /// The adapter has too little memory for it; nothing has happened.
    TooLittle(GpuError),
    /// The GPU failed.
    Failed(GpuError),
    /// It was stopped.
    Stopped(Stopped),
}

impl From<Halt> for Refused {
    fn from(halt: Halt) -> Refused {
        match halt {
            Halt::Gpu(error) => Refused::Failed(error),
            Halt::Stopped(why) => Refused::Stopped(why),
        }
    }
}

impl From<GpuError> for Refused {
    fn from(error: GpuError) -> Refused {
        Refused::Failed(error)
    }
}

impl From<ResidentError> for Refused {
    fn from(error: ResidentError) -> Refused {
        match error {
            ResidentError::Gpu(error) => Refused::Failed(error),
            other => Refused::Unsupported(other.to_string()),
        }
    }
}

fn no_outcome() -> LaunchError {
    LaunchError::Failed { engine: NAME, reason: "the launch had no outcome".into() }
}

/// A session.
pub(in crate::engine::gpu) struct GpuSession<'a> {
    engine: &'a Interpreter,
    /// Translates the programs that it can.
    translator: Option<&'a Translator>,
    memory: &'a mut Memory,
    /// The copy of the memory on the GPU.
    resident: Resident,
    /// The addresses of bytes that only a lost device held.
    lost: Vec<Range<u64>>,
    executor: Executor,
    queue: Vec<Queued>,
    /// The first failure; every later launch is refused with it, or runs on the block engine.
    failure: Option<LaunchError>,
}

impl<'a> GpuSession<'a> {
    pub(in crate::engine::gpu) fn new(
        engine: &'a Interpreter,
        translator: Option<&'a Translator>,
        memory: &'a mut Memory,
    ) -> GpuSession<'a> {
        let (resident, lost) = engine.residents.lock().take(&engine.gpu, memory);
        GpuSession {
            engine,
            translator,
            memory,
            resident,
            lost,
            executor: engine.executors.lock().pop().unwrap_or_default(),
            queue: Vec::new(),
            failure: None,
        }
    }

    /// Records a GPU failure: the GPU copy of this memory is lost, the host's stays.
    fn fail(&mut self, error: GpuError) -> LaunchError {
        let only_there = self.discard();
        if error.is_lost() {
            self.lost.extend(only_there);
        }
        self.executor.forget();
        let error = LaunchError::Adapter { engine: NAME, error };
        self.failure.get_or_insert(error).clone()
    }

    /// Discards the GPU copy of the memory. Returns the addresses of the bytes that only it had.
    fn discard(&mut self) -> Vec<Range<u64>> {
        let fresh = self.engine.residents.lock().fresh(&self.engine.gpu, self.memory);
        std::mem::replace(&mut self.resident, fresh).newer()
    }

    /// Cuts a launch's rows of tiles into parts, so that the memory each part touches can be bound
    /// at once.
    fn parts(&self, plan: &Plan) -> Result<Vec<Range<u64>>, ResidentError> {
        let all = 0..plan.groups / plan.columns();
        let whole =
            !plan.launch.overlaps.is_empty() || plan.logs || !plan.launch.initial.is_empty();
        let mut parts = Vec::new();
        let mut rest = vec![all.clone()];
        while let Some(rows) = rest.pop() {
            if rows == all && whole {
                parts.push(rows);
                continue;
            }
            let launch = plan.rows(&rows);
            let reads: Vec<_> = checked::read(&launch).into_iter().map(|r| r.span).collect();
            let writes: Vec<_> = checked::written(&launch).into_iter().map(|w| w.span).collect();
            match self.resident.fits(&reads, &writes, MAX_WINDOWS) {
                Ok(()) => parts.push(rows),
                Err(ResidentError::Windows { .. }) if rows.end - rows.start > 1 => {
                    let middle = rows.start + (rows.end - rows.start) / 2;
                    rest.push(middle..rows.end);
                    rest.push(rows.start..middle);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(parts)
    }

    /// Submits all groups of a launch. Returns the numbers of the work.
    fn submit_all(&mut self, plan: &Plan, progress: &dyn Progress) -> Result<Vec<u64>, Refused> {
        let mut work = Vec::new();
        // All parts are known to fit before the first one writes.
        for rows in self.parts(plan)? {
            let submitted = self.submit(plan, rows, progress);
            work.push(submitted.map_err(|error| match error {
                // Earlier parts have already written.
                Refused::TooLittle(error) if !work.is_empty() => Refused::Failed(error),
                error => error,
            })?);
        }
        Ok(work)
    }

    /// Converts an error of [`bind`](Self::bind). A lack of memory concerns this launch only and
    /// leaves the others intact, unless the adapter's failure count is no longer `failures`.
    fn unbound(&self, error: ResidentError, failures: u64) -> Refused {
        match error {
            ResidentError::Gpu(error)
                if error.is_too_little() && self.engine.gpu.failures() == failures =>
            {
                Refused::TooLittle(error)
            }
            error => error.into(),
        }
    }

    /// Uploads and binds every span the launch touches, in at most `windows` windows; the reads
    /// listed in `kept` are copied into one extra window. From now on the GPU copy of the written
    /// spans is authoritative.
    fn bind(
        &mut self,
        reads: &[Access<Reader>],
        writes: &[Access<Writer>],
        kept: &[usize],
        windows: usize,
    ) -> Result<Bound, ResidentError> {
        let gpu = &self.engine.gpu;
        let read_spans: Vec<Range<u64>> = reads.iter().map(|read| read.span.clone()).collect();
        let write_spans: Vec<Range<u64>> =
            writes.iter().map(|written| written.span.clone()).collect();
        let resident = &mut self.resident;
        let mut bound = resident.bind(gpu, self.memory, &read_spans, &write_spans, windows)?;
        if !kept.is_empty() {
            let spans: Vec<Range<u64>> = kept.iter().map(|&n| read_spans[n].clone()).collect();
            let commands = self.executor.commands(gpu)?;
            let deltas = resident.snapshot(gpu, commands, &mut bound, &spans)?;
            for (&n, delta) in kept.iter().zip(deltas) {
                bound.reads[n] = delta;
            }
        }
        resident.written(&write_spans);
        Ok(bound)
    }

    /// Submits the groups in a range of tile rows.
    fn submit(
        &mut self,
        plan: &Plan,
        rows: Range<u64>,
        progress: &dyn Progress,
    ) -> Result<u64, Refused> {
        let columns = plan.columns();
        let all = 0..plan.groups / columns;
        let part = (rows != all).then(|| plan.rows(&rows));
        let of_part = part.as_ref().map(|part| (checked::read(part), checked::written(part)));
        let (reads, writes) = match &of_part {
            Some((reads, writes)) => (reads, writes),
            None => (&plan.launch.reads, &plan.launch.writes),
        };
        let writes = plan.writes(writes);
        let gpu = &self.engine.gpu;
        let part = match of_part {
            Some(_) => Part::rows(plan, self.memory, &rows),
            None => Part::whole(plan, self.memory),
        };
        let work = Work::new(self.engine, &[part], false)?;
        let (bytes, limit) = (work.bytes(), gpu.largest_binding());
        if bytes > limit {
            return Err(Refused::Unsupported(format!(
                "the program and its initial data take {bytes} bytes; the adapter binds {limit}"
            )));
        }
        let kept: Vec<usize> =
            (0..reads.len()).filter(|&n| plan.needs_snapshot(reads[n].by)).collect();
        let windows = MAX_WINDOWS - usize::from(!kept.is_empty());
        gpu.check()?;
        let failures = gpu.failures();
        let bound = self
            .bind(reads, writes, &kept, windows)
            .map_err(|error| self.unbound(error, failures))?;
        let places = bound.places(reads, writes);
        let (done, total) = (rows.start * columns, plan.groups);
        Ok(self.executor.start(
            gpu,
            &self.engine.pipelines,
            work.at(bound.windows.len(), &[places]),
            bound,
            &mut |groups| progress.groups(done + groups, total),
            progress.stop(),
        )?)
    }

    /// Submits a launch as a translated program. The inner error tells why the interpreter must run
    /// it.
    fn translated(
        &mut self,
        launch: &Checked,
        ready: &Arc<Ready>,
        translator: &Translator,
        progress: &dyn Progress,
    ) -> Result<Result<Queued, Refusal>, Refused> {
        let ranges = ranges(self.memory);
        let compiled = self.engine.shader(translator, launch, ready, &ranges)?;
        let compiled = match compiled {
            Ok(compiled) => compiled,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let gpu = &self.engine.gpu;
        let Compiled { translation, state, .. } = &*compiled;
        let bytes = Record::bytes(translation, launch, state);
        if bytes > gpu.largest_binding() {
            return Ok(Err(Refusal::Data { bytes, limit: gpu.largest_binding() }));
        }
        if compiled.may_give_up {
            // The host keeps the memory from before the launch.
            self.drain()?;
            self.resident.bring_down(gpu, self.memory, None)?;
        }
        let (reads, writes) = (&launch.reads, &launch.writes);
        let copied = translate::copied(launch);
        let kept: Vec<usize> =
            (0..reads.len()).filter(|&n| copied.contains(&reads[n].by)).collect();
        gpu.check()?;
        let failures = gpu.failures();
        let mut bound = match self.bind(reads, writes, &kept, 1) {
            Ok(bound) => bound,
            Err(ResidentError::Windows { needed, .. }) => {
                return Ok(Err(Refusal::Windows { windows: needed }));
            }
            Err(error) => return Err(self.unbound(error, failures)),
        };
        let first = bound.windows[0].size / 4;
        for n in kept {
            // Offsets count from the start of the copies' window.
            bound.reads[n] = bound.reads[n].wrapping_add(first as u32);
        }
        let places = bound.places(reads, writes);
        let record = Record::new(translation, launch, state, &places);
        let program = executor::Program { translation, pipeline: &compiled.pipeline };
        let bounds = Bounds { most: self.engine.most, stop: progress.stop() };
        let started = self.executor.start_translated(
            gpu,
            &program,
            &record,
            &bound,
            &launch.grouping,
            &bounds,
        );
        if compiled.may_give_up && matches!(started, Err(Halt::Stopped(_))) {
            // It may have given up before it was stopped; what it wrote then is not valid. So the
            // GPU copy is discarded.
            self.discard();
        }
        let number = started?;
        let ticket = Ticket::of_shader(launch, translator, vec![number]);
        if compiled.may_give_up {
            let result = executor::only(&mut self.executor.finish(gpu)?, number)?;
            if let Some(refusal) = translator::gave_up(result.gave_up) {
                self.discard();
                return Ok(Err(refusal));
            }
            return Ok(Ok(Queued::Known(ticket.outcome(result))));
        }
        Ok(Ok(Queued::Running(ticket)))
    }

    /// Runs a launch whose writes go through the log, and applies the writes to memory.
    fn run_logged(
        &mut self,
        plan: &Plan,
        ran: Ran,
        progress: &dyn Progress,
    ) -> Result<Outcome, Refused> {
        self.drain()?;
        let rows = 0..plan.groups / plan.columns();
        let work = self.submit(plan, rows, progress)?;
        let mut result = executor::only(&mut self.executor.finish(&self.engine.gpu)?, work)?;
        for written in &plan.launch.writes {
            self.resident.bring_down(&self.engine.gpu, self.memory, Some(written.span.clone()))?;
        }
        let grouping = plan.launch.grouping;
        let group_of = |i: u32, j: u32| {
            let (width, height) = (grouping.width, grouping.height);
            (i / width * width, j / height * height)
        };
        result.writes(group_of).apply(self.memory);
        Ok(result.outcome(plan.launch.pending(ran)))
    }

    /// Waits for everything submitted; its outcomes are then known.
    fn drain(&mut self) -> Result<(), GpuError> {
        let mut done = self.executor.finish(&self.engine.gpu)?;
        for queued in &mut self.queue {
            if let Queued::Running(ticket) = queued {
                *queued = Queued::Known(ticket.take(&mut done)?);
            }
        }
        Ok(())
    }

    /// Like [`drain`](Self::drain); after an error the session has failed.
    fn settle(&mut self) -> Result<(), LaunchError> {
        if let Some(error) = &self.failure {
            return Err(error.clone());
        }
        self.drain().map_err(|error| self.fail(error))
    }

    fn bring_down(&mut self, within: Option<Range<u64>>) -> Result<(), LaunchError> {
        let brought = self.resident.bring_down(&self.engine.gpu, self.memory, within);
        brought.map_err(|error| self.not_brought(error))
    }

    fn not_brought(&mut self, error: ResidentError) -> LaunchError {
        match error {
            ResidentError::Gpu(error) => self.fail(error),
            other => LaunchError::Failed { engine: NAME, reason: other.to_string() },
        }
    }

    /// Waits for everything submitted, and brings memory up to date. The host waits once for both.
    fn finish(&mut self) -> Result<(), LaunchError> {
        let down = match self.resident.is_one_round() {
            false => None,
            true => {
                let requested = self
                    .executor
                    .take_commands(&self.engine.gpu)
                    .map_err(ResidentError::from)
                    .and_then(|end| self.resident.request(&self.engine.gpu, self.memory, end));
                let down = requested.map_err(|error| self.not_brought(error))?;
                self.executor.submitted(down.requested.submission.clone());
                Some(down)
            }
        };
        self.settle()?;
        if let Some(down) = down {
            let received = self.resident.receive(&self.engine.gpu, self.memory, down);
            received.map_err(|error| self.not_brought(error))?;
        }
        self.bring_down(None)
    }

    /// Runs one launch and brings its results to the host.
    pub(in crate::engine::gpu) fn run(
        &mut self,
        launch: &Checked,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let whole = self.lost.len();
        let current = self.resident.newer().is_empty();
        self.begin(launch, progress)?;
        if self.failure.is_none()
            && let Err(error) = self.finish()
        {
            if current {
                // The host still has everything from before the launch.
                self.lost.truncate(whole);
            }
            self.queue.clear();
            self.fall_back(error, launch, progress)?;
        }
        match self.queue.pop() {
            Some(Queued::Known(outcome)) => Ok(outcome),
            _ => Err(no_outcome()),
        }
    }

    /// Decides how a launch runs, and runs or queues it: as a shader, on the interpreter, or on the
    /// block engine. Progress is not called after this returns.
    fn begin(&mut self, launch: &Checked, progress: &dyn Progress) -> Result<(), LaunchError> {
        progress.stop().check()?;
        let queued = match &self.failure {
            Some(error) => Err(error.clone()),
            None if launch.reads_back() => {
                // On the GPU, writes take effect only at the end of the launch.
                let reason = "points can fetch what they write uncached".to_string();
                let why = Why { kind: "reads back", reason };
                self.on_block(launch, why, progress).map(Queued::Known)
            }
            None => self.on_gpu(launch, progress),
        };
        match queued {
            Ok(queued) => self.queue.push(queued),
            Err(error) => self.fall_back(error, launch, progress)?,
        }
        Ok(())
    }

    /// Runs a launch that the GPU refused on the block engine, if the engine allows that.
    fn fall_back(
        &mut self,
        error: LaunchError,
        launch: &Checked,
        progress: &dyn Progress,
    ) -> Result<(), LaunchError> {
        let (Some(fallback), Some(kind)) = (&self.engine.fallback, Fallback::kind(&error)) else {
            return Err(error);
        };
        self.check_whole(launch)?;
        let reason = error.to_string();
        fallback.noted.call_once(|| {
            (fallback.note)(&format!("engine block takes over where needed: {reason}"));
        });
        let outcome = self.on_block(launch, Why { kind, reason }, progress)?;
        self.queue.push(Queued::Known(outcome));
        Ok(())
    }

    /// Checks that the host has everything that a launch reads.
    fn check_whole(&self, launch: &Checked) -> Result<(), LaunchError> {
        let lost =
            |read: &&Access<Reader>| self.lost.iter().any(|lost| intersect(lost, &read.span));
        let surfaces: Vec<String> = launch.reads.iter().filter(lost).map(|r| r.by.name()).collect();
        match surfaces.is_empty() {
            true => Ok(()),
            false => Err(LaunchError::Lost { surfaces: surfaces.join(", ") }),
        }
    }

    fn on_block(
        &mut self,
        launch: &Checked,
        why: Why,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        if self.failure.is_none() {
            self.finish()?;
        }
        Ok(Block.run_checked(launch, self.memory, progress)?.because(why))
    }

    /// Queues a launch as a shader, if that is possible and worth it, or on the interpreter.
    fn on_gpu(&mut self, launch: &Checked, progress: &dyn Progress) -> Result<Queued, LaunchError> {
        let ready = self.engine.ready(launch)?;
        let mut why = None;
        if let Some(translator) = self.translator {
            match self.translated(launch, &ready, translator, progress) {
                Ok(Ok(queued)) => return Ok(queued),
                // The interpreter runs it.
                Ok(Err(refusal)) => why = Some(refusal.why()),
                Err(Refused::Unsupported(reason)) => why = Some(Why { kind: "memory", reason }),
                Err(refused) => return Err(self.refused(refused)),
            }
        }
        let plan = self.engine.plan(launch, ready);
        let ran = Ran { engine: NAME, why };
        let queued = if plan.groups == 0 {
            Ok(Queued::Known(LaunchResult::default().outcome(launch.pending(ran))))
        } else if plan.logs {
            self.run_logged(&plan, ran, progress).map(Queued::Known)
        } else {
            let work = self.submit_all(&plan, progress);
            work.map(|work| Queued::Running(Ticket::of(launch, ran, work)))
        };
        queued.map_err(|refused| self.refused(refused))
    }

    fn refused(&mut self, refused: Refused) -> LaunchError {
        match refused {
            Refused::Unsupported(reason) => LaunchError::Unsupported { engine: NAME, reason },
            Refused::TooLittle(error) => LaunchError::Adapter { engine: NAME, error },
            Refused::Failed(error) => self.fail(error),
            Refused::Stopped(why) => why.into(),
        }
    }

    /// Whether no byte of a range was lost.
    fn is_whole(&self, range: &Range<u64>) -> bool {
        !self.lost.iter().any(|lost| intersect(lost, range))
    }
}

impl<'a> Session<'a> for GpuSession<'a> {
    fn launch_checked(
        &mut self,
        launch: &Checked<'_>,
        progress: &'a dyn Progress,
    ) -> Result<(), LaunchError> {
        self.begin(launch, progress)
    }

    fn outcomes(&mut self) -> Vec<Result<Outcome, LaunchError>> {
        let settled = self.settle();
        let mut outcomes = Vec::new();
        for queued in self.queue.drain(..) {
            match queued {
                Queued::Known(outcome) => outcomes.push(Ok(outcome)),
                Queued::Running(_) => {
                    outcomes.push(Err(settled.err().unwrap_or_else(no_outcome)));
                    break;
                }
            }
        }
        outcomes
    }

    fn is_current(&self, range: &Range<u64>) -> bool {
        self.resident.is_current(range) && self.is_whole(range)
    }

    fn view(&mut self, ranges: &[Range<u64>]) -> Result<&Memory, LaunchError> {
        if let Some(error) = &self.failure {
            // Only what the lost device held is not there.
            let gone = self.lost.is_empty() || !ranges.iter().all(|range| self.is_whole(range));
            if gone {
                return Err(error.clone());
            }
        } else if !ranges.iter().all(|range| self.is_current(range)) {
            self.settle()?;
            for range in ranges {
                self.bring_down(Some(range.clone()))?;
            }
        }
        Ok(&*self.memory)
    }

    fn memory(&mut self) -> Result<&mut Memory, LaunchError> {
        self.finish()?;
        Ok(&mut *self.memory)
    }
}

impl Drop for GpuSession<'_> {
    fn drop(&mut self) {
        if self.failure.is_none() && self.memory().is_ok() {
            let executor = std::mem::take(&mut self.executor);
            self.engine.executors.lock().push(executor);
        }
        let fresh = Resident::new(&self.engine.gpu, self.memory);
        let resident = std::mem::replace(&mut self.resident, fresh);
        self.engine.residents.lock().put(resident, std::mem::take(&mut self.lost));
    }
}
