//! A session on the GPU: launches are submitted one after the other, memory stays there until the
//! host looks at it.

use super::executor::{Executor, Work};
use super::plan::{Plan, Ready};
use super::resident::{MAX_WINDOWS, ResidentError};
use super::translate::{self, Place, Record};
use super::translated::{self, Compiled, Refusal, Translator};
use super::{GpuError, Interpreter, NAME, outcome};
use crate::engine::prepare::{self, Overlap, Reader, Writer};
use crate::engine::{LaunchError, Outcome, Progress, Session};
use crate::launch::Launch;
use crate::memory::Memory;
use std::ops::Range;
use std::sync::Arc;

/// Launches that were taken and not yet told about.
enum Queued {
    /// Known already.
    Known(Result<Outcome, LaunchError>),
    /// Under way, as the executor's work with these numbers.
    Submitted {
        work: Vec<u64>,
        overlaps: Vec<Overlap>,
        statistics: bool,
    },
    /// Under way, with an outcome that is known unless it fails.
    Counted { work: u64, outcome: Outcome },
    /// A translated program under way; its groups and points, where they are known.
    Translated {
        work: u64,
        overlaps: Vec<Overlap>,
        groups_and_points: Option<(u64, u64)>,
        statistics: bool,
    },
}

/// Why a launch was not submitted.
enum Refused {
    /// It cannot run here; nothing has happened.
    Unsupported(String),
    /// The GPU failed.
    Failed(GpuError),
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

/// The outcome of a translated program.
pub(super) fn counted_outcome(
    result: &super::log::LaunchResult,
    overlaps: &[Overlap],
    groups_and_points: Option<(u64, u64)>,
    statistics: bool,
) -> Outcome {
    let mut outcome = outcome(result, overlaps, statistics);
    if let Some((groups, points)) = groups_and_points {
        (outcome.groups, outcome.points) = (groups, points);
        if let Some(counted) = &mut outcome.statistics {
            (counted.groups, counted.points) = (groups, points);
        }
    }
    outcome
}

/// A session.
pub(super) struct GpuSession<'a> {
    engine: &'a Interpreter,
    /// Runs what it can as shaders of their own.
    translator: Option<&'a Translator>,
    memory: &'a mut Memory,
    executor: Executor,
    queue: Vec<Queued>,
    /// What went wrong: everything behind it is refused.
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

    /// The GPU failed: what it had of this memory is gone, the host's stays.
    fn fail(&mut self, error: GpuError) -> LaunchError {
        self.engine.residents.lock().forget(self.memory);
        self.executor.forget();
        let error = LaunchError::Adapter {
            engine: NAME,
            error,
        };
        self.failure.get_or_insert(error).clone()
    }

    /// Cuts a launch's rows of tiles into parts, each of which touches no more memory than can be
    /// bound at once.
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
            let writes: Vec<_> = prepare::written(&launch)
                .iter()
                .map(|w| spans(&w.2))
                .collect();
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

    /// Submits all groups of a launch: the numbers of the work.
    fn submit_all(&mut self, plan: &Plan, progress: &dyn Progress) -> Result<Vec<u64>, Refused> {
        let mut work = Vec::new();
        // All parts are known to fit before the first one writes anything.
        for rows in self.parts(plan)? {
            self.submit(plan, rows, progress, &mut work)?;
        }
        Ok(work)
    }

