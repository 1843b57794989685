//! The command from end to end, where a transcript does not say all: other files, help, numbers that must agree.

use crate::cli::ctm;
use ctm::engine::Statistics;
use serde_json::Value;
use std::fs;
use std::path::Path;

/// One OUT instruction that writes constant 0 to output 0.
const PROGRAM: &str = "00078005 08020100 08020100 00db0220 00c0c000 20490000\n";

const JOB: &str = "version = 1
program = { file = \"p.hex\" }
domain = { i0 = 0, j0 = 0, i1 = 9, j1 = 4 }
constants = { float = { 0 = [0.25, 1, 2, -1] } }
[[output]]
slot = 0
format = \"FLOAT32_4\"
";

fn directory() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path();
    fs::write(path.join("p.hex"), PROGRAM).unwrap();
    fs::write(path.join("job.toml"), JOB).unwrap();
    dir
}

/// One model of what bounds a launch, whatever measures it.
#[test]
fn run_and_bench_agree_about_the_card() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for job in ["nbody", "saxpy", "sobel"] {
        let file = format!("kernels/{job}/{job}.toml");
        let common = ["--engine", "block", "--json"];
        let run = [&["run", &file, "--stats", "--no-save"], &common[..]].concat();
        let run: Value = serde_json::from_str(&ctm(root, &run).out).unwrap();
        let bench = [&["bench", &file, "--time", "0.001"], &common[..]].concat();
        let bench: Value = serde_json::from_str(&ctm(root, &bench).out).unwrap();
        let row = &bench["results"][0];
        assert!(run["card_seconds"].as_f64().unwrap() > 0.0);
        for key in ["card_seconds", "card_bound"] {
            assert_eq!(run[key], row[key], "{job} {key}");
        }
    }
}

/// Where nothing could be chosen the summary's line on the engine says why.
#[test]
#[cfg(target_os = "linux")]
fn a_machine_without_a_gpu_is_no_failure() {
    if ctm::engine::gpu::device::adapter::may_have_gpu() {
        println!("not run: there is a GPU");
        return;
    }
    let dir = directory();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_ctm"))
        .args(["run", "job.toml", "--no-save"])
        .current_dir(dir.path())
        // It would name one to use all the same.
        .env_remove("CTM_ADAPTER")
        .output()
        .expect("it runs");
    let out = String::from_utf8(output.stdout).expect("text");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[1], "engine block (no GPU here), mode exact: 1 launch, 50 points in 2 groups");
    assert!(lines[2].starts_with("time "), "{}", out);
    assert_eq!(lines.len(), 3, "{}", out);
}

/// Python shows the counters of the library; those of the command have the same names.
#[test]
fn parts_of_the_time_and_counters_are_complete() {
    let dir = directory();
    let ran = ctm(dir.path(), &["run", "job.toml", "--json", "--stats"]);
    let object: Value = serde_json::from_str(&ran.out).unwrap();
    let seconds = object["seconds"].as_object().unwrap();
    let parts: f64 =
        seconds.iter().filter(|(key, _)| *key != "total").flat_map(|(_, s)| s.as_f64()).sum();
    assert!((parts - seconds["total"].as_f64().unwrap()).abs() < 1e-9, "{seconds:?}");
    for (name, _) in Statistics::default().counters() {
        let shown = object.get(name).or(object["instructions"].get(name)).is_some();
        assert!(shown || name == "tex_fetching" || name.starts_with("shared_"), "{name}");
    }
    // Four rows of twelve elements and one of ten, 16 bytes each, at 49.6 GB a second.
    let seconds = object["card_seconds"].as_f64().unwrap();
    assert!((seconds * 49.6e9 - 928.0).abs() < 1e-6, "{seconds}");
}

#[test]
fn verify_passes_all_test_vectors() {
    let ran = ctm(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors"),
        &["verify", ".", "-q", "--engine", "block"],
    );
    assert_eq!(ran.status, 0, "{}", ran.out);
    let passed: u32 = ran.out.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(ran.out, format!("{passed} passed, 0 failed\n"));
    assert!(passed > 100, "{passed}");
}

#[test]
fn help_teaches() {
    let dir = directory();
    for (command, words) in [
        ("run", ["Examples:", "--trace", "Exit status"]),
        ("verify", ["Examples:", "--report", "Exit status"]),
        ("diff", ["Examples:", "--bits", "Exit status"]),
    ] {
        let ran = ctm(dir.path(), &[command, "--help"]);
        assert_eq!(ran.status, 0);
        for word in words {
            assert!(ran.out.contains(word), "{command}: {word}");
        }
    }
}

/// Help and pages say nothing that the commands contradict.
#[test]
fn pages_and_help_agree_with_the_commands() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The relative tolerance is one of A, the expected program, in both places.
    let help = ctm(root, &["help", "compare"]).out;
    assert!(help.contains("as a factor of the expected value"), "{help}");
    assert!(help.contains("A is the expected program") && help.contains("RTOL * |a|"), "{help}");
    // Every strength has its line.
    let help = ctm(root, &["help", "fuzz"]).out;
    for strength in ctm::crosscheck::Strength::ALL {
        assert!(help.contains(&format!("\n  {} ", strength.name())), "{}", strength.name());
    }
    // Commands with an engine on a GPU name an adapter, so that they run where there is no GPU.
    let page = |name: &str| fs::read_to_string(root.join(name)).expect("a page");
    let pages = ["README.md", "docs/translation.md", "docs/crosscheck.md"].map(page);
    let fuzz = pages.iter().flat_map(|page| page.lines()).filter(|line| line.contains("ctm fuzz "));
    let on_gpu = |line: &&str| line.contains("interpreter") || line.contains("translated");
    let on_gpu: Vec<_> = fuzz.filter(on_gpu).collect();
    assert!(on_gpu.len() >= 2, "{on_gpu:?}");
    assert!(on_gpu.iter().all(|line| line.contains("--adapter ")), "{on_gpu:?}");
    // The tutorial counts no kernels, and says when a group is not 8 x 8.
    let tutorial = page("docs/tutorial.md");
    assert!(!tutorial.contains("nine kernels") && tutorial.contains("64 x 1"), "{tutorial}");
}

/// The answer of a command to a call for help.
fn help(args: &[&str]) -> String {
    let ran = ctm(Path::new("."), args);
    assert_eq!(ran.status, 0, "{args:?}: {}", ran.err);
    ran.out
}

#[test]
fn every_command_has_help() {
    let all = help(&["--help"]);
    let (commands, _) = all.split_once("Options:\n").expect("commands");
    let names: Vec<&str> = commands
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .collect();
    assert!(names.len() >= 12, "{names:?}");
    for name in names {
        let text = help(&[name, "--help"]);
        assert!(text.contains(&format!("Usage: ctm {name} ")), "{text}");
        assert!(text.contains("-h, --help"), "{text}");
        // What it does stands in both.
        let first = text.split([' ', '.']).take(2).collect::<Vec<_>>().join(" ");
        let line = commands.lines().find(|line| line.starts_with(&format!("  {name} ")));
        assert!(line.is_some_and(|line| line.contains(&first)), "{text}");
    }
}
