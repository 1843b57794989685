//! Many launches at once: one per core, with each program prepared once.
//!
//! Launches of one program are grouped into pieces. A worker runs a whole piece with one machine
//! and one prepared form, into which each launch puts its constants. A launch that is large enough
//! to keep several cores busy is spread over them, as outside a batch.

use super::NAME;
use super::code::Prepared;
use super::machine::Machine;
use crate::engine::{BatchProgress, CheckedItem, LaunchError, Outcome, caught};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

type Ran = (usize, Result<Outcome, LaunchError>);

/// The most launches that one worker runs with one machine.
const PIECE: usize = 32;

/// The number of groups at which a launch is spread over the cores: 16 384 points.
const LARGE: u64 = 256;

/// Runs a batch. The results are in the order of the items.
pub(super) fn run(
    items: &mut [CheckedItem<'_>],
    progress: &dyn BatchProgress,
    daz: bool,
) -> Vec<Result<Outcome, LaunchError>> {
    let total = items.len();
    let mut order: Vec<(usize, &mut CheckedItem)> = items.iter_mut().enumerate().collect();
    // Launches with the same lowered program and mode are consecutive.
    let form =
        |item: &CheckedItem| (Arc::as_ptr(&item.launch.lowered).addr(), item.launch.mode as u8);
    order.sort_by_key(|(n, item)| (form(item), *n));
    let share = (total / (4 * rayon::current_num_threads())).clamp(1, PIECE);
    let same =
        |(_, a): &(usize, &mut CheckedItem), (_, b): &(usize, &mut CheckedItem)| form(a) == form(b);
    let pieces: Vec<_> =
        order.chunk_by_mut(same).flat_map(|program| program.chunks_mut(share)).collect();
    let done = AtomicU64::new(0);
    let ended = || progress.launches(done.fetch_add(1, Ordering::Relaxed) + 1, total as u64);
    let mut ran: Vec<Ran> =
        pieces.into_par_iter().flat_map_iter(|items| piece(items, progress, &ended, daz)).collect();
    ran.sort_by_key(|(n, _)| *n);
    ran.into_iter().map(|(_, result)| result).collect()
}

/// Runs launches of one program.
fn piece(
    items: &mut [(usize, &mut CheckedItem)],
    progress: &dyn BatchProgress,
    ended: &impl Fn(),
    daz: bool,
) -> Vec<Ran> {
    let mut ready: Option<(Prepared, Box<Machine>)> = None;
    let run = |(n, item): &mut (usize, &mut CheckedItem)| {
        let launch = &item.launch;
        let result = caught(NAME, || {
            let (prepared, machine) = ready.get_or_insert_with(|| {
                let prepared = Prepared::new(launch, daz);
                let machine = Machine::reused(&prepared);
                (prepared, machine)
            });
            prepared.rebind(launch);
            machine.rebind(prepared);
            let own = (launch.grouping.count() < LARGE).then_some(&mut **machine);
            super::run(launch, prepared, own, item.memory, progress.stop(), false)
        });
        if let Err(LaunchError::Panic { .. }) = result {
            // They are as the panic left them.
            ready = None;
        }
        ended();
        (*n, result)
    };
    let ran = items.iter_mut().map(run).collect();
    if let Some((_, machine)) = ready {
        machine.keep();
    }
    ran
}
