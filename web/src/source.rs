//! The files of a page to a job, and errors with their places.

use crate::message::{Blob, Blobs};
use ctm::check::report::unwritten_note;
use ctm::check::statics::unwritten;
use ctm::engine::Stop;
use ctm::job::sample::Sample;
use ctm::job::{Job, JobFiles, Role, SharedFiles, shader};
use ctm::load::{Kind, LoadError, Loaded, Note, load};
use ctm::program::interface::INVOCATION;
use ctm::program::{Program, Severity, SourceWarning};
use ctm::text::Mark;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file of the page.
#[derive(Clone, Debug, Deserialize)]
pub struct File {
    /// Its path.
    pub path: String,
    /// Its bytes.
    pub bytes: Blob,
}

/// An error and its position.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Problem {
    /// The file.
    pub file: String,
    /// The line, from 1; 0: the file as a whole.
    pub line: usize,
    /// The column in characters, from 1; 0: the line as a whole.
    pub column: usize,
    /// The number of characters that the caret marks.
    pub width: usize,
    /// `error`, `warning` or `note`.
    pub severity: &'static str,
    /// The error in words.
    pub message: String,
    /// A short text beside the caret.
    pub label: Option<String>,
    /// A way to fix it.
    pub help: Option<String>,
    /// The code of a finding, such as `missing-wait`.
    pub code: Option<&'static str>,
}

impl Problem {
    /// A problem of a range of characters, without words.
    pub fn at(mark: Mark) -> Problem {
        let Mark { line, column, end } = mark;
        let width = end.saturating_sub(column) as usize;
        Problem { line: line as usize, column: column as usize, width, ..Problem::default() }
    }
}

/// The size of the domain of a program without a job, in points.
const SIZE: (u32, u32) = (192, 144);

/// The files of a request, by path.
pub struct Held(HashMap<PathBuf, Arc<[u8]>>);

impl Held {
    /// The files with their bytes.
    pub fn new(files: &[File], blobs: &Blobs) -> Held {
        let one = |file: &File| {
            let bytes = blobs.get(file.bytes).unwrap_or_default();
            (PathBuf::from(&file.path), Arc::<[u8]>::from(bytes))
        };
        Held(files.iter().map(one).collect())
    }

    /// The files as jobs read them.
    pub fn shared(&self) -> SharedFiles {
        SharedFiles::holding(self.0.clone(), None)
    }

    /// Adds a file.
    pub fn add(&mut self, path: &str, bytes: Vec<u8>) {
        self.0.insert(PathBuf::from(path), Arc::from(bytes));
    }

    /// The bytes of a file.
    pub fn bytes(&self, path: &str) -> Option<&Arc<[u8]>> {
        self.0.get(Path::new(path))
    }

    /// The text of a file.
    ///
    /// # Errors
    /// It is missing, or no text.
    pub fn text(&self, path: &str) -> Result<String, String> {
        let bytes = self.bytes(path).ok_or_else(|| format!("{path} is missing"))?;
        String::from_utf8(bytes.to_vec()).map_err(|error| format!("{path}: {error}"))
    }
}

/// Reads the job in `main`, or makes one for the program in it. With it come warnings and notes.
///
/// # Errors
/// The job or one of its programs has an error.
pub fn job(main: &str, held: &Held, stop: &Stop) -> Result<(Job, Vec<Problem>), Vec<Problem>> {
    let Some(bytes) = held.bytes(main) else {
        return Err(vec![whole(main, "it is not among the files".to_string())]);
    };
    if !main.ends_with(".toml") {
        return of_program(main, held, None, stop).map(|(job, _, _, problems)| (job, problems));
    }
    let text = String::from_utf8_lossy(bytes);
    let named = JobFiles::of(&text, Path::new(main)).reads;
    let programs: Vec<_> =
        named.into_iter().filter_map(|path| Some((held.0.get(&path)?.clone(), path))).collect();
    let job = Job::parse_shared(&text, Path::new(main), &held.shared(), stop).map_err(|error| {
        // Errors of a program have places of their own.
        let of_programs = programs.iter().filter(|(_, path)| is_program(path));
        let problems: Vec<Problem> = of_programs
            .filter_map(|(bytes, path)| {
                let name = path.to_string_lossy();
                Some(of_load(&name, &load(bytes, &name, None, None, stop).err()?))
            })
            .flatten()
            .collect();
        if !problems.is_empty() {
            return problems;
        }
        let key = match error.key.as_str() {
            "" => String::new(),
            key => format!("{key}: "),
        };
        let line = error.line.unwrap_or(0) as usize;
        vec![Problem { line, ..whole(main, format!("{key}{}", error.problem)) }]
    })?;
    let warnings = warnings(main, &job).collect();
    Ok((job, warnings))
}

