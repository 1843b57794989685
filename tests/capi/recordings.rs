//! Recordings of C clients: those of `examples/c`, and clients that are killed.

use ctm::engine::Engine;
use ctm::engine::gpu::{AdapterChoice, Gpu, Interpreter, Translated};
use ctm::record::{Reader, Replay, ReplayOptions};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::compiler::{LIBRARY_PATH, Language, build, libraries, root, run, succeed};

const CLIENTS: [&str; 7] =
    ["coherence.c", "devices.c", "passes.c", "saxpy.c", "stream.cpp", "throughput.c", "upload.cpp"];

fn client(name: &str, folder: &Path) -> PathBuf {
    let source = root().join("examples/c").join(name);
    build(Language::of(&source), &source, folder, &[])
}

/// Records each client on the block engine, and passes on the recording.
fn recorded(mut each: impl FnMut(&str, &Path)) {
    let folder = tempfile::tempdir().expect("a folder");
    for name in CLIENTS {
        let program = client(name, folder.path());
        let file = folder.path().join(format!("{name}.rec"));
        let arguments: &[&str] = if name == "throughput.c" { &["100"] } else { &[] };
        let path = file.to_str().expect("UTF-8");
        succeed(&program, arguments, &[("CTM_ENGINE", "block"), ("CTM_RECORD", path)]);
        each(name, &file);
    }
}

#[test]
fn recorded_clients_replay_on_the_cpu() {
    recorded(|name, file| {
        for engine in ["reference", "block"] {
            let mut command = Command::new(env!("CARGO_BIN_EXE_ctm"));
            let found = command.arg("replay").arg(file).args(["--engine", engine]).output();
            let found = found.expect("the command starts");
            let text = String::from_utf8_lossy(&found.stdout);
            let errors = String::from_utf8_lossy(&found.stderr);
            assert!(found.status.success(), "{name} on {engine}: {text}{errors}");
            // An engine that leaves launches to others names them.
            let (_, end) = text.rsplit_once(" on ").expect("the engine");
            assert!(end.starts_with(engine) && end.ends_with(": the same\n"), "{name}: {text}");
            assert!(!text.starts_with("0 submissions"), "{name}: {text}");
        }
    });
}

/// In this process, so that a shader is compiled once for all of them.
#[test]
#[ignore = "needs an adapter"]
fn recorded_clients_replay_on_the_gpu() {
    let gpu = Gpu::open(&AdapterChoice::from_environment()).expect("an adapter");
    let engines: [&dyn Engine; 2] = [&Interpreter::on(gpu.clone()), &Translated::on(gpu)];
    recorded(|name, file| {
        for engine in engines {
            let mut reader = Reader::open(file).expect("a recording");
            let mut replay = Replay::new(engine, &ReplayOptions::default());
            let mut launches = 0;
            while let Some(entry) = reader.next_entry().expect("not damaged") {
                if let Some(step) = replay.step(entry).expect("in place") {
                    let engine = engine.name();
                    assert_eq!(step.mismatch, None, "{name} on {engine}, {}", step.place);
                    launches += step.report.launches;
                }
            }
            assert!(launches > 0, "{name}");
        }
    });
}

/// Whatever arenas a client's surfaces are in, each of its launches is a job with the same result.
#[test]
fn launches_of_recorded_clients_are_jobs() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut jobs = 0;
    for name in ["passes.c", "stream.cpp", "upload.cpp"] {
        let program = client(name, folder.path());
        let file = folder.path().join(format!("{name}.rec"));
        let file = file.to_str().expect("UTF-8");
        succeed(&program, &[], &[("CTM_ENGINE", "block"), ("CTM_RECORD", file)]);
        for launch in 0..3 {
            let job = folder.path().join(format!("{name}{launch}"));
            let job = job.to_str().expect("UTF-8");
            let number = launch.to_string();
            let ctm = |arguments: &[&str]| {
                let mut command = Command::new(env!("CARGO_BIN_EXE_ctm"));
                command.args(arguments).output().expect("the command starts")
            };
            if !ctm(&["replay", file, "--to-job", &number, job]).status.success() {
                break;
            }
            let found = ctm(&["verify", job]);
            let text = String::from_utf8_lossy(&found.stdout);
            let errors = String::from_utf8_lossy(&found.stderr);
            assert!(found.status.success(), "{name}, launch {launch}: {text}{errors}");
            jobs += 1;
        }
    }
    assert!(jobs >= 5, "{jobs} launches");
}

fn readable(path: &Path) -> usize {
    let mut reader = Reader::open(path).expect("a recording");
    let mut count = 0;
    while reader.next_entry().expect("not damaged").is_some() {
        count += 1;
    }
    count
}

