//! One group that runs instruction by instruction, for debuggers.

use super::arithmetic::{Arithmetic, Exact, Fast};
use super::group::{GroupState, Simd};
use super::observer::Observer;
use super::output::Pending;
use super::shared::Touched;
use super::{RunState, usages};
use crate::engine::groups::SLOTS;
use crate::engine::stop::LOOK;
use crate::engine::writes::{OwnWrites, Writes};
use crate::engine::{Checked, FaultCode, Faults, Statistics, Stop, Stopped};
use crate::launch::FloatMode;
use crate::memory::Memory;
use ctm_isa::isa::{OUTPUTS, TEMPORARIES};

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
/// other group; in a launch with data sharing, on the registers of its SIMD before its pair began, and
/// on the other group of the pair, which runs with it. A clone is a checkpoint. Its writes never take
/// effect.
#[derive(Clone)]
pub struct GroupRun {
    group: GroupState,
    pending: Vec<Pending>,
    own: Option<OwnWrites>,
    statistics: Statistics,
    faults: Faults,
    steps: u64,
    end: Option<End>,
    /// The other group of the pair, in a launch with data sharing.
    partner: Option<Box<GroupRun>>,
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
            partner: None,
        };
        let tile = launch.grouping.tile(n);
        run.with(launch, memory, Stop::never(), None, |run| run.begin(tile)).then_some(run)
    }

    /// A group of a pair in a launch with data sharing before its first instruction. `pair` has the
    /// numbers of the pair's groups, `parity` says which of them it is, and `simd` are the registers
    /// before the pair. The state between two of its instructions includes what the partner does
    /// between them. `None` if none of its points runs.
    ///
    /// # Errors
    /// If it was stopped.
    pub fn of_pair(
        launch: &Checked<'_>,
        memory: &Memory,
        pair: &[u64],
        parity: usize,
        simd: Simd,
        stop: &Stop,
    ) -> Result<Option<GroupRun>, Stopped> {
        let group = |parity: usize| {
            let mut run = GroupRun::new(launch, memory, *pair.get(parity)?)?;
            run.group.parity = parity;
            Some(run)
        };
        let Some(mut run) = group(parity) else { return Ok(None) };
        run.group.simd = simd;
        run.partner = group(1 - parity).map(Box::new);
        if parity == 1 {
            // The even group makes the first step.
            run.step_partner(launch, memory, stop)?;
        }
        Ok(Some(run))
    }

    /// Runs both groups of the pair to their ends. Returns the registers of the SIMD then.
    ///
    /// # Errors
    /// If it was stopped.
    pub fn end_pair(
        mut self,
        launch: &Checked<'_>,
        memory: &Memory,
        stop: &Stop,
    ) -> Result<Simd, Stopped> {
        self.advance(launch, memory, stop, None, &mut |_| true)?;
        while self.partner.as_ref().is_some_and(|partner| partner.end.is_none()) {
            stop.check()?;
            self.step_partner(launch, memory, stop)?;
        }
        Ok(self.group.simd)
    }

    /// Executes an instruction of the partner, if there is one that has not ended.
    fn step_partner(
        &mut self,
        launch: &Checked<'_>,
        memory: &Memory,
        stop: &Stop,
    ) -> Result<(), Stopped> {
        let Some(partner) = self.partner.as_mut().filter(|partner| partner.end.is_none()) else {
            return Ok(());
        };
        std::mem::swap(&mut self.group.simd, &mut partner.group.simd);
        let result = partner.advance(launch, memory, stop, None, &mut |_| false);
        std::mem::swap(&mut self.group.simd, &mut partner.group.simd);
        result
    }

    /// The bytes that a checkpoint takes, about.
    pub fn size(&self) -> usize {
        let registers = SLOTS * (TEMPORARIES + OUTPUTS) * 16 + 4096;
        let own = self.own.as_ref().map_or(0, OwnWrites::size);
        let partner = self.partner.as_ref().map_or(0, |partner| partner.size());
        let simd = self.group.simd.size();
        registers + self.pending.len() * size_of::<Pending>() + own + partner + simd
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
    pub fn advance(
        &mut self,
        launch: &Checked<'_>,
        memory: &Memory,
        stop: &Stop,
        observer: Option<&mut dyn Observer>,
        more: &mut dyn FnMut(&Moment<'_>) -> bool,
    ) -> Result<(), Stopped> {
        match launch.mode {
            FloatMode::Exact => self.run::<Exact>(launch, memory, stop, observer, more),
            FloatMode::Fast => self.run::<Fast>(launch, memory, stop, observer, more),
        }
    }

    fn run<M: Arithmetic>(
        &mut self,
        launch: &Checked<'_>,
        memory: &Memory,
        stop: &Stop,
        mut observer: Option<&mut dyn Observer>,
        more: &mut dyn FnMut(&Moment<'_>) -> bool,
    ) -> Result<(), Stopped> {
        if self.partner.is_some() {
            let usages = usages(launch);
            while self.end.is_none() {
                if self.steps.is_multiple_of(LOOK) {
                    stop.check()?;
                }
                let step = |run: &mut RunState<'_>| run.advance::<M>(&usages);
                let observer = observer.as_mut().map(|observer| &mut **observer as _);
                self.end = self.with(launch, memory, stop, observer, step)?;
                self.steps += 1;
                if self.end.is_none() {
                    self.step_partner(launch, memory, stop)?;
                }
                if !more(&self.moment()) {
                    break;
                }
            }
            return Ok(());
        }
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
                if !more(&moment) {
                    break;
                }
            }
            Ok(())
        });
        (self.steps, self.end) = (steps, end);
        result
    }

    /// Lends the group's state to a run of the engine.
    fn with<T>(
        &mut self,
        launch: &Checked<'_>,
        memory: &Memory,
        stop: &Stop,
        observer: Option<&mut dyn Observer>,
        body: impl FnOnce(&mut RunState<'_>) -> T,
    ) -> T {
        let mut run = RunState {
            launch,
            memory,
            observer: observer.map(|observer| observer as _),
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
