//! The interface of recorders, and the bytes that a submission may have changed.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::client::elements;
use super::pieces::Pieces;
use super::report::SubmissionReport;
use crate::engine::checked::Writer;
use crate::launch::{Domain, Globals};
use crate::memory::{Memory, Surface};

/// Receives what has an effect on a device, in the order in which memory sees it.
///
/// The device holds its memory during [`Recorder::wrote`] and [`Recorder::submitted`], so a slow
/// recorder slows the device.
pub trait Recorder: Send + Sync {
    /// The host wrote these bytes to memory between two submissions.
    fn wrote(&self, pieces: &[(u32, &[u8])]);
    /// A submission ended.
    fn submitted(&self, submission: Submitted<'_>);
    /// A client is about to learn that the submissions received so far have ended.
    fn keep(&self);
}

/// A submission that has ended.
pub struct Submitted<'a> {
    /// Its command buffer.
    pub words: &'a [u32],
    /// The number of submissions that the client had waited for when it made this one.
    pub awaited: u64,
    /// The client's writes to shared system memory that the submission found.
    pub fetched: Pieces,
    /// The report; `written` has what the submission may have changed.
    pub report: &'a SubmissionReport,
    /// Memory at its end.
    pub memory: &'a Memory,
}

/// The target of a command's write.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// The output of this number.
    Output(u8),
    /// The conditional buffer.
    Condition,
    /// The performance counters.
    Counters,
    /// The global registers, which are not in memory.
    Globals,
}

impl From<&Writer> for What {
    fn from(writer: &Writer) -> What {
        match writer {
            Writer::Output(n) => What::Output(*n as u8),
            Writer::Condition => What::Condition,
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::Output(n) => write!(f, "output {n}"),
            What::Condition => f.write_str("the conditional buffer"),
            What::Counters => f.write_str("the block of counters"),
            What::Globals => f.write_str("the file of global registers"),
        }
    }
}

/// Bytes that a command may have changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Index of the command word in the buffer.
    pub offset: usize,
    /// The target.
    pub what: What,
    pub(super) area: Area,
}

/// The area of a write.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Area {
    /// The elements of a domain's points, or all elements of a surface.
    Elements(Surface, Option<Domain>),
    Bytes(Range<u64>),
    /// Registers with this hash.
    Registers(u64),
}

impl Written {
    /// The global registers after the command at `offset`.
    pub(super) fn globals(offset: usize, globals: &Globals) -> Written {
        let mut hash = Xxh3::new();
        for lane in globals.iter() {
            hash.update(lane.map(u32::to_le_bytes).as_flattened());
        }
        Written { offset, what: What::Globals, area: Area::Registers(hash.digest()) }
    }

    /// The ranges of addresses.
    pub fn ranges(&self) -> Vec<Range<u64>> {
        match &self.area {
            Area::Elements(surface, domain) => elements(surface, domain.as_ref()),
            Area::Bytes(range) => vec![range.clone()],
            Area::Registers(_) => Vec::new(),
        }
    }

    /// The bytes, range by range; without those outside the arenas.
    pub fn bytes<'m>(&self, memory: &'m Memory) -> impl Iterator<Item = (u32, &'m [u8])> {
        self.ranges().into_iter().filter_map(|range| {
            let address = u32::try_from(range.start).ok()?;
            Some((address, memory.slice(address, (range.end - range.start) as usize)?))
        })
    }

    /// A hash of the bytes (XXH3, 64 bits).
    pub fn hash(&self, memory: &Memory) -> u64 {
        if let Area::Registers(hash) = self.area {
            return hash;
        }
        let mut parts = self.bytes(memory).map(|(_, bytes)| bytes);
        let first = parts.next().unwrap_or_default();
        let Some(second) = parts.next() else {
            // The same hash, in less time than with a state.
            return xxh3_64(first);
        };
        let mut hash = Xxh3::new();
        for bytes in [first, second].into_iter().chain(parts) {
            hash.update(bytes);
        }
        hash.digest()
    }
}

/// The writes of a submission's commands. Of several writes of an area, the last one remains.
#[derive(Default)]
pub(super) struct Writes {
    list: Vec<Written>,
    /// The length of `list` when no area was in it twice.
    merged: usize,
}

impl Writes {
    /// Areas that a list may hold before it is merged the first time.
    const FEW: usize = 512;

    pub(super) fn add(&mut self, written: Written) {
        self.list.push(written);
        // The list doubles from one merge to the next, so all merges together are linear.
        if self.list.len() > 2 * self.merged.max(Writes::FEW) {
            self.merge();
        }
    }

    fn merge(&mut self) {
        // Global registers are one area, whatever they hold.
        let area = |one: &Written| match one.area {
            Area::Registers(_) => Area::Registers(0),
            ref area => area.clone(),
        };
        let mut later = HashSet::new();
        let last: Vec<bool> =
            self.list.iter().rev().map(|one| later.insert((one.what, area(one)))).collect();
        let mut last = last.into_iter().rev();
        self.list.retain(|_| last.next() == Some(true));
        self.merged = self.list.len();
    }

    /// The writes that remain, in order.
    pub(super) fn into_list(mut self) -> Vec<Written> {
        if self.list.len() > 1 {
            self.merge();
        }
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(offset: usize, at: u64) -> Written {
        Written { offset, what: What::Counters, area: Area::Bytes(at..at + 4) }
    }

    #[test]
    fn the_last_write_of_an_area_remains() {
        let mut writes = Writes::default();
        for (offset, at) in [(0, 8), (2, 16), (4, 8), (6, 24)] {
            writes.add(written(offset, at));
        }
        assert_eq!(writes.into_list(), [written(2, 16), written(4, 8), written(6, 24)]);
    }

    #[test]
    fn merges_are_few_and_the_list_stays_short() {
        // One area, written often: the list does not grow.
        let mut writes = Writes::default();
        for offset in 0..100_000 {
            writes.add(written(offset, 0));
            assert!(writes.list.len() <= 2 * Writes::FEW);
        }
        assert_eq!(writes.into_list(), [written(99_999, 0)]);
        // All different: the number of merges is that of doublings.
        let (mut writes, mut merges) = (Writes::default(), 0);
        for offset in 0..100_000 {
            let before = writes.merged;
            writes.add(written(offset, 4 * offset as u64));
            merges += usize::from(writes.merged != before);
        }
        assert!(merges <= 8, "{merges} merges");
        assert_eq!(writes.into_list().len(), 100_000);
    }
}
