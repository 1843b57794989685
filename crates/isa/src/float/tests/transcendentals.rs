//! The transcendentals against the float model's table. `examples/float_bounds.rs` does the same
//! for all 2^32 arguments.

use super::judge::{Op, Verdict, judge};
use super::*;

fn apply(op: Op, argument: u32) -> u32 {
    match op {
        Op::Ex2 => ex2(argument),
        Op::Ln2 => ln2(argument),
        Op::Rcp => rcp(argument),
        Op::Rsq => rsq(argument),
        Op::Sin => sin(argument),
        Op::Cos => cos(argument),
    }
}

fn check(op: Op, argument: u32) {
    let result = apply(op, argument);
    let verdict = judge(op, argument, result);
    assert!(
        verdict.allowed(op),
        "{} of 0x{argument:08x} is 0x{result:08x}: {verdict:?}, bound {:e} {}",
        op.name(),
        op.bound(),
        op.unit()
    );
}

/// 2^20 arguments: half of them arbitrary, half of them in the function's interesting range.
fn sample(op: Op, seed: u64) {
    let mut random = Random::new(seed);
    for round in 0..1 << 20 {
        let bits = random.bits();
        let argument = match op {
            _ if round % 2 == 0 => bits,
            Op::Ex2 => (bits as i32 as f32 * (130.0 / 2_147_483_648.0)).to_bits(),
            // Four octaves around 1.
            Op::Ln2 | Op::Rcp | Op::Rsq => (bits & FRACTION) | ((125 + (bits >> 23) % 4) << 23),
            // 2^-8 to 2^8 turns.
            Op::Sin | Op::Cos => (bits & (SIGN | FRACTION)) | ((119 + (bits >> 23) % 16) << 23),
        };
        check(op, argument);
    }
}

#[test]
fn ex2_sample() {
    sample(Op::Ex2, 0xe20);
}

#[test]
fn ln2_sample() {
    sample(Op::Ln2, 0x1062);
}

#[test]
fn rcp_sample() {
    sample(Op::Rcp, 0x12c9);
}

#[test]
fn rsq_sample() {
    sample(Op::Rsq, 0x1259);
}

#[test]
fn sin_sample() {
    sample(Op::Sin, 0x5172);
}

#[test]
fn cos_sample() {
    sample(Op::Cos, 0xc05);
}

#[test]
fn neighbourhoods_of_powers_integers_and_quarters() {
    let mut arguments = SPECIAL.to_vec();
    for exponent in 0..256u32 {
        for fraction in [0, 1, 2, FRACTION - 1, FRACTION, 0x0035_04f2, 0x0035_04f3, 0x0035_04f4] {
            arguments.push(exponent << 23 | fraction);
        }
    }
    for quarter in 0..1200u32 {
        let bits = f(quarter as f32 * 0.25);
        arguments.extend([bits.wrapping_sub(1) & !SIGN, bits, bits + 1]);
    }
    for argument in arguments {
        for op in Op::ALL {
            check(op, argument);
            check(op, argument | SIGN);
        }
    }
}

/// RCP depends only on the fraction, apart from the exponent that it inserts.
#[test]
fn rcp_is_correctly_rounded() {
    for fraction in 0..=FRACTION {
        let argument = ONE | fraction;
        let wanted = f32::from_bits(argument).recip().to_bits();
        assert_eq!(rcp(argument), wanted, "rcp(0x{argument:08x})");
    }
}

/// RSQ depends only on the fraction and on the lowest bit of the exponent, apart from the exponent that it
/// inserts. No half-way point between two numbers is an exact result.
#[test]
fn rsq_is_correctly_rounded() {
    for argument in ONE..ONE + (1 << 24) {
        // A = significand / 2^23, and the result is root / 2^24.
        let significand = u128::from((argument & FRACTION) | SMALLEST) << ((argument - ONE) >> 23);
        let result = rsq(argument);
        let root = (f32::from_bits(result) * 16_777_216.0) as u128;
        let square = |twice: u128| twice * twice * significand;
        let nearest = square(2 * root - 1) < 1 << 73 && square(2 * root + 1) > 1 << 73;
        assert!(nearest && (HALF..=ONE).contains(&result), "rsq(0x{argument:08x})");
    }
}

