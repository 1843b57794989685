//! Parsing of operations, destinations, operands and fetches.

use super::hints;
use super::mnemonics::{Operation, named, similar_mnemonic};
use super::numbers::{need_integer, parse_float};
use super::syntax::*;
use ctm_base::text::{At, Cursor, Diagnostic, Kind, Parsed, Span};
use ctm_isa::isa::{CHANNELS, Channel, Modifier, OMODS, Omod, Presub, SWIZZLES, Swizzle, TexOp};

/// `mad*2.sat r1.rgb & p.r<0, a, b, c`, or `-` for an idle unit.
pub(super) fn half<'s>(cursor: &mut Cursor<'_, 's>) -> Parsed<Half<'s>> {
    let start = cursor.peek().span;
    if cursor.accept("-").is_some() {
        let half = Half::new(At::new("-", start), Operation::default());
        return Ok(Half { idle: true, ..half });
    }
    let op = cursor.need_word("an operation")?;
    let operation = Operation::of(op.node).ok_or_else(|| unknown_instruction(cursor, op))?;
    let mut half = Half::new(op, operation);
    suffixes(cursor, &mut half)?;
    half.destinations = cursor.separated("&", destination)?;
    while cursor.accept(",").is_some() {
        half.operands.push(operand(cursor)?);
    }
    half.span = cursor.since(start);
    Ok(half)
}

/// The error for a word that cannot begin a statement.
fn unknown_instruction(cursor: &Cursor<'_, '_>, found: At<&str>) -> Diagnostic {
    let error = found
        .span
        .error(format!("unknown instruction `{}`", found.node))
        .label("no instruction has this name");
    let similar = || similar_mnemonic(found.node).map(|name| format!("did you mean `{name}`?"));
    let foreign = || hints::foreign(found.node).map(String::from);
    Diagnostic {
        help: hints::assignment(cursor, found.node).or_else(foreign).or_else(similar),
        ..error
    }
}

fn suffixes<'s>(cursor: &mut Cursor<'_, 's>, half: &mut Half<'s>) -> Parsed<()> {
    loop {
        let start = cursor.peek().span;
        let name = match cursor.peek().kind {
            Kind::Dot(text) if text.eq_ignore_ascii_case("sat") => {
                half.saturate = Some(cursor.advance().span);
                continue;
            }
            Kind::Dot(text) if text.eq_ignore_ascii_case("exact") => Omod::Disabled.name().into(),
            Kind::Dot(text) => text.to_string(),
            Kind::Punct("*") => "OMOD_".to_string(),
            Kind::Punct("/") => "OMOD_DIV_".to_string(),
            _ => return Ok(()),
        };
        // The names in the table end with the factor.
        let factor = match cursor.advance().kind {
            Kind::Punct(_) => match cursor.number() {
                Some(factor) => factor.node,
                None => return Err(cursor.expected("1, 2, 4 or 8")),
            },
            _ => "",
        };
        let span = cursor.since(start);
        let omod = named(OMODS, &(name + factor)).ok_or_else(|| {
            span.error("unknown output modifier")
                .label("not a modifier")
                .help("write *2, *4, *8, /2, /4, /8, .exact or .sat")
        })?;
        half.omod = Some(At::new(omod, span));
    }
}

/// A register name, or `r[aL+3]`, `c[aL]`.
fn register<'s>(cursor: &mut Cursor<'_, 's>, what: &str) -> Parsed<At<RegisterRef<'s>>> {
    let name = cursor.need_word(what)?;
    let file = match name.node {
        "r" | "R" if cursor.is("[") => 'r',
        "c" | "C" if cursor.is("[") => 'c',
        "g" | "G" if cursor.is("[") => 'g',
        _ => return Ok(At::new(RegisterRef::Name(name.node), name.span)),
    };
    cursor.expect("[")?;
    if file == 'g' {
        let ar = cursor.accept("ar").and_then(|_| cursor.dot());
        ar.filter(|x| x.node.eq_ignore_ascii_case("x")).ok_or_else(|| cursor.expected("ar.x"))?;
    } else {
        cursor.accept("aL").ok_or_else(|| cursor.expected("aL"))?;
    }
    let offset = match cursor.accept("+") {
        Some(_) => need_integer(cursor, "a register number")?.node,
        None => 0,
    };
    cursor.expect("]")?;
    Ok(At::new(RegisterRef::Relative { file, offset }, cursor.since(name.span)))
}

