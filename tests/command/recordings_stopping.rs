//! Recordings of launches that take hours: `--timeout`, `--limit` and signals end every command.

use crate::batch_common::{self, files, long};
use crate::cli::{Ran, ctm, start};
use ctm::asm::assemble;
use ctm::command::{Builder, Layout, SurfaceFormat};
use ctm::device::{Device, DeviceConfig};
use ctm::elf;
use ctm::engine::{Checked, Engine, LaunchError, Outcome, Progress};
use ctm::launch::{Domain, Limits};
use ctm::memory::{ArenaSizes, Format, Memory, Tiling};
use ctm::record::Recording;
use std::path::Path;
use std::sync::Arc;

/// An engine that runs nothing, so that a launch of hours is recorded at once.
struct Idle;

impl Engine for Idle {
    fn name(&self) -> &'static str {
        "block"
    }
    fn run_checked(
        &self,
        _: &Checked<'_>,
        _: &mut Memory,
        _: &dyn Progress,
    ) -> Result<Outcome, LaunchError> {
        Ok(Outcome::default())
    }
}

const GPU: u32 = 0x0001_0000;

/// Records one launch without an end in `endless.rec`.
fn record(folder: &Path) {
    let recording = Recording::create(&folder.join("endless.rec")).expect("a new file");
    let mut config = DeviceConfig {
        arenas: ArenaSizes { gpu: 1 << 20, gpub: 0, sys: 0, sysc: 0 },
        limits: Limits { instructions: 1 << 40 },
        ..DeviceConfig::new(Arc::new(Idle))
    };
    config.recorder = Some(Arc::new(recording.device(&config)));
    let device = Device::open(config).expect("1 MiB");
    let gpu = device.base(ctm::memory::ArenaKind::Gpu);
    let image = assemble(batch_common::ENDLESS, "endless.dpp").expect("it assembles");
    device.write_memory(gpu, &elf::write(&image)).expect("inside");
    let mut words = Builder::new();
    let layout = Layout { pitch: 64, tiling: Tiling::Linear, format: Format::Float32x1 };
    let output = SurfaceFormat { address: gpu + GPU, layout, height: 64 };
    words.append_set_out_fmt(0, output).expect("slot 0");
    words.append_set_domain(Domain { i0: 0, j0: 0, i1: 63, j1: 63 }).expect("in range");
    words.append_set_inst_fmt(gpu).expect("aligned");
    words.append_start_program();
    let id = device.submit_words(words.into_words());
    assert_eq!(device.wait(id).expect("a report").error, None);
}

/// The commands that execute a recording, and a job of the same kind.
const COMMANDS: [&[&str]; 10] = [
    &["replay", "endless.rec"],
    &["replay", "endless.rec", "--to-job", "0", "job"],
    &["replay", "endless.rec", "--to-jobs", "jobs"],
    &["profile", "endless.rec"],
    &["check", "endless.rec"],
    &["crosscheck", "endless.rec", "--engine", "block,reference"],
    &["crosscheck", "long.toml", "--engine", "block,reference"],
    &["check", "long.toml"],
    &["compare", "long.toml", "long.toml"],
    &["debug", "endless.rec", "--launch", "0", "--batch"],
];

#[test]
fn a_replay_ends_at_its_time_limit() {
    let dir = long(0);
    record(dir.path());
    let before = files(dir.path());
    for command in COMMANDS {
        let Ran { status, out, err } = ctm(dir.path(), &[command, &["--timeout", "0.2"]].concat());
        let text = out + &err;
        assert!(text.contains("stopped by the time limit of 0.2 s"), "{command:?}: {text}");
        let is_done = matches!(command[0], "replay" | "profile");
        assert_eq!(status, if is_done { 1 } else { 2 }, "{command:?}: {text}");
        assert_eq!(files(dir.path()), before);
    }
}

#[test]
fn a_script_ends_at_its_time_limit() {
    let dir = long(0);
    std::fs::write(dir.path().join("script"), "help\ncontinue\nwhere\n").expect("written");
    let args = ["debug", "long.toml", "--batch", "-x", "script", "--timeout", "5"];
    let ran = ctm(dir.path(), &args);
    assert_eq!(ran.status, 2, "{}", ran.err);
    assert_eq!(ran.err, "ctm: script:2: stopped by the time limit of 5 s\n");
}

