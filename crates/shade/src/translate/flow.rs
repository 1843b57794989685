//! Recovers statements from flow-control instructions.
//!
//! # What is proved
//! A group of 64 points shares a pc and jumps by vote. A shader's points each follow their own
//! path. [`recover`] accepts a program only if both give every covered point the same results. It
//! walks the path of a group that takes only the jumps it must take: the *trace*. On the trace
//!
//! * `B_OP0 = INCR` puts points that wish to jump to sleep one level deeper: an IF begins;
//! * `DECR n` wakes the points of the last n levels: n IFs end; `B_ELSE` exchanges the last level;
//! * BREAK and CONTINUE hold points back until the loop or the iteration ends;
//! * a CALL continues in the subroutine, the last RETURN after the call.
//!
//! So the points awake along the trace are those that would get there on their own, and the trace
//! is a list of statements. It remains to show that a jump changes nothing. A group jumps if all
//! voters wish to, so no voter is awake on the trace between the jump and its target. The target
//! must be the first place where a point wakes up, and the branch counters there must be those of
//! the trace. This is checked for every jump. The target of an IF is after its ELSE, with INCR, or
//! after its ENDIF, removing as many other levels as the ENDIF does. The target of an ELSE is after
//! its ENDIF, that of a BREAK after its loop, and so on. Everything else is irregular.
//!
//! Parts of the trace that no awake point reaches make no statement: those after a BREAK that all
//! points make, and those in a branch that a known condition does not take. A group may still get
//! there with no point awake: points that an IF put to sleep keep it from jumping at a BREAK, and
//! without voters it jumps to an ELSE. What happens there affects only sleeping points: see
//! [`Tree::left_out`].
//!
//! A jump can take along points without a vote (uncovered ones, under IGNORE_UNCOVERED) that did
//! not wish it. They write no memory, so that matters only to points that read them: see
//! [`Tree::ignoring`]. Their counters stay below the number of levels, so they cannot fault.
//!
//! Jumps only leave out instructions of the trace. So its length, with loops multiplied by their
//! counts, bounds what a group executes: see [`Tree::bound`] and [`Tree::checked`].

mod branches;
mod loops;

use crate::translate::tree::{Condition, Leave, Node, Tree};
use ctm_isa::isa::{AddressOp, BranchOp, FcOp};
use ctm_isa::ops::Op;
use ctm_machine::engine::Why;
use ctm_machine::launch::IntConstant;
use ctm_machine::lower::{FlowControl, Lowered};

/// The most instructions of a trace: more than eight times the largest program.
pub const MAX_TRACE: usize = 4608;

/// The statements of a program, with the integer and boolean constants of a launch.
///
/// # Errors
/// If they cannot be found, or if they would not do what a group does.
pub fn recover(lowered: &Lowered, ints: &[IntConstant; 32], bools: u32) -> Result<Tree, Why> {
    let mut walk = Walk {
        lowered,
        ints,
        bools,
        slots: lowered.ops.last().map_or(0, |op| u32::from(op.pc)),
        pc: lowered.start,
        open: vec![Open::new(Kind::Program)],
        calls: Vec::new(),
        waiting: Vec::new(),
        left_out: Vec::new(),
        length: 0,
        checked: 0,
        spins: false,
        uncovered_vote: false,
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
    let start = lowered.entry.get(pc as usize).map_or(lowered.ops.len(), |&entry| entry as usize);
    let count = lowered.ops[start.min(lowered.ops.len())..]
        .iter()
        .take_while(|op| op.pc == pc && !matches!(op.op, Op::Missing | Op::Wrap))
        .count();
    start..start + count
}

/// A jump to be confirmed: at `target` the branch counters must have `level` levels.
struct Waiting {
    pc: u16,
    target: u16,
    level: usize,
    calls: usize,
}

/// A jump of an open IF or ELSE, the path of a conditional call past its subroutine, or a
/// conditional return.
#[derive(Clone, Copy)]
struct Jump {
    pc: u16,
    target: u16,
    /// Its effect on the counters.
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
    iterations: u64,
}

enum Kind {
    Program,
    /// A level of the branch counters.
    Level {
        pc: u16,
        condition: Condition,
        /// The jump past the statements being collected now, or past those after a return.
        jump: Jump,
        /// The first branch, after an ELSE.
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
        Open { kind, nodes: Vec::new(), bound: 0, once: 0, iterations: 0 }
    }

    /// Adds a statement, or returns it if no awake point reaches it.
    fn push(&mut self, node: Node) -> Option<Node> {
        let left = matches!(self.nodes.last(), Some(Node::Leave { condition, .. })
            if condition.known() == Some(true));
        if left {
            return Some(node);
        }
        self.nodes.push(node);
        None
    }
}

/// A flow-control instruction that the walk has reached.
#[derive(Clone, Copy)]
struct Control<'f> {
    pc: u16,
    flow: &'f FlowControl,
    op: FcOp,
    /// The condition under which a point wishes to jump.
    wish: Condition,
    /// The effects of staying and of jumping on the branch counters.
    stay: BranchOp,
    jump: BranchOp,
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
    /// See [`Tree::left_out`].
    left_out: Vec<Node>,
    length: usize,
    /// The most that a group can have executed before the last flow control outside any statement.
    checked: u64,
    spins: bool,
    /// Whether some ENDLOOP or ENDREP lets uncovered points vote.
    uncovered_vote: bool,
    ignoring: Option<u16>,
}

