//! Lowered programs, kept for the next launch.

use crate::launch::Launch;
use crate::lower::{self, Lowered};
use crate::program::Program;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, Weak};

/// What a lowered form depends on: where the program lies, and which temporaries start with data.
pub(super) type Key = (usize, u128);

/// The key of a launch.
pub(super) fn key(launch: &Launch) -> Key {
    let raw_temps = launch
        .initial
        .iter()
        .fold(0u128, |mask, initial| mask | 1 << initial.temp);
    (Arc::as_ptr(&launch.program).addr(), raw_temps)
}

struct Entry {
    /// Keeps the place from being used for another program, without keeping the program.
    program: Weak<Program>,
    lowered: Arc<Lowered>,
}

#[derive(Default)]
struct Entries {
    map: HashMap<Key, Entry>,
    /// Micro-operations of all entries.
    ops: usize,
}

/// The lowered forms of programs that ran.
#[derive(Default)]
pub(super) struct Kept {
    entries: Mutex<Entries>,
}

/// Micro-operations that are kept at most, of all programs together: some 50 MiB.
const MAX_OPS: usize = 1 << 20;

/// Programs that are kept at most.
const MAX_PROGRAMS: usize = 1 << 13;

impl Kept {
    fn entries(&self) -> MutexGuard<'_, Entries> {
        match self.entries.lock() {
            Ok(entries) => entries,
            Err(poisoned) => poisoned.into_inner(),
        }
    }

    /// The lowered form of a launch's program. The launch is valid.
    pub(super) fn lowered(&self, launch: &Launch) -> Arc<Lowered> {
        let key = key(launch);
        if let Some(entry) = self.entries().map.get(&key) {
            return entry.lowered.clone();
        }
        // Not under the lock: others need theirs meanwhile. Two may lower the same program.
        let lowered = Arc::new(lower::lower(&launch.program, key.1));
        let mut entries = self.entries();
        let ops = lowered.ops.len();
        if entries.ops + ops > MAX_OPS || entries.map.len() >= MAX_PROGRAMS {
            entries.make_room(ops);
        }
        let entry = Entry {
            program: Arc::downgrade(&launch.program),
            lowered: lowered.clone(),
        };
        entries.ops += ops;
        if let Some(before) = entries.map.insert(key, entry) {
            entries.ops -= before.lowered.ops.len();
        }
        lowered
    }
}

impl Entries {
    /// Forgets programs that are gone, and all if that is not enough.
    fn make_room(&mut self, ops: usize) {
        self.map
            .retain(|_, entry| entry.program.strong_count() != 0);
        self.ops = self.map.values().map(|e| e.lowered.ops.len()).sum();
        if self.ops + ops > MAX_OPS / 2 || self.map.len() >= MAX_PROGRAMS / 2 {
            self.map.clear();
            self.ops = 0;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::Domain;

    fn program() -> Arc<Program> {
        let image = crate::asm::assemble("mov o0, r0", "test").expect("assembles");
        Arc::new(Program::new(image).expect("a valid program"))
    }

    #[test]
    fn a_form_is_made_once_for_each_program() {
        let kept = Kept::default();
        let (a, b) = (program(), program());
        let lowered =
            |program: &Arc<Program>| kept.lowered(&Launch::new(program.clone(), Domain::default()));
        assert!(Arc::ptr_eq(&lowered(&a), &lowered(&a)));
        assert!(!Arc::ptr_eq(&lowered(&a), &lowered(&b)));
        let ops = lowered(&a).ops.len() + lowered(&b).ops.len();
        // The guard is held to the end of the statement, so nothing is lowered in it.
        let entries = kept.entries();
        assert_eq!((entries.map.len(), entries.ops), (2, ops));
    }

    #[test]
    fn programs_that_are_gone_make_room() {
        let kept = Kept::default();
        let stays = program();
        let lowered = kept.lowered(&Launch::new(stays.clone(), Domain::default()));
        for _ in 0..MAX_PROGRAMS + 10 {
            kept.lowered(&Launch::new(program(), Domain::default()));
        }
        assert!(kept.entries().map.len() < MAX_PROGRAMS);
        let again = kept.lowered(&Launch::new(stays.clone(), Domain::default()));
        assert!(Arc::ptr_eq(&lowered, &again));
    }
}
