//! The positions of addresses in a GPU buffer, and what a launch binds of it.

use crate::device::watch::{Binding, Part};
use crate::memory::ALIGN;
use ctm_machine::engine::checked::{Access, Reader, Writer};
use ctm_machine::memory::Memory;
use ctm_shade::abi::places::Places;
use std::ops::Range;

/// What a launch binds, and the positions of its spans in it.
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
    pub memory: Part,
    /// Copies of what the launch both reads and writes.
    pub copies: Part,
    /// Whether there are any; otherwise these bytes are unused.
    pub copied: bool,
}

impl Bound {
    /// The bindings of memory and of the copies.
    pub fn bindings(&self) -> [Binding; 2] {
        [(3, self.memory.clone()), (4, self.copies.clone())]
    }

    /// The places of surfaces whose spans were bound.
    pub fn places(&self, reads: &[Access<Reader>], writes: &[Access<Writer>]) -> Places {
        let reads = reads.iter().zip(self.reads.iter().copied());
        Places::new(reads, writes.iter().zip(self.writes.iter().copied()))
    }
}

/// A memory's addresses, from its first to its last byte, as offsets.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    /// Address of offset 0, a multiple of 2 KiB.
    start: u64,
    /// Bytes up to the end of the last region.
    end: u64,
    /// Offset and length of each region.
    pub regions: [Range<u64>; 3],
}

impl Space {
    /// The space of a memory.
    pub(crate) fn new(memory: &Memory) -> Space {
        let mut regions = [const { 0..0 }; 3];
        let mut start = None;
        let mut end = 0;
        for (region, (base, bytes)) in regions.iter_mut().zip(memory.ranges()) {
            if !bytes.is_empty() {
                let first = *start.get_or_insert(u64::from(base));
                end = u64::from(base) - first + bytes.len() as u64;
                *region = u64::from(base) - first..end;
            }
        }
        Space { start: start.unwrap_or(0), end, regions }
    }

    /// Size in bytes of a buffer with all of it.
    pub(crate) fn len(&self) -> u64 {
        self.end.next_multiple_of(ALIGN).max(ALIGN)
    }

    /// The address at an offset.
    pub(crate) fn address(&self, offset: u64) -> u64 {
        self.start + offset
    }

    /// Writes bytes to memory from an offset on. Bytes between regions are left out.
    pub(crate) fn write(&self, memory: &mut Memory, offset: u64, bytes: &[u8]) {
        let end = offset + bytes.len() as u64;
        for region in &self.regions {
            let (from, to) = (region.start.max(offset), region.end.min(end));
            if from < to
                && let Ok(address) = u32::try_from(self.address(from))
                && let Some(place) = memory.slice_mut(address, (to - from) as usize)
            {
                place.copy_from_slice(&bytes[(from - offset) as usize..(to - offset) as usize]);
            }
        }
    }

    /// Appends the bytes of a range of offsets. Bytes between or after regions are 0.
    pub(crate) fn read(&self, memory: &Memory, range: &Range<u64>, into: &mut Vec<u8>) {
        let at = into.len();
        into.resize(at + (range.end - range.start) as usize, 0);
        for region in &self.regions {
            let (from, to) = (region.start.max(range.start), region.end.min(range.end));
            if from < to
                && let Ok(address) = u32::try_from(self.address(from))
                && let Some(bytes) = memory.slice(address, (to - from) as usize)
            {
                let first = at + (from - range.start) as usize;
                into[first..first + bytes.len()].copy_from_slice(bytes);
            }
        }
    }

    /// The part of a span of addresses that is in memory, as offsets; `None` if there is none.
    pub(crate) fn clip(&self, span: &Range<u64>) -> Option<Range<u64>> {
        let from = span.start.max(self.start) - self.start;
        let to = span.end.saturating_sub(self.start).min(self.end);
        (from < to).then_some(from..to)
    }
}

/// The amount to subtract from the word number of `address` to get `word`, a word of what is bound.
pub(crate) fn delta(address: u64, word: u64) -> u32 {
    // Modulo 2^32, as in the shader.
    (address >> 2).wrapping_sub(word) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_machine::memory::ArenaSizes;

    const BASE: u64 = 0x1000_0000;

    #[test]
    fn regions_lie_one_behind_the_other() {
        let sizes = ArenaSizes { gpu: 0x1_0001, gpub: 0, sys: 0, sysc: 3 };
        let space = Space::new(&Memory::new(&sizes).expect("it fits"));
        assert_eq!(space.regions, [0..0x1_0001, 0..0, 0x1_0800..0x1_0803]);
        assert_eq!(space.len(), 0x1_0900);
        assert_eq!(space.clip(&(0..1 << 32)), Some(0..0x1_0803));
        assert_eq!(space.clip(&(0..BASE)), None);
        assert_eq!(space.clip(&(BASE + 0x1_0803..1 << 32)), None);
        assert_eq!(space.clip(&(BASE - 4..BASE + 4)), Some(0..4));
    }
}
