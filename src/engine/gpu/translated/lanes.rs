//! Batches of translated programs. A batch is cut into parts. The launches of a part share one
//! memory buffer and one submission. Parts run concurrently, each on a lane.
//!
//! Mesa's lavapipe compiles a shader at its first dispatch, on the one thread of its queue. There
//! each lane has its own device, so that shaders compile concurrently, one on each thread that runs
//! parts. Other drivers compile on the calling thread; there all lanes share one device.

use super::super::batch::{LARGE, POOL, gpu_error};
use super::super::connection::Gpu;
use super::super::error::GpuError;
use super::super::executor::{self, Grown, read};
use super::super::pipelines::bindings;
use super::super::plan::Ready;
use super::super::resident::{ALIGN, Pool, ResidentError};
use super::super::results::{self, LaunchResult};
use super::super::session::shader_outcome;
use super::super::translate::Record;
use super::super::{AdapterKind, Locked};
use super::shaders::{self, Compiled, Entry, Key, Shader, Shaders};
use super::{Grouping, NAME, Refusal, Translated, gave_up, groups_and_points, never_runs};
use crate::engine::prepare::{self, Overlap, Reader, Writer};
use crate::engine::{BatchItem, BatchProgress, Chosen, Engine, LaunchError, OfItem, Outcome, Stop};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The most launches in a part.
const PART: usize = 32;

/// The most shaders that a lane's own device keeps.
const KEPT: usize = 128;

/// The state of an item.
enum Slot {
    /// It ran on the chosen engine, or cannot run.
    Done(Result<(Outcome, Chosen), LaunchError>),
    /// The interpreter has to run it.
    Left(Refusal),
    /// It runs outside the shared buffer: it is too large, or reads back its own writes.
    Alone,
}

/// The lanes that are not in use.
#[derive(Default)]
pub(super) struct Lanes(Locked<Vec<Lane>>);

