//! Operands without modifiers: a modified operand becomes a row of its own.
//!
//! So every operation has one loop, on rows as they are. A modified row is computed before the run
//! of equal operations that reads it, and kept for later operations until its source is written.

use super::code::{Code, MODIFIERS, Step};
use crate::lower::{Operand, RowOp, Write};
use ctm_isa::ops::{Effect, Op, is_set};

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
}

impl Builder {
    /// For a program of that many rows and uniforms.
    pub(super) fn new(rows: u32, uniforms: u32) -> Builder {
        Builder {
            code: Vec::new(),
            entered: Vec::new(),
            uniforms: rows,
            first_kept: rows + uniforms,
            kept: Vec::new(),
            count: 0,
            run: (0, 0),
        }
    }

    /// Appends an operation; a jump can enter at it if it is `entered`. Returns its place.
    pub(super) fn push(&mut self, op: &RowOp, entered: bool) -> u32 {
        self.count += 1;
        if entered {
            self.kept.iter_mut().for_each(|kept| kept.operand = Operand::NONE);
            self.entered.push(self.code.len());
        }
        let mut code = Code {
            step: Step::Op(op.op),
            write: op.write,
            run: 1,
            in_place: op.is_mark(),
            aux: op.aux,
            pc: op.pc,
            dst: op.dst,
            src: [0; 4],
        };
        if entered || self.code.last().is_none_or(|last| !alike(last, &code)) {
            self.end_run();
        }
        let at = self.code.len() as u32;
        for (place, operand) in code.src.iter_mut().zip(op.operands) {
            if !operand.is_none() {
                *place = self.row(operand);
            }
        }
        self.code.push(code);
        self.forget(op);
        at
    }

    fn end_run(&mut self) {
        self.run = (self.code.len(), self.count);
    }

    /// The row of an operand, after its modifiers.
    fn row(&mut self, operand: Operand) -> u32 {
        let base = if operand.is_uniform() { self.uniforms } else { 0 };
        let source = base + operand.index();
        if operand.is_plain() {
            return source;
        }
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
    pub(super) fn finish(mut self) -> (Vec<Code>, u32) {
        let mut entered = vec![false; self.code.len() + 1];
        for at in self.entered {
            entered[at] = true;
        }
        for n in (0..self.code.len().saturating_sub(1)).rev() {
            let next = self.code[n + 1];
            if alike(&self.code[n], &next) && !entered[n + 1] && next.run < LONGEST {
                self.code[n].run = next.run + 1;
            }
        }
        (self.code, self.first_kept + self.kept.len() as u32)
    }
}

/// Whether two operations can be in one run.
fn alike(a: &Code, b: &Code) -> bool {
    let kind = |code: &Code| match code.step {
        Step::Op(op @ Op::Calc(_)) => Some((Some(op), is_set(code.aux), code.write)),
        Step::Op(_) => None,
        Step::Modify => Some((None, false, Write::All)),
    };
    kind(a).is_some() && kind(a) == kind(b)
}

/// The rows of temporaries, which are the first ones, whose value at the start of a point can be
/// read. `ops` begin where a point begins, with all points active.
pub(super) fn read_first(ops: &[RowOp], temporaries: u32) -> Vec<u32> {
    let mut open: Vec<u32> = (0..temporaries).collect();
    let mut read = Vec::new();
    for op in ops {
        let effect = op.op.facts().effect;
        let is_read = |row: u32| {
            op.op == Op::LoadTemp
                || op.read().any(|operand| operand.is_row(row))
                || op.write == Write::Gated && op.rows().contains(&row)
                || matches!(effect, Effect::Temporary | Effect::Flow)
                || op.op == Op::Wrap
        };
        read.extend(open.extract_if(.., |row| is_read(*row)));
        open.retain(|row| !op.rows().contains(row));
        if matches!(effect, Effect::Flow | Effect::End) {
            break;
        }
    }
    read
}
