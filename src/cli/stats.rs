//! `ctm stats`.

use super::numbers::{plain, table};
use super::{Exit, programs, tell};
use crate::facts::{METRICS, Row};
use crate::files;
use crate::job::SharedFiles;
use crate::load::Kind;
use crate::program::Program;
use anyhow::{Context, anyhow, bail};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Print a table of programs: instructions by kind, registers, constants, estimated clocks.
///
/// Reads programs of any kind; a log of Mesa's RADEON_DEBUG=fp gives one row for each program in
/// it. With --before it prints what changed since an earlier table, as compiler developers do with
/// shader-db.
#[derive(clap::Args)]
#[command(after_help = "\
Columns; in all of them less is better:
  instructions    all instructions; alu, out, tex and fc are its parts
  rgb, alpha      instructions whose unit has an effect
  presub, omod    presubtract operations that are read; output modifiers other than x1
  temporaries     the highest temporary and one more
  constants       float, integer and boolean constants that are read
  depth           the most IFs and loops around one instruction
  clocks          the least clocks of a pixel processor of an R580 (Radeon X1900 XTX) for a point if each
                  instruction runs once: 1 for an instruction, 3 for a fetch beside them, and a share of
                  the dispatchers for flow control; memory is not counted

Examples:
  ctm stats fp.log                         the programs of a log
  ctm stats shaders/*.hex --csv >old.csv   keeps a table
  ctm stats shaders/*.hex --before old.csv what a new compiler changed

Exit status: 0 done, 1 a program is not valid, 2 bad usage or bad input.")]
pub struct Args {
    /// Programs, and logs of RADEON_DEBUG=fp.
    #[arg(value_name = "PROGRAM", required = true)]
    files: Vec<PathBuf>,
    /// The kind of the files. Default: detected from their content
    #[arg(long, value_parser = super::info::kind_parser())]
    kind: Option<Kind>,
    /// Print comma-separated values with a heading.
    #[arg(long, conflicts_with_all = ["json", "before"])]
    csv: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Compare with an earlier table, a file of --csv or --json.
    #[arg(long, value_name = "FILE")]
    before: Option<PathBuf>,
}

/// Largest file of `--before`, in bytes.
const MAX_FILE: u64 = 256 << 20;

/// The object of `--json`.
#[derive(Serialize, Deserialize)]
struct Table {
    programs: Vec<Row>,
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    changes: Option<Changes>,
}

/// What is different from an earlier table.
#[derive(Default, Serialize)]
struct Changes {
    /// Programs with other numbers.
    changed: Vec<Changed>,
    /// The sums over the programs of both tables.
    totals: Vec<Total>,
    /// Programs that only the earlier table has.
    gone: Vec<String>,
    /// Programs that only this table has.
    new: Vec<String>,
}

#[derive(Serialize)]
struct Changed {
    program: String,
    numbers: Vec<Number>,
}

#[derive(Serialize)]
struct Number {
    name: &'static str,
    before: f64,
    after: f64,
}

#[derive(Serialize)]
struct Total {
    name: &'static str,
    before: f64,
    after: f64,
    /// Programs with a smaller number than before.
    better: usize,
    /// Programs with a larger one.
    worse: usize,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut programs = Vec::new();
    let mut valid = true;
    for file in &args.files {
        let path = file.display();
        let loaded = programs::load(file, args.kind, None, &SharedFiles::new())?;
        for one in loaded {
            let name = match one.programs {
                1 => path.to_string(),
                _ => format!("{path}[{}]", one.index),
            };
            programs.push(Row::of(name.clone(), &one.image));
            if let Err(errors) = Program::new(one.image) {
                valid = false;
                let first = errors.texts().into_iter().next().unwrap_or_default();
                tell(format_args!("{}: not valid: {first}", super::escaped_line(&name)));
            }
        }
    }
    by_name(&programs)?;
    let before = args.before.as_deref().map(read).transpose()?;
    let changes = before.map(|before| Changes::between(&before, &programs)).transpose()?;
    let text = match (args, &changes) {
        (Args { json: true, .. }, _) => {
            serde_json::to_string_pretty(&Table { programs, changes })? + "\n"
        }
        (Args { csv: true, .. }, _) => csv_text(&programs)?,
        (_, Some(changes)) => changes.text(),
        (_, None) => listing(&programs),
    };
    super::print(text)?;
    Ok(if valid { Exit::Done } else { Exit::Failed })
}

/// The name of a row as tables show it. Those of CSV files have no others.
fn key(row: &Row) -> String {
    super::escaped_line(&row.program)
}

/// The rows by their names, which differ.
fn by_name(rows: &[Row]) -> anyhow::Result<HashMap<String, &Row>> {
    let mut named = HashMap::new();
    for row in rows {
        if named.insert(key(row), row).is_some() {
            bail!("{} is there twice", row.program);
        }
    }
    Ok(named)
}

/// Reads an earlier table.
fn read(path: &Path) -> anyhow::Result<Vec<Row>> {
    let name = || path.display().to_string();
    let bytes = files::read(path, MAX_FILE).with_context(name)?;
    let rows = match bytes.trim_ascii_start().first() {
        Some(b'{') => serde_json::from_slice(&bytes)
            .map(|table: Table| table.programs)
            .map_err(|error| anyhow!("expected the object of `ctm stats --json`: {error}")),
        _ => csv::Reader::from_reader(&bytes[..])
            .deserialize()
            .collect::<Result<Vec<Row>, _>>()
            .map_err(|error| anyhow!("expected the table of `ctm stats --csv`: {error}")),
    };
    let rows = rows.with_context(name)?;
    if rows.is_empty() {
        bail!("{}: found no programs, expected a table of `ctm stats --csv` or `--json`", name());
    }
    by_name(&rows).with_context(name)?;
    Ok(rows)
}

fn csv_text(rows: &[Row]) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        // So that a name cannot move the cursor of a terminal.
        let mut shown = row.clone();
        shown.program = key(row);
        writer.serialize(shown)?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

/// The table with its totals.
fn listing(rows: &[Row]) -> String {
    let heading = std::iter::once("program").chain(METRICS.map(|(name, _)| name));
    let mut lines = vec![heading.map(String::from).collect()];
    let line = |name: String, value: &dyn Fn(fn(&Row) -> f64) -> f64| {
        let numbers = METRICS.iter().map(|(_, metric)| plain(value(*metric)));
        std::iter::once(name).chain(numbers).collect()
    };
    lines.extend(rows.iter().map(|row| line(key(row), &|metric| metric(row))));
    if rows.len() > 1 {
        let name = format!("{} programs", rows.len());
        lines.push(line(name, &|metric| rows.iter().map(metric).sum()));
    }
    table(&lines)
}

impl Changes {
    fn between(before: &[Row], after: &[Row]) -> anyhow::Result<Changes> {
        let (old, new) = (by_name(before)?, by_name(after)?);
        let only = |rows: &[Row], other: &HashMap<String, &Row>| {
            let rows = rows.iter().filter(|row| !other.contains_key(&key(row)));
            rows.map(|row| row.program.clone()).collect()
        };
        let pairs = || after.iter().filter_map(|row| Some((*old.get(&key(row))?, row)));
        let changed = pairs().filter_map(|(before, after)| {
            let numbers = METRICS.map(|(name, metric)| (name, metric(before), metric(after)));
            let numbers = numbers.into_iter().filter(|(_, before, after)| before != after);
            let numbers = numbers.map(|(name, before, after)| Number { name, before, after });
            let numbers: Vec<Number> = numbers.collect();
            let program = after.program.clone();
            (!numbers.is_empty()).then_some(Changed { program, numbers })
        });
        let totals = METRICS.iter().map(|&(name, metric)| Total {
            name,
            before: pairs().map(|(before, _)| metric(before)).sum(),
            after: pairs().map(|(_, after)| metric(after)).sum(),
            better: pairs().filter(|(before, after)| metric(after) < metric(before)).count(),
            worse: pairs().filter(|(before, after)| metric(after) > metric(before)).count(),
        });
        Ok(Changes {
            changed: changed.collect(),
            totals: totals.collect(),
            gone: only(before, &new),
            new: only(after, &old),
        })
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for Changed { program, numbers } in &self.changed {
            let change =
                |n: &Number| format!("{} {} -> {}", n.name, plain(n.before), plain(n.after));
            let numbers = numbers.iter().map(change).collect::<Vec<_>>().join(", ");
            let _ = writeln!(text, "{}: {numbers}", super::escaped_line(program));
        }
        for (what, names) in [("only before", &self.gone), ("new", &self.new)] {
            for name in names {
                let _ = writeln!(text, "{}: {what}", super::escaped_line(name));
            }
        }
        if !text.is_empty() {
            text.push('\n');
        }
        let mut lines = vec![
            ["total", "before", "after", "change", "better", "worse"].map(String::from).to_vec(),
        ];
        lines.extend(self.totals.iter().map(|total| {
            let change = match total.before {
                0.0 => "-".into(),
                before => format!("{:+.2} %", (total.after / before - 1.0) * 100.0),
            };
            let [before, after] = [total.before, total.after].map(plain);
            let [better, worse] = [total.better, total.worse].map(|n| n.to_string());
            vec![total.name.into(), before, after, change, better, worse]
        }));
        text + &table(&lines)
    }
}
