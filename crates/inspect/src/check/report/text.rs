//! Findings as a compiler prints its errors.

use super::{FileReport, Named, circumstances};
use crate::check::finding::Finding;
use ctm_lang::asm;
use ctm_lang::program::{Image, NameKind, Report, Severity};
use std::fmt::Write;

/// The findings of a file, each with an empty line after it, with or without terminal
/// colours.
pub fn texts(file: &FileReport, color: bool) -> impl Iterator<Item = String> {
    let reads = file.programs.first().filter(|_| !file.reads_before_writing.is_empty());
    let reads = reads.map(|named| {
        let note = unwritten_note(named.program.image(), &file.reads_before_writing, None);
        format!("{}: {note}\n", file.file)
    });
    let findings = file.findings.iter().map(move |(severity, finding)| {
        let named = file.program_of(finding);
        let report = named.and_then(|named| of_source(named, *severity, finding));
        let text = match report {
            Some(report) => with_source(file, report, finding, color),
            None => without_source(file, named, *severity, finding),
        };
        text + "\n"
    });
    findings.chain(reads)
}

/// The note on temporaries that a program reads before it writes them, at least one: `r2 from seed 1: the program reads
/// it before it writes it`. `seed`: where a run takes them from.
pub fn unwritten_note(image: &Image, temps: &[u8], seed: Option<u64>) -> String {
    let it = if temps.len() == 1 { "it" } else { "them" };
    let seed = seed.map(|seed| format!(" from seed {seed}")).unwrap_or_default();
    format!("{}{seed}: the program reads {it} before it writes {it}", temporaries(image, temps))
}

/// A list of temporaries: `r1`, or with the author's name `sum (r1)`.
fn temporaries(image: &Image, temps: &[u8]) -> String {
    let list = temps.iter().map(|&n| match image.name_of(NameKind::Temp, n.into()) {
        Some(name) => format!("{name} (r{n})"),
        None => format!("r{n}"),
    });
    list.collect::<Vec<_>>().join(", ")
}

/// The report of a finding whose source is at hand.
fn of_source<'n>(named: &'n Named, severity: Severity, finding: &Finding) -> Option<Report<'n>> {
    let image = named.program.image();
    let (message, label) = (&finding.message, &finding.label);
    let (file, report) = match (finding.pc, finding.mark) {
        (Some(pc), _) => (image.location(pc)?.file, image.report(severity, pc, message, label)),
        (None, Some(mark)) => {
            let file = image.source.get()?.files.first()?;
            (file, image.report_mark(severity, mark, message, label))
        }
        (None, None) => return None,
    };
    file.text()?;
    Some(report.code(finding.code.name()))
}

fn with_source(
    file: &FileReport,
    mut report: Report<'_>,
    finding: &Finding,
    color: bool,
) -> String {
    for note in &finding.notes {
        report = match note.pc {
            Some(pc) => report.also(pc, &note.text),
            None => report.note(&note.text),
        };
    }
    if let Some(fact) = circumstances(file, finding) {
        report = report.note(fact);
    }
    if let Some(help) = &finding.help {
        report = report.help(help);
    }
    report.render(color)
}

/// The same with lines of disassembly, if there is a program.
fn without_source(
    file: &FileReport,
    named: Option<&Named>,
    severity: Severity,
    finding: &Finding,
) -> String {
    let mut text = format!("[{}] ", finding.code);
    let (first, rest) = severity.name().split_at(1);
    let _ = writeln!(text, "{}{rest}: {}", first.to_uppercase(), finding.message);
    let mut place = |pc: u32, label: &str| {
        let Some(named) = named else { return };
        let image = named.program.image();
        let _ = writeln!(text, "  {}: {}", named.name, image.place(pc));
        if let Some(words) = image.words.get(pc as usize) {
            let _ = writeln!(text, "    | {}", asm::line(words, image.sharing));
        }
        let _ = writeln!(text, "    = {label}");
    };
    if let Some(pc) = finding.pc {
        place(pc, &finding.label);
    }
    for note in &finding.notes {
        if let Some(pc) = note.pc {
            place(pc, &note.text);
        }
    }
    if finding.pc.is_none() {
        let _ = writeln!(text, "  {}", file.name_of(finding));
    }
    let facts = finding.notes.iter().filter(|note| note.pc.is_none()).map(|note| note.text.clone());
    for fact in facts.chain(circumstances(file, finding)) {
        let _ = writeln!(text, "  Note: {fact}");
    }
    if let Some(help) = &finding.help {
        let _ = writeln!(text, "  Help: {help}");
    }
    text
}
