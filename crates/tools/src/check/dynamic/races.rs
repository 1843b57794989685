//! Elements that several points of a launch write, and fetches of what another point writes.
//!
//! The order of points is undefined on a chip. Here writes take effect in the order of the points,
//! and every fetch reads memory as it was before the launch, except for the point's own uncached
//! writes. The check keeps all writes and fetches that can meet, and compares them when the launch
//! is over.

use super::Setting;
use super::hits::Hits;
use ctm_machine::engine::checked::{Access as Written, Reader, Writer};
use ctm_machine::engine::reference::{Destination, Fetched, GroupState, Store};
use ctm_machine::memory::{Surface, wrap_coordinate};
use std::mem::take;

/// What makes two races the same mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The access of the point.
    pub access: Access,
    /// The instruction; of an output, the last one of the point.
    pub pc: u32,
    /// What the other point writes through.
    pub other: Through,
}

/// An access of a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// It writes.
    Write(Through),
    /// It fetches from an input.
    Fetch(usize),
}

/// What a point writes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Through {
    /// An output at the end of the point.
    Output(usize),
    /// An uncached write.
    Uncached,
    /// The conditional buffer.
    Condition,
}

/// The first race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Detail {
    /// The address of the first byte that both points access.
    pub address: u32,
    /// The other point.
    pub other: (u32, u32),
    /// The instruction of the other point's write.
    pub other_pc: u32,
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
pub struct Races<'a> {
    setting: &'a Setting<'a>,
    writes: Vec<Touch>,
    fetches: Vec<Touch>,
    /// For each input: none of its elements can be written, only by the point itself, or by any.
    inputs: [Meets; 16],
}

/// What of an input the launch can write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meets {
    Nothing,
    /// Elements of the same layout: point (i, j) writes element (i, j).
    SameLayout,
    Anything,
}

pub type RaceHits = Hits<Key, Detail>;

impl<'a> Races<'a> {
    /// The check of a launch; `None` if each point writes only elements of its own, and no input
    /// shares memory with what the launch writes.
    pub fn new(setting: &'a Setting<'a>) -> Option<Races<'a>> {
        let launch = setting.launch;
        let mut inputs = [Meets::Nothing; 16];
        for overlap in launch.overlaps.iter() {
            if let Reader::Input(n) = overlap.reader {
                let alone = launch.overlaps.iter().filter(|o| o.reader == overlap.reader).count();
                inputs[n] = match overlap.same_layout && alone == 1 {
                    true => Meets::SameLayout,
                    false => Meets::Anything,
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
        Some(Races { setting, writes: Vec::new(), fetches: Vec::new(), inputs })
    }

    fn touch(
        list: &mut Vec<Touch>,
        address: u32,
        mask: u16,
        (access, pc): (Access, u32),
        (i, j): (u32, u32),
    ) {
        let number = list.last().map_or(0, |touch| touch.number.wrapping_add(1));
        // An element is aligned to its size, but memory may begin anywhere in a word.
        let shifted = u32::from(mask) << (address & 3);
        for n in 0..5 {
            let bytes = (shifted >> (4 * n) & 15) as u8;
            if bytes != 0 {
                let word = (address & !3).wrapping_add(4 * n);
                let point = (i as u16, j as u16);
                list.push(Touch { word, bytes, number, pc: pc as u16, access, point });
            }
        }
    }

    pub fn load(&mut self, group: &GroupState, slot: usize, fetch: &Fetched) {
        let meets = self.inputs[fetch.input & 15];
        let point = group.point(slot);
        let Some(surface) = self.setting.launch.inputs[fetch.input] else {
            return;
        };
        let gathers = surface.tiling.is_2x2();
        let own = meets == Meets::SameLayout && fetch.read == point && !gathers;
        if meets == Meets::Nothing || own || group.covered() >> slot & 1 == 0 {
            return;
        }
        let mask = ((1u32 << surface.format.bytes_per_element()) - 1) as u16;
        let by = (Access::Fetch(fetch.input), group.pc());
        let last = if gathers { 1 } else { 0 };
        for dy in 0..=last {
            for dx in 0..=last {
                let (x, y) = texel(&surface, fetch, dx, dy);
                Races::touch(&mut self.fetches, surface.address(x, y), mask, by, point);
            }
        }
    }

    pub fn store(&mut self, store: &Store) {
        let through = match store.destination {
            Destination::Output(n) => Through::Output(n),
            Destination::Uncached => Through::Uncached,
            Destination::Condition => Through::Condition,
        };
        let by = (Access::Write(through), store.pc);
        Races::touch(&mut self.writes, store.address, store.element.byte_mask, by, store.point);
    }

    /// Adds another part of the same launch.
    pub fn append(&mut self, other: Races<'_>) {
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

    /// The races of the accesses so far with the writes of the launch: those of writes, and those
    /// of fetches. `None`: the part is all of the launch. The accesses are forgotten.
    pub fn take(&mut self, of_launch: Option<&LaunchWrites>) -> (RaceHits, RaceHits) {
        let (mut writes, mut fetches) = (take(&mut self.writes), take(&mut self.fetches));
        writes.sort_unstable_by_key(order);
        fetches.sort_unstable_by_key(order);
        let all = of_launch.map_or(&writes[..], |of_launch| &of_launch.0);
        let met = |accesses| meet_all(accesses, all, self.setting.number);
        (met(&writes), met(&fetches))
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
fn meet_all(accesses: &[Touch], writes: &[Touch], launch: u64) -> RaceHits {
    let (mut seen, mut hits) = (Seen::default(), Hits::new(launch));
    let mut rest = writes;
    for of_word in accesses.chunk_by(|a, b| a.word == b.word) {
        rest = &rest[rest.partition_point(|touch| touch.word < of_word[0].word)..];
        let written = &rest[..rest.partition_point(|touch| touch.word == of_word[0].word)];
        meet(of_word, written, &mut seen, &mut hits);
    }
    hits
}

/// A texel of a fetch; dx and dy are 0 except in the gathering modes.
fn texel(surface: &Surface, fetch: &Fetched, dx: i64, dy: i64) -> (u32, u32) {
    let place = |v: i32, d: i64, size| wrap_coordinate(surface.wrap, i64::from(v) + d, size);
    (place(fetch.meant.0, dx, surface.width), place(fetch.meant.1, dy, surface.height))
}

/// The accesses that have been counted: one that touches several words is one race.
type Seen = std::collections::HashSet<u32>;

/// Reports the accesses to one word that meet a write by another point.
fn meet(accesses: &[Touch], writes: &[Touch], seen: &mut Seen, hits: &mut RaceHits) {
    for byte in 0..4 {
        let writers = || writes.iter().filter(|write| write.bytes >> byte & 1 != 0);
        let Some(first) = writers().next() else {
            continue;
        };
        let second = writers().find(|write| write.point != first.point);
        for touch in accesses.iter().filter(|touch| touch.bytes >> byte & 1 != 0) {
            let other = if touch.point == first.point { second } else { Some(first) };
            let Some(other) = other.filter(|_| seen.insert(touch.number)) else {
                continue;
            };
            let Access::Write(through) = other.access else {
                continue;
            };
            let key = Key { access: touch.access, pc: touch.pc.into(), other: through };
            let point = |(i, j): (u16, u16)| (i.into(), j.into());
            hits.add_point(point(touch.point), key, 1, || Detail {
                address: touch.word + byte,
                other: point(other.point),
                other_pc: other.pc.into(),
            });
        }
    }
}
