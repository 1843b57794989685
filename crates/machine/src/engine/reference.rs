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
mod step;
mod trace;

pub use alu::LaneResult;
pub use group::{FlowState, Frame, GroupState, Simd, interpolate};
pub use observer::{Bytes, Destination, Observer, Store};
pub use single::{End, GroupRun, Moment};
use step::Watched;
pub use step::{Decision, Fetched, Operand, Step, Written};
pub use trace::{Lane, Naming, Trace, TraceEvent, TraceStep, Value, names};

use super::groups::{SLOTS, Tile, slots};
use super::stop::{Early, LOOK};
use super::writes::Writes;
use super::{
    BatchProgress, Checked, CheckedItem, Engine, Fault, FaultCode, Faults, LaunchError, Outcome,
    Progress, Statistics, Stop, Stopped, caught,
};
use crate::launch::{FloatMode, Globals, Location};
use crate::memory::Memory;
use alu::AluContext;
use arithmetic::{Arithmetic, Chip, Exact, Fast};
use ctm_base::panics;
use ctm_isa::float;
use ctm_isa::isa::{Alu, AluOp, Body, FieldValue, Instruction, RGB, Sel, Type, Usage};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The reference engine's name.
const NAME: &str = "reference";

/// The reference engine, slow and simple: other engines are compared with it, and an [`Observer`] can follow each step.
/// It has no state of its own.
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
        run_all(launch, memory, progress, vec![observer])
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
        run_all(launch, memory, progress, Vec::new())
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
                let stop = progress.stop();
                let result = caught(NAME, || self.run_checked(&item.launch, item.memory, stop));
                progress.launches(done.fetch_add(1, Ordering::Relaxed) + 1, total);
                result
            })
            .collect()
    }
}

/// The effects of some groups of a launch. Their writes have not taken effect yet.
#[derive(Clone, Default)]
pub struct GroupEffects {
    writes: Writes,
    statistics: Statistics,
    faults: Faults,
    /// The inputs written in place from which some point fetched another point's element.
    foreign_fetch: u16,
    /// The global registers afterwards.
    shared: Option<Globals>,
}

