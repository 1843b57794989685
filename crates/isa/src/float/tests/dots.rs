//! The aligned adder and the dot products.

use super::*;

const INF: u32 = 0x7f80_0000;
const MINUS_INF: u32 = 0xff80_0000;
const MINUS_ZERO: u32 = 0x8000_0000;

/// The aligned adder in binary64: every term becomes a truncated multiple of the value of the
/// largest term's guard bit. All steps are exact.
fn model(terms: &[u32]) -> u32 {
    let values: Vec<f64> = terms.iter().map(|&t| flushed_value(t)).collect();
    let plain: f64 = values.iter().sum();
    if !plain.is_finite() && values.iter().any(|v| !v.is_finite()) {
        return round(plain);
    }
    if values.iter().all(|&v| v == 0.0) {
        let negative = values.iter().all(|v| v.is_sign_negative());
        return if negative { MINUS_ZERO } else { 0 };
    }
    let largest = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let power = f64::from_bits(largest.to_bits() & 0x7ff0_0000_0000_0000);
    let unit = power / 16_777_216.0;
    let total: f64 = values.iter().map(|v| (v / unit).trunc()).sum();
    // A sum of 0 is +0, whatever the signs of the terms.
    if total == 0.0 { 0 } else { round(total * unit) }
}

#[test]
fn sum_against_the_wide_model() {
    let mut random = Random::new(0x5037);
    for round in 0..1u32 << 19 {
        let count = 1 + round as usize % 4;
        let base = random.bits();
        let terms: Vec<u32> = (0..count)
            .map(|_| match round % 3 {
                0 => random.operand(),
                // Exponents within 32 of each other, also near the smallest normal.
                1 => {
                    let bits = random.bits();
                    (bits & 0x807f_ffff) | ((1 + (base % 4) * 60 + (bits >> 23) % 32) << 23)
                }
                // Nearly cancelling.
                _ => {
                    let bits = random.bits();
                    let exponent = 1 + (base >> 8) % 253;
                    (base & 0x7f_ff00) | (bits & 0x8000_00ff) | (exponent << 23)
                }
            })
            .collect();
        assert_eq!(sum(&terms), model(&terms), "sum({terms:08x?})");
    }
}

#[test]
fn sum_of_nothing_is_minus_zero_of_one_term_the_term() {
    for x in SPECIAL {
        let wanted = if is_nan(x) { CANONICAL_NAN } else { ftz(x) };
        assert_eq!(sum(&[x]), wanted, "sum([0x{x:08x}])");
    }
}

#[test]
fn special_terms() {
    assert_eq!(sum(&[INF, f(1.0), MINUS_INF]), CANONICAL_NAN);
    assert_eq!(sum(&[f(1.0), INF, INF, 0]), INF);
    assert_eq!(sum(&[f(1.0), MINUS_INF, f(f32::MAX)]), MINUS_INF);
    assert_eq!(sum(&[0xff80_0001, INF]), CANONICAL_NAN);
    assert_eq!(sum(&[MINUS_ZERO, MINUS_ZERO, MINUS_ZERO]), MINUS_ZERO);
    assert_eq!(sum(&[MINUS_ZERO, 0x8000_0001]), MINUS_ZERO);
    assert_eq!(sum(&[MINUS_ZERO, 0, MINUS_ZERO]), 0);
    assert_eq!(sum(&[f(2.0), f(-2.0), MINUS_ZERO]), 0);
    assert_eq!(sum(&[f(f32::MAX), f(f32::MAX)]), INF);
    assert_eq!(sum(&[f(-f32::MAX), f(-f32::MAX), f(1.0)]), MINUS_INF);
}

