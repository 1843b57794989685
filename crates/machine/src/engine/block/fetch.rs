//! Input fetches for 64 points at once.
//!
//! Most fetches are of a *grid*: one column of the input for each column of the group, one row for
//! each of its rows. Then eight lanes of each coordinate are all there is to compute.

use super::code::Code;
use super::elements::{self, Places, Transfer};
use super::io::{Input, Io};
use super::lanes::{Exact, Fast, Mode};
use super::machine::{Machine, Scratch};
use super::rows::Row;
use crate::engine::FaultCode;
use crate::engine::groups::slots;
use crate::launch::FloatMode;
use crate::lower::FetchBits;
use crate::memory::{self, Surface, Wrap};
use ctm_isa::float;

/// Executes a fetch.
#[inline(always)]
pub(super) fn execute(m: &mut Machine, code: &Code, io: &mut Io) {
    m.statistics.fetches += (m.active.mask & m.covered).count_ones() as u64;
    let has = |bit: u16| code.aux & bit != 0;
    if has(FetchBits::DEAD) {
        return;
    }
    let number = (code.aux & FetchBits::INPUT) as usize;
    let shared = io.shared;
    let Some(input) = &shared.inputs[number] else {
        return;
    };
    let mut lanes = if has(FetchBits::ALL) { u64::MAX } else { m.active.mask };
    if has(FetchBits::IGNORE_UNCOVERED) {
        lanes &= m.covered;
    }
    if lanes == 0 {
        return;
    }
    let channels = code.aux >> FetchBits::CHANNELS_SHIFT & 15;
    let mut failed = Failed { slots: 0, addresses: Row::ZERO };
    let Scratch { texels, transfer, texel, one } = &mut *m.scratch;
    set_texels(texels, &m.rows, code, io.launch.mode, &input.surface);
    if input.surface.tiling.is_2x2() {
        // c0 to c3 are the first channels of the neighbours. The first one outside memory faults.
        for (channel, (dx, dy)) in [(1, 0), (0, 1), (1, 1), (0, 0)].into_iter().enumerate() {
            if channels >> channel & 1 != 0 || !input.complete {
                move_inside(&mut transfer.places, texels, dx, dy, &input.surface);
                gather(io, input, transfer, lanes, 1, one, &mut failed);
                texel[channel] = one[0];
            }
        }
    } else {
        move_inside(&mut transfer.places, texels, 0, 0, &input.surface);
        gather(io, input, transfer, lanes, channels, texel, &mut failed);
    }
    for (n, row) in texel.iter().enumerate() {
        if channels >> n & 1 != 0 {
            m.rows[code.dst as usize + n] = *row;
        }
    }
    if input.in_place && is_foreign(io, input, texels, lanes & m.covered) {
        io.foreign |= 1 << number;
    }
    for slot in slots(failed.slots) {
        let address = failed.addresses.get(slot);
        io.point_fault(m, FaultCode::InputOutsideMemory, slot, number as u32, address);
    }
}

/// Computes the texels of a fetch, before they are brought inside the input.
#[inline(always)]
fn set_texels(texels: &mut Places, rows: &[Row], code: &Code, mode: FloatMode, surface: &Surface) {
    let is_scaled = code.aux & FetchBits::UNSCALED == 0;
    let (mut x, mut y) = (&rows[code.src[0] as usize], &rows[code.src[1] as usize]);
    if code.aux & FetchBits::PROJECT != 0 {
        let q = &rows[code.src[2] as usize];
        for k in 0..4 {
            for lane in 0..16 {
                let factor = float::rcp(q.0[k][lane]);
                texels.x.0[k][lane] = scale(mode, x.0[k][lane], factor);
                texels.y.0[k][lane] = scale(mode, y.0[k][lane], factor);
            }
        }
        (x, y) = (&texels.x, &texels.y);
    }
    texels.grid = is_grid(x, y);
    if texels.grid {
        for k in 0..8 {
            texels.lines[k] = x.eights()[0][k];
            texels.lines[8 + k] = y.eights()[k][0];
        }
        let sizes = both(surface.width, surface.height);
        texels.lines = indices(&texels.lines, &sizes, is_scaled, mode);
        return;
    }
    let (x, y) = (*x, *y);
    for k in 0..4 {
        texels.x.0[k] = indices(&x.0[k], &[surface.width; 16], is_scaled, mode);
        texels.y.0[k] = indices(&y.0[k], &[surface.height; 16], is_scaled, mode);
    }
}

/// Texel indices from coordinates along axes of these sizes.
#[inline(always)]
fn indices(lanes: &[u32; 16], sizes: &[u32; 16], is_scaled: bool, mode: FloatMode) -> [u32; 16] {
    let mut lanes = *lanes;
    if is_scaled {
        for k in 0..16 {
            lanes[k] = scale(mode, lanes[k], (sizes[k] as f32).to_bits());
        }
    }
    let mut out = [0; 16];
    for k in 0..16 {
        out[k] = float::texel_index(lanes[k]) as u32;
    }
    out
}

/// One value for eight columns, one for eight rows.
#[inline(always)]
fn both(column: u32, row: u32) -> [u32; 16] {
    let mut values = [column; 16];
    for value in &mut values[8..] {
        *value = row;
    }
    values
}

