//! NumPy's `.npy` files, through npyz. The header is checked before npyz parses it.

use super::{Array, Dtype, describe, file};
use npyz::WriterBuilder;
use std::io::{self, Write};
use std::path::Path;

/// Largest file to read.
pub const MAX_FILE: u64 = 4 << 30;

/// Largest header to read; NumPy itself refuses larger ones by default.
const MAX_HEADER: usize = 10_000;

/// Why bytes cannot be read as an array.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NpyError {
    /// The file does not begin like a `.npy` file.
    #[error("not a .npy file")]
    Magic,
    /// The header is longer than the file or than the limit.
    #[error(
        "the .npy header has {len} bytes; the file has {file} and at most {MAX_HEADER} are read"
    )]
    HeaderLength {
        /// The length that the file states.
        len: u64,
        /// The length of the file.
        file: usize,
    },
    /// The header is invalid.
    #[error("bad .npy header: {0}")]
    Header(String),
    /// A type that no format has.
    #[error("found {found}, needed float32, uint8 or uint16")]
    Dtype {
        /// Type and shape.
        found: String,
    },
    /// The data are shorter or longer than the shape requires.
    #[error("{found} needs {needed} bytes of data, the file has {bytes}")]
    Length {
        /// Type and shape.
        found: String,
        /// The bytes that these need.
        needed: u128,
        /// The bytes after the header.
        bytes: usize,
    },
}

/// Reads an array from a file's bytes, in either byte order and either axis order.
///
/// # Errors
/// See [`NpyError`]. The shape must fit the bytes before anything is allocated.
pub fn parse(bytes: &[u8]) -> Result<Array, NpyError> {
    check_header(bytes)?;
    let Header { dtype, big, fortran, shape, data: rest } = match plain_header(bytes) {
        Some(header) => header,
        None => header(bytes)?,
    };
    let count = shape.iter().map(|&n| n as u128).product::<u128>();
    let needed = count * dtype.size() as u128;
    if needed != rest.len() as u128 {
        return Err(NpyError::Length {
            found: describe(dtype.name(), &shape),
            needed,
            bytes: rest.len(),
        });
    }
    let mut units: Vec<u32> = match (dtype, big) {
        (Dtype::Uint8, _) => rest.iter().map(|&b| b.into()).collect(),
        (Dtype::Uint16, false) => words(rest, |b| u16::from_le_bytes(b).into()),
        (Dtype::Uint16, true) => words(rest, |b| u16::from_be_bytes(b).into()),
        (Dtype::Float32, false) => words(rest, u32::from_le_bytes),
        (Dtype::Float32, true) => words(rest, u32::from_be_bytes),
    };
    if fortran {
        units = from_fortran(&shape, &units);
    }
    Ok(Array { dtype, shape, units })
}

/// The contents of a header, and the data after it.
#[derive(Debug, PartialEq)]
struct Header<'a> {
    dtype: Dtype,
    /// Most significant byte first.
    big: bool,
    /// First axis fastest.
    fortran: bool,
    shape: Vec<usize>,
    data: &'a [u8],
}

/// A header written exactly as NumPy and this program write it for a little-endian array in version
/// 1.0. Nearly every header is one. The parser for all others takes far longer than reading a small
/// array.
fn plain_header(bytes: &[u8]) -> Option<Header<'_>> {
    let rest = bytes.strip_prefix(b"\x93NUMPY\x01\x00")?;
    let (len, rest) = rest.split_first_chunk::<2>()?;
    let (text, data) = rest.split_at_checked(u16::from_le_bytes(*len).into())?;
    let text = text.strip_prefix(b"{'descr': '")?;
    let (descr, text) = text.split_first_chunk::<3>()?;
    let dtype = match descr {
        b"<f4" => Dtype::Float32,
        b"|u1" => Dtype::Uint8,
        b"<u2" => Dtype::Uint16,
        _ => return None,
    };
    let text = text.strip_prefix(b"', 'fortran_order': False, 'shape': (")?;
    let close = text.iter().position(|&b| b == b')')?;
    let (axes, end) = text.split_at(close);
    if end.trim_ascii_end() != b"), }" {
        return None;
    }
    let axes = std::str::from_utf8(axes).ok()?;
    // NumPy writes a comma after a single axis; this program writes a comma and a blank after every
    // list of axes.
    let axes = axes.strip_suffix(", ").or(axes.strip_suffix(',')).unwrap_or(axes);
    let mut shape = Vec::with_capacity(3);
    for axis in axes.split(", ") {
        // At most nine digits, so no number is too large.
        let plain = axis == "0" || !axis.starts_with('0');
        if !plain || !(1..=9).contains(&axis.len()) || !axis.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        shape.push(axis.parse().ok()?);
    }
    Some(Header { dtype, big: false, fortran: false, shape, data })
}

