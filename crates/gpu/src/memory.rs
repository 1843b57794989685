//! The bytes of a memory in a GPU buffer, from one launch to the next.
//!
//! A memory's regions follow each other. Its addresses, from the first to the last, are in one
//! buffer; of a memory that is too large for that, the buffer holds the part that launches touch.
//! When a launch binds a span, the bytes that the host has changed are uploaded. What launches
//! write stays on the GPU until a caller asks for it. This module knows no programs and no
//! surfaces: it moves spans of bytes, and says what numbers are in them (`known`).
//!
//! Nothing here panics, and nothing tears memory: a download is written to the host's memory only
//! once all of it has arrived.

use std::ops::Range;
use std::sync::Weak;

use crate::device::Grown;
use crate::device::connection::Gpu;
use ctm_machine::engine::GpuError;
use ctm_machine::memory::{Memory, PAGE_LOG2};
pub use ctm_shade::plan::space::ALIGN;
use ctm_shade::plan::space::{GRAIN, Space, aligned};
use known::Known;
use rangemap::RangeSet;
use spans::{part, set};
pub use transfer::Requested;
use transfer::{Download, Upload};

mod known;
mod layout;
mod pool;
mod residents;
mod spans;
pub mod starts;
mod transfer;

pub use layout::Bound;
pub use pool::Pool;
pub use residents::Residents;

/// The largest size of a memory's buffer, so that a small memory's needs stay small on large GPUs.
const LARGEST: u64 = 1 << 30;

/// The most bytes brought to the host in one step, unless a single piece has more. A step arrives
/// whole or not at all, and takes as much memory again.
const ROUND: u64 = 512 << 20;

/// The usage of buffers that shaders read and write, and that copies read and write.
const STORAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

