//! The observer that counts. Several run concurrently, each on its own groups; they share what is
//! kept per element and per point.

use super::Counts;
use super::heat::Heat;
use super::touched::Touched;
use ctm_isa::isa::Body;
use ctm_machine::engine::Checked;
use ctm_machine::engine::groups::{SLOTS, slots};
use ctm_machine::engine::reference::{GroupState, Observer, Step};

/// Counts what groups do.
pub(super) struct Counter<'a> {
    /// By pc.
    pub counts: Vec<Counts>,
    touched: &'a Touched,
    heat: &'a Heat,
    /// Slots that were covered when the group started.
    started: u64,
    /// Instructions that all started slots of the group executed.
    shared: u64,
    /// Further instructions of each slot.
    own: [u64; SLOTS],
}

impl<'a> Counter<'a> {
    pub fn new(launch: &Checked, touched: &'a Touched, heat: &'a Heat) -> Counter<'a> {
        let counts = vec![Counts::default(); launch.program.instructions().len()];
        Counter { counts, touched, heat, started: 0, shared: 0, own: [0; SLOTS] }
    }
}

impl Observer for Counter<'_> {
    fn begin(&mut self, group: &GroupState) {
        self.started = group.covered();
        self.shared = 0;
        self.own = [0; SLOTS];
    }

    fn end(&mut self, group: &GroupState, _faulted: bool) {
        for slot in slots(self.started) {
            self.heat.add(group.point(slot), self.shared + self.own[slot]);
        }
    }

    fn step(&mut self, step: &Step<'_>) {
        if step.fault.is_some() {
            return;
        }
        let (before, after) = (step.before, step.after);
        let active = before.active() & before.covered();
        let lanes = u64::from(active.count_ones());
        let counts = &mut self.counts[step.pc as usize];
        counts.groups += 1;
        counts.lanes += lanes;
        match &step.instruction.body {
            Body::Tex(tex) => {
                if tex.op.fetches() {
                    counts.fetches += lanes;
                }
                let killed = before.covered() & !after.covered();
                counts.killed += u64::from(killed.count_ones());
            }
            Body::Alu(_) | Body::Fc(_) => {}
        }
        if let Some(flow) = step.flow {
            counts.taken += u64::from(flow.jumped);
            counts.diverged += u64::from(flow.diverged);
        }
        for (_, fetch) in step.fetches.iter().filter(|(slot, _)| active >> slot & 1 != 0) {
            self.touched.mark(step.pc, fetch.meant);
        }
        if active == self.started {
            self.shared += 1;
        } else {
            for slot in slots(active) {
                self.own[slot] += 1;
            }
        }
    }

    fn conflict(&mut self, pc: u32) {
        self.counts[pc as usize].conflicts += 1;
    }
}
