//! `ctm diff`.

use super::values::{fraction, tolerance};
use super::{Exit, escaped_line};
use anyhow::{Context, anyhow, bail};
use ctm_base::files;
use ctm_base::text::numbers::count;
use ctm_jobs::array::compare::{ArrayComparison, Tolerance, compare};
use ctm_jobs::array::{Array, npy};
use ctm_machine::record::{CommonPrefix, differ, is_recording};
use serde_json::json;
use std::path::{Path, PathBuf};

/// Compare two arrays (.npy) value by value, or two recordings command by command.
#[derive(clap::Args)]
#[command(after_help = "\
In a difference `got` is A's value and `want` is B's. Two values are equal if |a - b| <= ATOL + RTOL * |b|, or both are NaN, or
both are the same infinity, or at most ULPS representable numbers lie from one to the other. With --bits
they are equal only if their bit patterns are the same.

Examples:
  ctm diff out.npy expected.npy                    equal as numbers
  ctm diff out.npy expected.npy --bits             equal bit by bit
  ctm diff out.npy expected.npy --ulps 2           floats at most two units in the last place apart
  ctm diff out.npy expected.npy --rtol 1e-5 --atol 1e-5 --max-bad 0.01
  ctm diff client.rec other.rec                    where two recordings part

Of recordings, the first difference is named: what the host wrote, a command, an error or fault, or what a
command left in memory. Each device is compared with the one of the same number. Nothing is executed.

Exit status: 0 equal, 1 different, 2 bad usage or bad input.")]
pub struct Args {
    /// The actual array (`got`), or a recording.
    #[arg(value_name = "A")]
    got: PathBuf,
    /// The expected array (`want`), or the other recording.
    #[arg(value_name = "B")]
    want: PathBuf,
    #[command(flatten)]
    tolerances: Tolerances,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// The differences that count as equal.
#[derive(clap::Args)]
pub(super) struct Tolerances {
    /// Relative tolerance, as a factor of the expected value.
    #[arg(long, default_value_t = 0.0, value_parser = tolerance)]
    rtol: f64,
    /// Absolute tolerance; for integer arrays in stored units.
    #[arg(long, default_value_t = 0.0, value_parser = tolerance)]
    atol: f64,
    /// Units in the last place that floats may differ.
    #[arg(long, value_name = "N", default_value_t = 0)]
    ulps: u32,
    /// Compare bit patterns.
    #[arg(long, conflicts_with_all = ["rtol", "atol", "ulps"])]
    bits: bool,
    /// The fraction of values that may differ.
    #[arg(long, value_name = "FRACTION", default_value_t = 0.0, value_parser = fraction)]
    max_bad: f64,
}

impl Tolerances {
    pub(super) fn tolerance(&self) -> Tolerance {
        let &Tolerances { rtol, atol, ulps, max_bad, bits } = self;
        Tolerance { rtol, atol, ulps, max_bad, bits }
    }
}

fn read(path: &Path) -> anyhow::Result<Array> {
    let name = || path.display().to_string();
    let bytes =
        files::read(path, npy::MAX_FILE).with_context(|| format!("cannot read {}", name()))?;
    npy::parse(&bytes).with_context(name)
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let Args { got, want, .. } = args;
    match (is_recording(got), is_recording(want)) {
        (false, false) => {}
        (true, true) => return recordings(args),
        (one, _) => {
            let (recording, other) = if one { (got, want) } else { (want, got) };
            std::fs::metadata(other).with_context(|| format!("cannot read {}", other.display()))?;
            let (recording, other) = (recording.display(), other.display());
            bail!("{recording} is a recording, {other} is not: they cannot be compared")
        }
    }
    let (got, want) = (read(got)?, read(want)?);
    let comparison = compare(&got, &want, &args.tolerances.tolerance()).map_err(|e| {
        let (a, b) = (args.got.display(), args.want.display());
        anyhow!("{a} is {}, {b} is {}: they cannot be compared", e.found, e.needed)
    })?;
    super::print(if args.json {
        serde_json::to_string(&comparison)? + "\n"
    } else {
        let verdict = verdict(comparison.passed, [&comparison].into_iter(), ["A", "B"]);
        format!("{verdict}: {comparison}\n")
    })?;
    Ok(if comparison.passed { Exit::Done } else { Exit::Failed })
}

/// Compares two recordings.
fn recordings(args: &Args) -> anyhow::Result<Exit> {
    if args.tolerances.tolerance() != Tolerance::default() {
        bail!("tolerances are for arrays, and these are recordings");
    }
    let CommonPrefix { submissions, launches, difference } = differ(&args.got, &args.want)
        .map_err(|(error, is_b)| {
            let file = if is_b { &args.want } else { &args.got };
            anyhow!("{}: {error}", file.display())
        })?;
    let same = format!(
        "{}, {} the same",
        count(submissions, "submission", "submissions"),
        count(launches, "launch", "launches")
    );
    super::print(match (&difference, args.json) {
        (_, true) => {
            let object = json!({
                "equal": difference.is_none(),
                "submissions": submissions,
                "launches": launches,
                "difference": difference,
            });
            format!("{object}\n")
        }
        (Some(text), false) if submissions + launches == 0 => {
            format!("different: {}\n", escaped_line(text))
        }
        (Some(text), false) => format!("different: {}; before it {same}\n", escaped_line(text)),
        (None, false) => format!("equal: {same}\n"),
    })?;
    Ok(if difference.is_none() { Exit::Done } else { Exit::Failed })
}

/// The verdict on comparisons. If one of them shows a difference, it says which side is `got` and which `want`.
pub(super) fn verdict<'a>(
    equal: bool,
    mut comparisons: impl Iterator<Item = &'a ArrayComparison>,
    [got, want]: [&str; 2],
) -> String {
    let verdict = if equal { "equal" } else { "different" };
    if comparisons.any(|comparison| comparison.first.is_some()) {
        format!("{verdict} (got is {got}, want is {want})")
    } else {
        verdict.to_string()
    }
}
