//! Memory on the GPU as launches see it: sessions, a device that is lost. See `common` for when these
//! tests run.

use crate::common::{GPU, fill, program};
use crate::same::{difference, interpreter, small_buffers, surface};
use ctm::engine::gpu::probe::{self, ProbeError, ProbeReport};
use ctm::engine::gpu::shader::guards::Guards;
use ctm::engine::gpu::{AdapterChoice, Gpu, GpuError, Interpreter, Translated, Tuning};
use ctm::engine::reference::Reference;
use ctm::engine::{Engine, LaunchError, NoProgress, Outcome, Session, Spent};
use ctm::launch::{Constants, Domain, FloatMode, Initial, Launch, Limits};
use ctm::memory::{ArenaSizes, Format, Memory};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

fn own() -> Interpreter {
    tuned(Tuning::default())
}

fn tuned(tuning: Tuning) -> Interpreter {
    let gpu = Gpu::open(&AdapterChoice::from_environment()).expect("an adapter");
    Interpreter::tuned(gpu, tuning)
}

/// An interpreter whose probe finds this.
fn probed(found: Result<ProbeReport, ProbeError>) -> Interpreter {
    tuned(Tuning { probe: Some(found), ..Tuning::default() })
}

// ---- sessions

const SIDE: u32 = 48;

/// o0 = 2 * i0 + constant 5, over SIDE x SIDE points, between surfaces at two offsets.
fn step(from: u32, to: u32, add: f32) -> Launch {
    let program = program("ld r1, i0[r0.rg]\nmad o0, r1, 2, c5");
    let domain = Domain { i0: 0, j0: 0, i1: SIDE - 1, j1: SIDE - 1 };
    let mut launch = Launch::new(program.clone(), domain);
    let mut constants = Constants::with_literals(&program.image().literals);
    constants.float[5] = [add.to_bits(); 4];
    launch.constants = Arc::new(constants);
    launch.statistics = true;
    launch.inputs[0] = Some(surface(from, SIDE, SIDE, Format::Float32x4));
    launch.outputs[0] = Some(surface(to, SIDE, SIDE, Format::Float32x4));
    launch
}

/// The values that [`step`] writes.
fn span(offset: u32) -> std::ops::Range<u64> {
    let from = u64::from(GPU + offset);
    from..from + u64::from(SIDE * SIDE * 16)
}

fn memory() -> Memory {
    let sizes = ArenaSizes { gpu: 0x6_0000, gpub: 0, sys: 0, sysc: 0x1000 };
    let mut memory = Memory::new(&sizes).expect("it fits");
    fill(&mut memory);
    for n in 0..4 * SIDE * SIDE {
        assert!(memory.write_u32(GPU + 4 * n, (n as f32).to_bits()));
    }
    memory
}

const A: u32 = 0;
const B: u32 = 0x1_0000;
const C: u32 = 0x2_0000;
const D: u32 = 0x3_0000;

