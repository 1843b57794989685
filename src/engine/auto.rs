//! The default engine: each launch runs where it finishes sooner, on the CPU or on a GPU. The
//! outcome has its choice and the reason.
//!
//! Launches that the GPU cannot hold also run on the CPU ([`Translated::with_fallback`]).
//!
//! Results in mode `exact` do not depend on the choice; those in mode `fast` may.

use super::block::Block;
use super::estimate::{COSTS, Costs, Estimate};
use super::gpu::device::adapter::may_have_gpu;
use super::gpu::{AdapterChoice, GpuError, Translated};
use super::{
    BatchProgress, Checked, CheckedItem, Engine, LaunchError, Outcome, Progress, Session, Spent,
    Why,
};
use crate::memory::Memory;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The engine's name when it has several engines to choose from.
pub const NAME: &str = "auto";

/// Chooses between the block engine and a GPU.
pub struct Auto {
    gpu: Gpu,
    costs: Costs,
    /// Called with messages for the user that no error carries.
    note: fn(&str),
    /// Point-instructions that ran on the block engine and would have run faster on an open GPU.
    missed: AtomicU64,
}

/// The GPU.
enum Gpu {
    /// No GPU is available, for this reason.
    None(&'static str),
    /// Opened by the first launch that is worth it. Holds the engine, or why there is none.
    Later(OnceLock<Result<Box<Translated>, String>>),
}

/// Decides, before a GPU is opened, whether `work` point-instructions are worth one. `cores` is the
/// number of CPU cores; `missed` is the work that could have used an open GPU so far. `Err` has the
/// reason for the CPU.
fn worth_a_gpu(
    costs: &Costs,
    cores: u64,
    estimate: &str,
    work: u64,
    missed: u64,
    open: bool,
) -> Result<(), String> {
    let launch = costs.worth_a_launch(cores);
    if work < launch {
        return Err(format!("{estimate}, below the {launch} of a launch on a GPU"));
    }
    let opening = costs.worth_opening(cores);
    if !open && work.saturating_add(missed) < opening {
        return Err(format!("{estimate}, below the {opening} of opening a GPU"));
    }
    Ok(())
}

impl Auto {
    /// Opens a named adapter at once. Without a name, the best GPU is opened by the first launch
    /// that is worth it; without any GPU, everything runs on the CPU. `note` receives
    /// human-readable messages: that a GPU cannot be used, and the first launch that the GPU cannot
    /// hold.
    ///
    /// # Errors
    /// If the named adapter does not exist or cannot be used.
    pub fn open(choice: &AdapterChoice, note: fn(&str)) -> Result<Auto, GpuError> {
        if choice.is_named() {
            return Ok(Auto::on(Translated::tiered(choice)?, note));
        }
        let gpu =
            if may_have_gpu() { Gpu::Later(OnceLock::new()) } else { Gpu::None("no GPU here") };
        Ok(Auto::with(gpu, note))
    }

    /// Chooses between the CPU and an open GPU.
    pub fn on(engine: Translated, note: fn(&str)) -> Auto {
        let engine = Box::new(engine.with_fallback(note));
        Auto::with(Gpu::Later(OnceLock::from(Ok(engine))), note)
    }

    fn with(gpu: Gpu, note: fn(&str)) -> Auto {
        Auto { gpu, costs: COSTS, note, missed: AtomicU64::new(0) }
    }

    /// The same with other costs: for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn with_costs(mut self, costs: Costs) -> Auto {
        self.costs = costs;
        self
    }

    /// The GPU for some launches, or why they run on the block engine. `estimate` returns their
    /// description and their point-instructions.
    fn place(&self, estimate: impl FnOnce() -> (String, u64)) -> Result<&Translated, Why> {
        let none = |reason: &str| Why { kind: Why::NO_GPU, reason: reason.to_string() };
        let later = match &self.gpu {
            Gpu::None(reason) => return Err(none(reason)),
            Gpu::Later(later) => later,
        };
        match later.get() {
            Some(Err(reason)) => return Err(none(reason)),
            // Knows what the host lacks.
            Some(Ok(engine)) if engine.interpreter().gpu().is_lost() => return Ok(engine),
            _ => {}
        }
        let (text, work) = estimate();
        let cores = rayon::current_num_threads() as u64;
        let missed = self.missed.load(Ordering::Relaxed);
        let open = later.get().is_some();
        if let Err(reason) = worth_a_gpu(&self.costs, cores, &text, work, missed, open) {
            if !open && work >= self.costs.worth_a_launch(cores) {
                let missed = missed.saturating_add(work);
                self.missed.store(missed, Ordering::Relaxed);
            }
            return Err(Why { kind: "small", reason });
        }
        let engine = later.get_or_init(|| match Translated::tiered(&AdapterChoice::Best) {
            Ok(engine) => Ok(Box::new(engine.with_fallback(self.note))),
            Err(GpuError::NoAdapter { .. }) => Err("no GPU here can be used".to_string()),
            Err(error) => {
                (self.note)(&format!("engine block is taken: {error}"));
                Err(format!("the GPU cannot be used: {error}"))
            }
        });
        engine.as_ref().map(|engine| &**engine).map_err(|reason| none(reason))
    }

    /// Where to run a launch.
    fn place_of(&self, launch: &Checked) -> Result<&Translated, Why> {
        self.place(|| {
            let estimate = Estimate::of(launch);
            (estimate.to_string(), estimate.work())
        })
    }
}

