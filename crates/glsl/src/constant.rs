//! Values of constant expressions: floats by the machine's arithmetic in mode exact, integers with their 32 bits.

use crate::ast::{Binary, Unary};
use crate::builtins::Meaning;
use crate::constructors::Constructed;
use crate::parts::Part;
use crate::types::{Scalar, Type};
use std::rc::Rc;

/// Most scalars of a constant; larger ones are not computed when a shader is compiled.
pub const MAX_SCALARS: usize = 1 << 16;

/// A value. It can be infinite or a NaN.
#[derive(Clone, Debug, PartialEq)]
pub struct Value {
    /// Its type, without samplers; all numbers of elements are known.
    pub ty: Type,
    /// The bits of its scalars, in the order of components, columns, elements and members: of a float, of an `int` or
    /// `uint`; 0 or 1 of a `bool`.
    pub scalars: Rc<[u32]>,
}

impl Value {
    /// A value with one scalar.
    pub fn scalar(scalar: Scalar, bits: u32) -> Value {
        Value { ty: Type::Scalar(scalar), scalars: Rc::new([bits]) }
    }

    /// The value of an integer or truth value.
    pub fn as_integer(&self) -> Option<i64> {
        let bits = *self.scalars.first()?;
        match self.ty {
            Type::Scalar(Scalar::Int) => Some(i64::from(bits as i32)),
            Type::Scalar(Scalar::Uint | Scalar::Bool) => Some(i64::from(bits)),
            _ => None,
        }
    }

    /// The value of a truth value.
    pub fn as_bool(&self) -> Option<bool> {
        (self.ty == Type::Scalar(Scalar::Bool)).then(|| self.as_integer() != Some(0))
    }

    /// All scalars zero; `None` for a type without values, or one that is too large.
    pub fn zero(ty: &Type) -> Option<Value> {
        let _ = ty;
        None
    }

    /// The value as another type, by an implicit or explicit conversion: the shape is the same.
    pub fn convert(&self, to: &Type) -> Option<Value> {
        let _ = to;
        None
    }

    /// The member of a structure or components of a vector.
    pub fn part(&self, part: &Part) -> Option<Value> {
        let _ = part;
        None
    }

    /// An element, a column or a component; `None` if the index is out of range.
    pub fn index(&self, at: i64) -> Option<Value> {
        let _ = at;
        None
    }
}

/// An operator of one operand; `++` and `--` have no constant value.
pub fn unary(op: Unary, operand: &Value) -> Option<Value> {
    let _ = (op, operand);
    None
}

/// An operator of two operands, after the conversions of [`crate::operators::Typed::operands`].
pub fn binary(op: Binary, left: &Value, right: &Value, result: &Type) -> Option<Value> {
    let _ = (op, left, right, result);
    None
}

/// A constructor.
pub fn construct(constructed: &Constructed, arguments: &[Value]) -> Option<Value> {
    let _ = (constructed, arguments);
    None
}

/// A built-in function, after the conversion of its arguments to the types of the parameters. The value of the result, and
/// that of an `out` argument. `None` for what is no constant: derivatives, textures, what the machine cannot do.
pub fn call(
    meaning: Meaning,
    arguments: &[Value],
    result: &Type,
) -> Option<(Value, Option<Value>)> {
    let _ = (meaning, arguments, result);
    None
}
