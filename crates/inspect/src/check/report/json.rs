//! Findings as JSON.

use super::{FileReport, statement};
use crate::check::finding::Finding;
use ctm_base::text::Mark;
use ctm_lang::program::{Program, Severity};
use serde_json::{Value, json};

/// One object: the files with their findings, and the number of findings.
pub fn json(files: &[FileReport]) -> Value {
    let list = files.iter().map(|file| {
        let findings = file.findings.iter().map(|(severity, found)| value(file, *severity, found));
        json!({
            "file": file.file,
            "reads_before_writing": file.reads_before_writing,
            "findings": findings.collect::<Vec<_>>(),
        })
    });
    let count: usize = files.iter().map(|file| file.findings.len()).sum();
    json!({ "files": list.collect::<Vec<_>>(), "findings": count })
}

fn value(file: &FileReport, severity: Severity, finding: &Finding) -> Value {
    let named = file.program_of(finding);
    let at = |pc: Option<u32>| named.zip(pc).map(|(named, pc)| place(&named.program, pc));
    let marked = finding.mark.map(|Mark { line, column, end }| {
        json!({ "source": file.source_of(finding), "line": line, "column": column, "end": end })
    });
    let notes = finding.notes.iter().map(|note| json!({ "at": at(note.pc), "text": note.text }));
    json!({
        "code": finding.code.name(),
        "severity": severity.name(),
        "pass": finding.pass,
        "at": at(finding.pc).or(marked),
        "subject": finding.subject,
        "message": finding.message,
        "label": finding.label,
        "first_point": finding.first,
        "count": finding.count,
        "notes": notes.collect::<Vec<_>>(),
        "help": finding.help,
        "program": named.map(|named| &named.name),
    })
}

/// The place of an instruction.
fn place(program: &Program, pc: u32) -> Value {
    let mut value = json!({ "pc": pc, "statement": statement(program, pc) });
    if let Some(location) = program.image().location(pc) {
        value["source"] = location.file.path.as_str().into();
        value["line"] = location.line.into();
        value["column"] = location.column.into();
    }
    value
}
