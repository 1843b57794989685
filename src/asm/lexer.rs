//! Source text to tokens.
//!
//! A token never spans lines; comments run from `#` or `;` to the end of the line.

use super::diagnostics::{Diagnostic, Span};
use winnow::combinator::{alt, opt};
use winnow::prelude::*;
use winnow::stream::{LocatingSlice, Location};
use winnow::token::{any, literal, one_of, take_while};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind<'s> {
    /// A letter or underscore, then letters, digits, underscores.
    Word(&'s str),
    /// The same after a dot: a swizzle, mask, suffix or directive.
    Dot(&'s str),
    /// The same after an at sign: a flag.
    At(&'s str),
    /// A number as written.
    Number(&'s str),
    /// Punctuation, one or two characters.
    Punct(&'static str),
    /// End of a line.
    Newline,
}

/// A token and its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'s> {
    pub kind: Kind<'s>,
    pub span: Span,
}

impl Kind<'_> {
    /// Whether the token is this word (case-insensitive).
    pub fn is_word(&self, word: &str) -> bool {
        matches!(self, Kind::Word(text) if text.eq_ignore_ascii_case(word))
    }
    /// The token's name in an error message.
    pub fn describe(&self) -> String {
        match self {
            Kind::Word(text) | Kind::Number(text) => format!("`{text}`"),
            Kind::Dot(text) => format!("`.{text}`"),
            Kind::At(text) => format!("`@{text}`"),
            Kind::Punct(text) => format!("`{text}`"),
            Kind::Newline => "the end of the line".to_string(),
        }
    }
}

type Input<'s> = LocatingSlice<&'s str>;
type Lexed<T> = Result<T, winnow::error::EmptyError>;

/// Longest first, so that no prefix matches before a longer one.
const PUNCTUATION: &[&str] = &[
    "->", "==", "!=", "<=", ">=", ",", "|", "&", "(", ")", "[", "]", "{", "}", "+", "-", "*", "/",
    "!", ":", "=", "<", ">",
];

/// The tokens of a source. The last one is a newline, even if the source does not end with one.
///
/// # Errors
/// A character that cannot begin a token.
pub(super) fn tokens(source: &str) -> (Vec<Token<'_>>, Vec<Diagnostic>) {
    let mut input = LocatingSlice::new(source);
    let mut tokens = Vec::with_capacity(source.len() / 3);
    let mut errors = Vec::new();
    loop {
        let _: Lexed<&str> =
            take_while(0.., |c: char| c != '\n' && c.is_whitespace()).parse_next(&mut input);
        let start = input.current_token_start();
        let found: Lexed<Option<Kind>> = alt((
            '\n'.value(Some(Kind::Newline)),
            (one_of(['#', ';']), take_while(0.., |c| c != '\n')).value(None),
            number.map(|text| Some(Kind::Number(text))),
            word.map(|text| Some(Kind::Word(text))),
            ('.', take_while(1.., is_word)).map(|(_, text)| Some(Kind::Dot(text))),
            ('@', opt('!'), word).take().map(|text: &str| Some(Kind::At(&text[1..]))),
            punctuation.map(|text| Some(Kind::Punct(text))),
        ))
        .parse_next(&mut input);
        let span = Span::new(start, input.current_token_start());
        match found {
            Ok(Some(kind)) => tokens.push(Token { kind, span }),
            Ok(None) => {}
            Err(_) => {
                let character: Lexed<char> = any.parse_next(&mut input);
                let Ok(character) = character else { break };
                if errors.len() < super::AsmErrors::LIMIT {
                    let end = input.current_token_start();
                    errors.push(Diagnostic::new(
                        Span::new(start, end),
                        format!("the character {character:?} has no meaning here"),
                    ));
                }
            }
        }
    }
    let end = Span::new(source.len(), source.len());
    tokens.push(Token { kind: Kind::Newline, span: end });
    (tokens, errors)
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn word<'s>(input: &mut Input<'s>) -> Lexed<&'s str> {
    (one_of(|c: char| c.is_ascii_alphabetic() || c == '_'), take_while(0.., is_word))
        .take()
        .parse_next(input)
}

/// `12`, `0x1f`, `1.5`, `2e-3`. A dot without a digit after it belongs to the next token.
fn number<'s>(input: &mut Input<'s>) -> Lexed<&'s str> {
    let digits = || take_while(1.., |c: char| c.is_ascii_digit());
    alt((
        ('0', one_of(['x', 'X']), take_while(1.., |c: char| c.is_ascii_hexdigit())).take(),
        (
            digits(),
            opt(('.', digits())),
            opt((one_of(['e', 'E']), opt(one_of(['+', '-'])), digits())),
        )
            .take(),
    ))
    .parse_next(input)
}

fn punctuation(input: &mut Input<'_>) -> Lexed<&'static str> {
    for &text in PUNCTUATION {
        let found: Lexed<&str> = literal(text).parse_next(input);
        if found.is_ok() {
            return Ok(text);
        }
    }
    Err(winnow::error::EmptyError)
}