/// Launches, reads and writes of the host in turns, on any engine.
fn turns(
    engine: &dyn Engine,
    memory: &mut Memory,
) -> (Vec<Result<Outcome, LaunchError>>, Vec<u32>) {
    let mut seen = Vec::new();
    let mut outcomes = Vec::new();
    let mut session = engine.session(memory);
    let launch = |session: &mut Box<dyn Session<'_> + '_>, launch: &Launch| {
        session.launch(launch, &NoProgress).expect("it can run");
    };
    for (from, to) in [(A, B), (B, C), (C, D), (D, B)] {
        launch(&mut session, &step(from, to, 1.0));
    }
    // One that cannot run is told at once, and concerns no other.
    let mut bad = step(A, B, 0.0);
    bad.inputs[0] = None;
    assert_eq!(
        session.launch(&bad, &NoProgress).expect_err("no input").to_string(),
        "input 0 was never set, but the instruction at pc 0, test.dpp:1:1 fetches from it"
    );
    // One span of what was written, in between.
    let view = session.view(&[span(C)]).expect("it ran");
    seen.push(view.read_u32(GPU + C + 400).expect("inside"));
    assert!(session.is_current(&span(C)));
    outcomes.extend(session.outcomes());
    assert_eq!(outcomes.len(), 4);
    launch(&mut session, &step(B, C, 3.0));
    // The host writes between launches, into what the last one wrote and what the next one reads.
    let host = session.memory().expect("it ran");
    seen.push(host.read_u32(GPU + C + 16).expect("inside"));
    assert!(host.write_u32(GPU + C + 16, 1000f32.to_bits()));
    host.write(GPU + A + 33, &[1, 2, 3]).expect("inside");
    launch(&mut session, &step(C, D, 5.0));
    launch(&mut session, &step(A, A, 0.25));
    // A log and a launch in slices.
    let mut overlap = step(D, B, 7.0);
    overlap.domain.j1 = 7;
    overlap.outputs[0] = Some(surface(B, 3, SIDE, Format::Uint16x1));
    launch(&mut session, &overlap);
    let mut long = step(A, C, 0.0);
    long.program = program(
        "rep 250\nrep 90\nadd r2.r, r2.r, 1\nendrep\nendrep\nld r1, i0[r0.rg]\nadd o0, r1, r2",
    );
    long.constants = Arc::new(Constants::with_literals(&long.program.image().literals));
    long.domain = Domain { i0: 3, j0: 3, i1: 9, j1: 12 };
    launch(&mut session, &long);
    let mut endless = step(A, D, 0.0);
    endless.program = program("ld r1, i0[r0.rg]\nagain:\njump -> again\nend\nmov o0, r1");
    endless.limits = Limits { instructions: 500 };
    launch(&mut session, &endless);
    launch(&mut session, &step(C, A, 9.0));
    outcomes.extend(session.outcomes());
    assert!(session.outcomes().is_empty());
    drop(session);
    (outcomes, seen)
}

#[test]
#[ignore = "needs an adapter"]
fn a_session_s_launches_take_effect_in_order() {
    let (mut model, mut trial) = (memory(), memory());
    let want = turns(&Reference::new(), &mut model);
    for n in 0..2 {
        let found = turns(interpreter().as_ref(), &mut trial);
        assert_eq!(found, want, "turn {n}");
        assert_eq!(difference(&model, &trial), None, "turn {n}");
        trial = memory();
    }
}

#[test]
#[ignore = "needs an adapter"]
fn what_launches_wrote_stays_on_the_gpu_until_it_is_asked_for() {
    let engine = interpreter();
    let mut memory = memory();
    let before = memory.read_u32(GPU + B + 4);
    let mut session = engine.session(&mut memory);
    session.launch(&step(A, B, 0.0), &NoProgress).expect("it can run");
    session.launch(&step(B, C, 0.0), &NoProgress).expect("it can run");
    assert!(!session.is_current(&span(B)) && !session.is_current(&span(C)));
    assert!(session.is_current(&span(A)) && session.is_current(&span(D)));
    let view = session.view(&[span(C)]).expect("it ran");
    assert_eq!(view.read_u32(GPU + C + 4), Some(4f32.to_bits()));
    assert!(!session.is_current(&span(B)));
    drop(session);
    assert_ne!(before, Some(2f32.to_bits()));
    assert_eq!(memory.read_u32(GPU + B + 4), Some(2f32.to_bits()));
}

#[test]
#[ignore = "needs an adapter"]
fn three_threads_three_memories_one_engine() {
    let engine = interpreter();
    let mut model = memory();
    let want = turns(&Reference::new(), &mut model);
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let (engine, model, want) = (&engine, &model, &want);
            scope.spawn(move || {
                for _ in 0..2 {
                    let mut trial = memory();
                    let found = turns(engine.as_ref(), &mut trial);
                    assert_eq!(&found, want, "thread {thread}");
                    assert_eq!(difference(model, &trial), None, "thread {thread}");
                }
            });
        }
    });
}

