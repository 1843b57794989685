//! Tokens to statements. An instruction ends if no comma follows an operand. Lines matter only for
//! error recovery: parsing continues at the next line.

use super::lexer::{Kind, Token, float};
use super::syntax::*;
use super::table::{COMPARES, ROWS, Role, Row};
use crate::asm::{AsmErrors, Diagnostic, Span};

/// The statements of a source after its version, and the errors.
pub(super) fn parse<'t, 's>(tokens: &'t [Token<'s>]) -> (Vec<Statement>, Vec<Diagnostic>) {
    let mut parser = Parser { tokens, at: 0 };
    let mut statements = Vec::new();
    let mut errors = Vec::new();
    if let Err(error) = parser.version() {
        return (statements, vec![error]);
    }
    while parser.peek().kind != Kind::End && errors.len() < AsmErrors::LIMIT {
        let before = parser.at;
        match parser.statement() {
            Ok(statement) => statements.push(statement),
            Err(error) => {
                errors.push(error);
                parser.recover(before);
            }
        }
    }
    (statements, errors)
}

type Parsed<T> = Result<T, Diagnostic>;

struct Parser<'t, 's> {
    /// The last token is [`Kind::End`].
    tokens: &'t [Token<'s>],
    at: usize,
}

/// The modifiers of an instruction's name.
#[derive(Default)]
struct Suffixes {
    saturate: Option<Span>,
}

