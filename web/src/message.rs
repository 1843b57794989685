//! Requests and answers as bytes: the length of a JSON text (32 bits, little-endian), the text, and the bytes that
//! the text refers to by range, counted from the end of the text.

use serde::{Deserialize, Serialize};

/// A range of the bytes after the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Blob {
    /// The first byte.
    pub start: usize,
    /// The number of bytes.
    pub length: usize,
}

/// The bytes of a message. Adding bytes gives their range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blobs(Vec<u8>);

impl Blobs {
    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) -> Blob {
        let start = self.0.len();
        self.0.extend_from_slice(bytes);
        Blob { start, length: bytes.len() }
    }

    /// The bytes of a range; `None` if the message has no such bytes.
    pub fn get(&self, blob: Blob) -> Option<&[u8]> {
        self.0.get(blob.start..blob.start.checked_add(blob.length)?)
    }
}

/// A message from its bytes.
///
/// # Errors
/// The message is malformed.
pub fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<(T, Blobs), String> {
    let short = || "the message is cut off".to_string();
    let (length, rest) = bytes.split_first_chunk().ok_or_else(short)?;
    let length = u32::from_le_bytes(*length) as usize;
    let (text, blobs) = rest.split_at_checked(length).ok_or_else(short)?;
    let value = serde_json::from_slice(text).map_err(|error| error.to_string())?;
    Ok((value, Blobs(blobs.to_vec())))
}

/// The bytes of a message.
pub fn write(value: &impl Serialize, blobs: &Blobs) -> Vec<u8> {
    // Answers are plain structures, which always have a text.
    let text = serde_json::to_vec(value).unwrap_or_default();
    let mut bytes = (text.len() as u32).to_le_bytes().to_vec();
    bytes.extend(text);
    bytes.extend_from_slice(&blobs.0);
    bytes
}
