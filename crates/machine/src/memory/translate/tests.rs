//! The translation against the Guide's tables, and its properties.

use proptest::prelude::*;

use super::*;

/// The linear layouts as the Guide prints them [G 5]: bytes per element, address bits 31:5, 4:0.
const LINEAR: [&str; 5] = [
    " 1 | y[11:0]*pitch[13:5] + x[11:5] + offset[31:5] | x[4:0]       ",
    " 2 | y[11:0]*pitch[13:4] + x[11:4] + offset[31:5] | x[3:0], 0    ",
    " 4 | y[11:0]*pitch[13:3] + x[11:3] + offset[31:5] | x[2:0], 00   ",
    " 8 | y[11:0]*pitch[13:2] + x[11:2] + offset[31:5] | x[1:0], 000  ",
    "16 | y[11:0]*pitch[13:1] + x[11:1] + offset[31:5] | x[0:0], 0000 ",
];

/// The tiled layouts [G 6]: bytes per element, address bits 31:11, 10:9, 8:7, 6:5, 4:0.
const TILED: [&str; 5] = [
    " 1 | y[11:5]*pitch[13:6] + x[11:6] + offset[31:11] | y4^x6, x5^y5 | y3^x5, x4^y4 | y2, x3 | y[1:0], x[2:0]   ",
    " 2 | y[11:5]*pitch[13:5] + x[11:5] + offset[31:11] | y4^x5, x4^y5 | y3^x4, x3^y4 | y2, x2 | y[1:0], x[1:0], 0",
    " 4 | y[11:4]*pitch[13:5] + x[11:5] + offset[31:11] | y3^x5, x4^y4 | y2^x4, x3^y3 | y1, x2 | y0, x[1:0], 00   ",
    " 8 | y[11:4]*pitch[13:4] + x[11:4] + offset[31:11] | y3^x4, x3^y4 | y2^x3, x2^y3 | y1, x1 | y0, x0, 000      ",
    "16 | y[11:3]*pitch[13:4] + x[11:4] + offset[31:11] | y2^x4, x3^y3 | y1^x3, x2^y2 | y0, x1 | x0, 0000         ",
];

/// Tile sizes in elements [G 6], by log2 of the element's bytes.
const TILES: [(u32, u32); 5] = [(64, 32), (32, 32), (32, 16), (16, 16), (16, 8)];

/// A named quantity of the tables.
#[derive(Clone, Copy, Debug)]
enum Name {
    X,
    Y,
    Pitch,
    Offset,
}

/// "y\[11:5\]", or "y4", which is bits 4:4.
#[derive(Clone, Copy, Debug)]
struct Bits {
    name: Name,
    high: u32,
    low: u32,
}

impl Bits {
    fn parse(text: &str) -> Bits {
        let text = text.trim();
        let split = text.find(|c: char| !c.is_alphabetic()).expect("bits");
        let name = match &text[..split] {
            "x" => Name::X,
            "y" => Name::Y,
            "pitch" => Name::Pitch,
            "offset" => Name::Offset,
            other => panic!("no quantity is named {other:?}"),
        };
        let bits = text[split..].trim_matches(['[', ']']);
        let (high, low) = bits.split_once(':').unwrap_or((bits, bits));
        Bits { name, high: high.parse().expect("high bit"), low: low.parse().expect("low bit") }
    }

    fn width(self) -> u32 {
        self.high - self.low + 1
    }

    fn value(self, at: At) -> u64 {
        let v = match self.name {
            Name::X => at.x,
            Name::Y => at.y,
            Name::Pitch => at.pitch,
            Name::Offset => at.offset,
        };
        (u64::from(v) >> self.low) % (1 << self.width())
    }
}

#[derive(Clone, Copy, Debug)]
struct At {
    x: u32,
    y: u32,
    pitch: u32,
    offset: u32,
}

/// One row of a table, split into terms but not simplified.
struct Row {
    bytes: u32,
    /// Sum of products.
    sum: Vec<Vec<Bits>>,
    /// Concatenation of exclusive ors, highest first; `None` is a zero bit.
    low: Vec<Option<Vec<Bits>>>,
}

impl Row {
    fn parse(text: &str) -> Row {
        let mut columns = text.split('|');
        let bytes = columns.next().expect("bytes").trim().parse().expect("size");
        let sum = columns
            .next()
            .expect("sum")
            .split('+')
            .map(|term| term.split('*').map(Bits::parse).collect())
            .collect();
        let mut low = Vec::new();
        for part in columns.flat_map(|column| column.split(',')).map(str::trim) {
            if part.bytes().all(|c| c == b'0') {
                low.extend(part.bytes().map(|_| None));
            } else {
                low.push(Some(part.split('^').map(Bits::parse).collect()));
            }
        }
        Row { bytes, sum, low }
    }

    fn address(&self, at: At) -> u32 {
        let mut address: u64 =
            self.sum.iter().map(|term| term.iter().map(|b| b.value(at)).product::<u64>()).sum();
        for part in &self.low {
            let (width, value) = match part {
                None => (1, 0),
                Some(bits) => (bits[0].width(), bits.iter().fold(0, |v, b| v ^ b.value(at))),
            };
            address = address << width | value;
        }
        address as u32
    }

    fn low_bits(&self) -> u32 {
        let width = |p: &Option<Vec<Bits>>| p.as_ref().map_or(1, |b| b[0].width());
        self.low.iter().map(width).sum()
    }
}

type Translate = fn(u32, u32, u32, u32, u32) -> u32;

