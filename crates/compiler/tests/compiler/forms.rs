//! The graph and its blocks as text: what is printed is read as the same program.

use ctm_codegen::print::blocks;
use ctm_codegen::read::read;
use ctm_compiler::{Flow, Language, Options, forms};
use std::collections::HashMap;
use std::path::Path;

/// The text without lines of the source, with nodes by the order of their first places.
fn renumbered(text: &str) -> String {
    let mut names: HashMap<String, usize> = HashMap::new();
    let mut plain = String::new();
    for line in text.lines() {
        let line = line.split('#').next().unwrap_or_default().trim_end();
        for word in line.split_inclusive([' ', ',']) {
            let own = word.trim_end_matches([' ', ',']);
            if own.starts_with('%') {
                let next = names.len();
                let n = *names.entry(own.to_string()).or_insert(next);
                plain += &word.replacen(own, &format!("%{n}"), 1);
            } else {
                plain += word;
            }
        }
        plain += "\n";
    }
    plain
}

/// The shaders of a folder and of those in it.
fn shaders(folder: &Path, all: &mut Vec<(String, Language)>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            shaders(&path, all);
        }
        let language = match path.extension().and_then(|ending| ending.to_str()) {
            Some("frag" | "glsl") => Language::Glsl,
            Some("wgsl") => Language::Wgsl,
            Some("ps") => Language::Ps,
            _ => continue,
        };
        all.push((std::fs::read_to_string(&path).expect("a text"), language));
    }
}

#[test]
fn the_blocks_of_all_kernels_are_read_as_they_are_printed() {
    let mut all = Vec::new();
    for folder in ["kernels", "tests/vectors", "crates/compiler/tests"] {
        shaders(&ctm_testing::files::root().join(folder), &mut all);
    }
    let mut count = 0;
    for (source, language) in all {
        for flow in [Flow::Chosen, Flow::Structured] {
            let options = Options { flow, ..Options::default() };
            let Ok(forms) = forms(&source, "shader", language, &options) else { continue };
            let text = blocks(&forms.ir, &source);
            let ir = read(&text, forms.ir.graph.rules, false);
            let ir = ir.unwrap_or_else(|error| panic!("{error}\n{source}"));
            assert_eq!(renumbered(&blocks(&ir, "")), renumbered(&text), "{source}");
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
}
