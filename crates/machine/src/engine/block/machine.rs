//! A running group of 64 points: its rows, masks and stacks, and the loop over micro-operations.

use super::code::{Code, Prepared, Step};
use super::elements::{Places, Transfer};
use super::io::Io;
use super::lanes::Loop;
use super::rows::{self, Row};
use super::{daz, fetch, flow};
use crate::engine::stop::{Early, LOOK};
use crate::engine::{FaultCode, Statistics};
use crate::launch::FloatMode;
use crate::lower::{GateBits, NO_ROW, Write};
use ctm_isa::float;
use ctm_isa::ops::{Op, is_set};
use std::cell::Cell;

/// One frame of the loop stack.
#[derive(Clone, Copy, Default)]
pub(super) struct Frame {
    pub remaining: u32,
    pub saved_al: i32,
    pub broken: u64,
    pub continued: u64,
}

/// A set of points, also as a row.
pub(super) struct Points {
    pub mask: u64,
    row: Row,
}

impl Points {
    const ALL: Points = Points { mask: u64::MAX, row: Row([[u32::MAX; 16]; 4]) };

    #[inline(always)]
    fn new(mask: u64) -> Points {
        Points { mask, row: Row::from_mask(mask) }
    }
}

/// The row that masks a write, unless all points write.
#[inline(always)]
fn masking<'a>(write: Write, active: &'a Points, gate: &'a Points) -> Option<&'a Row> {
    let points = match write {
        Write::All => return None,
        Write::Active => active,
        Write::Gated => gate,
    };
    (points.mask != u64::MAX).then_some(&points.row)
}

/// The state of a group. Sets of points are masks, bit n for slot n.
pub(super) struct Machine {
    pub rows: Vec<Row>,
    /// See [`Prepared::unmasked`].
    unmasked: u32,
    pub covered: u64,
    pub started: u64,
    pub active: Points,
    gate: Points,
    /// The predicates R, G, B, A and the ALU result, see [`Op::SetBit`].
    pub bits: [u64; 8],
    pub branch_inactive: u64,
    pub counters: [u8; 64],
    pub frames: Vec<Frame>,
    pub calls: Vec<u16>,
    pub al: i32,
    /// AR.X of each point, in launches with data sharing.
    pub ar: [i32; 64],
    /// The temporary that is clause temporary 0, in launches with data sharing.
    pub first_clause: usize,
    /// Slot of the next or running instruction.
    pub pc: u32,
    /// Group instructions executed before slot `segment`.
    pub executed: u64,
    /// Slot where the current straight run began.
    segment: u32,
    /// Points that wrote a held output channel or their own conditional value, see [`Op::Output`].
    pub written: [u64; 17],
    pub statistics: Statistics,
    /// See [`daz::environment`]; of the thread that runs the group.
    pub environment: u32,
    pub scratch: Box<Scratch>,
}

/// Buffers of a fetch. Their contents mean nothing between two uses.
pub(super) struct Scratch {
    /// The texels, before they are brought inside the input.
    pub texels: Places,
    pub transfer: Transfer,
    pub texel: [Row; 4],
    /// One of the four elements of a 2x2 fetch.
    pub one: [Row; 4],
}

thread_local! {
    /// See [`Machine::keep`].
    static LAST: Cell<Option<Box<Machine>>> = const { Cell::new(None) };
}

impl Machine {
    pub(super) fn new(prepared: &Prepared) -> Machine {
        let mut rows = Vec::with_capacity(prepared.all_rows());
        rows.resize(prepared.rows as usize, Row::ZERO);
        rows.extend(prepared.uniforms.iter().map(|&value| Row::splat(value)));
        rows.resize(prepared.all_rows(), Row::ZERO);
        Machine {
            rows,
            unmasked: prepared.unmasked,
            covered: 0,
            started: 0,
            active: Points::ALL,
            gate: Points::ALL,
            bits: [0; 8],
            branch_inactive: 0,
            counters: [0; 64],
            frames: Vec::new(),
            calls: Vec::new(),
            al: 0,
            ar: [0; 64],
            first_clause: ctm_isa::isa::TEMPORARIES,
            pc: 0,
            executed: 0,
            segment: 0,
            written: [0; 17],
            statistics: Statistics::default(),
            environment: daz::environment(),
            scratch: Box::new(Scratch {
                texels: Transfer::new().places,
                transfer: Transfer::new(),
                texel: [Row::ZERO; 4],
                one: [Row::ZERO; 4],
            }),
        }
    }

    /// A machine for a program, which may have the buffers of this thread's [`last`](Machine::keep) one.
    pub(super) fn reused(prepared: &Prepared) -> Box<Machine> {
        let Some(mut machine) = LAST.take() else { return Box::new(Machine::new(prepared)) };
        machine.rows.resize(prepared.all_rows(), Row::ZERO);
        machine.unmasked = prepared.unmasked;
        machine.rebind(prepared);
        machine
    }

    /// Keeps the buffers for the next launch in this thread.
    pub(super) fn keep(self: Box<Machine>) {
        LAST.set(Some(self));
    }

