//! Elements in memory and rows of words, eight lanes at a time.
//!
//! An element is one to four 32-bit words in little-endian order; a shorter one is extended with
//! zeros. Loops exist for each size of an element, not for each format: channels are taken out of
//! whole rows of words, and put into them.

use super::rows::Row;
use crate::memory::{Format, Surface, translate};
use ctm_isa::float;
use std::ops::Range;

/// Positions of elements in a surface.
pub(super) struct Places {
    /// Lane 8 r + c has column c and row r of `lines`: eight columns, then eight rows. `x` and `y`
    /// mean nothing.
    pub grid: bool,
    pub lines: [u32; 16],
    /// The column of each lane.
    pub x: Row,
    /// The row of each lane.
    pub y: Row,
}

/// The pattern of addresses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pattern {
    /// Eight lanes have adjacent elements.
    Blocks,
    /// Eight lanes share an element.
    Shared,
    /// Any other.
    Each,
}

/// The addresses of elements.
pub(super) struct Addresses {
    pattern: Pattern,
    /// The addresses of every eighth lane, unless the pattern is [`Pattern::Each`].
    firsts: [u32; 8],
    /// The addresses of all lanes, if the pattern is [`Pattern::Each`].
    each: Row,
}

/// Buffers of a transfer between memory and rows. Their contents mean nothing between two uses.
pub(super) struct Transfer {
    pub places: Places,
    pub addresses: Addresses,
    /// 64 elements.
    pub block: Block,
}

/// A buffer for 64 elements.
pub(super) type Block = [u8; 1024];

impl Transfer {
    pub(super) fn new() -> Transfer {
        Transfer {
            places: Places { grid: false, lines: [0; 16], x: Row::ZERO, y: Row::ZERO },
            addresses: Addresses { pattern: Pattern::Each, firsts: [0; 8], each: Row::ZERO },
            block: [0; 1024],
        }
    }
}

impl Addresses {
    /// Computes the addresses of elements, in the simplest form.
    #[inline(always)]
    pub(super) fn set(&mut self, places: &Places, surface: &Surface) {
        let len = surface.format.bytes_per_element();
        let is_tiled = surface.tiling.is_tiled();
        let (mut adjacent, mut shared) = (0, 0);
        if places.grid {
            let parts = parts(&places.lines, surface);
            for k in 0..8 {
                adjacent |= parts[k] ^ parts[0].wrapping_add(k as u32 * len);
                shared |= parts[k] ^ parts[0];
                self.firsts[k] = translate::join(is_tiled, parts[0], parts[8 + k]);
            }
            adjacent |= is_tiled as u32;
            if adjacent != 0 && shared != 0 {
                join(&parts, is_tiled, &mut self.each);
            }
        } else {
            self.set_each(places, surface);
            for (first, lanes) in self.firsts.iter_mut().zip(self.each.eights()) {
                *first = lanes[0];
                for k in 0..8 {
                    adjacent |= lanes[k] ^ lanes[0].wrapping_add(k as u32 * len);
                    shared |= lanes[k] ^ lanes[0];
                }
            }
        }
        self.pattern = match (adjacent, shared) {
            (_, 0) => Pattern::Shared,
            (0, _) => Pattern::Blocks,
            _ => Pattern::Each,
        };
    }

    /// Computes the addresses of all lanes.
    #[inline(always)]
    pub(super) fn set_each(&mut self, places: &Places, surface: &Surface) -> &Row {
        self.pattern = Pattern::Each;
        if places.grid {
            join(&parts(&places.lines, surface), surface.tiling.is_tiled(), &mut self.each);
        } else {
            let base = [surface.base; 16];
            for (k, out) in self.each.0.iter_mut().enumerate() {
                *out = translated(&base, &places.x.0[k], &places.y.0[k], surface);
            }
        }
        &self.each
    }

    /// A range that contains the elements of the lanes of a mask, of `len` bytes each.
    #[inline(always)]
    pub(super) fn span(&self, mask: u64, len: u32) -> Range<u64> {
        let (mut low, mut high) = (u32::MAX, 0);
        for eight in 0..8 {
            let lanes = (mask >> (8 * eight)) as u8;
            if lanes == 0 {
                continue;
            }
            let (mut from, mut to) = (self.firsts[eight], self.firsts[eight]);
            match self.pattern {
                Pattern::Blocks => {
                    from = from.wrapping_add(lanes.trailing_zeros() * len);
                    to = to.wrapping_add((7 - lanes.leading_zeros()) * len);
                }
                Pattern::Shared => {}
                Pattern::Each => {
                    (from, to) = (u32::MAX, 0);
                    for (lane, &address) in self.each.eights()[eight].iter().enumerate() {
                        let is_set = lanes >> lane & 1 != 0;
                        from = from.min(if is_set { address } else { u32::MAX });
                        to = to.max(if is_set { address } else { 0 });
                    }
                }
            }
            low = low.min(from);
            high = high.max(to);
        }
        low as u64..high as u64 + len as u64
    }
}

