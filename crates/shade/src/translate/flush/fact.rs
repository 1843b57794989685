//! Bounds of a value.

use ctm_isa::float::{FACTORS, SIGN};
use ctm_isa::ops::{Calc, Domain, Size, is_set};
use ctm_machine::lower::RowOp;

/// The exponent of the smallest normal number.
pub const SMALLEST: i16 = -126;

/// The exponent of the smallest denormal.
const DENORMAL: i16 = -149;

/// Above every finite number.
pub const INFINITE: i16 = 128;

/// The facts that are certain of a value, in mode exact, with all flushes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    /// If it is not 0, its magnitude is at least 2^low.
    pub low: i16,
    /// If it is finite, it is a multiple of 2^grain.
    pub grain: i16,
    /// Its magnitude is at most 2^high; [`INFINITE`]: it may be Inf.
    pub high: i16,
    /// It is not 0.
    pub nonzero: bool,
    /// Its sign is +, or it is a NaN.
    pub positive: bool,
    /// It is not a NaN.
    pub number: bool,
}

impl Fact {
    /// Any bits.
    pub const UNKNOWN: Fact = Fact {
        low: DENORMAL,
        grain: DENORMAL,
        high: INFINITE,
        nonzero: false,
        positive: false,
        number: false,
    };

    /// Numbers that are 0 or from 2^-16 to 2^16 in magnitude.
    pub const MIDDLING: Fact =
        Fact { low: -16, grain: -39, high: 16, nonzero: false, positive: false, number: true };

    /// Numbers that are 0 or from 2^-31 to 2^31 in magnitude.
    pub const WIDE: Fact =
        Fact { low: -31, grain: -54, high: 31, nonzero: false, positive: false, number: true };

    /// The column or row of a point: less than 2^12, or up to the end of its group.
    pub const POSITION: Fact =
        Fact { low: 0, grain: 0, high: 13, nonzero: false, positive: true, number: true };

    /// A whole number of `bits` bits, divided by the largest one.
    pub fn normalised(bits: i16) -> Fact {
        Fact {
            low: -bits,
            grain: -bits - 23,
            high: 0,
            positive: true,
            number: true,
            ..Fact::UNKNOWN
        }
    }

    /// Whether it is neither Inf nor NaN.
    pub fn is_finite(&self) -> bool {
        self.number && self.high < INFINITE
    }

    /// Whether all is true of a number.
    pub fn holds(&self, bits: u32) -> bool {
        let one = Fact::constant(bits);
        self.or(&one) == *self
    }

    /// All that is certain of a number.
    pub fn constant(bits: u32) -> Fact {
        let value = f32::from_bits(bits);
        let (positive, number) = (bits & SIGN == 0 || value.is_nan(), !value.is_nan());
        let bits = bits & !SIGN;
        if bits == 0 || !value.is_finite() {
            // Every bound of numbers that are not 0, or finite, holds.
            let high = if value.is_infinite() { INFINITE } else { DENORMAL };
            let nonzero = bits != 0;
            return Fact { low: INFINITE, grain: INFINITE, high, nonzero, positive, number };
        }
        let (exponent, fraction) = ((bits >> 23) as i16, bits & 0x7f_ffff);
        let significand = fraction | if exponent == 0 { 0 } else { 0x80_0000 };
        let unit = exponent.max(1) - 150;
        let low = unit + significand.ilog2() as i16;
        let power = significand.is_power_of_two();
        Fact {
            low,
            grain: unit + significand.trailing_zeros() as i16,
            high: low + i16::from(!power),
            nonzero: true,
            positive,
            number,
        }
    }

    /// One or the other.
    pub fn or(&self, other: &Fact) -> Fact {
        Fact {
            low: self.low.min(other.low),
            grain: self.grain.min(other.grain),
            high: self.high.max(other.high),
            nonzero: self.nonzero && other.nonzero,
            positive: self.positive && other.positive,
            number: self.number && other.number,
        }
    }

    /// The fact that may hold in all turns of a loop, if this one holds in the turns so far, and `before` in
    /// the turns before that: bounds that change are given up.
    pub fn widened(self, before: &Fact) -> Fact {
        let lowest = if self.low >= SMALLEST { SMALLEST } else { DENORMAL };
        Fact {
            low: if self.low < before.low { lowest } else { self.low },
            grain: if self.grain < before.grain { DENORMAL } else { self.grain },
            high: if self.high > before.high { INFINITE } else { self.high },
            ..self
        }
    }

    /// After a flush.
    pub fn flushed(self) -> Fact {
        if self.low < SMALLEST {
            // It may have been a denormal.
            Fact { low: SMALLEST, nonzero: false, ..self }
        } else {
            self
        }
    }

    /// From what is certain of a result before it is rounded; bounds that are no number's are left
    /// as they are.
    fn rounded(self) -> Fact {
        Fact {
            low: self.low.clamp(DENORMAL, INFINITE),
            grain: self.grain.clamp(DENORMAL, INFINITE),
            high: self.high.clamp(DENORMAL, INFINITE),
            ..self
        }
    }

