//! `ctm batch`.

use super::bar::bar;
use super::output::tell_lines;
use super::outputs::{Output, Outputs};
use super::signals::Signals;
use super::{Exit, engines, jobs, tell};
use anyhow::{Context, bail};
use collect::Collect;
use ctm_base::files::Folders;
use ctm_base::panics;
use ctm_base::text::numbers::{count, rate, time};
use ctm_engine::{Engine, Stop, Stopped};
use ctm_jobs::job::{
    Job, JobError, JobFault, JobResult, ReportLine, RunOptions, Share, SharedFiles, Status, caught,
    measured, run_pack,
};
use indicatif::ProgressBar;
use parking_lot::Mutex;
use queue::{Queue, Taken};
use report::Report;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};
use tasks::{Intake, Shard, Source, Task, arriving};

mod collect;
mod queue;
pub mod report;
pub mod tasks;

/// Run many job files.
///
/// Each job gives the same results and files as `ctm run`. Jobs run concurrently, in no particular
/// order. The report has one line of JSON per job, written when the job ends: the path (`job`), the
/// `status` (ok, fault, error or timeout), and what `ctm run --json` prints, or the `error`.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  ctm batch jobs/ --report report.jsonl             all job files in a folder and below
  ctm batch jobs/ --report report.jsonl --resume    go on after an interruption
  find . -name 'case*.toml' | ctm batch --list - --keep-going > report.jsonl
  ctm batch --list jobs.txt --shard 3/8 --report part3.jsonl    the third of eight parts
  ctm batch jobs/ --report r.jsonl --resume --retry-failed --keep-going
  ctm batch --list jobs.txt --report all.jsonl --no-save --collect results.npy
  ctm batch jobs.pack --report packed.jsonl         the jobs of a pack (`ctm pack`)

Programs and arrays that several jobs name are read once. No two jobs may save to one file, and no
job may read a file that a job saves: such a batch is refused before anything runs. With --list - a
job runs when its line arrives; such a conflict is found only then, and ends the batch.

--shard K/N runs part K of N. The contents of a job and of the files that it reads decide to which
part it belongs, so that parts run on any number of machines, and `ctm merge` joins their reports.

A job's files are complete or absent, even if the process is killed. Its line appears in the report
once they are complete. --resume skips the jobs in the report; it drops an incomplete last line and
runs that job again. SIGINT (Ctrl-C) and SIGTERM stop the running jobs, which then save nothing, and
start no more.

Exit status: 0 all jobs are ok, 1 a job failed, 2 bad usage.")]
#[command(group = clap::ArgGroup::new("which").required(true).args(["jobs", "list"]))]
pub struct Args {
    /// Job files, folders of job files, and packs.
    #[arg(value_name = "JOB.toml")]
    jobs: Vec<PathBuf>,
    /// A file that lists job paths, one per line; -: standard input, as the lines arrive.
    #[arg(long, value_name = "FILE")]
    list: Option<PathBuf>,
    /// The report file. Default: standard output.
    #[arg(long, value_name = "FILE")]
    report: Option<Output>,
    /// Continue the report: skip the jobs it already has.
    #[arg(long, requires = "report")]
    resume: bool,
    /// With --resume: rerun the jobs that failed, and drop their lines.
    #[arg(long, requires = "resume")]
    retry_failed: bool,
    /// Run all jobs, even after a failure. Default: after the first failure, start no more jobs and
    /// stop the running ones.
    #[arg(short, long)]
    keep_going: bool,
    /// Run only part K of N, with K from 1 to N.
    #[arg(long, value_name = "K/N")]
    shard: Option<Shard>,
    /// Gather an output of all jobs in one array, with an axis for the jobs in front, in the order of the
    /// list: the first output, or NAME=OUT.npy. Rows of jobs that fail are 0.
    #[arg(long, value_name = "OUT.npy")]
    collect: Option<Output>,
    /// Leave times out of the report: what depends only on the jobs is then the same in every run.
    #[arg(long)]
    no_times: bool,
    #[command(flatten)]
    engine: engines::Choice,
    #[command(flatten)]
    confined: jobs::Confined,
    #[command(flatten)]
    overrides: jobs::Overrides,
    /// Stop each job after this many seconds; its status is then timeout, and it saves nothing.
    #[arg(long, value_name = "SECONDS", value_parser = super::values::seconds)]
    timeout: Option<Duration>,
    /// Do not write the files that the jobs ask for.
    #[arg(long)]
    no_save: bool,
    /// Threads; 0: the number of processors.
    #[arg(short = 'j', long = "threads", value_name = "N", default_value_t = 0, value_parser = super::values::threads())]
    threads: usize,
}

