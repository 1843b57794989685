//! The engine that runs each program as a shader of its own; what cannot be translated, or is not
//! worth it, goes to the interpreter on the same adapter.

use super::connection::Gpu;
use super::error::GpuError;
use super::plan::Ready;
use super::session::GpuSession;
use super::translate::{GAVE_UP, Options, Reason, State, Translation, translate};
use super::{AdapterChoice, AdapterKind, Interpreter, Locked};
use crate::engine::prepare::{self, Reader, Writer};
use crate::engine::{
    BatchItem, BatchProgress, Engine, LaunchError, NoProgress, Outcome, Progress, Session,
};
use crate::launch::{Launch, Location, Test};
use crate::memory::Memory;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Weak};

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
}

/// A compiled translation.
pub(super) struct Compiled {
    pub translation: Translation,
    pub pipeline: wgpu::ComputePipeline,
    pub state: State,
    /// Whether it may notice something that another engine has to report.
    pub may_give_up: bool,
}

/// A program and a state, by their places and contents.
#[derive(PartialEq, Eq, Hash)]
struct Key(usize, State);

struct Kept {
    /// Keeps the place from being used for another program.
    ready: Weak<Ready>,
    compiled: Result<Arc<Compiled>, Refusal>,
}

/// The shaders of programs.
#[derive(Default)]
pub(super) struct Translator {
    kept: Locked<HashMap<Key, Kept>>,
    /// Only what is worth a shader of its own.
    tiered: bool,
}

/// Points times micro-operations from which a shader of its own is worth compiling on a GPU, where
/// the interpreter's are there already.
const EFFORT: u64 = 1 << 20;

impl Translator {
    /// The shader for a launch.
    pub(super) fn compiled(
        &self,
        interpreter: &Interpreter,
        launch: &Launch,
        ready: &Arc<Ready>,
        ranges: &[Range<u64>],
    ) -> Result<Result<Arc<Compiled>, Refusal>, GpuError> {
        let mut options = Options {
            guards: interpreter.guards(launch.mode)? as u8,
            copies: true,
            turns: (interpreter.gpu().info.kind == AdapterKind::Software).then_some(TURNS_SOFTWARE),
            ..Options::default()
        };
        for reader in copied(launch) {
            options.windows[place_of(reader)] = 1;
        }
        let state = match State::of(launch, &ready.lowered, ranges, &options) {
            Ok(state) => state,
            Err(reason) => return Ok(Err(reason.into())),
        };
        let mut kept = self.kept.lock();
        let key = Key(Arc::as_ptr(ready).addr(), state);
        if let Some(one) = kept.get(&key) {
            return Ok(one.compiled.clone());
        }
        let effort = launch.domain.points() * ready.lowered.ops.len() as u64;
        let software = interpreter.gpu().info.kind == AdapterKind::Software;
        if self.tiered && effort < EFFORT && !software {
            return Ok(Err(Refusal::Small { effort }));
        }
        let compiled = compile(interpreter, launch, ready, &key.1)?;
        if kept.len() >= KEPT {
            kept.retain(|_, one| one.ready.strong_count() != 0);
            if kept.len() >= KEPT {
                kept.clear();
            }
        }
        let one = Kept {
            ready: Arc::downgrade(ready),
            compiled: compiled.clone(),
        };
        kept.insert(key, one);
        Ok(compiled)
    }
}

fn compile(
    interpreter: &Interpreter,
    launch: &Launch,
    ready: &Ready,
    state: &State,
) -> Result<Result<Arc<Compiled>, Refusal>, GpuError> {
    let translation = match translate(&launch.program, &ready.lowered, state) {
        Ok(translation) => translation,
        Err(reason) => return Ok(Err(reason.into())),
    };
    let gpu = interpreter.gpu();
    let bounds = |output: &Option<super::translate::Output>| {
        output
            .as_ref()
            .is_some_and(|output| output.bounds.is_some())
    };
    let may_give_up = translation.stats.counted
        || state.outputs.iter().any(bounds)
        || state.condition.as_ref().is_some_and(|c| bounds(&c.buffer));
    let pipeline = gpu
        .scoped("a translated program", |device| {
            pipeline(device, &translation, interpreter.pipelines.cache())
        })
        .map_err(GpuError::in_shader)?;
    Ok(Ok(Arc::new(Compiled {
        translation,
        pipeline,
        state: state.clone(),
        may_give_up,
    })))
}

fn pipeline(
    device: &wgpu::Device,
    translation: &Translation,
    cache: Option<&wgpu::PipelineCache>,
) -> wgpu::ComputePipeline {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(NAME),
        source: wgpu::ShaderSource::Wgsl(translation.wgsl.as_str().into()),
    };
    let checks = wgpu::ShaderRuntimeChecks {
        force_loop_bounding: false,
        ..wgpu::ShaderRuntimeChecks::checked()
    };
    // SAFETY: what is switched off are only the counters that end endless loops. A translated loop
    // has a constant number of turns, and where all together may be more than the instruction
    // budget the shader counts and ends itself. The counters cost up to half of a short loop.
    let module = unsafe { device.create_shader_module_trusted(descriptor, checks) };
    let entry = |binding: u32, ty: wgpu::BufferBindingType| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let storage = |read_only: bool| wgpu::BufferBindingType::Storage { read_only };
    let group = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &[
            entry(0, wgpu::BufferBindingType::Uniform),
            entry(1, storage(true)),
            entry(2, storage(false)),
            entry(3, storage(false)),
            entry(4, storage(false)),
        ],
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&group)],
        immediate_size: 0,
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(NAME),
        layout: Some(&layout),
        module: &module,
        entry_point: Some(translation.entry),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache,
    })
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

/// Whether no group of a launch can run.
pub(super) fn never_runs(launch: &Launch) -> bool {
    launch.condition.location == Location::Pe && launch.condition.test == Test::Never
}

/// Runs programs as shaders of their own.
pub struct Translated {
    interpreter: Interpreter,
    translator: Translator,
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
        let total = items.len() as u64;
        let mut results = Vec::with_capacity(items.len());
        for item in items {
            results.push(self.run(item.launch, item.memory, &NoProgress));
            progress.launches(results.len() as u64, total);
        }
        results
    }
}
