//! Each rule on an example, and random programs, computed with the flushes that are left and with
//! all.

mod random;
mod simulated;

use crate::translate::analyse;
use crate::translate::tests::text::launch;
use crate::translate::{Options, Sizes, State, recover, translate};
use ctm_isa::float;
use ctm_machine::engine::Checked;
use ctm_machine::launch::{Initial, Launch};
use ctm_machine::memory::{Format, Tiling};
use random::Random;
use simulated::{OUTPUTS, Running, Simulated};
use std::sync::Arc;

/// A launch whose r0 to r3 start with data: one number for all.
fn started(source: &str, bits: u32) -> Launch {
    let end = if source.contains("\nend\n") { "" } else { "\nend" };
    let mut launch = launch(&format!("{source}{end}"));
    let data = Arc::new(vec![[bits; 4]; 64 * 64]);
    launch.initial = (0..4).map(|temp| Initial { temp, data: data.clone() }).collect();
    launch
}

/// The right sides of the assignments of a program whose temporaries start with such a number.
fn values_with(source: &str, bits: u32) -> Vec<String> {
    let launch = started(source, bits);
    let launch = Checked::new(&launch).unwrap_or_else(|e| panic!("{source}\n{e}"));
    let state = State::of(&launch, &[0..1 << 32], &Options::default())
        .unwrap_or_else(|reason| panic!("{source}\n{reason}"));
    let translation = translate(&launch.program, &launch.lowered, &state)
        .unwrap_or_else(|reason| panic!("{source}\n{reason}"));
    let main = translation.wgsl.split("fn main(").nth(1).unwrap_or_default();
    let lines = main.lines().filter(|line| line.contains(" = x1k_"));
    lines.map(|line| line.split(" = ").nth(1).unwrap_or_default().to_string()).collect()
}

/// The same with any numbers. What flushes them is left out.
fn values(source: &str) -> Vec<String> {
    let mut values = values_with(source, 1);
    for value in &mut values {
        for row in ["r0_r", "r0_g", "r0_b"] {
            *value = value.replace(&format!("x1k_ftz({row})"), row);
        }
    }
    values
}

/// Whether the first operation of a program leaves out all its flushes.
fn first_is_bare(source: &str) -> bool {
    let values = values(source);
    values.first().is_some_and(|value| value.contains("_bare(") && !value.contains("_loose("))
}

#[test]
fn sums_with_large_numbers_have_no_denormals() {
    assert!(first_is_bare("add o0.r, r0.r, 0.5"));
    assert!(!first_is_bare("add o0.r, r0.r, r0.g"));
    // A product is absorbed, too.
    assert!(first_is_bare("mad o0.r, r0.r, r0.g, 0.5"));
    assert!(!first_is_bare("mad o0.r, r0.r, r0.g, r0.b"));
}