/// At most this many failed jobs are named on standard error.
const SHOWN: u64 = 10;

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let signals = Signals::catch()?;
    let pool = super::start_threads(args.threads)?;
    let shared = args.confined.files()?;
    let engine = args.engine.open()?;
    let started = Instant::now();
    let mut outputs = Outputs::new(&shared);
    args.list.iter().for_each(|list| outputs.reads(list));
    let report = match &args.report {
        Some(report) if report.is_dash() => {
            bail!("--report -: without --report the lines go to standard output")
        }
        report => outputs.maybe("--report", report)?,
    };
    let collect = match &args.collect {
        Some(given) => {
            let (output, file) = Collect::of(given);
            Some((output, outputs.add("--collect", &file)?))
        }
        None => None,
    };
    let own = report.iter().map(|report| ("the report", report.path()));
    let own = own.chain(collect.iter().map(|(_, to)| ("the array of --collect", to.path())));
    let mut intake = Intake::new(args, &shared, own);
    let streamed = args.list.as_deref() == Some(Path::new("-"));
    let tasks = if streamed { Vec::new() } else { pool.install(|| intake.all())? };
    let collect = match &collect {
        Some(_) if streamed => {
            bail!(
                "--collect: how many jobs arrive with --list - is not known; give a list in a file"
            )
        }
        Some((output, to)) => Some(Collect::new(to, output.clone(), intake.count(), args.resume)?),
        None => None,
    };
    let (report, known) = match &report {
        None => (Report::Standard, HashMap::new()),
        Some(report) if args.resume => Report::resume(report, args.retry_failed)?,
        Some(report) => (Report::create(report)?, HashMap::new()),
    };
    let all = pool.current_num_threads();
    drop(pool);
    let batch = Batch {
        args,
        engine: engine.as_ref(),
        options: args.overrides.options(),
        shared: &shared,
        folders: Folders::default(),
        collect,
        stop: signals.stop(),
        queue: Queue::default(),
        ledger: Mutex::new(Ledger {
            keep_going: args.keep_going,
            report,
            bar: bar(Some(0), "{wide_bar} {pos}/{len} {per_sec} {eta} left {msg}"),
            total: 0,
            known,
            counts: Counts::default(),
            ran: Vec::new(),
            gpu: None,
            stopped: None,
            error: None,
        }),
    };
    let arriving = if streamed { Some((arriving()?, intake)) } else { None };
    batch.all(all, tasks, arriving)?;
    let mut ledger = batch.ledger.into_inner();
    let seconds = started.elapsed();
    ledger.bar.finish_and_clear();
    if let Some(error) = ledger.error.take() {
        return Err(error);
    }
    ledger.summary(seconds, signals.came());
    signals.obey();
    Ok(if ledger.counts.failed() == 0 { Exit::Done } else { Exit::Failed })
}

/// The number of jobs by outcome.
#[derive(Default)]
struct Counts {
    /// Jobs that ran, by [`Status`].
    by: [u64; 4],
    skipped: u64,
    /// Skipped jobs that had failed before.
    skipped_failed: u64,
}

impl Counts {
    /// Jobs that ran and failed.
    fn ran_failed(&self) -> u64 {
        self.by[Status::Ok as usize + 1..].iter().sum()
    }
    fn done(&self) -> u64 {
        self.by.iter().sum()
    }
    fn failed(&self) -> u64 {
        self.ran_failed() + self.skipped_failed
    }
}

/// A job's line in the report.
struct Line {
    status: Status,
    text: String,
    /// The error, human-readable.
    problem: String,
    /// The engines that ran the job's launches, if the engine consists of several.
    ran: Vec<Share>,
    /// The work of a GPU, if something measured it.
    gpu: Option<Duration>,
}

/// The most jobs that run together on an adapter.
const MOST_IN_PACK: usize = 1024;

/// The work on a job before its turn.
#[derive(Default)]
struct Ahead {
    job: Option<Job>,
    result: Option<JobResult>,
}

