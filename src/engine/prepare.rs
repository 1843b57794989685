//! Checks that every engine makes before it runs a launch: whether it can run, and what overlaps.

use super::LaunchError;
use crate::isa::{Body, TEMPORARIES, Type};
use crate::launch::{Launch, Location, MAX_BOUND, Test};
use crate::memory::{Format, Surface};
use std::ops::Range;

/// Checks a launch against the program's needs. Engines call it first, so all engines refuse the
/// same launches.
///
/// # Errors
/// The first bound, initial data, surface or condition that the launch cannot have.
pub fn validate(launch: &Launch) -> Result<(), LaunchError> {
    let uses = launch.program.uses();
    let domain = &launch.domain;
    for (name, value) in
        [("i0", domain.i0), ("j0", domain.j0), ("i1", domain.i1), ("j1", domain.j1)]
    {
        if value > MAX_BOUND {
            return Err(LaunchError::Domain { name, value });
        }
    }
    for initial in &launch.initial {
        let (temp, found) = (initial.temp, initial.data.len() as u64);
        if temp as usize >= TEMPORARIES {
            return Err(LaunchError::InitialTemp { temp });
        }
        if found != domain.points() {
            return Err(LaunchError::InitialSize { temp, found, expected: domain.points() });
        }
    }
    for (slot, surface) in launch.inputs.iter().enumerate() {
        if uses.inputs >> slot & 1 == 0 {
            continue;
        }
        let slot = slot as u32;
        match surface {
            None => {
                return Err(LaunchError::InputNotSet { slot, pc: first_fetch(launch, slot) });
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
            return Err(LaunchError::OutputNotSet { slot, pc: first_write(launch, slot) });
        }
    }
    if launch.program.umrt()
        && uses.outputs != 0
        && let Some(surface) = &launch.outputs[0]
        && surface.format != Format::Float32x1
    {
        return Err(LaunchError::UncachedFormat { format: surface.format.name() });
    }
    match launch.condition.touched() {
        None if launch.condition.test.reads_buffer() => {
            Err(LaunchError::ConditionNotSet { test: launch.condition.test.name() })
        }
        Some(surface) if !surface.format.is_basic_single() => {
            Err(LaunchError::ConditionFormat { format: surface.format.name() })
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
        (0..4).any(|channel| {
            common.omask >> channel & 1 != 0 && (umrt || alu.unit_of(channel).target as u32 == slot)
        })
    })
}

/// What a launch reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reader {
    /// Input n.
    Input(usize),
    /// The conditional buffer, by the test.
    Condition,
}

/// What a launch writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writer {
    /// Output n.
    Output(usize),
    /// The conditional buffer.
    Condition,
}

/// A surface whose bytes a launch reads and may also write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlap {
    /// What is read.
    pub reader: Reader,
    /// What is written.
    pub writer: Writer,
    /// Whether the two have the same elements at the same places. If so, points that touch only
    /// their own element do not interfere.
    pub same_layout: bool,
    /// Whether points see their own writes: an input, with uncached writes.
    pub reads_back: bool,
}

impl Overlap {
    /// The hazard as a human-readable line.
    pub fn text(&self) -> String {
        let read = match self.reader {
            Reader::Input(n) => format!("input {n}"),
            Reader::Condition => "the conditional buffer".to_string(),
        };
        let own = match self.reads_back {
            true => " and the point's own earlier writes",
            false => "",
        };
        shared(&read, self.writer) + own
    }

    /// The input that is read, or `None` for the conditional buffer.
    pub fn input(&self) -> Option<usize> {
        match self.reader {
            Reader::Input(n) => Some(n),
            Reader::Condition => None,
        }
    }
}

/// The hazard of bytes that one launch both reads and writes, as a human-readable line.
fn shared(read: &str, writer: Writer) -> String {
    let written = match writer {
        Writer::Output(n) => format!("output {n}"),
        Writer::Condition => "the conditional buffer".to_string(),
    };
    format!(
        "{read} is read and {written} is written in one launch, and they share memory: \
         every read sees the memory from before the launch"
    )
}

