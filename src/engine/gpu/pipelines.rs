//! Compiled variants of the interpreter, kept.

use super::cache::Cache;
use super::connection::Gpu;
use super::error::GpuError;
use super::shader::Variant;
use std::collections::HashMap;
use std::sync::Mutex;

/// Micro-operations of all groups together from which a pipeline of its own is worth its time.
const EFFORT: u64 = 1 << 20;

/// Pipelines of their own that small launches may ask for; then they share one.
const SMALL: usize = 2;

/// The pipelines that were needed so far.
pub struct Pipelines {
    compiled: Mutex<HashMap<Variant, wgpu::ComputePipeline>>,
    cache: Cache,
}

impl Pipelines {
    /// None so far, but what former processes left on disk.
    pub fn new(gpu: &Gpu) -> Pipelines {
        Pipelines {
            compiled: Mutex::default(),
            cache: Cache::load(gpu, &Variant::parts()),
        }
    }

    /// What pipelines left on disk, for others on the same adapter.
    pub fn cache(&self) -> Option<&wgpu::PipelineCache> {
        self.cache.pipelines()
    }

    /// Writes what pipelines left to disk, if there is anything new.
    pub fn save(&self) {
        self.cache.save();
    }

    /// A pipeline that runs a variant, and what it is a pipeline of. Launches of little `effort`
    /// make do with one that does more.
    ///
    /// # Errors
    /// [`GpuError::Shader`], and a lost device.
    pub fn get(
        &self,
        gpu: &Gpu,
        variant: &Variant,
        effort: u64,
    ) -> Result<(Variant, wgpu::ComputePipeline), GpuError> {
        let mut compiled = self.compiled.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(pipeline) = compiled.get(variant) {
            return Ok((*variant, pipeline.clone()));
        }
        let mut variant = *variant;
        if effort < EFFORT {
            let covers = |(other, _): &(&Variant, _)| other.covers(&variant);
            if let Some((other, pipeline)) = compiled.iter().find(covers) {
                return Ok((*other, pipeline.clone()));
            }
            if compiled.len() >= SMALL {
                variant = variant.with(&Variant::common(&variant));
            }
        }
        let source = variant.source();
        let pipeline = gpu
            .scoped("the interpreter", |device| {
                compile(
                    device,
                    source,
                    &layout(device, variant.many),
                    self.cache.pipelines(),
                )
            })
            .map_err(GpuError::in_shader)?;
        compiled.insert(variant, pipeline.clone());
        self.cache.save();
        Ok((variant, pipeline))
    }
}

fn compile(
    device: &wgpu::Device,
    source: String,
    layout: &wgpu::PipelineLayout,
    cache: Option<&wgpu::PipelineCache>,
) -> wgpu::ComputePipeline {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some("interpreter"),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    };
    let checks = wgpu::ShaderRuntimeChecks {
        force_loop_bounding: false,
        ..wgpu::ShaderRuntimeChecks::checked()
    };
    // SAFETY: what is switched off are only the counters that end endless loops. Every loop of the
    // interpreter ends: a group by its instruction budget or its slice, the others by their bounds.
    // Each counter costs a carry and a test in every turn of the innermost loop.
    let module = unsafe { device.create_shader_module_trusted(descriptor, checks) };
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("interpreter"),
        layout: Some(layout),
        module: &module,
        entry_point: Some("main"),
        // The shader clears what it reads (clear_shared).
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        },
        cache,
    })
}

/// The layout of variants for one launch or for many.
fn layout(device: &wgpu::Device, many: bool) -> wgpu::PipelineLayout {
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
    let launches = if many {
        storage(true)
    } else {
        wgpu::BufferBindingType::Uniform
    };
    let mut entries = vec![entry(0, storage(true)), entry(1, launches)];
    entries.extend((2..8).map(|binding| entry(binding, storage(false))));
    entries.push(entry(8, wgpu::BufferBindingType::Uniform));
    entries.push(entry(9, storage(false)));
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