    /// Submits the groups of some rows of tiles.
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
        let read_spans: Vec<Range<u64>> = reads.iter().map(|(.., span)| span.clone()).collect();
        let write_spans: Vec<Range<u64>> = writes.iter().map(|(.., span)| span.clone()).collect();
        let kept: Vec<usize> = (0..reads.len())
            .filter(|&n| plan.needs_snapshot(reads[n].0))
            .collect();
        let limit = MAX_WINDOWS - usize::from(!kept.is_empty());
        let gpu = &self.engine.gpu;
        let mut residents = self.engine.residents.lock();
        let resident = residents.of(gpu, self.memory);
        let mut bound = resident.bind(gpu, self.memory, &read_spans, &write_spans, limit)?;
        if !kept.is_empty() {
            let spans: Vec<Range<u64>> = kept.iter().map(|&n| read_spans[n].clone()).collect();
            let commands = self.executor.commands(gpu);
            let deltas = resident.snapshot(gpu, commands, &mut bound, &spans)?;
            for (&n, delta) in kept.iter().zip(deltas) {
                bound.reads[n] = delta;
            }
        }
        resident.written(&write_spans);
        drop(residents);
        let programs = &plan.ready.encoded.words;
        let place = |reader: Reader| {
            let n = reads.iter().position(|read| read.0 == reader)?;
            bound.reads.get(n).copied()
        };
        let target = |writer: Writer| {
            let n = writes.iter().position(|write| write.0 == writer)?;
            bound.writes.get(n).copied()
        };
        let at = programs.len() as u32;
        let (record, mut own) = plan.record(self.memory, 0, at, place, target);
        let mut code = programs.clone();
        code.append(&mut own);
        let bytes = size_of_val(&code[..]) as u64;
        if bytes > gpu.limits.max_storage_buffer_binding_size {
            return Err(Refused::Unsupported(format!(
                "the program and its initial data take {bytes} bytes; the adapter binds {}",
                gpu.limits.max_storage_buffer_binding_size
            )));
        }
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
        )?);
        Ok(())
    }

    /// Submits a launch as a shader of its own; why not, if it is left to the interpreter.
    fn translated(
        &mut self,
        launch: &Launch,
        ready: &Arc<Ready>,
        translator: &Translator,
    ) -> Result<Result<Queued, Refusal>, Refused> {
        let ranges = translated::ranges(self.memory);
        let compiled = translator.compiled(self.engine, launch, ready, &ranges)?;
        let compiled = match compiled {
            Ok(compiled) => compiled,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let gpu = &self.engine.gpu;
        if compiled.may_give_up {
            // The host keeps what there was before.
            self.drain()?;
            let mut residents = self.engine.residents.lock();
            residents
                .of(gpu, self.memory)
                .bring_down(gpu, self.memory, None)?;
        }
        let (reads, writes) = (prepare::read(launch), prepare::written(launch));
        let spans =
            |list: &mut dyn Iterator<Item = Range<u64>>| -> Vec<Range<u64>> { list.collect() };
        let read_spans = spans(&mut reads.iter().map(|(.., span)| span.clone()));
        let write_spans = spans(&mut writes.iter().map(|(.., span)| span.clone()));
        let mut residents = self.engine.residents.lock();
        let resident = residents.of(gpu, self.memory);
        let mut bound = match resident.bind(gpu, self.memory, &read_spans, &write_spans, 1) {
            Ok(bound) => bound,
            Err(ResidentError::Windows { needed, .. }) => {
                return Ok(Err(Refusal::Windows { windows: needed }));
            }
            Err(error) => return Err(error.into()),
        };
        let copied = translate::copied(launch);
        let kept: Vec<usize> = (0..reads.len())
            .filter(|&n| copied.contains(&reads[n].0))
            .collect();
        if !kept.is_empty() {
            let spans: Vec<Range<u64>> = kept.iter().map(|&n| read_spans[n].clone()).collect();
            let before = bound.words() as u32;
            let commands = self.executor.commands(gpu);
            let deltas = resident.snapshot(gpu, commands, &mut bound, &spans)?;
            for (&n, delta) in kept.iter().zip(deltas) {
                // Counted from the beginning of the copies' own window.
                bound.reads[n] = delta.wrapping_add(before);
            }
        }
        let mut places = [Place::default(); 21];
        for ((reader, ..), &delta) in reads.iter().zip(&bound.reads) {
            places[translated::place_of(*reader)] = Place { delta };
        }
        for ((writer, ..), &delta) in writes.iter().zip(&bound.writes) {
            places[translated::place_of_writer(*writer)] = Place { delta };
        }
        let Compiled {
            translation, state, ..
        } = &*compiled;
        let record = Record::new(translation, launch, &ready.lowered, state, &places, 0);
        resident.written(&write_spans);
        drop(residents);
        let groups = translated::tiles(launch);
        let number = self.executor.start_translated(
            gpu,
            &compiled.pipeline,
            translation,
            &record,
            &bound,
            groups,
        )?;
        let overlaps = prepare::overlaps(launch);
        let groups_and_points = translated::groups_and_points(launch);
        let known = groups_and_points
            .filter(|_| overlaps.is_empty() && !launch.statistics)
            .map(|(groups, points)| Outcome {
                groups,
                points,
                ..Outcome::default()
            });
        if compiled.may_give_up {
            let mut done = self.executor.finish(gpu)?;
            let results = done.remove(&number).unwrap_or_default();
            let result = results.into_iter().next().unwrap_or_default();
            if let Some(refusal) = translated::gave_up(result.gave_up) {
                self.engine.residents.lock().forget(self.memory);
                return Ok(Err(refusal));
            }
            let outcome = counted_outcome(&result, &overlaps, groups_and_points, launch.statistics);
            return Ok(Ok(Queued::Known(Ok(outcome))));
        }
        Ok(Ok(match known {
            Some(outcome) => Queued::Counted {
                work: number,
                outcome,
            },
            None => Queued::Translated {
                work: number,
                overlaps,
                groups_and_points,
                statistics: launch.statistics,
            },
        }))
    }

    /// Runs a launch whose writes go through the log: its outcome, with the writes in memory.
    fn run_logged(&mut self, plan: &Plan, progress: &dyn Progress) -> Result<Outcome, Refused> {
        self.drain()?;
        let mut work = Vec::new();
        let rows = 0..plan.groups / plan.columns();
        self.submit(plan, rows, progress, &mut work)?;
        let mut done = self.executor.finish(&self.engine.gpu)?;
        let number = work.first().copied().unwrap_or(0);
        let results = done.remove(&number).unwrap_or_default();
        let mut result = results.into_iter().next().unwrap_or_default();
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
                Queued::Counted { work, outcome } => {
                    done.remove(work);
                    *queued = Queued::Known(Ok(std::mem::take(outcome)));
                }
                Queued::Translated {
                    work,
                    overlaps,
                    groups_and_points,
                    statistics,
                } => {
                    let results = done.remove(work).unwrap_or_default();
                    let result = results.into_iter().next().unwrap_or_default();
                    let outcome =
                        counted_outcome(&result, overlaps, *groups_and_points, *statistics);
                    *queued = Queued::Known(Ok(outcome));
                }
                Queued::Submitted {
                    work,
                    overlaps,
                    statistics,
                } => {
                    let mut result = super::log::LaunchResult::default();
                    for part in work.iter().filter_map(|number| done.remove(number)) {
                        part.into_iter().for_each(|one| result.merge(one));
                    }
                    *queued = Queued::Known(Ok(outcome(&result, overlaps, *statistics)));
                }
            }
        }
        Ok(())
    }

    /// As [`drain`](Self::drain); after an error the outcomes are errors.
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
            other => LaunchError::Unsupported {
                engine: NAME,
                reason: other.to_string(),
            },
        })
    }
}

