//! Frames: the launches of a job again and again, with values that change, and on the memory that the frame before left
//! where the passes feed back.

use crate::message::Blobs;
use crate::run::{self, Shown};
use crate::values::{Assignment, assign};
use ctm::array::Raster;
use ctm::engine::block::Block;
use ctm::engine::{Engine, Stop};
use ctm::job::{Job, RunOptions};
use ctm::memory::{Memory, Surface};
use serde::Serialize;

/// A job that runs from frame to frame.
pub struct Film {
    job: Job,
    memory: Memory,
    /// The surfaces of the buffers before the first launch, and after the last one.
    first: Vec<Surface>,
    surfaces: Vec<Surface>,
    feeds_back: bool,
    frames: u64,
}

/// A frame.
#[derive(Clone, Debug, Serialize)]
pub struct Frame {
    /// Its picture.
    pub shown: Shown,
    /// The number of frames since the start.
    pub frames: u64,
    /// The first fault.
    pub fault: Option<String>,
}

/// Whether a job that runs over its own results goes on: a pass fetches what a later launch writes.
pub fn feeds_back(job: &Job) -> bool {
    // Steps that differ are those of one computation; so are registers that launches share.
    if job.sharing.is_some() || job.passes.iter().any(|pass| !pass.each.is_empty()) {
        return false;
    }
    let Ok((_, mut surfaces)) = job.upload() else { return false };
    let (mut read, mut written) = (Vec::new(), Vec::new());
    let ran: Result<(), ()> =
        job.each_pass(&RunOptions::default(), &mut surfaces, |_, launches| {
            for launch in launches {
                let bases = |of: &[Option<Surface>]| {
                    of.iter().flatten().map(|one| one.base).collect::<Vec<_>>()
                };
                read.extend(
                    bases(&launch.inputs).into_iter().filter(|base| !written.contains(base)),
                );
                written.extend(bases(&launch.outputs));
            }
            Ok(())
        });
    ran.is_ok() && read.iter().any(|base| written.contains(base))
}

impl Film {
    /// A film of a job from its own memory on.
    ///
    /// # Errors
    /// The memory cannot be allocated: the reason.
    pub fn new(job: &Job) -> Result<Film, String> {
        let mut job = job.clone();
        let feeds_back = feeds_back(&job);
        if feeds_back {
            // A frame is one step.
            job.passes
                .iter_mut()
                .filter(|pass| pass.swap.is_some())
                .for_each(|pass| pass.repeat = 1);
        }
        let (memory, first) = job.upload().map_err(|error| error.to_string())?;
        Ok(Film { job, memory, surfaces: first.clone(), first, feeds_back, frames: 0 })
    }

    /// The next frame, with values for names: the picture of a buffer.
    ///
    /// # Errors
    /// A launch cannot run, or was stopped: the reason.
    pub fn next(
        &mut self,
        given: &[Assignment],
        buffer: usize,
        stop: &Stop,
        blobs: &mut Blobs,
    ) -> Result<(Frame, Raster), String> {
        assign(&mut self.job, given);
        let Film { job, memory, first, surfaces, .. } = self;
        if !self.feeds_back && self.frames > 0 {
            surfaces.clone_from(first);
            for (buffer, surface) in
                job.buffers.iter().zip(first).filter(|(one, _)| one.is_output())
            {
                buffer.restore(memory, surface).map_err(|error| error.to_string())?;
            }
        }
        let engine = Block::new();
        let mut session = engine.session(memory);
        let mut fault = None;
        let ran = job.each_launch(&RunOptions::default(), surfaces, |launch, pool| {
            session.launch_checked(launch, stop)?;
            for outcome in session.outcomes() {
                let outcome = outcome?;
                pool.after(&outcome);
                if let (None, Some((code, first))) = (&fault, outcome.faults.iter().next()) {
                    fault = Some(first.text_in(code, launch.program.image()));
                }
            }
            Ok(())
        });
        drop(session);
        ran.map_err(|error| error.to_string())?;
        self.frames += 1;
        let surface = surfaces.get(buffer).ok_or("there is no such picture")?;
        let raster = Raster::read(memory, surface, surface.width, surface.height);
        let raster = raster.map_err(|error| error.to_string())?;
        let shown = run::picture(job, buffer, &raster, blobs);
        Ok((Frame { shown, frames: self.frames, fault }, raster))
    }
}
