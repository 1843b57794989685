//! The guard levels: how far exact arithmetic trusts an adapter.

use std::fmt;

/// A guard level. docs/float.md says what each needs from an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Guards {
    /// Level 0: the adapter has IEEE arithmetic with denormals, Inf and NaN. Most do.
    #[default]
    Ieee,
    /// The same arithmetic as level 0, for adapters that have it only in shaders with float controls.
    Preserved,
    /// Level 1: the adapter has sums and products of normal numbers.
    Normal,
    /// Level 2: the adapter has 32-bit integers.
    Integers,
}

impl Guards {
    /// All levels, the cheapest first.
    pub const ALL: [Guards; 4] =
        [Guards::Ieee, Guards::Preserved, Guards::Normal, Guards::Integers];

    /// Whether shaders at this level have float controls.
    pub fn controlled(self) -> bool {
        match self {
            Guards::Preserved => true,
            Guards::Ieee | Guards::Normal | Guards::Integers => false,
        }
    }
}

impl fmt::Display for Guards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Guards::Ieee => "0",
            Guards::Preserved => "preserved",
            Guards::Normal => "1",
            Guards::Integers => "2",
        })
    }
}
