//! Random ALU and OUT instructions.

use ctm_base::random::Random;
use ctm_isa::isa::{
    ALPHA, ALPHA_OPS, AluOp, AluResultSel, Body, Common, Comparison, FieldValue, Input,
    Instruction, Modifier, Omod, PredSel, Presub, RGB, RGB_OPS, Sel, Source, Swizzle, Type, Usage,
};

/// The registers and features that instructions may use.
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

impl Pool {
    /// A pool for programs that neither fetch nor address relative to aL, with all outputs.
    pub(super) fn plain(temps: u32, predicates: bool, neighbours: bool) -> Pool {
        Pool {
            temps,
            constants: 6,
            relative: false,
            predicates,
            outputs: 15,
            inputs: 0,
            umrt: false,
            own_value: false,
            neighbours,
        }
    }

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
        common.wmask = mask(random, 70);
        common.write_inactive = random.chance(5);
        common.clamp = [random.chance(12), random.chance(12)];
        for unit in 0..2 {
            if self.predicates && random.chance(30) {
                common.pred_sel[unit] = PredSel::from_code(random.range(0, 5));
                common.pred_inv[unit] = random.chance(40);
            }
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
                common.omask = if random.chance(60) { 15 } else { 0 };
            }
            Type::Out if self.outputs != 0 => common.omask = mask(random, 70),
            Type::Alu if self.predicates && random.chance(25) => common.omask = mask(random, 40),
            _ => {}
        }
        instruction.common = common;
        if let Body::Alu(alu) = &mut instruction.body {
            let [rgb, alpha] = &mut alu.units;
            for n in 0..3 {
                rgb.sources[n] = self.source(random);
                // Often one register for both units, as in real programs.
                alpha.sources[n] =
                    if random.chance(40) { rgb.sources[n] } else { self.source(random) };
                rgb.inputs[n] = rgb_input(random);
                alpha.inputs[n].sel = sel(random);
                alpha.inputs[n].swizzle[0] = swizzle(random);
                alpha.inputs[n].modifier = modifier(random);
            }
            for unit in [&mut *rgb, &mut *alpha] {
                unit.presub = Presub::from_code(random.below(4));
            }
            rgb.op = operation(random, RGB, |_| true);
            alpha.op = operation(random, ALPHA, |_| true);
            for unit in [&mut *rgb, &mut *alpha] {
                if !self.neighbours && unit.op.is_neighbour() {
                    unit.op = AluOp::Mad;
                }
            }
            if rgb.op == AluOp::Sop && !alpha.op.is_transcendental() {
                alpha.op = operation(random, ALPHA, AluOp::is_transcendental);
            } else if alpha.op == AluOp::Dp && !rgb.op.is_dot() {
                rgb.op = operation(random, RGB, AluOp::is_dot);
            }
            for unit in [&mut *rgb, &mut *alpha] {
                unit.omod = omod(random, unit.op.is_select());
            }
            rgb.dest = self.temp(random);
            alpha.dest = if random.chance(50) { rgb.dest } else { self.temp(random) };
            for unit in &mut alu.units {
                unit.dest_rel = self.relative && random.chance(10);
            }
            for unit in &mut alu.units {
                unit.target = self.target(random, class);
            }
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
        for (n, lanes) in usage.inputs.into_iter().enumerate() {
            for channel in (0..4).filter(|channel| lanes >> channel & 1 == 0) {
                alu.units[channel / 3].inputs[n].swizzle[channel % 3] = Swizzle::Unused;
            }
        }
        if !usage.units[RGB] {
            alu.units[RGB].op = random.pick(&[AluOp::Reserved(6), AluOp::Reserved(13), AluOp::Sop]);
        }
        if !usage.units[ALPHA] {
            alu.units[ALPHA].op = random.pick(&[AluOp::Reserved(4), AluOp::Dp]);
        }
    }
}

pub(super) fn inline_code(random: &mut Random) -> u8 {
    match random.below(3) {
        // Denormal codes, 0.5, 1, 2.
        0 => random.pick(&[0, 1, 4, 7, 8, 48, 56, 64]),
        _ => random.below(128) as u8,
    }
}

/// A mask of channels: of R, G, B all, none, or any; A with a chance of `alpha` percent.
pub(super) fn mask(random: &mut Random, alpha: u32) -> u8 {
    let rgb = match random.weighted(&[50, 20, 30]) {
        0 => 7,
        1 => 0,
        _ => random.below(8) as u8,
    };
    rgb | (random.chance(alpha) as u8) << 3
}

/// An operation of a unit for which a condition holds.
fn operation(random: &mut Random, unit: usize, fits: impl Fn(AluOp) -> bool) -> AluOp {
    let codes = [RGB_OPS, ALPHA_OPS][unit].iter();
    let all = codes.map(|code| AluOp::from_code(unit, code.code.into()));
    random.pick(&all.filter(|&op| fits(op)).collect::<Vec<_>>())
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

fn rgb_input(random: &mut Random) -> Input {
    Input {
        sel: sel(random),
        swizzle: match random.weighted(&[35, 65]) {
            0 => [Swizzle::R, Swizzle::G, Swizzle::B],
            _ => [swizzle(random), swizzle(random), swizzle(random)],
        },
        modifier: modifier(random),
    }
}

pub(super) fn omod(random: &mut Random, select: bool) -> Omod {
    match random.weighted(if select { &[30, 30, 40] } else { &[50, 47, 3] }) {
        0 => Omod::X1,
        1 => Omod::from_code(random.below(7)),
        _ => Omod::Disabled,
    }
}

/// The swizzle of each unit under which a lane reads its own channel.
pub(super) const IDENTITY: [[Swizzle; 3]; 2] =
    [[Swizzle::R, Swizzle::G, Swizzle::B], [Swizzle::A, Swizzle::R, Swizzle::R]];

/// A bit-exact move of temporary `temp`: to output `target` for an OUT, else to temporary `dest`.
pub(super) fn exact_move(class: Type, temp: u8, target: u8, dest: Option<u8>) -> Instruction {
    let mut instruction = Instruction::blank(class);
    instruction.common.tex_sem_wait = true;
    if class == Type::Out {
        instruction.common.omask = 15;
    }
    if dest.is_some() {
        instruction.common.wmask = 15;
    }
    if let Body::Alu(alu) = &mut instruction.body {
        let source = Source { addr: temp, constant: false, relative: false };
        for (unit, identity) in alu.units.iter_mut().zip(IDENTITY) {
            unit.sources = [source, Source::UNUSED, Source::UNUSED];
            unit.op = AluOp::Max;
            unit.inputs[0].swizzle = identity;
            unit.inputs[1].swizzle = identity;
            unit.omod = Omod::Disabled;
            unit.target = target;
            unit.dest = dest.unwrap_or(0);
        }
    }
    instruction
}
