//! Commands that are recorded and not yet submitted. A submission of its own costs a GPU more time
//! than a small launch takes; launches that nobody waits for therefore share one.

use super::super::connection::Gpu;
use super::super::error::GpuError;

/// Launches of one submission at most.
const LAUNCHES: u32 = 64;

/// Point-instructions of one submission at most, unless a single launch has more: what is submitted
/// together must not look like a GPU that hangs, also on one that does 1 G of them a second.
const WORK: u64 = 1 << 30;

/// Whether a launch of so much work needs a submission of its own: it would be too much beside the
/// `launches` with `recorded` work that are there.
fn is_too_much(launches: u32, recorded: u64, work: u64) -> bool {
    launches != 0 && recorded.saturating_add(work) > WORK
}

/// Whether so many launches are enough for a submission, behind one of `before` launches. The GPU
/// begins with the first launch at once, while more and more are recorded.
fn is_enough(launches: u32, before: u32) -> bool {
    launches >= (2 * before).clamp(1, LAUNCHES)
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
    ///
    /// # Errors
    /// What the device has against it.
    pub(in crate::engine::gpu) fn encoder(
        &mut self,
        gpu: &Gpu,
    ) -> Result<&mut wgpu::CommandEncoder, GpuError> {
        self.pass = None;
        let encoder = match self.encoder.take() {
            Some(encoder) => encoder,
            None => gpu.encoder()?,
        };
        Ok(self.encoder.insert(encoder))
    }

    /// A pass among the commands.
    ///
    /// # Errors
    /// As [`encoder`](Self::encoder).
    pub(super) fn pass(&mut self, gpu: &Gpu) -> Result<&mut wgpu::ComputePass<'static>, GpuError> {
        let pass = match self.pass.take() {
            Some(pass) => pass,
            None => {
                let encoder = self.encoder(gpu)?;
                let pass = encoder.begin_compute_pass(&Default::default());
                pass.forget_lifetime()
            }
        };
        Ok(self.pass.insert(pass))
    }

    /// Submits what there is if a launch of so many point-instructions is too much beside it.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub(super) fn make_room(&mut self, gpu: &Gpu, work: u64) -> Result<(), GpuError> {
        if is_too_much(self.launches, self.work, work) {
            self.submit(gpu)?;
        }
        Ok(())
    }

    /// A launch of so many point-instructions has been recorded.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub(super) fn launched(&mut self, gpu: &Gpu, work: u64) -> Result<(), GpuError> {
        self.launches += 1;
        self.work = self.work.saturating_add(work);
        if self.work >= WORK || is_enough(self.launches, self.before) {
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
    use super::{LAUNCHES, WORK, is_enough, is_too_much};

    /// The launches and the work of each submission of launches that nobody waits for.
    fn submissions(works: impl IntoIterator<Item = u64>) -> Vec<(u32, u64)> {
        let mut submitted: Vec<(u32, u64)> = Vec::new();
        let (mut launches, mut recorded) = (0, 0);
        for work in works {
            if is_too_much(launches, recorded, work) {
                submitted.push((launches, recorded));
                (launches, recorded) = (0, 0);
            }
            (launches, recorded) = (launches + 1, recorded + work);
            let before = submitted.last().map_or(0, |last| last.0);
            if recorded >= WORK || is_enough(launches, before) {
                submitted.push((launches, recorded));
                (launches, recorded) = (0, 0);
            }
        }
        submitted
    }

    #[test]
    fn submissions_double_up_to_a_limit() {
        let sizes: Vec<u32> =
            submissions([1; 63 + 4 * LAUNCHES as usize]).iter().map(|one| one.0).collect();
        assert_eq!(sizes, [1, 2, 4, 8, 16, 32, LAUNCHES, LAUNCHES, LAUNCHES, LAUNCHES]);
    }

    #[test]
    fn submissions_have_no_more_work_than_the_limit_but_for_single_launches() {
        // Nearly all that there is room for, and then as much again.
        let works = [[1; 63].as_slice(), &[WORK / 40; 39], &[WORK - 1; 3], &[5, 3 * WORK, 5]];
        let submitted = submissions(works.concat());
        assert!(submitted.contains(&(1, 3 * WORK)));
        assert!(submitted.iter().any(|one| one.0 > 30 && one.1 > WORK / 2));
        for (launches, work) in submitted {
            assert!(launches == 1 || work <= WORK, "{launches} launches, {work}");
        }
        assert!(!is_too_much(0, 0, u64::MAX));
        assert!(is_too_much(1, 1, WORK) && !is_too_much(1, 1, WORK - 1));
    }
}
