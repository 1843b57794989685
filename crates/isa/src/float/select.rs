//! Comparisons and the operations that return one of their arguments, bit for bit.

use super::{HALF, SIGN, ftz, is_nan, is_zero};

/// Compares `x` with 0 `[G 31, 41]`; `code` is that of ALU_RESULT_OP and of the predicate functions `[A]`:
/// 0 `==`, 1 `<`, 2 `>=`, 3 `!=`, higher bits are ignored. Denormals equal 0; NaN is only `!=`.
#[inline(always)]
pub fn compare(code: u32, x: u32) -> bool {
    match code & 3 {
        0 => is_zero(x),
        1 => less(x, 0),
        2 => !is_nan(x) & !less(x, 0),
        _ => !is_zero(x),
    }
}

/// Whether TEXKILL kills on `x`: its sign bit is set and it is not a NaN. So -0 kills.
#[inline(always)]
pub fn kills(x: u32) -> bool {
    (x & SIGN != 0) & !is_nan(x)
}

/// `a < b` of two X1K numbers: denormals equal 0, false if either is NaN.
#[inline(always)]
pub fn less(a: u32, b: u32) -> bool {
    f32::from_bits(ftz(a)) < f32::from_bits(ftz(b))
}

/// `a == b` of two X1K numbers: denormals equal 0, false if either is NaN.
#[inline(always)]
pub fn equal(a: u32, b: u32) -> bool {
    f32::from_bits(ftz(a)) == f32::from_bits(ftz(b))
}

/// MIN: A < B ? A : B [G 28]; B if either is NaN or both are zeros [G 42].
#[inline(always)]
pub fn min(a: u32, b: u32) -> u32 {
    if less(a, b) { a } else { b }
}

/// MAX: A >= B ? A : B [G 28]; B if either is NaN or both are zeros [G 42].
///
/// Equal numbers that are not zeros have equal bits, so testing for "greater" is enough.
#[inline(always)]
pub fn max(a: u32, b: u32) -> u32 {
    if less(b, a) { a } else { b }
}

/// CND: C > 0.5 ? A : B [G 28]; B if C is NaN.
#[inline(always)]
pub fn cnd(a: u32, b: u32, c: u32) -> u32 {
    if less(HALF, c) { a } else { b }
}

/// CMP: C >= 0 ? A : B [G 28]; B if C is NaN.
#[inline(always)]
pub fn cmp(a: u32, b: u32, c: u32) -> u32 {
    if !is_nan(c) && !less(c, 0) { a } else { b }
}
