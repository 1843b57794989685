//! Batches on the GPU: many launches of different programs, each with its own memory, give what the
//! reference engine gives one by one. See `common` for when these tests run.
//!
//! `CTM_FULL=1` runs 200,000 programs instead of some hundred.

use crate::common::{self, Bench};
use crate::same::{self, difference, interpreter};
use ctm::crosscheck::fuzz::{self, Found, Listener, Options};
use ctm::crosscheck::{Case, Strength, generate};
use ctm::engine::gpu::{AdapterChoice, Gpu, Interpreter, Translated, Tuning};
use ctm::engine::reference::Reference;
use ctm::engine::{
    BatchItem, BatchProgress, Engine, LaunchError, NoProgress, Outcome, Ran, Stop, Stopped,
};
use ctm::launch::{Constants, Domain, FloatMode, Initial, Launch};
use ctm::memory::{ArenaSizes, Format, Memory, Surface, Tiling, write_array};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const SEED: u64 = 0x9a7c;

/// Generated cases of all strengths; some cannot run, some have no points, some no statistics,
/// some must run on their own: too many instructions for one dispatch, ordered writes.
fn cases(from: u64, count: u64) -> Vec<Case> {
    let case = |index: u64| {
        let mut case = generate(SEED, Strength::of_index(index), index);
        case.launch.statistics = !index.is_multiple_of(4);
        // The bits of mode fast are the adapter's own: it is here to be in the way of the others.
        if index.is_multiple_of(29) {
            case.launch.mode = FloatMode::Fast;
        }
        match index % 23 {
            3 => case.launch.inputs = [None; 16],
            8 => case.launch.domain.j1 = 4096,
            13 if case.launch.initial.is_empty() => {
                case.launch.domain.i0 = case.launch.domain.i1 + 1;
            }
            18 => case.launch.limits.instructions = u64::from(u32::MAX),
            _ => {}
        }
        case
    };
    (from..from + count).map(case).collect()
}

fn memories(cases: &[Case]) -> Vec<Memory> {
    let memories = cases.iter().map(|case| case.memory().expect("memory"));
    memories.collect()
}

fn batch(
    engine: &dyn Engine,
    cases: &[Case],
    memories: &mut [Memory],
    progress: &dyn BatchProgress,
) -> Vec<Result<Outcome, LaunchError>> {
    let items = cases.iter().zip(memories);
    let mut items: Vec<BatchItem> =
        items.map(|(case, memory)| BatchItem { launch: &case.launch, memory }).collect();
    engine.run_batch(&mut items, progress)
}

/// Runs cases as a batch and on the reference; how many were refused and how many faulted.
fn check(engine: &dyn Engine, cases: &[Case]) -> (usize, usize) {
    let mut trial = memories(cases);
    let found = batch(engine, cases, &mut trial, &NoProgress);
    assert_eq!(found.len(), cases.len());
    let reference = Reference::new();
    let (mut refused, mut faulted) = (0, 0);
    for ((case, memory), found) in cases.iter().zip(&trial).zip(found) {
        let what = format!("seed {SEED:#x}, program {}", case.index);
        let mut model = case.memory().expect("memory");
        if case.launch.limits.instructions == u64::from(u32::MAX)
            && let Err(LaunchError::Unsupported { reason, .. }) = &found
        {
            // The GPU counts instructions in 32 bits.
            assert_eq!(
                reason, "an instruction budget of 4294967295; the most is 4294963199",
                "{what}"
            );
            assert_eq!(difference(&model, memory), None, "{what}");
            refused += 1;
            continue;
        }
        let want = reference.run(&case.launch, &mut model, &NoProgress);
        if case.launch.mode == FloatMode::Fast {
            assert_eq!(found.is_ok(), want.is_ok(), "{what}");
            continue;
        }
        refused += usize::from(want.is_err());
        faulted += usize::from(want.as_ref().is_ok_and(|outcome| !outcome.faults.is_empty()));
        assert_eq!(found, want, "{what}");
        assert_eq!(difference(&model, memory), None, "{what}");
    }
    (refused, faulted)
}

