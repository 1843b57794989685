//! `ctm pack`, and `ctm batch` of packs.

use crate::batch_common::{
    PROGRAM, batch, files, folder, job, lines, long, pairs, report, statuses, summary,
};
use crate::cli::{Ran, ctm, start};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// `ctm pack`.
fn pack(dir: &Path, args: &[&str]) -> Ran {
    ctm(dir, &[&["pack"], args].concat())
}

/// A folder with `count` jobs, a job in a folder below, one with a fault, and their list.
fn listed(count: usize) -> tempfile::TempDir {
    let dir = folder(count);
    let path = dir.path();
    fs::create_dir(path.join("sub")).expect("a folder");
    let below = job("../p.dpp", 77, 8, "below").replace("[[output]]", "[[output]]\nmask = \"rg\"");
    fs::write(path.join("sub/below.toml"), below).expect("written");
    fs::write(path.join("fault.toml"), job("endless.dpp", 1, 8, "fault")).expect("written");
    let mut list: Vec<String> = (0..count).map(|n| format!("job{n}.toml\n")).collect();
    list.insert(count / 2, "sub/below.toml\nfault.toml\n".to_string());
    fs::write(path.join("list"), list.concat()).expect("written");
    dir
}

/// [`listed`], as a pack and without the files of the jobs.
fn packed(count: usize) -> tempfile::TempDir {
    let dir = listed(count);
    let path = dir.path();
    let ran = pack(path, &["--list", "list", "-o", "jobs.pack"]);
    assert_eq!((ran.status, ran.out.as_str()), (0, ""), "{}", ran.err);
    let summary = format!("{} jobs, 2 programs, ", count + 2);
    assert!(ran.err.starts_with(&summary), "{}", ran.err);
    for name in files(path).into_keys() {
        if name.extension().is_some_and(|ending| ending == "toml" || ending == "dpp") {
            fs::remove_file(path.join(name)).expect("removed");
        }
    }
    dir
}

/// The arrays of a folder and below.
fn arrays(dir: &Path) -> Vec<(std::path::PathBuf, Vec<u8>)> {
    let is_array = |name: &Path| name.extension().is_some_and(|ending| ending == "npy");
    files(dir).into_iter().filter(|(name, _)| is_array(name)).collect()
}

/// Options under which a report is the same in every run.
const SAME: [&str; 5] = ["--no-times", "--keep-going", "--stats", "-j", "1"];

#[test]
fn a_pack_gives_the_report_and_the_files_of_its_list() {
    let (of_list, of_pack) = (listed(9), packed(9));
    let by_list = batch(of_list.path(), &[&["--list", "list"], &SAME[..]].concat());
    for args in [&["jobs.pack"][..], &["--list", "jobs.pack"]] {
        let by_pack = batch(of_pack.path(), &[args, &SAME].concat());
        assert_eq!((by_list.status, by_pack.status), (1, 1), "{}{}", by_list.err, by_pack.err);
        assert_eq!(by_list.out, by_pack.out);
        assert_eq!(by_list.out.lines().count(), 11);
        assert_eq!(arrays(of_list.path()), arrays(of_pack.path()));
        assert_eq!(summary(&by_list), summary(&by_pack));
    }
}

