//! `ctm verify`.

use super::output::print_io;
use super::outputs::{Output, Outputs, Writable};
use super::values::parse_mode;
use super::{Exit, engines, jobs, junit, lines};
use anyhow::{Context, bail};
use ctm_base::files::RealPaths;
use ctm_base::text::numbers::count;
use ctm_engine::{Engine, Ran, Stop};
use ctm_jobs::array::{compare::three_digits, npy};
use ctm_jobs::job::{CheckResult, Job, JobError, JobResult, RunOptions, SharedFiles, caught};
use ctm_machine::launch::FloatMode;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::json;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The size of the longest list of expected failures, in bytes.
const MAX_LIST: u64 = 16 << 20;

/// Run job files and check their outputs against their [[expect]] entries.
#[derive(clap::Args)]
#[command(after_help = "\
A folder means all job files in it and below: the .toml files with a top-level [program] or
[[pass]]. A job without [[expect]] fails, because it has nothing to check.

Examples:
  ctm verify job.toml                              one line: ok, or the first difference
  ctm verify tests/ kernels/ --report report.xml   all jobs in two folders, plus a JUnit report
  ctm verify job.toml --mode fast --json
  ctm verify jobs/ --expected-failures fails.txt   jobs of the list may fail; one that passes is an error
  ctm verify jobs/ --bless                         write what the jobs expect, from what they compute

A list of expected failures names one job file per line, relative to the list's folder. Blank lines and
comments, which begin with #, do not count.

--bless replaces the arrays of [[expect]] that do not agree with the result. A job without [[expect]]
gets one for each output, or for each buffer that is saved. Jobs with an unexpected fault are left alone.

Exit status: 0 all passed, 1 a check failed or a fault occurred, 2 bad usage or a bad file (the
others are still checked).")]
pub struct Args {
    /// Job files, and folders of job files.
    #[arg(value_name = "JOB.toml", required = true)]
    jobs: Vec<PathBuf>,
    #[command(flatten)]
    engine: engines::Choice,
    #[command(flatten)]
    confined: jobs::Confined,
    #[arg(long, value_parser = parse_mode, help = jobs::modes("Overrides the jobs' [float]"))]
    mode: Option<FloatMode>,
    /// Print one JSON object instead of lines.
    #[arg(long)]
    json: bool,
    /// Write a JUnit report.
    #[arg(long, value_name = "FILE.xml")]
    report: Option<Output>,
    /// The jobs that are known to fail, one per line.
    #[arg(long, value_name = "LIST.txt")]
    expected_failures: Option<PathBuf>,
    /// Write the expected arrays that are missing or do not agree with the result.
    #[arg(long, conflicts_with = "expected_failures")]
    bless: bool,
    /// Files run concurrently; 0: the number of processors.
    #[arg(short = 'j', long = "threads", value_name = "N", default_value_t = 0, value_parser = super::values::threads())]
    jobs_at_once: usize,
    /// Stop each job after this many seconds; a stopped job fails.
    #[arg(long, value_name = "SECONDS", value_parser = super::values::seconds)]
    timeout: Option<Duration>,
    /// Print only files that do not pass, and the total.
    #[arg(short, long)]
    quiet: bool,
}

/// The outcome for one file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passed,
    /// It failed, and the list of expected failures names it.
    Expected,
    Failed,
    /// The job could not be run.
    Bad,
}

/// The verdict on one file: an object of `--json`.
#[derive(Serialize)]
struct Line {
    file: PathBuf,
    #[serde(rename = "ok", serialize_with = "is_good")]
    verdict: Verdict,
    /// The reason why it does not pass; the type of a JUnit failure: `mismatch`, `fault`,
    /// `no-expectation`, `timeout`, `unexpected-pass` or `bad-job`.
    kind: Option<&'static str>,
    /// Null in JSON also if it is infinite.
    worst: Option<f64>,
    text: String,
    /// The files that --bless wrote.
    blessed: Vec<PathBuf>,
    /// Launches, and those that a translated shader ran.
    #[serde(skip)]
    launches: [u64; 2],
    #[serde(skip)]
    time: Duration,
}

