//! The results of dispatches: their places on the GPU, and their way to the host.

use crate::device::connection::Gpu;
use crate::run::executor::Executor;
use crate::run::executor::execute::Bound;
use ctm_machine::engine::GpuError;
use ctm_shade::abi::results;
use ctm_shade::plan::commands;
use ctm_shade::plan::dispatch::LOG_ENTRY;

/// The bytes of results that are cleared at once: those of many small launches.
const CLEARED: u64 = 1 << 14;

/// A dispatch whose results have not been read yet: a head, the counts of its launches, and a log.
pub(crate) struct Pending {
    /// The number of its work.
    pub(crate) work: u64,
    /// The position of its results, which [`Executor::place`] sets.
    pub(crate) at: u64,
    /// Bytes before the log.
    pub(crate) head: u64,
    /// The number of entries in the log.
    pub(crate) capacity: u64,
    /// Whether it runs again if the log is too small.
    pub(crate) again: bool,
}

impl Executor {
    /// A place for the results of a dispatch that is recorded next. Everything before the log is 0.
    /// Collects earlier results if they take the room.
    pub(crate) fn place(&mut self, gpu: &Gpu, pending: Pending) -> Result<Bound, GpuError> {
        let bytes = commands::results_bytes(pending.head, pending.capacity);
        if self.results_used + bytes > self.results.size() {
            self.collect(gpu)?;
        }
        let at = self.results_used;
        let results = self.results.get(gpu, at + bytes)?;
        let (end, from) = (at + pending.head, at.max(self.results_clear));
        if end > from {
            let to = (end + CLEARED).min(results.size());
            self.recorded.encoder(gpu)?.clear_buffer(&results, from, Some(to - from));
            self.results_clear = to;
        }
        self.results_used = at + bytes;
        self.pending.push(Pending { at, ..pending });
        Ok(Bound { part: (results, at, bytes), clear: true })
    }

    /// Collects if the times of many passes wait for it.
    pub(crate) fn read_times(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        if self.recorded.times.are_many() {
            self.collect(gpu)?;
        }
        Ok(())
    }

    /// Bytes of the results that wait, without their logs, and of those and the times of passes.
    fn waiting(&self) -> (u64, u64) {
        let heads = self.pending.iter().map(|one| one.head).sum();
        (heads, heads + self.recorded.times.bytes())
    }

    /// Records copies of all results for the host, without their logs, and of the times of passes.
    pub(crate) fn copy_heads(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        let (heads, bytes) = self.waiting();
        if self.copied == bytes {
            return Ok(());
        }
        let to = self.heads.get(gpu, bytes)?;
        let results = self.results.get(gpu, 0)?;
        let (encoder, times) = self.recorded.outside(gpu)?;
        let mut at = 0;
        for one in &self.pending {
            encoder.copy_buffer_to_buffer(&results, one.at, &to, at, one.head);
            at += one.head;
        }
        times.copy(gpu, encoder, &to, heads)?;
        self.copied = bytes;
        Ok(())
    }

    /// Submits what is recorded, waits for all submitted work, and takes its results. Returns the
    /// number of entries of a log that was too small, if the dispatch can run again: its results are
    /// dropped.
    pub(crate) fn collect(&mut self, gpu: &Gpu) -> Result<Option<u64>, GpuError> {
        self.copy_heads(gpu)?;
        self.recorded.submit(gpu)?;
        let (heads, bytes) = self.waiting();
        if bytes == 0 {
            self.recorded.wait(gpu)?;
            return Ok(None);
        }
        let mut too_many = None;
        let from = self.heads.get(gpu, 0)?;
        let words = self.recorded.read(gpu, &from, bytes, <[u32]>::to_vec)?;
        let (words, times) = words.split_at((heads / 4) as usize);
        self.recorded.times.take(gpu, times);
        let pending = std::mem::take(&mut self.pending);
        (self.results_used, self.results_clear, self.copied) = (0, 0, 0);
        let mut rest = words;
        for one in pending {
            let (head, behind) = rest.split_at((one.head / 4) as usize);
            rest = behind;
            let (head, mut launches) = (results::head(head), results::launches(head));
            if head.cut != 0 {
                return Err(GpuError::Internal {
                    what: "a dispatch".into(),
                    message: commands::CUT.into(),
                });
            }
            let logged = head.logged as u64;
            if logged > one.capacity && one.again {
                too_many = Some(logged);
                continue;
            }
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
        Ok(too_many)
    }
}
