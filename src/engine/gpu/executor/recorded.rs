//! Commands that are recorded and not yet submitted. A submission of its own costs a GPU more time
//! than a small launch takes; launches that nobody waits for therefore share one.

use super::super::connection::Gpu;
use super::super::error::GpuError;

/// Launches of one submission at most.
const LAUNCHES: u32 = 64;

/// Point-instructions of one submission at most, unless a single launch has more: what is submitted
/// together must not look like a GPU that hangs, also on one that does 1 G of them a second.
const WORK: u64 = 1 << 30;

/// Whether so many launches, of so many point-instructions together, are to be submitted, if the
/// submission before them had so many launches and nobody has waited since (else `before` is 0).
fn is_due(launches: u32, work: u64, before: u32) -> bool {
    // The GPU begins with the first launch at once, while more and more are recorded.
    launches >= (2 * before).clamp(1, LAUNCHES) || work >= WORK
}

/// Commands since the last submission.
#[derive(Default)]
pub(in crate::engine::gpu) struct Recorded {
    // It ends before its encoder does.
    pass: Option<wgpu::ComputePass<'static>>,
    encoder: Option<wgpu::CommandEncoder>,
    launches: u32,
    work: u64,
    /// Launches of the submission before this one, if nobody has waited since.
    before: u32,
}

impl Recorded {
    /// The commands, outside of any pass.
    pub(in crate::engine::gpu) fn encoder(&mut self, gpu: &Gpu) -> &mut wgpu::CommandEncoder {
        self.pass = None;
        let device = &gpu.device;
        self.encoder
            .get_or_insert_with(|| device.create_command_encoder(&Default::default()))
    }

    /// A pass among the commands.
    pub(super) fn pass(&mut self, gpu: &Gpu) -> &mut wgpu::ComputePass<'static> {
        let pass = self.pass.take().unwrap_or_else(|| {
            let encoder = self.encoder(gpu);
            encoder
                .begin_compute_pass(&Default::default())
                .forget_lifetime()
        });
        self.pass.insert(pass)
    }

    /// A launch of so many point-instructions has been recorded.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub(super) fn launched(&mut self, gpu: &Gpu, work: u64) -> Result<(), GpuError> {
        self.launches += 1;
        self.work = self.work.saturating_add(work);
        if is_due(self.launches, self.work, self.before) {
            self.submit(gpu)?;
        }
        Ok(())
    }

    /// Somebody waits for everything submitted.
    pub(super) fn waited(&mut self) {
        self.before = 0;
    }

    /// Submits what there is.
    ///
    /// # Errors
    /// What the device has against it.
    pub(super) fn submit(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        self.pass = None;
        let launches = std::mem::take(&mut self.launches);
        self.work = 0;
        let Some(encoder) = self.encoder.take() else {
            return Ok(());
        };
        self.before = launches;
        gpu.scoped("a submission", |_| {
            gpu.queue.submit([encoder.finish()]);
        })
    }
}

#[cfg(test)]
mod tests {
    use super::is_due;

    /// The sizes of the first submissions of launches that have so much work each.
    fn submissions(work: u64) -> Vec<u32> {
        let (mut sizes, mut launches, mut before) = (Vec::new(), 0, 0);
        while sizes.len() < 9 {
            launches += 1;
            if is_due(launches, work * u64::from(launches), before) {
                sizes.push(launches);
                (before, launches) = (launches, 0);
            }
        }
        sizes
    }

    #[test]
    fn submissions_grow_from_one_launch_to_64() {
        assert_eq!(submissions(0), [1, 2, 4, 8, 16, 32, 64, 64, 64]);
        // 2^30 point-instructions end a submission: those of 64 launches, then of 5, of 1.
        assert_eq!(submissions(1 << 24), [1, 2, 4, 8, 16, 32, 64, 64, 64]);
        assert_eq!(submissions((1 << 28) - 1), [1, 2, 4, 5, 5, 5, 5, 5, 5]);
        assert_eq!(submissions(1 << 28), [1, 2, 4, 4, 4, 4, 4, 4, 4]);
        assert_eq!(submissions(1 << 30), [1; 9]);
        assert_eq!(submissions(u64::MAX / 64), [1; 9]);
    }

    #[test]
    fn after_a_wait_the_first_launch_goes_alone() {
        assert!(is_due(1, 0, 0));
        assert!(!is_due(1, 0, 1) && is_due(2, 0, 1));
        assert!(!is_due(63, 0, 64) && is_due(64, 0, 64));
        assert!(!is_due(1, (1 << 30) - 1, 1) && is_due(1, 1 << 30, 1));
    }
}
