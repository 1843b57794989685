use super::*;
use crate::command::{Builder, EncodeError, Layout, Opcode};
use crate::device::testing::*;
use crate::engine::{LaunchError, Outcome, Statistics, Stop};
use crate::launch::Shared;
use crate::launch::{IntConstant, Location, Test};
use crate::memory::{Format, Tiling};
use ctm_isa::isa::Instruction;
use ctm_lang::elf;
use ctm_lang::program::Image;
use ctm_lang::program::Sharing;

mod hostile;
mod sessions;
mod start;

/// A PE, its memory and a fake engine.
struct Bench {
    pe: Pe,
    memory: Memory,
    engine: Fake,
    statistics: bool,
}

impl Bench {
    fn new(program: &Image) -> Bench {
        Bench::with(program, Fake::counting())
    }
    /// With output 0 set, which most programs here write.
    fn with(program: &Image, engine: Fake) -> Bench {
        let mut bench = Bench::at_power_on(program, engine);
        bench.run(|b| b.append_set_out_fmt(0, surface(OUTPUT)));
        bench
    }
    fn at_power_on(program: &Image, engine: Fake) -> Bench {
        Bench { pe: Pe::new(), memory: memory(program), engine, statistics: false }
    }
    fn words(&mut self, words: &[u32]) -> SubmissionReport {
        let context = Context { statistics: self.statistics, ..Context::new(&self.engine) };
        self.pe.execute(words, &mut self.memory, &context)
    }
    fn run(
        &mut self,
        build: impl FnOnce(&mut Builder) -> Result<&mut Builder, EncodeError>,
    ) -> SubmissionReport {
        self.words(&buffer(build))
    }
}

/// A report without launches and without findings.
fn quiet(words: usize) -> SubmissionReport {
    SubmissionReport { words, ..SubmissionReport::default() }
}

fn texts<T: ToString>(list: &[T]) -> Vec<String> {
    list.iter().map(T::to_string).collect()
}

// ---- state ----

#[test]
fn power_on() {
    let state = Pe::new().state().clone();
    assert_eq!(
        state,
        State {
            domain: Domain { i0: 0, j0: 0, i1: 0, j1: 0 },
            condition: Condition {
                test: Test::Always,
                location: Location::Dpp,
                value: 0,
                buffer: None,
                write: true,
            },
            out_mask: 0b1111,
            program: None,
            inputs: [None; 16],
            outputs: [None; 4],
            constants: [None; 3],
            params: None,
            shared: Shared::new(Sharing::default(), 1),
            counters: Counters { enabled: false, running: false, total: 0, active: 0 },
        }
    );
}

#[test]
fn commands_set_the_state_that_a_launch_gets() {
    let mut bench = Bench::new(&plain());
    let domain = Domain { i0: 1, j0: 2, i1: 3, j1: 4 };
    let input = surface(AREA);
    let report = bench.run(|b| {
        b.append_set_domain(domain)?
            .append_set_cond_test(Test::GreaterEqual)
            .append_set_cond_loc(Location::Pe)
            .append_set_cond_val(0x3f00_0000)
            .append_set_cond_out_fmt(surface(AREA + 0x800))?
            .append_set_cond_out_mask(false)
            .append_set_out_mask(5)?
            .append_set_inp_fmt(15, input)?
            .append_set_out_fmt(3, surface(OUTPUT + 0x800))
    });
    assert_eq!(report, quiet(5 + 2 + 2 + 2 + 4 + 2 + 2 + 5 + 5));
    // The state persists to the next submission.
    let report = bench.words(&run_once());
    assert_eq!((report.launches, report.groups, report.error), (1, 1, None));
    let launch = bench.engine.last();
    assert_eq!(launch.domain, domain);
    assert_eq!(launch.out_mask, 5);
    assert_eq!(
        launch.condition,
        Condition {
            test: Test::GreaterEqual,
            location: Location::Pe,
            value: 0x3f00_0000,
            buffer: Some(surface(AREA + 0x800).surface()),
            write: false,
        }
    );
    let mut inputs = [None; 16];
    inputs[15] = Some(input.surface());
    assert_eq!(launch.inputs, inputs);
    let [first, None, None, last] = launch.outputs else { panic!("{:?}", launch.outputs) };
    assert_eq!(first, Some(surface(OUTPUT).surface()));
    assert_eq!(last, Some(surface(OUTPUT + 0x800).surface()));
    assert_eq!(launch.program.image(), &plain());
    assert_eq!(launch.mode, FloatMode::Exact);
    assert_eq!(launch.limits, Limits::default());
    assert!(!launch.statistics && launch.initial.is_empty() && launch.interpolants.is_none());
}

