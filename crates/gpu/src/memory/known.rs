//! Bounds of the numbers in a memory, wherever they are newest: on the host, where they are looked at,
//! or on the GPU, where they are the bounds of what programs write.

use super::{Resident, aligned, pages, part, version};
use ctm_machine::memory::{Memory, PAGE_LOG2};
use ctm_shade::translate::Sizes;
use rangemap::RangeMap;
use std::ops::Range;

/// The most parts of the host's memory that are remembered.
const LOOKED: usize = 1024;

/// The bits of an offset within a page.
const PAGE_MASK: u64 = (1 << PAGE_LOG2) - 1;

/// The bounds of the words at offsets.
#[derive(Default)]
pub struct Known {
    /// Where they are newer on the GPU.
    wrote: RangeMap<u64, Sizes>,
    /// On the host, as of a version.
    looked: RangeMap<u64, (u64, Sizes)>,
}

impl Known {
    /// Notes that the host has bytes that were newer on the GPU, as of a version.
    pub fn brought(&mut self, offsets: &Range<u64>, now: u64) {
        for (at, sizes) in self.wrote.overlapping(offsets) {
            let part = at.start.max(offsets.start)..at.end.min(offsets.end);
            self.looked.insert(part, (now, *sizes));
        }
        self.wrote.remove(offsets.clone());
    }
}

impl Resident {
    /// Notes that submitted work writes words of a span of addresses, and what is certain of what it
    /// writes. From now on the span's bytes on the GPU are authoritative.
    pub fn written(&mut self, memory: &Memory, span: &Range<u64>, sizes: Sizes) {
        let Some(offsets) = self.space.clip(span) else { return };
        // The work may leave some words as they are.
        let all = if sizes == Sizes::Any { sizes } else { sizes.min(self.sizes(memory, span)) };
        let offsets = aligned(&offsets, 4);
        self.known.wrote.insert(offsets.clone(), all);
        self.newer.insert(offsets);
    }

    /// The bound of the words of a span of addresses, after all work so far.
    pub fn sizes(&mut self, memory: &Memory, span: &Range<u64>) -> Sizes {
        let Some(offsets) = self.space.clip(span) else { return Sizes::Any };
        if offsets.end - offsets.start != span.end - span.start {
            return Sizes::Any;
        }
        let offsets = aligned(&offsets, 4);
        let mut sizes = Sizes::Wide;
        for part in part(&self.newer, &offsets) {
            let wrote = self.known.wrote.overlapping(&part).map(|(_, sizes)| *sizes);
            sizes = wrote.fold(sizes, Sizes::min);
        }
        for part in self.newer.gaps(&offsets).collect::<Vec<_>>() {
            if sizes != Sizes::Any {
                sizes = sizes.min(self.look(memory, part));
            }
        }
        sizes
    }

    /// The bound of the host's words at offsets. Each page is looked at once, until it changes.
    fn look(&mut self, memory: &Memory, offsets: Range<u64>) -> Sizes {
        if self.known.looked.len() > LOOKED {
            self.known.looked.clear();
        }
        let now = memory.observe();
        let mut sizes = Sizes::Wide;
        let mut start = offsets.start;
        while start < offsets.end && sizes != Sizes::Any {
            let page = start..offsets.end.min((start | PAGE_MASK) + 1);
            start = page.end;
            let versions = memory.versions().enumerate().flat_map(|(k, versions)| {
                pages(&self.space.regions[k], &page).map(|page| version(versions, page))
            });
            let newest = versions.max().unwrap_or(0);
            let looked = self.known.looked.get_key_value(&page.start);
            let found = match looked {
                // They are zeros.
                _ if newest == 0 => Sizes::Wide,
                Some((at, (version, known))) if page.end <= at.end && *version >= newest => *known,
                _ => {
                    let address = |offset| self.space.address(offset);
                    let span = address(page.start)..address(page.end);
                    let found = Sizes::in_memory(memory, &span);
                    self.known.looked.insert(page, (now, found));
                    found
                }
            };
            sizes = sizes.min(found);
        }
        sizes
    }
}
