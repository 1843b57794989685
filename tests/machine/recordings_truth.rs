//! Recordings tell the truth: what a submission found and when, what a cancelled one left, global
//! registers, long submissions.

use ctm::command::{Builder, Layout, SurfaceFormat};
use ctm::device::{Device, DeviceConfig, What};
use ctm::elf;
use ctm::engine::block::Block;
use ctm::engine::{Checked, Engine, LaunchError, Outcome, Progress, Stop};
use ctm::launch::{Domain, Limits};
use ctm::memory::{ArenaKind, ArenaSizes, Format, Memory, Tiling};
use ctm::record::{
    Event, Mismatch, Reader, Recording, Replay, ReplayError, ReplayOptions, Step, capture,
};
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Runs the command in a folder, with this much address space in KiB if any.
pub(super) fn ctm(folder: &Path, arguments: &str, memory: Option<u64>) -> Output {
    let limit = memory.map(|kib| format!("ulimit -v {kib}; ")).unwrap_or_default();
    let command = format!("{limit}exec timeout 300 {} {arguments}", env!("CARGO_BIN_EXE_ctm"));
    let mut shell = Command::new("sh");
    // Else each thread reserves 64 MiB of addresses of its own.
    shell.args(["-c", &command]).current_dir(folder).env("MALLOC_ARENA_MAX", "1");
    shell.output().expect("sh runs")
}

pub(super) fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Runs the command and expects a status; returns what it prints.
pub(super) fn says(folder: &Path, arguments: &str, status: i32) -> String {
    let output = ctm(folder, arguments, None);
    assert_eq!(output.status.code(), Some(status), "{arguments}: {}", out(&output));
    out(&output)
}

/// A device that is recorded in `client.rec`.
pub(super) fn open(folder: &Path, arenas: ArenaSizes) -> Device {
    let config = DeviceConfig { arenas, ..DeviceConfig::new(Arc::new(Block::new())) };
    open_with(folder, config)
}

pub(super) fn open_with(folder: &Path, config: DeviceConfig) -> Device {
    let recording = Recording::create(&folder.join("client.rec")).expect("a new file");
    let mut config = DeviceConfig { client_memory: config.arenas.sysc > 0, ..config };
    config.recorder = Some(Arc::new(recording.device(&config)));
    Device::open(config).expect("memory")
}

pub(super) fn load(device: &Device, address: u32, source: &str) {
    let image = ctm::asm::assemble(source, "test").unwrap_or_else(|error| panic!("{error}"));
    device.write_memory(address, &elf::write(&image)).expect("inside");
}

fn surface(address: u32, pitch: u16, height: u16) -> SurfaceFormat {
    let layout = Layout { pitch: pitch.into(), tiling: Tiling::Linear, format: Format::Float32x1 };
    SurfaceFormat { address, layout, height: height.into() }
}

/// Appends a launch of a program over 64 points a row.
pub(super) fn start(words: &mut Builder, program: u32, input: Option<u32>, output: u32, rows: u16) {
    words.append_set_inst_fmt(program).expect("aligned");
    if let Some(input) = input {
        words.append_set_inp_fmt(0, surface(input, 64, rows)).expect("slot 0");
    }
    words.append_set_out_fmt(0, surface(output, 64, rows)).expect("slot 0");
    let domain = Domain { i0: 0, j0: 0, i1: 63, j1: u32::from(rows) - 1 };
    words.append_set_domain(domain).expect("in range");
    words.append_start_program();
}

const SMALL: ArenaSizes = ArenaSizes { gpu: 1 << 16, gpub: 0, sys: 0, sysc: 1 << 16 };
/// Without memory that the client shares.
pub(super) const OWN: ArenaSizes = ArenaSizes { sysc: 0, ..SMALL };

/// The block engine. After launch n, from 0 on, it calls the script with n.
pub(super) struct Scripted<F> {
    launches: AtomicU64,
    script: F,
}

