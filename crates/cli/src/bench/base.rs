//! The base of a comparison: the file of an earlier run, or another ctm.

use super::table::Row;
use super::{Args, HARNESS, Subject, Which};
use anyhow::{Context, bail};
use ctm_base::files;
use ctm_machine::launch::FloatMode;
use serde::Deserialize;
use std::path::Path;
use std::process::Command;

/// Largest file of `--compare`, in bytes.
const MAX_FILE: u64 = 64 << 20;

/// The compared part of the object of `--json`.
#[derive(Deserialize)]
pub(super) struct Base {
    /// 1: the file does not say.
    #[serde(default = "first")]
    harness: u32,
    results: Vec<BaseRow>,
    #[serde(default)]
    errors: Vec<BaseError>,
}

/// The number of the first way to measure.
fn first() -> u32 {
    1
}

#[derive(Deserialize)]
struct BaseError {
    error: String,
}

#[derive(Deserialize)]
struct BaseRow {
    kernel: String,
    engine: String,
    mode: String,
    points: u64,
    pi_per_second: f64,
}

/// Reads the file of an earlier `--save`.
pub(super) fn read(path: &Path) -> anyhow::Result<Base> {
    let name = || path.display().to_string();
    let bytes = files::read(path, MAX_FILE).with_context(name)?;
    parse(&bytes).with_context(name)
}

fn parse(bytes: &[u8]) -> anyhow::Result<Base> {
    let base: Base =
        serde_json::from_slice(bytes).context("expected the file of `ctm bench --save`")?;
    if base.harness != HARNESS {
        bail!(
            "its speeds were measured by harness {}, which cannot be compared with those of {HARNESS}",
            base.harness
        );
    }
    for row in &base.results {
        if row.pi_per_second <= 0.0 {
            let rate = row.pi_per_second;
            bail!("pi_per_second of {} is {rate}, expected a number above 0", row.kernel);
        }
    }
    Ok(base)
}

/// The speed of a row relative to the base's row of the same work.
pub(super) fn ratio(base: &Base, row: &Row) -> Option<f64> {
    let same = |other: &&BaseRow| {
        (&other.kernel[..], &other.engine[..], &other.mode[..], other.points)
            == (&row.kernel[..], row.engine, row.mode, row.points)
    };
    base.results.iter().find(same).map(|other| row.pi_per_second / other.pi_per_second)
}

/// Measures a row with another ctm: its point-instructions per second.
pub(super) fn measure(
    program: &Path,
    args: &Args,
    subject: &Subject,
    engine: &str,
    mode: FloatMode,
    copies: u32,
) -> anyhow::Result<f64> {
    let mut command = Command::new(program);
    command.arg("bench");
    match subject {
        Subject::BuiltIn(workload) => command.arg(workload.name),
        Subject::Job { path, .. } | Subject::Program { path, .. } => command.arg(path),
    };
    if let Subject::Program { .. } = subject {
        let Which { kind, index } = args.which;
        let kind = kind.map(|kind| ["--kind".to_string(), kind.name().to_string()]);
        let index = index.map(|index| ["--index".to_string(), index.to_string()]);
        command.args(kind.into_iter().chain(index).flatten());
        command.args(args.given.arguments().flatten());
    }
    command.args(["--json", "--engine", engine, "--mode", mode.name()]);
    command.arg("--threads").arg(args.threads.to_string());
    command.arg("--time").arg(args.time.as_secs_f64().to_string());
    if let Some((width, height)) = args.size {
        command.arg("--size").arg(format!("{width}x{height}"));
    }
    if copies != 1 {
        command.arg("--copies").arg(copies.to_string());
    }
    if let Some(adapter) = args.adapter.given().filter(|_| !ctm_engine::runs_on_cpu(engine)) {
        command.arg("--adapter").arg(adapter);
    }
    let name = program.display();
    let output = command.output().with_context(|| format!("cannot run {name}"))?;
    let base = parse(&output.stdout).with_context(|| {
        let error = String::from_utf8_lossy(&output.stderr);
        format!("{name} bench: {}", error.lines().next().unwrap_or("no output"))
    })?;
    match (&base.results[..], base.errors.first()) {
        (_, Some(BaseError { error })) => bail!("{name} bench: {error}"),
        ([row], None) => Ok(row.pi_per_second),
        (rows, None) => bail!("{name} bench printed {} rows, expected 1", rows.len()),
    }
}
