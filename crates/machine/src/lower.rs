//! Lowering: a program as micro-operations with every operand resolved.
//!
//! The fast engines share this form. A *row* is one channel of one register of a point, or a scratch
//! value. A micro-operation ([`RowOp`]) computes one row. A *uniform* is a value that is the same for
//! all points. Lowering decides everything that does not depend on the launch: the register channel,
//! constant or literal that an operand reads, presubtracts, modifiers of uniforms, idle units and
//! dead lanes, moves, redundant flushes, and jump targets. The interpreter for GPUs packs rows to
//! micro-operations of four lanes (`ctm_shade::pack`).
//!
//! The form is plain data. It depends only on the program, on which temporaries start with data of
//! unknown form, and on the arithmetic of what is computed once: that of mode `chip`, or exact.
//! Constants enter when a launch resolves the [`Uniform`]s.
//!
//! # Guards left out
//! A row is *clean* if it can hold neither a denormal nor a NaN other than 0x7fffffff. Results of
//! arithmetic with an output modifier 0 to 6 are clean. So are the values a point starts with
//! (zero, its index, interpolants). Fetched data and copies by OMOD_DISABLED may not be clean. Each
//! rule below is tested against the reference engine.
//!
//! 1. A clean operand is not flushed again. Sign modifiers create no denormals.
//! 2. A MAD leaves out a multiplication by a literal 1.0: the product is the operand, flushed.
//! 3. A literal +0.0 added to a product needs no second flush: the product is already flushed.
//! 4. The output modifier x1 does nothing after arithmetic. After MIN, MAX, CND, CMP it does
//!    nothing if both candidates are clean and their sign is not modified.
//! 5. Only the last operation of a chain must turn NaNs into 0x7fffffff: a product that feeds a
//!    sum may be any NaN.
//!
//! Within a straight run of instructions, a row counts as clean once all active points have written
//! it clean, even if it is unclean elsewhere. Instructions that look at inactive points
//! (WRITE_INACTIVE, MDH, MDV) do not use that fact.

mod alu;
mod build;
mod operands;
mod rows;
mod steps;
mod temps;
mod uniform;

pub use build::lower;
pub use steps::runs;
pub use uniform::{Computed, Uniform, UniformScalar, UniformValue};

use crate::launch::{Constants, FloatMode};
use ctm_isa::isa::{AddressOp, BranchOp, FcOp, LETTERS};
use ctm_isa::ops::{Given, Op};
use std::ops::Range;

/// The points for which a micro-operation writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Write {
    /// All 64: scratch values, and instructions with WRITE_INACTIVE.
    All,
    /// The active points.
    Active,
    /// The points of the last [`Op::Gate`].
    Gated,
}

/// An operand: a row or a uniform, and the modifiers applied when it is read.
///
/// Bits 15:0: index. Bit 16: set for a uniform. Then, in the order in which they apply: bit 17
/// absolute value, bit 18 negation, bit 19 flush of denormals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand(pub u32);

impl Operand {
    /// An operand that is not used.
    pub const NONE: Operand = Operand(u32::MAX);
    /// The uniform bit.
    pub const UNIFORM: u32 = 1 << 16;
    /// The absolute-value bit.
    pub const ABS: u32 = 1 << 17;
    /// The negation bit.
    pub const NEG: u32 = 1 << 18;
    /// The flush bit.
    pub const FLUSH: u32 = 1 << 19;

    /// An unmodified row.
    pub const fn row(row: u32) -> Operand {
        Operand(row)
    }
    /// An unmodified uniform.
    pub const fn uniform(index: u32) -> Operand {
        Operand(index | Self::UNIFORM)
    }
    /// The number of the row or uniform.
    pub const fn index(self) -> u32 {
        self.0 & 0xffff
    }
    /// Whether any of some bits are set.
    pub const fn has(self, bits: u32) -> bool {
        self.0 & bits != 0
    }
    /// Whether it is a uniform.
    pub const fn is_uniform(self) -> bool {
        self.has(Self::UNIFORM)
    }
    /// Whether the operand is unused ([`Operand::NONE`]).
    pub const fn is_none(self) -> bool {
        self.0 == u32::MAX
    }
    /// Whether it is this row, with or without modifiers.
    pub const fn is_row(self, row: u32) -> bool {
        self.0 & (Self::UNIFORM | 0xffff) == row
    }
    /// Whether it is read without modifiers.
    pub const fn is_plain(self) -> bool {
        !self.has(Self::ABS | Self::NEG | Self::FLUSH)
    }
}

