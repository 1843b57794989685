//! All paths of a program, as one point takes them alone.
//!
//! A point in a group of its own runs as it does in any other (spec page isa.md, 5.2), so its paths
//! are all that a point's values can take. A node is an instruction with the state of flow control
//! there: the same instruction in two calls is two nodes. Conditions and counts are not known, so
//! each may hold or not.

use super::{Finding, Subject};
use crate::check::code::Code;
use ctm_isa::isa::{AddressOp, BRANCH_LIMIT, Body, BranchOp, Fc, FcOp, Instruction, STACK_DEPTH};
use ctm_lang::program::Program;
use std::cell::Cell;
use std::collections::{HashMap, VecDeque};

/// A program with more nodes than this has many nested calls or no structure; its paths are cut.
pub const MOST_NODES: usize = 1 << 16;

/// Why a point that is in a loop does not run its instructions.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Frame {
    Runs,
    Continued,
    Broken,
}

/// The state of flow control before an instruction.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    pc: u32,
    /// The branch counter of an inactive point.
    counter: Option<u32>,
    calls: Vec<u32>,
    loops: Vec<Frame>,
    /// How many branches enclose the instruction.
    branches: u32,
}

impl State {
    fn is_active(&self) -> bool {
        self.counter.is_none() && self.loops.iter().all(|frame| *frame == Frame::Runs)
    }
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
    /// The nodes, each after all that lead to it without a loop.
    pub(super) order: Vec<usize>,
}

impl Paths {
    /// The paths of a program.
    pub fn of(program: &Program) -> Paths {
        let registers = program.registers();
        let start = State {
            pc: registers.start(),
            counter: None,
            calls: Vec::new(),
            loops: Vec::new(),
            branches: 0,
        };
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
            let depth = [state.calls.len() as u32, state.loops.len() as u32, state.branches];
            paths.nodes.push(Node { pc: state.pc, active: state.is_active(), depth, next });
        }
        paths.order = order(&paths.nodes);
        paths
    }
}

/// The nodes, each after all that lead to it without a loop.
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
    match &instruction.body {
        Body::Alu(_) | Body::Tex(_) => vec![State { pc: state.pc + 1, ..state.clone() }],
        Body::Fc(fc) => flow(state, instruction, fc, offset),
    }
}

/// The numbered steps of a flow-control instruction, for a group of one point.
fn flow(state: &State, instruction: &Instruction, fc: &Fc, offset: u32) -> Vec<State> {
    let mut state = state.clone();
    // 1.
    let in_loop = !matches!(fc.op, FcOp::Jump | FcOp::Loop | FcOp::Rep);
    if in_loop && state.loops.is_empty() {
        return Vec::new();
    }
    if let (FcOp::EndLoop | FcOp::EndRep, Some(frame)) = (fc.op, state.loops.last_mut())
        && *frame == Frame::Continued
    {
        *frame = Frame::Runs;
    }
    // 2.
    let was_inactive = state.counter.is_some();
    let stepped_aside = fc.b_else && state.is_active();
    if fc.b_else {
        match (stepped_aside, state.counter) {
            (true, _) => state.counter = Some(0),
            (false, Some(0)) => state.counter = None,
            (false, _) => {}
        }
    }
    // 3.
    let active = state.is_active();
    let [can_jump, can_stay] = instruction.wishes();
    let wishes = match (stepped_aside, active) {
        (true, _) => vec![Some(true)],
        (false, true) => {
            let wishes = [(can_jump, true), (can_stay, false)];
            wishes.into_iter().filter(|(can, _)| *can).map(|(_, wish)| Some(wish)).collect()
        }
        (false, false) => vec![None],
    };
    let mut after = Vec::new();
    for wish in wishes {
        // 4.
        let voted = wish.unwrap_or(!fc.jump_any);
        let continued = state.loops.last() == Some(&Frame::Continued);
        let decisions = match fc.op {
            FcOp::Jump => vec![voted],
            FcOp::Loop | FcOp::Rep => vec![true, wish.unwrap_or(false)],
            FcOp::EndLoop | FcOp::EndRep => vec![false, voted],
            FcOp::BreakLoop | FcOp::BreakRep => {
                vec![voted && state.counter.is_none() && !continued]
            }
            FcOp::Continue => vec![voted && state.counter.is_none()],
        };
        for jump in decisions {
            let mut next = state.clone();
            // 5.
            if active && wish == Some(true) {
                let frame = match fc.op {
                    FcOp::BreakLoop | FcOp::BreakRep => Some(Frame::Broken),
                    FcOp::Continue => Some(Frame::Continued),
                    FcOp::Jump | FcOp::Loop | FcOp::EndLoop | FcOp::Rep | FcOp::EndRep => None,
                };
                if let (Some(frame), Some(last)) = (frame, next.loops.last_mut()) {
                    *last = frame;
                }
            }
            let disagrees = active && wish.is_some_and(|wish| wish != jump);
            let moved = match jump {
                true => jumped(&mut next, fc, offset),
                false => stayed(&mut next, fc),
            };
            let op = if jump { fc.b_op1 } else { fc.b_op0 };
            if moved && branch(&mut next, op, fc, was_inactive, disagrees) && !after.contains(&next)
            {
                after.push(next);
            }
        }
    }
    after
}

