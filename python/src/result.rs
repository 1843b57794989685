//! Results of runs.

use crate::arguments::Arguments;
use crate::array::{Content, arrays, numpy};
use crate::error::{Fail, caught, vocabulary};
use crate::given;
use ctm::array::Raster;
use ctm::array::picture::{MOST_BYTES, Picture};
use ctm::engine::{self, FaultCode, Ran, Statistics};
use ctm::job::Share;
use ctm::memory::Memory;
use ctm::program::Image;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyType};
use std::ffi::CString;

/// A fault: what went wrong, how often, and where first.
#[pyclass(frozen, module = "ctm")]
#[derive(PartialEq)]
pub struct Fault {
    /// The code, such as "budget".
    #[pyo3(get)]
    code: &'static str,
    /// The number of faults with this code.
    #[pyo3(get)]
    count: u64,
    /// The first point, (i, j).
    #[pyo3(get)]
    point: (u32, u32),
    /// The first instruction.
    #[pyo3(get)]
    pc: u32,
    /// The first input, output or constant; 0 if none is involved.
    #[pyo3(get)]
    slot: u32,
    /// The first address or rejected word; 0 if none is involved.
    #[pyo3(get)]
    word: u32,
    /// The number of the launch, from 0.
    #[pyo3(get)]
    launch: u64,
    /// One line that says all this but the launch.
    line: String,
    /// Whether there were other launches.
    many: bool,
}

#[pymethods]
impl Fault {
    fn __repr__(&self) -> String {
        format!("<ctm.Fault {}>", self.text())
    }

    /// One line that says all this; of several launches, also which one.
    #[getter]
    fn text(&self) -> String {
        if self.many { format!("launch {}: {}", self.launch, self.line) } else { self.line.clone() }
    }

    #[allow(clippy::type_complexity, reason = "a tuple of all members")]
    fn __getnewargs__(&self) -> (&'static str, u64, (u32, u32), u32, u32, u32, u64, &str, bool) {
        let Fault { code, count, point, pc, slot, word, launch, ref line, many } = *self;
        (code, count, point, pc, slot, word, launch, line, many)
    }

    #[new]
    #[allow(clippy::too_many_arguments, reason = "for pickle alone")]
    fn new(
        code: &str,
        count: u64,
        point: (u32, u32),
        pc: u32,
        slot: u32,
        word: u32,
        launch: u64,
        line: String,
        many: bool,
    ) -> PyResult<Fault> {
        let known = FaultCode::ALL.into_iter().map(FaultCode::name).find(|&name| name == code);
        let code =
            known.ok_or_else(|| Fail::of_key("code", format!("\"{code}\" is no fault's code")))?;
        Ok(Fault { code, count, point, pc, slot, word, launch, line, many })
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Fault>().is_ok_and(|other| self == other.get())
    }

    fn __hash__(&self) -> u64 {
        u64::from(self.pc) ^ self.count << 16 ^ self.launch << 32
    }
}

impl Fault {
    /// The fault of a launch; `many`: of one of several.
    pub fn of(
        code: FaultCode,
        fault: &engine::Fault,
        launch: u64,
        many: bool,
        image: &Image,
    ) -> Fault {
        Fault {
            code: code.name(),
            count: fault.count,
            point: (fault.i, fault.j),
            pc: fault.pc,
            slot: fault.slot,
            word: fault.word,
            launch,
            line: fault.text_in(code, image),
            many,
        }
    }
}

/// The result of `Program.run`, `Program.map` or `Job.run`.
///
/// `outputs` has the arrays by the keys that the caller gave; of `map` they have one more leading axis, for
/// the launches. `values` has the constants of a sweep that differ from launch to launch. `faults`,
/// `statistics`, `hazards` and `warnings` say what happened; `ran` which engines ran how many launches.
#[pyclass(frozen, module = "ctm")]
pub struct Result {
    /// The arrays of the outputs, by the keys that the caller gave.
    #[pyo3(get)]
    outputs: Py<PyDict>,
    /// The constants that differ from launch to launch, as the caller gave them.
    #[pyo3(get)]
    values: Py<PyDict>,
    /// The faults.
    #[pyo3(get)]
    faults: Py<PyList>,
    /// The counters by name, if they were asked for.
    #[pyo3(get)]
    statistics: Option<Py<PyDict>>,
    /// The engines that ran: (engine, launches, reason), with a reason if the engine chooses.
    #[pyo3(get)]
    ran: Vec<(String, u64, Option<String>)>,
    /// Reads and writes of a launch that overlap.
    #[pyo3(get)]
    hazards: Vec<String>,
    /// Warnings about the arguments and the program.
    #[pyo3(get)]
    warnings: Vec<String>,
    /// The number of launches.
    #[pyo3(get)]
    launches: u64,
    /// Whether the first axis of the outputs is that of the launches.
    swept: bool,
}

