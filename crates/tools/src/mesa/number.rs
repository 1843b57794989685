//! Values that know whether anything on their way was rounded.
//!
//! A value is exact if it is what real numbers give: then every right program gives the same bits. An
//! approximation, an infinity, a NaN, and what a rounded value decides are not.

use ctm_isa::float;
use ctm_isa::isa::Presub;

/// A value of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// Its bits; `None` if it depends on a register that nothing has written.
    pub bits: Option<u32>,
    /// Whether it is exact; of a value without bits, whether only exact values decided that it has none.
    pub exact: bool,
}

impl Number {
    /// The value of a register that nothing has written.
    pub const UNDEFINED: Number = Number { bits: None, exact: true };
    /// 0.
    pub const ZERO: Number = Number::exact(0);
    /// 1.
    pub const ONE: Number = Number::exact(float::ONE);

    /// A value that is given.
    pub const fn exact(bits: u32) -> Number {
        Number { bits: Some(bits), exact: true }
    }

    /// A value that was rounded.
    pub const fn rounded(bits: u32) -> Number {
        Number { bits: Some(bits), exact: false }
    }

    /// The same number, made less certain by what decided for it.
    pub fn decided_by(self, test: Number) -> Number {
        Number { exact: self.exact && test.exact, ..self }
    }

    /// A function that rounds nothing: of signs, or to a whole number.
    pub fn map(self, f: impl Fn(u32) -> u32) -> Number {
        Number { bits: self.bits.map(f), exact: self.exact }
    }

    /// A function whose result is exact only if it is `truth`, which says `None` if it cannot tell.
    pub fn map_to(self, f: impl Fn(u32) -> u32, truth: impl Fn(f64) -> Option<f64>) -> Number {
        self.map(f).checked(|| self.real().and_then(truth))
    }

    /// A function of two numbers that gives one of them, or a whole number.
    pub fn with(self, other: Number, f: impl Fn(u32, u32) -> u32) -> Number {
        let bits = self.bits.zip(other.bits).map(|(a, b)| f(a, b));
        Number { bits, exact: self.exact && other.exact }
    }

    /// Itself, exact only if its bits are `truth`.
    fn checked(self, truth: impl FnOnce() -> Option<f64>) -> Number {
        let exact = self.exact && self.bits.is_none_or(|bits| is(bits, truth()));
        Number { exact, ..self }
    }

    /// Its real value, if it is finite; denormals are 0.
    fn real(self) -> Option<f64> {
        let x = f64::from(f32::from_bits(float::ftz(self.bits?)));
        x.is_finite().then_some(x)
    }

    /// Its negation.
    pub fn negated(self) -> Number {
        self.map(float::neg)
    }

    /// The sum.
    pub fn plus(self, other: Number) -> Number {
        self.with(other, float::add).checked(|| total(&[self.real()?, other.real()?]))
    }

    /// The difference.
    pub fn minus(self, other: Number) -> Number {
        self.plus(other.negated())
    }

    /// The product; 0 times anything is 0, even if that is undefined.
    pub fn times(self, other: Number) -> Number {
        let is_zero = |x: Number| x.bits.is_some_and(float::is_zero);
        if is_zero(self) || is_zero(other) {
            let bits = match (self.bits, other.bits) {
                (Some(a), Some(b)) => float::mul(a, b, true),
                _ => 0,
            };
            let (zero, factor) = if is_zero(self) { (self, other) } else { (other, self) };
            // Passes may leave out a product with 0, not one with an infinity.
            let exact = zero.exact && factor.real().is_some()
                || is_zero(factor) && factor.exact && zero.real().is_some();
            return Number { bits: Some(bits), exact };
        }
        let product = self.with(other, |a, b| float::mul(a, b, true));
        product.checked(|| Some(self.real()? * other.real()?))
    }

