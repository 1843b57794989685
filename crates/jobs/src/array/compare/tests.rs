use super::*;

fn floats(shape: &[usize], values: &[f32]) -> Array {
    Array {
        dtype: Dtype::Float32,
        shape: shape.to_vec(),
        units: values.iter().map(|v| v.to_bits()).collect(),
    }
}

fn tolerance(rtol: f64, atol: f64) -> Tolerance {
    Tolerance { rtol, atol, ..Tolerance::default() }
}

const BITS: Tolerance = Tolerance { rtol: 0.0, atol: 0.0, ulps: 0, max_bad: 0.0, bits: true };

#[test]
fn one_wrong_bit_is_found_wherever_it_is() {
    let want = Array {
        dtype: Dtype::Float32,
        shape: vec![3, 5, 4],
        units: (0..60).map(|n| (n as f32 + 0.25).to_bits()).collect(),
    };
    assert!(compare(&want, &want, &BITS).unwrap().passed);
    for at in 0..60 {
        for bit in 0..32 {
            let mut got = want.clone();
            got.units[at] ^= 1 << bit;
            for tolerance in [BITS, Tolerance::default()] {
                let result = compare(&got, &want, &tolerance).unwrap();
                assert!(!result.passed, "value {at}, bit {bit}");
                assert_eq!((result.values, result.differing), (60, 1));
                let first = result.first.unwrap();
                assert_eq!(first.index, [at / 20, at / 4 % 5, at % 4]);
                assert_eq!(first.got ^ first.want, 1 << bit);
            }
        }
    }
}

#[test]
fn the_message_says_how_many_which_first_and_how_bad() {
    let want = floats(&[2, 2, 2], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]);
    let mut got = want.clone();
    got.units[5] = 5.5f32.to_bits();
    got.units[6] = 8.0f32.to_bits();
    let result = compare(&got, &want, &Tolerance::default()).unwrap();
    assert_eq!(
        result.to_string(),
        "2 of 8 values differ (25.00%), first at point (0, 1) channel c1: got 5.5 (0x40b00000), \
         want 5.0 (0x40a00000); worst error 2 (4194304 ULP)"
    );
    assert_eq!(compare(&want, &want, &BITS).unwrap().to_string(), "all 8 values equal");
    let got = Array { dtype: Dtype::Uint8, shape: vec![1, 2], units: vec![7, 200] };
    let mut want = got.clone();
    want.units[1] = 10;
    assert_eq!(
        compare(&got, &want, &BITS).unwrap().to_string(),
        "1 of 2 values differ (50.00%), first at point (1, 0): got 200 (0xc8), want 10 (0x0a); \
         worst error 190"
    );
}

#[test]
fn numbers_have_three_digits() {
    let numbers = [0.0, 255.0, -0.003_891_05, 6.103_609e-5, 123_456.0, 2e30, f64::NEG_INFINITY];
    let texts = ["0", "255", "-0.00389", "6.1e-5", "123000", "2e30", "-inf"];
    assert_eq!(numbers.map(three_digits), texts);
}

#[test]
fn tolerances_are_relative_to_what_is_wanted_and_inclusive() {
    let ok = |got: f32, want: f32, rtol, atol| {
        let (got, want) = (floats(&[1, 1], &[got]), floats(&[1, 1], &[want]));
        compare(&got, &want, &tolerance(rtol, atol)).unwrap().passed
    };
    assert!(ok(1.5, 1.0, 0.0, 0.5));
    assert!(!ok(1.5, 1.0, 0.0, 0.499_999_999));
    assert!(ok(2.0, 4.0, 0.5, 0.0));
    assert!(!ok(4.0, 2.0, 0.5, 0.0), "half of 2 is 1, not 2");
    assert!(ok(3.5, 2.0, 0.5, 0.5));
    // In binary64, one ulp of binary32 is distinguishable from the next tolerance.
    let next = f32::from_bits(1.0f32.to_bits() + 1);
    assert!(ok(next, 1.0, 0.0, 1.1920928955078125e-7));
    assert!(!ok(next, 1.0, 0.0, 1.1920928955078124e-7));
    assert!(ok(-0.0, 0.0, 0.0, 0.0));
}

