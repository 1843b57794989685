//! Warnings of the compiler about the source.

use super::Subject;
use crate::check::code::Code;
use crate::check::finding::Finding;

pub(super) fn check(subject: &Subject<'_>) -> Vec<Finding> {
    let warnings = subject.program.source().map_or(&[][..], |map| &map.warnings);
    let found = warnings.iter().map(|warning| {
        // Lines may move, so the statement is what a baseline knows it by.
        let text = subject.program.source().and_then(|map| map.files.first()?.text());
        let line = text.and_then(|text| text.line(warning.mark.line)).unwrap_or_default();
        let subject = format!("{}: {}", line.trim(), warning.message);
        let finding = Finding::new(Code::SourceWarning, None, subject, &warning.message);
        Finding { help: warning.help.clone(), ..finding.marked(warning.mark) }
    });
    found.collect()
}
