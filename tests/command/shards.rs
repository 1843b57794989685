//! `ctm batch --shard`, `--no-times` and `--list -`, and `ctm merge`.

use crate::batch_common::{
    self, PROGRAM, batch, files, folder, job, lines, pairs, report, statuses, summary,
};
use crate::cli::{ctm, ctm_with, start};
use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;

/// The names of the jobs of [`folder`] that part `shard` runs.
fn part(dir: &Path, shard: &str) -> BTreeSet<String> {
    let ran = batch(dir, &[".", "--shard", shard, "--no-save"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    statuses(&ran.out).into_iter().map(|(name, _)| name).collect()
}

#[test]
fn every_job_is_in_exactly_one_part_wherever_it_lies() {
    let dir = folder(30);
    let parts: Vec<_> = (1..=4).map(|k| part(dir.path(), &format!("{k}/4"))).collect();
    assert_eq!(parts.iter().map(BTreeSet::len).sum::<usize>(), 30);
    let all: BTreeSet<_> = parts.iter().flatten().cloned().collect();
    assert_eq!(all.len(), 30);
    assert!(parts.iter().filter(|part| !part.is_empty()).count() > 1, "{parts:?}");
    assert_eq!(part(dir.path(), "1/1"), all);
    // The same contents at another place.
    let copy = folder(30);
    assert_eq!(part(copy.path(), "2/4"), parts[1]);
    // A file that the jobs read counts, too.
    fs::write(copy.path().join("p.dpp"), PROGRAM.to_string() + "; more\n").expect("written");
    assert_ne!(part(copy.path(), "2/4"), parts[1]);
}

#[test]
fn parts_that_are_none_are_refused() {
    let dir = folder(1);
    for wrong in ["0/2", "3/2", "1", "1/0", "a/b", "1/-2"] {
        let ran = batch(dir.path(), &[".", "--shard", wrong]);
        assert_eq!(ran.status, 2, "{wrong}");
        let expected = "it is K/N, with K from 1 to N, such as 3/8";
        assert!(ran.err.contains(expected), "{}", ran.err);
    }
}

#[test]
fn a_report_without_times_is_the_same_in_every_run() {
    let dir = folder(5);
    let args = [".", "--no-times", "--stats", "-j", "1"];
    let first = batch(dir.path(), &args);
    assert_eq!(batch(dir.path(), &args).out, first.out);
    for line in lines(&first.out) {
        assert!(line.get("seconds").is_none() && line.get("pi_per_second").is_none(), "{line}");
        assert_eq!(line["groups"], 1);
        assert_eq!(line["lane_instructions"], 64);
    }
    let with = batch(dir.path(), &[".", "--stats", "-j", "1"]);
    assert!(lines(&with.out).iter().all(|line| line["seconds"]["execute"].is_number()));
}

#[test]
fn a_job_of_a_list_runs_when_its_line_arrives() {
    let dir = folder(3);
    let mut child = start(dir.path(), &["batch", "--list", "-", "-j", "2"]);
    let mut input = child.stdin.take().expect("a pipe");
    let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
    for n in [2, 0, 1] {
        writeln!(input, "job{n}.toml").expect("written");
        // The next line comes only after this job's.
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        assert_eq!(statuses(&line), pairs(&[(&format!("job{n}.toml"), "ok")]));
        assert!(dir.path().join(format!("out{n}.npy")).exists());
    }
    drop(input);
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn a_conflict_ends_a_list_that_arrives() {
    let dir = folder(3);
    fs::write(dir.path().join("same.toml"), job("p.dpp", 1, 8, "out1")).expect("written");
    let run = |list: &[u8]| {
        let mut child = start(dir.path(), &["batch", "--list", "-", "-k", "-j", "1"]);
        child.stdin.take().expect("a pipe").write_all(list).expect("written");
        let output = child.wait_with_output().expect("it ends");
        (output.status.code(), String::from_utf8(output.stderr).expect("text"))
    };
    for (list, expected) in [
        ("job1.toml\nsame.toml\n".as_bytes(), "job1.toml and same.toml both save to out1.npy"),
        (b"job1.toml\njob1.toml\n", "job1.toml is given twice"),
        (b"job1.toml\n\xff\n", "-: line 2: the list is not UTF-8 text"),
    ] {
        assert_eq!(run(list), (Some(2), format!("ctm: {expected}\n")));
    }
    let long = "x".repeat(70_000);
    let expected = "ctm: -: line 1: it is longer than 65536 bytes\n";
    assert_eq!(run(long.as_bytes()), (Some(2), expected.to_string()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_signal_ends_a_batch_that_waits_for_lines() {
    let dir = folder(1);
    let mut child = start(dir.path(), &["batch", "--list", "-"]);
    let input = child.stdin.take().expect("a pipe");
    batch_common::signal(&child, "TERM", 15);
    assert!(!child.wait().expect("it ends").success());
    drop(input);
}

#[test]
fn a_list_that_arrives_continues_a_report() {
    let dir = folder(4);
    let list = "job0.toml\njob1.toml\njob2.toml\njob3.toml\n";
    let args = ["batch", "--list", "-", "--report", "r.jsonl", "-j", "1"];
    assert_eq!(ctm_with(dir.path(), &args, "job2.toml\n").status, 0);
    let ran = ctm_with(dir.path(), &[&args[..], &["--resume"]].concat(), list);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(summary(&ran), "4 jobs: 3 ok, 0 failed, 1 skipped");
}

/// `ctm merge` of two reports with these texts and a list of three jobs.
fn merge(one: &str, two: &str) -> (i32, String, Option<String>) {
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).expect("written");
    write("1.jsonl", one);
    write("2.jsonl", two);
    write("list", "a\nb\nc\n");
    let args = |[one, two]: [&'static str; 2]| {
        ctm(dir.path(), &["merge", one, two, "--list", "list", "--report", "out"])
    };
    let ran = args(["1.jsonl", "2.jsonl"]);
    let out = fs::read_to_string(dir.path().join("out")).ok();
    // A report that exists is not replaced.
    let _ = fs::remove_file(dir.path().join("out"));
    let other = args(["2.jsonl", "1.jsonl"]);
    assert_eq!((other.status, &other.err), (ran.status, &ran.err), "the order counts");
    assert_eq!(fs::read_to_string(dir.path().join("out")).ok(), out, "the order counts");
    (ran.status, ran.err, out)
}

fn line(job: &str) -> String {
    format!("{{\"job\":\"{job}\",\"status\":\"ok\"}}\n")
}

#[test]
fn reports_are_joined_in_the_order_of_the_list() {
    let [a, b, c] = ["a", "b", "c"].map(line);
    let (status, err, out) = merge(&(c.clone() + &a), &b);
    assert_eq!((status, err.as_str()), (0, "3 jobs in out\n"));
    assert_eq!(out, Some([a, b, c].concat()));
}

#[test]
fn what_is_missing_double_or_cut_short_is_said() {
    let [a, b, c] = ["a", "b", "c"].map(line);
    let torn = &c[..c.len() - 5];
    for (one, two, expected) in [
        (a.clone() + &c, String::new(), "ctm: b: no report has a line of it\n"),
        (
            a.clone() + &b,
            b.clone() + &c,
            "ctm: b: it has a line in 1.jsonl and another in 2.jsonl\n",
        ),
        (
            a.clone() + &b,
            torn.to_string(),
            "ctm: 2.jsonl: its last line is cut short\nctm: c: no report has a line of it\n",
        ),
        (a.clone() + &b, c.clone() + &line("d"), "ctm: d: it is in 2.jsonl, but not in the list\n"),
    ] {
        assert_eq!(merge(&one, &two), (1, expected.to_string(), None));
    }
    let (status, err, out) = merge("{}\n", "");
    let expected = "ctm: 1.jsonl: line 1 is not a line of a report: expected an object with \
                    \"job\" and \"status\"\n";
    assert_eq!((status, err.as_str(), out), (2, expected, None));
}

#[test]
fn parts_that_ran_with_other_engines_or_modes_are_named() {
    let ran = |job: &str, engine: &str, mode: &str| {
        let line = line(job);
        line.replace("}", &format!(",\"engine\":\"{engine}\",\"mode\":\"{mode}\"}}"))
    };
    let [a, b] = ["a", "b"].map(|job| ran(job, "block", "exact"));
    // A job that did not run says nothing of how.
    let (status, err, _) = merge(&(a.clone() + &b), &line("c"));
    assert_eq!((status, err.as_str()), (0, "3 jobs in out\n"));
    let (status, err, _) = merge(&(a.clone() + &b), &ran("c", "block", "exact"));
    assert_eq!((status, err.as_str()), (0, "3 jobs in out\n"));
    let (status, err, out) = merge(&(a + &b), &ran("c", "reference", "fast"));
    let expected = "note: the parts did not run alike:\n  1.jsonl: block, mode exact\n  \
                    2.jsonl: reference, mode fast\n3 jobs in out\n";
    assert_eq!((status, err.as_str()), (0, expected));
    assert!(out.is_some());
}

#[test]
fn a_joined_report_replaces_nothing() {
    let dir = folder(1);
    let dir = dir.path();
    let write = |name: &str, text: &str| fs::write(dir.join(name), text).expect("written");
    write("list", "job0.toml\n");
    write("1.jsonl", &line("job0.toml"));
    write("other", "notes\n");
    let merge =
        |report: &str, out: &str| ctm(dir, &["merge", report, "--list", "list", "--report", out]);
    let files = ["list", "1.jsonl", "job0.toml", "other"];
    let before = files.map(|name| fs::read(dir.join(name)).expect("a file"));
    for (out, said) in [
        ("list", "--report list: it would replace list, which is read"),
        ("./1.jsonl", "--report ./1.jsonl: it would replace 1.jsonl, which is read"),
        ("job0.toml", "job0.toml exists already: remove it to start again"),
        ("other", "other exists already: remove it to start again"),
    ] {
        let ran = merge("1.jsonl", out);
        assert_eq!((ran.status, ran.err), (2, format!("ctm: {said}\n")));
    }
    assert_eq!(files.map(|name| fs::read(dir.join(name)).expect("a file")), before);
    #[cfg(unix)]
    {
        let made = std::process::Command::new("mkfifo").arg(dir.join("pipe")).status();
        assert!(made.expect("mkfifo runs").success());
        let ran = merge("1.jsonl", "pipe");
        let said = "ctm: --report pipe: it is a pipe, expected a file\n";
        assert_eq!((ran.status, ran.err.as_str()), (2, said));
        // What is read has an end.
        for endless in ["pipe", "/dev/zero"] {
            let ran = merge(endless, "out");
            let said = format!("ctm: cannot read {endless}: not a regular file\n");
            assert_eq!((ran.status, ran.err), (2, said));
        }
    }
    let ran = merge("1.jsonl", "-");
    assert_eq!((ran.status, ran.out), (0, line("job0.toml")));
}

#[test]
fn eight_parts_of_which_two_are_killed_give_the_report_of_one_process() {
    const JOBS: usize = 120;
    let make = || {
        let dir = folder(0);
        let program = "mad r1, r0, c0, r1\n".repeat(40) + PROGRAM;
        fs::write(dir.path().join("p.dpp"), program).expect("written");
        let names: Vec<String> = (0..JOBS).map(|n| format!("job{n}.toml\n")).collect();
        for n in 0..JOBS {
            let text = job("p.dpp", n, 32, &format!("out{n}"));
            fs::write(dir.path().join(format!("job{n}.toml")), text).expect("written");
        }
        fs::write(dir.path().join("list"), names.concat()).expect("written");
        dir
    };
    let common = ["--list", "list", "--no-times", "--engine", "reference", "-j", "1"];
    let (whole, parts) = (make(), make());
    let ran = batch(whole.path(), &[&common[..], &["--report", "r.jsonl"]].concat());
    assert_eq!(ran.status, 0, "{}", ran.err);
    let path = parts.path();
    let args = |k: usize| {
        let own = ["--shard".into(), format!("{k}/8"), "--report".into(), format!("part{k}.jsonl")];
        ["batch".to_string()].into_iter().chain(common.map(String::from)).chain(own)
    };
    let start = |k: usize| {
        let args: Vec<String> = args(k).collect();
        start(path, &args.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let mut children: Vec<_> = (1..=8).map(start).collect();
    // Two are killed once they have begun.
    for k in [3, 6] {
        let child = &mut children[k - 1];
        let report = path.join(format!("part{k}.jsonl"));
        while fs::metadata(&report).map_or(0, |meta| meta.len()) == 0
            && child.try_wait().expect("a child").is_none()
        {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().expect("killed");
    }
    for (k, mut child) in (1..).zip(children) {
        let status = child.wait().expect("ended");
        assert!(status.success() || [3, 6].contains(&k), "{k}");
    }
    for k in [3, 6] {
        let resumed: Vec<String> = args(k).skip(1).chain(["--resume".into()]).collect();
        let ran = batch(path, &resumed.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(ran.status, 0, "{}", ran.err);
    }
    let reports: Vec<String> = (1..=8).rev().map(|k| format!("part{k}.jsonl")).collect();
    let reports: Vec<&str> = reports.iter().map(String::as_str).collect();
    let ran =
        ctm(path, &[&["merge"], &reports[..], &["--list", "list", "--report", "r.jsonl"]].concat());
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(report(path), report(whole.path()));
    assert_eq!(files(path), files(whole.path()));
}