/// A launch like an earlier one uploads nothing: its program, its record, its start data and its memory
/// are on the GPU. Other constants take another record, but not
/// the start data again.
#[test]
#[ignore = "needs an adapter"]
fn a_launch_that_is_repeated_uploads_nothing() {
    let choice = AdapterChoice::from_environment();
    let translated = Translated::open(&choice).expect("an adapter");
    let alone = own();
    for (engine, gpu) in
        [(&alone as &dyn Engine, alone.gpu()), (&translated, translated.interpreter().gpu())]
    {
        let mut launch = step(A, B, 1.0);
        launch.statistics = false;
        let points = (SIDE * SIDE) as usize;
        let data = (0..points).map(|n| [(n as f32 / 64.0).to_bits(); 4]).collect();
        launch.initial.push(Initial { temp: 2, data: Arc::new(data) });
        let mut other = launch.clone();
        Arc::make_mut(&mut other.constants).float[5] = [7f32.to_bits(); 4];
        let mut trial = memory();
        for turn in 0..3 {
            let mut session = engine.session(&mut trial);
            let before = gpu.uploaded();
            for _ in 0..5 {
                session.launch(&launch, &NoProgress).expect("it can run");
            }
            assert!(session.outcomes().iter().all(Result::is_ok));
            let uploaded = gpu.uploaded() - before;
            assert_eq!(uploaded == 0, turn > 0, "{}, turn {turn}: {uploaded}", engine.name());
        }
        let mut session = engine.session(&mut trial);
        let before = gpu.uploaded();
        session.launch(&other, &NoProgress).expect("it can run");
        assert!(session.outcomes().iter().all(Result::is_ok));
        let uploaded = gpu.uploaded() - before;
        let most = 16 * points as u64;
        assert!((1..most).contains(&uploaded), "{}: {uploaded} of {most}", engine.name());
    }
}

/// The times of a session are parts of the time that it took.
#[test]
#[ignore = "needs an adapter"]
fn a_session_says_what_else_than_running_took_time() {
    let choice = AdapterChoice::from_environment();
    let engines: [Box<dyn Engine>; 2] =
        [Box::new(own()), Box::new(Translated::open(&choice).expect("an adapter"))];
    for engine in engines {
        let mut launch = step(A, B, 1.0);
        launch.statistics = false;
        let mut trial = memory();
        let started = Instant::now();
        let mut session = engine.session(&mut trial);
        assert_eq!(session.spent(), Spent::default());
        session.launch(&launch, &NoProgress).expect("it can run");
        let first = session.spent();
        assert!(!first.compile.is_zero() && !first.upload.is_zero() && first.readback.is_zero());
        session.memory().expect("it ran");
        let spent = session.spent();
        assert!(!spent.readback.is_zero());
        assert_eq!((spent.compile, spent.upload), (first.compile, first.upload));
        assert!(spent.total() <= started.elapsed());
        // The passes of one launch, by the GPU's clock, and of more than a query set has room for: each copies
        // what it reads first, which ends a pass.
        let gpu = spent.gpu.expect("lavapipe and all GPUs have timestamps");
        assert!(!gpu.is_zero() && gpu <= started.elapsed(), "{gpu:?}");
        let mut short = step(A, A, 1.0);
        short.domain = Domain { i0: 0, j0: 0, i1: 3, j1: 3 };
        let started = Instant::now();
        for _ in 0..2100 {
            session.launch(&short, &NoProgress).expect("it can run");
        }
        assert!(session.outcomes().iter().all(Result::is_ok));
        let more = session.spent().gpu.expect("all passes were timed") - gpu;
        assert!(!more.is_zero() && more <= started.elapsed(), "{more:?}");
    }
    let mut trial = memory();
    let reference = Reference::new();
    let mut session = reference.session(&mut trial);
    session.launch(&step(A, B, 1.0), &NoProgress).expect("it can run");
    assert_eq!(session.spent(), Spent::default());
}

