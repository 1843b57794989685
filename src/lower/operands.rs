//! The operands of an instruction: sources, presubtract, inputs with their modifiers.

use super::build::Builder;
use super::uniform::{Uniform, UniformScalar, UniformValue};
use super::{Op, Operand, Write};
use crate::float::{self, HALF, ONE};
use crate::isa::{
    Alu, Common, FieldValue, Modifier, Presub, Sel, Source, SourceKind, Swizzle, Unit,
};

/// An operand and what is known about its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub operand: Operand,
    /// Neither a denormal nor a NaN other than 0x7fffffff, before the operand's modifiers.
    pub clean: bool,
}

/// The parts of an instruction that lowering uses repeatedly.
pub(super) struct Context<'a> {
    pub common: &'a Common,
    pub alu: &'a Alu,
    /// The instruction looks at inactive points: only facts that hold everywhere count.
    pub everywhere: bool,
    pub srcp: [Option<Value>; 4],
    pub sources: [[Option<Value>; 4]; 3],
}

const MINUS_TWO: u32 = 0xc000_0000;

impl Builder<'_> {
    /// Channel `channel` of source n as a vector over both units.
    pub(super) fn source(&mut self, context: &mut Context, n: usize, channel: usize) -> Value {
        if let Some(value) = context.sources[n][channel] {
            return value;
        }
        let source = context.alu.unit_of(channel).sources[n];
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
                    Value { operand, clean: self.is_clean(row, context.everywhere) }
                }
                SourceKind::Constant(addr) | SourceKind::Inline(addr) => {
                    let row = self.new_scratch();
                    let dst = self.row(row);
                    let op = self.op(Op::LoadConstant, Write::All);
                    (op.dst, op.aux) = (dst, 4 * addr as u16 + channel as u16);
                    self.wrote(row, false, Write::All);
                    Value { operand: Operand::row(dst), clean: false }
                }
            },
        };
        context.sources[n][channel] = Some(value);
        value
    }

    pub(super) fn uniform_value(&self, operand: Operand) -> Value {
        let clean = self.known(operand).is_some_and(|bits| {
            let bits = bits & !float::SIGN;
            float::ftz(bits) == bits && !float::is_nan(bits)
        });
        Value { operand, clean }
    }

    /// Channel `channel` of the presubtract result.
    pub(super) fn srcp(&mut self, context: &mut Context, channel: usize) -> Value {
        if let Some(value) = context.srcp[channel] {
            return value;
        }
        let Unit { presub: op, sources, .. } = *context.alu.unit_of(channel);
        let two = matches!(op, Presub::Sub | Presub::Add);
        let first = scalar(sources[0], channel);
        let second =
            if two { scalar(sources[1], channel) } else { Some(UniformScalar::Literal(0)) };
        let value = if let (Some(first), Some(second)) = (first, second) {
            let operand = self.uniform(Uniform {
                value: UniformValue::Presub(op, first, second),
                abs: false,
                neg: false,
                flush: false,
            });
            // A presubtract gives clean values for any constants.
            Value { operand, clean: true }
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
            Value { operand: Operand::row(dst), clean: true }
        };
        context.srcp[channel] = Some(value);
        value
    }

    /// The value that a channel's lane of an input reads, with the sign modifier applied.
    pub(super) fn input(&mut self, context: &mut Context, input: usize, lane: usize) -> Value {
        let (sel, swizzle, modifier) = context.alu.lane(input, lane);
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

    /// A value with a sign modifier. Uniforms absorb the modifier.
    pub(super) fn modified(&mut self, value: Value, modifier: Modifier) -> Value {
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
            // A presubtract may be a NaN. Its sign shows, so the value is no longer canonical.
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
        // The modifier changes the sign of a NaN, which is then not canonical. That matters only
        // to moves, and they require an operand without negation.
        Value { operand, ..value }
    }

    /// A value, flushed as arithmetic needs it.
    pub(super) fn flushed(&mut self, value: Value) -> Value {
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
}

/// The uniform that a source is, if any: inline constants, and constants without aL.
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
