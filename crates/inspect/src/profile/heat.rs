//! The number of instructions that each point executed, and a picture of it.

use ctm_jobs::array::picture::Picture;
use ctm_machine::launch::Domain;
use std::sync::atomic::{AtomicU64, Ordering};

/// Instructions of each point of a domain, over all launches of a pass. A point that never started
/// has 0: a condition at the PE skipped it, or its group is not in the sample.
#[derive(Debug)]
pub struct Heat {
    domain: Domain,
    counts: Vec<AtomicU64>,
}

impl Heat {
    pub(super) fn new(domain: Domain) -> Heat {
        let points = if domain.is_empty() { 0 } else { domain.points() };
        Heat { domain, counts: (0..points).map(|_| AtomicU64::new(0)).collect() }
    }

    pub(super) fn add(&self, (i, j): (u32, u32), instructions: u64) {
        let Domain { i0, j0, .. } = self.domain;
        let n = u64::from(j - j0) * u64::from(self.domain.width()) + u64::from(i - i0);
        self.counts[n as usize].fetch_add(instructions, Ordering::Relaxed);
    }

    /// The points.
    pub fn domain(&self) -> Domain {
        self.domain
    }

    /// Instructions of each point, row by row.
    pub fn counts(&self) -> impl Iterator<Item = u64> {
        self.counts.iter().map(|count| count.load(Ordering::Relaxed))
    }

    /// The fewest and the most instructions of the points that started; `None` if none did.
    pub fn range(&self) -> Option<(u64, u64)> {
        let started = || self.counts().filter(|&count| count != 0);
        Some((started().min()?, started().max()?))
    }

    /// Whether all points have the same number, so that a picture shows nothing.
    pub fn is_even(&self) -> bool {
        let mut counts = self.counts();
        let first = counts.next();
        counts.all(|count| Some(count) == first)
    }

    /// A picture: one pixel for each point. The colours are [`COLOURS`], from the first for no
    /// instructions to the last for the most; points that never started are grey.
    pub fn picture(&self) -> Picture {
        let most = self.range().map_or(1, |(_, most)| most);
        let bytes = self.counts().flat_map(|count| match count {
            0 => NOT_STARTED,
            _ => colour(count as f64 / most as f64),
        });
        let bytes = bytes.collect();
        let (width, height) = if self.counts.is_empty() {
            (0, 0)
        } else {
            (self.domain.width(), self.domain.height())
        };
        Picture { width, height, bytes, grey: false }
    }
}

/// The colour of points that never started.
pub const NOT_STARTED: [u8; 3] = [128, 128, 128];

/// From none to most, at equal distances. Their lightness grows evenly, so the order is visible
/// without colours: these are points of the colour map "viridis".
pub const COLOURS: [[u8; 3]; 9] = [
    [68, 1, 84],
    [71, 44, 122],
    [59, 81, 139],
    [44, 113, 142],
    [33, 144, 141],
    [39, 173, 129],
    [92, 200, 99],
    [170, 220, 50],
    [253, 231, 37],
];

/// The colour of a part of the most, 0 to 1.
fn colour(part: f64) -> [u8; 3] {
    let place = part.clamp(0.0, 1.0) * (COLOURS.len() - 1) as f64;
    let low = (place as usize).min(COLOURS.len() - 2);
    let between = place - low as f64;
    std::array::from_fn(|n| {
        let (a, b) = (f64::from(COLOURS[low][n]), f64::from(COLOURS[low + 1][n]));
        (a + between * (b - a)).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_point_has_its_pixel() {
        let heat = Heat::new(Domain { i0: 3, j0: 5, i1: 4, j1: 6 });
        assert_eq!((heat.range(), heat.picture().bytes[0]), (None, 128));
        heat.add((4, 5), 6);
        heat.add((3, 6), 2);
        heat.add((4, 5), 2);
        assert_eq!(heat.counts().collect::<Vec<_>>(), [0, 8, 2, 0]);
        assert_eq!(heat.range(), Some((2, 8)));
        let picture = heat.picture();
        assert_eq!((picture.width, picture.height), (2, 2));
        let expected = [NOT_STARTED, COLOURS[8], COLOURS[2], NOT_STARTED];
        assert_eq!(picture.bytes, expected.concat());
    }

    #[test]
    fn an_empty_domain_has_no_pixels() {
        let heat = Heat::new(Domain { i0: 1, j0: 0, i1: 0, j1: 5 });
        assert_eq!((heat.range(), heat.picture().bytes.len()), (None, 0));
    }
}
