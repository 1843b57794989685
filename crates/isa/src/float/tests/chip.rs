//! The mode `chip` against a model in integers of any length, and the documented cases.

use super::*;
use crate::float::chip;

const INF: u32 = 0x7f80_0000;
const MINUS_INF: u32 = 0xff80_0000;
const MINUS_ZERO: u32 = 0x8000_0000;
const NAN: u32 = 0x7fff_ffff;

/// A term: its factors, and whether it may be ruled by ZERO_TIMES.
type Term = (u32, u32, bool);

/// A factor by the bits alone: sign, significand and the power of two of its last place.
fn parts(x: u32) -> (bool, u128, i32) {
    let field = (x >> 23 & 255) as i32;
    let significand = if field == 0 { 0 } else { (x & 0x7f_ffff) as u128 | 1 << 23 };
    (x >> 31 == 1, significand, field - 150)
}

/// The sum of terms in integers.
fn model(terms: &[Term]) -> u32 {
    let (mut nan, mut infinities) = (false, Vec::new());
    let mut numbers = Vec::new();
    for &(a, b, zero_times) in terms {
        let class = |x: u32| (x >> 23 & 255, x & 0x7f_ffff);
        let is_zero = |x| class(x).0 == 0;
        let is_infinite = |x| class(x) == (255, 0);
        let is_nan = |x| class(x).0 == 255 && class(x).1 != 0;
        let special = class(a).0 == 255 || class(b).0 == 255;
        let negative = (a ^ b) >> 31 == 1;
        if zero_times && (is_zero(a) || is_zero(b)) {
            numbers.push((negative && !special, 0, 0));
        } else if is_nan(a) || is_nan(b) || special && (is_zero(a) || is_zero(b)) {
            nan = true;
        } else if is_infinite(a) || is_infinite(b) {
            infinities.push(negative);
        } else {
            let ((_, m, e), (_, n, f)) = (parts(a), parts(b));
            numbers.push((negative, m * n, e + f));
        }
    }
    if nan || infinities.contains(&true) && infinities.contains(&false) {
        return NAN;
    }
    if let Some(&negative) = infinities.first() {
        return if negative { MINUS_INF } else { INF };
    }
    // floor(log2) of a term that is not 0.
    let top = |&(_, m, e): &(bool, u128, i32)| 127 - m.leading_zeros() as i32 + e;
    let nonzero = numbers.iter().filter(|number| number.1 != 0);
    let Some(largest) = nonzero.map(top).max() else {
        let all = numbers.iter().all(|number| number.0);
        return if all { MINUS_ZERO } else { 0 };
    };
    let unit = largest - 24;
    let mut total = 0i128;
    for &(negative, m, e) in numbers.iter().filter(|number| number.1 != 0) {
        let shift = unit - e;
        let units = match shift {
            ..0 => m << -shift,
            0..128 => m >> shift,
            _ => 0,
        } as i128;
        total += if negative { -units } else { units };
    }
    if total == 0 {
        return 0;
    }
    let sign = if total < 0 { MINUS_ZERO } else { 0 };
    let mut magnitude = total.unsigned_abs();
    let mut place = unit;
    while magnitude >= 1 << 24 {
        magnitude >>= 1;
        place += 1;
    }
    while magnitude < 1 << 23 {
        magnitude <<= 1;
        place -= 1;
    }
    let field = place + 150;
    match field {
        ..=0 => sign,
        1..255 => sign | (field as u32) << 23 | magnitude as u32 & 0x7f_ffff,
        _ => sign | INF,
    }
}

/// Numbers whose products and sums overlap, in every third call; else any.
fn operands<const N: usize>(random: &mut Random) -> [u32; N] {
    let (kind, base) = (random.bits() % 3, random.bits());
    std::array::from_fn(|_| match kind {
        0 => random.operand(),
        1 => {
            let bits = random.bits();
            bits & 0x807f_ffff | (1 + (base % 4) * 60 + (bits >> 23) % 40) << 23
        }
        // Nearly cancelling.
        _ => {
            let bits = random.bits();
            base & 0x7f80_0000 | bits & 0x8000_000f | base & 0x0070_0000
        }
    })
}

/// Every function, with one set of operands.
fn check(x: [u32; 8]) {
    let [a, b, c, ..] = x;
    let one = f(1.0);
    for zt in [false, true] {
        let at = |n: usize| (x[n], x[n + 4], zt);
        let told = |name: &str| format!("{name} {x:08x?} {zt}");
        assert_eq!(chip::mul(a, b, zt), model(&[(a, b, zt)]), "{}", told("mul"));
        let mad = model(&[(a, b, zt), (c, one, false)]);
        assert_eq!(chip::mad(a, b, c, zt), mad, "{}", told("mad"));
        let (low, high) = ([x[0], x[1], x[2]], [x[4], x[5], x[6]]);
        assert_eq!(chip::dp3(low, high, zt), model(&[at(0), at(1), at(2)]), "{}", told("dp3"));
        let (low, high) = ([x[0], x[1], x[2], x[3]], [x[4], x[5], x[6], x[7]]);
        let four = model(&[at(0), at(1), at(2), at(3)]);
        assert_eq!(chip::dp4(low, high, zt), four, "{}", told("dp4"));
        let d2a = model(&[at(0), at(1), (c, one, false)]);
        assert_eq!(chip::d2a([x[0], x[1]], [x[4], x[5]], c, zt), d2a, "{}", told("d2a"));
    }
    let minus = |x: u32| x ^ MINUS_ZERO;
    let two = |a, b| model(&[(a, one, false), (b, one, false)]);
    let bias = model(&[(one, one, false), (f(-2.0), a, false)]);
    assert_eq!(chip::add(a, b), two(a, b), "add {a:08x} {b:08x}");
    assert_eq!(chip::presub_bias(a), bias, "bias {a:08x}");
    assert_eq!(chip::presub_sub(a, b), two(b, minus(a)), "sub {a:08x} {b:08x}");
    assert_eq!(chip::presub_add(a, b), two(a, b), "add {a:08x} {b:08x}");
    assert_eq!(chip::presub_inv(a), two(one, minus(a)), "inv {a:08x}");
    let terms = [a, b, c].map(|x| (x, one, false));
    assert_eq!(chip::sum(&[a, b, c]), model(&terms), "sum {a:08x} {b:08x} {c:08x}");
    let value = flushed_value(a);
    let frc = if value.is_finite() { two(a, f(-value.floor() as f32)) } else { NAN };
    assert_eq!(chip::frc(a), frc, "frc {a:08x}");
}

