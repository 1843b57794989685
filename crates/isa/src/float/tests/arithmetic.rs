//! Flush, modifiers, products, sums, MAD, presubtract, FRC, output modifiers and the clamp.

use super::*;

const QUIET: u32 = 0x7fc0_0000;
const SIGNALLING: u32 = 0xff80_0001;
const INF: u32 = 0x7f80_0000;
const MINUS_INF: u32 = 0xff80_0000;
const MINUS_ZERO: u32 = 0x8000_0000;

#[test]
fn flush_and_tests_of_bits() {
    assert_eq!(ftz(0x007f_ffff), 0);
    assert_eq!(ftz(0x8000_0001), MINUS_ZERO);
    assert_eq!(ftz(0x0080_0000), 0x0080_0000);
    assert_eq!(ftz(SIGNALLING), SIGNALLING);
    assert!(is_nan(SIGNALLING) && is_nan(QUIET) && is_nan(CANONICAL_NAN));
    assert!(!is_nan(INF) && !is_nan(MINUS_INF) && !is_nan(0));
    assert!(is_zero(MINUS_ZERO) && is_zero(0x807f_ffff) && !is_zero(0x0080_0000));
}

#[test]
fn modifiers_are_bit_operations() {
    let rows = [
        // x, NOP, NEG, ABS, NAB
        [0x3f80_0000, 0x3f80_0000, 0xbf80_0000, 0x3f80_0000, 0xbf80_0000],
        [0xbf80_0000, 0xbf80_0000, 0x3f80_0000, 0x3f80_0000, 0xbf80_0000],
        [0x8000_0000, 0x8000_0000, 0x0000_0000, 0x0000_0000, 0x8000_0000],
        [0xffc0_1234, 0xffc0_1234, 0x7fc0_1234, 0x7fc0_1234, 0xffc0_1234],
        [0xff80_0000, 0xff80_0000, 0x7f80_0000, 0x7f80_0000, 0xff80_0000],
        [0x0000_0001, 0x0000_0001, 0x8000_0001, 0x0000_0001, 0x8000_0001],
    ];
    for [x, results @ ..] in rows {
        for (modifier, wanted) in results.into_iter().enumerate() {
            assert_eq!(modify(x, modifier as u32), wanted, "modify(0x{x:08x}, {modifier})");
        }
        assert_eq!([neg(x), abs(x), nab(x)], results[1..]);
    }
}

#[test]
fn mul_named_cases() {
    // The largest product below the normals that rounds up to one of them.
    assert_eq!(mul(0x3f7f_ffff, 0x0080_0000, false), 0x0080_0000);
    assert_eq!(mul(0x3f7f_fffe, 0x0080_0000, false), 0);
    assert_eq!(mul(0xbf7f_ffff, 0x0080_0000, false), 0x8080_0000);
    assert_eq!(mul(0xbf7f_fffe, 0x0080_0000, false), MINUS_ZERO);
    assert_eq!(mul(0, INF, false), CANONICAL_NAN);
    assert_eq!(mul(0x8000_0001, MINUS_INF, false), CANONICAL_NAN);
    assert_eq!(mul(SIGNALLING, f(1.0), false), CANONICAL_NAN);
    assert_eq!(mul(f(1.0), QUIET, false), CANONICAL_NAN);
    assert_eq!(mul(0x0000_0001, f(f32::MAX), false), 0);
    assert_eq!(mul(f(f32::MAX), f(-2.0), false), MINUS_INF);
    assert_eq!(mul(MINUS_ZERO, f(-3.0), false), 0);
}

#[test]
fn zero_times_anything() {
    let rows = [
        // a, b, product
        (0, INF, 0),
        (MINUS_ZERO, INF, 0),
        (0, MINUS_INF, 0),
        (MINUS_ZERO, QUIET, 0),
        (SIGNALLING, 0, 0),
        (0x0000_0001, CANONICAL_NAN, 0),
        (MINUS_ZERO, f(2.0), MINUS_ZERO),
        (MINUS_ZERO, f(-2.0), 0),
        (0x807f_ffff, f(2.0), MINUS_ZERO),
        (0, MINUS_ZERO, MINUS_ZERO),
        (MINUS_ZERO, MINUS_ZERO, 0),
        (f(1.0), QUIET, CANONICAL_NAN),
        (INF, f(-1.0), MINUS_INF),
        (0x3f7f_ffff, 0x0080_0000, 0x0080_0000),
        (0x3f00_0000, 0x8080_0000, MINUS_ZERO),
    ];
    for (a, b, wanted) in rows {
        assert_eq!(mul(a, b, true), wanted, "0x{a:08x} * 0x{b:08x}");
        assert_eq!(mul(b, a, true), wanted, "0x{b:08x} * 0x{a:08x}");
    }
}

