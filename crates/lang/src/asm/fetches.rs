//! Turns fetches into TEX instructions.

use super::draft::Context;
use super::names::{Register, mask};
use super::syntax::{self, Fetch};
use ctm_base::text::{At, Parsed};
use ctm_isa::isa::{Body, Channel, Coordinate, Instruction, Type};

/// Each channel selects itself.
pub(super) const IDENTITY: [Channel; 4] = [Channel::R, Channel::G, Channel::B, Channel::A];

/// The instruction of a fetch, without gates and flags.
pub(super) fn encode<'s>(context: &Context<'_, 's>, fetch: &Fetch<'s>) -> Parsed<Instruction> {
    let mut instruction = Instruction::blank(Type::Tex);
    let Body::Tex(tex) = &mut instruction.body else {
        return Ok(instruction);
    };
    tex.op = fetch.op;
    let Some((first, gradients)) = fetch.coordinates.split_first() else {
        return Ok(instruction);
    };
    tex.unscaled = fetch.unscaled;
    tex.dest_swizzle = IDENTITY;
    tex.src = coordinate(context, first)?;
    if let [dx, dy] = gradients {
        (tex.dx, tex.dy) = (coordinate(context, dx)?, coordinate(context, dy)?);
    }
    if let Some(At { node, span }) = fetch.input {
        tex.input = match context.names.find(node, span)? {
            Register::Input(n) => n,
            other => return Err(span.error(format!("{} is not an input", other.describe()))),
        };
    }
    if let Some(destination) = &fetch.destination {
        let mut channels = destination.mask.map_or(Ok(15), mask)?;
        match context.names.resolve(destination.register)? {
            Register::Temp(addr, relative) => (tex.dest, tex.dest_rel) = (addr, relative),
            Register::Nothing => channels = 0,
            other => {
                let span = destination.register.span;
                return Err(span
                    .error(format!("{} cannot receive a fetch", other.describe()))
                    .help("fetch into a temporary"));
            }
        }
        if let Some(comparison) = destination.comparison {
            return Err(comparison.span.error("a fetch makes no comparison"));
        }
        if let Some(text) = &fetch.swizzle {
            tex.dest_swizzle = result_swizzle(text, channels)?;
        }
        instruction.common.wmask = channels;
    }
    Ok(instruction)
}

fn coordinate<'s>(
    context: &Context<'_, 's>,
    coordinate: &syntax::Coordinate<'s>,
) -> Parsed<Coordinate> {
    let (addr, relative) = match context.names.resolve(coordinate.register)? {
        Register::Temp(addr, relative) => (addr, relative),
        other => {
            let span = coordinate.register.span;
            return Err(span
                .error(format!("{} cannot be a coordinate", other.describe()))
                .help("coordinates come from temporaries; move it to one first"));
        }
    };
    // The last letter is repeated for missing channels.
    let swizzle = coordinate.swizzle.as_ref().map_or(IDENTITY, |At { node: letters, .. }| {
        std::array::from_fn(|n| letters[n.min(letters.len() - 1)])
    });
    Ok(Coordinate { addr, relative, swizzle })
}

/// The swizzle of the fetched value: four letters, one for all, or one per written channel.
fn result_swizzle(At { node: letters, span }: &At<Vec<Channel>>, mask: u8) -> Parsed<[Channel; 4]> {
    let written = mask.count_ones() as usize;
    let mut next = letters.iter().copied();
    match letters.len() {
        1 => Ok([letters[0]; 4]),
        4 => Ok(std::array::from_fn(|n| letters[n])),
        count if count == written => Ok(std::array::from_fn(|n| match mask >> n & 1 {
            1 => next.next().unwrap_or(IDENTITY[n]),
            _ => IDENTITY[n],
        })),
        count => {
            let text: String = letters.iter().map(|channel| channel.name()).collect();
            Err(span.error(format!(
                "`.{text}` has {count} letters; 1, 4 or one for each of the {written} channels written fit here"
            )))
        }
    }
}
