//! The time that passes take, by the GPU's own clock.

use crate::device::Grown;
use crate::device::connection::Gpu;
use ctm_machine::engine::GpuError;
use std::time::Duration;

/// The most passes whose times the host has not read: as many as a query set has pairs of queries.
const PASSES: u32 = wgpu::QUERY_SET_MAX_QUERIES / 2;

/// Bytes of the two times of a pass.
const BYTES: u64 = 2 * wgpu::QUERY_SIZE as u64;

/// The times of passes, on devices with timestamps.
pub(crate) struct Times {
    queries: Option<wgpu::QuerySet>,
    resolved: Grown,
    /// Passes whose times the host has not read.
    passes: u32,
    /// Whether a pass was not timed.
    incomplete: bool,
    sum: Duration,
}

impl Default for Times {
    fn default() -> Times {
        use wgpu::BufferUsages as Usage;
        let usage = Usage::QUERY_RESOLVE | Usage::COPY_SRC;
        let resolved = Grown::new("times of passes", usage, BYTES);
        Times { queries: None, resolved, passes: 0, incomplete: false, sum: Duration::ZERO }
    }
}

impl Times {
    /// The places of the times of a pass that begins next.
    pub(crate) fn begin(
        &mut self,
        gpu: &Gpu,
    ) -> Result<Option<wgpu::ComputePassTimestampWrites<'_>>, GpuError> {
        if !gpu.has_timestamps() || self.passes == PASSES {
            self.incomplete = true;
            return Ok(None);
        }
        if self.queries.is_none() {
            let made = gpu.scoped("times of passes", |device| {
                device.create_query_set(&wgpu::QuerySetDescriptor {
                    label: None,
                    ty: wgpu::QueryType::Timestamp,
                    count: 2 * PASSES,
                })
            })?;
            self.queries = Some(made);
        }
        let first = 2 * self.passes;
        self.passes += 1;
        Ok(self.queries.as_ref().map(|query_set| wgpu::ComputePassTimestampWrites {
            query_set,
            beginning_of_pass_write_index: Some(first),
            end_of_pass_write_index: Some(first + 1),
        }))
    }

    /// Whether the host should read times soon.
    pub(crate) fn are_many(&self) -> bool {
        self.passes > PASSES / 2
    }

    /// Bytes of the times that the host has not read.
    pub(crate) fn bytes(&self) -> u64 {
        u64::from(self.passes) * BYTES
    }

    /// Records copies of the times to a buffer from `at` on.
    pub(crate) fn copy(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        to: &wgpu::Buffer,
        at: u64,
    ) -> Result<(), GpuError> {
        if let (Some(queries), 1..) = (&self.queries, self.passes) {
            let bytes = self.bytes();
            let resolved = self.resolved.get(gpu, bytes)?;
            encoder.resolve_query_set(queries, 0..2 * self.passes, &resolved, 0);
            encoder.copy_buffer_to_buffer(&resolved, 0, to, at, bytes);
        }
        Ok(())
    }

    /// Takes the copies. A time is two words, the lower one first.
    pub(crate) fn take(&mut self, gpu: &Gpu, words: &[u32]) {
        let ticks = |pair: &[u32]| u64::from(pair[0]) | u64::from(pair[1]) << 32;
        let passes = words.chunks_exact(4).map(|pass| (ticks(&pass[..2]), ticks(&pass[2..])));
        let sum: u64 = passes.map(|(begin, end)| end.saturating_sub(begin)).sum();
        let nanoseconds = sum as f64 * f64::from(gpu.queue.get_timestamp_period());
        self.sum += Duration::from_nanos(nanoseconds as u64);
        self.passes = 0;
    }

    /// Begins a new sum.
    pub(crate) fn restart(&mut self) {
        (self.sum, self.incomplete) = (Duration::ZERO, false);
    }

    /// The sum of the times read since [`restart`](Self::restart); `None` if some pass was not timed.
    pub(crate) fn sum(&self) -> Option<Duration> {
        (!self.incomplete).then_some(self.sum)
    }
}
