//! The words that instructions of both kinds consist of: registers, numbers, presubtracts, swizzles,
//! masks, modifiers, comparisons. The module knows no instruction.

use crate::mesa::listing::{Atom, Compare, Component, File, Lane, Value};
use ctm_base::text::{self, At, Cursor, Diagnostic, Kind, Parsed, Span, Token, is_word};
use ctm_isa::float;
use ctm_isa::isa::{FieldValue, Presub, Swizzle};

/// An error of a line of a listing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: found `{token}`, expected {expected}")]
pub struct ListingError {
    /// The line of the log, from 1.
    pub line: usize,
    /// The token that was found.
    pub token: String,
    /// The expected thing.
    pub expected: String,
}

/// The largest number of a register.
const MAX_REGISTER: u16 = 4095;

const SIGNS: &[&str] =
    &["<=", ">=", "==", "!=", "<", ">", "=", ",", ";", "(", ")", "[", "]", "|", "-", "+", "*", "/"];

/// Reads a line of the log.
pub(super) fn read<T>(
    line: usize,
    text: &str,
    read: impl FnOnce(&mut Cursor<'_, '_>) -> Parsed<T>,
) -> Result<T, ListingError> {
    let (tokens, _) = text::tokens(text, "line", |scanner, c| {
        let start = scanner.at;
        Ok(Some(match c {
            '.' => {
                scanner.eat(".");
                Kind::Dot(scanner.take(|c| "xyzw01H_-".contains(c)))
            }
            '0'..='9' => {
                let number = scanner.take(|c| c.is_ascii_digit() || c == '.');
                // `2D`, `0x4c`.
                match scanner.take(is_word) {
                    "" => Kind::Number(number),
                    _ => Kind::Word(&scanner.source[start..scanner.at]),
                }
            }
            c if is_word(c) => Kind::Word(scanner.take(is_word)),
            c => scanner.punct(SIGNS).unwrap_or_else(|| {
                scanner.at += c.len_utf8();
                Kind::Word(&scanner.source[start..scanner.at])
            }),
        }))
    });
    read(&mut Cursor::new(&tokens, false)).map_err(|error| {
        let rest = text[error.span.start..].trim();
        let end = rest.char_indices().skip(1).find(|&(_, c)| " ,;()".contains(c));
        let token = match &rest[..end.map_or(rest.len(), |(at, _)| at)] {
            "" => "the end of the line".to_string(),
            token => token.chars().take(40).collect(),
        };
        ListingError { line, token, expected: error.message }
    })
}

/// The error at the next token.
pub(super) fn wrong(cursor: &Cursor<'_, '_>, expected: impl Into<String>) -> Diagnostic {
    cursor.peek().span.error(expected)
}

/// Consumes these signs and words, which must be next.
pub(super) fn need(cursor: &mut Cursor<'_, '_>, words: &[&str]) -> Parsed<()> {
    let one = |word: &&str| match cursor.accept(word) {
        Some(_) => Ok(()),
        None => Err(wrong(cursor, format!("`{word}`"))),
    };
    words.iter().try_for_each(one)
}

/// The word that is next; an empty one if none is.
pub(super) fn word<'s>(cursor: &mut Cursor<'_, 's>) -> At<&'s str> {
    let span = cursor.peek().span;
    cursor.word().unwrap_or(At::new("", span))
}

/// The end of the line.
pub(super) fn end(cursor: &Cursor<'_, '_>) -> Parsed<()> {
    if cursor.at_end() { Ok(()) } else { Err(wrong(cursor, "the end of the line")) }
}

/// The marks of synchronisation, which have no effect on values.
pub(super) fn marks(cursor: &mut Cursor<'_, '_>) {
    let marks = ["SEM_WAIT", "SEM_ACQUIRE", "NOP", "TEX_WAIT", "WAIT"];
    while marks.iter().any(|mark| cursor.accept(mark).is_some()) {}
}

/// The name of an operation and whether it saturates.
pub(super) fn opcode<'s>(cursor: &mut Cursor<'_, 's>) -> Parsed<(At<&'s str>, bool)> {
    let At { node, span } = word(cursor);
    if node.ends_with("_SAT2") {
        return Err(span.error("an operation without _SAT2"));
    }
    Ok(match node.strip_suffix("_SAT") {
        Some(op) => (At::new(op, span), true),
        None => (At::new(node, span), false),
    })
}

/// A number, or an inline constant: a number and its code, like `0.250000 (0x28)`.
fn number(cursor: &mut Cursor<'_, '_>, At { node, span }: At<&str>) -> Parsed<u32> {
    if let [open, Token { kind: Kind::Word(code), .. }, ..] = cursor.rest()
        && open.kind.is("(")
        && let Some(code) = code.strip_prefix("0x")
    {
        cursor.advance();
        cursor.advance();
        need(cursor, &[")"])?;
        let code = u32::from_str_radix(code, 16).ok().filter(|&code| code < 128);
        let code = code.ok_or_else(|| span.error("the code of an inline constant"))?;
        return Ok(float::inline_constant(code));
    }
    let number = node.parse::<f32>().map_err(|_| span.error("a number"))?;
    Ok(number.to_bits())
}

/// `[n]`, with a number of at most [`MAX_REGISTER`].
pub(super) fn index(cursor: &mut Cursor<'_, '_>) -> Parsed<At<u16>> {
    need(cursor, &["["])?;
    let span = cursor.peek().span;
    let number = cursor.number().and_then(|number| number.node.parse().ok());
    let number = number.filter(|&n: &u16| n <= MAX_REGISTER);
    let number = number
        .ok_or_else(|| span.error("the number of a register, without relative addressing"))?;
    need(cursor, &["]"])?;
    Ok(At::new(number, span))
}