fn is_good<S: serde::Serializer>(verdict: &Verdict, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_bool(verdict.is_good())
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let shared = args.confined.files()?;
    let files = jobs::collect(&args.jobs, &shared)?;
    if args.json || args.report.is_some() {
        super::all_utf8(&files)?;
    }
    let list = args.expected_failures.as_deref();
    let mut outputs = Outputs::new(&shared);
    if args.report.is_some() {
        list.iter().for_each(|list| outputs.reads(list));
        files.iter().for_each(|file| outputs.job(file));
    }
    let report = outputs.maybe("--report", &args.report)?;
    let expected = list.map(|list| expected_failures(list, &files, &shared)).transpose()?;
    let engine = args.engine.open()?;
    let mut inputs = Outputs::new(&shared);
    if args.bless {
        files.iter().for_each(|file| inputs.job_inputs(file));
    }
    let run = Run {
        args,
        shared: &shared,
        engine: engine.as_ref(),
        expected: expected.unwrap_or_default(),
        blessed: Mutex::new(Blessed { inputs, real: RealPaths::default(), owners: HashMap::new() }),
    };
    let done = lines::in_order(
        &files,
        args.jobs_at_once,
        |file| run.verify(file),
        |line| if args.json || args.quiet && line.verdict.is_good() { Ok(()) } else { print(line) },
    )?;
    let of = |verdict| done.iter().filter(|line| line.verdict == verdict).count();
    let (passed, expected, bad) = (of(Verdict::Passed), of(Verdict::Expected), of(Verdict::Bad));
    let failed = done.len() - passed - expected;
    super::print(if args.json {
        let object = json!({
            "passed": passed,
            "failed": failed,
            "failed_as_expected": expected,
            "results": done,
        });
        format!("{object}\n")
    } else {
        let shaders = super::shaders(engine.counts_apart(), done.iter().map(|line| line.launches));
        let expected = match expected {
            0 => String::new(),
            n => format!(", {n} failed as expected"),
        };
        format!("{passed} passed, {failed} failed{expected}\n{shaders}")
    })?;
    if let Some(report) = report {
        let cases: Vec<junit::Case> = done.iter().map(case).collect();
        report.write(&junit::report("ctm verify", &cases).context("cannot make the report")?)?;
    }
    if bad > 0 {
        bail!("{bad} of {} files could not be run", done.len());
    }
    Ok(if failed == 0 { Exit::Done } else { Exit::Failed })
}

/// The jobs of a run that a list names, with their lines as `fails.txt:3`.
fn expected_failures(
    list: &Path,
    files: &[PathBuf],
    shared: &SharedFiles,
) -> anyhow::Result<HashMap<PathBuf, String>> {
    jobs::check(shared, "--expected-failures", list)?;
    let bytes = ctm_base::files::read(list, MAX_LIST)
        .with_context(|| format!("cannot read {}", list.display()))?;
    let text = std::str::from_utf8(&bytes)
        .with_context(|| format!("{}: it is not UTF-8 text", list.display()))?;
    let folder = list.parent().unwrap_or(Path::new(""));
    let mut real = RealPaths::default();
    let mut listed = HashMap::new();
    for (n, line) in text.lines().enumerate() {
        let name = line.split_once('#').map_or(line, |(name, _)| name).trim();
        if name.is_empty() {
            continue;
        }
        let place = format!("{}:{}", list.display(), n + 1);
        let path = folder.join(name);
        if !path.is_file() {
            bail!("{place}: there is no file {}", path.display());
        }
        if let Some(before) = listed.insert(real.of(&path), place.clone()) {
            bail!("{place}: {name} is listed twice, first in {before}");
        }
    }
    let of = |file: &PathBuf| Some((file.clone(), listed.get(&real.of(file))?.clone()));
    Ok(files.iter().filter_map(of).collect())
}

fn print(line: &Line) -> std::io::Result<()> {
    let word = match line.verdict {
        Verdict::Passed | Verdict::Expected => "ok  ",
        Verdict::Failed => "FAIL",
        Verdict::Bad => "BAD ",
    };
    let text = match line.verdict {
        // Texts of bad files name the file themselves.
        Verdict::Bad => super::escaped(&line.text),
        _ => super::escaped_line(&format!("{}: {}", line.file.display(), line.text)),
    };
    print_io(format!("{word} {text}\n"))
}

/// The part that all jobs of one command share.
struct Run<'a> {
    args: &'a Args,
    shared: &'a SharedFiles,
    engine: &'a dyn Engine,
    /// The jobs that the list of expected failures names, and where.
    expected: HashMap<PathBuf, String>,
    blessed: Mutex<Blessed<'a>>,
}

/// The expected arrays that jobs agree with, or that were written for them.
struct Blessed<'a> {
    /// The files that the jobs read, which no array replaces.
    inputs: Outputs<'a>,
    real: RealPaths,
    /// The job of each array.
    owners: HashMap<PathBuf, PathBuf>,
}

