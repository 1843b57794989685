//! Random numbers and hard operands.
//!
//! The generator is SplitMix64. It is implemented here so that a seed always means the same
//! programs, independent of changes in libraries.

/// A stream of random numbers that depends only on its seed.
#[derive(Clone, Debug)]
pub struct Random(u64);

/// SplitMix64's increment: the golden ratio in 64 bits.
pub const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// SplitMix64's function: 64 bits, each of which depends on all bits of `z`.
pub fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Random {
    /// The stream of some numbers; different numbers give unrelated streams.
    pub fn new(parts: &[u64]) -> Random {
        let mut random = Random(0x6374_6d66_757a_7a31);
        for &part in parts {
            random.0 = random.word() ^ part.wrapping_mul(STEP);
        }
        random.word();
        random
    }

    /// 64 random bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        mix(self.0)
    }

    /// 32 random bits.
    pub fn bits(&mut self) -> u32 {
        (self.word() >> 32) as u32
    }

    /// A number from 0 to `n` - 1; 0 for `n` = 0.
    pub fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.bits()) * u64::from(n)) >> 32) as u32
    }

    /// A number from `low` to `high`, both included.
    pub fn range(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high - low + 1)
    }

    /// True with a probability of `percent` in a hundred.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent
    }

    /// An element of a non-empty list.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u32) as usize]
    }

    /// An index into a list of weights.
    pub fn weighted(&mut self, weights: &[u32]) -> usize {
        let mut rest = self.below(weights.iter().sum());
        for (n, &weight) in weights.iter().enumerate() {
            if rest < weight {
                return n;
            }
            rest -= weight;
        }
        0
    }

    /// A number of random magnitude: small ones are as likely as large ones.
    pub fn logarithmic(&mut self, low: u32, high: u32) -> u32 {
        let octaves = 32 - (high / low.max(1)).leading_zeros();
        let top = (u64::from(low.max(1)) << self.range(0, octaves)).min(u64::from(high)) as u32;
        self.range(low.min(top), top)
    }

    /// Float bits that are hard for arithmetic.
    pub fn hard(&mut self) -> u32 {
        let sign = self.bits() & 0x8000_0000;
        match self.weighted(&[24, 14, 10, 8, 8, 8, 10, 8, 10]) {
            0 => self.pick(&SPECIAL),
            // Arbitrary bits, mostly of very different magnitudes ...
            1 => self.bits(),
            // ... and numbers around 1, of similar magnitude.
            2 => sign | (self.range(120, 134) << 23) | (self.bits() & 0x7f_ffff),
            // Next to a special value.
            3 => {
                let near = self.pick(&SPECIAL);
                near.wrapping_add(self.below(5)).wrapping_sub(2)
            }
            // NaN payloads.
            4 => sign | 0x7f80_0000 | (self.bits() & 0x7f_ffff).max(1),
            // Denormals, with many and few bits.
            5 => sign | (self.bits() & 0x7f_ffff) >> self.below(23),
            // Small whole numbers and halves: halfway cases after scaling.
            6 => (self.range(0, 40) as f32 / 2.0).to_bits() | sign,
            // Few significant bits, where sums end in exact ties.
            7 => {
                let keep = self.range(0, 23);
                sign | (self.range(100, 150) << 23) | (self.bits() & 0x7f_ffff) >> keep << keep
            }
            // Next to the borders of the range: products and scalings over- and underflow.
            _ => {
                let exponent = self.pick(&[1, 1, 2, 3, 24, 25, 60, 64, 190, 250, 252, 253, 254]);
                sign | (exponent << 23) | (self.bits() & 0x7f_ffff)
            }
        }
    }

    /// A value related to another one: one that cancels it, ties with it, or nearly does.
    pub fn related(&mut self, to: u32) -> u32 {
        match self.below(7) {
            0 => to,
            1 => to ^ 0x8000_0000,
            2 => to.wrapping_add(1),
            3 => to.wrapping_sub(1) ^ 0x8000_0000,
            4 => {
                // The same digits, up to 27 binary places away.
                let exponent = (to >> 23 & 0xff) as i32 + self.range(0, 54) as i32 - 27;
                to & 0x807f_ffff | (exponent.clamp(0, 254) as u32) << 23
            }
            5 => to & 0xffff_f000,
            _ => self.hard(),
        }
    }

    /// A coordinate: mostly in and around a surface of `size` elements, sometimes hard.
    pub fn coordinate(&mut self, size: u32) -> u32 {
        let whole = self.range(0, size + 4) as f32 - 2.0;
        match self.weighted(&[40, 20, 15, 10, 15]) {
            0 => whole.to_bits(),
            1 => (whole + self.range(0, 16) as f32 / 16.0).to_bits(),
            2 => whole.to_bits().wrapping_add(self.below(3)).wrapping_sub(1),
            3 => (whole / size.max(1) as f32).to_bits(),
            _ => self.hard(),
        }
    }
}

