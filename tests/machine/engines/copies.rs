//! Programs that move elements, which the block engine moves whole, and programs near to them: the
//! bytes of memory, faults, hazards and statistics are those of the reference engine.

use super::*;
use ctm::engine::block::Block;
use ctm::engine::reference::Reference;
use ctm::launch::FloatMode;
use ctm::memory::{ArenaSizes, Memory, Surface, Wrap};
use ctm::random::Random;

const COPY: &str = "ld r1, i0[r0.rg]\nmovx o0, r1";

/// 1 MiB of zeros, denormals, infinities, NaNs and arbitrary words.
fn memory() -> Memory {
    const SPECIAL: [u32; 12] = [
        0,
        0x8000_0000,
        1,
        0x8000_0001,
        0x007f_ffff,
        0x0080_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7f80_0001,
        0xffc1_2345,
        0x3f80_0000,
    ];
    let sizes = ArenaSizes { gpu: 1 << 20, gpub: 0, sys: 0, sysc: 0 };
    let mut memory = Memory::new(&sizes).expect("1 MiB");
    let mut random = Random::new(&[0x2007]);
    let bytes = memory.slice_mut(GPU, 1 << 20).expect("all of it");
    for word in bytes.as_chunks_mut::<4>().0 {
        let bits = random.bits();
        let special = SPECIAL.get(bits as usize % 24);
        *word = special.copied().unwrap_or(bits).to_le_bytes();
    }
    memory
}

/// A surface of 48 x 40 elements, 256 KiB after the one before.
fn place(n: u32, tiling: Tiling, format: Format) -> Surface {
    let mut surface = Surface::new(GPU + (n << 18), 0, 40, tiling, format);
    surface.pitch = surface.default_pitch(48);
    surface.width = 48;
    surface
}

/// Runs a launch over the points of a domain in a mode, on the reference engine and on the block
/// engine. Returns the block engine's memory.
fn same(source: &str, mode: FloatMode, domain: Domain, prepare: impl Fn(&mut Bench)) -> Vec<u8> {
    let run = |engine: &dyn Engine| {
        let mut bench = Bench::new(source, 48, 40);
        bench.memory = memory();
        bench.launch.domain = domain;
        bench.launch.mode = mode;
        bench.launch.inputs[0] = Some(place(0, Tiling::Linear, Format::Float32x4));
        bench.launch.outputs[0] = Some(place(1, Tiling::Tiled, Format::Float32x4));
        prepare(&mut bench);
        let outcome = bench.run(engine);
        (outcome, common::bytes(&bench.memory).swap_remove(0).1)
    };
    let (expected, found) = (run(&Reference::new()), run(&Block::new()));
    assert_eq!(found.0, expected.0, "{source}");
    let differs = found.1.iter().zip(&expected.1).position(|(a, b)| a != b);
    assert_eq!(differs, None, "{source}: the byte at this offset, {mode:?} {domain:?}");
    found.1
}

/// Domains of each grouping, whole and in part.
const DOMAINS: [Domain; 6] = [
    Domain { i0: 0, j0: 0, i1: 47, j1: 39 },
    Domain { i0: 3, j0: 5, i1: 29, j1: 18 },
    Domain { i0: 40, j0: 33, i1: 40, j1: 39 },
    Domain { i0: 0, j0: 7, i1: 47, j1: 7 },
    Domain { i0: 5, j0: 8, i1: 45, j1: 9 },
    // Beyond both surfaces.
    Domain { i0: 30, j0: 30, i1: 60, j1: 50 },
];

#[test]
fn elements_of_every_format_are_moved_between_all_layouts() {
    let untouched = memory();
    let untouched = untouched.slice(GPU, 1 << 20).expect("all of it");
    for format in Format::ALL {
        for from in [Tiling::Linear, Tiling::Tiled] {
            for to in [Tiling::Linear, Tiling::Tiled] {
                for domain in DOMAINS {
                    let after = same(COPY, FloatMode::Exact, domain, |bench| {
                        bench.launch.inputs[0] = Some(place(0, from, format));
                        bench.launch.outputs[0] = Some(place(1, to, format));
                    });
                    assert!(after != untouched);
                }
            }
        }
    }
}

#[test]
fn every_mode_and_every_last_step_gives_its_bits() {
    let steps = ["movx o0, r1", "mov o0, r1", "mov.sat o0, r1", "mov*8 o0, r1", "mov/4.sat o0, r1"];
    for step in steps {
        for mode in [FloatMode::Exact, FloatMode::Chip] {
            for format in Format::ALL {
                let source = format!("ld r1, i0[r0.rg]\n{step}");
                same(&source, mode, DOMAINS[1], |bench| {
                    bench.launch.inputs[0] = Some(place(0, Tiling::Tiled, format));
                    bench.launch.outputs[0] = Some(place(1, Tiling::Linear, format));
                });
            }
        }
    }
}

