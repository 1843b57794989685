//! `ctm mesa`.

use super::bar::Watch;
use super::numbers::count;
use super::run::parse_size;
use super::signals::Signals;
use super::{Exit, jobs, programs};
use crate::job::Job;
use crate::load::{self, Kind};
use crate::mesa::align;
use crate::mesa::bisect::{
    BisectError, Culprit, Finding, Incomplete, MACHINE_CODE, Options, bisect,
};
use crate::mesa::log;
use crate::raw::RawError;
use anyhow::{anyhow, bail};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;
use std::time::Duration;

/// Examine what Mesa's r300 compiler did.
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    Bisect(Bisect),
}

/// Find the compiler pass that made a program wrong.
///
/// A log of RADEON_DEBUG=fp has the compiler's program after each pass. This command runs these
/// listings, and the machine code at the log's end, on the same inputs. It names the first pass whose
/// result differs from that of the pass before. Vertex programs are skipped.
#[derive(clap::Args)]
#[command(after_help = "\
Two values are equal if |a - b| <= ATOL + RTOL * |a|, or both are NaN, or both are the same infinity. A
pass differs if more than SHARE of the values do in one trial. There are twelve trials with inputs from
seeds; in the third, all constants that the application sets are 0.

Two kinds of passes are reported and left out; the next one is compared with the one before. A listing that
cannot be interpreted is not examined. A listing is incomplete if programs before and after it agree: then
the compiler is right, and the listing does not print all that it did.

Examples:
  RADEON_DEBUG=fp ./game 2>fp.log
  ctm mesa bisect fp.log
  ctm mesa bisect fp.log --index 3 --seed 100
  ctm mesa bisect fp.log --job job.toml            with the data of a job that runs this program

Exit status: 0 no pass differs, 1 a pass differs or the search was stopped, 2 bad usage or bad input.")]
pub struct Bisect {
    /// The log.
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// Examine only this program of the log, counted from 0. Default: all
    #[arg(long, value_name = "N")]
    index: Option<usize>,
    /// The seed of the first trial; the others take the next ones
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "job")]
    seed: u64,
    /// Columns and rows of points
    #[arg(long, value_name = "WxH", default_value = "16x16", value_parser = parse_size, conflicts_with = "job")]
    size: (u32, u32),
    /// Take inputs, textures and constants from a job that runs the machine code, instead of seeds
    #[arg(long, value_name = "JOB.toml")]
    job: Option<PathBuf>,
    #[command(flatten)]
    confined: jobs::Confined,
    /// Relative tolerance
    #[arg(long, default_value_t = 3e-4, value_parser = super::diff::tolerance)]
    rtol: f64,
    /// Absolute tolerance
    #[arg(long, default_value_t = 3e-5, value_parser = super::diff::tolerance)]
    atol: f64,
    /// The share of the values that may differ
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, value_parser = super::diff::fraction)]
    share: f64,
    /// Statements of a listing, and instructions of a group of the machine code, that a trial may run
    #[arg(long, value_name = "N", default_value_t = Options::default().limit, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    /// Stop after this many seconds; programs that are done are printed
    #[arg(long, value_name = "SECONDS", value_parser = super::seconds)]
    timeout: Option<Duration>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    match &args.command {
        Command::Bisect(args) => run_bisect(args),
    }
}

fn run_bisect(args: &Bisect) -> anyhow::Result<Exit> {
    if args.json {
        super::utf8(&args.log)?;
    }
    let signals = Signals::catch()?;
    let stop = signals.stop().within(args.timeout);
    let name = args.log.display().to_string();
    let shared = args.confined.files()?;
    let bytes = programs::read(&args.log, &shared)?;
    let found = log::read(&String::from_utf8_lossy(&bytes));
    if found.is_empty() {
        bail!(match load::detect(&bytes) {
            // Nothing but Gallium's shader.
            Kind::Mesa => format!("{name}: {}", RawError::NoMesaProgram),
            _ => format!(
                "{name}: found no `Fragment Program: ...` heading, expected a log of RADEON_DEBUG=fp"
            ),
        });
    }
    let last = found.len() - 1;
    let selected = match args.index {
        Some(n) if n > last => {
            let holds = count(found.len() as u64, "program", "programs");
            bail!("{name}: index {n} is out of range: the log holds {holds}, counted from 0")
        }
        Some(n) => n..=n,
        None => 0..=last,
    };
    let job = match &args.job {
        Some(_) if selected.clone().count() > 1 => {
            bail!("--job needs --index: {name} holds {} programs", found.len())
        }
        Some(path) => Some(Job::read_shared(path, &shared)?),
        None => None,
    };
    let options = Options {
        seed: args.seed,
        size: args.size,
        rtol: args.rtol,
        atol: args.atol,
        share: args.share,
        limit: args.limit,
    };
    let (mut programs, mut failed, mut stopped) = (Vec::new(), false, false);
    for n in selected {
        let watch = Watch::of("trial", stop.clone());
        let result = bisect(&found[n], &options, job.as_ref(), &watch);
        drop(watch);
        let finding = match result {
            Err(BisectError::Stopped(why)) => {
                let why = super::stopped(why);
                super::tell(super::escaped(&format!("ctm: {name}: program {n}: {why}")));
                stopped = true;
                break;
            }
            result => result.map_err(|reason| anyhow!("{name}: program {n}: {reason}"))?,
        };
        failed |= finding.culprit.is_some();
        if args.json {
            programs.push(Examined { program: n, finding })
        } else {
            super::print(super::escaped(&to_text(&name, n, &finding)))?
        }
    }
    if args.json {
        let log = super::utf8(&args.log)?;
        let object = json!({ "log": log, "stopped": stopped, "programs": programs });
        super::print(serde_json::to_string_pretty(&object)? + "\n")?;
    }
    signals.obey();
    Ok(if failed || stopped { Exit::Failed } else { Exit::Done })
}

