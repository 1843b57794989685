//! Compiled translations, kept by program and state.

use super::super::connection::Gpu;
use super::super::error::GpuError;
use super::super::plan::Ready;
use super::super::translate::{Output, State, Translation, translate};
use super::{NAME, Refusal};
use crate::program::Program;
use std::collections::HashMap;
use std::sync::{Arc, Weak};

/// A compiled translation.
pub(in crate::engine::gpu) struct Compiled {
    pub translation: Translation,
    pub pipeline: wgpu::ComputePipeline,
    pub state: State,
    /// Whether it may notice something that another engine has to report.
    pub may_give_up: bool,
}

/// What a compiled translation is kept by: a program, by its place, and a state.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Key(usize, pub(super) State);

impl Key {
    pub(super) fn new(ready: &Arc<Ready>, state: State) -> Key {
        Key(Arc::as_ptr(ready).addr(), state)
    }
}

/// A shader, or why there is none.
pub(super) type Shader = Result<Arc<Compiled>, Refusal>;

/// What is known of a program and a state.
#[derive(Clone)]
pub(super) enum Entry {
    /// The interpreter has run so many point-instructions of it; no shader is asked for.
    Interpreted(u64),
    /// A shader waits for the compiler.
    Queued,
    /// Somebody compiles it.
    Compiling,
    /// It is there.
    Done(Shader),
}

struct Kept {
    /// Keeps the place from being used for another program.
    ready: Weak<Ready>,
    entry: Entry,
}

/// The shaders of programs on one device.
pub(super) struct Shaders {
    kept: HashMap<Key, Kept>,
    most: usize,
}

impl Shaders {
    /// Room for so many.
    pub(super) fn new(most: usize) -> Shaders {
        Shaders {
            kept: HashMap::new(),
            most,
        }
    }

    pub(super) fn get(&self, key: &Key) -> Option<&Entry> {
        self.kept.get(key).map(|one| &one.entry)
    }

    /// Keeps an entry in place of the one before. Where there is no room those of programs that are
    /// gone make it, else all but those that somebody works on.
    pub(super) fn insert(&mut self, key: Key, ready: &Arc<Ready>, entry: Entry) {
        if self.kept.len() >= self.most && !self.kept.contains_key(&key) {
            self.kept.retain(|_, one| one.ready.strong_count() != 0);
            if self.kept.len() >= self.most {
                self.kept
                    .retain(|_, one| matches!(one.entry, Entry::Queued | Entry::Compiling));
            }
        }
        let ready = Arc::downgrade(ready);
        self.kept.insert(key, Kept { ready, entry });
    }

    /// Whether somebody works on one.
    pub(super) fn is_busy(&self) -> bool {
        self.kept
            .values()
            .any(|one| matches!(one.entry, Entry::Queued | Entry::Compiling))
    }

    pub(super) fn remove(&mut self, key: &Key) {
        self.kept.remove(key);
    }
}

/// Translates and compiles a program.
///
/// # Errors
/// What the adapter has against it; why it is not translated is a result.
pub(super) fn compile(
    gpu: &Gpu,
    cache: Option<&wgpu::PipelineCache>,
    program: &Program,
    ready: &Ready,
    state: &State,
) -> Result<Shader, GpuError> {
    let translation = match translate(program, &ready.lowered, state) {
        Ok(translation) => translation,
        Err(reason) => return Ok(Err(reason.into())),
    };
    let bounds = |output: &Option<Output>| {
        output
            .as_ref()
            .is_some_and(|output| output.bounds.is_some())
    };
    let may_give_up = translation.stats.counted
        || state.outputs.iter().any(bounds)
        || state.condition.as_ref().is_some_and(|c| bounds(&c.buffer));
    let pipeline = gpu
        .scoped("a translated program", |device| {
            pipeline(device, &translation, cache)
        })
        .map_err(GpuError::in_shader)?;
    Ok(Ok(Arc::new(Compiled {
        translation,
        pipeline,
        state: state.clone(),
        may_give_up,
    })))
}

fn pipeline(
    device: &wgpu::Device,
    translation: &Translation,
    cache: Option<&wgpu::PipelineCache>,
) -> wgpu::ComputePipeline {
    let descriptor = wgpu::ShaderModuleDescriptor {
        label: Some(NAME),
        source: wgpu::ShaderSource::Wgsl(translation.wgsl.as_str().into()),
    };
    let checks = wgpu::ShaderRuntimeChecks {
        force_loop_bounding: false,
        ..wgpu::ShaderRuntimeChecks::checked()
    };
    // SAFETY: what is switched off are only the counters that end endless loops. A translated loop
    // has a constant number of turns, and where all together may be more than the instruction
    // budget the shader counts and ends itself. The counters cost up to half of a short loop.
    let module = unsafe { device.create_shader_module_trusted(descriptor, checks) };
    let entry = |binding: u32, ty: wgpu::BufferBindingType| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let storage = |read_only: bool| wgpu::BufferBindingType::Storage { read_only };
    let group = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &[
            entry(0, wgpu::BufferBindingType::Uniform),
            entry(1, storage(true)),
            entry(2, storage(false)),
            entry(3, storage(false)),
            entry(4, storage(false)),
        ],
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&group)],
        immediate_size: 0,
    });
    device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some(NAME),
        layout: Some(&layout),
        module: &module,
        entry_point: Some(translation.entry),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache,
    })
}
