//! `ctm stats` and `ctm info` count alike.

use crate::cli::{Ran, ctm};
use serde_json::Value;
use std::path::{Path, PathBuf};

fn stats(dir: &Path, args: &[&str]) -> Ran {
    ctm(dir, &[&["stats"], args].concat())
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
            assert_eq!(number(&row["inst"]), sum, "{name}");
            for (kind, column) in kinds.iter().zip(["alu", "out", "tex", "flowcontrol"]) {
                assert_eq!(row[column], info["instructions"][kind], "{name}: {kind}");
            }
            for (unit, column) in [("rgb", "vinst"), ("alpha", "sinst")] {
                let operations = info["operations"][unit].as_object().expect("operations");
                assert_eq!(
                    number(&row[column]),
                    operations.values().map(number).sum::<u64>(),
                    "{name}: {unit}"
                );
            }
            assert_eq!(number(&row["temps"]), number(&info["highest_temporary"]) + 1, "{name}");
            let constants = ["float_constants", "int_constants", "bool_constants"]
                .map(|kind| info[kind].as_array().map_or(0, Vec::len) as u64);
            assert_eq!(number(&row["consts"]), constants.iter().sum::<u64>(), "{name}");
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
