//! Tokens to the syntax tree: lines, statements, directives, conditions, flags.
//!
//! Each line is parsed separately, so an error affects only its line. All recursion is limited.

use super::conditions::{condition, optional_condition};
use super::diagnostics::{Diagnostic, Span};
use super::lexer::{Kind, Token};
use super::operands;
use super::syntax::*;
use crate::isa::{Code, FC_OPS, TEX_OPS, TYPES};
use winnow::combinator::{opt, repeat, separated};
use winnow::error::{ErrMode, ParserError};
use winnow::prelude::*;
use winnow::stream::{Stream, TokenSlice};
use winnow::token::any;

/// The tokens of one line, its newline included.
pub(super) type Tokens<'t, 's> = TokenSlice<'t, Token<'s>>;

/// The result of a parser. `Backtrack` means "does not match here"; `Cut` is an error to report.
pub(super) type Parsed<T> = Result<T, ErrMode<Fail>>;

/// An error of a parser; empty if it only means "does not match here".
#[derive(Debug, Default)]
pub(super) struct Fail(pub Option<Box<Diagnostic>>);

impl ParserError<Tokens<'_, '_>> for Fail {
    type Inner = Fail;
    fn from_input(_: &Tokens<'_, '_>) -> Fail {
        Fail(None)
    }
    fn into_inner(self) -> winnow::Result<Fail, Fail> {
        Ok(self)
    }
}

/// An error to report.
pub(super) fn cut<T>(diagnostic: Diagnostic) -> Parsed<T> {
    Err(ErrMode::Cut(Fail(Some(Box::new(diagnostic)))))
}

/// "Does not match here": the caller tries an alternative.
pub(super) fn backtrack<T>() -> Parsed<T> {
    Err(ErrMode::Backtrack(Fail(None)))
}

/// Maximum nesting of parentheses in operands and conditions.
pub(super) const MAX_NESTING: usize = 16;

/// The next token; does not consume it.
pub(super) fn next<'s>(tokens: &Tokens<'_, 's>) -> Token<'s> {
    tokens.first().copied().unwrap_or(Token { kind: Kind::Newline, span: Span::default() })
}

/// The end of the tokens consumed so far.
pub(super) fn consumed(tokens: &Tokens<'_, '_>) -> Span {
    tokens.previous_tokens().next().map_or_else(Span::default, |token| token.span)
}

/// The error "expected ...".
pub(super) fn expected<T>(tokens: &Tokens<'_, '_>, what: &str) -> Parsed<T> {
    let token = next(tokens);
    cut(Diagnostic::new(token.span, format!("expected {what}, found {}", token.kind.describe()))
        .label(format!("expected {what}")))
}

/// Consumes this punctuation, or backtracks.
pub(super) fn punct<'t, 's: 't>(
    text: &'static str,
) -> impl FnMut(&mut Tokens<'t, 's>) -> Parsed<Span> {
    move |tokens| match next(tokens).kind {
        Kind::Punct(found) if found == text => {
            any.map(|token: &Token| token.span).parse_next(tokens)
        }
        _ => backtrack(),
    }
}

/// Consumes this punctuation, or fails with an error.
pub(super) fn need<'t, 's: 't>(tokens: &mut Tokens<'t, 's>, text: &'static str) -> Parsed<Span> {
    match opt(punct(text)).parse_next(tokens)? {
        Some(span) => Ok(span),
        None => expected(tokens, &format!("`{text}`")),
    }
}

/// Consumes a word, or backtracks.
pub(super) fn word<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Word<'s>> {
    match next(tokens).kind {
        Kind::Word(text) => {
            let span = consume(tokens);
            Ok(At::new(text, span))
        }
        _ => backtrack(),
    }
}

/// Consumes a `.word`, or backtracks.
pub(super) fn dot<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Word<'s>> {
    match next(tokens).kind {
        Kind::Dot(text) => {
            let span = consume(tokens);
            Ok(At::new(text, span))
        }
        _ => backtrack(),
    }
}

/// Consumes a number and returns it as written, or backtracks.
pub(super) fn number<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Word<'s>> {
    match next(tokens).kind {
        Kind::Number(text) => {
            let span = consume(tokens);
            Ok(At::new(text, span))
        }
        _ => backtrack(),
    }
}

