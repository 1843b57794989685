//! Progress bars on standard error, where that is a terminal.

use ctm_engine::Stop;
use ctm_jobs::job::RunProgress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A bar that is full at `len`, if that is known. It shows nothing where standard error is not a
/// terminal.
pub fn bar(len: Option<u64>, template: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(len, ProgressDrawTarget::stderr_with_hz(10));
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}

/// A run that ends sooner shows no progress bar.
const BEFORE_BAR: Duration = Duration::from_millis(500);

/// The progress bar and the stop of a run. Dropping it removes the bar.
pub struct Watch {
    bar: OnceLock<ProgressBar>,
    /// The time at which the bar appears, if it does.
    shown: Option<Instant>,
    /// The unit of its count.
    unit: &'static str,
    stop: Stop,
}

impl Watch {
    /// Watches a run that `stop` ends, with a bar that counts this unit.
    pub fn of(unit: &'static str, stop: Stop) -> Watch {
        let shown = Instant::now().checked_add(BEFORE_BAR);
        Watch { bar: OnceLock::new(), shown, unit, stop }
    }

    /// The same without a bar.
    pub fn silent(stop: Stop) -> Watch {
        Watch { bar: OnceLock::new(), shown: None, unit: "launch", stop }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

impl RunProgress for Watch {
    fn at(&self, launch: u64, launches: u64, done: u64, total: u64) {
        const PARTS: u64 = 1000;
        if self.shown.is_some_and(|shown| Instant::now() >= shown) {
            let template = "{wide_bar} {percent}% {eta} left {msg}";
            let bar = self.bar.get_or_init(|| bar(Some(launches * PARTS), template));
            bar.set_position(launch * PARTS + PARTS * done / total.max(1));
            bar.set_message(format!("{} {} of {launches}", self.unit, launch + 1));
        }
    }

    fn stop(&self) -> &Stop {
        &self.stop
    }
}
