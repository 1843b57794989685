//! Parsing of operations, destinations, operands and fetches.

use super::diagnostics::Diagnostic;
use super::lexer::Kind;
use super::parser::*;
use super::syntax::*;
use crate::isa::{Comparison, FieldValue, Modifier, OMODS, Omod, Presub, TEX_OPS, TexOp};
use winnow::combinator::{opt, separated};
use winnow::prelude::*;

/// `mad*2.sat r1.rgb & p.r<0, a, b, c`, or `-` for an idle unit.
pub(super) fn half<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Half<'s>> {
    let start = next(tokens).span;
    let mut half = Half {
        span: start,
        idle: false,
        op: At::new("-", start),
        omod: None,
        saturate: None,
        destinations: Vec::new(),
        operands: Vec::new(),
    };
    if opt(punct("-")).parse_next(tokens)?.is_some() {
        half.idle = true;
        return Ok(half);
    }
    let Some(op) = opt(word).parse_next(tokens)? else {
        return expected(tokens, "an operation");
    };
    half.op = op;
    if !super::mnemonics::is_mnemonic(op.node) {
        return cut(unknown_instruction(op));
    }
    suffixes(tokens, &mut half)?;
    half.destinations = separated(1.., destination, punct("&")).parse_next(tokens)?;
    while opt(punct(",")).parse_next(tokens)?.is_some() {
        half.operands.push(operand(tokens)?);
    }
    half.span = start.to(consumed(tokens));
    Ok(half)
}

/// The error for a word that cannot begin a statement.
fn unknown_instruction(found: Word<'_>) -> Diagnostic {
    let error = Diagnostic::new(found.span, format!("unknown instruction `{}`", found.node))
        .label("no instruction has this name");
    match super::mnemonics::similar_mnemonic(found.node) {
        Some(name) => error.help(format!("did you mean `{name}`?")),
        None => error,
    }
}

fn suffixes<'t, 's: 't>(tokens: &mut Tokens<'t, 's>, half: &mut Half<'s>) -> Parsed<()> {
    loop {
        let start = next(tokens).span;
        let name = match next(tokens).kind {
            Kind::Dot(text) if text.eq_ignore_ascii_case("sat") => {
                half.saturate = Some(dot(tokens)?.span);
                continue;
            }
            Kind::Dot(text) => {
                dot(tokens)?;
                if text.eq_ignore_ascii_case("exact") {
                    Omod::Disabled.name().to_string()
                } else {
                    text.to_string()
                }
            }
            Kind::Punct(sign @ ("*" | "/")) => {
                punct(sign).parse_next(tokens)?;
                let Some(factor) = opt(number).parse_next(tokens)? else {
                    return expected(tokens, "1, 2, 4 or 8");
                };
                // The names in the table end with the factor.
                let kind = if sign == "/" { "DIV_" } else { "" };
                format!("OMOD_{kind}{}", factor.node)
            }
            _ => return Ok(()),
        };
        let span = start.to(consumed(tokens));
        let Some(code) = row(OMODS, &name) else {
            return cut(Diagnostic::new(span, "unknown output modifier")
                .label("not a modifier")
                .help("write *2, *4, *8, /2, /4, /8, .exact or .sat"));
        };
        half.omod = Some(At::new(Omod::from_code(code.code as u32), span));
    }
}

/// A register name, or `r[aL+3]`, `c[aL]`.
pub(super) fn register<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<At<RegisterRef<'s>>> {
    let name = word(tokens)?;
    let file = match name.node {
        "r" | "R" => 'r',
        "c" | "C" => 'c',
        _ => return Ok(At::new(RegisterRef::Name(name.node), name.span)),
    };
    need(tokens, "[")?;
    match next(tokens).kind {
        Kind::Word(text) if text.eq_ignore_ascii_case("aL") => {
            word(tokens)?;
        }
        _ => return expected(tokens, "aL"),
    }
    let offset = match opt(punct("+")).parse_next(tokens)? {
        Some(_) => match opt(integer).parse_next(tokens)? {
            Some(offset) => offset.node,
            None => return expected(tokens, "a register number"),
        },
        None => 0,
    };
    let end = need(tokens, "]")?;
    Ok(At::new(RegisterRef::Relative { file, offset }, name.span.to(end)))
}

