//! Dispatches of translated programs.

use crate::device::connection::Gpu;
use crate::device::watch::{Binding, Dispatch};
use crate::memory::{ALIGN, Bound};
use crate::run::executor::{Bounds, Executor, Halt};
use ctm_machine::engine::groups::Grouping;
use ctm_shade::plan::dispatch::{self, TranslatedSlot};
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
        let work = dispatch::work(grouping, translation);
        self.recorded.make_room(gpu, work, bounds.most)?;
        // A shader that reports nothing always gets the same binding.
        let place = reports.then(|| self.place(gpu, 1, 0)).transpose()?;
        let at = place.as_ref().map_or(0, |place| place.at);
        let results = self.results.get(gpu, at + ALIGN)?;
        let words = bytemuck::cast_slice(record.words());
        let (records, [start]) = self.words.places(gpu, &mut self.recorded, [words])?;
        let size = words.len() as u64;
        let whole = (records.clone(), start, size);
        let part = |slot| match slot {
            TranslatedSlot::Record => whole.clone(),
            TranslatedSlot::Head => (records.clone(), start, record.uniform_bytes()),
            TranslatedSlot::Results => (results.clone(), at, ALIGN),
            TranslatedSlot::Memory => bound.memory.clone(),
            TranslatedSlot::Copies => bound.copies.clone(),
            TranslatedSlot::Starts => match starts {
                Some(starts) => (starts.clone(), 0, starts.size()),
                None => whole.clone(),
            },
        };
        let bindings = dispatch::translated(translation).into_iter();
        let bindings: Vec<Binding> =
            bindings.map(|(number, _, slot)| (number, part(slot))).collect();
        let group = self.group(gpu, pipeline, &bindings, !reports)?;
        let mut stopped = Ok(());
        let mut is_cut = false;
        for (first, workgroups) in dispatch::rows(grouping, translation, bounds.most) {
            if first != 0 {
                is_cut = true;
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
                workgroups,
            };
            self.recorded.dispatch(gpu, &dispatch)?;
        }
        if is_cut {
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
