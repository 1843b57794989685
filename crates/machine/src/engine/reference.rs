//! The executable specification. It runs the decoded instructions directly, one group at a time.
//!
//! Nothing here is clever. Sets of slots are 64-bit masks. Every instruction first computes for
//! all its slots and then writes. All writes to memory wait until the launch is over. Checkers and
//! tracers hook in as an [`Observer`].

mod alu;
mod arithmetic;
mod driver;
mod fetch;
mod flow;
mod group;
mod observer;
mod output;
mod shared;
mod single;
mod trace;

pub use alu::LaneResult;
pub use group::interpolate;
pub use group::{Frame, GroupState, Simd};
use observer::ByParity;
pub use observer::{Destination, Fetched, Observer};
pub use single::{End, GroupRun, Moment};
pub use trace::{Lane, Naming, Step, Trace, TraceEvent, Value, names};

use super::groups::{SLOTS, Tile, slots};
use super::stop::{Early, LOOK};
use super::writes::{OwnWrites, Writes};
use super::{
    BatchProgress, Checked, CheckedItem, Engine, Fault, FaultCode, Faults, LaunchError, Outcome,
    Progress, Statistics, Stop, Stopped,
};
use crate::launch::{FloatMode, Globals, Location};
use crate::memory::Memory;
use alu::AluContext;
use arithmetic::{Arithmetic, Exact, Fast};
use ctm_isa::float;
use ctm_isa::isa::{Alu, AluOp, Body, FieldValue, Instruction, RGB, Type, Usage};
use output::Pending;
use rayon::prelude::*;
use shared::Touched;
use std::sync::atomic::{AtomicU64, Ordering};

/// The reference engine's name.
const NAME: &str = "reference";

/// The reference engine. It has no state of its own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

impl Reference {
    /// Creates the engine.
    pub fn new() -> Reference {
        Reference
    }

    /// Runs a launch with an observer.
    ///
    /// # Errors
    /// As [`Engine::run`].
    pub fn run_observed(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, LaunchError> {
        run_all(launch, memory, progress, Some(observer))
    }
}

impl Engine for Reference {
    fn name(&self) -> &'static str {
        NAME
    }

    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        run_all(launch, memory, progress, None)
    }

    /// Runs one launch per core. A single launch uses only one.
    fn run_checked_batch(
        &self,
        items: &mut [CheckedItem<'_>],
        progress: &dyn BatchProgress,
    ) -> Vec<Result<Outcome, LaunchError>> {
        let (done, total) = (AtomicU64::new(0), items.len() as u64);
        items
            .par_iter_mut()
            .map(|item| {
                let result = self.run_checked(&item.launch, item.memory, progress.stop());
                progress.launches(done.fetch_add(1, Ordering::Relaxed) + 1, total);
                result
            })
            .collect()
    }
}

/// What some groups of a launch did. Their writes have not taken effect yet.
#[derive(Default)]
pub struct Part {
    writes: Writes,
    statistics: Statistics,
    faults: Faults,
    foreign_fetch: u16,
    /// What the global registers hold afterwards.
    shared: Option<Globals>,
}

impl Part {
    /// Adds other groups of the same launch.
    pub fn append(&mut self, other: Part) {
        self.shared = self.shared.take().or(other.shared);
        self.writes.append(other.writes);
        self.statistics += other.statistics;
        self.faults.merge(&other.faults);
        self.foreign_fetch |= other.foreign_fetch;
    }

    /// The sums over the groups.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Ends a launch whose groups have all run: all writes take effect.
    pub fn finish(self, launch: &Checked<'_>, memory: &mut Memory) -> Outcome {
        self.writes.apply(memory);
        let outcome = launch.outcome(NAME, self.statistics, self.faults, self.foreign_fetch);
        Outcome { shared: self.shared, ..outcome }
    }
}

