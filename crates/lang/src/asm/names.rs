//! Register names: built-in (`r3`, `c7`, `i0`, `o1`, `n2`, `b5`) and defined by the source.

use super::hints;
use super::mnemonics::named;
use super::syntax::RegisterRef;
use crate::program::{ConstantKind, Image, Name, NameKind, Sharing};
use ctm_base::text::{At, Diagnostic, Parsed, Span};
use ctm_isa::isa::{
    BOOL_CONSTANTS, FLOAT_CONSTANTS, INPUTS, INT_CONSTANTS, IndexMode, LETTERS, OUTPUTS, PRED_SELS,
    PredSel, TEMPORARIES,
};
use std::cell::Cell;
use std::collections::HashMap;

/// The predicate with these letters: one selects one bit, none (or rgba) each channel's own.
pub(super) fn predicate(letters: Option<&str>, span: Span) -> Parsed<PredSel> {
    let text = letters.unwrap_or("RGBA");
    // One bit is replicated; its name in the table is the letter four times.
    let name = if text.len() == 1 { text.repeat(4) } else { text.to_string() };
    named(PRED_SELS, &name).filter(|sel| *sel != PredSel::None).ok_or_else(|| {
        span.error(format!("there is no predicate `.{text}`"))
            .help("write p (each channel by its own bit), p.r, p.g, p.b or p.a")
    })
}

/// The register that a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Register {
    /// Temporary, and whether aL is added.
    Temp(u8, bool),
    /// Global register, and whether AR.X is added.
    Global(u8, bool),
    /// Float constant, and whether aL is added.
    Float(u8, bool),
    Input(u8),
    Output(u8),
    /// Integer constant.
    Int(u8),
    /// Boolean constant.
    Bool(u8),
    /// The predicate bits.
    Predicate,
    AluResult,
    /// The conditional output.
    W,
    /// `_`: no destination.
    Nothing,
    /// Source address 0 to 2 of both units, whatever it contains.
    Slot(u8),
    /// The presubtract result.
    Srcp,
}

impl Register {
    /// The kind of the register, for messages.
    pub fn describe(self) -> &'static str {
        match self {
            Register::Temp(..) => "a temporary",
            Register::Global(..) => "a global register",
            Register::Float(..) => "a float constant",
            Register::Input(_) => "an input",
            Register::Output(_) => "an output",
            Register::Int(_) => "an integer constant",
            Register::Bool(_) => "a boolean constant",
            Register::Predicate => "the predicate",
            Register::AluResult => "the ALU result",
            Register::W => "the conditional output",
            Register::Nothing => "`_`",
            Register::Slot(_) | Register::Srcp => "a source slot",
        }
    }
}

/// The names that a source defines.
#[derive(Default)]
pub(super) struct Names<'s> {
    own: HashMap<&'s str, Register>,
    /// The shared registers, if the program uses data sharing.
    pub sharing: Option<Sharing>,
    /// The uses of REL in the statement being read.
    pub relative: Cell<Relative>,
}

/// The uses of REL by the registers of a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Relative {
    /// A temporary adds aL.
    al: bool,
    /// A global register, without and with AR.X.
    global: [bool; 2],
}

impl Relative {
    /// The index mode that the statement needs.
    pub fn mode(self, span: Span) -> Parsed<IndexMode> {
        match (self.global, self.al) {
            ([false, false], _) => Ok(IndexMode::Plain),
            ([true, false], false) => Ok(IndexMode::Global),
            ([false, true], false) => Ok(IndexMode::GlobalArX),
            ([true, true], _) => Err(span
                .error("an instruction adds AR.X to all its global registers or to none")
                .help("split it in two")),
            (_, true) => Err(span
                .error("an instruction with a global register cannot add aL to a temporary")
                .help("split it in two")),
        }
    }
}

impl<'s> Names<'s> {
    /// Defines a name for a register.
    pub fn define(&mut self, name: At<&'s str>, register: Register) -> Parsed<()> {
        let At { node: text, span } = name;
        let taken = self.builtin(text, span)?.is_some();
        // The name counts all the same, so that its uses cause no further errors.
        match self.own.insert(text, register) {
            _ if taken => {
                let error = span.error(format!("`{text}` is a register already"));
                Err(error.help("choose another name"))
            }
            None => Ok(()),
            Some(_) => Err(span.error(format!("the name `{text}` is defined twice"))),
        }
    }

    /// The names of temporaries, and of constants that the image does not name.
    pub fn temporaries_and_literals(&self, image: &Image) -> Vec<Name> {
        let name = |(name, register): (&&str, &Register)| {
            let (kind, number) = match (*register, constant(*register)) {
                (Register::Temp(n, _), _) => (NameKind::Temp, n.into()),
                (_, Some((kind, addr))) => (kind.into(), addr),
                _ => return None,
            };
            let known = image.user_constants.iter().any(|constant| constant.name == **name);
            (!known).then(|| Name { kind, number, name: name.to_string() })
        };
        self.own.iter().filter_map(name).collect()
    }

    /// The register with this name, if there is one.
    pub fn lookup(&self, name: &str, span: Span) -> Parsed<Option<Register>> {
        match self.own.get(name) {
            Some(register) => Ok(Some(*register)),
            None => self.builtin(name, span),
        }
    }