#[test]
fn functions_against_the_model() {
    let mut random = Random::new(0xc419);
    for _ in 0..1 << 18 {
        check(operands(&mut random));
    }
    for a in SPECIAL {
        for b in SPECIAL {
            for c in SPECIAL {
                check([a, b, c, random.operand(), c, b, a, random.operand()]);
            }
        }
    }
}

#[test]
fn products_are_truncated() {
    // 77 * rcp(77) is below 1 on the card, and 1 with a rounded product.
    let rcp = rcp(f(77.0));
    assert_eq!(mul(f(77.0), rcp, false), f(1.0));
    assert_eq!(chip::mul(f(77.0), rcp, false), 0x3f7f_ffff);
    assert_eq!(chip::mul(0x3fff_ffff, 0x3fff_ffff, false), 0x407f_fffe);
    // A product is in range whatever its size.
    let (large, small) = (0x7f00_0000, 0x0080_0000);
    assert_eq!(chip::mul(large, f(2.0), false), INF);
    assert_eq!(chip::mad(large, f(2.0), f(-f32::MAX), false), 0x7380_0000);
    assert_eq!(chip::mad(large, f(2.0), MINUS_INF, false), MINUS_INF);
    assert_eq!(chip::mul(small, f(0.5), false), 0);
    assert_eq!(chip::mul(small ^ MINUS_ZERO, f(0.5), false), MINUS_ZERO);
    assert_eq!(chip::mul(0x3f7f_ffff, small, false), 0);
    assert_eq!(chip::dp3([small, small, small], [f(0.5), f(0.25), f(0.25)], false), small);
    assert_eq!(dp3([small, small, small], [f(0.5), f(0.25), f(0.25)], false), 0);
}

#[test]
fn sums_keep_25_places_of_the_largest_term() {
    let two = |k: i32| 2f32.powi(k).to_bits();
    let minus = |k: i32| neg(two(k));
    // The last place of 1 is 2^-23; 2^-24 is kept, and 2^-25 is not.
    assert_eq!(chip::add(two(0), minus(-24)), 0x3f7f_ffff);
    assert_eq!(chip::add(two(0), minus(-25)), two(0));
    assert_eq!(chip::add(two(0), two(-24)), two(0));
    assert_eq!(chip::sum(&[two(0), two(-24), two(-24)]), 0x3f80_0001);
    assert_eq!(chip::sum(&[two(0), two(-25), two(-25)]), two(0));
    assert_eq!(chip::sum(&[two(25), minus(25), two(0)]), 0);
    assert_eq!(chip::sum(&[two(24), minus(24), f(-1.75)]), f(-1.0));
    // MAD sees one bit of a product that rounding would carry.
    let (a, c) = (0x3f80_0801, 0xbf80_1002);
    assert_eq!(mad(a, a, c, false), 0x3400_0000);
    assert_eq!(chip::mad(a, a, c, false), 0x3380_0000);
    // The exact product of BIAS: 1 - 2 * 2^127 is in range where a rounded product is not.
    assert_eq!(presub_bias(two(127)), MINUS_INF);
    assert_eq!(chip::presub_bias(two(127)), MINUS_INF);
    assert_eq!(chip::presub_bias(f(0.25)), f(0.5));
}

#[test]
fn zeros_and_specials() {
    let one = f(1.0);
    assert_eq!(chip::add(MINUS_ZERO, MINUS_ZERO), MINUS_ZERO);
    assert_eq!(chip::add(MINUS_ZERO, 0), 0);
    assert_eq!(chip::add(one, neg(one)), 0);
    assert_eq!(chip::mul(MINUS_ZERO, one, false), MINUS_ZERO);
    assert_eq!(chip::mad(MINUS_ZERO, one, MINUS_ZERO, false), MINUS_ZERO);
    assert_eq!(chip::mad(MINUS_ZERO, INF, MINUS_ZERO, true), 0);
    assert_eq!(chip::mul(0, INF, false), NAN);
    assert_eq!(chip::mul(0, 0xffc0_0001, true), 0);
    assert_eq!(chip::mul(one, 0xffc0_0001, true), NAN);
    assert_eq!(chip::add(INF, MINUS_INF), NAN);
    assert_eq!(chip::d2a([0, one], [INF, one], INF, true), INF);
    assert_eq!([MINUS_ZERO, INF, NAN].map(chip::frc), [0, NAN, NAN]);
    assert_eq!(chip::frc(0x8080_0000), one);
    // Output modifiers round as in the mode exact.
    for code in 0..16 {
        assert_eq!(chip::finish(0x00ff_ffff, code), finish(0x00ff_ffff, code));
    }
}