#[test]
fn a_killed_client_leaves_a_readable_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = client("throughput.c", folder.path());
    let mut most = 0;
    for n in 0..50 {
        let path = folder.path().join(format!("{n}.rec"));
        let mut killed = Command::new(&program)
            .arg("1000000")
            .env("CTM_ENGINE", "block")
            .env("CTM_RECORD", &path)
            .env(LIBRARY_PATH, libraries())
            .stdout(Stdio::null())
            .spawn()
            .expect("the client starts");
        while !path.exists() {
            std::thread::yield_now();
        }
        std::thread::sleep(Duration::from_micros(n * 977 % 20_000));
        killed.kill().expect("it runs");
        killed.wait().expect("it ended");
        most = most.max(readable(&path));
    }
    assert!(most > 10, "{most} records");
}

#[test]
fn a_second_client_goes_on_unrecorded() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = client("saxpy.c", folder.path());
    let path = folder.path().join("one.rec");
    let file = path.to_str().expect("UTF-8");
    succeed(&program, &[], &[("CTM_RECORD", file)]);
    let first = fs::read(&path).expect("recorded");
    for file in [file, "/dev/full", "/nowhere/x.rec"] {
        let found = run(&program, &[], &[("CTM_RECORD", file)]);
        let errors = String::from_utf8_lossy(&found.stderr);
        assert!(found.status.success(), "{errors}");
        assert_eq!(String::from_utf8_lossy(&found.stdout), "saxpy: 4096 results are right\n");
        assert_eq!(errors.lines().count(), 1, "{errors}");
        let start = format!("ctm: {file}: this client is not recorded from here on: ");
        assert!(errors.starts_with(&start), "{errors}");
    }
    assert_eq!(fs::read(&path).expect("still there"), first);
}

/// After a fork the child's calls end, and the file has only what the parent did.
#[cfg(unix)]
#[test]
fn a_child_of_a_fork_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("fork.c");
    fs::write(&source, FORK).expect("room");
    let program = build(Language::of(&source), &source, folder.path(), &[]);
    let file = folder.path().join("fork.rec");
    let file = file.to_str().expect("UTF-8");
    let found = run(&program, &[], &[("CTM_ENGINE", "block"), ("CTM_RECORD", file)]);
    let errors = String::from_utf8_lossy(&found.stderr);
    assert!(found.status.success(), "{:?}: {errors}", found.status);
    let text = String::from_utf8_lossy(&found.stdout);
    assert!(text.contains("the device belongs to process "), "{text}");
    assert!(text.contains("this process was forked from process "), "{text}");
    assert!(text.contains("fork.rec\": the file belongs to process "), "{text}");
    // Nothing says that the child goes on unrecorded: it does not go on.
    assert_eq!(errors, "");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ctm"));
    let found = command.args(["replay", file]).output().expect("the command starts");
    let text = String::from_utf8_lossy(&found.stdout);
    assert!(found.status.success(), "{}", String::from_utf8_lossy(&found.stderr));
    assert!(text.starts_with("2 submissions, 0 launches on "), "{text}");
}

/// A client whose child uses its device, then opens one. An alarm ends a call that hangs.
#[cfg(unix)]
const FORK: &str = r#"
#define _POSIX_C_SOURCE 200809L
#include "amDeviceManaged.h"
#include "ctm.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
    AMmanagedDeviceInfo info;
    AMmanagedDevice device = ctm_record(getenv("CTM_RECORD")) == 0 ? NULL : amOpenManagedConnection("/dev/pcie0", &info);
    AMuint32 words[2] = {0, 0};
    AMuint32 id;
    int status;
    if (device == NULL) return 1;
    id = ctm_submit_words(device, words, 0);
    ctm_wait(device, id);
    if (fork() == 0) {
        alarm(60);
        if (amSubmitCommandBuffer(device, info.baseAddressGPU, 0) != 0) return 2;
        while (!amCommandBufferConsumed(device, id)) {}
        printf("%s\n", ctm_last_error());
        amCloseManagedConnection(device);
        if (amOpenManagedConnection("/dev/pcie0", &info) != NULL) return 3;
        printf("%s\n", ctm_last_error());
        if (ctm_record(getenv("CTM_RECORD")) != 0) return 5;
        printf("%s\n", ctm_last_error());
        return 0;
    }
    if (wait(&status) < 0 || !WIFEXITED(status)) return 4;
    if (WEXITSTATUS(status) != 0) return WEXITSTATUS(status);
    id = ctm_submit_words(device, words, 0);
    ctm_wait(device, id);
    amCloseManagedConnection(device);
    return 0;
}
"#;