/// A micro-operation of one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowOp {
    /// The operation.
    pub op: Op,
    /// The points for which it writes.
    pub write: Write,
    /// Slot of its instruction.
    pub pc: u16,
    /// Depends on the operation.
    pub aux: u16,
    /// Destination row.
    pub dst: u32,
    /// The operands a, b, c, d.
    pub operands: [Operand; 4],
}

/// The number of the ALU result after those of the predicates, in [`Op::SetBit`].
pub const ALU_RESULT: u16 = 4;

/// The number of the own conditional value after those of the outputs' channels, in [`Op::Output`].
pub const OWN_VALUE: u16 = 16;

impl RowOp {
    /// The operands that it reads.
    pub fn read(&self) -> impl Iterator<Item = Operand> {
        self.operands.into_iter().filter(|operand| !operand.is_none())
    }

    /// The input in a place of the general operation that an interpreter runs for it.
    pub fn given(&self, given: Given) -> Input {
        if let Some(bits) = given.literal(self.aux) {
            return Input::Literal(bits);
        }
        let a = self.operands[0];
        Input::Operand(match given {
            Given::Flushed => Operand(a.0 | Operand::FLUSH),
            given => given.operand().map_or(Operand::NONE, |n| self.operands[n]),
        })
    }

    /// The rows that it writes. A [`Op::StoreTemp`] writes one that it does not name.
    pub fn rows(&self) -> Range<u32> {
        self.dst..self.dst + self.op.facts().effect.rows()
    }

    /// Whether it marks an output whose value is already in its row.
    pub fn is_mark(&self) -> bool {
        self.op == Op::Output && self.operands[0] == Operand::row(self.dst)
    }
}

/// An input of a general operation, see [`RowOp::given`].
pub enum Input {
    /// An operand of the micro-operation.
    Operand(Operand),
    /// Float bits.
    Literal(u32),
}

/// The operands given, and none in the other places.
fn operands_of(given: &[Operand]) -> [Operand; 4] {
    std::array::from_fn(|n| given.get(n).copied().unwrap_or(Operand::NONE))
}

/// The bits of [`RowOp::aux`] of a [`Op::Fetch`].
pub struct FetchBits;

impl FetchBits {
    /// Bits 3:0: the input.
    pub const INPUT: u16 = 15;
    /// S and T are first multiplied by 1 / Q.
    pub const PROJECT: u16 = 1 << 4;
    /// S and T are texel coordinates.
    pub const UNSCALED: u16 = 1 << 5;
    /// Uncovered points fetch nothing.
    pub const IGNORE_UNCOVERED: u16 = 1 << 6;
    /// Inactive points fetch too.
    pub const ALL: u16 = 1 << 7;
    /// The result is discarded: nothing is read, but the fetch is counted.
    pub const DEAD: u16 = 1 << 12;
    /// Bits 11:8: the channels that are needed.
    pub const CHANNELS_SHIFT: u32 = 8;
}

/// The bits of [`RowOp::aux`] of a [`Op::Gate`].
///
/// Bits 3:0: predicate bits that must be 1; bits 7:4: predicate bits that must be 0.
pub struct GateBits;

impl GateBits {
    /// Position of the bits that must be 0.
    pub const FAIL_SHIFT: u32 = 4;
    /// Inactive points pass too.
    pub const ALL: u16 = 1 << 8;
    /// Only covered points pass.
    pub const COVERED: u16 = 1 << 9;
}

/// A flow-control instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowControl {
    /// The opcode.
    pub op: FcOp,
    /// Truth table over (alu result, predicate, boolean).
    pub jump_func: u8,
    /// The effect of a jump on the address stack.
    pub a_op: AddressOp,
    /// The effect of staying on the branch counters.
    pub b_op0: BranchOp,
    /// The effect of a jump on the branch counters.
    pub b_op1: BranchOp,
    /// The amount that a DECR subtracts.
    pub b_pop_cnt: u8,
    /// Predicate bit 0 to 3; 4: always 1.
    pub predicate: u8,
    /// [`FlowControl::ELSE`] and the other flags.
    pub flags: u8,
    /// Integer constant.
    pub int_addr: u8,
    /// Boolean constant.
    pub bool_addr: u8,
    /// Slot of the target.
    pub target: u16,
}

impl FlowControl {
    /// B_ELSE.
    pub const ELSE: u8 = 1;
    /// JUMP_ANY.
    pub const ANY: u8 = 2;
    /// IGNORE_UNCOVERED.
    pub const IGNORE_UNCOVERED: u8 = 4;
    /// The predicate is inverted.
    pub const INVERT: u8 = 8;
    /// The group ends after this instruction.
    pub const END: u8 = 16;
}

