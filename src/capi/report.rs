//! The reports of submissions, for clients.

use std::fmt::Write;

use super::connection::short;
use super::types::Status;
use crate::device::{SubmissionReport, SubmitId};

/// The status of a complete submission.
pub(super) fn status(report: &SubmissionReport) -> Status {
    if report.error.is_some() {
        Status::Error
    } else if report.faults.is_empty() {
        Status::Clean
    } else {
        Status::Fault
    }
}

/// The first problem, with the id; `None` if there is none.
pub(super) fn problem(id: SubmitId, report: &SubmissionReport) -> Option<String> {
    let what = match &report.error {
        Some(error) => error.to_string(),
        None => report.command_faults.first()?.lines().next()?,
    };
    Some(format!("submission {}: {what}", short(id)))
}

/// The whole report, one line per entry.
pub(super) fn text(report: &SubmissionReport) -> String {
    let mut text = String::new();
    let mut line = |kind: &str, what: &dyn std::fmt::Display| {
        // Writing to a string does not fail.
        let _ = writeln!(text, "{kind}: {what}");
    };
    if let Some(error) = &report.error {
        line("error", error);
    }
    for faults in &report.command_faults {
        for fault in faults.lines() {
            line("fault", &fault);
        }
    }
    for hazard in &report.hazards {
        line("hazard", hazard);
    }
    for warning in &report.warnings {
        line("warning", warning);
    }
    if report.left_out != 0 {
        line("and more", &report.left_out);
    }
    text
}
