//! PNG files as arrays.
//!
//! Values are 0 to 1 as stored, without a colour space; the first row of the file is row 0. An element
//! has red, green, blue and alpha. A grey picture has its value in red, green and blue; a picture without
//! alpha has alpha 1. A format with fewer channels takes the first ones.

use super::{Raster, WrongArray};
use ctm_base::panics::{self, Panic};
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

/// Width and height, from the first 24 bytes of a PNG file; `None` of one that [`read`] refuses.
pub fn size(start: &[u8]) -> Option<(u32, u32)> {
    let number = |at: usize| Some(u32::from_be_bytes(*start.get(at..)?.first_chunk()?));
    is_png(start).then_some(())?;
    let (width, height) = (number(16)?, number(20)?);
    (width.max(height) <= MOST).then_some((width, height))
}

/// Errors of reading a PNG file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PngError {
    /// It is damaged.
    #[error("not a valid PNG file: {0}")]
    // The message includes the inner error, so there is no `source`: it would be printed twice.
    Decoding(png::DecodingError),
    /// Its decoder panicked.
    #[error("not a valid PNG file: its decoder fails: {}", .0.what())]
    Panic(Panic),
    /// Its palette has a part of a colour.
    #[error("not a valid PNG file: its palette has {0} bytes, not three for each colour")]
    Palette(usize),
    /// A point has a colour that is not in the palette.
    #[error("not a valid PNG file: point ({i}, {j}) has colour {index} of a palette of {count}")]
    Colour {
        /// The column.
        i: usize,
        /// The row.
        j: usize,
        /// The colour, from 0.
        index: usize,
        /// The colours in the palette.
        count: usize,
    },
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
    panics::catch(|| decode(bytes, format)).unwrap_or_else(|panic| Err(PngError::Panic(panic)))
}

/// A decoder that has read all that comes before the picture.
fn opened(bytes: &[u8]) -> Result<png::Reader<Cursor<&[u8]>>, PngError> {
    // 4 channels of 16 bits, and as much again to work with.
    let limits = png::Limits { bytes: (MOST * MOST) as usize * 16 };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    let header = decoder.read_header_info()?;
    let (width, height) = (header.width, header.height);
    if width.max(height) > MOST {
        let found = format!("a picture of {width} x {height}");
        let needed = format!("at most {MOST} x {MOST}");
        return Err(WrongArray { found, needed }.into());
    }
    let transformations = match header.color_type {
        // `expanded` does it: the decoder panics at some palettes, and says nothing where a colour is missing.
        png::ColorType::Indexed => png::Transformations::IDENTITY,
        // 1, 2 or 4 bits become 8 bits; a transparent colour becomes alpha.
        _ => png::Transformations::EXPAND,
    };
    decoder.set_transformations(transformations);
    Ok(decoder.read_info()?)
}

fn decode(bytes: &[u8], format: Format) -> Result<Raster, PngError> {
    let mut reader = opened(bytes)?;
    let (width, height) = reader.info().size();
    let (mut color, mut depth) = reader.output_color_type();
    let mut samples = vec![0; reader.output_buffer_size().unwrap_or_default()];
    reader.next_frame(&mut samples)?;
    if color == png::ColorType::Indexed {
        let line = reader.output_line_size(width).unwrap_or_default();
        samples = expanded(reader.info(), samples.chunks_exact(line))?;
        (color, depth) = (png::ColorType::Rgba, png::BitDepth::Eight);
    }
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
            // `expanded` has made it `Rgba`.
            png::ColorType::Indexed => [stored(0), 0, 0, largest],
        };
        units.extend(rgba[..channels].iter().map(|&stored| unit(stored)));
    }
    Ok(Raster { format, width, height, units })
}

