//! The budget of a compile. Front ends and passes count their work, not their time: a source compiles on every machine or
//! on none, and a compile ends whatever its source doubles. The time of each pass is measured to be shown, no more.

use crate::clock::Instant;
use crate::stop::{Stop, Stopped};
use crate::text::{Diagnostic, Span};
use std::cell::{Cell, RefCell};
use std::fmt;
use std::time::Duration;

/// The work of a compile: about a second's, in units of about 10 ns.
const BUDGET: u64 = 100_000_000;

/// The tries that share the budget: one that fails leaves the others their part.
const SHARES: u64 = 4;

/// The work that a compile has left.
pub struct Work<'a> {
    stop: &'a Stop,
    left: Cell<u64>,
    /// The work that the running try must leave.
    floor: Cell<u64>,
    times: RefCell<Vec<PassTime>>,
}

/// The name of a pass, and the time of all its runs together.
pub type PassTime = (&'static str, Duration);

/// The end of a compile before it is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It was stopped.
    Stopped(Stopped),
    /// The budget ran out in a pass.
    Budget(&'static str),
}

impl fmt::Display for Ended {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ended::Stopped(why) => why.fmt(text),
            Ended::Budget(pass) => {
                write!(text, "a compile's budget of work; it ran out in the pass `{pass}`")
            }
        }
    }
}

impl Ended {
    /// The error of a source, or of the part of it at `at`, whose compile ends.
    pub fn error(self, what: &str, at: Span) -> Diagnostic {
        match self {
            Ended::Stopped(why) => at.error(why.to_string()),
            Ended::Budget(_) => {
                at.error(format!("{what} needs more than {self}")).label("the limit is passed here")
            }
        }
    }
}

impl<'a> Work<'a> {
    /// The whole budget.
    pub fn new(stop: &'a Stop) -> Work<'a> {
        Work { stop, left: Cell::new(BUDGET), floor: Cell::new(0), times: RefCell::default() }
    }

    /// Begins a try, which gets a share of the budget.
    pub fn share(&self) {
        self.floor.set(self.left.get().saturating_sub(BUDGET / SHARES));
    }

    /// Counts work.
    pub fn note(&self, units: usize) {
        self.left.set(self.left.get().saturating_sub(units as u64));
    }

    /// Whether to continue in a pass.
    ///
    /// # Errors
    /// The compile was stopped, or there is no more work left.
    pub fn check(&self, pass: &'static str) -> Result<(), Ended> {
        self.stop.check().map_err(Ended::Stopped)?;
        if self.left.get() <= self.floor.get() {
            return Err(Ended::Budget(pass));
        }
        Ok(())
    }

    /// Counts work of a pass, before it is done.
    ///
    /// # Errors
    /// As [`Work::check`].
    pub fn spend(&self, pass: &'static str, units: usize) -> Result<(), Ended> {
        self.note(units);
        self.check(pass)
    }

    /// Runs a pass, and adds its time.
    pub fn timed<T>(&self, pass: &'static str, run: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let result = run();
        let time = started.elapsed();
        let mut times = self.times.borrow_mut();
        match times.iter_mut().find(|(name, _)| *name == pass) {
            Some((_, all)) => *all += time,
            None => times.push((pass, time)),
        }
        result
    }

    /// The passes that ran, in the order of their first runs.
    pub fn times(&self) -> Vec<PassTime> {
        self.times.borrow().clone()
    }

    /// The work that is done.
    pub fn done(&self) -> u64 {
        BUDGET - self.left.get()
    }
}
