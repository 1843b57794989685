//! Findings in the Static Analysis Results Interchange Format, SARIF 2.1.0 (OASIS).

use super::{FileReport, Named, circumstances, statement};
use crate::check::baseline::fingerprint;
use crate::check::code::Code;
use crate::check::explain::page;
use crate::check::finding::Finding;
use ctm_base::text::Mark;
use ctm_lang::program::Severity;
use serde_json::{Value, json};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// A log with one run. Every code is a rule.
pub fn sarif(files: &[FileReport]) -> Value {
    let rules: Vec<Value> = Code::ALL
        .into_iter()
        .map(|code| {
            json!({
                "id": code.name(),
                "shortDescription": { "text": code.meaning() },
                "help": { "text": page(code), "markdown": page(code) },
                "defaultConfiguration": {
                    "enabled": code.is_default(),
                    "level": code.severity().name(),
                },
            })
        })
        .collect();
    let found = |file: &FileReport| -> Vec<Value> {
        file.findings.iter().map(|(severity, finding)| result(file, *severity, finding)).collect()
    };
    let results: Vec<Value> = files.iter().flat_map(found).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": "ctm check",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                },
            },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn result(file: &FileReport, severity: Severity, finding: &Finding) -> Value {
    let (named, name) = (file.program_of(finding), file.name_of(finding));
    let mut text = finding.message.clone();
    if let Some(fact) = circumstances(file, finding) {
        text += &format!(" ({fact})");
    }
    if let Some(help) = &finding.help {
        text += &format!("; {help}");
    }
    let notes = finding.notes.iter().filter_map(|note| Some((note.pc?, &*note.text)));
    let related = notes.enumerate().map(|(id, (pc, text))| {
        let mut value = location(name, named, Some(pc));
        value["id"] = id.into();
        value["message"]["text"] = text.into();
        value
    });
    let related: Vec<Value> = related.collect();
    let mut value = json!({
        "ruleId": finding.code.name(),
        "ruleIndex": Code::ALL.iter().position(|code| *code == finding.code),
        "level": severity.name(),
        "message": { "text": text },
        "locations": [marked(file, finding).unwrap_or_else(|| location(name, named, finding.pc))],
        "partialFingerprints": { "statement/v1": fingerprint(file, finding).to_string() },
        "properties": {
            "job": file.file,
            "pass": finding.pass,
            "subject": finding.subject,
            "firstPoint": finding.first,
        },
        "occurrenceCount": finding.count.min(i64::MAX as u64),
    });
    if !related.is_empty() {
        value["relatedLocations"] = related.into();
    }
    value
}

/// The place of a finding that is about the source.
fn marked(file: &FileReport, finding: &Finding) -> Option<Value> {
    let Mark { line, column, end } = finding.mark?;
    Some(json!({ "physicalLocation": {
        "artifactLocation": { "uri": uri(file.source_of(finding)) },
        "region": { "startLine": line, "startColumn": column, "endColumn": end },
    } }))
}

/// The place of an instruction: in the source, else in the program's file without a line.
fn location(name: &str, named: Option<&Named>, pc: Option<u32>) -> Value {
    let at = named.zip(pc);
    let place = at.and_then(|(named, pc)| named.program.image().location(pc));
    let path = place.as_ref().map_or(name, |place| &place.file.path);
    let mut value = json!({ "physicalLocation": { "artifactLocation": { "uri": uri(path) } } });
    if let Some(place) = place {
        let region = json!({ "startLine": place.line, "startColumn": place.column });
        value["physicalLocation"]["region"] = region;
    }
    if let Some((named, pc)) = at {
        let name = statement(&named.program, pc);
        value["logicalLocations"] = json!([{ "name": name, "fullyQualifiedName": format!("pc {pc}"), "kind": "instruction" }]);
    }
    value
}

/// A path as a URI reference: relative paths stay relative.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into());
            }
            _ => uri += &format!("%{byte:02X}"),
        }
    }
    if path.starts_with('/') { format!("file://{uri}") } else { uri }
}

#[cfg(test)]
mod tests {
    #[test]
    fn paths_become_uri_references() {
        assert_eq!(super::uri("a b/c#1.dpp"), "a%20b/c%231.dpp");
        assert_eq!(super::uri("/tmp/x.dpp"), "file:///tmp/x.dpp");
    }
}
