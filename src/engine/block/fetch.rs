//! Input fetches for 64 points at once.
//!
//! Most fetches are of a *grid*: one column of the input for each column of the group, one row for
//! each of its rows. Then eight lanes of each coordinate are all there is to compute.

use super::code::Code;
use super::elements::{self, Places};
use super::io::{Input, Io};
use super::lanes::{Exact, Fast, Mode};
use super::machine::Machine;
use super::rows::Row;
use crate::engine::FaultCode;
use crate::engine::groups::slots;
use crate::float;
use crate::launch::FloatMode;
use crate::lower::FetchBits;
use crate::memory::{self, Wrap};

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
    let texels = texels(m, code, io.launch.mode, input);
    let channels = code.aux >> FetchBits::CHANNELS_SHIFT & 15;
    let mut texel = [Row::ZERO; 4];
    let mut failed = Failed { slots: 0, addresses: Row::ZERO };
    if input.surface.tiling.is_2x2() {
        // c0 to c3 are the first channels of the neighbours. The first one outside memory faults.
        for (channel, (dx, dy)) in [(1, 0), (0, 1), (1, 1), (0, 0)].into_iter().enumerate() {
            if channels >> channel & 1 != 0 || !input.complete {
                let mut one = [Row::ZERO; 4];
                gather(io, input, &texels.moved(dx, dy, input), lanes, 1, &mut one, &mut failed);
                texel[channel] = one[0];
            }
        }
    } else {
        let places = texels.moved(0, 0, input);
        gather(io, input, &places, lanes, channels, &mut texel, &mut failed);
    }
    for (n, row) in texel.iter().enumerate() {
        if channels >> n & 1 != 0 {
            m.rows[code.dst as usize + n] = *row;
        }
    }
    for slot in slots(failed.slots) {
        let address = failed.addresses.get(slot);
        io.point_fault(m, FaultCode::InputOutsideMemory, slot, number as u32, address);
    }
    if input.in_place && is_foreign(io, input, &texels, lanes & m.covered) {
        io.foreign |= 1 << number;
    }
}

/// The texels of a fetch, before they are brought inside the input.
#[inline(always)]
fn texels(m: &Machine, code: &Code, mode: FloatMode, input: &Input) -> Places {
    let has = |bit: u16| code.aux & bit != 0;
    let [mut x, mut y] = [m.rows[code.src[0] as usize], m.rows[code.src[1] as usize]];
    if has(FetchBits::PROJECT) {
        let mut q = m.rows[code.src[2] as usize];
        each(q.0.as_flattened_mut(), float::rcp);
        for row in [&mut x, &mut y] {
            for (x, &q) in row.0.as_flattened_mut().iter_mut().zip(q.0.as_flattened()) {
                *x = scale(mode, *x, q);
            }
        }
    }
    let grid = is_grid(&x, &y);
    let count = if grid { 8 } else { 64 };
    if grid {
        let rows = y;
        for (y, row) in y.0.as_flattened_mut().iter_mut().zip(rows.eights()) {
            *y = row[0];
        }
    }
    for (row, size) in [(&mut x, input.surface.width), (&mut y, input.surface.height)] {
        let lanes = &mut row.0.as_flattened_mut()[..count];
        if !has(FetchBits::UNSCALED) {
            let size = (size as f32).to_bits();
            each(lanes, |x| scale(mode, x, size));
        }
        each(lanes, |x| float::texel_index(x) as u32);
    }
    Places { x, y, grid }
}

/// Whether each lane has the first coordinate of its column and the second one of its row.
#[inline(always)]
fn is_grid(x: &Row, y: &Row) -> bool {
    let (x, y) = (x.eights(), y.eights());
    let mut differ = [0; 8];
    for row in 0..8 {
        for column in 0..8 {
            differ[column] |= (x[row][column] ^ x[0][column]) | (y[row][column] ^ y[row][0]);
        }
    }
    differ == [0; 8]
}

#[inline(always)]
fn scale(mode: FloatMode, x: u32, by: u32) -> u32 {
    match mode {
        FloatMode::Exact => Exact::scale(x, by),
        FloatMode::Fast => Fast::scale(x, by),
    }
}

#[inline(always)]
fn each(lanes: &mut [u32], f: impl Fn(u32) -> u32) {
    for lanes in lanes.as_chunks_mut::<8>().0 {
        for x in lanes {
            *x = f(*x);
        }
    }
}

impl Places {
    /// The elements that many columns and rows (0 or 1) further on, inside the input.
    #[inline(always)]
    fn moved(&self, dx: i32, dy: i32, input: &Input) -> Places {
        let mut places = *self;
        let count = if self.grid { 8 } else { 64 };
        let surface = &input.surface;
        let axes = [(&mut places.x, dx, surface.width), (&mut places.y, dy, surface.height)];
        for (row, by, size) in axes {
            let lanes = &mut row.0.as_flattened_mut()[..count];
            let size = size.max(1) as i32;
            match surface.wrap {
                // Coordinates beyond the edge by more than one are first limited to one: no
                // overflow.
                Wrap::Clamp => {
                    each(lanes, |x| ((x as i32).clamp(-1, size) + by).clamp(0, size - 1) as u32);
                }
                Wrap::Repeat => {
                    each(lanes, |x| (x as i32 as i64 + by as i64).rem_euclid(size as i64) as u32)
                }
            }
        }
        places
    }

    /// The texel of a slot.
    fn texel(&self, slot: usize) -> (i64, i64) {
        let (x, y) = if self.grid { (slot % 8, slot / 8) } else { (slot, slot) };
        (self.x.get(x) as i32 as i64, self.y.get(y) as i32 as i64)
    }
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
    places: &Places,
    lanes: u64,
    channels: u16,
    texel: &mut [Row; 4],
    failed: &mut Failed,
) {
    if input.complete && io.own.is_none() {
        let addresses = places.addresses(&input.surface);
        let (view, format) = (&input.view, input.surface.format);
        elements::read(view.bytes, view.base, format, &addresses, channels, texel);
    } else {
        gather_slots(io, input, &places.each(&input.surface), lanes, texel, failed);
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
            let (x, y) = texels.texel(slot);
            (wrapped(x, surface.width), wrapped(y, surface.height)) != io.point(slot)
        })
}
