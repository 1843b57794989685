//! The text of shaders: dead code, flags, literals.

use super::*;
use ctm_machine::engine::Checked;
use ctm_machine::launch::{Domain, FloatMode, Launch};
use ctm_machine::memory::{Format, Surface, Tiling};
use std::sync::Arc;

/// A launch over 64 x 64 points with FLOAT32_4 surfaces, one after the other.
pub fn launch(source: &str) -> Launch {
    let program = Arc::new(program(source));
    let mut launch = Launch::new(program.clone(), Domain { i0: 0, j0: 0, i1: 63, j1: 63 });
    launch.constants = Arc::new(Constants::with_literals(&program.image().literals));
    let mut base = 0;
    let mut surface = || {
        base += 0x10000;
        Some(Surface::new(base, 64, 64, Tiling::Linear, Format::Float32x4))
    };
    for n in 0..16 {
        if program.uses().inputs >> n & 1 != 0 {
            launch.inputs[n] = surface();
        }
    }
    for n in 0..4 {
        if program.uses().outputs >> n & 1 != 0 {
            launch.outputs[n] = surface();
        }
    }
    launch
}

fn translated(launch: &Launch) -> Result<Translation, Why> {
    let launch = Checked::new(launch).expect("it can run");
    let state = State::of(&launch, &[0..1 << 32], &Options::default())?;
    let translation = translate(&launch.program, &launch.lowered, &state)?;
    let module = naga::front::wgsl::parse_str(&translation.wgsl).unwrap_or_else(|e| {
        panic!("{}\n{}", e.emit_to_string(&translation.wgsl), translation.wgsl)
    });
    naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::default(),
    )
    .validate(&module)
    .unwrap_or_else(|e| panic!("{}\n{}", e.emit_to_string(&translation.wgsl), translation.wgsl));
    Ok(translation)
}

fn text(source: &str) -> String {
    translated(&launch(source)).unwrap_or_else(|reason| panic!("{reason}")).wgsl
}

fn has(text: &str, what: &str) {
    assert!(text.contains(what), "{what} is not in\n{text}");
}

fn has_not(text: &str, what: &str) {
    assert!(!text.contains(what), "{what} is in\n{text}");
}

/// Without it compilers know the zero, and contract.
#[test]
fn the_zero_is_set() {
    has(&text("rcp r1.r, r0.r\nmov o0, r1\nend"), "\n    x1k_zero = groups.z - 1u;\n");
}

#[test]
fn what_nothing_needs_is_not_there() {
    let text = text(
        "ld r1, i0[r0.rg]\nld r2, i1[r0.rg]\nmad r3.r, r1.r, r1.g, r1.b\nmul r4.r, r1.r, r1.r\n\
         mov o0.r, r3.r\nend",
    );
    has(&text, "r3_r = x1k_mad_flushed(");
    has(&text, "// 2: mad");
    has(&text, "texel0(");
    for gone in ["texel1(", "r4_r", "x1k_mul", "r2_", "o0_g"] {
        has_not(&text, gone);
    }
}

#[test]
fn a_loop_keeps_what_its_next_iteration_reads() {
    let text = text(
        "mov r1.r, 0\nmov r2.r, 1\nrep 4\nadd r1.r, r1.r, r2.r\nadd r2.r, r2.r, 1\n\
         add r3.r, r2.r, 1\nendrep\nmov o0.r, r1.r\nend",
    );
    has(&text, "for (var k0 = 0u; k0 < 4u; k0++)");
    has(&text, "r2_r = x1k_add_bare(r2_r");
    has(&text, "r1_r = x1k_settled(x1k_add_bare(r1_r");
    has_not(&text, "r3_r");
}

#[test]
fn loops_in_loops_take_no_more_time_than_there_are() {
    // What each loop reads at its start shows only in its second visit. If each visit started anew,
    // there would be two for each visit of the loop around it: 2^31 of the innermost.
    let mut source = String::new();
    for n in 1..=31 {
        source.push_str(&format!(
            "mov r{n}.r, 0\nrep 1\nadd r40.r, r40.r, r{n}.r\nadd r{n}.r, r{n}.r, 1\n"
        ));
    }
    source.push_str(&"endrep\n".repeat(31));
    let text = text(&format!("{source}mov o0, r40.r\nend"));
    assert_eq!(text.matches("for (var").count(), 31);
    assert_eq!(text.matches("r40_r = x1k_").count(), 31);
}

/// Whether each sum and product of a program makes a NaN of any form, in their order.
fn loose(source: &str) -> Vec<bool> {
    let text = text(&format!("{source}\nend"));
    let main = text.split("fn main").nth(1).expect("a main");
    main.lines()
        .filter(|line| {
            ["x1k_add_", "x1k_mad_", "x1k_mul_", "x1k_product_"].iter().any(|f| line.contains(f))
        })
        .map(|line| !line.contains("_flushed(") && !line.contains("x1k_settled("))
        .collect()
}

