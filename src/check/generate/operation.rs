//! Random ALU and OUT instructions.

use crate::check::random::Random;
use crate::isa::{
    ALPHA_OPS, AlphaOp, AluResultSel, Body, Code, Common, Comparison, FieldValue, Instruction,
    Modifier, Omod, PredSel, Presub, RGB_OPS, RgbInput, RgbOp, Sel, Source, Swizzle, Type, Usage,
};

/// What instructions may use.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    /// The number of temporaries that are written and read often.
    pub temps: u32,
    /// The number of constants with values.
    pub constants: u32,
    /// Whether sources, destinations and coordinates may be relative to aL.
    pub relative: bool,
    /// Whether predicates are used.
    pub predicates: bool,
    /// Outputs that may be written, bit n; 0: no OUT with a mask.
    pub outputs: u8,
    /// Inputs that may be fetched from, bit n.
    pub inputs: u16,
    /// Whether the program's outputs are uncached writes.
    pub umrt: bool,
    /// Whether points write their own conditional value.
    pub own_value: bool,
    /// Whether MDH and MDV are used.
    pub neighbours: bool,
}

/// The opcodes of a list for which a condition holds.
fn all<T: FieldValue>(codes: &[Code], fits: impl Fn(&T) -> bool) -> Vec<T> {
    codes.iter().map(|code| T::from_code(code.code.into())).filter(fits).collect()
}

impl Pool {
    /// A temporary: usually one of the few, rarely any.
    pub(super) fn temp(&self, random: &mut Random) -> u8 {
        if random.chance(3) { random.below(128) as u8 } else { random.below(self.temps) as u8 }
    }

    fn source(&self, random: &mut Random) -> Source {
        let relative = self.relative && random.chance(15);
        match random.weighted(&[55, 25, 20]) {
            1 => Source {
                addr: if random.chance(5) {
                    random.bits() as u8
                } else {
                    random.below(self.constants) as u8
                },
                constant: true,
                relative,
            },
            2 => Source { addr: 0x80 | inline_code(random), constant: false, relative: false },
            _ => Source { addr: self.temp(random), constant: false, relative },
        }
    }

    /// Word 0 for a class: masks, predicates, clamps, including fields without effect.
    pub(super) fn common(&self, random: &mut Random, class: Type) -> Common {
        let mut common = Instruction::blank(class).common;
        common.tex_sem_wait = random.chance(50);
        common.last = random.chance(5);
        common.nop = random.chance(10);
        common.alu_wait = random.chance(10);
        common.stat_we = if random.chance(5) { random.below(16) as u8 } else { 0 };
        common.rgb_wmask = mask(random);
        common.alpha_wmask = random.chance(70);
        common.write_inactive = random.chance(5);
        common.rgb_clamp = random.chance(12);
        common.alpha_clamp = random.chance(12);
        if self.predicates && random.chance(30) {
            common.rgb_pred_sel = PredSel::from_code(random.range(0, 5));
            common.rgb_pred_inv = random.chance(40);
        }
        if self.predicates && random.chance(30) {
            common.alpha_pred_sel = PredSel::from_code(random.range(0, 5));
            common.alpha_pred_inv = random.chance(40);
        }
        common
    }

    /// An ALU or OUT instruction.
    pub(super) fn alu(&self, random: &mut Random, class: Type) -> Instruction {
        let mut instruction = Instruction::blank(class);
        let mut common = self.common(random, class);
        common.alu_result_sel = random.pick(&[AluResultSel::Red, AluResultSel::Alpha]);
        common.alu_result_op = Comparison::from_code(random.below(4));
        match class {
            Type::Out if self.umrt => {
                let all = random.chance(60);
                common.rgb_omask = if all { 7 } else { 0 };
                common.alpha_omask = all;
            }
            Type::Out if self.outputs != 0 => {
                common.rgb_omask = mask(random);
                common.alpha_omask = random.chance(70);
            }
            Type::Alu if self.predicates && random.chance(25) => {
                common.rgb_omask = mask(random);
                common.alpha_omask = random.chance(40);
            }
            _ => {}
        }
        instruction.common = common;
        if let Body::Alu(alu) = &mut instruction.body {
            for n in 0..3 {
                alu.rgb.sources[n] = self.source(random);
                // Often one register for both units, as in real programs.
                alu.alpha.sources[n] =
                    if random.chance(40) { alu.rgb.sources[n] } else { self.source(random) };
                alu.rgb.inputs[n] = rgb_input(random);
                alu.alpha.inputs[n].sel = sel(random);
                alu.alpha.inputs[n].swizzle = swizzle(random);
                alu.alpha.inputs[n].modifier = modifier(random);
            }
            alu.rgb.presub = Presub::from_code(random.below(4));
            alu.alpha.presub = Presub::from_code(random.below(4));
            alu.rgb.op = random.pick(&all(RGB_OPS, |_| true));
            alu.alpha.op = random.pick(&all(ALPHA_OPS, |_| true));
            if !self.neighbours {
                if alu.rgb.op.is_neighbour() {
                    alu.rgb.op = RgbOp::Mad;
                }
                if alu.alpha.op.is_neighbour() {
                    alu.alpha.op = AlphaOp::Mad;
                }
            }
            if alu.rgb.op == RgbOp::Sop && !alu.alpha.op.is_transcendental() {
                alu.alpha.op = random.pick(&all(ALPHA_OPS, |op: &AlphaOp| op.is_transcendental()));
            } else if alu.alpha.op == AlphaOp::Dp && !alu.rgb.op.is_dot() {
                alu.rgb.op = random.pick(&all(RGB_OPS, |op: &RgbOp| op.is_dot()));
            }
            alu.rgb.omod = omod(random, alu.rgb.op.is_select());
            alu.alpha.omod = omod(random, alu.alpha.op.is_select());
            alu.rgb.dest = self.temp(random);
            alu.alpha.dest = if random.chance(50) { alu.rgb.dest } else { self.temp(random) };
            alu.rgb.dest_rel = self.relative && random.chance(10);
            alu.alpha.dest_rel = self.relative && random.chance(10);
            alu.rgb.target = self.target(random, class);
            alu.alpha.target = self.target(random, class);
            alu.alu_wmask = class == Type::Alu && random.chance(15) || random.chance(3);
            alu.w_omask = self.own_value && random.chance(20);
        }
        self.spoil_idle(random, &mut instruction);
        instruction
    }

