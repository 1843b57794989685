//! Arithmetic in a random prime field.

use ctm_base::random::Random;
use ctm_isa::float;

/// The integers modulo a prime.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    prime: u64,
}

impl Field {
    /// A field whose prime is a random one from 2^62 to 2^63. There are more than 2^56 of them.
    pub fn random(random: &mut Random) -> Field {
        loop {
            let prime = 1 << 62 | random.word() >> 2 | 1;
            if is_prime(prime) {
                return Field { prime };
            }
        }
    }

    /// A random element.
    pub fn element(self, random: &mut Random) -> u64 {
        loop {
            let word = random.word() >> 1;
            if word < self.prime {
                return word;
            }
        }
    }

    pub fn add(self, a: u64, b: u64) -> u64 {
        (a + b) % self.prime
    }

    pub fn neg(self, a: u64) -> u64 {
        if a == 0 { 0 } else { self.prime - a }
    }

    pub fn mul(self, a: u64, b: u64) -> u64 {
        times(a, b, self.prime)
    }

    /// The inverse. That of 0 is 0.
    pub fn rcp(self, a: u64) -> u64 {
        power(a, self.prime - 2, self.prime)
    }

    /// The exact value of a finite number. Denormals are 0.
    pub fn literal(self, bits: u32) -> u64 {
        let (significand, exponent) = parts(bits);
        let two = if exponent < 0 { self.rcp(2) } else { 2 };
        let scale = power(two, exponent.unsigned_abs().into(), self.prime);
        let magnitude = self.mul(significand, scale);
        if bits & float::SIGN != 0 { self.neg(magnitude) } else { magnitude }
    }
}

/// The magnitude of a finite number: an odd integer times a power of two, or 0. Denormals are 0.
pub(super) fn parts(bits: u32) -> (u64, i32) {
    if float::is_zero(bits) {
        return (0, 0);
    }
    let significand = bits & float::FRACTION | (float::FRACTION + 1);
    let zeros = significand.trailing_zeros();
    let exponent = ((bits & float::EXPONENT) >> 23) as i32 - 150;
    ((significand >> zeros).into(), exponent + zeros as i32)
}

fn times(a: u64, b: u64, modulus: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(modulus)) as u64
}

fn power(mut base: u64, mut exponent: u64, modulus: u64) -> u64 {
    let mut result = 1;
    while exponent != 0 {
        if exponent & 1 != 0 {
            result = times(result, base, modulus);
        }
        base = times(base, base, modulus);
        exponent >>= 1;
    }
    result
}

/// The test of Miller and Rabin. With these bases it is right for all 64-bit numbers.
fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if let Some(base) = BASES.into_iter().find(|&base| n.is_multiple_of(base)) {
        return n == base;
    }
    if n < 2 {
        return false;
    }
    let twos = (n - 1).trailing_zeros();
    BASES.into_iter().all(|base| {
        let mut x = power(base, (n - 1) >> twos, n);
        let mut passes = x == 1;
        for _ in 0..twos {
            passes |= x == n - 1;
            x = times(x, x, n);
        }
        passes
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_told_from_other_numbers() {
        let small = (0..2000).filter(|&n| is_prime(n));
        assert_eq!(small.count(), 303);
        assert!(is_prime((1 << 61) - 1) && is_prime(u64::MAX - 58));
        // Strong pseudoprimes to the first bases.
        for n in [3_215_031_751, 3_474_749_660_383, 341_550_071_728_321, 3_825_123_056_546_413_051]
        {
            assert!(!is_prime(n), "{n}");
        }
    }

    #[test]
    fn numbers_have_their_values_in_the_field() {
        let field = Field::random(&mut Random::new(&[1]));
        let of = |number: f32| field.literal(number.to_bits());
        assert_eq!([of(0.0), of(-0.0), of(1.0), of(12.0)], [0, 0, 1, 12]);
        assert_eq!(field.add(of(12.0), of(-12.0)), 0);
        assert_eq!(field.mul(of(-0.75), of(-4.0)), 3);
        assert_eq!(field.mul(of(1.0e-30), of(2.0_f32.powi(127))), of(1.0e-30 * 2.0_f32.powi(127)));
        assert_eq!(field.rcp(of(0.125)), 8);
        assert_eq!(field.rcp(0), 0);
        assert_ne!(of(2.0_f32.powi(61)), of(1.0));
    }
}
