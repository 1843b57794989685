//! The parts that unit tests of several crates share.

pub mod files;

use proptest::test_runner::{Config, RngSeed};

/// A configuration with this number of cases from a fixed seed, which is printed; failures leave no files.
pub fn cases(cases: u32, seed: u64) -> Config {
    println!("{cases} cases, seed 0x{seed:x}");
    Config { cases, rng_seed: RngSeed::Fixed(seed), failure_persistence: None, ..Config::default() }
}
