//! The inputs of `memory.wgsl`: surfaces, ranges of memory, and the parts of it that are needed.

use bytemuck::{Pod, Zeroable};
use ctm_machine::memory::{Format, Memory, Surface, Wrap};

/// `Surface.bits`: the format code.
pub const FORMAT: u32 = 0xf;
/// `Surface.bits`: the tiled layout.
pub const TILED: u32 = 0x10;
/// `Surface.bits`: a fetch gathers 2x2 elements.
pub const INP_2X2: u32 = 0x20;
/// `Surface.bits`: fetches outside repeat the surface.
pub const REPEAT: u32 = 0x40;
/// `Surface.bits`: there is a surface.
pub const PRESENT: u32 = 0x8000_0000;

/// A surface as shaders see it. All zero means no surface.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub struct SurfaceRecord {
    /// [`Surface::base`], in bytes.
    pub base: u32,
    /// [`Surface::pitch`], in elements.
    pub pitch: u32,
    /// [`Surface::width`], in elements.
    pub width: u32,
    /// [`Surface::height`], in rows.
    pub height: u32,
    /// Format code and flags.
    pub bits: u32,
    /// The word of byte address a is word (a >> 2) - delta of what is bound, modulo 2^32.
    pub delta: u32,
    /// Zero.
    pub pad0: u32,
    /// Zero.
    pub pad1: u32,
}

impl SurfaceRecord {
    /// The record of a surface. `delta` is [`SurfaceRecord::delta`].
    pub fn new(surface: &Surface, delta: u32) -> SurfaceRecord {
        let flag = |set: bool, bit: u32| if set { bit } else { 0 };
        SurfaceRecord {
            base: surface.base,
            pitch: surface.pitch,
            width: surface.width,
            height: surface.height,
            bits: surface.format.code()
                | flag(surface.tiling.is_tiled(), TILED)
                | flag(surface.tiling.is_2x2(), INP_2X2)
                | flag(surface.wrap == Wrap::Repeat, REPEAT)
                | PRESENT,
            delta,
            pad0: 0,
            pad1: 0,
        }
    }
}

/// The ranges that an access must lie in: the first and last byte of each region of memory, (1, 0)
/// for an empty one.
pub fn ranges(memory: &Memory) -> [[u32; 2]; 3] {
    let mut ranges = [[1, 0]; 3];
    let used = memory.ranges().filter(|(_, bytes)| !bytes.is_empty());
    for (range, (base, bytes)) in ranges.iter_mut().zip(used) {
        // A region ends at 2^32 at the latest, so its last byte has a 32-bit address.
        *range = [base, base.wrapping_add((bytes.len() - 1) as u32)];
    }
    ranges
}

/// The parts of `memory.wgsl` that a dispatch needs: the constants before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MemoryVariant {
    /// Some reads are from copies, which have a binding of their own.
    pub copies: bool,
    /// Some surface is tiled.
    pub tiled: bool,
    /// Some input gathers 2x2 elements.
    pub superfine: bool,
    /// Some input repeats.
    pub repeat: bool,
    /// Some surface is in fixed point.
    pub integers: bool,
    /// Words of the largest element that is fetched: 1, 2 or 4.
    pub read_words: u32,
    /// Words of the largest element that is written: 1, 2 or 4.
    pub write_words: u32,
}

impl Default for MemoryVariant {
    /// Linear float surfaces of one channel.
    fn default() -> MemoryVariant {
        MemoryVariant {
            copies: false,
            tiled: false,
            superfine: false,
            repeat: false,
            integers: false,
            read_words: 1,
            write_words: 1,
        }
    }
}

impl MemoryVariant {
    /// Everything that any launch can need.
    pub const ALL: MemoryVariant = MemoryVariant {
        copies: true,
        tiled: true,
        superfine: true,
        repeat: true,
        integers: true,
        read_words: 4,
        write_words: 4,
    };

    /// Adds the needs of a surface that is read.
    pub fn read(&mut self, surface: &Surface) {
        self.both(surface);
        self.superfine |= surface.tiling.is_2x2();
        self.repeat |= surface.wrap == Wrap::Repeat;
        self.read_words = self.read_words.max(words(surface.format));
    }

    /// Adds the needs of a surface that is written.
    pub fn write(&mut self, surface: &Surface) {
        self.both(surface);
        self.write_words = self.write_words.max(words(surface.format));
    }

    /// The parts that either of two dispatches needs.
    pub fn with(&self, other: &MemoryVariant) -> MemoryVariant {
        MemoryVariant {
            copies: self.copies | other.copies,
            tiled: self.tiled | other.tiled,
            superfine: self.superfine | other.superfine,
            repeat: self.repeat | other.repeat,
            integers: self.integers | other.integers,
            read_words: self.read_words.max(other.read_words),
            write_words: self.write_words.max(other.write_words),
        }
    }

    fn both(&mut self, surface: &Surface) {
        self.tiled |= surface.tiling.is_tiled();
        self.integers |= !surface.format.is_float();
    }

    /// The constants as WGSL.
    pub fn wgsl(&self) -> String {
        format!(
            "const COPIES: bool = {};\nconst TILED: bool = {};\nconst SUPERFINE: bool = {};\n\
             const REPEAT: bool = {};\nconst INTEGERS: bool = {};\nconst READ_WORDS: u32 = {}u;\n\
             const WRITE_WORDS: u32 = {}u;\n",
            self.copies,
            self.tiled,
            self.superfine,
            self.repeat,
            self.integers,
            self.read_words,
            self.write_words
        )
    }
}

/// Words of an element.
fn words(format: Format) -> u32 {
    format.bytes_per_element().div_ceil(4)
}

#[cfg(test)]
mod tests;
