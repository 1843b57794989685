//! Commands that are recorded but not submitted yet. A separate submission costs a GPU more time
//! than a small launch takes, so launches that no caller waits for share one.

use crate::engine::gpu::device::Mapping;
use crate::engine::gpu::device::connection::Gpu;
use crate::engine::gpu::device::error::GpuError;
use crate::engine::gpu::device::watch::Dispatch;

/// The most launches of one submission.
const LAUNCHES: u32 = 64;

/// The most point-instructions of one submission, unless a single launch has more. A submission
/// must not make the GPU appear to hang, even a GPU that executes 1 G of them per second.
const WORK: u64 = 1 << 30;

/// Whether a launch of `work` point-instructions needs a separate submission, because it would be
/// too much beside `launches` recorded launches with `recorded` point-instructions.
fn is_too_much(launches: u32, recorded: u64, work: u64) -> bool {
    launches != 0 && recorded.saturating_add(work) > WORK
}

/// Whether `launches` launches are enough for a submission after one of `before` launches. The GPU
/// starts the first launch at once. Each later submission has twice as many, at most [`LAUNCHES`].
fn is_enough(launches: u32, before: u32) -> bool {
    launches >= (2 * before).clamp(1, LAUNCHES)
}

/// Commands since the last submission.
#[derive(Default)]
pub struct Recorded {
    // Declared first, because it must end before its encoder does.
    pass: Option<wgpu::ComputePass<'static>>,
    encoder: Option<wgpu::CommandEncoder>,
    launches: u32,
    work: u64,
    /// Launches of the previous submission; 0 if a caller has waited since.
    before: u32,
    /// The last submission.
    last: Option<wgpu::SubmissionIndex>,
}

impl Recorded {
    /// The commands, outside any pass.
    ///
    /// # Errors
    /// Any error of the device.
    pub fn encoder(&mut self, gpu: &Gpu) -> Result<&mut wgpu::CommandEncoder, GpuError> {
        self.pass = None;
        let encoder = match self.encoder.take() {
            Some(encoder) => encoder,
            None => gpu.encoder()?,
        };
        Ok(self.encoder.insert(encoder))
    }

    /// Records a dispatch.
    ///
    /// # Errors
    /// As [`encoder`](Self::encoder).
    pub(in crate::engine::gpu) fn dispatch(
        &mut self,
        gpu: &Gpu,
        dispatch: &Dispatch<'_>,
    ) -> Result<(), GpuError> {
        let after = match gpu.watch() {
            Some(watch) => Some(watch.dispatch(gpu, self.encoder(gpu)?, dispatch)),
            None => None,
        };
        let [x, y] = dispatch.workgroups;
        let pass = self.pass(gpu)?;
        pass.set_pipeline(dispatch.pipeline);
        pass.set_bind_group(0, dispatch.group, &[]);
        pass.dispatch_workgroups(x, y, 1);
        if let Some(after) = after {
            after(self.encoder(gpu)?);
        }
        Ok(())
    }

    /// A pass among the commands.
    fn pass(&mut self, gpu: &Gpu) -> Result<&mut wgpu::ComputePass<'static>, GpuError> {
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

    /// Submits what is recorded, if a launch of `work` point-instructions is too much beside it.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub(in crate::engine::gpu) fn make_room(
        &mut self,
        gpu: &Gpu,
        work: u64,
    ) -> Result<(), GpuError> {
        if is_too_much(self.launches, self.work, work) {
            self.submit(gpu)?;
        }
        Ok(())
    }

    /// Notes that a launch of `work` point-instructions has been recorded. Submits the recorded
    /// launches if they are enough.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub(in crate::engine::gpu) fn launched(
        &mut self,
        gpu: &Gpu,
        work: u64,
    ) -> Result<(), GpuError> {
        self.launches += 1;
        self.work = self.work.saturating_add(work);
        if self.work >= WORK || is_enough(self.launches, self.before) {
            self.submit(gpu)?;
        }
        Ok(())
    }

    /// Puts as many launches as possible into the next submission.
    pub(in crate::engine::gpu) fn hold(&mut self) {
        self.before = LAUNCHES;
    }

    /// The commands, for the caller to submit.
    ///
    /// # Errors
    /// As [`encoder`](Self::encoder).
    pub(in crate::engine::gpu) fn take(
        &mut self,
        gpu: &Gpu,
    ) -> Result<wgpu::CommandEncoder, GpuError> {
        (self.pass, self.launches, self.work) = (None, 0, 0);
        match self.encoder.take() {
            Some(encoder) => Ok(encoder),
            None => gpu.encoder(),
        }
    }

    /// Notes a submission of commands that were taken.
    pub(in crate::engine::gpu) fn submitted(&mut self, last: wgpu::SubmissionIndex) {
        self.last = Some(last);
    }

    /// Notes that a caller waits for everything submitted.
    pub(in crate::engine::gpu) fn waited(&mut self) {
        self.before = 0;
    }

    /// Submits what is recorded.
    ///
    /// # Errors
    /// Any error of the device.
    pub(in crate::engine::gpu) fn submit(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        self.pass = None;
        let launches = std::mem::take(&mut self.launches);
        self.work = 0;
        let Some(encoder) = self.encoder.take() else {
            return Ok(());
        };
        self.before = launches;
        let last = gpu.scoped("a submission", |_| gpu.queue.submit([encoder.finish()]))?;
        self.last = Some(last);
        Ok(())
    }

    /// Waits for the last submission.
    ///
    /// # Errors
    /// Any error of the device.
    pub(in crate::engine::gpu) fn wait(&self, gpu: &Gpu) -> Result<(), GpuError> {
        gpu.wait(self.last.clone())
    }

    /// Waits for the last submission, and reads the first `bytes` of a buffer.
    ///
    /// # Errors
    /// Any error of the device.
    pub(in crate::engine::gpu) fn read<T>(
        &self,
        gpu: &Gpu,
        buffer: &wgpu::Buffer,
        bytes: u64,
        take: impl FnOnce(&[u32]) -> T,
    ) -> Result<T, GpuError> {
        let mapped = Mapping::request(gpu, buffer, bytes)?.wait(gpu, self.last.clone())?;
        Ok(take(bytemuck::cast_slice(mapped.bytes())))
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::gpu::run::executor::commands::{LAUNCHES, WORK, is_enough, is_too_much};

    /// The launches and point-instructions of each submission, if no caller waits.
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
        // Almost the limit, then as much again.
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
