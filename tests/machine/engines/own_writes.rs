//! Points that fetch what they have written uncached.

use super::*;
use ctm::engine::BatchItem;
use ctm::engine::block::Block;
use ctm::engine::reference::Reference;
use ctm::memory::Surface;
use ctm::random::Random;
use std::fmt::Write as _;

/// Points of 16 x 8 write to their own element of a surface of 16 x 32 twice, fetch it, their right
/// neighbour's, and the last byte of their own, and write what they found to rows further down.
const READS_BACK: &str = "
    .umrt
    mov r1.gb, r0.rrg
    mov r1.r, 0.5
    mov o0.rgb, r1.rgb | mov o0.a, 0
    add r1.r, r0.r, 100
    mov o0.rgb, r1.rgb | mov o0.a, 0
    ld r2, i0[r0.rg]
    add r3.r, r0.r, 1
    mov r3.g, r0.g
    ld r4, i0[r3.rg]
    mad r5.r, r0.r, 4, 3
    mov r5.g, r0.g
    ld r6, i1[r5.rg]
    add r7.b, r0.g, 8
    mov r7.g, r0.r
    mov r7.r, r2.r
    mov o0.rgb, r7.rgb | mov o0.a, 0
    add r7.b, r0.g, 16
    mov r7.r, r4.r
    mov o0.rgb, r7.rgb | mov o0.a, 0
    add r7.b, r0.g, 24
    mov r7.r, r6.r
    mov o0.rgb, r7.rgb | mov o0.a, 0";

fn reads_back(bench: &mut Bench) {
    let surface = Surface::new(GPU, 16, 32, Tiling::Linear, Format::Float32x1);
    let data: Vec<u32> = (0..16 * 32).map(|n| (n as f32).to_bits()).collect();
    ctm::memory::write_array(&mut bench.memory, &surface, 16, 32, &data).expect("it fits");
    bench.launch.outputs[0] = Some(surface);
    bench.launch.inputs[0] = Some(surface);
    let bytes = Surface::new(GPU, 64, 32, Tiling::Linear, Format::Uint8x1);
    bench.launch.inputs[1] = Some(bytes);
}

#[test]
fn a_point_fetches_its_own_uncached_writes_and_no_others() {
    on_every_engine(READS_BACK, 16, 8, reads_back, |bench, outcome| {
        let surface = bench.launch.outputs[0].expect("set");
        let found = ctm::memory::read_array(&bench.memory, &surface, 16, 32).expect("inside");
        let at = |i: usize, j: usize| f32::from_bits(found[16 * j + i]);
        for (i, j) in (0..8).flat_map(|j| (0..16).map(move |i| (i, j))) {
            let own = i as f32 + 100.0;
            assert_eq!(at(i, j), own);
            assert_eq!(at(i, j + 8), own, "its own ({i}, {j})");
            // The last column is its own right neighbour.
            let right = if i == 15 { own } else { (16 * j + i + 1) as f32 };
            assert_eq!(at(i, j + 16), right, "its neighbour's ({i}, {j})");
            let high = (own.to_bits() >> 24) as f32 / 255.0;
            assert_eq!(at(i, j + 24), high, "its last byte ({i}, {j})");
        }
        assert!(outcome.faults.is_empty());
        let hazards = [(0, "pc 5, test.dpp:8:5"), (1, "pc 11, test.dpp:14:5")].map(|(n, place)| {
            format!(
                "input {n} ({place}) is read and output 0 (pc 2, test.dpp:5:5) is written in one \
                 launch, and they share memory: \
                 every read sees the memory from before the launch and the point's own earlier \
                 writes"
            )
        });
        assert_eq!(outcome.hazards, hazards);
    });
}

