//! The limits of an adapter, measured by small shaders of their own: what no program can exceed.

use crate::device::cache;
use crate::device::connection::Gpu;
use crate::device::pipeline::Kernel;
use ctm_base::files;
use ctm_machine::engine::GpuError;
use ctm_machine::engine::estimate::{COSTS, Costs};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The best rates of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Multiply-adds of single numbers per second, in independent chains.
    pub multiply_adds: f64,
    /// Operations on 32-bit integers per second, likewise.
    pub integer_operations: f64,
    /// Bytes per second that a copy of a large buffer reads and writes.
    pub bytes: f64,
    /// Seconds of a launch of one workgroup, from its submission to the end of the host's wait for it.
    pub launch: f64,
    /// Seconds of each of 64 such launches in one submission.
    pub launch_of_64: f64,
}

/// The least time of a sample.
const SAMPLE: Duration = Duration::from_millis(30);

/// Samples; the fastest counts.
const SAMPLES: usize = 3;

/// Threads of the arithmetic chains: enough for the largest GPUs.
const THREADS: u32 = 1 << 20;

/// Turns of a chain's loop: enough that a software adapter takes a few milliseconds.
const TURNS: u32 = 16;

/// The bytes of a copy, where the adapter has as much.
const COPY: u64 = 256 << 20;

/// Four chains of four numbers, eight steps in a turn.
fn chains(ty: &str, first: &str, step: fn(&str) -> String) -> String {
    let names = ["a", "b", "c", "d"];
    let steps: String = names.map(step).concat().repeat(8);
    format!(
        "@group(0) @binding(0) var<storage, read_write> results: array<{ty}>;
        @compute @workgroup_size(64)
        fn main(@builtin(global_invocation_id) at: vec3u) {{
            var a = {first}; var b = a + a; var c = a + b; var d = b + b;
            for (var n = 0u; n < {TURNS}u; n++) {{ {steps} }}
            results[at.x % arrayLength(&results)] = a + b + c + d;
        }}"
    )
}

/// The steps of all chains in a thread.
const STEPS: f64 = 4.0 * 4.0 * 8.0 * TURNS as f64;

struct Measure<'g> {
    gpu: &'g Gpu,
    results: wgpu::Buffer,
}

impl Measure<'_> {
    fn pipeline(&self, what: &str, wgsl: &str) -> Result<wgpu::ComputePipeline, GpuError> {
        let kernel = Kernel { what, wgsl, entry: "main", zeroed: false, controlled: false };
        let types = [(0, wgpu::BufferBindingType::Storage { read_only: false })];
        kernel.pipeline(self.gpu, &types, None)
    }

    /// The seconds of each of `count` recordings in one submission, the wait included.
    fn submission(
        &self,
        count: u32,
        mut record: impl FnMut(&mut wgpu::CommandEncoder),
    ) -> Result<f64, GpuError> {
        let mut encoder = self.gpu.encoder()?;
        (0..count).for_each(|_| record(&mut encoder));
        let started = Instant::now();
        let last =
            self.gpu.scoped("a measurement", |_| self.gpu.queue.submit([encoder.finish()]))?;
        self.gpu.wait(Some(last))?;
        Ok(started.elapsed().as_secs_f64() / f64::from(count))
    }

    /// The seconds of one recording. A submission repeats it until it takes as long as a sample.
    fn fastest(&self, mut record: impl FnMut(&mut wgpu::CommandEncoder)) -> Result<f64, GpuError> {
        // Drivers compile at the first, and clocks rise.
        self.submission(1, &mut record)?;
        let once = self.submission(1, &mut record)?;
        let count = (SAMPLE.as_secs_f64() / once).clamp(1.0, 10_000.0) as u32;
        let mut best = f64::INFINITY;
        for _ in 0..SAMPLES {
            best = best.min(self.submission(count, &mut record)?);
        }
        Ok(best)
    }

    /// The seconds of a dispatch.
    fn dispatch(
        &self,
        pipeline: &wgpu::ComputePipeline,
        workgroups: u32,
        measure: impl FnOnce(&mut dyn FnMut(&mut wgpu::CommandEncoder)) -> Result<f64, GpuError>,
    ) -> Result<f64, GpuError> {
        let group = self.gpu.scoped("a measurement's buffer", |device| {
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &[wgpu::BindGroupEntry {
                    binding: 0,
                    resource: self.results.as_entire_binding(),
                }],
            })
        })?;
        measure(&mut |encoder| {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(workgroups, 1, 1);
        })
    }
}

/// The contents of a file.
#[derive(Serialize, Deserialize)]
struct Kept {
    adapter: String,
    driver: String,
    limits: Limits,
}

/// The largest file, in bytes.
const LARGEST: u64 = 1 << 16;

/// The adapter's name and its driver's, with its version.
fn names(gpu: &Gpu) -> (String, String) {
    (gpu.info.name.clone(), format!("{} {}", gpu.info.driver, gpu.info.driver_info))
}

