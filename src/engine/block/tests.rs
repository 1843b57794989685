//! The lanes' arithmetic, without guards, against the reference arithmetic.

use super::lanes::{Exact, Mode};
use crate::check::random::Random;
use crate::float::{self, CANONICAL_NAN, SIGN, ftz, is_nan};

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

/// Replaces any NaN by the one NaN, for lanes whose NaN may have any form.
fn one_nan(x: u32) -> u32 {
    if is_nan(x) { CANONICAL_NAN } else { x }
}

#[test]
fn two_operands() {
    let values: Vec<u32> = operands().into_iter().map(ftz).collect();
    for &a in &values {
        for &b in &values {
            let what = format!("{a:08x} {b:08x}");
            assert_eq!(Exact::add(a, b), float::add(a, b), "add {what}");
            assert_eq!(Exact::mul(a, b), float::mad(a, b, 0, false), "mul {what}");
            assert_eq!(Exact::mul_zero(a, b), float::mad(a, b, 0, true), "mul.zero {what}");
            let product = one_nan(Exact::product(a, b));
            assert_eq!(product, float::mul(a, b, false), "product {what}");
            let product = one_nan(Exact::product_zero(a, b));
            assert_eq!(product, float::mul(a, b, true), "product.zero {what}");
            assert_eq!(Exact::scale(a, b), float::mul(a, b, false), "scale {what}");
        }
    }
}

#[test]
fn three_and_four_operands() {
    let values: Vec<u32> = operands().into_iter().map(ftz).collect();
    for (n, &a) in values.iter().enumerate() {
        for &b in &values {
            for &c in &values {
                let what = format!("{a:08x} {b:08x} {c:08x}");
                assert_eq!(Exact::mad(a, b, c), float::mad(a, b, c, false), "mad {what}");
                assert_eq!(Exact::mad_zero(a, b, c), float::mad(a, b, c, true), "mad.zero {what}");
                assert_eq!(Exact::sum3(a, b, c), float::sum(&[a, b, c]), "sum3 {what}");
                let d = values[(n * 31 + 7) % values.len()];
                assert_eq!(
                    Exact::sum4(a, b, c, d),
                    float::sum(&[a, b, c, d]),
                    "sum4 {what} {d:08x}"
                );
            }
        }
    }
}

#[test]
fn output_modifiers_and_clamp() {
    for x in operands() {
        for (code, factor) in [1.0, 2.0, 4.0, 8.0, 0.5, 0.25, 0.125].into_iter().enumerate() {
            let want = float::omod(x, code as u32);
            assert_eq!(Exact::finish(x, factor, false), want, "{x:08x} {code}");
            assert_eq!(Exact::finish(x, factor, true), float::clamp01(want), "{x:08x} {code}");
        }
    }
}
