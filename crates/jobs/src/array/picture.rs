//! PNG pictures of rasters.

use super::Raster;
use ctm_machine::memory::{Format, format};
use std::io::{self, Write};

/// A picture, 8 bits per channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Row by row, row 0 at the top; one byte for each pixel if it is grey, else red, green and blue.
    pub bytes: Vec<u8>,
    /// Whether it is grey.
    pub grey: bool,
}

impl Picture {
    /// The picture of a raster. Red, green and blue are c0, c1 and c2, clamped to \[0, 1\] and
    /// rounded like an output of format UINT8_4. A single channel gives a grey picture; a missing
    /// third channel is black.
    pub fn of(raster: &Raster) -> Picture {
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
        Picture { width: raster.width, height: raster.height, bytes, grey: kept == 1 }
    }

    /// As [`Picture::of`], and the range of values that it shows: from the least to the greatest value
    /// in the raster, instead of \[0, 1\], if some are outside or all are in a quarter of it.
    pub fn scaled(raster: &Raster) -> (Picture, f32, f32) {
        let channels = raster.format.channels() as usize;
        let shown = channels.min(3);
        let value = |unit: u32| {
            if raster.format.is_float() {
                f32::from_bits(unit)
            } else {
                unit as f32 / raster.format.max_unit() as f32
            }
        };
        let elements = || raster.units.chunks_exact(channels).flat_map(|units| &units[..shown]);
        let values = || elements().map(|&unit| value(unit)).filter(|value| value.is_finite());
        let low = values().fold(f32::INFINITY, f32::min);
        let high = values().fold(f32::NEG_INFINITY, f32::max);
        let range = high - low;
        let fits = low >= 0.0 && high <= 1.0 && range >= 0.25;
        // The range of huge values may be infinite.
        if fits || !range.is_normal() || range <= 0.0 {
            return (Picture::of(raster), 0.0, 1.0);
        }
        let byte = |&unit: &u32| (255.0 * (value(unit) - low) / range).round() as u8;
        let bytes = match shown {
            2 => elements()
                .map(byte)
                .collect::<Vec<_>>()
                .chunks_exact(2)
                .flat_map(|two| [two[0], two[1], 0])
                .collect(),
            _ => elements().map(byte).collect(),
        };
        let picture =
            Picture { width: raster.width, height: raster.height, bytes, grey: shown == 1 };
        (picture, low, high)
    }

    /// The picture with at most `most` columns and rows: of each block of pixels the first one.
    pub fn reduced(self, most: u32) -> Picture {
        let step = self.width.max(self.height).div_ceil(most).max(1) as usize;
        if step == 1 {
            return self;
        }
        let size = if self.grey { 1 } else { 3 };
        let rows = self.bytes.chunks_exact(self.width as usize * size).step_by(step);
        let bytes = rows.flat_map(|row| row.chunks_exact(size).step_by(step)).flatten();
        Picture {
            bytes: bytes.copied().collect(),
            width: self.width.div_ceil(step as u32),
            height: self.height.div_ceil(step as u32),
            grey: self.grey,
        }
    }

    /// The picture with row 0 at the bottom.
    pub fn upward(self) -> Picture {
        let row = self.width as usize * if self.grey { 1 } else { 3 };
        let bytes = self.bytes.rchunks_exact(row.max(1)).flatten().copied().collect();
        Picture { bytes, ..self }
    }

    /// Writes it as a PNG file.
    ///
    /// # Errors
    /// The writer's error.
    pub fn write(&self, to: &mut dyn Write) -> io::Result<()> {
        let mut encoder = png::Encoder::new(to, self.width, self.height);
        encoder.set_color(if self.grey { png::ColorType::Grayscale } else { png::ColorType::Rgb });
        encoder.set_depth(png::BitDepth::Eight);
        // Better compression takes longer than most jobs, for files a quarter smaller
        // (benches/RESULTS.md).
        encoder.set_compression(png::Compression::Fast);
        let mut writer = encoder.write_header().map_err(io_error)?;
        writer.write_image_data(&self.bytes).map_err(io_error)?;
        writer.finish().map_err(io_error)
    }
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
        Picture::of(&raster).write(&mut file).unwrap();
        // 127.5 and 63.75 round to 128 and 64.
        assert_eq!(read(&file), (png::ColorType::Rgb, vec![0, 128, 255, 0, 255, 64]));
    }

    #[test]
    fn bytes_keep_their_order_and_one_channel_is_grey() {
        let raster =
            Raster { format: Format::Uint8x4, width: 1, height: 1, units: vec![10, 20, 30, 40] };
        let picture = Picture::of(&raster);
        assert_eq!((picture.bytes, picture.grey), (vec![10, 20, 30], false));
        let raster =
            Raster { format: Format::Uint16x1, width: 2, height: 1, units: vec![65535, 257] };
        let picture = Picture::of(&raster);
        assert_eq!((picture.bytes, picture.grey), (vec![255, 1], true));
    }

    #[test]
    fn a_reduced_picture_has_the_first_pixel_of_each_block() {
        let bytes: Vec<u8> = (0..15).collect();
        let grey = Picture { width: 5, height: 3, bytes, grey: true };
        assert_eq!(grey.clone().reduced(5), grey);
        let small = grey.reduced(3);
        assert_eq!((small.width, small.height, small.bytes), (3, 2, vec![0, 2, 4, 10, 12, 14]));
        let colour = Picture { width: 2, height: 1, bytes: vec![1, 2, 3, 4, 5, 6], grey: false };
        let small = colour.reduced(1);
        assert_eq!((small.width, small.height, small.bytes), (1, 1, vec![1, 2, 3]));
    }

    #[test]
    fn a_scaled_picture_shows_the_range_of_the_values() {
        let raster = |format, units| Raster { format, width: 2, height: 1, units };
        let (dark, low, high) = Picture::scaled(&raster(Format::Uint16x1, vec![0, 255]));
        assert_eq!((dark.bytes, low, high), (vec![0, 255], 0.0, 255.0 / 65535.0));
        let f = f32::to_bits;
        let floats = vec![f(-4.0), f(0.0), f(4.0), f(f32::NAN)];
        let (two, low, high) = Picture::scaled(&raster(Format::Float32x2, floats));
        assert_eq!((two.bytes, low, high), (vec![0, 128, 0, 255, 0, 0], -4.0, 4.0));
        let (flat, low, high) = Picture::scaled(&raster(Format::Float32x1, vec![f(0.5), f(1.0)]));
        assert_eq!((flat.bytes, low, high), (vec![128, 255], 0.0, 1.0));
    }
}
