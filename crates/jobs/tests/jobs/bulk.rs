//! Jobs in bulk: the test vectors, the documentation's examples, random texts.

use crate::job_common::{PROGRAM, SHORT};
use ctm_jobs::array::compare::{Tolerance, compare};
use ctm_jobs::array::{Array, Dtype, npy};
use ctm_jobs::job::{Job, JobResult, RunOptions};
use ctm_machine::engine::NoProgress;
use ctm_machine::engine::reference::Reference;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use std::fs;
use std::path::PathBuf;

fn directory() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("p.hex"), PROGRAM).unwrap();
    for name in ["a.npy", "b.npy", "expected.npy"] {
        let array = Array { dtype: Dtype::Float32, shape: vec![16, 16, 4], units: vec![0; 1024] };
        npy::save(&array, &dir.path().join(name)).unwrap();
    }
    dir
}

fn run(job: &Job) -> JobResult {
    job.run(&Reference::new(), &RunOptions::default(), &NoProgress).unwrap()
}

/// A job of two buffers; keys of its pass may follow.
const LONG: &str = "version = 1
[[buffer]]
name = \"a\"
format = \"FLOAT32_4\"
file = \"a.npy\"
[[buffer]]
name = \"b\"
format = \"FLOAT32_4\"
fill = [1, 2, 3.5, \"0x7f\"]
width = 3
height = 2
[[pass]]
program = { file = \"p.hex\" }
domain = { i0 = 0, j0 = 0, i1 = 2, j1 = 1 }
";

/// The TOML blocks of the documentation.
#[test]
fn the_examples_of_the_documentation_run() {
    let path = ctm_testing::files::root().join("docs/jobs.md");
    let text = fs::read_to_string(path).unwrap();
    let blocks: Vec<&str> =
        text.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
    assert_eq!(blocks.len(), 2);
    let dir = directory();
    for block in blocks {
        let job = match Job::parse(block, &dir.path().join("job.toml")) {
            Ok(job) => job,
            Err(error) => panic!("{error}"),
        };
        // The program here is not the page's, which uses them.
        assert!(job.warnings.iter().all(|warning| warning.ends_with("have no effect")));
        let mut result = run(&job);
        assert!(result.faults.is_empty());
        assert_eq!(job.check(&result).unwrap().len(), 1);
        for file in job.save(&mut result).unwrap() {
            assert!(file.is_file());
        }
    }
}

/// The copied test vectors, all at once on the reference engine.
#[test]
fn the_test_vectors_pass_and_a_wrong_bit_fails() {
    let root = ctm_testing::files::root().join("tests/vectors/exact");
    let mut dirs: Vec<PathBuf> =
        fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir()).collect();
    dirs.sort();
    assert!(dirs.len() > 50);
    for dir in dirs {
        let job = Job::read(&dir.join("job.toml")).unwrap();
        let result = run(&job);
        let checks = job.check(&result).unwrap();
        assert!(!checks.is_empty(), "{}", dir.display());
        for check in &checks {
            assert!(check.passed, "{}: {}", dir.display(), check.text);
            assert!(check.comparison.as_ref().is_some_and(|c| c.values > 0));
        }
        // The comparer sees one wrong bit in what memory really holds.
        let got = result.raster(job.buffers.len() - 1).unwrap().into_array();
        let mut wrong = got.clone();
        let last = wrong.units.len() - 1;
        wrong.units[last] ^= 1;
        let bits = Tolerance { bits: true, ..Tolerance::default() };
        assert!(!compare(&got, &wrong, &bits).unwrap().passed);
    }
}

/// The machine knows only pitches: only the job can tell that some points are never seen.
#[test]
fn points_between_width_and_pitch_get_a_warning() {
    let dir = directory();
    let file = dir.path().join("job.toml");
    // The jobs do not give the program's constant either.
    const C0: &str =
        "p.hex: the program uses float constant 0, which the job does not give: it reads 0";
    let output = |more: &str| {
        let text = format!("{SHORT}[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\n{more}");
        Job::parse(&text, &file).unwrap().warnings
    };
    assert_eq!(
        output("width = 2\npitch = 4\n"),
        [
            C0,
            "output 0: the domain ends with column 2, the width is 2: what it writes beyond lies \
             in the padding of the pitch, 4, and is not saved"
        ]
    );
    assert_eq!(output("pitch = 4\n"), [C0]);
}

fn runner() -> TestRunner {
    println!("seed 0x6a6f62");
    TestRunner::new(Config {
        rng_seed: RngSeed::Fixed(0x6a6f62),
        failure_persistence: None,
        ..Config::default()
    })
}

#[test]
fn random_jobs_never_panic() {
    let dir = directory();
    let file = dir.path().join("job.toml");
    let seeds = [
        format!(
            "{SHORT}[[output]]\nslot = 0\nformat = \"FLOAT32_4\"\nmask = \"rgba\"\npitch = 8\n"
        ),
        format!(
            "{LONG}swap = [\"a\", \"b\"]\nrepeat = 2\noutputs = {{ 0 = \"a\" }}\n\
             condition = {{ test = \"NEVER\", location = \"PE\", value = 0.5 }}\n"
        ),
        format!(
            "{SHORT}[constants]\nfloat = {{ 0 = [1, 2.0, \"0x3\", -4] }}\nint = {{ 1 = [1, 2, -3] }}\n\
             bool = [1, 2]\n[limits]\ninstructions = 77\n[[expect]]\nfault = \"budget\"\n"
        ),
    ];
    let (mut cases, mut good, mut ran) = (0u32, 0u32, 0u32);
    let mut try_one = |text: &str| {
        cases += 1;
        let Ok(job) = Job::parse(text, &file) else {
            return;
        };
        good += 1;
        // Only small ones are run: a mutation may make a domain of 4096 x 4096 points.
        let points: u64 = job.passes.iter().map(|p| p.domain.points() * u64::from(p.repeat)).sum();
        if points < 1000 {
            let result = job.run(&Reference::new(), &RunOptions::default(), &NoProgress);
            if let Ok(result) = result {
                ran += 1;
                let _ = job.check(&result);
            }
        }
    };
    let mut runner = runner();
    let bytes = prop::collection::vec(any::<u8>(), 0..300);
    for _ in 0..1000 {
        let bytes = bytes.new_tree(&mut runner).unwrap().current();
        try_one(&String::from_utf8_lossy(&bytes));
    }
    let pieces = "0123456789-+.\"'[]{}=,#\n\t eEinfaxu_TLRgb";
    let edit = (
        any::<prop::sample::Index>(),
        0usize..3,
        prop::sample::select(pieces.chars().collect::<Vec<_>>()),
    );
    let edits = prop::collection::vec(edit, 1..3);
    for n in 0..6000 {
        let mut text: Vec<char> = seeds[n % seeds.len()].chars().collect();
        for (at, what, piece) in edits.new_tree(&mut runner).unwrap().current() {
            let at = at.index(text.len());
            match what {
                0 => text[at] = piece,
                1 => text.insert(at, piece),
                _ => {
                    text.remove(at);
                }
            }
        }
        try_one(&text.into_iter().collect::<String>());
    }
    println!("{cases} texts read, {good} of them jobs, {ran} of those ran");
    assert!(good > 100 && ran > 100, "{good} jobs, {ran} runs");
}
