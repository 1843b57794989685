//! The variant that keeps statistics: the points of a group go through the program together.
//!
//! What a group executes depends on votes, also of points that are not covered, and it may execute
//! instructions for which no point is awake. So nothing is derived here from what points do on their
//! own: the program is cut into straight blocks, its registers are the same variables as ever, and
//! flow control is what the machine does, with masks, branch counters, loop frames and return
//! addresses (`shaders/group.wgsl`). Every point keeps a copy of what is the same for its group.
//!
//! Only programs that would be translated without statistics get here, so that stacks and counters
//! cannot overflow and no jump leads nowhere (see `flow`). Nothing is left out but what the machine
//! does not do either: see [`Analysis::keep_all`].
//!
//! [`Analysis::keep_all`]: crate::engine::gpu::translate::analyse::Analysis::keep_all

use super::{Emit, pe_counts};
use crate::engine::gpu::translate::analyse;
use crate::engine::gpu::translate::flow::{effect, ops_of};
use crate::engine::gpu::translate::record;
use crate::engine::gpu::translate::state::State;
use crate::engine::gpu::translate::tree::{Condition, Tree};
use crate::isa::{
    AddressOp, Body, BranchOp, FcOp, FieldValue, MAX_INSTRUCTIONS, STACK_DEPTH, TexOp, Type,
};
use crate::lower::{Flow, Op};
use std::collections::BTreeMap;
use std::ops::Range;

/// What stands in front of a shader that counts.
const HEAD: &str = concat!(
    include_str!("../../../../../shaders/group.wgsl"),
    "
// The number of this point in its group.
var<private> slot: u32;

fn is_awake() -> bool {
    return !waits & (broken == 0u) & (continued == 0u);
}

fn take_slot(number: u32) {
    slot = number;
}

"
);

/// The counters, in the order in which `results` has them: those of the group, then those that are
/// sums over its points.
const GROUP_COUNTERS: [&str; 6] = [
    "counted_alu",
    "counted_out",
    "counted_tex",
    "counted_fetching",
    "counted_fc",
    "counted_divergent",
];
const POINT_COUNTERS: [&str; 3] = ["lane_instructions", "fetches", "killed"];

/// What a group may do before it gives up; `None`: it cannot do more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Limits {
    /// Instructions before one of flow control.
    instructions: Option<u64>,
    /// Blocks, where an adapter's driver ends loops.
    turns: Option<u64>,
}

impl Limits {
    /// The limits of a program.
    pub(super) fn of(tree: &Tree, state: &State) -> Limits {
        // Counters have 32 bits; behind the last flow control come less than two programs.
        let most = state.limit.min(u64::from(u32::MAX) - 8192);
        Limits {
            instructions: (tree.checked > most).then_some(most),
            turns: state.turns.filter(|&turns| tree.bound > turns),
        }
    }

    /// Whether a group can reach any.
    pub(super) fn any(self) -> bool {
        self.instructions.is_some() || self.turns.is_some()
    }
}

/// The blocks of a program, by their first slots.
struct Blocks {
    numbers: BTreeMap<u16, u32>,
    /// Slots that hold instructions.
    slots: u16,
}

impl Blocks {
    /// The number of the block at a slot; the one behind the last if there is none, which ends the
    /// program and which no group reaches.
    fn number(&self, pc: u16) -> u32 {
        let end = self.numbers.len() as u32;
        self.numbers.get(&pc).copied().unwrap_or(end)
    }
}

/// A piece of a block in which no point is killed before its last instruction.
struct Segment {
    slots: Range<u16>,
    instructions: u32,
    fetches: u32,
}

