//! Lowered forms of programs, cached for the next launch.

use crate::launch::Launch;
use crate::program::Program;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// What a lowered form depends on: the program's address, and the temporaries with initial data.
pub(super) type Key = (usize, u128);

/// The key of a launch.
pub(super) fn key(launch: &Launch) -> Key {
    (Arc::as_ptr(&launch.program).addr(), launch.started_temps())
}

/// A lowered form of a program.
pub(super) trait Form {
    /// Its size in micro-operations.
    fn ops(&self) -> usize;
}

struct Entry<T> {
    /// Keeps the program's address from being reused, without keeping the program alive.
    program: Weak<Program>,
    form: Arc<T>,
}

struct Entries<T> {
    map: HashMap<Key, Entry<T>>,
    /// Micro-operations of all entries.
    ops: usize,
}

/// The forms of programs that ran.
pub(super) struct Kept<T> {
    entries: Mutex<Entries<T>>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Kept { entries: Mutex::new(Entries { map: HashMap::new(), ops: 0 }) }
    }
}

/// The most micro-operations kept, over all programs: about 50 MiB.
const MAX_OPS: usize = 1 << 20;

/// The most programs kept.
const MAX_PROGRAMS: usize = 1 << 13;

impl<T: Form> Kept<T> {
    /// The form of a launch's program; `make` creates it if it is not cached. `make` receives the
    /// set of temporaries with initial data.
    pub(super) fn get(&self, launch: &Launch, make: impl FnOnce(u128) -> T) -> Arc<T> {
        let key = key(launch);
        if let Some(entry) = self.entries.lock().map.get(&key) {
            return entry.form.clone();
        }
        // Created without the lock, so other threads are not blocked. Two threads may make the same
        // form.
        let form = Arc::new(make(key.1));
        let mut entries = self.entries.lock();
        let ops = form.ops();
        if entries.ops + ops > MAX_OPS || entries.map.len() >= MAX_PROGRAMS {
            entries.make_room(ops);
        }
        let entry = Entry { program: Arc::downgrade(&launch.program), form: form.clone() };
        entries.ops += ops;
        if let Some(before) = entries.map.insert(key, entry) {
            entries.ops -= before.form.ops();
        }
        form
    }
}

impl<T: Form> Entries<T> {
    /// Removes dropped programs; if that does not free enough, removes everything.
    fn make_room(&mut self, ops: usize) {
        self.map.retain(|_, entry| entry.program.strong_count() != 0);
        self.ops = self.map.values().map(|e| e.form.ops()).sum();
        if self.ops + ops > MAX_OPS / 2 || self.map.len() >= MAX_PROGRAMS / 2 {
            self.map.clear();
            self.ops = 0;
        }
    }
}

impl Form for crate::lower::Lowered {
    fn ops(&self) -> usize {
        self.ops.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::Domain;
    use crate::lower::{Lowered, lower};

    fn program() -> Arc<Program> {
        let image = crate::asm::assemble("mov o0, r0", "test").expect("assembles");
        Arc::new(Program::new(image).expect("a valid program"))
    }

    fn form(kept: &Kept<Lowered>, program: &Arc<Program>) -> Arc<Lowered> {
        let launch = Launch::new(program.clone(), Domain::default());
        kept.get(&launch, |raw| lower(program, raw))
    }

    #[test]
    fn a_form_is_made_once_for_each_program() {
        let kept: Kept<Lowered> = Kept::default();
        let (a, b) = (program(), program());
        let lowered = |program| form(&kept, program);
        assert!(Arc::ptr_eq(&lowered(&a), &lowered(&a)));
        assert!(!Arc::ptr_eq(&lowered(&a), &lowered(&b)));
        let ops = lowered(&a).ops.len() + lowered(&b).ops.len();
        // A guard lives to the end of its statement, so nothing is lowered in it.
        let entries = kept.entries.lock();
        assert_eq!((entries.map.len(), entries.ops), (2, ops));
    }

    #[test]
    fn programs_that_are_gone_make_room() {
        let kept: Kept<Lowered> = Kept::default();
        let stays = program();
        let lowered = form(&kept, &stays);
        for _ in 0..MAX_PROGRAMS + 10 {
            form(&kept, &program());
        }
        assert!(kept.entries.lock().map.len() < MAX_PROGRAMS);
        let again = form(&kept, &stays);
        assert!(Arc::ptr_eq(&lowered, &again));
    }
}
