//! Buffers that the host maps to read them.

use crate::device::connection::Gpu;
use ctm_machine::engine::GpuError;
use futures_intrusive::channel::shared::{OneshotReceiver, oneshot_channel};

/// A buffer that will be mapped once the work submitted so far has ended. Several can be requested
/// before the host waits for the first, so that it waits once for all of them.
pub struct Mapping {
    buffer: wgpu::Buffer,
    bytes: u64,
    mapped: OneshotReceiver<Result<(), wgpu::BufferAsyncError>>,
}

/// A mapped buffer. It is unmapped when this is dropped.
pub struct Mapped {
    buffer: wgpu::Buffer,
    view: Option<wgpu::BufferView>,
}

fn internal(message: String) -> GpuError {
    GpuError::Internal { what: "mapping results".into(), message }
}

impl Mapping {
    /// Requests the first `bytes` of a buffer.
    ///
    /// # Errors
    /// Any error of the device.
    pub fn request(gpu: &Gpu, buffer: &wgpu::Buffer, bytes: u64) -> Result<Mapping, GpuError> {
        let (sender, mapped) = oneshot_channel();
        gpu.scoped("mapping results", |_| {
            buffer.slice(..bytes).map_async(wgpu::MapMode::Read, move |result| {
                // Fails only if the mapping was dropped.
                let _ = sender.send(result);
            });
        })?;
        Ok(Mapping { buffer: buffer.clone(), bytes, mapped })
    }

    /// Waits for the buffer. `submission` is one that ends no earlier than the work before the
    /// request; it can be the last of it.
    ///
    /// # Errors
    /// Any error of the device.
    pub fn wait(
        self,
        gpu: &Gpu,
        submission: Option<wgpu::SubmissionIndex>,
    ) -> Result<Mapped, GpuError> {
        gpu.wait(submission)?;
        // Another waiting thread may be about to run the callback.
        match pollster::block_on(self.mapped.receive()) {
            None => return Err(internal("no answer".into())),
            Some(answer) => answer.map_err(|error| internal(error.to_string()))?,
        }
        let view = self.buffer.slice(..self.bytes).get_mapped_range();
        let view = view.map_err(|error| internal(error.to_string()))?;
        Ok(Mapped { buffer: self.buffer, view: Some(view) })
    }
}

impl Mapped {
    /// The requested bytes.
    pub fn bytes(&self) -> &[u8] {
        self.view.as_deref().unwrap_or(&[])
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        self.view = None;
        self.buffer.unmap();
    }
}
