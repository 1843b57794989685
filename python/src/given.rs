//! The arguments of Python's calls. A value that does not fit is a `ctm.Error` with the argument's name.

use crate::error::Fail;
use ctm::launch::{Domain, MAX_BOUND};
use pyo3::exceptions::{PyException, PyMemoryError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyMapping, PyString};
use std::collections::HashMap;
use std::fmt::Display;
use std::num::NonZeroU64;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The longest part of a value in a message, in characters.
const SHOWN: usize = 80;

/// The most items of a mapping: a program has fewer registers, and a job names fewer files.
const MAX_ITEMS: usize = 1 << 16;

/// The most paths of a list.
const MAX_PATHS: usize = 1 << 22;

/// Declares functions for `from_py_with`: the argument, its type, and what it needs.
macro_rules! arguments {
    ($($key:literal $function:ident: $type:ty, $needed:literal;)*) => {
        $(pub fn $function(value: &Bound<'_, PyAny>) -> PyResult<$type> {
            of($key, value, &$needed)
        })*
    };
}

arguments! {
    "adapter" adapter: Option<String>, "the name or the number of an adapter, as a string";
    "mode" own_mode: Option<String>, "\"exact\", \"fast\" or \"chip\"";
    "stats" stats: bool, "True or False";
    "limit" limit: Option<NonZeroU64>, "an integer from 1 to 18446744073709551615";
    "points" points: Option<u64>, "an integer from 0 to 18446744073709551615";
    "name" own_name: Option<String>, "a name";
    "kind" kind: Option<String>, "the name of a kind";
    "index" index: Option<usize>, "an integer from 0 on";
    "precise" precise: bool, "True or False";
    "friendly" friendly: bool, "True or False";
    "source" source: PathBuf, "the text or the bytes of a program, or a path";
    "size" size: (u32, u32), "two integers: columns, rows";
    "text" text: String, "a text";
    "path" path: PathBuf, "a path";
    "root" root: Option<PathBuf>, "the path of a folder";
    "coherence" coherence: bool, "True or False";
    "gpu_bytes" gpu_bytes: u64, "a number of bytes";
    "sys_bytes" sys_bytes: u64, "a number of bytes";
    "address" address: u32, "an integer from 0 to 4294967295";
    "umrt" umrt: Option<bool>, "True, False or None";
    "umrt" own_umrt: bool, "True or False";
    "count" count: u64, "a number of bytes";
    "launch" launch: u64, "the number of a launch, from 0 on";
}

pub fn engine<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    of("engine", value, &"the name of an engine")
}

pub fn mode<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    of("mode", value, &"\"exact\", \"fast\" or \"chip\"")
}

pub fn language<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    of("language", value, &"\"glsl\" or \"wgsl\"")
}

pub fn name<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    of("name", value, &"a name")
}

pub fn rules<'a>(value: &'a Bound<'_, PyAny>) -> PyResult<&'a str> {
    of("rules", value, &"\"values\" or \"bits\"")
}

/// The path of a job file.
pub fn subject(key: &str, value: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    of(key, value, &"a Job, the path of a job file, or a Program")
}

/// A time limit.
pub fn timeout(value: &Bound<'_, PyAny>) -> PyResult<Option<Duration>> {
    let needed = &"a number of seconds above 0";
    let seconds: Option<f64> = of("timeout", value, needed)?;
    let limit = |seconds: f64| {
        let limit = Duration::try_from_secs_f64(seconds).ok().filter(|limit| !limit.is_zero());
        limit.ok_or_else(|| refused("timeout", value, needed))
    };
    seconds.map(limit).transpose()
}

/// The word of a register, which `key` names.
pub fn word(key: &str, value: &Bound<'_, PyAny>) -> PyResult<u32> {
    of(key, value, &"an integer from 0 to 4294967295")
}

/// The scale of a picture.
pub fn scale(value: &Bound<'_, PyAny>) -> PyResult<u32> {
    let scale: u32 = of("scale", value, &"an integer from 1 to 64")?;
    match scale {
        1..=64 => Ok(scale),
        _ => Err(refused("scale", value, &"an integer from 1 to 64")),
    }
}

/// A domain: four bounds, inclusive.
pub fn domain(value: &Bound<'_, PyAny>) -> PyResult<Domain> {
    let wrong = || refused("domain", value, &"four integers: i0, j0, i1, j1, inclusive");
    // One more than are needed, of a sequence without an end.
    let items = value.try_iter().map_err(|_| wrong())?.take(5);
    let bounds = items.map(|bound| bound?.extract::<i64>());
    let bounds: Vec<i64> = bounds.collect::<PyResult<_>>().map_err(|_| wrong())?;
    let [i0, j0, i1, j1] = bounds[..] else { return Err(wrong()) };
    let bound = |name: &str, bound: i64| {
        u32::try_from(bound).ok().filter(|&bound| bound <= MAX_BOUND).ok_or_else(|| {
            Fail::of_key("domain", format!("{name} is {bound}, needed 0 to {MAX_BOUND}"))
        })
    };
    let (i0, j0) = (bound("i0", i0)?, bound("j0", j0)?);
    Ok(Domain { i0, j0, i1: bound("i1", i1)?, j1: bound("j1", j1)? })
}

/// The same, if it is not `None`.
pub fn own_domain(value: &Bound<'_, PyAny>) -> PyResult<Option<Domain>> {
    if value.is_none() { Ok(None) } else { domain(value).map(Some) }
}

