//! Every fault and every refusal.

use super::*;
use ctm::engine::{FaultCode, Outcome};

fn fault(outcome: &Outcome, code: FaultCode) -> String {
    match outcome.faults.get(code) {
        Some(fault) => fault.text(code),
        None => format!("no {}: {:?}", code.name(), outcome.faults),
    }
}

#[test]
fn endless_programs_end_by_budget_and_their_group_writes_nothing() {
    let source = "
        mov o0, 1
        again:
        jump -> again
        end";
    on_every_engine(
        source,
        3,
        3,
        |bench| bench.launch.limits.instructions = 1000,
        |bench, outcome| {
            assert_eq!(
                fault(outcome, FaultCode::Budget),
                "budget: the group ran over its instruction budget: once at point (0, 0), pc 1"
            );
            assert!(bench.bits(0).iter().flatten().all(|v| *v == [0; 4]));
            // 1001 instructions ran: the budget is compared before the next one.
            let statistics = outcome.statistics.expect("asked for");
            assert_eq!((statistics.out, statistics.fc), (1, 1000));
        },
    );
}

#[test]
fn one_group_s_fault_leaves_the_others_alone() {
    let source = "
        mov o0, 1
        sub alu_result<0, r0.r, 8
        again:
        jump -> again if alu_result @any
        end";
    on_every_engine(
        source,
        16,
        3,
        |bench| bench.launch.limits.instructions = 1000,
        |bench, outcome| {
            for row in bench.floats(0) {
                for (i, value) in row.iter().enumerate() {
                    assert_eq!(value[0], if i < 8 { 0.0 } else { 1.0 });
                }
            }
            assert_eq!(outcome.faults.iter().count(), 1);
        },
    );
}

#[test]
fn stack_faults_name_their_instruction() {
    let cases = [
        (
            "again:\njump -> again @address(PUSH)\nend",
            FaultCode::AddressStackOverflow,
            "address_stack_overflow: a 33rd entry was pushed on the address stack: once at point (0, 0), pc 0",
        ),
        (
            "jump -> 0 @address(POP)\nend",
            FaultCode::AddressStackUnderflow,
            "address_stack_underflow: a return found the address stack empty: once at point (0, 0), pc 0",
        ),
        (
            ".literal n0 5 0 1\nagain:\nloop n0 -> again if never\njump -> again\nend",
            FaultCode::LoopStackOverflow,
            "loop_stack_overflow: a 33rd loop frame was pushed: once at point (0, 0), pc 0",
        ),
        (
            "endloop n0 -> 0\nend",
            FaultCode::LoopStackUnderflow,
            "loop_stack_underflow: a loop instruction ran outside every loop: once at point (0, 0), pc 0",
        ),
        (
            "sub alu_result<0, r0.r, 1\nagain:\njump -> again if alu_result @any @stay(INCR) @jump(INCR)\nend",
            FaultCode::BranchCounterOverflow,
            "branch_counter_overflow: a branch counter reached 32: once at point (0, 0), pc 1",
        ),
        (
            "jump -> 77\nend",
            FaultCode::MissingInstruction,
            "missing_instruction: the pc reached a slot without an instruction: once at point (0, 0), pc 77",
        ),
    ];
    for (source, code, text) in cases {
        on_every_engine(
            source,
            2,
            1,
            |bench| bench.launch.limits.instructions = 100_000,
            |_, outcome| assert_eq!(fault(outcome, code), text, "{source}"),
        );
    }
}

#[test]
fn accesses_outside_the_arenas_fault_with_their_address() {
    on_every_engine(
        "ld r1, i3[r0.rg]\nmov o0, r1",
        4,
        4,
        |bench| {
            fill(&mut bench.memory);
            let mut surface = bench.surface(4, 4, Format::Float32x4);
            surface.base = 0x4000;
            bench.launch.inputs[3] = Some(surface);
            let mut output = bench.launch.outputs[0].expect("used");
            // The last row and a half of the output lie behind the arena's end.
            output.base = GPU + (1 << 20) - 160;
            output.base &= !2047;
            output.pitch = 512;
            bench.launch.outputs[0] = Some(output);
        },
        |bench, outcome| {
            assert_eq!(
                fault(outcome, FaultCode::InputOutsideMemory),
                "input_outside_memory: a fetch read outside the arenas (it got 0): 16 times, first \
             at point (0, 0), pc 0 (input 3, address 0x00004000)"
            );
            assert_eq!(
                fault(outcome, FaultCode::OutputOutsideMemory),
                "output_outside_memory: an output write outside the arenas was dropped: 12 times, \
             first at point (0, 1), pc 1 (output 0, address 0x10101800)"
            );
            let first = bench.memory.read_u32(GPU + (1 << 20) - 2048 + 12);
            // A missing input reads as zero bytes, of a FLOAT32_4 in all channels.
            assert_eq!(first, Some(0));
        },
    );
}