impl<F> Scripted<F>
where
    F: Fn(u64, &Checked<'_>, &mut Memory) -> Result<(), LaunchError> + Send + Sync,
{
    pub(super) fn new(script: F) -> Scripted<F> {
        Scripted { launches: AtomicU64::new(0), script }
    }
}

impl<F> Engine for Scripted<F>
where
    F: Fn(u64, &Checked<'_>, &mut Memory) -> Result<(), LaunchError> + Send + Sync,
{
    fn name(&self) -> &'static str {
        "block"
    }
    fn run_checked(
        &self,
        launch: &Checked<'_>,
        memory: &mut Memory,
        progress: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        let outcome = Block::new().run_checked(launch, memory, progress)?;
        let number = self.launches.fetch_add(1, Ordering::Relaxed);
        (self.script)(number, launch, memory).map(|()| outcome)
    }
}

/// An engine that writes a wrong bit to output 0 in one launch.
fn wrong_in(wrong: u64) -> impl Engine {
    Scripted::new(move |n, launch, memory| {
        if n == wrong {
            let at = launch.launch().outputs[0].expect("an output").base;
            let word = memory.read_u32(at).expect("inside");
            assert!(memory.write_u32(at, word ^ 1));
        }
        Ok(())
    })
}

/// An engine that refuses a launch.
fn refuses(refused: u64) -> impl Engine {
    Scripted::new(move |n, _, _| {
        if n == refused {
            Err(LaunchError::Unsupported { engine: "block", reason: "moody".to_string() })
        } else {
            Ok(())
        }
    })
}

/// Replays `client.rec`; the submissions up to the first error.
fn replayed(folder: &Path, engine: &dyn Engine, stop: Stop) -> Result<Vec<Step>, ReplayError> {
    let mut reader = Reader::open(&folder.join("client.rec")).expect("a recording");
    let options = ReplayOptions { stop, ..ReplayOptions::default() };
    let mut replay = Replay::new(engine, &options);
    let mut steps = Vec::new();
    while let Some(entry) = reader.next_entry().expect("not damaged") {
        steps.extend(replay.step(entry)?);
    }
    Ok(steps)
}

/// Records a submission for each number, with that many launches. Each writes another surface.
fn record_launches(folder: &Path, engine: impl Engine + 'static, submissions: &[u32]) {
    let limits = Limits { instructions: 5_000_000_000 };
    let config = DeviceConfig { arenas: OWN, limits, ..DeviceConfig::new(Arc::new(engine)) };
    let device = open_with(folder, config);
    let gpu = device.base(ArenaKind::Gpu);
    load(&device, gpu, "mov o0, 9\n");
    let mut outputs = (gpu + 0x4000..).step_by(0x800);
    for &launches in submissions {
        let mut words = Builder::new();
        for output in outputs.by_ref().take(launches as usize) {
            start(&mut words, gpu, None, output, 4);
        }
        let id = device.submit_words(words.into_words());
        assert!(device.wait(id).expect("a report").is_clean());
    }
}

/// Records D = A; A = 9; E = A and B. A and B are in one page, so that B is found with the 9 of A.
fn record_neighbours(folder: &Path) {
    let device = open(folder, SMALL);
    let (gpu, sys) = (device.base(ArenaKind::Gpu), device.base(ArenaKind::SysC));
    load(&device, gpu, "ld r1, i0[r0.rg]\nmov o0, r1\n");
    load(&device, gpu + 0x2000, "mov o0, 9\n");
    let client = device.client_memory().expect("shared");
    assert!(client.write(sys, &1f32.to_le_bytes().repeat(512)));
    let mut words = Builder::new();
    start(&mut words, gpu, Some(sys), sys + 0x2000, 4);
    start(&mut words, gpu + 0x2000, None, sys, 4);
    start(&mut words, gpu, Some(sys), sys + 0x4000, 8);
    let id = device.submit_words(words.into_words());
    assert!(device.wait(id).expect("a report").is_clean());
    let mut first = [0; 4];
    assert!(client.read(sys + 0x2000, &mut first));
    assert_eq!(f32::from_le_bytes(first), 1.0);
}

#[test]
fn a_replay_does_not_take_over_results() {
    let folder = tempfile::tempdir().expect("a folder");
    record_neighbours(folder.path());
    let mismatch = |launch| {
        let steps = replayed(folder.path(), &wrong_in(launch), Stop::new()).expect("not stopped");
        steps.into_iter().find_map(|step| step.mismatch)
    };
    // The last launch reads A, so that it goes wrong with the second one.
    for launch in 0..3 {
        assert!(matches!(mismatch(launch), Some(Mismatch::Bytes { .. })), "launch {launch}");
    }
    assert_eq!(mismatch(3), None);
}

#[test]
fn a_check_goes_on_after_a_difference() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = DeviceConfig { arenas: SMALL, ..DeviceConfig::new(Arc::new(wrong_in(0))) };
    let device = open_with(folder.path(), config);
    let (gpu, sys) = (device.base(ArenaKind::Gpu), device.base(ArenaKind::SysC));
    load(&device, gpu, "mov o0, 9\n");
    // Only the second one writes what a client reads, without a flush.
    for output in [gpu + 0x4000, sys] {
        let mut words = Builder::new();
        words.append_inv_inst_cache();
        start(&mut words, gpu, None, output, 4);
        let id = device.submit_words(words.into_words());
        assert!(device.wait(id).expect("a report").is_clean());
    }
    drop(device);
    let told = says(folder.path(), "check client.rec", 1);
    let difference = "ctm: client.rec: warning: not as recorded: submission 1 of device 0: ";
    assert!(told.contains(difference), "{told}");
    assert!(told.contains("submission 2 of device 0: "), "{told}");
}

