//! Operations on the bits of integers, which are whole floats: exact up to 2^24.
//!
//! An integer has the bits of its two's complement, with as many copies of the sign as are needed. FRC cuts bits off above:
//! `frc(a / 2^n) * 2^n` has the lowest n bits of a, also of one below zero.

use super::{Functions, Impossible};
use ctm_isa::arithmetic::Arithmetic;
use naga::{BinaryOperator, ScalarKind};

#[cfg(test)]
mod tests;

/// The bits of a whole float, beside its sign.
const BITS: u32 = 24;

impl<A: Arithmetic> Functions<'_, A> {
    /// a & b: by the runs of ones of a literal, or bit by bit.
    pub(super) fn bitwise_and(
        &mut self,
        kind: ScalarKind,
        a: A::Value,
        b: A::Value,
    ) -> Result<A::Value, Impossible> {
        let large = (1_u64 << BITS) as f32;
        match [self.graph.value(a), self.graph.value(b)] {
            // Of larger numbers, 64 bits do not hold all results: they are computed as at run time.
            [Some(x), Some(y)] if x.abs().max(y.abs()) < 4_294_967_296.0 => {
                Ok(self.graph.number((x as i64 & y as i64) as f32))
            }
            [_, Some(mask)] if mask.abs() < large => Ok(self.masked(a, mask as i32)),
            [Some(mask), _] if mask.abs() < large => Ok(self.masked(b, mask as i32)),
            [Some(mask), _] | [_, Some(mask)] => Err(format!(
                "integers are exact up to 2^24: a mask of {} is not possible",
                f64::from(mask)
            )),
            [None, None] => Ok(self.common_bits(kind, a, b)),
        }
    }

    /// a & ~b and b & ~a.
    pub(super) fn apart(
        &mut self,
        kind: ScalarKind,
        a: A::Value,
        b: A::Value,
    ) -> Result<[A::Value; 2], Impossible> {
        let both = self.bitwise_and(kind, a, b)?;
        Ok([self.graph.sub(a, both), self.graph.sub(b, both)])
    }

    /// a << b or a >> b.
    pub(super) fn shift(
        &mut self,
        op: BinaryOperator,
        a: A::Value,
        b: A::Value,
    ) -> Result<A::Value, Impossible> {
        if let Some(places) = self.graph.value(b).filter(|places| !(0.0..32.0).contains(places)) {
            return Err(format!("a shift by {places}: expected 0 to 31"));
        }
        let left = op == BinaryOperator::ShiftLeft;
        let places = if left { b } else { self.graph.neg(b) };
        // EX2 of a whole number is exact.
        let factor = match self.graph.value(places) {
            Some(places) => self.graph.number(places.exp2()),
            None => self.graph.ex2(places),
        };
        let product = self.graph.mul(a, factor);
        Ok(if left { product } else { self.graph.floor(product) })
    }

    /// n of a divisor 2^n, of a number that is not below zero.
    pub(super) fn binary_digits(&self, kind: ScalarKind, a: A::Value, b: A::Value) -> Option<u32> {
        let divisor = self.graph.value(b).filter(|b| (1.0..16_777_216.0).contains(b))? as u32;
        (self.natural(kind, a) && divisor.is_power_of_two()).then(|| divisor.trailing_zeros())
    }

    /// a & mask.
    fn masked(&mut self, a: A::Value, mask: i32) -> A::Value {
        if mask < 0 {
            let rest = self.masked(a, !mask);
            return self.graph.sub(a, rest);
        }
        let mut sum = self.graph.number(0.0);
        let mut done = 0;
        while mask >> done != 0 {
            let first = done + (mask >> done).trailing_zeros();
            done = first + (mask >> first).trailing_ones();
            let [below, all] = [first, done].map(|count| self.lowest_bits(a, count));
            let run = self.graph.sub(all, below);
            sum = self.graph.add(sum, run);
        }
        sum
    }

    /// The lowest bits of a.
    pub(super) fn lowest_bits(&mut self, a: A::Value, count: u32) -> A::Value {
        if count == 0 {
            return self.graph.number(0.0);
        }
        if self.graph.not_negative(a) && self.size(a) <= count {
            return a;
        }
        let rest = self.shifted_out(a, count);
        let up = self.graph.number((1_u64 << count) as f32);
        self.graph.mul(rest, up)
    }

    /// The lowest bits of a, below the point.
    fn shifted_out(&mut self, a: A::Value, count: u32) -> A::Value {
        let down = self.graph.number(1.0 / (1_u64 << count) as f32);
        let quotient = self.graph.mul(a, down);
        self.graph.frc(quotient)
    }

    /// a & b of numbers that are not known: a bit is set in both if both `frc(x / 2^(n + 1))` are at least a half.
    fn common_bits(&mut self, kind: ScalarKind, a: A::Value, b: A::Value) -> A::Value {
        let natural = [a, b].map(|side| kind == ScalarKind::Uint || self.graph.not_negative(side));
        let [p, q] = [a, b].map(|side| self.size(side));
        let count = match natural {
            [true, true] => p.min(q),
            [true, false] => p,
            [false, true] => q,
            [false, false] => p.max(q),
        };
        let mut pairs = Vec::new();
        for n in 0..count {
            let [left, right] = [a, b].map(|side| self.shifted_out(side, n + 1));
            let less = self.graph.min(left, right);
            let half = self.graph.number(0.5);
            let rest = self.graph.sub(less, half);
            pairs.push((self.graph.not_below(rest), self.graph.number((1_u64 << n) as f32)));
        }
        if natural == [false, false] {
            let greater = self.graph.max(a, b);
            pairs.push((self.graph.below(greater), self.graph.number(-((1_u64 << count) as f32))));
        }
        let mut sum = self.graph.number(0.0);
        for pairs in pairs.chunks(4) {
            let part = self.graph.dot(pairs);
            sum = self.graph.add(sum, part);
        }
        sum
    }

    /// Whether a whole number is known not to be below zero.
    fn natural(&self, kind: ScalarKind, a: A::Value) -> bool {
        kind == ScalarKind::Uint || self.graph.not_negative(a)
    }

    /// The number of bits of a whole number, without its sign.
    fn size(&self, a: A::Value) -> u32 {
        let limit = self.graph.limit(a);
        (1..BITS).find(|count| limit <= (1_u64 << count) as f32).unwrap_or(BITS)
    }
}
