//! Input fetches for 64 points at once.

use super::code::Code;
use super::flow::slots;
use super::io::{Input, Io, View};
use super::lanes::Mode;
use super::machine::Machine;
use super::rows::{self, Row};
use crate::engine::FaultCode;
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
    let mut lanes = if has(FetchBits::ALL) {
        u64::MAX
    } else {
        m.active
    };
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
        // c0 to c3 are the neighbours' first channels; the first outside memory is the fault.
        for (channel, (dx, dy)) in [(1, 0), (0, 1), (1, 1), (0, 0)].into_iter().enumerate() {
            let addresses = addresses(surface, &s, &t, dx, dy);
            let mut one = [Row::ZERO; 4];
            let outside = gather(input, &addresses, lanes, &mut one) & !failed;
            for slot in slots(outside) {
                first_fault.set(slot, addresses.get(slot));
            }
            failed |= outside;
            texel[channel] = one[0];
        }
    } else {
        let addresses = addresses(surface, &s, &t, 0, 0);
        failed = gather(input, &addresses, lanes, &mut texel);
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

/// Coordinates plus (dx, dy), clamped or wrapped, as addresses.
#[inline(always)]
fn addresses(surface: &Surface, x: &Row, y: &Row, dx: i32, dy: i32) -> Row {
    let (mut x, mut y) = (*x, *y);
    place(&mut x, dx, surface.width, surface.wrap);
    place(&mut y, dy, surface.height, surface.wrap);
    translate(surface, &x, &y)
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
        (false, 1) => layout!(linear, 1),
        (false, 2) => layout!(linear, 2),
        (false, 3) => layout!(linear, 3),
        (false, _) => layout!(linear, 4),
        (true, 1) => layout!(tiled, 1),
        (true, 2) => layout!(tiled, 2),
        (true, 3) => layout!(tiled, 3),
        (true, _) => layout!(tiled, 4),
    }
    out
}

/// One coordinate of 64 texels: moved by `by` and brought into 0..size.
#[inline(always)]
fn place(row: &mut Row, by: i32, size: u32, wrap: Wrap) {
    let size = size.max(1);
    match wrap {
        Wrap::Clamp => {
            let last = (size - 1) as i32;
            // Saturating: what is beyond i32 is beyond the edge either way.
            each(row, |x| (x as i32).saturating_add(by).clamp(0, last) as u32);
        }
        Wrap::Repeat => each(row, |x| {
            (x as i32 as i64 + by as i64).rem_euclid(size as i64) as u32
        }),
    }
}

/// Reads the elements of the lanes of a mask as channels; the lanes whose element is outside
/// memory and so reads as zero bytes.
#[inline(always)]
fn gather(input: &Input, addresses: &Row, lanes: u64, texel: &mut [Row; 4]) -> u64 {
    let format = input.surface.format;
    let len = format.bytes_per_element() as usize;
    // Inactive lanes have addresses inside the surface too, so all can be read where all fit.
    if let Some(bytes) = covering(&input.view, addresses, len) {
        let offset = |slot: usize| (addresses.get(slot) - input.view.base) as usize;
        match format {
            Format::Float32x4 => words::<4>(bytes, offset, texel),
            Format::Float32x2 => {
                words::<2>(bytes, offset, texel);
                texel[3] = Row::splat(float::ONE);
            }
            Format::Float32x1 => {
                words::<1>(bytes, offset, texel);
                texel[3] = Row::splat(float::ONE);
            }
            _ => {
                for slot in 0..64 {
                    let at = offset(slot);
                    put(texel, slot, format, bytes.get(at..at + len).unwrap_or(&[]));
                }
            }
        }
        return 0;
    }
    let mut outside = 0;
    for slot in slots(lanes) {
        let address = addresses.get(slot);
        let bytes = input.view.get(address, len).or_else(|| {
            let memory = input.fallback?;
            memory.slice(address, len)
        });
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

/// The view's bytes, if the elements of all 64 addresses are inside.
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

/// Reads N words per element into the first N rows.
#[inline(always)]
fn words<const N: usize>(bytes: &[u8], offset: impl Fn(usize) -> usize, texel: &mut [Row; 4]) {
    for slot in 0..64 {
        let at = offset(slot);
        let Some(element) = bytes.get(at..at + 4 * N) else {
            continue;
        };
        for (n, row) in texel.iter_mut().enumerate().take(N) {
            let word = [0, 1, 2, 3].map(|byte| element[4 * n + byte]);
            row.set(slot, u32::from_le_bytes(word));
        }
    }
}