#[test]
fn a_fresh_pe_launches_with_power_on_state() {
    // A program without outputs needs no state.
    let mut image = plain();
    let mut instruction = Instruction::decode(&image.words[0]);
    instruction.common.omask = 0;
    image.words[0] = instruction.encode();
    image.outputs = None;
    let mut bench = Bench::at_power_on(&image, Fake::counting());
    bench.run(|b| Ok(b.append_set_inst_fmt(PROGRAM)?.append_start_program()));
    let launch = bench.engine.last();
    assert_eq!(launch.domain.points(), 1);
    assert_eq!(launch.out_mask, 15);
    assert_eq!(launch.condition, Condition::default());
    assert_eq!((launch.inputs, launch.outputs), ([None; 16], [None; 4]));
    assert_eq!(*launch.constants, Default::default());
}

#[test]
fn cache_commands_change_nothing() {
    let mut bench = Bench::at_power_on(&plain(), Fake::counting());
    let report = bench.run(|b| {
        Ok(b.append_inv_inst_cache()
            .append_inv_constf_cache()
            .append_inv_consti_cache()
            .append_inv_constb_cache()
            .append_inv_cond_out_cache()
            .append_inv_inp_cache()
            .append_flush_out_cache()
            .append_flush_cond_out_cache()
            .append_wait_for_idle())
    });
    assert_eq!(report, quiet(18));
    assert_eq!(*bench.pe.state(), State::default());
}

// ---- order and errors ----

#[test]
fn what_comes_before_an_error_has_taken_effect_and_the_device_stays_usable() {
    let mut bench = Bench::new(&plain());
    let mut words = run_once();
    let at = words.len();
    words.extend([0xc000_1900, 1, 0xbad, 0xc000_1900, 2]);
    let report = bench.words(&words);
    let error = report.error.expect("0xbad");
    assert_eq!(
        error.to_string(),
        format!("word {} (0x00000bad): no command has this command word", at + 2)
    );
    assert_eq!((report.launches, report.words), (1, at + 2));
    assert_eq!(bench.pe.state().out_mask, 1);
    assert_eq!(bench.memory.read_u32(OUTPUT), Some(1));
    let report = bench.words(&run_once());
    assert!(report.is_clean());
    assert_eq!(bench.memory.read_u32(OUTPUT), Some(2));
}

#[test]
fn a_command_sees_what_the_one_before_did() {
    // Each launch has the mask and the domain that were set last.
    let mut bench = Bench::new(&plain());
    let one = |b: &mut Builder, n: u32| -> Result<(), EncodeError> {
        b.append_set_domain(Domain { i1: n, ..Domain::default() })?
            .append_set_out_mask(n as u8)?
            .append_start_program()
            .append_set_out_mask(0)?;
        Ok(())
    };
    let report = bench.run(|b| {
        b.append_set_inst_fmt(PROGRAM)?;
        (1..5).try_for_each(|n| one(b, n))?;
        Ok(b)
    });
    assert_eq!((report.launches, report.groups), (4, 4));
    assert!(report.hazards.is_empty(), "{:?}", report.hazards);
    let seen: Vec<_> = bench.engine.launches().iter().map(|l| (l.domain.i1, l.out_mask)).collect();
    assert_eq!(seen, [(1, 1), (2, 2), (3, 3), (4, 4)]);
}

#[test]
fn a_stopped_submission_ends_before_its_next_command() {
    let bench = Bench::new(&plain());
    let stop = Stop::new();
    stop.stop();
    let context = Context { progress: &stop, ..Context::new(&bench.engine) };
    let (mut pe, mut memory) = (bench.pe, bench.memory);
    let report = pe.execute(&run_once(), &mut memory, &context);
    assert_eq!(report.launches, 0);
    assert_eq!(
        report.error.expect("stopped").to_string(),
        "the submission was cancelled after 0 words"
    );
}

// ---- hazards and warnings ----

