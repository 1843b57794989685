//! Every test vector on every engine: the repository's own, and the whole collection where it
//! stands beside the checkout.

mod common;

use ctm::job::{IgnoreProgress, Job, RunOptions};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

gpu_takes_part!();

fn jobs(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("a folder");
    for entry in entries {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            jobs(&path, found);
        } else if path.extension().is_some_and(|e| e == "toml") {
            found.push(path);
        }
    }
}

fn verify(folder: &Path) -> usize {
    let mut files = Vec::new();
    jobs(folder, &mut files);
    files.sort();
    let problems: Vec<String> = files
        .par_iter()
        .flat_map_iter(|file| {
            let job = Job::read(file).unwrap_or_else(|error| panic!("{error}"));
            common::engines().into_iter().filter_map(move |engine| {
                let what = format!("{} on {}", file.display(), engine.name());
                let mut result = job
                    .run(engine.as_ref(), &RunOptions::default(), &IgnoreProgress)
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
    println!(
        "{} jobs on {} engines",
        files.len(),
        common::engines().len()
    );
    files.len()
}

#[test]
fn all_vectors_of_the_repository() {
    let count = verify(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors"));
    assert!(count > 250, "{count}");
}

#[test]
fn all_vectors_beside_the_checkout() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors");
    if !folder.is_dir() {
        println!("not checked: {} is not there", folder.display());
        return;
    }
    assert!(verify(&folder) >= 819);
}
