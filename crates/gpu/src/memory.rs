//! The bytes of a memory in GPU buffers, from one launch to the next.
//!
//! A memory's regions follow each other. Its addresses, from the first to the last, are cut into
//! *chunks*. Each chunk is a buffer that is created when it is first needed. When a launch binds a
//! span, the bytes that the host has changed are uploaded. What launches write stays on the GPU
//! until a caller asks for it. This module knows no programs and no surfaces: it moves spans of
//! bytes.
//!
//! Nothing here panics, and nothing tears memory: a download is written to the host's memory only
//! once all of it has arrived.

use std::ops::Range;
use std::sync::Weak;

use crate::device::connection::Gpu;
use ctm_machine::engine::GpuError;
use ctm_machine::memory::{Memory, PAGE_LOG2};
use layout::{Piece, Space};
use spans::{Spans, aligned};
use transfer::{Download, Requested, Upload};

mod layout;
mod pool;
mod residents;
mod spans;
pub mod starts;
mod transfer;

pub use layout::{Bound, MAX_WINDOWS, Window};
pub use pool::Pool;
pub use residents::Residents;

/// Bound parts of buffers begin at multiples of this many bytes, the largest alignment that
/// adapters require. The sizes of windows are multiples of it, too.
pub const ALIGN: u64 = 256;

/// The memory in a window begins at a multiple of this many bytes, the size of the largest element.
/// So elements of any size begin at the same boundaries in a window as in memory.
const GRAIN: u64 = 16;

/// The largest size of a chunk, so that a small memory's needs stay small on large GPUs.
const MAX_CHUNK: u64 = 1 << 30;

/// The most bytes brought to the host in one step, unless a single piece has more. A step arrives
/// whole or not at all, and takes as much memory again.
const ROUND: u64 = 512 << 20;

/// The usage of buffers that shaders read and write, and that copies read and write.
const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

/// Why memory is not available on the GPU. Host memory is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResidentError {
    /// The launch touches too many buffers.
    #[error(
        "what the launch touches lies in {needed} GPU buffers of at most {chunk} bytes each; \
         {limit} can be bound at once"
    )]
    Windows {
        /// The number of windows that it needs.
        needed: usize,
        /// The number of windows available.
        limit: usize,
        /// Size in bytes of the largest buffer that can be bound.
        chunk: u64,
    },
    /// Spans that must be in one buffer are too large for it.
    #[error("{what}: {bytes} bytes are needed in one GPU buffer; the largest has {limit}")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// Its size in bytes.
        bytes: u64,
        /// The largest size that fits, in bytes.
        limit: u64,
    },
    /// This copy belongs to another memory.
    #[error("memory {found} was given where the GPU holds memory {expected}")]
    OtherMemory {
        /// [`Memory::id`] of the copy.
        expected: u64,
        /// [`Memory::id`] of the given memory.
        found: u64,
    },
    /// An error of wgpu or the driver.
    #[error(transparent)]
    Gpu(#[from] GpuError),
}

/// Size of the largest buffer that can be bound whole, in bytes: a multiple of 64 KiB.
fn largest_window(gpu: &Gpu) -> u64 {
    gpu.largest_binding() & !0xffff
}

/// Converts an error after which the host has part of the bytes to bring down.
fn in_part(error: ResidentError) -> ResidentError {
    match error {
        ResidentError::Gpu(error) if !error.is_lost() => ResidentError::Gpu(GpuError::Internal {
            what: "reading memory back".into(),
            message: format!("a part of it is on the host; then {error}"),
        }),
        other => other,
    }
}

/// The copy of one memory on one GPU.
pub struct Resident {
    id: u64,
    alive: Weak<()>,
    space: Space,
    chunks: Vec<Option<wgpu::Buffer>>,
    /// For each region, the version of each page that the GPU has.
    seen: [Vec<u64>; 3],
    /// Offsets whose bytes are newer on the GPU than on the host.
    newer: Spans,
    scratch: Option<wgpu::Buffer>,
    spare: Option<wgpu::Buffer>,
    download: Download,
}

