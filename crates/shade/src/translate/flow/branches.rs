//! IF, ELSE, ENDIF, CALL, RETURN: the effects of the branch counters.

use crate::translate::flow::{Control, Jump, Kind, Open, Waiting, Walk, deep, irregular};
use crate::translate::tree::{Condition, Node};
use ctm_isa::isa::{AddressOp, BRANCH_LIMIT, BranchOp, STACK_DEPTH};
use ctm_machine::engine::Why;
use ctm_machine::lower::FlowControl;

impl Walk<'_> {
    pub(super) fn jump(&mut self, control: Control) -> Result<(), Why> {
        let Control { pc, flow, wish, stay, jump, .. } = control;
        let any = flow.flags & FlowControl::ANY != 0;
        match flow.a_op {
            AddressOp::Push => {
                self.settled()?;
                return self.call(control);
            }
            AddressOp::Pop => {
                self.settled()?;
                return self.subroutine_end(control);
            }
            AddressOp::None => {}
            AddressOp::Reserved(_) => return Err(irregular(pc, "A_OP is reserved")),
        }
        let next = (self.pc + 1) & 0x1ff;
        let here = u32::from(flow.target) == next;
        let (none, same) = (BranchOp::None, stay == jump);
        match (stay, wish.known()) {
            // ENDIF: never jumps, or the jump makes no difference.
            (BranchOp::Decr, Some(false)) if any || (here && same) => {
                self.close(pc, flow.b_pop_cnt)?;
                self.go(next);
                Ok(())
            }
            (BranchOp::None, Some(false)) if any => {
                self.settled()?;
                self.go(next);
                Ok(())
            }
            // Jumping and staying are the same.
            (BranchOp::None, _) if here && jump == none => {
                self.settled()?;
                self.go(next);
                Ok(())
            }
            // A jump that a group takes whatever its points are.
            (_, Some(true)) if !any && stay != BranchOp::Incr && jump == none => {
                self.settled()?;
                if u32::from(flow.target) <= self.pc {
                    return Err(irregular(pc, "it jumps back"));
                }
                self.go(u32::from(flow.target));
                Ok(())
            }
            (BranchOp::Incr, _) if !any => {
                self.settled()?;
                let calls = self.calls.len();
                self.begin(
                    pc,
                    wish.negated(),
                    Jump { pc, target: flow.target, op: jump, count: flow.b_pop_cnt, calls },
                    true,
                )?;
                self.go(next);
                Ok(())
            }
            (BranchOp::Incr, _) => Err(irregular(pc, "an IF with JUMP_ANY")),
            (_, None) => {
                Err(irregular(pc, "points that wish to jump stay awake if the group stays"))
            }
            _ => Err(irregular(pc, "a jump by the number of active points")),
        }
    }

    /// Begins a level of the branch counters.
    pub(super) fn begin(
        &mut self,
        pc: u16,
        condition: Condition,
        jump: Jump,
        is_if: bool,
    ) -> Result<(), Why> {
        if self.level() as u32 >= BRANCH_LIMIT {
            return Err(deep("branches", pc, BRANCH_LIMIT));
        }
        self.open.push(Open::new(Kind::Level { pc, condition, jump, then: None, is_if }));
        Ok(())
    }

    pub(super) fn otherwise(&mut self, control: Control) -> Result<(), Why> {
        let Control { pc, flow, wish, stay, jump, .. } = control;
        let plain = flow.a_op == AddressOp::None;
        let shape = wish.known() == Some(false)
            && flow.flags & FlowControl::ANY == 0
            && plain
            && stay == BranchOp::None
            && jump == BranchOp::Decr;
        if !shape {
            return Err(irregular(pc, "an ELSE with other fields"));
        }
        let calls = self.calls.len();
        let Some(Open {
            kind: Kind::Level { jump: head, then: then @ None, is_if: true, .. },
            nodes,
            ..
        }) = self.open.last_mut()
        else {
            return Err(irregular(pc, "an ELSE without an IF"));
        };
        if u32::from(head.target) != u32::from(pc) + 1
            || head.op != BranchOp::Incr
            || head.calls != calls
        {
            return Err(irregular(head.pc, "an IF that does not lead to its ELSE"));
        }
        *then = Some(std::mem::take(nodes));
        *head = Jump {
            pc,
            target: flow.target,
            op: BranchOp::Decr,
            // The points that the ELSE puts to sleep are on the level that it ends.
            count: flow.b_pop_cnt - 1,
            calls,
        };
        self.go(self.pc + 1);
        Ok(())
    }

    /// Ends `count` levels.
    pub(super) fn close(&mut self, pc: u16, count: u8) -> Result<(), Why> {
        for _ in 0..count {
            let Some(Open {
                kind: Kind::Level { pc: head, condition, jump, then, .. },
                nodes,
                bound,
                once,
                iterations,
            }) = self.open.pop_if(|open| matches!(open.kind, Kind::Level { .. }))
            else {
                return Err(irregular(pc, "it ends more branches than there are"));
            };
            let taken = match jump.op {
                BranchOp::None => 0,
                BranchOp::Decr => usize::from(jump.count),
                _ => return Err(irregular(jump.pc, "an IF that does not lead to its end")),
            };
            let Some(level) = self.level().checked_sub(taken) else {
                return Err(irregular(jump.pc, "it ends more branches than there are"));
            };
            self.waiting.push(Waiting {
                pc: jump.pc,
                target: jump.target,
                level,
                calls: jump.calls,
            });
            let (then, otherwise) = match then {
                Some(then) => (then, nodes),
                None => (nodes, Vec::new()),
            };
            let (nodes, left_out) = match condition.known() {
                Some(true) => (then, otherwise),
                Some(false) => (otherwise, then),
                None => {
                    let node = Node::If { pc: head, condition, then, otherwise };
                    (vec![node], Vec::new())
                }
            };
            self.left_out.extend(left_out);
            self.add(nodes, [bound, once, iterations]);
        }
        Ok(())
    }

    /// Adds statements, with their instructions, those of one iteration, and their loops'
    /// iterations.
    pub(super) fn add(&mut self, nodes: Vec<Node>, [bound, once, iterations]: [u64; 3]) {
        if let Some(open) = self.open.last_mut() {
            for node in nodes {
                self.left_out.extend(open.push(node));
            }
            open.bound = open.bound.saturating_add(bound);
            open.once = open.once.saturating_add(once);
            open.iterations = open.iterations.saturating_add(iterations);
        }
    }

    // Subroutines.

    pub(super) fn call(&mut self, control: Control) -> Result<(), Why> {
        let Control { pc, flow, wish, stay, jump, .. } = control;
        let any = flow.flags & FlowControl::ANY != 0;
        let level = self.level();
        match wish.known() {
            Some(false) if any && stay == BranchOp::None => {
                self.go(self.pc + 1);
                return Ok(());
            }
            // Without voters a group stays if ANY is set. No point is awake then, so nothing is
            // lost.
            Some(true) if stay == BranchOp::None || !any => {}
            None if any && stay == BranchOp::None && jump == BranchOp::Incr => {}
            _ => {
                return Err(irregular(pc, "a call that points without a wish for it make"));
            }
        }
        if self.calls.len() == STACK_DEPTH {
            return Err(deep("calls", pc, STACK_DEPTH as u32));
        }
        let back = (self.pc + 1) & 0x1ff;
        match jump {
            BranchOp::Incr => {
                // A group without a point that wishes to call continues after the call, as if it
                // had returned.
                let past = Jump {
                    pc,
                    target: back as u16,
                    op: BranchOp::None,
                    count: 0,
                    calls: self.calls.len(),
                };
                self.begin(pc, wish, past, false)?;
            }
            BranchOp::None => {}
            _ => return Err(irregular(pc, "a call that ends branches")),
        }
        self.calls.push((back, level));
        self.go(u32::from(flow.target));
        Ok(())
    }

    /// A RETURN, conditional or the last one.
    pub(super) fn subroutine_end(&mut self, control: Control) -> Result<(), Why> {
        let Control { pc, flow, wish, stay, jump, .. } = control;
        let Some(&(back, outer)) = self.calls.last() else {
            return Err(irregular(pc, "a return without a call"));
        };
        let any = flow.flags & FlowControl::ANY != 0;
        let count = match jump {
            BranchOp::None => 0,
            BranchOp::Decr => flow.b_pop_cnt,
            _ => return Err(irregular(pc, "a return with INCR")),
        };
        let in_loop = self.open.iter().rev().find_map(|open| match &open.kind {
            Kind::Loop { calls, .. } => Some(*calls == self.calls.len()),
            _ => None,
        });
        if any || in_loop == Some(true) || self.level() != outer + usize::from(count) {
            return Err(irregular(pc, "a return that leaves statements open"));
        }
        if wish.known() == Some(true) {
            self.close(pc, count)?;
            self.calls.pop();
            self.go(back);
            return Ok(());
        }
        if stay != BranchOp::Incr {
            return Err(irregular(pc, "a conditional return without INCR"));
        }
        let home = Jump { pc, target: back as u16, op: jump, count, calls: self.calls.len() - 1 };
        self.begin(pc, wish.negated(), home, false)?;
        self.go(self.pc + 1);
        Ok(())
    }
}
