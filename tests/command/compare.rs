//! `ctm compare` as a user sees it.

use crate::cli::{Ran, ctm};
use serde_json::Value;
use std::path::Path;

const RIGHT: &str = "mul r2, r1, c1\nadd o0, r2, c2\nend\n";
/// The same in one instruction.
const SHORT: &str = "mad o0, r1, c1, c2\nend\n";
/// It loses a sign.
const WRONG: &str = "mul r2, r1, -c1\nadd o0, r2, c2\nend\n";

const EQUAL: &str = "\x20             A  B
instructions  3  2
alu           1  0
out           2  2
tex           0  0
fc            0  0
rgb           2  1
alpha         2  1
presub        0  0
omod          0  0
temporaries   3  2
constants     2  2
depth         0  0
clocks        3  2
output 0: all 1024 values equal
equal
";

/// After the table.
const DIFFERENT: &str = "\x20       3  3
output 0: 1024 of 1024 values differ (100.00%), first at point (0, 0) channel c0: got -0.3054924 (0xbe9c6980), want 1.8289299 (0x3fea1a60); worst error 5.70628547668457e0 (2154466732 ULP)
first value at point (0, 0) that only B computes: r2.r = -1.0672112, at pc 0: mul r2, r1, -c1
different
";

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, text: &str| std::fs::write(dir.path().join(name), text).expect("a file");
    write("right.dpp", RIGHT);
    write("short.dpp", SHORT);
    write("wrong.dpp", WRONG);
    write("two.dpp", "mov o0, r0\nmov o1, r0\nend\n");
    dir
}

fn compare(dir: &Path, args: &[&str]) -> Ran {
    ctm(dir, &[&["compare"], args].concat())
}

#[test]
fn programs_that_agree_are_compared_by_cost() {
    let dir = folder();
    let ran = compare(dir.path(), &["right.dpp", "short.dpp"]);
    assert_eq!((ran.status, &ran.err[..]), (0, ""));
    assert_eq!(ran.out, EQUAL);
}

#[test]
fn the_first_value_of_b_without_a_counterpart_is_named() {
    let dir = folder();
    let ran = compare(dir.path(), &["right.dpp", "wrong.dpp"]);
    assert_eq!((ran.status, &ran.err[..]), (1, ""));
    let (_, found) = ran.out.split_once("clocks").expect("a table");
    assert_eq!(found, DIFFERENT);
    // Other inputs, and the same as data.
    let ran = compare(dir.path(), &["right.dpp", "wrong.dpp", "--seed", "2", "--json"]);
    let json: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!((ran.status, &json["equal"]), (1, &Value::Bool(false)));
    assert_eq!((&json["value"]["pc"], &json["value"]["register"]), (&0.into(), &"r2".into()));
    assert_eq!(
        json["numbers"][0],
        serde_json::json!({ "name": "instructions", "a": 3.0, "b": 3.0 })
    );
}

#[test]
fn tolerances_decide() {
    let dir = folder();
    let path = dir.path();
    for args in [&["--atol", "1e9"][..], &["--max-bad", "1"]] {
        let ran = compare(path, &[&["right.dpp", "wrong.dpp"], args].concat());
        assert_eq!(ran.status, 0, "{args:?}: {}", ran.out);
    }
    assert_eq!(compare(path, &["right.dpp", "right.dpp", "--bits"]).status, 0);
}

/// No tolerance makes a number equal to an infinity that A computes.
#[test]
fn an_infinity_of_a_hides_no_value_of_b() {
    let dir = folder();
    for (name, factor) in [("a.dpp", "2"), ("b.dpp", "3")] {
        let source = format!("rcp r2, 0\nmul r3, r1, {factor}\nmov o0, r3\nend\n");
        std::fs::write(dir.path().join(name), source).expect("a file");
    }
    let ran = compare(dir.path(), &["a.dpp", "b.dpp", "--rtol", "1e-5"]);
    assert_eq!(ran.status, 1);
    assert!(ran.out.contains("that only B computes: r3.r = "), "{}", ran.out);
}

/// Each of 90000 values is looked up, not compared with all of the other side.
#[test]
fn long_programs_are_compared() {
    let dir = folder();
    for (name, factor) in [("a.dpp", "0.5"), ("b.dpp", "0.3125")] {
        let sums = "add r1.r, r1, 1\n".repeat(3);
        let source = format!(
            "mov r1, 0\nloop 255\nloop 40\n{sums}endloop\nendloop\nmul r2, r1.r, {factor}\n\
             mov o0, r2\nend\n"
        );
        std::fs::write(dir.path().join(name), source).expect("a file");
    }
    let ran = compare(dir.path(), &["a.dpp", "b.dpp", "--size", "1x1"]);
    assert_eq!((ran.status, ran.err.as_str()), (1, ""));
    let equal = "point (0, 0) that only B computes: r2.r = 9562.5, at pc";
    assert!(ran.out.contains(equal), "{}", ran.out);
}

