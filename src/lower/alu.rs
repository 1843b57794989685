//! ALU and OUT: operands, presubtract, operations, results.

use super::build::{Builder, Row};
use super::uniform::{Uniform, UniformScalar, UniformValue};
use super::{MicroOp, Op, Operand, Write};
use crate::float;
use crate::isa::{
    AlphaOp, Alu, AluResultSel, Common, FieldValue, Instruction, Modifier, Omod, Presub, RgbOp,
    Sel, Source, SourceKind, Swizzle, Type, Usage,
};

/// An operand together with what is known about its value.
#[derive(Clone, Copy, Debug)]
struct Value {
    operand: Operand,
    /// Neither a denormal nor a NaN other than 0x7fffffff, before the operand's modifiers.
    clean: bool,
}

/// One result that an instruction needs.
#[derive(Clone, Copy)]
struct Computation {
    op: Op,
    operands: [Operand; 4],
    zero_times: bool,
    /// The raw result is clean.
    clean: bool,
}

/// Everything of an instruction that lowering looks at again and again.
struct Context<'a> {
    common: &'a Common,
    alu: &'a Alu,
    /// The instruction looks at inactive points: only facts that hold everywhere count.
    everywhere: bool,
    srcp: [Option<Value>; 4],
    sources: [[Option<Value>; 4]; 3],
}

const ONE: u32 = 0x3f80_0000;
const HALF: u32 = 0x3f00_0000;
const MINUS_TWO: u32 = 0xc000_0000;

