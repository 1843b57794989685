//! The bytes that a launch touches, packed into one buffer. (Replaced by residency.)

use crate::memory::Memory;
use std::ops::Range;

/// Where pieces of memory are in a buffer.
#[derive(Default)]
pub struct Pool {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Pieces: addresses, and the place of the first byte.
    pub pieces: Vec<(Range<u64>, usize)>,
}

impl Pool {
    /// Adds the part of a span that memory has; its delta.
    pub fn add(&mut self, memory: &Memory, span: &Range<u64>) -> u32 {
        let mut hull: Option<Range<u64>> = None;
        for (base, bytes) in memory.ranges() {
            let (low, high) = (
                span.start.max(base as u64),
                span.end.min(base as u64 + bytes.len() as u64),
            );
            if low < high {
                hull = Some(match hull {
                    None => low..high,
                    Some(hull) => hull.start.min(low)..hull.end.max(high),
                });
            }
        }
        let Some(hull) = hull else { return 0 };
        let hull = hull.start & !15..hull.end;
        let at = self.bytes.len();
        let len = (hull.end - hull.start) as usize;
        self.bytes.resize((at + len).next_multiple_of(16), 0);
        for (base, bytes) in memory.ranges() {
            let (base, end) = (base as u64, base as u64 + bytes.len() as u64);
            let (low, high) = (hull.start.max(base), hull.end.min(end));
            if low < high {
                let to = at + (low - hull.start) as usize;
                let part = &bytes[(low - base) as usize..(high - base) as usize];
                self.bytes[to..to + part.len()].copy_from_slice(part);
            }
        }
        self.pieces.push((hull.clone(), at));
        ((hull.start >> 2) as u32).wrapping_sub((at >> 2) as u32)
    }
}
