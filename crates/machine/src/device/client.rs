//! Shared system memory: plain host memory that a client accesses directly.
//!
//! The client's block is authoritative. The same range of the device's [`Memory`] is a working
//! copy. Before a launch, the bytes it reads are updated from the block; afterwards, the bytes it
//! wrote are copied back. Both copy only bytes that the launch can touch, and only pages that
//! differ, so the cost of a submission depends on what it uses, not on the size of the block. Bytes
//! that no point of a launch owns are never written back: the client may change them meanwhile.

use parking_lot::Mutex;
use std::collections::HashSet;
use std::ops::Range;

use super::pieces::Pieces;
use crate::engine::Checked;
use crate::engine::checked::Access;
use crate::launch::Domain;
use crate::memory::{ArenaKind, HostBlock, Memory, MemoryError, Surface, translate};

/// The bytes compared and copied at once: a page of the address space.
const PAGE: u64 = 4096;

/// System memory that a client shares with a device.
#[derive(Debug)]
pub struct ClientMemory {
    base: u32,
    block: HostBlock,
    /// The client's writes that the running submission found, while the device is recorded.
    found: Option<Mutex<Found>>,
}

/// The client's writes that a submission found.
#[derive(Debug, Default)]
struct Found {
    pieces: Pieces,
    /// The numbers of the pages that the submission itself wrote to.
    own: HashSet<u32>,
}

impl ClientMemory {
    /// A block as large as a memory's arenas SYS and SYSc. `recorded`: keeps the writes that
    /// [`ClientMemory::fetch`] finds for [`ClientMemory::take_fetched`].
    pub(super) fn new(memory: &Memory, recorded: bool) -> Result<ClientMemory, MemoryError> {
        let size = |kind| memory.arena(kind).map_or(0, |arena| arena.size);
        let bytes = size(ArenaKind::Sys).max(size(ArenaKind::SysC));
        let block = usize::try_from(bytes).ok().and_then(HostBlock::new);
        Ok(ClientMemory {
            base: memory.base(ArenaKind::SysC),
            block: block.ok_or(MemoryError::HostMemory { arena: ArenaKind::SysC, bytes })?,
            found: recorded.then(Mutex::default),
        })
    }

    /// The host address of the first byte, for the client; valid while the device is open.
    pub fn as_ptr(&self) -> *mut u8 {
        self.block.as_ptr()
    }

    /// Its size in bytes.
    pub fn len(&self) -> usize {
        self.block.len()
    }

    /// Whether its size is 0.
    pub fn is_empty(&self) -> bool {
        self.block.is_empty()
    }

    /// The offset of an address in the block; `None` below it. It may be past the end.
    fn offset(&self, address: u32) -> Option<usize> {
        Some(address.checked_sub(self.base)? as usize)
    }

    /// Whether all of `len` bytes from an address on are inside.
    pub fn contains(&self, address: u32, len: usize) -> bool {
        self.offset(address)
            .and_then(|offset| offset.checked_add(len))
            .is_some_and(|end| end <= self.block.len())
    }

    /// Fills `into` with the bytes from an address on. If they are not all inside, returns `false`
    /// and leaves `into` unchanged.
    pub fn read(&self, address: u32, into: &mut [u8]) -> bool {
        self.offset(address).is_some_and(|offset| self.block.read(offset, into))
    }

    /// Writes `bytes` from an address on. If they are not all inside, returns `false` and writes
    /// nothing.
    pub fn write(&self, address: u32, bytes: &[u8]) -> bool {
        self.offset(address).is_some_and(|offset| self.block.write(offset, bytes))
    }

    /// The parts of these ranges of addresses that are inside; without empty ranges.
    pub(super) fn inside(&self, ranges: &[Range<u64>]) -> Vec<Range<u64>> {
        let start = u64::from(self.base);
        let end = start + self.block.len() as u64;
        let clipped = ranges.iter().map(|range| range.start.max(start)..range.end.min(end));
        clipped.filter(|range| !range.is_empty()).collect()
    }

    /// The parts of these ranges that are inside, page by page: first address, offset in the block,
    /// length.
    fn pages(&self, ranges: &[Range<u64>]) -> impl Iterator<Item = (u32, usize, usize)> + use<> {
        let base = u64::from(self.base);
        self.inside(ranges).into_iter().flat_map(move |range| {
            let mut at = range.start;
            std::iter::from_fn(move || {
                let stop = ((at / PAGE + 1) * PAGE).min(range.end);
                let page =
                    (at < stop).then(|| (at as u32, (at - base) as usize, (stop - at) as usize));
                at = stop;
                page
            })
        })
    }

    /// Whether the working copy equals the client's bytes.
    pub(super) fn is_same(&self, memory: &Memory, ranges: &[Range<u64>]) -> bool {
        self.pages(ranges).all(|(address, offset, len)| {
            memory.slice(address, len).is_none_or(|bytes| self.block.equals(offset, bytes))
        })
    }

    /// Updates bytes of the working copy from the block, before the command at `offset`.
    pub(super) fn fetch(&self, memory: &mut Memory, ranges: &[Range<u64>], offset: usize) {
        let mut found = self.found.as_ref().map(Mutex::lock);
        let mut before = Vec::new();
        for (address, at, len) in self.pages(ranges) {
            // Leaves unchanged pages alone, so that they do not count as changed where changes are
            // tracked.
            let same = memory.slice(address, len).is_none_or(|bytes| self.block.equals(at, bytes));
            if !same && let Some(bytes) = memory.slice_mut(address, len) {
                if found.is_some() {
                    before.clear();
                    before.extend_from_slice(bytes);
                }
                let _ = self.block.read(at, bytes);
                if let Some(found) = &mut found {
                    found.add(offset as u32, address, &before, bytes);
                }
            }
        }
    }

