//! Coordinates that are whole numbers: when they are known, and when not.

use super::*;
use crate::translate::tests::text::launch;
use ctm_machine::engine::Checked;
use ctm_machine::launch::FloatMode;
use ctm_machine::memory::{Format, Tiling, Wrap};

/// The lines that fetch, of a launch in some mode.
fn fetches_of(launch: &ctm_machine::launch::Launch) -> Vec<String> {
    let launch = Checked::new(launch).expect("it can run");
    let state = State::of(&launch, &[0..1 << 32], &Options::default())
        .unwrap_or_else(|reason| panic!("{reason}"));
    let translation = translate(&launch.program, &launch.lowered, &state)
        .unwrap_or_else(|reason| panic!("{reason}"));
    let main = translation.wgsl.split("fn main(").nth(1).unwrap_or("");
    main.lines()
        .filter_map(|line| {
            let call = line.split(" = ").nth(1)?;
            let call = call.strip_prefix("texel").or(call.strip_prefix("fetch"))?;
            let (_, arguments) = call.split_once("(input0, ")?;
            Some(arguments.trim_end_matches(");").to_string())
        })
        .collect()
}

/// The fetches of a program over 64 x 64 points from a surface of that size, in both modes.
fn fetches(source: &str) -> Vec<String> {
    let mut one = launch(source);
    let exact = fetches_of(&one);
    one.mode = FloatMode::Fast;
    assert_eq!(fetches_of(&one), exact);
    exact
}

#[test]
fn positions_with_what_is_added_to_them_are_whole() {
    for (coordinates, expected) in [
        ("mov r1, r0", "i, j"),
        ("mov r1.rg, r0.gr", "j, i"),
        ("add r1.rg, r0.rg, {1, -2, 0}", "min(i + 1u, 63u), max(j, 2u) - 2u"),
        ("mad r1.rg, r0.rg, 4, {3, 0, 0}", "min(i * 4u + 3u, 63u), min(j * 4u, 63u)"),
        (
            "sub r1.rg, 5, r0.rg",
            "bitcast<u32>(clamp(bitcast<i32>(i) * -1i + 5i, 0i, 63i)), \
             bitcast<u32>(clamp(bitcast<i32>(j) * -1i + 5i, 0i, 63i))",
        ),
        (
            "sub r1.rg, {9000, 8192, 0}, r0.rg",
            "bitcast<u32>(clamp(bitcast<i32>(i) * -1i + 9000i, 0i, 63i)), \
             bitcast<u32>(clamp(bitcast<i32>(j) * -1i + 8192i, 0i, 63i))",
        ),
        ("mov r1.rg, {70, -3, 0}", "63u, 0u"),
        ("mov r1.rg, {2, 3, 0}", "2u, 3u"),
        (
            "add/2 r1.rg, r0.rg, 1\nadd*4 r1.rg, r0.rg, 1",
            "min(i * 4u + 4u, 63u), min(j * 4u + 4u, 63u)",
        ),
        // |i| is i, and a flush changes no whole number.
        ("mov r1.rg, |r0.rg|", "i, j"),
    ] {
        let source = format!("{coordinates}\nld r2, i0[r1.rg]\nmov o0, r2\nend");
        assert_eq!(fetches(&source), [expected], "{coordinates}");
    }
}

#[test]
fn what_is_not_whole_goes_through_floats() {
    for coordinates in [
        "mul r1.rg, r0.rg, 0.5",
        "add r1.rg, r0.rg, {0.25, 0, 0}",
        "add r1.rg, r0.rg, c0.rg",
        "mul r1.rg, r0.rg, r0.gr",
        "add r1.rg, r0.rg, r0.gr",
        "mul r1.rg, r0.rg, 4096\nmul r1.rg, r1.rg, 4096",
        "rcp r1.a, r0.r\nmov r1.rg, r1.a",
        "max r1.rg, r0.rg, 3",
        "mov r1.rg, r0.rg\nsub alu_result >= 0, r0.r, 9\nif alu_result\nadd r1.r, r1.r, 1\nendif",
        "mov r1.rg, r0.rg\nsub p.r >= 0, r0.r, 9\n(p.r) add r1.r, r1.r, 1",
    ] {
        let source = format!("{coordinates}\nld r2, i0[r1.rg]\nmov o0, r2\nend");
        assert_eq!(fetches(&source), ["r1_r, r1_g"], "{coordinates}");
    }
    // Both branches write the same: known again.
    let both = "sub alu_result >= 0, r0.r, 9\nif alu_result\nadd r1.r, r0.r, 1\nelse\n\
                sub r1.r, r0.r, -1\nendif\nmov r1.g, 2\nld r2, i0[r1.rg]\nmov o0, r2\nend";
    assert_eq!(fetches(both), ["min(i + 1u, 63u), 2u"]);
}

