//! Operators and functions of GLSL and WGSL as operations of the machine.
//!
//! The operations are those of [`ctm_isa::arithmetic`]. What a function means is written once, in [`Functions`], for
//! constants, for the evaluator and for the compiler. [`number`]: the arithmetic whose values are numbers, with bounds of
//! their errors.

mod bits;
mod curves;
mod math;
pub mod number;

use ctm_isa::arithmetic::Arithmetic;
use naga::{BinaryOperator, RelationalFunction, ScalarKind, TypeInner};

/// A limit of the machine that makes something impossible, as text.
pub type Impossible = String;

/// The operators and functions over an arithmetic.
pub struct Functions<'a, A: Arithmetic> {
    /// The arithmetic.
    pub graph: &'a mut A,
}

/// The kind of the scalars of a scalar, vector or matrix.
fn kind(inner: &TypeInner) -> ScalarKind {
    inner.scalar_kind().unwrap_or(ScalarKind::Float)
}

impl<A: Arithmetic> Functions<'_, A> {
    /// A function of conditions, or of the class of floats.
    pub fn relational(
        &mut self,
        function: RelationalFunction,
        value: &[A::Value],
    ) -> Vec<A::Value> {
        match function {
            RelationalFunction::All => {
                let start = self.graph.number(1.0);
                vec![value.iter().fold(start, |all, id| self.graph.and(all, *id))]
            }
            RelationalFunction::Any => {
                let start = self.graph.number(0.0);
                vec![value.iter().fold(start, |any, id| self.graph.or(any, *id))]
            }
            RelationalFunction::IsNan => value.iter().map(|id| self.graph.is_nan(*id)).collect(),
            RelationalFunction::IsInf => {
                let largest = self.graph.number(f32::MAX);
                let is_inf = |id: &A::Value| {
                    let size = self.graph.abs(*id);
                    let room = self.graph.sub(largest, size);
                    self.graph.below(room)
                };
                value.iter().map(is_inf).collect()
            }
        }
    }

    /// A conversion of scalars.
    pub fn convert(&mut self, from: ScalarKind, to: ScalarKind, id: A::Value) -> A::Value {
        use ScalarKind::{Bool, Float, Sint, Uint};
        match (from, to) {
            (Float, Sint) => self.trunc(id),
            (Float, Uint) => {
                let zero = self.graph.number(0.0);
                let size = self.graph.max(id, zero);
                self.trunc(size)
            }
            (Bool, _) => id,
            (_, Bool) => {
                let zero = self.graph.number(0.0);
                let equal = self.equal(id, zero);
                self.graph.not(equal)
            }
            _ => id,
        }
    }

    /// An operator on scalars, vectors or matrices. `inner` has the types of both sides.
    pub fn binary(
        &mut self,
        op: BinaryOperator,
        inner: &[TypeInner; 2],
        left: &[A::Value],
        right: &[A::Value],
    ) -> Result<Vec<A::Value>, Impossible> {
        use BinaryOperator::*;
        if let Multiply = op
            && let Some(value) = self.matrix_product(inner, left, right)
        {
            return Ok(value);
        }
        let kind = kind(&inner[0]);
        let count = left.len().max(right.len());
        // naga's parser does not compare the sizes.
        if [left.len(), right.len()].iter().any(|size| *size != 1 && *size != count) {
            return Err("the operands have different sizes".into());
        }
        let side = |side: &[A::Value], n: usize| side[if side.len() == 1 { 0 } else { n }];
        let mut value = Vec::with_capacity(count);
        for n in 0..count {
            let (a, b) = (side(left, n), side(right, n));
            value.push(match (op, kind) {
                (Add, _) => self.graph.add(a, b),
                (Subtract, _) => self.graph.sub(a, b),
                (Multiply, _) => self.graph.mul(a, b),
                (Divide, ScalarKind::Float) => self.graph.div(a, b),
                (Divide, _) if let Some(count) = self.binary_digits(kind, a, b) => {
                    let places = self.graph.number(count as f32);
                    self.shift(ShiftRight, a, places)?
                }
                (Divide, _) => self.quotient(a, b),
                (Modulo, ScalarKind::Float) => {
                    let ratio = self.graph.div(a, b);
                    let whole = self.trunc(ratio);
                    let product = self.graph.mul(whole, b);
                    self.graph.sub(a, product)
                }
                (Modulo, _) if let Some(count) = self.binary_digits(kind, a, b) => {
                    self.lowest_bits(a, count)
                }
                (Modulo, _) => {
                    let quotient = self.quotient(a, b);
                    let product = self.graph.mul(quotient, b);
                    self.graph.sub(a, product)
                }
                (Equal, _) => self.equal(a, b),
                (NotEqual, _) => {
                    let equal = self.equal(a, b);
                    self.graph.not(equal)
                }
                (Less, _) => {
                    let difference = self.graph.sub(a, b);
                    self.graph.below(difference)
                }
                (Greater, _) => {
                    let difference = self.graph.sub(b, a);
                    self.graph.below(difference)
                }
                (LessEqual, _) => {
                    let difference = self.graph.sub(b, a);
                    self.graph.not_below(difference)
                }
                (GreaterEqual, _) => {
                    let difference = self.graph.sub(a, b);
                    self.graph.not_below(difference)
                }
                (LogicalAnd, _) | (And, ScalarKind::Bool) => self.graph.and(a, b),
                (LogicalOr, _) | (InclusiveOr, ScalarKind::Bool) => self.graph.or(a, b),
                (ExclusiveOr, ScalarKind::Bool) => {
                    let equal = self.equal(a, b);
                    self.graph.not(equal)
                }
                (And, _) => self.bitwise_and(kind, a, b)?,
                (InclusiveOr, _) => {
                    let [rest, _] = self.apart(kind, a, b)?;
                    self.graph.add(rest, b)
                }
                (ExclusiveOr, _) => {
                    let [left, right] = self.apart(kind, a, b)?;
                    self.graph.add(left, right)
                }
                (ShiftLeft | ShiftRight, _) => self.shift(op, a, b)?,
            });
        }
        // Quotients of matrices and scalars have the shape of the matrix.
        Ok(value)
    }

    /// The quotient of integers, rounded towards zero.
    fn quotient(&mut self, a: A::Value, b: A::Value) -> A::Value {
        // Half a unit more, so that an inexact reciprocal does not fall below the whole number.
        let size = self.graph.abs(a);
        let half = self.graph.number(0.5);
        let size = self.graph.add(size, half);
        let divisor = self.graph.abs(b);
        let ratio = self.graph.div(size, divisor);
        let whole = self.graph.floor(ratio);
        let signed = |walker: &mut Self, value: A::Value, sign: A::Value| {
            if walker.graph.not_negative(sign) {
                return value;
            }
            let negative = walker.graph.neg(value);
            walker.graph.cmp(value, negative, sign)
        };
        let value = signed(self, whole, a);
        signed(self, value, b)
    }

    /// The whole number towards zero.
    pub fn trunc(&mut self, a: A::Value) -> A::Value {
        if self.graph.whole(a) {
            return a;
        }
        if self.graph.not_negative(a) {
            return self.graph.floor(a);
        }
        let size = self.graph.abs(a);
        let down = self.graph.floor(size);
        let up = self.graph.neg(down);
        self.graph.cmp(down, up, a)
    }

    /// Whether two numbers are equal.
    pub fn equal(&mut self, a: A::Value, b: A::Value) -> A::Value {
        let difference = self.graph.sub(a, b);
        let distance = self.graph.abs(difference);
        let c = self.graph.neg(distance);
        self.graph.not_below(c)
    }
}
