//! Engines that queue launches: their reports and memory equal those of an engine that does not
//! queue, and the PE waits only where it must.

use super::hostile::any_buffer;
use super::*;
use crate::engine::Checked;
use crate::engine::Session;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use std::sync::atomic::Ordering;
use std::sync::atomic::{AtomicU32, AtomicUsize};

/// Runs launches only when their outcomes or results are requested.
struct Queueing {
    engine: Fake,
    /// The number of times that there were launches to wait for.
    waits: AtomicU32,
    /// The number of queued launches.
    queued: AtomicUsize,
    /// The number of launches that succeed; later ones fail.
    good: usize,
}

struct Queue<'a> {
    engine: &'a Queueing,
    memory: &'a mut Memory,
    launches: Vec<(usize, Launch)>,
    outcomes: Vec<Result<Outcome, LaunchError>>,
    failed: Option<LaunchError>,
}

/// The bytes that [`writing`] writes, in the 16 KiB from output 0's base on.
fn written(launch: &Launch) -> Range<u64> {
    let base = launch.outputs[0].map_or(0, |surface| surface.base);
    span(base, 0x4000)
}

/// Writes four words at output 0, and reports findings.
fn writing() -> Fake {
    Fake::new(|n, launch, memory| {
        let base = launch.outputs[0].map_or(0, |surface| surface.base);
        for at in 0..4 {
            let _ = memory.write_u32(base.wrapping_add(0x30 + 4 * at), n as u32 + 1);
        }
        let mut outcome = outcome(launch);
        outcome.hazards = vec![format!("launch {n} reads {:?}", launch.constants.float[3])];
        Ok(outcome)
    })
}

impl Queueing {
    fn new(engine: Fake, good: usize) -> Queueing {
        Queueing { engine, waits: AtomicU32::new(0), queued: AtomicUsize::new(0), good }
    }
}

impl Engine for Queueing {
    fn name(&self) -> &'static str {
        "fake"
    }
    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        self.engine.run_checked(launch, memory, progress)
    }
    fn session<'a>(&'a self, memory: &'a mut Memory) -> Box<dyn Session<'a> + 'a> {
        Box::new(Queue {
            engine: self,
            memory,
            launches: Vec::new(),
            outcomes: Vec::new(),
            failed: None,
        })
    }
}

impl Queue<'_> {
    fn wait(&mut self) -> Result<(), LaunchError> {
        if !self.launches.is_empty() {
            self.engine.waits.fetch_add(1, Ordering::Relaxed);
        }
        for (n, launch) in self.launches.drain(..) {
            if self.failed.is_none() && n >= self.engine.good {
                let error =
                    LaunchError::Failed { engine: "fake", reason: format!("launch {n} failed") };
                self.outcomes.push(Err(error.clone()));
                self.failed = Some(error);
            }
            if self.failed.is_none() {
                let ran = self.engine.run(&launch, self.memory, &NoProgress);
                self.outcomes.push(ran);
            }
        }
        self.failed.clone().map_or(Ok(()), Err)
    }
}

impl<'a> Session<'a> for Queue<'a> {
    fn launch_checked(
        &mut self,
        launch: &Checked<'_>,
        _: &'a dyn Progress,
    ) -> Result<(), LaunchError> {
        let n = self.engine.queued.fetch_add(1, Ordering::Relaxed);
        self.launches.push((n, launch.launch().clone()));
        Ok(())
    }
    fn outcomes(&mut self) -> Vec<Result<Outcome, LaunchError>> {
        let _ = self.wait();
        std::mem::take(&mut self.outcomes)
    }
    fn is_current(&self, range: &Range<u64>) -> bool {
        self.launches.iter().all(|(_, launch)| {
            let written = written(launch);
            written.start >= range.end || range.start >= written.end
        })
    }
    fn view(&mut self, ranges: &[Range<u64>]) -> Result<&Memory, LaunchError> {
        if ranges.iter().any(|range| !self.is_current(range)) {
            self.wait()?;
        }
        Ok(self.memory)
    }
    fn memory(&mut self) -> Result<&mut Memory, LaunchError> {
        self.wait()?;
        Ok(self.memory)
    }
}

fn execute(
    engine: &dyn Engine,
    program: &Image,
    words: &[Vec<u32>],
) -> (Vec<SubmissionReport>, Memory) {
    let mut memory = memory(program);
    let mut pe = Pe::new();
    let run = |words: &Vec<u32>| pe.execute(words, &mut memory, &Context::new(engine));
    let reports = words.iter().map(run).collect();
    (reports, memory)
}

fn constants_at(address: u32) -> ConstantFormat {
    ConstantFormat { address, layout: None }
}

/// Sets everything that [`with_constants`] needs; its constants are far from the written memory.
fn set_up(b: &mut Builder) -> Result<&mut Builder, EncodeError> {
    b.append_set_inst_fmt(PROGRAM)?
        .append_set_out_fmt(0, surface(AREA + 0x4000))?
        .append_set_constf_fmt(constants_at(AREA))?
        .append_set_consti_fmt(constants_at(AREA))?
        .append_set_constb_fmt(constants_at(AREA))
}

fn same(engine: &Queueing, buffer: Vec<u32>) -> SubmissionReport {
    let plain = writing();
    let (mut reports, queued) = execute(engine, &with_constants(), std::slice::from_ref(&buffer));
    let (expected, memory) = execute(&plain, &with_constants(), &[buffer]);
    assert_eq!(reports, expected);
    assert!(queued.ranges().eq(memory.ranges()));
    reports.remove(0)
}

