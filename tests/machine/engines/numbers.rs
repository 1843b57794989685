//! Numbers that decide: what kills a point, and what an engine may take for a floor.

use crate::common::{Bench, engines, on_every_engine, program};
use ctm::launch::{Constants, FloatMode};
use ctm::program::{Image, Program};
use std::sync::Arc;

const MODES: [FloatMode; 2] = [FloatMode::Exact, FloatMode::Fast];

/// Numbers, whether TEXKILL kills on each in mode exact, and whether it does in mode fast.
const TESTED: [(u32, [bool; 2]); 12] = [
    (0x0000_0000, [false, false]),
    (0x8000_0000, [true, false]),
    (0x0000_0001, [false, false]),
    (0x8000_0001, [true, false]),
    (0x807f_ffff, [true, false]),
    (0x8080_0000, [true, true]),
    (0xbf80_0000, [true, true]),
    (0x3f80_0000, [false, false]),
    (0xff80_0000, [true, true]),
    (0x7f80_0000, [false, false]),
    (0xffc0_0000, [false, false]),
    (0x7fc0_0000, [false, false]),
];

/// Checks which points of a row a program kills in a mode; output 0 is 1 where a point lives.
fn kills(source: &str, mode: FloatMode, expected: &[bool]) {
    let prepare = |bench: &mut Bench| {
        bench.launch.mode = mode;
        // Channel i % 4 has the number, the others 1.
        bench.initial(1, |i, _| {
            let mut values = [1.0; 4];
            values[i as usize % 4] = f32::from_bits(TESTED[i as usize % TESTED.len()].0);
            values
        });
    };
    on_every_engine(source, expected.len() as u32, 1, prepare, |bench, outcome| {
        let killed: Vec<bool> = bench.floats(0)[0].iter().map(|value| value[0] == 0.0).collect();
        assert_eq!(killed, expected, "{mode:?}: {source}");
        let count = expected.iter().filter(|killed| **killed).count() as u64;
        let statistics = outcome.statistics;
        assert!(statistics.is_none_or(|found| found.killed == count), "{mode:?}: {source}");
    });
}

#[test]
fn texkill_of_each_number() {
    for (n, mode) in MODES.into_iter().enumerate() {
        let expected: Vec<bool> = TESTED.iter().map(|(_, kills)| kills[n]).collect();
        kills("texkill r1\nmov o0, 1", mode, &expected);
        kills("texkill r1.abgr\nmov o0, 1", mode, &expected);
    }
}

#[test]
fn texkill_of_a_sum_that_is_plus_zero() {
    // A compiler may take x + 0 for x. Then the sum is -0.
    for mode in MODES {
        kills("mad r1, -r0.b, 1, 0\ntexkill r1\nmov o0, 1", mode, &[false; 8]);
    }
}

#[test]
fn texkill_of_a_zero_that_a_predicate_or_a_branch_chose() {
    for (n, mode) in MODES.into_iter().enumerate() {
        // Points 0 and 1 test -1, the others -0.
        let expected = [true, true, n == 0, n == 0, n == 0];
        let start = "sub p.r >= 0, r0.r, 2\nmov r1, -1\n";
        kills(
            &format!(
                "{start}(p.r) mov r1.rg, 1\n(p.r) mov r1.b, -r0.b\n(p.r) mov r1.a, 1\n\
                 texkill r1\nmov o0, 1"
            ),
            mode,
            &expected,
        );
        let source = "sub alu_result >= 0, r0.r, 2\nif alu_result\nmov r1, -r0.b\ntexkill r1\n\
                      else\nmov r1, 1\ntexkill r1.rrrr\nendif\nmov o0, 1";
        kills(source, mode, &[false, false, n == 0, n == 0, n == 0]);
    }
}

/// Checks red, green and blue of what a program computes of constants 0 and 1 at every point.
fn computes(
    program: &Arc<Program>,
    modes: &[FloatMode],
    constants: [[u32; 4]; 2],
    expected: [u32; 3],
) {
    for &mode in modes {
        let prepare = |bench: &mut Bench| {
            bench.launch.program = program.clone();
            let mut all = Constants::default();
            all.float[..2].copy_from_slice(&constants);
            bench.launch.constants = Arc::new(all);
            bench.launch.mode = mode;
        };
        on_every_engine("mov o0, 1", 8, 8, prepare, |bench, _| {
            for value in bench.bits(0).concat() {
                assert_eq!(value[..3], expected, "{mode:?}");
            }
        });
    }
}

