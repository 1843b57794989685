//! Declarations: inputs, samplers, constants with values, and which registers a shader uses.

use super::syntax::*;
use crate::program::{ConstantKind, Image, Literal, Name, NameKind, NamedSlot, UserConstant};
use ctm_base::text::{Diagnostic, Parsed, Span};
use ctm_isa::isa::{FLOAT_CONSTANTS, INPUTS};
use std::collections::{BTreeMap, BTreeSet};

/// Number of interpolants of the machine: TEXCOORD0 to TEXCOORD6.
const INTERPOLANTS: usize = 7;

/// The declarations and definitions of a shader.
#[derive(Default)]
pub(super) struct Declarations {
    /// Values of constants by `def`, `defi` and `defb`, as in [`Literal`].
    pub values: BTreeMap<(ConstantKind, usize), [u32; 4]>,
    inputs: [InputRegister; INPUT_REGISTERS],
    /// Moves at the start of the shader that copy interpolants to the shader's input registers.
    pub moves: Vec<Move>,
    samplers: BTreeSet<usize>,
    position: bool,
    /// Float constants that instructions name.
    named: BTreeSet<usize>,
    /// Whether instructions address float constants relative to aL.
    pub relative_floats: bool,
    /// Machine temporary of v0, for addresses relative to aL.
    pub first_input: u8,
    /// Machine temporary of r0.
    pub first_temp: u8,
    /// The first machine temporary that no register of the shader uses.
    pub scratch: u8,
}

/// An input register of a shader.
#[derive(Clone, Copy, Default)]
struct InputRegister {
    /// The interpolant of each channel; `None` for undeclared channels.
    channels: [Option<u8>; 4],
    /// The position of its first declaration.
    span: Span,
    /// Its machine temporary.
    temp: u8,
}

impl InputRegister {
    fn is_declared(&self) -> bool {
        self.channels != [None; 4]
    }

    /// The interpolant of each channel. Undeclared channels get the interpolant of the first
    /// declared channel.
    fn interpolants(&self) -> Option<[u8; 4]> {
        let lowest = *self.channels.iter().flatten().next()?;
        Some(self.channels.map(|channel| channel.unwrap_or(lowest)))
    }

    /// The interpolant of all channels, if they share one.
    fn whole(&self) -> Option<u8> {
        let channels = self.interpolants()?;
        (channels == [channels[0]; 4]).then_some(channels[0])
    }
}

/// A move of some channels from one machine temporary to another.
pub(super) struct Move {
    pub span: Span,
    pub to: u8,
    pub mask: u8,
    pub from: u8,
}

/// The machine temporary of an interpolant.
fn interpolant_temp(interpolant: u8) -> u8 {
    1 + interpolant
}

impl Declarations {
    /// Collects the declarations from all statements.
    pub fn of(statements: &[Statement]) -> (Declarations, Vec<Diagnostic>) {
        let mut declarations = Declarations::default();
        let mut errors = Vec::new();
        let mut temps = 0;
        let mut relative_inputs = false;
        for statement in statements {
            let result = match statement {
                Statement::Declare { span, what, operand } => {
                    declarations.declare(*span, *what, operand)
                }
                Statement::Define { span, file, operands } => {
                    declarations.define(*span, *file, operands)
                }
                Statement::Instruction(instruction) => {
                    for operand in &instruction.operands {
                        let Some(&RegisterUse { register, .. }) = operand.register() else {
                            continue;
                        };
                        match register.file {
                            File::Temp => temps = temps.max(register.index.saturating_add(1)),
                            File::Input => relative_inputs |= register.relative,
                            File::Float => {
                                declarations.relative_floats |= register.relative;
                                // Also the further rows of a matrix.
                                let index = register.index as usize;
                                declarations.named.extend(index..index.saturating_add(4));
                            }
                            _ => {}
                        }
                    }
                    Ok(())
                }
                Statement::End(_) => Ok(()),
            };
            errors.extend(result.err());
        }
        declarations.place_inputs(relative_inputs);
        declarations.scratch = declarations.first_temp + temps.min(TEMPS as u32) as u8;
        (declarations, errors)
    }

