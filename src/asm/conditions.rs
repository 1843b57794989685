//! Parsing of conditions: truth tables from names, `!`, `&`, `|` and parentheses.

use super::diagnostics::{Diagnostic, Span};
use super::lexer::Kind;
use super::parser::*;
use super::syntax::{Condition, Word};
use winnow::combinator::{opt, repeat};
use winnow::prelude::*;

/// `if` and a condition, or nothing.
pub(super) fn optional_condition<'t, 's: 't>(
    tokens: &mut Tokens<'t, 's>,
) -> Parsed<Option<Condition<'s>>> {
    match next(tokens).kind {
        Kind::Word(text) if text.eq_ignore_ascii_case("if") => {
            consume(tokens);
            condition(tokens).map(Some)
        }
        _ => Ok(None),
    }
}

/// A truth table from names, `!`, `&`, `|` and parentheses.
pub(super) fn condition<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Condition<'s>> {
    let mut result = Condition::new(next(tokens).span, 0);
    result.table = any_of(tokens, &mut result, 0)?;
    result.span = result.span.to(consumed(tokens));
    Ok(result)
}

fn any_of<'t, 's: 't>(
    tokens: &mut Tokens<'t, 's>,
    names: &mut Condition<'s>,
    depth: usize,
) -> Parsed<u8> {
    let mut table = all_of(tokens, names, depth)?;
    while opt(punct("|")).parse_next(tokens)?.is_some() {
        table |= all_of(tokens, names, depth)?;
    }
    Ok(table)
}

fn all_of<'t, 's: 't>(
    tokens: &mut Tokens<'t, 's>,
    names: &mut Condition<'s>,
    depth: usize,
) -> Parsed<u8> {
    let mut table = condition_term(tokens, names, depth)?;
    while opt(punct("&")).parse_next(tokens)?.is_some() {
        table &= condition_term(tokens, names, depth)?;
    }
    Ok(table)
}

/// The truth tables of a jump's three inputs: bit (alu_result<<2 | predicate<<1 | boolean).
const ALU_RESULT: u8 = 0xf0;
const PREDICATE: u8 = 0xcc;
const BOOLEAN: u8 = 0xaa;

fn condition_term<'t, 's: 't>(
    tokens: &mut Tokens<'t, 's>,
    names: &mut Condition<'s>,
    depth: usize,
) -> Parsed<u8> {
    let inversions: Vec<Span> = repeat(0.., punct("!")).parse_next(tokens)?;
    let invert = if inversions.len() % 2 == 1 { 0xff } else { 0 };
    if opt(punct("(")).parse_next(tokens)?.is_some() {
        if depth >= MAX_NESTING {
            return cut(Diagnostic::new(
                consumed(tokens),
                format!("parentheses nest deeper than {MAX_NESTING}"),
            ));
        }
        let table = any_of(tokens, names, depth + 1)?;
        need(tokens, ")")?;
        return Ok(table ^ invert);
    }
    let Some(name) = opt(word).parse_next(tokens)? else {
        return expected(
            tokens,
            "a condition: alu_result, a predicate such as p.r, a boolean constant, always, never",
        );
    };
    let table = match name.node.to_ascii_lowercase().as_str() {
        "always" => 0xff,
        "never" => 0,
        "table" => given_table(tokens, names)?,
        _ => input(tokens, names, name, false)?,
    };
    Ok(table ^ invert)
}

/// The truth table of one of the three inputs of a jump, after its name. `inverted` is the
/// hardware's inversion of the predicate; only `table(...)` can set it.
fn input<'t, 's: 't>(
    tokens: &mut Tokens<'t, 's>,
    names: &mut Condition<'s>,
    name: Word<'s>,
    inverted: bool,
) -> Parsed<u8> {
    if name.node.eq_ignore_ascii_case("alu_result") {
        return Ok(ALU_RESULT);
    }
    if !name.node.eq_ignore_ascii_case("p") {
        unique(&mut names.boolean, name, "boolean constant")?;
        return Ok(BOOLEAN);
    }
    let Some(channel) = opt(dot).parse_next(tokens)? else {
        return expected(tokens, "a predicate bit: .r, .g, .b or .a");
    };
    unique(&mut names.predicate, channel, "predicate bit")?;
    if *names.inverted.get_or_insert(inverted) != inverted {
        return cut(Diagnostic::new(
            channel.span,
            "a table inverts the predicate for the whole condition; here it is also used as it is",
        )
        .help("leave `!` out of the table, and swap the table's bits instead"));
    }
    Ok(PREDICATE)
}

/// `(0x1b, p.r, b0)`, after `table`: the truth table and the inputs that it uses.
fn given_table<'t, 's: 't>(tokens: &mut Tokens<'t, 's>, names: &mut Condition<'s>) -> Parsed<u8> {
    need(tokens, "(")?;
    let Some(table) = opt(integer).parse_next(tokens)? else {
        return expected(tokens, "a truth table of 8 bits");
    };
    let Ok(value) = u8::try_from(table.node) else {
        return cut(Diagnostic::new(table.span, "a truth table has 8 bits: 0 to 0xff"));
    };
    while opt(punct(",")).parse_next(tokens)?.is_some() {
        let inverted = opt(punct("!")).parse_next(tokens)?.is_some();
        match next(tokens).kind {
            Kind::Word(text)
                if !["always", "never", "table"]
                    .iter()
                    .any(|name| text.eq_ignore_ascii_case(name))
                    && (!inverted || text.eq_ignore_ascii_case("p")) =>
            {
                let name = word(tokens)?;
                input(tokens, names, name, inverted)?;
            }
            _ if inverted => return expected(tokens, "a predicate such as p.r"),
            _ => {
                return expected(
                    tokens,
                    "alu_result, a predicate such as p.r or !p.r, or a boolean constant",
                );
            }
        }
    }
    need(tokens, ")")?;
    Ok(value)
}

fn unique<'s>(slot: &mut Option<Word<'s>>, found: Word<'s>, what: &str) -> Parsed<()> {
    match slot {
        Some(first) if first.node != found.node => cut(Diagnostic::new(
            found.span,
            format!("a condition has one {what}; this one already has `{}`", first.node),
        )),
        _ => {
            *slot = Some(found);
            Ok(())
        }
    }
}
