//! `ctm profile` of a recording: its launches, one line each.

use super::{Args, Listing};
use anyhow::bail;
use ctm_base::text::numbers::{count, grouped, table, time};
use ctm_inspect::profile::recording::{Launched, Launches};
use ctm_inspect::profile::text::whole_clocks;
use ctm_lang::program::Program;
use serde_json::{Value, json};
use std::cmp::Reverse;

/// Refuses what needs one launch.
pub fn check(args: &Args) -> anyhow::Result<()> {
    let given = [
        ("--html", args.html.is_some()),
        ("--heat", args.heat.is_some()),
        ("--callgrind", args.callgrind.is_some()),
        ("--points", args.points.is_some()),
        ("--pass", args.pass.is_some()),
        ("--mode", args.mode.is_some()),
    ];
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => {
            bail!("{option}: {} is a recording; --launch N chooses a launch", args.job.display())
        }
        None => Ok(()),
    }
}

/// A program's number and, if it is known, the file of its source.
fn label(launches: &Launches, launch: &Launched) -> String {
    let program: &Program = &launches.programs[launch.program];
    let file = program.source().and_then(|map| map.files.first());
    let name = file.and_then(|file| file.path.rsplit('/').next());
    name.map_or(launch.program.to_string(), |name| format!("{} {name}", launch.program))
}

/// The table.
pub fn text(args: &Args, launches: &Launches) -> String {
    let mut rows: Vec<(usize, &Launched)> = launches.launches.iter().enumerate().collect();
    if matches!(args.order, Listing::Hot) {
        rows.sort_by_key(|(_, launch)| Reverse(launch.time.least));
    }
    let all = rows.len();
    let top = if args.top == 0 { all } else { args.top };
    rows.truncate(top);
    let sum: u64 = launches.launches.iter().map(|launch| launch.time.least).sum();
    let heading =
        ["launch", "device", "submission", "program", "points", "instructions", "fetches"];
    let heading = heading.into_iter().chain(["R580 clocks", "share", "bound by"]);
    let mut lines: Vec<Vec<String>> = vec![heading.map(String::from).collect()];
    for (n, launch) in &rows {
        let s = &launch.statistics;
        lines.push(vec![
            n.to_string(),
            launch.submission.device.to_string(),
            launch.submission.submission.to_string(),
            label(launches, launch),
            grouped(s.points),
            grouped(s.lane_instructions),
            grouped(s.fetches),
            whole_clocks(launch.time.least),
            format!("{:.1} %", 100.0 * launch.time.least as f64 / sum.max(1) as f64),
            launch.time.bound().name().to_string(),
        ]);
    }
    let mut text = format!(
        "{}: {} of {} in {}; an X1900 XTX at best: {}\n\n{}",
        crate::escaped_line(&args.job.display().to_string()),
        count(all as u64, "launch", "launches"),
        count(launches.programs.len() as u64, "program", "programs"),
        count(launches.submissions, "submission", "submissions"),
        time(ctm_inspect::profile::time::seconds(sum)),
        table(&lines),
    );
    if rows.len() < all {
        text += &format!("\n{} more; --top 0 shows all\n", all - rows.len());
    }
    text + "\n--launch N shows where the time of a launch goes\n"
}

/// The object of `--json`.
pub fn to_json(args: &Args, launches: &Launches) -> anyhow::Result<Value> {
    let list = launches.launches.iter().enumerate().map(|(n, launch)| {
        let s = &launch.statistics;
        json!({
            "launch": n,
            "device": launch.submission.device,
            "submission": launch.submission.submission,
            "program": launch.program,
            "points": s.points,
            "lane_instructions": s.lane_instructions,
            "fetches": s.fetches,
            "seconds": launch.time.seconds(),
            "bound": launch.time.bound().name(),
        })
    });
    Ok(json!({
        "recording": crate::utf8(&args.job)?,
        "submissions": launches.submissions,
        "programs": launches.programs.len(),
        "launches": list.collect::<Vec<_>>(),
    }))
}
