//! Comparisons, MIN, MAX, CND, CMP, inline constants, texel coordinates and memory formats.

use super::*;

const NAN: u32 = 0xffc0_0001;
const MINUS_ZERO: u32 = 0x8000_0000;

#[test]
fn comparisons_with_zero() {
    let rows = [
        // x, EQUAL, LESS, GREATER_EQUAL, NOT_EQUAL
        (0, [true, false, true, false]),
        (MINUS_ZERO, [true, false, true, false]),
        (0x007f_ffff, [true, false, true, false]),
        (0x8000_0001, [true, false, true, false]),
        (0x0080_0000, [false, false, true, true]),
        (0x8080_0000, [false, true, false, true]),
        (0x7f80_0000, [false, false, true, true]),
        (0xff80_0000, [false, true, false, true]),
        (NAN, [false, false, false, true]),
        (CANONICAL_NAN, [false, false, false, true]),
    ];
    for (x, expected) in rows {
        for (code, expected) in expected.into_iter().enumerate() {
            let code = code as u32;
            assert_eq!(compare(code, x), expected, "{code} 0x{x:08x}");
            assert_eq!(compare(code | !3, x), expected, "higher bits, {code} 0x{x:08x}");
        }
    }
}

#[test]
fn choices_follow_the_guide() {
    for a in SPECIAL {
        for b in SPECIAL {
            let (x, y) = (flushed_value(a), flushed_value(b));
            let second = x.is_nan() || y.is_nan() || (x == 0.0 && y == 0.0);
            assert_eq!(less(a, b), x < y, "0x{a:08x} 0x{b:08x}");
            assert_eq!(equal(a, b), x == y, "0x{a:08x} 0x{b:08x}");
            let smaller = if second || x >= y { b } else { a };
            assert_eq!(min(a, b), smaller, "min(0x{a:08x}, 0x{b:08x})");
            let larger = if second || x < y { b } else { a };
            assert_eq!(max(a, b), larger, "max(0x{a:08x}, 0x{b:08x})");
            for c in SPECIAL {
                let z = flushed_value(c);
                assert_eq!(cnd(a, b, c), if z > 0.5 { a } else { b });
                assert_eq!(cmp(a, b, c), if z >= 0.0 { a } else { b });
            }
        }
    }
}

#[test]
fn choices_keep_the_bits() {
    let (denormal, other) = (0x0000_0123, 0x8000_0456);
    // Both compare as zero, so the result is the second, even though it is a denormal.
    assert_eq!(min(denormal, other), other);
    assert_eq!(max(denormal, other), other);
    assert_eq!(min(NAN, denormal), denormal);
    assert_eq!(max(denormal, NAN), NAN);
    assert_eq!(min(0xbf80_0000, NAN), NAN);
    // The moves of [G 42].
    for x in [NAN, denormal, other, 0x7f80_0001] {
        assert_eq!([min(x, x), max(x, x), cnd(x, x, 0), cmp(x, x, 0)], [x; 4]);
    }
    assert_eq!(cnd(1, 2, HALF), 2);
    assert_eq!(cnd(1, 2, 0x3f00_0001), 1);
    assert_eq!(cnd(1, 2, NAN), 2);
    assert_eq!(cmp(1, 2, MINUS_ZERO), 1);
    assert_eq!(cmp(1, 2, 0x8000_0001), 1);
    assert_eq!(cmp(1, 2, 0x8080_0000), 2);
    assert_eq!(cmp(1, 2, NAN), 2);
}

#[test]
fn inline_constants() {
    for (code, expected) in [
        (0, 0.0),
        (1, 0.001_953_125),
        (7, 0.013_671_875),
        (8, 0.015_625),
        (16, 0.03125),
        (29, 0.101_562_5),
        (32, 0.125),
        (40, 0.25),
        (45, 0.40625),
        (48, 0.5),
        (49, 0.5625),
        (56, 1.0),
        (60, 1.5),
        (61, 1.625),
        (64, 2.0),
        (80, 8.0),
        (96, 32.0),
        (127, 480.0),
    ] {
        assert_eq!(inline_constant(code), f(expected), "code {code}");
    }
    for code in 0..128u32 {
        let (e, m) = ((code >> 3) as i32, f64::from(code & 7));
        let value = if e == 0 { m / 512.0 } else { (1.0 + m / 8.0) * 2f64.powi(e - 7) };
        assert_eq!(inline_constant(code), f(value as f32), "code {code}");
        assert_eq!(inline_constant(code | 0x80), inline_constant(code));
    }
}

