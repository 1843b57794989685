//! Elements and channels: what a fetch reads and what an output writes.
//!
//! Channels are the 32 bits of X1K floats. Float data moves bit for bit, denormals and NaN
//! payloads included. Integer data is fixed point from 0 to 1.

use super::{Format, Memory, Surface, Wrap};
use crate::float::{from_unorm8, from_unorm16, unorm8, unorm16};

/// The bits of 1.0, which a missing fourth channel reads.
const ONE: u32 = 0x3f80_0000;

/// Which byte of a UINT8_4 element holds each channel: memory order is blue, green, red, alpha.
const UINT8_BYTE: [usize; 4] = [2, 1, 0, 3];

/// The channel that a byte of an element belongs to.
#[must_use]
pub fn channel_of_byte(format: Format, byte: usize) -> usize {
    match (format.is_float(), format.channels()) {
        (true, _) => byte / 4,
        (false, 4) => {
            UINT8_BYTE.into_iter().position(|place| place == byte & 3).unwrap_or_default()
        }
        _ => 0,
    }
}

/// The answer to a fetch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// Channels c0 to c3, float bits.
    pub channels: [u32; 4],
    /// Address of the (first) element that is not inside an arena; it read as zero bytes.
    pub fault: Option<u32>,
}

/// An element about to be written: its bytes, and which of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Element {
    /// The bytes, from the element's address on; zero behind its end.
    pub bytes: [u8; 16],
    /// Bit n: byte n is written.
    pub byte_mask: u16,
}

impl Element {
    /// Writes the masked bytes over `memory`, which is the element's place.
    #[inline]
    pub fn apply(&self, memory: &mut [u8]) {
        for (n, (to, from)) in memory.iter_mut().zip(self.bytes).enumerate() {
            if (self.byte_mask >> n) & 1 != 0 {
                *to = from;
            }
        }
    }
}

#[inline]
fn byte(bytes: &[u8], n: usize) -> u32 {
    bytes.get(n).copied().map_or(0, u32::from)
}

#[inline]
fn word(bytes: &[u8], n: usize) -> u32 {
    bytes.get(4 * n..4 * n + 4).and_then(|b| b.try_into().ok()).map_or(0, u32::from_le_bytes)
}

/// The channels of an element, as float bits. Channels that the format lacks read 0, 0, 1; bytes
/// that `bytes` lacks read 0.
#[inline]
#[must_use]
pub fn decode(format: Format, bytes: &[u8]) -> [u32; 4] {
    match format {
        Format::Uint16x1 => {
            let v = byte(bytes, 0) | byte(bytes, 1) << 8;
            [from_unorm16(v), 0, 0, ONE]
        }
        Format::Uint8x4 => UINT8_BYTE.map(|n| from_unorm8(byte(bytes, n))),
        Format::Float32x1 => [word(bytes, 0), 0, 0, ONE],
        Format::Float32x2 => [word(bytes, 0), word(bytes, 1), 0, ONE],
        Format::Float32x4 => [word(bytes, 0), word(bytes, 1), word(bytes, 2), word(bytes, 3)],
    }
}

/// The element that `channels` (float bits) make. Bit n of `mask` says whether channel n is
/// written; channels that the format lacks are dropped.
#[inline]
#[must_use]
pub fn encode(format: Format, channels: [u32; 4], mask: u8) -> Element {
    let units = match format {
        Format::Uint16x1 => [unorm16(channels[0]), 0, 0, 0],
        Format::Uint8x4 => channels.map(unorm8),
        _ => channels,
    };
    encode_units(format, units, mask)
}

/// As [`encode`] with channels in stored units: 0 to 255, 0 to 65535, or float bits.
#[inline]
#[must_use]
pub fn encode_units(format: Format, units: [u32; 4], mask: u8) -> Element {
    let mut element = Element { bytes: [0; 16], byte_mask: 0 };
    match format {
        Format::Uint16x1 => {
            element.bytes[..2].copy_from_slice(&(units[0] as u16).to_le_bytes());
            element.byte_mask = 0b11 * u16::from(mask & 1);
        }
        Format::Uint8x4 => {
            for (c, n) in UINT8_BYTE.into_iter().enumerate() {
                element.bytes[n] = units[c] as u8;
                element.byte_mask |= u16::from((mask >> c) & 1) << n;
            }
        }
        Format::Float32x1 | Format::Float32x2 | Format::Float32x4 => {
            for (c, unit) in units.iter().enumerate().take(format.channels() as usize) {
                element.bytes[4 * c..4 * c + 4].copy_from_slice(&unit.to_le_bytes());
                element.byte_mask |= (0xf * u16::from((mask >> c) & 1)) << (4 * c);
            }
        }
    }
    element
}

/// The stored units of an element in channel order; zero for channels that the format lacks.
#[inline]
#[must_use]
pub fn decode_units(format: Format, bytes: &[u8]) -> [u32; 4] {
    match format {
        Format::Uint16x1 => [byte(bytes, 0) | byte(bytes, 1) << 8, 0, 0, 0],
        Format::Uint8x4 => UINT8_BYTE.map(|n| byte(bytes, n)),
        Format::Float32x1 => [word(bytes, 0), 0, 0, 0],
        Format::Float32x2 => [word(bytes, 0), word(bytes, 1), 0, 0],
        Format::Float32x4 => decode(format, bytes),
    }
}

/// Reads element (x, y), which is neither clamped nor wrapped. Outside the arenas its bytes read
/// as zero (so a missing fourth channel is still 1), with a fault.
#[inline]
#[must_use]
pub fn load(memory: &Memory, surface: &Surface, x: u32, y: u32) -> Fetch {
    let address = surface.address(x, y);
    let len = surface.format.bytes_per_element() as usize;
    match memory.slice(address, len) {
        Some(bytes) => Fetch { channels: decode(surface.format, bytes), fault: None },
        None => Fetch { channels: decode(surface.format, &[]), fault: Some(address) },
    }
}

/// Writes the masked channels (float bits) to element (x, y). Whether (x, y) is inside the
/// surface is the caller's to check ([`Surface::is_writable`]).
///
/// Returns the element's address as a fault, and writes nothing, if it is not inside an arena. A
/// mask that leaves nothing to write is no access and no fault.
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
#[must_use]
pub fn wrap_coordinate(wrap: Wrap, v: i64, size: u32) -> u32 {
    let size = i64::from(size.max(1));
    let wrapped = match wrap {
        Wrap::Clamp => v.clamp(0, size - 1),
        Wrap::Repeat => v.rem_euclid(size),
    };
    wrapped as u32
}

/// A program's fetch at texel (x, y): clamped or wrapped, and in a 2x2 tiling the first channels
/// of (x+1, y), (x, y+1), (x+1, y+1), (x, y), each clamped or wrapped on its own [G 6].
///
/// One fetch has at most one fault: that of the first channel whose element is outside the
/// arenas. A 2x2 input must have passed [`Surface::validate_input`]; of several channels the
/// first counts.
#[inline]
#[must_use]
pub fn fetch(memory: &Memory, surface: &Surface, x: i32, y: i32) -> Fetch {
    let (x, y) = (i64::from(x), i64::from(y));
    let texel = |dx: i64, dy: i64| {
        load(
            memory,
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
