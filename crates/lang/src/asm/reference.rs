//! The reference lists of docs/assembly.md, generated from the assembler's tables.

use super::directives::DIRECTIVES;
use super::flags::FLAGS;
use super::mnemonics::PSEUDO;
use super::names::FILES;
use ctm_isa::isa::{ALPHA_OPS, Code, FC_OPS, RGB_OPS, TEX_OPS};
use std::fmt::Write;

/// Operations, pseudo-operations, registers, flags and directives as Markdown.
pub fn reference() -> String {
    let mut text = String::new();
    operations(&mut text);
    text.push_str("\n### Pseudo-operations\n\n| write | it stands for |\n| --- | --- |\n");
    for pseudo in PSEUDO {
        let operands = ["a", "b", "c"][..pseudo.operands].join(", ");
        let _ = writeln!(text, "| `{} d, {operands}` | `{}` |", pseudo.name, pseudo.meaning);
    }
    text.push_str("\n### Registers\n\n| name | register |\n| --- | --- |\n");
    for (letter, count, what, _) in FILES {
        let plural = match what.strip_suffix('y') {
            Some(stem) => format!("{stem}ies"),
            None => format!("{what}s"),
        };
        let _ = writeln!(text, "| `{letter}0` to `{letter}{}` | {plural} |", count - 1);
    }
    text.push_str("\n### Flags\n\n| flag | instructions | effect |\n| --- | --- | --- |\n");
    for flag in FLAGS {
        let (classes, meaning) = (flag.classes(), flag.meaning());
        let _ = writeln!(text, "| `@{}` | {classes} | {meaning} |", flag.syntax);
    }
    text.push_str("\n### Directives\n\n| directive | effect |\n| --- | --- |\n");
    for (name, form, effect) in DIRECTIVES {
        let written = format!(".{name} {form}").replace('|', "\\|");
        let _ = writeln!(text, "| `{}` | {effect} |", written.trim_end());
    }
    text
}

fn operations(text: &mut String) {
    let name = |code: &Code| code.name.to_ascii_lowercase();
    text.push_str("### Operations\n\n| operation | RGB unit | alpha unit |\n| --- | --- | --- |\n");
    let only_alpha = |code: &&Code| !RGB_OPS.iter().any(|rgb| rgb.name == code.name);
    for code in RGB_OPS.iter().chain(ALPHA_OPS.iter().filter(only_alpha)) {
        let of = |table: &[Code]| {
            let found = table.iter().find(|other| other.name == code.name);
            found.map_or("-".to_string(), |code| format!("{} ({})", code.meaning, inputs(code)))
        };
        let _ = writeln!(text, "| `{}` | {} | {} |", name(code), of(RGB_OPS), of(ALPHA_OPS));
    }
    for (heading, table) in [("Fetches", TEX_OPS), ("Flow control with an arrow", FC_OPS)] {
        let _ = write!(text, "\n### {heading}\n\n| operation | effect |\n| --- | --- |\n");
        for code in table {
            let _ = writeln!(text, "| `{}` | {} |", name(code), code.meaning);
        }
    }
}

/// The number of operands of an operation.
fn inputs(code: &Code) -> String {
    match code.operands.count_ones() {
        0 => "no operands".to_string(),
        1 if code.name.starts_with("MD") => "operands A, B".to_string(),
        1 => "operand A".to_string(),
        2 => "operands A, B".to_string(),
        _ => "operands A, B, C".to_string(),
    }
}
