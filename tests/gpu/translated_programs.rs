//! Programs written for what makes translation hard, as shaders of their own where they can be:
//! everything is as on the reference engine. See `common` for when these tests run.

use crate::common::Bench;
use crate::same::{self, place, same_on, silent_on};
use ctm::engine::gpu::{AdapterChoice, Translated};
use ctm::launch::{Condition, Launch, Location, Test};
use ctm::memory::{Format, Tiling, Wrap};

/// The preparation of a launch.
type Prepare<'a> = dyn Fn(&mut Bench) + 'a;

/// Runs a program over 3 x 3 and 20 x 9 points; whether it became a shader.
fn check(engine: &Translated, what: &str, source: &str, prepare: &Prepare<'_>) -> bool {
    let run = |size| {
        let ready = |bench: &mut Bench| with_input(bench, prepare);
        same_on(engine, what, source, size, &ready);
        is_shader(engine, what, source, size, &ready)
    };
    run((3, 3)) & run((20, 9))
}

/// Readies a launch without statistics whose input 0, if the program has one, holds data.
fn with_input(bench: &mut Bench, prepare: &Prepare<'_>) {
    let data: Vec<u32> = (0..20 * 9 * 4).map(|n| (n as f32 / 8.0).to_bits()).collect();
    if bench.launch.program.uses().inputs & 1 != 0 {
        bench.input(0, 20, 9, &data);
    }
    bench.launch.statistics = false;
    prepare(bench);
}

fn is_shader(
    engine: &Translated,
    what: &str,
    source: &str,
    size: (u32, u32),
    prepare: &Prepare<'_>,
) -> bool {
    let bench = same::bench(source, size, prepare);
    let refusal = engine.refusal(&bench.launch, &bench.memory);
    let refusal = refusal.unwrap_or_else(|error| panic!("{what}: {error}"));
    if let Some(refusal) = &refusal {
        println!("{what}, {size:?}: {}", refusal.reason);
    }
    refusal.is_none()
}

fn nothing(_: &mut Bench) {}