/// `r1.rgb`, `o0`, `p.r < 0`, `_`.
fn destination<'s>(cursor: &mut Cursor<'_, 's>) -> Parsed<Destination<'s>> {
    let register = register(cursor, "a destination")?;
    let mask = cursor.dot();
    let start = cursor.peek().span;
    let comparison = match cursor.peek().kind {
        Kind::Punct(sign @ (">" | "<=")) => {
            return Err(start
                .error(format!("the hardware has no comparison `{sign}`"))
                .help("negate the operands and use `<` or `>=`"));
        }
        Kind::Punct(sign) => SIGNS.iter().find(|(text, _)| *text == sign),
        _ => None,
    };
    let Some((_, comparison)) = comparison else {
        return Ok(Destination { register, mask, comparison: None });
    };
    cursor.advance();
    let zero = cursor.number().ok_or_else(|| cursor.expected("0"))?;
    if zero.node != "0" {
        return Err(zero
            .span
            .error("results are compared with 0 only")
            .help("subtract the other value first"));
    }
    let comparison = Some(At::new(*comparison, cursor.since(start)));
    Ok(Destination { register, mask, comparison })
}

/// Parses a number, `inf` or `nan`, if one is next.
fn float(cursor: &mut Cursor<'_, '_>) -> Parsed<Option<f32>> {
    let (Kind::Number(text) | Kind::Word(text)) = cursor.peek().kind else { return Ok(None) };
    if matches!(cursor.peek().kind, Kind::Word(_)) && !cursor.is("inf") && !cursor.is("nan") {
        return Ok(None);
    }
    let span = cursor.advance().span;
    let wrong = || span.error(format!("`{text}` is not a number of 32 bits"));
    parse_float(text).map(Some).ok_or_else(wrong)
}

/// The content of one slot of `@src(...)`.
pub(super) fn term<'s>(cursor: &mut Cursor<'_, 's>) -> Parsed<At<Term<'s>>> {
    let start = cursor.peek().span;
    let term = match float(cursor)? {
        Some(value) => Term::Number(value),
        None => Term::Register(register(cursor, "a register or a number")?.node),
    };
    Ok(At::new(term, cursor.since(start)))
}

/// A part of an operand; `twice` marks the `2*x` of `1-2*x`.
struct Summand<'s> {
    operand: Operand<'s>,
    twice: bool,
}

fn operand<'s>(cursor: &mut Cursor<'_, 's>) -> Parsed<Operand<'s>> {
    let part = sum(cursor)?;
    if part.twice { Err(misplaced_twice(part.operand.span)) } else { Ok(part.operand) }
}

fn misplaced_twice(span: Span) -> Diagnostic {
    span.error("`2*x` is only possible in `1-2*x`")
        .help("scale a result with an output modifier: `mul*2 ...`")
}

/// One term, or a presubtract of two.
fn sum<'s>(cursor: &mut Cursor<'_, 's>) -> Parsed<Summand<'s>> {
    let left = signed(cursor)?;
    let is_sign = |cursor: &Cursor<'_, '_>| cursor.is("+") || cursor.is("-");
    if !is_sign(cursor) {
        return Ok(left);
    }
    let minus = cursor.advance().kind.is("-");
    let right = signed(cursor)?;
    if is_sign(cursor) {
        let span = left.operand.span.to(cursor.peek().span);
        return Err(span
            .error("an operand is a sum of at most two terms")
            .help("compute the rest in an instruction of its own"));
    }
    Ok(Summand { operand: presubtract(left, minus, right)?, twice: false })
}

