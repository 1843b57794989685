//! The commands of launches ([`ctm_shade::plan::commands`]) on a device.

use crate::device::connection::Gpu;
use crate::device::watch::{Binding, BufferRange, Dispatch};
use crate::memory;
use crate::run::executor::{Bounds, Executor, Halt};
use ctm_machine::engine::GpuError;
use ctm_shade::plan::commands::{self, Command};

/// A buffer of a command.
#[derive(Clone)]
pub(crate) struct Bound {
    pub(crate) part: BufferRange,
    /// Whether what commands clear is 0 already.
    pub(crate) clear: bool,
}

impl From<BufferRange> for Bound {
    fn from(part: BufferRange) -> Bound {
        Bound { part, clear: false }
    }
}

/// The copies that a launch reads instead of memory.
pub(crate) fn copies(bound: &memory::Bound) -> Vec<Command<Bound>> {
    let (memory, copies) = (bound.memory.clone().into(), bound.copies.clone().into());
    bound.copied.as_ref().map_or_else(Vec::new, |kept| commands::copies(kept, &memory, &copies))
}

/// The shader and bindings that commands run.
pub(crate) struct Running<'r> {
    pub(crate) pipeline: &'r wgpu::ComputePipeline,
    /// Makes the shader's text, with the name of its entry point.
    pub(crate) shader: &'r dyn Fn() -> (String, &'static str),
    /// Whether a later dispatch may bind the same.
    pub(crate) again: bool,
    pub(crate) bounds: &'r Bounds<'r>,
}

impl Executor {
    /// Executes commands. Returns the number of entries of a log that had too little room; the
    /// commands after it are then left out. A stop is checked before every dispatch.
    pub(crate) fn execute(
        &mut self,
        gpu: &Gpu,
        running: &Running<'_>,
        commands: &[Command<Bound>],
    ) -> Result<Option<u64>, Halt> {
        for command in commands {
            match command {
                Command::Dispatch { bindings, groups, work, .. } => {
                    running.bounds.stop.check()?;
                    self.recorded.make_room(gpu, *work, running.bounds.most)?;
                    let part = |(number, bound, bytes): &(u32, Bound, u64)| {
                        let (buffer, at, all) = bound.part.clone();
                        (*number, (buffer, at, if *bytes == 0 { all } else { *bytes }))
                    };
                    let bindings: Vec<Binding> = bindings.iter().map(part).collect();
                    let group = self.group(gpu, running.pipeline, &bindings, running.again)?;
                    let dispatch = Dispatch {
                        pipeline: running.pipeline,
                        shader: running.shader,
                        group: &group,
                        bindings: &bindings,
                        workgroups: *groups,
                    };
                    self.recorded.dispatch(gpu, &dispatch, *work)?;
                }
                Command::Copy { from, at, to, to_at, bytes } => {
                    let ((from, from_at, _), (to, to_first, _)) = (&from.part, &to.part);
                    let (at, to_at) = (from_at + at, to_first + to_at);
                    let encoder = self.recorded.encoder(gpu)?;
                    encoder.copy_buffer_to_buffer(from, at, to, to_at, *bytes);
                }
                Command::Clear { buffer, at, bytes } if !buffer.clear => {
                    self.zero(gpu, &buffer.part, *at, *bytes)?;
                }
                Command::Write { buffer: Bound { part, .. }, at, word } => {
                    // Earlier dispatches keep the words that they were recorded with.
                    self.recorded.submit(gpu)?;
                    self.words.change(gpu, part, *at, *word)?;
                }
                Command::Repeat { buffer: Bound { part, .. }, at, steps } => loop {
                    self.execute(gpu, running, steps)?;
                    if self.words(gpu, part, *at, 4)? == [0] {
                        break;
                    }
                    self.zero(gpu, part, *at, 4)?;
                },
                Command::When { buffer: Bound { part, .. }, at, steps } => {
                    if self.words(gpu, part, *at, 4)? != [0] {
                        self.execute(gpu, running, steps)?;
                    }
                }
                Command::Log { steps, .. } => {
                    self.execute(gpu, running, steps)?;
                    if let Some(logged) = self.collect(gpu)? {
                        return Ok(Some(logged));
                    }
                }
                // The collector of the results checks them, and applies the entries of logs.
                Command::Clear { .. } | Command::Check { .. } | Command::Apply { .. } => {}
            }
        }
        Ok(None)
    }

    fn zero(&mut self, gpu: &Gpu, part: &BufferRange, at: u64, bytes: u64) -> Result<(), GpuError> {
        self.recorded.encoder(gpu)?.clear_buffer(&part.0, part.1 + at, Some(bytes));
        Ok(())
    }

    /// Words of a buffer after everything that is recorded.
    pub(crate) fn words(
        &mut self,
        gpu: &Gpu,
        (buffer, from, _): &BufferRange,
        at: u64,
        bytes: u64,
    ) -> Result<Vec<u32>, GpuError> {
        let heads = self.heads.get(gpu, bytes)?;
        self.recorded.encoder(gpu)?.copy_buffer_to_buffer(buffer, from + at, &heads, 0, bytes);
        self.recorded.submit(gpu)?;
        self.recorded.read(gpu, &heads, bytes, <[u32]>::to_vec)
    }
}
