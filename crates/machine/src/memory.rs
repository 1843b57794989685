//! The memory controller (MC): arenas, address translation, data formats, channel masks.
//!
//! Every unit of the machine reaches memory through one 32-bit byte address space [G 5]. This
//! module turns (client, x, y) into bytes, and bytes into the four channels of a fetch or a write.
//! It knows nothing about programs, points or commands. It reports faults as addresses; the caller
//! adds which client made the access.
//!
//! * [`arena`]: the address space and its backing store.
//! * [`allocator`]: allocates addresses for surfaces inside an arena.
//! * [`translate`]: (x, y) to address, linear and tiled.
//! * [`surface`]: a client's view of memory (base, pitch, size, tiling, format) and format words.
//! * [`mod@format`]: elements to channels and back; fetches and stores.
//! * [`shared`]: system memory that a client written in another language can access.
//! * [`mod@array`]: copies whole arrays of elements in and out, for the host.

pub mod allocator;
pub mod arena;
pub mod array;
mod error;
pub mod format;
pub mod shared;
pub mod surface;
pub mod translate;

pub use allocator::Allocator;
pub use arena::{Arena, ArenaKind, ArenaSizes, Memory, PAGE_LOG2};
pub use array::{read_array, write_array};
pub use error::MemoryError;
pub use format::{
    Element, Fetch, decode, decode_units, encode, encode_units, fetch, fetch_by, load, store,
    wrap_coordinate,
};
pub use shared::HostBlock;
pub(crate) use surface::reserved;
pub use surface::{Format, FormatWord, Surface, Tiling, Wrap, format_word, parse_format_word};

/// Every base address of the machine is a multiple of this many bytes [G 13].
pub const ALIGNMENT: u32 = 2048;
