//! The arithmetic of one lane, per mode. Operands arrive flushed where lowering asked for it.
//!
//! The functions of a mode are those of the float model, which the table of operations names,
//! without the guards that lowering proved redundant (see `lower`). The tests compare each with the
//! float model.

use super::code::Code;
use super::machine::Machine;
use super::plain;
use super::rows::{self, Row};
use crate::launch::FloatMode;
use ctm_isa::float::chip::{term, total};
use ctm_isa::float::{CANONICAL_NAN, EXPONENT, INFINITY, SIGN};
use ctm_isa::ops::{Aux, Calc, is_set};
use std::marker::PhantomData;

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

/// The functions of mode `exact`.
mod exact {
    use super::*;
    pub use ctm_isa::float::*;

    /// A product that may be any NaN. With finite factors it already has the right zero for the rule
    /// that 0 times anything is 0; with Inf or NaN it is a NaN, which +0 replaces.
    #[inline(always)]
    pub fn mul(a: u32, b: u32, zero_times: bool) -> u32 {
        let p = flush((f(a) * f(b)).to_bits());
        let zero = a & !SIGN == 0 || b & !SIGN == 0;
        if zero_times && zero && p & !SIGN > INFINITY { 0 } else { p }
    }

    /// Only -0 changes.
    #[inline(always)]
    pub fn mul_plus_zero(a: u32, b: u32, zero_times: bool) -> u32 {
        let p = mul(a, b, zero_times);
        canonical(if p == SIGN { 0 } else { p })
    }

    #[inline(always)]
    pub fn add(a: u32, b: u32) -> u32 {
        canonical(flush((f(a) + f(b)).to_bits()))
    }

    #[inline(always)]
    pub fn mad(a: u32, b: u32, c: u32, zero_times: bool) -> u32 {
        add(mul(a, b, zero_times), c)
    }

    /// The aligned adder over flushed terms, as selects and shifts that vectorise.
    ///
    /// The result is rounded once. A total above 24 bits gives a normal number: the conversion
    /// rounds and the product is exact. Otherwise the conversion is exact. Terms that are Inf or NaN
    /// are added separately.
    #[inline(always)]
    pub fn sum<const N: usize>(terms: &[u32; N]) -> u32 {
        let exponent = |t: u32| t >> 23 & 255;
        let largest = terms.iter().fold(0, |largest, &t| exponent(t).max(largest));
        let aligned = |t: u32| {
            let significand = ((t & FRACTION) | SMALLEST) << 1;
            let significand = if t & EXPONENT == 0 { 0 } else { significand };
            let distance = largest - exponent(t);
            let distance = if distance > 31 { 31 } else { distance };
            let magnitude = (significand >> distance) as i32;
            let sign = t as i32 >> 31;
            (magnitude ^ sign).wrapping_sub(sign)
        };
        let total = terms.iter().fold(0i32, |total, &t| total.wrapping_add(aligned(t)));
        let scaled = total as f32 * (1.0 / 16_777_216.0) * f(largest << 23);
        let finite = flush(scaled.to_bits());
        let all = terms.iter().fold(SIGN, |all, t| all & t);
        let any = terms.iter().fold(0, |any, t| any | t);
        let finite = if all == SIGN && any == SIGN { SIGN } else { finite };
        let special = |t: u32| f(if t & EXPONENT == EXPONENT { t } else { 0 });
        let others = terms.iter().fold(-0.0, |others, &t| others + special(t));
        if largest == 255 { canonical(others.to_bits()) } else { finite }
    }

    #[inline(always)]
    pub fn finish(x: u32, code: u32) -> u32 {
        let scaled = canonical(flush((f(flush(x)) * FACTORS[code as usize & 7]).to_bits()));
        if code & 8 != 0 { clamp01(scaled) } else { scaled }
    }

    /// S or T times the size of the input, or times 1 / Q.
    #[inline(always)]
    pub fn scale(a: u32, b: u32) -> u32 {
        canonical(mul(a, b, false))
    }
}

/// The functions of mode `fast`. Other functions are exact: they cost little, and the host's
/// library has no vectors.
mod fast {
    use super::*;
    pub use ctm_isa::float::*;

