//! `ctm batch` from end to end. What interrupted runs leave is in `batch_resume.rs`.

use crate::batch_common::{
    batch, failing, files, folder, job, lines, pairs, report, statuses, summary,
};
use crate::cli::{ctm, ctm_with};
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
    for key in ["engine", "adapter", "ran"] {
        map.shift_remove(key).expect("a place");
    }
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
fn with_keep_going_a_failed_job_spoils_no_other() {
    let (dir, names) = failing();
    let ran = batch(dir.path(), &[&names[..], &["-k", "-j", "1"]].concat());
    assert_eq!(ran.status, 1);
    assert_eq!(summary(&ran), "5 jobs: 2 ok, 3 failed (1 with faults, 2 with errors)");
    assert_eq!(
        statuses(&ran.out),
        pairs(&[
            ("job0.toml", "ok"),
            ("job1.toml", "error"),
            ("job2.toml", "fault"),
            ("job3.toml", "error"),
            ("job4.toml", "ok"),
        ])
    );
    let lines = lines(&ran.out);
    let error = lines[1]["error"].as_str().expect("text");
    assert!(error.starts_with("job1.toml:2: progam: unknown key;"), "{error}");
    assert_eq!(lines[2]["faults"][0]["code"], "budget");
    assert_eq!(lines[2]["files"], serde_json::json!(["out2.npy"]));
    let error = lines[3]["error"].as_str().expect("text");
    assert!(
        error.starts_with("job3.toml:11: output[0].save: cannot write nowhere/out3.npy: "),
        "{error}"
    );
    let told: Vec<&str> = ran.err.lines().filter(|l| l.starts_with("ctm: ")).collect();
    assert_eq!(told.len(), 3, "{}", ran.err);
    assert!(told[1].starts_with("ctm: job2.toml: "), "{}", ran.err);
    let alone = folder(5);
    ctm(alone.path(), &["run", "job0.toml"]);
    ctm(alone.path(), &["run", "job4.toml"]);
    for name in ["out0.npy", "out4.npy"] {
        let read = |dir: &tempfile::TempDir| fs::read(dir.path().join(name)).expect("a file");
        assert!(read(&dir) == read(&alone));
    }
}

#[test]
fn without_keep_going_the_first_failure_is_the_last_job() {
    let (dir, names) = failing();
    let ran = batch(dir.path(), &[&names[..], &["-j", "1"]].concat());
    assert_eq!(ran.status, 1);
    let expected = [("job0.toml", "ok"), ("job1.toml", "error")];
    assert_eq!(statuses(&ran.out), pairs(&expected));
    assert_eq!(summary(&ran), "5 jobs: 1 ok, 1 failed (0 with faults, 1 with errors), 3 not run");
    let last = ran.err.lines().last().expect("a line");
    assert_eq!(
        last,
        "stopped: job1.toml failed. With --keep-going the other jobs run nevertheless"
    );
    // Only a report can be continued.
    let (again, _) = failing();
    let ran = batch(again.path(), &[&names[..], &["-j", "1", "--report", "r.jsonl"]].concat());
    let last = ran.err.lines().last().expect("a line");
    assert_eq!(
        last,
        "stopped: job1.toml failed. --resume --keep-going runs the rest, --resume --retry-failed runs job1.toml again"
    );
    let saved = files(dir.path());
    assert!(saved.contains_key(Path::new("out0.npy")));
    assert!(!saved.contains_key(Path::new("out2.npy")));
    assert!(!saved.contains_key(Path::new("out4.npy")));
    // A fault stops as well.
    let ran = batch(dir.path(), &["job2.toml", "job4.toml", "-j", "1"]);
    assert_eq!(statuses(&ran.out), pairs(&[("job2.toml", "fault")]));
    let saved = files(dir.path());
    assert!(saved.contains_key(Path::new("out2.npy")));
    assert!(!saved.contains_key(Path::new("out4.npy")));
}

#[test]
fn lists_come_from_files_and_from_standard_input() {
    let dir = folder(4);
    let list = "job2.toml\n\njob0.toml\r\n  \njob3.toml";
    fs::write(dir.path().join("list"), list).expect("written");
    let expected = pairs(&[("job2.toml", "ok"), ("job0.toml", "ok"), ("job3.toml", "ok")]);
    for ran in [
        batch(dir.path(), &["--list", "list", "-j", "1"]),
        ctm_with(dir.path(), &["batch", "--list", "-", "-j", "1"], list),
    ] {
        assert_eq!(ran.status, 0, "{}", ran.err);
        assert_eq!(statuses(&ran.out), expected);
    }
    let none = ctm_with(dir.path(), &["batch", "--list", "-"], "");
    assert_eq!((none.status, none.out.as_str()), (0, ""));
    assert_eq!(none.err, "0 jobs: 0 ok, 0 failed\n");
    let missing = batch(dir.path(), &["--list", "nowhere"]);
    assert_eq!(missing.status, 2);
    assert!(missing.err.starts_with("ctm: cannot read nowhere: "), "{}", missing.err);
    // A job that is not there fails, as one that is bad.
    let absent =
        ctm_with(dir.path(), &["batch", "-k", "--list", "-", "-j", "1"], "no.toml\njob1.toml\n");
    let expected = [("no.toml", "error"), ("job1.toml", "ok")];
    assert_eq!(statuses(&absent.out), pairs(&expected));
}