/// The four sums that the hardware can form before an operation, with their signs.
fn presubtract<'s>(left: Summand<'s>, minus: bool, right: Summand<'s>) -> Parsed<Operand<'s>> {
    let span = left.operand.span.to(right.operand.span);
    let mut signs = [false, minus];
    let mut values = [Term::Number(0.0); 2];
    let mut swizzle: Option<At<Vec<Swizzle>>> = None;
    for (n, Summand { operand, .. }) in [&left, &right].into_iter().enumerate() {
        if matches!(operand.modifier, Modifier::Abs | Modifier::Nab) {
            return Err(operand
                .span
                .error("abs cannot be applied inside a sum")
                .help("the hardware adds first and takes abs of the sum: abs(a-b)"));
        }
        signs[n] ^= operand.modifier == Modifier::Neg;
        let Value::Term(term) = operand.value else {
            return Err(operand.span.error("a sum has two terms, each a register or a number"));
        };
        values[n] = term;
        if let (Some(first), Some(found)) = (&swizzle, &operand.swizzle)
            && first.node != found.node
        {
            let first = letters(&first.node);
            return Err(found
                .span
                .error(format!(
                    "both terms of a sum have the same swizzle; the first has `.{first}`"
                ))
                .help("the swizzle is applied to the sum: (a-b).rgb"));
        }
        swizzle = operand.swizzle.clone().or(swizzle);
    }
    let [first, second] = values;
    let from_one = first == Term::Number(1.0) && signs[0] != signs[1];
    if left.twice || (right.twice && !from_one) {
        return Err(misplaced_twice(span));
    }
    let (op, terms, negative) = match signs {
        _ if right.twice => (Presub::Bias, [Some(second), None], signs[0]),
        _ if from_one => (Presub::Inv, [Some(second), None], signs[0]),
        [false, true] => (Presub::Sub, [Some(second), Some(first)], false),
        [true, false] => (Presub::Sub, [Some(first), Some(second)], false),
        [negative, _] => (Presub::Add, [Some(first), Some(second)], negative),
    };
    let mut operand = Operand::new(span, Value::Presub(op, terms), swizzle);
    if negative {
        operand.negate();
    }
    Ok(operand)
}

fn signed<'s>(cursor: &mut Cursor<'_, 's>) -> Parsed<Summand<'s>> {
    let start = cursor.peek().span;
    let negative = cursor.accept("-").is_some();
    let mut part = primary(cursor)?;
    let operand = &mut part.operand;
    if let Some(text) = cursor.dot()
        && operand.swizzle.replace(swizzle(text)?).is_some()
    {
        return Err(text.span.error("a second swizzle on one operand").help("write one swizzle"));
    }
    if negative {
        operand.negate();
    }
    operand.span = cursor.since(start);
    Ok(part)
}

fn primary<'s>(cursor: &mut Cursor<'_, 's>) -> Parsed<Summand<'s>> {
    let start = cursor.peek().span;
    let plain = |value, twice| Ok(Summand { operand: Operand::new(start, value, None), twice });
    let brackets = match cursor.peek().kind {
        _ if cursor.accept("abs").is_some() => Some(("(", ")", true)),
        Kind::Punct("|") => Some(("|", "|", true)),
        Kind::Punct("(") => Some(("(", ")", false)),
        _ => None,
    };
    if let Some((open, close, absolute)) = brackets {
        cursor.expect(open)?;
        let mut inner = cursor.nested(start, sum)?;
        cursor.expect(close)?;
        if absolute {
            inner.operand.modifier = Modifier::Abs;
        }
        return Ok(inner);
    }
    if cursor.accept("{").is_some() {
        let mut values = Vec::new();
        while cursor.accept("}").is_none() {
            if !values.is_empty() {
                cursor.expect(",")?;
            }
            let negative = cursor.accept("-").is_some();
            let value = float(cursor)?.ok_or_else(|| cursor.expected("a number"))?;
            values.push(if negative { -value } else { value });
        }
        return plain(Value::Vector(values), false);
    }
    if let Kind::Dot(_) = cursor.peek().kind {
        return plain(Value::Constants, false);
    }
    if let Some(error) = hints::function(cursor) {
        return Err(error);
    }
    let Some(value) = float(cursor)? else {
        return plain(Value::Term(Term::Register(register(cursor, "an operand")?.node)), false);
    };
    if cursor.accept("*").is_none() {
        return plain(Value::Term(Term::Number(value)), false);
    }
    let register = register(cursor, "a register")?;
    if value != 2.0 {
        return Err(start.error("the only product in an operand is the `2*x` of `1-2*x`"));
    }
    plain(Value::Term(Term::Register(register.node)), true)
}

