//! `ctm.Device`: command streams, as the original driver took them.

use crate::arguments;
use crate::array::{self, Source};
use crate::engines;
use crate::error::{Fail, caught};
use crate::given;
use crate::result::{Fault, counted, counters};
use ctm::device::{self, DeviceConfig, OpenError};
use ctm::memory::{ArenaKind, ArenaSizes, MemoryError};
use ctm::program::Image;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::time::{Duration, Instant};

/// A device: memory, and a command processor in front of an engine.
///
/// Args:
///     engine, adapter, mode, stats: as in `Program.run`.
///     coherence: whether `submit` reports reads of what caches may not show.
///     gpu_bytes: the size of local memory.
///     sys_bytes: the size of system memory.
///
/// >>> device = ctm.Device(gpu_bytes=1 << 20)
/// >>> device.write(device.gpu, b"four")
/// >>> device.read(device.gpu, 4)
/// b'four'
#[pyclass(frozen, module = "ctm")]
pub struct Device {
    device: device::Device,
    statistics: bool,
}

/// The report of a submission.
#[pyclass(frozen, get_all, module = "ctm")]
pub struct Report {
    /// The words executed.
    words: u64,
    /// The programs started.
    launches: u64,
    /// Warnings about commands.
    warnings: Vec<String>,
    /// The hazards: things that real hardware may handle differently.
    hazards: Vec<String>,
    /// The faults of all launches.
    faults: Vec<Py<Fault>>,
    /// The counters by name, if the device keeps them.
    statistics: Option<Py<PyDict>>,
}

#[pymethods]
impl Report {
    fn __repr__(&self) -> String {
        let launches = counted(self.launches, "launch", "launches");
        let faults = counted(self.faults.len() as u64, "fault", "faults");
        format!("<ctm.Report: {launches}, {faults}>")
    }
}

/// The most words of a submission: those of as much system memory as a device usually has.
const MAX_WORDS: usize = 1 << 24;

/// The time that a wait looks for the end without a pause.
const SPIN: Duration = Duration::from_micros(200);

/// The pause between two looks afterwards.
const PAUSE: Duration = Duration::from_micros(100);

/// The interval at which a wait looks for signals.
const LOOK: Duration = Duration::from_millis(20);

