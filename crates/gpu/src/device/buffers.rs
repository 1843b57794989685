//! Buffers that grow on demand.

use crate::device::connection::Gpu;
use ctm_machine::engine::GpuError;

/// A growing buffer.
pub(crate) struct Grown {
    what: &'static str,
    usage: wgpu::BufferUsages,
    least: u64,
    buffer: Option<wgpu::Buffer>,
}

impl Grown {
    pub(crate) const fn new(what: &'static str, usage: wgpu::BufferUsages, least: u64) -> Grown {
        Grown { what, usage, least, buffer: None }
    }

    pub(crate) fn size(&self) -> u64 {
        self.buffer.as_ref().map_or(0, wgpu::Buffer::size)
    }

    /// The buffer, with at least `bytes`.
    pub(crate) fn get(&mut self, gpu: &Gpu, bytes: u64) -> Result<wgpu::Buffer, GpuError> {
        if let Some(buffer) = &self.buffer
            && buffer.size() >= bytes
        {
            return Ok(buffer.clone());
        }
        let size = bytes.next_power_of_two().max(self.least);
        let limit = gpu.largest_binding();
        let size = if size > limit { bytes } else { size };
        let buffer = gpu.buffer(self.what, size, self.usage)?;
        self.buffer = Some(buffer.clone());
        Ok(buffer)
    }
}
