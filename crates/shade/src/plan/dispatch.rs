//! Bindings of a launch's dispatches, and their sizes.

use crate::abi::results::Entry;
use crate::plan::commands;
use crate::plan::work::Work;
use crate::translate::Translation;
use crate::variant::Variant;
use ctm_machine::engine::groups::{Grouping, SLOTS};
use serde::Serialize;

/// The type of a binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A uniform buffer.
    Uniform,
    /// A storage buffer that is only read.
    Read,
    /// A storage buffer.
    Write,
}

/// The bindings of the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// Everything that the interpreter reads, except memory: [`Work::code`].
    Code,
    /// The beginning of the same, of [`UNIFORM_BYTES`](crate::abi::encode::UNIFORM_BYTES).
    Operations,
    /// The launches: [`Work::launches`].
    Launches,
    /// The dispatch: a [`DispatchRecord`](crate::abi::launch::DispatchRecord).
    Dispatch,
    /// The dispatch's results.
    Results,
    /// Memory.
    Memory,
    /// Copies of what the launch both reads and writes.
    Copies,
    /// Groups that rest, and registers.
    State,
    /// The data that temporaries start with.
    Starts,
}

/// The bindings of a translated program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TranslatedSlot {
    /// Its record.
    Record,
    /// The beginning of the same, of [`Record::uniform_bytes`](crate::translate::Record::uniform_bytes).
    Head,
    /// The dispatch's results.
    Results,
    /// Memory.
    Memory,
    /// Copies of what the launch both reads and writes.
    Copies,
    /// The data that temporaries start with.
    Starts,
}

/// The bindings of a variant of the interpreter: number, type, content. At most eight are storage buffers.
pub fn interpreted(variant: &Variant) -> Vec<(u32, Kind, Slot)> {
    let launches = if variant.many { Kind::Read } else { Kind::Uniform };
    let mut bindings = vec![
        (0, Kind::Read, Slot::Code),
        (1, launches, Slot::Launches),
        (2, Kind::Write, Slot::Results),
        (3, Kind::Write, Slot::Memory),
    ];
    bindings.extend(variant.memory.copies.then_some((4, Kind::Write, Slot::Copies)));
    bindings.extend([(7, Kind::Write, Slot::State), (8, Kind::Uniform, Slot::Dispatch)]);
    bindings.extend(variant.starts.then_some((9, Kind::Read, Slot::Starts)));
    bindings.extend(variant.uniform.then_some((10, Kind::Uniform, Slot::Operations)));
    bindings
}

/// The bindings of a translated program.
pub fn translated(translation: &Translation) -> Vec<(u32, Kind, TranslatedSlot)> {
    use TranslatedSlot::{Copies, Head, Memory, Record, Results, Starts};
    let mut bindings = vec![
        (0, Kind::Uniform, Head),
        (1, Kind::Read, Record),
        (2, Kind::Write, Results),
        (3, Kind::Write, Memory),
        (4, Kind::Write, Copies),
    ];
    bindings.extend(translation.starts.then_some((5, Kind::Read, Starts)));
    bindings
}

/// The size in bytes of an entry of the log.
pub const LOG_ENTRY: u64 = size_of::<Entry>() as u64;

/// The most groups of one dispatch. This bounds the log, and is below any adapter's limit for a row
/// of workgroups.
const MAX_GROUPS: u64 = 1 << 14;

/// The most groups of one dispatch that runs in slices on an adapter that is, or may be, the host's CPU. A
/// slice of that many groups takes some seconds.
const MAX_GROUPS_SOFTWARE: u64 = 1 << 8;

/// The most bytes that the groups of one dispatch may keep in their state.
const STATE_BYTES: u64 = 64 << 20;

/// Limits of an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// The size in bytes of the largest binding.
    pub binding: u64,
    /// Whether the adapter is, or may be, the host's CPU.
    pub software: bool,
}

impl Room {
    /// For any WebGPU adapter: what the standard guarantees.
    pub const GUARANTEED: Room = Room { binding: 128 << 20, software: true };

    /// The number of entries in the largest log.
    pub fn log(&self) -> u64 {
        // The results of launches are in the same binding. There is only the log of one launch.
        self.binding / 2 / LOG_ENTRY
    }

    /// The most groups of one dispatch of a work.
    pub fn groups(&self, work: &Work) -> u64 {
        let mut most = MAX_GROUPS;
        if let Some(groups) = STATE_BYTES.min(self.binding).checked_div(group_bytes(work)) {
            most = most.min(groups).max(1);
        }
        if work.variant.sliced && self.software {
            most = most.min(MAX_GROUPS_SOFTWARE);
        }
        if work.repeatable {
            most = most.min(self.log() / commands::entries(work.log_entries)).max(1);
        }
        most
    }
}

/// Bytes that a group keeps in its state.
pub(super) fn group_bytes(work: &Work) -> u64 {
    4 * SLOTS as u64 * u64::from(work.variant.state_words(work.rows))
}

/// The most point-instructions of a row of groups of a translated program.
fn row_work(grouping: &Grouping, translation: &Translation) -> u64 {
    let points = SLOTS as u64 * u64::from(grouping.columns());
    points.saturating_mul(translation.stats.bound)
}

/// The point-instructions of a launch of a translated program, if each point takes all branches.
pub fn work(grouping: &Grouping, translation: &Translation) -> u64 {
    row_work(grouping, translation).saturating_mul(u64::from(grouping.rows()))
}

/// The dispatches of a launch of a translated program: the first row of groups of each, the numbers of
/// workgroups, and the point-instructions if each point takes all branches. None has more than `most` point-instructions, unless a single row of groups has more.
pub fn rows(
    grouping: &Grouping,
    translation: &Translation,
    most: u64,
) -> impl Iterator<Item = (u32, [u32; 2], u64)> + use<> {
    let (columns, rows) = (grouping.columns(), grouping.rows());
    let row = row_work(grouping, translation);
    let at_once = rows_at_once(row, rows, most);
    (0..rows).step_by(at_once as usize).map(move |first| {
        let rows = at_once.min(rows - first);
        (first, [columns, rows], row.saturating_mul(u64::from(rows)))
    })
}

/// The number of rows of groups in one dispatch, of `rows` rows with `row` point-instructions each:
/// at least one.
fn rows_at_once(row: u64, rows: u32, most: u64) -> u32 {
    (most / row.max(1)).clamp(1, u64::from(rows.max(1))) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_launches_are_cut_into_rows_of_groups() {
        // A launch within the limit is not cut. A dispatch has at least one row of groups.
        assert_eq!(rows_at_once(100, 10, 1000), 10);
        assert_eq!(rows_at_once(100, 11, 1000), 10);
        assert_eq!(rows_at_once(100, 11, 199), 1);
        assert_eq!(rows_at_once(100, 11, 99), 1);
        assert_eq!(rows_at_once(u64::MAX, 512, 1), 1);
        assert_eq!(rows_at_once(0, 512, 1), 1);
        assert_eq!(rows_at_once(0, 512, 1 << 32), 512);
    }
}
