//! The choice of programs that get a shader, and the reasons why others do not.

use crate::device::adapter::AdapterKind;
use crate::device::connection::Gpu;
use crate::shader::compiled::{Entry, Job, Shader, Shaders};
use crate::shader::compiler::Compiler;
use ctm_machine::engine::GpuError;
use ctm_machine::engine::estimate::{Costs, Estimate};
use ctm_machine::engine::policy::Asked;
use ctm_machine::engine::{Checked, Why};
use ctm_machine::launch::FloatMode;
use ctm_shade::abi::encode::Ready;
use ctm_shade::abi::results::GAVE_UP_FAULT;
use ctm_shade::guards::Guards;
use ctm_shade::translate::{self, Options, Sizes, State};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Weak};

/// The most iterations that the loops of a translated program may make on adapters that run on the
/// CPU. Mesa's llvmpipe ends all loops of an invocation after 65535 iterations.
const ITERATIONS_SOFTWARE: u64 = 65_000;

/// The shaders of programs, and the choice of programs that get one.
#[derive(Default)]
pub(crate) struct Translator {
    pub(crate) compiler: Compiler,
    /// If set, the interpreter runs programs until they have a shader.
    pub(crate) tiered: Option<Tiers>,
    /// For the programs of the latest launches, by address, the weakest bound of the surfaces that they
    /// fetched from.
    pub(crate) texels: Mutex<HashMap<usize, (Weak<Ready>, Sizes)>>,
}

/// The most programs in [`Translator::texels`].
const PROGRAMS: usize = 1024;

/// The parameters of a tiered engine's choice.
pub(crate) struct Tiers {
    pub costs: Costs,
    /// Whether launches always wait for their shader, even small ones. This holds on adapters that
    /// run on the CPU: there, compiling the interpreter takes longer than compiling a program.
    pub waits: bool,
}

/// The state that a launch's shader depends on, or why there is no shader. `packed`: everything is
/// in one window, including the copies of what the launch both reads and writes. `texels`: what is certain
/// of the float surfaces that it fetches from.
fn state(
    target: &Target,
    launch: &Checked,
    ranges: &[Range<u64>],
    packed: bool,
    texels: Sizes,
) -> Result<State, Why> {
    let options = Options {
        guards: target.guards,
        packed,
        texels,
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

    /// The bound by which a launch is translated: the weakest of its program's launches so far. So data
    /// that change cost a program at most two more shaders. `look` finds that of the launch.
    fn steady(&self, ready: &Arc<Ready>, look: impl FnOnce() -> Sizes) -> Sizes {
        let key = Arc::as_ptr(ready).addr();
        if let Some((_, Sizes::Any)) = self.texels.lock().get(&key) {
            return Sizes::Any;
        }
        let now = look();
        let mut texels = self.texels.lock();
        if texels.len() >= PROGRAMS {
            texels.retain(|_, (ready, _)| ready.strong_count() != 0);
        }
        if texels.len() >= PROGRAMS {
            texels.clear();
        }
        let (_, weakest) = texels.entry(key).or_insert_with(|| (Arc::downgrade(ready), now));
        *weakest = now.min(*weakest);
        *weakest
    }

    /// The shader for a launch, for which the policy chooses one. `sizes`: what is certain of the words in
    /// a span of addresses.
    pub(crate) fn shader(
        &self,
        target: &Target,
        launch: &Checked,
        ready: &Arc<Ready>,
        ranges: &[Range<u64>],
        sizes: impl FnMut(&Range<u64>) -> Sizes,
    ) -> Result<Shader, GpuError> {
        let waits = self.waits(launch, false);
        // What the interpreter runs until its shader is there leaves words of which nothing is certain: the
        // next launch would need another shader.
        let texels = if launch.mode == FloatMode::Exact && waits {
            self.steady(ready, || translate::texels(launch, sizes))
        } else {
            Sizes::Any
        };
        match state(target, launch, ranges, false, texels) {
            Ok(state) => self.in_state(target, launch, ready, state, waits),
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
        // Packs have many small memories: looking at each is not worth it.
        let state = match state(target, launch, ranges, true, Sizes::Any) {
            Ok(state) => state,
            Err(why) => return Ok(Err(why)),
        };
        let Some((gpu, shaders)) = own else {
            return self.in_state(target, launch, ready, state, self.waits(launch, true));
        };
        let job = Job::new(&launch.program, ready, state);
        if let Some(Entry::Done(shader)) = shaders.get(&job.key) {
            return Ok(shader.clone());
        }
        let made = job.compile(gpu, None)?;
        shaders.insert(&job, Entry::Done(made.clone()));
        Ok(made)
    }

    /// Whether a launch waits for its shader; `batch`: it is part of a batch.
    fn waits(&self, launch: &Checked, batch: bool) -> bool {
        self.tiered.as_ref().is_none_or(|Tiers { costs, waits }| {
            *waits && !batch || Estimate::of(launch).work() >= costs.wait
        })
    }

    /// The shader for a launch in a state.
    fn in_state(
        &self,
        target: &Target,
        launch: &Checked,
        ready: &Arc<Ready>,
        state: State,
        waits: bool,
    ) -> Result<Shader, GpuError> {
        let job = Job::new(&launch.program, ready, state);
        if self.tiered.is_none() {
            self.compiler.now(target, &job)
        } else if waits {
            self.compiler.waited(target, &job)
        } else {
            Ok(self.compiler.background(target, job))
        }
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
