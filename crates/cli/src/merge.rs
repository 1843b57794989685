//! `ctm merge`.

use super::batch::report::{Entry, MAX_REPORT, entries, must_be_new};
use super::batch::tasks::{Source, read_list};
use super::outputs::{Output, Outputs};
use super::{Exit, tell};
use anyhow::Context;
use ctm_base::files;
use ctm_base::text::numbers::count;
use ctm_jobs::job::SharedFiles;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

/// Join the reports of a batch's parts.
///
/// The joined report has the lines in the order of the list, whatever the order of the reports. It
/// is written only if every job of the list has exactly one line and no report is truncated.
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  ctm merge part*.jsonl --list jobs.txt --report report.jsonl

Exit status: 0 the report was written, 1 a line is missing, duplicated or truncated, 2 bad usage.")]
pub struct Args {
    /// Reports of `ctm batch`.
    #[arg(value_name = "REPORT.jsonl", required = true)]
    reports: Vec<PathBuf>,
    /// The list of jobs that the parts ran, or a pack of them; -: standard input.
    #[arg(long, value_name = "FILE")]
    list: PathBuf,
    /// The joined report: a new file; -: standard output.
    #[arg(long, value_name = "OUT")]
    report: Output,
}

/// At most this many problems are printed.
const SHOWN: usize = 10;

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let shared = SharedFiles::new();
    let mut outputs = Outputs::new(&shared);
    args.reports.iter().chain([&args.list]).for_each(|path| outputs.reads(path));
    let report = outputs.add("--report", &args.report)?;
    must_be_new(&report, "")?;
    let list = read_list(&args.list, &shared)?;
    let mut problems = Vec::new();
    let mut reports = args.reports.clone();
    // Messages are the same for every order of the arguments.
    reports.sort();
    let mut texts: Vec<(&Path, Vec<u8>)> = Vec::new();
    for path in &reports {
        let bytes = files::read(path, MAX_REPORT);
        texts.push((path, bytes.with_context(|| format!("cannot read {}", path.display()))?));
    }
    let mut lines: HashMap<String, (&Path, &[u8])> = HashMap::new();
    let mut parts: Vec<(&Path, BTreeSet<String>)> = Vec::new();
    for (path, text) in &texts {
        let mut ran = BTreeSet::new();
        let (entries, rest) = entries(path, text)?;
        if !rest.is_empty() {
            problems.push(format!("{}: its last line is cut short", path.display()));
        }
        for Entry { job, ran: how, line, .. } in entries {
            ran.extend(how);
            if let Some((first, _)) = lines.get(&job) {
                let (first, second) = (first.display(), path.display());
                problems.push(format!("{job}: it has a line in {first} and another in {second}"));
            } else {
                lines.insert(job, (*path, line));
            }
        }
        parts.push((*path, ran));
    }
    let mut joined = Vec::new();
    let mut taken = 0;
    for source in Source::all(list, &shared)? {
        let path = source.name()?;
        match path.to_str().and_then(|job| lines.remove(job)) {
            Some((_, line)) => {
                joined.extend_from_slice(line);
                taken += 1;
            }
            None => problems.push(format!("{}: no report has a line of it", path.display())),
        }
    }
    let mut foreign: Vec<_> = lines.into_iter().collect();
    foreign.sort();
    for (job, (path, _)) in foreign {
        problems.push(format!("{job}: it is in {}, but not in the list", path.display()));
    }
    if problems.is_empty() {
        report.write(&joined)?;
        tell_differences(&parts);
        tell(format_args!("{} in {}", count(taken, "job", "jobs"), report.path().display()));
        return Ok(Exit::Done);
    }
    tell_first("ctm: ", &problems);
    Ok(Exit::Failed)
}

/// Prints the first lines to standard error, and how many more there are.
fn tell_first(begin: &str, lines: &[String]) {
    for line in lines.iter().take(SHOWN) {
        tell(format_args!("{begin}{line}"));
    }
    if lines.len() > SHOWN {
        tell(format_args!("{begin}{} more", lines.len() - SHOWN));
    }
}

/// Says how the parts ran if they did not all run alike: with other options, or on other machines.
fn tell_differences(parts: &[(&Path, BTreeSet<String>)]) {
    let ran: Vec<_> = parts.iter().filter(|(_, ran)| !ran.is_empty()).collect();
    if ran.windows(2).all(|two| two[0].1 == two[1].1) {
        return;
    }
    tell("note: the parts did not run alike:");
    let lines = ran.iter().map(|(path, how)| {
        let how: Vec<&str> = how.iter().map(String::as_str).collect();
        format!("{}: {}", path.display(), how.join("; "))
    });
    tell_first("  ", &lines.collect::<Vec<_>>());
}
