//! Computations that make NaN or Inf from finite values, and denormals that are flushed.

use super::Check;
use super::hits::{Hits, Key, What};
use super::names::Told;
use crate::check::{Code, Finding};
use ctm_isa::float::{self, EXPONENT, FRACTION};
use ctm_isa::isa::{Alu, AluOp, FieldValue, LETTERS, Omod};
use ctm_machine::engine::groups::slots;
use ctm_machine::engine::reference::{LaneResult, Step};
use ctm_machine::launch::FloatMode;

fn is_finite(bits: u32) -> bool {
    bits & EXPONENT != EXPONENT
}

fn is_denormal(bits: u32) -> bool {
    bits & EXPONENT == 0 && bits & FRACTION != 0
}

/// The check for NaN and Inf.
pub struct NotFinite;

/// The check for denormals.
pub struct Flushed;

impl Check for NotFinite {
    fn step(&mut self, step: &Step<'_>, effective: &[u64; 4], hits: &mut Hits) {
        let made = |_: &Alu, result: &LaneResult, slot, channel: usize| {
            !is_finite(result.value[channel])
                && step.reads(slot, channel).all(|operand| is_finite(operand.bits))
        };
        add(step, effective, hits, Code::NotFinite, made, |what, bits| {
            let kind = if f32::from_bits(bits).is_nan() { "NaN" } else { "an infinity" };
            let message = format!("a computation makes {kind} from finite values");
            (message, format!("{what} is {}", f32::from_bits(bits)))
        });
    }
}

impl Check for Flushed {
    fn step(&mut self, step: &Step<'_>, effective: &[u64; 4], hits: &mut Hits) {
        let made = |alu: &Alu, result: &LaneResult, slot, channel| {
            // Moves with OMOD_DISABLED keep A and B.
            let unit = alu.unit_of(channel);
            let moves = unit.op.is_select() && unit.omod == Omod::Disabled;
            let mut reads = step
                .reads(slot, channel)
                .filter(|operand| operand.read.presubtract || !moves || operand.read.input == 2);
            reads.any(|operand| is_denormal(operand.bits))
                || underflows(step.launch.mode, alu, result, channel)
        };
        add(step, effective, hits, Code::Flushed, made, |what, _| {
            ("a denormal is flushed to zero".to_string(), what)
        });
    }
}

/// Adds the results for which `made` holds. `say` has the message and the label, from the operation
/// and the bits of the first one's result.
fn add(
    step: &Step<'_>,
    effective: &[u64; 4],
    hits: &mut Hits,
    code: Code,
    made: impl Fn(&Alu, &LaneResult, usize, usize) -> bool,
    say: impl Fn(String, u32) -> (String, String),
) {
    let Some(alu) = step.instruction.alu() else { return };
    let mut found = [0u64; 4];
    for slot in slots(step.before.covered()) {
        let Some(result) = step.result(slot) else { continue };
        for (channel, found) in found.iter_mut().enumerate() {
            let made = effective[channel] >> slot & 1 != 0 && made(alu, result, slot, channel);
            *found |= u64::from(made) << slot;
        }
    }
    let all = found.iter().fold(0, |all, found| all | found);
    let key = Key { code, pc: step.pc, what: What::Result };
    hits.add(step.before, all, key, 0, |slot| {
        let channel = (0..4).find(|&n| found[n] >> slot & 1 != 0).unwrap_or(0);
        let result = step.result(slot).copied().unwrap_or_default();
        let what = format!("{}: {}", LETTERS[channel], operation(alu, &result, channel));
        let (message, label) = say(what, result.value[channel]);
        let finding = Finding::new(code, Some(step.pc), "", message).label(label);
        move |_: &Told<'_>| finding.clone()
    });
}

/// An operation with its operands, such as "RCP of A = 0 (00000000)".
fn operation(alu: &Alu, result: &LaneResult, channel: usize) -> String {
    let (op, channel) = alu.computed(channel);
    let operand = |(n, name): (usize, &str)| {
        let bits = result.inputs[n][channel];
        format!("{name} = {} ({bits:08x})", f32::from_bits(bits))
    };
    let operands = ["A", "B", "C"].into_iter().enumerate();
    let operands = operands.filter(|(n, _)| op.operands() >> n & 1 != 0).map(operand);
    match op {
        // The other lanes' operands are not known here.
        AluOp::Dp3 | AluOp::Dp4 | AluOp::D2a => op.name().to_string(),
        op => format!("{} of {}", op.name(), operands.collect::<Vec<_>>().join(", ")),
    }
}

/// Whether a MAD, with its output modifier, has a result other than zero that became one.
fn underflows(mode: FloatMode, alu: &Alu, result: &LaneResult, channel: usize) -> bool {
    let unit = alu.unit_of(channel);
    if unit.op != AluOp::Mad || !float::is_zero(result.value[channel]) {
        return false;
    }
    let number = |bits: u32| f64::from(f32::from_bits(bits));
    let inputs = result.inputs.map(|input| input[channel]);
    let [a, b, c] = inputs.map(|input| number(float::ftz(input)));
    // In mode chip the product is exact; else it is rounded and flushed before the sum, and each may
    // vanish.
    let rounded = number(float::mul(inputs[0], inputs[1], false));
    let product = if mode == FloatMode::Chip { a * b } else { rounded };
    let sum = product + c;
    let lost = |exact: f64| exact != 0.0 && exact.abs() < f64::from(f32::MIN_POSITIVE);
    let factor = f64::from(float::FACTORS[unit.omod.code() as usize & 7]);
    (a * b).is_finite() && lost(a * b) && product == 0.0 || lost(sum) || lost(sum * factor)
}
