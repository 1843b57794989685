//! Stopping: launches, sessions, batches and submissions that are stopped, on every engine.

use crate::common::{Bench, engines, fill, program, tiers};
use ctm::command::{Builder, Layout, SurfaceFormat};
use ctm::device::{Device, DeviceConfig, SubmitId};
use ctm::elf;
use ctm::engine::block::Block;
use ctm::engine::{BatchItem, Engine, LaunchError, NoProgress, Progress, Stop, Stopped};
use ctm::launch::{Domain, Limits};
use ctm::memory::{ArenaKind, ArenaSizes, Format, Memory, Tiling};
use std::sync::Arc;
use std::time::Duration;

crate::gpu_takes_part!();

/// Groups from column 16 on do not end; the others write.
const HALF: &str = "sub alu_result>=0, r0.r, 16
again:
jump -> again if alu_result @any
mov o0, 1
end";

/// All engines, those that consist of several too.
fn all() -> Vec<Arc<dyn Engine>> {
    let mut all = engines();
    if let Some(tiers) = tiers() {
        all.extend([tiers.gpu.clone() as Arc<dyn Engine>, tiers.auto.clone()]);
    }
    all
}

/// 4 x 2 groups, half of them without an end.
fn half() -> Bench {
    let mut bench = Bench::new(HALF, 32, 16);
    // More than any engine executes while this test runs, and what a GPU can count.
    bench.launch.limits = Limits { instructions: 1 << 31 };
    fill(&mut bench.memory);
    bench
}

fn bytes(memory: &Memory) -> Vec<u8> {
    memory.ranges().map(|(_, bytes)| bytes).collect::<Vec<_>>().concat()
}

#[test]
fn of_a_stopped_launch_each_group_has_written_all_or_nothing() {
    for engine in all() {
        println!("engine {}", engine.name());
        let mut bench = half();
        let before = bench.bits(0);
        let stop = Stop::new();
        let result = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                stop.stop();
            });
            engine.run(&bench.launch, &mut bench.memory, &stop)
        });
        assert_eq!(result, Err(LaunchError::Stopped(Stopped::Cancelled)));
        let after = bench.bits(0);
        for (j, i) in (0..2).flat_map(|j| (0..4).map(move |i| (j, i))) {
            let points = || (0..64).map(|n| (8 * j + n / 8, 8 * i + n % 8));
            let nothing = points().all(|(y, x)| after[y][x] == before[y][x]);
            let all = points().all(|(y, x)| after[y][x] == [1f32.to_bits(); 4]);
            assert!(nothing || all && i < 2, "group {i}, {j}");
        }
        // The engine goes on.
        let mut bench = Bench::new("mov o0, 1", 16, 16);
        bench.run(engine.as_ref());
        assert_eq!(bench.bits(0), [[[1f32.to_bits(); 4]; 16]; 16]);
    }
}

#[test]
fn a_launch_ends_at_its_time_limit() {
    for engine in all() {
        println!("engine {}", engine.name());
        let mut bench = half();
        let stop = Stop::new().with_limit(Duration::from_millis(125));
        let result = engine.run(&bench.launch, &mut bench.memory, &stop);
        let error = result.expect_err("it does not end");
        assert_eq!(
            error.to_string(),
            "the launch was stopped by the time limit of 0.125 s; its results are incomplete"
        );
    }
}

#[test]
fn what_is_stopped_before_it_begins_writes_nothing() {
    let stop = Stop::new();
    stop.stop();
    let stopped = || Err(LaunchError::Stopped(Stopped::Cancelled));
    for engine in all() {
        println!("engine {}", engine.name());
        let mut benches: Vec<Bench> =
            [3, 16, 700].map(|side| Bench::new("mov o0, 1", side, 16)).into();
        for bench in &mut benches {
            fill(&mut bench.memory);
        }
        let before: Vec<_> = benches.iter().map(|bench| bytes(&bench.memory)).collect();
        for bench in &mut benches {
            let result = engine.run(&bench.launch, &mut bench.memory, &stop);
            assert_eq!(result, stopped());
        }
        let mut items: Vec<BatchItem> = benches
            .iter_mut()
            .map(|bench| BatchItem { launch: &bench.launch, memory: &mut bench.memory })
            .collect();
        let results = engine.run_batch(&mut items, &stop);
        assert!(results.iter().all(|result| *result == stopped()));
        assert_eq!(results.len(), benches.len());
        for (bench, before) in benches.iter().zip(before) {
            assert!(bytes(&bench.memory) == before);
        }
    }
}

