//! The arithmetic of a mode, as a type: the engine's code is the same for all.

use ctm_isa::float;
use ctm_isa::ops::{Calc, Meaning};

/// Mode `exact`: the documented arithmetic.
pub(super) struct Exact;
/// Mode `fast`: the host's.
pub(super) struct Fast;
/// Mode `chip`: a real card's.
pub(super) struct Chip;

macro_rules! arithmetic {
    ($($name:ident($($arg:ident: $type:ty),*) -> $result:ty;)*) => {
        /// The operations of the ALU and the fetch unit on raw 32-bit values.
        pub(super) trait Arithmetic {
            /// The function in the table of operations.
            fn calc(calc: Calc) -> Meaning;
            /// A product of the fetch unit.
            fn scale(a: u32, b: u32) -> u32;
            $(fn $name($($arg: $type),*) -> $result;)*
        }
        arithmetic!(@mode Exact exact float, float; $($name($($arg: $type),*) -> $result;)*);
        arithmetic!(@mode Fast fast float::fast, float::fast; $($name($($arg: $type),*) -> $result;)*);
        arithmetic!(@mode Chip chip float::chip, float; $($name($($arg: $type),*) -> $result;)*);
    };
    (@mode $Mode:ident $mode:ident $module:path, $fetch:path;
     $($name:ident($($arg:ident: $type:ty),*) -> $result:ty;)*) => {
        impl Arithmetic for $Mode {
            fn calc(calc: Calc) -> Meaning {
                calc.facts().$mode
            }
            fn scale(a: u32, b: u32) -> u32 {
                use $fetch as float;
                float::mul(a, b, false)
            }
            $(fn $name($($arg: $type),*) -> $result {
                use $module as float;
                float::$name($($arg),*)
            })*
        }
    };
}

arithmetic! {
    dp3(a: [u32; 3], b: [u32; 3], zero_times: bool) -> u32;
    dp4(a: [u32; 4], b: [u32; 4], zero_times: bool) -> u32;
    d2a(a: [u32; 2], b: [u32; 2], c: u32, zero_times: bool) -> u32;
    presub_bias(src0: u32) -> u32;
    presub_sub(src0: u32, src1: u32) -> u32;
    presub_add(src0: u32, src1: u32) -> u32;
    presub_inv(src0: u32) -> u32;
    rcp(a: u32) -> u32;
    finish(x: u32, code: u32) -> u32;
    compare(code: u32, x: u32) -> bool;
    kills(x: u32) -> bool;
}
