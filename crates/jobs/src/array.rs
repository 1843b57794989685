//! Arrays of numbers outside the machine: `.npy` files, comparisons, pictures.
//!
//! Everything here works on stored units (0 to 255, 0 to 65535, or the bits of a binary32 number)
//! and knows nothing about programs, launches or job files.
//!
//! * [`npy`]: NumPy's file format.
//! * [`compare`]: the only comparer.
//! * [`picture`][]: PNG pictures of arrays; [`png`][]: arrays from PNG files.

pub mod compare;
pub mod npy;
pub mod picture;
pub mod png;

use ctm_base::named;
use ctm_machine::memory::{self, Format, Memory, MemoryError, Surface};

named! {
    /// The element types that arrays have, with NumPy's names.
    Dtype {
        Float32 "float32": "binary32; the unit is its bits.";
        Uint8 "uint8": "One byte.";
        Uint16 "uint16": "Two bytes.";
    }
}

impl Dtype {
    /// Bytes of one element.
    pub fn size(self) -> usize {
        match self {
            Dtype::Float32 => 4,
            Dtype::Uint8 => 1,
            Dtype::Uint16 => 2,
        }
    }
    /// The type that holds one channel of a format.
    pub fn of(format: Format) -> Dtype {
        match format.bytes_per_channel() {
            1 => Dtype::Uint8,
            2 => Dtype::Uint16,
            _ => Dtype::Float32,
        }
    }
}

/// An array in a file: any number of axes, last axis fastest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array {
    /// The element type.
    pub dtype: Dtype,
    /// Elements along each axis, slowest first.
    pub shape: Vec<usize>,
    /// The elements; their number is the product of `shape`.
    pub units: Vec<u32>,
}

impl Array {
    /// Type and shape, for messages, such as "float32 (16, 16, 4)".
    pub fn describe(&self) -> String {
        describe(self.dtype.name(), &self.shape)
    }

    /// The array as rows, columns and channels of a format.
    ///
    /// # Errors
    /// [`WrongArray`] if type, number of axes or channels are not the format's. A format of one
    /// channel takes two axes, or three with the last of length 1.
    pub fn into_raster(self, format: Format) -> Result<Raster, WrongArray> {
        let channels = format.channels() as usize;
        let size = match self.shape[..] {
            [height, width] if channels == 1 => Some((height, width)),
            [height, width, last] if last == channels => Some((height, width)),
            _ => None,
        };
        let sizes = size.and_then(|(h, w)| Some((u32::try_from(h).ok()?, u32::try_from(w).ok()?)));
        match sizes {
            Some((height, width)) if self.dtype == Dtype::of(format) => {
                Ok(Raster { format, width, height, units: self.units })
            }
            _ => Err(WrongArray { found: self.describe(), needed: needed(format) }),
        }
    }
}

/// An array that does not fit its use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found {found}, needed {needed}")]
pub struct WrongArray {
    /// Its type and shape.
    pub found: String,
    /// The type and shape needed.
    pub needed: String,
}

/// The type and shape that an array of a format must have, for messages.
pub fn needed(format: Format) -> String {
    let dtype = Dtype::of(format);
    match format.channels() {
        1 => format!("{dtype} (height, width) or (height, width, 1) for {format}"),
        n => format!("{dtype} (height, width, {n}) for {format}"),
    }
}

/// Type and shape as NumPy prints them.
pub fn describe(dtype: &str, shape: &[usize]) -> String {
    let axes: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if axes.len() == 1 { "," } else { "" };
    format!("{dtype} ({}{comma})", axes.join(", "))
}

/// A rectangle of elements of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raster {
    /// The format of an element.
    pub format: Format,
    /// Elements per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Stored units: row by row, within a row element by element, channel c0 first.
    pub units: Vec<u32>,
}

impl Raster {
    /// Reads elements of a surface.
    ///
    /// # Errors
    /// As [`memory::read_array`].
    pub fn read(
        memory: &Memory,
        surface: &Surface,
        width: u32,
        height: u32,
    ) -> Result<Raster, MemoryError> {
        let units = memory::read_array(memory, surface, width, height)?;
        Ok(Raster { format: surface.format, width, height, units })
    }

    /// The array with the same contents: (height, width, channels), without the last axis if there
    /// is one channel.
    pub fn into_array(self) -> Array {
        let mut shape = vec![self.height as usize, self.width as usize];
        if self.format.channels() > 1 {
            shape.push(self.format.channels() as usize);
        }
        Array { dtype: Dtype::of(self.format), shape, units: self.units }
    }
}
