//! Launches that touch more than a buffer holds, and memories of which a buffer holds a part. See
//! `common` for when these tests run.

use crate::common::Bench;
use crate::same::{bench, difference, same_on, small_buffers, surface};
use ctm::engine::reference::Reference;
use ctm::engine::{Engine, NoProgress, Why};
use ctm::memory::{Format, Tiling};

/// Compares a launch with the reference; the interpreter runs it.
fn same(source: &str, size: (u32, u32), prepare: &dyn Fn(&mut Bench)) {
    let engine = small_buffers();
    let outcome = same_on(&engine, "a part of memory", source, size, prepare);
    assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
    let mut trial = bench(source, size, prepare);
    let outcome = engine.run(&trial.launch, &mut trial.memory, &NoProgress).expect("it runs");
    assert_eq!(outcome.ran.engine, "interpreter");
}

#[test]
#[ignore = "needs an adapter"]
fn surfaces_far_apart_in_a_large_memory() {
    let source = "ld r1, i0[r0.rg]\nld r2, i1[r0.gr]\nmad o0, r1, 2, r2\nadd o1, r1, -r2";
    for tiling in [Tiling::Linear, Tiling::Tiled] {
        for offsets in [[0, 0x8000, 0x1_0000, 0x2_0000], [0xf_c000, 0xe_8000, 0xe_c000, 0xf_8000]] {
            same(source, (30, 20), &|bench: &mut Bench| {
                let at = |n: usize, format| {
                    let mut surface = surface(offsets[n], 32, 32, format);
                    surface.tiling = tiling;
                    Some(surface)
                };
                bench.launch.inputs[0] = at(0, Format::Float32x4);
                bench.launch.inputs[1] = at(1, Format::Uint8x4);
                bench.launch.outputs[0] = at(2, Format::Float32x4);
                bench.launch.outputs[1] = at(3, Format::Float32x2);
            });
        }
    }
    // A snapshot, and a log.
    same("add r1, r0, 1\nld r2, i0[r1.rg]\nmov o0, r2", (40, 90), &|bench| {
        bench.launch.inputs[0] = Some(surface(0xe000, 64, 90, Format::Float32x4));
        bench.launch.outputs[0] = bench.launch.inputs[0];
    });
    same("ld r1, i0[r0.rg]\nmov o0, r1\nmov o1, r0", (40, 60), &|bench| {
        bench.launch.inputs[0] = Some(surface(0x6_0000, 64, 60, Format::Float32x4));
        bench.launch.outputs[0] = Some(surface(0x7_0000, 64, 60, Format::Float32x4));
        bench.launch.outputs[1] = Some(surface(0x7_0800, 64, 60, Format::Float32x4));
    });
}

#[test]
#[ignore = "needs an adapter"]
fn what_is_too_large_for_a_buffer_runs_on_block() {
    let engine = small_buffers();
    let source = "ld r1, i0[r0.rg]\nmov o0, r1";
    let wide = |bench: &mut Bench| {
        bench.launch.inputs[0] = Some(surface(0, 64, 400, Format::Float32x4));
        bench.launch.outputs[0] = Some(surface(0xf_0000, 16, 16, Format::Float32x4));
    };
    let narrow = |bench: &mut Bench| {
        bench.launch.inputs[0] = Some(surface(0xf_0000, 16, 16, Format::Float32x4));
        bench.launch.outputs[0] = Some(surface(0xe_0000, 16, 16, Format::Float32x4));
    };
    let (wide, narrow) = (bench(source, (4, 4), &wide), bench(source, (4, 4), &narrow));
    let (mut trial, mut model) = (bench(source, (4, 4), &|_| {}), bench(source, (4, 4), &|_| {}));
    let launches = [&narrow.launch, &wide.launch, &narrow.launch];
    let mut session = engine.session(&mut trial.memory);
    for launch in launches {
        session.launch(launch, &NoProgress).expect("it runs");
        Reference::new().run(launch, &mut model.memory, &NoProgress).expect("it runs");
    }
    let ran: Vec<_> = session.outcomes().into_iter().map(|one| one.expect("it ran").ran).collect();
    assert_eq!(difference(&model.memory, session.memory().expect("it ran")), None);
    let engines: Vec<&str> = ran.iter().map(|ran| ran.engine).collect();
    assert_eq!(engines, ["interpreter", "block", "interpreter"]);
    let reason = "what the launch touches: 984064 bytes are needed in one GPU buffer; the largest \
                  has 196608";
    assert_eq!(ran[1].why, Some(Why::new("too large", reason)));
}
