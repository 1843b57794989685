//! The syntax tree: the output of the parser. Names are not resolved yet.

use super::mnemonics::Operation;
use ctm_base::text::{At, BlockKind, Span};
use ctm_isa::isa::{
    Channel, Comparison, FcOp, Modifier, Omod, PredSel, Presub, Swizzle, TexOp, Type,
};

/// One line, or one part of a line with a label.
#[derive(Clone, Debug)]
pub(crate) enum Line<'s> {
    Label(At<&'s str>),
    Directive(Directive<'s>),
    Statement(Box<Statement<'s>>),
}

impl<'s> Line<'s> {
    /// The directive, if it is one.
    pub fn directive(&self) -> Option<&Directive<'s>> {
        match self {
            Line::Directive(directive) => Some(directive),
            Line::Label(_) | Line::Statement(_) => None,
        }
    }
}

/// A directive. Everything after its name is a list of arguments.
#[derive(Clone, Debug)]
pub(crate) struct Directive<'s> {
    pub name: At<&'s str>,
    pub arguments: Vec<At<Argument<'s>>>,
}

/// An argument of a directive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Argument<'s> {
    Word(&'s str),
    /// A number as written, and whether a minus sign precedes it.
    Number(&'s str, bool),
}

/// A statement that makes one instruction (or, for some structured ones, marks a place).
#[derive(Clone, Debug)]
pub(crate) struct Statement<'s> {
    pub span: Span,
    pub gate: Option<Gate>,
    pub kind: StatementKind<'s>,
    pub flags: Vec<Flag<'s>>,
}

impl<'s> Statement<'s> {
    /// A statement without a gate and flags.
    pub fn new(span: Span, kind: StatementKind<'s>) -> Self {
        Statement { span, gate: None, kind, flags: Vec::new() }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum StatementKind<'s> {
    Explicit(Explicit<'s>),
    Alu(Vec<Half<'s>>),
    Tex(Fetch<'s>),
    /// A flow-control instruction with an arrow. The assembler adds nothing.
    Arrow(Arrow<'s>),
    If(Condition<'s>),
    Else,
    EndIf(Option<At<u32>>),
    /// LOOP or REP.
    Loop(BlockKind, IntOperand<'s>),
    EndLoop(BlockKind),
    /// `break` or `continue`.
    Leave(&'static str, Option<Condition<'s>>),
    Call(At<&'s str>, Option<Condition<'s>>),
    Ret(Option<Condition<'s>>),
    End,
}

/// `ALU US_CMN_INST(RGB_WMASK=7) WORD4(0x12)`.
#[derive(Clone, Debug)]
pub(crate) struct Explicit<'s> {
    pub class: Type,
    pub words: Vec<ExplicitWord<'s>>,
}

#[derive(Clone, Debug)]
pub(crate) struct ExplicitWord<'s> {
    pub register: At<&'s str>,
    pub values: Vec<ExplicitValue<'s>>,
}

/// `FIELD=value`, or a bare number for a whole word.
#[derive(Clone, Debug)]
pub(crate) struct ExplicitValue<'s> {
    pub field: Option<At<&'s str>>,
    pub value: At<&'s str>,
}

/// `@name`, `@!name`, `@name(arguments)`.
#[derive(Clone, Debug)]
pub(crate) struct Flag<'s> {
    pub name: At<&'s str>,
    pub off: bool,
    pub arguments: Vec<FlagArgument<'s>>,
}

/// `word`, `3`, or `slot=register`.
#[derive(Clone, Debug)]
pub(crate) struct FlagArgument<'s> {
    pub key: At<&'s str>,
    pub value: Option<At<Term<'s>>>,
}

/// A register or a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Term<'s> {
    Register(RegisterRef<'s>),
    Number(f32),
}

/// `(p.r)`, `(!p.a)`, `(p.r, 1)`: the predicates of the RGB unit and of the alpha unit, and whether
/// they are inverted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gate {
    pub span: Span,
    pub units: [(PredSel, bool); 2],
}

/// A register by name, or a temporary or constant relative to aL.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RegisterRef<'s> {
    Name(&'s str),
    Relative { file: char, offset: u32 },
}

/// The comparisons with 0 as written.
pub(crate) const SIGNS: [(&str, Comparison); 4] = [
    ("==", Comparison::Equal),
    ("<", Comparison::Less),
    (">=", Comparison::GreaterEqual),
    ("!=", Comparison::NotEqual),
];

/// One unit's operation, or one operation on all four channels.
#[derive(Clone, Debug)]
pub(crate) struct Half<'s> {
    pub span: Span,
    /// `-`: an idle unit.
    pub idle: bool,
    pub op: At<&'s str>,
    pub operation: Operation,
    pub omod: Option<At<Omod>>,
    pub saturate: Option<Span>,
    pub destinations: Vec<Destination<'s>>,
    pub operands: Vec<Operand<'s>>,
}

impl<'s> Half<'s> {
    /// An operation without destinations and operands.
    pub fn new(op: At<&'s str>, operation: Operation) -> Self {
        Half {
            span: op.span,
            idle: false,
            op,
            operation,
            omod: None,
            saturate: None,
            destinations: Vec::new(),
            operands: Vec::new(),
        }
    }
    /// The operation's name, for messages.
    pub fn name(&self) -> String {
        self.op.node.to_ascii_lowercase()
    }
    /// The name of the pseudo-operation that it is; empty for a real operation.
    pub fn pseudo(&self) -> &'static str {
        self.operation.pseudo.map_or("", |pseudo| pseudo.name)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Destination<'s> {
    pub register: At<RegisterRef<'s>>,
    pub mask: Option<At<&'s str>>,
    pub comparison: Option<At<Comparison>>,
}

#[derive(Clone, Debug)]
pub(crate) struct Operand<'s> {
    pub span: Span,
    pub modifier: Modifier,
    pub value: Value<'s>,
    pub swizzle: Option<At<Vec<Swizzle>>>,
}

