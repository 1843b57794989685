//! The engines: the interpreter alone, and the one that translates each program to a shader and leaves
//! programs that cannot be translated, or are not worth it, to the interpreter.

use crate::device::adapter::{AdapterChoice, AdapterKind};
use crate::device::connection::Gpu;
use crate::limits::Limits;
use crate::run::batch;
use crate::run::interpreter::{Fallback, Interpreter, NAME, Tuning};
use crate::run::lane::Lane;
use crate::run::session::GpuSession;
use crate::shader::translator::{Tiers, Translator};
use ctm_machine::engine::GpuError;
use ctm_machine::engine::estimate::{COSTS, Costs};
use ctm_machine::engine::policy::{self, Runner};
use ctm_machine::engine::{
    BatchProgress, Checked, CheckedItem, Engine, LaunchError, Outcome, Progress, Ran, Session, Why,
};
use ctm_machine::launch::{FloatMode, Launch};
use ctm_machine::memory::Memory;
use ctm_shade::plan::space::ranges;
use ctm_shade::translate::Sizes;
use parking_lot::Mutex;
use std::ops::Range;

/// The name of the engine that chooses the faster of the two.
const TIERED: &str = "gpu";

/// The costs of work on an adapter, as far as its limits were measured. The speed of a software adapter is none.
fn costs(gpu: &Gpu) -> Costs {
    let measured = Limits::known(gpu).filter(|_| gpu.info.kind != AdapterKind::Software);
    measured.map_or(COSTS, |limits| limits.costs())
}

impl Engine for Interpreter {
    fn name(&self) -> &'static str {
        NAME
    }

    fn adapter(&self) -> Option<String> {
        Some(self.gpu.info.name.clone())
    }

    fn computes(&self, mode: FloatMode) -> bool {
        mode != FloatMode::Chip
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

/// Runs programs as translated shaders.
pub struct Translated {
    // Declared first, so that the compiler's thread ends before the device is dropped.
    translator: Translator,
    interpreter: Interpreter,
    lanes: Mutex<Vec<Lane>>,
}

impl Translated {
    /// Opens the adapter.
    ///
    /// # Errors
    /// If the adapter does not exist or cannot be used.
    pub fn open(choice: &AdapterChoice) -> Result<Translated, GpuError> {
        Ok(Translated::on(Gpu::open(choice)?))
    }

    /// The engine on an open adapter; it translates every program that it can.
    pub fn on(gpu: Gpu) -> Translated {
        Translated::tuned(gpu, false, Tuning::default())
    }

    /// The tiered engine runs a program on the interpreter until a thread has compiled its shader. A
    /// launch that takes longer than compiling waits for its shader. On adapters that run on the CPU,
    /// all launches wait for their shaders, except in batches.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn tiered(choice: &AdapterChoice) -> Result<Translated, GpuError> {
        Ok(Translated::tiered_on(Gpu::open(choice)?))
    }

    /// [`tiered`](Self::tiered) on an open adapter.
    pub fn tiered_on(gpu: Gpu) -> Translated {
        Translated::tuned(gpu, true, Tuning::default())
    }

    /// Either engine, set up for a test.
    pub fn tuned(gpu: Gpu, tiered: bool, tuning: Tuning) -> Translated {
        let waits = tuning.costs.is_none() && gpu.info.kind == AdapterKind::Software;
        let tiers = Tiers { costs: tuning.costs.unwrap_or_else(|| costs(&gpu)), waits };
        Translated {
            translator: Translator { tiered: tiered.then_some(tiers), ..Translator::default() },
            interpreter: Interpreter::tuned(gpu, tuning),
            lanes: Mutex::default(),
        }
    }

    /// The same with [`Interpreter::with_fallback`].
    #[must_use]
    pub fn with_fallback(mut self, note: fn(&str)) -> Translated {
        self.interpreter.fallback = Some(Fallback::new(note));
        self
    }

    /// The costs by which a tiered engine chooses.
    pub fn costs(&self) -> Costs {
        self.translator.tiered.as_ref().map_or(COSTS, |tiers| tiers.costs)
    }

    /// Waits until no background compilation is running: for tests.
    #[doc(hidden)]
    pub fn settle(&self) {
        self.translator.compiler.settle();
    }

    /// The number of shaders compiled so far: for tests.
    #[doc(hidden)]
    pub fn compiled(&self) -> u64 {
        self.translator.compiler.compiled()
    }

    /// The interpreter that runs launches that are not translated.
    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    /// The reason why a launch on this memory does not run as a translated shader; `None` if it
    /// does. A reason that only appears while the shader runs is not included.
    ///
    /// # Errors
    /// As [`Engine::run`].
    pub fn refusal(&self, launch: &Launch, memory: &Memory) -> Result<Option<Why>, LaunchError> {
        let launch = Checked::new(launch)?;
        let ready = self.interpreter.ready(&launch)?;
        let facts = self.interpreter.facts(Some(&self.translator), None);
        if let (Runner::Block | Runner::Interpreter, why) = policy::choose(&launch, &facts)? {
            return Ok(why);
        }
        let ranges = ranges(memory);
        let sizes = |span: &Range<u64>| Sizes::in_memory(memory, span);
        let shader = self.interpreter.shader(&self.translator, &launch, &ready, &ranges, sizes);
        let shader = shader.map_err(|error| LaunchError::Adapter { engine: NAME, error })?;
        Ok(shader.err())
    }
}

impl Engine for Translated {
    fn name(&self) -> &'static str {
        match self.translator.tiered {
            Some(_) => TIERED,
            None => Ran::SHADER,
        }
    }

    fn adapter(&self) -> Option<String> {
        self.interpreter.adapter()
    }

    fn computes(&self, mode: FloatMode) -> bool {
        mode != FloatMode::Chip
    }

    fn counts_apart(&self) -> bool {
        true
    }

    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let mut session = GpuSession::new(&self.interpreter, Some(&self.translator), memory);
        session.run(launch, progress)
    }

    fn session<'a>(&'a self, memory: &'a mut Memory) -> Box<dyn Session<'a> + 'a> {
        Box::new(GpuSession::new(&self.interpreter, Some(&self.translator), memory))
    }

    fn run_checked_batch(
        &self,
        items: &mut [CheckedItem<'_>],
        progress: &dyn BatchProgress,
    ) -> Vec<Result<Outcome, LaunchError>> {
        batch::run(&self.interpreter, Some((&self.translator, &self.lanes)), items, progress)
    }
}

impl Drop for Translated {
    fn drop(&mut self) {
        // Saved once for all shaders, because each save writes the whole cache.
        if self.translator.compiler.compiled() != 0 {
            self.interpreter.pipelines.save();
        }
    }
}