    /// The writes that were found since the last call.
    pub(super) fn take_fetched(&self) -> Pieces {
        self.found
            .as_ref()
            .map(|found| std::mem::take(&mut *found.lock()).pieces)
            .unwrap_or_default()
    }

    /// Copies bytes of the working copy to the block.
    pub(super) fn store(&self, memory: &Memory, ranges: &[Range<u64>]) {
        let mut found = self.found.as_ref().map(Mutex::lock);
        for (address, offset, len) in self.pages(ranges) {
            if let Some(found) = &mut found {
                found.own.insert(page(address));
            }
            if let Some(bytes) = memory.slice(address, len)
                && !self.block.equals(offset, bytes)
            {
                let _ = self.block.write(offset, bytes);
            }
        }
    }

    /// The bytes that a launch can read, and the elements that it may write or leave unchanged.
    pub(super) fn used(&self, launch: &Checked<'_>) -> Vec<Range<u64>> {
        let spans: Vec<Range<u64>> = launch.reads.iter().map(|read| read.span.clone()).collect();
        let mut used = self.inside(&spans);
        used.append(&mut self.owned(launch));
        used
    }

    /// The bytes of the elements that the points of a launch own: each point's own elements of the
    /// outputs and of the conditional buffer; with uncached writes, all of output 0.
    pub(super) fn owned(&self, launch: &Checked<'_>) -> Vec<Range<u64>> {
        let domain = &launch.domain;
        let mut owned = Vec::new();
        for Access { surface, span, .. } in &launch.writes {
            if self.inside(std::slice::from_ref(span)).is_empty() {
                continue;
            }
            owned.append(&mut elements(surface, (!launch.program.umrt()).then_some(domain)));
        }
        self.inside(&owned)
    }
}

/// The number of the page of an address.
fn page(address: u32) -> u32 {
    address / PAGE as u32
}

impl Found {
    /// Adds bytes of a page that were found before the command at `offset`. Of a page that the
    /// submission wrote to, adds only bytes that differ: the others may be its own results, which a
    /// replay must compute and not take over.
    fn add(&mut self, offset: u32, address: u32, before: &[u8], bytes: &[u8]) {
        if !self.own.contains(&page(address)) {
            return self.pieces.push(offset, address, bytes);
        }
        for ((then, now), address) in before.chunks(1).zip(bytes.chunks(1)).zip(address..) {
            if then != now {
                self.pieces.push(offset, address, now);
            }
        }
    }
}

/// The ranges of bytes that hold the elements of a surface, those of a domain's points or all.
pub(super) fn elements(surface: &Surface, of: Option<&Domain>) -> Vec<Range<u64>> {
    let (first, last) = match of {
        Some(domain) => ((domain.i0, domain.j0), (domain.i1, domain.j1)),
        None => ((0, 0), (translate::COORDINATE, translate::COORDINATE)),
    };
    let mut elements = Vec::new();
    runs(surface, first, last, &mut |range| elements.push(range));
    elements
}

/// The ranges of bytes that hold the elements of a surface from `first` to `last`, both included,
/// clipped to pitch and height. Adjacent ranges are merged.
fn runs(surface: &Surface, first: (u32, u32), last: (u32, u32), each: &mut impl FnMut(Range<u64>)) {
    let (Some(right), Some(bottom)) = (surface.pitch.checked_sub(1), surface.height.checked_sub(1))
    else {
        return;
    };
    let (right, bottom) = (
        last.0.min(right).min(translate::COORDINATE),
        last.1.min(bottom).min(translate::COORDINATE),
    );
    if first.0 > right || first.1 > bottom {
        return;
    }
    let mut pending = 0..0;
    let mut add = |start: u64, len: u64| {
        if start == pending.end {
            pending.end += len;
        } else {
            let done = std::mem::replace(&mut pending, start..start + len);
            if !done.is_empty() {
                each(done);
            }
        }
    };
    let log2 = surface.format.bytes_log2();
    let address = |x, y| u64::from(surface.address(x, y));
    if surface.tiling.is_tiled() {
        let width = 1 << translate::tile_width_log2(log2);
        let height = 1 << translate::tile_height_log2(log2);
        for top in (first.1 / height * height..=bottom).step_by(height as usize) {
            for left in (first.0 / width * width..=right).step_by(width as usize) {
                let whole = left >= first.0
                    && top >= first.1
                    && left + width - 1 <= right
                    && top + height - 1 <= bottom;
                if whole {
                    add(address(left, top) & !0x7ff, 0x800);
                    continue;
                }
                for y in top.max(first.1)..=bottom.min(top + height - 1) {
                    for x in left.max(first.0)..=right.min(left + width - 1) {
                        add(address(x, y), 1 << log2);
                    }
                }
            }
        }
    } else {
        for y in first.1..=bottom {
            let start = address(first.0, y);
            let len = u64::from(right - first.0 + 1) << log2;
            // Addresses wrap around the end of the address space.
            let front = len.min((1 << 32) - start);
            add(start, front);
            if front < len {
                add(0, len - front);
            }
        }
    }
    if !pending.is_empty() {
        each(pending);
    }
}

#[cfg(test)]
mod tests;