/// The items of a sequence or of another iterable, at most `most`. They are counted as they come: what an object says
/// of its length may be wrong, and it may have no end.
pub fn counted<'py>(value: &Bound<'py, PyAny>, most: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let mut items = Vec::new();
    for item in value.try_iter()? {
        if items.len() == most {
            return Err(PyValueError::new_err(format!("it has more than {most} items")));
        }
        items.push(item?);
    }
    Ok(items)
}

/// The values of a sequence that is no text.
fn listed<'py, T>(
    key: &str,
    value: &Bound<'py, PyAny>,
    most: usize,
    needed: &dyn Display,
    of: impl Fn(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    if value.is_instance_of::<PyString>() {
        return Err(refused(key, value, needed));
    }
    let items = counted(value, most).map_err(|error| unreadable(key, value, needed, error))?;
    items.iter().map(of).collect()
}

/// The names of samplers.
pub fn linear(value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    let needed = &"a list of names of samplers";
    listed("linear", value, MAX_ITEMS, needed, |name| of("linear", name, needed))
}

/// Paths.
pub fn paths(value: &Bound<'_, PyAny>) -> PyResult<Vec<PathBuf>> {
    let needed = &"a list of paths";
    listed("paths", value, MAX_PATHS, needed, |path| of("paths", path, needed))
}

/// The bytes of files by their paths.
pub fn files(value: &Bound<'_, PyAny>) -> PyResult<HashMap<PathBuf, Arc<[u8]>>> {
    let needed = &"the bytes of files by their paths";
    let file = |(path, bytes): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
        let path = of("files", &path, needed)?;
        let bytes = bytes.cast::<PyBytes>().map_err(|_| refused("files", &bytes, needed))?;
        Ok((path, bytes.as_bytes().into()))
    };
    items("files", Some(value))?.into_iter().map(file).collect()
}

/// The items that a mapping has now: what reads a value may change the mapping.
pub fn items<'py>(
    key: &str,
    value: Option<&Bound<'py, PyAny>>,
) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    let Some(value) = value else { return Ok(Vec::new()) };
    let needed = &"a dict, or another mapping";
    let mapping = value.cast::<PyMapping>().map_err(|_| refused(key, value, needed))?;
    let unread = |error| unreadable(key, value, needed, error);
    let items = mapping.call_method0("items").and_then(|items| counted(&items, MAX_ITEMS));
    items.map_err(unread)?.iter().map(|item| item.extract().map_err(unread)).collect()
}

/// The value of an argument.
fn of<'a, 'py, T: FromPyObject<'a, 'py>>(
    key: &str,
    value: &'a Bound<'py, PyAny>,
    needed: &dyn Display,
) -> PyResult<T> {
    value.extract().map_err(|error: T::Error| {
        let error: PyErr = error.into();
        if stays(value.py(), &error) { error } else { refused(key, value, needed) }
    })
}

/// The error of a value that an argument does not take.
pub fn refused(key: &str, value: &Bound<'_, PyAny>, needed: &dyn Display) -> PyErr {
    Fail::of_key(key, format!("found {}, needed {needed}", shown(value))).into()
}

/// The error of a value that cannot be read, as `error` says. Memory that is missing and signals stay
/// what they are.
pub fn unreadable(
    key: &str,
    value: &Bound<'_, PyAny>,
    needed: &dyn Display,
    error: PyErr,
) -> PyErr {
    let py = value.py();
    if stays(py, &error) {
        return error;
    }
    let text = format!("found {}, needed {needed} ({})", shown(value), error.value(py));
    let refused = PyErr::from(Fail::of_key(key, text));
    refused.set_cause(py, Some(error));
    refused
}

/// Whether an error says nothing about a value: memory that is missing, and signals.
fn stays(py: Python<'_>, error: &PyErr) -> bool {
    error.is_instance_of::<PyMemoryError>(py) || !error.is_instance_of::<PyException>(py)
}

/// A value for messages.
pub fn shown(value: &Bound<'_, PyAny>) -> String {
    let text = repr(value).map_or_else(
        |_| format!("an object of {}", value.get_type()),
        |text| text.to_string_lossy().split_whitespace().collect::<Vec<_>>().join(" "),
    );
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text,
    }
}

/// The beginning of what Python prints for a value. Lists in one another may print much more than they take.
fn repr<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyString>> {
    static REPR: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let repr = REPR.get_or_try_init(py, || {
        let repr = py.import("reprlib")?.call_method0("Repr")?;
        let sizes = ["list", "tuple", "dict", "set", "frozenset", "deque", "array"];
        let longest = ["string", "long", "other"].map(|kind| (kind, 4 * SHOWN));
        for (kind, most) in sizes.map(|kind| (kind, SHOWN / 2)).into_iter().chain(longest) {
            repr.setattr(format!("max{kind}"), most)?;
        }
        repr.setattr("maxlevel", 2)?;
        Ok::<_, PyErr>(repr.unbind())
    })?;
    Ok(repr.bind(py).call_method1("repr", (value,))?.cast_into()?)
}

/// An empty list with room for `count` values.
pub fn room<T>(key: &str, count: usize) -> Result<Vec<T>, Fail> {
    let mut values = Vec::new();
    match values.try_reserve_exact(count) {
        Ok(()) => Ok(values),
        Err(_) => Err(Fail::of_memory(key, format_args!("{count} values"))),
    }
}
