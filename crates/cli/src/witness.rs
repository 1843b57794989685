//! `ctm witness`.

use super::{Exit, jobs};
use anyhow::Context;
use ctm_base::files;
use ctm_base::text::numbers::table;
use ctm_jobs::job::SharedFiles;
use ctm_tools::witness::report::{Adapter, Report};
use serde_json::json;
use std::path::PathBuf;

/// The largest report, in bytes.
const MAX_REPORT: u64 = 16 << 20;

/// Print the reports of exported pages as a table.
#[derive(clap::Args)]
#[command(after_help = "\
One row for each engine of each report: the adapter, the guard level that its arithmetic needs, how many
words were compared, and whether all are the same.

Examples:
  ctm export job.toml --html job.html     open the page, run it, and copy its report
  ctm witness report.json                 read it
  ctm witness reports/*.json --json       all of them as one JSON object

Exit status: 0 all words of all reports are the same, 1 some differ or nothing ran, 2 bad usage or bad input.")]
pub struct Args {
    /// Reports.
    #[arg(value_name = "REPORT.json", required = true)]
    reports: Vec<PathBuf>,
    /// Print one JSON object instead of the table.
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub fn run(args: &Args) -> anyhow::Result<Exit> {
    if args.json {
        super::all_utf8(&args.reports)?;
    }
    let mut reports = Vec::new();
    for file in &args.reports {
        jobs::check_argument(&SharedFiles::new(), file)?;
        let name = || file.display().to_string();
        let bytes = files::read(file, MAX_REPORT).with_context(name)?;
        reports.push((name(), Report::read(&bytes).with_context(name)?));
    }
    let agree = reports.iter().all(|(_, report)| report.agrees());
    super::print(if args.json {
        let reports = reports
            .iter()
            .map(|(file, report)| json!({ "file": file, "ok": report.agrees(), "report": report }));
        format!("{}\n", json!({ "ok": agree, "reports": reports.collect::<Vec<_>>() }))
    } else {
        text(&reports)
    })?;
    Ok(if agree { Exit::Done } else { Exit::Failed })
}

/// The table. What a run found follows the columns of numbers.
fn text(reports: &[(String, Report)]) -> String {
    let heading = ["report", "job", "engine", "guards", "launches", "translated", "words", "ms"];
    let mut rows = vec![heading.map(String::from).to_vec()];
    let mut texts = vec!["adapter: result".to_string()];
    for (file, report) in reports {
        let adapter = match report.adapter.as_ref().map(Adapter::name) {
            None => "no adapter".to_string(),
            Some(name) if name.is_empty() => "no name".to_string(),
            Some(name) => name,
        };
        let mut row = |cells: [String; 6], text: String| {
            let cells = [vec![file.clone(), report.job.clone()], cells.to_vec()].concat();
            rows.push(cells.iter().map(|cell| super::escaped_line(cell)).collect());
            texts.push(super::escaped_line(&format!("{adapter}: {text}")));
        };
        for run in &report.runs {
            let ms = run.run_ms.map_or(String::new(), |ms| format!("{ms:.0}"));
            let [launches, translated, words] =
                [run.launches, run.translated, run.words].map(|n| n.to_string());
            let cells = [run.engine.clone(), run.guards.clone(), launches, translated, words, ms];
            row(cells, run.verdict());
        }
        for refused in &report.refused {
            let mut cells = <[String; 6]>::default();
            cells[0].clone_from(&refused.engine);
            row(cells, format!("no plan: {}", refused.reason));
        }
        if let Some(error) = &report.error {
            row(Default::default(), error.clone());
        }
    }
    let rows = table(&rows);
    let lines = rows.lines().zip(&texts).map(|(row, text)| format!("{row}  {text}"));
    lines.map(|line| line.trim_end().to_string() + "\n").collect()
}
