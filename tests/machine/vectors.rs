//! Every test vector on every engine: the repository's own, and the whole collection where there
//! is one.

use crate::common;
use ctm::engine::NoProgress;
use ctm::job::{Job, RunOptions};
use ctm::launch::FloatMode;
use ctm_testing::files;
use rayon::prelude::*;
use std::path::Path;

crate::gpu_takes_part!();

/// Runs the jobs below a folder; the number of jobs.
fn verify(folder: &Path) -> usize {
    let files = files::files(folder, "toml");
    let problems: Vec<String> = files
        .par_iter()
        .flat_map_iter(|file| {
            let job = Job::read(file).unwrap_or_else(|error| panic!("{error}"));
            // Those of the whole collection do not name their mode.
            let is_chip = file.starts_with(folder.join("chip"));
            let mode = is_chip.then_some(FloatMode::Chip);
            common::engines().into_iter().filter_map(move |engine| {
                let what = format!("{} on {}", file.display(), engine.name());
                let mut result = job
                    .run(
                        engine.as_ref(),
                        &RunOptions { mode, ..RunOptions::default() },
                        &NoProgress,
                    )
                    .unwrap_or_else(|error| panic!("{what}: {error}"));
                if !result.faults.is_empty() {
                    return Some(format!("{what}: {:?}", result.faults));
                }
                let checks = job.check(&result).unwrap_or_else(|error| panic!("{error}"));
                assert!(!checks.is_empty(), "{what} checks nothing");
                result.warnings.clear();
                let bad = checks.iter().find(|check| !check.passed)?;
                Some(format!("{what}: {}", bad.text))
            })
        })
        .collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    println!("{} jobs on {} engines", files.len(), common::engines().len());
    files.len()
}

#[test]
fn all_vectors_of_the_repository() {
    let count = verify(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors"));
    assert!(count > 250, "{count}");
}

#[test]
fn all_vectors_beside_the_checkout() {
    let Some(folder) = files::collection() else {
        return;
    };
    assert!(verify(&folder) >= 826);
}