/// Mode `fast` has no reference: the program that also writes a second output is the measure.
#[test]
fn mode_fast_gives_the_bits_of_a_program_that_does_more() {
    for step in ["movx", "mov", "mov.sat", "mov*2"] {
        for format in Format::ALL {
            let run = |source: &str| {
                let mut bench = Bench::new(source, 48, 40);
                bench.memory = memory();
                bench.launch.mode = FloatMode::Fast;
                bench.launch.inputs[0] = Some(place(0, Tiling::Linear, format));
                bench.launch.outputs[0] = Some(place(1, Tiling::Tiled, format));
                bench.launch.outputs[1] = Some(place(2, Tiling::Tiled, format));
                bench.run(&Block::new());
                bench.memory.slice(GPU, 2 << 18).expect("inside").to_vec()
            };
            let alone = run(&format!("ld r1, i0[r0.rg]\n{step} o0, r1"));
            let more = run(&format!("ld r1, i0[r0.rg]\n{step} o0, r1\n{step} o1, r1"));
            assert!(alone == more, "{step} {format}");
        }
    }
}

#[test]
fn other_texels_than_the_own_are_moved_too() {
    for coordinate in ["i0[r0.gr]", "i0[r0.rr]", "i0[r0.gg]", "i0[r1.rg]", "i0(r0.rg)"] {
        for wrap in [Wrap::Clamp, Wrap::Repeat] {
            for domain in DOMAINS {
                let source = format!("ld r1, {coordinate}\nmovx o0, r1");
                same(&source, FloatMode::Exact, domain, |bench| {
                    let input = place(0, Tiling::Linear, Format::Float32x2);
                    // Smaller than the domain: coordinates are brought inside.
                    bench.launch.inputs[0] = Some(Surface { width: 20, height: 9, wrap, ..input });
                    bench.launch.outputs[0] = Some(place(1, Tiling::Tiled, Format::Float32x2));
                });
            }
        }
    }
    // Points start with data, so a coordinate is any number.
    for domain in DOMAINS {
        same("ld r1, i0[r2.rg]\nmovx o0, r1", FloatMode::Exact, domain, |bench| {
            bench
                .initial(2, |i, j| [50.5 - i as f32, j as f32 * f32::MIN_POSITIVE / 4.0, 0.0, 0.0]);
        });
    }
}

#[test]
fn a_copy_onto_its_source_reads_first() {
    let input = place(0, Tiling::Linear, Format::Float32x4);
    let row = input.address(0, 1) - input.address(0, 0);
    let moved = |by: u32| Surface { base: input.base + by, ..input };
    let tiled = Surface { tiling: Tiling::Tiled, ..input };
    for output in [input, moved(row), moved(32), moved(8 * row), tiled] {
        for domain in DOMAINS {
            for coordinate in ["r0.rg", "r0.gr"] {
                let source = format!("ld r1, i0[{coordinate}]\nmovx o0, r1");
                same(&source, FloatMode::Exact, domain, |bench| {
                    bench.launch.outputs[0] = Some(output);
                });
            }
        }
    }
}

#[test]
fn surfaces_that_are_not_in_memory_or_too_small_fault() {
    let end = GPU + (1 << 20);
    for (of_input, of_output) in [(0, 0x4000), (0x4000, 0), (0x4000, 0x2000)] {
        for domain in DOMAINS {
            same(COPY, FloatMode::Exact, domain, |bench| {
                for (surface, bytes) in [
                    (&mut bench.launch.inputs[0], of_input),
                    (&mut bench.launch.outputs[0], of_output),
                ] {
                    if let Some(surface) = surface.as_mut().filter(|_| bytes != 0) {
                        surface.base = end - bytes;
                    }
                }
            });
        }
    }
    // Rows that overlap, and an output of few rows.
    for (pitch, height) in [(46, 40), (48, 11)] {
        same(COPY, FloatMode::Exact, DOMAINS[0], |bench| {
            let output = place(1, Tiling::Linear, Format::Uint8x1);
            bench.launch.inputs[0] = Some(place(0, Tiling::Linear, Format::Uint8x1));
            bench.launch.outputs[0] = Some(Surface { pitch, height, ..output });
        });
    }
}

