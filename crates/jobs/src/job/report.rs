//! The report of a run, as JSON.
//!
//! It is written here and not in the command, which is not optimised: a batch writes a line for each job.

use super::{Job, JobResult, Share};
use ctm_machine::engine::card::CardTime;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

/// The outcome of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It ran.
    Ok,
    /// It ran, with faults.
    Fault,
    /// It could not be read, run or saved.
    Error,
    /// Its time limit stopped it.
    Timeout,
}

/// The report of a run: the object of `ctm run --json`.
#[derive(Debug, Serialize)]
pub struct JobReport<'a> {
    engine: &'a str,
    adapter: Option<&'a str>,
    mode: &'static str,
    launches: u64,
    points: u64,
    groups: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    seconds: Option<Times>,
    warnings: &'a [String],
    hazards: &'a [String],
    faults: Vec<FaultReport<'a>>,
    files: Vec<String>,
    /// If the engine consists of several.
    #[serde(skip_serializing_if = "<[Share]>::is_empty")]
    ran: &'a [Share],
    #[serde(flatten)]
    counters: Option<Counters>,
}

/// Times in seconds.
#[derive(Debug, Serialize)]
struct Times {
    compile: Option<f64>,
    upload: f64,
    execute: f64,
    readback: f64,
    total: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    gpu: Option<f64>,
}

#[derive(Debug, Serialize)]
struct FaultReport<'a> {
    code: &'static str,
    count: u64,
    i: u32,
    j: u32,
    pc: u32,
    pass: usize,
    text: String,
    #[serde(flatten)]
    place: Option<SourcePosition<'a>>,
}

#[derive(Debug, Serialize)]
struct SourcePosition<'a> {
    file: &'a str,
    line: u32,
    column: u32,
}

#[derive(Debug, Serialize)]
struct Counters {
    instructions: Instructions,
    lane_instructions: u64,
    fetches: u64,
    divergent: u64,
    killed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pi_per_second: Option<Option<f64>>,
    r580_clocks: Option<u64>,
    card_seconds: Option<f64>,
    card_bound: Option<&'static str>,
    #[serde(flatten)]
    shared: Option<SharedCounters>,
}

#[derive(Debug, Serialize)]
struct Instructions {
    alu: u64,
    out: u64,
    tex: u64,
    fc: u64,
}

#[derive(Debug, Serialize)]
struct SharedCounters {
    shared_reads: u64,
    shared_writes: u64,
    shared_conflicts: u64,
}

/// A line of the report of a batch.
#[derive(Debug, Serialize)]
pub struct ReportLine<'a> {
    /// The name of the job.
    pub job: &'a str,
    /// Its outcome.
    pub status: Status,
    /// Its row in the array that collects an output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub row: Option<usize>,
    /// The report of its run, if it ran.
    #[serde(flatten)]
    pub report: Option<JobReport<'a>>,
    /// Its error, if it did not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<&'a str>,
}

impl ReportLine<'_> {
    /// The line with its end.
    pub fn text(&self) -> String {
        json(self)
    }
}

impl JobReport<'_> {
    /// The object on a line with its end.
    pub fn text(&self) -> String {
        json(self)
    }
}

/// These types always have a JSON form.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default() + "\n"
}

impl JobResult {
    /// The report of the run of `job`, which saved `files`. Counters are there if they are wanted (`statistics`)
    /// and the engine keeps them, times if they are wanted.
    pub fn report<'a>(
        &'a self,
        job: &'a Job,
        files: &[PathBuf],
        statistics: bool,
        times: bool,
    ) -> JobReport<'a> {
        let seconds = |time: &Duration| time.as_secs_f64();
        let of = &self.seconds;
        let faults = self.job_faults(job).into_iter().map(|found| FaultReport {
            code: found.code.name(),
            count: found.fault.count,
            i: found.fault.i,
            j: found.fault.j,
            pc: found.fault.pc,
            pass: found.pass,
            text: found.text(),
            place: found.image.location(found.fault.pc).map(|at| SourcePosition {
                file: &at.file.path,
                line: at.line,
                column: at.column,
            }),
        });
        JobReport {
            engine: self.engine,
            adapter: self.adapter.as_deref(),
            mode: self.mode.name(),
            launches: self.launches,
            points: self.points,
            groups: self.groups,
            seconds: times.then(|| Times {
                compile: of.compile.as_ref().map(seconds),
                upload: seconds(&of.upload),
                execute: seconds(&of.execute),
                readback: seconds(&of.readback),
                total: seconds(&of.total()),
                gpu: of.gpu.as_ref().map(seconds),
            }),
            warnings: &self.warnings,
            hazards: &self.hazards,
            faults: faults.collect(),
            files: files.iter().map(|file| file.display().to_string()).collect(),
            ran: &self.ran,
            counters: self.statistics.filter(|_| statistics).map(|s| Counters {
                instructions: Instructions { alu: s.alu, out: s.out, tex: s.tex, fc: s.fc },
                lane_instructions: s.lane_instructions,
                fetches: s.fetches,
                divergent: s.divergent,
                killed: s.killed,
                pi_per_second: times.then(|| self.pi_per_second()),
                r580_clocks: self.clocks,
                card_seconds: self.card.as_ref().map(CardTime::seconds),
                card_bound: self.card.as_ref().map(|card| card.bound().name()),
                shared: self.shared.as_ref().map(|_| SharedCounters {
                    shared_reads: s.shared_reads,
                    shared_writes: s.shared_writes,
                    shared_conflicts: s.shared_conflicts,
                }),
            }),
        }
    }
}
