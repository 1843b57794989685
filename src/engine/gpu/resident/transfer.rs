//! From GPU buffers to the host.

use parking_lot::Mutex;
use std::ops::Range;
use std::sync::Arc;

use super::super::connection::Gpu;
use super::super::error::GpuError;

/// The size of the largest buffer that the host maps.
const STAGING: u64 = 64 << 20;

/// The size of the smallest one.
const SMALLEST: u64 = 64 << 10;

/// The size of the buffers that are kept for reuse.
const CACHED: u64 = 64 << 20;

/// Copies parts of buffers to the host.
#[derive(Default)]
pub(super) struct Download {
    cached: Vec<wgpu::Buffer>,
}

/// The piece of a part that one staging buffer holds.
struct Copy {
    part: usize,
    from: Range<u64>,
    staging: usize,
    to: u64,
}

impl Download {
    /// Ends the commands in `encoder` with copies of parts of buffers, submits them and waits. Once
    /// all bytes have arrived, passes them to `take`: number of the part, offset of the bytes in
    /// it, bytes. All bounds are multiples of 4.
    ///
    /// # Errors
    /// Any failure; `take` is then not called.
    pub(super) fn run(
        &mut self,
        gpu: &Gpu,
        mut encoder: wgpu::CommandEncoder,
        parts: &[(wgpu::Buffer, Range<u64>)],
        mut take: impl FnMut(usize, u64, &[u8]),
    ) -> Result<(), GpuError> {
        let (copies, sizes) = plan(parts);
        let buffers = self.buffers(gpu, &sizes)?;
        let results: Arc<Mutex<Vec<wgpu::BufferAsyncError>>> = Arc::default();
        let submission = gpu.scoped("reading memory back", |_| {
            for copy in &copies {
                let len = copy.from.end - copy.from.start;
                let (source, target) = (&parts[copy.part].0, &buffers[copy.staging]);
                encoder.copy_buffer_to_buffer(source, copy.from.start, target, copy.to, len);
            }
            let submission = gpu.queue.submit([encoder.finish()]);
            for (buffer, &size) in buffers.iter().zip(&sizes) {
                let results = Arc::clone(&results);
                let keep = move |result: Result<(), wgpu::BufferAsyncError>| {
                    results.lock().extend(result.err());
                };
                buffer.map_async(wgpu::MapMode::Read, 0..size, keep);
            }
            submission
        })?;
        gpu.wait(Some(submission))?;
        let failed =
            |message: String| GpuError::Internal { what: "reading memory back".into(), message };
        if let Some(error) = results.lock().pop() {
            return Err(failed(error.to_string()));
        }
        let views = gpu.scoped("reading memory back", |_| {
            let view =
                |(buffer, &size): (&wgpu::Buffer, &u64)| buffer.slice(0..size).get_mapped_range();
            buffers.iter().zip(&sizes).map(view).collect::<Result<Vec<_>, _>>()
        })?;
        let views = views.map_err(|error| failed(error.to_string()))?;
        for copy in &copies {
            let len = (copy.from.end - copy.from.start) as usize;
            let to = copy.to as usize;
            if let Some(bytes) = views[copy.staging].get(to..to + len) {
                take(copy.part, copy.from.start - parts[copy.part].1.start, bytes);
            }
        }
        drop(views);
        let mut kept: u64 = self.cached.iter().map(wgpu::Buffer::size).sum();
        for buffer in buffers {
            buffer.unmap();
            kept += buffer.size();
            if kept <= CACHED {
                self.cached.push(buffer);
            }
        }
        Ok(())
    }

    /// Buffers of at least the given sizes.
    fn buffers(&mut self, gpu: &Gpu, sizes: &[u64]) -> Result<Vec<wgpu::Buffer>, GpuError> {
        sizes
            .iter()
            .map(|&size| {
                let mut cached = self.cached.iter();
                if let Some(n) = cached.position(|buffer| buffer.size() >= size) {
                    return Ok(self.cached.swap_remove(n));
                }
                let size = size.next_power_of_two().max(SMALLEST);
                let usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
                gpu.buffer("a buffer to read memory back", size, usage)
            })
            .collect()
    }
}

/// The copies to make, and the sizes of the staging buffers.
fn plan(parts: &[(wgpu::Buffer, Range<u64>)]) -> (Vec<Copy>, Vec<u64>) {
    let mut copies = Vec::new();
    let mut sizes: Vec<u64> = Vec::new();
    for (part, (_, range)) in parts.iter().enumerate() {
        let mut at = range.start;
        while at < range.end {
            let full = sizes.last().is_none_or(|&size| size == STAGING);
            if full {
                sizes.push(0);
            }
            let staging = sizes.len() - 1;
            let size = &mut sizes[staging];
            let len = (range.end - at).min(STAGING - *size);
            copies.push(Copy { part, from: at..at + len, staging, to: *size });
            *size += len;
            at += len;
        }
    }
    (copies, sizes)
}
