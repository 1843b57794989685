//! Launches of translated programs.

use crate::device::connection::Gpu;
use crate::memory;
use crate::run::executor::collect::Pending;
use crate::run::executor::execute::{self, Running};
use crate::run::executor::{Bounds, Executor, Halt};
use ctm_machine::engine::groups::Grouping;
use ctm_shade::plan::commands::{self, head_bytes};
use ctm_shade::plan::dispatch::TranslatedSlot;
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
        bound: &memory::Bound,
        grouping: &Grouping,
        bounds: &Bounds<'_>,
    ) -> Result<u64, Halt> {
        let Program { translation, pipeline, starts } = program;
        self.read_times(gpu)?;
        let work = self.number(1);
        let results = if translation.reports {
            let head = head_bytes(1);
            self.place(gpu, Pending { work, at: 0, head, capacity: 0, again: false })?
        } else {
            // A shader that reports nothing always gets the same binding.
            (self.results.get(gpu, memory::ALIGN)?, 0, memory::ALIGN).into()
        };
        let words = bytemuck::cast_slice(record.words());
        let (records, [start]) = self.words.places(gpu, &mut self.recorded, [words])?;
        let whole = (records, start, words.len() as u64);
        let of = |slot| match slot {
            TranslatedSlot::Record | TranslatedSlot::Head => whole.clone().into(),
            TranslatedSlot::Results => results.clone(),
            TranslatedSlot::Memory => bound.memory.clone().into(),
            TranslatedSlot::Copies => bound.copies.clone().into(),
            TranslatedSlot::Starts => match starts {
                Some(starts) => (starts.clone(), 0, starts.size()).into(),
                None => whole.clone().into(),
            },
        };
        let memory = of(TranslatedSlot::Memory);
        let before = bound.before.as_ref().map(|(kept, part)| (kept, part.clone().into()));
        let instead = before.clone().map(|(kept, part)| (kept, part, Vec::new()));
        let most = bounds.most;
        let mut commands = execute::copies(bound);
        commands.extend(commands::translated(translation, record, grouping, most, 0, instead, of));
        let running = Running {
            pipeline,
            shader: &|| (translation.wgsl.clone(), translation.entry),
            again: !translation.reports,
            bounds,
        };
        let ran = self.execute(gpu, &running, &commands);
        if let (Err(Halt::Stopped(_)), Some((kept, part))) = (&ran, before) {
            // It may have given up before it was stopped; what it wrote then is not valid.
            self.execute(gpu, &running, &commands::back(kept, &memory, &part))?;
        }
        ran?;
        self.recorded.launched(gpu)?;
        Ok(work)
    }
}
