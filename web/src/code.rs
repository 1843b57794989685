//! The programs of a job: instructions with their places in the source, names, findings.

use crate::source::Problem;
use ctm::asm::line;
use ctm::check::{Code, Findings, allow, statics};
use ctm::engine::Stop;
use ctm::isa::{ALPHA_OPS, FC_OPS, Instruction as Decoded, RGB_OPS, TEX_OPS, Type};
use ctm::job::Job;
use ctm::program::{Image, NameKind, Program};
use serde::Serialize;

/// An instruction.
#[derive(Clone, Debug, Serialize)]
pub struct Instruction {
    /// Its text.
    pub text: String,
    /// `alu`, `out`, `tex` or `fc`.
    pub kind: &'static str,
    /// The file of its statement; empty if unknown.
    pub file: String,
    /// The lines of its statements, from 1; none if they are unknown.
    pub lines: Vec<u32>,
    /// The label there.
    pub label: Option<String>,
}

/// A name of the source.
#[derive(Clone, Debug, Serialize)]
pub struct Named {
    /// The name.
    pub name: String,
    /// The register or label that it names, such as `temporary 3`.
    pub what: String,
}

/// A program.
#[derive(Clone, Debug, Serialize)]
pub struct Listing {
    /// Its file.
    pub file: String,
    /// Its instructions.
    pub code: Vec<Instruction>,
    /// The names of the source.
    pub names: Vec<Named>,
    /// Temporaries in use.
    pub temporaries: u32,
}

/// The programs of a job, each once, and the pass that runs each.
pub fn listings(job: &Job) -> Vec<Listing> {
    let mut seen: Vec<*const Program> = Vec::new();
    let mut listings = Vec::new();
    for pass in &job.passes {
        let program = &pass.program;
        let pointer: *const Program = &**program;
        if !seen.contains(&pointer) {
            seen.push(pointer);
            listings.push(listing(&pass.program_file.to_string_lossy(), program));
        }
    }
    listings
}

fn listing(file: &str, program: &Program) -> Listing {
    let image = program.image();
    let instruction = |((pc, words), decoded): ((u32, &[u32; 6]), &Decoded)| {
        let place = image.location(pc);
        let kind = match decoded.common.class {
            Type::Alu => "alu",
            Type::Out => "out",
            Type::Fc => "fc",
            Type::Tex => "tex",
        };
        Instruction {
            text: line(words, image.sharing),
            kind,
            file: place.map(|place| place.file.path.clone()).unwrap_or_default(),
            lines: image.source.lines(pc),
            label: image.name_of(NameKind::Label, pc).map(str::to_string),
        }
    };
    Listing {
        file: file.to_string(),
        code: (0..).zip(&image.words).zip(program.instructions()).map(instruction).collect(),
        names: names(image),
        temporaries: u32::from(program.uses().highest_named_temp) + 1,
    }
}

fn names(image: &Image) -> Vec<Named> {
    let named = |kind: NameKind, count: u32| {
        (0..count).filter_map(move |number| {
            let name = image.name_of(kind, number)?.to_string();
            Some(Named { name, what: format!("{} {number}", kind.name()) })
        })
    };
    let counts = [
        (NameKind::Temp, 128),
        (NameKind::Input, 16),
        (NameKind::Output, 4),
        (NameKind::Float, 256),
        (NameKind::Int, 32),
        (NameKind::Bool, 32),
    ];
    counts.into_iter().flat_map(|(kind, count)| named(kind, count)).collect()
}

/// The meanings of the operations, and the pages where they stand, as rows of a table in Markdown: see docs/isa.md.
pub fn operations() -> String {
    let source = |source: &str| {
        let part = |part: &str| match part.trim().split_once(' ') {
            Some(("G", page)) => format!("CTM Guide, page {page}"),
            _ => match part.trim() {
                "A" => "AMD's register descriptions".to_string(),
                "M" => "Mesa's driver".to_string(),
                other => other.to_string(),
            },
        };
        source.split(';').map(part).collect::<Vec<_>>().join("; ")
    };
    let mut named: Vec<&str> = Vec::new();
    let mut rows = String::new();
    for code in [RGB_OPS, ALPHA_OPS, TEX_OPS, FC_OPS].into_iter().flatten() {
        if !named.contains(&code.name) {
            named.push(code.name);
            let name = code.name.to_ascii_lowercase();
            rows += &format!("| `{name}` | {} ({}) |\n", code.meaning, source(code.source));
        }
    }
    rows
}

/// The findings of the checks of programs in a job.
pub fn findings(job: &Job, stop: &Stop) -> Vec<Problem> {
    let found = statics::of_job(job, stop).unwrap_or_default();
    problems(job, found)
}

/// Findings that count, as problems of the lines that they are about.
pub fn problems(job: &Job, found: Findings) -> Vec<Problem> {
    let counts = |code: Code| code.is_default();
    let mut problems: Vec<Problem> = Vec::new();
    for finding in found.into_iter().filter(|finding| counts(finding.code)) {
        let pass = &job.passes[finding.pass.min(job.passes.len() - 1)];
        let image = pass.program.image();
        let place = finding.pc.and_then(|pc| image.location(pc));
        if allow::allows(&pass.program, &finding) {
            continue;
        }
        let marked = finding.mark.map(Problem::at).unwrap_or_default();
        let at = finding.first.map(|(i, j)| format!(" (first at point ({i}, {j}))"));
        let pc = finding.pc.map(|pc| format!("pc {pc}: ")).unwrap_or_default();
        let pc = if place.is_some() { String::new() } else { pc };
        let notes = finding.notes.iter().map(|note| match note.pc {
            Some(pc) => format!("\n{}: {}", image.place(pc), note.text),
            None => format!("\n{}", note.text),
        });
        let notes: String = notes.collect();
        let message = format!("{pc}{}{}{notes}", finding.message, at.unwrap_or_default());
        problems.push(Problem {
            file: place.map_or_else(
                || pass.program_file.to_string_lossy().into_owned(),
                |place| place.file.path.clone(),
            ),
            line: place.map_or(marked.line, |place| place.line as usize),
            column: place.map_or(marked.column, |place| place.column as usize),
            width: marked.width,
            severity: finding.code.severity().name(),
            message,
            label: Some(finding.label).filter(|label| label != "here"),
            help: finding.help,
            code: Some(finding.code.name()),
        });
    }
    problems
}
