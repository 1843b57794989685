//! Lines about files that are treated side by side, printed in order.

use anyhow::Context;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Makes the line of each file, on so many threads (0: as many as there are processors), and
/// prints those that are to be shown as soon as all before them are there. All lines, in order.
pub fn of_files<T: Send>(
    files: &[PathBuf],
    threads: usize,
    make: impl Fn(&Path) -> T + Sync,
    shows: impl Fn(&T) -> bool + Sync,
    print: fn(&T) -> io::Result<()>,
) -> anyhow::Result<Vec<T>> {
    let pool = super::start_threads(threads)?;
    let next = AtomicUsize::new(0);
    let lines = Mutex::new(Lines {
        waiting: BTreeMap::new(),
        done: Vec::new(),
        error: None,
    });
    // Files are taken one after the other, so that lines come in order without much waiting.
    pool.broadcast(|_| {
        while let Some((n, file)) = {
            let n = next.fetch_add(1, Ordering::Relaxed);
            files.get(n).map(|file| (n, file))
        } {
            let line = make(file);
            // A poisoned lock means that another thread has panicked: nothing to add to that.
            if let Ok(mut lines) = lines.lock() {
                lines.add(n, line, &shows, print);
            }
        }
    });
    let lines = lines.into_inner().unwrap_or_else(|e| e.into_inner());
    match lines.error {
        Some(error) => Err(error).context("cannot write to standard output"),
        None => Ok(lines.done),
    }
}

struct Lines<T> {
    waiting: BTreeMap<usize, T>,
    /// What has been added, in order.
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
