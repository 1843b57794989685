//! Turns one operand into the inputs of the units that read it: lanes, modifier, possible sources.

use super::diagnostics::{Diagnostic, Span};
use super::lower::Context;
use super::names::Register;
use super::numbers::{NoConstant, inline_code};
use super::parser::row;
use super::slots::Way;
use super::syntax::{Operand, PresubTerm, Value, Word};
use crate::isa::{ALPHA, FieldValue, Modifier, Presub, RGB, SWIZZLES, Source, Swizzle};

/// The position of a half: alone on its line, or in a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Whole,
    Rgb,
    Alpha,
}

/// The lanes that an operand feeds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    pub rgb: bool,
    pub alpha: bool,
    /// The written channels, if the operation works lane by lane. A swizzle may then have one
    /// letter for each of them.
    pub mask: Option<u8>,
    /// A scalar operand must name its channel.
    pub name_needed: bool,
}

impl Lanes {
    /// The number of lanes. Their order is that of a swizzle.
    fn count(&self) -> usize {
        3 * usize::from(self.rgb) + usize::from(self.alpha)
    }
    /// The list's entry for each lane. The list has one entry per lane, or one per written channel
    /// in channel order; the other lanes then get `unread`.
    fn spread<T: Copy>(&self, list: &[T], unread: T) -> Option<Vec<T>> {
        if list.len() == self.count() {
            return Some(list.to_vec());
        }
        let mask = self.mask.unwrap_or(0);
        if list.is_empty() || list.len() != mask.count_ones() as usize {
            return None;
        }
        let mut next = list.iter().copied();
        let bits = if self.rgb { 0..self.count() } else { 3..4 };
        Some(
            bits.map(|bit| match mask >> bit & 1 {
                1 => next.next().unwrap_or(unread),
                _ => unread,
            })
            .collect(),
        )
    }
}

/// A presubtract that an input reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct PresubUse {
    pub op: Presub,
    pub sources: [Option<Source>; 2],
}

/// An input of a unit whose source number is not assigned yet.
#[derive(Clone, Debug)]
pub(super) struct Input {
    pub span: Span,
    /// The unit to which it belongs.
    pub unit: usize,
    /// 0 A, 1 B, 2 C.
    pub index: usize,
    /// Three for the RGB unit; the alpha unit uses the first.
    pub lanes: [Swizzle; 3],
    pub modifier: Modifier,
    /// The possible sources; empty if it needs no register.
    pub ways: Vec<Way>,
    /// The swizzle of all lanes if the second way is chosen.
    pub alternative: Option<Swizzle>,
    /// The source number, if the source text fixes it.
    pub fixed: Option<usize>,
    /// The assigned source number.
    pub slot: Option<usize>,
    pub srcp: bool,
    pub presub: Option<PresubUse>,
}

impl Input {
    fn used_lanes(&self) -> &[Swizzle] {
        if self.unit == RGB { &self.lanes } else { &self.lanes[..1] }
    }
    /// Whether a lane reads the RGB side (0) or the alpha side (1) of its source.
    pub fn reads_side(&self, side: usize) -> bool {
        self.used_lanes().iter().any(|lane| match lane {
            Swizzle::R | Swizzle::G | Swizzle::B => side == 0,
            Swizzle::A => side == 1,
            _ => false,
        })
    }
    fn source_from(&mut self, source: Source) {
        let way = [0, 1].map(|side| self.reads_side(side).then_some(source));
        if way != [None; 2] {
            self.ways = vec![Way(way)];
        }
    }
}

/// The source address of a register that an operand can name.
pub(super) fn source(register: Register) -> Option<Source> {
    let (addr, constant, relative) = match register {
        Register::Temp(n, relative) => (n, false, relative),
        Register::Float(n, relative) => (n, true, relative),
        _ => return None,
    };
    Some(Source { addr, constant, relative })
}

/// The source address of an inline constant with this value, if there is one.
pub(super) fn inline(value: f32) -> Option<Source> {
    inline_code(value).map(|code| Source { addr: 0x80 | code, constant: false, relative: false })
}

/// The constant swizzle with this value, if there is one.
fn constant_lane(value: f32) -> Option<Swizzle> {
    [(0.0f32, Swizzle::Zero), (0.5, Swizzle::Half), (1.0, Swizzle::One)]
        .into_iter()
        .find(|(number, _)| number.to_bits() == value.to_bits())
        .map(|(_, swizzle)| swizzle)
}

