//! The library's errors as `ctm.Error`.

use ctm::engine::{EngineError, LaunchError, Stopped};
use ctm::job::{JobError, Problem};
use ctm::load::LoadError;
use ctm::memory::MemoryError;
use ctm::program::{Image, VerifyErrors};
use ctm::text::{Mark, TextError, TextErrors};
use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyType};

/// An error with what is known of its place; it becomes a `ctm.Error`.
#[derive(Debug, Default)]
pub struct Fail {
    message: String,
    file: Option<String>,
    line: Option<u32>,
    /// All errors of a source, and the warnings beside them.
    source: Option<Box<TextErrors>>,
    key: Option<String>,
    pc: Option<u32>,
    /// Whether there is no memory: then it becomes a `MemoryError`.
    memory: bool,
}

impl Fail {
    pub fn new(message: impl Into<String>) -> Fail {
        Fail { message: message.into(), ..Fail::default() }
    }
    /// An error of a launch of a program. `before` begins the message.
    pub fn of_launch(before: &str, error: &LaunchError, image: &Image) -> Fail {
        let pc = match *error {
            LaunchError::NotSet { pc, .. } => Some(pc),
            _ => None,
        };
        let place = pc.and_then(|pc| image.location(pc));
        Fail {
            message: format!("{before}{error}"),
            file: place.map(|place| place.file.path.clone()),
            line: place.map(|place| place.line),
            pc,
            ..Fail::default()
        }
    }
    /// There is no memory for something of the argument `key`.
    pub fn of_memory(key: &str, what: impl std::fmt::Display) -> Fail {
        Fail { memory: true, ..Fail::of_key(key, format!("no memory for {what}")) }
    }
    /// An error of an argument, such as `inputs.source`.
    pub fn of_key(key: &str, message: impl std::fmt::Display) -> Fail {
        Fail { message: format!("{key}: {message}"), key: Some(key.into()), ..Fail::default() }
    }
}

/// Calls the library. A panic is a mistake of the library and an error like others; PyO3 alone would raise what
/// `except Exception` misses.
pub fn caught<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    ctm::panics::catch(work).unwrap_or_else(|panic| Err(Fail::new(panic.to_string()).into()))
}

/// A message of the library in the words of Python: arguments instead of the command's options.
pub fn vocabulary(text: &str) -> String {
    const WORDS: [(&str, &str); 5] = [
        ("--adapter or CTM_ADAPTER", "adapter= or CTM_ADAPTER"),
        ("--adapter", "adapter="),
        ("--engine", "engine="),
        ("--set or a job gives", "constants= gives"),
        ("(--limit, [limits])", "(limit=)"),
    ];
    WORDS.iter().fold(text.to_string(), |text, (from, to)| text.replace(from, to))
}

/// Errors or warnings of a source as dicts.
fn listed<'py>(py: Python<'py>, errors: &[TextError]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for error in errors {
        let (one, Mark { line, column, end }) = (PyDict::new(py), error.mark());
        one.set_item("line", line)?;
        one.set_item("column", column)?;
        one.set_item("end", end)?;
        one.set_item("message", &error.message)?;
        one.set_item("help", &error.help)?;
        list.append(one)?;
    }
    Ok(list)
}

impl From<Fail> for PyErr {
    fn from(fail: Fail) -> PyErr {
        static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
        Python::attach(|py| {
            if fail.memory {
                return PyMemoryError::new_err(fail.message);
            }
            let make = || {
                let class = CLASS.import(py, "ctm._error", "Error")?;
                let places = PyDict::new(py);
                places.set_item("file", fail.file)?;
                places.set_item("line", fail.line)?;
                let source = fail.source.as_deref();
                let errors = source.map_or(&[][..], TextErrors::errors);
                if let Some(mark) = errors.first().map(TextError::mark) {
                    places.set_item("column", mark.column)?;
                    places.set_item("end", mark.end)?;
                }
                places.set_item("errors", listed(py, errors)?)?;
                let warnings = source.map_or(&[][..], TextErrors::warnings);
                places.set_item("warnings", listed(py, warnings)?)?;
                places.set_item("key", fail.key)?;
                places.set_item("pc", fail.pc)?;
                class.call((vocabulary(&fail.message),), Some(&places))
            };
            make().map_or_else(|error| error, PyErr::from_value)
        })
    }
}

impl From<JobError> for Fail {
    fn from(error: JobError) -> Fail {
        Fail {
            message: error.to_string(),
            file: Some(error.file.display().to_string()),
            line: error.line,
            memory: matches!(*error.problem, Problem::Memory(MemoryError::HostMemory { .. })),
            key: Some(error.key).filter(|key| !key.is_empty()),
            ..Fail::default()
        }
    }
}

impl From<VerifyErrors> for Fail {
    fn from(error: VerifyErrors) -> Fail {
        let pc = error.errors.first().and_then(|error| error.pc);
        let place = error.source.get().zip(pc).and_then(|(map, pc)| map.location(pc));
        Fail {
            message: error.to_string(),
            file: place.map(|place| place.file.path.clone()),
            line: place.map(|place| place.line),
            pc,
            ..Fail::default()
        }
    }
}

impl Fail {
    /// A program file that cannot be loaded. `name` is its name in errors.
    pub fn of_load(error: &LoadError, name: &str) -> Fail {
        let source = match error {
            LoadError::Asm(errors) => Some(Box::new(errors.clone())),
            _ => None,
        };
        let first = source.as_ref().and_then(|source| source.errors().first());
        let line = first.map(|error| error.line as u32);
        // Errors in a text name the file themselves. What they begin with is the exception's name.
        let message = match (error, error.to_string()) {
            (LoadError::Asm(_), text) => text.strip_prefix("Error: ").unwrap_or(&text).to_string(),
            (_, text) => format!("{name}: {text}"),
        };
        Fail { message, file: Some(name.into()), line, source, ..Fail::default() }
    }
}

impl From<MemoryError> for Fail {
    fn from(error: MemoryError) -> Fail {
        let memory = matches!(error, MemoryError::HostMemory { .. });
        Fail { memory, ..Fail::new(error.to_string()) }
    }
}

macro_rules! plain {
    ($($error:ty),*) => { $(
        impl From<$error> for Fail {
            fn from(error: $error) -> Fail {
                Fail::new(error.to_string())
            }
        }
    )* };
}

plain!(EngineError, Stopped);
