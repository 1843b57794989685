//! The state of one open adapter that all launches share.

use crate::device::adapter::{AdapterChoice, AdapterKind};
use crate::device::connection::Gpu;
use crate::memory::{Resident, Residents};
use crate::run::batch::MEMBERS;
use crate::run::executor::{self, Executor};
use crate::run::lane::Lane;
use crate::run::probe;
use crate::shader::compiled::Shader;
use crate::shader::pipelines::Pipelines;
use crate::shader::translator::{Target, Translator};
use ctm_base::panics;
use ctm_machine::engine::GpuError;
use ctm_machine::engine::estimate::Costs;
use ctm_machine::engine::policy::{Adapter, Asked, Facts};
use ctm_machine::engine::{Checked, LaunchError};
use ctm_machine::launch::FloatMode;
use ctm_shade::abi::encode::Ready;
use ctm_shade::guards::Guards;
use ctm_shade::plan::prepared::Prepared;
use ctm_shade::plan::settings::{self, SLICE, Settings};
use ctm_shade::probe::{Mismatch, ProbeError, ProbeReport};
use ctm_shade::translate::Sizes;
use ctm_shade::variant::{Storage, Variant};
use parking_lot::Mutex;
use std::ops::Range;
use std::sync::{Arc, Once, OnceLock};
use std::thread::JoinHandle;

/// The engine's name.
pub const NAME: &str = "interpreter";

/// [`SLICE`] on adapters that run on the CPU. Mesa's llvmpipe silently ends every loop of an
/// invocation after 65535 iterations of all its loops together. A micro-operation takes up to eleven
/// iterations, and a slice ends at the next flow-control instruction. The limit is a constant of
/// Mesa's source (LP_MAX_TGSI_LOOP_ITERATIONS) and is not probed. Each dispatch of the interpreter
/// reports whether its loops were ended too early.
const SLICE_SOFTWARE: u32 = 5_000;

/// The result of the float probe; if it failed, the mismatch at each guard level.
type Found = Result<ProbeReport, Vec<(Guards, Mismatch)>>;

/// The float probe's result, or the thread that is computing it.
pub(super) struct Probe {
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

/// Lets the block engine run what the GPU cannot, and notes the first such launch.
pub(super) struct Fallback {
    pub(super) note: fn(&str),
    pub(super) noted: Once,
}

impl Fallback {
    /// `note` receives the reason.
    pub(super) fn new(note: fn(&str)) -> Fallback {
        Fallback { note, noted: Once::new() }
    }
}

/// Settings for tests of an engine; `None` is what its adapter needs.
#[derive(Clone, Default)]
pub struct Tuning {
    /// The most bytes of a memory's buffer.
    pub largest: Option<u64>,
    /// The most vec4s of micro-operations that a group takes in one dispatch.
    pub slice: Option<u32>,
    /// The storage of registers if they fit.
    pub storage: Option<Storage>,
    /// Whether shaders use subgroup operations, if the adapter has them.
    pub subgroups: Option<bool>,
    /// The most point-instructions of a translated program in one dispatch.
    pub most: Option<u64>,
    /// The most launches of a batch that are packed together.
    pub members: Option<usize>,
    /// The result of the probe of the adapter's arithmetic.
    pub probe: Option<Result<ProbeReport, ProbeError>>,
    /// The costs, with which launches need not wait for their shaders on adapters that run on the
    /// CPU either.
    pub costs: Option<Costs>,
}

/// The interpreter on the GPU.
pub struct Interpreter {
    pub(super) gpu: Gpu,
    pub(super) probe: Probe,
    pub(super) pipelines: Pipelines,
    pub(super) residents: Mutex<Residents>,
    pub(super) executors: Mutex<Vec<Executor>>,
    pub(super) lanes: Mutex<Vec<Lane>>,
    /// If set, the block engine runs what the GPU cannot.
    pub(super) fallback: Option<Fallback>,
    /// The parameters of its shaders and dispatches.
    pub(super) settings: Settings,
    /// The most point-instructions of a translated program in one dispatch.
    pub(super) most: u64,
    /// The most launches of a batch that are packed together.
    pub(super) members: usize,
}

impl Interpreter {
    /// Opens the adapter. The probe of its arithmetic runs in the background; a launch in mode
    /// `exact` waits for it.
    ///
    /// # Errors
    /// If the adapter does not exist or cannot be used.
    pub fn open(choice: &AdapterChoice) -> Result<Interpreter, GpuError> {
        Ok(Interpreter::on(Gpu::open(choice)?))
    }

    /// The interpreter on an open adapter.
    pub fn on(gpu: Gpu) -> Interpreter {
        Interpreter::tuned(gpu, Tuning::default())
    }

    /// The same, set up for a test.
    pub fn tuned(gpu: Gpu, tuning: Tuning) -> Interpreter {
        let aside = gpu.aside();
        let running = std::thread::Builder::new()
            .name("ctm-probe".into())
            .spawn(move || tuning.probe.unwrap_or_else(|| probe::probe(&aside)))
            .ok();
        let software = gpu.info.kind == AdapterKind::Software;
        let largest = tuning.largest.unwrap_or(Resident::largest(&gpu));
        Interpreter {
            probe: Probe { found: OnceLock::new(), running: Mutex::new(running) },
            pipelines: Pipelines::new(&gpu),
            residents: Mutex::new(Residents::new(largest)),
            executors: Mutex::default(),
            lanes: Mutex::default(),
            fallback: None,
            settings: Settings {
                slice: tuning.slice.unwrap_or(if software { SLICE_SOFTWARE } else { SLICE }),
                storage: tuning.storage.unwrap_or(if gpu.has_private_arrays() {
                    Storage::Private
                } else {
                    Storage::Workgroup
                }),
                // Software adapters gain nothing (benches/RESULTS.md).
                subgroups: tuning.subgroups.unwrap_or(!software) && gpu.has_subgroups(),
                workgroup_bytes: gpu.limits.max_compute_workgroup_storage_size,
                uniform_bytes: gpu.limits.max_uniform_buffer_binding_size,
            },
            most: tuning.most.unwrap_or(executor::most(gpu.info.kind)),
            members: tuning.members.unwrap_or(MEMBERS),
            gpu,
        }
    }