/// The state that a run carries from instruction to instruction and from group to group.
struct RunState<'a> {
    launch: &'a Checked<'a>,
    memory: &'a Memory,
    observer: Option<&'a mut dyn Observer>,
    stop: &'a Stop,
    group: &'a mut GroupState,
    writes: Writes,
    pending: Vec<Pending>,
    /// Uncached writes of the running group, if its points can fetch them.
    own: Option<OwnWrites>,
    statistics: Statistics,
    faults: Faults,
    /// Inputs that are written in place, bit n; see `checked::Overlap::same_layout`.
    in_place: u16,
    /// The inputs in `in_place` from which some point fetched another point's element.
    foreign_fetch: u16,
    results: Vec<Option<LaneResult>>,
    /// The number of instructions after which the group looks whether it must stop.
    look: u64,
    /// The elements of global registers that the last instruction read and wrote.
    touched: Touched,
}

/// What each instruction of a launch's program has an effect on.
fn usages(launch: &Checked<'_>) -> Vec<Usage> {
    let instructions = launch.program.instructions().iter();
    instructions.map(|instruction| Usage::of(instruction).unwrap_or_default()).collect()
}

fn run_all(
    launch: &Checked<'_>,
    memory: &mut Memory,
    progress: &dyn Progress,
    observer: Option<&mut dyn Observer>,
) -> Result<Outcome, LaunchError> {
    let total = launch.grouping.count();
    let done = |n| progress.groups(n + 1, total);
    let part = run(launch, memory, &mut (0..total), progress.stop(), &done, observer)?;
    Ok(part.finish(launch, memory))
}

fn run(
    launch: &Checked<'_>,
    memory: &Memory,
    groups: &mut dyn Iterator<Item = u64>,
    stop: &Stop,
    done: &dyn Fn(u64),
    observer: Option<&mut dyn Observer>,
) -> Result<Part, Stopped> {
    match launch.mode {
        FloatMode::Exact => run_as::<Exact>(launch, memory, groups, stop, done, observer),
        FloatMode::Fast => run_as::<Fast>(launch, memory, groups, stop, done, observer),
    }
}

fn run_as<M: Arithmetic>(
    launch: &Checked<'_>,
    memory: &Memory,
    groups: &mut dyn Iterator<Item = u64>,
    stop: &Stop,
    done: &dyn Fn(u64),
    observer: Option<&mut dyn Observer>,
) -> Result<Part, Stopped> {
    let grouping = launch.grouping;
    let usages = usages(launch);
    let mut group = GroupState::new(grouping);
    let mut run = RunState {
        launch,
        memory,
        observer: observer.map(|observer| observer as _),
        stop,
        group: &mut group,
        writes: Writes::default(),
        pending: Vec::new(),
        own: launch.reads_back().then(OwnWrites::default),
        statistics: Statistics::default(),
        faults: Faults::default(),
        in_place: launch.in_place(),
        foreign_fetch: 0,
        results: vec![None; SLOTS],
        look: LOOK,
        touched: Touched::default(),
    };
    let shared = match &launch.shared {
        Some(shared) if launch.program.sharing().is_some() => {
            Some(run.pairs::<M>(&usages, shared, groups, done)?)
        }
        _ => {
            for n in groups {
                // Writes wait for the end of the launch: a launch that is stopped writes nothing.
                run.stop.check()?;
                if run.begin(grouping.tile(n)) {
                    while run.advance::<M>(&usages)?.is_none() {}
                }
                done(n);
            }
            None
        }
    };

    let RunState { writes, statistics, faults, foreign_fetch, .. } = run;
    Ok(Part { writes, statistics, faults, foreign_fetch, shared })
}

