//! `ctm.Job`.

use crate::arguments;
use crate::array::arrays;
use crate::engines;
use crate::error::{Fail, caught};
use crate::given;
use crate::result::{Fault, Result, Summary, counted};
use crate::watched::watched;
use ctm::engine::{Statistics, Stop};
use ctm::files::{self, Root};
use ctm::job::packed::{self, About, Pack, PackError, Packer};
use ctm::job::{self, JobText, Role, RunOptions, SharedFiles};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
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
    origin: Origin,
    /// The folder outside which no source of its programs is opened.
    root: Option<Root>,
    digest: u128,
}

/// The part of a job that pickle keeps.
enum Origin {
    /// The text and the files.
    Text { text: String, files: HashMap<PathBuf, Arc<[u8]>> },
    /// The number of its record in a pack.
    Packed { pack: PathBuf, record: u64 },
}

#[pymethods]
impl Job {
    /// Read a job file and every file that it names, or a job of a pack.
    ///
    /// Args:
    ///     path: the job file, or the pack.
    ///     record: the number of the job's record in the pack; `ctm.ray.batch` takes all jobs of a pack.
    ///     root: a folder; files outside are refused.
    ///
    /// A job of a pack that is pickled is read again from there: its pack must be there.
    ///
    /// >>> job = ctm.Job.read("kernels/saxpy/saxpy.toml")  # doctest: +SKIP
    #[staticmethod]
    #[pyo3(signature = (path, record=None, root=None))]
    fn read(
        py: Python<'_>,
        #[pyo3(from_py_with = given::path)] path: PathBuf,
        record: Option<u64>,
        #[pyo3(from_py_with = given::root)] root: Option<PathBuf>,
    ) -> PyResult<Job> {
        caught(|| {
            let read = |stop: &Stop| -> std::result::Result<Job, Fail> {
                let root = confined(root, Root::new)?;
                let shared = root.clone().map_or_else(SharedFiles::new, SharedFiles::within);
                if let Some(record) = record {
                    let pack = Pack::open(&path, &shared).map_err(of_pack)?;
                    let digest = pack.about(record).map_err(of_pack)?.digest;
                    let job = pack.job(record, &shared)?;
                    return Ok(Job {
                        job,
                        origin: Origin::Packed { pack: path, record },
                        root,
                        digest,
                    });
                }
                // Errors in the job are found with the files that it may read.
                let text = JobText::read(&path, &shared)?;
                text.job(&shared, stop)?;
                let mut files = HashMap::new();
                for name in text.files().reads {
                    let bytes = files::read(&name, MAX_FILE).map_err(|error| {
                        Fail::new(format!("cannot read {}: {error}", name.display()))
                    })?;
                    files.insert(name, bytes.into());
                }
                Job::of(text, files, root, stop)
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
            Ok(watched(py, None, |stop, _| Job::of(JobText::new(text, &path), files, root, stop))??)
        })
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let class = py.get_type::<Job>().into_any();
        let root = self.root.as_ref().map(|root| root.folder().display().to_string());
        match &self.origin {
            Origin::Text { text, files: held } => {
                let files = PyDict::new(py);
                for (path, bytes) in held {
                    files.set_item(path.display().to_string(), PyBytes::new(py, bytes))?;
                }
                Ok((class, (text, self.path(), files, root).into_pyobject(py)?))
            }
            Origin::Packed { pack, record } => {
                let read = class.getattr("read")?;
                Ok((read, (pack.display().to_string(), *record, root).into_pyobject(py)?))
            }
        }
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
        hexadecimal(self.digest)
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

/// The properties of a job before it runs: its name, the file that it is in as it was given, the number of its record in
/// a pack, its digest as `Job.digest`, and its work.
type Looked = (String, String, Option<u64>, String, u64);

/// The jobs of job files and packs, in order. Their work is points x instructions, without loops. A job that cannot be
/// read has work 1; it fails when it runs.
#[pyfunction]
pub fn look(
    py: Python<'_>,
    #[pyo3(from_py_with = given::paths)] paths: Vec<PathBuf>,
) -> PyResult<Vec<Looked>> {
    caught(|| {
        let looked = watched(py, None, |stop, _| -> std::result::Result<Vec<Looked>, Fail> {
            let shared = SharedFiles::new();
            let look = |path: &PathBuf| -> std::result::Result<Vec<Looked>, Fail> {
                let go_on = || stop.check().map_err(|stopped| Fail::new(stopped.to_string()));
                let file = path.display().to_string();
                if !Pack::is(path, &shared) {
                    go_on()?;
                    let text = JobText::read(path, &shared).ok();
                    let digest =
                        text.as_ref().map_or(0, |text| text.digest(&text.files(), &shared));
                    let job = text.and_then(|text| text.job(&shared, stop).ok());
                    return Ok(vec![(file.clone(), file, None, hexadecimal(digest), work(job))]);
                }
                let pack = Pack::open(path, &shared).map_err(of_pack)?;
                let of_record = |record: u64| {
                    go_on()?;
                    let About { name, digest, .. } = pack.about(record).map_err(of_pack)?;
                    let job = pack.job(record, &shared).ok();
                    Ok((name, file.clone(), Some(record), hexadecimal(digest), work(job)))
                };
                pack.jobs().map_err(of_pack)?.into_par_iter().map(of_record).collect()
            };
            let looked: Vec<Vec<Looked>> =
                paths.par_iter().map(look).collect::<std::result::Result<_, _>>()?;
            Ok(looked.concat())
        })?;
        Ok(looked?)
    })
}

/// Put job files and everything that they name into one file, as the command `ctm pack` does.
///
/// Args:
///     jobs: the job files.
///     path: the pack.
///
/// >>> ctm.pack(["a.toml", "b.toml"], "jobs.pack")  # doctest: +SKIP
#[pyfunction]
pub fn pack(
    py: Python<'_>,
    #[pyo3(from_py_with = given::paths)] jobs: Vec<PathBuf>,
    #[pyo3(from_py_with = given::path)] path: PathBuf,
) -> PyResult<()> {
    caught(|| {
        let (shared, folder) = (SharedFiles::new(), packed::folder(&path));
        let (mut refused, file) = (None, path.display().to_string());
        let wrote = watched(py, None, |stop, _| {
            files::write_with(&path, |to| {
                let mut packer = Packer::new(to)?;
                let added = packer.add_files(&jobs, folder.as_deref(), &shared, stop)?;
                if let Err(error) = added {
                    refused = Some(error);
                    return Err(io::ErrorKind::InvalidInput.into());
                }
                packer.finish().map(drop)
            })
        })?;
        if let Some(error) = refused {
            return Err(Fail::from(error).into());
        }
        Ok(wrote.map_err(|error| Fail::new(format!("cannot write {file}: {error}")))?)
    })
}

fn of_pack(error: PackError) -> Fail {
    Fail::new(error.to_string())
}

fn hexadecimal(digest: u128) -> String {
    format!("{digest:032x}")
}

fn work(job: Option<job::Job>) -> u64 {
    let work = |pass: &job::Pass| {
        let instructions = pass.program.instructions().len() as u64;
        pass.domain.points().saturating_mul(pass.repeat.into()).saturating_mul(instructions)
    };
    let all = job.map_or(0, |job| job.passes.iter().map(work).fold(0, u64::saturating_add));
    all.max(1)
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
        text: JobText,
        files: HashMap<PathBuf, Arc<[u8]>>,
        root: Option<Root>,
        stop: &Stop,
    ) -> std::result::Result<Job, Fail> {
        let shared = SharedFiles::holding(files.clone(), root.clone());
        let job = text.job(&shared, stop)?;
        let digest = text.digest(&text.files(), &shared);
        Ok(Job { job, origin: Origin::Text { text: text.into(), files }, root, digest })
    }

    pub fn job(&self) -> &job::Job {
        &self.job
    }
}