#[test]
fn mul_and_add_against_the_integer_model() {
    let mut random = Random::new(0xa11_7e57);
    for _ in 0..1 << 20 {
        let (a, b) = (random.operand(), random.operand());
        // binary64 holds a product of two binary32 numbers; and a sum rounded to 53 bits first
        // rounds to the same 24 bits, because 53 >= 2 * 24 + 2.
        let product = round(flushed_value(a) * flushed_value(b));
        assert_eq!(mul(a, b, false), product, "0x{a:08x} * 0x{b:08x}");
        let total = round(flushed_value(a) + flushed_value(b));
        assert_eq!(add(a, b), total, "0x{a:08x} + 0x{b:08x}");
        if is_zero(a) || is_zero(b) {
            assert_eq!(mul(a, b, true) & !SIGN, 0);
        } else {
            assert_eq!(mul(a, b, true), product);
        }
    }
}

#[test]
fn add_named_cases() {
    assert_eq!(add(INF, MINUS_INF), CANONICAL_NAN);
    assert_eq!(add(0, MINUS_ZERO), 0);
    assert_eq!(add(MINUS_ZERO, MINUS_ZERO), MINUS_ZERO);
    assert_eq!(add(0x8000_0001, 0x807f_ffff), MINUS_ZERO);
    assert_eq!(add(f(-1.5), f(1.5)), 0);
    // 1.5 * 2^-126 - 2^-126 is a denormal.
    assert_eq!(add(0x00c0_0000, 0x8080_0000), 0);
    assert_eq!(add(0x80c0_0000, 0x0080_0000), MINUS_ZERO);
    assert_eq!(add(QUIET, f(1.0)), CANONICAL_NAN);
}

#[test]
fn mad_keeps_both_roundings_and_loses_minus_zero() {
    // 0 * 0 + -0, 1 * -0 + 0 and -0 * 0 + -0 [G 41].
    assert_eq!(mad(0, 0, MINUS_ZERO, false), 0);
    assert_eq!(mad(MINUS_ZERO, f(1.0), 0, false), 0);
    assert_eq!(mad(MINUS_ZERO, 0, MINUS_ZERO, false), MINUS_ZERO);
    // (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24; contracted it would not be 0.
    assert_eq!(mad(0x3f80_0800, 0x3f80_0800, 0xbf80_1000, false), 0);
    assert_eq!(mad(0, INF, f(1.0), false), CANONICAL_NAN);
    assert_eq!(mad(0, INF, f(1.0), true), f(1.0));
    let mut random = Random::new(0x3ad);
    for _ in 0..1 << 18 {
        let (a, b, c) = (random.operand(), random.operand(), random.operand());
        let product = round(flushed_value(a) * flushed_value(b));
        let wanted = round(flushed_value(product) + flushed_value(c));
        assert_eq!(mad(a, b, c, false), wanted, "0x{a:08x} * 0x{b:08x} + 0x{c:08x}");
    }
}

#[test]
fn presubtract() {
    assert_eq!(presub_bias(f(0.25)), f(0.5));
    assert_eq!(presub_sub(f(2.0), f(5.0)), f(3.0));
    assert_eq!(presub_add(f(2.0), f(5.0)), f(7.0));
    assert_eq!(presub_inv(f(0.25)), f(0.75));
    // 2 * src0 overflows on its own.
    assert_eq!(presub_bias(f(f32::MAX)), MINUS_INF);
    assert_eq!(presub_bias(0xffc0_0000), CANONICAL_NAN);
    assert_eq!(presub_sub(INF, INF), CANONICAL_NAN);
    assert_eq!(presub_sub(f(1.0), f(1.0)), 0);
    assert_eq!(presub_sub(0, MINUS_ZERO), MINUS_ZERO);
    assert_eq!(presub_add(MINUS_ZERO, MINUS_ZERO), MINUS_ZERO);
    assert_eq!(presub_inv(f(1.0)), 0);
    assert_eq!(presub_inv(0x007f_ffff), f(1.0));
    let mut random = Random::new(0x97e5);
    for _ in 0..1 << 16 {
        let (a, b) = (random.operand(), random.operand());
        let (x, y) = (flushed_value(a), flushed_value(b));
        let doubled = flushed_value(round(2.0 * x));
        assert_eq!(presub_bias(a), round(1.0 - doubled), "0x{a:08x}");
        assert_eq!(presub_sub(a, b), round(y - x), "0x{a:08x} 0x{b:08x}");
        assert_eq!(presub_add(a, b), round(y + x), "0x{a:08x} 0x{b:08x}");
        assert_eq!(presub_inv(a), round(1.0 - x), "0x{a:08x}");
    }
}

