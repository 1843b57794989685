//! The walk over a program: slots to micro-operations.

use super::operands::Value;
use super::rows::{Row, Rows};
use super::temps::Temps;
use super::uniform::{Computed, Uniform, UniformValue, Uniforms};
use super::{
    FetchBits, FlowControl, GateBits, Lowered, NO_ROW, Needs, Operand, RowOp, Window, Write,
    operands_of,
};
use crate::launch::FloatMode;
use ctm_isa::isa::{
    Body, Common, Fc, FieldValue, MAX_INSTRUCTIONS, OUTPUTS, RGB, TEMPORARIES, Tex, TexOp, channels,
};
use ctm_isa::ops::{Calc, Op, SWITCH};
use ctm_lang::program::Program;

/// Lowers a program.
///
/// Bit n of `raw_temps` says that temporary n starts with data of unknown form (`Launch::initial`).
/// `mode` is the launch's.
pub fn lower(program: &Program, raw_temps: u128, mode: FloatMode) -> Lowered {
    // Find the rows that are clean everywhere: assume that all are but those that data or fetches certainly
    // make unclean, and lower again until no assumption turns out wrong. Each round can only add unclean rows, and
    // most programs need one.
    let mut temps = fetched(program, raw_temps);
    loop {
        let mut builder = Builder::new(program, temps, mode);
        builder.program();
        match builder.temps.again() {
            Some(fewer) => temps = fewer,
            None => return builder.finish(),
        }
    }
}

/// The assumption that all temporaries are clean but these, and those that fetches write.
fn fetched(program: &Program, raw_temps: u128) -> Temps {
    let mut temps = Temps::new();
    let mut raw = raw_temps;
    while raw != 0 {
        let temp = raw.trailing_zeros() as u8;
        (0..4).for_each(|channel| temps.assume(Some(temp), channel));
        raw &= raw - 1;
    }
    for instruction in program.instructions() {
        if let Body::Tex(tex) = &instruction.body
            && tex.op.fetches()
        {
            let written = (!tex.dest_rel).then_some(tex.dest);
            channels(instruction.common.wmask).for_each(|channel| temps.assume(written, channel));
        }
    }
    temps
}

pub(super) struct Builder<'a> {
    program: &'a Program,
    /// See [`Lowered::mode`].
    mode: FloatMode,
    ops: Vec<RowOp>,
    flows: Vec<FlowControl>,
    entry: Vec<u32>,
    pub(super) uniforms: Uniforms,
    computed: Vec<Computed>,
    /// Operands and destinations have the numbers of rows here until `finish`.
    rows: Rows,
    pub(super) temps: Temps,
    /// By channel, the number of scratch registers in use.
    next_scratch: [u16; 4],
    needs: Needs,
    pc: u16,
    /// The gate in force within this instruction.
    gate: Option<u16>,
}

