//! `ctm batch` from end to end.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// What a command gave: status, standard output, standard error.
struct Ran {
    status: i32,
    out: String,
    err: String,
}

fn start(dir: &Path, args: &[&str]) -> Child {
    Command::new(env!("CARGO_BIN_EXE_ctm"))
        .args(args)
        .current_dir(dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("ctm starts")
}

fn ctm_with(dir: &Path, args: &[&str], input: &str) -> Ran {
    let mut child = start(dir, args);
    let mut stdin = child.stdin.take().expect("a pipe");
    // A command that refuses its arguments does not read.
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    Ran {
        status: output.status.code().expect("a status"),
        out: String::from_utf8(output.stdout).expect("text"),
        err: String::from_utf8(output.stderr).expect("text"),
    }
}

fn ctm(dir: &Path, args: &[&str]) -> Ran {
    ctm_with(dir, args, "")
}

fn batch(dir: &Path, args: &[&str]) -> Ran {
    ctm(dir, &[&["batch"], args].concat())
}

fn job(program: &str, constant: usize, side: usize, save: &str) -> String {
    let last = side - 1;
    format!(
        "version = 1
about = \"constant {constant}\"
program = {{ file = \"{program}\" }}
domain = {{ i0 = 0, j0 = 0, i1 = {last}, j1 = {last} }}
constants = {{ float = {{ 0 = [{constant}, 0.25, 2, -1] }} }}
[limits]
instructions = 1000
[[output]]
slot = 0
format = \"FLOAT32_4\"
save = \"{save}.npy\"
"
    )
}

/// A program that ends, one that does not.
const PROGRAM: &str = "add o0, r0, c0\n";
const ENDLESS: &str = "top:\n add r1, r1, c0\n jump -> top\n mov o0, r1\n";

/// A folder with jobs `job0.toml` and so on, all good.
fn folder(count: usize) -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    fs::write(dir.path().join("p.dpp"), PROGRAM).expect("written");
    fs::write(dir.path().join("endless.dpp"), ENDLESS).expect("written");
    for n in 0..count {
        let text = job("p.dpp", n, 8, &format!("out{n}"));
        fs::write(dir.path().join(format!("job{n}.toml")), text).expect("written");
    }
    dir
}

/// All files of a folder and below with their bytes, without reports.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![dir.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_none_or(|e| e != "jsonl") {
                let bytes = fs::read(&path).expect("a file");
                let name = path.strip_prefix(dir).expect("inside").to_path_buf();
                files.insert(name, bytes);
            }
        }
    }
    files
}

fn lines(text: &str) -> Vec<Value> {
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect()
}

fn statuses(text: &str) -> Vec<(String, String)> {
    let word = |value: &Value| value.as_str().expect("a string").to_string();
    lines(text)
        .iter()
        .map(|line| (word(&line["job"]), word(&line["status"])))
        .collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |&(a, b): &(&str, &str)| (a.to_string(), b.to_string());
    expected.iter().map(owned).collect()
}

/// The summary without its times.
fn summary(ran: &Ran) -> &str {
    let line = ran.err.lines().find(|line| line.contains(" ok, "));
    let line = line.unwrap_or_else(|| panic!("no summary: {}", ran.err));
    line.split("; ").next().unwrap_or(line)
}

/// An object without what may differ from run to run.
fn without_times(mut object: Value) -> Value {
    let map = object.as_object_mut().expect("an object");
    map.shift_remove("seconds").expect("times");
    map.shift_remove("pi_per_second");
    object
}

#[test]
fn the_report_has_what_run_prints() {
    let (dir, alone) = (folder(3), folder(3));
    let names = ["job0.toml", "job1.toml", "job2.toml"];
    let ran = batch(dir.path(), &[&names[..], &["--stats"]].concat());
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(summary(&ran), "3 jobs: 3 ok, 0 failed");
    let lines = lines(&ran.out);
    assert_eq!(lines.len(), 3);
    for (line, name) in lines.into_iter().zip(names) {
        let run = ctm(alone.path(), &["run", name, "--stats", "--json"]);
        assert_eq!(run.status, 0, "{}", run.err);
        let run: Value = serde_json::from_str(&run.out).expect("JSON");
        let keys = |value: &Value| -> Vec<String> {
            value
                .as_object()
                .expect("an object")
                .keys()
                .cloned()
                .collect()
        };
        assert_eq!(keys(&line)[..2], ["job", "status"]);
        assert_eq!(keys(&line)[2..], keys(&run));
        let mut line = without_times(line);
        let map = line.as_object_mut().expect("an object");
        assert_eq!(map.shift_remove("job"), Some(name.into()));
        assert_eq!(map.shift_remove("status"), Some("ok".into()));
        assert_eq!(line, without_times(run));
    }
    assert_eq!(files(dir.path()), files(alone.path()));
}

