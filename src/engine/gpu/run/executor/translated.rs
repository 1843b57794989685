//! Dispatches of translated programs.

use crate::engine::Stop;
use crate::engine::gpu::abi::results::{self, LaunchResult};
use crate::engine::gpu::device::connection::Gpu;
use crate::engine::gpu::device::error::GpuError;
use crate::engine::gpu::device::watch::{Binding, Dispatch};
use crate::engine::gpu::memory::Bound;
use crate::engine::gpu::run::executor::collect::Pending;
use crate::engine::gpu::run::executor::{ALIGN, Executor, Halt};
use crate::engine::gpu::shader::pipelines::bindings;
use crate::engine::gpu::shader::translate::{Record, Translation};
use crate::engine::groups::{Grouping, SLOTS};

/// The most dispatches under way that report nothing.
const SILENT: u32 = 1024;

/// The least size in bytes of the records that are kept.
pub(in crate::engine::gpu) const RECORDS: u64 = 1 << 16;

/// The number of bind groups that are kept. They keep their buffers alive.
const GROUPS: usize = 4;

/// A compiled translated program.
pub struct Program<'a> {
    /// The translation it was compiled from.
    pub translation: &'a Translation,
    /// The compiled pipeline.
    pub pipeline: &'a wgpu::ComputePipeline,
}

/// The limits of a launch of a translated program.
pub struct Bounds<'a> {
    /// The most point-instructions of one dispatch, and of all work that the host does not wait
    /// for.
    pub most: u64,
    /// Checked between dispatches.
    pub stop: &'a Stop,
}

/// The bindings of a translated program.
#[derive(PartialEq, Eq)]
pub(in crate::engine::gpu) struct Bindings {
    pipeline: wgpu::ComputePipeline,
    parts: Parts,
}

/// Buffer, offset and bytes by binding.
type Parts = [Binding; 5];

/// The bindings of a translated program: its record (buffer, offset, bytes, and bytes of the
/// uniform buffer), its results (buffer, offset, bytes), memory.
fn parts(
    (records, start, size, uniform): (&wgpu::Buffer, u64, u64, u64),
    (results, at, bytes): (&wgpu::Buffer, u64, u64),
    bound: &Bound,
) -> Parts {
    let [first, second, ..] = bound.bindings();
    let window = |binding: wgpu::BufferBinding| {
        let size = binding.size.map_or(0, u64::from);
        (binding.buffer.clone(), binding.offset, size)
    };
    [
        (0, (records.clone(), start, uniform)),
        (1, (records.clone(), start, size)),
        (2, (results.clone(), at, bytes)),
        (3, window(first)),
        (4, window(second)),
    ]
}

/// The most point-instructions of a row of groups.
fn row_work(grouping: &Grouping, translation: &Translation) -> u64 {
    let points = SLOTS as u64 * u64::from(grouping.columns());
    points.saturating_mul(translation.stats.bound)
}

/// The point-instructions of a launch, if each point takes all branches.
pub fn work(grouping: &Grouping, translation: &Translation) -> u64 {
    row_work(grouping, translation).saturating_mul(u64::from(grouping.rows()))
}

/// The number of rows of groups in one dispatch, of `rows` rows with `row` point-instructions each:
/// at least one.
fn rows_at_once(row: u64, rows: u32, most: u64) -> u32 {
    (most / row.max(1)).clamp(1, u64::from(rows.max(1))) as u32
}

