//! The address space: arenas at distinct ranges, and their bytes [G 5].
//!
//! Local memory consists of the arenas GPU and GPUb. System memory, which the host also maps,
//! consists of SYS (uncached) and SYSc (cached). These two are views of the *same* bytes from one
//! common base address, because old clients mix them up: they take a pointer of one and an address
//! of the other. System memory is therefore as large as the larger of the two.

use ctm_base::named;
use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use super::{ALIGNMENT, MemoryError};

named! {
    /// The four arenas of a device, in the order of their ranges.
    ArenaKind {
        Gpu "GPU": "Local memory.";
        GpuB "GPUb": "Local memory, second range.";
        Sys "SYS": "System memory, uncached by the host.";
        SysC "SYSc": "System memory, cached by the host.";
    }
}

/// Sizes of the arenas in bytes. An arena of size 0 does not exist.
///
/// All address ranges together must fit in 32 bits: GPU + GPUb + the larger of SYS and SYSc, each
/// rounded up to 2 KiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArenaSizes {
    /// Size of GPU.
    pub gpu: u64,
    /// Size of GPUb.
    pub gpub: u64,
    /// Size of SYS.
    pub sys: u64,
    /// Size of SYSc.
    pub sysc: u64,
}

impl Default for ArenaSizes {
    /// GPU 256 MiB, SYSc 64 MiB, the others empty.
    fn default() -> Self {
        ArenaSizes { gpu: 256 << 20, gpub: 0, sys: 0, sysc: 64 << 20 }
    }
}

/// The address range of an arena. [`Memory`] holds the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arena {
    /// The arena.
    pub kind: ArenaKind,
    /// Device address of its first byte, a multiple of 2 KiB.
    pub base: u32,
    /// Its size in bytes.
    pub size: u64,
}

impl Arena {
    /// The arena's name: "GPU", "GPUb", "SYS" or "SYSc".
    pub const fn name(&self) -> &'static str {
        self.kind.name()
    }

    /// Whether `len` bytes from `address` are all inside.
    pub const fn contains(&self, address: u32, len: u64) -> bool {
        address >= self.base && address as u64 + len <= self.end()
    }

    /// First address after the arena; up to 2^32, hence 64 bits.
    pub const fn end(&self) -> u64 {
        self.base as u64 + self.size
    }
}

/// log2 of the bytes of a page, the unit of [`Memory::versions`].
pub const PAGE_LOG2: u32 = 16;

/// A range of addresses with its own bytes.
struct Region {
    base: u32,
    bytes: Vec<u8>,
    /// The version of each page. Pages past the end of the list were never written.
    versions: Vec<u64>,
}

impl Region {
    /// Offset of `len` bytes at `address` if all of them are inside.
    #[inline]
    fn offset(&self, address: u32, len: usize) -> Option<usize> {
        let offset = address.wrapping_sub(self.base) as usize;
        let end = offset.checked_add(len)?;
        (address >= self.base && end <= self.bytes.len()).then_some(offset)
    }

    /// Sets the version of the pages of `len` bytes at `offset` to `now`.
    #[inline]
    fn mark(&mut self, offset: usize, len: usize, now: u64) {
        let first = offset >> PAGE_LOG2;
        if len == 0 {
            return;
        }
        let last = (offset + len - 1) >> PAGE_LOG2;
        match self.versions.get_mut(first) {
            Some(version) if first == last => *version = now,
            _ => self.mark_many(first, last, now),
        }
    }

    #[cold]
    fn mark_many(&mut self, first: usize, last: usize, now: u64) {
        if self.versions.len() <= last {
            self.versions.resize(last + 1, 0);
        }
        self.versions[first..=last].fill(now);
    }
}

/// The machine's memory: all arenas and their contents, zero at first.
///
/// An access must lie wholly inside one arena. An access that crosses an arena's end is outside,
/// even if the next arena follows immediately. The store is backed lazily: pages that are never
/// written cost no memory.
///
/// A GPU engine, for example, keeps a copy of memory. It can ask what has changed: see
/// [`Memory::versions`].
pub struct Memory {
    id: u64,
    /// The version that a write gives to its pages; at least 1.
    clock: AtomicU64,
    alive: Arc<()>,
    /// GPU, GPUb, system memory; in ascending order of base, empty ones included.
    regions: [Region; 3],
    arenas: Vec<Arena>,
    bases: [u32; 4],
    /// See [`Memory::stale`].
    stale: Vec<Range<u64>>,
}

/// Candidates for the base of the first arena; the first that leaves room for all arenas is used.
/// Low addresses stay unmapped where possible, so that an address that was never set faults.
const FIRST_BASE: [u64; 3] = [0x1000_0000, ALIGNMENT as u64, 0];

