//! Job files: one text that describes a run completely.
//!
//! [`Job::read`] parses a file, checks everything in it, and loads its programs and arrays. The job
//! can then run any number of times, on any engine, without touching a file. [`Job::run`] runs it;
//! [`Job::check`] compares the result with the `[[expect]]` entries.
//!
//! * `text`: a file's text, parsed once for all that is asked of it. `parse`: the file's structure; `surface`, `values` and `program`: its parts; `node`: the TOML
//!   tree that they read, with the line of every value; `loader`: the files that the job names.
//! * `registers`: the registers that a job names; `ranges`: bounds of their values; `sharing`: those that groups share.
//! * `run`: memory, launches, read-back; [`JobResult`]; `report`: what is reported of it. `pack`: many small jobs at once. `pictures`: pictures after a run and along the way.
//! * `check`: expectations. `sample`: a job for a program alone, with data from a seed.
//! * `write`: texts of new jobs, of launches and of programs; `bless`: expectations made from a result.
//! * `copies`: a larger job of the same work, for benchmarks.
//! * `shared`: files that several jobs name; `files`: which files a job reads and writes, and how
//!   much memory it takes.
//! * `packed`: many jobs in one file, which is read without those that they name.
//!
//! The short form (`[program]`, `[[input]]`, `[[output]]`, ...) is one pass over unnamed buffers;
//! only the parser distinguishes the two forms.

use crate::array::compare::Tolerance;
use ctm_lang::program::{ConstantKind, Program};
use ctm_machine::engine::FaultCode;
use ctm_machine::launch::{Constants, Domain, FloatMode, Initial, Limits, Location, Test};
use ctm_machine::memory::{Format, Tiling, Wrap};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

mod bless;
mod check;
mod copies;
mod error;
mod files;
mod loader;
mod node;
mod pack;
pub mod packed;
mod parse;
mod pictures;
mod program;
mod ranges;
mod registers;
mod report;
mod result;
mod run;
pub mod sample;
pub mod shader;
mod shared;
mod sharing;
mod surface;
mod text;
mod values;
pub mod write;

pub use bless::Blessing;
pub use check::CheckResult;
pub use error::{JobError, Problem, caught};
pub use files::{JobFiles, is_job};
pub use pack::run_pack;
pub use parse::MAX_FILE;
pub use pictures::{Pictures, numbered, turned};
pub use ranges::ValueRange;
pub use report::{JobReport, ReportLine, Status};
pub use result::{JobFault, JobResult, Seconds, Share, measured};
pub use run::{RunOptions, RunProgress};
pub use shared::SharedFiles;
pub use sharing::{JobSharing, array as sharing_array};
pub use text::JobText;

/// A checked job with everything it needs. Its form for serde is a part of a [pack](packed): without its name, its
/// programs and its arrays.
///
/// # Examples
/// A job whose files are in memory; [`Job::read`] reads one from disk.
/// ```
/// use ctm_jobs::job::{Job, RunOptions, SharedFiles};
/// use ctm_machine::engine::{NoProgress, Stop, block::Block};
/// use std::{collections::HashMap, path::Path, sync::Arc};
///
/// let program = b".input source i0\n ld r1, source[r0.rg]\n add o0, r1, r1".as_slice();
/// let files = HashMap::from([("double.dpp".into(), Arc::from(program))]);
/// let files = SharedFiles::holding(files, None);
/// let text = r#"
///     version = 1
///     program = { file = "double.dpp" }
///     domain = { i0 = 0, j0 = 0, i1 = 3, j1 = 1 }
///     [[input]]
///     slot = 0
///     fill = [1.5, 2, -3, 0.25]
///     width = 4
///     height = 2
///     format = "FLOAT32_4"
///     [[output]]
///     slot = 0
///     format = "FLOAT32_4"
/// "#;
/// let job = Job::parse_shared(text, Path::new("double.toml"), &files, Stop::never())?;
/// assert_eq!(job.buffers[1].name, "output 0");
/// let result = job.run(&Block::new(), &RunOptions::default(), &NoProgress)?;
/// let output = result.raster(1)?;
/// assert_eq!((output.width, output.height), (4, 2));
/// assert_eq!(output.units[..4], [3.0, 4.0, -6.0, 0.5].map(f32::to_bits));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Job {
    /// The file it came from.
    #[serde(skip)]
    pub file: PathBuf,
    /// A description; may be empty.
    pub about: String,
    /// The arithmetic mode.
    pub mode: FloatMode,
    /// Limits of the run.
    pub limits: Limits,
    /// All surfaces.
    pub buffers: Vec<Buffer>,
    /// The passes, in the order in which they run.
    #[serde(deserialize_with = "packed::passes::deserialize")]
    pub passes: Vec<Pass>,
    /// The shared registers, if a program uses data sharing.
    pub sharing: Option<JobSharing>,
    /// The expected results.
    pub expects: Vec<Expect>,
    /// Warnings about the job and its programs.
    pub warnings: Vec<String>,
    /// The time it took to load and verify its programs, if it was measured.
    #[serde(skip)]
    pub compile: Option<Duration>,
}

impl Job {
    /// The same with another program in its first pass.
    pub fn with_program(&self, program: Arc<Program>) -> Job {
        let mut job = self.clone();
        if let Some(pass) = job.passes.first_mut() {
            pass.program = program;
        }
        job
    }
}

