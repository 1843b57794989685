//! Reads the constants that a program uses.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use crate::command::ConstantFormat;
use crate::engine::{Fault, FaultCode, Faults};
use crate::launch::{Constants, Domain, IntConstant};
use crate::memory::{Memory, Surface};
use ctm_lang::program::{ConstantKind, Program, Uses};

/// The constant areas by [`ConstantKind`]; `None` if the format was never set.
pub(super) type Areas = [Option<ConstantFormat>; 3];

/// The constants that were read, and the errors.
pub(super) struct Read {
    pub constants: Arc<Constants>,
    /// Faults of constants outside the arenas, which read 0; charged to the domain's first point.
    pub faults: Faults,
    /// Kinds without an area, each with the constants of that kind that the program uses.
    pub unset: Vec<(ConstantKind, Vec<u32>)>,
}

/// Bytes of one constant in memory.
fn size(kind: ConstantKind) -> u32 {
    if kind == ConstantKind::Float { 16 } else { 4 }
}

/// The byte address of constant `n`: packed from the base, or element (n, 0).
fn address(area: &ConstantFormat, kind: ConstantKind, n: u32) -> u32 {
    match area.layout {
        None => area.address.wrapping_add(size(kind) * n),
        Some(l) => Surface::new(area.address, l.pitch, 1, l.tiling, l.format).address(n, 0),
    }
}

/// The description of what [`read`] reads.
pub(super) fn describe(kind: ConstantKind) -> &'static str {
    match kind {
        ConstantKind::Float => "a float constant",
        ConstantKind::Int => "an integer constant",
        ConstantKind::Bool => "a boolean constant",
    }
}

/// The addresses that [`read`] reads.
pub(super) fn spans(program: &Program, areas: &Areas) -> Vec<(ConstantKind, Range<u64>)> {
    let used = program.uses();
    let mut spans: Vec<(ConstantKind, Range<u64>)> = Vec::new();
    for (kind, area) in ConstantKind::ALL.into_iter().zip(areas) {
        let Some(area) = area else { continue };
        for n in used.constants(kind) {
            let start = u64::from(address(area, kind, n));
            let end = start + u64::from(size(kind));
            match spans.last_mut() {
                Some((same, last)) if *same == kind && last.end == start => last.end = end,
                _ => spans.push((kind, start..end)),
            }
        }
    }
    spans
}

/// Reads the constants that the program uses; all others are 0.
pub(super) fn read(program: &Program, areas: &Areas, domain: &Domain, memory: &Memory) -> Read {
    static NONE: OnceLock<Arc<Constants>> = OnceLock::new();
    let used = program.uses();
    let mut read = Read {
        constants: Arc::clone(NONE.get_or_init(Arc::default)),
        faults: Faults::default(),
        unset: Vec::new(),
    };
    if ConstantKind::ALL.into_iter().all(|kind| used.constants(kind).is_empty()) {
        return read;
    }
    let mut constants = Constants::default();
    let mut outside = Vec::new();
    for (kind, area) in ConstantKind::ALL.into_iter().zip(areas) {
        let numbers = used.constants(kind);
        let Some(area) = area else {
            if !numbers.is_empty() {
                read.unset.push((kind, numbers));
            }
            continue;
        };
        for number in numbers {
            let (address, n) = (address(area, kind, number), number as usize);
            let inside = match kind {
                ConstantKind::Float => memory.slice(address, 16).map(|bytes| {
                    for (word, bytes) in constants.float[n].iter_mut().zip(bytes.as_chunks().0) {
                        *word = u32::from_le_bytes(*bytes);
                    }
                }),
                ConstantKind::Int => memory
                    .read_u32(address)
                    .map(|word| constants.int[n] = IntConstant::from_word(word)),
                ConstantKind::Bool => {
                    memory.read_u32(address).map(|word| constants.bool |= u32::from(word != 0) << n)
                }
            };
            if inside.is_none() {
                outside.push((kind, number, address));
            }
        }
    }
    // A domain without points has no point to charge.
    if !outside.is_empty() && !domain.is_empty() {
        let each: Vec<Uses> = program
            .instructions()
            .iter()
            .map(|i| Uses::of(std::slice::from_ref(i), program.umrt(), program.sharing()))
            .collect();
        let pc_of = |kind, n: u32| {
            let named = each.iter().position(|of_one| of_one.reads_constant(kind, n as usize));
            named.map_or(program.registers().start(), |pc| pc as u32)
        };
        let mut outside: Vec<(u32, u32, u32)> =
            outside.into_iter().map(|(kind, n, address)| (pc_of(kind, n), n, address)).collect();
        // All have the same point, and no instruction comes before them, so the first one added is
        // kept.
        outside.sort_by_key(|&(pc, ..)| pc);
        for (pc, slot, word) in outside {
            let fault = Fault { count: 1, i: domain.i0, j: domain.j0, order: 0, pc, slot, word };
            read.faults.add(FaultCode::ConstantOutsideMemory, fault);
        }
    }
    read.constants = Arc::new(constants);
    read
}
