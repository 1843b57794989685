//! The command where standard output or standard error cannot be written: a reader that has gone, a
//! disk that is full.
#![cfg(unix)]

use std::fs::{self, File};
use std::io;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The signal of a write to a pipe without a reader, on every Unix.
const SIGPIPE: i32 = 13;

const PROGRAM: &str = "mov o0, c0\n";

fn job(more: &str) -> String {
    format!(
        "version = 1\nprogram = {{ file = \"p.dpp\" }}\n\
         domain = {{ i0 = 0, j0 = 0, i1 = 7, j1 = 7 }}\n\
         constants = {{ float = {{ 0 = [1, 2, 3, 4] }} }}\n\
         [[output]]\nslot = 0\nformat = \"FLOAT32_4\"\n{more}"
    )
}

/// A good job, jobs that cannot be read, and a source with errors and one with warnings.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).expect("written");
    write("p.dpp", PROGRAM);
    write("bad.dpp", "mov o0, what\n");
    write("good.toml", &job(""));
    write("save.toml", &job("save = \"/dev/stdout\"\n"));
    write("image.toml", &job("image = \"/dev/stdout\"\n"));
    fs::create_dir(dir.path().join("jobs")).expect("made");
    for n in 0..30 {
        write(&format!("jobs/{n}.toml"), &job("").replace("p.dpp", "../p.dpp"));
        write(&format!("jobs/bad{n}.toml"), &job("colour = 1\n"));
    }
    dir
}

/// A pipe whose reader has gone.
fn closed() -> Stdio {
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

/// A device without room, where there is one.
fn full() -> Option<Stdio> {
    let file = File::options().write(true).open("/dev/full");
    file.ok().map(Stdio::from)
}

fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ctm"));
    command.args(args).current_dir(dir).stdin(Stdio::null());
    command
}

fn run(command: &mut Command) -> Output {
    command.output().expect("ctm starts")
}

#[test]
fn a_batch_goes_on_where_standard_error_cannot_be_written() {
    for stream in [Some(closed as fn() -> Stdio), None] {
        let make = || stream.map_or_else(full, |stream| Some(stream()));
        let Some(stderr) = make() else {
            continue;
        };
        let dir = folder();
        let args = ["batch", "jobs", "--report", "r.jsonl", "--keep-going"];
        let output = run(command(dir.path(), &args).stderr(stderr));
        assert_eq!(output.status.code(), Some(1), "{}", output.status);
        let report = fs::read_to_string(dir.path().join("r.jsonl")).expect("a report");
        assert_eq!(report.lines().count(), 60);
        let ok = report.lines().filter(|l| l.contains("\"status\":\"ok\""));
        assert_eq!(ok.count(), 30);
    }
}

#[test]
fn every_command_keeps_its_status_where_standard_error_cannot_be_written() {
    let dir = folder();
    for (args, status) in [
        (&["run", "good.toml"][..], 0),
        (&["run", "none.toml"], 2),
        (&["verify", "jobs/bad0.toml"], 2),
        (&["crosscheck", "jobs/bad0.toml"], 2),
        (&["asm", "bad.dpp"], 2),
        (&["asm", "p.dpp", "-o", "p.elf"], 0),
        (&["disasm", "bad.dpp"], 2),
        (&["translate", "bad.dpp"], 2),
        (&["bench", "teapot"], 2),
        (&["run", "good.toml", "--trace", "1,1", "--json"], 0),
        (&["fly"], 2),
        (&["run"], 2),
    ] {
        for stderr in [Some(closed()), full()].into_iter().flatten() {
            let output = run(command(dir.path(), args).stderr(stderr));
            assert_eq!(output.status.code(), Some(status), "{args:?}");
        }
    }
}

#[test]
fn a_closed_standard_output_ends_the_command_as_the_signal_does() {
    let dir = folder();
    for args in [
        &["--help"][..],
        &["--version"],
        &["run", "--help"],
        &["run", "good.toml"],
        &["run", "good.toml", "--json"],
        &["run", "good.toml", "--trace", "1,1"],
        &["run", "save.toml"],
        &["run", "image.toml", "--json"],
        &["verify", "jobs"],
        &["crosscheck", "jobs", "--engine", "reference,block"],
        &["batch", "good.toml"],
        &["fuzz", "--count", "1", "--engine", "block"],
        &["fuzz", "--show"],
        &["bench", "--list"],
        &["bench", "copy-linear", "--engine", "block", "--size", "8x8"],
        &["asm", "p.dpp", "-o", "-"],
        &["disasm", "p.dpp"],
        &["translate", "p.dpp"],
        &["info", "p.dpp"],
        &["info", "--adapters"],
        &["generate", "completions", "bash"],
    ] {
        let output = run(command(dir.path(), args).stdout(closed()));
        assert_eq!(output.status.signal(), Some(SIGPIPE), "{args:?}: {}", output.status);
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    }
}

/// Both streams in one pipe, as in `ctm batch jobs 2>&1 | head -1`.
#[test]
fn a_report_to_a_file_is_whole_where_both_streams_are_closed() {
    let dir = folder();
    let args = ["batch", "jobs", "--report", "r.jsonl", "--keep-going"];
    let output = run(command(dir.path(), &args).stdout(closed()).stderr(closed()));
    assert_eq!(output.status.code(), Some(1), "{}", output.status);
    let report = fs::read_to_string(dir.path().join("r.jsonl")).expect("a report");
    assert_eq!(report.lines().count(), 60);
}
