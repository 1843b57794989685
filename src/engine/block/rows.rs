//! Rows of 64 lanes and the loops over them.
//!
//! A loop loads a chunk of every operand, computes, and stores, so an operand may be the
//! destination. The compiler vectorises the inner loops for the instruction set that the caller is
//! compiled for. Therefore everything here is always inlined.

use super::code::Code;
use super::lanes::Operation;
use crate::ops;

/// Lanes of a chunk: one vector of the widest instruction set in use.
const CHUNK: usize = 16;
/// Chunks of a row.
const CHUNKS: usize = 64 / CHUNK;

/// One scalar of each of the 64 points of a group.
#[repr(C, align(64))]
#[derive(Clone, Copy)]
pub(super) struct Row(pub [[u32; CHUNK]; CHUNKS]);

impl Row {
    pub(super) const ZERO: Row = Row([[0; CHUNK]; CHUNKS]);

    #[inline(always)]
    pub(super) fn splat(value: u32) -> Row {
        Row([[value; CHUNK]; CHUNKS])
    }
    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> u32 {
        self.0[lane / CHUNK % CHUNKS][lane % CHUNK]
    }
    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, value: u32) {
        self.0[lane / CHUNK % CHUNKS][lane % CHUNK] = value;
    }
    /// All ones in the lanes of a mask, zero in the others.
    #[inline(always)]
    pub(super) fn from_mask(mask: u64) -> Row {
        let mut row = Row::ZERO;
        for (k, chunk) in row.0.iter_mut().enumerate() {
            let part = (mask >> (k * CHUNK)) as u32;
            for (lane, x) in chunk.iter_mut().enumerate() {
                *x = (part >> lane & 1).wrapping_neg();
            }
        }
        row
    }
}

/// An operand, ready to be read: its row and its modifiers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Source {
    pub row: u32,
    /// All ones, except for an absolute value.
    pub and: u32,
    /// The sign bit, for a negation.
    pub xor: u32,
    pub flush: bool,
}

#[inline(always)]
fn load<const PLAIN: bool>(rows: &[Row], source: &Source, k: usize) -> [u32; CHUNK] {
    let mut x = rows[source.row as usize].0[k];
    if !PLAIN {
        let flush = if source.flush { crate::float::EXPONENT } else { 0 };
        for x in &mut x {
            let value = (*x & source.and) ^ source.xor;
            let denormal = source.flush && value & flush == 0;
            *x = if denormal { value & crate::float::SIGN } else { value };
        }
    }
    x
}

/// dst = f(a, b, c, d) in the lanes of the mask, or in all. `SWITCH` is the switch in `aux`.
#[inline(always)]
pub(super) fn map<O: Operation, const PLAIN: bool, const SWITCH: bool, const MASKED: bool>(
    rows: &mut [Row],
    code: &Code,
    mask: &Row,
) {
    // Unused operands are not read; row 0 takes their place.
    let source = |n: usize| {
        if n < O::OPERANDS { &code.src[n] } else { &code.src[0] }
    };
    let aux = if SWITCH { code.aux | ops::SWITCH } else { code.aux & !ops::SWITCH };
    for k in 0..CHUNKS {
        let a = load::<PLAIN>(rows, source(0), k);
        let b = load::<PLAIN>(rows, source(1), k);
        let c = load::<PLAIN>(rows, source(2), k);
        let d = load::<PLAIN>(rows, source(3), k);
        let mut out = [0; CHUNK];
        for lane in 0..CHUNK {
            out[lane] = O::f([a[lane], b[lane], c[lane], d[lane]], aux);
        }
        let place = &mut rows[code.dst as usize].0[k];
        if MASKED {
            for lane in 0..CHUNK {
                out[lane] = out[lane] & mask.0[k][lane] | place[lane] & !mask.0[k][lane];
            }
        }
        *place = out;
    }
}

/// The lanes where f holds.
#[inline(always)]
pub(super) fn test(rows: &[Row], source: &Source, f: impl Fn(u32) -> bool) -> u64 {
    let mut mask = 0u64;
    for k in 0..CHUNKS {
        let a = load::<false>(rows, source, k);
        let mut part = 0u32;
        for (lane, &x) in a.iter().enumerate() {
            part |= (f(x) as u32) << lane;
        }
        mask |= (part as u64) << (k * CHUNK);
    }
    mask
}

/// A row as an operand reads it.
#[inline(always)]
pub(super) fn read(rows: &[Row], source: &Source) -> Row {
    let mut row = Row::ZERO;
    for k in 0..CHUNKS {
        row.0[k] = load::<false>(rows, source, k);
    }
    row
}