/// Any header, through npyz.
fn header(bytes: &[u8]) -> Result<Header<'_>, NpyError> {
    let mut rest = bytes;
    let header =
        npyz::NpyHeader::from_reader(&mut rest).map_err(|e| NpyError::Header(e.to_string()))?;
    let mut shape = Vec::with_capacity(header.shape().len());
    for &n in header.shape() {
        let n = usize::try_from(n).map_err(|_| NpyError::Header("an axis is too long".into()))?;
        shape.push(n);
    }
    let npyz::DType::Plain(descr) = header.dtype() else {
        return Err(NpyError::Dtype { found: describe("a structured type", &shape) });
    };
    let dtype = match (descr.type_char(), descr.size_field()) {
        (npyz::TypeChar::Float, 4) => Dtype::Float32,
        (npyz::TypeChar::Uint, 1) => Dtype::Uint8,
        (npyz::TypeChar::Uint, 2) => Dtype::Uint16,
        _ => {
            return Err(NpyError::Dtype { found: describe(&type_name(&descr), &shape) });
        }
    };
    Ok(Header {
        dtype,
        big: descr.endianness() == npyz::Endianness::Big,
        fortran: header.order() == npyz::Order::Fortran,
        shape,
        data: rest,
    })
}

fn words<const N: usize>(bytes: &[u8], value: impl Fn([u8; N]) -> u32) -> Vec<u32> {
    bytes.as_chunks::<N>().0.iter().map(|&b| value(b)).collect()
}

/// NumPy's name of a type, such as "float64".
fn type_name(descr: &npyz::TypeStr) -> String {
    let bits = descr.size_field().saturating_mul(8);
    match descr.type_char() {
        npyz::TypeChar::Float => format!("float{bits}"),
        npyz::TypeChar::Int => format!("int{bits}"),
        npyz::TypeChar::Uint => format!("uint{bits}"),
        npyz::TypeChar::Complex => format!("complex{bits}"),
        npyz::TypeChar::Bool => "bool".to_string(),
        _ => format!("type '{descr}'"),
    }
}

/// Rearranges data from first axis fastest to last axis fastest.
fn from_fortran(shape: &[usize], data: &[u32]) -> Vec<u32> {
    let mut index = vec![0; shape.len()];
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1;
    for &n in shape {
        strides.push(stride);
        stride *= n;
    }
    let mut out = Vec::with_capacity(data.len());
    for _ in 0..data.len() {
        let at: usize = index.iter().zip(&strides).map(|(i, s)| i * s).sum();
        out.push(data[at]);
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    out
}

/// Refuses headers that would harm the parser: text that is too long or nested too deeply, or
/// numbers whose product does not fit 64 bits.
fn check_header(bytes: &[u8]) -> Result<(), NpyError> {
    let (start, len) = match bytes {
        [0x93, b'N', b'U', b'M', b'P', b'Y', 1, _, a, b, ..] => {
            (10, u64::from(u16::from_le_bytes([*a, *b])))
        }
        [0x93, b'N', b'U', b'M', b'P', b'Y', _, _, a, b, c, d, ..] => {
            (12, u64::from(u32::from_le_bytes([*a, *b, *c, *d])))
        }
        _ => return Err(NpyError::Magic),
    };
    let text = usize::try_from(len)
        .ok()
        .filter(|&n| n <= MAX_HEADER)
        .and_then(|n| bytes.get(start..start + n))
        .ok_or(NpyError::HeaderLength { len, file: bytes.len() })?;
    let too_large = || NpyError::Header("its numbers are too large".into());
    let (mut quote, mut depth, mut product) = (None, 0, 1u64);
    let mut number: Option<u64> = None;
    for &c in text.iter().chain(b" ") {
        if let Some(q) = quote {
            if c == q {
                quote = None;
            }
            continue;
        }
        match c {
            b'0'..=b'9' => {
                let digit = u64::from(c - b'0');
                let n = number.unwrap_or(0).checked_mul(10);
                let n = n.and_then(|n| n.checked_add(digit)).ok_or_else(too_large)?;
                number = Some(n);
                continue;
            }
            b'\'' | b'"' => quote = Some(c),
            b'(' | b'[' | b'{' => {
                depth += 1;
                if depth > 8 {
                    return Err(NpyError::Header("it is nested too deep".into()));
                }
            }
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        if let Some(n) = number.take() {
            product = product.checked_mul(n.max(1)).ok_or_else(too_large)?;
        }
    }
    Ok(())
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
    let shape: Vec<u64> = array.shape.iter().map(|&n| n as u64).collect();
    let units = array.units.iter();
    match array.dtype {
        Dtype::Float32 => write_as(&shape, units.map(|&u| f32::from_bits(u)), to),
        Dtype::Uint8 => write_as(&shape, units.map(|&u| u as u8), to),
        Dtype::Uint16 => write_as(&shape, units.map(|&u| u as u16), to),
    }
}

fn write_as<T: npyz::AutoSerialize>(
    shape: &[u64],
    values: impl Iterator<Item = T>,
    to: &mut dyn Write,
) -> io::Result<()> {
    let mut writer =
        npyz::WriteOptions::new().default_dtype().shape(shape).writer(to).begin_nd()?;
    writer.extend(values)?;
    writer.finish()
}

/// Writes a file as [`file::write_with`] does.
///
/// # Errors
/// As [`write()`].
pub fn save(array: &Array, path: &Path) -> io::Result<()> {
    file::write_with(path, |w| write(array, w))
}

#[cfg(test)]
mod tests;
