//! A generated program with its launch and its memory.

use super::generate::Strength;
use ctm_machine::launch::Launch;
use ctm_machine::memory::{ArenaKind, ArenaSizes, Memory, MemoryError};

/// The size of a case's memory.
pub(super) const ARENA: u32 = 256 << 10;

/// Everything that a generated program needs to run. It refers to no file.
#[derive(Clone, Debug)]
pub struct Case {
    /// The seed that generated it.
    pub seed: u64,
    /// Its strength.
    pub strength: Strength,
    /// Its index.
    pub index: u64,
    /// The program with all state except memory.
    pub launch: Launch,
    /// The contents of memory from [`Case::BASE`] on; zeros after that.
    pub bytes: Vec<u8>,
}

impl Case {
    /// The address of the first byte of memory.
    pub const BASE: u32 = 0x1000_0000;

    /// A new memory with the case's contents.
    ///
    /// # Errors
    /// If the host cannot allocate it.
    pub fn memory(&self) -> Result<Memory, MemoryError> {
        let sizes = ArenaSizes { gpu: u64::from(ARENA), gpub: 0, sys: 0, sysc: 0 };
        let mut memory = Memory::new(&sizes)?;
        debug_assert_eq!(memory.base(ArenaKind::Gpu), Case::BASE);
        if !self.bytes.is_empty() {
            memory.write(Case::BASE, &self.bytes)?;
        }
        Ok(memory)
    }

    /// The size of memory in bytes.
    pub const fn memory_size() -> u32 {
        ARENA
    }
}
