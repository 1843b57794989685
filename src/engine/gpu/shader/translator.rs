//! Which programs get a shader, and why others do not.

use crate::engine::estimate::{Costs, Estimate};
use crate::engine::gpu::abi::encode::Ready;
use crate::engine::gpu::abi::results::GAVE_UP_FAULT;
use crate::engine::gpu::device::adapter::AdapterKind;
use crate::engine::gpu::device::connection::Gpu;
use crate::engine::gpu::device::error::GpuError;
use crate::engine::gpu::shader::compiled::{self, Entry, Key, Shader, Shaders};
use crate::engine::gpu::shader::compiler::{Compiler, Request};
use crate::engine::gpu::shader::translate::{Options, Reason, State};
use crate::engine::{Checked, Why};
use std::ops::Range;
use std::sync::Arc;

/// The most iterations that the loops of a translated program may make on adapters that run on the
/// CPU. Mesa's llvmpipe ends all loops of an invocation after 65535 iterations.
const ITERATIONS_SOFTWARE: u64 = 65_000;

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
    pub(in crate::engine::gpu) fn of(launch: &Checked) -> Option<Refusal> {
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
    pub(in crate::engine::gpu) fn why(&self) -> Why {
        Why { kind: self.kind(), reason: self.to_string() }
    }
}

/// The shaders of programs, and the choice of programs that get one.
#[derive(Default)]
pub(in crate::engine::gpu) struct Translator {
    pub(in crate::engine::gpu) compiler: Compiler,
    /// If set, only programs that are worth a shader by these costs get one.
    pub(in crate::engine::gpu) tiered: Option<Tiers>,
}

/// How a tiered engine chooses.
pub(in crate::engine::gpu) struct Tiers {
    pub costs: Costs,
    /// Whether launches always wait for their shader, even small ones. This holds on adapters that
    /// run on the CPU: there, compiling the interpreter takes longer than compiling a program.
    pub waits: bool,
}

/// The state that a launch's shader depends on, or why there is no shader. `packed`: everything is
/// in one window, including the copies of what the launch both reads and writes.
fn state(
    target: &Target,
    launch: &Checked,
    ranges: &[Range<u64>],
    packed: bool,
) -> Result<State, Refusal> {
    let options = Options {
        guards: target.guards as u8,
        packed,
        iterations: (target.gpu.info.kind == AdapterKind::Software).then_some(ITERATIONS_SOFTWARE),
        ..Options::default()
    };
    Ok(State::of(launch, ranges, &options)?)
}

/// What shaders are compiled for.
pub(in crate::engine::gpu) struct Target<'a> {
    /// The adapter.
    pub gpu: &'a Gpu,
    /// Compiled pipelines on disk.
    pub cache: Option<&'a wgpu::PipelineCache>,
    /// The guard level for the launch's mode.
    pub guards: u32,
}

impl Translator {
    /// The shader for a launch, whose [`Refusal::of`] is `None`.
    pub(in crate::engine::gpu) fn shader(
        &self,
        target: &Target,
        launch: &Checked,
        ready: &Arc<Ready>,
        ranges: &[Range<u64>],
    ) -> Result<Shader, GpuError> {
        match state(target, launch, ranges, false) {
            Ok(state) => self.in_state(target, launch, ready, state, false),
            Err(refusal) => Ok(Err(refusal)),
        }
    }

    /// The same for a launch whose memory is packed into one window. `own` is the device of a lane,
    /// if it is not the target's, with its shaders.
    pub(in crate::engine::gpu) fn packed_shader(
        &self,
        target: &Target,
        launch: &Checked,
        ready: &Arc<Ready>,
        ranges: &[Range<u64>],
        own: Option<(&Gpu, &mut Shaders)>,
    ) -> Result<Shader, GpuError> {
        let state = match state(target, launch, ranges, true) {
            Ok(state) => state,
            Err(refusal) => return Ok(Err(refusal)),
        };
        let Some((gpu, shaders)) = own else {
            return self.in_state(target, launch, ready, state, true);
        };
        let key = Key::new(ready, state);
        if let Some(Entry::Done(shader)) = shaders.get(&key) {
            return Ok(shader.clone());
        }
        let made = compiled::compile(gpu, None, &launch.program, ready, &key.1)?;
        shaders.insert(key, &launch.program, ready, Entry::Done(made.clone()));
        Ok(made)
    }

    /// The shader for a launch in a state; `batch`: whether the launch is part of a batch.
    fn in_state(
        &self,
        target: &Target,
        launch: &Checked,
        ready: &Arc<Ready>,
        state: State,
        batch: bool,
    ) -> Result<Shader, GpuError> {
        let request = Request {
            gpu: target.gpu,
            cache: target.cache,
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

    /// Why a launch ran as a translated shader.
    pub(in crate::engine::gpu) fn why(&self, launch: &Checked) -> Why {
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
pub(in crate::engine::gpu) fn gave_up(why: u32) -> Option<Refusal> {
    let what = match why {
        0 => return None,
        why if why & GAVE_UP_FAULT != 0 => "a write outside a surface",
        _ => "the instruction budget",
    };
    Some(Refusal::GaveUp(what))
}
