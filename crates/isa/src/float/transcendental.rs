//! RCP, RSQ, EX2, LN2, SIN and COS from integers and single binary32 operations.
//!
//! No bit depends on a function of the host. Every multiplication whose product feeds an addition
//! goes through [`step`]; a twin must keep its two roundings. Every integer that becomes a float is
//! at most 2^24 in magnitude. No step has a denormal, Inf or NaN that affects the result: only SIN has to
//! flush its argument. The code has no branches and no table look-ups, so loops over it vectorise.

use super::{
    CANONICAL_NAN, EXPONENT, FRACTION, HALF, INFINITY, ONE, SIGN, SMALLEST, ftz, is_nan, tables,
};

/// 3 * 2^22. Added to a number below 2^22 in magnitude, it leaves the nearest integer in the low
/// bits.
const ROUNDER: f32 = 12_582_912.0;

/// `a * x + c` in two roundings. A twin must prevent the contraction of this.
#[inline(always)]
fn step(a: f32, x: f32, c: f32) -> f32 {
    a * x + c
}

/// The polynomial with these coefficients, lowest power first, by Horner's rule.
#[inline(always)]
fn polynomial<const N: usize>(coefficients: [u32; N], x: f32) -> f32 {
    let mut value = f32::from_bits(coefficients[N - 1]);
    for k in (0..N - 1).rev() {
        value = step(value, x, f32::from_bits(coefficients[k]));
    }
    value
}

/// The integer nearest to `x`, |x| < 2^22, ties to even.
#[inline(always)]
fn nearest(x: f32) -> i32 {
    (x + ROUNDER).to_bits().wrapping_sub(ROUNDER.to_bits()) as i32
}

/// RCP: 1 / A [G 28], correctly rounded. Results below the normal numbers are flushed.
#[inline(always)]
pub fn rcp(a: u32) -> u32 {
    let sign = a & SIGN;
    let magnitude = a & !SIGN;
    let m = f32::from_bits((magnitude & FRACTION) | ONE);
    let mut r = polynomial(tables::RCP, m);
    r *= step(-m, r, 2.0);
    // This form of Newton's step loses less precision: its result is off by at most 1.
    r = step(step(-m, r, 1.0), r, r);
    // 1/m is quotient / 2^24 and m is significand / 2^23. The remainder 2^47 - significand *
    // quotient is small, so its low 32 bits are enough.
    let quotient = r.to_bits().wrapping_sub(0x3e80_0000);
    let significand = (magnitude & FRACTION) | SMALLEST;
    let remainder = significand.wrapping_mul(quotient).wrapping_neg() as i32;
    let up = (remainder.wrapping_mul(2) > significand as i32) as u32;
    let down = (remainder.wrapping_mul(2) < -(significand as i32)) as u32;
    let quotient = quotient.wrapping_add(up).wrapping_sub(down);
    let result = quotient.wrapping_add(252u32.wrapping_sub(magnitude >> 23) << 23);
    let result = if magnitude > 0x7e80_0000 { 0 } else { result };
    let result = if magnitude < SMALLEST { INFINITY } else { result };
    if is_nan(a) { CANONICAL_NAN } else { sign | result }
}

/// RSQ: 1 / sqrt(A) [G 28], correctly rounded; NaN below 0, +Inf and -Inf for the zeros.
#[inline(always)]
pub fn rsq(x: u32) -> u32 {
    const TWO_M18: u32 = 0x3680_0000;
    // m in [1, 4), so that an even power of two remains.
    let odd = !(x >> 23) & 1;
    let significand = ((x & FRACTION) | SMALLEST) << odd;
    let m = f32::from_bits(((x & FRACTION) | ONE) + (odd << 23));
    let low = f32::from_bits((x & FRACTION) | ONE);
    let root = f32::from_bits(if odd != 0 { 0x3f35_04f3 } else { ONE });
    let minus_half = -0.5 * m;
    let mut y = polynomial(tables::RSQ, low) * root;
    y *= step(minus_half * y, y, 1.5);
    // As in `rcp`: this form of the step loses less precision.
    y = step(step(minus_half * y, y, 0.5), y, y);
    // y is r / 2^24 and m is significand / 2^23. With t near sqrt(m) and rest = m * y - t exactly,
    // 1 - m * y^2 = (2^47 - t * r - rest * y) / 2^47. It is again small enough for its low 32 bits.
    let r = y.to_bits().wrapping_sub(0x3e80_0000);
    let t = (m * y).to_bits().wrapping_sub(0x3f00_0000);
    let rest = significand.wrapping_mul(r).wrapping_sub(t << 24) as i32;
    let residue = t.wrapping_mul(r).wrapping_neg() as i32;
    let h = step(-((rest >> 3) as f32), y, (residue >> 3) as f32);
    // The distance from r to the exact result, at most 1.3. Its error is below 2^-18.
    let distance = h * y * (1.0 / 2_097_152.0);
    // The result is below the half-way point r + side / 2, or above it.
    let below = distance.to_bits() as i32 >> 31;
    let side = below | 1;
    let beyond = distance - f32::from_bits((distance.to_bits() & SIGN) | HALF);
    // Close to that point the sign of (2^71 - significand * (r + side / 2)^2) decides, an integer
    // less a fraction. It is below 2^31 there.
    let fine = (residue.wrapping_sub((t as i32 ^ below) - below) << 24)
        .wrapping_sub(rest.wrapping_mul((r as i32).wrapping_add(side)))
        .wrapping_sub((significand >> 2) as i32);
    let close = beyond.to_bits() & !SIGN < TWO_M18;
    let above = if close { fine } else { beyond.to_bits() as i32 } > 0;
    let r = r.wrapping_add(below as u32).wrapping_add(above as u32);
    // 2^-k for x = m * 4^k, on top of r / 2^24.
    let k = ((x >> 23) as i32 - 127) >> 1;
    let result = r.wrapping_add((125u32.wrapping_sub(k as u32)) << 23);
    let result = if x == INFINITY { 0 } else { result };
    let result = if x > SIGN { CANONICAL_NAN } else { result };
    let result = if x & EXPONENT == 0 { (x & SIGN) | INFINITY } else { result };
    if is_nan(x) { CANONICAL_NAN } else { result }
}

