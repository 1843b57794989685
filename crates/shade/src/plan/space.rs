//! The positions of a memory's addresses in a buffer, and of copies of what a launch both reads and writes.

use ctm_machine::memory::Memory;
use std::ops::Range;

/// Bound parts of buffers begin at multiples of this many bytes, the largest alignment that
/// adapters require. Their sizes are multiples of it, too.
pub const ALIGN: u64 = 256;

/// Copied spans begin at a multiple of this many bytes, the size of the largest element. So elements
/// of any size begin at the same boundaries as in memory.
pub const GRAIN: u64 = 16;

/// A memory's addresses, from its first to its last byte, as offsets.
#[derive(Clone, Debug)]
pub struct Space {
    /// Address of offset 0, a multiple of 2 KiB.
    start: u64,
    /// Bytes up to the end of the last region.
    end: u64,
    /// Offset and length of each region.
    pub regions: [Range<u64>; 3],
}

impl Space {
    /// The space of a memory.
    pub fn new(memory: &Memory) -> Space {
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
    pub fn bytes(&self) -> u64 {
        self.end.next_multiple_of(ALIGN).max(ALIGN)
    }

    /// The address at an offset.
    pub fn address(&self, offset: u64) -> u64 {
        self.start + offset
    }

    /// Writes bytes to memory from an offset on. Bytes between regions are left out.
    pub fn write(&self, memory: &mut Memory, offset: u64, bytes: &[u8]) {
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
    pub fn read(&self, memory: &Memory, range: &Range<u64>, into: &mut Vec<u8>) {
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
    pub fn clip(&self, span: &Range<u64>) -> Option<Range<u64>> {
        let from = span.start.max(self.start) - self.start;
        let to = span.end.saturating_sub(self.start).min(self.end);
        (from < to).then_some(from..to)
    }
}

/// The address ranges of memory.
pub fn ranges(memory: &Memory) -> Vec<Range<u64>> {
    let range = |(base, bytes): (u32, &[u8])| u64::from(base)..u64::from(base) + bytes.len() as u64;
    memory.ranges().map(range).collect()
}

/// The amount to subtract from the word number of `address` to get `word`, a word of what is bound.
pub fn delta(address: u64, word: u64) -> u32 {
    // Modulo 2^32, as in the shader.
    (address >> 2).wrapping_sub(word) as u32
}

/// A range rounded outwards to multiples of `align`, a power of two. An empty range stays empty.
pub fn aligned(range: &Range<u64>, align: u64) -> Range<u64> {
    if range.is_empty() {
        return range.clone();
    }
    range.start & !(align - 1)..range.end.next_multiple_of(align)
}

/// Copies of spans, as they are before a launch that writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The delta of each read of a copy, with the number of the read. The words of the copies follow those
    /// of what is bound of memory.
    pub deltas: Vec<(usize, u32)>,
    /// The copies.
    pub copies: Vec<Copied>,
    /// Their size in bytes.
    pub bytes: u64,
}

/// A copy of a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The position in what is bound of memory.
    pub from: u64,
    /// The position in the copies.
    pub to: u64,
    /// The size in bytes.
    pub bytes: u64,
}

impl Space {
    /// The delta of a span, where the offsets from `first` on are bound.
    pub fn delta_of(&self, span: &Range<u64>, first: u64) -> u32 {
        let offset = self.clip(span).map(|offsets| offsets.start & !3);
        offset.map_or(0, |at| delta(self.address(at), (at - first) / 4))
    }

    /// The copies of some spans, each with the number of its read, where a part of memory is bound.
    pub fn snapshot(
        &self,
        bound: &Range<u64>,
        spans: impl IntoIterator<Item = (usize, Range<u64>)>,
    ) -> Snapshot {
        let mut snapshot = Snapshot::default();
        let mut size = 0;
        for (n, span) in spans {
            let Some(offsets) = self.clip(&span) else { continue };
            let Range { start, end } = aligned(&offsets, GRAIN);
            let word = (bound.end - bound.start + size) / 4;
            snapshot.deltas.push((n, delta(self.address(start), word)));
            let copied = Copied { from: start - bound.start, to: size, bytes: end - start };
            size += copied.bytes;
            snapshot.copies.push(copied);
        }
        snapshot.bytes = size.max(1).next_multiple_of(ALIGN);
        snapshot
    }
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
        assert_eq!(space.bytes(), 0x1_0900);
        assert_eq!(space.clip(&(0..1 << 32)), Some(0..0x1_0803));
        assert_eq!(space.clip(&(0..BASE)), None);
        assert_eq!(space.clip(&(BASE + 0x1_0803..1 << 32)), None);
        assert_eq!(space.clip(&(BASE - 4..BASE + 4)), Some(0..4));
    }
}
