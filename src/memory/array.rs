//! Copies whole arrays of elements between the host and a surface.
//!
//! An array is `height` rows of `width` elements of the format's channels, interleaved. Channels
//! are in the order red, green, blue, alpha, whatever their order in memory. Values are stored
//! units: 0 to 255, 0 to 65535, or the bits of a binary32 number.

use super::arena::outside;
use super::format::{decode_units, encode_units};
use super::surface::check_size;
use super::{Memory, MemoryError, Surface};

/// Stores an array in a surface, row by row. If a bad pitch makes elements share bytes, the later
/// element wins.
///
/// # Errors
/// [`MemoryError::SurfaceSize`] for a width or height outside 1 to 8191,
/// [`MemoryError::ArrayLength`] and [`MemoryError::UnitRange`]: nothing is written.
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
        return Err(MemoryError::ArrayLength {
            found: data.len(),
            expected,
            height,
            width,
            channels,
        });
    }
    if let Some(at) = data.iter().position(|&v| v > format.max_unit()) {
        let element = at as u64 / u64::from(channels);
        return Err(MemoryError::UnitRange {
            value: data[at],
            y: (element / u64::from(width)) as u32,
            x: (element % u64::from(width)) as u32,
            channel: (at as u64 % u64::from(channels)) as u32,
            format,
            max: format.max_unit(),
        });
    }
    let len = format.bytes_per_element() as usize;
    let mut elements = data.chunks_exact(channels as usize);
    for y in 0..height {
        for (x, values) in (0..width).zip(&mut elements) {
            let mut units = [0; 4];
            units[..values.len()].copy_from_slice(values);
            let address = surface.address(x, y);
            let place = memory.slice_mut(address, len).ok_or_else(|| outside(address, len))?;
            place.copy_from_slice(&encode_units(format, units, 0xf).bytes[..len]);
        }
    }
    Ok(())
}

/// Reads `width` x `height` elements of a surface as an array.
///
/// # Errors
/// [`MemoryError::SurfaceSize`] for a width or height outside 1 to 8191;
/// [`MemoryError::OutsideArena`] at the first element outside.
pub fn read_array(
    memory: &Memory,
    surface: &Surface,
    width: u32,
    height: u32,
) -> Result<Vec<u32>, MemoryError> {
    check_size("width", width)?;
    check_size("height", height)?;
    let format = surface.format;
    let channels = format.channels() as usize;
    let len = format.bytes_per_element() as usize;
    let mut data = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let address = surface.address(x, y);
            let bytes = memory.slice(address, len).ok_or_else(|| outside(address, len))?;
            data.extend_from_slice(&decode_units(format, bytes)[..channels]);
        }
    }
    Ok(data)
}

#[cfg(test)]
mod tests;
