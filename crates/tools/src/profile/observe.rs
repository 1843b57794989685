//! The observer that counts. Several run concurrently, each on its own groups; they share what is
//! kept per element and per point.

use super::Counts;
use super::heat::Heat;
use super::touched::Touched;
use ctm_isa::isa::{Body, Instruction};
use ctm_machine::engine::Checked;
use ctm_machine::engine::groups::{SLOTS, slots};
use ctm_machine::engine::reference::{Fetched, GroupState, LaneResult, Observer};

/// Counts per instruction, by pc.
pub(super) struct Tally {
    pub counts: Vec<Counts>,
}

impl Tally {
    pub fn new(instructions: usize) -> Tally {
        Tally { counts: vec![Counts::default(); instructions] }
    }

    pub fn add(&mut self, other: &Tally) {
        for (sum, more) in self.counts.iter_mut().zip(&other.counts) {
            *sum += *more;
        }
    }
}

/// Counts what groups do.
pub(super) struct Counter<'a> {
    pub tally: Tally,
    touched: &'a Touched,
    heat: &'a Heat,
    /// Slots that were covered when the group started.
    started: u64,
    /// Active covered slots, and covered slots, before the running instruction.
    lanes: u64,
    covered: u64,
    /// Instructions that all started slots of the group executed.
    shared: u64,
    /// Further instructions of each slot.
    own: [u64; SLOTS],
}

impl<'a> Counter<'a> {
    pub fn new(launch: &Checked, touched: &'a Touched, heat: &'a Heat) -> Counter<'a> {
        let tally = Tally::new(launch.program.instructions().len());
        Counter {
            tally,
            touched,
            heat,
            started: 0,
            lanes: 0,
            covered: 0,
            shared: 0,
            own: [0; SLOTS],
        }
    }
}

impl Observer for Counter<'_> {
    fn group_begin(&mut self, group: &GroupState) {
        self.started = group.covered();
        self.shared = 0;
        self.own = [0; SLOTS];
    }

    fn group_end(&mut self, group: &GroupState, _faulted: bool) {
        for slot in slots(self.started) {
            self.heat.add(group.point(slot), self.shared + self.own[slot]);
        }
    }

    fn before(&mut self, group: &GroupState, _instruction: &Instruction) {
        self.covered = group.covered();
        self.lanes = group.active() & self.covered;
    }

    fn after(
        &mut self,
        group: &GroupState,
        pc: u32,
        instruction: &Instruction,
        _results: &[Option<LaneResult>],
    ) {
        let counts = &mut self.tally.counts[pc as usize];
        let lanes = u64::from(self.lanes.count_ones());
        counts.groups += 1;
        counts.lanes += lanes;
        match &instruction.body {
            Body::Tex(tex) => {
                if tex.op.fetches() {
                    counts.fetches += lanes;
                }
                let killed = self.covered & !group.covered();
                counts.killed += u64::from(killed.count_ones());
            }
            Body::Fc(_) => counts.taken += u64::from(group.pc() != (pc + 1) & 0x1ff),
            Body::Alu(_) => {}
        }
        if self.lanes == self.started {
            self.shared += 1;
        } else {
            for slot in slots(self.lanes) {
                self.own[slot] += 1;
            }
        }
    }

    fn diverged(&mut self, _group: &GroupState, pc: u32) {
        self.tally.counts[pc as usize].diverged += 1;
    }

    fn conflict(&mut self, pc: u32) {
        self.tally.counts[pc as usize].conflicts += 1;
    }

    fn load(&mut self, group: &GroupState, slot: usize, fetch: &Fetched) {
        if self.lanes >> slot & 1 != 0 {
            self.touched.mark(group.pc(), fetch.meant);
        }
    }
}
