//! `ctm bench`: arguments, table and JSON; nothing about speed.

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// Runs `ctm bench` in a folder.
fn bench(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ctm"))
        .arg("bench")
        .args(args)
        .current_dir(folder)
        .output()
        .expect("ctm starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_first_engine_is_compared_with_none() {
    let empty = tempfile::tempdir().expect("a folder");
    let args = ["copy-linear", "--size", "64x64", "--time", "0.001"];
    let args = [&args[..], &["--engine", "block,reference", "--mode", "both"]].concat();
    let table = text(&bench(empty.path(), &args).stdout);
    let heading = table.lines().next().expect("a heading");
    let end = heading.find("against").expect("the column") + "against".len();
    for row in table.lines().skip(1) {
        let against = row[..end].split_whitespace().next_back();
        let against = against.expect("a value");
        if row.contains(" block ") {
            assert_eq!(against, "-", "{table}");
        } else {
            assert!(against.parse::<f64>().is_ok(), "{table}");
            assert!(row[..end].contains(" x "), "{table}");
        }
    }
    assert_eq!(table.lines().count(), 5);
}

/// Runs one workload with `--json` and gives its rows.
fn rows(folder: &Path, more: &[&str]) -> Vec<Value> {
    let args = ["copy-linear", "--engine", "block", "--size", "16x8", "--time", "0.001", "--json"];
    let output = bench(folder, &[&args[..], more].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
    let object: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    object["results"].as_array().expect("results").clone()
}

#[test]
fn a_saved_run_is_a_base_for_ratios() {
    let dir = tempfile::tempdir().expect("a folder");
    let saved = rows(dir.path(), &["--save", "base.json"]);
    assert!(saved[0]["of_base"].is_null());
    let path = dir.path().join("base.json");
    let mut base: Value =
        serde_json::from_slice(&std::fs::read(&path).expect("base.json")).expect("JSON");
    assert_eq!(base["results"], Value::from(saved));
    // The ratio is exactly that of the two speeds.
    base["results"][0]["pi_per_second"] = 1000.0.into();
    std::fs::write(&path, base.to_string()).expect("a file");
    let now = rows(dir.path(), &["--compare", "base.json", "--mode", "both"]);
    let speed = now[0]["pi_per_second"].as_f64().expect("a speed");
    assert_eq!(now[0]["of_base"].as_f64(), Some(speed / 1000.0));
    // The base has no row in mode fast, and none of another size.
    assert!(now[1]["of_base"].is_null());
    base["results"][0]["points"] = 5.into();
    std::fs::write(&path, base.to_string()).expect("a file");
    let other = rows(dir.path(), &["--compare", "base.json"]);
    assert!(other[0]["of_base"].is_null());
    let args = ["copy-linear", "--engine", "block", "--size", "8x8", "--time", "0.001"];
    let table = bench(dir.path(), &[&args[..], &["--compare", "base.json"]].concat());
    let table = text(&table.stdout);
    assert!(table.lines().next().is_some_and(|line| line.ends_with("   of base")), "{table}");
    assert!(table.lines().nth(1).is_some_and(|line| line.ends_with(" -")), "{table}");
}

#[test]
fn another_ctm_is_measured_in_pairs() {
    let dir = tempfile::tempdir().expect("a folder");
    let other = env!("CARGO_BIN_EXE_ctm");
    let rows = rows(dir.path(), &["--against", other, "--pairs", "2"]);
    assert!(rows[0]["of_base"].as_f64().is_some_and(|ratio| ratio > 0.0), "{rows:?}");
}

#[test]
fn the_others_are_measured_after_an_error() {
    let dir = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).expect(name);
    write("bad.dpp", "mob r1\n");
    write("good.dpp", "mov o0, 1\n");
    write("broken.toml", "version 1\n");
    write("scatter.dpp", ".umrt\nmov r1, 0\nmov o0.rgb, r1 | mov o0.a, 0\n");
    // Only the run finds that the format is wrong.
    let job = "version = 1\nprogram = { file = \"scatter.dpp\" }\n\
               domain = { i0 = 0, j0 = 0, i1 = 3, j1 = 3 }\n\
               [[output]]\nslot = 0\nformat = \"UINT8_4\"\n";
    write("wrong.toml", job);
    let kernels = ["bad.dpp", "broken.toml", "wrong.toml", "good.dpp"];
    let args = ["--engine", "block", "--size", "2x2", "--time", "0.001"];
    let args = [&kernels[..], &args].concat();
    let output = bench(dir.path(), &args);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr), "ctm: 3 of 4 could not be measured\n");
    let table = text(&output.stdout);
    let places = ["bad.dpp ", "broken ", "wrong ", "good.dpp "];
    let places = places.map(|name| table.find(&format!("\n{name}")).expect(name));
    assert!(places.is_sorted(), "{table}");
    for error in ["unknown instruction `mob`", "broken.toml:1: ", "must be FLOAT32_1"] {
        assert!(table.contains(error), "{error}: {table}");
    }
    let output = bench(dir.path(), &[&args[..], &["--json", "--save", "base.json"]].concat());
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(std::fs::read(dir.path().join("base.json")).expect("saved"), output.stdout);
    let object: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let names = |key: &str| -> Vec<String> {
        let list = object[key].as_array().expect("a list").iter();
        list.map(|one| one["kernel"].as_str().expect("a name").to_string()).collect()
    };
    assert_eq!(names("results"), ["good.dpp"]);
    assert_eq!(names("errors"), ["bad.dpp", "broken", "wrong"]);
    assert!(object["errors"][0]["error"].as_str().is_some_and(|text| text.contains("mob")));
    // Another ctm's error is the row's.
    let against = ["--against", env!("CARGO_BIN_EXE_ctm"), "--pairs", "1"];
    let output = bench(dir.path(), &[&["good.dpp"], &args[4..], &against].concat());
    assert!(output.status.success(), "{}", text(&output.stderr));
}
