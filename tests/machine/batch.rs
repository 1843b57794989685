//! Batches through the library: `Engine::run_batch` gives what `Engine::run` gives one by one, and
//! jobs that share files and have memory for their buffers only what they give on their own.

use crate::common::{self, Bench};
use ctm::crosscheck::{Case, Strength, generate};
use ctm::engine::Checked;
use ctm::engine::{BatchItem, BatchProgress, Engine, LaunchError, NoProgress, Outcome, Stop};
use ctm::job::{Job, JobResult, RunOptions, SharedFiles};
use ctm::launch::{Constants, Domain, FloatMode};
use ctm::memory::Memory;
use ctm::random::Random;
use ctm_testing::files;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

crate::gpu_takes_part!();

const SEED: u64 = 0xba7c4;

fn bytes(memory: &Memory) -> Vec<u8> {
    memory.ranges().map(|(_, bytes)| bytes).collect::<Vec<_>>().concat()
}

/// Generated launches: of each program several, with constants and memory of their own, between
/// them some that cannot run, that have no points, or that are large.
fn cases(from: u64, to: u64) -> Vec<Case> {
    let mut cases = Vec::new();
    let mut random = Random::new(&[SEED]);
    for index in from..to {
        let case = generate(SEED, Strength::of_index(index), index);
        for copy in 0..3 {
            let mut case = case.clone();
            case.launch.statistics = random.chance(80);
            if copy != 0 {
                let mut constants = Constants::clone(&case.launch.constants);
                for value in constants.float.as_flattened_mut() {
                    *value = random.hard();
                }
                case.launch.constants = Arc::new(constants);
                for byte in case.bytes.iter_mut().step_by(5) {
                    *byte = random.below(256) as u8;
                }
            }
            if random.chance(20) {
                case.launch.mode = FloatMode::Fast;
            }
            if case.launch.initial.is_empty() {
                match random.below(30) {
                    0 => case.launch.domain.i0 = case.launch.domain.i1 + 1,
                    1 => case.launch.domain.j1 = 4096,
                    2 => {
                        case.launch.domain = Domain { i0: 3, j0: 0, i1: 130, j1: 140 };
                    }
                    _ => {}
                }
            }
            if random.chance(5) {
                case.launch.inputs = [None; 16];
            }
            cases.push(case);
        }
    }
    // Programs come in any order.
    for n in (1..cases.len()).rev() {
        cases.swap(n, random.below(n as u32 + 1) as usize);
    }
    cases
}

type Ran = (Result<Outcome, LaunchError>, Vec<u8>);

fn one_by_one(engine: &dyn Engine, cases: &[Case]) -> Vec<Ran> {
    cases
        .iter()
        .map(|case| {
            let mut memory = case.memory().expect("memory");
            let result = engine.run(&case.launch, &mut memory, &NoProgress);
            (result, bytes(&memory))
        })
        .collect()
}

struct Most(AtomicU64, AtomicU64);

impl BatchProgress for Most {
    fn launches(&self, done: u64, total: u64) {
        self.0.fetch_max(done, Ordering::Relaxed);
        self.1.store(total, Ordering::Relaxed);
    }
}

fn as_batch(engine: &dyn Engine, cases: &[Case]) -> Vec<Ran> {
    let mut memories: Vec<Memory> =
        cases.iter().map(|case| case.memory().expect("memory")).collect();
    let mut items: Vec<BatchItem> = cases
        .iter()
        .zip(&mut memories)
        .map(|(case, memory)| BatchItem { launch: &case.launch, memory })
        .collect();
    let most = Most(AtomicU64::new(0), AtomicU64::new(0));
    let results = engine.run_batch(&mut items, &most);
    assert_eq!(results.len(), cases.len());
    let total = cases.len() as u64;
    assert_eq!((most.0.into_inner(), most.1.into_inner()), (total, total));
    results.into_iter().zip(memories.iter().map(bytes)).collect()
}

