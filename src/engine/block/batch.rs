//! Many launches at once: one per core, with each program prepared once.
//!
//! Launches of one program are grouped into pieces. A worker runs a whole piece with one machine
//! and one prepared form, into which each launch puts its constants. A launch that is large enough
//! to keep several cores busy is spread over them, as outside a batch.

use super::code::Prepared;
use super::machine::Machine;
use crate::engine::groups::Grouping;
use crate::engine::kept::{Kept, Key, key};
use crate::engine::{BatchItem, BatchProgress, LaunchError, OfItem, Outcome, prepare};
use crate::lower::{self, Lowered};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

type Item<'a, 'm> = (usize, &'a mut BatchItem<'m>);

/// The most launches that one worker runs with one machine.
const PIECE: usize = 32;

/// The number of groups at which a launch is spread over the cores: 16 384 points.
const LARGE: u64 = 256;

/// Some launches of one program.
struct Piece<'a, 'm> {
    /// The lowered program; all pieces of the program share it.
    lowered: Arc<OnceLock<Arc<Lowered>>>,
    items: &'a mut [Item<'a, 'm>],
}

/// Runs a batch. The results are in the order of the items.
pub(super) fn run(
    kept: &Kept<Lowered>,
    items: &mut [BatchItem<'_>],
    progress: &dyn BatchProgress,
) -> Vec<Result<Outcome, LaunchError>> {
    let total = items.len();
    let done = AtomicU64::new(0);
    let results: Vec<OnceLock<Result<Outcome, LaunchError>>> =
        (0..total).map(|_| OnceLock::new()).collect();
    let finish = |n: usize, result| {
        // Every item runs once, so the cell is empty.
        let _ = results[n].set(result);
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        progress.launches(done, total as u64);
    };
    let mut order: Vec<(Key, Item)> = Vec::with_capacity(total);
    for (n, item) in items.iter_mut().enumerate() {
        // `key` requires a valid launch.
        match prepare::validate(item.launch) {
            Ok(()) => order.push((key(item.launch), (n, item))),
            Err(error) => finish(n, Err(error)),
        }
    }
    order.sort_by_key(|(key, (n, _))| (*key, *n));
    let programs: Vec<usize> = order.chunk_by(|(a, _), (b, _)| a == b).map(<[_]>::len).collect();
    let mut items: Vec<Item> = order.into_iter().map(|(_, item)| item).collect();
    let share = (total / (4 * rayon::current_num_threads())).clamp(1, PIECE);
    let mut pieces = Vec::new();
    let mut rest = &mut items[..];
    for count in programs {
        let (same, after) = std::mem::take(&mut rest).split_at_mut(count);
        rest = after;
        let lowered = Arc::new(OnceLock::new());
        pieces
            .extend(same.chunks_mut(share).map(|items| Piece { lowered: lowered.clone(), items }));
    }
    pieces.into_par_iter().for_each(|piece| piece.run(kept, progress, &finish));
    results
        .into_iter()
        .map(|result| match result.into_inner() {
            Some(result) => result,
            None => Err(LaunchError::Failed {
                engine: "block",
                reason: "the launch was left out of its batch".into(),
            }),
        })
        .collect()
}

impl Piece<'_, '_> {
    fn run(
        self,
        kept: &Kept<Lowered>,
        progress: &dyn BatchProgress,
        finish: &impl Fn(usize, Result<Outcome, LaunchError>),
    ) {
        let Some((_, first)) = self.items.first() else {
            return;
        };
        let lowered = self
            .lowered
            .get_or_init(|| kept.get(first.launch, |raw| lower::lower(&first.launch.program, raw)));
        let mut prepared = Prepared::new(lowered, first.launch);
        let mut machine = Machine::new(&prepared);
        for (n, (number, item)) in self.items.iter_mut().enumerate() {
            if n != 0 {
                prepared.rebind(lowered, item.launch);
                machine.rebind(&prepared);
            }
            let large = Grouping::of(item.launch).count() >= LARGE;
            let item_progress = OfItem { progress, item: *number };
            let outcome = super::run(
                item.launch,
                &prepared,
                (!large).then_some(&mut machine),
                item.memory,
                &item_progress,
            );
            finish(*number, outcome);
        }
    }
}
