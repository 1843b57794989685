//! Lines about things that are processed concurrently, printed in order.

use super::output::CANNOT_PRINT;
use anyhow::Context;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Makes the line of each item, on `threads` threads (0: the number of processors). Prints each
/// line as soon as all lines before it are done. Returns all lines, in order.
/// After a line that cannot be printed, it starts no more.
pub fn in_order<I: Sync, T: Send>(
    items: &[I],
    threads: usize,
    make: impl Fn(&I) -> T + Sync,
    print: impl Fn(&T) -> io::Result<()> + Sync,
) -> anyhow::Result<Vec<T>> {
    let pool = super::start_threads(threads)?;
    let next = AtomicUsize::new(0);
    let stopped = AtomicBool::new(false);
    let lines = Mutex::new(Lines { waiting: BTreeMap::new(), done: Vec::new(), error: None });
    // Threads take items in order, so that lines can be printed with little waiting.
    pool.broadcast(|_| {
        while !stopped.load(Ordering::Relaxed) {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(n) else { break };
            let line = make(item);
            let Lines { waiting, done, error } = &mut *lines.lock();
            waiting.insert(n, line);
            while let Some(line) = waiting.remove(&done.len()) {
                if let Err(failed) = print(&line) {
                    error.get_or_insert(failed);
                    stopped.store(true, Ordering::Relaxed);
                }
                done.push(line);
            }
        }
    });
    let Lines { done, error, .. } = lines.into_inner();
    error.map_or(Ok(done), Err).context(CANNOT_PRINT)
}

struct Lines<T> {
    waiting: BTreeMap<usize, T>,
    /// The finished lines, in order.
    done: Vec<T>,
    /// The first error of printing.
    error: Option<io::Error>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_made_after_a_line_that_cannot_be_printed() {
        let items: Vec<usize> = (0..9).collect();
        let made = AtomicUsize::new(0);
        let make = |_: &usize| made.fetch_add(1, Ordering::Relaxed);
        let print = |n: &usize| match n {
            2 => Err(io::ErrorKind::BrokenPipe.into()),
            _ => Ok(()),
        };
        let error = in_order(&items, 1, make, print).unwrap_err();
        assert_eq!(error.to_string(), CANNOT_PRINT);
        assert_eq!(made.into_inner(), 3);
    }
}
