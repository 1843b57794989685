//! PNG pictures of rasters.

use super::Raster;
use crate::memory::{Format, format};
use std::io::{self, Write};

/// The channels of a raster's picture. Red, green and blue are c0, c1 and c2, clamped to \[0, 1\]
/// and rounded like an output of format UINT8_4. A single channel gives a grey picture; a missing
/// third channel is black. Row 0 is at the top.
///
/// Returns the bytes and whether they are grey.
fn pixels(raster: &Raster) -> (Vec<u8>, bool) {
    let channels = raster.format.channels() as usize;
    let kept = if channels == 1 { 1 } else { 3 };
    let mut bytes = Vec::with_capacity(raster.units.len() / channels * kept);
    for element in raster.units.chunks_exact(channels) {
        let mut units = [0; 4];
        units[..channels].copy_from_slice(element);
        let stored = format::encode_units(raster.format, units, 0xf);
        let values = format::decode(raster.format, &stored.bytes);
        let shown = format::encode(Format::Uint8x4, values, 0xf);
        let shown = format::decode_units(Format::Uint8x4, &shown.bytes);
        bytes.extend(shown[..kept].iter().map(|&v| v as u8));
    }
    (bytes, kept == 1)
}

/// Writes a raster as a PNG picture, 8 bits per channel.
///
/// # Errors
/// The writer's error.
pub fn write(raster: &Raster, to: &mut dyn Write) -> io::Result<()> {
    let (bytes, grey) = pixels(raster);
    let mut encoder = png::Encoder::new(to, raster.width, raster.height);
    encoder.set_color(if grey { png::ColorType::Grayscale } else { png::ColorType::Rgb });
    encoder.set_depth(png::BitDepth::Eight);
    // Better compression takes longer than most jobs, for files a quarter smaller
    // (benches/RESULTS.md).
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header().map_err(io_error)?;
    writer.write_image_data(&bytes).map_err(io_error)?;
    writer.finish().map_err(io_error)
}

/// The writer's own error, so that its kind is not lost.
fn io_error(error: png::EncodingError) -> io::Error {
    match error {
        png::EncodingError::IoError(error) => error,
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &[u8]) -> (png::ColorType, Vec<u8>) {
        let decoder = png::Decoder::new(io::Cursor::new(file));
        let mut reader = decoder.read_info().unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut bytes).unwrap();
        (reader.info().color_type, bytes)
    }

    #[test]
    fn floats_are_clamped_and_row_0_is_on_top() {
        let f = f32::to_bits;
        let raster = Raster {
            format: Format::Float32x4,
            width: 1,
            height: 2,
            units: vec![
                f(-1.0),
                f(0.5),
                f(2.0),
                f(0.0), //
                f(f32::NAN),
                f(1.0),
                f(0.25),
                f(1.0),
            ],
        };
        let mut file = Vec::new();
        write(&raster, &mut file).unwrap();
        // 127.5 and 63.75 round to 128 and 64.
        assert_eq!(read(&file), (png::ColorType::Rgb, vec![0, 128, 255, 0, 255, 64]));
    }

    #[test]
    fn bytes_keep_their_order_and_one_channel_is_grey() {
        let raster =
            Raster { format: Format::Uint8x4, width: 1, height: 1, units: vec![10, 20, 30, 40] };
        assert_eq!(pixels(&raster), (vec![10, 20, 30], false));
        let raster =
            Raster { format: Format::Uint16x1, width: 2, height: 1, units: vec![65535, 257] };
        assert_eq!(pixels(&raster), (vec![255, 1], true));
    }
}
