//! Operands of instructions: maps the registers that they read and write to the machine's.

use super::declare::{in_range, mask};
use super::expand::Expander;
use super::steps::{Base, Dest, Source, Target};
use super::syntax::{File, Operand, Register, Value};
use crate::program::ConstantKind;
use ctm_base::text::{Parsed, Span};

impl Expander {
    /// An operand that is read.
    pub fn source(&self, operand: &Operand) -> Parsed<Source> {
        let Value::Register(found) = &operand.value else {
            return Err(operand
                .span
                .error("expected a register, found a number")
                .help("define a constant: `def c0, 1, 2, 3, 4`"));
        };
        let register = found.register;
        if found.not {
            return Err(operand.span.error("`!` belongs to predicates and boolean constants"));
        }
        let base = match register.file {
            File::Temp | File::Float | File::Input | File::Position => {
                let n = in_range(found, operand.span)?;
                self.declared(register, operand.span)?;
                if register.relative {
                    self.structure.needs_loop_counter(operand.span)?;
                }
                self.base(register.file, n as u8, register.relative)
            }
            File::Face => {
                return Err(operand
                    .span
                    .error("vFace does not exist here: the machine has points, no faces"));
            }
            file => {
                return Err(operand.span.error(format!("{} cannot be read here", file.describe())));
            }
        };
        Ok(Source { base, swizzle: found.lanes(), negate: found.negate, abs: found.abs })
    }

    fn base(&self, file: File, n: u8, relative: bool) -> Base {
        match (file, relative) {
            (File::Temp, _) => Base::Temp(self.declarations.first_temp + n),
            (File::Input, true) => Base::TempRelative(self.declarations.first_input + n),
            (File::Input, false) => Base::Temp(self.declarations.input_temp(n)),
            (File::Float, true) => Base::ConstantRelative(n),
            (File::Float, false) => match self.declarations.value(ConstantKind::Float, n.into()) {
                Some(values) => Base::Defined(n, values),
                None => Base::Constant(n),
            },
            // The position is temporary 0.
            _ => Base::Temp(0),
        }
    }

    pub fn declared(&self, register: Register, span: Span) -> Parsed<()> {
        if self.declarations.is_declared(register) {
            return Ok(());
        }
        let n = register.index;
        let (name, how) = match register.file {
            File::Sampler => (format!("s{n}"), format!("dcl_2d s{n}")),
            File::Position => ("vPos".to_string(), "dcl vPos.xy".to_string()),
            _ if register.relative => ("no input".to_string(), "dcl_texcoord0 v0".to_string()),
            _ => (format!("v{n}"), format!("dcl_texcoord{} v{n}", n.min(6))),
        };
        let message = if register.relative {
            format!("{name} is declared")
        } else {
            format!("{name} is not declared")
        };
        Err(span.error(message).help(format!("add `{how}`")))
    }

    /// A source with one channel read.
    pub fn one_channel(&self, operand: &Operand) -> Parsed<Source> {
        let source = self.source(operand)?;
        let first = source.swizzle[0];
        if source.swizzle.iter().any(|channel| *channel != first) {
            return Err(operand
                .span
                .error("which channel? This operand is one number")
                .help("add .x, .y, .z or .w"));
        }
        Ok(source)
    }

    /// An operand that is written.
    pub fn dest(&self, operand: &Operand) -> Parsed<Dest> {
        let Value::Register(found) = &operand.value else {
            return Err(operand.span.error("expected a register that is written"));
        };
        if found.is_modified() {
            return Err(operand.span.error("a register that is written has no modifiers"));
        }
        let n = in_range(found, operand.span)? as u8;
        let target = match found.register.file {
            File::Temp => Target::Temp(self.declarations.first_temp + n),
            File::Color => Target::Output(n),
            File::Depth => {
                if !matches!(found.swizzle.as_deref(), None | Some([0])) {
                    return Err(operand
                        .span
                        .error("oDepth is one number")
                        .help("write it without channels"));
                }
                return Ok(Dest::new(Target::Depth, 1));
            }
            file => {
                return Err(operand
                    .span
                    .error(format!("{} cannot be written", file.describe()))
                    .help("temporaries, oC0 to oC3 and oDepth are written"));
            }
        };
        Ok(Dest::new(target, mask(found, operand.span)?))
    }
}
