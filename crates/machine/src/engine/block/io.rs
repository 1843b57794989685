//! Memory as a group accesses it: views of inputs, slices of outputs, faults.

use super::elements::{self, Places, Transfer};
use super::machine::Machine;
use super::rows::Row;
use crate::engine::groups::{Grouping, Tile, slots};
use crate::engine::writes::{OwnWrites, Write, Writes};
use crate::engine::{Checked, Fault, FaultCode, Faults, Stop, condition};
use crate::launch::Location;
use crate::lower::OWN_VALUE;
use crate::memory::{self, Element, Format, Memory, Surface};
use ctm_isa::float;
use std::ops::Range;

/// Bytes that can be read, and the address of the first.
#[derive(Clone, Copy)]
pub(super) struct View<'m> {
    pub base: u32,
    pub bytes: &'m [u8],
}

impl View<'_> {
    /// Whether it has all bytes of a range.
    pub(super) fn contains(&self, span: &Range<u64>) -> bool {
        let base = self.base as u64;
        base <= span.start && span.end <= base + self.bytes.len() as u64
    }

    /// The bytes of an element, if all are in the view.
    #[inline(always)]
    pub(super) fn get(&self, address: u32, len: usize) -> Option<&[u8]> {
        let offset = address.checked_sub(self.base)? as usize;
        self.bytes.get(offset..offset + len)
    }
}

/// An input of the launch.
pub(super) struct Input<'m> {
    pub surface: Surface,
    /// Every element that is inside memory, unless there is a `fallback`.
    pub view: View<'m>,
    /// Whether the view has all elements that a fetch can read.
    pub complete: bool,
    /// All of memory, if one view does not cover the surface.
    pub fallback: Option<&'m Memory>,
    /// The launch writes the same elements, so fetching another point's element is a hazard.
    pub in_place: bool,
}

/// A part of a written surface that the groups of a band own.
pub(super) struct Out<'m> {
    pub start: u32,
    pub bytes: &'m mut [u8],
}

/// The one of some parts, in ascending order, that has all bytes of a range.
#[inline(always)]
fn part<'a, 'm>(outs: &'a mut [Out<'m>], span: &Range<u64>) -> Option<&'a mut Out<'m>> {
    let after = outs.partition_point(|out| out.start as u64 <= span.start);
    let out = &mut outs[after.checked_sub(1)?];
    (span.end <= out.start as u64 + out.bytes.len() as u64).then_some(out)
}

/// Index of the conditional buffer among the written surfaces.
pub(super) const CONDITION: usize = 4;

/// The data that do not change during a launch.
pub(super) struct LaunchData<'a, 'm> {
    pub launch: &'a Checked<'a>,
    pub inputs: Vec<Option<Input<'m>>>,
    /// The conditional buffer, if it is read and the launch does not write it.
    pub condition: Option<View<'m>>,
    /// All of memory, if nothing is written in place.
    pub memory: Option<&'m Memory>,
    /// The address ranges of memory.
    pub ranges: Vec<Range<u64>>,
}

impl<'a> LaunchData<'a, '_> {
    pub(super) fn new(launch: &'a Checked<'a>, ranges: Vec<Range<u64>>) -> Self {
        LaunchData {
            launch,
            inputs: launch.inputs.iter().map(|_| None).collect(),
            condition: None,
            memory: None,
            ranges,
        }
    }

    #[inline(always)]
    fn contains(&self, address: u32, len: usize) -> bool {
        let (start, end) = (address as u64, address as u64 + len as u64);
        self.ranges.iter().any(|range| range.start <= start && end <= range.end)
    }
}

