//! Pairs of programs that are equal in exact arithmetic, and pairs that nearly are.

use ctm_base::stop::Stop;
use ctm_lang::asm::assemble;
use ctm_lang::program::Program;
use ctm_prove::{Answer, Options, Set, Setup, Start, prove};

fn answer(a: &str, b: &str) -> Answer {
    answer_by(Set::Values, a, b)
}

/// The answer about two programs with data in `r0` to `r3`, without a search for an input.
fn answer_by(set: Set, a: &str, b: &str) -> Answer {
    let [a, b] = [a, b].map(|text| {
        let text = text.replace("; ", "\n");
        Program::new(assemble(&text, "rounding.dpp").expect("valid")).expect("valid")
    });
    let start = (0..4).map(|n| (n, Start::Data(n.into()))).collect();
    let mut setup = Setup { start, ..Setup::default() };
    setup.ints[0] = Some((255, 0, 1));
    let options = Options { set, samples: 0, ..Options::default() };
    prove([&a, &b], [&setup, &setup], &options, Stop::never())
}

/// The most that the answer may be wrong.
fn up_to_rounding(answer: &Answer) -> bool {
    matches!(answer, Answer::EqualUpToRounding { bits: 64, .. })
}

/// Of each group all programs are equal in exact arithmetic, and programs of different groups are not.
const GROUPS: &[&[&str]] = &[
    // Sums and products in another order; factors taken out; fused or not.
    &[
        "add r4, r0, r1; add r4, r4, r2; add o0, r4, r3",
        "add r4, r0, r1; add r5, r2, r3; add o0, r4, r5",
        "add r4, r3, r2; add r4, r4, r1; mad o0, r4, 1, r0",
    ],
    &["mul r4, r0, r1; mul o0, r4, r2", "mul r4, r1, r2; mul o0, r0, r4"],
    &[
        "mul r4, r0, r2; mad o0, r1, r2, r4",
        "add r4, r0, r1; mul o0, r4, r2",
        "mul r4, r0, 3; mul r4, r4, r2; mul r5, r0, 2; mad r4, -r5, r2, r4; mad o0, r1, r2, r4",
    ],
    &["mul r4, r0, r2; mad o0, -r1, r2, r4", "sub r4, r0, r1; mul o0, r4, r2"],
    &["mul r4, r0, 3; add r4, r4, r1; mad o0, r2, r3, r4", "mad r4, r2, r3, r1; mad o0, r0, 3, r4"],
    // One constant, one swizzle, one sign.
    &["mul r4, r0, 4; add r4, r4, r1; mad o0, r2, r3, r4"],
    &["mul r4, r0.rgbb, 3; add r4, r4, r1; mad o0, r2, r3, r4"],
    &["mul r4, r0, 3; add r4, r4, -r1; mad o0, r2, r3, r4"],
    // Dot products.
    &[
        "dp3 o0.r, r0, r1",
        "mul r4.r, r0.b, r1.b; mad r4.r, r0.g, r1.g, r4.r; mad o0.r, r0.r, r1.r, r4.r",
    ],
    // Quotients.
    &[
        "rcp r4.r, r1.r; mul r4.r, r4.r, r0.r; rcp r5.r, r2.r; mul o0.r, r4.r, r5.r",
        "mul r4.r, r1.r, r2.r; rcp r4.r, r4.r; mul o0.r, r0.r, r4.r",
    ],
    &[
        "rcp r4.r, r1.r; mul r4.r, r4.r, r0.r; rcp r5.r, r2.r; add o0.r, r4.r, r5.r",
        "mad r4.r, r0.r, r2.r, r1.r; mul r5.r, r1.r, r2.r; rcp r5.r, r5.r; mul o0.r, r4.r, r5.r",
    ],
    // Functions, comparisons and fetches of values that are equal but for rounding.
    &[
        "add r4.r, r0.r, r1.r; add r4.r, r4.r, r2.r; sin r4.r, r4.r; mov o0, r4.r",
        "add r4.r, r1.r, r2.r; add r4.r, r4.r, r0.r; sin r4.r, r4.r; mov o0, r4.r",
    ],
    &[
        "add r4, r0, r1; add r4, r4, r2; cmp o0, r0, r3, r4",
        "add r4, r1, r2; add r4, r4, r0; cmp o0, r0, r3, r4",
    ],
    &[
        "add r4, r0, r1; add r4, r4, r2; cmp o0, r0, r3, -r4",
        "add r4, r1, r2; add r4, r4, r0; cmp o0, r0, r3, -r4",
    ],
    &[
        "add r4, r0, r1; add r4, r4, r2; max r4, r4, r1; max o0, r4, r0",
        "add r4, r1, r2; add r4, r4, r0; max r4, r0, r4; max o0, r1, r4",
    ],
    &["add r4, r0, r1; add r4, r4, r2; min r4, r4, r1; min o0, r4, r0"],
    &[
        "add r4, r0, r1; add r4, r4, r2; ld r4, i0[r4.rg]; mov o0, r4",
        "add r4, r1, r2; add r4, r4, r0; ld r4, i0[r4.rg]; mov o0, r4",
    ],
    &["add r4, r0, r1; add r4, r4, r2; ld r4, i1[r4.rg]; mov o0, r4"],
    &["add r4, r0, r1; add r4, r4, r2; ld r4, i0[r4.gr]; mov o0, r4"],
    // A factor taken out of a choice.
    &["mul r4, r0, r1; mul r5, r2, r1; cmp o0, r4, r5, r3", "cmp r4, r0, r2, r3; mul o0, r4, r1"],
    // A mix in two forms.
    &["sub r4, r1, r0; mad o0, r4, r2, r0", "sub r4, 1, r2; mul r4, r4, r0; mad o0, r1, r2, r4"],
];

#[test]
fn programs_that_round_differently_are_told_from_others() {
    let programs: Vec<(usize, &str)> = GROUPS
        .iter()
        .enumerate()
        .flat_map(|(n, group)| group.iter().map(move |program| (n, *program)))
        .collect();
    for &(n, a) in &programs {
        for &(m, b) in &programs {
            let answer = answer(a, b);
            let equal = answer == Answer::Proved || up_to_rounding(&answer);
            assert_eq!(equal, n == m, "{a}\n{b}\n{answer:?}");
            assert!(a == b || answer != Answer::Proved, "{a}\n{b}");
        }
    }
}

/// A polynomial of degree 2^255.
#[test]
fn where_an_error_is_probable_nothing_is_said() {
    let squares = |sum| format!("{sum}; rep n0; mul r4, r4, r4; endrep; mov o0, r4; end");
    let [a, b] = ["add r4, r0, r1; add r4, r4, r2", "add r4, r1, r2; add r4, r4, r0"].map(squares);
    let answer = answer(&a, &b);
    assert!(matches!(answer, Answer::NotDecided { reason: None, .. }), "{answer:?}");
}

/// Where every rounding counts, they are a difference.
#[test]
fn nothing_is_equal_up_to_rounding_to_the_bit() {
    let [a, b] = [GROUPS[1][0], GROUPS[1][1]];
    let answer = answer_by(Set::Bits, a, b);
    assert!(matches!(answer, Answer::NotDecided { .. }), "{answer:?}");
}
