//! Results of runs.

use crate::array;
use crate::error::Fail;
use ctm::array::{Dtype, Raster, picture};
use ctm::engine::{self, FaultCode, Ran, Statistics};
use ctm::job::Share;
use ctm::memory::Format;
use ctm::program::Image;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList};

/// A fault: what went wrong, how often, and where first.
#[pyclass(frozen, get_all, module = "ctm")]
pub struct Fault {
    /// The code, such as "budget".
    code: &'static str,
    /// The number of faults with this code.
    count: u64,
    /// The first point, (i, j).
    point: (u32, u32),
    /// The first instruction.
    pc: u32,
    /// The first input, output or constant; 0 if none is involved.
    slot: u32,
    /// The first address or rejected word; 0 if none is involved.
    word: u32,
    /// The number of the launch, from 0.
    launch: u64,
    /// One line that says all this.
    text: String,
}

#[pymethods]
impl Fault {
    fn __repr__(&self) -> String {
        format!("<ctm.Fault {}: {}>", self.code, self.text)
    }

    #[allow(clippy::type_complexity, reason = "a tuple of all members")]
    fn __getnewargs__(&self) -> (&'static str, u64, (u32, u32), u32, u32, u32, u64, String) {
        let Fault { code, count, point, pc, slot, word, launch, .. } = *self;
        (code, count, point, pc, slot, word, launch, self.text.clone())
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
        text: String,
    ) -> PyResult<Fault> {
        let known = FaultCode::ALL.into_iter().map(FaultCode::name).find(|&name| name == code);
        let code =
            known.ok_or_else(|| Fail::of_key("code", format!("\"{code}\" is no fault's code")))?;
        Ok(Fault { code, count, point, pc, slot, word, launch, text })
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Fault>() else {
            return false;
        };
        self.__getnewargs__() == other.get().__getnewargs__()
    }

    fn __hash__(&self) -> u64 {
        u64::from(self.pc) ^ self.count << 16 ^ self.launch << 32
    }
}

impl Fault {
    pub fn of(code: FaultCode, fault: &engine::Fault, launch: u64, image: &Image) -> Fault {
        Fault {
            code: code.name(),
            count: fault.count,
            point: (fault.i, fault.j),
            pc: fault.pc,
            slot: fault.slot,
            word: fault.word,
            launch,
            text: fault.text_in(code, image),
        }
    }
}

/// The result of a run.
#[pyclass(frozen, get_all, module = "ctm")]
pub struct Result {
    /// The arrays of the outputs, by the keys that the caller gave.
    outputs: Py<PyDict>,
    /// The faults.
    faults: Py<PyList>,
    /// The counters by name, if they were asked for.
    statistics: Option<Py<PyDict>>,
    /// What ran: (engine, launches, reason), with a reason if the engine chooses.
    ran: Vec<(String, u64, Option<String>)>,
    /// Reads and writes of a launch that overlap.
    hazards: Vec<String>,
    /// Warnings about the arguments and the program.
    warnings: Vec<String>,
    /// The number of launches.
    launches: u64,
}

/// What a result is made of, besides its arrays.
#[derive(Default)]
pub struct Summary {
    pub faults: Vec<Fault>,
    pub statistics: Option<Statistics>,
    pub ran: Vec<(String, u64, Option<String>)>,
    pub hazards: Vec<String>,
    pub warnings: Vec<String>,
    pub launches: u64,
}

impl Summary {
    /// Adds the outcome of the next launch.
    pub fn add(&mut self, outcome: engine::Outcome, image: &Image) {
        let launch = self.launches;
        self.launches += 1;
        let faults = outcome.faults.iter();
        self.faults.extend(faults.map(|(code, fault)| Fault::of(code, fault, launch, image)));
        self.statistics = match (self.statistics, outcome.statistics) {
            (Some(mut sum), Some(more)) => {
                sum += more;
                Some(sum)
            }
            (None, more) if launch == 0 => more,
            _ => None,
        };
        let Ran { engine, why } = outcome.ran;
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

    /// The result with these outputs.
    pub fn result(self, py: Python<'_>, outputs: Bound<'_, PyDict>) -> PyResult<Result> {
        let statistics = self.statistics.map(|statistics| {
            let counters = PyDict::new(py);
            statistics.counters().try_for_each(|(name, n)| counters.set_item(name, n))?;
            Ok::<_, PyErr>(counters.unbind())
        });
        Ok(Result {
            outputs: outputs.unbind(),
            faults: PyList::new(py, self.faults)?.unbind(),
            statistics: statistics.transpose()?,
            ran: self.ran,
            hazards: self.hazards,
            warnings: self.warnings,
            launches: self.launches,
        })
    }
}

#[pymethods]
impl Result {
    /// The first output as a picture (PNG), for notebooks. Of several launches, the first one's.
    fn _repr_png_<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let Some((_, output)) = self.outputs.bind(py).iter().next() else {
            return Ok(None);
        };
        let mut source = array::Source::of(&output)?;
        if self.launches > 1 && source.shape.len() == 4 {
            source = array::Source::of(&output.get_item(0)?)?;
        }
        let (dtype, channels) = (source.dtype(), source.shape.get(2).copied().unwrap_or(1));
        let format = Format::ALL.into_iter().find(|&format| {
            Some(Dtype::of(format)) == dtype && format.channels() as usize == channels
        });
        let ([height, width] | [height, width, _], Some(format)) = (&source.shape[..], format)
        else {
            return Ok(None);
        };
        let size = format.bytes_per_channel() as usize;
        let mut bytes = vec![0; height * width * channels * size];
        source.copy(&[], &mut bytes);
        let unit = |bytes: &[u8]| bytes.iter().rev().fold(0, |unit, &b| unit << 8 | u32::from(b));
        let units = bytes.chunks_exact(size).map(unit).collect();
        let raster = Raster { format, width: *width as u32, height: *height as u32, units };
        let mut png = Vec::new();
        picture::write(&raster, &mut png).map_err(|error| Fail::new(error.to_string()))?;
        Ok(Some(PyBytes::new(py, &png)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let keys = self.outputs.bind(py).keys().repr()?;
        let faults = self.faults.bind(py).len();
        Ok(format!("<ctm.Result: outputs {keys}, {faults} faults>"))
    }
}
