//! Source text to tokens. The language ignores lines, but a token records whether it is the first
//! of its line, so that the parser can continue there after an error.

use ctm_base::text::{self, Diagnostic, Kind, Parsed, Scanner, Span, Token, is_word};

const PUNCTUATION: &[&str] = &[",", ".", "(", ")", "[", "]", "!", "-", "+"];

/// The tokens of a source and the texts of its line comments.
pub(super) struct Tokens<'s> {
    pub tokens: Vec<Token<'s>>,
    pub comments: Vec<&'s str>,
    pub errors: Vec<Diagnostic>,
}

/// Splits a source into tokens. Comments are `// ...`, `; ...` and `/* ... */`. A preprocessor's
/// `#line` counts as a comment.
pub(super) fn tokens(source: &str) -> Tokens<'_> {
    let mut comments = Vec::new();
    let (tokens, errors) = text::tokens(source, "source", |scanner, c| {
        let digit = |c: char| c.is_ascii_digit();
        Ok(match c {
            '\n' => {
                scanner.eat("\n");
                None
            }
            ';' | '/' if c == ';' || scanner.rest().starts_with("//") => {
                let text = scanner.take(|c| c != '\n');
                comments.push(text.trim_start_matches(['/', ';']).trim());
                None
            }
            '#' => directive(scanner)?,
            _ if scanner.rest().starts_with("/*") => comment(scanner)?,
            '0'..='9' => Some(Kind::Number(number(scanner))),
            '.' if scanner.rest()[1..].starts_with(digit) => Some(Kind::Number(number(scanner))),
            c if is_word(c) => Some(Kind::Word(scanner.take(is_word))),
            _ => scanner.punct(PUNCTUATION),
        })
    });
    Tokens { tokens, comments, errors }
}

fn directive<'s>(scanner: &mut Scanner<'s>) -> Parsed<Option<Kind<'s>>> {
    let start = scanner.at;
    if scanner.take(|c| c != '\n').starts_with("#line") {
        Ok(None)
    } else {
        Err(Span::new(start, scanner.at)
            .error("preprocessor directives are not part of the language"))
    }
}

fn comment<'s>(scanner: &mut Scanner<'s>) -> Parsed<Option<Kind<'s>>> {
    let open = Span::new(scanner.at, scanner.at + 2);
    let end = scanner.source[open.end..].find("*/").map(|end| open.end + end + 2);
    scanner.at = end.unwrap_or(scanner.source.len());
    match end {
        Some(_) => Ok(None),
        None => Err(open.error("this comment has no end: expected `*/`")),
    }
}

/// `12`, `1.5`, `.5`, `1.`, `2e-3`, `1.0f`, and the forms in which old printers write infinities
/// and NaN: `1.#INF`, `1.#QNAN`.
fn number<'s>(scanner: &mut Scanner<'s>) -> &'s str {
    let start = scanner.at;
    scanner.digits();
    if scanner.eat(".#") {
        scanner.take(|c| c.is_ascii_alphanumeric());
    } else {
        if scanner.eat(".") {
            scanner.digits();
        }
        scanner.exponent();
        // A suffix. Other letters here make the number invalid.
        scanner.take(is_word);
    }
    &scanner.source[start..scanner.at]
}

/// The value of a number's text, rounded to binary32; `None` if it is not a number.
pub(super) fn float(text: &str) -> Option<f32> {
    if let Some((_, name)) = text.split_once('#') {
        let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
        return match name.to_ascii_uppercase().as_str() {
            "INF" => Some(f32::INFINITY),
            "IND" | "QNAN" | "SNAN" => Some(f32::from_bits(ctm_isa::float::CANONICAL_NAN)),
            _ => None,
        };
    }
    let digits = text.strip_suffix(['f', 'F']).unwrap_or(text);
    digits.parse().ok()
}
