//! The engine of several tiers: what the interpreter runs while shaders compile, what becomes of
//! engines that go away meanwhile, and the engine that chooses between the CPU and a GPU. All give
//! what the reference engine gives. See `common` for when these tests run.

use crate::common::Bench;
use crate::same::{bench, difference};
use ctm::engine::auto::Auto;
use ctm::engine::estimate::Costs;
use ctm::engine::gpu::{AdapterChoice, Gpu, Translated, Tuning};
use ctm::engine::reference::Reference;
use ctm::engine::{BatchItem, Engine, LaunchError, NoProgress, Outcome, Ran};
use ctm::memory::{Memory, array};

/// No launch waits for its shader.
const BACKGROUND: Costs = Costs { block: 1, launch: 1, open: 0, wait: u64::MAX };

fn tiered(gpu: Gpu, costs: Costs) -> Translated {
    Translated::tuned(gpu, true, Tuning { costs: Some(costs), ..Tuning::default() })
}

fn gpu() -> Gpu {
    Gpu::open(&AdapterChoice::from_environment()).unwrap_or_else(|error| panic!("{error}"))
}

/// The engine that ran a launch, the kind of reason, and the reason.
fn ran(outcome: Result<Outcome, LaunchError>) -> (&'static str, &'static str, String) {
    let Ran { engine, why, .. } = outcome.expect("it runs").ran;
    let why = why.expect("there was a choice");
    (engine, why.kind, why.reason)
}

/// A program whose result depends on how often it ran: it adds to its own output.
const SOURCE: &str = "ld r1, i0[r0.rg]\nadd r1, r1, r0\nadd o0, r1, 1";

/// [`SOURCE`] on zeros.
fn adding_over(size: (u32, u32)) -> Bench {
    bench(SOURCE, size, &|bench| {
        bench.launch.statistics = false;
        let surface = bench.launch.outputs[0].expect("the program has one");
        bench.launch.inputs[0] = Some(surface);
        let zeros = vec![0; 4 * (size.0 * size.1) as usize];
        array::write_array(&mut bench.memory, &surface, size.0, size.1, &zeros).expect("it fits");
    })
}

fn adding() -> Bench {
    adding_over((64, 16))
}

/// Memory as the reference leaves it after so many launches.
fn wanted(launches: usize) -> Memory {
    let mut model = adding();
    for _ in 0..launches {
        let ran = Reference::new().run(&model.launch, &mut model.memory, &NoProgress);
        ran.expect("it runs");
    }
    model.memory
}

#[test]
#[ignore = "needs an adapter"]
fn launches_go_over_to_the_shader_when_it_is_there() {
    let engine = tiered(gpu(), BACKGROUND);
    let mut trial = adding();
    let run = |trial: &mut Bench| ran(engine.run(&trial.launch, &mut trial.memory, &NoProgress));
    let compiling = "its shader is being compiled meanwhile".to_string();
    assert_eq!(run(&mut trial), ("interpreter", "compiling", compiling));
    engine.settle();
    for _ in 0..3 {
        let (engine, _, reason) = run(&mut trial);
        assert_eq!(engine, "translated");
        assert_eq!(reason, "1024 points x 3 instructions, with a shader of their own");
    }
    assert_eq!(difference(&wanted(4), &trial.memory), None);
}

#[test]
#[ignore = "needs an adapter"]
fn a_session_changes_tiers_between_its_launches() {
    let engine = tiered(gpu(), BACKGROUND);
    let (mut trial, mut model) = (adding_over((32, 8)), adding_over((32, 8)));
    let mut session = engine.session(&mut trial.memory);
    for n in 0..12 {
        session.launch(&trial.launch, &NoProgress).expect("it runs");
        if n == 5 {
            engine.settle();
        }
        let want = Reference::new().run(&model.launch, &mut model.memory, &NoProgress);
        let _ = want.expect("it runs");
    }
    let kinds: Vec<&str> = session.outcomes().into_iter().map(|one| ran(one).1).collect();
    let memory = session.memory().expect("it ran");
    assert_eq!(difference(&model.memory, memory), None);
    drop(session);
    assert_eq!(kinds.len(), 12);
    assert_eq!((kinds[0], kinds[11]), ("compiling", "translated"));
    assert!(!kinds.contains(&"compiler error"), "{kinds:?}");
}

#[test]
#[ignore = "needs an adapter"]
fn a_long_launch_waits_for_its_shader() {
    let engine = tiered(gpu(), Costs { wait: 3072, ..BACKGROUND });
    let mut trial = adding();
    let outcome = engine.run(&trial.launch, &mut trial.memory, &NoProgress);
    assert_eq!(ran(outcome).1, "translated");
    assert_eq!(difference(&wanted(1), &trial.memory), None);
}

#[test]
#[ignore = "needs an adapter"]
fn a_long_batch_goes_over_to_the_shader() {
    let engine = tiered(gpu(), BACKGROUND);
    let base = adding();
    let run = || -> Vec<&str> {
        let mut benches: Vec<Bench> = (0..20).map(|_| adding()).collect();
        let mut items: Vec<BatchItem> = benches
            .iter_mut()
            .map(|bench| BatchItem { launch: &base.launch, memory: &mut bench.memory })
            .collect();
        let results = engine.run_batch(&mut items, &NoProgress);
        let want = wanted(1);
        for bench in &benches {
            assert_eq!(difference(&want, &bench.memory), None);
        }
        results.into_iter().map(|one| ran(one).1).collect()
    };
    let kinds = run();
    assert_eq!(kinds.len(), 20);
    assert!(kinds.contains(&"compiling"), "{kinds:?}");
    engine.settle();
    assert_eq!(run(), ["translated"; 20]);
}

