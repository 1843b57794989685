//! Options of the command that no other suite uses: each does what its help says.

use crate::cli::{Ran, ctm};
use serde_json::Value;
use std::fs;
use std::path::Path;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs the command in the package's folder, for what writes nothing; it must succeed.
fn good(args: &[&str]) -> String {
    let Ran { status, out, err } = ctm(here(), args);
    assert_eq!(status, 0, "{args:?}: {err}");
    out
}

/// What a command says that refuses.
fn bad(args: &[&str]) -> String {
    let Ran { status, out, err } = ctm(here(), args);
    assert_eq!((status, out.as_str()), (2, ""), "{args:?}: {err}");
    err
}

const SAXPY: &str = "kernels/saxpy/saxpy.dpp";
const JOB: &str = "kernels/saxpy/saxpy.toml";

#[test]
fn every_command_has_help() {
    let all = good(&["--help"]);
    let (_, commands) = all.split_once("Commands:\n").expect("commands");
    let commands = commands.split("\n\n").next().expect("a list");
    let names: Vec<&str> = commands
        .lines()
        .filter_map(|line| line.strip_prefix("  ")?.split(' ').next())
        .filter(|name| !name.is_empty() && *name != "help")
        .collect();
    assert!(names.len() >= 12, "{names:?}");
    for name in names {
        let help = good(&[name, "--help"]);
        assert!(help.contains(&format!("Usage: ctm {name} ")), "{help}");
        assert!(help.contains("-h, --help"), "{help}");
        // What it does stands in both.
        let first = help.split([' ', '.']).take(2).collect::<Vec<_>>().join(" ");
        let line = commands.lines().find(|line| line.starts_with(&format!("  {name} ")));
        assert!(line.is_some_and(|line| line.contains(&first)), "{help}");
    }
}

#[test]
fn translate_makes_constants_literals() {
    let plain = good(&["translate", JOB, "--mode", "fast"]);
    let special = good(&["translate", JOB, "--mode", "fast", "--specialise"]);
    assert!(plain.contains("// ftz(c0.r)"), "{plain}");
    assert!(!special.contains("floats["), "{special}");
    // In mode exact no float is a literal. What is certain of a constant, 2.718, leaves out a flush.
    let [exact, any] = [&["translate", JOB, "--specialise"][..], &["translate", JOB]].map(good);
    for text in [&exact, &any] {
        assert!(text.contains("let u_0 = floats["), "{text}");
    }
    assert!(exact.contains("x1k_product_bare(u_0,"), "{exact}");
    assert!(any.contains("x1k_mad_flushed(u_0,"), "{any}");
}

#[test]
fn a_kind_and_an_index_are_taken_at_their_word() {
    let message = format!(
        "ctm: {SAXPY}: line 1, column 1: \";\" is not a word, expected 1 to 8 hexadecimal digits, \
         with or without 0x\n"
    );
    assert_eq!(bad(&["translate", SAXPY, "--kind", "hex"]), message);
    assert_eq!(bad(&["disasm", SAXPY, "--kind", "hex"]), message);
    let message = format!(
        "ctm: {SAXPY}: index 1 is out of range: the file holds 1 program, expected an index from \
         0 to 0\n"
    );
    assert_eq!(bad(&["translate", SAXPY, "--index", "1"]), message);
    assert_eq!(bad(&["disasm", SAXPY, "--index", "1"]), message);
    let plain = good(&["disasm", SAXPY]);
    assert_eq!(good(&["disasm", SAXPY, "--index", "0"]), plain);
    assert_eq!(good(&["disasm", SAXPY, "--kind", "asm"]), plain);
}

