//! `ctm.run_many`.

use crate::arguments::{self, Arguments, Call};
use crate::engines;
use crate::error::{Fail, caught};
use crate::given;
use crate::program::Program;
use crate::result::Result;
use crate::watched::beside;
use ctm::engine::many::{Chunk, MOST_LAUNCHES};
use ctm::engine::{Engine, LaunchError, Outcome, Stop};
use ctm::launch::FloatMode;
use ctm::memory::Memory;
use parking_lot::Mutex;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString};
use std::mem;
use std::num::NonZeroU64;
use std::sync::Arc;
use std::vec;

type Ran = std::result::Result<(Outcome, Memory), LaunchError>;

/// The results of `run_many`, in the order of the launches: an iterator.
#[pyclass(frozen, module = "ctm")]
pub struct Results {
    engine: Arc<dyn Engine>,
    mode: FloatMode,
    stats: bool,
    limit: Option<NonZeroU64>,
    state: Mutex<State>,
}

struct State {
    /// The launches that are left, unless there are none.
    launches: Option<Py<PyIterator>>,
    next: Batch,
    /// The launches that have run, or could not be prepared.
    ran: vec::IntoIter<PyResult<(Arguments, Ran)>>,
    /// The exception of the iterator of launches, raised after them.
    raised: Option<PyErr>,
}

/// Launches of which none has run.
#[derive(Default)]
struct Batch {
    /// All of them, also those that could not be prepared.
    launches: Vec<PyResult<Arguments>>,
    /// The others, ready to run.
    chunk: Chunk,
}

/// The most launches of a batch: one runs while the next one is prepared.
const BATCH: usize = MOST_LAUNCHES / 2;

/// Run launches, whose programs may all differ, as batches.
///
/// Args:
///     launches: an iterable of launches. Each is a sequence (program, domain, inputs, outputs, constants), or with
///         (..., uniforms, varyings) of a shader: the arguments of `Program.run`. None leaves one out.
///     engine, adapter, mode, stats, limit: of all launches, as in `Program.run`.
///
/// Returns: an iterator of what `Program.run` gives for each launch, in their order: a `Result`, or the exception
/// that it raises, as a value. What the iterable raises is raised after the results of the launches before it.
///
/// The iterable is at most 1,024 launches ahead of the results, fewer if they have much memory: while a batch of them
/// runs, the next one is taken and prepared. So there may be any number of launches.
///
/// >>> programs = [ctm.Program(f"add o0, r0, {n}.0") for n in (1, 2)]
/// >>> launches = ((program, (0, 0, 7, 7), {}, {0: "FLOAT32_4"}, {}) for program in programs)
/// >>> [result.outputs[0][0, 5, 0].item() for result in ctm.run_many(launches)]
/// [6.0, 7.0]
#[pyfunction]
#[pyo3(signature = (launches, *, engine="auto", adapter=None, mode="exact", stats=false, limit=None))]
pub fn run_many(
    launches: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = given::engine)] engine: &str,
    #[pyo3(from_py_with = given::adapter)] adapter: Option<String>,
    #[pyo3(from_py_with = given::mode)] mode: &str,
    #[pyo3(from_py_with = given::stats)] stats: bool,
    #[pyo3(from_py_with = given::limit)] limit: Option<NonZeroU64>,
) -> PyResult<Results> {
    caught(|| {
        let mode = arguments::mode(mode)?;
        let engine = engines::open(engine, adapter.as_deref())?;
        let needed = &"an iterable of launches";
        let launches = launches
            .try_iter()
            .map_err(|error| given::unreadable("launches", launches, needed, error))?;
        let launches = Some(launches.unbind());
        let (next, ran) = (Batch::default(), Vec::new().into_iter());
        let state = Mutex::new(State { launches, next, ran, raised: None });
        Ok(Results { engine, mode, stats, limit, state })
    })
}

#[pymethods]
impl Results {
    fn __iter__(slf: Py<Results>) -> Py<Results> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let ran = caught(|| self.next(py))?;
        let Some(ran) = ran else { return Ok(None) };
        let result = caught(|| {
            let (arguments, ran) = ran?;
            let image = arguments.launch.program.image();
            let (outcome, memory) = ran.map_err(|error| Fail::of_launch("", &error, image))?;
            Bound::new(py, Result::of_run(py, &arguments, outcome, memory, Vec::new())?)
        });
        match result {
            Ok(result) => Ok(Some(result.into_any())),
            Err(error) if error.is_instance_of::<PyException>(py) => {
                Ok(Some(error.into_value(py).into_bound(py).into_any()))
            }
            Err(error) => Err(error),
        }
    }
}

