//! Engines run launches against memory.
//!
//! All engines give the same memory and faults in mode `exact`, bit for bit, and the same
//! statistics if a launch asks for them. An engine knows nothing of commands, queues or job files.

use crate::launch::{FloatMode, Globals, Launch};
use crate::memory::Memory;
use ctm_base::panics::{self, Panic};
use rayon::prelude::*;
use std::time::Duration;

pub mod block;
pub mod card;
pub mod checked;
pub mod condition;
pub mod estimate;
pub mod fault;
mod gpu_error;
pub mod groups;
pub mod host;
pub mod many;
pub mod policy;
mod pool;
pub mod reference;
mod session;
mod stop;
pub mod writes;

pub use checked::Checked;
pub use ctm_base::stop::{Stop, Stopped};
pub use fault::{Fault, FaultCode, Faults};
pub use gpu_error::GpuError;
pub use many::run_many;
pub use pool::Pool;
pub use session::{Session, Spent};

/// The names of the engines. The first, `auto`, chooses the best engine for this machine. A build
/// without the feature `gpu` knows all names; it can open the CPU engines and `auto`, which is then
/// `block`.
pub const NAMES: [&str; 6] = ["auto", "reference", "block", "interpreter", "translated", "gpu"];

macro_rules! statistics {
    ($($(#[$doc:meta])* $field:ident;)*) => {
        /// Exact counts of a launch, the same from every engine.
        ///
        /// Group instructions include idle ones. Lane instructions, fetches, divergence and kills
        /// count active covered points only.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
        pub struct Statistics {
            $($(#[$doc])* pub $field: u64,)*
        }

        impl Statistics {
            /// The counters with their names, which are those of the fields: the keys of
            /// `ctm run --json` and of Python.
            pub fn counters(&self) -> impl Iterator<Item = (&'static str, u64)> + use<> {
                [$((stringify!($field), self.$field)),*].into_iter()
            }
        }

        impl std::ops::AddAssign for Statistics {
            fn add_assign(&mut self, other: Statistics) {
                $(self.$field += other.$field;)*
            }
        }
    };
}

statistics! {
    /// Groups that ran.
    groups;
    /// Points covered at the start.
    points;
    /// Group instructions of type ALU.
    alu;
    /// Group instructions of type OUT.
    out;
    /// Group instructions of type TEX.
    tex;
    /// Group instructions of type TEX that fetch (LD, PROJ, LODBIAS, LOD, DXDY).
    tex_fetching;
    /// Group instructions of type FC.
    fc;
    /// Sum over group instructions of the active covered points.
    lane_instructions;
    /// Sum over fetching group instructions of the active covered points.
    fetches;
    /// FC group instructions that diverged: some active covered points jump and others do not.
    divergent;
    /// Points killed.
    killed;
    /// Pairs of an active covered point and a shared register that it read as an operand.
    shared_reads;
    /// Pairs of an active covered point and a shared register that it wrote as a destination.
    shared_writes;
    /// Steps in which one group of a pair read what the other one wrote.
    shared_conflicts;
}

/// The result of a launch. Two outcomes are equal if the launches did the same; the engines that
/// ran them may differ.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Counters; `None` if the launch did not ask for them.
    pub statistics: Option<Statistics>,
    /// Groups that ran; always counted.
    pub groups: u64,
    /// Points covered at the start of their group; always counted.
    pub points: u64,
    /// The faults, as data.
    pub faults: Faults,
    /// The global registers after the launch, in the order of `Shared::globals`; `None` if its
    /// program uses no data sharing.
    pub shared: Option<Globals>,
    /// Reads and writes of the launch that overlap, as human-readable text \[our decision:
    /// reported, never an error\].
    pub hazards: Vec<String>,
    /// The engine that ran it.
    pub ran: Ran,
}

impl PartialEq for Outcome {
    fn eq(&self, other: &Outcome) -> bool {
        let effects = |outcome: &Outcome| (outcome.statistics, outcome.groups, outcome.points);
        effects(self) == effects(other)
            && self.faults == other.faults
            && self.shared == other.shared
            && self.hazards == other.hazards
    }
}

impl Eq for Outcome {}

impl Outcome {
    /// The same, with the reason for the choice of its engine.
    #[must_use]
    pub fn because(mut self, why: Why) -> Outcome {
        self.ran.why = Some(why);
        self
    }
}

/// The engine that ran a launch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ran {
    /// The name of the engine.
    pub engine: &'static str,
    /// The reason, if there was a choice.
    pub why: Option<Why>,
    /// The GPU's work by its own clock; of launches that ran together, each has the same share. `None` of a launch in
    /// a session of several ([`Session::spent`] has their sum), or if nothing measured it. The time of a shader that
    /// gave up is not counted.
    pub gpu: Option<Duration>,
}

impl Ran {
    /// The name of the engine that runs translated shaders.
    pub const SHADER: &str = "translated";

    /// Whether a translated shader ran the launch.
    pub fn is_shader(&self) -> bool {
        self.engine == Ran::SHADER
    }
}

/// The reason for the choice of an engine for a launch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error, serde::Serialize)]
#[error("{reason}")]
pub struct Why {
    /// The reason in a few words and without numbers. Reports count launches by it.
    pub kind: &'static str,
    /// The reason, human-readable.
    pub reason: String,
}

impl Why {
    /// The kind of reason for launches that are too small for the faster engine.
    pub const SMALL: &str = "small";

    /// The kind of reason when there was no choice: there is no usable GPU.
    pub const NO_GPU: &str = "no GPU";

    /// A reason of a kind.
    pub fn new(kind: &'static str, reason: impl ToString) -> Why {
        Why { kind, reason: reason.to_string() }
    }
}

/// Errors of a launch that was not run, or not to its end. A launch that was not run has written
/// nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// An instruction uses an input or output without a format.
    #[error("{name} was never set, but the instruction at {place} {uses}")]
    NotSet {
        /// The input or output, such as `input 3`, with its name in the source.
        name: String,
        /// The first such instruction.
        pc: u32,
        /// The place of that instruction for messages, such as `pc 3`, and its place in the source.
        place: String,
        /// Its use: "fetches from it" or "writes it".
        uses: &'static str,
    },
    /// Another part of the launch that no engine can run: a bound, a format, initial data, shared
    /// registers.
    #[error("{0}")]
    Invalid(String),
    /// The engine's adapter failed.
    #[error("engine {engine}: {error}")]
    Adapter {
        /// The engine.
        engine: &'static str,
        /// The error of the adapter.
        error: GpuError,
    },
    /// The engine cannot do what the launch asks for.
    #[error("engine {engine}: {reason}")]
    Unsupported {
        /// The engine.
        engine: &'static str,
        /// The reason.
        reason: String,
    },
    /// The engine failed for a reason other than its adapter or the launch. Memory is as it was
    /// when the engine last brought it up to date.
    #[error("engine {engine} failed: {reason}")]
    Failed {
        /// The engine.
        engine: &'static str,
        /// The reason.
        reason: String,
    },
    /// The engine panicked. Memory may have a part of what the launch writes.
    #[error("engine {engine}: {panic}")]
    Panic {
        /// The engine.
        engine: &'static str,
        /// The panic.
        panic: Panic,
    },
    /// The launch reads bytes whose latest value only a lost GPU had.
    #[error("{surfaces}: only the lost GPU had the latest bytes")]
    Lost {
        /// The surfaces that read them.
        surfaces: String,
    },
    /// The launch was stopped before or while it ran. Each of its groups has written all or nothing.
    /// The writes of the conditional operation before a group started (location PE) stay, as they do
    /// when the group faults.
    #[error("the launch was {0}; its results are incomplete")]
    Stopped(#[from] Stopped),
}

/// Receives the progress of a launch, and can end it early; [`NoProgress`] does neither. Calls may come from any
/// thread, and out of order.
pub trait Progress: Sync {
    /// `done` of `total` groups have ended.
    fn groups(&self, _done: u64, _total: u64) {}

    /// The stop that ends the launch early. Engines check it between groups, slices and dispatches.
    /// CPU engines also check it during long groups.
    fn stop(&self) -> &Stop {
        Stop::never()
    }
}

/// Ignores progress, and stops on demand.
impl Progress for Stop {
    fn stop(&self) -> &Stop {
        self
    }
}

/// Ignores progress and never stops a run: for callers that follow no launch, batch or job. A [`Stop`] can stop it.
pub struct NoProgress;

impl Progress for NoProgress {}

impl BatchProgress for NoProgress {}

/// One launch of a batch and the memory it runs against.
#[derive(Debug)]
pub struct BatchItem<'a> {
    /// The launch.
    pub launch: &'a Launch,
    /// Its memory, which no other item shares.
    pub memory: &'a mut Memory,
}

/// A launch of a batch after its check.
#[derive(Debug)]
pub struct CheckedItem<'a> {
    /// The launch.
    pub launch: Checked<'a>,
    /// Its memory, which no other item shares.
    pub memory: &'a mut Memory,
}