impl Executor {
    /// Records a translated program and returns its work's number. A shader that reports nothing
    /// needs no results. If a launch has more than `bounds.most` point-instructions with all
    /// branches taken, it becomes several dispatches. Each is submitted separately, and the host
    /// waits for it before the next.
    ///
    /// # Errors
    /// As [`start`](Self::start).
    pub fn start_translated(
        &mut self,
        gpu: &Gpu,
        program: &Program<'_>,
        record: &Record,
        bound: &Bound,
        grouping: &Grouping,
        bounds: &Bounds<'_>,
    ) -> Result<u64, Halt> {
        const WORDS: u64 = results::position(1) as u64;
        let Program { translation, pipeline } = *program;
        let reports = translation.reports;
        let no_room = self.results_used + ALIGN > self.results.size()
            || self.heads_used + 4 * WORDS > self.heads.size();
        let (columns, rows) = (grouping.columns(), grouping.rows());
        let row = row_work(grouping, translation);
        let work = work(grouping, translation);
        let too_far = self.ahead != 0 && self.ahead.saturating_add(work) > bounds.most;
        if reports && no_room || self.silent >= SILENT || too_far {
            self.collect(gpu)?;
        }
        self.ahead = self.ahead.saturating_add(work);
        self.recorded.make_room(gpu, work)?;
        // A shader that reports nothing always gets the same binding.
        let at = if reports { self.results_used } else { 0 };
        let results = self.results.get(gpu, at + ALIGN)?;
        let (records, start) = self.record(gpu, record)?;
        let size = (size_of_val(record.words()) as u64).next_multiple_of(16);
        let words = (&records, start, size, record.uniform_bytes());
        let wanted = Bindings {
            pipeline: pipeline.clone(),
            parts: parts(words, (&results, at, ALIGN), bound),
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
            let encoder = self.recorded.encoder(gpu)?;
            encoder.clear_buffer(&results, at, Some(4 * WORDS));
        }
        let at_once = rows_at_once(row, rows, bounds.most);
        let mut stopped = Ok(());
        for first in (0..rows).step_by(at_once as usize) {
            if first != 0 {
                self.recorded.submit(gpu)?;
                self.recorded.wait(gpu)?;
                stopped = bounds.stop.check();
                if stopped.is_err() {
                    break;
                }
                self.move_to_row(gpu, record, start, first * grouping.height)?;
            }
            let dispatch = Dispatch {
                pipeline,
                shader: &|| (translation.wgsl.clone(), translation.entry),
                group: &group,
                bindings: &wanted.parts,
                workgroups: [columns, at_once.min(rows - first)],
            };
            self.recorded.dispatch(gpu, &dispatch)?;
        }
        if at_once < rows {
            // Reset the record: it is kept for launches like this.
            self.recorded.submit(gpu)?;
            self.move_to_row(gpu, record, start, 0)?;
        }
        stopped?;
        if known.is_none() && !reports {
            self.groups.truncate(GROUPS - 1);
            self.groups.insert(0, (wanted, group));
        }
        let number = self.next;
        self.next += 1;
        self.done.insert(number, vec![LaunchResult::default()]);
        if reports {
            let head = self.heads_used;
            let heads = self.heads.get(gpu, head + 4 * WORDS)?;
            let encoder = self.recorded.encoder(gpu)?;
            encoder.copy_buffer_to_buffer(&results, at, &heads, head, 4 * WORDS);
            self.pending.push(Pending {
                work: number,
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
        self.recorded.launched(gpu, work)?;
        Ok(number)
    }

    /// Makes the record at `start` begin `rows` rows of points further down than it says.
    fn move_to_row(
        &mut self,
        gpu: &Gpu,
        record: &Record,
        start: u64,
        rows: u32,
    ) -> Result<(), GpuError> {
        let records = self.records.get(gpu, 0)?;
        let (at, word) = record.first_row(rows);
        gpu.scoped("a launch's record", |_| {
            gpu.queue.write_buffer(&records, start + at, &word.to_le_bytes());
        })
    }

    /// The buffer that holds a record, and its position there. Repeated launches need not upload
    /// their record again.
    fn record(&mut self, gpu: &Gpu, record: &Record) -> Result<(wgpu::Buffer, u64), GpuError> {
        let bytes = |record: &Record| size_of_val(record.words()) as u64;
        let size = bytes(record).next_multiple_of(16);
        if let Some((_, at)) = self.kept.iter().find(|(kept, _)| kept == record) {
            return Ok((self.records.get(gpu, 0)?, *at));
        }
        let last = self.kept.last();
        let mut at = last.map_or(0, |(kept, at)| (at + bytes(kept)).next_multiple_of(ALIGN));
        if at + size > self.records.size() {
            // Submitted work keeps the records that it was submitted with.
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

#[cfg(test)]
mod tests {
    use crate::engine::gpu::run::executor::translated::rows_at_once;

    #[test]
    fn long_launches_are_cut_into_rows_of_groups() {
        // A launch within the limit is not cut. A dispatch has at least one row of groups.
        assert_eq!(rows_at_once(100, 10, 1000), 10);
        assert_eq!(rows_at_once(100, 11, 1000), 10);
        assert_eq!(rows_at_once(100, 11, 199), 1);
        assert_eq!(rows_at_once(100, 11, 99), 1);
        assert_eq!(rows_at_once(u64::MAX, 512, 1), 1);
        assert_eq!(rows_at_once(0, 512, 1), 1);
        assert_eq!(rows_at_once(0, 512, 1 << 32), 512);
    }
}
