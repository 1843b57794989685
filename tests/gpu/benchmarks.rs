//! `ctm bench` on an adapter: its limits, and work that fills it; nothing about speed.

use ctm::engine::gpu::{AdapterChoice, Gpu};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs `ctm bench --json` on the adapter of the tests, with a folder for what is kept.
fn bench(kept: &Path, args: &[&str]) -> Value {
    let gpu = Gpu::open(&AdapterChoice::from_environment()).expect("an adapter");
    let output = Command::new(env!("CARGO_BIN_EXE_ctm"))
        .args(["bench", "--json", "--adapter", &gpu.info.index.to_string()])
        .args(args)
        .env("CTM_CACHE_DIR", kept)
        .output()
        .expect("ctm starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// The file of the limits.
fn file(kept: &Path) -> PathBuf {
    let files =
        std::fs::read_dir(kept).expect("the folder").map(|entry| entry.expect("an entry").path());
    let files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|e| e == "limits")).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    files[0].clone()
}

#[test]
#[ignore = "needs an adapter"]
fn limits_are_measured_once_and_again_on_demand_or_if_they_are_damaged() {
    let kept = tempfile::tempdir().expect("a folder");
    let measured = bench(kept.path(), &["--adapter-limits"]);
    let limits = measured["adapter"]["limits"].as_object().expect("limits");
    assert_eq!(limits.len(), 5);
    assert!(
        limits.values().all(|limit| limit.as_f64().is_some_and(|limit| limit > 0.0)),
        "{limits:?}"
    );
    // A launch among others takes less than one that the host waits for.
    assert!(limits["launch_of_64"].as_f64() < limits["launch"].as_f64(), "{limits:?}");
    let path = file(kept.path());
    let stored = std::fs::read(&path).expect("the file");
    let stored_limits: Value = serde_json::from_slice(&stored).expect("JSON");
    assert_eq!(stored_limits["limits"], measured["adapter"]["limits"]);
    let row = ["copy-linear", "--engine", "translated", "--size", "64x64", "--time", "0.001"];
    let results = bench(kept.path(), &row);
    let row_of = |results: &Value| results["results"][0].clone();
    let times = &row_of(&results)["seconds"];
    assert!(times["gpu"].as_f64().is_some_and(|gpu| gpu > 0.0), "{times}");
    assert!(times["gpu"].as_f64() <= times["wall"].as_f64(), "{times}");
    assert_eq!(std::fs::read(&path).expect("the file"), stored);
    for damaged in [&b"{}"[..], &stored[..stored.len() / 2], b""] {
        std::fs::write(&path, damaged).expect("the file");
        bench(kept.path(), &row);
        let again: Value =
            serde_json::from_slice(&std::fs::read(&path).expect("the file")).expect("JSON");
        assert_eq!(again["adapter"], stored_limits["adapter"]);
    }
    // A software adapter is not filled unless it is asked for.
    let copies =
        |more: &[&str]| row_of(&bench(kept.path(), &[&row[..], more].concat()))["copies"].as_u64();
    let full = copies(&["--copies", "full"]).expect("a number");
    assert!(full.is_power_of_two() && full.trailing_zeros() % 2 == 0, "{full}");
    assert_eq!(copies(&["--copies", "3"]), Some(3));
}

/// The number in front of a text, in seconds.
fn seconds_before(text: &str, after: &str) -> f64 {
    let (before, _) =
        text.split_once(after).unwrap_or_else(|| panic!("{after:?} is not in {text}"));
    let mut words = before.rsplit([' ', '(']);
    let unit = match words.next() {
        Some("s") => 1.0,
        Some("ms") => 1e-3,
        Some("us") => 1e-6,
        other => panic!("{other:?} is no unit, in {text}"),
    };
    unit * words.next().and_then(|number| number.parse::<f64>().ok()).expect("a number")
}

/// The GPU's time as `ctm run` and `ctm batch` print it: not 0, and of jobs that run one after the other at most the
/// time of all. A job that runs in a pack has its share.
#[test]
#[ignore = "needs an adapter"]
fn commands_print_the_time_of_the_gpu() {
    let gpu = Gpu::open(&AdapterChoice::from_environment()).expect("an adapter");
    if !gpu.has_timestamps() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let adapter = gpu.info.index.to_string();
    let ctm = |command: &str, args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_ctm"))
            .args([command, "--adapter", &adapter])
            .args(args)
            .current_dir(folder.path())
            .output()
            .expect("ctm starts");
        let texts =
            [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("UTF-8"));
        assert!(output.status.success(), "{texts:?}");
        texts
    };
    let program = "ld r1, i0[r0.rg]\nmad o0, r1, r1, r1\n";
    std::fs::write(folder.path().join("square.dpp"), program).expect("a program");
    let source = "version = 1\nprogram.file = 'square.dpp'\ndomain = { i0 = 0, j0 = 0, i1 = 15, j1 = 15 }\n\
                  [[input]]\nslot = 0\nformat = 'FLOAT32_4'\nfill = [1, 2, 3, 4]\nwidth = 16\nheight = 16\n\
                  [[output]]\nslot = 0\nformat = 'FLOAT32_4'\n";
    let jobs: Vec<String> = (0..4).map(|n| format!("{n}.toml")).collect();
    for job in &jobs {
        std::fs::write(folder.path().join(job), source).expect("a job");
    }
    for engine in ["interpreter", "translated"] {
        let [text, _] = ctm("run", &["--engine", engine, &jobs[0]]);
        let line = text.lines().find(|line| line.starts_with("time ")).expect("the times");
        let (all, of_gpu) = (seconds_before(line, " ("), seconds_before(line, " on the GPU"));
        assert!(of_gpu > 0.0 && of_gpu <= all, "{line}");
        let names: Vec<&str> = jobs.iter().map(String::as_str).collect();
        let [report, summary] =
            ctm("batch", &[&["-j", "1", "--engine", engine][..], &names].concat());
        let lines = report.lines().map(|line| serde_json::from_str(line).expect("JSON"));
        let times = lines.map(|line: Value| line["seconds"]["gpu"].as_f64().expect("a time"));
        let times: Vec<f64> = times.collect();
        assert!(times.len() == jobs.len() && times.iter().all(|&time| time > 0.0), "{report}");
        let (told, all) = (seconds_before(&summary, " on the GPU"), times.iter().sum::<f64>());
        // It is printed with two digits.
        assert!((told / all - 1.0).abs() < 0.06, "{summary} {times:?}");
    }
}