/// The state that all workers share. Each worker runs one job at a time, or on an adapter some together, on its own
/// threads, so that a slow job does not take threads from the others.
struct Batch<'a> {
    args: &'a Args,
    engine: &'a dyn Engine,
    options: RunOptions,
    shared: &'a SharedFiles,
    /// The folders in which the jobs save.
    folders: Folders,
    /// The collector of an output of all jobs.
    collect: Option<Collect<'a>>,
    /// Set by a signal, and by the first failure without --keep-going.
    stop: &'a Stop,
    queue: Queue,
    ledger: Mutex<Ledger>,
}

impl Batch<'_> {
    /// Runs the tasks, and jobs that arrive, on `all` threads.
    fn all(
        &self,
        all: usize,
        tasks: Vec<Task>,
        arriving: Option<(Arriving, Intake<'_>)>,
    ) -> anyhow::Result<()> {
        let mut ledger = self.ledger.lock();
        let tasks = tasks.into_iter().filter(|task| ledger.takes(task));
        tasks.for_each(|task| self.queue.push(task));
        if ledger.stopped.is_some() {
            self.queue.close();
        }
        drop(ledger);
        let waiting = self.queue.len().max(1);
        let workers = if arriving.is_some() { all } else { all.min(waiting) };
        let pools: Vec<_> = (0..workers)
            .map(|_| super::start_threads((all / workers).max(1)))
            .collect::<anyhow::Result<_>>()?;
        std::thread::scope(|scope| {
            for pool in &pools {
                std::thread::Builder::new()
                    .spawn_scoped(scope, || pool.install(|| self.work(workers)))
                    .inspect_err(|_| {
                        self.stop.stop();
                        self.queue.close();
                    })
                    .context("cannot start threads")?;
            }
            if let Some((lines, intake)) = arriving {
                self.take_in(&lines, intake);
            }
            self.queue.complete();
            Ok(())
        })
    }

    /// Queues the jobs that arrive, until there are no more or the batch is stopped.
    fn take_in(&self, lines: &Arriving, mut intake: Intake<'_>) {
        while self.stop.check().is_ok() {
            let path = match lines.recv_timeout(LOOK) {
                Ok(Ok(path)) if path.to_string_lossy().trim().is_empty() => continue,
                Ok(path) => path,
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            let looked = path.and_then(|path| intake.look(Source::File(path, None)));
            let task = looked.and_then(|looked| intake.add(looked));
            let mut ledger = self.ledger.lock();
            match task {
                Ok(Some(task)) if ledger.takes(&task) => self.queue.push(task),
                Ok(_) => {}
                Err(error) => drop(ledger.error.get_or_insert(error)),
            }
            if ledger.stopped.is_some() || ledger.error.is_some() {
                self.stop.stop();
            }
        }
        self.queue.close();
    }

    /// A worker, one of `workers`: runs jobs until none is left.
    fn work(&self, workers: usize) {
        while self.stop.check().is_ok() {
            // On the CPU a job gains nothing by others beside it. `auto` chooses for each job alone: what a report says
            // of a job does not depend on those that waited beside it.
            let together = self.engine.adapter().is_some() && self.engine.name() != "auto";
            let most = if together { self.queue.len() / workers } else { 1 };
            let most = most.clamp(1, MOST_IN_PACK);
            let taken = self.queue.next_several(most);
            if taken.is_empty() {
                break;
            }
            let aheads = self.ahead(&taken);
            for (taken, ahead) in taken.iter().zip(aheads) {
                let Some(line) = self.job(&taken.task, ahead) else {
                    break;
                };
                if !self.ledger.lock().add(&taken.task, line) {
                    self.stop.stop();
                    break;
                }
            }
        }
        if self.stop.check().is_err() {
            // Wakes workers that wait for room, too.
            self.queue.close();
        }
    }

    /// Reads several jobs, and runs those together that can be. What fails here is done again, alone.
    fn ahead(&self, taken: &[Taken<'_>]) -> Vec<Ahead> {
        let mut aheads: Vec<Ahead> = taken.iter().map(|_| Ahead::default()).collect();
        if taken.len() == 1 {
            return aheads;
        }
        let stop = self.stop.within(self.args.timeout);
        for (ahead, Taken { task, .. }) in aheads.iter_mut().zip(taken) {
            ahead.job = task.read(self.shared, &stop).ok();
        }
        let packed = aheads.iter_mut().filter_map(|Ahead { job, result }| {
            job.as_ref().filter(|job| job.packs()).map(|job| (job, result))
        });
        let (jobs, results): (Vec<&Job>, Vec<_>) = packed.unzip();
        let ran = panics::catch(|| run_pack(&jobs, self.engine, &self.options, &stop));
        for (to, ran) in results.into_iter().zip(ran.unwrap_or_default()) {
            *to = ran.ok();
        }
        aheads
    }

    /// The report line of a job; `None` if a signal or another job's failure stopped it.
    fn job(&self, task: &Task, ahead: Ahead) -> Option<Line> {
        let stop = self.stop.within(self.args.timeout);
        let ran: Result<_, JobError> = caught(&task.path, || {
            let saved = self.run(task, ahead, &stop)?;
            Ok(saved.map(|saved| self.line(task, Ok(saved))))
        });
        match ran {
            Err(error) if error.stopped() == Some(Stopped::Cancelled) => None,
            Err(error) => Some(self.line(task, Err(error))),
            Ok(line) => line,
        }
    }

    /// Runs a job and saves its results; `None` if everything was stopped before it was saved.
    fn run(&self, task: &Task, ahead: Ahead, stop: &Stop) -> Result<Option<Saved>, JobError> {
        let job = match ahead.job {
            Some(job) => job,
            None => task.read(self.shared, stop)?,
        };
        if !self.args.no_save {
            job.check_outputs(&self.folders)?;
        }
        let mut result = match ahead.result {
            Some(result) => result,
            None => job.run(self.engine, &self.options, stop)?,
        };
        if self.stop.check().is_err() {
            return Ok(None);
        }
        if let Some(collect) = &self.collect {
            let put = collect.put(task.row, &job, &result);
            put.map_err(|error| JobError::of_file(&task.path, format!("{error:#}")))?;
        }
        let files = if self.args.no_save { Vec::new() } else { job.save(&mut result)? };
        Ok(Some((job, result, files)))
    }

    fn line(&self, task: &Task, outcome: Result<Saved, JobError>) -> Line {
        let job = &*task.name;
        match outcome {
            Ok((ran, result, files)) => {
                let status = if result.faults.is_empty() { Status::Ok } else { Status::Fault };
                let faults = result.job_faults(&ran);
                let faults: Vec<String> = faults.iter().map(JobFault::text).collect();
                let (statistics, times) = (self.options.statistics, !self.args.no_times);
                let report = Some(result.report(&ran, &files, statistics, times));
                let row = self.collect.as_ref().map(|_| task.row);
                let text = ReportLine { job, status, row, report, error: None }.text();
                let (ran, gpu) = (result.ran, result.seconds.gpu);
                Line { status, text, problem: faults.join("; "), ran, gpu }
            }
            Err(error) => {
                let stopped = error.stopped().is_some();
                let status = if stopped { Status::Timeout } else { Status::Error };
                let problem = error.to_string();
                let error = Some(&*problem);
                let text = ReportLine { job, status, row: None, report: None, error }.text();
                Line { status, text, problem, ran: Vec::new(), gpu: None }
            }
        }
    }
}

/// The lines of a list that arrives on standard input.
type Arriving = Receiver<anyhow::Result<PathBuf>>;

/// The interval at which a batch that waits for lines looks whether it is stopped.
const LOOK: Duration = Duration::from_millis(50);

/// A job, its result, and the files that were saved.
type Saved = (Job, JobResult, Vec<PathBuf>);

/// The command line of this process with more options, for a shell.
fn again(options: &[&str]) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%".contains(c);
    let word = |word: String| {
        if !word.is_empty() && word.chars().all(plain) {
            word
        } else {
            format!("'{}'", word.replace('\'', "'\\''"))
        }
    };
    let given: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let is_given = |option: &str| {
        given.iter().any(|word| word == option || option == "--keep-going" && word == "-k")
    };
    let more = options.iter().filter(|option| !is_given(option)).map(|option| option.to_string());
    let words = given.iter().cloned().chain(more).map(word);
    super::escaped_line(&format!("ctm {}", words.collect::<Vec<_>>().join(" ")))
}

/// The report, the progress bar and the totals.
struct Ledger {
    keep_going: bool,
    report: Report,
    bar: ProgressBar,
    /// The number of jobs so far.
    total: u64,
    /// The jobs that the report has already.
    known: HashMap<String, Status>,
    counts: Counts,
    /// The engines that ran the launches of all jobs, if the engine consists of several.
    ran: Vec<Share>,
    /// The work of a GPU on all jobs, by its own clock.
    gpu: Option<Duration>,
    /// The failed job after which no job was started.
    stopped: Option<String>,
    /// The error of writing the report.
    error: Option<anyhow::Error>,
}

impl Ledger {
    /// Counts a job; returns whether it is still to run.
    fn takes(&mut self, task: &Task) -> bool {
        self.total += 1;
        self.bar.set_length(self.total);
        let Some(status) = self.known.get(&task.name) else {
            return true;
        };
        self.counts.skipped += 1;
        if *status != Status::Ok {
            self.counts.skipped_failed += 1;
            if !self.keep_going {
                self.stopped.get_or_insert_with(|| task.name.clone());
            }
        }
        false
    }

    /// Adds the line of a job; returns whether to go on.
    fn add(&mut self, task: &Task, line: Line) -> bool {
        self.counts.by[line.status as usize] += 1;
        for ran in line.ran {
            ran.add_to(&mut self.ran);
        }
        self.gpu = measured(self.gpu, line.gpu);
        if line.status != Status::Ok {
            if self.counts.ran_failed() <= SHOWN {
                // Error texts name the file themselves.
                let text = match line.status {
                    Status::Error | Status::Timeout => format!("ctm: {}", line.problem),
                    Status::Ok | Status::Fault => format!("ctm: {}: {}", task.name, line.problem),
                };
                self.bar.suspend(|| tell_lines(&text));
            }
            if !self.keep_going {
                self.stopped.get_or_insert_with(|| task.name.clone());
            }
        }
        if let Err(error) = self.report.add(&line.text) {
            self.error.get_or_insert(error);
        }
        self.bar.set_position(self.counts.done() + self.counts.skipped);
        if self.counts.ran_failed() != 0 {
            self.bar.set_message(format!("{} failed", self.counts.ran_failed()));
        }
        self.stopped.is_none() && self.error.is_none()
    }

    /// Prints the totals to standard error.
    fn summary(&self, seconds: Duration, signalled: bool) {
        let (total, counts) = (self.total, &self.counts);
        let failed = counts.ran_failed();
        if failed > SHOWN {
            tell(format_args!("ctm: {} more failed: see the report", failed - SHOWN));
        }
        let [ok, fault, error, timeout] = counts.by;
        let jobs = count(total, "job", "jobs");
        let mut text = format!("{jobs}: {ok} ok, {failed} failed");
        if failed != 0 {
            text += &format!(" ({fault} with faults, {error} with errors");
            if timeout != 0 {
                text += &format!(", {timeout} out of time");
            }
            text += ")";
        }
        if counts.skipped != 0 {
            text += &format!(", {} skipped", counts.skipped);
            if counts.skipped_failed != 0 {
                text += &format!(" ({} of them failed before)", counts.skipped_failed);
            }
        }
        let left = total - counts.done() - counts.skipped;
        if left != 0 {
            text += &format!(", {left} not run");
        }
        let seconds = seconds.as_secs_f64();
        if counts.done() != 0 {
            let rate = rate(counts.done() as f64 / seconds.max(1e-9));
            text += &format!("; {seconds:.2} s, {rate} jobs/s");
            if let Some(gpu) = self.gpu {
                text += &format!("; {} on the GPU", time(gpu.as_secs_f64()));
            }
        }
        tell(text);
        for ran in &self.ran {
            let Share { engine, why, launches, .. } = ran;
            let launches = count(*launches, "launch", "launches");
            tell(match self.ran.len() {
                1 => format!("engine {engine} ran all {launches}: {}", why.reason),
                _ => format!("engine {engine} ran {launches}, the first because: {}", why.reason),
            });
        }
        if signalled && left != 0 {
            tell("stopped by a signal");
        } else if let Some(job) = self.stopped.as_deref().filter(|_| left != 0) {
            tell(format_args!("stopped: {job} failed"));
            match self.report {
                Report::Standard => tell(format_args!("all of them: {}", again(&["--keep-going"]))),
                Report::File(_) => {
                    tell(format_args!("the rest: {}", again(&["--resume", "--keep-going"])));
                    let retry = again(&["--resume", "--retry-failed"]);
                    tell(format_args!("{job} again, then the rest: {retry}"));
                }
            }
        } else if counts.failed() != 0 && matches!(self.report, Report::File(_)) {
            let retry = again(&["--resume", "--retry-failed", "--keep-going"]);
            tell(format_args!("those that failed again: {retry}"));
        }
    }
}
