//! Operands without modifiers: a modified operand becomes a row of its own.
//!
//! So every operation has one loop, on rows as they are. A modified row is computed before the run
//! of operations that reads it, and kept for later operations until its source is written. Kernels
//! ([`super::daz`]) negate their operands themselves.
//!
//! In mode `chip` the terms of a sum are exact products, which no row can hold. So a product is no
//! code; its sum reads the factors.

use super::code::{Code, MODIFIERS, Step};
use super::daz;
use super::loose::loosen;
use crate::launch::FloatMode;
use crate::lower::{Lowered, Operand, RowOp, Write};
use ctm_isa::ops::{Calc, Effect, Op, is_set};
use std::collections::HashMap;
use std::mem;

/// The rows for modified operands: more than one operation can have, and few enough for a cache.
const KEPT: usize = 48;

/// The most operations of a run.
const LONGEST: u8 = 16;

/// A row that holds a modified operand.
#[derive(Clone, Copy)]
struct Kept {
    /// The operand; none if the row is free.
    operand: Operand,
    /// The number of the last operation that reads the row.
    used: usize,
}

/// A term of a sum in mode `chip`: the rows of its factors, and the product's `aux`.
#[derive(Clone, Copy)]
struct Term {
    rows: [u32; 2],
    aux: u16,
}

/// The rows of the factors of a sum's term in mode `chip`.
#[inline(always)]
pub(super) fn factors(src: u32) -> [usize; 2] {
    [src as usize & 0xffff, src as usize >> 16]
}

/// Whether the second factor and the addend of MAD are constants, in mode `chip`.
#[inline(always)]
pub(super) fn constants(src: u32) -> [bool; 2] {
    [src & 1 != 0, src & 2 != 0]
}

/// Micro-operations as code, one after the other.
pub(super) struct Builder {
    code: Vec<Code>,
    /// The places where code can be entered, in order.
    entered: Vec<usize>,
    uniforms: u32,
    first_kept: u32,
    kept: Vec<Kept>,
    /// The number of operations until now.
    count: usize,
    /// The place of the run of equal operations that the next one may continue, and its first
    /// operation's number.
    run: (usize, usize),
    /// Whether operations have the kernels of `daz`.
    kernels: bool,
    /// In mode `chip`, a row that holds ones.
    ones: Option<u32>,
    /// In mode `chip`, the products by their rows.
    terms: HashMap<u32, Term>,
}

impl Builder {
    /// For a program of that many rows and uniforms. In mode `chip` the last uniform is `ones`.
    pub(super) fn new(rows: u32, uniforms: u32, mode: FloatMode, daz: bool) -> Builder {
        Builder {
            code: Vec::new(),
            entered: Vec::new(),
            uniforms: rows,
            first_kept: rows + uniforms,
            kept: Vec::new(),
            count: 0,
            run: (0, 0),
            kernels: daz && mode == FloatMode::Exact,
            ones: (mode == FloatMode::Chip).then_some(rows + uniforms - 1),
            terms: HashMap::new(),
        }
    }

    /// Makes room for that many operations.
    pub(super) fn reserve(&mut self, operations: usize) {
        self.code.reserve(operations + KEPT);
    }

    /// Appends an operation; a jump can enter at it if it is `entered`. Returns its place.
    pub(super) fn push(&mut self, op: &RowOp, entered: bool) -> u32 {
        self.count += 1;
        if entered {
            self.kept.iter_mut().for_each(|kept| kept.operand = Operand::NONE);
            self.entered.push(self.code.len());
            self.end_run();
        }
        let at = self.code.len() as u32;
        if self.ones.is_some() && self.is_term(op) {
            return at;
        }
        let kernel = if let Op::Calc(calc) = op.op
            && self.kernels
        {
            let negated = op.operands.map(|operand| operand.has(Operand::NEG));
            daz::kernel(calc, op.aux, negated)
        } else {
            None
        };
        let mut code = Code {
            step: kernel.map_or(Step::Op(op.op), |_| Step::Kernel),
            write: op.write,
            run: 1,
            in_place: op.is_mark(),
            aux: kernel.unwrap_or(op.aux),
            pc: op.pc,
            dst: op.dst,
            src: [0; 4],
        };
        let sum = self.ones.filter(|_| matches!(op.op, Op::Calc(Calc::Sum3 | Calc::Sum4)));
        if sum.is_some() {
            let terms = op.operands.iter().filter_map(|operand| self.terms.get(&operand.0));
            code.aux |= terms.fold(0, |aux, term| aux | term.aux);
        }
        if self.code.last().is_none_or(|last| !alike(last, &code)) {
            self.end_run();
        }
        let at = self.code.len() as u32;
        // What a kernel does itself.
        let own = kernel.map_or(0, |_| Operand::FLUSH | Operand::NEG);
        for (n, operand) in op.operands.into_iter().enumerate() {
            code.src[n] = match sum {
                // It is not read.
                _ if operand.is_none() => code.src[0],
                Some(ones) => self.factors(operand, ones),
                None => self.row(Operand(operand.0 & !own)),
            };
        }
        if self.ones.is_some() && op.op == Op::Calc(Calc::Mad) {
            let [a, b, c, _] = op.operands.map(Operand::is_uniform);
            if a && !b {
                code.src.swap(0, 1);
            }
            code.src[3] = u32::from(a || b) | u32::from(c) << 1;
        }
        self.code.push(code);
        if !matches!(op.op, Op::Calc(_)) {
            // What a sum of mode `chip` reads is computed after it: it may write a temporary.
            self.end_run();
        }
        self.forget(op);
        at
    }

