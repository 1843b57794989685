//! Turns one operand into the inputs of the units that read it: lanes, modifier, possible sources.

use super::draft::Context;
use super::names::Register;
use super::numbers::{NoConstant, inline_code};
use super::operands;
use super::slots::Way;
use super::syntax::{Operand, Term, Value};
use ctm_base::text::{At, Parsed, Span};
use ctm_isa::isa::{ALPHA, FieldValue, Modifier, Presub, RGB, Source, Swizzle};

/// The bit of the alpha lane in a mask.
const ALPHA_BIT: usize = 3;

/// The position of a half: alone on its line, or in a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Position {
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
    /// The list's entry for each lane, and `unread` after them. The list has one entry per lane, or one per written
    /// channel in channel order; the other lanes then get `unread`, too.
    fn spread<T: Copy>(&self, list: &[T], unread: T) -> Option<[T; 4]> {
        let (count, mask) = (self.count(), self.mask.unwrap_or(0));
        let all = list.len() == count;
        if !all && (list.is_empty() || list.len() != mask.count_ones() as usize) {
            return None;
        }
        let mut next = list.iter().copied();
        let first = if self.rgb { 0 } else { ALPHA_BIT };
        Some(std::array::from_fn(|lane| {
            let read = lane < count && (all || mask >> (first + lane) & 1 != 0);
            if read { next.next().unwrap_or(unread) } else { unread }
        }))
    }
}

/// An input of a unit whose source number may not be assigned yet.
#[derive(Clone, Debug)]
pub(super) struct Input {
    pub span: Span,
    /// [`RGB`] or [`ALPHA`].
    pub unit: usize,
    /// 0 A, 1 B, 2 C.
    pub index: usize,
    /// Three for the RGB unit; the alpha unit uses the first.
    pub lanes: [Swizzle; 3],
    pub modifier: Modifier,
    /// The possible sources, of which the first `choices` count. The second one is for the other unit's lane.
    ways: [Way; 2],
    /// 0 if it needs no register.
    choices: usize,
    /// The source number, if the source text fixes it or once it is assigned.
    pub slot: Option<usize>,
    pub srcp: bool,
    /// The sum that it reads.
    pub presub: Option<(Presub, [Option<Source>; 2])>,
}

impl Input {
    /// The possible sources; empty if it needs no register.
    pub fn ways(&self) -> &[Way] {
        &self.ways[..self.choices]
    }
    /// Whether a lane reads the RGB side (0) or the alpha side (1) of its source.
    pub fn reads_side(&self, side: usize) -> bool {
        let count = if self.unit == RGB { 3 } else { 1 };
        self.lanes[..count].iter().any(|lane| match lane {
            Swizzle::R | Swizzle::G | Swizzle::B => side == 0,
            Swizzle::A => side == 1,
            _ => false,
        })
    }
}

