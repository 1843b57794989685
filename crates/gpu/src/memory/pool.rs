//! Spans of many memories in one buffer, for a batch of small launches.

use std::ops::Range;

use crate::device::Grown;
use crate::device::connection::Gpu;
use crate::memory::layout::Bound;
use crate::memory::spans::set;
use crate::memory::transfer::{Download, Requested, Upload};
use crate::memory::{ALIGN, GRAIN, ResidentError, STORAGE, fits};
use ctm_machine::memory::Memory;
use ctm_shade::plan::space::{Space, delta};
use rangemap::RangeSet;

/// A batch of launches with the spans of memory that each reads and writes. All of them are in one
/// buffer, uploaded and read back at once.
///
/// A launch reads its own copies, so that every read sees memory as it was when the
/// launch was added. Name a span that a point reads and writes only at its own place, such as the
/// conditional buffer, only as written: its bytes are uploaded, too.
pub struct Pool {
    capacity: u64,
    members: Vec<Member>,
    /// The bytes of all written spans. In the buffer, those of the read spans follow.
    written: Vec<u8>,
    read: Vec<u8>,
    buffer: Grown,
    copies: Grown,
    download: Download,
}

/// One launch.
struct Member {
    id: u64,
    space: Space,
    reads: Vec<PooledSpan>,
    writes: Vec<PooledSpan>,
}

/// A span: the part of it that is in memory, and its position among the bytes written or read.
struct PooledSpan {
    offsets: Range<u64>,
    at: u64,
}

impl Pool {
    /// An empty pool of at most `capacity` bytes, or less if the adapter cannot bind that much.
    pub fn new(gpu: &Gpu, capacity: u64) -> Pool {
        Pool {
            capacity: capacity.min(gpu.largest_binding() & !0xffff),
            members: Vec::new(),
            written: Vec::new(),
            read: Vec::new(),
            buffer: Grown::new("a batch of launches", STORAGE, ALIGN),
            copies: Grown::new("unused copies", STORAGE, ALIGN),
            download: Download::default(),
        }
    }

    /// Adds a launch with the spans of `memory` that it reads and those that it writes, and returns
    /// its number. Parts of spans outside memory are left out. If launches of one batch share a
    /// memory, no launch may touch what another one writes.
    ///
    /// # Errors
    /// [`ResidentError::TooLarge`]: nothing is added. If the pool is not empty, running its
    /// launches makes room.
    pub fn add(
        &mut self,
        memory: &Memory,
        reads: &[Range<u64>],
        writes: &[Range<u64>],
    ) -> Result<usize, ResidentError> {
        let space = Space::new(memory);
        let merged =
            |spans: &[Range<u64>]| set(spans.iter().filter_map(|span| space.clip(span)), GRAIN);
        let (read, written) = (merged(reads), merged(writes));
        let bytes: u64 = [&read, &written]
            .iter()
            .flat_map(|set| set.iter())
            .map(|range| range.end - range.start)
            .sum();
        let needed = (self.written.len() + self.read.len()) as u64 + bytes;
        fits("a batch of launches", needed, self.capacity)?;
        let place = |spans: &[Range<u64>], set: &RangeSet<u64>, area: &mut Vec<u8>| {
            let first = area.len() as u64;
            for range in set.iter() {
                space.read(memory, range, area);
            }
            let at = |offset: u64| {
                let mut at = first;
                for range in set.iter() {
                    if range.contains(&offset) {
                        return at + (offset - range.start);
                    }
                    at += range.end - range.start;
                }
                at
            };
            spans
                .iter()
                .map(|span| {
                    let offsets = space.clip(span).unwrap_or(0..0);
                    let at = at(offsets.start);
                    PooledSpan { offsets, at }
                })
                .collect()
        };
        let reads = place(reads, &read, &mut self.read);
        let writes = place(writes, &written, &mut self.written);
        self.members.push(Member { id: memory.id(), space, reads, writes });
        Ok(self.members.len() - 1)
    }

