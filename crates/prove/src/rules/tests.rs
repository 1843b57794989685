//! Every rule, alone, on hard operands.

use super::*;
use crate::algebra;
use crate::cond::Check;
use crate::evaluate::{POINTS, Sample, Values};
use crate::facts;
use crate::term::Input;
use ctm_base::random::Random;
use ctm_base::stop::Stop;
use ctm_isa::float;
use ctm_isa::isa::Modifier;
use ctm_isa::ops::{Aux, Calc, SWITCH};

/// Quads of operands for each shape that a rule applies to.
const QUADS: usize = 4096;

/// A random step on a pool of terms.
pub(crate) fn step(terms: &mut Terms, random: &mut Random, pool: &[Id]) -> Node {
    let modifiers = [Modifier::Nop, Modifier::Neg, Modifier::Abs, Modifier::Nab];
    match random.below(12) {
        0 | 1 => Node::Sign(random.pick(&modifiers), random.pick(pool)),
        2 => Node::Quad(random.below(3) as u8, random.pick(pool)),
        3 => {
            let check = random.pick(&[Check::Compare(0), Check::Compare(2), Check::AboveHalf]);
            let of = terms.check(check, random.pick(pool));
            let chosen = terms.choose(of, random.pick(pool), random.pick(pool));
            terms.node(chosen)
        }
        _ => {
            let calc = random.pick(Calc::ALL);
            let aux = match calc.facts().facts.aux {
                Aux::Own => 0,
                Aux::ZeroTimes => random.pick(&[0, SWITCH]),
                Aux::Modifier => {
                    let any = random.below(16) as u16;
                    random.pick(&[0, 0, SWITCH, any])
                }
            };
            let mut operands = [Id(0); 4];
            for operand in operands.iter_mut().take(calc.facts().operands) {
                *operand = random.pick(pool);
            }
            Node::Calc(calc, aux, operands)
        }
    }
}

/// Terms without rules: literals, inputs, and steps on them, newer ones more often.
pub(crate) fn pool(terms: &mut Terms, random: &mut Random) -> Vec<Id> {
    let mut pool = Vec::new();
    for bits in [0, MINUS_ZERO, 0x3f80_0000, 0xbf80_0000, TWO, random.hard()] {
        pool.push(terms.intern(Node::Literal(bits)));
    }
    for channel in 0..3 {
        pool.push(terms.intern(Node::Input(Input::Data(0, channel))));
    }
    pool.push(terms.intern(Node::Input(Input::Constant(1, 0))));
    pool.push(terms.intern(Node::Input(Input::Point(0))));
    // What rules are about, and what comes of it.
    let a = random.pick(&pool);
    let b = random.pick(&pool[..5]);
    for calc in [Calc::Product, Calc::Max] {
        let inner = terms.intern(Node::Calc(calc, 0, [a, b, Id(0), Id(0)]));
        pool.extend([inner, terms.intern(Node::Sign(Modifier::Neg, inner))]);
    }
    for _ in 0..8 {
        let node = step(terms, random, &pool);
        pool.push(terms.intern(node));
    }
    pool
}

/// Whether a rule is true for a step: it is rewritten, and all values stay the same to the bit. `None`:
/// the rule does not apply.
fn is_true(terms: &mut Terms, rule: &Rule, node: Node, seed: u64) -> Option<bool> {
    let before = terms.intern(node);
    let after = (rule.apply)(terms, node)?;
    assert!(!terms.is_spent(), "{}: it does not end", rule.name);
    let sample = Sample { seed, hard: true };
    let mut values = Values::new(terms, &sample, QUADS);
    let [before, after] =
        [before, after].map(|id| values.of(id).iter().map(|v| v.bits).collect::<Vec<_>>());
    Some(before == after)
}