    /// Assigns a temporary to every input register. A register that is one whole interpolant uses
    /// the interpolant's temporary. Otherwise, or if relative addressing requires another order, it
    /// gets its own.
    fn place_inputs(&mut self, relative: bool) {
        let highest = self.inputs.iter().flat_map(|input| input.channels).flatten().max();
        let mut next = highest.map_or(1, |n| interpolant_temp(n) + 1);
        let in_order = |(n, input): (usize, &InputRegister)| {
            !input.is_declared() || input.whole().map(usize::from) == Some(n)
        };
        let ordered = self.inputs.iter().enumerate().all(in_order);
        if relative {
            self.first_input = if ordered { 1 } else { next };
            next = self.first_input + INPUT_REGISTERS as u8;
        }
        for (n, input) in self.inputs.iter_mut().enumerate() {
            let Some(channels) = input.interpolants() else {
                continue;
            };
            input.temp = match input.whole() {
                _ if relative => self.first_input + n as u8,
                Some(interpolant) => interpolant_temp(interpolant),
                None => {
                    next += 1;
                    next - 1
                }
            };
            for interpolant in 0..INTERPOLANTS as u8 {
                let mask = (0..4).filter(|&n| channels[n] == interpolant);
                let mask = mask.fold(0, |mask, n| mask | 1 << n);
                let from = interpolant_temp(interpolant);
                if mask != 0 && from != input.temp {
                    self.moves.push(Move { span: input.span, to: input.temp, mask, from });
                }
            }
        }
        self.first_temp = next;
    }

    /// The machine temporary of an input register.
    pub fn input_temp(&self, n: u8) -> u8 {
        self.inputs.get(usize::from(n)).map_or(0, |input| input.temp)
    }

    /// The shader's names of the temporaries that hold its registers.
    pub fn temporaries(&self) -> Vec<Name> {
        let declared = |(n, input): (usize, &InputRegister)| {
            input.is_declared().then(|| (input.temp, format!("v{n}")))
        };
        let inputs = self.inputs.iter().enumerate().filter_map(declared);
        let temps = (self.first_temp..self.scratch).zip(0..);
        inputs
            .chain(temps.map(|(temp, n): (u8, u32)| (temp, format!("r{n}"))))
            .map(|(temp, name)| Name { kind: NameKind::Temp, number: temp.into(), name })
            .collect()
    }

    /// Declares channels of an input register.
    fn declare_input(
        &mut self,
        found: &RegisterUse,
        texcoord: Option<u32>,
        span: Span,
        place: Span,
    ) -> Parsed<()> {
        let index = in_range(found, place)?;
        let mask = mask(found, place)?;
        let interpolant = texcoord.unwrap_or(index as u32);
        if interpolant as usize >= INTERPOLANTS {
            let last = INTERPOLANTS - 1;
            let number = match interpolant {
                u32::MAX => "this number".to_string(),
                number => format!("texcoord{number}"),
            };
            return Err(match texcoord {
                Some(_) => span.error(format!(
                        "{number} does not exist: there are {INTERPOLANTS} interpolants, texcoord0 to texcoord{last}"
                    )),
                None => place.error(format!("v{index} has no interpolant of its number: there are {INTERPOLANTS}, 0 to {last}"))
                .help(format!("name one: `dcl_texcoord0 v{index}`")),
            });
        }
        let input = &mut self.inputs[index];
        if !input.is_declared() {
            input.span = span;
        }
        for (n, channel) in input.channels.iter_mut().enumerate() {
            if mask >> n & 1 != 0 && channel.replace(interpolant as u8).is_some() {
                let letter = char::from(b"xyzw"[n]);
                return Err(place.error(format!("v{index}.{letter} is declared twice")));
            }
        }
        Ok(())
    }

