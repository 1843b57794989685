//! `ctm.prove`.

use crate::error::{Fail, caught};
use crate::given;
use crate::job::Job;
use crate::program::Program;
use crate::watched::watched;
use ctm::job::SharedFiles;
use ctm::program;
use ctm::prove::{Options, Pair, Set};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;
use std::time::Duration;

/// The answer of `ctm.prove`. It is true if the programs were proved equal. `print` shows what the command prints.
#[pyclass(frozen, get_all, module = "ctm")]
pub struct Proof {
    /// "proved", "different", "equal up to rounding" or "not decided".
    answer: Py<PyAny>,
    /// The rules: "values" or "bits".
    rules: &'static str,
    /// The results whose terms differ: dicts with `result`, such as "o0.r", and `terms`, those of both programs.
    differences: Py<PyAny>,
    /// If different, the input: a dict with `seed`, `hard` and `point`.
    input: Py<PyAny>,
    /// If different, the bits of both results; None: not written.
    bits: Py<PyAny>,
    /// If different and the engine confirms it: a dict with its `name`, the `point` and the `bits`.
    engine: Py<PyAny>,
    /// If equal up to rounding, the most that the probability of an error is.
    error: Py<PyAny>,
    /// If not decided, why there are no terms.
    reason: Py<PyAny>,
    /// The text that the command prints.
    text: String,
}

#[pymethods]
impl Proof {
    fn __bool__(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.answer.extract::<String>(py)? == "proved")
    }

    fn __str__(&self) -> &str {
        &self.text
    }

    fn __repr__(&self) -> String {
        // The last line is the answer.
        format!("<ctm.Proof {}>", self.text.lines().last().unwrap_or_default())
    }
}

/// A program, as `prove` takes it.
enum Side {
    /// Whether temporary 0 starts with the point's position.
    Program(Arc<program::Program>, bool),
    Job(Box<ctm::job::Job>),
}

impl Side {
    fn of(key: &str, value: &Bound<'_, PyAny>) -> PyResult<Side> {
        if let Ok(program) = value.cast::<Program>() {
            let program = program.get();
            return Ok(Side::Program(program.verified().clone(), program.starts_with_point()));
        }
        if let Ok(job) = value.cast::<Job>() {
            return Ok(Side::Job(Box::new(job.get().job().clone())));
        }
        let path = given::subject(key, value)?;
        let read = watched(value.py(), None, |stop, _| {
            ctm::job::Job::read_shared(&path, &SharedFiles::new(), stop)
        });
        Ok(Side::Job(Box::new(read?.map_err(Fail::from)?)))
    }
}

/// Prove that two programs give equal results for all inputs, as `ctm compare --prove` does, or find an input for which
/// they do not.
///
/// Args:
///     a, b: each a `Program`, a `Job`, or the path of a job file. Jobs have one launch and give the constants; a
///         program beside a job gets the job's. Without jobs constants are unknown, the same for both; two shaders
///         share uniforms, varyings and samplers by name.
///     rules: "values": as a compiler of GLSL may: signs of zero, NaN, infinity and denormals do not count, every
///         rounding does; "bits": every bit counts, in mode exact.
///     timeout: seconds, after which the answer is "not decided". Default: none.
///
/// Returns: a `Proof`.
///
/// >>> ctm.prove(ctm.Program("mul o0, r1, 2"), ctm.Program("add o0, r1, r1"))
/// <ctm.Proof proved: equal for all inputs, by the rules `values`>
#[pyfunction]
#[pyo3(signature = (a, b, *, rules="values", timeout=None))]
pub fn prove(
    py: Python<'_>,
    a: &Bound<'_, PyAny>,
    b: &Bound<'_, PyAny>,
    #[pyo3(from_py_with = given::rules)] rules: &str,
    #[pyo3(from_py_with = given::timeout)] timeout: Option<Duration>,
) -> PyResult<Proof> {
    caught(|| {
        let needed = "\"values\" or \"bits\"";
        let set = Set::from_name(rules)
            .ok_or_else(|| Fail::of_key("rules", format!("\"{rules}\": expected {needed}")))?;
        let pair = match (Side::of("a", a)?, Side::of("b", b)?) {
            (Side::Program(a, x), Side::Program(b, y)) => Ok(Pair::of_programs([a, b], x && y)),
            (Side::Job(a), Side::Job(b)) => Pair::of_jobs([&a, &b], set),
            (Side::Job(a), Side::Program(b, _)) => Pair::of_jobs([&a, &a.with_program(b)], set),
            (Side::Program(a, _), Side::Job(b)) => Pair::of_jobs([&b.with_program(a), &b], set),
        };
        let pair = pair.map_err(|error| Fail::new(error.to_string()))?;
        let options = Options { set, ..Options::default() };
        let proof = watched(py, None, |stop, _| pair.prove(&options, &stop.within(timeout)))?;
        let read = py.import("json")?.call_method1("loads", (proof.to_json().to_string(),))?;
        let read = read.cast_into::<PyDict>()?;
        let value = |name| -> PyResult<Py<PyAny>> {
            Ok(read.get_item(name)?.map_or_else(|| py.None(), Bound::unbind))
        };
        let differences = match read.get_item("differences")? {
            Some(differences) => differences.unbind(),
            None => pyo3::types::PyList::empty(py).into_any().unbind(),
        };
        Ok(Proof {
            answer: value("answer")?,
            rules: set.name(),
            differences,
            input: value("input")?,
            bits: value("bits")?,
            engine: value("engine")?,
            error: value("error")?,
            reason: value("reason")?,
            text: proof.text(),
        })
    })
}
