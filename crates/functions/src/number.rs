//! Numbers with bounds: the machine's result, and how far another order of operations may be from it.
//!
//! Each operation bounds the error that its operands' errors cause and adds its own: `ULP` of what it adds or
//! multiplies, not of the result, so that the bound also holds for sums in another order. Where GLSL leaves a result open
//! (NaN, infinities, a root of a number below zero) the bound is infinite. A choice that the errors may turn has the
//! distance of both sides as its error.

use ctm_isa::arithmetic::{Arithmetic, Operations};
use ctm_isa::float;

/// The error of a sum or a product in units of its operands: two units in the last place, twice what the machine has,
/// since a rule may replace an operation by two.
const ULP: f64 = 2.0 / (1 << 23) as f64;

/// The error of a transcendental in units of its result.
const FUNCTION_ULP: f64 = 8.0 / (1 << 23) as f64;

/// The largest error of a flush to zero.
const TINY: f64 = 1e-37;

/// The largest whole numbers whose sums and products are exact in any order.
const EXACT: f64 = (1 << 20) as f64;

/// A scalar.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// The machine's result when it runs the operations in the order of the source.
    pub bits: u32,
    /// The farthest that the result may be from it by rules that GLSL allows; infinite where anything is allowed.
    pub error: f64,
    /// Whether only constants determine it.
    pub literal: bool,
}

impl Number {
    /// A number without an error, of a job.
    pub fn given(bits: u32) -> Number {
        let error = if f32::from_bits(bits).is_finite() { 0.0 } else { f64::INFINITY };
        Number { bits, error, literal: false }
    }

    fn x(self) -> f64 {
        f32::from_bits(float::ftz(self.bits)).into()
    }

    fn low(self) -> f64 {
        self.x() - self.error
    }

    fn high(self) -> f64 {
        self.x() + self.error
    }

    /// Whether it is a small whole number, and surely this one.
    fn small(self) -> bool {
        self.error == 0.0 && self.x().fract() == 0.0 && self.x().abs() <= EXACT
    }

    /// Whether all numbers within its error have the same answer to `>= 0`.
    fn decided(self) -> bool {
        self.low() >= 0.0 || self.high() < 0.0
    }
}

/// The arithmetic of the evaluator: each operation as the machine runs it.
pub struct Numbers;

impl Numbers {
    fn make<const N: usize>(from: [Number; N], bits: u32, error: f64) -> Number {
        // It is open if a number within its error is infinite.
        let known = f64::from(f32::from_bits(bits)).abs() + error <= f32::MAX.into();
        Number {
            bits,
            error: if known { error } else { f64::INFINITY },
            literal: from.iter().all(|number| number.literal),
        }
    }

    /// A function whose slope is at most `slope` over the error interval.
    fn function(a: Number, bits: u32, slope: f64) -> Number {
        let own = f64::from(f32::from_bits(bits)).abs();
        Self::make([a], bits, a.error * slope + own * FUNCTION_ULP + TINY)
    }

    fn square_root(a: Number, bits: u32) -> Number {
        if a.low() < 0.0 {
            return Self::make([a], bits, f64::INFINITY);
        }
        let error = a.high().sqrt() - a.low().sqrt() + a.x().sqrt() * FUNCTION_ULP;
        Self::make([a], bits, error)
    }

    /// A result that is open if one of these is: a minimum may replace two tests, and is not that of a NaN.
    fn open_with(of: [Number; 2], value: Number) -> Number {
        let open = of.iter().any(|number| number.error.is_infinite());
        Number { error: if open { f64::INFINITY } else { value.error }, ..value }
    }

    /// One of two numbers.
    fn either(a: Number, b: Number, first: bool, decided: bool) -> Number {
        let chosen = if first { a } else { b };
        let error =
            if decided { chosen.error } else { a.error.max(b.error) + (a.x() - b.x()).abs() };
        // A choice keeps a NaN's bits where a rule leaves the choice out.
        Self::make([a, b], float::finish(chosen.bits, 0), error)
    }
}

impl Operations for Numbers {
    type Value = Number;

    fn number(&mut self, value: f32) -> Number {
        Number { literal: true, ..Number::given(value.to_bits()) }
    }

    fn neg(&mut self, a: Number) -> Number {
        Number { bits: float::neg(a.bits), ..a }
    }

    fn abs(&mut self, a: Number) -> Number {
        Number { bits: float::abs(a.bits), ..a }
    }

    fn add(&mut self, a: Number, b: Number) -> Number {
        let bits = float::add(a.bits, b.bits);
        let exact = a.small() && b.small();
        let own = if exact { 0.0 } else { (a.x().abs() + b.x().abs()) * ULP + TINY };
        Self::make([a, b], bits, a.error + b.error + own)
    }

    fn mul(&mut self, a: Number, b: Number) -> Number {
        let bits = float::mul(a.bits, b.bits, true);
        let zero = |a: Number| a.error == 0.0 && a.x() == 0.0;
        let exact = a.small() && b.small()
            || zero(a) && b.error.is_finite()
            || zero(b) && a.error.is_finite();
        let (p, q) = (a.x().abs(), b.x().abs());
        let own = if exact { 0.0 } else { p * q * ULP + TINY };
        Self::make([a, b], bits, p * b.error + q * a.error + a.error * b.error + own)
    }

