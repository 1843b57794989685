//! Loops as a whole.
//!
//! A body runs once on terms, with unknown values for all that it changes: an iteration. What the loop leaves is
//! then left to its shape ([`shapes`](crate::shapes)).
//!
//! The walk makes all iterations, also for points that have left the loop, which are idle. A group whose points
//! are all idle leaves: what the walk owes for this is checked at the end of the iteration, for all later ones.

use crate::Undecided;
use crate::cond::{Check, Cond};
use crate::flow::Debt;
use crate::machine::{State, Walk};
use crate::shapes::Carried;
use crate::term::{Id, Terms};
use ctm_isa::isa::{AddressOp, Body, BranchOp, Fc, FcOp};

const NOT_ZERO: Check = Check::Compare(3);

impl State {
    /// All that instructions can change but the flow state: conditions as 1 and 0.
    fn values(&self, terms: &mut Terms) -> Vec<Id> {
        let mut all: Vec<Id> =
            self.temps.iter().chain(&self.results.outputs).flatten().copied().collect();
        all.push(self.results.own);
        let conds = [self.alu_result, self.results.alive];
        let conds = self.predicates.iter().copied().chain(conds);
        all.extend(conds.map(|cond| terms.truth(cond)));
        all
    }

    /// Sets what [`State::values`] gives.
    fn set_values(&mut self, terms: &mut Terms, all: &[Id]) {
        let mut all = all.iter().copied();
        let places = self.temps.iter_mut().chain(&mut self.results.outputs).flatten();
        for (place, id) in places.chain([&mut self.results.own]).zip(&mut all) {
            *place = id;
        }
        let conds = [&mut self.alu_result, &mut self.results.alive];
        for (place, id) in self.predicates.iter_mut().chain(conds).zip(all) {
            *place = terms.check(NOT_ZERO, id);
        }
    }
}

/// The extent of a loop.
#[derive(Clone, Copy)]
struct Extent {
    /// The first instruction of the body.
    first: u32,
    /// The instruction that goes back.
    last: u32,
}

