//! Lines about files that are done out of order, printed in order.

use std::collections::BTreeMap;

/// Prints lines in the order of the files, as soon as all before them are there.
pub struct Lines<T> {
    waiting: BTreeMap<usize, T>,
    /// What has been added, in order.
    pub done: Vec<T>,
    /// The first error of printing.
    pub error: Option<std::io::Error>,
    print: fn(&T) -> std::io::Result<()>,
    shows: Box<dyn Fn(&T) -> bool + Send>,
}

impl<T> Lines<T> {
    /// No lines yet; `shows` says which are printed at all.
    pub fn new(
        print: fn(&T) -> std::io::Result<()>,
        shows: impl Fn(&T) -> bool + Send + 'static,
    ) -> Lines<T> {
        Lines {
            waiting: BTreeMap::new(),
            done: Vec::new(),
            error: None,
            print,
            shows: Box::new(shows),
        }
    }

    /// Adds the line of file `n`, counted from 0.
    pub fn add(&mut self, n: usize, line: T) {
        self.waiting.insert(n, line);
        while let Some(line) = self.waiting.remove(&self.done.len()) {
            if (self.shows)(&line)
                && let Err(error) = (self.print)(&line)
            {
                self.error.get_or_insert(error);
            }
            self.done.push(line);
        }
    }
}