/// Step 6. Returns false if it faults.
fn jumped(state: &mut State, fc: &Fc, offset: u32) -> bool {
    if matches!(fc.op, FcOp::BreakLoop | FcOp::BreakRep) {
        state.loops.pop();
    }
    let base = if fc.jump_global { 0 } else { offset };
    let mut target = (u32::from(fc.jump_addr) + base) & 0x1ff;
    match fc.a_op {
        AddressOp::Push if state.calls.len() == STACK_DEPTH => return false,
        AddressOp::Push => state.calls.push(state.pc + 1),
        AddressOp::Pop => match state.calls.pop() {
            Some(address) => target = address,
            None => return false,
        },
        AddressOp::None | AddressOp::Reserved(_) => {}
    }
    state.pc = target;
    true
}

/// Step 7. Returns false if it faults.
fn stayed(state: &mut State, fc: &Fc) -> bool {
    match fc.op {
        FcOp::Loop | FcOp::Rep if state.loops.len() == STACK_DEPTH => return false,
        FcOp::Loop | FcOp::Rep => state.loops.push(Frame::Runs),
        FcOp::EndLoop | FcOp::EndRep => {
            state.loops.pop();
        }
        FcOp::Jump | FcOp::BreakLoop | FcOp::BreakRep | FcOp::Continue => {}
    }
    state.pc += 1;
    true
}

/// Step 8. Returns false if it faults.
fn branch(state: &mut State, op: BranchOp, fc: &Fc, was_inactive: bool, disagrees: bool) -> bool {
    let pop = u32::from(fc.b_pop_cnt);
    match op {
        BranchOp::None | BranchOp::Reserved(_) => {}
        BranchOp::Decr => {
            state.counter = state.counter.and_then(|counter| counter.checked_sub(pop));
            state.branches = state.branches.saturating_sub(pop);
        }
        BranchOp::Incr => {
            if let Some(counter) = state.counter.as_mut().filter(|_| was_inactive) {
                *counter += 1;
                if *counter == BRANCH_LIMIT {
                    return false;
                }
            } else if disagrees {
                state.counter = Some(0);
            }
            state.branches = (state.branches + 1).min(BRANCH_LIMIT);
        }
    }
    true
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
            let base = if fc.jump_global { 0 } else { registers.offset() };
            match fc.a_op {
                AddressOp::Pop => waiting.extend(&returns),
                AddressOp::Push | AddressOp::None | AddressOp::Reserved(_) => {
                    waiting.push((u32::from(fc.jump_addr) + base) & 0x1ff);
                }
            }
        }
    }
    reached
}
