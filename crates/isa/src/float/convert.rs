//! Conversions: inline constants, texel coordinates and the fixed-point memory formats.

use super::{EXPONENT, FRACTION, SIGN, SMALLEST, clamp01, is_nan};

/// The value of the 7-bit inline constant `code7` [G 26] `[A]`: e = bits 6:3 and m = bits 2:0 mean
/// (1 + m/8) * 2^(e-7), or m * 2^-9 if e is 0. Higher bits are ignored.
#[inline(always)]
pub fn inline_constant(code7: u32) -> u32 {
    let e = (code7 >> 3) & 15;
    let m = code7 & 7;
    if e != 0 { ((e + 120) << 23) | (m << 20) } else { (m as f32 * (1.0 / 512.0)).to_bits() }
}

/// The texel that contains a coordinate: the floor of the flushed coordinate, saturated to 32 bits.
/// NaN gives 0 (float model).
#[inline(always)]
pub fn texel_index(coordinate: u32) -> i32 {
    // Integer arithmetic, because a saturating conversion of floats prevents vectorisation of
    // loops.
    let exponent = ((coordinate & EXPONENT) >> 23) as i32;
    let significand = if exponent == 0 { 0 } else { ((coordinate & FRACTION) | SMALLEST) as i32 };
    let negative = coordinate & SIGN != 0;
    let signed = if negative { -significand } else { significand };
    // The value is signed * 2^(exponent - 150); a right shift takes the floor.
    let fraction = signed >> (150 - exponent).clamp(0, 31);
    let whole = signed << (exponent - 150).clamp(0, 7);
    let near = if exponent < 150 { fraction } else { whole };
    let far = if negative { i32::MIN } else { i32::MAX };
    let index = if exponent < 158 { near } else { far };
    if is_nan(coordinate) { 0 } else { index }
}

/// The byte that a UINT8 format stores for `x`: clamped to [0, 1] (NaN to 0), multiplied by 255 in
/// binary32, then rounded to the nearest integer, ties to even.
#[inline(always)]
pub fn unorm8(x: u32) -> u32 {
    to_integer(f32::from_bits(clamp01(x)) * 255.0)
}

/// The word that a UINT16 format stores for `x`: like [`unorm8`], with 65535.
#[inline(always)]
pub fn unorm16(x: u32) -> u32 {
    to_integer(f32::from_bits(clamp01(x)) * 65535.0)
}

/// The nearest integer of 0 <= `t` < 2^22, ties to even.
#[inline(always)]
fn to_integer(t: f32) -> u32 {
    const TWO_23: f32 = 8_388_608.0;
    (t + TWO_23).to_bits() & 0x007f_ffff
}

/// `value` / 255, correctly rounded. `value` is a byte; higher bits are ignored.
#[inline(always)]
pub fn from_unorm8(value: u32) -> u32 {
    // 1 / 255 = 1 / 256 + 1 / (255 * 256). A division costs several times as much as this.
    let value = (value & 0xff) as f32;
    (value * (1.0 / 256.0) + value * (1.0 / (255.0 * 256.0))).to_bits()
}

/// `value` / 65535, correctly rounded. `value` is a 16-bit word; higher bits are ignored.
#[inline(always)]
pub fn from_unorm16(value: u32) -> u32 {
    let value = (value & 0xffff) as f32;
    (value * (1.0 / 65536.0) + value * (1.0 / (65535.0 * 65536.0))).to_bits()
}