    /// Takes over the uniforms of the same program prepared with other constants.
    pub(super) fn rebind(&mut self, prepared: &Prepared) {
        let rows = self.rows[prepared.rows as usize..].iter_mut();
        for (row, &value) in rows.zip(&prepared.uniforms) {
            *row = Row::splat(value);
        }
    }

    /// Puts everything except the contents of temporaries into the start state.
    pub(super) fn start(&mut self, covered: u64, pc: u32) {
        self.covered = covered;
        self.started = covered;
        self.active = Points::ALL;
        self.bits = [0; 8];
        self.branch_inactive = 0;
        self.frames.clear();
        self.calls.clear();
        self.al = 0;
        self.pc = pc;
        self.executed = 0;
        self.segment = pc;
        self.written = [0; 17];
        self.statistics.groups += 1;
        self.statistics.points += covered.count_ones() as u64;
    }

    /// Updates the set of active points after flow control, but not its row.
    pub(super) fn update_active(&mut self) {
        let active = self
            .frames
            .iter()
            .fold(!self.branch_inactive, |active, frame| active & !frame.broken & !frame.continued);
        self.active.mask = active;
    }

    /// Group instructions executed before the running one.
    pub(super) fn order(&self) -> u64 {
        self.executed + (self.pc - self.segment) as u64
    }

    /// Accounts for the instructions from the start of the segment up to, not including, slot
    /// `end`. Begins a new segment there.
    pub(super) fn close_segment(&mut self, prepared: &Prepared, end: u32) {
        let count = end.saturating_sub(self.segment) as u64;
        let lanes = (self.active.mask & self.covered).count_ones() as u64;
        self.executed += count;
        self.statistics.lane_instructions += lanes * count;
        prepared.count(self.segment, end, 1, &mut self.statistics);
        self.segment = end;
    }

    #[inline(always)]
    fn mask(&self, write: Write) -> u64 {
        match write {
            Write::All => u64::MAX,
            Write::Active => self.active.mask,
            Write::Gated => self.gate.mask,
        }
    }

    fn set_gate(&mut self, aux: u16) {
        let mut gate = if aux & GateBits::ALL != 0 { u64::MAX } else { self.active.mask };
        for (n, &bits) in self.bits[..4].iter().enumerate() {
            if aux >> n & 1 != 0 {
                gate &= bits;
            }
            if aux >> n >> GateBits::FAIL_SHIFT & 1 != 0 {
                gate &= !bits;
            }
        }
        if aux & GateBits::COVERED != 0 {
            gate &= self.covered;
        }
        self.gate = Points::new(gate);
    }

    /// Computes and stores the rows of a run of equal operations under their mask.
    #[inline(always)]
    pub(super) fn compute<L: Loop>(&mut self, run: &[Code]) {
        if L::SWITCHED && run.first().is_some_and(|first| is_set(first.aux)) {
            self.masked::<L, true>(run);
        } else {
            self.masked::<L, false>(run);
        }
    }

    #[inline(always)]
    fn masked<L: Loop, const SWITCH: bool>(&mut self, run: &[Code]) {
        let Some(first) = run.first() else { return };
        let mask = masking(first.write, &self.active, &self.gate);
        for code in run {
            let to = if mask.is_some() { self.unmasked } else { code.dst };
            L::map::<SWITCH>(&mut self.rows, code, to);
            if let Some(mask) = mask {
                rows::blend(&mut self.rows, code.dst, to, mask);
            }
        }
    }

    /// Copies row a to another row under the mask.
    #[inline(always)]
    fn copy(&mut self, code: &Code, to: u32) {
        let from = code.src[0];
        match masking(code.write, &self.active, &self.gate) {
            None => self.rows[to as usize] = self.rows[from as usize],
            Some(mask) => rows::blend(&mut self.rows, to, from, mask),
        }
    }

