//! Built-in functions by naga's operations.

use super::Checker;
use super::lower;
use super::operand::Operand;
use crate::ast::Binary;
use crate::builtins::{Detail, Meaning, NO_BITS, Texture};
use crate::constant::{self, Value};
use crate::types::{Scalar, Type};
use ctm_base::text::Span;
use naga::{
    BinaryOperator, Block, Expression, Function, FunctionArgument, FunctionResult, Handle, Literal,
    MathFunction, PredeclaredType, Statement, UnaryOperator,
};

impl Checker<'_> {
    /// The value of a built-in function, and that of its `out` argument. The operands are the others.
    pub fn built_in(
        &mut self,
        meaning: Meaning,
        name: &str,
        operands: Vec<Operand>,
        result: Type,
        span: Span,
    ) -> (Operand, Option<Operand>) {
        // GLSL 1.10 has no constant expressions with functions.
        let constant = self.version.has(100, 120) || self.version.guessed;
        if let Meaning::Texture(texture) = meaning {
            self.offset_is_constant(texture, &operands);
        }
        if let Some(known) = Self::all_known(&operands).filter(|_| constant)
            && let Some((value, second)) = constant::call(meaning, &known, &result)
        {
            let second = second.map(|second| Operand::constant(span, second));
            return (Operand::constant(span, value), second);
        }
        let types: Vec<Type> = operands.iter().map(|operand| operand.ty.clone()).collect();
        let handles: Vec<Handle<Expression>> =
            operands.iter().map(|operand| self.handle(operand)).collect();
        let Some((first, shape)) = handles.first().copied().zip(types.first()) else {
            let zero = Value::zero(&result);
            return (zero.map_or(Operand::error(span), |zero| Operand::constant(span, zero)), None);
        };
        let second = handles.get(1).copied().unwrap_or(first);
        let value = match meaning {
            Meaning::Math(function) => {
                let arguments = self.spread(function, &handles, &types, span);
                self.math(function, &arguments, span)
            }
            Meaning::OfScalars(function) => self.of_scalars(function, &handles, &result, span),
            Meaning::Relational(fun) => {
                self.body.evaluate(Expression::Relational { fun, argument: first }, span)
            }
            Meaning::Compare(op) => self.compare(op, first, second, span),
            Meaning::Not => {
                let op = UnaryOperator::LogicalNot;
                self.body.evaluate(Expression::Unary { op, expr: first }, span)
            }
            Meaning::Modulo => {
                let divisor = self.as_large(second, types.get(1), shape, span);
                let ratio = self.pair(BinaryOperator::Divide, first, divisor, span);
                let floor = self.math(MathFunction::Floor, &[ratio], span);
                let product = self.pair(BinaryOperator::Multiply, floor, divisor, span);
                self.pair(BinaryOperator::Subtract, first, product, span)
            }
            Meaning::Modf => {
                let whole = self.math(MathFunction::Trunc, &[first], span);
                let rest = self.pair(BinaryOperator::Subtract, first, whole, span);
                let whole = Operand::value(result.clone(), span, whole);
                return (Operand::value(result, span, rest), Some(whole));
            }
            Meaning::Frexp => {
                let size = match shape {
                    Type::Vector(_, count) => Some(lower::size(*count)),
                    _ => None,
                };
                let scalar = naga::Scalar::F32;
                self.module
                    .generate_predeclared_type(PredeclaredType::FrexpResult { size, scalar });
                let both = self.math(MathFunction::Frexp, &[first], span);
                let [fraction, exponent] = [0, 1].map(|n| self.part(both, n, span));
                let exponent = Operand::value(result.with_scalar(Scalar::Int), span, exponent);
                return (Operand::value(result, span, fraction), Some(exponent));
            }
            Meaning::Select => {
                let condition = handles.get(2).copied().unwrap_or(first);
                let select = Expression::Select { condition, accept: second, reject: first };
                self.body.evaluate(select, span)
            }
            Meaning::MultiplyComponents => {
                let components = (0..result.parts().and_then(|(count, _)| count).unwrap_or(0))
                    .map(|n| {
                        let [a, b] = [first, second].map(|side| self.part(side, n, span));
                        self.pair(BinaryOperator::Multiply, a, b, span)
                    })
                    .collect();
                let ty = self.lower(&result);
                self.body.evaluate(Expression::Compose { ty, components }, span)
            }
            Meaning::Bits => {
                let kind = lower::kind(result.scalar().unwrap_or(Scalar::Float));
                self.body.evaluate(Expression::As { expr: first, kind, convert: None }, span)
            }
            Meaning::Derivative(axis, ctrl) => {
                self.body.evaluate(Expression::Derivative { axis, ctrl, expr: first }, span)
            }
            Meaning::Zero => {
                let ty = self.lower(&result);
                self.body.known(Expression::ZeroValue(ty), span)
            }
            Meaning::Texture(texture) => {
                return (self.texture(texture, &handles, &types, result, span), None);
            }
            Meaning::Pack(_) | Meaning::Unpack(_) => {
                let error = span.error(format!("the machine can do `{name}` of constants only"));
                self.found.error(error.help(NO_BITS));
                return (Operand { ty: result, ..Operand::error(span) }, None);
            }
            Meaning::Impossible(why) => {
                self.found.error(span.error(format!("the machine cannot do `{name}`")).help(why));
                return (Operand { ty: result, ..Operand::error(span) }, None);
            }
            Meaning::OuterProduct => {
                let components = (0..result.parts().and_then(|(count, _)| count).unwrap_or(0))
                    .map(|n| {
                        let factor = self.part(second, n, span);
                        self.pair(BinaryOperator::Multiply, first, factor, span)
                    })
                    .collect();
                let ty = self.lower(&result);
                self.body.evaluate(Expression::Compose { ty, components }, span)
            }
        };
        (Operand::value(result, span, value), None)
    }

    /// The offset of a fetch is a constant expression.
    fn offset_is_constant(&mut self, texture: Texture, operands: &[Operand]) {
        let at = match texture {
            Texture::Fetch { offset: true } => operands.len() - 1,
            Texture::Sample { offset: true, detail, .. } => match detail {
                Detail::None | Detail::Bias => 2,
                Detail::Level => 3,
                Detail::Gradients => 4,
            },
            Texture::Fetch { .. } | Texture::Sample { .. } | Texture::Size => return,
        };
        if let Some(offset) = operands.get(at)
            && offset.known().is_none()
        {
            let error = offset.span.error("the offset of a fetch must be a constant expression");
            self.found
                .error(error.help("add it to the coordinates: `texelFetch` takes whole ones"));
        }
    }

    /// A function of naga's.
    fn math(
        &mut self,
        fun: MathFunction,
        arguments: &[Handle<Expression>],
        span: Span,
    ) -> Handle<Expression> {
        let at = |n: usize| arguments.get(n).copied();
        let arg = at(0).unwrap_or_else(|| self.body.literal(Literal::F32(0.0)));
        let math = Expression::Math { fun, arg, arg1: at(1), arg2: at(2), arg3: at(3) };
        self.body.evaluate(math, span)
    }

    /// A scalar as a vector of the size of another type.
    fn as_large(
        &mut self,
        value: Handle<Expression>,
        ty: Option<&Type>,
        shape: &Type,
        span: Span,
    ) -> Handle<Expression> {
        match (ty, shape) {
            (Some(Type::Scalar(_)), Type::Vector(_, size)) => self.splat(value, *size, span),
            _ => value,
        }
    }

    /// Scalars beside vectors become vectors, where naga needs it.
    fn spread(
        &mut self,
        function: MathFunction,
        handles: &[Handle<Expression>],
        types: &[Type],
        span: Span,
    ) -> Vec<Handle<Expression>> {
        let vector = types.iter().find(|ty| matches!(ty, Type::Vector(..)));
        let all = matches!(
            function,
            MathFunction::Min
                | MathFunction::Max
                | MathFunction::Clamp
                | MathFunction::Mix
                | MathFunction::Step
                | MathFunction::SmoothStep
        );
        match vector {
            Some(vector) if all => handles
                .iter()
                .zip(types)
                .map(|(value, ty)| self.as_large(*value, Some(ty), vector, span))
                .collect(),
            _ => handles.to_vec(),
        }
    }

    /// A function of vectors on scalars: on vectors whose other component is 0.
    fn of_scalars(
        &mut self,
        function: MathFunction,
        handles: &[Handle<Expression>],
        result: &Type,
        span: Span,
    ) -> Handle<Expression> {
        match (function, handles) {
            (MathFunction::Length, _) => return self.math(MathFunction::Abs, handles, span),
            (MathFunction::Normalize, _) => return self.math(MathFunction::Sign, handles, span),
            (MathFunction::Dot, [a, b]) => {
                return self.pair(BinaryOperator::Multiply, *a, *b, span);
            }
            (MathFunction::Distance, [a, b]) => {
                let difference = self.pair(BinaryOperator::Subtract, *a, *b, span);
                return self.math(MathFunction::Abs, &[difference], span);
            }
            _ => {}
        }
        let ty = self.lower(&Type::Vector(Scalar::Float, 2));
        let zero = self.body.literal(Literal::F32(0.0));
        let vectors: Vec<Handle<Expression>> = handles
            .iter()
            .enumerate()
            .map(|(n, value)| match (function, n) {
                (MathFunction::Refract, 2) => *value,
                _ => {
                    let components = vec![*value, zero];
                    self.body.evaluate(Expression::Compose { ty, components }, span)
                }
            })
            .collect();
        let value = self.math(function, &vectors, span);
        debug_assert!(matches!(result, Type::Scalar(_)));
        self.part(value, 0, span)
    }

    /// `lessThan` and the like.
    fn compare(
        &mut self,
        op: Binary,
        left: Handle<Expression>,
        right: Handle<Expression>,
        span: Span,
    ) -> Handle<Expression> {
        let op = match op {
            Binary::Less => BinaryOperator::Less,
            Binary::LessEqual => BinaryOperator::LessEqual,
            Binary::Greater => BinaryOperator::Greater,
            Binary::GreaterEqual => BinaryOperator::GreaterEqual,
            Binary::NotEqual => BinaryOperator::NotEqual,
            _ => BinaryOperator::Equal,
        };
        self.pair(op, left, right, span)
    }

    /// A call of a function on a sampler: of a function without a body that means something, which [`super::Checked::textures`]
    /// says.
    fn texture(
        &mut self,
        texture: Texture,
        handles: &[Handle<Expression>],
        types: &[Type],
        result: Type,
        span: Span,
    ) -> Operand {
        let known = self
            .textures
            .iter()
            .find(|(_, known, of)| *known == texture && *of == types)
            .map(|(handle, ..)| *handle);
        let function = match known {
            Some(known) => known,
            None => {
                let made = self.texture_function(types, &result);
                let handle = self.bodies.reserve();
                self.bodies.define(handle, made, Vec::new());
                self.textures.push((handle, texture, types.to_vec()));
                handle
            }
        };
        self.calls.push((function, span));
        let ty = self.lower(&result);
        let value = self.body.call(function, handles.to_vec(), Some(ty), span);
        value.map_or(Operand::error(span), |value| Operand::value(result, span, value))
    }

    /// A function that has the types of a function on a sampler.
    fn texture_function(&mut self, types: &[Type], result: &Type) -> Function {
        let mut function = Function::default();
        for ty in types {
            let ty = self.lower(ty);
            function.arguments.push(FunctionArgument { name: None, ty, binding: None });
        }
        let ty = self.lower(result);
        function.result = Some(FunctionResult { ty, binding: None });
        let zero = function.expressions.append(Expression::ZeroValue(ty), naga::Span::UNDEFINED);
        function.body = Block::from_vec(vec![Statement::Return { value: Some(zero) }]);
        function
    }
}