/// Memory after a launch of the mode `fast` on its own and in a batch: nothing may differ but the
/// sign and payload of NaN, where the order of a commutative operation's operands, which compilers
/// choose, decides which of two NaN comes out. How many words differ so.
fn other_nans(alone: &[u8], batch: &[u8], what: &str) -> usize {
    let word = |bytes: &[u8]| bytes.try_into().map_or(0, u32::from_le_bytes);
    let words = alone.chunks(4).zip(batch.chunks(4)).enumerate();
    words
        .filter(|(_, (a, b))| a != b)
        .inspect(|(n, (a, b))| {
            let (a, b) = (word(a), word(b));
            let both = [a, b].iter().all(|&x| f32::from_bits(x).is_nan());
            assert!(both, "{what}: word {n}: 0x{a:08x} alone, 0x{b:08x} in a batch");
        })
        .count()
}

#[test]
fn a_batch_gives_what_each_launch_gives_alone() {
    println!("seed {SEED:#x}");
    let (mut ran, mut refused, mut faulted, mut nans) = (0, 0, 0, 0);
    for from in [0, 60, 120] {
        let cases = cases(from, from + 60);
        for engine in common::engines() {
            let alone = one_by_one(engine.as_ref(), &cases);
            // The second time everything that an engine keeps is there.
            for time in 0..2 {
                let batch = as_batch(engine.as_ref(), &cases);
                for (n, (alone, batch)) in alone.iter().zip(&batch).enumerate() {
                    let mode = cases[n].launch.mode;
                    let what = format!("{}, item {n}, {mode:?}, time {time}", engine.name());
                    if mode == FloatMode::Fast
                        && let Some(adapter) = engine.adapter()
                    {
                        assert_eq!(alone.0.is_ok(), batch.0.is_ok(), "{what}");
                        // Other drivers may make one operation of a product and a sum, or not.
                        if adapter.contains("llvmpipe") {
                            assert_eq!(alone.0, batch.0, "{what}");
                            nans += other_nans(&alone.1, &batch.1, &what);
                        }
                        continue;
                    }
                    assert_eq!(alone.0, batch.0, "{what}");
                    assert!(alone.1 == batch.1, "{what}: memory");
                }
            }
            for (result, _) in alone {
                match result {
                    Ok(outcome) => {
                        ran += 1;
                        faulted += usize::from(!outcome.faults.is_empty());
                    }
                    Err(_) => refused += 1,
                }
            }
        }
    }
    println!("{ran} ran, {faulted} of them with faults, {refused} were refused; {nans} other NaN");
    assert!(ran > 800 && refused > 20 && faulted > 20);
}

#[test]
fn an_engine_without_batches_runs_one_after_the_other() {
    struct Plain(ctm::engine::block::Block);
    impl Engine for Plain {
        fn name(&self) -> &'static str {
            "plain"
        }
        fn run_checked(
            &self,
            launch: &Checked<'_>,
            memory: &mut Memory,
            progress: &dyn ctm::engine::Progress,
        ) -> Result<Outcome, LaunchError> {
            self.0.run_checked(launch, memory, progress)
        }
    }
    let plain = Plain(ctm::engine::block::Block::new());
    let cases = cases(300, 320);
    assert!(one_by_one(&plain, &cases) == as_batch(&plain, &cases));
}

#[test]
fn an_empty_batch_is_no_work() {
    for engine in common::engines() {
        assert!(engine.run_batch(&mut [], &NoProgress).is_empty());
    }
}

/// Everything but times and the size of memory.
fn assert_same(alone: &JobResult, batch: &JobResult, job: &Job) {
    let what = job.file.display();
    let key = |r: &JobResult| {
        (
            r.engine,
            r.adapter.clone(),
            r.mode,
            (r.launches, r.points, r.groups),
            (r.statistics, r.clocks),
            r.faults.clone(),
            r.hazards.clone(),
            r.warnings.clone(),
            r.surfaces.clone(),
        )
    };
    assert_eq!(key(alone), key(batch), "{what}");
    for n in 0..job.buffers.len() {
        let read = |r: &JobResult| r.raster(n).expect("inside memory");
        assert!(read(alone) == read(batch), "{what}: buffer {n}");
    }
}

