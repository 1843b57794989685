//! Lowering: a program as micro-operations with every operand resolved.
//!
//! The fast engines share this form. A micro-operation works on scalars. A *row* is one channel of
//! one register of a point, or a scratch value. A *uniform* is a value that is the same for all
//! points. Lowering decides everything that does not depend on the launch: the register channel,
//! constant or literal that an operand reads, presubtracts, modifiers of uniforms, idle units and
//! dead lanes, moves, redundant flushes, and jump targets.
//!
//! The encoding is plain data (`#[repr(C)]`), the same for a CPU and a shader. It depends only on
//! the program and on which temporaries start with data of unknown form. Constants enter when a
//! launch resolves the [`Uniform`]s.
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
mod print;
mod steps;
mod uniform;

#[cfg(test)]
mod tests;

pub use build::lower;
pub use steps::{Steps, steps};
pub use uniform::{Uniform, UniformScalar, UniformValue};

/// What a micro-operation does. Values are float bits; see the float model for the arithmetic.
#[repr(u8)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// dst = a, bit for bit.
    Mov,
    /// dst = a * b + c, two roundings. [`MicroOp::ZERO_TIMES`] selects the multiplier's zero rule.
    Mad,
    /// dst = a * b + 0.
    Mul,
    /// dst = a + c.
    Add,
    /// dst = a * b for a sum: flushed, but its NaN is of any form.
    Product,
    /// dst = aligned sum of a, b, c.
    Sum3,
    /// dst = aligned sum of a, b, c, d.
    Sum4,
    /// dst = min(a, b), the chosen operand bit for bit.
    Min,
    /// dst = max(a, b), the chosen operand bit for bit.
    Max,
    /// dst = c > 0.5 ? a : b.
    Cnd,
    /// dst = c >= 0 ? a : b.
    Cmp,
    /// dst = a - floor(a).
    Frc,
    /// dst = 2^a.
    Ex2,
    /// dst = log2(a).
    Ln2,
    /// dst = 1 / a.
    Rcp,
    /// dst = 1 / sqrt(a).
    Rsq,
    /// dst = sin(2 pi a).
    Sin,
    /// dst = cos(2 pi a).
    Cos,
    /// dst = clamp(a * 2^k): output modifier `aux & 7`, clamp if `aux & 8`.
    Finish,
    /// dst = a of a point of the quad: `aux` 0 top-left, 1 top-right, 2 bottom-left.
    Quad,
    /// dst = channel `aux & 3` of temporary (`aux >> 2`) + aL.
    LoadTemp,
    /// dst = channel `aux & 3` of float constant (`aux >> 2`) + aL.
    LoadConstant,
    /// Channel `aux & 3` of temporary (`aux >> 2`) + aL = a.
    StoreTemp,
    /// The gate becomes the set of points that pass all of `aux`, see [`GateBits`].
    Gate,
    /// Predicate bit `aux & 3` = a compared with 0 by comparison `aux >> 2`.
    SetPredicate,
    /// ALU result = a compared with 0 by comparison `aux >> 2`.
    SetAluResult,
    /// Held output `aux >> 2`, channel `aux & 3` = a; dst is its row.
    Output,
    /// The point's own conditional value = a; dst is its row.
    OwnValue,
    /// Uncached write: value a to element (floor(b), floor(c)); d must be zero.
    Uncached,
    /// Rows dst to dst + 3 = the texel at S = a, T = b, Q = c; `aux` as in [`FetchBits`].
    Fetch,
    /// Kill points where a, b, c or d is negative and not a NaN.
    Kill,
    /// Flow control: entry `aux` of [`Lowered::flows`].
    Flow,
    /// The group ends.
    End,
    /// The pc goes from slot 511 to slot 0.
    Wrap,
    /// The pc reached a slot without an instruction.
    Missing,
}

impl Op {
    /// Whether it computes a value or has an effect other than on the order of instructions.
    #[must_use]
    pub fn computes(self) -> bool {
        !matches!(self, Op::Gate | Op::Flow | Op::End | Op::Wrap | Op::Missing)
    }

