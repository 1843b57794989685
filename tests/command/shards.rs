//! `ctm batch --shard` and `--list -`, and `ctm merge` of many parts.

use crate::batch_common::{self, PROGRAM, batch, files, folder, job, pairs, report, statuses};
use crate::cli::{ctm, start};
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
