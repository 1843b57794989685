//! One group that runs instruction by instruction, for debuggers.

use super::group::{GroupState, Simd};
use super::observer::Observer;
use super::output::Pending;
use super::{GroupEffects, RunState};
use crate::engine::groups::SLOTS;
use crate::engine::writes::OwnWrites;
use crate::engine::{Checked, FaultCode, Faults, Statistics, Stop, Stopped};
use crate::memory::Memory;
use ctm_isa::isa::{OUTPUTS, TEMPORARIES};

/// The end of a group.
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
    /// The end of the group, if it has ended.
    pub end: Option<End>,
}

/// One group of a launch. It runs against the memory from before the launch, so it depends on no
/// other group; in a launch with data sharing, on the registers of its SIMD before its pair began, and
/// on the other group of the pair, which runs with it. A clone is a checkpoint. Its writes never take
/// effect.
#[derive(Clone)]
pub struct GroupRun {
    group: GroupState,
    part: GroupEffects,
    steps: u64,
    end: Option<End>,
    /// The other group of the pair, in a launch with data sharing.
    partner: Option<Box<GroupRun>>,
}

impl GroupRun {
    /// Group `n` of a launch before its first instruction; `None` if none of its points runs.
    pub fn new(launch: &Checked<'_>, memory: &Memory, n: u64) -> Option<GroupRun> {
        let (mut group, mut part) = (GroupState::new(launch), GroupEffects::default());
        let begun = RunState::new(launch, memory, Stop::never(), Vec::new(), &mut group, &mut part)
            .begin(launch.grouping.tile(n));
        begun.then_some(GroupRun { group, part, steps: 0, end: None, partner: None })
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
        if parity == 1
            && let Some(partner) = &mut run.partner
        {
            // The even group makes the first step.
            std::mem::swap(&mut run.group.simd, &mut partner.group.simd);
            partner.advance(launch, memory, stop, None, &mut |_| false)?;
            std::mem::swap(&mut run.group.simd, &mut partner.group.simd);
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
        let Some(mut partner) = self.partner else { return Ok(self.group.simd) };
        partner.group.simd = self.group.simd;
        partner.advance(launch, memory, stop, None, &mut |_| true)?;
        Ok(partner.group.simd)
    }

    /// The bytes that a checkpoint takes, about.
    pub fn size(&self) -> usize {
        let registers = SLOTS * (TEMPORARIES + OUTPUTS) * 16 + 4096;
        let own = self.group.own.as_ref().map_or(0, OwnWrites::size);
        let partner = self.partner.as_ref().map_or(0, |partner| partner.size());
        let simd = self.group.simd.size();
        registers + self.group.pending.len() * size_of::<Pending>() + own + partner + simd
    }

    /// The group as it is.
    pub fn moment(&self) -> Moment<'_> {
        Moment {
            group: &self.group,
            steps: self.steps,
            faults: &self.part.faults,
            statistics: &self.part.statistics,
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
        let observers = observer.into_iter().collect();
        let GroupRun { group, part, steps, end, partner } = self;
        let mut run = RunState::new(launch, memory, stop, observers, group, part);
        // It is never stopped on its own: both groups make their steps, or none does.
        let mut partner = partner.as_mut().map(|partner| {
            let GroupRun { group, part, end, .. } = &mut **partner;
            (RunState::new(launch, memory, Stop::never(), Vec::new(), group, part), end)
        });
        while end.is_none() {
            *end = run.advance()?;
            *steps += 1;
            if let Some((partner, ended)) = &mut partner
                && end.is_none()
                && ended.is_none()
            {
                std::mem::swap(&mut run.group.simd, &mut partner.group.simd);
                **ended = partner.advance()?;
                std::mem::swap(&mut run.group.simd, &mut partner.group.simd);
            }
            let moment = Moment {
                group: run.group,
                steps: *steps,
                faults: &run.part.faults,
                statistics: &run.part.statistics,
                end: *end,
            };
            if !more(&moment) {
                break;
            }
        }
        Ok(())
    }
}
