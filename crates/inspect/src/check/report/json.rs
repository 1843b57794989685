//! Findings as JSON.

use super::{FileReport, statement};
use crate::check::finding::Finding;
use ctm_lang::program::{Program, Severity};
use serde_json::{Value, json};

/// One object: the files with their findings, and the number of findings.
pub fn json(files: &[FileReport]) -> Value {
    let list: Vec<Value> = files
        .iter()
        .map(|file| {
            let findings = file.findings.iter().map(|(severity, finding)| {
                let named = file.program_of(finding);
                let mut value = value(named.map(|named| &*named.program), *severity, finding);
                value["program"] = json!(named.map(|named| &named.name));
                value
            });
            json!({
                "file": file.file,
                "reads_before_writing": file.reads_before_writing,
                "findings": findings.collect::<Vec<_>>(),
            })
        })
        .collect();
    let count: usize = files.iter().map(|file| file.findings.len()).sum();
    json!({ "files": list, "findings": count })
}

fn value(program: Option<&Program>, severity: Severity, finding: &Finding) -> Value {
    let at = |pc: Option<u32>| program.zip(pc).map(|(program, pc)| place(program, pc));
    let notes: Vec<Value> =
        finding.notes.iter().map(|note| json!({ "at": at(note.pc), "text": note.text })).collect();
    json!({
        "code": finding.code.name(),
        "severity": severity.name(),
        "pass": finding.pass,
        "at": at(finding.pc),
        "subject": finding.subject,
        "message": finding.message,
        "label": finding.label,
        "first_point": finding.first.map(|(i, j)| [i, j]),
        "count": finding.count,
        "notes": notes,
        "help": finding.help,
    })
}

/// The place of an instruction.
fn place(program: &Program, pc: u32) -> Value {
    let mut value = json!({ "pc": pc, "statement": statement(program, pc) });
    if let Some(location) = program.image().location(pc) {
        value["source"] = json!(location.file.path);
        value["line"] = json!(location.line);
        value["column"] = json!(location.column);
    }
    value
}
