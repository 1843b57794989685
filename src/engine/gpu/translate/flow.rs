//! Recovers statements from flow-control instructions.
//!
//! # What is proved
//! A group of 64 points shares a pc and jumps by vote; a shader's points each go their own way.
//! [`recover`] accepts a program only if both give every covered point the same results. It walks
//! the path of a group that makes no jump it does not have to make: the *trace*. On the trace
//!
//! * `B_OP0 = INCR` puts points that wish to jump to sleep one level deeper: an IF begins;
//! * `DECR n` wakes those of the last n levels: n IFs end; `B_ELSE` exchanges the last level;
//! * BREAK and CONTINUE hold points back until the loop or the iteration is over;
//! * a CALL goes on in the subroutine, the last RETURN behind the call.
//!
//! So along the trace the points that are awake are those that would be here on their own, and the
//! trace is a list of statements. What is left to show is that a jump changes nothing. It is taken
//! if all voters wish it, so nobody with a vote is awake on the trace from there to the target,
//! and the target must be the first place where somebody wakes: then the branch counters at the
//! target have to be those of the trace. That is what is checked for every jump: the target of an
//! IF is behind its ELSE with INCR or behind its ENDIF with as many levels taken off as the ENDIF
//! takes off others, that of an ELSE is behind its ENDIF, that of a BREAK behind its loop, and so
//! on. Everything else is [`Reason::Irregular`].
//!
//! Points without a vote (uncovered ones, under IGNORE_UNCOVERED) can be taken along by a jump that
//! they did not wish. They write no memory, so that matters only to others that read them: see
//! [`Tree::ignoring`]. Their counters stay below the number of levels, so they cannot fault.
//!
//! Jumps only leave out instructions of the trace, so its length, loops multiplied by their counts,
//! bounds what a group executes: see [`Tree::bound`] and [`Tree::checked`].

use super::reason::Reason;
use super::tree::{Condition, Leave, Node, Tree};
use crate::isa::{AddressOp, BRANCH_LIMIT, BranchOp, FcOp, FieldValue, STACK_DEPTH};
use crate::launch::IntConstant;
use crate::lower::{Flow, Lowered, Op};

/// Instructions of a trace: more than eight times the largest program.
pub const MAX_TRACE: usize = 4608;

/// The statements of a program, with the integer and boolean constants of a launch.
///
/// # Errors
/// If they cannot be found, or if they would not do what a group does.
pub fn recover(lowered: &Lowered, ints: &[IntConstant; 32], bools: u32) -> Result<Tree, Reason> {
    let mut walk = Walk {
        lowered,
        ints,
        bools,
        slots: lowered.ops.last().map_or(0, |op| u32::from(op.pc)),
        pc: lowered.start,
        open: vec![Open::new(Kind::Program)],
        calls: Vec::new(),
        waiting: Vec::new(),
        length: 0,
        checked: 0,
        spins: false,
        ignoring: None,
    };
    loop {
        if let Some(end) = walk.step()? {
            return walk.finish(end);
        }
    }
}

/// The micro-operations of a slot.
pub fn ops_of(lowered: &Lowered, pc: u16) -> std::ops::Range<usize> {
    let start = lowered
        .entry
        .get(pc as usize)
        .map_or(lowered.ops.len(), |&entry| entry as usize);
    let count = lowered.ops[start.min(lowered.ops.len())..]
        .iter()
        .take_while(|op| op.pc == pc && !matches!(op.op, Op::Missing | Op::Wrap))
        .count();
    start..start + count
}

/// A jump's promise: that at `target` the branch counters have `level` levels.
struct Waiting {
    pc: u16,
    target: u16,
    level: usize,
    calls: usize,
}

/// A jump of an open IF or ELSE.
#[derive(Clone, Copy)]
struct Jump {
    pc: u16,
    target: u16,
    /// What it does to the counters.
    op: BranchOp,
    count: u8,
    calls: usize,
}

/// A statement that has begun.
struct Open {
    kind: Kind,
    nodes: Vec<Node>,
    bound: u64,
    once: u64,
}

enum Kind {
    Program,
    /// A level of the branch counters.
    Level {
        pc: u16,
        condition: Condition,
        /// The jump that skips what is being written now; `None` if nothing has to be shown.
        jump: Option<Jump>,
        /// The first branch, once there was an ELSE.
        then: Option<Vec<Node>>,
        is_if: bool,
    },
    Loop {
        pc: u16,
        op: FcOp,
        constant: IntConstant,
        calls: usize,
        leaves: Vec<(u16, u16, Leave)>,
    },
}

