//! Functions of angles, and their inverses.

use super::Functions;
use ctm_isa::arithmetic::Arithmetic;
use naga::MathFunction;
use std::f32::consts::{FRAC_PI_2, LN_2, LOG2_E, PI, TAU};

// Odd functions, divided by x, as polynomials of x^2. They begin with 1, so that the function of 0 is 0, and that of a small
// number keeps its digits.

/// atan(x) / x for x from 0 to 1, within 8e-7.
const ATAN: [f32; 7] =
    [1.0, -0.333_284_9, 0.198_978_76, -0.135_445_87, 0.084_841_27, -0.037_796_94, 0.008_106_442];

/// asin(x) / x for x from 0 to 1/2, within 2e-7.
const ASIN: [f32; 5] = [1.0, 0.166_655_8, 0.075_405_313, 0.040_034_973, 0.049_953_14];

/// sinh(x) / x for x from 0 to 1/2, within 2e-7.
const SINH: [f32; 3] = [1.0, 0.166_661_34, 0.008_402_457];

/// tanh(x) / x for x from 0 to 1/2, within 7e-7.
const TANH: [f32; 4] = [1.0, -0.333_281_59, 0.132_053_6, -0.044_750_656];

/// asinh(x) / x for x from 0 to 1/2, within 2e-7.
const ASINH: [f32; 5] = [1.0, -0.166_662_89, 0.074_847_58, -0.042_699_32, 0.020_121_958];

/// atanh(x) / x for x from 0 to 1/2, within 4e-7.
const ATANH: [f32; 5] = [1.0, 0.333_287_35, 0.201_717_69, 0.123_361_64, 0.193_320_91];

/// acos(x) / sqrt(1 - x) for x from 0 to 1, within 9e-7. acos(0) is pi/2.
const ACOS: [f32; 6] =
    [FRAC_PI_2, -0.214_535_3, 0.088_004_333, -0.045_249_026, 0.019_637_403, -0.004_441_387_6];