#[test]
fn what_every_turn_adds_to_grows_with_the_turns() {
    let iterations = |body: &str| {
        let source =
            format!("mov r1.rg, r0.rg\nmov r1.b, 0\nrep 5\n{body}\nendrep\nmov o0, r2\nend");
        fetches(&source)
    };
    assert_eq!(
        iterations("ld r2, i0[r1.bg]\nadd r1.b, r1.b, 2\nld r3, i0[r1.bg]\nadd r2, r2, r3"),
        ["k0 * 2u, j", "k0 * 2u + 2u, j"]
    );
    // Within an inner loop, an outer loop's iteration number is constant.
    assert_eq!(
        iterations(
            "mov r1.a, 1\nrep 3\nld r2, i0[r1.ba]\nadd r1.a, r1.a, 1\nendrep\nadd r1.b, r1.b, 1"
        ),
        ["k0, k1 + 1u"]
    );
    for body in [
        // Not for every point, not in every iteration, twice, by something other than a constant.
        "ld r2, i0[r1.bg]\nsub alu_result >= 0, r0.r, 9\nif alu_result\nadd r1.b, r1.b, 1\nendif",
        "ld r2, i0[r1.bg]\nsub alu_result >= 0, r0.r, 9\ncontinue if alu_result\nadd r1.b, r1.b, 1",
        "ld r2, i0[r1.bg]\nadd r1.b, r1.b, 1\nadd r1.b, r1.b, 1",
        "ld r2, i0[r1.bg]\nadd r1.b, r1.b, r0.r",
        "ld r2, i0[r1.bg]\nrep 2\nadd r1.b, r1.b, 1\nendrep",
        "ld r2, i0[r1.bg]\nsub r1.b, 7, r1.b",
    ] {
        assert_eq!(iterations(body), ["r1_b, r1_g"], "{body}");
    }
    // After the loop the number of iterations is unknown.
    let after = "mov r1.rg, 0\nrep 5\nadd r1.r, r1.r, 1\nsub alu_result >= 0, r1.r, r0.r\n\
                  break if alu_result\nendrep\nld r2, i0[r1.rg]\nmov o0, r2\nend";
    assert_eq!(fetches(after), ["r1_r, r1_g"]);
}

