//! The writes of a launch, held until all reads are done and then applied in the defined order.

use crate::memory::{Element, Memory};

/// A write that waits for the end of the launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Write {
    /// Row of the point.
    pub j: u32,
    /// Column of the point.
    pub i: u32,
    /// Outputs: their number. Uncached writes: how many instructions the group had executed.
    pub order: u64,
    /// Where.
    pub address: u32,
    /// What.
    pub element: Element,
}

/// All writes of a launch.
#[derive(Default)]
pub(crate) struct Writes {
    pub uncached: Vec<Write>,
    pub outputs: Vec<Write>,
    pub condition: Vec<Write>,
}

impl Writes {
    /// Takes over another part of the launch's writes.
    pub(crate) fn append(&mut self, mut other: Writes) {
        self.uncached.append(&mut other.uncached);
        self.outputs.append(&mut other.outputs);
        self.condition.append(&mut other.condition);
    }

    /// Applies everything: uncached writes by (j, i, instruction), outputs by (j, i, output), the
    /// conditional buffer by (j, i). Where several write one byte the last one stays.
    pub(crate) fn apply(self, memory: &mut Memory) {
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

/// Bytes up to the last one written.
trait ElementLength {
    fn len(&self) -> usize;
}

impl ElementLength for Element {
    fn len(&self) -> usize {
        16 - self.byte_mask.leading_zeros() as usize
    }
}
