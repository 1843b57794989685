//! All paths of a program, as one point takes them alone.
//!
//! A point in a group of its own runs as it does in any other (docs/isa.md), so its paths
//! are all that a point's values can take. A node is an instruction with the state of flow control
//! there: the same instruction in two calls is two nodes. Conditions and counts are not known, so
//! each may hold or not.

use super::{Finding, Subject};
use crate::check::code::Code;
use ctm_isa::isa::{AddressOp, BRANCH_LIMIT, Body, BranchOp, FcOp, Instruction};
use ctm_lang::program::Program;
use ctm_machine::engine::reference::{Decision, FlowState};
use ctm_machine::launch::IntConstant;
use std::cell::Cell;
use std::collections::{HashMap, VecDeque};

/// A program with more nodes than this has many nested calls or no structure; its paths are cut.
pub const MOST_NODES: usize = 1 << 16;

/// The state of flow control before an instruction.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    pc: u32,
    /// The state of the point. Counts of iterations and aL are not known; they are 0.
    flow: FlowState<1>,
    /// The number of branches that enclose the instruction.
    branches: u32,
}

/// An instruction on a path.
pub struct Node {
    /// The instruction.
    pub pc: u32,
    /// Whether the point runs it. An inactive point writes nothing.
    pub active: bool,
    /// The depth of calls, of loops, of branches.
    pub depth: [u32; 3],
    /// The nodes that may follow. None: the program ends or faults.
    pub next: Vec<usize>,
}

/// All paths of a program. Node 0 is its start.
pub struct Paths {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// Whether there are more nodes than kept.
    pub cut: bool,
    /// Whether following states along them took too many visits.
    pub gave_up: Cell<bool>,
    /// Nodes in topological order, back edges ignored.
    pub(super) order: Vec<usize>,
}

impl Paths {
    /// The paths of a program.
    pub fn of(program: &Program) -> Paths {
        let registers = program.registers();
        let start = State { pc: registers.start(), flow: FlowState::default(), branches: 0 };
        let mut paths =
            Paths { nodes: Vec::new(), cut: false, gave_up: Cell::new(false), order: Vec::new() };
        let mut known = HashMap::from([(start.clone(), 0)]);
        let mut waiting = VecDeque::from([start]);
        while let Some(state) = waiting.pop_front() {
            let mut next = Vec::new();
            let instruction = program.instructions().get(state.pc as usize);
            let ended = state.pc == registers.end();
            for after in instruction
                .filter(|_| !ended)
                .map_or(Vec::new(), |instruction| steps(&state, instruction, registers.offset()))
            {
                if after.pc as usize >= program.instructions().len() {
                    continue;
                }
                let count = known.len();
                if count >= MOST_NODES && !known.contains_key(&after) {
                    paths.cut = true;
                    continue;
                }
                let node = *known.entry(after.clone()).or_insert_with(|| {
                    waiting.push_back(after);
                    count
                });
                if !next.contains(&node) {
                    next.push(node);
                }
            }
            let State { pc, flow, branches } = state;
            let depth = [flow.calls.len() as u32, flow.frames.len() as u32, branches];
            paths.nodes.push(Node { pc, active: flow.active() != 0, depth, next });
        }
        paths.order = order(&paths.nodes);
        paths
    }
}

