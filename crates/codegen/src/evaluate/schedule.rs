//! The meaning of instructions: by the registers of their operations' values, or by their own sources and lanes.

use super::blocks::UNKNOWN;
use super::flow::Way;
use super::{Constants, Inputs, Outcome, Stuck, finished, lane, modified, operation, presubtract};
use crate::code::{Does, Operation, ValueId};
use crate::flow::Control;
use crate::ir::Ir;
use crate::pack::{Address, Input, Lane, Packed};
use crate::predicates::Role;
use crate::schedule::{Schedule, Slot};
use ctm_isa::float;
use ctm_isa::isa::{ALPHA, AluOp, FieldValue, RGB, TEMPORARIES, channels};
use std::collections::BTreeMap;

/// A point in its program.
struct Point<'a> {
    schedule: &'a Schedule,
    constants: Constants<'a>,
    zero_times: bool,
    registers: [[u32; 4]; TEMPORARIES],
}

/// The result of instructions at a point. `packed`: by their sources and lanes. `roles`: their predicates.
pub fn run(
    ir: &Ir,
    schedule: &Schedule,
    packed: bool,
    roles: &[Role],
    inputs: &Inputs<'_>,
) -> Result<Outcome, Stuck> {
    let code = &schedule.code;
    let mut registers = [[UNKNOWN; 4]; TEMPORARIES];
    for (slot, temp) in &schedule.inputs {
        registers[usize::from(*temp)] = inputs.varyings[*slot as usize];
    }
    let constants = Constants::of(ir, inputs);
    let mut point = Point { schedule, constants, zero_times: ir.graph.zero_times(), registers };
    let mut outputs = BTreeMap::new();
    let control = |(slot, role): (&Slot, &Role)| match slot {
        Slot::Flow(block) if *role != Role::Gone => code.ends[*block].end,
        Slot::Alu(..) | Slot::Fetch(..) | Slot::Kill(_) | Slot::Flow(_) => Control::Next,
    };
    let controls: Vec<Control> = schedule.slots.iter().zip(roles).map(control).collect();
    let mut way = Way::of(&controls);
    let (mut predicates, mut result) = ([false; 4], 0);
    let mut n = 0;
    while let (Some(slot), Some(role)) = (schedule.slots.get(n), roles.get(n)) {
        let runs = match role {
            Role::Plain | Role::Test(..) => true,
            Role::Gated { channel, clear } => predicates[*channel] != *clear,
            Role::Gone => false,
        };
        let mut holds = true;
        match slot {
            _ if !runs => {}
            Slot::Alu(own, dest) => {
                let values = point.values(own, packed)?;
                for channel in channels(own.results) {
                    let Some(member) = own.members[channel] else { continue };
                    let done = &code.operations[member.operation];
                    let bits = values[channel];
                    let place = (dest[channel / 3], channel as u8);
                    if done.result().is_some_and(|v| schedule.places[v] == Some(place)) {
                        point.registers[usize::from(place.0)][channel] = bits;
                    }
                    if let Some((slot, mask)) = done.out
                        && mask >> channel & 1 != 0
                    {
                        outputs.insert((slot, channel as u8), bits);
                    }
                    if done.test {
                        result = bits;
                    }
                }
                if let Role::Test(channel, comparison) = role {
                    predicates[*channel] = float::compare(comparison.code(), values[*channel]);
                }
            }
            Slot::Fetch(of, register) => {
                let done = &code.operations[*of];
                let operands = point.operands(done);
                if let Does::Fetch(fetch) = done.does {
                    let at = [0, 1, 2].map(|n| operands.get(n).copied().unwrap_or(0));
                    let texels = (inputs.fetch)(fetch, at);
                    for (channel, value) in done.results.iter().enumerate() {
                        if value.is_some_and(|value| schedule.places[value].is_some()) {
                            point.registers[usize::from(*register)][channel] = texels[channel];
                        }
                    }
                }
            }
            Slot::Kill(all) => {
                let kills = |of: &usize| point.operands(&code.operations[*of]);
                if all.iter().flat_map(kills).any(float::kills) {
                    return Ok(Outcome::killed());
                }
            }
            Slot::Flow(block) => {
                holds = code.ends[*block].test.is_none_or(|(comparison, fails)| {
                    float::compare(comparison.code(), result) != fails
                });
            }
        }
        n = way.next(n, holds)?;
        // An iteration begins: its first block follows the one that ends with the loop's start.
        if let Some(Slot::Flow(block)) =
            n.checked_sub(1).and_then(|start| schedule.slots.get(start))
            && let Control::Loop(_) = controls[n - 1]
        {
            point.constants.iterations[block + 1] = way.iteration();
        }
    }
    Ok(Outcome::of(outputs))
}

