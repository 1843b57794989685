//! How many variants of the interpreter's shader launches need, how many pipelines those become, what
//! a pipeline costs to compile, and how long a micro-operation is in SPIR-V.
//!
//! `CTM_ADAPTER=0 cargo bench --bench variants`. The launches are those of the jobs in `kernels/` and
//! `tests/vectors/` and of generated programs.

use ctm::crosscheck::Case;
use ctm::crosscheck::generate::{Strength, generate};
use ctm::engine::block::Block;
use ctm::engine::gpu::abi::encode::encode;
use ctm::engine::gpu::device::watch::{After, Dispatch, Watch};
use ctm::engine::gpu::shader::guards::Guards;
use ctm::engine::gpu::shader::variant::Variant;
use ctm::engine::gpu::{AdapterChoice, Gpu, Interpreter, Tuning};
use ctm::engine::{BatchItem, Checked, Engine, LaunchError, NoProgress, Outcome, Progress};
use ctm::job::{Job, RunOptions};
use ctm::launch::FloatMode;
use ctm::memory::Memory;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The number of generated programs, and of variants of theirs whose compile time is measured.
const PROGRAMS: u64 = 2000;
const TIMED: usize = 24;

/// Runs launches on the block engine, and calls `see` with each before.
struct Seen<'a> {
    block: Block,
    see: &'a (dyn Fn(&Checked<'_>, &Memory) + Sync),
}

impl Engine for Seen<'_> {
    fn name(&self) -> &'static str {
        "seen"
    }

    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        (self.see)(launch, memory);
        self.block.run_checked(launch, memory, progress)
    }
}

/// The texts of the shaders that were dispatched.
#[derive(Default)]
struct Texts(Mutex<BTreeSet<String>>);

impl Watch for Texts {
    fn dispatch(&self, _: &Gpu, _: &mut wgpu::CommandEncoder, dispatch: &Dispatch<'_>) -> After {
        self.0.lock().expect("no panic").insert((dispatch.shader)().0);
        Box::new(|_| ())
    }
}

impl Texts {
    fn count(&self) -> usize {
        self.0.lock().expect("no panic").len()
    }
}

fn jobs() -> Vec<Job> {
    let files =
        [ctm_testing::files::jobs("kernels"), ctm_testing::files::jobs("tests/vectors")].concat();
    let read = |file: &std::path::PathBuf| {
        let mut job = Job::read(file).unwrap_or_else(|error| panic!("{error}"));
        for pass in &mut job.passes {
            pass.repeat = pass.repeat.min(2);
        }
        job
    };
    files.iter().filter(|file| !ctm_testing::files::is_large(file)).map(read).collect()
}

fn cases() -> impl Iterator<Item = Case> {
    (0..PROGRAMS).map(|index| generate(1, Strength::of_index(index), index))
}

fn run_jobs(engine: &dyn Engine) {
    for job in jobs() {
        // A job whose launches are refused has been seen, too.
        let _ = job.run(engine, &RunOptions::default(), &NoProgress);
    }
}

fn gpu() -> Gpu {
    let gpu = Gpu::open(&AdapterChoice::from_environment());
    gpu.unwrap_or_else(|error| panic!("{error}"))
}

/// The processor time that this process has taken so far, in hundredths of a second, where Linux says it.
fn spent() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the process may have spaces.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?)
}

/// The time of a launch's first run in an interpreter of its own, less that of its second one; processor
/// time where it is known, for a busy machine.
fn compile(gpu: &Gpu, probed: &Interpreter, case: &Case) -> Option<Duration> {
    let probe = Some(Ok(probed.probe().ok()?.clone()));
    let fresh = Interpreter::tuned(gpu.clone(), Tuning { probe, ..Tuning::default() });
    fresh.probe().ok()?;
    let mut times = [Duration::ZERO; 2];
    for time in &mut times {
        let mut memory = case.memory().ok()?;
        let (start, before) = (Instant::now(), spent());
        fresh.run(&case.launch, &mut memory, &NoProgress).ok()?;
        *time = match (before, spent()) {
            (Some(before), Some(after)) => Duration::from_millis(10 * (after - before)),
            _ => start.elapsed(),
        };
    }
    Some(times[0].saturating_sub(times[1]))
}

fn middle_and_most<T: Ord + Copy>(mut values: Vec<T>) -> Option<(T, T)> {
    values.sort();
    Some((*values.get(values.len() / 2)?, *values.last()?))
}

