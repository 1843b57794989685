//! Every job under kernels/ gives its expected result, on every engine.

use crate::common::engines;
use ctm::engine::block::Block;
use ctm::engine::reference::Reference;
use ctm::engine::{Engine, NoProgress};
use ctm::job::{Job, RunOptions};
use ctm_testing::files::{self, LARGE, files, is_large};
use std::path::{Path, PathBuf};

crate::gpu_takes_part!();

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels")
}

/// The paths in a folder, sorted.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths
}

/// The kernels: one folder each.
fn kernels() -> Vec<PathBuf> {
    let mut folders = entries(&folder());
    folders.retain(|path| path.is_dir());
    folders
}

/// The mistakes of a job on an engine.
fn check(path: &Path, engine: &dyn Engine) -> Option<String> {
    let verdict = || {
        let job = Job::read(path)?;
        let result = job.run(engine, &RunOptions::default(), &NoProgress)?;
        job.check(&result).map(|checks| (checks, result.hazards))
    };
    let failures: Vec<String> = match verdict() {
        Err(error) => vec![error.to_string()],
        Ok((checks, _)) if checks.is_empty() => vec!["no [[expect]]".to_string()],
        Ok((checks, hazards)) => checks
            .into_iter()
            .filter(|check| !check.passed)
            .map(|check| check.text)
            .chain(hazards)
            .collect(),
    };
    let name = path.display();
    (!failures.is_empty()).then(|| format!("{name} on {}: {}", engine.name(), failures.join("; ")))
}

/// Checks jobs on all engines and reports everything that is wrong at once.
fn check_all(jobs: &[PathBuf]) {
    assert!(!jobs.is_empty());
    let mut failures = Vec::new();
    for engine in engines() {
        failures.extend(jobs.iter().filter_map(|job| check(job, engine.as_ref())));
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn kernels_give_their_expected_results() {
    let mut jobs: Vec<PathBuf> = files::jobs("kernels");
    jobs.retain(|job| !is_large(job));
    check_all(&jobs);
}

/// On the fast engine in every build; the reference engine takes its time unoptimised.
#[test]
fn large_kernels_give_their_expected_results() {
    for name in LARGE {
        let job = folder().join(name);
        assert_eq!(check(&job, &Block::new()), None);
        if !cfg!(debug_assertions) {
            assert_eq!(check(&job, &Reference::new()), None);
        }
    }
}

#[test]
fn every_kernel_runs_in_every_build_and_is_described() {
    let readme = std::fs::read_to_string(folder().join("README.md")).expect("kernels/README.md");
    for kernel in kernels() {
        let name = kernel.file_name().unwrap_or_default().to_string_lossy();
        assert!(
            files(&kernel, "toml").iter().any(|job| !is_large(job)),
            "{name} has no job that is not large"
        );
        assert!(
            readme.contains(&format!("| [{name}]({name}/) |")),
            "kernels/README.md has no row for {name}"
        );
    }
}

/// A check that passes whatever comes out would pass above.
#[test]
fn a_wrong_expectation_fails() {
    let from = folder().join("saxpy");
    let to = tempfile::tempdir().expect("a folder");
    for path in entries(&from).iter().filter(|path| path.is_file()) {
        std::fs::copy(path, to.path().join(path.file_name().unwrap_or_default())).expect("a copy");
    }
    let job = to.path().join("saxpy.toml");
    let engine = Reference::new();
    assert_eq!(check(&job, &engine), None);
    let expected = to.path().join("expected.npy");
    let mut bytes = std::fs::read(&expected).expect("an array");
    if let Some(byte) = bytes.iter_mut().rev().nth(3) {
        *byte ^= 1; // the lowest bit of the last number
    }
    std::fs::write(&expected, bytes).expect("an array");
    let failure = check(&job, &engine).expect("a failure");
    assert!(failure.contains("1 of 4096"), "{failure}");
}
