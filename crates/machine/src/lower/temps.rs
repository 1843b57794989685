//! The facts about temporaries while a program is lowered.

use super::operands::Value;
use super::{Operand, Write};
use ctm_isa::isa::TEMPORARIES;

/// The facts about a channel of a temporary, as bits.
type Known = u8;

/// It may be unclean somewhere: an assumption of this walk.
const UNCLEAN: Known = 1;
/// This walk found it to be unclean, or assumes it.
const FOUND: Known = 2;
/// In this straight run the active points have written all of it, or something unclean.
const WRITTEN: Known = 4;
/// All of that is clean.
const CLEAN: Known = 8;
/// This straight run set it to a uniform, for all active points.
const HELD: Known = 16;

/// The facts about temporaries. A channel of a temporary is a number, 4 n + channel.
pub(super) struct Temps {
    known: [Known; 4 * TEMPORARIES],
    /// The uniforms of those that are held.
    uniforms: [Operand; 4 * TEMPORARIES],
    /// Whether one is unclean that was assumed to be clean.
    failed: bool,
}

impl Temps {
    /// For the first walk: all channels are clean everywhere.
    pub fn new() -> Temps {
        let uniforms = [Operand::NONE; 4 * TEMPORARIES];
        Temps { known: [0; 4 * TEMPORARIES], uniforms, failed: false }
    }

    /// Assumes that a channel of a temporary, or of all, may be unclean.
    pub fn assume(&mut self, temp: Option<u8>, channel: usize) {
        match temp {
            Some(temp) => self.known[4 * usize::from(temp) + channel] |= UNCLEAN | FOUND,
            None => self.all(channel).for_each(|known| *known |= UNCLEAN | FOUND),
        }
    }

    /// For the next walk, with fewer assumptions, if one of this walk was wrong.
    pub fn again(&self) -> Option<Temps> {
        self.failed.then(|| Temps {
            known: self.known.map(|known| if known & FOUND != 0 { UNCLEAN | FOUND } else { 0 }),
            ..Temps::new()
        })
    }

    fn all(&mut self, channel: usize) -> impl Iterator<Item = &mut Known> {
        self.known.iter_mut().skip(channel).step_by(4)
    }

    /// A straight run begins.
    pub fn begin(&mut self) {
        self.known.iter_mut().for_each(|known| *known &= !(WRITTEN | HELD));
    }

    /// The uniform to which all active points have set a channel.
    #[inline]
    pub fn held(&self, number: u16) -> Option<Operand> {
        let number = usize::from(number);
        (self.known[number] & HELD != 0).then(|| self.uniforms[number])
    }

    /// Whether a channel is clean for active points; with `everywhere`, for inactive ones too.
    #[inline]
    pub fn is_clean(&self, number: u16, everywhere: bool) -> bool {
        let known = self.known[usize::from(number)];
        if !everywhere && known & WRITTEN != 0 { known & CLEAN != 0 } else { known & UNCLEAN == 0 }
    }

    /// Whether all channels are clean everywhere.
    pub fn are_clean(&self) -> bool {
        self.known.iter().all(|known| known & UNCLEAN == 0)
    }

    /// Notes that a channel was written.
    #[inline]
    pub fn wrote(&mut self, number: u16, value: Value, write: Write) {
        let number = usize::from(number);
        let mut known = self.known[number] & !HELD;
        // A gated write covers only some of the active points.
        let all = write != Write::Gated;
        if all && value.operand.is_uniform() {
            known |= HELD;
            self.uniforms[number] = value.operand;
        }
        if !value.clean {
            self.failed |= known & UNCLEAN == 0;
            known = known & !CLEAN | WRITTEN | FOUND;
        } else if all {
            known |= WRITTEN | CLEAN;
        }
        self.known[number] = known;
    }

    /// Notes that this channel of any temporary may have been written.
    pub fn wrote_any(&mut self, channel: usize, clean: bool) {
        self.known.iter_mut().for_each(|known| *known &= !HELD);
        if !clean {
            let mut failed = false;
            for known in self.all(channel) {
                failed |= *known & UNCLEAN == 0;
                *known = *known & !CLEAN | WRITTEN | FOUND;
            }
            self.failed |= failed;
        }
    }
}
