//! What every engine checks before it runs a launch: whether it can, and what overlaps.

use super::LaunchError;
use crate::isa::{Body, Type};
use crate::launch::Launch;
use crate::memory::{Format, Surface};
use std::ops::Range;

/// Checks a launch against the program's needs. Engines call it first, so that a launch that is
/// refused by one is refused by all.
///
/// # Errors
/// The first surface that is missing or has a format that its client cannot have.
pub fn validate(launch: &Launch) -> Result<(), LaunchError> {
    let uses = launch.program.uses();
    for (slot, surface) in launch.inputs.iter().enumerate() {
        if uses.inputs >> slot & 1 == 0 {
            continue;
        }
        let slot = slot as u32;
        match surface {
            None => {
                return Err(LaunchError::InputNotSet {
                    slot,
                    pc: first_fetch(launch, slot),
                });
            }
            Some(surface) if surface.validate_input().is_err() => {
                return Err(LaunchError::InputTiling {
                    slot,
                    tiling: surface.tiling.name(),
                    format: surface.format.name(),
                });
            }
            Some(_) => {}
        }
    }
    for (slot, surface) in launch.outputs.iter().enumerate() {
        if uses.outputs >> slot & 1 != 0 && surface.is_none() {
            let slot = slot as u32;
            return Err(LaunchError::OutputNotSet {
                slot,
                pc: first_write(launch, slot),
            });
        }
    }
    if launch.program.umrt()
        && uses.outputs != 0
        && let Some(surface) = &launch.outputs[0]
        && surface.format != Format::Float32x1
    {
        return Err(LaunchError::UncachedFormat {
            format: surface.format.name(),
        });
    }
    match &launch.condition.buffer {
        None if launch.condition.test.reads_buffer() => Err(LaunchError::ConditionNotSet {
            test: launch.condition.test.name(),
        }),
        Some(surface) if !matches!(surface.format, Format::Float32x1 | Format::Uint16x1) => {
            Err(LaunchError::ConditionFormat {
                format: surface.format.name(),
            })
        }
        _ => Ok(()),
    }
}

fn position(launch: &Launch, wanted: impl Fn(&crate::isa::Instruction) -> bool) -> u32 {
    let instructions = launch.program.instructions();
    instructions.iter().position(wanted).unwrap_or(0) as u32
}

fn first_fetch(launch: &Launch, slot: u32) -> u32 {
    position(
        launch,
        |instruction| matches!(&instruction.body, Body::Tex(tex) if tex.op.fetches() && tex.input as u32 == slot),
    )
}

fn first_write(launch: &Launch, slot: u32) -> u32 {
    let umrt = launch.program.umrt();
    position(launch, |instruction| {
        let common = &instruction.common;
        let Some(alu) = instruction.alu().filter(|_| common.class == Type::Out) else {
            return false;
        };
        (common.rgb_omask != 0 && (umrt || alu.rgb.target as u32 == slot))
            || (common.alpha_omask && (umrt || alu.alpha.target as u32 == slot))
    })
}

/// An input whose bytes a launch may also write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// The input.
    pub input: usize,
    /// The surface that is written: `Some(n)` output n, `None` the conditional buffer.
    pub output: Option<usize>,
    /// Whether the two have the same elements at the same places, so that points that touch only
    /// their own element are in no one's way.
    pub same_layout: bool,
}

impl Overlap {
    /// The hazard as a line for people.
    pub fn text(&self) -> String {
        let written = match self.output {
            Some(n) => format!("output {n}"),
            None => "the conditional buffer".to_string(),
        };
        format!(
            "input {} is read and {written} is written in one launch, and they share memory: \
             every read sees the memory from before the launch",
            self.input
        )
    }
}

/// The bytes that a launch can write through a surface.
fn written_span(launch: &Launch, surface: &Surface, uncached: bool) -> Range<u64> {
    if uncached {
        surface.byte_span(surface.pitch, surface.height)
    } else {
        let domain = &launch.domain;
        surface.byte_span(
            surface.pitch.min(domain.i1 + 1),
            surface.height.min(domain.j1 + 1),
        )
    }
}

/// The inputs that the program fetches from and that share bytes with what the launch can write.
pub fn overlaps(launch: &Launch) -> Vec<Overlap> {
    if launch.domain.is_empty() {
        return Vec::new();
    }
    let uses = launch.program.uses();
    let outputs = launch
        .outputs
        .iter()
        .enumerate()
        .filter(|(n, _)| uses.outputs >> n & 1 != 0 && launch.out_mask != 0)
        .filter_map(|(n, surface)| Some((Some(n), surface.as_ref()?)));
    let condition = (launch.condition.write && launch.condition.test != crate::launch::Test::Never)
        .then_some(launch.condition.buffer.as_ref())
        .flatten()
        .map(|surface| (None, surface));
    let written: Vec<(Option<usize>, &Surface, Range<u64>)> = outputs
        .chain(condition)
        .map(|(n, surface)| {
            let uncached = launch.program.umrt() && n.is_some();
            (n, surface, written_span(launch, surface, uncached))
        })
        .collect();

    let mut overlaps = Vec::new();
    for (input, surface) in launch.inputs.iter().enumerate() {
        let Some(surface) = surface.as_ref().filter(|_| uses.inputs >> input & 1 != 0) else {
            continue;
        };
        let read = surface.byte_span(surface.width, surface.height);
        for (output, other, span) in &written {
            if read.start < span.end && span.start < read.end {
                let same_layout = surface.base == other.base
                    && surface.pitch == other.pitch
                    && surface.tiling == other.tiling
                    && surface.format == other.format
                    && !launch.program.umrt();
                overlaps.push(Overlap {
                    input,
                    output: *output,
                    same_layout,
                });
            }
        }
    }
    overlaps
}