/// Rows of indices of 1, 2, 4 or 8 bits as red, green, blue and alpha of 8 bits each.
fn expanded<'a>(
    info: &png::Info<'_>,
    rows: impl Iterator<Item = &'a [u8]>,
) -> Result<Vec<u8>, PngError> {
    let palette = info.palette.as_deref().unwrap_or_default();
    let (colours, []) = palette.as_chunks() else {
        return Err(PngError::Palette(palette.len()));
    };
    // More alphas than colours do not count.
    let alphas = info.trns.as_deref().filter(|alphas| alphas.len() <= colours.len());
    let alphas = alphas.unwrap_or_default();
    let (bits, width) = (info.bit_depth as usize, info.width as usize);
    let mut rgba = Vec::with_capacity(4 * width * info.height as usize);
    for (j, row) in rows.enumerate() {
        for i in 0..width {
            let at = i * bits;
            let index = usize::from(row[at / 8] >> (8 - bits - at % 8)) & ((1 << bits) - 1);
            let count = colours.len();
            let &[r, g, b] = colours.get(index).ok_or(PngError::Colour { i, j, index, count })?;
            rgba.extend([r, g, b, alphas.get(index).copied().unwrap_or(0xff)]);
        }
    }
    Ok(rgba)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_base::random::Random;
    use std::io::Write;

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

    /// A picture of two rows in a palette of bytes.
    fn indexed(depth: png::BitDepth, width: u32, palette: &[u8], rows: &[u8]) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, width, 2);
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_depth(depth);
        encoder.set_palette(palette.to_vec());
        encoder.set_trns(vec![9]);
        let mut writer = encoder.write_header().expect("a header");
        writer.write_image_data(rows).expect("data");
        writer.finish().expect("an end");
        bytes
    }

    #[test]
    fn palettes_have_every_colour_that_a_picture_needs() {
        let palette: Vec<u8> = (0..48).collect();
        let read = |depth, width, colours: usize, rows: &[u8]| {
            let file = indexed(depth, width, &palette[..3 * colours], rows);
            let read = super::read(&file, Format::Uint8x4).map(|raster| raster.units);
            read.map_err(|error| error.to_string())
        };
        let [black, next] = [[0, 1, 2, 9], [3, 4, 5, 255]];
        // Rows begin with a byte of their own.
        let units = read(png::BitDepth::One, 3, 2, &[0b0100_0000, 0b1010_0000]);
        assert_eq!(units.expect("valid"), [black, next, black, next, black, next].concat());
        let units = read(png::BitDepth::Four, 2, 16, &[0x01, 0xf0]);
        assert_eq!(units.expect("valid"), [black, next, [45, 46, 47, 255], black].concat());
        let units = read(png::BitDepth::Two, 1, 2, &[0x40, 0x3f]);
        assert_eq!(units.expect("valid"), [next, black].concat());
        let units = read(png::BitDepth::Eight, 1, 2, &[1, 0]);
        assert_eq!(units.expect("valid"), [next, black].concat());
        let error = read(png::BitDepth::Eight, 2, 2, &[1, 0, 1, 7]).expect_err("no colour 7");
        assert_eq!(error, "not a valid PNG file: point (1, 1) has colour 7 of a palette of 2");
        let file = indexed(png::BitDepth::Eight, 1, &palette[..4], &[0, 0]);
        let error = super::read(&file, Format::Uint8x4).expect_err("a part of a colour");
        assert_eq!(
            error.to_string(),
            "not a valid PNG file: its palette has 4 bytes, not three for each colour"
        );
    }

    /// A chunk of a PNG file.
    fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
        let mut crc = flate2::Crc::new();
        crc.update(kind);
        crc.update(data);
        [&(data.len() as u32).to_be_bytes(), &kind[..], data, &crc.sum().to_be_bytes()].concat()
    }

    #[test]
    fn changed_files_are_read_or_refused() {
        let palette: Vec<u8> = (0..48).collect();
        let files = [
            indexed(png::BitDepth::Four, 5, &palette, &[0x01, 0x23, 0x40, 0x56, 0x78, 0x90]),
            file(png::ColorType::Grayscale, png::BitDepth::One, 9, &[0xaa, 0x80]),
            file(png::ColorType::Rgba, png::BitDepth::Sixteen, 2, &[7; 16]),
        ];
        let mut random = Random::new(&[47]);
        let (mut valid, mut refused) = (0, 0);
        for _ in 0..4000 {
            let mut bytes = files[random.below(3) as usize].clone();
            // A chunk with another length, other bytes or another place, and the right sum.
            let mut at = 8;
            let mut chunks = Vec::new();
            while at < bytes.len() {
                let length = u32::from_be_bytes(*bytes[at..].first_chunk().expect("4")) as usize;
                let kind: [u8; 4] = *bytes[at + 4..].first_chunk().expect("4");
                chunks.push((kind, bytes[at + 8..][..length].to_vec()));
                at += length + 12;
            }
            for _ in 0..=random.below(2) {
                let n = random.below(chunks.len() as u32) as usize;
                match random.below(5) {
                    0 => {
                        let length = chunks[n].1.len();
                        chunks[n].1.truncate(random.below(length as u32 + 1) as usize);
                    }
                    1 => chunks[n].1.push(random.below(256) as u8),
                    2 if !chunks[n].1.is_empty() => {
                        let at = random.below(chunks[n].1.len() as u32) as usize;
                        chunks[n].1[at] = random.below(256) as u8;
                    }
                    3 => {
                        let chunk = chunks.remove(n);
                        let to = random.below(chunks.len() as u32 + 1) as usize;
                        chunks.insert(to, chunk);
                    }
                    _ => {
                        let chunk = chunks[n].clone();
                        chunks.insert(n, chunk);
                    }
                }
            }
            bytes.truncate(8);
            chunks.iter().for_each(|(kind, data)| bytes.extend(chunk(kind, data)));
            match read(&bytes, Format::Uint8x4) {
                Ok(_) => valid += 1,
                Err(error) => {
                    refused += 1;
                    assert!(error.to_string().len() < 500, "{error}");
                }
            }
        }
        assert!(valid > 100 && refused > 100, "{valid} {refused}");
    }

    #[test]
    fn texts_and_profiles_are_not_kept() {
        let good = file(png::ColorType::Grayscale, png::BitDepth::Eight, 1, &[7]);
        let (start, rest) = good.split_at(33);
        let mut profile = b"name\0\0".to_vec();
        let mut packer = flate2::write::ZlibEncoder::new(&mut profile, Default::default());
        packer.write_all(&[0; 1000]).and_then(|()| packer.try_finish()).expect("memory");
        drop(packer);
        let (profile, text) = (chunk(b"iCCP", &profile), chunk(b"tEXt", b"name\0text"));
        let bytes = [start, &profile, &text, rest].concat();
        assert_eq!(read(&bytes, Format::Uint8x1).expect("valid").units, [7]);
        let reader = opened(&bytes).expect("valid");
        let info = reader.info();
        assert!(info.icc_profile.is_none() && info.uncompressed_latin1_text.is_empty());
    }

    #[test]
    fn damaged_and_large_files_are_refused() {
        let good = file(png::ColorType::Grayscale, png::BitDepth::Eight, 3, &[1, 2, 3]);
        assert_eq!(size(&good[..24]), Some((3, 1)));
        assert_eq!(size(&good[..20]), None);
        let huge = [&good[..16], &[0xff; 8]].concat();
        assert_eq!(size(&huge), None);
        for end in 0..good.len() - 12 {
            assert!(read(&good[..end], Format::Uint8x4).is_err(), "{end}");
        }
        let wide = vec![0; MOST as usize + 1];
        let wide = file(png::ColorType::Grayscale, png::BitDepth::Eight, MOST + 1, &wide);
        let error = read(&wide, Format::Uint8x4).expect_err("too wide").to_string();
        assert_eq!(error, "found a picture of 4097 x 1, needed at most 4096 x 4096");
    }
}
