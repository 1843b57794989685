//! A session on the GPU. Launches are recorded and submitted, several together if that pays, and
//! take effect in order. Memory stays on the GPU until the host reads it.

use crate::memory::{Bound, Resident, ResidentError};
use crate::run::executor::{self, Bounds, Done, Executor, Halt};
use crate::run::interpreter::{Interpreter, NAME};
use crate::run::ticket::Ticket;
use crate::shader::compiled::Compiled;
use crate::shader::translator::{self, Translator};
use ctm_machine::engine::GpuError;
use ctm_machine::engine::block::Block;
use ctm_machine::engine::checked::{Access, Reader, Writer, intersect, spans};
use ctm_machine::engine::policy::{self, Facts, Runner};
use ctm_machine::engine::{
    Checked, Engine, LaunchError, Outcome, Progress, Ran, Session, Spent, Why,
};
use ctm_machine::memory::Memory;
use ctm_shade::abi::results::LaunchResult;
use ctm_shade::plan::prepared::Prepared;
use ctm_shade::plan::space::ranges;
use ctm_shade::plan::work::Work;
use ctm_shade::plan::{Data, data_bytes, too_much_data};
use ctm_shade::translate::{self, Record, Sizes};
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A launch that was accepted and whose outcome has not been returned yet.
enum Queued {
    /// It has ended.
    Known(Outcome),
    /// The executor runs it as the work of this number.
    Running(u64, Ticket),
}

/// Refusals of a launch.
enum Refused {
    /// It cannot run in this way on the adapter; nothing has happened.
    Unsupported(Why),
    /// The memory that it touches is too large for the adapter; nothing has happened.
    TooLarge(Why),
    /// The adapter has too little memory for it; nothing has happened.
    TooLittle(GpuError),
    /// The GPU failed.
    Failed(GpuError),
    /// It was stopped, or the engine does not run such launches.
    Launch(LaunchError),
}

impl From<Halt> for Refused {
    fn from(halt: Halt) -> Refused {
        match halt {
            Halt::Gpu(error) => Refused::Failed(error),
            Halt::Stopped(why) => Refused::Launch(why.into()),
        }
    }
}

impl From<LaunchError> for Refused {
    fn from(error: LaunchError) -> Refused {
        Refused::Launch(error)
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
            other => Refused::TooLarge(Why::new("too large", other)),
        }
    }
}

/// Adds the time of some calls.
fn timed<T>(sum: &mut Duration, calls: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let value = calls();
    *sum += started.elapsed();
    value
}

/// Nothing is certain of what a launch writes.
const ANY: [Sizes; 4] = [Sizes::Any; 4];

fn no_outcome() -> LaunchError {
    LaunchError::Failed { engine: NAME, reason: "the launch had no outcome".into() }
}

pub(crate) struct GpuSession<'a> {
    engine: &'a Interpreter,
    /// Translates the programs that it can.
    translator: Option<&'a Translator>,
    memory: &'a mut Memory,
    /// The copy of the memory on the GPU.
    resident: Resident,
    spent: Spent,
    executor: Executor,
    queue: Vec<Queued>,
    /// The first failure; every later launch is refused with it, or runs on the block engine.
    failure: Option<LaunchError>,
}

