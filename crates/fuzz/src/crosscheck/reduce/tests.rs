//! Tests of the reducer.

use super::*;
use crate::crosscheck::{Strength, compare::compare_case, export, generate};
use ctm_isa::isa::{ALPHA, AluOp, FcOp, Type, Usage};
use ctm_jobs::job::Job;
use ctm_machine::engine::Checked;
use ctm_machine::engine::reference::Reference;
use ctm_machine::engine::{Engine, LaunchError, Outcome, Progress, Stop};
use ctm_machine::launch::FloatMode;
use ctm_machine::memory::Memory;

/// The reference engine with a bug: the alpha unit computes a sine instead of a cosine.
struct Buggy;

impl Engine for Buggy {
    fn name(&self) -> &'static str {
        "buggy"
    }

    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let mut image = launch.program.image().clone();
        for words in &mut image.words {
            let mut instruction = Instruction::decode(words);
            if let Body::Alu(alu) = &mut instruction.body
                && alu.units[ALPHA].op == AluOp::Cos
            {
                alu.units[ALPHA].op = AluOp::Sin;
                *words = instruction.encode();
            }
        }
        let mut launch = launch.launch().clone();
        launch.program = Arc::new(Program::new(image).unwrap());
        Reference::new().run(&launch, memory, progress)
    }
}

fn differs(case: &Case) -> bool {
    compare_case(case, &[&Reference::new(), &Buggy]).unwrap().is_some()
}

#[test]
fn a_bug_is_found_reduced_and_written_as_a_job_that_shows_it() {
    for strength in Strength::ALL {
        let case = (0..).map(|index| generate(1, strength, index)).find(differs).unwrap();
        let small = reduce(&case, &mut differs, 3000);
        assert!(differs(&small));
        let name = strength.name();
        let instructions = small.launch.program.instructions();
        // One instruction takes the cosine, another one shows it.
        assert!(instructions.len() <= 3, "{name}: {}", instructions.len());
        assert_eq!(small.launch.domain.points(), 1, "{name}");
        assert!(instructions.iter().any(|instruction| {
            instruction.alu().is_some_and(|alu| {
                alu.units[ALPHA].op == AluOp::Cos
                    && Usage::of(instruction).is_some_and(|u| u.units[ALPHA])
            })
        }));

        let folder = tempfile::tempdir().unwrap();
        let written = export::write(&small, folder.path(), "cosine").unwrap();
        assert_eq!(written.lost, Vec::<String>::new(), "{name}");
        let job = Job::read(&written.job).unwrap();
        let compared = crate::crosscheck::compare::compare_job(
            &job,
            &[&Reference::new(), &Buggy],
            FloatMode::Exact,
            None,
            Stop::never(),
        );
        assert!(compared.unwrap().difference.is_some(), "{name}");
        let about = std::fs::read_to_string(folder.path().join("about.txt")).unwrap();
        assert!(about.contains("cos"), "{about}");
    }
}

#[test]
fn what_shows_nothing_comes_back_as_it_is() {
    let case = generate(1, Strength::Flow, 0);
    let mut asked = 0;
    let same = reduce(
        &case,
        &mut |_| {
            asked += 1;
            false
        },
        100,
    );
    assert_eq!(asked, 1);
    assert_eq!(same.launch.program, case.launch.program);
}

#[test]
fn the_number_of_tries_is_kept_to() {
    let case = generate(1, Strength::Flow, 0);
    let mut asked = 0;
    reduce(
        &case,
        &mut |_| {
            asked += 1;
            true
        },
        50,
    );
    assert!(asked <= 51, "{asked}");
}

/// idle, jump to 5, idle, idle, idle, idle, with the program from slot 1 to 5 and offset 1.
fn image() -> Image {
    let idle = Instruction::blank(Type::Out).encode();
    let mut jump = Instruction::blank(Type::Fc);
    if let Body::Fc(fc) = &mut jump.body {
        fc.op = FcOp::Jump;
        fc.jump_func = 0xff;
        fc.jump_addr = 4;
    }
    let mut image = Image::from_words(vec![idle, jump.encode(), idle, idle, idle, idle]);
    image.registers.us_code_offset = 1;
    image.registers.us_code_addr = 4 << 16;
    image
}

fn jump_of(image: &Image, slot: usize) -> (u16, bool) {
    match Instruction::decode(&image.words[slot]).body {
        Body::Fc(fc) => (fc.jump_addr, fc.jump_global),
        other => panic!("{other:?}"),
    }
}

#[test]
fn jumps_and_ends_move_when_instructions_go() {
    let mut after = image();
    assert!(delete(&mut after, 2..4));
    assert_eq!(jump_of(&after, 1), (3, true));
    let registers = after.registers;
    assert_eq!((registers.start(), registers.end()), (1, 3));

    let mut before = image();
    assert!(delete(&mut before, 0..1));
    assert_eq!(jump_of(&before, 0), (4, true));
    let registers = before.registers;
    assert_eq!((registers.start(), registers.end()), (0, 4));

    let mut last = image();
    assert!(delete(&mut last, 5..6));
    assert_eq!(jump_of(&last, 1), (5, true));
    assert_eq!(last.registers.end(), 4);

    assert!(!delete(&mut image(), 0..6));
    // The jump is deleted with all but the last instruction; the program's end moves to that one.
    let mut most = image();
    assert!(delete(&mut most, 0..5));
    let registers = most.registers;
    assert_eq!(most.words.len(), 1);
    assert_eq!((registers.start(), registers.end()), (0, 0));
}

#[test]
fn start_data_is_cut_with_the_domain() {
    let mut case = generate(1, Strength::Operations, 0);
    let old = case.launch.domain;
    let value = |case: &Case, i: u32, j: u32| {
        let d = case.launch.domain;
        let at = (j - d.j0) * d.width() + (i - d.i0);
        case.launch.initial[0].data[at as usize]
    };
    let (i, j) = (old.i1, old.j1);
    let before = value(&case, i, j);
    set_domain(&mut case, Domain { i0: i, j0: j, ..old });
    assert_eq!(case.launch.initial[0].data.len(), 1);
    assert_eq!(value(&case, i, j), before);
}
