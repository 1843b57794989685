//! The report of a batch: one line of JSON for each job.
//!
//! If the process is killed while it writes a line, that line is the last one and incomplete. A
//! line is written after all files that the job saves are complete.
// A report grows line by line; its path comes from `Outputs`.
#![allow(clippy::disallowed_methods)]

use super::super::outputs::Writable;
use anyhow::{Context, anyhow, bail};
use ctm_base::files;
use ctm_jobs::job::Status;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

/// The largest report to read, in bytes: some ten million lines.
pub const MAX_REPORT: u64 = 4 << 30;

/// The destination of the lines.
pub enum Report {
    /// Standard output.
    Standard,
    /// A file, locked so that no other process writes to it.
    File(File),
}

impl Report {
    /// Starts a new report. Refuses a file that is not empty.
    pub fn create(report: &Writable) -> anyhow::Result<Report> {
        // Locked first: another process may be at it.
        let file = open(report.path())?;
        must_be_new(report, "use --resume to continue it, or ")?;
        Ok(Report::File(file))
    }

    /// Continues a report; returns the outcomes of the jobs in it, by path. Drops an incomplete
    /// line at the end, and failed jobs if `retry` is set.
    pub fn resume(
        report: &Writable,
        retry: bool,
    ) -> anyhow::Result<(Report, HashMap<String, Status>)> {
        let path = report.path();
        let mut file = open(path)?;
        if !file.metadata().with_context(|| cannot_read(path))?.is_file() {
            bail!("{} is not a regular file, so it cannot be resumed", path.display());
        }
        let bytes = files::read_from(&file, MAX_REPORT).with_context(|| cannot_read(path))?;
        let (entries, torn) = entries(path, &bytes)?;
        let (complete, lines) = (bytes.len() - torn.len(), entries.len());
        let mut known = HashMap::new();
        let mut kept = Vec::new();
        for Entry { job, status, line, .. } in entries {
            if !retry || status == Status::Ok {
                known.insert(job, status);
                kept.extend_from_slice(line);
            }
        }
        // Only the rest of a line that a killed process began is dropped; any other text is an
        // error.
        let begins = LINE_BEGINS.as_bytes();
        let shared = torn.len().min(begins.len());
        if torn[..shared] != begins[..shared] {
            return Err(no_line(path, lines));
        }
        if kept.len() != complete {
            // Lines in the middle go: a new file replaces the old one as a whole.
            report.write(&kept)?;
            file = open(path)?;
        } else if complete != bytes.len() {
            file.set_len(complete as u64)
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        file.seek(SeekFrom::End(0)).with_context(|| cannot_read(path))?;
        Ok((Report::File(file), known))
    }

    /// Adds complete lines, each with its line end.
    pub fn add(&mut self, lines: &str) -> anyhow::Result<()> {
        match self {
            Report::Standard => super::super::print(lines),
            Report::File(file) => {
                file.write_all(lines.as_bytes()).context("cannot write the report")
            }
        }
    }
}

/// The beginning of every line: `ctm batch` puts the job first.
const LINE_BEGINS: &str = "{\"job\":";

/// The error for line `n`, counted from 0.
fn no_line(path: &Path, n: usize) -> anyhow::Error {
    anyhow!(
        "{}: line {} is not a line of a report: expected an object with \"job\" and \"status\"",
        path.display(),
        n + 1
    )
}

fn cannot_read(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

/// Refuses a report that holds something.
pub fn must_be_new(report: &Writable, or: &str) -> anyhow::Result<()> {
    let path = report.path();
    if !report.is_dash() && path.metadata().is_ok_and(|meta| meta.len() != 0) {
        bail!("{} exists already: {or}remove it to start again", path.display());
    }
    Ok(())
}

/// Opens a report and locks it.
fn open(path: &Path) -> anyhow::Result<File> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
        .with_context(|| format!("cannot open {}", path.display()))?;
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            bail!("{}: another process is writing it", path.display())
        }
        // Some file systems have no locks; then the file is not locked.
        Err(TryLockError::Error(_)) | Ok(()) => Ok(file),
    }
}

/// A line of a report.
pub struct Entry<'a> {
    /// The job.
    pub job: String,
    /// Its outcome.
    pub status: Status,
    /// The engine and the mode, as `block, mode exact`, if the job ran.
    pub ran: Option<String>,
    /// The line with its end.
    pub line: &'a [u8],
}

/// The lines of a report, and the rest after them.
///
/// # Errors
/// If one is not a line of a report.
pub fn entries<'a>(path: &Path, report: &'a [u8]) -> anyhow::Result<(Vec<Entry<'a>>, &'a [u8])> {
    let complete = report.iter().rposition(|&b| b == b'\n').map_or(0, |n| n + 1);
    let (lines, rest) = report.split_at(complete);
    let lines = lines.split_inclusive(|&b| b == b'\n').enumerate();
    let entries = lines.map(|(n, line)| parse(line).ok_or_else(|| no_line(path, n)));
    Ok((entries.collect::<Result<_, _>>()?, rest))
}

/// Reads a line; `None` if it is not a line of a report.
fn parse(line: &[u8]) -> Option<Entry<'_>> {
    let object: Map<String, Value> = serde_json::from_slice(line).ok()?;
    let text = |key| object.get(key).and_then(Value::as_str);
    let ran = text("engine").zip(text("mode"));
    Some(Entry {
        job: text("job")?.to_string(),
        status: Status::deserialize(object.get("status")?).ok()?,
        ran: ran.map(|(engine, mode)| format!("{engine}, mode {mode}")),
        line,
    })
}
