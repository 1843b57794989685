//! The launches of a recording, and the time of each on the card.

use super::time::Time;
use ctm_lang::program::Program;
use ctm_machine::engine::block::Block;
use ctm_machine::engine::card;
use ctm_machine::engine::{Checked, Engine, LaunchError, Outcome, Progress, Statistics};
use ctm_machine::memory::Memory;
use ctm_machine::record::{Reader, Replay, ReplayError, ReplayOptions, SubmissionId};
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;

/// A launch of a recording.
#[derive(Clone, Debug)]
pub struct Launched {
    /// Its submission.
    pub submission: SubmissionId,
    /// Its program: an index in [`Launches::programs`].
    pub program: usize,
    /// Its statistics.
    pub statistics: Statistics,
    /// Its time on the card.
    pub time: Time,
}

/// The launches of a recording.
#[derive(Debug, Default)]
pub struct Launches {
    /// All submissions.
    pub submissions: u64,
    /// The different programs, in the order in which they first ran.
    pub programs: Vec<Arc<Program>>,
    /// The launches, in the order of the submissions.
    pub launches: Vec<Launched>,
}

/// Executes a recording and measures each launch.
///
/// # Errors
/// [`ReplayError`], also if a result is not as recorded.
pub fn launches(path: &Path, options: &ReplayOptions) -> Result<Launches, ReplayError> {
    let options = ReplayOptions { statistics: true, ..options.clone() };
    let measuring = Measuring::default();
    let mut reader = Reader::open(path)?;
    let mut replay = Replay::new(&measuring, &options);
    let mut first = 0;
    while let Some(entry) = reader.next_entry()? {
        let Some(step) = replay.step(entry)? else { continue };
        if let Some(mismatch) = step.mismatch {
            return Err(ReplayError::Differs { submission: step.place, mismatch });
        }
        let found = &mut *measuring.0.lock();
        found.submissions += 1;
        found.launches[first..].iter_mut().for_each(|launch| launch.submission = step.place);
        first = found.launches.len();
    }
    Ok(measuring.0.into_inner())
}

/// The block engine, which keeps what each launch did.
#[derive(Default)]
struct Measuring(Mutex<Launches>);

impl Engine for Measuring {
    fn name(&self) -> &'static str {
        Block::new().name()
    }

    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let outcome = Block::new().run_checked(launch, memory, progress)?;
        let statistics = outcome.statistics.unwrap_or_default();
        let bytes = if statistics.groups == 0 { 0 } else { card::bytes(launch) };
        let Launches { programs, launches, .. } = &mut *self.0.lock();
        let known = programs.iter().position(|program| program.image() == launch.program.image());
        let program = known.unwrap_or_else(|| {
            programs.push(Arc::clone(&launch.program));
            programs.len() - 1
        });
        let time = Time::of_launch(&statistics, bytes);
        // Known when it has ended.
        let submission = SubmissionId { submission: 0, device: 0 };
        launches.push(Launched { submission, program, statistics, time });
        Ok(outcome)
    }
}
