//! Programs about numbers: denormals and the tiny factors that make them, in everything that makes,
//! flushes, keeps or compares them.
//!
//! Engines may look far ahead: chains of operations, moves of constants, predicates, kills, neighbours,
//! fetches; in most programs through branches, loops and calls, too.

mod flow;

use super::operation::{IDENTITY, Pool, exact_move, inline_code, mask, omod};
use super::surfaces::Places;
use super::{program, us_config};
use crate::crosscheck::case::Case;
use ctm_base::random::Random;
use ctm_isa::isa::{
    ALPHA, AluOp, Body, Channel, Comparison, FieldValue, Instruction, Modifier, Omod, PredSel,
    Presub, RGB, Sel, Source, Swizzle, TexOp, Type,
};
use ctm_machine::launch::{Constants, Domain, Initial, IntConstant, Launch};
use ctm_machine::memory::{Format, Tiling};
use std::sync::Arc;

/// The temporaries of a program.
const TEMPS: u32 = 6;

/// The constants of a program.
const CONSTANTS: u32 = 6;

/// The inputs of a program that has some.
const INPUTS: u32 = 3;

/// The temporary that the subroutine writes last.
const RETURNED: u8 = 5;

/// The numbers that a program starts with.
#[derive(Clone, Copy)]
enum Numbers {
    /// Denormals, factors whose products underflow, and numbers around 1.
    Tiny,
    /// 0, or from 2^-16 to 2^16 in magnitude.
    Middling,
    /// Hard ones for any arithmetic.
    Hard,
}

impl Numbers {
    fn any(random: &mut Random) -> Numbers {
        random.pick(&[Numbers::Tiny, Numbers::Tiny, Numbers::Middling, Numbers::Hard])
    }

    fn number(self, random: &mut Random) -> u32 {
        let sign = random.bits() & 0x8000_0000;
        let fraction = random.pick(&[0, 0, 1, 0x40_0000, 0x60_0000, 0x7f_ffff, 0x12_3456]);
        let near_one = [0x3f80_0000, 0x3f00_0000, 0x3f40_0000, 0x4000_0000, 0x4040_0000];
        match (self, random.weighted(&[22, 34, 12, 22, 10])) {
            (Numbers::Hard, _) => random.hard(),
            (_, 2) => sign,
            (_, 3) => sign | random.pick(&near_one),
            (Numbers::Middling, _) => sign | random.range(111, 142) << 23 | fraction,
            (Numbers::Tiny, 0) => sign | ((random.bits() & 0x7f_ffff) >> random.below(23)).max(1),
            // The products of two of these are next to 2^-126 and 2^-149.
            (Numbers::Tiny, 1) => {
                let exponents = [
                    1, 1, 2, 3, 13, 24, 25, 26, 27, 52, 53, 62, 63, 64, 65, 76, 101, 102, 103, 114,
                ];
                sign | random.pick(&exponents) << 23 | fraction
            }
            (Numbers::Tiny, _) => random.hard(),
        }
    }

    /// A word of a surface.
    fn texel(self, random: &mut Random, format: Format) -> u32 {
        match format.bytes_per_channel() {
            4 => self.number(random),
            // Zeros, the least, and the largest.
            _ => random.bits() & random.pick(&[0, 0x0001_0001, 0x0101_0101, !0, !0]),
        }
    }

    fn numbers(self, random: &mut Random) -> [u32; 4] {
        [0; 4].map(|_| self.number(random))
    }
}

/// Writes a program's instructions.
struct Writer<'a> {
    random: &'a mut Random,
    /// The registers for instructions of any form.
    pool: Pool,
    code: Vec<Instruction>,
    /// Temporaries in the order in which they were written.
    written: Vec<u8>,
    /// The number of instructions of a hundred that write inactive points, too.
    inactive: u32,
    /// Whether there are branches, loops and calls.
    flows: bool,
    /// The number of statements around the current one.
    depth: u32,
    /// The calls of the subroutine.
    calls: Vec<usize>,
}