/// Errors of bringing memory to the GPU. Host memory is unchanged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResidentError {
    /// Spans that must be in one buffer are too large for it.
    #[error("{what}: {bytes} bytes are needed in one GPU buffer; the largest has {limit}")]
    TooLarge {
        /// The spans that are too large.
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

/// Checks that `bytes` bytes of `what` fit a buffer.
fn fits(what: &'static str, bytes: u64, limit: u64) -> Result<(), ResidentError> {
    if bytes > limit { Err(ResidentError::TooLarge { what, bytes, limit }) } else { Ok(()) }
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
    /// The most bytes of the buffer.
    limit: u64,
    /// The buffer, and the offsets whose bytes it holds.
    held: Option<(wgpu::Buffer, Range<u64>)>,
    /// For each region, the version of each page that the GPU has.
    seen: [Vec<u64>; 3],
    /// Offsets whose bytes are newer on the GPU than on the host.
    newer: RangeSet<u64>,
    known: Known,
    copies: Grown,
    before: Grown,
    download: Download,
}

/// Bytes on their way to the host.
pub struct Down {
    /// The copies.
    pub requested: Requested,
    offsets: Vec<Range<u64>>,
    /// Region and number of the pages on which host and GPU agree.
    clean: Vec<(usize, usize)>,
}

impl Resident {
    /// The copy of a memory, with nothing on the GPU yet; `limit`: the most bytes of its buffer.
    pub fn new(memory: &Memory, limit: u64) -> Resident {
        Resident {
            id: memory.id(),
            alive: memory.alive(),
            space: Space::new(memory),
            limit,
            held: None,
            seen: [const { Vec::new() }; 3],
            newer: RangeSet::new(),
            known: Known::default(),
            copies: Grown::new("a copy of memory", STORAGE, ALIGN),
            before: Grown::new("memory before a launch", STORAGE, ALIGN),
            download: Download::default(),
        }
    }

    /// The most bytes of a memory's buffer on an adapter.
    pub fn largest(gpu: &Gpu) -> u64 {
        gpu.largest_binding().min(LARGEST) & !0xffff
    }

    /// Uploads every span that a launch touches, and binds the part of the buffer from the first to
    /// the last. `reads` and `writes` are up to date on the GPU for all work submitted after this
    /// call. A span that is both read and written needs to be in only one of them. Parts of spans
    /// outside memory are left out; their addresses fail the shader's check.
    ///
    /// Uploads precede all work submitted afterwards. Commands recorded before the host changed
    /// memory must be submitted before this call, and all commands unless the buffer
    /// [holds](Self::holds) the spans: they get another buffer then.
    ///
    /// # Errors
    /// [`ResidentError::TooLarge`] for spans too far apart, with nothing changed;
    /// [`ResidentError::OtherMemory`]; [`ResidentError::Gpu`].
    pub fn bind(
        &mut self,
        gpu: &Gpu,
        memory: &mut Memory,
        reads: &[Range<u64>],
        writes: &[Range<u64>],
    ) -> Result<Bound, ResidentError> {
        self.check(memory)?;
        let (needed, part) = self.needed(reads, writes)?;
        let (buffer, held) = self.hold(gpu, memory, &part)?;
        self.upload(gpu, memory, &needed)?;
        let deltas = |spans: &[Range<u64>]| {
            spans.iter().map(|span| self.space.delta_of(span, part.start)).collect()
        };
        Ok(Bound {
            reads: deltas(reads),
            writes: deltas(writes),
            memory: (buffer, part.start - held.start, part.end - part.start),
            copies: (self.copies.get(gpu, ALIGN)?, 0, ALIGN),
            copied: None,
            before: None,
        })
    }

    /// Whether the buffer already holds spans.
    ///
    /// # Errors
    /// [`ResidentError::TooLarge`].
    pub fn holds(
        &self,
        reads: &[Range<u64>],
        writes: &[Range<u64>],
    ) -> Result<bool, ResidentError> {
        let (_, part) = self.needed(reads, writes)?;
        Ok(self.held.as_ref().is_some_and(|(_, held)| contains(held, &part)))
    }

    /// The offsets of spans, and the part of the buffer from the first to the last.
    fn needed(
        &self,
        reads: &[Range<u64>],
        writes: &[Range<u64>],
    ) -> Result<(RangeSet<u64>, Range<u64>), ResidentError> {
        let spans = reads.iter().chain(writes).filter_map(|span| self.space.clip(span));
        let needed = set(spans, ALIGN);
        let first = self.held.as_ref().map_or(0, |(_, held)| held.start);
        let part = match (needed.first(), needed.last()) {
            (Some(first), Some(last)) => first.start..last.end,
            // Something is always bound.
            _ => first..first + ALIGN,
        };
        fits("what the launch touches", part.end - part.start, self.limit)?;
        Ok((needed, part))
    }

    /// A buffer that holds a part of memory, and the offsets that it holds: all of memory if it
    /// fits, or else also what the last one held, if that fits.
    fn hold(
        &mut self,
        gpu: &Gpu,
        memory: &mut Memory,
        part: &Range<u64>,
    ) -> Result<(wgpu::Buffer, Range<u64>), ResidentError> {
        if let Some((buffer, held)) = &self.held
            && contains(held, part)
        {
            return Ok((buffer.clone(), held.clone()));
        }
        self.bring_down(gpu, memory, None)?;
        let last = self.held.take().map_or_else(|| part.clone(), |(_, held)| held);
        let both = last.start.min(part.start)..last.end.max(part.end);
        let wide = [0..self.space.bytes(), both];
        let fit = wide.into_iter().find(|held| held.end - held.start <= self.limit);
        let held = fit.unwrap_or_else(|| part.clone());
        self.seen = Default::default();
        let buffer = gpu.buffer("memory", held.end - held.start, STORAGE)?;
        Ok(self.held.insert((buffer, held)).clone())
    }

    /// Whether the host's bytes of a span of addresses are up to date.
    pub fn is_current(&self, span: &Range<u64>) -> bool {
        self.space.clip(span).is_none_or(|offsets| !self.newer.overlaps(&offsets))
    }

    /// The addresses of the bytes that are newer on the GPU.
    pub fn newer(&self) -> Vec<Range<u64>> {
        let address = |offset| self.space.address(offset);
        let ranges = self.newer.iter();
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
            None => Some(0..self.space.bytes()),
            Some(span) => self.space.clip(span),
        };
        let wanted =
            offsets.map_or_else(Vec::new, |offsets| part(&self.newer, &aligned(&offsets, 4)));
        let mut rest = wanted.as_slice();
        while !rest.is_empty() {
            let mut bytes = 0;
            let fits = rest.iter().take_while(|range| {
                bytes += range.end - range.start;
                bytes <= ROUND
            });
            let (round, behind) = rest.split_at(fits.count().max(1));
            let brought = gpu
                .encoder()
                .map_err(ResidentError::from)
                .and_then(|end| self.request_round(gpu, memory, end, round.to_vec()))
                .and_then(|down| self.receive(gpu, memory, down));
            if rest.len() == wanted.len() {
                brought?;
            } else {
                brought.map_err(in_part)?;
            }
            rest = behind;
        }
        Ok(())
    }

    /// Whether some bytes are newer on the GPU, and [`Resident::request`] can bring all of them.
    pub fn is_one_round(&self) -> bool {
        let bytes: u64 = self.newer.iter().map(|range| range.end - range.start).sum();
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
        self.request_round(gpu, memory, commands, self.newer.iter().cloned().collect())
    }

    fn request_round(
        &mut self,
        gpu: &Gpu,
        memory: &Memory,
        commands: wgpu::CommandEncoder,
        offsets: Vec<Range<u64>>,
    ) -> Result<Down, ResidentError> {
        let parts: Vec<_> = offsets.iter().filter_map(|range| self.in_buffer(range)).collect();
        // A page on which host and GPU agree needs no upload afterwards.
        let clean = self.clean_pages(memory, &offsets);
        let requested = self.download.request(gpu, commands, &parts)?;
        Ok(Down { requested, offsets, clean })
    }

    /// The part of the buffer that holds a range of offsets.
    fn in_buffer(&self, range: &Range<u64>) -> Option<(wgpu::Buffer, Range<u64>)> {
        let (buffer, held) = self.held.as_ref()?;
        Some((buffer.clone(), range.start - held.start..range.end - held.start))
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
        let Down { requested, offsets, clean } = down;
        let space = &self.space;
        self.download.receive(gpu, requested, |part, at, bytes| {
            space.write(memory, offsets[part].start + at, bytes);
        })?;
        let now = memory.observe();
        for (region, page) in clean {
            mark(&mut self.seen[region], page, now);
        }
        for range in &offsets {
            self.known.brought(range, now);
            self.newer.remove(range.clone());
        }
        Ok(())
    }

    /// Has room for copies of spans, for a launch that writes what it reads. Sets the deltas of those
    /// reads; the words of the copies follow those of memory. The reads must be those of
    /// [`Resident::bind`].
    ///
    /// # Errors
    /// [`ResidentError::TooLarge`], [`ResidentError::Gpu`].
    pub fn snapshot(
        &mut self,
        gpu: &Gpu,
        bound: &mut Bound,
        reads: &[(usize, Range<u64>)],
    ) -> Result<(), ResidentError> {
        let snapshot = self.space.snapshot(&self.part(bound), reads.iter().cloned());
        let bytes = snapshot.bytes;
        fits("the copy of what a launch both reads and writes", bytes, self.limit)?;
        bound.copies = (self.copies.get(gpu, bytes)?, 0, bytes);
        for (n, delta) in &snapshot.deltas {
            bound.reads[*n] = *delta;
        }
        bound.copied = Some(snapshot);
        Ok(())
    }

    /// Has room for the old contents of what a launch writes.
    ///
    /// # Errors
    /// As [`Resident::snapshot`].
    pub fn keep(
        &mut self,
        gpu: &Gpu,
        bound: &mut Bound,
        writes: &[Range<u64>],
    ) -> Result<(), ResidentError> {
        let writes = writes.iter().cloned().enumerate();
        let snapshot = self.space.snapshot(&self.part(bound), writes);
        let bytes = snapshot.bytes;
        fits("the copy of what a launch writes", bytes, self.limit)?;
        bound.before = Some((snapshot, (self.before.get(gpu, bytes)?, 0, bytes)));
        Ok(())
    }

    /// The offsets that are bound.
    fn part(&self, bound: &Bound) -> Range<u64> {
        let held = self.held.as_ref().map_or(0, |(_, held)| held.start);
        let (_, at, bytes) = bound.memory;
        held + at..held + at + bytes
    }

    /// Whether the copied memory still exists.
    pub fn is_alive(&self) -> bool {
        self.alive.strong_count() > 0
    }

    fn check(&self, memory: &Memory) -> Result<(), ResidentError> {
        let (expected, found) = (self.id, memory.id());
        if expected == found { Ok(()) } else { Err(ResidentError::OtherMemory { expected, found }) }
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
        ranges: &RangeSet<u64>,
    ) -> Result<(), ResidentError> {
        let now = memory.observe();
        let mut upload = Upload::default();
        for (k, ((_, bytes), versions)) in memory.ranges().zip(memory.versions()).enumerate() {
            let region = self.space.regions[k].clone();
            for range in ranges.iter() {
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
                    self.upload_bytes(
                        gpu,
                        bytes,
                        region.start,
                        first << PAGE_LOG2..to,
                        &mut upload,
                    )?;
                    for page in first..page {
                        mark(&mut self.seen[k], page, now);
                    }
                }
            }
        }
        Ok(())
    }

    /// Uploads a part of a region's bytes, as far as the buffer holds it and except where the GPU has
    /// newer bytes; `start` is the region's offset.
    fn upload_bytes(
        &self,
        gpu: &Gpu,
        bytes: &[u8],
        start: u64,
        part: Range<usize>,
        upload: &mut Upload,
    ) -> Result<(), ResidentError> {
        let Some((buffer, held)) = &self.held else { return Ok(()) };
        let from = (start + part.start as u64).max(held.start);
        let to = (start + part.end as u64).min(held.end);
        for range in self.newer.gaps(&(from..to)) {
            let bytes = &bytes[(range.start - start) as usize..(range.end - start) as usize];
            upload.write(gpu, buffer, range.start - held.start, bytes)?;
        }
        Ok(())
    }
}

/// Whether a range has all of another one.
fn contains(range: &Range<u64>, other: &Range<u64>) -> bool {
    range.start <= other.start && other.end <= range.end
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

fn mark(versions: &mut Vec<u64>, page: usize, version: u64) {
    if versions.len() <= page {
        versions.resize(page + 1, 0);
    }
    versions[page] = version;
}

#[cfg(test)]
mod tests;
