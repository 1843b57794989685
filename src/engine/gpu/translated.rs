//! The engine that runs translated programs; another one runs what is not translated.

use super::connection::Gpu;
use super::error::GpuError;
use super::executor;
use super::pipelines::bindings;
use super::pool::Pool;
use super::translate::{
    GAVE_UP, Options, Place, RESULT_WORDS, Reason, Record, State, Translation, translate,
};
use crate::engine::groups::Grouping;
use crate::engine::prepare::{self, Reader, Writer};
use crate::engine::{Engine, LaunchError, Outcome, Progress};
use crate::launch::{Launch, Location, Test};
use crate::lower::{Lowered, lower};
use crate::memory::Memory;
use crate::program::Program;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, Weak};

/// The engine's name.
const NAME: &str = "translated";

/// How a launch went.
#[derive(Debug)]
pub enum Attempt {
    /// It ran.
    Done(Outcome),
    /// It is not translated.
    Refused(Reason),
    /// It noticed that another engine has to run it; memory is as before.
    GaveUp(u32),
}

/// A program's lowered form and its pipelines.
struct Known {
    program: Weak<Program>,
    raw_temps: u128,
    lowered: Arc<Lowered>,
    pipelines: HashMap<State, Result<Arc<Ready>, Reason>>,
}

/// A compiled translation.
struct Ready {
    translation: Translation,
    pipeline: wgpu::ComputePipeline,
}

/// Runs launches as shaders of their own.
pub struct Translated {
    gpu: Gpu,
    fallback: Box<dyn Engine>,
    known: Mutex<Vec<Known>>,
}

/// Programs whose shaders are kept.
const CACHE: usize = 64;

impl Translated {
    /// The engine on an adapter. `fallback` runs what is not translated.
    pub fn new(gpu: Gpu, fallback: Box<dyn Engine>) -> Translated {
        Translated {
            gpu,
            fallback,
            known: Mutex::default(),
        }
    }

    fn failed(error: GpuError) -> LaunchError {
        LaunchError::Adapter {
            engine: NAME,
            error,
        }
    }

    /// The compiled shader for a launch.
    fn ready(
        &self,
        launch: &Launch,
        ranges: &[Range<u64>],
    ) -> Result<Result<(Arc<Lowered>, State, Arc<Ready>), Reason>, GpuError> {
        let initial = launch.initial.iter();
        let raw_temps = initial.fold(0u128, |mask, one| mask | 1 << one.temp);
        let mut known = self.known.lock().unwrap_or_else(|e| e.into_inner());
        let found = known.iter().position(|known| {
            known.raw_temps == raw_temps
                && std::ptr::eq(known.program.as_ptr(), Arc::as_ptr(&launch.program))
        });
        let at = match found {
            Some(at) => at,
            None => {
                known.retain(|known| known.program.strong_count() != 0);
                if known.len() == CACHE {
                    known.remove(0);
                }
                known.push(Known {
                    program: Arc::downgrade(&launch.program),
                    raw_temps,
                    lowered: Arc::new(lower(&launch.program, raw_temps)),
                    pipelines: HashMap::new(),
                });
                known.len() - 1
            }
        };
        let known = &mut known[at];
        let lowered = known.lowered.clone();
        let state = match State::of(launch, &lowered, ranges, &Options::default()) {
            Ok(state) => state,
            Err(reason) => return Ok(Err(reason)),
        };
        if let Some(ready) = known.pipelines.get(&state) {
            return Ok(ready.clone().map(|ready| (lowered, state, ready)));
        }
        let ready = match translate(&launch.program, &lowered, &state) {
            Err(reason) => Err(reason),
            Ok(translation) => {
                let pipeline = self
                    .gpu
                    .scoped("a translated program", |device| {
                        compile(device, &translation)
                    })
                    .map_err(GpuError::in_shader)?;
                Ok(Arc::new(Ready {
                    translation,
                    pipeline,
                }))
            }
        };
        known.pipelines.insert(state.clone(), ready.clone());
        Ok(ready.map(|ready| (lowered, state, ready)))
    }

    /// Runs a launch if it can be translated. Memory changes only if it ran.
    ///
    /// # Errors
    /// If the launch is refused by all engines, or if the adapter fails.
    pub fn attempt(&self, launch: &Launch, memory: &mut Memory) -> Result<Attempt, LaunchError> {
        prepare::validate(launch)?;
        let ranges: Vec<Range<u64>> = memory
            .ranges()
            .map(|(base, bytes)| u64::from(base)..u64::from(base) + bytes.len() as u64)
            .collect();
        let ready = self.ready(launch, &ranges).map_err(Self::failed)?;
        let (lowered, state, ready) = match ready {
            Ok(ready) => ready,
            Err(reason) => return Ok(Attempt::Refused(reason)),
        };
        let at_pe = launch.condition.location == Location::Pe;
        if launch.domain.is_empty() || (at_pe && launch.condition.test == Test::Never) {
            return Ok(Attempt::Done(Outcome::default()));
        }
        self.run_ready(launch, memory, &lowered, &state, &ready)
            .map_err(Self::failed)
    }

