//! Reads and writes of launches, on the GPU's interpreter against the reference engine: the order
//! of writes, formats, domains, registers. See `common` for when these tests run.

use crate::common::{Bench, GPU};
use crate::same::{self, place, same, silent};
use ctm::engine::Outcome;
use ctm::engine::gpu::{AdapterChoice, Gpu, Interpreter};
use ctm::launch::{Condition, Domain, IntConstant, Location, Test};
use ctm::memory::{Format, Surface, Tiling, array};
use std::sync::Arc;

/// Memory changes, or it must not.
fn either(
    changes: bool,
    what: &str,
    source: &str,
    size: (u32, u32),
    prepare: impl Fn(&mut Bench),
) -> Outcome {
    if changes { same(what, source, size, prepare) } else { silent(what, source, size, prepare) }
}

// ---- writes in the defined order

/// 40 writes of each point from one instruction, to elements that other points write, too.
const MANY_WRITES: &str = ".umrt
    mov r1.gb, r0.rrg
    rep 40
        add r1.r, r1.r, 1
        mul r2.rg, r1.gbb, 0.5
        mov r3.r, r1.r
        mov r3.gb, r2.rrg
        mov o0.rgb, r3.rgb | mov o0.a, 0
    endrep
    end";

#[test]
#[ignore = "needs an adapter"]
fn logs_of_a_part_of_the_groups_where_buffers_are_small() {
    let small = |bytes: u64| {
        let mut gpu = Gpu::open(&AdapterChoice::from_environment()).expect("an adapter");
        gpu.limits.max_storage_buffer_binding_size = bytes;
        Interpreter::on(gpu)
    };
    let prepare = |bench: &mut Bench| {
        let output = place(0, 64, 64, Tiling::Linear, Format::Float32x1);
        bench.launch.outputs[0] = Some(output);
    };
    // Room for the writes of one group, not of two.
    same::same_on(&small(1 << 18), "parts", MANY_WRITES, (37, 21), &prepare);
    let engine = small(1 << 17);
    let before = same::bench(MANY_WRITES, (37, 21), &prepare);
    let mut bench = same::bench(MANY_WRITES, (37, 21), &prepare);
    let error = bench.try_run(&engine).expect_err("a group writes too much");
    let name = &engine.gpu().info.name;
    assert_eq!(
        error.to_string(),
        format!(
            "engine interpreter: adapter {name}: the largest buffer in bytes, for the writes of \
             one group, is 65520, but 92160 is needed"
        )
    );
    assert_eq!(same::difference(&before.memory, &bench.memory), None);
    // The engine goes on.
    same::same_on(&engine, "afterwards", "mov o0, r0", (5, 5), &|_| {});
}

#[test]
#[ignore = "needs an adapter"]
fn uncached_writes_that_overflow_the_first_log() {
    let source = MANY_WRITES;
    for (width, height) in [(64, 1), (37, 21)] {
        let outcome = same("many writes", source, (width, height), |bench| {
            let output = place(0, 64, 64, Tiling::Linear, Format::Float32x1);
            bench.launch.outputs[0] = Some(output);
        });
        assert!(outcome.faults.is_empty(), "{:?}", outcome.faults);
    }
    // Groups that fault, and points that do not pass the condition, wrote nothing.
    let source = ".umrt
        mov r1.r, 7
        mov r1.gb, r0.rrg
        mov o0.rgb, r1.rgb | mov o0.a, 0
        sub alu_result>=0, r0.r, 24
        jump -> 300 if alu_result @any
        end";
    same("dropped", source, (40, 20), |bench| {
        bench.launch.outputs[0] = Some(place(0, 64, 64, Tiling::Tiled, Format::Float32x1));
        bench.launch.condition = Condition {
            test: Test::Less,
            location: Location::Dpp,
            value: 0,
            buffer: Some(place(1, 64, 64, Tiling::Linear, Format::Uint16x1)),
            write: true,
        };
    });
}

