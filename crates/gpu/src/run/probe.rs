//! The start-up probe on a device: [`ctm_shade::probe`] decides, this module runs its functions.

use crate::device::adapter::AdapterKind;
use crate::device::cache::Kept;
use crate::device::connection::Gpu;
use crate::device::pipeline::{Kernel, types};
use crate::device::watch::BufferRange;
use crate::run::executor::execute::{Bound, Running};
use crate::run::executor::{Bounds, Executor, Halt};
use ctm_machine::engine::{GpuError, Stop};
use ctm_shade::guards::Guards;
use ctm_shade::plan::probe::{BINDINGS, Slot, command};
use ctm_shade::wgsl::trimmed;

pub use ctm_shade::probe::*;

/// The guard levels that a device can have, the cheapest first.
pub fn levels(gpu: &Gpu) -> impl Iterator<Item = Guards> {
    let controls = gpu.float_controls().is_some();
    Guards::basic().filter(move |level| controls || !level.controlled())
}

/// Finds the lowest guard level at which an adapter produces the exact bits. It runs only the few
/// functions that together demand of a host all that the other functions demand ([`probed`]). On an
/// adapter that does not run on the CPU, it then finds out whether RCP and RSQ may have seeds.
///
/// # Errors
/// [`ProbeError::Unsuitable`] if no level does; [`ProbeError::Gpu`] if the probe could not run.
pub fn probe(gpu: &Gpu) -> Result<ProbeReport, ProbeError> {
    let mut report = probe_functions(gpu, &probed(), &kernel)?;
    if gpu.info.kind != AdapterKind::Software
        && let Some(fused) = report.guards.fused()
    {
        let kernel = seeded_kernel(report.guards);
        // Without an answer the adapter runs as before. The next start asks again.
        let verdict = Kept::new(gpu, &kernel);
        if verdict.verdict(|| Ok(unseeded(gpu, report.guards, kernel)?.is_none())) == Ok(true) {
            report.guards = fused;
        }
    }
    Ok(report)
}

/// Compares RCP and RSQ from an adapter's own functions with those from integers, at a level of
/// [`Guards::basic`], for every fraction. [`seeded_kernel`] is the usual kernel. Returns how many results
/// of a tuple are wrong, if any is. Takes milliseconds on a GPU, seconds on a CPU.
///
/// # Errors
/// [`GpuError`].
pub fn unseeded(gpu: &Gpu, guards: Guards, kernel: String) -> Result<Option<Mismatch>, GpuError> {
    let (functions, tuples) = (seeded(), fractions());
    let runner = Runner::new(gpu, kernel, functions.len(), guards.controlled())?;
    Ok(compare(&functions, &tuples, &runner.run(&tuples)?))
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
    source: String,
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
        Ok(Runner { gpu, source, pipeline, functions })
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
        let part = |what, bytes, usage| Ok((gpu.buffer(what, bytes, usage)?, 0, bytes));
        let size = size_of_val(tuples) as u64;
        let operands: BufferRange = part("operands", size, Usage::STORAGE | Usage::COPY_DST)?;
        gpu.scoped("the operands of the float probe", |_| {
            gpu.queue.write_buffer(&operands.0, 0, bytemuck::cast_slice(tuples));
        })?;
        let size = (tuples.len() * self.functions) as u64 * 4;
        let results: BufferRange = part("results", size, Usage::STORAGE | Usage::COPY_SRC)?;
        let of = |slot| match slot {
            Slot::Operands => Bound::from(operands.clone()),
            Slot::Results => Bound::from(results.clone()),
        };
        let running = Running {
            pipeline: &self.pipeline,
            shader: &|| (self.source.clone(), ENTRY),
            again: false,
            bounds: &Bounds { most: u64::MAX, stop: &Stop::default() },
        };
        let mut executor = Executor::default();
        // This stop is never set.
        if let Err(Halt::Gpu(error)) = executor.execute(gpu, &running, &[command(tuples.len(), of)])
        {
            return Err(error);
        }
        executor.words(gpu, &results, 0, size)
    }
}
