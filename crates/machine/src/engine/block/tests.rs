//! The lanes' arithmetic, without guards, against the reference arithmetic.

use super::lanes::{Chip, Exact, Mode, lane};
use super::loose::flushes;
use ctm_base::random::Random;
use ctm_isa::float::{self, CANONICAL_NAN, SIGN, ftz, is_nan};
use ctm_isa::ops::{Aux, Calc, Meaning, SWITCH};

/// Zeros, borders, Inf, NaNs and 40 random patterns, with both signs.
fn operands() -> Vec<u32> {
    let mut values = vec![
        0,
        1,
        0x007f_ffff,
        0x0080_0000,
        0x0080_0001,
        0x00ff_ffff,
        0x3f00_0000,
        0x3f7f_ffff,
        0x3f80_0000,
        0x3f80_0001,
        0x4b7f_ffff,
        0x4b80_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0x7f80_0001,
        0x7fc0_0000,
        CANONICAL_NAN,
    ];
    const SEED: u64 = 0x2545_f491;
    println!("seed {SEED:#x}");
    let mut random = Random::new(&[SEED]);
    values.extend((0..40).map(|_| random.bits() & !SIGN));
    let negative: Vec<u32> = values.iter().map(|x| x | SIGN).collect();
    values.extend(negative);
    values
}

/// Every operation of the table, without guards on operands that lowering flushes.
#[test]
fn lanes_give_the_bits_of_the_float_model() {
    lanes_give_the_bits_of(lane::<Exact>, |calc| calc.facts().exact);
    lanes_give_the_bits_of(lane::<Chip>, |calc| calc.facts().chip);
}

fn lanes_give_the_bits_of(lane: fn(Calc) -> Meaning, model: fn(Calc) -> Meaning) {
    let values = operands();
    for &calc in Calc::ALL {
        let (facts, model) = (calc.facts(), model(calc));
        let kept = |n: usize, x: u32| if facts.facts.keeps >> n & 1 != 0 { x } else { ftz(x) };
        let lane = lane(calc);
        let check = |tuple: [u32; 4], aux: u16| {
            let flushed = std::array::from_fn(|n| kept(n, tuple[n]));
            let (mut got, mut want) = (lane(flushed, aux), model(tuple, aux));
            if calc == Calc::Product {
                // Its NaN may have any form.
                (got, want) = (one_nan(got), one_nan(want));
            }
            assert_eq!(got, want, "{calc:?} {tuple:08x?} aux {aux}");
        };
        let auxes = match facts.facts.aux {
            Aux::Own => vec![0],
            Aux::ZeroTimes => vec![0, SWITCH],
            Aux::Modifier => (0..7).chain(SWITCH..SWITCH + 7).collect(),
        };
        for (n, &a) in values.iter().enumerate() {
            for &b in if facts.operands > 1 { &values[..] } else { &[0] } {
                for &c in if facts.operands > 2 { &values[..] } else { &[0] } {
                    let tuple = [a, b, c, values[(n * 31 + 7) % values.len()]];
                    auxes.iter().for_each(|&aux| check(tuple, aux));
                }
            }
        }
    }
}

#[test]
fn operations_that_flush_take_denormals_and_any_nan() {
    for &calc in Calc::ALL.iter().filter(|&&calc| flushes(calc)) {
        for x in operands() {
            let settled = one_nan(ftz(x));
            for aux in (0..7).chain(SWITCH..SWITCH + 7) {
                let [loose, settled] = [x, settled].map(|x| lane::<Exact>(calc)([x; 4], aux));
                assert_eq!(loose, settled, "{calc:?} {x:08x} aux {aux}");
            }
        }
    }
}

#[test]
fn coordinates_are_scaled_by_products() {
    let values: Vec<u32> = operands().into_iter().map(ftz).collect();
    for &a in &values {
        for &b in &values {
            assert_eq!(Exact::scale(a, b), float::mul(a, b, false), "scale {a:08x} {b:08x}");
        }
    }
}

/// Replaces any NaN by the one NaN.
fn one_nan(x: u32) -> u32 {
    if is_nan(x) { CANONICAL_NAN } else { x }
}
