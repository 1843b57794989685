//! Errors in job files, and where they are.

use ctm_base::panics::{self, Panic};
use ctm_base::text::{TextErrors, printable};
use ctm_machine::engine::{LaunchError, Stopped};
use ctm_machine::memory::MemoryError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// An error in a job file: the file, the line, the key, and the problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobError {
    /// The job file.
    pub file: PathBuf,
    /// The line, counted from 1; `None` if the error is about the file as a whole.
    pub line: Option<u32>,
    /// The full key, such as "pass\[0\].domain.i1"; empty at the top level.
    pub key: String,
    /// The error.
    pub problem: Box<Problem>,
}

impl JobError {
    /// An error at a line and a key of a file.
    pub(super) fn new(
        file: &Path,
        line: Option<u32>,
        key: impl Into<String>,
        problem: impl Into<Problem>,
    ) -> JobError {
        let (file, key) = (file.to_path_buf(), key.into());
        JobError { file, line, key, problem: Box::new(problem.into()) }
    }

    /// An error about the file as a whole.
    pub fn of_file(file: &Path, problem: impl Into<Problem>) -> JobError {
        JobError::new(file, None, "", problem)
    }

    /// The cause of the stop, if the error means that the job was stopped.
    pub fn stopped(&self) -> Option<Stopped> {
        match *self.problem {
            Problem::Stopped(why) | Problem::Launch { error: LaunchError::Stopped(why), .. } => {
                Some(why)
            }
            _ => None,
        }
    }

    /// The errors of the programs' sources, if they are what is wrong.
    pub fn source_errors(&self) -> &[TextErrors] {
        match &*self.problem {
            Problem::Source { errors } => errors,
            _ => &[],
        }
    }

    /// Adds the errors of sources that another error has, each source once.
    pub(super) fn add_sources(&mut self, other: &JobError) {
        if let Problem::Source { errors } = &mut *self.problem {
            let more = other.source_errors().iter();
            errors.extend(more.filter(|one| !errors.contains(one)).cloned().collect::<Vec<_>>());
        }
    }

    /// Whether the job wrote to a pipe whose reader is gone.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(*self.problem, Problem::Write { kind: io::ErrorKind::BrokenPipe, .. })
    }
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = named(&self.file);
        write!(f, "{file}:")?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        if !self.key.is_empty() {
            write!(f, " {}:", self.key)?;
        }
        // The file has been named.
        let text = self.problem.to_string();
        let text =
            text.strip_prefix(&file).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(&text);
        write!(f, " {text}")
    }
}

// The text includes the problem's; a `source` would repeat it.
impl std::error::Error for JobError {}

/// A problem with a key of a job file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A launch failed, or was stopped.
    #[error("{repetition}{error}")]
    Launch {
        /// The repetition of a pass with several, with a colon; otherwise empty.
        repetition: String,
        /// The engine's error.
        error: LaunchError,
    },
    /// Reading the job was stopped.
    #[error("{0}")]
    Stopped(#[from] Stopped),
    /// A file cannot be written.
    #[error("cannot write {}: {error}", named(.path))]
    Write {
        /// The file.
        path: PathBuf,
        /// The kind of the system's error.
        kind: io::ErrorKind,
        /// The system's error.
        error: String,
    },
    /// The work about the job panicked.
    #[error(transparent)]
    Panic(#[from] Panic),
    /// An impossible surface.
    #[error("{0}")]
    Memory(#[from] MemoryError),
    /// Sources of programs have errors.
    #[error("{}", of_sources(.errors))]
    Source {
        /// The errors of each source, with its name.
        errors: Vec<TextErrors>,
    },
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

fn of_sources(errors: &[TextErrors]) -> String {
    let texts = errors.iter().map(|errors| format!("{}: {errors}", errors.name()));
    texts.collect::<Vec<_>>().join("\n")
}

impl Problem {
    /// A file that cannot be written.
    pub fn write(path: &Path, error: &io::Error) -> Problem {
        Problem::Write { path: path.into(), kind: error.kind(), error: error.to_string() }
    }
}

impl From<String> for Problem {
    fn from(text: String) -> Problem {
        Problem::Other(text)
    }
}

impl From<&str> for Problem {
    fn from(text: &str) -> Problem {
        Problem::Other(text.to_string())
    }
}

/// Does the work about one job. A panic is an error of that job, so that the others of many go on.
///
/// # Errors
/// The errors of the work, and [`Problem::Panic`].
pub fn caught<T, E: From<JobError>>(
    file: &Path,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    panics::catch(work).unwrap_or_else(|panic| Err(JobError::of_file(file, panic).into()))
}

/// A path in a text of several lines.
pub(super) fn named(path: &Path) -> String {
    printable(&path.display().to_string())
}

/// An error of a file, as text.
pub(super) fn in_file(path: &Path, error: impl fmt::Display) -> String {
    format!("{}: {error}", named(path))
}

/// The error of a file that cannot be read, as text.
pub(super) fn unreadable(path: &Path, error: &io::Error) -> String {
    format!("cannot read {}: {error}", named(path))
}
