//! The mode `fast`: the same functions on the host's native arithmetic.
//!
//! It trades X1K's deviations from IEEE 754 for throughput, and is never the default. Denormals are
//! the host's, NaN payloads are arbitrary, dot products are ordinary sums, and the transcendentals
//! are those of the host's library. So the last bits differ between hosts. Functions that choose an
//! argument, test or convert (MIN, MAX, CND, CMP, comparisons, memory formats, disabled output
//! modifiers) keep their exact meaning for finite normal values. `docs/float.md` has the measured
//! difference from the mode `exact`, operation by operation.

use super::{FACTORS, INFINITY, SIGN};

pub use super::{
    CANONICAL_NAN, abs, equal, from_unorm8, from_unorm16, ftz, inline_constant, is_nan, is_zero,
    modify, nab, neg, texel_index, unorm8, unorm16,
};

/// Applies a native function of one number.
#[inline]
fn unary(a: u32, f: impl Fn(f32) -> f32) -> u32 {
    f(f32::from_bits(a)).to_bits()
}

/// A * B. With `zero_times`, a zero operand gives +0 or -0 as in the mode `exact`.
#[inline]
pub fn mul(a: u32, b: u32, zero_times: bool) -> u32 {
    let product = (f32::from_bits(a) * f32::from_bits(b)).to_bits();
    if zero_times && ((a << 1) == 0 || (b << 1) == 0) {
        let finite = a & !SIGN < INFINITY && b & !SIGN < INFINITY;
        if finite { (a ^ b) & SIGN } else { 0 }
    } else {
        product
    }
}

/// A + B.
#[inline]
pub fn add(a: u32, b: u32) -> u32 {
    (f32::from_bits(a) + f32::from_bits(b)).to_bits()
}

/// A * B + C. Contraction is allowed, and used only if the build target has the instruction.
#[inline]
pub fn mad(a: u32, b: u32, c: u32, zero_times: bool) -> u32 {
    if cfg!(target_feature = "fma") && !zero_times {
        f32::from_bits(a).mul_add(f32::from_bits(b), f32::from_bits(c)).to_bits()
    } else {
        add(mul(a, b, zero_times), c)
    }
}

/// Presubtract BIAS: 1 - 2 * src0.
#[inline]
pub fn presub_bias(src0: u32) -> u32 {
    unary(src0, |x| 1.0 - 2.0 * x)
}

/// Presubtract SUB: src1 - src0.
#[inline]
pub fn presub_sub(src0: u32, src1: u32) -> u32 {
    add(src1, neg(src0))
}

/// Presubtract ADD: src1 + src0.
#[inline]
pub fn presub_add(src0: u32, src1: u32) -> u32 {
    add(src1, src0)
}

/// Presubtract INV: 1 - src0.
#[inline]
pub fn presub_inv(src0: u32) -> u32 {
    unary(src0, |x| 1.0 - x)
}

/// Adds the terms in order, from the first; the sum of no terms is +0.
#[inline]
pub fn sum(terms: &[u32]) -> u32 {
    match terms {
        [] => 0,
        [first, rest @ ..] => rest.iter().fold(*first, |total, &term| add(total, term)),
    }
}

/// DP3: the ordinary sum of three products.
#[inline]
pub fn dp3(a: [u32; 3], b: [u32; 3], zero_times: bool) -> u32 {
    let first = mul(a[0], b[0], zero_times);
    mad(a[2], b[2], mad(a[1], b[1], first, zero_times), zero_times)
}

/// DP4: the ordinary sum of four products.
#[inline]
pub fn dp4(a: [u32; 4], b: [u32; 4], zero_times: bool) -> u32 {
    let [a0, a1, a2, a3] = a;
    let [b0, b1, b2, b3] = b;
    let three = dp3([a0, a1, a2], [b0, b1, b2], zero_times);
    mad(a3, b3, three, zero_times)
}