#[test]
fn a_launch_is_captured_only_with_the_inputs_of_the_client() {
    let folder = tempfile::tempdir().expect("a folder");
    record_launches(folder.path(), Block::new(), &[1, 3, 1]);
    let file = folder.path().join("client.rec");
    let captured = |number, engine: &dyn Engine, stop| {
        let options = ReplayOptions { stop, ..ReplayOptions::default() };
        capture(&file, number, engine, &options).map_err(|error| error.to_string())
    };
    let refusal = "block: moody";
    // The launch itself may be wrong or refused, and those after it.
    for wrong in 2..5 {
        assert!(captured(2, &wrong_in(wrong), Stop::new()).expect("as recorded").is_ok());
    }
    assert!(captured(2, &refuses(3), Stop::new()).expect("not refused").is_ok());
    let error = captured(2, &refuses(2), Stop::new()).expect_err("refused");
    assert!(error.starts_with("launch 2: ") && error.ends_with(refusal), "{error}");
    // Nothing is left to count after the last one.
    let error = captured(4, &refuses(4), Stop::new()).expect_err("refused");
    assert!(error.starts_with("launch 4: ") && error.ends_with(refusal), "{error}");
    for (wrong, submission) in [(0, 1), (1, 2)] {
        let error = captured(2, &wrong_in(wrong), Stop::new()).expect_err("other inputs");
        let start = format!("submission {submission} of device 0: word ");
        assert!(error.starts_with(&start), "{error}");
        assert!(error.contains("output 0 has other bytes: launches after that"), "{error}");
    }
    let error = captured(2, &refuses(0), Stop::new()).expect_err("refused");
    assert!(error.starts_with("submission 1 of device 0: ") && error.contains(refusal), "{error}");
    // The time is up in the launch after it.
    let stop = Stop::new();
    let inside = stop.clone();
    let engine = Scripted::new(move |n, _, _| match n {
        3 => {
            inside.stop();
            Err(LaunchError::Stopped(inside.check().expect_err("stopped")))
        }
        _ => Ok(()),
    });
    assert!(captured(2, &engine, stop).expect("before the stop").is_ok());
    let found = captured(9, &Block::new(), Stop::new()).expect("as recorded");
    assert_eq!(found.expect_err("too few"), 5);
}

