//! Dispatches: work in, results out. Work is submitted without waiting for what was submitted
//! before; results are collected when somebody asks for them or there is no room for more.

use super::connection::Gpu;
use super::constants::{
    DISPATCH_ROW, LOG_WORDS, NO_TABLE, POINT_FAULTS, RESULT_LAUNCHES, RESULT_RESTING, RESULT_WORDS,
};
use super::error::GpuError;
use super::log::{self, LaunchResult};
use super::pipelines::{Pipelines, bindings};
use super::records::{DispatchRecord, LaunchRecord};
use super::resident::Bound;
use super::shader::Variant;
use std::collections::BTreeMap;
use std::sync::mpsc;
use std::time::Duration;

/// Groups of one dispatch at most: bounds the log.
const MAX_GROUPS: u64 = 1 << 14;

/// Bytes that the groups of one dispatch may keep in `state`.
const STATE_BYTES: u64 = 64 << 20;

/// Bytes of results that wait to be collected, at least.
const RESULTS: u64 = 4 << 20;

/// Parts of buffers that are bound begin at multiples of this: the largest alignment that adapters
/// ask for.
const ALIGN: u64 = 256;

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

/// A growing buffer.
struct Grown {
    what: &'static str,
    usage: wgpu::BufferUsages,
    least: u64,
    buffer: Option<wgpu::Buffer>,
}

impl Grown {
    const fn new(what: &'static str, usage: wgpu::BufferUsages, least: u64) -> Grown {
        Grown {
            what,
            usage,
            least,
            buffer: None,
        }
    }

    fn size(&self) -> u64 {
        self.buffer.as_ref().map_or(0, wgpu::Buffer::size)
    }

    /// The buffer, with at least `bytes`.
    fn get(&mut self, gpu: &Gpu, bytes: u64) -> Result<wgpu::Buffer, GpuError> {
        if let Some(buffer) = &self.buffer
            && buffer.size() >= bytes
        {
            return Ok(buffer.clone());
        }
        let size = bytes.next_power_of_two().max(self.least);
        let limit = gpu.limits.max_storage_buffer_binding_size;
        let size = if size > limit { bytes } else { size };
        let buffer = gpu.buffer(self.what, size, self.usage)?;
        self.buffer = Some(buffer.clone());
        Ok(buffer)
    }
}

/// What of one work's launches is known so far, by the work's number.
type Done = BTreeMap<u64, Vec<LaunchResult>>;

/// A dispatch whose results were not looked at yet.
struct Pending {
    work: u64,
    /// 0: a translated program.
    launches: usize,
    /// Where its log is, in bytes of the buffer; its head's place in the buffer for the host.
    log: u64,
    head: u64,
    head_words: u64,
    capacity: u64,
}

/// The buffers of dispatches, and those that are under way.
pub struct Executor {
    records: Grown,
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
    done: Done,
    next: u64,
}

impl Default for Executor {
    fn default() -> Executor {
        use wgpu::BufferUsages as Usage;
        let up = Usage::STORAGE | Usage::COPY_DST;
        Executor {
            records: Grown::new("translated launches", up, 1 << 12),
            code: Grown::new("programs", up, 1 << 14),
            launches: Grown::new("launches", up | Usage::UNIFORM, 1 << 12),
            dispatch: Grown::new("dispatches", Usage::UNIFORM | Usage::COPY_DST, ALIGN),
            state: Grown::new("resting groups", up, ALIGN),
            results: Grown::new("results", up | Usage::COPY_SRC, RESULTS),
            heads: Grown::new(
                "results for the host",
                Usage::MAP_READ | Usage::COPY_DST,
                1 << 16,
            ),
            results_used: 0,
            heads_used: 0,
            pending: Vec::new(),
            done: Done::new(),
            next: 0,
        }
    }
}

/// A run of groups of one dispatch.
struct Chunk {
    /// The first tile, if the dispatch has one launch; else the table's place.
    tile: u64,
    table: u32,
    groups: u64,
}

/// What all chunks of one work share.
struct Shared<'w> {
    number: u64,
    work: &'w Work,
    variant: Variant,
    pipeline: wgpu::ComputePipeline,
    code: wgpu::Buffer,
    launches: wgpu::Buffer,
}