#[test]
fn outputs_that_only_one_writes_differ() {
    let dir = folder();
    for (a, b, text) in [
        ("right.dpp", "two.dpp", "output 1: only B writes it\n"),
        ("two.dpp", "right.dpp", "output 1: only A writes it\n"),
    ] {
        let ran = compare(dir.path(), &[a, b]);
        assert_eq!(ran.status, 1);
        assert!(ran.out.contains(text), "{}", ran.out);
    }
}

#[test]
fn bad_input_is_named() {
    let dir = folder();
    let path = dir.path();
    std::fs::write(path.join("bad.dpp"), "mov o0, r200\nend\n").expect("a file");
    let ran = compare(path, &["right.dpp", "bad.dpp"]);
    assert_eq!(ran.status, 2);
    assert!(ran.err.starts_with("ctm: bad.dpp: "), "{}", ran.err);
    let ran = compare(path, &["gone.dpp", "bad.dpp"]);
    assert_eq!(
        (ran.status, &ran.err[..]),
        (2, "ctm: gone.dpp: No such file or directory (os error 2)\n")
    );
}

/// For each program that two versions of Mesa compiled: both meet what the job expects, so they agree
/// within twice the tolerance; and `ctm verify` says that they do.
fn agrees_with_verify(folder: &Path, least: usize) {
    let mut pairs = 0;
    let mut folders: Vec<_> =
        std::fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    folders.sort();
    for folder in folders {
        let (a, b) = (folder.join("default.toml"), folder.join("m25.toml"));
        if !a.is_file() || !b.is_file() {
            continue;
        }
        pairs += 1;
        let verified = ctm(&folder, &["verify", "default.toml", "m25.toml"]);
        let text = std::fs::read_to_string(&a).expect("a job");
        let twice = |key: &str| {
            let line =
                text.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_prefix('='));
            (2.0 * line.map_or(0.0, |value| value.trim().parse::<f64>().expect("a number")))
                .to_string()
        };
        let [rtol, atol, bad] = ["rtol", "atol", "max_bad"].map(twice);
        let ran = compare(
            &folder,
            &["default.toml", "m25.toml", "--rtol", &rtol, "--atol", &atol, "--max-bad", &bad],
        );
        assert_eq!(
            ran.status,
            verified.status,
            "{}: {}{}{}",
            folder.display(),
            ran.out,
            ran.err,
            verified.out
        );
    }
    assert!(pairs >= least, "{pairs}");
}

/// Programs of which only the global registers differ.
#[test]
fn global_registers_are_compared() {
    let dir = folder();
    let write = |name: &str, line: &str| {
        let text = format!(".sharing global=2\n{line}\nmov o0, r0\nend\n");
        std::fs::write(dir.path().join(name), text).expect("a file");
    };
    write("a.dpp", "add g1, g1, r0");
    write("same.dpp", "add g1, r0, g1");
    write("b.dpp", "add g1.rg, g1, r0");
    write("c.dpp", "mov g1, 1");
    let ran = compare(dir.path(), &["a.dpp", "same.dpp"]);
    assert_eq!(ran.status, 0, "{}{}", ran.out, ran.err);
    let equal = "output 0: all 1024 values equal\nglobal registers: all 512 values equal\nequal\n";
    assert!(ran.out.ends_with(equal), "{}", ran.out);
    // Two columns and two rows of groups: r0.r and r0.g are sums, r0.b and r0.a are 0.
    let ran = compare(dir.path(), &["a.dpp", "b.dpp"]);
    assert_eq!(ran.status, 0, "{}", ran.out);
    let ran = compare(dir.path(), &["a.dpp", "c.dpp"]);
    assert_eq!(ran.status, 1, "{}", ran.out);
    let differ = "output 0: all 1024 values equal\n\
                  global registers: 256 of 512 values differ (50.00%), first at index [0, 1, 0, 0]: \
                  got 1.0 (0x3f800000), want 16.0 (0x41800000)";
    assert!(ran.out.contains(differ), "{}", ran.out);
    assert!(ran.out.ends_with("\ndifferent\n"), "{}", ran.out);
    let ran = compare(dir.path(), &["right.dpp", "a.dpp"]);
    assert!(ran.out.contains("global registers: only B has them\n"), "{}", ran.out);
    let ran = compare(dir.path(), &["a.dpp", "c.dpp", "--json"]);
    let found: Value = serde_json::from_str(&ran.out).expect("JSON");
    assert_eq!((&found["equal"], &found["point"]), (&false.into(), &Value::Null));
    assert_eq!(found["outputs"][1]["name"], "global registers");
    assert_eq!(found["outputs"][1]["comparison"]["differing"], 256);
}

#[test]
fn compilations_of_one_shader_agree_as_verify_says() {
    agrees_with_verify(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/jobs"), 20);
}

#[test]
fn all_compilations_agree_as_verify_says() {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors/jobs");
    if all.is_dir() {
        agrees_with_verify(&all, 100);
    }
}
