//! The engine that translates each program to a shader. Programs that cannot be translated, or are
//! not worth it, run on the interpreter on the same adapter.

mod compiler;
mod shaders;

use super::batch::{self, Lane};
use super::connection::Gpu;
use super::error::GpuError;
use super::plan::Ready;
use super::results::GAVE_UP_FAULT;
use super::session::{Fallback, GpuSession, Ticket};
use super::translate::{Options, Reason, State};
use super::{AdapterChoice, AdapterKind, Interpreter};
use crate::engine::estimate::{COSTS, Costs, Estimate};
use crate::engine::{
    BatchProgress, Checked, CheckedItem, Engine, LaunchError, Outcome, Progress, Ran, Session, Why,
};
use crate::launch::{Launch, Location};
use crate::memory::Memory;
use compiler::{Compiler, Request};
use parking_lot::Mutex;
pub(super) use shaders::{Compiled, Shaders};
use shaders::{Entry, Key, Shader};
use std::ops::Range;
use std::sync::Arc;

/// The engine's name.
const NAME: &str = "translated";

/// The name of the engine that chooses the faster of the two.
const TIERED: &str = "gpu";

/// The most shaders that are kept.
const KEPT: usize = 1024;

/// The most iterations that the loops of a translated program may make on adapters that run on the
/// CPU. Mesa's llvmpipe ends all loops of an invocation after 65535 iterations.
const TURNS_SOFTWARE: u64 = 65_000;

/// Why a launch does not run as a translated shader.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The program cannot be translated.
    #[error(transparent)]
    Reason(#[from] Reason),
    /// The memory that the launch touches does not fit one binding.
    #[error("what the launch touches lies in {windows} windows; translated programs have one")]
    Windows {
        /// The number of windows.
        windows: usize,
    },
    /// The data that the program reads from its launch does not fit one binding.
    #[error(
        "the data that its temporaries start with take {bytes} bytes; the adapter binds {limit}"
    )]
    Data {
        /// The number of bytes, constants included.
        bytes: u64,
        /// The number of bytes that the adapter binds.
        limit: u64,
    },
    /// The launch finishes before its shader would be compiled.
    #[error("{0}, not worth a shader of their own so far")]
    Small(Estimate),
    /// A thread is compiling its shader for later launches.
    #[error("its shader is being compiled meanwhile")]
    Compiling,
    /// The adapter rejected its shader.
    #[error("its shader could not be compiled: {0}")]
    Failed(String),
    /// While it ran, the shader detected an event that it cannot report.
    #[error("a fault or a hazard showed while it ran: {0}")]
    GaveUp(&'static str),
    /// The launch has no groups, or its condition lets none run.
    #[error("no group can run")]
    Nothing,
    /// The launch asks for statistics, which count the work of whole groups.
    #[error("the launch asks for statistics, which shaders of programs do not keep")]
    Statistics,
}

impl Refusal {
    /// Why a launch gets no shader, independently of its program.
    fn of(launch: &Checked) -> Option<Refusal> {
        if launch.never_runs() {
            return Some(Refusal::Nothing);
        }
        launch.statistics.then_some(Refusal::Statistics)
    }

    /// The refusal in a few words, without numbers and names. Reports count launches by it.
    pub fn kind(&self) -> &'static str {
        match self {
            Refusal::Reason(reason) => reason.kind(),
            Refusal::Windows { .. } => "several windows",
            Refusal::Data { .. } => "too much data",
            Refusal::Small(_) => "small",
            Refusal::Compiling => "compiling",
            Refusal::Failed(_) => "compiler error",
            Refusal::GaveUp(_) => "gave up",
            Refusal::Nothing => "nothing to run",
            Refusal::Statistics => "statistics",
        }
    }

    /// Why the interpreter runs the launch.
    pub(super) fn why(&self) -> Why {
        Why { kind: self.kind(), reason: self.to_string() }
    }
}

/// The shaders of programs, and the choice of programs that get one.
#[derive(Default)]
pub(super) struct Translator {
    compiler: Compiler,
    /// If set, only programs that are worth a shader by these costs get one.
    pub(super) tiered: Option<Tiers>,
}

/// How a tiered engine chooses.
pub(super) struct Tiers {
    costs: Costs,
    /// Whether launches always wait for their shader, even small ones. This holds on adapters that
    /// run on the CPU: there, compiling the interpreter takes longer than compiling a program.
    waits: bool,
}

