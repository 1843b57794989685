//! `ctm check`, from end to end.

use crate::cli::ctm;
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

fn json(path: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&ctm(path, &[&["check", "--json"], args].concat()).out).unwrap()
}

#[test]
fn findings_are_printed_as_a_compiler_prints_errors() {
    let folder = folder();
    let ran = ctm(folder.path(), &["check", "a.dpp"]);
    assert_eq!((ran.status, ran.err.as_str()), (1, ""));
    for part in [
        "[missing-tex-wait] Error: r1.rgba may not have been fetched yet",
        "a.dpp:2:1",
        "mul r2, r1, 2 @!wait",
        "Help: set TEX_SEM_WAIT in the first instruction that uses a fetched value",
        "no instruction uses r3.rgba",
    ] {
        assert!(ran.out.contains(part), "{part} in\n{}", ran.out);
    }
    assert!(ran.out.ends_with("1 file checked: 1 error, 1 note\n"), "{}", ran.out);
    let ran = ctm(folder.path(), &["check", "good.dpp"]);
    assert_eq!(ran.status, 0);
    assert_eq!(ran.out, "1 file checked: no findings\n");
}

#[test]
fn a_program_without_a_source_shows_its_disassembly() {
    let folder = folder();
    let words = "00007800 08020000 08020000 1c440220 1c60c025 00000015\n";
    fs::write(folder.path().join("a.hex"), words).unwrap();
    let ran = ctm(folder.path(), &["check", "a.hex", "--allow", "unused-result"]);
    assert_eq!(
        ran.out,
        "[bad-end] Error: the last instruction must be an OUT with TEX_SEM_WAIT\n  \
         a.hex: pc 0\n    | movx r1.rgb, r0 | cnd.exact r2.a, r0.a, r0.a, r0.r\n    = of type ALU\n  \
         Help: end with an OUT that waits; its masks may be empty\n\n\
         1 file checked: 1 error\n"
    );
}

#[test]
fn codes_are_allowed_and_denied() {
    let folder = folder();
    let path = folder.path();
    let codes = |args: &[&str]| -> Vec<(String, String)> {
        let found = json(path, args);
        let list = found["files"][0]["findings"].as_array().unwrap();
        let text = |value: &Value| value.as_str().unwrap().to_string();
        list.iter().map(|f| (text(&f["code"]), text(&f["severity"]))).collect()
    };
    let is = |found: &[(String, String)], expected: &[(&str, &str)]| {
        let found: Vec<_> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        assert_eq!(found, expected);
    };
    let wait = ("missing-tex-wait", "error");
    is(&codes(&["a.dpp"]), &[wait, ("unused-result", "note")]);
    is(&codes(&["a.dpp", "--allow", "unused-result"]), &[wait]);
    is(&codes(&["a.dpp", "--deny", "unused-result"]), &[wait, ("unused-result", "error")]);
    for source in [
        PROGRAM.replace("c0\n", "c0 ; allow(unused-result)\n"),
        PROGRAM.replace("add r3", "# it is so: allow(bad-end, unused-result)\nadd r3"),
    ] {
        fs::write(path.join("a.dpp"), source).unwrap();
        is(&codes(&["a.dpp"]), &[wait]);
    }
    fs::write(path.join("a.dpp"), "mov o0, r0 ; allow(nonsense)\n").unwrap();
    let ran = ctm(path, &["check", "a.dpp"]);
    assert_eq!(ran.status, 0);
    assert_eq!(ran.err, "a.dpp:1: warning: allow(nonsense): there is no such code\n");
}

#[test]
fn a_baseline_hides_what_is_known_wherever_its_lines_are() {
    let folder = folder();
    let path = folder.path();
    let ran = ctm(path, &["check", "a.dpp", "--write-baseline", "known.json"]);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let moved = format!("\n# more lines\n\n{PROGRAM}");
    fs::write(path.join("a.dpp"), &moved).unwrap();
    let ran = ctm(path, &["check", "a.dpp", "--baseline", "known.json"]);
    assert_eq!(ran.status, 0, "{}", ran.out);
    assert_eq!(ran.out, "1 file checked: no findings (2 more in the baseline)\n");
    // However the program is named, and from wherever.
    fs::create_dir(path.join("sub")).unwrap();
    let whole = path.join("a.dpp").display().to_string();
    for (from, file, known) in [
        ("", "./sub/../a.dpp", "known.json"),
        ("sub", "../a.dpp", "../known.json"),
        ("", &whole, "./known.json"),
    ] {
        let ran = ctm(&path.join(from), &["check", file, "--baseline", known]);
        assert!(ran.out.contains("no findings (2 more in the baseline)"), "{file}: {}", ran.out);
    }
    // A second one of the same kind is new.
    fs::write(path.join("a.dpp"), moved.replace("add r3", "add r3, r0, c0\nadd r3")).unwrap();
    let ran = ctm(path, &["check", "a.dpp", "--baseline", "known.json"]);
    assert_eq!(ran.status, 1);
    assert!(ran.out.ends_with("checked: 1 note (2 more in the baseline)\n"), "{}", ran.out);
    fs::write(path.join("known.json"), "{\"version\": 2, \"known\": []}").unwrap();
    let ran = ctm(path, &["check", "a.dpp", "--baseline", "known.json"]);
    assert_eq!(ran.status, 2);
    assert_eq!(ran.err, "ctm: --baseline known.json: version is 2, expected 1\n");
}

