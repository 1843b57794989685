//! The launches of a job, and the memory before the first one.

use super::ranges::JobRanges;
use ctm_jobs::job::{Job, JobError, RunOptions};
use ctm_lang::program::Image;
use ctm_machine::launch::Launch;
use ctm_machine::memory::Memory;
use std::sync::Arc;

/// The launches of one pass.
struct PassPlan {
    /// The number of its first launch.
    first: u64,
    repeat: u32,
    /// One launch, or two that alternate.
    launches: Vec<Launch>,
}

/// The plan of a session: launches in order, and the memory before the first one.
pub struct Plan {
    passes: Vec<PassPlan>,
    pub(super) memory: Arc<Memory>,
    pub(super) ranges: JobRanges,
}

impl Plan {
    /// The launches of a job.
    ///
    /// # Errors
    /// If memory cannot be allocated.
    pub fn of_job(job: &Job, options: &RunOptions) -> Result<Plan, JobError> {
        let (memory, mut surfaces) = job.upload()?;
        let mut passes = Vec::new();
        let mut first = 0;
        job.each_pass(options, &mut surfaces, |pass, launches| {
            passes.push(PassPlan { first, repeat: pass.repeat, launches: launches.to_vec() });
            first += u64::from(pass.repeat);
            Ok::<(), JobError>(())
        })?;
        Ok(Plan { passes, memory: Arc::new(memory), ranges: JobRanges::new(Some(job)) })
    }

    /// One launch.
    pub fn of_launch(launch: Launch, memory: Memory) -> Plan {
        let passes = vec![PassPlan { first: 0, repeat: 1, launches: vec![launch] }];
        Plan { passes, memory: Arc::new(memory), ranges: JobRanges::new(None) }
    }

    /// The number of launches.
    pub fn launches(&self) -> u64 {
        self.passes.last().map_or(0, |pass| pass.first + u64::from(pass.repeat))
    }

    /// The number of passes.
    pub fn passes(&self) -> usize {
        self.passes.len()
    }

    /// The first launch of a repetition of a pass.
    pub fn launch_of(&self, pass: usize, repetition: u32) -> Option<u64> {
        let pass = self.passes.get(pass).filter(|pass| repetition < pass.repeat)?;
        Some(pass.first + u64::from(repetition))
    }

    /// The pass and the repetition of a launch.
    pub fn pass_of(&self, launch: u64) -> (usize, u32) {
        let pass = self.passes.partition_point(|pass| pass.first <= launch).saturating_sub(1);
        (pass, (launch - self.passes[pass].first) as u32)
    }

    /// The number of repetitions of a pass.
    pub fn repeat(&self, pass: usize) -> u32 {
        self.passes[pass].repeat
    }

    /// The programs of the job, each once, in the order of passes.
    pub fn images(&self) -> Vec<&Image> {
        let mut images: Vec<&Image> = Vec::new();
        for launch in self.passes.iter().flat_map(|pass| &pass.launches) {
            let image = launch.program.image();
            if !images.iter().any(|known| std::ptr::eq(*known, image)) {
                images.push(image);
            }
        }
        images
    }

    /// The distinct launches by pass.
    pub(super) fn distinct(&self) -> impl Iterator<Item = &[Launch]> {
        self.passes.iter().map(|pass| &pass.launches[..])
    }
}
