//! `ctm card`, `ctm compare --modes` and mode `chip` as a user sees them.

use crate::cli::ctm;
use serde_json::{Value, json};
use std::path::Path;

const TWO: [&str; 2] = ["fs-op-assign-div-ivec3-ivec3", "fs-op-div-ivec3-ivec3"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs the command in the repository.
fn run(args: &[&str]) -> (i32, String, String) {
    let ran = ctm(root(), args);
    (ran.status, ran.out, ran.err)
}

#[test]
fn the_card_agrees_with_exact_on_1304_tests_and_with_chip_on_1306() {
    let (status, out, err) = run(&["card"]);
    assert_eq!((status, &err[..]), (0, ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "1306 tests with a constant result on an RV530; 2 more are flaky there");
    assert!(lines.contains(&"exact    1304          2"), "{out}");
    assert!(lines.contains(&"chip     1306          0"), "{out}");
    for name in TWO {
        let line = lines.iter().find(|line| line.contains(&format!("@{name}:"))).expect("a line");
        assert!(line.contains("card fail, exact pass") && line.ends_with("chip fail"), "{line}");
    }

    let (status, out, _) = run(&["card", "--json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((status, &json["tests"], &json["flaky"]), (0, &json!(1306), &json!(2)));
    let mode = |name: &str| {
        let modes = json["modes"].as_array().expect("modes").iter();
        modes.clone().find(|mode| mode["mode"] == name).expect("a mode").clone()
    };
    assert_eq!(mode("exact")["agrees"], 1304);
    assert_eq!((&mode("chip")["agrees"], &mode("chip")["disagrees"]), (&json!(1306), &json!([])));
    let disagrees = mode("exact")["disagrees"].as_array().expect("names").clone();
    let ends = disagrees
        .iter()
        .zip(TWO)
        .all(|(found, name)| found.as_str().expect("a name").ends_with(&format!("@{name}")));
    assert!(ends && disagrees.len() == 2, "{disagrees:?}");
}

#[test]
fn tests_of_the_card_are_listed_and_shown() {
    let (status, out, _) = run(&["card", "--list"]);
    assert_eq!((status, out.lines().count()), (0, 1308));
    assert_eq!(out.lines().filter(|line| line.starts_with("flake ")).count(), 2);

    let (status, out, _) = run(&["card", "--show", "@fs-op-div-ivec3-ivec3"]);
    assert_eq!(status, 0);
    for text in [": fail on the card\n", "rcp", "draw 0:\n", "colour in mode chip:"] {
        assert!(out.contains(text), "{text}: {out}");
    }
    assert!(out.contains("holds in mode exact, does not hold in mode chip"), "{out}");
    let (_, out, _) = run(&["card", "--show", "@fs-op-div-ivec3-ivec3", "--json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    let apart = json["probes"].as_array().expect("probes").iter();
    assert!(apart.clone().any(|probe| probe["exact"] == true && probe["chip"] == false));

    let (status, _, err) = run(&["card", "--show", "no-such-test"]);
    assert_eq!(
        (status, &err[..]),
        (2, "ctm: --show no-such-test: there is no such test; see --list\n")
    );
    let (status, _, err) = run(&["card", "--show", "vec3"]);
    assert!(status == 2 && err.ends_with(" tests end so; see --list\n"), "{err}");
}

#[test]
fn the_output_of_an_owner_says_which_rules_it_supports() {
    let folder = tempfile::tempdir().expect("a folder");
    let result = folder.path().join("result.txt");
    let file = result.to_str().expect("UTF-8");
    let held = "mul.shader_test\nPIGLIT: {\"result\": \"pass\" }\n";
    std::fs::write(&result, held).expect("a file");
    let (status, out, err) = run(&["card", "--read", file]);
    assert_eq!((status, &err[..]), (0, ""));
    assert!(out.starts_with("mul: 20 of 20 questions answered\n"), "{out}");
    assert!(out.contains("\n  supports chip (truncated): 20 of 20 answers\n"), "{out}");
    assert!(out.contains("\n  excludes exact (to nearest, ties to even): "), "{out}");
    let (_, out, _) = run(&["card", "--read", file, "--json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    let answer = &json["answers"][0];
    assert_eq!(
        (&answer["test"], &answer["supports"]),
        (&json!("mul"), &json!(["chip (truncated)"]))
    );
    std::fs::write(&result, "nothing").expect("a file");
    let (status, _, err) = run(&["card", "--read", file]);
    let nothing = "no answers: expected the output of the tests in examples/card";
    assert_eq!((status, err), (2, format!("ctm: {file}: {nothing}\n")));
}

#[test]
fn a_job_is_compared_in_two_modes() {
    let job = "tests/vectors/chip/mad/job.toml";
    let (status, out, err) = run(&["compare", "--modes", "exact,exact", job]);
    assert_eq!((status, &err[..]), (0, ""));
    assert_eq!(out, "output 0: all 6144 values equal\nequal\n");
    let (status, out, err) = run(&["compare", "--modes", "exact,chip", job]);
    assert_eq!((status, &err[..]), (1, ""));
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("output 0: ") && lines[0].ends_with(" ULP)"), "{out}");
    assert!(
        lines[1].starts_with("  they part at point (")
            && lines[1].contains("launch 0, pc 3: mad o0"),
        "{out}"
    );
    assert!(
        lines[2].contains(" in mode exact and ") && lines[2].ends_with(" in mode chip"),
        "{out}"
    );
    assert_eq!(lines[3], "different (got is chip, want is exact)");
    let (_, out, _) = run(&["compare", "--modes", "exact,chip", job, "--json"]);
    let json: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&json["equal"], &json["modes"]), (&json!(false), &json!(["exact", "chip"])));
    let output = &json["outputs"][0];
    assert_eq!((&output["parting"]["pc"], &output["parting"]["launch"]), (&json!(3), &json!(0)));
    assert!(output["comparison"]["worst_ulps"].as_u64() > Some(0), "{output}");

    let (status, _, err) = run(&["compare", "--modes", "exact", job]);
    assert_eq!(
        (status, &err[..]),
        (2, "ctm: --modes: 1 given, expected two, such as exact,chip\n")
    );
    let (status, _, _) = run(&["compare", "--modes", "exact,chip", job, job]);
    assert_eq!(status, 2);
}

#[test]
fn mode_chip_is_taken_where_modes_are() {
    let job = "tests/vectors/chip/dp3/job.toml";
    for engine in ["reference", "block"] {
        let (status, out, err) = run(&["verify", "tests/vectors/chip", "--engine", engine]);
        assert_eq!((status, &err[..]), (0, ""), "{out}");
        let (status, _, _) =
            run(&["verify", "tests/vectors/chip", "--engine", engine, "--mode", "exact"]);
        assert_eq!(status, 1);
    }
    let (status, out, _) =
        run(&["run", job, "--mode", "chip", "--no-save", "--engine", "reference"]);
    assert!(status == 0 && out.contains("mode chip"), "{out}");
    let engines = ["--engine", "reference,block"];
    let (status, out, _) = run(&[&["crosscheck", job, "--mode", "chip"], &engines[..]].concat());
    assert!(status == 0 && out.contains("1 the same on reference and block"), "{out}");
    let (status, out, _) =
        run(&[&["fuzz", "--mode", "chip", "--count", "50"], &engines[..]].concat());
    assert!(status == 0 && out.ends_with("0 differences\n"), "{out}");
    let (status, _, err) = run(&["crosscheck", job, "--mode", "fast"]);
    assert!(status == 2 && err.contains("it is \"exact\" or \"chip\""), "{err}");
}

#[cfg(feature = "gpu")]
#[test]
fn nothing_is_translated_in_mode_chip() {
    let job = "tests/vectors/chip/dp3/job.toml";
    let (status, out, err) = run(&["translate", job, "--mode", "chip"]);
    assert_eq!((status, &out[..]), (1, ""));
    assert!(
        err.contains("is not translated: mode chip has no shaders; the block engine runs it"),
        "{err}"
    );
}
