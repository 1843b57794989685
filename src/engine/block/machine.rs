//! A group of 64 points at work: its rows, masks and stacks, and the loop over micro-operations.

use super::code::{Code, Prepared};
use super::io::Io;
use super::lanes::Mode;
use super::rows::{self, Row, map};
use super::{fetch, flow};
use crate::engine::{FaultCode, Statistics};
use crate::float::{self, Compare};
use crate::lower::{GateBits, MicroOp, NO_ROW, Op, Write};

/// One frame of the loop stack.
#[derive(Clone, Copy, Default)]
pub(super) struct Frame {
    pub remaining: u32,
    pub saved_al: i32,
    pub broken: u64,
    pub continued: u64,
}

/// The state of a group. Sets of points are masks, bit n for slot n.
pub(super) struct Machine {
    pub rows: Vec<Row>,
    pub covered: u64,
    pub started: u64,
    pub active: u64,
    active_row: Row,
    gate: u64,
    gate_row: Row,
    pub predicates: [u64; 4],
    pub alu_result: u64,
    pub branch_inactive: u64,
    pub counters: [u8; 64],
    pub frames: Vec<Frame>,
    pub calls: Vec<u16>,
    pub al: i32,
    /// Slot of the next or running instruction.
    pub pc: u32,
    /// Group instructions executed before slot `segment`.
    pub executed: u64,
    /// Where the straight run that is executing began.
    segment: u32,
    /// Points that wrote a held output channel, per output channel.
    pub written: [u64; 16],
    /// Points that wrote their own conditional value.
    pub own: u64,
    pub statistics: Statistics,
}

impl Machine {
    pub(super) fn new(prepared: &Prepared) -> Machine {
        let mut rows = vec![Row::ZERO; prepared.rows as usize];
        rows.extend(prepared.uniforms.iter().map(|&value| Row::splat(value)));
        Machine {
            rows,
            covered: 0,
            started: 0,
            active: 0,
            active_row: Row::ZERO,
            gate: 0,
            gate_row: Row::ZERO,
            predicates: [0; 4],
            alu_result: 0,
            branch_inactive: 0,
            counters: [0; 64],
            frames: Vec::new(),
            calls: Vec::new(),
            al: 0,
            pc: 0,
            executed: 0,
            segment: 0,
            written: [0; 16],
            own: 0,
            statistics: Statistics::default(),
        }
    }

    /// Puts everything but the temporaries' contents into the start state.
    pub(super) fn start(&mut self, covered: u64, pc: u32) {
        self.covered = covered;
        self.started = covered;
        self.active = u64::MAX;
        self.predicates = [0; 4];
        self.alu_result = 0;
        self.branch_inactive = 0;
        self.frames.clear();
        self.calls.clear();
        self.al = 0;
        self.pc = pc;
        self.executed = 0;
        self.segment = pc;
        self.written = [0; 16];
        self.own = 0;
        self.statistics.groups += 1;
        self.statistics.points += covered.count_ones() as u64;
    }

    /// After flow control: who is active now.
    pub(super) fn update_active(&mut self) {
        let active = self
            .frames
            .iter()
            .fold(!self.branch_inactive, |active, frame| {
                active & !frame.broken & !frame.continued
            });
        if active != self.active {
            self.active = active;
            self.active_row = Row::from_mask(active);
        }
    }

    /// Group instructions executed before the running one.
    pub(super) fn order(&self) -> u64 {
        self.executed + (self.pc - self.segment) as u64
    }

    /// Accounts for the instructions from the segment's beginning to before slot `end`, and begins
    /// a new segment there.
    fn close_segment(&mut self, prepared: &Prepared, end: u32) {
        let count = end.saturating_sub(self.segment) as u64;
        let lanes = (self.active & self.covered).count_ones() as u64;
        self.executed += count;
        self.statistics.lane_instructions += lanes * count;
        prepared.count(self.segment, end, &mut self.statistics);
        self.segment = end;
    }

    #[inline(always)]
    fn mask(&self, write: Write) -> u64 {
        match write {
            Write::All => u64::MAX,
            Write::Active => self.active,
            Write::Gated => self.gate,
        }
    }

