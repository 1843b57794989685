//! Compute pipelines from WGSL.

use crate::device::connection::Gpu;
use crate::device::spirv;
use ctm_machine::engine::GpuError;
use ctm_shade::plan::dispatch::Kind;
use wgpu::{BindingType, BufferBindingType};

/// A compute shader.
#[derive(Clone, Copy, Debug)]
pub struct Kernel<'a> {
    /// A name for errors.
    pub what: &'a str,
    /// Its text.
    pub wgsl: &'a str,
    /// The function to run.
    pub entry: &'a str,
    /// Whether workgroup memory starts with zeros.
    pub zeroed: bool,
    /// Whether it has float controls, on a device that has them ([`Gpu::float_controls`]).
    pub controlled: bool,
}

impl Kernel<'_> {
    /// Compiles the kernel. `types` has the bindings of its buffers in group 0, with their types.
    ///
    /// # Errors
    /// [`GpuError::Shader`], and a lost device.
    pub fn pipeline(
        &self,
        gpu: &Gpu,
        types: &[(u32, BufferBindingType)],
        cache: Option<&wgpu::PipelineCache>,
    ) -> Result<wgpu::ComputePipeline, GpuError> {
        let controlled = match gpu.float_controls().filter(|_| self.controlled) {
            None => None,
            Some(controls) => {
                let mut numbers: Vec<u32> = types.iter().map(|(number, _)| *number).collect();
                numbers.sort_unstable();
                let words = spirv::compile(self.wgsl, self.entry, self.zeroed, &numbers, controls);
                let refused = |message| GpuError::Shader { what: self.what.to_string(), message };
                Some(words.map_err(refused)?)
            }
        };
        let create = |device: &wgpu::Device| {
            let module = match &controlled {
                Some(words) => self.controlled_module(device, words),
                None => self.module(device),
            };
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(self.what),
                layout: Some(&layout(device, types)),
                module: &module,
                entry_point: Some(self.entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    zero_initialize_workgroup_memory: self.zeroed,
                    ..Default::default()
                },
                cache,
            })
        };
        gpu.aside().scoped(self.what, create).map_err(GpuError::in_shader)
    }

    fn module(&self, device: &wgpu::Device) -> wgpu::ShaderModule {
        let descriptor = wgpu::ShaderModuleDescriptor {
            label: Some(self.what),
            source: wgpu::ShaderSource::Wgsl(self.wgsl.into()),
        };
        let checks = wgpu::ShaderRuntimeChecks {
            force_loop_bounding: false,
            ..wgpu::ShaderRuntimeChecks::checked()
        };
        // SAFETY: this disables only the counters that end endless loops. Every loop of the
        // interpreter ends: a group's loop by its instruction budget or its slice, the others by
        // their bounds. The probe's and a translated loop have a constant number of iterations. If all
        // loops together may exceed the instruction budget, the shader counts and ends itself. The
        // counters would cost a carry and a test in every iteration of the innermost
        // loop, up to half the time of a short one.
        unsafe { device.create_shader_module_trusted(descriptor, checks) }
    }

    fn controlled_module(&self, device: &wgpu::Device, words: &[u32]) -> wgpu::ShaderModule {
        let descriptor = wgpu::ShaderModuleDescriptorPassthrough {
            label: Some(self.what),
            entry_points: vec![wgpu::PassthroughShaderEntryPoint {
                name: self.entry.into(),
                // Only Metal needs it.
                workgroup_size: (0, 0, 0),
            }]
            .into(),
            spirv: Some(words.into()),
            ..Default::default()
        };
        // SAFETY: the words must be a valid module that stays within its buffers. naga wrote them
        // from WGSL that it had validated, as it does for wgpu, with every access bounded. The pass
        // added float controls, which the driver's properties allow, and NoContraction. Loops end,
        // as above. wgpu's safe way has no float controls, without which exact arithmetic takes
        // several times as many instructions on some drivers (benches/RESULTS.md).
        unsafe { device.create_shader_module_passthrough(descriptor) }
    }
}

/// A layout of buffers for compute shaders.
fn layout(device: &wgpu::Device, types: &[(u32, BufferBindingType)]) -> wgpu::PipelineLayout {
    let entries: Vec<wgpu::BindGroupLayoutEntry> = types
        .iter()
        .map(|&(binding, ty)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        })
        .collect();
    let group = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &entries,
    });
    device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&group)],
        immediate_size: 0,
    })
}

/// The types of the bindings of a dispatch, by number.
pub fn types<S>(bindings: &[(u32, Kind, S)]) -> Vec<(u32, BufferBindingType)> {
    let of = |kind| match kind {
        Kind::Uniform => BufferBindingType::Uniform,
        Kind::Read => BufferBindingType::Storage { read_only: true },
        Kind::Write => BufferBindingType::Storage { read_only: false },
    };
    bindings.iter().map(|(number, kind, _)| (*number, of(*kind))).collect()
}