#[test]
#[ignore = "needs an adapter"]
fn uncached_writes_of_more_groups_than_one_log_takes() {
    // 8192 groups whose first log would need more than lavapipe's largest buffer, half of them.
    let source = ".umrt\nmov r1.r, r0.r\nmov r1.gb, r0.rrg\nmov o0.rgb, r1.rgb | mov o0.a, 0";
    let prepare = |bench: &mut Bench| {
        let sizes = ctm::memory::ArenaSizes { gpu: 4 << 20, gpub: 0, sys: 0, sysc: 0 };
        bench.memory = ctm::memory::Memory::new(&sizes).expect("it fits");
        let format = Format::Float32x1;
        bench.launch.outputs[0] = Some(Surface::new(GPU, 1024, 512, Tiling::Linear, format));
    };
    let outcome = same("a large log", source, (1024, 512), prepare);
    assert_eq!(outcome.groups, 8192);
    assert!(outcome.faults.is_empty());
}

#[test]
#[ignore = "needs an adapter"]
fn outputs_that_overlap_and_rows_that_share_bytes() {
    let source = "mov o0, r0.rgrg\nadd o1, r0.grgr, 100\nmov o2.rb, 7\nmad o3, r0, 3, 1";
    let linear = |base: u32, pitch: u32, format: Format| {
        let mut surface = place(0, pitch, 40, Tiling::Linear, format);
        surface.base += base;
        Some(surface)
    };
    same("one surface", source, (33, 19), |bench| {
        bench.launch.outputs = [linear(0, 64, Format::Float32x4); 4];
    });
    same("rows apart", source, (33, 19), |bench| {
        bench.launch.outputs[0] = linear(0, 64, Format::Float32x4);
        bench.launch.outputs[1] = linear(0x800, 64, Format::Uint8x4);
        bench.launch.outputs[2] = linear(0x1000, 32, Format::Float32x2);
        bench.launch.outputs[3] = linear(0x820, 16, Format::Uint16x1);
    });
    for pitch in [1, 3, 13, 30] {
        for tiling in [Tiling::Linear, Tiling::Tiled] {
            same("odd pitch", source, (33, 19), |bench| {
                for (n, format) in
                    [Format::Float32x4, Format::Uint16x1, Format::Uint8x4, Format::Float32x1]
                        .into_iter()
                        .enumerate()
                {
                    bench.launch.outputs[n] = Some(place(n as u32, pitch, 40, tiling, format));
                }
            });
        }
    }
}

#[test]
#[ignore = "needs an adapter"]
fn launches_that_write_what_they_read() {
    let own = "ld r1, i0[r0.rg]\nadd o0, r1, 1";
    let foreign = "add r1, r0, 1\nld r2, i0[r1.rg]\nld r3, i0[r0.rg]\nmad o0, r2, 3, r3";
    let some = "mul r1.rg, r0.rgr, {0.5, 1, 0}\nld r2, i0[r1.rg]\nadd o0, r2, 1";
    for tiling in [Tiling::Linear, Tiling::Tiled] {
        for (source, hazards) in [(own, 0), (foreign, 1), (some, 1)] {
            for size in [(70, 50), (130, 1), (65, 2)] {
                let outcome = same("in place", source, size, |bench| {
                    let mut surface = place(0, 160, 50, tiling, Format::Float32x4);
                    surface.width = size.0;
                    surface.height = size.1;
                    bench.launch.inputs[0] = Some(surface);
                    bench.launch.outputs[0] = Some(surface);
                });
                assert_eq!(outcome.hazards.len(), hazards, "{source} {size:?}");
            }
        }
    }
    // Another view of the same bytes, and bytes that only meet.
    for (base, format) in [(0, Format::Float32x1), (0x1000, Format::Float32x4)] {
        let outcome = same("overlap", foreign, (60, 40), |bench| {
            let input = place(0, 64, 40, Tiling::Linear, Format::Float32x4);
            let mut output = place(0, 64, 40, Tiling::Linear, format);
            output.base += base;
            bench.launch.inputs[0] = Some(input);
            bench.launch.outputs[0] = Some(output);
        });
        assert_eq!(outcome.hazards.len(), 1);
    }
    // The conditional buffer is an input and an output as well.
    same("condition", own, (40, 30), |bench| {
        let surface = place(0, 64, 40, Tiling::Linear, Format::Float32x1);
        bench.launch.inputs[0] = Some(surface);
        bench.launch.outputs[0] = Some(surface);
        bench.launch.condition = Condition {
            test: Test::Greater,
            location: Location::Pe,
            value: 12f32.to_bits(),
            buffer: Some(surface),
            write: true,
        };
    });
}

