//! Many launches of one program as batches: each launch has its own memory, which later ones reuse.

use crate::arguments::Arguments;
use crate::array::row;
use crate::error::Fail;
use crate::result::Summary;
use ctm::engine::{BatchItem, Engine, Outcome, Stop};
use ctm::launch::Launch;
use ctm::memory::array::swap_channels;
use ctm::memory::{Memory, MemoryError, Surface};
use parking_lot::Mutex;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most bytes of memory that the launches of a batch have together.
const MOST_BYTES: u64 = 128 << 20;

/// The most launches of a batch on the host's CPU: their memory stays in a thread's cache.
const MOST_ON_CPU: usize = 128;

/// The most launches of a batch on an adapter.
const MOST_ON_ADAPTER: usize = 1024;

/// The approximate memory of a launch besides its surfaces.
const OVERHEAD: u64 = 8 << 10;

/// A launch that is ready to run, and its memory.
struct Slot {
    launch: Launch,
    memory: Memory,
    /// Whether it was another launch before.
    used: bool,
}

/// Consecutive launches from `first` on, and the room for each of their outputs.
struct Part<'o> {
    first: usize,
    count: usize,
    outputs: Vec<&'o mut [u8]>,
}

/// The results of the parts, in the order of launches.
struct Gathered {
    summary: Summary,
    /// Parts that ended before an earlier one.
    early: BTreeMap<usize, Result<Vec<Outcome>, Fail>>,
    failed: Option<Fail>,
}

/// Runs `count` launches. Each output has room for the elements of all of them.
///
/// On the host's CPU each thread takes a part of them after the other, and waits for no other thread.
pub fn sweep(
    engine: &dyn Engine,
    arguments: &Arguments,
    count: usize,
    outputs: &mut [&mut [u8]],
    stop: &Stop,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Summary, Fail> {
    let (lanes, most) = match engine.adapter() {
        None => (rayon::current_num_threads(), MOST_ON_CPU),
        Some(_) => (1, MOST_ON_ADAPTER),
    };
    let fits = MOST_BYTES / lanes as u64 / (arguments.bytes() + OVERHEAD);
    let size = (fits as usize).clamp(1, most).min(count);
    let mut rooms: Vec<_> =
        outputs.iter_mut().map(|all| all.chunks_mut(all.len() / count * size)).collect();
    let parts = (0..count).step_by(size).map(|first| Part {
        first,
        count: size.min(count - first),
        outputs: rooms.iter_mut().filter_map(Iterator::next).collect(),
    });
    let parts = Mutex::new(parts);
    let summary = Summary::of_sweep(arguments);
    let gathered = Mutex::new(Gathered { summary, early: BTreeMap::new(), failed: None });
    let lane = |_| {
        let mut slots = Vec::new();
        loop {
            let Some(mut part) = parts.lock().next() else { return };
            let ran = part.run(engine, arguments, &mut slots, stop);
            let mut gathered = gathered.lock();
            gathered.add(part.first, ran, arguments);
            progress(gathered.summary.launches, count as u64);
            if gathered.failed.is_some() {
                return;
            }
        }
    };
    (0..lanes).into_par_iter().with_max_len(1).for_each(lane);
    let gathered = gathered.into_inner();
    gathered.failed.map_or(Ok(gathered.summary), Err)
}

impl Gathered {
    fn add(&mut self, first: usize, ran: Result<Vec<Outcome>, Fail>, arguments: &Arguments) {
        self.early.insert(first, ran);
        while self.failed.is_none()
            && let Some(ran) = self.early.remove(&(self.summary.launches as usize))
        {
            match ran {
                Ok(outcomes) => {
                    for outcome in outcomes {
                        self.summary.add(outcome, arguments.launch.program.image());
                    }
                }
                Err(why) => self.failed = Some(why),
            }
        }
    }
}

impl Part<'_> {
    /// Runs the launches in slots, of which it makes those that are missing.
    fn run(
        &mut self,
        engine: &dyn Engine,
        arguments: &Arguments,
        slots: &mut Vec<Slot>,
        stop: &Stop,
    ) -> Result<Vec<Outcome>, Fail> {
        let first = self.first;
        let image = arguments.launch.program.image();
        let failed = |n: usize, error| Fail::of_launch(&format!("launch {n}: "), &error, image);
        stop.check().map_err(|why| failed(first, why.into()))?;
        while slots.len() < self.count {
            let launch = arguments.launch.clone();
            slots.push(Slot { launch, memory: arguments.memory()?, used: false });
        }
        let slots = &mut slots[..self.count];
        for (n, slot) in slots.iter_mut().enumerate() {
            slot.set(arguments, first + n)?;
        }
        let mut items: Vec<BatchItem> = slots
            .iter_mut()
            .map(|slot| BatchItem { launch: &slot.launch, memory: &mut slot.memory })
            .collect();
        let ran = engine.run_batch(&mut items, stop).into_iter().enumerate();
        let outcomes = ran
            .map(|(n, outcome)| outcome.map_err(|why| failed(first + n, why)))
            .collect::<Result<_, _>>()?;
        for ((_, output), all) in arguments.outputs.iter().zip(&mut self.outputs) {
            let bytes = all.len() / self.count;
            for (to, slot) in all.chunks_exact_mut(bytes).zip(&mut *slots) {
                slot.copy(&output.surface, to)?;
            }
        }
        Ok(outcomes)
    }
}

impl Slot {
    /// Makes this launch number `n`.
    fn set(&mut self, arguments: &Arguments, n: usize) -> Result<(), MemoryError> {
        let used = std::mem::replace(&mut self.used, true);
        if arguments.constants.iter().any(|constant| constant.many) {
            let constants = Arc::make_mut(&mut self.launch.constants);
            for constant in arguments.constants.iter().filter(|constant| constant.many) {
                constant.set(n, constants);
            }
        }
        for input in &arguments.inputs {
            if let Some(content) = input.content.as_ref().filter(|content| content.count.is_some())
            {
                content.store(n, &mut self.memory, &input.surface)?;
            }
        }
        for (_, output) in arguments.outputs.iter().filter(|_| used) {
            match &output.content {
                Some(content) => content.store(0, &mut self.memory, &output.surface)?,
                None => {
                    let surface = &output.surface;
                    let length = surface.width * surface.format.bytes_per_element();
                    for y in 0..surface.height {
                        row(&mut self.memory, surface, y, length as usize)?.fill(0);
                    }
                }
            }
        }
        Ok(())
    }

    /// Copies the elements of an output.
    fn copy(&mut self, surface: &Surface, to: &mut [u8]) -> Result<(), MemoryError> {
        let length = (surface.width * surface.format.bytes_per_element()) as usize;
        for (y, to) in (0..).zip(to.chunks_exact_mut(length)) {
            to.copy_from_slice(row(&mut self.memory, surface, y, length)?);
            swap_channels(surface.format, to);
        }
        Ok(())
    }
}
