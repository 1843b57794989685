//! Random surfaces, domains and conditions.

use crate::crosscheck::case::ARENA;
use ctm_base::random::Random;
use ctm_machine::launch::{Condition, Domain, Location, Test};
use ctm_machine::memory::surface::default_pitch;
use ctm_machine::memory::{ALIGNMENT, Format, Surface, Tiling, Wrap};

/// Allocates addresses for surfaces.
pub(super) struct Places {
    base: u32,
    next: u32,
    /// Whether surfaces may overlap, reach out of memory, be too small, or have odd pitches.
    pub odd: bool,
}

impl Places {
    pub(super) fn new(base: u32, odd: bool) -> Places {
        Places { base, next: 0, odd }
    }

    /// The address for a surface of `bytes` bytes.
    fn place(&mut self, random: &mut Random, bytes: u64) -> u32 {
        let bytes = bytes.min(u64::from(ARENA)) as u32;
        let bytes = bytes.next_multiple_of(ALIGNMENT);
        if self.odd && random.chance(7) {
            // Over another surface, or at an end of memory, or far away from it.
            return match random.below(6) {
                0 | 1 => self.base + random.below(self.next / ALIGNMENT + 1) * ALIGNMENT,
                2 => self.base,
                3 => self.base + ARENA - random.range(1, 4) * ALIGNMENT,
                4 => self.base + ARENA,
                _ => random.pick(&[0, 0x8000_0000, 0xffff_f800, self.base - ALIGNMENT]),
            };
        }
        if self.next + bytes > ARENA {
            self.next = 0;
        }
        let place = self.base + self.next;
        self.next += bytes;
        place
    }

    /// A surface for elements up to (width, height).
    pub(super) fn surface(
        &mut self,
        random: &mut Random,
        width: u32,
        height: u32,
        format: Format,
        tiling: Tiling,
    ) -> Surface {
        let (mut width, mut height) = (width, height);
        if self.odd && random.chance(8) {
            // Too small.
            width = random.range(1, width);
            height = random.range(1, height);
        }
        let mut pitch = default_pitch(tiling, format, width);
        if self.odd && random.chance(8) {
            // Rows overlap.
            pitch = random.range(width, width + 9);
        } else if random.chance(15) {
            pitch += default_pitch(tiling, format, 1);
        }
        let mut surface = Surface::new(0, pitch, height, tiling, format);
        surface.base = self.place(random, surface.byte_size(pitch, height));
        surface
    }

    /// An input of a random size.
    pub(super) fn input(&mut self, random: &mut Random) -> Surface {
        let format = random.pick(&Format::ALL);
        let tiling = if format.is_basic_single() {
            random.pick(&Tiling::ALL)
        } else {
            random.pick(&[Tiling::Linear, Tiling::Tiled])
        };
        let width = random.logarithmic(1, 48);
        let height = random.logarithmic(1, 40);
        let mut surface = self.surface(random, width, height, format, tiling);
        if random.chance(60) {
            surface.width = width.min(surface.pitch);
        }
        if random.chance(25) {
            surface.wrap = Wrap::Repeat;
        }
        surface
    }

    /// An output or conditional buffer for the points of a domain.
    pub(super) fn own(
        &mut self,
        random: &mut Random,
        domain: &Domain,
        formats: &[Format],
    ) -> Surface {
        let format = random.pick(formats);
        let tiling = match random.weighted(&[50, 44, 6]) {
            0 => Tiling::Linear,
            1 => Tiling::Tiled,
            // The 2x2 tilings have no effect on an output.
            _ => random.pick(&[Tiling::LinearInp2x2, Tiling::TiledInp2x2]),
        };
        self.surface(random, domain.i1 + 1, domain.j1 + 1, format, tiling)
    }

    /// A condition with its buffer.
    pub(super) fn condition(&mut self, random: &mut Random, domain: &Domain) -> Condition {
        let test = random.pick(&Test::ALL);
        let formats = [Format::Float32x1, Format::Uint16x1];
        let buffer =
            (test.reads_buffer() || random.chance(70)).then(|| self.own(random, domain, &formats));
        let value = match buffer {
            Some(surface) if surface.format == Format::Uint16x1 => random.below(0x1_0000),
            _ => random.hard(),
        };
        Condition {
            test,
            location: random.pick(&[Location::Dpp, Location::Pe]),
            value,
            buffer,
            write: random.chance(70),
        }
    }
}

/// A domain: mostly one group, often odd.
pub(super) fn domain(random: &mut Random, odd: bool) -> Domain {
    let (width, height) = match random.weighted(&[25, 10, 12, 12, 16, 12, 13]) {
        0 => (8, 8),
        1 => (1, 1),
        2 => (random.range(1, 80), 1),
        3 => (random.range(1, 50), 2),
        4 => (random.range(1, 20), random.range(1, 12)),
        // More than one band.
        5 => (random.range(1, 9), random.range(30, 44)),
        _ => (64, 1),
    };
    let (i0, j0) = match random.weighted(&[60, 30, 10]) {
        0 => (0, 0),
        1 => (random.below(20), random.below(12)),
        _ if odd => (random.below(70), random.below(70)),
        _ => (random.below(9), 0),
    };
    if odd && random.chance(1) {
        // Empty.
        return Domain { i0: i0 + 1, j0, i1: i0, j1: j0 + height };
    }
    Domain { i0, j0, i1: i0 + width - 1, j1: j0 + height - 1 }
}