    /// The built-in register of this name, if there is one.
    fn builtin(&self, name: &str, span: Span) -> Parsed<Option<Register>> {
        let Some(sharing) = self.sharing else { return builtin(name, span) };
        let lower = name.to_ascii_lowercase();
        let number = |file: &str, count: usize, what: &str| {
            let digits = lower.strip_prefix(file)?;
            let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
            is_number.then(|| match digits.parse::<usize>() {
                Ok(n) if n < count => Ok(n),
                _ => Err(span
                    .error(format!("there is no {what} {digits}; the program has {count}"))
                    .help("`.sharing global=4 clause=2` says how many there are")),
            })
        };
        let (clauses, first) = (sharing.clauses(), sharing.first_clause());
        if let Some(n) = number("g", sharing.globals(), "global register") {
            return n.map(|n| Some(Register::Global(n as u8, false)));
        }
        match number("ct", clauses, "clause temporary") {
            Some(n) => n.map(|n| Some(Register::Temp((first + n) as u8, false))),
            None => builtin(name, span),
        }
    }

    /// The register with this name.
    pub fn find(&self, name: &str, span: Span) -> Parsed<Register> {
        self.lookup(name, span)?.ok_or_else(|| {
            let error = span.error(format!("unknown register `{name}`"));
            let error = error.label("neither a register nor a name of this source");
            Diagnostic { help: hints::register(name), ..error }
        })
    }

    /// The register of a reference.
    pub fn resolve(&self, reference: At<RegisterRef<'s>>) -> Parsed<Register> {
        let span = reference.span;
        let register = self.find_reference(reference.node, span)?;
        let mut relative = self.relative.get();
        match register {
            Register::Temp(_, true) => relative.al = true,
            Register::Global(_, ar_x) => relative.global[usize::from(ar_x)] = true,
            _ => {}
        }
        self.relative.set(relative);
        Ok(register)
    }

    fn find_reference(&self, reference: RegisterRef<'s>, span: Span) -> Parsed<Register> {
        match reference {
            RegisterRef::Name(name) => self.find(name, span),
            // With AR.X, any number can be that of a register.
            RegisterRef::Relative { file: 'g', offset } => match (self.sharing, offset) {
                (None, _) => Err(span
                    .error("global registers need data sharing")
                    .help("`.sharing global=4` gives the program four of them")),
                (_, 0..128) => Ok(Register::Global(offset as u8, true)),
                _ => Err(span.error(format!("{offset} is too large; the largest offset is 127"))),
            },
            RegisterRef::Relative { file, offset } => {
                Ok(match self.find(&format!("{file}{offset}"), span)? {
                    Register::Temp(n, _) => Register::Temp(n, true),
                    Register::Float(n, _) => Register::Float(n, true),
                    other => other,
                })
            }
        }
    }
}

/// A register file: its letter, the number of its registers, what they are, and the register of a number.
type File = (char, usize, &'static str, fn(u8) -> Register);

/// The register files whose registers have a letter and a number as names.
pub(super) const FILES: &[File] = &[
    ('r', TEMPORARIES, "temporary", |n| Register::Temp(n, false)),
    ('c', FLOAT_CONSTANTS, "float constant", |n| Register::Float(n, false)),
    ('i', INPUTS, "input", Register::Input),
    ('o', OUTPUTS, "output", Register::Output),
    ('n', INT_CONSTANTS, "integer constant", Register::Int),
    ('b', BOOL_CONSTANTS, "boolean constant", Register::Bool),
];

/// The registers whose names are words.
const WORDS: [(&str, Register); 8] = [
    ("p", Register::Predicate),
    ("w", Register::W),
    ("_", Register::Nothing),
    ("alu_result", Register::AluResult),
    ("src0", Register::Slot(0)),
    ("src1", Register::Slot(1)),
    ("src2", Register::Slot(2)),
    ("srcp", Register::Srcp),
];

/// The built-in register of this name, if there is one.
fn builtin(name: &str, span: Span) -> Parsed<Option<Register>> {
    if let Some((_, register)) = WORDS.iter().find(|(word, _)| name.eq_ignore_ascii_case(word)) {
        return Ok(Some(*register));
    }
    let (letter, digits) = name.split_at_checked(1).unwrap_or_default();
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let file = |file: &&File| letter.starts_with(|c: char| c.eq_ignore_ascii_case(&file.0));
    let file = FILES.iter().find(file).filter(|_| is_number);
    let Some((_, limit, what, register)) = file else { return Ok(None) };
    match digits.parse::<usize>() {
        Ok(n) if n < *limit => Ok(Some(register(n as u8))),
        _ => {
            let last = limit - 1;
            Err(span.error(format!("there is no {what} {digits}; the last one is {last}")))
        }
    }
}

/// The channels of a mask, bit 0 R to bit 3 A; `_` has none.
pub(super) fn mask(text: At<&str>) -> Parsed<u8> {
    let At { node, span } = text;
    let mut mask = 0;
    for letter in node.chars().filter(|_| node != "_") {
        let channel = LETTERS.iter().position(|name| letter.eq_ignore_ascii_case(name));
        let channel = channel.ok_or_else(|| {
            let all = || "a mask has letters of rgba, in this order, or is `_`".to_string();
            let error = span.error(format!("`{letter}` is not a channel of a mask"));
            error.help(hints::channels(node).unwrap_or_else(all))
        })?;
        if mask >> channel != 0 {
            let wrong = "the letters of a mask must be in the order rgba, each at most once";
            return Err(span.error(wrong));
        }
        mask |= 1 << channel;
    }
    Ok(mask)
}

/// The kind and number of a constant register; `None` for other registers.
pub(super) fn constant(register: Register) -> Option<(ConstantKind, u32)> {
    match register {
        Register::Float(n, false) => Some((ConstantKind::Float, n as u32)),
        Register::Int(n) => Some((ConstantKind::Int, n as u32)),
        Register::Bool(n) => Some((ConstantKind::Bool, n as u32)),
        _ => None,
    }
}
