//! A difference between two engines, as data and as text.

use super::origin::Origin;
use ctm_isa::isa::LETTERS;
use ctm_lang::program::SourceRef;
use ctm_machine::engine::{Fault, FaultCode};
use std::fmt;

/// The first difference between two engines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The launch, from 0; `None` if unknown.
    pub launch: Option<u64>,
    /// The names of the two engines.
    pub engines: [String; 2],
    /// What differs.
    pub what: What,
}

/// The kinds of difference. Of two values, the first engine's comes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// An engine crashed.
    Panic {
        /// The panic messages; `None`: it did not crash.
        messages: [Option<String>; 2],
    },
    /// One engine refused the launch, or both did for different reasons.
    Refused {
        /// The reasons; `None`: it ran the launch.
        reasons: [Option<String>; 2],
    },
    /// The memories differ.
    Memory(Box<MemoryDifference>),
    /// The faults of a code differ: count, first point, instruction, number, word.
    Fault {
        /// The code.
        code: FaultCode,
        /// The faults that each reported.
        faults: [Option<Fault>; 2],
        /// Where the program was written.
        source: SourceRef,
    },
    /// A counter differs; `None`: the engine keeps no statistics.
    Statistic {
        /// Its name.
        name: &'static str,
        /// The values.
        values: [Option<u64>; 2],
    },
    /// The global registers differ after the launch; this is the first channel.
    Register {
        /// The SIMD.
        simd: usize,
        /// The register.
        register: usize,
        /// The lane.
        lane: usize,
        /// The channel, 0 to 3.
        channel: usize,
        /// The bits.
        values: [u32; 2],
    },
    /// The reported hazards differ.
    Hazards {
        /// The texts.
        texts: [Vec<String>; 2],
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
        matches!(self.what, What::Refused { .. })
    }

    /// One word for the kind, for counting: "memory", "fault", "statistics", ...
    pub fn kind(&self) -> &'static str {
        match &self.what {
            What::Panic { .. } => "panic",
            What::Refused { .. } => "refused",
            What::Memory(_) => "memory",
            What::Fault { .. } => "fault",
            What::Statistic { .. } => "statistics",
            What::Register { .. } => "registers",
            What::Hazards { .. } => "hazards",
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
            What::Panic { messages } => {
                let mut said = [first, second].into_iter().zip(messages);
                let (engine, message) = said
                    .find_map(|(engine, message)| Some((engine, message.as_ref()?)))
                    .unwrap_or((first, second));
                write!(f, "engine {engine} crashed: {message}")
            }
            What::Refused { reasons } => {
                let text = |reason: &Option<String>| match reason {
                    Some(reason) => format!("refused it: {reason}"),
                    None => "ran it".to_string(),
                };
                let [a, b] = reasons;
                write!(f, "{first} {}; {second} {}", text(a), text(b))
            }
            What::Memory(memory) => memory.write(f, first, second),
            What::Fault { code, faults, source } => {
                let text = |fault: &Option<Fault>| {
                    fault.map_or("none".to_string(), |fault| {
                        format!(
                            "{} times, first at point ({}, {}), {}, after {} instructions, \
                             number {}, word 0x{:08x}",
                            fault.count,
                            fault.i,
                            fault.j,
                            source.place(fault.pc),
                            fault.order,
                            fault.slot,
                            fault.word
                        )
                    })
                };
                let [a, b] = faults;
                let code = code.name();
                write!(f, "fault {code}: {first}: {}; {second}: {}", text(a), text(b))
            }
            What::Statistic { name, values } => {
                let text = |value: Option<u64>| value.map_or("none".into(), |v| v.to_string());
                let [a, b] = values.map(text);
                write!(f, "statistics: {name}: {first} {a}, {second} {b}")
            }
            What::Register { simd, register, lane, channel, values } => {
                let text = |bits: u32| format!("{} (0x{bits:08x})", f32::from_bits(bits));
                let [a, b] = values.map(text);
                let channel = LETTERS[channel & 3];
                write!(
                    f,
                    "SIMD {simd}, lane {lane}: g{register}.{channel}: {first} {a}, {second} {b}"
                )
            }
            What::Hazards { texts } => {
                let [a, b] = texts.each_ref().map(|t| match t.len() {
                    0 => "none".to_string(),
                    _ => t.join("; "),
                });
                write!(f, "hazards: {first}: {a}; {second}: {b}")
            }
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