#[test]
fn what_a_session_did_before_it_was_stopped_stays() {
    for engine in all() {
        println!("engine {}", engine.name());
        let mut bench = half();
        let good = program("mov o0, 1");
        let endless = std::mem::replace(&mut bench.launch.program, good);
        let limit = Stop::new().with_limit(Duration::from_millis(100));
        let mut session = engine.session(&mut bench.memory);
        session.launch(&bench.launch, &NoProgress).expect("it can run");
        bench.launch.program = endless;
        let result = session.launch(&bench.launch, &limit as &dyn Progress);
        assert!(matches!(result, Err(LaunchError::Stopped(Stopped::Timeout(_)))));
        let outcomes = session.outcomes();
        assert!(matches!(&outcomes[..], [Ok(outcome)] if outcome.groups == 8));
        session.memory().expect("the first launch ran");
        drop(session);
        assert_eq!(bench.bits(0), [[[1f32.to_bits(); 4]; 32]; 16]);
    }
}

// ---- submissions ----

/// A device with two programs: one that does not end, and one that writes 1.
struct Two {
    device: Device,
    gpu: u32,
}

const OUTPUT: u32 = 0x2000;

impl Two {
    fn open() -> Two {
        let device = Device::open(DeviceConfig {
            arenas: ArenaSizes { gpu: 1 << 20, ..ArenaSizes::default() },
            limits: Limits { instructions: u64::MAX },
            ..DeviceConfig::new(Arc::new(Block::new()))
        })
        .expect("memory and a thread");
        let gpu = device.base(ArenaKind::Gpu);
        for (at, source) in [(0, "again:\njump -> again\nend"), (0x1000, "mov o0, 1")] {
            let image = ctm::asm::assemble(source, "test").expect("good source");
            let written = device.write_memory(gpu + at, &elf::write(&image));
            written.expect("it fits");
        }
        Two { device, gpu }
    }

    /// Submits a launch of a program over a domain of so many columns and rows.
    fn submit(&self, program: u32, side: u32) -> SubmitId {
        let mut builder = Builder::default();
        let output = SurfaceFormat {
            address: self.gpu + OUTPUT,
            layout: Layout { pitch: 8, tiling: Tiling::Linear, format: Format::Float32x4 },
            height: 8,
        };
        let domain = Domain { i0: 0, j0: 0, i1: side - 1, j1: side - 1 };
        builder
            .append_set_inst_fmt(self.gpu + program)
            .and_then(|b| b.append_set_out_fmt(0, output))
            .and_then(|b| b.append_set_domain(domain))
            .expect("good fields")
            .append_start_program();
        self.device.submit_words(builder.words().to_vec())
    }

    fn error(&self, id: SubmitId) -> String {
        let report = self.device.wait(id).expect("kept");
        report.error.as_ref().map_or(String::new(), ToString::to_string)
    }
}

#[test]
fn a_submission_is_cancelled_whether_it_runs_or_waits() {
    let two = Two::open();
    let endless = two.submit(0, 4096);
    let waiting = two.submit(0x1000, 8);
    let last = two.submit(0x1000, 8);
    assert_eq!(two.device.cancel(waiting), Some(true));
    assert_eq!(two.device.cancel(endless), Some(true));
    let start = "word 13 (0xc0000800): start_program: the launch was cancelled; its results are \
                 incomplete";
    let early = "the submission was cancelled after 0 words";
    // Whichever the worker had come to.
    let found = two.error(endless);
    assert!([start, early].contains(&found.as_str()), "{found}");
    assert_eq!(two.error(waiting), early);
    assert_eq!(two.error(last), "");
    assert_eq!(two.device.cancel(last), Some(false));
    assert_eq!(two.device.cancel(SubmitId::new(4).expect("not 0")), None);
    let mut word = [0; 4];
    let at = two.gpu + OUTPUT;
    two.device.read_memory(at, &mut word).expect("inside");
    assert_eq!(word, 1f32.to_le_bytes());
}

#[test]
fn closing_a_device_stops_a_launch_that_does_not_end() {
    let two = Two::open();
    let endless = two.submit(0, 4096);
    let waiting = two.submit(0x1000, 8);
    std::thread::sleep(Duration::from_millis(50));
    two.device.close();
    assert!(two.error(endless).contains(" was cancelled"), "{}", two.error(endless));
    let refused = two.device.wait(waiting).expect_err("dropped");
    assert_eq!(refused.to_string(), "submission 2: the device was closed before it was executed");
    drop(two);
}
