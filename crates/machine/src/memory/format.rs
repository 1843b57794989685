//! Elements and channels: what a fetch reads and what an output writes.
//!
//! Channels are the 32 bits of X1K floats. Float data moves bit for bit, denormals and NaN
//! payloads included. Integer data is fixed point from 0 to 1.

use super::{Format, Memory, Surface, Wrap};
use ctm_isa::float::{ONE, from_unorm8, from_unorm16, unorm8, unorm16};

/// The byte of a UINT8_4 element that holds each channel: memory order is blue, green, red, alpha.
const UINT8_BYTE: [usize; 4] = [2, 1, 0, 3];

/// The position of a channel in an element, counted in channels.
#[inline]
fn place(format: Format, channel: usize) -> usize {
    match format {
        Format::Uint8x4 => UINT8_BYTE[channel & 3],
        _ => channel,
    }
}

/// The channel that a byte of an element belongs to.
pub fn channel_of_byte(format: Format, byte: usize) -> usize {
    let at = byte / format.bytes_per_channel() as usize;
    (0..format.channels() as usize)
        .find(|&channel| place(format, channel) == at)
        .unwrap_or_default()
}

/// The result of a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// Channels c0 to c3, float bits.
    pub channels: [u32; 4],
    /// Address of the (first) element that is not inside an arena. Its bytes read as zero.
    pub fault: Option<u32>,
}

/// An element about to be written: its bytes, and which of them are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// The bytes, from the element's address on. The bytes after the element's end are zero.
    pub bytes: [u8; 16],
    /// Bit n: byte n is written.
    pub byte_mask: u16,
}

impl Element {
    /// Writes the masked bytes over `memory`, the bytes of the element in memory.
    #[inline]
    pub fn apply(&self, memory: &mut [u8]) {
        for (n, (to, from)) in memory.iter_mut().zip(self.bytes).enumerate() {
            if (self.byte_mask >> n) & 1 != 0 {
                *to = from;
            }
        }
    }
}

/// The channels of an element, as float bits. Channels that the format lacks read 0, 0, 1 (green,
/// blue, alpha). Bytes that `bytes` lacks read 0.
#[inline]
pub fn decode(format: Format, bytes: &[u8]) -> [u32; 4] {
    let mut channels = match format.bytes_per_channel() {
        1 => decode_by::<1>(format, bytes, from_unorm8),
        2 => decode_by::<2>(format, bytes, from_unorm16),
        _ => decode_by::<4>(format, bytes, |bits| bits),
    };
    if format.channels() < 4 {
        channels[3] = ONE;
    }
    channels
}

/// Encodes `channels` (float bits) as an element. Bit n of `mask` selects channel n for writing.
/// Channels that the format lacks are dropped.
#[inline]
pub fn encode(format: Format, channels: [u32; 4], mask: u8) -> Element {
    match format.bytes_per_channel() {
        1 => encode_by::<1>(format, channels, mask, unorm8),
        2 => encode_by::<2>(format, channels, mask, unorm16),
        _ => encode_by::<4>(format, channels, mask, |bits| bits),
    }
}

/// Like [`encode`], with channels in stored units: 0 to 255, 0 to 65535, or float bits.
#[inline]
pub fn encode_units(format: Format, units: [u32; 4], mask: u8) -> Element {
    match format.bytes_per_channel() {
        1 => encode_by::<1>(format, units, mask, |unit| unit),
        2 => encode_by::<2>(format, units, mask, |unit| unit),
        _ => encode_by::<4>(format, units, mask, |unit| unit),
    }
}

/// The stored units of an element in channel order; zero for channels that the format lacks.
#[inline]
pub fn decode_units(format: Format, bytes: &[u8]) -> [u32; 4] {
    match format.bytes_per_channel() {
        1 => decode_by::<1>(format, bytes, |unit| unit),
        2 => decode_by::<2>(format, bytes, |unit| unit),
        _ => decode_by::<4>(format, bytes, |unit| unit),
    }
}

/// Decodes the channels that a format of `LEN` bytes a channel has, each by `channel`. `LEN` is a
/// constant, so that an element is read with plain loads.
#[inline]
fn decode_by<const LEN: usize>(
    format: Format,
    bytes: &[u8],
    channel: impl Fn(u32) -> u32,
) -> [u32; 4] {
    let mut channels = [0; 4];
    for (c, value) in channels.iter_mut().enumerate().take(format.channels() as usize) {
        let at = place(format, c) * LEN;
        let mut word = [0; 4];
        if let Some(bytes) = bytes.get(at..at + LEN) {
            word[..LEN].copy_from_slice(bytes);
        }
        *value = channel(u32::from_le_bytes(word));
    }
    channels
}

