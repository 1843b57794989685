//! Batches: many launches, each with its own memory, packed into few submissions.
//!
//! A pack has launches that run as translated shaders, one dispatch each, or launches that the
//! interpreter runs, all in one dispatch. Their memory is in one buffer ([`Pool`]), uploaded and
//! read back at once. Two packs of the interpreter are in flight: one runs while the next is made and the
//! results of the one before are stored. Launches that are too large for a pack run alone.
//!
//! Shaders run on lanes, several parts of the batch concurrently. Mesa's lavapipe compiles a shader
//! at its first dispatch, on the one thread of its queue. There each lane has its own device, so
//! that shaders compile concurrently. Other drivers compile on the calling thread; there all lanes
//! share one device.

use crate::device::connection::Gpu;
use crate::memory::{ALIGN, Requested, ResidentError};
use crate::run::executor::{self, Bounds, Halt};
use crate::run::interpreter::{Interpreter, NAME};
use crate::run::lane::{Buffers, Lane};
use crate::run::session::GpuSession;
use crate::run::ticket::Ticket;
use crate::shader::compiled::Compiled;
use crate::shader::translator::{Translator, gave_up};
use ctm_base::panics;
use ctm_machine::engine::GpuError;
use ctm_machine::engine::checked::{Access, Reader, Writer};
use ctm_machine::engine::policy::{self, Runner};
use ctm_machine::engine::{
    BatchProgress, Checked, CheckedItem, LaunchError, Outcome, Ran, Stop, Why, caught,
};
use ctm_machine::launch::FloatMode;
use ctm_shade::abi::encode::Ready;
use ctm_shade::abi::places::Places;
use ctm_shade::abi::results::LaunchResult;
use ctm_shade::plan::prepared::Prepared;
use ctm_shade::plan::space::ranges;
use ctm_shade::plan::work::Work;
use ctm_shade::plan::{data_bytes, dispatch, too_much_data};
use ctm_shade::translate::{self, Record};
use parking_lot::Mutex;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The most bytes of programs, constants and initial data that the interpreter gets at once.
const CODE: u64 = 16 << 20;

/// The most launches of a pack: few enough that a batch has several, which overlap.
pub(super) const MEMBERS: usize = 256;

/// The number of groups above which a launch runs faster on its own.
const LARGE: u64 = 1 << 12;

/// The most launches in a part that one lane runs.
const PART: usize = 32;

/// The state of an item.
#[expect(clippy::large_enum_variant, reason = "every item ends as the large one")]
enum Slot {
    /// It ran, or cannot run.
    Done(Result<Outcome, LaunchError>),
    /// The interpreter has to run it.
    Left(Option<Why>),
    /// It runs outside the packs: it is too large, or reads back its own writes.
    Alone(Option<Why>),
}

