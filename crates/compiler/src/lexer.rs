//! Tokens of GLSL.

use ctm_base::text::{Diagnostic, Span};
use std::borrow::Cow;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Word,
    /// A number.
    Number,
    /// An operator or a bracket.
    Sign,
    /// A character that begins no token. It may be in text that the preprocessor leaves out.
    Unknown,
}

/// A token.
#[derive(Clone, Debug)]
pub struct Token<'s> {
    /// The kind.
    pub kind: Kind,
    /// The text.
    pub text: Cow<'s, str>,
    /// Its position in the source; for a token from a macro, the position where the macro is used.
    pub span: Span,
    /// Whether it is the first of its line.
    pub first: bool,
    /// Whether white space precedes it.
    pub spaced: bool,
}

impl Token<'_> {
    /// Whether it is this sign or word.
    pub fn is(&self, text: &str) -> bool {
        self.text == text
    }
}

const SIGNS: [&str; 25] = [
    "<<=", ">>=", "##", "++", "--", "<=", ">=", "==", "!=", "&&", "||", "^^", "<<", ">>", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=", "->", "::", "//",
];

/// The tokens of a source, without comments.
pub fn tokens(source: &str) -> Result<Vec<Token<'_>>, Diagnostic> {
    let bytes = source.as_bytes();
    let mut tokens = Vec::new();
    let (mut at, mut first, mut spaced) = (0, true, true);
    while let Some(&byte) = bytes.get(at) {
        let rest = &source[at..];
        if byte == b'\n' {
            (first, spaced) = (true, true);
            at += 1;
            continue;
        }
        if byte == b'\\' {
            let end = rest[1..].trim_start_matches([' ', '\t', '\r']);
            if end.starts_with('\n') {
                at = source.len() - end.len() + 1;
                spaced = true;
                continue;
            }
        }
        if byte.is_ascii_whitespace() || byte == 0xb || rest.starts_with('\u{feff}') {
            at += if byte < 128 { 1 } else { 3 };
            spaced = true;
            continue;
        }
        if rest.starts_with("//") {
            // A backslash at its end continues a comment.
            let mut end = 0;
            for line in rest.split_inclusive('\n') {
                end += line.len();
                if !line.trim_end_matches(['\n', '\r']).ends_with('\\') {
                    break;
                }
            }
            let newline = rest[..end].ends_with('\n') as usize;
            at += end - newline;
            spaced = true;
            continue;
        }
        if let Some(inside) = rest.strip_prefix("/*") {
            let Some(end) = inside.find("*/") else {
                return Err(Span::new(at, at + 2)
                    .error("this comment has no end")
                    .help("add `*/`"));
            };
            first |= inside[..end].contains('\n');
            at += end + 4;
            spaced = true;
            continue;
        }
        let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let (kind, length) = if byte.is_ascii_alphabetic() || byte == b'_' {
            (Kind::Word, rest.bytes().take_while(word).count())
        } else if byte.is_ascii_digit()
            || byte == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit)
        {
            (Kind::Number, number(rest))
        } else if byte.is_ascii_punctuation()
            && !matches!(byte, b'"' | b'$' | b'@' | b'`' | b'\\' | b'\'')
        {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            (Kind::Sign, sign.map_or(1, |sign| sign.len()))
        } else {
            (Kind::Unknown, rest.chars().next().map_or(1, char::len_utf8))
        };
        let span = Span::new(at, at + length);
        tokens.push(Token { kind, text: Cow::Borrowed(&rest[..length]), span, first, spaced });
        (first, spaced) = (false, false);
        at += length;
    }
    Ok(tokens)
}

/// The length of the number at the start of a text.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let mut end = 0;
    while let Some(&byte) = bytes.get(end) {
        let exponent = end > 0 && matches!(bytes[end - 1], b'e' | b'E') && !hexadecimal;
        if byte.is_ascii_alphanumeric() || byte == b'.' || exponent && matches!(byte, b'+' | b'-') {
            end += 1;
        } else {
            break;
        }
    }
    end
}
