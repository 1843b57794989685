//! Launches on the interpreter.

use crate::device::connection::Gpu;
use crate::memory;
use crate::run::executor::collect::Pending;
use crate::run::executor::execute::Running;
use crate::run::executor::{Executor, Halt, room};
use ctm_machine::engine::GpuError;
use ctm_shade::plan::chunks::Chunk;
use ctm_shade::plan::commands::ChunkDispatch;
use ctm_shade::plan::dispatch::{LOG_ENTRY, Slot};
use ctm_shade::plan::work::Work;

/// Data shared by all chunks of one work.
pub(crate) struct WorkData<'w> {
    pub(crate) number: u64,
    pub(crate) work: &'w Work,
    pub(crate) bound: &'w memory::Bound,
    /// The data that temporaries start with, if there are any.
    pub(crate) starts: Option<wgpu::Buffer>,
    pub(crate) running: Running<'w>,
}

impl Executor {
    /// Starts a chunk, and runs it again if its log was too small. `log_entries`: the entries of the
    /// log for the writes of a group.
    pub(crate) fn chunk(
        &mut self,
        gpu: &Gpu,
        shared: &WorkData,
        chunk: Chunk,
        log_entries: u64,
    ) -> Result<(), Halt> {
        let WorkData { number: work, bound, .. } = *shared;
        let part = ChunkDispatch::new(&room(gpu), shared.work, chunk, log_entries);
        let ChunkDispatch { head, capacity, state_bytes, .. } = part;
        let again = shared.work.repeatable;
        let results = self.place(gpu, Pending { work, at: 0, head, capacity, again })?;
        let state = self.state.get(gpu, state_bytes)?;
        let parts: [&[u8]; 3] = [
            bytemuck::cast_slice(&shared.work.code),
            bytemuck::cast_slice(&shared.work.launches),
            bytemuck::bytes_of(&part.record),
        ];
        let (words, places) = self.words.places(gpu, &mut self.recorded, parts)?;
        let words = |n: usize| (words.clone(), places[n], parts[n].len() as u64).into();
        let commands = part.commands(0, |slot| match slot {
            Slot::Code | Slot::Operations => words(0),
            Slot::Launches => words(1),
            Slot::Dispatch => words(2),
            Slot::Results => results.clone(),
            Slot::Memory => bound.memory.clone().into(),
            Slot::Copies => bound.copies.clone().into(),
            Slot::State => (state.clone(), 0, state_bytes).into(),
            // A launch without such data can get a shader that takes some. It reads none of it.
            Slot::Starts => match &shared.starts {
                Some(data) => (data.clone(), 0, data.size()).into(),
                None => words(0),
            },
        });
        let Some(logged) = self.execute(gpu, &shared.running, &commands)? else {
            return Ok(self.recorded.launched(gpu)?);
        };
        let most = room(gpu).log();
        if logged <= most {
            // Groups may log different numbers of entries; only the sum matters.
            return self.chunk(gpu, shared, chunk, logged.div_ceil(chunk.groups));
        }
        let half = chunk.groups / 2;
        if half == 0 {
            return Err(Halt::Gpu(GpuError::Limits {
                adapter: gpu.info.name.clone(),
                what: "the largest buffer in bytes, for the writes of one group,".into(),
                need: LOG_ENTRY * logged,
                have: LOG_ENTRY * most,
            }));
        }
        // Only work with a single launch logs, so its chunks have no table.
        for (first, groups) in [(0, half), (half, chunk.groups - half)] {
            let part = Chunk { tile: chunk.tile + first, table: chunk.table, groups };
            self.chunk(gpu, shared, part, logged.div_ceil(chunk.groups))?;
        }
        Ok(())
    }
}