// ---- a lost device

fn assert_lost(error: &LaunchError) {
    let LaunchError::Adapter { engine, error } = error else {
        panic!("{error:?}");
    };
    assert_eq!(*engine, "interpreter");
    assert!(error.is_lost(), "{error}");
}

#[test]
#[ignore = "needs an adapter"]
fn a_lost_device_refuses_every_launch_and_leaves_memory() {
    let engine = own();
    let mut trial = memory();
    engine.run(&step(A, B, 1.0), &mut trial, &NoProgress).expect("it runs");
    let mut model = memory();
    Reference::new().run(&step(A, B, 1.0), &mut model, &NoProgress).expect("it runs");
    engine.gpu().lose();
    for _ in 0..3 {
        let error = engine.run(&step(B, C, 1.0), &mut trial, &NoProgress).expect_err("it is lost");
        assert_lost(&error);
        let name = engine.adapter().expect("a GPU");
        assert_eq!(
            error.to_string(),
            format!("engine interpreter: adapter {name}: the device was lost: it was destroyed")
        );
        assert_eq!(difference(&model, &trial), None);
    }
    // Another memory, a log, a session.
    let mut other = memory();
    let mut overlap = step(A, B, 1.0);
    overlap.outputs[0] = Some(surface(B, 3, SIDE, Format::Uint16x1));
    assert_lost(&engine.run(&overlap, &mut other, &NoProgress).expect_err("it is lost"));
    let mut session = engine.session(&mut other);
    assert_lost(&session.launch(&step(A, B, 1.0), &NoProgress).expect_err("it is lost"));
    drop(session);
    assert_eq!(difference(&memory(), &other), None);
}

#[test]
#[ignore = "needs an adapter"]
fn a_device_that_is_lost_during_a_session() {
    let engine = own();
    let mut trial = memory();
    let mut session = engine.session(&mut trial);
    session.launch(&step(A, B, 1.0), &NoProgress).expect("it can run");
    let view = session.view(&[span(B)]).expect("it ran");
    assert_eq!(view.read_u32(GPU + B + 4), Some(3f32.to_bits()));
    session.launch(&step(B, C, 1.0), &NoProgress).expect("it can run");
    engine.gpu().lose();
    // With work under way the loss may be noticed only when somebody waits.
    if let Err(error) = session.launch(&step(C, D, 1.0), &NoProgress) {
        assert_lost(&error);
    }
    assert_lost(&session.view(&[span(C)]).map(|_| ()).expect_err("it is lost"));
    assert_lost(&session.memory().map(|_| ()).expect_err("it is lost"));
    let later = session.launch(&step(C, D, 1.0), &NoProgress);
    assert_lost(&later.expect_err("it is lost"));
    let outcomes = session.outcomes();
    println!("{outcomes:?}");
    let errors: Vec<&LaunchError> = outcomes.iter().filter_map(|o| o.as_ref().err()).collect();
    assert_eq!(errors.len(), 1);
    assert_lost(errors[0]);
    drop(session);
    // The host has what it had seen, and nothing else.
    let mut model = memory();
    Reference::new().run(&step(A, B, 1.0), &mut model, &NoProgress).expect("it runs");
    assert_eq!(difference(&model, &trial), None);
}

// ---- a GPU that fails and lives on

