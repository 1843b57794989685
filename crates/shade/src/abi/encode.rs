//! Lowered programs as the interpreter reads them: in vec4s of words.
//!
//! The host decodes: a micro-operation names the row that each lane of each operand is in, so that
//! the shader only chooses a case, reads and computes. Its first word, the head, has the operation, its class,
//! and the points for which it writes. Then come, by class:
//!
//! | class | first vec4 | more vec4s |
//! | --- | --- | --- |
//! | one lane | head with the row that it writes, operands a, b, c | of a choice: d |
//! | four lanes | head | rows that they write; those of a; of b; of c; of d |
//! | of a point or the group | head with the row, two or three words of parameters | operands across lanes; of a fetch, what it writes |
//!
//! Three lanes are four, the last of them twice. Two are two operations. Common operations become a few
//! general ones: MUL and ADD become MADs, an output modifier a MAD with -0, and MIN, MAX, CND and CMP
//! choose one of two operands by comparing two others. An operation that reads an absolute value, a
//! negated or a flushed number, or for which 0 times anything is 0, has a case of its own.

use crate::abi::constants::numbers;
use crate::pack::{MicroOp, pack};
use ctm_isa::float;
use ctm_isa::isa::{FieldValue, MAX_INSTRUCTIONS};
use ctm_isa::ops::{Aux, Calc, Encoding, Feature, General, Given, Op, is_set};
use ctm_lang::program::Program;
use ctm_machine::engine::Checked;
use ctm_machine::engine::checked::{Counts, counts_before};
use ctm_machine::lower::{ALU_RESULT, Lowered, NO_ROW, Operand, Uniform, Write};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

numbers! {
    /// The encoding's numbers for shaders.
    NUMBERS;
    /// Head: position of the operation, above the bits of the writes. Those are as in `masks`.
    CODE_OP_SHIFT = 3;
    /// Head: the bits of the operation, there.
    CODE_OP = 0x3f;
    /// Head: the bits of the class.
    CODE_CLASS = 3 << 9;
    /// Class: general operations on one lane.
    CLASS_ONE = 0;
    /// Class: general operations on four lanes.
    CLASS_FOUR = 1 << 9;
    /// Class: operations of one point.
    CLASS_POINT = 2 << 9;
    /// Class: operations of the whole group.
    CLASS_GROUP = 3 << 9;
    /// Head of a general operation: 0 times anything is 0.
    CODE_ZERO_TIMES = 1 << 11;
    /// Head of another operation: its operands are across lanes, in the next vec4.
    CODE_ACROSS = 1 << 11;
    /// Head: position of the row that it writes.
    CODE_ROW_SHIFT = 16;
    /// General operation: a.
    KIND_MOV = 0;
    /// General operation: a * b + c.
    KIND_MAD = 1;
    /// General operation: a if c is less than d, else b. In one lane it takes any operands.
    KIND_CHOICE = 2;
    /// General operation: a, with any operand.
    KIND_MOV_ANY = 3;
    /// General operation: a * b + c, with any operands.
    KIND_MAD_ANY = 4;
    /// Operand: the bits of its row.
    OPERAND_ROW = 0xffff;
    /// Operand: it is flushed, after the following.
    OPERAND_FLUSH = 1 << 29;
    /// Operand: its absolute value. The shader knows this bit and the next one by their places.
    OPERAND_ABS = 1 << 30;
    /// Operand: it is negated, after that.
    OPERAND_NEG = 1 << 31;
    /// The position of a fetch's channel of the texel, above the row that it writes.
    FETCH_CHANNEL_SHIFT = 16;
    /// The number of vec4s in the uniform buffer of a dispatch.
    UNIFORM_OPS = 4096;
    /// The bit of `masks` for [`Write::All`].
    MASK_ALWAYS = 1 << Write::All as u32;
    /// The bit of `masks` for [`Write::Active`].
    MASK_ACTIVE = 1 << Write::Active as u32;
    /// The bit of `masks` for [`Write::Gated`].
    MASK_GATED = 1 << Write::Gated as u32;
}

/// -2^-126. A flushed number above it is zero or positive: there is nothing between.
const BELOW_ZERO: u32 = 0x8080_0000;

/// The size in bytes of that uniform buffer: the most that every WebGPU adapter binds.
pub const UNIFORM_BYTES: u64 = 16 * UNIFORM_OPS as u64;