    fn dot(&mut self, pairs: &[(Number, Number)]) -> Number {
        let products = pairs.iter().map(|(a, b)| self.mul(*a, *b)).collect::<Vec<_>>();
        // The machine aligns all terms to the largest one, so that small ones lose digits beside whole ones that cancel.
        let exact = products.iter().all(|product| product.small());
        let size: f64 = products.iter().map(|product| product.x().abs()).sum();
        let sum = products.into_iter().reduce(|sum, product| self.add(sum, product));
        let sum = sum.unwrap_or_else(|| self.number(0.0));
        Number { error: sum.error + if exact { 0.0 } else { size * ULP }, ..sum }
    }

    fn min(&mut self, a: Number, b: Number) -> Number {
        let bits = float::finish(float::min(a.bits, b.bits), 0);
        Self::make([a, b], bits, a.error.max(b.error))
    }

    fn max(&mut self, a: Number, b: Number) -> Number {
        let bits = float::finish(float::max(a.bits, b.bits), 0);
        Self::make([a, b], bits, a.error.max(b.error))
    }

    fn clamp(&mut self, a: Number) -> Number {
        Self::make([a], float::clamp01(a.bits), a.error)
    }

    fn cmp(&mut self, a: Number, b: Number, c: Number) -> Number {
        let value = Self::either(a, b, float::compare(2, c.bits), c.decided());
        let value = Self::open_with([c, c], value);
        Number { literal: value.literal && c.literal, ..value }
    }

    fn frc(&mut self, a: Number) -> Number {
        let same = a.low().floor() == a.high().floor();
        let error = if same { a.error + ULP } else { 1.0 };
        let open = if a.error.is_finite() { error } else { f64::INFINITY };
        Self::make([a], float::frc(a.bits), open)
    }

    fn ex2(&mut self, a: Number) -> Number {
        let bits = float::ex2(a.bits);
        let value = f64::from(f32::from_bits(bits));
        let error = value * (a.error.exp2() - 1.0) + value * FUNCTION_ULP + TINY;
        Self::make([a], bits, error)
    }

    fn ln2(&mut self, a: Number) -> Number {
        if a.low() <= 0.0 {
            return Self::make([a], float::ln2(a.bits), f64::INFINITY);
        }
        let bits = float::ln2(a.bits);
        let error = (a.x() / a.low()).log2() + (1.0 + a.x().log2().abs()) * FUNCTION_ULP;
        Self::make([a], bits, error)
    }

    fn rcp(&mut self, a: Number) -> Number {
        let near = a.x().abs() - a.error;
        if near <= 0.0 {
            return Self::make([a], float::rcp(a.bits), f64::INFINITY);
        }
        Self::function(a, float::rcp(a.bits), 1.0 / (near * a.x().abs()))
    }

    fn rsq(&mut self, a: Number) -> Number {
        if a.low() <= 0.0 {
            return Self::make([a], float::rsq(a.bits), f64::INFINITY);
        }
        Self::function(a, float::rsq(a.bits), 0.5 / (a.low() * a.low().sqrt()))
    }

    fn sin(&mut self, a: Number) -> Number {
        let value = Self::function(a, float::sin(a.bits), std::f64::consts::TAU);
        Self::make([value], value.bits, value.error + FUNCTION_ULP)
    }

    fn cos(&mut self, a: Number) -> Number {
        let value = Self::function(a, float::cos(a.bits), std::f64::consts::TAU);
        Self::make([value], value.bits, value.error + FUNCTION_ULP)
    }
}

impl Arithmetic for Numbers {
    fn precise(&self) -> bool {
        true
    }

    fn value(&self, a: Number) -> Option<f32> {
        a.literal.then_some(f32::from_bits(a.bits))
    }

    fn floor(&mut self, a: Number) -> Number {
        let frc = self.frc(a);
        let bits = float::add(a.bits, float::neg(frc.bits));
        let same = a.low().floor() == a.high().floor();
        Self::make([a, frc], bits, if same { 0.0 } else { a.error + 1.0 })
    }

    fn root(&mut self, a: Number) -> Number {
        Self::square_root(a, float::mul(a.bits, float::rsq(a.bits), true))
    }

    fn sqrt(&mut self, a: Number) -> Number {
        let rsq = float::rsq(a.bits);
        let sum = float::add(float::mul(a.bits, rsq, true), float::rcp(rsq));
        Self::square_root(a, float::mul(sum, 0.5f32.to_bits(), true))
    }

    fn is_nan(&mut self, a: Number) -> Number {
        let is = float::is_nan(a.bits);
        Self::make(
            [a],
            f32::from(is).to_bits(),
            if a.error.is_finite() { 0.0 } else { f64::INFINITY },
        )
    }

    fn not(&mut self, a: Number) -> Number {
        let one = self.number(1.0);
        self.sub(one, a)
    }

    fn and(&mut self, a: Number, b: Number) -> Number {
        let zero = self.number(0.0);
        let both = self.select(a, b, zero);
        Self::open_with([a, b], both)
    }

    fn or(&mut self, a: Number, b: Number) -> Number {
        let one = self.number(1.0);
        let either = self.select(a, one, b);
        Self::open_with([a, b], either)
    }

    fn select(&mut self, condition: Number, a: Number, b: Number) -> Number {
        let value = Self::either(a, b, !float::is_zero(condition.bits), condition.error == 0.0);
        Number { literal: value.literal && condition.literal, ..value }
    }
}
