//! The range of an operation's result. Ends are the results of the table's own functions on the
//! operands' ends, where these are monotone; elsewhere there is a margin.

use super::{Bounds, NANS, Range};
use crate::facts;
use crate::term::{Id, Node, may};
use ctm_isa::float::SMALLEST;
use ctm_isa::isa::Modifier;
use ctm_isa::ops::{Calc, is_set};

/// The range of a step that is no choice; `range` gives those of its operands.
pub(super) fn of(node: Node, bounds: &Bounds, mut range: impl FnMut(Id) -> Range) -> Range {
    match node {
        Node::Literal(bits) => Range::of(bits),
        Node::Input(input) => bounds.input(input),
        Node::Texel { surface, channel, .. } => bounds.texel(surface, channel),
        Node::Quad(_, a) => range(a),
        Node::Sign(modifier, a) => of_sign(modifier, range(a)),
        Node::Choose(_, yes, no) => range(yes).or(range(no)),
        Node::Absent => Range::NOTHING,
        Node::Calc(calc, aux, operands) => {
            let mut all = [Range::NOTHING; 4];
            let used = &mut all[..calc.facts().operands];
            for (operand, id) in used.iter_mut().zip(operands) {
                *operand = range(id);
            }
            let square = used.len() > 1 && operands[0] == operands[1];
            of_calc(calc, aux, used, square)
        }
    }
}

/// The range after a sign modifier.
pub(super) fn of_sign(modifier: Modifier, a: Range) -> Range {
    let may = facts::of_sign(modifier, a.may);
    let largest = a.low.abs().max(a.high.abs());
    let least = if a.has_zero() { 0.0 } else { a.low.abs().min(a.high.abs()) };
    match modifier {
        _ if a.has_no_number() => Range { may: may & NANS, ..Range::NOTHING },
        Modifier::Nop => a,
        Modifier::Neg => Range::new(-a.high, -a.low, may),
        Modifier::Abs => Range::new(least, largest, may),
        Modifier::Nab => Range::new(-largest, -least, may),
    }
}

/// An interval, and whether the result may be a NaN.
type Interval = (f32, f32, bool);

/// No number.
const NONE: (f32, f32) = (f32::INFINITY, f32::NEG_INFINITY);

