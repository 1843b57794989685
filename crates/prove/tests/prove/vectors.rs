//! Pairs of programs that a compiler made of the same shader.

use crate::case::{folders, many_folders, pairs};
use ctm_base::stop::Stop;
use ctm_prove::{Answer, Options, Set, prove};
use std::path::PathBuf;
use std::time::Instant;

/// The answers for all pairs of two variants: proved, different, not decided, equal programs, equal up to
/// rounding; of straight programs and of the others.
fn answers(folders: Vec<PathBuf>, a: &str, b: &str, set: Set) -> [[usize; 5]; 2] {
    let options = Options { set, samples: 16, steps: 1_000_000, ..Options::default() };
    let mut counts = [[0; 5]; 2];
    let (mut long, mut instructions) = (0.0, 0);
    for [a, b] in pairs(folders, a, b) {
        let flow = |case: &crate::case::Case| case.program.uses().mix[2] != 0;
        let row = usize::from(flow(&a) || flow(&b));
        let same =
            a.program.image().words == b.program.image().words && a.setup.floats == b.setup.floats;
        let start = Instant::now();
        let answer = prove([&a.program, &b.program], [&a.setup, &b.setup], &options, Stop::never());
        if answer == Answer::Proved && row == 0 && !same {
            long += start.elapsed().as_secs_f64();
            instructions += a.program.instructions().len().max(b.program.instructions().len());
        }
        let n = match &answer {
            Answer::Proved if same => 3,
            Answer::Proved => 0,
            Answer::Different { .. } => 1,
            Answer::NotDecided { .. } => 2,
            Answer::EqualUpToRounding { .. } => 4,
        };
        if [1, 2, 4].contains(&n) {
            println!("{} {} {set:?}: {answer:?}", a.name, b.name);
        }
        counts[row][n] += 1;
    }
    let each = long / instructions.max(1) as f64 * 1e6;
    println!("{a} {b} {}: {counts:?}, {each:.1} us an instruction", set.name());
    counts
}

#[test]
fn optimised_programs_are_proved_equal_to_unoptimised_ones() {
    for [a, b] in [["noopt", "default"], ["m25_noopt", "m25"]] {
        let [straight, flow] = answers(many_folders(), a, b, Set::Values);
        let all: usize = straight.iter().sum();
        assert!((straight[0] + straight[3]) * 200 >= all * 199, "{straight:?}");
        let all: usize = flow.iter().sum();
        assert!((flow[0] + flow[3]) * 5 >= all * 4, "{flow:?}");
        assert_eq!((straight[1], flow[1]), (0, 0));
    }
}

#[test]
fn some_are_equal_to_the_bit() {
    let [straight, _] = answers(folders(), "noopt", "default", Set::Bits);
    assert!(straight[0] > 0, "{straight:?}");
}

#[test]
fn two_versions_of_a_compiler_are_often_proved_equal() {
    let [straight, _] = answers(folders(), "default", "m25", Set::Values);
    let all: usize = straight.iter().sum();
    assert!((straight[0] + straight[3]) * 4 >= all * 3, "{straight:?}");
    assert!(straight[4] > 0, "{straight:?}");
}