    /// Uploads everything, for all work submitted after this call. The result has no deltas: see
    /// [`Pool::deltas`].
    ///
    /// # Errors
    /// [`ResidentError::Gpu`].
    pub fn upload(&mut self, gpu: &Gpu) -> Result<Bound, ResidentError> {
        let behind = self.written.len() as u64;
        let size = (behind + self.read.len() as u64).max(1).next_multiple_of(ALIGN);
        let buffer = self.buffer.get(gpu, size)?;
        let mut upload = Upload::default();
        upload.write(gpu, &buffer, 0, &self.written)?;
        upload.write(gpu, &buffer, behind, &self.read)?;
        Ok(Bound {
            reads: Vec::new(),
            writes: Vec::new(),
            memory: (buffer, 0, size),
            copies: (self.copies.get(gpu, ALIGN)?, 0, ALIGN),
            copied: None,
            before: None,
        })
    }

    /// The deltas of a launch's spans in the buffer: first those of the spans read, then those of
    /// the spans written, in the given order. They change when a launch is added. Empty if there is
    /// no such launch.
    pub fn deltas(&self, launch: usize) -> (Vec<u32>, Vec<u32>) {
        let Some(member) = self.members.get(launch) else {
            return (Vec::new(), Vec::new());
        };
        let deltas = |places: &[PooledSpan], area: u64| {
            let delta = |place: &PooledSpan| {
                // Both parts begin at a word boundary, as addresses do.
                let address = member.space.address(place.offsets.start & !3);
                delta(address, (area + (place.at & !3)) / 4)
            };
            places.iter().map(delta).collect()
        };
        let behind = self.written.len() as u64;
        (deltas(&member.reads, behind), deltas(&member.writes, 0))
    }

    /// Ends the batch's commands with a copy to the host, and submits them. [`Pool::receive`] waits
    /// for the copy.
    ///
    /// # Errors
    /// [`ResidentError::Gpu`].
    pub fn request(
        &mut self,
        gpu: &Gpu,
        encoder: wgpu::CommandEncoder,
    ) -> Result<Requested, ResidentError> {
        let written = 0..self.written.len() as u64;
        let buffer = self.buffer.get(gpu, written.end)?;
        Ok(self.download.request(gpu, encoder, &[(buffer, written)])?)
    }

    /// Waits for the copy. Afterwards [`Pool::store`] has what the launches wrote.
    ///
    /// # Errors
    /// [`ResidentError::Gpu`]; nothing is then written.
    pub fn receive(&mut self, gpu: &Gpu, requested: Requested) -> Result<(), ResidentError> {
        let written = &mut self.written;
        self.download.receive(gpu, requested, |_, at, bytes| {
            let at = at as usize;
            if let Some(place) = written.get_mut(at..at + bytes.len()) {
                place.copy_from_slice(bytes);
            }
        })?;
        Ok(())
    }

    /// Writes a launch's written spans, as they were at [`Pool::receive`], to its memory.
    ///
    /// # Errors
    /// [`ResidentError::OtherMemory`] if `memory` is not the one that was added.
    pub fn store(&self, launch: usize, memory: &mut Memory) -> Result<(), ResidentError> {
        let Some(member) = self.members.get(launch) else {
            return Ok(());
        };
        let (expected, found) = (member.id, memory.id());
        if expected != found {
            return Err(ResidentError::OtherMemory { expected, found });
        }
        for place in &member.writes {
            let len = (place.offsets.end - place.offsets.start) as usize;
            let at = place.at as usize;
            if let Some(bytes) = self.written.get(at..at + len) {
                member.space.write(memory, place.offsets.start, bytes);
            }
        }
        Ok(())
    }

    /// Removes all launches. The buffers are kept for the next batch.
    pub fn clear(&mut self) {
        self.members.clear();
        self.written.clear();
        self.read.clear();
    }
}
