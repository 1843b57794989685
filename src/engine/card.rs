//! The least time that a graphics card of 2006 would need for a launch. `ctm run --stats` and `ctm
//! bench` share this model. The performance counters use another one (`device::active_clocks`);
//! docs/assumptions.md compares the two (CNT-3).

use super::{Checked, Statistics};

/// The peak rates of a card.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Card {
    /// Its name.
    pub name: &'static str,
    /// Point-instructions issued per second. An RGB and an alpha operation together count as one.
    pub instructions: f64,
    /// Texels fetched per second.
    pub fetches: f64,
    /// Bytes that its memory moves per second.
    pub bytes: f64,
}

/// ATI's Radeon X1900 XTX: 48 pixel processors and 16 texture units at 650 MHz, 256 bits of
/// memory at 1550 MHz.
pub const X1900_XTX: Card =
    Card { name: "X1900 XTX", instructions: 31.2e9, fetches: 10.4e9, bytes: 49.6e9 };

/// The rate of a card that bounds a launch.
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
    const ALL: [Bound; 3] = [Bound::Instructions, Bound::Fetches, Bound::Memory];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Bound::Instructions => "instructions",
            Bound::Fetches => "fetches",
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
    /// The least time of a launch with these statistics that moves these [`bytes`]. The units work
    /// in parallel, so the slowest one decides. Instructions that fetch count as fetches only.
    pub fn least(&self, statistics: &Statistics, bytes: u64) -> CardTime {
        let fetches = statistics.fetches;
        let others = statistics.lane_instructions.saturating_sub(fetches);
        let seconds = [
            others as f64 / self.instructions,
            fetches as f64 / self.fetches,
            bytes as f64 / self.bytes,
        ];
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
    bound_by: [f64; 3],
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
fn slowest(seconds: &[f64; 3]) -> usize {
    (1..3).fold(0, |most, n| match seconds[n] > seconds[most] {
        true => n,
        false => most,
    })
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