/// Memory that runs out ends the launch that needed it; the device and the host's memory live on.
#[test]
#[ignore = "needs an adapter"]
fn without_memory_a_launch_ends_and_the_next_one_runs() {
    let engine = own();
    let (mut model, mut trial) = (memory(), memory());
    let run = |launch: &Launch, memory: &mut Memory| engine.run(launch, memory, &NoProgress);
    run(&step(A, B, 1.0), &mut trial).expect("it runs");
    Reference::new().run(&step(A, B, 1.0), &mut model, &NoProgress).expect("it runs");
    let none = GpuError::OutOfMemory { what: "results".into(), bytes: 4096 };
    engine.gpu().fail(none.clone());
    let error = run(&step(B, C, 1.0), &mut trial).expect_err("no memory");
    assert_eq!(error, LaunchError::Adapter { engine: "interpreter", error: none.clone() });
    assert_eq!(
        error.to_string(),
        "engine interpreter: out of GPU memory: results needs 4096 bytes"
    );
    assert_eq!(difference(&model, &trial), None);
    // In a session what was queued before is lost with it.
    let mut session = engine.session(&mut trial);
    session.launch(&step(A, C, 1.0), &NoProgress).expect("it can run");
    engine.gpu().fail(none.clone());
    let error = session.memory().map(|_| ()).expect_err("no memory");
    assert!(matches!(&error, LaunchError::Adapter { error, .. } if *error == none), "{error}");
    drop(session);
    assert_eq!(difference(&model, &trial), None);
    run(&step(B, D, 3.0), &mut trial).expect("memory again");
    Reference::new().run(&step(B, D, 3.0), &mut model, &NoProgress).expect("it runs");
    assert_eq!(difference(&model, &trial), None);
}

/// A driver that ends loops after so many turns is noticed: the results are right, or it is told.
#[test]
#[ignore = "needs an adapter"]
fn loops_that_a_driver_ends_are_told() {
    let engine = tuned(Tuning { slice: Some(1 << 18), ..Tuning::default() });
    let mut told = 0;
    for (source, budget) in [
        // In one dispatch, since its end is known; in slices; and no turn of the outer loops.
        ("rep 250\nrep 90\nadd r2.r, r2.r, 1\nendrep\nendrep\nmov o0, r2", 1 << 20),
        ("again:\nadd r2.r, r2.r, 1\njump -> again\nend\nmov o0, r2", 100_000),
    ] {
        let mut launch = step(A, C, 0.0);
        (launch.domain.i1, launch.domain.j1) = (7, 7);
        launch.program = program(source);
        launch.constants = Arc::new(Constants::with_literals(&launch.program.image().literals));
        launch.limits = Limits { instructions: budget };
        let (mut model, mut trial) = (memory(), memory());
        match engine.run(&launch, &mut trial, &NoProgress) {
            Ok(outcome) => {
                let want = Reference::new().run(&launch, &mut model, &NoProgress);
                assert_eq!(Ok(outcome), want, "{source}");
            }
            Err(error) => {
                assert_eq!(
                    error.to_string(),
                    "engine interpreter: a dispatch: the driver failed: a loop of the interpreter \
                     ended after too few turns"
                );
                told += 1;
            }
        }
        assert_eq!(difference(&model, &trial), None, "{source}");
    }
    // llvmpipe is such a driver.
    if engine.gpu().info.name.contains("llvmpipe") {
        assert_eq!(told, 2);
    }
}

// ---- what an adapter cannot do

#[test]
#[ignore = "needs an adapter"]
fn the_block_engine_runs_what_the_adapter_cannot_hold() {
    let engine = small_buffers().with_fallback(|_| {});
    // An input that is too large for a buffer; before and behind it what fits.
    let mut wide = step(A, 0x5_0000, 0.0);
    wide.inputs[0] = Some(surface(A, SIDE, 400, Format::Float32x4));
    let (mut model, mut trial) = (memory(), memory());
    let launches = [step(A, B, 1.0), wide, step(B, D, 2.0)];
    let reference = Reference::new();
    let want: Vec<_> =
        launches.iter().map(|launch| reference.run(launch, &mut model, &NoProgress)).collect();
    let mut session = engine.session(&mut trial);
    for launch in &launches {
        session.launch(launch, &NoProgress).expect("it can run");
    }
    assert_eq!(session.outcomes(), want);
    drop(session);
    assert_eq!(difference(&model, &trial), None);
    let mut trial = memory();
    for (launch, want) in launches.iter().zip(&want) {
        assert_eq!(&engine.run(launch, &mut trial, &NoProgress), want);
    }
    assert_eq!(difference(&model, &trial), None);
}

