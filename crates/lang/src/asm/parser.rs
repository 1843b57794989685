//! Tokens to the syntax tree: lines, statements, directives, flags.
//!
//! Each line is parsed separately, so an error affects only its line. All recursion is limited.

use super::conditions::{condition, optional_condition};
use super::hints;
use super::mnemonics::named;
use super::names::predicate;
use super::numbers::{integer, need_integer};
use super::operands::{fetch, half, term};
use super::syntax::*;
use ctm_base::text::{At, BlockKind, Cursor, Diagnostic, Kind, Parsed, TextErrors, Token};
use ctm_isa::isa::{FC_OPS, FcOp, PredSel, TEX_OPS, TYPES, Type};

/// The syntax tree of a source.
pub(super) fn parse<'s>(tokens: &[Token<'s>]) -> (Vec<Line<'s>>, Vec<Diagnostic>) {
    let mut lines = Vec::new();
    let mut errors = Vec::new();
    for line in tokens.split_inclusive(|token| matches!(token.kind, Kind::End(_))) {
        if let Err(error) = parts(&mut Cursor::new(line, true), &mut lines) {
            errors.push(error);
            lines.extend(block_word(&mut Cursor::new(line, true)));
            if errors.len() >= TextErrors::LIMIT {
                break;
            }
        }
    }
    (lines, errors)
}

/// The replacement for a line with an error. If the line opens or closes a block, this statement
/// does so too, so that the other lines of the block cause no false errors.
fn block_word<'s>(cursor: &mut Cursor<'_, 's>) -> Option<Line<'s>> {
    while label(cursor).is_some() {}
    if cursor.is("(") {
        while cursor.accept(")").is_none() && !cursor.at_end() {
            cursor.advance();
        }
    }
    let At { node: word, span } = cursor.word()?;
    if cursor.rest().iter().any(|token| token.kind.is("->")) {
        return None;
    }
    let int = IntOperand::Register(At::new("n0", span));
    let kind = match word.to_ascii_lowercase().as_str() {
        "if" => StatementKind::If(Condition::new(span, 0xff)),
        "else" => StatementKind::Else,
        "endif" => StatementKind::EndIf(None),
        "loop" => StatementKind::Loop(BlockKind::Loop, int),
        "endloop" => StatementKind::EndLoop(BlockKind::Loop),
        "rep" => StatementKind::Loop(BlockKind::Rep, int),
        "endrep" => StatementKind::EndLoop(BlockKind::Rep),
        _ => return None,
    };
    Some(Line::Statement(Box::new(Statement::new(span, kind))))
}

/// Labels, then a directive or a statement.
fn parts<'s>(cursor: &mut Cursor<'_, 's>, lines: &mut Vec<Line<'s>>) -> Parsed<()> {
    while let Some(label) = label(cursor) {
        lines.push(Line::Label(label));
    }
    if cursor.at_end() {
        return Ok(());
    }
    let line = match cursor.dot() {
        Some(name) => Line::Directive(Directive { name, arguments: arguments(cursor)? }),
        None => Line::Statement(Box::new(statement(cursor)?)),
    };
    let Token { kind, span, .. } = cursor.peek();
    if !cursor.at_end() {
        let error = span.error(format!("{} does not fit here", kind.describe()));
        let error = error.label("expected the end of the line");
        return Err(Diagnostic { help: hints::rest(&line, kind), ..error });
    }
    lines.push(line);
    Ok(())
}

fn label<'s>(cursor: &mut Cursor<'_, 's>) -> Option<At<&'s str>> {
    let [_, colon, ..] = cursor.rest() else { return None };
    let name = if colon.kind.is(":") { cursor.word()? } else { return None };
    cursor.advance();
    Some(name)
}

fn arguments<'s>(cursor: &mut Cursor<'_, 's>) -> Parsed<Vec<At<Argument<'s>>>> {
    let mut arguments = Vec::new();
    while !cursor.at_end() {
        // One comma or equals sign may separate two arguments.
        if !arguments.is_empty() && (cursor.is(",") || cursor.is("=")) {
            cursor.advance();
        }
        let start = cursor.peek().span;
        let minus = cursor.accept("-").is_some();
        let argument = match cursor.peek().kind {
            Kind::Number(text) => Argument::Number(text, minus),
            Kind::Word(text) if !minus => Argument::Word(text),
            Kind::Word(text) if text.eq_ignore_ascii_case("inf") => Argument::Number(text, true),
            _ if minus => return Err(cursor.expected("a number")),
            _ => return Err(cursor.expected("a name or a number")),
        };
        cursor.advance();
        arguments.push(At::new(argument, cursor.since(start)));
    }
    Ok(arguments)
}

