//! The shaders in a browser: Tint, Chromium's compiler, accepts each of them, and launches give the
//! same words there as here.
//!
//! These tests need Chromium: the program that `CTM_CHROMIUM` names, else an installed one. They are
//! ignored by default. `tests/all.sh` installs Chromium where it may, and then runs them.
//! Launches are recorded on the adapter for the tests (see `common`): every dispatch with what its
//! buffers hold before and afterwards. The page runs the same dispatches on the same content.

mod chromium;
#[path = "../common/mod.rs"]
mod common;
mod recording;
#[path = "../common/same.rs"]
mod same;
mod shaders;

use chromium::{Answer, Binding, Chromium, Results, Task};
use ctm::engine::block::Block;
use ctm::engine::gpu::probe::{self, ProbeReport, probed};
use ctm::engine::gpu::shader::guards::Guards;
use ctm::engine::gpu::shader::variant::Storage;
use ctm::engine::gpu::{AdapterChoice, Gpu, Interpreter, Translated, Tuning};
use ctm::engine::{Engine, NoProgress};
use ctm::job::{Job, RunOptions};
use ctm::launch::FloatMode;
use recording::{Recorded, Recording};
use shaders::Shaders;
use std::path::Path;
use std::sync::Arc;

/// The jobs whose launches run in the page: of this package, all of mode exact and without a log, whose
/// entries have no order.
const JOBS: [&str; 27] = [
    "kernels/conditional/conditional_dpp.toml",
    "kernels/conditional/conditional_pe.toml",
    "kernels/copy/copy.toml",
    "kernels/jacobi/jacobi.toml",
    "kernels/mandelbrot/mandelbrot_96.toml",
    "kernels/nbody/nbody.toml",
    "kernels/saxpy/saxpy.toml",
    "kernels/sobel/sobel.toml",
    "tests/vectors/exact/alu_dot_00/job.toml",
    "tests/vectors/exact/alu_hard_00/job.toml",
    "tests/vectors/exact/alu_omod_00/job.toml",
    "tests/vectors/exact/alu_quad_00/job.toml",
    "tests/vectors/exact/condition_00/job.toml",
    "tests/vectors/exact/flow_loop_00/job.toml",
    "tests/vectors/exact/formats_00/job.toml",
    "tests/vectors/exact/formats_01/job.toml",
    "tests/vectors/exact/relative_00/job.toml",
    "tests/vectors/exact/texkill_00/job.toml",
    "tests/vectors/exact/texture_00/job.toml",
    "tests/vectors/exact/texture_fixed_00/job.toml",
    "tests/vectors/exact/transcendental_exact_00/job.toml",
    "tests/vectors/jobs/deriv_mix/default.toml",
    "tests/vectors/jobs/fc_nested_loops_break/default.toml",
    "tests/vectors/jobs/gp_fft_butterfly/default.toml",
    "tests/vectors/jobs/io_mrt4/default.toml",
    "tests/vectors/jobs/kill_in_loop/default.toml",
    "tests/vectors/jobs/tex_repeat/default.toml",
];

/// Those that also run with registers in workgroup memory.
const SHARED: [&str; 3] = [
    "kernels/mandelbrot/mandelbrot_96.toml",
    "tests/vectors/exact/flow_loop_00/job.toml",
    "tests/vectors/jobs/kill_in_loop/default.toml",
];

/// What Tint says about a barrier that only some points may reach.
const NOT_UNIFORM: &str = "'workgroupBarrier' must only be called from uniform control flow";

/// Compiles shaders. Returns what Tint has to say about each that it has anything to say about.
fn messages(browser: &mut Chromium, shaders: &Shaders) -> Vec<String> {
    let said = shaders.iter().filter_map(|(wgsl, what)| {
        let report = browser.ask(&Task::compile(wgsl.clone())).report(wgsl)?;
        Some(format!("{what}:\n{report}"))
    });
    said.collect()
}

/// The guard level that the page's adapter needs. The page runs the probe's shaders, and the probe
/// decides.
fn probed_in(browser: &mut Chromium) -> ProbeReport {
    let functions = probed();
    // A page has no float controls.
    let levels = Guards::ALL.into_iter().filter(|level| level.denormals().is_none());
    let report = probe::decide(levels, &functions, |guards, tuples| {
        let results = vec![0; tuples.len() * functions.len()];
        let task = Task {
            wgsl: shaders::probe_kernel(guards),
            entry: Some("probe".to_string()),
            workgroups: [tuples.len().div_ceil(64) as u32, 1],
            bindings: vec![
                Binding { number: 0, words: tuples.concat() },
                Binding { number: 1, words: results },
            ],
        };
        Ok(ran(browser.ask(&task), &task).remove(&1).expect("the results"))
    });
    report.unwrap_or_else(|error| panic!("{error}"))
}

/// The results of a task that was run.
fn ran(answer: Answer, task: &Task) -> Results {
    let report = answer.report(&task.wgsl).unwrap_or_default();
    answer.results.unwrap_or_else(|| panic!("not run:\n{report}"))
}

/// The dispatches of a job on an engine, after a check of what the job gives there.
fn recorded(recording: &Recording, engine: &dyn Engine, file: &str) -> Vec<Recorded> {
    let mut job = Job::read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(file))
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(job.mode, FloatMode::Exact, "{file}");
    for pass in &mut job.passes {
        pass.repeat = pass.repeat.min(2);
    }
    let run = |engine: &dyn Engine| {
        let result = job.run(engine, &RunOptions::default(), &NoProgress);
        result.unwrap_or_else(|error| panic!("{file}: {error}"))
    };
    let (expected, result) = (run(&Block::new()), run(engine));
    assert_eq!(same::difference(&expected.memory, &result.memory), None, "{file}");
    recording.take()
}

