//! The engine that runs each program as a shader of its own; what cannot be translated, or is not
//! worth it, goes to the interpreter on the same adapter.

mod lanes;
mod shaders;

use super::connection::Gpu;
use super::error::GpuError;
use super::plan::Ready;
use super::session::GpuSession;
use super::translate::{GAVE_UP, Options, Reason, State};
use super::{AdapterChoice, AdapterKind, Interpreter, Locked};
use crate::engine::groups::Grouping;
use crate::engine::prepare::{self, Reader, Writer};
use crate::engine::{
    BatchItem, BatchProgress, Chosen, Engine, LaunchError, Outcome, Progress, Session,
};
use crate::launch::{Launch, Location, Test};
use crate::memory::Memory;
use lanes::Lanes;
pub(super) use shaders::Compiled;
use shaders::{Key, Shaders};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// The engine's name.
const NAME: &str = "translated";

/// The name of the engine that takes what is sooner done.
const TIERED: &str = "gpu";

/// Shaders that are kept.
const KEPT: usize = 1024;

/// Turns that the loops of a translated program may make on adapters that run on the CPU: Mesa's
/// llvmpipe ends all loops of an invocation after 65535.
const TURNS_SOFTWARE: u64 = 65_000;

/// Why a launch is not run as a shader of its own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The program cannot be translated.
    #[error(transparent)]
    Reason(#[from] Reason),
    /// What it touches does not fit one binding.
    #[error("what the launch touches lies in {windows} windows; translated programs have one")]
    Windows {
        /// How many there are.
        windows: usize,
    },
    /// It is done before a shader of its own would be compiled.
    #[error("{effort} points times micro-operations are not worth a shader of their own")]
    Small {
        /// How many.
        effort: u64,
    },
    /// It noticed something while it ran that it cannot report itself.
    #[error("a fault or a hazard showed while it ran: {0}")]
    GaveUp(&'static str),
    /// It has no groups, or its condition lets none run.
    #[error("no group can run")]
    Nothing,
}

impl Refusal {
    /// The refusal in a few words, without numbers and names: what counts go by.
    pub fn kind(&self) -> &'static str {
        match self {
            Refusal::Reason(reason) => reason.kind(),
            Refusal::Windows { .. } => "several windows",
            Refusal::Small { .. } => "small",
            Refusal::GaveUp(_) => "gave up",
            Refusal::Nothing => "nothing to run",
        }
    }

    /// The same as engines tell it: the interpreter runs the launch.
    pub(super) fn chosen(&self) -> Chosen {
        Chosen {
            engine: super::NAME,
            kind: self.kind(),
            reason: self.to_string(),
        }
    }
}

/// The launch ran as a shader of its own.
pub(super) fn chosen_translated() -> Chosen {
    Chosen {
        engine: NAME,
        kind: "translated",
        reason: "the program translates".to_string(),
    }
}

/// The shaders of programs.
pub(super) struct Translator {
    kept: Locked<Shaders>,
    /// Only what is worth a shader of its own.
    tiered: bool,
}

impl Default for Translator {
    fn default() -> Translator {
        Translator {
            kept: Locked(Mutex::new(Shaders::new(KEPT))),
            tiered: false,
        }
    }
}

/// Points times micro-operations from which a shader of its own is worth compiling on a GPU, where
/// the interpreter's are there already.
const EFFORT: u64 = 1 << 20;

/// What a shader for a launch depends on; why there is none. `packed`: what the launch reads lies
/// with what it writes in one window, as a copy.
fn state(
    interpreter: &Interpreter,
    launch: &Launch,
    ready: &Ready,
    ranges: &[Range<u64>],
    packed: bool,
) -> Result<Result<State, Refusal>, GpuError> {
    let mut options = Options {
        guards: interpreter.guards(launch.mode)? as u8,
        copies: true,
        turns: (interpreter.gpu().info.kind == AdapterKind::Software).then_some(TURNS_SOFTWARE),
        ..Options::default()
    };
    if !packed {
        for reader in copied(launch) {
            options.windows[place_of(reader)] = 1;
        }
    }
    Ok(State::of(launch, &ready.lowered, ranges, &options).map_err(Refusal::from))
}