// ---- formats, domains, registers

#[test]
#[ignore = "needs an adapter"]
fn integer_outputs_with_masks_on_odd_domains() {
    let source = "mul o0, r0.rgrg, {0.01, 0.02, 0.03, 0.001}\nmov o1.rb, 0.7";
    let domains = [(0, 0, 0, 0), (1, 0, 1, 3), (3, 5, 37, 22), (5, 7, 69, 7), (7, 6, 40, 7)];
    for format in Format::ALL.into_iter().filter(|format| !format.is_float()) {
        for tiling in [Tiling::Linear, Tiling::Tiled] {
            for (n, (i0, j0, i1, j1)) in domains.into_iter().enumerate() {
                for mask in [15, 1, 5, 8, 10] {
                    let what = format!("{format} {tiling} {n} {mask}");
                    // Formats of fewer channels have none of the others.
                    let none = mask & ((1 << format.channels()) - 1) == 0;
                    either(!none, &what, source, (4, 4), |bench| {
                        bench.launch.domain = Domain { i0, j0, i1, j1 };
                        bench.launch.out_mask = mask;
                        bench.launch.outputs[0] = Some(place(0, 96, 40, tiling, format));
                        bench.launch.outputs[1] = Some(place(1, 96, 40, tiling, format));
                    });
                }
            }
        }
    }
}

#[test]
#[ignore = "needs an adapter"]
fn conditions_of_every_kind() {
    let source = "sub r1.a, r0.r, 9\nmov o0, r0 | mov w, r1.a\nend";
    for test in Test::ALL {
        for location in [Location::Pe, Location::Dpp] {
            for format in [Format::Float32x1, Format::Uint16x1] {
                for write in [true, false] {
                    let what = format!("{} {} {format} {write}", test.name(), location.name());
                    either(test != Test::Never, &what, source, (35, 9), |bench| {
                        let buffer = place(0, 64, 20, Tiling::Tiled, format);
                        let data: Vec<u32> = (0..64 * 20)
                            // Of what W is, some elements hold the same, some less, some more.
                            .map(|n| (n + n / 64 % 3) % 16)
                            .map(|n| match format {
                                // A point's own value is the least or the largest.
                                Format::Uint16x1 => [0, 9, 0xffff][n as usize % 3],
                                _ => (n as f32 - 9.0).to_bits(),
                            })
                            .collect();
                        array::write_array(&mut bench.memory, &buffer, 64, 20, &data)
                            .expect("it fits");
                        bench.launch.domain = Domain { i0: 3, j0: 1, i1: 37, j1: 9 };
                        bench.launch.condition = Condition {
                            test,
                            location,
                            value: match format {
                                Format::Uint16x1 => 9,
                                _ => 2f32.to_bits(),
                            },
                            buffer: Some(buffer),
                            write,
                        };
                    });
                }
            }
        }
    }
}

#[test]
#[ignore = "needs an adapter"]
fn domains_of_every_shape() {
    let source =
        "mdh r1, r0.rgrg, -1\nmul r2, r0.rgrg, r0.grgr\nmdv r3, r2, -1\nadd o0, r1, r3\nmov o1, r0";
    let plain = "mad o0, r0.rgrg, {1, 2, 3, 4}, 5\nmov o1.rg, r0";
    for source in [source, plain] {
        for (i0, j0, i1, j1) in [
            (0, 0, 0, 0),
            (0, 0, 200, 0),
            (63, 0, 64, 0),
            (5, 3, 130, 3),
            (0, 0, 90, 1),
            (31, 1, 33, 2),
            (7, 4, 70, 5),
            (1, 1, 20, 30),
            (17, 0, 17, 40),
            (8, 8, 15, 15),
            (9, 3, 8, 9),
        ] {
            for statistics in [true, false] {
                // The last one is empty.
                either(i0 <= i1, "a domain", source, (4, 4), |bench| {
                    bench.launch.statistics = statistics;
                    bench.launch.domain = Domain { i0, j0, i1, j1 };
                    bench.launch.outputs[0] =
                        Some(place(0, 256, 48, Tiling::Linear, Format::Float32x4));
                    bench.launch.outputs[1] =
                        Some(place(4, 256, 48, Tiling::Tiled, Format::Float32x2));
                });
            }
        }
    }
}

