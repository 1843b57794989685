//! The order in which operations are tried.

use super::{Packed, Scheduler, distinct};
use crate::code::Does;
use rustc_hash::FxHashMap;

impl Scheduler<'_> {
    /// The priority of an operation. `ready`: how many members of each group are.
    pub(super) fn urgency(&self, n: usize, ready: &FxHashMap<usize, u8>) -> (bool, i64, i64) {
        if self.strategy.frugal {
            return (true, self.freed(n), -(n as i64));
        }
        let operation = &self.code.operations[n];
        let only_out = operation.out.is_some() && self.users[n].is_empty();
        // Members that are not ready; a later instruction could take more of them.
        let missing = match self.group(n) {
            Some((group, _)) => i64::from(self.unplaced[group].saturating_sub(ready[&group])),
            None => 0,
        };
        let delay = if missing > 0 { self.strategy.delay as i64 } else { 0 };
        (!only_out, self.height[n] as i64 - delay, -(n as i64))
    }

    /// How many channels of registers are free after an operation that were taken before it.
    pub(super) fn freed(&self, n: usize) -> i64 {
        let operation = &self.code.operations[n];
        let read = distinct(operation);
        let last = read.iter().filter(|value| self.remaining_uses[**value] == 1);
        let made = operation.results.iter().flatten();
        let made =
            made.filter(|value| self.remaining_uses[**value] > 0 && self.places[**value].is_none());
        last.count() as i64 - made.count() as i64
    }

    pub(super) fn score(&self, packed: &Packed, tallest: i64) -> i64 {
        let members = Self::members(packed);
        let height: i64 = members.iter().map(|n| self.height[*n] as i64).max().unwrap_or(0);
        let sum: i64 = members
            .iter()
            .map(|n| match self.code.operations[*n].does {
                // A dot product does the work of a whole unit.
                Does::Dot(count) => i64::from(count),
                Does::Write => 4,
                Does::Lane(_) | Does::Fetch(_) | Does::Kill => 1,
            })
            .sum();
        sum * 100 - (tallest - height) * 40
    }
}
