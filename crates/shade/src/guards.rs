//! The guard levels: how far exact arithmetic trusts an adapter.

use std::fmt;

/// A guard level. docs/float.md says what each needs from an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Guards {
    /// Level 0: the adapter has IEEE arithmetic with denormals, Inf and NaN. Most do.
    #[default]
    Ieee,
    /// Level 0, and RCP and RSQ from the adapter's own functions and fused multiply-adds.
    Fused,
    /// The same arithmetic as level 0, for adapters that have it only in shaders with float controls.
    Preserved,
    /// The same as [`Guards::Fused`], in such shaders.
    PreservedFused,
    /// Level 1: the adapter has sums and products of normal numbers.
    Normal,
    /// Level 2: the adapter has 32-bit integers.
    Integers,
}

impl Guards {
    /// All levels.
    pub const ALL: [Guards; 6] = [
        Guards::Ieee,
        Guards::Fused,
        Guards::Preserved,
        Guards::PreservedFused,
        Guards::Normal,
        Guards::Integers,
    ];

    /// The levels among which a few hard operands decide, the cheapest first.
    pub fn basic() -> impl Iterator<Item = Guards> {
        Guards::ALL.into_iter().filter(|level| !level.is_fused())
    }

    /// This level with RCP and RSQ from the adapter's own functions, if it has that. Only a comparison
    /// of all fractions allows it ([`crate::probe::seeded`]).
    pub fn fused(self) -> Option<Guards> {
        match self {
            Guards::Ieee | Guards::Fused => Some(Guards::Fused),
            Guards::Preserved | Guards::PreservedFused => Some(Guards::PreservedFused),
            Guards::Normal | Guards::Integers => None,
        }
    }

    fn is_fused(self) -> bool {
        self.fused() == Some(self)
    }

    /// Whether shaders at this level have float controls.
    pub fn controlled(self) -> bool {
        match self {
            Guards::Preserved | Guards::PreservedFused => true,
            Guards::Ieee | Guards::Fused | Guards::Normal | Guards::Integers => false,
        }
    }
}

impl fmt::Display for Guards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Guards::Ieee => "0",
            Guards::Fused => "0 fused",
            Guards::Preserved => "preserved",
            Guards::PreservedFused => "preserved fused",
            Guards::Normal => "1",
            Guards::Integers => "2",
        })
    }
}