#[test]
fn nan_and_infinity_follow_their_own_rules() {
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let ok = |got: f32, want: f32| {
        let (got, want) = (floats(&[1, 1], &[got]), floats(&[1, 1], &[want]));
        compare(&got, &want, &tolerance(1e9, 1e9)).unwrap()
    };
    assert!(ok(nan, -nan).passed);
    assert!(ok(inf, inf).passed);
    for (got, want) in
        [(nan, 1.0), (1.0, nan), (inf, 1.0), (1.0, inf), (inf, -inf), (nan, inf), (inf, nan)]
    {
        let result = ok(got, want);
        assert!(!result.passed, "{got} against {want}");
        assert_eq!(result.worst, f64::INFINITY);
    }
    let bits = |got: u32, want: u32| {
        let array = |unit| Array { dtype: Dtype::Float32, shape: vec![1, 1], units: vec![unit] };
        compare(&array(got), &array(want), &BITS).unwrap()
    };
    assert!(bits(0x7fc0_0001, 0x7fc0_0001).passed);
    assert!(!bits(0x7fc0_0001, 0x7fc0_0002).passed);
    assert!(!bits(0x8000_0000, 0).passed);
    assert_eq!(bits(0x8000_0000, 0).worst, 0.0);
}

#[test]
fn ulps_count_representable_numbers() {
    let one = 1.0f32.to_bits();
    assert_eq!(ulps(one, one + 3), Some(3));
    assert_eq!(ulps(one + 3, one), Some(3));
    // Across zero every denormal counts, and both zeros are one number.
    assert_eq!(ulps(2, 0x8000_0003), Some(5));
    assert_eq!(ulps(0, 0x8000_0000), Some(0));
    let most = f32::MAX.to_bits();
    assert_eq!(ulps(most, most | 0x8000_0000), Some(2 * most));
    for other in [f32::INFINITY, f32::NAN] {
        assert_eq!(ulps(most, other.to_bits()), None);
    }
    let ok = |got: u32, want: u32, allowed| {
        let array = |unit| Array { dtype: Dtype::Float32, shape: vec![1, 1], units: vec![unit] };
        let tolerance = Tolerance { ulps: allowed, ..Tolerance::default() };
        compare(&array(got), &array(want), &tolerance).unwrap()
    };
    assert!(ok(one, one + 3, 3).passed);
    assert!(!ok(one, one + 3, 2).passed);
    assert_eq!(ok(one, one + 3, 0).worst_ulps, Some(3));
    assert!(!ok(most, most + 1, u32::MAX).passed, "an infinity is no number");
    let integers = |unit| Array { dtype: Dtype::Uint8, shape: vec![1, 1], units: vec![unit] };
    let tolerance = Tolerance { ulps: 9, ..Tolerance::default() };
    let result = compare(&integers(1), &integers(2), &tolerance).unwrap();
    assert!(!result.passed);
    assert_eq!(result.worst_ulps, None);
}

#[test]
fn max_bad_is_a_fraction_of_all_values() {
    let want = floats(&[1, 4], &[0.0; 4]);
    let got = floats(&[1, 4], &[0.0, 1.0, 0.0, 0.0]);
    let at = |max_bad| {
        let tolerance = Tolerance { max_bad, ..Tolerance::default() };
        compare(&got, &want, &tolerance).unwrap()
    };
    assert!(at(0.25).passed);
    assert!(!at(0.249).passed);
    assert_eq!(at(0.25).differing, 1);
}

#[test]
fn integers_are_compared_in_stored_units() {
    let array = |unit| Array { dtype: Dtype::Uint16, shape: vec![1, 1], units: vec![unit] };
    let with = |atol| compare(&array(1000), &array(1002), &tolerance(0.0, atol)).unwrap();
    assert!(with(2.0).passed);
    assert!(!with(1.0).passed);
    assert_eq!(with(1.0).worst, 2.0);
}

#[test]
fn only_like_arrays_are_compared() {
    let a = floats(&[2, 2], &[0.0; 4]);
    let b = floats(&[2, 2, 1], &[0.0; 4]);
    assert!(compare(&a, &b, &BITS).unwrap().passed);
    let c = floats(&[4, 1], &[0.0; 4]);
    assert_eq!(
        compare(&a, &c, &BITS).unwrap_err().to_string(),
        "found float32 (2, 2), needed float32 (4, 1)"
    );
    let d = Array { dtype: Dtype::Uint8, ..a.clone() };
    assert_eq!(
        compare(&a, &d, &BITS).unwrap_err().to_string(),
        "found float32 (2, 2), needed uint8 (2, 2)"
    );
}