#[test]
fn a_command_that_is_not_pipelined_finds_the_array_busy_once() {
    let mut bench = Bench::new(&plain());
    let mut words = run_once();
    let (start, at) = (words.len() - 2, words.len());
    words.extend(buffer(|b| {
        // One pipelined command, then two that are not: the first of these waits for both.
        b.append_set_out_mask(3)?
            .append_set_inp_fmt(0, surface(AREA))?
            .append_set_inp_fmt(1, surface(AREA))
    }));
    let report = bench.words(&words);
    assert_eq!(
        texts(&report.hazards),
        [format!(
            "word {} (0xc0030b00): set_inp_fmt is not pipelined, but there is no wait_for_idle \
             after the start_program at word {start}: executed after an implied wait",
            at + 2
        )]
    );
    assert!(report.is_clean(), "a hazard is no error");
    assert_eq!(bench.pe.state().inputs[0], Some(surface(AREA).surface()));
}

#[test]
fn wait_for_idle_and_the_end_of_a_submission_leave_the_array_idle() {
    let mut bench = Bench::new(&plain());
    let report = bench.run(|b| {
        Ok(b.append_set_inst_fmt(PROGRAM)?
            .append_start_program()
            .append_start_program()
            .append_wait_for_idle()
            .append_set_inst_fmt(PROGRAM)?
            .append_start_program())
    });
    assert_eq!((report.launches, report.hazards), (3, vec![]));
    let report = bench.run(|b| b.append_set_inst_fmt(PROGRAM));
    assert_eq!(report.hazards, []);
}

#[test]
fn an_output_over_what_the_pe_reads_for_a_launch_is_a_hazard() {
    let engine = Fake::new(|_, launch, _| Ok(outcome(launch)));
    let mut bench = Bench::with(&with_constants(), engine);
    let vertices = [[0.0f32, 0.0], [16.0, 0.0], [0.0, 16.0]];
    for (n, [x, y]) in vertices.into_iter().enumerate() {
        let at = AREA + 128 * n as u32;
        for (word, value) in [x, y].into_iter().enumerate() {
            assert!(bench.memory.write_u32(at + 4 * word as u32, value.to_bits()));
        }
    }
    let area = |address| ConstantFormat { address, layout: None };
    // A FLOAT32_1 output of one row: 64 bytes.
    let mut run = |output: u32| {
        let report = bench.run(|b| {
            Ok(b.append_set_inst_fmt(PROGRAM)?
                .append_set_constf_fmt(area(AREA + 0x800))?
                .append_set_consti_fmt(area(AREA + 0x1000))?
                .append_set_constb_fmt(area(AREA + 0x1000))?
                .append_set_params(AREA)?
                .append_set_domain(Domain { i1: 15, ..Domain::default() })?
                .append_set_out_fmt(0, surface(output))?
                .append_start_program())
        });
        assert_eq!(report.error, None);
        texts(&report.hazards)
    };
    let text = |what: &str| {
        format!(
            "word 24 (0xc0000800): start_program: {what} is read and output 0 (pc 3) is written \
             in one launch, and they share memory: every read sees the memory from before the launch"
        )
    };
    assert_eq!(run(PROGRAM), [text("the program")]);
    assert_eq!(run(AREA), [text("the block of set_params")]);
    // Constants 3 and 5 are at bytes 48 to 63 and 80 to 95, the others are not used.
    assert_eq!(run(AREA + 0x800), [text("a float constant")]);
    assert_eq!(run(AREA + 0x1000), [text("an integer constant"), text("a boolean constant")]);
    assert_eq!(run(AREA + 0x1800), Vec::<String>::new());
}

#[test]
fn a_conditional_format_that_cannot_be_compared_is_an_error_where_it_is_used() {
    let memory_of = || {
        let mut memory = memory(&plain());
        memory.write(AREA, &[7; 64]).expect("it fits");
        memory
    };
    let mut bad = surface(AREA);
    bad.layout.format = Format::Float32x2;
    let run = |test: Test, write: bool| {
        let mut memory = memory_of();
        let words = buffer(|b| {
            Ok(b.append_set_out_fmt(0, surface(OUTPUT))?
                .append_set_inst_fmt(PROGRAM)?
                .append_set_cond_out_fmt(bad)?
                .append_set_cond_out_mask(write)
                .append_set_cond_test(test)
                .append_start_program())
        });
        let engine = crate::engine::reference::Reference::new();
        let report = Pe::new().execute(&words, &mut memory, &Context::new(&engine));
        assert_eq!(memory.slice(AREA, 64), Some(&[7; 64][..]));
        (report.launches, report.error.map(|e| e.to_string()))
    };
    for test in Test::ALL {
        for write in [false, true] {
            let used = test.reads_buffer() || (write && test == Test::Always);
            let error = used.then(|| {
                "word 16 (0xc0000800): start_program: the conditional buffer has format \
                 FLOAT32_2; it must be FLOAT32_1 or UINT16_1"
                    .to_string()
            });
            assert_eq!(run(test, write), (u64::from(!used), error), "{test:?}");
        }
    }
}

