//! The arithmetic of one lane, per mode. Operands come flushed where lowering asked for it.
//!
//! The functions are those of the float model with the guards left out that lowering proved
//! redundant (see `lower`); each is compared with the reference arithmetic in the tests.

use crate::float::{self, CANONICAL_NAN, EXPONENT, INFINITY, SIGN};

/// The operations of a mode on float bits.
pub(super) trait Mode {
    fn mad(a: u32, b: u32, c: u32) -> u32;
    fn mad_zero(a: u32, b: u32, c: u32) -> u32;
    fn mul(a: u32, b: u32) -> u32;
    fn mul_zero(a: u32, b: u32) -> u32;
    fn add(a: u32, c: u32) -> u32;
    fn product(a: u32, b: u32) -> u32;
    fn product_zero(a: u32, b: u32) -> u32;
    fn sum3(a: u32, b: u32, c: u32) -> u32;
    fn sum4(a: u32, b: u32, c: u32, d: u32) -> u32;
    fn frc(a: u32) -> u32;
    fn finish(x: u32, factor: f32, clamp: bool) -> u32;
    /// S or T times the size of the input, or times 1 / Q.
    fn scale(a: u32, b: u32) -> u32;
}

/// Mode `exact`.
pub(super) struct Exact;
/// Mode `fast`.
pub(super) struct Fast;

#[inline(always)]
fn f(x: u32) -> f32 {
    f32::from_bits(x)
}

/// A denormal becomes the zero of its sign.
#[inline(always)]
fn flush(x: u32) -> u32 {
    if x & EXPONENT == 0 { x & SIGN } else { x }
}

/// Any NaN becomes the one NaN.
#[inline(always)]
fn canonical(x: u32) -> u32 {
    if x & !SIGN > INFINITY {
        CANONICAL_NAN
    } else {
        x
    }
}

/// A product that may be any NaN.
#[inline(always)]
fn product(a: u32, b: u32) -> u32 {
    flush((f(a) * f(b)).to_bits())
}

/// A product under the rule that 0 times anything is 0. Of finite factors the product has the
/// right zero already; with Inf or NaN it is a NaN, and +0 takes its place.
#[inline(always)]
fn product_zero(a: u32, b: u32) -> u32 {
    let p = product(a, b);
    let zero = a & !SIGN == 0 || b & !SIGN == 0;
    if zero && p & !SIGN > INFINITY { 0 } else { p }
}

#[inline(always)]
fn add(a: u32, c: u32) -> u32 {
    canonical(flush((f(a) + f(c)).to_bits()))
}

/// A flushed product plus +0: only -0 changes.
#[inline(always)]
fn add_zero(p: u32) -> u32 {
    canonical(if p == SIGN { 0 } else { p })
}

impl Mode for Exact {
    #[inline(always)]
    fn mad(a: u32, b: u32, c: u32) -> u32 {
        add(product(a, b), c)
    }
    #[inline(always)]
    fn mad_zero(a: u32, b: u32, c: u32) -> u32 {
        add(product_zero(a, b), c)
    }
    #[inline(always)]
    fn mul(a: u32, b: u32) -> u32 {
        add_zero(product(a, b))
    }
    #[inline(always)]
    fn mul_zero(a: u32, b: u32) -> u32 {
        add_zero(product_zero(a, b))
    }
    #[inline(always)]
    fn add(a: u32, c: u32) -> u32 {
        add(a, c)
    }
    #[inline(always)]
    fn product(a: u32, b: u32) -> u32 {
        product(a, b)
    }
    #[inline(always)]
    fn product_zero(a: u32, b: u32) -> u32 {
        product_zero(a, b)
    }
    #[inline(always)]
    fn sum3(a: u32, b: u32, c: u32) -> u32 {
        float::sum(&[a, b, c])
    }
    #[inline(always)]
    fn sum4(a: u32, b: u32, c: u32, d: u32) -> u32 {
        float::sum(&[a, b, c, d])
    }
    #[inline(always)]
    fn frc(a: u32) -> u32 {
        float::frc(a)
    }
    #[inline(always)]
    fn finish(x: u32, factor: f32, clamp: bool) -> u32 {
        let scaled = canonical(flush((f(flush(x)) * factor).to_bits()));
        if clamp {
            float::clamp01(scaled)
        } else {
            scaled
        }
    }
    #[inline(always)]
    fn scale(a: u32, b: u32) -> u32 {
        canonical(product(a, b))
    }
}

impl Mode for Fast {
    #[inline(always)]
    fn mad(a: u32, b: u32, c: u32) -> u32 {
        (f(a) * f(b) + f(c)).to_bits()
    }
    #[inline(always)]
    fn mad_zero(a: u32, b: u32, c: u32) -> u32 {
        (f(Self::product_zero(a, b)) + f(c)).to_bits()
    }
    #[inline(always)]
    fn mul(a: u32, b: u32) -> u32 {
        (f(a) * f(b) + 0.0).to_bits()
    }
    #[inline(always)]
    fn mul_zero(a: u32, b: u32) -> u32 {
        (f(Self::product_zero(a, b)) + 0.0).to_bits()
    }
    #[inline(always)]
    fn add(a: u32, c: u32) -> u32 {
        (f(a) + f(c)).to_bits()
    }
    #[inline(always)]
    fn product(a: u32, b: u32) -> u32 {
        (f(a) * f(b)).to_bits()
    }
    #[inline(always)]
    fn product_zero(a: u32, b: u32) -> u32 {
        if f(a) == 0.0 || f(b) == 0.0 {
            0
        } else {
            (f(a) * f(b)).to_bits()
        }
    }
    #[inline(always)]
    fn sum3(a: u32, b: u32, c: u32) -> u32 {
        (f(a) + f(b) + f(c)).to_bits()
    }
    #[inline(always)]
    fn sum4(a: u32, b: u32, c: u32, d: u32) -> u32 {
        (f(a) + f(b) + f(c) + f(d)).to_bits()
    }
    #[inline(always)]
    fn frc(a: u32) -> u32 {
        float::frc(a)
    }
    #[inline(always)]
    fn finish(x: u32, factor: f32, clamp: bool) -> u32 {
        let scaled = (f(x) * factor).to_bits();
        if clamp {
            float::clamp01(scaled)
        } else {
            scaled
        }
    }
    #[inline(always)]
    fn scale(a: u32, b: u32) -> u32 {
        (f(a) * f(b)).to_bits()
    }
}