/// 2^20 operands of each rule that is true to the bit.
#[test]
fn rules_of_bits_are_true_to_the_bit() {
    let shapes = (1 << 20) / (QUADS * POINTS);
    for rule in bits::RULES {
        assert!(rule.exact);
        let mut found = 0;
        for seed in 0.. {
            assert!(seed < 200_000, "{}: only {found} shapes in {seed} tries", rule.name);
            let mut random = Random::new(&[0x52, seed]);
            let mut terms = Terms::with_rules(Set::Bits, Vec::new(), 100_000);
            let pool = pool(&mut terms, &mut random);
            for _ in 0..16 {
                let node = step(&mut terms, &mut random, &pool);
                let text = |terms: &mut Terms| {
                    let id = terms.intern(node);
                    terms.text(id, 8)
                };
                match is_true(&mut terms, rule, node, seed << 10) {
                    None => {}
                    Some(true) => found += 1,
                    Some(false) => panic!("{}: {}", rule.name, text(&mut terms)),
                }
            }
            if found >= shapes {
                break;
            }
        }
    }
}

/// Rules that only `values` has change nothing where no value is odd.
#[test]
fn rules_of_values_are_true_for_ordinary_numbers() {
    let mut found = vec![0; values::RULES.len()];
    for seed in 0..20_000 {
        let mut random = Random::new(&[0x53, seed]);
        let mut terms = Terms::with_rules(Set::Values, Vec::new(), 100_000);
        let pool = pool(&mut terms, &mut random);
        let mut node = step(&mut terms, &mut random, &pool);
        if seed % 16 == 0 {
            // A clamp, half of the time.
            let bound = [0, 0xbf80_0000].map(|bits| terms.intern(Node::Literal(bits)));
            let [a, b, c] = [random.pick(&pool), random.pick(&bound), random.pick(&bound)];
            let inner = terms.intern(Node::Calc(Calc::Max, 0, [a, b, Id(0), Id(0)]));
            let inner = terms.intern(Node::Sign(Modifier::Neg, inner));
            node = Node::Calc(Calc::Max, 0, [inner, c, Id(0), Id(0)]);
        }
        let before = terms.intern(node);
        for (rule, found) in values::RULES.iter().zip(&mut found).filter(|(_, found)| **found < 64)
        {
            let Some(after) = (rule.apply)(&mut terms, node) else { continue };
            *found += 1;
            let sample = Sample { seed: seed << 10, hard: seed % 2 == 0 };
            let mut values = Values::new(&terms, &sample, 64);
            let [a, b] = [before, after].map(|id| values.of(id).to_vec());
            for (a, b) in a.into_iter().zip(b) {
                let [x, y] = [a, b].map(|v| f32::from_bits(v.bits.unwrap_or(0)));
                let text = || format!("{}: {} gives {x} {y}", rule.name, terms.text(before, 8));
                assert!(a.odd || b.odd || x == y, "{}", text());
            }
        }
    }
    let missing = values::RULES.iter().zip(found).filter(|(_, found)| *found == 0);
    let missing: Vec<&str> = missing.map(|(rule, _)| rule.name).collect();
    assert!(missing.is_empty(), "no shape of {missing:?}");
}

/// The rules that prime fields know nothing of: they round, compare literals, know the range of a value, or
/// take choices, signs and clamps out of operations that are unknown functions there.
const NOT_IN_FIELDS: &[&str] = &[
    "fold",
    "sign-sign",
    "abs-positive",
    "sign-choose",
    "cmp",
    "cnd",
    "finish-clamped",
    "fold-choose",
    "clamp",
    "max-opposite",
];

/// All other rules, of both sets, change no value in a prime field.
#[test]
fn rules_are_true_in_exact_arithmetic() {
    let rules: Vec<&Rule> = all().filter(|rule| !NOT_IN_FIELDS.contains(&rule.name)).collect();
    let mut found = vec![0; rules.len()];
    for seed in 0..20_000 {
        let mut random = Random::new(&[0x56, seed]);
        let mut terms = Terms::with_rules(Set::Values, Vec::new(), 100_000);
        let pool = pool(&mut terms, &mut random);
        let special =
            |&id: &Id| terms.literal_of(id).is_some_and(|bits| float::abs(bits) >= float::INFINITY);
        if pool.iter().any(special) {
            continue;
        }
        let node = step(&mut terms, &mut random, &pool);
        let before = terms.intern(node);
        for (rule, found) in rules.iter().zip(&mut found).filter(|(_, found)| **found < 64) {
            let Some(after) = (rule.apply)(&mut terms, node) else { continue };
            *found += 1;
            let equal = algebra::equal(&terms, &[[before, after]], seed, Stop::never());
            let text = || format!("{}: {}", rule.name, terms.text(before, 8));
            assert!(equal.expect("not stopped").is_some(), "{}", text());
        }
    }
    let missing = rules.iter().zip(found).filter(|(_, found)| *found == 0);
    let missing: Vec<&str> = missing.map(|(rule, _)| rule.name).collect();
    assert!(missing.is_empty(), "no shape of {missing:?}");
}

