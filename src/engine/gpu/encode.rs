//! Lowered programs as the interpreter reads them: four words per micro-operation.
//!
//! Common operations become a few general ones, so that the shader's inner loop has no branches.
//! MUL and ADD become MADs. An output modifier becomes a MAD with -0. MIN, MAX, CND, CMP and moves
//! select one of two operands.

use crate::engine::Statistics;
use crate::isa::{Body, Type};
use crate::lower::{Lowered, MicroOp, Op, Operand, Write};
use crate::program::Program;
use std::collections::HashMap;

/// Kind: a < b ? a : b. With a = b it is a move.
const MIN: u32 = 0;
/// Kind: b < a ? a : b.
const MAX: u32 = 1;
/// Kind: 0.5 < c ? a : b.
const CND: u32 = 2;
/// Kind: 0 <= c ? a : b.
const CMP: u32 = 3;
/// Kind: a * b + c.
const MAD: u32 = 4;
/// Kind: a * b as a term of a sum.
const PRODUCT: u32 = 5;
/// Kind: the aligned sum of four terms.
const SUM: u32 = 6;
/// Kind: the gate.
const GATE: u32 = 7;
/// Kind: a comparison with 0 into a predicate or the ALU result.
const COMPARE: u32 = 8;
/// -2^-126. A flushed number above it is zero or positive: there is nothing between.
const BELOW_ZERO: u32 = 0x8080_0000;

const WRITE_SHIFT: u32 = 6;
const ZERO_TIMES: u32 = 1 << 8;
const CLAMP: u32 = 1 << 9;
const HAS_ROW: u32 = 1 << 10;
const MARK: u32 = 1 << 11;
const CLASS_SHIFT: u32 = 12;
const COMMON: u32 = 0;
const POINT: u32 = 1 << CLASS_SHIFT;
const GROUP: u32 = 2 << CLASS_SHIFT;
const AUX_SHIFT: u32 = 16;
const PC_SHIFT: u32 = 16;
const ROW: u32 = 0xfff;
const ABS: u32 = 1 << 12;
const NEG: u32 = 1 << 13;
const FLUSH: u32 = 1 << 14;
/// Bit of `written` for the own conditional value.
const OWN: u32 = 16;
/// Predicate number of the ALU result.
const ALU_RESULT: u32 = 4;

/// The encoding's constants for shaders.
pub const CONSTANTS: [(&str, u32); 32] = [
    ("CODE_OP", 0x3f),
    ("CODE_MIN", MIN),
    ("CODE_MAX", MAX),
    ("CODE_CND", CND),
    ("CODE_CMP", CMP),
    ("CODE_MAD", MAD),
    ("CODE_PRODUCT", PRODUCT),
    ("CODE_SUM", SUM),
    ("CODE_GATE", GATE),
    ("CODE_COMPARE", COMPARE),
    ("CODE_WRITE_SHIFT", WRITE_SHIFT),
    ("CODE_ZERO_TIMES", ZERO_TIMES),
    ("CODE_CLAMP", CLAMP),
    ("CODE_HAS_ROW", HAS_ROW),
    ("CODE_MARK", MARK),
    ("CODE_CLASS", 3 << CLASS_SHIFT),
    ("CLASS_COMMON", COMMON),
    ("CLASS_POINT", POINT),
    ("CLASS_GROUP", GROUP),
    ("CODE_AUX_SHIFT", AUX_SHIFT),
    ("CODE_PC_SHIFT", PC_SHIFT),
    ("CODE_ROW", ROW),
    ("OPERAND_ROW", ROW),
    ("OPERAND_ABS", ABS),
    ("OPERAND_NEG", NEG),
    ("OPERAND_FLUSH", FLUSH),
    ("OPERAND_ABS_TO_SIGN", 19),
    ("OPERAND_NEG_TO_SIGN", 18),
    ("BELOW_ZERO", BELOW_ZERO),
    ("MASK_ALWAYS", 1 << Write::All as u32),
    ("MASK_ACTIVE", 1 << Write::Active as u32),
    ("MASK_GATED", 1 << Write::Gated as u32),
];

/// A lowered program in the interpreter's form. Positions and sizes count vec4s.
pub struct Encoded {
    /// Micro-operations, then flow control, entries and counts: the part that launches share.
    pub words: Vec<[u32; 4]>,
    /// Position of the flow control in `words`.
    pub flows: u32,
    /// Position of the entries.
    pub entries: u32,
    /// Position of the instruction counts.
    pub counts: u32,
    /// Literals after the program's own uniforms.
    pub literals: Vec<u32>,
    /// The row of the first uniform.
    pub uniform_row: u32,
    /// The number of rows and uniforms together.
    pub rows: u32,
    /// The program's operations that have a cost in shaders.
    pub uses: Uses,
}