impl GroupEffects {
    /// Adds other groups of the same launch.
    pub fn append(&mut self, other: GroupEffects) {
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
    stop: &'a Stop,
    watched: Option<Watched<'a>>,
    group: &'a mut GroupState,
    part: &'a mut GroupEffects,
    /// The parts of each instruction that have an effect.
    usages: Arc<Vec<Usage>>,
    /// Inputs that are written in place, bit n; see `checked::Overlap::same_layout`.
    in_place: u16,
    results: Vec<Option<LaneResult>>,
    flow: Decision,
    /// Instructions since the run last looked whether it must stop.
    unlooked: u64,
}

fn run_all(
    launch: &Checked<'_>,
    memory: &mut Memory,
    progress: &dyn Progress,
    observers: Vec<&mut dyn Observer>,
) -> Result<Outcome, LaunchError> {
    let total = launch.grouping.count();
    let done = |n| progress.groups(n + 1, total);
    let part = run(launch, memory, &mut (0..total), progress.stop(), &done, observers)?;
    Ok(part.finish(launch, memory))
}

fn run(
    launch: &Checked<'_>,
    memory: &Memory,
    groups: &mut dyn Iterator<Item = u64>,
    stop: &Stop,
    done: &dyn Fn(u64),
    observers: Vec<&mut dyn Observer>,
) -> Result<GroupEffects, Stopped> {
    panics::point("launch", || launch.program.image().source.place(0));
    let (mut group, mut part) = (GroupState::new(launch), GroupEffects::default());
    let mut run = RunState::new(launch, memory, stop, observers, &mut group, &mut part);
    let shared = match &launch.shared {
        Some(shared) if launch.program.sharing().is_some() => {
            Some(run.pairs(shared, groups, done)?)
        }
        _ => {
            for n in groups {
                // Writes wait for the end of the launch: a launch that is stopped writes nothing.
                run.stop.check()?;
                if run.begin(launch.grouping.tile(n)) {
                    while run.advance()?.is_none() {}
                }
                done(n);
            }
            None
        }
    };
    Ok(GroupEffects { shared, ..part })
}

impl<'a> RunState<'a> {
    fn new(
        launch: &'a Checked<'a>,
        memory: &'a Memory,
        stop: &'a Stop,
        observers: Vec<&'a mut (dyn Observer + '_)>,
        group: &'a mut GroupState,
        part: &'a mut GroupEffects,
    ) -> RunState<'a> {
        let instructions = launch.program.instructions();
        let usage = |instruction| Usage::of(instruction).unwrap_or_default();
        RunState {
            launch,
            memory,
            stop,
            watched: (!observers.is_empty()).then(|| Watched::new(observers, launch, group)),
            group,
            part,
            usages: launch.program.form((0, false), || instructions.iter().map(usage).collect()),
            in_place: launch.in_place(),
            results: vec![None; SLOTS],
            flow: Decision::default(),
            unlooked: LOOK,
        }
    }

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
        self.part.statistics.groups += 1;
        self.part.statistics.points += covered.count_ones() as u64;
        if let Some(watched) = &mut self.watched {
            watched.begin(self.group);
        }
    }

    /// Executes one instruction, and ends the group after its last one. Returns how it ended.
    fn advance(&mut self) -> Result<Option<End>, Stopped> {
        let end = match self.instruction() {
            Ok(None) => return Ok(None),
            Ok(Some(last_pc)) => {
                self.end_points(last_pc);
                End::Done
            }
            Err(Early::Fault(code)) => {
                self.group_fault(code);
                End::Fault(code)
            }
            Err(Early::Stopped(why)) => return Err(why),
        };
        if let Some(watched) = &mut self.watched {
            watched.observer(self.group.parity).end(self.group, end != End::Done);
        }
        Ok(Some(end))
    }

    /// A fault of the whole group: it writes nothing. The fault is charged to its lowest point.
    fn group_fault(&mut self, code: FaultCode) {
        self.group.pending.clear();
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
        self.part.faults.add(code, Fault { count: 1, i, j, order, pc, slot: number, word });
    }

    /// Executes one instruction. Returns its pc if it was the last one, or why the group ends early.
    fn instruction(&mut self) -> Result<Option<u32>, Early> {
        let launch = self.launch;
        let pc = self.group.pc;
        self.group.touched.clear();
        let instruction =
            launch.program.instructions().get(pc as usize).ok_or(FaultCode::MissingInstruction)?;
        let is_flow = matches!(instruction.body, Body::Fc(_));
        if is_flow && self.group.executed > launch.limits.instructions {
            return Err(FaultCode::Budget.into());
        }
        if self.unlooked >= LOOK {
            self.stop.check()?;
            self.unlooked = 0;
        }
        self.unlooked += 1;
        if let Some(watched) = &mut self.watched {
            watched.before_step(self.group);
        }
        if instruction.sharing {
            self.touch(instruction);
        }
        let lanes = (self.group.active() & self.group.covered).count_ones() as u64;
        let done = match launch.mode {
            FloatMode::Exact => self.step::<Exact>(instruction),
            FloatMode::Fast => self.step::<Fast>(instruction),
            FloatMode::Chip => self.step::<Chip>(instruction),
        };
        if done.is_ok() {
            let statistics = &mut self.part.statistics;
            statistics.lane_instructions += lanes;
            match instruction.common.class {
                Type::Alu => statistics.alu += 1,
                Type::Out => statistics.out += 1,
                Type::Fc => statistics.fc += 1,
                Type::Tex => statistics.tex += 1,
            }
            self.group.executed += 1;
        }
        if let Some(watched) = &mut self.watched {
            let results: &[_] = if instruction.alu().is_some() { &self.results } else { &[] };
            let flow = is_flow.then_some(self.flow);
            watched.step(self.launch, self.group, instruction, results, flow, done.err());
        }
        done?;
        Ok((pc == launch.program.registers().end()).then_some(pc))
    }

    /// Executes one instruction and moves the pc.
    fn step<M: Arithmetic>(&mut self, instruction: &Instruction) -> Result<(), FaultCode> {
        match &instruction.body {
            Body::Fc(fc) => {
                let launch = self.launch;
                let group = &mut *self.group;
                self.flow.wish = flow::wish(group, instruction, fc, &launch.constants);
                let from_to = (group.pc, fc.target(launch.program.registers().offset()));
                let constant = launch.constants.int[fc.int_addr as usize];
                let (covered, flow) = (group.covered, &mut self.flow);
                group.pc = group.flow.flow_op(fc, from_to, covered, constant, flow)?;
                self.part.statistics.divergent += self.flow.diverged as u64;
                return Ok(());
            }
            Body::Tex(tex) => {
                self.part.statistics.tex_fetching += tex.op.fetches() as u64;
                fetch::execute::<M>(self, &instruction.common, tex);
            }
            Body::Alu(alu) => {
                let mut inputs = alu.units.iter().flat_map(|unit| &unit.inputs);
                let context = AluContext {
                    instruction,
                    alu,
                    usage: &self.usages[self.group.pc as usize],
                    constants: &self.launch.constants,
                    zero_times: self.launch.program.registers().zero_times(),
                    presubtracts: inputs.any(|input| input.sel == Sel::Srcp),
                };
                let lanes =
                    if instruction.common.write_inactive { u64::MAX } else { self.group.active() };
                for slot in 0..SLOTS {
                    self.results[slot] = (lanes >> slot & 1 != 0)
                        .then(|| alu::evaluate::<M>(&context, self.group, slot));
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
