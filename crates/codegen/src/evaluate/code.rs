//! The meaning of operations, before and after the copies into variables.

use super::blocks::UNKNOWN;
use super::flow::Way;
use super::{Constants, Inputs, Outcome, Stuck, operation};
use crate::code::{Code, Does, Operation, ValueId};
use crate::copies::LiveOut;
use crate::flow::Control;
use crate::ir::Ir;
use crate::placement::Placement;
use ctm_isa::float;
use ctm_isa::isa::{FieldValue, channels};
use std::collections::BTreeMap;

/// The operations of each block in an order in which they can run. What overwrites a variable comes as soon as it can, so
/// that what still reads the old value is found.
fn ordered(code: &Code) -> Vec<Vec<usize>> {
    let mut blocks: Vec<Vec<usize>> = vec![Vec::new(); code.ends.len()];
    for (n, operation) in code.operations.iter().enumerate() {
        blocks[operation.block].push(n);
    }
    for block in &mut blocks {
        let mut left = std::mem::take(block);
        let overwrites =
            |n: usize| code.operations[n].result().is_some_and(|v| code.values[v].fixed.is_some());
        left.sort_by_key(|n| (!overwrites(*n), *n));
        while !left.is_empty() {
            let waits = |operation: &Operation| {
                let made = operation.reads().filter_map(|value| code.values[value].made);
                made.chain(operation.after.iter().copied()).any(|before| left.contains(&before))
            };
            // Of a circle, which is a mistake, any.
            let next = left.iter().position(|n| !waits(&code.operations[*n])).unwrap_or(0);
            block.push(left.remove(next));
        }
    }
    blocks
}

/// The result of operations at a point. `live_outs`: the values that variables and conditions take at the ends of blocks,
/// before their copies are inserted.
pub fn run(
    ir: &Ir,
    placement: &Placement,
    code: &Code,
    live_outs: &[LiveOut],
    inputs: &Inputs<'_>,
) -> Result<Outcome, Stuck> {
    let zero_times = ir.graph.zero_times();
    let mut constants = Constants::of(ir, inputs);
    let mut values = vec![UNKNOWN; code.values.len()];
    let mut variables = vec![[UNKNOWN; 4]; code.registers];
    let mut outputs = BTreeMap::new();
    let order = ordered(code);
    let controls: Vec<Control> = code.ends.iter().map(|end| end.end).collect();
    let mut way = Way::of(&controls);
    let mut n = 0;
    while let Some(end) = code.ends.get(n) {
        constants.iterations[n] = way.iteration();
        let mut result = 0;
        for at in &order[n] {
            let done = &code.operations[*at];
            let read = |value: ValueId| read(code, &values, &variables, inputs, value);
            let operands: Vec<u32> =
                done.operands.iter().map(|operand| constants.operand(operand, &read)).collect();
            if let Does::Fetch(fetch) = done.does {
                let at = [0, 1, 2].map(|n| operands.get(n).copied().unwrap_or(0));
                let texels = (inputs.fetch)(fetch, at);
                for (value, texel) in done.results.iter().zip(texels) {
                    if let Some(value) = value {
                        values[*value] = texel;
                    }
                }
                continue;
            }
            if done.does == Does::Kill {
                if float::kills(operands[0]) {
                    return Ok(Outcome::killed());
                }
                continue;
            }
            let bits = operation(done, &operands, zero_times)?;
            if let Some(value) = done.result() {
                match code.values[value].fixed {
                    Some((register, channel)) => {
                        variables[usize::from(register)][usize::from(channel)] = bits;
                    }
                    None => values[value] = bits,
                }
            }
            if let Some((slot, mask)) = done.out {
                outputs.extend(channels(mask).map(|channel| ((slot, channel as u8), bits)));
            }
            if done.test {
                result = bits;
            }
        }
        let mut assigned = Vec::new();
        for live_out in live_outs.iter().filter(|live_out| live_out.block == n) {
            let read = |value: ValueId| read(code, &values, &variables, inputs, value);
            let bits = constants.operand(&live_out.operand, &read);
            match live_out.variable {
                Some(variable) => assigned.push((placement.places[variable], bits)),
                None => result = bits,
            }
        }
        for ((register, channel), bits) in assigned {
            variables[usize::from(register)][usize::from(channel)] = bits;
        }
        let holds = end
            .test
            .is_none_or(|(comparison, fails)| float::compare(comparison.code(), result) != fails);
        n = way.next(n, holds)?;
    }
    Ok(Outcome::of(outputs))
}

/// The bits of a value: a variable's are those in its register.
fn read(
    code: &Code,
    values: &[u32],
    variables: &[[u32; 4]],
    inputs: &Inputs<'_>,
    value: ValueId,
) -> u32 {
    let at = &code.values[value];
    match (at.fixed, at.input) {
        (Some((register, channel)), _) => variables[usize::from(register)][usize::from(channel)],
        (None, Some((slot, channel))) => inputs.varyings[slot as usize][usize::from(channel)],
        (None, None) => values[value],
    }
}
