//! The records of a file, and their bytes.
//!
//! A file is a header and records. The header is [`MAGIC`], [`VERSION`] and the lower half of the
//! XXH3 hash of both. A record is a frame of four numbers and its content: the number of a device
//! and an [`Event`], and so on, in postcard's encoding, compressed with LZ4 where that makes it
//! shorter. Numbers are little-endian. Lists are blocks of bytes, so that a reader takes no more
//! memory than a file has bytes.

use crate::device::{Piece, Pieces, What};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

/// The first bytes of a file.
pub const MAGIC: [u8; 8] = ctm_lang::load::RECORDING;

/// The version of the format.
pub const VERSION: u32 = 2;

/// The bytes of the header.
pub(super) const HEADER: usize = 16;

/// The bytes of a frame.
pub(super) const FRAME: usize = 24;

/// An event with an effect on a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// The device was opened.
    Open(Open),
    /// The host wrote to memory.
    Write(#[serde(with = "pieces")] Pieces),
    /// The client's writes that the next submission found first, if they are too much for one
    /// record.
    Fetched(#[serde(with = "pieces")] Pieces),
    /// A submission ended.
    Submit(Submission),
    /// The device was closed.
    Close,
}

/// The beginning of a recorded text, for a message: a recording may have any.
pub fn shown(text: &str) -> &str {
    /// The characters of it.
    const MOST: usize = 1000;
    text.char_indices().nth(MOST).map_or(text, |(end, _)| &text[..end])
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
    /// The arithmetic mode: "exact", "fast" or "chip".
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
    #[serde(with = "pieces")]
    pub fetched: Pieces,
    /// The command buffer.
    #[serde(with = "packed")]
    pub words: Vec<u32>,
    /// The number of the device's submissions that the client had waited for before.
    pub awaited: u64,
    /// The words of the commands that were read.
    pub executed: u64,
    /// The launches that ran.
    pub launches: u64,
    /// The first line of each command's faults, and the error that ended the submission: a line
    /// each.
    pub problems: String,
    /// Whether a second run does the same. If not, the submission's results follow as
    /// [`Event::Write`].
    pub repeatable: bool,
    /// The data that the commands changed.
    #[serde(with = "packed")]
    pub changes: Vec<Change>,
}

/// A change by a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Index of the command word in the buffer.
    pub offset: u32,
    /// The target.
    pub what: What,
    /// The hash of its bytes at the end of the submission.
    pub hash: u64,
}

/// A value of a list, with a fixed number of bytes.
trait Packed: Sized {
    /// The number.
    const BYTES: usize;
    /// Appends its bytes.
    fn put(&self, into: &mut Vec<u8>);
    /// The value with these bytes; `None` if there is none.
    fn get(bytes: &[u8]) -> Option<Self>;
}

/// The 32 bits at an offset.
fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

impl Packed for u32 {
    const BYTES: usize = 4;
    fn put(&self, into: &mut Vec<u8>) {
        into.extend(self.to_le_bytes());
    }
    fn get(bytes: &[u8]) -> Option<u32> {
        word(bytes, 0)
    }
}

impl Packed for Piece {
    const BYTES: usize = 12;
    fn put(&self, into: &mut Vec<u8>) {
        let Piece { before, address, len } = *self;
        into.extend([before, address, len].map(u32::to_le_bytes).as_flattened());
    }
    fn get(bytes: &[u8]) -> Option<Piece> {
        let (before, address, len) = (word(bytes, 0)?, word(bytes, 4)?, word(bytes, 8)?);
        Some(Piece { before, address, len })
    }
}

/// The codes of [`What`] after those of the outputs.
const OTHERS: [What; 3] = [What::Condition, What::Counters, What::Globals];

