//! The profile as text.

use super::{LineRow, PassProfile, Profile, Row};
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
            number(rest.passes as u64),
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
        number(pass.launches),
        if pass.launches == 1 { "" } else { "es" },
        number(s.groups),
        number(pass.tiles),
        number(s.points),
        match s.killed {
            0 => String::new(),
            killed => format!(", {} points killed", number(killed)),
        }
    );
    let group = s.alu + s.out + s.tex + s.fc;
    let _ = writeln!(
        text,
        "  {} lane instructions, {} of {} lanes; {} of {} FC group instructions diverged",
        number(s.lane_instructions),
        percent(s.lane_instructions, 64 * group),
        number(64 * group),
        number(s.divergent),
        number(s.fc),
    );
    let _ = writeln!(
        text,
        "  {} fetches of {} different elements, {}",
        number(s.fetches),
        number(pass.distinct.elements),
        bytes(pass.distinct.bytes),
    );
    if pass.program.sharing().is_some() {
        let _ = writeln!(
            text,
            "  {} operands in shared registers read, {} written; {} conflicts",
            number(s.shared_reads),
            number(s.shared_writes),
            number(s.shared_conflicts),
        );
    }
    let parts = pass.time.parts();
    let parts = parts.map(|(bound, time)| format!("{} {}", bound.name(), whole_clocks(time)));
    let _ = writeln!(
        text,
        "  R580 clocks: {}; bound by {}, {} at best",
        parts.join(", "),
        pass.time.bound().name(),
        seconds(pass.time.seconds()),
    );
    let _ = writeln!(
        text,
        "  the performance counters show {} active clocks",
        number(pass.active_clocks)
    );
    if pass.is_sample() {
        let _ = writeln!(
            text,
            "  sample: the tables and the distinct elements are of {} of {} groups",
            number(pass.sampled),
            number(pass.tiles)
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
    (count != 0).then(|| number(count))
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

/// A number with its thousands apart.
/// A number with commas between thousands.
pub fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (n, digit) in digits.chars().enumerate() {
        if n > 0 && (digits.len() - n).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time of the model in clocks, rounded up.
/// A time in whole clocks.
pub fn whole_clocks(time: u64) -> String {
    number(time.div_ceil(PARTS))
}

/// A part of 1 in percent.
pub(super) fn share(part: f64) -> String {
    format!("{:.1}%", 100.0 * part)
}

pub(super) fn percent(part: u64, whole: u64) -> String {
    share(part as f64 / whole.max(1) as f64)
}

/// A number of bytes, with a binary unit.
pub(super) fn bytes(bytes: u64) -> String {
    let units = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    match units.into_iter().find(|(size, _)| bytes >= *size) {
        Some((size, unit)) => format!("{:.1} {unit}", bytes as f64 / size as f64),
        None => format!("{bytes} bytes"),
    }
}

/// A rate or another large number, with a decimal prefix: "31.2 G".
pub(super) fn rate(rate: f64) -> String {
    let units = [(1e12, " T"), (1e9, " G"), (1e6, " M"), (1e3, " k"), (1.0, "")];
    let (size, unit) = units.into_iter().find(|(size, _)| rate >= *size).unwrap_or((1.0, ""));
    let number = format!("{:.1}", rate / size);
    format!("{}{unit}", number.strip_suffix(".0").unwrap_or(&number))
}

/// A time.
pub(super) fn seconds(seconds: f64) -> String {
    let units = [(1.0, "s"), (1e-3, "ms"), (1e-6, "us")];
    match units.into_iter().find(|(size, _)| seconds >= *size) {
        Some((size, unit)) => format!("{:.2} {unit}", seconds / size),
        None => format!("{:.0} ns", seconds * 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers() {
        assert_eq!([0, 999, 1000, 1_234_567].map(number), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([5, 1536, 1 << 20].map(bytes), ["5 bytes", "1.5 KiB", "1.0 MiB"]);
        assert_eq!([0.0, 2.5e-7, 3e-5, 2.0].map(seconds), ["0 ns", "250 ns", "30.00 us", "2.00 s"]);
        assert_eq!((percent(1, 3), percent(0, 0)), ("33.3%".to_string(), "0.0%".to_string()));
    }
}
