//! Copies whole arrays of elements between the host and a surface.
//!
//! An array is `height` rows of `width` elements of the format's channels, interleaved. Channels
//! are in the order red, green, blue, alpha, whatever their order in memory. Values are stored
//! units: 0 to 255, 0 to 65535, or the bits of a binary32 number.
//!
//! ```
//! use ctm_machine::memory::{
//!     ArenaKind, ArenaSizes, Format, Memory, Surface, Tiling, read_array, write_array,
//! };
//!
//! let mut memory = Memory::new(&ArenaSizes::default())?;
//! let gpu = memory.base(ArenaKind::Gpu);
//! let surface = Surface::new(gpu, 64, 2, Tiling::Tiled, Format::Uint8x4);
//! let pixels = [255, 128, 0, 255, 1, 2, 3, 4];
//! write_array(&mut memory, &surface, 1, 2, &pixels)?;
//! assert_eq!(read_array(&memory, &surface, 1, 2)?, pixels);
//!
//! // In memory blue is first.
//! let mut bytes = [0; 4];
//! memory.read(surface.address(0, 1), &mut bytes)?;
//! assert_eq!(bytes, [3, 2, 1, 4]);
//! # Ok::<(), ctm_machine::memory::MemoryError>(())
//! ```

use super::arena::outside;
use super::surface::check_size;
use super::{Format, Memory, MemoryError, Surface};

/// Stores an array in a surface, row by row. If a bad pitch makes elements share bytes, the later
/// element wins.
///
/// # Errors
/// [`MemoryError::Invalid`] for a width or height outside 1 to 8191, another number of values, or a
/// value that the format cannot hold: nothing is written.
/// [`MemoryError::OutsideArena`] at the first element outside: the elements before it are written.
pub fn write_array(
    memory: &mut Memory,
    surface: &Surface,
    width: u32,
    height: u32,
    data: &[u32],
) -> Result<(), MemoryError> {
    check_size("width", width)?;
    check_size("height", height)?;
    let format = surface.format;
    let channels = format.channels();
    let expected = u64::from(width) * u64::from(height) * u64::from(channels);
    if expected != data.len() as u64 {
        return Err(MemoryError::Invalid(format!(
            "array of {} values, expected {expected} ({height} rows x {width} columns x {channels} \
             channels)",
            data.len()
        )));
    }
    if let Some(at) = data.iter().position(|&v| v > format.max_unit()) {
        let element = at as u64 / u64::from(channels);
        return Err(MemoryError::Invalid(format!(
            "array value {} at row {}, column {}, channel {}: {format} holds 0 to {}",
            data[at],
            element / u64::from(width),
            element % u64::from(width),
            at as u64 % u64::from(channels),
            format.max_unit()
        )));
    }
    let rows = data.chunks_exact((width * channels) as usize);
    write_rows(memory, surface, (width, height), rows)
}

/// Stores the same element, given in stored units, in `height` rows of `width` elements.
///
/// # Errors
/// [`MemoryError::OutsideArena`] at the first element outside: the elements before it are written.
pub fn fill(
    memory: &mut Memory,
    surface: &Surface,
    width: u32,
    height: u32,
    units: [u32; 4],
) -> Result<(), MemoryError> {
    let row = units[..surface.format.channels() as usize].repeat(width as usize);
    write_rows(memory, surface, (width, height), std::iter::repeat_n(&row[..], height as usize))
}

fn write_rows<'a>(
    memory: &mut Memory,
    surface: &Surface,
    size: (u32, u32),
    rows: impl Iterator<Item = &'a [u32]>,
) -> Result<(), MemoryError> {
    let (channels, len) = sizes(surface.format);
    let run = run(memory, surface, size);
    for (y, row) in (0..).zip(rows) {
        for (x, units) in (0..).step_by(run).zip(row.chunks(run * channels)) {
            let address = surface.address(x, y);
            let bytes = memory.overwrite(address, units.len() / channels * len);
            store(surface.format, units, bytes.ok_or_else(|| outside(address, len))?);
        }
    }
    Ok(())
}

/// Reads `width` x `height` elements of a surface as an array.
///
/// # Errors
/// [`MemoryError::Invalid`] for a width or height outside 1 to 8191;
/// [`MemoryError::OutsideArena`] at the first element outside.
pub fn read_array(
    memory: &Memory,
    surface: &Surface,
    width: u32,
    height: u32,
) -> Result<Vec<u32>, MemoryError> {
    check_size("width", width)?;
    check_size("height", height)?;
    let (_, len) = sizes(surface.format);
    let run = run(memory, surface, (width, height));
    let mut data = Vec::new();
    for y in 0..height {
        for x in (0..width).step_by(run) {
            let (address, count) = (surface.address(x, y), run.min((width - x) as usize));
            let bytes = memory.slice(address, count * len).ok_or_else(|| outside(address, len))?;
            load(surface.format, bytes, &mut data);
        }
    }
    Ok(data)
}

/// Channels and bytes of an element.
fn sizes(format: Format) -> (usize, usize) {
    (format.channels() as usize, format.bytes_per_element() as usize)
}

/// The number of elements of a row to move at once. Their bytes follow each other in memory. It is 1
/// for a surface that is not wholly inside, so that the first element outside is found.
fn run(memory: &Memory, surface: &Surface, (width, height): (u32, u32)) -> usize {
    let span = surface.byte_span(width, height);
    let inside = |start| memory.contains(start, (span.end - span.start) as usize);
    if u32::try_from(span.start).is_ok_and(inside) { surface.run() as usize } else { 1 }
}

/// Encodes elements that follow each other in memory.
fn store(format: Format, units: &[u32], bytes: &mut [u8]) {
    fn by<const LEN: usize>(units: &[u32], bytes: &mut [u8]) {
        for (to, unit) in bytes.as_chunks_mut::<LEN>().0.iter_mut().zip(units) {
            to.copy_from_slice(&unit.to_le_bytes()[..LEN]);
        }
    }
    match format.bytes_per_channel() {
        1 => by::<1>(units, bytes),
        2 => by::<2>(units, bytes),
        _ => by::<4>(units, bytes),
    }
    swap_channels(format, bytes);
}

/// Converts the bytes of elements between the order of channels in memory and red, green, blue,
/// alpha, in place. They differ in UINT8_4 alone, which has blue first in memory.
pub fn swap_channels(format: Format, bytes: &mut [u8]) {
    if format == Format::Uint8x4 {
        bytes.as_chunks_mut::<4>().0.iter_mut().for_each(|element| element.swap(0, 2));
    }
}

/// Decodes elements that follow each other in memory.
fn load(format: Format, bytes: &[u8], data: &mut Vec<u32>) {
    let word = |bytes: &[u8; 2]| u32::from(u16::from_le_bytes(*bytes));
    match format.bytes_per_channel() {
        1 if format == Format::Uint8x4 => {
            let elements = bytes.as_chunks::<4>().0.iter();
            data.extend(elements.flat_map(|&[b, g, r, a]| [r, g, b, a]).map(u32::from));
        }
        1 => data.extend(bytes.iter().map(|&byte| u32::from(byte))),
        2 => data.extend(bytes.as_chunks::<2>().0.iter().map(word)),
        _ => data.extend(bytes.as_chunks::<4>().0.iter().map(|&b| u32::from_le_bytes(b))),
    }
}

#[cfg(test)]
mod tests;
