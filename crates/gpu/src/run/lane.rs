//! A device and its resources for a part of a batch.

use crate::device::adapter::AdapterKind;
use crate::device::connection::Gpu;
use crate::memory::Pool;
use crate::run::executor::Executor;
use crate::shader::compiled::Shaders;
use crate::shader::translator::Translator;

/// The most bytes, over all memories, that are packed together.
const POOL: u64 = 64 << 20;

/// The most shaders that a lane's own device keeps.
const KEPT: usize = 128;

/// A device and its resources for running packs.
pub(super) struct Lane {
    pub gpu: Gpu,
    /// The shaders of the lane's own device; `None` on the engine's device.
    pub shaders: Option<Shaders>,
    pub pool: Pool,
    pub executor: Executor,
}

impl Lane {
    pub(super) fn new(gpu: Gpu, shaders: Option<Shaders>) -> Lane {
        Lane { pool: Pool::new(&gpu, POOL), executor: Executor::default(), gpu, shaders }
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
}
