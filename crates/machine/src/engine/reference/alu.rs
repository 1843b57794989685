//! ALU and OUT arithmetic: sources, presubtract, inputs, operations, output modifiers.

use super::arithmetic::Arithmetic;
use super::group::GroupState;
use crate::launch::Constants;
use ctm_isa::float;
use ctm_isa::isa::{
    ALPHA, Alu, AluOp, FieldValue, Instruction, Modifier, Omod, Presub, RGB, Sel, Swizzle, Usage,
};
use ctm_isa::ops::{Calc, Formula, SWITCH};

/// The values one slot computed in one instruction, all as float bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct LaneResult {
    /// Inputs A, B, C after swizzle and modifier (MDH and MDV: the neighbours' values), by
    /// channel.
    pub inputs: [[u32; 4]; 3],
    /// Inputs A and B of the alpha unit as DP4 reads them: without the neighbours' values.
    pub dot: [u32; 2],
    /// The result after output modifier and clamp, by channel; 0 where the unit is idle.
    pub value: [u32; 4],
}

impl LaneResult {
    /// The value that an operation read in a lane of input A, B or C (0 to 2).
    pub fn input(&self, op: AluOp, input: usize, lane: usize) -> u32 {
        match (op, lane, self.dot.get(input)) {
            (AluOp::Dp4, 3, Some(&alpha)) => alpha,
            _ => self.inputs[input][lane],
        }
    }
}

/// Everything except the slot that an instruction's arithmetic depends on.
pub(super) struct AluContext<'a> {
    pub instruction: &'a Instruction,
    pub alu: &'a Alu,
    pub usage: &'a Usage,
    pub constants: &'a Constants,
    pub zero_times: bool,
    /// Whether an input reads srcp.
    pub presubtracts: bool,
}

/// Sources 0 to 2 and srcp of a slot as conceptual vectors: r, g, b from the RGB unit's address,
/// a from the alpha unit's \[G 27\].
struct Sources([[u32; 4]; 4]);

impl Sources {
    fn read<M: Arithmetic>(context: &AluContext, group: &GroupState, slot: usize) -> Sources {
        let alu = context.alu;
        let mut vectors = [[0; 4]; 4];
        for (n, vector) in vectors.iter_mut().enumerate().take(3) {
            let source = |unit: usize| {
                let source = alu.units[unit].sources[n];
                group.source(slot, context.instruction, source, context.constants)
            };
            *vector = source(RGB);
            vector[3] = source(ALPHA)[3];
        }
        if context.presubtracts {
            for channel in 0..4 {
                let presub = alu.unit_of(channel).presub;
                let [src0, src1, ..] = vectors.map(|vector| vector[channel]);
                vectors[3][channel] = presubtract::<M>(presub, src0, src1);
            }
        }
        Sources(vectors)
    }

    fn lane(&self, sel: Sel, swizzle: Swizzle, modifier: Modifier) -> u32 {
        let value = match (swizzle, swizzle.channel()) {
            (_, Some(channel)) => self.0[sel.code() as usize][channel],
            (Swizzle::Half, _) => float::HALF,
            (Swizzle::One, _) => float::ONE,
            _ => 0,
        };
        float::modify(value, modifier.code())
    }
}

fn presubtract<M: Arithmetic>(op: Presub, src0: u32, src1: u32) -> u32 {
    match op {
        Presub::Bias => M::presub_bias(src0),
        Presub::Sub => M::presub_sub(src0, src1),
        Presub::Add => M::presub_add(src0, src1),
        Presub::Inv => M::presub_inv(src0),
    }
}