/// Consumes an unsigned integer; backtracks if there is no number.
pub(super) fn integer<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<At<u32>> {
    let text = number(tokens)?;
    match parse_u32(text.node) {
        Some(value) => Ok(At::new(value, text.span)),
        None => cut(Diagnostic::new(
            text.span,
            format!("`{}` is not a whole number of 32 bits", text.node),
        )),
    }
}

/// A decimal or hexadecimal number of 32 bits.
pub(super) fn parse_u32(text: &str) -> Option<u32> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Consumes the next token of any kind.
pub(super) fn consume(tokens: &mut Tokens<'_, '_>) -> Span {
    let span = next(tokens).span;
    let _ = tokens.next_token();
    span
}

/// The syntax tree of a source.
pub(super) fn parse<'s>(tokens: &[Token<'s>]) -> (Vec<Line<'s>>, Vec<Diagnostic>) {
    let mut lines = Vec::new();
    let mut errors = Vec::new();
    for line in tokens.split_inclusive(|token| token.kind == Kind::Newline) {
        let mut input = TokenSlice::new(line);
        match parts(&mut input, &mut lines) {
            Ok(()) => continue,
            Err(ErrMode::Cut(Fail(Some(diagnostic)))) => errors.push(*diagnostic),
            Err(_) => {
                let token = next(&input);
                errors.push(Diagnostic::new(
                    token.span,
                    format!("{} was not expected here", token.kind.describe()),
                ));
            }
        }
        lines.extend(block_word(line));
        if errors.len() >= super::AsmErrors::LIMIT {
            break;
        }
    }
    (lines, errors)
}

/// The replacement for a line with an error. If the line opens or closes a block, this statement
/// does so too, so that the other lines of the block cause no false errors.
fn block_word<'s>(line: &[Token<'s>]) -> Option<Line<'s>> {
    let mut tokens = line;
    loop {
        tokens = match tokens {
            [
                Token { kind: Kind::Word(_), .. },
                Token { kind: Kind::Punct(":"), .. },
                rest @ ..,
            ] => rest,
            [Token { kind: Kind::Punct("("), .. }, ..] => {
                let close = tokens.iter().position(|t| t.kind == Kind::Punct(")"))?;
                &tokens[close + 1..]
            }
            _ => break,
        };
    }
    let Token { kind: Kind::Word(word), span } = *tokens.first()? else {
        return None;
    };
    if tokens.iter().any(|token| token.kind == Kind::Punct("->")) {
        return None;
    }
    let kind = match word.to_ascii_lowercase().as_str() {
        "if" => StatementKind::If(Condition::new(span, 0xff)),
        "else" => StatementKind::Else,
        "endif" => StatementKind::EndIf(None),
        "loop" => StatementKind::Loop(IntOperand::Register(At::new("n0", span))),
        "endloop" => StatementKind::EndLoop,
        "rep" => StatementKind::Rep(IntOperand::Register(At::new("n0", span))),
        "endrep" => StatementKind::EndRep,
        _ => return None,
    };
    Some(Line::Statement(Box::new(Statement { span, gate: None, kind, flags: Vec::new() })))
}

/// Labels, then a directive or a statement.
fn parts<'t, 's: 't>(tokens: &mut Tokens<'t, 's>, lines: &mut Vec<Line<'s>>) -> Parsed<()> {
    let labels: Vec<Word> = repeat(0.., label).parse_next(tokens)?;
    lines.extend(labels.into_iter().map(Line::Label));
    let line = match next(tokens).kind {
        Kind::Newline => return Ok(()),
        Kind::Dot(_) => Line::Directive(directive(tokens)?),
        _ => Line::Statement(Box::new(statement(tokens)?)),
    };
    match next(tokens).kind {
        Kind::Newline => {
            lines.push(line);
            Ok(())
        }
        kind => cut(Diagnostic::new(
            next(tokens).span,
            format!("{} does not fit here", kind.describe()),
        )
        .label("expected the end of the line")),
    }
}

fn label<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Word<'s>> {
    (word, punct(":")).map(|(name, _)| name).parse_next(tokens)
}

