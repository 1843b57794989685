//! Why a register was not written: the instruction that should have done it.

use super::tags::Way;
use ctm_isa::isa::{Body, Instruction, Place, Type};
use ctm_lang::program::Program;

/// Why a register was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The instruction at this pc would have written it, but the point's predicate was off.
    Predicated(u32),
    /// The instruction at this pc comes before the use, but the point did not execute it.
    Skipped(u32),
    /// The instruction at this pc comes after the use.
    Later(u32),
    /// The instruction at this pc writes only these channels of the register.
    Masked(u32, u8),
    /// The instruction at this pc writes a register relative to aL, maybe this one.
    Relative(u32),
    /// No instruction writes the register.
    Never,
}

/// The slots of a group whose predicate was off when an instruction would have written a channel.
pub struct Missed(Vec<[u64; 4]>);

impl Missed {
    pub fn new(program: &Program) -> Missed {
        Missed(vec![[0; 4]; program.instructions().len()])
    }

    pub fn clear(&mut self) {
        self.0.fill([0; 4]);
    }

    pub fn add(&mut self, pc: u32, channel: usize, lanes: u64) {
        if lanes != 0
            && let Some(missed) = self.0.get_mut(pc as usize)
        {
            missed[channel] |= lanes;
        }
    }

    fn has(&self, pc: u32, channel: usize, lanes: u64) -> bool {
        self.0.get(pc as usize).is_some_and(|missed| missed[channel] & lanes != 0)
    }
}

/// The channels of a register that an instruction writes; `None` if it may write others relative
/// to aL.
fn writes(instruction: &Instruction, place: Place) -> Option<u8> {
    let common = &instruction.common;
    match (&instruction.body, place) {
        (_, Place::Temp(n, _)) => {
            let mut channels = 0;
            for (dest, relative, mask) in instruction.destinations() {
                if relative {
                    return None;
                }
                channels |= if usize::from(dest) == n { mask } else { 0 };
            }
            Some(channels)
        }
        (Body::Alu(_), Place::Predicate(_)) if common.class == Type::Alu => Some(common.omask),
        (Body::Alu(alu), Place::AluResult) => Some(alu.alu_wmask as u8),
        _ => Some(0),
    }
}

/// Finds the instruction that should have written the beginning of a way before it was read. `pc` is
/// the effect. `lanes` are the slots whose register it may have been: the point's own, or its quad's.
pub fn cause(program: &Program, missed: &Missed, way: &Way, pc: u32, lanes: u64) -> Cause {
    let place = way.origin;
    let reader = way.chain.first().map_or(pc, |&(pc, _)| pc);
    let bit = place.channel().unwrap_or(0);
    // In the order of preference; the nearest before the reader, else the first after it.
    let (mut predicated, mut skipped, mut later) = (None, None, None);
    let (mut masked, mut relative) = (None, None);
    for (pc, instruction) in (0..).zip(program.instructions()) {
        let Some(channels) = writes(instruction, place) else {
            relative.get_or_insert(Cause::Relative(pc));
            continue;
        };
        let before = pc < reader;
        if channels >> bit & 1 == 0 {
            if channels != 0 && (before || masked.is_none()) {
                masked = Some(Cause::Masked(pc, channels));
            }
        } else if missed.has(pc, bit, lanes) {
            if before || predicated.is_none() {
                predicated = Some(Cause::Predicated(pc));
            }
        } else if before {
            skipped = Some(Cause::Skipped(pc));
        } else if pc > reader {
            later.get_or_insert(Cause::Later(pc));
        }
    }
    let found = [predicated, skipped, later, relative, masked];
    found.into_iter().flatten().next().unwrap_or(Cause::Never)
}