impl<'a> Builder<'a> {
    fn new(program: &'a Program, temps: Temps, mode: FloatMode) -> Builder<'a> {
        let mode = if mode == FloatMode::Chip { mode } else { FloatMode::Exact };
        let mut builder = Builder {
            program,
            mode,
            ops: Vec::with_capacity(5 * program.instructions().len() + 2),
            flows: Vec::new(),
            entry: Vec::with_capacity(MAX_INSTRUCTIONS),
            uniforms: Uniforms::new(mode),
            computed: Vec::new(),
            rows: Rows::new(),
            temps,
            next_scratch: [0; 4],
            needs: Needs::default(),
            pc: 0,
            gate: None,
        };
        if program.uses().relative {
            // An address can name any temporary: keep them all, in order.
            builder.needs.relative = true;
            for row in 0..4 * TEMPORARIES as u16 {
                builder.row(Row::Temp(row));
            }
        }
        builder
    }

    fn program(&mut self) {
        let instructions = self.program.instructions();
        let end = self.program.registers().end();
        let targets = self.targets();
        for (pc, instruction) in instructions.iter().enumerate() {
            self.entry.push(self.ops.len() as u32);
            self.pc = pc as u16;
            self.next_scratch = [0; 4];
            self.gate = None;
            if targets[pc] {
                self.temps.begin();
            }
            match &instruction.body {
                Body::Alu(alu) => self.alu(instruction, alu),
                Body::Tex(tex) => self.tex(&instruction.common, tex),
                Body::Fc(fc) => self.flow(&instruction.common, fc, pc as u32 == end),
            }
            if pc as u32 == end && !matches!(instruction.body, Body::Fc(_)) {
                self.op(Op::End, Write::All, 0, &[], 0);
            }
        }
        self.pc = instructions.len() as u16;
        let missing = self.ops.len() as u32;
        self.entry.resize(MAX_INSTRUCTIONS, missing);
        if instructions.len() == MAX_INSTRUCTIONS {
            // Slot 0 follows the last slot.
            self.op(Op::Wrap, Write::All, 0, &[], 0);
        }
        self.op(Op::Missing, Write::All, 0, &[], 0);
    }

    /// The slots where a straight run can begin.
    fn targets(&self) -> Vec<bool> {
        let offset = self.program.registers().offset();
        // With data sharing, other groups change registers between any two instructions.
        let shares = self.program.sharing().is_some();
        let mut targets = vec![shares; MAX_INSTRUCTIONS + 1];
        targets[self.program.registers().start() as usize] = true;
        targets[0] = true;
        for (pc, instruction) in self.program.instructions().iter().enumerate() {
            if let Body::Fc(fc) = &instruction.body {
                targets[pc + 1] = true;
                targets[fc.target(offset) as usize] = true;
            }
        }
        targets
    }

    // Emission.

    pub(super) fn op(
        &mut self,
        op: impl Into<Op>,
        write: Write,
        dst: u32,
        operands: &[Operand],
        aux: u16,
    ) {
        let (op, operands) = (op.into(), operands_of(operands));
        self.ops.push(RowOp { op, write, pc: self.pc, aux, dst, operands });
    }

    /// Computes a value into a scratch row of its own, in the channel of a lane.
    pub(super) fn scratch(
        &mut self,
        op: impl Into<Op>,
        lane: usize,
        operands: &[Operand],
        aux: u16,
        clean: bool,
    ) -> Value {
        let op = op.into();
        if let Op::Calc(calc) = op
            && let Some(operand) = self.folded(calc, operands, aux)
        {
            return Value { operand, clean };
        }
        let dst = self.new_scratch(lane);
        self.op(op, Write::All, dst, operands, aux);
        Value { operand: Operand::row(dst), clean }
    }

    /// The result of an operation as a uniform, if all its operands are uniforms.
    #[inline]
    pub(super) fn folded(&mut self, calc: Calc, operands: &[Operand], aux: u16) -> Option<Operand> {
        // An operand that is not used has the bit, too.
        if calc == Calc::Mov || !operands.iter().all(|operand| operand.is_uniform()) {
            return None;
        }
        self.of_uniforms(calc, operands, aux)
    }

    fn of_uniforms(&mut self, calc: Calc, operands: &[Operand], aux: u16) -> Option<Operand> {
        // There, a term of a sum is no number.
        if self.mode == FloatMode::Chip && matches!(calc, Calc::Product | Calc::Sum3 | Calc::Sum4) {
            return None;
        }
        let given = || operands.iter().filter(|operand| !operand.is_none());
        let uniforms: Vec<Uniform> = given().map(|&operand| self.uniforms.at(operand)).collect();
        let one = Computed { calc, aux, operands: uniforms };
        if given().all(|&operand| self.known(operand).is_some()) {
            let result = [Uniform::of(UniformValue::Computed(0))];
            let values = super::uniform::resolve(&result, &[one], &[], self.mode);
            return Some(self.uniforms.operand(Uniform::literal(values[0])));
        }
        let number = match self.computed.iter().position(|other| *other == one) {
            Some(number) => number,
            None if self.computed.len() == MAX_COMPUTED => return None,
            None => {
                self.computed.push(one);
                self.computed.len() - 1
            }
        };
        Some(self.uniforms.operand(Uniform::of(UniformValue::Computed(number as u16))))
    }

    #[inline]
    pub(super) fn row(&mut self, row: Row) -> u32 {
        self.rows.number(row)
    }

    fn new_scratch(&mut self, lane: usize) -> u32 {
        let register = self.next_scratch[lane];
        self.next_scratch[lane] += 1;
        self.row(Row::Scratch(4 * register + lane as u16))
    }

    /// The literal value of an operand, if it is known.
    #[inline]
    pub(super) fn known(&self, operand: Operand) -> Option<u32> {
        operand.is_uniform().then(|| self.uniforms.known(operand)).flatten()
    }

    // Predicates.

    /// The kind of write for a channel. Emits its gate if predicates apply.
    pub(super) fn gate(&mut self, common: &Common, channel: usize) -> Write {
        self.gate_by(common, predicate_gate(common, channel))
    }

    /// The kind of write if all four channels must pass.
    pub(super) fn gate_all(&mut self, common: &Common) -> Write {
        let aux = (0..4).fold(0, |aux, channel| aux | predicate_gate(common, channel));
        self.gate_by(common, aux)
    }

    fn gate_by(&mut self, common: &Common, mut aux: u16) -> Write {
        if aux == 0 {
            return ungated(common);
        }
        aux |= if common.write_inactive { GateBits::ALL } else { 0 };
        if self.gate != Some(aux) {
            self.op(Op::Gate, Write::All, 0, &[], aux);
            self.gate = Some(aux);
        }
        self.needs.predicates = true;
        Write::Gated
    }

    pub(super) fn needs(&mut self) -> &mut Needs {
        &mut self.needs
    }

    /// The `aux` of products.
    pub(super) fn zero_times(&self) -> u16 {
        if self.program.registers().zero_times() { SWITCH } else { 0 }
    }

    pub(super) fn umrt(&self) -> bool {
        self.program.umrt()
    }

    // TEX.

    fn tex(&mut self, common: &Common, tex: &Tex) {
        if tex.op.coordinates() == 0 {
            return;
        }
        let coordinate: [Operand; 4] = std::array::from_fn(|n| {
            let channel = tex.src.swizzle[n].code() as u16;
            if tex.op.coordinates() >> n & 1 == 0 {
                return Operand::NONE;
            }
            // Coordinates are flushed. Inactive points only count if they write.
            let everywhere = common.write_inactive;
            let value = self.load_temp(tex.src.addr, tex.src.relative, (channel, n), everywhere);
            self.flushed(value).operand
        });
        let [s, t, r, q] = coordinate;
        if tex.op == TexOp::Texkill {
            self.needs.kill = true;
            self.op(Op::Kill, Write::Active, 0, &[s, t, r, q], 0);
            return;
        }
        self.needs.inputs |= 1 << tex.input;
        let wmask = common.wmask;
        let fetched = channels(wmask).fold(0, |mask, n| mask | 1 << tex.dest_swizzle[n].code());
        // All four in one register.
        self.next_scratch = [self.next_scratch.into_iter().max().unwrap_or(0); 4];
        let rows: [u32; 4] = std::array::from_fn(|lane| self.new_scratch(lane));
        let flag = |set: bool, bit: u16| if set { bit } else { 0 };
        let aux = tex.input as u16
            | flag(tex.op == TexOp::Proj, FetchBits::PROJECT)
            | flag(tex.unscaled, FetchBits::UNSCALED)
            | flag(tex.ignore_uncovered, FetchBits::IGNORE_UNCOVERED)
            | flag(common.write_inactive, FetchBits::ALL)
            | flag(wmask == 0, FetchBits::DEAD)
            | fetched << FetchBits::CHANNELS_SHIFT;
        self.op(Op::Fetch, Write::All, rows[0], &[s, t, q], aux);
        for channel in channels(wmask) {
            let from = rows[tex.dest_swizzle[channel].code() as usize];
            let covered = if tex.ignore_uncovered { GateBits::COVERED } else { 0 };
            let write = self.gate_by(common, predicate_gate(common, channel) | covered);
            let value = Value { operand: Operand::row(from), clean: false };
            self.store_temp((tex.dest, tex.dest_rel), channel as u16, value, write);
        }
    }

    /// A temporary's channel, `relative` to aL or not, for a lane.
    #[inline]
    pub(super) fn load_temp(
        &mut self,
        addr: u8,
        relative: bool,
        (channel, lane): (u16, usize),
        everywhere: bool,
    ) -> Value {
        let number = 4 * addr as u16 + channel;
        if relative {
            let clean = self.temps.are_clean();
            return self.scratch(Op::LoadTemp, lane, &[], number, clean);
        }
        let clean = self.temps.is_clean(number, everywhere);
        let held = self.temps.held(number).filter(|_| !everywhere);
        let operand = held.unwrap_or_else(|| Operand::row(self.row(Row::Temp(number))));
        Value { operand, clean }
    }

    /// Writes a value to a temporary's channel, `relative` to aL or not.
    pub(super) fn store_temp(
        &mut self,
        (addr, relative): (u8, bool),
        channel: u16,
        value: Value,
        write: Write,
    ) {
        let number = 4 * addr as u16 + channel;
        if relative {
            self.op(Op::StoreTemp, write, 0, &[value.operand], number);
            self.temps.wrote_any(channel.into(), value.clean);
            return;
        }
        let dst = self.row(Row::Temp(number));
        self.op(Calc::Mov, write, dst, &[value.operand], 0);
        self.temps.wrote(number, value, write);
    }

    // FC.

    fn flow(&mut self, common: &Common, fc: &Fc, end: bool) {
        self.needs.flow = true;
        let offset = self.program.registers().offset();
        let predicate = common.gates()[0].map_or(4, |bit| bit as u8);
        let flag = |set: bool, bit: u8| if set { bit } else { 0 };
        let flow = FlowControl {
            op: fc.op,
            jump_func: fc.jump_func,
            a_op: fc.a_op,
            b_op0: fc.b_op0,
            b_op1: fc.b_op1,
            b_pop_cnt: fc.b_pop_cnt,
            predicate,
            flags: flag(fc.b_else, FlowControl::ELSE)
                | flag(fc.jump_any, FlowControl::ANY)
                | flag(fc.ignore_uncovered, FlowControl::IGNORE_UNCOVERED)
                | flag(common.pred_inv[RGB] && predicate != 4, FlowControl::INVERT)
                | flag(end, FlowControl::END),
            int_addr: fc.int_addr,
            bool_addr: fc.bool_addr,
            target: fc.target(offset) as u16,
        };
        let number = self.flows.len() as u16;
        self.flows.push(flow);
        self.op(Op::Flow, Write::All, 0, &[], number);
    }

    // The end.

    fn finish(mut self) -> Lowered {
        let numbers = self.rows.finish();
        let mut uniforms = self.uniforms.finish();
        for op in &mut self.ops {
            for operand in &mut op.operands {
                if !operand.is_uniform() {
                    *operand = Operand(operand.0 & !0xffff | numbers.of(operand.index()));
                } else if !operand.is_none() {
                    *operand = uniforms.of(*operand);
                }
            }
            if op.op.writes_row() {
                op.dst = numbers.of(op.dst);
            }
        }
        let mut temp_rows = vec![NO_ROW; 4 * TEMPORARIES];
        let mut output_rows = [NO_ROW; 4 * OUTPUTS];
        let mut own_row = [NO_ROW];
        let shares = self.program.sharing().is_some();
        let mut windows = vec![NO_ROW; if shares { Window::COUNT } else { 0 }];
        numbers.fill(Row::Temp(0), &mut temp_rows);
        numbers.fill(Row::Output(0), &mut output_rows);
        numbers.fill(Row::Own, &mut own_row);
        numbers.fill(Row::Window(0), &mut windows);
        let [own_row] = own_row;
        let uses = self.program.uses();
        self.needs.neighbours = uses.neighbours;
        self.needs.uncached = self.program.umrt() && uses.outputs != 0;
        self.needs.own_value = own_row != NO_ROW;
        Lowered {
            ops: self.ops,
            entry: self.entry,
            flows: self.flows,
            uniforms: uniforms.list,
            computed: self.computed,
            mode: self.mode,
            rows: numbers.all,
            temporaries: numbers.before(Row::Output(0)),
            scratch: numbers.before(Row::Scratch(0)),
            temp_rows,
            output_rows,
            own_row,
            windows,
            start: self.program.registers().start(),
            needs: self.needs,
        }
    }
}

/// The most operations on uniforms that a launch computes.
const MAX_COMPUTED: usize = 256;

/// The predicate bits that gate a channel, as [`GateBits`].
fn predicate_gate(common: &Common, channel: usize) -> u16 {
    let Some(bit) = common.pred_sel[channel / 3].bit(channel) else { return 0 };
    1 << if common.pred_inv[channel / 3] { bit as u32 + GateBits::FAIL_SHIFT } else { bit as u32 }
}

/// The kind of write if no predicate applies.
pub(super) fn ungated(common: &Common) -> Write {
    if common.write_inactive { Write::All } else { Write::Active }
}
