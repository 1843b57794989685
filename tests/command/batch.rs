//! `ctm batch` from end to end. What interrupted runs leave is in `batch_resume.rs`.

use crate::batch_common::{batch, files, folder, job, lines, report, summary};
use crate::cli::ctm;
use ctm_testing::files;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// An object without what may differ from run to run.
fn without_times(mut object: Value) -> Value {
    let map = object.as_object_mut().expect("an object");
    map.shift_remove("seconds").expect("times");
    map.shift_remove("pi_per_second");
    object
}

/// The same without where it ran: alone a launch may be worth another engine than in a batch.
fn without_places(object: Value) -> Value {
    let mut object = without_times(object);
    let map = object.as_object_mut().expect("an object");
    for key in ["engine", "adapter"] {
        map.shift_remove(key).expect("a place");
    }
    map.shift_remove("ran");
    object
}

#[test]
fn the_report_has_what_run_prints() {
    let (dir, alone) = (folder(3), folder(3));
    let names = ["job0.toml", "job1.toml", "job2.toml"];
    let ran = batch(dir.path(), &[&names[..], &["--stats", "-j", "1"]].concat());
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(summary(&ran), "3 jobs: 3 ok, 0 failed");
    let lines = lines(&ran.out);
    assert_eq!(lines.len(), 3);
    for (line, name) in lines.into_iter().zip(names) {
        let run = ctm(alone.path(), &["run", name, "--stats", "--json"]);
        assert_eq!(run.status, 0, "{}", run.err);
        let run: Value = serde_json::from_str(&run.out).expect("JSON");
        let keys = |value: &Value| -> Vec<String> {
            value.as_object().expect("an object").keys().cloned().collect()
        };
        assert_eq!(keys(&line)[..2], ["job", "status"]);
        assert_eq!(keys(&line)[2..], keys(&run));
        let mut line = without_places(line);
        let map = line.as_object_mut().expect("an object");
        assert_eq!(map.shift_remove("job"), Some(name.into()));
        assert_eq!(map.shift_remove("status"), Some("ok".into()));
        assert_eq!(line, without_places(run));
    }
    assert_eq!(files(dir.path()), files(alone.path()));
}

/// Runs 40 jobs with these arguments each; reports and files must be equal.
fn same_reports(all: &[&[&str]]) {
    let mut reports = Vec::new();
    for args in all {
        let dir = folder(40);
        let ran = batch(dir.path(), &[&["."], *args].concat());
        let ends = (ran.status, summary(&ran));
        assert_eq!(ends, (0, "40 jobs: 40 ok, 0 failed"), "{args:?}");
        let mut lines: Vec<Value> = lines(&ran.out).into_iter().map(without_times).collect();
        for line in &mut lines {
            if let Some(at) = args.iter().position(|arg| *arg == "--engine") {
                // Engines that consist of several name the one that ran a job, if it was one.
                let of_several = ["gpu", "auto"].contains(&args[at + 1]);
                assert!(of_several || line["engine"] == args[at + 1], "{line}");
            }
            line["engine"] = Value::Null;
            line["adapter"] = Value::Null;
            // Engines that consist of several say what ran.
            let line = line.as_object_mut().expect("an object");
            line.shift_remove("ran");
        }
        // A job's line is written when it has ended.
        lines.sort_by_key(|line| line["job"].as_str().map(str::to_string));
        reports.push((lines, files(dir.path())));
    }
    for (report, args) in reports.iter().zip(all) {
        assert!(*report == reports[0], "{args:?}");
    }
}

/// On the adapter that `CTM_ADAPTER` names, else on a real GPU; see `common` for when this runs.
#[test]
#[ignore = "needs an adapter"]
fn every_engine_of_the_gpu_gives_the_same_report() {
    same_reports(&[
        &["--engine", "reference"],
        &["--engine", "interpreter"],
        &["--engine", "translated"],
        &["--engine", "gpu", "-j", "1"],
        &["--engine", "auto"],
    ]);
}

