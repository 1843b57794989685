//! LOOP, REP, their ends, BREAK and CONTINUE.

use crate::translate::flow::{Control, Kind, Open, Walk, deep, irregular};
use crate::translate::tree::{Leave, Node};
use ctm_isa::isa::{AddressOp, BranchOp, FcOp, STACK_DEPTH};
use ctm_machine::engine::Why;
use ctm_machine::lower::FlowControl;

impl Walk<'_> {
    pub(super) fn enter_loop(&mut self, control: Control) -> Result<(), Why> {
        let Control { pc, flow, op, wish, stay, jump } = control;
        let constant = self.ints[flow.int_addr as usize & 31];
        let none = BranchOp::None;
        let pushes = flow.a_op != AddressOp::None;
        if constant.count == 0 {
            if jump != none || pushes || u32::from(flow.target) <= self.pc {
                return Err(irregular(pc, "a loop that is left out in an odd way"));
            }
            self.go(u32::from(flow.target));
            return Ok(());
        }
        if wish.known() != Some(false) || stay != none {
            return Err(irregular(pc, "a loop with a condition"));
        }
        let depth = self.open.iter().filter(|open| matches!(open.kind, Kind::Loop { .. })).count();
        if depth == STACK_DEPTH {
            return Err(deep("loops", pc, STACK_DEPTH as u32));
        }
        let calls = self.calls.len();
        self.open.push(Open::new(Kind::Loop { pc, op, constant, calls, leaves: Vec::new() }));
        self.go(self.pc + 1);
        Ok(())
    }

    pub(super) fn end_loop(&mut self, control: Control) -> Result<(), Why> {
        let Control { pc, flow, op, wish, stay, jump } = control;
        let Some(Open {
            kind: Kind::Loop { pc: head, op: begin, constant, calls, leaves },
            nodes,
            bound,
            once,
            iterations,
        }) = self.open.pop_if(|open| matches!(open.kind, Kind::Loop { .. }))
        else {
            return Err(irregular(pc, "the end of a loop without its beginning"));
        };
        let none = BranchOp::None;
        let matches = (begin == FcOp::Loop) == (op == FcOp::EndLoop)
            && calls == self.calls.len()
            && flow.a_op == AddressOp::None
            && (stay, jump) == (none, none);
        let back = u32::from(flow.target) == (u32::from(head) + 1) & 0x1ff;
        // With one iteration the group never jumps back.
        if !matches || (constant.count > 1 && (!back || wish.known() != Some(true))) {
            return Err(irregular(pc, "the end of a loop with other fields"));
        }
        self.spins |= flow.flags & FlowControl::ANY == 0;
        for (leave, target, to) in leaves {
            let expected = match to {
                Leave::Break => (u32::from(pc) + 1) & 0x1ff,
                Leave::Continue => u32::from(pc),
            };
            if u32::from(target) != expected {
                return Err(irregular(leave, "it does not lead to the end of its loop"));
            }
        }
        let step = self.ints[flow.int_addr as usize & 31].step;
        let times = u64::from(constant.count);
        let total = bound.saturating_mul(times);
        let iterations = iterations.saturating_add(1).saturating_mul(times);
        let node = Node::Loop {
            pc: head,
            count: constant.count,
            al: (begin == FcOp::Loop).then_some((constant.start, step)),
            body: nodes,
            once,
        };
        self.add(vec![node], [total, once, iterations]);
        self.go(self.pc + 1);
        Ok(())
    }

    pub(super) fn leave(&mut self, control: Control) -> Result<(), Why> {
        let Control { pc, flow, op, wish, stay, jump } = control;
        let to = if op == FcOp::Continue { Leave::Continue } else { Leave::Break };
        let any = flow.flags & FlowControl::ANY != 0;
        let votes = flow.flags & FlowControl::IGNORE_UNCOVERED == 0;
        let calls_now = self.calls.len();
        let inside = self.open.iter().rev().position(|open| matches!(open.kind, Kind::Loop { .. }));
        let Some(levels) = inside else {
            return Err(irregular(pc, "it is in no loop"));
        };
        let at = self.open.len() - 1 - levels;
        let Kind::Loop { op: begin, calls, leaves, .. } = &mut self.open[at].kind else {
            return Err(irregular(pc, "it is in no loop"));
        };
        let kind_fits = (op != FcOp::BreakLoop || *begin == FcOp::Loop)
            && (op != FcOp::BreakRep || *begin == FcOp::Rep);
        // If every point votes, a group that jumps has no sleeping point whose counter matters.
        let counters_fit = match jump {
            BranchOp::None => levels == 0 || votes,
            BranchOp::Decr => usize::from(flow.b_pop_cnt) == levels || votes,
            BranchOp::Incr | BranchOp::Reserved(_) => false,
        };
        let plain = flow.a_op == AddressOp::None;
        let decides = !any || wish.known().is_some();
        if !kind_fits || !counters_fit || !plain || !decides || stay != BranchOp::None {
            return Err(irregular(pc, "a BREAK or CONTINUE with other fields"));
        }
        if *calls != calls_now {
            return Err(irregular(pc, "it leaves a subroutine without a return"));
        }
        leaves.push((pc, flow.target, to));
        if wish.known() != Some(false) {
            let node = Node::Leave { pc, condition: wish, to };
            self.add(vec![node], [0; 3]);
        }
        self.go(self.pc + 1);
        Ok(())
    }
}