#[test]
#[ignore = "needs an adapter"]
fn engines_on_a_gpu_leave_points_that_fetch_their_own_writes_to_the_cpu() {
    for engine in common::gpu_engines() {
        let mut bench = Bench::new(READS_BACK, 16, 8);
        reads_back(&mut bench);
        let alone = engine.run(&bench.launch, &mut bench.memory, &NoProgress);
        let mut items = [BatchItem { launch: &bench.launch, memory: &mut bench.memory }];
        let mut results = engine.run_batch(&mut items, &NoProgress);
        let mut session = engine.session(&mut bench.memory);
        session.launch(&bench.launch, &NoProgress).expect("it runs");
        results.extend(session.outcomes());
        results.push(alone);
        assert_eq!(results.len(), 3);
        for result in results {
            assert_eq!(result.expect("it runs").ran.engine, "block");
        }
    }
}

const WRITE: &str = "mov o0.rgb, r1.rgb | mov o0.a, 0\n";

/// A program that writes r1.r to element (r1.g, r1.b) and fetches in any order, and writes at its
/// end what it has found.
fn program(random: &mut Random) -> String {
    let mut source = ".umrt\nmov r1, r0\nmov r2, 0\n".to_string();
    let turns = random.below(3);
    if turns != 0 {
        let _ = writeln!(source, "rep {turns}");
    }
    for _ in 0..random.below(20) + 4 {
        let (x, y, input) = (random.below(8), random.below(8), random.below(6));
        let text = match random.below(9) {
            0 => format!("mov r1.gb, {{0, {x}, {y}}}\n"),
            1 => "mov r1.gb, r0.rrg\n".to_string(),
            2 => format!("add r1.r, r2.r, {x}\n"),
            3 => "mad r1.r, r2.g, 0.5, r1.r\n".to_string(),
            4 => format!("sub alu_result<0, r0.r, {y}\nif alu_result\n{WRITE}endif\n"),
            5 => format!("ld r2, i{input}[r1.gb]\n"),
            6 => format!("mad r5.r, r0.r, 4, {x}\nmov r5.g, r0.g\nld r2, i{input}[r5.rg]\n"),
            7 => format!("ld r2, i{input}[r0.rg]\n"),
            _ => WRITE.to_string(),
        };
        source.push_str(&text);
    }
    if turns != 0 {
        source.push_str("endrep\n");
    }
    let _ = write!(source, "add r1.r, r1.r, r2.r\nmov r1.gb, r0.rrg\n{WRITE}");
    source
}

#[test]
fn the_block_engine_fetches_own_writes_as_the_reference_does() {
    let seed = 0x0b5e_55ed;
    println!("seed {seed:#x}");
    let mut random = Random::new(&[seed]);
    let mut values = 0;
    for n in 0..120 {
        let source = program(&mut random);
        let tiled = random.below(2) == 1;
        let run = |engine: &dyn Engine| {
            let mut bench = Bench::new(&source, 11, 7);
            fill(&mut bench.memory);
            let (tiling, pitch) = if tiled { (Tiling::Tiled, 32) } else { (Tiling::Linear, 16) };
            let view = |pitch, height, tiling, format| {
                Some(Surface::new(GPU, pitch, height, tiling, format))
            };
            bench.launch.outputs[0] = view(pitch, 16, tiling, Format::Float32x1);
            // The same bytes as elements of all sizes.
            for (slot, input) in [
                view(pitch, 16, tiling, Format::Float32x1),
                view(4, 16, Tiling::Linear, Format::Float32x4),
                view(64, 16, Tiling::Linear, Format::Uint8x1),
                view(16, 16, Tiling::Linear, Format::Uint16x2),
                view(16, 16, Tiling::LinearInp2x2, Format::Float32x1),
                view(8, 16, Tiling::Linear, Format::Float32x2),
            ]
            .into_iter()
            .enumerate()
            {
                bench.launch.inputs[slot] = input;
            }
            let outcome = bench.run(engine);
            (bench, outcome)
        };
        let (expected, outcome) = run(&Reference::new());
        let (found, other) = run(&Block::new());
        assert_eq!(other, outcome, "program {n}:\n{source}");
        assert!(found.memory.ranges().eq(expected.memory.ranges()), "program {n}:\n{source}");
        values += usize::from(!outcome.hazards.is_empty());
    }
    // Most programs fetch something.
    assert!(values > 60, "{values}");
}
