//! How launches end on the GPU's interpreter, against the reference engine: slices, budgets, faults,
//! sizes. Memory, statistics, faults and hazards are equal. See `common` for when these tests run.

use crate::common::{Bench, GPU, bytes, program};
use crate::same::{self, interpreter, place, same, silent};
use ctm::engine::gpu::device::watch::{After, Dispatch, Watch};
use ctm::engine::gpu::{AdapterChoice, Gpu, Interpreter};
use ctm::engine::{Engine, FaultCode, NoProgress};
use ctm::launch::{Condition, Domain, Limits, Location, Test};
use ctm::memory::{Format, Surface, Tiling};
use std::sync::{Arc, Mutex};

fn limit(instructions: u64) -> impl Fn(&mut Bench) {
    move |bench| bench.launch.limits = Limits { instructions }
}

// ---- slices

#[test]
#[ignore = "needs an adapter"]
fn programs_that_never_end_run_into_their_budget() {
    // More instructions than lavapipe's 65535 loop turns, in many slices.
    let source = "mov o0, 1\nagain:\njump -> again\nend";
    let outcome = silent("only jumps", source, (3, 3), limit(140_000));
    let fault = outcome.faults.get(FaultCode::Budget).expect("it does");
    assert_eq!((fault.count, fault.order), (1, 140_001));
    let source = "mov r2, 1\nagain:\nadd r1, r1, r2\nadd r2, r2, 1 | sin r3.a, r1.r\njump -> again\nend\nmov o0, r1";
    let outcome = silent("with arithmetic", source, (9, 9), limit(70_000));
    assert_eq!(outcome.faults.get(FaultCode::Budget).expect("it does").count, 4);
}

#[test]
#[ignore = "needs an adapter"]
fn long_loops_end_with_their_result() {
    // 255 * 200 turns of the inner loop; the result says how many there were.
    let source =
        "rep 200\nrep 255\nadd r2.r, r2.r, 1\nendrep\nadd r2.g, r2.g, r0.r\nendrep\nmov o0, r2";
    let outcome = same("long loops", source, (9, 3), |_| {});
    assert!(outcome.faults.is_empty());
    assert!(outcome.statistics.expect("asked for").fc > 102_000);
}

#[test]
#[ignore = "needs an adapter"]
fn turns_of_inner_loops_count_towards_no_limit() {
    // Few micro-operations, each of which takes several turns: fetches of four channels, kills.
    for (name, line) in [("fetches", "ld r1, i0[r0.rg]\n"), ("kills", "texkill r0.rgrg\n")] {
        for count in [46, 20] {
            let mut source = String::from("rep 255\nadd r2.r, r2.r, 1\n");
            source.push_str(&line.repeat(count));
            source.push_str("endrep\nadd r2.g, r1.g, r2.g\nmov o0, r2");
            same(name, &source, (8, 3), |bench| {
                let data: Vec<u32> = (0..8 * 3 * 4).map(|n| (n as f32).to_bits()).collect();
                bench.input(0, 8, 3, &data);
            });
        }
    }
}

#[test]
#[ignore = "needs an adapter"]
fn loops_whose_entry_does_not_tell_their_length() {
    let work = "add r2.r, r2.r, 1\n".repeat(300);
    // The jump lands in the second loop, whose end then counts with the first one's frame.
    let jump_in = format!(
        "loop (255, 0, 1)\njump -> inside\nendloop\nloop (2, 0, 1)\ninside:\n{work}endloop\nmov o0, r2"
    );
    // A loop whose exit lies before its end: what is skipped if there is nothing to do.
    let short_exit = format!(
        ".literal n0 255 0 1\nrep n0 -> 2 if never\nbody:\nmov r3, 1\n{work}endrep n0 -> body @any\nmov o0, r2\nend"
    );
    for (name, source) in [("jump in", jump_in), ("short exit", short_exit)] {
        match ctm::asm::assemble(&source, "test.dpp") {
            Ok(_) => {
                same(name, &source, (8, 3), limit(100_000));
            }
            Err(errors) => panic!("{name}: {errors}"),
        }
    }
}

// ---- faults

