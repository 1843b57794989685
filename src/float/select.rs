//! Comparisons and the operations that return one of their arguments, bit for bit.

use super::{HALF, ftz, is_nan, is_zero};

/// A comparison of a final value with 0, in the order of its 2-bit code (ALU_RESULT_OP and the
/// predicate functions) `[A]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    /// Code 0: `x == 0`.
    Equal,
    /// Code 1: `x < 0`.
    Less,
    /// Code 2: `x >= 0`.
    GreaterEqual,
    /// Code 3: `x != 0`; the only one that is true for NaN.
    NotEqual,
}

impl Compare {
    /// All comparisons, in the order of their codes.
    pub const ALL: [Compare; 4] =
        [Compare::Equal, Compare::Less, Compare::GreaterEqual, Compare::NotEqual];

    /// The comparison with the 2-bit code `code`; higher bits are ignored.
    #[inline(always)]
    pub fn from_code(code: u32) -> Compare {
        Compare::ALL[(code & 3) as usize]
    }

    /// The 2-bit code.
    #[inline(always)]
    pub fn code(self) -> u32 {
        self as u32
    }
}

/// Compares `x` with 0 [G 31, 41]: denormals equal 0, NaN is only `NotEqual`.
#[inline(always)]
pub fn compare(op: Compare, x: u32) -> bool {
    match op {
        Compare::Equal => is_zero(x),
        Compare::Less => less(x, 0),
        Compare::GreaterEqual => !is_nan(x) && !less(x, 0),
        Compare::NotEqual => !is_zero(x),
    }
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
    if compare(Compare::GreaterEqual, c) { a } else { b }
}
