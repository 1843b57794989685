//! The start-up probe: which guards does a host need to produce the exact bits?
//!
//! It runs the functions of `shaders/float.wgsl` over hard operands and compares the bits with
//! [`crate::float`]. It knows the device and the float model, but no programs.

mod functions;
mod operands;

pub use functions::{Function, functions, kernel, probed};
pub use operands::{Random, hard};

use crate::engine::gpu::device::Mapping;
use crate::engine::gpu::device::connection::Gpu;
use crate::engine::gpu::device::error::GpuError;
use crate::engine::gpu::device::pipeline::{Kernel, storage};
use crate::engine::gpu::shader::guards::Guards;
use crate::engine::gpu::shader::wgsl::trimmed;
use std::fmt;

/// The probe's result for a usable host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeReport {
    /// The guard level that the host needs.
    pub guards: Guards,
    /// The number of results compared at that level. All were equal.
    pub passed: usize,
    /// The lower levels, each with the first result that was wrong.
    pub rejected: Vec<(Guards, Mismatch)>,
}

/// A result whose bits differ from those of the float model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The function's name.
    pub function: String,
    /// The operands, 1 to 4.
    pub operands: Vec<u32>,
    /// The host's result.
    pub got: u32,
    /// The expected result.
    pub expected: u32,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.function)?;
        for (i, operand) in self.operands.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}0x{operand:08x}")?;
        }
        write!(f, ") gave 0x{:08x}, expected 0x{:08x}", self.got, self.expected)
    }
}

/// Why a host cannot be used in the mode `exact`, or why the probe could not run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProbeError {
    /// No guard level gives the exact bits.
    #[error("the adapter does not give the exact bits at any guard level{}", reasons(.0))]
    Unsuitable(Vec<(Guards, Mismatch)>),
    /// The GPU failed.
    #[error("the float probe could not run: {0}")]
    Gpu(#[from] GpuError),
}

fn reasons(rejected: &[(Guards, Mismatch)]) -> String {
    rejected.iter().map(|(level, mismatch)| format!("; level {level}: {mismatch}")).collect()
}

/// The guard levels that a device can have, the cheapest first.
pub fn levels(gpu: &Gpu) -> impl Iterator<Item = Guards> {
    let controls = gpu.has_float_controls();
    Guards::ALL.into_iter().filter(move |level| controls || !level.needs_float_controls())
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
        Runner::new(gpu, source, functions.len(), guards.needs_float_controls())?.run(tuples)
    })
}

/// [`probe_functions`] on any host that can have `levels`: `run` gives the results of all functions
/// at a guard level, in the order of [`Runner::run`].
///
/// # Errors
/// As [`probe`].
pub fn decide(
    levels: impl IntoIterator<Item = Guards>,
    functions: &[Function],
    mut run: impl FnMut(Guards, &[[u32; 4]]) -> Result<Vec<u32>, GpuError>,
) -> Result<ProbeReport, ProbeError> {
    let tuples = hard();
    let mut rejected = Vec::new();
    for guards in levels {
        let results = run(guards, &tuples)?;
        match compare(functions, &tuples, &results) {
            None => {
                return Ok(ProbeReport { guards, passed: results.len(), rejected });
            }
            Some(mismatch) => rejected.push((guards, mismatch)),
        }
    }
    Err(ProbeError::Unsuitable(rejected))
}

/// The first of `results` (as [`Runner::run`] returns them) that differs from the CPU's; `None` if
/// all are equal.
pub fn compare(functions: &[Function], tuples: &[[u32; 4]], results: &[u32]) -> Option<Mismatch> {
    functions.iter().zip(results.chunks(tuples.len().max(1))).find_map(|(function, results)| {
        tuples.iter().zip(results).find_map(|(&tuple, &got)| {
            let expected = (function.exact)(tuple);
            (got != expected).then(|| Mismatch {
                function: function.name.clone(),
                operands: tuple[..function.operands].to_vec(),
                got,
                expected,
            })
        })
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
    /// `controlled`: whether it needs the driver's float controls.
    ///
    /// # Errors
    /// [`GpuError`] if wgpu or the driver refuses it.
    pub fn new(
        gpu: &'a Gpu,
        source: String,
        functions: usize,
        controlled: bool,
    ) -> Result<Runner<'a>, GpuError> {
        let source = trimmed(&source, "probe");
        let kernel = Kernel {
            what: "the float probe",
            wgsl: &source,
            entry: "probe",
            zeroed: false,
            controlled,
        };
        let pipeline = kernel.pipeline(gpu, &[(0, storage(true)), (1, storage(false))], None)?;
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
                entries: &[
                    wgpu::BindGroupEntry { binding: 0, resource: operands.as_entire_binding() },
                    wgpu::BindGroupEntry { binding: 1, resource: results.as_entire_binding() },
                ],
            });
            let mut encoder = device.create_command_encoder(&Default::default());
            {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                pass.set_pipeline(&self.pipeline);
                pass.set_bind_group(0, &group, &[]);
                pass.dispatch_workgroups(tuples.len().div_ceil(64) as u32, 1, 1);
            }
            encoder.copy_buffer_to_buffer(&results, 0, &readback, 0, size);
            gpu.queue.submit([encoder.finish()]);
        })?;
        let mapped = Mapping::request(gpu, &readback, size)?.wait(gpu, None)?;
        Ok(bytemuck::cast_slice(mapped.bytes()).to_vec())
    }
}

#[cfg(test)]
mod tests;
