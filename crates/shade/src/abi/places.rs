//! Positions of a launch's surfaces in the bound memory.

use crate::abi::launch::LaunchRecord;
use ctm_machine::engine::checked::{Access, Reader, Writer};

/// The positions of a launch's surfaces: inputs 0 to 15, outputs 0 to 3 from [`OUTPUT`] on, the
/// conditional buffer at [`CONDITION`]. The word of byte address a is word (a >> 2) - delta of what
/// is bound, modulo 2^32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places(pub [u32; 21]);

/// Position of output 0 among a launch's surfaces.
pub const OUTPUT: usize = 16;

/// Position of the conditional buffer among a launch's surfaces.
pub const CONDITION: usize = 20;

impl Places {
    /// The places of surfaces with these deltas. A conditional buffer that is written is where it is
    /// written.
    pub fn new<'l>(
        reads: impl Iterator<Item = (&'l Access<Reader>, u32)>,
        writes: impl Iterator<Item = (&'l Access<Writer>, u32)>,
    ) -> Places {
        let reads = reads.map(|(read, delta)| (of_reader(read.by), delta));
        let writes = writes.map(|(written, delta)| match written.by {
            Writer::Output(n) => (OUTPUT + n, delta),
            Writer::Condition => (CONDITION, delta),
        });
        let mut places = Places::default();
        for (n, delta) in reads.chain(writes) {
            places.0[n] = delta;
        }
        places
    }

    /// Counts the places of `copied` reads from the start of the copies, which follow `memory` bytes.
    pub fn from_copies(&mut self, reads: &[Access<Reader>], copied: &[usize], memory: u64) {
        for &n in copied {
            let delta = &mut self.0[of_reader(reads[n].by)];
            *delta = delta.wrapping_add((memory / 4) as u32);
        }
    }

    /// Sets the places in a record.
    pub fn locate(&self, record: &mut LaunchRecord) {
        let surfaces = record.inputs.iter_mut().chain(&mut record.outputs);
        for (surface, &delta) in surfaces.chain([&mut record.condition]).zip(&self.0) {
            surface.delta = delta;
        }
    }
}

/// The position of what a reader reads among a launch's surfaces.
fn of_reader(reader: Reader) -> usize {
    match reader {
        Reader::Input(n) => n,
        Reader::Condition => CONDITION,
    }
}
