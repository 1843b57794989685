//! The progress bar of a batch.

use super::super::tell;
use super::Counts;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// The progress bar, if standard error is a terminal.
pub struct Bar {
    bar: Option<ProgressBar>,
}

impl Bar {
    /// A bar for `jobs` jobs.
    pub fn new(jobs: usize) -> Bar {
        let bar = std::io::stderr().is_terminal().then(|| {
            let target = ProgressDrawTarget::stderr_with_hz(10);
            let bar = ProgressBar::with_draw_target(Some(jobs as u64), target);
            let template = "{wide_bar} {pos}/{len} {per_sec} {eta} left {msg}";
            if let Ok(style) = ProgressStyle::with_template(template) {
                bar.set_style(style);
            }
            bar
        });
        Bar { bar }
    }

    /// Shows how many jobs are done, and how many of them failed.
    pub fn done(&self, counts: &Counts) {
        if let Some(bar) = &self.bar {
            bar.set_position(counts.done() + counts.skipped);
            let failed = counts.ran_failed();
            if failed != 0 {
                bar.set_message(format!("{failed} failed"));
            }
        }
    }

    /// Prints a line to standard error.
    pub fn print(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| tell(text)),
            None => tell(text),
        }
    }

    /// Removes the bar.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
