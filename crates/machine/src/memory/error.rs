//! The errors of the memory controller.

use super::arena::ArenaKind;
use super::surface::{Format, Tiling};

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
    /// The arenas together do not fit the 32-bit address space.
    #[error("the arenas need {total} bytes of address space, 32 bits address 4294967296")]
    ArenasTooLarge {
        /// Sum of all arena sizes, each rounded up to 2 KiB.
        total: u128,
    },
    /// The host cannot provide an arena's backing store.
    #[error("arena {arena}: the host cannot provide {bytes} bytes")]
    HostMemory {
        /// The arena; SYSc means system memory as a whole.
        arena: ArenaKind,
        /// Number of bytes requested.
        bytes: u64,
    },
    /// A format word with a reserved data format code.
    #[error("format word 0x{word:08x}: data format {code} is reserved, 0 to 8 are defined")]
    ReservedFormat {
        /// The whole format parameter.
        word: u32,
        /// Bits 27:24.
        code: u32,
    },
    /// A pitch that a format word cannot hold.
    #[error("pitch {pitch} does not fit a format word: it needs a multiple of 4 from 0 to 8188")]
    PitchNotEncodable {
        /// The pitch in elements.
        pitch: u32,
    },
    /// A surface's size that the address formulas cannot express.
    #[error("surface {name} is {value}, expected 1 to {max}")]
    SurfaceSize {
        /// "pitch", "width" or "height".
        name: &'static str,
        /// The value found.
        value: u32,
        /// The largest allowed value.
        max: u32,
    },
    /// 2x2 superfine mode on an input whose format is not one of the Guide's single-channel ones.
    #[error("input tiling {tiling} needs FLOAT32_1 or UINT16_1, found {format}")]
    Superfine {
        /// The requested tiling.
        tiling: Tiling,
        /// The requested format.
        format: Format,
    },
    /// No free range is large enough.
    #[error(
        "no room for {len} bytes: the largest free range from 0x{start:08x} to 0x{end:x} has {largest} bytes"
    )]
    NoRoom {
        /// Number of bytes requested.
        len: u64,
        /// First address that the allocator manages.
        start: u64,
        /// First address after the allocator's range.
        end: u64,
        /// Size of the largest free aligned range.
        largest: u64,
    },
    /// A reserved range that is not inside the allocator's range.
    #[error("range 0x{from:08x}..0x{to:x} is outside the arena, 0x{start:08x}..0x{end:x}")]
    OutsideRange {
        /// First address of the range.
        from: u64,
        /// First address after the range.
        to: u64,
        /// First address that the allocator manages.
        start: u64,
        /// First address after the allocator's range.
        end: u64,
    },
    /// An array whose length does not match its shape.
    #[error(
        "array of {found} values, expected {expected} ({height} rows x {width} columns x {channels} channels)"
    )]
    ArrayLength {
        /// Values found.
        found: usize,
        /// Values expected.
        expected: u64,
        /// Rows.
        height: u32,
        /// Columns.
        width: u32,
        /// Channels per element.
        channels: u32,
    },
    /// A stored unit that is too large for its format.
    #[error(
        "array value {value} at row {y}, column {x}, channel {channel}: {format} holds 0 to {max}"
    )]
    UnitRange {
        /// The value found.
        value: u32,
        /// Its row.
        y: u32,
        /// Its column.
        x: u32,
        /// Its channel.
        channel: u32,
        /// The format of the surface.
        format: Format,
        /// Largest unit of the format.
        max: u32,
    },
}
