//! `--timeout`, and signals to `ctm run`.

mod batch_common;

use batch_common::{ctm, files, folder, job};
use std::fs;
use std::path::Path;

/// `long.toml`: a job that takes days, whose output is there already.
fn long() -> tempfile::TempDir {
    let dir = folder(1);
    let text = job("endless.dpp", 1, 4096, "long");
    let text = text.replace("instructions = 1000", "instructions = 16777216");
    fs::write(dir.path().join("long.toml"), text).expect("written");
    fs::write(dir.path().join("long.npy"), "what there was").expect("written");
    dir
}

const STOPPED: &str = "the launch was stopped by the time limit of 0.2 s; each of its groups has \
                       written all or nothing";

#[test]
fn a_run_ends_at_its_time_limit_and_saves_nothing() {
    let dir = long();
    let before = files(dir.path());
    for engine in ["reference", "block", "auto"] {
        let args = ["run", "long.toml", "--engine", engine, "--timeout", "0.2"];
        let ran = ctm(dir.path(), &args);
        assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{}", ran.err);
        let expected = format!("ctm: long.toml:3: program: {STOPPED}; nothing is saved\n");
        assert_eq!(ran.err, expected);
        assert_eq!(files(dir.path()), before);
    }
    let ran = ctm(dir.path(), &["run", "job0.toml", "--timeout", "3600"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    for wrong in ["0", "-1", "x", "inf", "NaN", "1e300"] {
        let timeout = format!("--timeout={wrong}");
        let ran = ctm(dir.path(), &["run", "job0.toml", &timeout]);
        let expected = format!(
            "error: invalid value '{wrong}' for '--timeout <SECONDS>': it is a number of seconds \
             above 0, such as 2.5"
        );
        assert_eq!((ran.status, ran.err.lines().next()), (2, Some(&*expected)));
    }
}

#[test]
fn a_job_that_takes_too_long_fails_its_check_alone() {
    let dir = long();
    let path = dir.path();
    let ran = ctm(path, &["run", "job0.toml"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    fs::rename(path.join("out0.npy"), path.join("expected.npy")).expect("renamed");
    for name in ["job0.toml", "long.toml"] {
        let text = fs::read_to_string(path.join(name)).expect("text");
        let expect = "[[expect]]\noutput = 0\nfile = \"expected.npy\"\n";
        fs::write(path.join(name), text + expect).expect("written");
    }
    let args = ["verify", "long.toml", "job0.toml", "--timeout", "0.2"];
    let ran = ctm(path, &args);
    assert_eq!(
        ran.out,
        format!("FAIL long.toml: {STOPPED}\nok   job0.toml: 1 check\n1 passed, 1 failed\n")
    );
    assert_eq!((ran.status, ran.err.as_str()), (1, ""));
}

/// Whether a process catches a signal, by what Linux tells of it.
#[cfg(target_os = "linux")]
fn catches(process: u32, signal: u32) -> bool {
    let status = fs::read_to_string(Path::new("/proc").join(process.to_string()).join("status"));
    let status = status.expect("it runs");
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("SigCgt:"))
        .expect("a mask");
    let mask = u64::from_str_radix(mask.trim(), 16).expect("hexadecimal");
    mask >> (signal - 1) & 1 != 0
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_stops_a_run_and_nothing_stays() {
    use std::os::unix::process::ExitStatusExt;
    for (name, number) in [("INT", 2), ("TERM", 15)] {
        let dir = long();
        let before = files(dir.path());
        let child = batch_common::start(dir.path(), &["run", "long.toml", "--engine", "block"]);
        while !catches(child.id(), number) {
            std::thread::yield_now();
        }
        let sent = std::process::Command::new("kill")
            .args([format!("-{name}"), child.id().to_string()])
            .status();
        assert!(sent.expect("kill runs").success());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.signal(), Some(number as i32));
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "ctm: long.toml:3: program: the launch was cancelled; each of its groups has written \
             all or nothing; nothing is saved\n"
        );
        assert_eq!(files(dir.path()), before);
    }
}