fn refused(dir: &Path, args: &[&str]) -> String {
    let before = files(dir);
    let ran = batch(dir, args);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""), "{}", ran.err);
    assert_eq!(files(dir), before, "something was written");
    ran.err
}

#[test]
fn jobs_in_one_anothers_way_are_refused() {
    let dir = folder(3);
    let path = dir.path();
    fs::create_dir(path.join("sub")).expect("a folder");
    let write = |name: &str, text: &str| fs::write(path.join(name), text).expect("written");
    write("sub/same.toml", &job("../p.dpp", 1, 8, "../out1"));
    assert_eq!(
        refused(path, &["job0.toml", "job1.toml", "sub/same.toml", "-k"]),
        "ctm: job1.toml and sub/same.toml both save to sub/../out1.npy\n"
    );
    // Who saves nothing is in nobody's way.
    let ran = batch(path, &["job1.toml", "sub/same.toml", "--no-save"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert!(!path.join("out1.npy").exists());

    let input = "[[input]]\nslot = 0\nfile = \"out0.npy\"\nformat = \"FLOAT32_4\"\n";
    write("reads.toml", &(job("p.dpp", 1, 8, "other") + input));
    assert_eq!(
        refused(path, &["reads.toml", "job0.toml"]),
        "ctm: reads.toml reads out0.npy, which job0.toml saves: the jobs of a batch have no \
         order\n"
    );
    for (name, mask) in [("expects", ""), ("masks", "mask = \"out0.npy\"\n")] {
        let of = if mask.is_empty() { "out0.npy" } else { "p.npy" };
        let expect = format!("[[expect]]\noutput = 0\nfile = \"{of}\"\n{mask}");
        let name = format!("{name}.toml");
        write(&name, &(job("p.dpp", 1, 8, "other") + &expect));
        for order in [[&*name, "job0.toml"], ["job0.toml", &name]] {
            assert_eq!(
                refused(path, &order),
                format!(
                    "ctm: {name} reads out0.npy, which job0.toml saves: the jobs of a batch have no \
                     order\n"
                )
            );
        }
    }
    write("self.toml", &(job("p.dpp", 1, 8, "out0") + input));
    assert_eq!(
        refused(path, &["self.toml"]),
        "ctm: self.toml reads and saves out0.npy: it could not be run a second time\n"
    );
    assert_eq!(
        refused(path, &["job0.toml", "job1.toml", "job0.toml"]),
        "ctm: job0.toml is given twice\n"
    );
    assert_eq!(
        refused(path, &["job0.toml", "--report", "sub/../out0.npy"]),
        "ctm: job0.toml saves to the report, sub/../out0.npy\n"
    );
}

#[test]
fn bad_usage_is_refused() {
    let dir = folder(1);
    let path = dir.path();
    for args in [
        &[][..],
        &["job0.toml", "--list", "x"],
        &["job0.toml", "--resume"],
        &["job0.toml", "--report", "r", "--retry-failed"],
        &["job0.toml", "--engine", "none"],
    ] {
        refused(path, args);
    }
    let empty = tempfile::tempdir().expect("a folder");
    assert_eq!(refused(empty.path(), &["."]), "ctm: .: there is no job file in it\n");
    fs::write(path.join("r.jsonl"), "{}\n").expect("written");
    assert_eq!(
        refused(path, &["job0.toml", "--report", "r.jsonl"]),
        "ctm: r.jsonl exists already: use --resume to continue it, or remove it to start again\n"
    );
    assert_eq!(
        refused(path, &["job0.toml", "--report", "r.jsonl", "--resume"]),
        "ctm: r.jsonl: line 1 is not a line of a report: expected an object with \"job\" \
         and \"status\"\n"
    );
    let report = fs::File::create(path.join("held.jsonl")).expect("created");
    report.lock().expect("a lock");
    assert_eq!(
        refused(path, &["job0.toml", "--report", "held.jsonl"]),
        "ctm: held.jsonl: another process is writing it\n"
    );
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
fn same_as_run(from: &Path, keep: &dyn Fn(&Path) -> bool) -> usize {
    let (dir, alone) = (tempfile::tempdir(), tempfile::tempdir());
    let (dir, alone) = (dir.expect("a folder"), alone.expect("a folder"));
    for to in [dir.path(), alone.path()] {
        copy_folder(from, to, keep);
    }
    let before = files(dir.path());
    let ran = batch(dir.path(), &[".", "--keep-going", "--report", "r.jsonl"]);
    let report = report(dir.path());
    let mut saved = 0;
    for line in lines(&report) {
        let name = line["job"].as_str().expect("a path").to_string();
        let run = ctm(alone.path(), &["run", &name, "--json"]);
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
    let count = same_as_run(&folder, &|path| !files::is_large(path));
    assert!(count >= 10, "{count}");
}

#[test]
fn vectors_give_what_run_gives() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/jobs");
    let keep = |path: &Path| {
        path.extension().is_none_or(|e| e != "toml") || path.ends_with("default.toml")
    };
    let count = same_as_run(&folder, &keep);
    println!("{count} vectors");
    assert!(count >= 30, "{count}");
}
