//! Any number of launches, as batches of bounded size.

use super::{BatchItem, Engine, LaunchError, Outcome, Stop};
use crate::launch::Launch;
use crate::memory::Memory;

/// The most launches of a batch, where many run.
pub const MOST_LAUNCHES: usize = 1024;

/// The bytes of memory that the launches of a batch have together, at most and besides those of the last one.
pub const MOST_BYTES: u64 = 128 << 20;

/// Launches that run as one batch, each with its memory.
#[derive(Default)]
pub struct Chunk {
    launches: Vec<(Launch, Memory)>,
    bytes: u64,
}

impl Chunk {
    /// Adds a launch with the memory it runs against.
    pub fn push(&mut self, launch: Launch, memory: Memory) {
        self.bytes += memory.ranges().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
        self.launches.push((launch, memory));
    }

    /// Whether it has [`MOST_LAUNCHES`], or [`MOST_BYTES`] of memory.
    pub fn is_full(&self) -> bool {
        self.launches.len() >= MOST_LAUNCHES || self.bytes >= MOST_BYTES
    }

    /// Whether it has no launches.
    pub fn is_empty(&self) -> bool {
        self.launches.is_empty()
    }

    /// Runs the launches as a batch of the engine. The results are in their order: an outcome with the memory after
    /// the launch, or the error of this launch alone.
    pub fn run(
        mut self,
        engine: &dyn Engine,
        stop: &Stop,
    ) -> Vec<Result<(Outcome, Memory), LaunchError>> {
        let items = self.launches.iter_mut().map(|(launch, memory)| BatchItem { launch, memory });
        let outcomes = engine.run_batch(&mut items.collect::<Vec<_>>(), stop);
        let memories = self.launches.into_iter().map(|(_, memory)| memory);
        outcomes.into_iter().zip(memories).map(|(ran, memory)| Ok((ran?, memory))).collect()
    }
}

