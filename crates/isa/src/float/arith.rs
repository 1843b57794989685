//! Products, sums, the aligned adder of the dot products, FRC, output modifiers and the clamp.

use super::{
    CANONICAL_NAN, EXPONENT, FACTORS, FRACTION, INFINITY, ONE, SIGN, SMALLEST, ftz, is_nan, neg,
    rounded,
};

/// A * B: NaN for a NaN operand or 0 * Inf, otherwise the product rounded to nearest even and
/// flushed.
///
/// `zero_times` is US_CONFIG.ZERO_TIMES_ANYTHING_EQUALS_ZERO. If it is set, a zero operand (after
/// the flush) gives a zero, even with NaN or Inf. The sign of that zero is the exclusive or of the
/// operands' signs if the other operand is finite, and + otherwise `[A]`.
#[inline(always)]
pub fn mul(a: u32, b: u32, zero_times: bool) -> u32 {
    let a = ftz(a);
    let b = ftz(b);
    let product = rounded(f32::from_bits(a) * f32::from_bits(b));
    let (a_size, b_size) = (a & !SIGN, b & !SIGN);
    if zero_times && (a_size == 0 || b_size == 0) {
        let finite = a_size < INFINITY && b_size < INFINITY;
        if finite { (a ^ b) & SIGN } else { 0 }
    } else {
        product
    }
}

/// A + B, rounded to nearest even and flushed. -0.0 results only from two negative inputs [G 41].
#[inline(always)]
pub fn add(a: u32, b: u32) -> u32 {
    rounded(f32::from_bits(ftz(a)) + f32::from_bits(ftz(b)))
}

/// A * B + C with two roundings, never contracted [G 41].
#[inline(always)]
pub fn mad(a: u32, b: u32, c: u32, zero_times: bool) -> u32 {
    add(mul(a, b, zero_times), c)
}

/// Presubtract BIAS: 1 - 2 * src0 [G 26].
#[inline(always)]
pub fn presub_bias(src0: u32) -> u32 {
    const TWO: u32 = 0x4000_0000;
    add(ONE, neg(mul(TWO, src0, false)))
}

/// Presubtract SUB: src1 - src0 [G 26].
#[inline(always)]
pub fn presub_sub(src0: u32, src1: u32) -> u32 {
    add(src1, neg(src0))
}

/// Presubtract ADD: src1 + src0 [G 26].
#[inline(always)]
pub fn presub_add(src0: u32, src1: u32) -> u32 {
    add(src1, src0)
}

/// Presubtract INV: 1 - src0 [G 26].
#[inline(always)]
pub fn presub_inv(src0: u32) -> u32 {
    add(ONE, neg(src0))
}

/// The aligned adder of the dot products: one fused sum of at most 32 terms.
///
/// Each significand, with one guard bit, is shifted to the largest exponent and truncated. The
/// integers are added, and the sum is rounded once. So a term 25 or more binary places below the
/// largest vanishes, and the sum is +0.0 if the others cancel [G 42]. The terms are products made
/// by [`mul`], or C.b of D2A. Denormals are flushed.
#[inline(always)]
pub fn sum(terms: &[u32]) -> u32 {
    let mut nan = false;
    let mut plus_infinity = false;
    let mut minus_infinity = false;
    let mut all_minus_zero = true;
    let mut largest = 0;
    for &term in terms {
        let term = ftz(term);
        nan |= is_nan(term);
        plus_infinity |= term == INFINITY;
        minus_infinity |= term == INFINITY | SIGN;
        all_minus_zero &= term == SIGN;
        largest = largest.max((term & EXPONENT) >> 23);
    }
    let mut total: i32 = 0;
    for &term in terms {
        let exponent = (term & EXPONENT) >> 23;
        let significand = if exponent == 0 { 0 } else { ((term & FRACTION) | SMALLEST) << 1 };
        // Beyond 25 places nothing is left; the limit 31 keeps the shift defined.
        let aligned = (significand >> (largest - exponent).min(31)) as i32;
        total = total.wrapping_add(if term & SIGN != 0 { -aligned } else { aligned });
    }
    let finite = scale(total, largest);
    if nan || (plus_infinity && minus_infinity) {
        CANONICAL_NAN
    } else if plus_infinity {
        INFINITY
    } else if minus_infinity {
        INFINITY | SIGN
    } else if all_minus_zero {
        SIGN
    } else {
        finite
    }
}