/// Operations that a variant of the shader can leave out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Uses {
    /// FRC and the transcendentals.
    pub math: bool,
    /// Dot products.
    pub sums: bool,
    /// Fetches.
    pub fetches: bool,
    /// Addresses with aL.
    pub relative: bool,
    /// Uncached writes.
    pub uncached: bool,
    /// TEXKILL.
    pub kills: bool,
    /// Exchanges between the points of a quad.
    pub quads: bool,
    /// Flow control.
    pub flows: bool,
}

/// The largest number of rows and uniforms that the encoding can name.
pub const MAX_ROWS: u32 = ROW + 1;

struct Encoder<'a> {
    lowered: &'a Lowered,
    uniform_row: u32,
    literals: Vec<u32>,
    numbers: HashMap<u32, u32>,
    uses: Uses,
}

impl Encoder<'_> {
    fn literal(&mut self, bits: u32) -> u32 {
        let next = (self.lowered.uniforms.len() + self.literals.len()) as u32;
        let number = *self.numbers.entry(bits).or_insert(next);
        if number == next {
            self.literals.push(bits);
        }
        self.uniform_row + number
    }

    fn operand(&self, operand: Operand) -> u32 {
        if operand.is_none() {
            return 0;
        }
        let flag = |from: u32, to: u32| if operand.0 & from != 0 { to } else { 0 };
        let row = operand.index() + if operand.is_uniform() { self.uniform_row } else { 0 };
        (row & ROW)
            | flag(Operand::ABS, ABS)
            | flag(Operand::NEG, NEG)
            | flag(Operand::FLUSH, FLUSH)
    }

    fn op(&mut self, op: &MicroOp) -> [u32; 4] {
        const FACTORS: [f32; 8] = [1.0, 2.0, 4.0, 8.0, 0.5, 0.25, 0.125, 1.0];
        const ONE: u32 = 0x3f80_0000;
        const MINUS_ZERO: u32 = 0x8000_0000;
        let [a, b, c, d] = [op.a, op.b, op.c, op.d].map(|o| self.operand(o));
        let aux = op.aux as u32;
        let zero_times = if op.flags & MicroOp::ZERO_TIMES != 0 { ZERO_TIMES } else { 0 };
        let row = HAS_ROW;
        let (kind, operands) = match op.op {
            Op::Mov => (MIN | row, [a, a, a, a]),
            Op::Mad => (MAD | row | zero_times, [a, b, c, c]),
            Op::Mul => {
                let zero = self.literal(0);
                (MAD | row | zero_times, [a, b, zero, zero])
            }
            Op::Add => {
                let one = self.literal(ONE);
                (MAD | row, [a, one, c, c])
            }
            Op::Product => (PRODUCT | row | zero_times, [a, b, b, b]),
            Op::Sum3 => {
                self.uses.sums = true;
                let nothing = self.literal(MINUS_ZERO);
                (SUM | row, [a, b, c, nothing])
            }
            Op::Sum4 => {
                self.uses.sums = true;
                (SUM | row, [a, b, c, d])
            }
            Op::Min => (MIN | row, [a, b, b, b]),
            Op::Max => (MAX | row, [a, b, b, b]),
            Op::Cnd => (CND | row, [a, b, c, c]),
            Op::Cmp => (CMP | row, [a, b, c, c]),
            Op::Finish => {
                let factor = self.literal(FACTORS[op.aux as usize & 7].to_bits());
                let nothing = self.literal(MINUS_ZERO);
                let clamp = if aux & 8 != 0 { CLAMP } else { 0 };
                (MAD | row | clamp, [a | FLUSH, factor, nothing, nothing])
            }
            Op::Gate => (GATE, [0; 4]),
            Op::SetPredicate | Op::SetAluResult => (COMPARE, [a, a, a, a]),
            Op::Output | Op::OwnValue => (MIN | row | MARK, [a, a, a, a]),
            Op::Frc | Op::Ex2 | Op::Ln2 | Op::Rcp | Op::Rsq | Op::Sin | Op::Cos => {
                self.uses.math = true;
                (op.op as u32 | POINT, [a, b, c, d])
            }
            Op::LoadTemp | Op::LoadConstant | Op::StoreTemp => {
                self.uses.relative = true;
                (op.op as u32 | POINT, [a, b, c, d])
            }
            Op::Fetch => {
                self.uses.fetches = true;
                (op.op as u32 | POINT, [a, b, c, d])
            }
            Op::Uncached => {
                self.uses.uncached = true;
                (op.op as u32 | POINT, [a, b, c, d])
            }
            Op::Kill => {
                self.uses.kills = true;
                (op.op as u32 | POINT, [a, b, c, d])
            }
            Op::Quad => {
                self.uses.quads = true;
                (op.op as u32 | GROUP, [a, b, c, d])
            }
            Op::Flow => {
                self.uses.flows = true;
                (op.op as u32 | GROUP, [0; 4])
            }
            Op::Wrap => {
                // It jumps.
                self.uses.flows = true;
                (op.op as u32 | GROUP, [0; 4])
            }
            Op::End | Op::Missing => (op.op as u32 | GROUP, [0; 4]),
        };
        let aux = match op.op {
            Op::SetPredicate => (aux & 3) | aux >> 2 << 3,
            Op::SetAluResult => ALU_RESULT | aux >> 2 << 3,
            Op::OwnValue => OWN,
            _ => aux,
        };
        let [a, b, c, d] = operands;
        [
            kind | (op.write as u32) << WRITE_SHIFT | aux << AUX_SHIFT,
            a | b << 16,
            c | d << 16,
            (op.dst & ROW) | (op.pc as u32) << PC_SHIFT,
        ]
    }
}