#[test]
fn a_limit_replaces_the_recorded_one() {
    let dir = long(0);
    record(dir.path());
    for command in [COMMANDS[0], COMMANDS[5]] {
        let ran = ctm(dir.path(), &[command, &["--limit", "1000"]].concat());
        assert_eq!(ran.status, 1, "{}", ran.err);
        assert!(ran.out.contains("the group ran over its instruction budget"), "{}", ran.out);
    }
}

#[test]
fn check_reports_the_faults_of_a_recording() {
    let dir = long(0);
    record(dir.path());
    let ran = ctm(dir.path(), &["check", "endless.rec", "--limit", "1000"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    assert!(ran.out.starts_with("[fault] Error: the group ran over its"), "{}", ran.out);
    assert!(ran.out.contains("submission 1 of device 0"), "{}", ran.out);
    let allowed = ["check", "endless.rec", "--limit", "1000", "--allow", "fault"];
    assert_eq!(ctm(dir.path(), &allowed).out, "1 file checked: no findings\n");
}

/// A client with a good submission, a word that is no command, and a launch without a program; another
/// device with a bad one between them.
#[test]
fn check_reports_the_errors_of_a_recording() {
    let dir = tempfile::tempdir().expect("a folder");
    let recording = Recording::create(&dir.path().join("bad.rec")).expect("a new file");
    let open = || {
        let arenas = ArenaSizes { gpu: 1 << 20, gpub: 0, sys: 0, sysc: 0 };
        let mut config = DeviceConfig { arenas, ..DeviceConfig::new(Arc::new(Idle)) };
        config.recorder = Some(Arc::new(recording.device(&config)));
        Device::open(config).expect("1 MiB")
    };
    let submit = |device: &Device, words: Vec<u32>| {
        let id = device.submit_words(words);
        device.wait(id).expect("a report").error.clone()
    };
    let [one, other] = [open(), open()];
    assert_eq!(submit(&one, Vec::new()), None);
    let mut start = Builder::new();
    start.append_start_program();
    let start = start.into_words();
    for (device, words) in [(&one, vec![0xdead_beef]), (&other, start.clone()), (&one, start)] {
        assert_ne!(submit(device, words), None);
    }
    drop((one, other, recording));
    let ran = ctm(dir.path(), &["check", "bad.rec"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    let lines: Vec<&str> = ran.out.lines().filter(|line| line.contains("Error: ")).collect();
    let starts = [
        "submission 2 of device 0: word 0 (0xdeadbeef): ",
        "submission 1 of device 1: ",
        "submission 3 of device 0: ",
    ];
    assert_eq!(lines.len(), starts.len(), "{}", ran.out);
    for start in starts {
        let line = format!("[submission-error] Error: {start}");
        assert!(lines.iter().any(|found| found.starts_with(&line)), "{start}: {}", ran.out);
    }
    // The listing has the same numbers.
    let info = ctm(dir.path(), &["info", "bad.rec"]).out;
    for line in ["device 0: submission 3: ", "device 1: submission 1: "] {
        assert!(info.lines().any(|found| found.starts_with(line)), "{info}");
    }
    assert!(!info.contains("submission 0"), "{info}");
    let allowed = ctm(dir.path(), &["check", "bad.rec", "--allow", "submission-error"]);
    assert_eq!((allowed.status, &*allowed.out), (0, "1 file checked: no findings\n"));
}

#[cfg(target_os = "linux")]
#[test]
fn the_first_signal_ends_a_replay() {
    use std::os::unix::process::ExitStatusExt;
    let dir = long(0);
    record(dir.path());
    let before = files(dir.path());
    for command in COMMANDS {
        let child = start(dir.path(), command);
        batch_common::signal(&child, "TERM", 15);
        let output = child.wait_with_output().expect("it ends");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.signal(), Some(15), "{command:?}: {told}");
        assert_eq!(files(dir.path()), before);
    }
}

/// Files after the one that a signal stopped are not even read.
#[cfg(target_os = "linux")]
#[test]
fn the_first_signal_ends_a_crosscheck_of_many_files() {
    use std::os::unix::process::ExitStatusExt;
    let dir = long(3);
    record(dir.path());
    let several = ["endless.rec", "job0.toml", "job1.toml", "job2.toml", "-j", "1"];
    let args = [&["crosscheck", "--engine", "block,reference"], &several[..]].concat();
    let child = start(dir.path(), &args);
    batch_common::signal(&child, "TERM", 15);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.signal(), Some(15));
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.lines().count() <= 1, "{told}");
}
