//! The reference engine, which shows what one point of a job does.

use ctm_jobs::job::Job;
use ctm_machine::engine::reference::{Reference, Trace, TraceEvent};
use ctm_machine::engine::{Checked, Engine, LaunchError, Outcome, Progress};
use ctm_machine::memory::Memory;
use parking_lot::Mutex;
use std::ops::RangeInclusive;
use std::sync::atomic::{AtomicU64, Ordering};

/// The reference engine, which shows what one point does.
pub struct Tracing<'a> {
    /// The job whose launches run, in order.
    pub job: &'a Job,
    /// The point.
    pub point: (u32, u32),
    /// The pass to trace; `None`: all.
    pub pass: Option<usize>,
    /// The instructions to show.
    pub pcs: RangeInclusive<u32>,
    /// Gets each event, with the number of its launch.
    show: Mutex<Box<dyn FnMut(u64, TraceEvent) + Send + 'a>>,
    /// The number of launches so far.
    launches: AtomicU64,
}

impl<'a> Tracing<'a> {
    /// Before the first launch of the job.
    pub fn new(
        job: &'a Job,
        point: (u32, u32),
        show: impl FnMut(u64, TraceEvent) + Send + 'a,
    ) -> Tracing<'a> {
        let (pcs, show) = (0..=u32::MAX, Mutex::new(Box::new(show) as _));
        Tracing { job, point, pass: None, pcs, show, launches: AtomicU64::new(0) }
    }
}

impl Engine for Tracing<'_> {
    fn name(&self) -> &'static str {
        Reference::new().name()
    }

    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let number = self.launches.fetch_add(1, Ordering::Relaxed);
        let (pass, _) = self.job.pass_of(number).unwrap_or_default();
        if self.pass.is_some_and(|wanted| wanted != pass) {
            return Reference::new().run_checked(launch, memory, progress);
        }
        let show = |event| (self.show.lock())(number, event);
        let image = launch.launch().program.image();
        let mut trace = Trace::new(self.point, image, show).only(self.pcs.clone());
        let outcome = Reference::new().run_observed(launch, memory, progress, &mut trace);
        if outcome.is_ok() && launch.domain.contains(self.point.0, self.point.1) {
            trace.launch_end();
        }
        outcome
    }
}
