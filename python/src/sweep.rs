//! Many launches of one program as batches: each launch has its own memory, which later ones reuse.

use crate::arguments::Arguments;
use crate::array::row;
use crate::error::Fail;
use crate::result::Summary;
use ctm::engine::{BatchItem, Engine, Stop};
use ctm::launch::Launch;
use ctm::memory::array::swap_channels;
use ctm::memory::{Memory, MemoryError};
use rayon::prelude::*;
use std::sync::Arc;

/// The most bytes of memory that the launches of a batch have together.
const MOST_BYTES: u64 = 128 << 20;

/// The most launches of a batch, for each thread: their memory stays in the caches.
const MOST: usize = 128;

/// What a launch takes besides its surfaces, about.
const OVERHEAD: u64 = 8 << 10;

/// A launch that is ready to run, and its memory.
struct Slot {
    launch: Launch,
    memory: Memory,
}

/// Runs `count` launches. `outputs` has room for the elements of all launches, for each output.
pub fn sweep(
    engine: &dyn Engine,
    arguments: &mut Arguments,
    count: usize,
    outputs: &mut [Vec<&mut [u8]>],
    stop: &Stop,
    progress: &(dyn Fn(u64, u64) + Sync),
) -> Result<Summary, Fail> {
    let fits = MOST_BYTES / (arguments.bytes() + OVERHEAD);
    let size = (fits as usize).clamp(1, MOST * rayon::current_num_threads()).min(count);
    let mut slots = Vec::with_capacity(size);
    for _ in 0..size {
        slots.push(Slot { launch: arguments.launch.clone(), memory: arguments.memory()? });
    }
    let mut summary = Summary { warnings: arguments.warnings.clone(), ..Summary::default() };
    let image = arguments.launch.program.clone();
    let arguments = &*arguments;
    let mut first = 0;
    while first < count {
        let size = size.min(count - first);
        let slots = &mut slots[..size];
        slots
            .par_iter_mut()
            .enumerate()
            .try_for_each(|(n, slot)| slot.set(arguments, first + n, first != 0))?;
        let mut items: Vec<BatchItem> = slots
            .iter_mut()
            .map(|slot| BatchItem { launch: &slot.launch, memory: &mut slot.memory })
            .collect();
        for (n, outcome) in engine.run_batch(&mut items, stop).into_iter().enumerate() {
            let outcome = outcome.map_err(|error| Fail::of_launch(first + n, &error))?;
            summary.add(outcome, image.image());
        }
        for (output, places) in outputs.iter_mut().enumerate() {
            places[first..first + size]
                .par_iter_mut()
                .zip(&mut *slots)
                .try_for_each(|(to, slot)| slot.copy(arguments, output, to))?;
        }
        first += size;
        progress(first as u64, count as u64);
        if let Err(why) = stop.check() {
            return Err(Fail::of_launch(first, &why));
        }
    }
    Ok(summary)
}

impl Slot {
    /// Makes this launch number `n`. `used`: it was another one before.
    fn set(&mut self, arguments: &Arguments, n: usize, used: bool) -> Result<(), MemoryError> {
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
    fn copy(
        &mut self,
        arguments: &Arguments,
        output: usize,
        to: &mut [u8],
    ) -> Result<(), MemoryError> {
        let surface = &arguments.outputs[output].1.surface;
        let length = (surface.width * surface.format.bytes_per_element()) as usize;
        for (y, to) in (0..).zip(to.chunks_exact_mut(length)) {
            let from = self.memory.slice(surface.address(0, y), length);
            let address = surface.address(0, y);
            let outside = MemoryError::OutsideArena { address, len: length as u64 };
            to.copy_from_slice(from.ok_or(outside)?);
            swap_channels(surface.format, to);
        }
        Ok(())
    }
}
