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
    text.push_str("### Operations\n\n| unit | operations ([isa.md](isa.md) says what they do) |\n| --- | --- |\n");
    for (unit, table) in [
        ("[RGB](isa.md#rgb-operations)", RGB_OPS),
        ("[alpha](isa.md#alpha-operations)", ALPHA_OPS),
        ("[fetches](isa.md#input-operations)", TEX_OPS),
        ("[flow control, with an arrow](isa.md#flow-control-operations)", FC_OPS),
    ] {
        let name = |code: &Code| format!("`{}`", code.name.to_ascii_lowercase());
        let names: Vec<String> = table.iter().map(name).collect();
        let _ = writeln!(text, "| {unit} | {} |", names.join(" "));
    }
}