/// The addresses of a grid from their parts.
#[inline(always)]
fn join(parts: &[u32; 16], is_tiled: bool, out: &mut Row) {
    for (lanes, &row) in out.eights_mut().iter_mut().zip(&parts[8..]) {
        for k in 0..8 {
            lanes[k] = translate::join(is_tiled, parts[k], row);
        }
    }
}

/// The parts of a grid's addresses that depend on its columns and its rows, see
/// [`translate::join`].
#[inline(always)]
fn parts(lines: &[u32; 16], surface: &Surface) -> [u32; 16] {
    let (mut base, mut x, mut y) = ([0; 16], *lines, *lines);
    for k in 0..8 {
        base[8 + k] = surface.base;
        x[8 + k] = 0;
        y[k] = 0;
    }
    translated(&base, &x, &y, surface)
}

/// The addresses of 16 elements.
#[inline(always)]
fn translated(base: &[u32; 16], x: &[u32; 16], y: &[u32; 16], surface: &Surface) -> [u32; 16] {
    let (log2, pitch) = (surface.format.bytes_log2(), surface.pitch);
    let mut out = [0; 16];
    if surface.tiling.is_tiled() {
        for lane in 0..16 {
            out[lane] = translate::tiled(log2, base[lane], pitch, x[lane], y[lane]);
        }
    } else {
        for lane in 0..16 {
            out[lane] = translate::linear(log2, base[lane], pitch, x[lane], y[lane]);
        }
    }
    out
}

/// The words of an element.
#[inline(always)]
fn words<const L: usize, const W: usize>(element: &[u8; L]) -> [u32; W] {
    let mut words = [0; W];
    for (n, word) in words.iter_mut().enumerate() {
        let mut bytes = [0; 4];
        let len = if L < 4 { L } else { 4 };
        bytes[..len].copy_from_slice(&element[4 * n..4 * n + len]);
        *word = u32::from_le_bytes(bytes);
    }
    words
}

/// Reads elements of L bytes, W words, from `bytes`, which begin at address `base`.
#[inline(always)]
fn gather<const L: usize, const W: usize>(
    bytes: &[u8],
    base: u32,
    addresses: &Addresses,
    block: &mut Block,
    texel: &mut [Row; 4],
) {
    let at = |address: u32| address.wrapping_sub(base) as usize;
    let block = &mut block.as_chunks_mut::<L>().0[..64];
    match addresses.pattern {
        Pattern::Blocks => {
            let firsts = &addresses.firsts;
            for (block, &first) in block.as_chunks_mut::<8>().0.iter_mut().zip(firsts) {
                if let Some(bytes) = bytes.get(at(first)..at(first) + 8 * L) {
                    block.as_flattened_mut().copy_from_slice(bytes);
                }
            }
        }
        Pattern::Shared => {
            for (eight, &first) in addresses.firsts.iter().enumerate() {
                if let Some(element) = bytes.get(at(first)..).and_then(|rest| rest.first_chunk()) {
                    let words = words::<L, W>(element);
                    for n in 0..W {
                        texel[n].eights_mut()[eight] = [words[n]; 8];
                    }
                }
            }
            return;
        }
        Pattern::Each => {
            let each = addresses.each.0.as_flattened();
            for (element, &address) in block.iter_mut().zip(each) {
                if let Some(bytes) = bytes.get(at(address)..at(address) + L) {
                    element.copy_from_slice(bytes);
                }
            }
        }
    }
    for (k, element) in block.iter().enumerate() {
        let words = words::<L, W>(element);
        for n in 0..W {
            texel[n].0.as_flattened_mut()[k] = words[n];
        }
    }
}

/// Reads elements as the channels in the mask `channels`. All are inside `bytes`, which begin at
/// address `base`.
#[inline(always)]
pub(super) fn read(
    bytes: &[u8],
    base: u32,
    format: Format,
    addresses: &Addresses,
    channels: u16,
    block: &mut Block,
    texel: &mut [Row; 4],
) {
    match format.bytes_per_element() {
        1 => gather::<1, 1>(bytes, base, addresses, block, texel),
        2 => gather::<2, 1>(bytes, base, addresses, block, texel),
        4 => gather::<4, 1>(bytes, base, addresses, block, texel),
        8 => gather::<8, 2>(bytes, base, addresses, block, texel),
        _ => gather::<16, 4>(bytes, base, addresses, block, texel),
    }
    let words = *texel;
    for (channel, row) in texel.iter_mut().enumerate() {
        if channels >> channel & 1 == 0 || format == Format::Float32x4 {
            continue;
        }
        if channel >= format.channels() as usize {
            *row = Row::splat(if channel == 3 { float::ONE } else { 0 });
            continue;
        }
        let (word, shift) = place(format, channel);
        *row = words[word];
        let lanes = row.0.as_flattened_mut();
        match format.bytes_per_channel() {
            1 => {
                for x in lanes {
                    *x = float::from_unorm8(*x >> shift);
                }
            }
            2 => {
                for x in lanes {
                    *x = float::from_unorm16(*x >> shift);
                }
            }
            _ => {}
        }
    }
}