#[test]
fn what_follows_may_absorb_denormals() {
    for (then, expected) in [
        ("add o0.r, r1.r, 1", true),
        ("add o0.r, r1.r, r0.b", false),
        ("sub r2.r, r1.r, r0.b\nadd o0.r, r2.r, 1", true),
        ("mov o0.r, r1.r", false),
        ("mov r2.r, r1.r\nadd o0.r, r2.r, 1", true),
        // Inf times a denormal is Inf, times 0 a NaN.
        ("mad o0.r, r1.r, r0.b, 1", false),
        ("frc r2.r, r0.b\nmad o0.r, r1.r, r2.r, 1", true),
        ("mad o0.r, r1.r, r1.r, 1", true),
        // The sign of a zero shows.
        ("rcp o0.r, r1.r", true),
        ("frc o0.r, r1.r", false),
        ("max r2.r, r1.r, 0\nadd o0.r, r2.r, 1", true),
        ("max r2.r, r1.r, 0\nmov o0.r, r2.r", false),
        ("min r2.r, r1.r, 3\nadd o0.r, r2.r, 1", true),
        ("cmp o0.r, r0.r, r0.g, r1.r", true),
        ("cnd o0.r, r0.r, r0.g, r1.r", true),
        ("cmp o0.r, r1.r, 1, r0.r", false),
        ("dp3 r2.r, r1.rrr, r1.rrr\nadd o0.r, r2.r, 1", true),
        ("dp3 r2.r, r1.rrr, r0.rgb\nadd o0.r, r2.r, 1", false),
        ("dp3 o0.r, r1.rrr, r1.rrr", false),
        ("sub alu_result >= 0, r1.r, 1\nif alu_result\nmov o0.r, 1\nendif", false),
        // What follows a run of instructions does not decide what is needed in it.
        ("sub alu_result >= 0, r0.r, 1\nif alu_result\nadd o0.r, r1.r, 1\nendif", false),
        ("(p.r) add r1.r, r1.r, 1\nadd o0.r, r1.r, 1", true),
        ("(p.r) mov r1.r, 1\nmov o0.r, r1.r", false),
        ("mdh o0.r, r1.r, 1", false),
    ] {
        let source = format!("add r1.r, r0.r, r0.g\n{then}");
        let values = values(&source);
        let bare = values.iter().any(|value| value.starts_with("x1k_add_bare(r0_r, r0_g"));
        assert_eq!(bare, expected, "{source}\n{values:#?}");
    }
}

/// Whether the last sum or product of a program leaves out all its flushes.
fn last_is_bare(source: &str) -> bool {
    let values = values(source);
    let computes =
        |value: &&String| ["x1k_add", "x1k_mul", "x1k_product"].iter().any(|f| value.contains(f));
    let found = values.iter().rev().find(computes).unwrap_or_else(|| panic!("{source}"));
    found.contains("_bare(") && !found.contains("_flushed(") && !found.contains("_ftz(")
}

#[test]
fn facts_follow_the_statements() {
    const TEST: &str = "sub alu_result >= 0, r0.g, 1\n";
    for (source, expected) in [
        // Into branches, and after them if both agree.
        ("mov r1.r, 2\nTESTif alu_result\nadd o0.r, r1.r, r0.b\nendif", true),
        ("mov r1.r, 2\nTESTif alu_result\nmov r1.r, 3\nendif\nadd o0.r, r1.r, r0.b", true),
        ("mov r1.r, 2\nTESTif alu_result\nmov r1.r, r0.g\nendif\nadd o0.r, r1.r, r0.b", false),
        ("TESTif alu_result\nmov r1.r, 3\nelse\nmov r1.r, 2\nendif\nadd o0.r, r1.r, r0.b", true),
        ("TESTif alu_result\nmov r1.r, 3\nendif\nadd o0.r, r1.r, r0.b", false),
        // Into loops and after them.
        ("mov r1.r, 2\nrep 3\nadd r2.r, r1.r, r0.b\nendrep\nmov o0.r, r2.r", true),
        ("mov r1.r, 2\nrep 3\nadd r2.r, r1.r, r0.b\nmov r1.r, r0.g\nendrep\nmov o0.r, r2.r", false),
        ("mov r1.r, 2\nrep 3\nmov r1.r, r0.g\nendrep\nadd o0.r, r1.r, r0.b", false),
        ("mov r1.r, r0.g\nrep 3\nmov r1.r, 2\nendrep\nadd o0.r, r1.r, r0.b", true),
        // Whole numbers, but for how large they are.
        ("mov r1.r, 0\nrep 3\nadd r1.r, r1.r, 1\nendrep\nmul o0.r, r1.r, r1.r", true),
        ("mov r1.r, 1\nrep 3\nmul r1.r, r1.r, 0.5\nendrep\nadd o0.r, r1.r, r1.r", false),
        // Points leave a loop with what they have.
        (
            "mov r1.r, r0.g\nrep 3\nTESTbreak if alu_result\nmov r1.r, 2\nendrep\n\
             add o0.r, r1.r, r0.b",
            false,
        ),
        (
            "mov r1.r, 1\nrep 3\nmov r1.r, 3\nTESTbreak if alu_result\nmov r1.r, 2\nendrep\n\
             add o0.r, r1.r, r0.b",
            true,
        ),
        (
            "mov r1.r, 1\nrep 3\nTESTcontinue if alu_result\nmov r1.r, 2\nendrep\n\
             add o0.r, r1.r, r0.b",
            true,
        ),
        (
            "mov r1.r, 1\nTESTrep 3\nadd r2.r, r1.r, r0.b\nmov r1.r, r0.g\ncontinue if alu_result\n\
             mov r1.r, 2\nendrep\nmov o0.r, r2.r",
            false,
        ),
        (
            "mov r1.r, 1\nrep 2\nrep 2\nadd r2.r, r1.r, r0.b\nendrep\nmov r1.r, r0.g\nendrep\n\
             mov o0.r, r2.r",
            false,
        ),
    ] {
        let source = source.replace("TEST", TEST);
        assert_eq!(last_is_bare(&source), expected, "{source}\n{:#?}", values(&source));
    }
}