fn warnings(main: &str, job: &Job) -> impl Iterator<Item = Problem> {
    let warning = |text: &String| Problem { severity: "warning", ..whole(main, text.clone()) };
    let said: Vec<String> = job.passes.iter().flat_map(|pass| sentences(&pass.program)).collect();
    let known = move |text: &&String| !said.iter().any(|said| text.ends_with(said));
    job.warnings.iter().filter(known).map(warning)
}

/// Warnings about the source of a program, as notes say them.
fn sentences(program: &Program) -> Vec<String> {
    let warnings = program.source().map_or(&[][..], |map| &map.warnings);
    let note = |warning: &SourceWarning| Note {
        severity: Severity::Warning,
        mark: Some(warning.mark),
        text: warning.sentence(),
    };
    warnings.iter().map(|warning| note(warning).to_string()).collect()
}

/// Whether a job names this file as a program: everything else that it names is an array or a picture.
fn is_program(path: &Path) -> bool {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    !matches!(ending.as_str(), "npy" | "png")
}

/// A job that runs a program on data from a seed. `size`: columns and rows. Also returns how it was made, and notes.
///
/// # Errors
/// The program has errors.
pub fn of_program(
    name: &str,
    held: &Held,
    size: Option<(u32, u32)>,
    stop: &Stop,
) -> Result<(Job, Sample, Loaded, Vec<Problem>), Vec<Problem>> {
    let bytes = held.bytes(name).ok_or_else(|| vec![whole(name, "it is missing".to_string())])?;
    let loaded = load(bytes, name, None, None, stop).map_err(|error| of_load(name, &error))?;
    let program = Program::new(loaded.image.clone())
        .map_err(|errors| vec![whole(name, errors.to_string())])?;
    let varyings = unwritten(&program, stop).unwrap_or_default();
    let (width, height) = size.unwrap_or(SIZE);
    let sample = Sample { seed: 1, width, height, range: -2.0..2.0 };
    let varyings: Vec<u8> = match loaded.kind {
        Kind::Mesa | Kind::Hex | Kind::Bin => varyings,
        // Their temporary 0 is the point.
        Kind::Asm | Kind::Elf | Kind::Ps | Kind::Glsl | Kind::Wgsl => {
            varyings.into_iter().filter(|&temp| temp > 0).collect()
        }
    };
    let mut problems = Vec::new();
    // Those about the source are findings, with their remedies.
    for note in loaded.notes.iter().filter(|note| note.severity != Severity::Warning) {
        let at = note.mark.map(Problem::at).unwrap_or_default();
        let Problem { line, column, width, .. } = at;
        let warning = whole(name, note.text.clone());
        problems.push(Problem { line, column, width, severity: "warning", ..warning });
    }
    if loaded.kind == Kind::Asm && !varyings.is_empty() {
        let text = unwritten_note(program.image(), &varyings, Some(sample.seed));
        problems.push(Problem { severity: "note", ..whole(name, text) });
    }
    let mut job = Job::of_program(Arc::new(program), Path::new(name), &sample, &varyings);
    job.compile = Some(loaded.compile);
    if is_picture(&job) {
        let outputs =
            job.buffers.iter_mut().filter(|buffer| matches!(buffer.role, Role::Output(_)));
        for (n, buffer) in outputs.enumerate() {
            let number = if n == 0 { String::new() } else { format!("-{n}") };
            buffer.pictures.image = Some(PathBuf::from(format!("picture{number}.png")));
        }
    }
    problems.extend(
        shader::chosen(&job.passes[0], &[])
            .map(|text| Problem { severity: "note", ..whole(name, text) }),
    );
    problems.extend(warnings(name, &job));
    Ok((job, sample, loaded, problems))
}

/// Whether the outputs of a program without a job are colours: it is a fragment shader.
fn is_picture(job: &Job) -> bool {
    let shader = job.passes[0].program.image().interface.as_ref();
    shader.is_some_and(|shader| shader.varyings.iter().all(|one| one.name != INVOCATION))
}

/// The problems of a program file.
fn of_load(name: &str, error: &LoadError) -> Vec<Problem> {
    match error {
        LoadError::Asm(errors) => errors
            .all()
            .map(|error| Problem {
                file: name.to_string(),
                severity: error.severity.name(),
                message: error.message.clone(),
                label: error.label.clone(),
                help: error.help.clone(),
                ..Problem::at(error.mark())
            })
            .collect(),
        other => vec![whole(name, other.to_string())],
    }
}

/// A problem of a file as a whole.
pub fn whole(file: &str, message: String) -> Problem {
    Problem { file: file.to_string(), message, severity: "error", ..Problem::default() }
}
