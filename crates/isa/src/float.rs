//! X1K floating point, bit for bit: the one arithmetic of all engines.
//!
//! All functions work on the 32-bit patterns of binary32 numbers, so a result depends only on these
//! bits: not on the host's denormal mode, NaN payloads, contraction or libm. The functions of this
//! module are the mode `exact`. [`fast`] has functions of the same names on native arithmetic, [`chip`]
//! those with the products and sums of a real card.
//!
//! ```
//! use ctm_isa::float::{self, chip};
//!
//! let tenth = 0.1_f32.to_bits();
//! // The nearest float, and the one below it: a card cuts its products.
//! assert_eq!(float::mul(tenth, tenth, false), 0x3c23_d70b);
//! assert_eq!(chip::mul(tenth, tenth, false), 0x3c23_d70a);
//!
//! assert_eq!(float::rcp(4.0_f32.to_bits()), 0.25_f32.to_bits());
//! // 0 * infinity, without and with ZERO_TIMES_ANYTHING_EQUALS_ZERO.
//! assert_eq!(float::mul(0, float::INFINITY, false), float::CANONICAL_NAN);
//! assert_eq!(float::mul(0, float::INFINITY, true), 0);
//! // Denormals count as zeros.
//! assert_eq!(float::add(1, 0), 0);
//! ```
//!
//! All functions are always inlined. The vector engine calls them in loops that are compiled once
//! per instruction set; one call left in such a loop would make it ten times slower.
//!
//! This is the lowest floor: it knows no instruction, no register and no memory.
//!
//! `[G page]` cites the CTM Guide, `[A]` AMD's register documentation. `docs/float.md`, the *float
//! model*, decides what both leave open.
//!
//! The transcendentals use only operations that a shading language can repeat bit for bit: wrapping
//! 32-bit integers, selects, and single binary32 additions and multiplications.

mod arith;
pub mod chip;
mod convert;
pub mod fast;
mod select;
mod tables;
#[cfg(test)]
mod tests;
mod transcendental;

pub use arith::*;
pub use convert::*;
pub use select::*;
pub use transcendental::*;

/// The only NaN that arithmetic produces [G 29].
pub const CANONICAL_NAN: u32 = 0x7fff_ffff;

/// The sign bit of a binary32 pattern.
pub const SIGN: u32 = 0x8000_0000;
/// The exponent field of a binary32 pattern.
pub const EXPONENT: u32 = 0x7f80_0000;
/// The fraction field of a binary32 pattern.
pub const FRACTION: u32 = 0x007f_ffff;
/// Positive infinity.
pub const INFINITY: u32 = 0x7f80_0000;
/// 1.0.
pub const ONE: u32 = 0x3f80_0000;
/// 0.5.
pub const HALF: u32 = 0x3f00_0000;
/// The smallest normal number, 2^-126.
pub const SMALLEST: u32 = 0x0080_0000;
/// The factors of output modifiers 0 to 7 [G 29]; 7 changes nothing.
pub const FACTORS: [f32; 8] = [1.0, 2.0, 4.0, 8.0, 0.5, 0.25, 0.125, 1.0];

/// Flushes a denormal to the zero of its sign [G 40]; leaves every other pattern unchanged.
#[inline(always)]
pub fn ftz(x: u32) -> u32 {
    if x & EXPONENT == 0 { x & SIGN } else { x }
}

/// Whether `x` is a NaN, of either sign and any payload.
#[inline(always)]
pub fn is_nan(x: u32) -> bool {
    x & !SIGN > INFINITY
}

/// Whether `x` compares as zero: +0, -0 and every denormal [G 40].
#[inline(always)]
pub fn is_zero(x: u32) -> bool {
    x & EXPONENT == 0
}

/// Flips the sign bit, also of zeros, infinities and NaNs.
#[inline(always)]
pub fn neg(x: u32) -> u32 {
    x ^ SIGN
}

/// Clears the sign bit.
#[inline(always)]
pub fn abs(x: u32) -> u32 {
    x & !SIGN
}

/// Sets the sign bit: -|x|.
#[inline(always)]
pub fn nab(x: u32) -> u32 {
    x | SIGN
}

/// Applies the input modifier `modifier` (0 NOP, 1 NEG, 2 ABS, 3 NAB; higher bits are ignored) to
/// `x`: pure bit operations, absolute value first \[A\].
#[inline(always)]
pub fn modify(x: u32, modifier: u32) -> u32 {
    let magnitude = if modifier & 2 != 0 { abs(x) } else { x };
    magnitude ^ ((modifier & 1) << 31)
}

/// Converts a native result to X1K bits: one NaN, no denormals.
#[inline(always)]
fn rounded(value: f32) -> u32 {
    let bits = value.to_bits();
    if is_nan(bits) { CANONICAL_NAN } else { ftz(bits) }
}
