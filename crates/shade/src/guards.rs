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
    /// Level 1: the adapter has sums and products of normal numbers.
    Normal,
    /// Level 2: the adapter has 32-bit integers.
    Integers,
}

impl Guards {
    /// All levels, the cheapest first.
    pub const ALL: [Guards; 5] =
        [Guards::Native, Guards::Repaired, Guards::Ieee, Guards::Normal, Guards::Integers];

    /// Whether shaders at this level need the driver's float controls
    /// (`Gpu::has_float_controls`).
    pub fn needs_float_controls(self) -> bool {
        match self {
            Guards::Native | Guards::Repaired => true,
            Guards::Ieee | Guards::Normal | Guards::Integers => false,
        }
    }
}

impl fmt::Display for Guards {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Guards::Native => "native",
            Guards::Repaired => "repaired",
            Guards::Ieee => "0",
            Guards::Normal => "1",
            Guards::Integers => "2",
        })
    }
}