    #[inline(always)]
    pub fn mul(a: u32, b: u32, zero_times: bool) -> u32 {
        let zero = f(a) == 0.0 || f(b) == 0.0;
        if zero_times && zero { 0 } else { (f(a) * f(b)).to_bits() }
    }

    #[inline(always)]
    pub fn mul_plus_zero(a: u32, b: u32, zero_times: bool) -> u32 {
        add(mul(a, b, zero_times), 0)
    }

    #[inline(always)]
    pub fn add(a: u32, b: u32) -> u32 {
        (f(a) + f(b)).to_bits()
    }

    #[inline(always)]
    pub fn mad(a: u32, b: u32, c: u32, zero_times: bool) -> u32 {
        add(mul(a, b, zero_times), c)
    }

    #[inline(always)]
    pub fn sum<const N: usize>(terms: &[u32; N]) -> u32 {
        terms.iter().fold(-0.0, |sum, &t| sum + f(t)).to_bits()
    }

    #[inline(always)]
    pub fn finish(x: u32, code: u32) -> u32 {
        let scaled = (f(x) * FACTORS[code as usize & 7]).to_bits();
        if code & 8 != 0 { clamp01(scaled) } else { scaled }
    }

    #[inline(always)]
    pub fn scale(a: u32, b: u32) -> u32 {
        mul(a, b, false)
    }
}

/// The functions of mode `chip`. Sums of products have loops of their own.
mod chip {
    pub use super::exact::scale;
    use super::{f, term, total};
    pub use ctm_isa::float::chip::*;

    #[inline(always)]
    pub fn mul_plus_zero(a: u32, b: u32, zero_times: bool) -> u32 {
        total([term(a, b, zero_times), 0.0])
    }

    #[inline(always)]
    pub fn add(a: u32, b: u32) -> u32 {
        total([f(a).into(), f(b).into()])
    }

    #[inline(always)]
    pub fn mad(a: u32, b: u32, c: u32, zero_times: bool) -> u32 {
        total([term(a, b, zero_times), f(c).into()])
    }
}

/// The computation of a loop over lanes. It is a type, not a closure, so that the function can
/// always be inlined: a closure left out of line is compiled without vector instructions.
pub(super) trait Operation {
    /// The number of operands read.
    const OPERANDS: usize;
    /// The result for one lane.
    fn f(operands: [u32; 4], aux: u16) -> u32;
}

/// A loop over lanes.
pub(super) trait Loop {
    /// Whether it has its own loop for a set switch in `aux`.
    const SWITCHED: bool;
    /// Computes row `to`. `SWITCH` is the switch in `aux`.
    fn map<const SWITCH: bool>(rows: &mut [Row], code: &Code, to: u32);
}

/// The sum of N products in mode `chip`.
struct Dot<const N: usize>;

impl<const N: usize> Loop for Dot<N> {
    const SWITCHED: bool = true;

    #[inline(always)]
    fn map<const SWITCH: bool>(rows: &mut [Row], code: &Code, to: u32) {
        for k in 0..4 {
            let factors: [[&[u32; 16]; 2]; N] =
                std::array::from_fn(|n| plain::factors(code.src[n]).map(|row| &rows[row].0[k]));
            let mut out = [0; 16];
            for (lane, out) in out.iter_mut().enumerate() {
                let mut terms = [0.0; N];
                for (to, [a, b]) in terms.iter_mut().zip(&factors) {
                    *to = term(a[lane], b[lane], SWITCH);
                }
                *out = total(terms);
            }
            rows[to as usize].0[k] = out;
        }
    }
}

/// MAD in mode `chip`. Constants, which `code.src[3]` names, are converted once: conversions are a
/// third of the time.
struct ChipMad;

impl ChipMad {
    #[inline(always)]
    fn map<const SWITCH: bool, const B: bool, const C: bool>(
        rows: &mut [Row],
        code: &Code,
        to: u32,
    ) {
        let [a, b, c] = [0, 1, 2].map(|n| code.src[n] as usize);
        let constants = [b, c].map(|row| rows[row].0[0][0]);
        for k in 0..4 {
            let (a, b, c) = (rows[a].0[k], rows[b].0[k], rows[c].0[k]);
            let mut out = [0; 16];
            for (lane, out) in out.iter_mut().enumerate() {
                let b = if B { constants[0] } else { b[lane] };
                let c = if C { constants[1] } else { c[lane] };
                *out = chip::mad(a[lane], b, c, SWITCH);
            }
            rows[to as usize].0[k] = out;
        }
    }
}

