//! PNG pictures of rasters.

use super::Raster;
use ctm_machine::memory::{Format, format};
use std::io::{self, Write};

/// The most bytes of the enlarged pictures and frames that are made at once.
pub const MOST_BYTES: u64 = 256 << 20;

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
        let value = |unit| value(raster.format, unit);
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
        (Picture::in_range(raster, low, high), low, high)
    }

    /// As [`Picture::of`], with black at the value `low` and white at `high`, which is above it.
    pub fn in_range(raster: &Raster, low: f32, high: f32) -> Picture {
        let channels = raster.format.channels() as usize;
        let kept = if channels == 1 { 1 } else { 3 };
        let byte =
            |&unit: &u32| (255.0 * (value(raster.format, unit) - low) / (high - low)).round() as u8;
        let elements = raster.units.chunks_exact(channels);
        let bytes = elements.flat_map(|units| {
            let mut pixel = [0; 3];
            pixel.iter_mut().zip(units).for_each(|(to, unit)| *to = byte(unit));
            pixel.into_iter().take(kept)
        });
        let (width, height) = (raster.width, raster.height);
        Picture { width, height, bytes: bytes.collect(), grey: kept == 1 }
    }

    /// Each pixel as a square of `scale` x `scale`.
    pub fn enlarged(&self, scale: u32) -> Picture {
        let (scale, size) = (scale as usize, if self.grey { 1 } else { 3 });
        let rows = self.bytes.chunks_exact(self.width as usize * size);
        let bytes = rows.flat_map(|row| {
            let pixels = row.chunks_exact(size);
            let row: Vec<u8> = pixels.flat_map(|pixel| pixel.repeat(scale)).collect();
            row.repeat(scale)
        });
        Picture {
            bytes: bytes.collect(),
            width: self.width * scale as u32,
            height: self.height * scale as u32,
            grey: self.grey,
        }
    }

    /// Pictures side by side, aligned at the top; the area below lower ones is black.
    pub fn beside(pictures: &[Picture]) -> Picture {
        let width = pictures.iter().map(|picture| picture.width).sum();
        let height = pictures.iter().map(|picture| picture.height).max().unwrap_or(0);
        let grey = pictures.iter().all(|picture| picture.grey);
        let size = if grey { 1 } else { 3 };
        let mut bytes = Vec::with_capacity(width as usize * height as usize * size);
        for row in 0..height as usize {
            for picture in pictures {
                let own = if picture.grey { 1 } else { 3 };
                let length = picture.width as usize * own;
                let black = vec![0; length];
                let row = picture.bytes.chunks_exact(length).nth(row).unwrap_or(&black);
                row.chunks_exact(own).for_each(|pixel| {
                    if own == size { bytes.extend(pixel) } else { bytes.extend([pixel[0]; 3]) }
                });
            }
        }
        Picture { width, height, bytes, grey }
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
        encode(std::slice::from_ref(self), None, to)
    }
}

/// Writes pictures of one size and kind as an animated PNG file, which starts again at its end.
///
/// # Errors
/// The writer's error.
pub fn write_animation(
    frames: &[Picture],
    frames_per_second: u16,
    to: &mut dyn Write,
) -> io::Result<()> {
    encode(frames, Some(frames_per_second), to)
}

/// Writes one picture, or the frames of an animation.
fn encode(
    frames: &[Picture],
    frames_per_second: Option<u16>,
    to: &mut dyn Write,
) -> io::Result<()> {
    let Some(first) = frames.first() else { return Ok(()) };
    let mut encoder = png::Encoder::new(to, first.width, first.height);
    encoder.set_color(if first.grey { png::ColorType::Grayscale } else { png::ColorType::Rgb });
    encoder.set_depth(png::BitDepth::Eight);
    // Better compression takes longer than most jobs, for files a quarter smaller
    // (benches/RESULTS.md).
    encoder.set_compression(png::Compression::Fast);
    if let Some(frames_per_second) = frames_per_second {
        encoder.set_animated(frames.len() as u32, 0).map_err(io_error)?;
        encoder.set_frame_delay(1, frames_per_second).map_err(io_error)?;
    }
    let mut writer = encoder.write_header().map_err(io_error)?;
    for frame in frames {
        writer.write_image_data(&frame.bytes).map_err(io_error)?;
    }
    writer.finish().map_err(io_error)
}

/// A stored unit as a number.
fn value(format: Format, unit: u32) -> f32 {
    if format.is_float() { f32::from_bits(unit) } else { unit as f32 / format.max_unit() as f32 }
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
    fn pictures_are_enlarged_and_put_side_by_side() {
        let grey = Picture { width: 1, height: 2, bytes: vec![1, 2], grey: true };
        let large = grey.enlarged(2);
        assert_eq!((large.width, large.height, large.bytes), (2, 4, vec![1, 1, 1, 1, 2, 2, 2, 2]));
        let red = Picture { width: 1, height: 1, bytes: vec![9, 0, 0], grey: false };
        let both = Picture::beside(&[grey.clone(), red]);
        assert_eq!((both.width, both.height, both.grey), (2, 2, false));
        assert_eq!(both.bytes, [1, 1, 1, 9, 0, 0, 2, 2, 2, 0, 0, 0]);
        assert_eq!(Picture::beside(std::slice::from_ref(&grey)), grey);
    }

    #[test]
    fn an_animation_has_all_frames() {
        let frame = |byte| Picture { width: 1, height: 1, bytes: vec![byte], grey: true };
        let mut file = Vec::new();
        write_animation(&[frame(1), frame(2), frame(3)], 5, &mut file).unwrap();
        let mut reader = png::Decoder::new(io::Cursor::new(&file)).read_info().unwrap();
        assert_eq!(reader.info().animation_control().unwrap().num_frames, 3);
        for byte in 1..=3 {
            let mut bytes = [0];
            reader.next_frame(&mut bytes).unwrap();
            assert_eq!(bytes, [byte]);
            let control = reader.info().frame_control().unwrap();
            assert_eq!((control.delay_num, control.delay_den), (1, 5));
        }
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
