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

    /// Submits what is recorded, waits for all submitted work, and takes its results. Returns the
    /// number of entries of a log that was too small, if the dispatch can run again: its results are
    /// dropped.
    pub(crate) fn collect(&mut self, gpu: &Gpu) -> Result<Option<u64>, GpuError> {
        self.copy_heads(gpu)?;
        self.recorded.submit(gpu)?;
        if self.pending.is_empty() {
            self.recorded.wait(gpu)?;
            return Ok(None);
        }
        let mut too_many = None;
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
