//! Elements in memory and rows of words, eight lanes at a time.
//!
//! An element is one to four 32-bit words in little-endian order; a shorter one is extended with
//! zeros. Loops exist for each size of an element, not for each format: channels are taken out of
//! whole rows of words, and put into them.

use super::rows::Row;
use crate::float;
use crate::memory::{Format, Surface, translate};
use std::ops::Range;

/// Where elements are: columns and rows of a surface, in 64 lanes.
#[derive(Clone, Copy)]
pub(super) struct Places {
    /// The columns.
    pub x: Row,
    /// The rows.
    pub y: Row,
    /// Lane 8 r + c has column c and row r of `x` and `y`, of which only eight lanes count.
    pub grid: bool,
}

/// The addresses of elements.
pub(super) enum Addresses {
    /// Of the first of eight adjacent elements.
    Blocks([u32; 8]),
    /// Of an element that eight lanes share.
    Shared([u32; 8]),
    /// Of each lane's element.
    Each(Row),
}

impl Addresses {
    /// A range that contains the elements of the lanes of a mask, of `len` bytes each.
    #[inline(always)]
    pub(super) fn span(&self, mask: u64, len: u32) -> Range<u64> {
        let (mut low, mut high) = (u32::MAX, 0);
        for eight in 0..8 {
            let lanes = (mask >> (8 * eight)) as u8;
            if lanes == 0 {
                continue;
            }
            let (from, to) = match self {
                Addresses::Blocks(firsts) => {
                    let lane = |n: u32| firsts[eight].wrapping_add(n * len);
                    (lane(lanes.trailing_zeros()), lane(7 - lanes.leading_zeros()))
                }
                Addresses::Shared(firsts) => (firsts[eight], firsts[eight]),
                Addresses::Each(row) => {
                    let (mut from, mut to) = (u32::MAX, 0);
                    for (lane, &address) in row.eights()[eight].iter().enumerate() {
                        let is_set = lanes >> lane & 1 != 0;
                        from = from.min(if is_set { address } else { u32::MAX });
                        to = to.max(if is_set { address } else { 0 });
                    }
                    (from, to)
                }
            };
            low = low.min(from);
            high = high.max(to);
        }
        low as u64..high as u64 + len as u64
    }
}

impl Places {
    /// The addresses, in the simplest form.
    #[inline(always)]
    pub(super) fn addresses(&self, surface: &Surface) -> Addresses {
        let len = surface.format.bytes_per_element();
        if !self.grid {
            let row = self.each(surface);
            let eights = row.eights();
            let (mut adjacent, mut shared) = (0, 0);
            for lanes in eights {
                for (k, &address) in lanes.iter().enumerate() {
                    adjacent |= address ^ lanes[0].wrapping_add(k as u32 * len);
                    shared |= address ^ lanes[0];
                }
            }
            let mut firsts = [0; 8];
            for (first, lanes) in firsts.iter_mut().zip(eights) {
                *first = lanes[0];
            }
            return match (adjacent, shared) {
                (_, 0) => Addresses::Shared(firsts),
                (0, _) => Addresses::Blocks(firsts),
                _ => Addresses::Each(row),
            };
        }
        let (columns, rows) = self.parts(surface);
        let (mut adjacent, mut shared) = (surface.tiling.is_tiled() as u32, 0);
        for (k, &column) in columns.iter().enumerate() {
            adjacent |= column ^ columns[0].wrapping_add(k as u32 * len);
            shared |= column ^ columns[0];
        }
        if adjacent != 0 && shared != 0 {
            return Addresses::Each(self.each(surface));
        }
        let mut firsts = rows;
        for first in &mut firsts {
            *first = translate::join(surface.tiling.is_tiled(), columns[0], *first);
        }
        if shared == 0 { Addresses::Shared(firsts) } else { Addresses::Blocks(firsts) }
    }

    /// The addresses of all lanes.
    #[inline(always)]
    pub(super) fn each(&self, surface: &Surface) -> Row {
        let is_tiled = surface.tiling.is_tiled();
        let mut out = Row::ZERO;
        if self.grid {
            let (columns, rows) = self.parts(surface);
            for (lanes, row) in out.eights_mut().iter_mut().zip(rows) {
                for (lane, column) in lanes.iter_mut().zip(columns) {
                    *lane = translate::join(is_tiled, column, row);
                }
            }
            return out;
        }
        let lanes = out.0.as_flattened_mut().iter_mut();
        let places = self.x.0.as_flattened().iter().zip(self.y.0.as_flattened());
        let (log2, base, pitch) = (surface.format.bytes_log2(), surface.base, surface.pitch);
        if is_tiled {
            for (lane, (&x, &y)) in lanes.zip(places) {
                *lane = translate::tiled(log2, base, pitch, x, y);
            }
        } else {
            for (lane, (&x, &y)) in lanes.zip(places) {
                *lane = translate::linear(log2, base, pitch, x, y);
            }
        }
        out
    }