fn directive<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Directive<'s>> {
    let name = dot(tokens)?;
    let mut arguments = Vec::new();
    loop {
        // One comma or equals sign may separate two arguments.
        match next(tokens).kind {
            Kind::Newline => break,
            Kind::Punct("," | "=") if !arguments.is_empty() => {
                consume(tokens);
            }
            _ => {}
        }
        let start = next(tokens).span;
        let argument = match next(tokens).kind {
            Kind::Word(text) => Argument::Word(text),
            Kind::Number(text) => Argument::Number(text, false),
            Kind::Punct("-") => {
                consume(tokens);
                match next(tokens).kind {
                    Kind::Number(text) => Argument::Number(text, true),
                    Kind::Word(text) if text.eq_ignore_ascii_case("inf") => {
                        Argument::Number(text, true)
                    }
                    _ => return expected(tokens, "a number"),
                }
            }
            _ => return expected(tokens, "a name or a number"),
        };
        let end = consume(tokens);
        arguments.push(At::new(argument, start.to(end)));
    }
    Ok(Directive { name, arguments })
}

fn statement<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Statement<'s>> {
    let start = next(tokens).span;
    let gate = opt(gate).parse_next(tokens)?;
    let kind = match next(tokens).kind {
        Kind::Word(text) => named_statement(tokens, text)?,
        Kind::Punct("-") => StatementKind::Alu(halves(tokens)?),
        _ => return expected(tokens, "an instruction"),
    };
    let flags = repeat(0.., flag).parse_next(tokens)?;
    let span = start.to(consumed(tokens));
    Ok(Statement { span, gate, kind, flags })
}

/// Whether the table has a row of this name (case-insensitive).
pub(super) fn row(table: &'static [Code], name: &str) -> Option<&'static Code> {
    table.iter().find(|row| row.name.eq_ignore_ascii_case(name))
}

fn named_statement<'t, 's: 't>(
    tokens: &mut Tokens<'t, 's>,
    text: &'s str,
) -> Parsed<StatementKind<'s>> {
    if row(TYPES, text).is_some() {
        return explicit(tokens).map(StatementKind::Explicit);
    }
    let flow_op = row(FC_OPS, text).is_some();
    if flow_op && let Some(flow) = opt(arrow).parse_next(tokens)? {
        return Ok(StatementKind::Flow(flow));
    }
    if let Some(kind) = opt(structured).parse_next(tokens)? {
        return Ok(kind);
    }
    if flow_op {
        consume(tokens);
        return expected(tokens, "`->` and a target");
    }
    if row(TEX_OPS, text).is_some() {
        return operands::fetch(tokens).map(StatementKind::Tex);
    }
    halves(tokens).map(StatementKind::Alu)
}

/// Parses the statements that expand to rows of the Guide's table, and `end`; else backtracks.
fn structured<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<StatementKind<'s>> {
    let name = word(tokens)?;
    Ok(match name.node.to_ascii_lowercase().as_str() {
        "if" => StatementKind::If(condition(tokens)?),
        "else" => StatementKind::Else,
        "endif" => StatementKind::EndIf(opt(integer).parse_next(tokens)?),
        "loop" => StatementKind::Loop(int_operand(tokens)?),
        "endloop" => StatementKind::EndLoop,
        "rep" => StatementKind::Rep(int_operand(tokens)?),
        "endrep" => StatementKind::EndRep,
        "break" => StatementKind::Break(optional_condition(tokens)?),
        "continue" => StatementKind::Continue(optional_condition(tokens)?),
        "call" => match next(tokens).kind {
            Kind::Word(text) if !text.eq_ignore_ascii_case("if") => {
                StatementKind::Call(word(tokens)?, optional_condition(tokens)?)
            }
            _ => return expected(tokens, "the label of a subroutine"),
        },
        "ret" => StatementKind::Ret(optional_condition(tokens)?),
        "end" => StatementKind::End,
        _ => return backtrack(),
    })
}

/// `n0`, a name, `10`, or `(10, 0, 1)`: count, aL start, aL step.
fn int_operand<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<IntOperand<'s>> {
    if let Some(name) = opt(word).parse_next(tokens)? {
        return Ok(IntOperand::Register(name));
    }
    if let Some(count) = opt(integer).parse_next(tokens)? {
        return Ok(IntOperand::Literal { span: count.span, count: count.node, start: 0, step: 1 });
    }
    let Some(open) = opt(punct("(")).parse_next(tokens)? else {
        return expected(tokens, "an integer constant or a count");
    };
    let mut values = [0i64; 3];
    for (n, value) in values.iter_mut().enumerate() {
        if n > 0 {
            need(tokens, ",")?;
        }
        let negative = opt(punct("-")).parse_next(tokens)?.is_some();
        let Some(number) = opt(integer).parse_next(tokens)? else {
            return expected(tokens, "a number");
        };
        *value = if negative { -(number.node as i64) } else { number.node as i64 };
    }
    let span = open.to(need(tokens, ")")?);
    let [count, start, step] = values;
    match (u32::try_from(count), u32::try_from(start), i32::try_from(step)) {
        (Ok(count), Ok(start), Ok(step)) => Ok(IntOperand::Literal { span, count, start, step }),
        _ => cut(Diagnostic::new(span, format!("({count}, {start}, {step}) is out of range"))
            .label("count and aL start are 0 to 255, aL step -128 to 127")),
    }
}

