//! Flow control over masks. The steps are those of docs/assumptions.md.

use super::machine::{Frame, Machine};
use crate::engine::FaultCode;
use crate::engine::groups::slots;
use crate::launch::Constants;
use crate::lower::{ALU_RESULT, FlowControl};
use ctm_isa::isa::{AddressOp, BRANCH_LIMIT, BranchOp, FcOp, STACK_DEPTH};

/// ELSE: the active points (`swapped_out`) wait at this level, and those that waited at it wake up.
fn exchange_level(m: &mut Machine, swapped_out: u64) {
    for slot in slots(m.branch_inactive) {
        if m.counters[slot] == 0 {
            m.branch_inactive &= !(1 << slot);
        }
    }
    m.branch_inactive |= swapped_out;
    for slot in slots(swapped_out) {
        m.counters[slot] = 0;
    }
}

/// DECR: ends `amount` levels.
fn wake_levels(m: &mut Machine, amount: u8) {
    for slot in slots(m.branch_inactive) {
        match m.counters[slot].checked_sub(amount) {
            Some(counter) => m.counters[slot] = counter,
            None => m.branch_inactive &= !(1 << slot),
        }
    }
}

/// INCR: points that `disagreed` with the decision start to wait; those that `waited` already are one
/// level deeper.
fn sleep(m: &mut Machine, waited: u64, disagreed: u64) -> Result<(), FaultCode> {
    for slot in slots(waited & m.branch_inactive) {
        m.counters[slot] += 1;
        if m.counters[slot] as u32 == BRANCH_LIMIT {
            return Err(FaultCode::BranchCounterOverflow);
        }
    }
    for slot in slots(disagreed) {
        m.counters[slot] = 0;
    }
    m.branch_inactive |= disagreed;
    Ok(())
}

/// The slots for which the truth table gives 1.
fn wish(m: &Machine, flow: &FlowControl, constants: &Constants) -> u64 {
    let boolean = constants.bool >> (flow.bool_addr & 31) & 1;
    // With the boolean known, four entries are left: bit n for (alu result, predicate) = n.
    let table = flow.jump_func >> boolean;
    match table & 0x55 {
        0 => return 0,
        0x55 => return u64::MAX,
        _ => {}
    }
    let mut predicate = match flow.predicate {
        n @ 0..=3 => m.bits[n as usize],
        _ => u64::MAX,
    };
    if flow.flags & FlowControl::INVERT != 0 {
        predicate = !predicate;
    }
    let entry = |n: u8| {
        if table >> (2 * n) & 1 != 0 { u64::MAX } else { 0 }
    };
    let alu_result = m.bits[ALU_RESULT as usize];
    !alu_result & (!predicate & entry(0) | predicate & entry(1))
        | alu_result & (!predicate & entry(2) | predicate & entry(3))
}

fn pop_frame(m: &mut Machine, restore_al: bool) {
    if let Some(frame) = m.frames.pop()
        && restore_al
    {
        m.al = frame.saved_al;
    }
}

/// Executes a flow-control instruction and moves the pc. Returns `true` if the group then ends.
pub(super) fn flow_op(
    m: &mut Machine,
    flow: &FlowControl,
    constants: &Constants,
) -> Result<bool, FaultCode> {
    use FcOp::*;
    let op = flow.op;
    let has = |flag: u8| flow.flags & flag != 0;
    let is_end = matches!(op, EndLoop | EndRep);
    let is_break = matches!(op, BreakLoop | BreakRep);
    if is_end || is_break || op == Continue {
        let frame = m.frames.last_mut().ok_or(FaultCode::LoopStackUnderflow)?;
        if is_end && frame.continued != 0 {
            frame.continued = 0;
            m.update_active();
        }
    }

    let inactive_before = m.branch_inactive;
    let mut swapped_out = 0;
    if has(FlowControl::ELSE) {
        swapped_out = m.active.mask;
        exchange_level(m, swapped_out);
        m.update_active();
    }

    let active = m.active.mask;
    let wish = wish(m, flow, constants);
    let wants = active & wish | swapped_out;
    let ignored = if has(FlowControl::IGNORE_UNCOVERED) { !m.covered } else { 0 };
    let voters = (active | swapped_out) & !ignored;
    let vote = if has(FlowControl::ANY) { voters & wants != 0 } else { voters & !wants == 0 };
    let constant = constants.int[flow.int_addr as usize & 31];
    let jump = match op {
        Jump => vote,
        Loop | Rep => constant.count == 0 || (voters != 0 && vote),
        EndLoop | EndRep => {
            let mut goes_on = false;
            if let Some(frame) = m.frames.last_mut() {
                frame.remaining = frame.remaining.saturating_sub(1);
                goes_on = frame.remaining != 0;
            }
            goes_on && vote
        }
        BreakLoop | BreakRep | Continue => {
            let mut waiting = m.branch_inactive;
            if is_break && let Some(frame) = m.frames.last() {
                waiting |= frame.continued;
            }
            waiting & !ignored == 0 && vote
        }
    };
    if let Some(frame) = m.frames.last_mut() {
        if is_break {
            frame.broken |= active & wish;
        } else if op == Continue {
            frame.continued |= active & wish;
        }
    }

    let pc = m.pc;
    if jump {
        match op {
            EndLoop => m.al = m.al.wrapping_add(constant.step as i32),
            BreakLoop | BreakRep => pop_frame(m, op == BreakLoop),
            Jump | Loop | Rep | EndRep | Continue => {}
        }
        m.pc = flow.target as u32;
        match flow.a_op {
            AddressOp::Push if m.calls.len() == STACK_DEPTH => {
                m.pc = pc;
                return Err(FaultCode::AddressStackOverflow);
            }
            AddressOp::Push => m.calls.push(((pc + 1) & 0x1ff) as u16),
            AddressOp::Pop => match m.calls.pop() {
                Some(address) => m.pc = address as u32,
                None => {
                    m.pc = pc;
                    return Err(FaultCode::AddressStackUnderflow);
                }
            },
            AddressOp::None | AddressOp::Reserved(_) => {}
        }
    } else {
        match op {
            Loop | Rep if m.frames.len() == STACK_DEPTH => {
                return Err(FaultCode::LoopStackOverflow);
            }
            Loop | Rep => {
                m.frames.push(Frame {
                    remaining: constant.count as u32,
                    saved_al: m.al,
                    broken: 0,
                    continued: 0,
                });
                if op == Loop {
                    m.al = constant.start as i32;
                }
            }
            EndLoop | EndRep => pop_frame(m, op == EndLoop),
            Jump | BreakLoop | BreakRep | Continue => {}
        }
        m.pc = (pc + 1) & 0x1ff;
    }
    match if jump { flow.b_op1 } else { flow.b_op0 } {
        BranchOp::None | BranchOp::Reserved(_) => {}
        BranchOp::Decr => wake_levels(m, flow.b_pop_cnt),
        BranchOp::Incr => {
            let disagreed = active & if jump { !wish } else { wish };
            if let Err(fault) = sleep(m, inactive_before, disagreed) {
                m.pc = pc;
                return Err(fault);
            }
        }
    }
    m.update_active();
    let covered = active & m.covered;
    m.statistics.divergent += (covered & wish != 0 && covered & !wish != 0) as u64;
    Ok(has(FlowControl::END))
}
