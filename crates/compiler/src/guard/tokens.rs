//! WGSL's words and signs, without comments.

use ctm_base::text::Span;
use std::iter::Peekable;
use std::str::CharIndices;

/// A word or sign of a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lexeme<'a> {
    /// A name, keyword or number.
    Word(&'a str),
    /// A bracket, a separator or an operator. Operators of two characters are one sign, their first character, except
    /// signs that may also come twice.
    Sign(char),
}

/// A word or sign and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// The first byte.
    pub start: usize,
    /// The word or sign.
    pub lexeme: Lexeme<'a>,
}

impl Token<'_> {
    /// The place.
    pub fn span(&self) -> Span {
        let length = match self.lexeme {
            Lexeme::Word(word) => word.len(),
            Lexeme::Sign(sign) => sign.len_utf8(),
        };
        Span::new(self.start, self.start + length)
    }
}

/// The tokens of a source.
pub fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut characters = source.char_indices().peekable();
    while let Some((start, character)) = characters.next() {
        let next = characters.peek().map(|(_, next)| *next);
        let lexeme = match (character, next) {
            ('/', Some('/')) => {
                skip_line(&mut characters);
                continue;
            }
            ('/', Some('*')) => {
                skip_comment(&mut characters);
                continue;
            }
            _ if character.is_whitespace() => continue,
            _ if character.is_alphanumeric() || character == '_' => {
                skip_word(&mut characters, character.is_ascii_digit());
                let end = characters.peek().map_or(source.len(), |(at, _)| *at);
                Lexeme::Word(&source[start..end])
            }
            ('&' | '|' | '<' | '>' | '=', Some(next)) if next == character => {
                let _ = characters.next();
                Lexeme::Sign(character)
            }
            _ => Lexeme::Sign(character),
        };
        tokens.push(Token { start, lexeme });
    }
    tokens
}

/// Skips the rest of a comment that ends with its line.
fn skip_line(characters: &mut Peekable<CharIndices<'_>>) {
    let ends = |c: char| matches!(c, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}');
    let _ = characters.find(|(_, character)| ends(*character));
}

/// Skips the rest of a comment that may have others in it.
fn skip_comment(characters: &mut Peekable<CharIndices<'_>>) {
    let _ = characters.next();
    let (mut depth, mut last) = (1, ' ');
    for (_, character) in characters.by_ref() {
        last = match (last, character) {
            ('*', '/') => {
                depth -= 1;
                ' '
            }
            ('/', '*') => {
                depth += 1;
                ' '
            }
            _ => character,
        };
        if depth == 0 {
            return;
        }
    }
}

/// Skips the rest of a word, or of a number, which has at most one point.
fn skip_word(characters: &mut Peekable<CharIndices<'_>>, number: bool) {
    let mut point = !number;
    let mut part = |c: char| {
        c.is_alphanumeric() || c == '_' || c == '.' && !std::mem::replace(&mut point, true)
    };
    while characters.next_if(|(_, character)| part(*character)).is_some() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_no_tokens() {
        let source = "a/*/**/*/+ // b \u{2028}1.5.x /* c";
        let lexemes: Vec<Lexeme<'_>> = tokens(source).iter().map(|token| token.lexeme).collect();
        let [a, number, x] = ["a", "1.5", "x"].map(Lexeme::Word);
        assert_eq!(lexemes, [a, Lexeme::Sign('+'), number, Lexeme::Sign('.'), x]);
    }
}
