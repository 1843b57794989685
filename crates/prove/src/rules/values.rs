//! The rules that disregard signs of zeros, NaN, infinity and denormals, as a compiler of GLSL may.

use super::bits::{sum, sum_terms};
use super::{MINUS_ZERO, Rule, power_of_two, rule};
use crate::term::{Id, Node, Terms};
use ctm_isa::float;
use ctm_isa::isa::Modifier;
use ctm_isa::ops::{Calc, SWITCH};

/// In the order in which they are tried.
pub(super) const RULES: &[Rule] = &[
    rule!("zero", false, true, "-0 = +0", zero),
    rule!("switch", false, true, "0 times Inf or NaN does not count", switch),
    rule!("flush", false, true, "finish_0(a) = a", flush),
    rule!("product-zero", false, true, "product(a, 0) = 0", product_zero),
    rule!("plus-zero", false, true, "add(a, 0) = a", plus_zero),
    rule!("minus-same", false, true, "add(a, -a) = 0", minus_same),
    rule!("sign-out", false, true, "product(-a, b) = -product(a, b), rcp(-a) = -rcp(a)", sign_out),
    rule!(
        "sign-literal",
        false,
        true,
        "-product(a, L) = product(a, -L) for a literal",
        sign_literal
    ),
    rule!(
        "sum-sign",
        false,
        true,
        "add(-a, b) = -add(a, -b): the first term has no sign",
        sum_sign
    ),
    rule!("min", false, true, "min(a, b) = -max(-a, -b)", min),
    rule!("max-order", false, true, "max(a, b) = max(b, a)", max_order),
    rule!("max-opposite", false, true, "max(a, -a) = abs(a)", max_opposite),
    rule!("clamp", false, true, "max(min(a, 1), 0) = min(max(a, 0), 1) = finish_8(a)", clamp),
    rule!("max-nested", false, true, "max(max(a, b), c) = max(a, max(b, c))", max_nested),
    rule!(
        "scales",
        false,
        true,
        "product(product(a, L), M) = product(a, L * M) if one is a power of two and L * M normal",
        scales
    ),
    rule!(
        "scale-out",
        false,
        true,
        "product(product(a, 2^n), b) = product(product(a, b), 2^n)",
        scale_out
    ),
    rule!("rcp-scale", false, true, "rcp(product(a, 2^n)) = product(rcp(a), 2^-n)", rcp_scale),
    rule!("sum-nothing", false, true, "a sum of zeros is 0", sum_nothing),
];

fn zero(terms: &mut Terms, node: Node) -> Option<Id> {
    match node {
        Node::Literal(bits) if float::is_zero(bits) && bits != 0 => Some(terms.literal(0)),
        _ => None,
    }
}

fn switch(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Product, SWITCH, [a, b, ..]) = node else { return None };
    Some(terms.calc(Calc::Product, 0, [a, b]))
}

fn flush(_: &mut Terms, node: Node) -> Option<Id> {
    match node {
        Node::Calc(Calc::Finish, 0, [a, ..]) => Some(a),
        _ => None,
    }
}

fn is_zero(terms: &Terms, id: Id) -> bool {
    terms.literal_of(id).is_some_and(float::is_zero)
}

fn product_zero(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Product, _, [a, b, ..]) = node else { return None };
    (is_zero(terms, a) || is_zero(terms, b)).then(|| terms.literal(0))
}

fn plus_zero(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Add, _, [a, b, ..]) = node else { return None };
    match [a, b].map(|id| is_zero(terms, id)) {
        [true, _] => Some(b),
        [_, true] => Some(a),
        [false, false] => None,
    }
}

fn max_opposite(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Max, _, [a, b, ..]) = node else { return None };
    let opposite = terms.neg(a);
    (opposite == b).then(|| terms.sign(Modifier::Abs, a))
}

fn minus_same(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Add, _, [a, b, ..]) = node else { return None };
    let opposite = terms.neg(a);
    (opposite == b).then(|| terms.literal(0))
}

/// The value without a negation, if it has one. Literals below 0 have one, and products with them.
fn negated(terms: &mut Terms, id: Id) -> Option<Id> {
    match terms.node(id) {
        Node::Sign(Modifier::Neg, a) => Some(a),
        Node::Sign(Modifier::Nab, a) => Some(terms.sign(Modifier::Abs, a)),
        Node::Calc(Calc::Product, aux, [a, b, ..]) => {
            let bits = terms.literal_of(b).filter(|bits| bits & float::SIGN != 0)?;
            let b = terms.literal(float::neg(bits));
            Some(terms.calc(Calc::Product, aux, [a, b]))
        }
        Node::Literal(bits) if bits & float::SIGN != 0 && bits != MINUS_ZERO => {
            Some(terms.literal(float::neg(bits)))
        }
        _ => None,
    }
}

fn sign_out(terms: &mut Terms, node: Node) -> Option<Id> {
    match node {
        Node::Calc(Calc::Product, aux, [a, b, ..]) => {
            let bare = [a, b].map(|id| match terms.literal_of(id) {
                Some(_) => None,
                None => negated(terms, id),
            });
            if bare == [None; 2] {
                return None;
            }
            let odd = bare[0].is_some() != bare[1].is_some();
            let [a, b] = [bare[0].unwrap_or(a), bare[1].unwrap_or(b)];
            let product = terms.calc(Calc::Product, aux, [a, b]);
            Some(if odd { terms.neg(product) } else { product })
        }
        Node::Calc(Calc::Rcp, _, [a, ..]) => {
            let a = negated(terms, a)?;
            let rcp = terms.calc(Calc::Rcp, 0, [a]);
            Some(terms.neg(rcp))
        }
        _ => None,
    }
}