#[test]
fn comments_in_a_row_allow_all_their_codes() {
    let folder = folder();
    let path = folder.path();
    let source = "mov r2, r0\n; allow(uninitialised)\n# a word\n; allow(unused-result)\nmov r3, r2\nmov o0, r0\n";
    fs::write(path.join("b.dpp"), source).unwrap();
    let ran = ctm(path, &["check", "b.dpp"]);
    assert_eq!((ran.status, &ran.out[..]), (0, "1 file checked: no findings\n"));
    fs::write(path.join("b.dpp"), source.replace("# a word", "")).unwrap();
    let ran = ctm(path, &["check", "b.dpp", "--deny", "unused-result"]);
    assert_eq!(ran.status, 0, "{}", ran.out);
    fs::write(path.join("b.dpp"), source.replace("; allow(unused-result)", "")).unwrap();
    assert_eq!(ctm(path, &["check", "b.dpp"]).status, 1);
}

/// One mistake of a program that runs in two passes is one finding.
#[test]
fn a_program_of_two_passes_has_each_finding_once() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("c.dpp"), "mov o0, r1\n").unwrap();
    let pass = "[[pass]]\nprogram = { file = \"c.dpp\" }\ndomain = { i0 = 0, j0 = 0, i1 = 3, j1 = 1 }\n\
                outputs = { 0 = \"o\" }\n";
    let buffer = "[[buffer]]\nname = \"o\"\nformat = \"FLOAT32_4\"\nwidth = 4\nheight = 2\n";
    fs::write(path.join("c.toml"), format!("version = 1\n{buffer}{pass}{pass}")).unwrap();
    let ran = ctm(path, &["check", "c.toml", "--json"]);
    let found: Value = serde_json::from_str(&ran.out).unwrap();
    let findings = found["files"][0]["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{}", ran.out);
    assert_eq!((&findings[0]["pass"], &findings[0]["count"]), (&0.into(), &16.into()));
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

#[test]
fn pages_are_printed() {
    let folder = folder();
    let ran = ctm(folder.path(), &["check", "--explain", "missing-nop"]);
    assert_eq!(ran.status, 0);
    assert!(ran.out.starts_with("## missing-nop\n"), "{}", ran.out);
    assert!(ran.out.contains("**What it cannot see.**"));
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

#[test]
fn a_stale_read_of_a_run_is_the_finding_of_the_program() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("p.dpp"), "ld r1, i0[r0.rg]\nmov o0, r1 @!wait\nend\n").unwrap();
    fs::write(path.join("job.toml"), JOB.replace("width = 7", "width = 8")).unwrap();
    let found = json(path, &["job.toml"]);
    let findings = found["files"][0]["findings"].as_array().unwrap();
    assert_eq!(findings.len(), 1, "{findings:?}");
    assert_eq!(findings[0]["code"], "missing-tex-wait");
    assert_eq!(findings[0]["first_point"], serde_json::json!([0, 0]));
}

#[test]
fn bad_files_and_usage_end_with_status_2() {
    let folder = folder();
    let path = folder.path();
    fs::write(path.join("bad.dpp"), "mda r0\n").unwrap();
    let ran = ctm(path, &["check", "bad.dpp", "a.dpp"]);
    assert_eq!(ran.status, 2);
    assert!(ran.out.contains("[missing-tex-wait]"), "the other file is checked: {}", ran.out);
    assert!(ran.err.ends_with("ctm: 1 of 2 files could not be checked\n"), "{}", ran.err);
    for (args, text) in [
        (&["check"][..], "PROGRAM|JOB.toml"),
        (&["check", "a.dpp", "--mask", "missing-nop=x.png"], "missing-nop: not a code of a run"),
        (&["check", "a.dpp", "--mask", "clamped-fetch=x.png"], "--mask needs a job"),
        (&["check", "a.dpp", "--sarif", "a.dpp"], "it would replace a.dpp, which is read"),
        (&["check", "a.dpp", "--allow", "nonsense"], "nonsense"),
    ] {
        let ran = ctm(path, args);
        assert_eq!(ran.status, 2, "{args:?}");
        assert!(ran.err.contains(text), "{args:?}: {}", ran.err);
    }
    assert_eq!(fs::read_to_string(path.join("a.dpp")).unwrap(), PROGRAM);
}

#[test]
fn nothing_is_said_of_files_that_could_not_be_read() {
    let folder = folder();
    let ran = ctm(folder.path(), &["check", "none.dpp"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, ""));
    let ran = ctm(folder.path(), &["check", "none.dpp", "good.dpp"]);
    assert_eq!((ran.status, ran.out.as_str()), (2, "1 file checked: no findings\n"));
}

/// The examples of mistakes that the documentation shows give what it shows.
#[test]
fn examples_of_mistakes_are_shown_as_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (pages, args) in [
        (&["README.md", "docs/debugging.md"][..], &["check", "examples/mistakes/blur.toml"][..]),
        (
            &["docs/compilers.md"],
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

/// What kernels do on purpose is allowed in their sources.
#[test]
fn the_kernels_have_no_findings() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ran = ctm(root, &["check", "kernels", "--points", "256"]);
    assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{}", ran.out);
    assert!(ran.out.ends_with(" files checked: no findings\n"), "{}", ran.out);
}
