//! The syntax tree: the output of the parser. Names are not resolved yet.

use super::diagnostics::Span;
use crate::isa::{Comparison, Modifier, Omod, Presub};

/// A piece of syntax and its position.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct At<T> {
    pub node: T,
    pub span: Span,
}

impl<T> At<T> {
    pub fn new(node: T, span: Span) -> At<T> {
        At { node, span }
    }
}

/// A word of the source.
pub(super) type Word<'s> = At<&'s str>;

/// One line, or one part of a line with a label.
#[derive(Clone, Debug)]
pub(super) enum Line<'s> {
    Label(Word<'s>),
    Directive(Directive<'s>),
    Statement(Box<Statement<'s>>),
}

/// A directive. Everything after its name is a list of arguments.
#[derive(Clone, Debug)]
pub(super) struct Directive<'s> {
    pub name: Word<'s>,
    pub arguments: Vec<At<Argument<'s>>>,
}

/// An argument of a directive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Argument<'s> {
    Word(&'s str),
    /// A number as written, and whether a minus sign precedes it.
    Number(&'s str, bool),
}

/// A statement that makes one instruction (or, for some structured ones, marks a place).
#[derive(Clone, Debug)]
pub(super) struct Statement<'s> {
    pub span: Span,
    pub gate: Option<Gate<'s>>,
    pub kind: StatementKind<'s>,
    pub flags: Vec<Flag<'s>>,
}

#[derive(Clone, Debug)]
pub(super) enum StatementKind<'s> {
    Explicit(Explicit<'s>),
    Alu(Vec<Half<'s>>),
    Tex(Fetch<'s>),
    /// A flow-control instruction with an arrow. The assembler adds nothing.
    Flow(Flow<'s>),
    If(Condition<'s>),
    Else,
    EndIf(Option<At<u32>>),
    Loop(IntOperand<'s>),
    EndLoop,
    Rep(IntOperand<'s>),
    EndRep,
    Break(Option<Condition<'s>>),
    Continue(Option<Condition<'s>>),
    Call(Word<'s>, Option<Condition<'s>>),
    Ret(Option<Condition<'s>>),
    End,
}

/// `ALU US_CMN_INST(RGB_WMASK=7) WORD4(0x12)`.
#[derive(Clone, Debug)]
pub(super) struct Explicit<'s> {
    pub class: Word<'s>,
    pub words: Vec<ExplicitWord<'s>>,
}

#[derive(Clone, Debug)]
pub(super) struct ExplicitWord<'s> {
    pub register: Word<'s>,
    pub values: Vec<ExplicitValue<'s>>,
}

/// `FIELD=value`, or a bare number for a whole word.
#[derive(Clone, Debug)]
pub(super) struct ExplicitValue<'s> {
    pub field: Option<Word<'s>>,
    pub value: Word<'s>,
}

/// `@name`, `@!name`, `@name(arguments)`.
#[derive(Clone, Debug)]
pub(super) struct Flag<'s> {
    pub name: Word<'s>,
    pub off: bool,
    pub arguments: Vec<FlagArgument<'s>>,
}

/// `word`, `3`, or `slot=register`.
#[derive(Clone, Debug)]
pub(super) struct FlagArgument<'s> {
    pub key: Word<'s>,
    pub value: Option<At<SlotValue<'s>>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum SlotValue<'s> {
    Register(RegisterRef<'s>),
    Number(f32),
}

/// `(p.r)`, `(!p.a)`, `(p.r, 1)`: the RGB unit's and the alpha unit's predicate.
#[derive(Clone, Debug)]
pub(super) struct Gate<'s> {
    pub rgb: At<Predicate<'s>>,
    pub alpha: Option<At<Predicate<'s>>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Predicate<'s> {
    /// `1`: not gated. `!1` sets the inversion bit without a predicate.
    Always {
        inverted: bool,
    },
    Bits {
        inverted: bool,
        swizzle: Option<&'s str>,
    },
}

/// A register by name, or a temporary or constant relative to aL.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum RegisterRef<'s> {
    Name(&'s str),
    Relative { file: char, offset: u32 },
}

/// One unit's operation, or one operation on all four channels.
#[derive(Clone, Debug)]
pub(super) struct Half<'s> {
    pub span: Span,
    /// `-`: an idle unit.
    pub idle: bool,
    pub op: Word<'s>,
    pub omod: Option<At<Omod>>,
    pub saturate: Option<Span>,
    pub destinations: Vec<Destination<'s>>,
    pub operands: Vec<Operand<'s>>,
}

#[derive(Clone, Debug)]
pub(super) struct Destination<'s> {
    pub register: At<RegisterRef<'s>>,
    pub mask: Option<Word<'s>>,
    pub comparison: Option<At<Comparison>>,
}

#[derive(Clone, Debug)]
pub(super) struct Operand<'s> {
    pub span: Span,
    pub modifier: Modifier,
    pub value: Value<'s>,
    pub swizzle: Option<Word<'s>>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value<'s> {
    Register(RegisterRef<'s>),
    Number(f32),
    Vector(Vec<f32>),
    /// A swizzle of constants only: `.10h`.
    Constants,
    Presub {
        op: Presub,
        source0: PresubTerm<'s>,
        source1: Option<PresubTerm<'s>>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum PresubTerm<'s> {
    Register(RegisterRef<'s>),
    Number(f32),
}

/// `ld r0, i0[r1.rg].bgra`.
#[derive(Clone, Debug)]
pub(super) struct Fetch<'s> {
    pub op: Word<'s>,
    pub destination: Option<Destination<'s>>,
    pub input: Option<Word<'s>>,
    /// Brackets: texel coordinates. Parentheses: coordinates scaled by the size of the input.
    pub unscaled: bool,
    /// The coordinate, then, for DXDY, the two gradients.
    pub coordinates: Vec<Coordinate<'s>>,
    pub swizzle: Option<Word<'s>>,
}

#[derive(Clone, Debug)]
pub(super) struct Coordinate<'s> {
    pub register: At<RegisterRef<'s>>,
    pub swizzle: Option<Word<'s>>,
}

/// `jump -> target if condition`, `loop n0 -> target`.
#[derive(Clone, Debug)]
pub(super) struct Flow<'s> {
    pub op: Word<'s>,
    pub int: Option<Word<'s>>,
    pub target: Target<'s>,
    pub condition: Option<Condition<'s>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Target<'s> {
    Label(Word<'s>),
    Number(At<u32>),
}

/// Which points vote to jump: a truth table over ALU result, predicate and boolean.
#[derive(Clone, Copy, Debug)]
pub(super) struct Condition<'s> {
    pub span: Span,
    pub table: u8,
    pub predicate: Option<Word<'s>>,
    /// Whether the predicate is inverted before the table look-up; `None` while the condition has
    /// no predicate.
    pub inverted: Option<bool>,
    pub boolean: Option<Word<'s>>,
}

impl Condition<'_> {
    /// A truth table that names no predicate and no boolean.
    pub fn new(span: Span, table: u8) -> Self {
        Condition { span, table, predicate: None, inverted: None, boolean: None }
    }
}

/// The count of LOOP and REP: a register or a literal.
#[derive(Clone, Copy, Debug)]
pub(super) enum IntOperand<'s> {
    Register(Word<'s>),
    Literal { span: Span, count: u32, start: u32, step: i32 },
}
