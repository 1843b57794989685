//! Loops of equal shape are proved equal without unrolling, others are not.

use crate::case::{Case, Data, folders, has_kills, many_folders, mutant, pairs, run};
use ctm_base::random::Random;
use ctm_base::stop::Stop;
use ctm_isa::isa::{Body, FcOp};
use ctm_lang::asm::assemble;
use ctm_lang::program::Program;
use ctm_prove::{Options, Set, Setup, Start, equal_by_shape};
use std::sync::Arc;

/// A program with data in `r1` to `r4`, and constant 0 of loops for 255 iterations.
fn case(text: &str) -> Case {
    let text = text.replace("; ", "\n");
    let image = assemble(&text, "loops.dpp").unwrap_or_else(|error| panic!("{text}: {error}"));
    let program = Arc::new(Program::new(image).expect("valid"));
    let mut setup = Setup::of(&program);
    setup.start = (1..5).map(|n| (n, Start::Data(n.into()))).collect();
    setup.ints[0] = Some((255, 0, 0));
    Case { name: text, program, setup }
}

fn equal(a: &Case, b: &Case, set: Set) -> bool {
    let options = Options { set, steps: 400_000, ..Options::default() };
    equal_by_shape([&a.program, &b.program], [&a.setup, &b.setup], &options, Stop::never())
}

/// Of each group all programs are equal, and programs of different groups are not.
const GROUPS: &[&[&str]] = &[
    // A count that depends on the point; other registers, copies, and operands in another order.
    &[
        "rep n0; sub alu_result>=0, r1.r, r2.r; break if alu_result; mad r1, r1, r1, r3; endrep; mov o0, r1",
        "mov r5, r1; rep n0; sub alu_result>=0, r5.r, r2.r; if alu_result; break; endif; mov r6, r5; \
         mad r6, r6, r5, r3; mov r5, r6; endrep; mov o0, r5",
        "mov r5, r3; rep n0; sub alu_result<0, r1.r, r2.r; break if !alu_result; mad r1, r1, r1, r5; endrep; \
         mov o0, r1",
    ],
    // Another start, step, border, order.
    &[
        "rep n0; sub alu_result>=0, r1.r, r2.r; break if alu_result; mad r1, r1, r1, r4; endrep; mov o0, r1",
    ],
    &[
        "rep n0; sub alu_result>=0, r1.r, r2.g; break if alu_result; mad r1, r1, r1, r3; endrep; mov o0, r1",
    ],
    &[
        "rep n0; mad r1, r1, r1, r3; sub alu_result>=0, r1.r, r2.r; break if alu_result; endrep; mov o0, r1",
    ],
    &[
        "mov r1, r2; rep n0; sub alu_result>=0, r1.r, r2.r; break if alu_result; mad r1, r1, r1, r3; endrep; mov o0, r1",
    ],
    &[
        "rep 254; sub alu_result>=0, r1.r, r2.r; break if alu_result; mad r1, r1, r1, r3; endrep; mov o0, r1",
    ],
    // A counter beside it, which decides.
    &[
        "mov r5, 0; rep n0; sub alu_result>=0, r5.r, r2.r; break if alu_result; mad r1, r1, r1, r3; \
         add r5.r, r5.r, 1; endrep; mov o0, r1",
        "mov r6, 0; rep n0; sub alu_result>=0, r6.r, r2.r; break if alu_result; add r6.r, r6.r, 1; \
         mad r1, r1, r1, r3; endrep; mov o0, r1",
    ],
    // Two values, and the same two exchanged.
    &[
        "rep n0; sub alu_result>=0, r1.r, r2.r; break if alu_result; add r5, r1, r3; mov r1, r3; mov r3, r5; endrep; \
       mov o0, r1",
    ],
    &[
        "rep n0; sub alu_result>=0, r1.r, r2.r; break if alu_result; add r5, r1, r3; mov r1, r3; mov r3, r5; endrep; \
       mov o0, r3",
    ],
    // A loop in a loop, and two loops.
    &[
        "rep n0; rep n0; sub alu_result>=0, r1.r, r2.r; break if alu_result; mad r1, r1, r1, r3; endrep; \
         mad r2, r1, r4, r2; endrep; mov o0, r2",
        "mov r5, r2; rep n0; rep n0; sub alu_result>=0, r1.r, r5.r; break if alu_result; mad r1, r1, r1, r3; endrep; \
         mov r6, r5; mad r5, r4, r1, r6; endrep; mov o0, r5",
    ],
    &[
        "rep n0; rep n0; sub alu_result>=0, r1.r, r2.r; break if alu_result; mad r1, r1, r1, r4; endrep; \
       mad r2, r1, r4, r2; endrep; mov o0, r2",
    ],
    &["rep n0; sub alu_result>=0, r1.r, r2.r; break if alu_result; mad r1, r1, r1, r3; endrep; \
       rep n0; mad r2, r1, r4, r2; endrep; mov o0, r2"],
    // In a branch; points that do not take it go on as they are.
    &[
        "sub alu_result>=0, r4.r, 0; if alu_result; rep n0; sub alu_result>=0, r1.r, r2.r; break if alu_result; \
         mad r1, r1, r1, r3; endrep; else; mov r1, r2; endif; mov o0, r1",
        "sub alu_result<0, r4.r, 0; if alu_result; mov r1, r2; else; rep n0; sub alu_result>=0, r1.r, r2.r; \
         break if alu_result; mad r1, r1, r1, r3; endrep; endif; mov o0, r1",
    ],
    // Kills.
    &[
        "rep n0; sub alu_result>=0, r1.r, r2.r; break if alu_result; texkill r3; mad r1, r1, r1, r3; endrep; mov o0, r1",
    ],
    &[
        "rep n0; sub alu_result>=0, r1.r, r2.r; break if alu_result; texkill r1; mad r1, r1, r1, r3; endrep; mov o0, r1",
    ],
];

