//! The Python module `ctm._ctm`: the library's calls with Python's values. The package `ctm`
//! (`python/ctm`) exports it.
//!
//! * `array`: arrays of Python as the machine's surfaces, and the machine's memory as arrays.
//! * `given`: the arguments of all calls, with errors that name them.
//! * `arguments`, `constants`: the arguments of `run`, `map` and `check` as a launch.
//! * `watched`: work without the interpreter's lock, which Ctrl-C stops.
//! * `error`: the library's errors as `ctm.Error`.
//! * `program`, `job`, `many`, `device`, `result`, `check`, `prove`: the classes.

mod arguments;
mod array;
mod check;
mod constants;
mod device;
mod engines;
mod error;
mod given;
mod job;
mod many;
mod program;
mod prove;
mod result;
mod shader;
mod source;
mod sweep;
mod watched;

/// The module.
#[pyo3::pymodule]
mod _ctm {
    #[pymodule_export]
    use super::check::{Finding, check};
    #[pymodule_export]
    use super::device::{Device, Report};
    #[pymodule_export]
    use super::job::{Job, pack};
    #[pymodule_export]
    use super::many::{Results, run_many};
    #[pymodule_export]
    use super::program::{Program, assemble};
    #[pymodule_export]
    use super::prove::{Proof, prove};
    #[pymodule_export]
    use super::result::{Fault, Result};
    use pyo3::prelude::*;

    /// The parts that are not exported: they are in no `__all__`.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        // The library's threads are its own: Python shows a panic as an exception.
        ctm::panics::all_are_caught();
        module.setattr("look", wrap_pyfunction!(super::job::look, module)?)?;
        module.setattr("plan", wrap_pyfunction!(super::program::plan, module)?)?;
        module.setattr("__version__", env!("CARGO_PKG_VERSION"))
    }
}
