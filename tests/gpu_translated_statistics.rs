//! The engine `translated` where statistics are asked for: every counter is that of the reference
//! engine, and programs are still run as shaders of their own. See `common` for when these tests
//! run.
//!
//! `CTM_FULL=1` runs 6,000 programs instead of some hundred.

mod common;
#[path = "common/same.rs"]
mod same;

use ctm::check::{Strength, generate};
use ctm::engine::gpu::{AdapterChoice, Translated};
use ctm::engine::reference::Reference;
use ctm::engine::{Engine, NoProgress, Statistics};
use ctm::launch::{Location, Test};
use same::{difference, same_on};

const SEED: u64 = 0xc047;

fn engine() -> Translated {
    let choice = AdapterChoice::from_environment();
    Translated::open(&choice).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
#[ignore = "needs an adapter"]
fn generated_programs_count_the_same() {
    let engine = engine();
    let reference = Reference::new();
    let count = match std::env::var_os("CTM_FULL") {
        Some(full) if full == "1" => 2000,
        _ => 80,
    };
    for strength in Strength::ALL {
        let mut translated = 0;
        let mut sum = Statistics::default();
        for index in 0..count {
            let what = format!("seed {SEED:#x}, {} {index}", strength.name());
            let mut case = generate(SEED, strength, index);
            case.launch.statistics = true;
            if index % 2 == 0 {
                // Most budgets are small ones, which loops may run over. Programs that never end
                // take the reference engine long.
                case.launch.limits.instructions = 1 << 14;
            }
            let mut model = case.memory().expect("memory");
            let mut trial = case.memory().expect("memory");
            let refusal = engine.refusal(&case.launch, &trial);
            let ours = matches!(refusal, Ok(None));
            translated += u64::from(ours);
            let expected = reference.run(&case.launch, &mut model, &NoProgress);
            let found = engine.run(&case.launch, &mut trial, &NoProgress);
            assert_eq!(found, expected, "{what}");
            assert_eq!(difference(&model, &trial), None, "{what}");
            if let (Ok(outcome), true) = (&found, ours) {
                sum += outcome.statistics.expect("asked for");
            }
        }
        println!(
            "seed {SEED:#x}: {translated} of {count} programs ({}) translated: {sum:?}",
            strength.name()
        );
        let least = match strength {
            Strength::Operations => 60,
            Strength::Straight => 85,
            Strength::Flow => 20,
        };
        assert!(100 * translated >= least * count, "{translated}");
        assert!(sum.alu > 0 && sum.out > 0 && sum.lane_instructions > 0);
        if strength == Strength::Straight {
            assert!(sum.tex_fetching > 0 && sum.fetches > 0);
        }
        if strength == Strength::Flow {
            assert!(sum.fc > 0 && sum.divergent > 0 && sum.killed > 0);
        }
    }
}