    /// The parts of a grid's addresses that depend on columns and on rows, see [`translate::join`].
    #[inline(always)]
    fn parts(&self, surface: &Surface) -> ([u32; 8], [u32; 8]) {
        let (mut columns, mut rows) = (self.x.eights()[0], self.y.eights()[0]);
        let (log2, base, pitch) = (surface.format.bytes_log2(), surface.base, surface.pitch);
        if surface.tiling.is_tiled() {
            for k in 0..8 {
                columns[k] = translate::tiled(log2, 0, pitch, columns[k], 0);
                rows[k] = translate::tiled(log2, base, pitch, 0, rows[k]);
            }
        } else {
            for k in 0..8 {
                columns[k] = translate::linear(log2, 0, pitch, columns[k], 0);
                rows[k] = translate::linear(log2, base, pitch, 0, rows[k]);
            }
        }
        (columns, rows)
    }
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

/// Puts eight elements into the eighth `eight` of W rows.
#[inline(always)]
fn put<const L: usize, const W: usize>(block: &[[u8; L]], eight: usize, texel: &mut [Row; 4]) {
    let mut lanes = [[0; 8]; W];
    for (k, element) in block.iter().enumerate().take(8) {
        let words = words::<L, W>(element);
        for n in 0..W {
            lanes[n][k] = words[n];
        }
    }
    for n in 0..W {
        texel[n].eights_mut()[eight] = lanes[n];
    }
}

/// Reads elements of L bytes, W words, from `bytes`, which begin at address `base`.
#[inline(always)]
fn gather<const L: usize, const W: usize>(
    bytes: &[u8],
    base: u32,
    addresses: &Addresses,
    texel: &mut [Row; 4],
) {
    let at = |address: u32| address.wrapping_sub(base) as usize;
    for eight in 0..8 {
        let mut block = [[0; L]; 8];
        match addresses {
            Addresses::Blocks(firsts) | Addresses::Shared(firsts)
                if eight > 0 && firsts[eight] == firsts[eight - 1] =>
            {
                for row in &mut texel[..W] {
                    row.eights_mut()[eight] = row.eights()[eight - 1];
                }
                continue;
            }
            Addresses::Blocks(firsts) => {
                if let Some(bytes) = bytes.get(at(firsts[eight])..at(firsts[eight]) + 8 * L) {
                    block.as_flattened_mut().copy_from_slice(bytes);
                }
            }
            Addresses::Shared(firsts) => {
                if let Some(element) = bytes.get(at(firsts[eight])..at(firsts[eight]) + L) {
                    block[0].copy_from_slice(element);
                }
                let words = words::<L, W>(&block[0]);
                for n in 0..W {
                    texel[n].eights_mut()[eight] = [words[n]; 8];
                }
                continue;
            }
            Addresses::Each(row) => {
                for (element, &address) in block.iter_mut().zip(&row.eights()[eight]) {
                    if let Some(bytes) = bytes.get(at(address)..at(address) + L) {
                        element.copy_from_slice(bytes);
                    }
                }
            }
        }
        put::<L, W>(&block, eight, texel);
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
    texel: &mut [Row; 4],
) {
    match format.bytes_per_element() {
        1 => gather::<1, 1>(bytes, base, addresses, texel),
        2 => gather::<2, 1>(bytes, base, addresses, texel),
        4 => gather::<4, 1>(bytes, base, addresses, texel),
        8 => gather::<8, 2>(bytes, base, addresses, texel),
        _ => gather::<16, 4>(bytes, base, addresses, texel),
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

/// Writes elements of the lanes of a mask into `bytes`, which begin at address `base`. All are
/// inside.
#[inline(always)]
pub(super) fn write(
    bytes: &mut [u8],
    base: u32,
    format: Format,
    addresses: &Addresses,
    mask: u64,
    words: &[Row; 4],
) {
    match format.bytes_per_element() {
        1 => scatter::<1, 1>(bytes, base, addresses, mask, words),
        2 => scatter::<2, 1>(bytes, base, addresses, mask, words),
        4 => scatter::<4, 1>(bytes, base, addresses, mask, words),
        8 => scatter::<8, 2>(bytes, base, addresses, mask, words),
        _ => scatter::<16, 4>(bytes, base, addresses, mask, words),
    }
}

#[inline(always)]
fn scatter<const L: usize, const W: usize>(
    bytes: &mut [u8],
    base: u32,
    addresses: &Addresses,
    mask: u64,
    words: &[Row; 4],
) {
    for eight in 0..8 {
        let lanes = (mask >> (8 * eight)) as u8;
        let mut block = [[0; L]; 8];
        for k in 0..8 {
            for n in 0..W {
                let word = words[n].eights()[eight][k].to_le_bytes();
                let len = if L < 4 { L } else { 4 };
                block[k][4 * n..4 * n + len].copy_from_slice(&word[..len]);
            }
        }
        let at = |address: u32| address.wrapping_sub(base) as usize;
        if let Addresses::Blocks(firsts) = addresses
            && lanes == u8::MAX
        {
            if let Some(place) = bytes.get_mut(at(firsts[eight])..at(firsts[eight]) + 8 * L) {
                place.copy_from_slice(block.as_flattened());
            }
            continue;
        }
        for k in 0..8 {
            let address = match addresses {
                Addresses::Blocks(firsts) => firsts[eight].wrapping_add((k * L) as u32),
                Addresses::Shared(firsts) => firsts[eight],
                Addresses::Each(row) => row.eights()[eight][k],
            };
            if lanes >> k & 1 != 0
                && let Some(place) = bytes.get_mut(at(address)..at(address) + L)
            {
                place.copy_from_slice(&block[k]);
            }
        }
    }
}
