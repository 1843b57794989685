//! Tests of the comparer: it finds and names exactly the injected error.

use super::*;
use crate::crosscheck::{Case, Strength, export, generate};
use ctm_machine::engine::Checked;
use ctm_machine::engine::reference::Reference;
use ctm_machine::engine::{Fault, Progress};
use ctm_machine::memory::Format;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The errors that a test injects.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrong {
    Nothing,
    /// Flips one bit of a byte of memory.
    Bit(u32, u8),
    /// Adds one lane instruction.
    Statistic,
    /// Flips one bit of a global register's channel.
    Register(usize),
    NoStatistics,
    /// Changes the pc of a fault.
    FaultPlace(FaultCode),
    /// Adds a fault that did not occur.
    FaultMore,
    Hazard,
    Refuses,
    Crashes,
}

/// The reference engine with an error in launch `nth` of every `of` launches.
struct Spoiled {
    wrong: Wrong,
    nth: u64,
    of: u64,
    launches: AtomicU64,
}

impl Spoiled {
    fn new(wrong: Wrong) -> Spoiled {
        Spoiled { wrong, nth: 0, of: 1, launches: AtomicU64::new(0) }
    }
}

impl Engine for Spoiled {
    fn name(&self) -> &'static str {
        "spoiled"
    }

    fn computes(&self, mode: FloatMode) -> bool {
        mode != FloatMode::Chip
    }

    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let mut outcome = Reference::new().run_checked(launch, memory, progress)?;
        if self.launches.fetch_add(1, Ordering::Relaxed) % self.of != self.nth {
            return Ok(outcome);
        }
        match self.wrong {
            Wrong::Nothing => {}
            Wrong::Bit(address, bit) => memory.slice_mut(address, 1).unwrap()[0] ^= 1 << bit,
            Wrong::Register(channel) => {
                let registers = Arc::make_mut(outcome.shared.as_mut().expect("data sharing"));
                registers.as_flattened_mut()[channel] ^= 1;
            }
            Wrong::Statistic => {
                outcome.statistics.as_mut().unwrap().lane_instructions += 1;
            }
            Wrong::NoStatistics => outcome.statistics = None,
            Wrong::FaultPlace(code) => {
                let mut faults = ctm_machine::engine::Faults::default();
                for (found, fault) in outcome.faults.iter() {
                    let pc = fault.pc + u32::from(found == code);
                    faults.add(found, Fault { pc, ..*fault });
                }
                outcome.faults = faults;
            }
            Wrong::FaultMore => outcome.faults.add(
                FaultCode::Budget,
                Fault { count: 1, i: 1, j: 2, order: 3, pc: 4, slot: 0, word: 0 },
            ),
            Wrong::Hazard => outcome.hazards.push("something".to_string()),
            Wrong::Refuses => {
                return Err(LaunchError::Unsupported {
                    engine: "spoiled",
                    reason: "no".to_string(),
                });
            }
            Wrong::Crashes => panic!("on purpose"),
        }
        Ok(outcome)
    }
}

fn compare(case: &Case, wrong: Wrong) -> Option<Difference> {
    let (reference, spoiled) = (Reference::new(), Spoiled::new(wrong));
    compare_case(case, &[&reference, &spoiled]).unwrap()
}

/// A case that ends with a move to output A.
fn case() -> Case {
    generate(1, Strength::Operations, 0)
}

#[test]
fn nothing_wrong_is_no_difference() {
    for index in 0..20 {
        for strength in Strength::ALL {
            assert_eq!(compare(&generate(4, strength, index), Wrong::Nothing), None);
        }
    }
}

#[test]
fn one_wrong_bit_of_a_global_register_is_named() {
    let case = (0..)
        .map(|index| generate(1, Strength::Shared, index))
        .find(|case| {
            let shared = case.launch.shared.as_ref().expect("registers");
            shared.simds == 7 && shared.sharing.globals() == 4
        })
        .unwrap();
    // SIMD 2, register 1, lane 5, channel b.
    let difference = compare(&case, Wrong::Register(((2 * 4 + 1) * 64 + 5) * 4 + 2)).unwrap();
    assert_eq!(difference.kind(), "registers");
    let text = difference.to_string();
    assert!(text.starts_with("launch 0: SIMD 2, lane 5: g1.b: reference "), "{text}");
    let bits = text.split("(0x").skip(1).map(|rest| u32::from_str_radix(&rest[..8], 16).unwrap());
    assert_eq!(bits.reduce(|a, b| a ^ b), Some(1), "{text}");
}

