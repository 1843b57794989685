//! What a launch needs of the GPU: its program in the shader's form, the bytes it touches and how,
//! and how its results return. Nothing here accesses an adapter.

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
use crate::lower::{Flow, Lowered, NO_ROW};
use crate::memory::{Memory, Surface};
use crate::ops::{Effect, Feature, Op};
use crate::program::Program;
use std::ops::Range;
use std::sync::Arc;

/// A lowered program and its encoding.
pub struct Ready {
    /// The lowered program.
    pub lowered: Lowered,
    /// The same program, encoded for the shader.
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

/// A launch, prepared for a dispatch.
pub struct Plan<'a> {
    /// The launch.
    pub launch: &'a Launch,
    /// Its program.
    pub ready: Arc<Ready>,
    /// Its groups.
    pub grouping: Grouping,
    /// The number of groups.
    pub groups: u64,
    /// What it both reads and writes.
    pub overlaps: Vec<Overlap>,
    /// The bytes that it reads: the reader and its span.
    pub reads: Vec<(Reader, Surface, Range<u64>)>,
    /// The bytes that it writes in place: the writer and its span. Empty if writes are logged.
    pub writes: Vec<(Writer, Surface, Range<u64>)>,
    /// Whether writes go to the log, for the host to apply.
    pub logs: bool,
}

impl<'a> Plan<'a> {
    /// Plans a launch that is valid and has groups.
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
        Plan { launch, ready, grouping, groups: grouping.count(), overlaps, reads, writes, logs }
    }

    /// The number of tiles per row.
    pub fn columns(&self) -> u64 {
        self.grouping.columns().into()
    }

    /// The launch, limited to the part of its domain that some rows of tiles cover. It touches what
    /// these groups touch.
    pub fn rows(&self, rows: &Range<u64>) -> Launch {
        let first = self.grouping.tile(0).j as u64;
        let height = self.grouping.height as u64;
        let mut launch = self.launch.clone();
        let domain = &mut launch.domain;
        domain.j0 = domain.j0.max((first + rows.start * height) as u32);
        domain.j1 = domain.j1.min((first + rows.end * height - 1) as u32);
        launch
    }

    /// Whether a read needs a copy from before the launch, because the launch writes these bytes in
    /// place.
    pub fn needs_snapshot(&self, reader: Reader) -> bool {
        !self.logs && self.overlaps.iter().any(|overlap| overlap.reader == reader)
    }

    /// The memory part of the shader's variant.
    pub fn memory_variant(&self) -> MemoryVariant {
        let mut variant = MemoryVariant::default();
        for (_, surface, _) in &self.reads {
            variant.read(surface);
        }
        for surface in self.launch.outputs.iter().flatten() {
            variant.write(surface);
        }
        if let Some(surface) = self.launch.condition.touched() {
            variant.read(&surface);
            variant.write(&surface);
        }
        variant
    }

    /// Whether the conditional operation can have an effect.
    pub fn has_condition(&self) -> bool {
        let condition = &self.launch.condition;
        condition.test != Test::Always || condition.touched().is_some()
    }

    /// Whether there is no output but output 0.
    pub fn has_one_output(&self) -> bool {
        self.launch.outputs[1..].iter().all(Option::is_none)
    }

    /// Whether points start with more than their index.
    pub fn has_starts(&self) -> bool {
        self.launch.interpolants.is_some() || !self.launch.initial.is_empty()
    }

    /// Whether a group is certain to end within `limit` micro-operations.
    pub fn ends_within(&self, limit: u64) -> bool {
        steps(&self.ready.lowered, self.launch).is_some_and(|steps| steps.operations <= limit)
    }

    /// Log entries that a group can need for its writes. For uncached ones it is an estimate.
    pub fn log_entries(&self) -> u64 {
        if !self.logs {
            return 0;
        }
        let uncached =
            self.ready.lowered.ops.iter().filter(|op| op.op == Op::Uncached).count() as u64;
        let outputs = self.launch.outputs.iter().flatten().count() as u64;
        64 * (2 * uncached + outputs + 2)
    }

    /// The operations of the program.
    pub fn uses(&self) -> Uses {
        self.ready.encoded.uses
    }

    /// Sets the places of the launch's surfaces in a record. `read` and `written` return the delta
    /// of each surface.
    pub fn locate(
        &self,
        record: &mut LaunchRecord,
        read: impl Fn(Reader) -> Option<u32>,
        written: impl Fn(Writer) -> Option<u32>,
    ) {
        for (n, input) in record.inputs.iter_mut().enumerate() {
            input.delta = read(Reader::Input(n)).unwrap_or(0);
        }
        for (n, output) in record.outputs.iter_mut().enumerate() {
            output.delta = written(Writer::Output(n)).unwrap_or(0);
        }
        let condition = written(Writer::Condition).or_else(|| read(Reader::Condition));
        record.condition.delta = condition.unwrap_or(0);
    }

    /// The launch's own part of `code`, and its record, in which the places of surfaces are not set
    /// yet. `program` is the position of the program's part, `at` the position of this part.
    pub fn record(&self, memory: &Memory, program: u32, at: u32) -> (LaunchRecord, Vec<[u32; 4]>) {
        let launch = self.launch;
        let (lowered, encoded) = (&self.ready.lowered, &self.ready.encoded);
        let mut code: Vec<[u32; 4]> = Vec::new();
        let here = |code: &Vec<[u32; 4]>| at + code.len() as u32;

        let integers = here(&code);
        let packed: Vec<u32> =
            launch.constants.int.iter().map(|constant| constant.to_word()).collect();
        push_words(&mut code, &packed);
        let uniforms = here(&code);
        let mut values: Vec<u32> =
            lowered.uniforms.iter().map(|uniform| uniform.resolve(&launch.constants)).collect();
        values.extend(&encoded.literals);
        push_words(&mut code, &values);
        let floats = here(&code);
        if encoded.uses.has(Feature::Relative) {
            code.extend(launch.constants.float.iter());
        }
        let interpolants = self.interpolants(&mut code, at);
        let initial = here(&code);
        self.initial(&mut code, at);

        let surface = |surface: &Option<Surface>| match surface {
            Some(surface) => SurfaceRecord::new(surface, 0),
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
            temporaries: lowered.temp_rows.iter().filter(|&&row| row != NO_ROW).count() as u32,
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
            pad0: 0,
            pad1: 0,
            pad2: 0,
            output_rows: std::array::from_fn(|n| {
                std::array::from_fn(|channel| row(lowered.output_rows[4 * n + channel]))
            }),
            range0,
            range1,
            range2,
            number: 0,
            output_count: outputs as u32,
            inputs: std::array::from_fn(|n| surface(&launch.inputs[n])),
            outputs: std::array::from_fn(|n| surface(&launch.outputs[n])),
            condition: surface(&condition.touched()),
        };
        (record, code)
    }

    /// The planes of those temporaries' channels that have a row: their number, then one entry
    /// each.
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

    /// Size in vec4s of the data that temporaries start with.
    pub fn initial_size(&self) -> usize {
        let initial = &self.launch.initial;
        initial.iter().map(|one| 2 + one.data.len()).sum()
    }

    /// Two entries for each temporary that starts with data, followed by the data.
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