#[test]
#[ignore = "needs an adapter"]
fn batches_give_what_the_reference_gives_one_by_one() {
    let engine = interpreter();
    // The second batch uses the buffers of the first, for other programs and memories.
    for (from, count) in [(0, 300), (1000, 120), (0, 60)] {
        let cases = cases(from, count);
        let (refused, faulted) = check(engine.as_ref(), &cases);
        println!("{count} programs from {from}: {refused} refused, {faulted} with faults");
        assert!(refused > 2 && faulted > 2);
    }
}

/// An engine with packs of at most `members` launches.
fn in_packs_of(members: usize) -> Interpreter {
    let gpu = Gpu::open(&AdapterChoice::from_environment()).unwrap_or_else(|e| panic!("{e}"));
    Interpreter::tuned(gpu, Tuning { members: Some(members), ..Tuning::default() })
}

#[test]
#[ignore = "needs an adapter"]
fn packs_that_overlap_give_what_the_reference_gives_one_by_one() {
    // The programs, their faults and whether they ask for statistics are those of the test above.
    for members in [1, 7] {
        let (refused, faulted) = check(&in_packs_of(members), &cases(0, 100));
        assert!(refused > 2 && faulted > 2);
    }
    let gpu = Gpu::open(&AdapterChoice::from_environment()).unwrap_or_else(|e| panic!("{e}"));
    let tuning = Tuning { members: Some(3), ..Tuning::default() };
    let engine = Translated::tuned(gpu, false, tuning);
    let mut cases = cases(0, 100);
    for (n, case) in cases.iter_mut().enumerate() {
        case.launch.statistics = n % 5 == 2;
    }
    let (refused, faulted) = check(&engine, &cases);
    assert!(refused > 2 && faulted > 2);
}

/// Does something once the first results are stored. The next pack runs then.
struct AtFirst<'a>(&'a Stop, &'a (dyn Fn() + Sync));

impl BatchProgress for AtFirst<'_> {
    fn launches(&self, done: u64, _: u64) {
        if done == 1 {
            (self.1)();
        }
    }

    fn stop(&self) -> &Stop {
        self.0
    }
}

/// Launches of programs that all differ; number `n` writes `n + 1` and the point's column.
fn simple(count: usize) -> Vec<Bench> {
    let bench = |n: usize| same::bench(&format!("add o0, r0, {}", n + 1), (30, 20), &|_| {});
    (0..count).map(bench).collect()
}

/// Runs [`simple`] launches, four in a pack, and calls `first` once the first is stored. The results, and what the
/// reference makes of all launches.
fn packs_of_four(
    count: usize,
    stop: &Stop,
    first: &(dyn Fn(&Gpu) + Sync),
) -> Vec<(Result<Outcome, LaunchError>, bool)> {
    let engine = in_packs_of(4);
    let mut trial = simple(count);
    let mut items: Vec<BatchItem> = trial
        .iter_mut()
        .map(|bench| BatchItem { launch: &bench.launch, memory: &mut bench.memory })
        .collect();
    let first = || first(engine.gpu());
    let found = engine.run_batch(&mut items, &AtFirst(stop, &first));
    let fresh = simple(count).into_iter().zip(simple(count));
    let compared =
        found.into_iter().zip(&trial).zip(fresh).map(|((found, trial), (mut model, before))| {
            let want = Reference::new().run(&model.launch, &mut model.memory, &NoProgress);
            let is_same = |memory| difference(memory, &trial.memory).is_none();
            let whole = match &found {
                Ok(_) => found == want && is_same(&model.memory),
                Err(_) => is_same(&before.memory),
            };
            (found, whole)
        });
    compared.collect()
}

#[test]
#[ignore = "needs an adapter"]
fn a_stop_while_results_are_stored_ends_what_was_not_submitted() {
    let stop = Stop::new();
    let found = packs_of_four(18, &stop, &|_| stop.stop());
    // The first pack is stored once the second one was submitted.
    for (n, (found, whole)) in found.into_iter().enumerate() {
        assert!(whole, "{n}: {found:?}");
        match found {
            Ok(_) => assert!(n < 8, "{n}"),
            Err(LaunchError::Stopped(why)) => assert!(n >= 8 && why == Stopped::Cancelled, "{n}"),
            Err(other) => panic!("{n}: {other}"),
        }
    }
}