/// Computes an instruction for one slot. It only reads: the slot's state does not change.
pub(super) fn evaluate<M: Arithmetic>(
    context: &AluContext,
    group: &GroupState,
    slot: usize,
) -> LaneResult {
    let (alu, zero_times) = (context.alu, context.zero_times);
    let sources = Sources::read::<M>(context, group, slot);
    let mut inputs = [[0; 4]; 3];
    for (input, lanes) in inputs.iter_mut().enumerate() {
        for (channel, lane) in lanes.iter_mut().enumerate() {
            let (sel, swizzle, modifier) = alu.lane(input, channel);
            *lane = sources.lane(sel, swizzle, modifier);
        }
    }
    // DP4 reads the alpha unit's A and B through their own SEL and SWIZ, whatever that unit does.
    let [dot_a, dot_b, _] = inputs;
    neighbour_inputs(context, group, slot, &mut inputs);

    let [a, b, c] = inputs;
    let lane = |op: AluOp, n: usize, scalar: u32| {
        operation::<M>(op, [a[n], b[n], c[n]], scalar, zero_times)
    };
    let [rgb, alpha] = alu.units.map(|unit| unit.op);
    let dot = match Formula::of(rgb) {
        Formula::Dp3 => M::dp3([a[0], a[1], a[2]], [b[0], b[1], b[2]], zero_times),
        Formula::Dp4 => M::dp4(dot_a, dot_b, zero_times),
        Formula::D2a => M::d2a([a[0], a[1]], [b[0], b[1]], c[2], zero_times),
        Formula::Calc(_) | Formula::Neighbour(_) | Formula::Other | Formula::Nothing => 0,
    };
    // SOP needs the alpha unit's raw result, and DP the RGB unit's. A valid instruction never has
    // both.
    let mut value = [0; 4];
    if context.usage.units[ALPHA] {
        value[3] = lane(alpha, 3, dot);
    }
    if context.usage.units[RGB] {
        let scalar = if rgb == AluOp::Sop { value[3] } else { dot };
        for (n, value) in value.iter_mut().enumerate().take(3) {
            *value = lane(rgb, n, scalar);
        }
    }
    for (channel, value) in value.iter_mut().enumerate() {
        if context.usage.units[channel / 3] {
            let unit = alu.unit_of(channel);
            let clamp = context.instruction.common.clamp[channel / 3];
            *value = finish::<M>(*value, unit.omod, unit.op.is_select(), clamp);
        }
    }
    LaneResult { inputs, dot: [dot_a[3], dot_b[3]], value }
}

/// MDH and MDV: inputs A and C are source 0 of two points of the quad, with the inputs' modifiers.
fn neighbour_inputs(
    context: &AluContext,
    group: &GroupState,
    slot: usize,
    inputs: &mut [[u32; 4]; 3],
) {
    for channel in 0..4 {
        let unit = context.alu.unit_of(channel);
        if !context.usage.units[channel / 3] || !unit.op.is_neighbour() {
            continue;
        }
        let [first, right, below] = group.grouping.quad(slot);
        let second = if unit.op == AluOp::Mdh { right } else { below };
        for (input, point) in [(0, first), (2, second)] {
            let source =
                group.source(point, context.instruction, unit.sources[0], context.constants);
            let modifier = unit.inputs[input].modifier.code();
            inputs[input][channel] = float::modify(source[channel], modifier);
        }
    }
}

/// The raw result of one lane. `scalar` is the result that all lanes of a dot product and of SOP
/// have, and that DP delivers.
fn operation<M: Arithmetic>(op: AluOp, [a, b, c]: [u32; 3], scalar: u32, zero_times: bool) -> u32 {
    let calc = match Formula::of(op) {
        Formula::Calc(calc) => calc,
        Formula::Neighbour(_) => Calc::Mad,
        Formula::Dp3 | Formula::Dp4 | Formula::D2a | Formula::Other => return scalar,
        // In a verified program only idle units have reserved operations, and they do not compute.
        Formula::Nothing => return 0,
    };
    M::calc(calc)([a, b, c, 0], if zero_times { SWITCH } else { 0 })
}

/// Output modifier and clamp. OMOD_DISABLED skips both. After an operation that computes something,
/// it acts as x1 without clamp.
fn finish<M: Arithmetic>(x: u32, omod: Omod, is_select: bool, clamp: bool) -> u32 {
    if omod == Omod::Disabled {
        return if is_select { x } else { M::finish(x, Omod::X1.code()) };
    }
    M::finish(x, omod.code() | (clamp as u32) << 3)
}
