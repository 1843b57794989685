//! `ctm stats`.

use super::{Exit, programs, tell};
use anyhow::{Context, anyhow, bail};
use ctm_base::files;
use ctm_base::text::numbers::{count, plain, table};
use ctm_engine::Stop;
use ctm_jobs::job::SharedFiles;
use ctm_jobs::load::Kind;
use ctm_lang::program::Program;
use ctm_tools::facts::{METRICS, Metric, Row};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Print a table of programs: instructions by kind, registers, constants, estimated clocks.
///
/// Reads programs of any kind; a log of Mesa's RADEON_DEBUG=fp gives one row for each program in
/// it. With --before it prints what changed since an earlier table, as compiler developers do with
/// shader-db.
#[derive(clap::Args)]
#[command(after_help = "\
Costs, of which less is better:
  inst         all instructions: alu, out, tex and flowcontrol
  flowcontrol  instructions of type FC
  loops        starts of loops
  tex          instructions of type TEX
  temps        the highest temporary and one more
  consts       float, integer and boolean constants that are read
  cycles       an estimate: the least clocks of a pixel processor of an R580 (Radeon X1900 XTX) for a point
               if each instruction runs once: 1 for an instruction, 3 for a fetch beside them, and a share of
               the dispatchers for flow control; memory is not counted
  depth        the most IFs and loops around one instruction

How the work is done, neither better nor worse:
  vinst        instructions whose RGB unit has an effect
  sinst        instructions whose alpha unit has an effect
  predicate    instructions that write predicates
  presub       presubtract operations that are read
  omod         output modifiers other than x1
  lits         sources that are inline constants
  alu          instructions of type ALU
  out          instructions of type OUT

All but alu, out and depth have the names that Mesa's own line for shader-db has. --shader-db prints such lines.

