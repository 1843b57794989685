//! Tokens of a source, each with its place.

use ctm_base::text::{Parsed, Span};
use std::borrow::Cow;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Word,
    /// A number, perhaps a wrong one.
    Number,
    /// An operator or a bracket.
    Sign,
    /// A character that begins no token. It may be in text that the preprocessor leaves out.
    Unknown,
    /// `/*` without its end; it takes the rest of the source.
    Comment,
}

/// A token.
#[derive(Clone, Debug)]
pub struct Token<'s> {
    /// The kind.
    pub kind: Kind,
    /// The text.
    pub text: Cow<'s, str>,
    /// Its place in the source; for a token from a macro, the place where the macro is used.
    pub span: Span,
    /// Whether it is the first of its line.
    pub first: bool,
    /// Whether white space precedes it.
    pub spaced: bool,
    /// Whether it is the name of a macro that stood in its own text: such a name is never replaced.
    pub fixed: bool,
}

impl Token<'_> {
    /// Whether it is this sign or word.
    pub fn is(&self, text: &str) -> bool {
        self.text == text
    }
}

/// A source without its line continuations.
pub struct Spliced<'s> {
    /// The text.
    pub text: Cow<'s, str>,
    /// Where something is left out: the offset in the text, and the bytes that are left out up to there.
    cuts: Vec<(usize, usize)>,
}

/// Joins lines that end in a backslash with the next one.
pub fn splice(source: &str) -> Spliced<'_> {
    let mut cuts = Vec::new();
    let mut text = String::new();
    let (mut copied, mut left_out) = (0, 0);
    for (at, _) in source.match_indices('\\') {
        let end = source[at + 1..].trim_start_matches([' ', '\t']);
        let newline = ["\r\n", "\n", "\r"].into_iter().find(|newline| end.starts_with(newline));
        if let Some(newline) = newline {
            let end = source.len() - end.len() + newline.len();
            text += &source[copied..at];
            left_out += end - at;
            cuts.push((text.len(), left_out));
            copied = end;
        }
    }
    if cuts.is_empty() {
        return Spliced { text: Cow::Borrowed(source), cuts };
    }
    text += &source[copied..];
    Spliced { text: Cow::Owned(text), cuts }
}

/// Longer ones first.
const SIGNS: [&str; 22] = [
    "<<=", ">>=", "##", "++", "--", "<=", ">=", "==", "!=", "&&", "||", "^^", "<<", ">>", "+=",
    "-=", "*=", "/=", "%=", "&=", "|=", "^=",
];

/// The tokens of a source, without comments.
pub fn tokens<'s>(source: &'s Spliced<'_>) -> Vec<Token<'s>> {
    let mut tokens = Vec::new();
    let mut scanner = Scanner { text: &source.text, at: 0, first: true, spaced: false };
    // Where the current token is among the cuts, and the bytes left out before it.
    let (mut cut, mut left_out) = (0, 0);
    while let Some((kind, start, first, spaced)) = scanner.next() {
        let mut move_to = |offset: usize| {
            while let Some((_, bytes)) = source.cuts.get(cut).filter(|(at, _)| *at <= offset) {
                left_out = *bytes;
                cut += 1;
            }
            left_out + offset
        };
        // A token ends after its last byte, not after a continuation that follows it.
        let begin = move_to(start);
        let span = Span::new(begin, move_to(scanner.at - 1) + 1);
        let text = Cow::Borrowed(&source.text[start..scanner.at]);
        tokens.push(Token { kind, text, span, first, spaced, fixed: false });
    }
    tokens
}

/// The kind and the length of the token at the start of a text, which is not empty and begins with no white space.
fn token(rest: &str) -> (Kind, usize) {
    let bytes = rest.as_bytes();
    let first = bytes.first().copied().unwrap_or_default();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    if first.is_ascii_alphabetic() || first == b'_' {
        return (Kind::Word, word(bytes));
    }
    if digit(0) || first == b'.' && digit(1) {
        return (Kind::Number, number(bytes));
    }
    if first.is_ascii_punctuation() && !matches!(first, b'"' | b'$' | b'@' | b'`' | b'\\' | b'\'') {
        let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
        return (Kind::Sign, sign.map_or(1, |sign| sign.len()));
    }
    (Kind::Unknown, rest.chars().next().map_or(1, char::len_utf8))
}

/// Whether a text is one token, and of which kind.
pub fn single(text: &str) -> Option<Kind> {
    let (kind, length) = token(text);
    (length == text.len() && kind != Kind::Unknown).then_some(kind)
}

/// The length of a word.
fn word(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_').count()
}

