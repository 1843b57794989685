//! ALU and OUT: operations and results.

use super::build::{Builder, Row};
use super::operands::{Context, Value};
use super::{MicroOp, Op, Operand, Write};
use crate::float::ONE;
use crate::isa::{
    Alu, AluOp, AluResultSel, Common, FieldValue, Instruction, Modifier, Omod, RGB, Type, Usage,
};

/// One result that an instruction needs.
#[derive(Clone, Copy)]
struct Computation {
    op: Op,
    operands: [Operand; 4],
    zero_times: bool,
    /// The raw result is clean.
    clean: bool,
}

impl Builder<'_> {
    pub(super) fn alu(&mut self, instruction: &Instruction, alu: &Alu) {
        let Some(usage) = Usage::of(instruction) else {
            return;
        };
        if usage.is_idle() {
            return;
        }
        let common = &instruction.common;
        let neighbour = (0..2).any(|n| usage.units[n] && alu.units[n].op.is_neighbour());
        let mut context = Context {
            common,
            alu,
            everywhere: common.write_inactive || neighbour,
            srcp: [None; 4],
            sources: [[None; 4]; 3],
        };

        // The lanes of the result that are used.
        let mut wanted = common.wmask | common.omask;
        if alu.alu_wmask {
            wanted |= match common.alu_result_sel {
                AluResultSel::Red => 1,
                AluResultSel::Alpha => 8,
            };
        }
        if alu.w_omask {
            wanted |= 8;
        }

        let results = self.computations(&mut context, wanted);
        self.deliver(&context, results);
    }

    /// The computations of lanes R, G, B, A. A scalar that several lanes take is listed for each.
    fn computations(&mut self, context: &mut Context, wanted: u8) -> [Option<Computation>; 4] {
        let alu = context.alu;
        let mut results = [None; 4];
        let any = |is: fn(AluOp) -> bool| {
            (0..4).any(|lane| wanted >> lane & 1 != 0 && is(alu.unit_of(lane).op))
        };
        let dot = any(AluOp::is_dot).then(|| self.dot(context));
        let scalar = any(AluOp::is_transcendental).then(|| self.lane(context, 3));
        for (lane, result) in results.iter_mut().enumerate() {
            let op = alu.unit_of(lane).op;
            if wanted >> lane & 1 == 0 {
                continue;
            }
            *result = if op.is_dot() {
                dot
            } else if op.is_transcendental() {
                scalar
            } else {
                Some(self.lane(context, lane))
            };
        }
        results
    }

    // Computations.

    /// The operation of one lane, except dot products.
    fn lane(&mut self, context: &mut Context, lane: usize) -> Computation {
        use AluOp::*;
        let unit = context.alu.unit_of(lane);
        let isa = unit.op;
        if isa.is_neighbour() {
            let mods = unit.inputs.map(|input| input.modifier);
            let b = self.input(context, 1, lane);
            return self.neighbours(context, lane, b, mods, isa == Mdh);
        }
        let none = Value { operand: Operand::NONE, clean: true };
        let [a, b, c] = [0, 1, 2].map(|input| match isa.operands() >> input & 1 {
            0 => none,
            _ => self.input(context, input, lane),
        });
        let op = match isa {
            Mad => Op::Mad,
            Min => Op::Min,
            Max => Op::Max,
            Cnd => Op::Cnd,
            Cmp => Op::Cmp,
            Frc => Op::Frc,
            Ex2 => Op::Ex2,
            Ln2 => Op::Ln2,
            Rcp => Op::Rcp,
            Rsq => Op::Rsq,
            Sin => Op::Sin,
            Cos => Op::Cos,
            // Other functions compute these, and no verified program has reserved codes here.
            Dp3 | Dp4 | D2a | Dp | Sop | Mdh | Mdv | Reserved(_) => Op::Frc,
        };
        self.elementwise(op, a, b, c)
    }

    /// An operation that both units have and that works lane by lane.
    fn elementwise(&mut self, op: Op, a: Value, b: Value, c: Value) -> Computation {
        match op {
            Op::Mad => self.mad(a, b, c),
            Op::Min | Op::Max => select(op, a, b, None),
            Op::Cnd | Op::Cmp => {
                let c = self.flushed(c);
                select(op, a, b, Some(c))
            }
            _ => self.unary(op, a),
        }
    }

    fn unary(&mut self, op: Op, a: Value) -> Computation {
        let a = self.flushed(a);
        computation(op, [a.operand, Operand::NONE, Operand::NONE])
    }

    fn mad(&mut self, a: Value, b: Value, c: Value) -> Computation {
        let (a, b, c) = (self.flushed(a), self.flushed(b), self.flushed(c));
        let one = |builder: &Self, value: Value| builder.known(value.operand) == Some(ONE);
        let (factor, is_move) = if one(self, a) { (b, true) } else { (a, one(self, b)) };
        let mut result = if is_move {
            computation(Op::Add, [factor.operand, Operand::NONE, c.operand])
        } else if self.known(c.operand) == Some(0) {
            computation(Op::Mul, [a.operand, b.operand, Operand::NONE])
        } else {
            computation(Op::Mad, [a.operand, b.operand, c.operand])
        };
        result.zero_times = self.zero_times() && result.op != Op::Add;
        result
    }

    /// MDH and MDV: A and C are source 0 of two points of the quad.
    fn neighbours(
        &mut self,
        context: &mut Context,
        channel: usize,
        b: Value,
        mods: [Modifier; 3],
        horizontal: bool,
    ) -> Computation {
        let source = self.source(context, 0, channel);
        let at = |builder: &mut Self, point: u16, modifier: Modifier| {
            let value = if source.operand.is_uniform() {
                source
            } else {
                let row = builder.new_scratch();
                let dst = builder.row(row);
                let op = builder.op(Op::Quad, Write::All);
                (op.dst, op.a, op.aux) = (dst, source.operand, point);
                builder.wrote(row, source.clean, Write::All);
                Value { operand: Operand::row(dst), clean: source.clean }
            };
            builder.modified(value, modifier)
        };
        let a = at(self, 0, mods[0]);
        let c = at(self, if horizontal { 1 } else { 2 }, mods[2]);
        self.mad(a, b, c)
    }

    fn dot(&mut self, context: &mut Context) -> Computation {
        let op = context.alu.units[RGB].op;
        let lanes = match op {
            AluOp::D2a => 2,
            AluOp::Dp4 => 4,
            _ => 3,
        };
        let mut terms = Vec::new();
        for lane in 0..lanes {
            let a = self.input(context, 0, lane);
            let b = self.input(context, 1, lane);
            terms.push(self.product(a, b));
        }
        if op == AluOp::D2a {
            let c = self.input(context, 2, 2);
            terms.push(self.flushed(c).operand);
        }
        let mut result = computation(
            if terms.len() == 4 { Op::Sum4 } else { Op::Sum3 },
            [terms[0], terms[1], terms[2]],
        );
        result.operands[3] = terms.get(3).copied().unwrap_or(Operand::NONE);
        result
    }

    fn product(&mut self, a: Value, b: Value) -> Operand {
        let (a, b) = (self.flushed(a), self.flushed(b));
        let zero_times = self.zero_times();
        let row = self.new_scratch();
        let dst = self.row(row);
        let op = self.op(Op::Product, Write::All);
        (op.dst, op.a, op.b) = (dst, a.operand, b.operand);
        op.flags = if zero_times { MicroOp::ZERO_TIMES } else { 0 };
        self.wrote(row, false, Write::All);
        Operand::row(dst)
    }

    // Results.

    /// Computes the wanted lanes and writes them to their destinations.
    fn deliver(&mut self, context: &Context, results: [Option<Computation>; 4]) {
        let (common, alu) = (context.common, context.alu);
        let uncached = self.umrt() && common.class == Type::Out && common.omask != 0;
        let mut delivered: [Option<Value>; 4] = [None; 4];
        let mut raw: Vec<(Computation, Value)> = Vec::new();

        for lane in 0..4usize {
            let Some(result) = results[lane] else {
                continue;
            };
            let unit = alu.unit_of(lane);
            let finish = finishing(unit.omod, common.clamp[lane / 3], unit.op.is_select(), &result);

            let shared = (0..4)
                .any(|other| other != lane && results[other].is_some_and(|r| same(&r, &result)));
            let written = common.wmask >> lane & 1 != 0;
            let output = common.omask >> lane & 1 != 0;
            let other_uses = (alu.alu_wmask
                && lane == if common.alu_result_sel == AluResultSel::Red { 0 } else { 3 })
                || (alu.w_omask && lane == 3)
                || uncached;
            let to_temp_only = written && !output && !other_uses;
            let to_output_only =
                output && !written && !other_uses && common.class == Type::Out && !uncached;

            // Compute directly into the only destination, if no later lane reads its old value.
            if (to_temp_only || to_output_only) && !shared {
                let row = if to_temp_only {
                    self.dest_row(context, lane)
                } else {
                    Some(output_row(alu, lane))
                };
                if let Some(row) = row {
                    let number = self.row(row);
                    let later = results[lane + 1..].iter().flatten();
                    let is_read = later
                        .flat_map(|result| result.operands)
                        .chain(raw.iter().map(|(_, value)| value.operand))
                        .any(|operand| {
                            !operand.is_none() && !operand.is_uniform() && operand.index() == number
                        });
                    if !is_read {
                        self.direct(context, lane, row, &result, finish, to_output_only);
                        continue;
                    }
                }
            }

            // Otherwise go through a scratch row. A scalar for several lanes is computed once.
            let known = raw.iter().find(|(other, _)| same(other, &result));
            let value = match known {
                Some(&(_, value)) => value,
                None => {
                    let value = self.scratch_of(&result);
                    raw.push((result, value));
                    value
                }
            };
            delivered[lane] = Some(match finish {
                None => value,
                Some(aux) => {
                    let row = self.new_scratch();
                    let dst = self.row(row);
                    let op = self.op(Op::Finish, Write::All);
                    (op.dst, op.a, op.aux) = (dst, value.operand, aux);
                    self.wrote(row, true, Write::All);
                    Value { operand: Operand::row(dst), clean: true }
                }
            });
        }
        for note in std::mem::take(&mut self.notes) {
            self.note_output(note);
        }
        self.write_delivered(context, delivered, uncached);
    }

    /// The row of the temporary that a lane writes; `None` with relative addressing.
    fn dest_row(&self, context: &Context, lane: usize) -> Option<Row> {
        let (dest, relative) = dest(context.alu, lane);
        (!relative).then_some(Row::Temp(4 * dest as u16 + lane as u16))
    }

    fn direct(
        &mut self,
        context: &Context,
        lane: usize,
        row: Row,
        result: &Computation,
        finish: Option<u16>,
        output: bool,
    ) {
        let computed = match finish {
            None => *result,
            Some(aux) => {
                let value = self.scratch_of(result);
                let mut finished = computation(Op::Finish, [value.operand; 3]);
                finished.operands = [value.operand, Operand::NONE, Operand::NONE, Operand::NONE];
                let write = self.gate(context.common, lane);
                self.emit(&finished, row, write).aux = aux;
                self.after_direct(row, true, write, output, lane, context);
                return;
            }
        };
        let write = self.gate(context.common, lane);
        self.emit(&computed, row, write);
        self.after_direct(row, computed.clean, write, output, lane, context);
    }

    fn after_direct(
        &mut self,
        row: Row,
        clean: bool,
        write: Write,
        output: bool,
        lane: usize,
        context: &Context,
    ) {
        self.wrote(row, clean, write);
        if output {
            // The value is in place. It remains to note that the channel was written: at once if
            // gated, since the gate may change with the next lane; otherwise at the end, so that
            // equal operations stay together.
            let note = (self.row(row), write, output_number(context.alu, lane));
            if write == Write::Gated {
                self.note_output(note);
            } else {
                self.notes.push(note);
            }
        }
    }

    fn note_output(&mut self, (row, write, number): (u32, Write, u16)) {
        let op = self.op(Op::Output, write);
        (op.dst, op.a, op.aux) = (row, Operand::row(row), number);
    }

    fn emit(&mut self, result: &Computation, row: Row, write: Write) -> &mut MicroOp {
        let dst = self.row(row);
        let op = self.op(result.op, write);
        op.dst = dst;
        [op.a, op.b, op.c, op.d] = result.operands;
        op.flags = if result.zero_times { MicroOp::ZERO_TIMES } else { 0 };
        op
    }

    fn scratch_of(&mut self, result: &Computation) -> Value {
        let row = self.new_scratch();
        self.emit(result, row, Write::All);
        self.wrote(row, result.clean, Write::All);
        Value { operand: Operand::row(self.row(row)), clean: result.clean }
    }

    /// Copies results to their destinations. Predicates change last, since gates use the old ones.
    fn write_delivered(&mut self, context: &Context, values: [Option<Value>; 4], uncached: bool) {
        let (common, alu) = (context.common, context.alu);
        for (lane, value) in values.iter().enumerate() {
            let Some(value) = value else { continue };
            if common.wmask >> lane & 1 != 0 {
                let write = self.gate(common, lane);
                let (addr, relative) = dest(alu, lane);
                self.store_temp(addr, relative, lane as u16, value.operand, value.clean, write);
            }
            if common.class == Type::Out && !uncached && common.omask >> lane & 1 != 0 {
                let write = self.gate(common, lane);
                let dst = self.row(output_row(alu, lane));
                let op = self.op(Op::Output, write);
                (op.dst, op.a, op.aux) = (dst, value.operand, output_number(alu, lane));
            }
        }
        if alu.w_omask
            && let Some(value) = values[3]
        {
            let write = self.gate(common, 3);
            let dst = self.row(Row::Own);
            let op = self.op(Op::OwnValue, write);
            (op.dst, op.a) = (dst, value.operand);
        }
        if uncached && let [Some(r), Some(g), Some(b), Some(a)] = values {
            self.uncached(common, [r, g, b, a].map(|value| value.operand));
        }
        let all = match common.write_inactive {
            true => Write::All,
            false => Write::Active,
        };
        if alu.alu_wmask {
            let lane = if common.alu_result_sel == AluResultSel::Red { 0 } else { 3 };
            if let Some(value) = values[lane] {
                let op = self.op(Op::SetAluResult, all);
                (op.a, op.aux) = (value.operand, (common.alu_result_op.code() as u16) << 2);
            }
        }
        if common.class == Type::Alu {
            for (lane, value) in values.iter().enumerate() {
                let Some(value) = value.filter(|_| common.omask >> lane & 1 != 0) else {
                    continue;
                };
                let comparison = alu.unit_of(lane).target;
                let op = self.op(Op::SetPredicate, all);
                (op.a, op.aux) = (value.operand, lane as u16 | (comparison as u16) << 2);
                self.needs().predicates = true;
            }
        }
    }

    /// An uncached write happens where the predicates of all four channels pass.
    fn uncached(&mut self, common: &Common, values: [Operand; 4]) {
        let write = self.gate_all(common);
        let op = self.op(Op::Uncached, write);
        [op.a, op.b, op.c, op.d] = values;
    }
}

