//! Built-in functions of constants.

use super::operators::{binary, componentwise, unary};
use super::{Value, from_float, inner, kind};
use crate::ast::{Binary, Unary};
use crate::builtins::Meaning;
use crate::types::{Scalar, Type};
use ctm_functions::Functions;
use ctm_functions::number::{Number, Numbers};
use naga::{MathFunction, RelationalFunction};
use std::rc::Rc;

/// A built-in function, after the conversion of its arguments to the types of the parameters; those of `out` parameters have
/// any value. The value of the result, of type `result`, and that of an `out` argument. `None` for what is no constant:
/// textures, noise, and what the machine cannot do.
pub fn call(
    meaning: Meaning,
    arguments: &[Value],
    result: &Type,
) -> Option<(Value, Option<Value>)> {
    let first = arguments.first()?;
    let scalar = first.ty.scalar()?;
    let value = match meaning {
        Meaning::Math(function) if scalar != Scalar::Float => {
            integers(function, scalar, arguments, result)
        }
        Meaning::Math(function) | Meaning::OfScalars(function) => {
            Value::of_numbers(result, &math(function, arguments)?)
        }
        Meaning::Relational(function) => relational(function, first, result),
        Meaning::Compare(op) => componentwise(op, first, arguments.get(1)?, result),
        Meaning::Not => unary(Unary::Not, first),
        Meaning::Modulo => modulo(first, arguments.get(1)?, result),
        Meaning::Modf => return halves(MathFunction::Modf, first, result, &result.clone()),
        Meaning::Frexp => {
            return halves(MathFunction::Frexp, first, result, &result.with_scalar(Scalar::Int));
        }
        Meaning::Select => select(first, arguments.get(1)?, arguments.get(2)?, result),
        Meaning::MultiplyComponents => {
            let second = arguments.get(1)?;
            // As vectors, of which the product is that of the components.
            let mut functions = Functions { graph: &mut Numbers };
            let scalar = inner(&Type::Scalar(Scalar::Float))?;
            let types = [scalar.clone(), scalar];
            let product = functions.binary(
                naga::BinaryOperator::Multiply,
                &types,
                &first.numbers(),
                &second.numbers(),
            );
            Value::of_numbers(result, &product.ok()?)
        }
        Meaning::OuterProduct => Value::of_numbers(result, &math(MathFunction::Outer, arguments)?),
        Meaning::Bits => Some(Value::new(result.clone(), first.scalars().to_vec())),
        // The derivative of a constant is zero.
        Meaning::Derivative(..) => Value::zero(result),
        Meaning::Pack(packing) => Some(Value::scalar(Scalar::Uint, packing.pack(first.scalars()))),
        Meaning::Unpack(packing) => {
            Some(Value::new(result.clone(), packing.unpack(*first.scalars().first()?)))
        }
        Meaning::Zero | Meaning::Texture(_) | Meaning::Impossible(_) => None,
    };
    Some((value?, None))
}

/// A function of floats, by the machine's arithmetic.
fn math(function: MathFunction, arguments: &[Value]) -> Option<Vec<Number>> {
    let first = arguments.first()?;
    let mut functions = Functions { graph: &mut Numbers };
    let numbers: Vec<Rc<[Number]>> = arguments.iter().map(Value::numbers).collect();
    functions.math(function, kind(first.ty.scalar()?), &inner(&first.ty)?, &numbers).ok()
}

/// A function whose first half is the result, and the second goes to the `out` argument.
fn halves(
    function: MathFunction,
    first: &Value,
    result: &Type,
    out: &Type,
) -> Option<(Value, Option<Value>)> {
    let numbers = math(function, std::slice::from_ref(first))?;
    let (value, other) = numbers.split_at_checked(numbers.len() / 2)?;
    Some((Value::of_numbers(result, value)?, Some(Value::of_numbers(out, other)?)))
}

/// `abs`, `sign`, `min`, `max`, `clamp` of integers.
fn integers(
    function: MathFunction,
    scalar: Scalar,
    arguments: &[Value],
    result: &Type,
) -> Option<Value> {
    let wide = |value: &Value, n: usize| {
        let scalars = value.scalars();
        let bits = scalars.get(if scalars.len() == 1 { 0 } else { n }).copied()?;
        Some(if scalar == Scalar::Int { i64::from(bits as i32) } else { i64::from(bits) })
    };
    let mut found = Vec::new();
    for n in 0..result.facts().scalars {
        let argument = |at: usize| arguments.get(at).and_then(|value| wide(value, n));
        let x = argument(0)?;
        let value = match function {
            MathFunction::Abs => x.abs(),
            MathFunction::Sign => x.signum(),
            MathFunction::Min => x.min(argument(1)?),
            MathFunction::Max => x.max(argument(1)?),
            // Not `clamp`, which needs the limits in order.
            MathFunction::Clamp => x.max(argument(1)?).min(argument(2)?),
            _ => return None,
        };
        found.push(value as u32);
    }
    Some(Value::new(result.clone(), found))
}

fn relational(function: RelationalFunction, value: &Value, result: &Type) -> Option<Value> {
    match function {
        RelationalFunction::All => Some(Value::bool(value.scalars().iter().all(|bits| *bits != 0))),
        RelationalFunction::Any => Some(Value::bool(value.scalars().iter().any(|bits| *bits != 0))),
        RelationalFunction::IsNan | RelationalFunction::IsInf => {
            let mut functions = Functions { graph: &mut Numbers };
            let found = functions.relational(function, &value.numbers());
            let scalars: Vec<u32> = found
                .iter()
                .map(|number| from_float(Scalar::Bool, f32::from_bits(number.bits)))
                .collect();
            Some(Value::new(result.clone(), scalars))
        }
    }
}

/// x - y * floor(x / y).
fn modulo(x: &Value, y: &Value, result: &Type) -> Option<Value> {
    let ratio = binary(Binary::Divide, x, y, result)?;
    let whole = Value::of_numbers(result, &math(MathFunction::Floor, &[ratio])?)?;
    let product = binary(Binary::Multiply, y, &whole, result)?;
    binary(Binary::Subtract, x, &product, result)
}

/// `mix` by truth values.
fn select(reject: &Value, accept: &Value, condition: &Value, result: &Type) -> Option<Value> {
    let sides = reject.scalars().iter().zip(accept.scalars()).zip(condition.scalars());
    let scalars: Vec<u32> = sides
        .map(|((reject, accept), condition)| if *condition == 0 { *reject } else { *accept })
        .collect();
    (scalars.len() == result.facts().scalars).then(|| Value::new(result.clone(), scalars))
}