#[test]
fn a_stop_ends_the_comparison_of_a_submission() {
    let folder = tempfile::tempdir().expect("a folder");
    record_launches(folder.path(), Block::new(), &[3]);
    let stop = Stop::new();
    let inside = stop.clone();
    // The commands have ended, and the hashes follow.
    let engine = Scripted::new(move |n, _, _| {
        if n == 2 {
            inside.stop();
        }
        Ok(())
    });
    let found = replayed(folder.path(), &engine, stop).expect_err("stopped");
    assert!(matches!(found, ReplayError::Stopped { .. }), "{found}");
    assert!(found.to_string().starts_with("submission 1 of device 0: "), "{found}");
}

#[test]
fn the_error_of_an_engine_precedes_what_it_causes() {
    let folder = tempfile::tempdir().expect("a folder");
    record_launches(folder.path(), Block::new(), &[3]);
    let steps = replayed(folder.path(), &refuses(1), Stop::new()).expect("not stopped");
    let found = steps[0].mismatch.as_ref().expect("a difference");
    assert!(matches!(found, Mismatch::Engine { refused: true, .. }), "{found}");
    assert!(found.to_string().ends_with("block: moody"), "{found}");
}

#[test]
#[ignore = "needs an adapter"]
fn an_engine_that_refuses_a_launch_of_a_recording_is_no_difference() {
    let folder = tempfile::tempdir().expect("a folder");
    record_launches(folder.path(), Block::new(), &[3]);
    let told = says(folder.path(), "crosscheck client.rec --engine block,interpreter", 1);
    assert!(told.starts_with("REF  client.rec: interpreter: submission 1 of "), "{told}");
    assert!(told.contains("an instruction budget of 5000000000"), "{told}");
    assert!(told.contains(", 0 differ, 1 refused, 0 bad\n"), "{told}");
    let told = says(folder.path(), "replay client.rec --to-job 1 d --engine interpreter", 2);
    assert!(told.contains("an instruction budget of 5000000000"), "{told}");
}

#[test]
fn a_replay_sees_no_bytes_of_its_own_future() {
    let folder = tempfile::tempdir().expect("a folder");
    record_neighbours(folder.path());
    for engine in ["reference", "block"] {
        let told = says(folder.path(), &format!("replay client.rec --engine {engine}"), 0);
        assert_eq!(told, format!("1 submission, 3 launches on {engine}: the same\n"));
    }
    let told = says(folder.path(), "crosscheck client.rec --engine reference,block", 0);
    assert!(told.contains("1 submission, 3 launches on reference and block\n"), "{told}");
    let told = says(folder.path(), "replay client.rec --engine auto --json", 0);
    let told: serde_json::Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told["ran"]["block"], 3);
    // The job has the client's data, not that of a later launch.
    says(folder.path(), "replay client.rec --to-job 0 job", 0);
    says(folder.path(), "verify job/job.toml", 0);
    let bytes = std::fs::read(folder.path().join("job/input_0.npy")).expect("an array");
    // 64 x 4 elements at the end of the file.
    assert!(bytes.ends_with(&1f32.to_le_bytes().repeat(256)));
}

