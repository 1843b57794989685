//! A difference between two engines, as data and as text.

use super::origin::Origin;
use ctm_isa::isa::LETTERS;
use std::fmt;

/// The kind of a difference of which an engine refused the launch, or both for different reasons.
pub(super) const REFUSED: &str = "refused";

/// The first difference between two engines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The launch, from 0; `None` if unknown.
    pub launch: Option<u64>,
    /// The names of the two engines.
    pub engines: [String; 2],
    /// The values that differ.
    pub what: What,
}

/// The values that differ. Of two values, the first engine's comes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// The memories differ.
    Memory(Box<MemoryDifference>),
    /// Anything else.
    Other {
        /// One word for the kind: "fault", "statistics", ...
        kind: &'static str,
        /// The difference in words.
        text: String,
    },
}

/// A difference in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryDifference {
    /// The lowest byte that differs.
    pub address: u32,
    /// The number of bytes that differ.
    pub count: u64,
    /// The 32-bit words that contain that byte.
    pub words: [u32; 2],
    /// The surface, element and channel; `None`: no point of the launch writes there.
    pub place: Option<ChannelDifference>,
    /// The instruction of the reference engine's run that computed its value; `None` if no
    /// instruction did, or if it was not searched for.
    pub origin: Option<Origin>,
}

/// A place in a surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChannelDifference {
    /// "output 0", "the conditional buffer", or the name in the job.
    pub surface: String,
    /// Column and row of the element.
    pub element: (u32, u32),
    /// Channel, 0 to 3.
    pub channel: usize,
    /// The channel's values: float bits, or whole numbers for integer formats.
    pub values: [u32; 2],
    /// Whether the values are float bits.
    pub is_float: bool,
}

impl ChannelDifference {
    fn value(&self, n: usize) -> String {
        let value = self.values[n];
        if self.is_float {
            format!("{} (0x{value:08x})", f32::from_bits(value))
        } else {
            format!("{value} (0x{value:x})")
        }
    }
}

impl Difference {
    /// Whether an engine refused the launch, so that there is nothing to compare.
    pub fn is_refusal(&self) -> bool {
        self.kind() == REFUSED
    }

    /// One word for the kind, for counting: "memory", "fault", "statistics", ...
    pub fn kind(&self) -> &'static str {
        match &self.what {
            What::Memory(_) => "memory",
            What::Other { kind, .. } => kind,
        }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.engines;
        if let Some(launch) = self.launch {
            write!(f, "launch {launch}: ")?;
        }
        match &self.what {
            What::Memory(memory) => memory.write(f, first, second),
            What::Other { text, .. } => f.write_str(text),
        }
    }
}

impl MemoryDifference {
    fn write(&self, f: &mut fmt::Formatter<'_>, first: &str, second: &str) -> fmt::Result {
        let bytes = match self.count {
            1 => "1 byte differs".to_string(),
            n => format!("{n} bytes differ"),
        };
        match &self.place {
            Some(place) => {
                let (i, j) = self.origin.as_ref().map_or(place.element, |o| o.point);
                let channel = LETTERS[place.channel & 3];
                write!(f, "point ({i}, {j}): {}.{channel}", place.surface)?;
                if (i, j) != place.element {
                    write!(f, " at ({}, {})", place.element.0, place.element.1)?;
                }
                let (a, b) = (place.value(0), place.value(1));
                write!(f, ": {first} {a}, {second} {b}")?;
            }
            None => {
                let [a, b] = self.words;
                let at = self.address;
                write!(
                    f,
                    "memory at 0x{at:08x}, where no point writes: {first} 0x{a:08x}, {second} 0x{b:08x}"
                )?;
            }
        }
        if let Some(origin) = &self.origin {
            write!(f, "; {origin}")?;
        }
        write!(f, " ({bytes}, the first at 0x{:08x})", self.address)
    }
}
