//! The facts about a value, from its step and from the facts about the operands.
//!
//! The bounds of an operation's result are those of its row in the table (`size`).

use crate::term::{Input, Node, Terms, may};
use ctm_isa::float;
use ctm_isa::isa::Modifier;
use ctm_isa::ops::{Calc, SWITCH, Size};
use ctm_lang::program::interface::Kind;

/// The facts of these bits.
pub fn of_bits(bits: u32) -> u8 {
    let magnitude = float::abs(bits);
    if float::is_nan(bits) {
        return if bits == float::CANONICAL_NAN { may::NAN } else { may::ODD_NAN };
    }
    let denormal = if float::is_zero(bits) && magnitude != 0 { may::DENORMAL } else { 0 };
    let sign = match (bits & float::SIGN != 0, float::is_zero(bits)) {
        (false, _) => 0,
        (true, true) => may::MINUS_ZERO,
        (true, false) => may::NEGATIVE,
    };
    let large = if bits & float::SIGN == 0 && magnitude > float::ONE { may::ABOVE_ONE } else { 0 };
    denormal | sign | large
}

/// The facts of a step.
pub fn of(terms: &Terms, node: Node) -> u8 {
    match node {
        Node::Literal(bits) => of_bits(bits),
        Node::Input(Input::Point(_)) => may::ABOVE_ONE,
        Node::Input(Input::Data(..) | Input::Constant(..) | Input::Uniform(_, Kind::Float))
        | Node::Input(Input::Unknown(_))
        | Node::Texel { .. } => may::ANYTHING,
        Node::Input(Input::Uniform(_, Kind::Int)) => may::NEGATIVE | may::ABOVE_ONE,
        Node::Input(Input::Uniform(_, Kind::Bool)) => 0,
        Node::Quad(_, a) => terms.facts(a),
        Node::Choose(_, yes, no) => terms.facts(yes) | terms.facts(no),
        Node::Absent => 0,
        Node::Sign(modifier, a) => of_sign(modifier, terms.facts(a)),
        Node::Calc(calc, aux, [a, b, c, d]) => {
            let all = [a, b, c, d].map(|id| terms.facts(id));
            let operands = calc.facts().operands;
            let square = a == b && operands > 1;
            of_calc(calc, aux, &all[..operands], square)
        }
    }
}

/// The facts of a value with another sign bit.
pub fn of_sign(modifier: Modifier, a: u8) -> u8 {
    let nan = if a & (may::NAN | may::ODD_NAN) != 0 { may::NAN | may::ODD_NAN } else { 0 };
    let denormal = a & may::DENORMAL;
    match modifier {
        Modifier::Nop => a,
        Modifier::Abs => nan | denormal | may::ABOVE_ONE,
        // A value that is never below 0 or above 1 can be 0 or in between: the sign changes.
        Modifier::Neg => {
            let large = if a & may::NEGATIVE != 0 { may::ABOVE_ONE } else { 0 };
            nan | denormal | may::MINUS | large
        }
        Modifier::Nab => nan | denormal | may::MINUS,
    }
}

/// The facts of a result. `square`: the operands are the same value.
pub fn of_calc(calc: Calc, aux: u16, operands: &[u8], square: bool) -> u8 {
    let clean = may::ANYTHING & !may::UNCLEAN;
    let all = operands.iter().fold(0, |all, facts| all | facts);
    let minus = all & may::MINUS;
    let first = operands.first().copied().unwrap_or(may::ANYTHING);
    let second = operands.get(1).copied().unwrap_or(may::ANYTHING);
    let sum_minus = |facts: &[u8]| {
        // Without a negative term, -0 only if all are -0. A tiny negative sum is flushed to -0.
        let zeros = facts.iter().all(|f| f & may::MINUS_ZERO != 0);
        let below = facts.iter().any(|f| f & may::NEGATIVE != 0);
        match (below, zeros) {
            (true, _) => may::MINUS,
            (false, true) => may::MINUS_ZERO,
            (false, false) => 0,
        }
    };
    let minus = if minus == 0 { 0 } else { may::MINUS };
    let product_minus = if square { 0 } else { minus };
    match calc.facts().size {
        Size::Move => first,
        Size::Sum | Size::Aligned => clean & !may::MINUS | sum_minus(operands),
        Size::Product { signed: true } => clean & !may::MINUS | product_minus,
        Size::Product { signed: false } | Size::MulAdd => clean,
        // B is what is left if one of them is a NaN.
        Size::Lesser | Size::Greater => first & !(may::NAN | may::ODD_NAN) | second,
        Size::Choice { .. } => first | second,
        // FRC of a tiny negative number is 1.
        Size::Fraction => may::NAN,
        Size::Scaled if aux & SWITCH != 0 && aux & 7 != 7 => 0,
        Size::Scaled if aux & 7 == 7 => may::ANYTHING,
        Size::Scaled => clean & !may::MINUS | minus,
        Size::Reciprocal => clean & !may::MINUS | minus,
        Size::Function { positive: true, .. } => clean & !may::MINUS,
        Size::Function { positive: false, .. } => clean,
    }
}