impl<'s> Operand<'s> {
    /// An operand without a sign.
    pub fn new(span: Span, value: Value<'s>, swizzle: Option<At<Vec<Swizzle>>>) -> Self {
        Operand { span, modifier: Modifier::Nop, value, swizzle }
    }
    pub fn negate(&mut self) {
        self.modifier = match self.modifier {
            Modifier::Nop => Modifier::Neg,
            Modifier::Neg => Modifier::Nop,
            Modifier::Abs => Modifier::Nab,
            Modifier::Nab => Modifier::Abs,
        };
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'s> {
    Term(Term<'s>),
    Vector(Vec<f32>),
    /// A swizzle of constants only: `.10h`.
    Constants,
    /// A sum of source 0 and, for some operations, source 1.
    Presub(Presub, [Option<Term<'s>>; 2]),
}

/// `ld r0, i0[r1.rg].bgra`.
#[derive(Clone, Debug)]
pub(crate) struct Fetch<'s> {
    pub op: TexOp,
    pub destination: Option<Destination<'s>>,
    pub input: Option<At<&'s str>>,
    /// Brackets: texel coordinates. Parentheses: coordinates scaled by the size of the input.
    pub unscaled: bool,
    /// The coordinate, then, for DXDY, the two gradients.
    pub coordinates: Vec<Coordinate<'s>>,
    pub swizzle: Option<At<Vec<Channel>>>,
}

impl Fetch<'_> {
    /// A fetch without operands.
    pub fn new(op: TexOp) -> Self {
        Fetch {
            op,
            destination: None,
            input: None,
            unscaled: false,
            coordinates: Vec::new(),
            swizzle: None,
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Coordinate<'s> {
    pub register: At<RegisterRef<'s>>,
    pub swizzle: Option<At<Vec<Channel>>>,
}

/// `jump -> target if condition`, `loop n0 -> target`.
#[derive(Clone, Debug)]
pub(crate) struct Arrow<'s> {
    pub op: FcOp,
    pub int: Option<At<&'s str>>,
    pub target: Target<'s>,
    pub condition: Option<Condition<'s>>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Target<'s> {
    Label(At<&'s str>),
    Number(At<u32>),
}

/// The votes of points to jump: a truth table over ALU result, predicate and boolean.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition<'s> {
    pub span: Span,
    pub table: u8,
    pub predicate: Option<At<&'s str>>,
    /// Whether the predicate is inverted before the table look-up; `None` while the condition has
    /// no predicate.
    pub inverted: Option<bool>,
    pub boolean: Option<At<&'s str>>,
}

/// The truth tables of a jump's three inputs: bit (alu_result<<2 | predicate<<1 | boolean).
pub(crate) const ALU_RESULT: u8 = 0xf0;
pub(crate) const PREDICATE: u8 = 0xcc;
pub(crate) const BOOLEAN: u8 = 0xaa;

impl Condition<'_> {
    /// A truth table that names no predicate and no boolean.
    pub fn new(span: Span, table: u8) -> Self {
        Condition { span, table, predicate: None, inverted: None, boolean: None }
    }
}

/// The count of LOOP and REP: a register, or count, aL start and aL step.
#[derive(Clone, Copy, Debug)]
pub(crate) enum IntOperand<'s> {
    Register(At<&'s str>),
    Literal(At<[i64; 3]>),
}
