//! Operators of constants.

use super::{MAX_SCALARS, Value, inner, number};
use crate::ast::{Binary, Unary};
use crate::types::{Scalar, Type};
use ctm_functions::Functions;
use ctm_functions::number::Numbers;
use ctm_isa::arithmetic::Operations;
use ctm_isa::float;
use naga::BinaryOperator;

/// An operator of one operand; `++` and `--` have no constant value.
pub fn unary(op: Unary, operand: &Value) -> Option<Value> {
    let scalar = operand.ty.scalar()?;
    let one = |bits: &u32| match (op, scalar) {
        (Unary::Plus, _) => Some(*bits),
        (Unary::Minus, Scalar::Float) => Some(Numbers.neg(number(scalar, *bits)).bits),
        (Unary::Minus, _) => Some(bits.wrapping_neg()),
        (Unary::Not, _) => Some(u32::from(*bits == 0)),
        (Unary::Invert, _) => Some(!bits),
        (
            Unary::Increment | Unary::Decrement | Unary::IncrementAfter | Unary::DecrementAfter,
            _,
        ) => None,
    };
    let scalars: Option<Vec<u32>> = operand.scalars().iter().map(one).collect();
    Some(Value::new(operand.ty.clone(), scalars?))
}

/// An operator of two operands, after the conversions of [`crate::operators::Typed::operands`]; `result` is its type.
pub fn binary(op: Binary, left: &Value, right: &Value, result: &Type) -> Option<Value> {
    match op {
        Binary::Equal | Binary::NotEqual => {
            let equal = equal(left, right)?;
            Some(Value::bool(equal == (op == Binary::Equal)))
        }
        Binary::LogicalAnd => Some(Value::bool(left.as_bool()? && right.as_bool()?)),
        Binary::LogicalOr => Some(Value::bool(left.as_bool()? || right.as_bool()?)),
        Binary::LogicalXor => Some(Value::bool(left.as_bool()? != right.as_bool()?)),
        Binary::Multiply
        | Binary::Divide
        | Binary::Modulo
        | Binary::Add
        | Binary::Subtract
        | Binary::ShiftLeft
        | Binary::ShiftRight
        | Binary::Less
        | Binary::Greater
        | Binary::LessEqual
        | Binary::GreaterEqual
        | Binary::And
        | Binary::ExclusiveOr
        | Binary::Or => componentwise(op, left, right, result),
    }
}

/// An operator on each component, or a product of matrices.
pub(super) fn componentwise(
    op: Binary,
    left: &Value,
    right: &Value,
    result: &Type,
) -> Option<Value> {
    let scalar = left.ty.scalar()?;
    if scalar == Scalar::Float {
        let types = [inner(&left.ty)?, inner(&right.ty)?];
        let mut functions = Functions { graph: &mut Numbers };
        let value = functions.binary(naga_operator(op)?, &types, &left.numbers(), &right.numbers());
        return Value::of_numbers(result, &value.ok()?);
    }
    let count = result.facts().scalars;
    let side = |value: &Value, n: usize| {
        let scalars = value.scalars();
        scalars.get(if scalars.len() == 1 { 0 } else { n }).copied()
    };
    let mut scalars = Vec::with_capacity(count);
    for n in 0..count {
        scalars.push(integer(op, scalar, side(left, n)?, side(right, n)?)?);
    }
    Some(Value::new(result.clone(), scalars))
}

/// An operator on integers or truth values: 32 bits that wrap around. A quotient by zero is open in the language, and 0.
fn integer(op: Binary, scalar: Scalar, a: u32, b: u32) -> Option<u32> {
    let signed = scalar == Scalar::Int;
    let (x, y) = (a as i32, b as i32);
    let wide = |bits: u32| if signed { i64::from(bits as i32) } else { i64::from(bits) };
    let shift = b.min(31);
    Some(match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Subtract => a.wrapping_sub(b),
        Binary::Multiply => a.wrapping_mul(b),
        Binary::Divide | Binary::Modulo if b == 0 => 0,
        Binary::Divide if signed => x.wrapping_div(y) as u32,
        Binary::Divide => a / b,
        Binary::Modulo if signed => x.wrapping_rem(y) as u32,
        Binary::Modulo => a % b,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::ExclusiveOr => a ^ b,
        Binary::ShiftLeft => a << shift,
        Binary::ShiftRight if signed => (x >> shift) as u32,
        Binary::ShiftRight => a >> shift,
        Binary::Less => (wide(a) < wide(b)).into(),
        Binary::Greater => (wide(a) > wide(b)).into(),
        Binary::LessEqual => (wide(a) <= wide(b)).into(),
        Binary::GreaterEqual => (wide(a) >= wide(b)).into(),
        Binary::Equal => (a == b).into(),
        Binary::NotEqual => (a != b).into(),
        Binary::LogicalAnd | Binary::LogicalXor | Binary::LogicalOr => return None,
    })
}

/// naga's operator on floats.
fn naga_operator(op: Binary) -> Option<BinaryOperator> {
    Some(match op {
        Binary::Multiply => BinaryOperator::Multiply,
        Binary::Divide => BinaryOperator::Divide,
        Binary::Add => BinaryOperator::Add,
        Binary::Subtract => BinaryOperator::Subtract,
        Binary::Less => BinaryOperator::Less,
        Binary::Greater => BinaryOperator::Greater,
        Binary::LessEqual => BinaryOperator::LessEqual,
        Binary::GreaterEqual => BinaryOperator::GreaterEqual,
        Binary::Equal => BinaryOperator::Equal,
        Binary::NotEqual => BinaryOperator::NotEqual,
        Binary::Modulo
        | Binary::ShiftLeft
        | Binary::ShiftRight
        | Binary::And
        | Binary::ExclusiveOr
        | Binary::Or
        | Binary::LogicalAnd
        | Binary::LogicalXor
        | Binary::LogicalOr => return None,
    })
}

/// Whether two values of one type are equal: all their scalars.
fn equal(left: &Value, right: &Value) -> Option<bool> {
    if left.ty != right.ty || left.ty.facts().scalars > MAX_SCALARS {
        return None;
    }
    if let Some(scalar) = left.ty.scalar() {
        let pairs = left.scalars().iter().zip(right.scalars());
        let mut functions = Functions { graph: &mut Numbers };
        let same = |(a, b): (&u32, &u32)| match scalar {
            Scalar::Float => {
                let equal = functions.equal(number(scalar, *a), number(scalar, *b));
                !float::is_zero(equal.bits)
            }
            Scalar::Bool | Scalar::Int | Scalar::Uint => a == b,
        };
        return Some(pairs.into_iter().all(same));
    }
    for (a, b) in left.composition().iter().zip(right.composition()) {
        if !equal(a, &b)? {
            return Some(false);
        }
    }
    Some(true)
}
