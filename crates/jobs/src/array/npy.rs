//! NumPy's `.npy` files: a short header, which is a Python dictionary as text, and the data.

use super::{Array, Dtype, describe};
use ctm_base::files;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use toml::de::ValueDeserializer;
use toml_spanner::{Arena, Item};

/// Largest file to read.
pub const MAX_FILE: u64 = 4 << 30;

/// Largest header to read; NumPy itself refuses larger ones by default.
const MAX_HEADER: usize = 10_000;

/// The first bytes of a file of version 1.0.
const MAGIC: &[u8] = b"\x93NUMPY\x01\x00";

/// Whether bytes are an array of NumPy's, of any version.
pub fn is_npy(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC[..6])
}

/// The error of bytes that cannot be read as an array: what was found, and what is needed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NpyError(String);

/// [`parse`] where a picture would do, too, and there is none.
///
/// # Errors
/// As [`parse`].
pub fn parse_no_picture(bytes: &[u8]) -> Result<Array, NpyError> {
    if is_npy(bytes) {
        parse(bytes)
    } else {
        Err(NpyError("neither a .npy nor a PNG file".to_string()))
    }
}

fn bad_header(error: impl fmt::Display) -> NpyError {
    NpyError(format!("bad .npy header: {error}"))
}

/// Reads an array from a file's bytes, in either byte order and either axis order.
///
/// # Errors
/// See [`NpyError`]. The shape must fit the bytes before anything is allocated.
pub fn parse(bytes: &[u8]) -> Result<Array, NpyError> {
    let (text, data) = split(bytes)?;
    let header = Header::read(text).map_err(bad_header)?;
    let shape = header.shape().map_err(bad_header)?;
    let descr = header.descr.as_deref();
    let (dtype, big) = match descr {
        Some("<f4") => (Dtype::Float32, false),
        Some(">f4") => (Dtype::Float32, true),
        Some("<u2") => (Dtype::Uint16, false),
        Some(">u2") => (Dtype::Uint16, true),
        // Truth values are 0 and 1.
        Some("|u1" | "<u1" | ">u1" | "|b1") => (Dtype::Uint8, false),
        _ => {
            let found = describe(&type_name(descr), &shape);
            return Err(NpyError(format!("found {found}, needed float32, uint8 or uint16")));
        }
    };
    let count = shape.iter().map(|&n| n as u128).product::<u128>();
    let needed = count * dtype.size() as u128;
    if needed != data.len() as u128 {
        let found = describe(dtype.name(), &shape);
        let has = data.len();
        return Err(NpyError(format!("{found} needs {needed} bytes of data, the file has {has}")));
    }
    let mut units: Vec<u32> = match (dtype, big) {
        (Dtype::Uint8, _) => data.iter().map(|&b| b.into()).collect(),
        (Dtype::Uint16, false) => words(data, |b| u16::from_le_bytes(b).into()),
        (Dtype::Uint16, true) => words(data, |b| u16::from_be_bytes(b).into()),
        (Dtype::Float32, false) => words(data, u32::from_le_bytes),
        (Dtype::Float32, true) => words(data, u32::from_be_bytes),
    };
    if header.fortran_order {
        units = from_fortran(&shape, &units);
    }
    Ok(Array { dtype, shape, units })
}

/// The text of the header, and the data after it. Version 1 gives the header's length in 16 bits,
/// later versions in 32.
fn split(bytes: &[u8]) -> Result<(&[u8], &[u8]), NpyError> {
    let (start, len) = match bytes {
        [0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, a, b, ..] => {
            (10, u16::from_le_bytes([*a, *b]).into())
        }
        [0x93, b'N', b'U', b'M', b'P', b'Y', _, _, a, b, c, d, ..] => {
            (12, u32::from_le_bytes([*a, *b, *c, *d]))
        }
        _ => return Err(NpyError("not a .npy file".to_string())),
    };
    let text = usize::try_from(len).ok().filter(|&n| n <= MAX_HEADER);
    text.and_then(|len| bytes[start..].split_at_checked(len)).ok_or_else(|| {
        NpyError(format!(
            "the .npy header has {len} bytes; the file has {} and at most {MAX_HEADER} are read",
            bytes.len()
        ))
    })
}

/// The dictionary of a header.
struct Header {
    /// `None` for a structured type.
    descr: Option<String>,
    /// First axis fastest.
    fortran_order: bool,
    shape: Vec<i64>,
}

