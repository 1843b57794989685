//! `ctm.Device`: command streams, as the original driver took them.

use crate::arguments;
use crate::array::{Source, numpy};
use crate::engines;
use crate::error::Fail;
use crate::result::Fault;
use ctm::device::{self, DeviceConfig};
use ctm::memory::{ArenaKind, ArenaSizes};
use ctm::program::Image;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::time::{Duration, Instant};

/// A device: memory, and a command processor in front of an engine.
#[pyclass(frozen, module = "ctm")]
pub struct Device {
    device: device::Device,
    statistics: bool,
}

/// What a submission did.
#[pyclass(frozen, get_all, module = "ctm")]
pub struct Report {
    /// The words executed.
    words: u64,
    /// The programs started.
    launches: u64,
    /// Warnings about commands.
    warnings: Vec<String>,
    /// What real hardware may handle differently.
    hazards: Vec<String>,
    /// The faults of all launches.
    faults: Vec<Py<Fault>>,
    /// The counters by name, if the device keeps them.
    statistics: Option<Py<PyDict>>,
}

#[pymethods]
impl Report {
    fn __repr__(&self) -> String {
        format!("<ctm.Report: {} launches, {} faults>", self.launches, self.faults.len())
    }
}

/// How long a wait looks for the end without a pause.
const SPIN: Duration = Duration::from_micros(200);

/// The pause between two looks afterwards.
const PAUSE: Duration = Duration::from_micros(100);

/// How often a wait looks for signals.
const LOOK: Duration = Duration::from_millis(20);

#[pymethods]
impl Device {
    #[new]
    #[pyo3(signature = (*, engine="auto", adapter=None, mode="exact", stats=false, coherence=false, gpu_bytes=256 << 20, sys_bytes=64 << 20))]
    fn new(
        engine: &str,
        adapter: Option<&str>,
        mode: &str,
        stats: bool,
        coherence: bool,
        gpu_bytes: u64,
        sys_bytes: u64,
    ) -> PyResult<Device> {
        let mut config = DeviceConfig::new(engines::open(engine, adapter)?);
        config.mode = arguments::mode(mode)?;
        config.statistics = stats;
        config.coherence = coherence;
        config.arenas = ArenaSizes { gpu: gpu_bytes, gpub: 0, sys: 0, sysc: sys_bytes };
        let device = device::Device::open(config).map_err(|error| Fail::new(error.to_string()))?;
        Ok(Device { device, statistics: stats })
    }

    /// The address of local memory.
    #[getter]
    fn gpu(&self) -> u32 {
        self.device.base(ArenaKind::Gpu)
    }

    /// The address of system memory.
    #[getter]
    fn sys(&self) -> u32 {
        self.device.base(ArenaKind::SysC)
    }

    /// Write bytes, or the elements of an array, from an address on.
    fn write(&self, py: Python<'_>, address: u32, data: &Bound<'_, PyAny>) -> PyResult<()> {
        if let Ok(bytes) = data.cast::<PyBytes>() {
            let bytes = bytes.as_bytes();
            return Ok(py
                .detach(|| self.device.write_memory(address, bytes))
                .map_err(Fail::from)?);
        }
        let bytes = elements(data)?;
        py.detach(|| self.device.write_memory(address, &bytes)).map_err(Fail::from)?;
        Ok(())
    }

    /// `count` bytes from an address on.
    fn read<'py>(
        &self,
        py: Python<'py>,
        address: u32,
        count: usize,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let all = self.device.arenas().iter().map(|arena| arena.size).max().unwrap_or(0);
        // A count that no arena has is refused before memory for it is taken.
        let mut bytes = vec![0; count.min(all as usize + 1)];
        py.detach(|| self.device.read_memory(address, &mut bytes)).map_err(Fail::from)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Execute command words (integers, an array of uint32, or bytes) and wait for the end.
    fn submit(&self, py: Python<'_>, words: &Bound<'_, PyAny>) -> PyResult<Report> {
        let words: Vec<u32> = match words.cast::<PyBytes>() {
            Ok(bytes) => words_of(bytes.as_bytes())?,
            Err(_) => match words.hasattr("__array_interface__")? {
                true => words_of(&elements(words)?)?,
                false => words.extract().map_err(|_| {
                    Fail::of_key("words", "needed integers from 0 to 0xffffffff, uint32 or bytes")
                })?,
            },
        };
        let id = self.device.submit_words(words);
        let started = Instant::now();
        loop {
            py.detach(|| {
                let look = Instant::now();
                while self.device.consumed(id) == Some(false) && look.elapsed() < LOOK {
                    match started.elapsed() < SPIN {
                        true => std::hint::spin_loop(),
                        false => std::thread::sleep(PAUSE),
                    }
                }
            });
            if self.device.consumed(id) != Some(false) {
                break;
            }
            if let Err(signal) = py.check_signals() {
                self.device.cancel(id);
                let _ = py.detach(|| self.device.wait(id));
                return Err(signal);
            }
        }
        let report =
            py.detach(|| self.device.wait(id)).map_err(|error| Fail::new(error.to_string()))?;
        if let Some(error) = &report.error {
            return Err(Fail::new(error.to_string()).into());
        }
        self.report(py, &report)
    }

    fn __repr__(&self) -> String {
        let name = self.device.engine().name();
        format!("<ctm.Device {name}: gpu {:#x}, sys {:#x}>", self.gpu(), self.sys())
    }
}

impl Device {
    fn report(&self, py: Python<'_>, report: &device::SubmissionReport) -> PyResult<Report> {
        let (mut faults, none) = (Vec::new(), Image::default());
        for command in &report.command_faults {
            let image = command.program.as_ref().map(|program| program.image());
            for (code, fault) in command.faults.iter() {
                let place = command.offset as u64;
                let image = image.unwrap_or(&none);
                faults.push(Py::new(py, Fault::of(code, fault, place, image))?);
            }
        }
        let statistics = self.statistics.then(|| {
            let counters = PyDict::new(py);
            let all = report.statistics.unwrap_or_default();
            all.counters().try_for_each(|(name, n)| counters.set_item(name, n))?;
            Ok::<_, PyErr>(counters.unbind())
        });
        Ok(Report {
            words: report.words as u64,
            launches: report.launches,
            warnings: report.warnings.iter().map(ToString::to_string).collect(),
            hazards: report.hazards.iter().map(ToString::to_string).collect(),
            faults,
            statistics: statistics.transpose()?,
        })
    }
}

/// The bytes of the elements of an array.
fn elements(value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
    let array = numpy(value.py(), "asarray")?.call1((value,))?;
    let size: usize = array.getattr("nbytes")?.extract()?;
    let mut bytes = vec![0; size];
    if size != 0 {
        Source::of(&array)?.copy(&[], &mut bytes);
    }
    Ok(bytes)
}

fn words_of(bytes: &[u8]) -> Result<Vec<u32>, Fail> {
    let (words, rest) = bytes.as_chunks::<4>();
    if !rest.is_empty() {
        let text = format!("found {} bytes, needed a multiple of 4", bytes.len());
        return Err(Fail::of_key("words", text));
    }
    Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
}
