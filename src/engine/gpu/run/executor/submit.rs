//! Dispatches of the interpreter: the places of their results, their bindings, and dispatches that
//! run again until their groups have ended.

use crate::engine::Stop;
use crate::engine::gpu::abi::constants::POINT_FAULTS;
use crate::engine::gpu::abi::launch::DispatchRecord;
use crate::engine::gpu::abi::results::{self, Entry, Head};
use crate::engine::gpu::device::connection::Gpu;
use crate::engine::gpu::device::error::GpuError;
use crate::engine::gpu::device::watch::{Binding, Dispatch};
use crate::engine::gpu::memory::Bound;
use crate::engine::gpu::run::executor::chunks::Chunk;
use crate::engine::gpu::run::executor::collect::Pending;
use crate::engine::gpu::run::executor::{ALIGN, Executor, Halt, Work};
use crate::engine::gpu::shader::pipelines::bindings;
use crate::engine::gpu::shader::variant::Variant;
use std::mem::offset_of;

/// The size in bytes of an entry of the log.
const LOG_ENTRY: u64 = size_of::<Entry>() as u64;

/// Data shared by all chunks of one work.
pub(in crate::engine::gpu) struct Shared<'w> {
    pub(in crate::engine::gpu) number: u64,
    pub(in crate::engine::gpu) work: &'w Work,
    pub(in crate::engine::gpu) bound: &'w Bound,
    pub(in crate::engine::gpu) variant: Variant,
    pub(in crate::engine::gpu) pipeline: wgpu::ComputePipeline,
    pub(in crate::engine::gpu) code: wgpu::Buffer,
    pub(in crate::engine::gpu) launches: wgpu::Buffer,
    pub(in crate::engine::gpu) stop: &'w Stop,
}

/// The place of a chunk's results.
struct Place {
    results: wgpu::Buffer,
    at: u64,
    bytes: u64,
    head_words: u64,
    capacity: u64,
}

/// The bindings of a chunk.
struct Bindings {
    entries: Vec<Binding>,
    group: wgpu::BindGroup,
    state: wgpu::Buffer,
    state_bytes: u64,
}

impl Executor {
    /// Reserves room for a chunk's results. Collects earlier results if they take the room.
    fn place(
        &mut self,
        gpu: &Gpu,
        shared: &Shared,
        chunk: &Chunk,
        log_entries: u64,
    ) -> Result<Place, GpuError> {
        let head_words = results::position(shared.work.launches.len() as u32) as u64;
        let capacity = chunk.groups * (POINT_FAULTS as u64 + 1 + log_entries);
        let capacity = capacity.min(log_room(gpu));
        let bytes = (4 * head_words + LOG_ENTRY * capacity).next_multiple_of(ALIGN);
        if self.results_used + bytes > self.results.size()
            || self.heads_used + 4 * head_words > self.heads.size()
        {
            self.collect(gpu)?;
        }
        let results = self.results.get(gpu, self.results_used + bytes)?;
        self.heads.get(gpu, self.heads_used + 4 * head_words)?;
        Ok(Place { results, at: self.results_used, bytes, head_words, capacity })
    }