#[test]
fn nan_is_canonical_where_its_bits_can_be_seen() {
    // Only the last sum goes to memory. The form of a NaN that arithmetic reads does not matter.
    let chain = "mad r1.r, r0.r, r0.g, r0.r\nmul r1.g, r1.r, r0.g\nadd r2.r, r1.r, -r1.g";
    for (end, expected) in [
        ("rcp o0.r, r2.r", [true, true, true]),
        ("dp3 o0.r, r2.rrr, r2.rrr", [true, true, true]),
        ("frc/2 o0.r, r2.r", [true, true, true]),
        ("mov o0.r, r2.r", [true, true, false]),
        ("mov r3.r, r2.r\nmov o0.r, r3.r", [true, true, false]),
        // A selection decides the same way for every NaN, and copies the operand that it takes.
        ("cmp o0.r, r0.r, r0.g, r2.r", [true, true, true]),
        ("cmp o0.r, r2.r, r1.g, r0.r", [true, false, false]),
        ("cnd o0.r, r0.r, r1.r, r2.r", [false, true, true]),
        ("min o0.r, r1.r, r2.r", [false, true, false]),
        ("min r3.r, r1.r, r2.r\nln2 o0.r, r3.r", [true, true, true]),
        // So does an exchange between points.
        ("mdh o0.r, r2.r, 1", [true, true, true]),
        // Channels written for some points keep the values of the others.
        ("sub p.r >= 0, r0.r, 9\n(p.r) mov r1.r, r2.r\nmov o0.r, r1.r", [false, true, false]),
        ("sub alu_result >= 0, r2.r, 1\nif alu_result\nmov o0.r, 1\nendif", [true, true, true]),
        ("texkill r2\nmov o0.r, r0.r", [true, true, true]),
        ("ld r3, i0[r2.rr]\nmov o0, r3", [true, true, true]),
    ] {
        let found = loose(&format!("{chain}\n{end}"));
        assert_eq!(found[..3], expected, "{end}");
    }
    // Around a loop, and through temporaries that relative addressing reads.
    let turned = "mov r1.r, r0.r\nmov r2.r, r0.r\nrep 3\nadd r1.r, r2.r, 1\nmov r2.r, r1.r\nendrep";
    assert_eq!(loose(&format!("{turned}\nmov o0.r, r2.r")), [false]);
    assert_eq!(loose(&format!("{turned}\nrcp o0.r, r2.r")), [true]);
    let relative = ".literal n0 3 0 1\nadd r4.r, r0.r, 1\nloop n0\nrcp o0.r, r[aL+3].r\nendloop";
    assert_eq!(loose(relative), [false]);
}

#[test]
fn written_channels_are_known_where_they_can_be() {
    let source = |body: &str| text(&format!("sub alu_result >= 0, r0.r, 3\n{body}\nend"));
    has_not(&source("mov o0.r, r0.r"), "_set");
    has_not(&source("if alu_result\nmov o0.r, r0.r\nelse\nmov o0.r, r0.g\nendif"), "_set");
    has(&source("if alu_result\nmov o0.r, r0.r\nendif"), "o0_r_set = true;");
    has(&source("rep 3\nbreak if alu_result\nmov o0.r, r0.r\nendrep"), "if o0_r_set {");
    has_not(&source("rep 3\nmov o0.r, r0.r\nbreak if alu_result\nendrep"), "_set");
}

#[test]
fn relative_addressing_makes_the_smallest_array() {
    let text =
        text("loop (4, 2, 1)\nmov r[aL+3].r, r0.r\nendloop\nmov o0.r, r6.r\nmov o0.g, r4.r\nend");
    has(&text, "var rel_r = array(zero, zero, zero, zero); // r5.r to r8.r");
    has(&text, "rel_r[(bitcast<u32>(3i + (2i + bitcast<i32>(k0) * 1i)) & 127u) - 5u] = t0;");
    has(&text, "o0_r = rel_r[1u];");
    has(&text, "o0_g = r4_r;");
}

