//! Values of constant expressions: floats by the machine's arithmetic in mode exact, integers with their 32 bits.
//!
//! `operators`, `functions` and `construct` compute them. `None` is "no constant": the value is too large, or only known
//! when the shader runs.

mod construct;
mod functions;
mod operators;
mod packing;

use crate::parts::Selector;
use crate::types::{Scalar, Type};
pub use construct::construct;
use ctm_functions::number::{Number, Numbers};
use ctm_isa::arithmetic::Operations;
pub use functions::call;
use naga::{ScalarKind, TypeInner, VectorSize};
pub use operators::{binary, unary};
pub use packing::Packing;
use std::rc::Rc;

/// Most scalars of a constant that is made of large parts, or computed with: so work and memory grow with the source.
const MAX_SCALARS: usize = 1 << 12;

/// A value. It can be infinite or a NaN.
#[derive(Clone, Debug)]
pub struct Value {
    /// Its type, without samplers; all numbers of elements are known.
    pub ty: Type,
    /// Scalars of it and of what it is a part of.
    whole: Rc<[u32]>,
    /// Where its own begin.
    start: usize,
}

impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.ty == other.ty && self.scalars() == other.scalars()
    }
}

impl Value {
    fn new(ty: Type, scalars: impl Into<Rc<[u32]>>) -> Value {
        Value { ty, whole: scalars.into(), start: 0 }
    }

    /// A value with one scalar.
    pub fn scalar(scalar: Scalar, bits: u32) -> Value {
        Value::new(Type::Scalar(scalar), [bits])
    }

    /// A `float`.
    pub fn float(value: f32) -> Value {
        Value::scalar(Scalar::Float, value.to_bits())
    }

    /// A `bool`.
    pub fn bool(value: bool) -> Value {
        Value::scalar(Scalar::Bool, value.into())
    }

    /// All scalars zero; `None` for a type without values, or one that is too large.
    pub fn zero(ty: &Type) -> Option<Value> {
        let facts = ty.facts();
        let possible = (1..=MAX_SCALARS).contains(&facts.scalars) && !facts.sampler;
        possible.then(|| Value::new(ty.clone(), vec![0; facts.scalars]))
    }

    /// The bits of its scalars, in the order of components, columns, elements and members: of a float, of an `int` or
    /// `uint`; 0 or 1 of a `bool`.
    pub fn scalars(&self) -> &[u32] {
        &self.whole[self.start..][..self.ty.facts().scalars]
    }

    /// The value of an integer.
    pub fn as_integer(&self) -> Option<i64> {
        let bits = *self.scalars().first()?;
        match self.ty {
            Type::Scalar(Scalar::Int) => Some(i64::from(bits as i32)),
            Type::Scalar(Scalar::Uint) => Some(i64::from(bits)),
            _ => None,
        }
    }

    /// The value of a truth value.
    pub fn as_bool(&self) -> Option<bool> {
        (self.ty == Type::Scalar(Scalar::Bool)).then(|| self.scalars() != [0])
    }

    /// The value with scalars of another kind: for the types of operands and parameters. Structures and arrays stay as they
    /// are.
    pub fn convert(&self, to: &Type) -> Option<Value> {
        if self.ty == *to {
            return Some(self.clone());
        }
        let (from, kind) = (self.ty.scalar()?, to.scalar()?);
        let scalars: Vec<u32> =
            self.scalars().iter().map(|bits| convert(from, kind, *bits)).collect();
        (to.facts().scalars == scalars.len()).then(|| Value::new(to.clone(), scalars))
    }

    /// The member of a structure or components of a vector.
    pub fn part(&self, part: &Selector) -> Option<Value> {
        match (part, &self.ty) {
            (Selector::Member(n), Type::Structure(structure)) => {
                let offset = structure.offset(*n)?;
                let ty = structure.members.get(*n)?.1.clone();
                Some(Value { ty, whole: self.whole.clone(), start: self.start + offset })
            }
            (Selector::Components(pattern), Type::Vector(scalar, _)) => {
                let own = self.scalars();
                let scalars: Option<Vec<u32>> =
                    pattern.iter().map(|n| own.get(usize::from(*n)).copied()).collect();
                Some(Value::new(Type::vector(*scalar, pattern.len() as u8), scalars?))
            }
            _ => None,
        }
    }

