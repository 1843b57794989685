//! PNG files as arrays.
//!
//! Values are 0 to 1 as stored, without a colour space; the first row of the file is row 0. An element
//! has red, green, blue and alpha. A grey picture has its value in red, green and blue; a picture without
//! alpha has alpha 1. A format with fewer channels takes the first ones.

use super::{Raster, WrongArray};
use ctm_machine::memory::Format;
use ctm_machine::memory::translate::COORDINATE;
use std::io::Cursor;

/// The most columns and rows.
const MOST: u32 = COORDINATE + 1;

/// The first bytes of a PNG file.
const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// Whether a file is a PNG file.
pub fn is_png(bytes: &[u8]) -> bool {
    bytes.starts_with(&SIGNATURE)
}

/// Width and height, from the first 24 bytes of a PNG file.
pub fn size(start: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u32::from_be_bytes(*start.get(at..)?.first_chunk()?));
    is_png(start).then_some(())?;
    Some((number(16)?, number(20)?))
}

/// Why a PNG file is not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PngError {
    /// It is damaged.
    #[error("not a valid PNG file: {0}")]
    // The message includes the inner error, so there is no `source`: it would be printed twice.
    Decoding(png::DecodingError),
    /// It is too large for a surface.
    #[error(transparent)]
    Size(#[from] WrongArray),
}

impl From<png::DecodingError> for PngError {
    fn from(error: png::DecodingError) -> PngError {
        PngError::Decoding(error)
    }
}

/// The picture as elements of a format. To integers: value * largest unit, rounded to nearest. To
/// floats: the nearest binary32 of stored value / largest stored value.
///
/// # Errors
/// The file is damaged or larger than a surface.
pub fn read(bytes: &[u8], format: Format) -> Result<Raster, PngError> {
    // 4 channels of 16 bits, and as much again to work with.
    let limits = png::Limits { bytes: (MOST * MOST) as usize * 16 };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    // Palettes and 1, 2 or 4 bits become 8 bits; transparent colours become alpha.
    decoder.set_transformations(png::Transformations::EXPAND);
    let header = decoder.read_header_info()?;
    let (width, height) = (header.width, header.height);
    if width.max(height) > MOST {
        let found = format!("a picture of {width} x {height}");
        let needed = format!("at most {MOST} x {MOST}");
        return Err(WrongArray { found, needed }.into());
    }
    let mut reader = decoder.read_info()?;
    let (color, depth) = reader.output_color_type();
    let mut samples = vec![0; reader.output_buffer_size().unwrap_or_default()];
    reader.next_frame(&mut samples)?;
    let wide = depth == png::BitDepth::Sixteen;
    let (size, largest) = if wide { (2, 0xffff) } else { (1, 0xff) };
    let unit = |stored: u32| {
        if format.is_float() {
            return ((f64::from(stored) / f64::from(largest)) as f32).to_bits();
        }
        let (stored, largest) = (u64::from(stored), u64::from(largest));
        ((stored * u64::from(format.max_unit()) * 2 + largest) / (2 * largest)) as u32
    };
    let (count, channels) = (color.samples(), format.channels() as usize);
    let mut units = Vec::with_capacity(width as usize * height as usize * channels);
    for pixel in samples.chunks_exact(count * size) {
        let stored = |n: usize| {
            let bytes = &pixel[n * size..][..size];
            bytes.iter().fold(0, |value, &byte| value << 8 | u32::from(byte))
        };
        let rgba = match color {
            png::ColorType::Grayscale => [stored(0), stored(0), stored(0), largest],
            png::ColorType::GrayscaleAlpha => [stored(0), stored(0), stored(0), stored(1)],
            png::ColorType::Rgb => [stored(0), stored(1), stored(2), largest],
            png::ColorType::Rgba => [stored(0), stored(1), stored(2), stored(3)],
            // Palettes are expanded.
            png::ColorType::Indexed => [stored(0), 0, 0, largest],
        };
        units.extend(rgba[..channels].iter().map(|&stored| unit(stored)));
    }
    Ok(Raster { format, width, height, units })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(color: png::ColorType, depth: png::BitDepth, width: u32, data: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, 1);
        encoder.set_color(color);
        encoder.set_depth(depth);
        let mut writer = encoder.write_header().expect("a header");
        writer.write_image_data(data).expect("data");
        writer.finish().expect("an end");
        bytes
    }

    #[test]
    fn all_kinds_of_pictures_become_red_green_blue_and_alpha() {
        use png::BitDepth::{Eight, One, Sixteen};
        use png::ColorType::{Grayscale, GrayscaleAlpha, Rgb, Rgba};
        let units = |color, depth, data: &[u8], format| {
            read(&file(color, depth, 1, data), format).expect("valid").units
        };
        let bytes = Format::Uint8x4;
        assert_eq!(units(Grayscale, Eight, &[7], bytes), [7, 7, 7, 255]);
        assert_eq!(units(GrayscaleAlpha, Eight, &[7, 9], bytes), [7, 7, 7, 9]);
        assert_eq!(units(Rgb, Eight, &[1, 2, 3], bytes), [1, 2, 3, 255]);
        assert_eq!(units(Rgba, Eight, &[1, 2, 3, 4], bytes), [1, 2, 3, 4]);
        assert_eq!(units(Grayscale, One, &[0x80], bytes), [255; 4]);
        // 16 bits to 8: 0x0180 is 384, 384 * 255 / 65535 = 1.494.
        assert_eq!(units(Rgb, Sixteen, &[1, 0x80, 1, 0x81, 255, 255], bytes), [1, 1, 255, 255]);
        let words = Format::Uint16x1;
        assert_eq!(units(Grayscale, Eight, &[2], words), [0x0202]);
        assert_eq!(units(Grayscale, Sixteen, &[0x12, 0x34], words), [0x1234]);
        let floats = Format::Float32x2;
        let third = (85.0f32 / 255.0).to_bits();
        assert_eq!(units(Rgb, Eight, &[85, 255, 0], floats), [third, 1.0f32.to_bits()]);
    }

    #[test]
    fn damaged_and_large_files_are_refused() {
        let good = file(png::ColorType::Grayscale, png::BitDepth::Eight, 3, &[1, 2, 3]);
        assert_eq!(size(&good[..24]), Some((3, 1)));
        assert_eq!(size(&good[..20]), None);
        for end in 0..good.len() - 12 {
            assert!(read(&good[..end], Format::Uint8x4).is_err(), "{end}");
        }
        let wide = vec![0; MOST as usize + 1];
        let wide = file(png::ColorType::Grayscale, png::BitDepth::Eight, MOST + 1, &wide);
        let error = read(&wide, Format::Uint8x4).expect_err("too wide").to_string();
        assert_eq!(error, "found a picture of 4097 x 1, needed at most 4096 x 4096");
    }
}