    /// The sum of products.
    pub fn dot(pairs: &[(Number, Number)]) -> Number {
        let products: Vec<Number> = pairs.iter().map(|(a, b)| a.times(*b)).collect();
        let bits: Option<Vec<u32>> = products.iter().map(|product| product.bits).collect();
        let sum = Number {
            bits: bits.map(|bits| float::sum(&bits)),
            exact: products.iter().all(|product| product.exact),
        };
        let reals = || products.iter().map(|product| product.real()).collect::<Option<Vec<f64>>>();
        sum.checked(|| total(&reals()?))
    }

    /// One of two numbers: `yes` if the test holds.
    pub fn choose(test: Number, holds: impl Fn(u32) -> bool, yes: Number, no: Number) -> Number {
        match test.bits {
            Some(bits) => (if holds(bits) { yes } else { no }).decided_by(test),
            None => Number { bits: None, exact: test.exact },
        }
    }

    /// The next integer down.
    pub fn floor(self) -> Number {
        self.map_to(|a| float::add(a, float::neg(float::frc(a))), |x| Some(x.floor()))
    }

    /// Itself less the next integer down.
    pub fn fraction(self) -> Number {
        self.map_to(float::frc, |x| total(&[x, -x.floor()]))
    }

    /// The reciprocal: exact of powers of two.
    pub fn reciprocal(self) -> Number {
        self.map_to(float::rcp, |x| power_of_two(x).then(|| 1.0 / x))
    }

    /// The reciprocal of its square root: exact of powers of four.
    pub fn reciprocal_root(self) -> Number {
        self.map_to(
            |a| float::rsq(float::abs(a)),
            |x| power_of_two(x.abs().sqrt()).then(|| 1.0 / x.abs().sqrt()),
        )
    }

    /// The logarithm to base 2: exact of powers of two.
    pub fn logarithm(self) -> Number {
        self.map_to(float::ln2, |x| (x > 0.0 && power_of_two(x)).then(|| x.log2().round()))
    }

    /// 2 to the power of it: exact of integers.
    pub fn power_of_2(self) -> Number {
        self.map_to(float::ex2, |x| (x.fract() == 0.0 && x.abs() < 127.0).then(|| x.exp2()))
    }

    /// The sine of an angle in turns: exact of quarters.
    pub fn sine(self) -> Number {
        self.map_to(float::sin, quarter)
    }

    /// The cosine.
    pub fn cosine(self) -> Number {
        self.map_to(float::cos, |x| quarter(x + 0.25))
    }

    /// The result of an output modifier: see [`float::finish`].
    pub fn finished(self, code: u32) -> Number {
        self.map_to(
            |a| float::finish(a, code),
            |x| {
                let scaled = x * f64::from(float::FACTORS[code as usize & 7]);
                Some(if code & 8 != 0 { scaled.clamp(0.0, 1.0) } else { scaled })
            },
        )
    }

    /// A presubtract operation of sources 1 and 0.
    pub fn presubtract(op: Presub, a: Number, b: Number) -> Number {
        match op {
            Presub::Bias => Number::ONE.minus(b.times(Number::exact(2.0f32.to_bits()))),
            Presub::Inv => Number::ONE.minus(b),
            Presub::Sub => a.minus(b),
            Presub::Add => a.plus(b),
        }
    }
}

/// Whether bits are a finite real number.
fn is(bits: u32, truth: Option<f64>) -> bool {
    let x = f64::from(f32::from_bits(bits));
    x.is_finite() && truth == Some(x)
}

/// A sum, if `f64` holds it without rounding.
fn total(terms: &[f64]) -> Option<f64> {
    let mut sum = 0.0;
    for &term in terms {
        let next: f64 = sum + term;
        let rest = next - sum;
        if (sum - (next - rest)) + (term - rest) != 0.0 {
            return None;
        }
        sum = next;
    }
    Some(sum)
}

fn power_of_two(x: f64) -> bool {
    x.is_normal() && x.to_bits() << 12 == 0
}

