//! The jobs of a batch, and whether they get in one another's way.

use super::super::jobs;
use super::Args;
use anyhow::{Context, bail};
use ctm::array::file::RealPaths;
use ctm::job::{Job, JobFiles};
use rayon::prelude::*;
use std::collections::HashMap;
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// A job file that is to run.
pub struct Task {
    /// The path.
    pub path: PathBuf,
    /// The path as the report has it.
    pub name: String,
}

/// The jobs that the arguments name, each once.
pub fn tasks(args: &Args) -> anyhow::Result<Vec<Task>> {
    let paths = match &args.list {
        Some(list) => read_list(list)?,
        None => jobs::collect(&args.jobs)?,
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
        tasks.push(Task { path, name });
    }
    Ok(tasks)
}

fn read_list(list: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let context = || format!("cannot read {}", list.display());
    let reader: Box<dyn BufRead> = if list == Path::new("-") {
        Box::new(std::io::stdin().lock())
    } else {
        let file = std::fs::File::open(list).with_context(context)?;
        Box::new(std::io::BufReader::new(file))
    };
    let mut paths = Vec::new();
    for line in reader.lines() {
        let line = line.with_context(context)?;
        if !line.trim().is_empty() {
            paths.push(PathBuf::from(line));
        }
    }
    Ok(paths)
}

/// Refuses jobs that get in one another's way: two that save to one file, or one that reads what
/// it or another one saves. Jobs that cannot be read name no files; they fail when they run.
pub fn check_files(tasks: &[Task], args: &Args) -> anyhow::Result<()> {
    if args.no_save {
        return Ok(());
    }
    let named: Vec<JobFiles> = tasks
        .par_iter()
        .map(|task| match Job::text(&task.path) {
            Ok(text) => JobFiles::of(&text, &task.path),
            Err(_) => JobFiles::default(),
        })
        .collect();
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
