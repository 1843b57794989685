//! Dispatches: work in, results out. Work is submitted without waiting for earlier work. Results
//! are collected when a caller asks for them, or when there is no room for more.
//!
//! A launch is a list of commands, which `ctm_shade` makes. Launches are recorded and submitted several
//! at a time, whether a shader or the interpreter runs them. Only launches in slices or with a log wait
//! for all earlier ones.

use crate::device::Grown;
use crate::device::adapter::AdapterKind;
use crate::device::connection::Gpu;
use crate::device::watch::Binding;
use crate::memory::starts::Starts;
use crate::memory::{ALIGN, Bound};
use collect::Pending;
use commands::Recorded;
use ctm_machine::engine::GpuError;
use ctm_machine::engine::{Stop, Stopped};
use ctm_shade::abi::results::LaunchResult;
use ctm_shade::plan::Data;
use ctm_shade::plan::chunks::chunks;
use ctm_shade::plan::dispatch::Room;
use ctm_shade::plan::work::Work;
use ctm_shade::variant::Variant;
use execute::Running;
use interpreted::WorkData;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
pub use translated::Program;
use words::Words;

mod collect;
mod commands;
pub(crate) mod execute;
mod interpreted;
mod times;
mod translated;
mod words;

/// The limits of an adapter.
fn room(gpu: &Gpu) -> Room {
    Room { binding: gpu.largest_binding(), software: gpu.info.kind == AdapterKind::Software }
}

/// The most point-instructions of a translated program in one dispatch, unless a single row of
/// groups has more: a system resets a GPU that does not answer for some seconds. Programs seldom
/// execute all that they could. Slow GPUs share the host's memory, so they get a lower limit. A
/// stop waits for at most this much, because the host runs no further ahead.
pub(crate) fn most(kind: AdapterKind) -> u64 {
    match kind {
        AdapterKind::Discrete => 1 << 34,
        AdapterKind::Software
        | AdapterKind::Integrated
        | AdapterKind::Virtual
        | AdapterKind::Other => 1 << 32,
    }
}

/// Reasons to start only part of the work.
#[derive(Debug, thiserror::Error)]
pub enum Halt {
    /// The GPU failed.
    #[error(transparent)]
    Gpu(#[from] GpuError),
    /// The launch was stopped. What had started has ended.
    #[error("{0}")]
    Stopped(#[from] Stopped),
}

/// The number of bind groups that are kept. They keep their buffers alive.
const GROUPS: usize = 4;

/// The least size in bytes of the results that wait to be collected.
const RESULTS: u64 = 4 << 20;

/// The least size in bytes of their copies for the host, which have no log.
const HEADS: u64 = 1 << 16;

/// The limits of a launch.
pub struct Bounds<'a> {
    /// The most point-instructions of one dispatch of a translated program, and of all work that
    /// the host does not wait for.
    pub most: u64,
    /// Checked between dispatches.
    pub stop: &'a Stop,
}

/// The results so far of the launches of each work, by the work's number.
pub(crate) type Done = BTreeMap<u64, Vec<LaunchResult>>;

/// The results of a work of `count` launches.
///
/// # Errors
/// [`GpuError::Internal`] if the number of results differs.
pub(crate) fn all(done: &mut Done, work: u64, count: usize) -> Result<Vec<LaunchResult>, GpuError> {
    let results = done.remove(&work).unwrap_or_default();
    if results.len() == count {
        return Ok(results);
    }
    Err(GpuError::Internal {
        what: "a launch".into(),
        message: format!("{} results where {count} were expected", results.len()),
    })
}

/// The result of a work of one launch.
///
/// # Errors
/// As [`all`].
pub(crate) fn only(done: &mut Done, work: u64) -> Result<LaunchResult, GpuError> {
    all(done, work, 1).map(|mut results| results.pop().unwrap_or_default())
}

/// The buffers of dispatches, and the dispatches under way.
pub struct Executor {
    recorded: Recorded,
    words: Words,
    /// The data that temporaries start with.
    starts: Starts,
    /// The bind groups that may be needed again, with their pipelines and bindings.
    groups: Vec<(wgpu::ComputePipeline, Vec<Binding>, wgpu::BindGroup)>,
    state: Grown,
    results: Grown,
    heads: Grown,
    /// Bytes of `results` in use, and bytes at its beginning that are in use or 0.
    results_used: u64,
    results_clear: u64,
    pending: Vec<Pending>,
    /// Bytes of those and of the times of passes whose copies for the host are recorded.
    copied: u64,
    done: Done,
    next: u64,
}

impl Default for Executor {
    fn default() -> Executor {
        use wgpu::BufferUsages as Usage;
        let up = Usage::STORAGE | Usage::COPY_DST;
        Executor {
            recorded: Recorded::default(),
            words: Words::default(),
            starts: Starts::default(),
            groups: Vec::new(),
            state: Grown::new("resting groups", up, ALIGN),
            results: Grown::new("results", up | Usage::COPY_SRC, RESULTS),
            heads: Grown::new("results for the host", Usage::MAP_READ | Usage::COPY_DST, HEADS),
            results_used: 0,
            results_clear: 0,
            pending: Vec::new(),
            copied: 0,
            done: Done::new(),
            next: 0,
        }
    }
}

impl Executor {
    /// Starts work on what is bound, and the data that temporaries start with, and returns its number.
    /// `told` is called with the number of groups that have
    /// ended, as far as it is known while this runs.
    ///
    /// # Errors
    /// [`Halt`]. After a [`GpuError`] the memory that it binds is invalid.
    pub fn start(
        &mut self,
        gpu: &Gpu,
        (variant, pipeline): (Variant, wgpu::ComputePipeline),
        mut work: Work,
        (bound, starts): (Bound, Option<wgpu::Buffer>),
        told: &mut dyn FnMut(u64),
        bounds: &Bounds<'_>,
    ) -> Result<u64, Halt> {
        self.read_times(gpu)?;
        work.variant = variant;
        let most = room(gpu).groups(&work);
        let chunks = chunks(&mut work, most);
        let number = self.number(work.launches.len());
        let (work, bound) = (&work, &bound);
        let running = Running {
            pipeline: &pipeline,
            shader: &|| (work.variant.source(), "main"),
            again: work.variant.sliced,
            bounds,
        };
        self.execute(gpu, &running, &execute::copies(bound))?;
        let shared = WorkData { number, work, bound, starts, running };
        let mut finished = 0;
        for (n, chunk) in chunks.into_iter().enumerate() {
            self.chunk(gpu, &shared, chunk, work.log_entries)?;
            finished += chunk.groups;
            // Follow long work from time to time.
            if n % 4 == 3 {
                self.collect(gpu)?;
                told(finished);
            }
        }
        Ok(number)
    }

