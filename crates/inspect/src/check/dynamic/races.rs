//! Elements that several points of a launch write, and fetches of what another point writes.
//!
//! The order of points is undefined on a chip. Here writes take effect in the order of the points,
//! and every fetch reads memory as it was before the launch, except for the point's own uncached
//! writes. The check keeps all writes and fetches that can meet, and compares them when the launch
//! is over.

use super::first_out;
use super::hits::{Hits, Key, What};
use super::names::Told;
use crate::check::{Code, Finding};
use ctm_machine::engine::Checked;
use ctm_machine::engine::checked::{Access as Written, Reader, Writer};
use ctm_machine::engine::reference::{Destination, Step, Store};
use ctm_machine::memory::wrap_coordinate;
use std::collections::HashSet;
use std::mem::take;

/// An access of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// It writes.
    Write(Destination),
    /// It fetches from an input.
    Fetch(usize),
}

/// Some bytes of a word that a point accesses.
#[derive(Clone, Copy, Debug)]
struct Touch {
    word: u32,
    bytes: u8,
    /// The access that it is a part of; one access touches up to four words.
    number: u32,
    pc: u16,
    access: Access,
    point: (u16, u16),
}

/// The accesses of a part of a launch.
pub struct Races {
    writes: Vec<Touch>,
    fetches: Vec<Touch>,
    /// For each input: none of its elements can be written, only by the point itself, or by any.
    inputs: [Meets; 16],
}

/// The elements of an input that the launch can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meets {
    Nothing,
    /// Elements of the same layout: point (i, j) writes element (i, j).
    SameLayout,
    Anything,
}

impl Races {
    /// The check of a launch; `None` if each point writes only elements of its own, and no input
    /// shares memory with what the launch writes.
    pub fn new(launch: &Checked<'_>) -> Option<Races> {
        let mut inputs = [Meets::Nothing; 16];
        for overlap in launch.overlaps.iter() {
            if let Reader::Input(n) = overlap.reader {
                let alone = launch.overlaps.iter().filter(|o| o.reader == overlap.reader).count();
                inputs[n] = if overlap.same_layout && alone == 1 {
                    Meets::SameLayout
                } else {
                    Meets::Anything
                };
            }
        }
        let writes = &launch.writes;
        let apart = !launch.program.umrt()
            && writes.iter().enumerate().all(|(n, one)| {
                let disjoint = |other: &Written<Writer>| {
                    one.span.end <= other.span.start || other.span.end <= one.span.start
                };
                one.surface.elements_disjoint() && writes[n + 1..].iter().all(disjoint)
            });
        if apart && inputs.iter().all(|meets| *meets == Meets::Nothing) {
            return None;
        }
        Some(Races { writes: Vec::new(), fetches: Vec::new(), inputs })
    }

    /// Adds an access to the bytes in `mask` of an element.
    fn touch(list: &mut Vec<Touch>, address: u32, mask: u16, by: (Access, u32), point: (u32, u32)) {
        let number = list.last().map_or(0, |touch| touch.number.wrapping_add(1));
        let (access, pc, point) = (by.0, by.1 as u16, (point.0 as u16, point.1 as u16));
        // An element is aligned to its size, but memory may begin anywhere in a word.
        let shifted = u32::from(mask) << (address & 3);
        for n in 0..5 {
            let bytes = (shifted >> (4 * n) & 15) as u8;
            if bytes != 0 {
                let word = (address & !3).wrapping_add(4 * n);
                list.push(Touch { word, bytes, number, pc, access, point });
            }
        }
    }

    /// Adds the fetches of an instruction.
    pub fn step(&mut self, step: &Step<'_>) {
        for &(slot, fetch) in step.fetches {
            let meets = self.inputs[fetch.input & 15];
            let point = step.before.point(slot);
            let Some(surface) = step.launch.inputs[fetch.input] else { continue };
            let size = if surface.tiling.is_2x2() { 2 } else { 1 };
            let own = meets == Meets::SameLayout && fetch.read == point && size == 1;
            if meets == Meets::Nothing || own || step.before.covered() >> slot & 1 == 0 {
                continue;
            }
            let mask = ((1u32 << surface.format.bytes_per_element()) - 1) as u16;
            let by = (Access::Fetch(fetch.input), step.pc);
            let place = |v: i32, d, size| wrap_coordinate(surface.wrap, i64::from(v) + d, size);
            for dy in 0..size {
                for dx in 0..size {
                    let x = place(fetch.meant.0, dx, surface.width);
                    let y = place(fetch.meant.1, dy, surface.height);
                    Races::touch(&mut self.fetches, surface.address(x, y), mask, by, point);
                }
            }
        }
    }

