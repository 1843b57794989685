//! Programs with one wrong bit are not proved equal, unless the engine shows no difference.

use crate::case::{Case, Data, evaluate, folders, pairs, run};
use ctm_base::random::Random;
use ctm_base::stop::Stop;
use ctm_lang::program::Program;
use ctm_prove::term::Terms;
use ctm_prove::{Answer, Options, Set, execute, prove};
use std::sync::Arc;

/// The case with one bit of an instruction changed, if that is a valid program.
fn mutant(case: &Case, random: &mut Random) -> Option<Case> {
    let mut image = case.program.image().clone();
    let n = random.below(image.words.len() as u32) as usize;
    let (word, bit) = (random.below(6) as usize, random.below(32));
    image.words[n][word] ^= 1 << bit;
    let program = Program::new(image).ok()?;
    let name = format!("{} with bit {bit} of word {word} of {n}", case.name);
    Some(Case { name, program: Arc::new(program), ..case.clone() })
}

/// Whether the engine shows a difference of two cases that a set of rules does not allow.
fn differ(a: &Case, b: &Case, set: Set) -> Option<String> {
    let mut terms = Terms::new(set, 1_000_000);
    let results = execute(&mut terms, &a.program, &a.setup, Stop::never()).ok()?;
    for seed in 0..4 {
        let data = Data { seed, hard: set == Set::Bits && seed % 2 == 1 };
        let (_, odd) = evaluate(&terms, &results, &data);
        let (Some(x), Some(y)) = (run(a, &data), run(b, &data)) else { return None };
        for output in 0..4 {
            for (at, (x, y)) in x[output].iter().zip(&y[output]).enumerate() {
                for channel in 0..4 {
                    let [x, y] = [x[channel], y[channel]];
                    let [p, q] = [x, y].map(f32::from_bits);
                    let same = x == y || set == Set::Values && (p == q || odd[output][at][channel]);
                    if !same {
                        return Some(format!("o{output} channel {channel} of {at}: {p} {q}"));
                    }
                }
            }
        }
    }
    None
}

fn no_wrong_proof(set: Set, tries: usize) {
    let options = Options { set, samples: 0, steps: 100_000, ..Options::default() };
    let mut cases: Vec<Case> =
        pairs(folders(), "noopt", "default").into_iter().map(|[_, b]| b).collect();
    cases.extend(pairs(folders(), "m25_noopt", "m25").into_iter().map(|[_, b]| b));
    let (mut made, mut proved) = (0, 0);
    for seed in 0.. {
        if made == tries {
            break;
        }
        let mut random = Random::new(&[0x77, seed]);
        let case = &cases[random.below(cases.len() as u32) as usize];
        let Some(other) = mutant(case, &mut random) else { continue };
        made += 1;
        let programs = [&*case.program, &*other.program];
        let answer = prove(programs, [&case.setup, &other.setup], &options, Stop::never());
        if answer == Answer::Proved {
            proved += 1;
            let difference = differ(case, &other, set);
            assert_eq!(difference, None, "{} is called equal", other.name);
        }
    }
    println!("{}: {made} mutants, {proved} proved equal, none of them differs", set.name());
    assert!(proved > 0 && proved < made);
}

#[test]
fn mutants_that_differ_are_not_proved() {
    let full = std::env::var_os("CTM_FULL").is_some();
    let tries = if full { 10_000 } else { 200 };
    no_wrong_proof(Set::Values, tries);
    no_wrong_proof(Set::Bits, tries);
}
