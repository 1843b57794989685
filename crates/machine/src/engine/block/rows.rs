//! Rows of 64 lanes and the loops over them.
//!
//! A loop loads a chunk of every operand, computes, and stores, so an operand may be the
//! destination. The compiler vectorises the inner loops for the instruction set that the caller is
//! compiled for. Therefore everything here is always inlined, and each operation has one loop:
//! modifiers and masks are loops of their own.

use super::code::Code;
use super::lanes::Operation;
use crate::lower::Operand;
use ctm_isa::float::{EXPONENT, SIGN};
use ctm_isa::ops;

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
    /// The row as eight times eight lanes. In a group of 8 x 8 points these are its rows.
    #[inline(always)]
    pub(super) fn eights(&self) -> &[[u32; 8]] {
        self.0.as_flattened().as_chunks().0
    }
    #[inline(always)]
    pub(super) fn eights_mut(&mut self) -> &mut [[u32; 8]] {
        self.0.as_flattened_mut().as_chunks_mut().0
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

/// Row `to` = f(a, b, c, d). `SWITCH` is the switch in `aux`.
#[inline(always)]
pub(super) fn map<O: Operation, const SWITCH: bool>(rows: &mut [Row], code: &Code, to: u32) {
    // Unused operands are not read; the first one takes their place.
    let source = |n: usize| code.src[if n < O::OPERANDS { n } else { 0 }] as usize;
    let (a, b, c, d) = (source(0), source(1), source(2), source(3));
    let aux = if SWITCH { code.aux | ops::SWITCH } else { code.aux & !ops::SWITCH };
    for k in 0..CHUNKS {
        let (a, b, c, d) = (rows[a].0[k], rows[b].0[k], rows[c].0[k], rows[d].0[k]);
        let mut out = [0; CHUNK];
        for lane in 0..CHUNK {
            out[lane] = O::f([a[lane], b[lane], c[lane], d[lane]], aux);
        }
        rows[to as usize].0[k] = out;
    }
}

/// Copies the lanes of a mask from one row to another.
#[inline(always)]
pub(super) fn blend(rows: &mut [Row], to: u32, from: u32, mask: &Row) {
    let (from, to) = (from as usize, to as usize);
    for k in 0..CHUNKS {
        let (new, old, mask) = (rows[from].0[k], rows[to].0[k], mask.0[k]);
        let mut out = [0; CHUNK];
        for lane in 0..CHUNK {
            out[lane] = new[lane] & mask[lane] | old[lane] & !mask[lane];
        }
        rows[to].0[k] = out;
    }
}

/// Row `dst` = row a with the modifiers in `aux`, see [`super::code::MODIFIERS`].
#[inline(always)]
pub(super) fn modify(rows: &mut [Row], code: &Code) {
    let modifiers = Operand((code.aux as u32) << super::code::MODIFIERS);
    let and = if modifiers.has(Operand::ABS) { !SIGN } else { u32::MAX };
    let xor = if modifiers.has(Operand::NEG) { SIGN } else { 0 };
    // Without a flush only zeros are flushed.
    let exponent = if modifiers.has(Operand::FLUSH) { EXPONENT } else { u32::MAX };
    for k in 0..CHUNKS {
        let mut x = rows[code.src[0] as usize].0[k];
        for x in &mut x {
            let value = (*x & and) ^ xor;
            *x = if value & exponent == 0 { value & SIGN } else { value };
        }
        rows[code.dst as usize].0[k] = x;
    }
}

/// The lanes where f holds.
#[inline(always)]
pub(super) fn test(row: &Row, f: impl Fn(u32) -> bool) -> u64 {
    let mut mask = 0u64;
    for (k, [low, high]) in row.0.as_chunks().0.iter().enumerate() {
        // Bits of two chunks in each lane, then all lanes together: the compiler vectorises this.
        let mut bits = [0u32; CHUNK];
        for lane in 0..CHUNK {
            bits[lane] = (f(low[lane]) as u32) << lane | (f(high[lane]) as u32) << (lane + CHUNK);
        }
        let part = bits.iter().fold(0, |all, bit| all | bit);
        mask |= (part as u64) << (k * 2 * CHUNK);
    }
    mask
}
