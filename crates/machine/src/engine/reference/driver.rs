//! Groups of a launch with observers, on all cores.

use super::observer::LastStore;
use super::{Bytes, GroupEffects, Observer, Reference, Store};
use crate::engine::{Checked, Progress, Stop, Stopped};
use crate::memory::Memory;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

impl Reference {
    /// Runs some groups of a launch with observers. `new` makes one for each piece of the work, and
    /// `take` gets them back in the order of the groups. No write takes effect before
    /// [`GroupEffects::finish`].
    ///
    /// The groups of a launch with data sharing depend on each other, so `groups` must be all of
    /// them; one observer then sees the even groups of each SIMD and one the odd ones.
    ///
    /// # Errors
    /// If it was stopped.
    pub fn observe<O: Observer + Send>(
        &self,
        launch: &Checked<'_>,
        memory: &Memory,
        groups: &[u64],
        progress: &dyn Progress,
        new: &(dyn Fn() -> O + Sync),
        take: &mut dyn FnMut(O),
    ) -> Result<GroupEffects, Stopped> {
        let (ended, total) = (AtomicU64::new(0), groups.len() as u64);
        let done = |_| progress.groups(ended.fetch_add(1, Ordering::Relaxed) + 1, total);
        let run = |groups: &[u64], observers: Vec<&mut dyn Observer>| {
            let groups = &mut groups.iter().copied();
            super::run(launch, memory, groups, progress.stop(), &done, observers)
        };
        if launch.program.sharing().is_some() {
            let (mut even, mut odd) = (new(), new());
            let part = run(groups, vec![&mut even, &mut odd])?;
            [even, odd].into_iter().for_each(take);
            return Ok(part);
        }
        let threads = rayon::current_num_threads();
        let size = groups.len().div_ceil(4 * threads).clamp(1, 64);
        let mut whole = GroupEffects::default();
        // A few pieces at a time, because each has the state of its observer.
        for pieces in groups.chunks(size * 4 * threads) {
            let run = |piece: &[u64]| {
                let mut observer = new();
                run(piece, vec![&mut observer]).map(|part| (part, observer))
            };
            for done in pieces.par_chunks(size).map(run).collect::<Vec<_>>() {
                let (part, observer) = done?;
                whole.append(part);
                take(observer);
            }
        }
        Ok(whole)
    }

    /// The write of a launch that decides the final contents of some bytes; `None` if it writes none
    /// of them. `memory` is as before the launch.
    ///
    /// # Errors
    /// If it was stopped.
    pub fn last_store(
        &self,
        launch: &Checked<'_>,
        memory: &Memory,
        bytes: Bytes,
        stop: &Stop,
    ) -> Result<Option<Store>, Stopped> {
        let new = || LastStore { bytes, found: None };
        let mut last = new();
        let take = &mut |part: LastStore| part.found.iter().for_each(|store| last.stored(store));
        let groups = launch.grouping.sample(None);
        self.observe(launch, memory, &groups, stop, &new, take)?;
        Ok(last.found)
    }
}
