//! Packs: small jobs that an engine runs together, as batches.

use super::error::caught;
use super::run::{Begun, RunOptions};
use super::{Job, JobError, JobResult};
use ctm_base::clock::Instant;
use ctm_machine::engine::{
    BatchItem, BatchProgress, Checked, Engine, LaunchError, Outcome, Pool, Spent, card,
};
use ctm_machine::launch::Launch;

/// The most launches of a job in a pack: between two of them its memory is on the host.
const MOST_LAUNCHES: u64 = 4;

/// A job of a pack, and its launches.
struct Member {
    begun: Begun,
    launches: Vec<Launch>,
}

impl Job {
    /// Whether it can be one of many in [`run_pack`]: it has few launches, and nothing looks at what is between them.
    pub fn packs(&self) -> bool {
        self.launches() <= MOST_LAUNCHES
            && self.sharing.is_none()
            && self.all_frames().peek().is_none()
    }

    fn member(&self, engine: &dyn Engine, options: &RunOptions) -> Result<Member, JobError> {
        let mut begun = self.begin(engine, options)?;
        let mut launches = Vec::new();
        self.each_pass(options, &mut begun.surfaces, |pass, distinct| {
            launches.extend(distinct.iter().cycle().take(pass.repeat as usize).cloned());
            Ok::<_, JobError>(())
        })?;
        Ok(Member { begun, launches })
    }
}

impl Member {
    /// Takes the outcome of launch number `n`.
    fn take(
        &mut self,
        job: &Job,
        n: usize,
        outcome: Result<Outcome, LaunchError>,
    ) -> Result<(), JobError> {
        let failed = |error: LaunchError| job.queued_error(n as u64, &error);
        let outcome = outcome.map_err(failed)?;
        if outcome.statistics.is_some() {
            let checked = Checked::new(&self.launches[n]).map_err(failed)?;
            self.begun.tally.moved.push_back(card::bytes(&checked));
        }
        self.begun.tally.add(outcome, &mut Pool::default());
        Ok(())
    }
}

/// Runs jobs, each of which [packs](Job::packs), together: first the first launch of each as one batch of the engine,
/// then the second, and so on. The results are those of [`Job::run`], in the order of the jobs; each has its share of
/// the time. A job that fails does not affect the others.
///
/// # Errors
/// Those of [`Job::run`], of each job.
pub fn run_pack(
    jobs: &[&Job],
    engine: &dyn Engine,
    options: &RunOptions,
    progress: &dyn BatchProgress,
) -> Vec<Result<JobResult, JobError>> {
    let mut members: Vec<Result<Member, JobError>> =
        jobs.iter().map(|job| caught(&job.file, || job.member(engine, options))).collect();
    let started = Instant::now();
    for n in 0..MOST_LAUNCHES as usize {
        let (mut at, mut items) = (Vec::new(), Vec::new());
        for (which, member) in members.iter_mut().enumerate() {
            if let Ok(Member { begun, launches }) = member
                && let Some(launch) = launches.get(n)
            {
                at.push(which);
                items.push(BatchItem { launch, memory: &mut begun.memory });
            }
        }
        if items.is_empty() {
            break;
        }
        let outcomes = engine.run_batch(&mut items, progress);
        for (which, outcome) in at.into_iter().zip(outcomes) {
            if let Ok(member) = &mut members[which]
                && let Err(error) = member.take(jobs[which], n, outcome)
            {
                members[which] = Err(error);
            }
        }
    }
    let execute = started.elapsed() / jobs.len().max(1) as u32;
    let ended = |(member, job): (Result<Member, JobError>, &&Job)| {
        let Begun { memory, surfaces, tally, upload } = member?.begun;
        let result = job.ended(engine, tally.result, upload, (execute, Spent::default()));
        Ok(JobResult { memory, surfaces, ..result })
    };
    members.into_iter().zip(jobs).map(ended).collect()
}