    fn set_gate(&mut self, aux: u16) {
        let mut gate = if aux & GateBits::ALL != 0 {
            u64::MAX
        } else {
            self.active
        };
        for (n, &bits) in self.predicates.iter().enumerate() {
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
        self.gate = gate;
        self.gate_row = Row::from_mask(gate);
    }

    /// Computes and stores a row under the operation's mask.
    #[inline(always)]
    fn compute(&mut self, code: &Code, f: impl Fn(u32, u32, u32, u32) -> u32) {
        let (rows, dst, src) = (&mut self.rows, code.dst, &code.src);
        let mask = match code.write {
            Write::All => None,
            Write::Active if self.active == u64::MAX => None,
            Write::Active => Some(&self.active_row),
            Write::Gated => Some(&self.gate_row),
        };
        match (code.plain, mask) {
            (true, None) => map::<true, false>(rows, dst, src, &Row::ZERO, f),
            (true, Some(mask)) => map::<true, true>(rows, dst, src, mask, f),
            (false, None) => map::<false, false>(rows, dst, src, &Row::ZERO, f),
            (false, Some(mask)) => map::<false, true>(rows, dst, src, mask, f),
        }
    }

    /// As [`Machine::compute`] for long functions: one loop for all cases.
    #[inline(always)]
    fn compute_long(&mut self, code: &Code, f: impl Fn(u32, u32, u32, u32) -> u32) {
        let mask = match code.write {
            Write::All => Row::splat(u32::MAX),
            Write::Active => match self.active {
                u64::MAX => Row::splat(u32::MAX),
                _ => self.active_row,
            },
            Write::Gated => self.gate_row,
        };
        map::<false, true>(&mut self.rows, code.dst, &code.src, &mask, f);
    }

    /// Runs the program from `self.pc` to its end; the pc of the last instruction.
    #[inline(always)]
    pub(super) fn execute<M: Mode>(
        &mut self,
        prepared: &Prepared,
        io: &mut Io,
    ) -> Result<u32, FaultCode> {
        let mut next = prepared.entry[self.pc as usize] as usize;
        loop {
            let code = &prepared.code[next];
            next += 1;
            let zero_times = code.flags & MicroOp::ZERO_TIMES != 0;
            match code.op {
                Op::Mov => self.compute(code, |a, _, _, _| a),
                Op::Mad if zero_times => self.compute(code, |a, b, c, _| M::mad_zero(a, b, c)),
                Op::Mad => self.compute(code, |a, b, c, _| M::mad(a, b, c)),
                Op::Mul if zero_times => self.compute(code, |a, b, _, _| M::mul_zero(a, b)),
                Op::Mul => self.compute(code, |a, b, _, _| M::mul(a, b)),
                Op::Add => self.compute(code, |a, _, c, _| M::add(a, c)),
                Op::Product if zero_times => {
                    self.compute(code, |a, b, _, _| M::product_zero(a, b));
                }
                Op::Product => self.compute(code, |a, b, _, _| M::product(a, b)),
                Op::Sum3 => self.compute_long(code, |a, b, c, _| M::sum3(a, b, c)),
                Op::Sum4 => self.compute_long(code, |a, b, c, d| M::sum4(a, b, c, d)),
                Op::Min => self.compute(code, |a, b, _, _| float::min(a, b)),
                Op::Max => self.compute(code, |a, b, _, _| float::max(a, b)),
                Op::Cnd => self.compute(code, |a, b, c, _| float::cnd(a, b, c)),
                Op::Cmp => self.compute(code, |a, b, c, _| float::cmp(a, b, c)),
                Op::Frc => self.compute_long(code, |a, _, _, _| M::frc(a)),
                Op::Ex2 => self.compute_long(code, |a, _, _, _| float::ex2(a)),
                Op::Ln2 => self.compute_long(code, |a, _, _, _| float::ln2(a)),
                Op::Rcp => self.compute_long(code, |a, _, _, _| float::rcp(a)),
                Op::Rsq => self.compute_long(code, |a, _, _, _| float::rsq(a)),
                Op::Sin => self.compute_long(code, |a, _, _, _| float::sin(a)),
                Op::Cos => self.compute_long(code, |a, _, _, _| float::cos(a)),
                Op::Finish => {
                    const FACTORS: [f32; 8] = [1.0, 2.0, 4.0, 8.0, 0.5, 0.25, 0.125, 1.0];
                    let factor = FACTORS[code.aux as usize & 7];
                    if code.aux & 8 != 0 {
                        self.compute_long(code, |a, _, _, _| M::finish(a, factor, true));
                    } else {
                        self.compute_long(code, |a, _, _, _| M::finish(a, factor, false));
                    }
                }
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
                    let store = Code {
                        dst: row as u32,
                        ..*code
                    };
                    self.compute(&store, |a, _, _, _| a);
                }
                Op::Gate => self.set_gate(code.aux),
                Op::SetPredicate => {
                    let bits = self.compare(code);
                    let mask = self.mask(code.write);
                    let predicate = &mut self.predicates[code.aux as usize & 3];
                    *predicate = *predicate & !mask | bits & mask;
                }
                Op::SetAluResult => {
                    let bits = self.compare(code);
                    let mask = self.mask(code.write);
                    self.alu_result = self.alu_result & !mask | bits & mask;
                }
                Op::Output => {
                    if code.in_place {
                        // The value was computed into its row.
                    } else {
                        self.compute(code, |a, _, _, _| a);
                    }
                    self.written[code.aux as usize & 15] |= self.mask(code.write);
                }
                Op::OwnValue => {
                    self.compute(code, |a, _, _, _| a);
                    self.own |= self.mask(code.write);
                }
                Op::Uncached => {
                    self.pc = code.pc as u32;
                    let values = [0, 1, 2, 3].map(|n| rows::read(&self.rows, &code.src[n]));
                    let mask = self.mask(code.write);
                    io.uncached(self, &values, mask);
                }
                Op::Fetch => {
                    self.pc = code.pc as u32;
                    fetch::execute::<M>(self, code, io);
                }
                Op::Kill => {
                    let killed = self.active & self.kill_mask(code);
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
                        return Err(FaultCode::Budget);
                    }
                    let lanes = (self.active & self.covered).count_ones() as u64;
                    let flow = &prepared.flows[code.aux as usize];
                    let last = flow::execute(self, flow, &io.launch.constants)?;
                    self.statistics.lane_instructions += lanes;
                    self.statistics.fc += 1;
                    self.executed += 1;
                    if last {
                        return Ok(code.pc as u32);
                    }
                    self.segment = self.pc;
                    next = prepared.entry[self.pc as usize] as usize;
                }
                Op::End => {
                    self.pc = code.pc as u32;
                    self.close_segment(prepared, self.pc + 1);
                    return Ok(self.pc);
                }
                Op::Wrap => {
                    self.close_segment(prepared, code.pc as u32);
                    self.segment = 0;
                    next = prepared.entry[0] as usize;
                }
                Op::Missing => {
                    let pc = self.missing_pc(code);
                    self.close_segment(prepared, pc);
                    self.pc = pc;
                    return Err(FaultCode::MissingInstruction);
                }
            }
        }
    }

    /// The empty slot that was reached: by falling off the end, or by a jump beyond it.
    fn missing_pc(&self, code: &Code) -> u32 {
        self.segment.max(code.pc as u32)
    }

    #[inline(always)]
    fn compare(&self, code: &Code) -> u64 {
        let op = Compare::from_code((code.aux >> 2) as u32);
        rows::test(&self.rows, &code.src[0], |x| float::compare(op, x))
    }

    #[inline(always)]
    fn kill_mask(&self, code: &Code) -> u64 {
        let mut mask = 0;
        for source in &code.src {
            mask |= rows::test(&self.rows, source, |x| {
                x & float::SIGN != 0 && !float::is_nan(x)
            });
        }
        mask
    }

    fn quad(&mut self, code: &Code, io: &Io) {
        let from = rows::read(&self.rows, &code.src[0]);
        let place = &mut self.rows[code.dst as usize];
        for slot in 0..64 {
            place.set(
                slot,
                from.get(io.grouping.quad(slot)[code.aux as usize % 3]),
            );
        }
    }

    /// Value of a held output channel; `None` where the program has none.
    pub(super) fn output_row(&self, prepared: &Prepared, channel: usize) -> Option<&Row> {
        match prepared.output_rows[channel] {
            NO_ROW => None,
            row => self.rows.get(row as usize),
        }
    }
}
