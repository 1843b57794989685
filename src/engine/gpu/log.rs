//! What a dispatch returns: the launches' records, and the log of faults and writes.

use super::constants::{
    AT_END, FAULTS, LOG_CONDITION, LOG_DROP_GROUP, LOG_DROP_POINT, LOG_FAULT, LOG_OUTPUT,
    LOG_UNCACHED, LOG_WORDS, RESULT_COUNTED, RESULT_CUT, RESULT_FOREIGN, RESULT_GROUPS,
    RESULT_LAUNCHES, RESULT_LOGGED, RESULT_POINTS, RESULT_SUMS, RESULT_WORDS,
};
use crate::engine::writes::{Write, Writes};
use crate::engine::{Fault, Faults, Statistics};
use crate::memory::Element;
use std::collections::HashSet;

/// The results of one launch.
#[derive(Clone, Default)]
pub struct LaunchResult {
    /// Counters. Only those that the variant keeps are valid.
    pub statistics: Statistics,
    /// Faults.
    pub faults: Faults,
    /// Inputs from which another point's element was fetched, bit n.
    pub foreign: u32,
    /// Why a translated program gave up; 0 if it did not.
    pub gave_up: u32,
    /// Writes for the host to apply.
    pub writes: Vec<Logged>,
    /// Points whose uncached writes do not count.
    pub dropped_points: HashSet<(u32, u32)>,
    /// First points of groups whose uncached writes do not count.
    pub dropped_groups: HashSet<(u32, u32)>,
}

/// A write that a point logged.
#[derive(Clone, Copy)]
pub struct Logged {
    kind: u32,
    write: Write,
}

impl LaunchResult {
    /// Adds the results of another part of the launch.
    pub fn merge(&mut self, other: LaunchResult) {
        self.statistics += other.statistics;
        self.faults.merge(&other.faults);
        self.foreign |= other.foreign;
        self.gave_up |= other.gave_up;
        self.writes.extend(other.writes);
        self.dropped_points.extend(other.dropped_points);
        self.dropped_groups.extend(other.dropped_groups);
    }

    /// The writes that count. `group_of` returns the first point of a point's group.
    pub fn writes(&mut self, group_of: impl Fn(u32, u32) -> (u32, u32)) -> Writes {
        let mut writes = Writes::default();
        for Logged { kind, write } in std::mem::take(&mut self.writes) {
            let (i, j) = (write.i, write.j);
            match kind {
                LOG_OUTPUT => writes.outputs.push(write),
                LOG_CONDITION => writes.condition.push(write),
                _ if self.dropped_points.contains(&(i, j))
                    || self.dropped_groups.contains(&group_of(i, j)) => {}
                _ => writes.uncached.push(write),
            }
        }
        writes
    }
}

/// Whether the driver ended the interpreter's loops. The results are then invalid.
pub fn is_cut(words: &[u32]) -> bool {
    words[RESULT_CUT as usize] != 0
}

/// The records of `count` launches, and the number of logged entries.
pub fn head(words: &[u32], count: usize) -> (Vec<LaunchResult>, u64) {
    let records = words[RESULT_LAUNCHES as usize..].chunks_exact(RESULT_WORDS as usize);
    let launches = records.take(count).map(record).collect();
    (launches, words[RESULT_LOGGED as usize] as u64)
}

/// The results in a translated program's words.
pub fn translated(words: &[u32]) -> LaunchResult {
    LaunchResult {
        gave_up: words[0],
        foreign: words[3],
        statistics: Statistics {
            groups: words[1] as u64,
            points: words[2] as u64,
            ..Statistics::default()
        },
        ..LaunchResult::default()
    }
}

fn record(words: &[u32]) -> LaunchResult {
    let wide = |at: u32| words[at as usize] as u64 | (words[at as usize + 1] as u64) << 32;
    let counted = |n: u32| wide(RESULT_COUNTED + 2 * n);
    let sum = |n: u32| wide(RESULT_SUMS + 2 * n);
    LaunchResult {
        statistics: Statistics {
            groups: words[RESULT_GROUPS as usize] as u64,
            points: words[RESULT_POINTS as usize] as u64,
            alu: counted(0),
            out: counted(1),
            tex: counted(2),
            tex_fetching: counted(3),
            fc: counted(4),
            divergent: counted(5),
            lane_instructions: sum(0),
            fetches: sum(1),
            killed: sum(2),
        },
        foreign: words[RESULT_FOREIGN as usize],
        ..LaunchResult::default()
    }
}

/// Adds the log's entries to the launches they belong to.
pub fn entries(words: &[u32], launches: &mut [LaunchResult]) {
    for entry in words.chunks_exact(LOG_WORDS as usize) {
        let kind = entry[0] & 0xffff;
        let high = entry[0] >> 16;
        let Some(launch) = launches.get_mut(entry[1] as usize) else {
            continue;
        };
        let (i, j) = (entry[2] & 0xfff, entry[2] >> 12);
        let order = match entry[3] {
            AT_END => u64::MAX,
            order => order as u64,
        };
        match kind {
            LOG_UNCACHED | LOG_OUTPUT | LOG_CONDITION => {
                let mut bytes = [0; 16];
                for (four, word) in bytes.chunks_exact_mut(4).zip(&entry[5..9]) {
                    four.copy_from_slice(&word.to_le_bytes());
                }
                launch.writes.push(Logged {
                    kind,
                    write: Write {
                        j,
                        i,
                        order,
                        address: entry[4],
                        element: Element { bytes, byte_mask: high as u16 },
                    },
                });
            }
            LOG_DROP_POINT => {
                launch.dropped_points.insert((i, j));
            }
            LOG_DROP_GROUP => {
                launch.dropped_groups.insert((i, j));
            }
            LOG_FAULT => {
                let Some(&(_, code)) = FAULTS.get(high as usize) else {
                    continue;
                };
                launch.faults.add(
                    code,
                    Fault {
                        count: entry[6] as u64 | (entry[7] as u64) << 32,
                        i,
                        j,
                        order,
                        pc: entry[5] & 0xffff,
                        slot: entry[5] >> 16,
                        word: entry[4],
                    },
                );
            }
            _ => {}
        }
    }
}
