//! ALU and OUT: operations and results.

use super::build::{Builder, ungated};
use super::operands::{Context, Value};
use super::rows::Row;
use super::{ALU_RESULT, OWN_VALUE, Operand, Window, Write, operands_of};
use ctm_isa::float::ONE;
use ctm_isa::isa::{
    Alu, AluOp, AluResultSel, Common, FieldValue, Instruction, Omod, RGB, Register, Type, channels,
};
use ctm_isa::ops::{Calc, Formula, Op, SWITCH};

/// One result that an instruction needs.
#[derive(Clone, Copy, PartialEq)]
struct Computation {
    calc: Calc,
    operands: [Operand; 4],
    aux: u16,
    /// The raw result is clean.
    clean: bool,
}

impl Builder<'_> {
    pub(super) fn alu(&mut self, instruction: &Instruction, alu: &Alu) {
        let common = &instruction.common;
        // The lanes of the result that are used.
        let lanes = || channels(instruction.results());
        let neighbour = lanes().any(|lane| alu.unit_of(lane).op.is_neighbour());
        let mut context = Context {
            instruction,
            common,
            alu,
            formulas: alu.units.each_ref().map(|unit| Formula::of(unit.op)),
            everywhere: common.write_inactive || neighbour,
            srcp: [None; 4],
            sources: [[None; 4]; 3],
        };
        let mut results = [None; 4];
        let mut dot = None;
        for lane in lanes() {
            results[lane] = self.result(&mut context, lane, &mut dot);
        }
        if alu.units[RGB].op == AluOp::MovaFloor && common.wmask & 1 != 0 {
            let value = self.input(&mut context, 0, 0);
            let row = self.row(Row::Window(Window::AR as u16));
            self.op(Calc::Mov, Write::All, row, &[value.operand], 0);
        }
        self.deliver(&context, results);
    }

    // Computations.

    /// The computation of a lane R, G, B, A. The instruction's only dot product is kept in `dot`.
    fn result(
        &mut self,
        context: &mut Context,
        lane: usize,
        dot: &mut Option<Computation>,
    ) -> Option<Computation> {
        let [rgb, alpha] = context.formulas;
        let (formula, lane) = match if lane < 3 { rgb } else { alpha } {
            Formula::Other if lane < 3 => (alpha, 3),
            Formula::Other => (rgb, 0),
            own => (own, lane),
        };
        let products = match formula {
            Formula::Calc(calc) => return Some(self.lanewise(context, calc, lane)),
            Formula::Neighbour(point) => return Some(self.neighbours(context, lane, point)),
            Formula::Dp3 => 3,
            Formula::Dp4 => 4,
            Formula::D2a => 2,
            // No verified program has these here.
            Formula::Other | Formula::Nothing => return None,
        };
        if dot.is_none() {
            *dot = Some(self.dot(context, products));
        }
        *dot
    }

    fn lanewise(&mut self, context: &mut Context, calc: Calc, lane: usize) -> Computation {
        if calc == Calc::Mad {
            let values = [0, 1, 2].map(|n| self.input(context, n, lane));
            return self.mad(values);
        }
        let facts = calc.facts();
        let none = Value { operand: Operand::NONE, clean: true };
        let values: [Value; 3] = std::array::from_fn(|n| {
            if n < facts.operands { self.input(context, n, lane) } else { none }
        });
        // Operands whose bits are kept are not flushed.
        let keeps = |n: usize| facts.facts.keeps >> n & 1 != 0;
        let operands: [Operand; 3] = std::array::from_fn(|n| {
            if keeps(n) { values[n].operand } else { self.flushed(values[n]).operand }
        });
        let mut kept = (0..3).filter(|&n| keeps(n)).map(|n| values[n]);
        let negated = |value: Value| value.operand.0 & Operand::NEG != 0;
        let clean = kept.clone().all(|v| v.clean && (!negated(v) || v.operand.is_uniform()));
        let computation =
            |calc, operands: &[Operand]| Computation { clean, ..computation(calc, operands) };
        // A choice of equal values is a move.
        match (kept.next(), kept.next()) {
            (Some(a), Some(b)) if a.operand == b.operand => computation(Calc::Mov, &[a.operand]),
            _ => computation(calc, &operands),
        }
    }

    #[inline]
    fn mad(&mut self, values: [Value; 3]) -> Computation {
        let [a, b, c] = values;
        let [a, b, c] = [self.flushed(a), self.flushed(b), self.flushed(c)];
        let [a, b, c] = [a.operand, b.operand, c.operand];
        let one = |operand: Operand| self.known(operand) == Some(ONE);
        if one(a) || one(b) {
            return computation(Calc::Add, &[if one(a) { b } else { a }, c]);
        }
        let result = match self.known(c) {
            Some(0) => computation(Calc::Mul, &[a, b]),
            _ => computation(Calc::Mad, &[a, b, c]),
        };
        Computation { aux: self.zero_times(), ..result }
    }

    /// MDH and MDV: A and C are source 0 of two points of the quad.
    fn neighbours(&mut self, context: &mut Context, lane: usize, point: u16) -> Computation {
        let b = self.input(context, 1, lane);
        let source = self.source(context, 0, lane);
        let mut at = |point: u16, input: usize| {
            let value = if source.operand.is_uniform() {
                source
            } else {
                self.scratch(Op::Quad, lane, &[source.operand], point, source.clean)
            };
            self.modified(value, context.alu.lane(input, lane).2)
        };
        let (a, c) = (at(0, 0), at(point, 2));
        self.mad([a, b, c])
    }

    /// The sum of the products of the first lanes; of two products and C's blue lane.
    fn dot(&mut self, context: &mut Context, products: usize) -> Computation {
        let mut terms = [Operand::NONE; 4];
        for (lane, term) in terms.iter_mut().enumerate().take(products) {
            let factors = [0, 1].map(|input| self.input(context, input, lane));
            let factors = factors.map(|factor| self.flushed(factor).operand);
            let aux = self.zero_times();
            *term = self.scratch(Calc::Product, lane, &factors, aux, false).operand;
        }
        if products == 2 {
            let c = self.input(context, 2, 2);
            terms[2] = self.flushed(c).operand;
        }
        computation(if products == 4 { Calc::Sum4 } else { Calc::Sum3 }, &terms)
    }

    // Results.

    /// Computes the wanted lanes and writes them to their destinations.
    fn deliver(&mut self, context: &Context, results: [Option<Computation>; 4]) {
        let (common, alu) = (context.common, context.alu);
        let uncached = self.umrt() && common.class == Type::Out && common.omask != 0;
        // By lane: the first lane with the same computation, and what finishes it.
        let same: [usize; 4] = std::array::from_fn(|lane| {
            (0..lane).find(|&other| results[other] == results[lane]).unwrap_or(lane)
        });
        let finish: [Option<u16>; 4] = std::array::from_fn(|lane| {
            let unit = alu.unit_of(lane);
            let (clamp, is_select) = (common.clamp[lane / 3], unit.op.is_select());
            results[lane].and_then(|result| finishing(unit.omod, clamp, is_select, &result))
        });
        // By the first lane with the same computation: its result before it is finished, if that is in a scratch row.
        let mut raw: [Option<Value>; 4] = [None; 4];
        // By lane: the finished result, if its destinations are still to be written.
        let mut delivered: [Option<Value>; 4] = [None; 4];
        // Output channels that are in their rows and not yet noted as written.
        let mut notes: [Option<(u32, Write, u16)>; 4] = [None; 4];

        // Results that are finished come first, so that equal operations stay together.
        for (lane, result) in results.iter().enumerate() {
            if let Some(result) = result
                && result.calc != Calc::Mov
                && finish[lane].is_some()
                && raw[same[lane]].is_none()
            {
                raw[same[lane]] = Some(self.computed(result, lane));
            }
        }

        for lane in 0..4 {
            let Some(result) = results[lane] else { continue };
            let known = raw[same[lane]];
            // Compute directly into the only destination, if no later lane reads its old value. A move saves nothing
            // by being made once.
            let shared = result.calc != Calc::Mov
                && (0..4).any(|other| other != lane && same[other] == same[lane]);
            if !shared && let Some(row) = only_destination(context, lane, uncached) {
                let number = self.row(row);
                let mut later = results[lane + 1..].iter().flatten();
                if !later.any(|result| result.operands.iter().any(|one| one.is_row(number))) {
                    let raw = known.map_or(result.operands[0], |value| value.operand);
                    let finished = finish[lane]
                        .map(|aux| Computation { aux, ..computation(Calc::Finish, &[raw]) });
                    notes[lane] = self.direct(context, lane, row, finished.unwrap_or(result));
                    continue;
                }
            }

            // Otherwise go through a scratch row. A scalar for several lanes is computed once.
            let value = known.unwrap_or_else(|| self.computed(&result, lane));
            raw[same[lane]] = Some(value);
            delivered[lane] = Some(match finish[lane] {
                None => value,
                Some(aux) => self.scratch(Calc::Finish, lane, &[value.operand], aux, true),
            });
        }
        for note in notes.into_iter().flatten() {
            self.note_output(note);
        }
        if delivered.iter().any(Option::is_some) {
            self.write_delivered(context, delivered, uncached);
        }
    }

    /// Computes a result into the row of a temporary or output. If that was an output, it remains to
    /// note that the channel was written: at once if gated, since the gate may change with the next
    /// lane; otherwise at the end, so that equal operations stay together.
    fn direct(
        &mut self,
        context: &Context,
        lane: usize,
        row: Row,
        mut result: Computation,
    ) -> Option<(u32, Write, u16)> {
        if let Some(uniform) = self.folded(result.calc, &result.operands, result.aux) {
            result = Computation { clean: result.clean, ..computation(Calc::Mov, &[uniform]) };
        }
        let write = self.gate(context.common, lane);
        let dst = self.row(row);
        self.op(result.calc, write, dst, &result.operands, result.aux);
        if let Row::Temp(number) = row {
            let moved = result.calc == Calc::Mov;
            let operand = if moved { result.operands[0] } else { Operand::row(dst) };
            self.temps.wrote(number, Value { operand, clean: result.clean }, write);
        }
        let Row::Output(number) = row else { return None };
        let note = (dst, write, number);
        if write == Write::Gated {
            self.note_output(note);
            return None;
        }
        Some(note)
    }

    fn note_output(&mut self, (row, write, number): (u32, Write, u16)) {
        self.op(Op::Output, write, row, &[Operand::row(row)], number);
    }

    /// A result of a lane in a scratch row.
    fn computed(&mut self, result: &Computation, lane: usize) -> Value {
        self.scratch(result.calc, lane, &result.operands, result.aux, result.clean)
    }

    /// Copies results to their destinations. Predicates change last, since gates use the old ones.
    fn write_delivered(&mut self, context: &Context, values: [Option<Value>; 4], uncached: bool) {
        let (common, alu) = (context.common, context.alu);
        for (lane, value) in values.iter().enumerate() {
            let Some(value) = value else { continue };
            if common.wmask >> lane & 1 != 0 {
                let write = self.gate(common, lane);
                match dest(context, lane) {
                    Dest::Temp(addr, relative) => {
                        self.store_temp((addr, relative), lane as u16, *value, write);
                    }
                    Dest::Window(n) => {
                        let dst = self.row(Row::Window(n));
                        self.op(Calc::Mov, write, dst, &[value.operand], 0);
                    }
                }
            }
            if common.class == Type::Out && !uncached && common.omask >> lane & 1 != 0 {
                let write = self.gate(common, lane);
                let number = output_number(alu, lane);
                let dst = self.row(Row::Output(number));
                self.op(Op::Output, write, dst, &[value.operand], number);
            }
        }
        if alu.w_omask
            && let Some(value) = values[3]
        {
            let write = self.gate(common, 3);
            let dst = self.row(Row::Own);
            self.op(Op::Output, write, dst, &[value.operand], OWN_VALUE);
        }
        if uncached && let [Some(r), Some(g), Some(b), Some(a)] = values {
            // It happens where the predicates of all four channels pass.
            let write = self.gate_all(common);
            let operands = [r, g, b, a].map(|value| value.operand);
            self.op(Op::Uncached, write, 0, &operands, 0);
        }
        let all = ungated(common);
        if alu.alu_wmask
            && let Some(value) = values[alu_result_lane(common)]
        {
            let aux = ALU_RESULT | (common.alu_result_op.code() as u16) << 3;
            self.op(Op::SetBit, all, 0, &[value.operand], aux);
        }
        if common.class == Type::Alu {
            for (lane, value) in values.iter().enumerate() {
                let Some(value) = value.filter(|_| common.omask >> lane & 1 != 0) else {
                    continue;
                };
                let comparison = alu.unit_of(lane).target;
                let aux = lane as u16 | (comparison as u16) << 3;
                self.op(Op::SetBit, all, 0, &[value.operand], aux);
                self.needs().predicates = true;
            }
        }
    }
}

