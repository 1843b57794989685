//! The instructions of ps_3_0: names, expansions and operands.

use ctm_base::text::BlockKind;
use ctm_isa::isa::{Comparison, TexOp};

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
    Fetch(TexOp),
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

/// The role of an operand, as far as all instructions share it; the expansions know the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A register that is written: r, oC, oDepth.
    Dest,
    /// One channel of a register that is read.
    Scalar,
    /// Any other.
    Other,
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
const UNARY: &[Role] = &[Dest, Other];
const BINARY: &[Role] = &[Dest, Other, Other];
const TERNARY: &[Role] = &[Dest, Other, Other, Other];
const OF_SCALAR: &[Role] = &[Dest, Scalar];
const OF_MATRIX: &[Role] = &[Dest, Other, Other];
const FETCH: &[Role] = &[Other, Other, Other];
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
    row("dp2add", Op::Dot("d2a"), &[Dest, Other, Other, Scalar]),
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
    row("texld", Op::Fetch(TexOp::Ld), FETCH),
    row("texldb", Op::Fetch(TexOp::LodBias), FETCH),
    row("texldl", Op::Fetch(TexOp::Lod), FETCH),
    row("texldp", Op::Fetch(TexOp::Proj), FETCH),
    row("texldd", Op::Fetch(TexOp::DxDy), &[Other, Other, Other, Other, Other]),
    row("texkill", Op::TexKill, &[Other]),
    compare("setp", Op::SetP, &[Other, Other, Other]),
    row("nop", Op::Nop, &[]),
    row("if", Op::Flow(Jump::If), &[Other]),
    compare("if", Op::Flow(Jump::IfC), SCALARS),
    compare("ifc", Op::Flow(Jump::IfC), SCALARS),
    row("else", Op::Flow(Jump::Else), &[]),
    row("endif", Op::Flow(Jump::End(BlockKind::If)), &[]),
    row("rep", Op::Flow(Jump::Rep), &[Other]),
    row("endrep", Op::Flow(Jump::End(BlockKind::Rep)), &[]),
    row("loop", Op::Flow(Jump::Loop), &[Other, Other]),
    row("endloop", Op::Flow(Jump::End(BlockKind::Loop)), &[]),
    row("break", Op::Flow(Jump::Break), &[]),
    compare("break", Op::Flow(Jump::BreakC), SCALARS),
    compare("breakc", Op::Flow(Jump::BreakC), SCALARS),
    row("breakp", Op::Flow(Jump::BreakP), &[Other]),
    row("call", Op::Flow(Jump::Call), &[Other]),
    row("callnz", Op::Flow(Jump::CallNz), &[Other, Other]),
    row("label", Op::Flow(Jump::Label), &[Other]),
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
    pub test: Comparison,
}

pub(super) const COMPARES: [CompareSuffix; 6] = [
    CompareSuffix { suffix: "gt", swap: true, test: Comparison::Less },
    CompareSuffix { suffix: "lt", swap: false, test: Comparison::Less },
    CompareSuffix { suffix: "ge", swap: false, test: Comparison::GreaterEqual },
    CompareSuffix { suffix: "le", swap: true, test: Comparison::GreaterEqual },
    CompareSuffix { suffix: "eq", swap: false, test: Comparison::Equal },
    CompareSuffix { suffix: "ne", swap: false, test: Comparison::NotEqual },
];

impl CompareSuffix {
    /// The operands of the difference.
    pub fn of<T>(&self, a: T, b: T) -> [T; 2] {
        if self.swap { [b, a] } else { [a, b] }
    }
}