/// The parts of a result besides its arrays.
#[derive(Default)]
pub struct Summary {
    pub faults: Vec<Fault>,
    pub statistics: Option<Statistics>,
    pub ran: Vec<(String, u64, Option<String>)>,
    pub hazards: Vec<String>,
    pub warnings: Vec<String>,
    pub launches: u64,
    /// Whether the launches are those of a sweep.
    pub swept: bool,
}

impl Summary {
    /// Of a sweep that has run nothing yet.
    pub fn of_sweep(arguments: &Arguments) -> Summary {
        Summary { warnings: arguments.warnings.clone(), swept: true, ..Summary::default() }
    }

    /// Adds the outcome of the next launch.
    pub fn add(&mut self, outcome: engine::Outcome, image: &Image) {
        let launch = self.launches;
        self.launches += 1;
        let faults = outcome.faults.iter();
        self.faults
            .extend(faults.map(|(code, fault)| Fault::of(code, fault, launch, self.swept, image)));
        self.statistics = match (self.statistics, outcome.statistics) {
            (Some(mut sum), Some(more)) => {
                sum += more;
                Some(sum)
            }
            (None, more) if launch == 0 => more,
            _ => None,
        };
        let Ran { engine, why, .. } = outcome.ran;
        match self.ran.iter_mut().find(|(name, ..)| name == engine) {
            Some((_, launches, _)) => *launches += 1,
            None => self.ran.push((engine.to_string(), 1, why.map(|why| why.reason))),
        }
        for hazard in outcome.hazards {
            if !self.hazards.contains(&hazard) {
                self.hazards.push(hazard);
            }
        }
    }

    pub fn add_share(&mut self, share: &Share) {
        let Share { engine, why, launches, .. } = share;
        self.ran.push((engine.to_string(), *launches, Some(why.reason.clone())));
    }

    /// The result with these outputs and values of constants. Its warnings are warnings of Python, too.
    pub fn result(
        self,
        py: Python<'_>,
        outputs: Bound<'_, PyDict>,
        values: Bound<'_, PyDict>,
    ) -> PyResult<Result> {
        warn(py, &self.warnings)?;
        let statistics = self.statistics.map(|statistics| counters(py, &statistics));
        Ok(Result {
            outputs: outputs.unbind(),
            values: values.unbind(),
            faults: PyList::new(py, self.faults)?.unbind(),
            statistics: statistics.transpose()?,
            ran: self.ran,
            hazards: self.hazards,
            warnings: self.warnings,
            launches: self.launches,
            swept: self.swept,
        })
    }
}

impl Result {
    /// The result of one launch, from its memory. `targets` are the arrays that take outputs, in their order.
    pub fn of_run<'py>(
        py: Python<'py>,
        arguments: &Arguments,
        outcome: engine::Outcome,
        memory: Memory,
        targets: Vec<Option<Bound<'py, PyAny>>>,
    ) -> PyResult<Result> {
        let mut summary = Summary { warnings: arguments.warnings.clone(), ..Summary::default() };
        summary.add(outcome, arguments.launch.program.image());
        let arrays = arrays(py, memory, &arguments.output_surfaces(), false)?;
        let targets = targets.into_iter().chain(std::iter::repeat(None));
        let outputs = PyDict::new(py);
        for (((key, _), array), target) in arguments.outputs.iter().zip(arrays).zip(targets) {
            if let Some(target) = &target {
                numpy(py, "copyto")?.call1((target, &array))?;
            }
            outputs.set_item(key, target.unwrap_or(array))?;
        }
        summary.result(py, outputs, PyDict::new(py))
    }
}

