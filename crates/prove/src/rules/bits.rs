//! The rules that are true to the bit.

use super::{MINUS_ZERO, Rule, Set, TWO, rule};
use crate::cond::Check;
use crate::term::{Id, Input, Node, Terms, may, signed};
use ctm_isa::float;
use ctm_isa::isa::Modifier;
use ctm_isa::ops::{Calc, SWITCH};

/// In the order in which they are tried.
pub(super) const RULES: &[Rule] = &[
    rule!("fold", true, true, "an operation on literals is its function of the table", fold),
    rule!("mad", true, true, "mad(a, b, c) = add(product(a, b), c)", mad),
    rule!("mul", true, true, "mul(a, b) = add(product(a, b), +0)", mul),
    rule!("mov", true, true, "mov(a) = a", mov),
    rule!("quad", true, true, "a neighbour's value is the same steps on its inputs", quad),
    rule!("sign-sign", true, true, "of two sign modifiers one is left", sign_sign),
    rule!("abs-positive", true, true, "abs(a) = a if a has no sign bit", abs_positive),
    rule!("sign-choose", true, true, "a sign goes into both choices", sign_choose),
    rule!("same-choice", true, true, "min, max, cnd, cmp of equal a and b are a", same_choice),
    rule!("cmp", true, true, "cmp(a, b, c) is a if c >= 0, else b", cmp),
    rule!("cnd", true, true, "cnd(a, b, c) is a if c > 0.5, else b", cnd),
    rule!(
        "operand-flush",
        true,
        true,
        "an operand that is flushed, and whose NaNs are all alike, needs no finish_0",
        operand_flush
    ),
    rule!(
        "operand-sign",
        true,
        false,
        "-product(a, b) = product(-a, b) as an operand whose NaNs are all alike, without ZERO_TIMES",
        operand_sign
    ),
    rule!("finish-disabled", true, true, "finish_7(a) = a", finish_disabled),
    rule!("finish-factor", true, true, "a factor of finish is a product before it", finish_factor),
    rule!(
        "finish-clean",
        true,
        true,
        "finish_0(a) = a if a is no denormal and no NaN but the canonical one",
        finish_clean
    ),
    rule!("finish-clamped", true, true, "finish_8(a) = a if a is from +0 to 1", finish_clamped),
    rule!(
        "product-switch",
        true,
        false,
        "ZERO_TIMES does not matter where a factor is a literal, finite and not 0",
        product_switch
    ),
    rule!("product-order", true, true, "product(a, b) = product(b, a)", product_order),
    rule!(
        "product-one",
        true,
        true,
        "product(a, 1) = finish_0(a), product(a, -1) = finish_0(-a)",
        product_one
    ),
    rule!("product-signs", true, false, "product(a, -b) = product(-a, b)", product_signs),
    rule!("sum-order", true, true, "the order of the terms of a sum does not matter", sum_order),
    rule!(
        "add-zero",
        true,
        true,
        "add(a, -0) = finish_0(a); the same with +0 if a cannot be -0",
        add_zero
    ),
    rule!("add-same", true, true, "add(a, a) = product(a, 2)", add_same),
    rule!(
        "sum-zero",
        true,
        false,
        "+0 in a dot product's sum is as good as -0 if another term cannot be -0",
        sum_zero
    ),
    rule!("sum4-sum3", true, true, "sum4(a, b, c, -0) = sum3(a, b, c)", sum4_sum3),
    rule!("sum-one", true, true, "sum3(a, -0, -0) = finish_0(a)", sum_one),
    rule!(
        "fold-choose",
        true,
        true,
        "an operation on choices between literals is a choice between results",
        fold_choose
    ),
];

fn fold(terms: &mut Terms, node: Node) -> Option<Id> {
    match node {
        Node::Sign(modifier, a) => {
            let bits = terms.literal_of(a)?;
            Some(terms.literal(signed(modifier, bits)))
        }
        Node::Calc(calc, aux, operands) => {
            let mut values = [0; 4];
            let count = calc.facts().operands;
            for (value, id) in values.iter_mut().zip(operands).take(count) {
                *value = terms.literal_of(id)?;
            }
            Some(terms.literal((calc.facts().exact)(values, aux)))
        }
        _ => None,
    }
}

fn mad(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Mad, aux, [a, b, c, _]) = node else { return None };
    let product = terms.calc(Calc::Product, aux, [a, b]);
    Some(terms.calc(Calc::Add, 0, [product, c]))
}