/// Runs a batch.
pub(super) fn run(
    engine: &Translated,
    items: &mut [BatchItem<'_>],
    progress: &dyn BatchProgress,
) -> Vec<Result<Outcome, LaunchError>> {
    let total = items.len() as u64;
    let done = AtomicU64::new(0);
    let size = items.len().div_ceil(rayon::current_num_threads());
    let slots: Vec<Vec<Slot>> = items
        .par_chunks_mut(size.clamp(1, PART))
        .map(|part| {
            let slots = engine.lanes.run(engine, part, progress.stop());
            let ended = slots.iter().filter(|slot| matches!(slot, Slot::Done(_)));
            let ended = ended.count() as u64;
            progress.launches(done.fetch_add(ended, Ordering::Relaxed) + ended, total);
            slots
        })
        .collect();
    let slots: Vec<Slot> = slots.into_iter().flatten().collect();
    let mut left: Vec<BatchItem> = items
        .iter_mut()
        .zip(&slots)
        .filter(|(_, slot)| matches!(slot, Slot::Left(_)))
        .map(|(item, _)| BatchItem { launch: item.launch, memory: &mut *item.memory })
        .collect();
    let mut left = engine.interpreter.run_batch(&mut left, progress.stop()).into_iter();
    let mut results = Vec::with_capacity(items.len());
    for (n, (item, slot)) in items.iter_mut().zip(slots).enumerate() {
        results.push(match slot {
            Slot::Done(result) => result.map(|(outcome, chosen)| {
                progress.chosen(n, &chosen);
                outcome
            }),
            Slot::Left(refusal) => {
                let result = left.next().unwrap_or_else(|| {
                    Err(LaunchError::Failed {
                        engine: super::super::NAME,
                        reason: "the launch was left out of its batch".to_string(),
                    })
                });
                if result.is_ok() {
                    progress.chosen(n, &refusal.chosen());
                }
                result
            }
            Slot::Alone => engine.run(item.launch, item.memory, &OfItem { progress, item: n }),
        });
    }
    progress.launches(total, total);
    results
}

impl Lanes {
    /// Runs a part of a batch on a lane.
    fn run(&self, engine: &Translated, items: &mut [BatchItem<'_>], stop: &Stop) -> Vec<Slot> {
        let lane = self.0.lock().pop();
        let mut lane = lane.unwrap_or_else(|| Lane::new(engine));
        let slots = lane.run(engine, items, stop);
        if !lane.failed {
            self.0.lock().push(lane);
        }
        slots
    }
}

/// A device and the resources it needs to run a part of a batch.
struct Lane {
    /// The lane's own device and its shaders; `None`: the engine's device.
    own: Option<(Gpu, Shaders)>,
    pool: Option<Pool>,
    buffers: Buffers,
    /// The device failed; the lane must not be reused.
    failed: bool,
}

struct Buffers {
    records: Grown,
    results: Grown,
    heads: Grown,
}

/// A launch of a part.
struct Packed {
    /// Its index in the part.
    item: usize,
    ready: Arc<Ready>,
    compiled: Arc<Compiled>,
    overlaps: Vec<Overlap>,
    reads: Vec<Reader>,
    writes: Vec<Writer>,
}

impl Lane {
    fn new(engine: &Translated) -> Lane {
        use wgpu::BufferUsages as Usage;
        let gpu = engine.interpreter.gpu();
        let software = gpu.info.kind == AdapterKind::Software;
        // A tiered engine keeps all its shaders in one place. An adapter that provides no second
        // device uses the engine's, which is slower.
        let several = software && engine.translator.tiered.is_none();
        let own = several.then(|| gpu.another().ok()).flatten();
        Lane {
            own: own.map(|gpu| (gpu, Shaders::new(KEPT))),
            pool: None,
            buffers: Buffers {
                records: Grown::new(
                    "translated launches",
                    Usage::UNIFORM | Usage::STORAGE | Usage::COPY_DST,
                    1 << 16,
                ),
                results: Grown::new(
                    "results",
                    Usage::STORAGE | Usage::COPY_DST | Usage::COPY_SRC,
                    1 << 10,
                ),
                heads: Grown::new(
                    "results for the host",
                    Usage::MAP_READ | Usage::COPY_DST,
                    1 << 10,
                ),
            },
            failed: false,
        }
    }

    fn run(&mut self, engine: &Translated, items: &mut [BatchItem<'_>], stop: &Stop) -> Vec<Slot> {
        let mut slots: Vec<Slot> = items.iter().map(|_| Slot::Alone).collect();
        let mut packed: Vec<Packed> = Vec::new();
        let mut pool = match self.pool.take() {
            Some(pool) => pool,
            None => Pool::new(self.gpu(engine), POOL),
        };
        // Record bytes and point-instructions of the packed launches.
        let (mut bytes, mut work) = (0, 0u64);
        for n in 0..items.len() {
            let item = &items[n];
            if let Err(why) = stop.check() {
                slots[n] = Slot::Done(Err(why.into()));
                continue;
            }
            if !never_runs(item.launch) && Grouping::of(item.launch).count() > LARGE {
                continue;
            }
            if prepare::reads_back(item.launch) {
                continue;
            }
            let (ready, compiled) = match self.shader(engine, item) {
                Ok((ready, Ok(compiled))) => (ready, compiled),
                Ok((_, Err(refusal))) => {
                    slots[n] = Slot::Left(refusal);
                    continue;
                }
                Err(error) => {
                    slots[n] = Slot::Done(Err(error));
                    continue;
                }
            };
            let Compiled { translation, state, .. } = &*compiled;
            let own_bytes = Record::bytes(translation, item.launch, state);
            let own_bytes = own_bytes.next_multiple_of(ALIGN);
            let own_work = executor::work(&Grouping::of(item.launch), translation);
            let (limit, most) = (self.gpu(engine).largest_binding(), engine.interpreter.most);
            if own_bytes > limit {
                slots[n] = Slot::Left(Refusal::Data { bytes: own_bytes, limit });
                continue;
            }
            if own_work > most {
                continue;
            }
            if bytes + own_bytes > limit || work.saturating_add(own_work) > most {
                self.flush(engine, &mut pool, &mut packed, items, &mut slots);
                (bytes, work) = (0, 0);
            }
            let item = &items[n];
            let written = prepare::written(item.launch);
            let in_place = written.iter().any(|(writer, ..)| *writer == Writer::Condition);
            let mut read = prepare::read(item.launch);
            // A conditional buffer that is written is tested at the place where it is written.
            read.retain(|(reader, ..)| !(in_place && *reader == Reader::Condition));
            let reads: Vec<Range<u64>> = read.iter().map(|(.., span)| span.clone()).collect();
            let writes: Vec<Range<u64>> = written.iter().map(|(.., span)| span.clone()).collect();
            let mut added = pool.add(item.memory, &reads, &writes);
            if matches!(added, Err(ResidentError::TooLarge { .. })) && !packed.is_empty() {
                self.flush(engine, &mut pool, &mut packed, items, &mut slots);
                (bytes, work) = (0, 0);
                added = pool.add(items[n].memory, &reads, &writes);
            }
            if added.is_ok() {
                (bytes, work) = (bytes + own_bytes, work.saturating_add(own_work));
                packed.push(Packed {
                    item: n,
                    ready,
                    compiled,
                    overlaps: prepare::overlaps(items[n].launch),
                    reads: read.iter().map(|(reader, ..)| *reader).collect(),
                    writes: written.iter().map(|(writer, ..)| *writer).collect(),
                });
            }
        }
        self.flush(engine, &mut pool, &mut packed, items, &mut slots);
        self.pool = Some(pool);
        slots
    }

    fn gpu<'a>(&'a self, engine: &'a Translated) -> &'a Gpu {
        match &self.own {
            Some((gpu, _)) => gpu,
            None => engine.interpreter.gpu(),
        }
    }

    /// The shader of an item, or why the interpreter runs it.
    fn shader(
        &mut self,
        engine: &Translated,
        item: &BatchItem<'_>,
    ) -> Result<(Arc<Ready>, Shader), LaunchError> {
        let failed = |error| LaunchError::Adapter { engine: NAME, error };
        let interpreter = &engine.interpreter;
        // A lost engine device counts as lost also for lanes with their own device.
        interpreter.gpu().check().map_err(failed)?;
        let launch = item.launch;
        let ready = interpreter.ready(launch)?;
        if let Some(refusal) = Refusal::of(launch) {
            return Ok((ready, Err(refusal)));
        }
        let ranges = super::ranges(item.memory);
        let state = super::state(interpreter, launch, &ready, &ranges, true).map_err(failed)?;
        let state = match state {
            Ok(state) => state,
            Err(refusal) => return Ok((ready, Err(refusal))),
        };
        let shader = match &mut self.own {
            None => engine.translator.shader(interpreter, launch, &ready, state, true),
            Some((gpu, shaders)) => {
                let key = Key::new(&ready, state);
                match shaders.get(&key) {
                    Some(Entry::Done(shader)) => Ok(shader.clone()),
                    _ => {
                        let made = shaders::compile(gpu, None, &launch.program, &ready, &key.1);
                        if let Ok(shader) = &made {
                            let entry = Entry::Done(shader.clone());
                            shaders.insert(key, &launch.program, &ready, entry);
                        }
                        made
                    }
                }
            }
        };
        Ok((ready, shader.map_err(failed)?))
    }

    /// Runs the packed launches and empties the pool.
    fn flush(
        &mut self,
        engine: &Translated,
        pool: &mut Pool,
        packed: &mut Vec<Packed>,
        items: &mut [BatchItem<'_>],
        slots: &mut [Slot],
    ) {
        let packed = std::mem::take(packed);
        if packed.is_empty() {
            return;
        }
        let gpu = match &self.own {
            Some((gpu, _)) => gpu,
            None => engine.interpreter.gpu(),
        };
        match together(gpu, &mut self.buffers, pool, &packed, items) {
            Ok(results) => {
                for (member, (one, result)) in packed.iter().zip(results).enumerate() {
                    let item = &mut items[one.item];
                    slots[one.item] = match gave_up(result.gave_up) {
                        Some(refusal) => Slot::Left(refusal),
                        None => {
                            let outcome = stored(pool, member, one, item, &result);
                            let chosen = || engine.translator.chosen(item.launch, &one.ready);
                            Slot::Done(outcome.map(|outcome| (outcome, chosen())))
                        }
                    };
                }
            }
            Err(error) => {
                self.failed = true;
                for one in &packed {
                    slots[one.item] = Slot::Done(Err(LaunchError::Adapter {
                        engine: NAME,
                        error: error.clone(),
                    }));
                }
            }
        }
        pool.clear();
    }
}

/// The outcome of a launch that ran, after its writes are stored in its memory.
fn stored(
    pool: &Pool,
    member: usize,
    one: &Packed,
    item: &mut BatchItem<'_>,
    result: &LaunchResult,
) -> Result<Outcome, LaunchError> {
    let stored = pool.store(member, item.memory);
    stored.map_err(|error| LaunchError::Adapter { engine: NAME, error: gpu_error(error) })?;
    let known = groups_and_points(item.launch);
    Ok(shader_outcome(result, &one.overlaps, known))
}

/// Uploads everything, submits all launches and waits for them. Returns the result of each.
fn together(
    gpu: &Gpu,
    buffers: &mut Buffers,
    pool: &mut Pool,
    packed: &[Packed],
    items: &[BatchItem<'_>],
) -> Result<Vec<LaunchResult>, GpuError> {
    let bound = pool.upload(gpu).map_err(gpu_error)?;
    let mut words: Vec<u32> = Vec::new();
    let mut spans: Vec<(u64, u64, u64)> = Vec::with_capacity(packed.len());
    for (member, one) in packed.iter().enumerate() {
        let (reads, writes) = pool.deltas(member);
        let readers = one.reads.iter().copied();
        let writers = one.writes.iter().copied();
        let places = super::places(readers.zip(&reads), writers.zip(&writes));
        let Compiled { translation, state, .. } = &*one.compiled;
        let record = Record::new(
            translation,
            items[one.item].launch,
            &one.ready.lowered,
            state,
            &places,
            results::position(member as u32),
        );
        let size = size_of_val(record.words()).next_multiple_of(16) as u64;
        let at = size_of_val(&words[..]) as u64;
        spans.push((at, size, record.uniform_bytes()));
        words.extend(record.words());
        words.resize(words.len().next_multiple_of(ALIGN as usize / 4), 0);
    }
    let bytes = 4 * u64::from(results::position(packed.len() as u32));
    let records = buffers.records.get(gpu, size_of_val(&words[..]) as u64)?;
    let results = buffers.results.get(gpu, bytes)?;
    let heads = buffers.heads.get(gpu, bytes)?;
    let encoder = gpu.scoped("a batch of translated programs", |device| {
        gpu.queue.write_buffer(&records, 0, bytemuck::cast_slice(&words));
        let mut encoder = device.create_command_encoder(&Default::default());
        encoder.clear_buffer(&results, 0, Some(bytes));
        let mut pass = encoder.begin_compute_pass(&Default::default());
        for (one, (at, size, uniform)) in packed.iter().zip(spans) {
            let pipeline = &one.compiled.pipeline;
            let record = (&records, at, size, uniform);
            let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &pipeline.get_bind_group_layout(0),
                entries: &bindings(&executor::parts(record, (&results, 0, bytes), &bound)),
            });
            pass.set_pipeline(pipeline);
            pass.set_bind_group(0, &group, &[]);
            let grouping = Grouping::of(items[one.item].launch);
            pass.dispatch_workgroups(grouping.columns(), grouping.rows(), 1);
        }
        drop(pass);
        encoder.copy_buffer_to_buffer(&results, 0, &heads, 0, bytes);
        encoder
    })?;
    pool.download(gpu, encoder).map_err(gpu_error)?;
    read(gpu, &heads, bytes, results::launches)
}