/// The inverse of [`decode_by`], for the channels in `mask`.
#[inline]
fn encode_by<const LEN: usize>(
    format: Format,
    channels: [u32; 4],
    mask: u8,
    channel: impl Fn(u32) -> u32,
) -> Element {
    let mut element = Element { bytes: [0; 16], byte_mask: 0 };
    for (c, value) in channels.into_iter().enumerate().take(format.channels() as usize) {
        let at = place(format, c) * LEN;
        element.bytes[at..at + LEN].copy_from_slice(&channel(value).to_le_bytes()[..LEN]);
        element.byte_mask |= (((1 << LEN) - 1) * u16::from((mask >> c) & 1)) << at;
    }
    element
}

/// Reads element (x, y) without clamping or wrapping. If it is outside the arenas, the result has a
/// fault and the bytes read as zero (so a missing fourth channel is still 1).
#[inline]
pub fn load(memory: &Memory, surface: &Surface, x: u32, y: u32) -> Fetch {
    load_by(from_memory(memory), surface, x, y)
}

/// A function that fills a slice with the bytes from an address on and returns whether all of them
/// are inside one arena.
fn from_memory(memory: &Memory) -> impl Fn(u32, &mut [u8]) -> bool {
    |address, into| memory.read(address, into).is_ok()
}

#[inline]
fn load_by(read: impl Fn(u32, &mut [u8]) -> bool, surface: &Surface, x: u32, y: u32) -> Fetch {
    let address = surface.address(x, y);
    let mut element = [0; 16];
    let bytes = &mut element[..surface.format.bytes_per_element() as usize];
    let inside = read(address, bytes);
    Fetch { channels: decode(surface.format, bytes), fault: (!inside).then_some(address) }
}

/// Writes the masked channels (float bits) to element (x, y). The caller checks that (x, y) is
/// inside the surface ([`Surface::is_writable`]).
///
/// If the element is not inside an arena, nothing is written and its address is returned as a
/// fault. If the mask leaves nothing to write, there is no access and no fault.
#[inline]
#[must_use = "the write may have been dropped"]
pub fn store(
    memory: &mut Memory,
    surface: &Surface,
    x: u32,
    y: u32,
    channels: [u32; 4],
    mask: u8,
) -> Option<u32> {
    let element = encode(surface.format, channels, mask);
    if element.byte_mask == 0 {
        return None;
    }
    let address = surface.address(x, y);
    let len = surface.format.bytes_per_element() as usize;
    match memory.slice_mut(address, len) {
        Some(place) => {
            element.apply(place);
            None
        }
        None => Some(address),
    }
}

/// The coordinate that a fetch at `v` reads, in a surface of `size` elements.
#[inline]
pub fn wrap_coordinate(wrap: Wrap, v: i64, size: u32) -> u32 {
    let size = i64::from(size.max(1));
    let wrapped = match wrap {
        Wrap::Clamp => v.clamp(0, size - 1),
        Wrap::Repeat => v.rem_euclid(size),
    };
    wrapped as u32
}

/// A program's fetch at texel (x, y), clamped or wrapped. In a 2x2 tiling it reads the first
/// channels of (x+1, y), (x, y+1), (x+1, y+1), (x, y), each clamped or wrapped separately [G 6].
///
/// A fetch reports at most one fault: that of the first channel whose element is outside the
/// arenas. A 2x2 input must have passed [`Surface::validate_input`]; otherwise only the first
/// channel of each element counts.
#[inline]
pub fn fetch(memory: &Memory, surface: &Surface, x: i32, y: i32) -> Fetch {
    fetch_by(from_memory(memory), surface, x, y)
}

/// Like [`fetch`], with bytes from `read`. `read` fills a slice with the bytes from an address on.
/// If they are not all inside one arena, it leaves the slice unchanged and returns false.
#[inline]
pub fn fetch_by(read: impl Fn(u32, &mut [u8]) -> bool, surface: &Surface, x: i32, y: i32) -> Fetch {
    let (x, y) = (i64::from(x), i64::from(y));
    let texel = |dx: i64, dy: i64| {
        load_by(
            &read,
            surface,
            wrap_coordinate(surface.wrap, x + dx, surface.width),
            wrap_coordinate(surface.wrap, y + dy, surface.height),
        )
    };
    if !surface.tiling.is_2x2() {
        return texel(0, 0);
    }
    let four = [texel(1, 0), texel(0, 1), texel(1, 1), texel(0, 0)];
    Fetch { channels: four.map(|t| t.channels[0]), fault: four.iter().find_map(|t| t.fault) }
}

#[cfg(test)]
mod tests;
