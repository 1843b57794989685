use super::*;
use ctm_isa::float::{self, ONE};
use ctm_isa::ops::Op;
use ctm_machine::lower::{Operand, Write};

/// Numbers of every size, exponents 0 to 255.
fn numbers() -> impl Iterator<Item = u32> + Clone {
    let fractions = [0, 1, 0x40_0000, 0x55_5555, 0x7f_ffff];
    (0..=255u32)
        .step_by(5)
        .chain([1, 2, 24, 25, 26, 101, 102, 126, 127, 128, 150, 254])
        .flat_map(move |exponent| fractions.map(|fraction| exponent << 23 | fraction))
        .flat_map(|bits| [bits, bits | SIGN])
}

/// Facts that are true of a number: all that is certain of it, and of it and others.
fn facts(bits: u32) -> Vec<Fact> {
    let one = Fact::constant(bits);
    let others =
        [0, ONE, ONE | SIGN, 0x0080_0000, 0x4b00_0001, 0x3380_0000, 0x7f80_0000, 0x7fff_ffff];
    let wider = others.iter().map(|&other| one.or(&Fact::constant(other)));
    [one, Fact::UNKNOWN].into_iter().chain(wider).collect()
}

fn check(fact: &Fact, bits: u32, what: &str) {
    assert!(fact.holds(bits), "{what}: {bits:08x} ({:e}): {fact:?}", f32::from_bits(bits));
}

#[test]
fn the_facts_of_a_number() {
    let fact = |value: f32| Fact::constant(value.to_bits());
    assert_eq!(
        fact(-5.0),
        Fact { low: 2, grain: 0, high: 3, nonzero: true, positive: false, number: true }
    );
    assert_eq!(
        fact(0.75),
        Fact { low: -1, grain: -2, high: 0, nonzero: true, positive: true, number: true }
    );
    assert_eq!(
        fact(8.0),
        Fact { low: 3, grain: 3, high: 3, nonzero: true, positive: true, number: true }
    );
    assert_eq!(Fact::constant(3).low, -148);
    for bits in numbers() {
        for fact in facts(bits) {
            check(&fact, bits, "itself");
            check(&fact.flushed(), float::ftz(bits), "flushed");
        }
    }
}

/// Every rule, on operands of all sizes: what is certain of the result holds for the result.
#[test]
fn results_are_what_facts_say() {
    let all: Vec<u32> = numbers().map(float::ftz).collect();
    let some: Vec<u32> = all.iter().copied().step_by(3).collect();
    let operands = [Operand::row(0), Operand::row(1), Operand::row(2), Operand::row(3)];
    let op = |calc: Calc, aux| RowOp {
        op: Op::Calc(calc),
        write: Write::Active,
        pc: 0,
        aux,
        dst: 0,
        operands,
    };
    let mut state = 1u32;
    let mut next = |list: &[u32]| {
        state = state.wrapping_mul(0x0019_660d).wrapping_add(0x3c6e_f35f);
        list[(state >> 8) as usize % list.len()]
    };
    for &calc in Calc::ALL {
        let codes = if calc == Calc::Finish { 0..16 } else { 0..1 };
        for aux in codes.filter(|code| code & 7 != 7) {
            for n in 0..60_000usize {
                let values = match calc.facts().operands {
                    1 => [all[n % all.len()], 0, 0, 0],
                    // Also numbers close to one another, and their negatives.
                    _ if n % 4 == 0 => {
                        let a = next(&some);
                        [a, float::neg(a) ^ (n as u32 >> 4 & 3), next(&some), float::neg(a)]
                    }
                    _ => [next(&all), next(&some), next(&some), next(&some)],
                };
                let values = values.map(float::ftz);
                let given = values.map(|bits| {
                    let facts = facts(bits);
                    facts[n / 4 % facts.len()]
                });
                let result = (calc.facts().exact)(values, aux);
                let fact = Fact::of(calc, &op(calc, aux), &given);
                check(&fact, result, &format!("{calc:?} {aux} {values:08x?} {given:?}"));
            }
        }
    }
}

/// A sum and a product before their flush agree with their facts: no fact excludes a denormal that
/// is there.
#[test]
fn unflushed_results_are_what_facts_say() {
    let all: Vec<u32> = numbers().map(float::ftz).collect();
    for &a in all.iter().step_by(2) {
        for &b in &all {
            let [x, y] = [a, b].map(f32::from_bits);
            for (f, g) in facts(a).into_iter().zip(facts(b)) {
                check(&f.product(&g), (x * y).to_bits(), "product");
                check(&f.sum(&g), (x + y).to_bits(), "sum");
            }
        }
    }
}

#[test]
fn texels_of_normalised_formats_are_what_facts_say() {
    for value in 0..=0xffffu16 {
        check(&Fact::normalised(16), float::from_unorm16(value.into()), "16 bits");
    }
    for value in 0..=0xffu8 {
        check(&Fact::normalised(8), float::from_unorm8(value.into()), "8 bits");
    }
}

#[test]
fn a_number_minus_its_fraction_is_its_floor() {
    for bits in numbers().map(float::ftz) {
        let floor = float::add(bits, float::neg(float::frc(bits)));
        for fact in facts(bits) {
            check(&fact.floor(), floor, "floor");
        }
        let value = f32::from_bits(bits);
        assert!(float::is_nan(floor) || f32::from_bits(floor) == value.floor(), "{value:e}");
    }
    // Next to -1 and 0, where FRC rounds.
    for bits in (0x3300_0000..0x3f80_0001u32).step_by(997).map(|bits| bits | SIGN) {
        let floor = float::add(bits, float::neg(float::frc(bits)));
        assert_eq!(f32::from_bits(floor), f32::from_bits(bits).floor(), "{bits:08x}");
    }
}