/// A lowered program in the interpreter's form. Positions and sizes count vec4s.
pub struct Encoded {
    /// Micro-operations, then flow control, entries and counts: the part that launches share.
    pub words: Vec<[u32; 4]>,
    /// Position of the first micro-operation that is executed.
    pub first_op: u32,
    /// Position of the flow control in `words`, after all micro-operations.
    pub flows: u32,
    /// Position of the entries.
    pub entries: u32,
    /// Position of the instruction counts.
    pub counts: u32,
    /// The program's uniforms, in registers of four.
    pub uniforms: Vec<Uniform>,
    /// Literals after them.
    pub literals: Vec<u32>,
    /// The number of vec4s of each slot's micro-operations.
    pub lengths: Vec<u64>,
    /// The row of the first uniform, a multiple of 4.
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

impl Uses {
    fn add(&mut self, feature: Feature) {
        let flag = match feature {
            Feature::Math => &mut self.math,
            Feature::Sums => &mut self.sums,
            Feature::Fetches => &mut self.fetches,
            Feature::Relative => &mut self.relative,
            Feature::Uncached => &mut self.uncached,
            Feature::Kills => &mut self.kills,
            Feature::Quads => &mut self.quads,
            Feature::Flows => &mut self.flows,
            Feature::Bits | Feature::Ends => return,
        };
        *flag = true;
    }
}

/// The largest number of rows and uniforms that the encoding can name.
pub const MAX_ROWS: u32 = 4096;

struct Encoder {
    uniforms: u32,
    uniform_row: u32,
    literals: Vec<u32>,
    numbers: HashMap<u32, u32>,
    uses: Uses,
    words: Vec<[u32; 4]>,
}

/// A general operation: its kind and its inputs.
struct GeneralOp {
    kind: u32,
    /// In front of [`Given::Nothing`].
    given: [Given; 4],
}

impl GeneralOp {
    fn of(general: General, given: [Given; 3]) -> GeneralOp {
        let ([a, b, c], none) = (given, Given::Nothing);
        let (kind, given) = match general {
            General::Mov => (KIND_MOV, [a, none, none, none]),
            General::Mad => (KIND_MAD, [a, b, c, none]),
            General::Min => (KIND_CHOICE, [a, b, a, b]),
            General::Max => (KIND_CHOICE, [a, b, b, a]),
            General::Cnd => (KIND_CHOICE, [a, b, Given::Literal(float::HALF), c]),
            General::Cmp => (KIND_CHOICE, [a, b, Given::Literal(BELOW_ZERO), c]),
        };
        GeneralOp { kind, given }
    }
}

impl Encoder {
    /// The row of a literal.
    fn literal(&mut self, bits: u32) -> u32 {
        let next = self.uniforms + self.literals.len() as u32;
        let number = *self.numbers.entry(bits).or_insert(next);
        if number == next {
            self.literals.push(bits);
        }
        self.uniform_row + number
    }

    /// The word of an operand.
    fn operand(&self, operand: Operand) -> u32 {
        if operand.is_none() {
            return 0;
        }
        let base = if operand.is_uniform() { self.uniform_row } else { 0 };
        let bit = |bit, code| if operand.has(bit) { code } else { 0 };
        (base + operand.index())
            | bit(Operand::ABS, OPERAND_ABS)
            | bit(Operand::NEG, OPERAND_NEG)
            | bit(Operand::FLUSH, OPERAND_FLUSH)
    }

    /// The word of what a lane reads in a place of a general operation.
    fn given(&mut self, op: &MicroOp, given: Given, lane: usize) -> u32 {
        if let Some(bits) = given.literal(op.aux) {
            return self.literal(bits);
        }
        let operand = given.operand().and_then(|n| op.operands[n]);
        let flush = if given == Given::Flushed { OPERAND_FLUSH } else { 0 };
        operand.map_or(0, |operand| self.operand(operand.lane(lane)) | flush)
    }

    fn general(&mut self, op: &MicroOp, GeneralOp { kind, given }: GeneralOp) {
        let zero = op.op.facts().aux == Aux::ZeroTimes && is_set(op.aux);
        // What each lane reads, and the row that it writes.
        let (mut lanes, mut count) = ([([0; 4], 0); 4], 0);
        for lane in op.lanes() {
            let words = given.map(|given| self.given(op, given, lane));
            lanes[count] = (words, 4 * u32::from(op.dst) + lane as u32);
            count += 1;
        }
        let lanes = &lanes[..count];
        let any =
            zero || lanes.iter().flat_map(|(words, _)| words).any(|word| word & !OPERAND_ROW != 0);
        let kind = match (kind, any) {
            (KIND_MOV, true) => KIND_MOV_ANY,
            (KIND_MAD, true) => KIND_MAD_ANY,
            (kind, _) => kind,
        };
        let head =
            1 << op.write as u32 | kind << CODE_OP_SHIFT | if zero { CODE_ZERO_TIMES } else { 0 };
        // In four lanes a choice takes plain operands only, and a move is one of rows.
        if count >= 3 && (!any || kind == KIND_MAD_ANY) {
            let four = |of: &dyn Fn(usize) -> u32| std::array::from_fn(|n| of(n.min(count - 1)));
            self.words.push([head | CLASS_FOUR, 0, 0, 0]);
            self.words.push(four(&|n| lanes[n].1));
            let places = given.iter().filter(|given| **given != Given::Nothing).count();
            self.words.extend((0..places).map(|place| four(&|n| lanes[n].0[place])));
            return;
        }
        for ([a, b, c, d], row) in lanes {
            self.words.push([head | row << CODE_ROW_SHIFT, *a, *b, *c]);
            if kind == KIND_CHOICE {
                self.words.push([*d, 0, 0, 0]);
            }
        }
    }