#[test]
fn surfaces_decide_how_memory_is_typed() {
    let mut launch = launch("ld r1, i0[r0.rg]\nmov o0, r1\nend");
    let wgsl = |launch: &Launch| translated(launch).unwrap_or_else(|r| panic!("{r}")).wgsl;
    has(&wgsl(&launch), "window0: array<vec4<u32>>");
    for format in Format::ALL {
        for tiling in [Tiling::Linear, Tiling::Tiled] {
            launch.inputs[0] = Some(Surface::new(0x10000, 64, 64, tiling, format));
            launch.outputs[0] = Some(Surface::new(0x80000, 64, 64, tiling, format));
            for out_mask in [15, 1, 5, 8] {
                launch.out_mask = out_mask;
                let unit = match format.bytes_per_element() {
                    16 => "vec4<u32>",
                    8 => "vec2<u32>",
                    _ => "u32",
                };
                let text = wgsl(&launch);
                match out_mask & ((1 << format.channels()) - 1) {
                    0 => has_not(&text, "window0"),
                    _ => has(&text, &format!("window0: array<{unit}>;")),
                }
            }
        }
    }
}

#[test]
fn small_elements_are_parts_of_large_ones() {
    let mut launch = launch("ld r1, i0[r0.gr]\nmov o0, r1\nend");
    let mut element = |format: Format, tiling: Tiling| {
        launch.inputs[0] = Some(Surface::new(0x10000, 64, 64, tiling, format));
        let wgsl = translated(&launch).unwrap_or_else(|r| panic!("{r}")).wgsl;
        wgsl[wgsl.find("window0[at").unwrap_or(0)..].to_string()
    };
    for (format, expected) in [
        (Format::Float32x4, "window0[at + y * 64u + x];"),
        (
            Format::Float32x2,
            "window0[at + y * 32u + (x >> 1u)][(x & 1u) * 2u], \
             window0[at + y * 32u + (x >> 1u)][(x & 1u) * 2u + 1u])",
        ),
        (Format::Float32x1, "window0[at + y * 16u + (x >> 2u)][(x & 3u)], "),
        (Format::Uint8x4, "window0[at + y * 16u + (x >> 2u)][(x & 3u)]);"),
        (
            Format::Uint16x1,
            "window0[at + y * 8u + (x >> 3u)][((x >> 1u) & 3u)] >> ((x & 1u) * 16u)",
        ),
        (Format::Uint8x1, "window0[at + y * 4u + (x >> 4u)][((x >> 2u) & 3u)] >> ((x & 3u) * 8u)"),
        (
            Format::Uint16x4,
            "window0[at + y * 32u + (x >> 1u)][(x & 1u) * 2u], \
             window0[at + y * 32u + (x >> 1u)][(x & 1u) * 2u + 1u])",
        ),
    ] {
        let found = element(format, Tiling::Linear);
        assert!(found.starts_with(expected), "{format}: {found}");
    }
    let tiled = element(Format::Float32x2, Tiling::Tiled);
    let byte = "mem_tiled(3u, 0u, 64u, x, y)";
    let word = format!("window0[at + ({byte} >> 4u)][(({byte} >> 2u) & 3u)");
    let expected = format!("{word}], {word} + 1u])");
    assert!(tiled.starts_with(&expected), "{tiled}");
}

#[test]
fn zero_times_anything_is_asked_where_it_matters() {
    let asked = |operands: &str, mode: FloatMode, constant: f32| {
        let source = format!(
            ".zero_times\nld r3, i0[r0.rg]\nadd r1, r3, 1\nadd r2, r1, 1\nmul o0.r, {operands}\nend"
        );
        let mut one = launch(&source);
        one.mode = mode;
        Arc::make_mut(&mut one.constants).float[0][0] = constant.to_bits();
        let text = translated(&one).unwrap_or_else(|r| panic!("{r}")).wgsl;
        let product = |line: &&str| line.contains("_mul") || line.contains("_product");
        let line = text.lines().find(|line| line.contains("o0_r =") && product(line));
        let line = line.unwrap_or_else(|| panic!("no product in\n{text}"));
        line.ends_with(", true);")
    };
    for mode in [FloatMode::Exact, FloatMode::Fast] {
        for (operands, expected) in [
            ("r1.r, r2.r", true),
            ("r1.r, r1.g", true),
            ("r1.r, c0.r", true),
            ("r1.r, {1e-40, 0, 0}.r", true),
            ("r1.r, 0", true),
            ("r1.r, -2", false),
            ("3, r1.r", false),
            ("r1.r, r1.r", false),
            ("r1.r, -|r1.r|", false),
        ] {
            assert_eq!(asked(operands, mode, 0.0), expected, "{operands}, {mode:?}");
        }
        // A constant that is a normal number in this launch.
        assert!(!asked("r1.r, c0.r", mode, 3.0));
        assert!(asked("r1.r, r2.r", mode, 3.0));
        assert!(asked("r1.r, c0.r", mode, f32::INFINITY));
    }
}

