//! `ctm verify`: expected failures, `--bless`, the report.

use crate::cli::ctm;
use ctm::array::npy;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// A job that writes (1, 2, 3, 4) to 2 points.
const JOB: &str = "version = 1
program = { file = \"p.dpp\" }
domain = { i0 = 0, j0 = 0, i1 = 1, j1 = 0 }
[[output]]
slot = 0
format = \"FLOAT32_4\"
";

/// A job of the long form, whose buffer is saved.
const LONG: &str = "version = 1
[[buffer]]
name = \"a b\"
width = 2
height = 1
format = \"FLOAT32_4\"
save = \"long_out.npy\"
[[buffer]]
name = \"scratch\"
width = 2
height = 1
format = \"FLOAT32_4\"
[[pass]]
program = { file = \"p.dpp\" }
domain = { i0 = 0, j0 = 0, i1 = 1, j1 = 0 }
outputs = { 0 = \"a b\" }
";

const EXPECT: &str = "[[expect]]\noutput = 0\nfile = \"want.npy\"\n";

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    write(dir.path(), "p.dpp", "mov o0, {1, 2, 3, 4}\n");
    write(dir.path(), "forever.dpp", "again:\nmov o0, r0\njump -> again\nend\n");
    dir
}

fn write(dir: &Path, name: &str, text: &str) {
    fs::create_dir_all(dir.join(name).parent().expect("a folder")).expect("made");
    fs::write(dir.join(name), text).expect("written");
}

fn read(dir: &Path, name: &str) -> String {
    fs::read_to_string(dir.join(name)).expect("text")
}

fn values(dir: &Path, name: &str) -> Vec<f32> {
    let bytes = fs::read(dir.join(name)).expect("an array");
    npy::parse(&bytes).expect("an array").units.into_iter().map(f32::from_bits).collect()
}

/// A job without end, but for a limit of instructions.
fn forever(limit: &str) -> String {
    let limits = format!("limits = {{ instructions = {limit} }}\n[[output]]");
    format!("{JOB}{EXPECT}").replace("\"p.", "\"forever.").replace("[[output]]", &limits)
}

/// A passing and a failing job, one that cannot be read, one that faults, one that is cut short.
fn several() -> tempfile::TempDir {
    let dir = folder();
    let path = dir.path();
    write(path, "good.toml", &format!("{JOB}{EXPECT}"));
    assert_eq!(ctm(path, &["verify", "--bless", "good.toml"]).status, 0);
    write(path, "other.dpp", "mov o0, {1, 2, 3, 5}\n");
    write(path, "deep/sub/wrong.toml", &format!("{JOB}{EXPECT}").replace("\"p.", "\"../../other."));
    fs::copy(path.join("want.npy"), path.join("deep/sub/want.npy")).expect("copied");
    write(path, "broken.toml", &JOB.replace("slot", "slto"));
    write(path, "fault.toml", &forever("50"));
    write(path, "empty.toml", JOB);
    dir
}

#[test]
fn the_report_has_classes_and_types() {
    let dir = several();
    let jobs = ["good.toml", "deep", "broken.toml", "fault.toml", "empty.toml"];
    let args = [&["verify", "--report", "r.xml"], &jobs[..]].concat();
    let ran = ctm(dir.path(), &args);
    assert_eq!(ran.status, 2, "{}", ran.out);
    let xml = read(dir.path(), "r.xml");
    for part in [
        "<testcase name=\"good.toml\" classname=\"jobs\"",
        "<testcase name=\"wrong.toml\" classname=\"deep.sub\"",
        "type=\"mismatch\"",
        "type=\"bad-job\"",
        "type=\"fault\"",
        "type=\"no-expectation\"",
        "tests=\"5\"",
        "failures=\"3\" errors=\"1\"",
    ] {
        assert!(xml.contains(part), "no {part} in {xml}");
    }
    // A job that runs without end: its time limit stops it.
    write(dir.path(), "endless.toml", &forever("1000000000000"));
    let ran = ctm(dir.path(), &["verify", "--timeout", "0.1", "--json", "endless.toml"]);
    let object: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(object["results"][0]["kind"], "timeout");
    assert_eq!(ran.status, 1);
}

#[test]
fn expected_failures_pass_and_unexpected_passes_fail() {
    let dir = several();
    let path = dir.path();
    write(
        path,
        "lists/fails.txt",
        "# known\n../deep/sub/wrong.toml   # a wrong constant\n\n../broken.toml\n",
    );
    let jobs = ["good.toml", "deep", "./broken.toml"];
    let args =
        [&["verify", "--expected-failures", "lists/fails.txt", "--report", "r.xml"], &jobs[..]]
            .concat();
    let ran = ctm(path, &args);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines[0], "ok   good.toml: 1 check");
    assert!(
        lines[1].starts_with(
            "ok   deep/sub/wrong.toml: fails as expected: output 0: 2 of 8 values differ"
        ),
        "{}",
        lines[1]
    );
    assert!(lines[2].starts_with("ok   ./broken.toml: fails as expected: "), "{}", lines[2]);
    assert_eq!(lines[3], "1 passed, 0 failed, 2 failed as expected");
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    let xml = read(path, "r.xml");
    assert!(xml.contains("tests=\"3\" skipped=\"2\" failures=\"0\""), "{xml}");
    assert!(xml.contains("<skipped message=\"fails as expected: output 0: 2 of 8"), "{xml}");

    // It works again: the list has to change.
    fs::copy(path.join("p.dpp"), path.join("other.dpp")).expect("copied");
    let ran = ctm(path, &[&args[..], &["--json"]].concat());
    assert_eq!(ran.status, 1);
    let object: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(
        object["results"][1],
        json!({
            "file": "deep/sub/wrong.toml",
            "ok": false,
            "kind": "unexpected-pass",
            "worst": 0.0,
            "text": "it passed (1 check), but lists/fails.txt:2 expects it to fail",
            "blessed": [],
        })
    );
    assert_eq!(object["failed_as_expected"], 1);

    // A list that names nothing, or one job twice, is refused before anything runs.
    for (text, error) in [
        ("../none.toml\n", "lists/fails.txt:1: there is no file lists/../none.toml"),
        (
            "\n../good.toml\n./../good.toml\n",
            "lists/fails.txt:3: ./../good.toml is listed twice, first in lists/fails.txt:2",
        ),
    ] {
        write(path, "lists/fails.txt", text);
        let ran = ctm(path, &args);
        assert_eq!((ran.status, ran.out.as_str()), (2, ""));
        assert_eq!(ran.err, format!("ctm: {error}\n"));
    }
    let same = ["verify", "good.toml", "--expected-failures", "f.txt", "--report", "f.txt"];
    write(path, "f.txt", "");
    let ran = ctm(path, &same);
    assert_eq!(ran.err, "ctm: --report f.txt: it would replace f.txt, which is read\n");
    assert_eq!(read(path, "f.txt"), "");
}

#[test]
fn bless_writes_what_is_missing_or_differs_and_nothing_else() {
    let dir = folder();
    let path = dir.path();
    // Missing.
    write(path, "a.toml", &format!("{JOB}{EXPECT}"));
    let ran = ctm(path, &["verify", "--bless", "a.toml"]);
    assert_eq!(
        (ran.status, ran.out.as_str()),
        (0, "ok   a.toml: wrote want.npy\n1 passed, 0 failed\n")
    );
    assert_eq!(values(path, "want.npy"), [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0]);
    assert_eq!(ctm(path, &["verify", "a.toml"]).status, 0);
    // It agrees.
    let ran = ctm(path, &["verify", "--bless", "a.toml", "--json"]);
    let object: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!(object["results"][0]["blessed"], json!([]));
    // Within the tolerance it is kept, outside it is replaced.
    write(path, "p.dpp", "mov o0, {1, 2, 3, 4.5}\n");
    write(path, "near.toml", &format!("{JOB}{EXPECT}atol = 0.5\n"));
    let ran = ctm(path, &["verify", "--bless", "near.toml"]);
    assert_eq!(ran.out, "ok   near.toml: 1 check\n1 passed, 0 failed\n");
    assert_eq!(values(path, "want.npy")[3], 4.0);
    // Another shape is replaced as well; another job's values are not.
    write(path, "wide.toml", &format!("{JOB}{EXPECT}").replace("i1 = 1", "i1 = 2"));
    let ran = ctm(path, &["verify", "--bless", "-j", "1", "a.toml", "wide.toml"]);
    assert_eq!(ran.status, 2);
    assert_eq!(
        ran.out,
        "ok   a.toml: wrote want.npy\n\
         BAD  wide.toml: a.toml expects other values in want.npy\n1 passed, 1 failed\n"
    );
    assert_eq!(values(path, "want.npy").len(), 8);
    assert_eq!(ctm(path, &["verify", "--bless", "wide.toml"]).status, 0);
    assert_eq!(values(path, "want.npy").len(), 12);
    // A file that is no array is not replaced: it may be the job.
    write(path, "self.toml", &format!("{JOB}{EXPECT}").replace("want.npy", "self.toml"));
    let before = read(path, "self.toml");
    let ran = ctm(path, &["verify", "--bless", "self.toml"]);
    assert_eq!(ran.status, 2);
    assert!(
        ran.out.contains("self.toml:9: expect[0].file: it is no .npy array, so it is not replaced"),
        "{}",
        ran.out
    );
    assert_eq!(read(path, "self.toml"), before);
    // Nor is what another job of the run reads; alone, the first job replaces it.
    fs::copy(path.join("want.npy"), path.join("data.npy")).expect("copied");
    let data = fs::read(path.join("data.npy")).expect("an array");
    write(path, "first.toml", &format!("{JOB}{EXPECT}").replace("want.npy", "data.npy"));
    let input = "[[input]]\nslot = 0\nformat = \"FLOAT32_4\"\nfile = \"data.npy\"\n";
    write(path, "second.toml", &format!("{JOB}{input}"));
    let ran = ctm(path, &["verify", "--bless", "-j", "1", "first.toml", "second.toml"]);
    let said = "BAD  first.toml: data.npy: second.toml reads it, so it is not replaced";
    assert_eq!((ran.status, ran.out.lines().next()), (2, Some(said)));
    assert_eq!(fs::read(path.join("data.npy")).expect("an array"), data);
    assert_eq!(ctm(path, &["verify", "--bless", "first.toml"]).status, 0);
    assert_ne!(fs::read(path.join("data.npy")).expect("an array"), data);
    // A fault is not blessed.
    fs::remove_file(path.join("want.npy")).expect("removed");
    write(path, "fault.toml", &forever("50"));
    let ran = ctm(path, &["verify", "--bless", "fault.toml"]);
    assert_ne!(ran.status, 0);
    assert!(!path.join("want.npy").exists());
}

#[test]
fn bless_adds_expectations_to_a_job_without() {
    let dir = folder();
    let path = dir.path();
    write(path, "short.toml", JOB);
    write(path, "long.toml", LONG.trim_end());
    let ran = ctm(path, &["verify", "--bless", "short.toml", "long.toml"]);
    assert_eq!(
        (ran.status, ran.out.as_str()),
        (
            0,
            "ok   short.toml: wrote short.output0.npy, short.toml\n\
             ok   long.toml: wrote long.buffer0.npy, long.toml\n2 passed, 0 failed\n"
        )
    );
    let added = "\n[[expect]]\noutput = 0\nfile = \"short.output0.npy\"\nbits = true\n";
    assert_eq!(read(path, "short.toml"), format!("{JOB}{added}"));
    assert!(
        read(path, "long.toml")
            .ends_with("[[expect]]\nbuffer = \"a b\"\nfile = \"long.buffer0.npy\"\nbits = true\n")
    );
    let ran = ctm(path, &["verify", "short.toml", "long.toml"]);
    assert_eq!((ran.status, ran.out.lines().last()), (0, Some("2 passed, 0 failed")));
    // It was interrupted after the array, before the job file.
    let whole = read(path, "short.toml");
    let array = fs::read(path.join("short.output0.npy")).expect("an array");
    write(path, "short.toml", JOB);
    let ran = ctm(path, &["verify", "--bless", "short.toml"]);
    assert_eq!(
        (ran.status, ran.out.as_str()),
        (0, "ok   short.toml: wrote short.toml\n1 passed, 0 failed\n")
    );
    assert_eq!(read(path, "short.toml"), whole);
    assert_eq!(fs::read(path.join("short.output0.npy")).expect("an array"), array);
    // In mode fast not every bit can be expected.
    write(path, "quick.toml", JOB);
    assert_eq!(ctm(path, &["verify", "--bless", "--mode", "fast", "quick.toml"]).status, 0);
    assert!(read(path, "quick.toml").ends_with("rtol = 1e-5\natol = 1e-5\n"));
    // An existing file is not replaced. An array that is not of tables cannot grow.
    write(path, "taken.toml", JOB);
    write(path, "taken.output0.npy", "");
    write(path, "none.toml", &format!("expect = []\n{JOB}"));
    write(path, "nothing.toml", &LONG.replace("save = \"long_out.npy\"\n", ""));
    for (job, error) in [
        (
            "taken.toml",
            "taken.output0.npy: it exists and does not hold the result; remove it, or write an [[expect]] that names it",
        ),
        ("none.toml", "none.toml: no [[expect]] can be added at the end: duplicate key"),
        (
            "nothing.toml",
            "nothing to expect: the job has no output, and no buffer with `save` or `image`",
        ),
    ] {
        let before = read(path, job);
        let ran = ctm(path, &["verify", "--bless", job]);
        assert_eq!(ran.status, 2);
        assert!(ran.out.contains(error), "{}", ran.out);
        assert_eq!(read(path, job), before);
    }
    assert!(!path.join("none.output0.npy").exists());
    let ran = ctm(path, &["verify", "--bless", "--expected-failures", "x", "short.toml"]);
    assert_eq!(ran.status, 2);
}