impl Emit<'_> {
    /// Functions and variables in front of the shader.
    pub(super) fn counting_head(&self, out: &mut String) {
        if self.state.statistics {
            out.push_str(HEAD);
        }
    }

    /// Variables of a point.
    pub(super) fn begin_counting(&mut self) {
        if !self.state.statistics {
            return;
        }
        self.line("take_slot(slot);");
        for name in GROUP_COUNTERS.iter().chain(&POINT_COUNTERS) {
            self.line(&format!("var {name} = 0u;"));
        }
        if !self.lowered.needs.flow {
            return;
        }
        let start = self.blocks().number(self.lowered.start as u16);
        self.line("var act = true;");
        self.line(&format!("var block = {start}u;"));
        self.line("var depth = 0u;");
        self.line("var calls = 0u;");
        self.line(&format!("var frames: array<u32, {STACK_DEPTH}>;"));
        self.line(&format!("var returns: array<u32, {STACK_DEPTH}>;"));
        if self.lowered.needs.relative {
            self.line("var al = 0i;");
            self.line(&format!("var saved_al: array<i32, {STACK_DEPTH}>;"));
        }
        if self.limits.turns.is_some() {
            self.line("var turns = 0u;");
        }
    }

    /// Adds what a group and its points counted.
    pub(super) fn end_counting(&mut self) {
        if !self.state.statistics {
            return;
        }
        let at = |n: usize| format!("{} + {}u", record::word(record::RESULT), 4 + 2 * n);
        // A group without points does not run.
        let runs = match pe_counts(self.state.condition.as_ref()) {
            true => " & (atomicLoad(&covered_points) != 0u)",
            false => "",
        };
        self.line(&format!("if (slot == 0u){runs} {{"));
        for (n, name) in GROUP_COUNTERS.iter().enumerate() {
            self.line(&format!("    add_wide({}, {name}, 0u);", at(n)));
        }
        self.line("}");
        for (n, name) in POINT_COUNTERS.iter().enumerate() {
            let at = at(GROUP_COUNTERS.len() + n);
            self.line(&format!(
                "if {name} != 0u {{ add_wide({at}, {name}, 0u); }}"
            ));
        }
    }

    /// The program.
    pub(super) fn group_program(&mut self) {
        let blocks = self.blocks();
        if !self.lowered.needs.flow {
            self.group_block(&blocks, self.lowered.start as u16);
            return;
        }
        let end = blocks.numbers.len();
        self.line("loop {");
        self.indent += 1;
        if let Some(turns) = self.limits.turns {
            self.line("turns += 1u;");
            self.line(&format!(
                "if turns > {turns}u {{ give_up(BUDGET); break; }}"
            ));
        }
        self.line("switch block {");
        self.indent += 1;
        let starts: Vec<(u16, u32)> = blocks.numbers.iter().map(|(&pc, &n)| (pc, n)).collect();
        for (pc, number) in starts {
            self.line(&format!("case {number}u: {{"));
            self.indent += 1;
            self.group_block(&blocks, pc);
            self.indent -= 1;
            self.line("}");
        }
        self.line("default: {}");
        self.indent -= 1;
        self.line("}");
        self.line(&format!("if block == {end}u {{ break; }}"));
        self.indent -= 1;
        self.line("}");
    }

    /// Where straight runs begin that a group may reach.
    fn blocks(&self) -> Blocks {
        let slots = self.program.instructions().len() as u16;
        let mut numbers: BTreeMap<u16, u32> = BTreeMap::new();
        let mut open = vec![self.lowered.start as u16];
        while let Some(first) = open.pop() {
            if first >= slots || numbers.insert(first, 0).is_some() {
                continue;
            }
            for pc in first..slots {
                match self.lowered.ops[ops_of(self.lowered, pc)].last() {
                    Some(op) if op.op == Op::End => break,
                    Some(op) if op.op == Op::Flow => {
                        let flow = self.lowered.flows.get(op.aux as usize);
                        if let Some(flow) = flow.filter(|flow| flow.flags & Flow::END == 0) {
                            open.push((pc + 1) & 0x1ff);
                            open.push(flow.target);
                        }
                        break;
                    }
                    // Behind the last slot comes the first.
                    _ if pc as usize + 1 == MAX_INSTRUCTIONS => open.push(0),
                    _ => {}
                }
            }
        }
        for (n, number) in numbers.values_mut().enumerate() {
            *number = n as u32;
        }
        Blocks { numbers, slots }
    }

    fn group_block(&mut self, blocks: &Blocks, first: u16) {
        let ends = |pc: u16| {
            let last = self.lowered.ops[ops_of(self.lowered, pc)].last();
            last.copied()
                .filter(|op| matches!(op.op, Op::Flow | Op::End))
        };
        let next = blocks.numbers.range(first + 1..).next();
        let limit = next.map_or(blocks.slots, |(&pc, _)| pc);
        let found = (first..limit).find(|&pc| ends(pc).is_some());
        let end = found.map_or(limit, |pc| pc + 1);
        let last = found.and_then(ends);

        self.count_types(first..end);
        let flows = self.lowered.needs.flow;
        let lanes = if flows { "act & covered" } else { "covered" };
        for segment in self.segments(first..end) {
            for (name, n) in [
                ("lane_instructions", segment.instructions),
                ("fetches", segment.fetches),
            ] {
                if n != 0 {
                    self.line(&format!("{name} += select(0u, {n}u, {lanes});"));
                }
            }
            self.group_slots(segment.slots);
        }
        match last {
            Some(op) if op.op == Op::Flow => {
                if let Some(flow) = self.lowered.flows.get(op.aux as usize).copied() {
                    self.group_flow(blocks, end - 1, &flow);
                }
            }
            Some(_) if !flows => {}
            Some(_) => self.line(&format!("block = {}u;", blocks.numbers.len())),
            None => {
                let next = end & (MAX_INSTRUCTIONS as u16 - 1);
                self.line(&format!("block = {}u;", blocks.number(next)));
            }
        }
    }

    /// Counts the instructions of a block, flow control apart.
    fn count_types(&mut self, slots: Range<u16>) {
        let mut counts = [0u32; 4];
        for pc in slots {
            let Some(instruction) = self.program.instructions().get(pc as usize) else {
                continue;
            };
            match instruction.common.class {
                Type::Alu => counts[0] += 1,
                Type::Out => counts[1] += 1,
                Type::Tex => counts[2] += 1,
                Type::Fc => {}
            }
            counts[3] += u32::from(self.is_fetch(pc));
        }
        for (name, n) in GROUP_COUNTERS.iter().zip(counts) {
            if n != 0 {
                self.line(&format!("{name} += {n}u;"));
            }
        }
    }

    fn is_fetch(&self, pc: u16) -> bool {
        let instruction = self.program.instructions().get(pc as usize);
        instruction.is_some_and(|one| matches!(&one.body, Body::Tex(tex) if tex.op.fetches()))
    }

    /// Cuts a block where points may be killed: who counts changes there.
    fn segments(&self, slots: Range<u16>) -> Vec<Segment> {
        let mut segments: Vec<Segment> = Vec::new();
        let mut killed = true;
        for pc in slots {
            if killed {
                segments.push(Segment {
                    slots: pc..pc,
                    instructions: 0,
                    fetches: 0,
                });
            }
            if let Some(segment) = segments.last_mut() {
                segment.slots.end = pc + 1;
                segment.instructions += 1;
                segment.fetches += u32::from(self.is_fetch(pc));
            }
            let instruction = self.program.instructions().get(pc as usize);
            killed = instruction
                .is_some_and(|one| matches!(&one.body, Body::Tex(tex) if tex.op == TexOp::Texkill));
        }
        segments
    }

    /// Operations of slots: of the points that are awake, unless an instruction is for all. Those
    /// are only translated where all points are awake.
    fn group_slots(&mut self, slots: Range<u16>) {
        let mut pc = slots.start;
        while pc < slots.end {
            let all = |pc: u16| {
                analyse::reaches_inactive(self.lowered, self.analysis.scratch, pc)
                    || !self.lowered.needs.flow
            };
            let kind = all(pc);
            let end = (pc..slots.end)
                .find(|&pc| all(pc) != kind)
                .unwrap_or(slots.end);
            let before = self.out.len();
            if !kind {
                self.line("if act {");
                self.indent += 1;
            }
            let begun = self.out.len();
            for pc in pc..end {
                self.slot(pc);
            }
            if self.out.len() == begun {
                self.out.truncate(before);
            }
            if !kind {
                self.indent -= 1;
                if self.out.len() != before {
                    self.line("}");
                }
            }
            pc = end;
        }
    }

    /// An instruction of flow control, as the machine executes it.
    fn group_flow(&mut self, blocks: &Blocks, pc: u16, flow: &Flow) {
        self.comment(pc);
        match self.limits.instructions {
            Some(limit) => {
                let executed = "counted_alu + counted_out + counted_tex + counted_fc";
                let end = blocks.numbers.len();
                self.line(&format!("if {executed} > {limit}u {{"));
                self.line("    give_up(BUDGET);");
                self.line(&format!("    block = {end}u;"));
                self.line("} else {");
            }
            None => self.line("{"),
        }
        self.indent += 1;
        self.decide(blocks, pc, flow);
        self.indent -= 1;
        self.line("}");
    }

    fn decide(&mut self, blocks: &Blocks, pc: u16, flow: &Flow) {
        let op = FcOp::from_code(u32::from(flow.op));
        let has = |flag: u8| flow.flags & flag != 0;
        let condition = Condition::wish(flow, self.state.bools);
        let (stay, jump) = (
            effect(flow.b_op0, flow.b_pop_cnt),
            effect(flow.b_op1, flow.b_pop_cnt),
        );
        let is_end = matches!(op, FcOp::EndLoop | FcOp::EndRep);
        if is_end {
            self.line("continued = continued & ~(1u << (depth - 1u));");
        }
        if [stay, jump].contains(&BranchOp::Incr) {
            self.line("let waited = waits;");
        }
        if has(Flow::ELSE) {
            self.line("let swapped = is_awake();");
            self.line("exchange_level(swapped);");
        }
        self.line("let acts = is_awake();");
        let wishes = match condition.known() {
            Some(known) => known.to_string(),
            None => {
                let wish = self.wish(condition);
                self.line(&format!("let wishes = {wish};"));
                "wishes".to_string()
            }
        };

        let known = condition.known().filter(|_| !has(Flow::ELSE));
        let decision = if has(Flow::END) {
            Decision::Known(false)
        } else {
            self.decision(flow, op, known)
        };
        let mut bits = Vec::new();
        if let Decision::Votes(text) = &decision {
            let ignored = if has(Flow::IGNORE_UNCOVERED) {
                " & covered"
            } else {
                ""
            };
            let (voter, wants) = match has(Flow::ELSE) {
                true => ("(acts | swapped)", format!("((acts & {wishes}) | swapped)")),
                false => ("acts", wishes.clone()),
            };
            if text.contains("all & 1u") || text.contains("all & 3u") {
                bits.push(format!("select(0u, 1u, {voter} & {wants}{ignored})"));
            }
            if text.contains("all & 2u") || text.contains("all & 3u") {
                bits.push(format!("select(0u, 2u, {voter} & !{wants}{ignored})"));
            }
            if text.contains("all & 4u") {
                let held = match op {
                    FcOp::Continue => "waits",
                    _ => "(waits | ((continued & (1u << (depth - 1u))) != 0u))",
                };
                bits.push(format!("select(0u, 4u, {held}{ignored})"));
            }
        }
        let divergent = condition.known().is_none();
        if divergent {
            bits.push("select(0u, 8u, acts & covered & wishes)".to_string());
            bits.push("select(0u, 16u, acts & covered & !wishes)".to_string());
        }
        if !bits.is_empty() {
            self.line(&format!("let all = vote({});", bits.join(" | ")));
        }
        self.line("counted_fc += 1u;");
        if divergent {
            self.line("counted_divergent += select(0u, 1u, (all & 24u) == 24u);");
        }
        if has(Flow::END) {
            self.line(&format!("block = {}u;", blocks.numbers.len()));
            return;
        }

        match op {
            _ if is_end => {
                self.line("frames[depth - 1u] = max(frames[depth - 1u], 1u) - 1u;");
            }
            FcOp::BreakLoop | FcOp::BreakRep | FcOp::Continue if wishes != "false" => {
                let mask = match op {
                    FcOp::Continue => "continued",
                    _ => "broken",
                };
                self.line(&format!(
                    "{mask} = {mask} | select(0u, 1u << (depth - 1u), acts & {wishes});"
                ));
            }
            _ => {}
        }
        let jumping = |emit: &mut Self| {
            emit.jumps(blocks, pc, flow, op);
            emit.levels(jump, flow.b_pop_cnt, &format!("acts & !{wishes}"));
        };
        let staying = |emit: &mut Self| {
            emit.stays(blocks, pc, flow, op);
            emit.levels(stay, flow.b_pop_cnt, &format!("acts & {wishes}"));
        };
        match decision {
            Decision::Known(true) => jumping(self),
            Decision::Known(false) => staying(self),
            Decision::Group(text) | Decision::Votes(text) => {
                self.line(&format!("if {text} {{"));
                self.indent += 1;
                jumping(self);
                self.indent -= 1;
                self.line("} else {");
                self.indent += 1;
                staying(self);
                self.indent -= 1;
                self.line("}");
            }
        }
        self.line("act = is_awake();");
    }

    /// What decides a jump. `known`: what all points wish, if that is known and nobody else votes.
    fn decision(&self, flow: &Flow, op: FcOp, known: Option<bool>) -> Decision {
        let any = flow.flags & Flow::ANY != 0;
        let agreed = match (known, any) {
            // Also without voters.
            (Some(true), false) => Decision::Known(true),
            (Some(false), true) => Decision::Known(false),
            (_, true) => Decision::Votes("(all & 1u) != 0u".to_string()),
            (_, false) => Decision::Votes("(all & 2u) == 0u".to_string()),
        };
        let and = |text: &str, agreed| match agreed {
            Decision::Known(true) => text.to_string(),
            Decision::Known(false) => "false".to_string(),
            Decision::Group(agreed) | Decision::Votes(agreed) => format!("({text}) & ({agreed})"),
        };
        match op {
            FcOp::Jump => agreed,
            FcOp::Loop | FcOp::Rep => {
                let constant = self.state.int_constants()[flow.int_addr as usize & 31];
                match (constant.count, known) {
                    (0, _) => Decision::Known(true),
                    // Voters are against it, and without voters it is not left out.
                    (_, Some(false)) => Decision::Known(false),
                    _ => Decision::Votes(and("(all & 3u) != 0u", agreed)),
                }
            }
            FcOp::EndLoop | FcOp::EndRep => {
                let left = "frames[depth - 1u] != 0u";
                match agreed {
                    Decision::Known(true) => Decision::Group(left.to_string()),
                    Decision::Known(false) => Decision::Known(false),
                    votes => Decision::Votes(and(left, votes)),
                }
            }
            FcOp::BreakLoop | FcOp::BreakRep | FcOp::Continue => match agreed {
                Decision::Known(false) => Decision::Known(false),
                agreed => Decision::Votes(and("(all & 4u) == 0u", agreed)),
            },
        }
    }

    fn jumps(&mut self, blocks: &Blocks, pc: u16, flow: &Flow, op: FcOp) {
        match op {
            FcOp::EndLoop if self.lowered.needs.relative => {
                let step = self.state.int_constants()[flow.int_addr as usize & 31].step;
                self.line(&format!("al = al + {step}i;"));
            }
            FcOp::BreakLoop | FcOp::BreakRep => self.pop_frame(op == FcOp::BreakLoop),
            _ => {}
        }
        let mut to = format!("{}u", blocks.number(flow.target));
        match AddressOp::from_code(u32::from(flow.a_op)) {
            AddressOp::Push => {
                let back = blocks.number((pc + 1) & 0x1ff);
                self.line(&format!("returns[calls] = {back}u;"));
                self.line("calls += 1u;");
            }
            AddressOp::Pop => {
                self.line("calls -= 1u;");
                to = "returns[calls]".to_string();
            }
            AddressOp::None | AddressOp::Reserved(_) => {}
        }
        self.line(&format!("block = {to};"));
    }

    fn stays(&mut self, blocks: &Blocks, pc: u16, flow: &Flow, op: FcOp) {
        match op {
            FcOp::Loop | FcOp::Rep => {
                let constant = self.state.int_constants()[flow.int_addr as usize & 31];
                self.line(&format!("frames[depth] = {}u;", constant.count));
                if op == FcOp::Loop && self.lowered.needs.relative {
                    self.line("saved_al[depth] = al;");
                    self.line(&format!("al = {}i;", constant.start));
                }
                self.line("depth += 1u;");
            }
            FcOp::EndLoop | FcOp::EndRep => self.pop_frame(op == FcOp::EndLoop),
            _ => {}
        }
        self.line(&format!("block = {}u;", blocks.number((pc + 1) & 0x1ff)));
    }

    fn pop_frame(&mut self, restore: bool) {
        self.line("depth -= 1u;");
        self.line("broken = broken & ~(1u << depth);");
        self.line("continued = continued & ~(1u << depth);");
        if restore && self.lowered.needs.relative {
            self.line("al = saved_al[depth];");
        }
    }

    /// The branch counters; `disagrees`: who wished otherwise.
    fn levels(&mut self, op: BranchOp, count: u8, disagrees: &str) {
        match op {
            BranchOp::Decr => self.line(&format!("wake_levels({count}u);")),
            BranchOp::Incr => self.line(&format!("sleep(waited, {disagrees});")),
            BranchOp::None | BranchOp::Reserved(_) => {}
        }
    }

    /// Kills points where `tests` holds.
    pub(super) fn count_kill(&mut self, tests: &str) {
        self.line(&format!("if covered & ({tests}) {{"));
        self.line("    killed += 1u;");
        self.line("    covered = false;");
        self.line("}");
    }

    /// Whether the shader counts and may give up for what it counted.
    pub(super) fn counted_limits(&self) -> bool {
        self.state.statistics && self.limits.any()
    }
}

/// How a group decides whether it jumps.
enum Decision {
    /// Always like this.
    Known(bool),
    /// By what every point knows of the group.
    Group(String),
    /// By votes, which the text calls `all`.
    Votes(String),
}
