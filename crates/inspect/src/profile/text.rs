//! The profile as text.

use super::{LineRow, PassProfile, Profile, Row};
use ctm_base::text::numbers::{bytes, grouped, time};
use ctm_base::text::printable;
use ctm_lang::asm;
use ctm_machine::device::PARTS;
use std::cmp::Reverse;
use std::fmt::Write;

/// The order of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Rows with the most clocks first.
    Hot,
    /// By line or pc.
    Program,
}

/// The text of a profile. `top` limits each table to at most this many rows, and the text to as many
/// passes.
pub fn text(profile: &Profile, order: Order, top: Option<usize>) -> String {
    let mut text = printable(&profile.file.display().to_string());
    if !profile.about.is_empty() {
        let _ = write!(text, ": {}", printable(&profile.about));
    }
    text.push('\n');
    let (passes, rest) = profile.slowest(top.unwrap_or(usize::MAX));
    for pass in passes {
        text.push('\n');
        summary(pass, &mut text);
        if !pass.lines.is_empty() {
            text.push('\n');
            lines(pass, order, top, &mut text);
        }
        text.push('\n');
        instructions(pass, order, top, &mut text);
    }
    if let Some(rest) = rest {
        let _ = writeln!(
            text,
            "\n{} more passes with {} of the time: --top {} shows them, --pass N shows one",
            grouped(rest.passes as u64),
            share(rest.share),
            profile.passes.len()
        );
    }
    text
}

/// The facts of a pass as a whole.
fn summary(pass: &PassProfile, text: &mut String) {
    let s = &pass.statistics;
    let program = printable(&pass.program_file.display().to_string());
    let _ = writeln!(text, "pass {}: {program}", pass.pass);
    let _ = writeln!(
        text,
        "  {} launch{}, {} of {} groups ran with {} points{}",
        grouped(pass.launches),
        if pass.launches == 1 { "" } else { "es" },
        grouped(s.groups),
        grouped(pass.tiles),
        grouped(s.points),
        match s.killed {
            0 => String::new(),
            killed => format!(", {} points killed", grouped(killed)),
        }
    );
    let group = s.alu + s.out + s.tex + s.fc;
    let _ = writeln!(
        text,
        "  {} lane instructions, {} of {} lanes; {} of {} FC group instructions diverged",
        grouped(s.lane_instructions),
        percent(s.lane_instructions, 64 * group),
        grouped(64 * group),
        grouped(s.divergent),
        grouped(s.fc),
    );
    let _ = writeln!(
        text,
        "  {} fetches of {} different elements, {}",
        grouped(s.fetches),
        grouped(pass.distinct.elements),
        bytes(pass.distinct.bytes),
    );
    if pass.program.sharing().is_some() {
        let _ = writeln!(
            text,
            "  {} operands in shared registers read, {} written; {} conflicts",
            grouped(s.shared_reads),
            grouped(s.shared_writes),
            grouped(s.shared_conflicts),
        );
    }
    let parts = pass.time.parts();
    let parts = parts.map(|(bound, time)| format!("{} {}", bound.name(), whole_clocks(time)));
    let _ = writeln!(
        text,
        "  R580 clocks: {}; bound by {}, {} at best",
        parts.join(", "),
        pass.time.bound().name(),
        time(pass.time.seconds()),
    );
    let _ = writeln!(
        text,
        "  the performance counters show {} active clocks",
        grouped(pass.active_clocks)
    );
    if pass.is_sample() {
        let _ = writeln!(
            text,
            "  sample: the tables and the distinct elements are of {} of {} groups",
            grouped(pass.sampled),
            grouped(pass.tiles)
        );
    }
}

