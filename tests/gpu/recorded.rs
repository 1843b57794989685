//! Launches of a session that share a submission: hundreds of them in a row, of programs that are
//! shaders of their own and of such that the interpreter runs, with and without results to report,
//! with copies of what they overwrite, shaders that give up, and the host looking and writing in between.
//! Everything is as on the reference engine. See `common` for when these tests run.

use crate::common::{self, GPU, program};
use crate::same::difference;
use ctm::engine::gpu::device::watch::{After, Dispatch, Watch};
use ctm::engine::gpu::{AdapterChoice, Gpu, Translated, Tuning};
use ctm::engine::reference::Reference;
use ctm::engine::{Engine, LaunchError, NoProgress, Outcome, Stop, Stopped};
use ctm::launch::{Constants, Domain, Launch, Limits};
use ctm::memory::{ArenaSizes, Format, Memory, Surface, Tiling};
use ctm::program::Program;
use ctm::random::Random;
use std::collections::BTreeMap;
use std::sync::Arc;

const SEED: u64 = 0x5ead;
const LAUNCHES: usize = 2000;
const SIDE: u32 = 20;
const SURFACES: u32 = 4;

/// The launches that become shaders of their own.
const SOURCES: [&str; 5] = [
    // Reports nothing.
    "ld r1, i0[r0.rg]\nmad o0, r1, 0.5, c5",
    // A point reads what its neighbour writes: a copy is made where the surfaces are the same.
    "add r1, r0, 1\nld r2, i0[r1.rg]\nld r3, i0[r0.rg]\nadd r2, r2, r3\nmad o0, r2, 0.25, c5",
    // Some points are killed.
    "ld r1, i0[r0.gr]\ntexkill r1\nadd o0, r1, c5",
    // A loop.
    "ld r1, i0[r0.rg]\nrep 5\nmad r1, r1, 0.5, c5\nendrep\nmov o0, r1",
    // A record with all constants: a few fill the buffer for records.
    ".literal n0 3 4 1\nld r1, i0[r0.rg]\nloop n0\nmad r1, r1, 0.5, c[aL]\nendloop\nmov o0, r1",
];

/// Points that jump stay awake if others do not: the interpreter runs it.
const IRREGULAR: &str = "ld r1, i0[r0.rg]\njump -> 3 if p.r\nmad r1, r1, 0.5, c5\nmov o0, r1";

/// Surfaces do not begin where pages do.
const fn address(n: u32) -> u32 {
    GPU + n * 0x9000 + 0x100
}

fn surface(n: u32) -> Surface {
    Surface::new(address(n), SIDE, SIDE, Tiling::Linear, Format::Float32x4)
}

fn memory() -> Memory {
    let sizes = ArenaSizes { gpu: 0x4_0000, gpub: 0, sys: 0, sysc: 0x1000 };
    let mut memory = Memory::new(&sizes).expect("it fits");
    for n in 0..0x1_0000 {
        let value = n as f32 / 4096.0 - 3.0;
        assert!(memory.write_u32(GPU + 4 * n, value.to_bits()));
    }
    memory
}

/// How many launches ran as what.
fn kinds(outcomes: Vec<Result<Outcome, LaunchError>>) -> BTreeMap<&'static str, usize> {
    let mut kinds = BTreeMap::new();
    for outcome in outcomes.into_iter().flatten() {
        *kinds.entry(outcome.ran.why.expect("there was a choice").kind).or_default() += 1;
    }
    kinds
}

fn own() -> Translated {
    Translated::open(&AdapterChoice::from_environment()).expect("an adapter")
}

/// An engine with at most `most` point-instructions in a dispatch.
fn gpu() -> Gpu {
    Gpu::open(&AdapterChoice::from_environment()).expect("an adapter")
}

fn tuned(most: u64) -> Translated {
    Translated::tuned(gpu(), false, Tuning { most: Some(most), ..Tuning::default() })
}

/// A launch that reports nothing, from one surface to another.
fn plain(program: &Arc<Program>, from: u32, to: u32) -> Launch {
    let domain = Domain { i0: 0, j0: 0, i1: SIDE - 1, j1: SIDE - 1 };
    let mut launch = Launch::new(Arc::clone(program), domain);
    let mut constants = Constants::with_literals(&program.image().literals);
    constants.float[5] = [0.25f32.to_bits(); 4];
    launch.constants = Arc::new(constants);
    launch.inputs[0] = Some(surface(from));
    launch.outputs[0] = Some(surface(to));
    launch
}