impl Builder<'_> {
    pub(super) fn alu(&mut self, instruction: &Instruction, alu: &Alu) {
        let Some(usage) = Usage::of(instruction) else {
            return;
        };
        if usage.is_idle() {
            return;
        }
        let common = &instruction.common;
        let neighbour = (usage.rgb && alu.rgb.op.is_neighbour())
            || (usage.alpha && alu.alpha.op.is_neighbour());
        let mut context = Context {
            common,
            alu,
            everywhere: common.write_inactive || neighbour,
            srcp: [None; 4],
            sources: [[None; 4]; 3],
        };

        // Which lanes of the result anybody wants.
        let mut wanted = common.wmask() | common.omask();
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

    /// The computations of lanes R, G, B, A; a scalar that several lanes take is listed for each.
    fn computations(&mut self, context: &mut Context, wanted: u8) -> [Option<Computation>; 4] {
        let alu = context.alu;
        let mut results = [None; 4];
        let dot = (wanted & 7 != 0 && alu.rgb.op.is_dot())
            || (wanted & 8 != 0 && alu.alpha.op == AlphaOp::Dp);
        let dot = dot.then(|| self.dot(context));
        let transcendental = (wanted & 7 != 0 && alu.rgb.op == RgbOp::Sop)
            || (wanted & 8 != 0 && alu.alpha.op.is_transcendental());
        let transcendental = transcendental.then(|| self.transcendental(context));
        for (lane, result) in results.iter_mut().enumerate().take(3) {
            if wanted >> lane & 1 != 0 {
                *result = if alu.rgb.op.is_dot() {
                    dot
                } else if alu.rgb.op == RgbOp::Sop {
                    transcendental
                } else {
                    Some(self.rgb_lane(context, lane))
                };
            }
        }
        if wanted & 8 != 0 {
            results[3] = if alu.alpha.op == AlphaOp::Dp {
                dot
            } else if alu.alpha.op.is_transcendental() {
                transcendental
            } else {
                Some(self.alpha_lane(context))
            };
        }
        results
    }

    // Operands.

    /// Channel `channel` of source n as a vector over both units.
    fn source(&mut self, context: &mut Context, n: usize, channel: usize) -> Value {
        if let Some(value) = context.sources[n][channel] {
            return value;
        }
        let alu = context.alu;
        let source = if channel < 3 {
            alu.rgb.sources[n]
        } else {
            alu.alpha.sources[n]
        };
        let value = match scalar(source, channel) {
            Some(scalar) => {
                let operand = self.uniform(Uniform {
                    value: UniformValue::Scalar(scalar),
                    abs: false,
                    neg: false,
                    flush: false,
                });
                self.uniform_value(operand)
            }
            None => match source.kind() {
                SourceKind::Temp(addr) => {
                    let (operand, row) = self.temp_operand(addr, source.relative, channel as u16);
                    Value {
                        operand,
                        clean: self.is_clean(row, context.everywhere),
                    }
                }
                SourceKind::Constant(addr) | SourceKind::Inline(addr) => {
                    let row = self.new_scratch();
                    let dst = self.row(row);
                    let op = self.op(Op::LoadConstant, Write::All);
                    (op.dst, op.aux) = (dst, 4 * addr as u16 + channel as u16);
                    self.wrote(row, false, Write::All);
                    Value {
                        operand: Operand::row(dst),
                        clean: false,
                    }
                }
            },
        };
        context.sources[n][channel] = Some(value);
        value
    }

    fn uniform_value(&self, operand: Operand) -> Value {
        let clean = self.known(operand).is_some_and(|bits| {
            let bits = bits & !float::SIGN;
            float::ftz(bits) == bits && !float::is_nan(bits)
        });
        Value { operand, clean }
    }

    /// Channel `channel` of the presubtract result.
    fn srcp(&mut self, context: &mut Context, channel: usize) -> Value {
        if let Some(value) = context.srcp[channel] {
            return value;
        }
        let alu = context.alu;
        let (op, sources) = if channel < 3 {
            (alu.rgb.presub, &alu.rgb.sources)
        } else {
            (alu.alpha.presub, &alu.alpha.sources)
        };
        let two = matches!(op, Presub::Sub | Presub::Add);
        let first = scalar(sources[0], channel);
        let second = if two {
            scalar(sources[1], channel)
        } else {
            Some(UniformScalar::Literal(0))
        };
        let value = if let (Some(first), Some(second)) = (first, second) {
            let operand = self.uniform(Uniform {
                value: UniformValue::Presub(op, first, second),
                abs: false,
                neg: false,
                flush: false,
            });
            // A presubtract gives clean values, whatever the constants are.
            Value {
                operand,
                clean: true,
            }
        } else {
            let src0 = self.source(context, 0, channel);
            let src0_flushed = self.flushed(src0);
            let negated = self.modified(src0_flushed, Modifier::Neg);
            let one = self.uniform(Uniform::literal(ONE));
            let (kind, a, b, c) = match op {
                Presub::Bias => {
                    let minus_two = self.uniform(Uniform::literal(MINUS_TWO));
                    (Op::Mad, minus_two, src0_flushed.operand, one)
                }
                Presub::Sub => {
                    let src1 = self.source(context, 1, channel);
                    let src1 = self.flushed(src1);
                    (Op::Add, src1.operand, Operand::NONE, negated.operand)
                }
                Presub::Add => {
                    let src1 = self.source(context, 1, channel);
                    let src1 = self.flushed(src1);
                    (Op::Add, src1.operand, Operand::NONE, src0_flushed.operand)
                }
                Presub::Inv => (Op::Add, one, Operand::NONE, negated.operand),
            };
            let row = self.new_scratch();
            let dst = self.row(row);
            let op = self.op(kind, Write::All);
            (op.dst, op.a, op.b, op.c) = (dst, a, b, c);
            self.wrote(row, true, Write::All);
            Value {
                operand: Operand::row(dst),
                clean: true,
            }
        };
        context.srcp[channel] = Some(value);
        value
    }

    /// What a lane of an input reads, sign modifier applied.
    fn input(
        &mut self,
        context: &mut Context,
        sel: Sel,
        swizzle: Swizzle,
        modifier: Modifier,
    ) -> Value {
        let channel = match swizzle {
            Swizzle::R => 0,
            Swizzle::G => 1,
            Swizzle::B => 2,
            Swizzle::A => 3,
            constant => {
                let bits = match constant {
                    Swizzle::Half => HALF,
                    Swizzle::One => ONE,
                    _ => 0,
                };
                let operand = self.uniform(Uniform::literal(bits));
                let value = self.uniform_value(operand);
                return self.modified(value, modifier);
            }
        };
        let value = match sel {
            Sel::Srcp => self.srcp(context, channel),
            sel => self.source(context, sel.code() as usize, channel),
        };
        self.modified(value, modifier)
    }

    fn rgb_input(&mut self, context: &mut Context, input: usize, lane: usize) -> Value {
        let rgb = context.alu.rgb.inputs[input];
        self.input(context, rgb.sel, rgb.swizzle[lane], rgb.modifier)
    }

    fn alpha_input(&mut self, context: &mut Context, input: usize) -> Value {
        let alpha = context.alu.alpha.inputs[input];
        self.input(context, alpha.sel, alpha.swizzle, alpha.modifier)
    }

    /// A value with a sign modifier; uniforms take it in at once.
    fn modified(&mut self, value: Value, modifier: Modifier) -> Value {
        let (abs, neg) = match modifier {
            Modifier::Nop => return value,
            Modifier::Neg => (false, true),
            Modifier::Abs => (true, false),
            Modifier::Nab => (true, true),
        };
        let operand = if value.operand.is_uniform() {
            let mut uniform = self.uniform_at(value.operand);
            uniform.neg = if abs { neg } else { uniform.neg != neg };
            uniform.abs |= abs;
            let operand = self.uniform(uniform);
            // A presubtract may be a NaN, whose sign shows: it is canonical no more.
            let clean = value.clean && (!neg || self.uniform_value(operand).clean);
            return Value { operand, clean };
        } else {
            let mut bits = value.operand.0;
            if abs {
                bits = bits & !Operand::NEG | Operand::ABS;
            }
            if neg {
                bits ^= Operand::NEG;
            }
            Operand(bits)
        };
        // The sign of a NaN changes, so it is canonical no more; that matters to moves only, and
        // they ask for an operand without negation.
        Value { operand, ..value }
    }

    /// A value as arithmetic reads it.
    fn flushed(&mut self, value: Value) -> Value {
        if value.clean {
            return value;
        }
        let operand = if value.operand.is_uniform() {
            let mut uniform = self.uniform_at(value.operand);
            uniform.flush = true;
            self.uniform(uniform)
        } else {
            Operand(value.operand.0 | Operand::FLUSH)
        };
        Value { operand, ..value }
    }

    // Computations.

    fn rgb_lane(&mut self, context: &mut Context, lane: usize) -> Computation {
        use RgbOp::*;
        let op = context.alu.rgb.op;
        if op.is_neighbour() {
            let mods = context.alu.rgb.inputs.map(|input| input.modifier);
            let b = self.rgb_input(context, 1, lane);
            return self.neighbours(context, lane, b, mods, op == Mdh);
        }
        let [a, b, c] = self.inputs(op.operands(), |builder, input| {
            builder.rgb_input(context, input, lane)
        });
        match op {
            Mad => self.mad(a, b, c),
            Min => select(Op::Min, a, b, None),
            Max => select(Op::Max, a, b, None),
            Cnd => {
                let c = self.flushed(c);
                select(Op::Cnd, a, b, Some(c))
            }
            Cmp => {
                let c = self.flushed(c);
                select(Op::Cmp, a, b, Some(c))
            }
            _ => self.unary(Op::Frc, a),
        }
    }

    fn alpha_lane(&mut self, context: &mut Context) -> Computation {
        use AlphaOp::*;
        let op = context.alu.alpha.op;
        if op.is_neighbour() {
            let mods = context.alu.alpha.inputs.map(|input| input.modifier);
            let b = self.alpha_input(context, 1);
            return self.neighbours(context, 3, b, mods, op == Mdh);
        }
        let [a, b, c] = self.inputs(op.operands(), |builder, input| {
            builder.alpha_input(context, input)
        });
        match op {
            Mad => self.mad(a, b, c),
            Min => select(Op::Min, a, b, None),
            Max => select(Op::Max, a, b, None),
            Cnd => {
                let c = self.flushed(c);
                select(Op::Cnd, a, b, Some(c))
            }
            Cmp => {
                let c = self.flushed(c);
                select(Op::Cmp, a, b, Some(c))
            }
            _ => self.unary(Op::Frc, a),
        }
    }

    fn inputs(
        &mut self,
        operands: u8,
        mut read: impl FnMut(&mut Self, usize) -> Value,
    ) -> [Value; 3] {
        let none = Value {
            operand: Operand::NONE,
            clean: true,
        };
        [0, 1, 2].map(|input| {
            if operands >> input & 1 != 0 {
                read(self, input)
            } else {
                none
            }
        })
    }

    fn unary(&mut self, op: Op, a: Value) -> Computation {
        let a = self.flushed(a);
        computation(op, [a.operand, Operand::NONE, Operand::NONE])
    }

    fn transcendental(&mut self, context: &mut Context) -> Computation {
        let a = self.alpha_input(context, 0);
        let op = match context.alu.alpha.op {
            AlphaOp::Ex2 => Op::Ex2,
            AlphaOp::Ln2 => Op::Ln2,
            AlphaOp::Rcp => Op::Rcp,
            AlphaOp::Rsq => Op::Rsq,
            AlphaOp::Sin => Op::Sin,
            _ => Op::Cos,
        };
        self.unary(op, a)
    }

    fn mad(&mut self, a: Value, b: Value, c: Value) -> Computation {
        let (a, b, c) = (self.flushed(a), self.flushed(b), self.flushed(c));
        let one = |builder: &Self, value: Value| builder.known(value.operand) == Some(ONE);
        let (factor, is_move) = if one(self, a) {
            (b, true)
        } else {
            (a, one(self, b))
        };
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
                Value {
                    operand: Operand::row(dst),
                    clean: source.clean,
                }
            };
            builder.modified(value, modifier)
        };
        let a = at(self, 0, mods[0]);
        let c = at(self, if horizontal { 1 } else { 2 }, mods[2]);
        self.mad(a, b, c)
    }

    fn dot(&mut self, context: &mut Context) -> Computation {
        let op = context.alu.rgb.op;
        let lanes = if op == RgbOp::D2a { 2 } else { 3 };
        let mut terms = Vec::new();
        for lane in 0..lanes {
            let a = self.rgb_input(context, 0, lane);
            let b = self.rgb_input(context, 1, lane);
            terms.push(self.product(a, b));
        }
        match op {
            RgbOp::Dp4 => {
                let a = self.alpha_input(context, 0);
                let b = self.alpha_input(context, 1);
                terms.push(self.product(a, b));
            }
            RgbOp::D2a => {
                let c = self.rgb_input(context, 2, 2);
                terms.push(self.flushed(c).operand);
            }
            _ => {}
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

    /// Computes the wanted lanes and writes them wherever they go.
    fn deliver(&mut self, context: &Context, results: [Option<Computation>; 4]) {
        let (common, alu) = (context.common, context.alu);
        let uncached = self.umrt() && common.class == Type::Out && common.omask() != 0;
        let mut delivered: [Option<Value>; 4] = [None; 4];
        let mut raw: Vec<(Computation, Value)> = Vec::new();

        for lane in 0..4usize {
            let Some(result) = results[lane] else {
                continue;
            };
            let (omod, clamp, is_select) = if lane < 3 {
                (alu.rgb.omod, common.rgb_clamp, alu.rgb.op.is_select())
            } else {
                (alu.alpha.omod, common.alpha_clamp, alu.alpha.op.is_select())
            };
            let finish = finishing(omod, clamp, is_select, &result);

            let shared = (0..4)
                .any(|other| other != lane && results[other].is_some_and(|r| same(&r, &result)));
            let written = common.wmask() >> lane & 1 != 0;
            let output = common.omask() >> lane & 1 != 0;
            let other_uses = (alu.alu_wmask
                && lane
                    == if common.alu_result_sel == AluResultSel::Red {
                        0
                    } else {
                        3
                    })
                || (alu.w_omask && lane == 3)
                || uncached;
            let to_temp_only = written && !output && !other_uses;
            let to_output_only =
                output && !written && !other_uses && common.class == Type::Out && !uncached;

            // Straight to the one place where it goes, if nobody still reads what is there.
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

            // Otherwise through a scratch row; a scalar for several lanes is computed once.
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
                    Value {
                        operand: Operand::row(dst),
                        clean: true,
                    }
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
            // The value is in place; what is left is to note that the channel was written. A gate
            // may change with the next lane; otherwise the notes come last, so that equal
            // operations stay together.
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
        op.flags = if result.zero_times {
            MicroOp::ZERO_TIMES
        } else {
            0
        };
        op
    }

    fn scratch_of(&mut self, result: &Computation) -> Value {
        let row = self.new_scratch();
        self.emit(result, row, Write::All);
        self.wrote(row, result.clean, Write::All);
        Value {
            operand: Operand::row(self.row(row)),
            clean: result.clean,
        }
    }

    /// Copies results to their places. Predicates change last, since gates take the old ones.
    fn write_delivered(&mut self, context: &Context, values: [Option<Value>; 4], uncached: bool) {
        let (common, alu) = (context.common, context.alu);
        for (lane, value) in values.iter().enumerate() {
            let Some(value) = value else { continue };
            if common.wmask() >> lane & 1 != 0 {
                let write = self.gate(common, lane);
                let (addr, relative) = dest(alu, lane);
                self.store_temp(
                    addr,
                    relative,
                    lane as u16,
                    value.operand,
                    value.clean,
                    write,
                );
            }
            if common.class == Type::Out && !uncached && common.omask() >> lane & 1 != 0 {
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
            let lane = if common.alu_result_sel == AluResultSel::Red {
                0
            } else {
                3
            };
            if let Some(value) = values[lane] {
                let op = self.op(Op::SetAluResult, all);
                (op.a, op.aux) = (value.operand, (common.alu_result_op.code() as u16) << 2);
            }
        }
        if common.class == Type::Alu {
            for (lane, value) in values.iter().enumerate() {
                let Some(value) = value.filter(|_| common.omask() >> lane & 1 != 0) else {
                    continue;
                };
                let comparison = if lane < 3 {
                    alu.rgb.target
                } else {
                    alu.alpha.target
                };
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

/// The uniform that a source is, if it is one: inline constants and constants without aL.
fn scalar(source: Source, channel: usize) -> Option<UniformScalar> {
    match source.kind() {
        SourceKind::Inline(code) => {
            Some(UniformScalar::Literal(float::inline_constant(code as u32)))
        }
        SourceKind::Constant(n) if !source.relative => {
            Some(UniformScalar::Constant(n, channel as u8))
        }
        _ => None,
    }
}

fn computation(op: Op, [a, b, c]: [Operand; 3]) -> Computation {
    Computation {
        op,
        operands: [a, b, c, Operand::NONE],
        zero_times: false,
        clean: true,
    }
}

/// MIN, MAX, CND, CMP: one of two values, bit for bit. Equal candidates make a move.
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

/// What [`Op::Finish`] has to do to a raw result; `None`: nothing.
fn finishing(omod: Omod, clamp: bool, is_select: bool, result: &Computation) -> Option<u16> {
    if omod == Omod::Disabled {
        // With an operation that computes something it is x1 without clamp.
        return (!is_select && !result.clean).then_some(Omod::X1.code() as u16);
    }
    let aux = omod.code() as u16 | (clamp as u16) << 3;
    (aux != 0 || !result.clean).then_some(aux)
}

fn same(a: &Computation, b: &Computation) -> bool {
    a.op == b.op && a.operands == b.operands
}

fn dest(alu: &Alu, lane: usize) -> (u8, bool) {
    if lane < 3 {
        (alu.rgb.dest, alu.rgb.dest_rel)
    } else {
        (alu.alpha.dest, alu.alpha.dest_rel)
    }
}

fn output_number(alu: &Alu, lane: usize) -> u16 {
    let output = if lane < 3 {
        alu.rgb.target
    } else {
        alu.alpha.target
    };
    4 * (output as u16 & 3) + lane as u16
}

fn output_row(alu: &Alu, lane: usize) -> Row {
    Row::Output(output_number(alu, lane))
}
