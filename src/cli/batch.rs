//! `ctm batch`.

use super::report::{Report, Status};
use super::run::{count, parse_mode, rate_text, to_json};
use super::{Exit, engines, tell};
use anyhow::{Context, bail};
use bar::Bar;
use ctm::array::file::Temporary;
use ctm::engine::Engine;
use ctm::job::{Job, JobError, JobResult, Ran, RunOptions, SharedFiles, run_all};
use ctm::launch::FloatMode;
use rayon::prelude::*;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tasks::{Task, check_files, tasks};

mod bar;
mod tasks;

/// Run many job files.
///
/// Each job gives what `ctm run` gives it, files included; jobs run side by side, in no particular
/// order. The report has one line of JSON for each: the path (`job`), the `status` (ok, fault or
/// error), and what `ctm run --json` prints, or the `error`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ctm batch jobs/ --report report.jsonl             all job files in a folder and below
  ctm batch jobs/ --report report.jsonl --resume    go on after an interruption
  find . -name 'case*.toml' | ctm batch --list - --keep-going > report.jsonl
  ctm batch jobs/ --report r.jsonl --resume --retry-failed --keep-going

Programs and arrays that several jobs name are read once. No two jobs may save to one file, and no
job may read what one of them saves: that is refused before anything runs.

A job's files are complete or absent, also when the process is killed, and its line appears in the
report when they are there. --resume skips the jobs that the report has; a line without its end is
dropped, and its job runs again.

Exit status: 0 all jobs are ok, 1 a job failed, 2 bad usage.")]
#[command(group = clap::ArgGroup::new("which").required(true).args(["jobs", "list"]))]
pub struct Args {
    /// Job files, and folders of job files.
    #[arg(value_name = "JOB.toml")]
    jobs: Vec<PathBuf>,
    /// A file with the path of a job in each line; -: standard input.
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// Where the report goes. Default: standard output.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Go on with the report: skip the jobs that it has.
    #[arg(long, requires = "report")]
    resume: bool,
    /// With --resume: run those jobs again that failed, and drop their lines.
    #[arg(long, requires = "resume")]
    retry_failed: bool,
    /// Run all jobs, also when some fail. Default: start none after the first that failed.
    #[arg(short, long)]
    keep_going: bool,
    /// The engine that runs them.
    #[arg(long, default_value = engines::NAMES[0], value_parser = engines::NAMES)]
    engine: String,
    #[command(flatten)]
    adapter: engines::Adapter,
    /// Arithmetic: the chip's to the bit, or the host's. Overrides the jobs' [float].
    #[arg(long, value_parser = parse_mode)]
    mode: Option<FloatMode>,
    /// Keep statistics: instructions, fetches, divergence, what an X1900 XTX needs at best.
    #[arg(long)]
    stats: bool,
    /// Instructions that a group may run, instead of the jobs' [limits].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Do not write the files that the jobs ask for.
    #[arg(long)]
    no_save: bool,
    /// Threads; 0: as many as there are processors.
    #[arg(short = 'j', long = "threads", value_name = "N", default_value_t = 0, value_parser = super::threads())]
    threads: usize,
}

/// Jobs that run together at most.
const CHUNK: usize = 1024;

/// Jobs of the first chunk; the next ones are as large as the time allows.
const FIRST_CHUNK: usize = 64;

/// How long a chunk should take: a line of the report waits that long at most, by and large.
const CHUNK_TIME: Duration = Duration::from_millis(250);

/// Bytes of surfaces that a chunk may have, unless a few jobs alone have more.
const CHUNK_BYTES: u64 = 512 << 20;

/// Failed jobs that are named on standard error.
const SHOWN: u64 = 10;

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(args.threads)
        .build()
        .context("cannot start threads")?;
    let engine = engines::engine(&args.engine, &args.adapter)?;
    let started = Instant::now();
    let tasks = pool.install(|| tasks(args))?;
    pool.install(|| check_files(&tasks, args))?;
    let (report, known) = match &args.report {
        None => (Report::Standard, HashMap::new()),
        Some(path) if args.resume => Report::resume(path, args.retry_failed)?,
        Some(path) => (Report::create(path)?, HashMap::new()),
    };
    let mut batch = Batch {
        args,
        engine: engine.as_ref(),
        options: RunOptions { mode: args.mode, instructions: args.limit, statistics: args.stats },
        shared: SharedFiles::new(),
        report,
        bar: Bar::new(tasks.len()),
        counts: Counts::default(),
        ran: Vec::new(),
        stopped: None,
    };
    let rest = batch.skip(&tasks, &known);
    let result = pool.install(|| batch.all(&rest));
    let seconds = started.elapsed();
    batch.bar.clear();
    result?;
    batch.summary(tasks.len(), seconds);
    Ok(if batch.counts.failed() == 0 { Exit::Done } else { Exit::Failed })
}

