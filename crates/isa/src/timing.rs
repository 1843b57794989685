//! The time that instructions take, by the model of the performance counters \[G 4, 12\]: an X1900 XTX (R580) has 48
//! processors, each with one ALU/OUT pair per clock, 16 texture units, and 4 flow-control dispatchers, all of them overlapping.

/// Points per group instruction.
pub const GROUP: u64 = 64;
/// Processors; each executes one ALU or OUT instruction of one point per clock.
const PROCESSORS: u64 = 48;
/// Texture units; each executes one fetch per clock.
const TEXTURE_UNITS: u64 = 16;
/// Dispatchers; each executes one flow-control instruction of one group per clock.
const DISPATCHERS: u64 = 4;

/// The parts of a clock that times are counted in. A group instruction takes a whole number of them on
/// any unit, so sums are exact.
pub const PARTS: u64 = 12;

/// The parts that a group instruction ALU or OUT takes.
pub const ALU: u64 = PARTS * GROUP / PROCESSORS;
/// The parts that a group instruction takes that fetches.
pub const TEXTURE: u64 = PARTS * GROUP / TEXTURE_UNITS;
/// The parts that a group instruction FC takes.
pub const FLOW: u64 = PARTS / DISPATCHERS;