/// An adapter that has no memory for a launch of a session: the block engine runs it after those
/// before, and the session goes on.
#[test]
#[ignore = "needs an adapter"]
fn the_block_engine_takes_over_within_a_session() {
    let small = small_buffers();
    let gpu = small.gpu().clone();
    static NOTES: AtomicU32 = AtomicU32::new(0);
    let engine = small.with_fallback(|note| {
        assert!(note.starts_with("engine block takes over where needed: engine interpreter: "));
        NOTES.fetch_add(1, Ordering::Relaxed);
    });
    let launches = [step(A, B, 1.0), step(B, C, 2.0), step(C, D, 3.0)];
    let (mut model, mut trial) = (memory(), memory());
    let reference = Reference::new();
    let want: Vec<_> =
        launches.iter().map(|launch| reference.run(launch, &mut model, &NoProgress)).collect();
    let mut session = engine.session(&mut trial);
    for (n, launch) in launches.iter().enumerate() {
        if n == 1 {
            // The next buffer is one that the second launch needs.
            gpu.starve();
        }
        session.launch(launch, &NoProgress).expect("it can run");
    }
    let found = session.outcomes();
    assert_eq!(found, want);
    let engines: Vec<&str> = found.iter().flatten().map(|outcome| outcome.ran.engine).collect();
    assert_eq!(engines, ["interpreter", "block", "interpreter"]);
    drop(session);
    assert_eq!(difference(&model, &trial), None);
    assert_eq!(NOTES.load(Ordering::Relaxed), 1, "the block engine took over");
}

/// Other guard levels where the probe finds them: the pipeline that was made for level 0 meanwhile is not
/// used.
#[test]
#[ignore = "needs an adapter"]
fn every_guard_level_gives_the_same() {
    for guards in [Guards::Fused, Guards::Normal, Guards::Integers] {
        let report = ProbeReport { guards, passed: 1, rejected: Vec::new() };
        let engine = probed(Ok(report));
        let (mut model, mut trial) = (memory(), memory());
        let want = turns(&Reference::new(), &mut model);
        assert_eq!(turns(&engine, &mut trial), want, "level {guards}");
        assert_eq!(difference(&model, &trial), None, "level {guards}");
        assert_eq!(engine.probe().map(|report| report.guards), Ok(guards));
    }
}

/// Interpreted and translated shaders with float controls, on adapters that have them.
#[test]
#[ignore = "needs an adapter"]
fn shaders_with_float_controls_give_the_same() {
    let engine = own();
    let gpu = engine.gpu();
    for guards in probe::levels(gpu).filter(|level| level.controlled()) {
        let report = ProbeReport { guards, passed: 1, rejected: Vec::new() };
        let tuning = Tuning { probe: Some(Ok(report)), ..Tuning::default() };
        let engine = Interpreter::tuned(gpu.clone(), tuning.clone());
        let (mut model, mut trial) = (memory(), memory());
        let want = turns(&Reference::new(), &mut model);
        assert_eq!(turns(&engine, &mut trial), want, "level {guards}");
        assert_eq!(difference(&model, &trial), None, "level {guards}");
        let engine = Translated::tuned(gpu.clone(), false, tuning);
        for mode in [FloatMode::Exact, FloatMode::Fast] {
            let (mut model, mut trial) = (memory(), memory());
            let launch = Launch { mode, statistics: false, ..step(A, B, 1.0) };
            Reference::new().run(&launch, &mut model, &NoProgress).expect("it runs");
            let outcome = engine.run(&launch, &mut trial, &NoProgress).expect("it runs");
            assert_eq!(outcome.ran.engine, "translated");
            assert_eq!(difference(&model, &trial), None, "level {guards}, {mode:?}");
        }
    }
}

