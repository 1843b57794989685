//! Dispatches of translated programs.

use super::super::connection::Gpu;
use super::super::error::GpuError;
use super::super::log::LaunchResult;
use super::super::pipelines::bindings;
use super::super::resident::Bound;
use super::super::translate::{self, Record, Translation};
use super::collect::Pending;
use super::{ALIGN, Executor};
use crate::engine::groups::SLOTS;

/// Dispatches that report nothing and are under way together at most.
const SILENT: u32 = 1024;

/// Bytes of records that are kept, at least.
pub(super) const RECORDS: u64 = 1 << 16;

/// Groups of bindings that are kept: they hold on to their buffers.
const GROUPS: usize = 4;

/// What a translated program is bound to.
#[derive(PartialEq, Eq)]
pub(super) struct Bindings {
    pipeline: wgpu::ComputePipeline,
    /// Buffer, offset and bytes by binding.
    parts: [(u32, (wgpu::Buffer, u64, u64)); 5],
}

impl Executor {
    /// Records a translated program and returns its work's number. A shader that reports nothing
    /// needs no results.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_translated(
        &mut self,
        gpu: &Gpu,
        pipeline: &wgpu::ComputePipeline,
        translation: &Translation,
        record: &Record,
        bound: &Bound,
        groups: (u32, u32),
    ) -> Result<u64, GpuError> {
        const WORDS: u64 = translate::RESULT_WORDS as u64;
        let reports = translation.reports;
        if self.results_used + ALIGN > self.results.size()
            || self.heads_used + 4 * WORDS > self.heads.size()
            || self.silent >= SILENT
        {
            self.collect(gpu)?;
        }
        let results = self.results.get(gpu, self.results_used + ALIGN)?;
        let heads = self.heads.get(gpu, self.heads_used + 4 * WORDS)?;
        let (records, start) = self.record(gpu, record)?;
        let size = (size_of_val(record.words()) as u64).next_multiple_of(16);
        let (at, head) = (self.results_used, self.heads_used);
        let [first, second, ..] = bound.bindings();
        let window = |binding: wgpu::BufferBinding| {
            let size = binding.size.map_or(0, u64::from);
            (binding.buffer.clone(), binding.offset, size)
        };
        let wanted = Bindings {
            pipeline: pipeline.clone(),
            parts: [
                (0, (records.clone(), start, record.uniform_bytes())),
                (1, (records, start, size)),
                (2, (results.clone(), at, ALIGN)),
                (3, window(first)),
                (4, window(second)),
            ],
        };
        let known = self.groups.iter().find(|(known, _)| *known == wanted);
        let known = known.map(|(_, group)| group.clone());
        let group = match &known {
            Some(group) => group.clone(),
            None => gpu.scoped("a dispatch's buffers", |device| {
                device.create_bind_group(&wgpu::BindGroupDescriptor {
                    label: None,
                    layout: &pipeline.get_bind_group_layout(0),
                    entries: &bindings(&wanted.parts),
                })
            })?,
        };
        if reports {
            let encoder = self.recorded.encoder(gpu);
            encoder.clear_buffer(&results, at, Some(4 * WORDS));
        }
        let pass = self.recorded.pass(gpu);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(groups.0, groups.1, 1);
        if reports {
            let encoder = self.recorded.encoder(gpu);
            encoder.copy_buffer_to_buffer(&results, at, &heads, head, 4 * WORDS);
        }
        if known.is_none() && !reports {
            self.groups.truncate(GROUPS - 1);
            self.groups.insert(0, (wanted, group));
        }
        let number = self.next;
        self.next += 1;
        self.done.insert(number, vec![LaunchResult::default()]);
        if reports {
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
        } else {
            self.silent += 1;
        }
        let points = SLOTS as u64 * u64::from(groups.0) * u64::from(groups.1);
        let work = points.saturating_mul(translation.stats.bound);
        self.recorded.launched(gpu, work)?;
        Ok(number)
    }

    /// The buffer that has a record, and where in it: launches that repeat need not bring theirs
    /// again.
    fn record(&mut self, gpu: &Gpu, record: &Record) -> Result<(wgpu::Buffer, u64), GpuError> {
        let bytes = |record: &Record| size_of_val(record.words()) as u64;
        let size = bytes(record).next_multiple_of(16);
        if let Some((_, at)) = self.kept.iter().find(|(kept, _)| kept == record) {
            return Ok((self.records.get(gpu, 0)?, *at));
        }
        let last = self.kept.last();
        let mut at = last.map_or(0, |(kept, at)| (at + bytes(kept)).next_multiple_of(ALIGN));
        if at + size > self.records.size() {
            // What is submitted has the records that it was submitted with.
            self.recorded.submit(gpu)?;
            self.kept.clear();
            at = 0;
        }
        let records = self.records.get(gpu, size)?;
        gpu.scoped("a launch's record", |_| {
            let words = bytemuck::cast_slice(record.words());
            gpu.queue.write_buffer(&records, at, words);
        })?;
        self.kept.push((record.clone(), at));
        Ok((records, at))
    }
}
