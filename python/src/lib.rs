//! The Python module `ctm._ctm`: the library's calls with Python's values. The package `ctm`
//! (`python/ctm`) exports it.
//!
//! * `array`: arrays of Python as the machine's surfaces, and the machine's memory as arrays.
//! * `arguments`: the arguments of `run`, `map` and `check` as a launch.
//! * `watched`: work without the interpreter's lock, which Ctrl-C stops.
//! * `error`: the library's errors as `ctm.Error`.
//! * `program`, `job`, `device`, `result`, `check`: the classes.

mod arguments;
mod array;
mod check;
mod device;
mod engines;
mod error;
mod job;
mod program;
mod result;
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
    use super::job::{Job, look};
    #[pymodule_export]
    use super::program::{Program, assemble};
    #[pymodule_export]
    use super::result::{Fault, Result};
}
