//! Proofs end on programs that make too much of what a proof is made of.

use ctm_base::stop::Stop;
use ctm_lang::asm::assemble;
use ctm_lang::program::Program;
use ctm_prove::{Answer, Options, Setup, Undecided, prove};

fn answer(text: &str) -> Answer {
    let program = Program::new(assemble(text, "bounds.dpp").unwrap()).unwrap();
    let mut setup = Setup::of(&program);
    setup.ints[0] = Some((255, 0, 1));
    setup.ints[1] = Some((255, 0, 1));
    // Another program, so that something is left to compare.
    let other = Program::new(assemble("mov o0, 0\nend", "other.dpp").unwrap()).unwrap();
    let options = Options { samples: 0, ..Options::default() };
    prove([&program, &other], [&setup, &setup], &options, Stop::never())
}

fn too_large(answer: &Answer) -> bool {
    matches!(answer, Answer::NotDecided { reason: Some(Undecided::TooLarge), .. })
}

#[test]
fn values_that_hang_on_thousands_of_conditions_are_too_large() {
    let text = "
        rep n0
        rep n1
        mad r1.r, r1.r, c1.r, r0.r
        sub alu_result >= 0, r1.r, c0.r
        if alu_result
        add r2.r, r2.r, r1.r
        endif
        endrep
        endrep
        mov o0, r2.r
        end";
    assert!(too_large(&answer(text)));
}

#[test]
fn loops_that_make_no_terms_end() {
    let text = "
        rep n0
        rep n1
        rep n0
        rep n1
        mov r1, 0
        endrep
        endrep
        endrep
        endrep
        mov o0, r1
        end";
    assert!(too_large(&answer(text)));
}

#[test]
fn thousands_of_uncached_writes_are_too_large() {
    let text = "
        .umrt
        rep n0
        rep n1
        mov o0, r0
        endrep
        endrep
        end";
    assert!(too_large(&answer(text)));
}