impl Loop for ChipMad {
    const SWITCHED: bool = true;

    #[inline(always)]
    fn map<const SWITCH: bool>(rows: &mut [Row], code: &Code, to: u32) {
        match plain::constants(code.src[3]) {
            [false, false] => ChipMad::map::<SWITCH, false, false>(rows, code, to),
            [false, true] => ChipMad::map::<SWITCH, false, true>(rows, code, to),
            [true, false] => ChipMad::map::<SWITCH, true, false>(rows, code, to),
            [true, true] => ChipMad::map::<SWITCH, true, true>(rows, code, to),
        }
    }
}

macro_rules! lanes {
    (calc { $(
        $(#[$doc:meta])*
        $Name:ident $name:ident($($operand:ident),*; $extra:tt) = $value:expr;
            isa $isa:tt keeps $keeps:tt code $code:tt wgsl $wgsl:tt native [$($native:ident)*]
            size $size:tt aux $aux:tt;
    )* } other $other:tt) => {
        /// The operations of a mode on float bits.
        pub(super) trait Mode {
            $(fn $name(operands: [u32; 4], aux: u16) -> u32;)*
            fn scale(a: u32, b: u32) -> u32;
        }

        $(
            pub(super) struct $Name<M>(PhantomData<M>);
            impl<M: Mode> Operation for $Name<M> {
                const OPERANDS: usize = Calc::$Name.facts().operands;
                #[inline(always)]
                fn f(operands: [u32; 4], aux: u16) -> u32 {
                    M::$name(operands, aux)
                }
            }
            impl<M: Mode> Loop for $Name<M> {
                const SWITCHED: bool = !matches!(Calc::$Name.facts().facts.aux, Aux::Own);
                #[inline(always)]
                fn map<const SWITCH: bool>(rows: &mut [Row], code: &Code, to: u32) {
                    rows::map::<Self, SWITCH>(rows, code, to);
                }
            }
        )*

        impl Machine {
            /// Computes a run of equal operations.
            #[inline(always)]
            pub(super) fn calculate(&mut self, calc: Calc, mode: FloatMode, run: &[Code]) {
                // The mode is asked first, and once: the short operations of mode fast notice it.
                if mode == FloatMode::Chip {
                    if calc == Calc::Mad {
                        return self.compute::<ChipMad>(run);
                    } else if calc == Calc::Sum3 {
                        return self.compute::<Dot<3>>(run);
                    } else if calc == Calc::Sum4 {
                        return self.compute::<Dot<4>>(run);
                    }
                }
                match calc {
                    $(Calc::$Name => {
                        $(if mode == FloatMode::$native {
                            return self.compute::<$Name<$native>>(run);
                        })*
                        self.compute::<$Name<Exact>>(run)
                    })*
                }
            }
        }

        /// The function of a mode in a lane.
        #[cfg(test)]
        pub(super) fn lane<M: Mode>(calc: Calc) -> ctm_isa::ops::Meaning {
            match calc {
                $(Calc::$Name => M::$name,)*
            }
        }

        lanes!(@mode Exact exact; $($name($($operand),*; $extra) = $value;)*);
        lanes!(@mode Fast fast; $($name($($operand),*; $extra) = $value;)*);
        lanes!(@mode Chip chip; $($name($($operand),*; $extra) = $value;)*);
    };
    (@mode $Mode:ident $mode:ident;
     $($name:ident($($operand:ident),*; $extra:tt) = $value:expr;)*) => {
        #[doc = concat!("Mode `", stringify!($mode), "`.")]
        pub(super) struct $Mode;
        impl Mode for $Mode {
            $(
                #[inline(always)]
                fn $name([$($operand,)* ..]: [u32; 4], aux: u16) -> u32 {
                    #[allow(unused_imports)]
                    use self::$mode::*;
                    let $extra = aux;
                    $value
                }
            )*
            #[inline(always)]
            fn scale(a: u32, b: u32) -> u32 {
                $mode::scale(a, b)
            }
        }
    };
}
ctm_isa::ops!(lanes);
