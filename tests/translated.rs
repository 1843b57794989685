//! The translated programs on lavapipe against the block engine, bit for bit.

use ctm::check::generate::{Strength, generate};
use ctm::engine::block::Block;
use ctm::engine::gpu::translated::{Attempt, Translated};
use ctm::engine::gpu::{AdapterChoice, Gpu};
use ctm::engine::{Engine, LaunchError, NoProgress, Outcome, Progress};
use ctm::job::{IgnoreProgress, Job, RunOptions};
use ctm::launch::Launch;
use ctm::memory::Memory;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

fn engine() -> Option<Translated> {
    let gpu = match Gpu::open(&AdapterChoice::Name("llvmpipe".into())) {
        Ok(gpu) => gpu,
        Err(error) => {
            println!("not checked: {error}");
            return None;
        }
    };
    Some(Translated::new(gpu, Box::new(Block::new())))
}

/// The first address that differs.
fn difference(a: &Memory, b: &Memory) -> Option<u64> {
    for ((base, a), (_, b)) in a.ranges().zip(b.ranges()) {
        if a != b {
            let at = a.iter().zip(b).position(|(a, b)| a != b)?;
            return Some(u64::from(base) + at as u64);
        }
    }
    None
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name)
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(default)
}

#[test]
fn generated_programs_give_the_same_bits() {
    let Some(engine) = engine() else { return };
    let block = Block::new();
    let seed = number("CTM_SEED", 11);
    let mut problems = Vec::new();
    for strength in Strength::ALL {
        let count = number("CTM_PROGRAMS", 60);
        let (mut ran, mut gave_up) = (0, 0);
        for index in 0..count {
            let mut case = generate(seed, strength, index);
            if index % 2 == 0 {
                // Budgets of a few instructions are refused; most programs need more.
                case.launch.limits.instructions = 1 << 24;
            }
            let mut memory = case.memory().expect("memory");
            let attempt = engine.attempt(&case.launch, &mut memory);
            let outcome = match attempt {
                Ok(Attempt::Done(outcome)) => outcome,
                Ok(Attempt::Refused(_)) => continue,
                Ok(Attempt::GaveUp(_)) => {
                    gave_up += 1;
                    continue;
                }
                Err(LaunchError::Adapter { error, .. }) => {
                    problems.push(format!("{} {index}: {error}", strength.name()));
                    continue;
                }
                Err(_) => continue,
            };
            ran += 1;
            let mut expected = case.memory().expect("memory");
            let wanted = block.run(&case.launch, &mut expected, &NoProgress);
            let wanted = wanted.expect("the translated engine ran it");
            if outcome != wanted {
                problems.push(format!(
                    "{} {index}: {outcome:?} instead of {wanted:?}",
                    strength.name()
                ));
            }
            if let Some(at) = difference(&memory, &expected) {
                problems.push(format!("{} {index}: memory at 0x{at:x}", strength.name()));
            }
        }
        println!(
            "seed {seed}, {}: {ran} of {count} ran translated, {gave_up} gave up",
            strength.name()
        );
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Runs what can be translated, and compares it with the block engine at once.
struct Both<'a> {
    translated: &'a Translated,
    block: Block,
    counts: Mutex<(u32, u32)>,
    problems: Mutex<Vec<String>>,
}

impl Engine for Both<'_> {
    fn name(&self) -> &'static str {
        "both"
    }
    fn run(
        &self,
        launch: &Launch,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let before: Vec<Vec<u8>> = memory.ranges().map(|(_, bytes)| bytes.to_vec()).collect();
        let attempt = self.translated.attempt(launch, memory)?;
        let Attempt::Done(outcome) = attempt else {
            println!("{attempt:?}");
            self.counts.lock().expect("no panic").1 += 1;
            return self.block.run(launch, memory, progress);
        };
        self.counts.lock().expect("no panic").0 += 1;
        let after: Vec<Vec<u8>> = memory.ranges().map(|(_, bytes)| bytes.to_vec()).collect();
        for ((_, to), from) in memory.ranges_mut().zip(&before) {
            to.copy_from_slice(from);
        }
        let wanted = self.block.run(launch, memory, progress)?;
        let same = memory
            .ranges()
            .zip(&after)
            .all(|((_, a), b)| a == b.as_slice());
        if !same || wanted != outcome {
            let mut problems = self.problems.lock().expect("no panic");
            problems.push(format!("memory {same}, {outcome:?} instead of {wanted:?}"));
        }
        Ok(wanted)
    }
}

fn jobs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            jobs(&path, found);
        } else if path.extension().is_some_and(|e| e == "toml") {
            found.push(path);
        }
    }
}

#[test]
fn jobs_give_the_same_bits() {
    let Some(engine) = engine() else { return };
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    jobs(&root.join("kernels"), &mut files);
    jobs(&root.join("tests/vectors"), &mut files);
    files.sort();
    let filter = std::env::var("CTM_FILTER").unwrap_or_default();
    let mut problems = Vec::new();
    let mut totals = (0, 0);
    for file in &files {
        let name = file
            .strip_prefix(root)
            .expect("inside")
            .display()
            .to_string();
        if name.contains("mandelbrot.toml")
            || name.contains("matmul.toml")
            || !name.contains(&filter)
        {
            continue;
        }
        let both = Both {
            translated: &engine,
            block: Block::new(),
            counts: Mutex::default(),
            problems: Mutex::default(),
        };
        let job = Job::read(file).unwrap_or_else(|error| panic!("{error}"));
        if let Err(error) = job.run(&both, &RunOptions::default(), &IgnoreProgress) {
            problems.push(format!("{name}: {error}"));
        }
        let counts = both.counts.into_inner().expect("no panic");
        totals = (totals.0 + counts.0, totals.1 + counts.1);
        for problem in both.problems.into_inner().expect("no panic") {
            problems.push(format!("{name}: {problem}"));
        }
    }
    println!("{} launches translated, {} not", totals.0, totals.1);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
