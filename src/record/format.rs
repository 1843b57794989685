//! The records of a file, and their bytes.
//!
//! A file is a header and records. The header is [`MAGIC`], [`VERSION`] and the lower half of the
//! XXH3 hash of both. A record is a frame of six numbers and its content: an [`Event`] in postcard's
//! encoding, compressed with LZ4 where that makes it shorter. Numbers are little-endian.

use crate::device::Piece;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes of a file.
pub const MAGIC: [u8; 8] = *b"CTM-REC\n";

/// The version of the format.
pub const VERSION: u32 = 1;

/// The bytes of the header.
pub(super) const HEADER: usize = 16;

/// The bytes of a frame.
pub(super) const FRAME: usize = 32;

/// What had an effect on a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// The device was opened.
    Open(Open),
    /// The host wrote to memory.
    Write(Vec<Bytes>),
    /// A submission ended.
    Submit(Submission),
    /// The device was closed.
    Close,
}

/// Bytes and their address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bytes {
    /// The address of the first one.
    pub address: u32,
    /// The bytes.
    #[serde(with = "serde_bytes")]
    pub bytes: Vec<u8>,
}

impl From<Piece> for Bytes {
    fn from((address, bytes): Piece) -> Bytes {
        Bytes { address, bytes }
    }
}

/// The settings of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Open {
    /// The version of ctm that wrote the recording.
    pub ctm: String,
    /// The sizes of GPU, GPUb, SYS and SYSc in bytes.
    pub arenas: [u64; 4],
    /// The engine that ran the launches.
    pub engine: String,
    /// The arithmetic mode: "exact" or "fast".
    pub mode: String,
    /// Whether all launches kept statistics.
    pub statistics: bool,
    /// The instructions that a group may run.
    pub instructions: u64,
}

/// A submission and its results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Submission {
    /// The client's writes to shared memory that the submission found.
    pub fetched: Vec<Bytes>,
    /// The command buffer.
    pub words: Vec<u32>,
    /// The number of the device's submissions that the client had waited for before.
    pub awaited: u64,
    /// The words of the commands that were read.
    pub executed: u64,
    /// The launches that ran.
    pub launches: u64,
    /// The error that ended the submission, or the first line of each command's faults.
    pub problems: Vec<String>,
    /// Whether a second run does the same. If not, what the submission left follows as
    /// [`Event::Write`].
    pub repeatable: bool,
    /// What the commands changed.
    pub changes: Vec<Change>,
}

/// What a command changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// Index of the command word in the buffer.
    pub offset: u64,
    /// What was written, such as "output 0".
    pub what: String,
    /// The hash of its bytes at the end of the submission.
    pub hash: u64,
}

/// The header of a file.
pub(super) fn header() -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    let hash = xxh3_64(&header[..12]) as u32;
    header[12..].copy_from_slice(&hash.to_le_bytes());
    header
}

/// The frame of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// The bytes of the content in the file.
    pub stored: u32,
    /// The bytes of the content before compression; the same as `stored` if it is not compressed.
    pub raw: u32,
    /// The number of the device, from 0 on.
    pub device: u32,
    /// The hash of the content in the file.
    pub hash: u64,
}

impl Frame {
    /// Its bytes: the four numbers, 0, and a hash of all these.
    pub(super) fn encode(&self) -> [u8; FRAME] {
        let mut bytes = [0; FRAME];
        bytes[..4].copy_from_slice(&self.stored.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.raw.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.device.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.hash.to_le_bytes());
        let hash = xxh3_64(&bytes[..24]);
        bytes[24..].copy_from_slice(&hash.to_le_bytes());
        bytes
    }

    /// The frame with these bytes; `None` if they are damaged.
    pub(super) fn decode(bytes: &[u8; FRAME]) -> Option<Frame> {
        let word = |at: usize| Some(u32::from_le_bytes(bytes[at..at + 4].try_into().ok()?));
        let frame = Frame {
            stored: word(0)?,
            raw: word(4)?,
            device: word(8)?,
            hash: u64::from(word(16)?) | u64::from(word(20)?) << 32,
        };
        (frame.encode() == *bytes).then_some(frame)
    }
}