/// Whether points that write in place produce what the defined order gives: no two elements share a
/// byte, of one surface or of several, and the conditional buffer's reads see their own element.
fn in_place_is_safe(writes: &[(Writer, Surface, Range<u64>)], overlaps: &[Overlap]) -> bool {
    let whole = |span: &Range<u64>| span.end - span.start >= 1 << 32;
    let meet = |a: &Range<u64>, b: &Range<u64>| a.start < b.end && b.start < a.end;
    writes.iter().enumerate().all(|(n, (_, surface, span))| {
        surface.elements_disjoint()
            && !whole(span)
            && writes[..n].iter().all(|(.., other)| !meet(span, other))
    }) && !overlaps.iter().any(|overlap| overlap.reader == Reader::Condition)
}

/// The most that a group executes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// Micro-operations.
    pub operations: u64,
    /// Instructions that have any micro-operations.
    pub instructions: u64,
}

/// The most that a group executes, if flow control bounds it. There must be no subroutine. Only the
/// end of a loop may jump back. Every loop must be entered at its entry and left at its end or by a
/// BREAK, so that each end counts with the frame of its own entry.
pub fn steps(lowered: &Lowered, launch: &Launch) -> Option<Steps> {
    if lowered.ops.iter().any(|op| op.op == Op::Wrap) {
        return None;
    }
    let flows = lowered.ops.iter().filter(|op| op.op == Op::Flow);
    let flows: Vec<_> = flows.map(|op| (op.pc as usize, lowered.flows[op.aux as usize])).collect();
    // Entry, end, and the number of times that the slots after the entry run.
    let mut loops: Vec<(usize, usize, u64)> = Vec::new();
    let mut open: Vec<(usize, u64)> = Vec::new();
    for (pc, flow) in &flows {
        match FcOp::from_code(flow.op as u32) {
            FcOp::Loop | FcOp::Rep => {
                let constant = launch.constants.int[flow.int_addr as usize & 31];
                open.push((*pc, constant.count.max(1) as u64));
            }
            FcOp::EndLoop | FcOp::EndRep => {
                let (entry, count) = open.pop()?;
                if flow.target as usize != entry + 1 {
                    return None;
                }
                loops.push((entry, *pc, count));
            }
            _ => {}
        }
    }
    if !open.is_empty() {
        return None;
    }
    // The loops around a slot, the innermost first.
    let around = |slot: usize| {
        let inside = move |(entry, end, _): &&(usize, usize, u64)| *entry < slot && slot <= *end;
        loops.iter().filter(inside)
    };
    for (pc, flow) in &flows {
        let target = flow.target as usize;
        if flow.a_op != 0 {
            return None;
        }
        let left = match FcOp::from_code(flow.op as u32) {
            FcOp::EndLoop | FcOp::EndRep => continue,
            // The end of a branch: it jumps only if some point wishes to, and none does.
            FcOp::Jump
                if flow.jump_func == 0 && flow.flags & (Flow::ANY | Flow::ELSE) == Flow::ANY =>
            {
                continue;
            }
            FcOp::BreakLoop | FcOp::BreakRep => 1,
            _ => 0,
        };
        if target <= *pc || !around(*pc).skip(left).eq(around(target)) {
            return None;
        }
    }
    let mut steps = Steps::default();
    let mut last = None;
    for op in &lowered.ops {
        let factors = around(op.pc as usize).map(|(.., count)| *count);
        let times = factors.fold(1, u64::saturating_mul);
        steps.operations = steps.operations.saturating_add(times);
        if op.op.facts().effect != Effect::End && last.replace(op.pc) != Some(op.pc) {
            steps.instructions = steps.instructions.saturating_add(times);
        }
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::launch::{Constants, Domain};

    /// The number of micro-operations within which groups of a program are certain to end, if any.
    fn bound(source: &str) -> Option<u64> {
        let image = crate::asm::assemble(source, "test").unwrap_or_else(|e| panic!("{e}"));
        let program = Arc::new(Program::new(image).unwrap_or_else(|e| panic!("{e}")));
        let mut launch = Launch::new(program.clone(), Domain::default());
        launch.constants = Arc::new(Constants::with_literals(&program.image().literals));
        steps(&crate::lower::lower(&program, 0), &launch).map(|steps| steps.operations)
    }

    #[test]
    fn loops_multiply_what_lies_in_them() {
        let line = "add r1.r, r1.r, 1\n";
        let once = bound(&format!("{line}mov o0, r1")).expect("it ends");
        let looped = bound(&format!("rep 100\n{line}endrep\nmov o0, r1")).expect("it ends");
        assert!(looped > 200 && looped < 100 * once, "{looped}");
        let nested = bound(&format!("rep 100\nloop 7\n{line}endloop\nendrep\nmov o0, r1"));
        assert!(nested.expect("it ends") > 1400);
        let zero = bound(&format!("rep 0\n{line}endrep\nmov o0, r1"));
        assert!(zero.expect("it ends") < 20);
        let left = "loop 9\nsub alu_result<0, r0.r, 3\nbreak if alu_result\nif alu_result\n\
                    mov r1, 1\nelse\nmov r1, 2\nendif\nendloop\nmov o0, r1";
        assert!(bound(left).expect("it ends") > 50);
        let branches = "sub alu_result<0, r0.r, 3\nif alu_result\nmov r1, 1\nelse\nmov r1, 2\n\
                        endif\nmov o0, r1";
        assert!(bound(branches).expect("it ends") < 40);
    }

    #[test]
    fn what_may_run_for_longer_has_no_bound() {
        for source in [
            // A jump back, a subroutine.
            "again:\njump -> again\nend",
            "call sub\nmov o0, r1\nend\nsub:\nmov r1, 1\nret",
            // A jump into a loop: its end counts with the frame of the other one.
            "loop n0 -> 3 if never\njump -> 4\nendloop n0 -> 1 @any\n\
             loop n1 -> 6 if never\nmov r1, 1\nendloop n1 -> 4 @any\nend",
            // A jump out of a loop whose frame stays.
            "loop n0 -> 5 if never\nloop n1 -> 4 if never\njump -> 4\nendloop n1 -> 2 @any\n\
             endloop n0 -> 1 @any\nend",
            // A loop whose exit leads back into it.
            "loop n0 -> 2 if never\nmov r1, 1\nmov r1, 2\nendloop n0 -> 1 @any\nend",
            "loop n0 -> 4 if never\nbreakloop -> 2\nmov r1, 2\nendloop n0 -> 1 @any\nend",
            // Ends without entries, entries without ends, ends of another entry.
            "mov r1, 1\nendloop n0 -> 0\nend",
            "loop n0 -> 2 if never\nmov r1, 1\nend",
            "loop n0 -> 4 if never\nmov r1, 1\nmov r1, 2\nendloop n0 -> 2 @any\nend",
        ] {
            assert_eq!(bound(source), None, "{source}");
        }
    }
}