fn launch(random: &mut Random, programs: &[Arc<Program>], irregular: &Arc<Program>) -> Launch {
    let program = match random.below(100) {
        0..4 => irregular,
        other => &programs[(other as usize % 8).min(programs.len() - 1)],
    };
    let mut domain = Domain {
        i0: random.below(4),
        j0: random.below(4),
        i1: random.range(10, SIDE - 1),
        j1: random.range(10, SIDE - 1),
    };
    // Points beyond the output have faults, at which a shader gives up.
    if random.chance(4) {
        domain.i1 += SIDE;
    }
    let mut launch = Launch::new(Arc::clone(program), domain);
    let mut constants = Constants::with_literals(&program.image().literals);
    let constant = random.below(4096) as f32 / 2048.0 - 1.0;
    constants.float[5] = [constant.to_bits(); 4];
    launch.constants = Arc::new(constants);
    launch.statistics = random.chance(12);
    launch.limits = Limits { instructions: 500 };
    launch.inputs[0] = Some(surface(random.below(SURFACES)));
    launch.outputs[0] = Some(surface(random.below(SURFACES)));
    launch
}

/// All outcomes, and what the host saw in between.
type Seen = (Vec<Result<Outcome, LaunchError>>, Vec<Option<u32>>);

/// The same launches, looks and writes on any engine.
fn turns(engine: &dyn Engine, memory: &mut Memory) -> Seen {
    let programs: Vec<Arc<Program>> = SOURCES.iter().map(|source| program(source)).collect();
    let irregular = program(IRREGULAR);
    let mut random = Random::new(&[SEED]);
    let (mut outcomes, mut seen) = (Vec::new(), Vec::new());
    let mut session = engine.session(memory);
    for _ in 0..LAUNCHES {
        let launch = launch(&mut random, &programs, &irregular);
        session.launch(&launch, &NoProgress).expect("it can run");
        let at = address(random.below(SURFACES));
        match random.below(300) {
            0 => {
                let view = session.view(&[u64::from(at)..u64::from(at) + 1600]);
                seen.push(view.expect("it ran").read_u32(at + 400));
            }
            1 => {
                let host = session.memory().expect("it ran");
                assert!(host.write_u32(at + 800, 1f32.to_bits()));
            }
            2 => outcomes.extend(session.outcomes()),
            _ => {}
        }
    }
    outcomes.extend(session.outcomes());
    drop(session);
    (outcomes, seen)
}

#[test]
#[ignore = "needs an adapter"]
fn launches_that_share_submissions_take_effect_in_order() {
    println!("seed {SEED:#x}");
    let engine = own();
    let (mut model, mut trial) = (memory(), memory());
    let want = turns(&Reference::new(), &mut model);
    let found = turns(&engine, &mut trial);
    assert_eq!(want.0.len(), LAUNCHES);
    assert!(want.1.len() > 3, "the host looked {} times", want.1.len());
    assert_eq!(found, want);
    assert_eq!(difference(&model, &trial), None);
    let kinds = kinds(found.0);
    println!("{kinds:?}");
    assert!(kinds["translated"] > LAUNCHES * 8 / 10, "{kinds:?}");
    let others = LAUNCHES - kinds["translated"];
    assert!(others > 10 && kinds["gave up"] > 10, "{kinds:?}");
}

/// As many launches as it takes to fill several of the largest submissions, and some behind them
/// that nobody has submitted when the session ends: no outcome is asked for, memory is complete.
#[test]
#[ignore = "needs an adapter"]
fn a_session_ends_with_launches_that_are_not_submitted() {
    let engine = own();
    let program = program(SOURCES[0]);
    for count in [1, 2, 3, 4, 127, 300] {
        let (mut model, mut trial) = (memory(), memory());
        let mut session = engine.session(&mut trial);
        for n in 0..count {
            let launch = plain(&program, n % 3, (n + 1) % 3);
            session.launch(&launch, &NoProgress).expect("it can run");
            let want = Reference::new().run(&launch, &mut model, &NoProgress);
            want.expect("it runs");
        }
        drop(session);
        assert_eq!(difference(&model, &trial), None, "{count} launches");
    }
}

#[test]
#[ignore = "needs an adapter"]
fn a_device_is_lost_with_launches_that_are_not_submitted() {
    let engine = own();
    let program = program(SOURCES[0]);
    let mut trial = memory();
    let mut session = engine.session(&mut trial);
    // Seven are submitted, three are not.
    for n in 0..10 {
        let launch = plain(&program, n % 3, (n + 1) % 3);
        session.launch(&launch, &NoProgress).expect("it can run");
    }
    engine.interpreter().gpu().lose();
    let error = session.memory().map(|_| ()).expect_err("it is lost");
    assert!(matches!(&error, LaunchError::Adapter { error, .. } if error.is_lost()), "{error}");
    let outcomes = session.outcomes();
    assert_eq!(outcomes, [Err(error.clone())]);
    let later = session.launch(&plain(&program, 0, 1), &NoProgress);
    assert_eq!(later, Err(error));
    drop(session);
    assert_eq!(difference(&memory(), &trial), None);
}

