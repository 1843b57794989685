//! The processor array on a GPU, through wgpu: the interpreter, and what it shares with translated
//! programs ([`translated`]).
//!
//! A launch is planned (`plan`): its program in the shader's form ([`encode`]), the bytes it
//! touches, and how it writes. The executor dispatches it and reads back faults and statistics. If
//! points cannot write in place, it also reads back a log of writes, which the host applies in the
//! defined order. Memory stays on the GPU from launch to launch ([`resident`]). docs/gpu.md
//! explains the design.

pub mod adapter;
mod batch;
pub mod cache;
pub mod connection;
pub mod constants;
pub mod encode;
pub mod error;
mod executor;
mod pipelines;
mod plan;
pub mod probe;
mod readback;
pub mod record;
pub mod records;
pub mod resident;
mod results;
mod session;
pub mod shader;
pub mod translate;
pub mod translated;
mod wgsl;
mod work;

pub use adapter::{AdapterChoice, AdapterInfo, AdapterKind, Adapters};
pub use connection::Gpu;
pub use error::GpuError;
pub use translated::{Refusal, Translated};

use super::{BatchProgress, Checked, CheckedItem, Engine, LaunchError, Outcome, Progress, Session};
use crate::launch::FloatMode;
use crate::memory::Memory;
use batch::Lane;
use executor::Executor;
use parking_lot::Mutex;
use pipelines::Pipelines;
use plan::{Plan, Ready};
use probe::{Mismatch, ProbeError, ProbeReport};
use resident::Residents;
use session::{Fallback, GpuSession};
use shader::{Storage, Variant};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;

/// The engine's name.
const NAME: &str = "interpreter";

/// The most micro-operations of a group in one dispatch: short enough for a watchdog.
const SLICE: u32 = 1 << 18;

/// The same on adapters that run on the CPU. Mesa's llvmpipe silently ends every loop of an
/// invocation after 65535 iterations of all its loops together. A micro-operation takes up to three
/// iterations, and a slice ends at the next flow-control instruction. The limit is a constant of
/// Mesa's source (LP_MAX_TGSI_LOOP_ITERATIONS) and is not probed. Each dispatch of the interpreter
/// reports whether its loops were ended too early.
const SLICE_SOFTWARE: u32 = 12_000;

/// The most rows and uniforms that points keep in private arrays.
const PRIVATE_ROWS: u32 = 64;

/// The largest instruction budget: executed instructions are counted in 32 bits.
const MAX_BUDGET: u64 = u32::MAX as u64 - 4096;

/// The result of the float probe; if it failed, the mismatch at each guard level.
type Found = Result<ProbeReport, Vec<(u32, Mismatch)>>;

/// The float probe's result, or the thread that is computing it.
struct Probe {
    /// Device errors are not kept: the next caller probes again.
    found: OnceLock<Found>,
    running: Mutex<Option<JoinHandle<Result<ProbeReport, ProbeError>>>>,
}

impl Drop for Probe {
    /// Waits for the probe: a driver call still running on a thread while the process ends would
    /// crash it.
    fn drop(&mut self) {
        if let Some(running) = self.running.lock().take() {
            let _ = running.join();
        }
    }
}

/// The interpreter on the GPU.
pub struct Interpreter {
    gpu: Gpu,
    probe: Probe,
    pipelines: Pipelines,
    residents: Mutex<Residents>,
    executors: Mutex<Vec<Executor>>,
    lanes: Mutex<Vec<Lane>>,
    /// If set, the block engine runs what the GPU cannot.
    fallback: Option<Fallback>,
    slice: u32,
    /// The most point-instructions of a translated program in one dispatch.
    most: u64,
}

impl Interpreter {
    /// Opens the adapter. The probe of its arithmetic runs in the background; a launch in mode
    /// `exact` waits for it.
    ///
    /// # Errors
    /// When the adapter does not exist or cannot be used.
    pub fn open(choice: &AdapterChoice) -> Result<Interpreter, GpuError> {
        Ok(Interpreter::on(Gpu::open(choice)?))
    }

    /// The interpreter on an open adapter.
    pub fn on(gpu: Gpu) -> Interpreter {
        let aside = gpu.aside();
        let running = std::thread::Builder::new()
            .name("ctm-probe".into())
            .spawn(move || probe::probe(&aside))
            .ok();
        let software = gpu.info.kind == AdapterKind::Software;
        Interpreter {
            probe: Probe { found: OnceLock::new(), running: Mutex::new(running) },
            pipelines: Pipelines::new(&gpu),
            residents: Mutex::default(),
            executors: Mutex::default(),
            lanes: Mutex::default(),
            fallback: None,
            slice: if software { SLICE_SOFTWARE } else { SLICE },
            most: executor::most(gpu.info.kind),
            gpu,
        }
    }

    /// The same, but the block engine runs launches that the adapter cannot hold, and, after the
    /// device was lost, those whose data the host has. `note` receives the reason the first time.
    #[must_use]
    pub fn with_fallback(self, note: fn(&str)) -> Interpreter {
        Interpreter { fallback: Some(Fallback::new(note)), ..self }
    }

    /// The same with memory buffers of at most `bytes` bytes each, for tests of memory that spans
    /// several buffers.
    #[doc(hidden)]
    pub fn with_chunk(self, bytes: u64) -> Interpreter {
        *self.residents.lock() = Residents::with_chunk(bytes);
        self
    }