    fn bind(
        &mut self,
        gpu: &Gpu,
        shared: &Shared,
        chunk: &Chunk,
        place: &Place,
    ) -> Result<Bindings, GpuError> {
        let work = shared.work;
        let state_words = shared.variant.state_words(work.rows);
        let state_bytes = (chunk.groups * state_words as u64 * 256).max(ALIGN);
        let state = self.state.get(gpu, state_bytes)?;
        let dispatch = self.dispatch.get(gpu, ALIGN)?;
        let record = DispatchRecord {
            first_tile: chunk.tile as u32,
            table: chunk.table,
            log_capacity: place.capacity as u32,
            slice: work.slice,
            state_words,
            log: place.head_words as u32,
            pad0: 0,
            pad1: 0,
        };
        let bytes = bytemuck::bytes_of(&record);
        let part = |buffer: &wgpu::Buffer, size: u64| (buffer.clone(), 0, size);
        let mut entries = vec![
            (0, part(&shared.code, size_of_val(&work.code[..]) as u64)),
            (1, part(&shared.launches, size_of_val(&work.launches[..]) as u64)),
            (2, (place.results.clone(), place.at, place.bytes)),
            (7, part(&state, state_bytes)),
            (8, part(&dispatch, bytes.len() as u64)),
        ];
        for (binding, window) in (3..).zip(shared.bound.bindings()) {
            let size = window.size.map_or(0, u64::from);
            entries.push((binding, (window.buffer.clone(), window.offset, size)));
        }
        let group = gpu.scoped("a dispatch's buffers", |device| {
            gpu.queue.write_buffer(&dispatch, 0, bytes);
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &shared.pipeline.get_bind_group_layout(0),
                entries: &bindings(&entries),
            })
        })?;
        Ok(Bindings { entries, group, state, state_bytes })
    }

    /// Submits a chunk whose groups all end in one dispatch.
    pub(in crate::engine::gpu) fn submit(
        &mut self,
        gpu: &Gpu,
        shared: &Shared,
        chunk: &Chunk,
        log_entries: u64,
    ) -> Result<(), GpuError> {
        let place = self.place(gpu, shared, chunk, log_entries)?;
        let bound = self.bind(gpu, shared, chunk, &place)?;
        let heads = self.heads.get(gpu, 0)?;
        let head = self.heads_used;
        let bytes = 4 * place.head_words;
        let encoder = self.recorded.encoder(gpu)?;
        encoder.clear_buffer(&place.results, place.at, Some(bytes));
        self.dispatch(gpu, shared, &bound, chunk)?;
        let encoder = self.recorded.encoder(gpu)?;
        encoder.copy_buffer_to_buffer(&place.results, place.at, &heads, head, bytes);
        self.recorded.submit(gpu)?;
        self.take(shared, &place);
        Ok(())
    }

    fn dispatch(
        &mut self,
        gpu: &Gpu,
        shared: &Shared,
        bound: &Bindings,
        chunk: &Chunk,
    ) -> Result<(), GpuError> {
        let dispatch = Dispatch {
            pipeline: &shared.pipeline,
            shader: &|| (shared.variant.source(), "main"),
            group: &bound.group,
            bindings: &bound.entries,
            workgroups: [chunk.groups as u32, 1],
        };
        self.recorded.dispatch(gpu, &dispatch)
    }

    fn take(&mut self, shared: &Shared, place: &Place) {
        self.pending.push(Pending {
            work: shared.number,
            log: place.at + 4 * place.head_words,
            head: self.heads_used,
            head_words: place.head_words,
            capacity: place.capacity,
        });
        self.results_used += place.bytes;
        self.heads_used += 4 * place.head_words;
    }

    /// Runs a chunk to its end: in slices, and again if the log was too small. After a stop,
    /// unfinished groups stay where they rest.
    pub(in crate::engine::gpu) fn run(
        &mut self,
        gpu: &Gpu,
        shared: &Shared,
        chunk: &Chunk,
    ) -> Result<(), Halt> {
        let mut log_entries = shared.work.log_entries;
        loop {
            self.collect(gpu)?;
            let place = self.place(gpu, shared, chunk, log_entries)?;
            let bound = self.bind(gpu, shared, chunk, &place)?;
            let heads = self.heads.get(gpu, 0)?;
            let bytes = 4 * place.head_words;
            let mut first = true;
            let logged = loop {
                let encoder = self.recorded.encoder(gpu)?;
                if first {
                    encoder.clear_buffer(&place.results, place.at, Some(bytes));
                    if shared.variant.sliced {
                        encoder.clear_buffer(&bound.state, 0, Some(bound.state_bytes));
                    }
                } else {
                    let resting = place.at + offset_of!(Head, resting) as u64;
                    encoder.clear_buffer(&place.results, resting, Some(4));
                }
                self.dispatch(gpu, shared, &bound, chunk)?;
                let encoder = self.recorded.encoder(gpu)?;
                encoder.copy_buffer_to_buffer(&place.results, place.at, &heads, 0, bytes);
                self.recorded.submit(gpu)?;
                let head = self.recorded.read(gpu, &heads, bytes, results::head)?;
                if head.resting == 0 {
                    break head.logged as u64;
                }
                first = false;
                shared.stop.check()?;
            };
            if logged <= place.capacity || !shared.work.repeatable {
                self.take(shared, &place);
                return Ok(self.collect(gpu)?);
            }
            // Groups may log different numbers of entries; only the sum matters.
            log_entries = logged.div_ceil(chunk.groups);
            if logged > log_room(gpu) {
                let half = chunk.groups / 2;
                if half == 0 {
                    return Err(GpuError::Limits {
                        adapter: gpu.info.name.clone(),
                        what: "the largest buffer in bytes, for the writes of one group,".into(),
                        need: LOG_ENTRY * logged,
                        have: LOG_ENTRY * log_room(gpu),
                    }
                    .into());
                }
                // Only work with a single launch logs, so its chunks have no table.
                for (first, groups) in [(0, half), (half, chunk.groups - half)] {
                    let part = Chunk { tile: chunk.tile + first, table: chunk.table, groups };
                    self.run(gpu, shared, &part)?;
                }
                return Ok(());
            }
        }
    }
}

/// The number of entries in the largest log.
pub(in crate::engine::gpu) fn log_room(gpu: &Gpu) -> u64 {
    // The results of launches are in the same binding. There is only the log of one launch.
    gpu.largest_binding() / 2 / LOG_ENTRY
}
