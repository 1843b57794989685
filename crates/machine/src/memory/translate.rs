//! Address translation: from an element's (x, y) to its byte address [G 5-6].
//!
//! The Guide has one table row per layout and element size. All rows of a table follow one pattern
//! in log2 of the element size. These functions compute that pattern with integer operations that
//! shaders have too. The tests compare them with the rows as printed in the Guide.

/// log2 of the bytes of one memory word in the linear layout. The pitch counts in whole words.
const LINEAR_WORD: u32 = 5;

/// log2 of the bytes of one tile.
const TILE: u32 = 11;
/// The bytes of a tile.
pub const TILE_BYTES: usize = 1 << TILE;

/// The bits of x and y that count: 12.
pub const COORDINATE: u32 = 0xfff;

/// The bits of the pitch that count: 13:0.
pub const PITCH: u32 = 0x3fff;

/// log2 of a tile's width in elements of `1 << log2` bytes.
#[inline(always)]
pub const fn tile_width_log2(log2: u32) -> u32 {
    6 - log2.div_ceil(2)
}

/// log2 of a tile's height in elements of `1 << log2` bytes.
#[inline(always)]
pub const fn tile_height_log2(log2: u32) -> u32 {
    TILE - log2 - tile_width_log2(log2)
}

/// log2 of how many elements of `1 << log2` bytes share one 32-byte word of the linear layout.
#[inline(always)]
pub const fn linear_word_log2(log2: u32) -> u32 {
    LINEAR_WORD - log2
}

/// Address of element (x, y), linear layout, elements of `1 << log2` bytes (`log2` 0 to 4).
///
/// `base` is in bytes; its low 5 bits are dropped. `pitch` is in elements, rounded down to whole
/// 32-byte words. Arithmetic is modulo 2^32. [G 5]
#[inline(always)]
pub const fn linear(log2: u32, base: u32, pitch: u32, x: u32, y: u32) -> u32 {
    let n = linear_word_log2(log2);
    let (x, y) = (x & COORDINATE, y & COORDINATE);
    let word = (y * ((pitch & PITCH) >> n)).wrapping_add(x >> n).wrapping_add(base >> LINEAR_WORD);
    (word << LINEAR_WORD) | ((x & ((1 << n) - 1)) << log2)
}

/// Address of element (x, y), tiled layout, elements of `1 << log2` bytes (`log2` 0 to 4).
///
/// `base` is in bytes; its low 11 bits are dropped. `pitch` is in elements, rounded down to whole
/// tiles. Arithmetic is modulo 2^32. [G 6]
///
/// Inside the 2 KiB tile, address bits 10:5 interleave the upper three bits of the row (odd address
/// bits) with those of the column (even address bits). The upper two of each are xored with the
/// next higher bit of the other. For the highest, that bit lies outside the tile.
#[inline(always)]
pub const fn tiled(log2: u32, base: u32, pitch: u32, x: u32, y: u32) -> u32 {
    let (tw, th) = (tile_width_log2(log2), tile_height_log2(log2));
    let (x, y) = (x & COORDINATE, y & COORDINATE);
    let tile =
        ((y >> th) * ((pitch & PITCH) >> tw)).wrapping_add(x >> tw).wrapping_add(base >> TILE);
    // Four bits each: the upper three inside the tile and the lowest of the tile coordinate.
    let (row, column) = (y >> (th - 3), x >> (tw - 3));
    let odd = (row & 7) ^ ((column >> 1) & 6);
    let even = (column & 7) ^ ((row >> 1) & 6);
    let low = ((y & ((1 << (th - 3)) - 1)) << (tw - 3)) | (x & ((1 << (tw - 3)) - 1));
    (tile << TILE) | (spread(odd) << 6) | (spread(even) << 5) | (low << log2)
}

/// The address of element (x, y) from those of (x, 0), with a base of 0, and (0, y), with the base.
///
/// Inside a tile the bits that depend on a row and on a column are xored; everything else is added.
#[inline(always)]
pub const fn join(is_tiled: bool, column: u32, row: u32) -> u32 {
    let inside = if is_tiled { (1 << TILE) - 1 } else { 0 };
    ((column & !inside).wrapping_add(row & !inside)) ^ ((column ^ row) & inside)
}

/// The elements of a row of a tile whose bytes follow each other: a power of two.
pub(super) const fn tiled_run(log2: u32) -> u32 {
    1 << (tile_width_log2(log2) - 3)
}

/// Moves bits 2, 1, 0 to bits 4, 2, 0.
#[inline(always)]
const fn spread(v: u32) -> u32 {
    (v & 1) | ((v & 2) << 1) | ((v & 4) << 2)
}

/// Bytes from the base to the last byte of any element with x < `width` and y < `height`, in the
/// linear layout: exact.
pub(super) fn linear_extent(log2: u32, pitch: u32, width: u32, height: u32) -> u64 {
    let n = linear_word_log2(log2);
    let (width, height) = (distinct(width), distinct(height));
    if width == 0 || height == 0 {
        return 0;
    }
    let row = u64::from((pitch & PITCH) >> n) << LINEAR_WORD;
    (height - 1) * row + (width << log2)
}

/// Like [`linear_extent`] for the tiled layout, rounded up to whole tiles.
pub(super) fn tiled_extent(log2: u32, pitch: u32, width: u32, height: u32) -> u64 {
    let (tw, th) = (tile_width_log2(log2), tile_height_log2(log2));
    let (width, height) = (distinct(width), distinct(height));
    if width == 0 || height == 0 {
        return 0;
    }
    let row = u64::from((pitch & PITCH) >> tw);
    (((height - 1) >> th) * row + ((width - 1) >> tw) + 1) << TILE
}

/// Number of distinct coordinates below `size`: coordinates have 12 bits.
fn distinct(size: u32) -> u64 {
    u64::from(size.min(COORDINATE + 1))
}

#[cfg(test)]
mod tests;