/// Inputs and outputs of one worker while it runs the groups of a band.
pub(super) struct Io<'a, 'm> {
    pub shared: &'a LaunchData<'a, 'm>,
    pub launch: &'a Checked<'a>,
    pub grouping: Grouping,
    pub limit: u64,
    pub stop: &'a Stop,
    /// The parts of outputs 0 to 3 and of the conditional buffer.
    pub outs: [Vec<Out<'m>>; 5],
    /// Uncached writes of the running group, with their slots.
    pub pending: Vec<(usize, Write)>,
    /// The points' own uncached writes, if the group can fetch them.
    pub own: Option<OwnWrites>,
    /// Writes that cannot be made in place.
    pub writes: Writes,
    pub faults: Faults,
    /// Written inputs from which a point fetched another point's element, bit n.
    pub foreign: u16,
    pub tile: Tile,
    transfer: Transfer,
}

const AT_END: u64 = u64::MAX;

impl<'a, 'm> Io<'a, 'm> {
    pub(super) fn new(
        shared: &'a LaunchData<'a, 'm>,
        stop: &'a Stop,
        outs: [Vec<Out<'m>>; 5],
    ) -> Io<'a, 'm> {
        Io {
            shared,
            launch: shared.launch,
            grouping: shared.launch.grouping,
            limit: shared.launch.limits.instructions,
            stop,
            outs,
            pending: Vec::new(),
            own: shared.launch.reads_back().then(OwnWrites::default),
            writes: Writes::default(),
            faults: Faults::default(),
            foreign: 0,
            tile: Tile { i: 0, j: 0 },
            transfer: Transfer::new(),
        }
    }

    pub(super) fn point(&self, slot: usize) -> (u32, u32) {
        self.grouping.point(self.tile, slot)
    }

    /// Counts a fault of a covered point at the running instruction.
    pub(super) fn point_fault(
        &mut self,
        m: &Machine,
        code: FaultCode,
        slot: usize,
        number: u32,
        word: u32,
    ) {
        if m.covered >> slot & 1 != 0 {
            self.fault(code, slot, m.order(), m.pc, number, word);
        }
    }

    fn fault(&mut self, code: FaultCode, slot: usize, order: u64, pc: u32, number: u32, word: u32) {
        let (i, j) = self.point(slot);
        self.faults.add(code, Fault { count: 1, i, j, order, pc, slot: number, word });
    }

    /// A fault of the whole group.
    pub(super) fn group_fault(&mut self, m: &Machine, code: FaultCode) {
        self.pending.clear();
        let candidates = if m.covered != 0 { m.covered } else { m.started };
        let slot = candidates.trailing_zeros() as usize % 64;
        self.fault(code, slot, m.order(), m.pc, 0, 0);
    }

    /// Writes an element in place if this worker owns its bytes, else at the end of the launch.
    fn store(&mut self, n: usize, address: u32, element: &Element, len: usize, write: Write) {
        let span = address as u64..address as u64 + len as u64;
        if let Some(out) = part(&mut self.outs[n], &span)
            && let Some(place) = out.bytes.get_mut((address - out.start) as usize..)
        {
            element.apply(&mut place[..len]);
        } else if n == CONDITION {
            self.writes.condition.push(write);
        } else {
            self.writes.outputs.push(write);
        }
    }

    /// The points of a tile that start at this slot.
    #[inline(always)]
    pub(super) fn start(&mut self, tile: Tile, slot: u32) -> u64 {
        self.tile = tile;
        let inside = self.grouping.inside(tile);
        let location = self.launch.condition.location;
        condition::starting(location, inside, |point| self.condition(point, None, 0, slot))
    }

    /// The conditional operation of a point. Returns whether the point passed.
    #[inline(never)]
    pub(super) fn condition(&mut self, slot: usize, own: Option<u32>, order: u64, pc: u32) -> bool {
        let state = &self.launch.condition;
        let Some(surface) = state.touched() else {
            return state.test == crate::launch::Test::Always;
        };
        let (test, writes) = (state.test, state.write);
        let v = condition::value(surface.format, state.value, own);
        let len = surface.format.bytes_per_element() as usize;
        let (i, j) = self.point(slot);
        let element =
            condition::element(&surface, i, j, |address| self.shared.contains(address, len));
        let touched = test.reads_buffer();
        let b = match element {
            Ok(address) if touched => self.read_condition(address, surface.format, len),
            _ => 0,
        };
        let passed = condition::passes(test, surface.format, v, b);
        match element {
            Ok(address) if passed && writes => {
                let element = memory::encode_units(surface.format, [v, 0, 0, 0], 1);
                let write = Write { j, i, order: 0, address, element };
                self.store(CONDITION, address, &element, len, write);
            }
            Err((code, word)) if touched || (passed && writes) => {
                self.fault(code, slot, order, pc, 0, word);
            }
            _ => {}
        }
        passed
    }

    fn read_condition(&mut self, address: u32, format: Format, len: usize) -> u32 {
        let span = address as u64..address as u64 + len as u64;
        let own = part(&mut self.outs[CONDITION], &span);
        let own = own.map(|out| View { base: out.start, bytes: out.bytes });
        let from = |view: &View| {
            view.get(address, len).map(|bytes| memory::decode_units(format, bytes)[0])
        };
        own.as_ref()
            .and_then(from)
            .or_else(|| self.shared.condition.as_ref().and_then(from))
            .or_else(|| {
                let bytes = self.shared.memory?.slice(address, len)?;
                Some(memory::decode_units(format, bytes)[0])
            })
            .unwrap_or(0)
    }

    /// Uncached writes of the slots of a mask: values red, green, blue, alpha.
    #[inline(never)]
    pub(super) fn uncached(&mut self, m: &Machine, values: &[Row; 4], mask: u64) {
        let Some(surface) = self.launch.outputs[0].filter(|_| self.launch.out_mask & 1 != 0) else {
            return;
        };
        for slot in slots(mask & m.covered) {
            let [red, green, blue, alpha] = [0, 1, 2, 3].map(|n: usize| values[n].get(slot));
            if !float::is_zero(alpha) {
                self.point_fault(m, FaultCode::UncachedAlpha, slot, 0, alpha);
                continue;
            }
            let index = |x: u32| {
                let x = float::ftz(x);
                if float::is_nan(x) {
                    return None;
                }
                u32::try_from(float::texel_index(x)).ok()
            };
            let (x, y) = (index(green), index(blue));
            let inside = match (x, y) {
                (Some(x), Some(y)) => surface.is_writable(x, y),
                _ => false,
            };
            if !inside {
                let bad_x = x.is_none_or(|x| x >= surface.pitch);
                let word = if bad_x { green } else { blue };
                self.point_fault(m, FaultCode::UncachedOutsideSurface, slot, 0, word);
                continue;
            }
            let address = surface.address(x.unwrap_or(0), y.unwrap_or(0));
            if !self.shared.contains(address, 4) {
                self.point_fault(m, FaultCode::UncachedOutsideMemory, slot, 0, address);
                continue;
            }
            let (i, j) = self.point(slot);
            let write = Write {
                j,
                i,
                order: m.order(),
                address,
                element: memory::encode(Format::Float32x1, [red, 0, 0, 0], 1),
            };
            if let Some(own) = &mut self.own {
                own.add(slot, address, red);
            }
            self.pending.push((slot, write));
        }
    }

    /// Ends every point of a group that did not fault: conditional operation, then outputs.
    #[inline(always)]
    pub(super) fn end_points(&mut self, m: &Machine, prepared: &super::code::Prepared, pc: u32) {
        let mut passed = m.covered;
        let state = &self.launch.condition;
        let trivial = state.test == crate::launch::Test::Always && state.touched().is_none();
        if state.location == Location::Dpp && !trivial {
            for slot in slots(m.covered) {
                let own = (m.written[OWN_VALUE as usize] >> slot & 1 != 0)
                    .then(|| m.rows.get(prepared.lowered.own_row as usize).map(|row| row.get(slot)))
                    .flatten();
                if !self.condition(slot, own, AT_END, pc) {
                    passed &= !(1 << slot);
                }
            }
        }
        for output in 0..4 {
            if let Some(surface) = self.launch.outputs[output] {
                self.output(m, prepared, output, &surface, passed, pc);
            }
        }
        // A killed point is not tested: its uncached writes remain.
        let failed = m.covered & !passed;
        for (slot, write) in self.pending.drain(..) {
            if failed >> slot & 1 == 0 {
                self.writes.uncached.push(write);
            }
        }
    }

    #[inline(always)]
    fn output(
        &mut self,
        m: &Machine,
        prepared: &super::code::Prepared,
        output: usize,
        surface: &Surface,
        passed: u64,
        pc: u32,
    ) {
        let format = surface.format;
        let mask = self.launch.out_mask & ((1 << format.channels()) - 1);
        let mut masks = [0u64; 4];
        let mut values = [&Row::ZERO; 4];
        for channel in 0..4 {
            if mask >> channel & 1 != 0
                && let Some(row) = m.output_row(prepared, 4 * output + channel)
            {
                masks[channel] = m.written[4 * output + channel] & passed;
                values[channel] = row;
            }
        }
        let any = masks.iter().fold(0, |any, mask| any | mask);
        if any == 0 {
            return;
        }
        let whole = masks[..format.channels() as usize].iter().all(|&mask| mask == any);
        if !(whole && self.fits(surface) && self.whole_elements(output, surface, &values, any)) {
            self.slots(output, surface, &values, &masks, pc);
        }
    }

    /// Whether all points of the tile that the domain has are inside a surface.
    fn fits(&self, surface: &Surface) -> bool {
        let (Tile { i, j }, domain) = (self.tile, &self.launch.domain);
        (i + self.grouping.width - 1).min(domain.i1) < surface.pitch
            && (j + self.grouping.height - 1).min(domain.j1) < surface.height
    }

    /// Writes the channels of masks, one point after the other.
    #[inline(never)]
    fn slots(
        &mut self,
        output: usize,
        surface: &Surface,
        values: &[&Row; 4],
        masks: &[u64; 4],
        pc: u32,
    ) {
        let format = surface.format;
        let len = format.bytes_per_element() as usize;
        let any = masks.iter().fold(0, |any, mask| any | mask);
        for slot in slots(any) {
            let (i, j) = self.point(slot);
            if !surface.is_writable(i, j) {
                let code = FaultCode::OutputOutsideSurface;
                self.fault(code, slot, AT_END, pc, output as u32, 0);
                continue;
            }
            let address = surface.address(i, j);
            let channels = [0, 1, 2, 3].map(|n: usize| values[n].get(slot));
            let lane_mask = (0..4).fold(0u8, |mask, n| mask | ((masks[n] >> slot & 1) as u8) << n);
            let element = memory::encode(format, channels, lane_mask);
            if !self.shared.contains(address, len) {
                let code = FaultCode::OutputOutsideMemory;
                self.fault(code, slot, AT_END, pc, output as u32, address);
                continue;
            }
            let write = Write { j, i, order: output as u64, address, element };
            self.store(output, address, &element, len, write);
        }
    }

    /// Writes all channels of the points of a mask in place. Returns `false`, and writes nothing, if
    /// this worker does not own their memory.
    #[inline(always)]
    fn whole_elements(
        &mut self,
        output: usize,
        surface: &Surface,
        values: &[&Row; 4],
        mask: u64,
    ) -> bool {
        let outs = &mut self.outs[output];
        if outs.is_empty() {
            return false;
        }
        let Transfer { places, addresses, block } = &mut self.transfer;
        set_places(places, self.grouping, self.tile);
        addresses.set(places, surface);
        let len = surface.format.bytes_per_element();
        // The rows of surfaces that lie between each other are parts of their own.
        let step = if part(outs, &addresses.span(mask, len)).is_some() { 64 } else { 8 };
        let masks = || (0..64).step_by(step).map(|first| mask & u64::MAX >> (64 - step) << first);
        let masks = || masks().filter(|&mask| mask != 0);
        if masks().any(|mask| part(outs, &addresses.span(mask, len)).is_none()) {
            return false;
        }
        elements::pack(surface.format, &elements::encode(surface.format, values), block);
        for mask in masks() {
            if let Some(out) = part(outs, &addresses.span(mask, len)) {
                elements::write(out.bytes, out.start, surface.format, addresses, mask, block);
            }
        }
        true
    }
}

/// The points of a tile as places in a surface.
#[inline(always)]
fn set_places(places: &mut Places, grouping: Grouping, tile: Tile) {
    places.grid = grouping.width == 8;
    if places.grid {
        for k in 0..8 {
            places.lines[k] = tile.i + k as u32;
            places.lines[8 + k] = tile.j + k as u32;
        }
    } else {
        (places.x, places.y) = coordinates(grouping, tile);
    }
}

/// The points of a tile, as rows of i and j.
#[inline(always)]
pub(super) fn coordinates(grouping: Grouping, tile: Tile) -> (Row, Row) {
    let (mut x, mut y) = (Row::ZERO, Row::ZERO);
    let log2 = grouping.width.trailing_zeros();
    let (x_row, y_row) = (x.0.as_flattened_mut(), y.0.as_flattened_mut());
    for (slot, (x, y)) in x_row.iter_mut().zip(y_row).enumerate() {
        *x = tile.i + (slot as u32 & (grouping.width - 1));
        *y = tile.j + (slot as u32 >> log2);
    }
    (x, y)
}
