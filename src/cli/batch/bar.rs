//! How far a batch is, for people who watch it.

use super::super::tell;
use super::Counts;
use ctm::engine::BatchProgress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;

/// The progress bar, if standard error is a terminal.
pub struct Bar {
    bar: Option<ProgressBar>,
}

impl Bar {
    /// A bar for so many jobs.
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

    /// Progress while a chunk of jobs runs.
    pub fn chunk(&self, jobs: u64) -> ChunkProgress<'_> {
        ChunkProgress {
            bar: self.bar.as_ref(),
            before: self.bar.as_ref().map_or(0, ProgressBar::position),
            jobs,
        }
    }

    /// Shows how many jobs are done, and how many of them failed.
    pub fn done(&self, counts: &Counts) {
        if let Some(bar) = &self.bar {
            bar.set_position(counts.done() + counts.skipped);
            let failed = counts.fault + counts.error;
            if failed != 0 {
                bar.set_message(format!("{failed} failed"));
            }
        }
    }

    /// A line on standard error.
    pub fn print(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| tell(text)),
            None => tell(text),
        }
    }

    /// Takes the bar away.
    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// Tells the bar how far a chunk is.
pub struct ChunkProgress<'a> {
    bar: Option<&'a ProgressBar>,
    before: u64,
    jobs: u64,
}

impl BatchProgress for ChunkProgress<'_> {
    fn launches(&self, done: u64, total: u64) {
        if let Some(bar) = self.bar {
            bar.set_position(self.before + self.jobs * done / total.max(1));
        }
    }
}
