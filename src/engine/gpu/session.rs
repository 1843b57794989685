//! A session on the GPU. Launches are recorded and submitted, several together if that pays, and
//! take effect in order. Memory stays on the GPU until the host reads it.

use super::executor::{self, Bounds, Executor, Halt, Work};
use super::plan::{Plan, Ready};
use super::resident::{Bound, MAX_WINDOWS, ResidentError};
use super::results::{self, LaunchResult};
use super::translate::{self, Record};
use super::translated::{self, Compiled, Refusal, Translator};
use super::{GpuError, Interpreter, NAME, outcome};
use crate::engine::groups::Grouping;
use crate::engine::prepare::{self, Overlap, Reader, Writer};
use crate::engine::{Chosen, Engine, LaunchError, Outcome, Progress, Session, Stopped};
use crate::launch::Launch;
use crate::memory::{Memory, Surface};
use std::ops::Range;
use std::sync::Arc;

/// A launch that was accepted and whose outcome has not been returned yet.
enum Queued {
    /// It has ended.
    Known(Outcome),
    /// Running, as the executor's work with these numbers.
    Submitted { work: Vec<u64>, overlaps: Vec<Overlap>, statistics: bool },
    /// A running translated program; its groups and points, if they are known.
    Translated { work: u64, overlaps: Vec<Overlap>, groups_and_points: Option<(u64, u64)> },
}

/// Surfaces that are read, or written, and the bytes touched in each.
type Reads = [(Reader, Surface, Range<u64>)];
type Writes = [(Writer, Surface, Range<u64>)];

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

/// The outcome of a translated program.
pub(super) fn shader_outcome(
    result: &LaunchResult,
    overlaps: &[Overlap],
    groups_and_points: Option<(u64, u64)>,
) -> Outcome {
    let mut outcome = outcome(result, overlaps, false);
    if let Some((groups, points)) = groups_and_points {
        (outcome.groups, outcome.points) = (groups, points);
    }
    outcome
}

/// A session.
pub(super) struct GpuSession<'a> {
    engine: &'a Interpreter,
    /// Translates the programs that it can.
    translator: Option<&'a Translator>,
    memory: &'a mut Memory,
    executor: Executor,
    queue: Vec<Queued>,
    /// The first failure; every later launch is refused with it.
    failure: Option<LaunchError>,
}