#[test]
fn a_cancelled_submission_replays_from_what_it_left() {
    for cancel in [true, false] {
        let folder = tempfile::tempdir().expect("a folder");
        let arenas = ArenaSizes { gpu: 1 << 22, gpub: 0, sys: 0, sysc: 0 };
        let device = open(folder.path(), arenas);
        let gpu = device.base(ArenaKind::Gpu);
        load(&device, gpu, "top:\n add r1, r1, 1\n jump -> top\n mov o0, r1\n");
        load(&device, gpu + 0x2000, "mov o0, 9\n");
        load(&device, gpu + 0x3000, "ld r1, i0[r0.rg]\nmov o0, r1\n");
        let mut words = Builder::new();
        start(&mut words, gpu + 0x2000, None, gpu + 0x1_0000, 8);
        start(&mut words, gpu, None, gpu + 0x10_0000, 2048);
        let id = device.submit_words(words.into_words());
        if cancel {
            device.cancel(id);
            let report = device.wait(id).expect("a report");
            assert!(report.stopped().is_some());
            let mut words = Builder::new();
            start(&mut words, gpu + 0x3000, Some(gpu + 0x1_0000), gpu + 0x2_0000, 8);
            let id = device.submit_words(words.into_words());
            assert!(device.wait(id).expect("a report").is_clean());
        } else {
            // Long enough for the first launch, as a rule; a replay must end however far it came.
            std::thread::sleep(std::time::Duration::from_millis(100));
        }
        drop(device);
        let path = folder.path();
        for command in ["replay client.rec", "crosscheck client.rec --engine reference,block"] {
            says(path, &format!("{command} --timeout 250"), 0);
        }
        says(path, "check client.rec --timeout 250 --allow missing-cache-command", 0);
        let told = says(path, "replay client.rec --to-job 99 x", 2);
        assert!(told.contains("there is no launch 99 in it: it has "), "{told}");
        assert!(!path.join("x").exists());
    }
}

#[test]
fn global_registers_are_compared() {
    let folder = tempfile::tempdir().expect("a folder");
    let device = open(folder.path(), OWN);
    let gpu = device.base(ArenaKind::Gpu);
    load(&device, gpu, ".sharing global=2 clause=1\nadd g0.r, g0.r, 1\nmov o0.r, 1\n");
    let mut words = Builder::new();
    words.append_set_shared(0x1000_0002, 1).expect("in range");
    start(&mut words, gpu, None, gpu + 0x4000, 8);
    let id = device.submit_words(words.into_words());
    assert!(device.wait(id).expect("a report").is_clean());
    drop(device);
    says(folder.path(), "replay client.rec", 0);
    let mut reader = Reader::open(&folder.path().join("client.rec")).expect("a recording");
    let engine = Block::new();
    let mut replay = Replay::new(&engine, &ReplayOptions::default());
    let mut found = Vec::new();
    while let Some(mut entry) = reader.next_entry().expect("not damaged") {
        if let Event::Submit(submission) = &mut entry.event {
            let changes = &mut submission.changes;
            let globals = changes.iter_mut().find(|change| change.what == What::Globals);
            globals.expect("a hash of the registers").hash ^= 1;
        }
        let step = replay.step(entry).expect("in place");
        found.extend(step.and_then(|step| step.mismatch).map(|mismatch| mismatch.to_string()));
    }
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with(": the file of global registers has other bytes"), "{found:?}");
}

#[test]
fn a_submission_of_many_launches_is_recorded_replayed_and_listed() {
    const LAUNCHES: u32 = 40_000;
    let folder = tempfile::tempdir().expect("a folder");
    let arenas = ArenaSizes { gpu: 1 << 27, gpub: 0, sys: 0, sysc: 0 };
    let device = open(folder.path(), arenas);
    let gpu = device.base(ArenaKind::Gpu);
    load(&device, gpu, "mov o0, r0.r\n");
    let mut words = Builder::new();
    words.append_set_inst_fmt(gpu).expect("aligned");
    words.append_set_domain(Domain { i0: 0, j0: 0, i1: 3, j1: 0 }).expect("in range");
    for n in 0..LAUNCHES {
        let output = surface(gpu + 0x1_0000 + 2048 * n, 64, 1);
        words.append_set_out_fmt(0, output).expect("slot 0");
        words.append_start_program();
    }
    let id = device.submit_words(words.into_words());
    assert_eq!(device.wait(id).expect("a report").launches, u64::from(LAUNCHES));
    drop(device);
    let told = says(folder.path(), "replay client.rec --engine block", 0);
    assert_eq!(told, "1 submission, 40000 launches on block: the same\n");
    let told = says(folder.path(), "info client.rec", 0);
    assert_eq!(told.matches("\n           output 0: ").count(), LAUNCHES as usize);
}
