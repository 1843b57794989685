//! What is known of temporaries while a program is lowered.

use super::operands::Value;
use super::{Operand, Write};
use ctm_isa::isa::TEMPORARIES;

/// A set of channels of temporaries: by channel, bit n for temporary n. A channel of a temporary is a number,
/// 4 n + channel.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Channels([u128; 4]);

impl Channels {
    /// All channels of these temporaries: bit n for temporary n.
    pub fn of(temps: u128) -> Channels {
        Channels([temps; 4])
    }

    /// Adds a channel of one temporary, or of all.
    pub fn add(&mut self, temp: Option<u8>, channel: usize) {
        self.0[channel] |= temp.map_or(u128::MAX, |temp| 1 << temp);
    }

    fn remove_from_all(&mut self, channel: usize) {
        self.0[channel] = 0;
    }

    pub fn has(&self, number: u16) -> bool {
        self.0[usize::from(number % 4)] >> (number / 4) & 1 != 0
    }

    fn set(&mut self, number: u16, has: bool) {
        let temps = &mut self.0[usize::from(number % 4)];
        *temps = *temps & !(1 << (number / 4)) | u128::from(has) << (number / 4);
    }
}

/// What is known of temporaries.
pub(super) struct Temps {
    /// Those that may be unclean somewhere.
    unclean: Channels,
    /// `unclean`, and those that this walk found to be unclean.
    pub found: Channels,
    /// Those of which the active points have written all or something unclean in this straight run.
    known: Channels,
    /// Of these, the clean ones.
    clean: Channels,
    /// Those that this straight run set to uniforms, for all active points.
    held: Channels,
    /// Their uniforms.
    uniforms: [Operand; 4 * TEMPORARIES],
}

impl Temps {
    /// For a walk that assumes that all are clean everywhere but these.
    pub fn new(unclean: Channels) -> Temps {
        let none = Channels::default();
        let uniforms = [Operand::NONE; 4 * TEMPORARIES];
        Temps { unclean, found: unclean, known: none, clean: none, held: none, uniforms }
    }

    /// A straight run begins.
    pub fn begin(&mut self) {
        self.known = Channels::default();
        self.held = Channels::default();
    }

    /// The uniform to which all active points have set a channel.
    pub fn held(&self, number: u16) -> Option<Operand> {
        self.held.has(number).then(|| self.uniforms[usize::from(number)])
    }

    /// Whether a channel is clean for active points; with `everywhere`, for inactive ones too.
    pub fn is_clean(&self, number: u16, everywhere: bool) -> bool {
        if !everywhere && self.known.has(number) {
            self.clean.has(number)
        } else {
            !self.unclean.has(number)
        }
    }

    /// Whether all channels are clean everywhere.
    pub fn are_clean(&self) -> bool {
        self.unclean == Channels::default()
    }

    /// Notes that a channel was written.
    pub fn wrote(&mut self, number: u16, value: Value, write: Write) {
        // A gated write covers only some of the active points.
        let all = write != Write::Gated;
        self.held.set(number, all && value.operand.is_uniform());
        self.uniforms[usize::from(number)] = value.operand;
        if !value.clean {
            self.found.set(number, true);
        }
        if all || !value.clean {
            self.known.set(number, true);
            self.clean.set(number, value.clean);
        }
    }

    /// Notes that this channel of any temporary may have been written.
    pub fn wrote_any(&mut self, channel: usize, clean: bool) {
        self.held = Channels::default();
        if !clean {
            self.found.add(None, channel);
            self.known.add(None, channel);
            self.clean.remove_from_all(channel);
        }
    }
}
