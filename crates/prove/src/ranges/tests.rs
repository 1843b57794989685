//! Ranges of results and of both sides of a choice contain the values.

use super::narrow::narrowed;
use super::step::{of_calc, of_sign};
use super::*;
use crate::cond::Check;
use crate::evaluate::{Sample, Values};
use crate::rules::Set;
use crate::rules::tests::{pool, step};
use crate::term::signed;
use ctm_base::random::Random;
use ctm_isa::isa::Modifier;
use ctm_isa::ops::{Aux, Calc, SWITCH};

/// A value, often one near another.
fn value(random: &mut Random) -> u32 {
    match random.below(4) {
        0 => random.hard(),
        1 => (random.range(0, 64) as f32 / 16.0 - 2.0).to_bits(),
        2 => random.bits() & (float::SIGN | float::FRACTION) | random.range(125, 129) << 23,
        _ => random.hard() & 0xff80_0000 | random.bits() & float::FRACTION,
    }
}

/// A random range that contains `bits`: a point, a few units wide, or up to another value.
fn around(random: &mut Random, bits: u32) -> Range {
    let mut range = Range::of(bits);
    for _ in 0..random.below(3) {
        let places = random.range(0, 20);
        let near = bits.wrapping_add(random.below(1 << places));
        let other = if random.chance(50) { near } else { value(random) };
        range = range.or(Range::of(other));
    }
    range
}

/// A random value of a range.
fn inside(random: &mut Random, range: Range) -> u32 {
    for _ in 0..16 {
        let bits = match (range.numbers(), random.below(4)) {
            (Some((low, _)), 0) => low.to_bits(),
            (Some((_, high)), 1) => high.to_bits(),
            (Some((low, high)), 2) => {
                let [low, high] = [low, high].map(|end| order(end.to_bits()));
                let width = (i64::from(high) - i64::from(low)) as u64;
                order((i64::from(low) + (random.word() % (width + 1)) as i64) as i32 as u32) as u32
            }
            _ => value(random),
        };
        if range.contains(bits) {
            return bits;
        }
    }
    range.nearest(0)
}

/// The bits of floats in the order of numbers; its own inverse.
fn order(bits: u32) -> i32 {
    if bits & float::SIGN != 0 { (bits ^ !float::SIGN) as i32 } else { bits as i32 }
}

#[test]
fn ranges_of_operations_contain_their_results() {
    let mut random = Random::new(&[0x71]);
    for &calc in Calc::ALL {
        let facts = calc.facts();
        for n in 0..60_000 {
            let aux = match facts.facts.aux {
                Aux::Own => 0,
                Aux::ZeroTimes => random.pick(&[0, SWITCH]),
                Aux::Modifier => random.below(16) as u16,
            };
            let square = facts.operands > 1 && n % 8 == 0;
            let mut operands = [Range::NOTHING; 4];
            for operand in operands.iter_mut().take(facts.operands) {
                let bits = value(&mut random);
                *operand = around(&mut random, bits);
            }
            if square {
                operands[1] = operands[0];
            }
            let used = &operands[..facts.operands];
            let range = of_calc(calc, aux, used, square);
            for _ in 0..8 {
                let mut values = [0; 4];
                for (value, range) in values.iter_mut().zip(used) {
                    *value = inside(&mut random, *range);
                }
                if square {
                    values[1] = values[0];
                }
                let result = (facts.exact)(values, aux);
                assert!(
                    range.contains(result),
                    "{}({values:08x?}) = {result:08x} is not in {range}; {used:?}",
                    facts.facts.name
                );
            }
        }
    }
}

/// A range is computed from the ends of its operands only, so the test tries many values between them.
#[test]
fn functions_stay_between_their_ends() {
    let mut random = Random::new(&[0x72]);
    for &calc in Calc::ALL.iter().filter(|calc| calc.facts().operands == 1) {
        for _ in 0..300 {
            let bits = value(&mut random);
            let places = random.range(0, 24);
            let last = bits.wrapping_add(random.below(1 << places));
            let range = Range::of(bits).or(Range::of(last));
            let of = of_calc(calc, 0, &[range], false);
            for _ in 0..1000 {
                let operand = inside(&mut random, range);
                let result = (calc.facts().exact)([operand, 0, 0, 0], 0);
                assert!(of.contains(result), "{calc:?} {operand:08x} {result:08x} {range} {of}");
            }
        }
    }
}

