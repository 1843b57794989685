//! The data that temporaries start with, in buffers that stay on the GPU from launch to launch.

use super::STORAGE;
use super::transfer::Upload;
use crate::device::connection::Gpu;
use ctm_machine::engine::GpuError;
use ctm_shade::plan::{Data, data_bytes};
use std::sync::{Arc, Weak};

/// The most bytes that are kept, unless one launch has more.
const KEPT: u64 = 256 << 20;

/// The data of the launches that ran last.
#[derive(Default)]
pub struct Starts {
    /// The data that each buffer holds, one after the other. A `Weak` keeps the address of its data
    /// from being reused, and the data from being changed. The most recently used is the last.
    kept: Vec<(Vec<Weak<Data>>, wgpu::Buffer)>,
}

impl Starts {
    /// A buffer with data one after the other, uploaded if it is not there yet. The caller submits
    /// commands that use it after this call.
    ///
    /// # Errors
    /// [`GpuError::OutOfMemory`], [`GpuError::Limits`], and a lost device.
    pub fn get(&mut self, gpu: &Gpu, data: &[&Arc<Data>]) -> Result<wgpu::Buffer, GpuError> {
        let same = |kept: &[Weak<Data>]| {
            let mut pairs = kept.iter().zip(data);
            kept.len() == data.len() && pairs.all(|(a, b)| a.as_ptr() == Arc::as_ptr(b))
        };
        if let Some(n) = self.kept.iter().position(|(kept, _)| same(kept)) {
            let found = self.kept.remove(n);
            let buffer = found.1.clone();
            self.kept.push(found);
            return Ok(buffer);
        }
        let size = data_bytes(data);
        self.make_room(size);
        let buffer = gpu.buffer("the data of temporaries", size.max(16), STORAGE)?;
        let mut upload = Upload::default();
        let mut at = 0;
        for data in data {
            let bytes = bytemuck::cast_slice(data);
            upload.write(gpu, &buffer, at, bytes)?;
            at += bytes.len() as u64;
        }
        self.kept.push((data.iter().map(|data| Arc::downgrade(data)).collect(), buffer.clone()));
        Ok(buffer)
    }

    /// Drops the buffers of data that no launch can have any more, and if too much is left, the
    /// least recently used.
    fn make_room(&mut self, size: u64) {
        self.kept.retain(|(data, _)| data.iter().all(|data| data.strong_count() != 0));
        let mut bytes: u64 = self.kept.iter().map(|(_, buffer)| buffer.size()).sum();
        while bytes + size > KEPT && !self.kept.is_empty() {
            bytes -= self.kept.remove(0).1.size();
        }
    }
}
