//! Commands that are recorded but not submitted yet. A separate submission costs a GPU more time
//! than a small launch takes, so launches that no caller waits for share one.

use crate::device::Mapping;
use crate::device::connection::Gpu;
use crate::device::watch::Dispatch;
use crate::run::executor::times::Times;
use ctm_machine::engine::GpuError;
use std::collections::VecDeque;

/// The most launches of one submission.
const LAUNCHES: u32 = 64;

/// The most point-instructions of one submission, unless a single launch has more. A submission
/// must not make the GPU appear to hang, even a GPU that executes 1 G of them per second.
const WORK: u64 = 1 << 30;

/// The most launches that the host is ahead of the GPU.
const AHEAD: u32 = 1024;

/// Launches, and the point-instructions that they may have.
#[derive(Clone, Copy, Default)]
struct Load {
    launches: u32,
    work: u64,
}

impl Load {
    fn add(&mut self, other: Load) {
        self.launches += other.launches;
        self.work = self.work.saturating_add(other.work);
    }

    /// Whether these and a launch of `work` point-instructions exceed `most`. A single launch may have
    /// more.
    fn leaves_no_room(self, work: u64, most: u64) -> bool {
        self.launches != 0 && self.work.saturating_add(work) > most
    }
}

/// Whether `launches` launches suffice for a submission after one of `before` launches. The GPU
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
    /// The times of the passes.
    pub(crate) times: Times,
    recorded: Load,
    /// Launches of the previous submission; 0 if a caller has waited since.
    before: u32,
    /// The submissions that may not have ended, the oldest first.
    submitted: VecDeque<(wgpu::SubmissionIndex, Load)>,
}

impl Recorded {
    /// The commands, outside any pass.
    ///
    /// # Errors
    /// Any error of the device.
    pub fn encoder(&mut self, gpu: &Gpu) -> Result<&mut wgpu::CommandEncoder, GpuError> {
        self.outside(gpu).map(|(encoder, _)| encoder)
    }

    /// The commands, outside any pass, and the times of the passes.
    ///
    /// # Errors
    /// Any error of the device.
    pub(crate) fn outside(
        &mut self,
        gpu: &Gpu,
    ) -> Result<(&mut wgpu::CommandEncoder, &mut Times), GpuError> {
        self.pass = None;
        let encoder = match self.encoder.take() {
            Some(encoder) => encoder,
            None => gpu.encoder()?,
        };
        Ok((self.encoder.insert(encoder), &mut self.times))
    }

    /// Records a dispatch of at most `work` point-instructions.
    ///
    /// # Errors
    /// As [`encoder`](Self::encoder).
    pub(crate) fn dispatch(
        &mut self,
        gpu: &Gpu,
        dispatch: &Dispatch<'_>,
        work: u64,
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
        self.recorded.add(Load { launches: 1, work });
        Ok(())
    }