#[test]
#[ignore = "needs an adapter"]
fn flow_control_faults_in_many_groups() {
    let cases = [
        ("again:\njump -> again @address(PUSH)\nend", FaultCode::AddressStackOverflow),
        ("jump -> 0 @address(POP)\nend", FaultCode::AddressStackUnderflow),
        (
            ".literal n0 5 0 1\nagain:\nloop n0 -> again if never\njump -> again\nend",
            FaultCode::LoopStackOverflow,
        ),
        ("endloop n0 -> 0\nend", FaultCode::LoopStackUnderflow),
        ("endrep n0 -> 0\nend", FaultCode::LoopStackUnderflow),
        ("breakloop -> 0\nend", FaultCode::LoopStackUnderflow),
        ("continue -> 0\nend", FaultCode::LoopStackUnderflow),
        (
            "sub alu_result<0, r0.r, 1\nagain:\njump -> again if alu_result @any @stay(INCR) @jump(INCR)\nend",
            FaultCode::BranchCounterOverflow,
        ),
        ("jump -> 77\nend", FaultCode::MissingInstruction),
        ("mov o0, 1\njump -> 1\nend", FaultCode::Budget),
    ];
    for (source, code) in cases {
        let outcome = silent(code.name(), source, (20, 12), limit(4000));
        assert!(outcome.faults.get(code).is_some(), "{source}: {:?}", outcome.faults);
    }
    // Only groups right of column 8 fault, each after its outputs were set.
    let source = "mov o0, 2\nsub alu_result>=0, r0.r, 9\njump -> 200 if alu_result @any\nend";
    let outcome = same("some groups", source, (30, 30), limit(4000));
    let fault = outcome.faults.get(FaultCode::MissingInstruction).expect("some do");
    // The fault is charged to the group's first point.
    assert_eq!((fault.count, fault.i, fault.j), (12, 8, 0));
}

#[test]
#[ignore = "needs an adapter"]
fn accesses_outside_the_arenas_in_many_groups() {
    let end = GPU + (1 << 20);
    for statistics in [true, false] {
        let outcome = same(
            "fetch and output",
            "ld r1, i3[r0.rg]\nld r2, i3[r0.gr]\nadd o0, r1, r2\nmov o1, r1",
            (50, 41),
            |bench| {
                bench.launch.statistics = statistics;
                let mut input = place(0, 64, 64, Tiling::Linear, Format::Float32x4);
                input.base = end - 30 * 64 * 16;
                bench.launch.inputs[3] = Some(input);
                let mut output = place(0, 64, 64, Tiling::Tiled, Format::Float32x2);
                output.base = end - 0x3000;
                bench.launch.outputs[1] = Some(output);
            },
        );
        assert!(outcome.faults.get(FaultCode::InputOutsideMemory).is_some());
        assert!(outcome.faults.get(FaultCode::OutputOutsideMemory).is_some());
    }
    // Every element far outside; and surfaces smaller than the domain.
    let outcome =
        same("elsewhere", "ld r1, i0[r0.rg]\nmov o0, r1\nmov o1, r0", (33, 20), |bench| {
            let mut input = place(0, 64, 20, Tiling::Tiled, Format::Uint8x4);
            input.base = 0x7000_0000;
            bench.launch.inputs[0] = Some(input);
            bench.launch.outputs[1] = Some(place(1, 16, 7, Tiling::Linear, Format::Uint16x1));
        });
    let fault = outcome.faults.get(FaultCode::OutputOutsideSurface).expect("some are");
    assert_eq!((fault.count, fault.i, fault.j), (33 * 20 - 16 * 7, 16, 0));
    let outcome = same("condition", "mov o0, 1", (20, 20), |bench| {
        let mut buffer = place(0, 16, 20, Tiling::Linear, Format::Float32x1);
        buffer.base = end - 16 * 4 * 10;
        bench.launch.condition = Condition {
            test: Test::NotEqual,
            location: Location::Pe,
            value: 5,
            buffer: Some(buffer),
            write: true,
        };
    });
    assert!(outcome.faults.get(FaultCode::ConditionOutsideMemory).is_some());
    assert!(outcome.faults.get(FaultCode::ConditionOutsideSurface).is_some());
    let source =
        ".umrt\nmov r1.r, r0.r\nmad r1.gb, r0.rrg, {0, 3, 2}, -2\nmov o0.rgb, r1.rgb | mov o0.a, 0";
    let outcome = same("uncached", source, (40, 30), |bench| {
        let mut output = place(0, 128, 80, Tiling::Linear, Format::Float32x1);
        output.base = end - 128 * 4 * 40;
        bench.launch.outputs[0] = Some(output);
    });
    assert!(outcome.faults.get(FaultCode::UncachedOutsideMemory).is_some());
    assert!(outcome.faults.get(FaultCode::UncachedOutsideSurface).is_some());
}