impl Header {
    /// Reads a header's text. Once brackets, colons and truth values are spelled as in TOML, Python's
    /// dictionary is an inline table, so no parser of its own is needed. Inside strings the other
    /// spelling does no harm: only structured types have such strings, and they are refused.
    fn read(text: &[u8]) -> Result<Header, String> {
        let mut text = std::str::from_utf8(text).map_err(|error| error.to_string())?.to_string();
        for (python, toml) in
            [("(", "["), (")", "]"), (":", "="), ("True", "true"), ("False", "false")]
        {
            text = text.replace(python, toml);
        }
        let dictionary = text.trim();
        let text = format!("header = {dictionary}");
        let arena = Arena::new();
        // Of a bad text the other parser has the better words.
        let file = toml_spanner::parse(&text, &arena).map_err(|error| {
            let better = ValueDeserializer::parse(dictionary).err();
            better.map_or_else(|| error.to_string(), |error| error.message().to_string())
        })?;
        let table = file.table().get("header").and_then(Item::as_table);
        let table = table.filter(|_| file.table().len() == 1).ok_or("it is not a dictionary")?;
        let field = |name| table.get(name).ok_or_else(|| format!("missing field `{name}`"));
        let (descr, order, shape) = (field("descr")?, field("fortran_order")?, field("shape")?);
        let axes = shape.as_array().and_then(|axes| axes.iter().map(Item::as_i64).collect());
        Ok(Header {
            descr: descr.as_str().map(str::to_string),
            fortran_order: order.as_bool().ok_or("its fortran_order is no truth value")?,
            shape: axes.ok_or("its shape is no list of numbers")?,
        })
    }

    /// The lengths of the axes. Even of an empty array their product must fit 64 bits.
    fn shape(&self) -> Result<Vec<usize>, &'static str> {
        let mut product = 1usize;
        let axes = self.shape.iter().map(|&n| {
            let n = usize::try_from(n).map_err(|_| "an axis cannot be negative")?;
            product = product.checked_mul(n.max(1)).ok_or("its numbers are too large")?;
            Ok(n)
        });
        axes.collect()
    }
}

fn words<const N: usize>(bytes: &[u8], value: impl Fn([u8; N]) -> u32) -> Vec<u32> {
    bytes.as_chunks::<N>().0.iter().map(|&b| value(b)).collect()
}

/// NumPy's name of a type, such as "float64".
fn type_name(descr: Option<&str>) -> String {
    let Some(descr) = descr else {
        return "a structured type".to_string();
    };
    let bits = descr.get(2..).and_then(|bytes| bytes.parse::<u32>().ok()?.checked_mul(8));
    match (descr.get(1..2), bits) {
        (Some("f"), Some(bits)) => format!("float{bits}"),
        (Some("i"), Some(bits)) => format!("int{bits}"),
        (Some("u"), Some(bits)) => format!("uint{bits}"),
        (Some("c"), Some(bits)) => format!("complex{bits}"),
        (Some("b"), Some(_)) => "bool".to_string(),
        _ => format!("type '{descr}'"),
    }
}

/// Rearranges data from first axis fastest to last axis fastest.
fn from_fortran(shape: &[usize], data: &[u32]) -> Vec<u32> {
    let value = |mut at: usize| {
        // The stride of an axis is the number of elements of all axes before it.
        let (mut stride, mut from) = (data.len(), 0);
        for n in shape.iter().rev() {
            stride /= n;
            from += at % n * stride;
            at /= n;
        }
        data[from]
    };
    (0..data.len()).map(value).collect()
}

/// Writes an array in little-endian byte order, last axis fastest, format version 1.0.
///
/// # Errors
/// The writer's error; `InvalidInput` if the number of elements does not match the shape.
pub fn write(array: &Array, to: &mut dyn Write) -> io::Result<()> {
    if array.shape.iter().product::<usize>() != array.units.len() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the array's shape does not fit its contents",
        ));
    }
    to.write_all(&header(array.dtype, &array.shape)?)?;
    for units in array.units.chunks(1 << 12) {
        to.write_all(&bytes_of(array.dtype, units))?;
    }
    Ok(())
}

/// The header of a file, with which it begins.
///
/// # Errors
/// If it has too many axes.
pub fn header(dtype: Dtype, shape: &[usize]) -> io::Result<Vec<u8>> {
    let descr = match dtype {
        Dtype::Float32 => "<f4",
        Dtype::Uint8 => "|u1",
        Dtype::Uint16 => "<u2",
    };
    let axes: String = shape.iter().map(|n| format!("{n}, ")).collect();
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({axes}), }}");
    // Blanks and a newline end the header, so that the data begin at a multiple of 64 bytes.
    let len = (MAGIC.len() + 2 + text.len() + 1).next_multiple_of(64) - MAGIC.len() - 2;
    let stated = u16::try_from(len).map_err(io::Error::other)?;
    let text = format!("{text:<0$}\n", len - 1);
    Ok([MAGIC, &stated.to_le_bytes(), text.as_bytes()].concat())
}

/// The bytes of an array's elements, as a file has them after its header.
pub fn bytes(array: &Array) -> Vec<u8> {
    bytes_of(array.dtype, &array.units)
}

fn bytes_of(dtype: Dtype, units: &[u32]) -> Vec<u8> {
    match dtype {
        Dtype::Float32 => units.iter().flat_map(|u| u.to_le_bytes()).collect(),
        Dtype::Uint8 => units.iter().map(|&u| u as u8).collect(),
        Dtype::Uint16 => units.iter().flat_map(|&u| (u as u16).to_le_bytes()).collect(),
    }
}

/// Writes a file as [`files::write_with`] does.
///
/// # Errors
/// As [`write()`].
pub fn save(array: &Array, path: &Path) -> io::Result<()> {
    files::write_with(path, |w| write(array, w))
}

#[cfg(test)]
mod tests;