fn statement<'s>(cursor: &mut Cursor<'_, 's>) -> Parsed<Statement<'s>> {
    let start = cursor.peek().span;
    let gate = cursor.accept("(").map(|_| gate(cursor)).transpose()?;
    let kind = match cursor.peek().kind {
        Kind::Word(text) => named_statement(cursor, text)?,
        Kind::Punct("-") => StatementKind::Alu(halves(cursor)?),
        Kind::Punct("/") => {
            return Err(cursor.expected("an instruction").help("a comment begins with # or ;"));
        }
        _ => return Err(cursor.expected("an instruction")),
    };
    let mut flags = Vec::new();
    while let Kind::At(text) = cursor.peek().kind {
        flags.push(flag(cursor, text)?);
    }
    Ok(Statement { span: cursor.since(start), gate, kind, flags })
}

fn named_statement<'s>(cursor: &mut Cursor<'_, 's>, name: &'s str) -> Parsed<StatementKind<'s>> {
    if let Some(class) = named(TYPES, name) {
        return explicit(cursor, class).map(StatementKind::Explicit);
    }
    let op = named(FC_OPS, name);
    let has_arrow = match cursor.rest() {
        [_, arrow, ..] if arrow.kind.is("->") => true,
        [_, int, arrow, ..] => matches!(int.kind, Kind::Word(_)) && arrow.kind.is("->"),
        _ => false,
    };
    if let Some(op) = op.filter(|_| has_arrow) {
        return arrow(cursor, op).map(StatementKind::Arrow);
    }
    if let Some(kind) = structured(cursor, name)? {
        return Ok(kind);
    }
    if op.is_some() {
        cursor.advance();
        return Err(cursor.expected("`->` and a target"));
    }
    match named(TEX_OPS, name) {
        Some(op) => fetch(cursor, op).map(StatementKind::Tex),
        None => halves(cursor).map(StatementKind::Alu),
    }
}

/// Reads a statement that expands to rows of the Guide's table, or `end`.
fn structured<'s>(cursor: &mut Cursor<'_, 's>, name: &str) -> Parsed<Option<StatementKind<'s>>> {
    use StatementKind::*;
    let rest: fn(&mut Cursor<'_, 's>) -> Parsed<StatementKind<'s>> =
        match name.to_ascii_lowercase().as_str() {
            "if" => |cursor| condition(cursor).map(If),
            "else" => |_| Ok(Else),
            "endif" => |cursor| integer(cursor).map(EndIf),
            "loop" => |cursor| Ok(Loop(BlockKind::Loop, int_operand(cursor)?)),
            "endloop" => |_| Ok(EndLoop(BlockKind::Loop)),
            "rep" => |cursor| Ok(Loop(BlockKind::Rep, int_operand(cursor)?)),
            "endrep" => |_| Ok(EndLoop(BlockKind::Rep)),
            "break" => |cursor| Ok(Leave("break", optional_condition(cursor)?)),
            "continue" => |cursor| Ok(Leave("continue", optional_condition(cursor)?)),
            "call" => |cursor| call(cursor),
            "ret" => |cursor| optional_condition(cursor).map(Ret),
            "end" => |_| Ok(End),
            _ => return Ok(None),
        };
    cursor.advance();
    rest(cursor).map(Some)
}

fn call<'s>(cursor: &mut Cursor<'_, 's>) -> Parsed<StatementKind<'s>> {
    const LABEL: &str = "the label of a subroutine";
    if cursor.is("if") {
        return Err(cursor.expected(LABEL));
    }
    Ok(StatementKind::Call(cursor.need_word(LABEL)?, optional_condition(cursor)?))
}