#[test]
fn special_rows_of_the_table() {
    const INF: u32 = 0x7f80_0000;
    const MINUS_INF: u32 = 0xff80_0000;
    const MINUS_ZERO: u32 = 0x8000_0000;
    let rows: &[(Op, u32, u32)] = &[
        (Op::Rcp, 0, INF),
        (Op::Rcp, MINUS_ZERO, MINUS_INF),
        (Op::Rcp, 0x807f_ffff, MINUS_INF),
        (Op::Rcp, INF, 0),
        (Op::Rcp, MINUS_INF, MINUS_ZERO),
        (Op::Rcp, f(f32::MAX), 0),
        (Op::Rcp, 0xfe80_0001, MINUS_ZERO),
        (Op::Rcp, 0x7e80_0000, 0x0080_0000),
        (Op::Rcp, 0x0080_0000, 0x7e80_0000),
        (Op::Rsq, 0, INF),
        (Op::Rsq, MINUS_ZERO, MINUS_INF),
        (Op::Rsq, 0x0000_0001, INF),
        (Op::Rsq, 0x8000_0001, MINUS_INF),
        (Op::Rsq, f(-1.0), CANONICAL_NAN),
        (Op::Rsq, MINUS_INF, CANONICAL_NAN),
        (Op::Rsq, INF, 0),
        (Op::Rsq, 0x0080_0000, 0x5f00_0000),
        (Op::Ex2, INF, INF),
        (Op::Ex2, MINUS_INF, 0),
        (Op::Ex2, f(128.0), INF),
        (Op::Ex2, f(127.0), 0x7f00_0000),
        (Op::Ex2, f(-126.0), 0x0080_0000),
        (Op::Ex2, f(-127.0), 0),
        (Op::Ex2, 0xc2fc_0001, 0),
        (Op::Ex2, MINUS_ZERO, 0x3f80_0000),
        (Op::Ex2, 0x8000_0001, 0x3f80_0000),
        (Op::Ex2, f(f32::MAX), INF),
        (Op::Ex2, f(-f32::MAX), 0),
        (Op::Ln2, 0, MINUS_INF),
        (Op::Ln2, MINUS_ZERO, MINUS_INF),
        (Op::Ln2, 0x807f_ffff, MINUS_INF),
        (Op::Ln2, f(-1.0), CANONICAL_NAN),
        (Op::Ln2, MINUS_INF, CANONICAL_NAN),
        (Op::Ln2, INF, INF),
        (Op::Ln2, f(1.0), 0),
        (Op::Ln2, 0x0080_0000, f(-126.0)),
        (Op::Sin, INF, CANONICAL_NAN),
        (Op::Sin, MINUS_INF, CANONICAL_NAN),
        (Op::Sin, MINUS_ZERO, 0),
        (Op::Sin, 0x8000_0001, 0),
        (Op::Sin, f(-0.5), 0),
        (Op::Sin, f(-8.0), 0),
        (Op::Sin, f(0.25), f(1.0)),
        (Op::Sin, f(-0.25), f(-1.0)),
        (Op::Sin, f(0.75), f(-1.0)),
        (Op::Sin, f(-100.75), f(1.0)),
        (Op::Sin, f(f32::MAX), 0),
        (Op::Sin, f(-f32::MAX), 0),
        // The largest fractions of a turn: 2^22 + 1/2, 2^21 + 3/4.
        (Op::Sin, f(4_194_304.5), 0),
        (Op::Sin, 0x4a00_0003, f(-1.0)),
        (Op::Cos, INF, CANONICAL_NAN),
        (Op::Cos, MINUS_INF, CANONICAL_NAN),
        (Op::Cos, 0, f(1.0)),
        (Op::Cos, 0x8000_0001, f(1.0)),
        (Op::Cos, f(0.25), 0),
        (Op::Cos, f(-0.75), 0),
        (Op::Cos, f(0.5), f(-1.0)),
        (Op::Cos, f(4_194_304.5), f(-1.0)),
        (Op::Cos, f(8_388_607.5), f(-1.0)),
        (Op::Cos, f(-f32::MAX), f(1.0)),
    ];
    for &(op, argument, wanted) in rows {
        let got = apply(op, argument);
        assert_eq!(got, wanted, "{} of 0x{argument:08x} is 0x{got:08x}", op.name());
    }
    for op in Op::ALL {
        for nan in [0x7f80_0001, 0xffff_ffff, 0x7fc0_0000, CANONICAL_NAN] {
            assert_eq!(apply(op, nan), CANONICAL_NAN, "{}", op.name());
        }
    }
}

