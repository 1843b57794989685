//! Compiled variants of the interpreter, kept.

use super::connection::Gpu;
use super::error::GpuError;
use super::shader::Variant;
use std::collections::HashMap;
use std::sync::Mutex;

/// The pipelines that were needed so far.
#[derive(Default)]
pub struct Pipelines {
    compiled: Mutex<HashMap<Variant, wgpu::ComputePipeline>>,
}

impl Pipelines {
    /// The pipeline of a variant, compiled if it is not there.
    ///
    /// # Errors
    /// [`GpuError::Shader`], and a lost device.
    pub fn get(&self, gpu: &Gpu, variant: &Variant) -> Result<wgpu::ComputePipeline, GpuError> {
        let mut compiled = self.compiled.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(pipeline) = compiled.get(variant) {
            return Ok(pipeline.clone());
        }
        let source = variant.source();
        let pipeline = gpu
            .scoped("the interpreter", |device| compile(device, source))
            .map_err(GpuError::in_shader)?;
        compiled.insert(*variant, pipeline.clone());
        Ok(pipeline)
    }
}

fn compile(device: &wgpu::Device, source: String) -> wgpu::ComputePipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("interpreter"),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("interpreter"),
        layout: Some(&layout(device)),
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    })
}

/// The layout that all variants share.
fn layout(device: &wgpu::Device) -> wgpu::PipelineLayout {
    let entry = |binding: u32, ty: wgpu::BufferBindingType| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let storage = |read_only: bool| wgpu::BufferBindingType::Storage { read_only };
    let mut entries = vec![entry(0, storage(true)), entry(1, storage(true))];
    entries.extend((2..8).map(|binding| entry(binding, storage(false))));
    entries.push(entry(8, wgpu::BufferBindingType::Uniform));
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

/// Bind group entries from (binding, (buffer, offset, size)).
pub fn bindings(parts: &[(u32, (wgpu::Buffer, u64, u64))]) -> Vec<wgpu::BindGroupEntry<'_>> {
    parts
        .iter()
        .map(|(binding, (buffer, offset, size))| wgpu::BindGroupEntry {
            binding: *binding,
            resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset: *offset,
                size: std::num::NonZeroU64::new(*size),
            }),
        })
        .collect()
}