/// The state that a launch's shader depends on, or why there is no shader. `packed`: everything is
/// in one window, including the copies of what the launch both reads and writes.
fn state(
    interpreter: &Interpreter,
    launch: &Checked,
    ranges: &[Range<u64>],
    packed: bool,
) -> Result<Result<State, Refusal>, GpuError> {
    let options = Options {
        guards: interpreter.guards(launch.mode)? as u8,
        packed,
        turns: (interpreter.gpu().info.kind == AdapterKind::Software).then_some(TURNS_SOFTWARE),
        ..Options::default()
    };
    Ok(State::of(launch, ranges, &options).map_err(Refusal::from))
}

impl Translator {
    /// The shader for a launch.
    pub(super) fn compiled(
        &self,
        interpreter: &Interpreter,
        launch: &Checked,
        ready: &Arc<Ready>,
        ranges: &[Range<u64>],
    ) -> Result<Shader, GpuError> {
        if let Some(refusal) = Refusal::of(launch) {
            return Ok(Err(refusal));
        }
        match state(interpreter, launch, ranges, false)? {
            Ok(state) => self.shader(interpreter, launch, ready, state, false),
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    /// The shader for a launch in a state; `batch`: whether the launch is part of a batch.
    fn shader(
        &self,
        interpreter: &Interpreter,
        launch: &Checked,
        ready: &Arc<Ready>,
        state: State,
        batch: bool,
    ) -> Result<Shader, GpuError> {
        let request = Request {
            gpu: interpreter.gpu(),
            cache: interpreter.pipelines.cache(),
            program: &launch.program,
            ready,
            key: Key::new(ready, state),
        };
        let Some(Tiers { costs, waits }) = &self.tiered else {
            return self.compiler.now(request);
        };
        let estimate = Estimate::of(launch);
        let waits = *waits && !batch;
        self.compiler.by_costs(request, &estimate, costs, waits)
    }

    /// The ticket of a launch that runs as a translated shader.
    pub(super) fn ticket(&self, launch: &Checked, work: Vec<u64>) -> Ticket {
        let pending = launch.pending(Ran { engine: NAME, why: Some(self.why(launch)) });
        Ticket { work, groups_and_points: groups_and_points(launch), pending }
    }

    /// Why a launch ran as a translated shader.
    pub(super) fn why(&self, launch: &Checked) -> Why {
        let reason = match &self.tiered {
            None => "the program translates".to_string(),
            Some(_) => {
                format!("{}, with a shader of their own", Estimate::of(launch))
            }
        };
        Why { kind: "translated", reason }
    }
}

/// The refusal for the reason that a shader reported when it gave up; `None` if it did not.
pub(super) fn gave_up(why: u32) -> Option<Refusal> {
    let what = match why {
        0 => return None,
        why if why & GAVE_UP_FAULT != 0 => "a write outside a surface",
        _ => "the instruction budget",
    };
    Some(Refusal::GaveUp(what))
}

/// The groups and points that a launch will run, if they are known in advance.
pub(super) fn groups_and_points(launch: &Checked) -> Option<(u64, u64)> {
    let counted = launch.condition.location == Location::Pe && launch.condition.test.reads_buffer();
    (!counted).then(|| (launch.grouping.count(), launch.domain.points()))
}

/// Runs programs as translated shaders.
pub struct Translated {
    // Declared first, so that the compiler's thread ends before the device is dropped.
    pub(super) translator: Translator,
    pub(super) interpreter: Interpreter,
    pub(super) lanes: Mutex<Vec<Lane>>,
}

impl Translated {
    /// Opens the adapter.
    ///
    /// # Errors
    /// When the adapter does not exist or cannot be used.
    pub fn open(choice: &AdapterChoice) -> Result<Translated, GpuError> {
        Ok(Translated::on(Gpu::open(choice)?))
    }

    /// The engine on an open adapter; it translates every program that it can.
    pub fn on(gpu: Gpu) -> Translated {
        Translated {
            interpreter: Interpreter::on(gpu),
            translator: Translator::default(),
            lanes: Mutex::default(),
        }
    }

    /// The tiered engine chooses the faster of the two. The interpreter runs small launches, and
    /// longer ones until a thread has compiled their shader. A launch that takes longer than
    /// compiling waits for its shader. On adapters that run on the CPU, all launches wait for their
    /// shaders, except in batches.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn tiered(choice: &AdapterChoice) -> Result<Translated, GpuError> {
        Ok(Translated::tiered_on(Gpu::open(choice)?))
    }

    /// [`tiered`](Self::tiered) on an open adapter.
    pub fn tiered_on(gpu: Gpu) -> Translated {
        let waits = gpu.info.kind == AdapterKind::Software;
        let mut engine = Translated::on(gpu);
        engine.translator.tiered = Some(Tiers { costs: COSTS, waits });
        engine
    }

    /// The same with [`Interpreter::with_fallback`].
    #[must_use]
    pub fn with_fallback(mut self, note: fn(&str)) -> Translated {
        self.interpreter.fallback = Some(Fallback::new(note));
        self
    }

    /// The same with other costs and the waiting rules of a GPU on every adapter: for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn with_costs(mut self, costs: Costs) -> Translated {
        self.translator.tiered = Some(Tiers { costs, waits: false });
        self
    }