/// The number of instructions of each function of a shader in SPIR-V, called functions included, without
/// labels.
fn spirv(wgsl: &str) -> BTreeMap<String, usize> {
    use naga::back::spv;
    let module = naga::front::wgsl::parse_str(wgsl).unwrap_or_else(|error| panic!("{error}"));
    let all = naga::valid::Capabilities::all();
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), all);
    let info = validator.validate(&module).unwrap_or_else(|error| panic!("{error}"));
    let options = spv::Options { flags: spv::WriterFlags::DEBUG, ..Default::default() };
    let words = spv::write_vec(&module, &info, &options, None);
    let words = words.unwrap_or_else(|error| panic!("{error}"));
    let (mut names, mut counts) = (HashMap::new(), HashMap::<u32, usize>::new());
    let (mut now, mut at) = (0, 5);
    while at < words.len() {
        let (op, length) = (words[at] & 0xffff, words[at] as usize >> 16);
        let rest = &words[at + 1..at + length];
        match op {
            // OpName, OpFunction, OpFunctionCall, OpLabel. Callees come before their callers.
            5 => {
                let bytes: Vec<u8> = rest[1..].iter().flat_map(|word| word.to_le_bytes()).collect();
                let name = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
                names.insert(rest[0], String::from_utf8_lossy(name).into_owned());
            }
            54 => {
                now = rest[1];
                counts.insert(now, 0);
            }
            57 => {
                let called = counts.get(&rest[2]).copied().unwrap_or_default();
                *counts.entry(now).or_default() += called;
            }
            55 | 56 | 248 => {}
            _ => *counts.entry(now).or_default() += usize::from(now != 0),
        }
        at += length;
    }
    let named = counts.into_iter().filter_map(|(id, count)| Some((names.remove(&id)?, count)));
    named.collect()
}

/// Prints how long parts of the interpreter are.
fn print_lengths(what: &str, variant: &Variant) {
    let counts = spirv(&variant.source());
    let shown = ["operation", "operand", "one_lane", "four_lanes", "math", "point_op", "flow_op"];
    let shown = shown.iter().filter_map(|name| Some(format!("{name} {}", counts.get(*name)?)));
    println!("SPIR-V, {what}: {}", shown.collect::<Vec<_>>().join(", "));
}

fn main() {
    // `cargo test --benches` runs this too; measure only with --bench.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let gpu = gpu();
    let interpreter = Interpreter::on(gpu.clone());
    println!("{}", gpu.info.name);
    let all = Variant { uniform: true, many: false, ..Variant::everything() };
    print_lengths("level 0", &all);
    print_lengths("fast", &Variant { mode: FloatMode::Fast, ..all });
    print_lengths("level 1", &Variant { guards: Guards::Normal, ..all });

    let needed = Mutex::new(HashMap::<Variant, u32>::new());
    let operations = Mutex::new(0);
    let see = |launch: &Checked<'_>, _: &Memory| {
        let variant = interpreter.needed(launch);
        if let Ok(variant) = variant {
            *needed.lock().expect("no panic").entry(variant).or_default() += 1;
        }
        let mut most = operations.lock().expect("no panic");
        *most = (*most).max(encode(&launch.lowered, &launch.program).flows);
    };
    run_jobs(&Seen { block: Block::new(), see: &see });
    let of_jobs = std::mem::take(&mut *needed.lock().expect("no panic"));
    let cases: Vec<Case> = cases().collect();
    let mut first = HashMap::new();
    for (n, case) in cases.iter().enumerate() {
        let (Ok(checked), Ok(memory)) = (Checked::new(&case.launch), case.memory()) else {
            continue;
        };
        see(&checked, &memory);
        if let Ok(variant) = interpreter.needed(&checked) {
            first.entry(variant).or_insert(n);
        }
    }
    let of_cases = std::mem::take(&mut *needed.lock().expect("no panic"));
    println!("{} variants are needed by the jobs", of_jobs.len());
    println!("{} by {PROGRAMS} generated programs", of_cases.len());
    let all: BTreeSet<String> =
        of_jobs.keys().chain(of_cases.keys()).map(Variant::source).collect();
    println!("{} texts together", all.len());
    let most = operations.into_inner().expect("no panic");
    println!("at most {most} vec4s of micro-operations of a program");

    let lines = all.iter().map(|text| text.lines().count()).collect();
    println!("lines of a text, median and most: {:?}", middle_and_most(lines));
    let mut firsts: Vec<usize> = first.into_values().collect();
    firsts.sort_unstable();
    let step = firsts.len().div_ceil(TIMED).max(1);
    let timed = firsts.iter().step_by(step).filter_map(|n| compile(&gpu, &interpreter, &cases[*n]));
    println!("to compile, median and most: {:?}", middle_and_most(timed.collect()));

    let texts = Arc::new(Texts::default());
    let watched = || Interpreter::on(gpu.clone().watched(texts.clone()));
    run_jobs(&watched());
    println!("{} pipelines of the jobs in one process", texts.count());
    texts.0.lock().expect("no panic").clear();
    let engine = watched();
    for part in cases.chunks(128) {
        let mut memories: Vec<Memory> =
            part.iter().map(|case| case.memory().expect("small memories")).collect();
        let mut items: Vec<BatchItem<'_>> = part
            .iter()
            .zip(&mut memories)
            .map(|(case, memory)| BatchItem { launch: &case.launch, memory })
            .collect();
        engine.run_batch(&mut items, &NoProgress);
    }
    println!("{} pipelines of the generated programs in one process", texts.count());
}
