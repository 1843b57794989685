//! The arithmetic of a mode, as a type: the engine's code is the same for both.

use crate::float;

/// The operations of the ALU and the fetch unit on raw 32-bit values.
pub(super) trait Arithmetic {
    fn mul(a: u32, b: u32, zero_times: bool) -> u32;
    fn mad(a: u32, b: u32, c: u32, zero_times: bool) -> u32;
    fn dp3(a: [u32; 3], b: [u32; 3], zero_times: bool) -> u32;
    fn dp4(a: [u32; 4], b: [u32; 4], zero_times: bool) -> u32;
    fn d2a(a: [u32; 2], b: [u32; 2], c: u32, zero_times: bool) -> u32;
    fn presub_bias(src0: u32) -> u32;
    fn presub_sub(src0: u32, src1: u32) -> u32;
    fn presub_add(src0: u32, src1: u32) -> u32;
    fn presub_inv(src0: u32) -> u32;
    fn min(a: u32, b: u32) -> u32;
    fn max(a: u32, b: u32) -> u32;
    fn cnd(a: u32, b: u32, c: u32) -> u32;
    fn cmp(a: u32, b: u32, c: u32) -> u32;
    fn frc(a: u32) -> u32;
    fn rcp(a: u32) -> u32;
    fn rsq(a: u32) -> u32;
    fn ex2(a: u32) -> u32;
    fn ln2(a: u32) -> u32;
    fn sin(a: u32) -> u32;
    fn cos(a: u32) -> u32;
    fn omod(x: u32, code: u32) -> u32;
    fn clamp01(x: u32) -> u32;
    fn compare(op: float::Compare, x: u32) -> bool;
}

macro_rules! arithmetic {
    ($(#[$meta:meta])* $Mode:ident, $module:path) => {
        $(#[$meta])*
        pub(super) struct $Mode;
        impl Arithmetic for $Mode {
            arithmetic!(@functions $module);
        }
    };
    (@functions $module:path) => {
        arithmetic! {@function $module;
            mul(a: u32, b: u32, zero_times: bool) -> u32;
            mad(a: u32, b: u32, c: u32, zero_times: bool) -> u32;
            dp3(a: [u32; 3], b: [u32; 3], zero_times: bool) -> u32;
            dp4(a: [u32; 4], b: [u32; 4], zero_times: bool) -> u32;
            d2a(a: [u32; 2], b: [u32; 2], c: u32, zero_times: bool) -> u32;
            presub_bias(src0: u32) -> u32;
            presub_sub(src0: u32, src1: u32) -> u32;
            presub_add(src0: u32, src1: u32) -> u32;
            presub_inv(src0: u32) -> u32;
            min(a: u32, b: u32) -> u32;
            max(a: u32, b: u32) -> u32;
            cnd(a: u32, b: u32, c: u32) -> u32;
            cmp(a: u32, b: u32, c: u32) -> u32;
            frc(a: u32) -> u32;
            rcp(a: u32) -> u32;
            rsq(a: u32) -> u32;
            ex2(a: u32) -> u32;
            ln2(a: u32) -> u32;
            sin(a: u32) -> u32;
            cos(a: u32) -> u32;
            omod(x: u32, code: u32) -> u32;
            clamp01(x: u32) -> u32;
            compare(op: float::Compare, x: u32) -> bool;
        }
    };
    (@function $module:path; $($name:ident($($arg:ident: $type:ty),*) -> $result:ty;)*) => {
        $(
            fn $name($($arg: $type),*) -> $result {
                use $module as module;
                module::$name($($arg),*)
            }
        )*
    };
}

arithmetic! {
    /// Mode `exact`: the chip's arithmetic.
    Exact, crate::float
}
arithmetic! {
    /// Mode `fast`: the host's.
    Fast, crate::float::fast
}
