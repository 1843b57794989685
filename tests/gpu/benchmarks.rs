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
