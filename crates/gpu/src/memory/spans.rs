//! Sets of offsets as ranges.

use std::ops::Range;

/// Ranges in ascending order that neither overlap nor touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spans(Vec<Range<u64>>);

/// A range rounded outwards to multiples of `align`, a power of two. An empty range stays empty.
pub(crate) fn aligned(range: &Range<u64>, align: u64) -> Range<u64> {
    if range.is_empty() {
        return range.clone();
    }
    range.start & !(align - 1)..range.end.next_multiple_of(align)
}

impl Spans {
    /// The ranges.
    pub(crate) fn ranges(&self) -> &[Range<u64>] {
        &self.0
    }

    /// The ranges that `range` overlaps or touches.
    fn neighbours(&self, range: &Range<u64>) -> Range<usize> {
        let first = self.0.partition_point(|r| r.end < range.start);
        first..self.0.partition_point(|r| r.start <= range.end).max(first)
    }

    /// Adds a range, rounded outwards to multiples of `align`.
    pub(crate) fn add(&mut self, range: &Range<u64>, align: u64) {
        let mut range = aligned(range, align);
        if range.is_empty() {
            return;
        }
        let met = self.neighbours(&range);
        if let [first, ..] = &self.0[met.clone()] {
            range.start = range.start.min(first.start);
        }
        if let [.., last] = &self.0[met.clone()] {
            range.end = range.end.max(last.end);
        }
        self.0.splice(met, [range]);
    }

    /// Removes a range.
    pub(crate) fn remove(&mut self, range: &Range<u64>) {
        if range.is_empty() {
            return;
        }
        let met = self.neighbours(range);
        let rest: Vec<Range<u64>> = self.0[met.clone()]
            .iter()
            .flat_map(|r| [r.start..r.end.min(range.start), r.start.max(range.end)..r.end])
            .filter(|r| !r.is_empty())
            .collect();
        self.0.splice(met, rest);
    }

    /// Whether any offset of a range is in the set.
    pub(crate) fn touches(&self, range: &Range<u64>) -> bool {
        self.0[self.neighbours(range)]
            .iter()
            .any(|r| r.start.max(range.start) < r.end.min(range.end))
    }

    /// The part of the set inside a range, which is first rounded outwards to multiples of `align`.
    pub(crate) fn within(&self, range: &Range<u64>, align: u64) -> Vec<Range<u64>> {
        let range = aligned(range, align);
        self.0[self.neighbours(&range)]
            .iter()
            .map(|r| r.start.max(range.start)..r.end.min(range.end))
            .filter(|r| !r.is_empty())
            .collect()
    }

    /// The parts of a range that are not in the set.
    pub(crate) fn outside(&self, range: &Range<u64>) -> Vec<Range<u64>> {
        let mut at = range.start;
        let mut rest = Vec::new();
        for taken in self.within(range, 1) {
            rest.push(at..taken.start);
            at = taken.end;
        }
        rest.push(at..range.end);
        rest.retain(|r| !r.is_empty());
        rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ctm_isa::random::Random;

    /// Compares the set with one flag per offset.
    #[test]
    fn a_set_of_ranges_is_a_set() {
        const SEED: u64 = 0x5ba5;
        println!("seed {SEED:#x}");
        let mut random = Random::new(&[SEED]);
        for _ in 0..200 {
            let mut spans = Spans::default();
            let mut flags = [false; 64];
            for _ in 0..12 {
                let a = u64::from(random.below(64));
                let b = u64::from(random.range(a as u32, 64));
                let align = 1 << random.below(3);
                if random.below(3) == 0 {
                    spans.remove(&(a..b));
                    flags[a as usize..b as usize].fill(false);
                } else {
                    spans.add(&(a..b), align);
                    let wide = aligned(&(a..b), align);
                    flags[wide.start as usize..wide.end as usize].fill(true);
                }
                let of = |ranges: &[Range<u64>]| {
                    let mut set = [false; 64];
                    for r in ranges {
                        set[r.start as usize..r.end as usize].fill(true);
                    }
                    set
                };
                assert_eq!(of(spans.ranges()), flags);
                let gaps = spans.ranges().windows(2).all(|w| w[0].end < w[1].start);
                assert!(gaps, "{spans:?}");
                let (a, b) = (a as usize, b as usize);
                let range = a as u64..b as u64;
                assert_eq!(spans.touches(&range), flags[a..b].contains(&true));
                let inside = of(&spans.within(&range, 1));
                let outside = of(&spans.outside(&range));
                for n in 0..64 {
                    let here = (a..b).contains(&n);
                    assert_eq!(inside[n], here && flags[n]);
                    assert_eq!(outside[n], here && !flags[n]);
                }
            }
        }
    }
}