fn mul(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Mul, aux, [a, b, ..]) = node else { return None };
    let product = terms.calc(Calc::Product, aux, [a, b]);
    let zero = terms.literal(0);
    Some(terms.calc(Calc::Add, 0, [product, zero]))
}

fn mov(_: &mut Terms, node: Node) -> Option<Id> {
    match node {
        Node::Calc(Calc::Mov, _, [a, ..]) | Node::Sign(Modifier::Nop, a) => Some(a),
        _ => None,
    }
}

fn quad(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Quad(n, a) = node else { return None };
    let inner = |terms: &mut Terms, id| terms.make(Node::Quad(n, id));
    match terms.node(a) {
        Node::Literal(_) | Node::Input(Input::Constant(..) | Input::Uniform(..)) | Node::Absent => {
            Some(a)
        }
        Node::Quad(..) => Some(a),
        Node::Input(Input::Data(..) | Input::Point(_) | Input::Unknown(_)) => None,
        Node::Sign(modifier, a) => {
            let a = inner(terms, a);
            Some(terms.sign(modifier, a))
        }
        Node::Calc(calc, aux, mut operands) => {
            for operand in operands.iter_mut().take(calc.facts().operands) {
                *operand = inner(terms, *operand);
            }
            Some(terms.make(Node::Calc(calc, aux, operands)))
        }
        Node::Texel { surface, unscaled, channel, at } => {
            let at = at.map(|id| inner(terms, id));
            Some(terms.make(Node::Texel { surface, unscaled, channel, at }))
        }
        Node::Choose(atom, yes, no) => {
            let (check, of) = terms.conds.atom(atom);
            let [of, yes, no] = [of, yes, no].map(|id| inner(terms, id));
            let cond = terms.check(check, of);
            Some(terms.choose(cond, yes, no))
        }
    }
}

fn sign_sign(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Sign(outer, a) = node else { return None };
    let Node::Sign(inner, a) = terms.node(a) else { return None };
    let both = match (outer, inner) {
        (Modifier::Nop, both) | (both, Modifier::Nop) => both,
        (Modifier::Neg, Modifier::Neg) => return Some(a),
        (Modifier::Neg, Modifier::Abs) | (Modifier::Nab, _) => Modifier::Nab,
        (Modifier::Neg, Modifier::Nab) | (Modifier::Abs, _) => Modifier::Abs,
    };
    Some(terms.sign(both, a))
}

fn abs_positive(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Sign(modifier @ (Modifier::Abs | Modifier::Nab), a) = node else { return None };
    if !terms.never(a, may::MINUS | may::ODD_NAN) {
        return None;
    }
    Some(if modifier == Modifier::Abs { a } else { terms.neg(a) })
}

fn sign_choose(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Sign(modifier, a) = node else { return None };
    let Node::Choose(atom, yes, no) = terms.node(a) else { return None };
    let [yes, no] = [yes, no].map(|id| terms.sign(modifier, id));
    Some(terms.choice(atom, yes, no))
}

fn same_choice(_: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Min | Calc::Max | Calc::Cnd | Calc::Cmp, _, [a, b, ..]) = node else {
        return None;
    };
    (a == b).then_some(a)
}

fn cmp(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Cmp, _, [a, b, c, _]) = node else { return None };
    let of = terms.check(Check::Compare(2), c);
    Some(terms.choose(of, a, b))
}

fn cnd(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Cnd, _, [a, b, c, _]) = node else { return None };
    let of = terms.check(Check::AboveHalf, c);
    Some(terms.choose(of, a, b))
}

/// Rewrites the operands that an operation flushes and whose NaNs it treats alike.
fn in_operands(
    terms: &mut Terms,
    node: Node,
    with: fn(&mut Terms, Id) -> Option<Id>,
) -> Option<Id> {
    match node {
        // It keeps all bits.
        Node::Calc(Calc::Finish, 7, _) => None,
        Node::Calc(calc, aux, mut operands) => {
            let facts = calc.facts();
            let mut changed = false;
            for (n, operand) in operands.iter_mut().enumerate().take(facts.operands) {
                if facts.facts.keeps >> n & 1 == 0
                    && let Some(other) = with(terms, *operand)
                {
                    *operand = other;
                    changed = true;
                }
            }
            changed.then(|| terms.make(Node::Calc(calc, aux, operands)))
        }
        Node::Texel { surface, unscaled, channel, at } => {
            let [s, t] = at.map(|id| with(terms, id));
            if s.is_none() && t.is_none() {
                return None;
            }
            let at = [s.unwrap_or(at[0]), t.unwrap_or(at[1])];
            Some(terms.make(Node::Texel { surface, unscaled, channel, at }))
        }
        _ => None,
    }
}