#[test]
fn cancellation_by_25_places() {
    // The two largest cancel. A third term smaller by 2^25 vanishes; one smaller by 2^24 stays
    // [G 42].
    let two = |k: i32| 2f32.powi(k).to_bits();
    let minus = |k: i32| neg(two(k));
    assert_eq!(sum(&[two(25), minus(25), two(0)]), 0);
    assert_eq!(sum(&[two(25), minus(25), minus(0)]), 0);
    assert_eq!(sum(&[two(24), minus(24), two(0)]), two(0));
    assert_eq!(sum(&[two(24), minus(24), minus(0)]), minus(0));
    assert_eq!(dp3([two(25), minus(25), two(0)], [two(0); 3], false), 0);
    assert_eq!(dp3([two(24), minus(24), two(0)], [two(0); 3], false), two(0));
    assert_eq!(dp4([two(10), two(3), minus(10), two(0)], [two(15), 0, two(15), two(0)], false), 0);
    assert_eq!(d2a([two(12), minus(12)], [two(12), two(12)], two(0), false), two(0));
    assert_eq!(d2a([two(12), minus(13)], [two(13), two(12)], two(0), false), 0);
    // The magnitude is truncated, even for a negative term: 2^24 + 1.75 keeps one place.
    assert_eq!(sum(&[two(24), minus(24), f(1.75)]), f(1.0));
    assert_eq!(sum(&[two(24), minus(24), f(-1.75)]), f(-1.0));
    // Far apart, beyond the width of a shift.
    assert_eq!(sum(&[two(100), minus(100), two(60)]), 0);
    assert_eq!(sum(&[two(100), two(-100)]), two(100));
}

#[test]
fn sums_round_once_at_the_end() {
    let two = |k: i32| 2f32.powi(k).to_bits();
    // 1 + 2^-24 is a tie and rounds to even. Two such halves add up in the guard bits.
    assert_eq!(sum(&[two(0), two(-24)]), two(0));
    assert_eq!(sum(&[two(0), two(-24), two(-24)]), 0x3f80_0001);
    assert_eq!(sum(&[0x3f80_0001, two(-24)]), 0x3f80_0002);
    // Below the normals: 2^-126 - 2^-150 cannot come from normal terms' significands, but it can
    // from a guard bit.
    assert_eq!(sum(&[0x00c0_0000, 0x8080_0000]), 0);
    assert_eq!(sum(&[0x80c0_0000, 0x0080_0000]), MINUS_ZERO);
}

#[test]
fn dots_are_sums_of_products() {
    let mut random = Random::new(0xd07);
    for _ in 0..1 << 17 {
        let a: [u32; 4] = std::array::from_fn(|_| random.operand());
        let b: [u32; 4] = std::array::from_fn(|_| random.operand());
        let product = |i: usize| round(flushed_value(a[i]) * flushed_value(b[i]));
        let p: [u32; 4] = std::array::from_fn(product);
        assert_eq!(dp4(a, b, false), model(&p), "{a:08x?} {b:08x?}");
        let (a3, b3) = ([a[0], a[1], a[2]], [b[0], b[1], b[2]]);
        assert_eq!(dp3(a3, b3, false), model(&p[..3]), "{a3:08x?} {b3:08x?}");
        let d = d2a([a[0], a[1]], [b[0], b[1]], a[3], false);
        assert_eq!(d, model(&[p[0], p[1], a[3]]), "{a:08x?} {b:08x?}");
    }
}

#[test]
fn zero_times_reaches_the_products_only() {
    let a = [0, f(2.0), f(1.0), MINUS_ZERO];
    let b = [INF, f(3.0), f(1.0), 0x7fc0_0000];
    assert_eq!(dp4(a, b, true), f(7.0));
    assert_eq!(dp4(a, b, false), CANONICAL_NAN);
    assert_eq!(dp3([a[0], a[1], a[2]], [b[0], b[1], b[2]], true), f(7.0));
    assert_eq!(d2a([0, f(2.0)], [INF, f(3.0)], f(1.0), true), f(7.0));
    assert_eq!(d2a([0, f(2.0)], [INF, f(3.0)], INF, true), INF);
    // Zeros against Inf are +0: the sum cannot be -0.
    assert_eq!(d2a([MINUS_ZERO; 2], [INF, f(1.0)], MINUS_ZERO, true), 0);
    assert_eq!(d2a([MINUS_ZERO; 2], [f(1.0); 2], 0x8000_0001, true), MINUS_ZERO);
}
