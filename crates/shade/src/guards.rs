//! The guard levels: how far exact arithmetic trusts an adapter.

use std::fmt;

/// A guard level. docs/float.md says what each needs from an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Guards {
    /// The adapter's arithmetic is the chip's, denormals flushed in the instruction.
    Native,
    /// The same, but NaN and products next to 2^-126 are repaired.
    Repaired,
    /// Level 0: the adapter has IEEE arithmetic with denormals, Inf and NaN. Most do.
    #[default]
    Ieee,
    /// The same arithmetic as level 0, for adapters that keep denormals only if a shader asks for it.
    Preserved,
    /// Level 1: the adapter has sums and products of normal numbers.
    Normal,
    /// Level 2: the adapter has 32-bit integers.
    Integers,
}

impl Guards {
    /// All levels, the cheapest first.
    pub const ALL: [Guards; 6] = [
        Guards::Native,
        Guards::Repaired,
        Guards::Ieee,
        Guards::Preserved,
        Guards::Normal,
        Guards::Integers,
    ];

    /// What shaders at this level ask of the driver's float controls; `None` if they need none.
    pub fn denormals(self) -> Option<Denormals> {
        match self {
            Guards::Native | Guards::Repaired => Some(Denormals::Flushed),
            Guards::Preserved => Some(Denormals::Preserved),
            Guards::Ieee | Guards::Normal | Guards::Integers => None,
        }
    }
}

/// What each instruction does with denormals, if a shader asks for it with float controls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denormals {
    /// It flushes them.
    Flushed,
    /// It keeps them.
    Preserved,
}

impl fmt::Display for Guards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Guards::Native => "native",
            Guards::Repaired => "repaired",
            Guards::Ieee => "0",
            Guards::Preserved => "preserved",
            Guards::Normal => "1",
            Guards::Integers => "2",
        })
    }
}