#[test]
fn texel_indices() {
    for (coordinate, expected) in [
        (f(0.0), 0),
        (MINUS_ZERO, 0),
        (0x8000_0001, 0),
        (0x8080_0000, -1),
        (f(0.999), 0),
        (f(1.0), 1),
        (f(-0.5), -1),
        (f(-1.0), -1),
        (f(-1.000_001), -2),
        (f(3.5), 3),
        (0x4aff_ffff, 8_388_607),
        (0xcaff_ffff, -8_388_608),
        (f(16_777_218.0), 16_777_218),
        (f(2_147_483_520.0), 2_147_483_520),
        (f(2_147_483_648.0), i32::MAX),
        (f(-2_147_483_648.0), i32::MIN),
        (f(-3e9), i32::MIN),
        (0x7f80_0000, i32::MAX),
        (0xff80_0000, i32::MIN),
        (NAN, 0),
        (0x7f80_0001, 0),
    ] {
        assert_eq!(texel_index(coordinate), expected, "0x{coordinate:08x}");
    }
    let mut random = Random::new(0x7e7e1);
    for _ in 0..1 << 18 {
        let x = random.operand();
        let expected = flushed_value(x).floor() as i32;
        assert_eq!(texel_index(x), expected, "0x{x:08x}");
    }
}

#[test]
fn fixed_point_reads_are_correctly_rounded() {
    for (range, read) in [(255u64, from_unorm8 as fn(u32) -> u32), (65535, from_unorm16)] {
        assert_eq!(read(0), 0);
        for value in 1..=range {
            // value / range with 24 bits: 2^23 <= value * 2^shift / range < 2^24.
            let mut shift = 0;
            while (value << shift) < range << 23 {
                shift += 1;
            }
            let (quotient, rest) = ((value << shift) / range, (value << shift) % range);
            // A tie is impossible: range is odd.
            let units = quotient + u64::from(2 * rest > range);
            let expected = units as f64 / 2f64.powi(shift);
            let got = f64::from(f32::from_bits(read(value as u32)));
            assert_eq!(got, expected, "{value} / {range}");
        }
    }
}

#[test]
fn fixed_point_writes_undo_reads() {
    for value in 0..256 {
        assert_eq!(unorm8(from_unorm8(value)), value);
    }
    for value in 0..65536 {
        assert_eq!(unorm16(from_unorm16(value)), value);
    }
}

#[test]
fn fixed_point_writes_round_twice() {
    for (x, byte, word) in [
        (NAN, 0, 0),
        (f(-1.0), 0, 0),
        (MINUS_ZERO, 0, 0),
        (0x0000_0001, 0, 0),
        (f(2.0), 255, 65535),
        (0x7f80_0000, 255, 65535),
        (0xff80_0000, 0, 0),
        // Ties go to even: 127.5 and 32767.5.
        (f(0.5), 128, 32768),
        // 0.1 * 255 is 25.5 only after the first rounding.
        (f(0.1), 26, 6554),
        (0x3f7f_ffff, 255, 65535),
    ] {
        assert_eq!(unorm8(x), byte, "unorm8(0x{x:08x})");
        assert_eq!(unorm16(x), word, "unorm16(0x{x:08x})");
    }
    let mut random = Random::new(0x0420);
    for _ in 0..1 << 19 {
        // 2^-22 and above, mostly below 1.
        let bits = random.bits();
        let x = (bits & FRACTION) | ((105 + (bits >> 23) % 23) << 23);
        let clamped = flushed_value(x).clamp(0.0, 1.0);
        for (range, got) in [(255.0, unorm8(x)), (65535.0, unorm16(x))] {
            let once = flushed_value(round(clamped * range));
            assert_eq!(f64::from(got), once.round_ties_even(), "0x{x:08x} * {range}");
        }
    }
}
