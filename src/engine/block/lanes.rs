//! The arithmetic of one lane, per mode. Operands arrive flushed where lowering asked for it.
//!
//! The functions are those of the float model without the guards that lowering proved redundant
//! (see `lower`). The tests compare each with the reference arithmetic.

use crate::float::{self, CANONICAL_NAN, EXPONENT, FRACTION, INFINITY, SIGN, SMALLEST};
use std::marker::PhantomData;

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
    if x & !SIGN > INFINITY { CANONICAL_NAN } else { x }
}

/// A product that may be any NaN.
#[inline(always)]
fn product(a: u32, b: u32) -> u32 {
    flush((f(a) * f(b)).to_bits())
}

/// A product under the rule that 0 times anything is 0. With finite factors the product already has
/// the right zero; with Inf or NaN it is a NaN, which +0 replaces.
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

/// The aligned adder over flushed terms, as selects and shifts that vectorise.
///
/// The result is rounded once. A total above 24 bits gives a normal number: the conversion rounds
/// and the product is exact. Otherwise the conversion is exact. Terms that are Inf or NaN are
/// added separately.
#[inline(always)]
fn sum(a: u32, b: u32, c: u32, d: Option<u32>) -> u32 {
    let exponent = |t: u32| t >> 23 & 255;
    let largest = exponent(a).max(exponent(b)).max(exponent(c));
    let largest = d.map_or(largest, |d| largest.max(exponent(d)));
    let aligned = |t: u32| {
        let significand = ((t & FRACTION) | SMALLEST) << 1;
        let significand = if t & EXPONENT == 0 { 0 } else { significand };
        let distance = largest - exponent(t);
        let distance = if distance > 31 { 31 } else { distance };
        let magnitude = (significand >> distance) as i32;
        let sign = t as i32 >> 31;
        (magnitude ^ sign).wrapping_sub(sign)
    };
    let total = aligned(a).wrapping_add(aligned(b)).wrapping_add(aligned(c));
    let total = d.map_or(total, |d| total.wrapping_add(aligned(d)));
    let scaled = total as f32 * (1.0 / 16_777_216.0) * f(largest << 23);
    let finite = flush(scaled.to_bits());
    let all = a & b & c & d.unwrap_or(SIGN);
    let any = a | b | c | d.unwrap_or(SIGN);
    let finite = if all == SIGN && any == SIGN { SIGN } else { finite };
    let special = |t: u32| f(if t & EXPONENT == EXPONENT { t } else { 0 });
    let others = special(a) + special(b) + special(c);
    let others = d.map_or(others, |d| others + special(d));
    if largest == 255 { canonical(others.to_bits()) } else { finite }
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
        sum(a, b, c, None)
    }
    #[inline(always)]
    fn sum4(a: u32, b: u32, c: u32, d: u32) -> u32 {
        sum(a, b, c, Some(d))
    }
    #[inline(always)]
    fn frc(a: u32) -> u32 {
        float::frc(a)
    }
    #[inline(always)]
    fn finish(x: u32, factor: f32, clamp: bool) -> u32 {
        let scaled = canonical(flush((f(flush(x)) * factor).to_bits()));
        if clamp { float::clamp01(scaled) } else { scaled }
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
        if f(a) == 0.0 || f(b) == 0.0 { 0 } else { (f(a) * f(b)).to_bits() }
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
        if clamp { float::clamp01(scaled) } else { scaled }
    }
    #[inline(always)]
    fn scale(a: u32, b: u32) -> u32 {
        (f(a) * f(b)).to_bits()
    }
}

/// The computation of a loop over lanes. It is a type, not a closure, so that the function can
/// always be inlined: a closure left out of line is compiled without vector instructions.
pub(super) trait Operation {
    /// The number of operands read.
    const OPERANDS: usize;
    /// The result for one lane; `p` is a parameter that is the same for all lanes.
    fn f(a: u32, b: u32, c: u32, d: u32, p: u32) -> u32;
}

macro_rules! operations {
    ($($Name:ident $operands:literal |$a:pat_param, $b:pat_param, $c:pat_param, $d:pat_param, $p:pat_param| $value:expr;)*) => {
        $(
            pub(super) struct $Name<M>(PhantomData<M>);
            impl<M: Mode> Operation for $Name<M> {
                const OPERANDS: usize = $operands;
                #[inline(always)]
                fn f($a: u32, $b: u32, $c: u32, $d: u32, $p: u32) -> u32 {
                    $value
                }
            }
        )*
    };
}

operations! {
    Mov 1 |a, _, _, _, _| a;
    Mad 3 |a, b, c, _, _| M::mad(a, b, c);
    MadZero 3 |a, b, c, _, _| M::mad_zero(a, b, c);
    Mul 2 |a, b, _, _, _| M::mul(a, b);
    MulZero 2 |a, b, _, _, _| M::mul_zero(a, b);
    Add 3 |a, _, c, _, _| M::add(a, c);
    Product 2 |a, b, _, _, _| M::product(a, b);
    ProductZero 2 |a, b, _, _, _| M::product_zero(a, b);
    Sum3 3 |a, b, c, _, _| M::sum3(a, b, c);
    Sum4 4 |a, b, c, d, _| M::sum4(a, b, c, d);
    Min 2 |a, b, _, _, _| float::min(a, b);
    Max 2 |a, b, _, _, _| float::max(a, b);
    Cnd 3 |a, b, c, _, _| float::cnd(a, b, c);
    Cmp 3 |a, b, c, _, _| float::cmp(a, b, c);
    Frc 1 |a, _, _, _, _| M::frc(a);
    Ex2 1 |a, _, _, _, _| float::ex2(a);
    Ln2 1 |a, _, _, _, _| float::ln2(a);
    Rcp 1 |a, _, _, _, _| float::rcp(a);
    Rsq 1 |a, _, _, _, _| float::rsq(a);
    Sin 1 |a, _, _, _, _| float::sin(a);
    Cos 1 |a, _, _, _, _| float::cos(a);
    Finish 1 |a, _, _, _, p| M::finish(a, f(p), false);
    FinishClamped 1 |a, _, _, _, p| M::finish(a, f(p), true);
}
