//! Random shaders with branches, loops, breaks, subroutines and predicates against the interpreter.

use crate::ps_common::generate;
use crate::ps_common::run::check;
use ctm_base::random::Random;
use ctm_lang::ps::compile;
use ctm_machine::engine::Engine;
use ctm_machine::engine::block::Block;
use ctm_machine::engine::reference::Reference;

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
        let results = check(&shader, &inputs, engines[n as usize % 2], compile, &what);
        points += results.len();
        killed += results.iter().filter(|result| result.colors[0][0].is_none()).count();
        for line in shader.text().lines() {
            let name = line.trim().split(' ').find(|word| !word.starts_with('('));
            *statements.entry(name.unwrap_or("").to_string()).or_insert(0) += 1;
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

use ctm_lang::program::Program;
use ctm_machine::engine::NoProgress;
use ctm_machine::launch::{Constants, Domain, Initial, Launch};
use ctm_machine::memory::{ArenaKind, ArenaSizes, Format, Memory, Surface, Tiling, array};
use std::sync::Arc;

/// Runs a shader over a rectangle with an input of the same size and reads output 0.
fn rectangle(
    source: &str,
    (width, height): (u32, u32),
    input: &[u32],
    prepare: impl Fn(&mut Launch),
) -> Vec<[u32; 4]> {
    let image =
        ctm_lang::ps::compile(source, "test.ps").unwrap_or_else(|errors| panic!("{errors}"));
    let program = Arc::new(Program::new(image).expect("valid"));
    let sizes = ArenaSizes { gpu: 1 << 18, sysc: 0, ..ArenaSizes::default() };
    let mut memory = Memory::new(&sizes).expect("memory");
    let base = memory.base(ArenaKind::Gpu);
    let domain = Domain { i0: 0, j0: 0, i1: width - 1, j1: height - 1 };
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
    let outcome = Reference::new().run(&launch, &mut memory, &NoProgress).expect("runs");
    assert!(outcome.faults.is_empty());
    let data = array::read_array(&memory, &to, width, height).expect("inside");
    data.chunks(4).map(|value| [value[0], value[1], value[2], value[3]]).collect()
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
    let values: Vec<[u32; 4]> =
        (0..8 * 6).map(|_| [0; 4].map(|_| generate::value(&mut random))).collect();
    let sources = [
        ("dsx oC0, v0", [0, 1, 2, 3], 0),
        ("dsy oC0, v0", [0, 1, 2, 3], 0),
        ("dsx oC0, -v0.wzyx", [3, 2, 1, 0], 0x8000_0000),
        ("dsy_sat oC0, v0.x", [0; 4], 0),
    ];
    for (line, swizzle, sign) in sources {
        let source = format!("ps_3_0\ndcl_texcoord v0\n{line}\n");
        let found = rectangle(&source, (8, 6), &[], |launch| {
            launch.initial.push(Initial { temp: 1, data: Arc::new(values.clone()) });
        });
        for (n, found) in found.iter().enumerate() {
            let (i, j) = ((n % 8) & !1, (n / 8) & !1);
            let (di, dj) = if line.starts_with("dsx") { (1, 0) } else { (0, 1) };
            let wanted = swizzle.map(|channel| {
                let at = |i: usize, j: usize| values[j * 8 + i][channel] ^ sign;
                let difference =
                    ctm_isa::float::add(at(i + di, j + dj), ctm_isa::float::neg(at(i, j)));
                if line.contains("_sat") { ctm_isa::float::clamp01(difference) } else { difference }
            });
            assert_eq!(*found, wanted, "{line}, point {n}");
        }
    }
}

/// The values that a shader writes to oC0 at two points, where component n of interpolant k is
/// 100 k + n + i + 0.5.
fn of_interpolants(source: &str) -> [[f32; 4]; 2] {
    let planes = std::array::from_fn(|k| {
        std::array::from_fn(|n| [(100 * k + n) as f32, 1.0, 0.0].map(f32::to_bits))
    });
    let found = rectangle(source, (2, 1), &[], |launch| {
        launch.interpolants = Some(Arc::new(planes));
    });
    [0, 1].map(|i| found[i].map(f32::from_bits))
}

/// Four channels, each of an interpolant.
fn channels(interpolants: [usize; 4]) -> [[f32; 4]; 2] {
    [0, 1].map(|i| std::array::from_fn(|n| (100 * interpolants[n] + n + i) as f32 + 0.5))
}

#[test]
fn inputs_read_the_interpolants_of_their_semantics() {
    for k in 0..7 {
        // The number of the register does not count.
        for v in 0..10 {
            let source = format!("ps_3_0\ndcl_texcoord{k} v{v}\nmov oC0, v{v}\n");
            assert_eq!(of_interpolants(&source), channels([k; 4]), "texcoord{k} v{v}");
        }
        // Without a texcoord it does.
        for semantic in ["", "_color1", "_fog", "_normal_centroid"] {
            let source = format!("ps_3_0\ndcl{semantic} v{k}\nmov oC0, v{k}\n");
            assert_eq!(of_interpolants(&source), channels([k; 4]), "dcl{semantic} v{k}");
        }
    }
    let several = "ps_3_0\ndcl_texcoord1 v0.xy\ndcl_texcoord3 v1\ndcl_texcoord1 v2\n";
    for (v, k) in [(0, 1), (1, 3), (2, 1)] {
        let source = format!("{several}mov oC0, v{v}\n");
        assert_eq!(of_interpolants(&source), channels([k; 4]), "v{v}");
    }
}

#[test]
fn semantics_packed_into_one_register_are_read_lane_by_lane() {
    for (declared, interpolants) in [
        ("dcl_texcoord2 v0.xy\ndcl_texcoord5 v0.zw", [2, 2, 5, 5]),
        ("dcl_texcoord6 v0.w\ndcl_texcoord0 v0.y\ndcl_texcoord3 v0.xz", [3, 0, 3, 6]),
        ("dcl_texcoord4 v0.x\ndcl_color v0.yzw", [4, 0, 0, 0]),
        // What no declaration names goes with the lowest channel that one names.
        ("dcl_texcoord1 v0.z\ndcl_texcoord2 v0.y", [2, 2, 1, 2]),
    ] {
        let source = format!("ps_3_0\n{declared}\nmov oC0, v0\n");
        assert_eq!(of_interpolants(&source), channels(interpolants), "{declared}");
        // Beside another input, and before the shader's own registers.
        let source = format!(
            "ps_3_0\ndcl_texcoord6 v1\n{declared}\ndef c0, 0, 0, 0, 0\nmov r0, c0\nmad r1, v1, r0, v0\nadd oC0, r1, r0\n"
        );
        assert_eq!(of_interpolants(&source), channels(interpolants), "{declared}");
    }
}

#[test]
fn inputs_relative_to_al_count_registers() {
    let summed = |declared: &str| {
        of_interpolants(&format!(
            "ps_3_0\ndefi i0, 3, 0, 1, 0\ndef c0, 0, 0, 0, 0\n{declared}\nmov r0, c0\n\
             loop aL, i0\nadd r0, r0, v[aL+1]\nendloop\nmov oC0, r0\n"
        ))
    };
    for (declared, interpolants) in [
        ("dcl_texcoord1 v1\ndcl_texcoord2 v2\ndcl_texcoord3 v3", [[1, 2, 3]; 4]),
        ("dcl_texcoord6 v1\ndcl_texcoord0 v2\ndcl_texcoord4 v3", [[6, 0, 4]; 4]),
        (
            "dcl_texcoord3 v1\ndcl_texcoord5 v2.xy\ndcl_texcoord0 v2.zw\ndcl_texcoord1 v3",
            [[3, 5, 1], [3, 5, 1], [3, 0, 1], [3, 0, 1]],
        ),
    ] {
        let wanted: [[f32; 4]; 2] = [0, 1].map(|i| {
            std::array::from_fn(|n| {
                let of = |k: usize| (100 * k + n + i) as f32 + 0.5;
                interpolants[n].into_iter().map(of).sum::<f32>()
            })
        });
        assert_eq!(summed(declared), wanted, "{declared}");
    }
}

#[test]
fn numbers_of_the_compiler_beside_relative_constants_are_warned_of() {
    let warnings = |source: &str| {
        let image = ctm_lang::ps::compile(source, "test.ps").unwrap_or_else(|e| panic!("{e}"));
        let program = Program::new(image).unwrap_or_else(|e| panic!("{e}"));
        let texts = program.warnings().iter().map(|warning| warning.to_string());
        texts.collect::<Vec<_>>()
    };
    let source = "ps_3_0\ndefi i0, 3, 0, 1, 0\nloop aL, i0\nadd r0, r0, c[aL]\nendloop\n";
    assert_eq!(
        warnings(&format!("{source}pow r0, r0.x, r0.y\nnrm oC0, r0\n")),
        [
            "the shader addresses constants relative to aL, and c255 holds numbers of its instructions: data there would change them"
        ]
    );
    let none = Vec::<String>::new();
    assert_eq!(warnings(&format!("{source}mov oC0, r0\n")), none);
    assert_eq!(warnings("ps_3_0\npow r0, r0.x, r0.y\nmov oC0, c0\n"), none);
}