/// `total` * 2^(exponent - 127 - 24), rounded to nearest even and flushed; a zero total gives +0.
///
/// `exponent` is a biased exponent, 0 only with a zero total.
#[inline(always)]
fn scale(total: i32, exponent: u32) -> u32 {
    // The conversion is the one rounding; the rest is exact exponent arithmetic.
    let rounded = (total as f32).to_bits();
    let sign = rounded & SIGN;
    let magnitude = rounded & !SIGN;
    let field = (magnitude >> 23) as i32 + exponent as i32 - 151;
    // (2^24 - 1) * 2^-150 is the one subnormal that rounds up to a normal number.
    let border = exponent == 1 && magnitude == 0x4b7f_ffff;
    if total == 0 {
        0
    } else if border {
        sign | SMALLEST
    } else if field <= 0 {
        sign
    } else if field >= 255 {
        sign | INFINITY
    } else {
        sign | ((field as u32) << 23) | (magnitude & FRACTION)
    }
}

/// DP3: the fused sum of three products [G 28, 42].
#[inline(always)]
pub fn dp3(a: [u32; 3], b: [u32; 3], zero_times: bool) -> u32 {
    sum(&std::array::from_fn::<_, 3, _>(|i| mul(a[i], b[i], zero_times)))
}

/// DP4: the fused sum of four products [G 28, 42].
#[inline(always)]
pub fn dp4(a: [u32; 4], b: [u32; 4], zero_times: bool) -> u32 {
    sum(&std::array::from_fn::<_, 4, _>(|i| mul(a[i], b[i], zero_times)))
}

/// D2A: the fused sum of two products and `c` (C.b) [G 28, 42].
#[inline(always)]
pub fn d2a(a: [u32; 2], b: [u32; 2], c: u32, zero_times: bool) -> u32 {
    sum(&[mul(a[0], b[0], zero_times), mul(a[1], b[1], zero_times), ftz(c)])
}

/// FRC: A - floor(A) [G 28]; +0 for -0, 1.0 for a tiny negative A, NaN for NaN and the infinities.
#[inline(always)]
pub fn frc(a: u32) -> u32 {
    let a = ftz(a);
    if a & EXPONENT == EXPONENT {
        CANONICAL_NAN
    } else {
        let x = f32::from_bits(a);
        add(a, neg(floor(x).to_bits()))
    }
}

/// floor of a finite number, without a call into the host's library.
#[inline(always)]
pub(super) fn floor(x: f32) -> f32 {
    const TWO_23: f32 = 8_388_608.0;
    let magnitude = x.abs();
    let nearest = f32::from_bits(magnitude.to_bits()).min(TWO_23) + TWO_23 - TWO_23;
    let signed = nearest.copysign(x);
    let down = if signed > x { signed - 1.0 } else { signed };
    // From 2^23 on every number is an integer.
    if magnitude < TWO_23 { down } else { x }
}

/// The output modifier `code`. 0..=6 multiply by 1, 2, 4, 8, 1/2, 1/4, 1/8, turn NaN into
/// 0x7fffffff and flush [G 29]. 7 (DISABLED) leaves the bits unchanged. Higher bits are ignored.
#[inline(always)]
pub fn omod(x: u32, code: u32) -> u32 {
    let code = code & 7;
    if code == 7 { x } else { rounded(f32::from_bits(ftz(x)) * FACTORS[code as usize]) }
}

/// The clamp to [0, 1], after the output modifier: NaN, -0 and everything below 0 give +0.
#[inline(always)]
pub fn clamp01(x: u32) -> u32 {
    // As a signed integer, a negative pattern is less than every positive one.
    let signed = ftz(x) as i32;
    if signed <= 0 || signed > INFINITY as i32 {
        0
    } else if signed > ONE as i32 {
        ONE
    } else {
        signed as u32
    }
}

/// The result after output modifier `code & 7` and, if `code & 8`, a clamp to 0 to 1.
#[inline(always)]
pub fn finish(x: u32, code: u32) -> u32 {
    let modified = omod(x, code);
    if code & 8 != 0 { clamp01(modified) } else { modified }
}
