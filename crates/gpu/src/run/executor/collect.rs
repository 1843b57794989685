//! The results of dispatches: their places on the GPU, and their way to the host.

use crate::device::connection::Gpu;
use crate::run::executor::Executor;
use ctm_machine::engine::GpuError;
use ctm_shade::abi::results;
use ctm_shade::plan::dispatch::{self, LOG_ENTRY};

/// The bytes of results that are cleared at once: those of many small launches.
const CLEARED: u64 = 1 << 14;

/// The place of a dispatch's results: a head, the counts of its launches, and then its log.
pub(crate) struct ResultPlace {
    pub(crate) results: wgpu::Buffer,
    /// Byte offset and size in `results`.
    pub(crate) at: u64,
    pub(crate) bytes: u64,
    /// Bytes before the log.
    pub(crate) head: u64,
    /// The number of entries in the log.
    pub(crate) capacity: u64,
    /// Once the dispatch is placed: see `results_clear` of the executor.
    clear: u64,
}

/// A dispatch whose results have not been read yet.
pub(crate) struct Pending {
    work: u64,
    at: u64,
    head: u64,
    capacity: u64,
}

impl Executor {
    /// A place for the results of a dispatch of `launches` launches with a log of `capacity`
    /// entries; the dispatch must be recorded next. Everything before the log is 0. Collects
    /// earlier results if they take the room.
    pub(crate) fn place(
        &mut self,
        gpu: &Gpu,
        launches: usize,
        capacity: u64,
    ) -> Result<ResultPlace, GpuError> {
        let head = dispatch::head_bytes(launches);
        let bytes = dispatch::results_bytes(head, capacity);
        if self.results_used + bytes > self.results.size() {
            self.collect(gpu)?;
        }
        let at = self.results_used;
        let results = self.results.get(gpu, at + bytes)?;
        let mut clear = self.results_clear;
        if at + head > clear {
            let from = at.max(clear);
            clear = (at + head + CLEARED).min(results.size());
            self.recorded.encoder(gpu)?.clear_buffer(&results, from, Some(clear - from));
        }
        Ok(ResultPlace { results, at, bytes, head, capacity, clear })
    }

    /// Notes that a dispatch of work number `work` has been recorded.
    pub(crate) fn placed(&mut self, work: u64, place: &ResultPlace) {
        let ResultPlace { at, bytes, head, capacity, clear, .. } = *place;
        self.pending.push(Pending { work, at, head, capacity });
        (self.results_used, self.results_clear) = (at + bytes, clear);
    }

    /// Records copies of all results for the host, without their logs.
    pub(crate) fn copy_heads(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        if self.copied == self.pending.len() {
            return Ok(());
        }
        let heads = self.heads.get(gpu, self.pending.iter().map(|one| one.head).sum())?;
        let results = self.results.get(gpu, 0)?;
        let encoder = self.recorded.encoder(gpu)?;
        let mut to = 0;
        for one in &self.pending {
            encoder.copy_buffer_to_buffer(&results, one.at, &heads, to, one.head);
            to += one.head;
        }
        self.copied = self.pending.len();
        Ok(())
    }

    /// Submits what is recorded, waits for all submitted work, and takes its results.
    pub(crate) fn collect(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        self.copy_heads(gpu)?;
        self.recorded.submit(gpu)?;
        if self.pending.is_empty() {
            return self.recorded.wait(gpu);
        }
        let heads = self.heads.get(gpu, 0)?;
        let pending = std::mem::take(&mut self.pending);
        let bytes = pending.iter().map(|one| one.head).sum();
        let words = self.recorded.read(gpu, &heads, bytes, <[u32]>::to_vec)?;
        (self.results_used, self.results_clear, self.copied) = (0, 0, 0);
        let mut rest = &words[..];
        for one in pending {
            let (head, behind) = rest.split_at((one.head / 4) as usize);
            rest = behind;
            let (head, mut launches) = (results::head(head), results::launches(head));
            if head.cut != 0 {
                return Err(GpuError::Internal {
                    what: "a dispatch".into(),
                    message: "it ended a loop of the interpreter after too few turns".into(),
                });
            }
            let logged = head.logged as u64;
            if logged > one.capacity {
                return Err(GpuError::Internal {
                    what: "the log of a dispatch".into(),
                    message: format!("{logged} entries where {} is the most", one.capacity),
                });
            }
            if logged != 0 {
                let results = self.results.get(gpu, 0)?;
                let bytes = logged * LOG_ENTRY;
                let to = gpu.buffer(
                    "the log for the host",
                    bytes,
                    wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                )?;
                let encoder = self.recorded.encoder(gpu)?;
                encoder.copy_buffer_to_buffer(&results, one.at + one.head, &to, 0, bytes);
                self.recorded.submit(gpu)?;
                self.recorded.read(gpu, &to, bytes, |words| {
                    results::entries(words, &mut launches);
                })?;
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