/// Where a chunk's results go.
struct Place {
    results: wgpu::Buffer,
    at: u64,
    log: u64,
    bytes: u64,
    head_words: u64,
    capacity: u64,
}

impl Executor {
    /// Submits work and returns its number. `told` hears how many groups have ended, as far as
    /// that is known when this returns.
    ///
    /// # Errors
    /// [`GpuError`]. Memory in the windows is then of no use.
    pub fn start(
        &mut self,
        gpu: &Gpu,
        pipelines: &Pipelines,
        mut work: Work,
        told: &mut dyn FnMut(u64),
    ) -> Result<u64, GpuError> {
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
        if work.repeatable {
            let entries = POINT_FAULTS as u64 + 1 + work.log_entries;
            most = most.min(log_room(gpu) / entries).max(1);
        }
        let chunks = chunks(&mut work, most);
        let number = self.next;
        self.next += 1;
        self.done
            .insert(number, vec![LaunchResult::default(); work.launches.len()]);
        let code = self.code.get(gpu, size_of_val(&work.code[..]) as u64)?;
        let launches = self
            .launches
            .get(gpu, size_of_val(&work.launches[..]) as u64)?;
        gpu.scoped("uploading programs", |_| {
            let queue = &gpu.queue;
            queue.write_buffer(&code, 0, bytemuck::cast_slice(&work.code));
            queue.write_buffer(&launches, 0, bytemuck::cast_slice(&work.launches));
        })?;
        let shared = Shared {
            number,
            work: &work,
            variant,
            pipeline,
            code,
            launches,
        };
        let waits = variant.sliced || work.repeatable;
        let mut finished = 0;
        for (n, chunk) in chunks.iter().enumerate() {
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

    /// Submits a translated program and returns its work's number.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_translated(
        &mut self,
        gpu: &Gpu,
        pipeline: &wgpu::ComputePipeline,
        record: &[u32],
        bound: &Bound,
        groups: (u32, u32),
    ) -> Result<u64, GpuError> {
        const WORDS: u64 = super::translate::RESULT_WORDS as u64;
        if self.results_used + ALIGN > self.results.size()
            || self.heads_used + 4 * WORDS > self.heads.size()
        {
            self.collect(gpu)?;
        }
        let results = self.results.get(gpu, self.results_used + ALIGN)?;
        let heads = self.heads.get(gpu, self.heads_used + 4 * WORDS)?;
        let size = (size_of_val(record) as u64).next_multiple_of(16);
        let records = self.records.get(gpu, size)?;
        let (at, head) = (self.results_used, self.heads_used);
        gpu.scoped("a dispatch", |device| {
            gpu.queue
                .write_buffer(&records, 0, bytemuck::cast_slice(record));
            let [first, second, ..] = bound.bindings();
            let window = |binding: wgpu::BufferBinding| {
                let size = binding.size.map_or(0, u64::from);
                (binding.buffer.clone(), binding.offset, size)
            };
            let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &bindings(&[
                    (1, (records.clone(), 0, size)),
                    (2, (results.clone(), at, ALIGN)),
                    (3, window(first)),
                    (4, window(second)),
                ]),
            });
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.clear_buffer(&results, at, Some(4 * WORDS));
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(groups.0, groups.1, 1);
            drop(pass);
            encoder.copy_buffer_to_buffer(&results, at, &heads, head, 4 * WORDS);
            gpu.queue.submit([encoder.finish()]);
        })?;
        let number = self.next;
        self.next += 1;
        self.done.insert(number, vec![LaunchResult::default()]);
        self.pending.push(Pending {
            work: number,
            launches: 0,
            log: 0,
            head,
            head_words: WORDS,
            capacity: 0,
        });
        self.results_used += ALIGN;
        self.heads_used += 4 * WORDS;
        Ok(number)
    }

    /// Waits for all work; the results of the launches of each, by its number.
    ///
    /// # Errors
    /// [`GpuError`]; all work under way is then of no use.
    pub fn finish(&mut self, gpu: &Gpu) -> Result<BTreeMap<u64, Vec<LaunchResult>>, GpuError> {
        self.collect(gpu)?;
        Ok(std::mem::take(&mut self.done))
    }

    /// Forgets all work under way: after an error.
    pub fn forget(&mut self) {
        *self = Executor::default();
    }

    /// Room for a chunk's results; collects what is there if that is needed to make room.
    fn place(
        &mut self,
        gpu: &Gpu,
        shared: &Shared,
        chunk: &Chunk,
        log_entries: u64,
    ) -> Result<Place, GpuError> {
        let count = shared.work.launches.len() as u64;
        let head_words = RESULT_LAUNCHES as u64 + count * RESULT_WORDS as u64;
        let capacity = chunk.groups * (POINT_FAULTS as u64 + 1 + log_entries);
        let capacity = capacity.min(log_room(gpu));
        let head_bytes = (4 * head_words).next_multiple_of(ALIGN);
        let log_bytes = (4 * capacity * LOG_WORDS as u64).next_multiple_of(ALIGN);
        let bytes = head_bytes + log_bytes;
        if self.results_used + bytes > self.results.size()
            || self.heads_used + 4 * head_words > self.heads.size()
        {
            self.collect(gpu)?;
        }
        let results = self.results.get(gpu, self.results_used + bytes)?;
        self.heads.get(gpu, self.heads_used + 4 * head_words)?;
        Ok(Place {
            results,
            at: self.results_used,
            log: self.results_used + head_bytes,
            bytes,
            head_words,
            capacity,
        })
    }

    fn bind(
        &mut self,
        gpu: &Gpu,
        shared: &Shared,
        chunk: &Chunk,
        place: &Place,
    ) -> Result<(wgpu::BindGroup, wgpu::Buffer, u64), GpuError> {
        let work = shared.work;
        let state_words = shared.variant.state_words(work.rows);
        let state_bytes = (chunk.groups * state_words as u64 * 256).max(ALIGN);
        let state = self.state.get(gpu, state_bytes)?;
        let dispatch = self.dispatch.get(gpu, ALIGN)?;
        let record = DispatchRecord {
            first_tile: chunk.tile as u32,
            table: chunk.table,
            groups: chunk.groups as u32,
            launch: 0,
            log_capacity: place.capacity as u32,
            pad: 0,
            slice: work.slice,
            state_words,
        };
        let group = gpu.scoped("a dispatch's buffers", |device| {
            let bytes = bytemuck::bytes_of(&record);
            gpu.queue.write_buffer(&dispatch, 0, bytes);
            let part = |buffer: &wgpu::Buffer, size: u64| (buffer.clone(), 0, size);
            let mut entries = vec![
                (0, part(&shared.code, size_of_val(&work.code[..]) as u64)),
                (
                    1,
                    part(&shared.launches, size_of_val(&work.launches[..]) as u64),
                ),
                (2, (place.results.clone(), place.at, place.log - place.at)),
                (
                    9,
                    (
                        place.results.clone(),
                        place.log,
                        place.at + place.bytes - place.log,
                    ),
                ),
                (7, part(&state, state_bytes)),
                (8, part(&dispatch, bytes.len() as u64)),
            ];
            for (binding, window) in (3..).zip(work.bound.bindings()) {
                let size = window.size.map_or(0, u64::from);
                entries.push((binding, (window.buffer.clone(), window.offset, size)));
            }
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &shared.pipeline.get_bind_group_layout(0),
                entries: &bindings(&entries),
            })
        })?;
        Ok((group, state, state_bytes))
    }

    /// Submits a chunk whose groups all end in one dispatch.
    fn submit(
        &mut self,
        gpu: &Gpu,
        shared: &Shared,
        chunk: &Chunk,
        log_entries: u64,
    ) -> Result<(), GpuError> {
        let place = self.place(gpu, shared, chunk, log_entries)?;
        let (group, ..) = self.bind(gpu, shared, chunk, &place)?;
        let heads = self.heads.get(gpu, 0)?;
        let head = self.heads_used;
        gpu.scoped("a dispatch", |device| {
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.clear_buffer(&place.results, place.at, Some(4 * place.head_words));
            dispatch(&mut encoder, shared, &group, chunk);
            encoder.copy_buffer_to_buffer(
                &place.results,
                place.at,
                &heads,
                head,
                4 * place.head_words,
            );
            gpu.queue.submit([encoder.finish()]);
        })?;
        self.take(shared, &place);
        Ok(())
    }

    fn take(&mut self, shared: &Shared, place: &Place) {
        self.pending.push(Pending {
            work: shared.number,
            launches: shared.work.launches.len(),
            log: place.log,
            head: self.heads_used,
            head_words: place.head_words,
            capacity: place.capacity,
        });
        self.results_used += place.bytes;
        self.heads_used += (4 * place.head_words).next_multiple_of(8);
    }

    /// Runs a chunk to its end: in slices, and again if the log was too small.
    fn run(&mut self, gpu: &Gpu, shared: &Shared, chunk: &Chunk) -> Result<(), GpuError> {
        let mut log_entries = shared.work.log_entries;
        loop {
            self.collect(gpu)?;
            let place = self.place(gpu, shared, chunk, log_entries)?;
            let (group, state, state_bytes) = self.bind(gpu, shared, chunk, &place)?;
            let heads = self.heads.get(gpu, 0)?;
            let bytes = 4 * place.head_words;
            let mut first = true;
            loop {
                gpu.scoped("a dispatch", |device| {
                    let mut encoder = device.create_command_encoder(&Default::default());
                    if first {
                        encoder.clear_buffer(&place.results, place.at, Some(bytes));
                        if shared.variant.sliced {
                            encoder.clear_buffer(&state, 0, Some(state_bytes));
                        }
                    } else {
                        let resting = place.at + 4 * RESULT_RESTING as u64;
                        encoder.clear_buffer(&place.results, resting, Some(4));
                    }
                    dispatch(&mut encoder, shared, &group, chunk);
                    encoder.copy_buffer_to_buffer(&place.results, place.at, &heads, 0, bytes);
                    gpu.queue.submit([encoder.finish()]);
                })?;
                let resting = read(gpu, &heads, bytes, |words| words[RESULT_RESTING as usize])?;
                if resting == 0 {
                    break;
                }
                first = false;
            }
            let logged = read(gpu, &heads, bytes, |words| log::head(words, 0).1)?;
            if logged <= place.capacity || !shared.work.repeatable {
                self.take(shared, &place);
                return self.collect(gpu);
            }
            // What a group logs may differ from group to group; the sum is what counts.
            log_entries = logged.div_ceil(chunk.groups);
            if logged > log_room(gpu) {
                let half = chunk.groups / 2;
                if half == 0 {
                    let bytes = |entries: u64| 4 * entries * LOG_WORDS as u64;
                    return Err(GpuError::Limits {
                        adapter: gpu.info.name.clone(),
                        what: "the largest buffer in bytes, for the writes of one group,".into(),
                        need: bytes(logged),
                        have: bytes(log_room(gpu)),
                    });
                }
                // Only one launch logs at a time: its chunks have no table.
                for (first, groups) in [(0, half), (half, chunk.groups - half)] {
                    let part = Chunk {
                        tile: chunk.tile + first,
                        table: chunk.table,
                        groups,
                    };
                    self.run(gpu, shared, &part)?;
                }
                return Ok(());
            }
        }
    }

    /// Waits for everything submitted, and takes its results.
    fn collect(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let heads = self.heads.get(gpu, 0)?;
        let pending = std::mem::take(&mut self.pending);
        let words = read(gpu, &heads, self.heads_used, <[u32]>::to_vec)?;
        (self.results_used, self.heads_used) = (0, 0);
        for one in pending {
            let at = (one.head / 4) as usize;
            let head = &words[at..at + one.head_words as usize];
            if one.launches != 0 && log::is_cut(head) {
                return Err(GpuError::Internal {
                    what: "a dispatch".into(),
                    message: "it ended a loop of the interpreter after too few turns".into(),
                });
            }
            let (mut launches, logged) = match one.launches {
                0 => (vec![log::translated(head)], 0),
                launches => log::head(head, launches),
            };
            if logged > one.capacity {
                return Err(GpuError::Internal {
                    what: "the log of a dispatch".into(),
                    message: format!("{logged} entries where {} is the most", one.capacity),
                });
            }
            if logged != 0 {
                let results = self.results.get(gpu, 0)?;
                let bytes = 4 * logged * LOG_WORDS as u64;
                let from = one.log;
                let to = gpu.buffer(
                    "the log for the host",
                    bytes,
                    wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                )?;
                gpu.scoped("reading the log", |device| {
                    let mut encoder = device.create_command_encoder(&Default::default());
                    encoder.copy_buffer_to_buffer(&results, from, &to, 0, bytes);
                    gpu.queue.submit([encoder.finish()]);
                })?;
                read(gpu, &to, bytes, |words| log::entries(words, &mut launches))?;
            }
            if let Some(totals) = self.done.get_mut(&one.work) {
                for (total, launch) in totals.iter_mut().zip(launches) {
                    total.merge(launch);
                }
            }
        }
        Ok(())
    }
}

