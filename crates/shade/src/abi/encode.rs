//! Lowered programs as the interpreter reads them: four words per micro-operation.
//!
//! A micro-operation is four words: what it does and to what, then three operands or, for some operations,
//! two operands and a word of parameters. Common operations become a few general ones, so that the
//! shader's inner loop has no branches.
//! MUL and ADD become MADs. An output modifier becomes a MAD with -0. MIN, MAX, CND, CMP and moves
//! select one of two operands.

use crate::abi::constants::numbers;
use crate::pack::{MicroOp, Vector, pack};
use ctm_isa::isa::{FieldValue, MAX_INSTRUCTIONS};
use ctm_isa::ops::{Aux, Effect, Encoding, Feature, Given, Op, is_set};
use ctm_lang::program::Program;
use ctm_machine::engine::Checked;
use ctm_machine::engine::Statistics;
use ctm_machine::engine::checked::counts_before;
use ctm_machine::lower::{ALU_RESULT, Lowered, Uniform, Write};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

numbers! {
    /// The encoding's numbers for shaders; those of the general operations have their own section.
    NUMBERS;
    /// First word: the bits of the operation.
    CODE_OP = 0x3f;
    /// First word: position of [`Write`].
    CODE_WRITE_SHIFT = 6;
    /// First word: 0 times anything is 0.
    CODE_ZERO_TIMES = 1 << 8;
    /// First word: a clamp follows.
    CODE_CLAMP = 1 << 9;
    /// First word: it writes its row.
    CODE_HAS_ROW = 1 << 10;
    /// First word: bit `aux` of `written` is set.
    CODE_MARK = 1 << 11;
    /// First word: the bits of the class.
    CODE_CLASS = 3 << 12;
    /// Class: general operations.
    CLASS_COMMON = 0;
    /// Class: operations of one point.
    CLASS_POINT = 1 << 12;
    /// Class: operations of the whole group.
    CLASS_GROUP = 2 << 12;
    /// First word: position of the lanes that it computes.
    CODE_MASK_SHIFT = 14;
    /// First word: position of the register that it writes; of all of `aux` for a gate.
    CODE_DST_SHIFT = 18;
    /// First word of a general operation: position of an output's number, or of
    /// a comparison's code.
    CODE_AUX_SHIFT = 28;
    /// The comparison sets the ALU result: the bit above its code, and the number of that bit.
    CODE_TO_RESULT = ALU_RESULT as u32;
    /// The bits of a register.
    CODE_REGISTER = 0x3ff;
    /// Last word of other operations: `aux`.
    CODE_AUX = 0xffff;
    /// Last word of other operations: position of the slot.
    CODE_PC_SHIFT = 16;
    /// Operand: position of the lanes' channels, above the register.
    OPERAND_CHANNELS_SHIFT = 10;
    /// Operand: position of the lanes with absolute values.
    OPERAND_ABS_SHIFT = 18;
    /// Operand: position of the lanes that are negated.
    OPERAND_NEG_SHIFT = 22;
    /// Operand: position of the lanes that are flushed.
    OPERAND_FLUSH_SHIFT = 26;
    /// The number of micro-operations in the uniform buffer of a dispatch.
    UNIFORM_OPS = 4096;
    /// -2^-126. A flushed number above it is zero or positive: there is nothing between.
    BELOW_ZERO = 0x8080_0000;
    /// The bit of `masks` for [`Write::All`].
    MASK_ALWAYS = 1 << Write::All as u32;
    /// The bit of `masks` for [`Write::Active`].
    MASK_ACTIVE = 1 << Write::Active as u32;
    /// The bit of `masks` for [`Write::Gated`].
    MASK_GATED = 1 << Write::Gated as u32;
}

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
    /// The number of micro-operations of each slot, each lane of one counted.
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
            Feature::Ends => return,
        };
        *flag = true;
    }
}

/// The largest number of rows and uniforms that the encoding can name.
pub const MAX_ROWS: u32 = 4 * (CODE_REGISTER + 1);

struct Encoder {
    uniforms: u32,
    uniform_row: u32,
    literals: Vec<u32>,
    numbers: HashMap<u32, u32>,
    uses: Uses,
}

impl Encoder {
    /// A literal in all lanes of an operand.
    fn literal(&mut self, bits: u32) -> u32 {
        let next = self.uniforms + self.literals.len() as u32;
        let number = *self.numbers.entry(bits).or_insert(next);
        if number == next {
            self.literals.push(bits);
        }
        let row = self.uniform_row + number;
        let channels = (row % 4) * 0b01_01_01_01;
        (row / 4) | (channels << OPERAND_CHANNELS_SHIFT)
    }

    fn operand(&self, operand: Option<Vector>) -> u32 {
        let Some(Vector { register, uniform, channels, abs, neg, flush }) = operand else {
            return 0;
        };
        let base = if uniform { self.uniform_row / 4 } else { 0 };
        let channels = channels.iter().rev().fold(0, |all, &one| all << 2 | u32::from(one));
        (base + u32::from(register))
            | channels << OPERAND_CHANNELS_SHIFT
            | u32::from(abs) << OPERAND_ABS_SHIFT
            | u32::from(neg) << OPERAND_NEG_SHIFT
            | u32::from(flush) << OPERAND_FLUSH_SHIFT
    }