/// `r1.rgb`, `o0`, `p.r < 0`, `_`.
fn destination<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Destination<'s>> {
    let Some(register) = opt(register).parse_next(tokens)? else {
        return expected(tokens, "a destination");
    };
    let mask = opt(dot).parse_next(tokens)?;
    let start = next(tokens).span;
    let comparison = match next(tokens).kind {
        Kind::Punct("==") => Comparison::Equal,
        Kind::Punct("<") => Comparison::Less,
        Kind::Punct(">=") => Comparison::GreaterEqual,
        Kind::Punct("!=") => Comparison::NotEqual,
        Kind::Punct(sign @ (">" | "<=")) => {
            return cut(Diagnostic::new(start, format!("the hardware has no comparison `{sign}`"))
                .help("negate the operands and use `<` or `>=`"));
        }
        _ => {
            return Ok(Destination { register, mask, comparison: None });
        }
    };
    if let Kind::Punct(sign) = next(tokens).kind {
        punct(sign).parse_next(tokens)?;
    }
    match opt(number).parse_next(tokens)? {
        Some(zero) if zero.node == "0" => {}
        Some(other) => {
            return cut(Diagnostic::new(other.span, "results are compared with 0 only")
                .help("subtract the other value first"));
        }
        None => return expected(tokens, "0"),
    }
    Ok(Destination {
        register,
        mask,
        comparison: Some(At::new(comparison, start.to(consumed(tokens)))),
    })
}

/// Reads a number as binary32; a hexadecimal number is a bit pattern.
pub(super) fn parse_float(text: &str) -> Option<f32> {
    if text.starts_with("0x") || text.starts_with("0X") {
        return parse_u32(text).map(f32::from_bits);
    }
    match text.to_ascii_lowercase().as_str() {
        "inf" => Some(f32::INFINITY),
        "nan" => Some(f32::from_bits(0x7fff_ffff)),
        _ => text.parse().ok(),
    }
}

/// Parses a number, `inf` or `nan`, or backtracks.
fn float<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<f32> {
    let text = match next(tokens).kind {
        Kind::Number(text) => {
            number(tokens)?;
            text
        }
        Kind::Word(text)
            if text.eq_ignore_ascii_case("inf") || text.eq_ignore_ascii_case("nan") =>
        {
            word(tokens)?;
            text
        }
        _ => return backtrack(),
    };
    match parse_float(text) {
        Some(value) => Ok(value),
        None => {
            cut(Diagnostic::new(consumed(tokens), format!("`{text}` is not a number of 32 bits")))
        }
    }
}

/// The content of one slot of `@src(...)`.
pub(super) fn slot_value<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<At<SlotValue<'s>>> {
    let start = next(tokens).span;
    let value = if let Some(value) = opt(float).parse_next(tokens)? {
        SlotValue::Number(value)
    } else if let Some(register) = opt(register).parse_next(tokens)? {
        SlotValue::Register(register.node)
    } else {
        return expected(tokens, "a register or a number");
    };
    Ok(At::new(value, start.to(consumed(tokens))))
}

/// One term of an operand; `twice` marks the `2*x` of `1-2*x`.
struct Term<'s> {
    operand: Operand<'s>,
    twice: bool,
}

fn operand<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Operand<'s>> {
    let term = sum(tokens, 0)?;
    if term.twice {
        return cut(Diagnostic::new(term.operand.span, "`2*x` is only possible in `1-2*x`")
            .help("scale a result with an output modifier: `mul*2 ...`"));
    }
    Ok(term.operand)
}

/// One term, or a presubtract of two.
fn sum<'t, 's: 't>(tokens: &mut Tokens<'t, 's>, depth: usize) -> Parsed<Term<'s>> {
    let left = signed(tokens, depth)?;
    let minus = match next(tokens).kind {
        Kind::Punct("+") => false,
        Kind::Punct("-") => true,
        _ => return Ok(left),
    };
    punct(if minus { "-" } else { "+" }).parse_next(tokens)?;
    let right = signed(tokens, depth)?;
    let whole = left.operand.span.to(right.operand.span);
    if let Kind::Punct("+" | "-") = next(tokens).kind {
        return cut(Diagnostic::new(
            whole.to(next(tokens).span),
            "an operand is a sum of at most two terms",
        )
        .help("compute the rest in an instruction of its own"));
    }
    Ok(Term { operand: presubtract(left, minus, right)?, twice: false })
}

