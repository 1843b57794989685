//! Dispatches: plans and windows in, outcomes and logged writes out.

use super::connection::Gpu;
use super::constants::{
    DISPATCH_ROW, LOG_WORDS, NO_TABLE, POINT_FAULTS, RESULT_LAUNCHES, RESULT_RESTING, RESULT_WORDS,
};
use super::error::GpuError;
use super::log::{self, LaunchResult};
use super::pipelines::{Pipelines, bindings};
use super::records::{DispatchRecord, LaunchRecord};
use super::shader::Variant;
use std::sync::mpsc;

/// Bytes of a dispatch's record in the uniform buffer: the largest alignment that adapters ask for.
const DISPATCH_STRIDE: u64 = 256;

/// Groups of one dispatch at most: bounds the log.
const MAX_GROUPS: u64 = 1 << 14;

/// Bytes that the groups of one sliced dispatch may keep.
const STATE_BYTES: u64 = 64 << 20;

/// A bound part of a buffer: one of the windows.
pub struct Window<'b> {
    /// The buffer.
    pub buffer: &'b wgpu::Buffer,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
}

/// Launches that run together: their records and code, and who runs how many groups.
pub struct Work<'b> {
    /// The shader.
    pub variant: Variant,
    /// Everything that shaders read besides memory.
    pub code: Vec<[u32; 4]>,
    /// The launches.
    pub launches: Vec<LaunchRecord>,
    /// Groups of each.
    pub groups: Vec<u64>,
    /// Entries of the log that a group can need besides those for faults.
    pub log_entries: u64,
    /// Whether a dispatch whose log was too small may be run again.
    pub repeatable: bool,
    /// Memory.
    pub windows: Vec<Window<'b>>,
    /// Micro-operations of a group in one dispatch.
    pub slice: u32,
}

/// A growing buffer.
struct Grown {
    what: &'static str,
    usage: wgpu::BufferUsages,
    buffer: Option<wgpu::Buffer>,
}

impl Grown {
    const fn new(what: &'static str, usage: wgpu::BufferUsages) -> Grown {
        Grown {
            what,
            usage,
            buffer: None,
        }
    }

    /// The buffer, with at least `bytes`.
    fn get(&mut self, gpu: &Gpu, bytes: u64) -> Result<wgpu::Buffer, GpuError> {
        if let Some(buffer) = &self.buffer
            && buffer.size() >= bytes
        {
            return Ok(buffer.clone());
        }
        let size = bytes.next_power_of_two().max(4096);
        let limit = gpu.limits.max_storage_buffer_binding_size;
        let size = if size > limit { bytes.max(4) } else { size };
        let buffer = gpu.buffer(self.what, size, self.usage)?;
        self.buffer = Some(buffer.clone());
        Ok(buffer)
    }
}

/// The buffers that dispatches share.
pub struct Executor {
    code: Grown,
    launches: Grown,
    results: Grown,
    state: Grown,
    dispatch: Grown,
    head: Grown,
    empty: Option<wgpu::Buffer>,
}

impl Default for Executor {
    fn default() -> Executor {
        use wgpu::BufferUsages as Usage;
        let up = Usage::STORAGE | Usage::COPY_DST;
        Executor {
            code: Grown::new("programs", up),
            launches: Grown::new("launches", up),
            results: Grown::new("results", up | Usage::COPY_SRC),
            state: Grown::new("resting groups", up),
            dispatch: Grown::new("dispatches", Usage::UNIFORM | Usage::COPY_DST),
            head: Grown::new("results for the host", Usage::MAP_READ | Usage::COPY_DST),
            empty: None,
        }
    }
}

/// A run of groups of one dispatch.
struct Chunk {
    /// The launch and its first tile, if the dispatch has one launch; else the table's place.
    launch: usize,
    tile: u64,
    table: u32,
    groups: u64,
}

