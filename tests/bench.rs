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

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn lists_workloads_and_the_jobs_of_the_folder() {
    let all = text(&bench(here(), &["--list"]).stdout);
    assert!(all.contains("mad-chain "), "{all}");
    assert!(all.contains("(kernels/nbody/nbody.toml)"), "{all}");
    let empty = tempfile::tempdir().expect("a folder");
    let built_in = text(&bench(empty.path(), &["--list"]).stdout);
    assert_eq!(built_in.lines().count(), ctm::bench::WORKLOADS.len());
}

#[test]
fn json_has_a_row_for_each_engine_and_mode() {
    let empty = tempfile::tempdir().expect("a folder");
    let args = [
        "copy-linear",
        "--engine",
        "reference,block",
        "--size",
        "16x8",
        "--time",
        "0.001",
        "--mode",
        "both",
        "--threads",
        "1",
        "--json",
    ];
    let output = bench(empty.path(), &args);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let object: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(object["threads"], 1);
    let rows = object["results"].as_array().expect("results");
    let kinds: Vec<_> = rows
        .iter()
        .map(|row| format!("{} {}", row["engine"], row["mode"]).replace('"', ""))
        .collect();
    assert_eq!(kinds, ["reference exact", "block exact", "reference fast", "block fast"]);
    for row in rows {
        assert_eq!(row["points"], 16 * 8);
        assert_eq!(row["instructions"], 2 * 16 * 8);
        assert_eq!(row["bytes"], 2 * 16 * 16 * 8);
        assert_eq!(row["card_bound"], "memory");
        assert_eq!(row["against_first_engine"].is_null(), row["engine"] == "reference");
    }
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

#[test]
fn a_job_file_keeps_its_size() {
    let args =
        ["kernels/saxpy/saxpy.toml", "--size", "8x8", "--time", "0.001", "--engine", "block"];
    let output = bench(here(), &args);
    let table = text(&output.stdout);
    let row: Vec<&str> = table.lines().nth(1).unwrap_or("").split_whitespace().collect();
    assert_eq!(row[..4], ["saxpy", "block", "exact", "1024"], "{table}");
}

#[test]
fn bad_arguments_say_what_is_wanted() {
    let empty = tempfile::tempdir().expect("a folder");
    let output = bench(empty.path(), &["teapot"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        text(&output.stderr),
        "ctm: there is no workload, kernel or file \"teapot\"; known are mad, mad-chain, dp4-chain, \
         transcendental-chain, predicated, divergent-loop, fetch-linear, fetch-tiled, copy-linear\n"
    );
    for (args, wanted) in [
        (["--size", "0x8"], "it is columns x rows, each 1 to 4096, such as 512x512"),
        (["--time", "-1"], "it is a number of seconds, 0.001 to 3600"),
    ] {
        let joined = args.join("=");
        let output = bench(empty.path(), &[&joined]);
        assert_eq!(output.status.code(), Some(2));
        let error = text(&output.stderr);
        assert!(error.contains(wanted), "{error}");
    }
}
