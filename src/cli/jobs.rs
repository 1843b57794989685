//! The job files that arguments mean.

use anyhow::{Context, bail};
use ctm::job::Job;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use toml::de::DeTable;

/// The job files that the arguments mean, in order: files themselves, and all in and below
/// directories.
pub fn collect(paths: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut found = Vec::new();
        walk(path, &mut found)?;
        let are_jobs: Vec<bool> = found.par_iter().map(|path| may_be_job(path)).collect();
        let before = files.len();
        let jobs = found.into_iter().zip(are_jobs);
        files.extend(jobs.filter_map(|(path, is_job)| is_job.then_some(path)));
        if files.len() == before {
            bail!("{}: there is no job file in it", path.display());
        }
    }
    Ok(files)
}

/// All TOML files in a directory and below.
fn walk(directory: &Path, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let context = || format!("cannot read {}", directory.display());
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(directory).with_context(context)? {
        entries.push(entry.with_context(context)?);
    }
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // Links to directories are not followed: they may lead round in circles.
        let kind = entry.file_type().with_context(context)?;
        if kind.is_dir() {
            if !entry.file_name().as_encoded_bytes().starts_with(b".") {
                walk(&path, files)?;
            }
        } else if path.extension().is_some_and(|e| e == "toml") {
            files.push(path);
        }
    }
    Ok(())
}

/// Whether a file looks like a job: directories hold other TOML files too. One that cannot be
/// read counts, so that it is reported.
fn may_be_job(path: &Path) -> bool {
    Job::text(path).map_or(true, |text| is_job(&text))
}

/// Whether a text looks like a job: it names a program or passes at its top.
pub fn is_job(text: &str) -> bool {
    let Ok(tree) = DeTable::parse(text) else {
        return has_job_line(text);
    };
    let mut keys = tree.get_ref().keys();
    keys.any(|key| matches!(key.get_ref().as_ref(), "program" | "pass"))
}

/// Whether a text with errors looks like a job, as far as lines tell.
fn has_job_line(text: &str) -> bool {
    text.lines().any(|line| {
        let line: String = line.chars().filter(|c| !c.is_whitespace()).collect();
        ["[program]", "[[pass]]", "program=", "pass=", "program."]
            .iter()
            .any(|start| line.starts_with(start))
    })
}
