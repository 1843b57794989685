//! Where the variables of the source are: for each value that a store of the source makes, or that a branch or loop leaves,
//! the places that hold it, by ranges of instructions.
//!
//! A walk over the instructions notes which value each channel of a temporary holds for certain. A location of a store
//! in a branch or loop that stays is only in that branch or loop body, after the start of the store's block.

use crate::code::{Atom, Constant, Operand, Source, ValueId};
use crate::flow::{BlockId, Cfg, Control};
use crate::graph::{Id, NONE, Op};
use crate::ir::Ir;
use crate::lines::Lines;
use crate::pack::TempChannel;
use crate::predicates::{Role, roles};
use crate::schedule::{Schedule, Slot};
use ctm_isa::isa::channels;
use ctm_lang::program::interface::Scalar;
use ctm_lang::program::{Image, ValuePlace, Variable, VariableLocation};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

/// The value that each channel holds.
type Held = BTreeMap<TempChannel, ValueId>;

impl Schedule {
    /// The channels of temporaries that an instruction writes, each with its value.
    fn written(&self, slot: &Slot) -> Vec<(TempChannel, ValueId)> {
        let mut written = Vec::new();
        match slot {
            Slot::Alu(packed, dest) => {
                for channel in channels(packed.results) {
                    let member = packed.members[channel];
                    let value = member.and_then(|one| self.code.operations[one.operation].result());
                    let place = (dest[channel / 3], channel as u8);
                    if let Some(value) = value.filter(|value| self.places[*value] == Some(place)) {
                        written.push((place, value));
                    }
                }
            }
            Slot::Fetch(n, _) => {
                let values = self.code.operations[*n].results.iter().flatten();
                written.extend(values.filter_map(|value| Some((self.places[*value]?, *value))));
            }
            Slot::Kill(_) | Slot::Flow(_) => {}
        }
        written
    }

    /// The block of an instruction.
    fn block(&self, slot: &Slot) -> BlockId {
        match slot {
            Slot::Flow(block) => *block,
            Slot::Alu(..) | Slot::Fetch(..) | Slot::Kill(_) => {
                slot.operations().first().map_or(0, |n| self.code.operations[*n].block)
            }
        }
    }

    /// The end of a block.
    fn end(&self, slot: &Slot) -> Control {
        match slot {
            Slot::Flow(block) => self.code.ends[*block].end,
            Slot::Alu(..) | Slot::Fetch(..) | Slot::Kill(_) => Control::Next,
        }
    }
}

/// An open branch or loop.
enum Open {
    /// A branch: what channels hold before its side, and after the side that is over.
    Branch { before: Held, after: Option<Held> },
    /// A loop: what they hold where it is left.
    Loop(Option<Held>),
    /// A branch without instructions.
    Gone,
}

/// The values that channels hold on both of two ways.
fn both(one: Option<Held>, mut other: Held) -> Held {
    if let Some(one) = one {
        other.retain(|place, value| one.get(place) == Some(value));
    }
    other
}

/// The instructions of a schedule, by slot.
struct Program<'a> {
    ir: &'a Ir,
    schedule: &'a Schedule,
    roles: Vec<Role>,
    /// The values that stand for nodes.
    named: HashSet<ValueId>,
    /// The slots at which what a block stores counts: to the end of the branch or loop body around it, or of the program;
    /// none if predicates replace the branch.
    blocks: Vec<Range<usize>>,
    /// The slots before which each value is in a channel.
    spans: HashMap<ValueId, Vec<(TempChannel, Range<usize>)>>,
    /// The number of instructions before each slot, and before the end.
    before: Vec<u32>,
    /// The constant that holds each uniform.
    constants: HashMap<Scalar, (u8, u8)>,
}