#[test]
fn warnings_of_words_and_surfaces() {
    let mut bench = Bench::new(&plain());
    let mut bad = surface(AREA);
    bad.layout.pitch = 12;
    let mut empty = surface(AREA);
    empty.layout.pitch = 0;
    let mut words = vec![0xc000_1900, 0x13];
    words.extend(buffer(|b| {
        b.append_set_inp_fmt(2, bad)?
            .append_set_cond_out_fmt(empty)?
            .append_set_out_fmt(0, SurfaceFormat { height: 0, ..bad })
    }));
    let report = bench.words(&words);
    assert_eq!(
        texts(&report.warnings),
        [
            "word 1 (0x00000013): set_out_mask mask: reserved bits 0x00000010 are ignored",
            "word 2 (0xc0030b00): set_inp_fmt: pitch 12 is not a multiple of 8, which LINEAR \
             FLOAT32_1 needs: rows overlap",
            "word 7 (0xc0020d00): set_cond_out_fmt: surface pitch is 0, expected 1 to 8191",
            "word 11 (0xc0030c00): set_out_fmt: surface height is 0, expected 1 to 8191",
        ]
    );
    assert_eq!(report.error, None);
    assert_eq!(bench.pe.state().inputs[2], Some(bad.surface()));
}

#[test]
fn the_engines_faults_and_hazards_are_reported_with_their_command() {
    let fault = |i| Fault { count: 2, i, j: 0, order: 1, pc: 4, slot: 0, word: 0 };
    let engine = Fake::new(move |n, launch, _| {
        let mut result = outcome(launch);
        let code = if n == 1 { None } else { Some(FaultCode::Budget) };
        if let Some(code) = code {
            result.faults.add(code, fault(7 - n as u32));
        }
        result.hazards.push(format!("hazard {n}"));
        Ok(result)
    });
    let mut bench = Bench::with(&plain(), engine);
    let report = bench.run(|b| {
        Ok(b.append_set_inst_fmt(PROGRAM)?
            .append_start_program()
            .append_start_program()
            .append_start_program())
    });
    assert_eq!((report.launches, &report.error), (3, &None));
    assert!(!report.is_clean());
    let all = report.faults.get(FaultCode::Budget).expect("two launches");
    assert_eq!((all.count, all.i), (4, 5));
    let places: Vec<_> = report
        .command_faults
        .iter()
        .map(|f| {
            let first = f.faults.get(FaultCode::Budget).expect("a fault");
            (f.offset, f.command, first.i)
        })
        .collect();
    let start = Opcode::StartProgram;
    assert_eq!(places, [(3, start, 7), (7, start, 5)]);
    assert_eq!(
        texts(&report.hazards),
        [
            "word 3 (0xc0000800): start_program: hazard 0",
            "word 5 (0xc0000800): start_program: hazard 1",
            "word 7 (0xc0000800): start_program: hazard 2",
        ]
    );
}

// ---- statistics and counters ----

#[test]
fn statistics_are_the_sum_over_launches_when_asked_for() {
    let mut bench = Bench::new(&plain());
    let mut words = run_once();
    words.extend([0xc000_0800, 0]);
    assert_eq!(bench.words(&words).statistics, None);
    bench.statistics = true;
    let sum = bench.words(&words).statistics.expect("asked for");
    assert_eq!((sum.groups, sum.alu, sum.tex_fetching), (2, 6, 4));
    // Statistics were requested and nothing ran, so all are zero.
    assert_eq!(bench.words(&[]).statistics, Some(Statistics::default()));
}