#[test]
fn what_cannot_leave_a_surface_is_not_held_on_it() {
    let iterations = |first: i32, step: i32, count: u32| {
        let source = format!(
            "mov r1.rg, {{{first}, 0, 0}}\nrep {count}\nld r2, i0[r1.rg]\n\
             add r1.r, r1.r, {{{step}, 0, 0}}\nendrep\nmov o0, r2\nend"
        );
        let found = fetches(&source).concat();
        found.trim_end_matches(", 0u").to_string()
    };
    assert_eq!(iterations(0, 2, 32), "k0 * 2u");
    assert_eq!(iterations(1, 2, 32), "k0 * 2u + 1u");
    assert_eq!(iterations(2, 2, 32), "min(k0 * 2u + 2u, 63u)");
    assert_eq!(iterations(0, 2, 33), "min(k0 * 2u, 63u)");
    assert_eq!(iterations(-1, 1, 65), "max(k0, 1u) - 1u");
    assert_eq!(iterations(63, -9, 8), "bitcast<u32>(bitcast<i32>(k0) * -9i + 63i)");
    assert_eq!(iterations(63, -9, 9), "bitcast<u32>(clamp(bitcast<i32>(k0) * -9i + 63i, 0i, 63i))");
    assert_eq!(iterations(64, -9, 8), "bitcast<u32>(clamp(bitcast<i32>(k0) * -9i + 64i, 0i, 63i))");

    // Rows of a surface that is several times as high as the domain.
    let rows = |plus: u32, height: u32, last: u32, wrap: Wrap| {
        let source = format!(
            "mad r1.rg, r0.rg, {{0, 4, 0}}, {{5, {plus}, 0}}\nld r2, i0[r1.rg]\nmov o0, r2\nend"
        );
        let mut one = launch(&source);
        one.domain.j1 = last;
        let surface = one.inputs[0].as_mut().expect("an input");
        (surface.height, surface.wrap) = (height, wrap);
        fetches_of(&one).concat()
    };
    assert_eq!(rows(3, 256, 63, Wrap::Clamp), "5u, j * 4u + 3u");
    assert_eq!(rows(3, 256, 63, Wrap::Repeat), "5u, j * 4u + 3u");
    assert_eq!(rows(4, 256, 63, Wrap::Clamp), "5u, min(j * 4u + 4u, 255u)");
    assert_eq!(rows(4, 256, 63, Wrap::Repeat), "5u, (j * 4u + 4u) & 255u");
    assert_eq!(rows(3, 255, 63, Wrap::Clamp), "5u, min(j * 4u + 3u, 254u)");
    // Five times counts as four.
    assert_eq!(rows(3, 320, 63, Wrap::Clamp), "5u, j * 4u + 3u");
    assert_eq!(rows(4, 320, 63, Wrap::Clamp), "5u, min(j * 4u + 4u, 319u)");
    // The last group reaches beyond the domain.
    assert_eq!(rows(3, 256, 56, Wrap::Clamp), "5u, j * 4u + 3u");
    assert_eq!(rows(3, 256, 64, Wrap::Clamp), "5u, min(j * 4u + 3u, 255u)");
}

#[test]
fn data_at_the_start_is_not_whole() {
    let mut one = launch("ld r2, i0[r0.rg]\nmov o0, r2\nend");
    one.initial = vec![ctm_machine::launch::Initial {
        temp: 0,
        data: std::sync::Arc::new(vec![[0; 4]; 64 * 64]),
    }];
    // Raw data are flushed when they are used.
    assert_eq!(fetches_of(&one), ["x1k_ftz(r0_r), x1k_ftz(r0_g)"]);
}

#[test]
fn a_literal_that_the_launch_replaces_is_no_constant() {
    let mut one = launch("add r1.rg, r0.rg, {-7, 1, 0}\nld r2, i0[r1.rg]\nmov o0, r2\nend");
    assert_eq!(fetches_of(&one), ["max(i, 7u) - 7u, min(j + 1u, 63u)"]);
    one.constants = std::sync::Arc::new(Constants::default());
    assert_eq!(fetches_of(&one), ["r1_r, r1_g"]);
}

#[test]
fn surfaces_that_repeat_and_gather() {
    let mut one = launch("add r1.rg, r0.rg, {-1, 2, 0}\nld r2, i0[r1.rg]\nmov o0, r2\nend");
    let surface = one.inputs[0].as_mut().expect("an input");
    surface.wrap = Wrap::Repeat;
    assert_eq!(fetches_of(&one), ["bitcast<u32>(bitcast<i32>(i) - 1i) & 63u, (j + 2u) & 63u"]);
    let surface = one.inputs[0].as_mut().expect("an input");
    (surface.width, surface.height) = (48, 40);
    assert_eq!(fetches_of(&one), ["whole_repeated(bitcast<i32>(i) - 1i, 48), (j + 2u) % 40u"]);
    let mut one = launch("add r1.rg, r0.rg, {-1, 0, 0}\nld r2, i0[r1.rg]\nmov o0, r2\nend");
    let surface = one.inputs[0].as_mut().expect("an input");
    surface.tiling = Tiling::LinearInp2x2;
    surface.format = Format::Float32x1;
    assert_eq!(fetches_of(&one), ["max(i, 1u) - 1u, j, i, min(j + 1u, 63u)"]);
}