#[test]
fn programs_near_to_a_copy_do_what_they_say() {
    for source in [
        "ld r1, i0[r0.rg].bgra\nmovx o0, r1",
        "ld r1, i0[r0.rg]\nmovx o0, r1.gbar",
        "ld r1.rgb, i0[r0.rg]\nmovx o0, r1",
        "ld r1, i0[r0.rg]\nmovx o0.rgb, r1",
        "ld r1, i0[r0.rg]\nmovx o0.rgb, r1 | movx o0.a, r2.a",
        "ld r1, i0[r0.rg]\nmovx o0, -r1",
        "ld r1, i0[r0.rg]\nmovx o0, r0",
        "ld r1, i0[r0.rg]\nmovx o0.rgb, r1 | mov o0.a, r1",
        "ld r1, i0[r0.rg]\nmov*2 r2, r1\nmov*2 o0, r2",
        "ld r1, i0[r0.rg]\nmov*2 r2, r1\nmov o0, r2",
        "ld r1, i0[r0.rg] @ignore_uncovered\nmovx o0, r1",
        "add r2.rg, r0, 1\nld r1, i0[r2.rg]\nmovx o0, r1",
        "ld r1, i0[r0.rg]\nld r1, i0[r1.rg]\nmovx o0, r1",
        "ld r1, i0[r0.rg]\nmad o0, r1, r1, r0",
        "ld r1, i0[r0.rg]\nmovx o0, r1\nmovx o0.r, r0",
        "ld r1, i0[r0.rg]\nfrc p.r==0, r1.r\n(p.r) movx o0, r1",
        "ld r1, i0[r0.rg]\nadd r2, r0, -9.5\ntexkill r2\nmovx o0, r1",
        "ld r1, i0[r0.rg]\nrep 2\nmovx o0, r1\nendrep\nend",
    ] {
        for domain in DOMAINS {
            for format in [Format::Float32x4, Format::Uint8x4, Format::Float32x1] {
                same(source, FloatMode::Exact, domain, |bench| {
                    bench.launch.inputs[0] = Some(place(0, Tiling::Linear, format));
                    bench.launch.outputs[0] = Some(place(1, Tiling::Tiled, format));
                });
            }
        }
    }
}

#[test]
fn launches_near_to_a_copy_do_what_they_say() {
    let tests = [Test::Never, Test::Less, Test::Always];
    for domain in DOMAINS {
        for mask in [0, 0b0111, 0b1000] {
            same(COPY, FloatMode::Exact, domain, |bench| bench.launch.out_mask = mask);
        }
        // Another format, and four neighbours.
        let others = [
            (Tiling::Linear, Format::Float32x2),
            (Tiling::Linear, Format::Uint16x4),
            (Tiling::LinearInp2x2, Format::Float32x1),
        ];
        for (tiling, format) in others {
            for output in [Format::Float32x4, format] {
                same(COPY, FloatMode::Exact, domain, |bench| {
                    bench.launch.inputs[0] = Some(place(0, tiling, format));
                    bench.launch.outputs[0] = Some(place(1, Tiling::Linear, output));
                });
            }
        }
        for location in [Location::Pe, Location::Dpp] {
            for test in tests {
                same(COPY, FloatMode::Exact, domain, |bench| {
                    bench.launch.condition = Condition {
                        location,
                        test,
                        value: 0x3f00_0000,
                        buffer: Some(place(2, Tiling::Linear, Format::Float32x1)),
                        ..Condition::default()
                    };
                });
            }
        }
    }
}

/// Clients take the place of a point from an interpolant.
#[test]
fn interpolated_places_are_the_own_or_not() {
    // Column and row are a + b (i + 0.5) + c (j + 0.5).
    let own = [[-0.5, 1.0, 0.0], [-0.5, 0.0, 1.0]];
    let near = |f: fn(&mut [[f32; 3]; 2])| {
        let mut planes = own;
        f(&mut planes);
        planes
    };
    for planes in [
        own,
        near(|planes| planes.iter_mut().for_each(|plane| plane[0] += 0.05)),
        near(|planes| planes[1][0] += 0.6),
        near(|planes| planes[0][1] = 0.98),
        near(|planes| planes[0][2] = 0.01),
        near(|planes| planes[1][1] = -0.0),
        near(|planes| planes.swap(0, 1)),
        near(|planes| planes[0][0] = f32::NAN),
    ] {
        for domain in &DOMAINS[..5] {
            same("ld r1, i0[r2.rg]\nmovx o0, r1", FloatMode::Exact, *domain, |bench| {
                let mut all = [[[0; 3]; 4]; 7];
                all[1][0] = planes[0].map(f32::to_bits);
                all[1][1] = planes[1].map(f32::to_bits);
                bench.launch.interpolants = Some(Arc::new(all));
            });
        }
    }
}
