//! Waits for the results of dispatches and copies them to the host.

use crate::engine::gpu::abi::results::{self, Entry};
use crate::engine::gpu::device::connection::Gpu;
use crate::engine::gpu::device::error::GpuError;
use crate::engine::gpu::run::executor::Executor;

/// A dispatch whose results have not been read yet.
pub(in crate::engine::gpu) struct Pending {
    pub(in crate::engine::gpu) work: u64,
    /// Byte offset of its log in `results`, and then that of its head in `heads`.
    pub(in crate::engine::gpu) log: u64,
    pub(in crate::engine::gpu) head: u64,
    pub(in crate::engine::gpu) head_words: u64,
    pub(in crate::engine::gpu) capacity: u64,
}

impl Executor {
    /// Submits what is recorded, waits for all submitted work, and takes its results.
    pub(in crate::engine::gpu) fn collect(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        self.recorded.submit(gpu)?;
        self.recorded.waited();
        let silent = std::mem::take(&mut self.silent);
        self.ahead = 0;
        if self.pending.is_empty() {
            return if silent == 0 { Ok(()) } else { self.recorded.wait(gpu) };
        }
        let heads = self.heads.get(gpu, 0)?;
        let pending = std::mem::take(&mut self.pending);
        let words = self.recorded.read(gpu, &heads, self.heads_used, <[u32]>::to_vec)?;
        (self.results_used, self.heads_used) = (0, 0);
        for one in pending {
            let at = (one.head / 4) as usize;
            let head = &words[at..at + one.head_words as usize];
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
                let bytes = logged * size_of::<Entry>() as u64;
                let from = one.log;
                let to = gpu.buffer(
                    "the log for the host",
                    bytes,
                    wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                )?;
                let encoder = self.recorded.encoder(gpu)?;
                encoder.copy_buffer_to_buffer(&results, from, &to, 0, bytes);
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
