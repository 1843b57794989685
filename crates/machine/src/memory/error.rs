//! The errors of the memory controller.

use super::arena::ArenaKind;

/// The ways in which a request to the memory controller can fail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// A host access that is not wholly inside one arena.
    #[error("address 0x{address:08x}: {len} bytes from there are not inside one arena")]
    OutsideArena {
        /// First byte of the access.
        address: u32,
        /// Length of the access in bytes.
        len: u64,
    },
    /// The host cannot provide an arena's backing store.
    #[error("arena {arena}: the host cannot provide {bytes} bytes")]
    HostMemory {
        /// The arena; SYSc means system memory as a whole.
        arena: ArenaKind,
        /// Number of bytes requested.
        bytes: u64,
    },
    /// A size, format, range or array that the memory controller cannot have.
    #[error("{0}")]
    Invalid(String),
}
