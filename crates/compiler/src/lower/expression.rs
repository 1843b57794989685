//! Expressions.

use super::{Frame, Pointer, Refused, Value, Walker};
use ctm_codegen::graph::{Id, Op};
use ctm_isa::arithmetic::Arithmetic;
use naga::{
    DerivativeAxis, Expression, Handle, Literal, ScalarKind, SwizzleComponent, TypeInner,
    UnaryOperator,
};
use std::rc::Rc;

impl<'m> Walker<'m, '_> {
    /// The value of an expression that has been emitted, or needs no statement.
    pub(super) fn value(
        &mut self,
        frame: &mut Frame<'m>,
        handle: Handle<Expression>,
    ) -> Result<Value, Refused> {
        match &frame.values[handle.index()] {
            Some(value) => Ok(value.clone()),
            None => self.evaluate(frame, handle),
        }
    }

    /// The scalars of an expression.
    pub(super) fn scalars_of(
        &mut self,
        frame: &mut Frame<'m>,
        handle: Handle<Expression>,
    ) -> Result<Rc<[Id]>, Refused> {
        match self.value(frame, handle)? {
            Value::Scalars(value) => Ok(value),
            Value::Pointer(pointer) => Ok(self.load(&pointer)?.into()),
            Value::Element(element) => Ok(self.load_element(&element)?.into()),
            Value::Image(_) | Value::Sampler | Value::Buffer(_) => {
                self.refuse("a resource is no value")
            }
        }
    }

    /// The only scalar of an expression.
    pub(super) fn scalar_of(
        &mut self,
        frame: &mut Frame<'m>,
        handle: Handle<Expression>,
    ) -> Result<Id, Refused> {
        let value = self.scalars_of(frame, handle)?;
        match value.first() {
            Some(id) => Ok(*id),
            None => self.refuse("a value without numbers"),
        }
    }

    /// Components of a vector. naga does not count them.
    fn swizzled(&self, vector: &[Id], pattern: &[SwizzleComponent]) -> Result<Vec<Id>, Refused> {
        let part = |n: &SwizzleComponent| vector.get(*n as usize).copied();
        match pattern.iter().map(part).collect() {
            Some(components) => Ok(components),
            None => self.refuse("the value has no such component"),
        }
    }

    /// A constant expression of the module.
    pub(super) fn constant(&mut self, handle: Handle<Expression>) -> Result<Vec<Id>, Refused> {
        self.step()?;
        let module = self.module;
        match &module.global_expressions[handle] {
            Expression::Literal(literal) => Ok(vec![self.literal(*literal)?]),
            Expression::Constant(constant) => self.constant(module.constants[*constant].init),
            Expression::Override(handle) => match module.overrides[*handle].init {
                Some(init) => self.constant(init),
                None => self.refuse("an override without a value"),
            },
            Expression::ZeroValue(ty) => {
                let zero = self.graph.number(0.0);
                Ok(vec![zero; self.size_of(*ty)?])
            }
            Expression::Compose { components, ty } => {
                let mut value = Vec::new();
                for component in components {
                    value.extend(self.constant(*component)?);
                }
                let size = self.size_of(*ty)?;
                Ok(if value.len() > size { value[..size].to_vec() } else { value })
            }
            Expression::Splat { size, value } => {
                let value = self.constant(*value)?;
                Ok(vec![value[0]; *size as usize])
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.constant(*vector)?;
                self.swizzled(&vector, &pattern[..*size as usize])
            }
            Expression::Unary { op: UnaryOperator::Negate, expr } => {
                let value = self.constant(*expr)?;
                Ok(value.into_iter().map(|id| self.graph.neg(id)).collect())
            }
            _ => self.refuse("this constant expression is not possible"),
        }
    }

    fn literal(&mut self, literal: Literal) -> Result<Id, Refused> {
        let whole = match literal {
            Literal::I32(value) => value.into(),
            Literal::U32(value) => value.into(),
            _ => 0_i64,
        };
        if whole as f32 as i64 != whole {
            self.note(
                "integers are floats, exact up to 2^24: larger ones are rounded, and do not begin again at 0 above 2^32",
            );
        }
        let value = match literal {
            Literal::F32(value) => value,
            Literal::F16(value) => value.to_f32(),
            Literal::I32(value) => value as f32,
            Literal::U32(value) => value as f32,
            Literal::Bool(value) => f32::from(value),
            Literal::AbstractInt(value) => value as f32,
            Literal::AbstractFloat(value) => value as f32,
            Literal::I64(value) => value as f32,
            Literal::U64(value) => value as f32,
            Literal::I16(value) => value.into(),
            Literal::U16(value) => value.into(),
            Literal::F64(_) => return self.refuse("the machine has no double"),
        };
        Ok(self.graph.number(value))
    }

    /// Evaluates an expression.
    pub(super) fn evaluate(
        &mut self,
        frame: &mut Frame<'m>,
        handle: Handle<Expression>,
    ) -> Result<Value, Refused> {
        let value = self.evaluated(frame, handle)?;
        if let (Value::Scalars(scalars), TypeInner::Vector { .. }) =
            (&value, self.type_of(frame, handle))
        {
            self.graph.vector(scalars);
        }
        Ok(value)
    }

    fn evaluated(
        &mut self,
        frame: &mut Frame<'m>,
        handle: Handle<Expression>,
    ) -> Result<Value, Refused> {
        let module = self.module;
        let function = frame.function;
        let value = match &function.expressions[handle] {
            Expression::Literal(literal) => vec![self.literal(*literal)?],
            Expression::Constant(constant) => self.constant(module.constants[*constant].init)?,
            Expression::Override(handle) => match module.overrides[*handle].init {
                Some(init) => self.constant(init)?,
                None => return self.refuse("an override without a value"),
            },
            Expression::ZeroValue(ty) => {
                let zero = self.graph.number(0.0);
                vec![zero; self.size_of(*ty)?]
            }
            Expression::Compose { ty, components } => {
                let mut value = Vec::new();
                for component in components {
                    value.extend_from_slice(&self.scalars_of(frame, *component)?);
                }
                value.truncate(self.size_of(*ty)?);
                value
            }
            Expression::Access { base, index } => return self.access(frame, *base, *index),
            Expression::AccessIndex { base, index } => {
                let inner = self.type_of(frame, *base).clone();
                let value = self.value(frame, *base)?;
                if let Value::Buffer(buffer) = value {
                    let index = self.graph.number(*index as f32);
                    return self.element_of(buffer, index);
                }
                let (offset, size) = self.part(&inner, *index as usize)?;
                match value {
                    Value::Element(element) => {
                        return Ok(Value::Element(element.part(offset, size)));
                    }
                    Value::Scalars(value) => match value.get(offset..offset + size) {
                        Some(part) => part.to_vec(),
                        None => return self.refuse("the value has no such part"),
                    },
                    Value::Pointer(pointer) => {
                        let pointer =
                            Pointer { base: pointer.base + offset, size, indices: pointer.indices };
                        return Ok(Value::Pointer(pointer));
                    }
                    Value::Image(_) | Value::Sampler | Value::Buffer(_) => {
                        return self.refuse("arrays of textures are not possible");
                    }
                }
            }
            Expression::Splat { size, value } => {
                vec![self.scalar_of(frame, *value)?; *size as usize]
            }
            Expression::Swizzle { size, vector, pattern } => {
                let vector = self.scalars_of(frame, *vector)?;
                self.swizzled(&vector, &pattern[..*size as usize])?
            }
            Expression::FunctionArgument(n) => return Ok(frame.arguments[*n as usize].clone()),
            Expression::GlobalVariable(handle) => match self.globals.get(handle) {
                Some(value) => return Ok(value.clone()),
                None => return self.refuse("this variable is not available"),
            },
            Expression::LocalVariable(handle) => {
                let variable = &function.local_variables[*handle];
                let size = self.size_of(variable.ty)?;
                let pointer =
                    Pointer { base: frame.locals[handle.index()], size, indices: Vec::new() };
                return Ok(Value::Pointer(pointer));
            }
            Expression::Load { pointer } => match self.value(frame, *pointer)? {
                Value::Pointer(pointer) => self.load(&pointer)?,
                Value::Element(element) => self.load_element(&element)?,
                value => return Ok(value),
            },
            Expression::ImageSample {
                image,
                coordinate,
                array_index: None,
                offset,
                level,
                depth_ref: None,
                gather: None,
                ..
            } => {
                let image = self.image(frame, *image)?;
                let coordinate = self.scalars_of(frame, *coordinate)?;
                if !matches!(level, naga::SampleLevel::Auto | naga::SampleLevel::Zero) {
                    self.note("the machine has no levels of detail: the level has no effect");
                }
                match offset {
                    Some(offset) => {
                        let offset = self.constant_or(frame, *offset)?;
                        self.offset_fetch(
                            image,
                            [coordinate[0], coordinate[1]],
                            [offset[0], offset[1]],
                        )
                    }
                    None => self.sample(image, [coordinate[0], coordinate[1]], false),
                }
            }
            Expression::ImageLoad {
                image, coordinate, array_index: None, sample: None, ..
            } => {
                let image = self.image(frame, *image)?;
                let coordinate = self.scalars_of(frame, *coordinate)?;
                self.element(image, [coordinate[0], coordinate[1]])
            }
            Expression::ImageQuery { image, query: naga::ImageQuery::Size { .. } } => {
                let image = self.image(frame, *image)?;
                self.texture_size(image).to_vec()
            }
            Expression::Unary { op, expr } => {
                let kind = self.kind(self.type_of(frame, *expr));
                let value = self.scalars_of(frame, *expr)?;
                match op {
                    UnaryOperator::Negate => value.iter().map(|id| self.graph.neg(*id)).collect(),
                    UnaryOperator::LogicalNot => {
                        value.iter().map(|id| self.graph.not(*id)).collect()
                    }
                    UnaryOperator::BitwiseNot if kind == ScalarKind::Bool => {
                        value.iter().map(|id| self.graph.not(*id)).collect()
                    }
                    UnaryOperator::BitwiseNot if kind == ScalarKind::Sint => {
                        let minus = self.graph.number(-1.0);
                        value.iter().map(|id| self.graph.sub(minus, *id)).collect()
                    }
                    UnaryOperator::BitwiseNot => {
                        return self.refuse("`~` of an unsigned integer is above 2^24: integers are exact up to there");
                    }
                }
            }
            Expression::Binary { op, left, right } => {
                let inner = [*left, *right].map(|side| self.type_of(frame, side).clone());
                let left = self.scalars_of(frame, *left)?;
                let right = self.scalars_of(frame, *right)?;
                {
                    let value = self.functions().binary(*op, &inner, &left, &right);
                    self.possible(value)?
                }
            }
            Expression::Select { condition, accept, reject } => {
                let condition = self.scalars_of(frame, *condition)?;
                let accept = self.scalars_of(frame, *accept)?;
                let reject = self.scalars_of(frame, *reject)?;
                let condition = |n: usize| condition[if condition.len() == 1 { 0 } else { n }];
                (0..accept.len())
                    .map(|n| self.graph.select(condition(n), accept[n], reject[n]))
                    .collect()
            }
            Expression::Derivative { axis, expr, .. } => {
                let value = self.scalars_of(frame, *expr)?;
                value.iter().map(|id| self.derivative(*axis, *id)).collect()
            }
            Expression::Relational { fun, argument } => {
                let value = self.scalars_of(frame, *argument)?;
                self.functions().relational(*fun, &value)
            }
            Expression::Math { fun, arg, arg1, arg2, arg3 } => {
                let kind = self.kind(self.type_of(frame, *arg));
                let inner = self.type_of(frame, *arg).clone();
                let mut arguments = Vec::new();
                for argument in [Some(*arg), *arg1, *arg2, *arg3].into_iter().flatten() {
                    arguments.push(self.scalars_of(frame, argument)?);
                }
                {
                    let value = self.functions().math(*fun, kind, &inner, &arguments);
                    self.possible(value)?
                }
            }
            Expression::As { expr, kind, convert } => {
                // A constant that is infinite or no number.
                if let (None, Expression::Literal(Literal::U32(bits)), ScalarKind::Float) =
                    (convert, &function.expressions[*expr], kind)
                {
                    return Ok(Self::scalars_value(vec![self.graph.number(f32::from_bits(*bits))]));
                }
                let from = self.kind(self.type_of(frame, *expr));
                let value = self.scalars_of(frame, *expr)?;
                if convert.is_none() && from != *kind {
                    let [from, to] = [from, *kind].map(named);
                    return self.refuse(format!(
                        "the machine cannot read the bits of {from} as those of {to}: expected a \
                         conversion of the number"
                    ));
                }
                value.iter().map(|id| self.functions().convert(from, *kind, *id)).collect()
            }
            Expression::CallResult(_) => {
                return self.refuse("the result of a call that did not run");
            }
            Expression::ImageSample { .. }
            | Expression::ImageLoad { .. }
            | Expression::ImageQuery { .. } => {
                return self.refuse("this access to a texture is not possible");
            }
            Expression::ArrayLength(buffer) => match self.value(frame, *buffer)? {
                Value::Buffer(buffer) => vec![self.elements_of(buffer)?],
                _ => return self.refuse("expected a storage buffer"),
            },
            Expression::AtomicResult { .. }
            | Expression::WorkGroupUniformLoadResult { .. }
            | Expression::RayQueryVertexPositions { .. }
            | Expression::RayQueryProceedResult
            | Expression::RayQueryGetIntersection { .. }
            | Expression::SubgroupBallotResult
            | Expression::SubgroupOperationResult { .. }
            | Expression::CooperativeLoad { .. }
            | Expression::CooperativeMultiplyAdd { .. } => {
                return self.refuse("the machine has nothing for this expression");
            }
        };
        Ok(Self::scalars_value(value))
    }

    fn constant_or(
        &mut self,
        frame: &mut Frame<'m>,
        handle: Handle<Expression>,
    ) -> Result<Rc<[Id]>, Refused> {
        // The offset of a fetch is an expression of the module.
        match self.module.global_expressions.try_get(handle) {
            Ok(_) => Ok(self.constant(handle)?.into()),
            Err(_) => self.scalars_of(frame, handle),
        }
    }

    fn image(&mut self, frame: &mut Frame<'m>, handle: Handle<Expression>) -> Result<u8, Refused> {
        match self.value(frame, handle)? {
            Value::Image(image) => Ok(image),
            _ => self.refuse("expected a texture"),
        }
    }

    fn access(
        &mut self,
        frame: &mut Frame<'m>,
        base: Handle<Expression>,
        index: Handle<Expression>,
    ) -> Result<Value, Refused> {
        let inner = self.type_of(frame, base).clone();
        let index = self.scalar_of(frame, index)?;
        if let Value::Buffer(buffer) = self.value(frame, base)? {
            return self.element_of(buffer, index);
        }
        let (count, size) = self.parts(&inner)?;
        // An index out of range is undefined; the nearest element is as good as any.
        let known = self.graph.value(index).map(|value| (value.max(0.0) as usize).min(count - 1));
        match (self.value(frame, base)?, known) {
            (Value::Scalars(value), Some(n)) => {
                Ok(Self::scalars_value(value[n * size..(n + 1) * size].to_vec()))
            }
            (Value::Scalars(value), None) => {
                if let Some(value) = self.array(&[(index, count, size)], size, &value) {
                    return Ok(Self::scalars_value(value));
                }
                self.affordable(count, size)?;
                let mut chosen = value[..size].to_vec();
                for n in 1..count {
                    chosen = self.choose(index, n, &chosen, &value[n * size..(n + 1) * size]);
                }
                Ok(Self::scalars_value(chosen))
            }
            (Value::Pointer(pointer), Some(n)) => {
                let base = pointer.base + n * size;
                Ok(Value::Pointer(Pointer { base, size, indices: pointer.indices }))
            }
            (Value::Pointer(mut pointer), None) => {
                pointer.indices.push((index, count, size));
                Ok(Value::Pointer(Pointer { size, ..pointer }))
            }
            (Value::Element(element), Some(n)) => Ok(Value::Element(element.part(n * size, size))),
            (Value::Element(element), None) => {
                let value = self.load_element(&element)?;
                let mut chosen = value[..size].to_vec();
                for n in 1..count {
                    chosen = self.choose(index, n, &chosen, &value[n * size..(n + 1) * size]);
                }
                Ok(Self::scalars_value(chosen))
            }
            (Value::Image(_) | Value::Sampler | Value::Buffer(_), _) => {
                self.refuse("arrays of textures are not possible")
            }
        }
    }

    fn derivative(&mut self, axis: DerivativeAxis, id: Id) -> Id {
        match axis {
            DerivativeAxis::X => self.difference(Op::Dx, id),
            DerivativeAxis::Y => self.difference(Op::Dy, id),
            DerivativeAxis::Width => {
                let [x, y] = [Op::Dx, Op::Dy].map(|op| {
                    let difference = self.difference(op, id);
                    self.graph.abs(difference)
                });
                self.graph.add(x, y)
            }
        }
    }

    fn difference(&mut self, op: Op, id: Id) -> Id {
        match self.graph.op(id) {
            Op::Literal(_) | Op::Uniform(_) | Op::Array(_) => self.graph.number(0.0),
            Op::Neg => {
                let inner = self.graph.arg(id, 0);
                let difference = self.difference(op, inner);
                self.graph.neg(difference)
            }
            _ => self.graph.intern(op, &[id]),
        }
    }
}

/// A kind of numbers, in messages.
fn named(kind: ScalarKind) -> &'static str {
    match kind {
        ScalarKind::Sint | ScalarKind::AbstractInt => "a signed integer",
        ScalarKind::Uint => "an unsigned integer",
        ScalarKind::Float | ScalarKind::AbstractFloat => "a float",
        ScalarKind::Bool => "a boolean",
    }
}
