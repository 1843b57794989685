//! The engine that runs each program as a shader of its own against the reference engine: memory,
//! faults, hazards, points and groups are equal, and most programs really are translated. See
//! `common` for when these tests run.
//!
//! `CTM_FULL=1` runs 60,000 programs instead of some hundred.

use crate::same::{difference, same_on};
use ctm::crosscheck::{Strength, generate};
use ctm::engine::Checked;
use ctm::engine::gpu::{AdapterChoice, Translated};
use ctm::engine::reference::Reference;
use ctm::engine::{Engine, LaunchError, NoProgress, Outcome, Progress};
use ctm::job::{Job, RunOptions};
use ctm::memory::Memory;
use ctm_testing::files;
use std::sync::Mutex;

const SEED: u64 = 0x7a11;

fn engine() -> Translated {
    let choice = AdapterChoice::from_environment();
    Translated::open(&choice).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
#[ignore = "needs an adapter"]
fn generated_programs_give_the_same() {
    let engine = engine();
    let reference = Reference::new();
    let count = match std::env::var_os("CTM_FULL") {
        Some(full) if full == "1" => 20_000,
        _ => 60,
    };
    for strength in Strength::ALL {
        let mut translated = 0;
        for index in 0..count {
            let what = format!("seed {SEED:#x}, {} {index}", strength.name());
            let mut case = generate(SEED, strength, index);
            case.launch.statistics = false;
            if index % 2 == 0 {
                // Most budgets are small ones, which loops may run over. Programs that never end
                // take the reference engine long.
                case.launch.limits.instructions = 1 << 14;
            }
            let mut model = case.memory().expect("memory");
            let mut trial = case.memory().expect("memory");
            let refusal = engine.refusal(&case.launch, &trial);
            translated += u64::from(matches!(refusal, Ok(None)));
            let expected = reference.run(&case.launch, &mut model, &NoProgress);
            let found = engine.run(&case.launch, &mut trial, &NoProgress);
            assert_eq!(found, expected, "{what}");
            assert_eq!(difference(&model, &trial), None, "{what}");
        }
        println!(
            "seed {SEED:#x}: {translated} of {count} programs ({}) translated",
            strength.name()
        );
        let least = match strength {
            // The block engine runs them.
            Strength::Shared => continue,
            Strength::Operations => 60,
            Strength::Straight => 85,
            // Some jumps cross.
            Strength::Numeric => 80,
            // Most have flow that is irregular, or write to points that sleep.
            Strength::Flow => 15,
        };
        assert!(100 * translated >= least * count, "{translated}");
    }
}

#[test]
#[ignore = "needs an adapter"]
fn loops_that_a_driver_would_end_early_give_the_same() {
    let engine = engine();
    // 65025 turns and more: a driver for the CPU stops after 65535, and says nothing.
    let source = "rep 255\nrep 255\nadd r1.r, r1.r, 1\nendrep\nadd r1.g, r1.g, 1\nendrep\n\
                  rep 255\nrep 9\nadd r1.b, r1.b, 1\nendrep\nendrep\nmov o0, r1";
    let outcome = same_on(&engine, "many turns", source, (9, 3), &|bench| {
        bench.launch.statistics = false;
    });
    assert!(outcome.faults.is_empty());
    // Few turns of many that could be.
    let source = "rep 255\nrep 255\nrep 255\nsub alu_result < 0, r1.r, r0.r\nbreak if !alu_result\n\
                  add r1.r, r1.r, 1\nendrep\nbreak\nendrep\nbreak\nendrep\nmov o0, r1";
    same_on(&engine, "few turns", source, (19, 11), &|bench| {
        bench.launch.statistics = false;
    });
}

/// lavapipe follows every path of arithmetic from a condition to a uniform buffer: of sines in sines
/// there are so many that it never came to an end.
#[test]
#[ignore = "needs an adapter"]
fn conditions_that_depend_on_constants_alone_compile() {
    let engine = engine();
    let source = "sin r1.a, c0.r\nsin r1.a, r1.a\nsin r1.a, r1.a\nsub alu_result >= 0, r1.a, c0.g\n\
                  if alu_result\nmov o0, c1\nelse\nsin r1.a, r1.a\nmov o0, r1.a\nendif\nend";
    same_on(&engine, "sines in sines", source, (9, 3), &|bench| {
        bench.launch.statistics = false;
    });
}

#[test]
#[ignore = "needs an adapter"]
fn domains_far_down_write_where_they_should() {
    let engine = engine();
    // The window that is bound begins behind element (0, 0).
    for (rows, first) in [(1024, 992), (512, 200)] {
        let source = "add r1, r0, 1\nmov o0, r1";
        same_on(&engine, "far down", source, (16, rows), &|bench| {
            bench.launch.statistics = false;
            bench.launch.domain.j0 = first;
        });
    }
}

/// The engine, with a count of the launches that are translated.
struct Counting {
    engine: Translated,
    counts: Mutex<(u32, u32)>,
}

impl Engine for Counting {
    fn name(&self) -> &'static str {
        "translated"
    }
    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let refused = self.engine.refusal(launch, memory)?.is_some();
        let mut counts = self.counts.lock().expect("no panic");
        counts.0 += u32::from(!refused);
        counts.1 += 1;
        drop(counts);
        self.engine.run_checked(launch, memory, progress)
    }
}

#[test]
#[ignore = "needs an adapter"]
fn kernels_give_what_they_expect() {
    let files = files::jobs("kernels");
    let engine = Counting { engine: engine(), counts: Mutex::default() };
    let mut problems = Vec::new();
    for file in &files {
        let job = Job::read(file).unwrap_or_else(|error| panic!("{error}"));
        let checks = job
            .run(&engine, &RunOptions::default(), &NoProgress)
            .and_then(|result| job.check(&result));
        match checks {
            Err(error) => problems.push(format!("{}: {error}", file.display())),
            Ok(checks) => {
                let bad = checks.into_iter().filter(|check| !check.passed);
                problems.extend(bad.map(|check| format!("{}: {}", file.display(), check.text)));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let (translated, launches) = *engine.counts.lock().expect("no panic");
    println!("{translated} of {launches} launches translated");
    assert!(10 * translated > 9 * launches);
}