    fn declare(&mut self, span: Span, what: Declared, operand: &Operand) -> Parsed<()> {
        let Value::Register(found) = &operand.value else {
            return Err(operand.span.error("expected a register to declare"));
        };
        if found.is_modified() {
            return Err(operand.span.error("a declaration names a register without modifiers"));
        }
        let Register { file, index, .. } = found.register;
        match (file, what) {
            (File::Sampler, Declared::Input(_)) => Err(span
                .error("a sampler is declared with its kind")
                .help(format!("write `dcl_2d s{index}`"))),
            (File::Sampler, Declared::SamplerOther) => Err(span
                .error("the machine's inputs have two dimensions")
                .help(format!("only `dcl_2d s{index}` can be compiled"))),
            (File::Sampler, Declared::Sampler2d) => {
                let index = in_range(found, operand.span)?;
                if found.swizzle.is_some() {
                    return Err(operand.span.error("a sampler is declared without channels"));
                }
                if !self.samplers.insert(index) {
                    return Err(operand.span.error(format!("s{index} is declared twice")));
                }
                Ok(())
            }
            (_, Declared::Sampler2d | Declared::SamplerOther) => {
                Err(operand.span.error(format!("{} is not a sampler", file.describe())))
            }
            (File::Input, Declared::Input(texcoord)) => {
                self.declare_input(found, texcoord, span, operand.span)
            }
            (File::Position, Declared::Input(_)) => {
                mask(found, operand.span)?;
                self.position = true;
                Ok(())
            }
            (File::Face, Declared::Input(_)) => Err(operand
                .span
                .error("vFace does not exist here: the machine has points, no faces")),
            _ => Err(operand.span.error(format!("{} is not declared", file.describe()))),
        }
    }

    fn define(&mut self, span: Span, file: File, operands: &[Operand]) -> Parsed<()> {
        let (first, values) = match operands {
            [first, values @ ..] if !values.is_empty() => (first, values),
            _ => return Err(span.error("expected a register and its value")),
        };
        let found = first
            .register_of(file)
            .ok_or_else(|| first.span.error(format!("expected {}", file.describe())))?;
        if found.is_modified() || found.swizzle.is_some() {
            return Err(first.span.error("a definition names a whole register"));
        }
        let index = in_range(found, first.span)?;
        let number = |operand: &Operand| match operand.value {
            Value::Number(value) => Ok(value),
            _ => Err(operand.span.error("expected a number")),
        };
        let mut value = [0; 4];
        let (kind, letter) = match file {
            File::Float => {
                for (bits, operand) in value.iter_mut().zip(values) {
                    *bits = number(operand)?.to_bits();
                }
                (ConstantKind::Float, 'c')
            }
            File::Int => {
                const RANGES: [(&str, i32, i32); 4] = [
                    ("count", 0, 255),
                    ("aL start", 0, 255),
                    ("aL step", -128, 127),
                    ("fourth value", i32::MIN, i32::MAX),
                ];
                for ((place, operand), (name, low, high)) in
                    value.iter_mut().zip(values).zip(RANGES)
                {
                    let value = number(operand)?;
                    if value.fract() != 0.0 || !(low as f32..=high as f32).contains(&value) {
                        return Err(operand.span.error(format!(
                            "the {name} is {value}; expected an integer from {low} to {high}"
                        )));
                    }
                    *place = value as i32 as u32;
                }
                // The fourth value has no effect, and the machine does not store it.
                value[3] = 0;
                (ConstantKind::Int, 'i')
            }
            _ => {
                value[0] = match values[0].value {
                    Value::Bool(value) => value.into(),
                    Value::Number(0.0) => 0,
                    Value::Number(1.0) => 1,
                    _ => return Err(values[0].span.error("expected true or false")),
                };
                (ConstantKind::Bool, 'b')
            }
        };
        match self.values.insert((kind, index), value) {
            None => Ok(()),
            Some(_) => Err(first.span.error(format!("{letter}{index} has a value already"))),
        }
    }

    /// Whether an input, sampler or the position has a declaration.
    pub fn is_declared(&self, register: Register) -> bool {
        let index = register.index as usize;
        match register.file {
            File::Input if register.relative => self.inputs.iter().any(InputRegister::is_declared),
            File::Input => self.inputs.get(index).is_some_and(InputRegister::is_declared),
            File::Sampler => self.samplers.contains(&index),
            File::Position => self.position,
            _ => true,
        }
    }

