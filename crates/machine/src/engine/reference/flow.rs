//! Flow control: one FC instruction, in the numbered steps of docs/assumptions.md.

use super::group::{Frame, GroupState};
use super::step::Flow;
use crate::engine::FaultCode;
use crate::engine::groups::slots;
use crate::launch::Constants;
use ctm_isa::isa::{AddressOp, BRANCH_LIMIT, BranchOp, Fc, FcOp, Instruction, RGB, STACK_DEPTH};

/// ELSE: the active points (`swapped_out`) wait at this level, and those that waited at it wake up.
fn exchange_level(group: &mut GroupState, swapped_out: u64) {
    let waiting = slots(group.branch_inactive)
        .filter(|&slot| group.counters[slot] == 0)
        .fold(0, |mask, slot| mask | 1 << slot);
    group.branch_inactive = group.branch_inactive & !waiting | swapped_out;
    for slot in slots(swapped_out) {
        group.counters[slot] = 0;
    }
}

/// DECR: ends `amount` levels.
fn wake_levels(group: &mut GroupState, amount: u32) {
    for slot in slots(group.branch_inactive) {
        match group.counters[slot].checked_sub(amount) {
            Some(counter) => group.counters[slot] = counter,
            None => group.branch_inactive &= !(1 << slot),
        }
    }
}

/// INCR: points that `disagreed` with the decision start to wait; those that `waited` already are one
/// level deeper.
fn sleep(group: &mut GroupState, waited: u64, disagreed: u64) -> Result<(), FaultCode> {
    for slot in slots(waited & group.branch_inactive) {
        group.counters[slot] += 1;
        if group.counters[slot] == BRANCH_LIMIT {
            return Err(FaultCode::BranchCounterOverflow);
        }
    }
    for slot in slots(disagreed) {
        group.counters[slot] = 0;
    }
    group.branch_inactive |= disagreed;
    Ok(())
}

/// The slots for which the truth table gives 1.
fn wish(group: &GroupState, instruction: &Instruction, fc: &Fc, constants: &Constants) -> u64 {
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

fn pop_frame(group: &mut GroupState, restore_al: bool) {
    if let Some(frame) = group.frames.pop()
        && restore_al
    {
        group.al = frame.saved_al;
    }
}

/// Executes an FC instruction and moves the pc. `flow` gets how the group decided, also if it faults.
///
/// # Errors
/// The fault that ends the group. The group's state is then no longer usable.
pub(super) fn flow_op(
    group: &mut GroupState,
    instruction: &Instruction,
    fc: &Fc,
    constants: &Constants,
    offset: u32,
    flow: &mut Flow,
) -> Result<(), FaultCode> {
    use FcOp::*;
    let is_end = matches!(fc.op, EndLoop | EndRep);
    let is_break = matches!(fc.op, BreakLoop | BreakRep);

    // 1. The innermost frame. At the end of an iteration, CONTINUE's points resume.
    let needs_frame = is_end || is_break || fc.op == Continue;
    let underflows = needs_frame && group.frames.is_empty();
    if let Some(frame) = group.frames.last_mut().filter(|_| is_end) {
        frame.continued = 0;
    }

    // 2. ELSE exchanges the active points with those that wait at this level.
    let inactive_before = group.branch_inactive;
    let mut swapped_out = 0;
    if fc.b_else {
        swapped_out = group.active();
        exchange_level(group, swapped_out);
    }

    // 3. The points that wish to jump.
    let active = group.active();
    let wish = wish(group, instruction, fc, constants);
    let wants = active & wish | swapped_out;
    let covered = active & group.covered;
    let diverged = covered & wish != 0 && covered & !wish != 0;
    *flow = Flow { asked: active, wish, diverged };
    if underflows {
        return Err(FaultCode::LoopStackUnderflow);
    }

    // 4. Decision.
    let ignored = if fc.ignore_uncovered { !group.covered } else { 0 };
    let voters = (active | swapped_out) & !ignored;
    let vote = match (voters, fc.jump_any) {
        (0, any) => !any,
        (voters, false) => voters & !wants == 0,
        (voters, true) => voters & wants != 0,
    };
    let constant = constants.int[fc.int_addr as usize];
    let jump = match fc.op {
        Jump => vote,
        Loop | Rep => constant.count == 0 || (voters != 0 && vote),
        EndLoop | EndRep => {
            let remaining = group.frames.last_mut().map_or(0, |frame| {
                frame.remaining = frame.remaining.saturating_sub(1);
                frame.remaining
            });
            remaining != 0 && vote
        }
        BreakLoop | BreakRep | Continue => {
            let continued = group.frames.last().map_or(0, |frame| frame.continued);
            let waiting = group.branch_inactive | if is_break { continued } else { 0 };
            waiting & !ignored == 0 && vote
        }
    };

    // 5. BREAK and CONTINUE disable the points that wish to leave, whether or not the group jumps.
    if let Some(frame) = group.frames.last_mut() {
        if is_break {
            frame.broken |= active & wish;
        } else if fc.op == Continue {
            frame.continued |= active & wish;
        }
    }

    let target;
    if jump {
        // 6. Jump.
        match fc.op {
            EndLoop => group.al = group.al.wrapping_add(constant.step as i32),
            BreakLoop | BreakRep => pop_frame(group, fc.op == BreakLoop),
            _ => {}
        }
        let mut to = fc.jump_addr as u32;
        if !fc.jump_global {
            to += offset;
        }
        match fc.a_op {
            AddressOp::Push => {
                if group.calls.len() == STACK_DEPTH {
                    return Err(FaultCode::AddressStackOverflow);
                }
                group.calls.push((group.pc + 1) & 0x1ff);
            }
            AddressOp::Pop => {
                to = group.calls.pop().ok_or(FaultCode::AddressStackUnderflow)?;
            }
            AddressOp::None | AddressOp::Reserved(_) => {}
        }
        target = to & 0x1ff;
    } else {
        // 7. Stay.
        match fc.op {
            Loop | Rep => {
                if group.frames.len() == STACK_DEPTH {
                    return Err(FaultCode::LoopStackOverflow);
                }
                group.frames.push(Frame {
                    remaining: constant.count as u32,
                    saved_al: group.al,
                    broken: 0,
                    continued: 0,
                });
                if fc.op == Loop {
                    group.al = constant.start as i32;
                }
            }
            EndLoop | EndRep => pop_frame(group, fc.op == EndLoop),
            _ => {}
        }
        target = (group.pc + 1) & 0x1ff;
    }

    // 8. The branch counters.
    match if jump { fc.b_op1 } else { fc.b_op0 } {
        BranchOp::None | BranchOp::Reserved(_) => {}
        BranchOp::Decr => wake_levels(group, fc.b_pop_cnt as u32),
        BranchOp::Incr => {
            let disagreed = active & if jump { !wish } else { wish };
            sleep(group, inactive_before, disagreed)?;
        }
    }
    group.pc = target;
    Ok(())
}