#[test]
fn every_engine_and_mode_gives_the_same_report() {
    let mut reports = Vec::new();
    for args in [
        &[][..],
        &["--engine", "reference"],
        &["--engine", "block", "-j", "1"],
        &["--engine", "block", "-j", "5", "--mode", "exact"],
    ] {
        let dir = folder(40);
        let ran = batch(dir.path(), &[&["."], args].concat());
        assert_eq!((ran.status, summary(&ran)), (0, "40 jobs: 40 ok, 0 failed"));
        let mut lines: Vec<Value> = lines(&ran.out).into_iter().map(without_times).collect();
        for line in &mut lines {
            line["engine"] = Value::Null;
            line["adapter"] = Value::Null;
        }
        reports.push((lines, files(dir.path())));
    }
    for report in &reports[1..] {
        assert_eq!(*report, reports[0]);
    }
    let ran = batch(
        folder(1).path(),
        &["job0.toml", "--mode", "fast", "--engine", "block"],
    );
    let line = &lines(&ran.out)[0];
    assert_eq!(
        (&line["mode"], &line["engine"]),
        (&"fast".into(), &"block".into())
    );
}

/// Good, unreadable, endless, not savable, good.
fn failing() -> (tempfile::TempDir, [&'static str; 5]) {
    let dir = folder(5);
    let write = |name: &str, text: String| {
        fs::write(dir.path().join(name), text).expect("written");
    };
    write("job1.toml", "version = 1\nprogam = 3\n".to_string());
    write("job2.toml", job("endless.dpp", 1, 8, "out2"));
    write("job3.toml", job("p.dpp", 1, 8, "nowhere/out3"));
    let names = [
        "job0.toml",
        "job1.toml",
        "job2.toml",
        "job3.toml",
        "job4.toml",
    ];
    (dir, names)
}

#[test]
fn with_keep_going_a_failed_job_spoils_no_other() {
    let (dir, names) = failing();
    let ran = batch(dir.path(), &[&names[..], &["-k"]].concat());
    assert_eq!(ran.status, 1);
    assert_eq!(
        summary(&ran),
        "5 jobs: 2 ok, 3 failed (1 with faults, 2 with errors)"
    );
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
    assert!(
        error.starts_with("job1.toml:2: progam: unknown key;"),
        "{error}"
    );
    assert_eq!(lines[2]["faults"][0]["code"], "budget");
    assert_eq!(lines[2]["files"], serde_json::json!(["out2.npy"]));
    let error = lines[3]["error"].as_str().expect("text");
    assert!(
        error.starts_with("job3.toml:8: output[0].save: cannot write nowhere/out3.npy: "),
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
    let ran = batch(dir.path(), &names);
    assert_eq!(ran.status, 1);
    let expected = [("job0.toml", "ok"), ("job1.toml", "error")];
    assert_eq!(statuses(&ran.out), pairs(&expected));
    assert_eq!(
        summary(&ran),
        "5 jobs: 1 ok, 1 failed (0 with faults, 1 with errors), 3 not run"
    );
    let last = ran.err.lines().last().expect("a line");
    assert_eq!(
        last,
        "stopped after job1.toml, which failed; --keep-going goes on"
    );
    let saved = files(dir.path());
    assert!(saved.contains_key(Path::new("out0.npy")));
    assert!(!saved.contains_key(Path::new("out2.npy")));
    assert!(!saved.contains_key(Path::new("out4.npy")));
    // A fault stops as well, and what runs beside it leaves nothing.
    let ran = batch(dir.path(), &["job2.toml", "job4.toml"]);
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
    let expected = pairs(&[
        ("job2.toml", "ok"),
        ("job0.toml", "ok"),
        ("job3.toml", "ok"),
    ]);
    for ran in [
        batch(dir.path(), &["--list", "list"]),
        ctm_with(dir.path(), &["batch", "--list", "-"], list),
    ] {
        assert_eq!(ran.status, 0, "{}", ran.err);
        assert_eq!(statuses(&ran.out), expected);
    }
    let none = ctm_with(dir.path(), &["batch", "--list", "-"], "");
    assert_eq!((none.status, none.out.as_str()), (0, ""));
    assert_eq!(none.err, "0 jobs: 0 ok, 0 failed\n");
    let missing = batch(dir.path(), &["--list", "nowhere"]);
    assert_eq!(missing.status, 2);
    assert!(
        missing.err.starts_with("ctm: cannot read nowhere: "),
        "{}",
        missing.err
    );
    // A job that is not there fails, as one that is bad.
    let absent = ctm_with(
        dir.path(),
        &["batch", "-k", "--list", "-"],
        "no.toml\njob1.toml\n",
    );
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
    assert_eq!(
        refused(empty.path(), &["."]),
        "ctm: .: there is no job file in it\n"
    );
    fs::write(path.join("r.jsonl"), "{}\n").expect("written");
    assert_eq!(
        refused(path, &["job0.toml", "--report", "r.jsonl"]),
        "ctm: r.jsonl is there already: --resume goes on with it; to begin anew, remove it\n"
    );
    assert_eq!(
        refused(path, &["job0.toml", "--report", "r.jsonl", "--resume"]),
        "ctm: r.jsonl: line 1 is no line of a report: an object with \"job\" and \"status\" is \
         needed\n"
    );
    let report = fs::File::create(path.join("held.jsonl")).expect("created");
    report.lock().expect("a lock");
    assert_eq!(
        refused(path, &["job0.toml", "--report", "held.jsonl"]),
        "ctm: held.jsonl: another process is writing it\n"
    );
}

fn report(dir: &Path) -> String {
    fs::read_to_string(dir.join("r.jsonl")).expect("a report")
}

#[test]
fn a_torn_report_is_gone_on_with() {
    let whole = folder(12);
    let args = ["--report", "r.jsonl", "."];
    let ran = batch(whole.path(), &args);
    assert_eq!((ran.status, ran.out.as_str()), (0, ""), "{}", ran.err);
    let text = report(whole.path());
    let order = statuses(&text);
    let expected = files(whole.path());
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    for cut in [
        0,
        1,
        ends[0] - 1,
        ends[0],
        ends[4] + 20,
        ends[10],
        ends[11] - 1,
        ends[11],
    ] {
        let dir = folder(12);
        let path = dir.path();
        fs::write(path.join("r.jsonl"), &text[..cut]).expect("written");
        // What a killed process leaves: the results of complete lines, perhaps half a file.
        let complete = ends.iter().filter(|&&end| end <= cut).count();
        for (name, _) in &order[..complete] {
            let number = name.trim_start_matches("./job").trim_end_matches(".toml");
            let name = format!("out{number}.npy");
            fs::copy(whole.path().join(&name), path.join(&name)).expect("copied");
        }
        if complete < 12 {
            let next = order[complete].0.trim_start_matches("./job");
            let name = format!(".out{}.npy.ctm-part", next.trim_end_matches(".toml"));
            fs::write(path.join(name), "half").expect("written");
        }
        let ran = batch(path, &[&args[..], &["--resume"]].concat());
        assert_eq!(ran.status, 0, "{}", ran.err);
        let expected_summary = match complete {
            0 => "12 jobs: 12 ok, 0 failed".to_string(),
            n => format!("12 jobs: {} ok, 0 failed, {n} skipped", 12 - n),
        };
        assert_eq!(summary(&ran), expected_summary);
        let after = report(path);
        assert!(
            after.starts_with(&text[..ends.get(complete.wrapping_sub(1)).copied().unwrap_or(0)])
        );
        assert_eq!(statuses(&after), order, "cut at {cut}");
        assert_eq!(files(path), expected, "cut at {cut}");
    }
}

#[test]
fn failed_jobs_are_skipped_or_run_again() {
    let (dir, names) = failing();
    let path = dir.path();
    let args = |more: &[&'static str]| [&names[..], &["--report", "r.jsonl"], more].concat();
    assert_eq!(batch(path, &args(&[])).status, 1);
    let before = report(path);
    // Without --keep-going the failure of before still stops everything.
    let ran = batch(path, &args(&["--resume"]));
    assert_eq!((ran.status, report(path)), (1, before.clone()));
    assert_eq!(
        summary(&ran),
        "5 jobs: 0 ok, 0 failed, 2 skipped (1 of them failed before), 3 not run"
    );
    let ran = batch(path, &args(&["--resume", "-k"]));
    assert_eq!(ran.status, 1);
    let words: Vec<String> = statuses(&report(path)).into_iter().map(|s| s.1).collect();
    assert_eq!(words, ["ok", "error", "fault", "error", "ok"]);
    assert!(report(path).starts_with(&before));
    // With the jobs mended, all is well in the end.
    for n in [1, 2, 3] {
        let text = job("p.dpp", n, 8, &format!("out{n}"));
        fs::write(path.join(format!("job{n}.toml")), text).expect("written");
    }
    let ran = batch(path, &args(&["--resume", "--retry-failed"]));
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(summary(&ran), "5 jobs: 3 ok, 0 failed, 2 skipped");
    let mut after = statuses(&report(path));
    after.sort();
    let ok: Vec<(String, String)> = names.iter().map(|n| (n.to_string(), "ok".into())).collect();
    assert_eq!(after, ok);
    let good = folder(5);
    assert_eq!(batch(good.path(), &["."]).status, 0);
    assert_eq!(files(path), files(good.path()));
}

#[test]
fn a_killed_batch_is_gone_on_with() {
    const JOBS: usize = 160;
    let make = || {
        let dir = folder(0);
        fs::write(
            dir.path().join("p.dpp"),
            "mad r1, r0, c0, r1\n".repeat(40) + PROGRAM,
        )
        .expect("written");
        for n in 0..JOBS {
            let text = job("p.dpp", n, 32, &format!("out{n}"));
            fs::write(dir.path().join(format!("job{n}.toml")), text).expect("written");
        }
        dir
    };
    let whole = make();
    let args = [
        "batch",
        ".",
        "--report",
        "r.jsonl",
        "--engine",
        "reference",
        "-j",
        "1",
    ];
    // On a busy machine a batch can end before anyone gets to kill it; not every time.
    let killed = (0..5).find_map(|_| {
        let dir = make();
        let path = dir.path();
        let mut child = start(path, &args);
        // Until the first lines are there.
        while fs::metadata(path.join("r.jsonl")).map_or(0, |meta| meta.len()) == 0
            && child.try_wait().expect("a child").is_none()
        {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        child.kill().expect("killed");
        child.wait().expect("ended");
        let lines = report(path).matches('\n').count();
        println!("killed after {lines} of {JOBS} jobs");
        (lines < JOBS).then_some(dir)
    });
    let dir = killed.expect("a batch that was killed");
    let path = dir.path();
    for (name, _) in statuses(&report(path)[..report(path).rfind('\n').map_or(0, |n| n + 1)]) {
        let name = name.replace("job", "out").replace(".toml", ".npy");
        assert!(path.join(&name).exists(), "{name} is not there");
    }
    let ran = batch(path, &[".", "--report", "r.jsonl", "--resume"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let ran = batch(whole.path(), &[".", "--report", "r.jsonl"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    assert_eq!(files(path), files(whole.path()));
    assert_eq!(statuses(&report(path)), statuses(&report(whole.path())));
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
        assert_eq!(
            line["status"],
            if run.status == 0 { "ok" } else { "fault" },
            "{name}"
        );
        let run: Value = serde_json::from_str(&run.out).expect("JSON");
        for file in run["files"].as_array().expect("files") {
            let name = file.as_str().expect("a path").trim_start_matches("./");
            saved += usize::from(!before.contains_key(Path::new(name)));
        }
        let mut line = without_times(line);
        let map = line.as_object_mut().expect("an object");
        map.shift_remove("job");
        map.shift_remove("status");
        assert_eq!(line, without_times(run), "{name}");
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
    // These take long without full optimisation; each has a small variant.
    let large = ["mandelbrot/mandelbrot.toml", "matmul/matmul.toml"];
    let count = same_as_run(&folder, &|path| {
        !large.iter().any(|name| path.ends_with(name))
    });
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