/// A program with its numbers.
pub(super) fn numeric(random: &mut Random) -> Option<(Launch, Vec<u8>)> {
    let (width, height) = random.pick(&[(8, 8), (8, 8), (64, 1), (32, 2), (7, 5)]);
    let domain = Domain { i0: 0, j0: 0, i1: width - 1, j1: height - 1 };
    let mut pool = Pool::plain(TEMPS, random.chance(50), random.chance(40));
    pool.inputs = if random.chance(60) { (1 << INPUTS) - 1 } else { 0 };
    let inputs = pool.inputs;
    let inactive = random.pick(&[0, 20, 60, 100]);
    let flows = random.chance(60);
    let (code, written, calls) = (Vec::new(), vec![0], Vec::new());
    let mut writer = Writer { random, pool, code, written, inactive, flows, depth: 0, calls };
    for _ in 0..writer.random.range(4, 14) {
        writer.statement();
    }
    writer.show();
    let end = writer.code.len() as u32 - 1;
    writer.subroutine();
    let code = writer.code;
    let config = us_config(random);
    let program = program(&code, |image| {
        image.registers.us_config = config;
        image.registers.us_code_addr = end << 16;
    })?;

    let mut launch = Launch::new(program, domain);
    let (numbers, starts) = (Numbers::any(random), Numbers::any(random));
    let mut constants = Constants { bool: random.bits(), ..Constants::default() };
    for constant in &mut constants.float[..CONSTANTS as usize] {
        *constant = numbers.numbers(random);
    }
    for constant in &mut constants.int[..4] {
        *constant = IntConstant { count: random.below(5) as u8, start: 0, step: 1 };
    }
    launch.constants = Arc::new(constants);
    let formats = [Format::Uint16x1, Format::Uint16x2, Format::Uint16x4];
    let mut places = Places::new(Case::BASE, false);
    let mut bytes = Vec::new();
    for input in launch.inputs.iter_mut().take(if inputs == 0 { 0 } else { INPUTS as usize }) {
        let format = random.pick(&Format::ALL);
        let tilings = if format.is_basic_single() { 4 } else { 2 };
        let tiling = random.pick(&Tiling::ALL[..tilings]);
        let surface = places.surface(random, 8, 8, format, tiling);
        bytes.resize((surface.base - Case::BASE) as usize, 0);
        let numbers = Numbers::any(random);
        let words = surface.byte_size(surface.pitch, surface.height) / 4;
        bytes.extend((0..words).flat_map(|_| numbers.texel(random, format).to_le_bytes()));
        *input = Some(surface);
    }
    for output in &mut launch.outputs {
        let format = if random.chance(25) { random.pick(&formats) } else { Format::Float32x4 };
        *output = Some(places.surface(random, width, height, format, Tiling::Linear));
    }
    // Temporary 0 is often the position, and one of the others starts with zeros.
    let unset = random.range(1, TEMPS - 1);
    let first = u32::from(random.chance(50));
    for temp in (first..TEMPS).filter(|&temp| temp != unset) {
        let data = (0..domain.points()).map(|_| starts.numbers(random)).collect();
        launch.initial.push(Initial { temp: temp as u8, data: Arc::new(data) });
    }
    Some((launch, bytes))
}

