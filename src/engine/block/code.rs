//! Micro-operations as this engine reads them: operands as rows with masks.

use super::rows::Source;
use crate::engine::{Checked, Statistics};
use crate::isa::{Body, Type};
use crate::launch::Constants;
use crate::lower::{Flow, Operand, Write};
use crate::ops::{Op, is_set};
use std::sync::Arc;

/// A micro-operation with its operands resolved to rows.
#[derive(Clone, Copy)]
pub(super) struct Code {
    pub op: Op,
    pub write: Write,
    /// No operand has a modifier or a flush.
    pub plain: bool,
    /// The number of equal operations, from this one on, that can run together.
    pub run: u8,
    /// An [`Op::Output`] whose value is already in its row.
    pub in_place: bool,
    pub aux: u16,
    pub pc: u16,
    pub dst: u32,
    pub src: [Source; 4],
}

/// A lowered program for one launch. The uniforms are rows after the program's own rows.
pub(super) struct Prepared {
    pub code: Vec<Code>,
    pub flows: Vec<Flow>,
    pub entry: Vec<u32>,
    pub rows: u32,
    pub uniforms: Vec<u32>,
    pub temp_rows: Vec<u16>,
    /// The number of rows of temporaries. They are the first rows.
    pub temporaries: usize,
    pub output_rows: [u16; 16],
    pub own_row: u16,
    pub start: u32,
    /// Instructions of each kind before each slot: ALU, OUT, TEX, fetching TEX, FC.
    counts: Vec<[u32; 5]>,
    constants: Arc<Constants>,
}

fn source(operand: Operand, rows: u32) -> Source {
    if operand.is_none() {
        return Source { row: 0, and: u32::MAX, xor: 0, flush: false };
    }
    let base = if operand.is_uniform() { rows } else { 0 };
    Source {
        row: base + operand.index(),
        and: if operand.has(Operand::ABS) { !crate::float::SIGN } else { u32::MAX },
        xor: if operand.has(Operand::NEG) { crate::float::SIGN } else { 0 },
        flush: operand.has(Operand::FLUSH),
    }
}

impl Prepared {
    pub(super) fn new(launch: &Checked) -> Prepared {
        let lowered = &launch.lowered;
        // Operations with fewer operands read row 0, so it must exist.
        let rows = lowered.rows.max(1);
        let mut code: Vec<Code> = lowered
            .row_ops
            .iter()
            .map(|op| Code {
                op: op.op,
                write: op.write,
                plain: op.read().all(Operand::is_plain),
                run: 1,
                in_place: op.is_mark(),
                aux: op.aux,
                pc: op.pc,
                dst: op.dst,
                src: op.operands.map(|operand| source(operand, rows)),
            })
            .collect();
        // A run must not continue past a jump target.
        let mut entered = vec![false; code.len() + 1];
        for &entry in &lowered.row_entry {
            entered[entry as usize] = true;
        }
        for n in (0..code.len().saturating_sub(1)).rev() {
            let (this, next) = (code[n], code[n + 1]);
            let kind = |code: &Code| (code.op, code.plain, is_set(code.aux), code.write);
            let same = matches!(this.op, Op::Calc(_)) && kind(&this) == kind(&next);
            if same && !entered[n + 1] && next.run < 16 {
                code[n].run = next.run + 1;
            }
        }
        let mut counts = vec![[0; 5]];
        for instruction in launch.program.instructions() {
            let mut next = counts[counts.len() - 1];
            next[match instruction.common.class {
                Type::Alu => 0,
                Type::Out => 1,
                Type::Tex => 2,
                Type::Fc => 4,
            }] += 1;
            if let Body::Tex(tex) = &instruction.body {
                next[3] += tex.op.fetches() as u32;
            }
            counts.push(next);
        }
        Prepared {
            code,
            flows: lowered.flows.clone(),
            entry: lowered.row_entry.clone(),
            rows,
            uniforms: lowered
                .uniforms
                .iter()
                .map(|uniform| uniform.resolve(&launch.constants))
                .collect(),
            temp_rows: lowered.temp_rows.clone(),
            temporaries: lowered.temporaries as usize,
            output_rows: lowered.output_rows,
            own_row: lowered.own_row,
            start: lowered.start,
            counts,
            constants: launch.constants.clone(),
        }
    }

    /// Replaces the constants by those of another launch of the same lowered program.
    pub(super) fn rebind(&mut self, launch: &Checked) {
        if Arc::ptr_eq(&self.constants, &launch.constants) {
            return;
        }
        for (value, uniform) in self.uniforms.iter_mut().zip(&launch.lowered.uniforms) {
            *value = uniform.resolve(&launch.constants);
        }
        self.constants = launch.constants.clone();
    }

    /// Adds the instructions of slots `from..to` to the statistics.
    pub(super) fn count(&self, from: u32, to: u32, statistics: &mut Statistics) {
        let at = |slot: u32| self.counts[(slot as usize).min(self.counts.len() - 1)];
        if to <= from {
            return;
        }
        let (before, after) = (at(from), at(to));
        let n = |kind: usize| (after[kind] - before[kind]) as u64;
        statistics.alu += n(0);
        statistics.out += n(1);
        statistics.tex += n(2);
        statistics.tex_fetching += n(3);
        statistics.fc += n(4);
    }

    /// The row of temporary (`aux >> 2`) + aL, channel `aux & 3`.
    pub(super) fn relative_temp(&self, aux: u16, al: i32) -> usize {
        let temp = ((aux >> 2) as i32).wrapping_add(al) as usize & 127;
        self.temp_rows[4 * temp + (aux & 3) as usize] as usize
    }

    /// Channel `aux & 3` of float constant (`aux >> 2`) + aL.
    pub(super) fn relative_constant(&self, aux: u16, al: i32) -> u32 {
        let n = ((aux >> 2) as i32).wrapping_add(al) as usize & 255;
        self.constants.float[n][(aux & 3) as usize]
    }
}