/// `n0`, a name, `10`, or `(10, 0, 1)`: count, aL start, aL step.
fn int_operand<'s>(cursor: &mut Cursor<'_, 's>) -> Parsed<IntOperand<'s>> {
    if let Some(name) = cursor.word() {
        return Ok(IntOperand::Register(name));
    }
    let start = cursor.peek().span;
    let mut values = [0, 0, 1];
    if let Some(count) = integer(cursor)? {
        values[0] = count.node.into();
    } else {
        cursor.accept("(").ok_or_else(|| cursor.expected("an integer constant or a count"))?;
        for (n, value) in values.iter_mut().enumerate() {
            if n > 0 {
                cursor.expect(",")?;
            }
            let minus = cursor.accept("-").is_some();
            let number = i64::from(need_integer(cursor, "a number")?.node);
            *value = if minus { -number } else { number };
        }
        cursor.expect(")")?;
    }
    Ok(IntOperand::Literal(At::new(values, cursor.since(start))))
}

/// `jump -> 12 if p.r`, `loop n0 -> end`.
fn arrow<'s>(cursor: &mut Cursor<'_, 's>, op: FcOp) -> Parsed<Arrow<'s>> {
    cursor.advance();
    let int = cursor.word();
    cursor.expect("->")?;
    let target = match integer(cursor)? {
        Some(number) => Target::Number(number),
        None => Target::Label(cursor.need_word("a label or an address")?),
    };
    Ok(Arrow { op, int, target, condition: optional_condition(cursor)? })
}

/// `p.r)` or `p.r, 1)`, after the opening parenthesis.
fn gate(cursor: &mut Cursor<'_, '_>) -> Parsed<Gate> {
    let start = cursor.peek().span;
    let rgb = one_gate(cursor)?;
    let span = cursor.since(start);
    let alpha = cursor.accept(",").map_or(Ok(rgb), |_| one_gate(cursor))?;
    cursor.expect(")")?;
    Ok(Gate { span, units: [rgb, alpha] })
}

fn one_gate(cursor: &mut Cursor<'_, '_>) -> Parsed<(PredSel, bool)> {
    let start = cursor.peek().span;
    let inverted = cursor.accept("!").is_some();
    if cursor.peek().kind == Kind::Number("1") {
        cursor.advance();
        return Ok((PredSel::None, inverted));
    }
    if cursor.accept("p").is_none() {
        return Err(cursor.expected("a predicate: p, p.r, p.g, p.b or p.a"));
    }
    let letters = cursor.dot().map(|text| text.node);
    Ok((predicate(letters, cursor.since(start))?, inverted))
}

fn flag<'s>(cursor: &mut Cursor<'_, 's>, text: &'s str) -> Parsed<Flag<'s>> {
    let span = cursor.advance().span;
    let name = At::new(text.trim_start_matches('!'), span);
    let mut arguments = Vec::new();
    if cursor.accept("(").is_some() {
        while cursor.accept(")").is_none() {
            let key = cursor.word().or_else(|| cursor.number());
            let key = key.ok_or_else(|| cursor.expected("`)`"))?;
            let value = cursor.accept("=").map(|_| term(cursor)).transpose()?;
            arguments.push(FlagArgument { key, value });
            cursor.accept(",");
        }
    }
    Ok(Flag { name, off: text.starts_with('!'), arguments })
}

/// One half, or two halves separated by `|`.
fn halves<'s>(cursor: &mut Cursor<'_, 's>) -> Parsed<Vec<Half<'s>>> {
    let mut halves = vec![half(cursor)?];
    if cursor.accept("|").is_some() {
        halves.push(half(cursor)?);
    }
    Ok(halves)
}

fn explicit<'s>(cursor: &mut Cursor<'_, 's>, class: Type) -> Parsed<Explicit<'s>> {
    cursor.advance();
    let mut words = Vec::new();
    while let Some(register) = cursor.word() {
        cursor.expect("(")?;
        let mut values = Vec::new();
        while cursor.accept(")").is_none() {
            let first = field_or_number(cursor)?;
            values.push(match cursor.accept("=") {
                Some(_) => ExplicitValue { field: Some(first), value: field_or_number(cursor)? },
                None => ExplicitValue { field: None, value: first },
            });
            cursor.accept(",");
        }
        words.push(ExplicitWord { register, values });
    }
    Ok(Explicit { class, words })
}

fn field_or_number<'s>(cursor: &mut Cursor<'_, 's>) -> Parsed<At<&'s str>> {
    let found = cursor.word().or_else(|| cursor.number());
    found.ok_or_else(|| cursor.expected("a field name or a number"))
}
