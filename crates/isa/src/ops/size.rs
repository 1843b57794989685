//! Bounds of results.

/// Bounds of the result of a [`Calc`](super::Calc), given its operands, as exponents of powers of two.
/// The translator uses them to omit flushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// a, bit for bit.
    Move,
    /// a + b.
    Sum,
    /// a * b; not `signed`: a zero is +0.
    Product {
        /// Whether a zero can be -0.
        signed: bool,
    },
    /// a * b + c.
    MulAdd,
    /// The aligned sum of all operands.
    Aligned,
    /// The lesser one of a and b; b if one of them is a NaN.
    Lesser,
    /// The greater one of a and b; b if one of them is a NaN.
    Greater,
    /// a or b, as c says.
    Choice {
        /// All c below two to this power in magnitude give the same choice.
        alike: i16,
    },
    /// a - floor(a).
    Fraction,
    /// a times the output modifier, perhaps clamped to 0 to 1.
    Scaled,
    /// An approximation of 1 / a.
    Reciprocal,
    /// An approximation of another function of a, which it flushes first.
    Function {
        /// The result is 0 or at least this.
        low: i16,
        /// The result is at most this; 128: it may be Inf.
        high: i16,
        /// The same if a is not 0.
        high_unless_zero: i16,
        /// Whether no result is negative.
        positive: bool,
        /// The operands whose results are numbers.
        domain: Domain,
    },
}

/// Operands for which a function gives a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// All numbers.
    Numbers,
    /// Numbers that are not negative.
    Positive,
    /// Numbers that are not infinite.
    Finite,
}

pub(super) const EXPONENTIAL: Size = Size::Function {
    low: -126,
    high: 128,
    high_unless_zero: 128,
    positive: true,
    domain: Domain::Numbers,
};
pub(super) const LOGARITHM: Size = Size::Function {
    low: -126,
    high: 128,
    high_unless_zero: 128,
    positive: false,
    domain: Domain::Positive,
};
pub(super) const INVERSE_ROOT: Size = Size::Function {
    low: -66,
    high: 128,
    high_unless_zero: 66,
    positive: false,
    domain: Domain::Positive,
};
pub(super) const WAVE: Size = Size::Function {
    low: -126,
    high: 1,
    high_unless_zero: 1,
    positive: false,
    domain: Domain::Finite,
};
