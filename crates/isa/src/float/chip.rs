//! The mode `chip`: the same functions with the products and sums of a real card, as far as they are
//! known (`docs/float.md`).
//!
//! A product is exact, and a sum is one sum of products: its terms are truncated to 25 places below
//! the top of the largest term, added, and truncated to 24 bits. MAD is such a sum of two terms, an
//! addition one of two products with 1. All other functions are those of the mode `exact`.
//!
//! The functions compute in binary64, and every step is exact there: a product of two binary32
//! numbers has 48 bits, a truncated term 25, a sum of four 27.

use super::floor;

pub use super::*;

const TWO: u32 = 0x4000_0000;

/// A term of a sum: A * B, exact, of flushed operands. `zero_times` as in [`super::mul`].
#[inline(always)]
pub fn term(a: u32, b: u32, zero_times: bool) -> f64 {
    let product = f64::from(f32::from_bits(a)) * f64::from(f32::from_bits(b));
    let zero = a & !SIGN == 0 || b & !SIGN == 0;
    if zero_times && zero && product.is_nan() { 0.0 } else { product }
}

/// A term of a sum: A * B, exact.
#[inline(always)]
fn product(a: u32, b: u32, zero_times: bool) -> f64 {
    term(ftz(a), ftz(b), zero_times)
}

/// A term of a sum: A * 1.
#[inline(always)]
fn value(a: u32) -> f64 {
    f64::from(f32::from_bits(ftz(a)))
}

/// The sum of terms.
#[inline(always)]
pub fn total<const N: usize>(terms: [f64; N]) -> u32 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    // No term but 0 is smaller than 2^-252.
    const LEAST: f64 = f64::from_bits(0x2000_0000_0000_0000);
    // The bits of 2^(24 - T) are this less those of 2^T.
    const SCALE: u64 = (2 * 1023 + 24) << 52;
    // The bits of 2^T less these are of a number a little below 2^(T - 24): 24 bits times it round to
    // what they are times 2^(T - 24). Only the number next to 2^-126 would else round up to it.
    const PLACES: u64 = (24 << 52) + 2;
    // 2^T: the terms keep multiples of a unit of 2^(T - 24).
    let mut power = LEAST;
    for term in terms {
        let own = f64::from_bits(term.to_bits() & EXPONENT);
        power = if own > power { own } else { power };
    }
    let (scale, unit) = (SCALE - power.to_bits(), power.to_bits() - PLACES);
    let (scale, unit) = (f64::from_bits(scale), f64::from_bits(unit));
    // Infinities and NaNs, and the signs of zeros, come out as binary64 has them.
    let mut sum = -0.0;
    for term in terms {
        sum += (term * scale).trunc();
    }
    let sum = f64::from_bits(sum.to_bits() & !0x1fff_ffff);
    let result = (sum * unit) as f32;
    if result.is_nan() { CANONICAL_NAN } else { ftz(result.to_bits()) }
}

/// A * B, truncated.
#[inline(always)]
pub fn mul(a: u32, b: u32, zero_times: bool) -> u32 {
    total([product(a, b, zero_times)])
}

/// A + B.
#[inline(always)]
pub fn add(a: u32, b: u32) -> u32 {
    total([value(a), value(b)])
}

/// A * B + C: one sum of two terms.
#[inline(always)]
pub fn mad(a: u32, b: u32, c: u32, zero_times: bool) -> u32 {
    total([product(a, b, zero_times), value(c)])
}

/// The sum of terms that are numbers.
#[inline(always)]
pub fn sum<const N: usize>(terms: &[u32; N]) -> u32 {
    total(terms.map(value))
}

/// The sum of products.
#[inline(always)]
fn dot<const N: usize>(a: [u32; N], b: [u32; N], zero_times: bool) -> u32 {
    total(std::array::from_fn::<_, N, _>(|i| product(a[i], b[i], zero_times)))
}

/// DP3: one sum of three products.
#[inline(always)]
pub fn dp3(a: [u32; 3], b: [u32; 3], zero_times: bool) -> u32 {
    dot(a, b, zero_times)
}

/// DP4: one sum of four products.
#[inline(always)]
pub fn dp4(a: [u32; 4], b: [u32; 4], zero_times: bool) -> u32 {
    dot(a, b, zero_times)
}

/// D2A: one sum of two products and `c`.
#[inline(always)]
pub fn d2a(a: [u32; 2], b: [u32; 2], c: u32, zero_times: bool) -> u32 {
    // 1 is not 0, so the product with 1 is `c` in either case.
    dot([a[0], a[1], c], [b[0], b[1], ONE], zero_times)
}

/// Presubtract BIAS: 1 - 2 * src0, with the exact product.
#[inline(always)]
pub fn presub_bias(src0: u32) -> u32 {
    mad(neg(TWO), src0, ONE, false)
}

/// Presubtract SUB: src1 - src0.
#[inline(always)]
pub fn presub_sub(src0: u32, src1: u32) -> u32 {
    add(src1, neg(src0))
}

/// Presubtract ADD: src1 + src0.
#[inline(always)]
pub fn presub_add(src0: u32, src1: u32) -> u32 {
    add(src1, src0)
}

/// Presubtract INV: 1 - src0.
#[inline(always)]
pub fn presub_inv(src0: u32) -> u32 {
    add(ONE, neg(src0))
}

/// FRC: A - floor(A).
#[inline(always)]
pub fn frc(a: u32) -> u32 {
    let a = ftz(a);
    let x = f32::from_bits(a);
    if x.is_finite() { add(a, neg(floor(x).to_bits())) } else { CANONICAL_NAN }
}
