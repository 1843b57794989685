//! A panic in the work about one job is that job's error, and the others go on. `CTM_PANIC` makes it.

use crate::batch_common::{PROGRAM, files, folder, job, lines, report, statuses};
use crate::cli::{Ran, ctm, panicking};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Jobs 0 to 5, of which `job2.toml` runs `odd.dpp`.
fn jobs() -> tempfile::TempDir {
    let dir = folder(6);
    // Files with the same bytes are one program.
    fs::write(dir.path().join("odd.dpp"), format!("{PROGRAM}; odd\n")).expect("written");
    fs::write(dir.path().join("job2.toml"), job("odd.dpp", 2, 8, "out2")).expect("written");
    dir
}

/// Jobs that expect what they give.
fn blessed() -> tempfile::TempDir {
    let dir = jobs();
    let ran = ctm(dir.path(), &["verify", ".", "--bless", "-q"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    dir
}

/// The words of a panic of the switch: its message, its place, whose mistake it is.
fn is_internal(text: &str, place: &str) {
    let start = format!("internal error: CTM_PANIC: {place} of ");
    let (_, rest) = text.split_once(&start).unwrap_or_else(|| panic!("{start}: {text}"));
    let (at, _) =
        rest.split_once("); this is a mistake of ctm").unwrap_or_else(|| panic!("{rest}"));
    let (_, at) = at.rsplit_once(" (").expect("a place");
    let [library, file] = at.split(", ").collect::<Vec<_>>()[..] else { panic!("{at}") };
    assert!(
        ["fuzz", "inspect", "jobs", "machine", "tools"].contains(&library) && file.contains(".rs:"),
        "{at}"
    );
}

/// No panic prints anything of its own.
fn is_quiet(ran: &Ran) {
    for text in [&ran.out, &ran.err] {
        assert!(!text.contains("panicked at") && !text.contains("RUST_BACKTRACE"), "{text}");
    }
}

#[test]
fn a_batch_goes_on_after_a_panic() {
    let whole = jobs();
    let args = ["batch", ".", "--keep-going", "--report", "r.jsonl", "--engine", "block"];
    assert_eq!(ctm(whole.path(), &args).status, 0);
    let without = {
        let mut files = files(whole.path());
        files.remove(Path::new("out2.npy"));
        files
    };
    for (place, name) in
        [("read", "job2"), ("run", "job2"), ("save", "job2"), ("launch", "odd.dpp")]
    {
        for threads in ["1", "2"] {
            let dir = jobs();
            let path = dir.path();
            let args = [&args[..], &["-j", threads]].concat();
            let ran = panicking(path, place, name, &args);
            assert_eq!(ran.status, 1, "{}", ran.err);
            is_quiet(&ran);
            let text = report(path);
            for (job, status) in statuses(&text) {
                let expected = if job == "./job2.toml" { "error" } else { "ok" };
                assert_eq!(status, expected, "{place} {job}");
            }
            let all = lines(&text);
            assert_eq!(all.len(), 6);
            let failed = all.iter().find(|line| line["job"] == "./job2.toml").expect("a line");
            let error = failed["error"].as_str().expect("a text");
            assert!(error.starts_with("./job2.toml: internal error: "), "{error}");
            is_internal(error, place);
            is_internal(&ran.err, place);
            assert_eq!(files(path), without, "{place}");
            // It has its line.
            let ran = panicking(path, place, name, &[&args[..], &["--resume"]].concat());
            assert_eq!(ran.status, 1, "{}", ran.err);
            assert_eq!(report(path), text);
            let ran = ctm(path, &[&args[..], &["--resume", "--retry-failed"]].concat());
            assert_eq!(ran.status, 0, "{}", ran.err);
            assert_eq!(files(path), files(whole.path()));
        }
    }
}

#[test]
fn verify_goes_on_after_a_panic() {
    let dir = blessed();
    let path = dir.path();
    for (place, name) in
        [("read", "job2"), ("run", "job2"), ("check", "job2"), ("launch", "odd.dpp")]
    {
        for threads in ["1", "2"] {
            let args = ["verify", ".", "-j", threads, "--engine", "block", "--report", "r.xml"];
            let ran = panicking(path, place, name, &args);
            assert_eq!(ran.status, 2, "{}", ran.err);
            is_quiet(&ran);
            assert!(ran.out.ends_with("5 passed, 1 failed\n"), "{}", ran.out);
            let bad = ran.out.lines().find(|line| line.starts_with("BAD ")).expect("a bad one");
            assert!(bad.starts_with("BAD  ./job2.toml: internal error: "), "{bad}");
            is_internal(bad, place);
            assert_eq!(ran.err, "ctm: 1 of 6 files could not be run\n");
            let cases = fs::read_to_string(path.join("r.xml")).expect("a report");
            assert!(cases.contains("tests=\"6\"") && cases.contains("errors=\"1\""), "{cases}");
            assert!(cases.contains(&format!("CTM_PANIC: {place} of ")), "{cases}");
        }
    }
}

#[test]
fn crosscheck_goes_on_after_a_panic() {
    let dir = jobs();
    let args = ["crosscheck", ".", "-j", "2", "--engine", "reference,block"];
    for place in ["read", "compare"] {
        let ran = panicking(dir.path(), place, "job2", &args);
        assert_eq!(ran.status, 2, "{}", ran.err);
        is_quiet(&ran);
        assert!(
            ran.out.contains("5 the same on reference and block, 0 differ, 1 bad"),
            "{}",
            ran.out
        );
        is_internal(ran.out.lines().find(|line| line.starts_with("BAD ")).expect("one"), place);
    }
    // An engine that panics differs.
    let ran = panicking(dir.path(), "launch", "odd.dpp", &args);
    assert_eq!(ran.status, 1, "{}", ran.err);
    is_quiet(&ran);
    assert!(ran.out.contains("5 the same on reference and block, 1 differ, 0 bad"), "{}", ran.out);
    let crash = "DIFF ./job2.toml: launch 0: engine reference crashed: CTM_PANIC: launch of ";
    assert!(ran.out.contains(crash), "{}", ran.out);
}

#[test]
fn check_goes_on_after_a_panic() {
    let dir = jobs();
    for (place, name) in [("read", "job2"), ("check", "job2"), ("launch", "odd.dpp")] {
        let ran = panicking(dir.path(), place, name, &["check", "."]);
        assert_eq!(ran.status, 2, "{}", ran.err);
        is_quiet(&ran);
        assert_eq!(ran.out, "5 files checked: no findings\n");
        is_internal(&ran.err, place);
        assert!(ran.err.ends_with("ctm: 1 of 6 files could not be checked\n"), "{}", ran.err);
    }
}

#[test]
fn other_commands_say_what_panicked() {
    let dir = jobs();
    for args in [
        &["run", "job2.toml"][..],
        &["profile", "job2.toml"],
        &["bench", "odd.dpp", "--time", "0.001", "--engine", "block"],
        &["run", "odd.dpp"],
    ] {
        let ran = panicking(dir.path(), "launch", "odd.dpp", args);
        assert_eq!(ran.status, 2, "{args:?}: {}{}", ran.out, ran.err);
        is_quiet(&ran);
        is_internal(&ran.err, "launch");
    }
    let ran = panicking(dir.path(), "launch", "odd.dpp", &["run", "job1.toml", "--json"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(serde_json::from_str::<Value>(&ran.out).expect("JSON")["launches"], 1);
}

#[test]
fn a_fuzz_run_reports_the_program_that_panics() {
    let dir = tempfile::tempdir().expect("a folder");
    let args = ["fuzz", "--engine", "block", "--count", "20", "--seed", "1", "--keep-going"];
    // Generated programs have no source: all of them.
    let ran = panicking(dir.path(), "launch", "", &args);
    assert_eq!(ran.status, 1, "{}", ran.err);
    is_quiet(&ran);
    assert!(ran.out.ends_with("20 differences\n"), "{}", ran.out);
    assert!(ran.out.contains("crashed: CTM_PANIC: launch of "), "{}", ran.out);
}
