//! The machine's arithmetic operations over values of any kind: numbers, or nodes of a compiler's graph.
//!
//! A function of a language is written once over [`Arithmetic`], for constants, for evaluation and for compilation. The
//! module knows no language and no instruction.

/// Scalars and the operations of the machine on them.
pub trait Operations {
    /// A scalar.
    type Value: Copy;

    /// A constant.
    fn number(&mut self, value: f32) -> Self::Value;
    /// -a.
    fn neg(&mut self, a: Self::Value) -> Self::Value;
    /// abs(a).
    fn abs(&mut self, a: Self::Value) -> Self::Value;
    /// a + b.
    fn add(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// a * b, with 0 * anything = 0.
    fn mul(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// The sum of products of pairs, in their order.
    fn dot(&mut self, pairs: &[(Self::Value, Self::Value)]) -> Self::Value;
    /// a < b ? a : b.
    fn min(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// a >= b ? a : b.
    fn max(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// a, limited to [0, 1].
    fn clamp(&mut self, a: Self::Value) -> Self::Value;
    /// c >= 0 ? a : b.
    fn cmp(&mut self, a: Self::Value, b: Self::Value, c: Self::Value) -> Self::Value;
    /// a - floor(a).
    fn frc(&mut self, a: Self::Value) -> Self::Value;
    /// 2^a.
    fn ex2(&mut self, a: Self::Value) -> Self::Value;
    /// log2(a).
    fn ln2(&mut self, a: Self::Value) -> Self::Value;
    /// 1/a.
    fn rcp(&mut self, a: Self::Value) -> Self::Value;
    /// 1/sqrt(a).
    fn rsq(&mut self, a: Self::Value) -> Self::Value;
    /// sin(2 pi a).
    fn sin(&mut self, a: Self::Value) -> Self::Value;
    /// cos(2 pi a).
    fn cos(&mut self, a: Self::Value) -> Self::Value;
}

/// The operations that functions of languages are made of. A boolean is 0 or 1, an integer is a whole number.
pub trait Arithmetic: Operations {
    /// Whether only one order of operations is right.
    fn precise(&self) -> bool;
    /// The value, if only constants determine it.
    fn value(&self, a: Self::Value) -> Option<f32>;
    /// a - frc(a).
    fn floor(&mut self, a: Self::Value) -> Self::Value;
    /// 1 if a is a NaN, else 0.
    fn is_nan(&mut self, a: Self::Value) -> Self::Value;
    /// The opposite of a condition.
    fn not(&mut self, a: Self::Value) -> Self::Value;
    /// Both conditions.
    fn and(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// At least one of two conditions.
    fn or(&mut self, a: Self::Value, b: Self::Value) -> Self::Value;
    /// condition ? a : b, for a condition that is 0 or 1.
    fn select(&mut self, condition: Self::Value, a: Self::Value, b: Self::Value) -> Self::Value;

    /// Whether a value is known never to be below zero. `false` is always right.
    fn not_negative(&self, _a: Self::Value) -> bool {
        false
    }
    /// Whether a value is known to be whole. `false` is always right.
    fn whole(&self, _a: Self::Value) -> bool {
        false
    }
    /// A number that the magnitude of a number is known to be below. Infinity is always right.
    fn limit(&self, _a: Self::Value) -> f32 {
        f32::INFINITY
    }
    /// Whether a float is known to be a condition, and a choice may replace an interpolation. `false` is always right.
    fn chooses(&self, _a: Self::Value) -> bool {
        false
    }
    /// Notes that scalars are the components of a vector.
    fn vector(&mut self, _components: &[Self::Value]) {}

    /// a - b.
    fn sub(&mut self, a: Self::Value, b: Self::Value) -> Self::Value {
        let b = self.neg(b);
        self.add(a, b)
    }
    /// a / b.
    fn div(&mut self, a: Self::Value, b: Self::Value) -> Self::Value {
        let rcp = self.rcp(b);
        self.mul(a, rcp)
    }
    /// A square root in two instructions, within 1.5 units in the last place.
    fn root(&mut self, a: Self::Value) -> Self::Value {
        let rsq = self.rsq(a);
        self.mul(a, rsq)
    }
    /// A square root in three instructions: the mean of `a * rsq(a)` and `1/rsq(a)`, whose errors are opposite. It is exact for
    /// the square of a whole number up to 4096, and for that times a power of 4; others are within one unit in the last place.
    fn sqrt(&mut self, a: Self::Value) -> Self::Value {
        let rsq = self.rsq(a);
        let [below, above] = [self.mul(a, rsq), self.rcp(rsq)];
        let sum = self.add(below, above);
        let half = self.number(0.5);
        self.mul(sum, half)
    }
    /// Whether a value is a constant with this value.
    fn is(&self, a: Self::Value, value: f32) -> bool {
        self.value(a).is_some_and(|a| a.to_bits() == value.to_bits())
    }
    /// 1 if c >= 0, else 0.
    fn not_below(&mut self, c: Self::Value) -> Self::Value {
        let [one, zero] = [1.0, 0.0].map(|value| self.number(value));
        self.cmp(one, zero, c)
    }
    /// 1 if c < 0, else 0; 1 for a NaN.
    fn below(&mut self, c: Self::Value) -> Self::Value {
        let [one, zero] = [1.0, 0.0].map(|value| self.number(value));
        self.cmp(zero, one, c)
    }
}
