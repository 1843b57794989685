//! Expressions, and functions on samplers.

use super::{Frame, Machine, Pointer, Value};
use ctm_functions::number::{Number, Numbers};
use ctm_glsl::{Detail, Texture};
use ctm_isa::arithmetic::{Arithmetic, Operations};
use ctm_isa::float;
use naga::{Expression, Handle, Literal, ScalarKind, UnaryOperator};
use std::rc::Rc;

impl<'m> Machine<'m, '_> {
    /// A function on a sampler.
    pub(super) fn sampling(
        &mut self,
        texture: Texture,
        values: &[Value],
    ) -> Result<Vec<Number>, String> {
        let mut scalars = Vec::new();
        for value in values {
            scalars.push(self.loaded(value.clone()));
        }
        let sampler = f32::from_bits(scalars[0][0].bits) as usize;
        let sampler = self.samplers.get(sampler).ok_or("a sampler that is no uniform")?.clone();
        let size = self.environment.size(&sampler).map(|size| (size as f32).to_bits());
        let size = size.map(Number::given);
        let numbers = &mut Numbers;
        let pair = |n: usize| [scalars[n][0], scalars[n][1]];
        let moved = |numbers: &mut Numbers, at: [Number; 2], by: [Number; 2]| {
            [0, 1].map(|axis| numbers.add(at[axis], by[axis]))
        };
        let at = match texture {
            Texture::Size => return Ok(size.to_vec()),
            Texture::Fetch { offset: false } => pair(1),
            Texture::Fetch { offset: true } => moved(numbers, pair(1), pair(scalars.len() - 1)),
            Texture::Sample { projected, unscaled, offset, detail } => {
                let mut at = pair(1);
                if projected {
                    let factor = numbers.rcp(scalars[1][scalars[1].len() - 1]);
                    at = at.map(|axis| numbers.mul(axis, factor));
                }
                if !unscaled {
                    at = [0, 1].map(|axis| numbers.mul(at[axis], size[axis]));
                }
                match (offset, detail) {
                    (false, _) => at,
                    (true, Detail::None | Detail::Bias) => moved(numbers, at, pair(2)),
                    (true, Detail::Level) => moved(numbers, at, pair(3)),
                    (true, Detail::Gradients) => moved(numbers, at, pair(4)),
                }
            }
        };
        // Another element within the error leaves the result open.
        let sure = at.iter().all(|axis| {
            let at = f64::from(f32::from_bits(axis.bits));
            (at - axis.error).floor() == (at + axis.error).floor()
        });
        let [x, y] = at.map(|axis| float::texel_index(axis.bits));
        let texel = self.environment.fetch(&sampler, x, y).map(Number::given);
        let open =
            |number: Number| if sure { number } else { Number { error: f64::INFINITY, ..number } };
        Ok(texel.map(open).to_vec())
    }

    pub(super) fn value(
        &mut self,
        frame: &mut Frame<'m>,
        handle: Handle<Expression>,
    ) -> Result<Value, String> {
        match &frame.values[handle.index()] {
            Some(value) => Ok(value.clone()),
            None => self.evaluate(frame, handle),
        }
    }

    pub(super) fn loaded(&self, value: Value) -> Rc<[Number]> {
        match value {
            Value::Scalars(value) => value,
            Value::Pointer(place) => self.memory[place.base..place.base + place.size].into(),
        }
    }

    pub(super) fn scalars(
        &mut self,
        frame: &mut Frame<'m>,
        handle: Handle<Expression>,
    ) -> Result<Rc<[Number]>, String> {
        let value = self.value(frame, handle)?;
        Ok(self.loaded(value))
    }

    pub(super) fn scalar(
        &mut self,
        frame: &mut Frame<'m>,
        handle: Handle<Expression>,
    ) -> Result<Number, String> {
        self.scalars(frame, handle)?.first().copied().ok_or("a value without numbers".into())
    }

    fn literal(literal: Literal) -> Result<Number, String> {
        let value = match literal {
            Literal::F32(value) => value,
            Literal::I32(value) => value as f32,
            Literal::U32(value) => value as f32,
            Literal::Bool(value) => f32::from(value),
            _ => return Err(format!("a literal that the evaluator does not know: {literal:?}")),
        };
        Ok(Numbers.number(value))
    }

    /// A constant expression of the module.
    pub(super) fn constant(&mut self, handle: Handle<Expression>) -> Result<Vec<Number>, String> {
        self.step()?;
        let module = self.module;
        match &module.global_expressions[handle] {
            Expression::Literal(literal) => Ok(vec![Self::literal(*literal)?]),
            Expression::Constant(constant) => self.constant(module.constants[*constant].init),
            Expression::ZeroValue(ty) => Ok(vec![Numbers.number(0.0); self.size_of(*ty)?]),
            Expression::Compose { components, ty } => {
                let mut value = Vec::new();
                for component in components {
                    value.extend(self.constant(*component)?);
                }
                value.truncate(self.size_of(*ty)?);
                Ok(value)
            }
            Expression::Splat { size, value } => {
                Ok(vec![self.constant(*value)?[0]; *size as usize])
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.constant(*vector)?;
                Ok(pattern[..*size as usize].iter().map(|n| vector[*n as usize]).collect())
            }
            Expression::Unary { op: UnaryOperator::Negate, expr } => {
                let value = self.constant(*expr)?;
                Ok(value.into_iter().map(|number| Numbers.neg(number)).collect())
            }
            expression => {
                Err(format!("a constant that the evaluator does not know: {expression:?}"))
            }
        }
    }

    pub(super) fn evaluate(
        &mut self,
        frame: &mut Frame<'m>,
        handle: Handle<Expression>,
    ) -> Result<Value, String> {
        let module = self.module;
        let function = frame.function;
        let numbers = &mut Numbers;
        let value: Vec<Number> = match &function.expressions[handle] {
            Expression::Literal(literal) => vec![Self::literal(*literal)?],
            Expression::Constant(constant) => self.constant(module.constants[*constant].init)?,
            Expression::ZeroValue(ty) => vec![numbers.number(0.0); self.size_of(*ty)?],
            Expression::Compose { ty, components } => {
                let mut value = Vec::new();
                for component in components {
                    value.extend_from_slice(&self.scalars(frame, *component)?);
                }
                value.truncate(self.size_of(*ty)?);
                value
            }
            Expression::Access { base, index } => {
                let index = self.scalar(frame, *index)?;
                self.doubtful |= index.error != 0.0;
                let (count, size) = self.parts(self.type_of(frame, *base))?;
                // Of an index out of range, the nearest element.
                let n = (f32::from_bits(index.bits).max(0.0) as usize).min(count - 1);
                return self.within(frame, *base, Pointer { base: n * size, size });
            }
            Expression::AccessIndex { base, index } => {
                let part = self.part(self.type_of(frame, *base), *index as usize)?;
                return self.within(frame, *base, part);
            }
            Expression::Splat { size, value } => {
                vec![self.scalar(frame, *value)?; *size as usize]
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.scalars(frame, *vector)?;
                pattern[..*size as usize].iter().map(|n| vector[*n as usize]).collect()
            }
            Expression::FunctionArgument(n) => return Ok(frame.arguments[*n as usize].clone()),
            Expression::GlobalVariable(handle) => return Ok(Value::Pointer(self.globals[handle])),
            Expression::LocalVariable(handle) => {
                return Ok(Value::Pointer(frame.locals[handle.index()]));
            }
            Expression::Load { pointer } => self.scalars(frame, *pointer)?.to_vec(),
            Expression::Unary { op, expr } => {
                let kind = self.kind(self.type_of(frame, *expr));
                let value = self.scalars(frame, *expr)?;
                let one = |number: &Number| match (op, kind) {
                    (UnaryOperator::Negate, _) => Ok(Numbers.neg(*number)),
                    (UnaryOperator::LogicalNot, _)
                    | (UnaryOperator::BitwiseNot, ScalarKind::Bool) => Ok(Numbers.not(*number)),
                    (UnaryOperator::BitwiseNot, ScalarKind::Sint) => {
                        let minus = Numbers.number(-1.0);
                        Ok(Numbers.sub(minus, *number))
                    }
                    (UnaryOperator::BitwiseNot, _) => Err("an operation on bits".to_string()),
                };
                value.iter().map(one).collect::<Result<_, _>>()?
            }
            Expression::Binary { op, left, right } => {
                let inner = [*left, *right].map(|side| self.type_of(frame, side).clone());
                let left = self.scalars(frame, *left)?;
                let right = self.scalars(frame, *right)?;
                Self::functions(numbers).binary(*op, &inner, &left, &right)?
            }
            Expression::Select { condition, accept, reject } => {
                let condition = self.scalars(frame, *condition)?;
                let accept = self.scalars(frame, *accept)?;
                let reject = self.scalars(frame, *reject)?;
                let condition = |n: usize| condition[if condition.len() == 1 { 0 } else { n }];
                (0..accept.len())
                    .map(|n| numbers.select(condition(n), accept[n], reject[n]))
                    .collect()
            }
            Expression::Relational { fun, argument } => {
                let value = self.scalars(frame, *argument)?;
                Self::functions(numbers).relational(*fun, &value)
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let inner = self.type_of(frame, *arg).clone();
                let mut arguments = Vec::new();
                for argument in [Some(*arg), *arg1, *arg2, *arg3].into_iter().flatten() {
                    arguments.push(self.scalars(frame, argument)?);
                }
                Self::functions(numbers).math(*fun, self.kind(&inner), &inner, &arguments)?
            }
            Expression::As { expr, kind: ScalarKind::Float, convert: None }
                if matches!(function.expressions[*expr], Expression::Literal(Literal::U32(_))) =>
            {
                // A constant that is infinite or no number.
                let Expression::Literal(Literal::U32(bits)) = function.expressions[*expr] else {
                    return Err("a constant without bits".into());
                };
                vec![Numbers.number(f32::from_bits(bits))]
            }
            Expression::As { expr, kind, convert: Some(_) } => {
                let from = self.kind(self.type_of(frame, *expr));
                let value = self.scalars(frame, *expr)?;
                let mut functions = Self::functions(numbers);
                value.iter().map(|number| functions.convert(from, *kind, *number)).collect()
            }
            expression => {
                return Err(format!(
                    "an expression that the evaluator does not know: {expression:?}"
                ));
            }
        };
        Ok(Value::Scalars(value.into()))
    }

    /// A part of a value or of a place.
    fn within(
        &mut self,
        frame: &mut Frame<'m>,
        base: Handle<Expression>,
        part: Pointer,
    ) -> Result<Value, String> {
        Ok(match self.value(frame, base)? {
            Value::Scalars(value) => Value::Scalars(value[part.base..part.base + part.size].into()),
            Value::Pointer(place) => {
                Value::Pointer(Pointer { base: place.base + part.base, size: part.size })
            }
        })
    }
}
