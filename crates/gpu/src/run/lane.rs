//! A device and its resources for a part of a batch.

use crate::device::adapter::AdapterKind;
use crate::device::connection::Gpu;
use crate::memory::Pool;
use crate::run::executor::Executor;
use crate::shader::compiled::Shaders;
use crate::shader::translator::Translator;

/// The most bytes, over all memories, that are packed together. While a pack runs, another one is made.
const POOL: u64 = 32 << 20;

/// The most shaders that a lane's own device keeps.
const KEPT: usize = 128;

/// A device and its resources for running packs.
pub(super) struct Lane {
    pub gpu: Gpu,
    /// The shaders of the lane's own device; `None` on the engine's device.
    pub shaders: Option<Shaders>,
    /// The buffers of packs that have ended.
    spare: Vec<Buffers>,
}

/// The buffers and the dispatches of a pack.
pub(super) struct Buffers {
    pub pool: Pool,
    pub executor: Executor,
}

impl Lane {
    pub(super) fn new(gpu: Gpu, shaders: Option<Shaders>) -> Lane {
        Lane { gpu, shaders, spare: Vec::new() }
    }

    /// A lane for shaders. An adapter that provides no second device uses the engine's, which is
    /// slower. A tiered engine keeps all its shaders in one place.
    pub(super) fn of(gpu: &Gpu, translator: &Translator) -> Lane {
        let several = gpu.info.kind == AdapterKind::Software && translator.tiered.is_none();
        match several.then(|| gpu.another().ok()).flatten() {
            Some(own) => Lane::new(own, Some(Shaders::new(KEPT))),
            None => Lane::new(gpu.clone(), None),
        }
    }

    /// Buffers for a pack.
    pub(super) fn buffers(&mut self) -> Buffers {
        let new = || Buffers { pool: Pool::new(&self.gpu, POOL), executor: Executor::default() };
        self.spare.pop().unwrap_or_else(new)
    }

    /// Keeps the buffers of a pack that has ended well.
    pub(super) fn keep(&mut self, mut buffers: Buffers) {
        buffers.pool.clear();
        self.spare.push(buffers);
    }
}
