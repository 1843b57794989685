//! The results of `ctm bench` as a table and as an object.

use ctm_base::text::numbers::{digits, rate, time};
use serde::Serialize;

/// The heading of the table.
pub(super) const HEADING: &str = concat!(
    "kernel                 engine      mode  copies    points     pi/s spread ",
    "          of an X1900 XTX     of this machine  against      wall       gpu  overhead   compile    upload read back",
);

/// The object of `--json`.
#[derive(Serialize)]
pub(super) struct Results {
    /// [`super::HARNESS`].
    pub(super) harness: u32,
    pub(super) threads: usize,
    pub(super) card: Card,
    pub(super) results: Vec<Row>,
    pub(super) errors: Vec<Failure>,
}

/// A subject that could not be measured, in place of its row.
#[derive(Serialize)]
pub(super) struct Failure {
    pub(super) kernel: String,
    pub(super) engine: &'static str,
    pub(super) mode: &'static str,
    pub(super) error: String,
}

/// The card that speeds are relative to. Rates are of what it does at best.
#[derive(Serialize)]
pub(super) struct Card {
    pub(super) name: &'static str,
    pub(super) instructions_per_second: f64,
    pub(super) fetches_per_second: f64,
    pub(super) bytes_per_second: f64,
}

/// One row of the table.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) kernel: String,
    pub(super) engine: &'static str,
    pub(super) mode: &'static str,
    pub(super) copies: u32,
    pub(super) launches: u64,
    pub(super) points: u64,
    pub(super) instructions: u64,
    pub(super) fetches: u64,
    pub(super) bytes: u64,
    pub(super) faults: u64,
    pub(super) samples: usize,
    pub(super) runs_per_sample: u32,
    pub(super) pi_per_second: f64,
    /// From the fastest sample to the slowest, in units of the median.
    pub(super) spread: f64,
    /// The fraction of the card's speed.
    pub(super) of_card: f64,
    pub(super) card_seconds: f64,
    pub(super) card_bound: &'static str,
    /// The fraction of what this machine can do at best, and the limit that bounds it.
    pub(super) of_machine: f64,
    pub(super) machine_bound: &'static str,
    /// The speed relative to the first engine's row for the same subject and mode; `None` for that row.
    pub(super) against_first_engine: Option<f64>,
    /// The speed relative to the base: `--compare`, `--against`.
    pub(super) of_base: Option<f64>,
    pub(super) seconds: Seconds,
}

/// Times. Those of one run are medians.
#[derive(Serialize)]
pub(super) struct Seconds {
    /// Of the whole row. `None`: nothing measured it.
    pub(super) compile: Option<f64>,
    /// Of the whole row.
    pub(super) upload: f64,
    /// One run, by the host's clock.
    pub(super) wall: f64,
    /// One run, by the GPU's clock; `None`: nothing measured it.
    pub(super) gpu: Option<f64>,
    /// A launch, beside the GPU's work.
    pub(super) overhead: Option<f64>,
    /// Of the whole row.
    pub(super) readback: f64,
}

/// The ending of compiled kernels' names, after the name of the same by hand.
const COMPILED: &str = "_wgsl";

/// The table of kernels that are there by hand and compiled; nothing if there are none.
pub(super) fn pairs(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        let by_hand = row.kernel.strip_suffix(COMPILED).and_then(|name| {
            rows.iter().find(|other| {
                (other.kernel.as_str(), other.engine, other.mode) == (name, row.engine, row.mode)
            })
        });
        let Some(hand) = by_hand else { continue };
        if text.is_empty() {
            text =
                "\ncompiled against by hand  engine      mode     instructions  clocks    time\n"
                    .into();
        }
        let each = |row: &Row, value: fn(&Row) -> f64| value(row) / f64::from(row.copies);
        let ratio =
            |value: fn(&Row) -> f64| times(Some(each(row, value) / each(hand, value).max(1e-12)));
        text += &format!(
            "{:<25} {:<11} {:<5} {:>15} {:>7} {:>7}\n",
            row.kernel,
            row.engine,
            row.mode,
            ratio(|row| row.instructions as f64),
            ratio(|row| row.card_seconds),
            ratio(|row| row.seconds.wall),
        );
    }
    text
}

/// A relative speed.
pub(super) fn times(ratio: Option<f64>) -> String {
    ratio.map_or("-".into(), |ratio| format!("x {}", digits(ratio)))
}

impl Failure {
    /// It, where its row would be.
    pub(super) fn line(&self) -> String {
        let Failure { kernel, engine, mode, error } = self;
        let kernel = crate::escaped_line(kernel);
        format!("{kernel:<22} {engine:<11} {mode:<5} {}\n", crate::escaped(error))
    }
}

/// A row of the table.
pub(super) fn line(row: &Row) -> String {
    let Seconds { compile, upload, wall, gpu, overhead, readback, .. } = row.seconds;
    let [compile, gpu, overhead] =
        [compile, gpu, overhead].map(|seconds| seconds.map_or("-".into(), time));
    let [upload, wall, readback] = [upload, wall, readback].map(time);
    let mut line = format!(
        "{:<22} {:<11} {:<5} {:>6} {:>9} {:>8} {:>6} {:>10} {:<14} {:>8} {:<10} {:>8} {wall:>9} {gpu:>9} {overhead:>9} {compile:>9} {upload:>9} {readback:>9}",
        crate::escaped_line(&row.kernel),
        row.engine,
        row.mode,
        row.copies,
        row.points,
        rate(row.pi_per_second),
        format!("{} %", digits(row.spread * 100.0)),
        format!("{} %", digits(row.of_card * 100.0)),
        row.card_bound,
        format!("{} %", digits(row.of_machine * 100.0)),
        row.machine_bound,
        times(row.against_first_engine),
    );
    if row.faults != 0 {
        line.push_str(&format!("  {} faults", row.faults));
    }
    line
}
