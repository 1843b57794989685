//! The translator on every program there is: what it refuses is listed, with reasons.

use ctm::crosscheck::generate::{Strength, generate};
use ctm::engine::Checked;
use ctm::engine::Why;
use ctm::engine::gpu::plan::space::ranges;
use ctm::engine::gpu::shader::translate::{Options, State, Translation, translate};
use ctm::engine::groups::Grouping;
use ctm::engine::reference::Reference;
use ctm::engine::{Engine, LaunchError, NoProgress, Outcome, Progress};
use ctm::job::{Job, RunOptions};
use ctm::launch::{FloatMode, Launch};
use ctm::memory::Memory;
use ctm_testing::files;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;

/// Translates a launch.
fn translated(launch: &Launch, memory: &Memory) -> Result<Translation, Why> {
    let launch = Checked::new(launch).expect("it can run");
    let state = State::of(&launch, &ranges(memory), &Options::default())?;
    translate(&launch.program, &launch.lowered, &state)
}

/// naga's error about a shader.
fn validate(wgsl: &str) -> Result<(), String> {
    let module = naga::front::wgsl::parse_str(wgsl).map_err(|error| error.emit_to_string(wgsl))?;
    let mut validator = naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::default(),
    );
    let valid = validator.validate(&module);
    valid.map(|_| ()).map_err(|error| error.emit_to_string(wgsl))
}

/// An engine that runs nothing and keeps what the translator makes of each launch.
#[derive(Default)]
struct Watching {
    seen: Mutex<Vec<Result<Translation, Why>>>,
}

impl Engine for Watching {
    fn name(&self) -> &'static str {
        "watching"
    }
    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        _: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let result = translated(launch, memory);
        self.seen.lock().expect("no panic").push(result);
        Ok(Outcome::default())
    }
}

/// Jobs that are not translated, and why. One that is translated after all fails the test.
const REFUSED: &[(&str, &str)] = &[
    ("kernels/barrier/barrier.toml", SHARING),
    ("kernels/conflicts/clause.toml", SHARING),
    ("kernels/conflicts/global.toml", SHARING),
    ("kernels/histogram/histogram.toml", SHARING),
    ("kernels/reduce/reduce.toml", SHARING),
    ("kernels/reduce/reduce_256.toml", SHARING),
    ("kernels/scatter/scatter.toml", UNCACHED),
    ("kernels/scatter/scatter_bits.toml", UNCACHED),
    ("kernels/scatter/scatter_bits_wgsl.toml", UNCACHED),
    ("kernels/scatter/scatter_wgsl.toml", UNCACHED),
    ("exact/overlap_00/job.toml", "memory is shared: elements of output 0 share bytes"),
    ("exact/passes_00/job.toml", "memory is shared: output 0 and output 1 are both written"),
    ("exact/passes_01/job.toml", "memory is shared: output 0 and output 1 are both written"),
    ("exact/umrt_00/job.toml", UNCACHED),
    ("exact/umrt_01/job.toml", UNCACHED),
    (
        "exact/uncovered_00/job.toml",
        "the decision at pc 8 drags uncovered points along, and other points of their quads can \
         read them",
    ),
    (
        "exact/uncovered_01/job.toml",
        "pc 14 writes inactive points where points may have gone different ways",
    ),
    (
        "exact/write_inactive_00/job.toml",
        "pc 23 writes inactive points where points may have gone different ways",
    ),
    (
        "exact/write_inactive_01/job.toml",
        "pc 35 writes inactive points where points may have gone different ways",
    ),
    ("tests/vectors/chip/add/job.toml", CHIP),
    ("tests/vectors/chip/dp3/job.toml", CHIP),
    ("tests/vectors/chip/dp4/job.toml", CHIP),
    ("tests/vectors/chip/frc/job.toml", CHIP),
    ("tests/vectors/chip/mad/job.toml", CHIP),
    ("tests/vectors/chip/mul/job.toml", CHIP),
    ("tests/vectors/chip/sub/job.toml", CHIP),
];

const CHIP: &str = "mode chip has no shaders; the block engine runs it";

const SHARING: &str = "groups share registers; the block engine runs them in their order";

const UNCACHED: &str =
    "uncached writes have an order among points that a translated program does not keep";