/// The word of an element that has a channel, and the channel's first bit in it.
#[inline(always)]
fn place(format: Format, channel: usize) -> (usize, u32) {
    match format {
        Format::Uint8x4 => (0, [16, 8, 0, 24][channel & 3]),
        _ => {
            let bit = 8 * format.bytes_per_channel() * channel as u32;
            ((bit / 32) as usize, bit % 32)
        }
    }
}

/// The words of elements with these channels.
#[inline(always)]
pub(super) fn encode(format: Format, channels: &[&Row; 4]) -> [Row; 4] {
    let mut words = [Row::ZERO; 4];
    for (channel, from) in channels.iter().enumerate().take(format.channels() as usize) {
        let (word, shift) = place(format, channel);
        let lanes = words[word].0.as_flattened_mut().iter_mut().zip(from.0.as_flattened());
        match format.bytes_per_channel() {
            1 => {
                for (word, &x) in lanes {
                    *word |= float::unorm8(x) << shift;
                }
            }
            2 => {
                for (word, &x) in lanes {
                    *word |= float::unorm16(x) << shift;
                }
            }
            _ => words[word] = **from,
        }
    }
    words
}

/// Puts elements of these words into a block.
#[inline(always)]
pub(super) fn pack(format: Format, words: &[Row; 4], block: &mut Block) {
    match format.bytes_per_element() {
        1 => pack_by::<1, 1>(words, block),
        2 => pack_by::<2, 1>(words, block),
        4 => pack_by::<4, 1>(words, block),
        8 => pack_by::<8, 2>(words, block),
        _ => pack_by::<16, 4>(words, block),
    }
}

#[inline(always)]
fn pack_by<const L: usize, const W: usize>(words: &[Row; 4], block: &mut Block) {
    for (k, element) in block.as_chunks_mut::<L>().0.iter_mut().take(64).enumerate() {
        for n in 0..W {
            let word = words[n].0.as_flattened()[k].to_le_bytes();
            let len = if L < 4 { L } else { 4 };
            element[4 * n..4 * n + len].copy_from_slice(&word[..len]);
        }
    }
}

/// Writes the elements of a block in the lanes of a mask into `bytes`, which begin at address
/// `base`. All are inside.
#[inline(always)]
pub(super) fn write(
    bytes: &mut [u8],
    base: u32,
    format: Format,
    addresses: &Addresses,
    mask: u64,
    block: &Block,
) {
    match format.bytes_per_element() {
        1 => write_by::<1>(bytes, base, addresses, mask, block),
        2 => write_by::<2>(bytes, base, addresses, mask, block),
        4 => write_by::<4>(bytes, base, addresses, mask, block),
        8 => write_by::<8>(bytes, base, addresses, mask, block),
        _ => write_by::<16>(bytes, base, addresses, mask, block),
    }
}

#[inline(always)]
fn write_by<const L: usize>(
    bytes: &mut [u8],
    base: u32,
    addresses: &Addresses,
    mask: u64,
    block: &Block,
) {
    let at = |address: u32| address.wrapping_sub(base) as usize;
    let eights = block.as_chunks::<L>().0[..64].as_chunks::<8>().0;
    for (eight, block) in eights.iter().enumerate() {
        let lanes = (mask >> (8 * eight)) as u8;
        let first = addresses.firsts[eight];
        if addresses.pattern == Pattern::Blocks && lanes == u8::MAX {
            if let Some(place) = bytes.get_mut(at(first)..at(first) + 8 * L) {
                place.copy_from_slice(block.as_flattened());
            }
            continue;
        }
        if lanes == 0 {
            continue;
        }
        for (k, element) in block.iter().enumerate() {
            let address = match addresses.pattern {
                Pattern::Blocks => first.wrapping_add((k * L) as u32),
                Pattern::Shared => first,
                Pattern::Each => addresses.each.eights()[eight][k],
            };
            if lanes >> k & 1 != 0
                && let Some(place) = bytes.get_mut(at(address)..at(address) + L)
            {
                place.copy_from_slice(element);
            }
        }
    }
}
