//! Terms have the values that the reference engine computes.

use crate::case::{Case, Data, evaluate, folders, mutant, read, run};
use ctm_base::random::Random;
use ctm_base::stop::Stop;
use ctm_isa::isa::{Body, Instruction};
use ctm_prove::term::Terms;
use ctm_prove::{Set, Undecided, execute};

/// Compares the outputs of a case with the values of its terms, to the bit. `Err`: it has no terms.
fn check(case: &Case, fuel: u32) -> Result<(), Undecided> {
    let mut terms = Terms::new(Set::Bits, fuel);
    let results = execute(&mut terms, &case.program, &case.setup, Stop::never())?;
    for (seed, hard) in [(1, false), (2, true)] {
        let data = Data { seed, hard };
        let Some(outputs) = run(case, &data) else { continue };
        let (values, _) = evaluate(&terms, &results, &data);
        for (n, (output, values)) in outputs.iter().zip(values).enumerate() {
            for (at, (want, got)) in output.iter().zip(values).enumerate() {
                assert_eq!(
                    want.map(|x| format!("{x:08x}")),
                    got.map(|x| format!("{x:08x}")),
                    "{}: output {n}, point {at}, seed {seed}",
                    case.name
                );
            }
        }
    }
    Ok(())
}

#[test]
fn terms_of_all_vectors_have_the_values_of_the_engine() {
    let (mut done, mut not) = (0, Vec::new());
    for folder in folders() {
        for variant in ["default", "noopt", "m25", "m25_noopt", "tgsi"] {
            let file = folder.join(format!("{variant}.toml"));
            if !file.is_file() {
                continue;
            }
            let case = read(&file);
            match check(&case, 2_000_000) {
                Ok(()) => done += 1,
                Err(reason) => not.push(format!("{}: {reason}", case.name)),
            }
        }
    }
    println!("{done} programs; without terms: {} {not:#?}", not.len());
    assert!(done > 100, "{done}");
    assert!(not.len() * 5 < done, "{not:#?}");
}

/// A group's decisions depend on points that the terms do not know.
#[test]
fn terms_of_programs_with_any_flow_control_have_the_values_of_the_engine() {
    let tries = if std::env::var_os("CTM_FULL").is_some() { 20_000 } else { 300 };
    let is_flow = |one: &Instruction| matches!(one.body, Body::Fc(_));
    let files = folders().into_iter().map(|folder| folder.join("default.toml"));
    let cases: Vec<Case> = files.filter(|file| file.is_file()).map(|file| read(&file)).collect();
    let (mut seed, mut made, mut done) = (0, 0, 0);
    while made < tries {
        let mut random = Random::new(&[0xf10, seed]);
        seed += 1;
        let case = &cases[random.below(cases.len() as u32) as usize];
        let Some(mutant) = mutant(case, &mut random, is_flow) else { continue };
        made += 1;
        done += u32::from(check(&mutant, 100_000).is_ok());
    }
    println!("{done} of {made} have terms");
    assert!(done * 5 > made, "{done} of {made}");
}