#[test]
fn launches_are_queued_until_the_end_of_the_submission() {
    let engine = Queueing::new(writing(), usize::MAX);
    let report = same(
        &engine,
        buffer(|b| {
            set_up(b)?
                .append_start_program()
                .append_start_program()
                .append_set_out_fmt(1, surface(AREA + 0x4000))?
                .append_start_program()
                .append_wait_for_idle();
            Ok(b)
        }),
    );
    assert_eq!((report.launches, report.error), (3, None));
    assert_eq!(engine.waits.load(Ordering::Relaxed), 1);
    // Hazards are in the order of the commands, whatever was known first.
    let hazards: Vec<String> = texts(&report.hazards);
    let busy = hazards.iter().map(|text| text.contains("not pipelined"));
    assert_eq!(busy.collect::<Vec<_>>(), [false, false, true, false]);
}

#[test]
fn what_a_launch_wrote_is_read_by_the_next_one() {
    let engine = Queueing::new(writing(), usize::MAX);
    let report = same(
        &engine,
        buffer(|b| {
            set_up(b)?
                .append_set_constf_fmt(constants_at(AREA + 0x4000))?
                .append_start_program()
                .append_start_program();
            Ok(b)
        }),
    );
    assert_eq!(report.launches, 2);
    assert_eq!(engine.waits.load(Ordering::Relaxed), 2);
    assert_eq!(engine.engine.last().constants.float[3], [1; 4]);
}

#[test]
fn performance_counters_wait_for_their_launches() {
    let engine = Queueing::new(writing(), usize::MAX);
    let report = same(
        &engine,
        buffer(|b| {
            set_up(b)?
                .append_start_program()
                .append_init_perf_counters(true)
                .append_start_perf_counters()
                .append_start_program()
                .append_start_program()
                .append_stop_perf_counters()
                .append_start_program()
                .append_read_perf_counters(AREA + 0x4000)
        }),
    );
    assert_eq!((report.launches, report.error), (4, None));
    assert_eq!(engine.waits.load(Ordering::Relaxed), 3);
}

#[test]
fn a_program_that_a_launch_wrote_is_what_is_started() {
    let engine = Queueing::new(
        Fake::new(|n, launch, memory| {
            if n == 0 {
                let image = elf::write(&with_constants());
                memory.write(AREA, &image).expect("it fits");
            }
            Ok(outcome(launch))
        }),
        usize::MAX,
    );
    let words = buffer(|b| {
        Ok(set_up(b)?
            .append_set_out_fmt(0, surface(AREA))?
            .append_start_program()
            .append_set_inst_fmt(AREA)?
            .append_start_program())
    });
    let (reports, _) = execute(&engine, &plain(), &[words]);
    assert_eq!(reports[0].error, None);
    let launches = engine.engine.launches();
    let lengths = launches.iter().map(|l| l.program.instructions().len());
    assert_eq!(lengths.collect::<Vec<_>>(), [1, 4]);
}

#[test]
fn a_launch_that_fails_late_is_reported_where_it_was_started() {
    let engine = Queueing::new(writing(), 1);
    let words = buffer(|b| {
        set_up(b)?
            .append_start_program()
            .append_start_program()
            .append_start_program()
            .append_set_cond_val(7);
        Ok(b)
    });
    let starts = words.iter().enumerate();
    let mut starts = starts.filter(|&(_, &word)| word == Opcode::StartProgram.word());
    let (second, _) = starts.nth(1).expect("three launches");
    let (reports, memory) = execute(&engine, &with_constants(), &[words]);
    let report = &reports[0];
    assert_eq!(report.launches, 1);
    assert_eq!(
        report.error.as_ref().expect("it failed").to_string(),
        format!("word {second} (0xc0000800): start_program: engine fake failed: launch 1 failed")
    );
    assert_eq!(memory.read_u32(AREA + 0x4030), Some(1));
}

#[test]
fn a_queueing_engine_makes_the_same_reports_of_random_buffers() {
    const CASES: u32 = 500;
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    println!("seed: 32 bytes 0x5e");
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[0x5e; 32]);
    let buffers = proptest::collection::vec(any_buffer(), 1..4);
    let (launches, waits) = (AtomicU32::new(0), AtomicU32::new(0));
    let result = TestRunner::new_with_rng(config, rng).run(&buffers, |mut buffers| {
        buffers.insert(0, buffer(set_up));
        let plain = writing();
        let engine = Queueing::new(writing(), usize::MAX);
        let (expected, memory) = execute(&plain, &with_constants(), &buffers);
        let (reports, queued) = execute(&engine, &with_constants(), &buffers);
        prop_assert_eq!(&reports, &expected);
        prop_assert!(queued.ranges().eq(memory.ranges()));
        prop_assert_eq!(plain.launches().len(), engine.engine.launches().len());
        launches.fetch_add(plain.launches().len() as u32, Ordering::Relaxed);
        waits.fetch_add(engine.waits.load(Ordering::Relaxed), Ordering::Relaxed);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    let (launches, waits) = (launches.into_inner(), waits.into_inner());
    println!("{CASES} cases: {launches} launches, {waits} waits");
    assert!(launches > 200 && waits < launches, "{launches} {waits}");
}