#[test]
fn one_wrong_bit_of_an_output_is_named_to_the_register() {
    let case = case();
    let domain = case.launch.domain;
    let program = &case.launch.program;
    // The last instruction moves a temporary to an output, bit for bit.
    let last = program.instructions().len() as u32 - 1;
    let alu = *program.instructions()[last as usize].alu().unwrap();
    let output = alu.units[0].target as usize;
    let surface = case.launch.outputs[output].unwrap();
    let (i, j) = (domain.i0 + 3, domain.j0);
    let address = surface.address(i, j) + 4;
    let difference = compare(&case, Wrong::Bit(address, 0)).unwrap();
    let What::Memory(memory) = &difference.what else {
        panic!("{difference}");
    };
    assert_eq!((memory.address, memory.count), (address, 1));
    let place = memory.place.as_ref().unwrap();
    assert_eq!((place.element, place.channel), ((i, j), 1));
    assert_eq!(place.surface, format!("output {output}"));
    assert_eq!(place.values[0] ^ place.values[1], 1);
    let origin = memory.origin.as_ref().unwrap();
    assert_eq!((origin.point, origin.pc), ((i, j), Some(last)));
    let name = ["A", "B", "C", "D"][output];
    assert_eq!(origin.register, format!("output {name}.g"));
    assert_eq!(origin.value, place.values[0]);
    let from = origin.from.as_ref().unwrap();
    assert_eq!(from.register, format!("r{}.g", alu.units[0].sources[0].addr));
    let [a, b] = place.values;
    let text = difference.to_string();
    let head = format!(
        "launch 0: point ({i}, {j}): output {output}.g: reference {} (0x{a:08x}), spoiled {} \
         (0x{b:08x}); the reference writes it at pc {last} to output {name}.g, from {}",
        f32::from_bits(a),
        f32::from_bits(b),
        from.register
    );
    assert!(text.starts_with(&head), "{text}\n{head}");
    let tail = format!(" (1 byte differs, the first at 0x{address:08x})");
    assert!(text.ends_with(&tail), "{text}");
}

/// Under predicates and with shared registers, too, the instruction that is named computed what memory
/// holds.
#[test]
fn origins_have_the_value_that_was_written() {
    for strength in Strength::ALL {
        let mut found = 0;
        for index in 0..200 {
            let case = generate(9, strength, index);
            let domain = case.launch.domain;
            for (n, surface) in case.launch.outputs.iter().enumerate() {
                let Some(surface) = surface.filter(|s| s.format == Format::Float32x4) else {
                    continue;
                };
                let channel = index as u32 % 4;
                let address = surface.address(domain.i0, domain.j0) + 4 * channel;
                if !(Case::BASE..Case::BASE + Case::memory_size()).contains(&address) {
                    continue;
                }
                let what = compare(&case, Wrong::Bit(address, 0)).map(|found| found.what);
                let Some(What::Memory(memory)) = what else { continue };
                let Some(place) = memory.place else { continue };
                if let Some(origin) = memory.origin.filter(|o| o.register.starts_with("output"))
                    && place.surface == format!("output {n}")
                {
                    let at = format!("{strength:?} {index}: {origin}");
                    assert_eq!(origin.value, place.values[0], "{at}");
                    found += 1;
                }
            }
        }
        println!("{strength:?}: {found} origins");
        assert!(found >= 5, "{strength:?}: {found}");
    }
}

#[test]
fn a_bit_where_nobody_writes_is_found_too() {
    let address = Case::BASE + Case::memory_size() - 1;
    let difference = compare(&case(), Wrong::Bit(address, 7)).unwrap();
    assert_eq!(
        difference.to_string(),
        "launch 0: memory at 0x1003ffff, where no point writes: reference 0x00000000, spoiled \
         0x80000000 (1 byte differs, the first at 0x1003ffff)"
    );
}

#[test]
fn statistics_faults_hazards_refusals_and_crashes_are_compared() {
    let text = |wrong| compare(&case(), wrong).unwrap().to_string();
    let lanes = {
        let mut launch = case().launch;
        launch.statistics = true;
        let mut memory = case().memory().unwrap();
        let outcome = Reference::new().run(&launch, &mut memory, Stop::never());
        outcome.unwrap().statistics.unwrap().lane_instructions
    };
    assert_eq!(
        text(Wrong::Statistic),
        format!(
            "launch 0: statistics: lane_instructions: reference {lanes}, spoiled {}",
            lanes + 1
        )
    );
    assert_eq!(
        text(Wrong::NoStatistics),
        "launch 0: statistics: groups: reference 1, spoiled none"
    );
    assert_eq!(
        text(Wrong::FaultMore),
        "launch 0: fault budget: reference: none; spoiled: 1 times, first at point (1, 2), pc 4, \
         after 3 instructions, number 0, word 0x00000000"
    );
    assert_eq!(text(Wrong::Hazard), "launch 0: hazards: reference: none; spoiled: something");
    assert_eq!(
        text(Wrong::Refuses),
        "launch 0: reference ran it; spoiled refused it: engine spoiled: no"
    );
    let crash = text(Wrong::Crashes);
    let place = "launch 0: engine spoiled crashed: on purpose (fuzz, crosscheck/compare/tests.rs:";
    assert!(crash.starts_with(place), "{crash}");
}