impl<'a> GpuSession<'a> {
    pub(super) fn new(
        engine: &'a Interpreter,
        translator: Option<&'a Translator>,
        memory: &'a mut Memory,
    ) -> GpuSession<'a> {
        GpuSession {
            engine,
            translator,
            memory,
            executor: engine.executors.lock().pop().unwrap_or_default(),
            queue: Vec::new(),
            failure: None,
        }
    }

    /// Records a GPU failure: the GPU copy of this memory is lost, the host's stays.
    fn fail(&mut self, error: GpuError) -> LaunchError {
        self.engine.residents.lock().forget(self.memory);
        self.executor.forget();
        let error = LaunchError::Adapter { engine: NAME, error };
        self.failure.get_or_insert(error).clone()
    }

    /// Cuts a launch's rows of tiles into parts, so that the memory each part touches can be bound
    /// at once.
    fn parts(&self, plan: &Plan) -> Result<Vec<Range<u64>>, ResidentError> {
        let all = 0..plan.groups / plan.columns();
        let whole = !plan.overlaps.is_empty() || plan.logs || !plan.launch.initial.is_empty();
        let mut residents = self.engine.residents.lock();
        let resident = residents.of(&self.engine.gpu, self.memory);
        let mut parts = Vec::new();
        let mut rest = vec![all.clone()];
        while let Some(rows) = rest.pop() {
            if rows == all && whole {
                parts.push(rows);
                continue;
            }
            let launch = plan.rows(&rows);
            let spans = |span: &Range<u64>| span.clone();
            let reads: Vec<_> = prepare::read(&launch).iter().map(|r| spans(&r.2)).collect();
            let writes: Vec<_> = prepare::written(&launch).iter().map(|w| spans(&w.2)).collect();
            match resident.fits(&reads, &writes, MAX_WINDOWS) {
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
            let submitted = self.submit(plan, rows, progress, &mut work);
            submitted.map_err(|error| match error {
                // Earlier parts have already written.
                Refused::TooLittle(error) if !work.is_empty() => Refused::Failed(error),
                error => error,
            })?;
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
        reads: &Reads,
        writes: &Writes,
        kept: &[usize],
        windows: usize,
    ) -> Result<Bound, ResidentError> {
        let gpu = &self.engine.gpu;
        let read_spans: Vec<Range<u64>> = reads.iter().map(|(.., span)| span.clone()).collect();
        let write_spans: Vec<Range<u64>> = writes.iter().map(|(.., span)| span.clone()).collect();
        let mut residents = self.engine.residents.lock();
        let resident = residents.of(gpu, self.memory);
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
        work: &mut Vec<u64>,
    ) -> Result<(), Refused> {
        let columns = plan.columns();
        let all = 0..plan.groups / columns;
        let part = (rows != all).then(|| plan.rows(&rows));
        let (reads, writes) = match &part {
            Some(launch) => (prepare::read(launch), prepare::written(launch)),
            None => (plan.reads.clone(), plan.writes.clone()),
        };
        let gpu = &self.engine.gpu;
        let mut code = plan.ready.encoded.words.clone();
        let (mut record, mut own) = plan.record(self.memory, 0, code.len() as u32);
        code.append(&mut own);
        let (bytes, limit) = (size_of_val(&code[..]) as u64, gpu.largest_binding());
        if bytes > limit {
            return Err(Refused::Unsupported(format!(
                "the program and its initial data take {bytes} bytes; the adapter binds {limit}"
            )));
        }
        let kept: Vec<usize> =
            (0..reads.len()).filter(|&n| plan.needs_snapshot(reads[n].0)).collect();
        let windows = MAX_WINDOWS - usize::from(!kept.is_empty());
        gpu.check()?;
        let failures = gpu.failures();
        let bound = self
            .bind(&reads, &writes, &kept, windows)
            .map_err(|error| self.unbound(error, failures))?;
        let place = |reader: Reader| {
            let n = reads.iter().position(|read| read.0 == reader)?;
            bound.reads.get(n).copied()
        };
        let target = |writer: Writer| {
            let n = writes.iter().position(|write| write.0 == writer)?;
            bound.writes.get(n).copied()
        };
        plan.locate(&mut record, place, target);
        let variant = self.engine.variant_in(plan, bound.windows.len() as u32)?;
        let first = rows.start * columns;
        let (done, total) = (first, plan.groups);
        work.push(self.executor.start(
            gpu,
            &self.engine.pipelines,
            Work {
                variant,
                code,
                launches: vec![record],
                groups: vec![(first, (rows.end - rows.start) * columns)],
                log_entries: plan.log_entries(),
                repeatable: plan.logs,
                bound,
                slice: self.engine.slice,
                rows: plan.ready.encoded.rows,
            },
            &mut |groups| progress.groups(done + groups, total),
            progress.stop(),
        )?);
        Ok(())
    }

    /// Submits a launch as a translated program. The inner error tells why the interpreter must run
    /// it.
    fn translated(
        &mut self,
        launch: &Launch,
        ready: &Arc<Ready>,
        translator: &Translator,
        progress: &dyn Progress,
    ) -> Result<Result<Queued, Refusal>, Refused> {
        let ranges = translated::ranges(self.memory);
        let compiled = translator.compiled(self.engine, launch, ready, &ranges)?;
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
            let mut residents = self.engine.residents.lock();
            residents.of(gpu, self.memory).bring_down(gpu, self.memory, None)?;
        }
        let (reads, writes) = (prepare::read(launch), prepare::written(launch));
        let copied = translate::copied(launch);
        let kept: Vec<usize> = (0..reads.len()).filter(|&n| copied.contains(&reads[n].0)).collect();
        gpu.check()?;
        let failures = gpu.failures();
        let mut bound = match self.bind(&reads, &writes, &kept, 1) {
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
        let readers = reads.iter().map(|read| read.0);
        let writers = writes.iter().map(|write| write.0);
        let places = translated::places(readers.zip(&bound.reads), writers.zip(&bound.writes));
        let record =
            Record::new(translation, launch, &ready.lowered, state, &places, results::position(0));
        let grouping = Grouping::of(launch);
        let program = executor::Program { translation, pipeline: &compiled.pipeline };
        let bounds = Bounds { most: self.engine.most, stop: progress.stop() };
        let started =
            self.executor.start_translated(gpu, &program, &record, &bound, &grouping, &bounds);
        if compiled.may_give_up && matches!(started, Err(Halt::Stopped(_))) {
            // It may have given up before it was stopped; what it wrote then is not valid. So the
            // GPU copy is discarded.
            self.engine.residents.lock().forget(self.memory);
        }
        let number = started?;
        let overlaps = prepare::overlaps(launch);
        let groups_and_points = translated::groups_and_points(launch);
        if compiled.may_give_up {
            let result = executor::only(&mut self.executor.finish(gpu)?, number)?;
            if let Some(refusal) = translated::gave_up(result.gave_up) {
                self.engine.residents.lock().forget(self.memory);
                return Ok(Err(refusal));
            }
            let outcome = shader_outcome(&result, &overlaps, groups_and_points);
            return Ok(Ok(Queued::Known(outcome)));
        }
        Ok(Ok(Queued::Translated { work: number, overlaps, groups_and_points }))
    }

    /// Runs a launch whose writes go through the log, and applies the writes to memory.
    fn run_logged(&mut self, plan: &Plan, progress: &dyn Progress) -> Result<Outcome, Refused> {
        self.drain()?;
        let mut work = Vec::new();
        let rows = 0..plan.groups / plan.columns();
        self.submit(plan, rows, progress, &mut work)?;
        let mut done = self.executor.finish(&self.engine.gpu)?;
        let mut result = LaunchResult::default();
        for number in work {
            result.merge(executor::only(&mut done, number)?);
        }
        let mut residents = self.engine.residents.lock();
        let resident = residents.of(&self.engine.gpu, self.memory);
        for (.., span) in prepare::written(plan.launch) {
            resident.bring_down(&self.engine.gpu, self.memory, Some(span))?;
        }
        drop(residents);
        let grouping = plan.grouping;
        let group_of = |i: u32, j: u32| {
            let (width, height) = (grouping.width, grouping.height);
            (i / width * width, j / height * height)
        };
        result.writes(group_of).apply(self.memory);
        let statistics = plan.launch.statistics;
        Ok(outcome(&result, &plan.overlaps, statistics))
    }

    /// Waits for everything submitted; its outcomes are then known.
    fn drain(&mut self) -> Result<(), GpuError> {
        let mut done = self.executor.finish(&self.engine.gpu)?;
        for queued in &mut self.queue {
            match queued {
                Queued::Known(_) => {}
                Queued::Translated { work, overlaps, groups_and_points } => {
                    let result = executor::only(&mut done, *work)?;
                    let outcome = shader_outcome(&result, overlaps, *groups_and_points);
                    *queued = Queued::Known(outcome);
                }
                Queued::Submitted { work, overlaps, statistics } => {
                    let mut result = LaunchResult::default();
                    for number in work {
                        result.merge(executor::only(&mut done, *number)?);
                    }
                    *queued = Queued::Known(outcome(&result, overlaps, *statistics));
                }
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
        let mut residents = self.engine.residents.lock();
        let resident = residents.of(&self.engine.gpu, self.memory);
        let brought = resident.bring_down(&self.engine.gpu, self.memory, within);
        drop(residents);
        brought.map_err(|error| match error {
            ResidentError::Gpu(error) => self.fail(error),
            other => LaunchError::Failed { engine: NAME, reason: other.to_string() },
        })
    }
}

impl GpuSession<'_> {
    /// Runs one launch and brings its results to the host.
    pub(super) fn run(
        &mut self,
        launch: &Launch,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let chosen = self.begin(launch, progress)?;
        self.settle()?;
        self.bring_down(None)?;
        let Some(Queued::Known(outcome)) = self.queue.pop() else {
            return Err(no_outcome());
        };
        if let Some(chosen) = &chosen {
            progress.chosen(chosen);
        }
        Ok(outcome)
    }

    /// Like [`Session::launch`], but the caller must report the engine that ran it. Progress is not
    /// called after this returns.
    fn begin(
        &mut self,
        launch: &Launch,
        progress: &dyn Progress,
    ) -> Result<Option<Chosen>, LaunchError> {
        if let Some(error) = &self.failure {
            return Err(error.clone());
        }
        progress.stop().check()?;
        let ready = self.engine.ready(launch)?;
        if prepare::reads_back(launch) {
            return self.on_block(launch, progress).map(Some);
        }
        let mut chosen = None;
        if let Some(translator) = self.translator {
            match self.translated(launch, &ready, translator, progress) {
                Ok(Ok(queued)) => {
                    self.queue.push(queued);
                    return Ok(Some(translator.chosen(launch, &ready)));
                }
                // The interpreter runs it.
                Ok(Err(refusal)) => chosen = Some(refusal.chosen()),
                Err(Refused::Unsupported(reason)) => chosen = Some(translated::unbound(reason)),
                Err(Refused::TooLittle(error)) => {
                    return Err(LaunchError::Adapter { engine: NAME, error });
                }
                Err(Refused::Failed(error)) => return Err(self.fail(error)),
                Err(Refused::Stopped(why)) => return Err(why.into()),
            }
        }
        let plan = Plan::new(launch, ready);
        let statistics = launch.statistics;
        if plan.groups == 0 {
            let outcome = outcome(&LaunchResult::default(), &plan.overlaps, statistics);
            self.queue.push(Queued::Known(outcome));
            return Ok(chosen);
        }
        let queued = if plan.logs {
            self.run_logged(&plan, progress).map(Queued::Known)
        } else {
            self.submit_all(&plan, progress).map(|work| Queued::Submitted {
                work,
                overlaps: plan.overlaps.clone(),
                statistics,
            })
        };
        match queued {
            Ok(queued) => {
                self.queue.push(queued);
                Ok(chosen)
            }
            Err(Refused::Unsupported(reason)) => {
                Err(LaunchError::Unsupported { engine: NAME, reason })
            }
            Err(Refused::TooLittle(error)) => Err(LaunchError::Adapter { engine: NAME, error }),
            Err(Refused::Failed(error)) => Err(self.fail(error)),
            Err(Refused::Stopped(why)) => Err(why.into()),
        }
    }
}

impl GpuSession<'_> {
    /// Runs a launch whose points fetch their own writes, on the CPU: on the GPU, writes take
    /// effect only at the end of the launch.
    fn on_block(
        &mut self,
        launch: &Launch,
        progress: &dyn Progress,
    ) -> Result<Chosen, LaunchError> {
        self.settle()?;
        self.bring_down(None)?;
        let block = &self.engine.block;
        let outcome = block.run(launch, self.memory, progress)?;
        self.queue.push(Queued::Known(outcome));
        Ok(Chosen {
            engine: block.name(),
            kind: "reads back",
            reason: "points can fetch what they write uncached".to_string(),
        })
    }
}

impl<'a> Session<'a> for GpuSession<'a> {
    fn launch(&mut self, launch: &Launch, progress: &'a dyn Progress) -> Result<(), LaunchError> {
        if let Some(chosen) = self.begin(launch, progress)? {
            progress.chosen(&chosen);
        }
        Ok(())
    }

    fn outcomes(&mut self) -> Vec<Result<Outcome, LaunchError>> {
        let settled = self.settle();
        let mut outcomes = Vec::new();
        for queued in self.queue.drain(..) {
            match queued {
                Queued::Known(outcome) => outcomes.push(Ok(outcome)),
                _ => {
                    outcomes.push(Err(settled.err().unwrap_or_else(no_outcome)));
                    break;
                }
            }
        }
        outcomes
    }

    fn is_current(&self, range: &Range<u64>) -> bool {
        let mut residents = self.engine.residents.lock();
        residents.of(&self.engine.gpu, self.memory).is_current(range)
    }

    fn view(&mut self, ranges: &[Range<u64>]) -> Result<&Memory, LaunchError> {
        if let Some(error) = &self.failure {
            return Err(error.clone());
        }
        if !ranges.iter().all(|range| self.is_current(range)) {
            self.settle()?;
            for range in ranges {
                self.bring_down(Some(range.clone()))?;
            }
        }
        Ok(&*self.memory)
    }

    fn memory(&mut self) -> Result<&mut Memory, LaunchError> {
        self.settle()?;
        self.bring_down(None)?;
        Ok(&mut *self.memory)
    }
}

impl Drop for GpuSession<'_> {
    fn drop(&mut self) {
        if self.failure.is_none() && self.memory().is_ok() {
            let executor = std::mem::take(&mut self.executor);
            self.engine.executors.lock().push(executor);
        }
    }
}