/// Values with special treatment somewhere, and their neighbours.
const SPECIAL: [u32; 46] = [
    0x0000_0000, // +0
    0x8000_0000, // -0
    0x0000_0001, // the smallest denormal
    0x8000_0001,
    0x007f_ffff, // the largest denormal
    0x807f_ffff,
    0x0080_0000, // the smallest normal number
    0x8080_0000,
    0x00ff_ffff, // halves to the smallest normal number
    0x017f_ffff,
    0x01ff_ffff,
    0x7f7f_ffff, // the largest number
    0xff7f_ffff,
    0x7f80_0000, // infinities
    0xff80_0000,
    0x7fc0_0000, // NaN
    0xffc0_0000,
    0x7fff_ffff,
    0xffff_ffff,
    0x7f80_0001,
    0xff80_0001,
    0x3f80_0000, // 1
    0xbf80_0000,
    0x3f7f_ffff,
    0x3f80_0001,
    0xbf7f_ffff,
    0x3f00_0000, // 0.5, the border of CND
    0xbf00_0000,
    0x3eff_ffff,
    0x3f00_0001,
    0x4000_0000, // 2
    0xc000_0000,
    0x3e80_0000, // 0.25, a quarter turn
    0xbe80_0000,
    0x4b00_0000, // 2^23: floor and turns end
    0x4b80_0000, // 2^24
    0xcb00_0000,
    0x4f00_0000, // 2^31: texel indices saturate
    0xcf00_0000,
    0x4effffff,
    0x3b80_8081, // 1/255
    0x3780_0080, // 1/65535
    0x4300_0000, // 128: EX2 overflows
    0xc2fc_0000, // -126: EX2 underflows
    0xc300_0000,
    0x3fb5_04f3, // sqrt(2)
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_depends_on_its_seed_only() {
        let mut random = Random::new(&[1, 2, 3]);
        let first: Vec<u64> = (0..3).map(|_| random.word()).collect();
        let again = {
            let mut random = Random::new(&[1, 2, 3]);
            [random.word(), random.word(), random.word()]
        };
        assert_eq!(first, again);
        assert_ne!(Random::new(&[1, 2, 3]).word(), Random::new(&[1, 3, 2]).word());
    }

    #[test]
    fn numbers_stay_in_their_range() {
        let mut random = Random::new(&[7]);
        for _ in 0..10_000 {
            assert!(random.below(7) < 7);
            assert!((3..=9).contains(&random.range(3, 9)));
            assert!((4..=900).contains(&random.logarithmic(4, 900)));
            assert!(random.weighted(&[1, 0, 2]) != 1);
        }
    }

    #[test]
    fn hard_operands_hold_every_class_of_number() {
        let mut random = Random::new(&[11]);
        let mut classes = std::collections::HashSet::new();
        for _ in 0..1000 {
            let x = f32::from_bits(random.hard());
            classes.insert((x.classify() as u8, x.is_sign_negative()));
        }
        assert_eq!(classes.len(), 10);
    }
}
