//! The memories that an engine used last.

use super::Resident;
use ctm_machine::memory::Memory;

/// The number of memories that [`Residents`] keeps.
const KEPT: usize = 4;

/// The copies of the memories that an engine used last and that no session uses now.
pub struct Residents {
    /// The most recently used copy is the last.
    list: Vec<Resident>,
    /// The most bytes of a copy.
    limit: u64,
}

impl Residents {
    /// No copies yet, each of at most `limit` bytes.
    pub fn new(limit: u64) -> Residents {
        Residents { list: Vec::new(), limit }
    }

    /// Takes the copy of a memory out.
    pub fn take(&mut self, memory: &Memory) -> Resident {
        match self.list.iter().position(|one| one.id == memory.id()) {
            Some(n) => self.list.remove(n),
            None => self.fresh(memory),
        }
    }

    /// A new copy of a memory.
    pub fn fresh(&self, memory: &Memory) -> Resident {
        Resident::new(memory, self.limit)
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
