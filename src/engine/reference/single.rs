//! One group that runs instruction by instruction, for debuggers.

use super::arithmetic::{Arithmetic, Exact, Fast};
use super::group::GroupState;
use super::observer::Observer;
use super::output::Pending;
use super::shared::Touched;
use super::{RunState, usages};
use crate::engine::groups::SLOTS;
use crate::engine::stop::LOOK;
use crate::engine::writes::{OwnWrites, Writes};
use crate::engine::{Checked, FaultCode, Faults, Statistics, Stop, Stopped};
use crate::isa::{OUTPUTS, TEMPORARIES};
use crate::launch::FloatMode;
use crate::memory::Memory;

/// How a group ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// After its last instruction.
    Done,
    /// By a fault of the whole group, which writes nothing.
    Fault(FaultCode),
}

/// A group between two instructions.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// Its state.
    pub group: &'a GroupState,
    /// Instructions that have run. The one that ended the group by a fault counts.
    pub steps: u64,
    /// Faults so far.
    pub faults: &'a Faults,
    /// Counters so far.
    pub statistics: &'a Statistics,
    /// How it ended, if it has.
    pub end: Option<End>,
}

/// One group of a launch. It runs against the memory from before the launch, so it depends on no
/// other group. A clone is a checkpoint. Its writes never take effect.
#[derive(Clone)]
pub struct GroupRun {
    group: GroupState,
    pending: Vec<Pending>,
    own: Option<OwnWrites>,
    statistics: Statistics,
    faults: Faults,
    steps: u64,
    end: Option<End>,
}

impl GroupRun {
    /// Group `n` of a launch before its first instruction; `None` if none of its points runs.
    pub fn new(launch: &Checked<'_>, memory: &Memory, n: u64) -> Option<GroupRun> {
        let mut run = GroupRun {
            group: GroupState::new(launch.grouping),
            pending: Vec::new(),
            own: launch.reads_back().then(OwnWrites::default),
            statistics: Statistics::default(),
            faults: Faults::default(),
            steps: 0,
            end: None,
        };
        let tile = launch.grouping.tile(n);
        let mut silent = super::Silent;
        run.with(launch, memory, Stop::never(), &mut silent, |run| run.begin(tile)).then_some(run)
    }

    /// The bytes that a checkpoint takes, about.
    pub fn size(&self) -> usize {
        let registers = SLOTS * (TEMPORARIES + OUTPUTS) * 16 + 4096;
        let own = self.own.as_ref().map_or(0, OwnWrites::size);
        registers + self.pending.len() * size_of::<Pending>() + own
    }

    /// The group as it is.
    pub fn moment(&self) -> Moment<'_> {
        Moment {
            group: &self.group,
            steps: self.steps,
            faults: &self.faults,
            statistics: &self.statistics,
            end: self.end,
        }
    }

    /// Executes instructions until the group ends or `more`, which is called after each of them,
    /// returns false.
    ///
    /// # Errors
    /// If it was stopped. The group is then between two instructions.
    pub fn advance<O: Observer>(
        &mut self,
        launch: &Checked<'_>,
        memory: &Memory,
        stop: &Stop,
        observer: &mut O,
        more: impl FnMut(&Moment<'_>, &mut O) -> bool,
    ) -> Result<(), Stopped> {
        match launch.mode {
            FloatMode::Exact => self.run::<Exact, O>(launch, memory, stop, observer, more),
            FloatMode::Fast => self.run::<Fast, O>(launch, memory, stop, observer, more),
        }
    }

    fn run<M: Arithmetic, O: Observer>(
        &mut self,
        launch: &Checked<'_>,
        memory: &Memory,
        stop: &Stop,
        observer: &mut O,
        mut more: impl FnMut(&Moment<'_>, &mut O) -> bool,
    ) -> Result<(), Stopped> {
        let usages = usages(launch);
        let (mut steps, mut end) = (self.steps, self.end);
        let result = self.with(launch, memory, stop, observer, |run| {
            while end.is_none() {
                if steps.is_multiple_of(LOOK) {
                    run.stop.check()?;
                }
                end = run.advance::<M>(&usages)?;
                steps += 1;
                let moment = Moment {
                    group: run.group,
                    steps,
                    faults: &run.faults,
                    statistics: &run.statistics,
                    end,
                };
                if !more(&moment, run.observer) {
                    break;
                }
            }
            Ok(())
        });
        (self.steps, self.end) = (steps, end);
        result
    }

    /// Lends the group's state to a run of the engine.
    fn with<O: Observer, T>(
        &mut self,
        launch: &Checked<'_>,
        memory: &Memory,
        stop: &Stop,
        observer: &mut O,
        body: impl FnOnce(&mut RunState<'_, O>) -> T,
    ) -> T {
        let mut run = RunState {
            launch,
            memory,
            observer,
            stop,
            look: self.group.executed() + LOOK,
            group: &mut self.group,
            writes: Writes::default(),
            pending: std::mem::take(&mut self.pending),
            own: self.own.take(),
            statistics: self.statistics,
            faults: std::mem::take(&mut self.faults),
            in_place: launch.in_place(),
            foreign_fetch: 0,
            results: vec![None; SLOTS],
            touched: Touched::default(),
        };
        let result = body(&mut run);
        let RunState { pending, own, statistics, faults, .. } = run;
        (self.pending, self.own) = (pending, own);
        (self.statistics, self.faults) = (statistics, faults);
        result
    }
}
