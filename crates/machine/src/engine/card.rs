//! The least time that a graphics card of 2006 would need for a launch. `ctm run --stats` and `ctm
//! bench` share this model. The performance counters and `ctm profile` use another one
//! (`device::Clocks`); docs/assumptions.md compares the two (CNT-3).

use super::{Checked, Statistics};

/// The peak rates of a card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Card {
    /// Its name.
    pub name: &'static str,
    /// Clocks per second of its processors, texture units and dispatchers.
    pub clock: f64,
    /// Point-instructions issued per second. An RGB and an alpha operation together count as one.
    pub instructions: f64,
    /// Texels fetched per second.
    pub fetches: f64,
    /// Flow-control instructions of groups per second.
    pub flow: f64,
    /// Bytes that its memory moves per second.
    pub bytes: f64,
}

/// ATI's Radeon X1900 XTX: 48 pixel processors, 16 texture units and 4 dispatchers at 650 MHz, 256
/// bits of memory at 1550 MHz.
pub const X1900_XTX: Card = Card {
    name: "X1900 XTX",
    clock: 650e6,
    instructions: 31.2e9,
    fetches: 10.4e9,
    flow: 2.6e9,
    bytes: 49.6e9,
};

/// The rate of a card that bounds a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// The instructions of the processors.
    Instructions,
    /// Fetches.
    Fetches,
    /// The flow control of groups: the dispatchers take as long for a group with one active point as
    /// for a full one.
    Flow,
    /// Memory.
    Memory,
}

impl Bound {
    /// All bounds.
    pub const ALL: [Bound; 4] = [Bound::Instructions, Bound::Fetches, Bound::Flow, Bound::Memory];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Instructions => "instructions",
            Bound::Fetches => "fetches",
            Bound::Flow => "flow control",
            Bound::Memory => "memory",
        }
    }
}

/// Bytes that move between memory and the processors if the launch reads or writes every byte of
/// each of its surfaces once.
pub fn bytes(launch: &Checked<'_>) -> u64 {
    let read = launch.reads.iter().map(|read| &read.span);
    let written = launch.writes.iter().map(|written| &written.span);
    read.chain(written).map(|span| span.end - span.start).sum()
}

impl Card {
    /// The seconds that each part of the card needs for a launch with these statistics that moves
    /// these [`bytes`]. Instructions that fetch count as fetches only.
    pub fn parts(&self, statistics: &Statistics, bytes: u64) -> [(Bound, f64); 4] {
        Bound::ALL.map(|bound| {
            let fetches = statistics.fetches;
            let seconds = match bound {
                Bound::Instructions => {
                    let others = statistics.lane_instructions.saturating_sub(fetches);
                    others as f64 / self.instructions
                }
                Bound::Fetches => fetches as f64 / self.fetches,
                Bound::Flow => statistics.fc as f64 / self.flow,
                Bound::Memory => bytes as f64 / self.bytes,
            };
            (bound, seconds)
        })
    }

    /// The least time of a launch with these statistics that moves these [`bytes`]. The parts of the
    /// card work in parallel, so the slowest one decides.
    pub fn least(&self, statistics: &Statistics, bytes: u64) -> CardTime {
        let seconds = self.parts(statistics, bytes).map(|(_, seconds)| seconds);
        let bound = slowest(&seconds);
        let mut time = CardTime::default();
        time.bound_by[bound] = seconds[bound];
        time
    }
}

/// The least time of consecutive launches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CardTime {
    /// Seconds spent in launches bounded by each [`Bound`].
    bound_by: [f64; 4],
}

impl CardTime {
    /// Seconds of all launches.
    pub fn seconds(&self) -> f64 {
        self.bound_by.iter().sum()
    }

    /// The bound of the launches that take the most time together.
    pub fn bound(&self) -> Bound {
        Bound::ALL[slowest(&self.bound_by)]
    }
}

impl std::ops::AddAssign for CardTime {
    fn add_assign(&mut self, other: CardTime) {
        for (sum, more) in self.bound_by.iter_mut().zip(other.bound_by) {
            *sum += more;
        }
    }
}

/// The index of the largest number; of equal numbers, the first.
fn slowest(seconds: &[f64; 4]) -> usize {
    (1..4).fold(0, |most, n| if seconds[n] > seconds[most] { n } else { most })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_card_is_bound_by_its_slowest_part() {
        let statistics = Statistics {
            lane_instructions: 31_200_000_000 + 10_400_000_000,
            fetches: 10_400_000_000,
            ..Statistics::default()
        };
        let least = |statistics, bytes| {
            let time = X1900_XTX.least(statistics, bytes);
            (time.seconds(), time.bound())
        };
        assert_eq!(least(&statistics, 99_200_000_000), (2.0, Bound::Memory));
        assert_eq!(least(&statistics, 0), (1.0, Bound::Instructions));
        let fetching = Statistics { fetches: 20_800_000_000, ..statistics };
        assert_eq!(least(&fetching, 0), (2.0, Bound::Fetches));
        let flowing = Statistics { fc: 10_400_000_000, ..statistics };
        assert_eq!(least(&flowing, 0), (4.0, Bound::Flow));
    }

    #[test]
    fn launches_follow_one_another() {
        let statistics = Statistics { lane_instructions: 31_200_000_000, ..Statistics::default() };
        let mut sum = X1900_XTX.least(&statistics, 0);
        sum += X1900_XTX.least(&Statistics::default(), 148_800_000_000);
        sum += X1900_XTX.least(&statistics, 49_600_000_000);
        assert_eq!((sum.seconds(), sum.bound()), (5.0, Bound::Memory));
    }
}
