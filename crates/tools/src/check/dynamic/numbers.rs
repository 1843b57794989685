//! Computations that make NaN or Inf from finite values, and denormals that are flushed.

use super::Setting;
use super::hits::Hits;
use ctm_isa::float::{self, EXPONENT, FRACTION};
use ctm_isa::isa::{Access, Alu, AluOp, Instruction, Read, SourceKind, Whose};
use ctm_machine::engine::groups::slots;
use ctm_machine::engine::reference::{GroupState, LaneResult};

/// What makes two such results the same mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The instruction.
    pub pc: u32,
}

/// The first point's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// The channel.
    pub channel: u8,
    /// Inputs A, B, C of the channel, as float bits.
    pub inputs: [u32; 3],
    /// The result, as float bits.
    pub value: u32,
    /// The inputs that the operation reads, bit 0 A to bit 2 C.
    pub operands: u8,
    /// The operation.
    pub op: AluOp,
}

fn is_finite(bits: u32) -> bool {
    bits & EXPONENT != EXPONENT
}

fn is_denormal(bits: u32) -> bool {
    bits & EXPONENT == 0 && bits & FRACTION != 0
}

/// NaN and Inf.
pub struct NotFinite<'a> {
    setting: &'a Setting<'a>,
    pub hits: Hits<Key, Detail>,
}

/// Denormals.
pub struct Flushed<'a> {
    setting: &'a Setting<'a>,
    pub hits: Hits<Key, Detail>,
}

/// Adds the results that an instruction has made; `made` has the slots of each channel.
fn add(
    hits: &mut Hits<Key, Detail>,
    group: &GroupState,
    alu: &Alu,
    results: &[Option<LaneResult>],
    made: &[u64; 4],
) {
    let all = made.iter().fold(0, |all, made| all | made);
    let channels = (0..4).filter(|&n| made[n] != 0).fold(0, |mask, n| mask | 1 << n);
    hits.add(group, all, Key { pc: group.pc() }, channels, |slot| {
        let channel = (0..4).find(|&n| made[n] >> slot & 1 != 0).unwrap_or(0);
        detail(alu, &results[slot].unwrap_or_default(), channel)
    });
}

fn detail(alu: &Alu, result: &LaneResult, channel: usize) -> Detail {
    let (written, value) = (channel as u8, result.value[channel]);
    let (op, channel) = alu.computed(channel);
    let operands = op.operands();
    let inputs = result.inputs.map(|input| input[channel]);
    Detail { channel: written, inputs, value, operands, op }
}

/// The value of a source's channel before the instruction, as float bits.
fn source(setting: &Setting, group: &GroupState, slot: usize, read: &Read) -> u32 {
    let slot = match read.whose {
        Whose::Own => slot,
        Whose::Quad(n) => group.quad(slot)[n],
    };
    let channel = read.channel;
    if let Some(register) = read.register {
        return group.register(slot, register)[channel];
    }
    match read.source.kind() {
        SourceKind::Temp(_) => 0,
        SourceKind::Constant(n) => {
            let offset = if read.source.relative { group.al() } else { 0 };
            let n = i32::from(n).wrapping_add(offset) as usize & 255;
            setting.launch.constants.float[n][channel]
        }
        SourceKind::Inline(code) => float::inline_constant(code.into()),
    }
}