    fn target(&self, random: &mut Random, class: Type) -> u8 {
        let mut target = random.below(4) as u8;
        if class == Type::Out && !self.umrt {
            // Only outputs that exist; if there are none, the mask is empty.
            while self.outputs & 15 != 0 && self.outputs >> target & 1 == 0 {
                target = (target + 1) & 3;
            }
        }
        target
    }

    /// Puts invalid codes into fields that have no effect; they must not matter.
    fn spoil_idle(&self, random: &mut Random, instruction: &mut Instruction) {
        let Some(usage) = Usage::of(instruction) else {
            return;
        };
        let spoil = random.chance(10);
        let Body::Alu(alu) = &mut instruction.body else {
            return;
        };
        if !spoil {
            return;
        }
        for (input, lanes) in alu.rgb.inputs.iter_mut().zip(usage.rgb_lanes) {
            for (lane, swizzle) in input.swizzle.iter_mut().enumerate() {
                if lanes >> lane & 1 == 0 {
                    *swizzle = Swizzle::Unused;
                }
            }
        }
        for (input, used) in alu.alpha.inputs.iter_mut().zip(usage.alpha_inputs) {
            if !used {
                input.swizzle = Swizzle::Unused;
            }
        }
        if !usage.rgb {
            alu.rgb.op = random.pick(&[RgbOp::Reserved(6), RgbOp::Reserved(13), RgbOp::Sop]);
        }
        if !usage.alpha {
            alu.alpha.op = random.pick(&[AlphaOp::Reserved(4), AlphaOp::Dp]);
        }
    }
}

fn inline_code(random: &mut Random) -> u8 {
    match random.below(3) {
        // Denormal codes, 0.5, 1, 2.
        0 => random.pick(&[0, 1, 4, 7, 8, 48, 56, 64]),
        _ => random.below(128) as u8,
    }
}

/// A mask of three channels: all, none, or any.
fn mask(random: &mut Random) -> u8 {
    match random.weighted(&[50, 20, 30]) {
        0 => 7,
        1 => 0,
        _ => random.below(8) as u8,
    }
}

fn sel(random: &mut Random) -> Sel {
    Sel::from_code(random.below(4))
}

fn swizzle(random: &mut Random) -> Swizzle {
    match random.weighted(&[75, 25]) {
        0 => Swizzle::from_code(random.below(4)),
        _ => Swizzle::from_code(random.range(4, 6)),
    }
}

fn modifier(random: &mut Random) -> Modifier {
    match random.weighted(&[55, 45]) {
        0 => Modifier::Nop,
        _ => Modifier::from_code(random.below(4)),
    }
}

fn rgb_input(random: &mut Random) -> RgbInput {
    RgbInput {
        sel: sel(random),
        swizzle: match random.weighted(&[35, 65]) {
            0 => [Swizzle::R, Swizzle::G, Swizzle::B],
            _ => [swizzle(random), swizzle(random), swizzle(random)],
        },
        modifier: modifier(random),
    }
}

fn omod(random: &mut Random, select: bool) -> Omod {
    match random.weighted(if select { &[30, 30, 40] } else { &[50, 47, 3] }) {
        0 => Omod::X1,
        1 => Omod::from_code(random.below(7)),
        _ => Omod::Disabled,
    }
}

/// A bit-exact move of temporary `temp`: to output `target` for an OUT, else to temporary `dest`.
pub(super) fn exact_move(class: Type, temp: u8, target: u8, dest: Option<u8>) -> Instruction {
    let mut instruction = Instruction::blank(class);
    instruction.common.tex_sem_wait = true;
    if class == Type::Out {
        instruction.common.rgb_omask = 7;
        instruction.common.alpha_omask = true;
    }
    if dest.is_some() {
        instruction.common.rgb_wmask = 7;
        instruction.common.alpha_wmask = true;
    }
    if let Body::Alu(alu) = &mut instruction.body {
        let source = Source { addr: temp, constant: false, relative: false };
        alu.rgb.sources = [source, Source::UNUSED, Source::UNUSED];
        alu.alpha.sources = [source, Source::UNUSED, Source::UNUSED];
        alu.rgb.op = RgbOp::Max;
        alu.alpha.op = AlphaOp::Max;
        for n in 0..2 {
            alu.rgb.inputs[n].swizzle = [Swizzle::R, Swizzle::G, Swizzle::B];
            alu.alpha.inputs[n].swizzle = Swizzle::A;
        }
        alu.rgb.omod = Omod::Disabled;
        alu.alpha.omod = Omod::Disabled;
        alu.rgb.target = target;
        alu.alpha.target = target;
        alu.rgb.dest = dest.unwrap_or(0);
        alu.alpha.dest = dest.unwrap_or(0);
    }
    instruction
}
