//! A client's view of memory: the address and the format of a two-dimensional array of elements.

use ctm_base::named;
use std::ops::Range;

use super::{ALIGNMENT, MemoryError, translate};

named! {
    /// The maps from (x, y) to an address, with the codes of a format word's bits 17:16 [G 13].
    #[derive(serde::Serialize, serde::Deserialize)]
    Tiling {
        Linear "LINEAR": "Row by row.";
        Tiled "TILED": "2 KiB tiles.";
        LinearInp2x2 "LINEAR_INP_2X2": "Row by row, 2x2 superfine fetches.";
        TiledInp2x2 "TILED_INP_2X2": "2 KiB tiles, 2x2 superfine fetches.";
    }
}

impl Tiling {
    /// The code in a format word.
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// The tiling with the given code; `None` above 3.
    pub const fn from_code(code: u32) -> Option<Tiling> {
        if code < Tiling::ALL.len() as u32 { Some(Tiling::ALL[code as usize]) } else { None }
    }

    /// Whether the layout is tiled.
    #[inline(always)]
    pub const fn is_tiled(self) -> bool {
        matches!(self, Tiling::Tiled | Tiling::TiledInp2x2)
    }

    /// Whether a fetch gathers four neighbouring elements.
    #[inline(always)]
    pub const fn is_2x2(self) -> bool {
        matches!(self, Tiling::LinearInp2x2 | Tiling::TiledInp2x2)
    }
}

named! {
    /// The type of an element, with the codes of a format word's bits 27:24 [G 14]. The Guide defines
    /// codes 0 to 4. Codes 5 to 8 are ours, for the formats of later SDKs.
    #[derive(serde::Serialize, serde::Deserialize)]
    Format {
        Uint16x1 "UINT16_1": "One 16-bit fixed-point number, 0 to 1.";
        Uint8x4 "UINT8_4": "Four 8-bit fixed-point numbers, 0 to 1; in memory blue, green, red, alpha.";
        Float32x1 "FLOAT32_1": "One binary32 number.";
        Float32x2 "FLOAT32_2": "Two binary32 numbers.";
        Float32x4 "FLOAT32_4": "Four binary32 numbers.";
        Uint8x1 "UINT8_1": "One 8-bit fixed-point number, 0 to 1.";
        Uint8x2 "UINT8_2": "Two 8-bit fixed-point numbers, 0 to 1; c0 first.";
        Uint16x2 "UINT16_2": "Two 16-bit fixed-point numbers, 0 to 1; c0 first.";
        Uint16x4 "UINT16_4": "Four 16-bit fixed-point numbers, 0 to 1; c0 first.";
    }
}

impl Format {
    /// The code in a format word.
    pub const fn code(self) -> u32 {
        self as u32
    }

    /// The format with the given code; `None` for the reserved ones, 9 and above.
    pub const fn from_code(code: u32) -> Option<Format> {
        if code < Format::ALL.len() as u32 { Some(Format::ALL[code as usize]) } else { None }
    }

    /// Number of stored channels: 1, 2 or 4.
    #[inline(always)]
    pub const fn channels(self) -> u32 {
        match self {
            Format::Uint8x1 | Format::Uint16x1 | Format::Float32x1 => 1,
            Format::Uint8x2 | Format::Uint16x2 | Format::Float32x2 => 2,
            Format::Uint8x4 | Format::Uint16x4 | Format::Float32x4 => 4,
        }
    }

    /// Bytes of one channel: 1, 2 or 4.
    #[inline(always)]
    pub const fn bytes_per_channel(self) -> u32 {
        match self {
            Format::Uint8x1 | Format::Uint8x2 | Format::Uint8x4 => 1,
            Format::Uint16x1 | Format::Uint16x2 | Format::Uint16x4 => 2,
            Format::Float32x1 | Format::Float32x2 | Format::Float32x4 => 4,
        }
    }

    /// Size of one element in memory.
    #[inline(always)]
    pub const fn bytes_per_element(self) -> u32 {
        self.bytes_per_channel() * self.channels()
    }

    /// log2 of [`Format::bytes_per_element`].
    #[inline(always)]
    pub const fn bytes_log2(self) -> u32 {
        self.bytes_per_element().trailing_zeros()
    }

    /// Whether channels are stored as binary32, bit for bit.
    #[inline(always)]
    pub const fn is_float(self) -> bool {
        self.bytes_per_channel() == 4
    }

    /// Largest stored unit of one channel: 255, 65535 or, for floats, any 32 bits.
    #[inline(always)]
    pub const fn max_unit(self) -> u32 {
        u32::MAX >> (32 - 8 * self.bytes_per_channel())
    }

