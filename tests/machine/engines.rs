//! The machine's treatment of programs and launches, the same on every engine: start state, order
//! of memory effects, every fault, every refusal, statistics.

mod copies;
mod faults;
mod formats;
mod numbers;
mod own_writes;

use crate::common::{self, Bench, GPU, engines, fill, on_every_engine, tiers};
use ctm::engine::{Engine, NoProgress, Statistics};
use ctm::launch::{Condition, Domain, Location, Test};
use ctm::memory::{Format, Tiling};
use std::sync::Arc;

crate::gpu_takes_part!();

/// A launch that [`on_every_engine`] runs on the engines of several is run by all that they consist of.
#[test]
#[ignore = "needs an adapter"]
fn engines_of_several_change_over_in_these_tests() {
    let tiers = tiers().expect("an adapter");
    let two = common::program("add r1, r0, 0.5\nmov o0, r1");
    let of = |engine: &dyn Engine, size: u32| {
        let mut bench = Bench::new("mov o0, r0", size, 1);
        bench.launch.program = two.clone();
        bench.launch.statistics = false;
        let outcome = engine.run(&bench.launch, &mut bench.memory, &NoProgress);
        outcome.expect("it runs").ran.engine
    };
    // Two instructions over so many points. Shaders belong to a program, not to its text.
    let gpu = tiers.gpu.as_ref();
    for runs in ["interpreter", "translated"] {
        assert_eq!(of(gpu, 3), runs);
        gpu.settle();
    }
    assert_eq!(of(gpu, 400), "translated");
    let auto = tiers.auto.as_ref();
    assert_eq!(of(auto, 3), "block");
    assert_eq!(of(auto, 400), "translated");
}

#[test]
fn a_point_starts_with_its_index_and_zeros() {
    on_every_engine(
        "mov o0.rgb, r0 | mov o0.a, r1.r",
        5,
        3,
        |bench| fill(&mut bench.memory),
        |bench, outcome| {
            for (j, row) in bench.floats(0).iter().enumerate() {
                for (i, value) in row.iter().enumerate() {
                    assert_eq!(*value, [i as f32, j as f32, 0.0, 0.0]);
                }
            }
            assert!(outcome.faults.is_empty());
        },
    );
}

#[test]
fn all_sources_are_read_before_any_result_is_written() {
    // Channels rotate through one register; the alpha unit reads what the RGB unit writes.
    on_every_engine(
        "mov r1.rgb, r1.gbr | mov r1.a, r1.r\nmovx o0, r1",
        9,
        9,
        |bench| {
            bench.initial(1, |i, j| [i as f32, j as f32, 3.0, 4.0]);
        },
        |bench, _| {
            for (j, row) in bench.floats(0).iter().enumerate() {
                for (i, value) in row.iter().enumerate() {
                    assert_eq!(*value, [j as f32, 3.0, i as f32, i as f32]);
                }
            }
        },
    );
}

#[test]
fn inactive_points_write_nothing_but_with_write_inactive() {
    let source = "
        sub alu_result<0, r0.r, 2
        if alu_result
            mov r1.r, 1
            mov r1.g, 1 @inactive
        endif
        mov o0, r1";
    on_every_engine(
        source,
        4,
        1,
        |_| {},
        |bench, _| {
            let red: Vec<f32> = bench.floats(0)[0].iter().map(|v| v[0]).collect();
            let green: Vec<f32> = bench.floats(0)[0].iter().map(|v| v[1]).collect();
            assert_eq!(red, [1.0, 1.0, 0.0, 0.0]);
            assert_eq!(green, [1.0; 4]);
        },
    );
}

#[test]
fn predicates_gate_with_their_old_value() {
    // The instruction that sets p.r is itself gated by p.r, which is still 0.
    let source = "
        (p.r) sub r1.r & p.r<0, r0.r, 2
        (p.r) mov r1.g, 1
        (!p.r) mov r1.b, 1
        mov o0, r1";
    on_every_engine(
        source,
        3,
        1,
        |_| {},
        |bench, _| {
            let row = &bench.floats(0)[0];
            assert_eq!(row[0], [0.0, 1.0, 0.0, 0.0]);
            assert_eq!(row[1], [0.0, 1.0, 0.0, 0.0]);
            assert_eq!(row[2], [0.0, 0.0, 1.0, 0.0]);
        },
    );
}

