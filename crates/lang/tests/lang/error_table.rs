//! Tables of sources with their errors, word for word.
//!
//! A table has each source on one line, with `\n` for its line ends. Below it, indented, are the
//! errors: line, column, message, `| text beside the caret`, `=> help`. `CTM_BLESS=1` rewrites the
//! table.

use ctm_lang::asm::TextErrors;
use std::fmt::Write;
use std::fs;
use std::path::Path;

/// The errors in the format of a table.
pub fn describe(errors: &TextErrors) -> String {
    let mut text = String::new();
    for error in errors.errors() {
        let _ = write!(text, "    {}:{}: {}", error.line, error.column, error.message);
        if let Some(label) = &error.label {
            let _ = write!(text, " | {label}");
        }
        if let Some(help) = &error.help {
            let _ = write!(text, " => {help}");
        }
        text.push('\n');
    }
    text
}

/// Compares a table of this package with the errors of its sources.
pub fn check<T>(table: &str, compile: impl Fn(&str) -> Result<T, TextErrors>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(table);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{table}: {error}"));
    let mut fresh = String::new();
    let mut count = 0;
    for source in text.lines().filter(|line| !line.starts_with("    ")) {
        match compile(&source.replace("\\n", "\n")) {
            Ok(_) => panic!("{table}: no error in {source}"),
            Err(errors) => {
                let _ = write!(fresh, "{source}\n{}", describe(&errors));
            }
        }
        count += 1;
    }
    if std::env::var_os("CTM_BLESS").is_some() {
        fs::write(&path, &fresh).unwrap_or_else(|error| panic!("{table}: {error}"));
        return;
    }
    for (n, (have, want)) in text.lines().zip(fresh.lines()).enumerate() {
        assert_eq!(have, want, "{table} line {}: CTM_BLESS=1 writes it", n + 1);
    }
    assert!(text == fresh, "{table}: its last source lacks errors: CTM_BLESS=1 writes them");
    println!("{count} sources");
}
