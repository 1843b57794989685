//! The texts that are counted, and the paths through them.

use super::assembly::Need;
use ctm::bench::Workload;
use ctm::engine::gpu::abi::encode::Uses;
use ctm::engine::gpu::abi::surface::MemoryVariant;
use ctm::engine::gpu::plan::space::ranges;
use ctm::engine::gpu::shader::guards::Guards;
use ctm::engine::gpu::shader::translate::{Options, State, translate};
use ctm::engine::gpu::shader::variant::Variant;
use ctm::engine::{Checked, Engine, LaunchError, NoProgress, Outcome, Progress};
use ctm::job::{Job, RunOptions};
use ctm::launch::FloatMode;
use ctm::memory::Memory;
use std::path::Path;
use std::sync::Mutex;

/// A path: its name, and what the blocks it passes have. Without needs: the whole shader.
pub type Named<'n> = (&'n str, &'n [Need<'n>]);

/// A text to count.
pub struct Text {
    /// Its name.
    pub name: &'static str,
    /// Its mode.
    pub mode: FloatMode,
    /// The shader.
    pub wgsl: String,
    /// Its entry point.
    pub entry: &'static str,
    /// Whether it has float controls: RADV flushes denormals in shaders without them, so that exact ones run
    /// at guard level preserved.
    pub controlled: bool,
    /// The paths that are counted.
    pub paths: &'static [Named<'static>],
}

/// A turn of the loops for a micro-operation: the block that reads so many rows, with or without signs, and
/// the one that writes. A swizzle is in the rows' numbers, so the case is the same.
const MAD4: &[Need<'static>] = &[&[("ds_read", 12..=12), ("v_xor", 0..=0)], &[("ds_write", 4..=4)]];
const SIGNS4: &[Need<'static>] =
    &[&[("ds_read", 12..=12), ("v_xor", 12..=99)], &[("ds_write", 4..=4)]];
const MAD1: &[Need<'static>] = &[&[("ds_read", 3..=3), ("v_xor", 0..=0)], &[("ds_write", 1..=1)]];
const MOV1: &[Need<'static>] = &[&[("ds_read", 1..=1), ("v_", 0..=6)], &[("ds_write", 1..=1)]];
const CMP4: &[Need<'static>] = &[&[("ds_read", 16..=16)], &[("ds_write", 4..=4)]];
const TURNS: &[Named<'static>] = &[
    ("mad4-plain", MAD4),
    ("mad4-swizzled", MAD4),
    ("mad4-signs", SIGNS4),
    ("mad1-plain", MAD1),
    ("mov1", MOV1),
    ("cmp4", CMP4),
];

const SHADER: &[Named<'static>] = &[("shader", &[])];

/// All texts, in the modes exact and fast.
pub fn texts() -> Vec<Text> {
    let everything =
        Variant { many: false, uniform: true, subgroups: true, rows: 64, ..Variant::everything() };
    let common = Variant {
        uses: Uses::default(),
        memory: MemoryVariant { read_words: 4, write_words: 4, ..MemoryVariant::default() },
        conditions: false,
        starts: false,
        statistics: false,
        sliced: false,
        one_output: true,
        rows: 32,
        ..everything
    };
    let uses = Uses { math: true, sums: true, flows: true, ..Uses::default() };
    let flows = Variant { uses, rows: 64, ..common };
    let variants = [("common", common), ("flows", flows), ("everything", everything)];
    let chain = Workload::find("mad-chain").expect("a workload").job(128, 128).expect("a job");
    let kernels = ["mandelbrot", "sobel", "matmul"].map(|name| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        Job::read(&root.join(format!("kernels/{name}/{name}.toml"))).expect("a job")
    });
    let names =
        ["translated-mad", "translated-mandelbrot", "translated-sobel", "translated-matmul"];
    let jobs: Vec<_> = names.into_iter().zip([chain].into_iter().chain(kernels)).collect();
    let mut texts = Vec::new();
    for (mode, guards) in
        [(FloatMode::Exact, Guards::PreservedFused), (FloatMode::Fast, Guards::Ieee)]
    {
        let controlled = guards.controlled();
        for (name, variant) in variants {
            let wgsl = Variant { mode, guards, ..variant }.source();
            texts.push(Text { name, mode, wgsl, entry: "main", controlled, paths: TURNS });
        }
        for (name, job) in &jobs {
            texts.push(Text {
                name,
                mode,
                wgsl: translated(job, mode, guards),
                entry: "main",
                controlled,
                paths: SHADER,
            });
        }
    }
    texts
}

/// The shader that a job's first launch becomes.
fn translated(job: &Job, mode: FloatMode, guards: Guards) -> String {
    let mut job = job.clone();
    job.mode = mode;
    for pass in &mut job.passes {
        pass.repeat = 1;
    }
    let options = Options { guards, ..Options::default() };
    let first = First { options, text: Mutex::default() };
    job.run(&first, &RunOptions::default(), &NoProgress).expect("it does not run");
    first.text.into_inner().expect("no panic").expect("a launch")
}

/// An engine that translates the first launch and runs none.
struct First {
    options: Options,
    text: Mutex<Option<String>>,
}

impl Engine for First {
    fn name(&self) -> &'static str {
        "first"
    }

    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        _: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let state =
            State::of(launch, &ranges(memory), &self.options).expect("it can be translated");
        let translation = translate(&launch.program, &launch.lowered, &state);
        let wgsl = translation.expect("it can be translated").wgsl;
        self.text.lock().expect("no panic").get_or_insert(wgsl);
        Ok(Outcome::default())
    }
}