#[test]
fn reads_see_memory_from_before_the_launch() {
    // Every point copies its left neighbour's element, in place.
    let source = "
        .input field i0
        sub r1.r, r0.r, 1
        mov r1.g, r0.g
        ld r2, i0[r1.rg]
        movx o0, r2";
    on_every_engine(
        source,
        40,
        70,
        |bench| {
            let data: Vec<u32> = (0..40 * 70 * 4).collect();
            bench.input(0, 40, 70, &data);
            bench.launch.outputs[0] = bench.launch.inputs[0];
        },
        |bench, outcome| {
            for (j, row) in bench.bits(0).iter().enumerate() {
                for (i, value) in row.iter().enumerate() {
                    let from = 4 * (40 * j + i.saturating_sub(1)) as u32;
                    assert_eq!(*value, [from, from + 1, from + 2, from + 3], "({i}, {j})");
                }
            }
            assert_eq!(
                outcome.hazards,
                ["input 0 `field` (pc 2, test.dpp:5:9) is read and output 0 (pc 3, test.dpp:6:9) \
                 is written in one launch, and they share memory: every read sees the memory from before the launch"]
            );
        },
    );
}

#[test]
fn reading_only_its_own_element_is_no_hazard() {
    on_every_engine(
        "ld r1, i0[r0.rg]\nadd o0, r1, r1",
        40,
        40,
        |bench| {
            bench.input(0, 40, 40, &[0x3f80_0000; 40 * 40 * 4]);
            bench.launch.outputs[0] = bench.launch.inputs[0];
        },
        |bench, outcome| {
            assert!(bench.floats(0).iter().flatten().all(|v| *v == [2.0; 4]));
            assert!(outcome.hazards.is_empty(), "{:?}", outcome.hazards);
        },
    );
}

#[test]
fn of_two_outputs_on_one_surface_the_higher_wins_where_both_write() {
    on_every_engine(
        "mov o1.rg, 2\nmov o0, 1",
        10,
        10,
        |bench| bench.launch.outputs[1] = bench.launch.outputs[0],
        |bench, _| {
            let all = |v: &[f32; 4]| *v == [2.0, 2.0, 1.0, 1.0];
            assert!(bench.floats(0).iter().flatten().all(all));
        },
    );
}

#[test]
fn uncached_writes_to_one_element_end_with_the_highest_point_and_instruction() {
    let source = "
        .umrt
        mov r1.r, r0.r
        mov r1.g, r0.g
        mad r1.r, r1.g, 64, r1.r
        mov r1.gb, {0, 0, 0}
        mov o0.rgb, r1.rgb | mov o0.a, 0
        add r1.r, r1.r, 0.5
        mov o0.rgb, r1.rgb | mov o0.a, 0";
    on_every_engine(
        source,
        20,
        12,
        |_| {},
        |bench, outcome| {
            // Every point writes twice to (0, 0): of (19, 11) the second write stays.
            assert_eq!(bench.floats(0)[0][0][0], 11.0 * 64.0 + 19.0 + 0.5);
            assert_eq!(bench.floats(0)[0][1][0], 0.0);
            assert!(outcome.faults.is_empty());
        },
    );
}

#[test]
fn a_killed_point_writes_nothing_and_is_counted() {
    let source = "
        sub r1, r0.r, 1
        texkill r1.rrrr
        mov o0, 1";
    on_every_engine(
        source,
        3,
        1,
        |_| {},
        |bench, outcome| {
            let red: Vec<f32> = bench.floats(0)[0].iter().map(|v| v[0]).collect();
            assert_eq!(red, [0.0, 1.0, 1.0]);
            let statistics = outcome.statistics.expect("asked for");
            assert_eq!(
                statistics,
                Statistics {
                    groups: 1,
                    points: 3,
                    alu: 1,
                    out: 1,
                    tex: 1,
                    lane_instructions: 3 + 3 + 2,
                    killed: 1,
                    ..Statistics::default()
                }
            );
        },
    );
}

#[test]
fn groups_are_tiles_whose_shape_follows_the_domain() {
    for (source, width, height, groups) in [
        ("mov o0, 1", 65, 1, 2),
        ("mdh r1, r0, -1\nmov o0, r1", 65, 1, 3),
        ("mov o0, 1", 65, 2, 3),
        ("mov o0, 1", 65, 3, 9),
        ("mov o0, 1", 8, 9, 2),
    ] {
        on_every_engine(
            source,
            width,
            height,
            |_| {},
            |_, outcome| {
                assert_eq!(outcome.groups, groups, "{source} {width} {height}");
                assert_eq!(outcome.points, (width * height) as u64);
            },
        );
    }
}

