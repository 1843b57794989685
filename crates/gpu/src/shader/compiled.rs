//! Compiled translations, cached by program and state.

use crate::device::connection::Gpu;
use crate::device::pipeline::{Kernel, types};
use ctm_lang::program::Program;
use ctm_machine::engine::GpuError;
use ctm_machine::engine::Why;
use ctm_shade::abi::encode::Ready;
use ctm_shade::plan::dispatch;
use ctm_shade::translate::{State, Translation, translate};
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// A compiled translation.
pub struct Compiled {
    pub translation: Translation,
    pub pipeline: wgpu::ComputePipeline,
    pub state: State,
    /// Whether it may detect an event that another engine has to report.
    pub may_give_up: bool,
}

/// The cache key of a compiled translation: the address of a lowered program, and a state.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key(usize, pub(crate) State);

/// A program in a state.
pub(crate) struct Job {
    pub(crate) key: Key,
    pub(crate) program: Arc<Program>,
    ready: Arc<Ready>,
}

/// A shader, or why there is none.
pub(crate) type Shader = Result<Arc<Compiled>, Why>;

/// The progress of the shader for a program and a state.
#[derive(Clone)]
pub(crate) enum Entry {
    /// The shader waits for the compiler.
    Queued,
    /// A thread is compiling the shader.
    Compiling,
    /// The shader, or why there is none, is known.
    Done(Shader),
}

struct Kept {
    /// Keeps the key's address from being reused.
    _ready: Weak<Ready>,
    /// Shows whether the program can still be launched.
    program: Weak<Program>,
    entry: Entry,
}

/// The shaders of programs on one device.
pub struct Shaders {
    kept: HashMap<Key, Kept>,
    most: usize,
}

impl Shaders {
    /// A cache of at most `most` entries.
    pub fn new(most: usize) -> Shaders {
        Shaders { kept: HashMap::new(), most }
    }

    pub(crate) fn get(&self, key: &Key) -> Option<&Entry> {
        self.kept.get(key).map(|one| &one.entry)
    }

    /// Inserts or replaces an entry. If the cache is full, it evicts entries of dropped
    /// programs, and if there are none, everything not queued or being compiled.
    pub(crate) fn insert(&mut self, job: &Job, entry: Entry) {
        if !self.kept.contains_key(&job.key) {
            self.make_room();
        }
        let (ready, program) = (Arc::downgrade(&job.ready), Arc::downgrade(&job.program));
        self.kept.insert(job.key.clone(), Kept { _ready: ready, program, entry });
    }

    fn make_room(&mut self) {
        let stays: [fn(&Kept) -> bool; 2] = [
            |one| one.program.strong_count() != 0,
            |one| matches!(one.entry, Entry::Queued | Entry::Compiling),
        ];
        for stays in stays {
            if self.kept.len() >= self.most {
                self.kept.retain(|_, one| stays(one));
            }
        }
    }

    /// Whether any entry is queued or being compiled.
    pub(crate) fn is_busy(&self) -> bool {
        self.kept.values().any(|one| matches!(one.entry, Entry::Queued | Entry::Compiling))
    }

    pub(crate) fn remove(&mut self, key: &Key) {
        self.kept.remove(key);
    }
}

impl Job {
    pub(crate) fn new(program: &Arc<Program>, ready: &Arc<Ready>, state: State) -> Job {
        let key = Key(Arc::as_ptr(ready).addr(), state);
        Job { key, program: Arc::clone(program), ready: Arc::clone(ready) }
    }

    /// Translates and compiles the program.
    ///
    /// # Errors
    /// If the adapter fails to compile it. A program that cannot be translated is not an error: the
    /// result has the reason.
    pub(crate) fn compile(
        &self,
        gpu: &Gpu,
        cache: Option<&wgpu::PipelineCache>,
    ) -> Result<Shader, GpuError> {
        let state = &self.key.1;
        let translation = match translate(&self.program, &self.ready.lowered, state) {
            Ok(translation) => translation,
            Err(why) => return Ok(Err(why)),
        };
        let may_give_up = translation.may_give_up(state);
        let kernel = Kernel {
            what: "a translated program",
            wgsl: &translation.wgsl,
            entry: translation.entry,
            zeroed: true,
            controlled: state.guards.controlled(),
        };
        let types = types(&dispatch::translated(&translation));
        let pipeline = kernel.pipeline(gpu, &types, cache)?;
        Ok(Ok(Arc::new(Compiled { translation, pipeline, state: state.clone(), may_give_up })))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_machine::engine::Checked;
    use ctm_machine::launch::{Domain, Launch};
    use ctm_machine::memory::{Format, Surface, Tiling};
    use ctm_shade::translate::Options;

    /// A program and its lowered form.
    fn program(n: usize) -> Job {
        let source = format!("add o0, r0, {n}");
        let image = ctm_lang::asm::assemble(&source, "test").unwrap_or_else(|e| panic!("{e}"));
        let program = Arc::new(Program::new(image).unwrap_or_else(|e| panic!("{e}")));
        let mut launch = Launch::new(program.clone(), Domain::default());
        let surface = Surface::new(0x1000, 16, 16, Tiling::Linear, Format::Float32x4);
        launch.outputs[0] = Some(surface);
        let launch = Checked::new(&launch).unwrap();
        let state = State::of(&launch, &[0..1 << 20], &Options::default());
        let ready = Arc::new(Ready::new(&launch));
        Job::new(&program, &ready, state.unwrap_or_else(|e| panic!("{e}")))
    }

    #[test]
    fn what_nobody_needs_makes_room_first() {
        let programs: Vec<_> = (0..6).map(program).collect();
        let mut shaders = Shaders::new(4);
        let insert = |shaders: &mut Shaders, n: usize, entry: Entry| {
            shaders.insert(&programs[n], entry);
        };
        let there = |shaders: &Shaders| -> Vec<usize> {
            let there = |n: &usize| shaders.get(&programs[*n].key).is_some();
            (0..programs.len()).filter(there).collect()
        };
        let done = || Entry::Done(Err(Why::new("", "")));
        // The program is dropped. Its lowered form stays, because engines keep lowered forms.
        let Job { key, program: gone, ready: _ready } = program(7);
        let job = Job { key: key.clone(), program: gone, ready: _ready.clone() };
        shaders.insert(&job, done());
        drop(job);
        insert(&mut shaders, 0, done());
        insert(&mut shaders, 1, done());
        insert(&mut shaders, 2, Entry::Queued);
        insert(&mut shaders, 3, done());
        assert!(shaders.get(&key).is_none());
        assert_eq!(there(&shaders), [0, 1, 2, 3]);
        insert(&mut shaders, 3, Entry::Compiling);
        assert_eq!(there(&shaders), [0, 1, 2, 3]);
        insert(&mut shaders, 4, done());
        assert_eq!(there(&shaders), [2, 3, 4]);
    }
}