/// Encodes a lowered program. The result is invalid if the program has more than [`MAX_ROWS`] rows.
pub fn encode(lowered: &Lowered, program: &Program) -> Encoded {
    // Operations with fewer operands read row 0, so it must exist.
    let uniform_row = lowered.rows.max(1);
    let mut encoder = Encoder {
        lowered,
        uniform_row,
        literals: Vec::new(),
        numbers: HashMap::new(),
        uses: Uses::default(),
    };
    let mut words: Vec<[u32; 4]> = lowered.ops.iter().map(|op| encoder.op(op)).collect();
    // Uniforms are loaded in fours.
    let uniforms = (lowered.uniforms.len() + encoder.literals.len()) as u32;
    let rows = uniform_row + uniforms.next_multiple_of(4);
    let flows = words.len() as u32;
    words.extend(lowered.flows.iter().map(|flow| {
        let byte = |value: u8, at: u32| (value as u32) << at;
        [
            byte(flow.op, 0)
                | byte(flow.jump_func, 8)
                | byte(flow.a_op, 16)
                | byte(flow.predicate, 24),
            byte(flow.b_op0, 0)
                | byte(flow.b_op1, 8)
                | byte(flow.b_pop_cnt, 16)
                | byte(flow.flags, 24),
            byte(flow.int_addr & 31, 0) | byte(flow.bool_addr & 31, 8) | (flow.target as u32) << 16,
            0,
        ]
    }));
    let entries = words.len() as u32;
    let four = |four: &[u32]| std::array::from_fn(|n| four.get(n).copied().unwrap_or(0));
    words.extend(lowered.entry.chunks(4).map(four));
    let counts = words.len() as u32;
    words.extend(instruction_counts(program).chunks(4).map(four));
    Encoded {
        words,
        flows,
        entries,
        counts,
        literals: encoder.literals,
        uniform_row,
        rows,
        uses: encoder.uses,
    }
}

/// Instructions before each slot 0 to 512, in two words each: ALU, OUT, TEX in 10 bits each;
/// fetching TEX and FC in 16.
fn instruction_counts(program: &Program) -> Vec<u32> {
    let mut counts = Vec::with_capacity(2 * crate::isa::MAX_INSTRUCTIONS + 2);
    let mut sum = Statistics::default();
    let mut instructions = program.instructions().iter();
    for _ in 0..=crate::isa::MAX_INSTRUCTIONS {
        counts.push((sum.alu | sum.out << 10 | sum.tex << 20) as u32);
        counts.push((sum.tex_fetching | sum.fc << 16) as u32);
        let Some(instruction) = instructions.next() else {
            continue;
        };
        match instruction.common.class {
            Type::Alu => sum.alu += 1,
            Type::Out => sum.out += 1,
            Type::Tex => sum.tex += 1,
            Type::Fc => sum.fc += 1,
        }
        if let Body::Tex(tex) = &instruction.body {
            sum.tex_fetching += tex.op.fetches() as u64;
        }
    }
    counts
}
