//! Compiled variants of the interpreter, kept for reuse.

use crate::engine::gpu::device::cache::Cache;
use crate::engine::gpu::device::connection::Gpu;
use crate::engine::gpu::device::error::GpuError;
use crate::engine::gpu::device::watch::Binding;
use crate::engine::gpu::shader::variant::Variant;
use crate::engine::gpu::shader::wgsl;
use parking_lot::Mutex;
use std::collections::HashMap;

/// The number of micro-operations, over all groups, that justifies a separate pipeline.
const EFFORT: u64 = 1 << 20;

/// The number of pipelines up to which small launches get their own. After that they share one.
const SMALL: usize = 2;

/// The pipelines compiled so far.
pub struct Pipelines {
    compiled: Mutex<HashMap<Variant, wgpu::ComputePipeline>>,
    /// Held while compiling. A caller that finds a pipeline does not wait for it.
    compiling: Mutex<()>,
    cache: Cache,
}

impl Pipelines {
    /// No pipelines yet, but with the cache that earlier processes left on disk.
    pub fn new(gpu: &Gpu) -> Pipelines {
        Pipelines {
            compiled: Mutex::default(),
            compiling: Mutex::default(),
            cache: Cache::load(gpu, wgsl::FILES),
        }
    }

    /// The pipeline cache, for other pipelines on the same adapter.
    pub fn cache(&self) -> Option<&wgpu::PipelineCache> {
        self.cache.pipelines()
    }

    /// Writes the pipeline cache to disk, if there is anything new.
    pub fn save(&self) {
        self.cache.save();
    }

    /// A pipeline that can run a variant, and the variant it was compiled for. A launch of little
    /// `effort` may get the pipeline of a variant that does more.
    ///
    /// # Errors
    /// [`GpuError::Shader`], and a lost device.
    pub fn get(
        &self,
        gpu: &Gpu,
        variant: &Variant,
        effort: u64,
    ) -> Result<(Variant, wgpu::ComputePipeline), GpuError> {
        let mut variant = *variant;
        if let Some(found) = self.find(&variant, effort) {
            return Ok(found);
        }
        let _compiling = self.compiling.lock();
        // Another caller may have compiled it in the meantime.
        if let Some(found) = self.find(&variant, effort) {
            return Ok(found);
        }
        if effort < EFFORT && self.compiled.lock().len() >= SMALL {
            variant = variant.with(&Variant::common(&variant));
        }
        let source = variant.source();
        let pipeline = gpu
            .aside()
            .scoped("the interpreter", |device| {
                compile(device, source, &layout(device, variant.many), self.cache.pipelines())
            })
            .map_err(GpuError::in_shader)?;
        self.compiled.lock().insert(variant, pipeline.clone());
        self.cache.save();
        Ok((variant, pipeline))
    }

    /// A compiled pipeline that can run a variant.
    fn find(&self, variant: &Variant, effort: u64) -> Option<(Variant, wgpu::ComputePipeline)> {
        let compiled = self.compiled.lock();
        let found = compiled.get_key_value(variant).or_else(|| {
            let covers = |(other, _): &(&Variant, _)| other.covers(variant);
            compiled.iter().find(covers).filter(|_| effort < EFFORT)
        });
        found.map(|(variant, pipeline)| (*variant, pipeline.clone()))
    }
}

fn compile(
    device: &wgpu::Device,
    source: String,
    layout: &wgpu::PipelineLayout,
    cache: Option<&wgpu::PipelineCache>,
) -> wgpu::ComputePipeline {
    let module = module(device, "interpreter", &source);
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

/// A shader's module.
pub fn module(device: &wgpu::Device, label: &str, source: &str) -> wgpu::ShaderModule {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(label),
        source: wgpu::ShaderSource::Wgsl(source.into()),
    };
    let checks = wgpu::ShaderRuntimeChecks {
        force_loop_bounding: false,
        ..wgpu::ShaderRuntimeChecks::checked()
    };
    // SAFETY: this disables only the counters that end endless loops. Every loop of the interpreter
    // ends: a group's loop by its instruction budget or its slice, the others by their bounds. A
    // translated loop has a constant number of iterations. If all loops together may exceed the
    // instruction budget, the shader counts and ends itself. The counters would cost a carry and a
    // test in every iteration of the innermost loop, up to half the time of a short one.
    unsafe { device.create_shader_module_trusted(descriptor, checks) }
}

/// A layout of buffers for compute shaders, at the bindings 0, 1 and so on.
pub fn buffers(device: &wgpu::Device, types: &[wgpu::BufferBindingType]) -> wgpu::PipelineLayout {
    let entries: Vec<wgpu::BindGroupLayoutEntry> = (0..)
        .zip(types)
        .map(|(binding, &ty)| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
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

/// A storage buffer.
pub const fn storage(read_only: bool) -> wgpu::BufferBindingType {
    wgpu::BufferBindingType::Storage { read_only }
}

/// The layout of variants for one launch or for many.
fn layout(device: &wgpu::Device, many: bool) -> wgpu::PipelineLayout {
    let launches = if many { storage(true) } else { wgpu::BufferBindingType::Uniform };
    let mut types = vec![storage(true), launches];
    types.extend([storage(false); 6]);
    types.push(wgpu::BufferBindingType::Uniform);
    buffers(device, &types)
}

/// The entries of a bind group.
pub fn bindings(parts: &[Binding]) -> Vec<wgpu::BindGroupEntry<'_>> {
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
