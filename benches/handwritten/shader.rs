//! Runs a handwritten shader on an adapter.

use super::cases::Case;
use ctm::array::Dtype;
use ctm::engine::gpu::Gpu;
use ctm::engine::gpu::shader::guards::Guards;
use ctm::engine::gpu::shader::wgsl::{float, trimmed};
use ctm::job::{Buffer, Content};
use ctm::launch::FloatMode;
use std::time::{Duration, Instant};
use wgpu::util::{BufferInitDescriptor, DeviceExt};

/// The points of a workgroup along each axis, as in the shaders.
const SIDE: u32 = 8;

/// A case's shader with its buffers.
pub struct Handwritten<'a> {
    gpu: &'a Gpu,
    pipeline: wgpu::ComputePipeline,
    buffers: Vec<wgpu::Buffer>,
    /// The bindings for launches of even and odd number.
    groups: [wgpu::BindGroup; 2],
    case: &'a Case,
}

/// The complete shader for a mode: sizes, arithmetic, kernel.
pub fn source(case: &Case, mode: FloatMode, guards: Guards) -> String {
    let sizes = format!("const WIDTH = {}u;\nconst HEIGHT = {}u;\n", case.width, case.height);
    let arithmetic = match mode {
        FloatMode::Fast => vec![include_str!("plain.wgsl")],
        FloatMode::Exact | FloatMode::Chip => {
            let mut files = float(guards).to_vec();
            files.push(include_str!("exact.wgsl"));
            files
        }
    };
    let main = match mode {
        FloatMode::Fast => "at: vec3<u32>) {",
        FloatMode::Exact | FloatMode::Chip => {
            "at: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {\n    \
             x1k_zero = groups.z - 1u;"
        }
    };
    let shader = case.shader.replace("at: vec3<u32>) {", main);
    trimmed(&(sizes + &arithmetic.concat() + &shader), "main")
}

/// The contents of a buffer before the first launch, packed as in memory.
fn contents(buffer: &Buffer) -> Vec<u32> {
    let units = (buffer.width * buffer.height * buffer.format.channels()) as usize;
    let units = match &buffer.content {
        Content::Array(array) => array.to_vec(),
        Content::Zero => vec![0; units],
        Content::Fill(_) => panic!("no job of this bench fills buffers"),
    };
    match Dtype::of(buffer.format).size() {
        4 => units,
        2 => {
            units.chunks(2).map(|pair| pair[0] | pair.get(1).map_or(0, |high| high << 16)).collect()
        }
        _ => panic!("no job of this bench has single bytes"),
    }
}

impl<'a> Handwritten<'a> {
    pub fn new(gpu: &'a Gpu, case: &'a Case, mode: FloatMode, guards: Guards) -> Handwritten<'a> {
        let device = &gpu.device;
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(case.name),
            source: wgpu::ShaderSource::Wgsl(source(case, mode, guards).into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(case.name),
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let buffers: Vec<wgpu::Buffer> = case
            .bindings
            .iter()
            .map(|name| {
                let words = match case.job.buffers.iter().find(|buffer| buffer.name == *name) {
                    Some(buffer) => contents(buffer),
                    None => vec![0; (case.width * case.height) as usize],
                };
                device.create_buffer_init(&BufferInitDescriptor {
                    label: Some(name),
                    contents: bytemuck::cast_slice(&words),
                    usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
                })
            })
            .collect();
        let layout = pipeline.get_bind_group_layout(0);
        let group = |odd: bool| {
            let place = |binding: usize| match case.swap {
                Some((a, b)) if odd && binding == a => b,
                Some((a, b)) if odd && binding == b => a,
                _ => binding,
            };
            let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..buffers.len())
                .map(|binding| wgpu::BindGroupEntry {
                    binding: binding as u32,
                    resource: buffers[place(binding)].as_entire_binding(),
                })
                .collect();
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &layout,
                entries: &entries,
            })
        };
        let groups = [group(false), group(true)];
        gpu.check().expect("the shader is correct");
        Handwritten { gpu, pipeline, buffers, groups, case }
    }

    /// Runs all launches `times` times in a row and waits for them; returns the time.
    pub fn run(&self, times: u32) -> Duration {
        let started = Instant::now();
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&self.pipeline);
            for launch in 0..times * self.case.launches {
                pass.set_bind_group(0, &self.groups[launch as usize % 2], &[]);
                let groups = |points: u32| points.div_ceil(SIDE);
                pass.dispatch_workgroups(groups(self.case.width), groups(self.case.height), 1);
            }
        }
        let submission = self.gpu.queue.submit([encoder.finish()]);
        self.gpu.wait(Some(submission)).expect("the shader runs");
        started.elapsed()
    }

    /// The words of a binding.
    pub fn words(&self, name: &str) -> Vec<u32> {
        let binding = self.case.bindings.iter().position(|n| *n == name);
        let buffer = &self.buffers[binding.expect("a binding of this name")];
        let copy = self.gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: buffer.size(),
            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(buffer, 0, &copy, 0, buffer.size());
        let submission = self.gpu.queue.submit([encoder.finish()]);
        copy.map_async(wgpu::MapMode::Read, .., |mapped| mapped.expect("a copy"));
        self.gpu.wait(Some(submission)).expect("the copy is made");
        let view = copy.get_mapped_range(..).expect("the copy is mapped");
        bytemuck::pod_collect_to_vec(&view)
    }
}
