//! docs/isa.md is what the tables say.

use std::fs;
use std::path::Path;

#[test]
fn the_manual_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/isa.md");
    let manual = ctm::isa::manual();
    if std::env::var_os("CTM_BLESS").is_some() {
        fs::write(&path, &manual).expect("docs/isa.md can be written");
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    for (n, (have, want)) in written.lines().zip(manual.lines()).enumerate() {
        assert_eq!(
            have,
            want,
            "docs/isa.md line {}: run CTM_BLESS=1 cargo test --test isa_manual",
            n + 1
        );
    }
    assert_eq!(
        written, manual,
        "docs/isa.md: run CTM_BLESS=1 cargo test --test isa_manual"
    );
}

#[test]
fn the_manual_has_every_field_and_every_operation() {
    let manual = ctm::isa::manual();
    for register in ctm::isa::Register::ALL {
        for field in register.fields() {
            assert!(
                manual.contains(&format!("| {} | ", field.name)),
                "{}",
                field.name
            );
            for code in field.values {
                assert!(
                    manual.contains(&format!("| `{}` |", code.name)),
                    "{}",
                    code.name
                );
            }
        }
    }
}