    fn run_ready(
        &self,
        launch: &Launch,
        memory: &mut Memory,
        lowered: &Lowered,
        state: &State,
        ready: &Ready,
    ) -> Result<Attempt, GpuError> {
        let gpu = &self.gpu;
        let mut pool = Pool::default();
        let mut places = [Place::default(); 21];
        // Surfaces that interleave are one piece.
        let written = prepare::written(launch);
        let mut hulls: Vec<Range<u64>> = Vec::new();
        for (_, _, span) in &written {
            let mut hull = span.start & !15..span.end.next_multiple_of(16);
            hulls.retain(|other| {
                let meets = other.start < hull.end && hull.start < other.end;
                if meets {
                    hull = hull.start.min(other.start)..hull.end.max(other.end);
                }
                !meets
            });
            hulls.push(hull);
        }
        let deltas: Vec<u32> = hulls.iter().map(|hull| pool.add(memory, hull)).collect();
        for (writer, _, span) in &written {
            let hull = hulls
                .iter()
                .position(|hull| hull.start <= span.start && span.end <= hull.end);
            let delta = hull.map_or(0, |n| deltas[n]);
            places[match writer {
                Writer::Output(n) => 16 + n,
                Writer::Condition => 20,
            }] = Place { delta };
        }
        let pieces = pool.pieces.len();
        for (reader, _, span) in prepare::read(launch) {
            match reader {
                Reader::Input(n) => {
                    places[n] = Place {
                        delta: pool.add(memory, &span),
                    };
                }
                // What is written too lies there already.
                Reader::Condition if places[20] == Place::default() => {
                    places[20] = Place {
                        delta: pool.add(memory, &span),
                    };
                }
                Reader::Condition => {}
            }
        }
        pool.bytes
            .resize(pool.bytes.len().next_multiple_of(16).max(64), 0);
        let record = Record::new(&ready.translation, launch, lowered, state, &places, 0);

        use wgpu::BufferUsages as Usage;
        let size = pool.bytes.len() as u64;
        let window = gpu.buffer(
            "memory",
            size,
            Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC,
        )?;
        gpu.queue.write_buffer(&window, 0, &pool.bytes);
        let record_bytes: &[u8] = bytemuck::cast_slice(&record.0);
        let words = gpu.buffer(
            "a launch",
            record_bytes.len().next_multiple_of(16) as u64,
            Usage::STORAGE | Usage::COPY_DST,
        )?;
        gpu.queue.write_buffer(&words, 0, record_bytes);
        let results = gpu.buffer(
            "results",
            16,
            Usage::STORAGE | Usage::COPY_SRC | Usage::COPY_DST,
        )?;
        let head = gpu.buffer(
            "results for the host",
            16 + size,
            Usage::MAP_READ | Usage::COPY_DST,
        )?;
        let grouping = Grouping::of(launch);
        let groups = |low: u32, high: u32, size: u32| high / size - low / size + 1;
        let domain = &launch.domain;
        let columns = groups(domain.i0, domain.i1, grouping.width);
        let rows = groups(domain.j0, domain.j1, grouping.height);
        gpu.scoped("a dispatch", |device| {
            let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &ready.pipeline.get_bind_group_layout(0),
                entries: &bindings(&[
                    (1, (words.clone(), 0, words.size())),
                    (2, (results.clone(), 0, 16)),
                    (3, (window.clone(), 0, size)),
                ]),
            });
            let mut encoder = device.create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&ready.pipeline);
            pass.set_bind_group(0, &group, &[]);
            pass.dispatch_workgroups(columns, rows, 1);
            drop(pass);
            encoder.copy_buffer_to_buffer(&results, 0, &head, 0, 16);
            encoder.copy_buffer_to_buffer(&window, 0, &head, 16, size);
            gpu.queue.submit([encoder.finish()]);
        })?;
        let words = executor::read(gpu, &head, 16 + size, |words| {
            let told = words.get(..RESULT_WORDS as usize).map(<[u32]>::to_vec);
            let told = told.unwrap_or_default();
            if told.first().is_some_and(|why| why & GAVE_UP != 0) {
                return told;
            }
            let bytes: &[u8] = bytemuck::cast_slice(words);
            for (span, at) in &pool.pieces[..pieces] {
                for (base, to) in memory.ranges_mut() {
                    let (base, end) = (u64::from(base), u64::from(base) + to.len() as u64);
                    let (low, high) = (span.start.max(base), span.end.min(end));
                    if low < high {
                        let from = 16 + at + (low - span.start) as usize;
                        to[(low - base) as usize..(high - base) as usize]
                            .copy_from_slice(&bytes[from..from + (high - low) as usize]);
                    }
                }
            }
            told
        })?;
        let [why, some_groups, some_points] = [0, 1, 2].map(|n| words.get(n).copied().unwrap_or(0));
        if why & GAVE_UP != 0 {
            return Ok(Attempt::GaveUp(why));
        }
        let counted =
            launch.condition.location == Location::Pe && launch.condition.test.reads_buffer();
        Ok(Attempt::Done(Outcome {
            groups: if counted {
                u64::from(some_groups)
            } else {
                grouping.count()
            },
            points: if counted {
                u64::from(some_points)
            } else {
                domain.points()
            },
            ..Outcome::default()
        }))
    }
}

impl Engine for Translated {
    fn name(&self) -> &'static str {
        NAME
    }

    fn adapter(&self) -> Option<String> {
        Some(self.gpu.info.name.clone())
    }

    fn run(
        &self,
        launch: &Launch,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        match self.attempt(launch, memory)? {
            Attempt::Done(outcome) => {
                progress.groups(outcome.groups, outcome.groups);
                Ok(outcome)
            }
            Attempt::Refused(_) | Attempt::GaveUp(_) => self.fallback.run(launch, memory, progress),
        }
    }
}

fn compile(device: &wgpu::Device, translation: &Translation) -> wgpu::ComputePipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some(NAME),
        source: wgpu::ShaderSource::Wgsl(translation.wgsl.as_str().into()),
    });
    let entry = |binding: u32, read_only: bool| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let group = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &[entry(1, true), entry(2, false), entry(3, false)],
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
        cache: None,
    })
}
