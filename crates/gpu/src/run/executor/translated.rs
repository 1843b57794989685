//! Dispatches of translated programs.

use crate::device::connection::Gpu;
use crate::device::watch::Dispatch;
use crate::memory::Bound;
use crate::run::executor::{ALIGN, Bounds, Executor, Halt};
use ctm_machine::engine::groups::{Grouping, SLOTS};
use ctm_shade::translate::{Record, Translation};

/// A compiled translated program.
pub struct Program<'a> {
    /// The translation it was compiled from.
    pub translation: &'a Translation,
    /// The compiled pipeline.
    pub pipeline: &'a wgpu::ComputePipeline,
    /// The data that temporaries start with, if the program reads them.
    pub starts: Option<wgpu::Buffer>,
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
        let mut bindings = vec![
            (0, (records.clone(), start, record.uniform_bytes())),
            (1, (records, start, size)),
            (2, (results, at, ALIGN)),
        ];
        bindings.extend(bound.bindings());
        bindings.extend(starts.as_ref().map(|starts| (5, (starts.clone(), 0, starts.size()))));
        let group = self.group(gpu, pipeline, &bindings, !reports)?;
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
                bindings: &bindings,
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
        let number = self.number(1);
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
