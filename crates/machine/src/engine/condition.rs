//! The conditional operation's comparison, shared by the engines.

use super::FaultCode;
use super::groups::slots;
use crate::launch::{Location, Test};
use crate::memory::{Format, Surface};
use ctm_isa::float;

/// Whether v passes the test against b. FLOAT32_1 values compare as X1K floats, UINT16_1 values
/// as integers \[our decision\].
#[inline(always)]
pub fn passes(test: Test, format: Format, v: u32, b: u32) -> bool {
    let (less, equal, greater) = if format == Format::Uint16x1 {
        (v < b, v == b, v > b)
    } else {
        (float::less(v, b), float::equal(v, b), float::less(b, v))
    };
    match test {
        Test::Never => false,
        Test::Less => less,
        Test::LessEqual => less || equal,
        Test::Equal => equal,
        Test::GreaterEqual => greater || equal,
        Test::Greater => greater,
        Test::NotEqual => !equal,
        Test::Always => true,
    }
}

/// The value that is compared and written: the point's own, converted like an output, or the PE's.
#[inline(always)]
pub fn value(format: Format, pe: u32, own: Option<u32>) -> u32 {
    match (format, own) {
        (Format::Uint16x1, Some(own)) => float::unorm16(own),
        (Format::Uint16x1, None) => pe & 0xffff,
        (_, own) => own.unwrap_or(pe),
    }
}

/// The points of a group that start: those `inside` the domain, and at location PE only those that
/// pass.
#[inline(always)]
pub fn starting(location: Location, inside: u64, mut passes: impl FnMut(usize) -> bool) -> u64 {
    match location {
        Location::Pe => slots(inside).fold(0, |all, slot| all | u64::from(passes(slot)) << slot),
        Location::Dpp => inside,
    }
}

/// The address of a point's element in the conditional buffer, or the fault of touching it with the
/// fault's address. `contains` tells whether an element at an address is inside memory.
#[inline(always)]
pub fn element(
    surface: &Surface,
    i: u32,
    j: u32,
    contains: impl Fn(u32) -> bool,
) -> Result<u32, (FaultCode, u32)> {
    if !surface.is_writable(i, j) {
        return Err((FaultCode::ConditionOutsideSurface, 0));
    }
    let address = surface.address(i, j);
    if contains(address) { Ok(address) } else { Err((FaultCode::ConditionOutsideMemory, address)) }
}