#[test]
fn fractions() {
    let rows = [
        (0, 0),
        (MINUS_ZERO, 0),
        (0x8000_0001, 0),
        (f(1.25), f(0.25)),
        (f(-1.25), f(0.75)),
        (f(-3.0), 0),
        (f(7.0), 0),
        // A tiny negative argument gives 1.0, as the sum rounds.
        (0x8080_0000, f(1.0)),
        (f(-1e-9), f(1.0)),
        (0x4aff_ffff, f(0.5)),
        (0xcaff_ffff, f(0.5)),
        (0xcb00_0001, 0),
        (f(f32::MAX), 0),
        (INF, CANONICAL_NAN),
        (MINUS_INF, CANONICAL_NAN),
        (SIGNALLING, CANONICAL_NAN),
    ];
    for (a, wanted) in rows {
        assert_eq!(frc(a), wanted, "frc(0x{a:08x})");
    }
    let mut random = Random::new(0xf7ac);
    for _ in 0..1 << 20 {
        let a = random.operand();
        let x = flushed_value(a);
        let wanted = if x.is_finite() { round(x - x.floor()) } else { CANONICAL_NAN };
        assert_eq!(frc(a), wanted, "frc(0x{a:08x})");
    }
}

#[test]
fn output_modifiers() {
    // Halves of the largest number below a power of two round up to the smallest normal.
    assert_eq!(omod(0x00ff_ffff, 4), 0x0080_0000);
    assert_eq!(omod(0x017f_ffff, 5), 0x0080_0000);
    assert_eq!(omod(0x01ff_ffff, 6), 0x0080_0000);
    assert_eq!(omod(0x80ff_ffff, 4), 0x8080_0000);
    assert_eq!(omod(0x00ff_fffe, 4), 0);
    assert_eq!(omod(0x80ff_fffe, 4), MINUS_ZERO);
    assert_eq!(omod(f(f32::MAX), 1), INF);
    assert_eq!(omod(f(-f32::MAX), 3), MINUS_INF);
    assert_eq!(omod(0x8012_3456, 0), MINUS_ZERO);
    // The flush comes first: a denormal is not rescued by a factor.
    assert_eq!(omod(0x007f_ffff, 3), 0);
    for code in 0..7 {
        assert_eq!(omod(SIGNALLING, code), CANONICAL_NAN, "code {code}");
    }
    for x in SPECIAL {
        assert_eq!(omod(x, 7), x);
    }
    let factors = [1.0, 2.0, 4.0, 8.0, 0.5, 0.25, 0.125];
    let mut random = Random::new(0x0306);
    for _ in 0..1 << 17 {
        let x = random.operand();
        for (code, factor) in factors.into_iter().enumerate() {
            let wanted = round(flushed_value(x) * factor);
            assert_eq!(omod(x, code as u32), wanted, "omod(0x{x:08x}, {code})");
        }
    }
}

#[test]
fn clamp() {
    let rows = [
        (QUIET, 0),
        (0xffff_ffff, 0),
        (MINUS_ZERO, 0),
        (f(-1.0), 0),
        (MINUS_INF, 0),
        (0, 0),
        (0x0080_0000, 0x0080_0000),
        (0x3f7f_ffff, 0x3f7f_ffff),
        (f(1.0), f(1.0)),
        (0x3f80_0001, f(1.0)),
        (INF, f(1.0)),
        (0x7f80_0001, 0),
        (0x007f_ffff, 0),
    ];
    for (x, wanted) in rows {
        assert_eq!(clamp01(x), wanted, "clamp01(0x{x:08x})");
    }
}