/// Translates every launch of some jobs; the number of launches. Only listed jobs
/// may be refused, and for the listed reason.
fn check(files: &[PathBuf], all_listed: bool) -> usize {
    let mut problems: Vec<String> = Vec::new();
    let mut met: Vec<&str> = Vec::new();
    let mut count = 0;
    for file in files {
        let name = file.display().to_string();
        let listed = REFUSED.iter().find(|(end, _)| name.ends_with(end));
        let engine = Watching::default();
        let job = Job::read(file).unwrap_or_else(|error| panic!("{error}"));
        let result = job.run(&engine, &RunOptions::default(), &NoProgress);
        result.unwrap_or_else(|error| panic!("{error}"));
        let mut refused = None;
        for one in engine.seen.into_inner().expect("no panic") {
            match one {
                Ok(translation) => {
                    count += 1;
                    if let Err(error) = validate(&translation.wgsl) {
                        problems.push(format!("{name}: {error}"));
                    }
                }
                Err(reason) => refused = Some(reason.to_string()),
            }
        }
        match (listed, refused) {
            (None, None) => {}
            (Some((name, expected)), Some(reason)) if reason == *expected => met.push(name),
            (listed, refused) => problems.push(format!(
                "{name}: listed {:?}, refused {refused:?}",
                listed.map(|(_, reason)| reason)
            )),
        }
    }
    if all_listed {
        let unmet = REFUSED.iter().filter(|(name, _)| !met.contains(name));
        problems.extend(unmet.map(|(name, _)| format!("{name} is listed and does not exist")));
    }
    let shown = &problems[..problems.len().min(8)];
    assert!(problems.is_empty(), "{}\n{}", problems.len(), shown.join("\n"));
    println!("{count} launches of {} jobs translated, {} jobs refused", files.len(), met.len());
    count
}

#[test]
fn jobs_of_the_repository_translate_or_are_listed() {
    let files = [files::jobs("kernels"), files::jobs("tests/vectors")].concat();
    assert!(check(&files, true) > 400);
}

#[test]
fn jobs_beside_the_checkout_translate_or_are_listed() {
    let Some(folder) = files::collection() else {
        return;
    };
    assert!(check(&files::files(&folder, "toml"), false) > 800);
}

#[test]
fn generated_programs_translate_or_are_refused() {
    const SEED: u64 = 5;
    let mut reasons = BTreeSet::new();
    let mut tight = 0;
    for strength in Strength::ALL {
        let mut refused: BTreeMap<String, usize> = BTreeMap::new();
        let count = 400;
        for index in 0..count {
            let mut case = generate(SEED, strength, index);
            if index % 5 == 4 {
                case.launch.mode = FloatMode::Fast;
            }
            let mut memory = case.memory().expect("memory");
            match translated(&case.launch, &memory) {
                Ok(translation) => {
                    // Budgets and submissions go by what a group can execute at most.
                    let most = translation.stats.bound.saturating_mul(groups(&case.launch));
                    let executed = executed(&case.launch, &mut memory);
                    assert!(executed <= most, "{} {index}: {executed}", strength.name());
                    tight += usize::from(executed == most);
                    let wgsl = &translation.wgsl;
                    if let Err(error) = validate(wgsl) {
                        panic!("{} {index}: {error}\n{wgsl}", strength.name());
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
        let translated = count as usize - all;
        // Far below what there is, so that other generated programs do not fail this.
        let least = match strength {
            // Groups that share registers are never translated.
            Strength::Shared => 0,
            Strength::Operations => 60,
            Strength::Straight => 85,
            Strength::Flow => 20,
            Strength::Numeric => 60,
        };
        assert!(
            100 * translated >= least * count as usize,
            "{translated} of {count} {}",
            strength.name()
        );
        reasons.extend(refused.keys().cloned());
        println!("seed {SEED}, {}: {} of {count} translated", strength.name(), translated);
        for (reason, n) in refused {
            println!("  {n:4} {reason}");
        }
    }
    assert!(reasons.len() > 1, "{reasons:?}");
    // Straight programs execute all that they can.
    assert!(tight > 100, "the bound is reached {tight} times");
}

fn groups(launch: &Launch) -> u64 {
    Grouping::of(launch).count()
}

/// Instructions that all groups of a launch execute.
fn executed(launch: &Launch, memory: &mut Memory) -> u64 {
    let mut launch = launch.clone();
    launch.statistics = true;
    let outcome = Reference::new().run(&launch, memory, &NoProgress);
    let counted = outcome.ok().and_then(|outcome| outcome.statistics);
    counted.map_or(0, |counted| counted.alu + counted.out + counted.tex + counted.fc)
}