    fn given(&mut self, op: &MicroOp, given: Given) -> u32 {
        if let Some(bits) = given.literal(op.aux) {
            return self.literal(bits);
        }
        let operand = given.operand().and_then(|n| op.operands[n]);
        self.operand(match given {
            Given::Flushed => operand.map(|a| Vector { flush: 15, ..a }),
            _ => operand,
        })
    }

    fn op(&mut self, op: &MicroOp) -> [u32; 4] {
        let facts = op.op.facts();
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        let (mut dst, aux) = (u32::from(op.dst), u32::from(op.aux));
        let (kind, feature, given, last) = match facts.code {
            Encoding::General(general, given) => {
                let switch = match facts.aux {
                    Aux::Own => 0,
                    Aux::ZeroTimes => CODE_ZERO_TIMES,
                    Aux::Modifier => CODE_CLAMP,
                };
                let short = match facts.effect {
                    Effect::Held => aux >> 2,
                    Effect::Gate => {
                        dst = aux;
                        0
                    }
                    Effect::Bit => aux >> 3 | aux & CODE_TO_RESULT,
                    Effect::Row | Effect::Texel | Effect::Temporary | Effect::Memory => 0,
                    Effect::Kill | Effect::Flow | Effect::End => 0,
                };
                let kind = general as u32
                    | flag(op.op.writes_row(), CODE_HAS_ROW)
                    | flag(facts.effect == Effect::Held, CODE_MARK)
                    | flag(is_set(op.aux), switch)
                    | short << CODE_AUX_SHIFT;
                (kind, None, given, None)
            }
            Encoding::Own(feature) => {
                let given = [Given::A, Given::B, Given::Nothing];
                let class = match feature {
                    Feature::Quads | Feature::Flows | Feature::Ends => CLASS_GROUP,
                    Feature::Math
                    | Feature::Sums
                    | Feature::Fetches
                    | Feature::Relative
                    | Feature::Uncached
                    | Feature::Kills => CLASS_POINT,
                };
                let last = aux | u32::from(op.pc) << CODE_PC_SHIFT;
                (op.op.number() | class, Some(feature), given, Some(last))
            }
        };
        if let Some(feature) = feature {
            self.uses.add(feature);
        }
        let [a, b, c] = given.map(|given| self.given(op, given));
        let head = kind
            | (op.write as u32) << CODE_WRITE_SHIFT
            | u32::from(op.mask) << CODE_MASK_SHIFT
            | dst << CODE_DST_SHIFT;
        [head, a, b, last.unwrap_or(c)]
    }
}

/// Encodes a lowered program; with `single`, the operations that can have one lane get one each. The
/// result is invalid if the program has more than [`MAX_ROWS`] rows.
pub fn encode(lowered: &Lowered, program: &Program, single: bool) -> Encoded {
    // Operations with fewer operands read register 0, so it must exist.
    let packed = pack(lowered);
    let uniform_row = packed.rows.max(4);
    let mut encoder = Encoder {
        uniforms: packed.uniforms.len() as u32,
        uniform_row,
        literals: Vec::new(),
        numbers: HashMap::new(),
        uses: Uses::default(),
    };
    let mut words: Vec<[u32; 4]> = Vec::new();
    // The position of each micro-operation.
    let mut places = Vec::new();
    let mut lengths = vec![0; MAX_INSTRUCTIONS + 1];
    for op in &packed.ops {
        let lanes = if op.op.is_across() { 1 } else { op.mask.count_ones().max(1) };
        lengths[usize::from(op.pc)] += u64::from(lanes);
        places.push(words.len() as u32);
        if single && is_splittable(op.op) && op.mask != 0 {
            words.extend(op.lanes().map(|lane| encoder.op(&MicroOp { mask: 1 << lane, ..*op })));
        } else {
            words.push(encoder.op(op));
        }
    }
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
    let mut counts = counts_before(program);
    counts.resize(MAX_INSTRUCTIONS + 1, counts[counts.len() - 1]);
    let words = |Statistics { alu, out, tex, tex_fetching, fc, .. }| {
        [(alu | out << 10 | tex << 20) as u32, (tex_fetching | fc << 16) as u32]
    };
    counts.into_iter().flat_map(words).collect()
}

/// Whether lanes of an operation can be operations of their own. Others write or read several at once.
fn is_splittable(op: Op) -> bool {
    !op.is_across() && matches!(op, Op::Calc(_) | Op::Output | Op::SetBit)
}

/// A lowered program and its encodings.
pub struct Ready {
    /// The lowered program.
    pub lowered: Arc<Lowered>,
    /// The same program, encoded for shaders on CPUs (1) and on GPUs (0), once it was needed.
    encoded: [OnceLock<Encoded>; 2],
}

impl Ready {
    /// A launch's program.
    pub fn new(launch: &Checked) -> Ready {
        Ready { lowered: launch.lowered.clone(), encoded: Default::default() }
    }

    /// The program's encoding; with `single`, in single lanes.
    pub fn encoded(&self, program: &Program, single: bool) -> &Encoded {
        self.encoded[usize::from(single)].get_or_init(|| encode(&self.lowered, program, single))
    }
}