impl Point<'_> {
    /// The operands of an operation, from the registers of their values.
    fn operands(&self, operation: &Operation) -> Vec<u32> {
        let value = |value: ValueId| match self.schedule.places[value] {
            Some((register, channel)) => {
                self.registers[usize::from(register)][usize::from(channel)]
            }
            None => UNKNOWN,
        };
        operation.operands.iter().map(|one| self.constants.operand(one, &value)).collect()
    }

    /// The results of an instruction, by channel.
    fn values(&self, packed: &Packed, by_sources: bool) -> Result<[u32; 4], Stuck> {
        if by_sources {
            return self.lanes(packed);
        }
        let mut values = [0; 4];
        for channel in channels(packed.results) {
            let Some(member) = packed.members[channel] else { continue };
            let done = &self.schedule.code.operations[member.operation];
            values[channel] = operation(done, &self.operands(done), self.zero_times)?;
        }
        Ok(values)
    }

    /// The results of the lanes, from the sources.
    fn lanes(&self, packed: &Packed) -> Result<[u32; 4], Stuck> {
        let operands = &packed.operands;
        let mut sources = [[0; 4]; 4];
        for channel in 0..4 {
            let held = |n: usize| match &operands.sources[n][channel / 3] {
                Address::Free => 0,
                Address::Temp(register) => self.registers[usize::from(*register)][channel],
                Address::Constants(held) => {
                    held[channel % 3].map_or(0, |held| self.constants.bits(held))
                }
            };
            let [a, b, c] = [0, 1, 2].map(held);
            let presub = operands.presub[channel / 3];
            let presub = presub.map_or(0, |presub| presubtract(presub, a, b));
            for (source, bits) in sources.iter_mut().zip([a, b, c, presub]) {
                source[channel] = bits;
            }
        }
        let lane_of = |input: &Input, at: usize| {
            let bits = match input.lanes[at] {
                Some(Lane::Channel(channel)) => {
                    sources[usize::from(input.source.unwrap_or(0))][usize::from(channel)]
                }
                Some(Lane::Number(number)) => (f32::from(number) / 2.0).to_bits(),
                None => 0,
            };
            modified(bits, input.neg, input.abs)
        };
        // By channel, inputs A, B, C.
        let input =
            |channel: usize| operands.inputs[channel / 3].map(|input| lane_of(&input, channel % 3));
        let inputs = [0, 1, 2, 3].map(input);
        let [a, b] = [0, 1].map(|side| inputs.map(|one| one[side]));
        let does = |n: usize| {
            let member = packed.members.iter().flatten().nth(n);
            member.map(|member| self.schedule.code.operations[member.operation].does)
        };
        let stuck = |op: AluOp| Stuck::Operation(does(0).unwrap_or(Does::Lane(op)));
        let one =
            |op: AluOp, channel: usize| lane(op, inputs[channel], self.zero_times).ok_or(stuck(op));
        let dot = match packed.ops[RGB] {
            Some(AluOp::Dp3) => float::dp3([a[0], a[1], a[2]], [b[0], b[1], b[2]], self.zero_times),
            Some(AluOp::Dp4) => float::dp4(a, b, self.zero_times),
            _ => 0,
        };
        let mut values = [0; 4];
        for (channels, unit) in [(3..4, ALPHA), (0..3, RGB)] {
            let Some(op) = packed.ops[unit] else { continue };
            for channel in channels {
                if unit == RGB && packed.members[channel].is_none() {
                    continue;
                }
                values[channel] = match op {
                    AluOp::Dp | AluOp::Dp3 | AluOp::Dp4 => dot,
                    // The raw result of the alpha unit.
                    AluOp::Sop => match packed.ops[ALPHA] {
                        Some(alpha) => one(alpha, 3)?,
                        None => 0,
                    },
                    _ => one(op, channel)?,
                };
            }
        }
        for (channel, bits) in values.iter_mut().enumerate() {
            let unit = channel / 3;
            if let Some(op) = packed.ops[unit] {
                *bits = finished(*bits, op, packed.omod[unit].0, packed.clamp[unit]);
            }
        }
        Ok(values)
    }
}