fn operand_flush(terms: &mut Terms, node: Node) -> Option<Id> {
    in_operands(terms, node, unflushed)
}

/// The same number but for flush and form of a NaN, without the steps that make these.
pub(super) fn unflushed(terms: &mut Terms, id: Id) -> Option<Id> {
    match terms.node(id) {
        Node::Calc(Calc::Finish, 0, [a, ..]) => Some(a),
        Node::Sign(modifier, a) => {
            let Node::Calc(Calc::Finish, 0, [a, ..]) = terms.node(a) else { return None };
            Some(terms.sign(modifier, a))
        }
        _ => None,
    }
}

fn operand_sign(terms: &mut Terms, node: Node) -> Option<Id> {
    in_operands(terms, node, |terms, id| {
        let Node::Sign(Modifier::Neg, a) = terms.node(id) else { return None };
        // With ZERO_TIMES a zero of infinity has no sign.
        let Node::Calc(Calc::Product, 0, [a, b, ..]) = terms.node(a) else { return None };
        let a = terms.neg(a);
        Some(terms.calc(Calc::Product, 0, [a, b]))
    })
}

fn finish_disabled(_: &mut Terms, node: Node) -> Option<Id> {
    match node {
        Node::Calc(Calc::Finish, 7, [a, ..]) => Some(a),
        _ => None,
    }
}

fn finish_factor(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Finish, aux, [a, ..]) = node else { return None };
    if aux & 7 == 0 || aux & 7 == 7 {
        return None;
    }
    let factor = terms.literal(float::FACTORS[usize::from(aux & 7)].to_bits());
    let product = terms.calc(Calc::Product, 0, [a, factor]);
    Some(terms.calc(Calc::Finish, aux & SWITCH, [product]))
}

fn finish_clean(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Finish, 0, [a, ..]) = node else { return None };
    terms.never(a, may::UNCLEAN).then_some(a)
}

fn finish_clamped(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Finish, SWITCH, [a, ..]) = node else { return None };
    terms.never(a, may::ANYTHING).then_some(a)
}

fn product_order(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Product, aux, [a, b, ..]) = node else { return None };
    // A negation does not count, so that it can move; literals come last.
    let key = |id| {
        let (bare, abs) = match terms.node(id) {
            Node::Sign(Modifier::Abs | Modifier::Nab, a) => (a, true),
            Node::Sign(Modifier::Nop | Modifier::Neg, a) => (a, false),
            _ => (id, false),
        };
        (terms.literal_of(id).is_some(), bare, abs)
    };
    (key(b) < key(a)).then(|| terms.calc(Calc::Product, aux, [b, a]))
}

fn product_one(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Product, _, [a, b, ..]) = node else { return None };
    let bits = terms.literal_of(b)?;
    let a = match bits {
        float::ONE => a,
        _ if bits == float::neg(float::ONE) => terms.neg(a),
        _ => return None,
    };
    Some(terms.calc(Calc::Finish, 0, [a]))
}

fn product_signs(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Product, aux, [a, b, ..]) = node else { return None };
    // The second gives its sign to the first; to a literal, the first gives it.
    let literal = terms.literal_of(b).is_some();
    let (from, to) = if literal { (a, b) } else { (b, a) };
    let Node::Sign(modifier, bare) = terms.node(from) else { return None };
    let from = match modifier {
        Modifier::Neg => bare,
        Modifier::Nab => terms.sign(Modifier::Abs, bare),
        Modifier::Nop | Modifier::Abs => return None,
    };
    let to = terms.neg(to);
    let operands = if literal { [from, to] } else { [to, from] };
    Some(terms.calc(Calc::Product, aux, operands))
}

/// The terms of a sum.
pub(super) fn sum_terms(node: Node) -> Option<(Calc, Vec<Id>)> {
    match node {
        Node::Calc(calc @ (Calc::Add | Calc::Sum3 | Calc::Sum4), _, operands) => {
            Some((calc, operands[..calc.facts().operands].to_vec()))
        }
        _ => None,
    }
}

/// A sum of terms, as many as its operation has.
pub(super) fn sum(terms: &mut Terms, calc: Calc, of: &[Id]) -> Id {
    let mut operands = [Id(0); 4];
    operands[..of.len()].copy_from_slice(of);
    terms.make(Node::Calc(calc, 0, operands))
}