/// The source address of a register that an operand can name.
pub(super) fn source(register: Register) -> Option<Source> {
    let (addr, constant, relative) = match register {
        Register::Temp(n, relative) => (n, false, relative),
        Register::Global(n, _) => (n, false, true),
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
pub(crate) fn constant_lane(value: f32) -> Option<Swizzle> {
    [(0.0f32, Swizzle::Zero), (0.5, Swizzle::Half), (1.0, Swizzle::One)]
        .into_iter()
        .find(|(number, _)| number.to_bits() == value.to_bits())
        .map(|(_, swizzle)| swizzle)
}

/// Adds the inputs that an operand becomes: one for each unit that reads it.
pub(super) fn build<'s>(
    context: &mut Context<'_, 's>,
    operand: &Operand<'s>,
    lanes: &Lanes,
    index: usize,
    inputs: &mut Vec<Input>,
) -> Parsed<()> {
    let count = lanes.count();
    let mut modifier = operand.modifier;
    let mut srcp = false;
    let mut slot = None;
    let mut presub = None;
    // The source of all inputs; literal and constant lanes are decided below.
    let mut source: Option<Source> = None;
    let mut alternatives = false;
    let letters = match &operand.value {
        Value::Term(Term::Register(reference)) => {
            let register = context.names.resolve(At::new(*reference, operand.span))?;
            match register {
                Register::Slot(n) => slot = Some(n as usize),
                Register::Srcp => srcp = true,
                _ => source = Some(readable(register, operand.span)?),
            }
            named_channel(operand, lanes)?
        }
        Value::Constants => {
            let letters = swizzle(operand, lanes)?;
            if letters[..count].iter().any(|lane| lane.code() < 4) {
                return Err(operand.span.error("a swizzle without a register has only 0, h and 1"));
            }
            letters
        }
        Value::Presub(op, terms) => {
            srcp = true;
            let mut sources = [None; 2];
            for (source, found) in sources.iter_mut().zip(terms) {
                *source = found.map(|found| term(context, found, operand.span)).transpose()?;
            }
            presub = Some((*op, sources));
            named_channel(operand, lanes)?
        }
        Value::Term(Term::Number(value)) if operand.swizzle.is_some() => {
            source = Some(inline(*value).ok_or_else(|| {
                operand
                    .span
                    .error(format!("{value} is not an inline constant, so it has no channels"))
                    .help("leave the swizzle out")
            })?);
            swizzle(operand, lanes)?
        }
        Value::Term(Term::Number(value)) => {
            let magnitude = value.abs();
            if value.is_sign_negative() {
                modifier = match modifier {
                    Modifier::Nop => Modifier::Neg,
                    Modifier::Neg => Modifier::Nop,
                    other => other,
                };
            }
            if let Some(lane) = constant_lane(magnitude) {
                [lane; 4]
            } else if let Some(found) = inline(magnitude) {
                source = Some(found);
                alternatives = true;
                let mut letters = [Swizzle::R; 4];
                if lanes.alpha {
                    letters[count - 1] = Swizzle::A;
                }
                letters
            } else {
                let (addr, channels) = literal(context, &[magnitude.to_bits()], operand.span)?;
                source = Some(addr);
                [channels[0]; 4]
            }
        }
        Value::Vector(values) => {
            // An unread lane gets the number 0, which needs no register.
            let Some(values) = lanes.spread(values, 0.0) else {
                return Err(operand.span.error(format!(
                    "a vector of {} numbers where {} lanes are read",
                    values.len(),
                    count
                )));
            };
            let values = &values[..count];
            let known = values.iter().map(|value| constant_lane(*value));
            let stored = values.iter().zip(known.clone()).filter(|(_, lane)| lane.is_none());
            let stored: Vec<u32> = stored.map(|(value, _)| value.to_bits()).collect();
            let mut channels = Vec::new();
            if !stored.is_empty() {
                let (found, lanes) = literal(context, &stored, operand.span)?;
                source = Some(found);
                channels = lanes;
            }
            let mut next = channels.into_iter();
            let mut letters = [Swizzle::Zero; 4];
            for (letter, lane) in letters.iter_mut().zip(known) {
                *letter = lane.or_else(|| next.next()).unwrap_or(Swizzle::Zero);
            }
            letters
        }
    };
    let mut make = |unit: usize, list: &[Swizzle]| {
        let mut input = Input {
            span: operand.span,
            unit,
            index,
            lanes: std::array::from_fn(|n| *list.get(n).unwrap_or(&list[0])),
            modifier,
            ways: Default::default(),
            choices: 0,
            slot,
            srcp,
            presub,
        };
        let way: Way = [0, 1].map(|side| source.filter(|_| input.reads_side(side)));
        if way != [None, None] {
            input.ways = [way, [way[1], way[0]]];
            input.choices = 1 + usize::from(alternatives);
        }
        inputs.push(input);
    };
    if lanes.rgb {
        make(RGB, &letters[..3]);
    }
    if lanes.alpha {
        make(ALPHA, &letters[count - 1..count]);
    }
    Ok(())
}

/// The source address of a register of an operand.
fn readable(register: Register, span: Span) -> Parsed<Source> {
    if let Some(source) = source(register) {
        return Ok(source);
    }
    let error = span.error(format!("{} cannot be an operand", register.describe()));
    Err(match register {
        Register::Input(_) => error.help("fetch it first: `ld r1, i0[r0.rg]`"),
        Register::Predicate => error.help("predicates gate instructions: `(p.r) mov r1, r2`"),
        Register::AluResult | Register::Bool(_) => {
            error.help("use it in a condition: `if alu_result`")
        }
        Register::Int(_) => error.help("loops count with it: `loop n0`"),
        _ => error,
    })
}

fn term<'s>(context: &Context<'_, 's>, term: Term<'s>, span: Span) -> Parsed<Source> {
    match term {
        Term::Number(value) => inline(value).ok_or_else(|| {
            span.error(format!(
                "{value} is not an inline constant, so it cannot be a term of a sum"
            ))
            .help("put it in a register first")
        }),
        Term::Register(reference) => {
            readable(context.names.resolve(At::new(reference, span))?, span)
        }
    }
}

/// A float constant of the program that holds these values, and the channel of each.
fn literal(
    context: &mut Context<'_, '_>,
    values: &[u32],
    span: Span,
) -> Parsed<(Source, Vec<Swizzle>)> {
    match context.pool.floats(values) {
        Ok((addr, channels)) => Ok((
            Source { addr, constant: true, relative: false },
            channels.into_iter().map(|channel| Swizzle::from_code(channel as u32)).collect(),
        )),
        Err(NoConstant::Taken) => {
            Err(span.error("all 256 float constants are taken; there is none for this number"))
        }
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
            let error = span.error(format!(
                    "{} need{plural} a float constant, but the program addresses constants relative to aL, so each of them may hold data",
                    numbers.join(", ")
                ));
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

/// [`swizzle`] of an operand; a scalar operand must have one.
fn named_channel(operand: &Operand<'_>, lanes: &Lanes) -> Parsed<[Swizzle; 4]> {
    if lanes.name_needed && operand.swizzle.is_none() {
        return Err(operand
            .span
            .error("which channel? This operation works on one")
            .help("add .r, .g, .b or .a"));
    }
    swizzle(operand, lanes)
}

/// One letter per lane, from the operand's swizzle; any letters after them.
fn swizzle(operand: &Operand<'_>, lanes: &Lanes) -> Parsed<[Swizzle; 4]> {
    let Some(At { node: letters, span }) = &operand.swizzle else {
        let identity = [Swizzle::R, Swizzle::G, Swizzle::B, Swizzle::A];
        return Ok(if lanes.rgb { identity } else { [Swizzle::A; 4] });
    };
    if let [letter] = letters[..] {
        return Ok([letter; 4]);
    }
    if let Some(letters) = lanes.spread(letters, Swizzle::Zero) {
        return Ok(letters);
    }
    let written = lanes.mask.unwrap_or(0).count_ones() as usize;
    let mut possible = vec![1, lanes.count()];
    if written > 0 {
        possible.push(written);
    }
    possible.sort_unstable();
    possible.dedup();
    let possible: Vec<String> = possible.iter().map(usize::to_string).collect();
    Err(span.error(format!(
        "`.{}` has {} letters; {} fit here",
        operands::letters(letters),
        letters.len(),
        possible.join(" or ")
    )))
}