#[test]
#[ignore = "needs an adapter"]
fn an_adapter_with_other_arithmetic_runs_only_fast() {
    let engine = probed(Err(ProbeError::Unsuitable(Vec::new())));
    let (mut trial, mut launch) = (memory(), step(A, B, 1.0));
    let error = engine.run(&launch, &mut trial, &NoProgress).expect_err("it is refused");
    let name = engine.adapter().expect("a GPU");
    assert_eq!(
        error.to_string(),
        format!(
            "engine interpreter: adapter {name}: mode exact is not possible: the adapter does not \
             give the exact bits at any guard level"
        )
    );
    assert_eq!(difference(&memory(), &trial), None);
    launch.mode = FloatMode::Fast;
    engine.run(&launch, &mut trial, &NoProgress).expect("it runs");
    assert_eq!(trial.read_u32(GPU + B + 4), Some(3f32.to_bits()));
}

/// A probe that the device kept from running is run again by the next launch.
#[test]
#[ignore = "needs an adapter"]
fn a_probe_that_could_not_run_is_tried_again() {
    let none = GpuError::OutOfMemory { what: "results".into(), bytes: 4096 };
    let engine = probed(Err(ProbeError::Gpu(none.clone())));
    let (mut model, mut trial) = (memory(), memory());
    let error = engine.run(&step(A, B, 1.0), &mut trial, &NoProgress);
    let want = LaunchError::Adapter { engine: "interpreter", error: none };
    assert_eq!(error, Err(want));
    assert_eq!(difference(&model, &trial), None);
    let found = engine.run(&step(A, B, 1.0), &mut trial, &NoProgress);
    let want = Reference::new().run(&step(A, B, 1.0), &mut model, &NoProgress);
    assert_eq!(found, want);
    assert_eq!(difference(&model, &trial), None);
}

/// Start data that the adapter cannot bind: the launch is refused, nothing of it counts as written,
/// and what was queued before runs.
#[test]
#[ignore = "needs an adapter"]
fn start_data_that_does_not_fit_concerns_no_other_launch() {
    let interpreter = own();
    let limit = interpreter.gpu().largest_binding();
    let rows = (limit / 16 / 4096) as u32 + 1;
    if rows > 4096 {
        println!("the adapter binds {limit} bytes, more than a temporary can start with");
        return;
    }
    let domain = Domain { i0: 0, j0: 0, i1: 4095, j1: rows - 1 };
    let mut large = Launch::new(program("add o0, r5, r0"), domain);
    large.outputs[0] = Some(surface(D, SIDE, SIDE, Format::Float32x4));
    large.initial = vec![Initial { temp: 5, data: Arc::new(vec![[0; 4]; 4096 * rows as usize]) }];
    let translated = Translated::on(interpreter.gpu().clone());
    let engines: [&dyn Engine; 2] = [&interpreter, &translated];
    for engine in engines {
        let (mut model, mut trial) = (memory(), memory());
        let mut session = engine.session(&mut trial);
        let before = session.launch(&step(A, B, 1.0), &NoProgress);
        before.expect("it can run");
        let refused = session.launch(&large, &NoProgress);
        let text = refused.expect_err("it does not fit").to_string();
        let words = "engine interpreter: the data that its temporaries start with take ";
        assert!(text.starts_with(words), "{text}");
        assert!(text.ends_with(&format!("a binding has at most {limit}")));
        assert!(session.is_current(&span(D)), "{}", engine.name());
        let behind = session.launch(&step(B, C, 2.0), &NoProgress);
        behind.expect("it can run");
        let found = session.outcomes();
        drop(session);
        let want = [step(A, B, 1.0), step(B, C, 2.0)]
            .map(|launch| Reference::new().run(&launch, &mut model, &NoProgress));
        assert_eq!(found, want, "{}", engine.name());
        assert_eq!(difference(&model, &trial), None, "{}", engine.name());
    }
}

