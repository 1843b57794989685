//! Twins: a shader has the functions of its Rust files, with the same names in the same order, so
//! that they can be read side by side.

use std::fs;
use std::path::Path;

fn read(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect(path)
}

/// The names of the functions that are declared at the beginnings of lines, up to the tests.
fn functions(paths: &[&str]) -> Vec<String> {
    let mut names = Vec::new();
    for path in paths {
        let text = read(path);
        let code = text.split("#[cfg(test)]").next().expect("a first part");
        for line in code.lines() {
            let line = line.strip_prefix("pub ").or(line.strip_prefix("pub(super) "));
            let line = line.unwrap_or_default();
            let line = line.strip_prefix("const ").unwrap_or(line);
            if let Some(rest) = line.strip_prefix("fn ") {
                let end = rest.find(['(', '<']).expect("a parameter list");
                names.push(rest[..end].to_string());
            }
        }
    }
    names
}

/// The functions of a shader whose names begin with `prefix`, without it.
fn shader(path: &str, prefix: &str) -> Vec<String> {
    let start = format!("fn {prefix}");
    let text = read(path);
    let names = text.lines().filter_map(|line| line.strip_prefix(&start));
    names.map(|rest| rest.split('(').next().expect("a name").to_string()).collect()
}

/// Checks that a shader has every function of some Rust files in their order. `elsewhere` are those
/// that it does not have under their names, each with the reason.
fn twins(rust: &[&str], wgsl: (&str, &str), elsewhere: &[(&str, &str)]) {
    let (ours, theirs) = (functions(rust), shader(wgsl.0, wgsl.1));
    let listed = |name: &str| elsewhere.iter().any(|(listed, _)| *listed == name);
    let expected: Vec<&String> = ours.iter().filter(|name| !listed(name)).collect();
    let found: Vec<&String> = theirs.iter().filter(|name| expected.contains(name)).collect();
    assert_eq!(found, expected, "{} beside {rust:?}", wgsl.0);
    for (name, reason) in elsewhere {
        assert!(
            ours.iter().any(|ours| ours == name),
            "{name}: {reason}: there is no such function"
        );
        assert!(!theirs.iter().any(|theirs| theirs == name), "{name}: it is listed and there");
    }
}

const SUM: (&str, &str) = ("sum", "WGSL has no slices: sum3 and sum4");

#[test]
fn float_exact() {
    let files = ["mod", "arith", "convert", "select", "transcendental"];
    let files = files.map(|name| format!("src/float/{name}.rs"));
    twins(
        &files.each_ref().map(String::as_str),
        ("shaders/float.wgsl", "x1k_"),
        &[
            SUM,
            ("less", "float_guards0.wgsl or float_integers.wgsl, by guard level"),
            ("equal", "float_guards0.wgsl or float_integers.wgsl, by guard level"),
        ],
    );
}

#[test]
fn float_fast() {
    twins(&["src/float/fast.rs"], ("shaders/float.wgsl", "fast_"), &[SUM]);
}

/// The shader of memory works on words of a buffer, so it has some functions only.
#[test]
fn memory() {
    let files = ["src/memory/translate.rs", "src/memory/surface.rs", "src/memory/format.rs"];
    let (ours, theirs) = (functions(&files), shader("shaders/memory.wgsl", "mem_"));
    let expected: Vec<&String> = ours.iter().filter(|name| theirs.contains(name)).collect();
    let found: Vec<&String> = theirs.iter().filter(|name| ours.contains(name)).collect();
    assert_eq!(found, expected);
    let least = ["linear", "tiled", "decode", "encode", "load", "wrap_coordinate", "fetch"];
    assert_eq!(found, least);
}