/// `r3 - frc(r1)` where r1 is moved from c1 and r3 from c0, into r4. Lowering replaces neither: an
/// instruction writes inactive points, or a jump that is not taken goes between.
fn differences(then: &str) -> [Arc<Program>; 2] {
    let moves = "mov r1.rgb, c1\nmov r3.rgb, c0\n";
    let ends = format!("{then}\nmov o0.rgb, r4");
    let inactive = format!("{moves}frc r2.rgb, r1 @inactive\nsub r4.rgb, r3, r2 @inactive\n{ends}");
    let plain = program(&format!("nop\n{moves}frc r2.rgb, r1\nsub r4.rgb, r3, r2\n{ends}"));
    let mut words = plain.image().words.clone();
    // JUMP with JUMP_ANY to the FRC if b0, which is false.
    words[0] = [0x0000_0002, 0, 0x0000_aa20, 0x0003_0000, 0, 0];
    let jumps = Program::new(Image { words, ..plain.image().clone() }).expect("a valid program");
    [program(&inactive), Arc::new(jumps)]
}

#[test]
fn a_number_minus_the_fraction_of_another_is_no_floor() {
    let floats = |values: [f32; 4]| values.map(f32::to_bits);
    let constants = [floats([1.5, 3.75, 7.5, 0.0]), floats([2.25, 0.5, -0.75, 0.0])];
    for program in differences("") {
        computes(&program, &MODES, constants, [1.25f32, 3.25, 7.25].map(f32::to_bits));
    }
}

#[test]
fn a_number_minus_the_fraction_of_another_is_flushed_as_any() {
    // 2^-70 - frc(2) is 2^-70. Its square is a denormal, which only mode exact flushes.
    let constants = [[0x1c80_0000, 0, 0, 0], [0x4000_0000, 0, 0, 0]];
    for program in differences("mul r4.rgb, r4, r4") {
        computes(&program, &[FloatMode::Exact], constants, [0; 3]);
    }
}

/// RSQ on every fraction, with both values of the lowest bit of the exponent, against the definition: no
/// half-way point between two numbers is between the result and 1 / sqrt(A).
#[test]
#[ignore = "takes long"]
fn rsq_gives_the_nearest_number_on_every_engine() {
    let source = "mad r1.r, r0.r, c0.r, c0.b\nmad r1.r, r0.g, c0.g, r1.r\nadd r1.b, r1.r, r1.r\n\
                  rsq r1.g, r1.r\nrsq r1.a, r1.b\nmov o0, r1";
    const SIDE: u32 = 256;
    for engine in engines() {
        println!("engine {}", engine.name());
        let mut bench = Bench::new(source, SIDE, SIDE);
        bench.launch.statistics = false;
        for part in 0..(1u32 << 23) / (SIDE * SIDE) {
            let step = 1.0 / 8_388_608.0;
            let start = 1.0 + (part * SIDE * SIDE) as f32 * step;
            let mut all = Constants::default();
            all.float[0] = [step, SIDE as f32 * step, start, 0.0].map(f32::to_bits);
            bench.launch.constants = Arc::new(all);
            bench.run(engine.as_ref());
            for (n, [x, of_x, twice, of_twice]) in bench.bits(0).concat().into_iter().enumerate() {
                let fraction = part * SIDE * SIDE + n as u32;
                assert_eq!((x, twice), (0x3f80_0000 | fraction, 0x4000_0000 | fraction));
                for (power, result) in [(0, of_x), (1, of_twice)] {
                    // A is significand / 2^23, and the result is root / 2^24.
                    let significand = u128::from(0x80_0000 | fraction) << power;
                    let root = (f32::from_bits(result) * 16_777_216.0) as u128;
                    let square = |twice: u128| twice * twice * significand;
                    let nearest = square(2 * root - 1) < 1 << 73 && square(2 * root + 1) > 1 << 73;
                    assert!(nearest, "rsq(0x{:08x})", if power == 0 { x } else { twice });
                }
            }
        }
    }
}
