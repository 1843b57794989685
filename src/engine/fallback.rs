//! An engine on a GPU with the block engine behind it, which runs what the GPU cannot hold.

use super::block::Block;
use super::gpu::GpuError;
use super::{BatchItem, BatchProgress, Chosen, Engine, LaunchError, Outcome, Progress, Session};
use crate::launch::Launch;
use crate::memory::Memory;
use std::ops::Range;
use std::sync::Once;

/// Runs launches on an engine, and on the block engine those that it refuses because its adapter
/// has too little of something. It goes by the first engine's name.
pub struct Fallback {
    first: Box<dyn Engine>,
    block: Block,
    note: fn(&str),
    noted: Once,
}

impl Fallback {
    /// `note` is told the first time that the block engine takes over, and why.
    pub fn new(first: Box<dyn Engine>, note: fn(&str)) -> Fallback {
        Fallback {
            first,
            block: Block::new(),
            note,
            noted: Once::new(),
        }
    }

    fn on_block(
        &self,
        why: &LaunchError,
        launch: &Launch,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        self.noted.call_once(|| {
            (self.note)(&format!("engine block takes over where needed: {why}"));
        });
        progress.chosen(&Chosen {
            engine: self.block.name(),
            kind: "the adapter has too little",
            reason: why.to_string(),
        });
        self.block.run(launch, memory, progress)
    }
}

/// Whether an adapter has too little for a launch, which another engine may then run: nothing of it
/// has been written.
fn is_too_little(error: &LaunchError) -> bool {
    match error {
        LaunchError::Unsupported { .. } => true,
        LaunchError::Adapter { error, .. } => {
            matches!(
                error,
                GpuError::OutOfMemory { .. } | GpuError::Limits { .. }
            )
        }
        _ => false,
    }
}

impl Engine for Fallback {
    fn name(&self) -> &'static str {
        self.first.name()
    }

    fn adapter(&self) -> Option<String> {
        self.first.adapter()
    }

    fn counts_apart(&self) -> bool {
        self.first.counts_apart()
    }

    fn run(
        &self,
        launch: &Launch,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        match self.first.run(launch, memory, progress) {
            Err(error) if is_too_little(&error) => self.on_block(&error, launch, memory, progress),
            result => result,
        }
    }

    fn session<'a>(&'a self, memory: &'a mut Memory) -> Box<dyn Session<'a> + 'a> {
        Box::new(FallbackSession {
            engine: self,
            first: self.first.session(memory),
            done: Vec::new(),
        })
    }

    fn run_batch(
        &self,
        items: &mut [BatchItem<'_>],
        progress: &dyn BatchProgress,
    ) -> Vec<Result<Outcome, LaunchError>> {
        let mut results = self.first.run_batch(items, progress);
        for (n, (item, result)) in items.iter_mut().zip(&mut results).enumerate() {
            if let Err(error) = result
                && is_too_little(error)
            {
                *result = self.on_block(
                    error,
                    item.launch,
                    item.memory,
                    &OfItem { progress, item: n },
                );
            }
        }
        results
    }
}

/// Tells which engine ran an item.
pub(super) struct OfItem<'a> {
    pub(super) progress: &'a dyn BatchProgress,
    pub(super) item: usize,
}

impl Progress for OfItem<'_> {
    fn groups(&self, _done: u64, _total: u64) {}

    fn chosen(&self, chosen: &Chosen) {
        self.progress.chosen(self.item, chosen);
    }
}

struct FallbackSession<'a> {
    engine: &'a Fallback,
    first: Box<dyn Session<'a> + 'a>,
    /// Outcomes that were asked for early, to keep their order.
    done: Vec<Result<Outcome, LaunchError>>,
}

impl<'a> Session<'a> for FallbackSession<'a> {
    fn launch(&mut self, launch: &Launch, progress: &'a dyn Progress) -> Result<(), LaunchError> {
        let error = match self.first.launch(launch, progress) {
            // A session whose adapter failed has lost what was queued: only a refusal leaves
            // everything as it was.
            Err(error @ LaunchError::Unsupported { .. }) => error,
            result => return result,
        };
        self.done.append(&mut self.first.outcomes());
        let memory = self.first.memory()?;
        let outcome = self.engine.on_block(&error, launch, memory, progress)?;
        self.done.push(Ok(outcome));
        Ok(())
    }

    fn outcomes(&mut self) -> Vec<Result<Outcome, LaunchError>> {
        self.done.append(&mut self.first.outcomes());
        std::mem::take(&mut self.done)
    }

    fn is_current(&self, range: &Range<u64>) -> bool {
        self.first.is_current(range)
    }

    fn view(&mut self, ranges: &[Range<u64>]) -> Result<&Memory, LaunchError> {
        self.first.view(ranges)
    }

    fn memory(&mut self) -> Result<&mut Memory, LaunchError> {
        self.first.memory()
    }
}
