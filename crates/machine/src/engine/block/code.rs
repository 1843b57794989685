//! Micro-operations as this engine reads them: operands as rows with masks.

use super::copy::Copy;
use super::plain::{self, Builder};
use crate::engine::checked::{Counts, counts_before};
use crate::engine::{Checked, Statistics};
use crate::launch::{Constants, FloatMode};
use crate::lower::{Lowered, Operand, Write};
use ctm_isa::float::ONE;
use ctm_isa::ops::Op;
use std::sync::Arc;

/// The operation of a [`Code`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// An operation on unmodified rows.
    Op(Op),
    /// Row dst = row a with the modifiers in `aux`, see [`MODIFIERS`].
    Modify,
    /// An operation of mode `exact` by the kernel of [`super::daz`] with the number `aux`.
    Kernel,
}

/// The position of an [`Operand`]'s modifiers, which are bits 2:0 of a [`Step::Modify`]'s `aux`.
pub(super) const MODIFIERS: u32 = Operand::ABS.trailing_zeros();

/// A micro-operation with its operands resolved to rows.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Code {
    pub step: Step,
    pub write: Write,
    /// The number of operations, from this one on, that can run together: equal ones, or kernels.
    pub run: u8,
    /// An [`Op::Output`] whose value is already in its row.
    pub in_place: bool,
    pub aux: u16,
    pub pc: u16,
    pub dst: u32,
    pub src: [u32; 4],
}

/// A lowered program for one launch. After the program's own rows come those of the uniforms, then
/// those of modified operands, then one for results before they are masked.
pub(super) struct Prepared {
    pub lowered: Arc<Lowered>,
    pub mode: FloatMode,
    pub code: Vec<Code>,
    /// The code of each slot that a jump can reach.
    pub entry: Vec<u32>,
    /// The first uniform's row.
    pub rows: u32,
    pub uniforms: Vec<u32>,
    /// The row for results before they are masked.
    pub unmasked: u32,
    /// The rows of temporaries that the program reads before it writes them.
    pub read_first: Vec<u32>,
    pub start: u32,
    /// The copy that the program is, if it does nothing else.
    pub copy: Option<Copy>,
    /// See [`counts_before`].
    counts: Vec<Counts>,
    constants: Arc<Constants>,
}

/// The slots, of those that have an instruction, that are reached other than from the slot before; at last whether
/// another one is.
fn reached(lowered: &Lowered, slots: usize) -> Vec<bool> {
    // With data sharing, groups stop after every instruction.
    let mut reached = vec![!lowered.windows.is_empty(); slots + 1];
    let mut reach = |slot: usize| reached[(slot % lowered.entry.len()).min(slots)] = true;
    reach(0);
    reach(lowered.start as usize);
    let flows = lowered.ops.iter().filter(|op| op.op == Op::Flow);
    for op in flows.take(lowered.flows.len()) {
        reach(lowered.flows[op.aux as usize].target as usize);
        reach(op.pc as usize + 1);
    }
    reached
}

/// The bits of the uniforms; in mode `chip` also those of 1.
fn uniforms(launch: &Checked) -> Vec<u32> {
    let mut uniforms = launch.lowered.resolve(&launch.constants);
    uniforms.extend((launch.mode == FloatMode::Chip).then_some(ONE));
    uniforms
}

impl Prepared {
    /// Prepares a launch; with `daz` for the kernels of [`super::daz`].
    pub(super) fn new(launch: &Checked, daz: bool) -> Prepared {
        let lowered = &launch.lowered;
        // Operands that an operation does not have are in row 0, so it must exist.
        let rows = lowered.rows.max(1);
        // The slots after these have no instruction: all have one entry.
        let missing = lowered.entry[lowered.entry.len() - 1];
        let slots = lowered.entry.partition_point(|&entry| entry < missing);
        let mut entered = vec![false; lowered.ops.len() + 1];
        let entries = lowered.entry[..slots].iter().chain([&missing]);
        for (&entry, reached) in entries.zip(reached(lowered, slots)) {
            entered[entry as usize] |= reached;
        }
        let uniforms = uniforms(launch);
        let mut builder = Builder::new(rows, uniforms.len() as u32, launch.mode, daz);
        builder.reserve(lowered.ops.len());
        let places: Vec<u32> = lowered
            .ops
            .iter()
            .zip(entered)
            .map(|(op, entered)| builder.push(op, entered))
            .collect();
        let (code, unmasked) = builder.finish(lowered);
        let mut entry = vec![places[missing as usize]; lowered.entry.len()];
        for (place, &first) in entry.iter_mut().zip(&lowered.entry[..slots]) {
            *place = places[first as usize];
        }
        let start = lowered.entry[lowered.start as usize] as usize;
        Prepared {
            lowered: lowered.clone(),
            mode: launch.mode,
            code,
            entry,
            rows,
            unmasked,
            uniforms,
            read_first: plain::read_first(&lowered.ops[start..], lowered.temporaries),
            start: lowered.start,
            copy: Copy::of(lowered),
            counts: counts_before(&launch.program),
            constants: launch.constants.clone(),
        }
    }

    /// Replaces the constants by those of another launch of the same lowered program and mode.
    pub(super) fn rebind(&mut self, launch: &Checked) {
        if Arc::ptr_eq(&self.constants, &launch.constants) {
            return;
        }
        self.uniforms = uniforms(launch);
        self.constants = launch.constants.clone();
    }

    /// Adds the instructions of slots `from..to` to the statistics, as often as groups run them.
    pub(super) fn count(&self, from: u32, to: u32, groups: u64, statistics: &mut Statistics) {
        let at = |slot: u32| self.counts[(slot as usize).min(self.counts.len() - 1)];
        if to <= from {
            return;
        }
        let (before, after) = (at(from), at(to));
        let ran = |after: u16, before: u16| groups * u64::from(after - before);
        statistics.alu += ran(after.alu, before.alu);
        statistics.out += ran(after.out, before.out);
        statistics.tex += ran(after.tex, before.tex);
        statistics.tex_fetching += ran(after.tex_fetching, before.tex_fetching);
        statistics.fc += ran(after.fc, before.fc);
    }

    /// The slot, and where the code of the slot after it begins. The last slot and those without an
    /// instruction end at operations of their own.
    pub(super) fn step(&self, pc: u32) -> (u32, usize) {
        let instructions = self.counts.len() - 1;
        let next = self.entry.get(pc as usize + 1).filter(|_| (pc as usize) < instructions);
        (pc, next.map_or(usize::MAX, |&next| next as usize))
    }

    /// The number of rows that a machine needs.
    pub(super) fn all_rows(&self) -> usize {
        self.unmasked as usize + 1
    }

    /// The row of temporary (`aux >> 2`) + aL, channel `aux & 3`.
    pub(super) fn relative_temp(&self, aux: u16, al: i32) -> usize {
        let temp = ((aux >> 2) as i32).wrapping_add(al) as usize & 127;
        self.lowered.temp_rows[4 * temp + (aux & 3) as usize] as usize
    }

    /// Channel `aux & 3` of float constant (`aux >> 2`) + aL.
    pub(super) fn relative_constant(&self, aux: u16, al: i32) -> u32 {
        let n = ((aux >> 2) as i32).wrapping_add(al) as usize & 255;
        self.constants.float[n][(aux & 3) as usize]
    }
}