/// Whether a term of a dot product's sum can be left out.
fn is_neutral(terms: &Terms, id: Id) -> bool {
    match terms.literal_of(id) {
        Some(MINUS_ZERO) => true,
        Some(0) => terms.set() == Set::Values,
        _ => false,
    }
}

fn sum_order(terms: &mut Terms, node: Node) -> Option<Id> {
    let (calc, of) = sum_terms(node)?;
    let mut sorted = of.clone();
    sorted.sort_by_key(|&id| (terms.literal_of(id).is_some(), id));
    (sorted != of).then(|| sum(terms, calc, &sorted))
}

fn add_zero(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Add, _, [a, b, ..]) = node else { return None };
    let neutral = match terms.literal_of(b)? {
        MINUS_ZERO => true,
        0 => terms.never(a, may::MINUS_ZERO),
        _ => false,
    };
    neutral.then(|| terms.calc(Calc::Finish, 0, [a]))
}

fn product_switch(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Product, SWITCH, [a, b, ..]) = node else { return None };
    let ordinary = [a, b].into_iter().filter_map(|id| terms.literal_of(id)).any(|bits| {
        let exponent = bits & float::EXPONENT;
        exponent != 0 && exponent != float::EXPONENT
    });
    ordinary.then(|| terms.calc(Calc::Product, 0, [a, b]))
}

fn add_same(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(Calc::Add, _, [a, b, ..]) = node else { return None };
    if a != b {
        return None;
    }
    let two = terms.literal(TWO);
    Some(terms.calc(Calc::Product, 0, [a, two]))
}

fn sum_zero(terms: &mut Terms, node: Node) -> Option<Id> {
    let (calc @ (Calc::Sum3 | Calc::Sum4), mut of) = sum_terms(node)? else { return None };
    let zero = of.iter().position(|&id| terms.literal_of(id) == Some(0))?;
    let another = (0..of.len()).any(|n| n != zero && terms.never(of[n], may::MINUS_ZERO));
    another.then(|| {
        of[zero] = terms.literal(MINUS_ZERO);
        sum(terms, calc, &of)
    })
}

fn sum4_sum3(terms: &mut Terms, node: Node) -> Option<Id> {
    let (Calc::Sum4, mut of) = sum_terms(node)? else { return None };
    let neutral = of.iter().position(|&id| is_neutral(terms, id))?;
    of.remove(neutral);
    Some(sum(terms, Calc::Sum3, &of))
}

fn sum_one(terms: &mut Terms, node: Node) -> Option<Id> {
    let (Calc::Sum3, mut of) = sum_terms(node)? else { return None };
    of.retain(|&id| !is_neutral(terms, id));
    match of[..] {
        [one] => Some(terms.calc(Calc::Finish, 0, [one])),
        _ => None,
    }
}

fn fold_choose(terms: &mut Terms, node: Node) -> Option<Id> {
    let Node::Calc(calc, aux, operands) = node else { return None };
    let count = calc.facts().operands;
    let choices = operands[..count].iter().any(|&id| matches!(terms.node(id), Node::Choose(..)));
    (choices && operands[..count].iter().all(|&id| of_literals(terms, id, 8)))
        .then(|| fold_at(terms, calc, aux, operands))
}

/// Whether a value is a choice between literals, at most `depth` deep.
fn of_literals(terms: &Terms, id: Id, depth: u32) -> bool {
    match terms.node(id) {
        Node::Literal(_) => true,
        Node::Choose(_, yes, no) => {
            depth > 0 && of_literals(terms, yes, depth - 1) && of_literals(terms, no, depth - 1)
        }
        _ => false,
    }
}

fn fold_at(terms: &mut Terms, calc: Calc, aux: u16, operands: [Id; 4]) -> Id {
    let atoms = operands[..calc.facts().operands].iter().map(|&id| terms.first_atom(id));
    let atom = atoms.min().unwrap_or(u32::MAX);
    if atom == u32::MAX {
        return terms.make(Node::Calc(calc, aux, operands));
    }
    let parts = terms.nested(|terms| {
        [0, 1].map(|n| {
            let part = operands.map(|id| terms.value_parts(id, atom)[n]);
            fold_at(terms, calc, aux, part)
        })
    });
    parts.map_or(Id(0), |[yes, no]| terms.choice(atom, yes, no))
}