impl<'s> Parser<'_, 's> {
    fn peek(&self) -> Token<'s> {
        // The last token is never consumed.
        self.tokens[self.at.min(self.tokens.len() - 1)]
    }
    fn next(&mut self) -> Token<'s> {
        let token = self.peek();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }
    fn punct(&mut self, sign: char) -> bool {
        let found = self.peek().kind == Kind::Punct(sign);
        if found {
            self.next();
        }
        found
    }
    fn expected<T>(&self, what: &str) -> Parsed<T> {
        let token = self.peek();
        Err(Diagnostic::new(
            token.span,
            format!("expected {what}, found {}", token.kind.describe()),
        ))
    }
    /// The span from `start` to the end of the previous token.
    fn since(&self, start: Span) -> Span {
        let before = self.tokens[self.at.saturating_sub(1)].span;
        start.to(before)
    }
    /// Skips to the next line.
    fn recover(&mut self, before: usize) {
        if self.at == before {
            self.next();
        }
        while !self.peek().first && self.peek().kind != Kind::End {
            self.next();
        }
    }

    fn version(&mut self) -> Parsed<()> {
        let token = self.peek();
        match token.kind {
            Kind::Word(text) if text.eq_ignore_ascii_case("ps_3_0") => {
                self.next();
                Ok(())
            }
            Kind::Word(text)
                if text.len() > 3
                    && matches!(&text.as_bytes()[..3], b"ps_" | b"vs_" | b"PS_" | b"VS_") =>
            {
                Err(Diagnostic::new(token.span, format!("`{text}` cannot be compiled"))
                    .help("only pixel shaders of version 3.0, `ps_3_0`, are known"))
            }
            _ => {
                let error: Parsed<()> = self.expected("the version `ps_3_0`");
                error.map_err(|error| error.help("a shader begins with its version"))
            }
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.peek().span;
        let gate = match self.punct('(') {
            true => Some(self.gate(start)?),
            false => None,
        };
        let token = self.peek();
        let Kind::Word(text) = token.kind else {
            return self.expected("an instruction");
        };
        self.next();
        let lower = text.to_ascii_lowercase();
        let mut parts = lower.split('_');
        let base = parts.next().unwrap_or_default();
        let suffixes: Vec<&str> = parts.collect();
        let setup = match base {
            "dcl" => self.declare(token.span, &suffixes).map(Some),
            "def" | "defi" | "defb" if suffixes.is_empty() => {
                self.define(token.span, base).map(Some)
            }
            "end" if suffixes.is_empty() => Ok(Some(Statement::End(token.span))),
            _ => Ok(None),
        }?;
        match (setup, gate) {
            (Some(_), Some(gate)) => {
                Err(Diagnostic::new(gate.span, format!("`{text}` cannot have a predicate")))
            }
            (Some(statement), None) => Ok(statement),
            (None, gate) => self
                .instruction(token.span, text, base, &suffixes, gate)
                .map(Statement::Instruction),
        }
    }

    /// `p0.x)` or `!p0)`, after the opening parenthesis.
    fn gate(&mut self, start: Span) -> Parsed<Gate> {
        let operand = self.operand()?;
        let found = match operand.value {
            Value::Register(found) if found.register.file == File::Predicate => found,
            _ => {
                return Err(Diagnostic::new(
                    operand.span,
                    "only the predicate can stand here, `(p0)` or `(!p0.x)`",
                ));
            }
        };
        if !self.punct(')') {
            return self.expected("`)`");
        }
        Ok(Gate {
            span: self.since(start),
            not: found.not,
            channel: predicate_channel(&found, operand.span)?,
        })
    }

    fn instruction(
        &mut self,
        name: Span,
        text: &str,
        base: &str,
        suffixes: &[&str],
        gate: Option<Gate>,
    ) -> Parsed<Instruction> {
        let compare = suffixes
            .first()
            .and_then(|first| COMPARES.iter().find(|(end, _)| end == first))
            .map(|(_, compare)| *compare);
        let row = ROWS.iter().find(|row| row.name == base && row.compares == compare.is_some());
        let Some(row) = row else {
            return Err(unknown(name, text, base));
        };
        let mut found = Suffixes::default();
        for suffix in &suffixes[usize::from(compare.is_some())..] {
            modifier(row, name, suffix, &mut found)?;
        }
        let mut operands = Vec::new();
        if !row.operands.is_empty() {
            operands.push(self.operand()?);
            while self.punct(',') {
                operands.push(self.operand()?);
            }
        }
        let wanted = row.operands.len();
        if operands.len() != wanted {
            let plural = if wanted == 1 { "" } else { "s" };
            return Err(Diagnostic::new(
                self.since(name),
                format!(
                    "`{}` takes {wanted} operand{plural}, not {}",
                    text.to_ascii_lowercase(),
                    operands.len()
                ),
            ));
        }
        if let Some(gate) = gate.filter(|_| !row.op.can_be_gated()) {
            return Err(Diagnostic::new(gate.span, format!("`{base}` cannot have a predicate"))
                .help("predicates gate arithmetic and fetches; for jumps write `if p0.x`"));
        }
        Ok(Instruction {
            span: self.since(gate.map_or(name, |gate| gate.span)),
            row,
            op: row.op,
            compare,
            saturate: found.saturate,
            gate,
            operands,
        })
    }

    /// `dcl_texcoord1_centroid v0.xy`, `dcl_2d s0`, `dcl vPos.xy`.
    fn declare(&mut self, start: Span, suffixes: &[&str]) -> Parsed<Statement> {
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
                    return Err(Diagnostic::new(
                        start,
                        format!("`_{suffix}` is not known in a declaration"),
                    )
                    .help("write `dcl vPos.xy`, `dcl_texcoord0 v0` or `dcl_2d s0`"));
                }
            }
        }
        let operand = self.operand()?;
        Ok(Statement::Declare { span: self.since(start), what, operand })
    }

    fn define(&mut self, start: Span, base: &str) -> Parsed<Statement> {
        let (file, wanted) = match base {
            "def" => (File::Float, 5),
            "defi" => (File::Int, 5),
            _ => (File::Bool, 2),
        };
        let mut operands = vec![self.operand()?];
        while self.punct(',') {
            operands.push(self.operand()?);
        }
        let span = self.since(start);
        if operands.len() != wanted {
            return Err(Diagnostic::new(
                span,
                format!("`{base}` takes {wanted} operands, not {}", operands.len()),
            ));
        }
        Ok(Statement::Define { span, file, operands })
    }

    fn operand(&mut self) -> Parsed<Operand> {
        let start = self.peek().span;
        let mut negate = false;
        let mut not = false;
        if self.punct('-') {
            negate = true;
        } else if self.punct('!') {
            not = true;
        } else {
            self.punct('+');
        }
        let token = self.peek();
        match token.kind {
            Kind::Number(text) if !not => {
                self.next();
                let Some(value) = float(text) else {
                    return Err(Diagnostic::new(token.span, format!("`{text}` is not a number")));
                };
                Ok(Operand {
                    span: self.since(start),
                    value: Value::Number(if negate { -value } else { value }),
                })
            }
            Kind::Word(text)
                if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") =>
            {
                self.next();
                Ok(Operand {
                    span: self.since(start),
                    value: Value::Bool(text.eq_ignore_ascii_case("true")),
                })
            }
            Kind::Word(text) => {
                self.next();
                let mut found = self.register(text, token.span)?;
                (found.negate, found.not) = (negate, not);
                Ok(Operand { span: self.since(start), value: Value::Register(found) })
            }
            _ => self.expected("an operand"),
        }
    }

    /// Parses a register after its name: index in brackets, modifier, swizzle.
    fn register(&mut self, text: &str, span: Span) -> Parsed<RegisterUse> {
        let (name, suffix) = match text.split_once('_') {
            Some((name, suffix)) => (name, Some((suffix, span))),
            None => (text, None),
        };
        let bracket = self.peek().kind == Kind::Punct('[');
        let Some((file, number)) = register_name(name, bracket) else {
            return Err(Diagnostic::new(span, format!("there is no register `{name}`")));
        };
        let mut register = Register { file, index: number, relative: false };
        if bracket {
            self.brackets(&mut register, span)?;
        }
        let mut suffixes: Vec<(&str, Span)> = suffix.into_iter().collect();
        if let Kind::Word(text) = self.peek().kind
            && let Some(suffix) = text.strip_prefix('_')
        {
            suffixes.push((suffix, self.next().span));
        }
        let mut abs = false;
        for (suffix, span) in suffixes {
            match suffix.to_ascii_lowercase().as_str() {
                "abs" if !abs => abs = true,
                _ => {
                    return Err(Diagnostic::new(
                        span,
                        format!("`_{suffix}` is not a modifier of an operand"),
                    )
                    .help("ps_3_0 has `-r0`, `r0_abs` and `-r0_abs`"));
                }
            }
        }
        let mut swizzle = None;
        if self.punct('.') {
            let token = self.peek();
            let Kind::Word(letters) = token.kind else {
                return self.expected("channels");
            };
            self.next();
            let channels: Option<Vec<u8>> = letters.chars().map(channel).collect();
            swizzle = Some(channels.filter(|list| list.len() <= 4).ok_or_else(|| {
                Diagnostic::new(token.span, format!("`.{letters}` is not a list of channels"))
                    .help("1 to 4 letters of xyzw or rgba")
            })?);
        }
        Ok(RegisterUse { register, negate: false, abs, not: false, swizzle })
    }

    /// `[aL+3]`, `[3+aL]`, `[aL]`, `[5]`.
    fn brackets(&mut self, register: &mut Register, name: Span) -> Parsed<()> {
        self.next();
        loop {
            let token = self.next();
            match token.kind {
                Kind::Word(text) if text.eq_ignore_ascii_case("aL") && !register.relative => {
                    register.relative = true;
                }
                Kind::Number(text) => {
                    let number = text.parse::<u32>().ok();
                    let sum = number.and_then(|number| register.index.checked_add(number));
                    register.index = sum.ok_or_else(|| {
                        Diagnostic::new(token.span, format!("`{text}` is not a register number"))
                    })?;
                }
                _ => {
                    return Err(Diagnostic::new(
                        token.span,
                        format!("expected aL or a number, found {}", token.kind.describe()),
                    ));
                }
            }
            if self.punct(']') {
                break;
            }
            if !self.punct('+') {
                return self.expected("`+` or `]`");
            }
        }
        if register.relative && !matches!(register.file, File::Float | File::Input) {
            return Err(Diagnostic::new(
                self.since(name),
                "only c and v can be addressed relative to aL",
            ));
        }
        Ok(())
    }
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
    let error = Diagnostic::new(name, format!("unknown instruction `{text}`"))
        .label("ps_3_0 has no such instruction");
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