impl Walk<'_> {
    /// Runs the loop that the walk has just entered as a whole. Returns the pc after it.
    ///
    /// # Errors
    /// It is none of those that this is for.
    pub(crate) fn whole(&mut self, fc: &Fc, first: u32) -> Result<u32, Undecided> {
        let extent = self.extent(fc.op, first).ok_or(Undecided::Unstructured(first))?;
        let (before, height) = (self.state.clone(), std::mem::take(&mut self.height));
        self.state = self.left(&before, extent)?;
        self.height = height.max(self.height + 1);
        Ok(extent.last + 1)
    }

    /// The extent of a loop in which idle points stay idle and that has all else inside: no calls, no end.
    fn extent(&self, op: FcOp, first: u32) -> Option<Extent> {
        let (instructions, registers) = (self.program.instructions(), self.program.registers());
        let back = if op == FcOp::Loop { FcOp::EndLoop } else { FcOp::EndRep };
        let goes_back = |pc: &u32| match &instructions[*pc as usize].body {
            Body::Fc(fc) => fc.op == back && fc.target(registers.offset()) == first,
            Body::Alu(_) | Body::Tex(_) => false,
        };
        let last = (first..instructions.len() as u32).find(goes_back)?;
        // No iteration that runs here is the last one, at whose end branch counters could change.
        let Body::Fc(end) = &instructions[last as usize].body else { return None };
        if end.b_else || [end.b_op0, end.b_op1] != [BranchOp::None; 2] {
            return None;
        }
        let is_plain = |pc: u32| {
            let instruction = &instructions[pc as usize];
            let calls = match &instruction.body {
                Body::Fc(fc) => fc.a_op != AddressOp::None,
                Body::Alu(_) | Body::Tex(_) => false,
            };
            !instruction.common.write_inactive && !calls && pc != registers.end()
        };
        (first..=last).all(is_plain).then_some(Extent { first, last })
    }

    /// The state after a loop. `before`: that in front of its first instruction.
    fn left(&mut self, before: &State, extent: Extent) -> Result<State, Undecided> {
        let mut after = before.clone();
        let Some(frame) = after.flow.frames.pop() else { return Err(Undecided::Fault) };
        after.flow.al = frame.saved_al;
        // The last one says who has left the loop.
        let values = |state: &State, terms: &mut Terms| {
            let frame = state.flow.frames.last();
            let mut all = state.values(terms);
            all.push(terms.truth(frame.map_or(Cond::FALSE, |frame| frame.broken)));
            all
        };
        let initial = values(before, self.terms);
        let active = before.flow.active(self.terms);
        // Only points that are active before it count, unless others can be neighbours that they read.
        let cared = if self.program.uses().neighbours { Cond::TRUE } else { active };
        let mut changes = vec![true; initial.len()];
        let mut carried = Vec::new();
        // First everything may change, then what the first run changes.
        for _ in 0..2 {
            self.state = before.clone();
            let with_unknowns = initial.iter().zip(&changes);
            let unknowns: Vec<Id> = with_unknowns
                .map(|(&id, changes)| if *changes { self.terms.unknown() } else { id })
                .collect();
            self.state.set_values(self.terms, &unknowns);
            if let (Some(frame), Some(&id)) = (self.state.flow.frames.last_mut(), unknowns.last()) {
                frame.broken = self.terms.check(NOT_ZERO, id);
            }
            let now = values(&self.state, self.terms);
            self.iteration(before, &after, extent)?;
            let next = values(&self.state, self.terms);
            carried.clear();
            for n in 0..initial.len() {
                changes[n] &= now[n] != next[n];
                if changes[n] {
                    let [initial, next] =
                        [initial[n], next[n]].map(|id| self.terms.restrict(id, cared));
                    carried.push(Carried { initial, unknown: unknowns[n], next });
                }
            }
        }
        let owed = self.state.owed.iter().filter(|debt| before.owed.contains(debt));
        after.owed = owed.cloned().collect();
        after.results.instructions = self.state.results.instructions;
        let left = self.terms.left_by(frame.remaining, self.height + 1, carried);
        let mut left = left.into_iter();
        let mut all = initial;
        // Points that are idle before it go on as they are.
        for (value, _) in all.iter_mut().zip(&changes).filter(|(_, changes)| **changes) {
            let Some(new) = left.next() else { continue };
            *value = self.terms.choose(active, new, *value);
        }
        after.set_values(self.terms, &all);
        Ok(after)
    }

    /// Runs the body once. All that it may change in the flow state is which points have left the loop.
    fn iteration(
        &mut self,
        before: &State,
        after: &State,
        extent: Extent,
    ) -> Result<(), Undecided> {
        let other = Undecided::Unstructured(extent.first);
        self.state.pc = extent.first;
        if let Some(frame) = self.state.flow.frames.last_mut() {
            // Not the last one.
            frame.remaining = u32::MAX;
        }
        loop {
            let pc = self.state.pc;
            if !(extent.first..=extent.last).contains(&pc) {
                return Err(other);
            }
            self.state.pc = self.instruction()?;
            if pc == extent.last {
                break;
            }
        }
        let (mut flow, mut same) = (self.state.flow.clone(), before.flow.clone());
        if let (Some(a), Some(b)) = (flow.frames.last_mut(), same.frames.last_mut()) {
            (a.remaining, a.broken) = (b.remaining, b.broken);
        }
        let writes = [&self.state, before].map(|state| state.results.uncached.len());
        if self.state.pc != extent.first || flow != same || writes[0] != writes[1] {
            return Err(other);
        }
        // Groups that leave here.
        let active = self.state.flow.active(self.terms);
        let owed: Vec<Debt> = self.state.owed.clone();
        for debt in owed.iter().filter(|debt| !before.owed.contains(debt)) {
            let idle = self.terms.and(active, debt.care) == Cond::FALSE;
            if !idle
                || debt.to != extent.last + 1
                || !after.flow.same(&debt.flow, debt.care, self.terms)
            {
                return Err(other);
            }
        }
        Ok(())
    }
}
