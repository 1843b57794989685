//! The model of time: what each part of the card needs for launches. The list of lines, what bounds a
//! pass, and the roofline all use it. It is the model of the performance counters with the memory
//! added (CNT-1 and CNT-3 in docs/assumptions.md).

use ctm_machine::device::{Clocks, PARTS};
use ctm_machine::engine::Statistics;
use ctm_machine::engine::card::{Bound, X1900_XTX};

/// The time of launches, in twelfths of a clock ([`PARTS`]). The parts of the card work in parallel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Time {
    /// Of the processors, the texture units and the dispatchers.
    pub units: Clocks,
    /// Of the memory, if each byte of the surfaces moves once.
    pub memory: u64,
    /// Of the slowest part of each launch.
    pub least: u64,
}

impl std::ops::AddAssign for Time {
    fn add_assign(&mut self, other: Time) {
        self.units += other.units;
        self.memory = self.memory.saturating_add(other.memory);
        self.least = self.least.saturating_add(other.least);
    }
}

impl Time {
    /// The time of one launch that moves these bytes.
    pub fn of_launch(statistics: &Statistics, bytes: u64) -> Time {
        let units = Clocks::of(statistics);
        let parts_of_a_byte = PARTS as f64 * X1900_XTX.clock / X1900_XTX.bytes;
        let memory = (bytes as f64 * parts_of_a_byte).ceil() as u64;
        Time { units, memory, least: units.slowest().max(memory) }
    }

    /// The time of each part of the card.
    pub fn parts(&self) -> [(Bound, u64); 4] {
        Bound::ALL.map(|bound| {
            let time = match bound {
                Bound::Instructions => self.units.alu,
                Bound::Fetches => self.units.texture,
                Bound::Flow => self.units.flow,
                Bound::Memory => self.memory,
            };
            (bound, time)
        })
    }

    /// The part that takes the most time; of equal ones the first.
    pub fn bound(&self) -> Bound {
        let [first, rest @ ..] = self.parts();
        rest.into_iter().fold(first, |most, part| if part.1 > most.1 { part } else { most }).0
    }

    /// The seconds of the slowest part of each launch.
    pub fn seconds(&self) -> f64 {
        seconds(self.least)
    }
}

/// A time as clocks.
pub fn clocks(time: u64) -> f64 {
    time as f64 / PARTS as f64
}

/// A time in seconds.
pub fn seconds(time: u64) -> f64 {
    clocks(time) / X1900_XTX.clock
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slowest_part_of_each_launch_counts() {
        // 64 * 3 / 48, 64 * 2 / 16 and 37 / 4 clocks.
        let statistics = Statistics {
            groups: 1,
            alu: 2,
            out: 1,
            tex: 5,
            tex_fetching: 2,
            fc: 37,
            ..Statistics::default()
        };
        let mut time = Time::of_launch(&statistics, 0);
        let parts = time.parts().map(|(_, part)| clocks(part));
        assert_eq!((parts, clocks(time.least)), ([4.0, 8.0, 9.25, 0.0], 9.25));
        assert_eq!(time.bound(), Bound::Flow);
        // 49.6 GB take a second, which has 650 million clocks.
        let memory = Time::of_launch(&statistics, 49_600_000_000);
        assert_eq!((memory.memory, memory.bound()), (12 * 650_000_000, Bound::Memory));
        assert_eq!(memory.seconds(), 1.0);
        time += memory;
        assert_eq!(clocks(time.least), 650_000_009.25);
        assert_eq!(Time::of_launch(&Statistics::default(), 0), Time::default());
        assert_eq!(Time::default().bound(), Bound::Instructions);
    }
}
