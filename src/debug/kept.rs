//! Checkpoints, thinned as they age.

use std::collections::BTreeMap;

/// States by their place on a line, at most a fixed number of them. The first one always stays.
pub(super) struct Kept<T> {
    states: BTreeMap<u64, T>,
    limit: usize,
}

impl<T> Kept<T> {
    /// Room for as many states of `size` bytes as fit into `bytes`, and for the first one.
    pub fn new(bytes: usize, size: usize) -> Kept<T> {
        Kept { states: BTreeMap::new(), limit: (bytes / size.max(1)).max(1) }
    }

    pub fn clear(&mut self) {
        self.states.clear();
    }

    pub fn has(&self, at: u64) -> bool {
        self.states.contains_key(&at)
    }

    /// The last state at or before a place.
    pub fn nearest(&self, at: u64) -> Option<(u64, &T)> {
        self.states.range(..=at).next_back().map(|(&at, state)| (at, state))
    }

    /// Adds a state. If there are too many, the one goes whose loss widens a gap least, measured
    /// by its distance from `at`: states are dense where the session is.
    pub fn add(&mut self, at: u64, state: T) {
        self.states.insert(at, state);
        if self.states.len() <= self.limit {
            return;
        }
        let places: Vec<u64> = self.states.keys().copied().collect();
        let worth = |n: usize| {
            let next = places.get(n + 1).copied().unwrap_or(at);
            let gap = next.saturating_sub(places[n - 1]) as f64;
            gap / (1 + at.abs_diff(places[n])) as f64
        };
        let least = (1..places.len())
            .filter(|&n| places[n] != at || places.len() == 2)
            .min_by(|&a, &b| worth(a).total_cmp(&worth(b)));
        if let Some(n) = least {
            self.states.remove(&places[n]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_dense_near_the_present_and_the_first_stays() {
        let mut kept = Kept::new(32, 1);
        for at in 0..10_000 {
            kept.add(at, ());
        }
        assert_eq!(kept.states.len(), 32);
        assert!(kept.has(0));
        assert!(kept.has(9_999) && kept.has(9_998));
        let places: Vec<u64> = kept.states.keys().copied().collect();
        for pair in places.windows(2) {
            assert!(pair[1] - pair[0] <= (10_000 - pair[0]).max(8), "{places:?}");
        }
    }

    #[test]
    fn one_state_is_always_kept() {
        let mut kept = Kept::new(1, 100);
        for at in [0, 5, 9] {
            kept.add(at, at);
        }
        assert_eq!(kept.nearest(7), Some((0, &0)));
    }
}
