//! Runs many launches, each with its own memory, in as few dispatches as possible.

use super::executor::{self, Executor, Halt, Work};
use super::plan::{Plan, Ready};
use super::resident::{Pool, ResidentError};
use super::{GpuError, Interpreter, NAME, outcome};
use crate::engine::{BatchItem, BatchProgress, Engine, LaunchError, OfItem, Outcome, Stop};
use crate::launch::FloatMode;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

/// The most bytes, over all memories, that are packed together.
pub(super) const POOL: u64 = 64 << 20;

/// The most vec4s of programs, constants and initial data that are uploaded together.
const CODE: usize = 1 << 20;

/// The number of groups above which a launch runs faster on its own.
pub(super) const LARGE: u64 = 1 << 12;

/// Launches that will run together: their numbers in the batch and their plans.
type Packed<'a> = Vec<(usize, Plan<'a>)>;

/// Runs a batch.
pub(super) fn run(
    engine: &Interpreter,
    items: &mut [BatchItem<'_>],
    progress: &dyn BatchProgress,
) -> Vec<Result<Outcome, LaunchError>> {
    let (total, stop) = (items.len() as u64, progress.stop());
    let mut results: Vec<Option<Result<Outcome, LaunchError>>> =
        items.iter().map(|_| None).collect();
    let mut executor = engine.executors.lock().pop().unwrap_or_default();
    let mut pool = engine.pools.lock().pop().unwrap_or_else(|| Pool::new(&engine.gpu, POOL));
    let mut packed: Packed = Vec::new();
    let mut code = 0;
    let mut alone = Vec::new();
    let mut done = 0;
    // One dispatch has one arithmetic, so all exact launches come before the fast ones.
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&n| items[n].launch.mode == FloatMode::Fast);
    for (seen, n) in order.into_iter().enumerate() {
        if let Err(why) = stop.check() {
            results[n] = Some(Err(why.into()));
            continue;
        }
        let launch = items[n].launch;
        let plan = match engine.ready(launch) {
            Ok(ready) => Plan::new(launch, ready),
            Err(error) => {
                results[n] = Some(Err(error));
                continue;
            }
        };
        if plan.groups == 0 || plan.groups > LARGE || plan.logs || engine.is_sliced(&plan) {
            alone.push(n);
            continue;
        }
        if packed.last().is_some_and(|(_, last)| last.launch.mode != launch.mode) {
            flush(engine, &mut executor, &mut pool, &mut packed, items, &mut results, stop);
            code = 0;
        }
        let (reads, writes) = spans(&plan);
        let size = plan.ready.encoded.words.len() + plan.initial_size() + 512;
        if size > CODE {
            alone.push(n);
            continue;
        }
        let mut added = pool.add(items[n].memory, &reads, &writes);
        if code + size > CODE || matches!(added, Err(ResidentError::TooLarge { .. })) {
            if added.is_ok() {
                // It belongs to the next pack, so remove it from this one.
                pool.remove_last();
            }
            flush(engine, &mut executor, &mut pool, &mut packed, items, &mut results, stop);
            code = 0;
            added = pool.add(items[n].memory, &reads, &writes);
        }
        match added {
            Ok(_) => {
                packed.push((n, plan));
                code += size;
            }
            Err(_) => alone.push(n),
        }
        let finished = (seen + 1 - packed.len() - alone.len()) as u64;
        if finished > done {
            done = finished;
            progress.launches(done, total);
        }
    }
    flush(engine, &mut executor, &mut pool, &mut packed, items, &mut results, stop);
    engine.executors.lock().push(executor);
    engine.pools.lock().push(pool);
    for n in alone {
        let item = &mut items[n];
        let of_item = OfItem { progress, item: n };
        results[n] = Some(engine.run(item.launch, item.memory, &of_item));
        progress.launches(total - results.iter().filter(|r| r.is_none()).count() as u64, total);
    }
    progress.launches(total, total);
    results
        .into_iter()
        .map(|result| {
            result.unwrap_or_else(|| {
                Err(LaunchError::Failed {
                    engine: NAME,
                    reason: "the launch was left out of its batch".into(),
                })
            })
        })
        .collect()
}