/// Runs a batch on the interpreter, or as translated shaders where that is possible.
pub(crate) fn run(
    engine: &Interpreter,
    translated: Option<(&Translator, &Mutex<Vec<Lane>>)>,
    items: &mut [CheckedItem<'_>],
    progress: &dyn BatchProgress,
) -> Vec<Result<Outcome, LaunchError>> {
    let (total, stop) = (items.len() as u64, progress.stop());
    let done = AtomicU64::new(0);
    let ended = || progress.launches(done.fetch_add(1, Ordering::Relaxed) + 1, total);
    let mut slots: Vec<Slot> = match translated {
        None => items.iter().map(|_| Slot::Left(None)).collect(),
        Some((translator, lanes)) => {
            let size = items.len().div_ceil(rayon::current_num_threads()).clamp(1, PART);
            let parts = items.par_chunks_mut(size).map(|items| {
                let lane = lanes.lock().pop();
                let lane = lane.unwrap_or_else(|| Lane::of(&engine.gpu, translator));
                let slots = items.iter().map(|_| Slot::Alone(None)).collect();
                let mut pack = Pack::new(engine, lane, items, slots, stop, &ended);
                pack.shaders(translator);
                pack.finish(lanes)
            });
            parts.collect::<Vec<_>>().into_iter().flatten().collect()
        }
    };
    if slots.iter().any(|slot| matches!(slot, Slot::Left(_))) {
        // Here on all threads; the pack takes the launches one by one, and reports what fails.
        let left = slots.par_iter().zip(&*items).filter(|(slot, _)| matches!(slot, Slot::Left(_)));
        left.filter(|_| stop.check().is_ok()).for_each(|(_, CheckedItem { launch, .. })| {
            drop(caught(NAME, || {
                engine.ready(launch)?.encoded(&launch.program);
                Ok(())
            }));
        });
        let lane = engine.lanes.lock().pop();
        let lane = lane.unwrap_or_else(|| Lane::new(engine.gpu.clone(), None));
        let mut pack = Pack::new(engine, lane, items, slots, stop, &ended);
        pack.interpreted();
        slots = pack.finish(&engine.lanes);
    }
    let alone = |item: &mut CheckedItem, why: Option<Why>| {
        let translator = translated.filter(|_| why.is_none()).map(|(translator, _)| translator);
        let outcome = caught(NAME, || {
            let mut session = GpuSession::new(engine, translator, item.memory);
            session.run(&item.launch, stop)
        });
        ended();
        match why {
            Some(why) => outcome.map(|outcome| outcome.because(why)),
            None => outcome,
        }
    };
    let falls_back = |launch: &Checked, error: &LaunchError| {
        policy::choose(launch, &engine.facts(None, Some(error))).is_ok()
    };
    let results = slots.into_iter().zip(items).map(|(slot, item)| match slot {
        Slot::Done(Err(error)) if falls_back(&item.launch, &error) => alone(item, None),
        Slot::Done(result) => result,
        Slot::Left(why) | Slot::Alone(why) => alone(item, why),
    });
    results.collect()
}

/// The kind of a packed launch's run, and the reason if there was a choice.
enum How {
    Shader(Arc<Compiled>, Option<Why>),
    Interpreter(Arc<Ready>, Option<Why>),
}

/// The total size and work of a pack's launches.
#[derive(Clone, Copy, Default)]
struct Cost {
    /// Bytes of records, programs and constants.
    bytes: u64,
    /// Point-instructions of shaders.
    work: u64,
}

/// A pack that was submitted.
struct Flight {
    buffers: Buffers,
    packed: Vec<(usize, How)>,
    /// The number of each work, and of its launches.
    works: Vec<(u64, usize)>,
    memory: Requested,
}

/// Launches that will run together, of a part of a batch.
struct Pack<'p, 'i> {
    engine: &'p Interpreter,
    lane: Lane,
    buffers: Buffers,
    /// The pack before.
    flight: Option<Flight>,
    items: &'p mut [CheckedItem<'i>],
    slots: Vec<Slot>,
    stop: &'p Stop,
    /// Called for each launch that has ended.
    ended: &'p (dyn Fn() + Sync),
    packed: Vec<(usize, How)>,
    cost: Cost,
    /// The device failed; the lane must not be reused.
    failed: bool,
}

