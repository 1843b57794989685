//! The rules of comparisons.

use super::bits::unflushed;
use super::{Set, power_of_two};
use crate::cond::{Check, Cond};
use crate::term::{Id, Node, Terms, may};
use ctm_isa::float;
use ctm_isa::isa::Modifier;
use ctm_isa::ops::Calc;

const ZERO: Check = Check::Compare(0);
const BELOW: Check = Check::Compare(1);
const FROM: Check = Check::Compare(2);
const NOT_ZERO: Check = Check::Compare(3);

/// The condition that a comparison of a value is equal to, if it is not an atom of its own.
pub(crate) fn check(terms: &mut Terms, check: Check, id: Id) -> Option<Cond> {
    if let Some(bits) = terms.literal_of(id) {
        return Some(if check.holds(bits) { Cond::TRUE } else { Cond::FALSE });
    }
    // Comparisons flush, and all NaNs are alike to them.
    if let Some(bare) = unflushed(terms, id) {
        return Some(terms.check(check, bare));
    }
    let values = terms.set() == Set::Values;
    let numbers = values || terms.never(id, may::NAN | may::ODD_NAN);
    match (check, terms.node(id)) {
        // NaN included.
        (NOT_ZERO, _) => {
            let zero = terms.check(ZERO, id);
            Some(terms.not(zero))
        }
        (ZERO, Node::Sign(_, a)) => Some(terms.check(ZERO, a)),
        (FROM, _) if numbers && terms.never(id, may::NEGATIVE) => Some(Cond::TRUE),
        (BELOW, _) if terms.never(id, may::NEGATIVE) => Some(Cond::FALSE),
        (BELOW, _) if numbers => {
            let from = terms.check(FROM, id);
            Some(terms.not(from))
        }
        (FROM, Node::Sign(Modifier::Nab, a)) if numbers => Some(terms.check(ZERO, a)),
        (Check::Kills, _) if values => Some(terms.check(BELOW, id)),
        (Check::Kills, _) if terms.never(id, may::MINUS) => Some(Cond::FALSE),
        // The second, +0 or -0, is the minimum of a NaN.
        (FROM, Node::Calc(Calc::Min, _, [a, b, ..]))
            if terms.literal_of(b).is_some_and(float::is_zero) =>
        {
            let below = terms.check(BELOW, a);
            Some(terms.not(below))
        }
        // The larger of two is at least 0 if one of them is; its opposite, if those of both are.
        (FROM, Node::Calc(Calc::Max, _, [a, b, ..])) if values => {
            let [a, b] = [a, b].map(|id| terms.check(FROM, id));
            Some(terms.or(a, b))
        }
        (FROM, Node::Sign(Modifier::Neg, of))
            if values && let Node::Calc(Calc::Max, _, [a, b, ..]) = terms.node(of) =>
        {
            let [a, b] = [a, b].map(|id| {
                let minus = terms.neg(id);
                terms.check(FROM, minus)
            });
            Some(terms.and(a, b))
        }
        // A scale changes no sign.
        (ZERO | FROM, Node::Calc(Calc::Product, _, [a, b, ..])) if values => {
            let scale = terms.literal_of(b)?;
            power_of_two(scale)?;
            let negative = check == FROM && scale & float::SIGN != 0;
            let a = if negative { terms.neg(a) } else { a };
            Some(terms.check(check, a))
        }
        _ => None,
    }
}
