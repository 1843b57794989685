//! Allocates addresses for surfaces and programs inside an arena.

use std::ops::Range;

use super::{ALIGNMENT, Arena, MemoryError};

/// Allocates ranges of addresses aligned to 2 KiB, first fit, around reserved ranges.
///
/// It does not touch memory itself. Reserve the fixed ranges before the first [`Allocator::alloc`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Allocator {
    start: u64,
    end: u64,
    /// Taken ranges: ascending, disjoint, not adjacent.
    taken: Vec<Range<u64>>,
}

impl Allocator {
    /// An allocator for the addresses of `range`, which may end at 2^32.
    pub fn new(range: Range<u64>) -> Allocator {
        Allocator { start: range.start, end: range.end.min(1 << 32), taken: Vec::new() }
    }

    /// An allocator for a whole arena.
    pub fn for_arena(arena: &Arena) -> Allocator {
        Allocator::new(u64::from(arena.base)..arena.end())
    }

    /// The taken addresses: ascending and disjoint.
    pub fn taken(&self) -> &[Range<u64>] {
        &self.taken
    }

    /// Takes the first free range of `len` bytes that starts at a multiple of 2 KiB and returns its
    /// address. A length of 0 counts as 1, so that every allocation has its own address.
    ///
    /// # Errors
    /// If no free range is large enough.
    pub fn alloc(&mut self, len: u64) -> Result<u32, MemoryError> {
        let need = len.max(1);
        let mut largest = 0;
        let mut from = self.start;
        let gap_ends = self.taken.iter().map(|r| (r.start, r.end));
        for (gap_end, next) in gap_ends.chain([(self.end, self.end)]) {
            let address = from.next_multiple_of(u64::from(ALIGNMENT));
            let free = gap_end.saturating_sub(address);
            if free >= need
                && let Ok(found) = u32::try_from(address)
            {
                self.take(address..address + need);
                return Ok(found);
            }
            largest = largest.max(free);
            from = next;
        }
        let (start, end) = (self.start, self.end);
        Err(MemoryError::Invalid(format!(
            "no room for {len} bytes: the largest free range from 0x{start:08x} to 0x{end:x} has \
             {largest} bytes"
        )))
    }

    /// Marks a range as taken. It may overlap taken ranges: two surfaces may share memory if the
    /// caller asks for it.
    ///
    /// # Errors
    /// If the range is not wholly inside the allocator's range.
    pub fn reserve(&mut self, range: Range<u64>) -> Result<(), MemoryError> {
        if range.start < self.start || range.end > self.end || range.start > range.end {
            let (Range { start, end }, from, to) = (range, self.start, self.end);
            return Err(MemoryError::Invalid(format!(
                "range 0x{start:08x}..0x{end:x} is outside the arena, 0x{from:08x}..0x{to:x}"
            )));
        }
        self.take(range);
        Ok(())
    }

    fn take(&mut self, mut range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let first = self.taken.partition_point(|r| r.end < range.start);
        let last = self.taken.partition_point(|r| r.start <= range.end);
        if let Some(r) = self.taken[first..last].first() {
            range.start = range.start.min(r.start);
        }
        if let Some(r) = self.taken[first..last].last() {
            range.end = range.end.max(r.end);
        }
        self.taken.splice(first..last, [range]);
    }
}

#[cfg(test)]
mod tests;
