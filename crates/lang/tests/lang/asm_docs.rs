//! The examples of docs/assembly.md and docs/tutorial.md are what the assembler does, and the
//! reference of the former is what the tables say. `CTM_BLESS=1` writes all of it anew.

use ctm_lang::asm::{assemble, friendly, line, reference};
use ctm_lang::program::{ConstantKind, Image};
use ctm_lang::raw::write_hex;
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

fn path(document: &str) -> PathBuf {
    ctm_testing::files::root().join("docs").join(document)
}

/// One instruction a line with its address, then the constants of the program's own.
fn listing(image: &Image) -> String {
    let mut text = String::new();
    for (pc, words) in image.words.iter().enumerate() {
        assert!(friendly(words, None).is_some(), "no friendly form of {words:08x?}");
        let _ = writeln!(text, "{pc:>2}  {}", line(words, None));
    }
    for literal in &image.literals {
        let (letter, values) = match literal.kind {
            ConstantKind::Float => {
                ('c', literal.value.map(|bits| f32::from_bits(bits).to_string()).join(" "))
            }
            ConstantKind::Int => (
                'n',
                literal.value[..3]
                    .iter()
                    .map(|v| (*v as i32).to_string())
                    .collect::<Vec<_>>()
                    .join(" "),
            ),
            ConstantKind::Bool => ('b', literal.value[0].to_string()),
        };
        let _ = writeln!(text, "{letter}{} = {values}", literal.addr);
    }
    text
}

/// The text of a block that says what the source before it gives.
fn expected(kind: &str, source: &str) -> String {
    match (kind, assemble(source, "example.dpp")) {
        ("listing", Ok(image)) => listing(&image),
        ("words", Ok(image)) => write_hex(&image),
        ("error", Err(errors)) => errors.render(false),
        (kind, Ok(_)) => panic!("a {kind} block after a source without errors:\n{source}"),
        (kind, Err(errors)) => panic!("a {kind} block after a source with errors:\n{errors}"),
    }
}

/// The document with every block after a source, and the reference, as they should be.
fn fresh(document: &str) -> (String, usize) {
    let mut text = String::new();
    let mut source: Option<String> = None;
    let mut examples = 0;
    let mut lines = document.lines();
    while let Some(line) = lines.next() {
        text.push_str(line);
        text.push('\n');
        if line == "<!-- reference -->" {
            let _ = write!(text, "\n{}\n", reference());
            for line in lines.by_ref() {
                if line == "<!-- /reference -->" {
                    text.push_str("<!-- /reference -->\n");
                    break;
                }
            }
            continue;
        }
        let Some(kind) = line.strip_prefix("```").filter(|kind| !kind.is_empty()) else {
            assert!(source.is_none() || line.is_empty(), "a source without a block after it");
            continue;
        };
        let block: String = lines
            .by_ref()
            .take_while(|line| *line != "```")
            .map(|line| format!("{line}\n"))
            .collect();
        match (kind, source.take()) {
            ("text" | "glsl", None) => text.push_str(&block),
            ("asm", None) => {
                text.push_str(&block);
                source = Some(block);
            }
            ("listing" | "words" | "error", Some(source)) => {
                text.push_str(&expected(kind, &source));
                examples += 1;
            }
            (kind, _) => panic!("a block {kind} out of place"),
        }
        text.push_str("```\n");
    }
    assert!(source.is_none(), "the last source has no block after it");
    (text, examples)
}

/// Compares a document with what it should be, or writes it.
fn is_fresh(name: &str, least: usize) {
    let document = fs::read_to_string(path(name)).expect(name);
    let (text, examples) = fresh(&document);
    if std::env::var_os("CTM_BLESS").is_some() {
        fs::write(path(name), &text).expect(name);
        return;
    }
    for (n, (have, want)) in document.lines().zip(text.lines()).enumerate() {
        let n = n + 1;
        assert_eq!(
            have, want,
            "docs/{name} line {n}: run CTM_BLESS=1 cargo test --test lang asm_docs"
        );
    }
    assert_eq!(document, text);
    println!("docs/{name}: {examples} examples");
    assert!(examples >= least);
}

#[test]
fn the_examples_and_the_reference_are_fresh() {
    is_fresh("assembly.md", 25);
}

#[test]
fn the_examples_of_the_tutorial_are_fresh() {
    is_fresh("tutorial.md", 5);
}