    /// Whether 2x2 inputs and conditional buffers can have this format: the Guide's single-channel
    /// ones.
    pub const fn is_basic_single(self) -> bool {
        matches!(self, Format::Uint16x1 | Format::Float32x1)
    }
}

named! {
    /// The element that a fetch outside the surface reads. The machine clamps; `Repeat` is an
    /// extension.
    #[derive(Default, serde::Serialize, serde::Deserialize)]
    Wrap {
        #[default]
        Clamp "clamp": "The nearest element of the edge.";
        Repeat "repeat": "The surface repeats in both directions.";
    }
}

/// A two-dimensional array of elements in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Surface {
    /// Byte address of element (0, 0). The low 11 bits are ignored (linear: the low 5).
    pub base: u32,
    /// Distance between rows in elements. Translation uses this, not `width`.
    pub pitch: u32,
    /// Elements per row for clamping and wrapping fetches; the pitch by default.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The map from (x, y) to an address.
    pub tiling: Tiling,
    /// The type of an element.
    pub format: Format,
    /// The rule for fetches outside.
    pub wrap: Wrap,
}

/// Largest pitch and height: 13 bits [G 13, 16].
pub const MAX_SIZE: u32 = 0x1fff;

impl Surface {
    /// A surface as commands describe it: its width is its pitch, and fetches clamp.
    pub const fn new(
        base: u32,
        pitch: u32,
        height: u32,
        tiling: Tiling,
        format: Format,
    ) -> Surface {
        Surface { base, pitch, width: pitch, height, tiling, format, wrap: Wrap::Clamp }
    }

    /// Byte address of element (x, y), modulo 2^32, exactly as in the Guide's tables, even if the
    /// pitch has bits that they drop [G 5-6]. Only the low 12 bits of x and y count.
    #[inline(always)]
    pub const fn address(&self, x: u32, y: u32) -> u32 {
        let log2 = self.format.bytes_log2();
        if self.tiling.is_tiled() {
            translate::tiled(log2, self.base, self.pitch, x, y)
        } else {
            translate::linear(log2, self.base, self.pitch, x, y)
        }
    }

    /// The elements of a row whose bytes follow each other in memory, from each column on that is a
    /// multiple of this power of two.
    pub(crate) const fn run(&self) -> u32 {
        if self.tiling.is_tiled() {
            translate::tiled_run(self.format.bytes_log2())
        } else {
            translate::COORDINATE + 1
        }
    }

    /// Whether a write to (x, y) is inside [0, pitch) x [0, height).
    #[inline(always)]
    pub const fn is_writable(&self, x: u32, y: u32) -> bool {
        x < self.pitch && y < self.height
    }

    /// The pitch must be a multiple of this, or the address formula drops some of its bits.
    pub const fn pitch_multiple(&self) -> u32 {
        pitch_multiple(self.tiling, self.format)
    }

    /// The pitch for rows of `width` elements in this surface's tiling and format.
    pub const fn default_pitch(&self, width: u32) -> u32 {
        default_pitch(self.tiling, self.format, width)
    }

    /// A warning if the layout cannot represent the pitch, else `None`.
    pub fn pitch_warning(&self) -> Option<String> {
        let multiple = self.pitch_multiple();
        (!self.pitch.is_multiple_of(multiple)).then(|| {
            format!(
                "pitch {} is not a multiple of {multiple}, which {} {} needs: rows overlap",
                self.pitch, self.tiling, self.format
            )
        })
    }

    /// Whether no two elements with x < `pitch` and y < `height` share a byte.
    ///
    /// `true` is certain. `false` may be too careful for a tiled surface whose pitch is too small
    /// but whose last tiles are incomplete.
    pub fn elements_disjoint(&self) -> bool {
        let log2 = self.format.bytes_log2();
        if self.pitch > 0x1000 || self.height > 0x1000 {
            return false; // coordinates have 12 bits
        }
        if self.tiling.is_tiled() {
            let (tw, th) = (translate::tile_width_log2(log2), translate::tile_height_log2(log2));
            self.height <= 1 << th || self.pitch.is_multiple_of(1 << tw)
        } else {
            self.height <= 1 || self.pitch.is_multiple_of(self.pitch_multiple())
        }
    }

    /// A range of bytes that contains every byte of every element with x < `width` and y <
    /// `height`, for any pitch. It is exact for linear surfaces and whole tiles for tiled ones. If
    /// the addresses wrap around the end of the address space, it is the whole address space.
    pub fn byte_span(&self, width: u32, height: u32) -> Range<u64> {
        let log2 = self.format.bytes_log2();
        let (start, extent) = if self.tiling.is_tiled() {
            (self.base & !(ALIGNMENT - 1), translate::tiled_extent(log2, self.pitch, width, height))
        } else {
            (self.base & !31, translate::linear_extent(log2, self.pitch, width, height))
        };
        let end = u64::from(start) + extent;
        if end > 1 << 32 { 0..1 << 32 } else { u64::from(start)..end }
    }