impl Memory {
    /// A memory with the same arenas and contents.
    ///
    /// # Errors
    /// As [`Memory::new`].
    pub fn copy(&self) -> Result<Memory, MemoryError> {
        let size = |kind| self.arena(kind).map_or(0, |arena| arena.size);
        let mut copy = Memory::new(&ArenaSizes {
            gpu: size(ArenaKind::Gpu),
            gpub: size(ArenaKind::GpuB),
            sys: size(ArenaKind::Sys),
            sysc: size(ArenaKind::SysC),
        })?;
        for (address, bytes) in self.ranges() {
            copy.write(address, bytes)?;
        }
        Ok(copy)
    }

    /// Memory with arenas of the given sizes.
    ///
    /// # Errors
    /// [`MemoryError::Invalid`] if the ranges do not fit 32 bits,
    /// [`MemoryError::HostMemory`] if the host refuses the backing store.
    pub fn new(sizes: &ArenaSizes) -> Result<Memory, MemoryError> {
        let lengths = lengths(sizes);
        let base_of = place(lengths)?;
        let kinds = [ArenaKind::Gpu, ArenaKind::GpuB, ArenaKind::SysC];
        let region = |k: usize| {
            Ok(Region {
                base: base_of[k],
                bytes: backing(kinds[k], lengths[k])?,
                versions: Vec::new(),
            })
        };
        let bases = [base_of[0], base_of[1], base_of[2], base_of[2]];
        let arenas = ArenaKind::ALL
            .into_iter()
            .zip(bases)
            .zip([sizes.gpu, sizes.gpub, sizes.sys, sizes.sysc])
            .filter(|&(_, size)| size != 0)
            .map(|((kind, base), size)| Arena { kind, base, size })
            .collect();
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Ok(Memory {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            clock: AtomicU64::new(1),
            alive: Arc::new(()),
            regions: [region(0)?, region(1)?, region(2)?],
            arenas,
            bases,
            stale: Vec::new(),
        })
    }

    /// The arenas that are not empty, in the order GPU, GPUb, SYS, SYSc. SYS and SYSc overlap.
    pub fn arenas(&self) -> &[Arena] {
        &self.arenas
    }

    /// An arena, if it is not empty.
    pub fn arena(&self, kind: ArenaKind) -> Option<&Arena> {
        self.arenas.iter().find(|a| a.kind == kind)
    }

    /// Base address of an arena, even of an empty one. SYS and SYSc always have the same base.
    pub fn base(&self, kind: ArenaKind) -> u32 {
        self.bases[kind as usize]
    }

    /// Whether `len` bytes from `address` are all inside one arena.
    #[inline]
    pub fn contains(&self, address: u32, len: usize) -> bool {
        self.find(address, len).is_some()
    }

    /// Region and offset of `len` bytes at `address`.
    #[inline]
    fn find(&self, address: u32, len: usize) -> Option<(usize, usize)> {
        self.regions
            .iter()
            .enumerate()
            .find_map(|(k, region)| Some((k, region.offset(address, len)?)))
    }

    /// `len` bytes from `address`; `None` if they are not all inside one arena.
    #[inline]
    pub fn slice(&self, address: u32, len: usize) -> Option<&[u8]> {
        let (k, offset) = self.find(address, len)?;
        self.regions[k].bytes.get(offset..offset + len)
    }

    /// Like [`Memory::slice`], for writing.
    #[inline]
    pub fn slice_mut(&mut self, address: u32, len: usize) -> Option<&mut [u8]> {
        let (k, offset) = self.find(address, len)?;
        let now = *self.clock.get_mut();
        let region = &mut self.regions[k];
        region.mark(offset, len, now);
        region.bytes.get_mut(offset..offset + len)
    }

    /// Like [`Memory::slice_mut`], for a caller that writes all of the bytes. They are then no
    /// longer [stale](Memory::stale).
    #[inline]
    pub fn overwrite(&mut self, address: u32, len: usize) -> Option<&mut [u8]> {
        if !self.stale.is_empty() && self.contains(address, len) {
            let start = u64::from(address);
            let end = start + len as u64;
            let rest =
                |old: &Range<u64>| [old.start..old.end.min(start), old.start.max(end)..old.end];
            self.stale = self.stale.iter().flat_map(rest).filter(|old| !old.is_empty()).collect();
        }
        self.slice_mut(address, len)
    }

    /// The addresses of bytes whose latest values were lost with a copy of this memory: what is here
    /// is older.
    pub fn stale(&self) -> &[Range<u64>] {
        &self.stale
    }

    /// Replaces [`Memory::stale`].
    pub fn set_stale(&mut self, stale: Vec<Range<u64>>) {
        self.stale = stale;
    }

    /// All bytes, as three separate ranges with their first address, in ascending order. Some may
    /// be empty. SYS and SYSc are one range. An access must lie inside one range.
    pub fn ranges(&self) -> impl Iterator<Item = (u32, &[u8])> {
        self.regions.iter().map(|region| (region.base, region.bytes.as_slice()))
    }

