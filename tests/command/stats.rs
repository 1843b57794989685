//! `ctm stats` as a user sees it.

use crate::cli::{Ran, ctm};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A presubtract, an output modifier, a loop with an IF in it, fetches, and constants.
const SOURCE: &str = "\
add/2 r1, r0, c3
ld r2, i0[r1.rg]
ld r3, i1[r1.rg]
rep 4
add r1.rgb, r1, c5 | rcp r4.a, r1.r
if b2
mul r1, 1 - r1, c5
endif
endrep
mov o0, r4
end
";

const TABLE: &str = "\
program     instructions  alu  out  tex  fc  rgb  alpha  presub  omod  temporaries  constants  depth  clocks
a.dpp                 11    3    2    2   4    4      4       2     2            5          4      2       9
b.dpp                  2    0    2    0   0    1      1       0     0            2          0      0       2
2 programs            13    3    4    2   4    5      5       2     2            7          4      2      11
";

const CHANGES: &str = "\
b.dpp: instructions 2 -> 3, alu 0 -> 1, rgb 1 -> 2, alpha 1 -> 2, clocks 2 -> 3
b2.dpp: only before
c.dpp: new

total         before  after    change  better  worse
instructions      13     14   +7.69 %       0      1
alu                3      4  +33.33 %       0      1
out                4      4   +0.00 %       0      0
tex                2      2   +0.00 %       0      0
fc                 4      4   +0.00 %       0      0
rgb                5      6  +20.00 %       0      1
alpha              5      6  +20.00 %       0      1
presub             2      2   +0.00 %       0      0
omod               2      2   +0.00 %       0      0
temporaries        7      7   +0.00 %       0      0
constants          4      4   +0.00 %       0      0
depth              2      2   +0.00 %       0      0
clocks            11     12   +9.09 %       0      1
";

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let write =
        |name: &str, text: &str| std::fs::write(dir.path().join(name), text).expect("a file");
    write("a.dpp", SOURCE);
    write("b.dpp", "mov o0, r1\nend\n");
    write("b2.dpp", "mov r0, r1\nmov o0, r0\nend\n");
    dir
}

fn stats(dir: &Path, args: &[&str]) -> Ran {
    ctm(dir, &[&["stats"], args].concat())
}

#[test]
fn a_table_has_the_numbers_of_each_program_and_their_sums() {
    let dir = folder();
    let ran = stats(dir.path(), &["a.dpp", "b.dpp"]);
    assert_eq!((ran.status, &ran.err[..]), (0, ""));
    assert_eq!(ran.out, TABLE);
}

/// What two tables say of a change, from either kind of file.
#[test]
fn changes_since_an_earlier_table() {
    let dir = folder();
    let path = dir.path();
    for kind in ["--csv", "--json"] {
        let old = stats(path, &["a.dpp", "b.dpp", "b2.dpp", kind]);
        assert_eq!(old.status, 0, "{}", old.err);
        std::fs::write(path.join("old"), old.out).expect("a file");
        std::fs::copy(path.join("b2.dpp"), path.join("b.dpp")).expect("a file");
        std::fs::write(path.join("c.dpp"), "mov o0, 1\nend\n").expect("a file");
        let ran = stats(path, &["a.dpp", "b.dpp", "c.dpp", "--before", "old"]);
        assert_eq!((ran.status, &ran.err[..]), (0, ""));
        assert_eq!(ran.out, CHANGES, "{kind}");
        let ran = stats(path, &["a.dpp", "b.dpp", "c.dpp", "--before", "old", "--json"]);
        let json: Value = serde_json::from_str(&ran.out).expect("JSON");
        let changes = &json["changes"];
        assert_eq!(changes["gone"], serde_json::json!(["b2.dpp"]));
        assert_eq!(changes["new"], serde_json::json!(["c.dpp"]));
        assert_eq!(changes["changed"][0]["program"], "b.dpp");
        assert_eq!(changes["totals"][0]["worse"], 1);
        assert_eq!(json["programs"].as_array().map(Vec::len), Some(3));
        // Nothing changes from a table to itself.
        std::fs::write(path.join("old"), stats(path, &["a.dpp", kind]).out).expect("a file");
        let ran = stats(path, &["a.dpp", "--before", "old"]);
        assert!(ran.out.starts_with("total"), "{}", ran.out);
        std::fs::write(path.join("b.dpp"), "mov o0, r1\nend\n").expect("a file");
    }
}

#[test]
fn bad_input_is_named() {
    let dir = folder();
    let path = dir.path();
    std::fs::write(path.join("bad.csv"), "program,instructions\na,x\n").expect("a file");
    std::fs::write(path.join("bad.json"), "{\"programs\": 3}").expect("a file");
    // Slot 0 has a reserved operation.
    std::fs::write(path.join("bad.hex"), "00003800 00000000 00000000 00000000 00000000 00000006\n")
        .expect("a file");
    for (args, status, message) in [
        (&["a.dpp", "a.dpp"][..], 2, "ctm: a.dpp is there twice\n"),
        (&["gone.dpp"], 2, "ctm: gone.dpp: No such file or directory (os error 2)\n"),
        (
            &["a.dpp", "--before", "bad.csv"],
            2,
            "ctm: bad.csv: expected the table of `ctm stats --csv`: CSV deserialize error: record 1 (line: 2, byte: 21): field 1: invalid digit found in string\n",
        ),
        (
            &["a.dpp", "--before", "bad.json"],
            2,
            "ctm: bad.json: expected the object of `ctm stats --json`: invalid type: integer `3`, expected a sequence at line 1 column 14\n",
        ),
        (
            &["bad.hex"],
            1,
            "bad.hex: not valid: pc 0: US_ALU_RGBA_INST.RGB_OP is 6, which is reserved; allowed: 0 MAD, 1 DP3, 2 DP4, 3 D2A, 4 MIN, 5 MAX, 7 CND, 8 CMP, 9 FRC, 10 SOP, 11 MDH, 12 MDV\n",
        ),
    ] {
        let ran = stats(path, args);
        assert_eq!((ran.status, &ran.err[..]), (status, message), "{args:?}");
    }
}