/// Whether all lanes of a column have one first coordinate, and all lanes of a row one second coordinate.
#[inline(always)]
fn is_grid(x: &Row, y: &Row) -> bool {
    let (mut column, mut differ) = ([0; 16], [0; 16]);
    for (lane, column) in column.iter_mut().enumerate() {
        *column = x.0[0][lane & 7];
    }
    for k in 0..4 {
        let row = both(y.0[k][0], y.0[k][8]);
        for lane in 0..16 {
            differ[lane] |= (x.0[k][lane] ^ column[lane]) | (y.0[k][lane] ^ row[lane]);
        }
    }
    differ == [0; 16]
}

#[inline(always)]
fn scale(mode: FloatMode, x: u32, by: u32) -> u32 {
    match mode {
        FloatMode::Exact | FloatMode::Chip => Exact::scale(x, by),
        FloatMode::Fast => Fast::scale(x, by),
    }
}

/// Computes the elements that many columns and rows (0 or 1) further on, inside the input.
#[inline(always)]
fn move_inside(places: &mut Places, texels: &Places, dx: u32, dy: u32, surface: &Surface) {
    let (width, height) = (surface.width.max(1), surface.height.max(1));
    places.grid = texels.grid;
    if texels.grid {
        let sizes = both(width, height);
        places.lines = inside(&texels.lines, &both(dx, dy), &sizes, surface.wrap);
        return;
    }
    for k in 0..4 {
        places.x.0[k] = inside(&texels.x.0[k], &[dx; 16], &[width; 16], surface.wrap);
        places.y.0[k] = inside(&texels.y.0[k], &[dy; 16], &[height; 16], surface.wrap);
    }
}

/// Texel indices, moved and brought into 0..size.
#[inline(always)]
fn inside(lanes: &[u32; 16], by: &[u32; 16], sizes: &[u32; 16], wrap: Wrap) -> [u32; 16] {
    let mut out = [0; 16];
    match wrap {
        // Coordinates beyond the edge by more than one are first limited to one: no overflow.
        Wrap::Clamp => {
            for k in 0..16 {
                let size = sizes[k] as i32;
                let near = (lanes[k] as i32).max(-1).min(size) + by[k] as i32;
                out[k] = near.max(0).min(size - 1) as u32;
            }
        }
        Wrap::Repeat => {
            for k in 0..16 {
                let moved = lanes[k] as i32 as i64 + by[k] as i64;
                out[k] = moved.rem_euclid(sizes[k] as i64) as u32;
            }
        }
    }
    out
}

/// The texel of a slot.
fn texel_of(texels: &Places, slot: usize) -> (i64, i64) {
    let (x, y) = if texels.grid {
        (texels.lines[slot % 8], texels.lines[8 + slot / 8])
    } else {
        (texels.x.get(slot), texels.y.get(slot))
    };
    (x as i32 as i64, y as i32 as i64)
}

/// The slots whose element is outside memory, and the addresses of the first such elements.
struct Failed {
    slots: u64,
    addresses: Row,
}

/// Reads the elements of the lanes of a mask as channels, including the points' own uncached
/// writes. An element outside memory reads as zero bytes.
#[inline(always)]
fn gather(
    io: &Io,
    input: &Input,
    transfer: &mut Transfer,
    lanes: u64,
    channels: u16,
    texel: &mut [Row; 4],
    failed: &mut Failed,
) {
    let Transfer { places, addresses, block } = transfer;
    if input.complete && io.own.is_none() {
        addresses.set(places, &input.surface);
        let (view, format) = (&input.view, input.surface.format);
        elements::read(view.bytes, view.base, format, addresses, channels, block, texel);
    } else {
        gather_slots(io, input, addresses.set_each(places, &input.surface), lanes, texel, failed);
    }
}

/// Like [`gather`], one slot after the other.
#[inline(never)]
fn gather_slots(
    io: &Io,
    input: &Input,
    addresses: &Row,
    lanes: u64,
    texel: &mut [Row; 4],
    failed: &mut Failed,
) {
    let format = input.surface.format;
    *texel = [Row::ZERO; 4];
    for slot in slots(lanes) {
        let address = addresses.get(slot);
        let mut element = [0; 16];
        let bytes = &mut element[..format.bytes_per_element() as usize];
        match element_bytes(input, address, bytes.len()) {
            Some(memory) => {
                bytes.copy_from_slice(memory);
                if let Some(own) = &io.own {
                    own.cover(slot, address, bytes);
                }
            }
            None if failed.slots >> slot & 1 == 0 => {
                failed.slots |= 1 << slot;
                failed.addresses.set(slot, address);
            }
            None => {}
        }
        for (row, x) in texel.iter_mut().zip(memory::decode(format, bytes)) {
            row.set(slot, x);
        }
    }
}

/// The bytes of an element, if they are in memory.
fn element_bytes<'m>(input: &'m Input, address: u32, len: usize) -> Option<&'m [u8]> {
    let memory = || input.fallback?.slice(address, len);
    input.view.get(address, len).or_else(memory)
}

/// Whether any of some points fetches an element of another point.
#[inline(never)]
fn is_foreign(io: &Io, input: &Input, texels: &Places, points: u64) -> bool {
    let surface = &input.surface;
    let wrapped = |v, size| memory::wrap_coordinate(surface.wrap, v, size);
    surface.tiling.is_2x2() && points != 0
        || slots(points).any(|slot| {
            let (x, y) = texel_of(texels, slot);
            (wrapped(x, surface.width), wrapped(y, surface.height)) != io.point(slot)
        })
}
