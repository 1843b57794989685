//! The instructions of ps_3_0: names, expansions and operands.

use ctm_isa::text::BlockKind;

/// An instruction without its comparison and modifiers: how it is expanded. Texts are operations of
/// the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    /// Lane by lane, with the same operands.
    Vector(&'static str),
    Abs,
    Mul,
    Cmp,
    Lrp,
    /// A dot product.
    Dot(&'static str),
    /// A function of one channel.
    Scalar(&'static str),
    /// A function of the absolute value of one channel.
    ScalarOfAbs(&'static str),
    Pow,
    Nrm,
    Crs,
    SinCos,
    /// A matrix: its number of rows, and the product with each.
    Matrix(u8, &'static str),
    /// A difference of neighbours.
    Derivative(&'static str),
    Fetch(&'static str),
    TexKill,
    SetP,
    Nop,
    Flow(Jump),
}

/// Flow control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Jump {
    If,
    IfC,
    Else,
    Rep,
    Loop,
    /// The end of a block.
    End(BlockKind),
    Break,
    BreakC,
    BreakP,
    Call,
    CallNz,
    Label,
    Ret,
}

/// The role of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A register that is written: r, oC, oDepth.
    Dest,
    /// A temporary that is written.
    Temp,
    /// p0, written.
    DestPredicate,
    /// A register that is read.
    Source,
    /// One channel of a register that is read.
    Scalar,
    /// The first row of a matrix.
    Matrix,
    /// A register that texkill tests.
    Kill,
    /// s#.
    Sampler,
    /// i#.
    Int,
    /// aL.
    LoopCounter,
    /// b# or p0.x, also with `!`.
    Condition,
    /// p0.x, also with `!`.
    Predicate,
    /// l#.
    Label,
}

/// One instruction.
#[derive(Debug)]
pub(super) struct Row {
    pub name: &'static str,
    pub op: Op,
    pub operands: &'static [Role],
    /// Whether its name ends with a comparison: `setp_gt`.
    pub compares: bool,
}

const fn row(name: &'static str, op: Op, operands: &'static [Role]) -> Row {
    Row { name, op, operands, compares: false }
}

const fn compare(name: &'static str, op: Op, operands: &'static [Role]) -> Row {
    Row { name, op, operands, compares: true }
}

use Role::*;
const UNARY: &[Role] = &[Dest, Source];
const BINARY: &[Role] = &[Dest, Source, Source];
const TERNARY: &[Role] = &[Dest, Source, Source, Source];
const OF_SCALAR: &[Role] = &[Dest, Scalar];
const OF_MATRIX: &[Role] = &[Dest, Source, Matrix];
const FETCH: &[Role] = &[Temp, Source, Sampler];
const SCALARS: &[Role] = &[Scalar, Scalar];

/// All instructions. The names of those that compare continue with `_gt`, `_lt`, `_ge`, `_le`,
/// `_eq` or `_ne`. `if` and `break` without a comparison have rows of their own.
pub(super) const ROWS: &[Row] = &[
    row("abs", Op::Abs, UNARY),
    row("add", Op::Vector("add"), BINARY),
    row("sub", Op::Vector("sub"), BINARY),
    row("mul", Op::Mul, BINARY),
    row("mad", Op::Vector("mad"), TERNARY),
    row("mov", Op::Vector("mov.exact"), UNARY),
    row("min", Op::Vector("min.exact"), BINARY),
    row("max", Op::Vector("max.exact"), BINARY),
    row("cmp", Op::Cmp, TERNARY),
    row("lrp", Op::Lrp, TERNARY),
    row("frc", Op::Vector("frc"), UNARY),
    row("dp2add", Op::Dot("d2a"), &[Dest, Source, Source, Scalar]),
    row("dp3", Op::Dot("dp3"), BINARY),
    row("dp4", Op::Dot("dp4"), BINARY),
    row("rcp", Op::Scalar("rcp"), OF_SCALAR),
    row("rsq", Op::ScalarOfAbs("rsq"), OF_SCALAR),
    row("exp", Op::Scalar("ex2"), OF_SCALAR),
    row("log", Op::ScalarOfAbs("ln2"), OF_SCALAR),
    row("pow", Op::Pow, &[Dest, Scalar, Scalar]),
    row("nrm", Op::Nrm, UNARY),
    row("crs", Op::Crs, BINARY),
    row("sincos", Op::SinCos, OF_SCALAR),
    row("m3x2", Op::Matrix(2, "dp3"), OF_MATRIX),
    row("m3x3", Op::Matrix(3, "dp3"), OF_MATRIX),
    row("m3x4", Op::Matrix(4, "dp3"), OF_MATRIX),
    row("m4x3", Op::Matrix(3, "dp4"), OF_MATRIX),
    row("m4x4", Op::Matrix(4, "dp4"), OF_MATRIX),
    row("dsx", Op::Derivative("mdh"), UNARY),
    row("dsy", Op::Derivative("mdv"), UNARY),
    row("texld", Op::Fetch("ld"), FETCH),
    row("texldb", Op::Fetch("lodbias"), FETCH),
    row("texldl", Op::Fetch("lod"), FETCH),
    row("texldp", Op::Fetch("proj"), FETCH),
    row("texldd", Op::Fetch("dxdy"), &[Temp, Source, Sampler, Source, Source]),
    row("texkill", Op::TexKill, &[Kill]),
    compare("setp", Op::SetP, &[DestPredicate, Source, Source]),
    row("nop", Op::Nop, &[]),
    row("if", Op::Flow(Jump::If), &[Condition]),
    compare("if", Op::Flow(Jump::IfC), SCALARS),
    compare("ifc", Op::Flow(Jump::IfC), SCALARS),
    row("else", Op::Flow(Jump::Else), &[]),
    row("endif", Op::Flow(Jump::End(BlockKind::If)), &[]),
    row("rep", Op::Flow(Jump::Rep), &[Int]),
    row("endrep", Op::Flow(Jump::End(BlockKind::Rep)), &[]),
    row("loop", Op::Flow(Jump::Loop), &[LoopCounter, Int]),
    row("endloop", Op::Flow(Jump::End(BlockKind::Loop)), &[]),
    row("break", Op::Flow(Jump::Break), &[]),
    compare("break", Op::Flow(Jump::BreakC), SCALARS),
    compare("breakc", Op::Flow(Jump::BreakC), SCALARS),
    row("breakp", Op::Flow(Jump::BreakP), &[Predicate]),
    row("call", Op::Flow(Jump::Call), &[Role::Label]),
    row("callnz", Op::Flow(Jump::CallNz), &[Role::Label, Condition]),
    row("label", Op::Flow(Jump::Label), &[Role::Label]),
    row("ret", Op::Flow(Jump::Ret), &[]),
];

impl Op {
    /// Whether it fetches from a sampler.
    pub fn fetches(self) -> bool {
        matches!(self, Op::Fetch(_))
    }
    /// Whether a predicate may precede it.
    pub fn can_be_gated(self) -> bool {
        !matches!(self, Op::Nop | Op::Flow(_))
    }
}

/// A comparison of two values: its suffix in names, whether the operands are swapped, and the
/// comparison with 0 of their difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CompareSuffix {
    pub suffix: &'static str,
    swap: bool,
    pub test: &'static str,
}

/// The comparisons.
pub(super) const COMPARES: [CompareSuffix; 6] = [
    CompareSuffix { suffix: "gt", swap: true, test: "<0" },
    CompareSuffix { suffix: "lt", swap: false, test: "<0" },
    CompareSuffix { suffix: "ge", swap: false, test: ">=0" },
    CompareSuffix { suffix: "le", swap: true, test: ">=0" },
    CompareSuffix { suffix: "eq", swap: false, test: "==0" },
    CompareSuffix { suffix: "ne", swap: false, test: "!=0" },
];

impl CompareSuffix {
    /// The operands of the difference.
    pub fn of<T>(&self, a: T, b: T) -> [T; 2] {
        if self.swap { [b, a] } else { [a, b] }
    }
}
