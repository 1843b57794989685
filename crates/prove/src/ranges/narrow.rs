//! Both sides of a choice, each bounded where its comparison holds or not.

use super::step::{down, of_sign};
use super::{NANS, Range, Ranges};
use crate::cond::Check;
use crate::term::{Id, Node, may};
use ctm_isa::float::{HALF, SMALLEST};
use ctm_isa::isa::Modifier;
use ctm_isa::ops::{Calc, SWITCH};
use std::collections::HashMap;

/// The answers of the comparisons around a term, and the ranges under them.
pub(super) struct Assumed {
    /// The ranges of tested values, and of what they are computed from.
    of: Vec<(Id, Range)>,
    known: HashMap<Id, Range>,
    /// The terms that can still be bounded again.
    left: u32,
}

/// The terms that are bounded again for a choice. More are needed where it is deep in a computation.
const TERMS: u32 = 64;
/// The steps back from a tested value.
const BACK: u32 = 4;

impl Assumed {
    pub fn nothing() -> Assumed {
        Assumed { of: Vec::new(), known: HashMap::new(), left: TERMS }
    }
}

impl Ranges<'_> {
    /// The range of a term under what is assumed.
    pub(super) fn under(&self, id: Id, assumed: &mut Assumed) -> Range {
        // A term comes after all that it depends on.
        if assumed.of.iter().all(|&(first, _)| id < first) {
            return self.of(id);
        }
        if let Some(&known) = assumed.known.get(&id) {
            return known;
        }
        let mut range = self.of(id);
        for (_, other) in assumed.of.iter().filter(|(of, _)| *of == id) {
            range = range.and(*other);
        }
        // What is assumed is about this point, not about its neighbours.
        let here = !matches!(self.terms.node(id), Node::Quad(..));
        if here && assumed.left > 0 {
            assumed.left -= 1;
            range = range.and(self.computed(id, assumed));
        }
        assumed.known.insert(id, range);
        range
    }

    /// The ranges of the sides of a choice: if its atom holds, and if not.
    pub(super) fn sides(&self, atom: u32, sides: [Id; 2], assumed: &mut Assumed) -> [Range; 2] {
        let (check, tested) = self.terms.conds.atom(atom);
        let range = self.under(tested, assumed);
        let mut side = |id: Id, holds: bool| {
            let mut all = Range::NOTHING;
            for part in narrowed(check, holds, range) {
                if part == Range::NOTHING {
                    continue;
                }
                let (of, left) = (assumed.of.clone(), assumed.left);
                let mut inner = Assumed { of, known: HashMap::new(), left };
                self.assume(tested, part, &mut inner, BACK);
                all = all.or(self.under(id, &mut inner));
                assumed.left = inner.left;
            }
            all
        };
        [side(sides[0], true), side(sides[1], false)]
    }

    /// Assumes a range of a value, and what follows for the values that it is computed from.
    fn assume(&self, id: Id, range: Range, assumed: &mut Assumed, back: u32) {
        assumed.of.push((id, range));
        let numbers = !range.is_nan() && !range.has_no_number();
        if back == 0 {
            return;
        }
        match self.terms.node(id) {
            Node::Sign(Modifier::Neg, a) => {
                self.assume(a, of_sign(Modifier::Neg, range), assumed, back - 1);
            }
            Node::Sign(Modifier::Abs, a) if !range.has_no_number() => {
                let either = range.or(of_sign(Modifier::Neg, range));
                let zeros = may::DENORMAL | may::MINUS_ZERO | NANS;
                let nan = if range.is_nan() { zeros } else { zeros & !NANS };
                let a_range = Range::new(either.low, either.high, nan);
                self.assume(a, a_range, assumed, back - 1);
            }
            Node::Calc(Calc::Add, _, [a, b, ..]) if numbers => {
                for (one, other) in [(a, b), (b, a)] {
                    self.assume(one, addend(range, self.of(other)), assumed, back - 1);
                }
            }
            Node::Calc(Calc::Product, _, [a, b, ..]) if numbers => {
                if let Some(bits) = self.terms.literal_of(b)
                    && let factor = f32::from_bits(bits)
                    && factor.is_normal()
                {
                    self.assume(a, factored(range, factor), assumed, back - 1);
                }
            }
            Node::Calc(calc @ (Calc::Min | Calc::Max), _, [a, b, ..]) if numbers => {
                for (one, other, nan) in [(a, b, NANS), (b, a, 0)] {
                    let part = chosen(calc, range, self.of(other), nan);
                    self.assume(one, part, assumed, back - 1);
                }
            }
            Node::Calc(Calc::Finish, SWITCH, [a, ..]) => {
                let (low, high) = (range.low, range.high);
                let nan = if low > 0.0 { 0 } else { NANS };
                let low = if low > 0.0 { low } else { f32::NEG_INFINITY };
                let high = if high < 1.0 { high } else { f32::INFINITY };
                let part = Range::new(low, high, nan | may::DENORMAL | may::MINUS_ZERO);
                self.assume(a, part, assumed, back - 1);
            }
            _ => {}
        }
    }
}