    /// An operation of one lane in a vec4 of its own.
    fn own(&mut self, op: &MicroOp, number: Op, class: u32, row: u32, words: [u32; 3]) {
        let head =
            1 << op.write as u32 | number.number() << CODE_OP_SHIFT | class | row << CODE_ROW_SHIFT;
        self.words.push([head, words[0], words[1], words[2]]);
    }

    fn op(&mut self, op: &MicroOp) {
        let (aux, pc) = (u32::from(op.aux), u32::from(op.pc));
        let row = 4 * u32::from(op.dst);
        let lanes: Vec<(usize, u32)> = op.lanes().map(|lane| (lane, row + lane as u32)).collect();
        let a = |encoder: &Encoder, lane: usize| {
            op.operands[0].map_or(0, |a| encoder.operand(a.lane(lane)))
        };
        let class = match op.op.facts().code {
            Encoding::General(general, given) => {
                self.general(op, GeneralOp::of(general, given));
                if op.op.facts().aux == Aux::Modifier && is_set(op.aux) {
                    for &(_, row) in &lanes {
                        self.own(op, op.op, CLASS_POINT, row, [row, 0, 0]);
                    }
                }
                return;
            }
            Encoding::Own(feature) => {
                self.uses.add(feature);
                match feature {
                    Feature::Quads | Feature::Flows | Feature::Ends => CLASS_GROUP,
                    Feature::Bits
                    | Feature::Math
                    | Feature::Sums
                    | Feature::Fetches
                    | Feature::Relative
                    | Feature::Uncached
                    | Feature::Kills => CLASS_POINT,
                }
            }
        };
        match op.op {
            Op::Output => {
                if !op.is_mark() {
                    self.general(op, GeneralOp::of(General::Mov, [Given::A; 3]));
                }
                self.own(op, op.op, class, 0, [u32::from(op.mask) << aux, 0, 0]);
            }
            Op::SetBit => {
                let (test, to_result) = (aux >> 3 & 3, op.aux & 7 == ALU_RESULT);
                for (lane, _) in lanes {
                    let bit = if to_result { u32::from(ALU_RESULT) } else { lane as u32 };
                    self.own(op, op.op, class, 0, [a(self, lane), test, 1 << bit]);
                }
            }
            Op::Gate => self.own(op, op.op, class, 0, [aux, 0, 0]),
            Op::LoadTemp | Op::LoadConstant => {
                for (lane, row) in lanes {
                    let channel = op.operands[0].map_or(0, |a| u32::from(a.channels[lane]));
                    self.own(op, op.op, class, row, [aux, channel, 0]);
                }
            }
            Op::StoreTemp => {
                for (lane, _) in lanes {
                    self.own(op, op.op, class, 0, [aux, lane as u32, a(self, lane)]);
                }
            }
            Op::Quad => {
                for (lane, row) in lanes {
                    self.own(op, op.op, class, row, [a(self, lane), pc, aux]);
                }
            }
            Op::Flow | Op::End | Op::Wrap | Op::Missing => {
                self.own(op, op.op, class, 0, [aux, pc, 0]);
            }
            Op::Uncached | Op::Kill => {
                self.own(op, op.op, class | CODE_ACROSS, 0, [aux, pc, 0]);
                self.across(op, 0);
            }
            Op::Fetch => {
                self.own(op, op.op, class | CODE_ACROSS, 0, [aux, pc, 0]);
                self.across(op, 0);
                let mut writes = [u32::from(NO_ROW); 4];
                for (lane, row) in lanes {
                    let channel = op.operands[1].map_or(0, |b| u32::from(b.channels[lane]));
                    writes[lane] = row | channel << FETCH_CHANNEL_SHIFT;
                }
                self.words.push(writes);
            }
            Op::Calc(Calc::Sum3 | Calc::Sum4) => {
                let sum = Op::Calc(Calc::Sum4);
                let row = lanes.first().map_or(0, |&(_, row)| row);
                self.own(op, sum, class | CODE_ACROSS, row, [0; 3]);
                // A term of -0 changes no sum.
                let last = self.literal(float::SIGN);
                self.across(op, last);
            }
            Op::Calc(_) => {
                for (lane, row) in lanes {
                    self.own(op, op.op, class, row, [a(self, lane), 0, 0]);
                }
            }
        }
    }

