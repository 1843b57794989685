//! docs/isa.md is what the tables say: the instruction set as a Markdown manual.

use ctm_isa::isa::{
    self, ADDRESS_OPS, ALPHA_OPS, ALU_RESULT_SELS, BRANCH_OPS, CHANNELS, COMPARISONS, Code, FC_OPS,
    INDEX_MODES, MODIFIERS, OMODS, PRED_SELS, PRESUBS, RGB_OPS, SELS, SHARING_OPS, SWIZZLES,
    TARGETS, TEX_OPS, TYPES, Type, Word,
};
use std::fmt::Write;
use std::fs;

#[test]
fn the_manual_is_fresh() {
    let path = ctm_testing::files::root().join("docs/isa.md");
    let manual = manual();
    if std::env::var_os("CTM_BLESS").is_some() {
        fs::write(&path, &manual).expect("docs/isa.md can be written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    for (n, (have, want)) in written.lines().zip(manual.lines()).enumerate() {
        assert_eq!(
            have,
            want,
            "docs/isa.md line {}: run CTM_BLESS=1 cargo test --test lang isa_manual",
            n + 1
        );
    }
    assert_eq!(written, manual, "docs/isa.md: run CTM_BLESS=1 cargo test --test lang isa_manual");
}

/// The rows of the table under a heading: their cells.
fn rows<'a>(manual: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let start = format!("\n## {heading}\n");
    let (_, section) = manual.split_once(&start).expect(heading);
    let section = section.split("\n## ").next().unwrap_or("");
    let rows = section.lines().filter(|line| line.starts_with("| "));
    let cells = rows.map(|row| row.trim_matches(['|', ' ']).split(" | ").collect());
    // The head and the rule.
    cells.skip(2).collect()
}

#[test]
fn the_manual_has_every_field_and_every_operation() {
    let manual = manual();
    for word in Word::ALL {
        let rows = rows(&manual, word.name());
        let names: Vec<&str> = rows.iter().map(|row| row[1]).collect();
        let fields = word.fields();
        let wanted: Vec<&str> = fields.iter().map(|field| field.name).collect();
        assert_eq!(names, wanted, "{}", word.name());
        for (row, field) in rows.iter().zip(fields) {
            let values = field.values.iter();
            let values: Vec<String> =
                values.map(|code| format!("{} {}", code.code, code.name)).collect();
            if !values.is_empty() {
                assert_eq!(row[2], values.join(", "), "{}", field.name);
            }
            for code in field.values {
                assert!(manual.contains(&format!("| `{}` |", code.name)), "{}", code.name);
            }
        }
    }
}

/// The introduction of the manual.
const INTRODUCTION: &str = "\
# Instruction set

Generated from the tables in `crates/isa/src/isa`; do not edit. `CTM_BLESS=1 cargo test --test lang isa_manual`
writes it anew.

An instruction has six 32-bit words, 0 to 5. Word 0 is the same for all classes; its field TYPE
says how words 1 to 5 are read. The sources are AMD's R5xx register descriptions [A], the ATI CTM
Guide at page n [G n], and Mesa's r300 driver [M]. Extensions follow AMD's R700 ISA manual, page 2-14
[R].
";

/// The enumerations in the order of the manual: heading, table, the fields that use it.
const ENUMERATIONS: &[(&str, &[Code], &str)] = &[
    ("Instruction classes", TYPES, "TYPE"),
    ("RGB operations", RGB_OPS, "RGB_OP"),
    ("Alpha operations", ALPHA_OPS, "ALPHA_OP"),
    ("Input operations", TEX_OPS, "INST"),
    ("Flow-control operations", FC_OPS, "OP"),
    ("Sources of an input", SELS, "RGB_SEL_n, ALPHA_SEL_n"),
    ("Swizzles of an input", SWIZZLES, "RED_SWIZ_n, GREEN_SWIZ_n, BLUE_SWIZ_n, ALPHA_SWIZ_n"),
    ("Modifiers of an input", MODIFIERS, "RGB_MOD_n, ALPHA_MOD_n"),
    ("Presubtracts", PRESUBS, "SRCP_OP"),
    ("Output modifiers", OMODS, "OMOD"),
    ("Outputs", TARGETS, "TARGET of an OUT instruction"),
    ("Comparisons with 0", COMPARISONS, "TARGET of an ALU instruction, ALU_RESULT_OP"),
    ("Channel of the ALU result", ALU_RESULT_SELS, "ALU_RESULT_SEL"),
    ("Predicates", PRED_SELS, "RGB_PRED_SEL, ALPHA_PRED_SEL"),
    ("Channels of a fetch", CHANNELS, "SRC_x_SWIZ, DST_x_SWIZ, DX_x_SWIZ, DY_x_SWIZ"),
    ("Address-stack operations", ADDRESS_OPS, "A_OP"),
    ("Branch-counter operations", BRANCH_OPS, "B_OP0, B_OP1"),
    (
        "RGB operations with data sharing",
        SHARING_OPS,
        "RGB_OP of a program with data sharing, besides those above: an extension of the R5xx",
    ),
    (
        "Index modes",
        INDEX_MODES,
        "STAT_WE, which is INDEX_MODE in a program with data sharing: an extension of the R5xx",
    ),
];