/// The four sums that the hardware can form before an operation, with their signs.
fn presubtract<'s>(left: Term<'s>, minus: bool, right: Term<'s>) -> Parsed<Operand<'s>> {
    let span = left.operand.span.to(right.operand.span);
    let mut terms = [(left, false), (right, minus)].map(|(term, flip)| (term, flip));
    let mut signs = [false; 2];
    let mut values = [PresubTerm::Number(0.0); 2];
    let mut swizzle: Option<Word> = None;
    for (n, (term, flip)) in terms.iter_mut().enumerate() {
        let operand = &term.operand;
        if matches!(operand.modifier, Modifier::Abs | Modifier::Nab) {
            return cut(Diagnostic::new(operand.span, "abs cannot be applied inside a sum")
                .help("the hardware adds first and takes abs of the sum: abs(a-b)"));
        }
        signs[n] = (operand.modifier == Modifier::Neg) != *flip;
        values[n] = match &operand.value {
            Value::Register(register) => PresubTerm::Register(*register),
            Value::Number(value) => PresubTerm::Number(*value),
            _ => {
                return cut(Diagnostic::new(
                    operand.span,
                    "a sum has two terms, each a register or a number",
                ));
            }
        };
        if let Some(found) = operand.swizzle {
            match swizzle {
                Some(first) if first.node != found.node => {
                    return cut(Diagnostic::new(
                        found.span,
                        format!(
                            "both terms of a sum have the same swizzle; the first has `.{}`",
                            first.node
                        ),
                    )
                    .help("the swizzle is applied to the sum: (a-b).rgb"));
                }
                _ => swizzle = Some(found),
            }
        }
    }
    let one = values[0] == PresubTerm::Number(1.0);
    let (op, source0, source1, negative) = if terms[0].0.twice || terms[1].0.twice {
        if !(one && terms[1].0.twice && signs[0] != signs[1]) {
            return cut(Diagnostic::new(span, "`2*x` is only possible in `1-2*x`")
                .help("scale a result with an output modifier: `mul*2 ...`"));
        }
        (Presub::Bias, values[1], None, signs[0])
    } else if one && signs[0] != signs[1] {
        (Presub::Inv, values[1], None, signs[0])
    } else {
        match signs {
            [false, true] => (Presub::Sub, values[1], Some(values[0]), false),
            [true, false] => (Presub::Sub, values[0], Some(values[1]), false),
            [negative, _] => (Presub::Add, values[0], Some(values[1]), negative),
        }
    };
    Ok(Operand {
        span,
        modifier: if negative { Modifier::Neg } else { Modifier::Nop },
        value: Value::Presub { op, source0, source1 },
        swizzle,
    })
}

fn signed<'t, 's: 't>(tokens: &mut Tokens<'t, 's>, depth: usize) -> Parsed<Term<'s>> {
    let start = next(tokens).span;
    let negative = opt(punct("-")).parse_next(tokens)?.is_some();
    let mut term = primary(tokens, depth)?;
    if let Some(swizzle) = opt(dot).parse_next(tokens)? {
        if term.operand.swizzle.is_some() {
            return cut(Diagnostic::new(swizzle.span, "a second swizzle on one operand")
                .help("write one swizzle"));
        }
        term.operand.swizzle = Some(swizzle);
    }
    if negative {
        term.operand.modifier = match term.operand.modifier {
            Modifier::Nop => Modifier::Neg,
            Modifier::Neg => Modifier::Nop,
            Modifier::Abs => Modifier::Nab,
            Modifier::Nab => Modifier::Abs,
        };
    }
    term.operand.span = start.to(consumed(tokens));
    Ok(term)
}