impl<'p, 'i> Pack<'p, 'i> {
    fn new(
        engine: &'p Interpreter,
        mut lane: Lane,
        items: &'p mut [CheckedItem<'i>],
        slots: Vec<Slot>,
        stop: &'p Stop,
        ended: &'p (dyn Fn() + Sync),
    ) -> Pack<'p, 'i> {
        let (buffers, flight) = (lane.buffers(), None);
        let (packed, cost, failed) = (Vec::new(), Cost::default(), false);
        Pack { engine, lane, buffers, flight, items, slots, stop, ended, packed, cost, failed }
    }

    fn done(&mut self, n: usize, result: Result<Outcome, LaunchError>) {
        self.slots[n] = Slot::Done(result);
        (self.ended)();
    }

    /// Packs the launches that run as shaders, and leaves the others to the interpreter.
    fn shaders(&mut self, translator: &Translator) {
        let limit = Cost { bytes: self.lane.gpu.largest_binding(), work: self.engine.most };
        for n in 0..self.items.len() {
            self.each(n, |pack| pack.shader(n, translator, limit));
        }
        self.flush();
    }

    /// Does the work for a launch; its error is the launch's result. After a panic the pool may have a part of
    /// the launch: those that are packed run alone.
    fn each(&mut self, n: usize, work: impl FnOnce(&mut Self) -> Result<(), LaunchError>) {
        if let Err(error) = caught(NAME, || work(self)) {
            if let LaunchError::Panic { .. } = error {
                let packed = std::mem::take(&mut self.packed);
                self.restart();
                self.unpack(packed);
            }
            self.done(n, Err(error));
        }
    }

    /// Packs a launch if it runs as a shader.
    fn shader(
        &mut self,
        n: usize,
        translator: &Translator,
        limit: Cost,
    ) -> Result<(), LaunchError> {
        let launch = &self.items[n].launch;
        self.stop.check()?;
        let facts = self.engine.facts(Some(translator), None);
        let why = match policy::choose(launch, &facts)? {
            (Runner::Shader, why) if launch.grouping.count() <= LARGE => why,
            (Runner::Shader | Runner::Block, _) => return Ok(()),
            (Runner::Interpreter, why) => {
                self.slots[n] = Slot::Left(why);
                return Ok(());
            }
        };
        let ranges = ranges(self.items[n].memory);
        match self.engine.packed_shader(translator, launch, &ranges, &mut self.lane)? {
            Ok(compiled) => {
                let bytes = Record::bytes(&compiled.translation).next_multiple_of(ALIGN);
                let starts = translate::starts(launch, &compiled.translation, &compiled.state);
                let starts = data_bytes(&starts);
                let work = dispatch::work(&launch.grouping, &compiled.translation);
                if starts > limit.bytes {
                    self.slots[n] = Slot::Left(Some(too_much_data(starts, limit.bytes)));
                } else if work <= limit.work {
                    let bytes = bytes + starts;
                    self.add(n, How::Shader(compiled, why), Cost { bytes, work }, limit);
                }
            }
            Err(why) => self.slots[n] = Slot::Left(Some(why)),
        }
        Ok(())
    }

    /// Packs the launches that are left to the interpreter.
    fn interpreted(&mut self) {
        let limit = Cost { bytes: CODE, work: u64::MAX };
        // One dispatch has one arithmetic, so all exact launches come before the fast ones.
        for mode in FloatMode::ALL {
            for n in 0..self.items.len() {
                if self.items[n].launch.mode == mode
                    && let Slot::Left(why) = &mut self.slots[n]
                {
                    let why = why.take();
                    self.each(n, |pack| pack.interpret(n, why, limit));
                }
            }
            self.flush();
        }
    }

    /// Packs a launch that the interpreter runs.
    fn interpret(&mut self, n: usize, why: Option<Why>, limit: Cost) -> Result<(), LaunchError> {
        let launch = &self.items[n].launch;
        self.stop.check()?;
        if let Ok((Runner::Block, _)) = policy::choose(launch, &self.engine.facts(None, None)) {
            self.slots[n] = Slot::Alone(why);
            return Ok(());
        }
        let ready = self.engine.ready(launch)?;
        let plan = Prepared::new(launch, ready.clone());
        let cost = Cost { bytes: 16 * plan.size(), work: 0 };
        let alone = plan.groups == 0
            || plan.groups > LARGE
            || plan.logs
            || self.engine.settings.is_sliced(&plan)
            || cost.bytes > limit.bytes;
        if alone {
            self.slots[n] = Slot::Alone(why);
        } else {
            self.add(n, How::Interpreter(ready, why), cost, limit);
        }
        Ok(())
    }

    /// Adds a launch, after running the packed ones if there is no room beside them.
    fn add(&mut self, n: usize, how: How, cost: Cost, limit: Cost) {
        let work = self.cost.work.saturating_add(cost.work);
        let full = self.packed.len() >= self.engine.members;
        if full || self.cost.bytes + cost.bytes > limit.bytes || work > limit.work {
            self.flush();
        }
        let mut added = self.add_memory(n);
        if matches!(added, Err(ResidentError::TooLarge { .. })) && !self.packed.is_empty() {
            self.flush();
            added = self.add_memory(n);
        }
        if added.is_ok() {
            self.cost.bytes += cost.bytes;
            self.cost.work += cost.work;
            self.packed.push((n, how));
        } else if let How::Interpreter(_, why) = how {
            self.slots[n] = Slot::Alone(why);
        }
    }

    fn add_memory(&mut self, n: usize) -> Result<usize, ResidentError> {
        let CheckedItem { launch, memory } = &self.items[n];
        let reads: Vec<Range<u64>> = pooled(launch).map(|read| read.span.clone()).collect();
        let writes: Vec<Range<u64>> = launch.writes.iter().map(|w| w.span.clone()).collect();
        self.buffers.pool.add(memory, &reads, &writes)
    }

    /// Submits the packed launches, and stores the results of those before.
    fn flush(&mut self) {
        if self.packed.is_empty() {
            return;
        }
        let submitted = panics::catch(|| self.submit());
        self.land();
        let (packed, buffers) = self.restart();
        match submitted {
            Ok(Ok((works, memory))) => {
                self.flight = Some(Flight { buffers, packed, works, memory });
            }
            Ok(Err(halt)) => self.halted(packed, &halt),
            // Which launch it was shows when each runs alone.
            Err(_) => self.unpack(packed),
        }
    }

    /// Begins the next pack. Returns the launches and the buffers of this one.
    fn restart(&mut self) -> (Vec<(usize, How)>, Buffers) {
        self.cost = Cost::default();
        let buffers = std::mem::replace(&mut self.buffers, self.lane.buffers());
        (std::mem::take(&mut self.packed), buffers)
    }

    /// Waits for the pack in flight, if there is one, and stores its results.
    fn land(&mut self) {
        let Some(flight) = self.flight.take() else { return };
        let Flight { mut buffers, packed, works, memory } = flight;
        let gpu = &self.lane.gpu;
        match panics::catch(|| received(gpu, &mut buffers, &works, memory)) {
            Ok(Ok(results)) => {
                let share = buffers.executor.time().map(|time| time / packed.len() as u32);
                for (member, ((n, how), result)) in packed.into_iter().zip(results).enumerate() {
                    let stored =
                        caught(NAME, || self.store(&buffers, member, n, how, result, share));
                    if let Err(error) = stored {
                        self.done(n, Err(error));
                    }
                }
                self.lane.keep(buffers);
            }
            Ok(Err(error)) => self.halted(packed, &error.into()),
            Err(_) => self.unpack(packed),
        }
    }

    /// Ends launches of which nothing was stored with the error of their pack.
    fn halted(&mut self, packed: Vec<(usize, How)>, halt: &Halt) {
        self.failed |= matches!(halt, Halt::Gpu(_));
        for (n, _) in packed {
            let error = match halt {
                Halt::Stopped(why) => (*why).into(),
                Halt::Gpu(error) => LaunchError::Adapter { engine: NAME, error: error.clone() },
            };
            self.done(n, Err(error));
        }
    }

    /// Stores what a launch wrote in its memory, unless its shader gave up. `gpu` is its share of the GPU's time.
    fn store(
        &mut self,
        buffers: &Buffers,
        member: usize,
        n: usize,
        how: How,
        result: LaunchResult,
        gpu: Option<Duration>,
    ) -> Result<(), LaunchError> {
        if let Some(why) = gave_up(result.gave_up) {
            self.slots[n] = Slot::Left(Some(why));
            return Ok(());
        }
        let CheckedItem { launch, memory } = &mut self.items[n];
        let ticket = match how {
            How::Shader(_, why) => Ticket::of_shader(launch, why),
            How::Interpreter(_, why) => Ticket::of(launch, Ran { engine: NAME, why, gpu: None }),
        };
        let stored = buffers.pool.store(member, memory).map_err(gpu_error);
        stored.map_err(|error| LaunchError::Adapter { engine: NAME, error })?;
        let mut outcome = ticket.outcome(result);
        outcome.ran.gpu = gpu;
        self.done(n, Ok(outcome));
        Ok(())
    }

    /// Leaves launches of a pack, of which nothing was stored, to run alone.
    fn unpack(&mut self, packed: Vec<(usize, How)>) {
        self.failed = true;
        for (n, how) in packed {
            let why = match how {
                How::Shader(..) => None,
                How::Interpreter(_, why) => why,
            };
            self.slots[n] = Slot::Alone(why);
        }
    }

    /// Uploads everything, and submits all launches and the copy of what they write. Returns their works.
    fn submit(&mut self) -> Result<(Vec<(u64, usize)>, Requested), Halt> {
        let (gpu, Buffers { pool, executor }) = (&self.lane.gpu, &mut self.buffers);
        let bound = pool.upload(gpu).map_err(gpu_error)?;
        executor.restart_time();
        executor.hold();
        let mut works = Vec::new();
        let (mut plans, mut places) = (Vec::new(), Vec::new());
        for (member, (n, how)) in self.packed.iter().enumerate() {
            let CheckedItem { launch, memory } = &self.items[*n];
            panics::point("submit", || launch.program.image().source.place(0));
            let (reads, writes) = pool.deltas(member);
            let place = Places::new(pooled(launch).zip(reads), launch.writes.iter().zip(writes));
            match how {
                How::Shader(compiled, _) => {
                    let Compiled { translation, state, pipeline, .. } = &**compiled;
                    let record = Record::new(translation, launch, &place);
                    let starts = translate::starts(launch, translation, state);
                    let starts = executor.starts(gpu, &starts)?;
                    let program = executor::Program { translation, pipeline, starts };
                    let bounds = Bounds { most: self.engine.most, stop: self.stop };
                    let grouping = &launch.grouping;
                    let work = executor
                        .start_translated(gpu, &program, &record, &bound, grouping, &bounds)?;
                    works.push((work, 1));
                }
                How::Interpreter(ready, _) => {
                    plans.push((Prepared::new(launch, ready.clone()), &**memory));
                    places.push(place);
                }
            }
        }
        if !plans.is_empty() {
            let launches: Vec<_> = plans.iter().map(|(plan, memory)| (plan, *memory)).collect();
            let engine = self.engine;
            let variant = |plans: &[&Prepared], effort| engine.variant(plans, true, effort);
            let work = Work::new(&launches, engine.settings.slice, variant)?;
            let starts = executor.starts(gpu, &work.data())?;
            let work = work.at(bound.copied.is_some(), &places);
            let pipeline = self.engine.pipelines.get(gpu, &work.variant, work.effort)?;
            let bounds = Bounds { most: self.engine.most, stop: self.stop };
            let number =
                executor.start(gpu, pipeline, work, (bound, starts), &mut |_| {}, &bounds)?;
            works.push((number, launches.len()));
        }
        // One wait serves both the memory and the results.
        let memory = pool.request(gpu, executor.take_commands(gpu)?).map_err(gpu_error)?;
        executor.submitted(memory.submission.clone());
        Ok((works, memory))
    }

    /// Hands the lane back and returns the state of the items.
    fn finish(mut self, lanes: &Mutex<Vec<Lane>>) -> Vec<Slot> {
        self.land();
        if !self.failed {
            self.lane.keep(self.buffers);
            lanes.lock().push(self.lane);
        }
        self.slots
    }
}

/// Waits for a pack. Returns the result of each launch; the pool then has what they wrote.
fn received(
    gpu: &Gpu,
    buffers: &mut Buffers,
    works: &[(u64, usize)],
    memory: Requested,
) -> Result<Vec<LaunchResult>, GpuError> {
    let mut done = buffers.executor.finish(gpu)?;
    buffers.pool.receive(gpu, memory).map_err(gpu_error)?;
    let results = works.iter().map(|(work, count)| executor::all(&mut done, *work, *count));
    Ok(results.collect::<Result<Vec<_>, _>>()?.concat())
}

/// The reads that are copied before a pack runs: all but that of a conditional buffer that is
/// written, which is tested at the place where it is written.
fn pooled<'l>(launch: &'l Checked) -> impl Iterator<Item = &'l Access<Reader>> {
    let in_place = launch.writes.iter().any(|written| written.by == Writer::Condition);
    launch.reads.iter().filter(move |read| !(in_place && read.by == Reader::Condition))
}

/// Converts an error of a pool.
fn gpu_error(error: ResidentError) -> GpuError {
    match error {
        ResidentError::Gpu(error) => error,
        other => {
            GpuError::Internal { what: "a batch of launches".into(), message: other.to_string() }
        }
    }
}
