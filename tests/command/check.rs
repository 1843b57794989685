//! `ctm check`, from end to end.

use crate::cli::ctm;
use ctm_testing::files;
use serde_json::Value;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const PROGRAM: &str = "\
ld  r1, i0[r0.rg]
mul r2, r1, 2 @!wait
add r3, r0, c0
mov o0, r2
";

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.dpp"), PROGRAM).unwrap();
    fs::write(folder.path().join("good.dpp"), "mov o0, r0\n").unwrap();
    folder
}

#[test]
fn sarif_has_rules_results_and_places() {
    let folder = folder();
    let ran = ctm(folder.path(), &["check", "a.dpp", "--sarif", "out.sarif"]);
    assert_eq!(ran.status, 1);
    let text = fs::read_to_string(folder.path().join("out.sarif")).unwrap();
    let log: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert_eq!(results.len(), 2);
    for result in results {
        let rule = &rules[result["ruleIndex"].as_u64().unwrap() as usize];
        assert_eq!(rule["id"], result["ruleId"]);
        assert!(["error", "warning", "note"].contains(&result["level"].as_str().unwrap()));
        assert!(!result["message"]["text"].as_str().unwrap().is_empty());
        assert!(result["partialFingerprints"]["statement/v1"].is_string());
        let place = &result["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "a.dpp");
    }
    let region = &results[0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startLine"], &region["startColumn"]), (&2.into(), &1.into()));
    let related = &results[0]["relatedLocations"][0];
    assert_eq!(related["physicalLocation"]["region"]["startLine"], 1);
    assert_eq!(related["message"]["text"], "fetches r1.rgba");
}

const JOB: &str = "\
version = 1
program = { file = \"p.dpp\" }
domain = { i0 = 0, j0 = 0, i1 = 7, j1 = 3 }
[[input]]
slot = 0
fill = [1.0, 2.0, 3.0, 4.0]
width = 7
height = 4
format = \"FLOAT32_4\"
[[output]]
slot = 0
format = \"FLOAT32_4\"
";

#[test]
fn a_job_is_run_and_its_points_are_painted() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("p.dpp"), "ld r1, i0[r0.rg]\nmov o0, r1\n").unwrap();
    fs::write(path.join("job.toml"), JOB).unwrap();
    let args = ["check", "job.toml", "--mask", "clamped-fetch=bad.png", "--json"];
    let ran = ctm(path, &args);
    assert_eq!((ran.status, ran.err.as_str()), (1, ""));
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    let finding = &found["files"][0]["findings"][0];
    assert_eq!(finding["code"], "clamped-fetch");
    assert_eq!(finding["first_point"], serde_json::json!([7, 0]));
    assert_eq!(finding["count"], 4);
    assert_eq!(finding["at"]["line"], 1);
    let file = fs::read(path.join("bad.png")).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    reader.next_frame(&mut bytes).unwrap();
    let row = [0, 0, 0, 0, 0, 0, 0, 255];
    assert_eq!(bytes, [row; 4].concat());
    let ran = ctm(path, &["check", "job.toml", "--no-run"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
}

/// The examples of mistakes that the documentation shows give what it shows.
#[test]
fn examples_of_mistakes_are_shown_as_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (pages, args) in [
        (&["README.md"][..], &["check", "examples/mistakes/blur.toml"][..]),
        (
            &["docs/mesa.md"],
            &["compare", "examples/mistakes/right.dpp", "examples/mistakes/wrong.dpp"],
        ),
    ] {
        let ran = ctm(root, args);
        assert_eq!((ran.status, ran.err.as_str()), (1, ""));
        for page in pages {
            let text = fs::read_to_string(root.join(page)).expect("a page");
            let command = format!("$ ctm {}\n", args.join(" "));
            let (_, shown) =
                text.split_once(&command).unwrap_or_else(|| panic!("{page}: {command}"));
            let (shown, _) = shown.split_once("```").expect("its end");
            // A page leaves out what `...` stands for.
            let shown = shown.strip_prefix("...\n").unwrap_or(shown);
            assert!(ran.out.ends_with(shown), "{page}:\n{shown}\n{}", ran.out);
        }
    }
}

/// Kernels allow in their sources the findings that they make on purpose.
#[test]
fn the_kernels_have_no_findings() {
    let mut jobs = files::jobs("kernels");
    jobs.retain(|file| !files::is_large(file));
    let jobs: Vec<&str> = jobs.iter().map(|file| file.to_str().expect("UTF-8")).collect();
    let ran = ctm(&files::root(), &[&["check", "--points", "64"], &jobs[..]].concat());
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    assert!(ran.out.ends_with(" files checked: no findings\n"), "{}", ran.out);
}

/// Mesa's programs on the inputs of their jobs.
#[test]
fn nearly_all_vectors_are_proved_free_of_nan() {
    let root = files::root();
    let folders = fs::read_dir(root.join("tests/vectors/jobs")).unwrap();
    let jobs = folders.map(|folder| folder.unwrap().path().join("default.toml"));
    let jobs: Vec<_> = jobs.filter(|job| job.is_file()).collect();
    let mut args = vec!["check", "--ranges", "--json"];
    args.extend(jobs.iter().map(|job| job.to_str().unwrap()));
    let ran = ctm(&root, &args);
    let report: Value = serde_json::from_str(&ran.out).unwrap();
    let (mut decided, mut not) = (0, Vec::new());
    for file in report["files"].as_array().unwrap() {
        for pass in file["passes"].as_array().unwrap() {
            let Some(proofs) = pass.get("proofs") else { continue };
            decided += 1;
            if proofs[0]["proved"] == false {
                not.push(format!("{}: {}", file["file"], proofs[0]));
            }
        }
    }
    assert!(decided > 40, "{decided}");
    // Some values stay small only because a loop ends in time, which ranges do not see.
    assert!(not.len() * 20 <= decided, "of {decided}: {not:#?}");
}