#[test]
fn two_calls_of_a_subroutine_give_two_values() {
    // The second fraction is that of another number.
    let source = "call one\nmov r2.r, r1.r\nmov r0.r, r0.g\ncall one\nsub o0.r, r0.r, r2.r\nend\n\
                  one:\nfrc r1.r, r0.r\nret";
    let values = values_with(source, float::ONE);
    assert!(!values.iter().any(|value| value.contains("floor")), "{values:#?}");
}

#[test]
fn multiples_of_large_powers_are_no_denormals() {
    // floor(x) is whole, and so are sums and products of such numbers.
    let floor = "frc r1.r, r0.r\nsub r1.r, r0.r, r1.r\n";
    for (then, expected) in [
        // A square has the sign +.
        ("mul o0.r, r1.r, r1.r", "x1k_settled(x1k_product_bare("),
        ("mul o0.r, r1.r, -r1.r", "x1k_settled(x1k_plus_zero(x1k_product_bare("),
        ("mad o0.r, r1.r, r1.r, r1.r", "x1k_settled(x1k_add_bare(x1k_product_bare("),
        // If it is 0, the sum is r0; otherwise it is large.
        ("mad o0.r, r1.r, r1.r, r0.r", "x1k_settled(x1k_add_bare(x1k_product_bare("),
    ] {
        let found = values(&format!("{floor}{then}"));
        assert!(found[2].starts_with(expected), "{found:#?}");
    }
    // The fraction of another number.
    let other = values("frc r1.r, r0.g\nsub r1.r, r0.r, r1.r\nmad o0.r, r1.r, r1.r, r1.r");
    assert!(other[2].starts_with("x1k_mad_"), "{other:#?}");
    let absolute = values("frc r1.r, |r0.r|\nsub r1.r, r0.r, r1.r\nmad o0.r, r1.r, r1.r, r1.r");
    assert!(absolute[2].starts_with("x1k_mad_"), "{absolute:#?}");
}

#[test]
fn what_starts_with_middling_numbers_is_finite() {
    let found = |source: &str| values_with(source, float::ONE).pop().unwrap_or_default();
    let has = |source: &str, expected: &str| {
        let found = found(source);
        assert!(found.contains(expected), "{source}: {found}");
    };
    has("add o0.r, r0.r, r0.g", "x1k_add_bare(r0_r, r0_g)");
    has("frc r1.r, r0.r\nsub o0.r, r0.r, r1.r", "x1k_floor(r0_r)");
    has("dp3 o0.r, r0.rgb, r1.rgb", "x1k_sum3_bare(t0, t1, t2, false, true)");
    has("dp3 o0.r, r0.rgb, r0.rgb", "x1k_sum3_bare(t0, t1, t2, false, false)");
    let any = values("frc r1.r, r0.r\nsub o0.r, r0.r, r1.r");
    assert!(any[1].starts_with("x1k_add_flushed("), "{any:#?}");
    // Only a sum is a floor.
    for other in ["mul o0.r, r0.r, -r1.r", "mad o0.r, r0.r, -r1.r, r0.g", "max o0.r, r0.r, -r1.r"] {
        let found = found(&format!("frc r1.r, r0.r\n{other}"));
        assert!(!found.contains("floor"), "{other}: {found}");
    }
}

