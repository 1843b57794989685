//! Functions of GLSL and WGSL.

use super::{Functions, Impossible};
use crate::arithmetic::Arithmetic;
use naga::{MathFunction, ScalarKind, TypeInner, VectorSize};
use std::f32::consts::{FRAC_PI_2, LN_2, LOG2_E, PI, TAU};
use std::rc::Rc;

/// atan(x) / x of x^2 for x from 0 to 1, within 2e-6.
const ATAN: [f32; 6] =
    [0.999_977_26, -0.332_623_47, 0.193_543_46, -0.116_432_87, 0.052_653_32, -0.011_721_2];

/// acos(x) / sqrt(1 - x) for x from 0 to 1, within 1e-6.
const ACOS: [f32; 6] =
    [1.570_795_7, -0.214_542_82, 0.088_171_05, -0.045_927_23, 0.020_620_06, -0.004_911_175];

impl<A: Arithmetic> Functions<'_, A> {
    /// The value of a function. `inner` is the type of its first argument.
    pub fn math(
        &mut self,
        function: MathFunction,
        kind: ScalarKind,
        inner: &TypeInner,
        arguments: &[Rc<[A::Value]>],
    ) -> Result<Vec<A::Value>, Impossible> {
        use MathFunction::*;
        let first = &arguments[0];
        let value = match function {
            Dot => vec![self.product(first, &arguments[1])],
            Length => vec![self.length(first)],
            Distance => {
                let difference = self.differences(first, &arguments[1]);
                vec![self.length(&difference)]
            }
            Normalize => {
                if first.len() == 1 {
                    return Ok(vec![self.sign(first[0])]);
                }
                let square = self.product(first, first);
                let factor = self.graph.rsq(square);
                first.iter().map(|id| self.graph.mul(*id, factor)).collect()
            }
            Cross => {
                let (a, b) = (first, &arguments[1]);
                let component = |walker: &mut Self, i: usize, j: usize| {
                    let [p, q] = [(i, j), (j, i)].map(|(i, j)| walker.graph.mul(a[i], b[j]));
                    walker.graph.sub(p, q)
                };
                vec![component(self, 1, 2), component(self, 2, 0), component(self, 0, 1)]
            }
            FaceForward => {
                let product = self.product(&arguments[2], &arguments[1]);
                let flip = |id: &A::Value| {
                    let negative = self.graph.neg(*id);
                    self.graph.cmp(negative, *id, product)
                };
                first.iter().map(flip).collect()
            }
            Reflect => {
                let normal = &arguments[1];
                let product = self.product(normal, first);
                let minus_two = self.graph.number(-2.0);
                let factor = self.graph.mul(product, minus_two);
                let component = |(i, n): (&A::Value, &A::Value)| {
                    let part = self.graph.mul(*n, factor);
                    self.graph.add(part, *i)
                };
                first.iter().zip(normal.iter()).map(component).collect()
            }
            Refract => self.refract(first, &arguments[1], arguments[2][0]),
            Outer => {
                let mut value = Vec::new();
                for b in arguments[1].iter() {
                    value.extend(first.iter().map(|a| self.graph.mul(*a, *b)));
                }
                value
            }
            Transpose => {
                let (columns, rows) = matrix(inner);
                (0..rows * columns).map(|n| first[n % columns * rows + n / columns]).collect()
            }
            Determinant => {
                let (size, _) = matrix(inner);
                vec![self.determinant(first, size)]
            }
            Inverse => {
                let (size, _) = matrix(inner);
                self.inverse(first, size)
            }
            Abs | Min | Max | Clamp | Saturate | Cos | Cosh | Sin | Sinh | Tan | Tanh | Acos
            | Asin | Atan | Atan2 | Asinh | Acosh | Atanh | Radians | Degrees | Ceil | Floor
            | Round | Fract | Trunc | Ldexp | Exp | Exp2 | Log | Log2 | Pow | Sign | Fma | Mix
            | Step | SmoothStep | Sqrt | InverseSqrt => {
                let count = arguments.iter().map(|argument| argument.len()).max().unwrap_or(0);
                if arguments.iter().any(|side| side.len() != 1 && side.len() != count) {
                    return Err("the arguments have different sizes".into());
                }
                let mut value = Vec::with_capacity(count);
                for n in 0..count {
                    let argument: Vec<A::Value> = arguments
                        .iter()
                        .map(|side| side[if side.len() == 1 { 0 } else { n }])
                        .collect();
                    value.push(self.component(function, kind, &argument)?);
                }
                value
            }
            Modf | Frexp | Dot4I8Packed | Dot4U8Packed | QuantizeToF16 | CountTrailingZeros
            | CountLeadingZeros | CountOneBits | ReverseBits | ExtractBits | InsertBits
            | FirstTrailingBit | FirstLeadingBit | Pack4x8snorm | Pack4x8unorm | Pack2x16snorm
            | Pack2x16unorm | Pack2x16float | Pack4xI8 | Pack4xU8 | Pack4xI8Clamp
            | Pack4xU8Clamp | Unpack4x8snorm | Unpack4x8unorm | Unpack2x16snorm
            | Unpack2x16unorm | Unpack2x16float | Unpack4xI8 | Unpack4xU8 => {
                return Err(format!(
                    "the function {function:?} is not possible: the machine has no operations on bits"
                ));
            }
        };
        Ok(value)
    }

    /// A function that works on each component.
    fn component(
        &mut self,
        function: MathFunction,
        kind: ScalarKind,
        a: &[A::Value],
    ) -> Result<A::Value, Impossible> {
        use MathFunction::*;
        let x = a[0];
        let times = |walker: &mut Self, id: A::Value, factor: f32| {
            let factor = walker.graph.number(factor);
            walker.graph.mul(id, factor)
        };
        Ok(match function {
            Abs => self.graph.abs(x),
            Min => self.graph.min(x, a[1]),
            Max => self.graph.max(x, a[1]),
            Clamp => {
                if self.graph.is(a[1], 0.0) && self.graph.is(a[2], 1.0) {
                    return Ok(self.graph.clamp(x));
                }
                let low = self.graph.max(x, a[1]);
                self.graph.min(low, a[2])
            }
            Saturate => self.graph.clamp(x),
            Sin | Cos => {
                let turns = self.turns(x);
                if function == Sin { self.graph.sin(turns) } else { self.graph.cos(turns) }
            }
            Tan => {
                let turns = self.turns(x);
                let (sin, cos) = (self.graph.sin(turns), self.graph.cos(turns));
                self.graph.div(sin, cos)
            }
            Sinh | Cosh => {
                let power = times(self, x, LOG2_E);
                let up = self.graph.ex2(power);
                let power = self.graph.neg(power);
                let down = self.graph.ex2(power);
                let sum = if function == Sinh {
                    self.graph.sub(up, down)
                } else {
                    self.graph.add(up, down)
                };
                times(self, sum, 0.5)
            }
            Tanh => {
                // 1 - 2 / (e^2x + 1)
                let power = times(self, x, 2.0 * LOG2_E);
                let up = self.graph.ex2(power);
                let one = self.graph.number(1.0);
                let sum = self.graph.add(up, one);
                let rcp = self.graph.rcp(sum);
                let part = times(self, rcp, -2.0);
                self.graph.add(part, one)
            }
            Asin | Acos => {
                let size = self.graph.abs(x);
                let series = self.polynomial(&ACOS, size);
                let one = self.graph.number(1.0);
                let rest = self.graph.sub(one, size);
                let root = self.graph.sqrt(rest);
                let arc = self.graph.mul(root, series);
                if function == Acos {
                    let pi = self.graph.number(PI);
                    let far = self.graph.sub(pi, arc);
                    self.graph.cmp(arc, far, x)
                } else {
                    let quarter = self.graph.number(FRAC_PI_2);
                    let up = self.graph.sub(quarter, arc);
                    let down = self.graph.neg(up);
                    self.graph.cmp(up, down, x)
                }
            }
            Atan => {
                // Of the smaller of x and 1/x.
                let size = self.graph.abs(x);
                let one = self.graph.number(1.0);
                let (low, high) = (self.graph.min(size, one), self.graph.max(size, one));
                let ratio = self.graph.div(low, high);
                let arc = self.arc(ratio);
                let quarter = self.graph.number(FRAC_PI_2);
                let far = self.graph.sub(quarter, arc);
                let beyond = self.graph.sub(one, size);
                let arc = self.graph.cmp(arc, far, beyond);
                let down = self.graph.neg(arc);
                self.graph.cmp(arc, down, x)
            }
            Atan2 => {
                let (y, x) = (x, a[1]);
                let [p, q] = [y, x].map(|id| self.graph.abs(id));
                let (low, high) = (self.graph.min(p, q), self.graph.max(p, q));
                let ratio = self.graph.div(low, high);
                let arc = self.arc(ratio);
                let quarter = self.graph.number(FRAC_PI_2);
                let far = self.graph.sub(quarter, arc);
                let steep = self.graph.sub(q, p);
                let arc = self.graph.cmp(arc, far, steep);
                let pi = self.graph.number(PI);
                let behind = self.graph.sub(pi, arc);
                let arc = self.graph.cmp(arc, behind, x);
                let down = self.graph.neg(arc);
                self.graph.cmp(arc, down, y)
            }
            Asinh => {
                let square = self.graph.mul(x, x);
                let one = self.graph.number(1.0);
                let sum = self.graph.add(square, one);
                let root = self.graph.sqrt(sum);
                let size = self.graph.abs(x);
                let sum = self.graph.add(size, root);
                let log = self.log(sum);
                let down = self.graph.neg(log);
                self.graph.cmp(log, down, x)
            }
            Acosh => {
                let square = self.graph.mul(x, x);
                let minus = self.graph.number(-1.0);
                let rest = self.graph.add(square, minus);
                let root = self.graph.sqrt(rest);
                let sum = self.graph.add(x, root);
                self.log(sum)
            }
            Atanh => {
                let one = self.graph.number(1.0);
                let (up, down) = (self.graph.add(one, x), self.graph.sub(one, x));
                let ratio = self.graph.div(up, down);
                let log = self.log(ratio);
                times(self, log, 0.5)
            }
            Radians => times(self, x, PI / 180.0),
            Degrees => times(self, x, 180.0 / PI),
            Floor => self.graph.floor(x),
            Ceil => {
                let down = self.graph.neg(x);
                let floor = self.graph.floor(down);
                self.graph.neg(floor)
            }
            Round => {
                let half = self.graph.number(0.5);
                let sum = self.graph.add(x, half);
                self.graph.floor(sum)
            }
            Fract => self.graph.frc(x),
            Trunc => self.trunc(x),
            Ldexp => {
                let factor = self.graph.ex2(a[1]);
                self.graph.mul(x, factor)
            }
            Exp => {
                let power = times(self, x, LOG2_E);
                self.graph.ex2(power)
            }
            Exp2 => self.graph.ex2(x),
            Log => self.log(x),
            Log2 => self.graph.ln2(x),
            Pow => self.pow(x, a[1]),
            Sign if kind == ScalarKind::Uint => {
                let one = self.graph.number(1.0);
                self.graph.min(x, one)
            }
            Sign => self.sign(x),
            Fma => {
                let product = self.graph.mul(x, a[1]);
                self.graph.add(product, a[2])
            }
            Mix => {
                if self.graph.chooses(a[2]) {
                    return Ok(self.graph.select(a[2], a[1], x));
                }
                self.lerp(x, a[1], a[2])
            }
            Step => {
                let difference = self.graph.sub(a[1], x);
                self.graph.not_below(difference)
            }
            SmoothStep => {
                let (low, high, x) = (x, a[1], a[2]);
                let width = self.graph.sub(high, low);
                let distance = self.graph.sub(x, low);
                let ratio = match self.graph.value(width) {
                    // x * 1/width - low * 1/width is one operation.
                    Some(width) if width != 0.0 && !self.graph.precise() => {
                        let factor = self.graph.number(1.0 / width);
                        let [x, low] = [x, low].map(|id| self.graph.mul(id, factor));
                        self.graph.sub(x, low)
                    }
                    _ => self.graph.div(distance, width),
                };
                let t = self.graph.clamp(ratio);
                let [minus_two, three] = [-2.0, 3.0].map(|value| self.graph.number(value));
                let part = self.graph.mul(t, minus_two);
                let part = self.graph.add(part, three);
                let square = self.graph.mul(t, t);
                self.graph.mul(square, part)
            }
            Sqrt => self.graph.sqrt(x),
            InverseSqrt => self.graph.rsq(x),
            _ => return Err(format!("the function {function:?} is not possible")),
        })
    }

    /// from + (to - from) * weight.
    pub fn lerp(&mut self, from: A::Value, to: A::Value, weight: A::Value) -> A::Value {
        let difference = self.graph.sub(to, from);
        let part = self.graph.mul(difference, weight);
        self.graph.add(from, part)
    }

    fn log(&mut self, x: A::Value) -> A::Value {
        let log = self.graph.ln2(x);
        let factor = self.graph.number(LN_2);
        self.graph.mul(log, factor)
    }

    fn sign(&mut self, x: A::Value) -> A::Value {
        let [zero, one, minus] = [0.0, 1.0, -1.0].map(|value| self.graph.number(value));
        let down = self.graph.neg(x);
        let positive = self.graph.cmp(zero, one, down);
        self.graph.cmp(positive, minus, x)
    }

    /// The argument of sine and cosine in turns, reduced to [0, 1).
    fn turns(&mut self, x: A::Value) -> A::Value {
        let factor = self.graph.number(1.0 / TAU);
        let turns = self.graph.mul(x, factor);
        self.graph.frc(turns)
    }

    fn pow(&mut self, x: A::Value, y: A::Value) -> A::Value {
        let known = self.graph.value(y);
        if let Some(exponent) = known.filter(|_| !self.graph.precise()) {
            let square = |walker: &mut Self| walker.graph.mul(x, x);
            match exponent {
                0.0 => return self.graph.number(1.0),
                0.5 => return self.graph.sqrt(x),
                -0.5 => return self.graph.rsq(x),
                1.0 => return x,
                -1.0 => return self.graph.rcp(x),
                2.0 => return square(self),
                3.0 => {
                    let square = square(self);
                    return self.graph.mul(square, x);
                }
                4.0 => {
                    let square = square(self);
                    return self.graph.mul(square, square);
                }
                _ => {}
            }
        }
        let log = self.graph.ln2(x);
        let power = self.graph.mul(log, y);
        self.graph.ex2(power)
    }

    /// A polynomial, the constant first.
    fn polynomial(&mut self, factors: &[f32], x: A::Value) -> A::Value {
        let mut factors = factors.iter().rev();
        let first = factors.next().copied().unwrap_or_default();
        let mut sum = self.graph.number(first);
        for factor in factors {
            let product = self.graph.mul(sum, x);
            let factor = self.graph.number(*factor);
            sum = self.graph.add(product, factor);
        }
        sum
    }

    /// atan(x) for x from 0 to 1.
    fn arc(&mut self, x: A::Value) -> A::Value {
        let square = self.graph.mul(x, x);
        let series = self.polynomial(&ATAN, square);
        self.graph.mul(series, x)
    }

    fn differences(&mut self, a: &[A::Value], b: &[A::Value]) -> Vec<A::Value> {
        let value: Vec<A::Value> = a.iter().zip(b).map(|(a, b)| self.graph.sub(*a, *b)).collect();
        self.graph.vector(&value);
        value
    }

    /// The dot product.
    pub fn product(&mut self, a: &[A::Value], b: &[A::Value]) -> A::Value {
        let pairs: Vec<(A::Value, A::Value)> = a.iter().copied().zip(b.iter().copied()).collect();
        self.graph.dot(&pairs)
    }

    fn length(&mut self, a: &[A::Value]) -> A::Value {
        if let [one] = a {
            return self.graph.abs(*one);
        }
        let square = self.product(a, a);
        self.graph.sqrt(square)
    }

    fn refract(&mut self, i: &[A::Value], n: &[A::Value], eta: A::Value) -> Vec<A::Value> {
        let cosine = self.product(n, i);
        let one = self.graph.number(1.0);
        let square = self.graph.mul(cosine, cosine);
        let sine = self.graph.sub(one, square);
        let eta2 = self.graph.mul(eta, eta);
        let part = self.graph.mul(eta2, sine);
        let k = self.graph.sub(one, part);
        let root = self.graph.sqrt(k);
        let along = self.graph.mul(eta, cosine);
        let factor = self.graph.add(along, root);
        let zero = self.graph.number(0.0);
        let component = |(i, n): (&A::Value, &A::Value)| {
            let forward = self.graph.mul(*i, eta);
            let back = self.graph.mul(*n, factor);
            let value = self.graph.sub(forward, back);
            self.graph.cmp(value, zero, k)
        };
        i.iter().zip(n).map(component).collect()
    }

    /// The product of two values of which at least one is a matrix.
    pub fn matrix_product(
        &mut self,
        inner: &[TypeInner; 2],
        left: &[A::Value],
        right: &[A::Value],
    ) -> Option<Vec<A::Value>> {
        use TypeInner::{Matrix, Vector};
        match inner {
            [Matrix { rows, .. }, Vector { .. }] => {
                Some(self.transform(left, *rows as usize, right))
            }
            [Matrix { rows, .. }, Matrix { rows: inner, .. }] => {
                let mut value = Vec::new();
                for column in right.chunks(*inner as usize) {
                    let column = self.transform(left, *rows as usize, column);
                    self.graph.vector(&column);
                    value.extend(column);
                }
                Some(value)
            }
            [Vector { .. }, Matrix { rows, .. }] => Some(
                right.chunks(*rows as usize).map(|column| self.product(left, column)).collect(),
            ),
            _ => None,
        }
    }

    /// The sum of a matrix's columns, each times a component.
    fn transform(
        &mut self,
        matrix: &[A::Value],
        rows: usize,
        vector: &[A::Value],
    ) -> Vec<A::Value> {
        let mut sum: Option<Vec<A::Value>> = None;
        for (column, factor) in matrix.chunks(rows).zip(vector) {
            let part: Vec<A::Value> =
                column.iter().map(|id| self.graph.mul(*id, *factor)).collect();
            self.graph.vector(&part);
            let next = match sum {
                None => part,
                Some(sum) => {
                    sum.iter().zip(&part).map(|(sum, part)| self.graph.add(*sum, *part)).collect()
                }
            };
            self.graph.vector(&next);
            sum = Some(next);
        }
        sum.unwrap_or_default()
    }

    /// A matrix without a column and a row.
    fn minor(matrix: &[A::Value], size: usize, column: usize, row: usize) -> Vec<A::Value> {
        let keep = |n: &usize| n / size != column && n % size != row;
        (0..size * size).filter(keep).map(|n| matrix[n]).collect()
    }

    fn determinant(&mut self, matrix: &[A::Value], size: usize) -> A::Value {
        if size == 1 {
            return matrix[0];
        }
        let mut sum = self.graph.number(0.0);
        for column in 0..size {
            let minor = Self::minor(matrix, size, column, 0);
            let minor = self.determinant(&minor, size - 1);
            let part = self.graph.mul(matrix[column * size], minor);
            sum =
                if column % 2 == 0 { self.graph.add(part, sum) } else { self.graph.sub(sum, part) };
        }
        sum
    }

    fn inverse(&mut self, matrix: &[A::Value], size: usize) -> Vec<A::Value> {
        let determinant = self.determinant(matrix, size);
        let factor = self.graph.rcp(determinant);
        let mut value = Vec::new();
        for column in 0..size {
            for row in 0..size {
                let minor = Self::minor(matrix, size, row, column);
                let minor = self.determinant(&minor, size - 1);
                let part = self.graph.mul(minor, factor);
                value.push(if (column + row) % 2 == 0 { part } else { self.graph.neg(part) });
            }
        }
        value
    }
}

/// Columns and rows.
fn matrix(inner: &TypeInner) -> (usize, usize) {
    match inner {
        TypeInner::Matrix { columns, rows, .. } => (*columns as usize, *rows as usize),
        _ => (VectorSize::Bi as usize, VectorSize::Bi as usize),
    }
}
