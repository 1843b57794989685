//! Checks that a client invalidates and flushes the caches where the machine needs it.
//!
//! The emulator's memory is coherent, so the commands for caches have no effect on results. This
//! check models what each cache might hold: capacity counts as unlimited, and a cache keeps what it
//! has read until it is invalidated (docs/assumptions.md, CACHE-1). After a finding, the check goes on
//! as if the missing command had been given. It reports a missing command once, until the client
//! gives that command.

use rangemap::RangeMap;
use std::collections::HashMap;
use std::ops::Range;

use super::report::{Incoherence, IncoherenceKind, Position};
use crate::command::Opcode;
use crate::memory::Memory;
use ctm_lang::program::ConstantKind;

/// The caches that a launch reads through. Each is invalidated by a command of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadCache {
    Instructions,
    Constants(ConstantKind),
    Inputs,
    Condition,
}

impl ReadCache {
    const ALL: [ReadCache; 6] = [
        ReadCache::Instructions,
        ReadCache::Constants(ConstantKind::Float),
        ReadCache::Constants(ConstantKind::Int),
        ReadCache::Constants(ConstantKind::Bool),
        ReadCache::Inputs,
        ReadCache::Condition,
    ];

    /// The command that empties it.
    fn invalidate(self) -> Opcode {
        match self {
            ReadCache::Instructions => Opcode::InvInstCache,
            ReadCache::Constants(ConstantKind::Float) => Opcode::InvConstfCache,
            ReadCache::Constants(ConstantKind::Int) => Opcode::InvConstiCache,
            ReadCache::Constants(ConstantKind::Bool) => Opcode::InvConstbCache,
            ReadCache::Inputs => Opcode::InvInpCache,
            ReadCache::Condition => Opcode::InvCondOutCache,
        }
    }
}

/// The caches that a launch writes through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteCache {
    Outputs,
    Condition,
}

impl WriteCache {
    const ALL: [WriteCache; 2] = [WriteCache::Outputs, WriteCache::Condition];

    /// The command that writes its content to memory.
    fn flush(self) -> Opcode {
        match self {
            WriteCache::Outputs => Opcode::FlushOutCache,
            WriteCache::Condition => Opcode::FlushCondOutCache,
        }
    }
}

/// A piece of data that a launch reads.
#[derive(Clone, Debug)]
pub(super) struct Read {
    /// Its name in messages.
    pub what: String,
    pub through: ReadCache,
    /// The bytes that the launch might read, ranges of addresses.
    pub ranges: Vec<Range<u64>>,
}

/// The contents that the caches might hold.
#[derive(Debug, Default)]
pub(super) struct Coherence {
    /// By [`ReadCache::ALL`].
    held: [Held; 6],
    /// By [`WriteCache::ALL`]: the bytes that are not flushed, each with the launch that wrote it.
    unflushed: [RangeMap<u64, Position>; 2],
    /// The address of the program that the instruction cache was last used for.
    program: Option<(u64, Position)>,
    /// The missing commands that were reported and that the client has not given since.
    reported: Vec<Opcode>,
}

impl Coherence {
    /// Obeys a command; only those for caches have an effect.
    pub(super) fn command(&mut self, opcode: Opcode) {
        self.reported.retain(|&missing| missing != opcode);
        self.apply(opcode);
    }

    fn apply(&mut self, opcode: Opcode) {
        for (cache, held) in ReadCache::ALL.into_iter().zip(&mut self.held) {
            if cache.invalidate() == opcode {
                *held = Held::default();
                if cache == ReadCache::Instructions {
                    self.program = None;
                }
            }
        }
        for (cache, unflushed) in WriteCache::ALL.into_iter().zip(&mut self.unflushed) {
            if cache.flush() == opcode {
                unflushed.clear();
            }
        }
    }

