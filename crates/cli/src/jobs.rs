//! The job files that the arguments name.

use anyhow::{Context, anyhow, bail};
use ctm_base::files::Root;
use ctm_jobs::job::{JobText, RunOptions, SharedFiles};
use ctm_machine::launch::FloatMode;
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// The option that confines jobs to a folder.
#[derive(clap::Args)]
pub struct Confined {
    /// Confine jobs and arguments to this folder: refuse paths and links that lead out of it, and
    /// files that are not regular. Jobs must name files by relative paths without "..".
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
}

impl Confined {
    /// The reader of the jobs' files.
    pub fn files(&self) -> anyhow::Result<SharedFiles> {
        Ok(match &self.root {
            None => SharedFiles::new(),
            Some(root) => SharedFiles::within(
                Root::new(root).with_context(|| format!("--root {}", root.display()))?,
            ),
        })
    }
}

/// The options that override what jobs say.
#[derive(clap::Args)]
pub struct Overrides {
    #[arg(long, value_parser = super::values::parse_mode, help = modes("Overrides the jobs' [float]"))]
    mode: Option<FloatMode>,
    /// Collect statistics: instructions, fetches, divergence, the best possible time of an X1900
    /// XTX.
    #[arg(long)]
    stats: bool,
    /// Instructions a group may run. Overrides the jobs' [limits].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
}

impl Overrides {
    /// As options of a run.
    pub fn options(&self) -> RunOptions {
        RunOptions { mode: self.mode, instructions: self.limit, statistics: self.stats }
    }
}

/// The help of `--mode`: what each mode is, in the words of [`FloatMode::meaning`], and what else holds.
pub fn modes(more: &str) -> String {
    let modes = FloatMode::ALL.map(|mode| format!("{mode}: {}", mode.meaning()));
    format!("Arithmetic. {}. {more}", modes.join("; "))
}

/// Refuses a path given to an option if it is outside the folder of [`Confined`].
pub fn check(shared: &SharedFiles, option: &str, path: &Path) -> anyhow::Result<()> {
    let checked = shared.root().map_or(Ok(()), |root| root.check(path));
    checked.with_context(|| format!("{option} {}", path.display()))
}

/// [`check`] for an argument without an option.
pub fn check_argument(shared: &SharedFiles, path: &Path) -> anyhow::Result<()> {
    let checked = shared.root().map_or(Ok(()), |root| root.check(path));
    checked.with_context(|| path.display().to_string())
}

/// Whether a file is a recording, which must be in the folder of [`Confined`] as jobs must.
pub fn is_recording(path: &Path, shared: &SharedFiles) -> anyhow::Result<bool> {
    let is = ctm_machine::record::is_recording(path);
    if is {
        check_argument(shared, path)?;
    }
    Ok(is)
}

/// The error where `--launch` is given for a file that is no recording.
pub fn no_recording(path: &Path, shared: &SharedFiles) -> anyhow::Error {
    let cannot_read = || format!("cannot read {}", path.display());
    let read = || std::fs::metadata(path).with_context(cannot_read);
    match check_argument(shared, path).and_then(|()| read()) {
        Ok(_) => anyhow!("{}: --launch is for recordings", path.display()),
        Err(error) => error,
    }
}

/// The job files that the arguments name, in order: files themselves, and all job files in and
/// below directories.
pub fn collect(paths: &[PathBuf], shared: &SharedFiles) -> anyhow::Result<Vec<PathBuf>> {
    let found = collect_with(paths, shared, &|_| None::<()>)?;
    Ok(found.into_iter().map(|(path, _)| path).collect())
}

/// [`collect`], and what `keep` makes of the texts of the files in directories.
pub fn collect_with<T: Send>(
    paths: &[PathBuf],
    shared: &SharedFiles,
    keep: &(impl Fn(JobText) -> Option<T> + Sync),
) -> anyhow::Result<Vec<(PathBuf, Option<T>)>> {
    let mut files = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push((path.clone(), None));
            continue;
        }
        let mut found = Vec::new();
        check_folder(shared, path)?;
        walk(path, "toml", &mut found)?;
        let looked_at = found.into_par_iter().map(|path| may_be_job(path, shared, keep));
        let jobs: Vec<_> = looked_at.collect();
        let before = files.len();
        files.extend(jobs.into_iter().flatten());
        if files.len() == before {
            bail!("{}: there is no job file in it", path.display());
        }
    }
    Ok(files)
}

/// Refuses a folder outside the folder of [`Confined`].
pub fn check_folder(shared: &SharedFiles, path: &Path) -> anyhow::Result<()> {
    let checked = shared.root().map_or(Ok(()), |root| root.check_folder(path));
    checked.with_context(|| path.display().to_string())
}

/// All files with an extension in a directory and below.
pub fn walk(directory: &Path, ending: &str, files: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let context = || format!("cannot read {}", directory.display());
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(directory).with_context(context)? {
        entries.push(entry.with_context(context)?);
    }
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        // Links to directories are not followed: they may form a cycle.
        let kind = entry.file_type().with_context(context)?;
        if kind.is_dir() {
            if !entry.file_name().as_encoded_bytes().starts_with(b".") {
                walk(&path, ending, files)?;
            }
        } else if path.extension().is_some_and(|e| e == ending) {
            files.push(path);
        }
    }
    Ok(())
}

/// A file that looks like a job, and what `keep` makes of its text; directories hold other TOML files too. An
/// unreadable file counts as a job, so that it is reported.
fn may_be_job<T>(
    path: PathBuf,
    shared: &SharedFiles,
    keep: &impl Fn(JobText) -> Option<T>,
) -> Option<(PathBuf, Option<T>)> {
    match JobText::read(&path, shared) {
        Ok(text) if text.is_job() => Some((path, keep(text))),
        Ok(_) => None,
        Err(_) => Some((path, None)),
    }
}
