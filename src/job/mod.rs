//! Job files: one text that describes a run completely.
//!
//! [`Job::read`] parses a file, checks everything in it, and loads its programs and arrays, so
//! that the job can then run any number of times, on any engine, without touching a file.
//! [`Job::run`] runs it; [`Job::check`] compares the result with the `[[expect]]` entries.
//!
//! * `parse`: the file's structure; `surface`, `values` and `program`: its parts.
//! * `run`: memory, launches, read-back; [`JobResult`].
//! * `check`: expectations.
//! * `shared`: files that several jobs name; `files`: which files a job reads and writes, and how much
//!   memory it takes.
//!
//! The short form (`[program]`, `[[input]]`, `[[output]]`, ...) is one pass over buffers that have
//! no names; the two forms differ in the parser only.

use crate::array::compare::Tolerance;
use crate::engine::FaultCode;
use crate::launch::{Constants, Domain, FloatMode, Initial, Limits, Location, Test};
use crate::memory::{Format, Tiling, Wrap};
use crate::program::Program;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

mod check;
mod error;
mod files;
mod parse;
mod program;
mod result;
mod run;
mod shared;
mod surface;
mod table;
mod values;

pub use check::CheckResult;
pub use error::{JobError, Problem};
pub use files::JobFiles;
pub use result::{JobResult, Ran, Seconds};
pub(crate) use run::Room;
pub use run::{IgnoreProgress, RunOptions, RunProgress};
pub use shared::SharedFiles;

/// A checked job with everything that it needs.
#[derive(Clone, Debug)]
pub struct Job {
    /// The file it came from.
    pub file: PathBuf,
    /// What it is about; may be empty.
    pub about: String,
    /// The arithmetic that it asks for.
    pub mode: FloatMode,
    /// Bounds of the run.
    pub limits: Limits,
    /// All surfaces.
    pub buffers: Vec<Buffer>,
    /// What runs, in order.
    pub passes: Vec<Pass>,
    /// What should come out.
    pub expects: Vec<Expect>,
    /// What is odd about it and its programs.
    pub warnings: Vec<String>,
    /// How long its programs took to load and verify.
    pub compile: Duration,
}

/// What a buffer is to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// `[[input]]` of the short form.
    Input(u32),
    /// `[[output]]` of the short form.
    Output(u32),
    /// `[condition]` of the short form.
    Condition,
    /// `[[buffer]]`.
    Named,
}

/// What memory holds before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Zeros.
    Zero,
    /// The same element everywhere, stored units.
    Fill([u32; 4]),
    /// An array: stored units, row by row.
    Array(Arc<Vec<u32>>),
}

/// A surface of a job.
#[derive(Clone, Debug)]
pub struct Buffer {
    /// The name that it has in the file, or "input 3", "output 0", "condition".
    pub name: String,
    /// What it is to the file.
    pub role: Role,
    /// What an element is.
    pub format: Format,
    /// How it lies in memory.
    pub tiling: Tiling,
    /// Elements per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Distance of rows in elements.
    pub pitch: u32,
    /// Place in the GPU arena, if it is given.
    pub address: Option<u32>,
    /// What fetches outside read.
    pub wrap: Wrap,
    /// What it holds before the run.
    pub content: Content,
    /// Where its array goes after the run.
    pub save: Option<PathBuf>,
    /// Where its picture goes after the run.
    pub image: Option<PathBuf>,
    /// Where the file describes it.
    pub place: Place,
}

/// A place in the job file, for errors that are found later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line, from 1.
    pub line: u32,
    /// The key.
    pub key: String,
    /// The lines of the keys in it, where errors about them may be found later.
    pub keys: Vec<(String, u32)>,
}

impl Place {
    /// The line of a key in it; that of the place itself if the key is not there.
    pub fn line_of(&self, key: &str) -> u32 {
        let found = self.keys.iter().find(|(name, _)| name == key);
        found.map_or(self.line, |&(_, line)| line)
    }
}

/// One or more launches of a program.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The program.
    pub program: Arc<Program>,
    /// Its file.
    pub program_file: PathBuf,
    /// The points.
    pub domain: Domain,
    /// The constants; the program's own literals are among them.
    pub constants: Arc<Constants>,
    /// Input slots and the names (indices of `buffers`) that they are bound to.
    pub inputs: Vec<(u32, usize)>,
    /// Output slots, likewise.
    pub outputs: Vec<(u32, usize)>,
    /// The condition; `None`: as the pass before left it.
    pub condition: Option<PassCondition>,
    /// Channels that are written; `None`: as the pass before left it.
    pub mask: Option<u8>,
    /// Temporaries that start with data.
    pub initial: Vec<Initial>,
    /// How often it runs.
    pub repeat: u32,
    /// Names that change places after each repetition.
    pub swap: Option<(usize, usize)>,
    /// Where the file describes it.
    pub place: Place,
}

/// The conditional operation of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PassCondition {
    /// The name that the conditional buffer is bound to; `None`: no buffer.
    pub buffer: Option<usize>,
    /// The test.
    pub test: Test,
    /// The unit that is tested.
    pub location: Location,
    /// The PE's value.
    pub value: u32,
    /// Whether the buffer is written.
    pub write: bool,
}

/// What the run should give.
#[derive(Clone, Debug)]
pub struct Expect {
    /// What is looked at.
    pub subject: Subject,
    /// Where the file says so.
    pub place: Place,
}

/// What an expectation is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// The final contents of a name.
    Buffer {
        /// Index of the name in `buffers`.
        buffer: usize,
        /// The array that is wanted.
        file: PathBuf,
        /// What counts as equal.
        tolerance: Tolerance,
    },
    /// A fault that must occur.
    Fault(FaultCode),
}