impl Results {
    /// The next launch that has run.
    fn next(&self, py: Python<'_>) -> PyResult<Option<PyResult<(Arguments, Ran)>>> {
        let Some(mut state) = self.state.try_lock() else {
            // Waiting might be for what the caller's own iterator is asked for here.
            let text = "another thread, or the iterator of launches, is asking for a result";
            return Err(Fail::new(text).into());
        };
        if state.ran.len() == 0 {
            self.run(py, &mut state).inspect_err(|_| state.launches = None)?;
        }
        match state.ran.next() {
            None => state.raised.take().map_or(Ok(None), Err),
            ran => Ok(ran),
        }
    }

    /// Runs a batch, and prepares the next one meanwhile.
    fn run(&self, py: Python<'_>, state: &mut State) -> PyResult<()> {
        let mut batch = mem::take(&mut state.next);
        if batch.launches.is_empty() {
            batch = self.batch(py, state)?;
        }
        if batch.launches.is_empty() {
            return Ok(());
        }
        let Batch { launches, chunk } = batch;
        let run =
            |stop: &Stop, _: &(dyn Fn(u64, u64) + Sync)| chunk.run(self.engine.as_ref(), stop);
        let (ran, next) = beside(py, None, run, |py| caught(|| self.batch(py, state)))?;
        state.next = next;
        let mut ran = ran.into_iter();
        let paired = launches.into_iter().map(|launch| {
            let arguments = launch?;
            let ran =
                ran.next().ok_or_else(|| Fail::new("the launch was left out of its batch"))?;
            Ok((arguments, ran))
        });
        state.ran = paired.collect::<Vec<_>>().into_iter();
        Ok(())
    }

    /// Takes launches from the iterator, and prepares them.
    fn batch(&self, py: Python<'_>, state: &mut State) -> PyResult<Batch> {
        let mut batch = Batch::default();
        // They are errors of no launch, and do not wait.
        let is_signal = |error: &PyErr| !error.is_instance_of::<PyException>(py);
        while batch.launches.len() < BATCH
            && !batch.chunk.is_full()
            && let Some(launches) = &state.launches
        {
            match launches.bind(py).clone().next() {
                Some(Ok(launch)) => match self.prepare(&launch, &mut batch.chunk) {
                    Err(error) if is_signal(&error) => return Err(error),
                    launch => batch.launches.push(launch),
                },
                Some(Err(error)) if is_signal(&error) => return Err(error),
                Some(Err(error)) => {
                    state.raised = Some(error);
                    state.launches = None;
                }
                None => state.launches = None,
            }
        }
        Ok(batch)
    }

    /// Adds a launch to a batch.
    fn prepare(&self, launch: &Bound<'_, PyAny>, chunk: &mut Chunk) -> PyResult<Arguments> {
        let needed =
            &"a launch: (program, domain, inputs, outputs, constants), or with uniforms, varyings";
        let refused = || given::refused("launches", launch, needed);
        if launch.is_instance_of::<PyString>() {
            return Err(refused());
        }
        let parts = given::counted(launch, 7)
            .map_err(|error| given::unreadable("launches", launch, needed, error))?;
        let [program, domain, inputs, outputs, constants, more @ ..] = &parts[..] else {
            return Err(refused());
        };
        let program = program
            .cast::<Program>()
            .map_err(|_| given::refused("program", program, &"a Program"))?;
        let is_given = |part: &&Bound<'_, PyAny>| !part.is_none();
        let call = Call {
            domain: given::domain(domain)?,
            inputs: Some(inputs).filter(is_given),
            outputs,
            constants: Some(constants).filter(is_given),
            uniforms: more.first().filter(is_given),
            varyings: more.get(1).filter(is_given),
            mode: self.mode.name(),
            stats: self.stats,
            limit: self.limit,
            many: false,
        };
        let arguments = Arguments::of(program.get().verified(), &call)?;
        chunk.push(arguments.launch.clone(), arguments.memory().map_err(Fail::from)?);
        Ok(arguments)
    }
}