#[test]
#[ignore = "needs an adapter"]
fn many_registers_and_relative_addresses() {
    // 40 temporaries in all channels: more rows than points have room for.
    let mut many = String::new();
    for n in 1..40 {
        many.push_str(&format!("mad r{n}, r0.rgrg, r{}, {n}\n", n - 1));
    }
    many.push_str("rep 3\n");
    for n in 1..40 {
        many.push_str(&format!("add r1, r1, r{n}\n"));
    }
    many.push_str("endrep\nmov o0, r1");
    same("many registers", &many, (30, 20), |_| {});
    let relative = "
        .literal n0 30 5 3
        mov r5, r0.rgrg
        loop n0
            mad r[aL+8], r[aL+5], 0.5, c[aL]
            ld r[aL+40], i0[r[aL+3].rg]
            add r1, r1, r[aL+40]
        endloop
        add r2, r17, r30
        add o0, r1, r2";
    for statistics in [true, false] {
        same("relative", relative, (20, 20), |bench| {
            bench.launch.statistics = statistics;
            let data: Vec<u32> = (0..400 * 4).map(|n| (n as f32 / 8.0).to_bits()).collect();
            bench.input(0, 20, 20, &data);
            let mut constants = (*bench.launch.constants).clone();
            for (n, c) in constants.float.iter_mut().enumerate() {
                *c = [n as f32, 1.5, -(n as f32), 0.25].map(f32::to_bits);
            }
            bench.launch.constants = Arc::new(constants);
        });
    }
    // The same for longer than a slice.
    let long = "
        .literal n0 200 0 1
        rep 60
            loop n0
                add r[aL+3], r[aL+3], r[aL+2]
                mad r2, r2, 0.5, 1
            endloop
        endrep
        add o0, r7, r90";
    same("relative, in slices", long, (9, 3), |_| {});
}

#[test]
#[ignore = "needs an adapter"]
fn start_values_from_interpolants_and_data() {
    let source = "add r8, r1, r2\nadd r8, r8, r7\nadd r9, r20, r127\nadd o0, r8, r9\nmov o1, r3";
    for (interpolants, initial) in [(true, false), (false, true), (true, true)] {
        for (i0, j0, i1, j1) in [(0, 0, 20, 12), (5, 9, 30, 9), (11, 3, 50, 4)] {
            same("start values", source, (4, 4), |bench| {
                bench.launch.domain = Domain { i0, j0, i1, j1 };
                for n in 0..2 {
                    bench.launch.outputs[n] =
                        Some(place(n as u32, 64, 20, Tiling::Linear, Format::Float32x4));
                }
                if interpolants {
                    let plane = |n: usize| {
                        let n = n as f32;
                        [n, 0.3 * n, -0.7 / (n + 1.0)].map(f32::to_bits)
                    };
                    bench.launch.interpolants = Some(Arc::new(std::array::from_fn(|t| {
                        std::array::from_fn(|channel| plane(4 * t + channel))
                    })));
                }
                if initial {
                    for temp in [2, 20, 127] {
                        bench.initial(temp, |i, j| [i as f32, j as f32 / 3.0, -0.0, temp as f32]);
                    }
                }
            });
        }
    }
}

#[test]
#[ignore = "needs an adapter"]
fn integer_constants_and_negative_steps() {
    let source =
        "loop n3\nadd r1, r1, c[aL+4]\nrep n4\nadd r2, r2, 1\nendrep\nendloop\nadd o0, r1, r2";
    for (count, start, step) in [(0, 0, 0), (1, 200, -128), (255, 7, 127), (9, 250, -1)] {
        same("constants", source, (12, 5), |bench| {
            let mut constants = (*bench.launch.constants).clone();
            constants.int[3] = IntConstant { count, start, step };
            constants.int[4] = IntConstant { count: 3, ..IntConstant::default() };
            for (n, c) in constants.float.iter_mut().enumerate() {
                *c = [(n as f32).to_bits(); 4];
            }
            bench.launch.constants = Arc::new(constants);
        });
    }
}