#[pymethods]
impl Result {
    /// An output as a picture: the bytes of a PNG file. Values from 0 to 1 are black to white; red, green
    /// and blue are the first three channels, a single one is grey.
    ///
    /// Args:
    ///     output: the key of the output. Default: the first.
    ///     launch: the number of the launch of a sweep.
    ///     scale: the side of the square that shows an element, in pixels.
    ///
    /// >>> result = ctm.Program("mul o0, r0, 0.125").run((0, 0, 7, 7), outputs={0: "FLOAT32_4"})
    /// >>> result.picture(scale=4)[1:4]
    /// b'PNG'
    #[pyo3(signature = (output=None, *, launch=0, scale=1))]
    fn picture<'py>(
        &self,
        py: Python<'py>,
        output: Option<&Bound<'py, PyAny>>,
        #[pyo3(from_py_with = given::launch)] launch: u64,
        #[pyo3(from_py_with = given::scale)] scale: u32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        caught(|| {
            let outputs = self.outputs.bind(py);
            let array = match output {
                Some(key) => outputs.get_item(key)?,
                None => outputs.values().iter().next(),
            };
            let array = array.ok_or_else(|| {
                let keys =
                    outputs.keys().repr().map_or_else(|_| String::new(), |keys| keys.to_string());
                Fail::of_key("output", format!("it is not among the outputs, {keys}"))
            })?;
            if launch >= self.launches || launch > 0 && !self.swept {
                let last = if self.swept { self.launches.saturating_sub(1) } else { 0 };
                let text = format!("there is no launch {launch}: expected 0 to {last}");
                return Err(Fail::of_key("launch", text).into());
            }
            let array = if self.swept { array.get_item(launch)? } else { array };
            let picture = picture(&array)?;
            let bytes = picture.bytes.len() as u64 * u64::from(scale).pow(2);
            if bytes > MOST_BYTES {
                let (all, most) = (bytes >> 20, MOST_BYTES >> 20);
                let text = format!("the picture takes {all} MiB, at most {most}");
                return Err(Fail::of_key("scale", text).into());
            }
            let picture = picture.enlarged(scale);
            let mut png = Vec::new();
            picture.write(&mut png).map_err(|error| Fail::new(error.to_string()))?;
            Ok(PyBytes::new(py, &png))
        })
    }

    /// A table with a row for each launch: a dict of lists, by column.
    ///
    /// Its columns are `launch`, the number; the constants that differ, by channel (`step.r`, `step.g`) where
    /// there are several; outputs of one point; and what each of `columns` returns for the outputs of a
    /// launch; `fault`, the text of its first fault, if any launch has one.
    ///
    /// >>> program = ctm.Program("mul o0, r0, c0")
    /// >>> steps = np.array([[1], [2]], "float32")
    /// >>> sweep = program.map((0, 0, 7, 7), outputs={0: "FLOAT32_1"}, constants={"c0": steps})
    /// >>> sweep.to_dict(most=lambda outputs: float(outputs[0].max()))
    /// {'launch': [0, 1], 'c0': [1.0, 2.0], 'most': [7.0, 14.0]}
    #[pyo3(signature = (**columns))]
    fn to_dict<'py>(
        slf: &Bound<'py, Self>,
        columns: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let table = slf.py().import("ctm._table")?.getattr("table")?;
        table.call1((slf, slf.get().swept, columns))
    }

    /// `to_dict` with the same `columns` as a `pandas.DataFrame`. It needs pandas.
    ///
    /// >>> result = ctm.Program("mov o0, r0").run((0, 0, 7, 7), outputs={0: "FLOAT32_4"})
    /// >>> result.to_pandas()  # doctest: +SKIP
    #[pyo3(signature = (**columns))]
    fn to_pandas<'py>(
        slf: &Bound<'py, Self>,
        columns: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let table = Result::to_dict(slf, columns)?;
        slf.py().import("pandas")?.getattr("DataFrame")?.call1((table,))
    }

    /// The first output as a picture (PNG), for notebooks; of a sweep, that of up to eight launches.
    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        caught(|| {
            let Some((_, output)) = self.outputs.bind(py).iter().next() else {
                return Ok(None);
            };
            let launches = if self.swept {
                (0..self.launches.min(MOST_SHOWN)).map(|n| output.get_item(n)).collect()
            } else {
                Ok(vec![output])
            };
            let pictures: PyResult<Vec<Picture>> = launches?.iter().map(picture).collect();
            let pictures = pictures.unwrap_or_default();
            if pictures.is_empty() {
                return Ok(None);
            }
            let mut png = Vec::new();
            let written = Picture::beside(&pictures).write(&mut png);
            written.map_err(|error| Fail::new(error.to_string()))?;
            Ok(Some(PyBytes::new(py, &png)))
        })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let keys = self.outputs.bind(py).keys().repr()?;
        let faults = counted(self.faults.bind(py).len() as u64, "fault", "faults");
        Ok(format!("<ctm.Result: outputs {keys}, {faults}>"))
    }
}

/// The most launches of a sweep that a notebook shows.
const MOST_SHOWN: u64 = 8;

/// The picture of an array (height, width) or (height, width, channels).
fn picture(array: &Bound<'_, PyAny>) -> PyResult<Picture> {
    let content = Content::of("outputs", array, false, "")?;
    let Content { source, format, width, height, .. } = content;
    let size = format.bytes_per_channel() as usize;
    let bytes = source.bytes("outputs")?;
    let unit = |bytes: &[u8]| bytes.iter().rev().fold(0, |unit, &b| unit << 8 | u32::from(b));
    let units = bytes.chunks_exact(size).map(unit).collect();
    Ok(Picture::of(&Raster { format, width, height, units }))
}

/// Warns as Python's modules do: `ctm.Warning`, at the caller's line.
pub fn warn(py: Python<'_>, texts: &[String]) -> PyResult<()> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    for text in texts {
        let class = CLASS.import(py, "ctm._error", "Warning")?;
        let text = CString::new(vocabulary(text).replace('\0', "?")).unwrap_or_default();
        PyErr::warn(py, class, &text, 1)?;
    }
    Ok(())
}

/// The counters by their names.
pub fn counters(py: Python<'_>, statistics: &Statistics) -> PyResult<Py<PyDict>> {
    let counters = PyDict::new(py);
    statistics.counters().try_for_each(|(name, n)| counters.set_item(name, n))?;
    Ok(counters.unbind())
}

/// A number with its noun.
pub fn counted(n: u64, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}
