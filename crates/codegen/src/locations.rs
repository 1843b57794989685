//! Where the variables of the source are: for each value that a store of the source makes, the places that hold it, by
//! ranges of instructions.
//!
//! Only stores that every point makes, outside the branches and loops that stay, have locations. A register holds a value
//! from the instruction that makes it until the next one that writes there; where that is in a loop, until the loop.

use crate::code::ValueId;
use crate::flow::Control;
use crate::graph::{Id, Op};
use crate::ir::Ir;
use crate::lines::Lines;
use crate::pack::TempChannel;
use crate::predicates::{Role, roles};
use crate::schedule::{Schedule, Slot};
use ctm_isa::isa::channels;
use ctm_lang::program::interface::Scalar;
use ctm_lang::program::{Image, ValuePlace, Variable, VariableLocation};
use std::collections::HashMap;
use std::ops::Range;

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
}

/// The instructions of a schedule, by slot.
struct Program<'a> {
    ir: &'a Ir,
    schedule: &'a Schedule,
    /// The slot that makes each value, outside branches and loops.
    makers: HashMap<ValueId, usize>,
    /// The slots that write each channel, in ascending order.
    writers: HashMap<TempChannel, Vec<usize>>,
    /// The outermost loop around a slot, by the slot that starts it.
    loops: Vec<Option<usize>>,
    /// The number of instructions before each slot, and before the end.
    before: Vec<u32>,
    /// The constant that holds each uniform.
    constants: HashMap<Scalar, (u8, u8)>,
}

impl Program<'_> {
    fn of<'a>(ir: &'a Ir, schedule: &'a Schedule, image: &Image) -> Program<'a> {
        let code = &schedule.code;
        let interface = image.interface.iter().flat_map(|interface| &interface.constants);
        let mut program = Program {
            ir,
            schedule,
            makers: HashMap::new(),
            writers: HashMap::new(),
            loops: Vec::new(),
            before: vec![0],
            constants: interface.map(|one| (one.scalar, (one.addr, one.channel))).collect(),
        };
        // Branches and loops around, loops with their first slot.
        let mut open: Vec<Option<usize>> = Vec::new();
        let roles = roles(&schedule.slots, code);
        for (n, (slot, role)) in schedule.slots.iter().zip(roles).enumerate() {
            let end = match slot {
                Slot::Flow(block) => code.ends[*block].end,
                Slot::Alu(..) | Slot::Fetch(..) | Slot::Kill(_) => Control::Next,
            };
            if matches!(end, Control::EndIf | Control::EndLoop) {
                open.pop();
            }
            program.loops.push(open.iter().flatten().next().copied());
            for (place, value) in schedule.written(slot) {
                program.writers.entry(place).or_default().push(n);
                if open.is_empty() {
                    program.makers.insert(value, n);
                }
            }
            match end {
                Control::If(_) => open.push(None),
                Control::Loop(_) => open.push(Some(n)),
                Control::Next
                | Control::Else
                | Control::EndIf
                | Control::Break(_)
                | Control::EndLoop => {}
            }
            program.before.push(program.before[n] + u32::from(role != Role::Gone));
        }
        program
    }

    /// The instructions before which a channel holds what it has after the first `made` slots.
    fn held(&self, place: TempChannel, made: usize) -> Range<u32> {
        let writers = self.writers.get(&place).map_or(&[][..], Vec::as_slice);
        let next = writers.iter().find(|slot| **slot >= made);
        let last =
            next.map(|slot| self.loops[*slot].filter(|start| *start >= made).unwrap_or(*slot));
        let end = last.map_or(self.schedule.slots.len(), |last| last + 1);
        self.before[made]..self.before[end]
    }

    /// The place of a node's value, and the instructions before which it is there.
    fn place(&self, id: Id) -> Option<(ValuePlace, Range<u32>)> {
        let all = 0..self.before.last().copied().unwrap_or(0);
        match self.ir.graph.op(id) {
            Op::Literal(bits) => return Some((ValuePlace::Literal(bits), all)),
            Op::Uniform(n) => {
                let scalar = self.ir.interface.scalars.get(n as usize)?;
                let (addr, channel) = *self.constants.get(scalar)?;
                return Some((ValuePlace::Constant(addr, channel), all));
            }
            _ => {}
        }
        let code = &self.schedule.code;
        if code.joined.get(id as usize) == Some(&true) {
            return None;
        }
        let value = *code.made.get(&id)?;
        // A fetch stands for its operation.
        if matches!(self.ir.graph.op(id), Op::Fetch(_)) {
            return None;
        }
        let (register, channel) = (*self.schedule.places.get(value)?)?;
        let made = match code.values[value].input {
            Some(_) => 0,
            None => self.makers.get(&value)? + 1,
        };
        Some((ValuePlace::Temp(register, channel), self.held((register, channel), made)))
    }
}

/// The variables of the source, with the places of their values in the image of a schedule.
pub fn variables(ir: &Ir, schedule: &Schedule, image: &Image, source: &str) -> Vec<Variable> {
    let program = Program::of(ir, schedule, image);
    let lines = Lines::of(source);
    let line = |origin: u32| lines.line(origin).unwrap_or(0) as u32;
    let mut variables: Vec<Variable> = ir
        .variables
        .iter()
        .map(|declared| Variable {
            name: declared.name.clone(),
            function: declared.function.clone(),
            line: line(declared.origin),
            kind: declared.kind,
            components: declared.components,
            locations: Vec::new(),
        })
        .collect();
    // Stores of lines at which not every point stores cannot be counted.
    let mut stores: HashMap<(usize, u32, u32), Option<Vec<Id>>> = HashMap::new();
    for store in &ir.stores {
        let key = (store.variable, line(store.origin), store.component);
        let known = stores.entry(key).or_insert_with(|| Some(Vec::new()));
        match (store.value, known.as_mut()) {
            (Some(value), Some(values)) => values.push(value),
            _ => *known = None,
        }
    }
    for ((variable, line, component), values) in stores {
        for (nth, mut id) in values.into_iter().flatten().enumerate() {
            let (mut neg, mut abs) = (false, false);
            loop {
                match ir.graph.op(id) {
                    Op::Neg => neg ^= !abs,
                    Op::Abs => abs = true,
                    _ => break,
                }
                id = ir.graph.arg(id, 0);
            }
            let Some((place, slots)) = program.place(id) else { continue };
            if slots.is_empty() || line == 0 {
                continue;
            }
            let nth = nth as u32;
            let location = VariableLocation { component, line, nth, slots, place, abs, neg };
            variables[variable].locations.push(location);
        }
    }
    for variable in &mut variables {
        variable.locations.sort_by_key(|one| (one.component, one.slots.start, one.line, one.nth));
    }
    variables
}
