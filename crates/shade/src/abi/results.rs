//! The results of a dispatch: the one layout for the interpreter and for translated shaders, and
//! its decoder.
//!
//! A dispatch has one binding for its results: a [`Head`], a [`Counts`] for each launch, and a log
//! of [`Entry`]s at a position that the host chooses. Shaders see words. `shaders/constants.wgsl`
//! has the positions of the fields, generated from the structs here. A translated shader writes
//! only the first fields of [`Counts`].

use crate::abi::constants::{AT_END, FAULTS, numbers};
use bytemuck::{Pod, Zeroable, cast_slice, pod_read_unaligned};
use ctm_machine::engine::checked::Pending;
use ctm_machine::engine::groups::Grouping;
use ctm_machine::engine::writes::{Write, Writes};
use ctm_machine::engine::{Fault, Faults, Outcome, Statistics};
use ctm_machine::memory::Element;
use std::collections::HashSet;
use std::mem::offset_of;

/// Defines structs of words. A row gives a field and, for shaders, a constant for its position in
/// words: the struct's prefix and the field's name in capitals. A struct's size in words is
/// `PREFIX_WORDS`.
macro_rules! layouts {
    ($($(#[$doc:meta])* $prefix:literal $Name:ident {
        $($(#[$field_doc:meta])* $field:ident: $Type:ty,)*
    })*) => {
        $(
            $(#[$doc])*
            #[repr(C)]
            #[derive(Clone, Copy, Debug, Pod, Zeroable)]
            pub struct $Name {
                $($(#[$field_doc])* pub $field: $Type,)*
            }

            impl $Name {
                /// The size in words.
                pub const WORDS: u32 = size_of::<$Name>() as u32 / 4;
            }
        )*

        /// The positions of all fields and the sizes, as names and values for shaders.
        pub fn positions() -> Vec<(String, u32)> {
            let name = |prefix: &str, field: &str| format!("{prefix}_{}", field.to_uppercase());
            vec![$(
                $((name($prefix, stringify!($field)), offset_of!($Name, $field) as u32 / 4),)*
                (name($prefix, "words"), $Name::WORDS),
            )*]
        }
    };
}

layouts! {
    /// The beginning of a dispatch's results.
    "HEAD" Head {
        /// The number of log entries, including those that found no room.
        logged: u32,
        /// The number of groups that rest until the next slice.
        resting: u32,
        /// Not 0 if the driver ended a loop of the interpreter early. The results are then invalid.
        cut: u32,
    }

    /// The counters of a launch. Only the counters that the shader keeps are not 0.
    "RESULT" Counts {
        /// Groups that ran.
        groups: u32,
        /// Points covered at the start.
        points: u32,
        /// Inputs from which another point's element was fetched, bit n.
        foreign: u32,
        /// The reasons why a translated program gave up: a sum of `GAVE_UP` numbers.
        gave_up: u32,
        /// ALU, OUT, TEX, fetching TEX, FC and divergent FC instructions.
        counted: [u64; 6],
        /// Lane instructions, fetches, killed points.
        sums: [u64; 3],
    }

    /// An entry of the log.
    "LOG" Entry {
        /// The kind. Upper half: the bytes that are written, bit n, or the number of the fault.
        kind: u32,
        /// The number of the launch.
        launch: u32,
        /// The point: i, and j in the bits from 12.
        point: u32,
        /// Instructions executed before the event, or `AT_END`.
        order: u32,
        /// The address of a write, or the word of a fault.
        address: u32,
        /// The data of a write. Of a fault: the pc, with the slot in the upper half, and the number
        /// of such faults, low word first.
        data: [u32; 4],
    }
}

numbers! {
    /// All kinds of entries and reasons to give up, for shaders.
    NUMBERS;
    /// Entry of the log: an uncached write.
    LOG_UNCACHED = 0;
    /// Entry of the log: a write of an output.
    LOG_OUTPUT = 1;
    /// Entry of the log: a write of the conditional buffer.
    LOG_CONDITION = 2;
    /// Entry of the log: a point's uncached writes do not count.
    LOG_DROP_POINT = 3;
    /// Entry of the log: a group's uncached writes do not count.
    LOG_DROP_GROUP = 4;
    /// Entry of the log: faults of one kind.
    LOG_FAULT = 5;
    /// A translated program gave up: a write outside a surface.
    GAVE_UP_FAULT = 1;
    /// A translated program gave up: the budget may not have been enough.
    GAVE_UP_BUDGET = 2;
}

/// The position in words of the [`Counts`] of launch number `launch`. For a number of launches, the
/// position after the last of them: the size of all results but the log.
pub const fn position(launch: u32) -> u32 {
    Head::WORDS + launch * Counts::WORDS
}

/// The results of one launch.
#[derive(Clone, Default)]
pub struct LaunchResult {
    /// Counters. Only those that the variant keeps are valid.
    pub statistics: Statistics,
    /// Faults.
    pub faults: Faults,
    /// Inputs from which another point's element was fetched, bit n.
    pub foreign: u32,
    /// The reasons why a translated program gave up; 0 if it did not.
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
    /// The outcome of the launch.
    pub fn outcome(&self, pending: Pending) -> Outcome {
        pending.outcome(self.statistics, self.faults.clone(), self.foreign as u16)
    }

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

    /// The writes that count, of a launch with these groups.
    pub fn writes(&mut self, grouping: &Grouping) -> Writes {
        let (width, height) = (grouping.width, grouping.height);
        let group_of = |i, j| (i - i % width, j - j % height);
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

/// The head of a dispatch's results.
pub fn head(words: &[u32]) -> Head {
    pod_read_unaligned(cast_slice(&words[..Head::WORDS as usize]))
}

/// The results of a dispatch's launches, without the log.
pub fn launches(words: &[u32]) -> Vec<LaunchResult> {
    let counts = words[Head::WORDS as usize..].chunks_exact(Counts::WORDS as usize);
    counts.map(|words| launch(pod_read_unaligned(cast_slice(words)))).collect()
}

fn launch(counts: Counts) -> LaunchResult {
    let Counts { groups, points, foreign, gave_up, counted, sums } = counts;
    let [alu, out, tex, tex_fetching, fc, divergent] = counted;
    let [lane_instructions, fetches, killed] = sums;
    LaunchResult {
        statistics: Statistics {
            groups: groups.into(),
            points: points.into(),
            alu,
            out,
            tex,
            tex_fetching,
            fc,
            divergent,
            lane_instructions,
            fetches,
            killed,
            ..Statistics::default()
        },
        foreign,
        gave_up,
        ..LaunchResult::default()
    }
}

/// Adds the log's entries to the launches they belong to.
pub fn entries(words: &[u32], launches: &mut [LaunchResult]) {
    for entry in cast_slice::<u32, Entry>(words) {
        let (kind, high) = (entry.kind & 0xffff, entry.kind >> 16);
        let Some(launch) = launches.get_mut(entry.launch as usize) else {
            continue;
        };
        let (i, j) = (entry.point & 0xfff, entry.point >> 12);
        let order = match entry.order {
            AT_END => u64::MAX,
            order => order as u64,
        };
        match kind {
            LOG_UNCACHED | LOG_OUTPUT | LOG_CONDITION => {
                let mut bytes = [0; 16];
                for (four, word) in bytes.chunks_exact_mut(4).zip(entry.data) {
                    four.copy_from_slice(&word.to_le_bytes());
                }
                launch.writes.push(Logged {
                    kind,
                    write: Write {
                        j,
                        i,
                        order,
                        address: entry.address,
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
                let [place, low, high, _] = entry.data;
                launch.faults.add(
                    code,
                    Fault {
                        count: low as u64 | (high as u64) << 32,
                        i,
                        j,
                        order,
                        pc: place & 0xffff,
                        slot: place >> 16,
                        word: entry.address,
                    },
                );
            }
            _ => {}
        }
    }
}