impl Packed for Change {
    const BYTES: usize = 13;
    fn put(&self, into: &mut Vec<u8>) {
        let code = match self.what {
            What::Output(n) => n,
            What::Condition => OUTPUTS,
            What::Counters => OUTPUTS + 1,
            What::Globals => OUTPUTS + 2,
        };
        into.extend(self.offset.to_le_bytes());
        into.push(code);
        into.extend(self.hash.to_le_bytes());
    }
    fn get(bytes: &[u8]) -> Option<Change> {
        let code = *bytes.get(4)?;
        let what = match code.checked_sub(OUTPUTS) {
            None => What::Output(code),
            Some(other) => *OTHERS.get(usize::from(other))?,
        };
        let hash = u64::from(word(bytes, 5)?) | u64::from(word(bytes, 9)?) << 32;
        Some(Change { offset: word(bytes, 0)?, what, hash })
    }
}

/// The number of outputs.
const OUTPUTS: u8 = ctm_isa::isa::OUTPUTS as u8;

/// Lists of [`Packed`] values in events.
mod packed {
    use super::Packed;
    use serde::de::{Deserializer, Error};
    use serde::ser::Serializer;

    pub(super) fn serialize<T: Packed, S: Serializer>(
        list: &[T],
        to: S,
    ) -> Result<S::Ok, S::Error> {
        let mut bytes = Vec::with_capacity(list.len() * T::BYTES);
        list.iter().for_each(|one| one.put(&mut bytes));
        to.serialize_bytes(&bytes)
    }

    pub(super) fn deserialize<'de, T: Packed, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Vec<T>, D::Error> {
        let bytes: &[u8] = serde_bytes::deserialize(from)?;
        let chunks = bytes.chunks_exact(T::BYTES);
        if !chunks.remainder().is_empty() {
            return Err(D::Error::custom("a list that ends within a value"));
        }
        let mut list = Vec::with_capacity(chunks.len());
        for chunk in chunks {
            list.push(T::get(chunk).ok_or_else(|| D::Error::custom("a code that does not exist"))?);
        }
        Ok(list)
    }
}

/// [`Pieces`] in events.
mod pieces {
    use super::{Piece, Pieces, packed};
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::{Serialize, Serializer};

    #[derive(serde::Serialize, serde::Deserialize)]
    struct Parts<'a> {
        #[serde(with = "places")]
        places: std::borrow::Cow<'a, [Piece]>,
        #[serde(borrow, with = "serde_bytes")]
        bytes: &'a [u8],
    }

    mod places {
        use super::{Piece, packed};
        use std::borrow::Cow;

        pub(super) fn serialize<S: serde::Serializer>(
            list: &[Piece],
            to: S,
        ) -> Result<S::Ok, S::Error> {
            packed::serialize(list, to)
        }
        pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(
            from: D,
        ) -> Result<Cow<'static, [Piece]>, D::Error> {
            packed::deserialize(from).map(Cow::Owned)
        }
    }

    pub(super) fn serialize<S: Serializer>(all: &Pieces, to: S) -> Result<S::Ok, S::Error> {
        Parts { places: all.places().into(), bytes: all.bytes() }.serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Pieces, D::Error> {
        let Parts { places, bytes } = Parts::deserialize(from)?;
        let all = Pieces::new(places.into_owned(), bytes.to_vec());
        all.ok_or_else(|| D::Error::custom("pieces that do not add up"))
    }
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
    /// The hash of the content in the file.
    pub hash: u64,
}

impl Frame {
    /// Its bytes: the three numbers, and a hash of them.
    pub(super) fn encode(&self) -> [u8; FRAME] {
        let mut bytes = [0; FRAME];
        bytes[..4].copy_from_slice(&self.stored.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.raw.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.hash.to_le_bytes());
        let hash = xxh3_64(&bytes[..16]);
        bytes[16..].copy_from_slice(&hash.to_le_bytes());
        bytes
    }

    /// The frame with these bytes; `None` if they are damaged.
    pub(super) fn decode(bytes: &[u8; FRAME]) -> Option<Frame> {
        let frame = Frame {
            stored: word(bytes, 0)?,
            raw: word(bytes, 4)?,
            hash: u64::from(word(bytes, 8)?) | u64::from(word(bytes, 12)?) << 32,
        };
        (frame.encode() == *bytes).then_some(frame)
    }
}
