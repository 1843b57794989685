//! The start-up probe: which guards does a host need to give the exact bits?
//!
//! It runs the functions of `shaders/float.wgsl` over hard operands and compares the bits with
//! [`crate::float`]. It knows wgpu and the float model, and nothing of programs.

mod functions;
mod operands;

pub use functions::{FUNCTIONS, Function, float_source, kernel};
pub use operands::{Random, hard};

use super::trim::trimmed;
use std::fmt;
use std::sync::mpsc;

/// What the probe found out about a host that is good enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeReport {
    /// The guard level that the host needs: 0, 1 or 2.
    pub guards: u32,
    /// How many results were compared at that level and found equal.
    pub passed: usize,
    /// The lower levels, each with the first result that was wrong.
    pub rejected: Vec<(u32, Mismatch)>,
}

/// A result with other bits than those that the float model asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The function's name in [`crate::float`].
    pub function: &'static str,
    /// The operands that it took, 1 to 4.
    pub operands: Vec<u32>,
    /// What the host gave.
    pub got: u32,
    /// What it should have given.
    pub expected: u32,
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.function)?;
        for (i, operand) in self.operands.iter().enumerate() {
            let comma = if i == 0 { "" } else { ", " };
            write!(f, "{comma}0x{operand:08x}")?;
        }
        write!(
            f,
            ") gave 0x{:08x}, expected 0x{:08x}",
            self.got, self.expected
        )
    }
}

/// Why a host cannot be used in the mode `exact`, or why that could not be found out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProbeError {
    /// No guard level gives the exact bits.
    #[error("the adapter does not give the exact bits at any guard level{}", reasons(.0))]
    Unsuitable(Vec<(u32, Mismatch)>),
    /// wgpu or the driver refused something.
    #[error("the float probe could not run: {what}: {reason}")]
    Device {
        /// What was being done.
        what: &'static str,
        /// What wgpu said.
        reason: String,
    },
}

fn reasons(rejected: &[(u32, Mismatch)]) -> String {
    rejected
        .iter()
        .map(|(level, mismatch)| format!("; level {level}: {mismatch}"))
        .collect()
}

/// The guard levels, the cheapest first.
pub const LEVELS: std::ops::Range<u32> = 0..3;

/// Finds the lowest guard level at which `device` gives the exact bits, by a few functions that ask a
/// host for everything that the others ask for ([`Function::probed`]).
///
/// # Errors
/// [`ProbeError::Unsuitable`] if there is none; [`ProbeError::Device`] if the probe could not run.
pub fn probe(device: &wgpu::Device, queue: &wgpu::Queue) -> Result<ProbeReport, ProbeError> {
    let functions: Vec<Function> = FUNCTIONS.iter().filter(|f| f.probed).copied().collect();
    probe_functions(device, queue, &functions, &kernel)
}

/// [`probe`] with other functions, [`FUNCTIONS`] for one, and another way to make a guard level's
/// kernel of them, as tests need it; [`kernel`] is the usual one.
///
/// # Errors
/// As [`probe`].
pub fn probe_functions(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    functions: &[Function],
    kernel: &dyn Fn(u32, &[Function]) -> String,
) -> Result<ProbeReport, ProbeError> {
    let tuples = hard();
    let mut rejected = Vec::new();
    for guards in LEVELS {
        let source = kernel(guards, functions);
        let runner = Runner::new(device, queue, source, functions.len())?;
        let results = runner.run(&tuples)?;
        match compare(functions, &tuples, &results) {
            None => {
                return Ok(ProbeReport {
                    guards,
                    passed: results.len(),
                    rejected,
                });
            }
            Some(mismatch) => rejected.push((guards, mismatch)),
        }
    }
    Err(ProbeError::Unsuitable(rejected))
}

/// The first of `results` (as [`Runner::run`] gives them) that is not what the CPU gives; `None` if
/// all are equal.
pub fn compare(functions: &[Function], tuples: &[[u32; 4]], results: &[u32]) -> Option<Mismatch> {
    functions
        .iter()
        .zip(results.chunks(tuples.len().max(1)))
        .find_map(|(function, results)| {
            tuples.iter().zip(results).find_map(|(&tuple, &got)| {
                let expected = (function.exact)(tuple);
                (got != expected).then(|| Mismatch {
                    function: function.name,
                    operands: tuple[..function.operands].to_vec(),
                    got,
                    expected,
                })
            })
        })
}

/// A kernel of functions on a device.
#[derive(Debug)]
pub struct Runner<'a> {
    device: &'a wgpu::Device,
    queue: &'a wgpu::Queue,
    pipeline: wgpu::ComputePipeline,
    functions: usize,
}

