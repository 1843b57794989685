//! Helpers for tests of `ctm batch`: folders of jobs, reports.

use crate::cli::{Ran, ctm};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// `ctm batch`.
pub fn batch(dir: &Path, args: &[&str]) -> Ran {
    ctm(dir, &[&["batch"], args].concat())
}

/// A job that saves `SAVE.npy`.
pub fn job(program: &str, constant: usize, side: usize, save: &str) -> String {
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

/// A program that ends.
pub const PROGRAM: &str = "add o0, r0, c0\n";
/// A program that does not end.
pub const ENDLESS: &str = "top:\n add r1, r1, c0\n jump -> top\n mov o0, r1\n";

/// A folder with jobs `job0.toml` and so on, all good.
pub fn folder(count: usize) -> tempfile::TempDir {
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
pub fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
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

/// The lines of a report.
pub fn lines(text: &str) -> Vec<Value> {
    assert!(text.is_empty() || text.ends_with('\n'), "{text}");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// The jobs of a report and how they came out.
pub fn statuses(text: &str) -> Vec<(String, String)> {
    let word = |value: &Value| value.as_str().expect("a string").to_string();
    lines(text).iter().map(|line| (word(&line["job"]), word(&line["status"]))).collect()
}

/// The result of [`statuses`], for comparisons.
pub fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |&(a, b): &(&str, &str)| (a.to_string(), b.to_string());
    expected.iter().map(owned).collect()
}

/// The report `r.jsonl` of a folder.
pub fn report(dir: &Path) -> String {
    fs::read_to_string(dir.join("r.jsonl")).expect("a report")
}

/// The summary without its times.
pub fn summary(ran: &Ran) -> &str {
    let line = ran.err.lines().find(|line| line.contains(" ok, "));
    let line = line.unwrap_or_else(|| panic!("no summary: {}", ran.err));
    line.split("; ").next().unwrap_or(line)
}

/// [`folder`] and `long.toml`, a job that takes days, whose output is there already.
pub fn long(count: usize) -> tempfile::TempDir {
    let dir = folder(count);
    let text = job("endless.dpp", 1, 4096, "long");
    let text = text.replace("instructions = 1000", "instructions = 16777216");
    fs::write(dir.path().join("long.toml"), text).expect("written");
    fs::write(dir.path().join("long.npy"), "what there was").expect("written");
    dir
}

/// Whether a process catches a signal, by what Linux tells of it.
#[cfg(target_os = "linux")]
fn catches(process: u32, signal: u32) -> bool {
    let status = fs::read_to_string(Path::new("/proc").join(process.to_string()).join("status"));
    let status = status.expect("it runs");
    let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("a mask");
    let mask = u64::from_str_radix(mask.trim(), 16).expect("hexadecimal");
    mask >> (signal - 1) & 1 != 0
}

/// Sends a process a signal once it catches it.
#[cfg(target_os = "linux")]
pub fn signal(child: &std::process::Child, name: &str, number: u32) {
    while !catches(child.id(), number) {
        std::thread::yield_now();
    }
    // From then on until the process has said what it does with the signal, one is lost (signal-hook says so of its
    // `register`). That takes microseconds, unless other programs run just then.
    std::thread::sleep(std::time::Duration::from_millis(50));
    let sent = std::process::Command::new("kill")
        .args([format!("-{name}"), child.id().to_string()])
        .status();
    assert!(sent.expect("kill runs").success());
}
