//! Runs one launch on the reference engine and on the GPU: all results must be equal.

#![allow(dead_code)]

use crate::common::{Bench, GPU, fill, gpu_engines};
use ctm::engine::gpu::{AdapterChoice, Gpu, Interpreter, Tuning};
use ctm::engine::reference::Reference;
use ctm::engine::{Engine, NoProgress, Outcome};
use ctm::memory::{Format, Memory, Surface, Tiling};
use std::sync::Arc;

/// The interpreter that most tests share, so that its pipelines are compiled only once.
pub fn interpreter() -> Arc<dyn Engine> {
    let engines = gpu_engines();
    let engine = engines.into_iter().next();
    engine.expect("there is no GPU, and CTM_ADAPTER names no adapter")
}

/// A bench whose memory holds no zeros, so that a write of zeros is visible; `prepare` then changes
/// it.
pub fn bench(source: &str, size: (u32, u32), prepare: &dyn Fn(&mut Bench)) -> Bench {
    let mut bench = Bench::new(source, size.0, size.1);
    fill(&mut bench.memory);
    prepare(&mut bench);
    bench
}

/// A surface in the upper half of the bench's memory, at its own address.
pub fn place(n: u32, pitch: u32, height: u32, tiling: Tiling, format: Format) -> Surface {
    Surface::new(GPU + (1 << 19) + n * 0x1_0000, pitch, height, tiling, format)
}

/// A linear surface at `offset` bytes into the bench's memory.
pub fn surface(offset: u32, pitch: u32, height: u32, format: Format) -> Surface {
    Surface::new(GPU + offset, pitch, height, Tiling::Linear, format)
}

/// An engine whose memory buffers have 192 KiB.
pub fn small_buffers() -> Interpreter {
    let gpu = Gpu::open(&AdapterChoice::from_environment()).expect("an adapter");
    Interpreter::tuned(gpu, Tuning { largest: Some(0x3_0000), ..Tuning::default() })
}

/// The address of the first byte that differs, and both bytes.
pub fn difference(a: &Memory, b: &Memory) -> Option<(u32, u8, u8)> {
    a.ranges().zip(b.ranges()).filter(|((_, a), (_, b))| a != b).find_map(|((base, a), (_, b))| {
        let n = a.iter().zip(b).position(|(a, b)| a != b)?;
        Some((base + n as u32, a[n], b[n]))
    })
}

/// Runs on both engines; returns their common outcome. The launch must change memory: a comparison
/// without any write compares nothing.
pub fn same(what: &str, source: &str, size: (u32, u32), prepare: impl Fn(&mut Bench)) -> Outcome {
    same_on(interpreter().as_ref(), what, source, size, &prepare)
}

/// As [`same`], on the given GPU engine.
pub fn same_on(
    engine: &dyn Engine,
    what: &str,
    source: &str,
    size: (u32, u32),
    prepare: &dyn Fn(&mut Bench),
) -> Outcome {
    let (outcome, changed) = compared(engine, what, source, size, prepare);
    assert!(changed, "{what}: {source}: nothing was written");
    outcome
}

/// As [`same`], for a launch that must leave memory unchanged.
pub fn silent(what: &str, source: &str, size: (u32, u32), prepare: impl Fn(&mut Bench)) -> Outcome {
    silent_on(interpreter().as_ref(), what, source, size, &prepare)
}

/// As [`silent`], on the given GPU engine.
pub fn silent_on(
    engine: &dyn Engine,
    what: &str,
    source: &str,
    size: (u32, u32),
    prepare: &dyn Fn(&mut Bench),
) -> Outcome {
    let (outcome, changed) = compared(engine, what, source, size, prepare);
    assert!(!changed, "{what}: {source}: something was written");
    outcome
}

/// Runs on both engines; returns their common outcome, and whether memory changed.
fn compared(
    engine: &dyn Engine,
    what: &str,
    source: &str,
    size: (u32, u32),
    prepare: &dyn Fn(&mut Bench),
) -> (Outcome, bool) {
    let mut model = bench(source, size, prepare);
    let mut trial = bench(source, size, prepare);
    let before = bench(source, size, prepare).memory;
    let run = |bench: &mut Bench, engine: &dyn Engine| {
        engine.run(&bench.launch, &mut bench.memory, &NoProgress)
    };
    let want = run(&mut model, &Reference::new());
    let found = run(&mut trial, engine);
    assert_eq!(found, want, "{what}: {source}");
    let differs = difference(&model.memory, &trial.memory);
    assert_eq!(differs, None, "{what}: {source}: address, wanted, found");
    let changed = difference(&before, &model.memory).is_some();
    (want.unwrap_or_else(|error| panic!("{what}: {error}")), changed)
}