fn computation(op: Op, [a, b, c]: [Operand; 3]) -> Computation {
    Computation { op, operands: [a, b, c, Operand::NONE], zero_times: false, clean: true }
}

/// MIN, MAX, CND, CMP: select one of two values, bit for bit. Equal candidates make a move.
fn select(op: Op, a: Value, b: Value, c: Option<Value>) -> Computation {
    let unmodified =
        |value: &Value| value.operand.0 & Operand::NEG == 0 || value.operand.is_uniform();
    let clean = a.clean && b.clean && unmodified(&a) && unmodified(&b);
    let mut result = if a.operand == b.operand {
        computation(Op::Mov, [a.operand, Operand::NONE, Operand::NONE])
    } else {
        let c = c.map_or(Operand::NONE, |c| c.operand);
        computation(op, [a.operand, b.operand, c])
    };
    result.clean = clean;
    result
}

/// The `aux` of the [`Op::Finish`] that a raw result needs; `None` if it needs none.
fn finishing(omod: Omod, clamp: bool, is_select: bool, result: &Computation) -> Option<u16> {
    if omod == Omod::Disabled {
        // After an operation that computes something, it acts as x1 without clamp.
        return (!is_select && !result.clean).then_some(Omod::X1.code() as u16);
    }
    let aux = omod.code() as u16 | (clamp as u16) << 3;
    (aux != 0 || !result.clean).then_some(aux)
}

fn same(a: &Computation, b: &Computation) -> bool {
    a.op == b.op && a.operands == b.operands
}

fn dest(alu: &Alu, lane: usize) -> (u8, bool) {
    let unit = alu.unit_of(lane);
    (unit.dest, unit.dest_rel)
}

fn output_number(alu: &Alu, lane: usize) -> u16 {
    4 * (alu.unit_of(lane).target as u16 & 3) + lane as u16
}

fn output_row(alu: &Alu, lane: usize) -> Row {
    Row::Output(output_number(alu, lane))
}
