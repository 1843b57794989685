//! From the host to GPU buffers, and back.

use std::ops::Range;

use crate::device::Mapping;
use crate::device::connection::Gpu;
use ctm_machine::engine::GpuError;

/// The most bytes that one call uploads: the driver's copy of them takes memory, too.
const UPLOAD: u64 = 16 << 20;

/// The number of uploaded bytes after which they are submitted.
const UPLOADS: u64 = 64 << 20;

/// The size of the largest buffer that the host maps.
const STAGING: u64 = 64 << 20;

/// The size of the smallest one.
const SMALLEST: u64 = 64 << 10;

/// The size of the buffers that are kept for reuse.
const CACHED: u64 = 64 << 20;

/// Copies bytes to buffers. The copies precede all work submitted afterwards.
#[derive(Default)]
pub(crate) struct Upload {
    /// Bytes that have not been submitted yet.
    pending: u64,
}

impl Upload {
    /// Copies bytes to a buffer from `at` on, a multiple of 4. If the last bytes do not fill a word,
    /// zeros follow them.
    ///
    /// # Errors
    /// Any failure.
    pub(crate) fn write(
        &mut self,
        gpu: &Gpu,
        buffer: &wgpu::Buffer,
        at: u64,
        bytes: &[u8],
    ) -> Result<(), GpuError> {
        let whole = bytes.len() & !3;
        for (n, part) in bytes[..whole].chunks(UPLOAD as usize).enumerate() {
            let at = at + n as u64 * UPLOAD;
            gpu.upload("uploading memory", buffer, at, part)?;
            self.pending += part.len() as u64;
            if self.pending >= UPLOADS {
                gpu.scoped("uploading memory", |_| gpu.queue.submit([]))?;
                gpu.poll_once()?;
                self.pending = 0;
            }
        }
        if whole < bytes.len() {
            let mut word = [0; 4];
            word[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
            gpu.upload("uploading memory", buffer, at + whole as u64, &word)?;
        }
        Ok(())
    }
}

/// Copies parts of buffers to the host.
#[derive(Default)]
pub(crate) struct Download {
    cached: Vec<wgpu::Buffer>,
}

/// The piece of a part that one staging buffer holds.
struct Copy {
    part: usize,
    /// Its offset in the part, and in the buffer.
    at: u64,
    from: Range<u64>,
    staging: usize,
    to: u64,
}

/// Copies that are under way.
pub struct Requested {
    copies: Vec<Copy>,
    mappings: Vec<Mapping>,
    buffers: Vec<wgpu::Buffer>,
    /// The submission of the copies.
    pub submission: wgpu::SubmissionIndex,
}

impl Download {
    /// Ends the commands in `encoder` with copies of parts of buffers, and submits them. All bounds
    /// are multiples of 4.
    ///
    /// # Errors
    /// Any failure.
    pub(crate) fn request(
        &mut self,
        gpu: &Gpu,
        mut encoder: wgpu::CommandEncoder,
        parts: &[(wgpu::Buffer, Range<u64>)],
    ) -> Result<Requested, GpuError> {
        let (copies, sizes) = plan(parts);
        let buffers = self.buffers(gpu, &sizes)?;
        let submission = gpu.scoped("reading memory back", |_| {
            for copy in &copies {
                let len = copy.from.end - copy.from.start;
                let (source, target) = (&parts[copy.part].0, &buffers[copy.staging]);
                encoder.copy_buffer_to_buffer(source, copy.from.start, target, copy.to, len);
            }
            gpu.queue.submit([encoder.finish()])
        })?;
        let mappings =
            buffers.iter().zip(sizes).map(|(buffer, size)| Mapping::request(gpu, buffer, size));
        Ok(Requested { mappings: mappings.collect::<Result<_, _>>()?, copies, buffers, submission })
    }

    /// Waits for the copies. Once all bytes have arrived, passes them to `take`: number of the part,
    /// offset of the bytes in it, bytes.
    ///
    /// # Errors
    /// Any failure; `take` is then not called.
    pub(crate) fn receive(
        &mut self,
        gpu: &Gpu,
        requested: Requested,
        mut take: impl FnMut(usize, u64, &[u8]),
    ) -> Result<(), GpuError> {
        let Requested { copies, mappings, buffers, submission } = requested;
        let mapped =
            mappings.into_iter().map(|mapping| mapping.wait(gpu, Some(submission.clone())));
        let mapped = mapped.collect::<Result<Vec<_>, _>>()?;
        for copy in &copies {
            let len = (copy.from.end - copy.from.start) as usize;
            let to = copy.to as usize;
            if let Some(bytes) = mapped[copy.staging].bytes().get(to..to + len) {
                take(copy.part, copy.at, bytes);
            }
        }
        drop(mapped);
        let mut kept: u64 = self.cached.iter().map(wgpu::Buffer::size).sum();
        for buffer in buffers {
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
            let from = at..at + len;
            copies.push(Copy { part, at: at - range.start, from, staging, to: *size });
            *size += len;
            at += len;
        }
    }
    (copies, sizes)
}