#[test]
fn an_empty_domain_runs_nothing() {
    on_every_engine(
        "mov o0, 1",
        4,
        4,
        |bench| {
            bench.launch.domain = Domain { i0: 3, j0: 0, i1: 2, j1: 3 };
        },
        |_, outcome| assert_eq!((outcome.groups, outcome.points), (0, 0)),
    );
}

#[test]
fn neighbours_are_read_from_points_outside_the_domain_too() {
    // The quad of the last column lies half outside; its points run like any other.
    on_every_engine(
        "mul r1, r0, r0\nmdh r2, r1, -1\nmov o0, r2",
        5,
        4,
        |_| {},
        |bench, _| {
            for row in bench.floats(0) {
                let steps: Vec<f32> = row.iter().map(|v| v[0]).collect();
                assert_eq!(steps, [1.0, 1.0, 5.0, 5.0, 9.0]);
            }
        },
    );
}

#[test]
fn the_conditional_operation_at_pe_skips_points() {
    on_every_engine(
        "mov o0, 1",
        6,
        6,
        |bench| {
            let surface = bench.surface(6, 6, Format::Float32x1);
            let data: Vec<u32> = (0..36).map(|n| (n as f32).to_bits()).collect();
            ctm::memory::write_array(&mut bench.memory, &surface, 6, 6, &data).expect("fits");
            bench.launch.condition = Condition {
                test: Test::Less,
                location: Location::Pe,
                value: 30f32.to_bits(),
                buffer: Some(surface),
                write: true,
            };
        },
        |bench, outcome| {
            let surface = bench.launch.condition.buffer.expect("set");
            let after = ctm::memory::read_array(&bench.memory, &surface, 6, 6).expect("inside");
            for (n, bits) in after.into_iter().enumerate() {
                let passed = 30.0 < n as f32;
                let want = if passed { 30.0 } else { n as f32 };
                assert_eq!(f32::from_bits(bits), want);
                let out = bench.floats(0)[n / 6][n % 6][0];
                assert_eq!(out, passed as u32 as f32);
            }
            assert_eq!(outcome.points, 5);
        },
    );
}

#[test]
fn a_conditional_buffer_that_is_not_touched_may_have_any_format() {
    for (test, write) in [(Test::Never, true), (Test::Never, false), (Test::Always, false)] {
        for location in [Location::Pe, Location::Dpp] {
            on_every_engine(
                "mov o0, 1",
                6,
                6,
                |bench| {
                    let buffer = Some(bench.surface(6, 6, Format::Float32x4));
                    bench.launch.condition = Condition { test, location, value: 0, buffer, write };
                },
                |bench, outcome| {
                    let written = f32::from(test == Test::Always);
                    let same = |row: &Vec<[f32; 4]>| row.iter().all(|v| *v == [written; 4]);
                    assert!(bench.floats(0).iter().all(same), "{test:?} {location:?}");
                    assert!(outcome.faults.is_empty());
                },
            );
        }
    }
}

#[test]
fn divergence_is_counted_where_covered_points_disagree() {
    let source = "
        sub alu_result<0, r0.r, 2
        if alu_result
            mov r1, 1
        endif
        mov o0, r1";
    for (width, divergent) in [(2, 0), (3, 1)] {
        on_every_engine(
            source,
            width,
            1,
            |_| {},
            |_, outcome| {
                let statistics = outcome.statistics.expect("asked for");
                assert_eq!(statistics.divergent, divergent, "width {width}");
                assert_eq!(statistics.fc, 2);
                // The points that do not take the branch sit out three instructions.
                let out = if width == 3 { 1 } else { 0 };
                assert_eq!(statistics.lane_instructions, (5 * width - 2 * out) as u64);
            },
        );
    }
}

#[test]
fn the_pc_goes_on_at_slot_0_after_slot_511() {
    // Slot 0 jumps to the last slot, which sets the predicate; the second time it goes on.
    let mut source = String::from(".end 1\njump -> 511 if !p.r\nmov o0, 1 @wait\n");
    for _ in 0..509 {
        source.push_str("mov r2, 1\n");
    }
    source.push_str("sub p.r>=0, r0.r, 0\n");
    on_every_engine(
        &source,
        2,
        2,
        |_| {},
        |bench, outcome| {
            assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
            assert!(bench.floats(0).iter().flatten().all(|v| *v == [1.0; 4]));
            let statistics = outcome.statistics.expect("asked for");
            assert_eq!((statistics.alu, statistics.out, statistics.fc), (1, 1, 2));
        },
    );
}