fn sign_literal(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Sign(Modifier::Neg, a) = node else { return None };
    let Node::Calc(Calc::Product, aux, [a, b, ..]) = terms.node(a) else { return None };
    let bits = terms.literal_of(b)?;
    let b = terms.literal(float::neg(bits));
    Some(terms.calc(Calc::Product, aux, [a, b]))
}

fn sum_sign(terms: &mut Terms, node: Node) -> Option<Id> {
    let (calc, of) = sum_terms(node)?;
    let mut parts: Vec<(Id, bool)> =
        of.iter().map(|&id| negated(terms, id).map_or((id, false), |bare| (bare, true))).collect();
    parts.retain(|(id, _)| !is_zero(terms, *id));
    parts.sort_by_key(|&(id, sign)| (terms.literal_of(id).is_some(), id, sign));
    let (_, true) = parts.first()? else { return None };
    let of: Vec<Id> = of.iter().map(|&id| terms.neg(id)).collect();
    let sum = sum(terms, calc, &of);
    Some(terms.neg(sum))
}

fn min(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Min, _, [a, b, ..]) = node else { return None };
    let [a, b] = [a, b].map(|id| terms.neg(id));
    let max = terms.calc(Calc::Max, 0, [a, b]);
    Some(terms.neg(max))
}

fn max_order(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Max, _, [a, b, ..]) = node else { return None };
    let key = |id| (terms.literal_of(id).is_some(), id);
    (key(b) < key(a)).then(|| terms.calc(Calc::Max, 0, [b, a]))
}

/// Of -max(-a, -1), which is min(a, 1), the value a; `bound` has the bits of -1.
fn bounded(terms: &mut Terms, id: Id, bound: u32) -> Option<Id> {
    let Node::Sign(Modifier::Neg, a) = terms.node(id) else { return None };
    let Node::Calc(Calc::Max, _, [a, b, ..]) = terms.node(a) else { return None };
    (terms.literal_of(b) == Some(bound)).then(|| terms.neg(a))
}

fn clamp(terms: &mut Terms, node: Node) -> Option<Id> {
    let minus_one = float::neg(float::ONE);
    let Node::Calc(Calc::Max, _, [a, b, ..]) = node else { return None };
    match terms.literal_of(b)? {
        0 => {
            let a = bounded(terms, a, minus_one)?;
            Some(terms.calc(Calc::Finish, SWITCH, [a]))
        }
        bits if bits == minus_one => {
            // -max(a, 0) above -1.
            let a = bounded(terms, a, 0)?;
            let a = terms.neg(a);
            let clamped = terms.calc(Calc::Finish, SWITCH, [a]);
            Some(terms.neg(clamped))
        }
        _ => None,
    }
}

/// The most operands of nested maxima that are brought in order.
const MOST: usize = 16;

fn max_nested(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Max, _, [a, b, ..]) = node else { return None };
    let (mut open, mut all) = (vec![b, a], Vec::new());
    while let Some(id) = open.pop() {
        match terms.node(id) {
            Node::Calc(Calc::Max, _, [a, b, ..]) => open.extend([b, a]),
            _ => all.push(id),
        }
        if open.len() + all.len() > MOST {
            return None;
        }
    }
    if all.len() < 3 {
        return None;
    }
    all.sort_by_key(|&id| (terms.literal_of(id).is_some(), id));
    all.dedup();
    // Nested from the left. `make` would come back to this rule.
    let mut steps = all.into_iter();
    let mut result = steps.next()?;
    for id in steps {
        result = terms.intern(Node::Calc(Calc::Max, 0, [result, id, Id(0), Id(0)]));
    }
    Some(result)
}

fn scales(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Product, _, [a, b, ..]) = node else { return None };
    let Node::Calc(Calc::Product, _, [inner, scale, ..]) = terms.node(a) else { return None };
    let [scale, b] = [terms.literal_of(scale)?, terms.literal_of(b)?];
    if power_of_two(scale).is_none() && power_of_two(b).is_none() {
        return None;
    }
    let both = float::mul(scale, b, false);
    if float::is_zero(both) || float::abs(both) >= float::INFINITY {
        return None;
    }
    let both = terms.literal(both);
    Some(terms.calc(Calc::Product, 0, [inner, both]))
}

fn scale_out(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Product, _, [a, b, ..]) = node else { return None };
    if terms.literal_of(b).is_some() {
        return None;
    }
    for (from, other) in [(a, b), (b, a)] {
        if let Node::Calc(Calc::Product, _, [inner, scale, ..]) = terms.node(from)
            && terms.literal_of(scale).and_then(power_of_two).is_some()
        {
            let product = terms.calc(Calc::Product, 0, [inner, other]);
            return Some(terms.calc(Calc::Product, 0, [product, scale]));
        }
    }
    None
}

fn rcp_scale(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Rcp, _, [a, ..]) = node else { return None };
    let Node::Calc(Calc::Product, _, [inner, scale, ..]) = terms.node(a) else { return None };
    let bits = terms.literal_of(scale)?;
    let inverse = float::rcp(bits);
    if power_of_two(bits).is_none() || power_of_two(inverse).is_none() {
        return None;
    }
    let scale = terms.literal(inverse);
    let rcp = terms.calc(Calc::Rcp, 0, [inner]);
    Some(terms.calc(Calc::Product, 0, [rcp, scale]))
}

fn sum_nothing(terms: &mut Terms, node: Node) -> Option<Id> {
    let (_, of) = sum_terms(node)?;
    of.iter().all(|&id| is_zero(terms, id)).then(|| terms.literal(0))
}