impl Program<'_> {
    fn of<'a>(ir: &'a Ir, schedule: &'a Schedule, image: &Image) -> Program<'a> {
        let interface = image.interface.iter().flat_map(|interface| &interface.constants);
        let made = schedule.code.made.iter();
        let mut program = Program {
            ir,
            schedule,
            roles: roles(&schedule.slots, &schedule.code),
            named: made.filter(|(id, _)| !fetches(ir, **id)).map(|(_, value)| *value).collect(),
            blocks: Vec::new(),
            spans: HashMap::new(),
            before: vec![0],
            constants: interface.map(|one| (one.scalar, (one.addr, one.channel))).collect(),
        };
        for (n, role) in program.roles.iter().enumerate() {
            program.before.push(program.before[n] + u32::from(*role != Role::Gone));
        }
        program.place_blocks();
        program.walk();
        program
    }

    /// Finds the slots of blocks.
    fn place_blocks(&mut self) {
        let slots = &self.schedule.slots;
        let mut starts = Vec::new();
        for (n, slot) in slots.iter().enumerate() {
            starts.resize(starts.len().max(self.schedule.block(slot) + 1), n);
        }
        starts.resize(self.schedule.code.ends.len(), slots.len());
        // The end of the branch or loop body around each slot.
        let mut ends = vec![None; slots.len() + 1];
        let mut open: Vec<usize> = Vec::new();
        for (n, slot) in slots.iter().enumerate() {
            let end = self.schedule.end(slot);
            if matches!(end, Control::Else | Control::EndIf | Control::EndLoop)
                && let Some(start) = open.pop()
            {
                let own = if self.roles[n] == Role::Gone { 0 } else { n + 1 };
                // Inner ones are known.
                ends[start..=n].iter_mut().for_each(|end| *end = end.or(Some(own)));
            }
            if matches!(end, Control::If(_) | Control::Else | Control::Loop(_)) {
                open.push(n + 1);
            }
        }
        let of = |start: usize| start..ends[start].unwrap_or(slots.len());
        self.blocks = starts.into_iter().map(of).collect();
    }

    /// The value that a value is a copy of, or computed again.
    fn root(&self, mut value: ValueId) -> ValueId {
        while !self.named.contains(&value) {
            let code = &self.schedule.code;
            let Some(operation) = code.values[value].made.map(|made| &code.operations[made]) else {
                break;
            };
            let plain = match &operation.operands[..] {
                [Operand { source: Source::Atom(Atom::Value(of)), neg: false, abs: false }, ..] => {
                    Some(*of)
                }
                _ => None,
            };
            let node = operation.node;
            let next = if node == NONE { plain } else { code.made.get(&node).copied() };
            let Some(next) = next.filter(|_| !fetches(self.ir, node)) else { break };
            value = next;
        }
        value
    }

    /// Notes what channels hold before each slot.
    fn walk(&mut self) {
        let (schedule, code) = (self.schedule, &self.schedule.code);
        // The values of variables, by the block at whose start they are there.
        let mut phis: HashMap<BlockId, Vec<(TempChannel, ValueId)>> = HashMap::new();
        for (id, value) in &code.made {
            if let Op::Phi(n) = self.ir.graph.op(*id)
                && code.values[*value].made.is_none()
                && let Some(place) = schedule.places[*value]
            {
                phis.entry(self.ir.flow.phis[n as usize].block).or_default().push((place, *value));
            }
        }
        let mut held = Held::new();
        for (value, place) in schedule.places.iter().enumerate() {
            if let Some(place) = place.filter(|_| code.values[value].input.is_some()) {
                held.insert(place, self.root(value));
            }
        }
        let mut spans: BTreeMap<(ValueId, TempChannel), Vec<Range<usize>>> = BTreeMap::new();
        let mut open: Vec<Open> = Vec::new();
        let mut next = 0;
        for (n, slot) in schedule.slots.iter().enumerate() {
            for block in next..=schedule.block(slot) {
                held.extend(phis.remove(&block).unwrap_or_default());
            }
            next = next.max(schedule.block(slot) + 1);
            for (place, value) in &held {
                let spans = spans.entry((*value, *place)).or_default();
                match spans.last_mut() {
                    Some(last) if last.end == n => last.end = n + 1,
                    _ => spans.push(n..n + 1),
                }
            }
            for (place, value) in schedule.written(slot) {
                held.remove(&place);
                if !matches!(self.roles[n], Role::Gated { .. }) {
                    held.insert(place, self.root(value));
                }
            }
            let gone = self.roles[n] == Role::Gone;
            match schedule.end(slot) {
                Control::If(_) if gone => open.push(Open::Gone),
                Control::If(_) => open.push(Open::Branch { before: held.clone(), after: None }),
                Control::Else => {
                    if let Some(Open::Branch { before, after }) = open.last_mut() {
                        *after = Some(std::mem::replace(&mut held, before.clone()));
                    }
                }
                Control::EndIf => {
                    if let Some(Open::Branch { before, after }) = open.pop() {
                        held = both(Some(after.unwrap_or(before)), held);
                    }
                }
                Control::Loop(_) => {
                    for place in self.written_in_loop(n) {
                        held.remove(&place);
                    }
                    open.push(Open::Loop(None));
                }
                Control::Break(_) => {
                    let inner = open.iter_mut().rev().find_map(|open| match open {
                        Open::Loop(left) => Some(left),
                        Open::Branch { .. } | Open::Gone => None,
                    });
                    if let Some(left) = inner {
                        *left = Some(both(left.take(), held.clone()));
                    }
                }
                Control::EndLoop => {
                    if let Some(Open::Loop(left)) = open.pop() {
                        held = both(left, held);
                    }
                }
                Control::Next => {}
            }
        }
        for ((value, place), ranges) in spans {
            let all = self.spans.entry(value).or_default();
            all.extend(ranges.into_iter().map(|range| (place, range)));
        }
    }

    /// The channels that a loop writes that starts at a slot.
    fn written_in_loop(&self, start: usize) -> Vec<TempChannel> {
        let (mut places, mut depth) = (Vec::new(), 0);
        for slot in &self.schedule.slots[start..] {
            places.extend(self.schedule.written(slot).into_iter().map(|(place, _)| place));
            match self.schedule.end(slot) {
                Control::Loop(_) => depth += 1,
                Control::EndLoop => depth -= 1,
                Control::Next
                | Control::If(_)
                | Control::Else
                | Control::EndIf
                | Control::Break(_) => {}
            }
            if depth == 0 {
                break;
            }
        }
        places
    }

    /// The places of a node's value that is stored in a block, and the instructions before which it is there, up to the
    /// block that joins it with others.
    fn places(
        &self,
        id: Id,
        block: BlockId,
        joined: Option<BlockId>,
    ) -> Vec<(ValuePlace, Range<u32>)> {
        let Some(own) = self.blocks.get(block) else { return Vec::new() };
        let last = joined.and_then(|block| self.blocks.get(block)).map_or(own.end, |at| at.start);
        let own = &(own.start..own.end.min(last));
        let slots = |range: &Range<usize>| {
            let (start, end) = (range.start.max(own.start), range.end.min(own.end));
            self.before[start]..self.before[end.max(start)]
        };
        match self.ir.graph.op(id) {
            Op::Literal(bits) => return vec![(ValuePlace::Literal(bits), slots(own))],
            Op::Uniform(n) => {
                let scalar = self.ir.interface.scalars.get(n as usize);
                let place = match self.ir.constant(n) {
                    Constant::Register(n, channel) => Some((n, channel)),
                    _ => scalar.and_then(|scalar| self.constants.get(scalar)).copied(),
                };
                let place = place.map(|(n, channel)| ValuePlace::Constant(n, channel));
                return place.map(|place| (place, slots(own))).into_iter().collect();
            }
            _ => {}
        }
        let code = &self.schedule.code;
        if code.joined.get(id as usize) == Some(&true) || fetches(self.ir, id) {
            return Vec::new();
        }
        let spans = code.made.get(&id).and_then(|value| self.spans.get(value));
        let place = |((n, channel), range): &(TempChannel, Range<usize>)| {
            (ValuePlace::Temp(*n, *channel), slots(range))
        };
        spans.into_iter().flatten().map(place).collect()
    }
}

