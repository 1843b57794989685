//! Dispatches: work in, results out. Work is submitted without waiting for what was submitted
//! before; results are collected when somebody asks for them or there is no room for more.
//!
//! Translated programs are recorded and submitted several at a time; everything else submits what
//! is recorded first.

use super::adapter::AdapterKind;
use super::connection::Gpu;
use super::constants::POINT_FAULTS;
use super::error::GpuError;
use super::log::LaunchResult;
use super::pipelines::Pipelines;
use super::records::LaunchRecord;
use super::resident::{ALIGN, Bound};
use super::shader::Variant;
use super::translate::Record;
use crate::engine::{Stop, Stopped};
pub(super) use buffers::Grown;
use chunks::chunks;
use collect::Pending;
pub(super) use collect::read;
use recorded::Recorded;
use std::collections::BTreeMap;
use submit::{Shared, log_room};
use translated::{Bindings, RECORDS};
pub use translated::{Bounds, Program};
pub(super) use translated::{parts, work};

mod buffers;
mod chunks;
mod collect;
mod recorded;
mod submit;
mod translated;

/// Groups of one dispatch at most: bounds the log, and is less than any adapter's row of workgroups.
const MAX_GROUPS: u64 = 1 << 14;

/// Point-instructions of a translated program in one dispatch at most, unless a row of groups has
/// more: a system resets a GPU that does not answer for some seconds. Programs seldom do all that
/// they could, and slow GPUs share the host's memory. It is also what a stop waits for: the host
/// runs no further ahead.
pub(super) fn most(kind: AdapterKind) -> u64 {
    match kind {
        AdapterKind::Discrete => 1 << 34,
        AdapterKind::Software
        | AdapterKind::Integrated
        | AdapterKind::Virtual
        | AdapterKind::Other => 1 << 32,
    }
}

/// Groups of one dispatch at most that runs in slices on an adapter that is the host's CPU: a slice
/// of theirs takes some seconds.
const MAX_GROUPS_SOFTWARE: u64 = 1 << 8;

/// Why work did not all start.
pub enum Halt {
    /// The GPU failed.
    Gpu(GpuError),
    /// The launch was stopped; what had started has ended.
    Stopped(Stopped),
}

impl From<GpuError> for Halt {
    fn from(error: GpuError) -> Halt {
        Halt::Gpu(error)
    }
}

impl From<Stopped> for Halt {
    fn from(why: Stopped) -> Halt {
        Halt::Stopped(why)
    }
}

/// Bytes that the groups of one dispatch may keep in `state`.
const STATE_BYTES: u64 = 64 << 20;

/// Bytes of results that wait to be collected, at least.
const RESULTS: u64 = 4 << 20;

/// Launches that run together: their records and code, and who runs how many groups.
pub struct Work {
    /// The shader.
    pub variant: Variant,
    /// Everything that shaders read besides memory.
    pub code: Vec<[u32; 4]>,
    /// The launches.
    pub launches: Vec<LaunchRecord>,
    /// First tile of each and how many groups.
    pub groups: Vec<(u64, u64)>,
    /// Entries of the log that a group can need besides those for faults.
    pub log_entries: u64,
    /// Whether a dispatch whose log was too small may be run again.
    pub repeatable: bool,
    /// Memory.
    pub bound: Bound,
    /// Micro-operations of a group in one dispatch.
    pub slice: u32,
    /// Rows and uniforms of the program that has most.
    pub rows: u32,
}

impl Work {
    /// Micro-operations of all groups, roughly: loops are not counted.
    fn effort(&self) -> u64 {
        let groups: u64 = self.groups.iter().map(|(_, groups)| groups).sum();
        (self.code.len() / self.launches.len().max(1)) as u64 * groups
    }
}

/// What of one work's launches is known so far, by the work's number.
pub(super) type Done = BTreeMap<u64, Vec<LaunchResult>>;