#[test]
fn sine_and_cosine_keep_their_symmetries() {
    let mut random = Random::new(0x5e77);
    for _ in 0..1 << 16 {
        let a = random.operand();
        let (s, c) = (sin(a), cos(a));
        if s & !SIGN != 0 && !is_nan(s) {
            assert_eq!(sin(neg(a)), neg(s), "0x{a:08x}");
        }
        assert_eq!(cos(neg(a)), c, "0x{a:08x}");
    }
}

/// Other engines repeat these functions bit for bit, so a change of any bit must be intended.
#[test]
fn bits_stay_as_they_are() {
    let digest = |op: Op| {
        let mut random = Random::new(0xb175);
        (0..1 << 16).fold(0x811c_9dc5u32, |hash, round| {
            let bits = random.bits();
            let near = (bits & (SIGN | FRACTION)) | ((119 + (bits >> 23) % 16) << 23);
            let argument = if round % 2 == 0 { bits } else { near };
            (hash ^ apply(op, argument)).wrapping_mul(0x0100_0193)
        })
    };
    assert_eq!(
        Op::ALL.map(digest),
        [0x2f94_bb77, 0x3e34_a269, 0x8e15_39ea, 0xa37d_84d5, 0xe1b8_2354, 0x0cd7_6c3e],
        "EX2, LN2, RCP, RSQ, SIN, COS"
    );
}

#[test]
fn the_judge_refuses_wrong_results() {
    let third = f(1.0 / 3.0);
    assert_eq!(judge(Op::Rcp, f(4.0), f(0.25)), Verdict::Exact);
    assert!(judge(Op::Rcp, f(3.0), third).allowed(Op::Rcp));
    assert!(!judge(Op::Rcp, f(3.0), third + 2).allowed(Op::Rcp));
    assert!(!judge(Op::Rcp, f(3.0), neg(third)).allowed(Op::Rcp));
    assert!(!judge(Op::Rcp, f(4.0), f(0.25) + 1).allowed(Op::Rcp));
    assert!(!judge(Op::Rcp, f(-f32::MAX), 0).allowed(Op::Rcp));
    assert!(!judge(Op::Rcp, f(3.0), INFINITY).allowed(Op::Rcp));
    assert!(!judge(Op::Rcp, f(3.0), 0).allowed(Op::Rcp));
    assert!(!judge(Op::Rcp, 0x7e7f_ffff, 0x0070_0000).allowed(Op::Rcp));
    assert!(!judge(Op::Rsq, f(2.0), f(0.5f32.sqrt()) + 2).allowed(Op::Rsq));
    assert!(!judge(Op::Rsq, f(16.0), f(0.25) - 1).allowed(Op::Rsq));
    assert!(!judge(Op::Ex2, f(0.5), f(2f32.sqrt()) + 4).allowed(Op::Ex2));
    assert!(!judge(Op::Ex2, f(-200.0), 0x0080_0000).allowed(Op::Ex2));
    assert!(!judge(Op::Ln2, f(3.0), f(3f32.log2()) + 4).allowed(Op::Ln2));
    assert!(!judge(Op::Ln2, f(8.0), f(3.0) - 1).allowed(Op::Ln2));
    assert!(!judge(Op::Sin, f(0.125), f(0.5f32.sqrt()) + 10).allowed(Op::Sin));
    assert!(!judge(Op::Sin, f(-0.5), SIGN).allowed(Op::Sin));
    assert!(!judge(Op::Cos, f(0.125), f(0.5f32.sqrt()) - 10).allowed(Op::Cos));
    assert!(!judge(Op::Cos, f(1.0 / 16384.0), f(1.0) + 1).allowed(Op::Cos));
    assert!(!judge(Op::Sin, 0x7fc0_0000, 0x7fc0_0000).allowed(Op::Sin));
}