impl Translator {
    /// The shader for a launch.
    pub(super) fn compiled(
        &self,
        interpreter: &Interpreter,
        launch: &Launch,
        ready: &Arc<Ready>,
        ranges: &[Range<u64>],
    ) -> Result<Result<Arc<Compiled>, Refusal>, GpuError> {
        let state = match state(interpreter, launch, ready, ranges, false)? {
            Ok(state) => state,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let mut kept = self.kept.lock();
        let key = Key::new(ready, state);
        if let Some(shader) = kept.get(&key) {
            return Ok(shader);
        }
        let effort = launch.domain.points() * ready.lowered.ops.len() as u64;
        let gpu = interpreter.gpu();
        let software = gpu.info.kind == AdapterKind::Software;
        if self.tiered && effort < EFFORT && !software {
            return Ok(Err(Refusal::Small { effort }));
        }
        let cache = interpreter.pipelines.cache();
        let shader = shaders::compile(gpu, cache, launch, ready, &key.1)?;
        kept.insert(key, ready, shader.clone());
        Ok(shader)
    }
}

/// What the launch touches cannot be made available to a shader of its own.
pub(super) fn unbound(reason: String) -> Chosen {
    Chosen {
        engine: super::NAME,
        kind: "memory",
        reason,
    }
}

/// What a shader told of when it gave up.
pub(super) fn gave_up(why: u32) -> Option<Refusal> {
    let what = match why & GAVE_UP {
        0 => return None,
        why if why & 1 != 0 => "a write outside a surface",
        why if why & 2 != 0 => "the instruction budget",
        _ => "what another point writes",
    };
    Some(Refusal::GaveUp(what))
}

/// Who reads from a copy made before the launch, since the launch writes these bytes.
pub(super) fn copied(launch: &Launch) -> Vec<Reader> {
    let writes_condition = prepare::written(launch)
        .iter()
        .any(|(writer, ..)| *writer == Writer::Condition);
    let mut readers: Vec<Reader> = Vec::new();
    for overlap in prepare::overlaps(launch) {
        // What is written of the conditional buffer must be read where it is written.
        let shared = overlap.reader == Reader::Condition && writes_condition;
        if !shared && !readers.contains(&overlap.reader) {
            readers.push(overlap.reader);
        }
    }
    readers
}

/// The index of a surface that is read in [`Options::windows`] and in the places of a [`Record`].
///
/// [`Record`]: super::translate::Record
pub(super) fn place_of(reader: Reader) -> usize {
    match reader {
        Reader::Input(n) => n,
        Reader::Condition => 20,
    }
}

/// The same of a surface that is written.
pub(super) fn place_of_writer(writer: Writer) -> usize {
    match writer {
        Writer::Output(n) => 16 + n,
        Writer::Condition => 20,
    }
}

/// Whether no group of a launch can run.
pub(super) fn never_runs(launch: &Launch) -> bool {
    launch.domain.is_empty()
        || launch.condition.location == Location::Pe && launch.condition.test == Test::Never
}

/// The groups and points of a launch that runs, where these are known before.
pub(super) fn groups_and_points(launch: &Launch) -> Option<(u64, u64)> {
    let counted = launch.condition.location == Location::Pe && launch.condition.test.reads_buffer();
    (!counted).then(|| (Grouping::of(launch).count(), launch.domain.points()))
}

/// Columns and rows of groups.
pub(super) fn tiles(launch: &Launch) -> (u32, u32) {
    let grouping = Grouping::of(launch);
    let tiles = |low: u32, high: u32, size: u32| high / size - low / size + 1;
    let domain = &launch.domain;
    (
        tiles(domain.i0, domain.i1, grouping.width),
        tiles(domain.j0, domain.j1, grouping.height),
    )
}

/// Runs programs as shaders of their own.
pub struct Translated {
    interpreter: Interpreter,
    translator: Translator,
    lanes: Lanes,
}

impl Translated {
    /// Opens the adapter.
    ///
    /// # Errors
    /// When there is no such adapter or it cannot be used.
    pub fn open(choice: &AdapterChoice) -> Result<Translated, GpuError> {
        Ok(Translated::on(Gpu::open(choice)?))
    }

    /// The engine on an open adapter: everything that can be translated is.
    pub fn on(gpu: Gpu) -> Translated {
        Translated {
            interpreter: Interpreter::on(gpu),
            translator: Translator::default(),
            lanes: Lanes::default(),
        }
    }

    /// The engine that takes whichever of the two is sooner done: on a GPU the interpreter runs
    /// small launches, and everywhere batches.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn tiered(choice: &AdapterChoice) -> Result<Translated, GpuError> {
        let mut engine = Translated::open(choice)?;
        engine.translator.tiered = true;
        Ok(engine)
    }

    /// The interpreter that runs what is not translated.
    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    /// Why a launch on this memory is not run as a shader of its own; `None` if it is, unless that
    /// shows only while it runs.
    ///
    /// # Errors
    /// As [`Engine::run`].
    pub fn refusal(
        &self,
        launch: &Launch,
        memory: &Memory,
    ) -> Result<Option<Refusal>, LaunchError> {
        let ready = self.interpreter.ready(launch)?;
        let ranges = ranges(memory);
        self.translator
            .compiled(&self.interpreter, launch, &ready, &ranges)
            .map(|compiled| compiled.err())
            .map_err(|error| LaunchError::Adapter {
                engine: NAME,
                error,
            })
    }
}

/// The addresses that memory has.
pub(super) fn ranges(memory: &Memory) -> Vec<Range<u64>> {
    memory
        .ranges()
        .map(|(base, bytes)| u64::from(base)..u64::from(base) + bytes.len() as u64)
        .collect()
}

impl Engine for Translated {
    fn name(&self) -> &'static str {
        if self.translator.tiered { TIERED } else { NAME }
    }

    fn adapter(&self) -> Option<String> {
        self.interpreter.adapter()
    }

    fn counts_apart(&self) -> bool {
        true
    }

    fn run(
        &self,
        launch: &Launch,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let mut session = GpuSession::new(&self.interpreter, Some(&self.translator), memory);
        session.run(launch, progress)
    }

    fn session<'a>(&'a self, memory: &'a mut Memory) -> Box<dyn Session<'a> + 'a> {
        Box::new(GpuSession::new(
            &self.interpreter,
            Some(&self.translator),
            memory,
        ))
    }

    fn run_batch(
        &self,
        items: &mut [BatchItem<'_>],
        progress: &dyn BatchProgress,
    ) -> Vec<Result<Outcome, LaunchError>> {
        // Small launches of many programs: a shader for each would not pay.
        if self.translator.tiered {
            return self.interpreter.run_batch(items, progress);
        }
        lanes::run(self, items, progress)
    }
}
