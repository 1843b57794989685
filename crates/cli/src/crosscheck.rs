//! `ctm crosscheck`.

use super::output::print_io;
use super::signals::Signals;
use super::values::parse_compared_mode;
use super::{Exit, engines, jobs, lines, replay};
use anyhow::bail;
use ctm_base::text::numbers::count;
use ctm_engine::{Engine, Ran, Stop};
use ctm_fuzz::crosscheck::compare::{JobComparison, compare_job};
use ctm_jobs::job::{Job, SharedFiles, caught};
use ctm_machine::launch::FloatMode;
use ctm_machine::record::ReplayOptions;
use serde::Serialize;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Run job files and recordings on several engines and compare everything, bit for bit.
#[derive(clap::Args)]
#[command(after_help = "\
Every byte of memory, all statistics, faults and hazards must be the same. [[expect]] entries are
ignored: see `ctm verify`. All jobs run in mode exact, or in that of --mode, even those that ask for another. A folder means
all job files in it and below.

For a difference the output names the launch, the point, the output's channel, both values, and the
instruction that computed the value on the reference engine. `ctm run --engine reference
--trace I,J` then prints every instruction of the point.

Examples:
  ctm crosscheck kernels/                          all engines of this machine
  ctm crosscheck job.toml --engine reference,block
  ctm crosscheck kernels/ --adapter llvmpipe       the GPU engines on a software adapter
  ctm crosscheck tests/ --json -j 1

An engine may refuse a launch, for example on a GPU with too little memory. That is not a
difference: the job is listed as refused, with the reason.

Exit status: 0 no difference, 1 a difference or a refusal, 2 bad usage (including fewer than two
engines) or a bad file (the others are still checked).")]
pub struct Args {
    /// Job files, and folders of job files.
    #[arg(value_name = "JOB.toml", required = true)]
    jobs: Vec<PathBuf>,
    /// The engines; each is compared with the first. Default: all.
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    engine: Vec<String>,
    #[command(flatten)]
    adapter: engines::Adapter,
    /// The jobs' arithmetic: exact, or chip, which no engine on a GPU has.
    #[arg(long, default_value = "exact", value_parser = parse_compared_mode)]
    mode: FloatMode,
    #[command(flatten)]
    confined: jobs::Confined,
    /// Stop the comparison of each file after this many seconds; a stopped file counts as bad.
    #[arg(long, value_name = "SECONDS", value_parser = super::values::seconds)]
    timeout: Option<Duration>,
    /// Instructions a group may run. Overrides the jobs' [limits] and the limits of recordings.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    limit: Option<u64>,
    /// Print one JSON object instead of lines.
    #[arg(long)]
    json: bool,
    /// Files compared concurrently; 0: the number of processors.
    #[arg(short = 'j', long = "threads", value_name = "N", default_value_t = 0, value_parser = super::values::threads())]
    jobs_at_once: usize,
    /// Print only files that are not the same, and the total.
    #[arg(short, long)]
    quiet: bool,
}

/// The outcome for one file.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    Same,
    Differs,
    /// An engine refused a launch; the others agree up to there.
    Refused,
    Bad,
}

/// The verdict on one file: an object of `--json`.
#[derive(Serialize)]
struct Line {
    file: PathBuf,
    ok: bool,
    verdict: Verdict,
    text: String,
    /// Launches that were compared, and those that a translated shader ran.
    #[serde(skip)]
    launches: [u64; 2],
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let signals = Signals::catch()?;
    let engines = engines::comparable(&args.engine, &args.adapter, args.mode)?;
    if engines.len() < 2 {
        bail!("a comparison needs at least two engines, found {}", engines.len());
    }
    let engines: Vec<&dyn Engine> = engines.iter().map(AsRef::as_ref).collect();
    let shared = args.confined.files()?;
    let files = jobs::collect(&args.jobs, &shared)?;
    if args.json {
        super::all_utf8(&files)?;
    }
    let done = lines::in_order(
        &files,
        args.jobs_at_once,
        |file| {
            signals.obey();
            check(file, &shared, &engines, args, signals.stop())
        },
        |line| if args.json || args.quiet && line.ok { Ok(()) } else { print(line) },
    )?;
    signals.obey();
    let count = |verdict| done.iter().filter(|line| line.verdict == verdict).count();
    let [same, differ, refused, bad] =
        [Verdict::Same, Verdict::Differs, Verdict::Refused, Verdict::Bad].map(count);
    let names: Vec<&str> = engines.iter().map(|engine| engine.name()).collect();
    super::print(if args.json {
        let failed = done.len() - same;
        let object = json!({ "engines": names, "passed": same, "failed": failed, "results": done });
        format!("{object}\n")
    } else {
        let refused = match refused {
            0 => String::new(),
            n => format!("{n} refused, "),
        };
        let names = names.join(" and ");
        let apart = engines.iter().any(|engine| engine.counts_apart());
        let shaders = super::shaders(apart, done.iter().map(|line| line.launches));
        format!("{same} the same on {names}, {differ} differ, {refused}{bad} bad\n{shaders}")
    })?;
    if bad > 0 {
        bail!("{bad} of {} files could not be compared", done.len());
    }
    Ok(if differ + refused == 0 { Exit::Done } else { Exit::Failed })
}

