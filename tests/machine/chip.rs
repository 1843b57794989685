//! Mode `chip` on every engine: what the test vectors do not have, with values from docs/float.md.

use crate::common::on_every_engine;
use ctm::launch::FloatMode;
use std::sync::Arc;

crate::gpu_takes_part!();

/// 1 + 2^-12. Its square is 1 + 2^-11 + 2^-24, whose last bit a rounded product loses.
const X: f32 = 1.000_244_1;
/// 2^-11 and 2^-11 + 2^-24.
const ROUNDED: u32 = 0x3a00_0000;
const KEPT: u32 = 0x3a00_0400;
/// 1.5 * 2^-24: next to 1 it rounds up to 2^-23, and is truncated to nothing.
const BIT: f32 = 1.5 / 16_777_216.0;
const ONE: u32 = 0x3f80_0000;
const NAN: u32 = 0x7fff_ffff;

/// Runs a program on every engine in both modes, over a quad of points that start with r1, r2, r3. The
/// red channel of output 0 is as given, in mode `exact` and in mode `chip`.
fn check(source: &str, start: impl Fn(u32, u32) -> [[f32; 4]; 3], exact: u32, chip: u32) {
    for (mode, expected) in [(FloatMode::Exact, exact), (FloatMode::Chip, chip)] {
        on_every_engine(
            source,
            2,
            2,
            |bench| {
                bench.launch.mode = mode;
                for n in 0..3u8 {
                    bench.initial(n + 1, |i, j| start(i, j)[usize::from(n)]);
                }
            },
            |bench, outcome| {
                let red = bench.bits(0)[0][0][0];
                assert_eq!(format!("{red:08x}"), format!("{expected:08x}"), "{source} {mode}");
                if mode == FloatMode::Chip {
                    assert!(["reference", "block"].contains(&outcome.ran.engine));
                }
            },
        );
    }
}

#[test]
fn mad_and_dot_products_keep_a_bit_of_the_product() {
    let start = |_, _| [[X, 1.0, 0.0, 0.0], [X, 0.0, 0.0, 0.0], [-1.0, 0.0, -1.0, 0.0]];
    check("mad o0, r1, r2, r3", start, ROUNDED, KEPT);
    check("d2a o0.rgb, r1, r2, r3", start, ROUNDED, KEPT);
    let start = |_, _| [[X, 1.0, 0.0, 0.0], [X, -1.0, 0.0, 0.0], [0.0; 4]];
    check("dp3 o0.rgb, r1, r2", start, ROUNDED, KEPT);
    check("dp4 o0, r1, r2", start, ROUNDED, KEPT);
}

#[test]
fn constants_are_factors_and_addends() {
    let start = |_, _| [[X; 4], [X; 4], [-1.0; 4]];
    for operands in
        ["c0, r2, r3", "r1, c0, r3", "r1, r2, c1", "c0, r2, c1", "r1, c0, c1", "-c0, -r2, -|c1|"]
    {
        let source = format!(".literal c0 {X:e}\n.literal c1 -1\nmad o0, {operands}");
        check(&source, start, ROUNDED, KEPT);
    }
}

#[test]
fn neighbours_are_factor_and_addend() {
    let mdh = |i, _| [[if i == 0 { X } else { -1.0 }; 4], [X; 4], [0.0; 4]];
    check("mdh o0, r1, r2", mdh, ROUNDED, KEPT);
    let mdv = |_, j| [[if j == 0 { X } else { -1.0 }; 4], [X; 4], [0.0; 4]];
    check("mdv o0, r1, r2", mdv, ROUNDED, KEPT);
}

#[test]
fn presubtracts_are_sums_of_two_terms() {
    let up = 0x3f80_0001;
    let of = |op: &str| format!("mad o0.rgb, srcp, 1, 0 @src(rgb0=r1 rgb1=r2) @srcp(rgb={op})");
    check(&of("BIAS"), |_, _| [[-BIT / 2.0; 4], [0.0; 4], [0.0; 4]], up, ONE);
    check(&of("INV"), |_, _| [[-BIT; 4], [0.0; 4], [0.0; 4]], up, ONE);
    check(&of("SUB"), |_, _| [[-BIT; 4], [1.0; 4], [0.0; 4]], up, ONE);
    check(&of("ADD"), |_, _| [[BIT; 4], [1.0; 4], [0.0; 4]], up, ONE);
    // BIAS of constants alone is computed once for a launch.
    let source = "mad o0.rgb, srcp, 1, 0 @src(rgb0=c0) @srcp(rgb=BIAS)";
    let constant = format!(".literal c0 {:e}\n{source}", -BIT / 2.0);
    check(&constant, |_, _| [[0.0; 4]; 3], up, ONE);
}