    /// A pass among the commands.
    fn pass(&mut self, gpu: &Gpu) -> Result<&mut wgpu::ComputePass<'static>, GpuError> {
        let pass = match self.pass.take() {
            Some(pass) => pass,
            None => {
                let (encoder, times) = self.outside(gpu)?;
                let timestamp_writes = times.begin(gpu)?;
                let pass = wgpu::ComputePassDescriptor { label: None, timestamp_writes };
                encoder.begin_compute_pass(&pass).forget_lifetime()
            }
        };
        Ok(self.pass.insert(pass))
    }

    /// Makes room for a launch of `work` point-instructions: submits what is recorded, if this
    /// launch would make it too much, and waits for the oldest submissions, if the host would be more than
    /// `most` point-instructions or 1024 launches ahead of the GPU.
    ///
    /// # Errors
    /// Any error of the device.
    pub(crate) fn make_room(&mut self, gpu: &Gpu, work: u64, most: u64) -> Result<(), GpuError> {
        if self.recorded.leaves_no_room(work, WORK) {
            self.submit(gpu)?;
        }
        loop {
            let mut ahead = self.recorded;
            self.submitted.iter().for_each(|(_, load)| ahead.add(*load));
            if ahead.launches < AHEAD && !ahead.leaves_no_room(work, most) {
                return Ok(());
            }
            if self.submitted.is_empty() {
                self.submit(gpu)?;
            }
            if let Some((oldest, _)) = self.submitted.pop_front() {
                gpu.wait(Some(oldest))?;
            }
        }
    }

    /// Submits the recorded launches if they are enough.
    ///
    /// # Errors
    /// As [`submit`](Self::submit).
    pub(crate) fn launched(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        if self.recorded.work >= WORK || is_enough(self.recorded.launches, self.before) {
            self.submit(gpu)?;
        }
        Ok(())
    }

    /// Puts as many launches as possible into the next submission.
    pub(crate) fn hold(&mut self) {
        self.before = LAUNCHES;
    }

    /// The commands, for the caller to submit. It must then call [`submitted`](Self::submitted).
    ///
    /// # Errors
    /// As [`encoder`](Self::encoder).
    pub(crate) fn take(&mut self, gpu: &Gpu) -> Result<wgpu::CommandEncoder, GpuError> {
        self.pass = None;
        match self.encoder.take() {
            Some(encoder) => Ok(encoder),
            None => gpu.encoder(),
        }
    }

    /// Notes a submission of commands that were taken.
    pub(crate) fn submitted(&mut self, last: wgpu::SubmissionIndex) {
        let load = std::mem::take(&mut self.recorded);
        self.before = load.launches;
        self.submitted.push_back((last, load));
    }

    /// Submits what is recorded.
    ///
    /// # Errors
    /// Any error of the device.
    pub(crate) fn submit(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        self.pass = None;
        let Some(encoder) = self.encoder.take() else {
            return Ok(());
        };
        let last = gpu.scoped("a submission", |_| gpu.queue.submit([encoder.finish()]))?;
        self.submitted(last);
        Ok(())
    }

    /// Waits for all submissions.
    ///
    /// # Errors
    /// Any error of the device.
    pub(crate) fn wait(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        match self.waited() {
            Some(last) => gpu.wait(Some(last)),
            None => Ok(()),
        }
    }

    /// Forgets the submissions, because the caller waits for the last one, which is returned.
    fn waited(&mut self) -> Option<wgpu::SubmissionIndex> {
        self.before = 0;
        self.submitted.drain(..).next_back().map(|(last, _)| last)
    }

    /// Waits for all submissions, and reads the first `bytes` of a buffer.
    ///
    /// # Errors
    /// Any error of the device.
    pub(crate) fn read<T>(
        &mut self,
        gpu: &Gpu,
        buffer: &wgpu::Buffer,
        bytes: u64,
        take: impl FnOnce(&[u32]) -> T,
    ) -> Result<T, GpuError> {
        let mapped = Mapping::request(gpu, buffer, bytes)?.wait(gpu, self.waited())?;
        Ok(take(bytemuck::cast_slice(mapped.bytes())))
    }
}

#[cfg(test)]
mod tests {
    use crate::run::executor::commands::{LAUNCHES, Load, WORK, is_enough};

    /// The launches and point-instructions of each submission, if no caller waits.
    fn submissions(works: impl IntoIterator<Item = u64>) -> Vec<(u32, u64)> {
        let mut submitted: Vec<(u32, u64)> = Vec::new();
        let mut recorded = Load::default();
        for work in works {
            if recorded.leaves_no_room(work, WORK) {
                submitted.push((recorded.launches, recorded.work));
                recorded = Load::default();
            }
            recorded.add(Load { launches: 1, work });
            let before = submitted.last().map_or(0, |last| last.0);
            if recorded.work >= WORK || is_enough(recorded.launches, before) {
                submitted.push((recorded.launches, recorded.work));
                recorded = Load::default();
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
        let one = Load { launches: 1, work: 1 };
        assert!(!Load::default().leaves_no_room(u64::MAX, WORK));
        assert!(one.leaves_no_room(WORK, WORK) && !one.leaves_no_room(WORK - 1, WORK));
    }
}