    /// Whether it writes the row that it names. A fetch also writes the next three.
    #[must_use]
    pub fn writes_row(self) -> bool {
        self.computes()
            && !matches!(
                self,
                Op::StoreTemp | Op::SetPredicate | Op::SetAluResult | Op::Uncached | Op::Kill
            )
    }
}

/// The points for which a micro-operation writes.
#[repr(u8)]
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
#[repr(transparent)]
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
    /// Whether it is a uniform.
    pub const fn is_uniform(self) -> bool {
        self.0 & Self::UNIFORM != 0
    }
    /// Whether the operand is unused ([`Operand::NONE`]).
    pub const fn is_none(self) -> bool {
        self.0 == u32::MAX
    }
    /// Whether it is read without modifiers.
    pub const fn is_plain(self) -> bool {
        self.0 & (Self::ABS | Self::NEG | Self::FLUSH) == 0
    }
}

/// One micro-operation.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MicroOp {
    /// The operation.
    pub op: Op,
    /// The points for which it writes.
    pub write: Write,
    /// [`MicroOp::ZERO_TIMES`].
    pub flags: u8,
    /// Unused.
    pub pad: u8,
    /// Slot of its instruction.
    pub pc: u16,
    /// Depends on the operation.
    pub aux: u16,
    /// Destination row.
    pub dst: u32,
    /// First operand.
    pub a: Operand,
    /// Second operand.
    pub b: Operand,
    /// Third operand.
    pub c: Operand,
    /// Fourth operand.
    pub d: Operand,
}

impl MicroOp {
    /// Flag of products: 0 times anything is 0.
    pub const ZERO_TIMES: u8 = 1;
}

/// The bits of [`MicroOp::aux`] of a [`Op::Fetch`].
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

/// The bits of [`MicroOp::aux`] of a [`Op::Gate`].
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
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flow {
    /// [`crate::isa::FcOp`] code.
    pub op: u8,
    /// Truth table over (alu result, predicate, boolean).
    pub jump_func: u8,
    /// [`crate::isa::AddressOp`] code.
    pub a_op: u8,
    /// [`crate::isa::BranchOp`] code after staying.
    pub b_op0: u8,
    /// [`crate::isa::BranchOp`] code after a jump.
    pub b_op1: u8,
    /// The amount that a DECR subtracts.
    pub b_pop_cnt: u8,
    /// Predicate bit 0 to 3; 4: always 1.
    pub predicate: u8,
    /// [`Flow::ELSE`] and the other flags.
    pub flags: u8,
    /// Integer constant.
    pub int_addr: u8,
    /// Boolean constant.
    pub bool_addr: u8,
    /// Slot of the target.
    pub target: u16,
}

impl Flow {
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

/// What a lowered program needs from an engine.
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
    pub ops: Vec<MicroOp>,
    /// The flow-control instructions that [`Op::Flow`] refers to.
    pub flows: Vec<Flow>,
    /// The first micro-operation of each slot 0 to 511. Slots without an instruction point to
    /// [`Op::Missing`].
    pub entry: Vec<u32>,
    /// Values that are the same for all points.
    pub uniforms: Vec<Uniform>,
    /// Number of rows: temporaries, then held outputs, the own value, scratch.
    pub rows: u32,
    /// The row of each temporary channel (4 n + channel); [`NO_ROW`] if the program has none.
    pub temp_rows: Vec<u16>,
    /// The row of each held output channel (4 n + channel); [`NO_ROW`] if there is none.
    pub output_rows: [u16; 16],
    /// The row of the own conditional value; [`NO_ROW`] if there is none.
    pub own_row: u16,
    /// The slot of the first instruction executed.
    pub start: u32,
    /// What it needs from an engine.
    pub needs: Needs,
}

/// The row number that means "none" in the maps of [`Lowered`].
pub const NO_ROW: u16 = u16::MAX;