fn spans(plan: &Plan) -> (Vec<Range<u64>>, Vec<Range<u64>>) {
    (
        plan.reads.iter().map(|(.., span)| span.clone()).collect(),
        plan.writes.iter().map(|(.., span)| span.clone()).collect(),
    )
}

/// Runs the packed launches and empties the pool.
fn flush(
    engine: &Interpreter,
    executor: &mut Executor,
    pool: &mut Pool,
    packed: &mut Packed,
    items: &mut [BatchItem<'_>],
    results: &mut [Option<Result<Outcome, LaunchError>>],
    stop: &Stop,
) {
    if packed.is_empty() {
        return;
    }
    let packed = std::mem::take(packed);
    match together(engine, executor, pool, &packed, items, stop) {
        Ok(outcomes) => {
            for ((n, _), outcome) in packed.iter().zip(outcomes) {
                results[*n] = Some(Ok(outcome));
            }
        }
        Err(Halt::Stopped(why)) => {
            for (n, _) in &packed {
                results[*n] = Some(Err(why.into()));
            }
        }
        Err(Halt::Gpu(error)) => {
            executor.forget();
            for (n, _) in &packed {
                results[*n] =
                    Some(Err(LaunchError::Adapter { engine: NAME, error: error.clone() }));
            }
        }
    }
    pool.clear();
}

fn together(
    engine: &Interpreter,
    executor: &mut Executor,
    pool: &mut Pool,
    packed: &Packed,
    items: &mut [BatchItem<'_>],
    stop: &Stop,
) -> Result<Vec<Outcome>, Halt> {
    let gpu = &engine.gpu;
    let bound = pool.upload(gpu).map_err(gpu_error)?;
    let mut code: Vec<[u32; 4]> = Vec::new();
    let mut places: HashMap<*const Ready, u32> = HashMap::new();
    let mut launches = Vec::with_capacity(packed.len());
    let mut groups = Vec::with_capacity(packed.len());
    let mut variant: Option<super::shader::Variant> = None;
    let mut rows = 0;
    for (member, (n, plan)) in packed.iter().enumerate() {
        let program = *places.entry(Arc::as_ptr(&plan.ready)).or_insert_with(|| {
            let at = code.len() as u32;
            code.extend(&plan.ready.encoded.words);
            at
        });
        let (reads, writes) = pool.deltas(member);
        let at = code.len() as u32;
        let (mut record, mut own) = plan.record(items[*n].memory, program, at);
        plan.locate(
            &mut record,
            |reader| {
                let n = plan.reads.iter().position(|read| read.0 == reader)?;
                reads.get(n).copied()
            },
            |writer| {
                let n = plan.writes.iter().position(|write| write.0 == writer)?;
                writes.get(n).copied()
            },
        );
        code.append(&mut own);
        launches.push(record);
        groups.push((0, plan.groups));
        rows = rows.max(plan.ready.encoded.rows);
        let own = super::shader::Variant { many: true, ..engine.variant(plan)? };
        variant = Some(variant.map_or(own, |all| all.with(&own)));
    }
    let Some(variant) = variant else {
        return Ok(Vec::new());
    };
    let work = Work {
        variant,
        code,
        launches,
        groups,
        log_entries: 0,
        repeatable: false,
        bound,
        slice: engine.slice,
        rows,
    };
    let number = executor.start(gpu, &engine.pipelines, work, &mut |_| {}, stop)?;
    let encoder = gpu.encoder()?;
    pool.download(gpu, encoder).map_err(gpu_error)?;
    let mut done = executor.finish(gpu)?;
    let outcomes = executor::all(&mut done, number, packed.len())?;
    for (member, (n, _)) in packed.iter().enumerate() {
        pool.store(member, items[*n].memory).map_err(gpu_error)?;
    }
    Ok(packed
        .iter()
        .zip(outcomes)
        .map(|((_, plan), result)| outcome(&result, &plan.overlaps, plan.launch.statistics))
        .collect())
}

/// Converts an error of a pool.
pub(super) fn gpu_error(error: ResidentError) -> GpuError {
    match error {
        ResidentError::Gpu(error) => error,
        other => {
            GpuError::Internal { what: "a batch of launches".into(), message: other.to_string() }
        }
    }
}