/// How many jobs came out how.
#[derive(Default)]
struct Counts {
    ok: u64,
    fault: u64,
    error: u64,
    skipped: u64,
    /// Of the skipped ones, those that failed before.
    skipped_failed: u64,
}

impl Counts {
    fn done(&self) -> u64 {
        self.ok + self.fault + self.error
    }
    fn failed(&self) -> u64 {
        self.fault + self.error + self.skipped_failed
    }
}

/// A job's line in the report.
struct Line {
    status: Status,
    text: String,
    /// What failed, for people.
    problem: String,
    /// What ran the job's launches, of an engine that consists of several.
    ran: Vec<Ran>,
}

struct Batch<'a> {
    args: &'a Args,
    engine: &'a dyn Engine,
    options: RunOptions,
    shared: SharedFiles,
    report: Report,
    bar: Bar,
    counts: Counts,
    /// What ran the launches of all jobs, of an engine that consists of several.
    ran: Vec<Ran>,
    /// The job after which none was started.
    stopped: Option<String>,
}

impl Batch<'_> {
    /// The tasks that are still to run.
    fn skip<'t>(&mut self, tasks: &'t [Task], known: &HashMap<String, Status>) -> Vec<&'t Task> {
        let mut rest = Vec::new();
        for task in tasks {
            let Some(status) = known.get(&task.name) else {
                rest.push(task);
                continue;
            };
            self.counts.skipped += 1;
            if *status != Status::Ok {
                self.counts.skipped_failed += 1;
                if !self.args.keep_going && self.stopped.is_none() {
                    self.stopped = Some(task.name.clone());
                }
            }
        }
        rest
    }

    /// Runs the tasks, chunk by chunk.
    fn all(&mut self, mut rest: &[&Task]) -> anyhow::Result<()> {
        let mut size = FIRST_CHUNK;
        while !rest.is_empty() && self.stopped.is_none() {
            let started = Instant::now();
            let (chunk, jobs) = self.read(rest, size);
            let count = chunk.len();
            self.chunk(chunk, jobs)?;
            rest = &rest[count..];
            let seconds = started.elapsed().as_secs_f64().max(1e-6);
            let fitting = count as f64 * CHUNK_TIME.as_secs_f64() / seconds;
            size = (fitting as usize).clamp(1, CHUNK);
        }
        Ok(())
    }

    /// Reads the next jobs: `size` of them, or fewer if they are large. Without --keep-going a job
    /// that cannot be read is the last one.
    fn read<'t>(
        &self,
        rest: &'t [&'t Task],
        size: usize,
    ) -> (&'t [&'t Task], Vec<Result<Job, JobError>>) {
        let size = size.min(rest.len());
        let mut step = 4 * rayon::current_num_threads();
        let mut jobs: Vec<Result<Job, JobError>> = Vec::with_capacity(size);
        let mut bytes = 0;
        while jobs.len() < size && bytes < CHUNK_BYTES {
            let next = &rest[jobs.len()..size.min(jobs.len() + step)];
            let from = jobs.len();
            jobs.par_extend(next.par_iter().map(|task| {
                let text = Job::text(&task.path)?;
                Job::parse_shared(&text, &task.path, &self.shared)
            }));
            for job in jobs[from..].iter().flatten() {
                bytes += job.buffers.iter().map(ctm::job::Buffer::bytes).sum::<u64>();
            }
            if bytes < CHUNK_BYTES / 16 {
                step *= 2;
            }
            if !self.args.keep_going
                && let Some(bad) = jobs[from..].iter().position(Result::is_err)
            {
                jobs.truncate(from + bad + 1);
                break;
            }
        }
        (&rest[..jobs.len()], jobs)
    }

    /// Runs jobs, saves what they give, and reports.
    fn chunk(&mut self, tasks: &[&Task], jobs: Vec<Result<Job, JobError>>) -> anyhow::Result<()> {
        let mut errors: Vec<Option<JobError>> = Vec::with_capacity(jobs.len());
        let mut good = Vec::with_capacity(jobs.len());
        for job in jobs {
            match job {
                Ok(job) => {
                    good.push(job);
                    errors.push(None);
                }
                Err(error) => errors.push(Some(error)),
            }
        }
        let told = self.bar.chunk(good.len() as u64);
        let mut results = run_all(&good, self.engine, &self.options, &told).into_iter();
        let mut good = good.into_iter();
        let mut outcomes = Vec::with_capacity(tasks.len());
        for error in errors {
            outcomes.push(match error {
                Some(error) => Err(error),
                None => match (good.next(), results.next()) {
                    (Some(job), Some(result)) => result.map(|result| (job, result)),
                    _ => bail!("fewer results than jobs"),
                },
            });
        }
        // What comes after the first failure has not been started, as far as anyone can see.
        let mut last = outcomes.len();
        if !self.args.keep_going {
            let failed = |outcome: &Result<(Job, JobResult), JobError>| match outcome {
                Ok((_, result)) => !result.faults.is_empty(),
                Err(_) => true,
            };
            if let Some(first) = outcomes.iter().position(failed) {
                last = first + 1;
            }
        }
        outcomes.truncate(last);
        let lines: Vec<Line> = outcomes
            .into_par_iter()
            .zip(tasks)
            .map(|(outcome, task)| self.finish(task, outcome))
            .collect();
        self.tell(tasks, lines)
    }

    /// Saves what a job gave; its line.
    fn finish(&self, task: &Task, outcome: Result<(Job, JobResult), JobError>) -> Line {
        let saved = outcome.and_then(|(job, mut result)| {
            let files = if self.args.no_save {
                Vec::new()
            } else {
                job.save_under(&mut result, Temporary::Fixed)?
            };
            Ok((result, files))
        });
        let mut object = Map::new();
        object.insert("job".into(), task.name.as_str().into());
        let mut ran = Vec::new();
        let (status, problem) = match saved {
            Ok((result, files)) => {
                let status = match result.faults.is_empty() {
                    true => Status::Ok,
                    false => Status::Fault,
                };
                object.insert("status".into(), status.name().into());
                if let Value::Object(more) = to_json(&result, &files, self.args.stats) {
                    object.extend(more);
                }
                ran = result.ran;
                let faults = result.faults.iter();
                let faults: Vec<String> = faults.map(|(code, fault)| fault.text(code)).collect();
                (status, faults.join("; "))
            }
            Err(error) => {
                let error = error.to_string();
                object.insert("status".into(), Status::Error.name().into());
                object.insert("error".into(), error.as_str().into());
                (Status::Error, error)
            }
        };
        let mut text = Value::Object(object).to_string();
        text.push('\n');
        Line { status, text, problem, ran }
    }

    /// Reports lines, in order.
    fn tell(&mut self, tasks: &[&Task], lines: Vec<Line>) -> anyhow::Result<()> {
        let mut text = String::new();
        for (task, line) in tasks.iter().zip(lines) {
            text.push_str(&line.text);
            let count = match line.status {
                Status::Ok => &mut self.counts.ok,
                Status::Fault => &mut self.counts.fault,
                Status::Error => &mut self.counts.error,
            };
            *count += 1;
            for ran in line.ran {
                ran.add_to(&mut self.ran);
            }
            if line.status == Status::Ok {
                continue;
            }
            let failed = self.counts.fault + self.counts.error;
            if failed <= SHOWN {
                // The texts of errors name the file themselves.
                self.bar.print(&match line.status {
                    Status::Error => format!("ctm: {}", line.problem),
                    _ => format!("ctm: {}: {}", task.name, line.problem),
                });
            }
            if !self.args.keep_going {
                self.stopped = Some(task.name.clone());
                break;
            }
        }
        self.report.add(&text)?;
        self.bar.done(&self.counts);
        Ok(())
    }

    /// What became of the jobs, on standard error.
    fn summary(&self, total: usize, seconds: Duration) {
        let counts = &self.counts;
        let failed = counts.fault + counts.error;
        if failed > SHOWN {
            tell(format_args!("ctm: {} more failed: see the report", failed - SHOWN));
        }
        let mut text =
            format!("{}: {} ok, {failed} failed", count(total as u64, "job", "jobs"), counts.ok);
        if failed != 0 {
            text += &format!(" ({} with faults, {} with errors)", counts.fault, counts.error);
        }
        if counts.skipped != 0 {
            text += &format!(", {} skipped", counts.skipped);
            if counts.skipped_failed != 0 {
                text += &format!(" ({} of them failed before)", counts.skipped_failed);
            }
        }
        let left = total as u64 - counts.done() - counts.skipped;
        if left != 0 {
            text += &format!(", {left} not run");
        }
        let seconds = seconds.as_secs_f64();
        if counts.done() != 0 {
            let rate = rate_text(counts.done() as f64 / seconds.max(1e-9));
            text += &format!("; {seconds:.2} s, {rate} jobs/s");
        }
        tell(text);
        for ran in &self.ran {
            let Ran { chosen, launches, .. } = ran;
            let launches = count(*launches, "launch", "launches");
            let (engine, reason) = (chosen.engine, &chosen.reason);
            tell(format_args!("{engine} ran {launches} (the first one: {reason})"));
        }
        if let Some(job) = self.stopped.as_deref().filter(|_| left != 0) {
            tell(format_args!("stopped after {job}, which failed; --keep-going goes on"));
        }
    }
}