/// The inputs that an operand becomes: one for each unit that reads it.
pub(super) fn build<'s>(
    context: &mut Context<'_, 's>,
    operand: &Operand<'s>,
    lanes: &Lanes,
    index: usize,
) -> Result<Vec<Input>, Diagnostic> {
    let mut modifier = operand.modifier;
    let mut srcp = false;
    let mut fixed = None;
    let mut presub = None;
    // The source of all inputs; literal and constant lanes are decided below.
    let mut sources: Option<Source> = None;
    let mut alternatives = false;
    let letters = match &operand.value {
        Value::Register(reference) => {
            let register = context.names.resolve(*reference, operand.span)?;
            match register {
                Register::Slot(n) => fixed = Some(n as usize),
                Register::Srcp => srcp = true,
                _ => match source(register) {
                    Some(found) => sources = Some(found),
                    None => return Err(not_an_operand(register, operand.span)),
                },
            }
            if lanes.name_needed && operand.swizzle.is_none() {
                return Err(Diagnostic::new(
                    operand.span,
                    "which channel? This operation works on one",
                )
                .help("add .r, .g, .b or .a"));
            }
            swizzle(operand, lanes)?
        }
        Value::Constants => {
            let letters = swizzle(operand, lanes)?;
            if letters.iter().any(|lane| lane.code() < 4) {
                return Err(Diagnostic::new(
                    operand.span,
                    "a swizzle without a register has only 0, h and 1",
                ));
            }
            letters
        }
        Value::Presub { op, source0, source1 } => {
            srcp = true;
            let first = term(context, *source0, operand.span)?;
            let second = match source1 {
                Some(term1) => Some(term(context, *term1, operand.span)?),
                None => None,
            };
            presub = Some(PresubUse { op: *op, sources: [Some(first), second] });
            if lanes.name_needed && operand.swizzle.is_none() {
                return Err(Diagnostic::new(
                    operand.span,
                    "which channel? This operation works on one",
                )
                .help("add .r, .g, .b or .a"));
            }
            swizzle(operand, lanes)?
        }
        Value::Number(value) if operand.swizzle.is_some() => {
            sources = Some(inline(*value).ok_or_else(|| {
                Diagnostic::new(
                    operand.span,
                    format!("{value} is not an inline constant, so it has no channels"),
                )
                .help("leave the swizzle out")
            })?);
            swizzle(operand, lanes)?
        }
        Value::Number(value) => {
            let magnitude = value.abs();
            if value.is_sign_negative() {
                modifier = match modifier {
                    Modifier::Nop => Modifier::Neg,
                    Modifier::Neg => Modifier::Nop,
                    other => other,
                };
            }
            let count = lanes.count();
            if let Some(lane) = constant_lane(magnitude) {
                vec![lane; count]
            } else if let Some(found) = inline(magnitude) {
                sources = Some(found);
                alternatives = true;
                let mut letters = vec![Swizzle::R; count];
                if lanes.alpha {
                    letters[count - 1] = Swizzle::A;
                }
                letters
            } else {
                let (addr, channels) = literal(context, &[magnitude.to_bits()], operand.span)?;
                sources = Some(addr);
                vec![channels[0]; count]
            }
        }
        Value::Vector(values) => {
            // An unread lane gets the number 0, which needs no register.
            let Some(values) = lanes.spread(values, 0.0) else {
                return Err(Diagnostic::new(
                    operand.span,
                    format!(
                        "a vector of {} numbers where {} lanes are read",
                        values.len(),
                        lanes.count()
                    ),
                ));
            };
            let stored: Vec<u32> = values
                .iter()
                .filter(|value| constant_lane(**value).is_none())
                .map(|value| value.to_bits())
                .collect();
            let mut letters = Vec::new();
            let mut channels = Vec::new();
            if !stored.is_empty() {
                let (addr, found) = literal(context, &stored, operand.span)?;
                sources = Some(addr);
                channels = found;
            }
            let mut next = channels.into_iter();
            for value in values {
                let lane = constant_lane(value).or_else(|| next.next());
                letters.push(lane.unwrap_or(Swizzle::Zero));
            }
            letters
        }
    };
    let make = |unit: usize, list: &[Swizzle]| {
        let mut input = Input {
            span: operand.span,
            unit,
            index,
            lanes: [list[0], *list.get(1).unwrap_or(&list[0]), *list.get(2).unwrap_or(&list[0])],
            modifier,
            ways: Vec::new(),
            alternative: None,
            fixed,
            slot: None,
            srcp,
            presub,
        };
        if let Some(source) = sources {
            input.source_from(source);
            if alternatives && let [way] = input.ways[..] {
                input.ways.push(Way([way.0[1], way.0[0]]));
                input.alternative = Some(if unit == RGB { Swizzle::A } else { Swizzle::R });
            }
        }
        input
    };
    let mut inputs = Vec::with_capacity(2);
    if lanes.rgb {
        inputs.push(make(RGB, &letters[..3]));
    }
    if lanes.alpha {
        inputs.push(make(ALPHA, &letters[letters.len() - 1..]));
    }
    Ok(inputs)
}

