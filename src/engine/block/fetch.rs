//! Input fetches for 64 points at once.

use super::code::Code;
use super::io::{Input, Io, View};
use super::lanes::Mode;
use super::machine::Machine;
use super::rows::{self, Row};
use crate::engine::FaultCode;
use crate::engine::groups::slots;
use crate::float;
use crate::lower::FetchBits;
use crate::memory::{self, Format, Surface, Wrap};

/// Executes a fetch.
#[inline(always)]
pub(super) fn execute<M: Mode>(m: &mut Machine, code: &Code, io: &mut Io) {
    m.statistics.fetches += (m.active & m.covered).count_ones() as u64;
    let has = |bit: u16| code.aux & bit != 0;
    if has(FetchBits::DEAD) {
        return;
    }
    let number = (code.aux & FetchBits::INPUT) as usize;
    let shared = io.shared;
    let Some(input) = &shared.inputs[number] else {
        return;
    };
    let mut lanes = if has(FetchBits::ALL) { u64::MAX } else { m.active };
    if has(FetchBits::IGNORE_UNCOVERED) {
        lanes &= m.covered;
    }
    if lanes == 0 {
        return;
    }
    let surface = &input.surface;
    let mut s = rows::read(&m.rows, &code.src[0]);
    let mut t = rows::read(&m.rows, &code.src[1]);
    if has(FetchBits::PROJECT) {
        let mut q = rows::read(&m.rows, &code.src[2]);
        each(&mut q, float::rcp);
        scale_row::<M>(&mut s, &q);
        scale_row::<M>(&mut t, &q);
    }
    if !has(FetchBits::UNSCALED) {
        let width = (surface.width as f32).to_bits();
        let height = (surface.height as f32).to_bits();
        each(&mut s, |x| M::scale(x, width));
        each(&mut t, |x| M::scale(x, height));
    }
    each(&mut s, |x| float::texel_index(x) as u32);
    each(&mut t, |x| float::texel_index(x) as u32);

    let mut failed = 0;
    let mut texel = [Row::ZERO; 4];
    let mut first_fault = Row::ZERO;
    if surface.tiling.is_2x2() {
        // c0 to c3 are the first channels of the neighbours. The first one outside memory faults.
        let columns = [0, 1].map(|by| place(&s, by, surface.width, surface.wrap));
        let rows = [0, 1].map(|by| place(&t, by, surface.height, surface.wrap));
        for (channel, (dx, dy)) in [(1, 0), (0, 1), (1, 1), (0, 0)].into_iter().enumerate() {
            let addresses = translate(surface, &columns[dx], &rows[dy]);
            let mut one = [Row::ZERO; 4];
            let outside = gather(io, input, &addresses, lanes, &mut one) & !failed;
            for slot in slots(outside) {
                first_fault.set(slot, addresses.get(slot));
            }
            failed |= outside;
            texel[channel] = one[0];
        }
    } else {
        let x = place(&s, 0, surface.width, surface.wrap);
        let y = place(&t, 0, surface.height, surface.wrap);
        let addresses = translate(surface, &x, &y);
        failed = gather(io, input, &addresses, lanes, &mut texel);
        first_fault = addresses;
    }
    let channels = code.aux >> FetchBits::CHANNELS_SHIFT & 15;
    for (n, row) in texel.iter().enumerate() {
        if channels >> n & 1 != 0 {
            m.rows[code.dst as usize + n] = *row;
        }
    }
    for slot in slots(failed) {
        let address = first_fault.get(slot);
        let code = FaultCode::InputOutsideMemory;
        io.point_fault(m, code, slot, number as u32, address);
    }
    if input.in_place {
        for slot in slots(lanes & m.covered) {
            let (i, j) = io.point(slot);
            let wrapped =
                |x: u32, size| memory::wrap_coordinate(surface.wrap, x as i32 as i64, size);
            let own = wrapped(s.get(slot), surface.width) == i
                && wrapped(t.get(slot), surface.height) == j;
            if !own || surface.tiling.is_2x2() {
                io.foreign |= 1 << number;
            }
        }
    }
}

#[inline(always)]
fn each(row: &mut Row, f: impl Fn(u32) -> u32) {
    for chunk in &mut row.0 {
        for x in chunk {
            *x = f(*x);
        }
    }
}

