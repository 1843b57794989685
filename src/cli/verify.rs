//! `ctm verify`.

use super::output::print_io;
use super::run::{count, parse_mode};
use super::{Exit, engines, jobs, lines};
use anyhow::{Context, bail};
use ctm::engine::{Engine, Ran, Stop};
use ctm::files::RealPaths;
use ctm::job::{Job, RunOptions, SharedFiles};
use ctm::launch::FloatMode;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Run job files and check their outputs against their [[expect]] entries.
#[derive(clap::Args)]
#[command(after_help = "\
A folder means all job files in it and below: the .toml files with a top-level [program] or
[[pass]]. A job without [[expect]] fails, because it has nothing to check.

Examples:
  ctm verify job.toml                              one line: ok, or the first difference
  ctm verify tests/ kernels/ --report report.xml   all jobs in two folders, plus a JUnit report
  ctm verify job.toml --mode fast --json

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
    /// Arithmetic: exact is the chip's, bit for bit; fast is the host's. Overrides the jobs'
    /// [float].
    #[arg(long, value_parser = parse_mode)]
    mode: Option<FloatMode>,
    /// Print one JSON object instead of lines.
    #[arg(long)]
    json: bool,
    /// Write a JUnit report.
    #[arg(long, value_name = "FILE.xml")]
    report: Option<PathBuf>,
    /// Files run concurrently; 0: the number of processors.
    #[arg(short = 'j', long = "threads", value_name = "N", default_value_t = 0, value_parser = super::threads())]
    jobs_at_once: usize,
    /// Stop each job after this many seconds; a stopped job fails.
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds)]
    timeout: Option<Duration>,
    /// Print only files that do not pass, and the total.
    #[arg(short, long)]
    quiet: bool,
}

/// The outcome for one file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Passed,
    Failed,
    /// The job could not be run.
    Bad,
}

/// The verdict on one file.
struct Line {
    file: PathBuf,
    verdict: Verdict,
    worst: Option<f64>,
    text: String,
    /// Launches, and those that a translated shader ran.
    launches: [u64; 2],
    time: Duration,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let shared = args.confined.files()?;
    let files = jobs::collect(&args.jobs, &shared)?;
    if args.json || args.report.is_some() {
        for file in &files {
            super::utf8(file)?;
        }
    }
    if let Some(report) = &args.report {
        jobs::check(&shared, "--report", report)?;
        let mut real = RealPaths::default();
        let place = real.of(report);
        if files.iter().any(|file| real.of(file) == place) {
            let report = report.display();
            bail!("--report {report}: it would replace a job that is verified");
        }
        super::report::check(report)?;
    }
    let engine = args.engine.open()?;
    let done = lines::of_files(
        &files,
        args.jobs_at_once,
        |file| verify(file, &shared, engine.as_ref(), args),
        |line| !(args.json || args.quiet && line.verdict == Verdict::Passed),
        print,
    )?;
    let passed = done.iter().filter(|l| l.verdict == Verdict::Passed).count();
    let failed = done.len() - passed;
    super::print(match args.json {
        true => format!("{}\n", to_json(&done, passed, failed)),
        false => {
            let shaders = match engine.counts_apart() {
                true => super::shaders(done.iter().map(|line| line.launches)),
                false => String::new(),
            };
            format!("{passed} passed, {failed} failed\n{shaders}")
        }
    })?;
    if let Some(path) = &args.report {
        let text = junit(&done).to_string().context("cannot make the report")?;
        ctm::files::write(path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    let bad = done.iter().filter(|l| l.verdict == Verdict::Bad).count();
    if bad > 0 {
        bail!("{bad} of {} files could not be run", done.len());
    }
    Ok(if failed == 0 { Exit::Done } else { Exit::Failed })
}

fn print(line: &Line) -> std::io::Result<()> {
    let word = match line.verdict {
        Verdict::Passed => "ok  ",
        Verdict::Failed => "FAIL",
        Verdict::Bad => "BAD ",
    };
    // Texts of bad files name the file themselves.
    print_io(match line.verdict {
        Verdict::Bad => format!("{word} {}\n", super::escaped(&line.text)),
        _ => {
            let text = format!("{}: {}", line.file.display(), line.text);
            format!("{word} {}\n", super::escaped_line(&text))
        }
    })
}

fn verify(file: &Path, shared: &SharedFiles, engine: &dyn Engine, args: &Args) -> Line {
    let started = Instant::now();
    let mut launches = [0, 0];
    let (verdict, worst, text) = match verdict(file, shared, engine, args, &mut launches) {
        Ok(verdict) => verdict,
        Err(error) => (Verdict::Bad, None, format!("{error:#}")),
    };
    Line { file: file.to_path_buf(), verdict, worst, text, launches, time: started.elapsed() }
}

fn verdict(
    file: &Path,
    shared: &SharedFiles,
    engine: &dyn Engine,
    args: &Args,
    launches: &mut [u64; 2],
) -> anyhow::Result<(Verdict, Option<f64>, String)> {
    let job = Job::read_shared(file, shared)?;
    if job.expects.is_empty() {
        let text = "nothing to check: the job has no [[expect]]".to_string();
        return Ok((Verdict::Failed, None, text));
    }
    let options = RunOptions { mode: args.mode, ..RunOptions::default() };
    let stop = args.timeout.map_or_else(Stop::new, |limit| Stop::new().with_limit(limit));
    let result = match job.run(engine, &options, &stop) {
        Err(error) if error.stopped().is_some() => {
            return Ok((Verdict::Failed, None, error.problem.to_string()));
        }
        result => result?,
    };
    let shaders = result.ran.iter().filter(|share| share.engine == Ran::SHADER);
    *launches = [result.launches, shaders.map(|share| share.launches).sum()];
    let checks = job.check(&result)?;
    let worst = checks.iter().filter_map(|c| c.worst).reduce(f64::max);
    let failures: Vec<&str> =
        checks.iter().filter(|c| !c.passed).map(|c| c.text.as_str()).collect();
    if !failures.is_empty() {
        return Ok((Verdict::Failed, worst, failures.join("; ")));
    }
    let checks = count(checks.len() as u64, "check", "checks");
    let text = match worst {
        Some(worst) if worst > 0.0 => format!("{checks}, worst error {worst:e}"),
        _ => checks,
    };
    Ok((Verdict::Passed, worst, text))
}

fn to_json(lines: &[Line], passed: usize, failed: usize) -> Value {
    let results: Vec<Value> = lines
        .iter()
        .map(|line| {
            json!({
                "file": line.file.display().to_string(),
                "ok": line.verdict == Verdict::Passed,
                // Null if it is infinite or unknown.
                "worst": line.worst,
                "text": line.text,
            })
        })
        .collect();
    json!({ "passed": passed, "failed": failed, "results": results })
}

fn junit(lines: &[Line]) -> quick_junit::Report {
    use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
    let mut suite = TestSuite::new("ctm verify");
    let mut total = Duration::ZERO;
    for line in lines {
        let status = |kind| {
            let mut status = TestCaseStatus::non_success(kind);
            status.set_message(line.text.as_str());
            status
        };
        let status = match line.verdict {
            Verdict::Passed => TestCaseStatus::success(),
            Verdict::Failed => status(NonSuccessKind::Failure),
            Verdict::Bad => status(NonSuccessKind::Error),
        };
        let mut case = TestCase::new(line.file.display().to_string(), status);
        case.set_time(line.time);
        total += line.time;
        suite.add_test_case(case);
    }
    suite.set_time(total);
    let mut report = Report::new("ctm verify");
    report.set_time(total);
    report.add_test_suite(suite);
    report
}