/// The form that comparisons are rewritten to holds where they do, and values are as their facts say.
#[test]
fn comparisons_and_facts_are_true() {
    let checks = [0, 1, 2, 3].map(Check::Compare);
    for seed in 0..4_000 {
        let mut random = Random::new(&[0x54, seed]);
        let mut terms = Terms::with_rules(Set::Bits, Vec::new(), 100_000);
        let pool = pool(&mut terms, &mut random);
        let id = random.pick(&pool);
        let check = random.pick(&[
            checks[0],
            checks[1],
            checks[2],
            checks[3],
            Check::AboveHalf,
            Check::Kills,
        ]);
        let cond = terms.check(check, id);
        let sample = Sample { seed: seed << 10, hard: true };
        let mut values = Values::new(&terms, &sample, 64);
        let holds = values.holds(cond);
        let of = values.of(id).to_vec();
        for (value, holds) in of.into_iter().zip(holds) {
            let bits = value.bits.unwrap_or(0);
            let text = || format!("{check:?} {} of {bits:08x}", terms.text(id, 8));
            assert_eq!(check.holds(bits), holds, "{}", text());
            assert_eq!(facts::of_bits(bits) & !terms.facts(id), 0, "facts: {}", text());
        }
    }
}

/// With all rules of a set together, terms end in a normal form with the same values.
#[test]
fn all_rules_together_end_and_are_true() {
    for set in [Set::Bits, Set::Values] {
        for seed in 0..3_000 {
            let mut random = Random::new(&[0x55, seed]);
            let mut plain = Terms::with_rules(set, Vec::new(), 100_000);
            let pool = pool(&mut plain, &mut random);
            let mut terms = Terms::new(set, 100_000);
            let id = random.pick(&pool);
            let copy = rebuild(&plain, id, &mut terms);
            assert!(!terms.is_spent(), "{}", plain.text(id, 8));
            let sample = Sample { seed: seed << 10, hard: true };
            let before = Values::new(&plain, &sample, 64).of(id).to_vec();
            let after = Values::new(&terms, &sample, 64).of(copy).to_vec();
            for (a, b) in before.into_iter().zip(after) {
                let [x, y] = [a, b].map(|value| f32::from_bits(value.bits.unwrap_or(0)));
                let same = a.bits == b.bits || set == Set::Values && (x == y || a.odd || b.odd);
                assert!(same, "{} -> {}: {x} {y}", plain.text(id, 8), terms.text(copy, 8));
            }
        }
    }
}

/// The same term with the rules of other terms.
fn rebuild(plain: &Terms, id: Id, terms: &mut Terms) -> Id {
    let mut again = |id| rebuild(plain, id, terms);
    match plain.node(id) {
        Node::Sign(modifier, a) => {
            let a = again(a);
            terms.make(Node::Sign(modifier, a))
        }
        Node::Quad(n, a) => {
            let a = again(a);
            terms.make(Node::Quad(n, a))
        }
        Node::Calc(calc, aux, operands) => {
            let mut copies = [Id(0); 4];
            for (copy, id) in copies.iter_mut().zip(operands).take(calc.facts().operands) {
                *copy = again(id);
            }
            terms.make(Node::Calc(calc, aux, copies))
        }
        Node::Choose(atom, yes, no) => {
            let (check, of) = plain.conds.atom(atom);
            let [of, yes, no] = [of, yes, no].map(again);
            let cond = terms.check(check, of);
            terms.choose(cond, yes, no)
        }
        node => terms.make(node),
    }
}
