//! The messages of all errors, word for word: see `error_table.rs`.

use crate::error_table::{check, describe};
use ctm_lang::asm::{TextErrors, assemble};

fn errors(source: &str) -> TextErrors {
    match assemble(source, "test.dpp") {
        Ok(_) => panic!("no error in\n{source}"),
        Err(errors) => errors,
    }
}

#[test]
fn every_error_says_what_and_where() {
    check("tests/asm_errors.txt", |source| assemble(source, "test.dpp"));
}

#[test]
fn what_runs_out_is_named() {
    let message = |source: &str| describe(&errors(source));
    let literals: String = (0..257 * 4).map(|n| format!("mov r1, {}.3\n", n + 1)).collect();
    // 512 instructions cannot use up 256 registers of four values one by one; vectors can.
    let vectors: String =
        (0..257).map(|n| format!("mov r1, {{{n}.3, {n}.31, {n}.32, {n}.33}}\n")).collect();
    assert_eq!(
        message(&literals),
        "    513:1: a program has at most 512 instructions | one too many\n"
    );
    assert_eq!(
        message(&vectors),
        "    257:9: all 256 float constants are taken; there is none for this number\n"
    );
    let loops: String = (1..40).map(|n| format!("rep {n}\nendrep\n")).collect();
    assert_eq!(
        message(&loops).lines().next(),
        Some("    65:5: all 32 integer constants are taken; there is none for this count")
    );
    let returns = "ret if b0\n".repeat(32);
    assert_eq!(
        message(&format!("call f\nend\nf: {returns}ret")),
        "    35:1: a subroutine has at most 31 conditional returns\n"
    );
    let blocks = "rep n0\n".repeat(32);
    assert_eq!(message(&blocks), "    32:1: blocks nest deeper than 31\n");
}

#[test]
fn errors_come_one_a_line_in_order_and_end_somewhere() {
    let errors = errors(&"mov $ $\nfoo r1\n".repeat(100));
    assert_eq!(errors.errors().len(), TextErrors::LIMIT);
    let lines: Vec<usize> = errors.errors().iter().map(|error| error.line).collect();
    assert!(lines.is_sorted_by(|a, b| a < b));
}

#[test]
fn columns_count_characters_and_the_caret_stands_below_them() {
    let error = errors("\n\tmov r1, r0 # \u{20ac}\n\u{20ac}\u{20ac} \u{20ac}\nmov \u{e9}");
    assert_eq!(
        error.render(false).trim_end(),
        "\
Error: the character '\u{20ac}' has no meaning here
   ,-[ test.dpp:3:1 ]
   |
 3 | \u{20ac}\u{20ac} \u{20ac}
   | |
   | `-- here
---'
Error: the character '\u{e9}' has no meaning here
   ,-[ test.dpp:4:5 ]
   |
 4 | mov \u{e9}
   |     |
   |     `-- here
---'"
    );
    let tab = errors("\tmov r1, foo");
    assert_eq!((tab.errors()[0].line, tab.errors()[0].column), (1, 10));
}

#[test]
fn colour_is_only_colour() {
    let errors = errors("mda r1, r0, c0, r2");
    let coloured = errors.render(true);
    assert!(coloured.contains('\u{1b}'));
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((text, escape)) = rest.split_once('\u{1b}') {
        plain.push_str(text);
        rest = escape.split_once('m').map_or("", |(_, rest)| rest);
    }
    plain.push_str(rest);
    assert_eq!(plain, errors.render(false));
    assert!(!errors.render(false).contains('\u{1b}'));
}

#[test]
fn control_characters_of_a_source_do_nothing() {
    let text = errors("mov r1,\tfoo # \u{1b}[2J\u{9b}2J\n\u{1b}").render(false);
    assert!(text.contains("foo # ?[2J??2J"), "{text}");
    assert!(!text.contains(|c: char| c.is_control() && c != '\n'));
}

#[test]
fn an_error_value_shows_the_first_lines_that_are_wrong() {
    let wrong = |lines| errors(&"foo\n".repeat(lines)).to_string();
    let text = wrong(12);
    assert!(text.contains("10 | foo") && !text.contains("11 | foo"), "{text}");
    assert!(text.ends_with("\nand 2 more errors"), "{text}");
    assert!(wrong(11).ends_with("\nand 1 more error"));
    // No more than 20 are looked for.
    assert!(wrong(30).ends_with("\nand at least 10 more errors"));
    assert!(wrong(10).ends_with("---'"));
}

#[test]
fn long_lines_are_cut_in_messages() {
    let source = format!("mov r1, r0{}$ foo", " ".repeat(5000));
    let errors = errors(&source);
    assert_eq!(errors.errors()[0].column, 5011);
    assert!(errors.to_string().len() < 2000);
    assert!(errors.to_string().contains("$ foo"));
}

#[test]
fn letters_of_register_files_can_be_names() {
    let words = |text: &str| assemble(text, "a.dpp").expect("valid").words;
    let named = ".const c c0\n.temp r r1\nrep n0\nmad r, c, r[aL+2], c[aL]\nendrep\nmov o0, r\n";
    let plain = "rep n0\nmad r1, c0, r[aL+2], c[aL]\nendrep\nmov o0, r1\n";
    assert_eq!(words(named), words(plain));
}
