//! The engine `translated` where statistics are asked for: the interpreter runs the launch, and every
//! counter is that of the reference engine. See `common` for when these tests run.

use crate::common;
use crate::same::{difference, same_on, silent_on};
use ctm::crosscheck::{Strength, generate};
use ctm::engine::gpu::shader::variant::Storage;
use ctm::engine::gpu::{AdapterChoice, Gpu, Interpreter, Translated, Tuning};
use ctm::engine::reference::Reference;
use ctm::engine::{Engine, NoProgress, Statistics, Why};
use ctm::launch::{Condition, Location, Test};
use ctm::memory::{Format, array};
use std::sync::Arc;

const SEED: u64 = 0xc047;

fn engine() -> Translated {
    let choice = AdapterChoice::from_environment();
    Translated::open(&choice).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
#[ignore = "needs an adapter"]
fn generated_programs_count_the_same() {
    generated_count_the_same(&engine(), 40);
}

/// Registers in every place, in slices and without.
#[test]
#[ignore = "needs an adapter"]
fn generated_programs_count_the_same_wherever_registers_are() {
    for storage in [Storage::Workgroup, Storage::Private, Storage::Buffer] {
        for slice in [100, 5_000] {
            let (storage, slice) = (Some(storage), Some(slice));
            let tuning = Tuning { storage, slice, ..Tuning::default() };
            generated_count_the_same(&interpreter(tuning), 6);
        }
    }
}

/// With subgroups, of which a group has several.
#[test]
#[ignore = "needs an adapter"]
fn generated_programs_count_the_same_with_subgroups() {
    for storage in [Storage::Workgroup, Storage::Private] {
        let (storage, subgroups) = (Some(storage), Some(true));
        let engine = interpreter(Tuning { storage, subgroups, ..Tuning::default() });
        assert!(engine.gpu().has_subgroups(), "every adapter for the tests has subgroups");
        generated_count_the_same(&engine, 12);
    }
}

fn interpreter(tuning: Tuning) -> Interpreter {
    let gpu = Gpu::open(&AdapterChoice::from_environment());
    Interpreter::tuned(gpu.unwrap_or_else(|error| panic!("{error}")), tuning)
}

/// Runs `count` generated programs of each strength on an engine and on the reference engine.
fn generated_count_the_same(engine: &dyn Engine, count: u64) {
    let reference = Reference::new();
    for strength in Strength::ALL {
        let mut sum = Statistics::default();
        for index in 0..count {
            let what = format!("seed {SEED:#x}, {} {index}", strength.name());
            let mut case = generate(SEED, strength, index);
            case.launch.statistics = true;
            if index % 2 == 0 {
                // Most budgets are small ones, which loops may run over. Programs that never end
                // take the reference engine long.
                case.launch.limits.instructions = 1 << 14;
            }
            let mut model = case.memory().expect("memory");
            let mut trial = case.memory().expect("memory");
            let expected = reference.run(&case.launch, &mut model, &NoProgress);
            let found = engine.run(&case.launch, &mut trial, &NoProgress);
            assert_eq!(found, expected, "{what}");
            assert_eq!(difference(&model, &trial), None, "{what}");
            if let Ok(outcome) = &found {
                sum += outcome.statistics.expect("asked for");
            }
        }
        println!("seed {SEED:#x}, {}: {sum:?}", strength.name());
        assert!(sum.alu > 0 && sum.out > 0 && sum.lane_instructions > 0);
        if strength == Strength::Straight {
            assert!(sum.tex_fetching > 0 && sum.fetches > 0);
        }
        if strength == Strength::Flow {
            assert!(sum.fc > 0 && sum.divergent > 0);
        }
    }
}

/// Programs over 19 x 11 points, so that groups have points that are not covered.
const PROGRAMS: &[(&str, &str)] = &[
    ("straight", "ld r1, i0[r0.rg]\nmov o0, r1\nend"),
    ("dead", "ld r1, i0[r0.rg]\nmul r2.r, r1.r, r1.r\nmov o0, r0\nend"),
    (
        "branches",
        "sub alu_result >= 0, r0.r, 3\nif alu_result\nmov r1, r0\nelse\nmov r1, 2\nmov r2, r0\nendif\n\
         mov o0, r1\nend",
    ),
    (
        "a branch that whole groups skip",
        "sub alu_result >= 0, r0.r, 8\nif alu_result\nmov r1, r0\nif !alu_result\nmov r1, 3\nendif\n\
         endif\nmov o0, r1\nend",
    ),
    (
        "branches that end together",
        "sub alu_result >= 0, r0.r, 3\nsub p.r >= 0, r0.g, 2\nif alu_result\nmov r1, r0\nif p.r\n\
         mov r1, 1\nendif 2\nmov o0, r1\nend",
    ),
    (
        "breaks behind which nobody is awake",
        "rep 6\nadd r1, r1, 1\nsub alu_result >= 0, r1.r, r0.r\nif alu_result\nadd r2, r2, 1\nbreak\n\
         add r2, r2, 1\nendif\nadd r3, r3, 1\nendrep\nmov o0, r2\nend",
    ),
    (
        "continues",
        "rep 3\nrep 5\nadd r1, r1, 1\nsub alu_result >= 0, r1.r, r0.r\nif alu_result\ncontinue\nendif\n\
         add r2, r2, 1\nendrep\nsub p.g >= 0, r2.r, 4\nbreak if p.g\nendrep\nmov o0, r2\nend",
    ),
    (
        "subroutines",
        "sub alu_result >= 0, r0.r, 3\nsub p.g >= 0, r0.g, 3\nrep 2\ncall sub if !alu_result\nendrep\n\
         call sub\nmov o0, r1\nend\nsub:\ncall deep\nret if p.g\nadd r1, r1, r0\nret\ndeep:\n\
         add r1, r1, 1\nret",
    ),
    (
        "relative addresses",
        "loop (5, 10, -2)\nmov r[aL+3], r0\nsub alu_result >= 0, r0.r, 4\nbreak if alu_result\nendloop\n\
         loop (3, 2, 1)\nadd r1, r1, r[aL+5]\nendloop\nadd r1, r1, r9\nmov o0, r1\nend",
    ),
    (
        "kills",
        "sub r1.r, r0.r, 3\nsub r5.r, 14, r0.r\nsub alu_result >= 0, r0.g, 4\nld r2, i0[r0.rg]\nif alu_result\ntexkill r1.rrrr\n\
         ld r3, i0[r0.gr]\ntexkill r5.rrrr\nendif\nld r4, i0[r0.rg]\nmov o0, r2\nend",
    ),
    (
        "a group that is killed altogether",
        "sub r1.r, r0.r, 9\ntexkill r1.rrrr\nmov r2, r0\nif alu_result\nmov r2, 1\nendif\nmov o0, r2\nend",
    ),
    (
        "uncovered points without a vote",
        "sub alu_result >= 0, r0.r, 17\n\
         jump -> 4 if !alu_result @alu_wait @ignore_uncovered @stay(INCR) @jump(INCR)\nmov r1, r0\n\
         jump -> 6 if never @alu_wait @else @jump(DECR) @count(1)\nmov r1, 1\n\
         jump -> 6 if never @alu_wait @any @stay(DECR) @count(1)\nmov o0, r1\nend",
    ),
    (
        "loops of Mesa",
        "loop n0 -> 7 if never @ignore_uncovered\nadd r1, r1, 1\nsub alu_result >= 0, r1.r, r0.r\n\
         jump -> 6 if !alu_result @ignore_uncovered @stay(INCR)\n\
         breakloop -> 8 @ignore_uncovered @jump(DECR) @count(1)\n\
         jump -> 6 if never @any @stay(DECR) @count(1)\nmov r2, r0\n\
         endloop n0 -> 1 @any @ignore_uncovered\nmov o0, r2\nend",
    ),
];

/// Runs a program on both engines, with the condition if there is one.
fn counted(
    engine: &Translated,
    what: &str,
    source: &str,
    condition: Option<(Location, Test)>,
    budget: Option<u64>,
) -> Statistics {
    let prepare = |bench: &mut common::Bench| {
        if bench.launch.program.uses().inputs & 1 != 0 {
            let data: Vec<u32> = (0..4 * 19 * 11).map(|n| (n as f32).to_bits()).collect();
            bench.input(0, 19, 11, &data);
        }
        let mut constants = (*bench.launch.constants).clone();
        if constants.int[0].count == 0 {
            constants.int[0].count = 12;
        }
        bench.launch.constants = Arc::new(constants);
        if let Some((location, test)) = condition {
            let buffer = bench.surface(19, 11, Format::Float32x1);
            let data: Vec<u32> = (0..19 * 11u32).map(|n| ((n % 19) as f32).to_bits()).collect();
            array::write_array(&mut bench.memory, &buffer, 19, 11, &data).expect("data fits");
            bench.launch.condition = Condition {
                test,
                value: 7.5f32.to_bits(),
                buffer: Some(buffer),
                write: true,
                location,
            };
        }
        if let Some(budget) = budget {
            bench.launch.limits.instructions = budget;
        }
        bench.launch.statistics = true;
        let refusal = engine.refusal(&bench.launch, &bench.memory);
        let reason = "the launch asks for statistics, which shaders of programs do not keep";
        assert_eq!(refusal, Ok(Some(Why::new("statistics", reason))), "{what}");
    };
    let run = match budget {
        // Too small for any group.
        Some(..=20) => silent_on,
        _ => same_on,
    };
    let outcome = run(engine, what, source, (19, 11), &prepare);
    outcome.statistics.expect("asked for")
}

#[test]
#[ignore = "needs an adapter"]
fn programs_of_every_kind_count_the_same() {
    let engine = engine();
    for (what, source) in PROGRAMS {
        let plain = counted(&engine, what, source, None, None);
        assert_eq!((plain.groups, plain.points), (6, 19 * 11), "{what}");
        for location in [Location::Pe, Location::Dpp] {
            let what = format!("{what}, location {}", location.name());
            let some = counted(&engine, &what, source, Some((location, Test::Less)), None);
            match location {
                // Columns 8 and up: the groups of columns 0 to 7 do not run.
                Location::Pe => assert_eq!((some.groups, some.points), (4, 11 * 11), "{what}"),
                Location::Dpp => assert_eq!(some, plain, "{what}"),
            }
        }
    }
}

#[test]
#[ignore = "needs an adapter"]
fn budgets_and_long_loops_count_the_same() {
    let engine = engine();
    let (_, breaks) = PROGRAMS[5];
    // Groups stop at the budget, each somewhere else, and write nothing; then no group does.
    // Each of the six groups that comes so far runs two OUT instructions.
    for (budget, groups) in [(5, 0), (20, 0), (40, 4), (100, 6)] {
        let statistics = counted(&engine, "a small budget", breaks, None, Some(budget));
        assert_eq!(statistics.out, 2 * groups, "budget {budget}");
    }
    // More turns than drivers for the CPU make.
    let turns = "rep 255\nrep 255\nadd r1.r, r1.r, 1\nendrep\nendrep\nmov o0, r1\nend";
    let statistics = counted(&engine, "many turns", turns, None, None);
    assert_eq!(statistics.alu, 6 * 255 * 255);
}
