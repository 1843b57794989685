//! Dispatches as tests and benchmarks see them: their texts, bindings and sizes.

use crate::device::connection::Gpu;

/// A part of a buffer: the buffer, offset and bytes.
pub type BufferRange = (wgpu::Buffer, u64, u64);

/// A binding: its number, and the part of a buffer that is bound.
pub type Binding = (u32, BufferRange);

/// A dispatch that is being recorded.
pub struct Dispatch<'a> {
    /// The pipeline.
    pub pipeline: &'a wgpu::ComputePipeline,
    /// Makes the shader's text, with the name of its entry point.
    pub shader: &'a dyn Fn() -> (String, &'static str),
    /// The bind group 0.
    pub group: &'a wgpu::BindGroup,
    /// The bindings of `group`.
    pub bindings: &'a [Binding],
    /// The numbers of workgroups in x and y.
    pub workgroups: [u32; 2],
}

/// Records more commands after a dispatch.
pub type After = Box<dyn FnOnce(&mut wgpu::CommandEncoder)>;

/// Sees the dispatches on a device ([`Gpu::watched`]).
pub trait Watch: Send + Sync {
    /// A dispatch comes next in `encoder`. The buffers that it binds can be copied.
    fn dispatch(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        dispatch: &Dispatch<'_>,
    ) -> After;
}
