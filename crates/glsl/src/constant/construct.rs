//! Constructors of constants.

use super::{MAX_SCALARS, Value, convert};
use crate::constructors::{Constructed, Plan};
use crate::types::Type;

/// Most scalars of a member of a value larger than [`MAX_SCALARS`]: its size is that of the source.
const MAX_PART: usize = 16;

/// A constructor.
pub fn construct(constructed: &Constructed, arguments: &[Value]) -> Option<Value> {
    let ty = &constructed.ty;
    let count = ty.facts().scalars;
    if constructed.plan == Plan::Members {
        let small = count <= MAX_SCALARS
            || arguments.iter().all(|value| value.ty.facts().scalars <= MAX_PART);
        if !small {
            return None;
        }
        let mut scalars = Vec::with_capacity(count);
        for (value, operand) in arguments.iter().zip(&constructed.operands) {
            scalars.extend_from_slice(value.convert(operand)?.scalars());
        }
        return (scalars.len() == count).then(|| Value::new(ty.clone(), scalars));
    }
    let scalar = ty.scalar()?;
    // All scalars of the arguments as those of the result.
    let given: Vec<u32> = arguments
        .iter()
        .filter_map(|value| Some((value, value.ty.scalar()?)))
        .flat_map(|(value, from)| {
            value.scalars().iter().map(move |bits| convert(from, scalar, *bits))
        })
        .collect();
    let first = arguments.first()?;
    let [zero, one] = [0.0f32, 1.0].map(f32::to_bits);
    let scalars: Vec<u32> = match constructed.plan {
        Plan::Convert | Plan::Scalars => given.get(..count)?.to_vec(),
        Plan::Splat => vec![*given.first()?; count],
        Plan::Diagonal => {
            let Type::Matrix(columns, rows) = ty else { return None };
            entries(*columns, *rows, |column, row| if column == row { given[0] } else { zero })
        }
        Plan::Resize => {
            let (Type::Matrix(columns, rows), Type::Matrix(have, height)) = (ty, &first.ty) else {
                return None;
            };
            entries(*columns, *rows, |column, row| {
                if column < *have && row < *height {
                    given[usize::from(column * height + row)]
                } else if column == row {
                    one
                } else {
                    zero
                }
            })
        }
        Plan::Members | Plan::Error => return None,
    };
    (scalars.len() == count).then(|| Value::new(ty.clone(), scalars))
}

/// The entries of a matrix, column by column.
fn entries(columns: u8, rows: u8, entry: impl Fn(u8, u8) -> u32) -> Vec<u32> {
    let entry = &entry;
    (0..columns).flat_map(|column| (0..rows).map(move |row| entry(column, row))).collect()
}
