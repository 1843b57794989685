//! The positions of addresses in GPU buffers, and the parts of these that a launch binds.

use ctm_machine::engine::checked::{Access, Reader, Writer};
use ctm_shade::abi::places::Places;
use std::ops::Range;

use crate::memory::spans::aligned;
use crate::memory::{ALIGN, ResidentError};
use ctm_machine::memory::Memory;

/// The number of windows that shaders have.
pub const MAX_WINDOWS: usize = 4;

/// A gap between two spans of one chunk is bound with them if it is at most this large: one window
/// is faster than two. The gap is zeroed once, when it is first bound.
const JOIN: u64 = 16 << 20;

/// A part of a buffer that a launch binds.
#[derive(Clone, Debug)]
pub struct Window {
    /// The buffer.
    pub buffer: wgpu::Buffer,
    /// Offset of the part in bytes, a multiple of 256.
    pub offset: u64,
    /// Its size in bytes, a multiple of 256 and not 0.
    pub size: u64,
}

/// What a launch binds, and the positions of its spans in it.
///
/// The word at byte address a of a span is word (a >> 2) - delta (modulo 2^32) of the windows'
/// words, counted from the first word of the first window.
#[derive(Clone, Debug)]
pub struct Bound {
    /// One to four windows.
    pub windows: Vec<Window>,
    /// The delta of each span that is read, in the given order.
    pub reads: Vec<u32>,
    /// The delta of each span that is written, in the given order.
    pub writes: Vec<u32>,
    /// At least [`SPARE`] unused bytes.
    pub(crate) spare: wgpu::Buffer,
}

/// Bytes that are bound in place of missing windows.
pub(crate) const SPARE: u64 = ALIGN * MAX_WINDOWS as u64;

impl Bound {
    /// The words in all windows.
    #[must_use]
    pub fn words(&self) -> u64 {
        self.windows.iter().map(|window| window.size / 4).sum()
    }

    /// The bindings of `window0` to `window3`. Missing windows get unused bytes.
    #[must_use]
    pub fn bindings(&self) -> [wgpu::BufferBinding<'_>; MAX_WINDOWS] {
        std::array::from_fn(|n| match self.windows.get(n) {
            Some(window) => wgpu::BufferBinding {
                buffer: &window.buffer,
                offset: window.offset,
                size: std::num::NonZeroU64::new(window.size),
            },
            None => wgpu::BufferBinding {
                buffer: &self.spare,
                offset: n as u64 * ALIGN,
                size: std::num::NonZeroU64::new(ALIGN),
            },
        })
    }
}

impl Bound {
    /// The places of surfaces whose spans were bound.
    pub fn places(&self, reads: &[Access<Reader>], writes: &[Access<Writer>]) -> Places {
        let reads = reads.iter().zip(self.reads.iter().copied());
        Places::new(reads, writes.iter().zip(self.writes.iter().copied()))
    }
}

/// A part of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub chunk: usize,
    /// Offsets in the chunk.
    pub range: Range<u64>,
}

/// A memory's addresses, from its first to its last byte, as offsets, and their chunks.
#[derive(Clone, Debug)]
pub(crate) struct Space {
    /// Address of offset 0, a multiple of 2 KiB.
    start: u64,
    /// Bytes up to the end of the last region.
    end: u64,
    /// Size of every chunk but the last.
    pub chunk: u64,
    /// Offset and length of each region.
    pub regions: [Range<u64>; 3],
}

impl Space {
    /// The space of a memory; `chunk` is a multiple of 64 KiB.
    pub(crate) fn new(memory: &Memory, chunk: u64) -> Space {
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
        Space { start: start.unwrap_or(0), end, chunk, regions }
    }

    /// Size in bytes of all chunks together.
    pub(crate) fn len(&self) -> u64 {
        self.end.next_multiple_of(ALIGN)
    }

    /// The number of chunks.
    pub(crate) fn chunks(&self) -> usize {
        self.end.div_ceil(self.chunk) as usize
    }

    /// Size of a chunk.
    pub(crate) fn chunk_len(&self, n: usize) -> u64 {
        let from = n as u64 * self.chunk;
        self.chunk.min(self.len().saturating_sub(from))
    }

    /// The address at an offset.
    pub(crate) fn address(&self, offset: u64) -> u64 {
        self.start + offset
    }

    /// The offset at which a piece begins.
    pub(crate) fn offset(&self, piece: &Piece) -> u64 {
        piece.chunk as u64 * self.chunk + piece.range.start
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

    /// Ranges of offsets, cut at the ends of chunks, in the same order.
    pub(crate) fn pieces(&self, ranges: &[Range<u64>]) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for range in ranges {
            let mut at = range.start;
            while at < range.end {
                let chunk = at / self.chunk;
                let from = chunk * self.chunk;
                let to = range.end.min(from + self.chunk);
                pieces.push(Piece { chunk: chunk as usize, range: at - from..to - from });
                at = to;
            }
        }
        pieces
    }

