//! Errors in job files, and where they are.

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
    /// What is wrong.
    pub problem: Box<Problem>,
}

impl JobError {
    /// An error at a line and a key of a file.
    pub(super) fn new(
        file: &Path,
        line: Option<u32>,
        key: impl Into<String>,
        problem: Problem,
    ) -> JobError {
        let (file, key) = (file.to_path_buf(), key.into());
        JobError { file, line, key, problem: Box::new(problem) }
    }

    /// An error about the file as a whole.
    pub(super) fn of_file(file: &Path, problem: Problem) -> JobError {
        JobError::new(file, None, "", problem)
    }

    /// Why the job was stopped, if the error means that it was.
    pub fn stopped(&self) -> Option<Stopped> {
        match *self.problem {
            Problem::Launch { error: LaunchError::Stopped(why), .. } => Some(why),
            _ => None,
        }
    }

    /// Whether the job wrote to a pipe whose reader is gone.
    pub fn is_closed_pipe(&self) -> bool {
        matches!(*self.problem, Problem::Write { kind: io::ErrorKind::BrokenPipe, .. })
    }
}

impl fmt::Display for JobError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file.display())?;
        if let Some(line) = self.line {
            write!(f, "{line}:")?;
        }
        if !self.key.is_empty() {
            write!(f, " {}:", self.key)?;
        }
        match &*self.problem {
            // The file has been named.
            Problem::Read { path, error } if *path == self.file => {
                write!(f, " cannot read it: {error}")
            }
            Problem::File { path, error } if *path == self.file => write!(f, " {error}"),
            problem => write!(f, " {problem}"),
        }
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
        /// Which repetition of a pass with several, with a colon; otherwise empty.
        repetition: String,
        /// The engine's error.
        error: LaunchError,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {error}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: String,
    },
    /// A file cannot be written.
    #[error("cannot write {}: {error}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The kind of the system's error.
        kind: io::ErrorKind,
        /// The system's error.
        error: String,
    },
    /// A file that must not be used, or does not contain what it must.
    #[error("{}: {error}", .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: String,
    },
    /// A key that has no meaning at this place.
    #[error("unknown key; the keys here are {allowed}")]
    UnknownKey {
        /// All keys allowed there, with commas.
        allowed: String,
    },
    /// A required key is missing.
    #[error("missing; it is required{context}")]
    Missing {
        /// The circumstances, from the leading blank on.
        context: &'static str,
    },
    /// A value of the wrong type.
    #[error("found {found}, needed {needed}")]
    Type {
        /// The type found.
        found: &'static str,
        /// The type needed.
        needed: &'static str,
    },
    /// A number outside its range.
    #[error("{value} is out of range: {min} to {max} are allowed")]
    Range {
        /// The number as written.
        value: String,
        /// The smallest allowed number.
        min: i64,
        /// The largest allowed number.
        max: i64,
    },
    /// A number that is not possible at this place.
    #[error("{value} is not {needed}")]
    Number {
        /// The number as written.
        value: String,
        /// The possible numbers.
        needed: &'static str,
    },
    /// A word that is not among the allowed ones.
    #[error("\"{found}\" is unknown; needed {}", .allowed.join(", "))]
    Choice {
        /// The word.
        found: String,
        /// The allowed words.
        allowed: Vec<&'static str>,
    },
    /// A list of the wrong length.
    #[error("found {found} value{}, needed {needed}", if *.found == 1 { "" } else { "s" })]
    Count {
        /// The length found.
        found: usize,
        /// The length needed.
        needed: String,
    },
    /// The same thing twice.
    #[error("{what} is given twice, first in line {line}")]
    Twice {
        /// The thing.
        what: String,
        /// The line of the first.
        line: u32,
    },
    /// Two keys that exclude each other.
    #[error("it cannot stand together with {other}")]
    Conflict {
        /// The other key.
        other: &'static str,
    },
    /// An impossible surface.
    #[error("{0}")]
    Memory(#[from] MemoryError),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}

impl Problem {
    /// What is wrong with a file.
    pub(super) fn file(path: &Path, error: impl fmt::Display) -> Problem {
        Problem::File { path: path.to_path_buf(), error: error.to_string() }
    }
    /// Why a file cannot be read.
    pub(super) fn read(path: &Path, error: impl fmt::Display) -> Problem {
        Problem::Read { path: path.to_path_buf(), error: error.to_string() }
    }
}
