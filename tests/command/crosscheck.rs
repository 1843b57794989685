//! `ctm crosscheck` from end to end.

use crate::cli;
use crate::common;
use ctm_testing::files;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};

fn ctm(dir: &Path, args: &[&str]) -> (i32, String, String) {
    let ran = cli::ctm(dir, args);
    (ran.status, ran.out, ran.err)
}

/// One OUT instruction that writes constant 0 to output 0.
const PROGRAM: &str = "00078005 08020100 08020100 00db0220 00c0c000 20490000\n";

const JOB: &str = "version = 1
program = { file = \"p.hex\" }
domain = { i0 = 0, j0 = 0, i1 = 9, j1 = 4 }
constants = { float = { 0 = [0.25, 1, 2, -1] } }
float = { mode = \"fast\" }
[[output]]
slot = 0
format = \"FLOAT32_4\"
";

/// A folder with two good jobs, one below the other.
fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("below")).unwrap();
    for place in ["", "below"] {
        let place = dir.path().join(place);
        fs::write(place.join("p.hex"), PROGRAM).unwrap();
        fs::write(place.join("job.toml"), JOB).unwrap();
    }
    dir
}

#[test]
fn faults_are_compared_and_are_no_failure() {
    let dir = folder();
    let small = JOB.replace("format = \"FLOAT32_4\"", "format = \"FLOAT32_4\"\nheight = 3");
    fs::write(dir.path().join("small.toml"), small).unwrap();
    let (status, out, _) = ctm(dir.path(), &["crosscheck", "small.toml"]);
    assert_eq!(status, 0, "{out}");
    assert!(out.contains("50 points, 50 lane instructions, 20 faults\n"), "{out}");
}

/// A budget above what the engines on a GPU can count, which they refuse by name.
#[test]
#[ignore = "needs an adapter"]
fn an_engine_that_refuses_is_no_difference() {
    let dir = folder();
    let args = ["crosscheck", "--engine", "reference,interpreter"];
    let args = [&args[..], &["--limit", "5000000000", "job.toml"]].concat();
    let (status, out, err) = ctm(dir.path(), &args);
    assert_eq!((status, err.as_str()), (1, ""), "{out}");
    assert!(out.starts_with("REF  job.toml: launch 0: reference ran it; interpreter"), "{out}");
    let total = "0 the same on reference and interpreter, 0 differ, 1 refused, 0 bad\n";
    assert!(out.ends_with(total), "{out}");
    let (_, json, _) = ctm(dir.path(), &[&args[..], &["--json"]].concat());
    let object: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(object["failed"], 1);
    assert_eq!(object["results"][0]["verdict"], "refused");
    // Its launch counts among those that a shader may have run.
    let engines = ["crosscheck", "--engine", "reference,interpreter,translated"];
    let args = [&engines[..], &["--limit", "5000000000", "job.toml"]].concat();
    let (_, out, _) = ctm(dir.path(), &args);
    assert!(out.starts_with("REF  job.toml: "), "{out}");
    assert!(out.lines().last().is_some_and(|line| line.ends_with(" of 1 launch")), "{out}");
}

/// Jobs with flow control, textures and predicates that other programs have made.
#[test]
fn engines_agree_on_vectors_of_the_repository() {
    let vectors = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/exact");
    let mut engines = vec!["reference".to_string(), "block".to_string()];
    let on_gpu = common::gpu_engines();
    engines.extend(on_gpu.iter().map(|engine| engine.name().to_string()));
    let files = files::jobs("tests/vectors/exact").len();
    assert!(files > 50, "{files}");
    let args = ["crosscheck", "-q", "."];
    let (status, out, err) = ctm(&vectors, &args);
    assert_eq!((status, err.as_str()), (0, ""), "{out}");
    let same = format!("{files} the same on {}, 0 differ, 0 bad\n", engines.join(" and "));
    let rest = out.strip_prefix(&same).unwrap_or_else(|| panic!("{out}"));
    // Most of these programs translate.
    let shaders = rest.strip_prefix("a shader ran ").and_then(|rest| rest.split_once(' '));
    assert_eq!(shaders.is_some(), !on_gpu.is_empty(), "{out}");
    if let Some((ran, _)) = shaders {
        assert!(ran.parse::<usize>().expect("a number") > files / 2, "{out}");
    }
}
