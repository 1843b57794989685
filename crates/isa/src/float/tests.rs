//! Tests of the mode `exact` against independent models and the documented cases, and of the mode
//! `fast` against its documented bounds.

mod arithmetic;
mod chip;
mod choices;
mod dots;
mod fast;
mod generate;
mod judge;
mod transcendentals;

use super::*;

/// A splitmix64 generator: the same numbers on every run. Results are pinned to its stream (the
/// digest in `transcendentals`), so it is separate from the fuzzer's generator and must not change.
struct Random(u64);

impl Random {
    /// Prints its seed, so that a failing test's output has it.
    fn new(seed: u64) -> Random {
        println!("seed 0x{seed:x}");
        Random(seed)
    }

    fn bits(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z >> 32) as u32
    }

    /// Any operand. Every fourth one is special, and every fourth one has an exponent near 127, so
    /// that the terms of sums overlap.
    fn operand(&mut self) -> u32 {
        let bits = self.bits();
        match self.bits() % 4 {
            0 => SPECIAL[bits as usize % SPECIAL.len()],
            1 => (bits & 0x807f_ffff) | ((112 + (bits >> 23) % 32) << 23),
            _ => bits,
        }
    }
}

/// Operands at the borders of the rules.
const SPECIAL: [u32; 44] = [
    0x0000_0000,
    0x8000_0000, // zeros
    0x0000_0001,
    0x8000_0001,
    0x007f_ffff,
    0x807f_ffff,
    0x0040_0000,
    0x8040_0000, // denormals
    0x0080_0000,
    0x8080_0000,
    0x0080_0001,
    0x8080_0001,
    0x00ff_ffff,
    0x0100_0000, // least normals
    0x017f_ffff,
    0x01ff_ffff,
    0x8100_0000,
    0x0180_0000,
    0x3e80_0000,
    0xbe80_0000, // 1/4
    0x3eff_ffff,
    0x3f00_0000,
    0x3f00_0001,
    0xbf00_0000, // 1/2
    0x3f7f_ffff,
    0x3f80_0000,
    0x3f80_0001,
    0xbf7f_ffff,
    0xbf80_0000,
    0xbf80_0001, // 1
    0x4000_0000,
    0xc000_0000,
    0x4040_0000,
    0x40c9_0fdb,
    0x4aff_ffff,
    0x4b00_0000,
    0x4b80_0000, // 2^23
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000, // largest, infinities
    0x7f80_0001,
    0xffc0_0000,
    0x7fff_ffff, // NaNs
];

/// The bits of a number.
fn f(x: f32) -> u32 {
    x.to_bits()
}

/// The value of flushed bits, computed without the module's own flush.
fn flushed_value(x: u32) -> f64 {
    let exponent = (x >> 23) & 255;
    if exponent == 0 { if x >> 31 == 1 { -0.0 } else { 0.0 } } else { f64::from(f32::from_bits(x)) }
}

/// Rounds a binary64 number to binary32 with integers: nearest even with subnormals, overflow to
/// Inf, then the flush. NaN is canonical.
fn round(value: f64) -> u32 {
    let bits = value.to_bits();
    let sign = ((bits >> 63) as u32) << 31;
    let field = ((bits >> 52) & 0x7ff) as i64;
    if value.is_nan() {
        return 0x7fff_ffff;
    }
    if field == 0x7ff {
        return sign | 0x7f80_0000;
    }
    if field == 0 {
        return sign;
    }
    let significand = (bits & 0x000f_ffff_ffff_ffff) | 0x0010_0000_0000_0000;
    let exponent = field - 1023;
    // The last place of the result is 2^lsb; the unit of the significand is 2^(exponent - 52).
    let lsb = (exponent - 23).max(-149);
    let shift = lsb - (exponent - 52);
    if shift > 54 {
        return sign;
    }
    let kept = significand >> shift;
    let lost = significand & ((1 << shift) - 1);
    let half = 1 << (shift - 1);
    let up = lost > half || (lost == half && kept & 1 == 1);
    let units = kept + u64::from(up);
    if units < 1 << 23 {
        return sign;
    }
    // units * 2^lsb, 2^23 <= units <= 2^24.
    let (units, lsb) = if units == 1 << 24 { (units >> 1, lsb + 1) } else { (units, lsb) };
    let biased = lsb + 23 + 127;
    if biased >= 255 {
        return sign | 0x7f80_0000;
    }
    sign | ((biased as u32) << 23) | (units as u32 & 0x007f_ffff)
}

#[test]
fn the_test_model_rounds_like_ieee() {
    let mut random = Random::new(0x0123_4567);
    for _ in 0..1 << 18 {
        let wide = f64::from_bits(
            (u64::from(random.bits()) << 32 | u64::from(random.bits())) % (0x4810 << 48),
        );
        let ieee = (wide as f32).to_bits();
        let wanted = if ieee & 0x7f80_0000 == 0 { ieee & 0x8000_0000 } else { ieee };
        assert_eq!(round(wide), wanted, "{wide:e}");
    }
    assert_eq!(round(f64::from_bits(0x380f_ffff_e000_0000)), 0x0080_0000);
    assert_eq!(round(f64::from_bits(0x380f_ffff_dfff_ffff)), 0);
    assert_eq!(round(f64::from(f32::MAX) * 1.000_000_1), 0x7f80_0000);
}

#[test]
fn tables_are_fresh() {
    assert_eq!(
        include_str!("tables.rs"),
        generate::text(),
        "crates/isa/src/float/tables.rs is stale: run cargo run --example float_tables"
    );
    assert_eq!(
        include_str!("../../../../shaders/float_tables.wgsl"),
        generate::wgsl(),
        "shaders/float_tables.wgsl is stale: run cargo run --example float_tables"
    );
}
