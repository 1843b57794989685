//! Flow control: one FC instruction, in the numbered steps of docs/assumptions.md.

use super::group::{FlowState, Frame, GroupState};
use super::step::Decision;
use crate::engine::FaultCode;
use crate::engine::groups::slots;
use crate::launch::{Constants, IntConstant};
use ctm_isa::isa::{AddressOp, BRANCH_LIMIT, BranchOp, Fc, FcOp, Instruction, RGB, STACK_DEPTH};

impl<const N: usize> FlowState<N> {
    /// ELSE: the active points (`swapped_out`) wait at this level, and those that waited at it wake up.
    fn exchange_level(&mut self, swapped_out: u64) {
        let waiting = slots(self.inactive)
            .filter(|&slot| self.counters[slot] == 0)
            .fold(0, |mask, slot| mask | 1 << slot);
        self.inactive = self.inactive & !waiting | swapped_out;
    }

    /// DECR: ends `amount` levels.
    fn wake_levels(&mut self, amount: u32) {
        for slot in slots(self.inactive) {
            let left = self.counters[slot].checked_sub(amount);
            self.counters[slot] = left.unwrap_or(0);
            if left.is_none() {
                self.inactive &= !(1 << slot);
            }
        }
    }

    /// INCR: points that `disagreed` with the decision start to wait; those that `waited` already
    /// are one level deeper.
    fn sleep(&mut self, waited: u64, disagreed: u64) -> Result<(), FaultCode> {
        for slot in slots(waited & self.inactive) {
            self.counters[slot] += 1;
            if self.counters[slot] == BRANCH_LIMIT {
                return Err(FaultCode::BranchCounterOverflow);
            }
        }
        self.inactive |= disagreed;
        Ok(())
    }
}

/// The slots for which the truth table gives 1.
pub(super) fn wish(
    group: &GroupState,
    instruction: &Instruction,
    fc: &Fc,
    constants: &Constants,
) -> u64 {
    let common = &instruction.common;
    let predicate = common.gates()[0].map_or(u64::MAX, |bit| {
        let bits = group.predicates.iter().enumerate();
        let mask = bits.fold(0, |mask, (slot, p)| mask | ((p >> bit & 1) as u64) << slot);
        if common.pred_inv[RGB] { !mask } else { mask }
    });
    let boolean = (constants.bool >> fc.bool_addr & 1) as usize;
    let mut wish = 0;
    for index in 0..8usize {
        if fc.jump_func >> index & 1 == 0 || index & 1 != boolean {
            continue;
        }
        let alu_result = if index & 4 != 0 { group.alu_result } else { !group.alu_result };
        let predicate = if index & 2 != 0 { predicate } else { !predicate };
        wish |= alu_result & predicate;
    }
    wish
}

impl<const N: usize> FlowState<N> {
    fn pop_frame(&mut self, restore_al: bool) {
        if let Some(frame) = self.frames.pop()
            && restore_al
        {
            self.al = frame.saved_al;
        }
    }

