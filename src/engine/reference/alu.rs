//! ALU and OUT arithmetic: sources, presubtract, inputs, operations, output modifiers.

use super::arithmetic::Arithmetic;
use super::group::GroupState;
use crate::float;
use crate::isa::{
    AlphaOp, Alu, FieldValue, Modifier, Omod, Presub, RgbOp, RgbUnit, Sel, Source, Swizzle, Usage,
};
use crate::launch::Constants;
use crate::ops::{Calc, Formula, SWITCH};

/// The values one slot computed in one instruction, all as float bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct LaneResult {
    /// RGB inputs A, B, C after swizzle and modifier (MDH and MDV: the neighbours' values).
    pub rgb_inputs: [[u32; 3]; 3],
    /// Alpha inputs A, B, C.
    pub alpha_inputs: [u32; 3],
    /// The RGB unit's result after output modifier and clamp; 0 if the unit is idle.
    pub rgb: [u32; 3],
    /// The alpha unit's result after output modifier and clamp; 0 if the unit is idle.
    pub alpha: u32,
}

/// Everything except the slot that an instruction's arithmetic depends on.
pub(super) struct AluContext<'a> {
    pub alu: &'a Alu,
    pub usage: &'a Usage,
    pub rgb_clamp: bool,
    pub alpha_clamp: bool,
    pub constants: &'a Constants,
    pub zero_times: bool,
}

impl AluContext<'_> {
    /// What an operation computes from the inputs A, B, C of a lane.
    fn calc<M: Arithmetic>(&self, calc: Calc, [a, b, c]: [u32; 3]) -> u32 {
        M::calc(calc)([a, b, c, 0], if self.zero_times { SWITCH } else { 0 })
    }
}

/// Sources 0 to 2 and srcp of a slot as conceptual vectors: r, g, b from the RGB unit's address,
/// a from the alpha unit's \[G 27\].
struct Sources([[u32; 4]; 4]);

impl Sources {
    fn read<M: Arithmetic>(context: &AluContext, group: &GroupState, slot: usize) -> Sources {
        let alu = context.alu;
        let vector = |n: usize| {
            let rgb = group.source(slot, alu.rgb.sources[n], context.constants);
            let alpha = group.source(slot, alu.alpha.sources[n], context.constants);
            [rgb[0], rgb[1], rgb[2], alpha[3]]
        };
        let [src0, src1, src2] = [vector(0), vector(1), vector(2)];
        let rgb = |lane: usize| presubtract::<M>(alu.rgb.presub, src0[lane], src1[lane]);
        let srcp = [rgb(0), rgb(1), rgb(2), presubtract::<M>(alu.alpha.presub, src0[3], src1[3])];
        Sources([src0, src1, src2, srcp])
    }

