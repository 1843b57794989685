//! `--timeout`, and signals to `ctm run`.

#[cfg(target_os = "linux")]
use crate::batch_common::signal;
use crate::batch_common::{batch, files, job, lines, long, report, statuses, summary};
use crate::cli::{ctm, start};
use std::fs;

const STOPPED: &str =
    "the launch was stopped by the time limit of 0.2 s; its results are incomplete";

#[test]
fn a_run_ends_at_its_time_limit_and_saves_nothing() {
    let dir = long(1);
    let before = files(dir.path());
    for engine in ["reference", "block", "auto"] {
        let args = ["run", "long.toml", "--engine", engine, "--timeout", "0.2"];
        let ran = ctm(dir.path(), &args);
        assert_eq!((ran.status, ran.out.as_str()), (1, ""), "{}", ran.err);
        assert_eq!(ran.err, "ctm: long.toml: stopped after 0.2 s (--timeout); nothing is saved\n");
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
    let dir = long(1);
    let path = dir.path();
    let ran = ctm(path, &["run", "job0.toml"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    fs::rename(path.join("out0.npy"), path.join("expected.npy")).expect("renamed");
    for name in ["job0.toml", "long.toml"] {
        let text = fs::read_to_string(path.join(name)).expect("text");
        let expect = "[[expect]]\noutput = 0\nfile = \"expected.npy\"\n";
        fs::write(path.join(name), text + expect).expect("written");
    }
    // The short job has more time than it needs on a busy machine.
    let args = ["verify", "long.toml", "job0.toml", "--timeout", "5"];
    let ran = ctm(path, &args);
    let stopped = STOPPED.replace("0.2 s", "5 s");
    assert_eq!(
        ran.out,
        format!("FAIL long.toml: {stopped}\nok   job0.toml: 1 check\n1 passed, 1 failed\n")
    );
    assert_eq!((ran.status, ran.err.as_str()), (1, ""));
}

/// Its content says what it is, and only so much of it is parsed as a job can have.
#[test]
fn a_file_that_is_too_large_for_a_job_is_none() {
    let dir = tempfile::tempdir().expect("a folder");
    let run = |size| {
        let head = "[program]\n";
        let text = head.to_string() + &" ".repeat(size - head.len());
        fs::write(dir.path().join("large"), text).expect("written");
        ctm(dir.path(), &["run", "large"])
    };
    for (size, message) in [
        (8 << 20, "large:1: version: missing"),
        ((8 << 20) + 1, "the source has 8388609 bytes; at most 1048576 are possible"),
    ] {
        let ran = run(size);
        assert_eq!((ran.status, ran.err.contains(message)), (2, true), "{}", ran.err);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_stops_a_run_and_nothing_stays() {
    use std::os::unix::process::ExitStatusExt;
    for (name, number) in [("INT", 2), ("TERM", 15)] {
        let dir = long(1);
        let before = files(dir.path());
        let child = start(dir.path(), &["run", "long.toml", "--engine", "block"]);
        signal(&child, name, number);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.signal(), Some(number as i32));
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "ctm: long.toml: stopped by a signal; nothing is saved\n"
        );
        assert_eq!(files(dir.path()), before);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_the_printing_of_findings() {
    use std::io::Read;
    use std::os::unix::process::ExitStatusExt;
    let dir = tempfile::tempdir().expect("a folder");
    // Far more findings than a pipe holds.
    let lines: String = (0..500).map(|n| format!("mov r{}, r0\n", 1 + n % 100)).collect();
    fs::write(dir.path().join("unused.dpp"), lines + "mov o0, r0\n").expect("written");
    let args = ["check", "unused.dpp", "--allow", "unused-result"];
    assert_eq!(ctm(dir.path(), &args).out, "1 file checked: no findings\n");
    for (name, number) in [("INT", 2), ("TERM", 15)] {
        let mut child = start(dir.path(), &["check", "unused.dpp"]);
        let mut out = child.stdout.take().expect("a pipe");
        let mut text = vec![0];
        out.read_exact(&mut text).expect("a finding");
        signal(&child, name, number);
        out.read_to_end(&mut text).expect("the rest");
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.signal(), Some(number as i32));
        let text = String::from_utf8_lossy(&text);
        assert!(!text.contains("1 file checked"), "{text}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_stops_a_search_in_a_log() {
    use std::os::unix::process::ExitStatusExt;
    for (name, number) in [("INT", 2), ("TERM", 15)] {
        let dir = tempfile::tempdir().expect("a folder");
        let log = "Fragment Program: before compilation\n  0: BGNLOOP;\n  1: ENDLOOP;\n\n";
        fs::write(dir.path().join("endless.log"), log).expect("written");
        let args = ["mesa", "bisect", "endless.log", "--limit", "1000000000000"];
        let child = start(dir.path(), &args);
        signal(&child, name, number);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.signal(), Some(number as i32));
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(told, "ctm: endless.log: program 0: stopped by a signal\n");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_command_that_waits_for_its_input() {
    use std::os::unix::process::ExitStatusExt;
    let dir = crate::batch_common::folder(1);
    let made = std::process::Command::new("mkfifo").arg(dir.path().join("pipe")).status();
    assert!(made.expect("mkfifo runs").success());
    for args in [
        &["run", "pipe"][..],
        &["check", "p.dpp", "pipe"],
        &["compare", "p.dpp", "pipe"],
        &["mesa", "bisect", "pipe"],
        &["batch", "--list", "pipe"],
        &["debug", "job0.toml", "--batch", "-x", "pipe"],
        &["debug", "job0.toml", "--batch"],
    ] {
        for (name, number) in [("INT", 2), ("TERM", 15)] {
            let mut child = start(dir.path(), args);
            // Its standard input stays open: `wait_with_output` would close it.
            let input = child.stdin.take();
            signal(&child, name, number);
            let output = child.wait_with_output().expect("it ends");
            assert_eq!(output.status.signal(), Some(number as i32), "{args:?}");
            drop(input);
        }
    }
}

/// A folder with a shader that takes long to compile, and a job that runs it.
#[cfg(feature = "compiler")]
fn slow_shader() -> tempfile::TempDir {
    let dir = crate::batch_common::folder(2);
    let loops = "while (a < 9.0) ".repeat(DEEP);
    let shader = format!(
        "uniform float u; void main() {{ float a = u; {loops} a += 1.0; gl_FragColor = vec4(a); }}"
    );
    fs::write(dir.path().join("slow.frag"), shader).expect("written");
    fs::write(dir.path().join("slow.toml"), job("slow.frag", 1, 8, "slow")).expect("written");
    dir
}

/// Loops inside each other: the compiler tries many ways to arrange them.
#[cfg(feature = "compiler")]
const DEEP: usize = 240;

/// The commands that load a program or a job and have a time limit.
#[cfg(feature = "compiler")]
const LOADS: &[&[&str]] = &[
    &["run", "slow.frag"],
    &["run", "slow.toml"],
    &["run", "slow.frag", "--sweep", "u=job0.toml"],
    &["check", "slow.frag"],
    &["check", "slow.toml"],
    &["profile", "slow.frag"],
    &["profile", "slow.toml"],
    &["compare", "p.dpp", "slow.frag"],
    &["compare", "slow.toml", "--modes", "exact,chip"],
    &["debug", "slow.frag", "--batch"],
    &["crosscheck", "slow.toml", "--engine", "reference,block"],
    &["export", "slow.frag", "--html", "x.html"],
];

#[cfg(feature = "compiler")]
#[test]
fn a_time_limit_holds_while_a_shader_is_compiled() {
    let dir = slow_shader();
    let before = files(dir.path());
    let own = [
        &["compile", "slow.frag"][..],
        &["compile", "slow.frag", "--explain"],
        &["verify", "slow.toml"],
        &["batch", "slow.toml"],
    ];
    for args in LOADS.iter().copied().chain(own) {
        let ran = ctm(dir.path(), &[args, &["--timeout", "0.05"]].concat());
        assert_ne!(ran.status, 0, "{args:?}");
        let told = ran.out + &ran.err;
        let limit = ["stopped by the time limit of 0.05 s", "stopped after 0.05 s (--timeout)"];
        assert!(limit.iter().any(|text| told.contains(text)), "{args:?}: {told}");
        assert_eq!(files(dir.path()), before, "{args:?}");
    }
}

#[cfg(all(feature = "compiler", target_os = "linux"))]
#[test]
fn a_signal_ends_every_command_while_a_shader_is_compiled() {
    use std::os::unix::process::ExitStatusExt;
    let dir = slow_shader();
    let before = files(dir.path());
    let batch = &["batch", "slow.toml"][..];
    for (args, (name, number)) in
        LOADS.iter().copied().chain([batch]).zip([("INT", 2), ("TERM", 15)].into_iter().cycle())
    {
        let child = start(dir.path(), args);
        signal(&child, name, number);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.signal(), Some(number as i32), "{args:?}: {output:?}");
        assert_eq!(files(dir.path()), before, "{args:?}");
    }
}

#[cfg(feature = "compiler")]
#[test]
fn a_slow_shader_costs_a_batch_its_budget_of_work() {
    let dir = slow_shader();
    let args = ["slow.toml", "job0.toml", "job1.toml", "-k", "-j", "1"];
    let ran = batch(dir.path(), &args);
    assert_eq!(ran.status, 1, "{}", ran.err);
    let mut all = statuses(&ran.out);
    all.sort();
    let expected = crate::batch_common::pairs(&[
        ("job0.toml", "ok"),
        ("job1.toml", "ok"),
        ("slow.toml", "error"),
    ]);
    assert_eq!(all, expected);
    assert!(ran.out.contains("budget of work"), "{}", ran.out);
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_command_that_waits_for_a_reader() {
    use std::os::unix::process::ExitStatusExt;
    let dir = crate::batch_common::folder(1);
    let made = std::process::Command::new("mkfifo").arg(dir.path().join("pipe")).status();
    assert!(made.expect("mkfifo runs").success());
    for args in [
        &["run", "p.dpp", "--save", "pipe"][..],
        &["run", "p.dpp", "--image", "pipe"],
        &["export", "p.dpp", "--html", "pipe"],
    ] {
        let child = start(dir.path(), args);
        signal(&child, "INT", 2);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.signal(), Some(2), "{args:?}: {output:?}");
    }
}

/// A batch of `long.toml` and eight short jobs, of which the short ones have ended.
#[cfg(target_os = "linux")]
fn with_one_slow_job() -> (tempfile::TempDir, std::process::Child) {
    let dir = long(8);
    let args = ["batch", "--list", "list", "--report", "r.jsonl", "-j", "2", "--engine", "block"];
    let names: String = (0..8).map(|n| format!("job{n}.toml\n")).collect();
    fs::write(dir.path().join("list"), format!("long.toml\n{names}")).expect("written");
    let mut child = start(dir.path(), &args);
    let ended = || fs::read_to_string(dir.path().join("r.jsonl")).map_or(0, |r| r.lines().count());
    // Minutes are more than enough for eight short jobs, and less than the long one takes.
    for _ in 0..6000 {
        if ended() == 8 {
            return (dir, child);
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    child.kill().and_then(|()| child.wait()).expect("killed");
    panic!("{} of 8 short jobs are in the report", ended());
}

#[cfg(target_os = "linux")]
#[test]
fn a_slow_job_of_a_batch_keeps_no_other_from_its_end() {
    use std::os::unix::process::ExitStatusExt;
    let (dir, child) = with_one_slow_job();
    let path = dir.path();
    let mut short: Vec<_> = (0..8).map(|n| (format!("job{n}.toml"), "ok".to_string())).collect();
    let in_report = || {
        let mut all = statuses(&report(path));
        all.sort();
        all
    };
    assert_eq!(in_report(), short);
    for n in 0..8 {
        assert!(path.join(format!("out{n}.npy")).exists());
    }
    let before = files(path);
    signal(&child, "INT", 2);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.signal(), Some(2));
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.starts_with("9 jobs: 8 ok, 0 failed, 1 not run; "), "{told}");
    assert!(told.ends_with("stopped by a signal\n"), "{told}");
    assert_eq!((in_report(), files(path)), (short.clone(), before.clone()));

    // What was stopped runs again, and has a line once its time is up.
    let args = ["--list", "list", "--report", "r.jsonl", "--resume"];
    let again = |more: &[&str]| batch(path, &[&args[..], more].concat());
    let ran = again(&["-k", "--timeout", "0.2"]);
    assert_eq!(ran.status, 1);
    let counted = "9 jobs: 0 ok, 1 failed (0 with faults, 0 with errors, 1 out of time), 8 skipped";
    assert_eq!(summary(&ran), counted);
    let error = format!("long.toml:3: program: {STOPPED}");
    assert!(ran.err.starts_with(&format!("ctm: {error}\n")), "{}", ran.err);
    short.push(("long.toml".to_string(), "timeout".to_string()));
    assert_eq!(in_report(), short);
    assert_eq!(lines(&report(path))[8]["error"], error.as_str());
    assert_eq!(files(path), before);

    // It has failed, and is tried again if that is asked for.
    let ran = again(&["-k"]);
    assert_eq!(summary(&ran), "9 jobs: 0 ok, 0 failed, 9 skipped (1 of them failed before)");
    fs::write(path.join("long.toml"), job("p.dpp", 1, 8, "long")).expect("written");
    let ran = again(&["--retry-failed"]);
    assert_eq!((ran.status, summary(&ran)), (0, "9 jobs: 1 ok, 0 failed, 8 skipped"));
    short[8].1 = "ok".to_string();
    assert_eq!(in_report(), short);
}

#[test]
fn the_first_failure_stops_the_jobs_that_run() {
    let dir = long(1);
    let path = dir.path();
    fs::write(path.join("bad.toml"), "version = 1\nprogam = 3\n").expect("written");
    let before = files(path);
    let mut args = vec!["long.toml", "bad.toml", "-j", "2", "--engine", "block"];
    // Should it not be stopped, this fails nevertheless.
    args.extend(["--timeout", "60"]);
    let ran = batch(path, &args);
    assert_eq!(ran.status, 1);
    assert_eq!(summary(&ran), "2 jobs: 0 ok, 1 failed (0 with faults, 1 with errors), 1 not run");
    assert_eq!(statuses(&ran.out), [("bad.toml".into(), "error".into())]);
    assert_eq!(files(path), before);
}

/// Eight jobs with 256 MiB each, on eight threads of a process that may have 1280 MiB.
#[cfg(target_os = "linux")]
#[test]
fn jobs_that_run_together_fit_into_memory_whatever_the_threads() {
    let dir = long(8);
    let path = dir.path();
    for n in 0..8 {
        let name = path.join(format!("job{n}.toml"));
        let text = fs::read_to_string(&name).expect("text");
        let text = text.replace(&format!("save = \"out{n}.npy\""), "width = 4096\nheight = 4096");
        fs::write(name, text).expect("written");
    }
    let command = format!(
        "ulimit -v 1310720; exec {} batch job?.toml -k -j 8 --engine block",
        env!("CARGO_BIN_EXE_ctm")
    );
    let output = std::process::Command::new("sh")
        .args(["-c", &command])
        .current_dir(path)
        // Else each thread reserves 64 MiB of addresses of its own.
        .env("MALLOC_ARENA_MAX", "1")
        .output()
        .expect("sh runs");
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(told.contains("8 jobs: 8 ok, 0 failed"), "{told}");
    assert!(output.status.success());
}
