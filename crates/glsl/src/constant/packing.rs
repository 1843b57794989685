//! Packing functions of constants.

/// The form of a packed component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// A number from 0 to 1; the width in bits.
    Unorm(u32),
    /// A number from -1 to 1; the width in bits, with the sign.
    Snorm(u32),
    /// A float of 16 bits.
    Half,
}

impl Packing {
    fn bits(self) -> u32 {
        match self {
            Packing::Unorm(bits) | Packing::Snorm(bits) => bits,
            Packing::Half => 16,
        }
    }

    /// The largest number of a component.
    fn most(self) -> f32 {
        match self {
            Packing::Unorm(bits) => ((1u32 << bits) - 1) as f32,
            Packing::Snorm(bits) => ((1u32 << (bits - 1)) - 1) as f32,
            Packing::Half => f32::INFINITY,
        }
    }

    /// The integer of floats; the first is in its lowest bits.
    pub fn pack(self, floats: &[u32]) -> u32 {
        let mask = u32::MAX >> (32 - self.bits());
        (0..).zip(floats).fold(0, |packed, (n, bits)| {
            let value = f32::from_bits(*bits);
            let component = match self {
                Packing::Unorm(_) => {
                    (value.clamp(0.0, 1.0) * self.most()).round_ties_even() as i32 as u32
                }
                Packing::Snorm(_) => {
                    (value.clamp(-1.0, 1.0) * self.most()).round_ties_even() as i32 as u32
                }
                Packing::Half => to_half(value),
            };
            packed | (component & mask) << (n * self.bits())
        })
    }

    /// The floats of an integer.
    pub fn unpack(self, packed: u32) -> Vec<u32> {
        let shift = 32 - self.bits();
        let component = |n: u32| {
            let high = packed << (shift - n * self.bits());
            let value = match self {
                Packing::Unorm(_) => (high >> shift) as f32 / self.most(),
                Packing::Snorm(_) => ((high as i32 >> shift) as f32 / self.most()).clamp(-1.0, 1.0),
                Packing::Half => of_half(high >> shift),
            };
            value.to_bits()
        };
        (0..32 / self.bits()).map(component).collect()
    }
}

/// A float of 16 bits, the nearest; of two, the even one.
fn to_half(value: f32) -> u32 {
    let (sign, abs) = (value.to_bits() >> 16 & 0x8000, value.abs());
    let half = if abs.is_nan() {
        0x7e00
    } else if abs >= 65520.0 {
        0x7c00
    } else if abs < f32::powi(2.0, -14) {
        (abs * f32::powi(2.0, 24)).round_ties_even() as u32
    } else {
        let bits = abs.to_bits();
        ((bits + 0xfff + (bits >> 13 & 1)) >> 13) - (112 << 10)
    };
    sign | half
}

fn of_half(bits: u32) -> f32 {
    let (sign, exponent, mantissa) = ((bits & 0x8000) << 16, bits >> 10 & 31, bits & 0x3ff);
    let abs = match (exponent, mantissa) {
        (0, _) => mantissa as f32 * f32::powi(2.0, -24),
        (31, 0) => f32::INFINITY,
        (31, _) => f32::NAN,
        _ => f32::from_bits((exponent + 112) << 23 | mantissa << 13),
    };
    f32::from_bits(abs.to_bits() | sign)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_half_comes_back() {
        for bits in 0..=0xffff_u32 {
            let value = of_half(bits);
            if !value.is_nan() {
                assert_eq!(to_half(value), bits, "{value}");
            }
        }
        assert_eq!(to_half(f32::NAN), 0x7e00);
    }

    #[test]
    fn halves_are_rounded_to_the_nearest_and_ties_to_even() {
        for bits in (0..0x7bff_u32).step_by(7) {
            let (low, high) = (of_half(bits), of_half(bits + 1));
            let middle = (low + high) / 2.0;
            assert_eq!(to_half(middle), bits + (bits & 1), "{middle}");
            assert_eq!(to_half(f32::from_bits(middle.to_bits() + 1)), bits + 1);
            assert_eq!(to_half(-f32::from_bits(middle.to_bits() - 1)), bits | 0x8000);
        }
        assert_eq!([to_half(65519.0), to_half(65520.0)], [0x7bff, 0x7c00]);
    }

    #[test]
    fn components_of_all_forms() {
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        for (packing, values, packed) in [
            (Packing::Unorm(16), &[1.0, 0.0][..], 0x0000_ffff),
            (Packing::Unorm(16), &[2.0, 0.5], 0x8000_ffff),
            (Packing::Snorm(16), &[-1.0, 1.0], 0x7fff_8001),
            (Packing::Unorm(8), &[0.0, 1.0, 0.2, -3.0], 0x0033_ff00),
            (Packing::Snorm(8), &[-1.0, 1.0, 0.0, 0.0], 0x0000_7f81),
            (Packing::Half, &[1.0, -2.0], 0xc000_3c00),
        ] {
            assert_eq!(packing.pack(&bits(values)), packed, "{packing:?} {values:?}");
            let back = packing.unpack(packed);
            assert_eq!(packing.pack(&back), packed, "{packing:?} {values:?}");
        }
        assert_eq!(Packing::Unorm(16).unpack(0x0000_ffff), bits(&[1.0, 0.0]));
        assert_eq!(Packing::Snorm(8).unpack(0x0000_7f80), bits(&[-1.0, 1.0, 0.0, 0.0]));
    }
}