#[test]
fn comparisons_of_flushed_numbers_flush_nothing() {
    assert!(values("add r1.r, r0.r, r0.g\nmax o0.r, r1.r, 0")[1].starts_with("x1k_max_flushed("));
    assert!(values("max o0.r, r0.r, 0")[0].starts_with("x1k_max("));
}

#[test]
fn random_programs_give_the_same_bits_without_the_flushes() {
    let mut random = Random(5);
    let (mut left_out, mut floors, mut bounded) = (0, 0, 0);
    for n in 0..1800 {
        let (mut lines, subroutines) = random.program();
        lines.push(format!("{} o0.rgb, r{}, {}", random.of(&["add", "mul", "max"]), n % 4, 1));
        lines.push("end".to_string());
        lines.extend(subroutines);
        let source = lines.join("\n");
        // Any numbers, or those of `Fact::MIDDLING`.
        let any = n % 2 == 0;
        let number = |random: &mut Random| if any { random.number() } else { random.middling() };
        let mut launch = started(&source, if any { 1 } else { float::ONE });
        let mut constants = (*launch.constants).clone();
        for constant in &mut constants.float[..4] {
            *constant = std::array::from_fn(|_| number(&mut random));
        }
        launch.constants = Arc::new(constants);
        for input in launch.inputs.iter_mut().flatten() {
            input.format = random.of(&Format::ALL);
            if input.format.is_basic_single() && random.below(2) == 0 {
                input.tiling = Tiling::LinearInp2x2;
            }
        }
        let launch = Checked::new(&launch).unwrap_or_else(|e| panic!("{source}\n{e}"));
        let options = Options {
            texels: random.of(&[Sizes::Any, Sizes::Clean, Sizes::Wide]),
            ..Options::default()
        };
        let state = State::of(&launch, &[0..1 << 32], &options)
            .unwrap_or_else(|reason| panic!("{source}\n{reason}"));
        let lowered = &*launch.lowered;
        let tree = recover(lowered, &state.int_constants(), state.bools)
            .unwrap_or_else(|reason| panic!("{source}\n{reason}"));
        let analysis = analyse::analyse(lowered, &tree, &state)
            .unwrap_or_else(|reason| panic!("{source}\n{reason}"));
        let uniforms = lowered.resolve(&launch.constants);
        left_out += analysis.spared.iter().filter(|spared| **spared != Default::default()).count();
        floors += analysis.spared.iter().filter(|spared| spared.floor).count();
        for _ in 0..25 {
            let start: [Vec<u32>; 4] =
                [(); 4].map(|()| (0..lowered.rows).map(|_| number(&mut random)).collect());
            let [bare, exact] = [true, false].map(|bare| {
                let (state, analysis, uniforms) = (&state, &analysis, &uniforms);
                let simulated = Simulated { lowered, state, analysis, uniforms, bare };
                let mut running = Running::new(start.clone());
                simulated.block(&tree.nodes, [true; 4], &mut [[false; 4]; 2], &mut running);
                running.visible
            });
            assert!(exact.keys().any(|(what, ..)| *what >= OUTPUTS), "{source}");
            assert_eq!(bare, exact, "{source}");
            for (&(what, ..), &bits) in &bare {
                let output = what.checked_sub(OUTPUTS).and_then(|n| analysis.outputs.get(n / 4));
                if let Some(&sizes) = output {
                    assert!(sizes.fact().holds(bits), "{source}\n{sizes:?} {bits:08x}");
                    bounded += usize::from(sizes != Sizes::Any);
                }
            }
        }
    }
    assert!(left_out > 2000 && floors > 50 && bounded > 2000, "{left_out} {floors} {bounded}");
}