/// The programs of the folders of a folder.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        for file in std::fs::read_dir(entry.expect("an entry").path()).expect("a folder") {
            let file = file.expect("an entry").path();
            if file.extension().is_some_and(|ending| ending == "hex") {
                found.push(file);
            }
        }
    }
    found.sort();
    found
}

/// Compares a table of programs with what `ctm info` says of each.
fn agrees_with_info(folder: &Path) {
    let files = programs(folder);
    assert!(files.len() > 50, "{}", files.len());
    let names: Vec<&str> = files.iter().map(|file| file.to_str().expect("text")).collect();
    for names in names.chunks(200) {
        let ran = stats(folder, &[names, &["--json"]].concat());
        assert_eq!(ran.status, 0, "{}", ran.err);
        let json: Value = serde_json::from_str(&ran.out).expect("JSON");
        for (name, row) in names.iter().zip(json["programs"].as_array().expect("rows")) {
            let info: Value =
                serde_json::from_str(&ctm(folder, &["info", name, "--json"]).out).expect("JSON");
            let number = |value: &Value| value.as_u64().expect("a number");
            let kinds = ["alu", "out", "tex", "fc"];
            let sum: u64 = kinds.iter().map(|kind| number(&info["instructions"][kind])).sum();
            assert_eq!(number(&row["instructions"]), sum, "{name}");
            for kind in kinds {
                assert_eq!(row[kind], info["instructions"][kind], "{name}: {kind}");
            }
            for unit in ["rgb", "alpha"] {
                let operations = info["operations"][unit].as_object().expect("operations");
                assert_eq!(
                    number(&row[unit]),
                    operations.values().map(number).sum::<u64>(),
                    "{name}: {unit}"
                );
            }
            assert_eq!(
                number(&row["temporaries"]),
                number(&info["highest_temporary"]) + 1,
                "{name}"
            );
            let constants = ["float_constants", "int_constants", "bool_constants"]
                .map(|kind| info[kind].as_array().map_or(0, Vec::len) as u64);
            assert_eq!(number(&row["constants"]), constants.iter().sum::<u64>(), "{name}");
        }
    }
}

#[test]
fn tables_agree_with_info() {
    agrees_with_info(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/jobs"));
}

#[test]
fn tables_agree_with_info_for_all_vectors() {
    let all = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors/jobs");
    if all.is_dir() {
        agrees_with_info(&all);
    }
}

/// A log has a row for each of its programs; here the one that the compiler's words are.
#[test]
fn logs_of_mesa() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mesa/ease_sine_in.default");
    let rows = |file: &str| {
        let out = stats(&folder, &[file, "--csv"]).out;
        let rows =
            out.lines().skip(1).map(|line| line.split_once(',').expect("a row").1.to_string());
        rows.collect::<Vec<_>>()
    };
    let log = rows("fp.log");
    assert!(!log.is_empty());
    assert_eq!(log.last(), rows("default.hex").last());
}

#[test]
fn an_earlier_table_without_programs_is_refused() {
    let dir = folder();
    let path = dir.path();
    for text in ["", "\n", "{\"programs\":[]}"] {
        std::fs::write(path.join("old"), text).expect("a file");
        let ran = stats(path, &["a.dpp", "--before", "old"]);
        let expected =
            "ctm: old: found no programs, expected a table of `ctm stats --csv` or `--json`\n";
        assert_eq!((ran.status, ran.out.as_str(), ran.err.as_str()), (2, "", expected), "{text:?}");
    }
}

/// Names reach a terminal without control characters, and tables of such programs still match.
#[test]
fn names_of_programs_are_escaped_in_all_tables() {
    let dir = folder();
    let path = dir.path();
    std::fs::copy(path.join("a.dpp"), path.join("a\u{1b}[2Jb.dpp")).expect("a file");
    let name = "a\u{1b}[2Jb.dpp";
    let csv = stats(path, &[name, "--csv"]);
    assert_eq!((csv.status, csv.err.as_str()), (0, ""));
    assert!(!csv.out.contains('\u{1b}'), "{:?}", csv.out);
    std::fs::write(path.join("old"), &csv.out).expect("a file");
    let ran = stats(path, &[name, "--before", "old"]);
    assert_eq!(ran.status, 0);
    assert!(!ran.out.contains("new") && !ran.out.contains("only before"), "{}", ran.out);
    // JSON has its own escapes.
    let json: Value =
        serde_json::from_str(&stats(path, &[name, "--before", "old", "--json"]).out).expect("JSON");
    assert_eq!(json["programs"][0]["program"], name);
    assert_eq!(json["changes"]["new"], serde_json::json!([]));
}