/// Runs launches, whose programs may all differ, each against its own memory. The results are those of [`Engine::run`],
/// in the order of the launches: an outcome with the memory after the launch, or the error of this launch alone. Those
/// that `stop` stops are [`LaunchError::Stopped`].
///
/// A result that is asked for takes as many more launches as make a batch, at most [`MOST_LAUNCHES`] and fewer where
/// the arenas of their memories are large ([`MOST_BYTES`]), so that any number of launches takes bounded memory.
pub fn run_many<'e>(
    engine: &'e dyn Engine,
    launches: impl IntoIterator<Item = (Launch, Memory)> + 'e,
    stop: &'e Stop,
) -> impl Iterator<Item = Result<(Outcome, Memory), LaunchError>> + 'e {
    let mut launches = launches.into_iter().fuse();
    let batch = move || {
        let mut chunk = Chunk::default();
        while !chunk.is_full()
            && let Some((launch, memory)) = launches.next()
        {
            chunk.push(launch, memory);
        }
        (!chunk.is_empty()).then(|| chunk.run(engine, stop))
    };
    std::iter::from_fn(batch).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::block::Block;
    use crate::engine::reference::Reference;
    use crate::launch::Domain;
    use crate::memory::{ALIGNMENT, ArenaKind, ArenaSizes, Format, Surface, Tiling};
    use ctm_lang::asm;
    use ctm_lang::program::Program;
    use std::cell::Cell;
    use std::sync::Arc;

    /// Launch `n`: it has a program, a domain and, every seventh, an error of its own. `pages`: of its memory.
    fn launch(n: u32, pages: u32) -> (Launch, Memory) {
        let source = format!("mad o0, r0, {n}.0, c{}", n % 5);
        let program = Program::new(asm::assemble(&source, "test").expect("right")).expect("right");
        let gpu = u64::from(pages * ALIGNMENT);
        let memory = Memory::new(&ArenaSizes { gpu, gpub: 0, sys: 0, sysc: 0 }).expect("memory");
        let domain = Domain { i0: n % 3, j0: 0, i1: 3 + n % 5, j1: n % 4 };
        let mut launch = Launch::new(Arc::new(program), domain);
        let base = memory.base(ArenaKind::Gpu);
        let output = Surface::new(base, 8, 4, Tiling::Linear, Format::Float32x4);
        launch.outputs[0] = (n % 7 != 3).then_some(output);
        launch.statistics = n.is_multiple_of(2);
        (launch, memory)
    }

    fn bytes(memory: &Memory) -> Vec<u8> {
        memory.ranges().flat_map(|(_, bytes)| bytes.to_vec()).collect()
    }

    #[test]
    fn many_launches_give_what_each_gives_alone() {
        // More than a batch has.
        let count = MOST_LAUNCHES as u32 + 30;
        for engine in [&Block::new() as &dyn Engine, &Reference::new()] {
            let launches = (0..count).map(|n| launch(n, 1));
            let found: Vec<_> = run_many(engine, launches, Stop::never()).collect();
            assert_eq!(found.len(), count as usize);
            for (n, found) in (0..).zip(found) {
                let (launch, mut memory) = launch(n, 1);
                let alone = engine.run(&launch, &mut memory, Stop::never());
                assert_eq!(alone.is_err(), n % 7 == 3, "{n}");
                match found {
                    Ok((outcome, after)) => {
                        assert_eq!(Ok(outcome), alone, "{n}");
                        assert!(bytes(&after) == bytes(&memory), "{n}");
                    }
                    Err(error) => assert_eq!(Err(error), alone, "{n}"),
                }
            }
        }
    }

    /// The launches that the first result of `count` takes.
    fn taken(count: u32, pages: u32) -> u32 {
        let taken = Cell::new(0);
        let launches = (0..count).map(|n| launch(n, pages)).inspect(|_| taken.set(taken.get() + 1));
        let engine = Block::new();
        let mut results = run_many(&engine, launches, Stop::never());
        assert_eq!(taken.get(), 0);
        assert_eq!(results.next().is_some(), count > 0);
        taken.get()
    }

    #[test]
    fn a_result_takes_a_batch_of_launches() {
        assert_eq!(taken(0, 1), 0);
        assert_eq!(taken(5, 1), 5);
        assert_eq!(taken(2 * MOST_LAUNCHES as u32, 1), MOST_LAUNCHES as u32);
        // Ten of them have more than the most bytes.
        let pages = (MOST_BYTES / u64::from(ALIGNMENT) / 10 + 1) as u32;
        assert_eq!(taken(15, pages), 10);
        assert_eq!(taken(3, 10 * pages), 1);
    }

    #[test]
    fn an_iterator_is_not_asked_after_its_end() {
        let mut left = 3;
        let launches = std::iter::from_fn(|| {
            left -= 1;
            assert!(left >= 0, "it has ended");
            (left > 0).then(|| launch(0, 1))
        });
        let engine = Block::new();
        let mut results = run_many(&engine, launches, Stop::never());
        let found: Vec<bool> = results.by_ref().map(|result| result.is_ok()).collect();
        assert_eq!(found, [true, true]);
        assert!(results.next().is_none());
    }

    #[test]
    fn a_stopped_launch_is_an_error_in_its_place() {
        let (engine, stop) = (Block::new(), Stop::new());
        let launches = (0..MOST_LAUNCHES as u32 + 2).map(|n| launch(7 * n, 1));
        let mut results = run_many(&engine, launches, &stop);
        assert!(results.next().is_some_and(|result| result.is_ok()));
        stop.stop();
        // Its batch has run.
        assert!(results.by_ref().take(MOST_LAUNCHES - 1).all(|result| result.is_ok()));
        let stopped = |result: Result<_, _>| matches!(result, Err(LaunchError::Stopped(_)));
        assert_eq!(results.map(stopped).collect::<Vec<_>>(), [true, true]);
    }
}
