//! What can be wrong with a job file, and where.

use crate::array::WrongArray;
use crate::array::npy::NpyError;
use crate::array::root::Refused;
use crate::engine::{LaunchError, Stopped};
use crate::load::Kind;
use crate::memory::MemoryError;
use std::fmt;
use std::path::{Path, PathBuf};

/// An error in a job file: the file, the line, the key, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobError {
    /// The job file.
    pub file: PathBuf,
    /// The line, from 1; `None` where it is about the file as a whole.
    pub line: Option<u32>,
    /// The key with all that it is in, such as "pass\[0\].domain.i1"; empty at the top.
    pub key: String,
    /// What is wrong.
    pub problem: Box<Problem>,
}

impl JobError {
    /// What is wrong with a file as a whole.
    pub(super) fn of_file(file: &Path, problem: Problem) -> JobError {
        JobError {
            file: file.to_path_buf(),
            line: None,
            key: String::new(),
            problem: Box::new(problem),
        }
    }

    /// Why the job was stopped, if that is what ended it.
    pub fn stopped(&self) -> Option<Stopped> {
        match *self.problem {
            Problem::Launch { error: LaunchError::Stopped(why), .. } => Some(why),
            _ => None,
        }
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

// The text holds that of the problem: no `source`, which would say it twice.
impl std::error::Error for JobError {}

fn list_known(names: &[String]) -> String {
    if names.is_empty() {
        ": the job has no [[buffer]]".to_string()
    } else {
        format!("; the buffers are {}", names.join(", "))
    }
}

/// What is wrong with a key of a job file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A launch could not be run, or was stopped.
    #[error("{repetition}{error}")]
    Launch {
        /// Which one of a pass that has several, with a colon; else empty.
        repetition: String,
        /// What the engine says.
        error: LaunchError,
    },
    /// A file cannot be read.
    #[error("cannot read {}: {error}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system says.
        error: String,
    },
    /// A file that may not be read or written.
    #[error("{}: {reason}", .path.display())]
    Refused {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: Refused,
    },
    /// The file that should be a job is a program.
    #[error("found a program of kind {}, needed a job: `ctm info`, `ctm disasm` and `ctm translate` \
             take programs, and a job runs one with program = {{ file = \"{name}\" }}", .kind.name())]
    IsProgram {
        /// What kind of program.
        kind: Kind,
        /// The file's name, without its folder.
        name: String,
    },
    /// The job file is not UTF-8 text.
    #[error("offset {offset:#x}: the file is not UTF-8 text")]
    NotText {
        /// The first bad byte.
        offset: usize,
    },
    /// The job file is no TOML.
    #[error("{0}")]
    Syntax(String),
    /// A key that has no meaning there.
    #[error("unknown key; the keys here are {}", .allowed.join(", "))]
    UnknownKey {
        /// All keys that may stand there.
        allowed: Vec<&'static str>,
    },
    /// A key that must be there and is not.
    #[error("missing; it is required{context}")]
    Missing {
        /// Under which circumstances, from the leading blank on.
        context: &'static str,
    },
    /// A value of another type.
    #[error("found {found}, needed {needed}")]
    Type {
        /// What it is.
        found: &'static str,
        /// What it must be.
        needed: &'static str,
    },
    /// A number outside its range.
    #[error("{value} is out of range: {min} to {max} are allowed")]
    Range {
        /// The number as written.
        value: String,
        /// The smallest that is allowed.
        min: i64,
        /// The largest.
        max: i64,
    },
    /// A number that is not possible there.
    #[error("{value} is not {needed}")]
    Number {
        /// The number as written.
        value: String,
        /// What is possible.
        needed: &'static str,
    },
    /// A word that is not one of those possible.
    #[error("\"{found}\" is unknown; needed {}", .allowed.join(", "))]
    Choice {
        /// The word.
        found: String,
        /// Those possible.
        allowed: Vec<&'static str>,
    },
    /// A list of the wrong length.
    #[error("found {found} value{}, needed {needed}", if *.found == 1 { "" } else { "s" })]
    Count {
        /// Its length.
        found: usize,
        /// The length needed.
        needed: String,
    },
    /// The same thing twice.
    #[error("{what} is given twice, first in line {line}")]
    Twice {
        /// The thing.
        what: String,
        /// Line of the first.
        line: u32,
    },
    /// An output that would take the place of what the run is made from.
    #[error("{} is {what}, which would be replaced", .path.display())]
    Replaced {
        /// The output.
        path: PathBuf,
        /// What it is now.
        what: &'static str,
    },
    /// Two keys that exclude each other.
    #[error("it cannot stand together with {other}")]
    Conflict {
        /// The other key.
        other: &'static str,
    },
    /// A mask other than that of an earlier output.
    #[error("\"{found}\" differs from \"{first}\" in line {line}: one mask holds for all outputs")]
    Masks {
        /// This mask.
        found: String,
        /// The earlier one.
        first: String,
        /// Its line.
        line: u32,
    },
    /// A name that no `[[buffer]]` has.
    #[error("there is no buffer \"{name}\"{}", list_known(.known))]
    NoBuffer {
        /// The name.
        name: String,
        /// The names there are, quoted.
        known: Vec<String>,
    },
    /// An `[[expect]]` of something that the job does not have.
    #[error("the job has no {0}")]
    Absent(String),
    /// Registers or `umrt` for a program that brings its own.
    #[error("{} brings its own: only programs without a container take it", .path.display())]
    Container {
        /// The program's file.
        path: PathBuf,
    },
    /// A program that cannot be loaded or is not valid.
    #[error("{}: {error}", .path.display())]
    Program {
        /// Its file.
        path: PathBuf,
        /// Why.
        error: String,
    },
    /// A file that is no array.
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
    /// A surface that cannot be.
    #[error("{0}")]
    Memory(#[from] MemoryError),
    /// Anything else.
    #[error("{0}")]
    Other(String),
}