#[test]
#[ignore = "needs an adapter"]
fn an_engine_goes_away_while_it_compiles() {
    let gpu = gpu();
    for n in 0..8 {
        let engine = tiered(gpu.clone(), BACKGROUND);
        // Several programs wait; the first is being compiled or not, as it happens.
        for extra in 0..6 {
            let source =
                format!("add r1, r0, {n}.5\n{}mov o0, r1", "mul r1, r1, r0\n".repeat(9 + extra));
            let mut trial = bench(&source, (64, 64), &|bench| bench.launch.statistics = false);
            let outcome = engine.run(&trial.launch, &mut trial.memory, &NoProgress);
            assert_eq!(ran(outcome).1, "compiling");
        }
        drop(engine);
    }
}

#[test]
#[ignore = "needs an adapter"]
fn a_device_that_is_lost_while_it_compiles_is_told_by_the_next_launch() {
    let engine = tiered(gpu(), BACKGROUND);
    let mut trial = adding();
    let outcome = engine.run(&trial.launch, &mut trial.memory, &NoProgress);
    assert_eq!(ran(outcome).1, "compiling");
    engine.interpreter().gpu().lose();
    engine.settle();
    let lost = engine.run(&trial.launch, &mut trial.memory, &NoProgress);
    let text = lost.expect_err("there is no device").to_string();
    assert!(text.contains("lost"), "{text}");
}

#[test]
#[ignore = "needs an adapter"]
fn auto_goes_from_the_cpu_to_the_gpu_within_a_session() {
    let cores = rayon::current_num_threads() as u64;
    // Launches of 3072 point-instructions stay on the CPU, those of 12288 go to the GPU.
    let costs = Costs { block: 1, launch: 10_000 / cores, ..BACKGROUND };
    let engine = Auto::on(tiered(gpu(), costs), |_| {});
    let source = "add r1, r0, 1\nmul r1, r1, r0\nmov o0, r1";
    let make = |size| bench(source, size, &|bench| bench.launch.statistics = false);
    let (small, large) = (make((64, 16)), make((64, 64)));
    let (mut trial, mut model) = (make((64, 64)), make((64, 64)));
    let mut session = engine.session(&mut trial.memory);
    for launch in [&small.launch, &large.launch, &small.launch] {
        session.launch(launch, &NoProgress).expect("it runs");
        let want = Reference::new().run(launch, &mut model.memory, &NoProgress);
        want.expect("it runs");
    }
    let outcomes = session.outcomes();
    let points: Vec<u64> = outcomes.iter().flatten().map(|outcome| outcome.points).collect();
    assert_eq!(points, [1024, 4096, 1024]);
    assert_eq!(difference(&model.memory, session.memory().expect("it ran")), None);
    drop(session);
    let engines: Vec<&str> = outcomes.into_iter().map(|one| ran(one).0).collect();
    assert_eq!(engines[0], "block");
    assert!(engines[1] != "block" && engines[2] != "block", "{engines:?}");
    // Outside of a session each launch is on its own.
    let mut trial = make((64, 16));
    let (engine, _, reason) = ran(engine.run(&small.launch, &mut trial.memory, &NoProgress));
    assert_eq!(engine, "block");
    let below = 10_000 / cores * cores;
    assert_eq!(
        reason,
        format!("1024 points x 3 instructions, below the {below} of a launch on a GPU")
    );
}

/// After its device was lost, `auto` runs what the host has all data for, whatever its size.
#[test]
#[ignore = "needs an adapter"]
fn auto_goes_on_without_its_device() {
    let gpu = gpu();
    let costs = Costs { block: 1, launch: 1, ..BACKGROUND };
    let engine = Auto::on(tiered(gpu.clone(), costs), |_| {});
    let make = |size| bench("add o0, r0, 1", size, &|bench| bench.launch.statistics = false);
    let mut large = make((64, 64));
    let (on, ..) = ran(engine.run(&large.launch, &mut large.memory, &NoProgress));
    assert_ne!(on, "block");
    gpu.lose();
    for mut trial in [make((4, 1)), large] {
        let (on, kind, _) = ran(engine.run(&trial.launch, &mut trial.memory, &NoProgress));
        assert_eq!((on, kind), ("block", "the GPU was lost"));
    }
    let items = &mut [make((4, 1)), make((64, 64))];
    let mut items: Vec<BatchItem> = items
        .iter_mut()
        .map(|bench| BatchItem { launch: &bench.launch, memory: &mut bench.memory })
        .collect();
    for result in engine.run_batch(&mut items, &NoProgress) {
        assert_eq!(ran(result).0, "block");
    }
}

/// A program that is gone when its turn comes is not compiled, and nobody waits for it.
#[test]
#[ignore = "needs an adapter"]
fn nobody_waits_for_the_shader_of_a_program_that_is_gone() {
    let engine = tiered(gpu(), BACKGROUND);
    let (told, ended) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for n in 0..3 {
            // While a long program is compiled several short ones come and go.
            for extra in 0..6 {
                let (repeat, size) = match extra {
                    0 => (400, (8, 8)),
                    extra => (9 + extra, (64, 32)),
                };
                let source =
                    format!("add r1, r0, {n}.25\n{}mov o0, r1", "mul r1, r1, r0\n".repeat(repeat));
                let mut trial = bench(&source, size, &|bench| bench.launch.statistics = false);
                let outcome = engine.run(&trial.launch, &mut trial.memory, &NoProgress);
                assert_eq!(ran(outcome).1, "compiling");
            }
            engine.settle();
        }
        told.send(()).expect("somebody waits");
    });
    let ended = ended.recv_timeout(std::time::Duration::from_secs(240));
    assert_eq!(ended, Ok(()), "it still waits");
}
