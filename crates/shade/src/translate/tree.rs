//! Structured control flow: a program whose jumps have become statements.

use ctm_machine::lower::FlowControl;
use std::ops::Range;

/// A condition on a point's own state: a truth table over its ALU result and one predicate bit.
///
/// Boolean constants, and an inverted or absent predicate, are already part of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// Bit n for (alu result << 1 | predicate) = n.
    pub table: u8,
    /// Predicate bit 0 to 3.
    pub predicate: u8,
}

impl Condition {
    /// The condition for a point to wish to jump, with the boolean constants of a launch.
    pub fn wish(flow: &FlowControl, bools: u32) -> Condition {
        let table = flow.jump_func >> (bools >> (flow.bool_addr & 31) & 1);
        let mut entries = [0, 1, 2, 3].map(|n| table >> (2 * n) & 1);
        if flow.predicate > 3 {
            entries = [entries[1], entries[1], entries[3], entries[3]];
        } else if flow.flags & FlowControl::INVERT != 0 {
            entries = [entries[1], entries[0], entries[3], entries[2]];
        }
        Condition {
            table: (0..4).fold(0, |bits, n| bits | entries[n] << n),
            predicate: flow.predicate & 3,
        }
    }

    /// The opposite condition.
    pub fn negated(self) -> Condition {
        Condition { table: !self.table & 15, ..self }
    }

    /// Its value, if that does not depend on the point.
    pub fn known(self) -> Option<bool> {
        match self.table {
            0 => Some(false),
            15 => Some(true),
            _ => None,
        }
    }

    /// Whether it depends on the ALU result.
    pub fn reads_alu_result(self) -> bool {
        self.table & 3 != self.table >> 2
    }

    /// Whether it depends on the predicate.
    pub fn reads_predicate(self) -> bool {
        self.table & 5 != self.table >> 1 & 5
    }
}

/// The destination of a point that leaves the iteration of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leave {
    /// After the loop.
    Break,
    /// To its next iteration.
    Continue,
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// These slots, in order. None of them is flow control.
    Run(Range<u16>),
    /// Points for which `condition` holds run `then`, the others `otherwise`. The condition depends
    /// on the point; if it is known in advance, the statement is only the branch that is taken.
    If {
        /// The instruction that decides.
        pc: u16,
        /// The condition of the points that run `then`.
        condition: Condition,
        /// The statements of these points.
        then: Vec<Node>,
        /// The statements of the other points.
        otherwise: Vec<Node>,
    },
    /// The body, `count` times.
    Loop {
        /// Slot of LOOP or REP.
        pc: u16,
        /// Iterations, at least 1.
        count: u8,
        /// For a LOOP: the first value of aL and its step.
        al: Option<(u8, i8)>,
        /// The repeated statements.
        body: Vec<Node>,
        /// Group instructions of one iteration, with inner loops run once.
        once: u64,
    },
    /// Points for which `condition` holds leave the iteration. If all do, no statement follows.
    Leave {
        /// The instruction.
        pc: u16,
        /// The condition of the points that leave.
        condition: Condition,
        /// Their destination.
        to: Leave,
    },
}

/// Calls a function for each slot in statements, including those of both branches, and of loops
/// once. Flow control is not included.
pub fn each_slot(nodes: &[Node], visit: &mut impl FnMut(u16)) {
    for node in nodes {
        match node {
            Node::Run(slots) => slots.clone().for_each(&mut *visit),
            Node::If { then, otherwise, .. } => {
                each_slot(then, visit);
                each_slot(otherwise, visit);
            }
            Node::Loop { body, .. } => each_slot(body, visit),
            Node::Leave { .. } => {}
        }
    }
}

