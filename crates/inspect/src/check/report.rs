//! Findings for readers: human-readable text, JSON, and SARIF 2.1.0.

mod json;
mod sarif;
mod text;

pub use json::json;
pub use sarif::sarif;
pub use text::{texts, unwritten_note};

use super::finding::Finding;
use ctm_lang::asm;
use ctm_lang::program::{Program, Severity};
use std::sync::Arc;

/// A program and its name in reports.
#[derive(Clone, Debug)]
pub struct Named {
    /// The path of its file.
    pub name: String,
    /// The program.
    pub program: Arc<Program>,
}

/// The findings in one file: a job, or a program.
#[derive(Clone, Debug)]
pub struct FileReport {
    /// The name of the file.
    pub file: String,
    /// The program of each pass; one for a file without a job, none for a recording.
    pub programs: Vec<Named>,
    /// The findings, and how bad each is.
    pub findings: Vec<(Severity, Finding)>,
    /// The temporaries that a program without a job reads before it writes them.
    pub reads_before_writing: Vec<u8>,
}

impl FileReport {
    /// The program that a finding is about; `None` for findings about a recording.
    pub fn program_of(&self, finding: &Finding) -> Option<&Named> {
        self.programs.get(finding.pass)
    }

    /// The path of the source of a finding that is about the source.
    pub fn source_of(&self, finding: &Finding) -> &str {
        let map = self.program_of(finding).and_then(|named| named.program.source());
        map.and_then(|map| map.files.first()).map_or(self.name_of(finding), |file| &file.path)
    }

    /// The name of that program, else of the file.
    pub fn name_of(&self, finding: &Finding) -> &str {
        self.program_of(finding).map_or(&self.file, |named| &named.name)
    }
}

/// The statement of an instruction without comments, from its source if that is at hand, else
/// disassembled.
pub fn statement(program: &Program, pc: u32) -> String {
    let location = program.image().location(pc);
    let line = location.and_then(|location| {
        let line = location.file.text()?.line(location.line)?;
        let code = line.split([';', '#']).next().unwrap_or_default();
        Some(code.split_whitespace().collect::<Vec<_>>().join(" "))
    });
    line.or_else(|| {
        let image = program.image();
        Some(asm::line(image.words.get(pc as usize)?, image.sharing))
    })
    .unwrap_or_default()
}

/// The facts of a finding beyond its instructions: the pass, and at which points.
fn circumstances(file: &FileReport, finding: &Finding) -> Option<String> {
    let times = match finding.count {
        1 => String::new(),
        2 => ", and once more".to_string(),
        n => format!(", and {} more times", n - 1),
    };
    let pass = match file.programs.len() {
        0 | 1 => String::new(),
        _ => format!("pass {}", finding.pass),
    };
    match finding.first {
        Some((i, j)) if pass.is_empty() => Some(format!("first at point ({i}, {j}){times}")),
        Some((i, j)) => Some(format!("{pass}, first at point ({i}, {j}){times}")),
        None => Some(pass).filter(|pass| !pass.is_empty()),
    }
}