    /// An element, a column or a component; `None` if the index is out of range.
    pub fn index(&self, at: i64) -> Option<Value> {
        let (count, ty) = self.ty.parts()?;
        let at = u32::try_from(at).ok().filter(|at| count.is_some_and(|count| *at < count))?;
        let start = self.start + at as usize * ty.facts().scalars;
        Some(Value { ty, whole: self.whole.clone(), start })
    }

    /// All members, elements, columns or components, for a value that is written as a composition; empty for a scalar.
    pub fn composition(&self) -> Vec<Value> {
        match &self.ty {
            Type::Structure(structure) => {
                let members = 0..structure.members.len();
                members.filter_map(|n| self.part(&Selector::Member(n))).collect()
            }
            ty => {
                let count = ty.parts().and_then(|(count, _)| count).unwrap_or(0);
                (0..count).filter_map(|n| self.index(n.into())).collect()
            }
        }
    }

    /// The scalars as numbers of the machine.
    fn numbers(&self) -> Rc<[Number]> {
        let scalar = self.ty.scalar().unwrap_or(Scalar::Float);
        self.scalars().iter().map(|bits| number(scalar, *bits)).collect()
    }

    /// A value of numbers of the machine.
    fn of_numbers(ty: &Type, numbers: &[Number]) -> Option<Value> {
        let scalar = ty.scalar()?;
        let bits = |number: &Number| match scalar {
            Scalar::Float => number.bits,
            _ => from_float(scalar, f32::from_bits(number.bits)),
        };
        let scalars: Vec<u32> = numbers.iter().map(bits).collect();
        (scalars.len() == ty.facts().scalars).then(|| Value::new(ty.clone(), scalars))
    }
}

/// A scalar as a number of the machine, where all are floats.
fn number(scalar: Scalar, bits: u32) -> Number {
    Numbers.number(match scalar {
        Scalar::Float => f32::from_bits(bits),
        Scalar::Int => bits as i32 as f32,
        Scalar::Uint | Scalar::Bool => bits as f32,
    })
}

/// A whole float as an integer or truth value; the nearest there is.
fn from_float(scalar: Scalar, value: f32) -> u32 {
    match scalar {
        Scalar::Float => value.to_bits(),
        Scalar::Int => value as i32 as u32,
        Scalar::Uint => value as u32,
        Scalar::Bool => (value != 0.0).into(),
    }
}

/// A scalar as another kind.
fn convert(from: Scalar, to: Scalar, bits: u32) -> u32 {
    match (from, to) {
        _ if from == to => bits,
        (Scalar::Float, _) => {
            let mut functions = ctm_functions::Functions { graph: &mut Numbers };
            let value = functions.convert(ScalarKind::Float, kind(to), number(from, bits));
            from_float(to, f32::from_bits(value.bits))
        }
        (_, Scalar::Float) => number(from, bits).bits,
        (_, Scalar::Bool) => (bits != 0).into(),
        // Integers keep their bits.
        _ => bits,
    }
}

/// naga's kind of a scalar.
fn kind(scalar: Scalar) -> ScalarKind {
    match scalar {
        Scalar::Bool => ScalarKind::Bool,
        Scalar::Int => ScalarKind::Sint,
        Scalar::Uint => ScalarKind::Uint,
        Scalar::Float => ScalarKind::Float,
    }
}

/// naga's type of a scalar, vector or matrix.
pub fn inner(ty: &Type) -> Option<TypeInner> {
    let size = |size: u8| match size {
        2 => VectorSize::Bi,
        3 => VectorSize::Tri,
        _ => VectorSize::Quad,
    };
    let scalar = match ty.scalar()? {
        Scalar::Bool => naga::Scalar::BOOL,
        Scalar::Int => naga::Scalar::I32,
        Scalar::Uint => naga::Scalar::U32,
        Scalar::Float => naga::Scalar::F32,
    };
    Some(match ty {
        Type::Vector(_, components) => TypeInner::Vector { size: size(*components), scalar },
        Type::Matrix(columns, rows) => {
            TypeInner::Matrix { columns: size(*columns), rows: size(*rows), scalar }
        }
        _ => TypeInner::Scalar(scalar),
    })
}

#[cfg(test)]
mod tests;
