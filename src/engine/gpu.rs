//! The processor array on a GPU, through wgpu: the interpreter.
//!
//! A launch is planned ([`plan`]): its program in the shader's form ([`encode`]), the bytes that it
//! touches, how it writes. The executor dispatches it; what comes back is faults, statistics and,
//! where points cannot write in place, a log of writes that the host applies in the defined order.
//! docs/gpu.md explains the design.

pub mod adapter;
pub mod cache;
pub mod connection;
pub mod constants;
pub mod encode;
pub mod error;
mod executor;
mod log;
mod pipelines;
mod plan;
mod pool;
pub mod probe;
mod programs;
pub mod record;
pub mod records;
pub mod shader;
pub mod translate;
pub mod translated;

pub use adapter::{AdapterChoice, AdapterInfo, Adapters};
pub use connection::Gpu;
pub use error::GpuError;

use super::prepare::{self, Overlap, Reader, Writer};
use super::{Engine, LaunchError, Outcome, Progress};
use crate::launch::Launch;
use crate::memory::Memory;
use executor::{Executor, Window, Work};
use pipelines::Pipelines;
use plan::Plan;
use programs::Programs;
use shader::{Storage, Variant};
use std::sync::Mutex;

/// The engine's name.
const NAME: &str = "interpreter";

/// Micro-operations of a group in one dispatch where the adapter has no limit of its own: short
/// enough for a watchdog.
const SLICE: u32 = 1 << 18;

/// The interpreter on the GPU.
pub struct Interpreter {
    gpu: Gpu,
    pipelines: Pipelines,
    programs: Programs,
    executor: Mutex<Executor>,
    slice: u32,
}

impl Interpreter {
    /// Opens the adapter.
    ///
    /// # Errors
    /// When there is no such adapter or it cannot be used.
    pub fn open(choice: &AdapterChoice) -> Result<Interpreter, GpuError> {
        let gpu = Gpu::open(choice)?;
        Ok(Interpreter {
            gpu,
            pipelines: Pipelines::default(),
            programs: Programs::default(),
            executor: Mutex::new(Executor::default()),
            slice: 12_000,
        })
    }

    fn failed(&self, error: GpuError) -> LaunchError {
        LaunchError::Adapter {
            engine: NAME,
            error,
        }
    }

    fn unsupported(&self, reason: &str) -> LaunchError {
        LaunchError::Unsupported {
            engine: NAME,
            reason: reason.to_string(),
        }
    }

    /// The smallest variant that runs a plan.
    fn variant(&self, plan: &Plan) -> Variant {
        Variant {
            mode: plan.launch.mode,
            guards: 0,
            storage: Storage::Private,
            rows: plan.ready.encoded.rows.next_power_of_two().max(32),
            uses: plan.uses(),
            memory: plan.memory_variant(),
            conditions: plan.has_condition(),
            starts: plan.has_starts(),
            statistics: plan.launch.statistics,
            sliced: !plan.ends_within(self.slice as u64),
        }
    }
}