#[test]
#[ignore = "needs an adapter"]
fn a_time_limit_that_ends_while_results_are_stored_costs_whole_packs() {
    let limit = Duration::from_secs(3);
    let stop = Stop::new().with_limit(limit);
    let wait = |_: &Gpu| {
        while stop.check().is_ok() {
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    let found = packs_of_four(18, &stop, &wait);
    assert!(found.iter().all(|(_, whole)| *whole), "{found:?}");
    // None, if the machine is so slow that the time is up before.
    let ran = found.iter().take_while(|(found, _)| found.is_ok()).count();
    assert!([0, 4, 8].contains(&ran), "{ran}");
    let stopped = Err(LaunchError::Stopped(Stopped::Timeout(limit)));
    assert!(found[ran..].iter().all(|(found, _)| *found == stopped), "{found:?}");
}

#[test]
#[ignore = "needs an adapter"]
fn a_device_lost_while_results_are_stored_leaves_those_that_have_come() {
    let found = packs_of_four(18, Stop::never(), &Gpu::lose);
    for (n, (found, whole)) in found.into_iter().enumerate() {
        assert!(whole, "{n}: {found:?}");
        match found {
            Ok(_) => assert!(n < 4, "{n}"),
            Err(LaunchError::Adapter { error, .. }) => assert!(n >= 4 && error.is_lost(), "{n}"),
            Err(other) => panic!("{n}: {other}"),
        }
    }
}

#[test]
#[ignore = "needs an adapter"]
fn the_block_engine_runs_items_that_the_adapter_cannot_take() {
    let choice = AdapterChoice::from_environment();
    let engine = Translated::open(&choice).unwrap_or_else(|error| panic!("{error}"));
    let engine = engine.with_fallback(|_| {});
    let make = |instructions: u64, output: bool| {
        same::bench("add o0, r0, 1", (30, 20), &|bench| {
            bench.launch.limits.instructions = instructions;
            if !output {
                bench.launch.outputs = [None; 4];
            }
        })
    };
    // A GPU counts instructions in 32 bits; the last one can run nowhere.
    let all = || [make(100, true), make(1 << 40, true), make(100, false)];
    let (mut model, mut trial) = (all(), all());
    let want: Vec<_> = model
        .iter_mut()
        .map(|bench| Reference::new().run(&bench.launch, &mut bench.memory, &NoProgress))
        .collect();
    let mut items: Vec<BatchItem> = trial
        .iter_mut()
        .map(|bench| BatchItem { launch: &bench.launch, memory: &mut bench.memory })
        .collect();
    let found = engine.run_batch(&mut items, &NoProgress);
    assert_eq!(found, want);
    for (n, (model, trial)) in model.iter().zip(&trial).enumerate() {
        assert_eq!(difference(&model.memory, &trial.memory), None, "item {n}");
    }
    assert!(want[0].is_ok() && want[1].is_ok() && want[2].is_err());
    let on = ran(&found).into_iter();
    let on_block: Vec<usize> = on.filter(|on| on.1.engine == "block").map(|on| on.0).collect();
    assert_eq!(on_block, [1], "{found:?}");
}

fn translated() -> Translated {
    let choice = AdapterChoice::from_environment();
    Translated::open(&choice).unwrap_or_else(|error| panic!("{error}"))
}

/// The items that ran, and the engine of each.
fn ran(found: &[Result<Outcome, LaunchError>]) -> Vec<(usize, &Ran)> {
    let found = found.iter().enumerate();
    found.filter_map(|(n, one)| Some((n, &one.as_ref().ok()?.ran))).collect()
}

#[test]
#[ignore = "needs an adapter"]
fn batches_of_translated_programs_give_what_the_reference_gives() {
    let engine = translated();
    for (from, count) in [(0, 100), (1000, 40), (0, 30)] {
        let mut cases = cases(from, count);
        for (n, case) in cases.iter_mut().enumerate() {
            // With statistics the interpreter runs it.
            case.launch.statistics = n % 16 == 5;
        }
        let (refused, faulted) = check(&engine, &cases);
        println!("{count} programs from {from}: {refused} refused, {faulted} with faults");
        assert!(refused > 1 && faulted > 1);
        let found = batch(&engine, &cases, &mut memories(&cases), &NoProgress);
        let ran = ran(&found);
        let on = |engine: &str| ran.iter().filter(|(_, ran)| ran.engine == engine).count();
        let why = |ran: &Ran| ran.why.clone().expect("there was a choice");
        let kinds: Vec<&str> = ran.iter().map(|(_, ran)| why(ran).kind).collect();
        println!("{} translated, {} interpreted: {kinds:?}", on("translated"), on("interpreter"));
        assert_eq!(on("translated") + on("interpreter"), ran.len());
        // Many have irregular jumps, and some cannot run at all.
        assert!(5 * on("translated") > 2 * ran.len());
        for (item, ran) in &ran {
            let case = &cases[*item];
            // What is said of an item beforehand is what became of it.
            let memory = case.memory().expect("memory");
            let refusal = engine
                .refusal(&case.launch, &memory)
                .unwrap_or_else(|error| panic!("program {}: {error}", case.index));
            match refusal {
                Some(refusal) => assert_eq!(
                    (ran.engine, why(ran)),
                    ("interpreter", refusal),
                    "program {}",
                    case.index
                ),
                None => assert!(
                    ran.engine == "translated"
                        || matches!(why(ran).kind, "gave up" | "nothing to run"),
                    "program {}: {ran:?}",
                    case.index
                ),
            }
        }
    }
}

#[test]
#[ignore = "needs an adapter"]
fn several_launches_of_one_program_share_a_batch() {
    let engine = translated();
    let case = (0..).map(|index| generate(SEED, Strength::Straight, index)).find(|case| {
        let mut case = case.clone();
        case.launch.statistics = false;
        let memory = case.memory().expect("memory");
        matches!(engine.refusal(&case.launch, &memory), Ok(None))
    });
    let mut case = case.expect("some program translates");
    case.launch.statistics = false;
    let cases = vec![case; 70];
    check(&engine, &cases);
    check(&engine, &cases);
}

#[test]
#[ignore = "needs an adapter"]
fn launches_of_one_program_with_other_data_run_as_its_shader() {
    let gpu = Gpu::open(&AdapterChoice::from_environment()).unwrap_or_else(|e| panic!("{e}"));
    let engine = Translated::tuned(gpu, false, Tuning { members: Some(9), ..Tuning::default() });
    let program = common::program("ld r1, i0[r0.rg]\nmad o0, r1, c0, c1");
    let bench = |n: u32| {
        same::bench("mov o0, r0", (30, 20), &|bench| {
            let mut constants = Constants::default();
            constants.float[0] = [n, n + 1, 3, 4].map(|value| (value as f32).to_bits());
            constants.float[1] = [0x8000_0000, 0x7fc0_0001, n, 0x3f80_0000];
            bench.launch.statistics = false;
            bench.launch.program = program.clone();
            bench.launch.constants = Arc::new(constants);
            let input = same::place(0, 32, 20, Tiling::Linear, Format::Float32x4);
            bench.launch.inputs[0] = Some(input);
            let values: Vec<u32> = (0..32 * 20 * 4).map(|k| ((n + k) as f32).to_bits()).collect();
            let written = write_array(&mut bench.memory, &input, 32, 20, &values);
            written.unwrap_or_else(|error| panic!("{error}"));
        })
    };
    let mut trial: Vec<Bench> = (1..=70).map(bench).collect();
    let mut items: Vec<BatchItem> = trial
        .iter_mut()
        .map(|bench| BatchItem { launch: &bench.launch, memory: &mut bench.memory })
        .collect();
    let found = engine.run_batch(&mut items, &NoProgress);
    assert_eq!(ran(&found).iter().filter(|(_, ran)| ran.is_shader()).count(), 70);
    for ((n, found), trial) in (1..).zip(found).zip(&trial) {
        for alone in [&Reference::new() as &dyn Engine, &engine] {
            let mut model = bench(n);
            assert_eq!(found, alone.run(&model.launch, &mut model.memory, &NoProgress), "{n}");
            assert_eq!(difference(&model.memory, &trial.memory), None, "{n}");
        }
    }
}

#[test]
#[ignore = "needs an adapter"]
fn two_threads_run_batches_of_translated_programs_on_one_engine() {
    let engine = translated();
    std::thread::scope(|scope| {
        for from in [2000, 3000] {
            let engine = &engine;
            scope.spawn(move || {
                let mut cases = cases(from, 24);
                for case in &mut cases {
                    case.launch.statistics = false;
                }
                check(engine, &cases)
            });
        }
    });
}

#[test]
#[ignore = "needs an adapter"]
fn a_lost_device_refuses_a_batch_of_translated_programs_and_leaves_memory() {
    let engine = translated();
    let mut cases: Vec<Case> =
        (0..12).map(|index| generate(SEED, Strength::of_index(index), index)).collect();
    for case in &mut cases {
        case.launch.statistics = false;
    }
    check(&engine, &cases);
    engine.interpreter().gpu().lose();
    let mut trial = memories(&cases);
    for (case, result) in cases.iter().zip(batch(&engine, &cases, &mut trial, &NoProgress)) {
        match result {
            Err(LaunchError::Adapter { error, .. }) => assert!(error.is_lost(), "{error}"),
            other => panic!("program {}: {other:?}", case.index),
        }
    }
    for (case, memory) in cases.iter().zip(&trial) {
        assert_eq!(difference(&case.memory().expect("memory"), memory), None);
    }
}

#[test]
#[ignore = "needs an adapter"]
fn batches_of_none_and_one() {
    let engine = interpreter();
    assert!(engine.run_batch(&mut [], &NoProgress).is_empty());
    check(engine.as_ref(), &cases(1, 1));
    let engine = translated();
    assert!(engine.run_batch(&mut [], &NoProgress).is_empty());
}

#[test]
#[ignore = "needs an adapter"]
fn two_threads_run_batches_on_one_engine() {
    let engine = interpreter();
    std::thread::scope(|scope| {
        for from in [2000, 3000] {
            let engine = &engine;
            scope.spawn(move || check(engine.as_ref(), &cases(from, 60)));
        }
    });
}

/// Keeps every call.
struct Calls(Mutex<Vec<(u64, u64)>>);

impl BatchProgress for Calls {
    fn launches(&self, done: u64, total: u64) {
        self.0.lock().expect("no panic").push((done, total));
    }
}

#[test]
#[ignore = "needs an adapter"]
fn progress_ends_with_all_launches() {
    let calls = Calls(Mutex::default());
    let cases = cases(0, 40);
    batch(interpreter().as_ref(), &cases, &mut memories(&cases), &calls);
    let calls = calls.0.into_inner().expect("no panic");
    assert_eq!(calls.last(), Some(&(40, 40)));
    assert!(calls.iter().all(|(done, total)| done <= total));
}

#[test]
#[ignore = "needs an adapter"]
fn a_lost_device_refuses_a_batch_and_leaves_memory() {
    let engine = Interpreter::open(&AdapterChoice::from_environment()).expect("an adapter");
    let cases: Vec<Case> =
        (0..12).map(|index| generate(SEED, Strength::of_index(index), index)).collect();
    engine.gpu().lose();
    let mut trial = memories(&cases);
    for (case, result) in cases.iter().zip(batch(&engine, &cases, &mut trial, &NoProgress)) {
        match result {
            Err(LaunchError::Adapter { engine, error }) => {
                assert!(engine == "interpreter" && error.is_lost(), "{error}");
            }
            other => panic!("program {}: {other:?}", case.index),
        }
    }
    for (case, memory) in cases.iter().zip(&trial) {
        assert_eq!(difference(&case.memory().expect("memory"), memory), None);
    }
}

/// Keeps what is found and goes on.
struct Keep(Mutex<Vec<String>>);

impl Listener for Keep {
    fn found(&self, found: Found) -> bool {
        let Found { case, difference } = found;
        let text = format!("{} {}: {difference}", case.strength.name(), case.index);
        self.0.lock().expect("no panic").push(text);
        true
    }
}

#[test]
#[ignore = "needs an adapter"]
fn generated_programs_in_batches() {
    let full = std::env::var_os("CTM_FULL").is_some_and(|value| value == "1");
    let options = Options {
        seed: 0x6b47,
        first: 0,
        count: if full { 200_000 } else { 2000 },
        mode: FloatMode::Exact,
        strength: None,
        time: None,
        counted: 1,
    };
    let engine = interpreter();
    let keep = Keep(Mutex::default());
    let counts = fuzz::run(&options, &[engine.as_ref()], &keep).expect("memory");
    println!("seed {}\n{}", options.seed, counts.text());
    let found = keep.0.into_inner().expect("no panic");
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!(counts.programs.iter().sum::<u64>(), options.count);
}

#[test]
#[ignore = "needs an adapter"]
fn generated_programs_in_batches_as_shaders_of_their_own() {
    let full = std::env::var_os("CTM_FULL").is_some_and(|value| value == "1");
    let options = Options {
        seed: 0x7a1a,
        first: 0,
        count: if full { 200_000 } else { 200 },
        mode: FloatMode::Exact,
        strength: None,
        time: None,
        counted: 16,
    };
    let engine = translated();
    let keep = Keep(Mutex::default());
    let counts = fuzz::run(&options, &[&engine], &keep).expect("memory");
    println!("seed {}\n{}", options.seed, counts.text());
    let found = keep.0.into_inner().expect("no panic");
    assert!(found.is_empty(), "{}", found.join("\n"));
    let on = |engine: &str| -> u64 {
        let ran = counts.ran.iter().filter(|(ran, _)| ran.on == engine);
        ran.map(|(_, count)| count).sum()
    };
    assert_eq!(on("translated") + on("interpreter") + counts.refused, options.count);
    assert!(10 * on("translated") > 6 * options.count);
}

/// The start values of temporaries, of all launches together, are more than an adapter binds at once.
#[test]
#[ignore = "needs an adapter"]
fn launches_with_much_data_do_not_share_more_than_the_adapter_binds() {
    const SIDE: u32 = 512;
    let sizes = ArenaSizes { gpu: 0x14_0000, gpub: 0, sys: 0, sysc: 0 };
    let make = || Memory::new(&sizes).expect("it fits");
    let base = make().ranges().next().expect("a region").0;
    let domain = Domain { i0: 0, j0: 0, i1: SIDE - 1, j1: SIDE - 1 };
    let mut launch = Launch::new(common::program("add o0.r, r5.r, r6.r"), domain);
    let data: Vec<[u32; 4]> = (0..SIDE * SIDE).map(|n| [(n as f32).to_bits(), 0, 0, 0]).collect();
    let data = Arc::new(data);
    launch.initial = [5, 6].map(|temp| Initial { temp, data: Arc::clone(&data) }).to_vec();
    let output = Surface::new(base, SIDE, SIDE, Tiling::Linear, Format::Float32x1);
    launch.outputs[0] = Some(output);
    let mut model = make();
    let want = Reference::new().run(&launch, &mut model, &NoProgress);
    let translated = translated();
    let on_gpu = interpreter();
    let engines: [(&dyn Engine, usize); 2] = [(on_gpu.as_ref(), 18), (&translated, 36)];
    for (engine, count) in engines {
        let mut memories: Vec<Memory> = (0..count).map(|_| make()).collect();
        let mut items: Vec<BatchItem> =
            memories.iter_mut().map(|memory| BatchItem { launch: &launch, memory }).collect();
        for result in engine.run_batch(&mut items, &NoProgress) {
            assert_eq!(result, want, "{}", engine.name());
        }
        for memory in &memories {
            assert_eq!(difference(&model, memory), None, "{}", engine.name());
        }
    }
}
