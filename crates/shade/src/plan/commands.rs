//! The work of a GPU for launches, as commands. The engines on a GPU execute them, and plans are lists
//! of them.

use crate::abi::constants::POINT_FAULTS;
use crate::abi::encode::UNIFORM_BYTES;
use crate::abi::launch::DispatchRecord;
use crate::abi::results::{self, Counts, Head};
use crate::plan::chunks::Chunk;
use crate::plan::dispatch::{self, LOG_ENTRY, Room, Slot, TranslatedSlot};
use crate::plan::space::{ALIGN, Copied, Snapshot};
use crate::plan::work::Work;
use crate::translate::{Record, Translation};
use ctm_machine::engine::groups::Grouping;
use serde::Serialize;
use std::mem::offset_of;

/// The message after a dispatch of the interpreter that was cut.
pub const CUT: &str = "a loop of the interpreter ended after too few turns";

/// A binding: its number, the buffer, and the bytes from its beginning on. 0 bytes: all of it.
pub type Binding<B> = (u32, B, u64);

/// A command. `B` is a buffer: in plans its number. Shaders are numbers, positions and sizes are in bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Command<B> {
    /// Runs a shader.
    Dispatch {
        /// The shader.
        shader: u32,
        /// Its bindings.
        bindings: Vec<Binding<B>>,
        /// The numbers of workgroups in x and y.
        groups: [u32; 2],
        /// The most point-instructions that it takes.
        #[serde(skip)]
        work: u64,
    },
    /// Copies bytes from one buffer to another.
    Copy {
        /// The source.
        from: B,
        /// The position there.
        at: u64,
        /// The target.
        to: B,
        /// The position there.
        to_at: u64,
        /// The number of bytes.
        bytes: u64,
    },
    /// Writes zeros.
    Clear {
        /// The buffer.
        buffer: B,
        /// The position.
        at: u64,
        /// The number of bytes.
        bytes: u64,
    },
    /// Writes a word.
    Write {
        /// The buffer.
        buffer: B,
        /// The position.
        at: u64,
        /// The word.
        word: u32,
    },
    /// A word must be 0.
    Check {
        /// The buffer.
        buffer: B,
        /// The position.
        at: u64,
        /// The message if it is not.
        message: &'static str,
    },
    /// Runs steps, while a word is not 0 after them; it is cleared before.
    Repeat {
        /// The buffer.
        buffer: B,
        /// The position.
        at: u64,
        /// The steps.
        steps: Vec<Command<B>>,
    },
    /// Runs steps if a word is not 0.
    When {
        /// The buffer.
        buffer: B,
        /// The position.
        at: u64,
        /// The steps.
        steps: Vec<Command<B>>,
    },
    /// Runs steps that write a log, and keeps its entries.
    Log {
        /// The buffer of results. Its first word is the number of entries.
        results: B,
        /// The position of the log there.
        at: u64,
        /// The number of entries that the log has room for.
        capacity: u64,
        /// The buffer that tells the shader the capacity.
        record: B,
        /// The position there.
        record_at: u64,
        /// The steps.
        steps: Vec<Command<B>>,
    },
    /// Applies the kept entries of logs to memory.
    Apply {
        /// The buffer with memory.
        buffer: B,
        /// The address of its first byte.
        base: u32,
        /// Columns and rows of a group.
        tile: [u32; 2],
    },
}

/// Copies parts of `memory` to another buffer.
pub fn copies<B: Clone>(snapshot: &Snapshot, memory: &B, other: &B) -> Vec<Command<B>> {
    let copy = |part: &Copied| {
        let (from, to) = (memory.clone(), other.clone());
        Command::Copy { from, at: part.from, to, to_at: part.to, bytes: part.bytes }
    };
    snapshot.copies.iter().map(copy).collect()
}

/// Copies them back.
pub fn back<B: Clone>(snapshot: &Snapshot, memory: &B, other: &B) -> Vec<Command<B>> {
    let copy = |part: &Copied| {
        let (from, to) = (other.clone(), memory.clone());
        Command::Copy { from, at: part.to, to, to_at: part.from, bytes: part.bytes }
    };
    snapshot.copies.iter().map(copy).collect()
}

/// A chunk of a work on the interpreter.
pub struct ChunkDispatch<'w> {
    work: &'w Work,
    chunk: Chunk,
    /// The record of its dispatch.
    pub record: DispatchRecord,
    /// Bytes of its results before the log.
    pub head: u64,
    /// The number of entries of the log.
    pub capacity: u64,
    /// Bytes of the state of its groups.
    pub state_bytes: u64,
}

