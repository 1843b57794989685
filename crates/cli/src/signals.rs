//! SIGINT and SIGTERM. The first one stops the run, so that no incomplete file remains. A second
//! one ends the process at once, as does the first one while the process waits for a pipe.

use anyhow::Context;
use ctm_base::files;
use ctm_engine::Stop;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use signal_hook::low_level::emulate_default_handler;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

/// The number of the last signal that was caught; 0 if none came.
static LAST: LazyLock<Arc<AtomicUsize>> = LazyLock::new(Arc::default);

/// Whether the process waits for input.
static WAITS: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Reads a file: [`waiting`], unless it is a regular one.
pub fn waiting_for<T>(file: &Path, read: impl FnOnce() -> T) -> T {
    if file.is_file() { read() } else { waiting(read) }
}

/// Writes files: [`waiting`] if one is a pipe, whose reader may never come.
pub fn waiting_to_write<T>(files: &[PathBuf], write: impl FnOnce() -> T) -> T {
    if files.iter().any(|file| files::is_pipe(file)) { waiting(write) } else { write() }
}

/// Reads input that may never come, such as that of a pipe, or writes what may never be read. Meanwhile a signal has its default
/// action: neither can be stopped.
pub fn waiting<T>(work: impl FnOnce() -> T) -> T {
    WAITS.store(true, Ordering::SeqCst);
    // A signal that came before would not end the wait.
    obey();
    let done = work();
    WAITS.store(false, Ordering::SeqCst);
    done
}

/// Ends the process with the last signal's default action, so that its parent sees that signal.
/// Returns if no signal came.
fn obey() {
    if let Ok(signal @ 1..) = i32::try_from(LAST.load(Ordering::SeqCst)) {
        // Fails only for numbers that are not signals.
        let _ = emulate_default_handler(signal);
    }
}

/// The signals of a process that catches them.
pub struct Signals {
    flag: Arc<AtomicBool>,
    stop: Stop,
}

impl Signals {
    /// Starts to catch the signals.
    pub fn catch() -> anyhow::Result<Signals> {
        let (stop, seen) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        for signal in [SIGINT, SIGTERM] {
            // Handlers run in this order: on the first signal, `seen` is false.
            flag::register_usize(signal, Arc::clone(&LAST), signal as usize)
                .and_then(|_| {
                    flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&seen))
                })
                .and_then(|_| flag::register(signal, Arc::clone(&seen)))
                .and_then(|_| flag::register(signal, Arc::clone(&stop)))
                .and_then(|_| flag::register_conditional_default(signal, Arc::clone(&WAITS)))
                .context("cannot catch signals")?;
        }
        let signals = Signals { stop: Stop::on(Arc::clone(&stop)), flag: stop };
        // One that came meanwhile may have met the first handler only.
        signals.resume();
        Ok(signals)
    }

    /// The result of a run. If a signal made it fail, prints the error and ends the process as
    /// [`obey`](Signals::obey) does.
    pub fn or_obey<T>(&self, done: anyhow::Result<T>) -> anyhow::Result<T> {
        done.inspect_err(|error| {
            if self.came() {
                super::tell_error(error);
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
        LAST.load(Ordering::Relaxed) != 0
    }

    /// Ends the process with the signal's default action, so that its parent sees that signal.
    /// Returns if no signal came.
    pub fn obey(&self) {
        obey();
    }
}