/// Whether a node is a fetch, whose texels are the values.
fn fetches(ir: &Ir, id: Id) -> bool {
    id != NONE && matches!(ir.graph.op(id), Op::Fetch(_))
}

/// The variables of the source, with the places of their values in the image of a schedule.
pub fn variables(ir: &Ir, schedule: &Schedule, image: &Image, source: &str) -> Vec<Variable> {
    let program = Program::of(ir, schedule, image);
    let lines = Lines::of(source);
    let line = |origin: u32| lines.line(origin).unwrap_or(0) as u32;
    let nesting = Cfg::of(&ir.flow.blocks).nesting;
    let mut variables: Vec<Variable> = ir
        .variables
        .iter()
        .map(|declared| Variable {
            name: declared.name.clone(),
            function: declared.function.clone(),
            line: line(declared.origin),
            kind: declared.kind,
            components: declared.components,
            stores: Vec::new(),
            locations: Vec::new(),
        })
        .collect();
    // The next join of each store's variable in another block.
    let mut joins: HashMap<(usize, u32), BlockId> = HashMap::new();
    let mut joined = vec![None; ir.stores.len()];
    for (n, store) in ir.stores.iter().enumerate().rev() {
        let key = (store.variable, store.component);
        joined[n] = joins.get(&key).copied().filter(|block| *block != store.block);
        if store.joined {
            joins.insert(key, store.block);
        }
    }
    // The number of stores so far; `None` if it is not the same at every point.
    let mut counts: HashMap<(usize, u32, u32), Option<u32>> = HashMap::new();
    let mut known: HashSet<(usize, VariableLocation)> = HashSet::new();
    for (store, joined) in ir.stores.iter().zip(joined) {
        let (component, line) = (store.component, line(store.origin));
        let variable = &mut variables[store.variable];
        variable.stores.push((component, line));
        let once = store.value.is_some() && nesting.get(store.block) == Some(&0);
        let count = counts.entry((store.variable, component, line)).or_insert(Some(0));
        let nth = count.filter(|_| once && !store.joined);
        if !store.joined {
            *count = nth.map(|nth| nth + 1);
        }
        let Some(mut id) = store.value else { continue };
        let (mut neg, mut abs) = (false, false);
        loop {
            match ir.graph.op(id) {
                Op::Neg => neg ^= !abs,
                Op::Abs => abs = true,
                _ => break,
            }
            id = ir.graph.arg(id, 0);
        }
        for (place, slots) in program.places(id, store.block, joined) {
            let location =
                VariableLocation { component, line, nth, slots: slots.clone(), place, abs, neg };
            if !slots.is_empty() && known.insert((store.variable, location.clone())) {
                variable.locations.push(location);
            }
        }
    }
    for variable in &mut variables {
        variable.stores.sort_unstable();
        variable.stores.dedup();
        variable.locations.sort_by_key(|one| (one.component, one.slots.start, one.line, one.nth));
    }
    variables
}
