//! Random shaders with branches, loops, breaks, subroutines and predicates against the interpreter.

mod ps_common;

use ctm::check::random::Random;
use ctm::engine::Engine;
use ctm::engine::block::Block;
use ctm::engine::reference::Reference;
use ps_common::generate;
use ps_common::run::check;

const SEED: u64 = 0x666c_6f77;

#[test]
fn random_shaders_do_what_they_say() {
    let engines: [&dyn Engine; 2] = [&Reference::new(), &Block::new()];
    let (mut killed, mut points) = (0, 0);
    let mut statements = std::collections::BTreeMap::new();
    for n in 0..600 {
        let mut random = Random::new(&[SEED, n]);
        let shader = generate::shader(&mut random);
        let inputs = generate::inputs(&mut random, 70);
        let what = format!("shader {n}, seed {SEED:#x}");
        let results = check(&shader, &inputs, engines[n as usize % 2], &what);
        points += results.len();
        killed += results
            .iter()
            .filter(|result| result.colors[0][0].is_none())
            .count();
        for line in shader.text().lines() {
            let name = line.trim().split(' ').find(|word| !word.starts_with('('));
            *statements
                .entry(name.unwrap_or("").to_string())
                .or_insert(0) += 1;
        }
    }
    println!("seed {SEED:#x}: {points} points, {killed} of them killed, {statements:?}");
    for name in [
        "else", "rep", "loop", "break", "breakp", "break_gt", "if_lt", "call", "callnz", "texkill",
        "texldp", "sincos",
    ] {
        assert!(statements.contains_key(name), "no {name}");
    }
    assert!(killed * 2 < points, "{killed} of {points} killed");
}

use ctm::engine::NoProgress;
use ctm::launch::{Constants, Domain, Initial, Launch};
use ctm::memory::{ArenaKind, ArenaSizes, Format, Memory, Surface, Tiling, array};
use ctm::program::Program;
use std::sync::Arc;

/// Runs a shader over a rectangle with an input of the same size and reads output 0.
fn rectangle(
    source: &str,
    (width, height): (u32, u32),
    input: &[u32],
    prepare: impl Fn(&mut Launch),
) -> Vec<[u32; 4]> {
    let image = ctm::ps::compile(source, "test.ps").unwrap_or_else(|errors| panic!("{errors}"));
    let program = Arc::new(Program::new(image).expect("valid"));
    let sizes = ArenaSizes {
        gpu: 1 << 18,
        sysc: 0,
        ..ArenaSizes::default()
    };
    let mut memory = Memory::new(&sizes).expect("memory");
    let base = memory.base(ArenaKind::Gpu);
    let domain = Domain {
        i0: 0,
        j0: 0,
        i1: width - 1,
        j1: height - 1,
    };
    let mut launch = Launch::new(program.clone(), domain);
    launch.constants = Arc::new(Constants::with_literals(&program.image().literals));
    let surface = |n: u32| {
        let mut surface = Surface::new(
            base + n * 0x1_0000,
            width.next_multiple_of(64),
            height,
            Tiling::Linear,
            Format::Float32x4,
        );
        surface.width = width;
        surface
    };
    let (from, to) = (surface(0), surface(1));
    if !input.is_empty() {
        array::write_array(&mut memory, &from, width, height, input).expect("fits");
    }
    launch.inputs[0] = Some(from);
    launch.outputs[0] = Some(to);
    prepare(&mut launch);
    let outcome = Reference::new()
        .run(&launch, &mut memory, &NoProgress)
        .expect("runs");
    assert!(outcome.faults.is_empty());
    let data = array::read_array(&memory, &to, width, height).expect("inside");
    data.chunks(4)
        .map(|value| [value[0], value[1], value[2], value[3]])
        .collect()
}

#[test]
fn a_public_clients_copy_program_copies_every_bit() {
    let source = "    ps_3_0            \n    dcl vPos.xy       \n    dcl_2d s0         \n    texld r0, vPos, s0\n    mov oC0.xyzw, r0  \n    end               \n";
    let mut random = Random::new(&[SEED, 1]);
    let data: Vec<u32> = (0..37 * 11 * 4).map(|_| random.hard()).collect();
    let copied = rectangle(source, (37, 11), &data, |_| {});
    assert_eq!(copied.as_flattened(), data);
}

#[test]
fn derivatives_are_those_of_the_quad() {
    let mut random = Random::new(&[SEED, 2]);
    let values: Vec<[u32; 4]> = (0..8 * 6)
        .map(|_| [0; 4].map(|_| generate::value(&mut random)))
        .collect();
    let sources = [
        ("dsx oC0, v0", [0, 1, 2, 3], 0),
        ("dsy oC0, v0", [0, 1, 2, 3], 0),
        ("dsx oC0, -v0.wzyx", [3, 2, 1, 0], 0x8000_0000),
        ("dsy_sat oC0, v0.x", [0; 4], 0),
    ];
    for (line, swizzle, sign) in sources {
        let source = format!("ps_3_0\ndcl_texcoord v0\n{line}\n");
        let found = rectangle(&source, (8, 6), &[], |launch| {
            launch.initial.push(Initial {
                temp: 1,
                data: Arc::new(values.clone()),
            });
        });
        for (n, found) in found.iter().enumerate() {
            let (i, j) = ((n % 8) & !1, (n / 8) & !1);
            let (di, dj) = if line.starts_with("dsx") {
                (1, 0)
            } else {
                (0, 1)
            };
            let wanted = swizzle.map(|channel| {
                let at = |i: usize, j: usize| values[j * 8 + i][channel] ^ sign;
                let difference = ctm::float::add(at(i + di, j + dj), ctm::float::neg(at(i, j)));
                match line.contains("_sat") {
                    true => ctm::float::clamp01(difference),
                    false => difference,
                }
            });
            assert_eq!(*found, wanted, "{line}, point {n}");
        }
    }
}

#[test]
fn inputs_are_the_interpolants_of_their_numbers() {
    // Component n of interpolant k is 100 k + n + i + 0.5.
    let planes = std::array::from_fn(|k| {
        std::array::from_fn(|n| [(100 * k + n) as f32, 1.0, 0.0].map(f32::to_bits))
    });
    for k in 0..7 {
        let source = format!("ps_3_0\ndcl_texcoord{} v{k}\nmov oC0, v{k}\n", 6 - k);
        let found = rectangle(&source, (4, 1), &[], |launch| {
            launch.interpolants = Some(Arc::new(planes));
        });
        for (i, value) in found.iter().enumerate() {
            let wanted = [0, 1, 2, 3].map(|n| (100 * k + n + i) as f32 + 0.5);
            assert_eq!(value.map(f32::from_bits), wanted);
        }
    }
}
