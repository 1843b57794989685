//! Programs with one wrong bit are not called equal, unless the engine shows no difference.

use crate::case::{
    Case, Data, POISON, evaluate, folders, has_kills, many_folders, mutant, pairs, run,
};
use ctm_base::random::Random;
use ctm_base::stop::Stop;
use ctm_prove::term::Terms;
use ctm_prove::{Answer, Options, Set, execute, prove};

/// Whether the engine shows a difference of two cases that a set of rules does not allow, larger than a part
/// of the numbers.
fn differ(a: &Case, b: &Case, set: Set, part: f32) -> Option<String> {
    let mut terms = Terms::new(set, 1_000_000);
    let results = execute(&mut terms, &a.program, &a.setup, Stop::never()).ok()?;
    let kills = set == Set::Values && [a, b].iter().any(|case| has_kills(case));
    for seed in 0..4 {
        let data = Data { seed, hard: set == Set::Bits && seed % 2 == 1 };
        let (_, odd) = evaluate(&terms, &results, &data);
        let (Some(x), Some(y)) = (run(a, &data), run(b, &data)) else { return None };
        for output in 0..4 {
            for (at, (x, y)) in x[output].iter().zip(&y[output]).enumerate() {
                for channel in 0..4 {
                    let [x, y] = [x[channel], y[channel]];
                    let [p, q] = [x, y].map(f32::from_bits);
                    let near = (p - q).abs() <= part * p.abs().max(q.abs()).max(1.0);
                    let one_is_killed = kills && (x == POISON) != (y == POISON);
                    let same = x == y
                        || one_is_killed
                        || set == Set::Values && (near || odd[output][at][channel]);
                    if !same {
                        return Some(format!("o{output} channel {channel} of {at}: {p} {q}"));
                    }
                }
            }
        }
    }
    None
}

/// The answers about programs and mutants of their partners, none of which is wrong.
fn no_wrong_answer(pairs: &[[Case; 2]], set: Set, tries: usize) -> [usize; 2] {
    let options = Options { set, samples: 0, steps: 100_000, ..Options::default() };
    let (mut made, mut proved, mut rounded) = (0, 0, 0);
    for seed in 0.. {
        if made == tries {
            break;
        }
        let mut random = Random::new(&[0x77, seed]);
        let [case, other] = &pairs[random.below(pairs.len() as u32) as usize];
        let Some(other) = mutant(other, &mut random, |_| true) else { continue };
        made += 1;
        let programs = [&*case.program, &*other.program];
        let answer = prove(programs, [&case.setup, &other.setup], &options, Stop::never());
        let part = match answer {
            Answer::Proved => {
                proved += 1;
                0.0
            }
            Answer::EqualUpToRounding { .. } => {
                rounded += 1;
                1.0e-3
            }
            Answer::Different { .. } | Answer::NotDecided { .. } => continue,
        };
        let difference = differ(case, &other, set, part);
        assert_eq!(difference, None, "{} is called equal", other.name);
    }
    println!(
        "{}: {made} mutants, {proved} proved equal, {rounded} up to rounding, none of them differs",
        set.name()
    );
    assert!(proved + rounded < made);
    [proved, rounded]
}

#[test]
fn mutants_that_differ_are_not_proved() {
    let full = std::env::var_os("CTM_FULL").is_some();
    let tries = if full { 10_000 } else { 200 };
    let mut cases: Vec<[Case; 2]> = Vec::new();
    for [a, b] in [["noopt", "default"], ["m25_noopt", "m25"]] {
        let all = pairs(folders(), a, b).into_iter();
        cases.extend(all.map(|[_, case]| [case.clone(), case]));
    }
    for set in [Set::Values, Set::Bits] {
        let [proved, _] = no_wrong_answer(&cases, set, tries);
        assert!(proved > 0);
    }
}

/// Mutants of the programs of one compiler against those of another, which differ by roundings alone.
#[test]
fn mutants_that_differ_are_not_equal_up_to_rounding() {
    let full = std::env::var_os("CTM_FULL").is_some();
    let options = Options { samples: 4, ..Options::default() };
    let folders = if full { many_folders() } else { folders() };
    let mut cases = pairs(folders, "default", "m25");
    cases.retain(|[a, b]| {
        let programs = [&*a.program, &*b.program];
        let answer = prove(programs, [&a.setup, &b.setup], &options, Stop::never());
        matches!(answer, Answer::EqualUpToRounding { .. })
    });
    let [_, rounded] = no_wrong_answer(&cases, Set::Values, if full { 10_000 } else { 2000 });
    assert!(rounded > 0);
}