/// Nodes in topological order, back edges ignored.
fn order(nodes: &[Node]) -> Vec<usize> {
    let mut order = Vec::with_capacity(nodes.len());
    let mut seen = vec![false; nodes.len()];
    seen[0] = true;
    // Each node with the number of its successors that were visited.
    let mut way = vec![(0, 0)];
    while let Some((node, visited)) = way.last_mut() {
        let (node, next) = (*node, nodes[*node].next.get(*visited));
        *visited += 1;
        match next {
            Some(&next) if !std::mem::replace(&mut seen[next], true) => way.push((next, 0)),
            Some(_) => {}
            None => {
                order.push(node);
                way.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The states that may follow an instruction.
fn steps(state: &State, instruction: &Instruction, offset: u32) -> Vec<State> {
    let Body::Fc(fc) = &instruction.body else {
        return vec![State { pc: (state.pc + 1) & 0x1ff, ..state.clone() }];
    };
    let [can_jump, can_stay] = instruction.wishes();
    let from_to = (state.pc, fc.target(offset));
    let mut after = Vec::new();
    for (wish, _) in [(1, can_jump), (0, can_stay)].into_iter().filter(|(_, can)| *can) {
        // A loop may have no iterations, or more; the one that ends may be the last.
        for more in [0, 1] {
            let mut next = state.clone();
            let mut flow = Decision { wish, ..Decision::default() };
            let constant = IntConstant { count: more, ..IntConstant::default() };
            next.flow.frames.iter_mut().for_each(|frame| frame.remaining = 1 + u32::from(more));
            match next.flow.flow_op(fc, from_to, u64::MAX, constant, &mut flow) {
                Ok(pc) => next.pc = pc,
                Err(_) => continue,
            }
            next.flow.frames.iter_mut().for_each(|frame| frame.remaining = 0);
            next.branches = match if flow.jumped { fc.b_op1 } else { fc.b_op0 } {
                BranchOp::None | BranchOp::Reserved(_) => next.branches,
                BranchOp::Decr => next.branches.saturating_sub(fc.b_pop_cnt.into()),
                BranchOp::Incr => (next.branches + 1).min(BRANCH_LIMIT),
            };
            if !after.contains(&next) {
                after.push(next);
            }
        }
    }
    after
}

/// Says that not all paths of a program were followed. It comes after all checks that follow them.
pub(super) fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let (unsought, help) = match (subject.paths.cut, subject.paths.gave_up.get()) {
        (true, _) => (
            "results, outputs and instructions that are not used are not looked for",
            "call subroutines from fewer places",
        ),
        (false, true) => {
            ("results that are not used are not looked for", "jump back from fewer places")
        }
        (false, false) => return Vec::new(),
    };
    let message = "the program has more paths than the checks follow";
    let finding = Finding::new(Code::TooManyPaths, None, "", message)
        .note(None, "mistakes on the other paths are not found")
        .note(None, unsought)
        .help(help);
    vec![finding]
}

/// The instructions that a group can reach, whatever its points do; flow control that moves the
/// points of a group apart is needed even where no point comes alone.
pub fn reached_by_groups(program: &Program) -> Vec<bool> {
    let registers = program.registers();
    let instructions = program.instructions();
    let mut reached = vec![false; instructions.len()];
    // Returns come back behind any call.
    let calls = instructions.iter().enumerate().filter(
        |(_, instruction)| matches!(&instruction.body, Body::Fc(fc) if fc.a_op == AddressOp::Push),
    );
    let returns: Vec<u32> = calls.map(|(pc, _)| pc as u32 + 1).collect();
    let mut waiting = vec![registers.start()];
    while let Some(pc) = waiting.pop() {
        let Some(instruction) = instructions.get(pc as usize) else { continue };
        if std::mem::replace(&mut reached[pc as usize], true) || pc == registers.end() {
            continue;
        }
        let Body::Fc(fc) = &instruction.body else {
            waiting.push(pc + 1);
            continue;
        };
        let [can_jump, can_stay] = instruction.wishes();
        let plain = fc.op == FcOp::Jump && !fc.b_else;
        // If all points want the jump, none falls through. If none wants it, none jumps.
        if !plain || can_stay {
            waiting.push(pc + 1);
        }
        if !plain || can_jump || !fc.jump_any {
            match fc.a_op {
                AddressOp::Pop => waiting.extend(&returns),
                AddressOp::Push | AddressOp::None | AddressOp::Reserved(_) => {
                    waiting.push(fc.target(registers.offset()));
                }
            }
        }
    }
    reached
}
