//! The writes of a launch, held until all reads are done and then applied in the defined order.

use crate::memory::{Element, Memory};
use std::collections::HashMap;

/// A write that is applied at the end of the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// Row of the point.
    pub j: u32,
    /// Column of the point.
    pub i: u32,
    /// For outputs, the output's number. For uncached writes, the instructions that the group had
    /// executed.
    pub order: u64,
    /// The address written.
    pub address: u32,
    /// The data written.
    pub element: Element,
}

/// All writes of a launch.
#[derive(Clone, Default)]
pub struct Writes {
    /// Uncached writes.
    pub uncached: Vec<Write>,
    /// Outputs.
    pub outputs: Vec<Write>,
    /// The conditional buffer.
    pub condition: Vec<Write>,
}

impl Writes {
    /// Adds another part of the launch's writes.
    pub fn append(&mut self, mut other: Writes) {
        self.uncached.append(&mut other.uncached);
        self.outputs.append(&mut other.outputs);
        self.condition.append(&mut other.condition);
    }

    /// Applies everything: uncached writes by (j, i, instruction), outputs by (j, i, output), the
    /// conditional buffer by (j, i). If several write one byte, the last one stays.
    pub fn apply(self, memory: &mut Memory) {
        for mut writes in [self.uncached, self.outputs, self.condition] {
            writes.sort_by_key(|write| (write.j, write.i, write.order));
            for write in writes {
                // Addresses were checked when the write was accepted.
                if let Some(place) = memory.slice_mut(write.address, write.element.len()) {
                    write.element.apply(place);
                }
            }
        }
    }
}

/// The number of bytes up to the last one written.
trait ElementLength {
    fn len(&self) -> usize;
}

impl ElementLength for Element {
    fn len(&self) -> usize {
        16 - self.byte_mask.leading_zeros() as usize
    }
}

/// The uncached writes of a running group, which each point's own fetches see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnWrites {
    /// Words by slot and address; uncached writes are whole words.
    words: HashMap<(usize, u32), [u8; 4]>,
}

impl OwnWrites {
    /// Starts a new group.
    pub fn clear(&mut self) {
        self.words.clear();
    }

    /// The bytes it takes, about.
    pub fn size(&self) -> usize {
        self.words.len() * 2 * size_of::<((usize, u32), [u8; 4])>()
    }

    /// Records that the point in a slot wrote a word.
    pub fn add(&mut self, slot: usize, address: u32, word: u32) {
        self.words.insert((slot, address), word.to_le_bytes());
    }

    /// Replaces the bytes at `address` that the point in a slot has written. Returns whether it has
    /// written any of them.
    pub fn cover(&self, slot: usize, address: u32, bytes: &mut [u8]) -> bool {
        let mut covered = false;
        let mut at = 0;
        while at < bytes.len() && !self.words.is_empty() {
            let place = address.wrapping_add(at as u32);
            let first = place as usize & 3;
            let len = (4 - first).min(bytes.len() - at);
            if let Some(word) = self.words.get(&(slot, place & !3)) {
                bytes[at..at + len].copy_from_slice(&word[first..first + len]);
                covered = true;
            }
            at += len;
        }
        covered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_s_own_writes_cover_bytes_of_any_element() {
        let mut own = OwnWrites::default();
        own.add(3, 0x104, 0x4433_2211);
        own.add(3, 0x108, 0x8877_6655);
        own.add(4, 0x100, 0xffff_ffff);
        let cover = |slot, address, len: usize| {
            let mut bytes = vec![0; len];
            let covered = own.cover(slot, address, &mut bytes);
            (covered, bytes)
        };
        assert_eq!(cover(3, 0x106, 1), (true, vec![0x33]));
        assert_eq!(cover(3, 0x106, 2), (true, vec![0x33, 0x44]));
        assert_eq!(cover(3, 0x108, 4), (true, vec![0x55, 0x66, 0x77, 0x88]));
        let eight = vec![0, 0, 0, 0, 0x11, 0x22, 0x33, 0x44];
        assert_eq!(cover(3, 0x100, 8), (true, eight));
        assert_eq!(cover(3, 0x10c, 16), (false, vec![0; 16]));
        assert_eq!(cover(5, 0x104, 4), (false, vec![0; 4]));
        own.add(3, 0x104, 7);
        let mut bytes = [0; 4];
        assert!(own.cover(3, 0x104, &mut bytes));
        assert_eq!(bytes, [7, 0, 0, 0], "the last write");
        own.clear();
        assert!(!own.cover(3, 0x104, &mut bytes));
    }
}
