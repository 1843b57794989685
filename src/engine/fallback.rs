//! A GPU engine with the block engine as a fallback for launches that the GPU cannot hold.

use super::block::Block;
use super::{
    BatchItem, BatchProgress, Chosen, Engine, LaunchError, OfItem, Outcome, Progress, Session,
};
use crate::launch::Launch;
use crate::memory::Memory;
use std::ops::Range;
use std::sync::Once;

/// Runs launches on the first engine. Launches that it refuses because its adapter lacks a resource
/// run on the block engine. The name is the first engine's.
pub struct Fallback {
    first: Box<dyn Engine>,
    block: Block,
    note: fn(&str),
    noted: Once,
}

impl Fallback {
    /// `note` receives the reason the first time that the block engine takes over.
    pub fn new(first: Box<dyn Engine>, note: fn(&str)) -> Fallback {
        Fallback { first, block: Block::new(), note, noted: Once::new() }
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
        let outcome = self.block.run(launch, memory, progress)?;
        progress.chosen(&Chosen {
            engine: self.block.name(),
            kind: "the adapter has too little",
            reason: why.to_string(),
        });
        Ok(outcome)
    }
}

/// Whether an adapter lacks a resource for a launch. Nothing of the launch has been written, so
/// another engine may run it.
fn is_too_little(error: &LaunchError) -> bool {
    match error {
        LaunchError::Unsupported { .. } => true,
        LaunchError::Adapter { error, .. } => error.is_too_little(),
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
                *result =
                    self.on_block(error, item.launch, item.memory, &OfItem { progress, item: n });
            }
        }
        results
    }
}

struct FallbackSession<'a> {
    engine: &'a Fallback,
    first: Box<dyn Session<'a> + 'a>,
    /// Outcomes that the session collected before the caller asked for them, to keep their order.
    done: Vec<Result<Outcome, LaunchError>>,
}

impl<'a> Session<'a> for FallbackSession<'a> {
    fn launch(&mut self, launch: &Launch, progress: &'a dyn Progress) -> Result<(), LaunchError> {
        let error = match self.first.launch(launch, progress) {
            // After an adapter failure the queued launches are lost, and `memory` below fails.
            Err(error) if is_too_little(&error) => error,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::{Domain, Launch};
    use crate::memory::{ArenaSizes, Format, Surface, Tiling};
    use crate::program::Program;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::{Arc, Mutex};

    /// Refuses every launch.
    struct Nothing;

    impl Engine for Nothing {
        fn name(&self) -> &'static str {
            "nothing"
        }

        fn run(
            &self,
            _launch: &Launch,
            _memory: &mut Memory,
            _progress: &dyn Progress,
        ) -> Result<Outcome, LaunchError> {
            Err(LaunchError::Unsupported { engine: self.name(), reason: "too large".into() })
        }
    }

    /// Records which engine ran each launch.
    #[derive(Default)]
    struct Ran(Mutex<Vec<Chosen>>);

    impl Progress for Ran {
        fn groups(&self, _done: u64, _total: u64) {}

        fn chosen(&self, chosen: &Chosen) {
            self.0.lock().unwrap().push(chosen.clone());
        }
    }

    #[test]
    fn who_ran_a_launch_is_told_once_it_ran() {
        static NOTES: AtomicU32 = AtomicU32::new(0);
        let engine = Fallback::new(Box::new(Nothing), |note| {
            assert_eq!(note, "engine block takes over where needed: engine nothing: too large");
            NOTES.fetch_add(1, Ordering::Relaxed);
        });
        let image = crate::asm::assemble("mov o0, r0", "test").unwrap();
        let program = Arc::new(Program::new(image).unwrap());
        let mut launch = Launch::new(program, Domain::default());
        let sizes = ArenaSizes { gpu: 1 << 16, ..ArenaSizes::default() };
        let mut memory = Memory::new(&sizes).unwrap();
        let ran = Ran::default();
        let refused = engine.run(&launch, &mut memory, &ran);
        assert!(matches!(refused, Err(LaunchError::OutputNotSet { .. })));
        assert!(ran.0.lock().unwrap().is_empty());
        let base = memory.ranges().next().unwrap().0;
        let surface = Surface::new(base, 16, 16, Tiling::Linear, Format::Float32x4);
        launch.outputs[0] = Some(surface);
        engine.run(&launch, &mut memory, &ran).unwrap();
        let ran = ran.0.into_inner().unwrap();
        let told: Vec<_> = ran.iter().map(|one| (one.engine, one.kind)).collect();
        assert_eq!(told, [("block", "the adapter has too little")]);
        assert_eq!(NOTES.load(Ordering::Relaxed), 1);
    }
}
