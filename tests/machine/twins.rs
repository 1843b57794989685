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
    twins(
        &[
            "crates/isa/src/float.rs",
            "crates/isa/src/float/arith.rs",
            "crates/isa/src/float/convert.rs",
            "crates/isa/src/float/select.rs",
            "crates/isa/src/float/transcendental.rs",
        ],
        ("shaders/float.wgsl", "x1k_"),
        &[
            SUM,
            ("floor", "WGSL has one"),
            ("less", "float_host.wgsl or float_integers.wgsl, by guard level"),
            ("equal", "float_host.wgsl or float_integers.wgsl, by guard level"),
        ],
    );
}

#[test]
fn float_fast() {
    twins(&["crates/isa/src/float/fast.rs"], ("shaders/float_fast.wgsl", "fast_"), &[SUM]);
}

/// The shader of memory works on words of a buffer, so it has some functions only.
#[test]
fn memory() {
    let files = [
        "crates/machine/src/memory/translate.rs",
        "crates/machine/src/memory/surface.rs",
        "crates/machine/src/memory/format.rs",
    ];
    let (ours, theirs) = (functions(&files), shader("shaders/memory.wgsl", "mem_"));
    let expected: Vec<&String> = ours.iter().filter(|name| theirs.contains(name)).collect();
    let found: Vec<&String> = theirs.iter().filter(|name| ours.contains(name)).collect();
    assert_eq!(found, expected);
    let least = ["linear", "tiled", "decode", "encode", "load", "wrap_coordinate", "fetch"];
    assert_eq!(found, least);
}

/// Flow control has the same parts in the reference engine, the block engine and the interpreter, with
/// the same names in the same order.
#[test]
fn flow_control() {
    let parts = ["exchange_level", "wake_levels", "sleep", "wish", "pop_frame", "flow_op"];
    let shaders = ["shaders/group.wgsl", "shaders/interpreter_group.wgsl"];
    let declared = |text: &str| -> Vec<String> {
        let lines = text.lines().filter_map(|line| line.split_once("fn "));
        let names = lines.filter_map(|(_, rest)| Some(rest.split_once('(')?.0.to_string()));
        names.filter(|name| parts.contains(&name.as_str())).collect()
    };
    let rust = ["reference", "block"]
        .map(|name| read(&format!("crates/machine/src/engine/{name}/flow.rs")));
    for text in [shaders.map(read).concat()].iter().chain(&rust) {
        assert_eq!(declared(text), parts);
    }
    // The Rust files have no others.
    for text in rust {
        assert_eq!(text.matches("fn ").count(), parts.len());
    }
}

/// All files of a folder with this ending, those of tests excepted, relative to the package.
fn files(folder: &str, ending: &str, found: &mut Vec<String>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    for entry in fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry")) {
        let name = entry.file_name().into_string().expect("a name");
        let path = format!("{folder}/{name}");
        if entry.path().is_dir() && name != "tests" {
            files(&path, ending, found);
        } else if name.ends_with(ending) && name != "tests.rs" {
            found.push(path);
        }
    }
}

/// Whether a line of code, without its comment and its strings, has a name, in any spelling: `Frc`,
/// `x1k_frc`, `OP_FRC`.
fn names(line: &str, name: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default().split('"').step_by(2);
    let words = code.flat_map(|code| code.split(|c: char| !c.is_alphanumeric() && c != '_'));
    let plain = words.map(|word| word.to_lowercase());
    let prefixes = ["x1k_", "fast_", "op_"];
    plain.into_iter().any(|word| {
        let end = prefixes.iter().find_map(|prefix| word.strip_prefix(prefix));
        end.unwrap_or(&word) == name
    })
}

/// The places that one operation takes, as docs/architecture.md ("How to add a field or an opcode")
/// says: two functions in Rust, the rows of the two tables, two files of WGSL. Nothing else names it:
/// not the engines, not lowering, not the tools. The folders `others` have other instruction sets, or
/// write programs.
#[test]
fn an_operation_is_named_in_five_places() {
    for (name, exact) in [("frc", "arith"), ("cos", "transcendental")] {
        let mut all = Vec::new();
        files("crates", ".rs", &mut all);
        files("src", ".rs", &mut all);
        files("shaders", ".wgsl", &mut all);
        assert!(all.len() > 200, "{}", all.len());
        let others = [
            // The operations as a trait, for compilers.
            "crates/isa/src/arithmetic.rs",
            "crates/codegen/",
            "crates/compiler/",
            "crates/functions/",
            "crates/glsl/",
            "crates/lang/src/ps/",
            "crates/tools/src/mesa/",
            "crates/tools/src/bench/",
            // Exact arithmetic and intervals: the compiler asks for them there.
            "crates/prove/src/algebra.rs",
            "crates/prove/src/ranges/step.rs",
            "crates/fuzz/src/crosscheck/generate/",
        ];
        let other = |path: &str| others.iter().any(|folder| path.starts_with(folder));
        all.retain(|path| !other(path) && read(path).lines().any(|line| names(line, name)));
        all.sort();
        let generated = "shaders/constants.wgsl".to_string();
        let exact = format!("crates/isa/src/float/{exact}.rs");
        let mut expected = [
            "shaders/float.wgsl",
            "shaders/float_fast.wgsl",
            "crates/isa/src/float/fast.rs",
            "crates/isa/src/isa/codes.rs",
        ]
        .map(String::from)
        .to_vec();
        expected.extend([generated, exact, "crates/isa/src/ops.rs".to_string()]);
        // It adds.
        expected.extend((name == "frc").then(|| "crates/isa/src/float/chip.rs".to_string()));
        expected.sort();
        assert_eq!(all, expected, "{name}");
    }
}