/// A computation with a clean result.
fn computation(calc: Calc, operands: &[Operand]) -> Computation {
    Computation { calc, operands: operands_of(operands), aux: 0, clean: true }
}

/// The `aux` of the [`Calc::Finish`] that a raw result needs; `None` if it needs none.
fn finishing(omod: Omod, clamp: bool, is_select: bool, result: &Computation) -> Option<u16> {
    if omod == Omod::Disabled {
        // After an operation that computes something, it acts as x1 without clamp.
        return (!is_select && !result.clean).then_some(Omod::X1.code() as u16);
    }
    let aux = omod.code() as u16 | if clamp { SWITCH } else { 0 };
    (aux != 0 || !result.clean).then_some(aux)
}

/// The lane that sets the ALU result.
fn alu_result_lane(common: &Common) -> usize {
    match common.alu_result_sel {
        AluResultSel::Red => 0,
        AluResultSel::Alpha => 3,
    }
}

/// The row of the only destination of a lane, if it has one and lowering knows its row.
fn only_destination(context: &Context, lane: usize, uncached: bool) -> Option<Row> {
    let (common, alu) = (context.common, context.alu);
    let other_uses = (alu.alu_wmask && lane == alu_result_lane(common))
        || (alu.w_omask && lane == 3)
        || uncached;
    match [common.wmask, common.omask].map(|mask| mask >> lane & 1 != 0) {
        _ if other_uses => None,
        [true, false] => dest(context, lane).row(lane),
        [false, true] if common.class == Type::Out => Some(Row::Output(output_number(alu, lane))),
        [false, true] | [true, true] | [false, false] => None,
    }
}

/// The destination of a lane.
enum Dest {
    /// A temporary, and whether relative to aL.
    Temp(u8, bool),
    /// A channel of a window.
    Window(u16),
}

impl Dest {
    /// The row of a lane, if lowering knows it.
    fn row(&self, lane: usize) -> Option<Row> {
        match *self {
            Dest::Temp(n, false) => Some(Row::Temp(4 * n as u16 + lane as u16)),
            Dest::Temp(_, true) => None,
            Dest::Window(n) => Some(Row::Window(n)),
        }
    }
}

fn dest(context: &Context, lane: usize) -> Dest {
    let unit = context.alu.unit_of(lane);
    match context.instruction.register(unit.dest, unit.dest_rel) {
        Register::Temp(n, relative) => Dest::Temp(n, relative),
        Register::Global(..) => Dest::Window(Window::dest(lane / 3, lane) as u16),
    }
}

/// The held output channel that a lane writes.
fn output_number(alu: &Alu, lane: usize) -> u16 {
    4 * (alu.unit_of(lane).target as u16 & 3) + lane as u16
}