Examples:
  ctm stats fp.log                         the programs of a log
  ctm stats shaders/*.hex --csv >old.csv     keeps a table
  ctm stats shaders/*.hex --before old.csv   what a new compiler changed
  ctm stats shaders/*.hex --before old.csv --threshold 5
                                             without changes below 5 percent
  ctm stats fp.log --shader-db >new.txt      for shader-db's report.py

Exit status: 0 done, 1 a program is not valid, 2 bad usage or bad input.")]
pub struct Args {
    /// Programs, and logs of RADEON_DEBUG=fp.
    #[arg(value_name = "PROGRAM", required = true)]
    files: Vec<PathBuf>,
    /// The kind of the files. Default: detected from their content
    #[arg(long, value_parser = super::values::kind_parser())]
    kind: Option<Kind>,
    /// Print comma-separated values with a heading. With --before: each number that changed.
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    /// Compare with an earlier table, a file of --csv or --json.
    #[arg(long, value_name = "FILE")]
    before: Option<PathBuf>,
    /// List only changes of at least this many percent.
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, requires = "before",
        value_parser = super::values::tolerance)]
    threshold: f64,
    /// Print the lines that Mesa prints for shader-db.
    #[arg(long, conflicts_with_all = ["csv", "json", "before"])]
    shader_db: bool,
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

/// The differences from an earlier table.
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

/// A number that changed.
#[derive(Serialize)]
struct Number {
    name: &'static str,
    before: f64,
    after: f64,
    /// In percent; null if it was 0.
    change: Option<f64>,
    verdict: Verdict,
}

/// The meaning of a change.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Verdict {
    /// A cost is lower.
    Helped,
    /// A cost is higher.
    Hurt,
    /// It is no cost.
    Neutral,
}

#[derive(Serialize)]
struct Total {
    name: &'static str,
    before: f64,
    after: f64,
    /// The programs whose cost is lower; null if it is no cost.
    helped: Option<usize>,
    /// The programs whose cost is higher.
    hurt: Option<usize>,
}

/// A change in percent; `None` if there was nothing.
fn percent(before: f64, after: f64) -> Option<f64> {
    // The last digits of a quotient are noise.
    (before != 0.0).then(|| ((after / before - 1.0) * 1e6).round() / 1e4)
}

/// A change in percent, as text.
fn percent_text(before: f64, after: f64) -> String {
    match percent(before, after) {
        None if after == before => "+0.00 %".into(),
        None => "-".into(),
        Some(change) => format!("{change:+.2} %"),
    }
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    let mut programs = Vec::new();
    let mut valid = true;
    for file in &args.files {
        let path = file.display();
        let loaded = programs::load(file, args.kind, None, &SharedFiles::new(), Stop::never())?;
        let vertex = loaded.first().map_or(0, |one| one.vertex_programs);
        if vertex > 0 {
            let programs = count(vertex as u64, "vertex program", "vertex programs");
            tell(format_args!("{path}: note: {programs} left out"));
        }
        let mut names = HashSet::new();
        for one in loaded {
            // Variants of a shader have the same name.
            let is_new = names.insert(one.name.clone());
            let name = match (&one.name, one.programs) {
                (Some(name), _) if is_new => format!("{path}[{name}]"),
                (Some(name), _) => format!("{path}[{name} {}]", one.index),
                (None, 1) => path.to_string(),
                (None, _) => format!("{path}[{}]", one.index),
            };
            programs.push(Row::of(name.clone(), &one.image));
            if let Err(errors) = Program::new(one.image) {
                valid = false;
                let first = errors.texts().into_iter().next().unwrap_or_default();
                tell(format_args!("{name}: not valid: {first}"));
            }
        }
    }
    by_name(&programs)?;
    let before = args.before.as_deref().map(read).transpose()?;
    let between = |before: Vec<Row>| Changes::between(&before, &programs, args.threshold);
    let changes = before.map(between).transpose()?;
    let text = match (args, &changes) {
        (Args { json: true, .. }, _) => {
            serde_json::to_string_pretty(&Table { programs, changes })? + "\n"
        }
        (Args { shader_db: true, .. }, _) => programs.iter().map(shader_db).collect(),
        (Args { csv: true, .. }, Some(changes)) => changes.csv()?,
        (Args { csv: true, .. }, None) => csv_text(&programs)?,
        (_, Some(changes)) => changes.text(),
        (_, None) => listing(&programs),
    };
    super::print(text)?;
    Ok(if valid { Exit::Done } else { Exit::Failed })
}

/// The name of a row as tables and CSV files show it.
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

/// The line that Mesa prints for shader-db.
fn shader_db(row: &Row) -> String {
    let numbers = METRICS.iter().take_while(|metric| metric.name != "alu");
    let numbers = numbers.map(|metric| format!("{} {}", (metric.of)(row).ceil(), metric.name));
    let numbers = numbers.collect::<Vec<_>>().join(", ");
    format!("{} - FS shader: {numbers}\n", key(row))
}

/// The table with its totals.
fn listing(rows: &[Row]) -> String {
    let heading = std::iter::once("program").chain(METRICS.map(|metric| metric.name));
    let mut lines = vec![heading.map(String::from).collect()];
    let line = |name: String, value: &dyn Fn(fn(&Row) -> f64) -> f64| {
        let numbers = METRICS.iter().map(|metric| plain(value(metric.of)));
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
    fn between(before: &[Row], after: &[Row], threshold: f64) -> anyhow::Result<Changes> {
        let (old, new) = (by_name(before)?, by_name(after)?);
        let only = |rows: &[Row], other: &HashMap<String, &Row>| {
            let rows = rows.iter().filter(|row| !other.contains_key(&key(row)));
            rows.map(|row| row.program.clone()).collect()
        };
        let pairs = || after.iter().filter_map(|row| Some((*old.get(&key(row))?, row)));
        let number = |metric: &Metric, before: &Row, after: &Row| {
            let [before, after] = [before, after].map(metric.of);
            let change = percent(before, after);
            let is_large = change.is_none_or(|change| change.abs() >= threshold);
            let verdict = match (metric.is_cost, after < before) {
                (true, true) => Verdict::Helped,
                (true, false) => Verdict::Hurt,
                (false, _) => Verdict::Neutral,
            };
            let name = metric.name;
            (before != after && is_large).then_some(Number { name, before, after, change, verdict })
        };
        let changed = pairs().filter_map(|(before, after)| {
            let numbers = METRICS.iter().filter_map(|metric| number(metric, before, after));
            let numbers: Vec<Number> = numbers.collect();
            let program = after.program.clone();
            (!numbers.is_empty()).then_some(Changed { program, numbers })
        });
        let totals = METRICS.iter().map(|metric| {
            let of = |verdict| {
                let numbers = pairs().filter_map(|(before, after)| number(metric, before, after));
                metric.is_cost.then(|| numbers.filter(|number| number.verdict == verdict).count())
            };
            Total {
                name: metric.name,
                before: pairs().map(|(before, _)| (metric.of)(before)).sum(),
                after: pairs().map(|(_, after)| (metric.of)(after)).sum(),
                helped: of(Verdict::Helped),
                hurt: of(Verdict::Hurt),
            }
        });
        Ok(Changes {
            changed: changed.collect(),
            totals: totals.collect(),
            gone: only(before, &new),
            new: only(after, &old),
        })
    }

    /// Each number that changed, as comma-separated values.
    fn csv(&self) -> anyhow::Result<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["program", "column", "before", "after", "change", "verdict"])?;
        for Changed { program, numbers } in &self.changed {
            for Number { name, before, after, change, verdict } in numbers {
                let program = super::escaped_line(program);
                writer.serialize((program, name, before, after, change, verdict))?;
            }
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    }

    /// The programs whose number of this name has a verdict, those that changed most first.
    fn list(&self, name: &str, verdict: Verdict, title: &str) -> String {
        let of = |changed: &'_ Changed| {
            let mut numbers = changed.numbers.iter();
            let number = numbers.find(|number| number.name == name && number.verdict == verdict)?;
            Some((super::escaped_line(&changed.program), number.before, number.after))
        };
        let mut list: Vec<(String, f64, f64)> = self.changed.iter().filter_map(of).collect();
        let size = |before, after| percent(before, after).map_or(f64::INFINITY, f64::abs);
        list.sort_by(|a, b| size(b.1, b.2).total_cmp(&size(a.1, a.2)));
        if list.is_empty() {
            return String::new();
        }
        let lines = list.into_iter().map(|(program, before, after)| {
            let values = format!("{} -> {}", plain(before), plain(after));
            vec![format!("  {program}"), values, percent_text(before, after)]
        });
        format!("\n{name} {title}:\n{}", table(&lines.collect::<Vec<_>>()))
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
            ["total", "before", "after", "change", "helped", "hurt"].map(String::from).to_vec(),
        ];
        lines.extend(self.totals.iter().map(|total| {
            let [before, after] = [total.before, total.after].map(plain);
            let change = percent_text(total.before, total.after);
            let number = |n: Option<usize>| n.map_or("-".to_string(), |n| n.to_string());
            let [helped, hurt] = [total.helped, total.hurt].map(number);
            vec![total.name.into(), before, after, change, helped, hurt]
        }));
        text += &table(&lines);
        for metric in &METRICS {
            text += &self.list(metric.name, Verdict::Helped, "helped");
            text += &self.list(metric.name, Verdict::Hurt, "hurt");
        }
        text
    }
}
