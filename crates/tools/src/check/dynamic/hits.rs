//! What the checks have found so far: each mistake once, with its count and its first point.

use ctm_machine::engine::groups::slots;
use ctm_machine::engine::reference::GroupState;
use ctm_machine::launch::Domain;
use std::collections::BTreeMap;

/// Where something happened first: the launch, then the row, then the column. The order is that in
/// which a reader expects the first point, and does not depend on threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct First {
    /// The number of the launch in the run.
    pub launch: u64,
    /// Row of the point.
    pub j: u32,
    /// Column of the point.
    pub i: u32,
}

/// One mistake.
#[derive(Clone, Debug)]
pub struct Hit<D> {
    /// How often it happened: points times executions.
    pub count: u64,
    /// The first point that had it.
    pub first: First,
    /// The channels involved, over all points.
    pub channels: u8,
    /// What else is known of the first point.
    pub detail: D,
}

/// The mistakes of one kind: by what makes two of them the same, and the points that had any.
#[derive(Debug)]
pub struct Hits<K, D> {
    found: BTreeMap<K, Hit<D>>,
    points: PointSet,
    launch: u64,
}

impl<K: Ord + Clone, D> Hits<K, D> {
    /// None yet, for a part of launch `launch`.
    pub fn new(launch: u64) -> Hits<K, D> {
        Hits { found: BTreeMap::new(), points: PointSet::default(), launch }
    }

    /// Adds one execution in some slots of a group. `detail` is asked for the slot that is now the
    /// first, if any.
    pub fn add(
        &mut self,
        group: &GroupState,
        lanes: u64,
        key: K,
        channels: u8,
        detail: impl FnOnce(usize) -> D,
    ) {
        if lanes == 0 {
            return;
        }
        // Slots are in (j, i) order.
        let slot = lanes.trailing_zeros() as usize;
        for slot in slots(lanes) {
            self.points.insert(group.point(slot));
        }
        let count = u64::from(lanes.count_ones());
        self.note(key, group.point(slot), count, channels, || detail(slot));
    }

    /// Adds `count` executions by one point.
    pub fn add_point(&mut self, point: (u32, u32), key: K, count: u64, detail: impl FnOnce() -> D) {
        self.points.insert(point);
        self.note(key, point, count, 0, detail);
    }

    fn note(
        &mut self,
        key: K,
        (i, j): (u32, u32),
        count: u64,
        channels: u8,
        detail: impl FnOnce() -> D,
    ) {
        let first = First { launch: self.launch, j, i };
        match self.found.get_mut(&key) {
            Some(hit) => {
                hit.count += count;
                hit.channels |= channels;
                if first < hit.first {
                    hit.first = first;
                    hit.detail = detail();
                }
            }
            None => {
                self.found.insert(key, Hit { count, first, channels, detail: detail() });
            }
        }
    }

    /// Adds what another part, or a later launch, found.
    pub fn merge(&mut self, other: Hits<K, D>) {
        self.points.merge(other.points);
        for (key, hit) in other.found {
            match self.found.get_mut(&key) {
                Some(known) => {
                    known.count += hit.count;
                    known.channels |= hit.channels;
                    if hit.first < known.first {
                        (known.first, known.detail) = (hit.first, hit.detail);
                    }
                }
                None => {
                    self.found.insert(key, hit);
                }
            }
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.found.clear();
        self.points = PointSet::default();
    }

    /// The mistakes, by key.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &Hit<D>)> {
        self.found.iter()
    }

    /// The points that had any of them.
    pub fn points(&self) -> &PointSet {
        &self.points
    }
}

/// A set of points of the array. It takes memory only up to its last row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PointSet {
    /// One bit for each column, 64 words for each row.
    rows: Vec<Option<Box<[u64; 64]>>>,
}

impl PointSet {
    /// Adds a point (i, j), both at most 4095.
    pub fn insert(&mut self, (i, j): (u32, u32)) {
        let row = j as usize;
        if self.rows.len() <= row {
            self.rows.resize(row + 1, None);
        }
        let words = self.rows[row].get_or_insert_with(|| Box::new([0; 64]));
        words[(i as usize / 64) & 63] |= 1 << (i % 64);
    }

    /// Whether it contains a point.
    pub fn contains(&self, (i, j): (u32, u32)) -> bool {
        let row = self.rows.get(j as usize).and_then(Option::as_ref);
        row.is_some_and(|words| words[(i as usize / 64) & 63] >> (i % 64) & 1 != 0)
    }

    /// Whether it has no points.
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(Option::is_none)
    }

    /// The number of points.
    pub fn len(&self) -> u64 {
        let words = self.rows.iter().flatten().flat_map(|row| row.iter());
        words.map(|word| u64::from(word.count_ones())).sum()
    }

    /// Adds all points of another set.
    pub fn merge(&mut self, other: PointSet) {
        if self.rows.len() < other.rows.len() {
            self.rows.resize(other.rows.len(), None);
        }
        for (own, other) in self.rows.iter_mut().zip(other.rows) {
            match (own, other) {
                (_, None) => {}
                (Some(own), Some(other)) => {
                    own.iter_mut().zip(other.iter()).for_each(|(own, other)| *own |= other);
                }
                (own, other) => *own = other,
            }
        }
    }

    /// The smallest domain from (0, 0) that contains all points; `None` without points.
    pub fn bounds(&self) -> Option<Domain> {
        let (mut i1, mut j1) = (None, 0);
        for (j, row) in self.rows.iter().enumerate() {
            let Some(row) = row else { continue };
            let last = (0..64).rev().find(|&n| row[n] != 0)?;
            i1 = i1.max(Some(64 * last as u32 + row[last].ilog2()));
            j1 = j as u32;
        }
        Some(Domain { i0: 0, j0: 0, i1: i1?, j1 })
    }
}