impl Executor {
    /// Runs all groups; the results of the launches, in their order.
    ///
    /// `told` hears how many groups have ended.
    ///
    /// # Errors
    /// [`GpuError`]. Memory in the windows is then of no use.
    pub fn run(
        &mut self,
        gpu: &Gpu,
        pipelines: &Pipelines,
        mut work: Work,
        told: &mut dyn FnMut(u64),
    ) -> Result<Vec<LaunchResult>, GpuError> {
        for (n, launch) in work.launches.iter_mut().enumerate() {
            launch.number = n as u32;
        }
        let variant = work.variant;
        let state_bytes = variant.state_words() as u64 * 64 * 4;
        let mut most = MAX_GROUPS;
        if variant.sliced {
            let room = STATE_BYTES.min(gpu.limits.max_storage_buffer_binding_size);
            most = most.min(room / state_bytes).max(1);
        }
        let mut chunks = Vec::new();
        if let [groups] = work.groups[..] {
            let mut tile = 0;
            while tile < groups {
                let count = most.min(groups - tile);
                chunks.push(Chunk {
                    launch: 0,
                    tile,
                    table: NO_TABLE,
                    groups: count,
                });
                tile += count;
            }
        } else {
            tables(&mut work, most, &mut chunks);
        }
        let pipeline = pipelines.get(gpu, &variant)?;
        let code = self.upload_code(gpu, &work)?;
        let launches = self
            .launches
            .get(gpu, size_of_val(&work.launches[..]) as u64)?;
        gpu.queue
            .write_buffer(&launches, 0, bytemuck::cast_slice(&work.launches));
        let mut totals = vec![LaunchResult::default(); work.launches.len()];
        for chunk in &chunks {
            let mut log_entries = work.log_entries;
            loop {
                let (results, missing) = self.chunk(
                    gpu,
                    &pipeline,
                    &work,
                    chunk,
                    log_entries,
                    (&code, &launches),
                )?;
                match missing {
                    None => {
                        for (total, result) in totals.iter_mut().zip(results) {
                            total.merge(result);
                        }
                        break;
                    }
                    Some(logged) if work.repeatable => {
                        log_entries = logged.div_ceil(chunk.groups) + 1;
                    }
                    Some(logged) => {
                        return Err(GpuError::Internal {
                            what: "the log of a dispatch".into(),
                            message: format!("{logged} entries, more than can be"),
                        });
                    }
                }
            }
            told(chunk.groups);
        }
        Ok(totals)
    }

    fn upload_code(&mut self, gpu: &Gpu, work: &Work) -> Result<wgpu::Buffer, GpuError> {
        let code = self.code.get(gpu, size_of_val(&work.code[..]) as u64)?;
        gpu.queue
            .write_buffer(&code, 0, bytemuck::cast_slice(&work.code));
        Ok(code)
    }