impl Run<'_> {
    fn verify(&self, file: &Path) -> Line {
        let started = Instant::now();
        let mut line = Line {
            file: file.to_path_buf(),
            verdict: Verdict::Passed,
            kind: None,
            worst: None,
            text: String::new(),
            blessed: Vec::new(),
            launches: [0, 0],
            time: Duration::ZERO,
        };
        if let Err(error) = caught(file, || self.judge(&mut line)) {
            match error.downcast_ref::<JobError>() {
                Some(job) if job.stopped().is_some() => {
                    line.fail("timeout", job.problem.to_string());
                }
                _ => {
                    line.verdict = Verdict::Bad;
                    line.kind = Some("bad-job");
                    line.text = super::error_text(&error);
                }
            }
        }
        if let Some(place) = self.expected.get(file) {
            line.text = match line.verdict {
                Verdict::Passed => {
                    line.verdict = Verdict::Failed;
                    line.kind = Some("unexpected-pass");
                    format!("it passed ({}), but {place} expects it to fail", line.text)
                }
                _ => {
                    line.verdict = Verdict::Expected;
                    format!("fails as expected: {}", line.text)
                }
            };
        }
        line.time = started.elapsed();
        line
    }

    /// Runs and checks a job.
    fn judge(&self, line: &mut Line) -> anyhow::Result<()> {
        let args = self.args;
        let stop = Stop::new().within(args.timeout);
        let job = Job::read_shared(&line.file, self.shared, &stop)?;
        if job.expects.is_empty() && !args.bless {
            line.fail("no-expectation", "nothing to check: the job has no [[expect]]".into());
            return Ok(());
        }
        let options = RunOptions { mode: args.mode, ..RunOptions::default() };
        let result = job.run(self.engine, &options, &stop)?;
        let shaders = result.ran.iter().filter(|share| share.engine == Ran::SHADER);
        line.launches = [result.launches, shaders.map(|share| share.launches).sum()];
        let is_right = job.check_faults(&result).iter().all(|check| check.passed);
        if args.bless && is_right {
            return self.bless(&job, &result, &stop, line);
        }
        let checks = job.check(&result)?;
        line.worst = checks.iter().filter_map(|c| c.worst).reduce(f64::max);
        let failures: Vec<&CheckResult> = checks.iter().filter(|c| !c.passed).collect();
        if !failures.is_empty() {
            // A fault may be the cause of what differs.
            let is_fault = failures.iter().any(|check| check.comparison.is_none());
            let kind = if is_fault { "fault" } else { "mismatch" };
            let texts: Vec<&str> = failures.iter().map(|c| c.text.as_str()).collect();
            line.fail(kind, texts.join("; "));
            return Ok(());
        }
        let checks = count(checks.len() as u64, "check", "checks");
        line.text = match line.worst {
            Some(worst) if worst > 0.0 => {
                format!("{checks}, worst error {}", three_digits(worst))
            }
            _ => checks,
        };
        Ok(())
    }

    /// Writes what a job expects. An array that two jobs expect must have the same values for both.
    fn bless(
        &self,
        job: &Job,
        result: &JobResult,
        stop: &Stop,
        line: &mut Line,
    ) -> anyhow::Result<()> {
        let blessed = &mut *self.blessed.lock();
        let blessing = job.blessing(result, self.shared, stop)?;
        for kept in &blessing.kept {
            let place = blessed.real.of(kept);
            blessed.owners.entry(place).or_insert_with(|| job.file.clone());
        }
        for (path, _) in &blessing.arrays {
            let place = blessed.real.of(path);
            if let Some(owner) = blessed.owners.insert(place, job.file.clone()) {
                let (path, owner) = (path.display(), owner.display());
                bail!("{}: {owner} expects other values in {path}", job.file.display());
            }
        }
        let mut arrays = Vec::new();
        for (path, array) in &blessing.arrays {
            arrays.push((blessed.inputs.expected(&job.file, path)?, array));
        }
        for (to, array) in arrays {
            to.write_with(|to| npy::write(array, to))?;
            line.blessed.push(to.path().to_path_buf());
        }
        if let Some(text) = &blessing.text {
            Writable::job(&job.file).write(text.as_bytes())?;
            line.blessed.push(job.file.clone());
        }
        let files: Vec<_> = line.blessed.iter().map(|p| p.display().to_string()).collect();
        line.text = if files.is_empty() {
            count(job.expects.len() as u64, "check", "checks")
        } else {
            format!("wrote {}", files.join(", "))
        };
        Ok(())
    }
}

impl Line {
    fn fail(&mut self, kind: &'static str, text: String) {
        self.verdict = Verdict::Failed;
        self.kind = Some(kind);
        self.text = text;
    }
}

impl Verdict {
    fn is_good(self) -> bool {
        matches!(self, Verdict::Passed | Verdict::Expected)
    }
}

/// A case of a JUnit report.
fn case(line: &Line) -> junit::Case {
    let kind = match line.verdict {
        Verdict::Passed => None,
        Verdict::Expected => Some(junit::Kind::Skipped),
        Verdict::Failed => Some(junit::Kind::Failure),
        Verdict::Bad => Some(junit::Kind::Error),
    };
    let (reason, text) = (line.kind.unwrap_or_default(), line.text.clone());
    junit::Case {
        name: line.file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        class: junit::class(&line.file, "jobs"),
        time: line.time,
        problem: kind.map(|kind| junit::Problem { kind, reason, text }),
    }
}
