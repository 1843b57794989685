//! The maximum number of executions of each instruction by a group.

use super::{FlowControl, Lowered};
use crate::launch::Constants;
use ctm_isa::isa::{AddressOp, FcOp, MAX_INSTRUCTIONS};
use ctm_isa::ops::Op;

/// The most times that a group executes each slot, if flow control bounds it; `constants` has the
/// counts of loops. There must be no subroutine. Only the end of a loop may jump back. Every loop
/// must be entered at its entry and left at its end or by a BREAK, so that each end counts with the
/// frame of its own entry.
pub fn runs(lowered: &Lowered, constants: &Constants) -> Option<Vec<u64>> {
    if lowered.ops.iter().any(|op| op.op == Op::Wrap) {
        return None;
    }
    let flows = lowered.ops.iter().filter(|op| op.op == Op::Flow);
    let flows: Vec<_> = flows.map(|op| (op.pc as usize, lowered.flows[op.aux as usize])).collect();
    // Entry, end, and the number of times that the slots after the entry run.
    let mut loops: Vec<(usize, usize, u64)> = Vec::new();
    let mut open: Vec<(usize, u64)> = Vec::new();
    for (pc, flow) in &flows {
        match flow.op {
            FcOp::Loop | FcOp::Rep => {
                let constant = constants.int[flow.int_addr as usize & 31];
                open.push((*pc, constant.count.max(1) as u64));
            }
            FcOp::EndLoop | FcOp::EndRep => {
                let (entry, count) = open.pop()?;
                if flow.target as usize != entry + 1 {
                    return None;
                }
                loops.push((entry, *pc, count));
            }
            FcOp::Jump | FcOp::BreakLoop | FcOp::BreakRep | FcOp::Continue => {}
        }
    }
    if !open.is_empty() {
        return None;
    }
    // The loops around a slot, the innermost first.
    let around = |slot: usize| {
        let inside = move |(entry, end, _): &&(usize, usize, u64)| *entry < slot && slot <= *end;
        loops.iter().filter(inside)
    };
    for (pc, flow) in &flows {
        let target = flow.target as usize;
        if flow.a_op != AddressOp::None {
            return None;
        }
        let left = match flow.op {
            FcOp::EndLoop | FcOp::EndRep => continue,
            // The end of a branch: it jumps only if some point wishes to, and none does.
            FcOp::Jump
                if flow.jump_func == 0
                    && flow.flags & (FlowControl::ANY | FlowControl::ELSE) == FlowControl::ANY =>
            {
                continue;
            }
            FcOp::BreakLoop | FcOp::BreakRep => 1,
            FcOp::Jump | FcOp::Loop | FcOp::Rep | FcOp::Continue => 0,
        };
        if target <= *pc || !around(*pc).skip(left).eq(around(target)) {
            return None;
        }
    }
    let times = |slot| around(slot).fold(1, |times: u64, (.., count)| times.saturating_mul(*count));
    Some((0..=MAX_INSTRUCTIONS).map(times).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::FloatMode;
    use crate::lower::lower;
    use ctm_lang::program::Program;

    /// The number of micro-operations within which groups of a program are certain to end, if any.
    fn bound(source: &str) -> Option<u64> {
        let image = ctm_lang::asm::assemble(source, "test").unwrap_or_else(|e| panic!("{e}"));
        let program = Program::new(image).unwrap_or_else(|e| panic!("{e}"));
        let constants = Constants::with_literals(&program.image().literals);
        let lowered = lower(&program, 0, FloatMode::Exact);
        let runs = runs(&lowered, &constants)?;
        Some(lowered.ops.iter().map(|op| runs[op.pc as usize]).sum())
    }

    #[test]
    fn loops_multiply_what_lies_in_them() {
        let line = "add r1.r, r1.r, 1\n";
        let once = bound(&format!("{line}mov o0, r1")).expect("it ends");
        let looped = bound(&format!("rep 100\n{line}endrep\nmov o0, r1")).expect("it ends");
        assert!(looped > 200 && looped < 100 * once, "{looped}");
        let nested = bound(&format!("rep 100\nloop 7\n{line}endloop\nendrep\nmov o0, r1"));
        assert!(nested.expect("it ends") > 1400);
        let zero = bound(&format!("rep 0\n{line}endrep\nmov o0, r1"));
        assert!(zero.expect("it ends") < 20);
        let left = "loop 9\nsub alu_result<0, r0.r, 3\nbreak if alu_result\nif alu_result\n\
                    mov r1, 1\nelse\nmov r1, 2\nendif\nendloop\nmov o0, r1";
        assert!(bound(left).expect("it ends") > 50);
        let branches = "sub alu_result<0, r0.r, 3\nif alu_result\nmov r1, 1\nelse\nmov r1, 2\n\
                        endif\nmov o0, r1";
        assert!(bound(branches).expect("it ends") < 40);
    }

    #[test]
    fn what_may_run_for_longer_has_no_bound() {
        for source in [
            // A jump back, a subroutine.
            "again:\njump -> again\nend",
            "call sub\nmov o0, r1\nend\nsub:\nmov r1, 1\nret",
            // A jump into a loop: its end counts with the frame of the other one.
            "loop n0 -> 3 if never\njump -> 4\nendloop n0 -> 1 @any\n\
             loop n1 -> 6 if never\nmov r1, 1\nendloop n1 -> 4 @any\nend",
            // A jump out of a loop whose frame stays.
            "loop n0 -> 5 if never\nloop n1 -> 4 if never\njump -> 4\nendloop n1 -> 2 @any\n\
             endloop n0 -> 1 @any\nend",
            // A loop whose exit leads back into it.
            "loop n0 -> 2 if never\nmov r1, 1\nmov r1, 2\nendloop n0 -> 1 @any\nend",
            "loop n0 -> 4 if never\nbreakloop -> 2\nmov r1, 2\nendloop n0 -> 1 @any\nend",
            // Ends without entries, entries without ends, ends of another entry.
            "mov r1, 1\nendloop n0 -> 0\nend",
            "loop n0 -> 2 if never\nmov r1, 1\nend",
            "loop n0 -> 4 if never\nmov r1, 1\nmov r1, 2\nendloop n0 -> 2 @any\nend",
        ] {
            assert_eq!(bound(source), None, "{source}");
        }
    }
}
