//! The reason why a register was not written: the instruction that should have done it.

use super::tags::Way;
use ctm_isa::isa::{Access, Place, Register, To};

/// The reason why a register was not written.
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

/// By pc and channel, the slots of a group whose predicate was off when the instruction would have
/// written.
pub type Missed = Vec<[u64; 4]>;

/// The channels of a register that an instruction writes; `None` if it may write others relative
/// to aL.
fn writes(access: &Access, place: Place) -> Option<u8> {
    let mut channels = 0;
    for write in &access.writes {
        let same = match (write.to, place) {
            (To::Register(Register::Temp(_, true)), Place::Temp(..)) => return None,
            (To::Register(Register::Temp(m, false)), Place::Temp(n, _)) => usize::from(m) == n,
            (To::Predicate, Place::Predicate(_)) => true,
            (To::AluResult, Place::AluResult) => return Some(1),
            _ => false,
        };
        channels |= u8::from(same) << write.channel;
    }
    Some(channels)
}

/// Finds the instruction that should have written the beginning of a way before it was read. `pc` is
/// the effect. `lanes` are the slots whose register it may have been: the point's own, or its quad's.
pub fn cause(accesses: &[Access], missed: &Missed, way: &Way, pc: u32, lanes: u64) -> Cause {
    let place = way.origin;
    let reader = way.chain.first().map_or(pc, |&(pc, _)| pc);
    let bit = place.channel().unwrap_or(0);
    // In the order of preference; the nearest before the reader, else the first after it.
    let (mut predicated, mut skipped, mut later) = (None, None, None);
    let (mut masked, mut relative) = (None, None);
    for (pc, (access, missed)) in (0..).zip(accesses.iter().zip(missed)) {
        let Some(channels) = writes(access, place) else {
            relative.get_or_insert(Cause::Relative(pc));
            continue;
        };
        let before = pc < reader;
        if channels >> bit & 1 == 0 {
            if channels != 0 && (before || masked.is_none()) {
                masked = Some(Cause::Masked(pc, channels));
            }
        } else if missed[bit] & lanes != 0 {
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