impl<'a> NotFinite<'a> {
    /// The check of a launch.
    pub fn new(setting: &'a Setting<'a>) -> NotFinite<'a> {
        NotFinite { setting, hits: Hits::new(setting.number) }
    }

    pub fn computed(
        &mut self,
        group: &GroupState,
        instruction: &Instruction,
        effective: &[u64; 4],
        results: &[Option<LaneResult>],
    ) {
        let Some(alu) = instruction.alu() else { return };
        let access = &self.setting.accesses[group.pc() as usize];
        let results_mask = instruction.results();
        let mask = [0, 1, 2, 3].map(|n| if results_mask >> n & 1 != 0 { EXPONENT } else { 0 });
        let mut suspects = 0;
        for (slot, result) in results.iter().enumerate() {
            let Some(LaneResult { value, .. }) = result else {
                continue;
            };
            let bad = |n: usize| value[n] & EXPONENT == EXPONENT && mask[n] != 0;
            suspects |= u64::from(bad(0) | bad(1) | bad(2) | bad(3)) << slot;
        }
        suspects &= group.covered();
        if suspects == 0 {
            return;
        }
        let mut made = [0; 4];
        for slot in slots(suspects) {
            let Some(result) = &results[slot] else { continue };
            for (channel, made) in made.iter_mut().enumerate() {
                let wanted = effective[channel] >> slot & 1 != 0;
                if wanted
                    && !is_finite(result.value[channel])
                    && self.finite(group, slot, access, channel)
                {
                    *made |= 1u64 << slot;
                }
            }
        }
        add(&mut self.hits, group, alu, results, &made);
    }

    /// Whether all sources of a channel are finite.
    fn finite(&self, group: &GroupState, slot: usize, access: &Access, channel: usize) -> bool {
        let finite = |read: &Read| is_finite(source(self.setting, group, slot, read));
        access.reads[channel].iter().all(finite)
    }
}

impl<'a> Flushed<'a> {
    /// The check of a launch.
    pub fn new(setting: &'a Setting<'a>) -> Flushed<'a> {
        Flushed { setting, hits: Hits::new(setting.number) }
    }

    pub fn computed(
        &mut self,
        group: &GroupState,
        instruction: &Instruction,
        effective: &[u64; 4],
        results: &[Option<LaneResult>],
    ) {
        let Some(alu) = instruction.alu() else { return };
        let access = &self.setting.accesses[group.pc() as usize];
        let mut flushed = [0u64; 4];
        let any = effective.iter().fold(0, |any, lanes| any | lanes);
        for slot in slots(any & group.covered()) {
            let Some(result) = &results[slot] else { continue };
            for (channel, flushed) in flushed.iter_mut().enumerate() {
                let flushes = effective[channel] >> slot & 1 != 0
                    && (self.reads_denormal(group, slot, alu, access, channel)
                        || underflows(alu, result, channel));
                *flushed |= u64::from(flushes) << slot;
            }
        }
        add(&mut self.hits, group, alu, results, &flushed);
    }

    /// Whether a channel's arithmetic reads a denormal. Moves with OMOD_DISABLED keep A and B.
    fn reads_denormal(
        &self,
        group: &GroupState,
        slot: usize,
        alu: &Alu,
        access: &Access,
        channel: usize,
    ) -> bool {
        let unit = alu.unit_of(channel);
        let moves = unit.op.is_select() && unit.omod == ctm_isa::isa::Omod::Disabled;
        let flushed = |read: &Read| read.presubtract || !moves || read.input == 2;
        let mut flushed = access.reads[channel].iter().filter(|read| flushed(read));
        flushed.any(|read| is_denormal(source(self.setting, group, slot, read)))
    }
}

/// Whether a MAD, with its output modifier, has a result other than zero that became one.
fn underflows(alu: &Alu, result: &LaneResult, channel: usize) -> bool {
    let unit = alu.unit_of(channel);
    if unit.op != AluOp::Mad || !float::is_zero(result.value[channel]) {
        return false;
    }
    let [a, b, c] =
        result.inputs.map(|input| f64::from(f32::from_bits(float::ftz(input[channel]))));
    let product = f64::from(f32::from_bits(float::mul(
        result.inputs[0][channel],
        result.inputs[1][channel],
        false,
    )));
    // The product is rounded and flushed before the sum, and each may vanish.
    let sum = product + c;
    let lost = |exact: f64| exact != 0.0 && exact.abs() < f64::from(f32::MIN_POSITIVE);
    let factor = f64::from(float::FACTORS[ctm_isa::isa::FieldValue::code(unit.omod) as usize & 7]);
    (a * b).is_finite() && lost(a * b) && product == 0.0 || lost(sum) || lost(sum * factor)
}
