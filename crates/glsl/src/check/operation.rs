//! Operators of two operands as naga's.

use super::Checker;
use super::operand::Operand;
use crate::ast::Binary;
use crate::types::{Scalar, Type};
use ctm_base::text::Span;
use naga::{BinaryOperator, Expression, Handle, RelationalFunction};

/// Most scalars that `==` compares.
const MAX_COMPARED: usize = 4096;

/// A value and its type.
type Typed<'t> = (Handle<Expression>, &'t Type);

/// The operator of naga's; `None` for what is made of others.
fn operator(op: Binary) -> Option<BinaryOperator> {
    Some(match op {
        Binary::Multiply => BinaryOperator::Multiply,
        Binary::Divide => BinaryOperator::Divide,
        Binary::Modulo => BinaryOperator::Modulo,
        Binary::Add => BinaryOperator::Add,
        Binary::Subtract => BinaryOperator::Subtract,
        Binary::ShiftLeft => BinaryOperator::ShiftLeft,
        Binary::ShiftRight => BinaryOperator::ShiftRight,
        Binary::Less => BinaryOperator::Less,
        Binary::Greater => BinaryOperator::Greater,
        Binary::LessEqual => BinaryOperator::LessEqual,
        Binary::GreaterEqual => BinaryOperator::GreaterEqual,
        Binary::And => BinaryOperator::And,
        Binary::ExclusiveOr => BinaryOperator::ExclusiveOr,
        Binary::Or => BinaryOperator::InclusiveOr,
        Binary::LogicalAnd => BinaryOperator::LogicalAnd,
        Binary::LogicalXor => BinaryOperator::NotEqual,
        Binary::LogicalOr => BinaryOperator::LogicalOr,
        Binary::Equal | Binary::NotEqual => return None,
    })
}