/// After its device was lost, an engine with a fallback runs what the host has all data for, and
/// refuses the rest.
#[test]
#[ignore = "needs an adapter"]
fn a_lost_device_costs_only_the_bytes_that_it_held() {
    static NOTES: AtomicU32 = AtomicU32::new(0);
    let engine = own().with_fallback(|note| {
        assert!(note.contains("lost"), "{note}");
        NOTES.fetch_add(1, Ordering::Relaxed);
    });
    let (mut model, mut trial) = (memory(), memory());
    let reference = Reference::new();
    let mut wanted = |launch: &Launch| reference.run(launch, &mut model, &NoProgress);
    let mut session = engine.session(&mut trial);
    session.launch(&step(A, B, 1.0), &NoProgress).expect("it can run");
    assert!(session.outcomes()[0].is_ok());
    // Only the GPU has B now.
    engine.gpu().lose();
    session.launch(&step(A, C, 2.0), &NoProgress).expect("the host has A");
    let found = session.outcomes();
    assert_eq!(found, [wanted(&step(A, C, 2.0))]);
    let ran = found[0].clone().expect("it ran").ran;
    let kind = ran.why.map(|why| why.kind);
    assert_eq!((ran.engine, kind), ("block", Some("the GPU was lost")));
    let gone = LaunchError::Lost { surfaces: "input 0".into() };
    assert_eq!(gone.to_string(), "input 0: only the lost GPU had the latest bytes");
    assert_eq!(session.launch(&step(B, D, 1.0), &NoProgress), Err(gone.clone()));
    assert!(!session.is_current(&span(B)));
    assert!(session.view(&[span(B)]).is_err() && session.memory().is_err());
    assert!(session.view(&[span(C)]).is_ok());
    drop(session);
    // Later sessions and runs know what is missing, also those of other memories what is not.
    assert_eq!(engine.run(&step(B, D, 1.0), &mut trial, &NoProgress), Err(gone));
    assert_eq!(engine.run(&step(C, D, 3.0), &mut trial, &NoProgress), wanted(&step(C, D, 3.0)));
    assert_eq!(difference(&model, &trial), None);
    // What the host overwrites is there again: a part is not enough.
    let bytes = vec![0x40; SIDE as usize * SIDE as usize * 16];
    let (half, rest) = bytes.split_at(1000);
    trial.write(GPU + B, half).expect("it is inside");
    let lost = engine.run(&step(B, D, 1.0), &mut trial, &NoProgress);
    assert_eq!(lost, Err(LaunchError::Lost { surfaces: "input 0".into() }));
    trial.write(GPU + B + 1000, rest).expect("it is inside");
    model.write(GPU + B, &bytes).expect("it is inside");
    let wanted = reference.run(&step(B, D, 1.0), &mut model, &NoProgress);
    assert_eq!(engine.run(&step(B, D, 1.0), &mut trial, &NoProgress), wanted);
    assert_eq!(difference(&model, &trial), None);
    assert!(trial.stale().is_empty());
    let mut other = memory();
    assert!(engine.run(&step(B, D, 1.0), &mut other, &NoProgress).is_ok());
    assert_eq!(NOTES.load(Ordering::Relaxed), 1);
}

/// A device that is lost during a run: the host still has everything, so the block engine repeats it.
#[test]
#[ignore = "needs an adapter"]
fn a_run_on_a_device_that_gets_lost_is_repeated_on_the_cpu() {
    let engine = own().with_fallback(|_| {});
    let (mut model, mut trial) = (memory(), memory());
    engine.run(&step(A, B, 1.0), &mut trial, &NoProgress).expect("it runs");
    engine.gpu().lose();
    for launch in [step(A, B, 1.0), step(B, A, 2.0)] {
        let found = engine.run(&launch, &mut trial, &NoProgress);
        assert_eq!(found, Reference::new().run(&launch, &mut model, &NoProgress));
    }
    assert_eq!(difference(&model, &trial), None);
}