#[test]
fn jobs_in_a_batch_give_what_they_give_alone() {
    let mut files = files::jobs("kernels");
    files.retain(|job| !files::is_large(job));
    let kernels = files.len();
    files.extend(files::jobs("tests/vectors").into_iter().step_by(6));
    let shared = SharedFiles::new();
    let jobs: Vec<Job> = files
        .iter()
        .map(|file| {
            let text = Job::text(file, &shared).expect("text");
            Job::parse_shared(&text, file, &shared, Stop::never())
                .unwrap_or_else(|error| panic!("{error}"))
        })
        .collect();
    let several = jobs.iter().filter(|job| job.launches() > 1).count();
    println!("{} jobs, {kernels} kernels, {several} of several launches", jobs.len());
    assert!(jobs.len() >= 80 && kernels >= 10 && several > 3);
    for engine in common::engines() {
        // The kernels take too long on the others.
        let jobs = if engine.name() == "block" { &jobs[..] } else { &jobs[kernels..] };
        let options = RunOptions { statistics: true, ..RunOptions::default() };
        for job in jobs {
            let batch = job.run(engine.as_ref(), &options, &NoProgress);
            // Read anew, so that nothing is shared.
            let alone = Job::read(&job.file)
                .and_then(|job| job.run(engine.as_ref(), &options, &NoProgress))
                .unwrap_or_else(|error| panic!("{error}"));
            assert_same(&alone, &batch.expect("it runs alone"), job);
        }
    }
}

/// A job in a folder: a program that adds constant 0 to input 0.
fn shared_folder(names: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    for name in names {
        let path = dir.path().join(name);
        std::fs::create_dir(&path).expect("a folder");
        std::fs::write(path.join("p.dpp"), "add o0, r0, c0\n").expect("written");
    }
    dir
}