/// The part of the file that describes a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// The contents of a buffer before the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// Zeros.
    Zero,
    /// The same element everywhere, in stored units.
    Fill([u32; 4]),
    /// An array in stored units, row by row.
    Array(#[serde(skip)] Arc<Vec<u32>>),
}

/// A surface of a job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Buffer {
    /// Its name in the file or the program; without one, "input 3", "output 0", "condition".
    pub name: String,
    /// The part of the file that describes it.
    pub role: Role,
    /// The format of an element.
    pub format: Format,
    /// The layout in memory.
    pub tiling: Tiling,
    /// Elements per row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// The pitch, in elements.
    pub pitch: u32,
    /// Address in the GPU arena, if the file gives one.
    pub address: Option<u32>,
    /// The rule for fetches outside the surface.
    pub wrap: Wrap,
    /// The contents before the run.
    pub content: Content,
    /// Whether the contents come from a picture.
    pub of_picture: bool,
    /// The file for its array after the run.
    pub save: Option<PathBuf>,
    /// Its pictures.
    pub pictures: Pictures,
    /// Its location in the job file.
    pub location: FileLocation,
}

/// A location in the job file, for errors that are found after parsing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileLocation {
    /// The line, counted from 1; 0 if the job comes from no file.
    pub line: u32,
    /// The key.
    pub key: String,
    /// The lines of its keys that later errors can be about.
    #[serde(with = "packed::keys")]
    pub keys: Vec<(&'static str, u32)>,
}

impl FileLocation {
    /// The line of one of its keys, or its own line if that key is missing.
    pub fn line_of(&self, key: &str) -> u32 {
        let found = self.keys.iter().find(|(name, _)| *name == key);
        found.map_or(self.line, |&(_, line)| line)
    }
}

/// One or more launches of a program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pass {
    /// The program.
    #[serde(skip, default = "packed::no_program")]
    pub program: Arc<Program>,
    /// Its file.
    pub program_file: PathBuf,
    /// The points that run.
    pub domain: Domain,
    /// The constants, including the program's own literals.
    #[serde(with = "packed::constants")]
    pub constants: Arc<Constants>,
    /// The parts that differ between its repetitions.
    pub each: Each,
    /// Input slots and the names (indices into `buffers`) bound to them.
    pub inputs: Vec<(u32, usize)>,
    /// Output slots, likewise.
    pub outputs: Vec<(u32, usize)>,
    /// The condition; `None`: unchanged from the pass before.
    pub condition: Option<PassCondition>,
    /// The channels that are written; `None`: unchanged from the pass before.
    pub mask: Option<u8>,
    /// Temporaries with initial data.
    #[serde(with = "packed::temps")]
    pub initial: Vec<Initial>,
    /// The number of repetitions.
    pub repeat: u32,
    /// Two names that are swapped after each repetition.
    pub swap: Option<(usize, usize)>,
    /// Bounds of its values, for proofs. A pack does not have them.
    #[serde(skip)]
    pub ranges: Vec<ValueRange>,
    /// Its location in the job file.
    pub location: FileLocation,
}

impl Pass {
    /// One launch without surfaces; everything else is unchanged from the pass before.
    pub fn new(
        program: Arc<Program>,
        program_file: PathBuf,
        domain: Domain,
        constants: Arc<Constants>,
        location: FileLocation,
    ) -> Pass {
        Pass {
            program,
            program_file,
            domain,
            constants,
            each: Each::default(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            condition: None,
            mask: None,
            initial: Vec::new(),
            repeat: 1,
            swap: None,
            ranges: Vec::new(),
            location,
        }
    }
}

/// The parts of a pass that differ between its repetitions.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Each {
    /// Constants with a value for each repetition, as in a literal of a program.
    pub constants: Vec<(ConstantKind, usize, Vec<[u32; 4]>)>,
    /// Input slots with a name (an index into `buffers`) for each repetition.
    pub inputs: Vec<(u32, Vec<usize>)>,
}

impl Each {
    /// Whether all repetitions are alike.
    pub fn is_empty(&self) -> bool {
        self.constants.is_empty() && self.inputs.is_empty()
    }
}

/// The conditional operation of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassCondition {
    /// The name bound to the conditional buffer; `None`: no buffer.
    pub buffer: Option<usize>,
    /// The test.
    pub test: Test,
    /// The location of the test: PE or DPP.
    pub location: Location,
    /// The PE's value.
    pub value: u32,
    /// Whether the buffer is written.
    pub write: bool,
}

/// An expected result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Expect {
    /// The result that it is about.
    pub subject: Subject,
    /// Its location in the job file.
    pub location: FileLocation,
}

/// The subject of an expectation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Subject {
    /// The contents of an array at the end.
    Array {
        /// The array.
        of: Results,
        /// The expected array.
        file: PathBuf,
        /// The points that count, an array (height, width); `None`: all.
        mask: Option<PathBuf>,
        /// The tolerance.
        tolerance: Tolerance,
    },
    /// A fault that must occur.
    Fault(FaultCode),
}

/// An array that a job leaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Results {
    /// The final contents of a name: its index in [`Job::buffers`].
    Buffer(usize),
    /// The global registers.
    Shared,
}
