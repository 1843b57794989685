//! What a device passes to a recorder, and the bytes that a submission may have changed.

use std::ops::Range;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::client::elements;
use super::report::SubmissionReport;
use crate::launch::Domain;
use crate::memory::{Memory, Surface};

/// Bytes and their address.
pub type Piece = (u32, Vec<u8>);

/// Receives what has an effect on a device, in the order in which memory sees it.
///
/// The device holds its memory during a call, so a slow recorder slows the device.
pub trait Recorder: Send + Sync {
    /// The host wrote to memory between two submissions.
    fn wrote(&self, pieces: Vec<Piece>);
    /// A submission ended.
    fn submitted(&self, submission: Submitted<'_>);
}

/// A submission that has ended.
pub struct Submitted<'a> {
    /// Its command buffer.
    pub words: &'a [u32],
    /// The number of submissions that the client had waited for when it made this one.
    pub awaited: u64,
    /// The client's writes to shared system memory that the submission found.
    pub fetched: Vec<Piece>,
    /// What it did; `written` has what it may have changed.
    pub report: &'a SubmissionReport,
    /// Memory at its end.
    pub memory: &'a Memory,
}

/// Bytes that a command may have changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// Index of the command word in the buffer.
    pub offset: usize,
    /// What was written: "output 0", "the conditional buffer", "the counters".
    pub what: String,
    pub(super) area: Area,
}

/// Where bytes lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Area {
    /// The elements of a domain's points, or all elements of a surface.
    Elements(Surface, Option<Domain>),
    Bytes(Range<u64>),
}

impl Written {
    /// The ranges of addresses.
    pub fn ranges(&self) -> Vec<Range<u64>> {
        match &self.area {
            Area::Elements(surface, domain) => elements(surface, domain.as_ref()),
            Area::Bytes(range) => vec![range.clone()],
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