impl Engine for Auto {
    fn name(&self) -> &'static str {
        match self.gpu {
            Gpu::None(_) => Block.name(),
            Gpu::Later(_) => NAME,
        }
    }

    fn adapter(&self) -> Option<String> {
        match &self.gpu {
            Gpu::Later(later) => later.get()?.as_ref().ok()?.adapter(),
            Gpu::None(_) => None,
        }
    }

    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        match self.place_of(launch) {
            Ok(engine) => engine.run_checked(launch, memory, progress),
            Err(why) => Ok(Block.run_checked(launch, memory, progress)?.because(why)),
        }
    }

    fn session<'a>(&'a self, memory: &'a mut Memory) -> Box<dyn Session<'a> + 'a> {
        Box::new(AutoSession { auto: self, at: At::Host(memory), outcomes: Vec::new() })
    }

    fn run_checked_batch(
        &self,
        items: &mut [CheckedItem<'_>],
        progress: &dyn BatchProgress,
    ) -> Vec<Result<Outcome, LaunchError>> {
        let place = self.place(|| {
            let works = items.iter().map(|item| Estimate::of(&item.launch).work());
            let work = works.fold(0, u64::saturating_add);
            let launches = match items.len() {
                1 => "1 launch".to_string(),
                n => format!("{n} launches"),
            };
            (format!("{launches} of {work} points x instructions"), work)
        });
        match place {
            Ok(engine) => engine.run_checked_batch(items, progress),
            Err(why) => {
                let ran = Block.run_checked_batch(items, progress).into_iter();
                ran.map(|result| result.map(|outcome| outcome.because(why.clone()))).collect()
            }
        }
    }
}

/// A session that begins on the CPU and moves to the GPU with the first launch that is worth it. It
/// then stays there, because its memory is there.
struct AutoSession<'a> {
    auto: &'a Auto,
    at: At<'a>,
    /// Outcomes of launches on the CPU.
    outcomes: Vec<Result<Outcome, LaunchError>>,
}

enum At<'a> {
    Host(&'a mut Memory),
    Gpu(Box<dyn Session<'a> + 'a>),
    /// While the session moves from the host to the GPU.
    Nowhere,
}

fn nowhere() -> LaunchError {
    LaunchError::Failed { engine: NAME, reason: "the session broke off".to_string() }
}

impl<'a> Session<'a> for AutoSession<'a> {
    fn launch_checked(
        &mut self,
        launch: &Checked<'_>,
        progress: &'a dyn Progress,
    ) -> Result<(), LaunchError> {
        if let At::Host(memory) = &mut self.at {
            match self.auto.place_of(launch) {
                Err(why) => {
                    let outcome = Block.run_checked(launch, memory, progress)?;
                    self.outcomes.push(Ok(outcome.because(why)));
                    return Ok(());
                }
                Ok(engine) => {
                    if let At::Host(memory) = std::mem::replace(&mut self.at, At::Nowhere) {
                        self.at = At::Gpu(engine.session(memory));
                    }
                }
            }
        }
        match &mut self.at {
            At::Gpu(session) => session.launch_checked(launch, progress),
            At::Host(_) | At::Nowhere => Err(nowhere()),
        }
    }

    fn outcomes(&mut self) -> Vec<Result<Outcome, LaunchError>> {
        let mut outcomes = std::mem::take(&mut self.outcomes);
        if let At::Gpu(session) = &mut self.at {
            outcomes.extend(session.outcomes());
        }
        outcomes
    }

    fn spent(&self) -> Spent {
        match &self.at {
            At::Gpu(session) => session.spent(),
            At::Host(_) | At::Nowhere => Spent::default(),
        }
    }

    fn is_current(&self, range: &Range<u64>) -> bool {
        match &self.at {
            At::Gpu(session) => session.is_current(range),
            At::Host(_) | At::Nowhere => true,
        }
    }

    fn view(&mut self, ranges: &[Range<u64>]) -> Result<&Memory, LaunchError> {
        match &mut self.at {
            At::Gpu(session) => session.view(ranges),
            At::Host(memory) => Ok(memory),
            At::Nowhere => Err(nowhere()),
        }
    }

    fn memory(&mut self) -> Result<&mut Memory, LaunchError> {
        match &mut self.at {
            At::Gpu(session) => session.memory(),
            At::Host(memory) => Ok(memory),
            At::Nowhere => Err(nowhere()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cpu_runs_what_is_too_little_for_a_gpu() {
        let say = |work, missed, open| {
            worth_a_gpu(&COSTS, 2, "4096 points x 12 instructions", work, missed, open)
        };
        let below = |what: &str| Err(format!("4096 points x 12 instructions, below the {what}"));
        let launch = below("100000 of a launch on a GPU");
        assert_eq!(say(49_152, 0, true), launch);
        assert_eq!(say(49_152, u64::MAX, true), launch);
        assert_eq!(say(49_152, u64::MAX, false), launch);
        assert_eq!(say(100_000, 0, true), Ok(()));
        let opening = below("500000000 of opening a GPU");
        assert_eq!(say(100_000, 0, false), opening);
        assert_eq!(say(100_000, 499_899_999, false), opening);
        assert_eq!(say(100_000, 499_900_000, false), Ok(()));
        assert_eq!(say(500_000_000, 0, false), Ok(()));
    }
}