    /// The same with at most `most` point-instructions in a dispatch: for tests of launches that
    /// are cut into several.
    #[doc(hidden)]
    #[must_use]
    pub fn with_most(mut self, most: u64) -> Translated {
        self.interpreter.most = most;
        self
    }

    /// Waits until no background compilation is running: for tests.
    #[doc(hidden)]
    pub fn settle(&self) {
        self.translator.compiler.settle();
    }

    /// The interpreter that runs launches that are not translated.
    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    /// Why a launch on this memory does not run as a translated shader; `None` if it does. A
    /// refusal that only appears while the shader runs is not included.
    ///
    /// # Errors
    /// As [`Engine::run`].
    pub fn refusal(
        &self,
        launch: &Launch,
        memory: &Memory,
    ) -> Result<Option<Refusal>, LaunchError> {
        let launch = Checked::new(launch)?;
        let ready = self.interpreter.ready(&launch)?;
        let ranges = ranges(memory);
        self.translator
            .compiled(&self.interpreter, &launch, &ready, &ranges)
            .map(|compiled| compiled.err())
            .map_err(|error| LaunchError::Adapter { engine: NAME, error })
    }
}

impl Translated {
    /// The shader of a launch whose memory is packed into one window, on a lane's device, or why the
    /// interpreter runs it. `shaders` are those of the lane's own device.
    pub(super) fn packed_shader(
        &self,
        launch: &Checked,
        ranges: &[Range<u64>],
        shaders: Option<&mut Shaders>,
        gpu: &Gpu,
    ) -> Result<Shader, LaunchError> {
        let failed = |error| LaunchError::Adapter { engine: NAME, error };
        // A lost engine device counts as lost also for lanes with their own device.
        self.interpreter.gpu().check().map_err(failed)?;
        let ready = self.interpreter.ready(launch)?;
        if let Some(refusal) = Refusal::of(launch) {
            return Ok(Err(refusal));
        }
        let state = match state(&self.interpreter, launch, ranges, true).map_err(failed)? {
            Ok(state) => state,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let Some(shaders) = shaders else {
            let shader = self.translator.shader(&self.interpreter, launch, &ready, state, true);
            return shader.map_err(failed);
        };
        let key = Key::new(&ready, state);
        if let Some(Entry::Done(shader)) = shaders.get(&key) {
            return Ok(shader.clone());
        }
        let made = shaders::compile(gpu, None, &launch.program, &ready, &key.1).map_err(failed)?;
        shaders.insert(key, &launch.program, &ready, Entry::Done(made.clone()));
        Ok(made)
    }
}

/// The address ranges of memory.
pub(super) fn ranges(memory: &Memory) -> Vec<Range<u64>> {
    memory
        .ranges()
        .map(|(base, bytes)| u64::from(base)..u64::from(base) + bytes.len() as u64)
        .collect()
}

impl Engine for Translated {
    fn name(&self) -> &'static str {
        match self.translator.tiered {
            Some(_) => TIERED,
            None => NAME,
        }
    }

    fn adapter(&self) -> Option<String> {
        self.interpreter.adapter()
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
        batch::run(&self.interpreter, Some(self), items, progress)
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