/// EX2: 2^A [G 28].
#[inline(always)]
pub fn ex2(x: u32) -> u32 {
    // 128 and above overflow; the result of anything below -126 is less than the smallest normal.
    let over = (x as i32) >= 0x4300_0000;
    let under = x > 0xc2fc_0000;
    let v = f32::from_bits(if over || under { 0 } else { x });
    let n = nearest(v);
    let f = v - n as f32;
    let p = step(polynomial(tables::EX2, f), f, 1.0);
    let result = p.to_bits().wrapping_add((n as u32) << 23);
    let result = if under { 0 } else { result };
    let result = if over { INFINITY } else { result };
    if is_nan(x) { CANONICAL_NAN } else { result }
}

/// LN2: log2(A) [G 28]; NaN below 0, -Inf for the zeros.
#[inline(always)]
pub fn ln2(x: u32) -> u32 {
    const ROOT_HALF: u32 = 0x3f35_04f3;
    // A = 2^e * (1 + t) with 1 + t from sqrt(1/2) to sqrt(2).
    let offset = x.wrapping_sub(ROOT_HALF);
    let e = ((offset as i32) >> 23) as f32;
    let t = f32::from_bits((offset & FRACTION).wrapping_add(ROOT_HALF)) - 1.0;
    let result = step(polynomial(tables::LN2, t), t, e).to_bits();
    let result = if x == INFINITY { INFINITY } else { result };
    let result = if x > SIGN { CANONICAL_NAN } else { result };
    let result = if x & EXPONENT == 0 { SIGN | INFINITY } else { result };
    if is_nan(x) { CANONICAL_NAN } else { result }
}

/// The distance of |A| from the nearest integer, 0 to 1/2, and whether |A| is below that integer.
/// `magnitude` is a pattern without its sign.
#[inline(always)]
fn turn(magnitude: u32) -> (f32, bool) {
    const TWO_23: u32 = 0x4b00_0000;
    // From 2^23 on every number is an integer: whole turns.
    let v = f32::from_bits(if magnitude < TWO_23 { magnitude } else { 0 });
    let n = (v + f32::from_bits(TWO_23)).to_bits().wrapping_sub(TWO_23);
    let f = v - n as f32;
    (f.abs(), f < 0.0)
}

/// sin(2 pi h) for 0 <= h <= 1/4, from 0 to 1, exact at both ends.
#[inline(always)]
fn quarter_sine(h: f32) -> f32 {
    // In quarter turns. u + u * (1 - u^2) * g is exactly 1 at u = 1, and the term added to u is
    // small where the sine is large.
    let u = 4.0 * h;
    let g = polynomial(tables::SIN, u * u);
    step(step(-u, u, 1.0) * g, u, u)
}

/// SIN: sin(2 pi A) [G 28]; +0 at every half turn, NaN for the infinities.
#[inline(always)]
pub fn sin(a: u32) -> u32 {
    let x = ftz(a);
    let (g, below) = turn(x & !SIGN);
    let other = 0.5 - g;
    let h = if g < other { g } else { other };
    let value = quarter_sine(h).to_bits();
    let sign = (x & SIGN) ^ ((below as u32) << 31);
    let result = if value == 0 { 0 } else { value ^ sign };
    if x & EXPONENT == EXPONENT { CANONICAL_NAN } else { result }
}

/// COS: cos(2 pi A) [G 28]; +0 at every odd quarter turn, NaN for the infinities.
#[inline(always)]
pub fn cos(x: u32) -> u32 {
    let (g, _) = turn(x & !SIGN);
    let u = (0.25 - g).to_bits();
    let value = quarter_sine(f32::from_bits(u & !SIGN)).to_bits();
    let result = if value == 0 { 0 } else { value | (u & SIGN) };
    if x & EXPONENT == EXPONENT { CANONICAL_NAN } else { result }
}
