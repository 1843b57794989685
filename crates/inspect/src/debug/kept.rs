//! Checkpoints, thinned as they age.

use std::collections::BTreeMap;

/// States by their place on a line, and how many bytes each takes; together at most a number of
/// bytes. The first one and the last one that was added always stay.
pub(super) struct Kept<T> {
    states: BTreeMap<u64, (T, usize)>,
    room: usize,
    used: usize,
}

impl<T> Kept<T> {
    /// Room for `room` bytes.
    pub fn new(room: usize) -> Kept<T> {
        Kept { states: BTreeMap::new(), room, used: 0 }
    }

    pub fn clear(&mut self) {
        self.states.clear();
        self.used = 0;
    }

    pub fn has(&self, at: u64) -> bool {
        self.states.contains_key(&at)
    }

    /// The last state at or before a place.
    pub fn nearest(&self, at: u64) -> Option<(u64, &T)> {
        self.states.range(..=at).next_back().map(|(&at, (state, _))| (at, state))
    }

    /// Adds a state of `size` bytes. While there are too many, the one goes whose loss widens a gap
    /// least, measured by its distance from `at`: states are dense where the session is.
    pub fn add(&mut self, at: u64, state: T, size: usize) {
        let old = self.states.insert(at, (state, size));
        self.used = self.used + size - old.map_or(0, |(_, size)| size);
        while self.used > self.room {
            let places: Vec<u64> = self.states.keys().copied().collect();
            let worth = |n: usize| {
                let next = places.get(n + 1).copied().unwrap_or(at);
                let gap = next.saturating_sub(places[n - 1]) as f64;
                gap / (1 + at.abs_diff(places[n])) as f64
            };
            let least = (1..places.len())
                .filter(|&n| places[n] != at)
                .min_by(|&a, &b| worth(a).total_cmp(&worth(b)));
            let Some(n) = least else { break };
            let gone = self.states.remove(&places[n]);
            self.used -= gone.map_or(0, |(_, size)| size);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_dense_near_the_present_and_the_first_stays() {
        let mut kept = Kept::new(32);
        for at in 0..10_000 {
            kept.add(at, (), 1);
        }
        assert_eq!((kept.states.len(), kept.used), (32, 32));
        assert!(kept.has(0));
        assert!(kept.has(9_999) && kept.has(9_998));
        let places: Vec<u64> = kept.states.keys().copied().collect();
        for pair in places.windows(2) {
            assert!(pair[1] - pair[0] <= (10_000 - pair[0]).max(8), "{places:?}");
        }
    }

    #[test]
    fn large_states_make_others_go() {
        let mut kept = Kept::new(100);
        for at in 0..8 {
            kept.add(at, at, 10);
        }
        kept.add(9, 9, 60);
        assert!(kept.used <= 100 && kept.has(0) && kept.has(9), "{:?}", kept.states);
        kept.add(9, 9, 10);
        assert_eq!(kept.used, 10 * kept.states.len());
    }

    #[test]
    fn the_first_state_and_the_last_one_are_always_kept() {
        let mut kept = Kept::new(1);
        for at in [0, 5, 9] {
            kept.add(at, at, 100);
        }
        assert_eq!(kept.nearest(7), Some((0, &0)));
        assert_eq!(kept.nearest(9), Some((9, &9)));
    }
}
