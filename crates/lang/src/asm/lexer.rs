//! Source text to tokens.
//!
//! A token never spans lines; comments run from `#` or `;` to the end of the line.

use ctm_base::text::{self, Diagnostic, Kind, Scanner, Token, is_word};

/// Longest first, so that no prefix matches before a longer one.
const PUNCTUATION: &[&str] = &[
    "->", "==", "!=", "<=", ">=", ",", "|", "&", "(", ")", "[", "]", "{", "}", "+", "-", "*", "/",
    "!", ":", "=", "<", ">",
];

/// The tokens of a source. Each line ends with one, the last line too.
///
/// # Errors
/// A character that cannot begin a token.
pub(super) fn tokens(source: &str) -> (Vec<Token<'_>>, Vec<Diagnostic>) {
    text::tokens(source, "line", |scanner, c| {
        Ok(match c {
            '\n' => scanner.eat("\n").then_some(Kind::End("line")),
            '#' | ';' => {
                scanner.take(|c| c != '\n');
                None
            }
            '0'..='9' => Some(Kind::Number(number(scanner))),
            '.' if scanner.eat_before(&["."], is_word) => Some(Kind::Dot(scanner.take(is_word))),
            '@' if scanner.eat_before(&["@", "@!"], starts_word) => {
                let start = scanner.at - usize::from(scanner.source[..scanner.at].ends_with('!'));
                scanner.take(is_word);
                Some(Kind::At(&scanner.source[start..scanner.at]))
            }
            c if starts_word(c) => Some(Kind::Word(scanner.take(is_word))),
            _ => scanner.punct(PUNCTUATION),
        })
    })
}

fn starts_word(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '_'
}

/// `12`, `0x1f`, `1.5`, `2e-3`. A dot without a digit after it belongs to the next token.
fn number<'s>(scanner: &mut Scanner<'s>) -> &'s str {
    let start = scanner.at;
    if scanner.eat_before(&["0x", "0X"], |c| c.is_ascii_hexdigit()) {
        scanner.take(|c| c.is_ascii_hexdigit());
    } else {
        scanner.digits();
        if scanner.eat_before(&["."], |c| c.is_ascii_digit()) {
            scanner.digits();
        }
        scanner.exponent();
    }
    &scanner.source[start..scanner.at]
}