/// The manual of the instruction set in Markdown: the words of each class, the fields of every
/// word, and the enumerations.
fn manual() -> String {
    let mut text = INTRODUCTION.to_string();
    classes(&mut text);
    for word in Word::ALL {
        section(&mut text, *word);
    }
    for (heading, codes, fields) in ENUMERATIONS {
        enumeration(&mut text, heading, codes, fields);
    }
    text
}

/// A cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

fn classes(text: &mut String) {
    text.push_str("\n## Words\n\n| word | ALU, OUT | TEX | FC |\n| --- | --- | --- | --- |\n");
    for word in 0..6 {
        let _ = write!(text, "| {word} |");
        for class in [Type::Alu, Type::Tex, Type::Fc] {
            let name = Word::layout(class)[word].map_or("not used", Word::name);
            let _ = write!(text, " {name} |");
        }
        text.push('\n');
    }
}

fn section(text: &mut String, word: Word) {
    let _ = write!(
        text,
        "\n## {}\n\n{} Loaded through {:#x} + 4n.\n\n| bits | field | values | meaning | source |\n| --- | --- | --- | --- | --- |\n",
        word.name(),
        word.doc(),
        word.bank(),
    );
    for field in word.fields() {
        let high = field.low + field.width - 1;
        let bits = match field.width {
            1 => field.low.to_string(),
            _ => format!("{high}:{}", field.low),
        };
        let values = match field.values {
            [] => format!("0-{}", field.max()),
            codes => {
                let names: Vec<String> =
                    codes.iter().map(|code| format!("{} {}", code.code, code.name)).collect();
                names.join(", ")
            }
        };
        let _ = writeln!(
            text,
            "| {bits} | {} | {} | {} | {} |",
            field.name,
            cell(&values),
            cell(field.meaning),
            field.source
        );
    }
}

fn enumeration(text: &mut String, heading: &str, codes: &[Code], fields: &str) {
    let operands = codes.iter().any(|code| code.operands != 0);
    // A source of all codes is told once.
    let source = codes.first().map(|code| code.source);
    let source = source.filter(|source| codes.iter().all(|code| code.source == *source));
    let of_all = source.map(|source| format!(" [{source}]")).unwrap_or_default();
    let mut columns = vec!["code", "name", "meaning"];
    if operands {
        columns.insert(2, "inputs");
    }
    if source.is_none() {
        columns.push("source");
    }
    let (head, rule) = (columns.join(" | "), vec!["---"; columns.len()].join(" | "));
    let _ = write!(text, "\n## {heading}\n\nIn {fields}{of_all}.\n\n| {head} |\n| {rule} |\n");
    for code in codes {
        let _ = write!(text, "| {} | `{}` |", code.code, code.name);
        if operands {
            let names: Vec<&str> = [(isa::A, "A"), (isa::B, "B"), (isa::C, "C")]
                .into_iter()
                .filter(|(bit, _)| code.operands & bit != 0)
                .map(|(_, name)| name)
                .collect();
            let _ = write!(text, " {} |", names.join(" "));
        }
        let _ = write!(text, " {} |", cell(code.meaning));
        if source.is_none() {
            let _ = write!(text, " {} |", code.source);
        }
        text.push('\n');
    }
}