impl<A: Arithmetic> Functions<'_, A> {
    /// A function of an angle, or one that gives an angle; hyperbolic ones, too.
    pub fn curve(&mut self, function: MathFunction, a: &[A::Value]) -> A::Value {
        use MathFunction::*;
        let x = a[0];
        let times = |walker: &mut Self, id: A::Value, factor: f32| {
            let factor = walker.graph.number(factor);
            walker.graph.mul(id, factor)
        };
        match function {
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
                // e^x / 2 and e^-x / 2: half of it may be finite where e^x is not.
                let power = times(self, x, LOG2_E);
                let minus = self.graph.number(-1.0);
                let [up, down] = [power, self.graph.neg(power)].map(|power| {
                    let power = self.graph.add(power, minus);
                    self.graph.ex2(power)
                });
                if function == Cosh {
                    return self.graph.add(up, down);
                }
                let far = self.graph.sub(up, down);
                self.near(&SINH, x, far)
            }
            Tanh => {
                // 1 - 2 / (e^2x + 1)
                let power = times(self, x, 2.0 * LOG2_E);
                let up = self.graph.ex2(power);
                let one = self.graph.number(1.0);
                let sum = self.graph.add(up, one);
                let rcp = self.graph.rcp(sum);
                let part = times(self, rcp, -2.0);
                let far = self.graph.add(part, one);
                self.near(&TANH, x, far)
            }
            Acos => {
                let size = self.graph.abs(x);
                let series = self.polynomial(&ACOS, size);
                let one = self.graph.number(1.0);
                let rest = self.graph.sub(one, size);
                let root = self.graph.root(rest);
                let arc = self.graph.mul(root, series);
                let pi = self.graph.number(PI);
                let far = self.graph.sub(pi, arc);
                self.graph.cmp(arc, far, x)
            }
            Asin => {
                // Beyond 1/2 it is pi/2 - 2 asin(sqrt((1 - x) / 2)).
                let size = self.graph.abs(x);
                let half = self.graph.number(0.5);
                let inside = self.graph.sub(half, size);
                let part = self.graph.mul(size, half);
                let rest = self.graph.sub(half, part);
                let root = self.graph.root(rest);
                let own = self.graph.mul(x, x);
                let square = self.graph.cmp(own, rest, inside);
                let sine = self.graph.cmp(size, root, inside);
                let series = self.polynomial(&ASIN, square);
                let arc = self.graph.mul(series, sine);
                let twice = times(self, arc, -2.0);
                let quarter = self.graph.number(FRAC_PI_2);
                let far = self.graph.add(twice, quarter);
                let arc = self.graph.cmp(arc, far, inside);
                self.signed(arc, x)
            }
            Atan => {
                // Of the smaller of x and 1/x.
                let size = self.graph.abs(x);
                let one = self.graph.number(1.0);
                let (low, high) = (self.graph.min(size, one), self.graph.max(size, one));
                let ratio = self.graph.div(low, high);
                let arc = self.odd(&ATAN, ratio);
                let quarter = self.graph.number(FRAC_PI_2);
                let far = self.graph.sub(quarter, arc);
                let beyond = self.graph.sub(one, size);
                let arc = self.graph.cmp(arc, far, beyond);
                self.signed(arc, x)
            }
            Atan2 => {
                let (y, x) = (x, a[1]);
                let [p, q] = [y, x].map(|id| self.graph.abs(id));
                let (low, high) = (self.graph.min(p, q), self.graph.max(p, q));
                let ratio = self.graph.div(low, high);
                let arc = self.odd(&ATAN, ratio);
                let quarter = self.graph.number(FRAC_PI_2);
                let far = self.graph.sub(quarter, arc);
                let steep = self.graph.sub(q, p);
                let arc = self.graph.cmp(arc, far, steep);
                let pi = self.graph.number(PI);
                let behind = self.graph.sub(pi, arc);
                let arc = self.graph.cmp(arc, behind, x);
                self.signed(arc, y)
            }
            Asinh => {
                let size = self.graph.abs(x);
                let area = self.area(size);
                self.signed(area, x)
            }
            Acosh => {
                // 2 asinh(sqrt((x - 1) / 2))
                let half = self.graph.number(0.5);
                let part = self.graph.mul(x, half);
                let rest = self.graph.sub(part, half);
                let root = self.graph.root(rest);
                let area = self.area(root);
                times(self, area, 2.0)
            }
            // Atanh
            _ => {
                let one = self.graph.number(1.0);
                let (up, down) = (self.graph.add(one, x), self.graph.sub(one, x));
                let ratio = self.graph.div(up, down);
                let log = self.log(ratio);
                let far = times(self, log, 0.5);
                self.near(&ATANH, x, far)
            }
        }
    }

    /// The argument of sine and cosine in turns, reduced to [0, 1).
    fn turns(&mut self, x: A::Value) -> A::Value {
        let factor = self.graph.number(1.0 / TAU);
        let turns = self.graph.mul(x, factor);
        self.graph.frc(turns)
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

    /// x times a polynomial of x^2.
    fn odd(&mut self, factors: &[f32], x: A::Value) -> A::Value {
        let square = self.graph.mul(x, x);
        let series = self.polynomial(factors, square);
        self.graph.mul(series, x)
    }

    /// [`Functions::odd`] where abs(x) is at most 1/2, and `far`, which loses digits there, elsewhere.
    fn near(&mut self, factors: &[f32], x: A::Value, far: A::Value) -> A::Value {
        let near = self.odd(factors, x);
        let size = self.graph.abs(x);
        let half = self.graph.number(0.5);
        let inside = self.graph.sub(half, size);
        self.graph.cmp(near, far, inside)
    }

    /// `size` with the sign of x.
    pub fn signed(&mut self, size: A::Value, x: A::Value) -> A::Value {
        if self.graph.not_negative(x) {
            return size;
        }
        let down = self.graph.neg(size);
        self.graph.cmp(size, down, x)
    }

    /// asinh(x) for x from 0: beyond 1/2 it is log(x) + log(1 + sqrt(1 + 1/x^2)), in which nothing overflows.
    fn area(&mut self, x: A::Value) -> A::Value {
        let rcp = self.graph.rcp(x);
        let square = self.graph.mul(rcp, rcp);
        let one = self.graph.number(1.0);
        let sum = self.graph.add(square, one);
        let root = self.graph.root(sum);
        let factor = self.graph.add(root, one);
        let [p, q] = [x, factor].map(|part| self.graph.ln2(part));
        let log = self.graph.add(p, q);
        let scale = self.graph.number(LN_2);
        let far = self.graph.mul(log, scale);
        self.near(&ASINH, x, far)
    }
}