    /// Runs the program from `self.pc` to its end. Returns the pc of the last instruction.
    ///
    /// With `step` it runs one instruction, and returns `None` unless it was the last one.
    #[inline(always)]
    pub(super) fn execute(
        &mut self,
        prepared: &Prepared,
        io: &mut Io,
        step: bool,
    ) -> Result<Option<u32>, Early> {
        let mut look = LOOK;
        let mut next = prepared.entry[self.pc as usize] as usize;
        let (pc, end) = if step { prepared.step(self.pc) } else { (0, usize::MAX) };
        loop {
            // Never, unless in steps.
            if next == end {
                self.close_segment(prepared, pc + 1);
                self.pc = pc + 1;
                return Ok(None);
            }
            let code = &prepared.code[next];
            let run = &prepared.code[next..next + code.run as usize];
            next += code.run as usize;
            let op = match code.step {
                Step::Op(op) => op,
                Step::Modify => {
                    for code in run {
                        rows::modify(&mut self.rows, code);
                    }
                    continue;
                }
                Step::Kernel => {
                    let mask = masking(code.write, &self.active, &self.gate);
                    daz::run(&mut self.rows, run, mask, self.environment);
                    continue;
                }
            };
            match op {
                Op::Calc(calc) => self.calculate(calc, prepared.mode, run),
                Op::Quad => self.quad(code, io),
                Op::LoadTemp => {
                    let row = prepared.relative_temp(code.aux, self.al);
                    self.rows[code.dst as usize] = self.rows[row];
                }
                Op::LoadConstant => {
                    let value = prepared.relative_constant(code.aux, self.al);
                    self.rows[code.dst as usize] = Row::splat(value);
                }
                Op::StoreTemp => {
                    let row = prepared.relative_temp(code.aux, self.al);
                    self.copy(code, row as u32);
                }
                Op::Gate => self.set_gate(code.aux),
                Op::SetBit => {
                    let points = self.compare(code);
                    let mask = self.mask(code.write);
                    let bit = &mut self.bits[code.aux as usize & 7];
                    *bit = *bit & !mask | points & mask;
                }
                Op::Output => {
                    // If in place, the value was computed into its row.
                    if !code.in_place {
                        self.copy(code, code.dst);
                    }
                    self.written[code.aux as usize] |= self.mask(code.write);
                }
                Op::Uncached => {
                    self.pc = code.pc as u32;
                    let values = code.src.map(|row| self.rows[row as usize]);
                    let mask = self.mask(code.write);
                    io.uncached(self, &values, mask);
                }
                Op::Fetch => {
                    self.pc = code.pc as u32;
                    fetch::execute(self, code, io);
                }
                Op::Kill => {
                    let killed = self.active.mask & self.kill_mask(code, prepared.mode);
                    let killed = killed & self.covered;
                    if killed != 0 {
                        self.close_segment(prepared, code.pc as u32 + 1);
                        self.statistics.killed += killed.count_ones() as u64;
                        self.covered &= !killed;
                    }
                }
                Op::Flow => {
                    self.pc = code.pc as u32;
                    self.close_segment(prepared, self.pc);
                    if self.executed > io.limit {
                        return Err(FaultCode::Budget.into());
                    }
                    if self.executed >= look {
                        io.stop.check()?;
                        look = self.executed + LOOK;
                    }
                    let lanes = (self.active.mask & self.covered).count_ones() as u64;
                    let flow = &prepared.lowered.flows[code.aux as usize];
                    let active = self.active.mask;
                    let last = flow::flow_op(self, flow, &io.launch.constants)?;
                    if self.active.mask != active {
                        self.active = Points::new(self.active.mask);
                    }
                    self.statistics.lane_instructions += lanes;
                    self.statistics.fc += 1;
                    self.executed += 1;
                    if last {
                        return Ok(Some(code.pc as u32));
                    }
                    self.segment = self.pc;
                    if step {
                        return Ok(None);
                    }
                    next = prepared.entry[self.pc as usize] as usize;
                }
                Op::End => {
                    self.pc = code.pc as u32;
                    self.close_segment(prepared, self.pc + 1);
                    return Ok(Some(self.pc));
                }
                Op::Wrap => {
                    self.close_segment(prepared, code.pc as u32);
                    self.segment = 0;
                    if step {
                        self.pc = 0;
                        return Ok(None);
                    }
                    next = prepared.entry[0] as usize;
                }
                Op::Missing => {
                    let pc = self.missing_pc(code);
                    self.close_segment(prepared, pc);
                    self.pc = pc;
                    return Err(FaultCode::MissingInstruction.into());
                }
            }
        }
    }

    /// The empty slot that was reached, by running past the end or by jumping beyond it.
    fn missing_pc(&self, code: &Code) -> u32 {
        self.segment.max(code.pc as u32)
    }

    #[inline(always)]
    fn compare(&self, code: &Code) -> u64 {
        let row = &self.rows[code.src[0] as usize];
        // A loop for each comparison, because a choice inside the loop is not vectorised.
        match code.aux >> 3 & 3 {
            0 => rows::test(row, |x| float::compare(0, x)),
            1 => rows::test(row, |x| float::compare(1, x)),
            2 => rows::test(row, |x| float::compare(2, x)),
            _ => rows::test(row, |x| float::compare(3, x)),
        }
    }

    #[inline(always)]
    fn kill_mask(&self, code: &Code, mode: FloatMode) -> u64 {
        let mut mask = 0;
        for row in code.src {
            let row = &self.rows[row as usize];
            mask |= match mode {
                FloatMode::Exact | FloatMode::Chip => rows::test(row, float::kills),
                FloatMode::Fast => rows::test(row, float::fast::kills),
            };
        }
        mask
    }

    fn quad(&mut self, code: &Code, io: &Io) {
        let from = self.rows[code.src[0] as usize];
        let place = &mut self.rows[code.dst as usize];
        for slot in 0..64 {
            place.set(slot, from.get(io.grouping.quad(slot)[code.aux as usize % 3]));
        }
    }

    /// Value of a held output channel; `None` if the program has none.
    pub(super) fn output_row(&self, prepared: &Prepared, channel: usize) -> Option<&Row> {
        match prepared.lowered.output_rows[channel] {
            NO_ROW => None,
            row => self.rows.get(row as usize),
        }
    }
}
