//! `ctm batch`.

use super::report::{Report, Status};
use super::run::{count, parse_mode, to_json};
use super::{Exit, engines, jobs};
use anyhow::{Context, bail};
use ctm::array::file::Temporary;
use ctm::engine::{BatchProgress, Engine};
use ctm::job::{Job, JobError, JobFiles, JobResult, Ran, RunOptions, SharedFiles, run_all};
use ctm::launch::FloatMode;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::prelude::*;
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::io::{BufRead, IsTerminal};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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
    /// Keep statistics: instructions, fetches, divergence, R580 clocks.
    #[arg(long)]
    stats: bool,
    /// Instructions that a group may run, instead of the jobs' [limits].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Do not write the files that the jobs ask for.
    #[arg(long)]
    no_save: bool,
    /// Threads; 0: as many as there are processors.
    #[arg(short = 'j', long = "threads", value_name = "N", default_value_t = 0)]
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

/// A job file that is to run.
struct Task {
    path: PathBuf,
    /// The path as the report has it.
    name: String,
}

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
        options: RunOptions {
            mode: args.mode,
            instructions: args.limit,
            statistics: args.stats,
        },
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
    Ok(if batch.counts.failed() == 0 {
        Exit::Done
    } else {
        Exit::Failed
    })
}

/// The jobs that the arguments name, each once.
fn tasks(args: &Args) -> anyhow::Result<Vec<Task>> {
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

/// One path for a file, however it is written: the real folder and the name.
#[derive(Default)]
struct RealPaths {
    folders: HashMap<PathBuf, PathBuf>,
}

impl RealPaths {
    fn of(&mut self, path: &Path) -> PathBuf {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return path.to_path_buf();
        };
        if let Some(real) = self.folders.get(folder) {
            return real.join(name);
        }
        let here = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        // A folder that is not there has no files that are: any form will do.
        let real = here.canonicalize().unwrap_or_else(|_| here.to_path_buf());
        self.folders.insert(folder.to_path_buf(), real.clone());
        real.join(name)
    }
}

/// Refuses jobs that get in one another's way: two that save to one file, or one that reads what
/// it or another one saves. Jobs that cannot be read name no files; they fail when they run.
fn check_files(tasks: &[Task], args: &Args) -> anyhow::Result<()> {
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
                bail!(
                    "{} and {} both save to {}",
                    other.name,
                    task.name,
                    path.display()
                );
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
        Line {
            status,
            text,
            problem,
            ran,
        }
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
            eprintln!("ctm: {} more failed: see the report", failed - SHOWN);
        }
        let mut text = format!(
            "{}: {} ok, {failed} failed",
            count(total as u64, "job", "jobs"),
            counts.ok
        );
        if failed != 0 {
            text += &format!(
                " ({} with faults, {} with errors)",
                counts.fault, counts.error
            );
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
            let rate = counts.done() as f64 / seconds.max(1e-9);
            text += &format!("; {seconds:.2} s, {rate:.0} jobs/s");
        }
        eprintln!("{text}");
        for ran in &self.ran {
            let Ran {
                chosen, launches, ..
            } = ran;
            let launches = count(*launches, "launch", "launches");
            let (engine, reason) = (chosen.engine, &chosen.reason);
            eprintln!("engine {engine}: {launches}, the first one: {reason}");
        }
        if let Some(job) = self.stopped.as_deref().filter(|_| left != 0) {
            eprintln!("stopped after {job}, which failed; --keep-going goes on");
        }
    }
}

/// The progress bar, if standard error is a terminal.
struct Bar {
    bar: Option<ProgressBar>,
}

impl Bar {
    fn new(jobs: usize) -> Bar {
        let bar = std::io::stderr().is_terminal().then(|| {
            let target = ProgressDrawTarget::stderr_with_hz(10);
            let bar = ProgressBar::with_draw_target(Some(jobs as u64), target);
            let template = "{wide_bar} {pos}/{len} {per_sec} {eta} left {msg}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        Bar { bar }
    }

    /// Progress while a chunk of jobs runs.
    fn chunk(&self, jobs: u64) -> ChunkProgress<'_> {
        ChunkProgress {
            bar: self.bar.as_ref(),
            before: self.bar.as_ref().map_or(0, ProgressBar::position),
            jobs,
        }
    }

    fn done(&self, counts: &Counts) {
        if let Some(bar) = &self.bar {
            bar.set_position(counts.done() + counts.skipped);
            let failed = counts.fault + counts.error;
            if failed != 0 {
                bar.set_message(format!("{failed} failed"));
            }
        }
    }

    /// A line on standard error.
    fn print(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{text}")),
            None => eprintln!("{text}"),
        }
    }

    fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

struct ChunkProgress<'a> {
    bar: Option<&'a ProgressBar>,
    before: u64,
    jobs: u64,
}

impl BatchProgress for ChunkProgress<'_> {
    fn launches(&self, done: u64, total: u64) {
        if let Some(bar) = self.bar {
            bar.set_position(self.before + self.jobs * done / total.max(1));
        }
    }
}