#[test]
fn reasons_are_told() {
    let refused =
        |launch: &Launch| translated(launch).map(|_| ()).expect_err("refused").to_string();
    let source = "ld r1, i0[r0.rg]\nmov o0, r1\nend";
    let mut one = launch(source);
    one.outputs[0] = one.inputs[0].map(|surface| Surface { base: surface.base + 0x800, ..surface });
    // What is both read and written is read from a copy in the second window. If it is written in
    // place, a point that fetches another point's element is reported.
    let shifted = translated(&one).expect("a copy").wgsl;
    has(&shifted, "return window1[");
    has_not(&shifted, "atomicOr(&results");
    let mut one = launch(source);
    one.outputs[0] = one.inputs[0];
    let in_place = translated(&one).expect("in place").wgsl;
    has(&in_place, "return window1[");
    has(&in_place, "if counts & ((x != i) | (y != j)) { atomicOr(&results");
    let one = Checked::new(&one).expect("it can run");
    assert_eq!(
        State::of(&one, &[0..0x10000], &Options::default()).expect_err("outside").to_string(),
        "input 0 reaches outside memory"
    );
    let mut one =
        launch("rep 255\nrep 255\nrep 255\nmov r1, r0\nendrep\nendrep\nendrep\nmov o0, r1\nend");
    assert!(translated(&one).expect("counted").stats.counted);
    one.limits.instructions = 1000;
    assert_eq!(refused(&one), "a group may execute 33293310 instructions, and its budget is 1000");
}

#[test]
fn what_nobody_awake_gets_to_may_not_reach_sleepers() {
    let reason = |inside: &str| {
        let source = format!(
            "mov r1.r, 1\nsub alu_result >= 0, r0.r, 2\nif alu_result\nrep 3\n{inside}\nendrep\n\
             endif\nmov o0, r1\nend"
        );
        let translated = translated(&launch(&source));
        translated.map_or_else(|reason| reason.to_string(), |_| String::new())
    };
    let refused = "writes inactive points where points may have gone different ways";
    // The points that the IF put to sleep keep their group from jumping at the BREAK.
    assert_eq!(reason("break\nmov r1.r, 2 @inactive"), format!("pc 5 {refused}"));
    assert_eq!(
        reason("break\nif p.g\nrep 2\nmov r1.r, 2 @inactive\nendrep\nendif"),
        format!("pc 7 {refused}")
    );
    // If all points break, none is left to keep the group from jumping to the ELSE.
    let branches = |then: &str, otherwise: &str| {
        reason(&format!("break if p.r\nif always\n{then}\nelse\n{otherwise}\nendif"))
    };
    assert_eq!(branches("mov r1.r, 2", "mov r1.r, 3 @inactive"), format!("pc 8 {refused}"));
    assert_eq!(branches("mov r1.r, 2", "mov r1.r, 3"), "");
    // Reading neighbours is allowed there.
    assert_eq!(branches("mov r1.r, 2", "mdh r1, r0, 1"), "");
    assert_eq!(reason("break\nmdh r1, r0, 1"), "");
}

#[test]
fn drivers_that_end_loops_early_are_told_before() {
    let one = launch("rep 255\nrep 255\nmov r1, r0\nendrep\nendrep\nmov o0, r1\nend");
    let one = Checked::new(&one).expect("it can run");
    let turned = |iterations: u64| {
        let options = Options { iterations: Some(iterations), ..Options::default() };
        let state = State::of(&one, &[0..1 << 32], &options)?;
        translate(&one.program, &one.lowered, &state)
    };
    let enough = turned(255 * 256).expect("enough");
    assert_eq!((enough.stats.iterations, enough.stats.counted), (65280, false));
    let counted = turned(65279).expect("counted");
    assert!(counted.stats.counted);
    has(&counted.wgsl, "spent += 1u;");
    has(&counted.wgsl, "if spent > 4079u { give_up(GAVE_UP_BUDGET); }");
}

#[test]
fn both_modes_are_valid() {
    let mut one = launch(
        "ld r1, i0[r0.rg]\nmad r2, r1, r1, -r0\ndp3 r3.r, r1, r2\ndp4 r3.g, r1, r2\n\
         min r4, r1, r2\nmax r4, r4, |r1|\ncmp r5, r1, r2, r4\ncnd r5, r1, r5, r4\nfrc r6, r5\n\
         ex2 r6.a, r5.a\nln2 r6.a, r6.a\nrcp r6.a, r6.a\nrsq r6.a, r6.a\nsin r6.a, r6.a\n\
         cos r6.a, r6.a\nmul/2.sat r7, r6, r3.r\nadd r7, r7, r4\nmov o0, r7\nend",
    );
    for mode in [FloatMode::Exact, FloatMode::Fast] {
        one.mode = mode;
        translated(&one).unwrap_or_else(|reason| panic!("{reason}"));
    }
}