#[inline(always)]
fn scale_row<M: Mode>(row: &mut Row, by: &Row) {
    for (chunk, by) in row.0.iter_mut().zip(&by.0) {
        for (x, by) in chunk.iter_mut().zip(by) {
            *x = M::scale(*x, *by);
        }
    }
}

/// The addresses of 64 elements.
#[inline(always)]
pub(super) fn translate(surface: &Surface, x: &Row, y: &Row) -> Row {
    let mut out = Row::ZERO;
    let Surface { base, pitch, .. } = *surface;
    macro_rules! layout {
        ($function:ident, $log2:literal) => {
            for k in 0..x.0.len() {
                for lane in 0..x.0[k].len() {
                    out.0[k][lane] = memory::translate::$function(
                        $log2,
                        base,
                        pitch,
                        x.0[k][lane],
                        y.0[k][lane],
                    );
                }
            }
        };
    }
    match (surface.tiling.is_tiled(), surface.format.bytes_log2()) {
        (false, 0) => layout!(linear, 0),
        (false, 1) => layout!(linear, 1),
        (false, 2) => layout!(linear, 2),
        (false, 3) => layout!(linear, 3),
        (false, _) => layout!(linear, 4),
        (true, 0) => layout!(tiled, 0),
        (true, 1) => layout!(tiled, 1),
        (true, 2) => layout!(tiled, 2),
        (true, 3) => layout!(tiled, 3),
        (true, _) => layout!(tiled, 4),
    }
    out
}

/// One coordinate of 64 texels, moved by `by` (0 or 1) and brought into 0..size.
#[inline(always)]
fn place(row: &Row, by: i32, size: u32, wrap: Wrap) -> Row {
    let mut row = *row;
    let size = size.max(1) as i32;
    match wrap {
        // Coordinates beyond the edge by more than one are first limited to one: no overflow.
        Wrap::Clamp => {
            each(&mut row, |x| ((x as i32).clamp(-1, size) + by).clamp(0, size - 1) as u32)
        }
        Wrap::Repeat => {
            each(&mut row, |x| (x as i32 as i64 + by as i64).rem_euclid(size as i64) as u32)
        }
    }
    row
}

/// Reads the elements of the lanes of a mask as channels, including the points' own uncached
/// writes. Returns the lanes whose element is outside memory and so reads as zero bytes.
#[inline(always)]
fn gather(io: &Io, input: &Input, addresses: &Row, lanes: u64, texel: &mut [Row; 4]) -> u64 {
    let outside = gather_memory(input, addresses, lanes, texel);
    if let Some(own) = &io.own {
        let format = input.surface.format;
        for slot in slots(lanes & !outside) {
            let address = addresses.get(slot);
            let mut element = [0; 16];
            let bytes = &mut element[..format.bytes_per_element() as usize];
            if let Some(memory) = element_bytes(input, address, bytes.len()) {
                bytes.copy_from_slice(memory);
            }
            if own.cover(slot, address, bytes) {
                put(texel, slot, format, bytes);
            }
        }
    }
    outside
}

/// The bytes of an element, if they are in memory.
#[inline(always)]
fn element_bytes<'m>(input: &'m Input, address: u32, len: usize) -> Option<&'m [u8]> {
    let memory = || input.fallback?.slice(address, len);
    input.view.get(address, len).or_else(memory)
}

