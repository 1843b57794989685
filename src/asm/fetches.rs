//! Lowers TEX statements.

use super::destinations;
use super::diagnostics::Diagnostic;
use super::lower::Context;
use super::names::Register;
use super::parser::row;
use super::syntax::{Coordinate, Fetch, Word};
use crate::isa::{self, Body, CHANNELS, Channel, FieldValue, Instruction, TEX_OPS, TexOp, Type};

/// Each channel selects itself.
pub(super) const IDENTITY: [Channel; 4] = [Channel::R, Channel::G, Channel::B, Channel::A];

/// The instruction of a fetch, without gates and flags.
pub(super) fn lower<'s>(
    context: &mut Context<'_, 's>,
    fetch: &Fetch<'s>,
) -> Result<Instruction, Diagnostic> {
    let mut instruction = Instruction::blank(Type::Tex);
    let Body::Tex(tex) = &mut instruction.body else {
        return Ok(instruction);
    };
    tex.op = TexOp::from_code(row(TEX_OPS, fetch.op.node).map_or(0, |code| code.code as u32));
    if fetch.coordinates.is_empty() {
        return Ok(instruction);
    }
    tex.unscaled = fetch.unscaled;
    tex.dest_swizzle = IDENTITY;
    tex.src = coordinate(context, &fetch.coordinates[0])?;
    if let [_, dx, dy] = fetch.coordinates.as_slice() {
        tex.dx = coordinate(context, dx)?;
        tex.dy = coordinate(context, dy)?;
    }
    if let Some(name) = fetch.input {
        tex.input = match context.names.find(name.node, name.span)? {
            Register::Input(n) => n,
            other => {
                return Err(Diagnostic::new(
                    name.span,
                    format!("{} is not an input", other.describe()),
                ));
            }
        };
    }
    if let Some(destination) = &fetch.destination {
        let span = destination.register.span;
        let channels = destination.mask.map_or(Ok(15), destinations::mask)?;
        match context.names.resolve(destination.register.node, span)? {
            Register::Temp(addr, relative) => (tex.dest, tex.dest_rel) = (addr, relative),
            Register::Nothing => {}
            other => {
                return Err(Diagnostic::new(
                    span,
                    format!("{} cannot receive a fetch", other.describe()),
                )
                .help("fetch into a temporary"));
            }
        }
        let nothing = matches!(destination.register.node, super::syntax::RegisterRef::Name("_"));
        let channels = if nothing { 0 } else { channels };
        if let Some(comparison) = destination.comparison {
            return Err(Diagnostic::new(comparison.span, "a fetch makes no comparison"));
        }
        instruction.common.wmask = channels;
        if let Some(text) = fetch.swizzle {
            let Body::Tex(tex) = &mut instruction.body else {
                return Ok(instruction);
            };
            tex.dest_swizzle = result_swizzle(text, channels)?;
        }
    }
    Ok(instruction)
}

fn coordinate<'s>(
    context: &Context<'_, 's>,
    coordinate: &Coordinate<'s>,
) -> Result<isa::Coordinate, Diagnostic> {
    let span = coordinate.register.span;
    let (addr, relative) = match context.names.resolve(coordinate.register.node, span)? {
        Register::Temp(addr, relative) => (addr, relative),
        other => {
            return Err(Diagnostic::new(
                span,
                format!("{} cannot be a coordinate", other.describe()),
            )
            .help("coordinates come from temporaries; move it to one first"));
        }
    };
    let swizzle = match coordinate.swizzle {
        None => IDENTITY,
        Some(text) => {
            let letters = channels(text)?;
            // The last letter is repeated for missing channels.
            let last = letters.len() - 1;
            std::array::from_fn(|n| letters[n.min(last)])
        }
    };
    Ok(isa::Coordinate { addr, relative, swizzle })
}

/// One to four channel letters.
fn channels(text: Word<'_>) -> Result<Vec<Channel>, Diagnostic> {
    if text.node.len() > 4 {
        return Err(Diagnostic::new(
            text.span,
            format!("`.{}` has {} letters; 1 to 4 fit here", text.node, text.node.len()),
        ));
    }
    text.node
        .chars()
        .map(|letter| {
            row(CHANNELS, letter.encode_utf8(&mut [0; 4]))
                .map(|code| Channel::from_code(code.code as u32))
                .ok_or_else(|| {
                    Diagnostic::new(text.span, format!("`{letter}` is not a channel"))
                        .help("fetches have the channels r, g, b, a only: no constants")
                })
        })
        .collect()
}

/// The swizzle of the fetched value: four letters, one for all, or one per written channel.
fn result_swizzle(text: Word<'_>, mask: u8) -> Result<[Channel; 4], Diagnostic> {
    let letters = channels(text)?;
    if letters.len() == 1 {
        return Ok([letters[0]; 4]);
    }
    if letters.len() == 4 {
        return Ok(std::array::from_fn(|n| letters[n]));
    }
    let written = mask.count_ones() as usize;
    if letters.len() != written {
        return Err(Diagnostic::new(
            text.span,
            format!(
                "`.{}` has {} letters; 1, 4 or one for each of the {written} channels written fit here",
                text.node,
                letters.len()
            ),
        ));
    }
    let mut next = letters.into_iter();
    Ok(std::array::from_fn(|n| match mask >> n & 1 {
        1 => next.next().unwrap_or(IDENTITY[n]),
        _ => IDENTITY[n],
    }))
}