    /// In mode `chip`: notes a product, and a copy of one. Returns whether the operation is one.
    fn is_term(&mut self, op: &RowOp) -> bool {
        let term = if op.op == Op::Calc(Calc::Product) {
            let rows = [0, 1].map(|n| self.row(op.operands[n]));
            Some(Term { rows, aux: op.aux })
        } else {
            let copies = op.op == Op::Calc(Calc::Mov);
            self.terms.get(&op.operands[0].0).filter(|_| copies).copied()
        };
        self.terms.retain(|row, _| !op.rows().contains(row));
        self.terms.extend(term.map(|term| (op.dst, term)));
        term.is_some()
    }

    /// The rows of a term of a sum, see [`factors`]; a number is a product with 1.
    fn factors(&mut self, operand: Operand, ones: u32) -> u32 {
        let term = self.terms.get(&operand.0).copied();
        let [a, b] = term.map_or_else(|| [self.row(operand), ones], |term| term.rows);
        // Now the sum reads them, not the product.
        for row in [a, b] {
            let kept = row.checked_sub(self.first_kept).map(|n| &mut self.kept[n as usize]);
            kept.into_iter().for_each(|kept| kept.used = self.count);
        }
        a | b << 16
    }

    fn end_run(&mut self) {
        self.run = (self.code.len(), self.count);
    }

    /// The row of an operand, after its modifiers.
    #[inline]
    fn row(&mut self, operand: Operand) -> u32 {
        let base = if operand.is_uniform() { self.uniforms } else { 0 };
        let source = base + operand.index();
        if operand.is_plain() { source } else { self.modified(operand, source) }
    }

    /// The row of a modified operand, which is the row `source` before its modifiers.
    fn modified(&mut self, operand: Operand, source: u32) -> u32 {
        let found = self.kept.iter().position(|kept| kept.operand == operand);
        let n = found.unwrap_or_else(|| self.modify(operand, source));
        self.kept[n].used = self.count;
        self.first_kept + n as u32
    }

    /// Computes a modified operand before the run. Returns the number of its row.
    fn modify(&mut self, operand: Operand, source: u32) -> usize {
        let kept = self.kept.iter().enumerate();
        let (free, n) = kept
            .map(|(n, kept)| (kept.operand.is_none() && kept.used < self.run.1, kept.used, n))
            .map(|(free, used, n)| ((!free, used), n))
            .min()
            .map_or((false, 0), |((used, _), n)| (!used, n));
        let n = if !free && self.kept.len() < KEPT {
            self.kept.push(Kept { operand, used: 0 });
            self.kept.len() - 1
        } else {
            n
        };
        let written = self.code[self.run.0..].iter().any(|code| code.dst == source);
        if written || self.kept[n].used >= self.run.1 {
            self.end_run();
        }
        self.kept[n].operand = operand;
        let code = Code {
            step: Step::Modify,
            write: Write::All,
            run: 1,
            in_place: false,
            aux: (operand.0 >> MODIFIERS) as u16 & 7,
            pc: 0,
            dst: self.first_kept + n as u32,
            src: [source, 0, 0, 0],
        };
        self.code.insert(self.run.0, code);
        self.run.0 += 1;
        n
    }

    /// Forgets modified copies of the rows that an operation writes.
    fn forget(&mut self, op: &RowOp) {
        if self.kept.is_empty() {
            return;
        }
        let all = op.op.facts().effect == Effect::Temporary;
        let rows = op.rows();
        for kept in &mut self.kept {
            let is_row = !kept.operand.is_none() && !kept.operand.is_uniform();
            if is_row && (all || rows.contains(&kept.operand.index())) {
                kept.operand = Operand::NONE;
            }
        }
    }

    /// The code, and the number of rows that it uses.
    pub(super) fn finish(mut self, lowered: &Lowered) -> (Vec<Code>, u32) {
        let rows = self.first_kept + self.kept.len() as u32;
        let mut entered = vec![false; self.code.len() + 1];
        for at in self.entered {
            entered[at] = true;
        }
        if self.kernels {
            loosen(lowered, &mut self.code, &entered, rows as usize);
        }
        for n in (0..self.code.len().saturating_sub(1)).rev() {
            let next = self.code[n + 1];
            if alike(&self.code[n], &next) && !entered[n + 1] && next.run < LONGEST {
                self.code[n].run = next.run + 1;
            }
        }
        (self.code, rows)
    }
}

/// Whether two operations can be in one run.
fn alike(a: &Code, b: &Code) -> bool {
    a.step == b.step
        && a.write == b.write
        && match a.step {
            Step::Op(Op::Calc(_)) => is_set(a.aux) == is_set(b.aux),
            Step::Op(_) => false,
            Step::Modify | Step::Kernel => true,
        }
}

/// The rows of temporaries, which are the first ones, whose value at the start of a point can be
/// read. `ops` begin where a point begins, with all points active.
pub(super) fn read_first(ops: &[RowOp], temporaries: u32) -> Vec<u32> {
    let mut open = vec![true; temporaries as usize];
    // Whether it was open.
    let close = |open: &mut [bool], row: u32| open.get_mut(row as usize).is_some_and(mem::take);
    let mut read = Vec::new();
    for op in ops {
        let effect = op.op.facts().effect;
        if matches!(op.op, Op::LoadTemp | Op::Wrap)
            || matches!(effect, Effect::Temporary | Effect::Flow)
        {
            read.extend((0..temporaries).filter(|&row| close(&mut open, row)));
        }
        for operand in op.operands {
            // Those that are no row have the bit.
            if !operand.is_uniform() && close(&mut open, operand.index()) {
                read.push(operand.index());
            }
        }
        for row in op.dst..op.dst + effect.rows() {
            if close(&mut open, row) && op.write == Write::Gated {
                read.push(row);
            }
        }
        if matches!(effect, Effect::Flow | Effect::End) {
            break;
        }
    }
    read
}