    /// Executes an FC instruction at `pc`, and returns the next pc. `target` is where it jumps to,
    /// unless it returns; `constant` is its integer constant. `flow` has the wishes, and gets how the
    /// points decided, also if it faults.
    ///
    /// # Errors
    /// The fault that ends the group. The state is then no longer usable.
    pub fn flow_op(
        &mut self,
        fc: &Fc,
        (pc, target): (u32, u32),
        covered: u64,
        constant: IntConstant,
        flow: &mut Decision,
    ) -> Result<u32, FaultCode> {
        use FcOp::*;
        let is_end = matches!(fc.op, EndLoop | EndRep);
        let is_break = matches!(fc.op, BreakLoop | BreakRep);

        // 1. The innermost frame. At the end of an iteration, CONTINUE's points resume.
        let needs_frame = is_end || is_break || fc.op == Continue;
        let underflows = needs_frame && self.frames.is_empty();
        if let Some(frame) = self.frames.last_mut().filter(|_| is_end) {
            frame.continued = 0;
        }

        // 2. ELSE exchanges the active points with those that wait at this level.
        let inactive_before = self.inactive;
        let swapped_out = if fc.b_else { self.active() } else { 0 };
        if fc.b_else {
            self.exchange_level(swapped_out);
        }

        // 3. The points that wish to jump.
        let active = self.active();
        let wish = flow.wish;
        let wants = active & wish | swapped_out;
        let counted = active & covered;
        let diverged = counted & wish != 0 && counted & !wish != 0;
        *flow = Decision { asked: active, wish, diverged, jumped: false };
        if underflows {
            return Err(FaultCode::LoopStackUnderflow);
        }

        // 4. Decision.
        let ignored = if fc.ignore_uncovered { !covered } else { 0 };
        let voters = (active | swapped_out) & !ignored;
        let vote = match (voters, fc.jump_any) {
            (0, any) => !any,
            (voters, false) => voters & !wants == 0,
            (voters, true) => voters & wants != 0,
        };
        let jumped = match fc.op {
            Jump => vote,
            Loop | Rep => constant.count == 0 || (voters != 0 && vote),
            EndLoop | EndRep => {
                let remaining = self.frames.last_mut().map_or(0, |frame| {
                    frame.remaining = frame.remaining.saturating_sub(1);
                    frame.remaining
                });
                remaining != 0 && vote
            }
            BreakLoop | BreakRep | Continue => {
                let continued = self.frames.last().map_or(0, |frame| frame.continued);
                let waiting = self.inactive | if is_break { continued } else { 0 };
                waiting & !ignored == 0 && vote
            }
        };

        // 5. BREAK and CONTINUE disable the points that wish to leave, whether or not the group jumps.
        if let Some(frame) = self.frames.last_mut() {
            if is_break {
                frame.broken |= active & wish;
            } else if fc.op == Continue {
                frame.continued |= active & wish;
            }
        }

        flow.jumped = jumped;
        let next = (pc + 1) & 0x1ff;
        let mut to = if jumped { target } else { next };
        if jumped {
            // 6. Jump.
            match fc.op {
                EndLoop => self.al = self.al.wrapping_add(constant.step.into()),
                BreakLoop | BreakRep => self.pop_frame(fc.op == BreakLoop),
                Jump | Loop | Rep | EndRep | Continue => {}
            }
            match fc.a_op {
                AddressOp::Push if self.calls.len() == STACK_DEPTH => {
                    return Err(FaultCode::AddressStackOverflow);
                }
                AddressOp::Push => self.calls.push(next),
                AddressOp::Pop => {
                    to = self.calls.pop().ok_or(FaultCode::AddressStackUnderflow)?;
                }
                AddressOp::None | AddressOp::Reserved(_) => {}
            }
        } else {
            // 7. Stay.
            match fc.op {
                Loop | Rep if self.frames.len() == STACK_DEPTH => {
                    return Err(FaultCode::LoopStackOverflow);
                }
                Loop | Rep => {
                    let (remaining, saved_al) = (constant.count.into(), self.al);
                    self.frames.push(Frame { remaining, saved_al, broken: 0, continued: 0 });
                    if fc.op == Loop {
                        self.al = constant.start.into();
                    }
                }
                EndLoop | EndRep => self.pop_frame(fc.op == EndLoop),
                Jump | BreakLoop | BreakRep | Continue => {}
            }
        }

        // 8. The branch counters.
        match if jumped { fc.b_op1 } else { fc.b_op0 } {
            BranchOp::None | BranchOp::Reserved(_) => {}
            BranchOp::Decr => self.wake_levels(fc.b_pop_cnt.into()),
            BranchOp::Incr => {
                let disagreed = active & if jumped { !wish } else { wish };
                self.sleep(inactive_before, disagreed)?;
            }
        }
        Ok(to)
    }
}
