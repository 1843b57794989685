//! What a launch asks of the GPU: its program in the shader's form, which bytes it touches and how,
//! how its results come back. Nothing here talks to an adapter.

use super::constants::{
    LAUNCH_CONDITION_FIRST, LAUNCH_CONDITION_LAST, LAUNCH_CONDITION_WRITES, LAUNCH_LOGS, NO_TABLE,
};
use super::encode::{Encoded, Uses, encode};
use super::record::{self, MemoryVariant, SurfaceRecord};
use super::records::LaunchRecord;
use crate::engine::groups::Grouping;
use crate::engine::kept::Form;
use crate::engine::prepare::{self, Overlap, Reader, Writer};
use crate::isa::{FcOp, FieldValue};
use crate::launch::{Launch, Location, Test};
use crate::lower::{Lowered, NO_ROW};
use crate::memory::{Memory, Surface};
use crate::program::Program;
use std::ops::Range;
use std::sync::Arc;

/// A lowered program with its encoding.
pub struct Ready {
    /// The lowered program.
    pub lowered: Lowered,
    /// The same for the shader.
    pub encoded: Encoded,
}

impl Ready {
    /// Encodes a lowered program.
    pub fn new(lowered: Lowered, program: &Program) -> Ready {
        let encoded = encode(&lowered, program);
        Ready { lowered, encoded }
    }
}

impl Form for Ready {
    fn ops(&self) -> usize {
        self.lowered.ops.len()
    }
}

/// A launch, ready for a dispatch.
pub struct Plan<'a> {
    /// The launch.
    pub launch: &'a Launch,
    /// Its program.
    pub ready: Arc<Ready>,
    /// Its groups.
    pub grouping: Grouping,
    /// How many there are.
    pub groups: u64,
    /// What it reads and writes at once.
    pub overlaps: Vec<Overlap>,
    /// Bytes that it reads: who, and which.
    pub reads: Vec<(Reader, Surface, Range<u64>)>,
    /// Bytes that it writes in place: who, and which. Empty where writes are logged.
    pub writes: Vec<(Writer, Surface, Range<u64>)>,
    /// Writes go to the log and the host applies them.
    pub logs: bool,
}