fn primary<'t, 's: 't>(tokens: &mut Tokens<'t, 's>, depth: usize) -> Parsed<Term<'s>> {
    let start = next(tokens).span;
    let plain = |value| Term {
        operand: Operand { span: start, modifier: Modifier::Nop, value, swizzle: None },
        twice: false,
    };
    let (close, absolute) = match next(tokens).kind {
        Kind::Punct("|") => (Some("|"), true),
        Kind::Punct("(") => (Some(")"), false),
        Kind::Word(text) if text.eq_ignore_ascii_case("abs") => {
            word(tokens)?;
            if next(tokens).kind != Kind::Punct("(") {
                return expected(tokens, "`(`");
            }
            (Some(")"), true)
        }
        _ => (None, false),
    };
    if let Some(close) = close {
        if depth >= MAX_NESTING {
            return cut(Diagnostic::new(
                start,
                format!("parentheses nest deeper than {MAX_NESTING}"),
            ));
        }
        let open = if close == "|" { "|" } else { "(" };
        need(tokens, open)?;
        let mut inner = sum(tokens, depth + 1)?;
        need(tokens, close)?;
        if absolute {
            inner.operand.modifier = Modifier::Abs;
        }
        return Ok(inner);
    }
    if opt(punct("{")).parse_next(tokens)?.is_some() {
        let mut values = Vec::new();
        while opt(punct("}")).parse_next(tokens)?.is_none() {
            if !values.is_empty() {
                need(tokens, ",")?;
            }
            let negative = opt(punct("-")).parse_next(tokens)?.is_some();
            match opt(float).parse_next(tokens)? {
                Some(value) => values.push(if negative { -value } else { value }),
                None => return expected(tokens, "a number"),
            }
        }
        return Ok(plain(Value::Vector(values)));
    }
    if let Kind::Dot(_) = next(tokens).kind {
        return Ok(plain(Value::Constants));
    }
    if let Some(value) = opt(float).parse_next(tokens)? {
        if opt(punct("*")).parse_next(tokens)?.is_none() {
            return Ok(plain(Value::Number(value)));
        }
        let Some(register) = opt(register).parse_next(tokens)? else {
            return expected(tokens, "a register");
        };
        let mut term = plain(Value::Register(register.node));
        term.twice = true;
        if value != 2.0 {
            return cut(Diagnostic::new(
                start,
                "the only product in an operand is the `2*x` of `1-2*x`",
            ));
        }
        return Ok(term);
    }
    match opt(register).parse_next(tokens)? {
        Some(register) => Ok(plain(Value::Register(register.node))),
        None => expected(tokens, "an operand"),
    }
}

/// `ld r0.rgb, i0[r1.rg].bgr`, `texkill r0`, `nop`.
pub(super) fn fetch<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Fetch<'s>> {
    let op = word(tokens)?;
    let mut fetch = Fetch {
        op,
        destination: None,
        input: None,
        unscaled: false,
        coordinates: Vec::new(),
        swizzle: None,
    };
    let code = row(TEX_OPS, op.node).map_or(0, |row| row.code as u32);
    let kind = TexOp::from_code(code);
    if matches!(next(tokens).kind, Kind::Newline | Kind::At(_)) && kind == TexOp::Nop {
        return Ok(fetch);
    }
    let first = destination(tokens)?;
    if opt(punct(",")).parse_next(tokens)?.is_none() {
        if kind != TexOp::Texkill {
            return expected(tokens, "`,` and an input such as i0[r0.rg]");
        }
        fetch.coordinates.push(Coordinate { register: first.register, swizzle: first.mask });
        return Ok(fetch);
    }
    fetch.destination = Some(first);
    let Some(input) = opt(word).parse_next(tokens)? else {
        return expected(tokens, "an input such as i0[r0.rg]");
    };
    fetch.input = Some(input);
    let close = if opt(punct("[")).parse_next(tokens)?.is_some() {
        fetch.unscaled = true;
        "]"
    } else if opt(punct("(")).parse_next(tokens)?.is_some() {
        ")"
    } else {
        return expected(tokens, "`[` (texel coordinates) or `(` (coordinates from 0 to 1)");
    };
    fetch.coordinates.push(coordinate(tokens)?);
    while opt(punct(",")).parse_next(tokens)?.is_some() {
        fetch.coordinates.push(coordinate(tokens)?);
    }
    need(tokens, close)?;
    fetch.swizzle = opt(dot).parse_next(tokens)?;
    let wanted = if kind == TexOp::DxDy { 3 } else { 1 };
    if fetch.coordinates.len() != wanted {
        return cut(Diagnostic::new(
            op.span.to(consumed(tokens)),
            format!(
                "{} takes {wanted} coordinate operand{}, not {}",
                op.node.to_ascii_lowercase(),
                if wanted == 1 { "" } else { "s" },
                fetch.coordinates.len()
            ),
        ));
    }
    Ok(fetch)
}

fn coordinate<'t, 's: 't>(tokens: &mut Tokens<'t, 's>) -> Parsed<Coordinate<'s>> {
    let Some(register) = opt(register).parse_next(tokens)? else {
        return expected(tokens, "a temporary that holds the coordinate");
    };
    Ok(Coordinate { register, swizzle: opt(dot).parse_next(tokens)? })
}