#[test]
#[ignore = "needs an adapter"]
fn two_threads_share_an_engine_and_no_submission() {
    let engine = own();
    let mut model = memory();
    let want = turns(&Reference::new(), &mut model);
    std::thread::scope(|scope| {
        for thread in 0..2 {
            let (engine, model, want) = (&engine, &model, &want);
            scope.spawn(move || {
                let mut trial = memory();
                let found = turns(engine, &mut trial);
                assert_eq!(&found, want, "thread {thread}");
                assert_eq!(difference(model, &trial), None, "thread {thread}");
            });
        }
    });
}

/// Launches that are cut into dispatches of some rows of groups.
#[test]
#[ignore = "needs an adapter"]
fn long_launches_in_several_dispatches_give_the_same() {
    let mut model = memory();
    let want = turns(&Reference::new(), &mut model);
    // Every row of groups by itself; and two rows of a short program.
    for most in [1, 2500] {
        let engine = tuned(most);
        let mut trial = memory();
        let found = turns(&engine, &mut trial);
        assert_eq!(found, want, "most {most}");
        assert_eq!(difference(&model, &trial), None, "most {most}");
        let kinds = kinds(found.0);
        assert!(kinds["translated"] > LAUNCHES * 8 / 10, "{kinds:?}");
    }
}

/// Stops a launch between its first dispatch and the second.
struct AfterOne(Stop);

impl Watch for AfterOne {
    fn dispatch(&self, _: &Gpu, _: &mut wgpu::CommandEncoder, _: &Dispatch<'_>) -> After {
        self.0.stop();
        Box::new(|_| {})
    }
}

/// An engine that cuts launches into dispatches of a row of groups, and what stops it after the first one.
fn stopping() -> (Translated, Stop) {
    let stop = Stop::new();
    let gpu = gpu().watched(Arc::new(AfterOne(stop.clone())));
    let tuning = Tuning { most: Some(1), ..Tuning::default() };
    (Translated::tuned(gpu, false, tuning), stop)
}

/// A launch that is stopped between two dispatches: the groups of the first one have written, the
/// others have not, and the same launch can be run again.
#[test]
#[ignore = "needs an adapter"]
fn a_launch_in_several_dispatches_is_stopped_between_them() {
    let (engine, stop) = stopping();
    let mut bench = common::Bench::new("mov o0, 1", 16, 24);
    bench.launch.statistics = false;
    let (one, zero) = ([1f32.to_bits(); 4], [0; 4]);
    let mut session = engine.session(&mut bench.memory);
    let stopped = session.launch(&bench.launch, &stop);
    assert_eq!(stopped, Err(LaunchError::Stopped(Stopped::Cancelled)));
    session.memory().expect("nothing failed");
    drop(session);
    let rows: Vec<_> = bench.bits(0).iter().map(|row| row[0]).collect();
    assert_eq!(rows, [[one; 8], [zero; 8], [zero; 8]].concat());
    bench.run(&engine);
    assert_eq!(bench.bits(0), [[one; 16]; 24]);
}

/// A shader that may give up and is stopped may have written what does not count: memory is as before.
#[test]
#[ignore = "needs an adapter"]
fn a_launch_that_may_give_up_and_is_stopped_leaves_memory_as_it_was() {
    let (engine, stop) = stopping();
    let program = program(SOURCES[0]);
    let mut trial = memory();
    let mut session = engine.session(&mut trial);
    let mut launch = plain(&program, 0, 0);
    launch.domain.j1 += SIDE;
    let stopped = session.launch(&launch, &stop);
    assert_eq!(stopped, Err(LaunchError::Stopped(Stopped::Cancelled)));
    let host = session.memory().expect("nothing failed");
    assert_eq!(difference(&memory(), host), None);
    // The same launch gives up, and the interpreter runs it.
    session.launch(&launch, &NoProgress).expect("it can run");
    let outcome = session.outcomes().pop().expect("an outcome").expect("it ran");
    drop(session);
    let mut model = memory();
    let want = Reference::new().run(&launch, &mut model, &NoProgress);
    assert_eq!(outcome.ran.why.as_ref().map(|why| why.kind), Some("gave up"));
    assert_eq!(Ok(outcome), want);
    assert_eq!(difference(&model, &trial), None);
}