#[test]
fn all_kernels_run_from_a_pack() {
    let kernels = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let kernels = kernels.to_str().expect("UTF-8");
    let dir = tempfile::tempdir().expect("a folder");
    let ran = pack(dir.path(), &[kernels, "-o", "kernels.pack"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let run = |jobs: &str| {
        let ran = batch(dir.path(), &[jobs, "--no-save", "--no-times", "--engine", "block"]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        ran.out.lines().map(str::to_string).collect::<BTreeSet<_>>()
    };
    let by_files = run(kernels);
    assert!(by_files.len() > 20, "{by_files:?}");
    assert_eq!(run("kernels.pack"), by_files);
}

#[test]
fn packs_and_job_files_mix() {
    let dir = packed(3);
    let path = dir.path();
    fs::write(path.join("p.dpp"), PROGRAM).expect("written");
    fs::write(path.join("more.toml"), job("p.dpp", 8, 8, "more")).expect("written");
    assert_eq!(pack(path, &["more.toml", "-o", "more.pack"]).status, 0);
    fs::write(path.join("more.toml"), job("p.dpp", 9, 8, "other")).expect("written");
    fs::rename(path.join("more.toml"), path.join("other.toml")).expect("renamed");
    let ran = batch(path, &["more.pack", "other.toml", "jobs.pack", "-k", "-j", "1"]);
    fs::write(path.join("list"), "more.pack\nother.toml\njobs.pack\n").expect("written");
    let by_list = batch(path, &["--list", "list", "-k", "-j", "1"]);
    assert_eq!(statuses(&by_list.out), statuses(&ran.out));
    let names: Vec<String> = statuses(&ran.out).into_iter().map(|(name, _)| name).collect();
    let all = ["more.toml", "other.toml", "job0.toml", "sub/below.toml", "fault.toml", "job1.toml"];
    assert_eq!(names, [&all[..], &["job2.toml"]].concat());
    let ran = batch(path, &["more.pack", "more.pack"]);
    assert_eq!((ran.status, ran.err.as_str()), (2, "ctm: more.toml is given twice\n"));
}

#[test]
fn parts_are_those_of_the_files_and_merge_to_the_whole() {
    let (of_list, of_pack) = (listed(20), packed(20));
    let whole = batch(of_list.path(), &[&["--list", "list"], &SAME[..]].concat());
    let part = |dir: &Path, jobs: &[&str], k: usize| {
        let (shard, report) = (format!("{k}/3"), format!("part{k}.jsonl"));
        let own = ["--shard", &shard, "--report", &report];
        let ran = batch(dir, &[jobs, &own, &SAME].concat());
        assert!(ran.status < 2, "{}", ran.err);
        fs::read_to_string(dir.join(report)).expect("a report")
    };
    let mut full = 0;
    for k in 1..=3 {
        let by_pack = part(of_pack.path(), &["jobs.pack"], k);
        assert_eq!(by_pack, part(of_list.path(), &["--list", "list"], k));
        full += usize::from(!by_pack.is_empty());
    }
    assert!(full > 1);
    let reports = ["part3.jsonl", "part1.jsonl", "part2.jsonl", "--list", "jobs.pack"];
    let ran = ctm(of_pack.path(), &[&["merge"], &reports[..], &["--report", "-"]].concat());
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(ran.out, whole.out);
}

#[test]
fn a_report_is_resumed_and_failed_jobs_are_retried() {
    let dir = packed(6);
    let path = dir.path();
    let args = [&["jobs.pack", "--report", "r.jsonl"], &SAME[..]].concat();
    assert_eq!(batch(path, &args).status, 1);
    let (text, expected) = (report(path), arrays(path));
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    for cut in [0, ends[0] - 1, ends[2] + 20, ends[6]] {
        fs::write(path.join("r.jsonl"), &text[..cut]).expect("written");
        let ran = batch(path, &[&args[..], &["--resume"]].concat());
        assert_eq!((ran.status, report(path)), (1, text.clone()), "{}", ran.err);
        assert_eq!(arrays(path), expected);
    }
    let ran = batch(path, &[&args[..], &["--resume", "--retry-failed"]].concat());
    assert_eq!(summary(&ran), "8 jobs: 0 ok, 1 failed (1 with faults, 0 with errors), 7 skipped");
}

#[test]
fn a_killed_batch_of_a_pack_is_gone_on_with() {
    const JOBS: usize = 160;
    let make = || {
        let dir = folder(JOBS);
        let program = "mad r1, r0, c0, r1\n".repeat(40) + PROGRAM;
        fs::write(dir.path().join("p.dpp"), program).expect("written");
        let ran = pack(dir.path(), &[".", "-o", "jobs.pack"]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        dir
    };
    let args = [
        "batch",
        "jobs.pack",
        "--report",
        "r.jsonl",
        "--no-times",
        "--engine",
        "reference",
        "-j",
        "1",
    ];
    let whole = make();
    assert_eq!(ctm(whole.path(), &args).status, 0);
    // On a busy machine a batch can end before anyone gets to kill it; not every time.
    let killed = (0..5).find_map(|_| {
        let dir = make();
        let mut child = start(dir.path(), &args);
        while fs::metadata(dir.path().join("r.jsonl")).map_or(0, |meta| meta.len()) == 0
            && child.try_wait().expect("a child").is_none()
        {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        (report(dir.path()).matches('\n').count() < JOBS).then_some(dir)
    });
    let dir = killed.expect("a batch that was killed");
    let ran = ctm(dir.path(), &[&args[..], &["--resume"]].concat());
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(report(dir.path()), report(whole.path()));
    assert_eq!(arrays(dir.path()), arrays(whole.path()));
}

#[test]
fn outputs_are_collected_in_the_order_of_the_pack() {
    let (of_list, of_pack) = (folder(9), folder(9));
    assert_eq!(pack(of_pack.path(), &[".", "-o", "jobs.pack"]).status, 0);
    let collect = ["--no-save", "--no-times", "-j", "1", "--collect", "all.npy"];
    let by_list = batch(of_list.path(), &[&["."], &collect[..]].concat());
    let by_pack = batch(of_pack.path(), &[&["jobs.pack"], &collect[..]].concat());
    assert_eq!((by_list.status, by_pack.status), (0, 0), "{}{}", by_list.err, by_pack.err);
    assert_eq!(by_list.out, by_pack.out);
    assert_eq!(arrays(of_list.path()), arrays(of_pack.path()));
}

#[test]
fn a_job_of_a_pack_runs_out_of_time() {
    let dir = long(1);
    let path = dir.path();
    assert_eq!(pack(path, &["long.toml", "job0.toml", "-o", "jobs.pack"]).status, 0);
    let ran = batch(path, &["jobs.pack", "--timeout", "0.5", "-k", "-j", "1", "--engine", "block"]);
    assert_eq!(statuses(&ran.out), pairs(&[("long.toml", "timeout"), ("job0.toml", "ok")]));
    assert_eq!(fs::read(path.join("long.npy")).expect("a file"), b"what there was");
}

#[test]
fn a_pack_saves_where_its_jobs_do() {
    let dir = folder(2);
    let path = dir.path();
    for sub in ["sub", "packs"] {
        fs::create_dir(path.join(sub)).expect("a folder");
    }
    fs::write(path.join("sub/deep.toml"), job("../p.dpp", 5, 8, "deep")).expect("written");
    // Elsewhere, all paths are absolute; wherever the pack goes, the files are the same.
    let ran = pack(path, &["job0.toml", "sub/deep.toml", "-o", "packs/far.pack"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let other = tempfile::tempdir().expect("a folder");
    fs::rename(path.join("packs/far.pack"), other.path().join("far.pack")).expect("moved");
    let ran = batch(other.path(), &["far.pack", "-j", "1"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let real = path.canonicalize().expect("a folder");
    let saved: Vec<_> = lines(&ran.out).iter().map(|line| line["files"][0].clone()).collect();
    let at = |name: &str| real.join(name).display().to_string();
    assert_eq!(saved, [at("out0.npy"), at("sub/deep.npy")]);
    assert!(real.join("sub/deep.npy").exists());
    // Below its folder, they go where the pack goes.
    assert_eq!(pack(path, &["sub/deep.toml", "-o", "near.pack"]).status, 0);
    fs::create_dir(other.path().join("sub")).expect("a folder");
    fs::rename(path.join("near.pack"), other.path().join("near.pack")).expect("moved");
    let ran = batch(path, &[other.path().join("near.pack").to_str().expect("UTF-8")]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(other.path().join("sub/deep.npy").exists());
    // So does what is below it by a path with dots.
    fs::write(path.join("sub/up.toml"), job("../p.dpp", 5, 8, "../up")).expect("written");
    assert_eq!(pack(path, &["sub/up.toml", "-o", "up.pack"]).status, 0);
    fs::rename(path.join("up.pack"), other.path().join("up.pack")).expect("moved");
    assert_eq!(batch(other.path(), &["up.pack", "--root", "."]).status, 0);
    assert!(other.path().join("up.npy").exists() && !path.join("up.npy").exists());
    // A pack that went through a pipe has no folder.
    let bytes = start(path, &["pack", "job1.toml", "-o", "-"]).wait_with_output().expect("it ends");
    fs::write(other.path().join("piped.pack"), bytes.stdout).expect("written");
    assert_eq!(batch(other.path(), &["piped.pack"]).status, 0);
    assert!(path.join("out1.npy").exists() && !other.path().join("out1.npy").exists());
    // A root refuses what leads out of the folder of the pack.
    let ran = batch(other.path(), &["far.pack", "--root", "."]);
    assert_eq!(ran.status, 1);
    assert!(ran.err.contains("an absolute path is refused"), "{}", ran.err);
    assert_eq!(batch(other.path(), &["near.pack", "--root", "."]).status, 0);
}

#[test]
fn conflicts_of_a_pack_are_refused_when_it_runs() {
    let dir = folder(2);
    let path = dir.path();
    fs::write(path.join("again.toml"), job("p.dpp", 5, 8, "out1")).expect("written");
    fs::write(path.join("own.toml"), job("p.dpp", 5, 8, "own")).expect("written");
    assert_eq!(pack(path, &["job1.toml", "again.toml", "-o", "jobs.pack"]).status, 0);
    let ran = batch(path, &["jobs.pack"]);
    let both = "ctm: job1.toml and again.toml both save to out1.npy\n";
    assert_eq!((ran.status, ran.err.as_str()), (2, both));
    assert_eq!(batch(path, &["jobs.pack", "--no-save"]).status, 0);
    // A job of a pack must not replace the pack.
    assert_eq!(pack(path, &["own.toml", "-o", "new.pack"]).status, 0);
    fs::rename(path.join("new.pack"), path.join("own.npy")).expect("renamed");
    let ran = batch(path, &["own.npy"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.contains("own.toml reads and saves own.npy"), "{}", ran.err);
}

#[test]
fn a_job_that_cannot_be_read_leaves_no_pack() {
    let dir = folder(2);
    let path = dir.path();
    fs::write(path.join("bad.toml"), "version = 2\n").expect("written");
    fs::write(path.join("old.pack"), "old").expect("written");
    let before = files(path);
    for (args, error) in [
        (&["job0.toml", "bad.toml", "job1.toml"][..], "ctm: bad.toml:1: version: "),
        (&["job0.toml", "none.toml"], "ctm: none.toml: cannot read it: "),
        (&["job0.toml", "job0.toml"], "ctm: job0.toml is given twice"),
    ] {
        let ran = pack(path, &[args, &["-o", "old.pack"]].concat());
        assert_eq!(ran.status, 2);
        assert!(ran.err.starts_with(error), "{}", ran.err);
        assert!(files(path) == before);
    }
}

#[test]
fn a_damaged_pack_is_refused() {
    let dir = packed(3);
    let path = dir.path();
    let bytes = fs::read(path.join("jobs.pack")).expect("a pack");
    let ran = |bytes: &[u8]| {
        fs::write(path.join("jobs.pack"), bytes).expect("written");
        batch(path, &["jobs.pack", "-k"])
    };
    let cut = ran(&bytes[..bytes.len() - 30]);
    assert_eq!(cut.status, 2);
    assert!(cut.err.contains("ctm: jobs.pack: offset 0x"), "{}", cut.err);
    let mut other = bytes.clone();
    other[0] = 0;
    let other = ran(&other);
    let not_pack = "ctm: jobs.pack: not a pack: it does not begin with \"CTMPACK\"\n";
    assert_eq!((other.status, other.err.as_str()), (2, not_pack));
    let missing = batch(path, &["missing.pack", "-k"]);
    assert_eq!(missing.status, 2);
    assert!(missing.err.starts_with("ctm: missing.pack: cannot read it: "), "{}", missing.err);
    // A program is an error of its jobs.
    let mut changed = bytes.clone();
    changed[16 + 200] ^= 1;
    let changed = ran(&changed);
    assert_eq!(changed.status, 1);
    let failed = statuses(&changed.out).into_iter().filter(|(_, status)| status == "error");
    assert_eq!(failed.count(), 4, "{}", changed.out);
    assert!(changed.err.contains("ctm: job0.toml: jobs.pack: offset 0x10: program 0 does not"));
    // The record of a job is one of the pack: its name is in it.
    let mut changed = bytes.clone();
    let name = bytes.windows(9).position(|name| name == b"job0.toml").expect("a name");
    changed[name] ^= 1;
    let changed = ran(&changed);
    assert_eq!(changed.status, 2);
    assert!(changed.err.starts_with("ctm: jobs.pack: offset 0x"), "{}", changed.err);
}
