//! The parts of a GPU buffer that a launch binds.

use crate::device::watch::BufferRange;
use ctm_machine::engine::checked::{Access, Reader, Writer};
use ctm_shade::abi::places::Places;
use ctm_shade::plan::space::Snapshot;

/// The parts that a launch binds, and the positions of its spans in them.
///
/// The word at byte address a of a span is word (a >> 2) - delta (modulo 2^32) of the words of
/// `memory` and of `copies` after them.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The delta of each span that is read, in the given order.
    pub reads: Vec<u32>,
    /// The delta of each span that is written, in the given order.
    pub writes: Vec<u32>,
    /// Memory.
    pub memory: BufferRange,
    /// Copies of what the launch both reads and writes.
    pub copies: BufferRange,
    /// The snapshot that is copied there; if `None`, these bytes are unused.
    pub copied: Option<Snapshot>,
    /// For a launch that may give up: the spans that it writes, and a buffer for their old contents.
    pub before: Option<(Snapshot, BufferRange)>,
}

impl Bound {
    /// The places of surfaces whose spans were bound.
    pub fn places(&self, reads: &[Access<Reader>], writes: &[Access<Writer>]) -> Places {
        let reads = reads.iter().zip(self.reads.iter().copied());
        Places::new(reads, writes.iter().zip(self.writes.iter().copied()))
    }
}