fn not_an_operand(register: Register, span: Span) -> Diagnostic {
    let error = Diagnostic::new(span, format!("{} cannot be an operand", register.describe()));
    match register {
        Register::Input(_) => error.help("fetch it first: `ld r1, i0[r0.rg]`"),
        Register::Predicate => error.help("predicates gate instructions: `(p.r) mov r1, r2`"),
        Register::AluResult | Register::Bool(_) => {
            error.help("use it in a condition: `if alu_result`")
        }
        Register::Int(_) => error.help("loops count with it: `loop n0`"),
        _ => error,
    }
}

fn term<'s>(
    context: &Context<'_, 's>,
    term: PresubTerm<'s>,
    span: Span,
) -> Result<Source, Diagnostic> {
    match term {
        PresubTerm::Number(value) => inline(value).ok_or_else(|| {
            Diagnostic::new(
                span,
                format!("{value} is not an inline constant, so it cannot be a term of a sum"),
            )
            .help("put it in a register first")
        }),
        PresubTerm::Register(reference) => {
            let register = context.names.resolve(reference, span)?;
            source(register).ok_or_else(|| not_an_operand(register, span))
        }
    }
}

/// A float constant of the program that holds these values, and the channel of each.
fn literal(
    context: &mut Context<'_, '_>,
    values: &[u32],
    span: Span,
) -> Result<(Source, Vec<Swizzle>), Diagnostic> {
    match context.pool.floats(values) {
        Ok((addr, channels)) => Ok((
            Source { addr, constant: true, relative: false },
            channels.into_iter().map(|channel| Swizzle::from_code(channel as u32)).collect(),
        )),
        Err(NoConstant::Taken) => Err(Diagnostic::new(
            span,
            "all 256 float constants are taken; there is none for this number",
        )),
        Err(NoConstant::Relative(free)) => {
            let mut numbers: Vec<String> = Vec::new();
            for value in values {
                let text = match f32::from_bits(*value) {
                    value if value.is_nan() => format!("{:#010x}", value.to_bits()),
                    value => value.to_string(),
                };
                if !numbers.contains(&text) {
                    numbers.push(text);
                }
            }
            let plural = if numbers.len() == 1 { "s" } else { "" };
            let error = Diagnostic::new(
                span,
                format!(
                    "{} need{plural} a float constant, but the program addresses constants relative to aL, so each of them may hold data",
                    numbers.join(", ")
                ),
            );
            Err(match free {
                Some(addr) => error.help(format!(
                    "choose a constant that holds no data: add a line `.literal c{addr} {}`",
                    numbers.join(" ")
                )),
                None => error,
            })
        }
    }
}

/// One letter per lane, from the operand's swizzle.
fn swizzle(operand: &Operand<'_>, lanes: &Lanes) -> Result<Vec<Swizzle>, Diagnostic> {
    let count = lanes.count();
    let Some(text) = operand.swizzle else {
        let identity = [Swizzle::R, Swizzle::G, Swizzle::B, Swizzle::A];
        return Ok(match (lanes.rgb, lanes.alpha) {
            (true, true) => identity.to_vec(),
            (true, false) => identity[..3].to_vec(),
            (false, _) => vec![Swizzle::A],
        });
    };
    let letters = letters(text)?;
    if letters.len() == 1 {
        return Ok(vec![letters[0]; count]);
    }
    if let Some(letters) = lanes.spread(&letters, Swizzle::Zero) {
        return Ok(letters);
    }
    let written = lanes.mask.unwrap_or(0).count_ones() as usize;
    let mut possible = vec![1, count];
    if written > 0 {
        possible.push(written);
    }
    possible.sort_unstable();
    possible.dedup();
    let possible: Vec<String> = possible.iter().map(usize::to_string).collect();
    Err(Diagnostic::new(
        text.span,
        format!(
            "`.{}` has {} letters; {} fit here",
            text.node,
            letters.len(),
            possible.join(" or ")
        ),
    ))
}

/// The letters of a swizzle, from the table.
fn letters(text: Word<'_>) -> Result<Vec<Swizzle>, Diagnostic> {
    let names: Vec<&str> = SWIZZLES.iter().map(|code| code.name).collect();
    text.node
        .chars()
        .map(|letter| {
            let mut buffer = [0; 4];
            row(SWIZZLES, letter.encode_utf8(&mut buffer))
                .map(|code| Swizzle::from_code(code.code as u32))
                .ok_or_else(|| {
                    Diagnostic::new(text.span, format!("`{letter}` is not a channel"))
                        .help(format!("the letters are {}", names.join(" ")))
                })
        })
        .collect()
}
