//! The jobs of a batch, and the conflicts between their files.

use super::super::jobs;
use super::Args;
use anyhow::{Context, anyhow, bail};
use ctm::files::{self, RealPaths};
use ctm::job::{Job, JobFiles, SharedFiles};
use rayon::prelude::*;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The largest list to read, in bytes: about a million paths.
const MAX_LIST: u64 = 64 << 20;

/// A job file to run.
pub struct Task {
    /// The path.
    pub path: PathBuf,
    /// The path as the report prints it.
    pub name: String,
    /// Bytes of memory it takes, as in [`JobFiles::bytes`].
    pub bytes: u64,
}

/// The jobs that the arguments name, each once.
pub fn tasks(args: &Args, shared: &SharedFiles) -> anyhow::Result<Vec<Task>> {
    if let Some(report) = &args.report {
        jobs::check(shared, "--report", report)?;
    }
    let paths = match &args.list {
        Some(list) => read_list(list, shared)?,
        None => jobs::collect(&args.jobs, shared)?,
    };
    let mut tasks = Vec::with_capacity(paths.len());
    let mut seen = std::collections::HashSet::new();
    for path in paths {
        let Some(name) = path.to_str().map(str::to_string) else {
            bail!("{}: the path is not UTF-8, as reports are", path.display());
        };
        if !seen.insert(name.clone()) {
            bail!("{name} is given twice");
        }
        tasks.push(Task { path, name, bytes: 0 });
    }
    Ok(tasks)
}

fn read_list(list: &Path, shared: &SharedFiles) -> anyhow::Result<Vec<PathBuf>> {
    let context = || format!("cannot read {}", list.display());
    let bytes = if list == Path::new("-") {
        files::read_from(std::io::stdin().lock(), MAX_LIST)
    } else {
        jobs::check(shared, "--list", list)?;
        let file = std::fs::File::open(list).with_context(context)?;
        files::read_from(file, MAX_LIST)
    }
    .with_context(context)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        anyhow!("{}: offset {offset:#x}: the list is not UTF-8 text", list.display())
    })?;
    let paths = text.lines().filter(|line| !line.trim().is_empty());
    Ok(paths.map(PathBuf::from).collect())
}

/// Determines how much memory the jobs take, and refuses jobs in conflict: two that save to one
/// file, or one that reads a file that it or another job saves. Jobs that cannot be read name no
/// files; they fail when they run.
pub fn check_files(tasks: &mut [Task], args: &Args, shared: &SharedFiles) -> anyhow::Result<()> {
    let named: Vec<JobFiles> = tasks
        .par_iter()
        .map(|task| match Job::text(&task.path, shared) {
            Ok(text) => JobFiles::of(&text, &task.path),
            Err(_) => JobFiles::default(),
        })
        .collect();
    for (task, files) in tasks.iter_mut().zip(&named) {
        task.bytes = files.bytes;
    }
    if args.no_save {
        return Ok(());
    }
    let tasks = &*tasks;
    let mut real = RealPaths::default();
    let mut writers: HashMap<PathBuf, &Task> = HashMap::new();
    for (task, files) in tasks.iter().zip(&named) {
        for path in &files.writes {
            // The same file twice in one job is an error of that job.
            if let Some(other) = writers.insert(real.of(path), task)
                && !std::ptr::eq(other, task)
            {
                bail!("{} and {} both save to {}", other.name, task.name, path.display());
            }
        }
    }
    if writers.is_empty() {
        return Ok(());
    }
    if let Some(report) = &args.report
        && let Some(writer) = writers.get(&real.of(report))
    {
        bail!("{} saves to the report, {}", writer.name, report.display());
    }
    for (task, files) in tasks.iter().zip(&named) {
        for path in std::iter::once(&task.path).chain(&files.reads) {
            match writers.get(&real.of(path)) {
                Some(writer) if std::ptr::eq(*writer, task) => bail!(
                    "{} reads and saves {}: it could not be run a second time",
                    task.name,
                    path.display()
                ),
                Some(writer) => bail!(
                    "{} reads {}, which {} saves: the jobs of a batch have no order",
                    task.name,
                    path.display(),
                    writer.name
                ),
                None => {}
            }
        }
    }
    Ok(())
}