impl Engine for Interpreter {
    fn name(&self) -> &'static str {
        NAME
    }

    fn adapter(&self) -> Option<String> {
        Some(self.gpu.info.name.clone())
    }

    fn run(
        &self,
        launch: &Launch,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        prepare::validate(launch)?;
        if launch.limits.instructions > u32::MAX as u64 - 4096 {
            return Err(self.unsupported("an instruction budget of 2^32 - 4096 or more"));
        }
        let ready = self
            .programs
            .get(launch)
            .ok_or_else(|| self.unsupported("the program has too many registers and constants"))?;
        let plan = Plan::new(launch, ready);
        if plan.groups == 0 {
            return Ok(Outcome {
                statistics: launch.statistics.then(Default::default),
                ..Outcome::default()
            });
        }
        let mut pool = pool::Pool::default();
        let writes: Vec<(Writer, u32, usize)> = plan
            .writes
            .iter()
            .map(|(writer, _, span)| {
                let n = pool.pieces.len();
                (*writer, pool.add(memory, span), n)
            })
            .collect();
        let reads: Vec<(Reader, u32)> = plan
            .reads
            .iter()
            .map(|(reader, _, span)| (*reader, pool.add(memory, span)))
            .collect();
        pool.bytes
            .resize(pool.bytes.len().next_multiple_of(16).max(64), 0);
        let programs = &plan.ready.encoded.words;
        let (record, mut own) = plan.record(
            memory,
            0,
            programs.len() as u32,
            |reader| reads.iter().find(|r| r.0 == reader).map(|r| r.1),
            |writer| writes.iter().find(|w| w.0 == writer).map(|w| w.1),
        );
        let mut code = programs.clone();
        code.append(&mut own);
        let usage = wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_DST
            | wgpu::BufferUsages::COPY_SRC;
        let size = pool.bytes.len() as u64;
        let buffer = self
            .gpu
            .buffer("memory", size, usage)
            .map_err(|e| self.failed(e))?;
        self.gpu.queue.write_buffer(&buffer, 0, &pool.bytes);
        let work = Work {
            variant: self.variant(&plan),
            code,
            launches: vec![record],
            groups: vec![plan.groups],
            log_entries: plan.log_entries(),
            repeatable: plan.logs,
            windows: vec![Window {
                buffer: &buffer,
                offset: 0,
                size,
            }],
            slice: self.slice.min(SLICE),
        };
        let mut executor = self.executor.lock().unwrap_or_else(|e| e.into_inner());
        let mut done = 0;
        let mut results = executor
            .run(&self.gpu, &self.pipelines, work, &mut |groups| {
                done += groups;
                progress.groups(done, plan.groups);
            })
            .map_err(|e| self.failed(e))?;
        drop(executor);
        let mut result = results.pop().unwrap_or_default();
        if !writes.is_empty() {
            let staging = self
                .gpu
                .buffer(
                    "memory for the host",
                    size,
                    wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                )
                .map_err(|e| self.failed(e))?;
            let mut encoder = self.gpu.device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(&buffer, 0, &staging, 0, size);
            self.gpu.queue.submit([encoder.finish()]);
            executor::read(&self.gpu, &staging, size, |words| {
                let bytes: &[u8] = bytemuck::cast_slice(words);
                for (_, _, n) in &writes {
                    let Some((span, at)) = pool.pieces.get(*n) else {
                        continue;
                    };
                    for (base, to) in memory.ranges_mut() {
                        let (base, end) = (base as u64, base as u64 + to.len() as u64);
                        let (low, high) = (span.start.max(base), span.end.min(end));
                        if low < high {
                            let from = at + (low - span.start) as usize;
                            to[(low - base) as usize..(high - base) as usize]
                                .copy_from_slice(&bytes[from..from + (high - low) as usize]);
                        }
                    }
                }
            })
            .map_err(|e| self.failed(e))?;
        }
        let grouping = plan.grouping;
        result
            .writes(|i, j| {
                (
                    i / grouping.width * grouping.width,
                    j / grouping.height * grouping.height,
                )
            })
            .apply(memory);
        Ok(outcome(&plan, &result))
    }
}

/// A launch's result as engines report it.
fn outcome(plan: &Plan, result: &log::LaunchResult) -> Outcome {
    let foreign = |overlap: &Overlap| {
        overlap
            .input()
            .is_some_and(|input| result.foreign >> input & 1 != 0)
    };
    Outcome {
        statistics: plan.launch.statistics.then_some(result.statistics),
        groups: result.statistics.groups,
        points: result.statistics.points,
        faults: result.faults.clone(),
        hazards: plan
            .overlaps
            .iter()
            .filter(|overlap| !overlap.same_layout || foreign(overlap))
            .map(Overlap::text)
            .collect(),
    }
}