#[test]
fn points_outside_their_output_fault() {
    on_every_engine(
        "mov o0, 1",
        4,
        4,
        |bench| {
            if let Some(output) = &mut bench.launch.outputs[0] {
                output.height = 3;
            }
        },
        |_, outcome| {
            assert_eq!(
                fault(outcome, FaultCode::OutputOutsideSurface),
                "output_outside_surface: the point lies outside the output's pitch and height; the \
             write was dropped: 4 times, first at point (0, 3), pc 0 (output 0)"
            );
        },
    );
}

#[test]
fn uncached_writes_with_bad_elements_or_alpha_fault() {
    let source = "
        .umrt
        mov r1.rgb, {1, 0, 0}
        mad r1.g, r0.r, 2, -1
        mov o0.rgb, r1.rgb | mov o0.a, r0.g";
    on_every_engine(
        source,
        4,
        2,
        |_| {},
        |_, outcome| {
            assert_eq!(
                fault(outcome, FaultCode::UncachedOutsideSurface),
                "uncached_outside_surface: an uncached write named an element outside output 0; it \
             was dropped: once at point (0, 0), pc 2 (word 0xbf800000)"
            );
            assert_eq!(
                fault(outcome, FaultCode::UncachedAlpha),
                "uncached_alpha: an uncached write had an alpha other than 0; it was dropped: 4 \
             times, first at point (0, 1), pc 2 (word 0x3f800000)"
            );
        },
    );
}

#[test]
fn launches_that_cannot_run_are_refused_with_the_reason() {
    type Prepare = Box<dyn Fn(&mut Bench)>;
    let mut cases: Vec<(&str, &str, Prepare)> = Vec::new();
    let mut case = |source, message, prepare: Prepare| {
        cases.push((source, message, prepare));
    };
    case(
        "ld r1, i7[r0.rg]\nmov o0, r1",
        "input 7 was never set, but the instruction at pc 0, test.dpp:1:1 fetches from it",
        Box::new(|_| {}),
    );
    case(
        "mov r1, r0\nmov o2, r1",
        "output 2 was never set, but the instruction at pc 1, test.dpp:2:1 writes it",
        Box::new(|bench| bench.launch.outputs[2] = None),
    );
    case(
        "mov o0, 1",
        "the conditional buffer was never set, but the condition test GREATER reads it",
        Box::new(|bench| bench.launch.condition.test = Test::Greater),
    );
    case(
        "mov o0, 1",
        "the conditional buffer has format FLOAT32_4; it must be FLOAT32_1 or UINT16_1",
        Box::new(|bench| {
            bench.launch.condition.buffer = Some(bench.surface(4, 4, Format::Float32x4));
        }),
    );
    case(
        "mov o0, 1",
        "the conditional buffer has format FLOAT32_2; it must be FLOAT32_1 or UINT16_1",
        Box::new(|bench| {
            bench.launch.condition.buffer = Some(bench.surface(4, 4, Format::Float32x2));
            bench.launch.condition.test = Test::Less;
            bench.launch.condition.write = false;
        }),
    );
    case(
        "ld r1, i0[r0.rg]\nmov o0, r1",
        "input 0: tiling LINEAR_INP_2X2 needs FLOAT32_1 or UINT16_1, not FLOAT32_4",
        Box::new(|bench| {
            let mut surface = bench.surface(4, 4, Format::Float32x4);
            surface.tiling = Tiling::LinearInp2x2;
            bench.launch.inputs[0] = Some(surface);
        }),
    );
    case(
        ".umrt\nmov o0.rgb, r0 | mov o0.a, 0",
        "output 0 of an uncached-write program must be FLOAT32_1, not UINT8_4",
        Box::new(|bench| {
            bench.launch.outputs[0] = Some(bench.surface(4, 4, Format::Uint8x4));
        }),
    );
    case(
        "mov o0, 1",
        "domain bound i1 is 4096; the largest is 4095",
        Box::new(|bench| bench.launch.domain.i1 = 4096),
    );
    case(
        "mov o0, 1",
        "initial data for temporary 128; the last one is 127",
        Box::new(|bench| {
            bench.initial(128, |_, _| [0.0; 4]);
        }),
    );
    case(
        "mov o0, 1",
        "initial data for temporary 3 has 16 points; the domain has 20",
        Box::new(|bench| {
            bench.initial(3, |_, _| [0.0; 4]);
            bench.launch.domain.i1 = 4;
        }),
    );
    for (source, message, prepare) in cases {
        let several =
            tiers().map(|tiers| [tiers.gpu.clone() as Arc<dyn Engine>, tiers.auto.clone()]);
        for engine in engines().into_iter().chain(several.into_iter().flatten()) {
            let mut bench = Bench::new(source, 4, 4);
            prepare(&mut bench);
            let error = bench.try_run(engine.as_ref()).expect_err(message);
            assert_eq!(error.to_string(), message);
        }
    }
}
