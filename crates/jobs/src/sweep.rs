//! Sweeps: many launches that differ in their data, as batches, side by side. Later launches reuse the memory of
//! earlier ones.

use ctm_machine::engine::many::{MOST_BYTES, MOST_LAUNCHES};
use ctm_machine::engine::{BatchItem, Engine, LaunchError, Outcome, Stop};
use ctm_machine::launch::Launch;
use ctm_machine::memory::Memory;
use parking_lot::Mutex;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// The most launches of a batch on the host's CPU: their memory stays in a thread's cache.
const MOST_ON_CPU: usize = 128;

/// The approximate memory of a launch besides its surfaces.
const OVERHEAD: u64 = 8 << 10;

/// A launch that is ready to run, and its memory.
pub struct Slot {
    /// The launch.
    pub launch: Launch,
    /// Its memory.
    pub memory: Memory,
    /// It was another launch before, which has written its outputs.
    pub used: bool,
}

/// The launches of a sweep.
pub trait Launches: Sync {
    /// An element, or a part of one, of the outputs.
    type Unit: Send;
    /// An error of the sweep.
    type Error: Send;

    /// The bytes of a launch's surfaces.
    fn bytes(&self) -> u64;

    /// A launch without data of its own, and memory with the data that all launches have.
    ///
    /// # Errors
    /// There is no memory.
    fn start(&self) -> Result<(Launch, Memory), Self::Error>;

    /// Turns a slot into launch number `n`, from 0 on.
    ///
    /// # Errors
    /// Its data cannot be stored.
    fn set(&self, n: usize, slot: &mut Slot) -> Result<(), Self::Error>;

    /// Copies output number `output` of a launch that has run; `to` has the units of one launch.
    ///
    /// # Errors
    /// The output cannot be read.
    fn read(
        &self,
        output: usize,
        slot: &mut Slot,
        to: &mut [Self::Unit],
    ) -> Result<(), Self::Error>;

    /// The error of launch number `n`.
    fn failed(&self, n: usize, error: LaunchError) -> Self::Error;
}

/// Consecutive launches from `first` on, and the room for each of their outputs.
struct Slice<'o, T> {
    first: usize,
    count: usize,
    outputs: Vec<&'o mut [T]>,
}

/// The outcomes of the parts, in the order of launches.
struct Gathered<F, E> {
    launches: usize,
    /// Parts that ended before an earlier one.
    early: BTreeMap<usize, Result<Vec<Outcome>, E>>,
    ended: F,
    failed: Option<E>,
}

/// Runs `count` launches. `outputs` has a room for the units of all launches for each output. `ended` gets the
/// outcomes in the order of the launches, `told` the number of launches that have ended, and `count`.
///
/// On the host's CPU each thread takes a part of the launches after the other, and waits for no other thread.
///
/// # Errors
/// The error of the first launch that fails.
pub fn run<L: Launches>(
    launches: &L,
    count: usize,
    outputs: &mut [&mut [L::Unit]],
    engine: &dyn Engine,
    stop: &Stop,
    ended: impl FnMut(Outcome) + Send,
    told: &(dyn Fn(u64, u64) + Sync),
) -> Result<(), L::Error> {
    if count == 0 {
        return Ok(());
    }
    let (lanes, most) = match engine.adapter() {
        None => (rayon::current_num_threads(), MOST_ON_CPU),
        Some(_) => (1, MOST_LAUNCHES),
    };
    let fits = MOST_BYTES / lanes as u64 / (launches.bytes() + OVERHEAD);
    let size = (fits as usize).clamp(1, most).min(count);
    let mut rooms: Vec<_> =
        outputs.iter_mut().map(|all| all.chunks_mut(all.len() / count * size)).collect();
    let parts = (0..count).step_by(size).map(|first| Slice {
        first,
        count: size.min(count - first),
        outputs: rooms.iter_mut().filter_map(Iterator::next).collect(),
    });
    let parts = Mutex::new(parts);
    let gathered =
        Mutex::new(Gathered { launches: 0, early: BTreeMap::new(), ended, failed: None });
    let lane = |_| {
        let mut slots = Vec::new();
        loop {
            let Some(mut part) = parts.lock().next() else { return };
            let ran = part.run(launches, engine, &mut slots, stop);
            let mut gathered = gathered.lock();
            gathered.add(part.first, ran);
            told(gathered.launches as u64, count as u64);
            if gathered.failed.is_some() {
                return;
            }
        }
    };
    (0..lanes).into_par_iter().with_max_len(1).for_each(lane);
    gathered.into_inner().failed.map_or(Ok(()), Err)
}

impl<F: FnMut(Outcome), E> Gathered<F, E> {
    fn add(&mut self, first: usize, ran: Result<Vec<Outcome>, E>) {
        self.early.insert(first, ran);
        while self.failed.is_none()
            && let Some(ran) = self.early.remove(&self.launches)
        {
            match ran {
                Ok(outcomes) => {
                    self.launches += outcomes.len();
                    outcomes.into_iter().for_each(&mut self.ended);
                }
                Err(why) => self.failed = Some(why),
            }
        }
    }
}

impl<T> Slice<'_, T> {
    /// Runs the launches in slots, and makes missing slots.
    fn run<L: Launches<Unit = T>>(
        &mut self,
        launches: &L,
        engine: &dyn Engine,
        slots: &mut Vec<Slot>,
        stop: &Stop,
    ) -> Result<Vec<Outcome>, L::Error> {
        let first = self.first;
        stop.check().map_err(|why| launches.failed(first, why.into()))?;
        while slots.len() < self.count {
            let (launch, memory) = launches.start()?;
            slots.push(Slot { launch, memory, used: false });
        }
        let slots = &mut slots[..self.count];
        for (n, slot) in slots.iter_mut().enumerate() {
            launches.set(first + n, slot)?;
            slot.used = true;
        }
        let mut items: Vec<BatchItem> = slots
            .iter_mut()
            .map(|slot| BatchItem { launch: &slot.launch, memory: &mut slot.memory })
            .collect();
        let ran = engine.run_batch(&mut items, stop).into_iter().enumerate();
        let outcomes = ran
            .map(|(n, outcome)| outcome.map_err(|why| launches.failed(first + n, why)))
            .collect::<Result<_, _>>()?;
        for (output, all) in self.outputs.iter_mut().enumerate() {
            let units = all.len() / self.count;
            for (to, slot) in all.chunks_exact_mut(units).zip(&mut *slots) {
                launches.read(output, slot, to)?;
            }
        }
        Ok(outcomes)
    }
}