/// Jobs that run together on an adapter, with one that is broken, one that faults, one of several launches, and one
/// with a picture of each launch.
fn mixed() -> tempfile::TempDir {
    let dir = folder(20);
    let write = |name: &str, text: &str| fs::write(dir.path().join(name), text).expect("written");
    write("job12.toml", &job("none.dpp", 12, 8, "out12"));
    write("job13.toml", &job("endless.dpp", 13, 8, "out13"));
    let passes = |repeat: u32, picture: &str| {
        format!(
            "version = 1
[[buffer]]
name = \"sum\"
format = \"FLOAT32_4\"
width = 8
height = 8
save = \"sum{repeat}.npy\"
{picture}
[[pass]]
program = {{ file = \"more.dpp\" }}
domain = {{ i0 = 0, j0 = 0, i1 = 7, j1 = 7 }}
inputs = {{ 0 = \"sum\" }}
outputs = {{ 0 = \"sum\" }}
repeat = {repeat}
"
        )
    };
    write("more.dpp", "ld r1, i0[r0.rg]\nadd o0, r1, 1\n");
    write("job14.toml", &passes(3, ""));
    write("job15.toml", &passes(4, "animation = \"sum.png\""));
    write("job16.toml", &passes(9, ""));
    dir
}

#[test]
#[ignore = "needs an adapter"]
fn jobs_that_run_together_are_reported_as_jobs_alone() {
    let run = |engine: &str, more: &[&str]| {
        let dir = mixed();
        let args = [&[".", "-j", "1", "--engine", engine, "--no-times", "--stats"], more].concat();
        let ran = batch(dir.path(), &args);
        let mut lines = lines(&ran.out);
        for line in &mut lines {
            let line = line.as_object_mut().expect("an object");
            for key in ["engine", "adapter", "ran"] {
                line.shift_remove(key);
            }
        }
        (ran.status, lines, files(dir.path()), summary(&ran).to_string())
    };
    // In the order of the list, whatever ran together.
    let alone = run("reference", &["--keep-going"]);
    assert_eq!(alone.3, "20 jobs: 18 ok, 2 failed (1 with faults, 1 with errors)");
    for engine in ["interpreter", "translated"] {
        assert!(run(engine, &["--keep-going"]) == alone, "{engine}");
    }
    // After the first failure nothing is saved or reported.
    let alone = run("reference", &[]);
    assert_eq!((alone.0, alone.1.len()), (1, 5), "{:?}", alone.1);
    assert!(run("interpreter", &[]) == alone);
    // A part that resumes does not run what its report has.
    let dir = mixed();
    let args = [".", "--engine", "interpreter", "--report", "r.jsonl", "--keep-going"];
    assert_eq!(batch(dir.path(), &[&args[..], &["--shard", "1/2"]].concat()).status, 1);
    let first = lines(&report(dir.path())).len();
    let ran = batch(dir.path(), &[&args[..], &["--resume"]].concat());
    assert_eq!(lines(&report(dir.path())).len(), 20);
    assert!(summary(&ran).contains(&format!(", {first} skipped")), "{}", summary(&ran));
    // The time of one job is not that of those beside it.
    let dir = folder(3);
    let endless = job("endless.dpp", 1, 8, "out1")
        .replace("instructions = 1000", "instructions = 4000000000");
    fs::write(dir.path().join("job1.toml"), endless).expect("written");
    let args = [".", "-j", "1", "--engine", "interpreter", "--timeout", "2", "--keep-going"];
    let ran = batch(dir.path(), &args);
    let statuses: Vec<Value> =
        lines(&ran.out).into_iter().map(|line| line["status"].clone()).collect();
    assert_eq!(statuses, ["ok", "timeout", "ok"], "{}", ran.out);
}

#[test]
fn every_engine_and_mode_gives_the_same_report() {
    same_reports(&[
        &[],
        &["--engine", "reference"],
        &["--engine", "block", "-j", "1"],
        &["--engine", "block", "-j", "5", "--mode", "exact"],
    ]);
    let ran = batch(folder(1).path(), &["job0.toml", "--mode", "fast", "--engine", "block"]);
    let line = &lines(&ran.out)[0];
    assert_eq!((&line["mode"], &line["engine"]), (&"fast".into(), &"block".into()));
}

#[test]
fn a_report_that_another_process_writes_is_refused() {
    let dir = folder(1);
    let path = dir.path();
    let report = fs::File::create(path.join("held.jsonl")).expect("created");
    report.lock().expect("a lock");
    let ran = batch(path, &["job0.toml", "--report", "held.jsonl"]);
    let said = "ctm: held.jsonl: another process is writing it\n";
    assert_eq!((ran.status, ran.out.as_str(), ran.err.as_str()), (2, "", said));
}

fn copy_folder(from: &Path, to: &Path, keep: &dyn Fn(&Path) -> bool) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name");
        if path.is_dir() {
            copy_folder(&path, &to.join(name), keep);
        } else if keep(&path) {
            fs::copy(&path, to.join(name)).expect("copied");
        }
    }
}

/// Batch and single runs of all jobs in two copies of a folder; how many jobs there were.
fn same_as_run(from: &Path, engine: &str, keep: &dyn Fn(&Path) -> bool) -> usize {
    let (dir, alone) = (tempfile::tempdir(), tempfile::tempdir());
    let (dir, alone) = (dir.expect("a folder"), alone.expect("a folder"));
    for to in [dir.path(), alone.path()] {
        copy_folder(from, to, keep);
    }
    let before = files(dir.path());
    let ran = batch(dir.path(), &[".", "--keep-going", "--report", "r.jsonl", "--engine", engine]);
    let report = report(dir.path());
    let mut saved = 0;
    for line in lines(&report) {
        let name = line["job"].as_str().expect("a path").to_string();
        let run = ctm(alone.path(), &["run", &name, "--json", "--engine", engine]);
        assert_eq!(line["status"], if run.status == 0 { "ok" } else { "fault" }, "{name}");
        let run: Value = serde_json::from_str(&run.out).expect("JSON");
        for file in run["files"].as_array().expect("files") {
            let name = file.as_str().expect("a path").trim_start_matches("./");
            saved += usize::from(!before.contains_key(Path::new(name)));
        }
        let mut line = without_places(line);
        let map = line.as_object_mut().expect("an object");
        map.shift_remove("job");
        map.shift_remove("status");
        assert_eq!(line, without_places(run), "{name}");
    }
    assert_eq!(files(dir.path()), files(alone.path()));
    assert_eq!(files(dir.path()).len(), before.len() + saved);
    let count = lines(&report).len();
    assert_eq!(ran.status, 0, "{}", ran.err);
    count
}

#[test]
fn kernels_give_what_run_gives() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("kernels");
    let count = same_as_run(&folder, "auto", &|path| !files::is_large(path));
    assert!(count >= 10, "{count}");
}

#[test]
fn vectors_give_what_run_gives() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/jobs");
    let keep = |path: &Path| {
        path.extension().is_none_or(|e| e != "toml") || path.ends_with("default.toml")
    };
    let count = same_as_run(&folder, "block", &keep);
    println!("{count} vectors");
    assert!(count >= 30, "{count}");
}
