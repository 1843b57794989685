//! Commands that are recorded and not yet submitted. A submission of its own costs a GPU more time
//! than a small launch takes; launches that nobody waits for therefore share one.

use super::super::connection::Gpu;
use super::super::error::GpuError;

/// Launches of one submission at most.
const LAUNCHES: u32 = 64;

/// Point-instructions of one submission at most, unless a single launch has more: what is submitted
/// together must not look like a GPU that hangs, also on one that does 1 G of them a second.
const WORK: u64 = 1 << 30;

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
        // The GPU begins with the first launch at once, while more and more are recorded.
        let most = (2 * self.before).clamp(1, LAUNCHES);
        if self.launches >= most || self.work >= WORK {
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
