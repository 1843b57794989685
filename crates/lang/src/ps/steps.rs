//! A shader after expansion: steps that are each one operation of the machine, or two for both units. Registers are the
//! machine's.

use ctm_base::text::{BlockKind, Span};
use ctm_isa::isa::{Comparison, TexOp};

/// The location of a source's value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Base {
    /// A temporary.
    Temp(u8),
    /// A temporary relative to aL.
    TempRelative(u8),
    /// A float constant.
    Constant(u8),
    /// A constant relative to aL.
    ConstantRelative(u8),
    /// A constant whose value the program defines.
    Defined(u8, [u32; 4]),
    /// A number that needs no register: 0, 1 and their negatives.
    Number(f32),
}

/// A source operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Source {
    /// The location of its value.
    pub base: Base,
    /// The channel of each lane.
    pub swizzle: [u8; 4],
    /// The sign is changed, after `abs`.
    pub negate: bool,
    /// Its magnitude.
    pub abs: bool,
}

/// The destination of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// A temporary.
    Temp(u8),
    /// An output.
    Output(u8),
    /// The conditional output: lane x of the result.
    Depth,
    /// Predicate bits by a comparison with 0.
    Predicate(Comparison),
    /// The ALU result by a comparison with 0.
    AluResult(Comparison),
}

/// The predicate that gates a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gating {
    /// It must be clear.
    pub not: bool,
    /// The bit used for all channels; `None`: each channel has its own.
    pub channel: Option<u8>,
}

/// A target with its mask, and what happens to a result on its way there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dest {
    /// The register.
    pub target: Target,
    /// The channels, bit 0 r to bit 3 a.
    pub mask: u8,
    /// Clamped to 0 to 1.
    pub saturate: bool,
    /// Only where a predicate holds.
    pub gate: Option<Gating>,
}

/// A condition of a jump.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Test {
    /// Known.
    Known(bool),
    /// The ALU result is set.
    AluResult,
    /// A predicate bit by its channel, and whether it must be clear.
    Predicate(u8, bool),
    /// A boolean constant, and whether it must be clear.
    Boolean(u8, bool),
}

/// An operation of the machine. Those whose name ends with `.exact` keep all bits unless they clamp.
#[derive(Clone, Debug)]
pub enum Step {
    /// Lane by lane: `add`, `sub`, `mad`, `frc`, `mov.exact`, `min.exact`, `max.exact`, `cmp.exact`.
    Vector(&'static str, Dest, Vec<Source>),
    /// factor * (b - a) + a, in one instruction: the factor, a, b.
    Interpolate(Dest, [Source; 3]),
    /// A dot product: `dp3`, `dp4`, `d2a`.
    Dot(&'static str, Dest, Vec<Source>),
    /// A function of lane x: `rcp`, `rsq`, `ex2`, `ln2`, `sin`, `cos`.
    Scalar(&'static str, Dest, Source),
    /// A difference of neighbours of a temporary: `mdh`, `mdv`.
    Neighbours(&'static str, Dest, u8),
    /// A fetch: the input, its channels if they are not in order, the coordinates.
    Fetch(TexOp, Dest, u8, Option<[u8; 4]>, Vec<Source>),
    /// Ends the point if a lane has its sign bit set and is no NaN.
    Kill(Source),
    /// A branch begins.
    If(Test),
    /// Its other side begins.
    Else,
    /// A branch ends.
    EndIf,
    /// A loop begins: whether it sets aL, and its integer constant.
    Loop(BlockKind, u8),
    /// A loop ends.
    EndLoop(BlockKind),
    /// Leaves the innermost loop, always or by a test.
    Break(Option<Test>),
    /// Calls the subroutine of a label.
    Call(u32, Option<Test>),
    /// A subroutine begins.
    Label(u32),
    /// A subroutine ends.
    Return,
    /// The main program ends.
    End,
}

impl Step {
    /// The destination of a step that computes or fetches.
    pub fn dest(&self) -> Option<&Dest> {
        match self {
            Step::Vector(_, dest, _)
            | Step::Interpolate(dest, _)
            | Step::Dot(_, dest, _)
            | Step::Scalar(_, dest, _)
            | Step::Neighbours(_, dest, _)
            | Step::Fetch(_, dest, ..) => Some(dest),
            Step::Kill(_)
            | Step::If(_)
            | Step::Else
            | Step::EndIf
            | Step::Loop(..)
            | Step::EndLoop(_)
            | Step::Break(_)
            | Step::Call(..)
            | Step::Label(_)
            | Step::Return
            | Step::End => None,
        }
    }

    /// Whether it writes an output register, so that a program can end with it.
    pub fn is_output(&self) -> bool {
        self.dest().is_some_and(|dest| matches!(dest.target, Target::Output(_)))
    }
}

impl Source {
    pub(super) fn new(base: Base) -> Source {
        Source { base, swizzle: [0, 1, 2, 3], negate: false, abs: false }
    }
    pub(super) fn temp(n: u8) -> Source {
        Source::new(Base::Temp(n))
    }
    pub(super) fn number(value: f32) -> Source {
        Source::new(Base::Number(value))
    }
    /// The source with one channel in all lanes.
    pub(super) fn channel(self, channel: u8) -> Source {
        Source { swizzle: [channel; 4], ..self }
    }
    /// The source with its lanes in another order.
    pub(super) fn compose(self, lanes: [u8; 4]) -> Source {
        Source { swizzle: lanes.map(|lane| self.swizzle[lane as usize]), ..self }
    }
    /// The absolute value of the source.
    pub(super) fn absolute(self) -> Source {
        Source { abs: true, negate: false, ..self }
    }
    /// The negative of the source.
    pub(super) fn negative(self) -> Source {
        Source { negate: !self.negate, ..self }
    }
    /// Whether it has no sign modifiers.
    pub(super) fn is_plain(&self) -> bool {
        !self.negate && !self.abs
    }
}

impl Dest {
    pub(super) fn new(target: Target, mask: u8) -> Dest {
        Dest { target, mask, saturate: false, gate: None }
    }
    pub(super) fn temp(n: u8, mask: u8) -> Dest {
        Dest::new(Target::Temp(n), mask)
    }
    pub(super) fn is_depth(&self) -> bool {
        self.target == Target::Depth
    }
}

/// A step and the statement that it comes from.
#[derive(Clone, Debug)]
pub struct Located {
    /// The step.
    pub step: Step,
    /// The statement.
    pub span: Span,
}