#[test]
fn signs_and_comparisons_keep_the_values() {
    let mut random = Random::new(&[0x73]);
    let checks = [0, 1, 2, 3].map(Check::Compare);
    for _ in 0..100_000 {
        let bits = value(&mut random);
        let range = around(&mut random, bits);
        let bits = inside(&mut random, range);
        for modifier in [Modifier::Nop, Modifier::Neg, Modifier::Abs, Modifier::Nab] {
            let of = of_sign(modifier, range);
            assert!(of.contains(signed(modifier, bits)), "{modifier:?} {bits:08x} {range} {of}");
        }
        for check in checks.into_iter().chain([Check::AboveHalf, Check::Kills]) {
            let parts = narrowed(check, check.holds(bits), range);
            let held = parts.iter().any(|part| part.contains(bits));
            assert!(held, "{check:?} {bits:08x} {range} {parts:?}");
        }
    }
}

/// Random terms, with choices in choices, without rules.
#[test]
fn ranges_of_terms_contain_their_values() {
    for seed in 0..3000 {
        let mut random = Random::new(&[0x74, seed]);
        let mut terms = Terms::with_rules(Set::Bits, Vec::new(), 100_000);
        let mut pool = pool(&mut terms, &mut random);
        for _ in 0..24 {
            let recent = pool.len() - 12;
            let from = if random.chance(70) { &pool[recent..] } else { &pool[..] };
            let node = step(&mut terms, &mut random, from);
            pool.push(terms.intern(node));
        }
        let mut bounds = Bounds::default();
        let range = |random: &mut Random| {
            let bits = value(random);
            let near = around(random, bits);
            random.pick(&[
                Range::ANYTHING,
                Range::between(0.0, 1.0),
                Range::between(-1.0, 1.0),
                near,
            ])
        };
        bounds.data.insert(0, std::array::from_fn(|_| range(&mut random)));
        bounds.constants.insert(1, std::array::from_fn(|_| range(&mut random)));
        let ranges = Ranges::new(&terms, &bounds, Stop::never()).unwrap();
        let inputs = Within { inputs: Sample { seed, hard: seed % 3 != 0 }, bounds: &bounds };
        let mut values = Values::new(&terms, &inputs, 8);
        for id in terms.ids() {
            for value in values.of(id).to_vec() {
                let of = ranges.of(id);
                let held = value.bits.is_none_or(|bits| of.contains(bits));
                let text = || terms.text(id, 12);
                assert!(held, "{seed}: {:08x?} is not in {of}: {}", value.bits, text());
            }
        }
    }
}

/// The range of a program's last step, as text.
fn range_of(build: impl FnOnce(&mut Terms, Id) -> Id, x: Range) -> String {
    let mut terms = Terms::new(Set::Bits, 10_000);
    let input = terms.make(Node::Input(Input::Data(0, 0)));
    let id = build(&mut terms, input);
    let bounds = Bounds { data: HashMap::from([(0, [x; 4])]), ..Bounds::default() };
    Ranges::new(&terms, &bounds, Stop::never()).unwrap().of(id).to_string()
}

#[test]
fn choices_narrow_what_they_test() {
    let one = float::ONE;
    // x != 0 ? 1 / x : 1
    let guarded = |terms: &mut Terms, x: Id| {
        let of = terms.check(Check::Compare(0), x);
        let (rcp, one) = (terms.calc(Calc::Rcp, 0, [x]), terms.literal(one));
        terms.choose(of, one, rcp)
    };
    let ends = format!("[{:?}, {:?}]", -(2.0_f32.powi(126)), 2.0_f32.powi(126));
    assert_eq!(range_of(guarded, Range::new(-1.0, 1.0, 0)), ends);
    // x - 1 >= 0 ? 1 / x : x
    let behind = |terms: &mut Terms, x: Id| {
        let minus_one = terms.literal(float::neg(one));
        let sum = terms.calc(Calc::Add, 0, [x, minus_one]);
        let of = terms.check(Check::Compare(2), sum);
        let rcp = terms.calc(Calc::Rcp, 0, [x]);
        terms.choose(of, rcp, x)
    };
    assert_eq!(range_of(behind, Range::new(0.0, 4.0, 0)), "[0.0, 1.0]");
    // Squares and clamps.
    let square = |terms: &mut Terms, x: Id| terms.calc(Calc::Product, 0, [x, x]);
    assert_eq!(range_of(square, Range::new(-2.0, 1.0, 0)), "[0.0, 4.0]");
    let clamped = |terms: &mut Terms, x: Id| terms.calc(Calc::Finish, SWITCH, [x]);
    assert_eq!(range_of(clamped, Range::ANYTHING), "[0.0, 1.0]");
}