    /// The highest float constant that the shader neither names nor defines, for the compiler's own
    /// use; `None` if there is none.
    pub fn free_constant(&self) -> Option<u8> {
        let taken = |n: &usize| {
            self.named.contains(n) || self.values.contains_key(&(ConstantKind::Float, *n))
        };
        let free = (0..FLOAT_CONSTANTS).rev().find(|n| !taken(n))?;
        u8::try_from(free).ok()
    }

    /// Whether a float constant belongs to the shader's caller: instructions name it, and nothing defines it.
    fn is_given(&self, n: usize) -> bool {
        self.named.contains(&n) && self.value(ConstantKind::Float, n).is_none()
    }

    /// The float constants that belong to the shader's caller.
    pub fn given(&self) -> Vec<u8> {
        (0..=u8::MAX).filter(|n| self.is_given(usize::from(*n))).collect()
    }

    /// The value of a constant that has one.
    pub fn value(&self, kind: ConstantKind, n: usize) -> Option<[u32; 4]> {
        self.values.get(&(kind, n)).copied()
    }

    /// All values that belong to the program.
    pub fn literals(&self) -> Vec<Literal> {
        let literal = |(&(kind, addr), &value): (&(ConstantKind, usize), &[u32; 4])| Literal {
            kind,
            addr: addr as u32,
            value,
        };
        self.values.iter().map(literal).collect()
    }
}

/// The number of a register, checked against the machine's limit.
pub(super) fn in_range(found: &RegisterUse, span: Span) -> Parsed<usize> {
    let Register { file, index, .. } = found.register;
    let row = FILES.iter().find(|row| row.1 == file);
    let Some(&(letters, _, count @ 1.., _, what)) = row else { return Ok(index as usize) };
    if (index as usize) < count {
        return Ok(index as usize);
    }
    let number = match index {
        u32::MAX => "this number".to_string(),
        index => format!("{letters}{index}"),
    };
    Err(span.error(match count {
        1 => format!("{number} does not exist: there is one {what}, {letters}0"),
        _ => format!(
            "{number} does not exist: there are {count} {what}, {letters}0 to {letters}{}",
            count - 1
        ),
    }))
}

/// The channels of a destination: all, or the named ones, which must be in order.
pub(super) fn mask(found: &RegisterUse, span: Span) -> Parsed<u8> {
    let Some(channels) = &found.swizzle else {
        return Ok(15);
    };
    let mut mask = 0;
    for channel in channels {
        if mask >> channel != 0 {
            return Err(
                span.error("the channels written must be in the order xyzw, each at most once")
            );
        }
        mask |= 1 << channel;
    }
    Ok(mask)
}

/// Reads names and registers from the comment that the HLSL compiler writes before its output.
/// Below the line `Name Reg Size` it has one line for each constant and sampler.
pub(super) fn names(comments: &[&str], image: &mut Image) {
    let mut lines = comments.iter().map(|line| line.split_whitespace().collect::<Vec<_>>());
    while let Some(line) = lines.next() {
        if line != ["Name", "Reg", "Size"] {
            continue;
        }
        for line in lines.by_ref() {
            let [name, register, size] = line[..] else { break };
            if name.starts_with('-') {
                continue;
            }
            let Some((file, number)) = register.split_at_checked(1) else { break };
            let (Ok(addr), Ok(_)) = (number.parse::<u32>(), size.parse::<u32>()) else { break };
            let name = name.to_string();
            let kind = match file {
                "c" => ConstantKind::Float,
                "i" => ConstantKind::Int,
                "b" => ConstantKind::Bool,
                "s" if (addr as usize) < INPUTS => {
                    image.input_names.push(NamedSlot { name, slot: addr });
                    continue;
                }
                _ => continue,
            };
            if (addr as usize) < kind.count() {
                image.user_constants.push(UserConstant { name, kind, addr });
            }
        }
    }
}