/// Receives the progress of a batch. Calls may come from any thread, and out of order.
pub trait BatchProgress: Sync {
    /// `done` of `total` launches have ended.
    fn launches(&self, _done: u64, _total: u64) {}

    /// The stop that ends the batch early, as [`Progress::stop`] does for a launch. The result of
    /// each launch that it stops is [`LaunchError::Stopped`].
    fn stop(&self) -> &Stop {
        Stop::never()
    }
}

/// The progress of the items that passed their check, of a batch in which `refused` did not.
struct Rest<'a> {
    progress: &'a dyn BatchProgress,
    refused: u64,
}

impl BatchProgress for Rest<'_> {
    fn launches(&self, done: u64, total: u64) {
        self.progress.launches(self.refused + done, self.refused + total);
    }

    fn stop(&self) -> &Stop {
        self.progress.stop()
    }
}

impl BatchProgress for Stop {
    fn stop(&self) -> &Stop {
        self
    }
}

/// Does the work of an engine for one launch of many: a panic is an error of that launch.
///
/// # Errors
/// The errors of the work, and [`LaunchError::Panic`].
pub fn caught<T>(
    engine: &'static str,
    work: impl FnOnce() -> Result<T, LaunchError>,
) -> Result<T, LaunchError> {
    panics::catch(work).unwrap_or_else(|panic| Err(LaunchError::Panic { engine, panic }))
}