    /// Like [`Memory::ranges`], for writing. `written` lists the addresses that the caller may
    /// write, in any order; parts outside the arenas are ignored. The caller must not change any
    /// other byte, because copies of memory would miss the change.
    pub fn ranges_mut(&mut self, written: &[Range<u64>]) -> impl Iterator<Item = (u32, &mut [u8])> {
        let now = *self.clock.get_mut();
        for region in &mut self.regions {
            let (start, len) = (u64::from(region.base), region.bytes.len() as u64);
            for range in written {
                let from = range.start.clamp(start, start + len);
                let to = range.end.clamp(from, start + len);
                region.mark((from - start) as usize, (to - from) as usize, now);
            }
        }
        self.regions.iter_mut().map(|region| (region.base, region.bytes.as_mut_slice()))
    }

    /// A number that no other memory of this process has or has ever had.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// A token that can be upgraded as long as this memory exists.
    pub fn alive(&self) -> Weak<()> {
        Arc::downgrade(&self.alive)
    }

    /// The highest version that anything written until now can have. Every later write gets a
    /// higher one.
    pub fn observe(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::Relaxed)
    }

    /// The version of each page of 2^[`PAGE_LOG2`] bytes, for each of [`Memory::ranges`]. A page
    /// whose version is higher than a result of [`Memory::observe`] was written after that call.
    /// Pages of version 0, and pages missing at the end, were never written: all their bytes are 0.
    pub fn versions(&self) -> impl Iterator<Item = &[u64]> {
        self.regions.iter().map(|region| region.versions.as_slice())
    }

    /// The little-endian word at `address`; `None` outside the arenas.
    #[inline]
    pub fn read_u32(&self, address: u32) -> Option<u32> {
        let bytes = self.slice(address, 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?))
    }

    /// Writes a little-endian word. Outside the arenas it writes nothing and returns `false`.
    #[inline]
    pub fn write_u32(&mut self, address: u32, value: u32) -> bool {
        let Some(bytes) = self.overwrite(address, 4) else {
            return false;
        };
        bytes.copy_from_slice(&value.to_le_bytes());
        true
    }

    /// Fills `into` with the bytes from `address`.
    ///
    /// # Errors
    /// [`MemoryError::OutsideArena`]; `into` is then unchanged.
    pub fn read(&self, address: u32, into: &mut [u8]) -> Result<(), MemoryError> {
        let bytes = self.slice(address, into.len()).ok_or_else(|| outside(address, into.len()))?;
        into.copy_from_slice(bytes);
        Ok(())
    }

    /// Writes `bytes` from `address` on.
    ///
    /// # Errors
    /// [`MemoryError::OutsideArena`]; nothing is then written.
    pub fn write(&mut self, address: u32, bytes: &[u8]) -> Result<(), MemoryError> {
        self.overwrite(address, bytes.len())
            .ok_or_else(|| outside(address, bytes.len()))?
            .copy_from_slice(bytes);
        Ok(())
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("arenas", &self.arenas).finish_non_exhaustive()
    }
}

/// Lengths in bytes of GPU, GPUb and system memory.
fn lengths(sizes: &ArenaSizes) -> [u64; 3] {
    [sizes.gpu, sizes.gpub, sizes.sys.max(sizes.sysc)]
}

/// Base addresses for regions of the given lengths, one after the other.
fn place(lengths: [u64; 3]) -> Result<[u32; 3], MemoryError> {
    let rounded = |n: u64| u128::from(n).next_multiple_of(u128::from(ALIGNMENT));
    let total: u128 = lengths.iter().map(|&n| rounded(n)).sum();
    let mut next =
        FIRST_BASE.into_iter().map(u128::from).find(|base| base + total <= 1 << 32).ok_or_else(
            || {
                MemoryError::Invalid(format!(
                    "the arenas need {total} bytes of address space, 32 bits address {}",
                    1u64 << 32
                ))
            },
        )?;
    Ok(lengths.map(|length| {
        // An empty region after a full address space has no address: it wraps to 0.
        let base = next as u32;
        next += rounded(length);
        base
    }))
}

/// The error for `len` bytes at `address`.
pub(super) fn outside(address: u32, len: usize) -> MemoryError {
    MemoryError::OutsideArena { address, len: len as u64 }
}

/// Zeroed bytes; the host backs them lazily.
fn backing(arena: ArenaKind, bytes: u64) -> Result<Vec<u8>, MemoryError> {
    let error = MemoryError::HostMemory { arena, bytes };
    let len = usize::try_from(bytes).map_err(|_| error.clone())?;
    // A plain `vec!` aborts if the host refuses, so probe first in a way that can fail.
    let mut probe: Vec<u8> = Vec::new();
    probe.try_reserve_exact(len).map_err(|_| error)?;
    drop(probe);
    Ok(vec![0; len])
}

#[cfg(test)]
mod tests;