    /// Checks what a launch reads, and notes that the caches hold it from now on. `memory` is up to
    /// date at these addresses.
    pub(super) fn read(
        &mut self,
        at: Position,
        reads: &[Read],
        memory: &Memory,
    ) -> Vec<Incoherence> {
        let mut found = Vec::new();
        for (cache, held) in ReadCache::ALL.into_iter().zip(&self.held) {
            let of_cache = reads.iter().filter(|read| read.through == cache);
            let changed = of_cache.filter_map(|read| {
                let kind = IncoherenceKind::Stale { what: read.what.clone() };
                Some((kind, held.changed(&read.ranges, memory)?))
            });
            let other = self.program.filter(|_| cache == ReadCache::Instructions);
            let stale = all(changed).or_else(|| other_program(other?, reads));
            found.extend(incoherence(at, cache.invalidate(), stale));
        }
        for (cache, unflushed) in WriteCache::ALL.into_iter().zip(&self.unflushed) {
            // The conditional cache sees its own writes.
            let foreign = reads.iter().filter(|read| {
                cache != WriteCache::Condition || read.through != ReadCache::Condition
            });
            let missing = foreign.filter_map(|read| {
                let kind = IncoherenceKind::Unflushed { what: read.what.clone() };
                Some((kind, shared(unflushed, &read.ranges)?))
            });
            found.extend(incoherence(at, cache.flush(), all(missing)));
        }
        self.report(&mut found);
        for read in reads {
            if let Some(n) = ReadCache::ALL.iter().position(|&cache| cache == read.through) {
                self.held[n].add(&read.ranges, at, memory);
            }
            if read.through == ReadCache::Instructions
                && let Some(range) = read.ranges.first()
            {
                self.program = Some((range.start, at));
            }
        }
        found
    }

    /// Goes on as if the missing commands had been given. Keeps the findings that are new.
    fn report(&mut self, found: &mut Vec<Incoherence>) {
        for one in &*found {
            self.apply(one.missing);
        }
        found.retain(|one| !self.reported.contains(&one.missing));
        self.reported.extend(found.iter().map(|one| one.missing));
    }

    /// Notes what a launch has written through a cache.
    pub(super) fn wrote(&mut self, at: Position, cache: WriteCache, ranges: &[Range<u64>]) {
        for (one, unflushed) in WriteCache::ALL.into_iter().zip(&mut self.unflushed) {
            if one == cache {
                for range in ranges.iter().filter(|range| !range.is_empty()) {
                    unflushed.insert(range.clone(), at);
                }
            }
        }
    }

    /// Updates what the conditional cache holds with its own writes. `memory` is up to date there.
    pub(super) fn own(&mut self, written: &[Range<u64>], memory: &Memory) {
        for (cache, held) in ReadCache::ALL.into_iter().zip(&mut self.held) {
            if cache == ReadCache::Condition {
                held.refresh(written, memory);
            }
        }
    }

    /// Checks the end of a submission: the host may read `system`, the addresses of system memory,
    /// from now on.
    pub(super) fn end(&mut self, at: Position, system: &[Range<u64>]) -> Vec<Incoherence> {
        let mut found = Vec::new();
        for (cache, unflushed) in WriteCache::ALL.into_iter().zip(&self.unflushed) {
            let missing = shared(unflushed, system).map(|piece| (IncoherenceKind::Host, piece));
            found.extend(incoherence(at, cache.flush(), missing));
        }
        self.report(&mut found);
        found
    }
}

/// Bytes of a finding.
struct Bytes {
    /// The first one's address.
    address: u32,
    count: u64,
    /// The command that read or wrote the first one.
    since: Position,
}

/// The first of several pieces, with the bytes of all.
fn all<T>(pieces: impl Iterator<Item = (T, Bytes)>) -> Option<(T, Bytes)> {
    pieces.reduce(|(kind, first), (_, more)| {
        (kind, Bytes { count: first.count + more.count, ..first })
    })
}

fn incoherence(
    at: Position,
    missing: Opcode,
    found: Option<(IncoherenceKind, Bytes)>,
) -> Option<Incoherence> {
    let (kind, Bytes { address, count, since }) = found?;
    Some(Incoherence { at, missing, kind, address, bytes: count, since })
}

/// A launch of another program than the one that the instruction cache was last used for.
fn other_program(
    (last, since): (u64, Position),
    reads: &[Read],
) -> Option<(IncoherenceKind, Bytes)> {
    let read = reads.iter().find(|read| read.through == ReadCache::Instructions)?;
    let image = read.ranges.first().filter(|image| image.start != last)?;
    let bytes = Bytes { address: image.start as u32, count: image.end - image.start, since };
    Some((IncoherenceKind::OtherProgram { last: last as u32 }, bytes))
}