impl RunState<'_> {
    /// Starts the group of a tile. Returns false if none of its points runs.
    fn begin(&mut self, tile: Tile) -> bool {
        let covered = self.cover(tile);
        if covered != 0 {
            self.start(tile, covered);
        }
        covered != 0
    }

    /// The points of a tile that run.
    fn cover(&mut self, tile: Tile) -> u64 {
        self.group.tile = tile;
        let grouping = self.group.grouping;
        let mut covered = grouping.inside(tile);
        if self.launch.condition.location == Location::Pe {
            let start = self.launch.program.registers().start();
            for slot in slots(covered) {
                let (i, j) = grouping.point(tile, slot);
                if !self.condition(i, j, None, 0, start) {
                    covered &= !(1 << slot);
                }
            }
        }
        covered
    }

    /// Starts a group with these points.
    fn start(&mut self, tile: Tile, covered: u64) {
        self.group.start(self.launch, tile, covered);
        self.look = LOOK;
        if let Some(own) = &mut self.own {
            own.clear();
        }
        self.statistics.groups += 1;
        self.statistics.points += covered.count_ones() as u64;
        if let Some(observer) = &mut self.observer {
            observer.group_begin(self.group);
            for slot in slots(covered) {
                observer.point_begin(self.group, slot);
            }
        }
    }

    /// Executes one instruction, and ends the group after its last one. Returns how it ended.
    fn advance<M: Arithmetic>(&mut self, usages: &[Usage]) -> Result<Option<End>, Stopped> {
        let end = match self.instruction::<M>(usages) {
            Ok(None) => return Ok(None),
            Ok(Some(last_pc)) => {
                if let Some(observer) = &mut self.observer {
                    for slot in slots(self.group.covered) {
                        observer.point_end(self.group, slot);
                    }
                }
                self.end_points(last_pc);
                End::Done
            }
            Err(Early::Fault(code)) => {
                self.group_fault(code);
                End::Fault(code)
            }
            Err(Early::Stopped(why)) => return Err(why),
        };
        if let Some(observer) = &mut self.observer {
            observer.group_end(self.group, end != End::Done);
        }
        Ok(Some(end))
    }

    /// A fault of the whole group: it writes nothing. The fault is charged to its lowest point.
    fn group_fault(&mut self, code: FaultCode) {
        self.pending.clear();
        // Killed points raise no faults. But if all are killed, the fault still needs a point.
        let candidates = match self.group.covered {
            0 => self.group.started,
            covered => covered,
        };
        // Slots are in (j, i) order.
        self.fault(code, candidates.trailing_zeros() as usize % SLOTS, 0, 0);
    }

    /// Counts a fault of a point at the running instruction.
    fn fault(&mut self, code: FaultCode, slot: usize, number: u32, word: u32) {
        let (i, j) = self.group.point(slot);
        let (order, pc) = (self.group.executed, self.group.pc);
        self.faults.add(code, Fault { count: 1, i, j, order, pc, slot: number, word });
    }

    /// Executes one instruction. Returns its pc if it was the last one, or why the group ends early.
    fn instruction<M: Arithmetic>(&mut self, usages: &[Usage]) -> Result<Option<u32>, Early> {
        let launch = self.launch;
        let pc = self.group.pc;
        self.touched.clear();
        let instruction =
            launch.program.instructions().get(pc as usize).ok_or(FaultCode::MissingInstruction)?;
        if matches!(instruction.body, Body::Fc(_)) {
            if self.group.executed > launch.limits.instructions {
                return Err(FaultCode::Budget.into());
            }
            if self.group.executed >= self.look {
                self.stop.check()?;
                self.look = self.group.executed + LOOK;
            }
        }
        if let Some(observer) = &mut self.observer {
            observer.before(self.group, instruction);
        }
        if instruction.sharing {
            self.touch(instruction);
        }
        let lanes = (self.group.active() & self.group.covered).count_ones() as u64;
        self.step::<M>(instruction, &usages[pc as usize])?;
        self.statistics.lane_instructions += lanes;
        match instruction.common.class {
            Type::Alu => self.statistics.alu += 1,
            Type::Out => self.statistics.out += 1,
            Type::Fc => self.statistics.fc += 1,
            Type::Tex => self.statistics.tex += 1,
        }
        self.group.executed += 1;
        if let Some(observer) = &mut self.observer {
            let results: &[_] = match instruction.body {
                Body::Alu(_) => &self.results,
                _ => &[],
            };
            observer.after(self.group, pc, instruction, results);
        }
        Ok((pc == launch.program.registers().end()).then_some(pc))
    }

    /// Executes one instruction and moves the pc.
    fn step<M: Arithmetic>(
        &mut self,
        instruction: &Instruction,
        usage: &Usage,
    ) -> Result<(), FaultCode> {
        match &instruction.body {
            Body::Fc(fc) => {
                let launch = self.launch;
                let offset = launch.program.registers().offset();
                let constants = &launch.constants;
                let pc = self.group.pc;
                let diverged = flow::flow_op(self.group, instruction, fc, constants, offset)?;
                if let Some(observer) = self.observer.as_mut().filter(|_| diverged) {
                    observer.diverged(self.group, pc);
                }
                self.statistics.divergent += diverged as u64;
                return Ok(());
            }
            Body::Tex(tex) => {
                self.statistics.tex_fetching += tex.op.fetches() as u64;
                fetch::execute::<M>(self, &instruction.common, tex);
            }
            Body::Alu(alu) => {
                let context = AluContext {
                    instruction,
                    alu,
                    usage,
                    clamp: instruction.common.clamp,
                    constants: &self.launch.constants,
                    zero_times: self.launch.program.registers().zero_times(),
                };
                let lanes = match instruction.common.write_inactive {
                    true => u64::MAX,
                    false => self.group.active(),
                };
                for slot in 0..SLOTS {
                    self.results[slot] = (lanes >> slot & 1 != 0)
                        .then(|| alu::evaluate::<M>(&context, self.group, slot));
                }
                if let Some(observer) = &mut self.observer {
                    observer.computed(self.group, instruction, &self.results);
                }
                for slot in slots(lanes) {
                    self.write::<M>(instruction, alu, slot);
                }
            }
        }
        self.group.pc = (self.group.pc + 1) & 0x1ff;
        Ok(())
    }

    /// Writes one slot's result: temporaries, predicates or outputs, ALU result, own value.
    fn write<M: Arithmetic>(&mut self, instruction: &Instruction, alu: &Alu, slot: usize) {
        let common = &instruction.common;
        let Some(result) = self.results[slot] else {
            return;
        };
        let value = result.value;
        let old_predicates = self.group.predicates[slot];
        let gate = common.gate(old_predicates);

        let dest = alu.units.map(|unit| instruction.register(unit.dest, unit.dest_rel));
        let wmask = common.wmask & gate;
        for (channel, &x) in value.iter().enumerate() {
            if wmask >> channel & 1 != 0
                && let Some(register) = self.group.register_mut(slot, dest[channel / 3])
            {
                register[channel] = x;
            }
        }
        if alu.units[RGB].op == AluOp::MovaFloor && wmask & 1 != 0 {
            self.group.ar[slot] = float::texel_index(float::ftz(result.inputs[0][0]));
        }

        let target = |channel: usize| alu.unit_of(channel).target;
        let omask = common.omask;
        if common.class == Type::Alu {
            // The write of a predicate is not gated by predicates [G 31].
            let mut predicates = old_predicates;
            for (channel, &x) in value.iter().enumerate() {
                if omask >> channel & 1 != 0 {
                    let bit = M::compare(target(channel) as u32, x);
                    predicates = predicates & !(1 << channel) | (bit as u8) << channel;
                }
            }
            self.group.predicates[slot] = predicates;
        } else if self.launch.program.umrt() {
            if omask == 15 && gate == 15 {
                self.uncached(slot, value);
            }
        } else {
            for (channel, &x) in value.iter().enumerate() {
                if (omask & gate) >> channel & 1 != 0 {
                    let output = target(channel) as usize & 3;
                    self.group.outputs[slot][output][channel] = x;
                    self.group.written[slot][output] |= 1 << channel;
                }
            }
        }

        if alu.alu_wmask {
            let x = value[common.alu_result_sel.channel()];
            let bit = M::compare(common.alu_result_op.code(), x) as u64;
            self.group.alu_result = self.group.alu_result & !(1 << slot) | bit << slot;
        }
        if alu.w_omask && gate & 8 != 0 {
            self.group.own_value[slot] = Some(value[3]);
        }
    }
}