#[test]
fn loops_of_equal_shape_are_told_from_others() {
    let programs: Vec<(usize, Case)> = GROUPS
        .iter()
        .enumerate()
        .flat_map(|(n, group)| group.iter().map(move |text| (n, case(text))))
        .collect();
    for (n, a) in &programs {
        for (m, b) in &programs {
            assert_eq!(equal(a, b, Set::Values), n == m, "{}\n{}", a.name, b.name);
        }
        assert!(equal(a, a, Set::Bits), "{}", a.name);
    }
}

fn has_loops(case: &Case) -> bool {
    case.program.instructions().iter().any(|instruction| match &instruction.body {
        Body::Fc(fc) => matches!(fc.op, FcOp::Loop | FcOp::Rep),
        Body::Alu(_) | Body::Tex(_) => false,
    })
}

/// Programs with one wrong bit in or around loops that are called equal, and for which the engine shows no difference.
#[test]
fn mutants_of_loops_that_differ_are_not_proved() {
    let full = std::env::var_os("CTM_FULL").is_some();
    let mut cases: Vec<Case> =
        GROUPS.iter().flat_map(|group| group.iter().map(|text| case(text))).collect();
    for [a, b] in [["noopt", "default"], ["m25_noopt", "m25"]] {
        let all = pairs(folders(), a, b).into_iter().flatten();
        cases.extend(all.filter(has_loops));
    }
    for set in Set::ALL {
        let (mut made, mut proved, tries) = (0, 0, if full { 20_000 } else { 150 });
        for seed in 0.. {
            if made == tries {
                break;
            }
            let mut random = Random::new(&[0x100b, seed]);
            let case = &cases[random.below(cases.len() as u32) as usize];
            if set == Set::Values && has_kills(case) {
                continue;
            }
            let Some(other) = mutant(case, &mut random, |_| true) else { continue };
            made += 1;
            if !equal(case, &other, set) {
                continue;
            }
            proved += 1;
            for seed in 0..4 {
                let data = Data { seed, hard: set == Set::Bits && seed % 2 == 1 };
                let [a, b] = [case, &other].map(|case| run(case, &data));
                assert!(a == b || a.is_none() || b.is_none(), "{} is called equal", other.name);
            }
        }
        println!("{}: {made} mutants, {proved} proved equal, none of them differs", set.name());
        assert!(proved > 0 && proved < made);
    }
}

/// All bits of the instructions of two loops: one that changes what the loops leave is not called equal.
#[test]
fn each_bit_of_flow_control_that_counts_is_seen() {
    let case = case(
        "rep n0; sub alu_result>=0, r1.r, r2.r; break if alu_result; mad r1, r1, r1, r3; endrep; \
         rep n0; mad r2, r1, r4, r2; endrep; mov o0, r2",
    );
    let data = Data { seed: 1, hard: false };
    let before = run(&case, &data).expect("a run without a fault");
    let (mut proved, mut refused) = (0, 0);
    for (n, instruction) in case.program.instructions().iter().enumerate() {
        if !matches!(instruction.body, Body::Fc(_)) {
            continue;
        }
        for (word, bit) in [2, 3].into_iter().flat_map(|word| (0..32).map(move |bit| (word, bit))) {
            let mut image = case.program.image().clone();
            image.words[n][word] ^= 1 << bit;
            let Ok(program) = Program::new(image) else { continue };
            let other = Case { program: Arc::new(program), ..case.clone() };
            if !equal(&case, &other, Set::Bits) {
                refused += 1;
                continue;
            }
            proved += 1;
            if let Some(after) = run(&other, &data) {
                assert!(before == after, "bit {bit} of word {word} of {n} is called equal");
            }
        }
    }
    assert!(proved > 50 && refused > 50, "{proved} {refused}");
}

/// Most programs with loops are equal to their unoptimised ones by shape alone.
#[test]
fn loops_of_vectors_are_proved_by_shape() {
    for [a, b] in [["noopt", "default"], ["m25_noopt", "m25"]] {
        let (mut proved, mut all) = (0, 0);
        for [a, b] in pairs(many_folders(), a, b) {
            if has_loops(&a) && has_loops(&b) {
                all += 1;
                proved += u32::from(equal(&a, &b, Set::Values));
            }
        }
        println!("{a} {b}: {proved} of {all}");
        assert!(proved * 10 >= all * 9);
    }
}