#[test]
fn zero_times_reaches_products_and_never_those_with_1() {
    let start =
        |_, _| [[0.0, 1.0, 0.0, 0.0], [f32::INFINITY, 2.0, 0.0, 0.0], [0.0, 0.0, f32::NAN, 0.0]];
    check("mul o0, r1, r2", start, NAN, NAN);
    check(".zero_times\nmul o0, r1, r2", start, 0, 0);
    check(".zero_times\ndp3 o0.rgb, r1, r2", start, 2f32.to_bits(), 2f32.to_bits());
    check(".zero_times\nd2a o0.rgb, r1, r2, r3", start, NAN, NAN);
    // A zero of presubtract and an infinity are no product.
    let sub = ".zero_times\nmad o0.rgb, srcp, 1, 0 @src(rgb0=r1 rgb1=r2) @srcp(rgb=SUB)";
    check(sub, start, 0x7f80_0000, 0x7f80_0000);
}

#[test]
fn output_modifiers_round_and_follow_the_truncated_result() {
    // 77 * rcp(77) is 1 or the number below it.
    let rcp = f32::from_bits(ctm::float::rcp(77f32.to_bits()));
    let start = move |_, _| [[77.0; 4], [rcp; 4], [0.0; 4]];
    check("mul o0, r1, r2", start, ONE, 0x3f7f_ffff);
    check("mul*4 o0, r1, r2", start, 4f32.to_bits(), 0x407f_ffff);
    check("mul/8.sat o0, r1, r2", start, 0.125f32.to_bits(), 0x3dff_ffff);
    // 0x00ffffff / 2 rounds up to the smallest number in both modes.
    let least = |_, _| [[f32::from_bits(0x00ff_ffff); 4], [1.0; 4], [0.0; 4]];
    check("mul/2 o0, r1, r2", least, 0x0080_0000, 0x0080_0000);
    // A product of that size is flushed in mode chip, and rounds up in mode exact.
    let half = |_, _| [[f32::from_bits(0x00ff_ffff); 4], [0.5; 4], [0.0; 4]];
    check("mul o0, r1, r2", half, 0x0080_0000, 0);
}

#[test]
fn fractions_and_sums_are_truncated() {
    let tiny = |_, _| [[-BIT / 4.0; 4], [1.0; 4], [BIT; 4]];
    check("frc o0, r1", tiny, ONE, ONE);
    check("add o0, r2, r3", tiny, 0x3f80_0001, ONE);
    check("sub o0, r2, r3", tiny, 0x3f7f_fffe, 0x3f7f_ffff);
}

#[test]
fn coordinates_stay_exact() {
    // 77 * (1 / 77) is texel 1 of the row in mode exact; truncated it would be texel 0.
    let run = |source: &str, expected: f32| {
        for mode in [FloatMode::Exact, FloatMode::Chip] {
            on_every_engine(
                source,
                1,
                1,
                |bench| {
                    bench.launch.mode = mode;
                    bench.initial(1, |_, _| [77.0, 0.0, 0.0, 77.0]);
                    let texels: Vec<u32> = (0..8).map(|n| ((n / 4) as f32).to_bits()).collect();
                    bench.input(0, 2, 1, &texels);
                },
                |bench, _| assert_eq!(bench.floats(0)[0][0][0], expected, "{mode}"),
            );
        }
    };
    run("proj r2, i0[r1.rgba]\nmov o0, r2", 1.0);
}

#[test]
fn a_modified_factor_is_read_after_a_store_by_relative_address() {
    let source = "mov r1, 0\n mov r2, 0\n mov r3, 1\n loop n0\n mov r[aL+1].rgb, r0.rgr\n \
                  dp3 r5.r, -r2, r3\n endloop\n mov o0, r5.r";
    on_every_engine(
        source,
        2,
        1,
        |bench| {
            bench.launch.mode = FloatMode::Chip;
            let constants = Arc::make_mut(&mut bench.launch.constants);
            (constants.int[0].count, constants.int[0].start, constants.int[0].step) = (1, 1, 1);
        },
        // r2 is (i, j, i).
        |bench, _| assert_eq!(bench.bits(0)[0][1][0], (-2.0f32).to_bits()),
    );
}