fn irregular(pc: impl Into<u32>, what: &'static str) -> Why {
    let text = format!("the flow control at pc {} is irregular: {what}", pc.into());
    Why::new("irregular flow control", text)
}

/// Statements or calls nest deeper than a stack or a counter allows.
fn deep(what: &'static str, pc: u16, limit: u32) -> Why {
    Why::new("deep nesting", format!("{what} nest deeper than {limit} at pc {pc}"))
}

impl Walk<'_> {
    /// Processes one instruction. Returns its slot if it is the last one.
    fn step(&mut self) -> Result<Option<u16>, Why> {
        let pc = self.pc as u16;
        if self.pc >= self.slots {
            let text = format!("control reaches slot {}, which holds no instruction", self.pc);
            return Err(Why::new("missing instruction", text));
        }
        self.length += 1;
        if self.length > MAX_TRACE {
            let text = format!(
                "with subroutines in place of their calls the program has more than {MAX_TRACE} \
                 instructions"
            );
            return Err(Why::new("too many instructions", text));
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

    /// Adds a slot to the run being collected.
    fn run(&mut self, pc: u16) {
        let last = self.open.len() - 1;
        let open = &mut self.open[last];
        match open.nodes.last_mut() {
            Some(Node::Run(slots)) if slots.end == pc => slots.end = pc + 1,
            _ => {
                let left_out = open.push(Node::Run(pc..pc + 1));
                self.left_out.extend(left_out);
            }
        }
    }

    /// The number of levels of the branch counters.
    fn level(&self) -> usize {
        self.open.iter().filter(|open| matches!(open.kind, Kind::Level { .. })).count()
    }

    /// Checks that no jump is still waiting for its target.
    fn settled(&self) -> Result<(), Why> {
        match self.waiting.first() {
            Some(waiting) => {
                Err(irregular(waiting.pc, "its target is not where the skipped points wake up"))
            }
            None => Ok(()),
        }
    }

    /// The pc has moved past the end of statements: confirms the jumps that lead here.
    fn settle(&mut self) {
        let (pc, level, calls) = (self.pc as u16, self.level(), self.calls.len());
        self.waiting
            .retain(|waiting| (waiting.target, waiting.level, waiting.calls) != (pc, level, calls));
    }

    fn flow(&mut self, pc: u16, flow: &FlowControl) -> Result<Option<u16>, Why> {
        let op = flow.op;
        let wish = Condition::wish(flow, self.bools);
        let has = |flag: u8| flow.flags & flag != 0;
        if has(FlowControl::END) {
            self.settled()?;
            // Only its effect on the stacks could still be visible.
            let pops = flow.a_op == AddressOp::Pop;
            return if op == FcOp::Jump && !pops {
                if let [program] = self.open.as_slice() {
                    self.checked = program.bound - 1;
                }
                Ok(Some(pc))
            } else {
                Err(irregular(pc, "the last instruction uses a stack"))
            };
        }
        // The same with or without voters: with no voters ALL jumps, ANY does not.
        let same_for_all = op == FcOp::Jump
            && !has(FlowControl::ELSE)
            && wish.known() == Some(!has(FlowControl::ANY));
        let decides = !same_for_all && !matches!(op, FcOp::Loop | FcOp::Rep);
        if has(FlowControl::IGNORE_UNCOVERED) && decides {
            self.ignoring.get_or_insert(pc);
        }
        let ends_loop = matches!(op, FcOp::EndLoop | FcOp::EndRep);
        self.uncovered_vote |= ends_loop && !has(FlowControl::IGNORE_UNCOVERED);
        let control = Control {
            pc,
            flow,
            op,
            wish,
            stay: effect(flow.b_op0, flow.b_pop_cnt),
            jump: effect(flow.b_op1, flow.b_pop_cnt),
        };
        if has(FlowControl::ELSE) {
            self.settled()?;
            if op != FcOp::Jump {
                return Err(irregular(pc, "B_ELSE belongs to JUMP"));
            }
            self.otherwise(control)?;
        } else {
            match op {
                FcOp::Jump => self.jump(control)?,
                FcOp::Loop | FcOp::Rep => {
                    self.settled()?;
                    self.enter_loop(control)?;
                }
                FcOp::EndLoop | FcOp::EndRep => {
                    self.settled()?;
                    self.end_loop(control)?;
                }
                FcOp::BreakLoop | FcOp::BreakRep | FcOp::Continue => {
                    self.settled()?;
                    self.leave(control)?;
                }
            }
        }
        self.settle();
        if let [program] = self.open.as_slice() {
            self.checked = program.bound - 1;
        }
        Ok(None)
    }

    // The end.

    fn finish(mut self, end: u16) -> Result<Tree, Why> {
        self.settled()?;
        let (Some(program), true, true) =
            (self.open.pop(), self.open.is_empty(), self.calls.is_empty())
        else {
            return Err(irregular(end, "the program ends inside a statement"));
        };
        Ok(Tree {
            nodes: program.nodes,
            left_out: self.left_out,
            end,
            bound: program.bound,
            checked: self.checked,
            once: program.once,
            iterations: program.iterations,
            spins: self.spins,
            prolonged: self.uncovered_vote && self.ignoring.is_some(),
            ignoring: self.ignoring,
            slots: self.length,
        })
    }
}

/// A branch operation. One that changes nothing counts as NONE.
pub fn effect(op: BranchOp, count: u8) -> BranchOp {
    match op {
        BranchOp::Decr if count == 0 => BranchOp::None,
        op => op,
    }
}
