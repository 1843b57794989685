//! `ctm.Job`.

use crate::arguments;
use crate::array::arrays;
use crate::engines;
use crate::error::{Fail, caught};
use crate::given;
use crate::result::{Fault, Result, Summary, counted};
use crate::watched::watched;
use ctm::engine::{Statistics, Stop, Stopped};
use ctm::files::{self, Root};
use ctm::job::{self, JobFiles, Role, RunOptions, SharedFiles};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rayon::prelude::*;
use std::collections::HashMap;
use std::io;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The largest array or program file to read.
const MAX_FILE: u64 = ctm::array::npy::MAX_FILE;

/// A job file with everything that it needs to run: `Job.read` makes one.
///
/// Args:
///     text: the text of the job file.
///     path: its name, for messages and for the paths in it.
///     files: the bytes of the files that it names, by their paths.
///     root: the folder outside which no source of its programs is opened.
///
/// >>> job = ctm.Job("""version = 1
/// ... program = { file = "double.dpp" }
/// ... domain = { i0 = 0, j0 = 0, i1 = 7, j1 = 7 }
/// ... output = [{ slot = 0, format = "FLOAT32_2" }]
/// ... """, "job.toml", {"double.dpp": b"add o0, r0, r0"})
/// >>> job.run().outputs[0][3, 5].tolist()
/// [10.0, 6.0]
#[pyclass(frozen, module = "ctm")]
pub struct Job {
    job: job::Job,
    /// The text and the files, for pickle.
    text: String,
    files: HashMap<PathBuf, Arc<[u8]>>,
    /// The folder outside which no source of its programs is opened.
    root: Option<Root>,
    digest: u128,
}

#[pymethods]
impl Job {
    /// Read a job file and every file that it names.
    ///
    /// Args:
    ///     path: the job file.
    ///     root: a folder; files outside are refused.
    ///
    /// >>> job = ctm.Job.read("kernels/saxpy/saxpy.toml")  # doctest: +SKIP
    #[staticmethod]
    #[pyo3(signature = (path, *, root=None))]
    fn read(
        py: Python<'_>,
        #[pyo3(from_py_with = given::path)] path: PathBuf,
        #[pyo3(from_py_with = given::root)] root: Option<PathBuf>,
    ) -> PyResult<Job> {
        caught(|| {
            let read = |stop: &Stop| -> std::result::Result<Job, Fail> {
                let root = confined(root, Root::new)?;
                let shared = root.clone().map_or_else(SharedFiles::new, SharedFiles::within);
                // Errors in the job are found with the files that it may read.
                job::Job::read_shared(&path, &shared, stop)?;
                let text = job::Job::text(&path, &shared)?;
                let mut files = HashMap::new();
                for name in JobFiles::of(&text, &path).reads {
                    let bytes = files::read(&name, MAX_FILE).map_err(|error| {
                        Fail::new(format!("cannot read {}: {error}", name.display()))
                    })?;
                    files.insert(name, bytes.into());
                }
                Job::of(text, path, files, root, stop)
            };
            Ok(watched(py, None, |stop, _| read(stop))??)
        })
    }

    #[new]
    #[pyo3(signature = (text, path, files, root=None))]
    fn new(
        py: Python<'_>,
        #[pyo3(from_py_with = given::text)] text: String,
        #[pyo3(from_py_with = given::path)] path: PathBuf,
        #[pyo3(from_py_with = given::files)] files: HashMap<PathBuf, Arc<[u8]>>,
        #[pyo3(from_py_with = given::root)] root: Option<PathBuf>,
    ) -> PyResult<Job> {
        caught(|| {
            // The folder may be one of the machine that pickled the job.
            let root = confined(root, Root::anywhere)?;
            Ok(watched(py, None, |stop, _| Job::of(text, path, files, root, stop))??)
        })
    }

    #[allow(clippy::type_complexity, reason = "the arguments of `new`")]
    fn __getnewargs__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(&str, String, Bound<'py, PyDict>, Option<String>)> {
        let files = PyDict::new(py);
        for (path, bytes) in &self.files {
            files.set_item(path.display().to_string(), PyBytes::new(py, bytes))?;
        }
        let root = self.root.as_ref().map(|root| root.folder().display().to_string());
        Ok((&self.text, self.job.file.display().to_string(), files, root))
    }

    /// The path of the job file.
    #[getter]
    fn path(&self) -> String {
        self.job.file.display().to_string()
    }

    /// The description in the job.
    #[getter]
    fn about(&self) -> &str {
        &self.job.about
    }

