//! The start-up probe on a device: [`ctm_shade::probe`] decides, this module runs its functions.

use crate::device::Mapping;
use crate::device::connection::Gpu;
use crate::device::pipeline::{Kernel, types};
use ctm_machine::engine::GpuError;
use ctm_shade::guards::Guards;
use ctm_shade::plan::probe::{BINDINGS, Slot, groups};
use ctm_shade::wgsl::trimmed;

pub use ctm_shade::probe::*;

/// The guard levels that a device can have, the cheapest first.
pub fn levels(gpu: &Gpu) -> impl Iterator<Item = Guards> {
    let controls = gpu.float_controls().is_some();
    Guards::ALL.into_iter().filter(move |level| controls || !level.controlled())
}

/// Finds the lowest guard level at which an adapter produces the exact bits. It runs only the few
/// functions that together demand of a host all that the other functions demand ([`probed`]).
///
/// # Errors
/// [`ProbeError::Unsuitable`] if no level does; [`ProbeError::Gpu`] if the probe could not run.
pub fn probe(gpu: &Gpu) -> Result<ProbeReport, ProbeError> {
    probe_functions(gpu, &probed(), &kernel)
}

/// [`probe`], for tests: with other functions, for example all [`functions`], and another
/// function to build the kernel of a guard level. [`kernel`] is the usual one.
///
/// # Errors
/// As [`probe`].
pub fn probe_functions(
    gpu: &Gpu,
    functions: &[Function],
    kernel: &dyn Fn(Guards, &[Function]) -> String,
) -> Result<ProbeReport, ProbeError> {
    decide(levels(gpu), functions, |guards, tuples| {
        let source = kernel(guards, functions);
        Runner::new(gpu, source, functions.len(), guards.controlled())?.run(tuples)
    })
}

/// A kernel of functions on a device.
pub struct Runner<'a> {
    gpu: &'a Gpu,
    pipeline: wgpu::ComputePipeline,
    functions: usize,
}

impl<'a> Runner<'a> {
    /// Builds a [`kernel`] from its text. `functions` is the number of functions it runs;
    /// `controlled`: whether it has float controls.
    ///
    /// # Errors
    /// [`GpuError`] if wgpu or the driver refuses it.
    pub fn new(
        gpu: &'a Gpu,
        source: String,
        functions: usize,
        controlled: bool,
    ) -> Result<Runner<'a>, GpuError> {
        let source = trimmed(&source, ENTRY);
        let kernel = Kernel {
            what: "the float probe",
            wgsl: &source,
            entry: ENTRY,
            zeroed: false,
            controlled,
        };
        let pipeline = kernel.pipeline(gpu, &types(&BINDINGS), None)?;
        Ok(Runner { gpu, pipeline, functions })
    }

    /// Runs the functions on all `tuples`. Returns the results of the first function in the order
    /// of the tuples, then those of the next function, and so on.
    ///
    /// # Errors
    /// [`GpuError`], also if there are more tuples than one dispatch or one buffer holds.
    pub fn run(&self, tuples: &[[u32; 4]]) -> Result<Vec<u32>, GpuError> {
        use wgpu::BufferUsages as Usage;
        if tuples.is_empty() {
            return Ok(Vec::new());
        }
        let gpu = self.gpu;
        let inputs = size_of_val(tuples) as u64;
        let size = (tuples.len() * self.functions) as u64 * 4;
        let buffer = |what, size, usage| gpu.buffer(what, size, usage);
        let operands = buffer("operands", inputs, Usage::STORAGE | Usage::COPY_DST)?;
        let results = buffer("results", size, Usage::STORAGE | Usage::COPY_SRC)?;
        let readback = buffer("readback", size, Usage::MAP_READ | Usage::COPY_DST)?;
        gpu.scoped("running the float probe", |device| {
            gpu.queue.write_buffer(&operands, 0, bytemuck::cast_slice(tuples));
            let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("float probe"),
                layout: &self.pipeline.get_bind_group_layout(0),
                entries: &BINDINGS.map(|(binding, _, slot)| {
                    let buffer = match slot {
                        Slot::Operands => &operands,
                        Slot::Results => &results,
                    };
                    wgpu::BindGroupEntry { binding, resource: buffer.as_entire_binding() }
                }),
            });
            let mut encoder = device.create_command_encoder(&Default::default());
            {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                pass.set_pipeline(&self.pipeline);
                pass.set_bind_group(0, &group, &[]);
                let [x, y] = groups(tuples.len());
                pass.dispatch_workgroups(x, y, 1);
            }
            encoder.copy_buffer_to_buffer(&results, 0, &readback, 0, size);
            gpu.queue.submit([encoder.finish()]);
        })?;
        let mapped = Mapping::request(gpu, &readback, size)?.wait(gpu, None)?;
        Ok(bytemuck::cast_slice(mapped.bytes()).to_vec())
    }
}
