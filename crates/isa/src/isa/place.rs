//! One channel of a register of a point.

use super::LETTERS;
use std::fmt;

/// A channel of a register, an output or a constant, or a register that has no channels. Addresses are
/// final: aL and AR.X are added. Channels are 0 R to 3 A.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// A temporary, and its channel.
    Temp(usize, usize),
    /// A global register, which need not exist, and its channel.
    Global(i64, usize),
    /// A held output, and its channel.
    Output(usize, usize),
    /// A float constant, and its channel.
    Constant(usize, usize),
    /// A predicate.
    Predicate(usize),
    /// The ALU result.
    AluResult,
    /// The point's own conditional value.
    Own,
    /// A channel of the element that an instruction fetches.
    Texel(usize),
}

impl Place {
    /// The register, without its channel, as in `r4.b`.
    pub fn register(self) -> String {
        match self {
            Place::Temp(n, _) => format!("r{n}"),
            Place::Global(n, _) => format!("g{n}"),
            Place::Output(n, _) => format!("o{n}"),
            Place::Constant(n, _) => format!("c{n}"),
            Place::Predicate(_) => "p".to_string(),
            Place::AluResult => "alu_result".to_string(),
            Place::Own => "the conditional value".to_string(),
            Place::Texel(_) => "the fetch".to_string(),
        }
    }

    /// The channel; `None` for a register with one value.
    pub fn channel(self) -> Option<usize> {
        match self {
            Place::Temp(_, channel)
            | Place::Global(_, channel)
            | Place::Output(_, channel)
            | Place::Constant(_, channel)
            | Place::Predicate(channel)
            | Place::Texel(channel) => Some(channel),
            Place::AluResult | Place::Own => None,
        }
    }

    /// A channel of the same register.
    #[must_use]
    pub fn with_channel(self, channel: usize) -> Place {
        match self {
            Place::Temp(n, _) => Place::Temp(n, channel),
            Place::Global(n, _) => Place::Global(n, channel),
            Place::Output(n, _) => Place::Output(n, channel),
            Place::Constant(n, _) => Place::Constant(n, channel),
            Place::Predicate(_) => Place::Predicate(channel),
            Place::Texel(_) => Place::Texel(channel),
            Place::AluResult | Place::Own => self,
        }
    }

    /// The first channel of the same register.
    pub fn whole(self) -> Place {
        self.with_channel(0)
    }
}

/// `r4.b`; `alu_result`.
impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.register())?;
        match self.channel() {
            Some(channel) => write!(f, ".{}", LETTERS[channel]),
            None => Ok(()),
        }
    }
}
