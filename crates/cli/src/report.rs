//! `ctm report`.

use super::batch::report::{MAX_REPORT, entries};
use super::{Exit, jobs, tell};
use anyhow::Context;
use ctm_base::files;
use ctm_base::text::numbers::{count, table};
use ctm_jobs::job::{SharedFiles, Status};
use serde_json::Value;
use std::path::PathBuf;

/// Print the report of a batch as a table.
///
/// One row for each job, in the order of the report; a column for everything that some job has: its
/// status, its row in the array of `ctm batch --collect`, how it ran, its statistics, and the problem of a
/// job that failed.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ctm report report.jsonl                 a table
  ctm report report.jsonl --failed        only the jobs that failed
  ctm report report.jsonl --csv >r.csv    for a spreadsheet, pandas and others

Exit status: 0 done, 1 a job of the report failed, 2 bad usage or bad input.")]
pub struct Args {
    /// A report of `ctm batch` or `ctm merge`.
    #[arg(value_name = "REPORT.jsonl")]
    report: PathBuf,
    /// Print comma-separated values.
    #[arg(long)]
    csv: bool,
    /// Only jobs that failed.
    #[arg(long)]
    failed: bool,
}

/// The columns: the heading, and where the value is in a line.
const COLUMNS: [(&str, &[&str]); 14] = [
    ("job", &["job"]),
    ("status", &["status"]),
    ("row", &["row"]),
    ("engine", &["engine"]),
    ("mode", &["mode"]),
    ("launches", &["launches"]),
    ("points", &["points"]),
    ("seconds", &["seconds", "total"]),
    ("lane_instructions", &["lane_instructions"]),
    ("fetches", &["fetches"]),
    ("r580_clocks", &["r580_clocks"]),
    ("card_seconds", &["card_seconds"]),
    ("fault", &["faults", "0", "text"]),
    ("error", &["error"]),
];

/// The first column of text: a fault, or else an error.
const FIRST_TEXT: usize = 12;

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    jobs::check_argument(&SharedFiles::new(), &args.report)?;
    let name = args.report.display().to_string();
    let bytes = files::read(&args.report, MAX_REPORT).with_context(|| name.clone())?;
    let (entries, rest) = entries(&args.report, &bytes)?;
    let failed = entries.iter().any(|entry| entry.status != Status::Ok);
    let mut rows: Vec<[String; COLUMNS.len()]> = vec![COLUMNS.map(|(name, _)| name.to_string())];
    for entry in entries.iter().filter(|entry| !args.failed || entry.status != Status::Ok) {
        let line: Value = serde_json::from_slice(entry.line).with_context(|| name.clone())?;
        rows.push(COLUMNS.map(|(_, path)| cell(&line, path)));
    }
    // The first two are those that every line has.
    let used = |n: usize| n < 2 || rows.iter().skip(1).any(|row| !row[n].is_empty());
    let used: Vec<usize> = (0..COLUMNS.len()).filter(|&n| used(n)).collect();
    let lines = rows.iter().map(|row| used.iter().map(|&n| row[n].clone()).collect());
    let lines: Vec<Vec<String>> = lines.collect();
    // What is wrong follows the columns of numbers.
    let texts = used.iter().filter(|&&n| n >= FIRST_TEXT).count();
    super::print(if args.csv {
        let mut writer = csv::Writer::from_writer(Vec::new());
        lines.iter().try_for_each(|line| writer.write_record(line))?;
        String::from_utf8(writer.into_inner().context("a table in memory")?)?
    } else {
        let (numbers, problems): (Vec<Vec<String>>, Vec<String>) = lines
            .iter()
            .map(|line| line.split_at(line.len() - texts))
            .map(|(numbers, problems)| (numbers.to_vec(), problems.concat()))
            .unzip();
        let rows = table(&numbers);
        let rows = rows.lines().zip(&problems).map(|(row, problem)| format!("{row}  {problem}"));
        let rows = rows.map(|row| super::escaped_line(row.trim_end()) + "\n");
        rows.collect::<String>()
    })?;
    if args.failed && !failed {
        let jobs = count(entries.len() as u64, "job", "jobs");
        tell(format_args!("{name}: {jobs}, none failed"));
    }
    if !rest.is_empty() {
        tell(format_args!(
            "{name}: note: its last line is cut short; `ctm batch --resume` mends it"
        ));
    }
    Ok(if failed { Exit::Failed } else { Exit::Done })
}

/// The value at a place of a line; empty if there is none.
fn cell(line: &Value, path: &[&str]) -> String {
    let value = path.iter().try_fold(line, |value, key| match value {
        Value::Array(values) => values.get(key.parse::<usize>().ok()?),
        value => value.get(key),
    });
    match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
    }
}