/// Runs launches. [`block::Block`] and [`reference::Reference`] do so on the CPU; `ctm::engine::open` opens any engine
/// by its name.
pub trait Engine: Send + Sync {
    /// The name that `--engine` takes.
    fn name(&self) -> &'static str;

    /// The adapter it runs on, human-readable; `None` for the host's CPU.
    fn adapter(&self) -> Option<String> {
        None
    }

    /// Whether it runs a small launch in the caller's thread, in less time than another thread takes
    /// to begin.
    fn is_prompt(&self) -> bool {
        false
    }

    /// Whether statistics select a different code path; if so, tests must exercise both.
    fn counts_apart(&self) -> bool {
        false
    }

    /// Whether it computes in this mode itself, and does not leave such launches to another engine.
    fn computes(&self, _mode: FloatMode) -> bool {
        true
    }

    /// Checks a launch and runs it to its end. Faults are part of the outcome.
    ///
    /// # Errors
    /// If the launch cannot be run; memory is then unchanged. [`LaunchError::Stopped`] if
    /// `progress` stopped it.
    fn run(
        &self,
        launch: &Launch,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        self.run_checked(&Checked::new(launch)?, memory, progress)
    }

    /// Runs a launch that was checked.
    ///
    /// # Errors
    /// As [`run`](Engine::run).
    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError>;

    /// Begins a session: several launches on one memory. The engine may queue them and may keep
    /// their results until the caller reads memory. By default each launch of a session is a
    /// [`run`](Engine::run).
    fn session<'a>(&'a self, memory: &'a mut Memory) -> Box<dyn Session<'a> + 'a> {
        Box::new(session::Immediate::new(self, memory))
    }

    /// Runs independent launches, which may have different programs. Each runs to its end against
    /// its own memory, in any order. The results are those of [`Engine::run`], in the order of the
    /// items. A launch that faults, cannot be run or makes the engine panic does not affect the others.
    fn run_batch(
        &self,
        items: &mut [BatchItem<'_>],
        progress: &dyn BatchProgress,
    ) -> Vec<Result<Outcome, LaunchError>> {
        let launches = items.par_iter_mut().map(|item| item.launch);
        let checks = launches.map(|launch| caught(self.name(), || Checked::new(launch)));
        let checks: Vec<_> = checks.collect();
        let mut valid = Vec::with_capacity(items.len());
        let mut refused = Vec::with_capacity(items.len());
        for (item, checked) in items.iter_mut().zip(checks) {
            refused.push(checked.map(|launch| {
                valid.push(CheckedItem { launch, memory: &mut *item.memory });
            }));
        }
        let invalid = (refused.len() - valid.len()) as u64;
        let rest = Rest { progress, refused: invalid };
        if valid.is_empty() {
            progress.launches(invalid, invalid);
        }
        let mut ran = self.run_checked_batch(&mut valid, &rest).into_iter();
        refused
            .into_iter()
            .map(|check| {
                check.and_then(|()| {
                    ran.next().unwrap_or_else(|| {
                        Err(LaunchError::Failed {
                            engine: self.name(),
                            reason: "the launch was left out of its batch".into(),
                        })
                    })
                })
            })
            .collect()
    }

    /// Runs the launches of a batch that were checked.
    fn run_checked_batch(
        &self,
        items: &mut [CheckedItem<'_>],
        progress: &dyn BatchProgress,
    ) -> Vec<Result<Outcome, LaunchError>> {
        let total = items.len() as u64;
        let mut results = Vec::with_capacity(items.len());
        for item in items {
            results.push(caught(self.name(), || {
                self.run_checked(&item.launch, item.memory, progress.stop())
            }));
            progress.launches(results.len() as u64, total);
        }
        results
    }
}