/// The length of a number, with all letters and digits that follow it.
fn number(bytes: &[u8]) -> usize {
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let mut end = digits(0);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = matches!(bytes.get(end + 1), Some(b'+' | b'-')) as usize;
        if bytes.get(end + 1 + sign).is_some_and(u8::is_ascii_digit) {
            end = digits(end + 1 + sign);
        }
    }
    end + word(bytes.get(end..).unwrap_or_default())
}

/// The value of a whole number in base 10, 16 or 8.
pub fn whole(number: &str) -> Parsed<u32> {
    let error = |text: String| Err(Span::default().error(text));
    let hexadecimal = number.strip_prefix("0x").or_else(|| number.strip_prefix("0X"));
    let (digits, radix) = match hexadecimal {
        Some(digits) => (digits, 16),
        None if number.len() > 1 && number.starts_with('0') => (number, 8),
        None => (number, 10),
    };
    if digits.is_empty() {
        return error(format!("`{number}` has no digits"));
    }
    if let Some(digit) = digits.chars().find(|digit| !digit.is_digit(radix)) {
        return error(if radix == 8 && digit.is_ascii_digit() {
            format!("`{number}` begins with 0, so it is octal, and `{digit}` is not an octal digit")
        } else {
            format!("`{number}` is no whole number")
        });
    }
    match u32::from_str_radix(digits, radix) {
        Ok(value) => Ok(value),
        Err(_) => error(format!("`{number}` needs more than 32 bits")),
    }
}

/// Finds tokens in a text.
struct Scanner<'s> {
    text: &'s str,
    at: usize,
    first: bool,
    spaced: bool,
}

impl Scanner<'_> {
    /// The next token: its kind, its start, whether it is the first of a line and whether white space precedes it.
    /// The token ends where the scanner is then.
    fn next(&mut self) -> Option<(Kind, usize, bool, bool)> {
        loop {
            let rest = &self.text[self.at..];
            let first = rest.chars().next()?;
            if first == '\n' || first == '\r' {
                (self.first, self.spaced) = (true, true);
                self.at += 1;
            } else if first.is_ascii_whitespace() || first == '\u{b}' || first == '\u{feff}' {
                self.spaced = true;
                self.at += first.len_utf8();
            } else if rest.starts_with("//") {
                self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
                self.spaced = true;
            } else if let Some(inside) = rest.strip_prefix("/*") {
                // A comment is one space: it ends no line.
                let Some(length) = inside.find("*/") else {
                    let start = self.at;
                    self.at = self.text.len();
                    return Some((Kind::Comment, start, self.first, self.spaced));
                };
                self.spaced = true;
                self.at += length + 4;
            } else {
                let start = self.at;
                let (kind, length) = token(rest);
                self.at += length;
                let found = (kind, start, self.first, self.spaced);
                (self.first, self.spaced) = (false, false);
                return Some(found);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, Spliced, splice, tokens};

    fn texts(source: &str) -> Vec<String> {
        let spliced = splice(source);
        tokens(&spliced).into_iter().map(|token| token.text.into_owned()).collect()
    }

    #[test]
    fn numbers_words_and_signs_end_where_the_language_says() {
        assert_eq!(texts("a+++b"), ["a", "++", "+", "b"]);
        assert_eq!(
            texts("1.0.x 1.xx .5e+3f 1e5.y 0x1Fu"),
            ["1.0", ".", "x", "1.xx", ".5e+3f", "1e5", ".", "y", "0x1Fu"]
        );
        assert_eq!(texts("1.0e 1-1 3u"), ["1.0e", "1", "-", "1", "3u"]);
        assert_eq!(texts("a<<=b>>c^^d"), ["a", "<<=", "b", ">>", "c", "^^", "d"]);
    }

    #[test]
    fn comments_are_spaces_and_end_no_line() {
        let spliced = splice("#define A /* one\n two */ 1\nA// b\nc");
        let tokens = tokens(&spliced);
        let first: Vec<&str> =
            tokens.iter().filter(|token| token.first).map(|token| &*token.text).collect();
        assert_eq!(first, ["#", "A", "c"]);
    }

    #[test]
    fn a_backslash_joins_lines_within_a_token_and_places_are_those_of_the_source() {
        let source = "flo\\\nat ab\\\r\n = 1\\ \n2;";
        let spliced: Spliced<'_> = splice(source);
        let found: Vec<(String, &str)> = tokens(&spliced)
            .iter()
            .map(|token| (token.text.to_string(), &source[token.span.start..token.span.end]))
            .collect();
        let expected =
            [("float", "flo\\\nat"), ("ab", "ab"), ("=", "="), ("12", "1\\ \n2"), (";", ";")];
        assert_eq!(found.iter().map(|(a, b)| (&**a, *b)).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_comment_without_an_end_is_a_token() {
        let spliced = splice("a /* b");
        let tokens = tokens(&spliced);
        assert_eq!(tokens.last().map(|token| token.kind), Some(Kind::Comment));
    }
}
