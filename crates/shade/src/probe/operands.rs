//! Operands at which hosts differ, the same in every run.

use ctm_base::random::{STEP, mix};
use ctm_isa::float::{FRACTION, ONE, SIGN, SMALLEST, ftz, mul, neg, rcp};

/// Numbers at which rules meet.
const SPECIAL: [u32; 58] = [
    0x0000_0000, // zeros
    0x8000_0000,
    0x0000_0001, // denormals
    0x8000_0001,
    0x0040_0000,
    0x007f_ffff,
    0x807f_ffff,
    0x0080_0000, // next to the smallest normal
    0x8080_0000,
    0x0080_0001,
    0x8080_0001,
    0x00ff_ffff,
    0x80ff_ffff,
    0x0100_0000,
    0x8100_0001,
    0x017f_ffff,
    0x01ff_ffff,
    0x3300_0000, // 2^-25 and 2^-24: ties with 1
    0xb300_0001,
    0x3380_0000,
    0xb380_0000,
    0x3e80_0000, // quarters and halves
    0x3eff_ffff,
    0x3f00_0000,
    0x3f00_0001,
    0xbf00_0000,
    0x3f35_04f3, // sqrt(1/2)
    0x3f35_04f4,
    0x3f40_0000,
    0x3f7f_ffff, // 1
    0x3f80_0000,
    0x3f80_0001,
    0xbf80_0000,
    0xbf80_0001,
    0x3fff_ffff,
    0x4000_0000,
    0x4020_0000,
    0xc040_0000,
    0x42fd_ffff, // exponents' ends
    0x4300_0000,
    0xc2fc_0000,
    0xc2fc_0001,
    0x4aff_ffff, // integers' ends
    0x4b00_0000,
    0xcb00_0001,
    0x4b7f_ffff,
    0x4eff_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0x7e80_0000, // the largest numbers
    0x7eff_ffff,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000, // infinities and NaN
    0xff80_0000,
    0x7f80_0001,
    0x7fff_ffff,
    0xffc0_1234,
];

/// A stream of random tuples. Probes of all versions use the same, so it must not change.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next 32 bits.
    pub fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(STEP);
        let z = mix(self.0);
        // The tuples are drawn without SplitMix64's last step, which changed one of these bits.
        (z >> 32 ^ z >> 63) as u32
    }

    /// A normal number of either sign. Its biased exponent is one of the `count` from `first` on.
    fn normal(&mut self, first: u32, count: u32) -> u32 {
        let bits = self.bits();
        (bits & (SIGN | FRACTION)) | ((first + self.bits() % count) << 23)
    }

    /// A tuple of one of the kinds that the probe and the tests use: special numbers, products next
    /// to the smallest normal, products that nearly cancel, ties of sums, and arbitrary bits.
    pub fn tuple(&mut self) -> [u32; 4] {
        let special = |bits: u32| SPECIAL[bits as usize % SPECIAL.len()];
        match self.bits() % 8 {
            0 => std::array::from_fn(|_| special(self.bits())),
            1 => {
                // a * b is within 3 units in the last place of 2^-126; c is of that size.
                let a = self.normal(70, 60);
                let b = border_factor(a).wrapping_add(self.bits() % 7).wrapping_sub(3);
                [a, b, self.normal(1, 3), self.normal(1, 3)]
            }
            2 => {
                // What remains of a * b + c is the error of the product.
                let [a, b] = std::array::from_fn(|_| self.normal(100, 54));
                let c = neg(mul(a, b, false));
                [a, b, c.wrapping_add(self.bits() % 3).wrapping_sub(1), neg(b)]
            }
            3 => {
                // b is about half a unit in a's last place; c * d nearly cancels a * b.
                let a = self.normal(60, 130);
                let exponent = ((a >> 23) & 255) - 24 + self.bits() % 2;
                let b = (self.bits() & SIGN) | (exponent << 23) | (self.bits() % 3);
                [a, b, neg(a).wrapping_add(self.bits() % 3), b]
            }
            // Exponents close together.
            4 => std::array::from_fn(|_| self.normal(112, 32)),
            5 => std::array::from_fn(|_| self.normal(1, 40)),
            6 => [self.normal(1, 254), special(self.bits()), self.bits(), self.bits()],
            _ => std::array::from_fn(|_| self.bits()),
        }
    }
}

/// The number whose product with `a` is about 2^-126. The biased exponent of `a` is near 100.
fn border_factor(a: u32) -> u32 {
    mul(rcp(a), SMALLEST, false)
}

/// The start-up probe's operands: a few thousand tuples (a, b, c, d).
pub fn hard() -> Vec<[u32; 4]> {
    let mut tuples = Vec::with_capacity(4096);
    // Every pair of special numbers; c and d go through them in other orders.
    for (i, &a) in SPECIAL.iter().enumerate() {
        for (j, &b) in SPECIAL.iter().enumerate() {
            let c = SPECIAL[(7 * i + 11 * j) % SPECIAL.len()];
            tuples.push([a, b, c, SPECIAL[(3 * i + 5 * j + 1) % SPECIAL.len()]]);
        }
    }
    // The cases that the documentation names.
    tuples.extend([
        [0x3f7f_ffff, SMALLEST, 0, 0],
        [0x00ff_ffff, 4, 0, 0],
        [0x017f_ffff, 5, 0, 0],
        [0x01ff_ffff, 6, 0, 0],
        [0x3f80_0001, 0x3f80_0001, 0xbf80_0002, 0],
        [ONE, ONE, neg(ONE), 0x3300_0000],
        // SIN is one place too small if it is contracted, or a product in it reassociated.
        [0x3e2c_002c, 0, 0, 0],
    ]);
    let mut random = Random(0x0ff1_ce00_c0de);
    while tuples.len() < 4096 {
        tuples.push(random.tuple());
    }
    debug_assert!(tuples.iter().any(|t| ftz(t[0]) != t[0]));
    tuples
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_isa::float::{add, mad};

    #[test]
    fn operands_are_the_same_on_every_run() {
        assert_eq!(hard(), hard());
        assert_eq!(hard().len(), 4096);
    }

    /// The list covers its purpose: flushed inputs and outputs, the border, contraction.
    #[test]
    fn operands_tell_hosts_apart() {
        let tuples = hard();
        let count = |f: &dyn Fn(&[u32; 4]) -> bool| tuples.iter().filter(|t| f(t)).count();
        let float = f32::from_bits;
        let rounds_up_to_normal = count(&|&[a, b, ..]| {
            let wide = f64::from(float(a)) * f64::from(float(b));
            mul(a, b, false) & !SIGN == SMALLEST && wide.abs() < f64::from(float(SMALLEST))
        });
        let flushed = count(&|&[a, b, ..]| {
            let product = float(a) * float(b);
            product.is_subnormal()
        });
        let contracted = count(&|&[a, b, c, _]| {
            let fused = float(a).mul_add(float(b), float(c)).to_bits();
            !float(fused).is_nan() && ftz(fused) != mad(a, b, c, false)
        });
        let ties = count(&|&[a, b, ..]| {
            let wide = f64::from(float(a)) + f64::from(float(b));
            wide.is_finite() && wide.to_bits() & 0x1fff_ffff == 0x1000_0000 && add(a, b) != a
        });
        assert!(rounds_up_to_normal >= 20, "{rounds_up_to_normal}");
        assert!(flushed >= 100, "{flushed}");
        assert!(contracted >= 200, "{contracted}");
        assert!(ties >= 10, "{ties}");
    }
}