/// The result of an operation. `square`: the first two operands are the same value.
pub(super) fn of_calc(calc: Calc, aux: u16, operands: &[Range], square: bool) -> Range {
    let mays: Vec<u8> = operands.iter().map(|range| range.may).collect();
    let may = facts::of_calc(calc, aux, &mays, square);
    let at = |n: usize| operands.get(n).copied().unwrap_or(Range::NOTHING);
    let (a, b, c) = (at(0), at(1), at(2));
    // A function of one operand.
    let f = |x: f32| f32::from_bits((calc.facts().exact)([x.to_bits(), 0, 0, 0], aux));
    let none = a.has_no_number();
    let (low, high, nan) = match calc {
        Calc::Mov => return a,
        Calc::Product | Calc::Mul => times(a, b, is_set(aux), square),
        Calc::Mad => {
            let (low, high, nan) = times(a, b, is_set(aux), square);
            sum(&[Range::new(low, high, if nan { may::NAN } else { 0 }), c], plus)
        }
        Calc::Add => sum(operands, plus),
        Calc::Sum3 | Calc::Sum4 => sum(operands, aligned),
        Calc::Min => {
            let high = if a.is_nan() { b.high } else { a.high.min(b.high) };
            (a.low.min(b.low), high, b.is_nan())
        }
        Calc::Max => {
            let low = if a.is_nan() { b.low } else { a.low.max(b.low) };
            (low, a.high.max(b.high), b.is_nan())
        }
        Calc::Cnd | Calc::Cmp => {
            let either = a.or(b);
            (either.low, either.high, either.is_nan())
        }
        Calc::Frc => {
            let nan = a.is_nan() || a.is_infinite();
            // One step of the saw, or all of it.
            let one = a.low.floor() == a.high.floor() && !a.is_infinite();
            let (low, high) = if one { (f(a.low), f(a.high)) } else { (0.0, 1.0) };
            if none { (NONE.0, NONE.1, nan) } else { (low, high, nan) }
        }
        Calc::Ex2 if none => (NONE.0, NONE.1, true),
        Calc::Ex2 => {
            let (low, high) = (f(a.low), f(a.high));
            let margin = |x: f32| if x < f32::INFINITY { x * MARGIN } else { 0.0 };
            let top = if high < f32::INFINITY { f32::MAX } else { f32::INFINITY };
            (
                down(f64::from(low - margin(low))).max(0.0),
                (high + margin(high)).min(top),
                a.is_nan(),
            )
        }
        Calc::Ln2 | Calc::Rsq if none || a.high < 0.0 => (NONE.0, NONE.1, true),
        Calc::Ln2 => {
            let (low, high) = (f(a.low.max(0.0)), f(a.high));
            let margin = |x: f32| if x.is_finite() { x.abs().max(1.0) * MARGIN } else { 0.0 };
            // The sign is right on both sides of 1.
            let low = (low - margin(low)).max(if a.low >= 1.0 { 0.0 } else { f32::NEG_INFINITY });
            let high = (high + margin(high)).min(if a.high <= 1.0 { 0.0 } else { f32::INFINITY });
            (low, high, a.is_nan() || a.low < 0.0)
        }
        Calc::Rsq => {
            let minus = a.has_zero() && a.may & may::MINUS_ZERO != 0;
            let low = if minus { f32::NEG_INFINITY } else { f(a.high) };
            (low, f(a.low.max(0.0)), a.is_nan() || a.low < 0.0)
        }
        Calc::Rcp if none => (NONE.0, NONE.1, true),
        Calc::Rcp => {
            let minus = a.low < 0.0 || a.may & may::MINUS_ZERO != 0;
            let (low, high) = match (a.has_zero(), minus) {
                (false, _) => (f(a.high), f(a.low)),
                (true, false) => (f(a.high), f32::INFINITY),
                (true, true) => (f32::NEG_INFINITY, f32::INFINITY),
            };
            (low, high, a.is_nan())
        }
        Calc::Sin | Calc::Cos => {
            let nan = a.is_nan() || a.is_infinite();
            if none { (NONE.0, NONE.1, nan) } else { (-1.0, 1.0, nan) }
        }
        Calc::Finish if aux & 15 == 7 => return a,
        Calc::Finish => {
            let (low, high) = if none { NONE } else { (f(a.low), f(a.high)) };
            // A clamp gives 0 for NaN.
            match (is_set(aux), a.is_nan()) {
                (false, nan) => (low, high, nan),
                (true, false) => (low, high, false),
                (true, true) => (low.min(0.0), high.max(0.0), false),
            }
        }
    };
    Range::new(low, high, if nan { may } else { may & !NANS })
}

/// More than twice the relative error of the functions that are not the nearest number.
const MARGIN: f32 = 1.0 / (1 << 20) as f32;

/// The product of two different values.
pub(super) fn product(a: Range, b: Range) -> Range {
    of_calc(Calc::Product, 0, &[a, b], false)
}

/// The product. `zero_times`: 0 times anything is 0.
fn times(a: Range, b: Range, zero_times: bool, square: bool) -> Interval {
    let f = |x: f32, y: f32| {
        let result = (Calc::Product.facts().exact)([x.to_bits(), y.to_bits(), 0, 0], 0);
        // 0 * Inf is no number; 0 times the numbers next to it is 0.
        let result = f32::from_bits(result);
        if result.is_nan() { 0.0 } else { result }
    };
    let zero_infinite = |a: Range, b: Range| a.has_zero() && b.is_infinite();
    let zero_nan = |a: Range, b: Range| a.has_zero() && b.is_nan();
    let numbers = !a.has_no_number() && !b.has_no_number();
    let (mut low, mut high) = if !numbers {
        NONE
    } else if square {
        let size = of_sign(Modifier::Abs, a);
        (f(size.low, size.low), f(size.high, size.high))
    } else {
        let ends = [f(a.low, b.low), f(a.low, b.high), f(a.high, b.low), f(a.high, b.high)];
        let low = ends.into_iter().fold(f32::INFINITY, f32::min);
        (low, ends.into_iter().fold(f32::NEG_INFINITY, f32::max))
    };
    let mut nan = a.is_nan() || b.is_nan();
    if zero_times {
        if zero_nan(a, b) || zero_nan(b, a) || zero_infinite(a, b) || zero_infinite(b, a) {
            (low, high) = (low.min(0.0), high.max(0.0));
        }
    } else if !square {
        nan |= zero_infinite(a, b) || zero_infinite(b, a);
    }
    (low, high, nan)
}