    /// The number of a work of `launches` launches.
    fn number(&mut self, launches: usize) -> u64 {
        self.next += 1;
        self.done.insert(self.next, vec![LaunchResult::default(); launches]);
        self.next
    }

    /// A bind group of some bindings. If it is `kept`, a later dispatch with the same ones finds it.
    fn group(
        &mut self,
        gpu: &Gpu,
        pipeline: &wgpu::ComputePipeline,
        bindings: &[Binding],
        kept: bool,
    ) -> Result<wgpu::BindGroup, GpuError> {
        let mut known = self.groups.iter();
        let known = known.find(|one| one.0 == *pipeline && one.1 == bindings);
        if let Some((.., group)) = known {
            return Ok(group.clone());
        }
        let entries: Vec<_> = bindings
            .iter()
            .map(|(binding, (buffer, offset, size))| wgpu::BindGroupEntry {
                binding: *binding,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer,
                    offset: *offset,
                    size: std::num::NonZeroU64::new(*size),
                }),
            })
            .collect();
        let group = gpu.scoped("a dispatch's buffers", |device| {
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &entries,
            })
        })?;
        if kept {
            self.groups.truncate(GROUPS - 1);
            self.groups.insert(0, (pipeline.clone(), bindings.to_vec(), group.clone()));
        }
        Ok(group)
    }

    /// The commands recorded after the last submission, for the caller to submit. It must then call
    /// [`submitted`](Self::submitted).
    ///
    /// # Errors
    /// Any error of the device.
    pub fn take_commands(&mut self, gpu: &Gpu) -> Result<wgpu::CommandEncoder, GpuError> {
        self.copy_heads(gpu)?;
        self.recorded.take(gpu)
    }

    /// Notes the caller's submission.
    pub fn submitted(&mut self, last: wgpu::SubmissionIndex) {
        self.recorded.submitted(last);
    }

    /// The buffer of the data that temporaries start with, if there are any.
    ///
    /// # Errors
    /// As [`Starts::get`].
    pub fn starts(
        &mut self,
        gpu: &Gpu,
        data: &[&Arc<Data>],
    ) -> Result<Option<wgpu::Buffer>, GpuError> {
        (!data.is_empty()).then(|| self.starts.get(gpu, data)).transpose()
    }

    /// Begins a new sum of the passes' times. Nothing must be under way.
    pub(crate) fn restart_time(&mut self) {
        self.recorded.times.restart();
    }

    /// The sum of the passes' times, by the GPU's clock, of all collected work since
    /// [`restart_time`](Self::restart_time). `None` if the device has no timestamps.
    pub(crate) fn time(&self) -> Option<Duration> {
        self.recorded.times.sum()
    }

    /// Keeps the launches started next for one submission.
    pub fn hold(&mut self) {
        self.recorded.hold();
    }

    /// Waits for all work. Returns the results of the launches of each work, by its number.
    ///
    /// # Errors
    /// [`GpuError`]; all work under way is then invalid.
    pub fn finish(&mut self, gpu: &Gpu) -> Result<Done, GpuError> {
        self.collect(gpu)?;
        Ok(std::mem::take(&mut self.done))
    }

    /// Forgets all work under way, after an error.
    pub fn forget(&mut self) {
        *self = Executor::default();
    }
}