    /// Runs one chunk to its end. `Some(n)`: the log would have needed n entries.
    fn chunk(
        &mut self,
        gpu: &Gpu,
        pipeline: &wgpu::ComputePipeline,
        work: &Work,
        chunk: &Chunk,
        log_entries: u64,
        (code, launches): (&wgpu::Buffer, &wgpu::Buffer),
    ) -> Result<(Vec<LaunchResult>, Option<u64>), GpuError> {
        let count = work.launches.len() as u64;
        let head_words = RESULT_LAUNCHES as u64 + count * RESULT_WORDS as u64;
        let capacity = chunk.groups * (POINT_FAULTS as u64 + 1 + log_entries);
        let words = head_words + capacity * LOG_WORDS as u64;
        let results = self.results.get(gpu, 4 * words)?;
        let variant = &work.variant;
        let state_bytes = if variant.sliced {
            chunk.groups * variant.state_words() as u64 * 256
        } else {
            16
        };
        let state = self.state.get(gpu, state_bytes)?;
        let dispatch = self.dispatch.get(gpu, DISPATCH_STRIDE)?;
        let record = DispatchRecord {
            first_tile: chunk.tile as u32,
            table: chunk.table,
            groups: chunk.groups as u32,
            launch: chunk.launch as u32,
            log: head_words as u32,
            log_capacity: capacity as u32,
            slice: work.slice,
            pad: 0,
        };
        gpu.queue
            .write_buffer(&dispatch, 0, bytemuck::bytes_of(&record));
        let empty = match &self.empty {
            Some(buffer) => buffer.clone(),
            None => {
                let buffer = gpu.buffer("nothing", 256, wgpu::BufferUsages::STORAGE)?;
                self.empty.insert(buffer).clone()
            }
        };
        let head = self.head.get(gpu, 4 * head_words)?;
        let group = gpu.scoped("a dispatch's buffers", |device| {
            let whole = |buffer: &wgpu::Buffer, size: u64| {
                (
                    buffer.clone(),
                    0,
                    size.max(16).next_multiple_of(16).min(buffer.size()),
                )
            };
            let mut entries = vec![
                (0, whole(code, size_of_val(&work.code[..]) as u64)),
                (1, whole(launches, size_of_val(&work.launches[..]) as u64)),
                (2, whole(&results, 4 * words)),
                (7, whole(&state, state_bytes)),
                (8, (dispatch.clone(), 0, size_of::<DispatchRecord>() as u64)),
            ];
            for n in 0..4usize {
                entries.push((
                    3 + n as u32,
                    match work.windows.get(n) {
                        Some(window) => (window.buffer.clone(), window.offset, window.size),
                        None => (empty.clone(), 64 * n as u64, 64),
                    },
                ));
            }
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &bindings(&entries),
            })
        })?;
        let mut first = true;
        loop {
            let bytes = 4 * head_words;
            gpu.scoped("a dispatch", |device| {
                let mut encoder = device.create_command_encoder(&Default::default());
                if first {
                    encoder.clear_buffer(&results, 0, Some(bytes));
                    if variant.sliced {
                        encoder.clear_buffer(&state, 0, Some(state_bytes));
                    }
                } else {
                    encoder.clear_buffer(&results, 4 * RESULT_RESTING as u64, Some(4));
                }
                let mut pass = encoder.begin_compute_pass(&Default::default());
                pass.set_pipeline(pipeline);
                pass.set_bind_group(0, &group, &[]);
                let rows = chunk.groups.div_ceil(DISPATCH_ROW as u64) as u32;
                let columns = (chunk.groups as u32).min(DISPATCH_ROW);
                pass.dispatch_workgroups(columns, rows, 1);
                drop(pass);
                encoder.copy_buffer_to_buffer(&results, 0, &head, 0, bytes);
                gpu.queue.submit([encoder.finish()]);
            })?;
            let resting = read(gpu, &head, bytes, |words| words[RESULT_RESTING as usize])?;
            if resting == 0 {
                break;
            }
            first = false;
        }
        let (mut launches, logged) = read(gpu, &head, 4 * head_words, |words| {
            log::head(words, work.launches.len())
        })?;
        if logged > capacity {
            return Ok((launches, Some(logged - chunk.groups)));
        }
        if logged != 0 {
            let bytes = 4 * logged * LOG_WORDS as u64;
            let log = self.fetch(gpu, &results, 4 * head_words, bytes)?;
            log::entries(&log, &mut launches);
        }
        Ok((launches, None))
    }

    /// Words from a buffer, brought to the host.
    fn fetch(
        &mut self,
        gpu: &Gpu,
        from: &wgpu::Buffer,
        offset: u64,
        bytes: u64,
    ) -> Result<Vec<u32>, GpuError> {
        let to = self.head.get(gpu, bytes)?;
        gpu.scoped("reading results", |device| {
            let mut encoder = device.create_command_encoder(&Default::default());
            encoder.copy_buffer_to_buffer(from, offset, &to, 0, bytes);
            gpu.queue.submit([encoder.finish()]);
        })?;
        read(gpu, &to, bytes, <[u32]>::to_vec)
    }
}

/// Cuts many launches into chunks, each with its table of (launch, tile) pairs.
fn tables(work: &mut Work, most: u64, chunks: &mut Vec<Chunk>) {
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    let mut close = |pairs: &mut Vec<[u32; 2]>, code: &mut Vec<[u32; 4]>| {
        if pairs.is_empty() {
            return;
        }
        chunks.push(Chunk {
            launch: 0,
            tile: 0,
            table: code.len() as u32,
            groups: pairs.len() as u64,
        });
        for two in pairs.chunks(2) {
            let second = two.get(1).copied().unwrap_or_default();
            code.push([two[0][0], two[0][1], second[0], second[1]]);
        }
        pairs.clear();
    };
    for (launch, &groups) in work.groups.iter().enumerate() {
        for tile in 0..groups {
            pairs.push([launch as u32, tile as u32]);
            if pairs.len() as u64 == most {
                close(&mut pairs, &mut work.code);
            }
        }
    }
    close(&mut pairs, &mut work.code);
}

/// Waits for a buffer that the host can map, and reads its first `bytes`.
pub fn read<T>(
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
    gpu.wait(None)?;
    let internal = |message: String| GpuError::Internal {
        what: "mapping results".into(),
        message,
    };
    match answer.try_recv() {
        Ok(Ok(())) => {}
        Ok(Err(error)) => return Err(internal(error.to_string())),
        Err(_) => return Err(internal("no answer".into())),
    }
    let view = buffer
        .slice(..bytes)
        .get_mapped_range()
        .map_err(|error| internal(error.to_string()))?;
    let value = take(bytemuck::cast_slice(&view));
    drop(view);
    buffer.unmap();
    Ok(value)
}
