//! The translator on every program there is: what it refuses is listed, with reasons.

use ctm::check::generate::{Strength, generate};
use ctm::engine::gpu::translate::{Options, Reason, State, Translation, translate};
use ctm::engine::{Engine, LaunchError, Outcome, Progress};
use ctm::job::{IgnoreProgress, Job, RunOptions};
use ctm::launch::{FloatMode, Launch};
use ctm::lower::lower;
use ctm::memory::Memory;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

fn ranges(memory: &Memory) -> Vec<Range<u64>> {
    memory
        .ranges()
        .map(|(base, bytes)| u64::from(base)..u64::from(base) + bytes.len() as u64)
        .collect()
}

/// Translates a launch.
fn translated(launch: &Launch, memory: &Memory) -> Result<Translation, Reason> {
    let raw = launch
        .initial
        .iter()
        .fold(0u128, |mask, one| mask | 1 << one.temp);
    let lowered = lower(&launch.program, raw);
    let state = State::of(launch, &lowered, &ranges(memory), &Options::default())?;
    translate(&launch.program, &lowered, &state)
}

/// What naga has against a shader.
fn validate(wgsl: &str) -> Result<(), String> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|error| error.emit_to_string(wgsl))?;
    let mut validator = naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::default(),
    );
    let valid = validator.validate(&module);
    valid
        .map(|_| ())
        .map_err(|error| error.emit_to_string(wgsl))
}

/// An engine that runs nothing and keeps what the translator makes of each launch.
#[derive(Default)]
struct Watching {
    seen: Mutex<Vec<Result<Translation, Reason>>>,
}

impl Engine for Watching {
    fn name(&self) -> &'static str {
        "watching"
    }
    fn run(
        &self,
        launch: &Launch,
        memory: &mut Memory,
        _: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let result = translated(launch, memory);
        self.seen.lock().expect("no panic").push(result);
        Ok(Outcome::default())
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
fn jobs_translate_or_are_listed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    jobs(&root.join("kernels"), &mut files);
    jobs(&root.join("tests/vectors"), &mut files);
    files.sort();
    let mut refused: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut count = 0;
    let mut invalid = Vec::new();
    for file in &files {
        let name = file
            .strip_prefix(root)
            .expect("inside")
            .display()
            .to_string();
        if name.contains("mandelbrot.toml") || name.contains("matmul.toml") {
            continue;
        }
        let engine = Watching::default();
        let job = Job::read(file).unwrap_or_else(|error| panic!("{error}"));
        let result = job.run(&engine, &RunOptions::default(), &IgnoreProgress);
        result.unwrap_or_else(|error| panic!("{error}"));
        for one in engine.seen.into_inner().expect("no panic") {
            match one {
                Ok(translation) => {
                    count += 1;
                    if let Err(error) = validate(&translation.wgsl) {
                        invalid.push(format!("{name}: {error}"));
                    }
                }
                Err(reason) => {
                    refused
                        .entry(reason.to_string())
                        .or_default()
                        .push(name.clone());
                }
            }
        }
    }
    assert!(
        invalid.is_empty(),
        "{}\n{}",
        invalid.len(),
        invalid[..invalid.len().min(8)].join("\n")
    );
    println!("{count} launches translated");
    for (reason, names) in &refused {
        println!(
            "{reason}: {} {:?}",
            names.len(),
            &names[..names.len().min(4)]
        );
    }
}

#[test]
fn generated_programs_translate_or_are_refused() {
    const SEED: u64 = 5;
    for strength in Strength::ALL {
        let mut refused: BTreeMap<String, usize> = BTreeMap::new();
        let count = 400;
        for index in 0..count {
            let mut case = generate(SEED, strength, index);
            if index % 5 == 4 {
                case.launch.mode = FloatMode::Fast;
            }
            let memory = case.memory().expect("memory");
            match translated(&case.launch, &memory) {
                Ok(translation) => {
                    if let Err(error) = validate(&translation.wgsl) {
                        panic!("{} {index}: {error}\n{}", strength.name(), translation.wgsl);
                    }
                }
                Err(reason) => {
                    let text = reason.to_string();
                    let text = text.replace(|c: char| c.is_ascii_digit(), "");
                    *refused.entry(text).or_default() += 1;
                }
            }
        }
        let all: usize = refused.values().sum();
        println!(
            "seed {SEED}, {}: {} of {count} translated",
            strength.name(),
            count as usize - all
        );
        for (reason, n) in refused {
            println!("  {n:4} {reason}");
        }
    }
}
