//! SIGINT and SIGTERM. The first one stops the run, so that no incomplete file remains. A second
//! one ends the process at once.

use anyhow::Context;
use ctm::engine::Stop;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::emulate_default_handler;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The signals of a process that catches them.
pub struct Signals {
    flag: Arc<AtomicBool>,
    stop: Stop,
    /// The number of the last signal; 0 if none came.
    last: Arc<AtomicUsize>,
}

impl Signals {
    /// Starts to catch the signals.
    pub fn catch() -> anyhow::Result<Signals> {
        let (stop, seen, last) = (
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicBool::new(false)),
            Arc::new(AtomicUsize::new(0)),
        );
        for signal in [SIGINT, SIGTERM] {
            // Handlers run in this order: on the first signal, `seen` is false.
            flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&seen))
                .and_then(|_| flag::register(signal, Arc::clone(&seen)))
                .and_then(|_| flag::register(signal, Arc::clone(&stop)))
                .and_then(|_| flag::register_usize(signal, Arc::clone(&last), signal as usize))
                .context("cannot catch signals")?;
        }
        Ok(Signals { stop: Stop::on(Arc::clone(&stop)), flag: stop, last })
    }

    /// The result of a run. If a signal made it fail, prints the error and ends the process as
    /// [`obey`](Signals::obey) does.
    pub fn or_obey<T>(&self, done: anyhow::Result<T>) -> anyhow::Result<T> {
        done.inspect_err(|error| {
            if self.came() {
                super::tell(format_args!("ctm: {}", super::escaped(&format!("{error:#}"))));
                self.obey();
            }
        })
    }

    /// The flag that a signal sets.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Lets runs begin again after one was stopped by hand. A signal stays.
    pub fn resume(&self) {
        self.flag.store(false, Ordering::Relaxed);
        if self.came() {
            self.stop.stop();
        }
    }

    /// Whether a signal came.
    pub fn came(&self) -> bool {
        self.last.load(Ordering::Relaxed) != 0
    }

    /// Ends the process with the signal's default action, so that its parent sees that signal.
    /// Returns if no signal came.
    pub fn obey(&self) {
        if let Ok(signal @ 1..) = i32::try_from(self.last.load(Ordering::Relaxed)) {
            // Fails only for numbers that are not signals.
            let _ = emulate_default_handler(signal);
        }
    }
}