/// D2A: the ordinary sum of two products and `c`.
#[inline]
pub fn d2a(a: [u32; 2], b: [u32; 2], c: u32, zero_times: bool) -> u32 {
    let second = mul(a[1], b[1], zero_times);
    add(mad(a[0], b[0], second, zero_times), c)
}

/// `a < b`, false if either is NaN.
#[inline]
pub fn less(a: u32, b: u32) -> bool {
    f32::from_bits(a) < f32::from_bits(b)
}

/// Compares `x` with 0 as [`super::compare`] does; NaN is only `!=`.
#[inline]
pub fn compare(code: u32, x: u32) -> bool {
    let x = f32::from_bits(x);
    match code & 3 {
        0 => x == 0.0,
        1 => x < 0.0,
        2 => x >= 0.0,
        _ => x != 0.0,
    }
}

/// Whether TEXKILL kills on `x`: it is below 0. -0 and denormals do not kill: which of the zeros a host's
/// compiler makes must not decide about a point.
#[inline]
pub fn kills(x: u32) -> bool {
    super::less(x, 0)
}

/// MIN: A < B ? A : B.
#[inline]
pub fn min(a: u32, b: u32) -> u32 {
    if less(a, b) { a } else { b }
}

/// MAX: A > B ? A : B. Of two zeros it returns the second, as in the mode `exact`.
#[inline]
pub fn max(a: u32, b: u32) -> u32 {
    if less(b, a) { a } else { b }
}

/// CND: C > 0.5 ? A : B.
#[inline]
pub fn cnd(a: u32, b: u32, c: u32) -> u32 {
    if f32::from_bits(c) > 0.5 { a } else { b }
}

/// CMP: C >= 0 ? A : B.
#[inline]
pub fn cmp(a: u32, b: u32, c: u32) -> u32 {
    if f32::from_bits(c) >= 0.0 { a } else { b }
}

/// FRC: A - floor(A).
#[inline]
pub fn frc(a: u32) -> u32 {
    unary(a, |x| x - x.floor())
}

/// RCP: the host's division.
#[inline]
pub fn rcp(a: u32) -> u32 {
    unary(a, f32::recip)
}

/// RSQ: the host's division and square root; -Inf for -0 as in the mode `exact`.
#[inline]
pub fn rsq(a: u32) -> u32 {
    unary(a, |x| x.sqrt().recip())
}

/// EX2: the host's power of two.
#[inline]
pub fn ex2(a: u32) -> u32 {
    unary(a, f32::exp2)
}

/// LN2: the host's binary logarithm.
#[inline]
pub fn ln2(a: u32) -> u32 {
    unary(a, f32::log2)
}

/// SIN: the host's sine of the fraction of a turn.
#[inline]
pub fn sin(a: u32) -> u32 {
    unary(a, |x| (std::f32::consts::TAU * (x - x.round())).sin())
}

/// COS: the host's cosine of the fraction of a turn.
#[inline]
pub fn cos(a: u32) -> u32 {
    unary(a, |x| (std::f32::consts::TAU * (x - x.round())).cos())
}

/// The output modifier `code`: 0 and 7 leave the bits unchanged, 1..=6 multiply by 2, 4, 8, 1/2,
/// 1/4, 1/8. Higher bits are ignored.
#[inline]
pub fn omod(x: u32, code: u32) -> u32 {
    match code & 7 {
        0 | 7 => x,
        code => unary(x, |v| v * FACTORS[code as usize]),
    }
}

/// The clamp to [0, 1]; NaN gives 0.
#[inline]
pub fn clamp01(x: u32) -> u32 {
    unary(x, |v| {
        if v > 1.0 {
            1.0
        } else if v > 0.0 {
            v
        } else {
            0.0
        }
    })
}

/// The result after output modifier `code & 7` and, if `code & 8`, a clamp to 0 to 1.
#[inline]
pub fn finish(x: u32, code: u32) -> u32 {
    let modified = omod(x, code);
    if code & 8 != 0 { clamp01(modified) } else { modified }
}