/// Bytes on their way to the host.
pub struct Down {
    /// The copies.
    pub requested: Requested,
    /// The parts of chunks, and their offsets.
    parts: Vec<Range<u64>>,
    offsets: Vec<Range<u64>>,
    /// Region and number of the pages on which host and GPU agree.
    clean: Vec<(usize, usize)>,
}

impl Resident {
    /// The copy of a memory, with nothing on the GPU yet.
    #[must_use]
    pub fn new(gpu: &Gpu, memory: &Memory) -> Resident {
        Resident::with_chunk(memory, largest_window(gpu).min(MAX_CHUNK))
    }

    /// As [`Resident::new`], with the size of a chunk in bytes, rounded up to a multiple of 64 KiB.
    #[must_use]
    pub fn with_chunk(memory: &Memory, chunk: u64) -> Resident {
        let space = Space::new(memory, chunk.next_multiple_of(1 << PAGE_LOG2).max(1 << PAGE_LOG2));
        Resident {
            id: memory.id(),
            alive: memory.alive(),
            chunks: vec![None; space.chunks()],
            space,
            seen: [const { Vec::new() }; 3],
            newer: Spans::default(),
            scratch: None,
            spare: None,
            download: Download::default(),
        }
    }

    /// Uploads and binds every span that a launch touches, in at most `limit` windows (1 to 4).
    /// `reads` and `writes` are up to date on the GPU for all work submitted after this call. A
    /// span that is both read and written needs to be in only one of them. Parts of spans outside
    /// memory are left out; their addresses fail the shader's check.
    ///
    /// Uploads precede all work submitted afterwards. Commands recorded before the host changed
    /// memory must be submitted before this call.
    ///
    /// # Errors
    /// [`ResidentError::Windows`]: binding fewer bytes at a time may work, such as those of some
    /// rows of the domain; [`ResidentError::OtherMemory`]; [`ResidentError::Gpu`].
    pub fn bind(
        &mut self,
        gpu: &Gpu,
        memory: &Memory,
        reads: &[Range<u64>],
        writes: &[Range<u64>],
        limit: usize,
    ) -> Result<Bound, ResidentError> {
        self.check(memory)?;
        let (needed, pieces) = self.windows(reads, writes, limit)?;
        self.upload(gpu, memory, needed.ranges())?;
        let spare = self.spare(gpu)?;
        let mut windows = Vec::with_capacity(pieces.len().max(1));
        for Piece { chunk, range } in &pieces {
            windows.push(Window {
                buffer: self.chunk(gpu, *chunk)?,
                offset: range.start,
                size: range.end - range.start,
            });
        }
        if windows.is_empty() {
            windows.push(Window { buffer: spare.clone(), offset: 0, size: ALIGN });
        }
        let deltas = |spans: &[Range<u64>]| {
            let delta = |span| self.space.delta(span, &pieces);
            spans.iter().map(delta).collect()
        };
        Ok(Bound { reads: deltas(reads), writes: deltas(writes), windows, spare })
    }

    /// Whether [`Resident::bind`] finds enough windows for spans. Uploads nothing.
    ///
    /// # Errors
    /// [`ResidentError::Windows`].
    pub fn fits(
        &self,
        reads: &[Range<u64>],
        writes: &[Range<u64>],
        limit: usize,
    ) -> Result<(), ResidentError> {
        self.windows(reads, writes, limit).map(|_| ())
    }

    /// The offsets of spans, and the windows that hold them.
    fn windows(
        &self,
        reads: &[Range<u64>],
        writes: &[Range<u64>],
        limit: usize,
    ) -> Result<(Spans, Vec<Piece>), ResidentError> {
        let mut needed = Spans::default();
        for span in reads.iter().chain(writes) {
            if let Some(offsets) = self.space.clip(span) {
                needed.add(&offsets, ALIGN);
            }
        }
        let pieces = self.space.windows(needed.ranges(), limit.clamp(1, MAX_WINDOWS))?;
        Ok((needed, pieces))
    }

