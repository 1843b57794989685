//! docs/isa.md is what the tables say.

use std::fs;

#[test]
fn the_manual_is_fresh() {
    let path = ctm_testing::files::root().join("docs/isa.md");
    let manual = ctm_isa::isa::manual();
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
    let manual = ctm_isa::isa::manual();
    for word in ctm_isa::isa::Word::ALL {
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
