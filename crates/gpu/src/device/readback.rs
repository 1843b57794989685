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
        let view = match pollster::block_on(self.mapped.receive()) {
            None => Err("no answer".into()),
            Some(Err(error)) => Err(error.to_string()),
            Some(Ok(())) => {
                let view = self.buffer.slice(..self.bytes).get_mapped_range();
                view.map_err(|error| error.to_string())
            }
        };
        match view {
            Ok(view) => Ok(Mapped { buffer: self.buffer, view: Some(view) }),
            Err(message) => {
                gpu.unless_lost()?;
                Err(GpuError::Internal { what: "mapping results".into(), message })
            }
        }
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
