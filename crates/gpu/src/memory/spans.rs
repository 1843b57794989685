//! Ranges of offsets.

use ctm_shade::plan::space::aligned;
use rangemap::RangeSet;
use std::ops::Range;

/// The set of some ranges, each rounded outwards to multiples of `align`.
pub(crate) fn set(ranges: impl Iterator<Item = Range<u64>>, align: u64) -> RangeSet<u64> {
    ranges.filter(|range| !range.is_empty()).map(|range| aligned(&range, align)).collect()
}

/// The part of a set inside a range.
pub(crate) fn part(set: &RangeSet<u64>, range: &Range<u64>) -> Vec<Range<u64>> {
    let parts = set.overlapping(range);
    parts.map(|one| one.start.max(range.start)..one.end.min(range.end)).collect()
}
