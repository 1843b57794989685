//! A launch as the interpreter needs it: its program in the shader's form, the bytes it touches and how,
//! and how its results return.

use crate::abi::constants::{
    LAUNCH_CONDITION_FIRST, LAUNCH_CONDITION_LAST, LAUNCH_CONDITION_WRITES, LAUNCH_LOGS, NO_TABLE,
};
use crate::abi::encode::{Encoded, Ready};
use crate::abi::launch::LaunchRecord;
use crate::abi::surface::{self, MemoryVariant, SurfaceRecord};
use crate::plan::Data;
use crate::translate;
use ctm_machine::engine::Checked;
use ctm_machine::engine::checked::{Access, Reader, Writer, intersect};
use ctm_machine::launch::{Launch, Location, Test};
use ctm_machine::lower::NO_ROW;
use ctm_machine::memory::{Memory, Surface};
use std::ops::Range;
use std::sync::Arc;

/// A launch, prepared for a dispatch.
pub struct Prepared<'a> {
    /// The launch.
    pub launch: &'a Checked<'a>,
    /// Its program.
    pub ready: Arc<Ready>,
    /// The number of groups.
    pub groups: u64,
    /// Whether writes go to the log, for the host to apply.
    pub logs: bool,
}

impl<'a> Prepared<'a> {
    /// Prepares a launch that is valid and has groups.
    pub fn new(launch: &'a Checked<'a>, ready: Arc<Ready>) -> Prepared<'a> {
        let logs = launch.program.umrt() && launch.program.uses().outputs != 0
            || !in_place_is_safe(launch);
        Prepared { launch, ready, groups: launch.grouping.count(), logs }
    }

    /// Its program in the shader's form.
    pub fn encoded(&self) -> &Encoded {
        self.ready.encoded(&self.launch.program)
    }

    /// The surfaces that it writes in place: none if writes are logged.
    pub fn writes(&self) -> &'a [Access<Writer>] {
        if self.logs { &[] } else { &self.launch.writes }
    }

    /// The reads that read copies, as [`translate::copied`]: none if writes are logged.
    pub fn copied(&self) -> Vec<usize> {
        if self.logs { Vec::new() } else { translate::copied(self.launch) }
    }

    /// The memory part of the shader's variant.
    pub fn memory_variant(&self) -> MemoryVariant {
        let mut variant = MemoryVariant::default();
        for read in &self.launch.reads {
            variant.read(&read.surface);
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

    /// The most vec4s of micro-operations that a group executes, if that is bounded.
    pub fn operations(&self) -> Option<u64> {
        let runs = self.launch.runs()?;
        let times = self.encoded().lengths.iter().zip(runs);
        Some(times.fold(0, |sum: u64, (n, &runs)| sum.saturating_add(n.saturating_mul(runs))))
    }

    /// Log entries that a group can need for its writes. For uncached ones it is an estimate.
    pub fn log_entries(&self) -> u64 {
        if !self.logs {
            return 0;
        }
        let uncached =
            self.ready.lowered.ops.iter().filter(|op| op.op == ctm_isa::ops::Op::Uncached).count()
                as u64;
        let outputs = self.launch.outputs.iter().flatten().count() as u64;
        64 * (2 * uncached + outputs + 2)
    }

    /// Size in vec4s of what a dispatch of the launch reads besides memory, at most.
    pub fn size(&self) -> u64 {
        let initial: usize = self.launch.initial.iter().map(|one| 1 + one.data.len()).sum();
        (self.encoded().words.len() + initial + 512) as u64
    }

    /// The data that temporaries start with.
    pub fn starts(&self) -> impl Iterator<Item = &'a Arc<Data>> {
        let launch: &'a Launch = self.launch;
        launch.initial.iter().map(|initial| &initial.data)
    }

    /// The launch's own part of `code`, and its record, in which the places of surfaces and of
    /// initial data are not set yet. `program` is the position of the program's part, `at` the
    /// position of this part.
    pub fn record(&self, memory: &Memory, program: u32, at: u32) -> (LaunchRecord, Vec<[u32; 4]>) {
        let launch = self.launch;
        let (lowered, encoded) = (&self.ready.lowered, self.encoded());
        let mut code: Vec<[u32; 4]> = Vec::new();
        let here = |code: &Vec<[u32; 4]>| at + code.len() as u32;

        let integers = here(&code);
        let packed: Vec<u32> =
            launch.constants.int.iter().map(|constant| constant.to_word()).collect();
        push_words(&mut code, &packed);
        let uniforms = here(&code);
        let mut values = lowered.resolve_all(&encoded.uniforms, &launch.constants);
        values.extend(&encoded.literals);
        push_words(&mut code, &values);
        let floats = here(&code);
        if encoded.uses.relative {
            code.extend(launch.constants.float.iter());
        }
        let interpolants = self.interpolants(&mut code, at);
        let initial = here(&code);
        code.extend(self.initial());

        let surface = |surface: &Option<Surface>| match surface {
            Some(surface) => SurfaceRecord::new(surface, 0),
            None => SurfaceRecord::default(),
        };
        let (grouping, domain) = (&launch.grouping, &launch.domain);
        let tile = grouping.tile(0);
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
        let [range0, range1, range2] = surface::ranges(memory);
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
            temporaries: lowered.temporaries,
            start: lowered.start,
            first_op: encoded.first_op,
            booleans: launch.constants.bool,
            first_column: tile.i / grouping.width,
            columns: grouping.columns(),
            first_row: tile.j / grouping.height,
            width_log2: grouping.width.trailing_zeros(),
            i0: domain.i0,
            j0: domain.j0,
            i1: domain.i1,
            j1: domain.j1,
            out_mask: launch.out_mask as u32,
            limit: launch.limits.instructions as u32,
            test: condition.test.code(),
            value: condition.value,
            flags,
            in_place: launch.in_place().into(),
            initial,
            initial_count: launch.initial.len() as u32,
            starts: 0,
            interpolants,
            i_row: row(lowered.temp_rows[0]),
            j_row: row(lowered.temp_rows[1]),
            own_row: row(lowered.own_row),
            pad0: 0,
            pad1: 0,
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

    /// The rows of each temporary that starts with data.
    fn initial(&self) -> impl Iterator<Item = [u32; 4]> {
        let rows = &self.ready.lowered.temp_rows;
        let temps = self.launch.initial.iter().map(|initial| 4 * usize::from(initial.temp));
        temps.map(|temp| std::array::from_fn(|channel| rows[temp + channel].into()))
    }
}

fn push_words(code: &mut Vec<[u32; 4]>, words: &[u32]) {
    for four in words.chunks(4) {
        code.push(std::array::from_fn(|n| four.get(n).copied().unwrap_or(0)));
    }
}

/// Whether points that write in place produce what the defined order gives: no two elements share a
/// byte, of one surface or of several, and the conditional buffer's reads see their own element.
fn in_place_is_safe(launch: &Checked) -> bool {
    let whole = |span: &Range<u64>| span.end - span.start >= 1 << 32;
    let writes = &launch.writes;
    writes.iter().enumerate().all(|(n, Access { surface, span, .. })| {
        surface.elements_disjoint()
            && !whole(span)
            && writes[..n].iter().all(|other| !intersect(span, &other.span))
    }) && !launch.overlaps.iter().any(|overlap| overlap.reader == Reader::Condition)
}