    /// The same, but the block engine runs launches that the adapter cannot hold, and, after the
    /// device was lost, those whose data the host has. `note` receives the reason the first time.
    pub fn with_fallback(self, note: fn(&str)) -> Interpreter {
        Interpreter { fallback: Some(Fallback::new(note)), ..self }
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

    /// The policy's facts about this adapter, and about the error with which it failed, if it did.
    pub(super) fn facts<'f>(
        &self,
        translator: Option<&Translator>,
        failed: Option<&'f LaunchError>,
    ) -> Facts<'f> {
        let fallback = self.fallback.is_some();
        Facts {
            asked: translator.map_or(Asked::Interpreter, Translator::asked),
            adapter: failed.map_or(Adapter::Open, |error| Adapter::Failed { error, fallback }),
            no_shader: None,
            too_large: None,
        }
    }

    /// A launch's program in the shader's form, if the interpreter can run the launch.
    pub(super) fn ready(&self, launch: &Checked) -> Result<Arc<Ready>, LaunchError> {
        panics::point("launch", || launch.program.image().source.place(0));
        let unsupported = |reason| LaunchError::Unsupported { engine: NAME, reason };
        settings::ready(launch).map_err(unsupported)
    }

    /// The guard level for a mode.
    fn guards(&self, mode: FloatMode) -> Result<Guards, GpuError> {
        match (self.probe(), mode) {
            // Mode `fast` takes the adapter's arithmetic as it is.
            (Ok(report), FloatMode::Fast) if report.guards.fused().is_some() => Ok(Guards::Ieee),
            (Err(GpuError::FloatProbe { .. }), FloatMode::Fast) => Ok(Guards::Ieee),
            (Ok(report), _) => Ok(report.guards),
            (Err(error), _) => Err(error),
        }
    }

    /// The smallest variant that can run plans of one mode, without copies. In mode `fast`, and on adapters
    /// that run on the CPU, level 0 is the likely one. So there this compiles its pipeline, for work of
    /// that effort, while the probe is still running.
    pub(super) fn variant(
        &self,
        plans: &[&Prepared],
        many: bool,
        effort: u64,
    ) -> Result<Variant, GpuError> {
        let mode = plans.first().map_or(FloatMode::Exact, |plan| plan.launch.mode);
        let with = |guards| {
            let own = plans.iter().map(|plan| self.settings.variant(plan, guards, many));
            own.reduce(|all, own| all.with(&own)).unwrap_or_else(Variant::everything)
        };
        let likely = mode == FloatMode::Fast || self.gpu.info.kind == AdapterKind::Software;
        if likely && self.probe.found.get().is_none() {
            // A guess: if the pipeline is needed, its next user gets the error.
            let _ = self.pipelines.prepare(&self.gpu, &with(Guards::Ieee), effort);
        }
        Ok(with(self.guards(mode)?))
    }

    /// The smallest variant that can run a launch without copies, for counting them.
    ///
    /// # Errors
    /// If the interpreter cannot run the launch.
    #[doc(hidden)]
    pub fn needed(&self, launch: &Checked) -> Result<Variant, LaunchError> {
        let plan = Prepared::new(launch, self.ready(launch)?);
        let failed = |error| LaunchError::Adapter { engine: NAME, error };
        let guards = self.guards(plan.launch.mode).map_err(failed)?;
        Ok(self.settings.variant(&plan, guards, false))
    }

    /// The shader of a launch by a translator, or why there is none.
    pub(super) fn shader(
        &self,
        translator: &Translator,
        launch: &Checked,
        ready: &Arc<Ready>,
        ranges: &[Range<u64>],
        sizes: impl FnMut(&Range<u64>) -> Sizes,
    ) -> Result<Shader, GpuError> {
        translator.shader(&self.target(launch.mode)?, launch, ready, ranges, sizes)
    }

    /// The same for a launch of a pack on a lane.
    pub(super) fn packed_shader(
        &self,
        translator: &Translator,
        launch: &Checked,
        ranges: &[Range<u64>],
        lane: &mut Lane,
    ) -> Result<Shader, LaunchError> {
        let failed = |error| LaunchError::Adapter { engine: NAME, error };
        // A lost engine device counts as lost also for lanes with their own device.
        self.gpu.check().map_err(failed)?;
        let ready = self.ready(launch)?;
        let target = self.target(launch.mode).map_err(failed)?;
        let own = lane.shaders.as_mut().map(|shaders| (&lane.gpu, shaders));
        translator.packed_shader(&target, launch, &ready, ranges, own).map_err(failed)
    }

    fn target(&self, mode: FloatMode) -> Result<Target<'_>, GpuError> {
        let (gpu, cache) = (&self.gpu, self.pipelines.cache());
        Ok(Target { gpu, cache, guards: self.guards(mode)? })
    }
}
