//! The mistakes that the checks have found so far: each once, with its count and its first point.

use super::names::Told;
use super::races::Access;
use super::stale::Rule;
use super::uninitialised::Effect;
use crate::check::{Code, Finding};
use ctm_isa::isa::Place;
use ctm_lang::program::Program;
use ctm_machine::engine::groups::slots;
use ctm_machine::engine::reference::{Destination, GroupState};
use ctm_machine::launch::Domain;
use std::collections::BTreeMap;

/// The identity of a mistake: events with the same key are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The kind.
    pub code: Code,
    /// The instruction; 0 where it does not matter.
    pub pc: u32,
    /// The rest of the identity.
    pub what: What,
}

/// The identity of a mistake beyond its kind and instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum What {
    /// Nothing else.
    Result,
    /// The effect, and the unwritten register without its channel.
    Use(Effect, Place),
    /// The kind of the constant, as its position in `ConstantKind::ALL`, and its number.
    Constant(usize, usize),
    /// The input.
    Fetch(usize),
    /// The access of the point, and what the other point writes through.
    Race(Access, Destination),
    /// The output, and the channels that were not written.
    Output(usize, u8),
    /// The missing step, and the register without its channel; `None`: memory.
    Stale(Rule, Option<Place>),
}

/// A mistake in words, without its point and its count.
type Tell = Box<dyn Fn(&Told<'_>) -> Finding + Send>;

/// One mistake.
struct Hit {
    /// The number of times that it happened: points times executions.
    count: u64,
    /// The launch, the row and the column where it happened first. The order is that in which a
    /// reader expects the first point, and does not depend on threads.
    first: (u64, u32, u32),
    /// The channels involved, over all points.
    channels: u8,
    /// The words, with the facts about the first point.
    tell: Tell,
}

/// All mistakes, and the points that had any of each kind.
pub struct Hits {
    found: BTreeMap<Key, Hit>,
    points: BTreeMap<Code, PointSet>,
    launch: u64,
}

impl Hits {
    /// None yet, for a part of launch `launch`.
    pub fn new(launch: u64) -> Hits {
        Hits { found: BTreeMap::new(), points: BTreeMap::new(), launch }
    }

    /// Adds one execution in some slots of a group. `tell` is asked for the slot that is now the
    /// first, if any.
    pub fn add<T: Fn(&Told<'_>) -> Finding + Send + 'static>(
        &mut self,
        group: &GroupState,
        lanes: u64,
        key: Key,
        channels: u8,
        tell: impl FnOnce(usize) -> T,
    ) {
        let points: Vec<_> = slots(lanes).map(|slot| group.point(slot)).collect();
        // Slots are in (j, i) order.
        let slot = lanes.trailing_zeros() as usize;
        self.add_points(&points, key, channels, || tell(slot));
    }

    /// Adds one execution by each of some points, the first one first.
    pub fn add_points<T: Fn(&Told<'_>) -> Finding + Send + 'static>(
        &mut self,
        points: &[(u32, u32)],
        key: Key,
        channels: u8,
        tell: impl FnOnce() -> T,
    ) {
        let Some(&(i, j)) = points.first() else { return };
        let of_code = self.points.entry(key.code).or_default();
        points.iter().for_each(|&point| of_code.insert(point));
        let (first, count) = ((self.launch, j, i), points.len() as u64);
        let known = self.found.get(&key);
        let tell = if known.is_none_or(|known| first < known.first) {
            Some(Box::new(tell()) as Tell)
        } else {
            None
        };
        self.note(key, count, channels, first, tell);
    }

    /// Adds executions of a mistake; `tell` is there if their first point may be the first one.
    fn note(
        &mut self,
        key: Key,
        count: u64,
        channels: u8,
        first: (u64, u32, u32),
        tell: Option<Tell>,
    ) {
        match (self.found.get_mut(&key), tell) {
            (Some(known), tell) => {
                known.count += count;
                known.channels |= channels;
                if let Some(tell) = tell.filter(|_| first < known.first) {
                    (known.first, known.tell) = (first, tell);
                }
            }
            (None, Some(tell)) => {
                self.found.insert(key, Hit { count, first, channels, tell });
            }
            (None, None) => {}
        }
    }

    /// Adds what another part of the launch found.
    pub fn merge(&mut self, other: Hits) {
        for (code, points) in other.points {
            self.points.entry(code).or_default().merge(points);
        }
        for (key, Hit { count, first, channels, tell }) in other.found {
            self.note(key, count, channels, first, Some(tell));
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// The mistakes in words, and the points that had any of each kind.
    pub fn told(self, program: &Program) -> (Vec<Finding>, BTreeMap<Code, PointSet>) {
        let finding = |hit: Hit| {
            let (_, j, i) = hit.first;
            let told = Told { program, channels: hit.channels, point: (i, j) };
            Finding { count: hit.count, first: Some((i, j)), ..(hit.tell)(&told) }
        };
        (self.found.into_values().map(finding).collect(), self.points)
    }
}

/// A set of points of the array. It takes memory only up to its last row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointSet {
    /// One bit for each column, [`ROW`] words for each row. The last row is not empty.
    words: Vec<u64>,
}

/// Words for a row of 4096 points.
const ROW: usize = 64;

impl PointSet {
    /// Adds a point (i, j), both at most 4095.
    pub fn insert(&mut self, (i, j): (u32, u32)) {
        let row = j as usize * ROW;
        if self.words.len() <= row {
            self.words.resize(row + ROW, 0);
        }
        self.words[row + (i as usize / 64) % ROW] |= 1 << (i % 64);
    }

    /// Whether it contains a point.
    pub fn contains(&self, (i, j): (u32, u32)) -> bool {
        let word = self.words.get(j as usize * ROW + (i as usize / 64) % ROW);
        word.is_some_and(|word| word >> (i % 64) & 1 != 0)
    }

    /// Whether it has no points.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The number of points.
    pub fn len(&self) -> u64 {
        self.words.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Adds all points of another set.
    pub fn merge(&mut self, other: PointSet) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        self.words.iter_mut().zip(other.words).for_each(|(own, other)| *own |= other);
    }

    /// The smallest domain from (0, 0) that contains all points; `None` without points.
    pub fn bounds(&self) -> Option<Domain> {
        let last = |row: &[u64]| {
            let word = row.iter().rposition(|&word| word != 0)?;
            Some(64 * word as u32 + row[word].ilog2())
        };
        let i1 = self.words.chunks(ROW).filter_map(last).max()?;
        Some(Domain { i0: 0, j0: 0, i1, j1: (self.words.len() / ROW) as u32 - 1 })
    }
}