/// The least normal number.
const LEAST: f32 = f32::from_bits(SMALLEST);

/// The parts of a range where a comparison holds, or where it does not.
pub(super) fn narrowed(check: Check, holds: bool, range: Range) -> [Range; 2] {
    let zeros = may::DENORMAL | may::MINUS_ZERO;
    let numbers = |low: f32, high: f32, may: u8| range.and(Range::new(low, high, may));
    let from = |low: f32, may: u8| [numbers(low, f32::INFINITY, may), Range::NOTHING];
    let to = |high: f32, may: u8| [numbers(f32::NEG_INFINITY, high, may), Range::NOTHING];
    let not_zero =
        |nan: u8| [numbers(f32::NEG_INFINITY, -LEAST, nan), numbers(LEAST, f32::INFINITY, nan)];
    match (check, holds) {
        (Check::Compare(code), holds) => match (code & 3, holds) {
            (0, true) | (3, false) => [numbers(0.0, 0.0, zeros), Range::NOTHING],
            (0, false) => not_zero(NANS),
            (1, true) => to(-LEAST, 0),
            (1, false) => from(0.0, zeros | NANS),
            (2, true) => from(0.0, zeros),
            (2, false) => to(-LEAST, NANS),
            _ => not_zero(NANS),
        },
        (Check::AboveHalf, true) => from(f32::from_bits(HALF).next_up(), 0),
        (Check::AboveHalf, false) => to(f32::from_bits(HALF), zeros | NANS),
        (Check::Kills, true) => to(0.0, zeros),
        (Check::Kills, false) => from(0.0, may::DENORMAL | NANS),
    }
}

/// More than the relative error of a sum or product.
const ROUNDING: f64 = 1.0 / (1 << 22) as f64;

/// The range of a number between two, with room for roundings.
fn outwards(low: f64, high: f64) -> Range {
    let low = if low.is_nan() { f32::NEG_INFINITY } else { down(low) };
    let high = if high.is_nan() { f32::INFINITY } else { -down(-high) };
    Range::new(low, high, may::DENORMAL | may::MINUS_ZERO)
}

/// The numbers that a rounded and flushed number of the range can come from.
fn unrounded(range: Range) -> (f64, f64) {
    let margin = |end: f32| f64::from(end.abs()) * ROUNDING + f64::from(LEAST);
    // Finite numbers can overflow.
    let low = if range.low == f32::INFINITY { f32::MAX } else { range.low };
    let high = if range.high == f32::NEG_INFINITY { f32::MIN } else { range.high };
    (f64::from(low) - margin(low), f64::from(high) + margin(high))
}

/// The range of a term of a sum of two, from those of the sum and of the other term.
fn addend(sum: Range, other: Range) -> Range {
    let (low, high) = unrounded(sum);
    outwards(low - f64::from(other.high), high - f64::from(other.low))
}

/// The range of a value whose product with a factor is in a range.
fn factored(product: Range, factor: f32) -> Range {
    let (low, high) = unrounded(product);
    let (low, high) = (low / f64::from(factor), high / f64::from(factor));
    let part = outwards(low.min(high), low.max(high));
    // The sign of a product that is not 0 is right.
    let positive = if factor > 0.0 { product.low > 0.0 } else { product.high < 0.0 };
    let negative = if factor > 0.0 { product.high < 0.0 } else { product.low > 0.0 };
    let low = if positive { part.low.max(LEAST) } else { part.low };
    let high = if negative { part.high.min(-LEAST) } else { part.high };
    Range::new(low, high, part.may)
}

/// The range of an operand of MIN or MAX, from those of the result and of the other operand. `nan`: the
/// NaNs that it may be although the result is a number.
fn chosen(calc: Calc, result: Range, other: Range, nan: u8) -> Range {
    let any = may::DENORMAL | may::MINUS_ZERO;
    let (low, high) = (f32::NEG_INFINITY, f32::INFINITY);
    if calc == Calc::Max {
        // Where all of the other one is below the result, this one is the result.
        let it = other.high < result.low;
        let low = if it { result.low } else { low };
        Range::new(low, result.high, any | if it { 0 } else { nan })
    } else {
        let it = other.low > result.high;
        let high = if it { result.high } else { high };
        Range::new(result.low, high, any | if it { 0 } else { nan })
    }
}
