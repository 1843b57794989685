//! `ctm.run_many`.

use crate::arguments::{self, Arguments, Call};
use crate::engines;
use crate::error::{Fail, caught};
use crate::given;
use crate::program::Program;
use crate::result::Result;
use crate::watched::watched;
use ctm::engine::many::{Chunk, MOST_LAUNCHES};
use ctm::engine::{Engine, LaunchError, Outcome};
use ctm::launch::FloatMode;
use ctm::memory::Memory;
use parking_lot::Mutex;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;
use pyo3::types::{PyIterator, PyString};
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
    /// The launches that have run, or could not be prepared.
    ran: vec::IntoIter<PyResult<(Arguments, Ran)>>,
    /// What the iterator of launches raised after them.
    raised: Option<PyErr>,
}

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
/// The first result takes up to 1,024 launches from the iterable, fewer if they have much memory, and runs them; the
/// one after their results takes the next. So there may be any number of launches, and no result depends on another
/// launch.
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
        let state = Mutex::new(State { launches, ran: Vec::new().into_iter(), raised: None });
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
        if let Some(ran) = state.ran.next() {
            return Ok(Some(ran));
        }
        // What ends this call ends the launches.
        if let Some(launches) = state.launches.take() {
            self.run(launches.bind(py), &mut state)?;
        }
        match state.ran.next() {
            None => state.raised.take().map_or(Ok(None), Err),
            ran => Ok(ran),
        }
    }

    /// Takes a batch of launches, and runs it.
    fn run(&self, launches: &Bound<'_, PyIterator>, state: &mut State) -> PyResult<()> {
        let py = launches.py();
        let (mut prepared, mut chunk) = (Vec::new(), Chunk::default());
        let mut rest = launches.clone();
        // They are errors of no launch, and do not wait.
        let is_signal = |error: &PyErr| !error.is_instance_of::<PyException>(py);
        state.launches = loop {
            if prepared.len() == MOST_LAUNCHES || chunk.is_full() {
                break Some(launches.clone().unbind());
            }
            match rest.next() {
                Some(Ok(launch)) => match self.prepare(&launch, &mut chunk) {
                    Err(error) if is_signal(&error) => return Err(error),
                    launch => prepared.push(launch),
                },
                Some(Err(error)) if is_signal(&error) => return Err(error),
                Some(Err(error)) => {
                    state.raised = Some(error);
                    break None;
                }
                None => break None,
            }
        };
        let ran = if chunk.is_empty() {
            Vec::new()
        } else {
            watched(py, None, |stop, _| chunk.run(self.engine.as_ref(), stop))
                .inspect_err(|_| state.launches = None)?
        };
        let mut ran = ran.into_iter();
        let paired = prepared.into_iter().map(|prepared| {
            let arguments = prepared?;
            let ran =
                ran.next().ok_or_else(|| Fail::new("the launch was left out of its batch"))?;
            Ok((arguments, ran))
        });
        state.ran = paired.collect::<Vec<_>>().into_iter();
        Ok(())
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
        let given = |part: &&Bound<'_, PyAny>| !part.is_none();
        let call = Call {
            domain: given::domain(domain)?,
            inputs: Some(inputs).filter(given),
            outputs,
            constants: Some(constants).filter(given),
            uniforms: more.first().filter(given),
            varyings: more.get(1).filter(given),
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