fn modifier(row: &Row, name: Span, suffix: &str, found: &mut Suffixes) -> Parsed<()> {
    let writes = row.operands.first() == Some(&Role::Dest);
    match suffix {
        "pp" if row.op.can_be_gated() => Ok(()),
        "centroid" if row.op.fetches() => Ok(()),
        "sat" if writes => {
            found.saturate = Some(name);
            Ok(())
        }
        "sat" => Err(Diagnostic::new(name, format!("`{}` cannot be saturated", row.name))),
        _ => Err(Diagnostic::new(name, format!("`_{suffix}` is not known on `{}`", row.name))
            .help("the modifiers are _sat, _pp and _centroid")),
    }
}

fn channel(letter: char) -> Option<u8> {
    let letter = letter.to_ascii_lowercase();
    ["xyzw", "rgba"].iter().find_map(|letters| letters.find(letter)).map(|n| n as u8)
}

/// The file and number of a name. If `bare`, brackets follow, so the number may be missing.
fn register_name(name: &str, bare: bool) -> Option<(File, u32)> {
    FILES.iter().find_map(|&(prefix, file, numbered, _)| {
        let head = name.get(..prefix.len())?;
        let rest = name.get(prefix.len()..)?;
        if !head.eq_ignore_ascii_case(prefix) {
            return None;
        }
        let number = match (numbered, rest) {
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
        return Err(Diagnostic::new(span, "there is one predicate, p0"));
    }
    if found.negate || found.abs {
        return Err(Diagnostic::new(span, "a predicate has no sign").help("invert it: `!p0.x`"));
    }
    match found.swizzle.as_deref() {
        None | Some([0, 1, 2, 3]) => Ok(None),
        Some([first, rest @ ..]) if rest.iter().all(|other| other == first) => Ok(Some(*first)),
        _ => Err(Diagnostic::new(span, "a predicate has one channel for all, or each its own")
            .help("write `p0` or `p0.x`")),
    }
}