impl Writer<'_> {
    fn statement(&mut self) {
        let fetches = if self.pool.inputs == 0 { 0 } else { 12 };
        let flows = if self.flows && self.depth < 3 { 8 } else { 0 };
        let weights = [34, 18, 14, 10, 8, 8, 3, 3, fetches, flows, flows, flows / 2];
        match self.random.weighted(&weights) {
            0 => {
                let source = self.source();
                self.calculate(source);
            }
            // A product, and what comes of it.
            1 => {
                let factors = [self.source(), self.source()];
                let product = self.product(factors);
                self.calculate(product);
            }
            2 => self.fraction(),
            3 => {
                self.moved();
            }
            4 => self.predicates(),
            5 => {
                let mut any = self.pool.alu(self.random, Type::Alu);
                any.common.write_inactive &= self.depth == 0;
                self.push(any);
            }
            6 => self.kill(),
            7 => self.skip(),
            8 => self.fetch(),
            9 => self.branch(),
            10 => self.repeat(),
            _ => {
                self.call();
            }
        }
    }

    /// A texel of an input, most often at the point's own place.
    fn fetch(&mut self) {
        let mut instruction = Instruction::blank(Type::Tex);
        instruction.common.wmask = if self.random.chance(80) { 15 } else { mask(self.random, 70) };
        let dest = self.random.below(TEMPS) as u8;
        if let Body::Tex(tex) = &mut instruction.body {
            (tex.op, tex.unscaled, tex.dest) = (TexOp::Ld, true, dest);
            tex.input = self.random.below(INPUTS) as u8;
            tex.src.addr = if self.random.chance(70) { 0 } else { self.random.below(TEMPS) as u8 };
        }
        self.code.push(instruction);
        self.written.push(dest);
    }

    /// A source: often what was written last.
    fn source(&mut self) -> Source {
        let constant = |addr: u32| Source { addr: addr as u8, constant: true, relative: false };
        match self.random.weighted(&[45, 20, 22, 13]) {
            0 => temporary(self.written.last().copied().unwrap_or(0)),
            1 => temporary(self.random.below(TEMPS) as u8),
            2 => constant(self.random.below(CONSTANTS)),
            _ => Source { addr: 0x80 | inline_code(self.random), ..Source::UNUSED },
        }
    }

    /// An instruction over whole registers whose inputs are its sources, without any modifier.
    fn plain(&mut self, ops: [AluOp; 2], sources: [Source; 3]) -> Instruction {
        let mut instruction = Instruction::blank(Type::Alu);
        instruction.common.wmask = 15;
        instruction.common.write_inactive = self.random.chance(self.inactive);
        let dest = self.random.below(TEMPS) as u8;
        if let Body::Alu(alu) = &mut instruction.body {
            for ((unit, op), identity) in alu.units.iter_mut().zip(ops).zip(IDENTITY) {
                (unit.op, unit.dest, unit.sources) = (op, dest, sources);
                for (n, input) in unit.inputs.iter_mut().enumerate() {
                    (input.sel, input.swizzle) = (Sel::from_code(n as u32), identity);
                }
            }
        }
        instruction
    }

    /// Adds an instruction; returns its result as a source.
    fn push(&mut self, instruction: Instruction) -> Source {
        let dest = instruction.alu().map_or(0, |alu| alu.units[RGB].dest);
        self.code.push(instruction);
        self.written.push(dest);
        temporary(dest)
    }

    /// An operation on a source and others, with modifiers of every kind.
    fn calculate(&mut self, source: Source) -> Source {
        use AluOp::*;
        let random = &mut *self.random;
        let alpha = random.pick(&[Ex2, Ln2, Rcp, Rsq, Sin, Cos]);
        let both = random.pick(&[Mad, Mad, Mad, Mad, Mad, Min, Max, Cnd, Cmp, Frc]);
        let neighbour = random.pick(&[Mdh, Mdv]);
        let ops = match random.weighted(&[66, 12, 14, 8]) {
            1 => [random.pick(&[Dp3, Dp4, Dp4, D2a, D2a]), random.pick(&[Dp, Mad])],
            2 => [random.pick(&[Sop, Sop, both]), alpha],
            3 if self.pool.neighbours => [neighbour; 2],
            _ => [both; 2],
        };
        let sources = [source, self.source(), self.source()];
        let mut instruction = self.plain(ops, sources);
        let random = &mut *self.random;
        let (first, second) = (random.below(3), random.below(2));
        // The source takes any of the three places.
        for (n, input) in [0, 1, 2].into_iter().enumerate() {
            let sel = Sel::from_code((input + first) % 3);
            let fixed = random.pick(&[Swizzle::Zero, Swizzle::One, Swizzle::Half]);
            let fixed = (n as u32 == second + 1 && random.chance(35)).then_some(fixed);
            set_input(&mut instruction, n, sel, fixed);
        }
        let channel = |random: &mut Random| Swizzle::from_code(random.below(4));
        if random.chance(70) {
            instruction.common.wmask = mask(random, 70);
        }
        instruction.common.clamp = [random.chance(8), random.chance(8)];
        if self.pool.predicates && random.chance(30) {
            let sel = PredSel::from_code(random.range(1, 5));
            instruction.common.pred_sel = [sel; 2];
            instruction.common.pred_inv = [random.chance(40); 2];
        }
        if let Body::Alu(alu) = &mut instruction.body {
            for unit in &mut alu.units {
                unit.presub = Presub::from_code(random.below(4));
                for input in &mut unit.inputs {
                    if random.chance(6) {
                        input.sel = Sel::Srcp;
                    }
                    if random.chance(25) && matches!(input.swizzle[0].code(), 0..4) {
                        input.swizzle = [0; 3].map(|_| channel(random));
                    }
                    if random.chance(25) {
                        input.modifier = Modifier::from_code(random.range(1, 3));
                    }
                }
                if random.chance(30) {
                    unit.omod = omod(random, unit.op.is_select());
                }
            }
        }
        self.push(instruction)
    }

    /// A product of two sources.
    fn product(&mut self, [a, b]: [Source; 2]) -> Source {
        let mut product = self.plain([AluOp::Mad; 2], [a, b, Source::UNUSED]);
        set_input(&mut product, 2, Sel::Src0, Some(Swizzle::Zero));
        self.push(product)
    }

    /// Makes a register the destination of the last instruction.
    fn redirect(&mut self, dest: u8) {
        if let Some(Body::Alu(alu)) = self.code.last_mut().map(|last| &mut last.body) {
            alu.units.iter_mut().for_each(|unit| unit.dest = dest);
        }
        self.written.push(dest);
    }

    /// A move of a constant.
    fn moved(&mut self) -> Source {
        let dest = self.random.below(TEMPS) as u8;
        let source = if self.random.chance(70) {
            Source { addr: self.random.below(CONSTANTS) as u8, constant: true, relative: false }
        } else {
            Source { addr: 0x80 | inline_code(self.random), ..Source::UNUSED }
        };
        self.load(dest, source)
    }

    /// Moves a source to a register.
    fn load(&mut self, dest: u8, source: Source) -> Source {
        let mut instruction = exact_move(Type::Alu, 0, 0, Some(dest));
        instruction.common.write_inactive = self.random.chance(self.inactive / 2);
        if let Body::Alu(alu) = &mut instruction.body {
            alu.units.iter_mut().for_each(|unit| unit.sources[0] = source);
        }
        self.push(instruction)
    }

    /// A number minus a fraction: its own or that of another one.
    fn fraction(&mut self) {
        let number = match self.random.weighted(&[60, 40, if self.flows { 25 } else { 0 }]) {
            0 => self.moved(),
            1 => self.source(),
            _ => self.call(),
        };
        let other = match self.random.below(3) {
            0 => number,
            1 => self.moved(),
            _ => self.source(),
        };
        let fraction = self.plain([AluOp::Frc; 2], [other, Source::UNUSED, Source::UNUSED]);
        let fraction = self.push(fraction);
        if self.flows && self.random.chance(20) {
            self.call();
        }
        let mut rest = self.plain([AluOp::Mad; 2], [number, fraction, Source::UNUSED]);
        set_input(&mut rest, 1, Sel::Src0, Some(Swizzle::One));
        set_input(&mut rest, 2, Sel::Src1, None);
        if let Body::Alu(alu) = &mut rest.body {
            alu.units.iter_mut().for_each(|unit| unit.inputs[2].modifier = Modifier::Neg);
        }
        let rest = self.push(rest);
        if self.random.chance(50) {
            self.calculate(rest);
        }
    }

    /// Sets predicates by a result.
    fn predicates(&mut self) {
        let source = self.source();
        self.calculate(source);
        let test = Comparison::from_code(self.random.below(4)).code() as u8;
        if let Some(last) = self.code.last_mut()
            && self.pool.predicates
        {
            last.common.omask = 15;
            if let Body::Alu(alu) = &mut last.body {
                alu.units.iter_mut().for_each(|unit| unit.target = test);
            }
        }
    }

    /// TEXKILL: most often of one channel, so that points live.
    fn kill(&mut self) {
        let addr = self.written.last().copied().unwrap_or(0);
        let mut instruction = Instruction::blank(Type::Tex);
        let one = Channel::from_code(self.random.below(4));
        let channel = |random: &mut Random| Channel::from_code(random.below(4));
        if let Body::Tex(tex) = &mut instruction.body {
            tex.op = TexOp::Texkill;
            tex.src.addr = addr;
            tex.src.swizzle = if self.random.chance(75) {
                [one; 4]
            } else {
                [0; 4].map(|_| channel(self.random))
            };
        }
        self.code.push(instruction);
    }

    /// Moves what was written last to the outputs, bit for bit, or adds 1 to it.
    fn show(&mut self) {
        let mut shown: Vec<u8> = Vec::new();
        for &temp in self.written.iter().rev() {
            if !shown.contains(&temp) && shown.len() < 4 {
                shown.push(temp);
            }
        }
        for (target, temp) in (0..).zip(shown) {
            let mut instruction = exact_move(Type::Out, temp, target, None);
            if self.random.chance(20)
                && let Body::Alu(alu) = &mut instruction.body
            {
                for unit in &mut alu.units {
                    (unit.op, unit.omod) = (AluOp::Mad, Omod::X1);
                    unit.inputs[1].swizzle = [Swizzle::One; 3];
                    unit.inputs[2].swizzle = [self.random.pick(&[Swizzle::Zero, Swizzle::One]); 3];
                }
            }
            if self.pool.predicates && self.random.chance(15) {
                instruction.common.pred_sel = [PredSel::Rgba; 2];
            }
            self.code.push(instruction);
        }
    }
}

fn temporary(addr: u8) -> Source {
    Source { addr, constant: false, relative: false }
}

/// Sets what an input of both units reads, and its swizzle to a constant if there is one.
fn set_input(instruction: &mut Instruction, n: usize, sel: Sel, fixed: Option<Swizzle>) {
    if let Body::Alu(alu) = &mut instruction.body {
        for unit in [RGB, ALPHA] {
            let input = &mut alu.units[unit].inputs[n];
            input.sel = sel;
            if let Some(fixed) = fixed {
                input.swizzle = [fixed; 3];
            }
        }
    }
}