fn lines(pass: &PassProfile, order: Order, top: Option<usize>, text: &mut String) {
    let files = pass.program.source().map_or(&[][..], |map| &map.files);
    // The text of a source may be gone; that of a recording's programs is not kept.
    let at_hand = files.iter().any(|file| file.text().is_some());
    let label = |line: &LineRow| {
        let text = files.get(line.file as usize).and_then(|file| file.text());
        let source = text.and_then(|text| text.line(line.line));
        let name = match files.len() {
            1 => String::new(),
            _ => format!("{}:", printable(&files[line.file as usize].path)),
        };
        let shown = printable(source.unwrap_or("").trim()).replace('\t', " ");
        format!("{name}{:>4}  {shown}", line.line).trim_end().to_string()
    };
    let rows = pass.lines.iter().map(|line| (&line.row, label(line))).collect();
    table(if at_hand { "line  source" } else { "line" }, rows, order, top, text);
}

fn instructions(pass: &PassProfile, order: Order, top: Option<usize>, text: &mut String) {
    let image = pass.program.image();
    let label = |row: &Row| {
        let pc = row.pcs[0];
        format!("{pc:>4}  {}", asm::line(&image.words[pc as usize], image.sharing))
    };
    let rows = pass.instructions.iter().map(|row| (row, label(row))).collect();
    table("  pc  instruction", rows, order, top, text);
}

/// A column: its title and the text of a row; a row for which it is `None` has nothing to show.
pub(super) type Column = (&'static str, fn(&Row) -> Option<String>);

fn counted(count: u64) -> Option<String> {
    (count != 0).then(|| grouped(count))
}

pub(super) const COLUMNS: [Column; 10] = [
    ("groups", |row| counted(row.counts.groups)),
    ("lanes", |row| counted(row.counts.lanes)),
    ("active", |row| (row.counts.groups != 0).then(|| share(row.counts.active()))),
    ("taken", |row| counted(row.counts.taken)),
    ("diverged", |row| counted(row.counts.diverged)),
    ("killed", |row| counted(row.counts.killed)),
    ("conflicts", |row| counted(row.counts.conflicts)),
    ("fetches", |row| counted(row.counts.fetches)),
    ("distinct", |row| counted(row.distinct.elements)),
    ("bytes", |row| counted(row.distinct.bytes)),
];

/// A table of rows with their labels. Columns in which no row has anything are left out.
fn table(
    title: &str,
    mut rows: Vec<(&Row, String)>,
    order: Order,
    top: Option<usize>,
    text: &mut String,
) {
    if order == Order::Hot {
        // Of rows with the same clocks, those of the same units in program order.
        rows.sort_by_key(|(row, _)| Reverse(row.clocks.sum()));
    }
    let all = rows.len();
    rows.truncate(top.unwrap_or(all));
    let mut columns: Vec<Vec<String>> = Vec::new();
    for (name, value) in COLUMNS {
        let values: Vec<Option<String>> = rows.iter().map(|(row, _)| value(row)).collect();
        if values.iter().any(Option::is_some) {
            let values = values.into_iter().map(Option::unwrap_or_default);
            columns.push(std::iter::once(name.to_string()).chain(values).collect());
        }
    }
    let widths: Vec<usize> =
        columns.iter().map(|column| column.iter().map(String::len).max().unwrap_or(0)).collect();
    let mut line = |n: usize, clocks: &str, share: &str, bar: &str, label: &str| {
        let mut out = format!("{clocks:>14} {share:>6} {bar:<10}");
        for (column, width) in columns.iter().zip(&widths) {
            let _ = write!(out, " {:>width$}", column[n]);
        }
        let _ = writeln!(text, "{out}  {label}");
    };
    line(0, "clocks", "share", "", title);
    for (n, (row, label)) in rows.iter().enumerate() {
        let bar = "#".repeat((row.share * 10.0).round() as usize);
        line(n + 1, &whole_clocks(row.clocks.sum()), &share(row.share), &bar, label);
    }
    if rows.len() < all {
        let _ = writeln!(text, "{:>14} more rows: --top {all} shows them", all - rows.len());
    }
}

/// A time of the model in clocks, rounded up.
pub fn whole_clocks(time: u64) -> String {
    grouped(time.div_ceil(PARTS))
}

/// A part of 1 in percent.
pub(super) fn share(part: f64) -> String {
    format!("{:.1}%", 100.0 * part)
}

pub(super) fn percent(part: u64, whole: u64) -> String {
    share(part as f64 / whole.max(1) as f64)
}