/// The results of a work of so many launches.
///
/// # Errors
/// [`GpuError::Internal`] if there are none, or not as many.
pub(super) fn all(done: &mut Done, work: u64, count: usize) -> Result<Vec<LaunchResult>, GpuError> {
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
pub(super) fn only(done: &mut Done, work: u64) -> Result<LaunchResult, GpuError> {
    all(done, work, 1).map(|mut results| results.pop().unwrap_or_default())
}

/// The buffers of dispatches, and those that are under way.
pub struct Executor {
    recorded: Recorded,
    records: Grown,
    /// Records of translated programs that are in `records`, each with its place.
    kept: Vec<(Record, u64)>,
    /// What translated programs that report nothing were bound to last.
    groups: Vec<(Bindings, wgpu::BindGroup)>,
    code: Grown,
    launches: Grown,
    dispatch: Grown,
    state: Grown,
    results: Grown,
    heads: Grown,
    /// Bytes of `results` and `heads` that are taken.
    results_used: u64,
    heads_used: u64,
    pending: Vec<Pending>,
    /// Dispatches under way that report nothing.
    silent: u32,
    /// Point-instructions of translated programs that were started since the last wait.
    ahead: u64,
    done: Done,
    next: u64,
}

impl Default for Executor {
    fn default() -> Executor {
        use wgpu::BufferUsages as Usage;
        let up = Usage::STORAGE | Usage::COPY_DST;
        Executor {
            recorded: Recorded::default(),
            records: Grown::new("translated launches", up | Usage::UNIFORM, RECORDS),
            kept: Vec::new(),
            groups: Vec::new(),
            code: Grown::new("programs", up, 1 << 14),
            launches: Grown::new("launches", up | Usage::UNIFORM, 1 << 12),
            dispatch: Grown::new("dispatches", Usage::UNIFORM | Usage::COPY_DST, ALIGN),
            state: Grown::new("resting groups", up, ALIGN),
            results: Grown::new("results", up | Usage::COPY_SRC, RESULTS),
            heads: Grown::new("results for the host", Usage::MAP_READ | Usage::COPY_DST, 1 << 16),
            results_used: 0,
            heads_used: 0,
            pending: Vec::new(),
            silent: 0,
            ahead: 0,
            done: Done::new(),
            next: 0,
        }
    }
}

impl Executor {
    /// Submits work and returns its number. `told` hears how many groups have ended, as far as
    /// that is known when this returns. `stop` is looked at before every dispatch.
    ///
    /// # Errors
    /// [`Halt`]. After a [`GpuError`] memory in the windows is of no use.
    pub fn start(
        &mut self,
        gpu: &Gpu,
        pipelines: &Pipelines,
        mut work: Work,
        told: &mut dyn FnMut(u64),
        stop: &Stop,
    ) -> Result<u64, Halt> {
        self.recorded.submit(gpu)?;
        for (n, launch) in work.launches.iter_mut().enumerate() {
            launch.number = n as u32;
        }
        let (variant, pipeline) = pipelines.get(gpu, &work.variant, work.effort())?;
        let mut most = MAX_GROUPS;
        let state_bytes = variant.state_words(work.rows) as u64 * 256;
        let room = STATE_BYTES.min(gpu.limits.max_storage_buffer_binding_size);
        if let Some(groups) = room.checked_div(state_bytes) {
            most = most.min(groups).max(1);
        }
        if variant.sliced && gpu.info.kind == AdapterKind::Software {
            most = most.min(MAX_GROUPS_SOFTWARE);
        }
        if work.repeatable {
            let entries = POINT_FAULTS as u64 + 1 + work.log_entries;
            most = most.min(log_room(gpu) / entries).max(1);
        }
        let chunks = chunks(&mut work, most);
        let number = self.next;
        self.next += 1;
        self.done.insert(number, vec![LaunchResult::default(); work.launches.len()]);
        let code = self.code.get(gpu, size_of_val(&work.code[..]) as u64)?;
        let launches = self.launches.get(gpu, size_of_val(&work.launches[..]) as u64)?;
        gpu.scoped("uploading programs", |_| {
            let queue = &gpu.queue;
            queue.write_buffer(&code, 0, bytemuck::cast_slice(&work.code));
            queue.write_buffer(&launches, 0, bytemuck::cast_slice(&work.launches));
        })?;
        let shared = Shared { number, work: &work, variant, pipeline, code, launches, stop };
        let waits = variant.sliced || work.repeatable;
        let mut finished = 0;
        for (n, chunk) in chunks.iter().enumerate() {
            stop.check()?;
            if waits {
                self.run(gpu, &shared, chunk)?;
            } else {
                self.submit(gpu, &shared, chunk, work.log_entries)?;
            }
            finished += chunk.groups;
            // Long work is followed from time to time.
            if n % 4 == 3 {
                self.collect(gpu)?;
                told(finished);
            }
        }
        Ok(number)
    }

    /// Records commands behind all work that was started so far and before what is started next.
    ///
    /// # Errors
    /// What the device has against it.
    pub fn commands(&mut self, gpu: &Gpu) -> Result<&mut wgpu::CommandEncoder, GpuError> {
        self.recorded.encoder(gpu)
    }

    /// Waits for all work; the results of the launches of each, by its number.
    ///
    /// # Errors
    /// [`GpuError`]; all work under way is then of no use.
    pub fn finish(&mut self, gpu: &Gpu) -> Result<Done, GpuError> {
        self.collect(gpu)?;
        Ok(std::mem::take(&mut self.done))
    }

    /// Forgets all work under way: after an error.
    pub fn forget(&mut self) {
        *self = Executor::default();
    }
}