impl Checker<'_> {
    /// An operator on two values.
    pub fn operation(
        &mut self,
        op: Binary,
        left: Typed<'_>,
        right: Typed<'_>,
        result: &Type,
        span: Span,
    ) -> Handle<Expression> {
        let Some(naga_op) = operator(op) else {
            return self.equality(op == Binary::Equal, left, right, span);
        };
        match op {
            Binary::ShiftLeft | Binary::ShiftRight => {
                let from = right.1.scalar().unwrap_or(Scalar::Uint);
                let shift = self.cast(right.0, right.1, from, Scalar::Uint, span);
                let shift = match (left.1, right.1) {
                    (Type::Vector(_, size), Type::Scalar(_)) => self.splat(shift, *size, span),
                    _ => shift,
                };
                self.pair(naga_op, left.0, shift, span)
            }
            Binary::Add
            | Binary::Subtract
            | Binary::Divide
            | Binary::Modulo
            | Binary::And
            | Binary::ExclusiveOr
            | Binary::Or => match (left.1, right.1) {
                (Type::Vector(_, size), Type::Scalar(_)) => {
                    let right = self.splat(right.0, *size, span);
                    self.pair(naga_op, left.0, right, span)
                }
                (Type::Scalar(_), Type::Vector(_, size)) => {
                    let left = self.splat(left.0, *size, span);
                    self.pair(naga_op, left, right.0, span)
                }
                (Type::Matrix(..), Type::Matrix(..)) if op != Binary::Divide => {
                    self.pair(naga_op, left.0, right.0, span)
                }
                (Type::Matrix(..), _) | (_, Type::Matrix(..)) => {
                    self.by_columns(naga_op, left, right, result, span)
                }
                _ => self.pair(naga_op, left.0, right.0, span),
            },
            Binary::Multiply
            | Binary::Less
            | Binary::Greater
            | Binary::LessEqual
            | Binary::GreaterEqual
            | Binary::Equal
            | Binary::NotEqual
            | Binary::LogicalAnd
            | Binary::LogicalXor
            | Binary::LogicalOr => self.pair(naga_op, left.0, right.0, span),
        }
    }

    /// An operator that naga has for these types.
    pub fn pair(
        &mut self,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
        span: Span,
    ) -> Handle<Expression> {
        self.body.evaluate(Expression::Binary { op, left, right }, span)
    }

    /// A part of a value.
    pub fn part(&mut self, base: Handle<Expression>, index: u32, span: Span) -> Handle<Expression> {
        self.body.evaluate(Expression::AccessIndex { base, index }, span)
    }

    /// An operator on the columns of matrices; a scalar goes with each.
    fn by_columns(
        &mut self,
        op: BinaryOperator,
        left: Typed<'_>,
        right: Typed<'_>,
        result: &Type,
        span: Span,
    ) -> Handle<Expression> {
        let Type::Matrix(columns, rows) = *result else { return left.0 };
        let mut side = |value: Typed<'_>| match value.1 {
            Type::Matrix(..) => None,
            _ => Some(self.splat(value.0, rows, span)),
        };
        let sides = [(left, side(left)), (right, side(right))];
        let components = (0..columns.into())
            .map(|n| {
                let [l, r] = sides.map(|(value, splat)| match splat {
                    Some(splat) => splat,
                    None => self.part(value.0, n, span),
                });
                self.pair(op, l, r, span)
            })
            .collect();
        let ty = self.lower(result);
        self.body.evaluate(Expression::Compose { ty, components }, span)
    }

    /// `==` or `!=`.
    fn equality(
        &mut self,
        equal: bool,
        left: Typed<'_>,
        right: Typed<'_>,
        span: Span,
    ) -> Handle<Expression> {
        let (op, combine, fun) = if equal {
            (BinaryOperator::Equal, BinaryOperator::LogicalAnd, RelationalFunction::All)
        } else {
            (BinaryOperator::NotEqual, BinaryOperator::LogicalOr, RelationalFunction::Any)
        };
        let parts: Vec<Type> = match left.1 {
            Type::Vector(..) => {
                let argument = self.pair(op, left.0, right.0, span);
                return self.body.evaluate(Expression::Relational { fun, argument }, span);
            }
            Type::Structure(of) => of.members.iter().map(|(_, ty)| ty.clone()).collect(),
            ty => match ty.parts() {
                Some((count, part)) => vec![part; count.unwrap_or(0) as usize],
                None => return self.pair(op, left.0, right.0, span),
            },
        };
        if left.1.facts().scalars > MAX_COMPARED {
            let error = span.error(format!("values of type `{}` are too large to compare", left.1));
            self.found.error(error.help("compare their parts in a loop"));
            return left.0;
        }
        let mut all = None;
        for (n, ty) in parts.iter().enumerate() {
            let [l, r] = [left.0, right.0].map(|side| self.part(side, n as u32, span));
            let one = self.equality(equal, (l, ty), (r, ty), span);
            all = Some(match all {
                Some(all) => self.pair(combine, one, all, span),
                None => one,
            });
        }
        all.unwrap_or(left.0)
    }

    /// A constant that naga may not see as one: a divisor or a shift for which the result is undefined.
    pub fn hidden(&mut self, op: Binary, right: Operand) -> Operand {
        let integer = right.ty.scalar().is_some_and(|scalar| scalar != Scalar::Float);
        let undefined = |bits: &u32| match op {
            Binary::Divide | Binary::Modulo => *bits == 0,
            Binary::ShiftLeft | Binary::ShiftRight => *bits >= 32,
            _ => false,
        };
        let Some(value) = right.known().filter(|_| integer) else { return right };
        if !value.scalars().iter().any(undefined) {
            return right;
        }
        let handle = self.constant(&value.clone());
        let pointer = self.temporary(&right.ty, right.span);
        self.body.store(pointer, handle, right.span);
        let value = self.body.load(pointer, right.span);
        Operand::value(right.ty, right.span, value)
    }
}
