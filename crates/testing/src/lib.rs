//! The parts that unit tests of several crates share.

pub mod files;

use proptest::test_runner::{Config, RngSeed};

/// A configuration with this number of cases from a fixed seed, which is printed; failures leave no files.
pub fn cases(cases: u32, seed: u64) -> Config {
    println!("{cases} cases, seed 0x{seed:x}");
    Config { cases, rng_seed: RngSeed::Fixed(seed), failure_persistence: None, ..Config::default() }
}

/// Whether a number is one of those that a row of a table expects, within its tolerance: `exact`, or pairs of `abs` or
/// `rel` and a bound, of which one must hold.
pub fn fits(tolerance: &str, expected: &[f32], found: f32) -> bool {
    let words: Vec<&str> = tolerance.split(' ').collect();
    expected.iter().any(|wanted| {
        let error = (f64::from(found) - f64::from(*wanted)).abs();
        let within = |two: &[&str]| {
            let bound: f64 = two[1].parse().expect("a bound");
            error <= if two[0] == "rel" { bound * f64::from(wanted.abs()) } else { bound }
        };
        found == *wanted
            || found.is_nan() && wanted.is_nan()
            || words[0] != "exact" && words.chunks(2).any(within)
    })
}