/// A program as statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// The statements. The point ends after the last one.
    pub nodes: Vec<Node>,
    /// Statements that no awake point reaches, in no particular order. A group may reach them with
    /// no point awake.
    pub left_out: Vec<Node>,
    /// The last instruction that a group executes.
    pub end: u16,
    /// The most group instructions that a group can execute.
    pub bound: u64,
    /// The most that it can have executed when it last compares that with its budget, before an
    /// instruction of flow control.
    pub checked: u64,
    /// As `bound`, with every loop run once.
    pub once: u64,
    /// The most iterations that all loops together can make.
    pub iterations: u64,
    /// Whether some ENDLOOP or ENDREP goes on even if no point is left.
    pub spins: bool,
    /// Whether uncovered points vote in some ENDLOOP or ENDREP, but not in every decision. They may
    /// be dragged along where they would have left, and then keep a group in a loop.
    pub prolonged: bool,
    /// The first decision in which only covered points vote. Uncovered points that wish otherwise
    /// are dragged along.
    pub ignoring: Option<u16>,
    /// Instructions on the path from start to end: loops once, subroutines once per call.
    pub slots: usize,
}

/// Statements by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Straight runs.
    pub runs: u32,
    /// IFs, including those of conditional calls and returns.
    pub ifs: u32,
    /// Loops.
    pub loops: u32,
    /// BREAKs and CONTINUEs.
    pub leaves: u32,
}

impl Counts {
    /// Counts statements.
    pub fn of(nodes: &[Node]) -> Counts {
        let mut counts = Counts::default();
        counts.add(nodes);
        counts
    }

    fn add(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Run(_) => self.runs += 1,
                Node::If { then, otherwise, .. } => {
                    self.ifs += 1;
                    self.add(then);
                    self.add(otherwise);
                }
                Node::Loop { body, .. } => {
                    self.loops += 1;
                    self.add(body);
                }
                Node::Leave { .. } => self.leaves += 1,
            }
        }
    }
}

/// Statements on one line: slots of runs, `if alu_result {..} else {..}`, `loop 4 {..}`, `break if
/// p.r`.
impl std::fmt::Display for Tree {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write_nodes(f, &self.nodes)
    }
}

fn write_nodes(f: &mut std::fmt::Formatter<'_>, nodes: &[Node]) -> std::fmt::Result {
    for (n, node) in nodes.iter().enumerate() {
        if n != 0 {
            f.write_str(" ")?;
        }
        match node {
            Node::Run(slots) if slots.len() == 1 => write!(f, "{}", slots.start)?,
            Node::Run(slots) => write!(f, "{}-{}", slots.start, slots.end - 1)?,
            Node::If { condition, then, otherwise, .. } => {
                write!(f, "if {condition} {{")?;
                write_nodes(f, then)?;
                f.write_str("}")?;
                if !otherwise.is_empty() {
                    f.write_str(" else {")?;
                    write_nodes(f, otherwise)?;
                    f.write_str("}")?;
                }
            }
            Node::Loop { count, al, body, .. } => {
                match al {
                    Some((start, step)) => write!(f, "loop {count} from {start} by {step} {{")?,
                    None => write!(f, "rep {count} {{")?,
                }
                write_nodes(f, body)?;
                f.write_str("}")?;
            }
            Node::Leave { condition, to, .. } => {
                f.write_str(match to {
                    Leave::Break => "break",
                    Leave::Continue => "continue",
                })?;
                if condition.known() != Some(true) {
                    write!(f, " if {condition}")?;
                }
            }
        }
    }
    Ok(())
}

/// `alu_result`, `!p.g`, `always`, or the sum of the cases where it holds.
impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let predicate = ["p.r", "p.g", "p.b", "p.a"][usize::from(self.predicate & 3)];
        let sign = |set: bool| if set { "" } else { "!" };
        let bit = |n: u8| self.table >> n & 1 != 0;
        match (self.known(), self.reads_alu_result(), self.reads_predicate()) {
            (Some(true), ..) => f.write_str("always"),
            (Some(false), ..) => f.write_str("never"),
            (_, true, false) => write!(f, "{}alu_result", sign(bit(2))),
            (_, false, true) => write!(f, "{}{predicate}", sign(bit(1))),
            _ => {
                let cases: Vec<String> = (0..4)
                    .filter(|&n| bit(n))
                    .map(|n| {
                        let (alu, one) = (sign(n & 2 != 0), sign(n & 1 != 0));
                        format!("{alu}alu_result & {one}{predicate}")
                    })
                    .collect();
                f.write_str(&cases.join(" | "))
            }
        }
    }
}
