//! The tree that the parser makes.

use super::table::{Compare, Op, Row};
use crate::asm::Span;

/// A register file of ps_3_0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum File {
    Temp,
    Input,
    Float,
    Int,
    Bool,
    Sampler,
    Label,
    Predicate,
    LoopCounter,
    Color,
    Depth,
    Position,
    Face,
}

/// A file as the language names it, whether its registers have numbers, and what people call it.
pub(super) const FILES: &[(&str, File, bool, &str)] = &[
    ("r", File::Temp, true, "a temporary"),
    ("v", File::Input, true, "an input"),
    ("c", File::Float, true, "a float constant"),
    ("i", File::Int, true, "an integer constant"),
    ("b", File::Bool, true, "a boolean constant"),
    ("s", File::Sampler, true, "a sampler"),
    ("l", File::Label, true, "a label"),
    ("p", File::Predicate, true, "the predicate"),
    ("aL", File::LoopCounter, false, "the loop counter"),
    ("oC", File::Color, true, "an output"),
    ("oDepth", File::Depth, false, "the depth output"),
    ("vPos", File::Position, false, "the position"),
    ("vFace", File::Face, false, "the face"),
];

impl File {
    /// What people call a register of the file.
    pub fn describe(self) -> &'static str {
        FILES.iter().find(|(_, file, ..)| *file == self).map_or("a register", |(.., text)| text)
    }
}

/// A register as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Register {
    pub file: File,
    /// Its number; with aL what is added to it.
    pub index: u32,
    pub relative: bool,
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Operand {
    pub span: Span,
    pub value: Value,
}

/// What an operand is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Register(RegisterUse),
    Number(f32),
    /// `true` or `false`.
    Bool(bool),
}

/// A register with all that can stand around it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct RegisterUse {
    pub register: Register,
    pub negate: bool,
    pub abs: bool,
    /// `!`.
    pub not: bool,
    /// The channels behind the dot, 0 to 3 each, at most four.
    pub swizzle: Option<Vec<u8>>,
}

/// `(p0.x)` in front of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gate {
    pub span: Span,
    pub not: bool,
    /// One bit for all channels; else each channel has its own.
    pub channel: Option<u8>,
}

/// An instruction.
#[derive(Clone, Debug)]
pub(super) struct Instruction {
    pub span: Span,
    pub row: &'static Row,
    pub op: Op,
    pub compare: Option<Compare>,
    pub saturate: Option<Span>,
    pub gate: Option<Gate>,
    pub operands: Vec<Operand>,
}

/// What a declaration is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    /// An input; the number of its `texcoord` if it has that semantic.
    Input(Option<u32>),
    /// A sampler of two dimensions.
    Sampler2d,
    /// A sampler of another kind, which the machine does not have.
    SamplerOther,
}

/// A statement.
#[derive(Clone, Debug)]
pub(super) enum Statement {
    Instruction(Instruction),
    /// `dcl...`
    Declare {
        span: Span,
        what: Declared,
        operand: Operand,
    },
    /// `def`, `defi`, `defb`: the register and its values.
    Define {
        span: Span,
        file: File,
        operands: Vec<Operand>,
    },
    /// `end`.
    End(Span),
}