fn print(line: &Line) -> std::io::Result<()> {
    let word = match line.verdict {
        Verdict::Same => "same",
        Verdict::Differs => "DIFF",
        Verdict::Refused => "REF ",
        Verdict::Bad => "BAD ",
    };
    let text = match line.verdict {
        // Texts of bad files name the file themselves.
        Verdict::Bad => super::escaped(&line.text),
        _ => super::escaped_line(&format!("{}: {}", line.file.display(), line.text)),
    };
    print_io(format!("{word} {text}\n"))
}

fn check(
    file: &Path,
    shared: &SharedFiles,
    engines: &[&dyn Engine],
    args: &Args,
    stop: &Stop,
) -> Line {
    let stop = stop.within(args.timeout);
    let options = ReplayOptions { stop, instructions: args.limit, ..ReplayOptions::default() };
    let mut launches = [0, 0];
    let found = caught(file, || {
        if jobs::is_recording(file, shared)? {
            recording(file, engines, &options, &mut launches)
        } else {
            job(file, shared, engines, (args.mode, &options), &mut launches)
        }
    });
    let (verdict, text) = found.unwrap_or_else(|error| (Verdict::Bad, super::error_text(&error)));
    Line { file: file.into(), ok: verdict == Verdict::Same, verdict, text, launches }
}

/// Compares a job on the engines.
fn job(
    file: &Path,
    shared: &SharedFiles,
    engines: &[&dyn Engine],
    (mode, options): (FloatMode, &ReplayOptions),
    launches: &mut [u64; 2],
) -> anyhow::Result<(Verdict, String)> {
    let job = Job::read_shared(file, shared, &options.stop)?;
    let compared = compare_job(&job, engines, mode, options.instructions, &options.stop)?;
    let JobComparison { difference, launches: ran, shaders, statistics: s, faults } = compared;
    *launches = [ran, shaders];
    Ok(match difference {
        Some(difference) if difference.is_refusal() => (Verdict::Refused, difference.to_string()),
        Some(difference) => (Verdict::Differs, difference.to_string()),
        None => {
            let ran = count(ran, "launch", "launches");
            let (points, lanes) = (s.points, s.lane_instructions);
            let text =
                format!("{ran}, {points} points, {lanes} lane instructions, {faults} faults");
            (Verdict::Same, text)
        }
    })
}

/// Compares a recording on each engine with what was recorded.
fn recording(
    file: &Path,
    engines: &[&dyn Engine],
    options: &ReplayOptions,
    launches: &mut [u64; 2],
) -> anyhow::Result<(Verdict, String)> {
    let (mut text, mut ran, mut refused) = (String::new(), Vec::new(), None);
    for engine in engines {
        let done = replay::replay(file, *engine, None, options)?;
        if let Some(difference) = &done.difference {
            let found = format!("{}: {difference}", engine.name());
            if !difference.is_refusal() {
                return Ok((Verdict::Differs, found));
            }
            refused.get_or_insert(found);
            continue;
        }
        ran.push(done.engines(*engine));
        let shaders = done.ran.get(Ran::SHADER).copied().unwrap_or(0);
        *launches = [done.launches, launches[1].max(shaders)];
        let submissions = count(done.submissions, "submission", "submissions");
        let all = count(done.launches, "launch", "launches");
        text = format!("{submissions}, {all} on {}", ran.join(" and "));
    }
    Ok(refused.map_or((Verdict::Same, text), |refused| (Verdict::Refused, refused)))
}