/// The bytes of `ranges` that are not flushed.
fn shared(unflushed: &RangeMap<u64, Position>, ranges: &[Range<u64>]) -> Option<Bytes> {
    let ranges = ranges.iter().filter(|range| !range.is_empty());
    let pieces = ranges.flat_map(|range| {
        unflushed.overlapping(range).map(|(written, &since)| {
            let start = written.start.max(range.start);
            let count = written.end.min(range.end) - start;
            ((), Bytes { address: start as u32, count, since })
        })
    });
    all(pieces).map(|(_, bytes)| bytes)
}

const PAGE: u64 = 4096;

/// The contents that a read cache might hold: the bytes as they were when they were read.
#[derive(Debug, Default)]
struct Held {
    ranges: RangeMap<u64, Position>,
    pages: HashMap<u64, Box<[u8; PAGE as usize]>>,
}

impl Held {
    /// The bytes of `ranges` that have changed since they were read.
    fn changed(&self, ranges: &[Range<u64>], memory: &Memory) -> Option<Bytes> {
        let mut found = Vec::new();
        for range in inside(ranges, memory) {
            for (held, &since) in self.ranges.overlapping(&range) {
                for (page, offset, piece) in pieces(&common(&range, held)) {
                    let (Some(old), Some(new)) = (self.pages.get(&page), bytes(memory, &piece))
                    else {
                        continue;
                    };
                    let old = &old[offset..offset + new.len()];
                    let mut differing =
                        (0..new.len()).filter(|&n| old[n] != new[n]).map(|n| n as u32);
                    if let Some(first) = differing.next() {
                        let count = 1 + differing.count() as u64;
                        let address = piece.start as u32 + first;
                        found.push(((), Bytes { address, count, since }));
                    }
                }
            }
        }
        all(found.into_iter()).map(|(_, bytes)| bytes)
    }

    /// Adds the bytes that are not held yet.
    fn add(&mut self, ranges: &[Range<u64>], at: Position, memory: &Memory) {
        for range in inside(ranges, memory) {
            let gaps: Vec<Range<u64>> = self.ranges.gaps(&range).collect();
            for gap in gaps {
                self.store(&gap, memory);
                self.ranges.insert(gap, at);
            }
        }
    }

    /// Updates the bytes that are held.
    fn refresh(&mut self, ranges: &[Range<u64>], memory: &Memory) {
        for range in inside(ranges, memory) {
            let held = self.ranges.overlapping(&range).map(|(held, _)| held.clone());
            for held in held.collect::<Vec<_>>() {
                self.store(&common(&range, &held), memory);
            }
        }
    }

    fn store(&mut self, range: &Range<u64>, memory: &Memory) {
        for (page, offset, piece) in pieces(range) {
            if let Some(new) = bytes(memory, &piece) {
                let page = self.pages.entry(page).or_insert_with(|| Box::new([0; PAGE as usize]));
                page[offset..offset + new.len()].copy_from_slice(new);
            }
        }
    }
}

/// The parts of ranges that are inside an arena.
fn inside(ranges: &[Range<u64>], memory: &Memory) -> Vec<Range<u64>> {
    let arenas = memory.arenas().iter().map(|arena| u64::from(arena.base)..arena.end());
    let parts = arenas.flat_map(|arena| ranges.iter().map(move |range| common(range, &arena)));
    parts.filter(|part| !part.is_empty()).collect()
}

/// The intersection of two ranges, perhaps empty.
fn common(a: &Range<u64>, b: &Range<u64>) -> Range<u64> {
    a.start.max(b.start)..a.end.min(b.end)
}

/// A range page by page: page number, offset in the page, addresses.
fn pieces(range: &Range<u64>) -> impl Iterator<Item = (u64, usize, Range<u64>)> + use<> {
    let (mut at, end) = (range.start, range.end);
    std::iter::from_fn(move || {
        let start = at;
        at = ((start / PAGE + 1) * PAGE).min(end);
        (start < end).then_some((start / PAGE, (start % PAGE) as usize, start..at))
    })
}

fn bytes<'a>(memory: &'a Memory, range: &Range<u64>) -> Option<&'a [u8]> {
    memory.slice(range.start as u32, (range.end - range.start) as usize)
}

#[cfg(test)]
mod tests;