/// Both tables, with the functions that implement them.
fn tables() -> Vec<(u32, Row, Translate)> {
    let linear_rows = LINEAR.map(|row| (Row::parse(row), linear as Translate));
    let tiled_rows = TILED.map(|row| (Row::parse(row), tiled as Translate));
    linear_rows
        .into_iter()
        .chain(tiled_rows)
        .map(|(row, f)| (row.bytes.trailing_zeros(), row, f))
        .collect()
}

#[test]
fn tables_are_read_whole() {
    for (k, (log2, row, _)) in tables().iter().enumerate() {
        assert_eq!(*log2, k as u32 % 5);
        assert_eq!(row.sum.len(), 3);
        assert_eq!(row.low_bits(), if k < 5 { 5 } else { 11 });
    }
    // A value computed by hand: B = 4, x = 0b1_10110, y = 0b1_1011.
    let row = Row::parse(TILED[2]);
    let at = At { x: 0b110110, y: 0b11011, pitch: 64, offset: 0x10_0000 };
    // Tile 1*2 + 1 = 3; y3^x5 = 0, x4^y4 = 0; y2^x4 = 1, x3^y3 = 1; y1 = 1, x2 = 1; y0 = 1, 10, 00.
    let low = 0b001_1111_1000;
    assert_eq!(row.address(at), 0x10_0000 + 3 * 2048 + low);
    assert_eq!(tiled(2, 0x10_0000, 64, 0b110110, 0b11011), 0x10_0000 + 3 * 2048 + low);
}

#[test]
fn every_layout_equals_its_table_row() {
    for (log2, row, translate) in tables() {
        for pitch in [0, 3, 64, 192, 200, 1023] {
            for y in 0..80 {
                for x in 0..160 {
                    let at = At { x, y, pitch, offset: 0x0020_0000 };
                    assert_eq!(
                        translate(log2, at.offset, pitch, x, y),
                        row.address(at),
                        "{} bytes, {at:?}",
                        row.bytes
                    );
                }
            }
        }
    }
}

#[test]
fn tile_sizes_are_the_guides() {
    for (log2, size) in (0..).zip(TILES) {
        assert_eq!((1 << tile_width_log2(log2), 1 << tile_height_log2(log2)), size);
    }
}

#[test]
fn tiled_layouts_are_bijections() {
    const COLUMNS: u32 = 3;
    const ROWS: u32 = 5;
    for (log2, (tw, th)) in (0..).zip(TILES) {
        let base = 7 * 2048;
        let mut seen = vec![false; (COLUMNS * ROWS * 2048) as usize >> log2];
        for y in 0..ROWS * th {
            for x in 0..COLUMNS * tw {
                let offset = tiled(log2, base, COLUMNS * tw, x, y) - base;
                assert_eq!(offset % (1 << log2), 0, "alignment at ({x}, {y})");
                let tile = y / th * COLUMNS + x / tw;
                assert_eq!(offset / 2048, tile, "tile of ({x}, {y}), 2^{log2} bytes");
                let element = (offset >> log2) as usize;
                assert!(!seen[element], "({x}, {y}) hits an element a second time");
                seen[element] = true;
            }
        }
        assert!(seen.iter().all(|&s| s), "2^{log2} bytes: not every element is hit");
    }
}

#[test]
fn linear_layouts_are_bijections() {
    for log2 in 0..5 {
        let pitch = 96;
        let mut seen = vec![false; 96 * 10];
        for y in 0..10 {
            for x in 0..pitch {
                let offset = linear(log2, 0x1000, pitch, x, y) - 0x1000;
                assert_eq!(offset, (y * pitch + x) << log2);
                seen[(offset >> log2) as usize] = true;
            }
        }
        assert!(seen.iter().all(|&s| s));
    }
}

#[test]
fn dropped_pitch_bits_make_rows_overlap() {
    // FLOAT32_4, tiled, pitch 20: counts as 16, so tile (1, 0) is also tile (0, 1).
    assert_eq!(tiled(4, 0, 20, 16, 0) >> 11, tiled(4, 0, 20, 0, 8) >> 11);
    // FLOAT32_1, linear, pitch 7: less than a whole word, so all rows are row 0.
    assert_eq!(linear(2, 0, 7, 3, 0), linear(2, 0, 7, 3, 9));
}

proptest! {
    #![proptest_config(ctm_testing::cases(20_000, 0x2006))]

    #[test]
    fn any_coordinates_equal_the_table_rows(
        x in any::<u32>(), y in any::<u32>(), x_bits in 0u32..32, y_bits in 0u32..32,
        pitch in 0u32..0x8000, offset in any::<u32>(),
    ) {
        thread_local!(static TABLES: Vec<(u32, Row, Translate)> = tables());
        let at = At { x: x >> x_bits, y: y >> y_bits, pitch, offset };
        TABLES.with(|tables| {
            for (log2, row, translate) in tables {
                prop_assert_eq!(translate(*log2, offset, pitch, at.x, at.y), row.address(at));
            }
            Ok(())
        })?;
    }

    #[test]
    fn addresses_join_from_those_of_a_column_and_a_row(
        x in any::<u32>(), y in any::<u32>(), pitch in 0u32..0x8000, base in any::<u32>(),
    ) {
        for log2 in 0..5 {
            for (is_tiled, translate) in [(false, linear as Translate), (true, tiled)] {
                let column = translate(log2, 0, pitch, x, 0);
                let row = translate(log2, base, pitch, 0, y);
                let joined = join(is_tiled, column, row);
                prop_assert_eq!(joined, translate(log2, base, pitch, x, y));
            }
        }
    }
}