/// A register, its channel x, or a constant; nothing for `none`.
pub(super) fn atom(cursor: &mut Cursor<'_, '_>) -> Parsed<Atom> {
    if let Some(digits) = cursor.number() {
        return number(cursor, digits).map(Atom::Bits);
    }
    let At { node, span } = word(cursor);
    let file = match node {
        "none" => return Ok(Atom::Unused),
        "aluresult" => File::AluResult,
        "temp" => File::Temp,
        "input" => File::Input,
        "output" => File::Output,
        "color" => File::Color,
        "const" => File::Const,
        _ => return Err(span.error("a register")),
    };
    let index = if file == File::AluResult { 0 } else { index(cursor)?.node };
    Ok(Atom::Component(Component { file, index, channel: 0 }))
}

/// The part of a presubtract after its `(`: `1 - 2 * b`, `1 - b`, `a - b` or `a + b`. An argument is
/// what `argument` reads.
pub(super) fn presub<T: Copy>(
    cursor: &mut Cursor<'_, '_>,
    argument: impl Fn(&mut Cursor<'_, '_>) -> Parsed<T>,
) -> Parsed<(Presub, Option<T>, T)> {
    let start = cursor.peek().span;
    let is = |token: &Token<'_>, texts: [&str; 2]| match token.kind {
        Kind::Number(number) => texts.contains(&number),
        _ => false,
    };
    let follows = |cursor: &Cursor<'_, '_>, texts, sign| match cursor.rest() {
        [number, next, ..] => is(number, texts) && next.kind.is(sign),
        _ => false,
    };
    let first = if follows(cursor, ["1", "1.0"], "-") {
        cursor.advance();
        None
    } else {
        Some(argument(cursor)?)
    };
    let minus = cursor.accept("-").is_some();
    if !minus && (first.is_none() || cursor.accept("+").is_none()) {
        return Err(wrong(cursor, "`-` or `+`"));
    }
    let two = follows(cursor, ["2", "2.0"], "*");
    if two {
        cursor.advance();
        cursor.advance();
    }
    let second = argument(cursor)?;
    need(cursor, &[")"])?;
    let presub = match (first, minus, two) {
        (None, true, true) => Presub::Bias,
        (None, true, false) => Presub::Inv,
        (Some(_), true, false) => Presub::Sub,
        (Some(_), false, false) => Presub::Add,
        _ => return Err(start.error("`1 - 2 * b`, `1 - b`, `a - b` or `a + b`")),
    };
    Ok((presub, first, second))
}

/// The selectors of a swizzle, each with its sign: `x_-1H`.
pub(super) fn swizzle(text: &str) -> Vec<(Swizzle, bool)> {
    let mut negate = false;
    let selector = |letter: char| match "xyzw0H1_".find(letter) {
        Some(code) => Some((Swizzle::from_code(code as u32), std::mem::take(&mut negate))),
        None => {
            negate = true;
            None
        }
    };
    text.chars().filter_map(selector).collect()
}

/// The part of a value that a selector takes; `None` of a value that is not there.
pub(super) fn select(value: Option<Value>, selector: Swizzle) -> Option<Value> {
    let number = |number: f32| Some(Value::Atom(Atom::Bits(number.to_bits())));
    match selector {
        Swizzle::R | Swizzle::G | Swizzle::B | Swizzle::A => Some(value?.at(selector.code() as u8)),
        Swizzle::Zero => number(0.0),
        Swizzle::Half => number(0.5),
        Swizzle::One => number(1.0),
        Swizzle::Unused => Some(Lane::UNUSED.value),
    }
}

/// A mask of channels after a point; nothing is all four.
pub(super) fn mask(cursor: &mut Cursor<'_, '_>) -> u8 {
    let bit = |c| "xyzw".find(c).map_or(0, |channel| 1 << channel);
    cursor.dot().map_or(15, |channels| channels.node.chars().fold(0, |mask, c| mask | bit(c)))
}

/// An output modifier: the code.
pub(super) fn modifier(cursor: &mut Cursor<'_, '_>) -> Parsed<u32> {
    let first = if cursor.accept("*").is_some() {
        1
    } else if cursor.accept("/").is_some() {
        4
    } else if cursor.accept("(").is_some() {
        return need(cursor, &["OMOD", "DISABLE", ")"]).map(|()| 7);
    } else {
        return Ok(0);
    };
    let factor = cursor.number().and_then(|n| ["2", "4", "8"].iter().position(|f| *f == n.node));
    factor.map(|n| first + n as u32).ok_or_else(|| wrong(cursor, "2, 4 or 8"))
}

/// `[aluresult = (x >= 0)]`: the channel, and the comparison.
pub(super) fn comparison(cursor: &mut Cursor<'_, '_>) -> Parsed<(u8, Result<bool, Compare>)> {
    need(cursor, &["[", "aluresult", "=", "("])?;
    let At { node, span } = word(cursor);
    let channel = match node {
        "true" | "false" => {
            need(cursor, &[")", "]"])?;
            return Ok((0, Ok(node == "true")));
        }
        "x" | "result" => 0,
        "w" => 3,
        _ => return Err(span.error("`x`, `w` or `result`")),
    };
    let Token { kind, span, .. } = cursor.advance();
    let compare = if let Kind::Punct(sign) = kind { Compare::from_name(sign) } else { None };
    let compare = compare.ok_or_else(|| span.error("a comparison"))?;
    let zero: Span = cursor.peek().span;
    cursor.number().filter(|n| n.node == "0").ok_or_else(|| zero.error("`0`"))?;
    need(cursor, &[")", "]"])?;
    Ok((channel, Err(compare)))
}
