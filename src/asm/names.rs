//! Register names: built-in (`r3`, `c7`, `i0`, `o1`, `n2`, `b5`) and defined by the source.

use super::diagnostics::{Diagnostic, Span};
use super::syntax::{RegisterRef, Word};
use crate::isa::{BOOL_CONSTANTS, FLOAT_CONSTANTS, INPUTS, INT_CONSTANTS, OUTPUTS, TEMPORARIES};
use crate::program::ConstantKind;
use std::collections::HashMap;

/// The register that a name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Register {
    /// Temporary, and whether aL is added.
    Temp(u8, bool),
    /// Float constant, and whether aL is added.
    Float(u8, bool),
    /// Input.
    Input(u8),
    /// Output.
    Output(u8),
    /// Integer constant.
    Int(u8),
    /// Boolean constant.
    Bool(u8),
    /// The predicate bits.
    Predicate,
    /// The ALU result.
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
}

impl<'s> Names<'s> {
    /// Defines a name for a register.
    pub fn define(&mut self, name: Word<'s>, register: Register) -> Result<(), Diagnostic> {
        if let Some(found) = builtin(name.node, name.span).transpose() {
            found?;
            return Err(Diagnostic::new(
                name.span,
                format!("`{}` is a register already", name.node),
            ));
        }
        match self.own.insert(name.node, register) {
            None => Ok(()),
            Some(_) => Err(Diagnostic::new(
                name.span,
                format!("the name `{}` is defined twice", name.node),
            )),
        }
    }

    /// The register with this name.
    pub fn find(&self, name: &str, span: Span) -> Result<Register, Diagnostic> {
        if let Some(register) = self.own.get(name) {
            return Ok(*register);
        }
        match builtin(name, span)? {
            Some(register) => Ok(register),
            None => Err(Diagnostic::new(span, format!("unknown register `{name}`"))
                .label("neither a register nor a name of this source")),
        }
    }

    /// The register of a reference.
    pub fn resolve(&self, reference: RegisterRef<'s>, span: Span) -> Result<Register, Diagnostic> {
        match reference {
            RegisterRef::Name(name) => self.find(name, span),
            RegisterRef::Relative { file, offset } => {
                let (limit, what) = match file {
                    'r' => (TEMPORARIES, "temporary"),
                    _ => (FLOAT_CONSTANTS, "float constant"),
                };
                match u8::try_from(offset) {
                    Ok(n) if (n as usize) < limit && file == 'r' => Ok(Register::Temp(n, true)),
                    Ok(n) if (n as usize) < limit => Ok(Register::Float(n, true)),
                    _ => Err(out_of_range(span, what, &offset.to_string(), limit)),
                }
            }
        }
    }
}

fn out_of_range(span: Span, what: &str, n: &str, limit: usize) -> Diagnostic {
    Diagnostic::new(span, format!("there is no {what} {n}; the last one is {}", limit - 1))
}

/// The register files whose registers have a letter and a number as names.
pub(super) const FILES: &[(char, usize, &str)] = &[
    ('r', TEMPORARIES, "temporary"),
    ('c', FLOAT_CONSTANTS, "float constant"),
    ('i', INPUTS, "input"),
    ('o', OUTPUTS, "output"),
    ('n', INT_CONSTANTS, "integer constant"),
    ('b', BOOL_CONSTANTS, "boolean constant"),
];

/// The built-in register of this name, if there is one.
fn builtin(name: &str, span: Span) -> Result<Option<Register>, Diagnostic> {
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        "p" => return Ok(Some(Register::Predicate)),
        "w" => return Ok(Some(Register::W)),
        "_" => return Ok(Some(Register::Nothing)),
        "alu_result" => return Ok(Some(Register::AluResult)),
        "src0" => return Ok(Some(Register::Slot(0))),
        "src1" => return Ok(Some(Register::Slot(1))),
        "src2" => return Ok(Some(Register::Slot(2))),
        "srcp" => return Ok(Some(Register::Srcp)),
        _ => {}
    }
    let mut letters = lower.chars();
    let Some(file) = letters.next() else {
        return Ok(None);
    };
    let digits = letters.as_str();
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(None);
    }
    let Some(&(_, limit, what)) = FILES.iter().find(|(letter, ..)| *letter == file) else {
        return Ok(None);
    };
    let n = match digits.parse::<u32>() {
        Ok(n) if (n as usize) < limit => n as u8,
        _ => return Err(out_of_range(span, what, digits, limit)),
    };
    Ok(Some(match file {
        'r' => Register::Temp(n, false),
        'c' => Register::Float(n, false),
        'i' => Register::Input(n),
        'o' => Register::Output(n),
        'n' => Register::Int(n),
        _ => Register::Bool(n),
    }))
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