    /// Warnings about the job and its programs.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.job.warnings.clone()
    }

    /// The number of launches.
    #[getter]
    fn launches(&self) -> u64 {
        self.job.launches()
    }

    /// The points of all launches.
    #[getter]
    fn points(&self) -> u64 {
        let points = |pass: &job::Pass| pass.domain.points().saturating_mul(pass.repeat.into());
        self.job.passes.iter().map(points).fold(0, u64::saturating_add)
    }

    /// A hash of the contents of the job and of the files that it reads, in hexadecimal.
    #[getter]
    fn digest(&self) -> String {
        format!("{:032x}", self.digest)
    }

    /// Run the job. It writes no files: the arrays of its outputs are in the result.
    ///
    /// The keys of the outputs are names that the job gives: of `[[output]]` its `name` or the number of its
    /// `slot`, of `[[buffer]]` its name.
    ///
    /// Args:
    ///     engine, adapter: as in `Program.run`.
    ///     mode: "exact", "fast" or "chip". Default: what the job says.
    ///     stats: whether to count instructions and fetches.
    ///     limit: the instructions that a group may run. Default: what the job says.
    #[pyo3(signature = (*, engine="auto", adapter=None, mode=None, stats=false, limit=None))]
    fn run(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = given::engine)] engine: &str,
        #[pyo3(from_py_with = given::adapter)] adapter: Option<String>,
        #[pyo3(from_py_with = given::own_mode)] mode: Option<String>,
        #[pyo3(from_py_with = given::stats)] stats: bool,
        #[pyo3(from_py_with = given::limit)] limit: Option<NonZeroU64>,
    ) -> PyResult<Result> {
        caught(|| {
            let engine = engines::open(engine, adapter.as_deref())?;
            let options = RunOptions {
                mode: mode.as_deref().map(arguments::mode).transpose()?,
                instructions: limit.map(NonZeroU64::get),
                statistics: stats,
            };
            let result =
                watched(py, None, |stop, _| self.job.run(engine.as_ref(), &options, stop))?;
            let result = result.map_err(Fail::from)?;
            let statistics: Option<Statistics> = result.statistics;
            let mut summary = Summary {
                faults: Vec::new(),
                statistics,
                ran: Vec::new(),
                hazards: result.hazards.clone(),
                warnings: result.warnings.clone(),
                launches: result.launches,
                swept: false,
            };
            let many = result.launches > 1;
            for found in result.job_faults(&self.job) {
                let launch = result.faulted.get(&found.code).copied().unwrap_or_default();
                summary.faults.push(Fault::of(found.code, &found.fault, launch, many, found.image));
            }
            result.ran.iter().for_each(|share| summary.add_share(share));
            if summary.ran.is_empty() {
                summary.ran.push((result.engine.to_string(), result.launches, None));
            }
            let buffers =
                self.job.buffers.iter().enumerate().filter(|(_, buffer)| buffer.is_output());
            let numbers: Vec<usize> = buffers.map(|(n, _)| n).collect();
            let surfaces: Vec<_> = numbers.iter().map(|&n| result.surfaces[n]).collect();
            let arrays = arrays(py, result.memory, &surfaces, true)?;
            let outputs = PyDict::new(py);
            for (&n, array) in numbers.iter().zip(arrays) {
                let buffer = &self.job.buffers[n];
                match buffer.role {
                    Role::Output(slot) if buffer.name == format!("output {slot}") => {
                        outputs.set_item(slot, array)?;
                    }
                    _ => outputs.set_item(&buffer.name, array)?,
                }
            }
            summary.result(py, outputs, PyDict::new(py))
        })
    }

    fn __repr__(&self) -> String {
        let launches = counted(self.launches(), "launch", "launches");
        format!("<ctm.Job {}: {launches}>", self.path())
    }
}

/// The digest of each job file, as `Job.digest`, and its work: points x instructions, without loops. A
/// job that cannot be read has work 1; it fails when it runs.
#[pyfunction]
pub fn look(
    py: Python<'_>,
    #[pyo3(from_py_with = given::paths)] paths: Vec<PathBuf>,
) -> PyResult<Vec<(String, u64)>> {
    caught(|| {
        let looked = watched(py, None, |stop, _| {
            let shared = SharedFiles::new();
            let look = |path: &PathBuf| -> std::result::Result<(String, u64), Stopped> {
                stop.check()?;
                let Ok(text) = job::Job::text(path, &shared) else {
                    return Ok((format!("{:032x}", 0), 1));
                };
                let digest = JobFiles::of(&text, path).digest(&text, &shared);
                let work = |pass: &job::Pass| {
                    let instructions = pass.program.instructions().len() as u64;
                    pass.domain
                        .points()
                        .saturating_mul(pass.repeat.into())
                        .saturating_mul(instructions)
                };
                let job = job::Job::parse_shared(&text, path, &shared, stop);
                let work =
                    job.map_or(0, |job| job.passes.iter().map(work).fold(0, u64::saturating_add));
                Ok((format!("{digest:032x}"), work.max(1)))
            };
            paths.par_iter().map(look).collect::<std::result::Result<Vec<_>, _>>()
        })?;
        Ok(looked.map_err(|stopped| Fail::new(stopped.to_string()))?)
    })
}

/// The folder of an argument, as `open` opens it.
fn confined(
    root: Option<PathBuf>,
    open: impl Fn(&Path) -> io::Result<Root>,
) -> std::result::Result<Option<Root>, Fail> {
    let open = |root: PathBuf| {
        open(&root).map_err(|error| Fail::new(format!("{}: {error}", root.display())))
    };
    root.map(open).transpose()
}

impl Job {
    fn of(
        text: String,
        path: PathBuf,
        files: HashMap<PathBuf, Arc<[u8]>>,
        root: Option<Root>,
        stop: &Stop,
    ) -> std::result::Result<Job, Fail> {
        let shared = SharedFiles::holding(files.clone(), root.clone());
        let job = job::Job::parse_shared(&text, &path, &shared, stop)?;
        let digest = JobFiles::of(&text, Path::new(&path)).digest(&text, &shared);
        Ok(Job { job, text, files, root, digest })
    }

    pub fn job(&self) -> &job::Job {
        &self.job
    }
}
