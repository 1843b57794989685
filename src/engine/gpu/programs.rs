//! Programs in the shader's form, kept as long as they are in use.

use super::encode;
use super::plan::Ready;
use crate::launch::Launch;
use crate::lower;
use crate::program::Program;
use std::sync::{Arc, Mutex, Weak};

/// Programs that are kept.
const CACHE: usize = 4096;

struct Kept {
    program: Weak<Program>,
    raw_temps: u128,
    ready: Arc<Ready>,
}

/// The programs that ran last.
#[derive(Default)]
pub struct Programs {
    kept: Mutex<Vec<Kept>>,
}

impl Programs {
    /// The launch's program, lowered and encoded; `None` if it has more registers and constants
    /// than the encoding can name.
    pub fn get(&self, launch: &Launch) -> Option<Arc<Ready>> {
        let raw_temps = launch
            .initial
            .iter()
            .fold(0u128, |mask, initial| mask | 1 << initial.temp);
        let mut kept = self.kept.lock().unwrap_or_else(|e| e.into_inner());
        let found = kept.iter().find(|one| {
            one.raw_temps == raw_temps
                && std::ptr::eq(one.program.as_ptr(), Arc::as_ptr(&launch.program))
        });
        if let Some(one) = found {
            return Some(one.ready.clone());
        }
        let lowered = Arc::new(lower::lower(&launch.program, raw_temps));
        let encoded = encode::encode(&lowered, &launch.program)?;
        let ready = Arc::new(Ready { lowered, encoded });
        kept.retain(|one| one.program.strong_count() != 0);
        if kept.len() == CACHE {
            kept.remove(0);
        }
        kept.push(Kept {
            program: Arc::downgrade(&launch.program),
            raw_temps,
            ready: ready.clone(),
        });
        Some(ready)
    }
}