#[pymethods]
impl Device {
    #[new]
    #[pyo3(signature = (*, engine="auto", adapter=None, mode="exact", stats=false, coherence=false, gpu_bytes=268435456, sys_bytes=67108864))]
    fn new(
        #[pyo3(from_py_with = given::engine)] engine: &str,
        #[pyo3(from_py_with = given::adapter)] adapter: Option<String>,
        #[pyo3(from_py_with = given::mode)] mode: &str,
        #[pyo3(from_py_with = given::stats)] stats: bool,
        #[pyo3(from_py_with = given::coherence)] coherence: bool,
        #[pyo3(from_py_with = given::gpu_bytes)] gpu_bytes: u64,
        #[pyo3(from_py_with = given::sys_bytes)] sys_bytes: u64,
    ) -> PyResult<Device> {
        caught(|| {
            let mut config = DeviceConfig::new(engines::open(engine, adapter.as_deref())?);
            config.mode = arguments::mode(mode)?;
            config.statistics = stats;
            config.coherence = coherence;
            config.arenas = ArenaSizes { gpu: gpu_bytes, gpub: 0, sys: 0, sysc: sys_bytes };
            let device = device::Device::open(config).map_err(|error| match error {
                OpenError::Memory(error) => Fail::from(error),
                OpenError::Forked { .. } | OpenError::Thread(_) => Fail::new(error.to_string()),
            })?;
            Ok(Device { device, statistics: stats })
        })
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

    /// Write to memory.
    ///
    /// Args:
    ///     address: the first byte, from `gpu` or `sys` on.
    ///     data: bytes, or an array of numbers whose elements are written as they are.
    fn write(
        &self,
        py: Python<'_>,
        #[pyo3(from_py_with = given::address)] address: u32,
        data: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        caught(|| {
            self.check()?;
            let owned;
            let bytes = match data.cast::<PyBytes>() {
                Ok(bytes) => bytes.as_bytes(),
                Err(_) => {
                    owned = self.elements(address, data)?;
                    &owned[..]
                }
            };
            Ok(py.detach(|| self.device.write_memory(address, bytes)).map_err(Fail::from)?)
        })
    }

    /// Read memory.
    ///
    /// Args:
    ///     address: the first byte.
    ///     count: how many bytes.
    fn read<'py>(
        &self,
        py: Python<'py>,
        #[pyo3(from_py_with = given::address)] address: u32,
        #[pyo3(from_py_with = given::count)] count: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        caught(|| {
            self.check()?;
            let count = self.fits(address, count)?;
            PyBytes::new_with(py, count, |bytes| {
                let read = || self.device.read_memory(address, bytes);
                Ok(py.detach(read).map_err(Fail::from)?)
            })
        })
    }

    /// Execute command words and wait for the end.
    ///
    /// Args:
    ///     words: integers from 0 to 0xffffffff: a list or an array of any integer type; or the bytes of
    ///         little-endian words.
    ///
    /// Returns: a `Report`.
    fn submit(&self, py: Python<'_>, words: &Bound<'_, PyAny>) -> PyResult<Report> {
        caught(|| {
            self.check()?;
            let words = array::words(words, None, MAX_WORDS)?;
            let id = self.device.submit_words(words);
            let started = Instant::now();
            loop {
                py.detach(|| {
                    let look = Instant::now();
                    while self.device.consumed(id) == Some(false) && look.elapsed() < LOOK {
                        if started.elapsed() < SPIN {
                            std::hint::spin_loop()
                        } else {
                            std::thread::sleep(PAUSE)
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
        })
    }

    fn __repr__(&self) -> String {
        let name = self.device.engine().name();
        format!("<ctm.Device {name}: gpu {:#x}, sys {:#x}>", self.gpu(), self.sys())
    }
}

impl Device {
    /// A child of a fork has a device without its thread.
    fn check(&self) -> Result<(), Fail> {
        self.device.check_process().map_err(|error| Fail::new(error.to_string()))
    }

    /// Refuses more bytes than any arena has, before memory for them is taken.
    fn fits(&self, address: u32, len: u64) -> Result<usize, Fail> {
        if self.device.arenas().iter().any(|arena| len <= arena.size) {
            Ok(len as usize)
        } else {
            Err(MemoryError::OutsideArena { address, len }.into())
        }
    }

    /// The bytes of the elements of an array that fit in memory from an address on.
    fn elements(&self, address: u32, value: &Bound<'_, PyAny>) -> PyResult<Vec<u8>> {
        let (key, needed) = ("data", &"bytes, or an array of numbers in the order of x86");
        let source = Source::of(key, value, needed)?;
        let is_number = matches!(source.kind(), b'b' | b'i' | b'u' | b'f');
        if !is_number || source.code.starts_with('>') {
            return Err(source.refused(key, value, needed));
        }
        self.fits(address, source.count().saturating_mul(source.size()) as u64)?;
        Ok(source.bytes(key)?)
    }

    fn report(&self, py: Python<'_>, report: &device::SubmissionReport) -> PyResult<Report> {
        let (mut faults, none) = (Vec::new(), Image::default());
        for command in &report.command_faults {
            let image = command.program.as_ref().map(|program| program.image());
            for (code, fault) in command.faults.iter() {
                let (launch, image) = (command.launch, image.unwrap_or(&none));
                let fault = Fault::of(code, fault, launch, report.launches > 1, image);
                faults.push(Py::new(py, fault)?);
            }
        }
        let all = report.statistics.unwrap_or_default();
        let statistics = self.statistics.then(|| counters(py, &all));
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
