//! Errors in job files, and where they are.

use crate::array::WrongArray;
use crate::array::npy::NpyError;
use crate::array::root::Refused;
use crate::engine::{LaunchError, Stopped};
use crate::load::Kind;
use crate::memory::MemoryError;
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
    /// An error about the file as a whole.
    pub(super) fn of_file(file: &Path, problem: Problem) -> JobError {
        JobError {
            file: file.to_path_buf(),
            line: None,
            key: String::new(),
            problem: Box::new(problem),
        }
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
        write!(f, " {}", self.problem)
    }
}

// The text includes the problem's; a `source` would repeat it.
impl std::error::Error for JobError {}

fn list_known(names: &[String]) -> String {
    if names.is_empty() {
        ": the job has no [[buffer]]".to_string()
    } else {
        format!("; the buffers are {}", names.join(", "))
    }
}

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
    /// A file that must not be read or written.
    #[error("{}: {reason}", .path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: Refused,
    },
    /// The file is a program, not a job.
    #[error("found a program of kind {}, needed a job: `ctm info`, `ctm disasm` and `ctm translate` \
             take programs, and a job runs one with program = {{ file = \"{name}\" }}", .kind.name())]
    IsProgram {
        /// The kind of the program.
        kind: Kind,
        /// The file's name, without its folder.
        name: String,
    },
    /// The job file is not UTF-8 text.
    #[error("offset {offset:#x}: the file is not UTF-8 text")]
    NotText {
        /// The offset of the first bad byte.
        offset: usize,
    },
    /// The job file is not TOML.
    #[error("{0}")]
    Syntax(String),
    /// A key that has no meaning at this place.
    #[error("unknown key; the keys here are {}", .allowed.join(", "))]
    UnknownKey {
        /// All keys allowed there.
        allowed: Vec<&'static str>,
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
    /// An output would replace a file that the run is made from.
    #[error("{} is {what}, which would be replaced", .path.display())]
    Replaced {
        /// The output.
        path: PathBuf,
        /// What that file is.
        what: &'static str,
    },
    /// Two keys that exclude each other.
    #[error("it cannot stand together with {other}")]
    Conflict {
        /// The other key.
        other: &'static str,
    },
    /// A mask that differs from that of an earlier output.
    #[error("\"{found}\" differs from \"{first}\" in line {line}: one mask holds for all outputs")]
    Masks {
        /// This mask.
        found: String,
        /// The earlier mask.
        first: String,
        /// The earlier mask's line.
        line: u32,
    },
    /// A name that no `[[buffer]]` has.
    #[error("there is no buffer \"{name}\"{}", list_known(.known))]
    NoBuffer {
        /// The name.
        name: String,
        /// The existing names, quoted.
        known: Vec<String>,
    },
    /// An `[[expect]]` about something that the job does not have.
    #[error("the job has no {0}")]
    Absent(String),
    /// Registers or `umrt` for a program whose container has its own.
    #[error("{} brings its own: only programs without a container take it", .path.display())]
    Container {
        /// The program's file.
        path: PathBuf,
    },
    /// A program that cannot be loaded or is not valid.
    #[error("{}: {error}", .path.display())]
    Program {
        /// The program's file.
        path: PathBuf,
        /// The error.
        error: String,
    },
    /// A file that is not an array.
    #[error("{}: {error}", .path.display())]
    Npy {
        /// The file.
        path: PathBuf,
        /// Why.
        error: NpyError,
    },
    /// An array of the wrong type or shape.
    #[error("{}: {error}", .path.display())]
    Array {
        /// The file.
        path: PathBuf,
        /// What it is and what it must be.
        error: WrongArray,
    },
    /// An address that is not a multiple of 2 KiB.
    #[error("0x{address:x} is not a multiple of 2048")]
    Alignment {
        /// The address.
        address: u64,
    },
    /// A surface that reaches beyond the arena.
    #[error("0x{address:x} and {bytes} bytes from there do not fit the GPU arena of {size} bytes")]
    Beyond {
        /// The address.
        address: u64,
        /// Bytes of the surface.
        bytes: u64,
        /// Bytes of the arena.
        size: u64,
    },
    /// An impossible surface.
    #[error("{0}")]
    Memory(#[from] MemoryError),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}