    /// The operands across lanes; `other` in place of one that it does not read.
    fn across(&mut self, op: &MicroOp, other: u32) {
        let word = |n| match op.operands[0] {
            Some(a) if n < op.terms() => self.operand(a.lane(n)),
            _ => other,
        };
        self.words.push(std::array::from_fn(word));
    }
}

/// Encodes a lowered program. The result is invalid if the program has more than [`MAX_ROWS`] rows.
pub fn encode(lowered: &Lowered, program: &Program) -> Encoded {
    // Operations with fewer operands read row 0, so it must exist.
    let packed = pack(lowered);
    let uniform_row = packed.rows.max(4);
    let mut encoder = Encoder {
        uniforms: packed.uniforms.len() as u32,
        uniform_row,
        literals: Vec::new(),
        numbers: HashMap::new(),
        uses: Uses::default(),
        words: Vec::new(),
    };
    // The position of each micro-operation.
    let mut places = Vec::new();
    let mut lengths = vec![0; MAX_INSTRUCTIONS + 1];
    for op in &packed.ops {
        let place = encoder.words.len();
        places.push(place as u32);
        encoder.op(op);
        lengths[usize::from(op.pc)] += (encoder.words.len() - place) as u64;
    }
    let mut words = std::mem::take(&mut encoder.words);
    let entry: Vec<u32> = packed.entry.iter().map(|&op| places[op as usize]).collect();
    // Uniforms are loaded in fours.
    let uniforms = encoder.uniforms + encoder.literals.len() as u32;
    let rows = uniform_row + uniforms.next_multiple_of(4);
    let flows = words.len() as u32;
    words.extend(lowered.flows.iter().map(|flow| {
        let byte = |value: u8, at: u32| (value as u32) << at;
        [
            flow.op.code()
                | byte(flow.jump_func, 8)
                | flow.a_op.code() << 16
                | byte(flow.predicate, 24),
            flow.b_op0.code()
                | flow.b_op1.code() << 8
                | byte(flow.b_pop_cnt, 16)
                | byte(flow.flags, 24),
            byte(flow.int_addr & 31, 0) | byte(flow.bool_addr & 31, 8) | (flow.target as u32) << 16,
            0,
        ]
    }));
    let entries = words.len() as u32;
    let four = |four: &[u32]| std::array::from_fn(|n| four.get(n).copied().unwrap_or(0));
    words.extend(entry.chunks(4).map(four));
    let counts = words.len() as u32;
    words.extend(instruction_counts(program).chunks(4).map(four));
    Encoded {
        first_op: entry[lowered.start as usize % entry.len()],
        words,
        flows,
        entries,
        counts,
        uniforms: packed.uniforms,
        literals: encoder.literals,
        lengths,
        uniform_row,
        rows,
        uses: encoder.uses,
    }
}

/// Instructions before each slot 0 to 512, in two words each: ALU, OUT, TEX in 10 bits each;
/// fetching TEX and FC in 16.
fn instruction_counts(program: &Program) -> Vec<u32> {
    let pair = |Counts { alu, out, tex, tex_fetching, fc }| {
        let [alu, out, tex, tex_fetching, fc] = [alu, out, tex, tex_fetching, fc].map(u32::from);
        [alu | out << 10 | tex << 20, tex_fetching | fc << 16]
    };
    let mut pairs: Vec<[u32; 2]> = counts_before(program).into_iter().map(pair).collect();
    pairs.resize(MAX_INSTRUCTIONS + 1, pairs[pairs.len() - 1]);
    pairs.into_flattened()
}

/// A lowered program and its encoding.
pub struct Ready {
    /// The lowered program.
    pub lowered: Arc<Lowered>,
    /// The same program, encoded once it was needed.
    encoded: OnceLock<Encoded>,
}

impl Ready {
    /// A launch's program.
    pub fn new(launch: &Checked) -> Ready {
        Ready { lowered: launch.lowered.clone(), encoded: OnceLock::new() }
    }

    /// The program's encoding.
    pub fn encoded(&self, program: &Program) -> &Encoded {
        self.encoded.get_or_init(|| encode(&self.lowered, program))
    }
}