fn dispatch(
    encoder: &mut wgpu::CommandEncoder,
    shared: &Shared,
    group: &wgpu::BindGroup,
    chunk: &Chunk,
) {
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&shared.pipeline);
    pass.set_bind_group(0, group, &[]);
    let rows = chunk.groups.div_ceil(DISPATCH_ROW as u64) as u32;
    let columns = (chunk.groups as u32).min(DISPATCH_ROW);
    pass.dispatch_workgroups(columns, rows, 1);
}

/// Entries that the largest log has.
fn log_room(gpu: &Gpu) -> u64 {
    // Results of launches are in the same buffer; of logs there is one launch.
    let limit = gpu
        .limits
        .max_storage_buffer_binding_size
        .min(gpu.limits.max_buffer_size);
    (limit / 2) / (4 * LOG_WORDS as u64)
}

/// Cuts work into dispatches; of several launches each dispatch gets a table of (launch, tile)
/// pairs.
fn chunks(work: &mut Work, most: u64) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    if let [(first, groups)] = work.groups[..] {
        let mut done = 0;
        while done < groups {
            let count = most.min(groups - done);
            chunks.push(Chunk {
                tile: first + done,
                table: NO_TABLE,
                groups: count,
            });
            done += count;
        }
        return chunks;
    }
    let tiles = work.groups.iter().enumerate();
    let pairs: Vec<[u32; 2]> = tiles
        .flat_map(|(launch, &(first, groups))| {
            (first..first + groups).map(move |tile| [launch as u32, tile as u32])
        })
        .collect();
    for pairs in pairs.chunks(most as usize) {
        chunks.push(Chunk {
            tile: 0,
            table: work.code.len() as u32,
            groups: pairs.len() as u64,
        });
        for two in pairs.chunks(2) {
            let second = two.get(1).copied().unwrap_or_default();
            work.code.push([two[0][0], two[0][1], second[0], second[1]]);
        }
    }
    chunks
}

/// Waits for a buffer that the host can map, and reads its first `bytes`.
fn read<T>(
    gpu: &Gpu,
    buffer: &wgpu::Buffer,
    bytes: u64,
    take: impl FnOnce(&[u32]) -> T,
) -> Result<T, GpuError> {
    let (told, answer) = mpsc::channel();
    gpu.scoped("mapping results", |_| {
        buffer
            .slice(..bytes)
            .map_async(wgpu::MapMode::Read, move |result| {
                let _ = told.send(result);
            });
    })?;
    let internal = |message: String| GpuError::Internal {
        what: "mapping results".into(),
        message,
    };
    // Another thread that waits may have taken the callback and be about to run it.
    let answer = loop {
        gpu.wait(None)?;
        match answer.recv_timeout(Duration::from_millis(100)) {
            Ok(answer) => break answer,
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => return Err(internal("no answer".into())),
        }
    };
    answer.map_err(|error| internal(error.to_string()))?;
    let view = buffer
        .slice(..bytes)
        .get_mapped_range()
        .map_err(|error| internal(error.to_string()))?;
    let value = take(bytemuck::cast_slice(&view));
    drop(view);
    buffer.unmap();
    Ok(value)
}