    /// Adds a write.
    pub fn stored(&mut self, store: &Store) {
        let by = (Access::Write(store.destination), store.pc);
        Races::touch(&mut self.writes, store.address, store.element.byte_mask, by, store.point);
    }

    /// Adds another part of the same launch.
    pub fn append(&mut self, other: Races) {
        for (own, other) in [(&mut self.writes, other.writes), (&mut self.fetches, other.fetches)] {
            let from = own.last().map_or(0, |touch| touch.number.wrapping_add(1));
            own.extend(
                other.into_iter().map(|t| Touch { number: t.number.wrapping_add(from), ..t }),
            );
        }
    }

    /// The writes of the launch, if the part is all of it.
    pub fn into_writes(mut self) -> LaunchWrites {
        self.writes.sort_unstable_by_key(order);
        LaunchWrites(self.writes)
    }

    /// Adds the races of the accesses so far with the writes of the launch. `None`: the part is all of
    /// the launch. The accesses are forgotten.
    pub fn take(&mut self, of_launch: Option<&LaunchWrites>, hits: &mut Hits) {
        let (mut writes, mut fetches) = (take(&mut self.writes), take(&mut self.fetches));
        writes.sort_unstable_by_key(order);
        fetches.sort_unstable_by_key(order);
        let all = of_launch.map_or(&writes[..], |of_launch| &of_launch.0);
        meet_all(&writes, all, hits);
        meet_all(&fetches, all, hits);
    }

    /// Whether there are accesses that no `take` has compared.
    pub fn is_empty(&self) -> bool {
        self.writes.is_empty() && self.fetches.is_empty()
    }
}

/// All writes of a launch, in order.
pub struct LaunchWrites(Vec<Touch>);

fn order(touch: &Touch) -> (u32, u16, u16, u32) {
    (touch.word, touch.point.1, touch.point.0, touch.number)
}

/// Reports the accesses that meet writes by other points. Both are in order.
fn meet_all(accesses: &[Touch], writes: &[Touch], hits: &mut Hits) {
    // An access that touches several words is one race.
    let mut seen = HashSet::new();
    let mut rest = writes;
    for of_word in accesses.chunk_by(|a, b| a.word == b.word) {
        rest = &rest[rest.partition_point(|touch| touch.word < of_word[0].word)..];
        let written = &rest[..rest.partition_point(|touch| touch.word == of_word[0].word)];
        for byte in 0..4 {
            let mut writers = written.iter().filter(|write| write.bytes >> byte & 1 != 0);
            let Some(first) = writers.next() else { continue };
            let second = writers.find(|write| write.point != first.point);
            for touch in of_word.iter().filter(|touch| touch.bytes >> byte & 1 != 0) {
                let other = if touch.point == first.point { second } else { Some(first) };
                if let Some(other) = other
                    && let Access::Write(through) = other.access
                    && seen.insert(touch.number)
                {
                    race(touch, other, through, touch.word + byte, hits);
                }
            }
        }
    }
}

/// Reports an access of an address that another point writes.
fn race(touch: &Touch, other: &Touch, through: Destination, address: u32, hits: &mut Hits) {
    let (access, pc, (i, j)) = (touch.access, u32::from(touch.pc), other.point);
    let code = match access {
        Access::Write(_) => Code::WriteRace,
        Access::Fetch(_) => Code::ReadRace,
    };
    let key = Key { code, pc, what: What::Race(access, through) };
    let (point, other_pc) = ((touch.point.0.into(), touch.point.1.into()), other.pc.into());
    hits.add_points(&[point], key, 0, || {
        move |told: &Told<'_>| {
            // Outputs are written by the last OUT, but named by the first.
            let writer = |by: Destination, pc: u32| match by {
                Destination::Output(n) => first_out(told.program, n, 15).unwrap_or(pc),
                Destination::Uncached | Destination::Condition => pc,
            };
            let (pc, subject, message, label) = match access {
                Access::Write(by) => (
                    writer(by, pc),
                    format!("{by:?} {through:?}"),
                    format!("several points write address 0x{address:08x}"),
                    format!("point ({}, {}): {}", told.point.0, told.point.1, told.destination(by)),
                ),
                Access::Fetch(n) => (
                    pc,
                    format!("i{n} {through:?}"),
                    format!(
                        "{} is read at address 0x{address:08x}, which another point of the launch \
                         writes",
                        told.input(n)
                    ),
                    "sees the memory from before the launch".to_string(),
                ),
            };
            let by = told.destination(through);
            Finding::new(code, Some(pc), subject, message)
                .label(label)
                .note(writer(through, other_pc), format!("point ({i}, {j}) writes it: {by}"))
        }
    });
}
