//! The memories that an engine used last.

use super::Resident;
use crate::device::connection::Gpu;
use ctm_machine::memory::Memory;

/// The number of memories that [`Residents`] keeps.
const KEPT: usize = 4;

/// The copies of the memories that an engine used last and that no session uses now.
#[derive(Default)]
pub struct Residents {
    /// The most recently used copy is the last.
    list: Vec<Resident>,
    /// Size of a chunk in bytes; 0 for the largest that the adapter binds.
    chunk: u64,
}

impl Residents {
    /// No copies yet, with chunks of at most `chunk` bytes.
    pub fn with_chunk(chunk: u64) -> Residents {
        Residents { list: Vec::new(), chunk }
    }

    /// Takes the copy of a memory out.
    pub fn take(&mut self, gpu: &Gpu, memory: &Memory) -> Resident {
        match self.list.iter().position(|one| one.id == memory.id()) {
            Some(n) => self.list.remove(n),
            None => self.fresh(gpu, memory),
        }
    }

    /// A new copy of a memory.
    pub fn fresh(&self, gpu: &Gpu, memory: &Memory) -> Resident {
        match self.chunk {
            0 => Resident::new(gpu, memory),
            chunk => Resident::with_chunk(memory, chunk),
        }
    }

    /// Keeps a copy, which has nothing newer than the host. Drops copies of memories that no longer
    /// exist, and if more than `KEPT` are left, the least recently used one.
    pub fn put(&mut self, resident: Resident) {
        self.list.retain(Resident::is_alive);
        self.list.push(resident);
        if self.list.len() > KEPT {
            self.list.remove(0);
        }
    }
}