impl<'w> ChunkDispatch<'w> {
    /// A chunk where there is some room. `log_entries`: the entries of the log for the writes of a group.
    pub fn new(room: &Room, work: &'w Work, chunk: Chunk, log_entries: u64) -> ChunkDispatch<'w> {
        let head = head_bytes(work.launches.len());
        let capacity = (chunk.groups * entries(log_entries)).min(room.log());
        let record = DispatchRecord {
            first_tile: chunk.tile as u32,
            table: chunk.table,
            log_capacity: capacity as u32,
            slice: work.slice,
            state_words: work.variant.state_words(work.rows),
            log: (head / 4) as u32,
            pad0: 0,
            pad1: 0,
        };
        let state_bytes = (chunk.groups * dispatch::group_bytes(work)).max(ALIGN);
        ChunkDispatch { work, chunk, record, head, capacity, state_bytes }
    }

    /// The commands that run it with a shader, once its results before the log are 0. `of` returns the
    /// buffer of a slot.
    pub fn commands<B: Clone>(&self, shader: u32, of: impl Fn(Slot) -> B) -> Vec<Command<B>> {
        let (work, head) = (self.work, self.head);
        let results = of(Slot::Results);
        let of_bytes = |slot| match slot {
            Slot::Operations => (of(slot), UNIFORM_BYTES),
            _ => (of(slot), 0),
        };
        let dispatch = Command::Dispatch {
            shader,
            bindings: bindings(&dispatch::interpreted(&work.variant), of_bytes),
            groups: [self.chunk.groups as u32, 1],
            work: work.most(self.chunk.groups),
        };
        let mut steps = vec![Command::Clear { buffer: results.clone(), at: 0, bytes: head }];
        if work.variant.sliced {
            let (buffer, at) = (results.clone(), offset_of!(Head, resting) as u64);
            let bytes = self.state_bytes;
            steps.push(Command::Clear { buffer: of(Slot::State), at: 0, bytes });
            steps.push(Command::Repeat { buffer, at, steps: vec![dispatch] });
        } else {
            steps.push(dispatch);
        }
        if work.repeatable {
            steps = vec![Command::Log {
                results: results.clone(),
                at: head,
                capacity: self.capacity,
                record: of(Slot::Dispatch),
                record_at: offset_of!(DispatchRecord, log_capacity) as u64,
                steps,
            }];
        }
        let at = offset_of!(Head, cut) as u64;
        steps.push(Command::Check { buffer: results, at, message: CUT });
        steps
    }
}

/// The commands that run a launch of a translated program with a shader. No dispatch has more than `most`
/// point-instructions, unless a single row of groups has more. `of` returns the buffer of a slot. If the
/// program may give up, `instead` are a snapshot of what it writes, a buffer for it, and the steps that run
/// then, on memory as it was before.
pub fn translated<B: Clone>(
    translation: &Translation,
    record: &Record,
    grouping: &Grouping,
    most: u64,
    shader: u32,
    instead: Option<(&Snapshot, B, Vec<Command<B>>)>,
    of: impl Fn(TranslatedSlot) -> B,
) -> Vec<Command<B>> {
    let of_bytes = |slot| match slot {
        TranslatedSlot::Head => (of(slot), Record::uniform_bytes()),
        _ => (of(slot), 0),
    };
    let bindings = bindings(&dispatch::translated(translation), of_bytes);
    let from_row = |row: u32| {
        let (at, word) = record.first_row(row * grouping.height);
        Command::Write { buffer: of(TranslatedSlot::Record), at, word }
    };
    let mut steps = Vec::new();
    if translation.reports {
        let buffer = of(TranslatedSlot::Results);
        steps.push(Command::Clear { buffer, at: 0, bytes: head_bytes(1) });
    }
    let mut last = 0;
    for (first, groups, work) in dispatch::rows(grouping, translation, most) {
        steps.extend((first != 0).then(|| from_row(first)));
        steps.push(Command::Dispatch { shader, bindings: bindings.clone(), groups, work });
        last = first;
    }
    // Another launch may have the same record.
    steps.extend((last != 0).then(|| from_row(0)));
    if let Some((snapshot, before, instead)) = instead {
        let memory = of(TranslatedSlot::Memory);
        steps.splice(..0, copies(snapshot, &memory, &before));
        let at = 4 * u64::from(results::position(0)) + offset_of!(Counts, gave_up) as u64;
        let instead = [back(snapshot, &memory, &before), instead].concat();
        steps.push(Command::When { buffer: of(TranslatedSlot::Results), at, steps: instead });
    }
    steps
}

/// The bindings of a dispatch: `of` returns the buffer of a slot, and its bytes or 0.
fn bindings<S: Copy, B>(
    types: &[(u32, dispatch::Kind, S)],
    of: impl Fn(S) -> (B, u64),
) -> Vec<Binding<B>> {
    let binding = |&(number, _, slot): &(u32, dispatch::Kind, S)| {
        let (buffer, bytes) = of(slot);
        (number, buffer, bytes)
    };
    types.iter().map(binding).collect()
}

/// Log entries of a group with up to `log_entries` writes: each of its faults has one.
pub(super) fn entries(log_entries: u64) -> u64 {
    u64::from(POINT_FAULTS) + 1 + log_entries
}

/// Bytes of the results of a dispatch of `launches` launches, before the log.
pub fn head_bytes(launches: usize) -> u64 {
    4 * u64::from(results::position(launches as u32))
}

/// Bytes of the results of a dispatch with `head` bytes before a log of `capacity` entries.
pub fn results_bytes(head: u64, capacity: u64) -> u64 {
    (head + LOG_ENTRY * capacity).next_multiple_of(ALIGN)
}
