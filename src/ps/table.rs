//! The instructions of ps_3_0: names and operands.

/// An instruction without its comparison and modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(super) enum Op {
    Abs,
    Add,
    Sub,
    Mul,
    Mad,
    Mov,
    Min,
    Max,
    Cmp,
    Lrp,
    Frc,
    Dp2Add,
    Dp3,
    Dp4,
    Rcp,
    Rsq,
    Exp,
    Log,
    Pow,
    Nrm,
    Crs,
    SinCos,
    /// A matrix: its number of rows, and whether rows have four numbers.
    Matrix(u8, bool),
    Dsx,
    Dsy,
    TexLd,
    TexLdb,
    TexLdl,
    TexLdp,
    TexLdd,
    TexKill,
    SetP,
    Nop,
    If,
    IfC,
    Else,
    EndIf,
    Rep,
    EndRep,
    Loop,
    EndLoop,
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
    row("add", Op::Add, BINARY),
    row("sub", Op::Sub, BINARY),
    row("mul", Op::Mul, BINARY),
    row("mad", Op::Mad, TERNARY),
    row("mov", Op::Mov, UNARY),
    row("min", Op::Min, BINARY),
    row("max", Op::Max, BINARY),
    row("cmp", Op::Cmp, TERNARY),
    row("lrp", Op::Lrp, TERNARY),
    row("frc", Op::Frc, UNARY),
    row("dp2add", Op::Dp2Add, &[Dest, Source, Source, Scalar]),
    row("dp3", Op::Dp3, BINARY),
    row("dp4", Op::Dp4, BINARY),
    row("rcp", Op::Rcp, OF_SCALAR),
    row("rsq", Op::Rsq, OF_SCALAR),
    row("exp", Op::Exp, OF_SCALAR),
    row("log", Op::Log, OF_SCALAR),
    row("pow", Op::Pow, &[Dest, Scalar, Scalar]),
    row("nrm", Op::Nrm, UNARY),
    row("crs", Op::Crs, BINARY),
    row("sincos", Op::SinCos, OF_SCALAR),
    row("m3x2", Op::Matrix(2, false), OF_MATRIX),
    row("m3x3", Op::Matrix(3, false), OF_MATRIX),
    row("m3x4", Op::Matrix(4, false), OF_MATRIX),
    row("m4x3", Op::Matrix(3, true), OF_MATRIX),
    row("m4x4", Op::Matrix(4, true), OF_MATRIX),
    row("dsx", Op::Dsx, UNARY),
    row("dsy", Op::Dsy, UNARY),
    row("texld", Op::TexLd, FETCH),
    row("texldb", Op::TexLdb, FETCH),
    row("texldl", Op::TexLdl, FETCH),
    row("texldp", Op::TexLdp, FETCH),
    row("texldd", Op::TexLdd, &[Temp, Source, Sampler, Source, Source]),
    row("texkill", Op::TexKill, &[Kill]),
    compare("setp", Op::SetP, &[DestPredicate, Source, Source]),
    row("nop", Op::Nop, &[]),
    row("if", Op::If, &[Condition]),
    compare("if", Op::IfC, SCALARS),
    compare("ifc", Op::IfC, SCALARS),
    row("else", Op::Else, &[]),
    row("endif", Op::EndIf, &[]),
    row("rep", Op::Rep, &[Int]),
    row("endrep", Op::EndRep, &[]),
    row("loop", Op::Loop, &[LoopCounter, Int]),
    row("endloop", Op::EndLoop, &[]),
    row("break", Op::Break, &[]),
    compare("break", Op::BreakC, SCALARS),
    compare("breakc", Op::BreakC, SCALARS),
    row("breakp", Op::BreakP, &[Predicate]),
    row("call", Op::Call, &[Role::Label]),
    row("callnz", Op::CallNz, &[Role::Label, Condition]),
    row("label", Op::Label, &[Role::Label]),
    row("ret", Op::Ret, &[]),
];

impl Op {
    /// Whether it fetches from a sampler.
    pub fn fetches(self) -> bool {
        matches!(self, Op::TexLd | Op::TexLdb | Op::TexLdl | Op::TexLdp | Op::TexLdd)
    }
    /// Whether a predicate may precede it.
    pub fn can_be_gated(self) -> bool {
        !matches!(
            self,
            Op::Nop
                | Op::If
                | Op::IfC
                | Op::Else
                | Op::EndIf
                | Op::Rep
                | Op::EndRep
                | Op::Loop
                | Op::EndLoop
                | Op::Break
                | Op::BreakC
                | Op::BreakP
                | Op::Call
                | Op::CallNz
                | Op::Label
                | Op::Ret
        )
    }
}

/// A comparison of two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compare {
    Gt,
    Lt,
    Ge,
    Le,
    Eq,
    Ne,
}

/// The comparisons and their suffixes in names.
pub(super) const COMPARES: &[(&str, Compare)] = &[
    ("gt", Compare::Gt),
    ("lt", Compare::Lt),
    ("ge", Compare::Ge),
    ("le", Compare::Le),
    ("eq", Compare::Eq),
    ("ne", Compare::Ne),
];

impl Compare {
    /// Whether the operands are swapped, and the comparison with 0 of their difference.
    pub fn of_difference(self) -> (bool, &'static str) {
        match self {
            Compare::Lt => (false, "<0"),
            Compare::Ge => (false, ">=0"),
            Compare::Gt => (true, "<0"),
            Compare::Le => (true, ">=0"),
            Compare::Eq => (false, "==0"),
            Compare::Ne => (false, "!=0"),
        }
    }
}