/// A refusal does not hide a difference between the engines that ran the launch.
#[test]
fn a_refusal_is_no_difference() {
    let case = case();
    let reference = Reference::new();
    let refuses = Spoiled::new(Wrong::Refuses);
    let differs = Spoiled::new(Wrong::Statistic);
    let both: [&dyn Engine; 3] = [&reference, &refuses, &differs];
    let found = compare_case(&case, &both).unwrap().unwrap();
    assert_eq!((found.kind(), found.is_refusal()), ("statistics", false));
    let found = compare_case(&case, &both[..2]).unwrap().unwrap();
    assert_eq!((found.kind(), found.is_refusal()), ("refused", true));

    let folder = tempfile::tempdir().unwrap();
    let job = job(folder.path());
    let found =
        compare_job(&job, &both[..2], FloatMode::Exact, None, Stop::never()).unwrap().difference;
    assert!(found.unwrap().is_refusal());
    let found = compare_job(&job, &both, FloatMode::Exact, None, Stop::never()).unwrap().difference;
    assert!(!found.unwrap().is_refusal());
}

#[test]
fn the_pc_of_a_fault_is_compared() {
    let case = (0..)
        .map(|index| generate(1, Strength::Flow, index))
        .find(|case| {
            let mut memory = case.memory().unwrap();
            let outcome = Reference::new().run(&case.launch, &mut memory, Stop::never());
            outcome.unwrap().faults.get(FaultCode::Budget).is_some()
        })
        .unwrap();
    let wrong = Wrong::FaultPlace(FaultCode::Budget);
    let difference = compare(&case, wrong).unwrap();
    assert!(difference.to_string().starts_with("launch 0: fault budget: "), "{difference}");
}

#[test]
fn fewer_than_two_engines_are_an_error() {
    let reference = Reference::new();
    let error = compare_case(&case(), &[&reference]).unwrap_err();
    assert_eq!(error.to_string(), "a comparison needs at least two engines, found 1");
}

/// A job of three launches of the case, in its own folder.
fn job(folder: &std::path::Path) -> Job {
    let exported = export::write(&case(), folder, "").unwrap();
    assert_eq!(exported.lost, Vec::<String>::new());
    let text = std::fs::read_to_string(&exported.job).unwrap();
    let text = text.replace("[[pass]]\n", "[[pass]]\nrepeat = 3\n");
    std::fs::write(&exported.job, text).unwrap();
    Job::read(&exported.job).unwrap()
}

#[test]
fn an_engine_without_the_mode_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let job = job(folder.path());
    let (reference, other) = (Reference::new(), Spoiled::new(Wrong::Nothing));
    let both: [&dyn Engine; 2] = [&reference, &other];
    let error = compare_job(&job, &both, FloatMode::Chip, None, Stop::never()).unwrap_err();
    let expected =
        "engine spoiled has no mode chip: name engines that have it, such as reference,block";
    assert_eq!(error.to_string(), expected);
    assert!(matches!(error, CompareError::NoMode { engine: "spoiled", mode: FloatMode::Chip }));
}

#[test]
fn of_a_job_the_launch_that_goes_wrong_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let job = job(folder.path());
    let case = case();
    let domain = case.launch.domain;
    let surface = case.launch.outputs[1].unwrap();
    let address = surface.address(domain.i1, domain.j1) + 12;
    let reference = Reference::new();
    let last = Spoiled { nth: 2, of: 3, ..Spoiled::new(Wrong::Bit(address, 6)) };
    let comparison =
        compare_job(&job, &[&reference, &last], FloatMode::Exact, None, Stop::never()).unwrap();
    let difference = comparison.difference.unwrap();
    assert_eq!(difference.launch, Some(2));
    let What::Memory(memory) = &difference.what else {
        panic!("{difference}");
    };
    let place = memory.place.as_ref().unwrap();
    assert_eq!(place.element, (domain.i1, domain.j1));
    assert_eq!((place.surface.as_str(), place.channel), ("output 1", 3));

    // The job runs twice up to that launch: quickly, then step by step.
    let second = Spoiled { nth: 1, of: 2, ..Spoiled::new(Wrong::Statistic) };
    let comparison =
        compare_job(&job, &[&reference, &second], FloatMode::Exact, None, Stop::never()).unwrap();
    assert_eq!(comparison.difference.unwrap().launch, Some(1));

    let good = Spoiled::new(Wrong::Nothing);
    let comparison =
        compare_job(&job, &[&reference, &good], FloatMode::Exact, None, Stop::never()).unwrap();
    assert_eq!(comparison.difference, None);
    assert_eq!((comparison.launches, comparison.statistics.groups), (3, 3));

    let error =
        compare_job(&job, &[&reference], FloatMode::Exact, None, Stop::never()).unwrap_err();
    assert_eq!(error.to_string(), "a comparison needs at least two engines, found 1");
}