#[test]
fn counters_follow_the_model_and_are_written_to_memory() {
    let mut bench = Bench::new(&plain());
    bench.words(&run_once());
    assert!(!bench.engine.last().statistics);
    let report = bench.run(|b| {
        b.append_init_perf_counters(true)
            .append_start_perf_counters()
            .append_start_program()
            .append_start_program()
            .append_wait_for_idle()
            .append_stop_perf_counters()
            // Neither of these is counted.
            .append_start_program()
            .append_wait_for_idle()
            .append_read_perf_counters(AREA)
    });
    assert_eq!((report.error, report.launches), (None, 3));
    let asked: Vec<bool> = bench.engine.launches().iter().map(|l| l.statistics).collect();
    assert_eq!(asked, [false, true, true, false]);
    // Two launches of 208 clocks; two start_program, wait and stop are eight words.
    assert_eq!(bench.memory.read_u32(AREA), Some(2 * 208 + 8));
    assert_eq!(bench.memory.read_u32(AREA + 4), Some(2 * 208));
    assert_eq!(bench.memory.read_u32(AREA + 8), Some(0));
    // The counters survive the submission; start zeroes them. The read counts its own two words.
    let report = bench.run(|b| b.append_start_perf_counters().append_read_perf_counters(AREA));
    assert_eq!(report.error, None);
    assert_eq!(bench.memory.read_u32(AREA), Some(2));
    assert_eq!(bench.memory.read_u32(AREA + 4), Some(0));
}

#[test]
fn disabled_counters_are_neither_kept_nor_written() {
    let mut bench = Bench::new(&plain());
    assert!(bench.memory.write_u32(AREA, 0x1234));
    let report = bench.run(|b| {
        b.append_set_inst_fmt(PROGRAM)?
            .append_start_perf_counters()
            .append_start_program()
            .append_stop_perf_counters()
            .append_wait_for_idle()
            .append_read_perf_counters(AREA)?
            .append_read_perf_counters(NOWHERE)
    });
    assert!(report.is_clean());
    assert!(!bench.engine.last().statistics);
    assert_eq!(bench.memory.read_u32(AREA), Some(0x1234));
}

#[test]
fn counters_outside_memory_are_a_fault() {
    let mut bench = Bench::new(&plain());
    let report = bench.run(|b| {
        b.append_init_perf_counters(true).append_read_perf_counters(NOWHERE)?.append_set_out_mask(1)
    });
    assert_eq!(report.error, None);
    let of_command = &report.command_faults[0];
    assert_eq!((of_command.offset, of_command.command), (2, Opcode::ReadPerfCounters));
    let fault = report.faults.get(FaultCode::CounterOutsideMemory).expect("nowhere");
    assert_eq!(
        fault.text(FaultCode::CounterOutsideMemory),
        "counter_outside_memory: the counters were to be written outside the arenas; they were \
         not: once at point (0, 0), pc 0 (address 0x40000000)"
    );
    let lines: Vec<String> = of_command.lines().collect();
    assert_eq!(
        lines,
        ["word 2 (0xc0010500): read_perf_counters: counter_outside_memory: the counters were to \
             be written outside the arenas; they were not: once at point (0, 0), pc 0 (address \
             0x40000000)"]
    );
    assert_eq!(bench.pe.state().out_mask, 1);
}

#[test]
fn reading_the_counters_while_the_array_is_busy_is_a_hazard() {
    let mut bench = Bench::new(&plain());
    let report = bench.run(|b| {
        b.append_set_inst_fmt(PROGRAM)?.append_start_program().append_read_perf_counters(AREA)
    });
    assert_eq!(
        texts(&report.hazards),
        ["word 5 (0xc0010500): read_perf_counters is not pipelined, but there is no \
             wait_for_idle after the start_program at word 3: executed after an implied wait"]
    );
}

#[test]
fn an_engine_without_statistics_cannot_feed_the_counters() {
    let engine = Fake::new(|_, _, _| Ok(Outcome::default()));
    let mut bench = Bench::with(&plain(), engine);
    let report = bench.run(|b| {
        Ok(b.append_set_inst_fmt(PROGRAM)?
            .append_init_perf_counters(true)
            .append_start_perf_counters()
            .append_start_program())
    });
    assert_eq!(
        report.error.expect("no statistics").to_string(),
        "word 7 (0xc0000800): start_program: engine fake kept no statistics, which the \
         performance counters need"
    );
    assert_eq!((report.launches, report.statistics), (1, None));
}