fn shared_job(dir: &Path, name: &str, more: &str, shared: &SharedFiles) -> Job {
    let text = format!(
        "version = 1
program = {{ file = \"p.dpp\" }}
domain = {{ i0 = 0, j0 = 0, i1 = 7, j1 = 7 }}
{more}
[[output]]
slot = 0
format = \"FLOAT32_4\"
"
    );
    let file = dir.join(name).join("job.toml");
    Job::parse_shared(&text, &file, shared, Stop::never()).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn equal_programs_and_arrays_are_kept_once() {
    let dir = shared_folder(&["a", "b", "c"]);
    let path = dir.path();
    let rows = ctm::array::Array {
        dtype: ctm::array::Dtype::Float32,
        shape: vec![1, 4],
        units: vec![0x3f80_0000; 4],
    };
    ctm::array::npy::save(&rows, &path.join("rows.npy")).expect("written");
    std::fs::write(path.join("c/p.dpp"), "add o0, r0, c1\n").expect("written");
    let shared = SharedFiles::new();
    let constants = "constants = { float_file = \"../rows.npy\" }";
    let jobs: Vec<Job> = ["a", "a", "b", "c"]
        .iter()
        .map(|name| shared_job(path, name, constants, &shared))
        .collect();
    let program = |n: usize| &jobs[n].passes[0].program;
    assert!(Arc::ptr_eq(program(0), program(1)), "the same file");
    assert!(Arc::ptr_eq(program(0), program(2)), "the same bytes");
    assert!(!Arc::ptr_eq(program(0), program(3)), "other bytes");
    assert!(program(0).image() != program(3).image());
    // Not read again: the file is gone.
    std::fs::remove_file(path.join("a/p.dpp")).expect("removed");
    std::fs::remove_file(path.join("rows.npy")).expect("removed");
    let again = shared_job(path, "a", constants, &shared);
    assert!(Arc::ptr_eq(program(0), &again.passes[0].program));
    assert_eq!(again.passes[0].constants, jobs[0].passes[0].constants);
    // Jobs on their own share nothing.
    let text =
        "version = 1\nprogram = { file = \"p.dpp\" }\ndomain = { i0 = 0, j0 = 0, i1 = 7, j1 = 7 }";
    let file = path.join("b/alone.toml");
    let alone = Job::parse(text, &file).expect("a job");
    assert!(!Arc::ptr_eq(program(2), &alone.passes[0].program));
}

#[test]
fn registers_of_a_job_make_another_program() {
    let dir = tempfile::tempdir().expect("a folder");
    // `mov o0, r1`, and a program of the same bytes with other registers.
    let words = "00078005 08020001 08020001 00440220 0060c003 00000005\n";
    std::fs::write(dir.path().join("p.hex"), words).expect("written");
    let shared = SharedFiles::new();
    let job = |program: &str| {
        let text = format!(
            "version = 1\nprogram = {program}\ndomain = {{ i0 = 0, j0 = 0, i1 = 7, j1 = 7 }}"
        );
        Job::parse_shared(&text, &dir.path().join("job.toml"), &shared, Stop::never())
            .unwrap_or_else(|error| panic!("{error}"))
    };
    let plain = job("{ file = \"p.hex\" }");
    let zero = job("{ file = \"p.hex\", registers = { US_CONFIG = 2 } }");
    let again = job("{ file = \"p.hex\", registers = { US_CONFIG = 2 } }");
    let kind = job("{ file = \"p.hex\", kind = \"hex\" }");
    let of = |job: &Job| job.passes[0].program.clone();
    assert!(!of(&plain).image().registers.zero_times());
    assert!(of(&zero).image().registers.zero_times());
    assert!(Arc::ptr_eq(&of(&zero), &of(&again)));
    assert_eq!(of(&plain).image(), of(&kind).image());
}

/// Runs this test again in a process that panics at a place; `false` in that process.
fn again(test: &str, asked: &str) -> bool {
    if std::env::var("CTM_PANIC").is_ok_and(|given| given == asked) {
        return false;
    }
    let mut again = std::process::Command::new(std::env::current_exe().expect("a file"));
    again.args(["--exact", &format!("batch::{test}"), "--nocapture"]).env("CTM_PANIC", asked);
    let output = again.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains(" 1 passed;"), "{said}");
    true
}

/// Launches of which every third one has a program that begins in line 5.
fn launches_with_odd_ones() -> Vec<(bool, Bench)> {
    let bench = |n: usize| {
        let (odd, lines) = (n % 3 == 1, if n % 3 == 1 { "\n\n\n\n" } else { "" });
        let mut bench = Bench::new(&format!("{lines}mad o0, r0, c0, c0\n"), 30, 20);
        Arc::make_mut(&mut bench.launch.constants).float[0] = [n as u32; 4];
        (odd, bench)
    };
    (0..40).map(bench).collect()
}

fn run_all(engine: &dyn Engine, all: &mut [(bool, Bench)]) -> Vec<Result<Outcome, LaunchError>> {
    let items = all
        .iter_mut()
        .map(|(_, bench)| BatchItem { launch: &bench.launch, memory: &mut bench.memory });
    engine.run_batch(&mut items.collect::<Vec<_>>(), &NoProgress)
}

#[test]
fn a_panic_is_the_error_of_its_launch() {
    if again("a_panic_is_the_error_of_its_launch", "launch=test.dpp:5") {
        return;
    }
    for engine in common::engines() {
        // The second time on what the first one left.
        for _ in 0..2 {
            let (mut model, mut trial) = (launches_with_odd_ones(), launches_with_odd_ones());
            let found = run_all(engine.as_ref(), &mut trial);
            for (n, ((odd, model), (_, trial))) in model.iter_mut().zip(&trial).enumerate() {
                let what = format!("{} {n}", engine.name());
                if *odd {
                    let error = found[n].as_ref().expect_err(&what).to_string();
                    let start = "internal error: CTM_PANIC: launch of ";
                    assert!(error.contains(start), "{what}: {error}");
                    assert!(matches!(found[n], Err(LaunchError::Panic { .. })), "{what}: {error}");
                    continue;
                }
                let want = engine.run(&model.launch, &mut model.memory, &NoProgress);
                assert!(want.is_ok(), "{what}");
                assert_eq!(found[n], want, "{what}");
                assert_eq!(bytes(&trial.memory), bytes(&model.memory), "{what}");
            }
        }
    }
}

#[test]
fn launches_of_a_pack_that_panics_run_alone() {
    if again("launches_of_a_pack_that_panics_run_alone", "submit=test.dpp:5") {
        return;
    }
    for engine in common::engines() {
        for _ in 0..2 {
            let (mut model, mut trial) = (launches_with_odd_ones(), launches_with_odd_ones());
            let found = run_all(engine.as_ref(), &mut trial);
            for (n, ((_, model), (_, trial))) in model.iter_mut().zip(&trial).enumerate() {
                let what = format!("{} {n}", engine.name());
                let want = engine.run(&model.launch, &mut model.memory, &NoProgress);
                assert!(want.is_ok(), "{what}");
                assert_eq!(found[n], want, "{what}");
                assert_eq!(bytes(&trial.memory), bytes(&model.memory), "{what}");
            }
        }
    }
}