/// `ld r0.rgb, i0[r1.rg].bgr`, `texkill r0`, `nop`.
pub(super) fn fetch<'s>(cursor: &mut Cursor<'_, 's>, op: TexOp) -> Parsed<Fetch<'s>> {
    let start = cursor.advance().span;
    let mut fetch = Fetch::new(op);
    if op == TexOp::Nop && matches!(cursor.peek().kind, Kind::End(_) | Kind::At(_)) {
        return Ok(fetch);
    }
    let first = destination(cursor)?;
    if cursor.accept(",").is_none() {
        if op != TexOp::Texkill {
            return Err(cursor.expected("`,` and an input such as i0[r0.rg]"));
        }
        let swizzle = first.mask.map(channels).transpose()?;
        fetch.coordinates.push(Coordinate { register: first.register, swizzle });
        return Ok(fetch);
    }
    fetch.destination = Some(first);
    fetch.input = Some(cursor.need_word("an input such as i0[r0.rg]")?);
    fetch.unscaled = cursor.accept("[").is_some();
    if !fetch.unscaled && cursor.accept("(").is_none() {
        return Err(cursor.expected("`[` (texel coordinates) or `(` (coordinates from 0 to 1)"));
    }
    fetch.coordinates = cursor.separated(",", |cursor| {
        let register = register(cursor, "a temporary that holds the coordinate")?;
        Ok(Coordinate { register, swizzle: cursor.dot().map(channels).transpose()? })
    })?;
    if let Some(error) = hints::subscript(cursor) {
        return Err(error);
    }
    cursor.expect(if fetch.unscaled { "]" } else { ")" })?;
    fetch.swizzle = cursor.dot().map(channels).transpose()?;
    let (expected, plural) = if op == TexOp::DxDy { (3, "s") } else { (1, "") };
    let found = fetch.coordinates.len();
    if found != expected {
        let name = op.name().to_ascii_lowercase();
        return Err(cursor
            .since(start)
            .error(format!("{name} takes {expected} coordinate operand{plural}, not {found}")));
    }
    Ok(fetch)
}

/// The letters of a swizzle as text.
pub(super) fn letters(swizzle: &[Swizzle]) -> String {
    swizzle.iter().map(|lane| lane.name()).collect()
}

/// The letters of a swizzle, from the table.
fn swizzle(At { node, span }: At<&str>) -> Parsed<At<Vec<Swizzle>>> {
    let one = |letter: char| {
        named(SWIZZLES, letter.encode_utf8(&mut [0; 4])).ok_or_else(|| {
            let names: Vec<&str> = SWIZZLES.iter().map(|code| code.name).collect();
            let all = || format!("the letters are {}", names.join(" "));
            let error = span.error(format!("`{letter}` is not a channel"));
            error.help(hints::channels(node).unwrap_or_else(all))
        })
    };
    Ok(At::new(node.chars().map(one).collect::<Parsed<_>>()?, span))
}

/// One to four channel letters.
fn channels(At { node, span }: At<&str>) -> Parsed<At<Vec<Channel>>> {
    let count = node.len();
    if count > 4 {
        return Err(span.error(format!("`.{node}` has {count} letters; 1 to 4 fit here")));
    }
    let channel = |letter: char| {
        let channel = named(CHANNELS, letter.encode_utf8(&mut [0; 4]));
        channel.ok_or_else(|| {
            let all = || "fetches have the channels r, g, b, a only: no constants".to_string();
            let error = span.error(format!("`{letter}` is not a channel"));
            error.help(hints::channels(node).unwrap_or_else(all))
        })
    };
    Ok(At::new(node.chars().map(channel).collect::<Parsed<_>>()?, span))
}
