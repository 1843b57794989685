//! The mode `fast`: functions that keep their exact meaning, and error bounds of the others.

use super::*;
use crate::float::fast;

/// A finite normal number with an exponent near 127.
fn near(random: &mut Random) -> u32 {
    let bits = random.bits();
    (bits & (SIGN | FRACTION)) | ((119 + (bits >> 23) % 16) << 23)
}

/// The distance of two numbers of the same sign, in last places.
fn places(a: u32, b: u32) -> u32 {
    a.abs_diff(b)
}

fn distance(a: u32, b: u32) -> f64 {
    (flushed_value(a) - flushed_value(b)).abs()
}

#[test]
fn choices_and_conversions_are_exact_for_normal_numbers() {
    let mut random = Random::new(0xfa57);
    for _ in 0..1 << 16 {
        let (a, b, c) = (near(&mut random), near(&mut random), near(&mut random));
        assert_eq!(fast::min(a, b), min(a, b));
        assert_eq!(fast::max(a, b), max(a, b));
        assert_eq!(fast::cnd(a, b, c), cnd(a, b, c));
        assert_eq!(fast::cmp(a, b, c), cmp(a, b, c));
        assert_eq!(fast::less(a, b), less(a, b));
        assert_eq!(fast::equal(a, a), equal(a, a));
        assert_eq!(fast::omod(a, 7), a);
        assert_eq!(fast::omod(a, 5), omod(a, 5));
        assert_eq!(fast::clamp01(a), clamp01(a));
        assert_eq!(fast::frc(a), frc(a));
        assert_eq!(fast::mul(a, b, false), mul(a, b, false));
        assert_eq!(fast::add(a, b), add(a, b));
        for code in 0..4 {
            assert_eq!(fast::compare(code, a), compare(code, a));
        }
    }
    // Of two zeros the result is the second, as in the mode exact.
    assert_eq!([fast::min(0, SIGN), fast::max(0, SIGN)], [SIGN, SIGN]);
    assert_eq!(fast::clamp01(0x7fc0_0000), 0);
    assert_eq!(fast::clamp01(SIGN), 0);
    for code in 0..4 {
        for x in [0, SIGN, INFINITY, 0xff80_0000, 0x7fc0_0000] {
            assert_eq!(fast::compare(code, x), compare(code, x));
        }
    }
    assert_eq!(fast::mul(SIGN, f(2.0), true), SIGN);
    assert_eq!(fast::mul(0, 0xff80_0000, true), 0);
    assert_eq!(fast::presub_bias(f(0.25)), f(0.5));
    assert_eq!(fast::presub_inv(f(0.25)), f(0.75));
    assert_eq!(fast::presub_sub(f(1.0), f(3.0)), f(2.0));
    assert_eq!(fast::presub_add(f(1.0), f(3.0)), f(4.0));
    assert_eq!(fast::sum(&[]), 0);
}

/// The bounds that docs/float.md promises.
#[test]
fn the_rest_is_within_its_documented_bounds() {
    let mut random = Random::new(0xfa58);
    for _ in 0..1 << 16 {
        let v: [u32; 8] = std::array::from_fn(|_| near(&mut random));
        let [a, b, c, d, e, g, h, i] = v;
        let product = |x: u32, y: u32| flushed_value(x) * flushed_value(y);
        let unit = 2f64.powi(-20);

        let largest = product(a, b).abs().max(flushed_value(c).abs());
        let error = distance(fast::mad(a, b, c, false), mad(a, b, c, false));
        assert!(error <= largest * 2f64.powi(-22), "MAD {v:08x?}");

        let terms = [product(a, e), product(b, g), product(c, h), product(d, i)];
        let largest = terms.iter().fold(0.0f64, |m, t| m.max(t.abs()));
        let error = distance(
            fast::dp4([a, b, c, d], [e, g, h, i], false),
            dp4([a, b, c, d], [e, g, h, i], false),
        );
        assert!(error <= largest * unit, "DP4 {v:08x?}");
        let largest = terms[..3].iter().fold(0.0f64, |m, t| m.max(t.abs()));
        let error =
            distance(fast::dp3([a, b, c], [e, g, h], false), dp3([a, b, c], [e, g, h], false));
        assert!(error <= largest * unit, "DP3 {v:08x?}");
        let largest = terms[0].abs().max(terms[1].abs()).max(flushed_value(c).abs());
        let error = distance(fast::d2a([a, b], [e, g], c, false), d2a([a, b], [e, g], c, false));
        assert!(error <= largest * unit, "D2A {v:08x?}");

        let positive = abs(a);
        assert!(places(fast::rcp(a), rcp(a)) <= 2, "RCP 0x{a:08x}");
        assert!(places(fast::rsq(positive), rsq(positive)) <= 2, "RSQ 0x{a:08x}");
        let (got, wanted) = (fast::ln2(positive), ln2(positive));
        let scale = flushed_value(wanted).abs().max(1.0);
        assert!(distance(got, wanted) <= 2f64.powi(-21) * scale, "LN2 0x{a:08x}");
        let exponent = f(random.bits() as i32 as f32 * (125.0 / 2_147_483_648.0));
        let (got, wanted) = (fast::ex2(exponent), ex2(exponent));
        let scale = flushed_value(wanted);
        assert!(distance(got, wanted) <= 2f64.powi(-21) * scale, "EX2 0x{exponent:08x}");
        assert!(distance(fast::sin(a), sin(a)) <= 2f64.powi(-20), "SIN 0x{a:08x}");
        assert!(distance(fast::cos(a), cos(a)) <= 2f64.powi(-20), "COS 0x{a:08x}");
    }
}
