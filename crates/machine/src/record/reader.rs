//! Reads a recording, record by record. A torn last record is the end of the file; any other
//! damage is an error with its offset.

use super::format::{Event, FRAME, Frame, HEADER, MAGIC, VERSION, header};
use ctm_base::files;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// Errors of reading a recording.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The host refuses.
    #[error("cannot read it: {0}")]
    Read(io::Error),
    /// The file does not begin as a recording does.
    #[error("not a recording: it does not begin with \"CTM-REC\"")]
    NotRecording,
    /// The version is of another ctm.
    #[error("recording of version {found}; this ctm reads version {VERSION}")]
    Version {
        /// The version in the file.
        found: u32,
    },
    /// Bytes changed after they were written.
    #[error("damaged at offset {offset}: {what}")]
    Damaged {
        /// The offset of the header or record in the file.
        offset: u64,
        /// The damage.
        what: &'static str,
    },
}

// The text includes the system's; a `source` would repeat it.
impl From<io::Error> for RecordError {
    fn from(error: io::Error) -> RecordError {
        RecordError::Read(error)
    }
}

/// An event of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The offset of its record in the file.
    pub offset: u64,
    /// The number of the device, from 0 on.
    pub device: u32,
    /// The event.
    pub event: Event,
}

/// Reads a recording.
pub struct Reader<R> {
    from: R,
    /// The offset of the next frame.
    offset: u64,
    /// The offset of the current one.
    start: u64,
    /// The content of the last record.
    content: Vec<u8>,
    /// The number of its bytes that were read.
    read: usize,
}

/// Whether a file begins as a recording does.
pub fn is_recording(path: &Path) -> bool {
    let mut magic = [0; MAGIC.len()];
    path.is_file()
        && File::open(path).and_then(|mut file| file.read_exact(&mut magic)).is_ok()
        && magic == MAGIC
}

impl Reader<BufReader<File>> {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        Reader::new(BufReader::new(files::open(path)?))
    }
}

impl<R: Read> Reader<R> {
    /// Reads the header.
    ///
    /// # Errors
    /// [`RecordError`].
    pub fn new(mut from: R) -> Result<Reader<R>, RecordError> {
        let found = up_to(&mut from, HEADER)?;
        let magic = found.get(..MAGIC.len());
        if magic != Some(&MAGIC) {
            return Err(RecordError::NotRecording);
        }
        if found != header() {
            // The hash of a version is known, so a version that was damaged can be told.
            let version = found.get(8..12).and_then(|word| word.try_into().ok());
            let hash =
                found.get(12..).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
            return Err(match version.map(u32::from_le_bytes) {
                Some(version) if hash == Some(xxh3_64(&found[..12]) as u32) => {
                    RecordError::Version { found: version }
                }
                _ => RecordError::Damaged { offset: 0, what: "the header" },
            });
        }
        Ok(Reader { from, offset: HEADER as u64, start: 0, content: Vec::new(), read: 0 })
    }

    /// The next event; `None` at the end and at a torn last record.
    ///
    /// # Errors
    /// [`RecordError::Damaged`], [`RecordError::Read`].
    pub fn next_entry(&mut self) -> Result<Option<Entry>, RecordError> {
        while self.read == self.content.len() {
            if !self.next_record()? {
                return Ok(None);
            }
        }
        let unread = &self.content[self.read..];
        let ((device, event), rest) = postcard::take_from_bytes(unread)
            .map_err(|_| self.damaged("the fields of a record"))?;
        self.read = self.content.len() - rest.len();
        Ok(Some(Entry { offset: self.start, device, event }))
    }

    /// Damage of the current record.
    fn damaged(&self, what: &'static str) -> RecordError {
        RecordError::Damaged { offset: self.start, what }
    }

    /// Reads the content of the next record; `false` at the end and at a torn last record.
    fn next_record(&mut self) -> Result<bool, RecordError> {
        self.start = self.offset;
        // Frees the last content before the next one is read.
        (self.content, self.read) = (Vec::new(), 0);
        let frame = up_to(&mut self.from, FRAME)?;
        let Ok(frame) = <&[u8; FRAME]>::try_from(frame.as_slice()) else {
            return Ok(false);
        };
        let frame = Frame::decode(frame).ok_or_else(|| self.damaged("the frame of a record"))?;
        let content = up_to(&mut self.from, frame.stored as usize)?;
        if content.len() < frame.stored as usize {
            return Ok(false);
        }
        if xxh3_64(&content) != frame.hash {
            return Err(self.damaged("the content of a record"));
        }
        // LZ4 cannot compress to less than a 255th, so the size is bounded by the file.
        let most = 255 * u64::from(frame.stored) + 64;
        let raw = if frame.raw == frame.stored {
            Some(content)
        } else if u64::from(frame.raw) > most {
            None
        } else {
            lz4_flex::block::decompress(&content, frame.raw as usize).ok()
        };
        let raw = raw.filter(|raw| raw.len() == frame.raw as usize);
        self.content = raw.ok_or_else(|| self.damaged("the compression of a record"))?;
        self.offset += (FRAME as u64) + u64::from(frame.stored);
        Ok(true)
    }
}

/// The next `len` bytes, or those up to the end. Memory grows with what is read.
fn up_to(from: &mut impl Read, len: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(len as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}