impl<'a> Plan<'a> {
    /// Plans a launch that was validated and has groups.
    pub fn new(launch: &'a Launch, ready: Arc<Ready>) -> Plan<'a> {
        let grouping = Grouping::of(launch);
        let overlaps = prepare::overlaps(launch);
        let reads = prepare::read(launch);
        let mut writes = prepare::written(launch);
        let logs = launch.program.umrt() && launch.program.uses().outputs != 0
            || !in_place_is_safe(&writes, &overlaps);
        if logs {
            writes.clear();
        }
        Plan {
            launch,
            ready,
            grouping,
            groups: grouping.count(),
            overlaps,
            reads,
            writes,
            logs,
        }
    }

    /// Tiles in a row of them.
    pub fn columns(&self) -> u64 {
        let (domain, width) = (&self.launch.domain, self.grouping.width);
        (domain.i1 / width - domain.i0 / width + 1) as u64
    }

    /// The launch over the part of its domain that some rows of tiles cover: touches what these
    /// groups touch.
    pub fn rows(&self, rows: &Range<u64>) -> Launch {
        let first = self.grouping.tile(0).j as u64;
        let height = self.grouping.height as u64;
        let mut launch = self.launch.clone();
        let domain = &mut launch.domain;
        domain.j0 = domain.j0.max((first + rows.start * height) as u32);
        domain.j1 = domain.j1.min((first + rows.end * height - 1) as u32);
        launch
    }

    /// Whether a read must see a copy from before the launch, since the launch writes these bytes
    /// in place.
    pub fn needs_snapshot(&self, reader: Reader) -> bool {
        !self.logs && self.overlaps.iter().any(|overlap| overlap.reader == reader)
    }

    /// The memory side of the shader's variant.
    pub fn memory_variant(&self) -> MemoryVariant {
        let mut variant = MemoryVariant::default();
        for (_, surface, _) in &self.reads {
            variant.read(surface);
        }
        for surface in self.launch.outputs.iter().flatten() {
            variant.write(surface);
        }
        if let Some(surface) = &self.launch.condition.buffer {
            variant.read(surface);
            variant.write(surface);
        }
        variant
    }

    /// Whether the conditional operation can do anything.
    pub fn has_condition(&self) -> bool {
        let condition = &self.launch.condition;
        condition.test != Test::Always || condition.buffer.is_some()
    }

    /// Whether there is no output but output 0.
    pub fn has_one_output(&self) -> bool {
        self.launch.outputs[1..].iter().all(Option::is_none)
    }

    /// Whether points start with more than their index.
    pub fn has_starts(&self) -> bool {
        self.launch.interpolants.is_some() || !self.launch.initial.is_empty()
    }

    /// Whether a group is sure to end within `limit` micro-operations.
    pub fn ends_within(&self, limit: u64) -> bool {
        steps(&self.ready.lowered, self.launch).is_some_and(|steps| steps <= limit)
    }

    /// Entries of the log that a group can need for its writes; an estimate for uncached ones.
    pub fn log_entries(&self) -> u64 {
        if !self.logs {
            return 0;
        }
        let uncached = self
            .ready
            .lowered
            .ops
            .iter()
            .filter(|op| op.op == crate::lower::Op::Uncached)
            .count() as u64;
        let outputs = self.launch.outputs.iter().flatten().count() as u64;
        64 * (2 * uncached + outputs + 2)
    }

    /// Operations of the program.
    pub fn uses(&self) -> Uses {
        self.ready.encoded.uses
    }

    /// The launch's own part of `code`, and its record. `program` is where the program's part is,
    /// `at` where this part will be; `read` and `written` give the delta of each surface.
    pub fn record(
        &self,
        memory: &Memory,
        program: u32,
        at: u32,
        read: impl Fn(Reader) -> Option<u32>,
        written: impl Fn(Writer) -> Option<u32>,
    ) -> (LaunchRecord, Vec<[u32; 4]>) {
        let launch = self.launch;
        let (lowered, encoded) = (&self.ready.lowered, &self.ready.encoded);
        let mut code: Vec<[u32; 4]> = Vec::new();
        let here = |code: &Vec<[u32; 4]>| at + code.len() as u32;

        let integers = here(&code);
        let packed: Vec<u32> = launch
            .constants
            .int
            .iter()
            .map(|constant| constant.to_word())
            .collect();
        push_words(&mut code, &packed);
        let uniforms = here(&code);
        let mut values: Vec<u32> = lowered
            .uniforms
            .iter()
            .map(|uniform| uniform.resolve(&launch.constants))
            .collect();
        values.extend(&encoded.literals);
        push_words(&mut code, &values);
        let floats = here(&code);
        if encoded.uses.relative {
            code.extend(launch.constants.float.iter());
        }
        let interpolants = self.interpolants(&mut code, at);
        let initial = here(&code);
        self.initial(&mut code, at);

        let surface = |surface: &Option<Surface>, delta: Option<u32>| match surface {
            Some(surface) => SurfaceRecord::new(surface, delta.unwrap_or(0)),
            None => SurfaceRecord::default(),
        };
        let (tile, domain) = (self.grouping.tile(0), &launch.domain);
        let row = |row: u16| row as u32;
        let condition = &launch.condition;
        let mut flags = 0;
        let mut flag = |set: bool, bit: u32| flags |= if set { bit } else { 0 };
        flag(self.logs, LAUNCH_LOGS);
        flag(condition.write, LAUNCH_CONDITION_WRITES);
        let first = condition.location == Location::Pe;
        flag(first, LAUNCH_CONDITION_FIRST);
        flag(!first && self.has_condition(), LAUNCH_CONDITION_LAST);
        let outputs = launch.outputs.iter().rposition(Option::is_some);
        let outputs = outputs.map_or(0, |last| last + 1);
        let [range0, range1, range2] = record::ranges(memory);
        let record = LaunchRecord {
            ops: program,
            flows: program + encoded.flows,
            entries: program + encoded.entries,
            uniforms,
            uniform_count: values.len() as u32,
            uniform_row: encoded.uniform_row,
            integers,
            counts: program + encoded.counts,
            floats,
            temporaries: lowered
                .temp_rows
                .iter()
                .filter(|&&row| row != NO_ROW)
                .count() as u32,
            start: lowered.start,
            first_op: lowered.entry[lowered.start as usize & 511],
            booleans: launch.constants.bool,
            first_column: tile.i / self.grouping.width,
            columns: self.columns() as u32,
            first_row: tile.j / self.grouping.height,
            width_log2: self.grouping.width.trailing_zeros(),
            i0: domain.i0,
            j0: domain.j0,
            i1: domain.i1,
            j1: domain.j1,
            out_mask: launch.out_mask as u32,
            limit: launch.limits.instructions as u32,
            test: condition.test.code(),
            value: condition.value,
            flags,
            in_place: self
                .overlaps
                .iter()
                .filter(|overlap| overlap.same_layout)
                .filter_map(Overlap::input)
                .fold(0, |mask, input| mask | 1 << input),
            initial,
            initial_count: launch.initial.len() as u32,
            interpolants,
            i_row: row(lowered.temp_rows[0]),
            j_row: row(lowered.temp_rows[1]),
            own_row: row(lowered.own_row),
            pad: [0; 3],
            output_rows: std::array::from_fn(|n| {
                std::array::from_fn(|channel| row(lowered.output_rows[4 * n + channel]))
            }),
            range0,
            range1,
            range2,
            number: 0,
            output_count: outputs as u32,
            inputs: std::array::from_fn(|n| surface(&launch.inputs[n], read(Reader::Input(n)))),
            outputs: std::array::from_fn(|n| {
                surface(&launch.outputs[n], written(Writer::Output(n)))
            }),
            condition: surface(
                &condition.buffer,
                written(Writer::Condition).or_else(|| read(Reader::Condition)),
            ),
        };
        (record, code)
    }

    /// The planes of those temporaries' channels that have a row: their number, then one each.
    fn interpolants(&self, code: &mut Vec<[u32; 4]>, at: u32) -> u32 {
        let Some(interpolants) = &self.launch.interpolants else {
            return NO_TABLE;
        };
        let start = at + code.len() as u32;
        let mut planes = Vec::new();
        for (n, interpolant) in interpolants.iter().enumerate() {
            for (channel, &[a, b, c]) in interpolant.iter().enumerate() {
                let row = self.ready.lowered.temp_rows[4 * (n + 1) + channel];
                if row != NO_ROW {
                    planes.push([a, b, c, row as u32]);
                }
            }
        }
        code.push([planes.len() as u32, 0, 0, 0]);
        code.append(&mut planes);
        start
    }

    /// Two entries for each temporary that starts with data, then the data.
    fn initial(&self, code: &mut Vec<[u32; 4]>, at: u32) {
        let launch = self.launch;
        let mut data = at + (code.len() + 2 * launch.initial.len()) as u32;
        for initial in &launch.initial {
            code.push(std::array::from_fn(|channel| {
                self.ready.lowered.temp_rows[4 * initial.temp as usize + channel] as u32
            }));
            code.push([data, 0, 0, 0]);
            data += initial.data.len() as u32;
        }
        for initial in &launch.initial {
            code.extend(initial.data.iter());
        }
    }
}

fn push_words(code: &mut Vec<[u32; 4]>, words: &[u32]) {
    for four in words.chunks(4) {
        code.push(std::array::from_fn(|n| four.get(n).copied().unwrap_or(0)));
    }
}

/// Whether points can write in place and get what the defined order gives: no two elements share a
/// byte, of one surface or of several, and the conditional buffer's reads see their own element.
fn in_place_is_safe(writes: &[(Writer, Surface, Range<u64>)], overlaps: &[Overlap]) -> bool {
    let whole = |span: &Range<u64>| span.end - span.start >= 1 << 32;
    let meet = |a: &Range<u64>, b: &Range<u64>| a.start < b.end && b.start < a.end;
    writes.iter().enumerate().all(|(n, (_, surface, span))| {
        surface.elements_disjoint()
            && !whole(span)
            && writes[..n].iter().all(|(.., other)| !meet(span, other))
    }) && !overlaps
        .iter()
        .any(|overlap| overlap.reader == Reader::Condition)
}

/// The micro-operations that a group executes at most, if flow control bounds them.
fn steps(lowered: &Lowered, launch: &Launch) -> Option<u64> {
    let mut factor = vec![1u64; crate::isa::MAX_INSTRUCTIONS + 1];
    for (pc, op) in lowered.ops.iter().filter_map(|op| {
        (op.op == crate::lower::Op::Flow).then(|| (op.pc as usize, lowered.flows[op.aux as usize]))
    }) {
        let target = op.target as usize;
        match FcOp::from_code(op.op as u32) {
            FcOp::Loop | FcOp::Rep => {
                // The loop is everything up to its end; without one it is left by falling through.
                let count = launch.constants.int[op.int_addr as usize & 31].count as u64;
                if target <= pc {
                    return None;
                }
                for factor in &mut factor[pc..target] {
                    *factor = factor.saturating_mul(count.max(1));
                }
            }
            // The way back is counted with the loop's entry.
            FcOp::EndLoop | FcOp::EndRep => {}
            // A jump back, or a subroutine, could run any number of times.
            _ if target <= pc || op.a_op != 0 => return None,
            _ => {}
        }
    }
    // A loop's end must lead back to its own entry, or the factors mean nothing.
    let mut open: Vec<usize> = Vec::new();
    for op in lowered
        .ops
        .iter()
        .filter(|op| op.op == crate::lower::Op::Flow)
    {
        let flow = lowered.flows[op.aux as usize];
        match FcOp::from_code(flow.op as u32) {
            FcOp::Loop | FcOp::Rep => open.push(op.pc as usize),
            FcOp::EndLoop | FcOp::EndRep => {
                let entry = open.pop()?;
                let target = flow.target as usize;
                if target != entry + 1 {
                    return None;
                }
            }
            _ => {}
        }
    }
    if lowered.ops.iter().any(|op| op.op == crate::lower::Op::Wrap) {
        return None;
    }
    let mut total = 0u64;
    for op in &lowered.ops {
        let factor = factor.get(op.pc as usize).copied().unwrap_or(1);
        total = total.saturating_add(factor);
    }
    Some(total)
}
