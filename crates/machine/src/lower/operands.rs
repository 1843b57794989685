//! The operands of an instruction: sources, presubtract, inputs with their modifiers.

use super::build::Builder;
use super::rows::Row;
use super::uniform::{Uniform, UniformScalar, UniformValue, Uniforms};
use super::{Operand, Window};
use ctm_isa::float::{self, HALF, ONE};
use ctm_isa::isa::{
    Alu, Common, FieldValue, Instruction, Modifier, Presub, Register, Sel, Source, SourceKind,
    Swizzle,
};
use ctm_isa::ops::{Calc, Formula, Op};

/// An operand and the facts about its value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value {
    pub operand: Operand,
    /// Neither a denormal nor a NaN other than 0x7fffffff, before the operand's modifiers.
    pub clean: bool,
}

/// The parts of an instruction that lowering uses repeatedly.
pub(super) struct Context<'a> {
    pub instruction: &'a Instruction,
    pub common: &'a Common,
    pub alu: &'a Alu,
    /// Those of the RGB unit and the alpha unit.
    pub formulas: [Formula; 2],
    /// The instruction looks at inactive points: only facts that hold everywhere count.
    pub everywhere: bool,
    pub srcp: [Option<Value>; 4],
    pub sources: [[Option<Value>; 4]; 3],
}

const MINUS_TWO: u32 = 0xc000_0000;

impl Builder<'_> {
    /// Channel `channel` of source n as a vector over both units.
    #[inline]
    pub(super) fn source(&mut self, context: &mut Context, n: usize, channel: usize) -> Value {
        if let Some(value) = context.sources[n][channel] {
            return value;
        }
        let source = context.alu.unit_of(channel).sources[n];
        let value = match (source.kind(), scalar(source, channel)) {
            (SourceKind::Constant(n), Some(_)) => {
                Value { operand: Uniforms::constant(n, channel), clean: false }
            }
            (_, Some(scalar)) => self.uniforms.value(Uniform::of(UniformValue::Scalar(scalar))),
            (SourceKind::Temp(addr), None) => {
                match context.instruction.register(addr, source.relative) {
                    Register::Temp(addr, relative) => {
                        let place = (channel as u16, channel);
                        self.load_temp(addr, relative, place, context.everywhere)
                    }
                    Register::Global(..) => {
                        let window = Window::source(3 * (channel / 3) + n, channel);
                        let row = self.row(Row::Window(window as u16));
                        Value { operand: Operand::row(row), clean: false }
                    }
                }
            }
            (SourceKind::Constant(addr) | SourceKind::Inline(addr), None) => {
                let number = 4 * u16::from(addr) + channel as u16;
                self.scratch(Op::LoadConstant, channel, &[], number, false)
            }
        };
        context.sources[n][channel] = Some(value);
        value
    }

    /// Channel `channel` of the presubtract result.
    pub(super) fn srcp(&mut self, context: &mut Context, channel: usize) -> Value {
        if let Some(value) = context.srcp[channel] {
            return value;
        }
        let unit = context.alu.unit_of(channel);
        let (op, sources) = (unit.presub, &unit.sources);
        let first = scalar(sources[0], channel);
        let second = if op.sources() == 2 {
            scalar(sources[1], channel)
        } else {
            Some(UniformScalar::Literal(0))
        };
        let value = if let (Some(first), Some(second)) = (first, second) {
            let uniform = Uniform::of(UniformValue::Presub(op, first, second));
            // A presubtract gives clean values for any constants.
            Value { operand: self.uniforms.operand(uniform), clean: true }
        } else {
            let src0 = self.source(context, 0, channel);
            let src0 = self.flushed(src0);
            let negated = self.modified(src0, Modifier::Neg).operand;
            let one = self.uniforms.operand(Uniform::literal(ONE));
            let first = match op {
                Presub::Bias => self.uniforms.operand(Uniform::literal(MINUS_TWO)),
                Presub::Inv => one,
                Presub::Sub | Presub::Add => {
                    let src1 = self.source(context, 1, channel);
                    self.flushed(src1).operand
                }
            };
            let (calc, operands): (Calc, &[Operand]) = match op {
                Presub::Bias => (Calc::Mad, &[first, src0.operand, one]),
                Presub::Sub | Presub::Inv => (Calc::Add, &[first, negated]),
                Presub::Add => (Calc::Add, &[first, src0.operand]),
            };
            self.scratch(calc, channel, operands, 0, true)
        };
        context.srcp[channel] = Some(value);
        value
    }

    /// The value that an input of the unit of a lane reads, with the sign modifier applied.
    pub(super) fn input(&mut self, context: &mut Context, input: usize, lane: usize) -> Value {
        let (sel, swizzle, modifier) = context.alu.lane(input, lane);
        let literal = |bits| Err(Uniform::literal(bits));
        let channel = match swizzle {
            Swizzle::R => Ok(0),
            Swizzle::G => Ok(1),
            Swizzle::B => Ok(2),
            Swizzle::A => Ok(3),
            Swizzle::Half => literal(HALF),
            Swizzle::One => literal(ONE),
            Swizzle::Zero | Swizzle::Unused => literal(0),
        };
        let value = match (channel, sel) {
            (Err(literal), _) => self.uniforms.value(literal),
            (Ok(channel), Sel::Srcp) => self.srcp(context, channel),
            (Ok(channel), sel) => self.source(context, sel.code() as usize, channel),
        };
        self.modified(value, modifier)
    }

    /// A value with a sign modifier. Uniforms absorb the modifier.
    #[inline]
    pub(super) fn modified(&mut self, value: Value, modifier: Modifier) -> Value {
        if modifier == Modifier::Nop { value } else { self.with_sign(value, modifier) }
    }

    fn with_sign(&mut self, value: Value, modifier: Modifier) -> Value {
        let (abs, neg) = match modifier {
            Modifier::Nop => (false, false),
            Modifier::Neg => (false, true),
            Modifier::Abs => (true, false),
            Modifier::Nab => (true, true),
        };
        if value.operand.is_uniform() {
            let mut uniform = self.uniforms.at(value.operand);
            uniform.neg = if abs { neg } else { uniform.neg != neg };
            uniform.abs |= abs;
            let modified = self.uniforms.value(uniform);
            // A presubtract may be a NaN. Its sign shows, so the value is no longer canonical.
            return Value { clean: value.clean && (!neg || modified.clean), ..modified };
        }
        let mut bits = value.operand.0;
        if abs {
            bits = bits & !Operand::NEG | Operand::ABS;
        }
        if neg {
            bits ^= Operand::NEG;
        }
        // The modifier changes the sign of a NaN, which is then not canonical. That matters only
        // to moves, and they require an operand without negation.
        Value { operand: Operand(bits), ..value }
    }

    /// A value, flushed as arithmetic needs it.
    #[inline]
    pub(super) fn flushed(&mut self, value: Value) -> Value {
        if value.clean {
            return value;
        }
        let operand = if value.operand.is_uniform() {
            self.uniforms.flushed(value.operand)
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