/// `jump -> 12 if p.r`, `loop n0 -> end`; backtracks if there is no arrow.
fn arrow<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Flow<'s>> {
    let (op, int, _) = (word, opt(word), punct("->")).parse_next(tokens)?;
    let target = if let Some(number) = opt(integer).parse_next(tokens)? {
        Target::Number(number)
    } else if let Some(label) = opt(word).parse_next(tokens)? {
        Target::Label(label)
    } else {
        return expected(tokens, "a label or an address");
    };
    let condition = optional_condition(tokens)?;
    Ok(Flow { op, int, target, condition })
}

fn gate<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Gate<'s>> {
    punct("(").parse_next(tokens)?;
    let rgb = predicate(tokens)?;
    let alpha = match opt(punct(",")).parse_next(tokens)? {
        Some(_) => Some(predicate(tokens)?),
        None => None,
    };
    need(tokens, ")")?;
    Ok(Gate { rgb, alpha })
}

fn predicate<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<At<Predicate<'s>>> {
    let start = next(tokens).span;
    let inverted = opt(punct("!")).parse_next(tokens)?.is_some();
    if let Kind::Number("1") = next(tokens).kind {
        let end = consume(tokens);
        return Ok(At::new(Predicate::Always { inverted }, start.to(end)));
    }
    match next(tokens).kind {
        Kind::Word("p" | "P") => consume(tokens),
        _ => return expected(tokens, "a predicate: p, p.r, p.g, p.b or p.a"),
    };
    let swizzle = opt(dot).parse_next(tokens)?.map(|text| text.node);
    Ok(At::new(Predicate::Bits { inverted, swizzle }, start.to(consumed(tokens))))
}

fn flag<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Flag<'s>> {
    let Kind::At(text) = next(tokens).kind else {
        return backtrack();
    };
    let span = consume(tokens);
    let (name, off) = match text.strip_prefix('!') {
        Some(name) => (name, true),
        None => (text, false),
    };
    let mut arguments = Vec::new();
    if opt(punct("(")).parse_next(tokens)?.is_some() {
        while opt(punct(")")).parse_next(tokens)?.is_none() {
            let key = match opt(word).parse_next(tokens)? {
                Some(key) => key,
                None => match opt(number).parse_next(tokens)? {
                    Some(key) => key,
                    None => return expected(tokens, "`)`"),
                },
            };
            let value = match opt(punct("=")).parse_next(tokens)? {
                Some(_) => Some(operands::slot_value(tokens)?),
                None => None,
            };
            arguments.push(FlagArgument { key, value });
            opt(punct(",")).parse_next(tokens)?;
        }
    }
    Ok(Flag { name: At::new(name, span), off, arguments })
}

/// One half, or two halves separated by `|`.
fn halves<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Vec<Half<'s>>> {
    separated(1..=2, operands::half, punct("|")).parse_next(tokens)
}

fn explicit<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Explicit<'s>> {
    let class = word(tokens)?;
    let words = repeat(0.., explicit_word).parse_next(tokens)?;
    Ok(Explicit { class, words })
}

fn explicit_word<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<ExplicitWord<'s>> {
    let register = word(tokens)?;
    need(tokens, "(")?;
    let mut values = Vec::new();
    while opt(punct(")")).parse_next(tokens)?.is_none() {
        let first = explicit_atom(tokens)?;
        let value = match opt(punct("=")).parse_next(tokens)? {
            Some(_) => ExplicitValue { field: Some(first), value: explicit_atom(tokens)? },
            None => ExplicitValue { field: None, value: first },
        };
        values.push(value);
        opt(punct(",")).parse_next(tokens)?;
    }
    Ok(ExplicitWord { register, values })
}

fn explicit_atom<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Word<'s>> {
    if let Some(name) = opt(word).parse_next(tokens)? {
        return Ok(name);
    }
    match opt(number).parse_next(tokens)? {
        Some(value) => Ok(value),
        None => expected(tokens, "a field name or a number"),
    }
}