/// A program of the log: an object of `--json`.
#[derive(Serialize)]
struct Examined {
    program: usize,
    #[serde(flatten)]
    finding: Finding,
}

/// The report on a program, human-readable. Its first line says what was found.
fn to_text(log: &str, n: usize, finding: &Finding) -> String {
    let left_out = finding.skipped.len() + finding.incomplete.len();
    let passes = count((finding.passes.saturating_sub(left_out)) as u64, "pass", "passes");
    let mut text = format!("{log}: program {n} (line {}): ", finding.line);
    match &finding.culprit {
        None => {
            let trials = match &finding.trials[..] {
                [one] => one.clone(),
                several => format!("{} trials from {}", several.len(), several[0]),
            };
            text += &format!("no difference in {passes}, {trials}\n");
        }
        Some(culprit) => {
            text +=
                &format!("pass '{}' (line {}) changes the result\n", culprit.pass, culprit.line);
            let first = &culprit.first;
            text += &format!(
                "  {}: {} of {} values differ ({:.1} %), first at point ({}, {}): {} is {} before and {} after\n",
                culprit.trial,
                culprit.differing,
                culprit.values,
                100.0 * culprit.differing as f64 / culprit.values as f64,
                first.i,
                first.j,
                first.place,
                first.before,
                first.after,
            );
        }
    }
    for Incomplete { pass, line } in &finding.incomplete {
        text += &format!(
            "  note: listing '{pass}' (line {line}) is incomplete: programs before and after it agree\n"
        );
    }
    for skipped in &finding.skipped {
        // Machine code that the log lacks has no line.
        let line = match skipped.line {
            0 => String::new(),
            line => format!(" (line {line})"),
        };
        text += &format!("  not examined: '{}'{line}: {}\n", skipped.pass, skipped.reason);
    }
    if let Some(culprit) = &finding.culprit {
        text += &side_by_side(culprit);
    }
    text
}

/// Both listings, with a mark between lines that differ.
fn side_by_side(culprit: &Culprit) -> String {
    let sides = [&culprit.listing_before, &culprit.listing];
    let rows = match culprit.pass.as_str() {
        // A listing and code have no line in common.
        MACHINE_CODE => {
            let most = sides[0].len().max(sides[1].len());
            let at = |n, side: usize| Some(n).filter(|&n| n < sides[side].len());
            (0..most).map(|n| (at(n, 0), at(n, 1))).collect()
        }
        _ => align(sides[0], sides[1]),
    };
    // The lines of each row: the left, the right, and whether they are the same.
    let mut lines: Vec<(String, String, char)> = Vec::new();
    for (a, b) in rows {
        let text = |index: Option<usize>, side: usize| -> Vec<&str> {
            index.map_or("", |index| &sides[side][index]).lines().collect()
        };
        let mark = match (a, b) {
            (Some(_), Some(_)) => ' ',
            (Some(_), None) => '<',
            (None, _) => '>',
        };
        let (left, right) = (text(a, 0), text(b, 1));
        for n in 0..left.len().max(right.len()) {
            let line = |side: &[&str]| side.get(n).copied().unwrap_or_default().to_string();
            lines.push((line(&left), line(&right), mark));
        }
    }
    let titles = [&culprit.before, &culprit.pass].map(|pass| match pass.as_str() {
        MACHINE_CODE | "before compilation" => pass.clone(),
        pass => format!("after '{pass}'"),
    });
    let width = lines.iter().map(|(left, ..)| left.chars().count()).max().unwrap_or(0);
    let width = width.max(titles[0].chars().count());
    let mut text = String::new();
    let [left, right] = titles;
    lines.insert(0, (left, right, ' '));
    for (left, right, mark) in lines {
        let line = format!("  {left:<width$} {mark} {right}");
        text += line.trim_end();
        text += "\n";
    }
    text
}