/// The sine of an angle in turns, if it is a multiple of a quarter.
fn quarter(turns: f64) -> Option<f64> {
    let quarters = turns * 4.0;
    (quarters.fract() == 0.0).then(|| [0.0, 1.0, 0.0, -1.0][quarters.rem_euclid(4.0) as usize])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesa::operations::Value;

    fn of(x: f32) -> Number {
        Number::exact(x.to_bits())
    }

    fn rounded(x: f32) -> Number {
        Number::rounded(x.to_bits())
    }

    /// Each operation on numbers with which it rounds nothing, and on numbers with which it does.
    #[test]
    fn an_operation_knows_whether_it_rounds() {
        let third = 1.0f32 / 3.0;
        let big = 16_777_216.0;
        for (exact, inexact) in [
            (of(1.5).plus(of(-0.25)), of(big).plus(of(1.0))),
            (of(-0.0).plus(of(0.0)), of(f32::MAX).plus(of(f32::MAX))),
            (of(1.5).times(of(-3.0)), of(third).times(of(third))),
            (of(0.0).times(rounded(third)), rounded(0.0).times(of(third))),
            (of(0.0).times(of(-2.0)), of(0.0).times(of(f32::INFINITY))),
            (of(2.0).times(of(4.0)), of(1e-30).times(of(1e-30))),
            (of(-1.25).fraction(), of(-1e-10).fraction()),
            (of(-1.25).floor(), of(f32::INFINITY).floor()),
            (of(0.125).reciprocal(), of(3.0).reciprocal()),
            (of(-8.0).reciprocal(), of(0.0).reciprocal()),
            (of(-4.0).reciprocal_root(), of(2.0).reciprocal_root()),
            (of(8.0).logarithm(), of(3.0).logarithm()),
            (of(0.25).logarithm(), of(-1.0).logarithm()),
            (of(-3.0).power_of_2(), of(0.5).power_of_2()),
            (Value::power(of(2.0), of(3.0)), Value::power(of(3.0), of(2.0))),
            (of(0.0).sine(), of(0.1).sine()),
            (of(0.0).cosine(), of(0.1).cosine()),
            (of(2.0).finished(4), of(f32::MAX).finished(1)),
            (of(2.0).finished(8), rounded(2.0).finished(8)),
            (of(0.25).finished(7), of(1.5e-38).finished(6)),
            (
                Number::dot(&[(of(3.0), of(2.0)), (of(0.0), rounded(third))]),
                Number::dot(&[(of(big), of(1.0)), (of(1.0), of(1.0))]),
            ),
            (
                Number::presubtract(Presub::Bias, Number::ZERO, of(0.75)),
                Number::presubtract(Presub::Inv, Number::ZERO, of(1e-10)),
            ),
            (
                Number::choose(of(1.0), |_| true, of(2.0), rounded(3.0)),
                Number::choose(rounded(1.0), |_| true, of(2.0), of(3.0)),
            ),
        ] {
            assert!(exact.exact && exact.bits.is_some(), "{exact:?}");
            assert!(!inexact.exact && inexact.bits.is_some(), "{inexact:?}");
        }
    }

    #[test]
    fn what_is_undefined_stays_so() {
        for (x, exact) in [
            (Number::UNDEFINED.plus(of(1.0)), true),
            (Number::UNDEFINED.plus(rounded(1.0)), false),
            (Number::UNDEFINED.times(of(1.0)), true),
            (Number::UNDEFINED.finished(8), true),
            (Number::UNDEFINED.fraction(), true),
            (Number::choose(Number::UNDEFINED, |_| true, of(1.0), of(2.0)), true),
            (Number::choose(rounded(1.0), |_| true, Number::UNDEFINED, of(2.0)), false),
        ] {
            assert_eq!(x, Number { bits: None, exact });
        }
        assert_eq!(Number::UNDEFINED.times(of(0.0)), rounded(0.0));
    }
}