    /// Notes that submitted work writes spans. From now on their bytes on the GPU are
    /// authoritative.
    pub fn written(&mut self, spans: &[Range<u64>]) {
        for span in spans {
            if let Some(offsets) = self.space.clip(span) {
                self.newer.add(&offsets, 4);
            }
        }
    }

    /// Whether the host's bytes of a span of addresses are up to date.
    #[must_use]
    pub fn is_current(&self, span: &Range<u64>) -> bool {
        self.space.clip(span).is_none_or(|offsets| !self.newer.touches(&offsets))
    }

    /// The addresses of the bytes that are newer on the GPU.
    #[must_use]
    pub fn newer(&self) -> Vec<Range<u64>> {
        let address = |offset| self.space.address(offset);
        let ranges = self.newer.ranges().iter();
        ranges
            .map(|range| address(range.start)..address(range.start) + (range.end - range.start))
            .collect()
    }

    /// Brings bytes that are newer on the GPU to the host, all of them or those in `within`. Waits
    /// for all submitted work. For other copies the host's pages then count as changed.
    ///
    /// # Errors
    /// [`ResidentError::OtherMemory`]; [`ResidentError::Gpu`]: the host then has none of the bytes
    /// or, if there are more than 512 MiB, perhaps those at lower addresses. In the latter case the
    /// error is never [`GpuError::OutOfMemory`], after which a launch may run elsewhere.
    pub fn bring_down(
        &mut self,
        gpu: &Gpu,
        memory: &mut Memory,
        within: Option<Range<u64>>,
    ) -> Result<(), ResidentError> {
        self.check(memory)?;
        let offsets = match &within {
            None => Some(0..self.space.len()),
            Some(span) => self.space.clip(span),
        };
        let wanted = offsets.map_or_else(Vec::new, |offsets| self.newer.within(&offsets, 4));
        let pieces = self.space.pieces(&wanted);
        let mut rest = pieces.as_slice();
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = rest.iter().take_while(|piece| {
                bytes += piece.range.end - piece.range.start;
                bytes <= ROUND
            });
            let (round, behind) = rest.split_at(fits.count().max(1));
            let brought = gpu
                .encoder()
                .map_err(ResidentError::from)
                .and_then(|end| self.request_round(gpu, memory, end, round))
                .and_then(|down| self.receive(gpu, memory, down));
            if rest.len() == pieces.len() {
                brought?;
            } else {
                brought.map_err(in_part)?;
            }
            rest = behind;
        }
        Ok(())
    }

    /// Whether some bytes are newer on the GPU, and [`Resident::request`] can bring all of them.
    #[must_use]
    pub fn is_one_round(&self) -> bool {
        let bytes: u64 = self.newer.ranges().iter().map(|range| range.end - range.start).sum();
        bytes != 0 && bytes <= ROUND / 2
    }

    /// Ends commands with copies of all bytes that are newer on the GPU, and submits them.
    /// [`Resident::receive`] waits for the copies. The caller must not change memory meanwhile.
    ///
    /// # Errors
    /// As [`Resident::bring_down`].
    pub fn request(
        &mut self,
        gpu: &Gpu,
        memory: &Memory,
        commands: wgpu::CommandEncoder,
    ) -> Result<Down, ResidentError> {
        self.check(memory)?;
        let wanted = self.newer.within(&(0..self.space.len()), 4);
        let pieces = self.space.pieces(&wanted);
        self.request_round(gpu, memory, commands, &pieces)
    }

    fn request_round(
        &mut self,
        gpu: &Gpu,
        memory: &Memory,
        commands: wgpu::CommandEncoder,
        round: &[Piece],
    ) -> Result<Down, ResidentError> {
        let mut parts = Vec::with_capacity(round.len());
        for piece in round {
            parts.push((self.chunk(gpu, piece.chunk)?, piece.range.clone()));
        }
        let offsets: Vec<Range<u64>> = round
            .iter()
            .map(|piece| {
                let from = self.space.offset(piece);
                from..from + (piece.range.end - piece.range.start)
            })
            .collect();
        // A page on which host and GPU agree needs no upload afterwards.
        let clean = self.clean_pages(memory, &offsets);
        let requested = self.download.request(gpu, commands, &parts)?;
        let parts = parts.into_iter().map(|(_, range)| range).collect();
        Ok(Down { requested, parts, offsets, clean })
    }

    /// Waits for copies to the host.
    ///
    /// # Errors
    /// As [`Resident::bring_down`].
    pub fn receive(
        &mut self,
        gpu: &Gpu,
        memory: &mut Memory,
        down: Down,
    ) -> Result<(), ResidentError> {
        let Down { requested, parts, offsets, clean } = down;
        let space = &self.space;
        self.download.receive(gpu, requested, &parts, |part, at, bytes| {
            space.write(memory, offsets[part].start + at, bytes);
        })?;
        let now = memory.observe();
        for (region, page) in clean {
            set(&mut self.seen[region], page, now);
        }
        for range in &offsets {
            self.newer.remove(range);
        }
        Ok(())
    }

    /// Copies spans into a separate window, as they are on the GPU at this point of the commands.
    /// For a launch that writes what it reads. Returns the delta of each span. The spans must have
    /// been among the `reads` of [`Resident::bind`], which must have left a window free.
    ///
    /// # Errors
    /// [`ResidentError::Windows`], [`ResidentError::TooLarge`], [`ResidentError::Gpu`].
    pub fn snapshot(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        bound: &mut Bound,
        spans: &[Range<u64>],
    ) -> Result<Vec<u32>, ResidentError> {
        if bound.windows.len() >= MAX_WINDOWS {
            return Err(ResidentError::Windows {
                needed: bound.windows.len() + 1,
                limit: MAX_WINDOWS,
                chunk: self.space.chunk,
            });
        }
        let before = bound.words();
        let mut size = 0;
        let mut deltas = Vec::with_capacity(spans.len());
        let mut copies = Vec::new();
        for span in spans {
            let Some(offsets) = self.space.clip(span) else {
                deltas.push(0);
                continue;
            };
            let offsets = aligned(&offsets, GRAIN);
            let address = self.space.address(offsets.start);
            deltas.push(layout::delta(address, before + size / 4));
            for piece in self.space.pieces(&[offsets]) {
                let len = piece.range.end - piece.range.start;
                copies.push((self.chunk(gpu, piece.chunk)?, piece.range.start, size, len));
                size += len;
            }
            size = size.next_multiple_of(GRAIN);
        }
        let size = size.max(1).next_multiple_of(ALIGN);
        let limit = largest_window(gpu);
        if size > limit {
            return Err(ResidentError::TooLarge {
                what: "the copy of what a launch both reads and writes",
                bytes: size,
                limit,
            });
        }
        let scratch = match &self.scratch {
            Some(scratch) if scratch.size() >= size => scratch.clone(),
            _ => {
                let size = size.next_power_of_two().min(limit);
                let buffer = gpu.buffer("a copy of memory", size, STORAGE)?;
                self.scratch.insert(buffer).clone()
            }
        };
        // wgpu reports errors in commands when they are submitted.
        for (source, from, to, len) in copies {
            encoder.copy_buffer_to_buffer(&source, from, &scratch, to, len);
        }
        bound.windows.push(Window { buffer: scratch, offset: 0, size });
        Ok(deltas)
    }

    /// Whether the copied memory still exists.
    #[must_use]
    pub fn is_alive(&self) -> bool {
        self.alive.strong_count() > 0
    }

    fn check(&self, memory: &Memory) -> Result<(), ResidentError> {
        let (expected, found) = (self.id, memory.id());
        if expected == found { Ok(()) } else { Err(ResidentError::OtherMemory { expected, found }) }
    }

    /// A chunk's buffer, created if it does not exist yet.
    fn chunk(&mut self, gpu: &Gpu, n: usize) -> Result<wgpu::Buffer, ResidentError> {
        match self.chunks.get(n) {
            Some(Some(buffer)) => Ok(buffer.clone()),
            _ => {
                let buffer = gpu.buffer("memory", self.space.chunk_len(n), STORAGE)?;
                if let Some(chunk) = self.chunks.get_mut(n) {
                    *chunk = Some(buffer.clone());
                }
                Ok(buffer)
            }
        }
    }

    fn spare(&mut self, gpu: &Gpu) -> Result<wgpu::Buffer, ResidentError> {
        match &self.spare {
            Some(spare) => Ok(spare.clone()),
            None => {
                let spare = gpu.buffer("unused windows", layout::SPARE, STORAGE)?;
                Ok(self.spare.insert(spare).clone())
            }
        }
    }

    /// Region and number of the pages in ranges of offsets that the host has not changed since they
    /// were uploaded.
    fn clean_pages(&self, memory: &Memory, ranges: &[Range<u64>]) -> Vec<(usize, usize)> {
        let mut clean = Vec::new();
        for (k, versions) in memory.versions().enumerate() {
            for range in ranges {
                let pages = pages(&self.space.regions[k], range);
                clean.extend(
                    pages
                        .filter(|&page| version(versions, page) <= version(&self.seen[k], page))
                        .map(|page| (k, page)),
                );
            }
        }
        clean
    }

    /// Uploads the pages in ranges of offsets that the host has changed.
    fn upload(
        &mut self,
        gpu: &Gpu,
        memory: &Memory,
        ranges: &[Range<u64>],
    ) -> Result<(), ResidentError> {
        let now = memory.observe();
        let mut upload = Upload::default();
        for (k, ((_, bytes), versions)) in memory.ranges().zip(memory.versions()).enumerate() {
            let region = self.space.regions[k].clone();
            for range in ranges {
                let pages = pages(&region, range);
                let mut page = pages.start;
                while page < pages.end {
                    let first = page;
                    let newer = |page| version(versions, page) > version(&self.seen[k], page);
                    while page < pages.end && newer(page) {
                        page += 1;
                    }
                    if first == page {
                        page += 1;
                        continue;
                    }
                    let to = (page << PAGE_LOG2).min(bytes.len());
                    let from = first << PAGE_LOG2;
                    let offset = region.start + from as u64;
                    self.upload_bytes(gpu, offset, &bytes[from..to], &mut upload)?;
                    for page in first..page {
                        set(&mut self.seen[k], page, now);
                    }
                }
            }
        }
        Ok(())
    }

    /// Uploads bytes to an offset, except where the GPU has newer ones.
    fn upload_bytes(
        &mut self,
        gpu: &Gpu,
        offset: u64,
        bytes: &[u8],
        upload: &mut Upload,
    ) -> Result<(), ResidentError> {
        let all = offset..offset + bytes.len() as u64;
        for piece in self.space.pieces(&self.newer.outside(&all)) {
            let buffer = self.chunk(gpu, piece.chunk)?;
            let first = (self.space.offset(&piece) - offset) as usize;
            let len = (piece.range.end - piece.range.start) as usize;
            upload.write(gpu, &buffer, piece.range.start, &bytes[first..first + len])?;
        }
        Ok(())
    }
}

/// The pages of a region that a range of offsets touches. `region` has the offsets of the region.
fn pages(region: &Range<u64>, range: &Range<u64>) -> Range<usize> {
    let from = range.start.max(region.start) - region.start;
    let to = range.end.min(region.end).saturating_sub(region.start);
    if from >= to {
        return 0..0;
    }
    (from >> PAGE_LOG2) as usize..((to - 1) >> PAGE_LOG2) as usize + 1
}

/// The version of a page; 0 after the last one.
fn version(versions: &[u64], page: usize) -> u64 {
    versions.get(page).copied().unwrap_or(0)
}

fn set(versions: &mut Vec<u64>, page: usize, version: u64) {
    if versions.len() <= page {
        versions.resize(page + 1, 0);
    }
    versions[page] = version;
}

#[cfg(test)]
mod tests;