/// The file of an adapter, beside those of its pipelines; `None`: nothing is kept.
fn file(gpu: &Gpu) -> Option<PathBuf> {
    let (adapter, driver) = names(gpu);
    let name = cache::checksum(format!("{adapter}, {driver}").as_bytes());
    Some(cache::folder()?.join(format!("{name:016x}.limits")))
}

impl Limits {
    /// The limits that an earlier call of [`renew`](Self::renew) kept for this adapter and driver.
    pub fn known(gpu: &Gpu) -> Option<Limits> {
        let kept: Kept = serde_json::from_slice(&files::read(&file(gpu)?, LARGEST).ok()?).ok()?;
        let Limits { multiply_adds, integer_operations, bytes, launch, launch_of_64 } = kept.limits;
        let numbers = [multiply_adds, integer_operations, bytes, launch, launch_of_64];
        let valid = numbers.iter().all(|number| number.is_finite() && *number > 0.0);
        (valid && (kept.adapter, kept.driver) == names(gpu)).then_some(kept.limits)
    }

    /// Measures an adapter and keeps the result. A folder that cannot be written to is no error.
    ///
    /// # Errors
    /// As [`measure`](Self::measure).
    pub fn renew(gpu: &Gpu) -> Result<Limits, GpuError> {
        let limits = Limits::measure(gpu)?;
        let (adapter, driver) = names(gpu);
        if let (Some(path), Ok(text)) =
            (file(gpu), serde_json::to_string(&Kept { adapter, driver, limits }))
            && let Some(folder) = path.parent()
            && std::fs::create_dir_all(folder).is_ok()
        {
            let _ = files::replace(&path, text.as_bytes());
        }
        Ok(limits)
    }

    /// The costs of work on this adapter.
    pub fn costs(&self) -> Costs {
        // On an H100 the interpreter executes a point-instruction in the time of 320 multiply-adds, a shader in that
        // of 22, and compiling 100 instructions takes 100 ms.
        let interpreter = self.multiply_adds / 320.0;
        let shader = self.multiply_adds / 22.0;
        let wait = 0.1 / (1.0 / interpreter - 1.0 / shader);
        let launch = (1e6 * self.launch).ceil().max(1.0) as u64;
        Costs { launch, wait: wait as u64, ..COSTS }
    }

    /// Measures an adapter; takes about a second.
    ///
    /// # Errors
    /// Any error of the device.
    pub fn measure(gpu: &Gpu) -> Result<Limits, GpuError> {
        use wgpu::BufferUsages as Usage;
        let bytes = COPY.min(gpu.limits.max_buffer_size / 4).min(gpu.largest_binding()) & !255;
        let from = gpu.buffer("the source of a copy", bytes, Usage::COPY_SRC)?;
        let usage = Usage::STORAGE | Usage::COPY_DST;
        let results = gpu.buffer("the results of a measurement", bytes, usage)?;
        let measure = Measure { gpu, results };
        let copy = measure.fastest(|encoder| {
            encoder.copy_buffer_to_buffer(&from, 0, &measure.results, 0, bytes);
        })?;
        let workgroups = THREADS / 64;
        let operations = STEPS * f64::from(THREADS);
        let arithmetic = |what, wgsl: String| {
            let pipeline = measure.pipeline(what, &wgsl)?;
            measure.dispatch(&pipeline, workgroups, |record| measure.fastest(record))
        };
        let multiply_add =
            |name: &str| format!("{name} = fma({name}, vec4f(0.999), vec4f(0.1));\n");
        let floats = chains("vec4f", "vec4f(f32(at.x))", multiply_add);
        let multiply_adds = operations / arithmetic("a chain of multiply-adds", floats)?;
        let integer = |name: &str| format!("{name} = ({name} ^ vec4u(n)) + vec4u(7u);\n");
        let integers = chains("vec4u", "vec4u(at.x)", integer);
        let integer_operations = 2.0 * operations / arithmetic("a chain of integers", integers)?;
        let empty = "@group(0) @binding(0) var<storage, read_write> results: array<u32>;
            @compute @workgroup_size(64) fn main() { results[0] = 1u; }";
        let empty = measure.pipeline("an empty launch", empty)?;
        let launches = |count| {
            measure.dispatch(&empty, 1, |record| {
                measure.submission(count, &mut *record)?;
                let mut best = f64::INFINITY;
                for _ in 0..20 {
                    best = best.min(measure.submission(count, &mut *record)?);
                }
                Ok(best)
            })
        };
        Ok(Limits {
            multiply_adds,
            integer_operations,
            bytes: 2.0 * bytes as f64 / copy,
            launch: launches(1)?,
            launch_of_64: launches(64)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_follow_the_limits() {
        let limits = Limits {
            multiply_adds: 33.5e12,
            integer_operations: 16e12,
            bytes: 3e12,
            launch: 40.2e-6,
            launch_of_64: 5e-6,
        };
        let costs = limits.costs();
        // 104.7 G point-instructions a second for a tenth of a second, and what the shader does meanwhile.
        assert_eq!((costs.launch, costs.wait / 1_000_000), (41, 11_241));
        assert_eq!((costs.block, costs.open), (COSTS.block, COSTS.open));
    }
}