/// The bytes that a launch can touch through a surface. With `own_place`, points touch only their
/// own element, so these are the domain's rows; without it, any element.
pub fn touched_span(launch: &Launch, surface: &Surface, own_place: bool) -> Range<u64> {
    if !own_place {
        let width = surface.width.max(surface.pitch);
        return surface.byte_span(width, surface.height);
    }
    let domain = &launch.domain;
    let (width, height) = (surface.pitch.min(domain.i1 + 1), surface.height.min(domain.j1 + 1));
    let span = surface.byte_span(width, height);
    // Rows before the domain's first are not touched. Addresses ascend with whole rows of tiles
    // only if rows do not overlap (32 elements are a multiple of every tile's height).
    let first = domain.j0 & !31;
    if first == 0 || first >= height || !surface.elements_disjoint() || span.end == 1 << 32 {
        return span;
    }
    // A tile's first element need not have its lowest address.
    let line = if surface.tiling.is_tiled() { 0x7ff } else { 0x1f };
    surface.address(0, first) as u64 & !line..span.end
}

/// The surfaces that a launch may write, and the bytes it can touch in each.
pub fn written(launch: &Launch) -> Vec<(Writer, Surface, Range<u64>)> {
    if launch.domain.is_empty() {
        return Vec::new();
    }
    let uses = launch.program.uses();
    let condition = &launch.condition;
    let no_outputs = condition.test == Test::Never
        && (condition.location == Location::Pe || !launch.program.umrt());
    let mut written = Vec::new();
    for (n, surface) in launch.outputs.iter().enumerate() {
        let Some(surface) = surface.filter(|_| uses.outputs >> n & 1 != 0 && !no_outputs) else {
            continue;
        };
        // A mask that selects none of the format's channels writes nothing.
        if launch.out_mask & ((1 << surface.format.channels()) - 1) != 0 {
            let span = touched_span(launch, &surface, !launch.program.umrt());
            written.push((Writer::Output(n), surface, span));
        }
    }
    if let Some(surface) = condition.touched().filter(|_| condition.write) {
        let span = touched_span(launch, &surface, true);
        written.push((Writer::Condition, surface, span));
    }
    written
}

/// The surfaces that a launch may read, and the bytes it can touch in each.
pub fn read(launch: &Launch) -> Vec<(Reader, Surface, Range<u64>)> {
    if launch.domain.is_empty() {
        return Vec::new();
    }
    let uses = launch.program.uses();
    let mut read = Vec::new();
    for (n, surface) in launch.inputs.iter().enumerate() {
        if let Some(surface) = surface.filter(|_| uses.inputs >> n & 1 != 0) {
            // A fetch always finds an element: in a surface without size, the first.
            let span = surface.byte_span(surface.width.max(1), surface.height.max(1));
            read.push((Reader::Input(n), surface, span));
        }
    }
    if let Some(surface) = launch.condition.touched()
        && launch.condition.test.reads_buffer()
    {
        let span = touched_span(launch, &surface, true);
        read.push((Reader::Condition, surface, span));
    }
    read
}

/// The surfaces that the launch reads and that share bytes with surfaces it can write. The
/// conditional buffer's own test and write are not an overlap: a point touches only its own
/// element.
pub fn overlaps(launch: &Launch) -> Vec<Overlap> {
    let written = written(launch);
    let mut overlaps = Vec::new();
    for (reader, surface, span) in read(launch) {
        for (writer, other, other_span) in &written {
            if (reader, *writer) == (Reader::Condition, Writer::Condition) {
                continue;
            }
            if span.start < other_span.end && other_span.start < span.end {
                let same_layout = surface.base == other.base
                    && surface.pitch == other.pitch
                    && surface.tiling == other.tiling
                    && surface.format == other.format
                    && surface.elements_disjoint()
                    && !launch.program.umrt();
                overlaps.push(Overlap {
                    reader,
                    writer: *writer,
                    same_layout,
                    reads_back: launch.program.umrt() && matches!(reader, Reader::Input(_)),
                });
            }
        }
    }
    overlaps
}

/// Whether points may fetch what they wrote in the same launch: uncached writes take effect at
/// once.
pub fn reads_back(launch: &Launch) -> bool {
    launch.program.umrt() && overlaps(launch).iter().any(|overlap| overlap.reads_back)
}

/// The hazards of data that was read before the launch began (constants, the program) and that the
/// launch can write. `reads` names each piece of data and its bytes.
pub fn overwritten(launch: &Launch, reads: &[(&str, Range<u64>)]) -> Vec<String> {
    let written = written(launch);
    let mut texts = Vec::new();
    for (what, span) in reads {
        for (writer, _, bytes) in &written {
            let text = || shared(what, *writer);
            if span.start < bytes.end && bytes.start < span.end && !texts.contains(&text()) {
                texts.push(text());
            }
        }
    }
    texts
}