#[test]
fn disasm_prints_micro_operations() {
    let text = good(&["disasm", SAXPY, "--lowered"]);
    for line in [
        "   0  r1.rgba = i0[r0.rg].rgba unscaled  @active",
        "   2  o0.rgba = mad u0.r, ftz(r1.rgba), ftz(r2.rgba)  @active",
        "      written o0.rgba  @active",
        "      end",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
    let error = bad(&["disasm", SAXPY, "--lowered", "--json"]);
    let first = error.lines().next();
    assert_eq!(first, Some("error: the argument '--lowered' cannot be used with '--json'"));
}

#[test]
fn verify_runs_in_the_mode_that_is_asked_for() {
    // The product is a denormal, which is zero in the mode exact. A point computes it: what depends
    // on constants alone is exact in both modes.
    let dir = tempfile::tempdir().expect("a folder");
    let program = "add r1, r0.r, c0.r\nmul o0, r1, c0.g";
    fs::write(dir.path().join("p.dpp"), program).expect("written");
    let job = "version = 1
program = { file = \"p.dpp\" }
domain = { i0 = 0, j0 = 0, i1 = 0, j1 = 0 }
constants = { float = { 0 = [1e-20, 3e-20, 0, 0] } }
float = { mode = \"fast\" }
[[output]]
slot = 0
format = \"FLOAT32_4\"
save = \"exact.npy\"
";
    fs::write(dir.path().join("job.toml"), job).expect("written");
    let run = ctm(dir.path(), &["run", "job.toml", "--mode", "exact"]);
    assert_eq!(run.status, 0, "{}", run.err);
    // A job does not save over what it expects.
    let job = job.replace("save = \"exact.npy\"\n", "");
    let expect = "[[expect]]\noutput = 0\nfile = \"exact.npy\"\n";
    fs::write(dir.path().join("job.toml"), format!("{job}{expect}")).expect("written");
    for (more, status) in [(&[][..], 1), (&["--mode", "fast"], 1), (&["--mode", "exact"], 0)] {
        let ran = ctm(dir.path(), &[&["verify", "job.toml"], more].concat());
        assert_eq!(ran.status, status, "{more:?}: {}{}", ran.out, ran.err);
    }
    let error = bad(&["verify", JOB, "--mode", "quick"]);
    let first = error.lines().next();
    assert_eq!(
        first,
        Some("error: invalid value 'quick' for '--mode <MODE>': it is \"exact\" or \"fast\"")
    );
}

#[test]
fn traces_say_why_a_point_is_killed_or_does_not_start() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |job: &str, point: &str| {
        let job = format!("{}/kernels/conditional/{job}.toml", env!("CARGO_MANIFEST_DIR"));
        let ran = ctm(folder.path(), &["run", &job, "--no-save", "--trace", point, "--pass", "0"]);
        assert_eq!(ran.status, 0, "{}", ran.err);
        ran.out + &ran.err
    };
    let killed = run("conditional_dpp", "10,10");
    assert!(killed.contains("coordinate.rgba = -0.80499995 (bf4e147a), "), "{killed}");
    assert!(killed.contains("killed: a channel is negative"), "{killed}");
    let skipped = run("conditional_pe", "3,3");
    let why = "point (3, 3) does not start: the mask or the test at location PE leaves it out";
    assert!(skipped.contains(why), "{skipped}");
}

#[test]
fn only_the_reference_engine_traces() {
    let args = ["run", JOB, "--no-save", "--trace", "1,0"];
    let with = |engine| bad(&[&args[..], &["--engine", engine]].concat());
    for engine in ["block", "gpu"] {
        assert_eq!(
            with(engine),
            "ctm: only the reference engine can trace: leave --engine away or say --engine \
             reference\n"
        );
    }
    let plain = good(&args);
    assert!(plain.contains("point (1, 0)"), "{plain}");
}

/// A job whose only group never ends.
fn endless() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let program = "again:\njump -> again\nend\nmov o0, r0";
    fs::write(dir.path().join("p.dpp"), program).expect("written");
    let job = "version = 1
program = { file = \"p.dpp\" }
domain = { i0 = 0, j0 = 0, i1 = 3, j1 = 3 }
[[output]]
slot = 0
format = \"FLOAT32_4\"
";
    fs::write(dir.path().join("job.toml"), job).expect("written");
    dir
}

#[test]
fn limits_of_the_command_line_hold() {
    let dir = endless();
    let cpu = ["--engine", "reference,block"];
    let args = ["crosscheck", "job.toml", "--limit", "100"];
    let ran = ctm(dir.path(), &[&args[..], &cpu].concat());
    assert_eq!((ran.status, ran.err.as_str()), (0, ""));
    assert_eq!(
        ran.out.lines().next(),
        Some("same job.toml: 1 launch, 16 points, 1616 lane instructions, 1 faults")
    );
    let ran = ctm(dir.path(), &["batch", "job.toml", "--limit", "100"]);
    assert_eq!(ran.status, 1, "{}", ran.err);
    let line: Value = serde_json::from_str(ran.out.lines().next().expect("a line")).expect("JSON");
    assert_eq!(line["status"], "fault");
    let error = ctm(dir.path(), &["batch", "job.toml", "--limit", "0"]);
    assert_eq!(error.status, 2);
    let first = error.err.lines().next();
    assert_eq!(
        first,
        Some("error: invalid value '0' for '--limit <N>': 0 is not in 1..18446744073709551615")
    );
}

#[test]
fn fuzz_takes_a_strength_a_time_and_a_folder() {
    let dir = tempfile::tempdir().expect("a folder");
    let fuzz = |args: &[&str]| {
        let args = [&["fuzz", "--engine", "block"], args].concat();
        let ran = ctm(dir.path(), &args);
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "{args:?}");
        assert_eq!(ran.out.lines().last(), Some("0 differences"));
        ran.out.lines().nth(1).expect("a line").to_string()
    };
    for (strength, counts) in [
        ("operations", "10 operations, 0 straight, 0 flow"),
        ("straight", "0 operations, 10 straight, 0 flow"),
        ("flow", "0 operations, 0 straight, 10 flow"),
    ] {
        let line = fuzz(&["--strength", strength, "--count", "10"]);
        let wanted = format!("10 programs: {counts} (0 launches refused)");
        assert_eq!(line, wanted);
    }
    // A count goes before a long time.
    let more = ["--keep-going", "--most", "0", "--counted", "0", "--out", "found"];
    let line = fuzz(&[&["--minutes", "60", "--count", "5"], &more[..]].concat());
    assert!(line.starts_with("5 programs: "), "{line}");
    // A folder is made for what is found only.
    assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 0);
}