impl GpuSession<'_> {
    /// Runs one launch, its results on the host.
    pub(super) fn run(
        &mut self,
        launch: &Launch,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        self.begin(launch, progress)?;
        self.settle()?;
        self.bring_down(None)?;
        match self.queue.pop() {
            Some(Queued::Known(outcome)) => outcome,
            _ => Err(LaunchError::Unsupported {
                engine: NAME,
                reason: "the launch had no outcome".into(),
            }),
        }
    }

    /// As [`Session::launch`]. Nothing tells progress after this call.
    pub(super) fn begin(
        &mut self,
        launch: &Launch,
        progress: &dyn Progress,
    ) -> Result<(), LaunchError> {
        if let Some(error) = &self.failure {
            return Err(error.clone());
        }
        let ready = self.engine.ready(launch)?;
        let mut chosen = None;
        if let Some(translator) = self.translator {
            match self.translated(launch, &ready, translator) {
                Ok(Ok(queued)) => {
                    self.queue.push(queued);
                    progress.chosen(&translator.chosen(launch, &ready));
                    return Ok(());
                }
                // The interpreter runs it.
                Ok(Err(refusal)) => chosen = Some(refusal.chosen()),
                Err(Refused::Unsupported(reason)) => chosen = Some(translated::unbound(reason)),
                Err(Refused::Failed(error)) => return Err(self.fail(error)),
            }
        }
        let told = || {
            if let Some(chosen) = &chosen {
                progress.chosen(chosen);
            }
        };
        let plan = Plan::new(launch, ready);
        let statistics = launch.statistics;
        if plan.groups == 0 {
            let nothing = super::log::LaunchResult::default();
            let outcome = outcome(&nothing, &plan.overlaps, statistics);
            self.queue.push(Queued::Known(Ok(outcome)));
            told();
            return Ok(());
        }
        let queued = if plan.logs {
            self.run_logged(&plan, progress)
                .map(|outcome| Queued::Known(Ok(outcome)))
        } else {
            self.submit_all(&plan, progress)
                .map(|work| Queued::Submitted {
                    work,
                    overlaps: plan.overlaps.clone(),
                    statistics,
                })
        };
        match queued {
            Ok(queued) => {
                self.queue.push(queued);
                told();
                Ok(())
            }
            Err(Refused::Unsupported(reason)) => Err(LaunchError::Unsupported {
                engine: NAME,
                reason,
            }),
            Err(Refused::Failed(error)) => Err(self.fail(error)),
        }
    }
}

impl<'a> Session<'a> for GpuSession<'a> {
    fn launch(&mut self, launch: &Launch, progress: &'a dyn Progress) -> Result<(), LaunchError> {
        self.begin(launch, progress)
    }

    fn outcomes(&mut self) -> Vec<Result<Outcome, LaunchError>> {
        let settled = self.settle();
        let mut outcomes = Vec::new();
        for queued in self.queue.drain(..) {
            match queued {
                Queued::Known(outcome) => outcomes.push(outcome),
                _ => {
                    outcomes.push(settled.clone().map(|()| Outcome::default()));
                    break;
                }
            }
        }
        outcomes
    }

    fn is_current(&self, range: &Range<u64>) -> bool {
        let mut residents = self.engine.residents.lock();
        residents
            .of(&self.engine.gpu, self.memory)
            .is_current(range)
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