    /// A product before its flush.
    pub fn product(&self, other: &Fact) -> Fact {
        let low = self.low.saturating_add(other.low);
        let high = match self.high.max(other.high) {
            INFINITE => INFINITE,
            _ => self.high + other.high,
        };
        Fact {
            low,
            grain: self.grain.saturating_add(other.grain),
            high,
            nonzero: self.nonzero && other.nonzero && low >= SMALLEST,
            positive: self.positive && other.positive,
            number: self.is_finite() && other.is_finite(),
        }
        .rounded()
    }

    /// A sum before its flush.
    ///
    /// A sum of two numbers that are not 0 is a multiple of 2^-24 of either one: of the last place of
    /// a number at least half as large if they do not cancel, of the last place of the smaller one if
    /// they do, which is then at least half the larger one.
    pub fn sum(&self, other: &Fact) -> Fact {
        let both = self.low.max(other.low) - 24;
        let with_zeros = |mine: i16, others: i16| {
            let mine = if other.nonzero { INFINITE } else { mine };
            let others = if self.nonzero { INFINITE } else { others };
            mine.min(others).min(both)
        };
        let exact = self.grain.min(other.grain);
        let positive = self.positive && other.positive;
        Fact {
            low: exact.max(with_zeros(self.low, other.low)),
            grain: exact.max(with_zeros(self.grain, other.grain)),
            high: self.high.max(other.high) + 1,
            nonzero: positive && (self.nonzero || other.nonzero),
            positive,
            number: self.is_finite() && other.is_finite(),
        }
        .rounded()
    }

    /// An aligned sum before its flush: a multiple of 2^-24 of the largest term, and of what all terms
    /// are multiples of.
    pub fn aligned_sum(terms: &[Fact]) -> Fact {
        let smallest = terms.iter().map(|term| term.low).min().unwrap_or(DENORMAL);
        let certain = terms.iter().filter(|term| term.nonzero).map(|term| term.low).max();
        let largest = smallest.max(certain.unwrap_or(DENORMAL));
        let grain = terms.iter().map(|term| term.grain).min().unwrap_or(DENORMAL);
        let grain = grain.max(largest - 24);
        let positive = terms.iter().all(|term| term.positive);
        Fact {
            low: grain,
            grain,
            high: terms.iter().map(|term| term.high).max().unwrap_or(INFINITE) + 2,
            nonzero: positive && certain.is_some(),
            positive,
            number: terms.iter().all(Fact::is_finite),
        }
        .rounded()
    }

    /// The floor of a number.
    pub fn floor(&self) -> Fact {
        let high = if self.high == INFINITE { INFINITE } else { self.high.max(0) + 1 };
        let number = self.is_finite();
        Fact { low: 0, grain: 0, high, nonzero: false, positive: self.positive, number }.rounded()
    }

    /// The result of an operation whose operands have these facts.
    pub fn of(calc: Calc, op: &RowOp, facts: &[Fact; 4]) -> Fact {
        let [a, b, c, _] = facts;
        let square = op.operands[0] == op.operands[1];
        let product = || {
            let product = a.product(b);
            Fact { positive: product.positive || square, ..product }.flushed()
        };
        // A value of which only bounds are certain.
        let within = |low: i16, high: i16| Fact {
            low,
            grain: low - 23,
            high,
            nonzero: false,
            positive: false,
            number: false,
        };
        match calc.facts().size {
            Size::Move => *a,
            Size::Sum => a.sum(b).flushed(),
            Size::Product { .. } => product(),
            Size::MulAdd => product().sum(c).flushed(),
            Size::Aligned => Fact::aligned_sum(&facts[..calc.facts().operands]).flushed(),
            Size::Lesser | Size::Choice { .. } => a.or(b),
            // With a NaN it is b.
            Size::Greater => Fact { positive: b.positive, ..a.or(b) },
            Size::Fraction => {
                // A itself from 0 to 1; otherwise 0 or at least 2^-24.
                let low = a.grain.max(a.low.min(-24));
                Fact {
                    low,
                    grain: a.grain.min(0),
                    high: 0,
                    nonzero: false,
                    positive: true,
                    number: a.is_finite(),
                }
            }
            // The approximation can be a unit in the last place beyond a power of two.
            Size::Reciprocal => {
                let low = if a.high < -SMALLEST { -a.high - 1 } else { SMALLEST };
                let high = if a.nonzero { 1 - a.low } else { INFINITE };
                Fact { positive: a.positive, number: a.number, ..within(low, high) }
            }
            Size::Function { low, high, high_unless_zero, positive, domain } => {
                let number = match domain {
                    Domain::Numbers => a.number,
                    Domain::Positive => a.number && a.positive,
                    Domain::Finite => a.is_finite(),
                };
                let high = if a.nonzero { high_unless_zero } else { high };
                Fact { positive, number, ..within(low, high) }
            }
            Size::Scaled => {
                let k = FACTORS[usize::from(op.aux & 7)].log2() as i16;
                let high = if a.high == INFINITE { INFINITE } else { a.high + k };
                let scaled = Fact { low: a.low + k, grain: a.grain + k, high, ..*a };
                let scaled = scaled.rounded().flushed();
                if is_set(op.aux) {
                    Fact {
                        grain: scaled.grain.min(0),
                        low: scaled.low.min(0),
                        high: scaled.high.min(0),
                        nonzero: false,
                        positive: true,
                        number: true,
                    }
                } else {
                    scaled
                }
            }
        }
        .rounded()
    }
}

#[cfg(test)]
mod tests;
