//! The keys of job files are those of docs/jobs.md.

use super::pass::PASS;
use super::{START, directory, message};
use std::collections::BTreeSet;

/// The beginning of a job and a table after it. The error of an unknown key lists all of its keys.
const TABLES: &[(&str, &str)] = &[
    (START, ""),
    (START, "[float]\n"),
    (START, "[limits]\n"),
    (START, "[constants]\n"),
    (START, "[[input]]\n"),
    (START, "[[output]]\n"),
    (START, "[condition]\n"),
    (START, "[[initial]]\n"),
    (START, "[sharing]\n"),
    (START, "[[expect]]\n"),
    (PASS, ""),
    (PASS, "[pass.condition]\n"),
    (PASS, "[[buffer]]\n"),
    ("version = 1\ndomain = {}\n", "[program]\n"),
    ("version = 1\nprogram = { file = \"p.hex\" }\n", "[domain]\n"),
];

fn keys() -> BTreeSet<String> {
    let dir = directory();
    let keys = TABLES.iter().flat_map(|(start, table)| {
        let message = message(dir.path(), &format!("{start}{table}nosuch = 0\n"));
        let (_, keys) = message.split_once("unknown key; the keys here are ").expect(&message);
        keys.split(", ").map(str::to_string).collect::<Vec<_>>()
    });
    keys.collect()
}

fn docs() -> String {
    let path = ctm_testing::files::root().join("docs/jobs.md");
    let text = std::fs::read_to_string(path).expect("the docs of jobs");
    let (keys, _) = text.split_once("## Results").expect("a section of results");
    keys.replace("```", "")
}

/// The words between backquotes that are written as keys are.
fn quoted(text: &str) -> BTreeSet<&str> {
    let is_key = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let parts = text.split('`').skip(1).step_by(2).filter(|part| !part.starts_with("--"));
    let words = parts.flat_map(|part| part.split(move |c| !is_key(c)));
    words.filter(|word| !word.is_empty()).collect()
}

#[test]
fn the_docs_name_every_key() {
    let docs = docs();
    let named = quoted(&docs);
    for key in keys() {
        assert!(named.contains(&*key) || docs.contains(&format!("[{key}]")), "{key}");
    }
}

#[test]
fn every_key_in_the_table_of_the_docs_is_one() {
    let (all, docs) = (keys(), docs());
    let rows: Vec<&str> = docs.lines().filter(|line| line.starts_with("| `")).collect();
    assert!(rows.len() > 10);
    for word in rows.into_iter().flat_map(quoted) {
        // What `plane` holds is described in words.
        let is_value = ["point", "at", "a", "column", "row", "adds"].contains(&word);
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        assert!(is_value || is_number || all.contains(word), "{word}");
    }
}
