//! Tokens to statements. An instruction ends if no comma follows an operand. Lines matter only for
//! error recovery: parsing continues at the next line.

use super::lexer::float;
use super::steps::Gating;
use super::syntax::*;
use super::table::{COMPARES, ROWS, Role, Row};
use ctm_base::text::{At, Cursor, Diagnostic, Kind, Parsed, Span, TextErrors, Token};

/// The statements of a source after its version, and the errors.
pub(super) fn parse(tokens: &[Token<'_>]) -> (Vec<Statement>, Vec<Diagnostic>) {
    let mut cursor = Cursor::new(tokens, false);
    let (mut statements, mut errors) = (Vec::new(), Vec::new());
    if let Err(error) = version(&mut cursor) {
        return (statements, vec![error]);
    }
    while !cursor.at_end() && errors.len() < TextErrors::LIMIT {
        let before = cursor.rest().len();
        match statement(&mut cursor) {
            Ok(statement) => statements.push(statement),
            Err(error) => {
                errors.push(error);
                if cursor.rest().len() == before {
                    cursor.advance();
                }
                while !cursor.peek().first && !cursor.at_end() {
                    cursor.advance();
                }
            }
        }
    }
    (statements, errors)
}

fn version(cursor: &mut Cursor<'_, '_>) -> Parsed<()> {
    if cursor.accept("ps_3_0").is_some() {
        return Ok(());
    }
    let Token { kind, span, .. } = cursor.peek();
    match kind {
        Kind::Word(text)
            if text.len() > 3
                && matches!(&text.as_bytes()[..3], b"ps_" | b"vs_" | b"PS_" | b"VS_") =>
        {
            Err(span
                .error(format!("`{text}` cannot be compiled"))
                .help("only pixel shaders of version 3.0, `ps_3_0`, are known"))
        }
        _ => {
            let error = cursor.expected("the version `ps_3_0`");
            Err(error.help("a shader begins with its version"))
        }
    }
}

fn statement(cursor: &mut Cursor<'_, '_>) -> Parsed<Statement> {
    let gate = cursor.accept("(").map(|open| gate(cursor, open)).transpose()?;
    let At { node: text, span } = cursor.need_word("an instruction")?;
    let lower = text.to_ascii_lowercase();
    let mut parts = lower.split('_');
    let base = parts.next().unwrap_or_default();
    let suffixes: Vec<&str> = parts.collect();
    let setup = match base {
        "dcl" => declare(cursor, span, &suffixes)?,
        "def" | "defi" | "defb" if suffixes.is_empty() => define(cursor, span, base)?,
        "end" if suffixes.is_empty() => Statement::End(span),
        _ => {
            let instruction = instruction(cursor, At::new(text, span), base, &suffixes, gate)?;
            return Ok(Statement::Instruction(instruction));
        }
    };
    match gate {
        None => Ok(setup),
        Some(gate) => Err(gate.span.error(format!("`{text}` cannot have a predicate"))),
    }
}

/// `p0.x)` or `!p0)`, after the opening parenthesis.
fn gate(cursor: &mut Cursor<'_, '_>, open: Span) -> Parsed<Gate> {
    let operand = operand(cursor)?;
    let found = operand.register_of(File::Predicate).ok_or_else(|| {
        operand.span.error("only the predicate can stand here, `(p0)` or `(!p0.x)`")
    })?;
    cursor.expect(")")?;
    let channel = predicate_channel(found, operand.span)?;
    Ok(Gate { span: cursor.since(open), by: Gating { not: found.not, channel } })
}

fn instruction(
    cursor: &mut Cursor<'_, '_>,
    At { node: text, span: name }: At<&str>,
    base: &str,
    suffixes: &[&str],
    gate: Option<Gate>,
) -> Parsed<Instruction> {
    let compare =
        suffixes.first().and_then(|end| COMPARES.into_iter().find(|row| row.suffix == *end));
    let row = ROWS.iter().find(|row| row.name == base && row.compares == compare.is_some());
    let row = row.ok_or_else(|| unknown(name, text, base))?;
    let mut saturate = false;
    for suffix in &suffixes[usize::from(compare.is_some())..] {
        saturate |= is_saturation(row, name, suffix)?;
    }
    let operands = match row.operands {
        [] => Vec::new(),
        _ => cursor.separated(",", operand)?,
    };
    let (expected, found) = (row.operands.len(), operands.len());
    if found != expected {
        let plural = if expected == 1 { "" } else { "s" };
        let text = text.to_ascii_lowercase();
        return Err(cursor
            .since(name)
            .error(format!("`{text}` takes {expected} operand{plural}, not {found}")));
    }
    if let Some(gate) = gate.filter(|_| !row.op.can_be_gated()) {
        return Err(gate
            .span
            .error(format!("`{base}` cannot have a predicate"))
            .help("predicates gate arithmetic and fetches; for jumps write `if p0.x`"));
    }
    let span = cursor.since(gate.map_or(name, |gate| gate.span));
    Ok(Instruction { span, row, compare, saturate, gate, operands })
}

/// `dcl_texcoord1_centroid v0.xy`, `dcl_2d s0`, `dcl vPos.xy`.
fn declare(cursor: &mut Cursor<'_, '_>, start: Span, suffixes: &[&str]) -> Parsed<Statement> {
    let mut what = Declared::Input(None);
    for suffix in suffixes {
        let letters = suffix.trim_end_matches(|c: char| c.is_ascii_digit());
        match (*suffix, letters) {
            ("2d", _) => what = Declared::Sampler2d,
            ("cube" | "volume", _) => what = Declared::SamplerOther,
            ("pp" | "centroid", _) => {}
            (_, "texcoord") => {
                let number = match &suffix[letters.len()..] {
                    "" => 0,
                    // A number that is too large is out of range for every register.
                    digits => digits.parse().unwrap_or(u32::MAX),
                };
                what = Declared::Input(Some(number));
            }
            (_, semantic) if SEMANTICS.contains(&semantic) => {}
            _ => {
                return Err(start
                    .error(format!("`_{suffix}` is not known in a declaration"))
                    .help("write `dcl vPos.xy`, `dcl_texcoord0 v0` or `dcl_2d s0`"));
            }
        }
    }
    let operand = operand(cursor)?;
    Ok(Statement::Declare { span: cursor.since(start), what, operand })
}

fn define(cursor: &mut Cursor<'_, '_>, start: Span, base: &str) -> Parsed<Statement> {
    let (file, expected) = match base {
        "def" => (File::Float, 5),
        "defi" => (File::Int, 5),
        _ => (File::Bool, 2),
    };
    let operands = cursor.separated(",", operand)?;
    let span = cursor.since(start);
    match operands.len() {
        found if found == expected => Ok(Statement::Define { span, file, operands }),
        found => Err(span.error(format!("`{base}` takes {expected} operands, not {found}"))),
    }
}

fn operand(cursor: &mut Cursor<'_, '_>) -> Parsed<Operand> {
    let start = cursor.peek().span;
    let negate = cursor.accept("-").is_some();
    let not = !negate && cursor.accept("!").is_some();
    if !negate && !not {
        cursor.accept("+");
    }
    let Token { kind, span, .. } = cursor.peek();
    let value = match kind {
        Kind::Number(text) if !not => {
            cursor.advance();
            let value =
                float(text).ok_or_else(|| span.error(format!("`{text}` is not a number")))?;
            Value::Number(if negate { -value } else { value })
        }
        Kind::Word(_) if cursor.accept("true").is_some() => Value::Bool(true),
        Kind::Word(_) if cursor.accept("false").is_some() => Value::Bool(false),
        Kind::Word(text) => {
            cursor.advance();
            let found = register(cursor, text, span)?;
            Value::Register(RegisterUse { negate, not, ..found })
        }
        _ => return Err(cursor.expected("an operand")),
    };
    Ok(Operand { span: cursor.since(start), value })
}

/// Parses a register after its name: index in brackets, modifier, swizzle.
fn register(cursor: &mut Cursor<'_, '_>, text: &str, span: Span) -> Parsed<RegisterUse> {
    let (name, suffix) = match text.split_once('_') {
        Some((name, suffix)) => (name, Some((suffix, span))),
        None => (text, None),
    };
    let bracket = cursor.is("[");
    let (file, index) = register_name(name, bracket)
        .ok_or_else(|| span.error(format!("there is no register `{name}`")))?;
    let mut register = Register { file, index, relative: false };
    if bracket {
        brackets(cursor, &mut register, span)?;
    }
    let mut suffixes: Vec<(&str, Span)> = suffix.into_iter().collect();
    if let Kind::Word(text) = cursor.peek().kind
        && let Some(suffix) = text.strip_prefix('_')
    {
        suffixes.push((suffix, cursor.advance().span));
    }
    let mut abs = false;
    for (suffix, span) in suffixes {
        if std::mem::replace(&mut abs, true) || !suffix.eq_ignore_ascii_case("abs") {
            return Err(span
                .error(format!("`_{suffix}` is not a modifier of an operand"))
                .help("ps_3_0 has `-r0`, `r0_abs` and `-r0_abs`"));
        }
    }
    let mut swizzle = None;
    if cursor.accept(".").is_some() {
        let At { node: letters, span } = cursor.need_word("channels")?;
        let channels: Option<Vec<u8>> = letters.chars().map(channel).collect();
        swizzle = Some(channels.filter(|list| list.len() <= 4).ok_or_else(|| {
            span.error(format!("`.{letters}` is not a list of channels"))
                .help("1 to 4 letters of xyzw or rgba")
        })?);
    }
    Ok(RegisterUse { register, negate: false, abs, not: false, swizzle })
}

/// `[aL+3]`, `[3+aL]`, `[aL]`, `[5]`.
fn brackets(cursor: &mut Cursor<'_, '_>, register: &mut Register, name: Span) -> Parsed<()> {
    cursor.advance();
    loop {
        let Token { kind, span, .. } = cursor.peek();
        match kind {
            Kind::Number(text) => {
                let number = text.parse::<u32>().ok();
                let sum = number.and_then(|number| register.index.checked_add(number));
                register.index =
                    sum.ok_or_else(|| span.error(format!("`{text}` is not a register number")))?;
            }
            kind if kind.is("aL") && !register.relative => register.relative = true,
            _ => return Err(cursor.expected("aL or a number")),
        }
        cursor.advance();
        if cursor.accept("]").is_some() {
            break;
        }
        cursor.accept("+").ok_or_else(|| cursor.expected("`+` or `]`"))?;
    }
    if register.relative && !matches!(register.file, File::Float | File::Input) {
        return Err(cursor.since(name).error("only c and v can be addressed relative to aL"));
    }
    Ok(())
}

/// Semantics of inputs besides `texcoord`. They have no effect.
const SEMANTICS: &[&str] = &[
    "position",
    "blendweight",
    "blendindices",
    "normal",
    "psize",
    "tangent",
    "binormal",
    "tessfactor",
    "positiont",
    "color",
    "fog",
    "depth",
    "sample",
];

fn unknown(name: Span, text: &str, base: &str) -> Diagnostic {
    let error =
        name.error(format!("unknown instruction `{text}`")).label("ps_3_0 has no such instruction");
    let compared = ROWS.iter().find(|row| row.name == base && row.compares);
    let instead = match base {
        "expp" => "write `exp`".to_string(),
        "logp" => "write `log`".to_string(),
        "cnd" => "write `cmp`, which compares with 0".to_string(),
        "tex" | "texcoord" | "texcrd" => "write `texld`".to_string(),
        _ => match (compared, ROWS.iter().any(|row| row.name == base && !row.compares)) {
            (Some(row), false) => format!("add a comparison: `{}_gt`", row.name),
            (None, true) => format!("`{base}` makes no comparison"),
            _ => return error,
        },
    };
    error.help(instead)
}

/// Whether the suffix of a name is the saturating one; the others have no effect.
fn is_saturation(row: &Row, name: Span, suffix: &str) -> Parsed<bool> {
    let writes = row.operands.first() == Some(&Role::Dest);
    match suffix {
        "pp" if row.op.can_be_gated() => Ok(false),
        "centroid" if row.op.fetches() => Ok(false),
        "sat" if writes => Ok(true),
        "sat" => Err(name.error(format!("`{}` cannot be saturated", row.name))),
        _ => Err(name
            .error(format!("`_{suffix}` is not known on `{}`", row.name))
            .help("the modifiers are _sat, _pp and _centroid")),
    }
}

fn channel(letter: char) -> Option<u8> {
    let letter = letter.to_ascii_lowercase();
    ["xyzw", "rgba"].iter().find_map(|letters| letters.find(letter)).map(|n| n as u8)
}

/// The file and number of a name. If `bare`, brackets follow, so the number may be missing.
fn register_name(name: &str, bare: bool) -> Option<(File, u32)> {
    FILES.iter().find_map(|&(prefix, file, count, ..)| {
        let head = name.get(..prefix.len())?;
        let rest = name.get(prefix.len()..)?;
        if !head.eq_ignore_ascii_case(prefix) {
            return None;
        }
        let number = match (count > 0, rest) {
            (false, "") => 0,
            (true, "") if bare => 0,
            (true, digits) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => {
                // A number that is too large is out of range for every register.
                digits.parse().unwrap_or(u32::MAX)
            }
            _ => return None,
        };
        Some((file, number))
    })
}

/// The channel of a predicate: `None`, or the channel of a replicating swizzle.
pub(super) fn predicate_channel(found: &RegisterUse, span: Span) -> Parsed<Option<u8>> {
    if found.register.index != 0 {
        return Err(span.error("there is one predicate, p0"));
    }
    if found.is_signed() {
        return Err(span.error("a predicate has no sign").help("invert it: `!p0.x`"));
    }
    match found.swizzle.as_deref() {
        None | Some([0, 1, 2, 3]) => Ok(None),
        Some([first, rest @ ..]) if rest.iter().all(|other| other == first) => Ok(Some(*first)),
        _ => Err(span
            .error("a predicate has one channel for all, or each its own")
            .help("write `p0` or `p0.x`")),
    }
}
