//! The checks of a run: seeded mistakes, and programs that must be silent.

#[path = "common/files.rs"]
mod files;

use ctm::diagnose::dynamic::{self, Found, Options};
use ctm::diagnose::{Code, Finding};
use ctm::engine::NoProgress;
use ctm::job::Job;
use std::fmt::Write;
use std::path::{Path, PathBuf};

fn options(codes: &[Code]) -> Options {
    Options { codes: codes.to_vec(), ..Options::default() }
}

/// All codes of a run, those that are off by default included.
fn all_codes() -> Vec<Code> {
    Code::ALL.iter().copied().filter(|code| !code.is_static()).collect()
}

fn run(file: &Path, options: &Options) -> (Job, Found) {
    let job = Job::read(file).unwrap_or_else(|error| panic!("{error}"));
    let found = dynamic::check_job(&job, options, &NoProgress)
        .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    (job, found)
}

/// A finding as text: the code, the place with its line, the first point, the count, the message;
/// then the label and the notes.
fn text(job: &Job, finding: &Finding) -> String {
    let image = job.passes[finding.pass].program.image();
    let place = |pc: Option<u32>| match pc {
        Some(pc) => match image.source.get().and_then(|map| map.location(pc)) {
            Some(at) => format!("pc {pc}, line {}", at.line),
            None => format!("pc {pc}"),
        },
        None => "program".to_string(),
    };
    let (i, j) = finding.first.expect("a point");
    let mut text = format!(
        "{} at {} of pass {}, {} times, first ({i}, {j})\n    {}\n    {}\n",
        finding.code.name(),
        place(finding.pc),
        finding.pass,
        finding.count,
        finding.message,
        finding.label,
    );
    for note in &finding.notes {
        writeln!(text, "    {}: {}", place(note.pc), note.text).expect("text");
    }
    text
}

fn report(job: &Job, found: &Found) -> String {
    found.findings.iter().map(|finding| text(job, finding)).collect()
}

/// The job files below a folder, in order.
fn jobs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "toml") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
#[ignore]
fn look() {
    for path in std::env::var("LOOK").expect("LOOK").split(' ') {
        for file in jobs(Path::new(path)) {
            let started = std::time::Instant::now();
            let (job, found) = run(&file, &options(&Options::default().codes));
            let report = report(&job, &found);
            if !report.is_empty() {
                println!("{}: {} {:?}\n{report}", file.display(), found.checked, started.elapsed());
            }
        }
    }
}
