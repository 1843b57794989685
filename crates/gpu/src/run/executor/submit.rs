//! Dispatches of the interpreter: their bindings, and dispatches that run again until their groups
//! have ended.

use crate::device::connection::Gpu;
use crate::device::watch::{Binding, Dispatch};
use crate::memory::Bound;
use crate::run::executor::collect::ResultPlace;
use crate::run::executor::{Bounds, Executor, Halt, room};
use ctm_machine::engine::GpuError;
use ctm_shade::abi::encode::UNIFORM_BYTES;
use ctm_shade::abi::results::{self, Head};
use ctm_shade::plan::chunks::Chunk;
use ctm_shade::plan::dispatch::{self, LOG_ENTRY, Slot};
use ctm_shade::plan::work::Work;
use ctm_shade::variant::Variant;
use std::mem::offset_of;

/// Data shared by all chunks of one work.
pub(crate) struct Shared<'w> {
    pub(crate) number: u64,
    pub(crate) work: &'w Work,
    pub(crate) bound: &'w Bound,
    /// The data that temporaries start with, if there are any.
    pub(crate) starts: Option<wgpu::Buffer>,
    pub(crate) variant: Variant,
    pub(crate) pipeline: wgpu::ComputePipeline,
    pub(crate) bounds: &'w Bounds<'w>,
}

/// The bindings of a chunk.
struct Bindings {
    entries: Vec<Binding>,
    group: wgpu::BindGroup,
    state: wgpu::Buffer,
    state_bytes: u64,
}

impl Executor {
    fn bind(
        &mut self,
        gpu: &Gpu,
        shared: &Shared,
        chunk: &Chunk,
        place: &ResultPlace,
    ) -> Result<Bindings, GpuError> {
        let (work, variant) = (shared.work, &shared.variant);
        let state_bytes = dispatch::state_bytes(variant, work, chunk);
        let state = self.state.get(gpu, state_bytes)?;
        let record = dispatch::record(variant, work, chunk, place.head, place.capacity);
        let parts: [&[u8]; 3] = [
            bytemuck::cast_slice(&work.code),
            bytemuck::cast_slice(&work.launches),
            bytemuck::bytes_of(&record),
        ];
        let (words, places) = self.words.places(gpu, &mut self.recorded, parts)?;
        let part = |n: usize| (words.clone(), places[n], parts[n].len() as u64);
        let bound = |slot| match slot {
            Slot::Code => part(0),
            Slot::Operations => (words.clone(), places[0], UNIFORM_BYTES),
            Slot::Launches => part(1),
            Slot::Dispatch => part(2),
            Slot::Results => (place.results.clone(), place.at, place.bytes),
            Slot::Memory => shared.bound.memory.clone(),
            Slot::Copies => shared.bound.copies.clone(),
            Slot::State => (state.clone(), 0, state_bytes),
            // A launch without such data can get a shader that takes some. It reads none of it.
            Slot::Starts => match &shared.starts {
                Some(data) => (data.clone(), 0, data.size()),
                None => part(0),
            },
        };
        let entries = dispatch::interpreted(variant).into_iter();
        let entries: Vec<Binding> =
            entries.map(|(number, _, slot)| (number, bound(slot))).collect();
        let group = self.group(gpu, &shared.pipeline, &entries, false)?;
        Ok(Bindings { entries, group, state, state_bytes })
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

    /// Records a chunk whose groups all end in one dispatch.
    pub(crate) fn record(
        &mut self,
        gpu: &Gpu,
        shared: &Shared,
        chunk: &Chunk,
    ) -> Result<(), GpuError> {
        let work = shared.work.most(chunk.groups);
        self.recorded.make_room(gpu, work, shared.bounds.most)?;
        let capacity = room(gpu).capacity(chunk, shared.work.log_entries);
        let place = self.place(gpu, shared.work.launches.len(), capacity)?;
        let bindings = self.bind(gpu, shared, chunk, &place)?;
        self.dispatch(gpu, shared, &bindings, chunk)?;
        self.placed(shared.number, &place);
        self.recorded.launched(gpu, work)
    }

    /// Runs a chunk to its end: in slices, and again if the log was too small. After a stop,
    /// unfinished groups stay where they rest.
    pub(crate) fn run(&mut self, gpu: &Gpu, shared: &Shared, chunk: &Chunk) -> Result<(), Halt> {
        let mut log_entries = shared.work.log_entries;
        loop {
            self.collect(gpu)?;
            let capacity = room(gpu).capacity(chunk, log_entries);
            let place = self.place(gpu, shared.work.launches.len(), capacity)?;
            let bound = self.bind(gpu, shared, chunk, &place)?;
            let heads = self.heads.get(gpu, place.head)?;
            if shared.variant.sliced {
                self.recorded.encoder(gpu)?.clear_buffer(&bound.state, 0, Some(bound.state_bytes));
            }
            let logged = loop {
                self.dispatch(gpu, shared, &bound, chunk)?;
                let encoder = self.recorded.encoder(gpu)?;
                encoder.copy_buffer_to_buffer(&place.results, place.at, &heads, 0, place.head);
                self.recorded.submit(gpu)?;
                let head = self.recorded.read(gpu, &heads, place.head, results::head)?;
                if head.resting == 0 {
                    break head.logged as u64;
                }
                shared.bounds.stop.check()?;
                let resting = place.at + offset_of!(Head, resting) as u64;
                self.recorded.encoder(gpu)?.clear_buffer(&place.results, resting, Some(4));
            };
            if logged <= place.capacity || !shared.work.repeatable {
                self.placed(shared.number, &place);
                return Ok(self.collect(gpu)?);
            }
            // Groups may log different numbers of entries; only the sum matters.
            log_entries = logged.div_ceil(chunk.groups);
            if logged > room(gpu).log() {
                let half = chunk.groups / 2;
                if half == 0 {
                    return Err(GpuError::Limits {
                        adapter: gpu.info.name.clone(),
                        what: "the largest buffer in bytes, for the writes of one group,".into(),
                        need: LOG_ENTRY * logged,
                        have: LOG_ENTRY * room(gpu).log(),
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