    /// Bytes that `width` x `height` elements occupy, counted from the base.
    pub fn byte_size(&self, width: u32, height: u32) -> u64 {
        let span = Surface { base: 0, ..*self }.byte_span(width, height);
        span.end
    }

    /// Checks that the address formulas can express pitch, width and height.
    ///
    /// # Errors
    /// The first one that they cannot express.
    pub fn validate(&self) -> Result<(), MemoryError> {
        check_size("pitch", self.pitch)?;
        check_size("width", self.width)?;
        check_size("height", self.height)
    }

    /// Checks that the surface can be an input. 2x2 fetches exist only for single channels [G 6],
    /// and not for the formats of later SDKs.
    ///
    /// # Errors
    /// Names the tiling and the format.
    pub fn validate_input(&self) -> Result<(), MemoryError> {
        if self.tiling.is_2x2() && !self.format.is_basic_single() {
            return Err(MemoryError::Invalid(format!(
                "input tiling {} needs FLOAT32_1 or UINT16_1, found {}",
                self.tiling, self.format
            )));
        }
        Ok(())
    }
}

/// Checks that a size is from 1 to [`MAX_SIZE`].
pub(super) fn check_size(name: &'static str, value: u32) -> Result<(), MemoryError> {
    if value == 0 || value > MAX_SIZE {
        let text = format!("surface {name} is {value}, expected 1 to {MAX_SIZE}");
        return Err(MemoryError::Invalid(text));
    }
    Ok(())
}

/// A pitch must be a multiple of this, or the address formula drops some of its bits.
pub const fn pitch_multiple(tiling: Tiling, format: Format) -> u32 {
    let log2 = format.bytes_log2();
    1 << if tiling.is_tiled() {
        translate::tile_width_log2(log2)
    } else {
        translate::linear_word_log2(log2)
    }
}

/// The pitch for rows of `width` elements: the width rounded up to what the layout needs, and to a
/// multiple of 4, since a format word can hold no other pitch.
pub const fn default_pitch(tiling: Tiling, format: Format, width: u32) -> u32 {
    let multiple = pitch_multiple(tiling, format);
    let multiple = if multiple < 4 { 4 } else { multiple };
    match width.checked_next_multiple_of(multiple) {
        Some(pitch) => pitch,
        None => !(multiple - 1),
    }
}

/// The fields of a format parameter [G 13-14].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormatWord {
    /// Bits 12:2, in elements: a multiple of 4.
    pub pitch: u32,
    /// Bits 17:16.
    pub tiling: Tiling,
    /// Bits 27:24.
    pub format: Format,
    /// All other bits, in place. They have no effect; if any is set, the caller warns.
    pub reserved_bits: u32,
}

const PITCH_BITS: u32 = 0x1ffc;
const TILING_BITS: u32 = 0x0003_0000;
const FORMAT_BITS: u32 = 0x0f00_0000;

/// The code of a format parameter's data format.
const fn data_format(word: u32) -> u32 {
    (word & FORMAT_BITS) >> 24
}

/// The text of a format parameter with a reserved data format.
pub(crate) fn reserved(word: u32) -> String {
    format!("data format {} is reserved, 0 to 8 are defined", data_format(word))
}

/// Decodes a format parameter.
///
/// # Errors
/// Data formats 9 to 15 are reserved.
pub fn parse_format_word(word: u32) -> Result<FormatWord, MemoryError> {
    let Some(format) = Format::from_code(data_format(word)) else {
        return Err(MemoryError::Invalid(format!("format word 0x{word:08x}: {}", reserved(word))));
    };
    let tiling = Tiling::ALL[((word & TILING_BITS) >> 16) as usize];
    Ok(FormatWord {
        pitch: word & PITCH_BITS,
        tiling,
        format,
        reserved_bits: word & !(PITCH_BITS | TILING_BITS | FORMAT_BITS),
    })
}

/// Encodes a format parameter.
///
/// # Errors
/// Unless the pitch is a multiple of 4 up to 8188.
pub fn format_word(pitch: u32, tiling: Tiling, format: Format) -> Result<u32, MemoryError> {
    if pitch & !PITCH_BITS != 0 {
        return Err(MemoryError::Invalid(format!(
            "pitch {pitch} does not fit a format word: it needs a multiple of 4 from 0 to 8188"
        )));
    }
    Ok(pitch | tiling.code() << 16 | format.code() << 24)
}

#[cfg(test)]
mod tests;
