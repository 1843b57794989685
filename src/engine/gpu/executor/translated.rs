//! Dispatches of translated programs.

use super::super::connection::Gpu;
use super::super::error::GpuError;
use super::super::log::LaunchResult;
use super::super::pipelines::bindings;
use super::super::resident::Bound;
use super::super::translate::{self, Record};
use super::collect::Pending;
use super::{ALIGN, Executor};

/// Dispatches that report nothing and are under way together at most.
const SILENT: u32 = 1024;

impl Executor {
    /// Submits a translated program and returns its work's number. A shader that reports nothing
    /// needs no results.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_translated(
        &mut self,
        gpu: &Gpu,
        pipeline: &wgpu::ComputePipeline,
        reports: bool,
        record: &Record,
        bound: &Bound,
        groups: (u32, u32),
    ) -> Result<u64, GpuError> {
        const WORDS: u64 = translate::RESULT_WORDS as u64;
        if self.results_used + ALIGN > self.results.size()
            || self.heads_used + 4 * WORDS > self.heads.size()
            || self.silent >= SILENT
        {
            self.collect(gpu)?;
        }
        let results = self.results.get(gpu, self.results_used + ALIGN)?;
        let heads = self.heads.get(gpu, self.heads_used + 4 * WORDS)?;
        let size = (size_of_val(record.words()) as u64).next_multiple_of(16);
        let records = self.records.get(gpu, size)?;
        let (at, head) = (self.results_used, self.heads_used);
        gpu.scoped("a dispatch", |device| {
            gpu.queue
                .write_buffer(&records, 0, bytemuck::cast_slice(record.words()));
            let [first, second, ..] = bound.bindings();
            let window = |binding: wgpu::BufferBinding| {
                let size = binding.size.map_or(0, u64::from);
                (binding.buffer.clone(), binding.offset, size)
            };
            let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &bindings(&[
                    (0, (records.clone(), 0, record.uniform_bytes())),
                    (1, (records.clone(), 0, size)),
                    (2, (results.clone(), at, ALIGN)),
                    (3, window(first)),
                    (4, window(second)),
                ]),
            });
            let mut encoder = device.create_command_encoder(&Default::default());
            if reports {
                encoder.clear_buffer(&results, at, Some(4 * WORDS));
            }
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(groups.0, groups.1, 1);
            drop(pass);
            if reports {
                encoder.copy_buffer_to_buffer(&results, at, &heads, head, 4 * WORDS);
            }
            gpu.queue.submit([encoder.finish()]);
        })?;
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
        Ok(number)
    }
}
