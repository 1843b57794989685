//! Small kernels on `memory.wgsl`, for tests of the GPU's memory.
#![allow(dead_code)]

use bytemuck::Pod;
use ctm::engine::gpu::abi::surface::MemoryVariant;
use ctm::engine::gpu::memory::Bound;
use ctm::engine::gpu::shader::guards::Guards;
use ctm::engine::gpu::shader::wgsl::float;
use ctm::engine::gpu::{AdapterChoice, Gpu};
use wgpu::BufferUsages;

/// The adapter for the tests.
pub fn open() -> Gpu {
    Gpu::open(&AdapterChoice::from_environment()).unwrap_or_else(|error| panic!("{error}"))
}

/// A compute shader with jobs at binding 0, results at binding 1, ranges at binding 2, and the
/// memory and copies after them.
pub struct Kernel {
    pipeline: wgpu::ComputePipeline,
}

/// The text before every kernel.
const MEMORY: &str = include_str!("../../shaders/memory.wgsl");
const BINDINGS: &str = "
@group(0) @binding(0) var<storage, read> jobs: array<Job>;
@group(0) @binding(1) var<storage, read_write> results: array<u32>;
@group(0) @binding(2) var<storage, read> ranges: MemRanges;
";

impl Kernel {
    /// Compiles `text`, which declares `struct Job` and the function `main`.
    pub fn new(gpu: &Gpu, variant: &MemoryVariant, text: &str) -> Kernel {
        let text =
            [&variant.wgsl(), &float(Guards::Ieee).concat(), MEMORY, BINDINGS, text].concat();
        let pipeline = gpu.scoped("a test kernel", |device| {
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: None,
                source: wgpu::ShaderSource::Wgsl(text.into()),
            });
            let entry = |binding: u32, read_only: bool| wgpu::BindGroupLayoutEntry {
                binding,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            };
            let group = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: None,
                entries: &std::array::from_fn::<_, 5, _>(|n| entry(n as u32, n == 0 || n == 2)),
            });
            let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: None,
                bind_group_layouts: &[Some(&group)],
                immediate_size: 0,
            });
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: None,
                layout: Some(&layout),
                module: &module,
                entry_point: None,
                compilation_options: Default::default(),
                cache: None,
            })
        });
        let pipeline = pipeline.unwrap_or_else(|error| panic!("{error}"));
        Kernel { pipeline }
    }

    /// Records a dispatch of `groups` workgroups; its results come from [`read`].
    #[allow(clippy::too_many_arguments)]
    pub fn record<J: Pod>(
        &self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        bound: &Bound,
        jobs: &[J],
        ranges: [[u32; 2]; 3],
        results: usize,
        groups: [u32; 2],
    ) -> wgpu::Buffer {
        let filled = |bytes: &[u8]| {
            let usage = BufferUsages::STORAGE | BufferUsages::COPY_DST;
            let buffer =
                gpu.buffer("a test's input", bytes.len() as u64, usage).expect("a small buffer");
            gpu.queue.write_buffer(&buffer, 0, bytes);
            buffer
        };
        let jobs = filled(bytemuck::cast_slice(jobs));
        let ranges = filled(bytemuck::cast_slice(ranges.as_flattened()));
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let results = gpu
            .buffer("a test's results", 4 * results.max(1) as u64, usage)
            .expect("a small buffer");
        let done = gpu.scoped("a test's dispatch", |device| {
            let mut entries = vec![
                wgpu::BindGroupEntry { binding: 0, resource: jobs.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 1, resource: results.as_entire_binding() },
                wgpu::BindGroupEntry { binding: 2, resource: ranges.as_entire_binding() },
            ];
            for (binding, (buffer, offset, size)) in [(3, &bound.memory), (4, &bound.copies)] {
                entries.push(wgpu::BindGroupEntry {
                    binding,
                    resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                        buffer,
                        offset: *offset,
                        size: std::num::NonZeroU64::new(*size),
                    }),
                });
            }
            let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &self.pipeline.get_bind_group_layout(0),
                entries: &entries,
            });
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(groups[0], groups[1], 1);
        });
        done.unwrap_or_else(|error| panic!("{error}"));
        results
    }
}

/// Records the copies that a launch reads instead of memory.
pub fn copy(encoder: &mut wgpu::CommandEncoder, bound: &Bound) {
    let ((memory, at, _), (copies, to, _)) = (&bound.memory, &bound.copies);
    for one in &bound.copied.as_ref().expect("copies").copies {
        encoder.copy_buffer_to_buffer(memory, at + one.from, copies, to + one.to, one.bytes);
    }
}

/// A command encoder.
pub fn encoder(gpu: &Gpu) -> wgpu::CommandEncoder {
    gpu.device.create_command_encoder(&Default::default())
}

/// Submits commands and reads a result buffer.
pub fn read(gpu: &Gpu, mut encoder: wgpu::CommandEncoder, results: &wgpu::Buffer) -> Vec<u32> {
    let usage = BufferUsages::MAP_READ | BufferUsages::COPY_DST;
    let staging = gpu.buffer("a test's results", results.size(), usage).expect("a small buffer");
    encoder.copy_buffer_to_buffer(results, 0, &staging, 0, results.size());
    gpu.scoped("a test", |_| gpu.queue.submit([encoder.finish()]))
        .unwrap_or_else(|error| panic!("{error}"));
    staging.map_async(wgpu::MapMode::Read, .., |_| {});
    gpu.wait(None).unwrap_or_else(|error| panic!("{error}"));
    let bytes = staging.get_mapped_range(..).expect("it is mapped");
    bytemuck::pod_collect_to_vec(&bytes)
}
