//! The performance counters and their clock model \[G 4, 12\]: that of [`ctm_isa::timing`].

use crate::engine::Statistics;
use crate::engine::groups::SLOTS;
use ctm_isa::timing;

/// Clocks to start and drain the array.
const LATENCY: u64 = 200;

/// The parts of a clock that [`Clocks`] counts in.
pub use ctm_isa::timing::PARTS;

const _: () = assert!(timing::GROUP == SLOTS as u64);

/// The time of the three kinds of units in twelfths of a clock ([`PARTS`]): each as if the others took
/// none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Clocks {
    /// The processors: 64 A / 48 clocks for A group instructions ALU and OUT.
    pub alu: u64,
    /// The texture units: 64 T / 16 clocks for T group instructions that fetch.
    pub texture: u64,
    /// The dispatchers: F / 4 clocks for F group instructions FC.
    pub flow: u64,
}

impl std::ops::AddAssign for Clocks {
    fn add_assign(&mut self, other: Clocks) {
        self.alu = self.alu.saturating_add(other.alu);
        self.texture = self.texture.saturating_add(other.texture);
        self.flow = self.flow.saturating_add(other.flow);
    }
}

impl Clocks {
    /// The time of what statistics count.
    pub fn of(statistics: &Statistics) -> Clocks {
        let time = |instructions: u64, parts: u64| instructions.saturating_mul(parts);
        let processed = statistics.alu.saturating_add(statistics.out);
        Clocks {
            alu: time(processed, timing::ALU),
            texture: time(statistics.tex_fetching, timing::TEXTURE),
            flow: time(statistics.fc, timing::FLOW),
        }
    }

    /// The time of all units.
    pub fn sum(&self) -> u64 {
        self.alu.saturating_add(self.texture).saturating_add(self.flow)
    }

    /// The time of the slowest units.
    pub fn slowest(&self) -> u64 {
        self.alu.max(self.texture).max(self.flow)
    }

    /// The whole clocks during which a launch with these statistics keeps at least one processor
    /// active: those of the slowest units, 200, and the conflicts of shared registers. 0 if no group
    /// ran.
    pub fn active(&self, statistics: &Statistics) -> u64 {
        match statistics.groups {
            0 => 0,
            _ => (self.slowest().div_ceil(PARTS))
                .saturating_add(LATENCY)
                .saturating_add(statistics.shared_conflicts),
        }
    }
}

/// The clocks during which a launch keeps at least one processor active: [`Clocks::active`].
pub fn active_clocks(statistics: &Statistics) -> u64 {
    Clocks::of(statistics).active(statistics)
}

/// The two counters. They count while enabled and running, and saturate at 2^32-1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Counters {
    /// The enable bit of init_perf_counters.
    pub enabled: bool,
    /// Whether a start came without a later stop.
    pub running: bool,
    /// All clocks: the active ones, and one per word of the command buffer read.
    pub total: u32,
    /// Clocks with at least one active processor.
    pub active: u32,
}

impl Counters {
    /// init_perf_counters: sets the enable bit, and nothing else.
    pub fn init(&mut self, enable: bool) {
        self.enabled = enable;
    }
    /// start_perf_counters: zeroes and starts them, if enabled.
    pub fn start(&mut self) {
        if self.enabled {
            *self = Counters { enabled: true, running: true, ..Counters::default() };
        }
    }
    /// stop_perf_counters: stops them, if enabled.
    pub fn stop(&mut self) {
        if self.enabled {
            self.running = false;
        }
    }
    /// Whether they count now.
    pub fn counting(&self) -> bool {
        self.enabled && self.running
    }
    /// Counts words read from the command buffer.
    pub fn words(&mut self, words: usize) {
        if self.counting() {
            self.total = saturating(self.total, words as u64);
        }
    }
    /// Counts a launch.
    pub fn launch(&mut self, statistics: &Statistics) {
        if self.counting() {
            let clocks = active_clocks(statistics);
            self.total = saturating(self.total, clocks);
            self.active = saturating(self.active, clocks);
        }
    }
    /// The bytes that read_perf_counters writes: two little-endian words, all clocks and active
    /// clocks.
    pub fn to_bytes(&self) -> [u8; 8] {
        (u64::from(self.active) << 32 | u64::from(self.total)).to_le_bytes()
    }
}

fn saturating(counter: u32, clocks: u64) -> u32 {
    counter.saturating_add(u32::try_from(clocks).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn statistics(alu: u64, out: u64, tex_fetching: u64, fc: u64) -> Statistics {
        Statistics {
            groups: 1,
            alu,
            out,
            // All TEX instructions; only those that fetch cost texture clocks.
            tex: tex_fetching + 1000,
            tex_fetching,
            fc,
            ..Statistics::default()
        }
    }

    #[test]
    fn clock_model() {
        assert_eq!(active_clocks(&Statistics::default()), 0);
        assert_eq!(active_clocks(&statistics(0, 0, 0, 0)), 200);
        // 64 * 3 / 48 = 4; one more instruction is 5.33, rounded up.
        assert_eq!(active_clocks(&statistics(2, 1, 0, 0)), 204);
        assert_eq!(active_clocks(&statistics(3, 1, 0, 0)), 206);
        // 64 * 2 / 16 = 8 wins over ALU 5.33 and FC 2.
        assert_eq!(active_clocks(&statistics(3, 1, 2, 8)), 208);
        // 37 / 4 = 9.25 wins.
        assert_eq!(active_clocks(&statistics(3, 1, 2, 37)), 210);
        assert_eq!(active_clocks(&statistics(u64::MAX, 1, 0, 0)), u64::MAX / 12 + 201);
    }

    #[test]
    fn disabled_counters_do_nothing() {
        let mut counters = Counters::default();
        counters.start();
        counters.words(10);
        counters.launch(&statistics(1, 1, 1, 1));
        counters.stop();
        assert_eq!(counters, Counters::default());
    }

    #[test]
    fn start_zeroes_stop_holds_and_both_saturate() {
        let mut counters = Counters::default();
        counters.init(true);
        counters.start();
        counters.words(3);
        counters.launch(&statistics(2, 1, 0, 0));
        counters.stop();
        counters.words(100);
        counters.launch(&statistics(2, 1, 0, 0));
        assert_eq!((counters.total, counters.active), (207, 204));
        assert_eq!(counters.to_bytes(), [207, 0, 0, 0, 204, 0, 0, 0]);
        counters.start();
        assert_eq!((counters.total, counters.active), (0, 0));
        counters.launch(&statistics(0, 0, 1 << 40, 0));
        counters.words(5);
        assert_eq!((counters.total, counters.active), (u32::MAX, u32::MAX));
        // The enable bit alone neither stops nor zeroes them.
        counters.init(false);
        assert_eq!((counters.total, counters.running), (u32::MAX, true));
    }
}