/// What error scopes and calls report.
fn device_error(what: &'static str, reason: impl fmt::Display) -> ProbeError {
    ProbeError::Device {
        what,
        reason: reason.to_string(),
    }
}

/// Runs `f`; errors that wgpu reports on the side become its error.
fn scoped<T>(
    device: &wgpu::Device,
    what: &'static str,
    f: impl FnOnce() -> T,
) -> Result<T, ProbeError> {
    let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let value = f();
    // The scopes are a stack: all are popped, the innermost first.
    let errors = [
        pollster::block_on(validation.pop()),
        pollster::block_on(internal.pop()),
        pollster::block_on(memory.pop()),
    ];
    match errors.into_iter().flatten().next() {
        Some(error) => Err(device_error(what, error)),
        None => Ok(value),
    }
}

impl<'a> Runner<'a> {
    /// Builds a [`kernel`] from its text; `functions` is how many it runs.
    ///
    /// # Errors
    /// [`ProbeError::Device`] if wgpu or the driver refuses it.
    pub fn new(
        device: &'a wgpu::Device,
        queue: &'a wgpu::Queue,
        source: String,
        functions: usize,
    ) -> Result<Runner<'a>, ProbeError> {
        let source = trimmed(&source, "probe");
        let pipeline = scoped(device, "building the kernel", || {
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("float probe"),
                source: wgpu::ShaderSource::Wgsl(source.into()),
            });
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some("float probe"),
                layout: None,
                module: &module,
                entry_point: Some("probe"),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
        })?;
        Ok(Runner {
            device,
            queue,
            pipeline,
            functions,
        })
    }

    /// Runs the functions on all `tuples`: the results of the first function, in the order of the
    /// tuples, then those of the next one.
    ///
    /// # Errors
    /// [`ProbeError::Device`], also if there are more tuples than one dispatch and one buffer hold.
    pub fn run(&self, tuples: &[[u32; 4]]) -> Result<Vec<u32>, ProbeError> {
        if tuples.is_empty() {
            return Ok(Vec::new());
        }
        let words = tuples.len() * self.functions;
        let size = words as u64 * 4;
        let readback = scoped(self.device, "running the kernel", || {
            let buffer = |label, size, usage| {
                self.device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some(label),
                    size,
                    usage,
                    mapped_at_creation: false,
                })
            };
            use wgpu::BufferUsages as Usage;
            let inputs = tuples.len() as u64 * 16;
            let operands = buffer("operands", inputs, Usage::STORAGE | Usage::COPY_DST);
            let results = buffer("results", size, Usage::STORAGE | Usage::COPY_SRC);
            let readback = buffer("readback", size, Usage::MAP_READ | Usage::COPY_DST);
            self.queue
                .write_buffer(&operands, 0, bytemuck::cast_slice(tuples));
            let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("float probe"),
                layout: &self.pipeline.get_bind_group_layout(0),
                entries: &[
                    wgpu::BindGroupEntry {
                        binding: 0,
                        resource: operands.as_entire_binding(),
                    },
                    wgpu::BindGroupEntry {
                        binding: 1,
                        resource: results.as_entire_binding(),
                    },
                ],
            });
            let mut encoder = self.device.create_command_encoder(&Default::default());
            {
                let mut pass = encoder.begin_compute_pass(&Default::default());
                pass.set_pipeline(&self.pipeline);
                pass.set_bind_group(0, &group, &[]);
                pass.dispatch_workgroups(tuples.len().div_ceil(64) as u32, 1, 1);
            }
            encoder.copy_buffer_to_buffer(&results, 0, &readback, 0, size);
            self.queue.submit([encoder.finish()]);
            readback
        })?;
        let what = "reading the results";
        let (sender, receiver) = mpsc::channel();
        readback
            .slice(..)
            .map_async(wgpu::MapMode::Read, move |result| {
                // Nobody listens any more only if the wait below failed, which is reported there.
                let _ = sender.send(result);
            });
        self.device
            .poll(wgpu::PollType::wait_indefinitely())
            .map_err(|error| device_error(what, error))?;
        match receiver.try_recv() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(device_error(what, error)),
            Err(_) => return Err(device_error(what, "the device did not answer")),
        }
        let bytes = readback
            .slice(..)
            .get_mapped_range()
            .map_err(|error| device_error(what, error))?;
        Ok(bytemuck::pod_collect_to_vec(&bytes))
    }
}

#[cfg(test)]
mod tests;