/// The number of words that differ, if the same words are there.
fn different(expected: &Results, found: &Results) -> Result<usize, String> {
    let mut count = 0;
    for (number, found) in found {
        let expected = expected.get(number).ok_or(format!("binding {number}"))?;
        if expected.len() != found.len() {
            return Err(format!("binding {number}: {} words, not {}", found.len(), expected.len()));
        }
        count += expected.iter().zip(found).filter(|(expected, found)| expected != found).count();
    }
    // Every dispatch writes to memory or to its results.
    if found.is_empty() { Err("nothing is written".to_string()) } else { Ok(count) }
}

/// A shader with a barrier that only some points reach, and one that gives 3 n + 1 for each n.
const WRONG: &str = "@compute @workgroup_size(64)\nfn main(@builtin(local_invocation_index) n: u32) {\n    \
                     if n == 0u {\n        workgroupBarrier();\n    }\n}\n";
const RIGHT: &str = "@group(0) @binding(1) var<storage, read> given: array<u32>;\n\
                     @group(0) @binding(2) var<storage, read_write> found: array<u32>;\n\
                     @compute @workgroup_size(64)\n\
                     fn run(@builtin(global_invocation_id) id: vec3<u32>) {\n    \
                     found[id.x] = 3u * given[id.x] + 1u;\n}\n";

/// `tests/all.sh` skips the tests of this module where there is no Chromium.
mod in_chromium {
    use super::*;

    #[test]
    #[ignore = "needs Chromium"]
    fn tint_accepts_every_shader() {
        let mut browser = Chromium::start();
        let mut shaders = shaders::arithmetic();
        shaders.extend(shaders::translations());
        shaders.extend(shaders::interpreters());
        assert!(shaders.len() > 500, "{}", shaders.len());
        let said = messages(&mut browser, &shaders);
        let shown = &said[..said.len().min(8)];
        assert!(said.is_empty(), "{} of {}\n{}", said.len(), shaders.len(), shown.join("\n"));
        println!("{} shaders", shaders.len());
    }

    #[test]
    #[ignore = "needs Chromium and an adapter"]
    fn launches_give_the_same_words_in_the_page() {
        let mut browser = Chromium::start();
        let report = probed_in(&mut browser);
        println!("{}: {report:?}", browser.adapter);
        let recording = Arc::new(Recording::default());
        let open = || {
            let gpu = Gpu::open(&AdapterChoice::from_environment());
            gpu.unwrap_or_else(|error| panic!("{error}")).watched(recording.clone())
        };
        let plain = Tuning { probe: Some(Ok(report.clone())), ..Tuning::default() };
        let shared = Tuning { storage: Some(Storage::Workgroup), ..plain.clone() };
        let engines: [(Box<dyn Engine>, &[&str]); 3] = [
            (Box::new(Interpreter::tuned(open(), plain.clone())), &JOBS),
            (Box::new(Interpreter::tuned(open(), shared)), &SHARED),
            (Box::new(Translated::tuned(open(), false, plain)), &JOBS),
        ];
        let (mut dispatches, mut wrong) = (0, Vec::new());
        for (engine, jobs) in &engines {
            for file in *jobs {
                for (n, Recorded { task, after }) in
                    recorded(&recording, &**engine, file).iter().enumerate()
                {
                    dispatches += 1;
                    let found = different(after, &ran(browser.ask(task), task));
                    if found != Ok(0) {
                        wrong.push(format!("{file} on {}, dispatch {n}: {found:?}", engine.name()));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        let least: usize = engines.iter().map(|(_, jobs)| jobs.len()).sum();
        assert!(dispatches >= least, "{dispatches}");
        println!("{dispatches} dispatches");
    }

    #[test]
    #[ignore = "needs Chromium"]
    fn a_refused_shader_and_a_wrong_word_are_found() {
        let mut browser = Chromium::start();
        let said =
            messages(&mut browser, &Shaders::from([(WRONG.to_string(), "wrong".to_string())]));
        assert_eq!(said.len(), 1, "{said:?}");
        let expected =
            format!("wrong:\n  4:9: error: {NOT_UNIFORM}\n      |         workgroupBarrier();\n");
        assert!(said[0].starts_with(&expected), "{}", said[0]);
        let from: Vec<u32> = (0..128).collect();
        let task = Task {
            wgsl: RIGHT.to_string(),
            entry: Some("run".to_string()),
            workgroups: [2, 1],
            bindings: vec![
                Binding { number: 1, words: from.clone() },
                Binding { number: 2, words: vec![7; 128] },
            ],
        };
        let found = ran(browser.ask(&task), &task);
        let mut expected = Results::from([(2, from.iter().map(|n| 3 * n + 1).collect())]);
        assert_eq!(different(&expected, &found), Ok(0));
        for word in expected.values_mut().flatten().skip(99).take(2) {
            *word ^= 1;
        }
        assert_eq!(different(&expected, &found), Ok(2));
        assert_eq!(different(&Results::new(), &found), Err("binding 2".to_string()));
        let short = Results::from([(2, from[1..].to_vec())]);
        assert_eq!(different(&short, &found), Err("binding 2: 128 words, not 127".to_string()));
        assert_eq!(different(&expected, &Results::new()), Err("nothing is written".to_string()));
    }
}