impl<'a> GpuSession<'a> {
    pub(crate) fn new(
        engine: &'a Interpreter,
        translator: Option<&'a Translator>,
        memory: &'a mut Memory,
    ) -> GpuSession<'a> {
        let mut executor = engine.executors.lock().pop().unwrap_or_default();
        executor.restart_time();
        GpuSession {
            engine,
            translator,
            resident: engine.residents.lock().take(memory),
            memory,
            spent: Spent::default(),
            executor,
            queue: Vec::new(),
            failure: None,
        }
    }

    /// Records a GPU failure: the GPU copy of this memory is lost, the host's stays.
    fn fail(&mut self, error: GpuError) -> LaunchError {
        let fresh = self.engine.residents.lock().fresh(self.memory);
        let only_there = std::mem::replace(&mut self.resident, fresh).newer();
        if error.is_lost() {
            self.memory.set_stale([self.memory.stale(), &only_there].concat());
        }
        self.executor.forget();
        let error = LaunchError::Adapter { engine: NAME, error };
        self.failure.get_or_insert(error).clone()
    }

    /// Uploads and binds every span that a launch touches, and the `data` that its temporaries start
    /// with; the reads of `copied` read copies, and if it `may_give_up`, what it writes is kept. `outputs`:
    /// what is certain of the numbers that it writes. From now on the GPU copy of the written spans is
    /// authoritative. A lack of memory concerns this launch only and leaves the others intact, unless a
    /// call failed otherwise meanwhile.
    fn bind(
        &mut self,
        reads: &[Access<Reader>],
        writes: &[Access<Writer>],
        copied: &[usize],
        data: &[&Arc<Data>],
        may_give_up: bool,
        outputs: [Sizes; 4],
    ) -> Result<(Bound, Option<wgpu::Buffer>), Refused> {
        let gpu = &self.engine.gpu;
        let (bytes, limit) = (data_bytes(data), gpu.largest_binding());
        if bytes > limit {
            return Err(Refused::Unsupported(too_much_data(bytes, limit)));
        }
        let (read_spans, write_spans) = (spans(reads), spans(writes));
        gpu.check()?;
        let failures = gpu.failures();
        let lacks = |error: ResidentError| match error {
            ResidentError::Gpu(error) if error.is_too_little() && gpu.failures() == failures => {
                Refused::TooLittle(error)
            }
            error => error.into(),
        };
        if !self.resident.holds(&read_spans, &write_spans)? {
            self.drain().map_err(|error| lacks(error.into()))?;
        }
        let bound = timed(&mut self.spent.upload, || {
            let starts = self.executor.starts(gpu, data)?;
            let mut bound = self.resident.bind(gpu, self.memory, &read_spans, &write_spans)?;
            if may_give_up {
                self.resident.keep(gpu, &mut bound, &write_spans)?;
            }
            let kept: Vec<_> = copied.iter().map(|&n| (n, read_spans[n].clone())).collect();
            if !kept.is_empty() {
                self.resident.snapshot(gpu, &mut bound, &kept)?;
            }
            Ok((bound, starts))
        });
        let bound = bound.map_err(lacks)?;
        for write in writes {
            let sizes = match write.by {
                Writer::Output(n) => outputs[n],
                Writer::Condition => Sizes::Any,
            };
            self.resident.written(self.memory, &write.span, sizes);
        }
        Ok(bound)
    }

    /// Submits all groups of a launch to the interpreter.
    fn submit(&mut self, plan: &Prepared, progress: &dyn Progress) -> Result<u64, Refused> {
        let (launch, gpu) = (plan.launch, &self.engine.gpu);
        // Waits for the probe, and perhaps compiles meanwhile.
        let work = timed(&mut self.spent.compile, || {
            let variant = |plans: &[&Prepared], effort| self.engine.variant(plans, false, effort);
            Work::new(&[(plan, &*self.memory)], self.engine.settings.slice, variant)
        })?;
        let (bound, starts) =
            self.bind(&launch.reads, plan.writes(), &plan.copied(), &work.data(), false, ANY)?;
        let places = bound.places(&launch.reads, plan.writes());
        let work = work.at(bound.copied.is_some(), &[places]);
        let pipeline = timed(&mut self.spent.compile, || {
            self.engine.pipelines.get(gpu, &work.variant, work.effort)
        })?;
        Ok(self.executor.start(
            gpu,
            pipeline,
            work,
            (bound, starts),
            &mut |groups| progress.groups(groups, plan.groups),
            &Bounds { most: self.engine.most, stop: progress.stop() },
        )?)
    }

    /// Submits a launch as a translated program.
    fn translated(
        &mut self,
        launch: &Checked,
        why: Option<Why>,
        translator: &Translator,
        progress: &dyn Progress,
    ) -> Result<Queued, Refused> {
        let ready = self.engine.ready(launch)?;
        let ranges = ranges(self.memory);
        let compiled = timed(&mut self.spent.compile, || {
            let sizes = |span: &Range<u64>| self.resident.sizes(self.memory, span);
            self.engine.shader(translator, launch, &ready, &ranges, sizes)
        });
        let compiled = compiled?.map_err(Refused::Unsupported)?;
        let gpu = &self.engine.gpu;
        let Compiled { translation, state, may_give_up, .. } = &*compiled;
        let (reads, writes) = (&launch.reads, &launch.writes);
        let data = translate::starts(launch, translation, state);
        let copied = translate::copied(launch);
        let outputs = translation.outputs;
        let (bound, starts) = self.bind(reads, writes, &copied, &data, *may_give_up, outputs)?;
        let mut places = bound.places(reads, writes);
        places.from_copies(reads, &copied, bound.memory.2);
        let record = Record::new(translation, launch, &places);
        let program = executor::Program { translation, pipeline: &compiled.pipeline, starts };
        let bounds = Bounds { most: self.engine.most, stop: progress.stop() };
        let number = self.executor.start_translated(
            gpu,
            &program,
            &record,
            &bound,
            &launch.grouping,
            &bounds,
        )?;
        let ticket = Ticket::of_shader(launch, why);
        if !may_give_up {
            return Ok(Queued::Running(number, ticket));
        }
        let result = executor::only(&mut self.drain()?, number)?;
        match translator::gave_up(result.gave_up) {
            Some(why) => Err(Refused::Unsupported(why)),
            None => Ok(Queued::Known(ticket.outcome(result))),
        }
    }

    /// Runs a launch whose writes go through the log, and applies the writes to memory.
    fn run_logged(
        &mut self,
        plan: &Prepared,
        ran: Ran,
        progress: &dyn Progress,
    ) -> Result<Outcome, Refused> {
        let work = self.submit(plan, progress)?;
        let mut result = executor::only(&mut self.drain()?, work)?;
        for written in &plan.launch.writes {
            self.resident.bring_down(&self.engine.gpu, self.memory, Some(written.span.clone()))?;
        }
        result.writes(&plan.launch.grouping).apply(self.memory);
        Ok(result.outcome(plan.launch.pending(ran)))
    }

    /// Waits for everything submitted; the outcomes of what is queued are then known. Returns the
    /// results of other work.
    fn drain(&mut self) -> Result<Done, GpuError> {
        let mut done = self.executor.finish(&self.engine.gpu)?;
        for queued in &mut self.queue {
            if let Queued::Running(number, ticket) = queued {
                *queued = Queued::Known(ticket.outcome(executor::only(&mut done, *number)?));
            }
        }
        Ok(done)
    }

    /// Like [`drain`](Self::drain); after an error the session has failed.
    fn settle(&mut self) -> Result<(), LaunchError> {
        if let Some(error) = &self.failure {
            return Err(error.clone());
        }
        self.drain().map(drop).map_err(|error| self.fail(error))
    }

    fn bring_down(&mut self, within: Option<Range<u64>>) -> Result<(), LaunchError> {
        let brought = timed(&mut self.spent.readback, || {
            self.resident.bring_down(&self.engine.gpu, self.memory, within)
        });
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
        let down = if self.resident.is_one_round() {
            let requested = self
                .executor
                .take_commands(&self.engine.gpu)
                .map_err(ResidentError::from)
                .and_then(|end| self.resident.request(&self.engine.gpu, self.memory, end));
            let down = requested.map_err(|error| self.not_brought(error))?;
            self.executor.submitted(down.requested.submission.clone());
            Some(down)
        } else {
            None
        };
        self.settle()?;
        if let Some(down) = down {
            let received = timed(&mut self.spent.readback, || {
                self.resident.receive(&self.engine.gpu, self.memory, down)
            });
            received.map_err(|error| self.not_brought(error))?;
        }
        self.bring_down(None)
    }

    /// Runs one launch and brings its results to the host.
    pub(crate) fn run(
        &mut self,
        launch: &Checked,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let stale = self.memory.stale().to_vec();
        let current = self.resident.newer().is_empty();
        self.begin(launch, progress)?;
        if self.failure.is_none()
            && let Err(error) = self.finish()
        {
            if current {
                // The host still has everything from before the launch.
                self.memory.set_stale(stale);
            }
            self.queue.clear();
            self.run_as_chosen(launch, Some(error), progress)?;
        }
        match self.queue.pop() {
            Some(Queued::Known(mut outcome)) => {
                outcome.ran.gpu = self.spent().gpu;
                Ok(outcome)
            }
            _ => Err(no_outcome()),
        }
    }

    /// Runs or queues a launch. Progress is not called after this returns.
    fn begin(&mut self, launch: &Checked, progress: &dyn Progress) -> Result<(), LaunchError> {
        progress.stop().check()?;
        self.run_as_chosen(launch, self.failure.clone(), progress)
    }

    /// Runs or queues a launch as the policy decides. What is found by trying are new facts for the
    /// policy. `failed`: the error with which the GPU failed.
    fn run_as_chosen(
        &mut self,
        launch: &Checked,
        mut failed: Option<LaunchError>,
        progress: &dyn Progress,
    ) -> Result<(), LaunchError> {
        let (mut no_shader, mut too_large) = (None, None);
        loop {
            let facts = self.engine.facts(self.translator, failed.as_ref());
            let (no, large) = (no_shader.as_ref(), too_large.as_ref());
            let facts = Facts { no_shader: no, too_large: large, ..facts };
            let (runner, why) = policy::choose(launch, &facts)?;
            let queued = match (runner, self.translator) {
                (Runner::Block, _) => {
                    self.on_block(launch, why, failed.as_ref(), progress).map_err(Refused::Launch)
                }
                (Runner::Shader, Some(translator)) => {
                    self.translated(launch, why, translator, progress)
                }
                (Runner::Interpreter | Runner::Shader, _) => {
                    self.interpreted(launch, why, progress)
                }
            };
            let error = match queued {
                Ok(queued) => {
                    self.queue.push(queued);
                    return Ok(());
                }
                Err(Refused::TooLarge(why)) => {
                    too_large = Some(why);
                    continue;
                }
                Err(Refused::Unsupported(why)) if runner == Runner::Shader => {
                    no_shader = Some(why);
                    continue;
                }
                Err(Refused::Unsupported(why)) => {
                    LaunchError::Unsupported { engine: NAME, reason: why.reason }
                }
                Err(Refused::TooLittle(error)) => LaunchError::Adapter { engine: NAME, error },
                Err(Refused::Failed(error)) => self.fail(error),
                Err(Refused::Launch(error)) => error,
            };
            if failed.replace(error.clone()).is_some() {
                return Err(error);
            }
        }
    }

    /// Checks that the host has everything that a launch reads.
    fn check_whole(&self, launch: &Checked) -> Result<(), LaunchError> {
        let lost = |read: &&Access<Reader>| !self.is_whole(&read.span);
        let surfaces: Vec<String> = launch.reads.iter().filter(lost).map(|r| r.by.name()).collect();
        if surfaces.is_empty() {
            Ok(())
        } else {
            Err(LaunchError::Lost { surfaces: surfaces.join(", ") })
        }
    }

    /// Runs a launch on the block engine; `failed`: instead of the GPU, which failed.
    fn on_block(
        &mut self,
        launch: &Checked,
        why: Option<Why>,
        failed: Option<&LaunchError>,
        progress: &dyn Progress,
    ) -> Result<Queued, LaunchError> {
        if let (Some(error), Some(fallback)) = (failed, &self.engine.fallback) {
            self.check_whole(launch)?;
            fallback.noted.call_once(|| {
                (fallback.note)(&format!("engine block takes over where needed: {error}"));
            });
        }
        if self.failure.is_none() {
            self.finish()?;
        }
        let mut outcome = Block::new().run_checked(launch, self.memory, progress)?;
        outcome.ran.why = why;
        Ok(Queued::Known(outcome))
    }

    /// Queues a launch on the interpreter.
    fn interpreted(
        &mut self,
        launch: &Checked,
        why: Option<Why>,
        progress: &dyn Progress,
    ) -> Result<Queued, Refused> {
        let plan = Prepared::new(launch, self.engine.ready(launch)?);
        let ran = Ran { engine: NAME, why, gpu: None };
        if plan.groups == 0 {
            let outcome = LaunchResult::default().outcome(launch.pending(ran));
            return Ok(Queued::Known(outcome));
        }
        if plan.logs {
            return self.run_logged(&plan, ran, progress).map(Queued::Known);
        }
        Ok(Queued::Running(self.submit(&plan, progress)?, Ticket::of(launch, ran)))
    }

    /// Whether no byte of a range was lost.
    fn is_whole(&self, range: &Range<u64>) -> bool {
        !self.memory.stale().iter().any(|lost| intersect(lost, range))
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
                Queued::Running(..) => {
                    outcomes.push(Err(settled.err().unwrap_or_else(no_outcome)));
                    break;
                }
            }
        }
        outcomes
    }

    fn spent(&self) -> Spent {
        let gpu = self.executor.time().filter(|time| !time.is_zero());
        Spent { gpu, ..self.spent }
    }

    fn is_current(&self, range: &Range<u64>) -> bool {
        self.resident.is_current(range) && self.is_whole(range)
    }

    fn view(&mut self, ranges: &[Range<u64>]) -> Result<&Memory, LaunchError> {
        if let Some(error) = &self.failure {
            // Only what the lost device held is not there.
            let whole = !self.memory.stale().is_empty() && ranges.iter().all(|r| self.is_whole(r));
            if !whole {
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
        if std::thread::panicking() {
            // What a panic left is not used again.
            return;
        }
        if self.failure.is_none() && self.memory().is_ok() {
            let executor = std::mem::take(&mut self.executor);
            self.engine.executors.lock().push(executor);
        }
        let fresh = self.engine.residents.lock().fresh(self.memory);
        let resident = std::mem::replace(&mut self.resident, fresh);
        self.engine.residents.lock().put(resident);
    }
}