/// Features that a lowered program needs from an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Needs {
    /// Inputs it fetches from, bit n for input n.
    pub inputs: u16,
    /// It reads other points of the quad.
    pub neighbours: bool,
    /// It addresses temporaries or constants with aL.
    pub relative: bool,
    /// It can kill points.
    pub kill: bool,
    /// It makes uncached writes.
    pub uncached: bool,
    /// It writes its own conditional value.
    pub own_value: bool,
    /// It has predicates.
    pub predicates: bool,
    /// It has flow control.
    pub flow: bool,
}

/// A lowered program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lowered {
    /// The micro-operations, in the order of the slots.
    pub ops: Vec<RowOp>,
    /// The first micro-operation of each slot 0 to 511. Slots without an instruction point to
    /// [`Op::Missing`].
    pub entry: Vec<u32>,
    /// The flow-control instructions that [`Op::Flow`] refers to.
    pub flows: Vec<FlowControl>,
    /// Values that are the same for all points, in the order in which operations first read them.
    pub uniforms: Vec<Uniform>,
    /// Operations on uniforms alone, whose results are uniforms.
    pub computed: Vec<Computed>,
    /// The arithmetic of `computed` and of literals.
    pub mode: FloatMode,
    /// Number of rows, four to a register: temporaries, then held outputs, the own value, scratch.
    pub rows: u32,
    /// Number of rows of temporaries.
    pub temporaries: u32,
    /// The first row of scratch values.
    pub scratch: u32,
    /// The row of each temporary channel (4 n + channel); [`NO_ROW`] if the program has none.
    pub temp_rows: Vec<u16>,
    /// The row of each held output channel (4 n + channel); [`NO_ROW`] if there is none.
    pub output_rows: [u16; 16],
    /// The row of the own conditional value; [`NO_ROW`] if there is none.
    pub own_row: u16,
    /// The row of each [`Window`] channel; [`NO_ROW`] if there is none. Empty without data sharing.
    pub windows: Vec<u16>,
    /// The slot of the first instruction executed.
    pub start: u32,
    /// Features that it needs from an engine.
    pub needs: Needs,
}

impl Lowered {
    /// The bits of the uniforms in a launch with these constants.
    pub fn resolve(&self, constants: &Constants) -> Vec<u32> {
        self.resolve_all(&self.uniforms, constants)
    }

    /// The bits of the program's uniforms in another order.
    pub fn resolve_all(&self, uniforms: &[Uniform], constants: &Constants) -> Vec<u32> {
        uniform::resolve(uniforms, &self.computed, &constants.float[..], self.mode)
    }

    /// The name of each row: `r3.g`, `o0.a`, `w`, or `t5` for scratch; `dot` is between register
    /// and channel.
    pub fn row_names(&self, dot: char) -> Vec<String> {
        let mut names: Vec<String> = (0..self.rows).map(|row| format!("t{row}")).collect();
        let mut name = |rows: &[u16], letter: char| {
            for (n, &row) in rows.iter().enumerate().filter(|&(_, &row)| row != NO_ROW) {
                names[row as usize] = format!("{letter}{}{dot}{}", n / 4, LETTERS[n % 4]);
            }
        };
        name(&self.temp_rows, 'r');
        name(&self.output_rows, 'o');
        if self.own_row != NO_ROW {
            names[self.own_row as usize] = "w".to_string();
        }
        names
    }

    /// Whether a uniform depends only on `known` constants, each a number and a channel.
    pub fn depends_only_on(&self, uniform: &Uniform, known: &dyn Fn((u8, u8)) -> bool) -> bool {
        uniform.depends_only_on(&self.computed, known)
    }
}

/// The rows for the operands of an instruction that are global registers. The engine fills those of
/// sources before the instruction, and stores those of destinations after it.
pub struct Window;

impl Window {
    /// The number of channels.
    pub const COUNT: usize = 36;
    /// The value from which AR.X is set.
    pub const AR: usize = 32;

    /// A channel of source operand n: rgb0 to rgb2, a0 to a2.
    pub const fn source(n: usize, channel: usize) -> usize {
        4 * n + channel
    }
    /// A channel of the destination of the RGB unit or of the alpha unit.
    pub const fn dest(unit: usize, channel: usize) -> usize {
        24 + 4 * unit + channel
    }
}

/// The row number that means "none" in the maps of [`Lowered`].
pub const NO_ROW: u16 = u16::MAX;
