//! Compiled variants of the interpreter, kept for reuse.

use crate::device::cache::Cache;
use crate::device::connection::Gpu;
use crate::device::pipeline::{Kernel, types};
use ctm_machine::engine::GpuError;
use ctm_shade::plan::dispatch;
use ctm_shade::variant::Variant;
use parking_lot::Mutex;
use std::collections::HashMap;

/// The number of micro-operations, over all groups of a variant's launches so far, that justifies a
/// separate pipeline.
const EFFORT: u64 = 1 << 20;

/// The number of pipelines up to which small launches get their own. After that they share one.
const SMALL: usize = 2;

/// The pipelines compiled so far.
pub struct Pipelines {
    compiled: Mutex<HashMap<Variant, wgpu::ComputePipeline>>,
    /// The micro-operations of the launches of each variant so far.
    spent: Mutex<HashMap<Variant, u64>>,
    /// Held while compiling. A caller that finds a pipeline does not wait for it.
    compiling: Mutex<()>,
    cache: Cache,
}

impl Pipelines {
    /// No pipelines yet, but with the cache that earlier processes left on disk.
    pub fn new(gpu: &Gpu) -> Pipelines {
        Pipelines {
            compiled: Mutex::default(),
            spent: Mutex::default(),
            compiling: Mutex::default(),
            cache: Cache::load(gpu, ctm_shaders::FILES),
        }
    }

    /// The pipeline cache, for other pipelines on the same adapter.
    pub fn cache(&self) -> Option<&wgpu::PipelineCache> {
        self.cache.pipelines()
    }

    /// Writes the pipeline cache to disk, if there is anything new.
    pub fn save(&self) {
        self.cache.save();
    }

    /// A pipeline that can run a variant, and the variant it was compiled for. `effort`: roughly how many
    /// micro-operations all groups of the launches execute; loops are not counted. Launches of little effort may
    /// get one of a variant that does more, until their sum justifies a pipeline of their own.
    ///
    /// # Errors
    /// [`GpuError::Shader`], and a lost device.
    pub fn get(
        &self,
        gpu: &Gpu,
        variant: &Variant,
        effort: u64,
    ) -> Result<(Variant, wgpu::ComputePipeline), GpuError> {
        let sum = {
            let mut spent = self.spent.lock();
            let spent = spent.entry(*variant).or_default();
            *spent = spent.saturating_add(effort);
            *spent
        };
        self.prepare(gpu, variant, sum)
    }

    /// As [`Self::get`], for launches that do not run yet, or whose sum of effort is known.
    ///
    /// # Errors
    /// As [`Self::get`].
    pub fn prepare(
        &self,
        gpu: &Gpu,
        variant: &Variant,
        effort: u64,
    ) -> Result<(Variant, wgpu::ComputePipeline), GpuError> {
        let mut variant = *variant;
        let small = effort < EFFORT;
        if let Some(found) = self.find(&variant, small) {
            return Ok(found);
        }
        let _compiling = self.compiling.lock();
        // Another caller may have compiled it in the meantime.
        if let Some(found) = self.find(&variant, small) {
            return Ok(found);
        }
        if small && self.compiled.lock().len() >= SMALL {
            variant = variant.with(&Variant::common(&variant));
        }
        let kernel = Kernel {
            what: "the interpreter",
            wgsl: &variant.source(),
            entry: "main",
            // The shader clears what it reads (clear_shared).
            zeroed: false,
            controlled: variant.guards.controlled(),
        };
        let pipeline = kernel.pipeline(
            gpu,
            &types(&dispatch::interpreted(&variant)),
            self.cache.pipelines(),
        )?;
        self.compiled.lock().insert(variant, pipeline.clone());
        self.cache.save();
        Ok((variant, pipeline))
    }

    /// A compiled pipeline that can run a variant, for `small` launches also one that does more.
    fn find(&self, variant: &Variant, small: bool) -> Option<(Variant, wgpu::ComputePipeline)> {
        let compiled = self.compiled.lock();
        let found = compiled.get_key_value(variant).or_else(|| {
            let covers = |(other, _): &(&Variant, _)| other.covers(variant);
            compiled.iter().find(covers).filter(|_| small)
        });
        found.map(|(variant, pipeline)| (*variant, pipeline.clone()))
    }
}