// ---- limits

#[test]
#[ignore = "needs an adapter"]
fn domains_of_more_groups_than_a_dispatch() {
    // 129 x 130 groups.
    let engine = interpreter();
    let run = |engine: &dyn ctm::engine::Engine| {
        let sizes = ctm::memory::ArenaSizes { gpu: 16 << 20, gpub: 0, sys: 0, sysc: 0 };
        let mut memory = ctm::memory::Memory::new(&sizes).expect("it fits");
        let program = program("mad o0.r, r0.g, 2048, r0.r");
        let domain = Domain { i0: 3, j0: 0, i1: 1027, j1: 1039 };
        let mut launch = ctm::launch::Launch::new(program.clone(), domain);
        launch.constants =
            Arc::new(ctm::launch::Constants::with_literals(&program.image().literals));
        launch.statistics = true;
        let format = Format::Float32x1;
        launch.outputs[0] = Some(Surface::new(GPU, 1056, 1040, Tiling::Linear, format));
        let outcome = engine.run(&launch, &mut memory, &NoProgress);
        (outcome, memory)
    };
    let (want, model) = run(&ctm::engine::reference::Reference::new());
    let (found, memory) = run(engine.as_ref());
    assert_eq!(found, want);
    assert_eq!(same::difference(&model, &memory), None);
    assert!(want.expect("it runs").groups > 1 << 14);
}

#[test]
#[ignore = "needs an adapter"]
fn budgets_above_the_limit_are_refused() {
    let most = u32::MAX as u64 - 4096;
    same("the most", "mov o0, 1", (3, 3), limit(most));
    let mut bench = same::bench("mov o0, 1", (3, 3), &limit(most + 1));
    let engine = interpreter();
    let before = bytes(&bench.memory);
    let error = bench.try_run(engine.as_ref()).expect_err("too many");
    assert_eq!(
        error.to_string(),
        "engine interpreter: an instruction budget of 4294963200; the most is 4294963199"
    );
    let after = bytes(&bench.memory);
    assert!(before == after);
}

// ---- pipelines

/// The texts of the shaders that were dispatched, in order.
#[derive(Default)]
struct Shaders(Mutex<Vec<String>>);

impl Watch for Shaders {
    fn dispatch(&self, _: &Gpu, _: &mut wgpu::CommandEncoder, dispatch: &Dispatch<'_>) -> After {
        self.0.lock().unwrap().push((dispatch.shader)().0);
        Box::new(|_| {})
    }
}

#[test]
#[ignore = "needs an adapter"]
fn small_launches_that_repeat_get_a_pipeline_of_their_own() {
    let shaders = Arc::new(Shaders::default());
    let gpu = Gpu::open(&AdapterChoice::from_environment()).expect("an adapter");
    let engine = Interpreter::on(gpu.watched(shaders.clone()));
    // Whether the pipeline that the last dispatch used has integer formats, which no launch here needs:
    // only the one that small launches share has.
    let shared = || shaders.0.lock().unwrap().last().unwrap().contains("INTEGERS: bool = true");
    let run = |source: &str| {
        let mut bench = same::bench(source, (128, 128), &|_| {});
        engine.run(&bench.launch, &mut bench.memory, &NoProgress).expect("it runs");
        bench.memory
    };
    run("mov o0, r0");
    assert!(!shared());
    run("rcp o0, r0.r");
    run("texkill r0.rgrg\nmov o0, r0");
    let source = format!("rep 2\n{}endrep\nmov o0, r0", "add r0, r0, 1\n".repeat(60));
    let first = run(&source);
    assert!(shared());
    // Each has 256 groups of about 120 micro-operations; 2^20 make a pipeline worth its time.
    for _ in 0..80 {
        let again = run(&source);
        assert_eq!(same::difference(&first, &again), None);
        if !shared() {
            return;
        }
    }
    panic!("81 launches share a pipeline with others");
}
