//! The default engine: each launch runs where it finishes sooner, on the CPU or on a GPU. The
//! outcome has its choice and the reason.
//!
//! Launches that the GPU cannot hold also run on the CPU ([`Translated::with_fallback`]).
//!
//! Results in mode `exact` do not depend on the choice; those in mode `fast` may.

use crate::device::adapter::may_have_gpu;
use crate::{AdapterChoice, GpuError, Translated};
use ctm_machine::engine::block::Block;
use ctm_machine::engine::estimate::{COSTS, Costs, Estimate};
use ctm_machine::engine::policy::{self, Adapter, Asked, Facts, Runner};
use ctm_machine::engine::{
    BatchProgress, Checked, CheckedItem, Engine, LaunchError, Outcome, Progress, Session, Spent,
    Why,
};
use ctm_machine::launch::FloatMode;
use ctm_machine::memory::Memory;
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// The engine's name when it has several engines to choose from.
pub const NAME: &str = "auto";

/// Chooses between the block engine and a GPU.
pub struct Auto {
    /// The name of the engine: that of the block engine if there is no GPU.
    name: &'static str,
    /// Opened by the first launch that is worth it. Holds the engine, or why there is none.
    gpu: OnceLock<Result<Box<Translated>, String>>,
    /// Called with messages for the user that no error carries.
    note: fn(&str),
    /// Point-instructions that ran on the block engine and would have run faster on an open GPU.
    missed: AtomicU64,
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
        if may_have_gpu() {
            return Ok(Auto::with(NAME, OnceLock::new(), note));
        }
        let none = OnceLock::from(Err("no GPU here".to_string()));
        Ok(Auto::with(Block::new().name(), none, note))
    }

    /// Chooses between the CPU and an open GPU.
    pub fn on(engine: Translated, note: fn(&str)) -> Auto {
        let engine = Box::new(engine.with_fallback(note));
        Auto::with(NAME, OnceLock::from(Ok(engine)), note)
    }

    fn with(
        name: &'static str,
        gpu: OnceLock<Result<Box<Translated>, String>>,
        note: fn(&str),
    ) -> Auto {
        Auto { name, gpu, note, missed: AtomicU64::new(0) }
    }

    /// The GPU, unless the policy has a reason for the block engine. It gets the costs, the number
    /// of cores and the adapter; `work` returns the point-instructions.
    fn place(
        &self,
        work: impl FnOnce() -> u64,
        policy: impl FnOnce(&Costs, u64, Adapter<'_>) -> Option<Why>,
    ) -> Result<&Translated, Why> {
        let cores = rayon::current_num_threads() as u64;
        let missed = self.missed.load(Ordering::Relaxed);
        let adapter = match self.gpu.get() {
            None => Adapter::Closed { missed },
            Some(Err(reason)) => Adapter::None(reason),
            // Its sessions know what the host lacks.
            Some(Ok(engine)) if engine.interpreter().gpu().is_lost() => return Ok(engine),
            Some(Ok(_)) => Adapter::Open,
        };
        let costs = match self.gpu.get() {
            Some(Ok(engine)) => engine.costs(),
            None | Some(Err(_)) => COSTS,
        };
        if let Some(why) = policy(&costs, cores, adapter) {
            if let (Adapter::Closed { .. }, Why::SMALL) = (adapter, why.kind) {
                let work = Some(work()).filter(|&work| work >= costs.worth_a_launch(cores));
                self.missed.store(missed.saturating_add(work.unwrap_or(0)), Ordering::Relaxed);
            }
            return Err(why);
        }
        let engine = self.gpu.get_or_init(|| match Translated::tiered(&AdapterChoice::Best) {
            Ok(engine) => Ok(Box::new(engine.with_fallback(self.note))),
            Err(GpuError::NoAdapter { .. }) => Err("no GPU here can be used".to_string()),
            Err(error) => {
                (self.note)(&format!("engine block is taken: {error}"));
                Err(format!("the GPU cannot be used: {error}"))
            }
        });
        engine.as_ref().map(|engine| &**engine).map_err(|reason| Why::new(Why::NO_GPU, reason))
    }

    /// The engine for a launch: the GPU's, or the reason for the CPU.
    fn place_of(&self, launch: &Checked) -> Result<&Translated, Why> {
        let work = || Estimate::of(launch).work();
        self.place(work, |costs, cores, adapter| {
            let asked = Asked::Auto(costs, cores);
            let facts = Facts { asked, adapter, no_shader: None, too_large: None };
            match policy::choose(launch, &facts) {
                Ok((Runner::Block, why)) => why,
                // The GPU's sessions decide the rest.
                Ok((Runner::Interpreter | Runner::Shader, _)) | Err(_) => None,
            }
        })
    }
}

impl Engine for Auto {
    fn name(&self) -> &'static str {
        self.name
    }

    fn adapter(&self) -> Option<String> {
        self.gpu.get()?.as_ref().ok()?.adapter()
    }

    /// Small launches run on the block engine.
    fn is_prompt(&self) -> bool {
        true
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
        match self.place_of(launch) {
            Ok(engine) => engine.run_checked(launch, memory, progress),
            Err(why) => Ok(Block::new().run_checked(launch, memory, progress)?.because(why)),
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
        let work = || {
            let works = items.iter().map(|item| Estimate::of(&item.launch).work());
            works.fold(0, u64::saturating_add)
        };
        let place = self.place(work, |costs, cores, adapter| {
            policy::on_cpu(costs, cores, &adapter, || {
                let (n, work) = (items.len(), work());
                let s = if n == 1 { "" } else { "es" };
                (format!("{n} launch{s} of {work} points x instructions"), work)
            })
        });
        match place {
            Ok(engine) => engine.run_checked_batch(items, progress),
            Err(why) => {
                let ran = Block::new().run_checked_batch(items, progress).into_iter();
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
                    let outcome = Block::new().run_checked(launch, memory, progress)?;
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