impl Open {
    fn new(kind: Kind) -> Open {
        Open {
            kind,
            nodes: Vec::new(),
            bound: 0,
            once: 0,
        }
    }
}

struct Walk<'a> {
    lowered: &'a Lowered,
    ints: &'a [IntConstant; 32],
    bools: u32,
    slots: u32,
    pc: u32,
    /// Never empty: the first is the program.
    open: Vec<Open>,
    /// Return addresses, and the level at which each call was made.
    calls: Vec<(u32, usize)>,
    waiting: Vec<Waiting>,
    length: usize,
    /// The most that a group can have executed before the last flow control that is in no statement.
    checked: u64,
    spins: bool,
    ignoring: Option<u16>,
}

fn irregular(pc: impl Into<u32>, what: &'static str) -> Reason {
    Reason::Irregular {
        pc: pc.into(),
        what,
    }
}

impl Walk<'_> {
    /// Takes one instruction; the slot if it is the last one.
    fn step(&mut self) -> Result<Option<u16>, Reason> {
        let pc = self.pc as u16;
        if self.pc >= self.slots {
            return Err(Reason::Missing { pc: self.pc });
        }
        self.length += 1;
        if self.length > MAX_TRACE {
            return Err(Reason::TooLarge { limit: MAX_TRACE });
        }
        if let Some(open) = self.open.last_mut() {
            open.bound = open.bound.saturating_add(1);
            open.once = open.once.saturating_add(1);
        }
        let last = self.lowered.ops[ops_of(self.lowered, pc)].last();
        if let Some(op) = last
            && op.op == Op::Flow
        {
            let Some(flow) = self.lowered.flows.get(op.aux as usize).copied() else {
                return Err(irregular(pc, "it is not described"));
            };
            return self.flow(pc, &flow);
        }
        self.settled()?;
        self.run(pc);
        if last.is_some_and(|op| op.op == Op::End) {
            return Ok(Some(pc));
        }
        self.go(self.pc + 1);
        Ok(None)
    }

    fn go(&mut self, pc: u32) {
        self.pc = pc & 0x1ff;
    }

    /// Adds a slot to the run that is being written.
    fn run(&mut self, pc: u16) {
        let nodes = self.nodes();
        match nodes.last_mut() {
            Some(Node::Run(slots)) if slots.end == pc => slots.end = pc + 1,
            _ => nodes.push(Node::Run(pc..pc + 1)),
        }
    }

    fn nodes(&mut self) -> &mut Vec<Node> {
        let last = self.open.len() - 1;
        &mut self.open[last].nodes
    }

    /// Levels of the branch counters.
    fn level(&self) -> usize {
        self.open
            .iter()
            .filter(|open| matches!(open.kind, Kind::Level { .. }))
            .count()
    }

    /// No jump may still be waiting for the place where its target is.
    fn settled(&self) -> Result<(), Reason> {
        match self.waiting.first() {
            Some(waiting) => Err(irregular(
                waiting.pc,
                "its target is not where the skipped points wake up",
            )),
            None => Ok(()),
        }
    }

    /// The pc has moved on behind the end of statements: jumps that lead here are fulfilled.
    fn settle(&mut self) {
        let (pc, level, calls) = (self.pc as u16, self.level(), self.calls.len());
        self.waiting
            .retain(|waiting| (waiting.target, waiting.level, waiting.calls) != (pc, level, calls));
    }

    fn flow(&mut self, pc: u16, flow: &Flow) -> Result<Option<u16>, Reason> {
        let op = FcOp::from_code(u32::from(flow.op));
        let wish = Condition::wish(flow, self.bools);
        let has = |flag: u8| flow.flags & flag != 0;
        if has(Flow::END) {
            self.settled()?;
            // Only what it does to the stacks could still be seen.
            let pops = AddressOp::from_code(u32::from(flow.a_op)) == AddressOp::Pop;
            return if op == FcOp::Jump && !pops {
                if let [program] = self.open.as_slice() {
                    self.checked = program.bound - 1;
                }
                Ok(Some(pc))
            } else {
                Err(irregular(pc, "the last instruction uses a stack"))
            };
        }
        if has(Flow::IGNORE_UNCOVERED) && wish.known().is_none() {
            self.ignoring.get_or_insert(pc);
        }
        let stay = effect(flow.b_op0, flow.b_pop_cnt);
        let jump = effect(flow.b_op1, flow.b_pop_cnt);
        if has(Flow::ELSE) {
            self.settled()?;
            if op != FcOp::Jump {
                return Err(irregular(pc, "B_ELSE belongs to JUMP"));
            }
            self.otherwise(pc, flow, wish, stay, jump)?;
        } else {
            match op {
                FcOp::Jump => self.jump(pc, flow, wish, stay, jump)?,
                FcOp::Loop | FcOp::Rep => {
                    self.settled()?;
                    self.enter_loop(pc, flow, op, wish, stay, jump)?;
                }
                FcOp::EndLoop | FcOp::EndRep => {
                    self.settled()?;
                    self.end_loop(pc, flow, op, wish, stay, jump)?;
                }
                FcOp::BreakLoop | FcOp::BreakRep | FcOp::Continue => {
                    self.settled()?;
                    self.leave(pc, flow, op, wish, stay, jump)?;
                }
            }
        }
        self.settle();
        if let [program] = self.open.as_slice() {
            self.checked = program.bound - 1;
        }
        Ok(None)
    }

    // Branches.

    fn jump(
        &mut self,
        pc: u16,
        flow: &Flow,
        wish: Condition,
        stay: BranchOp,
        jump: BranchOp,
    ) -> Result<(), Reason> {
        let any = flow.flags & Flow::ANY != 0;
        match AddressOp::from_code(u32::from(flow.a_op)) {
            AddressOp::Push => {
                self.settled()?;
                return self.call(pc, flow, wish, stay, jump);
            }
            AddressOp::Pop => {
                self.settled()?;
                return self.subroutine_end(pc, flow, wish, stay, jump);
            }
            AddressOp::None => {}
            AddressOp::Reserved(_) => return Err(irregular(pc, "A_OP is reserved")),
        }
        let next = (self.pc + 1) & 0x1ff;
        let here = u32::from(flow.target) == next;
        let (none, same) = (BranchOp::None, stay == jump);
        match (stay, wish.known()) {
            // ENDIF: never taken, or makes no difference.
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
            // A jump that a group makes whatever its points are.
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
                    wish.not(),
                    Some(Jump {
                        pc,
                        target: flow.target,
                        op: jump,
                        count: flow.b_pop_cnt,
                        calls,
                    }),
                    true,
                )?;
                self.go(next);
                Ok(())
            }
            (BranchOp::Incr, _) => Err(irregular(pc, "an IF with JUMP_ANY")),
            (_, None) => Err(irregular(
                pc,
                "points that wish to jump stay awake if the group stays",
            )),
            _ => Err(irregular(pc, "a jump by the number of active points")),
        }
    }

    /// A level of the branch counters begins.
    fn begin(
        &mut self,
        pc: u16,
        condition: Condition,
        jump: Option<Jump>,
        is_if: bool,
    ) -> Result<(), Reason> {
        if self.level() as u32 >= BRANCH_LIMIT {
            return Err(Reason::Depth {
                what: "branches",
                pc: u32::from(pc),
                limit: BRANCH_LIMIT,
            });
        }
        self.open.push(Open::new(Kind::Level {
            pc,
            condition,
            jump,
            then: None,
            is_if,
        }));
        Ok(())
    }

    fn otherwise(
        &mut self,
        pc: u16,
        flow: &Flow,
        wish: Condition,
        stay: BranchOp,
        jump: BranchOp,
    ) -> Result<(), Reason> {
        let plain = AddressOp::from_code(u32::from(flow.a_op)) == AddressOp::None;
        let shape = wish.known() == Some(false)
            && flow.flags & Flow::ANY == 0
            && plain
            && stay == BranchOp::None
            && jump == BranchOp::Decr;
        if !shape {
            return Err(irregular(pc, "an ELSE with other fields"));
        }
        let calls = self.calls.len();
        let Some(Open {
            kind:
                Kind::Level {
                    jump: head,
                    then: then @ None,
                    is_if: true,
                    ..
                },
            nodes,
            ..
        }) = self.open.last_mut()
        else {
            return Err(irregular(pc, "an ELSE without an IF"));
        };
        if let Some(head) = head
            && (u32::from(head.target) != u32::from(pc) + 1
                || head.op != BranchOp::Incr
                || head.calls != calls)
        {
            return Err(irregular(head.pc, "an IF that does not lead to its ELSE"));
        }
        *then = Some(std::mem::take(nodes));
        *head = Some(Jump {
            pc,
            target: flow.target,
            op: BranchOp::Decr,
            // The points that the ELSE itself puts to sleep are on the level that it ends.
            count: flow.b_pop_cnt - 1,
            calls,
        });
        self.go(self.pc + 1);
        Ok(())
    }

    /// Ends as many levels.
    fn close(&mut self, pc: u16, count: u8) -> Result<(), Reason> {
        for _ in 0..count {
            let below = self.level().saturating_sub(1);
            let Some(Open {
                kind: Kind::Level { .. },
                ..
            }) = self.open.last()
            else {
                return Err(irregular(pc, "it ends more branches than there are"));
            };
            let Some(closed) = self.open.pop() else { break };
            let Kind::Level {
                pc: head,
                condition,
                jump,
                then,
                ..
            } = closed.kind
            else {
                break;
            };
            if let Some(jump) = jump {
                let taken = match jump.op {
                    BranchOp::None => 0,
                    BranchOp::Decr => usize::from(jump.count),
                    _ => return Err(irregular(jump.pc, "an IF that does not lead to its end")),
                };
                let Some(level) = below.checked_sub(taken) else {
                    return Err(irregular(jump.pc, "it ends more branches than there are"));
                };
                self.waiting.push(Waiting {
                    pc: jump.pc,
                    target: jump.target,
                    level,
                    calls: jump.calls,
                });
            }
            let (then, otherwise) = match then {
                Some(then) => (then, closed.nodes),
                None => (closed.nodes, Vec::new()),
            };
            self.add(
                Node::If {
                    pc: head,
                    condition,
                    then,
                    otherwise,
                },
                closed.bound,
                closed.once,
            );
        }
        Ok(())
    }

    fn add(&mut self, node: Node, bound: u64, once: u64) {
        if let Some(open) = self.open.last_mut() {
            open.nodes.push(node);
            open.bound = open.bound.saturating_add(bound);
            open.once = open.once.saturating_add(once);
        }
    }

    // Subroutines.

    fn call(
        &mut self,
        pc: u16,
        flow: &Flow,
        wish: Condition,
        stay: BranchOp,
        jump: BranchOp,
    ) -> Result<(), Reason> {
        let any = flow.flags & Flow::ANY != 0;
        let level = self.level();
        match wish.known() {
            Some(false) if any && stay == BranchOp::None => {
                self.go(self.pc + 1);
                return Ok(());
            }
            // Without voters a group stays with ANY; nobody is awake then, so nothing is lost.
            Some(true) if stay == BranchOp::None || !any => {}
            None if any && stay == BranchOp::None && jump == BranchOp::Incr => {}
            _ => {
                return Err(irregular(
                    pc,
                    "a call that points without a wish for it make",
                ));
            }
        }
        if self.calls.len() == STACK_DEPTH {
            return Err(Reason::Depth {
                what: "calls",
                pc: u32::from(pc),
                limit: STACK_DEPTH as u32,
            });
        }
        match jump {
            BranchOp::Incr => self.begin(pc, wish, None, false)?,
            BranchOp::None => {}
            _ => return Err(irregular(pc, "a call that ends branches")),
        }
        self.calls.push(((self.pc + 1) & 0x1ff, level));
        self.go(u32::from(flow.target));
        Ok(())
    }

    /// A RETURN, conditional or the last one.
    fn subroutine_end(
        &mut self,
        pc: u16,
        flow: &Flow,
        wish: Condition,
        stay: BranchOp,
        jump: BranchOp,
    ) -> Result<(), Reason> {
        let Some(&(back, outer)) = self.calls.last() else {
            return Err(irregular(pc, "a return without a call"));
        };
        let any = flow.flags & Flow::ANY != 0;
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
        self.begin(pc, wish.not(), None, false)?;
        self.go(self.pc + 1);
        Ok(())
    }

    // Loops.

    fn enter_loop(
        &mut self,
        pc: u16,
        flow: &Flow,
        op: FcOp,
        wish: Condition,
        stay: BranchOp,
        jump: BranchOp,
    ) -> Result<(), Reason> {
        let constant = self.ints[flow.int_addr as usize & 31];
        let none = BranchOp::None;
        let pushes = AddressOp::from_code(u32::from(flow.a_op)) != AddressOp::None;
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
        let depth = self
            .open
            .iter()
            .filter(|open| matches!(open.kind, Kind::Loop { .. }))
            .count();
        if depth == STACK_DEPTH {
            return Err(Reason::Depth {
                what: "loops",
                pc: u32::from(pc),
                limit: STACK_DEPTH as u32,
            });
        }
        let calls = self.calls.len();
        self.open.push(Open::new(Kind::Loop {
            pc,
            op,
            constant,
            calls,
            leaves: Vec::new(),
        }));
        self.go(self.pc + 1);
        Ok(())
    }

    fn end_loop(
        &mut self,
        pc: u16,
        flow: &Flow,
        op: FcOp,
        wish: Condition,
        stay: BranchOp,
        jump: BranchOp,
    ) -> Result<(), Reason> {
        let Some(Open {
            kind: Kind::Loop { .. },
            ..
        }) = self.open.last()
        else {
            return Err(irregular(pc, "the end of a loop without its beginning"));
        };
        let Some(Open {
            kind:
                Kind::Loop {
                    pc: head,
                    op: begin,
                    constant,
                    calls,
                    leaves,
                },
            nodes,
            bound,
            once,
        }) = self.open.pop()
        else {
            return Err(irregular(pc, "the end of a loop without its beginning"));
        };
        let none = BranchOp::None;
        let matches = (begin == FcOp::Loop) == (op == FcOp::EndLoop)
            && calls == self.calls.len()
            && AddressOp::from_code(u32::from(flow.a_op)) == AddressOp::None
            && (stay, jump) == (none, none);
        let back = u32::from(flow.target) == (u32::from(head) + 1) & 0x1ff;
        // With one iteration the group never goes back.
        if !matches || (constant.count > 1 && (!back || wish.known() != Some(true))) {
            return Err(irregular(pc, "the end of a loop with other fields"));
        }
        self.spins |= flow.flags & Flow::ANY == 0;
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
        let total = bound.saturating_mul(u64::from(constant.count));
        self.add(
            Node::Loop {
                pc: head,
                count: constant.count,
                al: (begin == FcOp::Loop).then_some((constant.start, step)),
                body: nodes,
                once,
            },
            total,
            once,
        );
        self.go(self.pc + 1);
        Ok(())
    }

    fn leave(
        &mut self,
        pc: u16,
        flow: &Flow,
        op: FcOp,
        wish: Condition,
        stay: BranchOp,
        jump: BranchOp,
    ) -> Result<(), Reason> {
        let to = match op {
            FcOp::Continue => Leave::Continue,
            _ => Leave::Break,
        };
        let any = flow.flags & Flow::ANY != 0;
        let votes = flow.flags & Flow::IGNORE_UNCOVERED == 0;
        let calls_now = self.calls.len();
        let inside = self
            .open
            .iter()
            .rev()
            .position(|open| matches!(open.kind, Kind::Loop { .. }));
        let Some(levels) = inside else {
            return Err(irregular(pc, "it is in no loop"));
        };
        let at = self.open.len() - 1 - levels;
        let Kind::Loop {
            op: begin,
            calls,
            leaves,
            ..
        } = &mut self.open[at].kind
        else {
            return Err(irregular(pc, "it is in no loop"));
        };
        let kind_fits = match op {
            FcOp::BreakLoop => *begin == FcOp::Loop,
            FcOp::BreakRep => *begin == FcOp::Rep,
            _ => true,
        };
        // Where everybody votes, a group that jumps has nobody asleep whose counter could matter.
        let counters_fit = match jump {
            BranchOp::None => levels == 0 || votes,
            BranchOp::Decr => usize::from(flow.b_pop_cnt) == levels || votes,
            _ => false,
        };
        let plain = AddressOp::from_code(u32::from(flow.a_op)) == AddressOp::None;
        let decides = !any || wish.known().is_some();
        if !kind_fits || !counters_fit || !plain || !decides || stay != BranchOp::None {
            return Err(irregular(pc, "a BREAK or CONTINUE with other fields"));
        }
        if *calls != calls_now {
            return Err(irregular(pc, "it leaves a subroutine without a return"));
        }
        leaves.push((pc, flow.target, to));
        if wish.known() != Some(false) {
            self.nodes().push(Node::Leave {
                pc,
                condition: wish,
                to,
            });
        }
        self.go(self.pc + 1);
        Ok(())
    }

    // The end.

    fn finish(mut self, end: u16) -> Result<Tree, Reason> {
        self.settled()?;
        if self.open.len() != 1 || !self.calls.is_empty() {
            return Err(irregular(end, "the program ends inside a statement"));
        }
        let Some(program) = self.open.pop() else {
            return Err(irregular(end, "the program ends inside a statement"));
        };
        Ok(Tree {
            nodes: program.nodes,
            end,
            bound: program.bound,
            checked: self.checked,
            once: program.once,
            spins: self.spins,
            ignoring: self.ignoring,
            slots: self.length,
        })
    }
}

/// A branch operation; one that changes nothing counts as NONE.
fn effect(op: u8, count: u8) -> BranchOp {
    match BranchOp::from_code(u32::from(op)) {
        BranchOp::Decr if count == 0 => BranchOp::None,
        op => op,
    }
}
