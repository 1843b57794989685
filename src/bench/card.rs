//! What a graphics card of 2006 would need for the same work.

use super::Work;

/// The peak rates of a card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Card {
    /// Its name.
    pub name: &'static str,
    /// Clocks of its processors in a second.
    pub clock: f64,
    /// Instructions that it can issue in a second: an RGB and an alpha operation are one.
    pub instructions: f64,
    /// Texels that it can fetch in a second.
    pub fetches: f64,
    /// Bytes that its memory can move in a second.
    pub bytes: f64,
}

/// ATI's Radeon X1900 XTX: 48 pixel processors and 16 texture units at 650 MHz, 256 bits of
/// memory at 1550 MHz.
pub const X1900_XTX: Card = Card {
    name: "X1900 XTX",
    clock: 650e6,
    instructions: 31.2e9,
    fetches: 10.4e9,
    bytes: 49.6e9,
};

/// Which of a card's rates bounds some work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// Arithmetic and flow control.
    Instructions,
    /// Fetches.
    Fetches,
    /// Memory.
    Memory,
}

impl Bound {
    /// A word for tables.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Instructions => "instructions",
            Bound::Fetches => "fetches",
            Bound::Memory => "memory",
        }
    }
}

impl Card {
    /// The least seconds that the work can take, and the rate that bounds it: the units work side
    /// by side, so the slowest one decides. Instructions that fetch count as fetches only.
    pub fn seconds(&self, work: &Work) -> (f64, Bound) {
        let fetches = work.fetches as f64;
        let others = work.instructions.saturating_sub(work.fetches) as f64;
        [
            (others / self.instructions, Bound::Instructions),
            (fetches / self.fetches, Bound::Fetches),
            (work.bytes as f64 / self.bytes, Bound::Memory),
        ]
        .into_iter()
        .fold((0.0, Bound::Instructions), |most, one| {
            if one.0 > most.0 { one } else { most }
        })
    }
}