#[inline(always)]
fn gather_memory(input: &Input, addresses: &Row, lanes: u64, texel: &mut [Row; 4]) -> u64 {
    let format = input.surface.format;
    let len = format.bytes_per_element() as usize;
    // Inactive lanes have addresses inside the surface too, so if all 64 fit, all can be read.
    if let Some(bytes) = covering(&input.view, addresses, len) {
        let base = input.view.base;
        match format {
            Format::Float32x4 => elements::<4, 4>(bytes, base, addresses, texel),
            Format::Float32x2 => elements::<2, 4>(bytes, base, addresses, texel),
            Format::Float32x1 => elements::<1, 4>(bytes, base, addresses, texel),
            Format::Uint8x4 => {
                elements::<1, 4>(bytes, base, addresses, texel);
                let word = texel[0];
                for (row, shift) in texel.iter_mut().zip([16, 8, 0, 24]) {
                    *row = word;
                    each(row, |x| x >> shift);
                }
            }
            Format::Uint8x2 => elements::<2, 1>(bytes, base, addresses, texel),
            Format::Uint8x1 => elements::<1, 1>(bytes, base, addresses, texel),
            Format::Uint16x4 => elements::<4, 2>(bytes, base, addresses, texel),
            Format::Uint16x2 => elements::<2, 2>(bytes, base, addresses, texel),
            Format::Uint16x1 => elements::<1, 2>(bytes, base, addresses, texel),
        }
        let channels = format.channels() as usize;
        for row in &mut texel[..channels] {
            match format.bytes_per_channel() {
                1 => each(row, float::from_unorm8),
                2 => each(row, float::from_unorm16),
                _ => {}
            }
        }
        if channels < 4 {
            texel[3] = Row::splat(float::ONE);
        }
        return 0;
    }
    let mut outside = 0;
    for slot in slots(lanes) {
        let address = addresses.get(slot);
        let bytes = element_bytes(input, address, len);
        if bytes.is_none() {
            outside |= 1 << slot;
        }
        put(texel, slot, format, bytes.unwrap_or(&[]));
    }
    outside
}

#[inline(always)]
fn put(texel: &mut [Row; 4], slot: usize, format: Format, bytes: &[u8]) {
    let channels = memory::decode(format, bytes);
    for (row, x) in texel.iter_mut().zip(channels) {
        row.set(slot, x);
    }
}

/// The view's bytes, if it covers the elements of all 64 addresses.
#[inline(always)]
fn covering<'m>(view: &View<'m>, addresses: &Row, len: usize) -> Option<&'m [u8]> {
    let (mut low, mut high) = (u32::MAX, 0);
    for chunk in &addresses.0 {
        for &address in chunk {
            low = low.min(address);
            high = high.max(address);
        }
    }
    let end = view.base as u64 + view.bytes.len() as u64;
    (view.base <= low && high as u64 + len as u64 <= end).then_some(view.bytes)
}

/// Reads N units of B bytes per element into the first N rows.
///
/// The three loops differ in how often they check bounds. Most programs fetch one element for all
/// points, or each point's own element from rows of eight neighbours.
#[inline(always)]
fn elements<const N: usize, const B: usize>(
    bytes: &[u8],
    base: u32,
    addresses: &Row,
    texel: &mut [Row; 4],
) {
    let unit = |bytes: &[u8; B]| {
        let mut word = [0; 4];
        word[..B].copy_from_slice(bytes);
        u32::from_le_bytes(word)
    };
    let flat = addresses.0.as_flattened();
    let first = flat[0];
    let len = (B * N) as u32;
    let mut same = true;
    let mut runs = true;
    for (eight, addresses) in flat.as_chunks::<8>().0.iter().enumerate() {
        let start = flat[8 * eight];
        for (k, &address) in addresses.iter().enumerate() {
            same &= address == first;
            runs &= address == start.wrapping_add(k as u32 * len);
        }
    }
    if same {
        let at = (first - base) as usize;
        if let Some(element) = bytes.get(at..at + B * N) {
            for (row, bytes) in texel.iter_mut().zip(element.as_chunks::<B>().0) {
                *row = Row::splat(unit(bytes));
            }
        }
    } else if runs {
        for eight in 0..8 {
            let at = (flat[8 * eight] - base) as usize;
            let Some(block) = bytes.get(at..at + 8 * B * N) else {
                continue;
            };
            let block = block.as_chunks::<B>().0;
            for k in 0..8 {
                for (n, row) in texel.iter_mut().enumerate().take(N) {
                    row.set(8 * eight + k, unit(&block[k * N + n]));
                }
            }
        }
    } else {
        for (slot, &address) in flat.iter().enumerate() {
            let at = (address - base) as usize;
            if let Some(element) = bytes.get(at..at + B * N) {
                for (row, bytes) in texel.iter_mut().zip(element.as_chunks::<B>().0) {
                    row.set(slot, unit(bytes));
                }
            }
        }
    }
}
