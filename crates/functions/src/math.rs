//! Functions of GLSL and WGSL.

use super::{Functions, Impossible};
use ctm_isa::arithmetic::Arithmetic;
use naga::{MathFunction, ScalarKind, TypeInner, VectorSize};
use std::f32::consts::{LN_2, LOG2_E, PI};
use std::rc::Rc;

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
            Modf => {
                let whole: Vec<A::Value> = first.iter().map(|id| self.trunc(*id)).collect();
                let mut value = self.differences(first, &whole);
                value.extend(whole);
                value
            }
            Frexp => {
                let parts: Vec<_> = first.iter().map(|id| self.frexp(*id)).collect();
                let fractions = parts.iter().map(|(fraction, _)| *fraction);
                fractions.chain(parts.iter().map(|(_, exponent)| *exponent)).collect()
            }
            Dot4I8Packed | Dot4U8Packed | QuantizeToF16 | CountTrailingZeros
            | CountLeadingZeros | CountOneBits | ReverseBits | ExtractBits | InsertBits
            | FirstTrailingBit | FirstLeadingBit | Pack4x8snorm | Pack4x8unorm | Pack2x16snorm
            | Pack2x16unorm | Pack2x16float | Pack4xI8 | Pack4xU8 | Pack4xI8Clamp
            | Pack4xU8Clamp | Unpack4x8snorm | Unpack4x8unorm | Unpack2x16snorm
            | Unpack2x16unorm | Unpack2x16float | Unpack4xI8 | Unpack4xU8 => {
                return Err(format!(
                    "the function {function:?} is not possible: the machine has no functions on bits"
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
            Sin | Cos | Tan | Sinh | Cosh | Tanh | Acos | Asin | Atan | Atan2 | Asinh | Acosh
            | Atanh => self.curve(function, a),
            Radians => times(self, x, PI / 180.0),
            Degrees => times(self, x, 180.0 / PI),
            Floor => self.graph.floor(x),
            Ceil => {
                let down = self.graph.neg(x);
                let floor = self.graph.floor(down);
                self.graph.neg(floor)
            }
            Round => self.round(x),
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

    /// The fraction, from 1/2 to 1, and the exponent.
    fn frexp(&mut self, x: A::Value) -> (A::Value, A::Value) {
        let size = self.graph.abs(x);
        let log = self.graph.ln2(size);
        let log = self.graph.floor(log);
        // 2^-log may be too small for one factor.
        let [zero, half, one, two] = [0.0, 0.5, 1.0, 2.0].map(|value| self.graph.number(value));
        let part = self.graph.mul(log, half);
        let first = self.graph.floor(part);
        let second = self.graph.sub(log, first);
        let mut fraction = x;
        for part in [first, second] {
            let power = self.graph.neg(part);
            let factor = self.graph.ex2(power);
            fraction = self.graph.mul(fraction, factor);
        }
        fraction = self.graph.mul(fraction, half);
        let mut exponent = self.graph.add(log, one);
        // The logarithm may be the next power's.
        let size = self.graph.abs(fraction);
        let [more, less] = [self.graph.sub(size, one), self.graph.sub(size, half)];
        let (halved, next) = (self.graph.mul(fraction, half), self.graph.add(exponent, one));
        let (doubled, last) = (self.graph.mul(fraction, two), self.graph.sub(exponent, one));
        fraction = self.graph.cmp(fraction, doubled, less);
        exponent = self.graph.cmp(exponent, last, less);
        fraction = self.graph.cmp(halved, fraction, more);
        exponent = self.graph.cmp(next, exponent, more);
        let size = self.graph.abs(x);
        let nothing = self.graph.neg(size);
        [fraction, exponent].map(|part| self.graph.cmp(zero, part, nothing)).into()
    }

    /// from + (to - from) * weight.
    pub fn lerp(&mut self, from: A::Value, to: A::Value, weight: A::Value) -> A::Value {
        let difference = self.graph.sub(to, from);
        let part = self.graph.mul(difference, weight);
        self.graph.add(from, part)
    }

    /// log(x).
    pub fn log(&mut self, x: A::Value) -> A::Value {
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

    fn pow(&mut self, x: A::Value, y: A::Value) -> A::Value {
        let known = self.graph.value(y);
        if let Some(exponent) = known.filter(|_| !self.graph.precise()) {
            let square = |walker: &mut Self| walker.graph.mul(x, x);
            match exponent {
                0.0 => return self.graph.number(1.0),
                0.5 => return self.graph.root(x),
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

    /// The nearest whole number, an even one from the middle between two. `floor(x + 0.5)` is none: its sum rounds.
    fn round(&mut self, x: A::Value) -> A::Value {
        if self.graph.whole(x) {
            return x;
        }
        let size = self.graph.abs(x);
        let [zero, half, one, two] = [0.0, 0.5, 1.0, 2.0].map(|value| self.graph.number(value));
        let part = self.graph.mul(size, half);
        // The distance from the even number below, halved: the result is that number, or 1 or 2 more.
        let above = self.graph.frc(part);
        let distance = self.graph.mul(above, two);
        let even = self.graph.sub(size, distance);
        let [quarter, most] = [0.25, 0.75].map(|value| self.graph.number(value));
        let near = self.graph.sub(quarter, above);
        let step = self.graph.cmp(zero, one, near);
        let next = self.graph.sub(above, most);
        let step = self.graph.cmp(two, step, next);
        let whole = self.graph.add(even, step);
        self.signed(whole, x)
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
        if self.graph.precise() { self.graph.sqrt(square) } else { self.graph.root(square) }
    }

    fn refract(&mut self, i: &[A::Value], n: &[A::Value], eta: A::Value) -> Vec<A::Value> {
        let cosine = self.product(n, i);
        let one = self.graph.number(1.0);
        let square = self.graph.mul(cosine, cosine);
        let sine = self.graph.sub(one, square);
        let eta2 = self.graph.mul(eta, eta);
        let part = self.graph.mul(eta2, sine);
        let k = self.graph.sub(one, part);
        let root = self.graph.root(k);
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
