//! Memory in several buffers, as launches see it. See `common` for when these tests run.

use crate::common::Bench;
use crate::same::{self, difference, same_on, small_chunks, surface};
use ctm::engine::{Engine, LaunchError};
use ctm::launch::Domain;
use ctm::memory::{Format, Tiling};

#[test]
#[ignore = "needs an adapter"]
fn surfaces_in_several_windows() {
    let engine = small_chunks();
    let source = "ld r1, i0[r0.rg]\nld r2, i1[r0.gr]\nmad o0, r1, 2, r2\nadd o1, r1, -r2";
    for tiling in [Tiling::Linear, Tiling::Tiled] {
        // One window each; and a surface that lies in two.
        for offsets in [[0, 0x2_0000, 0x4_0000, 0x8_0000], [0xf000, 0x1_8000, 0x1_c000, 0x2_8000]] {
            let outcome = same_on(&engine, "windows", source, (30, 20), &|bench: &mut Bench| {
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
            assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
        }
    }
    // A snapshot beside three windows.
    same_on(
        &engine,
        "a snapshot",
        "add r1, r0, 1\nld r2, i0[r1.rg]\nmov o0, r2",
        (40, 90),
        &|bench| {
            bench.launch.inputs[0] = Some(surface(0xe000, 64, 90, Format::Float32x4));
            bench.launch.outputs[0] = bench.launch.inputs[0];
        },
    );
    // A log beside four.
    same_on(&engine, "a log", "ld r1, i0[r0.rg]\nmov o0, r1\nmov o1, r0", (40, 90), &|bench| {
        bench.launch.inputs[0] = Some(surface(0xe000, 64, 90, Format::Float32x4));
        bench.launch.outputs[0] = Some(surface(0x6_0000, 64, 90, Format::Float32x4));
        bench.launch.outputs[1] = Some(surface(0x6_0800, 64, 90, Format::Float32x4));
    });
}

#[test]
#[ignore = "needs an adapter"]
fn launches_in_parts() {
    let engine = small_chunks();
    // 380 rows of 1 KiB: six buffers and more, with an input in one of them.
    let source = "ld r1, i0[r0.rg]\nmad o0, r0.rgrg, {1, 1000, 2, 3}, r1\nmov o1.r, r0.g";
    let prepare = |bench: &mut Bench| {
        bench.launch.domain = Domain { i0: 3, j0: 5, i1: 60, j1: 370 };
        bench.launch.inputs[0] = Some(surface(0x100, 16, 16, Format::Float32x1));
        bench.launch.outputs[0] = Some(surface(0x3_0800, 64, 380, Format::Float32x4));
        bench.launch.outputs[1] = Some(surface(0xc_0000, 64, 360, Format::Float32x1));
    };
    for statistics in [true, false] {
        let outcome = same_on(&engine, "parts", source, (4, 4), &|bench: &mut Bench| {
            prepare(bench);
            bench.launch.statistics = statistics;
        });
        // Rows 360 and later lie outside output 1.
        assert_eq!(outcome.faults.iter().count(), 1);
    }
    // The same in slices.
    let source = "rep 80\nrep 80\nadd r1, r1, 1\nendrep\nendrep\nld r2, i0[r0.rg]\nadd o0, r1, r2\nmov o1.r, r1";
    same_on(&engine, "parts in slices", source, (4, 4), &|bench: &mut Bench| {
        prepare(bench);
        (bench.launch.domain.i1, bench.launch.domain.j0) = (10, 150);
        bench.launch.domain.j1 = 250;
    });
}

fn refused(engine: &dyn Engine, source: &str, prepare: &dyn Fn(&mut Bench)) -> String {
    let mut bench = same::bench(source, (4, 4), prepare);
    let before = same::bench(source, (4, 4), prepare);
    let error = bench.try_run(engine).expect_err("it needs too many windows");
    assert!(matches!(error, LaunchError::Unsupported { .. }), "{error:?}");
    assert_eq!(difference(&before.memory, &bench.memory), None);
    error.to_string()
}

#[test]
#[ignore = "needs an adapter"]
fn too_many_windows_are_refused_before_anything_is_written() {
    let engine = small_chunks();
    let source = "ld r1, i0[r0.rg]\nmov o0, r1";
    let text = refused(&engine, source, &|bench| {
        bench.launch.inputs[0] = Some(surface(0, 64, 400, Format::Float32x4));
        bench.launch.outputs[0] = Some(surface(0xf_0000, 16, 16, Format::Float32x4));
    });
    assert_eq!(
        text,
        "engine interpreter: what the launch touches lies in 8 GPU buffers of at most 65536 bytes \
         each; 4 can be bound at once"
    );
    // Most rows of the output would fit; but one row of tiles lies in two buffers.
    let text = refused(&engine, source, &|bench| {
        bench.launch.domain = Domain { i0: 0, j0: 0, i1: 60, j1: 120 };
        bench.launch.inputs[0] = Some(surface(0, 64, 190, Format::Float32x4));
        bench.launch.outputs[0] = Some(surface(0x8_0c00, 64, 128, Format::Float32x4));
    });
    assert_eq!(
        text,
        "engine interpreter: what the launch touches lies in 5 GPU buffers of at most 65536 bytes \
         each; 4 can be bound at once"
    );
    // The engine goes on.
    same_on(&engine, "afterwards", "mov o0, r0", (9, 9), &|_| {});
}