    /// At most `limit` windows that hold ranges of offsets. The ranges ascend and do not overlap.
    /// Each is in one stretch of words.
    pub(crate) fn windows(
        &self,
        ranges: &[Range<u64>],
        limit: usize,
    ) -> Result<Vec<Piece>, ResidentError> {
        let mut windows: Vec<Piece> = Vec::new();
        for piece in self.pieces(ranges) {
            let range = aligned(&piece.range, ALIGN);
            match windows.last_mut() {
                Some(last) if last.chunk == piece.chunk && range.start - last.range.end <= JOIN => {
                    last.range.end = range.end;
                }
                _ => windows.push(Piece { range, ..piece }),
            }
        }
        while windows.len() > limit {
            let gaps = windows.windows(2).enumerate().filter_map(|(n, pair)| {
                let gap = pair[1].range.start.checked_sub(pair[0].range.end);
                (pair[0].chunk == pair[1].chunk).then_some((gap?, n))
            });
            let Some((_, n)) = gaps.min() else {
                return Err(ResidentError::Windows {
                    needed: windows.len(),
                    limit,
                    chunk: self.chunk,
                });
            };
            windows[n].range.end = windows[n + 1].range.end;
            windows.remove(n + 1);
        }
        Ok(windows)
    }

    /// The delta of a span of addresses, in windows that hold it; 0 if it is not in memory.
    pub(crate) fn delta(&self, span: &Range<u64>, windows: &[Piece]) -> u32 {
        let Some(offsets) = self.clip(span) else {
            return 0;
        };
        let offset = offsets.start & !3;
        let mut before = 0;
        for window in windows {
            let first = self.offset(window);
            let len = window.range.end - window.range.start;
            if (first..first + len).contains(&offset) {
                let word = (before + offset - first) / 4;
                return delta(self.address(offset), word);
            }
            before += len;
        }
        0
    }
}

/// The amount to subtract from the word number of `address` to get `word`, a word of the windows.
pub(crate) fn delta(address: u64, word: u64) -> u32 {
    // Modulo 2^32, as in the shader.
    (address >> 2).wrapping_sub(word) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_machine::memory::ArenaSizes;

    const BASE: u64 = 0x1000_0000;

    fn space(gpu: u64, sysc: u64, chunk: u64) -> Space {
        let sizes = ArenaSizes { gpu, gpub: 0, sys: 0, sysc };
        Space::new(&Memory::new(&sizes).expect("it fits"), chunk)
    }

    fn ranges(windows: &[Piece]) -> Vec<(usize, Range<u64>)> {
        windows.iter().map(|w| (w.chunk, w.range.clone())).collect()
    }

    #[test]
    fn regions_lie_one_behind_the_other() {
        let space = space(0x1_0001, 3, 0x1_0000);
        assert_eq!(space.regions, [0..0x1_0001, 0..0, 0x1_0800..0x1_0803]);
        assert_eq!((space.len(), space.chunks()), (0x1_0900, 2));
        assert_eq!((space.chunk_len(0), space.chunk_len(1)), (0x1_0000, 0x900));
        assert_eq!(space.clip(&(0..1 << 32)), Some(0..0x1_0803));
        assert_eq!(space.clip(&(0..BASE)), None);
        assert_eq!(space.clip(&(BASE + 0x1_0803..1 << 32)), None);
        assert_eq!(space.clip(&(BASE - 4..BASE + 4)), Some(0..4));
    }

    #[test]
    fn a_span_across_chunks_is_one_stretch_of_words() {
        let space = space(0x4_0000, 0, 0x1_0000);
        let span = BASE + 0xff04..BASE + 0x2_0010;
        let needed = [0xff00..0x2_0100];
        let windows = space.windows(&needed, 4).expect("three windows");
        assert_eq!(ranges(&windows), [(0, 0xff00..0x1_0000), (1, 0..0x1_0000), (2, 0..0x100)]);
        let delta = space.delta(&span, &windows);
        assert_eq!(((BASE + 0xff04) >> 2) as u32 - delta, 1);
        // The first word of the second window.
        assert_eq!(((BASE + 0x1_0000) >> 2) as u32 - delta, 0x40);
        let error = space.windows(&needed, 2).expect_err("three are needed");
        assert_eq!(
            error.to_string(),
            "what the launch touches lies in 3 GPU buffers of at most 65536 bytes each; \
             2 can be bound at once"
        );
    }

    #[test]
    fn small_gaps_are_bound_and_large_ones_only_if_they_must() {
        let space = space(256 << 20, 0, 256 << 20);
        let mib = |n: u64| n << 20;
        let needed = [0..mib(1), mib(2)..mib(3), mib(40)..mib(41), mib(100)..mib(101)];
        let windows = space.windows(&needed, 4).expect("one chunk");
        assert_eq!(
            ranges(&windows),
            [(0, 0..mib(3)), (0, mib(40)..mib(41)), (0, mib(100)..mib(101))]
        );
        let word = |offset: u64, windows: &[Piece]| {
            let delta = space.delta(&(BASE + offset..BASE + offset + 4), windows);
            (((BASE + offset) >> 2) as u32).wrapping_sub(delta)
        };
        assert_eq!(word(mib(2), &windows), 2 << 18);
        assert_eq!(word(mib(40), &windows), 3 << 18);
        assert_eq!(word(mib(100), &windows), 4 << 18);
        let windows = space.windows(&needed, 2).expect("one chunk");
        assert_eq!(ranges(&windows), [(0, 0..mib(41)), (0, mib(100)..mib(101))]);
        assert_eq!(word(mib(100), &windows), 41 << 18);
    }
}
