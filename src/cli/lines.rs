//! Lines about files that are processed concurrently, printed in order.

use super::output::CANNOT_PRINT;
use anyhow::Context;
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Makes the line of each file, on `threads` threads (0: the number of processors). Prints each
/// line that `shows` accepts as soon as all lines before it are done. Returns all lines, in order.
/// After a line that cannot be printed, it starts no more files.
pub fn of_files<T: Send>(
    files: &[PathBuf],
    threads: usize,
    make: impl Fn(&Path) -> T + Sync,
    shows: impl Fn(&T) -> bool + Sync,
    print: fn(&T) -> io::Result<()>,
) -> anyhow::Result<Vec<T>> {
    let pool = super::start_threads(threads)?;
    let next = AtomicUsize::new(0);
    let stopped = AtomicBool::new(false);
    let lines = Mutex::new(Lines { waiting: BTreeMap::new(), done: Vec::new(), error: None });
    // Threads take files in order, so that lines can be printed with little waiting.
    pool.broadcast(|_| {
        while let Some((n, file)) = {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let goes_on = !stopped.load(Ordering::Relaxed);
            files.get(n).filter(|_| goes_on).map(|file| (n, file))
        } {
            let line = make(file);
            let mut lines = lines.lock();
            lines.add(n, line, &shows, print);
            stopped.fetch_or(lines.error.is_some(), Ordering::Relaxed);
        }
    });
    let lines = lines.into_inner();
    match lines.error {
        Some(error) => Err(error).context(CANNOT_PRINT),
        None => Ok(lines.done),
    }
}

struct Lines<T> {
    waiting: BTreeMap<usize, T>,
    /// The finished lines, in order.
    done: Vec<T>,
    /// The first error of printing.
    error: Option<io::Error>,
}

impl<T> Lines<T> {
    /// Adds the line of file `n`, counted from 0.
    fn add(
        &mut self,
        n: usize,
        line: T,
        shows: impl Fn(&T) -> bool,
        print: fn(&T) -> io::Result<()>,
    ) {
        self.waiting.insert(n, line);
        while let Some(line) = self.waiting.remove(&self.done.len()) {
            if shows(&line)
                && let Err(error) = print(&line)
            {
                self.error.get_or_insert(error);
            }
            self.done.push(line);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_made_after_a_line_that_cannot_be_printed() {
        let files: Vec<PathBuf> = (0..9).map(|n| n.to_string().into()).collect();
        let made = AtomicUsize::new(0);
        let make = |_: &Path| made.fetch_add(1, Ordering::Relaxed);
        let print = |n: &usize| match n {
            2 => Err(io::ErrorKind::BrokenPipe.into()),
            _ => Ok(()),
        };
        let error = of_files(&files, 1, make, |_| true, print).unwrap_err();
        assert_eq!(error.to_string(), CANNOT_PRINT);
        assert_eq!(made.into_inner(), 3);
    }
}