    fn lane(&self, sel: Sel, swizzle: Swizzle, modifier: Modifier) -> u32 {
        let vector = &self.0[sel.code() as usize];
        let value = match swizzle {
            Swizzle::R => vector[0],
            Swizzle::G => vector[1],
            Swizzle::B => vector[2],
            Swizzle::A => vector[3],
            Swizzle::Zero | Swizzle::Unused => 0,
            Swizzle::Half => float::HALF,
            Swizzle::One => float::ONE,
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
    let alu = context.alu;
    let sources = Sources::read::<M>(context, group, slot);
    let mut result = LaneResult {
        rgb_inputs: alu.rgb.inputs.map(|input| {
            input.swizzle.map(|swizzle| sources.lane(input.sel, swizzle, input.modifier))
        }),
        alpha_inputs: alu
            .alpha
            .inputs
            .map(|input| sources.lane(input.sel, input.swizzle, input.modifier)),
        ..LaneResult::default()
    };
    // DP4 reads the alpha unit's A and B through their own SEL and SWIZ, whatever that unit does.
    let [dot_a, dot_b, _] = result.alpha_inputs;
    neighbour_inputs(context, group, slot, &mut result);

    // SOP needs the alpha unit's raw result, and DP the RGB unit's. A valid instruction never has
    // both, so one of the two orders works.
    let (rgb, alpha) = if alu.rgb.op == RgbOp::Sop {
        let alpha = context.usage.alpha.then(|| alpha_operation::<M>(context, &result, 0));
        let rgb = context.usage.rgb.then(|| [alpha.unwrap_or(0); 3]);
        (rgb, alpha)
    } else {
        let rgb = context.usage.rgb.then(|| rgb_operation::<M>(context, &result, [dot_a, dot_b]));
        let scalar = rgb.map_or(0, |rgb| rgb[0]);
        let alpha = context.usage.alpha.then(|| alpha_operation::<M>(context, &result, scalar));
        (rgb, alpha)
    };

    if let Some(rgb) = rgb {
        let (omod, is_select) = (alu.rgb.omod, alu.rgb.op.is_select());
        result.rgb = rgb.map(|x| finish::<M>(x, omod, is_select, context.rgb_clamp));
    }
    if let Some(alpha) = alpha {
        let (omod, is_select) = (alu.alpha.omod, alu.alpha.op.is_select());
        result.alpha = finish::<M>(alpha, omod, is_select, context.alpha_clamp);
    }
    result
}

/// MDH and MDV: inputs A and C are source 0 of two points of the quad, with the inputs' modifiers.
fn neighbour_inputs(
    context: &AluContext,
    group: &GroupState,
    slot: usize,
    result: &mut LaneResult,
) {
    let alu = context.alu;
    let value = |slot: usize, source: Source| group.source(slot, source, context.constants);
    if context.usage.rgb && alu.rgb.op.is_neighbour() {
        let [first, right, below] = group.grouping.quad(slot);
        let second = if alu.rgb.op == RgbOp::Mdh { right } else { below };
        let RgbUnit { inputs, sources, .. } = &alu.rgb;
        for (input, point) in [(0, first), (2, second)] {
            let source = value(point, sources[0]);
            let modifier = inputs[input].modifier.code();
            result.rgb_inputs[input] =
                [source[0], source[1], source[2]].map(|x| float::modify(x, modifier));
        }
    }
    if context.usage.alpha && alu.alpha.op.is_neighbour() {
        let [first, right, below] = group.grouping.quad(slot);
        let second = if alu.alpha.op == AlphaOp::Mdh { right } else { below };
        for (input, point) in [(0, first), (2, second)] {
            let source = value(point, alu.alpha.sources[0]);
            let modifier = alu.alpha.inputs[input].modifier.code();
            result.alpha_inputs[input] = float::modify(source[3], modifier);
        }
    }
}

/// The raw result of the RGB unit, for every operation but SOP. `fourth` has the alpha unit's
/// inputs A and B, for DP4.
fn rgb_operation<M: Arithmetic>(
    context: &AluContext,
    inputs: &LaneResult,
    fourth: [u32; 2],
) -> [u32; 3] {
    let [a, b, c] = inputs.rgb_inputs;
    let zero_times = context.zero_times;
    let lanes = |calc| [0, 1, 2].map(|n| context.calc::<M>(calc, [a[n], b[n], c[n]]));
    match Formula::rgb(context.alu.rgb.op) {
        Formula::Calc(calc) => lanes(calc),
        Formula::Neighbour(_) => lanes(Calc::Mad),
        Formula::Dp3 => [M::dp3(a, b, zero_times); 3],
        Formula::Dp4 => {
            let a = [a[0], a[1], a[2], fourth[0]];
            let b = [b[0], b[1], b[2], fourth[1]];
            [M::dp4(a, b, zero_times); 3]
        }
        Formula::D2a => [M::d2a([a[0], a[1]], [b[0], b[1]], c[2], zero_times); 3],
        // In a verified program only idle units have reserved operations, and they do not compute.
        Formula::Other | Formula::Nothing => [0; 3],
    }
}

/// The raw result of the alpha unit. `dot` is the result that DP delivers.
fn alpha_operation<M: Arithmetic>(context: &AluContext, inputs: &LaneResult, dot: u32) -> u32 {
    match Formula::alpha(context.alu.alpha.op) {
        Formula::Calc(calc) => context.calc::<M>(calc, inputs.alpha_inputs),
        Formula::Neighbour(_) => context.calc::<M>(Calc::Mad, inputs.alpha_inputs),
        Formula::Dp3 | Formula::Dp4 | Formula::D2a | Formula::Other => dot,
        Formula::Nothing => 0,
    }
}

/// Output modifier and clamp. OMOD_DISABLED skips both. After an operation that computes something,
/// it acts as x1 without clamp.
fn finish<M: Arithmetic>(x: u32, omod: Omod, is_select: bool, clamp: bool) -> u32 {
    if omod == Omod::Disabled {
        return if is_select { x } else { M::finish(x, Omod::X1.code()) };
    }
    M::finish(x, omod.code() | (clamp as u32) << 3)
}
