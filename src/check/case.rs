//! A generated program with its launch and its memory.

use super::generate::Strength;
use crate::launch::Launch;
use crate::memory::{ArenaKind, ArenaSizes, Memory, MemoryError};

/// Size of the memory that a case runs in.
pub(super) const ARENA: u32 = 256 << 10;

/// Everything that a generated program needs to run. It refers to no file.
#[derive(Clone, Debug)]
pub struct Case {
    /// The seed it was made from.
    pub seed: u64,
    /// How strong it is.
    pub strength: Strength,
    /// Its number.
    pub index: u64,
    /// The program with all state but memory.
    pub launch: Launch,
    /// What memory holds from [`Case::BASE`] on; zeros behind that.
    pub bytes: Vec<u8>,
}

impl Case {
    /// Address of the first byte of memory.
    pub const BASE: u32 = 0x1000_0000;

    /// A fresh memory with the case's contents.
    ///
    /// # Errors
    /// If the host refuses it.
    pub fn memory(&self) -> Result<Memory, MemoryError> {
        let sizes = ArenaSizes { gpu: u64::from(ARENA), gpub: 0, sys: 0, sysc: 0 };
        let mut memory = Memory::new(&sizes)?;
        debug_assert_eq!(memory.base(ArenaKind::Gpu), Case::BASE);
        if !self.bytes.is_empty() {
            memory.write(Case::BASE, &self.bytes)?;
        }
        Ok(memory)
    }

    /// Bytes of memory.
    pub const fn memory_size() -> u32 {
        ARENA
    }
}
