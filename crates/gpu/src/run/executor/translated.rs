//! Dispatches of translated programs.

use crate::device::connection::Gpu;
use crate::device::watch::{Binding, Dispatch};
use crate::memory::Bound;
use crate::run::executor::{ALIGN, Bounds, Executor, Halt};
use crate::shader::pipelines::bindings;
use ctm_machine::engine::groups::{Grouping, SLOTS};
use ctm_shade::abi::results::LaunchResult;
use ctm_shade::translate::{Record, Translation};

/// The number of bind groups that are kept. They keep their buffers alive.
const GROUPS: usize = 4;

/// A compiled translated program.
pub struct Program<'a> {
    /// The translation it was compiled from.
    pub translation: &'a Translation,
    /// The compiled pipeline.
    pub pipeline: &'a wgpu::ComputePipeline,
    /// The data that temporaries start with, if the program reads them.
    pub starts: Option<wgpu::Buffer>,
}

/// The bindings of a translated program.
#[derive(PartialEq, Eq)]
pub(crate) struct Bindings {
    pipeline: wgpu::ComputePipeline,
    parts: Parts,
}

/// Buffer, offset and bytes by binding.
type Parts = Vec<Binding>;

/// The bindings of a translated program: its record (buffer, offset, bytes, and bytes of the
/// uniform buffer), its results (buffer, offset, bytes), memory, the data of its temporaries.
fn parts(
    (records, start, size, uniform): (&wgpu::Buffer, u64, u64, u64),
    (results, at, bytes): (&wgpu::Buffer, u64, u64),
    bound: &Bound,
    starts: Option<&wgpu::Buffer>,
) -> Parts {
    let [first, second, ..] = bound.bindings();
    let window = |binding: wgpu::BufferBinding| {
        let size = binding.size.map_or(0, u64::from);
        (binding.buffer.clone(), binding.offset, size)
    };
    let mut parts = vec![
        (0, (records.clone(), start, uniform)),
        (1, (records.clone(), start, size)),
        (2, (results.clone(), at, bytes)),
        (3, window(first)),
        (4, window(second)),
    ];
    parts.extend(starts.map(|starts| (5, (starts.clone(), 0, starts.size()))));
    parts
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
        let Program { translation, pipeline, starts } = program;
        let reports = translation.reports;
        let (columns, rows) = (grouping.columns(), grouping.rows());
        let row = row_work(grouping, translation);
        let work = work(grouping, translation);
        self.recorded.make_room(gpu, work, bounds.most)?;
        // A shader that reports nothing always gets the same binding.
        let place = reports.then(|| self.place(gpu, 1, 0)).transpose()?;
        let at = place.as_ref().map_or(0, |place| place.at);
        let results = self.results.get(gpu, at + ALIGN)?;
        let words = bytemuck::cast_slice(record.words());
        let (records, [start]) = self.words.places(gpu, &mut self.recorded, [words])?;
        let size = words.len() as u64;
        let words = (&records, start, size, record.uniform_bytes());
        let wanted = Bindings {
            pipeline: (*pipeline).clone(),
            parts: parts(words, (&results, at, ALIGN), bound, starts.as_ref()),
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
                let (at, word) = record.first_row(first * grouping.height);
                self.words.change(gpu, start + at, word)?;
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
            let (at, word) = record.first_row(0);
            self.words.change(gpu, start + at, word)?;
        }
        stopped?;
        if known.is_none() && !reports {
            self.groups.truncate(GROUPS - 1);
            self.groups.insert(0, (wanted, group));
        }
        let number = self.next;
        self.next += 1;
        self.done.insert(number, vec![LaunchResult::default()]);
        if let Some(place) = place {
            self.placed(number, &place);
        }
        self.recorded.launched(gpu, work)?;
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use crate::run::executor::translated::rows_at_once;

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