fn engine() -> Translated {
    let choice = AdapterChoice::from_environment();
    Translated::open(&choice).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
#[ignore = "needs an adapter"]
fn a_subroutine_fetches_where_each_call_says() {
    let engine = engine();
    let source = "mov r1.rg, r0.rg\ncall sub\nmov r3, r2\nadd r1.r, r1.r, 1\ncall sub\n\
                  mov o0, r3\nmov o1, r2\nend\nsub:\nld r2, i0[r1.rg]\nret";
    assert!(check(&engine, "two calls", source, &nothing));
    let source = "mov r1.rg, r0.rg\ncall sub\nmov r3, r2\nrep 2\ncall sub\nadd r3, r3, r2\nendrep\n\
                  mov o0, r3\nend\nsub:\nld r2, i0[r1.rg]\nret";
    assert!(check(&engine, "one place from two depths", source, &nothing));
}

#[test]
#[ignore = "needs an adapter"]
fn levels_of_calls_and_returns_end_where_they_should() {
    let engine = engine();
    // The level of a conditional call ends inside its subroutine.
    let call = ".register US_CODE_ADDR 0x20000\n.register US_CODE_RANGE 0x70000\n\
                jump -> 3 if p.r @any @address(PUSH) @jump(INCR)\nmov r5, r5\nmov o0, r1\n\
                mov r1.r, 1\njump -> 0 if never @any @stay(DECR) @count(1)\nmov r1.g, 1\n\
                jump -> 0 @address(POP)\nmov r6, r6";
    assert!(!check(&engine, "a call", call, &nothing));
    // The same of a conditional return.
    let ret = "sub alu_result >= 0, r0.r, 9\nif alu_result\nmov r2, 1\nendif\ncall sub\nmov o0, r1\nend\n\
               sub:\nret if alu_result\nmov r1.r, 1\n\
               jump -> 0 if never @any @stay(DECR) @count(1)\nmov r1.g, 1\nret";
    assert!(!check(&engine, "a return", ret, &nothing));
    let sound = "sub alu_result >= 0, r0.r, 9\ncall sub\nmov o0, r1\nend\n\
                 sub:\nret if alu_result\nmov r1.r, 1\nret";
    assert!(check(&engine, "a sound return", sound, &nothing));
}

#[test]
#[ignore = "needs an adapter"]
fn uncovered_points_that_are_dragged_along() {
    let engine = engine();
    // Where an ENDREP lets only covered points vote, neighbours can tell.
    let source = "mov r1.r, 0\nmul r3.r, r0.r, 2\nrep n0 -> 7 if never\nsub alu_result >= 0, r1.r, r3.r\n\
                  breakrep -> 7 if alu_result\nadd r1.r, r1.r, 1\n\
                  endrep n0 -> 3 @any @ignore_uncovered\nmdh r2, r1, -1\nmov o0, r2\nend";
    assert!(!check(&engine, "neighbours", source, &|bench| {
        count(&mut bench.launch, 255);
    }));
    // They keep a group in a loop that no covered point is in.
    let source = "rep n0 -> 13 if never\nsub alu_result >= 0, r0.r, 3\n\
                  jump -> 5 if !alu_result @ignore_uncovered @stay(INCR)\n\
                  breakrep -> 13 @jump(DECR) @count(1)\n\
                  jump -> 0 if never @any @stay(DECR) @count(1)\n\
                  sub alu_result >= 0, 2, r0.r\nbreakrep -> 13 if alu_result\n\
                  rep n0 -> 12 if never\nrep n0 -> 11 if never\nmov r1.r, 0\n\
                  endrep n0 -> 9 @any\nendrep n0 -> 8 @any\nendrep n0 -> 1 @any\nmov o0, r0\nend";
    let prepare = |bench: &mut Bench| {
        bench.launch.limits.instructions = 1 << 16;
        count(&mut bench.launch, 60);
    };
    let ready = |bench: &mut Bench| with_input(bench, &prepare);
    let outcome = silent_on(&engine, "the budget", source, (3, 3), &ready);
    assert!(!outcome.faults.is_empty(), "the budget was enough");
    assert!(!is_shader(&engine, "the budget", source, (3, 3), &ready));
}

fn count(launch: &mut Launch, turns: u8) {
    let mut constants = (*launch.constants).clone();
    constants.int[0].count = turns;
    launch.constants = constants.into();
}

#[test]
#[ignore = "needs an adapter"]
fn coordinates_that_fall() {
    let engine = engine();
    for wrap in [Wrap::Clamp, Wrap::Repeat] {
        for from in ["9000", "8192", "19", "5"] {
            let source =
                format!("sub r1.rg, {{{from}, 7, 0}}, r0.rg\nld r2, i0[r1.rg]\nmov o0, r2");
            let what = format!("{from} - i, {}", wrap as u8);
            assert!(check(&engine, &what, &source, &|bench| {
                if let Some(input) = &mut bench.launch.inputs[0] {
                    input.wrap = wrap;
                }
            }));
        }
    }
}

#[test]
#[ignore = "needs an adapter"]
fn programs_that_go_around_the_last_slot() {
    let engine = engine();
    let mut lines = vec!["add r2, r2, 1".to_string(); 512];
    for (slot, line) in [
        (0, "mov r3, r2"),
        (1, "jump -> 0 @address(POP)"),
        (3, "mov r2, r0"),
        (5, "jump -> 505 @any @address(PUSH)"),
        (9, "mov o0, r3"),
        (10, "mov o1, r2"),
    ] {
        lines[slot] = line.to_string();
    }
    // START 3, END 10.
    lines.insert(0, ".register US_CODE_ADDR 0xa0003\n.register US_CODE_RANGE 0x1ff0000".into());
    assert!(check(&engine, "around", &lines.join("\n"), &nothing));
}

#[test]
#[ignore = "needs an adapter"]
fn inputs_without_size_have_one_element() {
    let engine = engine();
    for size in [(0, 9), (20, 0), (0, 0)] {
        check(&engine, "no size", "ld r1, i0[r0.rg]\nmov o0, r1", &|bench| {
            if let Some(input) = &mut bench.launch.inputs[0] {
                (input.width, input.height) = size;
            }
        });
    }
}

/// Where nobody is awake a group may still write to points that sleep.
#[test]
#[ignore = "needs an adapter"]
fn sleepers_that_are_written_to_where_nobody_is_awake() {
    let engine = engine();
    for inside in [
        "break\nmov r1.r, 2 @inactive",
        "sub p.r >= 0, r0.r, 2\nbreak if p.r\nif always\nmov r1.r, 2\nelse\n\
         mov r1.r, 3 @inactive\nendif",
    ] {
        let source = format!(
            "mov r1.r, 1\nsub alu_result >= 0, r0.r, 2\nif alu_result\nrep 3\n{inside}\nendrep\n\
             endif\nmov o0, r1"
        );
        let shader = check(&engine, inside, &source, &nothing);
        assert!(!shader, "{inside}");
    }
}

#[test]
#[ignore = "needs an adapter"]
fn products_of_zero_in_both_ways() {
    let engine = engine();
    let special: [u32; 12] = [
        0,
        0x8000_0000,
        1,
        0x807f_ffff,
        0x0080_0000,
        0x3f80_0000,
        0xc020_0000,
        0xff7f_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7f80_0001,
        0xffc0_1234,
    ];
    // Every pair of them in some element.
    let data: Vec<u32> = (0..20 * 9)
        .flat_map(|n| [special[n % 12], special[n / 12 % 12], special[(n + 5) % 12], 0])
        .collect();
    for times in [".zero_times\n", ""] {
        for factor in ["2", "0", "-1", "r1.grba", "r1", "-|r1|", "|r1|", "1e-40", "inf"] {
            let source = format!(
                "{times}ld r1, i0[r0.rg]\nmul r2, r1, {factor}\nmad r3, {factor}, r1, -r1.bbbb\n\
                 dp4 r4, r1, {factor}\nmov o0, r2\nmov o1, r3\nmov o2, r4"
            );
            let shader = check(&engine, factor, &source, &|bench| {
                bench.input(0, 20, 9, &data);
            });
            assert!(shader, "{factor}");
        }
    }
}

#[test]
#[ignore = "needs an adapter"]
fn elements_of_two_sizes_share_a_window() {
    let engine = engine();
    let source = "ld r1, i0[r0.rg]\nadd r2.rg, r0.rg, {1, -1, 0}\nld r3, i1[r2.rg]\n\
                  mov o0, r1\nadd o1, r3, r1.r";
    for (n, &small) in Format::ALL.iter().enumerate() {
        for (m, &large) in Format::ALL.iter().enumerate() {
            let tiling = |odd: bool| if odd { Tiling::Tiled } else { Tiling::Linear };
            let prepare = |bench: &mut Bench| {
                let surface = |k, format, tiled| Some(place(k, 192, 40, tiling(tiled), format));
                bench.launch.inputs[0] = surface(0, small, n % 2 != 0);
                bench.launch.inputs[1] = surface(1, large, m % 2 != 0);
                bench.launch.outputs[0] = surface(2, small, m % 2 != 0);
                bench.launch.outputs[1] = surface(3, large, n % 2 == 0);
                bench.launch.statistics = false;
                // Not at the beginning of an element of the window.
                (bench.launch.domain.i0, bench.launch.domain.j0) = (3, 1);
            };
            let what = format!("{small}, {large}");
            same_on(&engine, &what, source, (20, 9), &prepare);
            assert!(is_shader(&engine, &what, source, (20, 9), &prepare), "{what}");
        }
    }
    // What is compared and overwritten is read from a copy.
    for format in [Format::Float32x1, Format::Uint16x1] {
        let source = "mov o0, r0\nmov o1, r0.grgr";
        let prepare = |bench: &mut Bench| {
            let buffer = place(0, 64, 20, Tiling::Linear, format);
            bench.launch.statistics = false;
            bench.launch.domain.i0 = 3;
            bench.launch.outputs[0] = Some(buffer);
            bench.launch.outputs[1] = Some(place(1, 64, 20, Tiling::Linear, Format::Float32x4));
            bench.launch.condition = Condition {
                test: Test::Less,
                location: Location::Pe,
                value: 0x5000,
                buffer: Some(buffer),
                write: false,
            };
        };
        let what = format!("a copy, {format}");
        same_on(&engine, &what, source, (20, 9), &prepare);
        assert!(is_shader(&engine, &what, source, (20, 9), &prepare), "{what}");
    }
}
