//! Two thousand generated programs on every engine, and the command that makes them.

use crate::cli;
use crate::common;
use ctm::crosscheck::fuzz::{self, Found, Listener, Options};
use ctm::crosscheck::generate::Strength;
use ctm::engine::Engine;
use ctm::engine::block::Block;
use ctm::launch::FloatMode;
use std::sync::Mutex;

crate::gpu_takes_part!();

/// Keeps what is found and goes on.
struct Keep(Mutex<Vec<String>>);

impl Listener for Keep {
    fn found(&self, found: Found) -> bool {
        let Found { case, difference } = found;
        let text = format!("{} {}: {difference}", case.strength.name(), case.index);
        self.0.lock().unwrap().push(text);
        true
    }
}

#[test]
fn engines_agree_on_two_thousand_programs_that_do_everything() {
    let options = Options {
        seed: 1,
        first: 0,
        count: 2000,
        mode: FloatMode::Exact,
        strength: None,
        time: None,
        counted: 16,
    };
    // All but the reference, which the others are compared with.
    let others = common::engines().split_off(1);
    let engines: Vec<&dyn Engine> = others.iter().map(AsRef::as_ref).collect();
    let keep = Keep(Mutex::new(Vec::new()));
    let counts = fuzz::run(&options, &engines, &keep).unwrap();
    println!("seed {}\n{}", options.seed, counts.text());
    let found = keep.0.into_inner().unwrap();
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!(counts.programs, [800, 600, 600, 0, 0]);
    // Every operation of both units, every TEX and FC operation, every fault that a launch can
    // raise, kills, divergence, uncached and conditional writes, hazards.
    assert_eq!(counts.missing(), Vec::<String>::new());
}

#[test]
fn reference_and_block_agree_in_mode_chip() {
    let mode = FloatMode::Chip;
    let every = [Strength::Operations, Strength::Straight, Strength::Flow, Strength::Numeric];
    for strength in every.map(Some) {
        let options =
            Options { seed: 3, first: 0, count: 500, mode, strength, time: None, counted: 16 };
        let keep = Keep(Mutex::new(Vec::new()));
        let counts = fuzz::run(&options, &[&Block::new()], &keep).unwrap();
        println!("seed {}\n{}", options.seed, counts.text());
        let found = keep.0.into_inner().unwrap();
        assert!(found.is_empty(), "{}", found.join("\n"));
    }
}

/// The engines on a GPU hand such programs to the block engine.
#[test]
fn engines_agree_on_programs_that_share_registers() {
    let strength = Some(Strength::Shared);
    let options = Options {
        seed: 19,
        first: 0,
        count: 400,
        mode: FloatMode::Exact,
        strength,
        time: None,
        counted: 16,
    };
    let others = common::engines().split_off(1);
    let engines: Vec<&dyn Engine> = others.iter().map(AsRef::as_ref).collect();
    let keep = Keep(Mutex::new(Vec::new()));
    let counts = fuzz::run(&options, &engines, &keep).unwrap();
    println!("seed {}\n{}", options.seed, counts.text());
    let found = keep.0.into_inner().unwrap();
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!(counts.programs, [0, 0, 0, 400, 0]);
    assert_eq!(counts.refused, 0);
    let statistics = counts.statistics;
    let counted = [statistics.shared_reads, statistics.shared_writes, statistics.shared_conflicts];
    assert!(counted.iter().all(|&count| count > 100), "{counted:?}");
    let missing = counts.missing();
    // Rare ends of programs need more programs.
    let shared = |name: &String| name.contains("shared") || name.contains("MOVA");
    assert!(!missing.iter().any(shared), "{missing:?}");
}

/// Runs the command in a folder of its own, where it writes what it finds.
fn ctm(args: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let ran = cli::ctm(folder.path(), args);
    (ran.status, ran.out, ran.err)
}

#[test]
fn the_command_prints_what_ran() {
    let (status, out, err) = ctm(&["fuzz", "--seed", "3", "--count", "20"]);
    assert_eq!((status, err.as_str()), (0, ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "seed 3");
    assert_eq!(lines[1], "20 programs: 8 operations, 6 straight, 6 flow (0 launches refused)");
    assert_eq!(lines.last(), Some(&"0 differences"));
}

#[test]
fn the_command_refuses_to_compare_one_engine() {
    let (status, out, err) = ctm(&["fuzz", "--engine", "reference"]);
    assert_eq!((status, out.as_str()), (2, ""));
    assert_eq!(err, "ctm: a comparison needs at least two engines, found 1\n");
    let (status, _, err) = ctm(&["fuzz", "--engine", "cuda"]);
    assert_eq!(status, 2);
    assert_eq!(
        err,
        "ctm: --engine: there is no engine \"cuda\"; the engines are reference, block, interpreter, translated, gpu\n"
    );
}

#[test]
fn the_command_shows_a_program() {
    let args = ["fuzz", "--seed", "1", "--first", "5", "--show"];
    let (status, first, _) = ctm(&args);
    assert_eq!(status, 0);
    assert!(first.starts_with("domain Domain"), "{first}");
    assert_eq!(ctm(&args).1, first);
}