/// A sum whose lowest and highest numbers `ends` gives.
fn sum(terms: &[Range], ends: fn(&[Range]) -> (f32, f32)) -> Interval {
    let has = |n: usize, infinity: f32| {
        let range = terms[n];
        if infinity > 0.0 { range.high == infinity } else { range.low == infinity }
    };
    let count = terms.len();
    let mut nan = terms.iter().any(|range| range.is_nan());
    if terms.iter().any(|range| range.has_no_number()) {
        return (NONE.0, NONE.1, nan);
    }
    for (m, n) in (0..count).flat_map(|m| (0..count).map(move |n| (m, n))) {
        nan |= m != n && has(m, f32::INFINITY) && has(n, f32::NEG_INFINITY);
    }
    let (low, high) = ends(terms);
    (
        if low.is_nan() { f32::NEG_INFINITY } else { low },
        if high.is_nan() { f32::INFINITY } else { high },
        nan,
    )
}

/// The ends of a sum of two.
fn plus(terms: &[Range]) -> (f32, f32) {
    let f = |end: fn(&Range) -> f32| {
        let mut bits = [0; 4];
        for (bits, range) in bits.iter_mut().zip(terms) {
            *bits = end(range).to_bits();
        }
        f32::from_bits((Calc::Add.facts().exact)(bits, 0))
    };
    (f(|range| range.low), f(|range| range.high))
}

/// The ends of an aligned sum. It cuts each term at a place that depends on the largest one, so it is
/// not monotone: it loses less than 2^-23 of the largest term for each, and then rounds.
fn aligned(terms: &[Range]) -> (f32, f32) {
    let lows: f64 = terms.iter().map(|range| f64::from(range.low)).sum();
    let highs: f64 = terms.iter().map(|range| f64::from(range.high)).sum();
    let size = |range: &Range| f64::from(range.low.abs().max(range.high.abs()));
    let largest = terms.iter().map(size).fold(0.0, f64::max);
    let relative = f64::from(MARGIN);
    // Terms of one sign are each cut towards 0, by a part of the sum.
    let margin = |ends: f64, one_sign: bool| {
        let of = if one_sign { ends.abs() } else { largest };
        if of.is_finite() { of * relative } else { 0.0 }
    };
    let positive = terms.iter().all(|range| range.low >= 0.0);
    let negative = terms.iter().all(|range| range.high <= 0.0);
    let low = down(lows - margin(lows, positive));
    let high = -down(-(highs + margin(highs, negative)));
    // An infinite end of another term says nothing about a finite sum.
    let low = if !positive && largest.is_infinite() { f32::NEG_INFINITY } else { low };
    let high = if !negative && largest.is_infinite() { f32::INFINITY } else { high };
    (if positive { low.max(0.0) } else { low }, if negative { high.min(0.0) } else { high })
}

/// The largest flushed number that is not above `x`.
pub(super) fn down(x: f64) -> f32 {
    let near = x as f32;
    let low = if f64::from(near) > x { near.next_down() } else { near };
    let smallest = f32::from_bits(SMALLEST);
    match low {
        low if low.abs() >= smallest || low == 0.0 || low.is_nan() => low,
        low if low < 0.0 => -smallest,
        _ => 0.0,
    }
}