    /// The same with other slices, in micro-operations of a group, for tests of drivers with lower
    /// limits.
    #[doc(hidden)]
    pub fn with_slice(self, slice: u32) -> Interpreter {
        Interpreter { slice, ..self }
    }

    /// The same with another probe result, for tests of adapters with other arithmetic.
    #[doc(hidden)]
    pub fn with_probe(mut self, found: Result<ProbeReport, ProbeError>) -> Interpreter {
        self.probe = Probe {
            found: OnceLock::new(),
            running: Mutex::new(std::thread::Builder::new().spawn(|| found).ok()),
        };
        self
    }

    /// The adapter.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// The result of the probe of the adapter's arithmetic.
    ///
    /// # Errors
    /// [`GpuError::FloatProbe`] if mode `exact` is not possible; any other error of the probe.
    pub fn probe(&self) -> Result<&ProbeReport, GpuError> {
        let found = match self.probe.found.get() {
            Some(found) => found,
            None => self.found()?,
        };
        self.gpu.check()?;
        found.as_ref().map_err(|mismatches| GpuError::FloatProbe {
            adapter: self.gpu.info.name.clone(),
            reason: ProbeError::Unsuitable(mismatches.clone()).to_string(),
        })
    }

    /// Waits for the probe, or runs it.
    fn found(&self) -> Result<&Found, GpuError> {
        // Callers that come meanwhile wait for the same probe.
        let mut running = self.probe.running.lock();
        if let Some(found) = self.probe.found.get() {
            return Ok(found);
        }
        let found = match running.take().and_then(|thread| thread.join().ok()) {
            Some(found) => found,
            None => probe::probe(&self.gpu.aside()),
        };
        let found = match found {
            Ok(report) => Ok(report),
            Err(ProbeError::Unsuitable(mismatches)) => Err(mismatches),
            Err(ProbeError::Gpu(error)) => return Err(error),
        };
        Ok(self.probe.found.get_or_init(|| found))
    }

    /// A launch's program in the shader's form, if the interpreter can run the launch.
    fn ready(&self, launch: &Checked) -> Result<Arc<Ready>, LaunchError> {
        let unsupported =
            |reason: &str| LaunchError::Unsupported { engine: NAME, reason: reason.to_string() };
        if launch.limits.instructions > MAX_BUDGET {
            return Err(unsupported(&format!(
                "an instruction budget of {}; the most is {MAX_BUDGET}",
                launch.limits.instructions
            )));
        }
        let ready = launch.program.form(launch.started_temps(), || Ready::new(launch));
        if ready.encoded.rows > encode::MAX_ROWS {
            return Err(unsupported(&format!(
                "the program has {} registers and constants; the most is {}",
                ready.encoded.rows,
                encode::MAX_ROWS
            )));
        }
        Ok(ready)
    }

    /// Whether a launch's groups may run longer than one dispatch should.
    fn is_sliced(&self, plan: &Plan) -> bool {
        !plan.ends_within(self.slice as u64)
    }

    /// The guard level for a mode.
    fn guards(&self, mode: FloatMode) -> Result<u32, GpuError> {
        match (self.probe(), mode) {
            (Ok(report), _) => Ok(report.guards),
            // Mode `fast` takes the adapter's arithmetic as it is.
            (Err(GpuError::FloatProbe { .. }), FloatMode::Fast) => Ok(0),
            (Err(error), _) => Err(error),
        }
    }

    /// The smallest variant that can run a plan whose memory is in one window. Most adapters need
    /// no guards. So while the probe is still running, this compiles the pipeline without guards.
    fn variant(&self, plan: &Plan) -> Result<Variant, GpuError> {
        if self.probe.found.get().is_none() {
            // A guess: if the pipeline is needed, its next user gets the error.
            let _ = self.pipelines.get(&self.gpu, &self.guarded(plan, 0), 0);
        }
        Ok(self.guarded(plan, self.guards(plan.launch.mode)?))
    }

    /// The smallest variant that can run a plan on an adapter with a guard level.
    fn guarded(&self, plan: &Plan, guards: u32) -> Variant {
        let software = self.gpu.info.kind == AdapterKind::Software;
        let private = plan.ready.encoded.rows <= PRIVATE_ROWS;
        Variant {
            mode: plan.launch.mode,
            guards,
            storage: if private { Storage::Private } else { Storage::Buffer },
            shared_stacks: software,
            rows: if private {
                plan.ready.encoded.rows.next_power_of_two().max(32)
            } else {
                PRIVATE_ROWS
            },
            uses: plan.uses(),
            memory: plan.memory_variant(),
            conditions: plan.has_condition(),
            starts: plan.has_starts(),
            statistics: plan.launch.statistics,
            sliced: self.is_sliced(plan),
            many: false,
            one_output: plan.has_one_output(),
            // It adds a second load of micro-operations, which costs a JIT compiler time.
            ahead: !software,
        }
    }
}

impl Engine for Interpreter {
    fn name(&self) -> &'static str {
        NAME
    }

    fn adapter(&self) -> Option<String> {
        Some(self.gpu.info.name.clone())
    }

    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        GpuSession::new(self, None, memory).run(launch, progress)
    }

    fn session<'a>(&'a self, memory: &'a mut Memory) -> Box<dyn Session<'a> + 'a> {
        Box::new(GpuSession::new(self, None, memory))
    }

    fn run_checked_batch(
        &self,
        items: &mut [CheckedItem<'_>],
        progress: &dyn BatchProgress,
    ) -> Vec<Result<Outcome, LaunchError>> {
        batch::run(self, None, items, progress)
    }
}
