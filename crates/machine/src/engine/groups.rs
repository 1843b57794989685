//! The division of points into groups: 64 slots, a fixed tile of the domain, the same on every
//! engine.
//!
//! The Guide does not define the grouping; the tiles are our decision (docs/assumptions.md).

use crate::launch::{Domain, Launch};

/// Slots of a group.
pub const SLOTS: usize = 64;

/// The tiles that cut a domain into groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grouping {
    /// Columns of a tile: 8, 32 or 64. Tiles are aligned to multiples of it.
    pub width: u32,
    /// Rows of a tile: 8, 2 or 1.
    pub height: u32,
    width_log2: u32,
    domain: Domain,
}

/// One group: the tile whose first slot is (i, j). Slot n is column n % width, row n / width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tile {
    /// Column of slot 0.
    pub i: u32,
    /// Row of slot 0.
    pub j: u32,
}

impl Grouping {
    /// The grouping of a launch: 8 x 8; for a domain of height 1 or 2, 32 x 2; for a domain of
    /// height 1 and a program without MDH and MDV, 64 x 1.
    pub fn of(launch: &Launch) -> Grouping {
        let domain = launch.domain;
        let (width, height) = match domain.height() {
            1 if !launch.program.uses().neighbours => (64, 1),
            1 | 2 => (32, 2),
            _ => (8, 8),
        };
        Grouping::with_tiles(width, height, domain)
    }

    fn with_tiles(width: u32, height: u32, domain: Domain) -> Grouping {
        Grouping { width, height, width_log2: width.trailing_zeros(), domain }
    }

    /// The numbers of the groups to look at: all, or a sample of about `points` points. A sample has
    /// one group of each of equally long runs of groups, at a place that depends on the run's
    /// number, so that it has no period in common with the picture.
    pub fn sample(&self, points: Option<u64>) -> Vec<u64> {
        sample(self.count(), points)
    }

    /// The number of tile columns that touch the domain.
    pub fn columns(&self) -> u32 {
        let Domain { i0, i1, .. } = self.domain;
        if self.domain.is_empty() {
            return 0;
        }
        tiles(i0, i1, self.width)
    }

    /// The number of tile rows that touch the domain.
    pub fn rows(&self) -> u32 {
        let Domain { j0, j1, .. } = self.domain;
        if self.domain.is_empty() {
            return 0;
        }
        tiles(j0, j1, self.height)
    }

    /// Number of tiles that touch the domain.
    pub fn count(&self) -> u64 {
        u64::from(self.columns()) * u64::from(self.rows())
    }

    /// Tile `n`, in row-major order.
    pub fn tile(&self, n: u64) -> Tile {
        let Domain { i0, j0, i1, .. } = self.domain;
        let columns = u64::from(tiles(i0, i1, self.width));
        Tile {
            i: (i0 / self.width + (n % columns) as u32) * self.width,
            j: (j0 / self.height + (n / columns) as u32) * self.height,
        }
    }

    /// The point of a slot.
    pub fn point(&self, tile: Tile, slot: usize) -> (u32, u32) {
        let slot = slot as u32;
        (tile.i + (slot & (self.width - 1)), tile.j + (slot >> self.width_log2))
    }

    /// The slots inside the domain, bit n for slot n.
    pub fn inside(&self, tile: Tile) -> u64 {
        let domain = &self.domain;
        let whole = tile.i >= domain.i0
            && tile.j >= domain.j0
            && tile.i + self.width - 1 <= domain.i1
            && tile.j + self.height - 1 <= domain.j1;
        if whole {
            return u64::MAX;
        }
        (0..SLOTS)
            .filter(|&slot| {
                let (i, j) = self.point(tile, slot);
                self.domain.contains(i, j)
            })
            .fold(0, |mask, slot| mask | 1 << slot)
    }

    /// The slots of the quad of `slot`: top-left, top-right, bottom-left. Only for tiles with at
    /// least two rows; "top" is the smaller j.
    pub fn quad(&self, slot: usize) -> [usize; 3] {
        let width = self.width as usize;
        let top_left = ((slot % width) & !1) + ((slot / width) & !1) * width;
        [top_left, top_left + 1, top_left + width]
    }
}

fn sample(groups: u64, points: Option<u64>) -> Vec<u64> {
    let wanted =
        points.map_or(groups, |points| points.div_ceil(SLOTS as u64).clamp(1, groups.max(1)));
    if wanted >= groups {
        return (0..groups).collect();
    }
    let pick = |n: u64| {
        let (from, to) = (n * groups / wanted, (n + 1) * groups / wanted);
        // Knuth's multiplicative hash.
        let hash = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        from + hash % (to - from).max(1)
    };
    (0..wanted).map(pick).collect()
}

/// The number of tiles of a size that touch the range between two inclusive bounds.
fn tiles(low: u32, high: u32, size: u32) -> u32 {
    high / size - low / size + 1
}

/// The slots of a mask, lowest first.
#[inline(always)]
pub fn slots(mask: u64) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        (rest != 0).then(|| {
            let slot = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            slot
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_has_groups_of_all_parts_once() {
        assert_eq!(sample(5, None), [0, 1, 2, 3, 4]);
        assert_eq!(sample(5, Some(320)), [0, 1, 2, 3, 4]);
        assert_eq!(sample(0, Some(64)), [0; 0]);
        assert_eq!(sample(1, Some(1)), [0]);
        for wanted in [1, 3, 7, 99] {
            let groups = sample(100, Some(64 * wanted));
            assert_eq!(groups.len() as u64, wanted);
            assert!(groups.is_sorted_by(|a, b| a < b));
            for (n, group) in (0..).zip(groups) {
                assert!((n * 100 / wanted..(n + 1) * 100 / wanted).contains(&group));
            }
        }
    }

    fn grouping(width: u32, height: u32, domain: Domain) -> Grouping {
        Grouping::with_tiles(width, height, domain)
    }

    #[test]
    fn tiles_cover_every_point_once() {
        for (width, height) in [(8, 8), (32, 2), (64, 1)] {
            let domain = Domain { i0: 5, j0: 3, i1: 70, j1: 12 };
            let grouping = grouping(width, height, domain);
            let mut seen = std::collections::HashSet::new();
            for n in 0..grouping.count() {
                let tile = grouping.tile(n);
                assert_eq!((tile.i % width, tile.j % height), (0, 0));
                let inside = grouping.inside(tile);
                for slot in (0..SLOTS).filter(|slot| inside >> slot & 1 != 0) {
                    assert!(seen.insert(grouping.point(tile, slot)));
                }
            }
            assert_eq!(seen.len() as u64, domain.points());
            assert!(seen.iter().all(|&(i, j)| domain.contains(i, j)));
        }
    }

    #[test]
    fn an_empty_domain_has_no_tiles() {
        let domain = Domain { i0: 4, j0: 0, i1: 3, j1: 9 };
        assert_eq!(grouping(8, 8, domain).count(), 0);
    }

    #[test]
    fn quads_are_even_aligned() {
        let domain = Domain::default();
        assert_eq!(grouping(8, 8, domain).quad(19), [18, 19, 26]);
        assert_eq!(grouping(8, 8, domain).quad(27), [18, 19, 26]);
        assert_eq!(grouping(32, 2, domain).quad(63), [30, 31, 62]);
    }
}
