//! The choice of programs that get a shader, and the reasons why others do not.

use crate::device::adapter::AdapterKind;
use crate::device::connection::Gpu;
use crate::shader::compiled::{Entry, Job, Shader, Shaders};
use crate::shader::compiler::Compiler;
use ctm_machine::engine::GpuError;
use ctm_machine::engine::estimate::{Costs, Estimate};
use ctm_machine::engine::policy::Asked;
use ctm_machine::engine::{Checked, Why};
use ctm_shade::abi::encode::Ready;
use ctm_shade::abi::results::GAVE_UP_FAULT;
use ctm_shade::guards::Guards;
use ctm_shade::translate::{Options, State};
use std::ops::Range;
use std::sync::Arc;

/// The most iterations that the loops of a translated program may make on adapters that run on the
/// CPU. Mesa's llvmpipe ends all loops of an invocation after 65535 iterations.
const ITERATIONS_SOFTWARE: u64 = 65_000;

/// The shaders of programs, and the choice of programs that get one.
#[derive(Default)]
pub(crate) struct Translator {
    pub(crate) compiler: Compiler,
    /// If set, the interpreter runs programs until they have a shader.
    pub(crate) tiered: Option<Tiers>,
}

/// The parameters of a tiered engine's choice.
pub(crate) struct Tiers {
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
) -> Result<State, Why> {
    let options = Options {
        guards: target.guards,
        packed,
        iterations: (target.gpu.info.kind == AdapterKind::Software).then_some(ITERATIONS_SOFTWARE),
        ..Options::default()
    };
    State::of(launch, ranges, &options)
}

/// The adapter and settings that shaders are compiled for.
pub(crate) struct Target<'a> {
    /// The adapter.
    pub gpu: &'a Gpu,
    /// Compiled pipelines on disk.
    pub cache: Option<&'a wgpu::PipelineCache>,
    /// The guard level for the launch's mode.
    pub guards: Guards,
}

impl Translator {
    /// The engine that it serves.
    pub(crate) fn asked(&self) -> Asked<'static> {
        match self.tiered {
            Some(_) => Asked::Gpu,
            None => Asked::Translated,
        }
    }

    /// The shader for a launch, for which the policy chooses one.
    pub(crate) fn shader(
        &self,
        target: &Target,
        launch: &Checked,
        ready: &Arc<Ready>,
        ranges: &[Range<u64>],
    ) -> Result<Shader, GpuError> {
        match state(target, launch, ranges, false) {
            Ok(state) => self.in_state(target, launch, ready, state, false),
            Err(why) => Ok(Err(why)),
        }
    }

    /// The same for a launch whose memory is packed into one window. `own` is the device of a lane,
    /// if it is not the target's, with its shaders.
    pub(crate) fn packed_shader(
        &self,
        target: &Target,
        launch: &Checked,
        ready: &Arc<Ready>,
        ranges: &[Range<u64>],
        own: Option<(&Gpu, &mut Shaders)>,
    ) -> Result<Shader, GpuError> {
        let state = match state(target, launch, ranges, true) {
            Ok(state) => state,
            Err(why) => return Ok(Err(why)),
        };
        let Some((gpu, shaders)) = own else {
            return self.in_state(target, launch, ready, state, true);
        };
        let job = Job::new(&launch.program, ready, state);
        if let Some(Entry::Done(shader)) = shaders.get(&job.key) {
            return Ok(shader.clone());
        }
        let made = job.compile(gpu, None)?;
        shaders.insert(&job, Entry::Done(made.clone()));
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
        let job = Job::new(&launch.program, ready, state);
        let Some(Tiers { costs, waits }) = &self.tiered else {
            return self.compiler.now(target, &job);
        };
        if *waits && !batch || Estimate::of(launch).work() >= costs.wait {
            return self.compiler.waited(target, &job);
        }
        Ok(self.compiler.background(target, job))
    }
}

/// The reason why the interpreter has to run a launch, from the code that its shader reported when
/// it gave up; `None` if it did not.
pub(crate) fn gave_up(why: u32) -> Option<Why> {
    let what = match why {
        0 => return None,
        why if why & GAVE_UP_FAULT != 0 => "a write outside a surface",
        _ => "the instruction budget",
    };
    Some(Why::new("gave up", format!("a fault or a hazard showed while it ran: {what}")))
}
